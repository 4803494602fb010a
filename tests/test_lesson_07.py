"""Lesson 07: what its prose and its answers say, where no output shows it."""

import json
import re
from pathlib import Path

import numpy as np
import pytest

from cutelearn import (
    Layout,
    LayoutError,
    _,
    copy,
    cosize,
    elem_less,
    gemm,
    idx2crd,
    make_gmem_ptr,
    make_identity_tensor,
    make_smem_ptr,
    make_tensor,
    make_tensor_like,
    parse_tuple,
    rank,
    size,
    slice_and_offset,
    zipped_divide,
)
from cutelearn.course.chapters.ch07 import OWNED, V3
from cutelearn.course.exercises import exercises_of, verdict
from cutelearn.course.questions import question
from cutelearn.explore import LayoutBench

(LESSON,) = (Path(__file__).resolve().parent.parent / "notebooks").glob("07-*.ipynb")
CELLS = json.loads(LESSON.read_text("utf-8"))["cells"]
PROSE = {
    cell["id"].removeprefix("07-tensors-"): " ".join("".join(cell["source"]).split())
    for cell in CELLS
    if cell["cell_type"] == "markdown"
}
NESTED = Layout(((3, 2), (2, 5, 2)))


def tensor(layout):
    layout = Layout.parse(layout)
    return make_tensor(np.arange(100, 100 + cosize(layout)), layout)


def test_predictions_hold():
    assert make_tensor_like(tensor("(4,8):(32,2)")).layout == question("07.p1").answer == Layout((4, 8), (8, 1))
    assert make_tensor(np.zeros(size(NESTED)), NESTED)[_, 5].offset == question("07.p2").answer == 30
    dst = make_tensor(int, (4, 2))
    copy(make_tensor(np.arange(8), (2, 4)), dst)
    assert dst[0, 1] == question("07.p3").answer == 4
    last = zipped_divide(make_identity_tensor((41, 55)), (4, 8))[_, (10, 6)]
    assert sum(map(elem_less(last, (41, 55)), range(32))) == question("07.p4").answer == 7
    assert "A is (2,3), B is (2,5), C is (2,3,5)" in PROSE["gemm"]
    c = make_tensor(int, (2, 3, 5))
    gemm(make_tensor(np.arange(6), (2, 3)), make_tensor(np.arange(10), (2, 5)), c)
    assert c[1, 2, 4] == 5 * 9
    assert question("07.p5").answer == 4
    assert "| 4 | (V,M) × (V,N) → (V,M,N) |" in PROSE["gemm"]  # noqa: RUF001


def test_what_wrong_predictions_are_told():
    assert cosize(Layout((4, 8), (32, 2))) == 3 * 32 + 7 * 2 + 1 == 111
    assert NESTED(5, 5) == 35
    told = {slip.answer: slip.shows for slip in question("07.p4").slips}
    cells = zipped_divide(make_identity_tensor((41, 55)), (4, 8))[_, (10, 6)]
    assert 32 - sum(map(elem_less(cells, (41, 55)), range(32))) == 25
    assert "phantom" in told[25]
    assert sum(c[1] < 55 for c in cells) == 28
    assert "columns are right" in told[28]


def test_quiz_holds():
    t = tensor("(4,(2,3)):(1,(4,8))")
    kept, start = slice_and_offset((1, (_, 2)), t.layout)
    assert (str(kept), start) == ("(2):(4)", 17)
    assert str(t[1, _].layout) == "((2,3)):((4,8))"
    like = make_tensor_like(tensor("(8,8):(1,100)"))
    assert like.layout == Layout((8, 8), (1, 8))
    assert not like.engine.any()
    assert cosize(Layout((8, 8), (1, 100))) == 708
    with pytest.raises(LayoutError, match="B is"):
        gemm(make_tensor(float, (16, 8)), make_tensor(float, (8, 32)), make_tensor(float, (16, 32)))
    gemm(make_tensor(float, (16, 8)), make_tensor(float, (32, 8)), make_tensor(float, (16, 32)))


def test_a_coordinate_is_what_it_is_for_the_layout():
    t = tensor("(4,8):(9,1)")
    assert "`t(14)` is `t(2,3)`, since 14 = 2 + 3 · 4" in PROSE["say"]
    assert t(14) == t(2, 3)


def test_a_slice_moves_the_start_and_keeps_modes():
    """The law of the prose: 0 where `_` stands gives the start; the underscores are the rank."""
    assert "A(2,0) = 18 and A(0,5) = 5" in PROSE["nested"]
    a = Layout((4, 8), (9, 1))
    assert (a(2, 0), a(0, 5)) == (18, 5)
    assert idx2crd(5, (2, 5, 2)) == (1, 2, 0)
    assert "5 has the digits `(1,2,0)`: 1 · 6 + 2 · 12 = 30" in PROSE["bench"]
    for words in ("(_,5)", "((_,_),5)", "(1,_)", "((1,_),_)", "(_,(0,_,1))", "((2,1),(_,_,1))", "(_,_)"):
        kept, start = slice_and_offset(parse_tuple(words), NESTED)
        assert rank(kept) == words.count("_")
        assert start == NESTED(parse_tuple(words.replace("_", "0")))


def test_the_bench_does_what_is_folded_under_it():
    bench = LayoutBench(str(NESTED), slice="(_,5)")
    tries = re.findall(r"`(\(\S+\))`", PROSE["bench"].partition("Say before you look")[2].partition("<details>")[0])
    assert tries == ["((_,_),5)", "(1,_)", "((1,_),_)", "(_,(1,_,0))", "(_,_)"]

    def coloured(coord):
        grid = bench.change("slice", coord).scene.panel("grid")
        return {(c.row, c.col) for c in grid.cells if c.key}

    def note(coord):
        return bench.change("slice", coord).scene.note

    assert coloured("(_,5)") == coloured("((_,_),5)")
    assert note("(_,5)").startswith("((3,2)):((1,3))")
    assert note("((_,_),5)").startswith("(3,2):(1,3)")
    assert {r for r, c in coloured("(1,_)")} == {1}
    assert {r for r, c in coloured("((1,_),_)")} == {1, 4}
    assert {c for r, c in coloured("(_,(1,_,0))")} == {1, 3, 5, 7, 9}
    assert note("(_,_)") == f"{NESTED}, offset 0"


def test_only_the_tiles_of_the_lower_edge_leave_the_memory():
    a = make_tensor(np.arange(41 * 55), Layout((41, 55), (55, 1)))
    tiles, part = zipped_divide(a, (4, 8)), make_tensor(int, (4, 8))
    assert "Only the tiles at the lower edge reach past its end" in PROSE["gemm"]
    for m in range(11):
        for n in range(7):
            if m < 10:
                copy(tiles[_, (m, n)], part)
            else:
                with pytest.raises(IndexError):
                    copy(tiles[_, (m, n)], part)
    assert a.layout(1, 0) == a.layout(0, 55) == 55


def test_an_owner_in_place_of_an_array_in_shared_memory():
    assert "128 · 8 = 1024 floats" in PROSE["take-away"]
    assert cosize(Layout((128, 8))) == 1024


def test_gemm_wants_its_places():
    a, b = make_tensor(np.ones(6), (3, 2)), make_tensor(np.ones(8), (4, 2))
    for place in (make_gmem_ptr, make_smem_ptr):
        with pytest.raises(LayoutError, match="registers"):
            gemm(a, b, make_tensor(place(np.zeros(12)), (3, 4)))


# ------------------------------------------------------------------------------------------------ exercises


def test_owned_memory_is_what_the_library_allocates():
    v = make_tensor(np.zeros(100, np.float32), V3)
    assert OWNED[2] == make_tensor(np.float32, V3).engine.size
    assert OWNED[3] == make_tensor_like(v).engine.size
    assert OWNED[5] == make_tensor_like(v[_, 2]).engine.size
    assert v[_, 2].engine is v.engine
    assert OWNED[1] == OWNED[4] == 0


def test_the_story_of_the_lost_element():
    result = Layout((16, 16), (16, 1))
    assert result(0, 31) == result(1, 15) == 31 < 256


@pytest.mark.parametrize(
    ("exercise_id", "value"),
    [
        ("07.2", {1: [1, 8], 2: (2, 8), 3: (2, 24), 4: (2, 6), 5: (4, 48)}),
        ("07.4", lambda A, start, i: start + np.array([A(i, j) for j in range(size(A, 1))])),
        ("07.4", lambda A, start, i: make_tensor(range(9999), A).layout and [start + A(i, j) for j in range(size(A, 1))]),
        ("07.6", lambda A, coord: [str(slice_and_offset(tuple(_ if c is None else c for c in coord), A)[0]),
                                   slice_and_offset(tuple(_ if c is None else c for c in coord), A)[1]]),
        ("07.7", lambda shape, tile, which: [int(which[0] * tile[0] + i < shape[0] and which[1] * tile[1] + j < shape[1])
                                             for j in range(tile[1]) for i in range(tile[0])]),
        ("07.9", "((4,2),8):((8,40),1)"),
        ("07.9", "(8,(4,2)):(10,(1,4))"),
    ],
)  # fmt: skip
def test_another_spelling_is_as_good(exercise_id, value):
    assert str(verdict(exercises_of("07")[exercise_id], value)) == f"{exercise_id} · done"


@pytest.mark.parametrize(
    ("exercise_id", "value", "sentence"),
    [
        ("07.1", {1: 13, 2: 28, 3: 20, 4: "27"}, "entry 4: '27' is not a number of elements"),
        ("07.2", {1: 1, 2: 1, 3: 1, 4: 1, 5: 1}, "1 is not a pair of numbers. Write (rank, elements)"),
        ("07.6", lambda A, coord: A, "is not a pair. Return the layout and the start"),
        ("07.7", lambda shape, tile, which: 1, "1 is not a list of True and False"),
        ("07.7", lambda shape, tile, which: ["yes"] * tile[0] * tile[1], "'yes' is neither True nor False"),
        ("07.7", lambda shape, tile, which: [[True] * tile[1]] * tile[0], "and your list has 4 entries"),
        ("07.8", {1: 1, 2: 2, 3: 3, 4: 6, 5: 4, 6: 5}, "6 is no form. Write a number from 1 to 5, or None"),
        ("07.9", "64:1", "64:1 is no tile of 8 x 8: its shape is 64"),
        ("07.9", "(8,8):(9,0)", "lie in one place, 0"),
    ],
)
def test_sentences(exercise_id, value, sentence):
    assert sentence in " ".join(str(verdict(exercises_of("07")[exercise_id], value)).split())
