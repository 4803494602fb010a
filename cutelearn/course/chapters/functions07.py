"""Chapter 07, tensors and algorithms: the exercises in which one writes a function."""

import random

from ...htuple import Underscore, ceil_div, product, text
from ...layout import Layout, rank, size, slice_and_offset
from ...tensor import elem_less, make_identity_tensor
from ...tiling import zipped_divide
from ..answers import Failed, Refused
from ..compare import Fault, first_difference, grids, ints_fault, read_layout, same_view, says
from ..exercises import FunctionExercise, Wrong

# ------------------------------------------------------------------------------------------------ 07.4


def rows_to_find() -> list[tuple]:
    """(A, start, i): first a padded matrix, then others, some with nested rows or columns."""
    rng = random.Random(71)
    told = ["(4,8):(9,1)", "(4,8):(1,4)", "((2,3),4):((1,8),2)", "(3,(2,2)):(4,(2,1))"]
    cases = [(Layout.parse(told[0]), 100, 2), (Layout.parse(told[0]), 100, 0)]
    for layout in map(Layout.parse, told):
        cases += [(layout, rng.randint(0, 50), i) for i in range(size(layout, 0))]
    for _case in range(30):
        m, n = rng.choice((2, 3, 4)), rng.choice((2, 3, 5))
        cases.append((Layout((m, n), (rng.randint(1, 20), rng.randint(1, 20))), rng.randint(0, 50), rng.randrange(m)))
    return cases


def _judge_places(arguments, outcome) -> Fault | None:
    layout, start, i = arguments
    if isinstance(outcome, Refused):
        return Fault(f"raised an error, and every row has its places. {outcome.message}")
    return ints_fault(outcome, [start + layout(i, j) for j in range(size(layout, 1))], "j")


def _row(layout, i):
    return slice_and_offset((i, Underscore()), layout)[0]


def _right_until_nested(data) -> bool:
    """Whether the answers are right up to the first matrix with nested rows, and there the function failed on a tuple."""
    answered = list(zip(rows_to_find(), data.outcomes, strict=False))
    (arguments, last), before = answered[-1], answered[:-1]
    nested = isinstance(arguments[0].shape[0], tuple) and isinstance(last, Failed) and "tuple" in last.sentence
    return nested and not any(_judge_places(*one) for one in before)


PLACES = FunctionExercise(
    id="07.4",
    title="Mend the row",
    answer="row_places",
    inputs=rows_to_find,
    judge=_judge_places,
    hints=(
        "Try it by hand with (4,8):(9,1), start 100 and row 2. Where does the row begin, and what does the colleague get?",
        "A(i, _) of a Layout is the layout of what is kept, and no more. Which part of the slice is missing?",
        "The start of the slice is start + A(i, 0).",
        "A tensor does both at once: make_tensor and t[i, _]. With a layout, slice_and_offset((i, _), A) gives both.",
    ),
    wrong=(
        Wrong(
            lambda A, start, i: [start + _row(A, i)(j) for j in range(size(A, 1))],
            "this is still row 0, whatever i is: the layout of a slice does not know its start.",
            2,
        ),
        Wrong(
            lambda A, start, i: [start + i + _row(A, i)(j) for j in range(size(A, 1))],
            "row i begins i elements on only where A is column-major.",
            3,
        ),
        Wrong(
            lambda A, start, i: [start + i * size(A, 1) + _row(A, i)(j) for j in range(size(A, 1))],
            "row i begins i times a row's length on only where A is row-major and not padded. Ask A.",
            3,
        ),
        Wrong(
            lambda A, start, i: [start + i * A.stride[0] + _row(A, i)(j) for j in range(size(A, 1))],
            "right where A has one stride for its rows. Rows may be nested, and then A.stride[0] is a tuple: ask A(i, 0).",
            3,
            like=_right_until_nested,
        ),
        Wrong(
            lambda A, start, i: [A(i, j) for j in range(size(A, 1))],
            "these are offsets. In memory the tensor itself begins at start.",
            1,
        ),
        Wrong(
            lambda A, start, i: [start + _row(A, i)(i + j) for j in range(size(A, 1))],
            "i is the number of the row, and you use it as a column: that goes along row 0 and past its end.",
            2,
        ),
        Wrong(
            lambda A, start, i: [start + A(j, i) for j in range(size(A, 1))],
            "you exchanged row and column: A takes (row, column).",
            1,
        ),
    ),
    because="start + A(i, j) for each j is as good. What was missing is the second half of a slice: A(i, 0).",
)

# ------------------------------------------------------------------------------------------------ 07.6


def slices_to_write() -> list[tuple]:
    """(A, coordinate): None stands for `_`."""
    cases = [(Layout((4, 8), (9, 1)), (2, None)), (Layout((4, 8), (9, 1)), (None, 5))]
    cases += [(Layout((4, 2, 3), (1, 40, 7)), (3, None, 2)), (Layout((4, 2, 3), (1, 40, 7)), (None, 1, None))]
    rng = random.Random(76)
    while len(cases) < 300:
        shape = tuple(rng.randint(2, 6) for _mode in range(rng.randint(2, 4)))
        coord = tuple(None if rng.random() < 0.5 else rng.randrange(n) for n in shape)
        if None in coord:
            cases.append((Layout(shape, tuple(rng.randint(1, 50) for _mode in shape)), coord))
    return cases


def _written(coord):
    return tuple(Underscore() if c is None else c for c in coord)


def _judge_written(arguments, outcome) -> Fault | None:
    layout, coord = arguments
    called = f"{layout} at {text(_written(coord))}"
    if isinstance(outcome, Refused):
        return Fault(f"{called} has a slice, and you raised an error. {outcome.message}")
    if not isinstance(outcome, (tuple, list)) or len(outcome) != 2:
        return Fault(f"{says(outcome)} is not a pair. Return the layout and the start: R = layout, start")
    kept, start = slice_and_offset(_written(coord), layout)
    yours = read_layout(outcome[0])
    if isinstance(yours, Fault):
        return yours
    if rank(yours) != rank(kept):
        return Fault(f"{called}: your layout has rank {rank(yours)}, and {rank(kept)} modes are kept: {kept}")
    if not same_view(yours, kept):
        return Fault(f"{called}: what is kept is {kept}, and you give {says(yours)}")
    if outcome[1] != start:
        return Fault(f"{called}: the layout is right. The start is {start}, and you give {says(outcome[1])}")
    return None


def _slice(A, coord, keep=lambda c: c is None, start=lambda A, coord: A(*(c or 0 for c in coord))):
    kept = [k for k, c in enumerate(coord) if keep(c)]
    return Layout(tuple(A.shape[k] for k in kept), tuple(A.stride[k] for k in kept)), start(A, coord)


WRITE_SLICE = FunctionExercise(
    id="07.6",
    title="Write the slice",
    answer="my_slice",
    inputs=slices_to_write,
    judge=_judge_written,
    hints=(
        "Go through coord, A.shape and A.stride together, with zip. Each entry does one of two things.",
        "Where the entry is None, its extent and its stride go into the new layout. Where it is a number, the number times "
        "its stride goes into the start.",
        "Ask `c is None`, not `if c`: 0 is a number, too.",
        "At the end: Layout(tuple(shape), tuple(stride)), start. Layout takes tuples, and one mode is a tuple of one entry.",
    ),
    wrong=(
        Wrong(
            lambda A, coord: _slice(A, coord, start=lambda A, coord: 0),
            "the layouts are right. But each slice starts where A does: the numbers have to move the start.",
            2,
        ),
        Wrong(
            lambda A, coord: _slice(A, coord, start=lambda A, coord: sum(c for c in coord if c is not None)),
            "the start is not the sum of the numbers: each number counts steps, and a step is as long as its stride.",
            2,
        ),
        Wrong(
            lambda A, coord: (
                _slice(A, coord, keep=lambda c: c is not None) if coord.count(None) < len(coord) else (A, 0)
            ),
            "you keep the modes that have a number. The others are to be kept: those with None.",
            2,
        ),
        Wrong(
            lambda A, coord: _slice(A, coord, keep=lambda c: not c),
            "a 0 is taken for None. Row 0 is a row: its mode is fixed, and gone.",
            3,
        ),
        Wrong(
            lambda A, coord: (A, A(*(c or 0 for c in coord))),
            "the starts are right. But the layout still has all modes: those with a number have to go.",
            2,
        ),
        Wrong(
            lambda A, coord: _slice(A, coord)[::-1],
            "both halves are right, in the wrong order: first the layout, then the start.",
            4,
        ),
    ),
    because="This is slice_and_offset for flat layouts. In a tensor the start is added to the pointer, and that is all.",
)

# ------------------------------------------------------------------------------------------------ 07.7


def ragged_tiles() -> list[tuple]:
    """(shape, tile, which): first the lesson's and the colleague's, then random ones with whole tiles among them."""
    cases = [((41, 55), (4, 8), (0, 6)), ((41, 55), (4, 8), (10, 6)), ((16, 16), (32, 32), (0, 0))]
    rng = random.Random(77)
    for _case in range(60):
        shape, tile = ((rng.randint(3, 20), rng.randint(3, 20)), (rng.randint(2, 5), rng.randint(2, 5)))
        cases.append((shape, tile, tuple(map(rng.randrange, ceil_div(shape, tile)))))
    return cases


def inside(shape, tile, which) -> list[bool]:
    """The predicate of a tile, by its own 1-D coordinate."""
    return [elem_less(c, shape) for c in zipped_divide(make_identity_tensor(shape), tile)[Underscore(), which]]


def _judge_predicate(arguments, outcome) -> Fault | None:
    shape, tile, which = arguments
    wanted = inside(*arguments)
    if isinstance(outcome, Refused):
        return Fault(f"raised an error, and every tile has a predicate. {outcome.message}")
    if not isinstance(outcome, (list, tuple)):
        return Fault(f"{says(outcome)} is not a list of True and False")
    if len(outcome) != len(wanted):
        return Fault(f"a tile of {text(tile)} has {len(wanted)} cells, and your list has {len(outcome)} entries")
    odd = next((entry for entry in outcome if entry not in (True, False)), None)
    if odd is not None:
        return Fault(f"{says(odd)} is neither True nor False")
    at = first_difference([bool(entry) for entry in outcome], wanted)
    if at is None:
        return None
    row, col = at % tile[0], at // tile[0]
    cell = (which[0] * tile[0] + row, which[1] * tile[1] + col)
    where = "lies in" if wanted[at] else "does not lie in"
    said = Fault(
        f"entry {at} is the tile's cell {text((row, col))}, cell {text(cell)} of the matrix: it {where} {text(shape)}"
    )
    if product(tile) > 64:
        return said
    return Fault(said.sentence, grids([str(int(e)) for e in outcome], [str(int(e)) for e in wanted], tile))


def _cells(tile, which, order="F"):
    (h, w), (r, c) = tile, which
    down = [(r * h + i, c * w + j) for j in range(w) for i in range(h)]
    return down if order == "F" else [(r * h + i, c * w + j) for i in range(h) for j in range(w)]


PREDICATE = FunctionExercise(
    id="07.7",
    title="Write the predicate",
    answer="predicate",
    inputs=ragged_tiles,
    judge=_judge_predicate,
    hints=(
        "A cell of the tile is a cell of the matrix with coordinates of its own. Ask both: row less than the rows, column "
        "less than the columns.",
        "An identity tensor of the matrix's shape, divided and sliced as the matrix is, names the cells of the tile.",
        "zipped_divide(make_identity_tensor(shape), tile)[_, which] is that tile. Go through it with for, and ask "
        "elem_less(c, shape).",
        "1-D coordinates go down the columns of the tile: row fastest. A loop by hand has the column outside, the row "
        "inside.",
    ),
    wrong=(
        Wrong(
            lambda shape, tile, which: [r * shape[1] + c < shape[0] * shape[1] for r, c in _cells(tile, which)],
            "this is the colleague's test. Cell (0,31) of a 16 x 16 result has the offset 31, and that is where (1,15) lies.",
            1,
        ),
        Wrong(
            lambda shape, tile, which: [cell < shape for cell in _cells(tile, which)],
            "< on tuples looks at the first entries, and at the second ones only where those are equal. Here both must be "
            "less: that is elem_less.",
            3,
        ),
        Wrong(
            lambda shape, tile, which: elem_less(
                zipped_divide(make_identity_tensor(shape), tile)[Underscore(), which], shape
            ),
            "elem_less of a whole tensor is a function, which copy_if asks. Here a list is wanted: ask it for each cell.",
            3,
        ),
        Wrong(
            lambda shape, tile, which: [True] * product(tile),
            "this says that every cell is inside. At the right and at the lower edge some are not.",
            1,
        ),
        Wrong(
            lambda shape, tile, which: [r < shape[0] for r, c in _cells(tile, which)],
            "you look at the rows alone. A tile may be ragged at the right edge, too.",
            1,
        ),
        Wrong(
            lambda shape, tile, which: [r <= shape[0] and c <= shape[1] for r, c in _cells(tile, which)],
            "a matrix of 41 rows has the rows 0 to 40: less than, not less than or equal.",
            1,
        ),
        Wrong(
            lambda shape, tile, which: [r < shape[0] and c < shape[1] for r, c in _cells(tile, which, "C")],
            "the answers are right, in another order: you go along the rows of the tile.",
            4,
        ),
        Wrong(
            lambda shape, tile, which: [r < shape[0] and c < shape[1] for r, c in _cells(tile, (0, 0))],
            "this is right for tile (0,0) alone. Where does the tile `which` begin in the matrix?",
            2,
        ),
        Wrong(
            lambda shape, tile, which: [r < shape[0] or c < shape[1] for r, c in _cells(tile, which)],
            "a cell is inside if its row and its column are: and, not or.",
            1,
        ),
    ),
    because="Two loops and two comparisons give the same. The identity tensor stays right when the tile is dealt to "
    "threads: whatever is done to the matrix is done to it as well.",
)
