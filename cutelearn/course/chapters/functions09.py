"""Chapter 09, thread-value layouts and MMA atoms: the two exercises whose answer is a function."""

import random

from ...atoms.library import atom
from ...htuple import text
from ...layout import Layout, rank, size
from ..answers import Refused
from ..compare import Fault, layout_fault, says, values
from ..exercises import FunctionExercise, Wrong

# ------------------------------------------------------------------------------------------------ 09.5

ATOMS = (
    "SM80_8x8x4_F64F64F64F64_TN",
    "SM80_16x8x16_F32F16F16F32_TN",
    "SM90_64x24x16_F32F16F16_SS<K,K>",
    "SM70_8x8x4_F16F16F16F16_NT",
    "SM70_8x8x4_F32F16F16F32_TN",
)


def cells_asked() -> list[tuple]:
    """(CLayout, M, N, thread): every thread of a small atom, some of a large one."""
    return [
        (a.c_layout, a.shape_mnk[0], a.shape_mnk[1], t)
        for a in map(atom, ATOMS)
        for t in range(0, a.num_threads, max(1, a.num_threads // 32))
    ]


def _cells(c_layout, M, N, thread, at=lambda x, M, N: (x % M, x // M)):
    return [at(c_layout(thread, v), M, N) for v in range(size(c_layout, 1))]


def _judge_cells(arguments, outcome) -> Fault | None:
    if isinstance(outcome, Refused):
        return Fault(f"raised an error: {outcome.message}")
    if not isinstance(outcome, (list, tuple)):
        return Fault(f"it has to return a list of cells (m,n), not {says(outcome)}")
    wanted = _cells(*arguments)
    if len(outcome) != len(wanted):
        return Fault(f"thread {arguments[3]} has {len(wanted)} values, and you give {len(outcome)} cells")
    for v, (yours, cell) in enumerate(zip(outcome, wanted, strict=True)):
        if not isinstance(yours, (list, tuple)) or tuple(yours) != cell:
            return Fault(f"for value {v} of thread {arguments[3]} it gives {says(yours)}, and {text(cell)} is right")
    return None


def _wrong_cells(at):
    return lambda c_layout, M, N, thread: _cells(c_layout, M, N, thread, at)


MEND_CELLS = FunctionExercise(
    id="09.5",
    title="The epilogue that passed its test",
    answer="cells_of_C",
    inputs=cells_asked,
    judge=_judge_cells,
    hints=(
        "Take thread 5 of the f64 atom: its numbers are 17 and 25. Which cells are that in the picture, and which does this code "
        "give?",
        "A number is m + n * M: the first coordinate turns fastest. So what is the remainder by M, and what the quotient?",
        "m is x % M and n is x // M. N is not needed at all.",
    ),
    wrong=(
        Wrong(
            _wrong_cells(lambda x, M, N: (x // N, x % N)),
            "this is still the colleague's: it reads the numbers along the rows. His C was symmetric, so its transpose passed.",
            1,
        ),
        Wrong(
            _wrong_cells(lambda x, M, N: (x % N, x // N)),
            "right for an 8 x 8, where M and N agree. On 16 x 8 the columns have M cells, not N.",
            2,
        ),
        Wrong(
            _wrong_cells(lambda x, M, N: (x // M, x % M)),
            "the divisor is right now. But the remainder is m, the row: m + n * M.",
            2,
        ),
        Wrong(
            _wrong_cells(lambda x, M, N: x),
            "these are numbers of cells. Take them apart into (m,n).",
            3,
        ),
        Wrong(
            lambda c_layout, M, N, thread: _cells(c_layout, M, N, thread)[:2],
            "right as far as it goes. A thread may have more than two values: size(c_layout, 1) of them.",
            3,
        ),
    ),
    because="idx2crd(x, (M, N)) says the same. On a symmetric C of 8 x 8 the transpose looks right, and on 16 x 8 rows and columns "
    "beyond the tile appear: test with numbers that are all different.",
)

# ------------------------------------------------------------------------------------------------ 09.7


def table_of(tv: Layout, m: int, n: int) -> tuple:
    """who[i][j] is the (thread, value) that holds the cell (i,j)."""
    held = {number: (i % size(tv, 0), i // size(tv, 0)) for i, number in enumerate(tv.offsets().tolist())}
    return tuple(tuple(held[i + m * j] for j in range(n)) for i in range(m))


def _random_table(rng) -> tuple:
    """A tile dealt by bits: each step 1, 2, 4, ... belongs to the threads or to the values."""
    m, n = (1 << rng.randint(0, 4) for _mode in "mn")
    bits = (m * n).bit_length() - 1
    steps = [1 << i for i in range(bits)]
    rng.shuffle(steps)
    cut = rng.randint(0, bits)
    threads, own = steps[:cut], steps[cut:]
    tv = Layout(((2,) * len(threads) or 1, (2,) * len(own) or 1), (tuple(threads) or 0, tuple(own) or 0))
    return (table_of(tv, m, n),)


def tables(count: int = 150) -> list[tuple]:
    """Atoms of the lesson first, then random ones."""
    of_atoms = [(table_of(a.c_layout, *a.shape_mnk[:2]),) for a in map(atom, ATOMS) if a.shape_mnk[1] != 24]
    rng = random.Random(9)
    return of_atoms + [_random_table(rng) for _case in range(count - len(of_atoms))]


def _judge_tv(arguments, outcome) -> Fault | None:
    if isinstance(outcome, Refused):
        return Fault(f"raised an error: {outcome.message}")
    (who,) = arguments
    m = len(who)
    number_of = {pair: i + m * j for i, row in enumerate(who) for j, pair in enumerate(row)}
    threads = 1 + max(t for t, _v in number_of)
    own = 1 + max(v for _t, v in number_of)
    if isinstance(outcome, Layout) and (rank(outcome) != 2 or size(outcome, 0) != threads):
        return Fault(
            f"{says(outcome)} has not two modes, {threads} thread{'s' * (threads > 1)} and {own} value{'s' * (own > 1)}"
        )
    wanted = [number_of[t, v] for v in range(own) for t in range(threads)]
    return layout_fault(outcome, wanted, shape=(threads, own), name="the TV layout")


def tv_of(who, number=lambda i, j, m, n: i + j * m, modes=lambda threads, own: (threads, own), bits=None):
    """The TV layout of a table, by bits. `number` numbers the cells; `modes` puts the two halves together."""
    m, n = len(who), len(who[0])
    at = {pair: number(i, j, m, n) for i, row in enumerate(who) for j, pair in enumerate(row)}

    def half(count, pair):
        powers = [1 << i for i in range(count.bit_length() - 1)][:bits]
        return ((2,) * len(powers), tuple(at[pair(p)] for p in powers)) if powers else (1, 0)

    threads = half(1 + max(t for t, _v in at), lambda p: (p, 0))
    own = half(1 + max(v for _t, v in at), lambda p: (0, p))
    first, second = modes(threads, own)
    return Layout((first[0], second[0]), (first[1], second[1]))


def _one_step(who):
    """Threads as one mode, values as one mode."""
    m = len(who)
    at = {pair: i + j * m for i, row in enumerate(who) for j, pair in enumerate(row)}
    threads, own = 1 + max(t for t, _v in at), 1 + max(v for _t, v in at)
    return Layout((threads, own), (at.get((1, 0), 0), at.get((0, 1), 0)))


TV_OF_TABLE = FunctionExercise(
    id="09.7",
    title="A TV layout from a table",
    answer="layout_of_table",
    inputs=tables,
    judge=_judge_tv,
    hints=(
        "Turn the table round: for each pair (thread, value), the number of its cell, i + j * len(who). A dict will do.",
        "All extents are powers of two, so let every mode have extent 2. The mode for bit b of the thread has as its stride the "
        "number of the cell of thread 2**b, value 0.",
        "The same for the values: the stride for bit b is the number of the cell of thread 0, value 2**b.",
        "How many bits? With T threads it is T.bit_length() - 1. If there is one thread only, or one value, use the extent 1 and the "
        "stride 0.",
        "In the end: Layout(((2,) * p, (2,) * q), (strides of the threads, strides of the values)).",
    ),
    wrong=(
        Wrong(
            lambda who: tv_of(who, number=lambda i, j, m, n: i * n + j),
            "you numbered the cells along the rows: the lesson's mistake. First coordinate fastest: i + j * len(who).",
            1,
        ),
        Wrong(
            lambda who: tv_of(who, number=lambda i, j, m, n: i + j * n),
            "right where the tile is square. A column has len(who) cells, as many as there are rows.",
            1,
        ),
        Wrong(
            _one_step,
            "right where all threads are one step apart, and all values. In the others the step changes: after T3 comes T4.",
            2,
        ),
        Wrong(
            lambda who: tv_of(who, modes=lambda threads, own: (own, threads)),
            "all steps are right. Threads are mode 0, values mode 1.",
            5,
        ),
        Wrong(
            lambda who: values(tv_of(who)),
            "these are its values. Wanted is a Layout: shape and stride.",
            5,
            like=lambda data: any(isinstance(x, list) for x in getattr(data, "outcomes", ())),
        ),
        Wrong(
            lambda who: tv_of(who, bits=1),
            "only the lowest bit of thread and value is there. How many bits has the last thread?",
            4,
        ),
    ),
    because="Every atom of the library is such a map: bits of the thread and of the value, each with its step. `coalesce` by mode "
    "joins the bits that go on in line, and gives back the short form.",
)
