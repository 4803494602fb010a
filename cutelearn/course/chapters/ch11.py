"""Chapter 11, sgemm_1: its exercises, what their checkers hold to be right, and what learners answer instead.

Counts, layouts and the reading of sgemm_1.cu stand here; the kernels that the learner writes or mends, in functions11.py.
"""

from ...atoms.analysis import bank_conflicts, coalescing
from ...htuple import _, text
from ...layout import Layout, LayoutRight, cosize, rank, shape, size
from ...partition import Step, X, local_partition, local_tile
from ...tensor import make_identity_tensor
from ..compare import Fault, dict_fault, read_layout, says, values
from ..entries import each_fault, number_fault
from ..exercises import Exercise, Wrong, simple
from ..questions import a_coordinate, a_shape
from .functions11 import ALL_OF_K, CUT_ALIKE, FILL_IN, PREDICATE_K, WHICH_BLOCK

# ------------------------------------------------------------------------------------------------ 11.1

BM, BN, BK = 64, 96, 16
COPY, MATH = Layout((16, 16)), Layout((16, 16))


def _counts() -> dict:
    sA, sB, gC = Layout((BM, BK)), Layout((BN, BK)), Layout((BM, BN))
    part = [size(local_partition(s, COPY, 0)[0]) for s in (sA, sB)]
    read = [size(local_partition(s, MATH, 0, step)[0]) for s, step in ((sA, Step(1, X)), (sB, Step(X, 1)))]
    registers = size(local_partition(gC, MATH, 0)[0])
    return {
        "copied": sum(part),
        "read": sum(read),
        "fma": registers * BK,
        "registers": registers,
        "bytes": 4 * (cosize(sA) + cosize(sB)),
    }


COUNTS = _counts()
WHAT = {
    "copied": "how many numbers a thread copies in a k-step, of A and B together",
    "read": "how many numbers a thread reads from shared memory in a k-step",
    "fma": "how many multiply-adds a thread does in a k-step",
    "registers": "how many accumulators a thread has",
    "bytes": "how many bytes of shared memory a block has",
}

ONE_STEP = Exercise(
    id="11.1",
    title="What is in a k-step?",
    answer="a11_1",
    judge=lambda data: each_fault(data, lambda k, entry: number_fault(entry, COUNTS[k], WHAT[k]), COUNTS),
    hints=(
        "Write down the shapes of tAsA, tBsB, tCsA, tCsB and tCrC. Each count is a size, or a sum or a product of sizes.",
        "tAsA is (64,16) over (16,16) threads: (4,1). tBsB is (96,16) over the same threads.",
        "tCsA is (4,16): 64 / 16 rows and all 16 values of k. tCsB is (6,16). Each number is read once, for A and for B.",
        "tCrC is (4,6). Each of its cells gets one product for each of the 16 values of k.",
        "Shared memory has a tile of A, 64 * 16 numbers, and one of B, 96 * 16. A float has 4 bytes.",
    ),
    wrong=(
        Wrong({"copied": 8}, "copied: 4 of A and 4 of B? B's tile has 96 rows.", 2),
        Wrong({"copied": 4}, "copied: these are A's. B's tile is copied by the same threads.", 2),
        Wrong({"copied": 2560}, "copied: that is what all 256 threads copy together.", 2),
        Wrong({"read": 10}, "read: 4 and 6 are for one value of k, and the tile has 16.", 3),
        Wrong({"read": 64}, "read: these are A's. B's are read as well.", 3),
        Wrong({"read": 768}, "read: two for each multiply-add? A number stays in a register for all products it is in.", 3),
        Wrong({"fma": 24}, "fma: one for each cell of C. And there are 16 values of k.", 4),
        Wrong({"registers": 256}, "registers: (16,16) are the threads. How many cells has each?", 4),
        Wrong({"registers": 384}, "registers: all 16 values of k add into the same accumulators.", 4),
        Wrong({"bytes": 2560}, "bytes: that is how many numbers there are.", 5),
        Wrong({"bytes": 4096}, "bytes: that is A's tile. B has one too.", 5),
        Wrong({"bytes": 34816}, "bytes: C's tile is not in shared memory. It is in registers.", 5),
    ),
    because="4 + 6, (4 + 6) * 16, 4 * 6 * 16, 4 * 6, and (64 + 96) * 16 * 4. The compiler's main loop has these counts, too.",
)  # fmt: skip

# ------------------------------------------------------------------------------------------------ 11.6

TN_A = Layout((256, 64), (64, 1))
TN_TILE = local_tile(TN_A, (128, 8), (0, 0))[0]
WARPS = [range(w, w + 32) for w in range(0, 256, 32)]


def _judge_whole(answer) -> Fault | None:
    yours = read_layout(answer)
    if isinstance(yours, Fault):
        return yours
    if shape(yours) != TN_A.shape:
        return Fault(
            f"{says(yours)} has the shape {says(yours.shape)}. A is still (M,K) = (256,64): only strides change"
        )
    i = next((i for i in range(size(TN_A)) if yours(i) != TN_A(i)), None)
    if i is None:
        return None
    m, k = i % 256, i // 256
    return Fault(f"{says(yours)} puts ({m},{k}) at {yours(m, k)}, and it lies at {TN_A(m, k)}")


def _grid(layout) -> Fault | None:
    """Whether this is a thread layout that deals out a (128,8) tile."""
    if rank(layout) != 2 or any(type(n) is not int for n in layout.shape):
        return Fault(f"{says(layout)}: a thread layout has two plain modes here, along m and along k")
    if 128 % layout.shape[0] or 8 % layout.shape[1]:
        return Fault(f"{text(layout.shape)} threads do not share a tile of (128,8) evenly")
    if sorted(values(layout)) != list(range(256)):
        return Fault(f"{says(layout)} does not number 256 threads, 0 to 255, each once")
    return None


def reads(threads: Layout) -> int:
    """The most sectors that one read of a warp touches."""
    parts = [local_partition(TN_TILE, threads, t) for t in range(256)]
    return max(
        coalescing([parts[t][1] + parts[t][0](v) for t in warp], 32).sectors
        for warp in WARPS
        for v in range(size(parts[0][0]))
    )


def _judge_threads(answer) -> Fault | None:
    yours = read_layout(answer)
    if isinstance(yours, Fault):
        return yours
    if wrong := _grid(yours):
        return wrong
    if (most := reads(yours)) > 4:
        return Fault(f"with {says(yours)} a read of a warp touches {most} sectors of this A, and 4 are enough")
    return None


def stores_and_loads(s: Layout, threads: Layout) -> tuple[int, int]:
    """Wavefronts of the worst store by `threads` and of the worst load by tC = (16,16)."""

    def worst(thread_layout, step):
        parts = [local_partition(s, thread_layout, t, step) for t in range(256)]
        return max(
            bank_conflicts([parts[t][1] + parts[t][0](v) for t in warp], 32).wavefronts
            for warp in WARPS
            for v in range(size(parts[0][0]))
        )

    return worst(threads, None), worst(MATH, Step(1, X))


def _judge_shared(answer, threads) -> Fault | None:
    yours = read_layout(answer)
    if isinstance(yours, Fault):
        return yours
    if shape(yours) != (128, 8):
        return Fault(f"{says(yours)} has the shape {says(yours.shape)}. The tile is (128,8)")
    if len(set(values(yours))) != 1024 or min(values(yours)) < 0:
        return Fault(f"{says(yours)} puts two numbers into one place, or one before the beginning")
    if 4 * cosize(yours) > 24 * 1024:
        return Fault(f"{says(yours)} needs {4 * cosize(yours)} bytes, and B needs as many: 48 KiB is all a block has")
    threads = read_layout(threads)
    if isinstance(threads, Fault) or _grid(threads):
        return None  # tA's own fault is told first
    store, load = stores_and_loads(yours, threads)
    if store > 1 or load > 1:
        return Fault(
            f"with {says(yours)} a warp's store takes {store} wavefronts and its load {load}; 1 is enough for both"
        )
    return None


def _judge_tn(data) -> Fault | None:
    threads = data.get("tA") if isinstance(data, dict) else None
    return dict_fault(
        data, {"mA": _judge_whole, "tA": _judge_threads, "sA": lambda entry: _judge_shared(entry, threads)}
    )


def _slip(key, layout, shows, hint) -> Wrong:
    """A wrong layout, however it is written."""
    wrong = Layout.parse(layout)

    def like(data):
        yours = read_layout(data.get(key)) if isinstance(data, dict) else None
        return isinstance(yours, Layout) and yours.shape == wrong.shape and values(yours) == values(wrong)

    return Wrong({key: layout}, f"{key}: {shows}", hint, like)


NT_TO_TN = Exercise(
    id="11.6",
    title="NT to TN",
    answer="a11_6",
    judge=_judge_tn,
    hints=(
        "The shapes stay as they are. Only strides change: in which direction do neighbours lie now?",
        "A's rows are contiguous: one step along k is 1, one step along m is a whole row. make_stride(ldA, Int<1>{}) in C++.",
        "Lanes 0, 1, 2, ... should read side by side, and side by side is now along k: number the threads along k first.",
        "With those threads a warp stores 4 rows of 8 columns. In an m-major sA a column must end where the banks of these 4 rows "
        "are free again: 128 + 4.",
        "sA = (128,8):(1,132). tC's lanes read it along m, side by side, so it stays m-major.",
    ),
    wrong=(
        _slip("mA", "(256,64):(1,256)", "that is N, as before: columns are contiguous.", 2),
        _slip("mA", "(64,256):(1,64)", "A is (M,K) in CuTe, however it is stored: the shape stays.", 1),
        _slip("mA", "(64,256):(256,1)", "this is A transposed, and stored as before. The shape (M,K) stays; the strides change.", 1),
        _slip("tA", "(32,8):(1,32)", "these are NT's threads. Lanes 0 and 1 stand one below the other, a whole row apart.", 3),
        _slip("tA", "(8,32):(1,8)", "the tile is (128,8): 32 threads along k are too many.", 3),
        _slip("tA", "(8,32):(32,1)", "the order along k is right. But the tile has 8 columns: 8 threads along k, and 32 along m.", 3),
        _slip("sA", "(128,8):(1,128)", "eight lanes along k meet in one bank when they store.", 4),
        _slip("sA", "(128,8):(8,1)", "that stores well. But tC's lanes go down a column when they load, 8 apart.", 5),
        _slip("sA", "(128,8):(1,129)", "the classic padding is for a warp that stands in one row. This one stands in four.", 4),
        _slip("sA", "(128,8):(9,1)", "loading is free of conflicts with rows of 9. Storing is not: the 4 rows overlap in a bank.", 5),
    ),
    because="The kernel's text is the same for NT and TN. What differs are three layouts, and the compiler does the rest.",
)  # fmt: skip

# ------------------------------------------------------------------------------------------------ 11.8

LEAST_FLOP, MOST_BYTES, MOST_SUMS, MOST_THREADS = 16, 48 * 1024, 128, 1024


def tiling_of(data):
    """(cta, copy, math) of an answer, or a Fault."""
    if not isinstance(data, dict) or any(key not in data for key in ("cta", "copy", "math")):
        return Fault(
            "keep the form {'cta': (BLK_M, BLK_N, BLK_K), 'copy': (threads, threads), 'math': (threads, threads)}"
        )
    found = []
    for key, entries in (("cta", 3), ("copy", 2), ("math", 2)):
        numbers = data[key]
        plain = isinstance(numbers, (tuple, list)) and all(type(n) is int and 0 < n <= 10**6 for n in numbers)
        if not plain or len(numbers) != entries:
            return Fault(f"{key}: {says(numbers)} is not {entries} numbers above 0", at=key)
        found.append(tuple(numbers))
    return tuple(found)


def costs(cta, copy, math) -> dict:
    """What a tiling costs and brings."""
    bM, bN, bK = cta
    return {
        "threads": math[0] * math[1],
        "accumulators": bM * bN // (math[0] * math[1]),
        "bytes": 4 * bK * (bM + bN),
        "flop": bM * bN / (2 * (bM + bN)),
    }


def _judge_tiling(data) -> Fault | None:
    found = tiling_of(data)
    if isinstance(found, Fault):
        return found
    cta, copy, math = found
    bM, bN, bK = cta
    if math[0] * math[1] != copy[0] * copy[1]:
        return Fault(f"{copy[0] * copy[1]} threads copy and {math[0] * math[1]} compute: they are the same threads")
    if (threads := math[0] * math[1]) > MOST_THREADS:
        return Fault(f"a block has at most {MOST_THREADS} threads, and {text(math)} are {threads}")
    for tile, what, grid in (((bM, bN), "C", math), ((bM, bK), "A", copy), ((bN, bK), "B", copy)):
        if any(n % t for n, t in zip(tile, grid, strict=True)):
            return Fault(f"{text(grid)} threads do not share {what}'s tile of {text(tile)} evenly")
    cost = costs(*found)
    if cost["bytes"] > MOST_BYTES:
        return Fault(f"the tiles of A and B take {cost['bytes']} bytes, and a block has {MOST_BYTES}")
    if cost["accumulators"] > MOST_SUMS:
        return Fault(
            f"{cost['accumulators']} accumulators a thread: with more than {MOST_SUMS}, registers do not suffice"
        )
    if cost["flop"] < LEAST_FLOP:
        return Fault(f"{cost['flop']:g} flop for each byte of A and B, and at least {LEAST_FLOP} are asked for")
    return None


def _show_tiling(data):
    found = tiling_of(data)
    if isinstance(found, Fault):
        return found.sentence
    cost = costs(*found)
    return (
        f"tile {text(found[0])}: {cost['threads']} threads, {cost['accumulators']} accumulators each, "
        f"{cost['bytes']} bytes of shared memory, {cost['flop']:g} flop for each byte"
    )


def _any(test):
    """`like` for a Fault that speaks so: all tilings with the same fault."""

    def like(data):
        found = _judge_tiling(data)
        return found is not None and test in found.sentence

    return like


OWN_TILING = Exercise(
    id="11.8",
    title="A tiling of your own",
    answer="a11_8",
    judge=_judge_tiling,
    view=_show_tiling,
    hints=(
        "Begin with sgemm_1's own, (128,128,8) with (32,8) and (16,16), and change one number at a time.",
        "copy and math are the same threads: their products must be equal. copy has to divide (BLK_M,BLK_K) and (BLK_N,BLK_K), "
        "math has to divide (BLK_M,BLK_N).",
        "Flop for each byte is BLK_M * BLK_N / (2 (BLK_M + BLK_N)): BLK_K is not in it. 64 by 64 has 16.",
        "Bytes are 4 * BLK_K * (BLK_M + BLK_N), accumulators BLK_M * BLK_N over the threads.",
    ),
    wrong=(
        Wrong(
            {"cta": (128, 128, 8), "copy": (32, 8), "math": (16, 8)},
            "the threads that copy are the threads that compute: both grids must have equally many.",
            2,
            _any("they are the same threads"),
        ),
        Wrong(
            {"cta": (128, 128, 8), "copy": (16, 16), "math": (16, 16)},
            "a grid of threads must divide its tile, both ways: 16 threads along k do not share 8 columns.",
            2,
            _any("evenly"),
        ),
        Wrong(
            {"cta": (32, 32, 8), "copy": (8, 8), "math": (8, 8)},
            "a small tile shares little: each number that is copied serves too few products.",
            3,
            _any("are asked for"),
        ),
        Wrong(
            {"cta": (128, 128, 64), "copy": (32, 8), "math": (16, 16)},
            "a deep tile takes shared memory, and brings no more flop for each byte.",
            4,
            _any("and a block has"),
        ),
        Wrong(
            {"cta": (256, 256, 8), "copy": (32, 8), "math": (16, 16)},
            "each thread has too many accumulators. Take more threads, or a smaller tile.",
            4,
            _any("registers do not suffice"),
        ),
        Wrong(
            {"cta": (128, 128, 64), "copy": (32, 64), "math": (32, 64)},
            "a block has at most 1024 threads.",
            1,
            _any("a block has at most"),
        ),
    ),
    because="Large tiles share more, and cost registers and shared memory, so that fewer blocks fit side by side. What is best, "
    "measuring decides.",
)  # fmt: skip

# ------------------------------------------------------------------------------------------------ 11.9

M9, N9, K9, THREAD9 = 5120, 5120, 4096, 70
TILER9, BLOCK9, STEP9 = (128, 128, 8), (2, 1, _), 3
A9 = Layout((M9, K9), (K9, 1))  # make_stride(ldA, Int<1>{}), ldA = 4096
S9 = Layout((128, 8), LayoutRight)  # make_layout(make_shape(bM,bK), LayoutRight{})
T9 = Layout.parse("make_layout(make_shape(Int<32>{}, Int< 8>{}), LayoutRight{})")
C9 = Layout.parse("make_layout(make_shape(Int<16>{}, Int<16>{}))")


def _read_sgemm_1() -> dict:
    g, _start = local_tile(A9, TILER9, (BLOCK9[0], BLOCK9[1], _), Step(1, X, 1))
    cA = local_tile(make_identity_tensor((M9, K9)), TILER9, BLOCK9, Step(1, X, 1))
    cC = local_tile(make_identity_tensor((M9, N9)), TILER9, BLOCK9, Step(1, 1, X))
    cell = local_partition(cA, T9, THREAD9)[2, 0, STEP9]
    s, s_start = local_partition(S9, T9, THREAD9)
    return {
        "tAgA": shape(local_partition(g, T9, THREAD9)[0]),
        "tCsB": shape(local_partition(S9, C9, THREAD9, Step(X, 1))[0]),
        "smemA": "block",
        "tCrC": "thread",
        "cell": tuple(cell),
        "gmem": A9(*cell),
        "smem": s_start + s(2),
        "result": tuple(local_partition(cC, C9, THREAD9)[1, 2]),
        "barriers": 2 * g.shape[2],
    }


READ = _read_sgemm_1()
OWNERS = ("grid", "block", "thread")


def _judge_owner(key, answer) -> Fault | None:
    word = simple(answer) if isinstance(answer, str) else None
    if word not in OWNERS:
        return Fault(f"{says(answer)} is none of {', '.join(map(repr, OWNERS))}")
    return None if word == READ[key] else Fault(f"{key} is not owned by a {word}")


def _judge_form(key, form, answer, about) -> Fault | None:
    found = form(answer)
    if isinstance(found, Fault):
        return found
    return None if found == READ[key] else Fault(f"{says(found)} is not it. {about}")


ABOUT = {
    "tAgA": "The tile is (128,8), the threads (32,8), and K = 4096",
    "tCsB": "sB is (128,8), and 16 threads stand along n",
    "cell": "Block (2,1) begins at row 256, k-step 3 at column 24; and thread 70 stands somewhere in tA",
    "result": "Block (2,1) begins at row 256 and column 128; and thread 70 stands somewhere in tC",
}

EVERY_LINE = Exercise(
    id="11.9",
    title="Read sgemm_1.cu",
    answer="a11_9",
    judge=lambda data: dict_fault(
        data,
        {
            "tAgA": lambda x: _judge_form("tAgA", a_shape, x, ABOUT["tAgA"]),
            "tCsB": lambda x: _judge_form("tCsB", a_shape, x, ABOUT["tCsB"]),
            "smemA": lambda x: _judge_owner("smemA", x),
            "tCrC": lambda x: _judge_owner("tCrC", x),
            "cell": lambda x: _judge_form("cell", a_coordinate, x, ABOUT["cell"]),
            "gmem": lambda x: number_fault(x, READ["gmem"], "where that cell lies in A: rows of 4096 here"),
            "smem": lambda x: number_fault(x, READ["smem"], "its place in smemA: sA is k-major, rows of 8"),
            "result": lambda x: _judge_form("result", a_coordinate, x, ABOUT["result"]),
            "barriers": lambda x: number_fault(x, READ["barriers"], "how often a thread comes to a barrier"),
        },
    ),
    hints=(
        "tAgA: 128 over 32, 8 over 8, and 4096 over 8 k-steps, with two barriers in each. tCsB: 128 over the 16 threads along n, and "
        "k whole.",
        "`__shared__` is one array for the threads of a block. What make_tensor_like makes are registers of one thread.",
        "tA is LayoutRight: (32,8):(8,1). Thread 70 is 8 * 8 + 6, so it stands at (8,6). Its rows are 32 apart.",
        "The cell of the tile is (72,6). In A it is row 256 + 72, column 24 + 6, and rows are 4096 long. In smemA rows are 8 long.",
        "tC is column-major: thread 70 stands at (70 % 16, 70 / 16) = (6,4). Its cells are 16 apart both ways.",
    ),
    wrong=(
        Wrong({"tAgA": (4, 1, 8)}, "tAgA: the last mode counts k-steps, 4096 / 8.", 1),
        Wrong({"tAgA": (32, 8, 512)}, "tAgA: (32,8) are the threads.", 1),
        Wrong({"tCsB": (16, 8)}, "tCsB: 16 is how many threads there are along n, not how many rows each has.", 1),
        Wrong({"tCsB": (8, 1)}, "tCsB: X drops the threads along m, so nobody divides k.", 1),
        Wrong({"smemA": "thread"}, "smemA: then nobody else could read what a thread brought.", 2),
        Wrong({"tCrC": "block"}, "tCrC: accumulators are registers.", 2),
        Wrong({"cell": (326, 26)}, "cell: thread 70 stands at (6,2) only if threads are counted along m. This tA is LayoutRight.", 3),
        Wrong({"cell": (72, 6)}, "cell: that is the cell in the tile. Where do block and k-step begin?", 4),
        Wrong({"cell": (266, 30)}, "cell: value 2 is not the second neighbour. The rows of a thread are 32 apart.", 3),
        Wrong({"cell": (328, 6)}, "cell: the row is right. k-step 3 begins at column 24.", 4),
        Wrong({"gmem": 328 + 30 * 5120}, "gmem: that is a column-major A. Here dA is (ldA, 1).", 4),
        Wrong({"smem": 72 + 6 * 128}, "smem: that is an m-major sA. Here it is LayoutRight.", 4),
        Wrong({"smem": 582 + 3 * 1024}, "smem: shared memory holds one k-step; the next one takes its place.", 4),
        Wrong({"result": (6 + 16, 4 + 32)}, "result: that is the cell in the tile. Where does the block begin?", 5),
        Wrong({"result": (256 + 4 + 16, 128 + 6 + 32)}, "result: tC is column-major: the threads are counted along m first.", 5),
        Wrong({"result": (256 + 6 + 1, 128 + 4 + 2)}, "result: the cells of a thread are 16 apart.", 5),
        Wrong({"barriers": 512}, "barriers: there are two in the loop.", 1),
        Wrong({"barriers": 2}, "barriers: that is one turn of the loop.", 1),
    ),
    because="If you can say this of thread 70, you can say it of every thread and every line: that is the whole of sgemm_1.cu.",
)  # fmt: skip

EXERCISES = (
    ONE_STEP,
    FILL_IN,
    ALL_OF_K,
    WHICH_BLOCK,
    CUT_ALIKE,
    NT_TO_TN,
    PREDICATE_K,
    OWN_TILING,
    EVERY_LINE,
)
