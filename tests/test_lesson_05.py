"""Lesson 05: what its prose says, where no output shows it."""

import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cutelearn import (
    Layout,
    LayoutError,
    _,
    compatible,
    complement,
    composition,
    cosize,
    elem_less,
    flat_divide,
    idx2crd,
    local_tile,
    logical_divide,
    make_gmem_ptr,
    make_identity_layout,
    make_layout,
    make_tensor,
    parse_tiler,
    size,
    tiled_divide,
    zipped_divide,
)
from cutelearn.course.chapters import ch05, functions05
from cutelearn.course.exercises import exercises_of
from cutelearn.course.questions import question
from cutelearn.draw import draw_divide, draw_divides
from cutelearn.explore import DivideBench
from cutelearn.htuple import ceil_div, leaves, text

(LESSON,) = (Path(__file__).resolve().parent.parent / "notebooks").glob("05-*.ipynb")
CELLS = {
    cell["id"].removeprefix("05-complement-and-divide-"): cell
    for cell in json.loads(LESSON.read_text("utf-8"))["cells"]
}
PROSE = {name: " ".join("".join(c["source"]).split()) for name, c in CELLS.items() if c["cell_type"] == "markdown"}


def printed(name):
    return "".join("".join(o.get("text", "")) for o in CELLS[name]["outputs"])


def by_rule(a, cotarget):
    """The rule as the lesson states it, for strides that divide; modes of one copy left out."""
    modes, full = [], 1
    for d, s in sorted(zip(leaves(a.stride), leaves(a.shape), strict=True)):
        modes.append((d // full, full))
        full = s * d
    modes.append((-(-cotarget // full), full))
    kept = [(s, d) for s, d in modes if s > 1] or [(1, 0)]
    return make_layout(*(Layout(s, d) for s, d in kept)) if len(kept) > 1 else Layout(*kept[0])


# ------------------------------------------------------------------------------------------------ questions


def test_predictions_hold():
    starts, B = question("05.p1").answer, Layout(4, 2)
    assert sorted(n + B(m) for n in starts for m in range(4)) == list(range(24))
    assert str(question("05.p2").answer) == "(3,2):(2,12)"
    assert str(question("05.p3").answer) == "10:1"
    A = Layout((4, 2, 3), (2, 1, 8))
    assert question("05.p4").answer == [A(B(m)) for m in range(4)] == [0, 4, 1, 5]
    assert question("05.p5").answer == [24, 12]
    assert question("05.p6").answer == "((4,3),(2,4,5))"
    assert question("05.p6").form(((4, 3), (2, 4, 5))) == question("05.p6").form("((4, 3), (2, 4, 5))")
    assert question("05.p7").answer == [7 * r + 7 for r in range(4)] == [7, 14, 21, 28]


def test_slips_say_what_is_so():
    """What a sentence says of an answer is true of it."""
    assert [Layout((2, 3), (12, 2))(i) for i in range(6)] == [0, 12, 2, 14, 4, 16]
    assert sorted(Layout((2, 3), (12, 2))(i) for i in range(6)) == [0, 2, 4, 12, 14, 16]
    A = Layout((2, 2), (1, 6))
    assert [A(i) for i in range(4)] == [0, 1, 6, 7]
    assert [4 + A(i) for i in range(4)] == [4, 5, 10, 11]
    assert size(Layout((9, 32))) // 24 == 12


def test_quiz_holds():
    assert str(complement(Layout(4, 3), 24)) == "(3,2):(1,12)"
    said = PROSE["take-away"]
    assert "- a: `(3,2):(1,12)`" in said
    forms = (logical_divide, zipped_divide, tiled_divide, flat_divide)
    shapes = [text(form(Layout((16, 64)), (4, 8)).shape) for form in forms]
    assert shapes == ["((4,4),(8,8))", "((4,8),(4,8))", "((4,8),4,8)", "(4,8,4,8)"]
    for form in forms:
        assert f"`{form.__name__}`" in said
    A = Layout((6, 10), (10, 1))
    assert zipped_divide(A, (4, 4))((0, 3), (0, 2)) == 11 == A(1, 1)
    assert zipped_divide(make_identity_layout((6, 10)), (4, 4))((0, 3), (0, 2)) == (0, 11)


# ------------------------------------------------------------------------------------------------ complement


def test_the_rule_by_hand_is_the_library_s():
    for a, cotarget in (("4:2", 24), ("(2,2):(1,6)", 24), ("(2,2):(4,1)", 24), ("2:10", 4), ("4:1", 10), ("6:4", 24)):
        a = Layout.parse(a)
        assert [by_rule(a, cotarget)(i) for i in range(size(by_rule(a, cotarget)))] == [
            complement(a, cotarget)(i) for i in range(size(complement(a, cotarget)))
        ]
    for row in (
        "| `2:1` | 1 | 1 / 1 = 1",
        "| `2:6` | 2 | 6 / 2 = 3: the mode `3:2` | 2 · 6 = 12",
        "the mode `2:12` | 24",
    ):
        assert row in PROSE["reach"]


@given(st.randoms(use_true_random=False))
def test_the_tiling_case(rng):
    """`(A, A*)` meets each place below the cotarget once, and size(A) * size(A*) is the cotarget."""
    a, cotarget = functions05.tiling(rng)
    rest = complement(a, cotarget)
    both = make_layout(a, rest)
    assert sorted(both(i) for i in range(size(both))) == list(range(cotarget))
    assert size(a) * size(rest) == cotarget
    assert a(0) == rest(0) == 0


@given(st.integers(1, 6), st.integers(1, 12), st.integers(1, 60))
def test_the_cotarget_is_a_least(extent, stride, cotarget):
    a = Layout(extent, stride)
    assert cosize(make_layout(a, complement(a, cotarget))) >= cotarget


def test_no_bound_on_the_number_of_copies():
    """Erratum E07: the lesson calls it false."""
    assert size(complement(Layout(2, 10), 4)) == 10 > 4
    assert "tempting, and false" in PROSE["law"]
    assert "`4:1` in 10 takes three copies and reaches 12" in PROSE["law"]
    assert cosize(make_layout(Layout(4), complement(Layout(4), 10))) == 12


def test_what_the_law_cell_says():
    assert str(complement(Layout((2, 4), (0, 1)), 16)) == "4:4"
    third = [line for line in printed("reach-code").split("\n") if line][2]
    assert third.startswith("4:2 in 8: 2:1")
    runtime = Layout((2, 1), (1, 8))  # what C++ prints with run-time integers
    assert f"`{runtime}`" in PROSE["law"]
    assert [runtime(i) for i in range(2)] == [complement(Layout(4, 2), 8)(i) for i in range(2)]
    assert [Layout((4, 2), (1, 2))(i) for i in range(8)].count(2) == 2
    gaps = Layout((2, 2), (1, 3))
    assert [gaps(i) for i in range(4)] == [0, 1, 3, 4]
    silent = by_rule(gaps, 12)  # CuTe divides and drops the remainder
    assert f"CuTe answers `{silent}`" in PROSE["law"]
    met = {make_layout(gaps, silent)(i) for i in range(8)}
    assert sorted(set(range(12)) - met) == [2, 5, 8, 11]


# ------------------------------------------------------------------------------------------------ divide


def test_the_documentation_s_line():
    A, B = Layout((4, 2, 3), (2, 1, 8)), Layout(4, 2)
    assert composition(A, make_layout(B, complement(B, size(A)))) == logical_divide(A, B)
    assert complement(B, 24)(5) == 17
    assert A(17) == 18
    assert compatible(4, (2, 2))
    assert "composition(layout, make_layout(tiler, complement(tiler, size(layout))))" in PROSE["divide-said"]


def test_tile_1_of_the_matrix():
    A, tiler = Layout((9, (4, 8)), (59, (13, 1))), parse_tiler("<3:3,(2,4):(1,8)>")
    picked = draw_divide(A, tiler, "zipped", pick=1).panel("A").picked()
    assert sorted({row for row, col in picked}) == [1, 4, 7]
    assert sorted({col for row, col in picked}) == [0, 1, 8, 9, 16, 17, 24, 25]
    assert size(zipped_divide(A, tiler), 1) == 12
    assert "its rows are 1, 4 and 7" in PROSE["forms"]


def test_the_table_of_forms():
    """Each row of the table, with numbers in place of names."""
    A, tiler = Layout((6, 20)), (3, 5)
    names = {"TileM": 3, "TileN": 5, "RestM": 2, "RestN": 4}
    rows = re.findall(r"\| `(\w+_divide)` \| `(\S+)` \|", PROSE["forms"])
    forms = {f.__name__: f for f in (logical_divide, zipped_divide, tiled_divide, flat_divide)}
    assert [name for name, shape in rows] == list(forms)
    for name, shape in rows:
        assert text(forms[name](A, tiler).shape) == re.sub(r"\w+", lambda m: str(names[m[0]]), shape)


def test_the_small_picture():
    A = Layout((4, 6), (6, 1))
    assert zipped_divide(A, (2, 3))(0, (1, 1)) == 15
    assert "`R(0, (1,1))` is 15" in PROSE["trap"]
    scene = draw_divides(A, (2, 3))
    assert [c.lines[0] for c in scene.panel("logical").cells][:6] == ["0", "1", "2", "3", "4", "5"]
    assert [scene.panel("zipped").at(r, 3).lines[0] for r in range(6)] == ["15", "21", "16", "22", "17", "23"]


def test_one_walk_and_by_mode():
    M = Layout((6, 8))
    assert idx2crd(zipped_divide(M, Layout((2, 4)))(0, 1), (6, 8)) == (2, 1)
    assert idx2crd(zipped_divide(M, (2, 4))(0, 1), (6, 8)) == (2, 0)
    assert text(zipped_divide(M, (2, 4)).shape[1]) == "(3,2)"
    assert zipped_divide(M, Layout((2, 4))).shape[1] == 6


def test_the_bench_does_what_is_folded_under_it():
    A = Layout((8, 12), (12, 1))
    bench = DivideBench(str(A), "<4:2,4:1>", tile=1)
    assert sorted({row for row, col in bench.still().panel("A").picked()}) == [1, 3, 5, 7]
    walk = zipped_divide(A, Layout(16))
    assert sorted({walk(m, 1) % 12 for m in range(size(walk, 0))}) == [2, 3]
    assert size(walk, 0) == 2 * 8
    with pytest.raises(LayoutError, match="8 does not divide 12"):
        zipped_divide(A, Layout(12))
    ragged = zipped_divide(A, (4, 5))
    assert (size(ragged, 1), size(ragged, 0), size(ragged) - size(A)) == (6, 20, 24)
    logical = DivideBench(str(A), "(4,4)", form="logical").still().panel("divided")
    assert [logical.at(0, j).lines[0] for j in range(12)] == [str(j) for j in range(12)]
    assert re.findall(r"- the tiler `(\S+)`", PROSE["bench"]) == ["<4:2,4:1>", "16:1", "12:1", "(4,5)"]


# ------------------------------------------------------------------------------------------------ ragged tiles


def test_phantoms_and_the_test_of_the_offset():
    """9 of 26 pass, all in column 7; column-major, those in rows 10 and 11."""
    cells = zipped_divide(make_identity_layout((10, 7)), (4, 4))
    phantoms = [k for k in range(size(cells)) if not elem_less(cells(k), (10, 7))]
    passing = {}
    for stride in ((7, 1), (1, 10)):
        r = zipped_divide(Layout((10, 7), stride), (4, 4))
        passing[stride] = [cells(k) for k in phantoms if r(k) < 70]
    assert len(phantoms) == 26
    assert len(passing[7, 1]) == 9
    assert {column for row, column in passing[7, 1]} == {7}
    assert sorted(passing[1, 10]) == [(row, column) for row in (10, 11) for column in range(6)]
    assert "Of the 26 phantoms 9 pass, all in column 7." in PROSE["cutlass"]
    A = Layout((10, 7), (7, 1))
    assert [A(r + 1, 0) for r in range(4)] == [7, 14, 21, 28]  # "real cells lie there, one row further down"


def test_only_the_end_may_be_ragged():
    assert ceil_div(10, 4) == 3
    assert size(logical_divide(Layout(10), 4)) == 12
    A = Layout((12, (4, 8)), (7, (1, 30)))
    assert size(A) == 3 * 128
    with pytest.raises(LayoutError, match="12 does not divide 128"):
        zipped_divide(A, Layout(128))
    unchecked = Layout(((12, 4, 2), (1, 1, 3)), ((7, 1, 30), (896, 11, 90)))  # CuTe's, with run-time integers
    assert size(unchecked) == 288
    assert "288 cells, in silence" in PROSE["ragged"]


# ------------------------------------------------------------------------------------------------ in CUTLASS


def test_local_tile_is_this_divide_and_slice():
    mA = make_tensor(make_gmem_ptr(range(256 * 32)), Layout((256, 32), (1, 256)))
    gA = local_tile(mA, (128, 8), (1, _))
    assert str(gA.layout) == "(128,8,4):(1,256,2048)"
    assert gA[0] == 128
    assert "CTA 1 has (128,8,4):(1,256,2048) from 128" in printed("cutlass-code")


# ------------------------------------------------------------------------------------------------ exercises


def test_random_cases_are_many_and_of_all_kinds():
    fill, cut = functions05.layouts_to_fill(), functions05.layouts_to_divide()
    assert (len(fill), len(cut)) == (300, 250)
    assert fill == functions05.layouts_to_fill()
    unsorted = [a for a, n in fill if list(a.stride) != sorted(a.stride)]
    holes = [a for a, n in fill if cosize(a) != size(a)]
    assert min(len(unsorted), len(holes)) > 60
    assert sum(cosize(b) != size(b) for a, b in cut) > 120
    solution = "".join((LESSON.parent.parent / "solutions" / LESSON.name).read_text("utf-8"))
    assert "tries 300 layouts" in solution.replace('\\n",\n    "', " ")


def test_numbers_in_the_exercises():
    row, column = idx2crd(zipped_divide(Layout((12, 32)), Layout((4, 8)))(0, 1), (12, 32))
    assert (row, column) == (8, 2)
    assert (
        size(zipped_divide(Layout((12, 32)), Layout((4, 8))), 1)
        == 12
        == size(zipped_divide(Layout((12, 32)), (4, 8)), 1)
    )
    assert (ch05.EXIST5, ch05.PASS5) == (4, [50, 51])
    A = Layout((6, 10), (10, 1))
    assert [A(5, 0), A(5, 1)] == [50, 51]
    below = [cell[2] for cell in ch05.CELLS5 if cell[2] < 60]
    assert len(below) == 6
    assert sorted(below) == [48, 49, 50, 51, 58, 59]
    guard = Layout((10, 7), (7, 1))
    r = zipped_divide(guard, (4, 4))
    read = [r(k) for k in range(size(r)) if r(k) < 70]
    assert len(read) > 70
    assert max(read) == 69


@pytest.mark.parametrize(
    "tiler", [(4, 4), (8, 2), "(4,4)", "<4:2,4:3>", (Layout(4, 2), Layout(4, 3)), "<4:1,(2,2):(1,6)>", Layout(16)]
)
def test_every_tile_that_fits_is_right(tiler):
    assert ch05.OWN_TILE.judge(tiler) is None


@pytest.mark.parametrize(
    "tiler", [(4, 6), "(2,8)", (Layout(4, 0), 4), (4, Layout(4, -1)), (4, 4, 1), (10**9, 10**9), "x", None]
)
def test_no_other_is(tiler):
    assert ch05.OWN_TILE.judge(tiler) is not None


def test_shapes_may_be_tuples():
    right = {
        "logical": ((3, 2), (4, 5), 7),
        "zipped": "((3, 4), (2, 5, 7))",
        "tiled": ((3, 4), 2, 5, 7),
        "flat": (3, 4, 2, 5, 7),
    }
    one = exercises_of("05")["05.3"]
    assert one.judge(right) is None
    wrong = right | {"zipped": ((3, 4), (2, 5), 7)}
    assert any(w.like(wrong) and "The 7 is rest" in w.shows for w in one.wrong if w.like)
