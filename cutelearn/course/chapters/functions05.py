"""Chapter 05, complement and divide: the exercises that ask for a function, and their checkers."""

import random
from functools import cache
from itertools import product as pairs_of

from ...algebra import complement, composition
from ...htuple import LayoutError, text
from ...layout import Layout, cosize, make_identity_layout, make_layout, rank, size
from ...tensor import elem_less
from ...tiling import flat_divide, logical_divide, tiled_divide, zipped_divide
from ..answers import Refused
from ..compare import Fault, layout_fault, says, values
from ..exercises import FunctionExercise, Wrong

# ------------------------------------------------------------------------------------------------ 05.4


def matrices_to_cut() -> list[tuple]:
    """(A, m, n): matrices of many kinds, and tiles that fit."""
    cases = [("(12,32):(1,12)", 4, 8), ("(12,32):(32,1)", 4, 8), ("(8,6):(6,1)", 2, 3), ("(8,6):(1,10)", 4, 6)]
    cases += [
        ("(9,(4,8)):(59,(13,1))", 3, 8),
        ("((2,4),6):((1,12),2)", 4, 2),
        ("(6,8):(8,1)", 6, 1),
        ("(6,8):(8,1)", 1, 8),
    ]
    return [(Layout.parse(a), m, n) for a, m, n in cases]


def _judge_cut(arguments, outcome) -> Fault | None:
    a, m, n = arguments
    if isinstance(outcome, Refused):
        return Fault(f"raised an error, and there are tiles. {outcome.message}")
    wanted = zipped_divide(a, (m, n))
    shape = ((m, n), (size(a, 0) // m, size(a, 1) // n))
    found = layout_fault(outcome, values(wanted), shape=shape, name="your layout")
    return Fault(found.sentence, found.beside) if found else None


CUT = FunctionExercise(
    id="05.4",
    title="Mend the tiles",
    answer="cut",
    inputs=matrices_to_cut,
    judge=_judge_cut,
    hints=(
        "What does Layout((4, 8)) count? It has 32 cells and goes through A's 1-D coordinates from 0 to 31. In a matrix of "
        "12 rows, which cells are these?",
        "Rows and columns are to be cut apart, each by itself. What on the right-hand side works by mode?",
        "A tuple: (m, n) takes m rows and n columns. And the order of the modes: the tile first, as ((m,n),(rest,rest)).",
        "zipped_divide has the tile as mode 0 and the rest as mode 1; logical_divide has rows as mode 0, columns as mode 1.",
    ),
    wrong=(
        Wrong(
            lambda A, m, n: zipped_divide(A, Layout((m, n))),
            "this cuts A's count of cells, as the colleague's line does, not its rows and columns.",
            1,
        ),
        Wrong(
            lambda A, m, n: logical_divide(A, (m, n)),
            "by mode it is now. But here mode 0 is rows, tile and rest together; the tile is to be mode 0.",
            4,
        ),
        Wrong(
            lambda A, m, n: tiled_divide(A, (m, n)),
            "the tile is right. The rest is to stay one mode, so that R(0, n) is where tile n begins.",
            4,
        ),
        Wrong(
            lambda A, m, n: flat_divide(A, (m, n)),
            "these are the right parts without the parentheses: tile and rest are to be one mode each.",
            4,
        ),
        Wrong(
            lambda A, m, n: zipped_divide(A, (n, m)),
            "rows and columns of the tile are exchanged: m is the number of its rows.",
            3,
        ),
        Wrong(lambda A, m, n: composition(A, (m, n)), "this is tile 0 alone. Where do the others begin?", 3),
        Wrong(
            lambda A, m, n: zipped_divide(A, Layout((m, n), (1, size(A, 0)))),
            "a clever walk: the tile is right. The tiles are not: one number counts them, where rows and columns of tiles are wanted.",
            2,
        ),
        Wrong(
            lambda A, m, n: zipped_divide(Layout((size(A, 0), size(A, 1))), (m, n)),
            "these are cells of A, counted down the columns. Their addresses are wanted: divide A itself.",
            3,
        ),
    ),
    because="One Layout is one walk through all of A. A tuple goes by mode, here and in composition, and in C++ it is "
    "make_shape(m, n) or make_tile(m, n).",
)

# ------------------------------------------------------------------------------------------------ 05.6

GUARDED = ("(10,7):(7,1)", "(10,7):(1,10)", "(6,10):(12,1)", "(5,6):(6,1)", "(3,3):(1,4)", "(8,8):(8,1)", "(7,9):(1,7)")


def cells_to_guard() -> list[tuple]:
    """(A, inside, which): each cell of the 4 x 4 tiles of matrices that they mostly do not fit."""
    cases = []
    for a in map(Layout.parse, GUARDED):
        rest = zipped_divide(a, (4, 4)).shape[1]
        where = (range(4), range(4), range(rest[0]), range(rest[1]))
        cases += [(a, (i, j), (p, q)) for q, p, j, i in pairs_of(*where[::-1])]
    return cases


def _exists(a, inside, which) -> bool:
    return all(4 * t + k < size(a, mode) for mode, (k, t) in enumerate(zip(inside, which, strict=True)))


def _cell(a, inside, which) -> tuple:
    return zipped_divide(make_identity_layout((size(a, 0), size(a, 1))), (4, 4))(inside, which)


def _judge_guard(arguments, outcome) -> Fault | None:
    a, inside, which = arguments
    if isinstance(outcome, Refused):
        return Fault(f"raised an error: {outcome.message}")
    wanted = _exists(a, inside, which)
    if outcome is wanted or (isinstance(outcome, int) and outcome in (0, 1) and bool(outcome) == wanted):
        return None
    row, column = (4 * t + k for k, t in zip(inside, which, strict=True))
    it = f"element {text(inside)} of tile {text(which)} is the cell ({row},{column}), at address {a(row, column)}"
    is_there = "is a cell" if wanted else "is no cell"
    return Fault(f"{it}. It {is_there} of {a}, and you say {says(outcome)}")


GUARD = FunctionExercise(
    id="05.6",
    title="Mend the guard",
    answer="in_range",
    inputs=cells_to_guard,
    judge=_judge_guard,
    hints=(
        "Which cell is element (i,j) of tile (p,q)? An address does not say it: more than one cell may lie there once "
        "cells are counted that do not exist.",
        "Its row is 4p + i and its column 4q + j. Both are to be looked at.",
        "Row 9 is the last of ten: the row has to be smaller than size(A, 0), the column smaller than size(A, 1).",
        "elem_less((row, column), (size(A, 0), size(A, 1))) compares both at once.",
    ),
    wrong=(
        Wrong(
            lambda A, inside, which: zipped_divide(A, (4, 4))(inside, which) < size(A),
            "this is the colleague's guard. It asks where the cell would lie, not whether it exists.",
            1,
        ),
        Wrong(
            lambda A, inside, which: zipped_divide(A, (4, 4))(inside, which) < cosize(A),
            "cosize is the better bound for an address, but the address is the wrong thing to ask.",
            1,
        ),
        Wrong(
            lambda A, inside, which: zipped_divide(A, (4, 4))(inside, which) in A.offsets().tolist(),
            "that some cell lies at this address does not make it this cell.",
            1,
        ),
        Wrong(
            lambda A, inside, which: 4 * which[0] + inside[0] < size(A, 0),
            "the rows are guarded. A column may be past the end, too.",
            2,
        ),
        Wrong(
            lambda A, inside, which: 4 * which[1] + inside[1] < size(A, 1),
            "the columns are guarded. A row may be past the end, too.",
            2,
        ),
        Wrong(
            lambda A, inside, which: 4 * which[0] + inside[0] < size(A, 0) or 4 * which[1] + inside[1] < size(A, 1),
            "a cell needs its row and its column. With `or` one of them is enough.",
            2,
        ),
        Wrong(
            lambda A, inside, which: 4 * which[0] + inside[0] <= size(A, 0) and 4 * which[1] + inside[1] <= size(A, 1),
            "of 10 rows the last is number 9: 10 is past the end already.",
            3,
        ),
        Wrong(
            lambda A, inside, which: _cell(A, inside, which) < (size(A, 0), size(A, 1)),
            "the right cell. But < on tuples looks at the columns only where the rows are equal; both must be less.",
            4,
        ),
        Wrong(
            lambda A, inside, which: elem_less(_cell(A, inside, which), (10, 7)),
            "right for 10 rows and 7 columns. A may be of any size: ask A for it.",
            3,
        ),
        Wrong(
            lambda A, inside, which: which[0] + inside[0] < size(A, 0) and which[1] + inside[1] < size(A, 1),
            "one tile on is four rows on: the row is not p + i.",
            2,
        ),
        Wrong(
            lambda A, inside, which: which[0] + 4 * inside[0] < size(A, 0) and which[1] + 4 * inside[1] < size(A, 1),
            "the 4 belongs to the tile: a tile is four rows, an element is one.",
            2,
        ),
        Wrong(
            lambda A, inside, which: 4 * which[0] + inside[0] < size(A, 1) and 4 * which[1] + inside[1] < size(A, 0),
            "rows and columns are exchanged: size(A, 0) is the number of rows.",
            3,
        ),
    ),
    because="In CuTe one cuts the identity layout as A is cut, and asks elem_less of what comes out: then the coordinate "
    "need not be worked out by hand.",
)

# ------------------------------------------------------------------------------------------------ 05.7


def tiling(rng: random.Random) -> tuple[Layout, int]:
    """A layout whose copies fill a cotarget exactly, its modes in any order, and that cotarget."""
    modes, full = [], 1
    for _mode in range(rng.randint(1, 3)):
        full *= rng.choice((1, 1, 2, 3, 4))
        extent = rng.choice((2, 2, 3, 4))
        modes.append((extent, full))
        full *= extent
    rng.shuffle(modes)
    return Layout(tuple(s for s, d in modes), tuple(d for s, d in modes)), full * rng.choice((1, 2, 3, 5))


@cache
def layouts_to_fill(count: int = 300) -> list[tuple]:
    """(A, cotarget): first those of the lesson, then random ones."""
    told = [("(4):(1)", 24), ("(6):(4)", 24), ("(2,2):(1,6)", 24), ("(2,2):(4,1)", 24), ("(4,6):(1,4)", 24)]
    rng = random.Random(51)
    return [(Layout.parse(a), n) for a, n in told] + [tiling(rng) for _case in range(count - len(told))]


def _judge_fill(arguments, outcome) -> Fault | None:
    a, cotarget = arguments
    if isinstance(outcome, Refused):
        return Fault(f"raised an error, and there is a complement. {outcome.message}")
    return layout_fault(outcome, values(complement(a, cotarget)), name="your complement")


def _fill(
    a: Layout, cotarget: int, *, order=sorted, room=lambda d, full: d // full, after=lambda s, d, full: s * d
) -> Layout:
    """The rule of the lesson; each of its steps may be got wrong."""
    modes, full = [], 1
    for d, s in order(zip(a.stride, a.shape, strict=True)):
        modes.append((room(d, full), full))
        full = after(s, d, full)
    modes.append((-(-cotarget // full), full))
    return Layout(tuple(s for s, d in modes), tuple(d for s, d in modes))


def _by_extent(pairs):
    return sorted(pairs, key=lambda pair: pair[::-1])


def _without_ones(a, cotarget):
    filled = _fill(a, cotarget)
    return make_layout(*(filled[k] for k in range(rank(filled)) if size(filled, k) > 1))


def _of_pairs(a, cotarget):
    filled = _fill(a, cotarget)
    return make_layout(*zip(filled.shape, filled.stride, strict=True))


def _only_holes(a, cotarget):
    filled = _fill(a, cotarget)
    return Layout(filled.shape[:-1], filled.stride[:-1])


def _wrong_only_unsorted(data) -> bool:
    """Whether there are wrong answers, and all of them are to layouts whose strides do not rise."""
    wrong = [
        a
        for (a, cotarget), outcome in zip(layouts_to_fill(), data.outcomes, strict=False)
        if _judge_fill((a, cotarget), outcome)
    ]
    return bool(wrong) and all(list(a.stride) != sorted(a.stride) for a in wrong)


WRITE_COMPLEMENT = FunctionExercise(
    id="05.7",
    title="Write complement",
    answer="complement_of",
    inputs=layouts_to_fill,
    judge=_judge_fill,
    hints=(
        "Carry one number along: full, at first 1. For each mode s:d, from the smallest stride up, note the mode "
        "(d // full):full, then set full to s * d. At the end note (cotarget // full):full.",
        "The modes may come in any order. sorted(zip(A.stride, A.shape)) gives the pairs (d, s) by rising stride.",
        "Room for copies is counted in copies, not in places: d // full of them, each full wide. They start full apart.",
        "After the mode s:d the places up to s * d are full, holes and all: full does not grow by a factor s alone.",
        "What is noted is the complement; A's own modes are not in it. make_layout(*modes) joins modes to a layout.",
    ),
    wrong=(
        Wrong(
            lambda A, cotarget: _fill(A, cotarget, order=list),
            "all is right where A's modes stand in the order of their strides. They need not.",
            2,
            like=lambda data: _wrong_only_unsorted(data),
        ),
        Wrong(
            lambda A, cotarget: _fill(A, cotarget, order=_by_extent),
            "you take the modes by their extents. The smallest stride comes first: sort the pairs (stride, extent).",
            2,
        ),
        Wrong(
            _without_ones,
            "all is right, but for an A that fills the cotarget alone: no mode is left then. One copy is Layout(1, 0).",
            5,
        ),
        Wrong(
            _of_pairs,
            "make_layout takes two tuples for a shape and a stride. Give it layouts: Layout(d // full, full), and so on.",
            5,
        ),
        Wrong(
            _only_holes,
            "the holes are filled. The copies that come behind A are missing: the cotarget is never asked.",
            1,
        ),
        Wrong(
            lambda A, cotarget: Layout(cotarget // size(A), size(A)),
            "these copies lie one behind the other, size(A) apart. That is right for a block, and not where A has holes.",
            1,
        ),
        Wrong(
            lambda A, cotarget: Layout(-(-cotarget // cosize(A)), cosize(A)),
            "these copies start behind A's last place. First fill the holes inside of it.",
            1,
        ),
        Wrong(
            lambda A, cotarget: _fill(A, cotarget, after=lambda s, d, full: full * s),
            "after a mode you count only its own cells as full. The holes before it are filled as well.",
            4,
        ),
        Wrong(
            lambda A, cotarget: _fill(A, cotarget, after=lambda s, d, full: d),
            "after the mode s:d not only d places are full, but s times as many.",
            4,
        ),
        Wrong(
            lambda A, cotarget: _fill(A, cotarget, after=lambda s, d, full: full + s * d),
            "s * d already counts from place 0: it is the new full, and nothing is to be added to it.",
            4,
        ),
        Wrong(
            lambda A, cotarget: _fill(A, cotarget, room=lambda d, full: d - full),
            "d - full counts the free places. How many copies of width full are there up to d?",
            3,
        ),
        Wrong(
            lambda A, cotarget: _fill(A, cotarget, room=lambda d, full: d),
            "up to d there is room for d cells. But a copy is already full wide.",
            3,
        ),
        Wrong(
            lambda A, cotarget: make_layout(A, complement(A, cotarget)),
            "this is (A, A*), everything. The complement alone says where the copies start.",
            5,
        ),
        Wrong(lambda A, cotarget: A, "this is A itself.", 5),
    ),
    because="CuTe does the same, and more: it leaves modes of stride 0 out, rounds up where the cotarget does not divide, "
    "refuses what overlaps, and coalesces the result.",
)

# ------------------------------------------------------------------------------------------------ 05.8


@cache
def layouts_to_divide(count: int = 250) -> list[tuple]:
    """(A, B): first that of the lesson, then random ones that divide evenly."""
    told = [("(4,2,3):(2,1,8)", "4:2"), ("24:1", "(2,2):(1,6)"), ("(6,8):(8,1)", "12:1"), ("20:3", "5:4")]
    cases = [tuple(map(Layout.parse, pair)) for pair in told]
    rng = random.Random(58)
    while len(cases) < count:
        shape = tuple(rng.choice((2, 3, 4, 6)) for _mode in range(rng.randint(1, 3)))
        a = Layout(shape, tuple(rng.randint(1, 40) for _mode in shape))
        b, _cotarget = tiling(rng)
        if rank(b) == 1:
            b = Layout(b.shape[0], b.stride[0])
        if size(b) >= size(a) or size(a) > 144:
            continue
        if values(b) == list(range(size(b))) and rng.random() < 0.8:
            continue  # few blocks, and more with holes
        try:
            if size(logical_divide(a, b)) == size(a):
                cases.append((a, b))
        except LayoutError:
            continue
    return cases


def _judge_divided(arguments, outcome) -> Fault | None:
    a, b = arguments
    if isinstance(outcome, Refused):
        return Fault(f"raised an error, and B does divide A. {outcome.message}")
    wanted = logical_divide(a, b)
    if isinstance(outcome, Layout) and size(outcome) == size(wanted) and rank(outcome) != 2:
        return Fault(f"{says(outcome)} has rank {rank(outcome)}. Two modes are wanted, the tile and the rest")
    return layout_fault(outcome, values(wanted), shape=(size(b), size(a) // size(b)), name="your layout")


def _star(a, b) -> Layout:
    return complement(b, size(a))


WRITE_DIVIDE = FunctionExercise(
    id="05.8",
    title="Write logical_divide",
    answer="divide",
    inputs=layouts_to_divide,
    judge=_judge_divided,
    hints=(
        "Three steps: B*, then (B, B*), then A o (B, B*). Each is one function of the library.",
        "B* is the complement of B, for B is what is copied; it lives among A's cells, of which there are size(A).",
        "make_layout(x, y) puts two layouts side by side as two modes: the tile first, the rest second.",
        "B and B* count cells of A. Both have to go through A to become addresses.",
    ),
    wrong=(
        Wrong(lambda A, B: composition(A, B), "this is the first tile. Where do the others start?", 1),
        Wrong(
            lambda A, B: composition(A, _star(A, B)),
            "these are the addresses at which the tiles start. The inside of the tiles is missing: put B beside.",
            3,
        ),
        Wrong(
            lambda A, B: composition(A, make_layout(B, complement(A, size(B)))),
            "you asked where copies of A start. What is copied is the tile, B.",
            2,
        ),
        Wrong(
            lambda A, B: make_layout(B, _star(A, B)),
            "this is (B, B*): it gives cells of A, and addresses are wanted.",
            4,
        ),
        Wrong(
            lambda A, B: make_layout(composition(A, B), _star(A, B)),
            "the tile has gone through A. The rest has not: it still counts cells.",
            4,
        ),
        Wrong(
            lambda A, B: composition(A, make_layout(_star(A, B), B)),
            "tile and rest are exchanged: mode 0 is to be the tile.",
            3,
        ),
        Wrong(
            lambda A, B: composition(A, (B, _star(A, B))),
            "a tuple goes by mode: B met A's mode 0 only, and B* met mode 1. Side by side in one layout they are one walk.",
            3,
        ),
        Wrong(
            lambda A, B: composition(A, make_layout(B, complement(B, cosize(A)))),
            "cosize(A) counts places in memory. B and B* live among A's cells, and of those there are size(A).",
            2,
        ),
        Wrong(
            lambda A, B: composition(A, make_layout(B, complement(B, cosize(B)))),
            "these tiles fill B's own reach, the cells below cosize(B). The rest of A is never cut.",
            2,
        ),
        Wrong(
            lambda A, B: composition(A, make_layout(B, Layout(size(A) // size(B), size(B)))),
            "you let the tiles start size(B) apart. That is right where B is a block.",
            2,
        ),
        Wrong(
            lambda A, B: composition(make_layout(B, _star(A, B)), A),
            "the order: B makes cells and goes first, so it stands on the right.",
            1,
        ),
        Wrong(
            lambda A, B: make_layout(composition(A, B), complement(composition(A, B), size(A))),
            "you took the complement of A o B, among addresses. B* is taken among cells, before A is asked.",
            2,
        ),
    ),
    because="That is the whole function, in CuTe's documentation as well. What the library adds is the check that every "
    "cell of A is met once.",
)
