"""Chapter 07, tensors and algorithms: its exercises, what their checkers hold to be right, and what learners answer
instead."""

import numpy as np

from ...algorithms import FORMS, copy, gemm
from ...htuple import LayoutError, compatible, text
from ...layout import Layout, cosize, make_layout_like, rank, size, slice_and_offset
from ...parse import parse_tuple
from ...tensor import make_tensor
from ..compare import (
    Fault,
    ints_fault,
    read_layout,
    says,
    values,
)
from ..entries import each_fault
from ..exercises import Exercise, Wrong
from .functions07 import PLACES, PREDICATE, WRITE_SLICE

# ------------------------------------------------------------------------------------------------ 07.1

T1 = Layout(((4, 2), (3, 2)), ((1, 12), (4, 24)))
STARTS = {1: "(5,_)", 2: "(_,4)", 3: "((_,1),2)", 4: "((3,_),(_,1))"}


def _judge_start(number: int, entry) -> Fault | None:
    if not isinstance(entry, int):
        return Fault(f"{says(entry)} is not a number of elements")
    start = slice_and_offset(parse_tuple(STARTS[number]), T1)[1]
    return None if entry == start else Fault(f"the slice T{STARTS[number]} does not start {entry} elements after T")


START = Exercise(
    id="07.1",
    title="Where does a slice start?",
    answer="a07_1",
    judge=lambda data: each_fault(data, _judge_start, STARTS),
    hints=(
        "Only the numbers of a slice move its start. Put 0 where a _ stands, and ask the layout where that cell lies.",
        "A number that stands for a nested mode has to become digits first. Row 5 of (4,2) is 5 % 4 and 5 // 4.",
        "Row 5 is (1,1): one step of 1 and one of 12. Column 4 of (3,2) is (1,1) as well, with the strides 4 and 24.",
        "In ((_,1),2) the 1 is a digit already, of stride 12. The 2 is a column: (2,0).",
        "In ((3,_),(_,1)) both numbers are digits: 3 of stride 1, and 1 of stride 24.",
    ),
    wrong=(
        Wrong({1: 5}, "1: row 5 is not 5 elements on. After four rows the second digit of the mode (4,2) turns.", 2),
        Wrong({1: 60}, "1: 5 * 12 takes the row for a digit of stride 12. Which two digits has 5 in (4,2)?", 2),
        Wrong({1: 0}, "1: the slice does not start where T starts: the 5 is not lost. It moves the start.", 1),
        Wrong({2: 16}, "2: 4 * 4 takes four steps of the first digit, and that has only three values.", 3),
        Wrong({2: 96}, "2: 4 * 24 takes the column for a digit of stride 24. Which two digits has 4 in (3,2)?", 3),
        Wrong({3: 9}, "3: the 1 stands in the second place of its pair. Its stride is not 1.", 4),
        Wrong(
            {3: 14}, "3: the first part is right, 12. The 2 is a column, and one column is more than one element.", 4
        ),
        Wrong({4: 7}, "4: the 1 stands in the second place of the columns: its stride is not 4.", 5),
        Wrong({4: 60}, "4: the 3 stands in the first place of the rows: its stride is not 12.", 5),
    ),
    because="1: 1 + 12. 2: 4 + 24. 3: 12 + 2 * 4. 4: 3 + 24. The layout gives the same where 0 stands in place of _.",
)

# ------------------------------------------------------------------------------------------------ 07.2

RANKS = {1: "(_,4)", 2: "((_,_),4)", 3: "((_,1),_)", 4: "((1,_),(_,0))", 5: "((_,_),(_,_))"}


def _judge_rank(number: int, entry) -> Fault | None:
    if not isinstance(entry, (tuple, list)) or len(entry) != 2 or not all(isinstance(n, int) for n in entry):
        return Fault(f"{says(entry)} is not a pair of numbers. Write (rank, elements)")
    kept = slice_and_offset(parse_tuple(RANKS[number]), T1)[0]
    if entry[0] != rank(kept):
        return Fault(f"T{RANKS[number]} is not of rank {entry[0]}")
    return None if entry[1] == size(kept) else Fault(f"the rank is right. It does not have {entry[1]} elements")


RANK = Exercise(
    id="07.2",
    title="Of what rank is a slice?",
    answer="a07_2",
    judge=lambda data: each_fault(data, _judge_rank, RANKS),
    hints=(
        "The rank is the number of underscores, wherever they stand. Numbers leave nothing behind.",
        "The elements are the product of the extents that are kept. One _ in place of a nested mode keeps all of it: a _ "
        "for (4,2) keeps 8.",
        "In ((_,1),_) the first _ keeps the 4 alone, the second the whole mode (3,2).",
        "In ((1,_),(_,0)) the first _ keeps the 2 of the rows, the second the 3 of the columns.",
    ),
    wrong=(
        Wrong({1: (2, 8)}, "1: the eight elements are right. But there is one _, and so one mode, itself a pair.", 1),
        Wrong({1: (1, 4)}, "1: the rank is right. The _ keeps the whole mode (4,2).", 2),
        Wrong({2: (1, 8)}, "2: the elements are those of 1. But here each digit has a _ of its own.", 1),
        Wrong({3: (2, 48)}, "3: the 1 in the first mode is fixed, so half of the rows are gone.", 3),
        Wrong({3: (3, 24)}, "3: the elements are right. The second _ stands for the pair (3,2), and it is one.", 1),
        Wrong({4: (2, 8)}, "4: you kept the 4 and the 2. The first _ stands in the second place: the rows' 2.", 4),
        Wrong(
            {4: (4, 6)}, "4: the elements are right. Modes that are fixed are gone: they leave no mode of extent 1.", 1
        ),
        Wrong({5: (2, 48)}, "5: nothing is fixed. But four underscores are four modes; T(_,_) has two.", 1),
    ),
    because="Count the underscores, multiply what they keep: 8, 8, 4 * 6, 2 * 3, 48. T(_,4) and T((_,_),4) have the same "
    "elements, and other coordinates.",
)

# ------------------------------------------------------------------------------------------------ 07.3

V3 = Layout((8, 4), (1, 10))
OWNED = {1: 0, 2: cosize(V3), 3: size(make_layout_like(V3)), 4: 0, 5: size(V3, 0)}


def _judge_owned(number: int, entry) -> Fault | None:
    if not isinstance(entry, int):
        return Fault(f"{says(entry)} is not a number of elements")
    return None if entry == OWNED[number] else Fault(f"line {number} does not make memory for {entry} elements")


MEMORY = Exercise(
    id="07.3",
    title="How much memory does it make?",
    answer="a07_3",
    judge=lambda data: each_fault(data, _judge_owned, OWNED),
    hints=(
        "Which lines name memory that is there already, and which name a type, or make a tensor like another?",
        "An owner has as much memory as its layout needs: cosize, the largest offset and one more.",
        "The largest offset of (8,4):(1,10) is 7 * 1 + 3 * 10.",
        "make_tensor_like takes over type, shape and the order of the strides. It leaves no gap, so it owns as many "
        "elements as v, or as the slice, has.",
    ),
    wrong=(
        Wrong({1: 32}, "1: this is a view. It makes no memory: p points to some.", 1),
        Wrong({1: 38}, "1: this is a view. p must point to so many elements, but the line makes none.", 1),
        Wrong({2: 32}, "2: 32 is the number of cells. With column stride 10 the last cell lies further out.", 2),
        Wrong({2: 37}, "2: 37 is the largest offset. The first one is 0.", 2),
        Wrong({2: 40}, "2: behind the last cell comes no padding.", 3),
        Wrong({3: 38}, "3: that would be with the strides of v. make_tensor_like packs its elements.", 4),
        Wrong({4: 8}, "4: a slice is a view: it moves the start, and makes no memory.", 1),
        Wrong({5: 32}, "5: like the slice, not like v. How many elements has v[_, 2]?", 4),
        Wrong({5: 0}, "5: the slice is a view, but what is made like it is an owner.", 1),
    ),
    because="Lines 1 and 4 are views. 2 owns the cosize, 7 + 30 + 1. 3 and 5 own as many as v and its column have.",
)

# ------------------------------------------------------------------------------------------------ 07.5


def copied() -> list[int]:
    """dst's memory, padded, after the copy of the exercise."""
    dst = make_tensor(np.full(cosize(Layout((4, 2), (3, 1))), -1), Layout((4, 2), (3, 1)))
    copy(make_tensor(np.arange(8), Layout((2, 4), (4, 1))), dst)
    return dst.engine.tolist()


COPIED = Exercise(
    id="07.5",
    title="What a copy leaves in memory",
    answer="a07_5",
    judge=lambda data: ints_fault(data, copied(), index="place"),
    hints=(
        "Which places does dst have? Its layout (4,2):(3,1) leaves a gap after each row: there the -1 stays.",
        "Go through the 1-D coordinates i = 0 to 7: dst(i) becomes src(i). Coordinates count down the columns, in both.",
        "src(0), src(1), src(2), ... are the cells (0,0), (1,0), (0,1), ... of a row-major matrix: 0, 4, 1, 5, 2, 6, 3, 7.",
        "dst(0), dst(1), ... lie at the places 0, 3, 6, 9, and then 1, 4, 7, 10.",
    ),
    wrong=(
        Wrong(
            [0, 1, -1, 2, 3, -1, 4, 5, -1, 6, 7],
            "this is numpy's reshape: you went along the rows of both. CuTe counts down the columns.",
            2,
        ),
        Wrong(
            [0, 4, -1, 1, 5, -1, 2, 6, -1, 3, 7],
            "you put src(r,c) into dst(c,r), a transpose. A copy does not look at rows and columns.",
            2,
        ),
        Wrong(
            [0, 4, 1, 5, 2, 6, 3, 7],
            "these are dst(0), dst(1), ..., all right. In memory they lie in another order, with gaps.",
            4,
        ),
        Wrong([0, 2, 4, 6, 1, 3, 5, 7], "the order is right. But dst is padded: look at the stride of its rows.", 1),
        Wrong(
            [0, 2, 0, 4, 6, 0, 1, 3, 0, 5, 7],
            "the elements are right. A copy writes dst's cells alone, so in the gaps there still is what was there.",
            1,
        ),
        Wrong(
            [0, 1, 2, 3, 4, 5, 6, 7, -1, -1, -1],
            "this copies the memory. A copy of tensors goes through both layouts.",
            2,
        ),
    ),
    because="Element i of src, 0, 4, 1, 5, ..., goes to place dst(i), 0, 3, 6, 9, 1, 4, 7, 10.",
)

# ------------------------------------------------------------------------------------------------ 07.8

SHAPES = {
    1: ("(8)", "(8)", "(8)"),
    2: ("(64)", "(32)", "(64,32)"),
    3: ("(64,8)", "(32,8)", "(64,32)"),
    4: ("(64,8)", "(8,32)", "(64,32)"),
    5: ("(4,8)", "(4,2)", "(4,8,2)"),
    6: ("(4,8,16)", "(4,2,16)", "(4,8,2)"),
}


def form(number: int) -> int | None:
    """Which form of gemm takes these shapes; None where it is refused."""
    tensors = [make_tensor(float, parse_tuple(shape)) for shape in SHAPES[number]]
    try:
        gemm(*tensors)
    except LayoutError:
        return None
    return list(FORMS).index(tuple(map(rank, tensors))) + 1


def _judge_form(number: int, entry) -> Fault | None:
    if entry is not None and (not isinstance(entry, int) or not 1 <= entry <= len(FORMS)):
        return Fault(f"{says(entry)} is no form. Write a number from 1 to 5, or None")
    if entry == form(number):
        return None
    a, b, c = SHAPES[number]
    return Fault(f"A {a}, B {b}, C {c}: {'a form takes these' if entry is None else f'not form {entry}'}")


WHICH_FORM = Exercise(
    id="07.8",
    title="Which gemm is it?",
    answer="a07_8",
    judge=lambda data: each_fault(data, _judge_form, SHAPES),
    hints=(
        "Count the modes of A, B and C: the three ranks choose the form. (8) is one mode.",
        "Then compare the extents. The last mode of A and B in the forms 3 and 5 is K, and must be the same.",
        "In the forms 4 and 5 the first mode of all three is V, and must be the same.",
        "Ranks 2, 2, 3 are form 4: A (V,M), B (V,N). Nothing is summed there. Ranks 3, 3, 3 are form 5.",
    ),
    wrong=(
        Wrong({1: 2}, "1: an outer product of two vectors has a C of rank 2. This C has one mode.", 1),
        Wrong({2: 1}, "2: element by element would need three vectors of one length.", 1),
        Wrong({3: None}, "3: this is the plain matrix product: A is (M,K), B is (N,K).", 2),
        Wrong({4: 3}, "4: M is 64 and N is 32, so K is the last mode of both A and B. What is it in each?", 2),
        Wrong(
            {5: 3}, "5: form 3 has a C of rank 2, and sums over the last mode of A and B: 8 and 2 are not the same.", 4
        ),
        Wrong({5: None}, "5: there is a form for the ranks 2, 2, 3.", 4),
        Wrong({6: 3}, "6: form 3 is for matrices. These have a mode more, on the left.", 3),
        Wrong({6: None}, "6: V is 4, M is 8, N is 2. And what A and B have last is the same.", 3),
    ),
    because="In 4 B is (K,N), as in a textbook. CuTe wants (N,K): select(B, 1, 0) is that view of the same memory.",
)

# ------------------------------------------------------------------------------------------------ 07.9

MOST = 80


def _judge_own(data) -> Fault | None:
    layout = read_layout(data)
    if isinstance(layout, Fault):
        return layout
    if size(layout) != 64 or not compatible((8, 8), layout.shape):
        return Fault(f"{says(layout)} is no tile of 8 x 8: its shape is {says(layout.shape)}")
    offsets = values(layout)
    if min(offsets) < 0:
        return Fault(f"{says(layout)} has the offset {says(min(offsets))}: an owner begins at 0")
    first: dict[int, int] = {}
    for i, offset in enumerate(offsets):
        if offset in first:
            a, b = (text((k % 8, k // 8)) for k in (first[offset], i))
            return Fault(f"the cells {a} and {b} lie in one place, {says(offset)}")
        first[offset] = i
    for i in range(8):
        for j in range(7):
            if layout(i, j + 1) != layout(i, j) + 1:
                at = f"{says(layout(i, j))} and {says(layout(i, j + 1))}"
                return Fault(f"row {i} is not contiguous: columns {j} and {j + 1} lie at {at}")
    if cosize(layout) == 64:
        return Fault("this is compact: there is no padding anywhere")
    if cosize(layout) > MOST:
        return Fault(f"this needs {says(cosize(layout))} floats, and there are {MOST}")
    return None


def _view_own(data):
    layout = read_layout(data)
    if isinstance(layout, Fault):
        return f"07.9 · nothing to see yet: {layout.sentence}"
    if size(layout) > 256 or min(values(layout)) < 0 or cosize(layout) > 256:
        return f"07.9 · {says(layout)} is too large to draw, or begins before 0"
    from ...draw import draw_layout

    return draw_layout(layout)


OWN = Exercise(
    id="07.9",
    title="Own a padded tile",
    answer="a07_9",
    judge=_judge_own,
    view=_view_own,
    hints=(
        "Begin with the row-major tile, and pull its rows apart.",
        "Within a row the stride is 1. From row to row it is more than 8, so that something is left free.",
        "The last cell lies at 7 * stride + 7. With 80 floats it must not lie beyond 79.",
        "Rows in two groups will do as well: ((4,2),8):((8,40),1) leaves one gap, in the middle.",
    ),
    wrong=(
        Wrong("(8,8):(8,1)", "rows are contiguous, and no two cells meet. But nothing is left free between them.", 2),
        Wrong("(8,8):(1,9)", "here the columns are contiguous: the tile is column-major. Rows were asked for.", 1),
        Wrong("(8,8):(7,1)", "rows of 8 that are 7 apart overlap: the last of each meets the first of the next.", 2),
        Wrong("(8,8):(11,1)", "the padding is there. It is too much: count the floats, cosize.", 3),
        Wrong("(8,9):(9,1)", "padding is no column: the shape stays (8,8). What is left free has no coordinate.", 2),
        Wrong((8, 8), "a shape alone is LayoutLeft, column-major. Give it strides.", 1),
    ),
    because="(8,8):(9,1) owns 71 floats, (8,8):(10,1) 78. There are others, with nested rows.",
)

EXERCISES = (START, RANK, MEMORY, PLACES, COPIED, WRITE_SLICE, PREDICATE, WHICH_FORM, OWN)
