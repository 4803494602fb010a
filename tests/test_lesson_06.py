"""Lesson 06: what its prose says, where no output shows it."""

import json
import re
from pathlib import Path

import pytest

from cutelearn import (
    Layout,
    LayoutError,
    blocked_product,
    complement,
    copy_atom,
    cosize,
    flat_product,
    left_inverse,
    logical_product,
    make_tiled_copy,
    raked_product,
    right_inverse,
    size,
    tile_to_shape,
    tiled_product,
    with_shape,
    zipped_product,
)
from cutelearn.course.questions import question
from cutelearn.explore import ProductBench

(LESSON,) = (Path(__file__).resolve().parent.parent / "notebooks").glob("06-*.ipynb")
CELLS = json.loads(LESSON.read_text("utf-8"))["cells"]
PROSE = {
    cell["id"].removeprefix("06-product-and-inverses-"): " ".join("".join(cell["source"]).split())
    for cell in CELLS
    if cell["cell_type"] == "markdown"
}
A = Layout((2, 2), (4, 1))
MATRIX, COPIES = Layout((2, 5), (5, 1)), Layout((3, 4), (1, 3))


def offsets(layout):
    return layout.offsets().tolist()


def test_predictions_hold():
    """Found without the operations that the lesson shows."""
    starts, free = [], set(range(24))
    while free:  # a copy begins at the lowest free place
        starts.append(min(free))
        copy = {starts[-1] + place for place in offsets(A)}
        assert copy <= free
        free -= copy
    assert question("06.p1").answer == starts
    more = [*starts, 24, 26]
    assert question("06.p2").answer == [more[k] for k in offsets(Layout((4, 2), (2, 1)))]
    assert question("06.p3").answer == [MATRIX(1, 0), MATRIX(0, 0) + 10]
    places = [0, 5, 10, 1, 6, 11]
    assert question("06.p4").answer == max(places) + 1
    inverse = question("06.p5").answer
    assert [Layout((2, 4, 6), (4, 1, 8))(inverse(k)) for k in range(48)] == list(range(48))
    assert question("06.p6").answer == [2 + 4 * 2, 2 + 4 * 3, 3 + 4 * 2, 3 + 4 * 3]


def test_quiz_holds():
    A = Layout(4, 2)
    assert logical_product(A, Layout(2))[1](1) == 1
    assert logical_product(A, Layout(3, 2))[1](1) == 8  # copy 2 of the answers
    assert cosize(A) == 7
    B = Layout((2, 2), (2, 1))
    rows = {f.__name__: [f(B, B)(0, j) for j in range(4)] for f in (logical_product, blocked_product, raked_product)}
    assert rows == {
        "logical_product": [0, 8, 4, 12], "blocked_product": [0, 1, 4, 5], "raked_product": [0, 4, 1, 5],
    }  # fmt: skip
    A = Layout((8, 2), (1, 16))
    assert str(right_inverse(A)) == "8:1"
    assert left_inverse(A)(16) == 8


def test_two_plain_ways_fail():
    """Copies at every 6th place waste the holes, at every 4th they collide, and 24 places are enough."""
    assert cosize(Layout(((2, 2), 6), ((4, 1), 6))) == 36
    assert A(0, 0) + 4 in offsets(A)
    assert sorted(offsets(logical_product(A, Layout(6)))) == list(range(24))


def test_the_cotarget_is_enough_starts():
    """complement(A, size(A) * cosize(B)) has cosize(B) starts; the memory is another number."""
    assert "complement(A, size(A) · cosize(B))" in PROSE["say"]
    for a, b in ((A, Layout(6)), (A, Layout((4, 2), (2, 1))), (A, Layout(2, 2)), (Layout(3, 5), Layout(2, 1))):
        assert size(complement(a, size(a) * cosize(b))) >= cosize(b)


def test_what_the_order_of_copies_does():
    R = logical_product(A, Layout((4, 2), (2, 1)))
    filled = {R(i, k) for k in range(4) for i in range(4)}
    holes = {8 * n + hole for n in range(4) for hole in (2, 3, 6, 7)}
    assert not filled & holes
    assert {R(i, k) for k in range(4, 8) for i in range(4)} == holes
    with pytest.raises(LayoutError, match="divisibility"):
        logical_product(A, Layout(3))
    assert offsets(complement(A, 12))[:3] == [0, 2, 8]


def test_blocked_and_raked():
    blocked, raked, R = (f(MATRIX, COPIES) for f in (blocked_product, raked_product, logical_product))
    for f in (blocked, raked):
        assert [size(f, 0), size(f, 1)] == [6, 20]
        assert sorted(offsets(f)) == sorted(offsets(R))
    assert [raked(i, 0) for i in range(6)] == [0, 10, 20, 5, 15, 25]  # rows 0 of the copies, then all the rows 1
    down = blocked_product(MATRIX, Layout(6))
    assert [size(down, 0), size(down, 1)] == [12, 5]


def test_the_bench_does_what_is_folded_under_it():
    said = PROSE["bench-tries"]
    tries = re.findall(r"`(A|B) = (\S+?)`", said)
    assert tries == [("B", "(4,2):(2,1)"), ("B", "3:2"), ("A", "(2,2):(2,1)"), ("B", "(2,3):(1,2)"),
                     ("A", "(2,5):(5,1)"), ("B", "(3,4)")]  # fmt: skip
    bench = ProductBench("(2,2):(4,1)", "(4,2):(2,1)")

    def first(k):
        memory = bench.change("copy", k).scene.panel("memory")
        return min(int(memory.at(*spot).lines[0]) for spot in memory.picked())

    assert [first(k) % 8 for k in range(5)] == [0, 0, 0, 0, 2]
    assert first(4) == 2
    assert bench.change("b", "3:2").facts.endswith("cosize 22")
    assert offsets(logical_product(A, Layout(3, 2))[1]) == [0, 8, 16]
    spots = {
        form: ProductBench("(2,2):(2,1)", "(2,3):(1,2)", form=form, copy=1).still().panel("grid").picked()
        for form in ("blocked", "raked")
    }
    assert spots["blocked"] == [(2, 0), (2, 1), (3, 0), (3, 1)]
    assert spots["raked"] == [(1, 0), (1, 3), (3, 0), (3, 3)]
    assert "only 27 places" in ProductBench("(2,5):(5,1)", "(3,4)", form="zipped").shown.facts


def test_forms_of_a_product_by_a_layout():
    logical, zipped, tiled, flat = (
        f(MATRIX, COPIES) for f in (logical_product, zipped_product, tiled_product, flat_product)
    )
    assert zipped == logical
    assert (str(tiled), str(flat)) == ("((2,5),3,4):((5,1),10,30)", "(2,5,3,4):(5,1,10,30)")


def test_by_mode_copies_meet():
    by_mode = zipped_product(MATRIX, (3, 4))
    assert (size(by_mode), len(set(offsets(by_mode)))) == (120, 27)
    assert offsets(logical_product(MATRIX[0], Layout(3))[1]) == [0, 1, 2]
    assert {1, 2} <= set(offsets(MATRIX[1]))


def test_how_the_inverses_are_found():
    """The steps that the prose takes, for layouts of one mode each stride: up through memory, to the first hole or over it."""

    def steps(a):
        place = 1
        for s, d in zip(a.shape, a.stride, strict=True):
            yield d, s, place
            place *= s

    for text in ("(2,4,6):(4,1,8)", "(4,4):(4,1)", "(2,4):(4,1)"):
        a = Layout.parse(text)
        up = sorted(steps(a))
        assert str(right_inverse(a)) == str(Layout(tuple(s for d, s, p in up), tuple(p for d, s, p in up)))
    for text in ("(4,2):(1,16)", "(3,2):(2,8)"):
        a = Layout.parse(text)
        up = sorted(steps(a))
        tops = [d for d, s, p in up[1:]]
        shape = [top // d for (d, s, p), top in zip(up, tops, strict=False)] + [up[-1][1]]
        stride = [p for d, s, p in up]
        if up[0][0] > 1:
            shape, stride = [up[0][0], *shape], [0, *stride]
        assert str(left_inverse(a)) == str(Layout(tuple(shape), tuple(stride)))
    assert str(left_inverse(Layout(4, 2))) == "(2,4):(0,1)"
    assert "`2:0`" in PROSE["tv"]


def test_the_tiled_copy_is_the_lesson_s():
    """What make_tiled_copy begins with, and what it is for: thread 33 has four rows of one column, side by side."""
    thr, val = Layout((32, 8)), Layout((4, 1))
    copy = make_tiled_copy(copy_atom("UniversalCopy<uint128_t>", "float"), thr, val)
    assert copy.tile_shape == (128, 8)
    tv = with_shape(right_inverse(raked_product(thr, val)), (256, 4))
    assert copy.tiled_layout_TV == tv
    column_major = Layout((128, 8))
    assert [column_major(tv(33, v)) for v in range(4)] == [132, 133, 134, 135]
    block = Layout((8, 8), (8, 1))
    assert tile_to_shape(block, (32, 16)) == blocked_product(block, Layout((4, 2)))


def test_who_is_side_by_side():
    thr, val, row_major = Layout((2, 4), (4, 1)), Layout((2, 2), (2, 1)), Layout((4, 8), (8, 1))
    raked, blocked = (with_shape(right_inverse(f(thr, val)), (8, 4)) for f in (raked_product, blocked_product))
    assert row_major(raked(5, 1)) == row_major(raked(5, 0)) + 1
    assert row_major(blocked(6, 0)) == row_major(blocked(5, 0)) + 1
    assert row_major(blocked(5, 1)) != row_major(blocked(5, 0)) + 1
