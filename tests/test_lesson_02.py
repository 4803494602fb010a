"""Chapter 02: what its prose and its tables say, where no output shows it; and right answers in other words."""

import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cutelearn import Layout, compatible, cosize, idx2crd, parse_tuple, rank, size, slice_and_offset
from cutelearn.course.chapters import ch02
from cutelearn.course.exercises import DONE, NOT_YET, exercises_of, verdict
from cutelearn.course.questions import question
from cutelearn.explore import LayoutBench

ROOT = Path(__file__).resolve().parent.parent


def prose(path):
    """name -> text of a markdown cell."""
    cells = json.loads((ROOT / path).read_text("utf-8"))["cells"]
    return {c["id"].removeprefix("02-layouts-"): "".join(c["source"]) for c in cells if c["cell_type"] == "markdown"}


LESSON, TASKS = prose("notebooks/02-layouts.ipynb"), prose("solutions/02-layouts.ipynb")
EXERCISES = exercises_of("02")


def table_of(text):
    """The rows of numbers in a text block."""
    block = re.search(r"```text\n(.*?)```", text, flags=re.S)[1]
    return [list(map(int, line.split())) for line in block.strip("\n").split("\n")]


def offsets(layout, rows, columns):
    return [[layout(r, c) for c in range(columns)] for r in range(rows)]


# ------------------------------------------------------------------------------------------------ the lesson


def test_the_first_table_is_the_first_answer():
    assert table_of(LESSON["need"]) == offsets(question("02.p1").answer, 4, 8)


def test_predictions_hold():
    z = Layout(((2, 2, 2), (2, 2, 2)), ((1, 16, 4), (8, 2, 32)))
    assert question("02.p2").answer == [z(i, 0) for i in range(8)]
    assert question("02.p3").answer == Layout((4, 8), (9, 1))(3, 7) + 1 == 35
    kept, _offset = slice_and_offset(parse_tuple("(_,5)"), Layout(((3, 2), (2, 5, 2))))
    assert question("02.p4").answer == rank(kept)
    fits = [compatible((4, 6), other) for other in (24, ((2, 2), (3, 2)), (6, 4))]
    assert "abc"[fits.index(True)] == question("02.p5").answer
    assert fits.count(True) == 1
    assert question("02.p6").answer == 127 + 7 * 129 + 1


def test_quiz_holds():
    end = LESSON["take-away"]
    first, second, third = (re.findall(r"`(.+?)`", part) for part in re.split(r"Question \d\.", end)[1:])
    wanted = [0, 4, 2, 6, 1, 5, 3, 7]
    assert [Layout.parse(x).offsets().tolist() == wanted for x in first] == [False, True, False]
    maps = [sorted(Layout.parse(x).offsets().tolist()) for x in second]
    injective = [len(set(m)) == 32 for m in maps]
    onto = [set(m) == set(range(max(m) + 1)) for m in maps]
    assert [i and not o for i, o in zip(injective, onto, strict=True)] == [False, False, False, True]
    kept, start = slice_and_offset(parse_tuple("(_,2)"), Layout.parse(third[0].removeprefix("A = ")))
    assert (rank(kept), str(kept), start) == (1, "((2,3)):((1,8))", 4)


def test_the_bench_does_what_is_folded_under_it():
    tries = re.findall(r"^- (.*)", LESSON["one-way"], flags=re.M)
    layouts = [re.findall(r"`(\(.*?:.*?)`", line) for line in tries]
    assert layouts == [["(4,8):(1,4)", "(4,8):(8,1)"], ["(16,4):(32,1)", "(16,4):(33,1)"], ["(4,8):(1,3)"],
                       ["((2,2),(4,2)):((1,2),(4,16))"]]  # fmt: skip
    for text in (text for some in layouts for text in some):
        assert LayoutBench(text).shown.scene is not None
    banks = [{Layout.parse(text)(i, 0) % 32 for i in range(16)} for text in layouts[1]]
    assert list(map(len, banks)) == [1, 16]
    x = Layout((4, 8), (1, 3))
    first = next(i for i in range(32) if x(i) in [x(j) for j in range(i)])
    assert (idx2crd(first, (4, 8)), x(first), x(3, 0)) == ((0, 1), 3, 3)
    assert all(len(set(Layout((4, 8), (1, d)).offsets().tolist())) == 32 for d in (4, 5, 9))
    kept, _start = slice_and_offset(parse_tuple("(_,3)"), Layout.parse(layouts[3][0]))
    assert (size(kept), str(kept)) == (4, "((2,2)):((1,2))")


def test_what_is_said_of_padding():
    x = Layout((128, 8), (1, 129))
    assert cosize(x) - size(x) == sum(offset >= size(x) for offset in x.offsets().tolist()) == 7
    assert 128 not in x.offsets().tolist()


# ------------------------------------------------------------------------------------------------ the exercises


def test_tasks_say_what_is_judged():
    assert table_of(TASKS["ex1"]) == offsets(ch02.BLOCKS, 4, 4)
    assert f"`{ch02.NESTED}`" in TASKS["ex2"]
    assert set(re.findall(r'^- `"(\w+)"`', TASKS["ex3"], flags=re.M)) == set(ch02.VIEWS)
    assert dict(re.findall(r"^\| (\d) \| `(.+?)` \|$", TASKS["ex4"], flags=re.M)) == {
        str(n): text for n, text in ch02.MEMORY.items()
    }
    pairs = re.findall(r"^\| (\d) \| `(.+?)` \| `(.+?)` \|$", TASKS["ex5"], flags=re.M)
    assert {int(n): (s, t) for n, s, t in pairs} == ch02.SHAPES
    assert str(ch02.A6) in TASKS["ex6"]
    assert dict(re.findall(r"^\| (\d) \| `(.+?)` \|$", TASKS["ex6"], flags=re.M)) == {
        str(n): coord for n, coord in ch02.SLICES.items()
    }


def test_the_colleague_is_right_for_compact_tiles_and_wrong_for_the_pair():
    source = re.search(r"```python\n(.*?)```", TASKS["ex7"], flags=re.S)[1]
    names = {}
    exec(source, names)
    colleague = names["floats_needed"]
    for stride in ((1, 4), (8, 1)):
        assert colleague(Layout((4, 8), stride)) == cosize(Layout((4, 8), stride)) == 32
    assert colleague(Layout((2, 4), (2, 4))) == 16 == cosize(Layout((2, 4), (2, 4))) + 1
    assert colleague(Layout((4, 8), (8, 9))) < cosize(Layout((4, 8), (8, 9)))
    assert str(verdict(EXERCISES["02.7"], colleague)).startswith("02.7 · not yet")


@pytest.mark.parametrize(
    ("exercise_id", "value"),
    [
        ("02.1", Layout(((2, 2), (2, 2)), ((2, 8), (1, 4)))),
        ("02.1", "Layout<Shape<Shape<_2,_2>,Shape<_2,_2>>,Stride<Stride<_2,_8>,Stride<_1,_4>>>"),
        ("02.2", (2, 6, 3, 7, 18, 22, 19, 23)),
        ("02.3", {k: Layout.parse(v) for k, v in ch02.VIEWS.items()}),
        ("02.3", ch02.VIEWS | {"column": "((2,2),8):((1,2),4)"}),
        ("02.5", {1: "Yes", 2: "no", 3: " yes", 4: "NO", 5: "no", 6: "no"}),
        ("02.6", {1: ["(2,4):(1,2)", 8], 2: (Layout(((2, 3),), ((1, 8),)), 4), 3: ("4:2", 9)}),
        ("02.7", cosize),
        ("02.7", lambda L: max(L(i) for i in range(size(L))) + 1),
        ("02.8", lambda shape: [Layout(shape[k + 1 :]).shape and size(Layout(shape[k + 1 :])) if shape[k + 1 :] else 1
                                for k in range(len(shape))]),
        ("02.9", "(8,8):(1,8)"),
        ("02.9", "(8,8):(9,1)"),
    ],
)  # fmt: skip
def test_another_answer_is_as_good(exercise_id, value):
    assert str(verdict(EXERCISES[exercise_id], value)) == f"{exercise_id} · done"


@given(st.permutations([1, 2, 4, 8, 16, 32]), st.integers(0, 5))
def test_every_tile_is_right_and_none_in_which_cells_meet(strides, k):
    one = EXERCISES["02.9"]

    def tile(d):
        return Layout(((2, 2, 2), (2, 2, 2)), (tuple(d[:3]), tuple(d[3:])))

    assert verdict(one, tile(strides)).state == DONE
    strides[k] = strides[k - 1]
    assert verdict(one, tile(strides)).state == NOT_YET
