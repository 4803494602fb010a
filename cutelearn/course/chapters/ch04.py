"""Chapter 04, composition: its exercises, what their checkers hold to be right, and what learners answer instead.

Those that ask for a function stand in functions04.py.
"""

from ...algebra import composition
from ...htuple import LayoutError
from ...layout import Layout, size
from ..compare import (
    Fault,
    dict_fault,
    first_difference,
    grids,
    ints_fault,
    layout_fault,
    read_layout,
    says,
    table,
    values,
)
from ..entries import each_fault
from ..exercises import Exercise, Wrong, simple
from .functions04 import COMPOSE_FLAT, TILE_PICKER

# ------------------------------------------------------------------------------------------------ 04.1

A1, B1 = Layout((4, 6), (6, 1)), Layout((2, 3), (2, 8))

VALUES = Exercise(
    id="04.1",
    title="The values of A o B",
    answer="a04_1",
    judge=lambda data: ints_fault(data, values(composition(A1, B1))),
    hints=(
        "Go through i = 0 to 5. Each i takes two steps: first B(i), a number; then A of that number.",
        "What B gives is a coordinate of A, not an address. A has shape (4,6), and CuTe counts its cells down the "
        "columns: coordinate 2 is the cell (2,0), coordinate 8 is the cell (0,2).",
        "B's first mode turns fastest: B(0), B(1), B(2), ... are 0, 2, 8, 10, 16, 18.",
        "As cells of A these are (0,0), (2,0), (0,2), (2,2), (0,4), (2,4). The cell (r,c) lies at 6r + c.",
    ),
    wrong=(
        Wrong([0, 2, 8, 10, 16, 18], "these are B's own values. A has still to turn each of them into an address.", 2),
        Wrong(
            [0, 2, 4, 12, 14, 16],
            "the six addresses are right, their order is not: you let B's last mode turn first.",
            3,
        ),
        Wrong(
            [0, 24, 48, 72, 2, 26], "this is B o A: you asked A first. In A o B the layout on the right goes first.", 1
        ),
        Wrong([0, 6, 12, 18, 1, 7], "these are the first six values of A; B has not been asked where to go.", 1),
        Wrong(
            [0, 12, 8, 20, 16, 28],
            "you put B's modes on A's modes, one on one, as a tuple would be. B is a Layout: it gives one number, and A "
            "takes that as one coordinate.",
            2,
        ),
        Wrong([0, 2, 12, 14, 24, 26], "row and column are exchanged: of A's coordinate c, c % 4 is the row.", 4),
    ),
    because="B(i) is 0, 2, 8, 10, 16, 18. A reads each as a cell, down its columns, and says where that cell lies.",
)

# ------------------------------------------------------------------------------------------------ 04.2

A2, STEPS = Layout((3, 6, 2, 8), (1, 10, 100, 1000)), (3, 6, 9, 72)


def _walk(step: int) -> Layout:
    """A in steps of so many coordinates, to its end."""
    return composition(A2, Layout(size(A2) // step, step))


DIVISION = Exercise(
    id="04.2",
    title="Divide a shape, mode by mode",
    answer="a04_2",
    judge=lambda data: dict_fault(
        data, {d: lambda entry, d=d: layout_fault(entry, values(_walk(d)), name="your layout") for d in STEPS}
    ),
    hints=(
        "Divide from the left. The first mode takes out of the divisor what it can; what is left of the divisor goes on "
        "to the next mode. Coordinates count from the left, so the division does too.",
        "A mode that is used up is gone. In the mode where the divisor ends, several of its steps become one: its extent "
        "is divided by what was left of the divisor, and its stride is multiplied by the same.",
        "For 9: the first mode has extent 3 and takes a 3 out of 9. What is left of 9 is 3, and the second mode has "
        "extent 6.",
        "9 gives (2,2,8): the 6 became 2, and its stride 10 became 30. The modes to the right stay. For 72, three modes "
        "are used up: 72 = 3 * 6 * 2 * 2.",
    ),
    wrong=(
        Wrong({9: None}, "by 9: 3 is used up by the first mode, that is true. But what is left of 9 then?", 3),
        Wrong(
            {3: "96:3"},
            "by 3: this is the walk itself, and it counts coordinates. The layout has to give addresses: where does A(3) lie?",
            1,
        ),
        Wrong(
            {3: "(3,6,2,8):(3,30,300,3000)"},
            "by 3: you multiplied every stride by 3 and left the shape. That takes 288 steps of 3, and A has 288 / 3 of them; "
            "and one step carries, when the first mode is full.",
            2,
        ),
        Wrong(
            {6: "(3,2,8):(1,100,1000)"},
            "by 6: you divided the mode whose extent is 6. The division begins at the first mode, where it fits or not.",
            1,
        ),
        Wrong(
            {6: "(3,2,8):(10,100,1000)"},
            "by 6: the shape is right. But one step of 6 now goes two places on in the second mode: look at its stride.",
            2,
        ),
        Wrong(
            {9: "(2,2,8):(90,100,1000)"},
            "by 9: the shape is right. Of the 9, the first mode took a 3 already; the second mode sees only what was left.",
            3,
        ),
        Wrong(
            {72: "4:72"},
            "by 72: 72 counts coordinates of A. The layout has to give addresses: where does A(72) lie?",
            4,
        ),
    ),
    because="/3: the first mode is gone. /6: it takes 3, a 2 is left: 6 / 2 = 3 with stride 2 * 10. /9: a 3 is left: "
    "6 / 3 = 2 with stride 30. /72: the first two modes take 18, a 4 is left, the third takes 2, and the last becomes "
    "8 / 2 = 4 with stride 2000. The strides are powers of ten, so you can read in each value which mode it came from.",
)

# ------------------------------------------------------------------------------------------------ 04.3

PAIRS = {
    1: ("(2,3):(4,1)", "(3,4):(3,1)"),
    2: ("(6,2):(8,2)", "3:4"),
    3: ("(6,2):(1,10)", "(3,4):(2,3)"),
    4: ("(4,2):(1,8)", "12:1"),
    5: ("(8,4):(4,1)", "(6,4):(1,8)"),
    6: ("(4,6):(1,4)", "4:5"),
}
WORDS = ("composes", "stride", "shape", "carry", "size")


def condition(a: Layout, b: Layout) -> str:
    """ "composes", or which condition A o B fails."""
    try:
        composition(a, b)
    except LayoutError as error:
        signs = {"stride": "stride divisibility", "shape": "shape divisibility", "carry": "of B carry"}
        return next(word for word, sign in signs.items() if sign in str(error))
    return "composes"


def _judge_word(number: int, word) -> Fault | None:
    a, b = map(Layout.parse, PAIRS[number])
    if not isinstance(word, str) or simple(word) not in WORDS:
        return Fault(f"{says(word)} is none of the words {', '.join(WORDS)}")
    if simple(word) == condition(a, b):
        return None
    what = "fails this way" if simple(word) != "composes" else "composes"
    return Fault(f"it is not so that this pair {what}. Look at its values", _evidence(a, b))


def _evidence(a: Layout, b: Layout) -> str:
    """What A(B(i)) is, beside what the modes of B give one by one."""
    try:
        by_mode = values(composition(a, b, check=False))
    except LayoutError:
        by_mode = ["none"] * size(b)
    wanted = [a(b(i)) for i in range(size(b))]
    differ = first_difference(by_mode, wanted) if by_mode[0] != "none" else None
    shown = range(min(size(b), 12))
    return table(("i", "B(i)", "A(B(i))", "by mode"), [(i, b(i), wanted[i], by_mode[i]) for i in shown], differ)


PAIRS_EXERCISE = Exercise(
    id="04.3",
    title="Which pairs compose?",
    answer="a04_3",
    judge=lambda data: each_fault(data, _judge_word, PAIRS),
    hints=(
        "Take one mode s:d of B at a time through A's shape, from the left: divide by d, then keep s. Say at each mode of "
        "A what fits. Write the values A(B(i)) of the doubtful ones down.",
        "How far B reaches is never the reason. A's last mode is open: a coordinate past the end goes on along it. And "
        "cutting a mode short, so that only some of its cells are met, is allowed.",
        "Stride: the step is longer than the extent that it meets, and no multiple of it. Shape: the step is shorter, so "
        "some steps fit into the extent, and B's count goes on past them but is no multiple of them. In pair 1 the step 3 "
        "meets the extent 2. In pair 2 the step 4 meets the extent 6: two steps fit, at 0 and 4.",
        "Each mode of B may go through A and the sum may still be wrong. In pair 3, B(2,1) = 4 + 3 = 7. The first mode of "
        "A has 6 cells: alone, 4 and 3 stay inside it; together they do not.",
        "Before you look for a fit, write A as short as it goes: modes that continue each other are one mode. "
        "(4,6):(1,4) is the same function as 24:1.",
    ),
    wrong=(
        Wrong({1: "size"}, "pair 1: B does reach past A, but that alone would be legal. Something else fails.", 2),
        Wrong(
            {3: "composes"},
            "pair 3: each mode alone goes through A. But is A(B(i)) the sum of the two, for every i?",
            4,
        ),
        Wrong(
            {3: "size"},
            "pair 3: B does reach past A, and that alone would be legal. Index 5 is still inside, and gives 11: from where?",
            4,
        ),
        Wrong(
            {4: "size"}, "pair 4: 12 coordinates and only 8 cells, yes. But where does A go when you ask for cell 8?", 2
        ),
        Wrong(
            {5: "shape"},
            "pair 5: 6 does not divide 8, and it need not: nothing comes after the part that is cut off.",
            2,
        ),
        Wrong({6: "stride"}, "pair 6: that would be so if 4 and 6 were two modes. Is this A really made of two?", 5),
        Wrong(
            {1: "shape"}, "pair 1: it fails before anything is counted: the step 3 does not even fit the extent 2.", 3
        ),
        Wrong(
            {2: "stride"},
            "pair 2: of the step 4, two fit into the extent 6, at 0 and 4. Had B only two values, it would compose. So it "
            "is not the step that fails, it is the count.",
            3,
        ),
    ),
    because="1: the step 3 is longer than the extent 2, and no multiple of it. 2: two steps of 4 fit into 6, and 3 is no "
    "multiple of 2: the values 0, 32, 18 have no common step. 3: 4 + 3 carries over the 6. 4: the last mode is open. "
    "5: rows 6 and 7 are left out, nothing spills over. 6: A is 24:1 in two modes' clothing.",
)

# ------------------------------------------------------------------------------------------------ 04.4

A4, T4 = Layout((4, 6), (6, 1)), Layout((6, 4), (1, 6))


def _judge_view(data) -> Fault | None:
    b = read_layout(data)
    if isinstance(b, Fault):
        return b
    if size(b) != size(T4):
        return Fault(f"{says(b)} has size {says(size(b))}; the view has 24 cells")
    try:
        r = composition(A4, b)
    except LayoutError as error:
        return Fault(
            f"composition(A, B) refuses your B. {error}", grids([A4(b(i)) for i in range(24)], values(T4), T4.shape)
        )
    return layout_fault(r, values(T4), shape=T4.shape, name="composition(A, B)")


TRANSPOSED = Exercise(
    id="04.4",
    title="The transposed view",
    answer="a04_4",
    judge=_judge_view,
    hints=(
        "The result takes B's coordinates. So B has the shape of the view that you want: 6 rows, 4 columns.",
        "B speaks in coordinates of A, not in addresses. Row i, column j of the view is row j, column i of A. Which "
        "1-D coordinate of A is that cell?",
        "A's cells are counted down its columns of 4: the cell in row r and column c is number r + 4c.",
        "With r = j and c = i that is j + 4i. So one step in i is 4, one step in j is 1.",
    ),
    wrong=(
        Wrong(
            "(6,4):(1,6)",
            "this is the view that you want, as addresses. B does not make addresses, A does: B names cells of A.",
            2,
        ),
        Wrong("(4,6):(1,4)", "with this B the result is A itself: it counts A's cells in A's own order.", 1),
        Wrong(
            "(6,4):(6,1)", "6 and 1 are A's strides: distances in memory. B needs distances in A's count of cells.", 3
        ),
        Wrong(
            (6, 4),
            "a tuple works on each mode of A by itself: (6,4) would be six rows and four columns of A. To visit the cells "
            "in another order you need a Layout, one walk through all of A.",
            1,
            like=lambda data: data in ((6, 4), "(6,4)", "(6, 4)"),
        ),
        Wrong(
            "(4,6):(4,1)", "4 and 1 are the right steps, but look which of them belongs to the six rows of the view.", 4
        ),
    ),
    because="B = composition(right_inverse(A), wanted) finds it without thinking: the inverse says which coordinate of A "
    "holds an address. Here the wanted view reads the addresses 0, 1, 2, ... in order, so B is the inverse itself.",
)

# ------------------------------------------------------------------------------------------------ 04.5

A5 = Layout((8, 8), (8, 1))
CODES = {
    "a": ("composition(A, (2, 4))", (2, 4)),
    "b": ("composition(A, Layout((2, 4)))", Layout((2, 4))),
    "c": ("composition(A, Layout(8, 8))", Layout(8, 8)),
    "d": ("composition(A, (Layout(2, 4), Layout(4, 2)))", (Layout(2, 4), Layout(4, 2))),
    "e": ("composition(A, Layout((2, 4), (8, 1)))", Layout((2, 4), (8, 1))),
}
PICTURES = {1: "a", 2: "b", 3: "c", 4: "d"}


def walk_over(a: Layout, r: Layout) -> list:
    """For each cell of a matrix, by its 1-D coordinate: when the walk `r` through the same memory meets it, or a dot."""
    met = {offset: i for i, offset in enumerate(values(r))}
    return [met.get(a(i), ".") for i in range(size(a))]


def _walk_of(letter: str) -> list:
    return walk_over(A5, composition(A5, CODES[letter][1]))


def pictures() -> str:
    """The four pictures side by side, as the notebook shows them."""
    cells = {n: _walk_of(letter) for n, letter in PICTURES.items()}
    lines = ["     ".join(f"picture {n}".ljust(15) for n in PICTURES).rstrip()]
    lines += ["     ".join(" ".join(str(cells[n][i + 8 * j]) for j in range(8)) for n in PICTURES) for i in range(8)]
    return "\n".join(lines)


def _judge_letter(number: int, letter) -> Fault | None:
    if not isinstance(letter, str) or simple(letter) not in CODES:
        return Fault(f"{says(letter)} is none of the letters {', '.join(CODES)}")
    if simple(letter) == PICTURES[number]:
        return None
    yours, wanted = _walk_of(simple(letter)), _walk_of(PICTURES[number])
    return Fault(f"picture {number} is not drawn by {CODES[simple(letter)][0]}", grids(yours, wanted, (8, 8)))


TUPLE_OR_LAYOUT = Exercise(
    id="04.5",
    title="Tuple or Layout?",
    answer="a04_5",
    judge=lambda data: each_fault(data, _judge_letter, PICTURES),
    hints=(
        "Ask of each line: is there one walk on the right, or one entry for rows and one for columns? And of each "
        "picture: could rows and columns have been chosen apart?",
        "A tuple has one entry a mode: the first picks rows, the second picks columns. What comes out is always every "
        "picked row with every picked column.",
        "A Layout is one walk through A's 1-D coordinates, and they go down the first column, then down the second. "
        "Layout((2, 4)) counts 0 to 7. Layout(8, 8) goes 0, 8, 16, ...",
        "Coordinate 8 is the top of the second column. So the walk in steps of 8 runs along the first row.",
    ),
    wrong=(
        Wrong(
            {1: "b", 2: "a"},
            "the tuple and the Layout are exchanged. (2, 4) says 2 rows and 4 columns; Layout((2, 4)) counts to eight.",
            2,
        ),
        Wrong(
            {2: "c", 3: "b"},
            "row and column are exchanged: you counted A's cells along the row, as numpy does. CuTe goes down the column, "
            "whatever the strides are.",
            3,
        ),
        Wrong(
            {4: "e"},
            "picture 4: a Layout with the same extents does not pick rows and columns: it is one walk, and its two strides add up "
            "to one coordinate.",
            2,
        ),
        Wrong(
            {1: "e"},
            "picture 1: this walk does meet two columns of four rows: look at which way its first two cells lie.",
            4,
        ),
        Wrong(
            {3: "a"},
            "picture 3: two rows of four are not one row of eight. Where does a step of 8 in coordinates lead?",
            4,
        ),
    ),
    because="a: rows 0-1, columns 0-3. b: the first eight coordinates, a column. c: steps of 8 coordinates, a row. "
    "d: every fourth row, every second column. e is not shown: it steps to the right first, then down.",
)

# ------------------------------------------------------------------------------------------------ 04.8

A8 = Layout((8, 8), (8, 1))


def _judge_order(data) -> Fault | None:
    b = read_layout(data)
    if isinstance(b, Fault):
        return b
    if size(b) != 64:
        return Fault(f"{says(b)} has size {says(size(b))}, and the tile has 64 cells, each to be met once")
    met = values(b)
    beyond = next((i for i, cell in enumerate(met) if not 0 <= cell < 64), None)
    if beyond is not None:
        return Fault(f"at i = {beyond} you go to cell {met[beyond]}, and the cells are 0 to 63", walk_table(met))
    first: dict[int, int] = {}
    for i, cell in enumerate(met):
        if cell in first:
            return Fault(f"cell {cell} is met twice, at i = {first[cell]} and i = {i}; others never", walk_table(met))
        first[cell] = i
    return None


def walk_table(met: list[int]) -> str:
    """The 8x8 tile, in each cell when it is met first."""
    when: dict[int, int] = {}
    for i, cell in enumerate(met):
        when.setdefault(cell, i)
    rows = [" ".join(f"{when.get(r + 8 * c, '.'):>3}" for c in range(8)) for r in range(8)]
    return "\n".join("  " + row for row in rows)


def _view_order(data):
    """The tile with the number of each visit; as text where a cell lies outside of it."""
    b = read_layout(data)
    if isinstance(b, Fault):
        return f"04.8 · nothing to see yet: {b.sentence}"
    if size(b) > 4096:
        return f"04.8 · {says(b)} has {says(size(b))} cells, too many to draw"
    met = values(b)
    if not all(0 <= cell < 64 for cell in met):
        return f"{b} leaves the tile; inside of it, each cell shows when you come to it\n{walk_table(met)}"
    from ...draw import draw_order

    return draw_order(A8, b, cell="order", title=f"B = {b}")


def _snake(along: int, across: int) -> list[int]:
    """Along one line of cells, back along the next."""
    return [across * line + along * (i if line % 2 == 0 else 7 - i) for line in range(8) for i in range(8)]


OWN_ORDER = Exercise(
    id="04.8",
    title="An order of your own",
    answer="a04_8",
    judge=_judge_order,
    view=_view_order,
    hints=(
        "B(i) is the cell that you visit as number i. Cells are counted down the columns: 0 to 7 is the first column. "
        "Begin with an order that you know: along the rows, or in 2 x 2 blocks.",
        "Write for each turn of your walk how many cells it has and how far one step goes: blocks of 2 x 2 begin with "
        "(2,2):(1,8). The next turns step from block to block.",
        "The extents multiply to 64. So that every cell is met once, each of the steps 1, 2, 4, 8, 16, 32 has to be there "
        "exactly once, alone or inside a longer mode: 8:1 holds the steps 1, 2, 4.",
        "A layout walks each turn in the same way every time. So down one column and up the next is no layout: the step "
        "would have to change its sign. Choose an order that repeats itself.",
    ),
    wrong=(
        Wrong(
            "(8,8):(9,1)",
            "9 is the stride of a padded matrix in memory. B counts cells, and 9 cells on is another column.",
            2,
        ),
        Wrong(
            "(8,8):(1,4)",
            "the turns overlap: after eight steps of 1, a step of 4 leads back into cells that were met.",
            3,
        ),
        Wrong(
            (8, 8),
            "a tuple picks rows and columns, it does not say in which order to walk. Give the extents strides: a Layout.",
            1,
        ),
        Wrong(
            _snake(1, 8),
            "a fine walk, and there is no layout for it: the step changes its sign at every turn.",
            4,
            like=lambda data: data in (_snake(1, 8), _snake(8, 1)),
        ),
        Wrong(
            Layout(8, 9),
            "this is only a part of the tile. A walk through all of it has as many values as there are cells.",
            3,
            like=lambda data: not isinstance(layout := read_layout(data), Fault) and size(layout) < 64,
        ),
    ),
    because="Along the rows: (8,8):(8,1). In 2 x 2 blocks, down the columns: ((2,2),(4,4)):((1,8),(2,16)). Z-order: "
    "(2,2,2,2,2,2):(1,8,2,16,4,32). There are many more.",
)

EXERCISES = (
    VALUES,
    DIVISION,
    PAIRS_EXERCISE,
    TRANSPOSED,
    TUPLE_OR_LAYOUT,
    TILE_PICKER,
    COMPOSE_FLAT,
    OWN_ORDER,
)
