"""Lesson 02, layouts: its predictions and its quiz."""

from ...layout import Layout, cosize
from ..compare import values
from ..questions import Question, Slip, a_layout, an_integer, integers, one_of

BLOCKS = Question(
    id="02.p1",
    form=a_layout,
    answer=Layout((4, (4, 2)), (4, (1, 16))),
    because="down it is four cells, 4 apart; to the right four cells, 1 apart, and that twice, 16 apart.",
    slips=(
        Slip("(4,8):(4,1)", "so column 4 would lie 4 after column 0. In the print it lies 16 after it."),
        Slip("(4,8):(8,1)", "that is the whole tile row-major. In the print the cell below 0 is 4."),
        Slip(
            "(4,(2,4)):(4,(16,1))",
            "the pair is turned round: its left digit turns first. From column 0 to column 1 it is 1, not 16.",
        ),
        Slip("(4,(4,2)):(1,(4,16))", "one step down is 4 in the print, and one step to the right is 1."),
        Slip("((4,4),2):((4,1),16)", "this has 16 rows and 2 columns. The pair belongs to the columns."),
    ),
    otherwise="Wanted is 0, 4, 8, 12 down the first column, and 0, 1, 2, 3, 16, 17, 18, 19 along the first row.",
)

COLUMN = Question(
    id="02.p2",
    form=integers,
    answer=values(Layout((2, 2, 2), (1, 16, 4))),
    because="the digits turn from the left: steps of 1, then of 16, then of 4.",
    slips=(
        Slip(
            [0, 1, 4, 5, 16, 17, 20, 21],
            "you sorted the strides. The second digit has the stride 16, and turns second.",
        ),
        Slip([0, 4, 16, 20, 1, 5, 17, 21], "you let the right digit turn first. In CuTe the left one does."),
        Slip([0, 1, 2, 3, 4, 5, 6, 7], "these are the row numbers. Take their digits times the strides."),
        Slip([0, 8, 2, 10, 32, 40, 34, 42], "this is row 0. Column 0 is made of the strides of mode 0."),
    ),
    otherwise="Row numbers 0 to 7 have the digits 000, 100, 010, 110, 001, ... Multiply them by 1, 16, 4 and add.",
)

COSIZE = Question(
    id="02.p3",
    form=an_integer,
    answer=cosize(Layout((4, 8), (9, 1))),
    because="the last cell (3,7) lies at 3 * 9 + 7 = 34, and one more is allocated.",
    slips=(
        Slip(36, "4 * 9 counts a padding after the last row. No cell lies there."),
        Slip(32, "that is the size, the number of cells. They are spread over more places than that."),
        Slip(34, "that is the largest offset. Offsets begin at 0, so it takes one place more."),
        Slip(40, "extent times stride goes one step too far in each direction: the last cell is (3,7)."),
    ),
    otherwise="Where does the last cell, (3,7), lie? Offsets begin at 0.",
)

RANK = Question(
    id="02.p4",
    form=an_integer,
    answer=1,
    because="one _ keeps one mode, and that mode is the pair (3,2).",
    slips=(
        Slip(2, "the kept mode is a pair, and it stays one mode. Two would be kept by (_,_)."),
        Slip(6, "that is its size: six rows. The rank counts the modes."),
        Slip(3, "the column is fixed, with all of its three digits. What is kept is mode 0."),
        Slip(0, "the rank would be 0 if no mode were kept. One _ stands there."),
    ),
    otherwise="Count the _ that are written.",
)

FITS = Question(
    id="02.p5",
    form=one_of("a", "b", "c"),
    answer="b",
    because="4 is split into (2,2) and 6 into (3,2), so row and column are still good coordinates.",
    slips=(
        Slip("a", "the sizes agree, but 24 takes one number: the pair (1,2) is no coordinate of it."),
        Slip("c", "the sizes agree, but (0,5) is a coordinate of (4,6) and not of (6,4)."),
    ),
)

PADDED = Question(
    id="02.p6",
    form=an_integer,
    answer=cosize(Layout((128, 8), (1, 129))),
    because="the last cell (127,7) lies at 127 + 7 * 129 = 1030.",
    slips=(
        Slip(1024, "that is the size. Between the columns one place each is left free."),
        Slip(1032, "8 * 129 counts a padding after the last column too, where no cell lies."),
        Slip(1030, "that is the largest offset. Offsets begin at 0."),
        Slip(1160, "extent times stride goes one step too far in each direction: the last cell is (127,7)."),
    ),
    otherwise="Where does the last cell, (127,7), lie? Then one more.",
)

WHICH = Question(
    id="02.q1",
    form=one_of("a", "b", "c"),
    answer="b",
    because="index 1 moves 4, index 2 moves 2, index 4 moves 1.",
    slips=(
        Slip("a", "this gives 0, 4, 1, 5, ...: the digit that turns second has the stride 1."),
        Slip("c", "this gives 0, 1, 2, 3, ... in order. From index 0 to index 1 it should be 4."),
    ),
)

INJECTIVE = Question(
    id="02.q2",
    form=one_of("a", "b", "c", "d"),
    answer="d",
    because="no two cells meet, and the odd places are never used.",
    slips=(
        Slip("a", "this one is onto as well: 32 cells in the places 0 to 31."),
        Slip("b", "all rows meet in the same eight places."),
        Slip("c", "(3,0) and (0,1) both lie at 3."),
    ),
)

KEPT = Question(
    id="02.q3",
    form=one_of("a", "b", "c"),
    answer="a",
    because="one _ keeps one mode, with its parentheses.",
    slips=(
        Slip("b", "two modes would be kept by ((_,_), 2)."),
        Slip("c", "4:2 is the mode that is fixed at 2. The _ stands in mode 0."),
    ),
)

QUESTIONS = (BLOCKS, COLUMN, COSIZE, RANK, FITS, PADDED, WHICH, INJECTIVE, KEPT)
