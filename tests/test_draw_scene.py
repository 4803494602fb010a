"""Scenes as data: what they hold, what they say as text, and how several become one."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pictures import PICTURES

from cutelearn import (
    ComposedLayout,
    Layout,
    LayoutError,
    Swizzle,
    atom,
    copy_atom,
    make_tensor,
    make_tiled_copy,
    make_tiled_mma,
)
from cutelearn.draw import Scene, beside, bundle, draw_layout, draw_mma, draw_timeline, picture, stack
from cutelearn.draw.scene import At, Axis, Cell, Level, Panel, borders_between, outline

EVERY = pytest.mark.parametrize("name", PICTURES)


@EVERY
def test_every_cell_has_a_colour_for_its_key_and_every_arrow_two_ends(name):
    scene = PICTURES[name]()
    names = [p.name for p in scene.panels]
    assert len(names) == len(set(names))
    for panel in scene.panels:
        assert all(c.key is None or c.key in panel.fills for c in panel.cells)
        assert all(c.row >= 0 and c.row + c.rows <= panel.rows + 1e-6 for c in panel.cells)
        assert all(c.col >= 0 and c.col + c.cols <= panel.cols + 1e-6 for c in panel.cells)

    def arrows(s):
        yield from s.arrows
        for row in s.rows:
            for block in row:
                if isinstance(block, Scene):
                    yield from arrows(block)

    assert all(end.panel in names for a in arrows(scene) for end in (a.start, a.end))


@EVERY
def test_the_table_says_every_label(name):
    scene = PICTURES[name]()
    table = scene.table()
    words = set(table.split())
    for panel in scene.panels:
        assert panel.heading in table
        assert panel.aside in table
        for c in panel.cells:
            assert not c.lines or set(str(c).split()) <= words
        for axis in panel.axes:
            assert axis.name in table
    assert len(scene.table(short=True).splitlines()) <= len(table.splitlines())


def test_a_grid_as_text():
    scene = draw_layout(Layout((2, 3), (3, 1)), pick=(1, 2), note="by rows", bound=(2, 2))
    lines = scene.table().splitlines()
    assert lines[:2] == ["(2,3):(3,1)", "by rows"]
    assert lines[3] == "grid | i ↓ stride 3, j → stride 1"
    assert [line.split() for line in lines[4:7]] == [["0", "1", "2"], ["0", "0", "1", "/2/"], ["1", "3", "4", "[5]"]]
    assert "hatch: outside (2,2)" in scene.table()


def test_a_short_table_is_cut_and_says_so():
    short = draw_layout(Layout((32, 32)), memory=False).table(short=True).splitlines()
    assert short[-1] == "... 16 more rows"
    assert len(short) == 21
    assert short[4].split()[-1] == "..."


def test_keys_are_in_the_table_where_labels_do_not_say_them():
    assert "tile of each cell:" in PICTURES["divide"]().table()
    assert "tile of each cell:" not in PICTURES["divide"]().table(short=True)


def test_a_list_of_cells_for_time():
    lines = draw_timeline("sgemm_1", 1).table().splitlines()
    assert "gmem → smem 0..3: k0" in lines
    assert "barrier 3..3.3" in lines


def test_a_second_memory_is_called_memory_once():
    table = stack(draw_layout(Layout((2, 3))), draw_layout(Layout((2, 2)))).table()
    assert [line for line in table.splitlines() if "memory" in line] == ["memory", "memory"]


def test_missing_panels_and_cells_are_named():
    scene = draw_layout(Layout((2, 3)))
    with pytest.raises(LayoutError, match="no panel 'A'; it has 'grid', 'memory'"):
        scene.panel("A")
    with pytest.raises(LayoutError, match="no cell at row 2, column 0: it has 2 x 3"):
        scene.panel("grid").at(2, 0)


def test_repr_is_short():
    assert repr(draw_layout(Layout((2, 3)))) == "<Scene '(2,3):(1,2)': grid, memory; 12 cells>"


def test_axes_join_their_levels():
    axis = Axis("left", "i", (Level(((0, 1, "0"), (1, 1, "1"), (2, 1, "0"))), Level(((0, 2, "0"), (2, 1, "1")))))
    assert [axis.at(k) for k in range(4)] == ["(0,0)", "(1,0)", "(0,1)", ""]
    assert str(axis) == "i ↓"


# ------------------------------------------------------------------------------------------------ borders


@given(st.data())
def test_borders_part_exactly_the_groups(data):
    rows, cols = data.draw(st.integers(1, 5)), data.draw(st.integers(1, 5))
    groups = [[data.draw(st.integers(0, 2)) for _c in range(cols)] for _r in range(rows)]
    walls = set()
    for r, c, r2, c2 in borders_between(groups).lines:
        assert (r == r2) != (c == c2)
        walls |= {("up", k, c) for k in range(r, r2)} if c == c2 else {("across", r, k) for k in range(c, c2)}
    wanted = {("up", r, c) for r in range(rows) for c in range(1, cols) if groups[r][c - 1] != groups[r][c]}
    wanted |= {("across", r, c) for r in range(1, rows) for c in range(cols) if groups[r - 1][c] != groups[r][c]}
    assert walls == wanted


@given(st.sets(st.tuples(st.integers(0, 4), st.integers(0, 4))))
def test_an_outline_closes_round_its_cells(places):
    length = sum(abs(r2 - r) + abs(c2 - c) for r, c, r2, c2 in outline(places).lines)
    steps = ((0, 1), (1, 0), (0, -1), (-1, 0))
    assert length == sum((r + a, c + b) not in places for r, c in places for a, b in steps)


# ------------------------------------------------------------------------------------------------ several in one


def test_beside_and_stack_keep_names_apart():
    parts = [draw_layout(Layout((2, 3)), pick=(1, 1)) for _k in range(3)]
    for join in (beside, stack):
        both = join(*parts, title="three")
        assert [p.name for p in both.panels] == ["grid", "memory", "grid 2", "memory 2", "grid 3", "memory 3"]
        assert both.panel("grid 2").cells == parts[0].panel("grid").cells
        inner = both.rows[0][1] if join is beside else both.rows[1][0]
        assert inner.arrows[0].start == At("grid 2", 1, 1, "bottom")
        assert both.svg().count("stroke-dasharray") == 0
    assert beside(*parts).name == "(2,3):(1,2), (2,3):(1,2), (2,3):(1,2)"


# ------------------------------------------------------------------------------------------------ objects show themselves


def test_objects_show_their_picture_and_its_table():
    for x in (
        Layout((4, 8)),
        atom("SM80_8x8x4_F64F64F64F64_TN"),
        make_tensor(np.arange(6), (2, 3)),
        copy_atom("SM75_U32x4_LDSM_N", "half_t"),
    ):
        shown = bundle(x)
        assert shown["image/svg+xml"] == picture(x).svg()
        assert shown["text/plain"].splitlines()[0] == repr(x)
        assert len(shown["text/plain"].splitlines()) > 4
    scene = draw_mma(atom("SM80_8x8x4_F64F64F64F64_TN"))
    assert scene._repr_mimebundle_() == {"image/svg+xml": scene.svg(), "text/plain": scene.table(short=True)}


def test_objects_ask_for_it_themselves():
    a = Layout((4, 8), (8, 1))
    tiled = make_tiled_copy(copy_atom("UniversalCopy<uint128_t>", "float"), Layout((8, 4)), Layout((4, 1)))
    swizzled = ComposedLayout(Swizzle(2, 0, 3), 0, a)
    shown = (a, swizzled, make_tensor(np.arange(6), (2, 3)), tiled, tiled.atom, atom("SM80_8x8x4_F64F64F64F64_TN"))
    for x in (*shown, make_tiled_mma("SM80_8x8x4_F64F64F64F64_TN", Layout((2, 2, 1)))):
        assert x._repr_mimebundle_(include=None, exclude=None) == bundle(x)
        assert set(bundle(x)) == {"image/svg+xml", "text/plain"}
    assert a._repr_mimebundle_()["text/plain"].startswith("(4,8):(8,1)\n\ngrid | i ↓ stride 8, j → stride 1\n")


def test_a_large_object_is_a_summary():
    shown = bundle(Layout((4096, 4096)))
    assert len(shown["image/svg+xml"]) < 40_000
    assert "238 of 16777216 cells; limit=None draws all" in shown["text/plain"]
    tiled = make_tiled_mma("SM80_16x8x16_F32F16F16F32_TN", Layout((4, 2, 1)), (128, 128, 32))
    assert len(bundle(tiled)["image/svg+xml"]) < 250_000


def test_what_has_no_picture_says_so_or_shows_its_print():
    with pytest.raises(LayoutError, match="there is no picture of 3"):
        picture(3)
    assert bundle(3) == {"text/plain": "3"}


def test_panel_at_finds_by_place():
    panel = Panel("p", 1, 2, (Cell(0, 0, ("a",)), Cell(0, 1, ("b",), picked=True)))
    assert panel.at(0, 1).lines == ("b",)
    assert panel.picked() == [(0, 1)]
