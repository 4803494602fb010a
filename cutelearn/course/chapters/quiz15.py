"""Lesson 15, towards the roof: its predictions and its quiz."""

from ...atoms.mma import make_tiled_mma
from ...layout import Layout
from ...tensor import make_identity_tensor
from ..questions import Question, Slip, an_integer, integers, one_of

PEAK, MEMORY, MULTIPROCESSORS = 66.9, 4814, 132  # TFLOP/s, GB/s: what the record says of its GPU
RIDGE = round(1000 * PEAK / MEMORY)

# ------------------------------------------------------------------------------------------------ two roofs

INTENSITY = Question(
    id="15.p1",
    form=an_integer,
    answer=2 * 64 * 64 // (4 * (64 + 64)),
    because="2 * 64 * 64 flop for 4 * (64 + 64) bytes, whatever the step along k is.",
    slips=(
        Slip(32, "that is (128,128), twice as many both ways: four times the flop, twice the bytes."),
        Slip(8, "a multiply-add is two flop."),
        Slip(64, "that is for each number. A float has 4 bytes."),
        Slip(4, "shorter tiles bring less, but not so much less: it is proportional to one side."),
    ),
    otherwise="For one value of k: 64 * 64 multiply-adds, two flop each, and 64 + 64 numbers of 4 bytes.",
)
THE_RIDGE = Question(
    id="15.p2",
    form=an_integer,
    answer=RIDGE,
    because=f"{PEAK} * 1000 / {MEMORY}: left of it the memory binds, right of it the arithmetic.",
    slips=(
        Slip(round(MEMORY / PEAK), "it is the other way round: flop for each byte."),
        Slip(13, "66900 / 4814 is 13.9: that is nearer to 14."),
        Slip(0, "T is a thousand G: 66.9 TFLOP/s are 66900 Gflop/s."),
    ),
    otherwise="How many flop could be done in the time in which one byte comes? Both are given for a second.",
)
WHICH_ROOF = Question(
    id="15.p3",
    form=one_of("memory", "arithmetic"),
    answer="arithmetic",
    because="32 is right of the ridge. With enough bytes under way, the memory is no reason to be slow.",
    slips=(Slip("memory", "its tiles bring 32 flop for each byte, and the ridge is left of that."),),
    otherwise='Write "memory" or "arithmetic". Is 32 left of the ridge, or right of it?',
)

# ------------------------------------------------------------------------------------------------ issue slots

ONE_STEP = Question(
    id="15.p4",
    form=integers,
    answer=[64, 4],
    because="8 * 8 products; 8 rows and 8 columns, four at once.",
    slips=(
        Slip([64, 16], "that is sgemm_1. sgemm_2 reads four neighbours by one instruction."),
        Slip([64, 2], "two for the rows, and two for the columns."),
        Slip([8, 4], "each of the 8 rows meets each of the 8 columns."),
        Slip([16, 4], "a product for each pair of a row and a column."),
        Slip([512, 32], "that is the whole tile, with its 8 values of k."),
    ),
    otherwise="A thread has 8 rows and 8 columns: one product for each pair, and a 128-bit load for every four of either.",
)
CLOCKS = Question(
    id="15.p5",
    form=an_integer,
    answer=128 * 128 * 8 // 128,
    because="128 * 128 * 8 multiply-adds, 128 in a clock.",
    slips=(
        Slip(131072, "that is how many multiply-adds there are. 128 are done in each clock."),
        Slip(2048, "a multiply-add is one instruction, though it counts as two flop."),
        Slip(4096, "that is one scheduler with its 32 lanes. A multiprocessor has four."),
        Slip(512, "512 is what one thread does. The block has 256 threads, and 128 lanes for them."),
    ),
    otherwise="The tile has 128 * 128 * 8 multiply-adds; four schedulers with 32 lanes each do 128 in a clock.",
)

# ------------------------------------------------------------------------------------------------ the ring

HOW_MANY = Question(
    id="15.p6",
    form=an_integer,
    answer=2,
    because="before round 0 there are 3 groups, and the oldest must be there: 2 may be under way. So in every round.",
    slips=(
        Slip(3, "all three may be under way then, also the tile that you are about to multiply."),
        Slip(1, "right, and more careful than it need be: that is the number for a ring of 3."),
        Slip(0, "right, but it waits for all that is under way: then a ring of 4 hides no more than a ring of 2."),
        Slip(4, "there are only three groups before round 0: it waits for nothing."),
    ),
    otherwise="Three groups were closed before round 0, one for each of tiles 0, 1, 2. Which of them do you need now?",
)
RING = Question(
    id="15.p7",
    form=an_integer,
    answer=4 * (128 + 128) * 16 * 4,
    because="4 tiles of A and of B, 128 * 16 numbers each, 4 bytes a number.",
    slips=(
        Slip(49152, "that is a ring of 3."),
        Slip(32768, "that is A's. B has a ring as well."),
        Slip(16384, "that is one tile of A and one of B, or all numbers: 4 places, and 4 bytes a number."),
    ),
    otherwise="(128 + 128) * 16 numbers a place, 4 bytes each, 4 places.",
)
FIT = Question(
    id="15.p8",
    form=an_integer,
    answer=2,
    because="shared memory would do for 3, registers for 2: the scarcer one decides.",
    slips=(
        Slip(3, "that is what shared memory allows: 233472 // (65536 + 1024). And the registers?"),
        Slip(4, "119 registers are handed out as 120, to 256 threads: how often does that fit in 65536?"),
        Slip(1, "two blocks' registers: 2 * 120 * 256 = 61440. That still fits."),
        Slip(8, "2048 threads are 8 blocks. But registers and shared memory end before."),
    ),
    otherwise="Divide what the multiprocessor has by what a block takes: shared memory, registers, threads. The least is it.",
)

# ------------------------------------------------------------------------------------------------ warps and bands


def needs(mma) -> int:
    """How many numbers of A and B a warp needs for one value of k."""
    cells = [c for t in range(32) for c in mma.get_slice(t).partition_C(make_identity_tensor((128, 128)))]
    return len({m for m, _n in cells}) + len({n for _m, n in cells})


FMA = "UniversalFMA<float>"
PERMUTED = make_tiled_mma(FMA, Layout((16, 16, 1)), (Layout((16, 4), (4, 1)),) * 2)  # sgemm_2's
BY_WARPS = make_tiled_mma(  # warp_tiled's
    FMA,
    Layout(((8, 2), (4, 4), 1), ((4, 32), (1, 64), 0)),
    (Layout((8, 2, 4, 2), (4, 64, 1, 32)), Layout((4, 4, 4, 2), (4, 32, 1, 16))),
)
NEEDS = Question(
    id="15.p9",
    form=integers,
    answer=[needs(PERMUTED), needs(BY_WARPS)],
    because="16 * 8 rows and 2 * 8 columns; 8 * 8 rows and 4 * 8 columns. The second is nearer to a square.",
    slips=(
        Slip([144, 144], "the products are as many. But rows and columns are not: (8 + 4) * 8."),
        Slip([512, 512], "that is what 32 threads ask for. Those in one row of lanes ask for the same numbers."),
        Slip([18, 12], "these are lanes. Each has 8 rows and 8 columns."),
        Slip([2048, 2048], "these are the products."),
        Slip([16, 16], "that is one thread. The lanes of a warp stand in different rows and columns."),
    ),
    otherwise="16 lanes along m with 8 rows each, 2 along n with 8 columns each; then 8 and 4 lanes.",
)


def panels(grid_m, grid_n, band, running) -> int:
    """Of how many rows and columns of tiles the first blocks are, numbered in bands."""
    bands = Layout(((band, grid_m // band), grid_n), ((1, band * grid_n), band))
    mine = [c for c in ((m, n) for m in range(grid_m) for n in range(grid_n)) if bands(*c) < running]
    return len({m for m, _n in mine}) + len({n for _m, n in mine})


RUNNING = 2 * MULTIPROCESSORS
PANELS = Question(
    id="15.p10",
    form=integers,
    answer=[panels(64, 64, 64, RUNNING), panels(64, 64, 8, RUNNING)],
    because="64 rows and 5 columns; 8 rows and 33 columns.",
    slips=(
        Slip([68, 41], "264 blocks are four columns and 8 blocks of a fifth one."),
        Slip([69, 40], "264 / 8 = 33 columns."),
        Slip([264, 264], "blocks side by side share their rows, and those below each other their columns."),
        Slip([320, 264], "that is tiles. Count rows and columns, and add them."),
    ),
    otherwise="Without bands they fill columns of 64 tiles, one after the other; with bands, columns of 8. Rows plus columns.",
)

# ------------------------------------------------------------------------------------------------ a tempting mistake

WIDER = Question(
    id="15.p11",
    form=one_of("faster", "slower"),
    answer="slower",
    because="each number serves more products, and yet it does not win, under this name.",
    slips=(Slip("faster", "so the count of products for each number says. The clock says otherwise: run the cell."),),
    otherwise='Write "faster" or "slower".',
)

# ------------------------------------------------------------------------------------------------ quiz

LEFT_OF_IT = Question(
    id="15.q1",
    form=one_of("a", "b", "c"),
    answer="c",
    because="left of the ridge the memory binds, and a larger tile asks less of it.",
    slips=(
        Slip("a", "the memory is at its limit: more requests do not make it faster."),
        Slip("b", "the products wait for bytes, not for slots."),
    ),
)
NO_GROUP = Question(
    id="15.q2",
    form=one_of("a", "b", "c"),
    answer="b",
    because="wait counts groups. Without the empty ones, the last tiles are among the youngest, and may be under way.",
    slips=(
        Slip("a", "the copies are guarded already. What do the waits of the last rounds count?"),
        Slip("c", "an empty group costs one instruction. What does the wait of the last round mean without it?"),
    ),
)
SAME_PTX = Question(
    id="15.q3",
    form=one_of("a", "b", "c"),
    answer="b",
    because="ptxas orders instructions and hands out registers; its result is what runs.",
    slips=(
        Slip("a", "PTX is the same but for the name. What is made of it afterwards?"),
        Slip("c", "names are gone when a kernel runs. The difference is made before."),
    ),
)

QUESTIONS = (
    INTENSITY,
    THE_RIDGE,
    WHICH_ROOF,
    ONE_STEP,
    CLOCKS,
    HOW_MANY,
    RING,
    FIT,
    NEEDS,
    PANELS,
    WIDER,
    LEFT_OF_IT,
    NO_GROUP,
    SAME_PTX,
)
