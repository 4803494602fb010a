"""Lesson 04: what its prose says, where no output shows it."""

import json
import re
from pathlib import Path

import pytest

from cutelearn import Layout, LayoutError, composition
from cutelearn.course.questions import question
from cutelearn.explore import CompositionBench

(LESSON,) = (Path(__file__).resolve().parent.parent / "notebooks").glob("04-*.ipynb")
PROSE = {
    cell["id"].removeprefix("04-composition-"): " ".join("".join(cell["source"]).split())
    for cell in json.loads(LESSON.read_text("utf-8"))["cells"]
    if cell["cell_type"] == "markdown"
}


def composed(a, b, **how):
    return str(composition(Layout.parse(a), Layout.parse(b), **how))


def test_predictions_hold():
    A, B = Layout((4, 6), (6, 1)), question("04.p1").answer
    cells = [(i // 3, i % 3 * 2) for i in range(9)]
    assert [composition(A, B)(i) for i in range(9)] == [A(*cell) for cell in cells]
    assert question("04.p2").answer == [0, 24, 2, 26]
    assert question("04.p3").answer == Layout((3, 2, 8), (20, 100, 1000))
    with pytest.raises(LayoutError, match="shape divisibility"):
        composition(Layout((6, 2), (8, 2)), Layout(3, 4))
    assert question("04.p5").answer == 11


def test_quiz_holds():
    A = Layout((8, 4), (4, 1))
    row = [A(0, j) for j in range(4)]
    assert [[composition(A, Layout(4, d))(i) for i in range(4)] == row for d in (1, 4, 8)] == [False, False, True]
    A = Layout((4, 3), (1, 10))
    assert str(composition(A, Layout(20))) == "(4,5):(1,10)"
    assert str(composition(A, Layout(3))) == "3:1"
    assert str(composition(A, Layout(3, 4))) == "3:10"
    with pytest.raises(LayoutError, match="shape divisibility"):
        composition(A, Layout(3, 2))
    A = Layout((4, 4), (1, 10))
    for stride in ((1, 2), (1, 4)):
        composition(A, Layout((2, 2), stride))
    with pytest.raises(LayoutError, match="carry"):
        composition(A, Layout((2, 2), (2, 2)))


def test_three_things_that_look_wrong():
    """Named in the lesson as allowed."""
    said = PROSE["read"]
    for a, b, r in (("(4,6):(6,1)", "3:1", "3:6"), ("(4,6):(1,4)", "4:5", "4:5")):
        assert f"`{a}`" in said
        assert f"`{b}`" in said
        assert composed(a, b) == r


def test_the_table_of_who_refuses():
    """Ours refuses all three; the last one gives CuTe's layout when it is asked to."""
    A = Layout((6, 2), (8, 2))
    with pytest.raises(LayoutError):
        A(1, 2, 3)
    with pytest.raises(LayoutError, match="divisibility"):
        composed("(6,2):(8,2)", "3:4")
    with pytest.raises(LayoutError, match="carry"):
        composed("(6,2):(1,10)", "(3,4):(2,3)")
    assert f"`{composed('(6,2):(1,10)', '(3,4):(2,3)', check=False)}`" in PROSE["read"]


def test_the_bench_does_what_is_folded_under_it():
    tries = re.findall(r"`(A|B) = (\S+?)`", PROSE["carry"])
    assert tries[-3:] == [("A", "(6,2):(8,2)"), ("B", "7:2"), ("B", "3:6")]
    bench = CompositionBench("(4,6):(6,1)", "(3,3):(1,8)")
    assert [bench.still().panel("coordinate").at(i, 0).lines[0].split()[0] for i in range(3)] == ["0", "1", "2"]
    walks = [CompositionBench("(4,6):(6,1)", f"8:{d}").still().panel("coordinate") for d in (1, 2)]
    columns = [[int(walk.at(i, 0).lines[0].split(",")[1].rstrip(")")) for i in range(8)] for walk in walks]
    assert [column.index(1) for column in columns] == [4, 2]
    assert max(columns[1]) == 3
    assert "`B = 8:1`, then `8:2`" in PROSE["carry"]
    unchecked = next(f for f in CompositionBench.fields if f.name == "check").options[1]
    assert f"*R is*: {unchecked}." in PROSE["carry"]
    shown = CompositionBench("(6,2):(1,10)", "(3,4):(2,3)", check=unchecked).shown
    assert "wrong at 2 of 12" in shown.facts
    R = composition(Layout((6, 2), (1, 10)), Layout((3, 4), (2, 3)), check=False)
    A, B = Layout((6, 2), (1, 10)), Layout((3, 4), (2, 3))
    assert [i for i in range(12) if R(i) != A(B(i))] == [5, 11]
    with pytest.raises(LayoutError, match="shape 7 vs 3"):
        composed("(6,2):(8,2)", "7:2")
    assert composed("(6,2):(8,2)", "3:6") == "3:2"
    assert Layout(3, 6)(2) == 12
