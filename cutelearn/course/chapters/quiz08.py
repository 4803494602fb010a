"""Lesson 08, partition: its predictions and its quiz."""

from ...htuple import _
from ...layout import Layout, shape
from ...partition import Step, X, local_partition, local_tile, outer_partition, tv_partition
from ...tiling import zipped_divide
from ..compare import values
from ..questions import Question, Slip, a_coordinate, a_shape, an_integer, integers, one_of

# ------------------------------------------------------------------------------------------------ divide, then slice

A = Layout((8, 24))

DIVIDED = Question(
    id="08.p1",
    form=a_shape,
    answer=shape(zipped_divide(A, (4, 8))),
    because="a tile has (4,8) cells, and 8 / 4 by 24 / 8 tiles fit.",
    slips=(
        Slip("((2,3),(4,8))", "both halves are right. A divide puts the tile first, and how often it fits behind."),
        Slip(
            "((4,2),(8,3))",
            "that is logical_divide, which keeps rows and columns apart: zipped_divide gathers the tile.",
        ),
        Slip(
            "(4,8,2,3)", "these are the right numbers, as flat_divide has them. zipped_divide makes two modes of them."
        ),
        Slip("((4,8),(8,24))", "mode 1 counts the tiles, not the cells of the matrix: how often does the tile fit?"),
        Slip("(2,3)", "that is how many tiles there are. The divided tensor still has all the cells."),
        Slip("(4,8)", "that is one tile. The divided tensor still has all of them."),
    ),
    otherwise="Mode 0 has the cells of one tile, mode 1 counts how often the tile fits: 8 rows by 4, 24 columns by 8.",
)

TILE_START = Question(
    id="08.p2",
    form=an_integer,
    answer=A(1 * 4, 2 * 8),
    because="the tile's first cell is (4,16), and 4 + 16 * 8 = 132.",
    slips=(
        Slip(17, "that is the cell (1,2). The coordinate (1,2) counts tiles: 4 rows and 8 columns each."),
        Slip(112, "that is 4 * 24 + 16, the cell (4,16) of a row-major matrix. This one is stored by columns."),
        Slip(20, "4 + 16 is not yet an address: one column to the right is 8 further on."),
        Slip(5, "this is the tile's number, 1 + 2 * 2. Where does its first cell lie?"),
    ),
    otherwise="Which cell is the tile's first one? Its row is 1 * 4, its column 2 * 8, and its address row + 8 * column.",
)

PLACES = Question(
    id="08.p3",
    form=integers,
    answer=[x + outer_partition(A, (4, 8), (1, 2))[1] for x in values(outer_partition(A, (4, 8), (1, 2))[0])],
    because="from 17 on, the next tile is 4 further down and 64 to the right; down first.",
    slips=(
        Slip([17, 81, 145, 21, 85, 149], "all six are right. The slice counts its left mode first: down, then right."),
        Slip([17], "that is the place in the first tile. The rest mode is kept: there are six tiles."),
        Slip([17, 81, 145], "there are two rows of tiles."),
        Slip([17, 18, 19, 20, 21, 22], "these are neighbours. The next cell that the thread gets is in the next tile."),
        Slip([0, 4, 64, 68, 128, 132], "that is place (0,0) of every tile."),
    ),
    otherwise="Place (1,2) lies at 1 + 2 * 8 = 17. A tile down is 4 further on, a tile to the right 8 columns of 8.",
)

TV = Layout(((2, 4), (2, 2)), ((8, 1), (4, 16)))
OF_THREAD_3, FROM = tv_partition(Layout((4, 8), (8, 1)), TV, 3)

THREAD_VALUES = Question(
    id="08.p4",
    form=integers,
    answer=[FROM + x for x in values(OF_THREAD_3)],
    because="the cells 9, 13, 25, 29 are (1,2), (1,3), (1,6), (1,7): all in row 1, which begins at 8.",
    slips=(
        Slip(
            [9, 13, 25, 29], "these are the cells, counted down the columns. The tile has still to say where they lie."
        ),
        Slip([9, 25, 13, 29], "these are cells, and not in order: of the values (2,2) the left mode turns first."),
        Slip([10, 14, 11, 15], "the addresses are right. Of the values (2,2) the left mode turns first."),
        Slip(
            [3, 7, 19, 23],
            "thread 3 is (1,1) of (2,4): that is 1 * 8 + 1 * 1, not 3. And these would be cells, not addresses.",
        ),
    ),
    otherwise="Thread 3 is (1,1) of (2,4), so it begins with cell 9. Which row and column is that, counted down columns of 4? "
    "The address is 8 * row + column.",
)

# ------------------------------------------------------------------------------------------------ sgemm_1

M, N, K = 256, 384, 32
TILER, BLOCK = (128, 128, 8), (1, 0, _)
STEPS = {"A": Step(1, X, 1), "B": Step(X, 1, 1), "C": Step(1, 1, X)}
WHOLE = {"A": Layout((M, K)), "B": Layout((N, K)), "C": Layout((M, N))}
G = {name: local_tile(WHOLE[name], TILER, BLOCK, STEPS[name])[0] for name in "ABC"}
S = Layout((128, 8))
THREADS_A, THREADS_C = Layout((32, 8)), Layout((16, 16))


def _asks(number, answer, because, otherwise, *slips) -> Question:
    slips = tuple(Slip(*slip) for slip in slips)
    return Question(id=f"08.p{number}", form=a_shape, answer=answer, because=because, slips=slips, otherwise=otherwise)


_TWO = "the coordinate has an integer there, so one tile is left: that mode is gone."

G_A = _asks(
    5,
    G["A"].shape,
    "the tile is 128 by 8, and `_` keeps the 32 / 8 = 4 tiles along K.",
    "A is (256,32). What do Step<_1,X,_1> leave of (128,128,8) and of (1,0,_)?",
    ("(128,8)", "that is one tile. The `_` in the coordinate keeps all tiles along K: how many are there?"),
    ("(128,8,2,4)", "the 2 tiles along M: " + _TWO),
    ("((128,8),(2,4))", "this is the divide alone. The slice is still to come: the coordinate along M is 1."),
    ("(128,128,8)", "that is the tiler of all three. A has no n: the Step drops it."),
    ("(128,8,32)", "the last mode counts tiles along K, not columns: 32 columns, 8 to a tile."),
    ("(128,8,1)", "there is more than one tile along K: 32 columns, 8 to a tile."),
)
G_B = _asks(
    6,
    G["B"].shape,
    "B is (N,K): 128 by 8, and 4 tiles along K.",
    "B is (384,32). What do Step<X,_1,_1> leave of (128,128,8) and of (1,0,_)?",
    ("(8,128,4)", "B is (N,K) in CuTe, also where the picture draws it K x N."),
    ("(128,8,3,4)", "the 3 tiles along N: " + _TWO),
    ("(128,8)", "that is one tile. The `_` in the coordinate keeps all tiles along K: how many are there?"),
    ("(128,8,3)", "3 is how many tiles there are along N, and of those the coordinate takes one. `_` stands at K."),
)
G_C = _asks(
    7,
    G["C"].shape,
    "one tile along M, one along N; there is no k in C.",
    "C is (256,384). What does Step<_1,_1,X> leave of (128,128,8) and of (1,0,_)?",
    ("(128,128,4)", "C has no k: the Step drops the `_` with it."),
    ("(128,128,8)", "C has no k: the Step drops the 8 with it."),
    ("(128,128,2,3)", "the coordinate has integers for M and N: one tile is left, and both modes are gone."),
    ("((128,128),(2,3))", "this is the divide alone. The slice is still to come: the coordinate is (1,0)."),
)

_THREADS = "32 and 8 are how many threads there are. How many cells does one of them have?"

T_A_G_A = _asks(
    8,
    local_partition(G["A"], THREADS_A, 33)[0].shape,
    "128 / 32 = 4 cells down, 8 / 8 = 1 across, in each of the 4 k-steps.",
    "gA is (128,8,4). Divide each of its first two extents by the number of threads along it; the third stays.",
    ("(32,8,4)", _THREADS),
    ("(4,1)", "that is one k-step. tA has two modes, and the third one of gA is kept whole."),
    ("(4,4)", "8 / 8 = 1 stays as a mode of its own: the tensor keeps all three."),
    ("((32,8),(4,1,4))", "this is the divide alone. The thread has still to take its place in mode 0."),
    ("(128,8,4)", "that is gA, the whole block's."),
)
T_A_S_A = _asks(
    9,
    local_partition(S, THREADS_A, 33)[0].shape,
    "4 cells down, 1 across: as one k-step of tAgA, so `copy` can go from one to the other.",
    "sA is (128,8). Divide each extent by the number of threads along it.",
    ("(4,1,4)", "shared memory holds one k-step at a time: sA has two modes."),
    ("(32,8)", _THREADS),
    ("(4)", "8 / 8 = 1 stays as a mode of its own."),
    ("(1,4)", "tA has 32 threads along m, where sA has 128 cells."),
)
T_B_G_B = _asks(
    10,
    local_partition(G["B"], THREADS_A, 33)[0].shape,
    "gB and tB have the extents of gA and tA. With n in place of m it is the same.",
    "gB is (128,8,4) and tB (32,8).",
    ("(1,4,4)", "gB is (N,K), and tB has its 32 threads along n: not the other way round."),
    ("(4,1)", "that is one k-step. The third mode of gB is kept whole."),
    ("(32,8,4)", _THREADS),
)

_C_THREADS = "16 is how many threads there are along that mode. How many rows does one of them have?"

T_C_S_A = _asks(
    11,
    local_partition(S, THREADS_C, 33, Step(1, X))[0].shape,
    "128 / 16 = 8 rows, and all 8 columns of k: nobody shares those out.",
    "Step<_1,X> leaves 16 threads, along m. sA is (128,8), and its second mode is not divided at all.",
    ("(16,8)", _C_THREADS),
    ("(8,1)", "with X the threads along n take no part: nobody divides k, each thread needs all of it."),
    ("(4,1)", "that is the copying thread layout, tA. tC is (16,16)."),
    ("(8)", "k stays as a mode of its own, whole."),
    ("(16,16)", "these are the threads. What does one of them see of sA (128,8)?"),
)
T_C_S_B = _asks(
    12,
    local_partition(S, THREADS_C, 33, Step(X, 1))[0].shape,
    "128 / 16 = 8 columns of C, and all of k.",
    "Step<X,_1> leaves 16 threads, along n. sB is (128,8), and its second mode is not divided at all.",
    ("(16,8)", _C_THREADS),
    ("(8,16)", "sB is (N,K): 16 threads stand along n, and k is not divided."),
    ("(8,1)", "with X the threads along m take no part, and nobody divides k."),
)
T_C_G_C = _asks(
    13,
    local_partition(G["C"], THREADS_C, 33, Step(1, 1))[0].shape,
    "128 / 16 by 128 / 16: 64 results in registers.",
    "gC is (128,128), and 16 by 16 threads share it.",
    ("(16,16)", "that is how many threads there are. How many cells has each of them?"),
    ("(128,128)", "that is gC, the whole block's."),
    ("(8,8,4)", "gC has no k."),
    ("(64)", "there are 64, right; as rows and columns."),
)

# ------------------------------------------------------------------------------------------------ addresses

THREAD, VALUE, K_STEP = 70, 3, 2
CELL = (128 + THREAD % 32 + 32 * VALUE, 8 * K_STEP + THREAD // 32)

WHICH_CELL = Question(
    id="08.p14",
    form=a_coordinate,
    answer=CELL,
    because="128 + 6 + 3 * 32 = 230, and 2 * 8 + 2 = 18: block, place in tA, value; k-step and place.",
    slips=(
        Slip((102, 2), "that is the cell in the tile. Where do the block's rows and the k-step's columns begin?"),
        Slip((102, 18), "the column is right. Block (1,0) has the second 128 rows."),
        Slip((230, 2), "the row is right. k-step 2 begins at column 16."),
        Slip((137, 18), "value 3 is not the third neighbour: thread 70's rows are 32 apart."),
        Slip((158, 18), "24 further is not it: value 3 is three grids of 32 threads down."),
    ),
    otherwise="Thread 70 stands at (70 % 32, 70 // 32) of tA. Value 3 is 3 * 32 rows further. The block begins at row 128, the "
    "k-step at column 16.",
)

ADDRESSES = Question(
    id="08.p15",
    form=integers,
    answer=[WHOLE["A"](*CELL), S(CELL[0] - 128, CELL[1] - 8 * K_STEP)],
    because="230 + 18 * 256 in global memory, and the cell (102,2) of the tile, 102 + 2 * 128, in shared memory.",
    slips=(
        Slip([4838, 4838], "sA holds one tile only: there the cell is (102,2), in columns of 128."),
        Slip([4838, 2534], "sA holds one k-step only: the column in it is 2, not 18."),
        Slip([4838, 614], "sA has 128 rows, so one column further is 128 places on."),
        Slip([2534, 358], "one column of mA is 256 places, as many as A has rows."),
        Slip([358, 4838], "the two are exchanged: mA first, then sA."),
        Slip([7378, 358], "mA is column-major: the row counts once, the column 256 times."),
    ),
    otherwise="In mA it is row + 256 * column with the cell of the matrix; in sA, row + 128 * column with the cell of the tile.",
)

SECTORS = Question(
    id="08.p16",
    form=an_integer,
    answer=32,
    because="one row further is 32 floats, 128 bytes: each lane reads from a sector of its own.",
    slips=(
        Slip(4, "that is the good case: 32 floats side by side. How far apart are lanes 0 and 1 now?"),
        Slip(8, "lanes 0 to 31 are 32 different rows of one column: no two of them lie in the same 32 bytes."),
        Slip(1, "a sector holds 8 floats. Neighbouring lanes are a whole row apart."),
        Slip(128, "a warp has 32 lanes, and each reads one float: it cannot touch more sectors than that."),
    ),
    otherwise="Lanes 0 to 31 read 32 rows of one column. How many bytes is one row further, and how many has a sector?",
)

# ------------------------------------------------------------------------------------------------ quiz

COPYING = Question(
    id="08.q1",
    form=one_of("a", "b", "c"),
    answer="b",
    because="128 / 16 by 16 / 16.",
    slips=(
        Slip("a", "these are the threads. What has one of them?"),
        Slip("c", "without a Step both modes are divided: 16 threads along k share its 16 columns."),
    ),
)

SHARED = Question(
    id="08.q2",
    form=one_of("a", "b", "c"),
    answer="c",
    because="their m is 5 as well, and n takes no part.",
    slips=(
        Slip("a", "these differ in m, so each has rows of its own."),
        Slip("b", "16 threads along m hold all rows between them. What do the other 240 hold?"),
    ),
)

TILE_OF_C = Question(
    id="08.q3",
    form=one_of("a", "b", "c"),
    answer="a",
    because="tile (2,1) begins at row 256, column 128.",
    slips=(
        Slip("b", "C has no k: Step<_1,_1,X> drops the `_` and the 8."),
        Slip("c", "the coordinate counts tiles, and each has 128 rows and columns."),
    ),
)

QUESTIONS = (
    DIVIDED,
    TILE_START,
    PLACES,
    THREAD_VALUES,
    G_A,
    G_B,
    G_C,
    T_A_G_A,
    T_A_S_A,
    T_B_G_B,
    T_C_S_A,
    T_C_S_B,
    T_C_G_C,
    WHICH_CELL,
    ADDRESSES,
    SECTORS,
    COPYING,
    SHARED,
    TILE_OF_C,
)
