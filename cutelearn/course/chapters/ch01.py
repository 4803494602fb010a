"""Chapter 01, coordinates: its exercises, what their checkers hold to be right, and what learners answer instead.

Those that ask for a function stand in functions01.py.
"""

from ...draw import draw_odometer
from ...htuple import idx2crd, leaves, product, text
from ...layout import Layout, crd2idx
from ..compare import Fault, dict_fault, layout_fault, says, values
from ..exercises import Exercise, Wrong
from ..questions import a_coordinate
from .functions01 import WRITE_CRD2IDX, WRITE_IDX2CRD, coordinate_fault, number_fault

# ------------------------------------------------------------------------------------------------ 01.1

NUMBERS = {1: (29, (4, 10)), 2: (29, (10, 4)), 3: (59, (3, 4, 6)), 4: (130, (3, 4, 6))}

TO_COORDINATE = Exercise(
    id="01.1",
    title="From number to coordinate",
    answer="a01_1",
    judge=lambda data: dict_fault(data, {n: lambda entry, n=n: coordinate_fault(entry, *NUMBERS[n]) for n in NUMBERS}),
    hints=(
        "Take the digits off one by one, from the left. A digit is what is left over when you divide by its radix; the "
        "quotient goes on to the next digit.",
        "The left number of the shape is the radix of the first digit. For 29 in (4,10): 29 % 4 is the first digit, and "
        "29 // 4 is left for the second.",
        "For 59 in (3,4,6): 59 = 3 * 19 + 2, so the first digit is 2, and 19 is left. Go on with 19 and the radix 4.",
        "The last digit is not divided any more: it takes whatever is left, even if that is past the end of the shape.",
    ),
    wrong=(
        Wrong(
            {1: (2, 9)},
            "entry 1: this is 29 read as row 2 and column 9, ten cells to a row. CuTe goes down the column first, and a "
            "column has four cells.",
            2,
        ),
        Wrong(
            {1: (7, 1)}, "entry 1: both digits are right, their places are not. The first digit is the remainder.", 2
        ),
        Wrong(
            {2: (1, 7)},
            "entry 2: this is the cell in the shape (4,10). Here the first radix is 10, so the same number is another cell.",
            1,
        ),
        Wrong(
            {3: (2, 1, 5)},
            "entry 3: you took the digits off from the right, as numpy counts. The first digit to come off is the left one.",
            3,
        ),
        Wrong(
            {3: (2, 3, 1)}, "entry 3: two digits are right. For the last one, what is left of 59 after / 3 and / 4?", 3
        ),
        Wrong(
            {4: (1, 3, 4)},
            "entry 4: you took 10 % 6 at the end. The last digit is open: it does not wrap around.",
            4,
        ),
        Wrong({4: None}, "entry 4: the shape has 72 cells and 130 is past them. It has a coordinate all the same.", 4),
    ),
    because="29 % 4 = 1, 29 // 4 = 7. 29 % 10 = 9, 29 // 10 = 2. 59 % 3 = 2, 19 % 4 = 3, and 4 is left. 130 % 3 = 1, "
    "43 % 4 = 3, and 10 is left: past the end, but nothing wraps around.",
)

# ------------------------------------------------------------------------------------------------ 01.2

COORDINATES = {
    1: ((3, 2), (5, 8)),
    2: ((2, 0, 3), (3, 4, 6)),
    3: ((1, (2, 1)), (2, (3, 4))),
    4: ((4, 5), ((2, 3), (2, 4))),
}

TO_NUMBER = Exercise(
    id="01.2",
    title="And back again",
    answer="a01_2",
    judge=lambda data: dict_fault(
        data, {n: lambda entry, n=n: number_fault(entry, *COORDINATES[n]) for n in COORDINATES}
    ),
    hints=(
        "The first digit counts single cells. A step of the second digit is worth as many cells as the first radix. How "
        "many is a step of the third digit worth?",
        "Each digit is worth the product of all radices on its left: in (3,4,6) a step of the digits is worth 1, 3 and 12.",
        "Parentheses change nothing in the count: (2,(3,4)) counts like (2,3,4), so its digits are worth 1, 2 and 6.",
        "In entry 4 a row number of the coordinate is one integer, and so is the column number. ((2,3),(2,4)) has 6 rows: "
        "a step to the next column is worth 6 cells.",
    ),
    wrong=(
        Wrong({1: 26}, "entry 1: 3 * 8 + 2 counts along the rows, as C does. In CuTe the left digit is worth 1.", 1),
        Wrong(
            {1: 19}, "entry 1: the second digit is worth 8 if a column has 8 cells. Which number is the first radix?", 1
        ),
        Wrong(
            {2: 51}, "entry 2: you counted from the right. The left digit turns fastest, so it is the one worth 1.", 2
        ),
        Wrong(
            {2: 14},
            "entry 2: a step of the last digit is worth 4 here. But it comes only when both wheels on its left have "
            "come round.",
            2,
        ),
        Wrong({3: 8}, "entry 3: a step of the last digit is worth 3 here. There are also the 2 in front of it.", 3),
        Wrong(
            {3: 21}, "entry 3: you counted from the right. The left digit turns fastest, so it is the one worth 1.", 3
        ),
        Wrong({4: 14}, "entry 4: you took 2 for the number of rows. The rows are (2,3).", 4),
        Wrong({4: 37}, "entry 4: 4 * 8 + 5 counts along the rows. One row down is the next cell in the count.", 4),
    ),
    because="3 + 2 * 5 = 13. 2 + 0 * 3 + 3 * 12 = 38. 1 + 2 * 2 + 1 * 6 = 11. Six rows: 4 + 5 * 6 = 34. Each digit is "
    "worth the product of the radices on its left.",
)

# ------------------------------------------------------------------------------------------------ 01.3

S3 = ((4, 2), (2, 8))
NAMES3 = {
    1: lambda entry: coordinate_fault(entry, 100, S3),
    2: lambda entry: coordinate_fault(entry, crd2idx((5, 11), S3), S3),
    3: lambda entry: coordinate_fault(entry, crd2idx(((2, 1), (1, 3)), S3), (8, 16)),
    4: lambda entry: number_fault(entry, ((2, 1), (1, 3)), S3),
}

NESTED = Exercise(
    id="01.3",
    title="Digits inside digits",
    answer="a01_3",
    judge=lambda data: dict_fault(data, NAMES3),
    hints=(
        "Two floors. First go between the number and (row, column), where rows have the radix 8 and columns 16. Then "
        "split the row number by (4,2) and the column number by (2,8).",
        "Inside parentheses it is the same rule: the left digit turns fastest. A row number r is (r % 4, r // 4).",
        "For 100: row 100 % 8 = 4, column 100 // 8 = 12. Row 4 is 4 % 4 = 0 and 4 // 4 = 1.",
        "Upwards: row (2,1) is 2 + 1 * 4 = 6, column (1,3) is 1 + 3 * 2 = 7. The number is row + 8 * column.",
    ),
    wrong=(
        Wrong({1: (4, 12)}, "entry 1: this is the 2-D coordinate, and it is right. Now split its two numbers.", 2),
        Wrong(
            {1: (0, 1, 0, 6)},
            "entry 1: all four digits are right. A natural coordinate has the shape's parentheses.",
            1,
        ),
        Wrong(
            {1: ((2, 0), (1, 4))},
            "entry 1: row 4 and column 12 are right. Inside the parentheses you let the right digit turn first.",
            2,
        ),
        Wrong({2: ((2, 1), (1, 3))}, "entry 2: inside the parentheses, too, the left digit turns first.", 2),
        Wrong(
            {3: (5, 11)},
            "entry 3: you gave the left digit the large worth. A step of the right one is a whole round of the left one.",
            4,
        ),
        Wrong({3: (7, 6)}, "entry 3: row and column are exchanged. The first pair of parentheses is the row.", 4),
        Wrong({4: 103}, "entry 4: row 6 and column 7 are right. But 6 * 16 + 7 counts along the rows.", 4),
        Wrong({4: 118}, "entry 4: row 6 and column 7 are right. But a column has 8 cells, not 16.", 4),
    ),
    because="100 is row 4, column 12: ((0,1),(0,6)). Row 5 is (1,1), column 11 is (1,5). Back: 2 + 1 * 4 = 6, "
    "1 + 3 * 2 = 7, and 6 + 7 * 8 = 62.",
)

# ------------------------------------------------------------------------------------------------ 01.4

S4 = (2, (3, 2))
MISTAKES = {3: (1, (0, 1)), 8: (0, (2, 0)), 12: (0, (0, 0))}


def wrong_table() -> str:
    """The table of the exercise, with its three mistakes."""
    rows = (f"{i:2}   {idx2crd(i, (2, 6))}   {MISTAKES.get(i, idx2crd(i, S4))}" for i in range(13))
    return "\n".join([" i   2-D      natural", *rows])


def _judge_table(data) -> Fault | None:
    if not isinstance(data, dict):
        return Fault(f"{says(data)} is not a dict. Write {{i: coordinate, ...}} with the three rows that are wrong")
    for i, entry in data.items():
        if i not in range(13):
            return Fault(f"there is no row {says(i)} in the table", at=i)
        if i not in MISTAKES:
            return Fault(f"row {says(i)} is right as it stands: {text(idx2crd(int(i), S4))}", at=i)
        if found := coordinate_fault(entry, i, S4):
            return Fault(f"row {says(i)}: {found.sentence}", at=i)
    missing = len(MISTAKES) - len(data)
    return Fault(f"you mend each row that you name; {missing} more to be found") if missing else None


WRONG_TABLE = Exercise(
    id="01.4",
    title="Find the mistakes in a table",
    answer="a01_4",
    judge=_judge_table,
    hints=(
        "Read down the natural coordinates as on an odometer: at each step the leftmost wheel turns, and a wheel that "
        "comes round pushes the one on its right. Where does a wheel turn that was not pushed?",
        "Or check each row: its 2-D coordinate is right. Column c of the shape (3,2) is the pair (c % 3, c // 3).",
        "The middle wheel shows 0, 1, 2 and then 0 again; then the last wheel is pushed. Row 6 is such a step.",
        "Row 12 is past the end: the shape has 12 cells. What does the last digit do there?",
    ),
    wrong=(
        Wrong(
            {3: (1, (0, 1))}, "row 3: this is what the table says. Column 1: which of its two digits turns first?", 2
        ),
        Wrong(
            {6: (0, (3, 0))},
            "row 6 is right as it stands. The middle wheel has three digits, 0, 1 and 2; there is no 3 on it.",
            3,
        ),
        Wrong({8: (0, (4, 0))}, "row 8: column 4 is right, but a digit 4 is not on a wheel of three. Let it carry.", 3),
        Wrong({8: (0, (0, 2))}, "row 8: column 4 is 4 % 3 and 4 // 3. You split it by the other radix, 2.", 2),
        Wrong(
            {12: (0, (0, 0))},
            "row 12: this is what the table says. An odometer in a car would show it; CuTe's last wheel is open.",
            4,
        ),
        Wrong({12: (0, 6)}, "row 12: this is its 2-D coordinate. Split the column number 6.", 2),
    ),
    because="Row 3 let the right digit of the column turn first, row 8 as well. Row 12 wrapped around; the last digit is "
    "open, so it is (0,(0,2)).",
)

# ------------------------------------------------------------------------------------------------ 01.5

S5 = (2, (3, 2))
A5 = Layout(S5, (6, (2, 1)))


def printed_table() -> str:
    """The offsets that somebody printed, row by row."""
    return "\n".join(" ".join(f"{A5(i, j):3}" for j in range(6)) for i in range(2))


WHOSE_STRIDE = Exercise(
    id="01.5",
    title="Whose stride is it?",
    answer="a01_5",
    judge=lambda data: layout_fault(data, values(A5), shape=S5, name="your layout"),
    hints=(
        "Give the six columns their natural coordinates (j,k) first: write the pair over each column of the table.",
        "The columns 0 to 5 are (0,0), (1,0), (2,0), (0,1), (1,1), (2,1). The left digit turns fastest here, too.",
        "A stride is the distance for one step of its digit. Column 1 is the first step of j, column 3 the first step of k.",
        "Row 0: column 1 holds 2, so j has the stride 2; column 3 holds 1, so k has the stride 1. Down a row it is 6.",
    ),
    wrong=(
        Wrong(
            "(2,(3,2)):(6,(1,2))",
            "so says Ben. He reads the columns as numpy would, the right digit first: but column 1 is (1,0).",
            2,
        ),
        Wrong(
            "(2,(2,3)):(6,(1,2))",
            "this shape has its columns in three pairs. Look at the table: the step of 2 comes twice, then it jumps.",
            3,
        ),
        Wrong(
            "(2,6):(6,2)",
            "one stride for all six columns goes 0, 2, 4, 6, ... In the table the fourth column is 1.",
            3,
        ),
        Wrong(
            "((3,2),2):((2,1),6)",
            "the three strides are right, and rows and columns are exchanged: the table has two rows, so 2 comes first.",
            1,
        ),
        Wrong(
            "(2,(3,2)):(1,(2,6))",
            "these are the strides of counting, the same for every table of this shape. Yours stand in the printed numbers.",
            4,
        ),
        Wrong(
            "(2,(3,2)):(6,(2,-3))",
            "-3 is the step from column 2 to column 3. But there j goes back to 0 as well: measure k alone, from (0,0) to "
            "(0,1).",
            3,
        ),
    ),
    because="Ada is right: one step of j is 2, one step of k is 1. Whoever numbers the columns with the right digit first "
    "takes the two for each other.",
)

# ------------------------------------------------------------------------------------------------ 01.8

DAY, MOMENT = 86_400, 13 * 3600 + 30 * 60  # a day in seconds; half past one in the afternoon


def read_shape(data):
    """The shape that an answer is or writes; a Fault that says why it is none."""
    shape = a_coordinate(data)
    if isinstance(shape, Fault):
        return Fault(f"{says(data)} is not a shape. Write integers in round parentheses, such as (60, (60, 24))")
    if min(leaves(shape)) < 1:
        return Fault(f"{says(shape)} has a wheel with {says(min(leaves(shape)))} digits; a wheel has at least one")
    return shape


def _judge_clock(data) -> Fault | None:
    shape = read_shape(data)
    if isinstance(shape, Fault):
        return shape
    if product(shape) != DAY:
        return Fault(f"{says(shape)} counts {says(product(shape))} seconds, and a day has {DAY}")
    if min(leaves(shape)) < 2:
        return Fault(f"{says(shape)} has a wheel with one digit: it never turns")
    if len(leaves(shape)) < 4:
        return Fault(f"{says(shape)} has too few wheels: at least 4 are wanted")
    if not isinstance(shape, tuple) or not any(isinstance(mode, tuple) for mode in shape):
        return Fault(f"{says(shape)} has no wheels in parentheses of their own")
    return None


def _view_clock(data):
    shape = read_shape(data)
    if isinstance(shape, Fault):
        return shape.sentence
    return draw_odometer(shape, MOMENT)


CLOCK = Exercise(
    id="01.8",
    title="A clock of your own",
    answer="a01_8",
    judge=_judge_clock,
    view=_view_clock,
    hints=(
        "Begin with (60,60,24) and take one number apart: 24 hours are 12 hours, twice.",
        "The radices multiply: whatever wheels you choose, their product is 86400 = 60 * 60 * 24. The primes in it are "
        "seven 2s, three 3s and two 5s.",
        "Parentheses go round the digits of one thing. Seconds in tens and units: 60 is (10,6).",
        "One of many: (60,60,(12,2)). The fastest wheel stands on the left, inside parentheses as well.",
    ),
    wrong=(
        Wrong((60, 60, 24), "this is the clock of the lesson, and it has no parentheses yet. Take one wheel apart.", 1),
        Wrong((60, 60, 12), "this goes round twice a day. A day needs one wheel more.", 1),
        Wrong(((60, 60), 24), "the parentheses are there. It still has three wheels: take one apart.", 3),
        Wrong(
            (60, 60, 12, 2), "four wheels, and all the seconds of a day. Now put those of one thing in parentheses.", 3
        ),
        Wrong((100, (100, 10)), "a day of 100000 seconds would be a fine day. Ours has 86400.", 2),
        Wrong(
            (60, (60, 24, 1)), "a wheel with the single digit 0 never turns. Take a number apart that has factors.", 2
        ),
    ),
    because="There are thousands of such clocks. ((10,6),(10,6),(12,2)) is the one with seconds and minutes in tens, and "
    "a wheel for morning and afternoon. A tile cut into warps, lanes and values is such a clock, too.",
)

EXERCISES = (TO_COORDINATE, TO_NUMBER, NESTED, WRONG_TABLE, WHOSE_STRIDE, WRITE_IDX2CRD, WRITE_CRD2IDX, CLOCK)
