"""Chapter 11, sgemm_1: the exercises in which one writes or mends a kernel.

The learner's function runs its kernel itself, by small_gemm.run_small, and returns the rows of C: plain lists, in the simulator and on
a GPU. What the catalogued wrong kernels give is worked out here from the same layouts, block after block, without Numba.
"""

import itertools
from math import isfinite

from ...htuple import LayoutError, _, ceil_div
from ...layout import Layout, LayoutRight, take
from ...partition import Step, X, local_partition, local_tile
from ..answers import Calls, Refused
from ..compare import Fault, first_difference, grids, says, values
from ..exercises import FunctionExercise, Wrong

# ------------------------------------------------------------------------------------------------ the problem

TILER = (8, 4, 4)
BEHIND, NOTHING = 100, 777  # what lies behind A and B, and in C before the kernel runs
COPIERS, WORKERS = Layout((2, 4)), Layout((4, 2))
S_A, S_B = Layout((8, 4)), Layout((4, 4))


def a_element(m: int, k: int) -> int:
    return (5 * m * m + 7 * m * k + 3 * k * k + m) % 17 - 8


def b_element(n: int, k: int) -> int:
    return (3 * n * n + 2 * n * k + 5 * k * k + n) % 13 - 6


def wanted(M: int, N: int, K: int) -> list:
    """The rows of A B^T."""
    return [[sum(a_element(m, k) * b_element(n, k) for k in range(K)) for n in range(N)] for m in range(M)]


def plain_number(x: float):
    """A number of C as data: an int where it is one, "nan" where it is none: memory that nobody has written may hold anything."""
    if not isfinite(x):
        return "nan"
    return int(x) if x == int(x) else x


def rows_of(memory, M, N) -> list:
    """The rows of a column-major (M,N)."""
    return [[memory[m + n * M] for n in range(N)] for m in range(M)]


# ------------------------------------------------------------------------------------------------ a kernel without Numba


def emulate(
    M, N, K, behind=BEHIND, *, to_A=COPIERS, to_B=COPIERS, from_B=COPIERS, by_A=WORKERS, by_B=WORKERS, k_tiles=None,
    k_tile=lambda k: k, exists=None, stale=False, cta=lambda x, y: (x, y), C=None,
) -> list:  # fmt: skip
    """The rows of C after sgemm_1 with a thing or two changed.

    to_A, to_B: the thread layouts that cut sA and sB for copying, from_B: the one that cuts gB; by_A, by_B: those that cut them for computing. k_tiles: how many
    k-steps, given the grid. k_tile: which tile of B a step takes. exists(k, K): whether a column counts, for A and for B; what does not
    is 0, or what was there before if `stale`. cta: which tile a block takes. C: the layout of C.
    """
    nan = float("nan")
    behind = nan if behind is None else behind
    A = [a_element(m, k) for k in range(K) for m in range(M)] + [behind] * (M * (4 * K + 8))
    B = [b_element(n, k) for k in range(K) for n in range(N)] + [behind] * (N * (4 * K + 8))
    memory = [NOTHING] * ((M + 8) * (M + N + 4))
    grid = ceil_div((M, N), TILER[:2])
    sA, sB = [0] * 32, [0] * 16
    for x, y in itertools.product(*map(range, grid)):
        coord = (*cta(x, y), _)
        gA, gB, gC = (
            local_tile(whole, TILER, coord, step)
            for whole, step in (
                (Layout((M, K)), Step(1, X, 1)), (Layout((N, K)), Step(X, 1, 1)), (C or Layout((M, N)), Step(1, 1, X)),
            )
        )  # fmt: skip
        sums = [{} for _thread in range(8)]
        for step in range(k_tiles(*grid, K) if k_tiles else ceil_div(K, 4)):
            for which, g, rows, cut, to, s, layout in (
                ("A", gA, M, COPIERS, to_A, sA, S_A), ("B", gB, N, from_B, to_B, sB, S_B),
            ):  # fmt: skip
                source, memory_of = (step, A) if which == "A" else (k_tile(step), B)
                tile, start = take(g[0], 0, 2), g[1] + source * g[0].stride[2]
                for t in range(8):
                    for i, j in zip(places(tile, start, cut, t), places(layout, 0, to, t), strict=True):
                        if exists is None or exists(which, i // rows, K):
                            s[j] = memory_of[i]
                        elif not stale:
                            s[j] = 0
            for t in range(8):
                a, b = places(S_A, 0, by_A, t, Step(1, X)), places(S_B, 0, by_B, t, Step(X, 1))
                for (r, c), k in itertools.product(itertools.product(range(2), range(2)), range(4)):
                    sums[t][r, c] = sums[t].get((r, c), 0) + sA[a[r + 2 * k]] * sB[b[c + 2 * k]]
        for t in range(8):
            for v, place in enumerate(places(gC[0], gC[1], WORKERS, t)):
                memory[place] = sums[t].get((v % 2, v // 2), 0)
    return rows_of([plain_number(float(x)) for x in memory], M, N)


def places(layout, start, threads, t, step=None) -> list:
    """Where the values of thread t lie."""
    part, more = local_partition(layout, threads, t, step)
    return [start + more + x for x in values(part)]


def judge_c(arguments, outcome) -> Fault | None:
    """Whether these are the rows of C."""
    M, N, K = arguments[:3]
    if isinstance(outcome, Refused):
        return Fault(f"M, N, K = {M}, {N}, {K}: the kernel was refused. {outcome.message}")
    right = isinstance(outcome, (list, tuple)) and len(outcome) == M
    if not right or not all(isinstance(row, (list, tuple)) and len(row) == N for row in outcome):
        return Fault(f"{says(outcome)} is not a C of {M} by {N}. Let R be what run_small gives")
    want = wanted(M, N, K)
    got, want = ([row[n] for n in range(N) for row in rows] for rows in (outcome, want))
    at = first_difference(got, want)
    if at is None:
        return None
    cell, found = f"({at % M},{at // M})", got[at]
    why = "was never written" if found == NOTHING else f"is {says(found)}, and {want[at]} is wanted"
    wrong = sum(x != y for x, y in zip(got, want, strict=True))
    return Fault(
        f"M, N, K = {M}, {N}, {K}: {wrong} of {M * N} results are wrong. C{cell} {why}", grids(got, want, (M, N))
    )


def refused_with(*words):
    """`like` of a kernel that the library refuses in such words."""

    def like(data):
        return isinstance(data, Calls) and any(
            isinstance(o, Refused) and all(word in o.message for word in words) for o in data.outcomes
        )

    return like


def refuses(words):
    def kernel(*_arguments):
        raise LayoutError(words)

    return kernel


# ------------------------------------------------------------------------------------------------ 11.2

FILL_IN = FunctionExercise(
    id="11.2",
    title="Fill in the partitions",
    answer="fill_in",
    inputs=lambda: [(8, 4, 4), (16, 8, 8)],
    judge=judge_c,
    hints=(
        "The name says it: tAgA is gA, cut by tA. Which of the eight are cut by a thread layout as it is, and which by a projection?",
        "Source and destination of a copy are cut by the same thread layout: tAgA and tAsA by tA, tBgB and tBsB by tB.",
        "A thread needs of sA the rows of its cells of C, and all of k: Step(1, X). Of sB it needs its columns: Step(X, 1).",
        "gemm wants tCsA (2,4), tCsB (2,4) and tCrC (2,2). The accumulators are as many as the thread's cells of gC: "
        "make_tensor_like of tCgC, which is gC cut by tC.",
    ),
    wrong=(
        Wrong(
            lambda M, N, K: emulate(M, N, K, to_A=WORKERS),
            "the numbers of A arrive in other places than they should: tAgA and tAsA are not cut alike.",
            2,
        ),
        Wrong(
            lambda M, N, K: emulate(M, N, K, to_B=WORKERS),
            "the numbers of B arrive in other places than they should: tBgB and tBsB are not cut alike.",
            2,
        ),
        Wrong(
            refuses("gemm, form (M,K) x (N,K) => (M,N): K is 2 in A but 4 in B"),
            "gemm finds two different K. A thread needs all of k: the second mode of the threads has to be dropped.",
            3,
            refused_with("gemm", "K is"),
        ),
        Wrong(
            refuses("gemm accumulates in registers, but D is gmem_ptr[32b]+11 o (2,2):(4,16)"),
            "tCrC is to be memory of the thread's own, as large as tCgC, and not a part of C itself.",
            4,
            refused_with("gemm accumulates in registers"),
        ),
        Wrong(
            refuses("gemm, form (M,K) x (N,K) => (M,N): M is 4 in A but 2 in C"),
            "rows or columns do not fit C's. For sA the threads along m count, for sB those along n; and C is cut by tC.",
            4,
            refused_with("gemm"),
        ),
        Wrong(
            refuses("copy: src has 4 elements, dst has 2 elements"),
            "source and destination of a copy differ in size: is each cut from its own tile, A's from gA and sA, B's from gB and sB?",
            2,
            refused_with("copy: src"),
        ),
    ),
    because="These are the lines of sgemm_1.cu. Four are for copying, three for computing, and the last one is the thread's own memory.",
)

# ------------------------------------------------------------------------------------------------ 11.3

ALL_OF_K = FunctionExercise(
    id="11.3",
    title="Right when it is square",
    answer="all_of_k",
    inputs=lambda: [(16, 8, 8), (8, 8, 12)],
    judge=judge_c,
    hints=(
        "Take M, N, K = 16, 8, 8 and write down how often the loop runs, and how often it should. Then 8, 8, 12.",
        "How many k-steps are there? That depends on K and the width of a tile alone. What does gridDim depend on?",
        "gA has three modes, (BLK_M,BLK_K,k), and the partition keeps the third: its extent is the number of k-steps.",
        "The loop is: for k_tile in range(size(tAgA, 2)).",
    ),
    wrong=(
        Wrong(
            lambda M, N, K: emulate(M, N, K, k_tiles=lambda x, y, K: x),
            "gridDim.x is the number of blocks along M. With 16, 8, 8 it happens to be the number of k-steps.",
            2,
        ),
        Wrong(
            lambda M, N, K: emulate(M, N, K, k_tiles=lambda x, y, K: y),
            "gridDim.y is the number of blocks along N. It has nothing to do with K, either.",
            2,
        ),
        Wrong(
            lambda M, N, K: emulate(M, N, K, k_tiles=lambda x, y, K: K),
            "K is how many columns there are. A k-step takes four of them, so this goes far behind the matrices.",
            3,
        ),
        Wrong(
            lambda M, N, K: emulate(M, N, K, k_tiles=lambda x, y, K: 4),
            "4 is how wide a tile is. How many such tiles has K?",
            2,
        ),
        Wrong(
            lambda M, N, K: emulate(M, N, K, k_tiles=lambda x, y, K: ceil_div(K, 4) - 1),
            "one k-step is missing: range(n) ends with n - 1 by itself.",
            4,
        ),
        Wrong(
            lambda M, N, K: emulate(M, N, K, k_tiles=lambda x, y, K: 1),
            "this is one k-step. size(tAgA, 1) is 1, since one grid of threads covers a tile; mode 2 counts the tiles.",
            3,
        ),
    ),
    because="size<2>(tAgA), as sgemm_1.cu has it. A kernel is to be tried with M, N and K all different.",
)

# ------------------------------------------------------------------------------------------------ 11.4


def _swapped(M, N, K):
    return emulate(M, N, K, cta=lambda x, y: (y, x))


WHICH_BLOCK = FunctionExercise(
    id="11.4",
    title="Half of C is missing",
    answer="which_block",
    inputs=lambda: [(16, 8, 4), (16, 4, 8)],
    judge=judge_c,
    hints=(
        "Take M, N = 16, 4: how many blocks are launched along x, and how many along y? Which tile does block (1,0) take?",
        "run_small launches ceil_div(M, 8) blocks along x and ceil_div(N, 4) along y, as sgemm_1.cu does. The coordinate is (m,n,k).",
        "In CUDA one often writes the row with y, since x runs along a row. Here x counts the tiles along M.",
        "The coordinate is cta_coord = (cuda.blockIdx.x, cuda.blockIdx.y, _).",
    ),
    wrong=(
        Wrong(
            _swapped,
            "with a square grid every tile still has its block, another one. With (2,1) block (1,0) takes a tile that C does not have.",
            2,
            lambda data: _right_first(data) and (refused_with("no tile")(data) or _is(data, _swapped_on_a_gpu)),
        ),
        Wrong(
            lambda M, N, K: emulate(M, N, K, cta=lambda x, y: (x, x)),
            "both coordinates come from blockIdx.x: with a square grid the tiles off the diagonal have no block.",
            2,
            lambda data: (
                isinstance(data, Calls) and list(data.outcomes[:1]) == [emulate(16, 8, 4, cta=lambda x, y: (x, x))]
            ),
        ),
        Wrong(
            refuses("mode 2 of (4,1): it has rank 2, so its modes are 0..1"),
            "gA and gB have lost their k-steps: a number chooses one tile along K. `_` keeps them all.",
            4,
            refused_with("mode 2 of"),
        ),
        Wrong(
            lambda M, N, K: emulate(M, N, K, cta=lambda x, y: (x, 0)),
            "the tiles along N have no block: blockIdx.y must choose one.",
            2,
        ),
        Wrong(
            lambda M, N, K: emulate(M, N, K, cta=lambda x, y: (0, y)),
            "the tiles along M have no block: blockIdx.x must choose one.",
            2,
        ),
        Wrong(
            lambda M, N, K: emulate(M, N, K, cta=lambda x, y: (0, 0)),
            "all blocks compute the same tile: blockIdx must choose.",
            1,
        ),
        Wrong(
            lambda M, N, K: emulate(M, N, K, cta=lambda x, y: (x, y), C=Layout((M, N), (M, 1))),
            "the blocks are right. But C is stored by columns: its stride is (1, ldC).",
            1,
        ),
    ),
    because="The grid is a habit of the host, and host and kernel must have the same one. A square C hides it where they do not.",
)


def _swapped_on_a_gpu(M, N, K):
    """There nobody checks the tile: of (16,4) block (0,0) computes the first, and block (1,0) writes behind C."""
    return emulate(M, N, K)[:8] + [[NOTHING] * N for _row in range(8)] if (M, N) == (16, 4) else emulate(M, N, K)


def _right_first(data) -> bool:
    first = WHICH_BLOCK.inputs()[0]
    return isinstance(data, Calls) and judge_c(first, data.outcomes[0]) is None


def _is(data, function) -> bool:
    return list(data.outcomes) == [function(*one) for one in WHICH_BLOCK.inputs()]


# ------------------------------------------------------------------------------------------------ 11.5

ALONG = Layout((2, 4), LayoutRight)

CUT_ALIKE = FunctionExercise(
    id="11.5",
    title="Every number arrives",
    answer="cut_alike",
    inputs=lambda: [(8, 4, 4), (16, 8, 8)],
    judge=judge_c,
    hints=(
        "All numbers of the tile come into shared memory, and each once. Are they where gemm looks for them?",
        "copy pairs values by their number. Which cell (n,k) is value 1 of thread 3 in tBgB, and which in tBsB?",
        "One thread layout for both sides: then value v of thread t is the same cell on both, whatever the layout.",
        "`partitions` has cut gB by tB. Cut sB by tB too: what it gave as tBsB was right. Or cut both anew, along k.",
    ),
    wrong=(
        Wrong(
            lambda M, N, K: emulate(M, N, K, to_B=ALONG),
            "value v of thread t is one cell of gB and another one of sB.",
            2,
        ),
        Wrong(
            lambda M, N, K: emulate(M, N, K, from_B=ALONG),
            "now sB is cut by tB and gB along k: value v of thread t is still one cell here and another one there.",
            3,
        ),
        Wrong(
            lambda M, N, K: emulate(M, N, K, to_A=ALONG),
            "now A has the same fault: tAgA and tAsA are cut by two thread layouts.",
            3,
        ),
        Wrong(
            lambda M, N, K: emulate(M, N, K, to_A=ALONG, to_B=ALONG),
            "now A has the fault as well. It was right.",
            3,
        ),
        Wrong(
            lambda M, N, K: emulate(M, N, K, to_B=WORKERS),
            "tC has as many cells a thread, so copy takes it. They are other cells.",
            3,
        ),
        Wrong(
            lambda M, N, K: emulate(M, N, K, to_B=ALONG, by_B=Layout((4, 2), LayoutRight)),
            "computing was right. What is read from sB must have been put there: mend the copy.",
            1,
        ),
        Wrong(
            lambda M, N, K: emulate(M, N, K, k_tile=lambda k: 0),
            "tB is right now, but every k-step brings the first tile of B.",
            1,
        ),
    ),
    because="copy asks for equal sizes only. That both sides are cut alike is for you to see to; nothing crashes if not.",
)

# ------------------------------------------------------------------------------------------------ 11.7


def _within(which, k, K):
    return k < K


PREDICATE_K = FunctionExercise(
    id="11.7",
    title="A K that four does not divide",
    answer="predicate_k",
    inputs=lambda: [(8, 4, 6, BEHIND), (8, 12, 5, None)],
    judge=judge_c,
    hints=(
        "Make identity tensors of A and B, and cut them as A and B are: local_tile, then local_partition. Their elements are coordinates.",
        "elem_less(tAcA[_, _, k_tile], (M, K)) is the predicate, and copy_if(predicate, source, destination) copies where it is true.",
        "What copy_if does not copy stays as it was: there lies a number of the last k-step. clear(tAsA) and clear(tBsB) before.",
        "A and B both. 0 times NaN is NaN: it is not enough that one factor is 0. And a K of 6 has the columns 0 to 5: less than.",
    ),
    wrong=(
        Wrong(
            emulate,
            "the last k-step takes columns that A and B do not have. What lies there is added.",
            1,
        ),
        Wrong(
            lambda M, N, K, behind: emulate(M, N, K, behind, exists=_within, stale=True),
            "the predicates are right. But where nothing is copied, the numbers of the k-step before are still there, and are added.",
            3,
        ),
        Wrong(
            lambda M, N, K, behind: emulate(M, N, K, behind, exists=lambda which, k, K: which == "B" or k < K),
            "one of the two is without a predicate, or has that of the first k-step. 0 times 100 is 0; but in the second case the memory "
            "behind holds NaN.",
            4,
        ),
        Wrong(
            lambda M, N, K, behind: [row[:M] + [0] * (N - M) for row in wanted(M, N, K)],
            "the columns of C from M on are 0. B is (N,K), and so is the bound of its coordinates: not (M,K).",
            2,
        ),
        Wrong(
            lambda M, N, K, behind: emulate(M, N, K, behind, exists=lambda which, k, K: k <= K),
            "there is one column too many: the last one of K columns is K - 1.",
            4,
        ),
        Wrong(
            lambda M, N, K, behind: emulate(M, N, K, behind, k_tiles=lambda x, y, K: K // 4),
            "the last columns are left out. They do exist; only what comes after them does not.",
            2,
        ),
    ),
    because="Five lines more for A and B, and none for C: M and N are multiples here. The barriers stay as they were, for all threads.",
)
