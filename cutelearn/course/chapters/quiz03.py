"""Lesson 03, coalesce: its predictions and its quiz."""

from ...algebra import coalesce
from ...htuple import leaves
from ...layout import Layout, rank
from ..compare import Fault, says
from ..questions import Question, Slip, a_layout, an_integer, one_of


def without_ones(data):
    """A layout or its text. A mode of one cell is no fault of the function, so it has to be said here."""
    read = a_layout(data)
    if isinstance(read, Layout) and 1 in leaves(read.shape):
        return Fault(f"{says(read)} still has a mode of one cell. It never steps, so it can go")
    return read


def one_stride_a_mode(data):
    """The same, where no mode may be a tuple either."""
    read = without_ones(data)
    if isinstance(read, Layout) and len(leaves(read.shape)) > rank(read):
        return Fault(f"in {says(read)} one of the modes still has parentheses. Shorten it by itself")
    return read


ONE_MODE = Question(
    id="03.p1",
    form=a_layout,
    answer=coalesce(Layout((4, 6), (1, 4))),
    because="the second column begins at 4, which is where the first one ends.",
    slips=(
        Slip("24:4", "this gives 0, 4, 8: the first cells of the columns. What does A give at i = 1?"),
        Slip("(4,6):(1,4)", "that is A itself, with two modes. Write down A(0), A(1), ..., A(5): is there one step?"),
        Slip("6:4", "these are the six columns. There are 24 cells to count."),
        Slip("4:1", "this is the first column. Where does the count go on after it?"),
        Slip("24:5", "A steps by 1 inside a column. What is the step from one column's end to the next column?"),
    ),
    otherwise="A gives 0, 1, 2, 3, then 4, ...: how many values, and what is the step?",
)

STRIDE = Question(
    id="03.p2",
    form=an_integer,
    answer=15,
    because="three steps of 5 end at 15, and there the second mode has to begin.",
    slips=(
        Slip(3, "3 would do if the first stride were 1. Each of the three steps is 5 places long."),
        Slip(5, "with 5 the second mode takes the same steps as the first, and meets the places 5 and 10 again."),
        Slip(10, "10 is the last cell of the first mode. The next one lies one step further on."),
        Slip(20, "20 is 4 · 5. But it is the first mode that ends, and it has 3 cells."),
        Slip(11, "11 is the cosize of the first mode. The next step of 5 goes past it."),
    ),
    otherwise="The first mode gives 0, 5, 10. Where would its next step go?",
)

CHAIN = Question(
    id="03.p3",
    form=without_ones,
    answer=coalesce(Layout((2, (1, 6)), (1, (6, 2)))),
    because="the 1:6 goes, and then 2:1 and 6:2 are neighbours with 2 · 1 = 2.",
    slips=(
        Slip(
            "(2,6):(1,2)", "the 1:6 is gone, and that is right. Now 2:1 and 6:2 are neighbours: look at them once more."
        ),
        Slip("(2,6):(1,6)", "the mode of one cell is 1:6, with its stride 6. The six cells step by 2."),
        Slip("12:2", "the first mode comes first, and its step is 1: the merged mode keeps the left stride."),
        Slip("12:6", "6 is the stride of the mode of one cell, and that never steps."),
    ),
    otherwise="Take the 1:6 out. Then ask of the two that are left whether s0 · d0 = d1.",
)

HOW_MANY = Question(
    id="03.p4",
    form=an_integer,
    answer=rank(coalesce(Layout((2, 3, 1, 4, 2), (1, 2, 9, 6, 30)))),
    because="2:1, 3:2 and 4:6 are 24:1, the 1:9 is gone, and 2:30 stays, for 24 is not 30.",
    slips=(
        Slip(1, "the last step is too much: 24 · 1 = 24, and the last stride is 30."),
        Slip(3, "did you merge again? 2:1 and 3:2 are 6:1, and then 6 · 1 is the stride of the 4."),
        Slip(4, "the mode of one cell goes, that is right. But others merge, too: 2 · 1 = 2."),
        Slip(5, "there is a mode of one cell among them, and 2 · 1 = 2."),
    ),
    otherwise="Take the 1:9 out, and go from the left: 2 · 1 = 2, so the first two are 6:1.",
)

BY_MODE = Question(
    id="03.p5",
    form=one_stride_a_mode,
    answer=coalesce(Layout((2, (1, 6)), (1, (6, 2))), (1, 1)),
    because="2:1 is short already, and (1,6):(6,2) is 6:2. Between the two modes nothing merges.",
    slips=(
        Slip("(2,6):(1,1)", "the six columns lie 2 apart: column 1 begins at 2."),
        Slip("12:1", "that is all in one. By mode, rows and columns are kept apart."),
        Slip("(2,6):(1,6)", "the 1 goes with its stride, and that is 6. The 6 cells step by 2."),
    ),
    otherwise="Shorten 2:1 by itself, then (1,6):(6,2) by itself, and put them side by side.",
)

ROW_MAJOR = Question(
    id="03.p6",
    form=a_layout,
    answer=Layout((2, 3), (3, 1)),
    because="2 · 3 is 6, and the second stride is 1. Nothing merges.",
    slips=(
        Slip("6:1", "6:1 gives 1 at i = 1. Which address does (2,3):(3,1) give at i = 1?"),
        Slip("6:3", "6:3 goes on to 6 after 0 and 3. Where is cell 2 of (2,3):(3,1)?"),
        Slip("(3,2):(1,3)", "this counts the columns first: 0, 1, 2. That is another function of i."),
    ),
    otherwise="List its values at i = 0 to 5: is there one step?",
)

LENGTH = Question(
    id="03.q1",
    form=one_of("a", "b", "c"),
    answer="b",
    because="4 · 1 = 4, so the first two are 32:1; and 32 · 1 is not 64.",
    slips=(
        Slip("a", "then cell 32 would lie at 32. The last mode puts it at 64."),
        Slip(
            "c", "(4,16):(1,4) puts cell 32 at 32, and that is where the last mode should have been: it begins at 64."
        ),
    ),
)

CHANGES = Question(
    id="03.q2",
    form=one_of("a", "b", "c"),
    answer="c",
    because="24:1 does not take (1,2), and (4,6):(1,4) does. The function of one number is the same.",
    slips=(
        Slip("a", "that is the law of coalesce: the address at every i below the size stays."),
        Slip("b", "merged extents are multiplied, and a 1 that goes counts for nothing: the size stays."),
    ),
)

RUN_TIME = Question(
    id="03.q3",
    form=one_of("a", "b", "c"),
    answer="a",
    because="m · 1 = m is true, but the compiler compares two numbers that it does not know.",
    slips=(
        Slip("b", "it would be right. But coalesce decides at compile time, and there m has no value."),
        Slip("c", "it compiles: where nothing can be decided, the modes stay."),
    ),
)

QUESTIONS = (ONE_MODE, STRIDE, CHAIN, HOW_MANY, BY_MODE, ROW_MAJOR, LENGTH, CHANGES, RUN_TIME)
