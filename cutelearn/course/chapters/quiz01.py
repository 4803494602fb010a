"""Lesson 01, coordinates: its predictions and its quiz."""

from ...htuple import ceil_div, idx2crd
from ..questions import Question, Slip, a_coordinate, one_of

NUMBER_ONE = Question(
    id="01.p1",
    form=a_coordinate,
    answer=idx2crd(1, (3, 6)),
    because="the cell below. The left digit turns first.",
    slips=(
        Slip(
            (0, 1), "so count C and numpy, along the row. CuTe goes down the column first. Run the next cell and see."
        ),
        Slip((0, 0), "that is cell number 0: counting begins there."),
        Slip((1, 1), "one step, one cell: only one of the two digits turns."),
    ),
    otherwise="Write row and column, (row, column). It is one of the two neighbours of (0, 0).",
)

NESTED = Question(
    id="01.p2",
    form=a_coordinate,
    answer=idx2crd(35, ((2, 4), 8)),
    because="35 is row 3, column 4, and row 3 is 1 + 1 * 2.",
    slips=(
        Slip((3, 4), "that is row and column, and right so far. Now split the row number 3 by (2,4)."),
        Slip((4, 3), "you counted along the rows. The left digit turns first: 35 % 8 is the row."),
        Slip(((0, 2), 3), "you took 4 for the row. The left digit turns first: the row is 35 % 8."),
        Slip(
            ((0, 3), 4),
            "row 3 and column 4 are right. Inside the parentheses, too, the left digit turns first: 3 % 2, then 3 // 2.",
        ),
        Slip((1, 1, 4), "all digits are right. Put the two of the row in parentheses, as the shape has them."),
    ),
    otherwise="The row number is 35 % 8, the column 35 // 8. Then split the row number: % 2 and // 2.",
)

COLUMN_TWO = Question(
    id="01.p3",
    form=a_coordinate,
    answer=idx2crd(6, (3, (2, 3))),
    because="row 0; and column 2 is a whole round of the wheel of 2, so 0 and a carry.",
    slips=(
        Slip((0, 2), "that is its 2-D coordinate. Split the column number 2 by (2,3)."),
        Slip((0, (1, 0)), "that is column 1. Count the columns: (0,0), (1,0), and then the wheel of 2 comes round."),
        Slip((0, (0, 2)), "that is column 4. One step of the last digit is worth two columns."),
        Slip((0, (2, 0)), "the wheel of 2 has the digits 0 and 1 only. At 2 it carries to the right."),
        Slip((0, 0, 1), "all digits are right. Put the two of the column in parentheses, as the shape has them."),
        Slip((1, (0, 0)), "that is cell 6 counted along the rows. Cells 0, 1, 2 are column 0: cell 6 is in row 0."),
    ),
    otherwise="Row 0, and column 2. Which digits of (2,3) make a 2, if the left one turns first?",
)

HOME = Question(
    id="01.p4",
    form=a_coordinate,
    answer=(0 + 2 * 1, 1 + 3 * 2),
    because="row 0 + 2 * 1, column 1 + 3 * 2.",
    slips=(
        Slip((1, 7), "the column is right. For the row you took (0,1) as one step; but one block is two rows on."),
        Slip((1, 2), "that is the block. Wanted is the row and the column of the house, in houses."),
        Slip((0, 1), "that is the house inside its block. How many rows and columns of houses come before the block?"),
        Slip((7, 2), "the numbers are right. The first pair is the row, the second one the column."),
    ),
    otherwise="Row: the pair (0,1) of the shape (2,4), left digit first. Column: the pair (1,2) of (3,5).",
)

CTA_THREE = Question(
    id="01.p5",
    form=a_coordinate,
    answer=idx2crd(3, ceil_div((256, 384), (128, 128))),
    because="3 % 2 = 1 and 3 // 2 = 1. Its rows of A are those of m = 1: 128 to 255.",
    slips=(
        Slip((1, 0), "so it would be if CTAs were counted along the rows of C. Colex, m turns first."),
        Slip((0, 1), "that is CTA 2: CTAs are counted from 0."),
        Slip((0, 2), "that is CTA 4. There are two rows of tiles: m is 3 % 2."),
    ),
    otherwise="m is 3 % 2, for there are two rows of tiles; n is what is left, 3 // 2.",
)

COMES_AFTER = Question(
    id="01.q1",
    form=one_of("a", "b", "c"),
    answer="b",
    because="4 comes round and pushes 2, which comes round and pushes 3.",
    slips=(
        Slip("a", "this turns the last digit first. The left wheel turns at every step."),
        Slip("c", "the wheel of 2 was at 1 and was pushed, so it comes round to 0."),
    ),
)

NUMBER_FIVE = Question(
    id="01.q2",
    form=one_of("a", "b", "c"),
    answer="a",
    because="5 % 3 = 2 and 5 // 3 = 1, whatever the stride is.",
    slips=(
        Slip("b", "this is the cell that lies at offset 5. Cells are counted down the columns, of 3."),
        Slip("c", "the stride says where a cell lies. Which cell it is, the shape alone says."),
    ),
)

SAME_ROWS = Question(
    id="01.q3",
    form=one_of("a", "b", "c"),
    answer="c",
    because="CTA 1 has m = 1, and so have 3 and 5.",
    slips=(
        Slip("a", "CTA 0 has the tile (0,0) and CTA 1 the tile (1,0): they share the column panel of B."),
        Slip("b", "so it would be if CTAs were counted along the rows of C. Colex, m turns first."),
    ),
)

QUESTIONS = (NUMBER_ONE, NESTED, COLUMN_TWO, HOME, CTA_THREE, COMES_AFTER, NUMBER_FIVE, SAME_ROWS)
