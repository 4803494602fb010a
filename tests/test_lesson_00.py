"""Lesson 00: what its predictions, its quiz and its prose hold to be right, by the library."""

from itertools import product

from cutelearn import Layout
from cutelearn.course.questions import question
from cutelearn.explore import LayoutBench

FOUR = [Layout.parse(x) for x in ("(4,8):(8,1)", "(4,8):(1,4)", "(4,8):(9,1)", "((2,2),(2,4)):((2,16),(1,4))")]


def test_predictions_hold():
    assert question("00.p1").answer == FOUR[0](2, 3) == 19
    side_by_side = [a for a in FOUR if [a(t, 0) for t in range(4)] == [0, 1, 2, 3]]
    assert side_by_side == [question("00.p2").answer]


def test_quiz_holds():
    assert {"a": 10, "b": 9, "c": 6}[question("00.q1").answer] == FOUR[1](1, 2)
    matrix = Layout((1024, 1024), (1024, 1))
    assert {"a": 4, "b": 1024, "c": 1024**2}[question("00.q3").answer] == len(matrix.shape) + len(matrix.stride)


def test_blocks_need_parentheses():
    """The first block has the places 0 to 3, its right neighbour begins at 4, and no two strides do that."""
    start, wanted = [(0, 0), (0, 1), (1, 0), (1, 1), (0, 2)], [0, 1, 2, 3, 4]
    assert [FOUR[3](*cell) for cell in start] == wanted
    assert not [p for p in product(range(32), repeat=2) if [i * p[0] + j * p[1] for i, j in start] == wanted]


def test_padding_leaves_the_places_that_are_named():
    met = {FOUR[2](i, j) for i in range(4) for j in range(8)}
    assert set(range(max(met))) - met == {8, 17, 26}


def test_the_bench_begins_its_line_with_size():
    assert LayoutBench.facts(Layout.parse("(4,8):(1,5)")).startswith("size 32 · cosize 39")
