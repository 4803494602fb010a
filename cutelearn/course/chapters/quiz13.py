"""Lesson 13, swizzle and banks: its predictions and its quiz."""

from ...atoms.analysis import bank_conflicts
from ...layout import Layout
from ...swizzle import Swizzle
from ..questions import Question, Slip, an_integer, integers, one_of

# ------------------------------------------------------------------------------------------------ banks


def floats(*texts: str, vector: int = 1) -> list[int]:
    """The wavefronts of accesses, each a layout lane -> offset in floats."""
    return [bank_conflicts(Layout.parse(text), "float", vector).wavefronts for text in texts]


ROW_AND_COLUMN = Question(
    id="13.p1",
    form=integers,
    answer=floats("32:1", "32:32"),
    because="the row lies in 32 banks; the column's offsets are multiples of 32, all in bank 0.",
    slips=(
        Slip([32, 1], "it is the other way round: offsets of a row are 1 apart."),
        Slip([1, 1], "the column's offsets are 0, 32, 64, ...: in which bank is each of them?"),
        Slip([32, 32], "a row's 32 floats lie in 32 banks, and the banks work side by side."),
        Slip([1, 2], "how many of the 32 lanes want bank 0?"),
    ),
    otherwise="Offset x lies in bank x % 32. Row 0 has the offsets 0 to 31, column 0 has 0, 32, 64, ...",
)
ONE_FLOAT = Question(
    id="13.p2",
    form=integers,
    answer=floats("32:0", "32:2", "32:3", "32:8", "(2,16):(0,1)"),
    because="count different words: one word is shared; strides 2 and 8 use every second and every eighth bank.",
    slips=(
        Slip([32, 2, 1, 8, 2], "lanes that want the same word share it: count words, not lanes."),
        Slip([1, 2, 1, 8, 2], "in the last one two lanes want the same word, and share it."),
        Slip([32, 2, 1, 8, 1], "in the first one all lanes want the same word, and share it."),
        Slip([1, 2, 3, 8, 1], "stride 3 goes through all banks before it comes back: lane 11 is in bank 33 % 32 = 1."),
        Slip([1, 1, 1, 1, 1], "with stride 2 the lanes 0 and 16 want the words 0 and 32."),
        Slip([1, 2, 1, 4, 1], "with stride 8 the words are in banks 0, 8, 16, 24. That is 32 words in four banks."),
    ),
    otherwise="Write the word of each lane, and its remainder by 32. Which bank has the most different words?",
)
FOUR_FLOATS = Question(
    id="13.p3",
    form=integers,
    answer=floats("32:4", "32:8", "32:32", "32:36", vector=4),
    because="four quarters; in each, 1, 2, 8 and 1 pieces lie in the same banks.",
    slips=(
        Slip([1, 2, 8, 1], "that is one quarter warp. There are four, one after the other."),
        Slip([4, 4, 4, 4], "with stride 8 the lanes 0 and 4 of a quarter begin at the words 0 and 32."),
        Slip([1, 1, 1, 1], "all banks give 128 bytes at a time, and 32 lanes want 512."),
        Slip([4, 8, 32, 8], "with stride 36 the eight lanes begin in the banks 0, 4, 8, ...: none meet."),
        Slip([16, 32, 128, 16], "each lane's four words lie in four banks, side by side: they come together."),
    ),
    otherwise="Take lanes 0 to 7 alone, and the four words of each. How often is the busiest bank wanted? Then times four.",
)

# ------------------------------------------------------------------------------------------------ the kernels

KERNELS = Question(
    id="13.p4",
    form=integers,
    answer=[8 * 4, 8 * 64, 8 * 16 * 4],
    because="8 warps, 4 stores and 64 reads each; sgemm_2 has 16 reads each, and every one takes 4 wavefronts.",
    slips=(
        Slip([32, 512, 128], "128 is how many reads there are. Each moves 16 bytes a lane: how many wavefronts is that?"),
        Slip([32, 512, 2048], "each read moves four floats a lane, so there are a quarter as many: 16 a thread, not 64."),
        Slip([4, 64, 64], "that is one warp. A block has 8."),
        Slip([4, 64, 16], "that is one warp, and 16 is how many reads it has. A block has 8, and a wide read takes more."),
        Slip([1024, 16384, 16384], "a wavefront serves a whole warp, not one thread."),
        Slip([32, 32, 32], "a tile is read 16 times: each of its numbers is needed by 16 columns of threads."),
    ),
    otherwise="A thread stores 4 numbers and reads 64. One access of a warp is one wavefront where a lane moves 4 bytes, and 4 where it "
    "moves 16.",
)  # fmt: skip

# ------------------------------------------------------------------------------------------------ padding

LEAST_PAD = Question(
    id="13.p5",
    form=an_integer,
    answer=8,
    because="one unit of 16 bytes: rows begin at banks 0, 4, 8, ... and every row is aligned.",
    slips=(
        Slip(1, "rows of 65 halves begin at odd halves: 16 bytes at once must begin at a multiple of 16."),
        Slip(2, "rows of 66 halves are 132 bytes: no multiple of 16."),
        Slip(4, "rows of 68 halves are 136 bytes: no multiple of 16."),
        Slip(12, "rows of 76 halves are 152 bytes: no multiple of 16."),
        Slip(24, "that is aligned and free of conflicts, and there is a smaller one."),
        Slip(16, "that is aligned, and rows are 8 banks apart: the rows 0 and 4 meet."),
        Slip(32, "that is aligned, and every second row begins in the same bank."),
        Slip(64, "then rows are 256 bytes apart, again a multiple of 128."),
    ),
    otherwise="The row must be a multiple of 16 bytes, and eight of them should begin 16 bytes apart in the banks.",
)

# ------------------------------------------------------------------------------------------------ swizzles

SW = Swizzle(3, 3, 3)

OF_200 = Question(
    id="13.p6",
    form=an_integer,
    answer=SW(200),
    because="200 is 011 001 000: Y is 011, and 001 XOR 011 is 010.",
    slips=(
        Slip(200, "Y, the bits 6 to 8 of 200, is 011: not 0."),
        Slip(224, "that is a sum: 001 + 011. XOR has no carry."),
        Slip(216, "Y takes the place of Z there. It is XORed into it: 001 XOR 011."),
        Slip(16, "the bits that are read stay as they are."),
        Slip(203, "the lowest M bits are not touched: Y goes down by S, to bit 3."),
    ),
    otherwise="Write 200 in three groups of three bits. The highest group is XORed into the one in the middle.",
)
UNITS = Question(
    id="13.p7",
    form=integers,
    answer=[2, 4],
    because="16 bytes are 4 floats and 16 bytes: 2 and 4 bits.",
    slips=(
        Slip([4, 16], "that is how many elements a unit has. M is the power of two."),
        Slip([4, 2], "a byte is smaller, so a unit has more of them."),
        Slip([3, 3], "M counts elements, and so it changes with their size."),
    ),
    otherwise="How many floats are 16 bytes, and how many bytes? Which powers of two are these?",
)
ADDED = Question(
    id="13.p8",
    form=integers,
    answer=[SW(64) + 8, SW(72)],
    because="64 and 72 are both in row 1: one unit moves from place 0 to 1, the other from 1 to 0.",
    slips=(
        Slip([80, 80], "Sw(72): Y is 001, and Z is 001 too. What is their XOR?"),
        Slip([72, 72], "that is without a swizzle. Row 1 swaps its units 0 and 1."),
        Slip([80, 72], "the first is right. 72 is unit 1 of row 1, and row 1 swaps its units 0 and 1."),
        Slip([64, 80], "they are the other way round: Sw(64) is 72, and 8 more is 80."),
        Slip([72, 64], "the second is right. The first is Sw(64), without the 8."),
    ),
    otherwise="Sw(64) is 64 with 8 XORed in. 64 + 8 is 72: Y is 001, and Z is 001.",
)
LDMATRIX = Question(
    id="13.p9",
    form=an_integer,
    answer=bank_conflicts([i % 16 * 64 + i // 16 * 8 for i in range(32)], 16, 8).wavefronts,
    because="four quarters, and in each all eight rows begin in bank 0, or all in bank 4.",
    slips=(
        Slip(8, "that is one quarter: one core matrix. x4 loads four."),
        Slip(4, "that would be without conflicts. How far apart are the rows, in bytes?"),
        Slip(1, "512 bytes take four wavefronts at least."),
        Slip(16, "16 rows, right, and two pieces of each."),
    ),
    otherwise="A quarter warp wants 16 bytes of each of eight rows, and rows are 128 bytes apart.",
)
ATOM = Question(
    id="13.p10",
    form=integers,
    answer=[8, 1],
    because="units of one row are 128 bytes apart, eight rows of one unit lie side by side.",
    slips=(
        Slip([1, 8], "that is `(8,64):(64,1)`. In this atom the stride 64 is that of a unit, and 8 is that of a row."),
        Slip([32, 4], "that is a whole warp, four quarters. Count one."),
        Slip([1, 1], "eight lanes write along a row: their units are 64 halves apart. In which banks is that?"),
        Slip([8, 8], "a column of units has the offsets 0, 8, 16, ...: side by side."),
    ),
    otherwise="Write: eight units of one row, 64 halves apart. Read: one unit of eight rows, 8 halves apart.",
)

# ------------------------------------------------------------------------------------------------ quiz

FOUR_WORDS = Question(
    id="13.q1",
    form=one_of("a", "b", "c"),
    answer="b",
    because="each of 8 banks is asked for four different words.",
    slips=(
        Slip("a", "the lanes 0 and 1 want the words 0 and 32."),
        Slip("c", "8 is how many banks are at work. How many words does each of them give?"),
    ),
)
FLOATS = Question(
    id="13.q2",
    form=one_of("a", "b", "c"),
    answer="b",
    because="M = 2 for 16 bytes of floats, and rows of 8 units, all of which move.",
    slips=(
        Slip("a", "that is for halves. Here it keeps 8 floats together, and takes a bit of the row's number for one of a unit's."),
        Slip("c", "S = 2 says that a row has 4 units. It has 8."),
    ),
)  # fmt: skip
POINTER = Question(
    id="13.q3",
    form=one_of("a", "b", "c"),
    answer="c",
    because="a multiple of 512 is above all bits that are read or written.",
    slips=(
        Slip("a", "8 is one of the bits that are written: the next unit may lie before this one."),
        Slip("b", "64 is one of the bits that are read: the next row has another order."),
    ),
)

QUESTIONS = (
    ROW_AND_COLUMN,
    ONE_FLOAT,
    FOUR_FLOATS,
    KERNELS,
    LEAST_PAD,
    OF_200,
    UNITS,
    ADDED,
    LDMATRIX,
    ATOM,
    FOUR_WORDS,
    FLOATS,
    POINTER,
)
