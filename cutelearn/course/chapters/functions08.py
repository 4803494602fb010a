"""Chapter 08, partition: the two exercises whose answer is a function."""

import random

from ...htuple import _, text
from ...layout import Layout, LayoutRight, size
from ...partition import Step, X, local_partition, local_tile
from ...tiling import zipped_divide
from ..answers import Refused
from ..compare import Fault, ints_fault, layout_fault, says, values
from ..exercises import FunctionExercise, Wrong

# ------------------------------------------------------------------------------------------------ 08.6


def parts_of_b() -> list[tuple]:
    """(mB, cta_tiler, block, tC, t). First where tile and block hide both mistakes, then where they do not."""
    col, row, padded = Layout((256, 64)), Layout((256, 64), LayoutRight), Layout((256, 64), (1, 260))
    square, wide = Layout((16, 16)), Layout((8, 32))
    return [
        (col, (128, 128, 8), (1, 1), square, 0),
        (col, (128, 128, 8), (0, 1), square, 0),
        (col, (128, 128, 8), (1, 0), square, 34),
        (row, (128, 128, 8), (1, 1), square, 35),
        (row, (128, 64, 8), (1, 3), square, 34),
        (padded, (128, 64, 16), (1, 2), square, 250),
        (col, (64, 128, 16), (3, 1), wide, 100),
        (row, (64, 32, 8), (2, 7), wide, 255),
        (padded, (128, 256, 32), (0, 0), Layout((4, 64), LayoutRight), 77),
    ]


def part_of_b(mB, cta_tiler, block, tC, t, tile_step=Step(X, 1, 1), thread_step=Step(X, 1)):  # noqa: B008 (constants)
    gB, start = local_tile(mB, cta_tiler, (*block, _), tile_step)
    tCgB, more = local_partition(gB, tC, t, thread_step)
    return tCgB, start + more


def _judge_part(arguments, outcome) -> Fault | None:
    if isinstance(outcome, Refused):
        return Fault(f"raised an error: {outcome.message}")
    if not (isinstance(outcome, (tuple, list)) and len(outcome) == 2 and type(outcome[1]) is int):
        return Fault(f"it has to return a pair, the layout and where it starts, not {says(outcome)}")
    part, start = part_of_b(*arguments)
    if outcome[1] != start:
        block, t = arguments[2], arguments[4]
        return Fault(f"thread {t} of block {text(block)} starts at {says(outcome[1])}, and {start} is right")
    return layout_fault(outcome[0], values(part), shape=part.shape, name="the thread's layout")


MEND_B = FunctionExercise(
    id="08.6",
    title="Right on the diagonal",
    answer="my_part_of_B",
    inputs=parts_of_b,
    judge=_judge_part,
    hints=(
        "The code was copied from A's. Which of m, n, k does B have? And which of the threads' modes chooses columns of C?",
        "There are two Steps. The first says which entries of (BLK_M,BLK_N,BLK_K) and of the block's coordinate B has. The "
        "second says along which mode of tC the threads share B's rows.",
        "B is (N,K): n is the second entry of the tiler, k the third.",
        "tC is (m,n). B has no m, and all threads with one n need the same rows of B: drop the first mode.",
    ),
    wrong=(
        Wrong(
            lambda mB, cta_tiler, block, tC, t: part_of_b(mB, cta_tiler, block, tC, t, Step(1, X, 1), Step(1, X)),
            "this is still the colleague's. Block (1,1) has tile 1 along M and along N: there it works by luck. Look at (0,1).",
            1,
        ),
        Wrong(
            lambda mB, cta_tiler, block, tC, t: part_of_b(mB, cta_tiler, block, tC, t, Step(X, 1, 1), Step(1, X)),
            "the block's tile is right now. Thread 34 stands at (2,2) of tC, where m and n agree. Thread 35 stands at (3,2).",
            4,
        ),
        Wrong(
            lambda mB, cta_tiler, block, tC, t: part_of_b(mB, cta_tiler, block, tC, t, Step(1, X, 1), Step(X, 1)),
            "the threads' Step is right. The block still takes the tile of its m.",
            3,
        ),
        Wrong(
            lambda mB, cta_tiler, block, tC, t: part_of_b(mB, cta_tiler, block, tC, t, Step(X, 1, 1), None),
            "without a Step the threads along m share out B's rows and those along n its k. Every thread needs all of k.",
            4,
        ),
        Wrong(
            lambda mB, cta_tiler, block, tC, t: (part_of_b(mB, cta_tiler, block, tC, t)[0], 0),
            "both Steps are right, but the start got lost: block and thread each move it.",
            2,
        ),
        Wrong(
            lambda mB, cta_tiler, block, tC, t: part_of_b(mB, cta_tiler, block, tC, t, Step(1, 1, X), Step(X, 1)),
            "Step<_1,_1,X> is C's: it has m and n. Which two has B?",
            3,
        ),
    ),
    because="Step<X,_1,_1> for the block's tile, Step<X,_1> for the thread's part. CuTe cannot tell you: both are legal, and on a "
    "square tile even the shapes agree.",
)

# ------------------------------------------------------------------------------------------------ 08.7


def tiles_to_deal(count: int = 200) -> list[tuple]:
    """(tile, threads, t): those of the lesson first, then random ones of every order."""
    cases = [
        (Layout((128, 8)), Layout((32, 8)), 33),
        (Layout((16, 4)), Layout((8, 4)), 13),
        (Layout((16, 4), LayoutRight), Layout((8, 4)), 13),
        (Layout((16, 4)), Layout((8, 4), LayoutRight), 13),
    ]
    rng = random.Random(8)
    while len(cases) < count:
        grid = (rng.choice((1, 2, 3, 4, 8)), rng.choice((1, 2, 3, 4, 8)))
        shape = tuple(n * rng.choice((1, 2, 3, 4)) for n in grid)
        stride = rng.choice(((1, shape[0]), (shape[1], 1), (1, shape[0] + 3), (shape[1] + 1, 1), (2, 2 * shape[0])))
        threads = Layout(grid, rng.choice(((1, grid[0]), (grid[1], 1))))
        cases.append((Layout(shape, stride), threads, rng.randrange(size(threads))))
    return cases


def _judge_addresses(arguments, outcome) -> Fault | None:
    if isinstance(outcome, Refused):
        return Fault(f"raised an error, and the thread is there. {outcome.message}")
    part, start = local_partition(*arguments)
    return ints_fault(outcome, [start + x for x in values(part)], index="value")


def _deal(tile, threads, t, place=None, cell=None, right_first=False):
    """The addresses of a thread. `place` finds it among the threads, `cell` says where value (a,b) of place (i,j) is."""
    (m, k), (tm, tk) = tile.shape, threads.shape
    i, j = place(t, tm, tk) if place else next((i, j) for j in range(tk) for i in range(tm) if threads(i, j) == t)
    cell = cell or (lambda i, j, a, b: (i + tm * a, j + tk * b))
    down, across = range(m // tm), range(k // tk)
    order = [(a, b) for a in down for b in across] if right_first else [(a, b) for b in across for a in down]
    return [tile(*cell(i, j, a, b)) for a, b in order]


def _counted_down(tile, threads, t):
    return _deal(tile, threads, t, place=lambda t, tm, tk: (t % tm, t // tm))


def _counted_along(tile, threads, t):
    return _deal(tile, threads, t, place=lambda t, tm, tk: (t // tk, t % tk))


def _in_blocks(tile, threads, t):
    down, across = tile.shape[0] // threads.shape[0], tile.shape[1] // threads.shape[1]
    return _deal(tile, threads, t, cell=lambda i, j, a, b: (i * down + a, j * across + b))


def _cells(tile, threads, t):
    return _deal(Layout(tile.shape), threads, t)


def _thread_as_place(tile, threads, t):
    divided = zipped_divide(tile, threads.shape)
    return [divided(threads(t), v) for v in range(size(divided, 1))]


def _from_zero(tile, threads, t):
    return [x - _deal(tile, threads, t)[0] for x in _deal(tile, threads, t)]


ADDRESSES_OF = FunctionExercise(
    id="08.7",
    title="Write local_partition",
    answer="my_local_partition",
    inputs=tiles_to_deal,
    judge=_judge_addresses,
    hints=(
        "First find the thread's place (i,j): the coordinate of the thread layout at which it gives t. Then step through the "
        "tile from (i,j), a whole grid of threads at a time.",
        "You may look for the place: try every (i,j) of threads.shape until threads(i, j) == t. Do not divide t yourself: the "
        "threads may be numbered down or along.",
        "Value (a,b) of the thread is the cell (i + a * TM, j + b * TK), where the threads are TM by TK.",
        "The left count turns first: for b in ...: for a in ....",
        "Return addresses: tile(row, column), not row and column.",
    ),
    wrong=(
        Wrong(
            _counted_down,
            "right as long as the threads are numbered down the columns. Where are they when (8,4) has the strides (4,1)?",
            2,
        ),
        Wrong(
            _counted_along,
            "you numbered the threads along the rows, as numpy does. Ask the thread layout where thread t stands.",
            2,
        ),
        Wrong(
            _in_blocks,
            "you gave each thread a block of neighbours. The grid of threads is laid down again and again.",
            3,
        ),
        Wrong(
            lambda tile, threads, t: _deal(tile, threads, t, right_first=True),
            "all addresses are right, their order is not: CuTe counts the left mode first.",
            4,
        ),
        Wrong(_cells, "these are numbers of cells, counted down the columns. The tile says where they lie.", 5),
        Wrong(
            local_partition,
            "this is the pair that local_partition gives for a layout. Wanted is the list of addresses: start + part(v) for each v.",
            5,
            like=lambda data: any(
                isinstance(pair, (tuple, list)) and pair and isinstance(pair[0], Layout) for pair in data.outcomes
            ),
        ),
        Wrong(
            _thread_as_place,
            "threads(t) takes t for a place and gives a thread. You know the thread, and look for its place.",
            2,
        ),
        Wrong(
            _from_zero, "these are distances from the thread's first cell: the part's layout. Where does it start?", 1
        ),
        Wrong(
            lambda tile, threads, t: _deal(tile, threads, t)[:1],
            "this is the first value only. How often does the grid fit?",
            3,
        ),
    ),
    because="`zipped_divide(tile, threads.shape)` at (place, v) says the same in one line: divide, then slice.",
)
