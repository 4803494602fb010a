"""Lesson 01: what its predictions and its quiz hold to be right, by the library."""

from cutelearn import Layout, ceil_div, crd2crd, crd2idx, idx2crd
from cutelearn.course.questions import question
from cutelearn.explore import Odometer


def test_predictions_hold():
    assert question("01.p1").answer == (1, 0)
    assert question("01.p2").answer == ((1, 1), 4)
    assert question("01.p3").answer == (0, (0, 1))
    assert question("01.p4").answer == crd2crd(((0, 1), (1, 2)), ((2, 4), (3, 5)), (8, 15))
    assert question("01.p5").answer == (1, 1)


def test_quiz_holds():
    shape, offered = (4, (2, 3)), {"a": (3, (1, 1)), "b": (0, (0, 1)), "c": (0, (1, 1))}
    assert offered[question("01.q1").answer] == idx2crd(crd2idx((3, (1, 0)), shape) + 1, shape)
    assert {"a": (2, 1), "b": (1, 1)}[question("01.q2").answer] == idx2crd(5, (3, 4))
    assert Layout((3, 4), (4, 1))(1, 1) == 5
    tiles, offered = ceil_div((256, 384), (128, 128)), {"a": [0], "b": [0, 2], "c": [3, 5]}
    same = [cta for cta in range(6) if idx2crd(cta, tiles)[0] == idx2crd(1, tiles)[0] and cta != 1]
    assert offered[question("01.q3").answer] == same


def test_the_odometer_does_what_the_lesson_says():
    """From 5 to 6 all three wheels turn; from 3 to 4 only the first. 7199 is the last second of an hour."""
    shape = (3, (2, 3))
    assert [idx2crd(i, shape) for i in (3, 4, 5, 6)] == [(0, (1, 0)), (1, (1, 0)), (2, (1, 0)), (0, (0, 1))]
    assert Odometer("(60,60,24)", index=7199).still().title == "7199 in (60,60,24) is (59,59,1)"
    assert "offset" in str(Odometer("(3,(2,3)):(3,(12,1))", index=14).still().svg()).lower()
