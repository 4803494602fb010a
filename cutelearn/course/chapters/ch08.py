"""Chapter 08, partition: its exercises, what their checkers hold to be right, and what learners answer instead.

Values and shapes stand here; what the learner writes as a function, in functions08.py.
"""

from ...atoms.analysis import SECTOR, coalescing
from ...htuple import _, text
from ...layout import Layout, LayoutRight, rank, size
from ...partition import Step, X, dealt, local_partition, local_tile
from ..compare import Fault, dict_fault, ints_fault, layout_fault, read_layout, says, table, values
from ..entries import are_ints, each_fault, list_slip, number_fault, shape_fault, shape_slip
from ..exercises import Exercise, Wrong
from .functions08 import ADDRESSES_OF, MEND_B

# ------------------------------------------------------------------------------------------------ 08.1

M, N, K = 512, 256, 64
TILER, BLOCK = (64, 32, 16), (3, 1, _)
COPIERS = WORKERS = Layout((16, 16))


def _shapes() -> dict:
    whole = {
        "A": (Layout((M, K)), Step(1, X, 1)),
        "B": (Layout((N, K)), Step(X, 1, 1)),
        "C": (Layout((M, N)), Step(1, 1, X)),
    }
    g = {"g" + name: local_tile(t, TILER, BLOCK, step)[0] for name, (t, step) in whole.items()}
    parts = {
        "tAgA": (g["gA"], COPIERS, None),
        "tBgB": (g["gB"], COPIERS, None),
        "tCsA": (Layout((64, 16)), WORKERS, Step(1, X)),
        "tCsB": (Layout((32, 16)), WORKERS, Step(X, 1)),
        "tCgC": (g["gC"], WORKERS, Step(1, 1)),
    }
    return {k: t.shape for k, t in g.items()} | {
        k: local_partition(t, th, 0, s)[0].shape for k, (t, th, s) in parts.items()
    }


SHAPES = _shapes()
FROM = {  # what each is a part of
    "gA": "A (512,64)",
    "gB": "B (256,64)",
    "gC": "C (512,256)",
    "tAgA": "gA, which you have",
    "tBgB": "gB, which you have",
    "tCsA": "sA (64,16)",
    "tCsB": "sB (32,16)",
    "tCgC": "gC, which you have",
}


EVERY_SHAPE = Exercise(
    id="08.1",
    title="Every shape in a kernel",
    answer="a08_1",
    judge=lambda data: each_fault(
        data, lambda k, entry: shape_fault(entry, SHAPES[k], f"What is cut: {FROM[k]}"), SHAPES
    ),
    hints=(
        "Write down for each tensor which of m, n, k it has. local_tile takes these entries of the tiler, and then one mode "
        "more for each `_` of the coordinate that the Step keeps.",
        "An integer in the coordinate leaves no mode: that one tile is taken. `_` stands at k: 64 / 16 tiles.",
        "local_partition divides. An extent of the tensor over the number of threads along it is what one thread has; a "
        "mode for which there are no threads stays whole.",
        "X drops the threads of a mode, and what they would have shared out stays whole: in tCsA the 16 threads along m "
        "share 64 rows, and of k each has all 16.",
    ),
    wrong=(
        shape_slip(
            "gA", (64, 16, 8, 4), "the 8 tiles along M are gone: the coordinate has a 3 there, and took one.", 2
        ),
        shape_slip("gA", (64, 16), "the `_` of the coordinate keeps all tiles along K. How many are there?", 2),
        shape_slip("gA", (64, 16, 64), "the last mode counts tiles along K, not columns.", 2),
        shape_slip("gB", (16, 32, 4), "B is (N,K) in CuTe: n first.", 1),
        shape_slip("gB", (64, 16, 4), "that is A's. B's first mode is n: which entry of the tiler is that?", 1),
        shape_slip("gC", (64, 32, 4), "C has no k: the Step drops the `_` as well.", 1),
        shape_slip("tAgA", (16, 16, 4), "(16,16) are the threads. How many of the 64 rows has each?", 3),
        shape_slip("tAgA", (4, 4), "16 / 16 = 1 stays as a mode of its own.", 3),
        shape_slip("tBgB", (4, 1, 4), "that is A's. gB has 32 rows, and 16 threads along them.", 3),
        shape_slip("tCsA", (16, 16), "16 threads stand along m. How many of the 64 rows has each?", 3),
        shape_slip("tCsA", (4, 1), "with Step<_1,X> nobody divides k.", 4),
        shape_slip("tCsB", (4, 16), "that is A's. sB has 32 rows, and 16 threads along them.", 3),
        shape_slip("tCgC", (16, 16), "(16,16) are the threads. How many cells has each of them?", 3),
    ),
    because="The lines of sgemm_1 with other numbers: tile over threads is values.",
)

# ------------------------------------------------------------------------------------------------ 08.2

TILE = (128, 8)
HELD = {  # the threads, their Step, the cell
    "a": (Layout((32, 8)), None, (70, 3)),
    "b": (Layout((32, 8)), None, (5, 7)),
    "c": (Layout((32, 8), LayoutRight), None, (70, 3)),
    "d": (Layout((16, 16)), Step(1, X), (70, 3)),
}


def holder(threads: Layout, step, cell) -> tuple[int, int]:
    """The first (thread, value) that holds a cell of the tile."""
    places = dealt(TILE, threads, step).offsets().tolist()
    pairs = [i for i, place in enumerate(places) if place == Layout(TILE)(*cell)]
    k = min(pairs, key=lambda i: i % size(threads))
    return k % size(threads), k // size(threads)


def _judge_holder(letter, answer) -> Fault | None:
    threads, step, cell = HELD[letter]
    if not are_ints(answer, 2):
        return Fault(f"{says(answer)} is no pair. Write two numbers: (thread, value)")
    thread, value = answer
    if (thread, value) == holder(threads, step, cell):
        return None
    if not 0 <= thread < size(threads):
        return Fault(f"there is no thread {thread}: {threads} has the threads 0 to {size(threads) - 1}")
    tv = dealt(TILE, threads, step)
    if not 0 <= value < size(tv, 1):
        return Fault(f"there is no value {value}: each thread has {size(tv, 1)} of them, from 0")
    place = tv(thread, value)
    found = (place % TILE[0], place // TILE[0])
    if found == cell:
        return Fault(f"thread {thread} does hold {text(cell)}, and so do others. Give the lowest of them")
    return Fault(f"value {value} of thread {thread} is the cell {text(found)}, and {text(cell)} is wanted")


WHO = Exercise(
    id="08.2",
    title="Whose cell is it?",
    answer="a08_2",
    judge=lambda data: each_fault(data, _judge_holder, HELD),
    hints=(
        "The grid of threads is laid on the tile again and again. `%` by the grid's extents gives the place in the grid, "
        "`/` gives which of the grids it is.",
        "The place in the grid is a coordinate of the thread layout. Put it in: (32,8):(1,32) at (i,j) is i + 32 j.",
        "Neighbouring rows belong to different threads: one thread's rows are 32 apart. So row 70 is place 70 % 32, and "
        "value 70 // 32.",
        "In c the threads are counted along k: the place is the same as in a, and (32,8):(8,1) at (i,j) is 8 i + j.",
        "In d nobody divides k: a thread has (8,8) values. They are counted with the left mode first: value (r,k) is "
        "number r + 8 k. And the place along m is 70 % 16.",
    ),
    wrong=(
        Wrong({"a": (51, 2)}, "a: the place is right. But these threads are numbered down m: what is tA at (6,3)?", 2),
        Wrong({"a": (113, 2)}, "a: you gave each thread four neighbouring rows. Its rows are 32 apart.", 3),
        Wrong({"a": (102, 6)}, "a: the thread is right. The remainder is its place; the quotient is the value.", 1),
        Wrong({"a": (6, 2)}, "a: the row is right, but there are 8 columns of threads, and column 3 has its own.", 2),
        Wrong({"a": (2, 102)}, "a: thread first, then value.", 1),
        Wrong({"b": (229, 7)}, "b: the thread is right. k gave its place; the grid fits only once across.", 1),
        Wrong({"c": (102, 2)}, "c: that is the thread of a. Here the threads are numbered along k.", 4),
        Wrong({"d": (6, 4)}, "d: that is the row among the thread's rows. It also has all columns.", 5),
        Wrong({"d": (6, 35)}, "d: you counted the values along k first. CuTe counts the left mode first.", 5),
        Wrong({"d": (102, 2)}, "d: that is tA's thread. Here it is tC, 16 by 16, and X dropped its second mode.", 5),
        Wrong(
            {"d": (54, 28)},
            "d: thread 54 does hold it, as all with the same m do. X means that k chooses no thread: give the lowest.",
            5,
        ),
    ),
    because="a: place (6,3), thread 6 + 96. b: place (5,7), first grid. c: the same place as a, 6 * 8 + 3. "
    "d: place 6, value (4,3) of (8,8).",
)

# ------------------------------------------------------------------------------------------------ 08.3

A3, THREADS3 = Layout((256, 64), (1, 260)), Layout((32, 8))


def _addresses(a, tiler, block, step, threads, t) -> list[int]:
    g, start = local_tile(a, tiler, (block, step))
    part, more = local_partition(g, threads, t)
    return [start + more + x for x in values(part)]


ADDRESSES = Exercise(
    id="08.3",
    title="Which addresses?",
    answer="a08_3",
    judge=lambda data: ints_fault(data, _addresses(A3, (128, 8), 1, 5, THREADS3, 33), index="value"),
    hints=(
        "Go from outside to inside: where does the block's tile begin, where the k-step, where does thread 33 stand in tA? "
        "Add up rows, add up columns, and ask A's layout last.",
        "Block 1 begins at row 128. K-step 5 begins at column 5 * 8 = 40. Thread 33 stands at (33 % 32, 33 // 32) = (1,1).",
        "Thread 33 has four rows, 32 apart: 129, 161, 193, 225, all in column 41.",
        "One column further is 260 places on, not 256: the matrix is padded. So the first address is 129 + 41 * 260.",
    ),
    wrong=(
        Wrong(
            [10625, 10657, 10689, 10721], "the cells are right. How far is it from one column of this A to the next?", 4
        ),
        Wrong([10789, 10790, 10791, 10792], "the first is right. A thread's cells are not neighbours.", 3),
        Wrong([10661, 10693, 10725, 10757], "that is block 0: where does block 1 begin?", 2),
        Wrong([389, 421, 453, 485], "that is k-step 0: where does step 5 begin?", 2),
        Wrong([1689, 1721, 1753, 1785], "a k-step is 8 columns wide.", 2),
        Wrong([129, 161, 193, 225], "these are the rows. They all lie in one column, and that counts, too.", 4),
        Wrong(
            [10529, 10561, 10593, 10625],
            "thread 33 does not stand in column 0 of the threads: 33 is past the first 32.",
            2,
        ),
    ),
    because="All four have one column, 41, so they lie 32 apart in memory as well: the view is (4,1):(32,0), from 10789.",
)

# ------------------------------------------------------------------------------------------------ 08.4

PICTURED = Layout(((4, 2), (2, 2)), ((8, 2), (1, 4)))


def picture(tv: Layout, m: int, n: int) -> str:
    """Who holds each cell, as text."""
    who = {place: f"T{i % size(tv, 0)}V{i // size(tv, 0)}" for i, place in enumerate(tv.offsets().tolist())}
    return "\n".join(" ".join(who[i + m * j] for j in range(n)) for i in range(m))


FROM_PICTURE = Exercise(
    id="08.4",
    title="A TV layout from its picture",
    answer="a08_4",
    judge=lambda data: layout_fault(data, values(PICTURED), shape=(8, 4), name="your TV layout"),
    hints=(
        "Two modes: (threads, values). For each, find the cells of T0V0, T1V0, T2V0, ... and of T0V0, T0V1, T0V2, T0V3. "
        "What comes out is a number of a cell, and cells are counted down the columns of 4.",
        "From T0 to T1 it is two columns to the right: 2 * 4 cells. From T0 to T4 it is two rows down: 2 cells.",
        "From V0 to V1 it is one row down: 1 cell. From V0 to V2 it is one column to the right: 4 cells.",
        "So the threads are (4,2):(8,2): four to the right, then two down. The values are (2,2).",
    ),
    wrong=(
        Wrong(
            "((4,2),(2,2)):((2,16),(8,1))",
            "these are steps in a row-major memory. A TV layout gives cells, counted down the columns of 4; memory comes later.",
            1,
        ),
        Wrong("((4,2),(2,2)):((8,2),(4,1))", "the threads are right. Where is V1: to the right of V0, or below it?", 3),
        Wrong("((2,4),(2,2)):((2,8),(1,4))", "the values are right. Where is T1: below T0, or to its right?", 2),
        Wrong(
            "((4,2),(2,2)):((4,2),(1,4))",
            "the values are right. A thread has two columns, so T1 begins two further.",
            2,
        ),
        Wrong("((2,2),(4,2)):((1,4),(8,2))", "all steps are right. Threads are mode 0, values mode 1.", 1),
        Wrong(
            "((4,2),(2,2)):((8,1),(1,4))",
            "the values are right. A thread has two rows, so T4 begins two further down.",
            2,
        ),
    ),
    because="((4,2),(2,2)):((8,2),(1,4)). It is the same for a row-major and a column-major tile: the data layout is composed later.",
)

# ------------------------------------------------------------------------------------------------ 08.5

READS = {
    "a": ("(128,8):(1,256)", "(32,8):(1,32)"),
    "b": ("(128,8):(32,1)", "(32,8):(1,32)"),
    "c": ("(128,8):(32,1)", "(32,8):(8,1)"),
    "d": ("(128,8):(1,256)", "(32,8):(8,1)"),
    "e": ("(128,128):(1,256)", "(16,16):(1,16)"),
}


def warp_reads(letter: str) -> list[int]:
    """The address of value 0 for the lanes of warp 0."""
    data, threads = map(Layout.parse, READS[letter])
    return [local_partition(data, threads, t)[1] for t in range(32)]


def _judge_sectors(letter, answer) -> Fault | None:
    if type(answer) is not int:
        return Fault(f"{says(answer)} is not a number of sectors. What coalescing gives has it, as .sectors")
    at = warp_reads(letter)
    if answer == coalescing(at, "float").sectors:
        return None
    shown = [(t, at[t], at[t] * 4 // SECTOR) for t in (0, 1, 2, 3, 7, 8, 15, 16, 31)]
    return Fault(f"it is not {says(answer)}. Look where the lanes read", table(("lane", "address", "sector"), shown))


COALESCED = Exercise(
    id="08.5",
    title="Coalesced or not?",
    answer="a08_5",
    judge=lambda data: each_fault(data, _judge_sectors, READS),
    hints=(
        "Write down where the lanes 0, 1, 2, ... stand in the thread layout, then what the data layout says there. A sector "
        "is 8 floats: how many different ones are touched?",
        "Lanes 0 to 31 of (32,8):(1,32) stand in one column of the tile: at (0,0), (1,0), ..., (31,0). Is that one piece of "
        "memory?",
        "Lanes 0 to 31 of (32,8):(8,1) stand in four rows of 8: lane 1 is at (0,1), lane 8 at (1,0).",
        "In d the 32 lanes read four neighbouring floats from each of eight columns. Four floats are half a sector; it is "
        "moved whole.",
        "In e lanes 0 to 15 stand in one column and lanes 16 to 31 in the next. 16 floats are 2 sectors.",
    ),
    wrong=(
        Wrong({"a": 1}, "a: one line of 128 bytes, yes. A sector is a quarter of that.", 1),
        Wrong({"a": 32}, "a: there are 32 lanes, but 8 floats that lie side by side share a sector.", 1),
        Wrong({"a": 128}, "a: these are the bytes that are asked for. A sector has 32 of them.", 1),
        Wrong({"b": 4}, "b: neighbouring lanes are in neighbouring rows, and a row of this A is 32 floats long.", 2),
        Wrong({"c": 32}, "c: here neighbouring lanes stand along k, and this A is contiguous along k.", 3),
        Wrong({"c": 1}, "c: the 8 floats of a row are one sector. Is the whole warp in one row?", 3),
        Wrong({"d": 4}, "d: 32 floats would fit into 4 sectors. But do they lie side by side?", 4),
        Wrong({"d": 32}, "d: lanes 0, 8, 16 and 24 stand in the same column, one below the other.", 4),
        Wrong({"e": 8}, "e: 16 floats side by side are 2 sectors, and there are two such pieces.", 5),
        Wrong({"e": 2}, "e: two pieces of 16 floats. How many sectors is each?", 5),
        Wrong({"e": 32}, "e: the lanes of a column of threads read one below the other, and this C is stored so.", 5),
    ),
    because="Threads along the contiguous direction: 4, the least there can be. Across it: 8 where four lanes still share a "
    "piece, 32 where none do. The shapes are the same in a, b, c and d.",
)

# ------------------------------------------------------------------------------------------------ 08.8

SA, TC, STEP = Layout((128, 8)), Layout((16, 16)), Step(1, X)
CASE_THREAD = 37


def _case() -> dict:
    tv = dealt(SA.shape, TC, STEP)
    cells = {t: {tv(t, v) for v in range(size(tv, 1))} for t in range(size(TC))}
    same = [t for t in cells if cells[t] == cells[CASE_THREAD]]
    return {"values": size(tv, 1), "with": same, "times": size(tv) // size(SA)}


CASE = _case()


def _judge_with(answer) -> Fault | None:
    if not isinstance(answer, (list, tuple)) or not all(type(t) is int for t in answer):
        return Fault(f"{says(answer)} is not a list of thread numbers. range(...) will do as well")
    if sorted(answer) == CASE["with"]:
        return None
    stranger = next((t for t in answer if t not in CASE["with"]), None)
    if stranger is not None:
        first = local_partition(SA, TC, stranger % size(TC), STEP)[1]
        return Fault(f"thread {says(stranger)} is not one of them: its first cell lies at {first}, thread 37's at 5")
    return Fault(
        f"all of these are right; you have {len(set(answer))}, and there are {len(CASE['with'])}, 37 itself among them"
    )


EIGHT_BY_EIGHT = Exercise(
    id="08.8",
    title="Where does (8,8) come from?",
    answer="a08_8",
    judge=lambda data: dict_fault(
        data,
        {
            "values": lambda x: number_fault(x, CASE["values"], "how many cells tCsA shows to a thread"),
            "with": _judge_with,
            "times": lambda x: number_fault(x, CASE["times"], "how many threads read one cell"),
        },
    ),
    hints=(
        "Step<_1,X> drops the second mode of the *threads*. The tensor keeps both of its modes. So who divides its k?",
        "16 threads stand along m and share the 128 rows. Nobody shares the 8 columns: each thread has (8,8).",
        "Thread t stands at (t % 16, t / 16) of tC. Which part of that is dropped? All threads with the same remaining part "
        "have the same cells.",
        "37 % 16 is 5. The others are 5, 21, 37, and so on, 16 apart: one for each column of threads.",
    ),
    wrong=(
        Wrong({"values": 8}, "values: 8 is (8,1), what was expected. With X nobody divides k.", 2),
        Wrong(
            {"values": 4},
            "values: 4 would be 1024 cells shared by 256 threads, each cell once. Is each cell read once?",
            1,
        ),
        Wrong({"values": 128}, "values: 8 rows of 16? sA has 8 columns.", 2),
        list_slip(
            "with",
            list(range(32, 48)),
            "these are the threads of 37's column in tC: they differ in m, so each has rows of its own.",
            3,
        ),
        list_slip("with", [37], "16 threads along m hold all of sA between them. What do the other 240 hold?", 3),
        list_slip("with", [t for t in CASE["with"] if t != CASE_THREAD], "all but 37 itself. It holds them, too.", 4),
        Wrong({"times": 1}, "times: 256 threads see 64 cells each, and sA has 1024.", 2),
        Wrong({"times": 8}, "times: 8 is how many rows a thread has. How many threads have the same row?", 4),
    ),
    because="Each row of A is needed by all 16 columns of C's threads: they read it from shared memory, where it costs little. "
    "(8,1) would leave every thread with an eighth of its sum.",
)


# ------------------------------------------------------------------------------------------------ 08.9

OWN_TILE, OWN = (16, 8), (32, 4)


def _judge_own(data) -> Fault | None:
    tv = read_layout(data)
    if isinstance(tv, Fault):
        return tv
    if rank(tv) != 2 or (size(tv, 0), size(tv, 1)) != OWN:
        sizes = " by ".join(str(size(tv, i)) for i in range(rank(tv)))
        return Fault(f"{says(tv)} has {sizes}; wanted are two modes, 32 threads by 4 values")
    held: dict[int, tuple] = {}
    for v in range(OWN[1]):
        for t in range(OWN[0]):
            cell = tv(t, v)
            if not 0 <= cell < 128:
                return Fault(f"T{t} V{v} is cell {says(cell)}, and the cells are 0 to 127")
            if cell in held:
                return Fault(
                    f"T{t} V{v} and T{held[cell][0]} V{held[cell][1]} are both cell {cell}; some cell is nobody's"
                )
            held[cell] = t, v
    return None


def _view_own(data):
    """The tile with its threads, and what reading it costs in either order of memory."""
    tv = read_layout(data)
    found = _judge_own(data)
    if isinstance(tv, Fault) or found:
        return f"08.9 · nothing to see yet: {found.sentence}"
    from ...algebra import composition
    from ...atoms.analysis import warp_access
    from ...draw import draw_tv

    costs = []
    for name, memory in (("m-major", Layout(OWN_TILE)), ("n-major", Layout(OWN_TILE, LayoutRight))):
        addresses = composition(memory, tv)
        sectors = [coalescing(warp_access(addresses, 0, v), "float").sectors for v in range(OWN[1])]
        costs.append(f"{name}: {' + '.join(map(str, sectors))} sectors")
    return draw_tv(tv, OWN_TILE, title=f"tv = {tv}", note=" · ".join(costs))


OWN_DEAL = Exercise(
    id="08.9",
    title="A deal of your own",
    answer="a08_9",
    judge=_judge_own,
    view=_view_own,
    hints=(
        "Two modes, (threads, values): sizes 32 and 4. What it gives is a number of a cell, 0 to 127, counted down columns "
        "of 16. Begin with one that you know: dealt like cards, or in blocks.",
        "Think of the steps 1, 2, 4, 8 (down a column) and 16, 32, 64 (from column to column). Each has to be used exactly "
        "once: five of them by the threads, two by the values.",
        "Runs of steps may be one mode: 16:1 holds 1, 2, 4, 8. If the threads are (16,2):(1,16), the values have what is left: "
        "32 and 64.",
        "The largest number that it gives is the sum of (extent - 1) * stride over all modes, and that must be 127.",
    ),
    wrong=(
        Wrong("(4,32):(1,4)", "all cells, each once. But the threads are mode 0 and the values mode 1.", 1),
        Wrong("128:1", "a walk through all cells, yes. But who has which? Make it two modes, 32 by 4.", 1),
        Wrong(
            "(32,4):(1,16)", "the values step into cells that the threads have already: the step 16 is used twice.", 2
        ),
        Wrong("(32,4):(8,1)", "the threads leave the tile: 31 * 8 is more than 127.", 4),
        Wrong("(32,4):(4,2)", "some cells are held twice, and the odd ones by nobody: no step is 1.", 2),
    ),
    because="Dealt like cards: (32,4):(1,32). In 2 x 2 blocks: ((8,4),(2,2)):((2,32),(1,16)). Four neighbours each: (32,4):(4,1). "
    "In which of them does a warp's read come in one piece, and for which order of memory?",
)

EXERCISES = (
    EVERY_SHAPE,
    WHO,
    ADDRESSES,
    FROM_PICTURE,
    COALESCED,
    MEND_B,
    ADDRESSES_OF,
    EIGHT_BY_EIGHT,
    OWN_DEAL,
)
