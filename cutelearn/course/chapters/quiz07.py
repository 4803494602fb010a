"""Lesson 07, tensors and algorithms: its predictions and its quiz."""

from ...htuple import Underscore
from ...layout import Layout, make_layout_like, slice_and_offset
from ..questions import Question, Slip, a_layout, an_integer, one_of

LIKE = Question(
    id="07.p1",
    form=a_layout,
    answer=make_layout_like(Layout((4, 8), (32, 2))),
    because="the stride 2 is the smaller one, so mode 1 becomes the contiguous mode; eight elements on lies the next row.",
    slips=(
        Slip(
            "(4,8):(32,2)",
            "that is v. An owner with these strides would need 3 * 32 + 7 * 2 + 1 = 111 elements, for 32 cells. It packs "
            "them.",
        ),
        Slip(
            "(4,8):(1,4)",
            "packed, but in the other order. In v a step along mode 1 is the shorter one, and that mode stays the "
            "contiguous one.",
        ),
        Slip("(4,8):(16,1)", "the order is right. Divided by 2 there are still gaps: a row has 8 elements, not 16."),
        Slip("(4,8):(8,2)", "the order is right. Packed tightly, the shortest step is 1."),
    ),
    otherwise="The shape stays. Which mode of v has the shorter stride? That one gets stride 1, the other goes over it.",
)

START = Question(
    id="07.p2",
    form=an_integer,
    answer=slice_and_offset((Underscore(), 5), Layout(((3, 2), (2, 5, 2))))[1],
    because="5 is (1,2,0) in the digits 2, 5, 2, and 1 * 6 + 2 * 12 = 30. The rows' mode is kept, and counts as 0.",
    slips=(
        Slip(5, "5 is the column's number. How far is one column from the next? Rows come first: there are 6 of them."),
        Slip(0, "the numbers of a slice move the start. Only T(_,0) starts where T does."),
        Slip(
            130,
            "130 is the element that lies there. How many elements after T's start is it? The memory begins with 100.",
        ),
        Slip(
            300,
            "you let the last digit take all: 5 * 60. The digits of 5 in (2,5,2) turn from the left: the first is 5 % 2.",
        ),
        Slip(35, "that is where it ends. It starts at row 0."),
    ),
    otherwise="Turn 5 into digits of (2,5,2), from the left; then multiply by the strides 6, 12, 60 and add.",
)

PERMUTED = Question(
    id="07.p3",
    form=an_integer,
    answer=4,
    because="(0,1) of the shape (4,2) is the 1-D coordinate 4, and src(4) is 4.",
    slips=(
        Slip(
            2,
            "that is src(0,1). Copy does not look at rows and columns: which 1-D coordinate is (0,1) in the shape (4,2)?",
        ),
        Slip(1, "you count along the rows. The left digit turns first: (0,1) comes after (0,0), (1,0), (2,0), (3,0)."),
        Slip(0, "that is dst(0,0)."),
    ),
    otherwise="Which 1-D coordinate is (0,1) in the shape (4,2)? That element of src it is.",
)

LAST_TILE = Question(
    id="07.p4",
    form=an_integer,
    answer=(41 - 10 * 4) * (55 - 6 * 8),
    because="its rows are 40 to 43, and only row 40 exists; its columns are 48 to 55, and 48 to 54 exist.",
    slips=(
        Slip(25, "25 are the phantom cells. How many are not?"),
        Slip(28, "the columns are right, 7 of 8. But rows 41, 42 and 43 do not exist either."),
        Slip(8, "one row is right. Does it have column 55? Columns go from 0 to 54."),
        Slip(32, "that is a whole tile. Rows begin at 10 * 4 = 40, and the last row is number 40."),
        Slip(6, "columns 48 to 54 are one more than that."),
    ),
    otherwise="The tile's first cell is (40,48). Which rows from there on are less than 41, which columns less than 55?",
)

FORM = Question(
    id="07.p5",
    form=an_integer,
    answer=4,
    because="ranks 2, 2, 3: V is 2, M is 3, N is 5. Nothing is summed: there is no K.",
    slips=(
        Slip(
            3, "form 3 would sum over a last mode that A and B share: 3 and 5 are not the same. And its C has rank 2."
        ),
        Slip(5, "form 5 has A and B of rank 3. Here they have rank 2."),
        Slip(2, "an outer product, yes, but two of them: A and B have a mode more than in form 2."),
        Slip(1, "in form 1 all three have rank 1."),
    ),
    otherwise="Count the modes of A, B and C, and look for these three ranks in the table.",
)

SLICED = Question(
    id="07.q1",
    form=one_of("a", "b", "c"),
    answer="a",
    because="the numbers 1 and 2 move the start by 1 * 1 + 2 * 8, and the one underscore keeps the mode 2:4.",
    slips=(
        Slip("b", "the modes are right. But the numbers are not lost: they move the start."),
        Slip("c", "that would be T(1,_). Here the 2 fixes the second digit of the column."),
    ),
)

TAKEN_OVER = Question(
    id="07.q2",
    form=one_of("a", "b", "c"),
    answer="c",
    because="the owner is (8,8):(1,8), and its elements are its own.",
    slips=(
        Slip("a", "it copies no element: copy(v, owner) does. And its layout is not mentioned here."),
        Slip("b", "with the strides of v it would own 708 elements for 64 cells. It packs them, in v's order."),
    ),
)

K_BY_N = Question(
    id="07.q3",
    form=one_of("a", "b", "c"),
    answer="c",
    because="form 3 takes B as (N,K), and K would be 8 in A and 32 in B.",
    slips=(
        Slip("a", "that is what BLAS would do. In CuTe B is (N,K): its last mode is the one that is summed."),
        Slip("b", "form 2 is for vectors: A and B of rank 1."),
    ),
)

QUESTIONS = (LIKE, START, PERMUTED, LAST_TILE, FORM, SLICED, TAKEN_OVER, K_BY_N)
