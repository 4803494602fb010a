"""Lesson 10, tiled MMA and tiled copy: its predictions and its quiz."""

from ...algebra import right_inverse
from ...atoms.copy import make_tiled_copy
from ...atoms.library import copy_atom
from ...atoms.mma import make_tiled_mma
from ...layout import Layout, size
from ...tensor import make_identity_tensor
from ..questions import Question, Slip, a_coordinate, a_layout, a_shape, an_integer, integers, one_of

# ------------------------------------------------------------------------------------------------ the Volta series

VOLTA = "SM70_8x8x4_F32F16F16F32_NT"
N_MAJOR, M_MAJOR = Layout((2, 2), (2, 1)), Layout((2, 2), (1, 2))
FOUR = make_tiled_mma(VOLTA, N_MAJOR)
LARGE = make_tiled_mma(VOLTA, N_MAJOR, (32, 32, 4))
P = Layout((4, 4, 2), (1, 8, 4))
Q = right_inverse(P)


def first_cell(mma, thread) -> tuple:
    """The first cell (m,n) of C that a thread holds."""
    place, m = mma.layoutC_TV(thread, 0), mma.tile_shape[0]
    return place % m, place // m


def rows_of_a(mma, thread) -> list[int]:
    """The rows m of A that a thread holds, in the order of its values."""
    tv, m = mma.layoutA_TV, mma.tile_shape[0]
    return [tv(thread, v) % m for v in range(size(tv, 1))]


TILE = Question(
    id="10.p1",
    form=a_shape,
    answer=FOUR.tile_shape,
    because="two atoms of 8 along M, two along N, one of 4 along K.",
    slips=(
        Slip((8, 8, 4), "that is one atom."),
        Slip((16, 16, 8), "there is one atom along K: what the layout leaves out is 1."),
        Slip((16, 16), "right, and K is still there: (M,N,K)."),
        Slip((32, 32, 4), "two atoms of 8 are 16."),
        Slip((16, 8, 4), "(2,1) are strides. The shape is (2,2): two along M, two along N."),
    ),
    otherwise="The atom is 8 x 8 x 4, and there are two of them along M and two along N.",
)

_N_FIRST = "(2,1) are the strides: one step along N is one atom on, and atom 1 has T4."

T4_N_MAJOR = Question(
    id="10.p2",
    form=a_coordinate,
    answer=first_cell(FOUR, 4),
    because="atom 1 is at (0,1) of the atom layout: 8 columns to the right.",
    slips=(
        Slip((8, 0), "so it would be with (1,2). " + _N_FIRST),
        Slip((0, 1), "that is the place of the atom. An atom is 8 columns wide."),
        Slip((4, 0), "inside the first atom these rows are T16's. T4 belongs to the next quadpair."),
        Slip((0, 4), "inside the first atom this cell is T0's. T4 belongs to the next quadpair."),
    ),
    otherwise="T4 is the first of atom 1. Where in the layout (2,2):(2,1) is the 1?",
)

T8_N_MAJOR = Question(
    id="10.p3",
    form=a_coordinate,
    answer=first_cell(FOUR, 8),
    because="atom 2 is at (1,0) of the atom layout: 8 rows down.",
    slips=(
        Slip((0, 8), "that is T4's. " + _N_FIRST),
        Slip((8, 8), "that is atom 3, whose threads begin with T12."),
        Slip((1, 0), "that is the place of the atom. An atom is 8 rows tall."),
    ),
    otherwise="T8 is the first of atom 2. Where in the layout (2,2):(2,1) is the 2?",
)

T4_M_MAJOR = Question(
    id="10.p4",
    form=a_coordinate,
    answer=first_cell(make_tiled_mma(VOLTA, M_MAJOR), 4),
    because="one step along M is one atom on.",
    slips=(
        Slip((0, 8), "so it is with (2,1). Here the stride 1 belongs to M."),
        Slip((1, 0), "that is the place of the atom. An atom is 8 rows tall."),
    ),
    otherwise="T4 is the first of atom 1. Where in the layout (2,2):(1,2) is the 1?",
)

A_VALUES = Question(
    id="10.p5",
    form=an_integer,
    answer=size(LARGE.layoutA_TV, 1),
    because="4 rows of each of the two halves of M; k is as before.",
    slips=(
        Slip(4, "that is what one atom needs. The tile is twice as tall now."),
        Slip(16, "A has M and K, no N: only the doubled M counts."),
    ),
    otherwise="One atom takes 4 values of A from a thread. Along M the atoms are done twice.",
)

C_VALUES = Question(
    id="10.p6",
    form=an_integer,
    answer=size(LARGE.layoutC_TV, 1),
    because="8 an atom, and four quarters.",
    slips=(
        Slip(8, "that is one atom. There are four quarters now."),
        Slip(16, "C is twice as tall and twice as wide."),
        Slip(1024, "these are all cells of C. 32 threads share them."),
    ),
    otherwise="32 x 32 cells and 32 threads.",
)

ROWS = Question(
    id="10.p7",
    form=integers,
    answer=rows_of_a(LARGE, 0),
    because="the two atoms along M cover 16 rows, and then it begins again.",
    slips=(
        Slip(
            [0, 1, 2, 3, 4, 5, 6, 7], "rows 4 to 7 are T16's, as in the atom. T0's next ones come a whole tile later."
        ),
        Slip(
            [0, 1, 2, 3, 8, 9, 10, 11],
            "row 8 begins the second atom along M, which other threads do: two atoms are 16 rows.",
        ),
        Slip([0, 1, 2, 3], "that is one atom's. The tile is twice as tall now."),
    ),
    otherwise="T0 has rows 0 to 3 of what two atoms cover, 16 rows. Then it begins again.",
)

PERMUTATION = Question(
    id="10.p8",
    form=a_layout,
    any_modes=True,
    answer=P,
    because="4 side by side; four such runs, 8 rows apart; two halves, 4 rows apart.",
    slips=(
        Slip(
            "(4,2,4):(1,16,4)",
            "this answers 'which slot does row 4 come from?'. Wanted is the other way: slot 4 goes to row ... ?",
        ),
        Slip("(4,4,2):(1,4,16)", "this counts 0, 1, 2, ..., 31: every slot stays where it is."),
        Slip(
            "(4,2,4):(1,4,8)",
            "this, too, counts 0, 1, 2, ...: slots 4 to 7 stay rows 4 to 7. They should go to 8 to 11.",
        ),
        Slip(
            "(4,8):(1,8)",
            "the runs go 8 rows down, but there are 8 of them: the last four leave the tile. They have to fill the gaps.",
        ),
        Slip("(4,4):(1,8)", "the first 16 slots are right. The other 16 fill what is free between."),
    ),
    otherwise="Slots 0 to 3 go to rows 0 to 3, slots 4 to 7 to rows 8 to 11, slots 16 to 19 to rows 4 to 7.",
)

SLOT_9 = Question(
    id="10.p9",
    form=an_integer,
    answer=P(9),
    because="slot 9 is (1,2,0): 1 + 2 * 8.",
    slips=(
        Slip(Q(9), "that is the inverse: the slot that row 9 comes from."),
        Slip(9, "slot 9 is in the third run of four, and the runs lie 8 rows apart."),
        Slip(16, "that is where its run begins, with slot 8."),
        Slip(25, "that is three runs down. Slot 9 is in run 2, counted from 0."),
    ),
    otherwise="Which run of four is slot 9 in, and which of the four? The runs lie 8 rows apart.",
)

ROWS_OF_INVERSE = Question(
    id="10.p10",
    form=integers,
    answer=rows_of_a(make_tiled_mma(VOLTA, N_MAJOR, (Q, 32, 4)), 0),
    because="T0 has the slots 0 to 3 and 16 to 19; slot 16 is (0,0,2), and 2 * 4 is 8.",
    slips=(
        Slip(
            [0, 1, 2, 3, 4, 5, 6, 7],
            "this was wanted. But CuTe reads the layout as slot -> row: where does it send slot 16?",
        ),
        Slip([0, 1, 2, 3, 16, 17, 18, 19], "these are T0's slots. Send each through the layout."),
    ),
    otherwise="T0 has the slots 0 to 3 and 16 to 19. Slot 16 of (4,2,4):(1,16,4) is (0,0,2).",
)

# ------------------------------------------------------------------------------------------------ shapes

AMPERE = make_tiled_mma("SM80_16x8x16_F32F16F16F32_TN", (2, 2))
PARTS = {name: getattr(AMPERE.get_slice(0), f"partition_{name}")(make_identity_tensor(shape)).shape
         for name, shape in (("A", (128, 64)), ("B", (128, 64)), ("C", (128, 128)))}  # fmt: skip


def _asks(number, operand, because, otherwise, *slips) -> Question:
    slips = tuple(Slip(*slip) for slip in slips)
    return Question(
        id=f"10.p{number}", form=a_shape, answer=PARTS[operand], because=because, slips=slips, otherwise=otherwise
    )


PART_A = _asks(
    11, "A", "128 / (16 * 2) rows, 64 / 16 steps.", "MMA is (2,2,2). Along M: 128 over an atom's 16, times 2 atoms. Along K: 64 over 16.",
    ("((2,2,2),8,4)", "there are two atoms along M, and they stand side by side: other threads do the other one."),
    ("(8,4,4)", "the MMA mode keeps its own parentheses: (2,2,2)."),
    ("((2,2,2),4,2)", "no atoms are added along K: 64 / 16."),
    ("((2,2),4,4)", "that MMA mode is B's."),
)  # fmt: skip
PART_B = _asks(
    12, "B", "128 / (8 * 2) columns, 64 / 16 steps.", "MMA is (2,2). Along N: 128 over an atom's 8, times 2 atoms. Along K: 64 over 16.",
    ("((2,2),4,4)", "an atom has 8 along N, not 16."),
    ("((2,2),16,4)", "there are two atoms along N, and other threads do the other one."),
    ("((2,2,2),8,4)", "that MMA mode is A's. Of B a lane holds (2,2) an atom."),
    ("((2,2),4,8)", "B is (N,K): first how often along n, then along k."),
)  # fmt: skip
PART_C = _asks(
    13, "C", "as often along m as A, as often along n as B.", "MMA is (2,2). Along M it is A's number, along N B's.",
    ("((2,2),8,4)", "C is (M,N): m first."),
    ("((2,2),8,16)", "two atoms stand along M and two along N: other threads do those."),
    ("((2,2),4,8,4)", "C has no k."),
)  # fmt: skip

# ------------------------------------------------------------------------------------------------ copies

COPY = make_tiled_copy(copy_atom("UniversalCopy<uint128_t>", "float"), Layout((32, 8)), Layout((4, 1)))

COPIED = Question(
    id="10.p14",
    form=integers,
    answer=[int(m) for m, _k in COPY.get_slice(33).partition_S(make_identity_tensor((128, 8)))],
    because="thread 33 stands at (1,1) of the threads, and each of them has a block of 4 rows.",
    slips=(
        Slip([1, 33, 65, 97], "so deals local_partition. A TiledCopy gives each thread its values as one block."),
        Slip([0, 1, 2, 3], "these are the threads of row 0. Thread 33 stands at (1,1)."),
        Slip([132, 133, 134, 135], "right in memory, but rows were asked: thread 33 is in the second column."),
        Slip([1, 2, 3, 4], "thread 33 is in row 1 of the threads, and each row of threads has 4 rows of cells."),
    ),
    otherwise="Thread 33 is (33 % 32, 33 // 32) of the threads. Each has a block of 4 rows.",
)
SOURCE_SHAPE = Question(
    id="10.p15",
    form=a_shape,
    answer=COPY.get_slice(33).partition_S(Layout((128, 8, 4)))[0].shape,
    because="one instruction of four values, once down, once across, four k-steps.",
    slips=(
        Slip("(4,1,1,4)", "nearly: CPY has two parts, (values of an instruction, instructions)."),
        Slip("(4,1,4)", "that is local_partition's. CPY is a mode of its own, and has two parts."),
        Slip("((4,1),1,1)", "that is one k-step; gA has four."),
        Slip("((4,1),32,8,4)", "(32,8) are the threads. How often does the tile of 128 x 8 fit?"),
        Slip("((1,4),1,1,4)", "4 values in one instruction: (values, instructions) in this order."),
    ),
    otherwise="CPY is (values of an instruction, instructions). Then: how often does the tile of the copy, 128 x 8, fit in gA?",
)

ROW_MAJOR = Question(
    id="10.p16",
    form=a_shape,
    answer=(1, 4),
    because="row-major: the neighbour in memory is the neighbour along k.",
    slips=(
        Slip("(4,1)", "these four lie 8 apart in row-major data."),
        Slip("(2,2)", "two of them lie side by side, and two 8 further on."),
        Slip((4, 4), "a thread moves four values at once, and that is 16."),
    ),
    otherwise="Four cells that are neighbours in row-major memory: how many rows, how many columns?",
)

LANE = 13
ADDRESSED = Question(
    id="10.p17",
    form=a_coordinate,
    answer=(LANE // 8, LANE % 8),
    because="13 = 8 + 5: matrix 1, row 5.",
    slips=(
        Slip((5, 1), "matrix first, then row."),
        Slip((0, 13), "a matrix has 8 rows; the 13th is in the next one."),
        Slip((0, 3), "that is the row of its values. Which address does it give?"),
        Slip((2, 5), "matrices count from 0."),
    ),
    otherwise="Lanes 0 to 7 give the rows of matrix 0, lanes 8 to 15 those of matrix 1.",
)
ROW_OF_VALUES = Question(
    id="10.p18",
    form=an_integer,
    answer=2 * LANE // 8,
    because="numbers 26 and 27 of 64, in rows of 8.",
    slips=(
        Slip(5, "that is the row whose address it gives. Its values are the numbers 26 and 27 of each matrix."),
        Slip(1, "13 // 8 is 1, but it gets two values: the numbers 26 and 27."),
        Slip(26, "that is the number of the value in its matrix. A row has 8."),
    ),
    otherwise="It gets the numbers 2 * 13 and 2 * 13 + 1 of each matrix, and a row has 8.",
)

# ------------------------------------------------------------------------------------------------ quiz

PARTITION = Question(
    id="10.q1",
    form=one_of("a", "b", "c"),
    answer="a",
    because="one value an atom, 64 / 16, all of k.",
    slips=(
        Slip("b", "so says local_partition. A TiledMMA's partition has the MMA mode in front."),
        Slip("c", "16 are the threads along n. How many of the 64 has one of them?"),
    ),
)
SLOTS = Question(
    id="10.q2",
    form=one_of("a", "b", "c"),
    answer="c",
    because="slot 8 is (0,2,0).",
    slips=(
        Slip("a", "that is the inverse: rows 8 to 11 come from the slots 4 to 7."),
        Slip("b", "that would be no permutation at all. Slot 8 begins the third run of four."),
    ),
)
PARTED = Question(
    id="10.q3",
    form=one_of("a", "b", "c"),
    answer="a",
    because="the tile is 128 x 8.",
    slips=(
        Slip("b", "CPY has two parts, values and instructions: (4,1)."),
        Slip("c", "(32,8) are the threads. How often does the tile of 128 x 8 fit in (128,16)?"),
    ),
)

QUESTIONS = (
    TILE, T4_N_MAJOR, T8_N_MAJOR, T4_M_MAJOR, A_VALUES, C_VALUES, ROWS, PERMUTATION, SLOT_9, ROWS_OF_INVERSE,
    PART_A, PART_B, PART_C, COPIED, SOURCE_SHAPE, ROW_MAJOR, ADDRESSED, ROW_OF_VALUES,
    PARTITION, SLOTS, PARTED,
)  # fmt: skip
