"""Lesson 06, product and inverses: its predictions and its quiz."""

from ...algebra import complement, right_inverse
from ...layout import Layout, cosize
from ...tiling import blocked_product, logical_product, raked_product
from ...views import with_shape
from ..compare import values
from ..questions import Question, Slip, a_layout, an_integer, integers, one_of

BLOCK, ORDER = Layout((2, 2), (4, 1)), Layout((4, 2), (2, 1))
A, B = Layout((2, 5), (5, 1)), Layout((3, 4), (1, 3))
THREADS, VALUES = Layout((2, 4), (4, 1)), Layout((2, 2), (2, 1))
TV = with_shape(right_inverse(raked_product(THREADS, VALUES)), (8, 4))

STARTS = Question(
    id="06.p1",
    form=integers,
    answer=values(complement(BLOCK, 24)),
    because="the copy at 2 fills the hole of the first, together they fill 0 to 7, and then it begins anew at 8.",
    slips=(
        Slip([0, 6, 12, 18, 24, 30], "this leaves every hole of A empty, and needs 36 places. What can fill 2 and 3?"),
        Slip([0, 4, 8, 12, 16, 20], "a copy that begins at 4 collides: the first one has a cell there, and one at 5."),
        Slip([0, 8, 16, 24, 32, 40], "nothing collides, but 2, 3, 6 and 7 stay empty. Is there room for a copy?"),
        Slip([0, 2, 4, 6, 8, 10], "0 and 2 are right. But 4 is a cell of the first copy, and 6 one of the second."),
        Slip([0, 1, 2, 3, 4, 5], "1 is a cell of the first copy. Which is the lowest place that it leaves free?"),
        Slip([0, 2, 8, 10, 12, 14], "the first four are right. The copy at 8 has cells at 12 and 13."),
    ),
    otherwise="The first copy has 0, 1, 4, 5. Which is the lowest free place? Put a copy there, and ask again.",
)

IN_ORDER = Question(
    id="06.p2",
    form=integers,
    answer=values(logical_product(BLOCK, ORDER)[1]),
    because="start number 2 is place 8, number 4 is place 16, and number 1, the first hole, is place 2.",
    slips=(
        Slip(
            [0, 2, 4, 6, 1, 3, 5, 7],
            "these are the numbers that B names. They count starts: where does start number 2 lie?",
        ),
        Slip(
            [0, 2, 8, 10, 16, 18, 24, 26],
            "these are the starts from the lowest to the highest, as 8:1 would take them. B takes number 2 as its second.",
        ),
        Slip([0, 8, 16, 24, 4, 12, 20, 28], "start number 1 is place 2, not 4: at 4 lies a cell of the first copy."),
        Slip(
            [0, 8, 16, 24, 1, 9, 17, 25],
            "start number 1 is place 2, not 1: at 1 lies a cell of the first copy.",
        ),
        Slip(
            [0, 16, 32, 48, 8, 24, 40, 56],
            "you put the starts 8 apart. They are 0, 2, 8, 10, 16, ...: the holes come first.",
        ),
        Slip(
            [0, 12, 24, 36, 6, 18, 30, 42],
            "you put the starts 6 apart, one whole reach of A. They are 0, 2, 8, 10, 16, ...: the holes come first.",
        ),
    ),
    otherwise="The starts are 0, 2, 8, 10, 16, 18, 24, 26, numbered from 0. B names the numbers 0, 2, 4, 6, 1, 3, 5, 7.",
)

ROW_ONE = Question(
    id="06.p3",
    form=integers,
    answer=[blocked_product(A, B)(1, 0), raked_product(A, B)(1, 0)],
    because="blocked, the second row is row 1 of copy 0, at 5. Raked, it is row 0 of copy 1, which begins at 10.",
    slips=(
        Slip([10, 5], "they are exchanged: blocked goes on in the same block, raked goes to the next copy."),
        Slip([5, 5], "raked, the copy turns first: after row 0 of copy 0 comes row 0 of copy 1."),
        Slip([10, 10], "blocked, a block stays in one piece: after row 0 of copy 0 comes row 1 of copy 0."),
        Slip([1, 30], "that is one column to the right: row 0, column 1. Asked is row 1, column 0."),
        Slip([5, 30], "30 is where the copy to the right begins. The next copy down is copy 1, for B is counted down."),
    ),
    otherwise="In each product, is row 1 the next row of the same copy, or row 0 of the next copy?",
)

BUFFER = Question(
    id="06.p4",
    form=an_integer,
    answer=cosize(logical_product(Layout(3, 5), Layout(2, 1))),
    because="the copies lie at 0, 5, 10 and at 1, 6, 11, and a last place of 11 makes 12.",
    slips=(
        Slip(6, "six cells, yes. But A alone reaches to place 10."),
        Slip(11, "the first copy needs 11. The second begins one place on, in the first hole."),
        Slip(22, "the second copy does not come after the first: it begins in its first hole, at 1."),
        Slip(10, "10 is the last place of the first copy. Count from 0, and add the second copy."),
        Slip(13, "the second copy begins at 1: 1, 6, 11. Which is the last place?"),
    ),
    otherwise="Write down where the three cells of A lie, then where the second copy begins: which place is the last?",
)

UPWARDS = Question(
    id="06.p5",
    form=a_layout,
    any_modes=True,
    answer=right_inverse(Layout((2, 4, 6), (4, 1, 8))),
    because="in the order of memory come the modes 1, 0, 2: extents 4, 2, 6, and steps of 2, 1, 8 in A's count.",
    slips=(
        Slip("(2,4,6):(4,1,8)", "that is A. The inverse takes the mode with stride 1 first."),
        Slip(
            "(4,2,6):(1,4,8)",
            "the modes are in the right order. But 1, 4, 8 are steps in memory, and the inverse gives cells of A.",
        ),
        Slip(
            "(2,4,6):(1,2,8)",
            "the steps are right, mode by mode. But first comes the mode that moves by 1 in memory, not the first of A.",
        ),
        Slip("(4,2,6):(1,2,8)", "each mode keeps its own step in A's count: the mode of 4 cells has 2, not 1."),
        Slip("(4,2,6):(1,4,48)", "the third mode's step in A's count is 2 * 4 = 8: the extents to its left."),
        Slip("(6,2,4):(8,1,2)", "that goes down through memory. Address 1 comes first: the mode with stride 1."),
    ),
    otherwise="Order the rows of the table by the stride in memory, then read off the extents and the steps in A's count.",
)

THREAD_5 = Question(
    id="06.p6",
    form=integers,
    answer=[TV(5, v) for v in range(4)],
    because="thread 5 is in row 1, column 1 of the threads: rows 2 and 3, columns 2 and 3 of the tile, by rows.",
    slips=(
        Slip(
            [10, 11, 14, 15],
            "the cells are right. But val counts along its rows: value 1 lies to the right of value 0.",
        ),
        Slip([5, 13, 21, 29], "these are the numbers t + 8v. Asked are the cells where they stand."),
        Slip(
            [5, 21, 7, 23], "that is the blocked product: there the threads stand together, and values lie far apart."
        ),
        Slip(
            [18, 19, 26, 27], "the places are right, but cells are counted down the columns of 4, not along the rows."
        ),
        Slip(
            [18, 22, 19, 23],
            "you numbered the threads down their columns. thr counts along its two rows of four: thread 5 is in column 1.",
        ),
    ),
    otherwise="Where is thread 5 in the two rows of four? Its 2 x 2 values lie together there. A cell (m,n) is m + 4n.",
)

FIRST_HOLE = Question(
    id="06.q1",
    form=one_of("a", "b", "c", "d"),
    answer="a",
    because="1 is the lowest place that A leaves free, and a copy fits there: 1, 3, 5, 7.",
    slips=(
        Slip("b", "at 2 lies a cell of A. Which is the lowest place that it leaves free?"),
        Slip("c", "7 is the cosize: nothing lies there, and a copy would fit. But holes are filled first."),
        Slip("d", "at 8 begins copy 2, when copies 0 and 1 have filled 0 to 7."),
    ),
)

TURNS = Question(
    id="06.q2",
    form=one_of("a", "b", "c"),
    answer="c",
    because="the copies take turns: 0 and 4 are the first cells of two copies, 1 and 5 their second ones.",
    slips=(
        Slip("a", "a column of the logical product is one copy, so row 0 has the four first cells: 0, 8, 4, 12."),
        Slip("b", "blocked, the two cells of a block's row stay together: 0, 1, 4, 5."),
    ),
)

HOLE = Question(
    id="06.q3",
    form=one_of("a", "b", "c"),
    answer="b",
    because="left_inverse undoes A for each of its cells. The right inverse is 8:1: at place 8 there is a hole.",
    slips=(
        Slip("a", "on the way up from 0 there is a hole at place 8, and there the right inverse ends."),
        Slip(
            "c", "the left one does. But on the way up from 0 there is a hole at 8, and there the right inverse ends."
        ),
    ),
)

QUESTIONS = (STARTS, IN_ORDER, ROW_ONE, BUFFER, UPWARDS, THREAD_5, FIRST_HOLE, TURNS, HOLE)
