"""Tiles and copies: each cell has the colour of the tile or copy it belongs to, by the law and not by the drawing."""

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from strategies import layouts

from cutelearn import (
    Layout,
    LayoutError,
    _,
    complement,
    cosize,
    logical_product,
    make_identity_layout,
    parse_tiler,
    rank,
    size,
    zipped_divide,
)
from cutelearn.draw import (
    draw_complement,
    draw_divide,
    draw_divides,
    draw_partition,
    draw_product,
    draw_products,
    palette,
)
from cutelearn.draw.tilings import DIVIDES, PRODUCTS

# ------------------------------------------------------------------------------------------------ complement


@given(layouts(size=24), st.integers(1, 48))
def test_copies_cover_memory_and_start_where_the_complement_says(a, cotarget):
    try:
        rest = complement(a, cotarget)
    except LayoutError:
        assume(False)
    assume(size(rest) * size(a) <= 500)
    assume(cosize(a) <= 500)
    memory = draw_complement(a, cotarget).panel("memory")
    starts = rest.offsets().tolist()
    assert [24 * r + c for r, c in memory.picked()] == sorted(starts)
    for k, c in enumerate(memory.cells):
        owners = [s for s in starts if k - s in set(a.offsets().tolist())]
        assert c.key == (f"+{owners[0]}" if owners else None)
    assert memory.fills["+0"] == palette.COPY_0


def test_24_cells_each_once():
    memory = draw_complement(Layout((2, 2), (1, 6)), 24).panel("memory")
    assert len(memory.cells) == 24
    assert [c.key for c in memory.cells].count("+0") == 4
    assert all(c.key for c in memory.cells)
    assert memory.at(0, 8).lines == ("8", "+2")


# ------------------------------------------------------------------------------------------------ divides

CASES = [
    (Layout((4, 2, 3), (2, 1, 8)), Layout(4, 2)),
    (Layout((9, (4, 8)), (59, (13, 1))), parse_tiler("<3:3,(2,4):(1,8)>")),
    (Layout((4, 8), (8, 1)), (2, 4)),
    (Layout((5, 7), (7, 1)), (2, 4)),
    (Layout((8, 24), (24, 1)), (4, 8)),
    (Layout((6, 8, 3)), (2, 4)),
    (Layout(10), Layout(4)),
    (Layout((8, 8)), (Layout(2, 4), Layout(4))),
]


@pytest.mark.parametrize("form", DIVIDES)
@pytest.mark.parametrize(("a", "tiler"), CASES)
def test_a_divide_shows_every_cell_in_the_colour_of_its_tile(a, tiler, form):
    scene = draw_divide(a, tiler, form, limit=None)
    r = DIVIDES[form](a, tiler)
    divided = scene.panel("divided")
    m = size(r, 0)
    cells = {(c.row, c.col): c for c in divided.cells}
    assert len(cells) == size(r)
    places = zipped_divide(make_identity_layout(a.shape) if isinstance(tiler, tuple) else Layout(size(a)), tiler)
    phantoms = sum(_is_phantom(places(k), a) for k in range(size(places)))
    for k in range(size(r)):
        assert cells[k % m, k // m].lines == (str(r(k)),)
    assert sum(c.hatch for c in cells.values()) == phantoms
    inside = size(places, 0)
    tiles = {
        f"tile {k}": sorted(_offset(places(k * inside + t), a) for t in range(inside)) for k in range(size(places, 1))
    }
    for key, offsets in tiles.items():
        own = [c for c in cells.values() if c.key == key]
        assert {int(c.lines[0]) for c in own} <= set(offsets)
    before = scene.panel("A")
    assert len([c for c in before.cells if not c.faint]) == size(a)
    for key in {c.key for c in before.cells}:
        shown = sorted(int(c.lines[0]) for c in before.cells if c.key == key)
        again = sorted(int(c.lines[0]) for c in cells.values() if c.key == key)
        assert shown == again  # the same cells left and right, phantoms left out
    assert before.fills == divided.fills


def _is_phantom(coord, a):
    if isinstance(coord, int):
        return coord >= size(a)
    return any(Layout(s)(c) >= size(s) for c, s in zip(coord, a.shape, strict=False))


def _offset(coord, a):
    return a(coord)


def test_a_picked_tile_stands_out_on_both_sides():
    scene = draw_divide(Layout((5, 7), (7, 1)), (2, 4), pick=(0, 1))
    left = {scene.panel("A").at(*p).lines[0] for p in scene.panel("A").picked()}
    right = {scene.panel("divided").at(*p).lines[0] for p in scene.panel("divided").picked()}
    assert left == {"4", "5", "6", "11", "12", "13"}
    assert right == left | {"7", "14"}  # and its phantoms
    assert "hatch: out of range" in scene.table()


def test_four_forms_in_one_picture():
    scene = draw_divides(Layout((4, 8), (8, 1)), (2, 4))
    assert [p.name for p in scene.panels] == ["A", "logical", "zipped", "tiled", "flat"]
    assert [p.heading for p in scene.panels][1:] == [
        "logical: ((2,2),(4,2))",
        "zipped: ((2,4),(2,2))",
        "tiled: ((2,4),2,2)",
        "flat: (2,4,2,2)",
    ]
    for p in scene.panels:
        assert sorted(int(c.lines[0]) for c in p.cells) == list(range(32))


def test_large_divides_are_cut():
    scene = draw_divide(Layout((128, 128)), (16, 16))
    assert "limit=None draws all" in scene.note
    assert sum(len(p.cells) for p in scene.panels) < 700


@settings(max_examples=20)
@given(st.integers(1, 4), st.integers(1, 4), st.integers(1, 5), st.integers(1, 5), st.data())
def test_a_part_of_a_large_divide_is_that_of_the_whole(m, n, h, w, data):
    """Law: what is drawn of a cut picture, its colours and picks, is what the whole picture has there."""
    a = Layout((6 * m, 6 * n), (6 * n, 1))
    tile = data.draw(st.integers(0, 3))
    whole, part = (draw_divide(a, (h, w), pick=tile, limit=limit).panel("A") for limit in (None, 4))
    cells = {c.lines: (c.key, c.picked) for c in whole.cells}
    shown = [c for c in part.cells if not c.faint]
    assert all(cells[c.lines] == (c.key, c.picked) for c in shown)
    count = sum(c.picked for c in whole.cells)
    if tile < size(zipped_divide(a, (h, w)), 1):
        assert f": {count} cells" in draw_partition(a, (h, w), tile=tile, limit=4).note


def test_forms_are_named():
    with pytest.raises(LayoutError, match="form='zip': write one of 'logical', 'zipped', 'tiled', 'flat'"):
        draw_divide(Layout((4, 8)), (2, 4), "zip")


# ------------------------------------------------------------------------------------------------ products


@pytest.mark.parametrize("form", ["logical", "blocked", "raked"])
@given(layouts(size=12), layouts(size=12))
def test_each_copy_of_a_product_is_a_moved_by_one_start(form, a, b):
    assume(rank(a) == rank(b) or form == "logical")
    try:
        r = PRODUCTS[form](a, b)
    except LayoutError:
        assume(False)
    scene = draw_product(a, b, form, memory=False, limit=None)
    grid = scene.panel("grid")
    copies = {}
    for c in grid.cells:
        copies.setdefault(c.key, []).append(int(c.lines[0]))
    assert len(copies) == size(r) // size(a)
    own = sorted(a.offsets().tolist())
    starts = [logical_product(a, b)[1](k) for k in range(size(b))]
    for key, offsets in copies.items():
        start = starts[int(key.split()[1])]
        assert sorted(offsets) == [start + o for o in own], (key, form)


def test_order_of_copies():
    memory = draw_product(Layout((2, 2), (4, 1)), Layout((4, 2), (2, 1))).panel("memory")
    first = {c.key: int(c.lines[0]) for c in reversed(memory.cells)}
    assert [first[f"copy {k}"] for k in range(8)] == [0, 8, 16, 24, 2, 10, 18, 26]


def test_blocked_and_raked_side_by_side():
    scene = draw_products(Layout((2, 5), (5, 1)), Layout((3, 4), (1, 3)))
    blocked, raked = scene.panels[:2]
    assert [blocked.at(0, c).key for c in range(6)] == ["copy 0"] * 5 + ["copy 3"]
    assert [raked.at(0, c).key for c in range(6)] == ["copy 0", "copy 3", "copy 6", "copy 9", "copy 0", "copy 3"]


@pytest.mark.parametrize("form", ["zipped", "tiled", "flat"])
def test_products_by_mode(form):
    a, b = Layout((2, 2)), (Layout(3), Layout(2))
    scene = draw_product(a, b, form)
    assert scene.note == str(PRODUCTS[form](a, b))
    assert len({c.key for c in scene.panel("grid").cells}) == 6


@pytest.mark.parametrize("form", ["logical", "zipped", "tiled", "flat"])
def test_a_mode_that_the_tiler_leaves_alone_is_part_of_the_copy(form):
    a = Layout((2, 5, 3))
    grid = draw_product(a, (Layout(3, 5), Layout(4, 6)), form, pick=1, limit=None).panel("grid")
    assert len({c.key for c in grid.cells}) == 12
    assert {grid.at(*spot).key for spot in grid.picked()} == {"copy 1"}
    assert sorted(int(grid.at(*spot).lines[0]) for spot in grid.picked()) == sorted(10 + a(i) for i in range(30))


@pytest.mark.parametrize(
    ("a", "tiler"), [("(2,5):(5,1)", 4), ("(2,5):(1,2)", (_, 2)), ("((2,2),3):((1,2),4)", ((2, 2), 1))]
)
def test_a_product_by_what_is_no_layout(a, tiler):
    a = Layout.parse(a)
    r = logical_product(a, tiler)
    picked = draw_product(a, tiler, pick=0).panel("grid").picked()
    assert len(picked) == size(a)
    assert sorted(r((i, j)) for i, j in picked) == sorted(a.offsets().tolist())


# ------------------------------------------------------------------------------------------------ partitions


def test_inner_partition_is_one_tile_and_outer_one_place_of_each():
    a = Layout((8, 24), (24, 1))
    inner = draw_partition(a, (4, 8), tile=(1, 2))
    divided = zipped_divide(a, (4, 8))
    offsets = {int(inner.panel("A").at(*p).lines[0]) for p in inner.panel("A").picked()}
    assert offsets == {divided((k, (1, 2))) for k in range(32)}
    assert inner.note == "tile (1,2): 32 cells, shape (4,8)"
    outer = draw_partition(a, (4, 8), place=(1, 2))
    offsets = {int(outer.panel("A").at(*p).lines[0]) for p in outer.panel("A").picked()}
    assert offsets == {divided(((1, 2), k)) for k in range(6)}
    assert outer.note == "place (1,2) in every tile: 6 cells, shape (2,3)"
    with pytest.raises(LayoutError, match="give tile="):
        draw_partition(a, (4, 8))


@pytest.mark.parametrize("form", ["logical", "zipped", "tiled", "flat"])
@pytest.mark.parametrize("tiler", ["5:1", "4:1", "4:2", "3:1", "(2,2):(1,4)"])
@pytest.mark.parametrize("layout", ["(8,12):(12,1)", "24:1", "(4,2,3):(2,1,8)", "(9,4):(4,1)", "(6,(2,4)):(8,(4,1))"])
def test_every_cell_keeps_the_colour_of_its_tile(layout, tiler, form):
    """Law: an offset has one colour in A and in the divide, and the cells without hatching are A's, each once."""
    a = Layout.parse(layout)
    try:
        scene = draw_divide(a, Layout.parse(tiler), form, limit=None)
    except LayoutError:
        return  # no such divide
    colours = {cell.lines[0]: cell.key for cell in scene.panel("A").cells}
    cells = [cell for cell in scene.panel("divided").cells if not cell.hatch]
    assert len(cells) == size(a)
    assert all(colours[cell.lines[0]] == cell.key for cell in cells)


@pytest.mark.parametrize(
    ("layout", "tiler"),
    [
        ("(8,12):(1,8)", "12:1"),  # two modes that are one
        ("(6,8,(3,2)):(1,6,(48,144))", "(2,2):(2,1)"),  # all modes are one
        ("((4,8),6):((1,4),32)", "(6,3)"),  # one of its modes is two that are one
        ("((4,2),2):((13,1),1)", "(3)"),  # phantoms inside a nested mode
        ("(9,4):(4,1)", "4:2"),  # phantoms in one walk
    ],
)
def test_a_column_of_the_zipped_divide_is_a_tile(layout, tiler):
    """Law: mode 1 of a zipped divide counts the tiles, so a column has one colour; and it is A's own cell."""
    a = Layout.parse(layout)
    scene = draw_divide(a, parse_tiler(tiler), "zipped", limit=None)
    real = [cell for cell in scene.panel("divided").cells if not cell.hatch]
    assert {cell.key for cell in real} == {cell.key for cell in scene.panel("A").cells}
    assert all(cell.key == f"tile {cell.col}" for cell in real)
    assert len(real) == size(a)


def test_a_matrix_keeps_its_rows_where_one_walk_cuts_it():
    panel = draw_divide(Layout((8, 12), (12, 1)), Layout(16), pick=1).panel("A")
    assert sorted({col for _row, col in panel.picked()}) == [2, 3]
    assert (panel.rows, panel.cols) == (8, 12)
