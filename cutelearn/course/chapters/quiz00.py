"""Lesson 00, start here: its predictions and its quiz."""

from ...layout import Layout
from ..questions import Question, Slip, a_layout, an_integer, one_of

ROW_TWO = Question(
    id="00.p1",
    form=an_integer,
    answer=Layout((4, 8), (8, 1))(2, 3),
    because="two rows down are 2 * 8 places, and three columns to the right are 3 * 1.",
    slips=(
        Slip(11, "you took 4 places for a row. 4 is the number of rows; one row down is 8 places on."),
        Slip(26, "you exchanged the two steps. The first number of the stride, 8, is for one row down."),
        Slip(14, "so it is where columns lie in one piece. Here the rows do: one row down is 8 places on."),
        Slip(5, "you added 2 and 3. Each step down is worth 8 places."),
        Slip(20, "one too many: places are counted from 0, as rows and columns are."),
        Slip(10, "you counted rows and columns from 1. Row 0 is the first one, and place 0 is its first cell."),
    ),
    otherwise="Go two rows down, then three columns to the right: how many places is each of these steps?",
)

FOR_A_WARP = Question(
    id="00.p2",
    form=a_layout,
    answer=Layout((4, 8), (1, 4)),
    because="one row down is one place on, so threads 0 to 3 read four places side by side.",
    slips=(
        Slip(
            "(4,8):(8,1)",
            "each thread walks through its row place by place. But look at one moment: thread 0 reads place 0, and "
            "thread 1 is a row further down.",
        ),
        Slip("(4,8):(9,1)", "padded rows are still rows: at any moment the threads are 9 places apart."),
        Slip(
            "((2,2),(2,4)):((2,16),(1,4))",
            "in a block it is 2 places from a row to the next, and then 16. Which layout goes down place by place?",
        ),
        Slip("(4,8):(1,5)", "threads 0 to 3 lie side by side there, too; but it is none of the four."),
    ),
    otherwise="It is one of the four: in which of them is one row down one place on?",
)

ONE_CELL = Question(
    id="00.q1",
    form=one_of("a", "b", "c"),
    answer="b",
    because="1 * 1 + 2 * 4.",
    slips=(
        Slip("a", "so it is in (4,8):(8,1). Here one row down is 1 place on, and one column is 4."),
        Slip("c", "you exchanged the two: 4 is for a column, and there are two of them."),
    ),
)

KERNEL_STAYS = Question(
    id="00.q2",
    form=one_of("a", "b", "c"),
    answer="a",
    because="the kernel names the cell, and the layout says where it lies.",
    slips=(
        Slip("b", "row i and column j are still row i and column j; they only lie elsewhere."),
        Slip("c", "there are still 4 rows and 8 columns. The shape has not changed."),
    ),
)

FOUR_NUMBERS = Question(
    id="00.q3",
    form=one_of("a", "b", "c"),
    answer="a",
    because="two for the shape and two for the stride.",
    slips=(
        Slip("b", "it does not list its rows. How many rows there are, and how far apart, says all."),
        Slip("c", "so many cells has the matrix. A layout holds no data: it computes where each cell lies."),
    ),
)

QUESTIONS = (ROW_TWO, FOR_A_WARP, ONE_CELL, KERNEL_STAYS, FOUR_NUMBERS)
