"""Lesson 12, sgemm_2: its predictions and its quiz."""

from ...atoms.copy import make_tiled_copy
from ...atoms.library import copy_atom
from ...atoms.mma import make_tiled_mma
from ...htuple import _
from ...layout import Layout
from ...partition import Step, X, local_tile
from ...tensor import make_identity_tensor
from ..questions import Question, Slip, a_layout, a_shape, an_integer, integers, one_of

THREAD = 33

# ------------------------------------------------------------------------------------------------ the loop

LOAD = Question(
    id="12.p1",
    form=one_of("a", "b", "c"),
    answer="b",
    because="the registers are free again once they are stored, and the products are what the load hides behind.",
    slips=(
        Slip("a", "the registers still hold tile k, which has not been stored: the load would write over it."),
        Slip(
            "c", "that is right for the result. But the next thing the thread does is to store, and so it waits again."
        ),
    ),
)

BARRIERS = Question(
    id="12.p2",
    form=an_integer,
    answer=2,
    because="all have read the old tile, then the store; all have stored the new one, then the products.",
    slips=(
        Slip(
            1,
            "one of two things is then left to luck. There is one tile of shared memory: it must have been read before it is "
            "written, and written before it is read.",
        ),
        Slip(3, "registers are a thread's own: nobody else waits for them."),
        Slip(0, "threads still read what others have stored."),
    ),
    otherwise="Shared memory holds one tile. When must everybody have come to the same place?",
)

# ------------------------------------------------------------------------------------------------ copies

TILE = make_identity_tensor((128, 8))
WIDE = copy_atom("UniversalCopy<uint128_t>", "float")
COPY_A = make_tiled_copy(WIDE, Layout((32, 8)), Layout((4, 1)))
THREE_STEPS = local_tile(Layout((128, 24)), (128, 128, 8), (0, 0, _), Step(1, X, 1))[0]

ROWS = Question(
    id="12.p3",
    form=integers,
    answer=[m for m, _k in COPY_A.get_slice(THREAD).partition_S(TILE)],
    because="thread 33 stands at (1,1) of 32 x 8: the second group of four rows, in column 1.",
    slips=(
        Slip(
            [1, 33, 65, 97],
            "that is sgemm_1: cells a whole grid of threads apart. The value layout gives it neighbours.",
        ),
        Slip(
            [132, 133, 134, 135],
            "33 * 4 is where its numbers lie in the tile. Thread 33 stands in the second column: which rows?",
        ),
        Slip([0, 1, 2, 3], "these are thread 32's, in column 1. Thread 33 comes next along m."),
        Slip([33, 34, 35, 36], "each thread before it along m has four rows as well."),
        Slip([1, 2, 3, 4], "thread 32 has the rows 0 to 3 of this column."),
    ),
    otherwise="32 threads stand along m, so thread 33 is (1,1). Each of them has four rows side by side.",
)

SHAPE = Question(
    id="12.p4",
    form=a_shape,
    answer=COPY_A.get_slice(THREAD).partition_S(THREE_STEPS)[0].shape,
    because="one instruction moves 4, and it is 1 instruction; 128 / 128 and 8 / 8; 3 k-steps.",
    slips=(
        Slip("(4,1,3)", "that is sgemm_1's. There is a mode more: what one instruction does, CPY."),
        Slip("(4,1,1,3)", "nearly: CPY has two parts, the values of one instruction and how many instructions."),
        Slip("((4,1),3)", "the modes of 1 along m and along k stay."),
        Slip("((4,1),1,1)", "that is tAsA, one k-step. gA has three."),
        Slip("((4,1),32,8,3)", "32 and 8 are threads. How often does the copy's tile of (128,8) fit?"),
    ),
    otherwise="(CPY,CPY_M,CPY_K,k): CPY is (values of one instruction, instructions); then how often the copy's tile fits.",
)

K_MAJOR = Question(
    id="12.p5",
    form=a_layout,
    answer=Layout((128, 2), (2, 1)),
    because="two threads share the 8 columns, and they are neighbours; then comes the next row.",
    slips=(
        Slip("(32,8):(8,1)", "8 threads along k with four values each are 32 columns, and the tile has 8."),
        Slip("(32,8):(1,32)", "that is for m-major data. 8 threads along k with (1,4) values would need 32 columns."),
        Slip(
            "(128,2):(1,128)",
            "the shape is right. But threads 0 and 1 would then read different rows, far apart in memory.",
        ),
        Slip("(2,128):(1,2)", "(m,k): 128 rows come first, then 2."),
    ),
    otherwise="Values (1,4) on a tile of (128,8): how many threads are there along k, and along m? And which of them are neighbours?",
)

# ------------------------------------------------------------------------------------------------ products

PERMUTATION = Layout((16, 4), (4, 1))
PLAIN = make_tiled_mma("UniversalFMA<float>", Layout((16, 16, 1)))
PERMUTED = make_tiled_mma("UniversalFMA<float>", Layout((16, 16, 1)), (PERMUTATION, PERMUTATION))

T_C_S_A = Question(
    id="12.p6",
    form=a_shape,
    answer=PLAIN.get_slice(THREAD).partition_A(TILE).shape,
    because="one value an atom; 128 / 16 = 8 rows; all 8 of k.",
    slips=(
        Slip("(8,8)", "that is sgemm_1's. The mode of the instruction stands first: MMA, here 1."),
        Slip("(1,16,8)", "16 is how many threads there are along m. How many rows has each?"),
        Slip("(1,8,1)", "nobody shares out k: each thread needs all of it."),
        Slip("((1,1),8,8)", "an atom of one value has a plain 1."),
    ),
    otherwise="(MMA,MMA_M,MMA_K): the values of one atom, then how often the 16 x 16 x 1 atoms fit along m and along k.",
)

PERMUTED_ROWS = Question(
    id="12.p7",
    form=integers,
    answer=[m for m, k in PERMUTED.get_slice(THREAD).partition_A(TILE) if k == 0],
    because="its slots 1, 17, 33, 49 become the rows 4 to 7, and the tile of 64 comes twice.",
    slips=(
        Slip(
            [1, 17, 33, 49, 65, 81, 97, 113],
            "these are its slots, its rows without the permutation. Which row does slot 17 become?",
        ),
        Slip([4, 5, 6, 7, 8, 9, 10, 11], "the permutation has 64 slots: the next four rows are 64 further on."),
        Slip([4, 5, 6, 7], "there are 128 rows: the permutation has 64 slots, and comes twice."),
        Slip([8, 9, 10, 11, 72, 73, 74, 75], "these are its columns of B: it stands at m = 1, n = 2."),
        Slip([1, 2, 3, 4, 65, 66, 67, 68], "thread (0,n) has the rows 0 to 3 already."),
    ),
    otherwise="Along m it stands at 1, so it has the slots 1, 17, 33, 49 of each 64. (16,4):(4,1) says which row each of them is.",
)

# ------------------------------------------------------------------------------------------------ types and instructions

COMPILES = Question(
    id="12.p8",
    form=one_of("yes", "no"),
    answer="no",
    because="the stride is an int that may be anything, and one instruction moves neighbours only.",
    slips=(Slip("yes", "which instruction should the compiler write? It does not know yet that dA will be 1."),),
    otherwise="Does the type of `make_stride(dA, ldA)` say that four numbers lie side by side?",
)

GLOBAL = Question(
    id="12.p9",
    form=an_integer,
    answer=2,
    because="a tile has 1024 numbers, 256 threads bring four each: one load of A, one of B.",
    slips=(
        Slip(8, "that many numbers a thread brings, 4 of A and 4 of B. One load brings four."),
        Slip(1, "one of A. And B?"),
        Slip(512, "that is how many all 256 threads have. And one?"),
        Slip(4, "a thread brings 4 numbers of A, by one load, and 4 of B."),
    ),
    otherwise="Each tile has 128 * 8 numbers, there are 256 threads, and a load brings four.",
)

SHARED = Question(
    id="12.p10",
    form=an_integer,
    answer=32,
    because="for each of 8 values of k, 8 rows and 8 columns: 2 + 2 loads of four.",
    slips=(
        Slip(128, "that many numbers it reads, 64 of A and 64 of B. Four at a time."),
        Slip(16, "those of A. And B?"),
        Slip(4, "that is one value of k, and there are 8."),
        Slip(64, "64 numbers of A and 64 of B are 128, and four come at a time."),
    ),
    otherwise="For one k: 8 numbers of A and 8 of B, four side by side. And there are 8 values of k.",
)

PAST = Question(
    id="12.p11",
    form=an_integer,
    answer=2 * 128 - 200,
    because="the last column's tile ends at row 256, and C at row 200.",
    slips=(
        Slip(
            56 * 256, "each column's surplus lies in the *next column*, inside C. Only the last one has none behind it."
        ),
        Slip(
            56 * 128,
            "the surplus of most columns lies in the *next column*, inside C. Which column has none behind it?",
        ),
        Slip(0, "the last tile has 256 - 128 rows from 128 on, and C ends at 200."),
        Slip(72, "those are the rows of the last tile that C has."),
        Slip(128, "the last tile has 128 rows, and some of them are C's own."),
    ),
    otherwise="C is stored by columns of 200. Where do the rows 200 to 255 of a column lie, and where those of the last one?",
)

ONE_BARRIER = Question(
    id="12.p12",
    form=an_integer,
    answer=1,
    because="a tile that is written is not the one that is read: with a ring one barrier says both.",
    slips=(
        Slip(2, "the copies write to another place than the one that is read. What is left to wait for?"),
        Slip(0, "cp_async_wait speaks of this thread's copies alone. Others copy, too."),
        Slip(3, "that is how many tiles the ring holds."),
    ),
    otherwise="What must everybody have done before tile k is multiplied? And before its place in the ring is written again?",
)

# ------------------------------------------------------------------------------------------------ quiz

SECOND = Question(
    id="12.q1",
    form=one_of("a", "b", "c"),
    answer="b",
    because="between the stores and the products there is then nothing that waits for the others.",
    slips=(
        Slip("a", "the first barrier, before the stores, prevents just that, and it is still there."),
        Slip("c", "registers are a thread's own: it stores them before it loads again, in its own order."),
    ),
)

WHICH_COPY = Question(
    id="12.q2",
    form=one_of("a", "b", "c"),
    answer="b",
    because="its four values lie side by side along k.",
    slips=(
        Slip("a", "its four values are four rows of one column: in k-major data each lies a whole ld further."),
        Slip("c", "values and threads may go along k as well as along m."),
    ),
)

ODD_LD = Question(
    id="12.q3",
    form=one_of("a", "b", "c"),
    answer="a",
    because="column 1 begins at number 129, and 129 * 4 bytes is no multiple of 16.",
    slips=(
        Slip(
            "b",
            "the type says that neighbours lie side by side, and that is all the compiler asks. ldA is a run-time number.",
        ),
        Slip("c", "a load of 16 bytes at an address that is no multiple of 16 is an error, not a slow load."),
    ),
)

QUESTIONS = (
    LOAD,
    BARRIERS,
    ROWS,
    SHAPE,
    K_MAJOR,
    T_C_S_A,
    PERMUTED_ROWS,
    COMPILES,
    GLOBAL,
    SHARED,
    PAST,
    ONE_BARRIER,
    SECOND,
    WHICH_COPY,
    ODD_LD,
)
