"""Chapter 05, complement and divide: its exercises, what their checkers hold to be right, and what learners answer.

Those that ask for a function stand in functions05.py.
"""

from ...algebra import complement, parse_tiler
from ...htuple import LayoutError, text
from ...layout import Layout, size
from ...tiling import flat_divide, logical_divide, tiled_divide, zipped_divide
from ..compare import Fault, dict_fault, ints_fault, layout_fault, says, values
from ..entries import each_fault
from ..exercises import Exercise, Wrong, simple
from .functions05 import CUT, GUARD, WRITE_COMPLEMENT, WRITE_DIVIDE
from .quiz05 import a_shape

# ------------------------------------------------------------------------------------------------ 05.1

BY_HAND = {
    "a": ("3:4", 24),
    "b": ("(2,3):(1,8)", 24),
    "c": ("(2,2):(8,1)", 32),
    "d": ("(2,4):(0,1)", 16),
    "e": ("(4,2):(1,2)", 16),
    "f": ("2:5", 4),
}


def _complement_of(letter: str) -> Layout | None:
    a, cotarget = BY_HAND[letter]
    try:
        return complement(Layout.parse(a), cotarget)
    except LayoutError:
        return None


def _judge_complement(letter: str, entry) -> Fault | None:
    wanted = _complement_of(letter)
    none = entry is None or (isinstance(entry, str) and simple(entry) == "none")
    if wanted is None:
        return None if none else Fault(f"{BY_HAND[letter][0]} has no complement, and you give {says(entry)}")
    return layout_fault(None if none else entry, values(wanted), name="your complement")


COMPLEMENT_BY_HAND = Exercise(
    id="05.1",
    title="Complement by hand",
    answer="a05_1",
    judge=lambda data: each_fault(data, _judge_complement, BY_HAND),
    hints=(
        "Draw the places from 0 on and cross out those that A takes. Where is the first free one? A copy from there fills "
        "which others? The starts, in rising order, are the complement.",
        "Or by the rule, from the smallest stride up. full is 1. At each mode s:d: d / full copies, full apart; then full "
        "is s * d. At the end: cotarget / full copies, full apart, rounded up.",
        "The order in which A's modes are written does not matter; take the mode with the smaller stride first. A mode of "
        "stride 0 takes no place: leave it out.",
        "If a stride is smaller than full, the mode runs into places that are taken already. Then two cells of A, or two of "
        "its copies, meet, and there is no complement.",
        "The cotarget is asked at the end only. A hole that A leaves is filled, even beyond the cotarget: before the stride "
        "5 of 2:5 there is room for 5 copies.",
    ),
    wrong=(
        Wrong(
            {"a": "8:3"},
            "a: 24 / 3 copies are right in number. But they do not start 3 apart: 3 is a hole, and so are 1, 2.",
            1,
        ),
        Wrong(
            {"a": "(3,2):(1,12)"},
            "a: up to the stride 4 there is room for 4 copies. The 3 is how many cells the mode has.",
            2,
        ),
        Wrong({"a": "4:1"}, "a: these four fill the holes from 0 to 11. The copies are to reach 24.", 2),
        Wrong(
            {"a": "(4,6):(1,4)"}, "a: full is 3 * 4 = 12 after the mode, not 4. How many copies does 24 take then?", 2
        ),
        Wrong({"b": "6:4"}, "b: A is no block: it takes 0, 1, 8, 9, 16, 17. A copy from 4 leaves 2 and 3 free.", 1),
        Wrong({"b": "3:2"}, "b: from 0 up to 8 there is room for 8 / 2 copies, not for three.", 2),
        Wrong(
            {"b": "(4,3):(2,8)"},
            "b: after the mode 3:8 the places up to 24 are full. Nothing is left to fill at the end.",
            2,
        ),
        Wrong({"c": "(8,2):(1,16)"}, "c: you began with 2:8. The mode with the smaller stride, 2:1, comes first.", 3),
        Wrong(
            {"c": "8:2"},
            "c: four copies, 2 apart, fill 0 to 15. The mode 2:8 has 8 and 9: from there on ask the cotarget.",
            2,
        ),
        Wrong({"c": "8:4"}, "c: this is for a block of four. A takes 0, 1, 8, 9.", 1),
        Wrong(
            {"d": None},
            "d: two cells share each place on purpose. A stride of 0 is ignored; what takes the places is 4:1.",
            3,
        ),
        Wrong({"d": "2:8"}, "d: 8 cells, but they take only four places: 0, 1, 2, 3.", 3),
        Wrong({"e": "2:8"}, "e: how many places does A take? List A(0) to A(7): one comes twice.", 4),
        Wrong({"e": "(2,2):(1,8)"}, "e: list A(0) to A(7): 2 and 3 come twice. What overlaps itself cannot tile.", 4),
        Wrong(
            {"f": "2:1"},
            "f: two copies take 0, 1, 5, 6, and 2 is still a hole. It is filled, whatever the cotarget says.",
            5,
        ),
        Wrong(
            {"f": "4:1"}, "f: the cotarget is no limit for the number of copies. How much room is there before 5?", 5
        ),
        Wrong({"f": None}, "f: A reaches past 4, and that is no reason: the cotarget is a least, not a most.", 5),
    ),
    because="a: 4 / 1 copies, then 24 / 12. b: 8 / 2 copies, then 24 places are full. c: 8 / 2, then 32 / 16. d: 4:1 remains, "
    "and 16 / 4. e: 2 is smaller than 4, so places are met twice. f: 5 / 1, and then 10 places are full, more than 4.",
)

# ------------------------------------------------------------------------------------------------ 05.2

A2, TILE2 = Layout((6, 8), (8, 1)), (2, 4)
STARTS2 = values(zipped_divide(A2, TILE2)[1])

FIRST_OFFSETS = Exercise(
    id="05.2",
    title="Where does tile n begin?",
    answer="a05_2",
    judge=lambda data: ints_fault(data, STARTS2, "n"),
    hints=(
        "A tile has 2 rows and 4 columns, so there are 6 / 2 rows of tiles and 8 / 4 columns of tiles. Draw them.",
        "Tiles are counted as everything is, colex: down first. Tile 1 lies below tile 0.",
        "Tile (p, q) begins at the cell (2p, 4q). Where does A put it? Its strides are 8 and 1.",
        "Tile 1 is (1,0) and begins at the cell (2,0): 2 * 8. Tile 3 is (0,1), and begins at the cell (0,4).",
    ),
    wrong=(
        Wrong([0, 4, 16, 20, 32, 36], "the six addresses are right, but you counted the tiles along the rows.", 2),
        Wrong(
            [0, 8, 16, 24, 32, 40], "a tile has 8 cells, but they do not lie together: tile 1 does not begin at 8.", 3
        ),
        Wrong(
            [0, 2, 4, 24, 26, 28],
            "these are numbers of cells, counted down the columns. At which address do they lie?",
            3,
        ),
        Wrong(
            [0, 16, 32, 48, 64, 80],
            "after three tiles the rows are used up: tile 3 is (0,1), at the top again, four columns to the right.",
            4,
        ),
        Wrong([0, 8, 16, 4, 12, 20], "one row of tiles down is two rows of the matrix.", 3),
        Wrong(
            [0, 1, 2, 8, 9, 10],
            "a step from tile to tile is not a step from cell to cell: it is 2 rows, or 4 columns.",
            3,
        ),
        Wrong([0, 16, 32, 2, 18, 34], "the steps down are right. One tile to the right is 4 columns on, not 2.", 3),
    ),
    because="The rest mode of zipped_divide(A, (2,4)) is (3,2):(16,4): 2 * 8 down and 4 * 1 to the right.",
)

# ------------------------------------------------------------------------------------------------ 05.3

SHAPE3, TILER3 = (6, 20, 7), (3, 4)
DIVIDES = {"logical": logical_divide, "zipped": zipped_divide, "tiled": tiled_divide, "flat": flat_divide}
SHAPES3 = {name: text(divide(Layout(SHAPE3), TILER3).shape) for name, divide in DIVIDES.items()}


def _judge_shape(name: str, entry) -> Fault | None:
    shape = a_shape(entry)
    if isinstance(shape, Fault) or shape == SHAPES3[name]:
        return shape if isinstance(shape, Fault) else None
    return Fault(f"{name}_divide does not give the shape {says(shape)}")


def _wrong_shape(name: str, shape: str, shows: str, hint: int) -> Wrong:
    """This shape for this divide, as a tuple or as text with any spaces."""
    return Wrong(
        {name: shape}, shows, hint, like=lambda data: isinstance(data, dict) and a_shape(data.get(name)) == shape
    )


FOUR_SHAPES = Exercise(
    id="05.3",
    title="Four shapes",
    answer="a05_3",
    judge=lambda data: each_fault(data, _judge_shape, DIVIDES),
    hints=(
        "First the parts: the tile takes 3 of the 6 and 4 of the 20. How many tiles are there in each direction? The 7 is "
        "not cut.",
        "logical has a pair (tile, rest) in each mode, and a mode that the tiler does not reach stays as it is.",
        "zipped has exactly two modes: all of the tile, then all of the rest. The 7 goes to the rest.",
        "tiled is zipped with the parentheses round the rest taken away; flat is zipped with both taken away.",
    ),
    wrong=(
        _wrong_shape(
            "logical",
            "((3,2),(4,5))",
            "logical: the 7 is gone. What the tiler does not reach stays a mode of its own.",
            2,
        ),
        _wrong_shape(
            "logical", "((2,3),(5,4),7)", "logical: in each pair the tile comes first, then how many there are.", 2
        ),
        _wrong_shape(
            "logical",
            "((3,4),(2,5),7)",
            "logical: rows with rows and columns with columns; this has the tile in one mode.",
            2,
        ),
        _wrong_shape("logical", "((3,2),(4,5),(7,1))", "logical: 7 is not cut at all, so it becomes no pair.", 2),
        _wrong_shape("zipped", "((3,4),(2,5),7)", "zipped: two modes only. The 7 is rest: it goes in with 2 and 5.", 3),
        _wrong_shape("zipped", "((3,4),(2,5))", "zipped: the 7 is gone, and six of seven cells with it.", 3),
        _wrong_shape(
            "zipped", "((3,4,7),(2,5))", "zipped: the tiler says 3 and 4, so the tile has no 7. It is rest.", 3
        ),
        _wrong_shape(
            "tiled", "(3,4,(2,5,7))", "tiled: the other way round: the tile stays together, the rest is spread.", 4
        ),
        _wrong_shape(
            "tiled", "((3,4),(2,5,7))", "tiled: this is the zipped form. Tiled takes one pair of parentheses away.", 4
        ),
        _wrong_shape("flat", "(3,2,4,5,7)", "flat: first all of the tile, then all of the rest.", 4),
        _wrong_shape(
            "flat", "((3,4),2,5,7)", "flat: this is the tiled form. In flat no inner parentheses are left.", 4
        ),
    ),
    because="3 and 4 are the tile; 6 / 3 = 2, 20 / 4 = 5, and the 7 that nobody cut, are the rest.",
)

# ------------------------------------------------------------------------------------------------ 05.5

A5, TILE5, WHICH5 = Layout((6, 10), (10, 1)), (4, 4), (1, 2)


def _cells_of_tile() -> list[tuple]:
    """(row, column, address, whether the cell exists) of the ragged tile."""
    r = zipped_divide(A5, TILE5)
    cells = [(i, j) for j in range(TILE5[1]) for i in range(TILE5[0])]
    out = []
    for i, j in cells:
        row, column = WHICH5[0] * TILE5[0] + i, WHICH5[1] * TILE5[1] + j
        out.append((row, column, r((i, j), WHICH5), row < size(A5, 0) and column < size(A5, 1)))
    return out


CELLS5 = _cells_of_tile()
EXIST5 = sum(cell[3] for cell in CELLS5)
PASS5 = sorted(cell[2] for cell in CELLS5 if not cell[3] and cell[2] < size(A5))


def _judge_count(wanted: int, entry) -> Fault | None:
    if not isinstance(entry, int) or isinstance(entry, bool):
        return Fault(f"{says(entry)} is not an integer")
    return None if entry == wanted else Fault(f"{says(entry)} is not the number")


def _judge_pass(entry) -> Fault | None:
    if isinstance(entry, (list, tuple)) and all(isinstance(n, int) for n in entry):
        entry = sorted(entry)
    return ints_fault(entry, PASS5, "entry")


RAGGED = Exercise(
    id="05.5",
    title="A ragged tile",
    answer="a05_5",
    judge=lambda data: dict_fault(
        data,
        {
            "exist": lambda entry: _judge_count(EXIST5, entry),
            "phantoms": lambda entry: _judge_count(len(CELLS5) - EXIST5, entry),
            "pass": _judge_pass,
        },
    ),
    hints=(
        "Tile (1,2) begins at row 1 * 4 and column 2 * 4. Write the 16 coordinates (row, column) down as a square.",
        "A has rows 0 to 5 and columns 0 to 9. A cell exists if its row and its column do.",
        "A phantom at (r,c) gets the address 10r + c, as if it were there. Which of these are smaller than 60?",
        "Rows 6 and 7 lie at 60 and more. In rows 4 and 5 the phantoms are in the columns 10 and 11.",
    ),
    wrong=(
        Wrong(
            {"exist": 16}, "exist: a tile has 16 cells, but this one reaches past the last row and the last column.", 2
        ),
        Wrong({"exist": 8}, "exist: only one of the two directions was looked at. Rows end at 5, and columns at 9.", 2),
        Wrong({"exist": 6}, "exist: 6 is how many cells have an address below 60. Does each of them exist?", 2),
        Wrong({"exist": 12}, "exist: that is how many do not exist.", 2),
        Wrong(
            {"exist": 9}, "exist: rows 4, 5 and columns 8, 9: the last row is number 5, the last column number 9.", 2
        ),
        Wrong({"phantoms": 10}, "phantoms: 10 addresses are past the end. But a phantom may have a good address.", 3),
        Wrong(
            {"phantoms": 8},
            "phantoms: rows 6 and 7 are 8 cells. Columns 10 and 11 have phantoms in rows 4 and 5, too.",
            2,
        ),
        Wrong({"pass": []}, "pass: some do. Where do the phantoms in row 4 lie, as addresses?", 3),
        Wrong(
            {"pass": [48, 49, 50, 51, 58, 59]},
            "pass: all addresses below 60 are here. Those of cells that exist are no fault.",
            2,
        ),
        Wrong({"pass": [50, 51, 60, 61]}, "pass: these are the phantoms in rows 4 and 5. Is 60 smaller than 60?", 3),
        Wrong({"pass": [48, 49, 58, 59]}, "pass: these four exist. Which phantoms pass?", 4),
    ),
    because="The cells (4,8), (4,9), (5,8), (5,9) exist. The phantoms (4,10) and (4,11) lie at 50 and 51, where (5,0) and "
    "(5,1) lie, and pass the test.",
)

# ------------------------------------------------------------------------------------------------ 05.9

A9, INSIDE9, TILES9 = Layout((8, 12), (12, 1)), 16, 6


def _read_tiler(data):
    """A tiler from a layout, a tuple of layouts and integers, or text; a Fault that says why it is none."""
    if isinstance(data, str):
        try:
            data = parse_tiler(data) if len(data) <= 200 else None
        except LayoutError as error:
            return Fault(str(error))
    if isinstance(data, list):
        data = tuple(data)
    entries = data if isinstance(data, tuple) else (data,)
    if entries and all(isinstance(e, Layout) or (isinstance(e, int) and not isinstance(e, bool)) for e in entries):
        return data
    return Fault(f"{says(data)} is no tiler. Write a Layout, or a tuple with one entry for rows and one for columns")


def _judge_tiler(data) -> Fault | None:
    tiler = _read_tiler(data)
    if isinstance(tiler, Fault):
        return tiler
    try:
        small = [e if isinstance(e, int) else size(e) for e in (tiler if isinstance(tiler, tuple) else (tiler,))]
        if any(not 1 <= n <= size(A9) for n in small):
            return Fault(f"a tile has {INSIDE9} cells, and yours is no part of an 8 x 12 matrix")
        r = zipped_divide(A9, tiler)
    except LayoutError as error:
        return Fault(f"zipped_divide(A, tiler) refuses this tiler. {error}")
    if size(r, 0) != INSIDE9:
        return Fault(f"a tile has {says(size(r, 0))} cells, and {INSIDE9} are wanted")
    if size(r) != size(A9):
        return Fault(
            f"{size(r, 1)} tiles of {INSIDE9} are {size(r)} cells, and A has {size(A9)}: there are phantoms among them"
        )
    met = sorted(values(r))
    if met != list(range(size(A9))):
        twice = next((k for k in range(1, len(met)) if met[k] == met[k - 1]), None)
        return Fault(f"not each cell is met once: address {met[twice] if twice else met[-1]} is wrong")
    return None


def _view_tiler(data):
    found = _judge_tiler(data)
    if found:
        return f"05.9 · nothing to see yet: {found.sentence}"
    from ...draw import draw_divide

    return draw_divide(A9, _read_tiler(data), "zipped", pick=0)


def _cells_of(data) -> int | None:
    tiler = _read_tiler(data)
    if isinstance(tiler, Fault):
        return None
    n = 1
    for entry in tiler if isinstance(tiler, tuple) else (tiler,):
        n *= entry if isinstance(entry, int) else size(entry)
    return n


def _is(tiler):
    """Whether an answer is this tiler, as objects or as text."""
    return lambda data: _read_tiler(data) == tiler


OWN_TILE = Exercise(
    id="05.9",
    title="A tile of your own",
    answer="a05_9",
    judge=_judge_tiler,
    view=_view_tiler,
    hints=(
        "Begin with a block: which numbers of rows and columns multiply to 16, with the rows dividing 8 and the columns "
        "dividing 12?",
        "Four rows and four columns will do, or eight and two. Now keep the counts and give them strides: which four of "
        "the eight rows? 4:2 takes every second one.",
        "A stride must leave room that copies fill: of 12 columns, 4:3 takes 0, 3, 6, 9, and two copies fill the holes. "
        "4:2 of 12 takes 0, 2, 4, 6: its copies fill 8 columns, and then 4 are left.",
        "An entry may have two modes: the columns 0, 1, 6, 7 are (2,2):(1,6). A tiler is a tuple of entries, one for rows "
        "and one for columns, such as (Layout(4, 2), Layout(4, 3)).",
    ),
    wrong=(
        Wrong(
            (4, 6),
            "24 cells a tile make four tiles. Sixteen are wanted, in six tiles.",
            1,
            like=lambda data: _cells_of(data) == 24,
        ),
        Wrong(
            (2, 8),
            "8 does not divide 12: the second tile to the right reaches past the last column.",
            1,
            like=_is((2, 8)),
        ),
        Wrong(
            (Layout(4, 2), Layout(4, 2)),
            "the rows are fine. Of 12 columns 4:2 and its copies fill 8, and the next eight reach past the end.",
            3,
            like=_is((Layout(4, 2), Layout(4, 2))),
        ),
        Wrong((8, 8), "64 cells a tile are more than sixteen.", 1, like=_is((8, 8))),
        Wrong(
            (Layout(4, 4), 4), "4:4 takes the rows 0, 4, 8, 12, and A has eight rows.", 2, like=_is((Layout(4, 4), 4))
        ),
    ),
    because="(4, 4) and (8, 2) are blocks. (Layout(4, 2), Layout(4, 3)) has every second row and every third column. "
    "(4, Layout((2, 2), (1, 6))) has two pairs of columns. There are many more.",
)

EXERCISES = (
    COMPLEMENT_BY_HAND,
    FIRST_OFFSETS,
    FOUR_SHAPES,
    CUT,
    RAGGED,
    GUARD,
    WRITE_COMPLEMENT,
    WRITE_DIVIDE,
    OWN_TILE,
)
