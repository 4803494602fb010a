"""Chapter 12, sgemm_2: its exercises, what their checkers hold to be right, and what learners answer instead.

Values and shapes stand here; what the learner writes as a function, in functions12.py, and the kernels in kernels12.py.
"""

from ...atoms.copy import make_tiled_copy
from ...atoms.library import copy_atom
from ...atoms.mma import make_tiled_mma
from ...htuple import LayoutError, _, text
from ...layout import Layout, size
from ...partition import Step, X, local_tile
from ...tensor import make_identity_tensor
from ..answers import Refused
from ..compare import Fault, dict_fault, ints_fault, read_layout, same_function, says
from ..entries import each_fault, list_slip, number_fault, shape_fault, shape_slip, slip
from ..exercises import Exercise, Wrong
from .functions12 import COPY_K_MAJOR, ONE_BARRIER, ONE_TILE

WIDE, NARROW = (copy_atom(f"UniversalCopy<{word}>", "float") for word in ("uint128_t", "float"))
FMA = "UniversalFMA<float>"


def _shape_fault(name, answer, wanted, of) -> Fault | None:
    return shape_fault(answer, wanted, f"It is a part of {of}", f"{name} has")


def _number_fault(answer, wanted, what="number") -> Fault | None:
    return number_fault(answer, wanted, f"the {what}", ". Write one integer")


# ------------------------------------------------------------------------------------------------ 12.1

TILER, K1 = (64, 32, 16), 64
S_A, S_B, C_TILE = Layout((64, 16)), Layout((32, 16)), Layout((64, 32))
COPY_A1 = make_tiled_copy(WIDE, Layout((16, 4)), Layout((4, 1)))
COPY_B1 = make_tiled_copy(WIDE, Layout((8, 8)), Layout((4, 1)))
MMA1 = make_tiled_mma(FMA, Layout((8, 8, 1)))


def _shapes() -> dict:
    g = [
        local_tile(Layout((extent, K1)), TILER, (0, 0, _), step)[0]
        for extent, step in ((64, Step(1, X, 1)), (32, Step(X, 1, 1)))
    ]
    a, b, m = COPY_A1.get_slice(0), COPY_B1.get_slice(0), MMA1.get_slice(0)
    parts = {
        "tAgA": a.partition_S(g[0]), "tArA": a.partition_D(S_A), "tBgB": b.partition_S(g[1]), "tBsB": b.partition_D(S_B),
        "tCsA": m.partition_A(S_A), "tCsB": m.partition_B(S_B), "tCrC": m.partition_C(C_TILE),
    }  # fmt: skip
    return {name: part[0].shape for name, part in parts.items()}


SHAPES = _shapes()
PART_OF = {"tAgA": "gA (64,16,4)", "tArA": "a tile of A, as sA (64,16)", "tBgB": "gB (32,16,4)", "tBsB": "sB (32,16)"}
PART_OF |= {"tCsA": "sA (64,16)", "tCsB": "sB (32,16)", "tCrC": "gC (64,32)"}

EVERY_SHAPE = Exercise(
    id="12.1",
    title="Every shape in sgemm_2",
    answer="a12_1",
    judge=lambda data: each_fault(data, lambda k, entry: _shape_fault(k, entry, SHAPES[k], PART_OF[k]), SHAPES),
    hints=(
        "A TiledCopy covers (threads x values) along each mode: (16 * 4, 4 * 1) for A. How often does that fit on the tile, along m and "
        "along k?",
        "CPY is (values of one instruction, instructions): uint128_t moves 4 floats, and the value layout has 4. So it is (4,1).",
        "tArA is made like tAsA: a part of one tile, so without the k-steps.",
        "The TiledMMA covers 8 by 8 by 1. Its first mode is the values of one atom, here 1; then how often it fits, along m or n, and "
        "along k. C has no k.",
    ),
    wrong=(
        shape_slip("tAgA", (4, 4, 4), "that is local_partition's form. Where is the mode of the instruction?", 2),
        shape_slip("tAgA", (4, 1, 4, 4), "all numbers are right. CPY is one mode with two parts.", 2),
        shape_slip("tAgA", ((4, 1), 1, 1, 4), "4 threads along k cover 4 columns, and the tile has 16.", 1),
        shape_slip("tAgA", ((4, 1), 1, 4), "the k-steps are missing: 64 / 16 of them.", 3),
        shape_slip(
            "tAgA", ((4, 1), 4, 4, 4), "16 threads with 4 rows each are 64 rows: how often does that fit on 64?", 1
        ),
        shape_slip("tArA", ((4, 1), 1, 4, 4), "registers hold one tile's part at a time.", 3),
        shape_slip("tBgB", ((4, 1), 1, 4, 4), "that is A's. B's copy has 8 threads along k.", 1),
        shape_slip("tBsB", ((4, 1), 1, 2, 4), "shared memory holds one tile of B: no k-steps.", 3),
        shape_slip("tCsA", (8, 16), "the values of one atom are a mode of their own, also where it is 1.", 4),
        shape_slip("tCsA", (1, 8, 8), "each thread needs all of k: 16 of it.", 4),
        shape_slip("tCsB", (1, 8, 16), "that is A's. sB has 32 rows, and 8 threads along them.", 4),
        shape_slip("tCrC", (1, 8, 8), "8 by 8 are the threads. gC is (64,32).", 4),
        shape_slip("tCrC", (1, 8, 16), "C has no k: (MMA,MMA_M,MMA_N).", 4),
    ),
    because="(CPY,CPY_M,CPY_K,k) and (MMA,MMA_M,MMA_K): what one instruction does, how often along each mode, and the k-steps.",
)

# ------------------------------------------------------------------------------------------------ 12.2

# a matrix: stride along m and along k (None: not known to the compiler), the element it begins at, and which way the values go
MATRICES = {
    "a": ((1, 256), 0, "m"),
    "b": ((1, 129), 0, "m"),
    "c": ((1, 258), 0, "m"),
    "d": ((1, 256), 2, "m"),
    "e": ((24, 1), 0, "k"),
    "f": ((24, 1), 0, "m"),
    "g": ((None, 256), 0, "m"),
}


def widest(strides, start, way) -> int:
    """How many neighbours one access may move: they are known to be side by side, and every group begins at a multiple of them."""
    along, other = strides if way == "m" else strides[::-1]
    return next(n for n in (4, 2, 1) if n == 1 or (along == 1 and start % n == other % n == 0))


ALIGNED_COLUMNS = [j for j in range(8) if 129 * j % 4 == 0]

HOW_WIDE = Exercise(
    id="12.2",
    title="Misaligned address",
    answer="a12_2",
    judge=lambda data: dict_fault(
        data,
        {
            "columns": lambda entry: ints_fault(entry, ALIGNED_COLUMNS, index="entry"),
            **{
                k: lambda entry, k=k: _number_fault(entry, widest(*MATRICES[k]), "most that may be moved")
                for k in MATRICES
            },
        },
    ),
    hints=(
        "In b, column j begins at element 129 * j. Four floats may be moved at once where that is a multiple of 4.",
        "Two things are needed: the values of one access lie side by side, *and* each of them begins at a multiple of its own length. "
        "Look at every stride but the 1, and at where the matrix begins.",
        "258 is no multiple of 4, but it is one of 2. So is 2.",
        "Values that go along m lie side by side only where the stride along m is 1; and the compiler must know that it is.",
    ),
    wrong=(
        list_slip("columns", list(range(8)), "column 1 begins at element 129: is that a multiple of 4?", 1),
        list_slip("columns", [0], "there is one more: at which j is 129 * j a multiple of 4 again?", 1),
        list_slip("columns", [0, 2, 4, 6], "column 2 begins at element 258, which is a multiple of 2 only.", 1),
        slip("b", 4, "that is what crashed: column 1 begins at element 129.", 2),
        slip("c", 4, "column 1 begins at element 258.", 3),
        slip("c", 1, "258 is a multiple of 2: a narrower vector will do.", 3),
        slip("d", 4, "the leading dimension is fine. The matrix itself begins at element 2.", 3),
        slip("e", 1, "rows are contiguous here, and the values go along them. 24 is a multiple of 4.", 2),
        slip("f", 4, "the values go down a column, and its rows are 24 apart.", 4),
        slip("g", 4, "dM is 1 when it runs. The compiler must choose the instruction before.", 4),
    ),
    because="129 is odd, so only every fourth column begins where four floats may be read at once, and nothing tells the compiler which. "
    "Pad the leading dimension to a multiple of 4, or move one number at a time.",
)

# ------------------------------------------------------------------------------------------------ 12.3

THREAD, BLOCK_M, K_TILE = 93, 2, 3
A3 = Layout((512, 64), (1, 512))
COPY3 = make_tiled_copy(WIDE, Layout((32, 8)), Layout((4, 1)))
PERMUTATION = Layout((16, 4), (4, 1))
MMA3 = make_tiled_mma(FMA, Layout((16, 16, 1)), (PERMUTATION, PERMUTATION))
CELL = (101, 6)


def _owners() -> dict:
    tile, s = make_identity_tensor((128, 8)), Layout((128, 8))
    cells = list(COPY3.get_slice(THREAD).partition_S(tile))
    whole = local_tile(make_identity_tensor((512, 64)), (128, 128, 8), (BLOCK_M, 0, K_TILE), Step(1, X, 1))
    first = next(iter(COPY3.get_slice(THREAD).partition_S(whole)))
    who = next((t, v) for t in range(256) for v, c in enumerate(COPY3.get_slice(t).partition_S(tile)) if c == CELL)
    return {
        "rows": [m for m, _k in cells],
        "k": cells[0][1],
        "gmem": A3(*first),
        "smem": s(*cells[0]),
        "thread": who[0],
        "value": who[1],
        "computes": [m for m, k in MMA3.get_slice(THREAD).partition_A(tile) if k == 0],
    }


OWNERS = _owners()

WHOSE = Exercise(
    id="12.3",
    title="Whose, and where?",
    answer="a12_3",
    judge=lambda data: dict_fault(
        data,
        {
            k: (lambda entry, k=k: ints_fault(entry, OWNERS[k], index="entry"))
            if isinstance(OWNERS[k], list)
            else (lambda entry, k=k: _number_fault(entry, OWNERS[k]))
            for k in OWNERS
        },
    ),
    hints=(
        "Where does thread 93 stand in the thread layout (32,8):(1,32)? There is one group of four rows for each place along m.",
        "In A: the block begins at row 2 * 128, the k-step at column 3 * 8, and one column further is 512 elements.",
        "In sA there is only the tile: row + 128 * column.",
        "Back: which group of four rows is row 101 in, and which of the four is it? The column is the thread's second place.",
        "To compute, it stands at 93 % 16 along m. Its slots are 13, 29, 45, 61, and (16,4):(4,1) says which rows they are; and the same "
        "64 further on.",
    ),
    wrong=(
        list_slip(
            "rows", [29, 61, 93, 125], "that is how local_partition deals. A TiledCopy gives four neighbours.", 1
        ),
        list_slip(
            "rows", [29, 30, 31, 32], "29 is its place among the threads. Each thread before it has four rows, too.", 1
        ),
        list_slip("rows", [92, 93, 94, 95], "thread 93 is not the 93rd along m: 32 threads stand there.", 1),
        slip("k", 0, "93 is more than 32: it stands in another column.", 1),
        slip("gmem", 116 + 26 * 512, "the column is right. Block 2 begins at row 256.", 2),
        slip("gmem", 372 + 2 * 512, "the row is right. k-step 3 begins at column 24.", 2),
        slip("gmem", 116 + 2 * 512, "that is the cell in the first tile. Where do block 2 and k-step 3 begin?", 2),
        slip("gmem", 372 + 26 * 128, "one column of A is 512 elements: 128 is a column of sA.", 2),
        slip(
            "smem", 372 + 26 * 512, "that is its address in A. sA holds one tile, and a column of it is 128 places.", 3
        ),
        slip("smem", 372 + 26 * 128, "sA holds one tile: there the cell is (116,2).", 3),
        slip("smem", 116 + 2 * 512, "one column of sA is 128 places.", 3),
        slip("thread", 101 % 32 + 6 * 32, "that is local_partition's thread. Here four rows belong together.", 4),
        slip("thread", 25, "25 is the place along m. And column 6?", 4),
        slip("value", 3, "that is local_partition's value. Which of the rows 100 to 103 is it?", 4),
        list_slip(
            "computes", [116, 117, 118, 119], "that is what it copies. It computes with what others have brought.", 5
        ),
        list_slip(
            "computes",
            [13 + 16 * i for i in range(8)],
            "these are its slots. The permutation says which rows they are.",
            5,
        ),
        list_slip("computes", [52, 53, 54, 55], "the tile has 128 rows, and the permutation has 64 slots.", 5),
    ),
    because="Thread 93 stands at (29,2) to copy and at (13,5) to compute. Groups of four rows: 4 * 29 = 116, 4 * 13 = 52.",
)

# ------------------------------------------------------------------------------------------------ 12.5

REASONS = {
    "a": "a thread multiplies numbers that others have not stored yet",
    "b": "a thread stores the next tile where others still read this one",
    "c": "a thread loads into registers that it has not stored yet",
}
FIRST_OUT, SECOND_OUT = "b", "a"


def _kernel_says(which, backwards) -> list:
    from .kernels12 import make_loop, threads_that_are_right

    order = range(8)[::-1] if backwards else range(8)
    return threads_that_are_right(make_loop(**{which: False}), order)


def _judge_letter(entry, wanted) -> Fault | None:
    if not isinstance(entry, str) or entry.strip().lower() not in REASONS:
        return Fault(f"{says(entry)} is none of the letters a, b, c")
    return None if entry.strip().lower() == wanted else Fault("another of the three is what happens")


def _judge_threads(entry, which, backwards) -> Fault | None:
    if isinstance(entry, int):
        entry = [entry]
    if isinstance(entry, (list, tuple)) and all(isinstance(x, int) for x in entry):
        wanted = _kernel_says(which, backwards)
        return None if sorted(entry) == wanted else Fault(f"{says(list(entry))} are not the threads that are right")
    return Fault(f"{says(entry)} is not a list of threads")


BARRIERS = Exercise(
    id="12.5",
    title="One barrier less",
    answer="a12_5",
    judge=lambda data: dict_fault(
        data,
        {
            "first": lambda entry: _judge_letter(entry, FIRST_OUT),
            "second": lambda entry: _judge_letter(entry, SECOND_OUT),
            "without first": lambda entry: _judge_threads(entry, "first", False),
            "without second": lambda entry: _judge_threads(entry, "second", False),
            "backwards": lambda entry: _judge_threads(entry, "second", True),
        },
    ),
    hints=(
        "Take two threads and write down what each does, line by line, until it meets the barrier that is left. Thread 1 begins only "
        "when thread 0 stands there.",
        "Without the first one: after the common barrier thread 0 multiplies tile 0, and goes on, without waiting, to store its part of "
        "tile 1. Only then thread 1 begins to multiply.",
        "Without the second one: thread 0 stores its part and multiplies at once. What do the parts of the others hold then? And when "
        "the last thread's turn comes?",
        "Every thread reads what others have stored. Without the first barrier only the one that multiplies first is right, without the "
        "second only the one that stores last.",
    ),
    wrong=(
        slip(
            "first", "a", "the barrier between the stores and the products is still there: all have stored by then.", 2
        ),
        slip("first", "c", "registers are a thread's own, and it stores them before it loads again.", 1),
        slip("second", "b", "the barrier before the stores is still there: all have read by then.", 3),
        slip("second", "c", "no thread sees another one's registers, and each stores before it loads again.", 1),
        list_slip(
            "without first",
            list(range(8)),
            "all would be luck. Thread 1 multiplies after thread 0 has gone on.",
            2,
        ),
        list_slip("without first", [], "one of them multiplies before anybody has gone on.", 2),
        list_slip(
            "without first",
            [7],
            "thread 7 multiplies last: by then all others have stored parts of the next tile.",
            2,
        ),
        list_slip("without second", list(range(8)), "thread 0 multiplies when nobody else has stored anything.", 3),
        list_slip("without second", [0], "thread 0 is the one that multiplies first: who has stored by then?", 3),
        list_slip("without second", [], "when the last thread's turn comes, all others have stored.", 3),
        list_slip(
            "backwards", [7], "backwards thread 7 comes first, so it multiplies before anybody else has stored.", 3
        ),
    ),
    because="On a GPU the order changes from run to run, so such a kernel is often right. That is why it must be reasoned, not tried.",
)

# ------------------------------------------------------------------------------------------------ 12.8

MOST_REGISTERS, MOST_SHARED, MOST_THREADS = 128, 48 * 1024, 1024


def _own(data):
    """(tiling, tensors of thread 0, bytes of shared memory) of a tiling of the learner's; a Fault that says why there is none."""
    from ...kernels.sgemm_2 import make_sgemm_2
    from ...kernels.stage import Tiling, mn_major
    from ...kernels.trace import walk

    if isinstance(data, Refused) or not isinstance(data, dict) or not {"cta", "copy", "math"} <= set(data):
        return Fault(
            'keep the form {"cta": (bM, bN, bK), "copy": (threads along m, along k), "math": (threads along m, along n)}'
        )
    for key, n in (("cta", 3), ("copy", 2), ("math", 2)):
        entry = data[key]
        if (
            not isinstance(entry, (tuple, list))
            or len(entry) != n
            or not all(type(x) is int and 0 < x <= 1024 for x in entry)
        ):
            return Fault(f"{key} is {says(entry)}: write {n} numbers from 1 to 1024 in parentheses", at=key)
    cta, copy, math = (tuple(data[key]) for key in ("cta", "copy", "math"))
    for name, extent in (("A", cta[0]), ("B", cta[1])):
        if extent % (4 * copy[0]) or cta[2] % copy[1]:
            return Fault(
                f"{text(copy)} threads with four values along m each do not cover a ({extent},{cta[2]}) tile of {name} evenly"
            )
    try:
        tiling = Tiling(cta=cta, copy=copy, math=math, vector=4, neighbours=4)
        if tiling.threads % 32:
            return Fault(f"{tiling.threads} threads are no whole number of warps")
        tensors = walk(make_sgemm_2(mn_major, mn_major, tiling), tiling, 2).tensors
    except LayoutError as error:
        return Fault(str(error))
    shared = 4 * (cta[0] + cta[1]) * cta[2]
    sums = size(tensors["tCrC"])
    if sums > MOST_REGISTERS:
        return Fault(
            f"a thread has {sums} sums of C in registers, and more than {MOST_REGISTERS} leave no room for the rest"
        )
    if shared > MOST_SHARED:
        return Fault(f"a block needs {shared} bytes of shared memory, and has {MOST_SHARED} without asking for more")
    return tiling, tensors, shared


def _judge_own(data) -> Fault | None:
    found = _own(data)
    if isinstance(found, Fault):
        return found
    if found[0].cta == (128, 128, 8) and found[0].math == (16, 16):
        return Fault("this is the tiling of the lesson: find one of your own")
    return None


def _view_own(data):
    """The learner's tiling beside that of sgemm_2, as a table."""
    columns = [("yours", _own(data)), ("sgemm_2", _own({"cta": (128, 128, 8), "copy": (32, 8), "math": (16, 16)}))]
    if isinstance(columns[0][1], Fault):
        return f"12.8 · nothing to see yet: {columns[0][1].sentence}"
    lines = [f"{'':46}{'yours':>10}{'sgemm_2':>10}"]
    for words, count in (
        ("threads of a block", lambda tiling, t, s: tiling.threads),
        ("sums of C in a thread's registers", lambda tiling, t, s: size(t["tCrC"])),
        ("bytes of shared memory of a block", lambda tiling, t, s: s),
        (
            "128-bit loads of a thread from gmem, a k-step",
            lambda tiling, t, s: (size(t["tArA"]) + size(t["tBrB"])) // 4,
        ),
        ("numbers read from smem, a multiply-add", _reads),
        (
            "flop for each byte from gmem",
            lambda tiling, t, s: tiling.cta[0] * tiling.cta[1] / (2 * sum(tiling.cta[:2])),
        ),
    ):
        lines.append(f"{words:46}" + "".join(f"{count(*found):>10.4g}" for _name, found in columns))
    return "\n".join(lines)


def _reads(tiling, tensors, _shared) -> float:
    return (size(tensors["tCsA"]) + size(tensors["tCsB"])) / (size(tensors["tCrC"]) * tiling.cta[2])


OWN = Exercise(
    id="12.8",
    title="A tiling of your own",
    answer="a12_8",
    judge=_judge_own,
    view=_view_own,
    hints=(
        "Begin with the lesson's, (128,128,8), (32,8), (16,16), and change one number. What has to change with it?",
        "The two thread grids have the same number of threads. A thread computes at least 4 by 4 cells of C, since four rows and four "
        "columns lie side by side: 4 * 16 divides 128.",
        "Copying, a thread has four numbers along m (for B, along n): 4 * 32 divides 128, and 8 divides bK.",
        "Shared memory is 4 * (bM + bN) * bK bytes. A thread has bM * bN / threads sums.",
    ),
    wrong=(
        Wrong(
            {"cta": (128, 128, 8), "copy": (32, 8), "math": (16, 16)},
            "this is the tiling of the lesson: find one of your own.",
            1,
        ),
        Wrong(
            {"cta": (256, 256, 8), "copy": (32, 8), "math": (16, 16)},
            "256 sums for each thread are more than its registers hold: take more threads, or a smaller tile.",
            4,
        ),
        Wrong(
            {"cta": (64, 64, 8), "copy": (32, 8), "math": (16, 16)},
            "32 threads with four values each are 128 rows, and the tile has 64.",
            3,
        ),
        Wrong(
            {"cta": (128, 128, 64), "copy": (32, 8), "math": (16, 16)},
            "a tile of that depth needs 65536 bytes of shared memory: more than 48 KB.",
            4,
        ),
        Wrong(
            {"cta": (128, 128, 8), "copy": (32, 8), "math": (8, 16)},
            "256 threads copy and 128 compute: they must be the same threads.",
            2,
        ),
    ),
    because="Larger tiles save reads, and cost registers and shared memory; and a block that needs much leaves no room for a second one. "
    "What is best, one measures.",
)

# ------------------------------------------------------------------------------------------------ 12.9

THREAD9, BLOCK9, K_TILE9 = 100, 1, 5
A9, S9 = Layout((256, 64), (64, 1)), Layout((128, 8), (1, 129))
COPY9 = make_tiled_copy(
    NARROW, Layout.parse("Layout<Shape<_32,_8>,Stride<_8,_1>>{}"), Layout.parse("Layout<Shape< _1,_1>>{}")
)
MMA9 = make_tiled_mma(FMA, Layout.parse("Layout<Shape<_16,_16,_1>>{}"))
CELL9 = (20, 37)


def _lines() -> dict:
    g = local_tile(A9, (128, 128, 8), (BLOCK9, 0, _), Step(1, X, 1))[0]
    whole = local_tile(make_identity_tensor((256, 64)), (128, 128, 8), (BLOCK9, 0, K_TILE9), Step(1, X, 1))
    copy, c_tile = COPY9.get_slice(THREAD9), make_identity_tensor((128, 128))
    cells = list(copy.partition_S(make_identity_tensor((128, 8))))
    owner = next((t, v) for t in range(256) for v, c in enumerate(MMA9.get_slice(t).partition_C(c_tile)) if c == CELL9)
    return {
        "sA": S9,
        "tAgA": copy.partition_S(g)[0].shape,
        "tCsA": MMA9.get_slice(0).partition_A(S9)[0].shape,
        "rows": [m for m, _k in cells],
        "gmem": A9(*next(iter(copy.partition_S(whole)))),
        "smem": S9(*cells[0]),
        "loads": 2 * len(cells),
        "owner": owner[0],
        "register": owner[1],
        "last": 7,
    }


LINES = _lines()


def _judge_line(key, entry) -> Fault | None:
    want = LINES[key]
    if isinstance(want, Layout):
        yours = read_layout(entry)
        if isinstance(yours, Fault):
            return yours
        if yours.shape != want.shape or not same_function(yours, want):
            return Fault(f"{says(yours)} is not what the line makes")
        return None
    if isinstance(want, tuple):
        return _shape_fault(key, entry, want, "gA (128,8,8)" if key == "tAgA" else "sA (128,8)")
    return ints_fault(entry, want, index="entry") if isinstance(want, list) else _number_fault(entry, want)


EVERY_LINE = Exercise(
    id="12.9",
    title="sgemm_2.cu, line by line",
    answer="a12_9",
    judge=lambda data: each_fault(data, _judge_line, LINES),
    hints=(
        "Take the lines in their order. bM is Int<128>, bK is Int<8>: write sA's shape and stride with these numbers.",
        "The atom moves one float and the value layout has one: CPY is (1,1). 32 by 8 threads cover (32,8) of the tile.",
        "Thread 100 in (32,8):(8,1): 100 = 12 * 8 + 4. Its first cell of the tile is (12,4), the others are 32 rows further each time.",
        "In A: rows are 64 elements apart and columns 1. The block begins at row 128, the k-step at column 40. In sA, a row is 1 and a "
        "column 129. The last round has k_tile = 7 of 8. There is no tile 8: what does the line with k_tile_next choose?",
        "The atoms of mmaC stand m-major: thread = m % 16 + 16 * (n % 16). Its sums count (MMA,MMA_M,MMA_N), m first: m // 16 + 8 * (n // 16).",
    ),
    wrong=(
        slip("sA", Layout((128, 8)), "that is gemm_nt's. The stride along k is bM + 1.", 1, read_layout),
        slip("sA", Layout((128, 8), (9, 1)), "it is padded m-major: the stride along m is Int<1>.", 1, read_layout),
        shape_slip("tAgA", ((4, 1), 1, 1, 8), "that is gemm_nt's. What does UniversalCopy<TA> move at once?", 2),
        shape_slip("tAgA", (1, 4, 1, 8), "all numbers are right. CPY is one mode with two parts.", 2),
        shape_slip("tAgA", (4, 1, 8), "that is sgemm_1's form: the mode CPY is missing.", 2),
        shape_slip("tAgA", ((1, 1), 4, 1, 64), "the last mode counts k-steps: 64 columns, 8 to a step.", 2),
        shape_slip("tCsA", (8, 8), "that is sgemm_1's form: the mode MMA is missing.", 2),
        list_slip(
            "rows",
            [100 % 32 + 32 * i for i in range(4)],
            "the threads stand k-major, (32,8):(8,1): 100 = 12 * 8 + 4.",
            3,
        ),
        list_slip(
            "rows",
            [48, 49, 50, 51],
            "a value layout of (1,1) gives no four neighbours: the copy's tile fits four times.",
            3,
        ),
        slip("gmem", 12 * 64 + 44, "the block begins at row 128.", 4),
        slip("gmem", 140 * 64 + 4, "k-step 5 begins at column 40.", 4),
        slip("gmem", 140 + 44 * 256, "A is k-major here: a row is 64 elements, a column 1.", 4),
        slip("smem", 12 + 4 * 128, "sA is padded: a column is 129 places.", 4),
        slip("loads", 4, "4 for A. And for B?", 2),
        slip("loads", 2, "UniversalCopy<TA> moves one float: how many does a thread bring?", 2),
        slip("owner", 4 * 16 + 5, "the atoms are m-major: one step along m is one thread on.", 5),
        slip("register", 8 + 2, "m is counted first: its stride is 1, that of n is 8.", 5),
        slip("last", 8, "k_tile_next is k_tile + 1 only while that is less than K_TILE_MAX.", 4),
        slip("last", 0, "no tile is taken up again from the beginning.", 4),
    ),
    because="Nothing in the file is left unsaid: layouts on the host, partitions of one thread, and a loop that you have written yourself. "
    "Open it: examples/cute/tutorial/sgemm_2.cu.",
)

EXERCISES = (EVERY_SHAPE, HOW_WIDE, WHOSE, COPY_K_MAJOR, BARRIERS, ONE_TILE, ONE_BARRIER, OWN, EVERY_LINE)
