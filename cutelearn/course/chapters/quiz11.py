"""Lesson 11, sgemm_1: its predictions and its quiz."""

from ...atoms.analysis import bank_conflicts
from ...htuple import _, ceil_div
from ...layout import Layout, LayoutRight, size
from ...partition import Step, X, local_partition, local_tile
from ..questions import Question, Slip, a_shape, an_integer, integers, one_of

# ------------------------------------------------------------------------------------------------ the story

COPIERS, WORKERS = Layout((32, 8)), Layout((16, 16))
COPIED = 2 * size(local_partition(Layout((128, 8)), COPIERS, 0)[0])
MADDS = size(local_partition(Layout((128, 128)), WORKERS, 0)[0]) * 8

BLOCKS = Question(
    id="11.p1",
    form=a_shape,
    answer=ceil_div((256, 256), (128, 128)),
    because="256 / 128 along M and along N.",
    slips=(
        Slip((128, 128), "that is the tile of one block. How many tiles are there along M and along N?"),
        Slip(4, "four, right: two along M and two along N."),
        Slip((2, 2, 4), "K is not divided among blocks: each goes along all of it."),
    ),
    otherwise="C is 256 by 256, and a block computes 128 by 128 of it.",
)
STEPS = Question(
    id="11.p2",
    form=an_integer,
    answer=ceil_div(32, 8),
    because="32 / 8.",
    slips=(
        Slip(8, "8 is how wide a tile is along K. How many of them does K have?"),
        Slip(32, "a k-step takes 8 values of k at once."),
    ),
    otherwise="The panel is 32 wide, and a tile is 8 wide.",
)
BYTES = Question(
    id="11.p3",
    form=an_integer,
    answer=2 * 128 * 32 * 4,
    because="2 panels of 128 * 32 numbers, 4 bytes each: 32 KiB.",
    slips=(
        Slip(16384, "that is one panel. There is one of A and one of B."),
        Slip(8192, "that is how many numbers there are. Each takes 4 bytes."),
        Slip(65536, "M is 256, but a block needs only the 128 rows of its tile."),
    ),
    otherwise="Two panels of 128 rows and 32 columns, and 4 bytes a number.",
)
SHARE = Question(
    id="11.p4",
    form=integers,
    answer=[COPIED, MADDS],
    because="1024 numbers of A over 256 threads and as many of B; 64 cells of C times 8 values of k.",
    slips=(
        Slip([4, 512], "4 of A, and 4 of B as well."),
        Slip([8, 64], "the 64 cells get a product for each of the 8 values of k."),
        Slip([4, 64], "4 of A and 4 of B; and the 64 cells get a product for each of the 8 values of k."),
        Slip([16, 512], "a tile has 128 * 8 = 1024 numbers, and 256 threads share them: 4 each. There are two tiles."),
    ),
    otherwise="A tile of A has 128 * 8 numbers for 256 threads, and so has B's. A thread has 128 * 128 / 256 cells of C.",
)

# ------------------------------------------------------------------------------------------------ the small problem

TILER, BLOCK = (8, 4, 4), (1, 0, _)
T_A, T_C = Layout((2, 4)), Layout((4, 2))
G_A = local_tile(Layout((16, 8)), TILER, BLOCK, Step(1, X, 1))[0]
G_B = local_tile(Layout((8, 8)), TILER, BLOCK, Step(X, 1, 1))[0]
G_C = local_tile(Layout((16, 8)), TILER, BLOCK, Step(1, 1, X))[0]
S_A, S_B = Layout((8, 4)), Layout((4, 4))


def _shape(number, layout, because, otherwise, *slips) -> Question:
    slips = tuple(Slip(*slip) for slip in slips)
    return Question(
        id=f"11.p{number}", form=a_shape, answer=layout.shape, because=because, slips=slips, otherwise=otherwise
    )


GA = _shape(
    5,
    G_A,
    "the tile is 8 by 4, and K = 8 has two of them.",
    "A is (16,8). Step<_1,X,_1> leaves (8,4) of the tiler, and `_` keeps the tiles along K.",
    ("(8,4)", "that is one tile. The `_` of the coordinate keeps all tiles along K: how many are there?"),
    ("(8,4,4)", "the tiler's last 4 is how wide a tile is. How many tiles has K = 8?"),
    ("(8,4,2,2)", "blockIdx.x chose one tile along M: that mode is gone."),
    ("(4,4,2)", "that is B's. A has m first: 8."),
)
GB = _shape(
    6,
    G_B,
    "n comes first: 4 by 4, and two tiles along K.",
    "B is (N,K) = (8,8). Step<X,_1,_1> leaves (4,4) of the tiler, and `_` keeps the tiles along K.",
    ("(8,4,2)", "that is A's. B's first mode is n: which entry of the tiler is that?"),
    ("(4,4)", "that is one tile. The `_` of the coordinate keeps all tiles along K."),
    ("(4,4,2,2)", "blockIdx.y chose one tile along N: that mode is gone."),
)
GC = _shape(
    7,
    G_C,
    "one tile along M, one along N; C has no k.",
    "C is (16,8). Step<_1,_1,X> leaves (8,4) of the tiler, and no `_`.",
    ("(8,4,2)", "C has no k: the Step drops the `_`."),
    ("(8,4,4)", "C has no k: the Step drops the tiler's last 4."),
    ("(8,4,2,2)", "blockIdx chose one tile both ways: those modes are gone."),
)
_OVER = "these are the threads of tA. How many cells has each?"
TAGA = _shape(
    8,
    local_partition(G_A, T_A, 0)[0],
    "8 / 2 rows, 4 / 4 columns, in each of the 2 k-steps.",
    "gA is (8,4,2) and tA is (2,4): divide the first two extents, keep the third.",
    ("(2,4,2)", _OVER),
    ("(4,1)", "that is one k-step. The third mode of gA is kept whole."),
    ("(4,2)", "4 / 4 = 1 stays as a mode of its own."),
    ("(8,4,2)", "that is gA, the whole block's."),
)
TASA = _shape(
    9,
    local_partition(S_A, T_A, 0)[0],
    "as one k-step of tAgA.",
    "sA is (8,4) and tA is (2,4).",
    ("(4,1,2)", "shared memory holds one k-step at a time."),
    ("(2,4)", _OVER),
    ("(4)", "4 / 4 = 1 stays as a mode of its own."),
)
TBSB = _shape(
    10,
    local_partition(S_B, T_A, 0)[0],
    "4 / 2 rows, 4 / 4 columns.",
    "sB is (4,4), since the tile has 4 columns of C; tB is (2,4).",
    ("(4,1)", "that is A's. sB has only 4 rows."),
    ("(2,4)", "these are the threads of tB. How many cells has each?"),
    ("(2,1,2)", "shared memory holds one k-step at a time."),
)
TCSA = _shape(
    11,
    local_partition(S_A, T_C, 0, Step(1, X))[0],
    "8 / 4 rows, and all 4 values of k.",
    "sA is (8,4). Step<_1,X> leaves the 4 threads along m, and k stays whole.",
    ("(4,4)", "4 is how many threads there are along m. How many of the 8 rows has each?"),
    ("(2,2)", "X drops the threads along n, so nobody divides k."),
    ("(4,1)", "that is the copying thread layout, tA. Here it is tC."),
)
TCSB = _shape(
    12,
    local_partition(S_B, T_C, 0, Step(X, 1))[0],
    "4 / 2 columns of C, and all 4 values of k.",
    "sB is (4,4). Step<X,_1> leaves the 2 threads along n, and k stays whole.",
    ("(1,4)", "that is what Step<_1,X> gives: 4 threads. Along n there are 2."),
    ("(2,1)", "X drops the threads along m, so nobody divides k."),
)
TCRC = _shape(
    13,
    local_partition(G_C, T_C, 0)[0],
    "8 / 4 by 4 / 2: four accumulators.",
    "gC is (8,4) and tC is (4,2): divide both.",
    ("(4,2)", "these are the threads. How many cells has each?"),
    ("(8,4)", "that is gC, the whole block's."),
    ("(2,4)", "that is tCsA, with its 4 values of k. What is left after the sum over k?"),
)

# ------------------------------------------------------------------------------------------------ what it is compiled to

PART = {"copied": COPIED, "read": 2 * size(local_partition(Layout((128, 8)), WORKERS, 0, Step(1, X))[0])}

INSTRUCTIONS = Question(
    id="11.p14",
    form=integers,
    answer=[PART["copied"], PART["copied"], PART["read"], MADDS, 2],
    because="4 + 4 are copied, (8,8) of sA and (8,8) of sB are read, and 8 * 8 * 8 products added.",
    slips=(
        Slip([4, 4, 128, 512, 2], "4 of A, and as many of B: 8 are copied."),
        Slip([8, 8, 64, 512, 2], "64 numbers are read from sA, and 64 from sB."),
        Slip([8, 8, 16, 512, 2], "8 of A and 8 of B are for one value of k, and the tile has 8."),
        Slip([8, 8, 1024, 512, 2], "a number is read once for all products it is in: 8 rows and 8 columns for each k."),
        Slip([8, 8, 128, 64, 2], "each of the 64 cells gets a product for each of the 8 values of k."),
        Slip([8, 8, 128, 512, 1], "there are two barriers: all have written, all have read."),
    ),
    otherwise="Copied: the sizes of tAsA and tBsB. Read: those of tCsA and tCsB. Multiply-adds: 64 cells, 8 values of k.",
)

# ------------------------------------------------------------------------------------------------ what it costs


def wavefronts(column: int) -> int:
    """Of the store of a warp, k-major threads, into an m-major tile with such columns."""
    threads = Layout((32, 8), LayoutRight)
    return bank_conflicts(
        [local_partition(Layout((128, 8), (1, column)), threads, t)[1] for t in range(32)], 32
    ).wavefronts


STORES = Question(
    id="11.p15",
    form=integers,
    answer=[wavefronts(column) for column in (128, 129, 132)],
    because="128 is a multiple of 32, so 8 lanes along k meet; 129 moves each by 1, and the 4 rows still meet; 132 by 4.",
    slips=(
        Slip([8, 1, 1], "129 moves each column on by one bank. But the warp has 4 rows too, side by side: (1,0) meets (0,1)."),
        Slip([8, 1, 4], "it is the other way round: 4 rows lie side by side, so a column has to move on by 4."),
        Slip([8, 4, 2], "with 132 a column moves on by 4 banks, as many as there are rows."),
        Slip([32, 32, 32], "a warp stands as 4 rows of 8 along k. Only what lies 32 apart, or a multiple of it, shares a bank."),
        Slip([1, 1, 1], "a column of 128 is 4 times all banks: the 8 lanes along k meet in one."),
        Slip([4, 4, 1], "in the first, the 4 rows lie side by side, in 4 banks. How many lanes are in one row?"),
    ),
    otherwise="Lane t stands at row t / 8, column t % 8. Its place is row + column * 128, and its bank the remainder by 32. "
    "How many lanes share a bank? Then the same with 129 and 132.",
)  # fmt: skip

# ------------------------------------------------------------------------------------------------ sizes

RAGGED_K = Question(
    id="11.p16",
    form=an_integer,
    answer=256 * 256,
    because="every result is a sum along K, and each sum has four terms too many.",
    slips=(
        Slip(0, "36 / 8 makes 5 k-steps, and the last one is taken whole: columns 36 to 39."),
        Slip(4, "four columns too many are read. In which sums do they take part?"),
        Slip(1024, "four columns of A are read that do not exist. In which sums do they take part?"),
    ),
    otherwise="The last k-step takes the columns 32 to 39. Which sums does that reach?",
)
PAST_THE_END = Question(
    id="11.p17",
    form=an_integer,
    answer=256 * (256 - 200),
    because="56 columns of 256, all behind the last one.",
    slips=(
        Slip(0, "two blocks of 128 along N write 256 columns, and C has 200."),
        Slip(56, "56 columns, right, and each has 256 numbers."),
        Slip(7168, "that is one block. Two of them along M reach past the end."),
    ),
    otherwise="Two blocks along N write 256 columns; C has 200, by columns of 256.",
)

# ------------------------------------------------------------------------------------------------ quiz

SECOND_BARRIER = Question(
    id="11.q1",
    form=one_of("a", "b", "c"),
    answer="b",
    because="the copies of the next step come before its barrier.",
    slips=(
        Slip("a", "that is what the first one prevents, and it is still there."),
        Slip("c", "where does the next step's first barrier stand: before its copies, or after them?"),
    ),
)
DEEPER_TILES = Question(
    id="11.q2",
    form=one_of("a", "b", "c"),
    answer="c",
    because="the tiles of A and B are twice as large; that of C is not.",
    slips=(
        Slip("a", "accumulators are cells of C, and its tile is (128,128) as before."),
        Slip("b", "twice the bytes a step, and twice the flop."),
    ),
)
LEAST = Question(
    id="11.q3",
    form=one_of("a", "b", "c"),
    answer="b",
    because="what does not exist must add 0.",
    slips=(
        Slip("a", "C has all its rows and columns. What is wrong is the sum."),
        Slip("c", "there are five already, and the fifth reads too much."),
    ),
)

QUESTIONS = (
    BLOCKS,
    STEPS,
    BYTES,
    SHARE,
    GA,
    GB,
    GC,
    TAGA,
    TASA,
    TBSB,
    TCSA,
    TCSB,
    TCRC,
    INSTRUCTIONS,
    STORES,
    RAGGED_K,
    PAST_THE_END,
    SECOND_BARRIER,
    DEEPER_TILES,
    LEAST,
)
