"""Chapter 02, layouts: its exercises, what their checkers hold to be right, and what learners answer instead.

Those that ask for a function stand in functions02.py.
"""

from ...htuple import compatible
from ...layout import Layout, cosize, size, slice_and_offset
from ...parse import parse_tuple
from ..compare import (
    Fault,
    dict_fault,
    first_difference,
    ints_fault,
    layout_fault,
    read_layout,
    same_view,
    says,
    values,
)
from ..entries import each_fault
from ..exercises import Exercise, Wrong, simple
from .functions02 import FLOATS, ROW_MAJOR

# ------------------------------------------------------------------------------------------------ 02.1

BLOCKS = Layout(((2, 2), (2, 2)), ((2, 8), (1, 4)))

NAME_IT = Exercise(
    id="02.1",
    title="Name the layout of a picture",
    answer="a02_1",
    judge=lambda data: layout_fault(data, values(BLOCKS), shape=(4, 4), name="your layout"),
    hints=(
        "Walk down column 0 and write the steps: from 0 to 2, from 2 to 8, from 8 to 10. One stride cannot give them. "
        "Which two can?",
        "Down it is a step of 2, twice; and that twice, 8 apart: mode 0 is (2,2):(2,8). Now walk along row 0 in the "
        "same way.",
        "In a pair the left digit turns first. So on the left stands what happens between a cell and its neighbour, on "
        "the right what happens between one block and the next.",
        "Mode 0 is (2,2):(2,8), and along row 0 one finds 0, 1, 4, 5: a step of 1, then a step of 4.",
    ),
    wrong=(
        Wrong("(4,4):(4,1)", "this is the whole tile row-major. In the picture the cell below 0 is 2, not 4.", 1),
        Wrong("(4,4):(2,1)", "so the third row would begin at 4. In the picture it begins at 8.", 1),
        Wrong(
            "((2,2),(2,2)):((1,4),(2,8))",
            "rows and columns are exchanged: in the picture the cell below 0 is 2, and the one beside it is 1.",
            2,
        ),
        Wrong(
            "((2,2),(2,2)):((8,2),(4,1))",
            "the strides are the right ones, and in each pair they are turned round.",
            3,
        ),
        Wrong(
            "((2,2),(2,2)):((2,4),(1,8))",
            "inside a block all is right. From block to block it is 8 down and 4 to the right in the picture.",
            4,
        ),
    ),
    because="Blocks of 2 x 2, row-major inside, and the blocks row by row. Down it is 2 from cell to cell and 8 from block "
    "to block; to the right it is 1 and 4.",
)

# ------------------------------------------------------------------------------------------------ 02.2

NESTED = Layout(((2, 2, 2), 4), ((4, 1, 16), 2))

ROW_BY_ROW = Exercise(
    id="02.2",
    title="Row by row",
    answer="a02_2",
    judge=lambda data: ints_fault(data, [NESTED(i, 1) for i in range(8)], index="row"),
    hints=(
        "Rows 0 to 7 have the digits (0,0,0), (1,0,0), (0,1,0), (1,1,0), (0,0,1), ...: the left one turns first.",
        "The digits turn from left to right whatever their strides are. Row 1 adds 4, row 2 adds 1, row 4 adds 16.",
        "Column 0 is 0, 4, 1, 5, and the same four with 16 added.",
        "Column 1 lies one stride of mode 1 after column 0: add 2 to each.",
    ),
    wrong=(
        Wrong([0, 4, 1, 5, 16, 20, 17, 21], "this is column 0, and it is right. Asked is column 1.", 4),
        Wrong(
            [2, 3, 6, 7, 18, 19, 22, 23],
            "you went by the size of the strides: the smallest first. The digits turn from left to right.",
            2,
        ),
        Wrong(
            [2, 18, 3, 19, 6, 22, 7, 23],
            "you let the right digit turn first, as numpy does. In CuTe the left one is the fastest.",
            1,
        ),
        Wrong(
            [1, 5, 2, 6, 17, 21, 18, 22],
            "the rows are right. But column 1 does not begin at 1: look at the stride of mode 1.",
            4,
        ),
        Wrong([0, 2, 4, 6], "you walked along row 0. Asked is a column: the rows 0 to 7.", 1),
    ),
    because="Row 1 adds 4, row 2 adds 1, row 4 adds 16; column 1 adds 2.",
)

# ------------------------------------------------------------------------------------------------ 02.3

VIEWS = {
    "column": "(4,8):(1,4)",
    "padded": "(4,8):(9,1)",
    "same": "(4,8):(0,1)",
    "every": "(4,8):(16,2)",
    "flipped": "(4,8):(-8,1)",
}

STRIDES = Exercise(
    id="02.3",
    title="Five ways to keep a 4 x 8 matrix",
    answer="a02_3",
    judge=lambda data: dict_fault(
        data,
        {
            name: lambda entry, text=text: layout_fault(
                entry, values(Layout.parse(text)), shape=(4, 8), name="your layout"
            )
            for name, text in VIEWS.items()
        },
    ),
    hints=(
        "Ask twice: one row down, how many floats further? One column to the right, how many floats further? The shape "
        "is always (4,8).",
        "Padding is no column: no coordinate goes there. It only makes the step from row to row longer.",
        "All rows are one: so one row down is no step at all.",
        "Every second column: one column of the view is two columns of the matrix. One row of the view is one row of the "
        "matrix, and that has 16 floats.",
        "Upside down: the pointer stands at the last row, and one row down in the view is one row of 8 floats back.",
    ),
    wrong=(
        Wrong(
            {"column": "(4,8):(8,1)"},
            "column: this is row-major. In a column-major matrix the cell below is the neighbour in memory.",
            1,
        ),
        Wrong(
            {"column": "(4,8):(1,8)"},
            "column: down is right. The next column begins after one whole column, and a column has 4 cells.",
            1,
        ),
        Wrong({"padded": "(4,9):(9,1)"}, "padded: you gave the free float a column of its own.", 2),
        Wrong(
            {"padded": "(4,8):(8,1)"}, "padded: here the next row begins right after the eighth float. One is free.", 2
        ),
        Wrong({"same": "(4,8):(1,0)"}, "same: so all columns are one. Asked is that all rows are one.", 3),
        Wrong({"every": "(4,8):(8,2)"}, "every: columns are right. But a row of the matrix has 16 floats.", 4),
        Wrong({"every": "(4,8):(16,1)"}, "every: rows are right. This takes the first 8 columns, each of them.", 4),
        Wrong({"flipped": "(4,8):(8,-1)"}, "flipped: this turns left and right round, not top and bottom.", 5),
        Wrong({"flipped": "(4,8):(8,1)"}, "flipped: this goes on past the end: the pointer is at the last row.", 5),
    ),
    because="One row down and one column right: 1 and 4; 9 and 1; 0 and 1; 16 and 2; -8 and 1.",
)

# ------------------------------------------------------------------------------------------------ 02.4

MEMORY = {1: "(4,8):(8,1)", 2: "(6,4):(5,1)", 3: "(4,8):(1,0)", 4: "(3,5):(3,6)", 5: "((2,3),2):((1,10),4)"}


def _judge_cosize(text: str, number) -> Fault | None:
    if not isinstance(number, int):
        return Fault(f"{says(number)} is not a number")
    layout = Layout.parse(text)
    if number == cosize(layout):
        return None
    return Fault(f"{says(number)} is not what {text} needs, with its {size(layout)} cells")


HOW_MUCH = Exercise(
    id="02.4",
    title="How many floats?",
    answer="a02_4",
    judge=lambda data: dict_fault(
        data, {n: lambda number, text=text: _judge_cosize(text, number) for n, text in MEMORY.items()}
    ),
    hints=(
        "Where does the last cell lie, the one with the largest digits? Its offset, and one more, since offsets begin "
        "at 0.",
        "The largest digit of an extent of 6 is 5. So it is (6 - 1) times the stride, for each extent; then add up.",
        "A stride of 0 does not move. Only the other direction needs places.",
        "In 5 there are three digits, with the largest values 1, 2 and 1: 1*1 + 2*10 + 1*4.",
    ),
    wrong=(
        Wrong({2: 30}, "2: this counts the free float after the last row too. No cell lies there.", 2),
        Wrong({2: 24}, "2: this is the number of cells. The rows lie 5 apart and have 4 cells each.", 1),
        Wrong({2: 28}, "2: this is where the last cell lies. Places are counted from 0.", 1),
        Wrong({3: 32}, "3: 32 cells, yes. But how many places do they share?", 3),
        Wrong({3: 5}, "3: one too many. The largest offset is 3.", 3),
        Wrong({4: 15}, "4: this is the number of cells. No two of them are neighbours in memory.", 1),
        Wrong({4: 39}, "4: 3 * 3 + 5 * 6 goes one step too far in each direction.", 2),
        Wrong({5: 12}, "5: this is the number of cells. They lie wide apart.", 4),
    ),
    because="(4-1)*8 + 7 + 1 = 32; 5*5 + 3 + 1 = 29; 3 + 0 + 1 = 4; 2*3 + 4*6 + 1 = 31; 1 + 20 + 4 + 1 = 26.",
)

# ------------------------------------------------------------------------------------------------ 02.5

SHAPES = {
    1: ("12", "(3,4)"),
    2: ("(3,4)", "12"),
    3: ("(3,4)", "(3,(2,2))"),
    4: ("(3,4)", "((3,2),2)"),
    5: ("(12)", "(3,4)"),
    6: ("(3,4)", "(4,3)"),
}


def _judge_fit(number: int, word) -> Fault | None:
    if not isinstance(word, str) or simple(word) not in ("yes", "no"):
        return Fault(f'{says(word)} is neither "yes" nor "no"')
    s, t = SHAPES[number]
    if (simple(word) == "yes") == compatible(parse_tuple(s), parse_tuple(t)):
        return None
    return Fault(f"think again: {s} with {t}. Take the last coordinate of {s} and look for it in {t}")


FITS = Exercise(
    id="02.5",
    title="Which coordinates fit?",
    answer="a02_5",
    judge=lambda data: each_fault(data, _judge_fit, SHAPES),
    hints=(
        "Two things: the sizes are the same, and every coordinate of the first shape is also a coordinate of the second.",
        "An integer may be split into a tuple, never the other way round: where a number is asked for, a pair is no answer.",
        "Compare mode by mode. Each extent of the first shape must be the size of the mode in its place.",
        "(12) is a tuple with one entry. Its coordinates look like (5), and (3,4) takes 5 or (2,1).",
    ),
    wrong=(
        Wrong({1: "no"}, "pair 1: every number from 0 to 11 is a coordinate of (3,4): the 1-D one.", 2),
        Wrong({2: "yes"}, "pair 2: this is pair 1 the other way round. Can 12 take the coordinate (2,1)?", 2),
        Wrong({3: "no"}, "pair 3: the 4 was split into (2,2). The column is still a number from 0 to 3.", 3),
        Wrong({4: "yes"}, "pair 4: sizes agree. But mode 0 of the second shape has 6 cells, and not 3.", 3),
        Wrong({5: "yes"}, "pair 5: (12) is not 12. It has one mode, and (3,4) has two.", 4),
        Wrong({6: "yes"}, "pair 6: sizes agree, but (0,3) is no coordinate of (4,3).", 3),
    ),
    because="1 and 3 fit. 2 asks an integer to take a pair, 5 has one mode against two, and in 4 and 6 the modes have "
    "other sizes.",
)

# ------------------------------------------------------------------------------------------------ 02.6

A6 = Layout(((2, 3), 4), ((1, 8), 2))
SLICES = {1: "((_,1),_)", 2: "(_,2)", 3: "(3,_)"}


def _judge_slice(number: int, entry) -> Fault | None:
    if not isinstance(entry, (tuple, list)) or len(entry) != 2:
        return Fault(f'{says(entry)} is not a pair. Write ("layout", start)')
    yours = read_layout(entry[0])
    if isinstance(yours, Fault):
        return yours
    kept, start = slice_and_offset(parse_tuple(SLICES[number]), A6)
    if size(yours) != size(kept):
        return Fault(f"{says(yours)} has {says(size(yours))} cells, and {SLICES[number]} keeps {size(kept)}")
    if not same_view(yours, kept):
        differ = first_difference(values(yours), values(kept))
        if differ is None:
            return Fault(f"the cells are right, but {says(yours)} has not the modes that are left")
        return Fault(f"at index {differ} your layout gives {says(yours(differ))}, which is not so far from the start")
    if entry[1] != start:
        return Fault(f"the layout is right. It does not begin at {says(entry[1])}")
    return None


SLICE = Exercise(
    id="02.6",
    title="Slices of a nested layout",
    answer="a02_6",
    judge=lambda data: each_fault(data, _judge_slice, SLICES),
    hints=(
        "Where a _ stands, take extent and stride as they are. Where a number stands, multiply it by its stride, and add "
        "up: that is the start.",
        "As many _, so many modes are left. A kept mode stays as it is, with its parentheses: a rank-1 layout of a pair "
        "is written ((2,3)):((1,8)).",
        "In (3,_) the 3 is a row of the mode (2,3). Its digits are 3 % 2 and 3 // 2.",
        "In ((_,1),_) the first digit is kept, 2:1, and the second digit is 1: that is one step of 8.",
    ),
    wrong=(
        Wrong({1: ("(2,4):(1,2)", 1)}, "1: the layout is right. The 1 is a digit: where does it lead?", 1),
        Wrong({1: ("(3,4):(8,2)", 1)}, "1: you kept the second digit of the pair. The _ stands in the first place.", 4),
        Wrong(
            {2: ("(2,3):(1,8)", 4)}, "2: the six cells are right. But there is one _, and your layout has two modes.", 2
        ),
        Wrong({2: ("((2,3)):((1,8))", 2)}, "2: the layout is right. Column 2 begins at 2 times its stride.", 1),
        Wrong({3: ("(4):(2)", 3)}, "3: the layout is right. But row 3 does not lie at 3: split it into digits.", 3),
        Wrong({3: ("(4):(2)", 24)}, "3: the layout is right. 3 * 8 takes the 3 as a digit of stride 8.", 3),
    ),
    because="1: one step of 8. 2: two columns of 2. 3: row 3 is (1,1), at 1 + 8.",
)

# ------------------------------------------------------------------------------------------------ 02.9

PLACES = 72


def _judge_own(data) -> Fault | None:
    own = read_layout(data)
    if isinstance(own, Fault):
        return own
    if size(own) != 64 or not compatible((8, 8), own.shape):
        return Fault(f"{says(own)} does not take the coordinates of (8,8)")
    met: dict[int, int] = {}
    for i, offset in enumerate(values(own)):
        cell = f"({i % 8},{i // 8})"
        if not 0 <= offset < PLACES:
            return Fault(f"the cell {cell} lies at {says(offset)}, and the places are 0 to {PLACES - 1}")
        if offset in met:
            first = met[offset]
            return Fault(f"the cells ({first % 8},{first // 8}) and {cell} both lie at {offset}")
        met[offset] = i
    return None


def _view_own(data):
    """The tile; as text where it cannot be drawn."""
    own = read_layout(data)
    if isinstance(own, Fault):
        return f"02.9 · nothing to see yet: {own.sentence}"
    if size(own) != 64 or not compatible((8, 8), own.shape):
        return f"02.9 · nothing to see yet: {says(own)} does not take the coordinates of (8,8)"
    from ...draw import draw_layout

    return draw_layout(own, color="bank", memory=False)


OWN = Exercise(
    id="02.9",
    title="A layout of your own",
    answer="a02_9",
    judge=_judge_own,
    view=_view_own,
    hints=(
        "Begin with one that you know: row-major, or column-major. Then change something, and see what it does.",
        "Two steps that lead to the same place make two cells meet. If the row has 8 cells that are 1 apart, the next row "
        "must begin at 8 or later.",
        "Add up (extent - 1) * stride over all modes: that is where the last cell lies, and it must be at most 71.",
        "The layout must take a row from 0 to 7 and a column from 0 to 7: two modes of 8 cells, each as nested as you like.",
        "Padding fits: rows 9 apart end at 7 * 9 + 7 = 70. Blocks fit, too: ((2,4),(2,4)) with the strides of a walk in "
        "blocks.",
    ),
    wrong=(
        Wrong("(8,8):(7,1)", "the rows overlap: they are 7 apart and 8 long.", 2),
        Wrong("(8,8):(10,1)", "no two cells meet, but the last one lies at 77.", 3),
        Wrong("(8,8):(0,1)", "all rows lie on top of each other: a broadcast is no place to write to.", 2),
        Wrong("64:1", "as memory this is fine. But it takes one number, and a tile takes row and column.", 4),
        Wrong("(4,16):(16,1)", "these are 4 rows of 16. The tile has 8 rows and 8 columns.", 4),
        Wrong(
            (8, 8),
            "this is a shape. It says how many, and not how far: give it strides.",
            1,
            like=lambda data: data in ((8, 8), "(8,8)", "(8, 8)"),
        ),
    ),
    because="Row-major (8,8):(8,1), padded (8,8):(9,1), in blocks ((2,4),(2,4)):((2,16),(1,4)). There are many more.",
)

EXERCISES = (NAME_IT, ROW_BY_ROW, STRIDES, HOW_MUCH, FITS, SLICE, FLOATS, ROW_MAJOR, OWN)
