"""Lesson 03: what its prose says, where no output shows it."""

import json
import random
import re
from pathlib import Path

import numpy as np
import pytest

from cutelearn import Layout, coalesce, composition, idx2crd, max_common_vector, rank, right_inverse, size
from cutelearn.course.questions import question

(LESSON,) = (Path(__file__).resolve().parent.parent / "notebooks").glob("03-*.ipynb")
PROSE = {
    cell["id"].removeprefix("03-coalesce-"): " ".join("".join(cell["source"]).split())
    for cell in json.loads(LESSON.read_text("utf-8"))["cells"]
    if cell["cell_type"] == "markdown"
}


def shortened(text, profile=None):
    return str(coalesce(Layout.parse(text), profile))


def said(text):
    return Layout.parse(text).offsets().tolist()


def test_predictions_hold():
    assert str(question("03.p1").answer) == shortened("(4,6):(1,4)") == "24:1"
    assert [d for d in range(100) if rank(coalesce(Layout((3, 4), (5, d)))) == 1] == [question("03.p2").answer]
    assert str(question("03.p3").answer) == shortened("(2,(1,6)):(1,(6,2))")
    assert question("03.p4").answer == 2
    assert str(question("03.p5").answer) == shortened("(2,(1,6)):(1,(6,2))", (1, 1))
    assert str(question("03.p6").answer) == shortened("(2,3):(3,1)")


def test_quiz_holds():
    wanted = {"a": "64:1", "b": "(32,2):(1,64)", "c": "(4,16):(1,4)"}
    assert wanted[question("03.q1").answer] == shortened("(4,8,2):(1,4,64)")
    assert f"- {question('03.q1').answer}: `{wanted['b']}`" in PROSE["take-away"]


def test_the_four_rules():
    """In any order of moves: the table's rows, tried on neighbours that one picks at random."""
    assert "all orders end in the same layout" in PROSE["rules"]
    rng = random.Random(5)
    for _case in range(300):
        shape = [rng.choice((1, 2, 3)) for _mode in range(5)]
        chain = list(zip(shape, (rng.choice((0, 1, 2, 3, 4, 6)) for _mode in shape), strict=True))
        start = Layout(tuple(s for s, d in chain), tuple(d for s, d in chain))
        while moves := [k for k in range(len(chain) - 1) if one_move(*chain[k : k + 2])]:
            k = rng.choice(moves)
            chain[k : k + 2] = [one_move(*chain[k : k + 2])]
        end = [(s, d) for s, d in chain if s > 1] or [(1, 0)]
        short = coalesce(start)
        assert (short.shape, short.stride) == (end[0] if len(end) == 1 else tuple(zip(*end, strict=True)))


def one_move(left, right):
    """The mode that two neighbours become; None where both stay."""
    (s0, d0), (s1, d1) = left, right
    if s1 == 1:
        return left
    if s0 == 1:
        return right
    return (s0 * s1, d0) if s0 * d0 == d1 else None


def test_one_cell_and_the_open_end():
    assert "`1:0`" in PROSE["rules"]
    assert shortened("(1,1):(5,9)") == "1:0"
    A = Layout((4, 1), (1, 42))
    assert (A(4), coalesce(A)(4)) == (42, 4)
    assert str(composition(A, Layout(12, 1))) == "(4,3):(1,42)"
    assert "`(4,1):(1,42)` goes on to 42 at i = 4" in PROSE["past-end"]


def test_the_profile_counts_its_modes_only():
    assert "only how many" in PROSE["past-end"]
    for profile in ((1, 1), (7, 0)):
        assert shortened("(2,(1,6)):(1,(6,2))", profile) == "(2,6):(1,2)"


def test_the_bench_does_what_is_folded_under_it():
    tries = re.findall(r"`(\(\S+\):\S+)`", PROSE["bench"].split("<details>")[0])
    assert [shortened(t) for t in tries if t != "(M,K):(1,ldA)"] == [
        "8:1",
        "(2,4):(1,3)",
        "24:1",
        "(2,3,4):(12,4,1)",
        "16:1",
        "(2,2,2,2):(1,4,2,8)",
    ]
    assert sorted(said("(2,3,4):(12,4,1)")) == list(range(24))
    assert said("(2,4):(1,3)")[:4] == [0, 1, 3, 4]


def test_the_mistakes():
    assert said("(2,3):(3,1)") == [0, 3, 1, 4, 2, 5]
    assert idx2crd(35, (8, 8)) == (3, 4)
    blocks = Layout(((2, (2, 2)), (2, (2, 2))), ((1, (4, 16)), (2, (8, 32))))
    assert rank(coalesce(blocks)) == 6
    assert [blocks(0, 0), blocks(1, 0), blocks(0, 1), blocks(2, 0)] == [0, 1, 2, 4]


@pytest.mark.parametrize("text", ["((4,1),1,2):((1,0),0,32)", "((4,1),1,2):((1,0),0,4)", "((4,1),1,2):((32,0),0,1)"])
def test_a_common_vector_is_the_first_mode_of_both_seen_together(text):
    tile, registers = Layout.parse(text), Layout(8, 1)
    first = coalesce(composition(tile, right_inverse(registers)))
    first = first if rank(first) == 1 else first[0]
    run = size(first) if first.stride == 1 else 1
    assert max_common_vector(tile, registers) == run
    assert np.array_equal(tile.offsets()[:run], np.arange(run))
