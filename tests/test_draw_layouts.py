"""Pictures of one layout say what the layout is: cell by cell, against the layout itself."""

# ruff: noqa: RUF001 (pictures use the sign ×)

from itertools import pairwise
from xml.etree import ElementTree

import pytest
from hypothesis import given
from strategies import any_layouts, layouts

from cutelearn import (
    ComposedLayout,
    Layout,
    LayoutError,
    _,
    composition,
    cosize,
    idx2crd,
    make_identity_layout,
    parse_tiler,
    rank,
    size,
    slice_and_offset,
)
from cutelearn.draw import bundle, draw_layout, draw_mapping, draw_order, draw_range, draw_slice, palette
from cutelearn.draw.grids import axis, cut, formula
from cutelearn.draw.layouts import mapping_words, walk_of
from cutelearn.draw.place import text_width


@given(any_layouts())
def test_any_layout_shows_itself(a):
    shown = bundle(a)
    assert set(shown) == {"image/svg+xml", "text/plain"}
    ElementTree.fromstring(shown["image/svg+xml"])
    assert shown["text/plain"].startswith(str(a))


@pytest.mark.parametrize(
    "a", [Layout(()), Layout((1,)), Layout(((1, 1), 1)), Layout((2,) * 7), Layout((((2, 2), 2), ((3,), 2)))], ids=str
)
def test_layouts_of_odd_profiles(a):
    grid = draw_layout(a).panel("grid")
    assert sorted(int(c.lines[0]) for c in grid.cells) == list(range(size(a)))


def grid_of(scene):
    return {(c.row, c.col): c for c in scene.panel("grid").cells}


@given(layouts())
def test_every_cell_holds_its_offset_and_memory_the_colours_of_what_lives_there(a):
    scene = draw_layout(a)
    cells = grid_of(scene)
    m = 1 if rank(a) == 1 else size(a, 0)
    at = [divmod(i, 32) if rank(a) == 1 and size(a) > 32 else (i % m, i // m) for i in range(size(a))]
    assert len(cells) == size(a)
    for i in range(size(a)):
        assert cells[at[i]].lines == (str(a(i)),)
    names = [p.name for p in scene.panels]
    offsets = a.offsets().tolist()
    low, high = min(0, *offsets), max(offsets)
    assert ("memory" in names) == (high - low + 1 <= 256)
    if "memory" in names:
        memory = scene.panel("memory")
        colours = {}
        for i, o in enumerate(offsets):
            colours.setdefault(o, set()).add(cells[at[i]].key)
        for k, c in enumerate(memory.cells):
            assert c.key in colours.get(low + k, {None})
            assert (c.key is None) == (low + k not in colours)
        assert len(memory.cells) == high - low + 1
        assert memory.fills == scene.panel("grid").fills


def test_rows_and_columns():
    by_row = grid_of(draw_layout(Layout((4, 8))))
    by_column = grid_of(draw_layout(Layout((4, 8)), color="column"))
    assert all(c.key == f"row {r}" for (r, _c), c in by_row.items())
    assert all(c.key == f"column {col}" for (_r, col), c in by_column.items())
    fills = draw_layout(Layout((4, 8))).panel("grid").fills
    assert fills == {f"row {k}": palette.tile(k) for k in range(4)}


def test_colour_by_bank_offset_mode_tile_and_function():
    a = Layout((8, 32), (33, 1))
    assert all(c.key == f"bank {a(*at) % 32}" for at, c in grid_of(draw_layout(a, color="bank")).items())
    assert all(c.key == f"bank {a(*at) // 2 % 32}" for at, c in grid_of(draw_layout(a, color="bank", bits=16)).items())
    nested = Layout(((2, 2), (2, 4)))
    assert all(c.key == str(at[1] % 2) for at, c in grid_of(draw_layout(nested, color=(1, 0))).items())
    assert all(c.key == str(at[1]) for at, c in grid_of(draw_layout(nested, color=1)).items())
    tiled = draw_layout(Layout((4, 8)), color="tile", tiles=(2, 4))
    assert all(c.key == f"tile ({at[0] // 2},{at[1] // 4})" for at, c in grid_of(tiled).items())
    assert {e.words for e in tiled.rows[-1][0].entries} == {"(0,0)", "(0,1)", "(1,0)", "(1,1)", "tile of 2×4"}
    even = draw_layout(Layout((4, 8)), color=lambda c, o: "#ff0000" if o % 2 else None)
    assert {c.key for c in even.panel("grid").cells} == {"#ff0000", None}
    assert even.panel("grid").fills == {"#ff0000": "#ff0000"}
    darker = draw_layout(Layout(16), color="offset").panel("grid")
    assert [darker.fills[c.key] for c in darker.cells] == [palette.ramp(k / 15) for k in range(16)]


def test_what_stands_in_a_cell():
    a = Layout((2, (2, 2)), (4, (1, 2)))
    at = (1, 3)
    words = {
        how: draw_layout(a, cell=how).panel("grid").at(*at).lines for how in ("offset", "index", "coord", "both", None)
    }
    assert words == {"offset": ("7",), "index": ("7",), "coord": ("(1,(1,1))",), "both": ("7", "(1,(1,1))"), None: ()}
    own = draw_layout(a, cell=lambda c, o: (o + 1, "x")).panel("grid").at(*at).lines
    assert own == ("8", "x")


def test_axes():
    a = Layout(((2, 4), (3, 5)))
    nested = draw_layout(a, axes="nested").panel("grid")
    assert nested.at(7, 14).lines == ("119",)
    assert nested.axis("left").at(7) == "(1,3)"
    assert nested.axis("top").at(14) == "(2,4)"
    assert [level.tone for level in nested.axis("top").levels] == ["inside", "block"]
    flat = draw_layout(Layout((4, 8)), axes="1d").panel("grid")
    assert all(
        int(flat.axis("left").at(i)) + int(flat.axis("top").at(j)) == i + 4 * j for i in range(4) for j in range(8)
    )
    assert (flat.axis("left").name, flat.axis("left").note) == ("i", "stride 1")
    with pytest.raises(LayoutError, match="write '1d', '2d' or 'nested'"):
        draw_layout(Layout((4, 8)), axes="3d")


@given(layouts())
def test_nested_axes_name_the_natural_coordinate(a):
    if rank(a) == 2:
        grid = draw_layout(a, axes="nested").panel("grid")
        for j in range(size(a, 1)):
            natural = idx2crd(j, a.shape[1])
            flat = str(natural).replace(" ", "").replace(",)", ")").replace("(", "").replace(")", "")
            assert grid.axis("top").at(j).strip("()") == flat


def test_the_legend_says_what_the_colours_of_nested_digits_mean():
    nested = draw_layout(Layout(((2, 4), (3, 5))), axes="nested")
    assert "inside: the digit that turns fastest, block: slowest" in nested.table()
    assert "turns fastest" not in draw_layout(Layout(((2, 4), (3, 5)))).table()  # plain numbers have no such colours
    assert "turns fastest" not in draw_layout(Layout((4, 8)), axes="nested").table()


def test_nested_modes_draw_their_tiles():
    grid = draw_layout(Layout(((2, 2, 2), (2, 2, 2)))).panel("grid")
    assert [(b.level, b.label) for b in grid.borders] == [(1, "2×2"), (2, "4×4")]
    assert (0, 4, 8, 4) in grid.borders[1].lines
    assert {line[1] for line in grid.borders[0].lines if line[1] == line[3]} == {2, 4, 6}


def test_a_pick_is_heavy_in_grid_and_memory_with_its_formula():
    scene = draw_layout(Layout((4, 8), (8, 1)), pick=[(2, 3), 0])
    assert scene.panel("grid").picked() == [(0, 0), (2, 3)]
    assert scene.panel("memory").picked() == [(0, 0), (0, 19)]
    assert "(2,3) → 2·8 + 3·1 = 19" in [label.words for label in scene.panel("memory").labels]
    # from the foot of the column, so that no arrow runs over a number
    assert [(a.start.row, a.start.col, a.end.col) for a in scene.arrows] == [(3, 3, 19), (3, 0, 0)]
    with pytest.raises(LayoutError, match="outside of"):
        draw_layout(Layout((4, 8)), pick=(0, 8))


@pytest.mark.parametrize("pick", [(0, 0), (2, 3), (3, 7)])
def test_the_formula_stands_under_the_memory_and_inside_its_ends(pick):
    memory = draw_layout(Layout((4, 8), (8, 1)), pick=pick).panel("memory")
    label = next(label for label in memory.labels if "→" in label.words)
    half, w = text_width(label.words, label.size) / 2, memory.cell[0]
    assert label.row > memory.rows
    assert label.col * w - half + 1e-6 >= 0
    assert label.col * w + half <= memory.cols * w + 1e-6


def test_formulas():
    assert formula(Layout((3, (2, 3)), (3, (12, 1))), (1, 5)) == "(1,(1,2)) → 1·3 + 1·12 + 2·1 = 17"
    assert formula(Layout((3, 4), (1, -3)), (2, 3)) == "(2,3) → 2·1 + 3·(-3) = -7"
    assert formula(ComposedLayout.parse("Sw<3,3,3> o 0 o (8,64):(64,1)"), (1, 8)) == "(1,8) → Sw<3,3,3>(72) = 64"
    assert formula(make_identity_layout((4, 2)), (3, 1)) == "(3,1) → (3,1)"


def test_out_of_range_is_hatched_and_has_no_colour():
    cells = grid_of(draw_layout(Layout((6, 10)), bound=(5, 9)))
    assert all(c.hatch == (r >= 5 or col >= 9) == (c.key is None) for (r, col), c in cells.items())
    one = draw_layout(Layout(8), bound=6).panel("grid")
    assert [c.hatch for c in one.cells] == [False] * 8  # a bound of rank 1 is on mode 0, which a strip has across


def test_large_layouts_are_cut_with_the_last_ones_shown():
    scene = draw_layout(Layout((256, 256)))
    grid = scene.panel("grid")
    assert (grid.rows, grid.cols) == (15, 18)
    assert grid.at(14, 17).lines == ("65535",)
    assert grid.axis("left").at(13) == "254"
    assert "limit=None draws all" in scene.note
    assert len(draw_layout(Layout((80, 60)), limit=None).panel("grid").cells) == 4800


def test_large_layouts_show_what_is_picked():
    grid = draw_layout(Layout((256, 256)), pick=[(100, 200), (101, 3)]).panel("grid")
    assert sorted(grid.at(*p).lines for p in grid.picked()) == [(str(100 + 200 * 256),), (str(101 + 3 * 256),)]


def test_long_strips_are_folded():
    scene = draw_layout(Layout(100, 2), pick=77)
    grid = scene.panel("grid")
    assert (grid.rows, grid.cols) == (4, 32)
    assert grid.picked() == [(2, 13)]
    assert grid.at(2, 13).lines == ("154",)
    assert [grid.axis("left").at(r) for r in range(4)] == ["0", "32", "64", "96"]
    assert scene.panel("memory").picked() == [(4, 26)]
    assert scene.arrows == ()  # no arrow over the lines of memory above
    assert "77 → 77·2 = 154" in scene.table()


def test_cut():
    assert cut(5, 5) == [0, 1, 2, 3, 4]
    for n in range(20, 200, 17):
        for keep in ((), (11,), (3, n - 1)):
            shown = cut(n, 12, keep)
            places = [p for p in shown if p is not None]
            assert places == sorted(set(places))
            assert {0, n - 2, n - 1, *keep} <= set(places)
            assert all((a is None) != (b is None) or b == a + 1 for a, b in pairwise(shown))


def test_identity_layouts_show_coordinates_and_no_memory():
    scene = draw_layout(make_identity_layout((4, (2, 3))))
    assert scene.panel("grid").at(3, 5).lines == ("(3,(1,2))",)
    assert [p.name for p in scene.panels] == ["grid"]


def test_swizzled_layouts():
    a = ComposedLayout.parse("Sw<2,0,3> o 0 o (8,8):(8,1)")
    cells = grid_of(draw_layout(a))
    assert all(c.lines == (str(a(*at)),) for at, c in cells.items())


def test_bad_options_are_named():
    with pytest.raises(LayoutError, match="color='hue'"):
        draw_layout(Layout((4, 8)), color="hue")
    with pytest.raises(LayoutError, match="cell='x'"):
        draw_layout(Layout((4, 8)), cell="x")
    with pytest.raises(LayoutError, match="give a Layout"):
        draw_layout((4, 8))


# ------------------------------------------------------------------------------------------------ slices and orders


@pytest.mark.parametrize("coord", [(_, 5), ((_, _), 5), ((_, 1), (_, 0, 1)), (2, _), ((1, _), (_, _, 1))])
def test_a_slice_colours_its_cells(coord):
    a = Layout(((3, 2), (2, 5, 2)), ((4, 1), (2, 13, 100)))
    scene = draw_slice(a, coord)
    kept, offset = slice_and_offset(coord, a)
    shown = sorted(int(c.lines[0]) for c in scene.panel("grid").cells if c.key)
    assert shown == sorted(offset + kept(k) for k in range(size(kept)))
    assert scene.note == f"{kept}, offset {offset}"
    assert all(c.faint for c in scene.panel("grid").cells if not c.key)
    with pytest.raises(LayoutError, match="keeps no mode"):
        draw_slice(a, (1, 5))


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (Layout((4, 6), (6, 1)), Layout((3, 3), (8, 1))),
        (Layout((12, (4, 8)), (59, (13, 1))), parse_tiler("<3:4,8:2>")),
        (Layout((8, 8), (8, 1)), (2, 4)),
        (Layout(12), Layout(4, 3)),
    ],
)
def test_an_order_numbers_the_cells_as_composition_walks_them(a, b):
    r = composition(a, b)
    numbered = {int(c.lines[0]): int(c.lines[1]) for c in draw_order(a, b).panel("grid").cells if c.key}
    assert numbered == {k: r(k) for k in range(size(r))}
    assert [a(c) for c in walk_of(a, b)] == [r(k) for k in range(size(r))]


def test_an_order_says_what_reaches_beyond():
    assert draw_order(Layout(8), Layout(5, 2)).note == "5 cells in order; 1 beyond size 8"


# ------------------------------------------------------------------------------------------------ the map


@given(layouts(size=24))
def test_mapping_words_are_true(a):
    offsets = a.offsets().tolist()
    words = mapping_words(offsets)
    once = len(set(offsets)) == len(offsets)
    onto = set(range(max(offsets) + 1)) <= set(offsets)
    assert words.startswith("bijective") == (once and onto)
    assert ("not injective" in words) == (not once)
    assert ("not onto" in words) == (not onto)


def test_mapping():
    scene = draw_mapping(Layout((2, 2), (1, 1)))
    assert scene.note == "not injective: 1 and 2 meet at 1; onto"
    assert [c.key for c in scene.panel("offset").cells] == ["met", "met twice", "met"]
    assert [(a.start.col, a.end.col) for a in scene.arrows] == [(0, 0), (1, 1), (2, 1), (3, 2)]
    with pytest.raises(LayoutError, match="more than 48 arrows"):
        draw_mapping(Layout(100))


def test_range_against_domain():
    gap, exact, overflow = (draw_range(Layout(8, 2), b) for b in (Layout(4, 2), Layout(8), Layout(5, 2)))
    assert gap.note == "gap: B meets 4 of the 8 coordinates of A"
    assert exact.note == "exact: B meets all 8 coordinates of A"
    assert overflow.note == "overflow: B reaches 8, A ends at 7; the last mode of A goes on"
    last = overflow.panel("coordinate").cells[-1]
    assert (last.lines, last.hatch, last.key) == (("8",), True, None)
    assert [c.lines[0] for c in overflow.panel("address").cells] == [str(2 * k) for k in range(9)]
    assert cosize(Layout(8, 2)) == 15


def test_an_axis_of_steps():
    assert [t[2] for t in axis("top", "j", 3, "1d", weight=4).levels[0].ticks] == ["0", "4", "8"]


def test_words_that_a_function_gives_are_a_legend_by_themselves():
    layout = Layout((2, 3))
    words = draw_layout(layout, color=lambda _coord, offset: "read" if offset < 3 else None, memory=False)
    numbers = draw_layout(layout, color=lambda _coord, offset: offset % 2, memory=False)
    assert words.table().splitlines()[-1] == "read"
    assert numbers.table().splitlines()[-2:] == ["colour", "0, 1"]
