"""Chapter 12, sgemm_2: the exercises in which one writes a copy, mends a kernel, and writes one.

A learner's kernel is run by `try_kernel` inside their own function, so that numbers alone come back: on the machine that is there, and
on the host with the threads one by one. What is judged is the same with a GPU and without.
"""

import random

from ...htuple import LayoutError, text
from ...layout import Layout, LayoutRight, cosize, rank, size
from ..answers import Calls, Failed, Refused
from ..compare import Fault, first_difference, grids, read_layout, says
from ..exercises import FunctionExercise, Wrong
from .functions11 import refused_with, refuses

# ------------------------------------------------------------------------------------------------ 12.4


def tiles_to_copy(count: int = 40) -> list[tuple]:
    """(bM, bK, threads): the tile of sgemm_2 first, then others; four numbers a thread never are more than the tile."""
    rng = random.Random(124)
    found = [(128, 8, 256), (128, 16, 256), (64, 8, 64)]
    while len(found) < count:
        bM, bK, threads = (rng.choice(of) for of in ((32, 64, 128, 256), (8, 16, 32), (32, 64, 128, 256)))
        if 4 * threads <= bM * bK:
            found.append((bM, bK, threads))
    return found


def copy_layouts(bM, bK, threads):
    along_k = bK // 4
    return Layout((threads // along_k, along_k), LayoutRight), Layout((1, 4), LayoutRight)


def _copy_of(outcome):
    """The TiledCopy of the two layouts; LayoutError where they make none."""
    from ...atoms.copy import make_tiled_copy
    from ...atoms.library import copy_atom

    return make_tiled_copy(copy_atom("UniversalCopy<uint128_t>", "float"), *outcome)


def sectors(tiled, bM, bK) -> int:
    """What the first load of warp 0 touches in a k-major matrix whose rows are far apart."""
    from ...atoms.analysis import coalescing

    data = Layout((bM, bK), (4096, 1))
    return coalescing([tiled.get_slice(t).partition_S(data)[1] for t in range(32)], "float", 4).sectors


def _judge_copy(arguments, outcome) -> Fault | None:
    bM, bK, threads = arguments
    if isinstance(outcome, Refused):
        return Fault(f"raised an error: {outcome.message}")
    if not (isinstance(outcome, (tuple, list)) and len(outcome) == 2):
        return Fault(f"it has to return a pair, (thread layout, value layout), not {says(outcome)}")
    layouts = [read_layout(x) for x in outcome]
    if bad := next((x for x in layouts if isinstance(x, Fault)), None):
        return bad
    thr, val = layouts
    for name, layout, n in (("thread", thr, threads), ("value", val, 4)):
        if rank(layout) != 2 or size(layout) != n or cosize(layout) != n:
            return Fault(f"the {name} layout {says(layout)} does not number {n} of them by (m,k)")
    tile = tuple(size(thr, i) * size(val, i) for i in (0, 1))
    if bM % tile[0] or bK % tile[1]:
        return Fault(
            f"threads {text(thr.shape)} with values {text(val.shape)} cover {text(tile)}, and the tile is ({bM},{bK})"
        )
    try:
        tiled = _copy_of((thr, val))
    except LayoutError as error:
        return Fault(str(error))
    cells = tiled.get_slice(1).partition_S(Layout((bM, bK), (4096, 1)))
    first = [cells[0](i) for i in range(4)]
    if first != [0, 1, 2, 3]:
        return Fault(f"the four values of one load lie at {first}, and one instruction wants [0, 1, 2, 3]")
    yours, least = sectors(tiled, bM, bK), sectors(_copy_of(copy_layouts(*arguments)), bM, bK)
    if yours > least:
        return Fault(
            f"warp 0 touches {yours} sectors with its first load, and {least} would do: who are its neighbours along k?"
        )
    return None


COPY_K_MAJOR = FunctionExercise(
    id="12.4",
    title="A K-major copy",
    answer="my_copy",
    inputs=tiles_to_copy,
    judge=_judge_copy,
    hints=(
        "First the values: four numbers of one load must lie side by side. Along which mode do they, if A is k-major?",
        "How many threads then stand side by side along k? A row of the tile has bK numbers, and each thread takes four.",
        "All the other threads stand along m: threads // (bK // 4) of them.",
        "Which threads are neighbours, 0 and 1, along m or along k? Those that read neighbouring addresses: along k. So the thread "
        "layout goes along k first, LayoutRight.",
    ),
    wrong=(
        Wrong(
            lambda bM, bK, threads: (Layout((threads // bK, bK)), Layout((4, 1))),
            "values (4,1) are four rows of one column. In k-major data they lie a whole row apart.",
            1,
        ),
        Wrong(
            lambda bM, bK, threads: (Layout((threads // bK, bK), LayoutRight), Layout((1, 4))),
            "bK threads along k with four values each cover 4 * bK columns. A row of the tile has bK numbers.",
            2,
        ),
        Wrong(
            lambda bM, bK, threads: (Layout((threads // (bK // 4), bK // 4)), Layout((1, 4))),
            "the shapes are right. But threads 0 and 1 stand in different rows, far apart in memory.",
            4,
        ),
        Wrong(
            lambda bM, bK, threads: (Layout((bK // 4, threads // (bK // 4))), Layout((4, 1))),
            "this is (k,m): m comes first, for threads and for values.",
            3,
        ),
        Wrong(
            lambda bM, bK, threads: (Layout((128, 2), LayoutRight), Layout((1, 4))),
            "that is the lesson's tile of (128,8) with 256 threads. Work it out from bK and threads.",
            2,
        ),
        Wrong(
            lambda bM, bK, threads: (Layout((bM, threads // bM), LayoutRight), Layout((1, 4))),
            "this takes all rows at once and shares out the threads that are left. There may be more of them than four-number "
            "pieces in a row, or fewer: begin with the row.",
            2,
        ),
    ),
    because="Values along the contiguous mode, then threads along it until a row is full, then the rows. For m-major data it is the "
    "same with m and k exchanged.",
)

# ------------------------------------------------------------------------------------------------ what a kernel gave

KEYS = ("C", "forwards", "backwards", "barriers")


def judge_kernel(arguments, outcome) -> Fault | None:
    """Whether `try_kernel` found it right: as it ran, and with the threads one by one in either order."""
    from .kernels12 import right

    M, N, _K, _seed = arguments
    if isinstance(outcome, Refused):
        return Fault(f"the kernel was refused: {outcome.message}")
    if not isinstance(outcome, dict) or set(outcome) != set(KEYS):
        return Fault(f"{says(outcome)} is not what try_kernel gives. Let R be try_kernel(make, M, N, K, seed)")
    want = [x for column in zip(*right(*arguments), strict=True) for x in column]
    for key in ("forwards", "backwards", "C"):
        got = [x for column in zip(*outcome[key], strict=True) for x in column]
        at = first_difference(got, want)
        if at is not None:
            how = {
                "C": "",
                "forwards": "with the threads one by one, thread 0 first, ",
                "backwards": "with the threads one by one, the last one first, ",
            }[key]
            wrong = sum(x != y for x, y in zip(got, want, strict=True))
            beside = grids(["-" if x is None else x for x in got], want, (M, N)) if M <= 16 else ""
            return Fault(f"{how}{wrong} of {M * N} results are wrong, first C({at % M},{at // M})", beside)
    return None


def _turns(data, key="forwards"):
    """What came out with the threads one by one, problem by problem; None where the kernel did not get so far."""
    if not isinstance(data, Calls) or not all(isinstance(o, dict) and set(o) == set(KEYS) for o in data.outcomes):
        return None
    return [o[key] for o in data.outcomes]


def _multiplied(inputs, sequence):
    """`like` of a loop that multiplies other tiles: sequence(how many there are) are those."""

    def like(data):
        from .kernels12 import by_tiles

        turns = _turns(data)
        return turns is not None and turns == [by_tiles(*x, sequence(x[2] // 4)) for x in inputs()[: len(turns)]]

    return like


def _made(**how):
    """A learner's function with a kernel of kernels12.make_loop."""

    def answer(M, N, K, seed):
        from .kernels12 import make_loop, try_kernel

        return try_kernel(make_loop(**how), M, N, K, seed)

    return answer


def _two(**how):
    def answer(M, N, K, seed):
        from .kernels12 import make_two_tiles, try_kernel

        return try_kernel(make_two_tiles(**how), M, N, K, seed)

    return answer


def _wrong_in_turns(make, inputs, **how):
    """`like` of a kernel that gives what this one gives, with the threads one by one. It need not run anywhere else."""

    def like(data):
        from . import kernels12 as k

        forwards, backwards = _turns(data), _turns(data, "backwards")
        if forwards is None:
            return False
        pairs = zip(inputs(), forwards, backwards, strict=False)
        return all((f, b) == k.both_turns(getattr(k, make), tuple(how.items()), *x) for x, f, b in pairs)

    return like


def _stopped_beyond(data) -> bool:
    last = data.outcomes[-1] if isinstance(data, Calls) and data.outcomes else None
    return isinstance(last, Failed) and "IndexError" in last.sentence


# ------------------------------------------------------------------------------------------------ 12.6


def problems() -> list[tuple]:
    """(M, N, K, seed): one tile along k, then three of them, then two blocks. Few and small: each is run in the simulator."""
    return [(16, 8, 4, 0), (16, 8, 12, 2), (32, 8, 8, 3)]


ONE_TILE = FunctionExercise(
    id="12.6",
    title="Right with one tile",
    answer="mended",
    inputs=problems,
    judge=judge_kernel,
    seconds=60,
    hints=(
        "Write down for three tiles which of them lies in registers, and which in shared memory, after each line of the loop. Which "
        "tile is multiplied first?",
        "Registers hold one tile. What was in them when the load began, and had anybody stored it?",
        "The load of tile k+1 must come after the stores of tile k. Products and load may then go on side by side.",
        "The order of the loop in the lesson: barrier, store, barrier, load the next one if there is one, multiply.",
    ),
    wrong=(
        Wrong(
            _made(early=True),
            "this is still the colleague's: the load writes over registers that nobody has stored. Tile 0 is never multiplied, and "
            "the last one twice.",
            2,
            _multiplied(problems, lambda n: [*range(1, n), n - 1]),
        ),
        Wrong(
            _made(ahead=0),
            "the stores come first now. But the load fetches tile k again: tile 0 is multiplied twice, and the last one never.",
            4,
            _multiplied(problems, lambda n: [0, *range(n - 1)]),
        ),
        Wrong(
            _made(ahead=None),
            "without the load in the loop every round multiplies tile 0.",
            3,
            _multiplied(problems, lambda n: [0] * n),
        ),
        Wrong(
            _made(guard=False),
            "in the last round there is no tile k+1, and the load reads behind the matrix. On a GPU nobody would have told you.",
            4,
            _stopped_beyond,
        ),
        Wrong(
            _made(first=False),
            "a barrier got lost: the stores must wait until all have read the tile before.",
            4,
            _wrong_in_turns("make_loop", problems, first=False),
        ),
        Wrong(
            _made(second=False),
            "a barrier got lost: the products must wait until all have stored.",
            4,
            _wrong_in_turns("make_loop", problems, second=False),
        ),
    ),
    because="With one tile there is nothing to load in the loop, so the test said nothing of its order.",
)

# ------------------------------------------------------------------------------------------------ 12.7


def longer_problems() -> list[tuple]:
    """As `problems`, but first four tiles: each of the two places is taken twice."""
    return [(16, 8, 16, 7), (16, 8, 4, 5), (32, 8, 8, 8)]


def _judge_one_barrier(arguments, outcome) -> Fault | None:
    if found := judge_kernel(arguments, outcome):
        return found
    tiles = arguments[2] // 4
    if outcome["barriers"] > tiles:
        return Fault(
            f"all is right, and a thread meets {outcome['barriers']} barriers for {tiles} tile{'s' * (tiles != 1)} along k: one a tile will do"
        )
    return None


def _right_but_slow(data) -> bool:
    turns = _turns(data, "barriers")
    return turns is not None and all(
        n == 2 * (K // 4) for n, (_M, _N, K, _s) in zip(turns, longer_problems(), strict=False)
    )


def _out_of_shared_memory(_M, _N, _K, _seed):
    raise IndexError("the offset 112, but the memory has 64 elements: the layout reaches further than the memory")


def _ended_outside(outcomes) -> bool:
    return any(isinstance(o, Failed) and "the layout reaches further than the memory" in o.sentence for o in outcomes)


ONE_BARRIER = FunctionExercise(
    id="12.7",
    title="Two tiles, one barrier",
    answer="one_barrier",
    inputs=longer_problems,
    judge=_judge_one_barrier,
    seconds=60,
    hints=(
        "Give sA and sB a third mode of 2: Layout((bM, bK, 2)). Shared memory grows with it, and so do tAsA and tCsA: (...,2).",
        "Tile k lies in place k % 2. Stores and products of one round use the same place, those of the next round the other one.",
        "tArA is as large as one tile's part: make_fragment_like(tAsA[_, _, _, 0]).",
        "The barrier that stays is the one between stores and products. Who stores tile k+2 has come past the barrier of round k+1, "
        "and nobody reaches that one before its products of tile k are done.",
    ),
    wrong=(
        Wrong(
            _two(first=True),
            "right in every order, with two barriers a tile. With two tiles in shared memory one of them has nothing left to do: which?",
            4,
            _right_but_slow,
        ),
        Wrong(
            _made(first=False),
            "one barrier, and one tile of shared memory: a fast thread stores tile k+1 where a slow one still reads tile k.",
            1,
            _wrong_in_turns("make_loop", longer_problems, first=False),
        ),
        Wrong(  # with one tile of shared memory or two: the numbers are the same
            _two(first=True, second=False),
            "the one barrier stands before the stores, so nothing waits between the stores and the products.",
            4,
            _wrong_in_turns("make_two_tiles", longer_problems, first=True, second=False),
        ),
        Wrong(
            _two(read=1),
            "the products read the other place: what was stored in this round is multiplied in the next one.",
            2,
            _wrong_in_turns("make_two_tiles", longer_problems, read=1),
        ),
        Wrong(
            _two(turn=0),
            "the stores take turns between two places, and the products always read place 0.",
            2,
            _wrong_in_turns("make_two_tiles", longer_problems, turn=0),
        ),
        Wrong(
            refuses(
                "copy by UniversalCopy<uint128_t>: both must have as many values in mode 0, and as many accesses in the modes after it"
            ),
            "source and destination of a copy differ: tArA and tBrB are to hold one tile's part, and tAsA and tBsB are two tiles now.",
            3,
            refused_with("both must have as many values"),
        ),
        Wrong(
            _out_of_shared_memory,
            "the layouts have two tiles, and the shared arrays are as large as one: size_A and size_B grow as well.",
            1,
            lambda data: isinstance(data, Calls) and _ended_outside(data.outcomes[-1:]),
        ),
        Wrong(
            _two(second=False),
            "no barrier is left. One of them is still needed: the products must wait until all have stored.",
            4,
            _wrong_in_turns("make_two_tiles", longer_problems, second=False),
        ),
    ),
    because="A ring of two tiles. It costs twice the shared memory and saves a barrier; with cp.async in place of the registers, and "
    "three tiles, it is `pipelined`.",
)
