"""Chapter 09, thread-value layouts and MMA atoms: its exercises, what their checkers hold to be right, and what learners
answer instead.

Values and layouts stand here; what the learner writes as a function, in functions09.py.
"""

from ...atoms.library import atom
from ...htuple import text
from ...layout import Layout, LayoutRight, rank, size
from ..compare import Fault, dict_fault, layout_fault, read_layout, says, values
from ..entries import are_ints, each_fault
from ..exercises import Exercise, Wrong, simple
from .functions09 import MEND_CELLS, TV_OF_TABLE

# ------------------------------------------------------------------------------------------------ 09.1

ASKED = {  # the name, and what is asked of it
    "a": "SM80_16x8x8_F32TF32TF32F32_TN",
    "b": "SM90_64x256x16_F32BF16BF16_SS<K,K>",
    "c": "SM70_8x8x4_F16F16F16F16_TT",
    "d": "SM80_16x8x32_S32U8S8S32_TN",
    "e": "SM90_64x64x32_F16E4M3E5M2_RS_TN",
}


def _answers() -> dict:
    a, b, c, d, e = map(atom, ASKED.values())
    return {
        "a": size(a.a_layout, 1),
        "b": size(b.c_layout, 1),
        "c": "K" if c.majors[1] == "K" else "N",
        "d": d.type_a.name,
        "e": {"R": "registers", "S": "shared memory"}[e.sources[0]],
    }


NAMES = _answers()
_WORDS = {"c": ("K", "N"), "e": ("registers", "shared memory")}
_ALSO = {"u8": "uint8_t", "uint8": "uint8_t", "unsigned char": "uint8_t", "smem": "shared memory", "rmem": "registers"}


def _judge_name(letter, answer) -> Fault | None:
    wanted = NAMES[letter]
    if isinstance(wanted, int):
        if type(answer) is not int:
            return Fault(f"{says(answer)} is not a number")
        return None if answer == wanted else Fault(f"it is not {says(answer)}: tile over threads is values")
    if not isinstance(answer, str):
        return Fault(f"{says(answer)} is not a text. Write it in quotes")
    word = _ALSO.get(answer.strip().casefold(), answer)
    if simple(word) == simple(wanted):
        return None
    if letter in _WORDS and simple(word) not in map(simple, _WORDS[letter]):
        return Fault(f"{says(answer)} is neither {' nor '.join(map(repr, _WORDS[letter]))}")
    return Fault(f"{says(answer)} is not what {ASKED[letter]} says")


DECODE = Exercise(
    id="09.1",
    title="What a name says",
    answer="a09_1",
    judge=lambda data: each_fault(data, _judge_name, ASKED),
    hints=(
        "The numbers are M x N x K. After them stand the types of D, A, B, C in this order (of D, A, B on Hopper's "
        "warpgroup). A is (M,K), B is (N,K), C is (M,N).",
        "In a and b: how many elements has the matrix, and how many threads share it? A warp has 32, a warpgroup 128.",
        "In c: the first letter is A's, the second B's, as in BLAS. For A, T means that K is contiguous. For B it is N that means "
        "so: T is the other one.",
        "In d the types are S32, U8, S8, S32: D, A, B, C. U8 is an unsigned integer of 8 bits. In e the first letter of RS is A's.",
    ),
    wrong=(
        Wrong({"a": 8}, "a: 8 is K, or the count of an A of 16 x 16. Here A is 16 x 8, and 32 threads share it.", 2),
        Wrong({"a": 2}, "a: that is B, 8 x 8 over 32 threads. A is 16 x 8.", 2),
        Wrong({"a": 128}, "a: that is all of A. 32 threads share it.", 2),
        Wrong({"a": 1}, "a: one tf32 fills a register, but a thread has several registers of A.", 2),
        Wrong({"b": 512}, "b: 64 * 256 over 32. But a warpgroup has 128 threads.", 2),
        Wrong({"b": 256}, "b: that is N. 64 * 256 values are shared by 128 threads.", 2),
        Wrong({"b": 8}, "b: C is (M,N), 64 x 256. K does not come into it.", 1),
        Wrong({"c": "K"}, "c: T means K-major for A. B's letters are the other way round: N is K-major.", 3),
        Wrong({"d": "int8_t"}, "d: that is B. The order is D, A, B, C.", 4),
        Wrong({"d": "int32_t"}, "d: that is D, and C. The order is D, A, B, C.", 4),
        Wrong({"e": "shared memory"}, "e: that is B. In RS the first letter is A's, and R says registers.", 4),
    ),
    because="a: 16 * 8 / 32. b: 64 * 256 / 128, half of all the registers that a thread can have. c: TT is A K-major, B N-major.",
)

# ------------------------------------------------------------------------------------------------ 09.2

M16N8K16, TF32 = atom("SM80_16x8x16_F32F16F16F32_TN"), atom("SM80_16x8x8_F32TF32TF32F32_TN")
F64, VOLTA = atom("SM80_8x8x4_F64F64F64F64_TN"), atom("SM70_8x8x4_F32F16F16F32_NT")
SOUGHT = {  # the TV layout, the rows of the operand, the cell, ThrID
    "a": (M16N8K16.c_layout, 16, (9, 3), M16N8K16.thr_id),
    "b": (F64.c_layout, 8, (6, 1), F64.thr_id),
    "c": (M16N8K16.a_layout, 16, (10, 13), M16N8K16.thr_id),
    "d": (TF32.b_layout, 8, (3, 6), TF32.thr_id),
    "e": (VOLTA.c_layout, 8, (5, 6), VOLTA.thr_id),
}


def holder(tv: Layout, rows: int, cell, thr_id) -> tuple[int, int]:
    """The (lane, value) that holds a cell."""
    at = tv.offsets().tolist().index(cell[0] + rows * cell[1])
    return thr_id(at % size(tv, 0)), at // size(tv, 0)


def _judge_holder(letter, answer) -> Fault | None:
    tv, rows, cell, thr_id = SOUGHT[letter]
    if not are_ints(answer, 2):
        return Fault(f"{says(answer)} is no pair. Write two numbers: (lane, value)")
    lane, value = answer
    if (lane, value) == holder(tv, rows, cell, thr_id):
        return None
    lanes = [thr_id(t) for t in range(size(tv, 0))]
    if lane not in lanes:
        return Fault(f"lane {says(lane)} takes no part: the lanes are {', '.join(map(str, lanes[:8]))}, ...")
    if not 0 <= value < size(tv, 1):
        return Fault(f"there is no value {says(value)}: each thread has {size(tv, 1)}, from 0")
    number = tv(lanes.index(lane), value)
    held = (number % rows, number // rows)
    return Fault(f"value {value} of lane {lane} has number {number}, the cell {text(held)}; {text(cell)} is wanted")


LANES = Exercise(
    id="09.2",
    title="Which lane holds it?",
    answer="a09_2",
    judge=lambda data: each_fault(data, _judge_holder, SOUGHT),
    hints=(
        "First the cell's number: row + column * rows, with the rows of the operand (M for A and C, N for B). Then find the "
        "digits of threads and values whose steps add up to it.",
        "In a the number is 9 + 3 * 16 = 57. The steps are 32 and 1 for the thread, 16 and 8 for the value: 57 = 1*32 + 1*1 + "
        "1*16 + 1*8.",
        "A digit tells its place: the thread (i,j) of (4,8) is i + 4 j, the value (i,j) of (2,2) is i + 2 j, and (i,j,l) of "
        "(2,2,2) is i + 2 j + 4 l.",
        "In c the number is 10 + 13 * 16 = 218 = 2*32 + 2*1 + 1*16 + 1*8 + 1*128. In d it is 3 + 6 * 8 = 51 = 2*8 + 3*1 + 1*32.",
        "In e the number is 5 + 6 * 8 = 53 = 1*1 + 1*16 + 1*4 + 0*8 + 0*2 + 1*32: the atom's thread 7, value 4. ThrID turns 7 "
        "into a lane: it is (3,1) in (4,2):(1,16).",
    ),
    wrong=(
        Wrong({"a": (5, 1)}, "a: that is (1,3). Row 9 is 8 rows further down: value 3.", 2),
        Wrong({"a": (5, 2)}, "a: that is (9,2). Column 3 is the right one of the two.", 2),
        Wrong({"a": (13, 1)}, "a: that is (3,3). The rows of the quads end at 7; row 9 is another value of lane 5.", 2),
        Wrong({"a": (3, 5)}, "a: lane first, then value.", 3),
        Wrong({"b": (3, 0)}, "b: that is (0,6). The row comes first: row 6, column 1.", 1),
        Wrong({"b": (25, 0)}, "b: that is (6,2). Each thread has two columns, so column 1 is lane 24's V1.", 1),
        Wrong(
            {"c": (10, 3)}, "c: that is (10,5). Column 13 is in the right half of A: the last digit of the value.", 4
        ),
        Wrong({"c": (10, 6)}, "c: that is (10,12). Column 13 is the right one of the two.", 4),
        Wrong({"d": (14, 0)}, "d: that is n = 3, k = 2. k = 6 is four further: value 1.", 4),
        Wrong({"d": (26, 0)}, "d: that is n = 6, k = 2. The cell is (n,k) = (3,6).", 4),
        Wrong({"e": (7, 4)}, "e: 7 is the atom's thread. Which lane is it, by ThrID?", 5),
        Wrong({"e": (23, 4)}, "e: 7 is (3,1) in (4,2), and 3 + 16 is 19. Lane 23 belongs to the next quadpair.", 5),
    ),
    because="a: T5V3. b: T24V1. c: T10V7. d: T14V1. e: T19V4, the atom's thread 7.",
)

# ------------------------------------------------------------------------------------------------ 09.3

M16N8 = M16N8K16.c_layout


def picture(tv: Layout, m: int, n: int) -> str:
    """Who holds each cell, as text."""
    who = {place: f"T{i % size(tv, 0)}V{i // size(tv, 0)}" for i, place in enumerate(tv.offsets().tolist())}
    return "\n".join(" ".join(f"{who[i + m * j]:5}" for j in range(n)).rstrip() for i in range(m))


WRITE_C = Exercise(
    id="09.3",
    title="CLayout of m16n8",
    answer="a09_3",
    judge=lambda data: layout_fault(data, values(M16N8), shape=(32, 4), name="your TV layout"),
    hints=(
        "The four steps: number the cells m + 16 n, follow the threads at V0, follow the values of T0, check.",
        "From T0 to T1 it is two columns to the right: 2 * 16. From T0 to T4 it is one row down: 1. That is (4,8):(32,1).",
        "From V0 to V1 it is one column to the right: 16. From V0 to V2 it is eight rows down: 8.",
        "Threads (4,8):(32,1), values (2,2):(16,8). Put them together as two modes.",
    ),
    wrong=(
        Wrong(
            "((4,8),(2,2)):((16,1),(8,64))",
            "you numbered the cells with 8 rows. C has 16 rows here: one column further is 16 numbers on.",
            1,
        ),
        Wrong("((4,8),(2,2)):((2,8),(1,64))", "you numbered along the rows. First coordinate fastest: m + 16 n.", 1),
        Wrong("((4,8),(2,2)):((32,1),(8,16))", "the threads are right. V1 is to the right of V0, V2 is below it.", 3),
        Wrong(
            "((8,4),(2,2)):((1,32),(16,8))",
            "all cells are met, by other threads. T1 stands to the right of T0, not below it: that is T4.",
            2,
        ),
        Wrong("((4,8),4):((32,1),16)", "two of T0's values stand side by side. V2 stands eight rows below V0.", 3),
        Wrong("((4,8),2):((32,1),16)", "the upper half is right. Who holds rows 8 to 15?", 3),
        Wrong("((4,8),(2,2)):((16,1),(64,8))", "a thread has two neighbouring columns, so T1 begins two further.", 2),
        Wrong("((4,16),2):((32,1),16)", "there are 32 threads, 4 by 8. Rows 8 to 15 are the same threads again.", 3),
        Wrong(
            "((4,8),2,2):((32,1),16,8)",
            "all steps are right. But a TV layout has two modes: put the two of the values in one.",
            4,
        ),
        Wrong(
            "(4,8,2,2):(32,1,16,8)",
            "all steps are right. But a TV layout has two modes: the threads in one, the values in the other.",
            4,
        ),
        Wrong("((2,2),(4,8)):((16,8),(32,1))", "all steps are right. Threads are mode 0, values mode 1.", 4),
    ),
    because="The C of every mma.sync with M = 16 since Turing, whatever its types and its K.",
)

# ------------------------------------------------------------------------------------------------ 09.4

ROWS_OF = {  # the TV layout, the rows and columns of the operand
    "a": (atom("SM70_8x8x4_F32F16F16F32_TN").a_layout, 8, 4),
    "b": (VOLTA.a_layout, 8, 4),
    "c": (atom("SM70_8x8x4_F16F16F16F16_NT").c_layout, 8, 8),
    "d": (VOLTA.c_layout, 8, 8),
    "e": (F64.a_layout, 8, 4),
    "f": (atom("SM90_64x8x16_F16F16F16_SS<K,K>").a_layout, 64, 16),
}


def owns_a_row(tv: Layout, rows: int, columns: int) -> bool:
    """Whether some thread holds a whole row."""
    return any(
        {(row, column) for column in range(columns)} <= {(x % rows, x // rows) for x in held}
        for held in ([tv(t, v) for v in range(size(tv, 1))] for t in range(size(tv, 0)))
        for row in range(rows)
    )


def _judge_row(letter, answer) -> Fault | None:
    if type(answer) is not bool:
        return Fault(f"{says(answer)} is neither True nor False")
    tv, rows, columns = ROWS_OF[letter]
    if answer == owns_a_row(tv, rows, columns):
        return None
    held = [(tv(0, v) % rows, tv(0, v) // rows) for v in range(min(size(tv, 1), 8))]
    return Fault(f"look again: thread 0 holds {', '.join(map(text, held))}{', ...' if size(tv, 1) > 8 else ''}")


ROWS = Exercise(
    id="09.4",
    title="A row in one thread",
    answer="a09_4",
    judge=lambda data: each_fault(data, _judge_row, ROWS_OF),
    hints=(
        "To go along a row is to add the number of rows: 8 in an operand of 8 rows. Is there a mode of the values that does just "
        "that, as often as there are columns?",
        "A thread must have at least as many values as there are columns. That alone decides e.",
        "In a the values are 4:8, in c 8:8: a step of one column, four and eight times. In b they are 4:1: a step of one row.",
        "In d a thread has 8 values, and a row has 8 cells. But one of the three modes of the values, 2:2, goes down.",
        "In f the threads have stride 0: every thread sees every cell.",
    ),
    wrong=(
        Wrong({"a": False}, "a: values 4:8. One step is one column, and there are four columns.", 3),
        Wrong({"b": True}, "b: values 4:1 go down a column.", 3),
        Wrong({"c": False}, "c: values 8:8. One step is one column, and there are eight.", 3),
        Wrong({"d": True}, "d: there are enough values, but they are in two rows.", 4),
        Wrong({"e": True}, "e: a thread has one value of A, and a row has four.", 2),
        Wrong({"f": False}, "f: the values are (64,16):(1,64), all of A, for every thread.", 5),
    ),
    because="If one thread has a whole row, it can add the row up by itself. Else the threads have to exchange: with the C of today's "
    "atoms, the four of a quad.",
)

# ------------------------------------------------------------------------------------------------ 09.6

CASE_A, CASE_DATA, CASE_THREAD = TF32.a_layout, Layout((16, 8), LayoutRight), 6
CASE_CELLS = [(n % 16, n // 16) for n in (CASE_A(CASE_THREAD, v) for v in range(4))]
CASE_ADDRESSES = [CASE_DATA(*c) for c in CASE_CELLS]


def _judge_cells(answer) -> Fault | None:
    pairs = (
        [tuple(x) if isinstance(x, (tuple, list)) else x for x in answer] if isinstance(answer, (list, tuple)) else None
    )
    if pairs is None or not all(isinstance(x, tuple) and len(x) == 2 and all(type(n) is int for n in x) for x in pairs):
        return Fault(f"{says(answer)} is no list of cells: [(m, k), ...]")
    return _judge_four(pairs, CASE_CELLS, "the cell", text)


def _judge_addresses(answer) -> Fault | None:
    if not isinstance(answer, (list, tuple)) or not all(type(x) is int for x in answer):
        return Fault(f"{says(answer)} is no list of numbers")
    return _judge_four(list(answer), CASE_ADDRESSES, "the address", str)


def _judge_four(yours, wanted, what, write) -> Fault | None:
    if len(yours) != len(wanted):
        return Fault(f"there are {len(wanted)} values, V0 to V3, and you have {len(yours)}")
    at = next((v for v in range(len(wanted)) if yours[v] != wanted[v]), None)
    return None if at is None else Fault(f"{write(yours[at])} is not {what} of V{at}")


LEARNERS_CASE = Exercise(
    id="09.6",
    title="0, 8, 64, 72",
    answer="a09_6",
    judge=lambda data: dict_fault(data, {"cells": _judge_cells, "addresses": _judge_addresses}),
    hints=(
        "Two maps, one after the other. ALayout gives the number of a cell, counted down the columns of 16. Where that cell lies is "
        "the data layout's to say.",
        "Thread 6 is (2,1) in (4,8): 2 * 16 + 1 = 33. The values add 0, 8, 64 and 72.",
        "So the numbers are 33, 41, 97, 105. Cell: number % 16 and number / 16. 33 is (1,2).",
        "The row-major A has 8 elements in a row: the cell (m,k) lies at 8 m + k. (1,2) lies at 10.",
    ),
    wrong=(
        Wrong(
            {"addresses": [33, 41, 97, 105]},
            "addresses: these are the numbers of the cells, and the mistake that was asked about. Go on: which cell, and where?",
            1,
        ),
        Wrong(
            {"addresses": [0, 8, 64, 72]}, "addresses: these are the numbers of thread 0's cells. Thread 6 is asked.", 2
        ),
        Wrong(
            {"cells": [(1, 2), (1, 6), (9, 2), (9, 6)]},
            "cells: all four are right, their order is not. V1 is 8 numbers on, V2 64.",
            2,
        ),
        Wrong(
            {"cells": [(4, 1), (5, 1), (12, 1), (13, 1)]},
            "cells: you took the numbers apart by 8, as if they went along rows. They go down the columns of 16.",
            3,
        ),
        Wrong({"cells": [(2, 1), (2, 9), (6, 1), (6, 9)]}, "cells: (m,k), with the remainder first.", 3),
        Wrong(
            {"cells": [(0, 0), (8, 0), (0, 4), (8, 4)]}, "cells: these are thread 0's. Where does thread 6 begin?", 2
        ),
        Wrong(
            {"addresses": [18, 146, 22, 150]},
            "addresses: 16 m + k? A has 16 rows of 8 elements, so a row further is 8 on.",
            4,
        ),
    ),
    because="Thread 0's numbers 0, 8, 64, 72 are the cells (0,0), (8,0), (0,4), (8,4), and lie at 0, 64, 4, 68. TN changes nothing in "
    "that: it says which form the fragments have.",
)

# ------------------------------------------------------------------------------------------------ 09.8

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
            number = tv(t, v)
            if not 0 <= number < 128:
                return Fault(f"T{t} V{v} has the number {says(number)}, and the cells are 0 to 127")
            if number in held:
                one = "T{} V{}".format(*held[number])
                return Fault(f"{one} and T{t} V{v} both hold {number}, the cell ({number % 16},{number // 16})")
            held[number] = t, v
    if [tv(t, v) for v in range(4) for t in range(32)] == values(M16N8):
        return Fault("that is the C of today's instructions. Invent another")
    return None


def _view_own(data):
    """The tile with its threads, and how many values a thread can store at once."""
    tv = read_layout(data)
    found = _judge_own(data)
    if isinstance(tv, Fault) or found:
        return f"09.8 · nothing to see yet: {found.sentence}"
    from ...draw import draw_tv

    said = [
        f"{name}: {side_by_side(tv, memory)} of a thread's values side by side"
        for name, memory in (("row-major", Layout(OWN_TILE, LayoutRight)), ("column-major", Layout(OWN_TILE)))
    ]
    return draw_tv(tv, OWN_TILE, title=f"C = {tv}", note=" · ".join(said), thread=5)


def side_by_side(tv: Layout, memory: Layout) -> int:
    """How many values of every thread lie in one run in memory, in their order: 1, 2 or 4.

    >>> side_by_side(M16N8, Layout((16, 8), LayoutRight)), side_by_side(M16N8, Layout((16, 8)))
    (2, 1)
    """
    m = OWN_TILE[0]
    runs = [[memory(tv(t, v) % m, tv(t, v) // m) for v in range(OWN[1])] for t in range(OWN[0])]
    return max(n for n in (1, 2, 4) if all(run[i] == run[i - i % n] + i % n for run in runs for i in range(OWN[1])))


OWN_INSTRUCTION = Exercise(
    id="09.8",
    title="An instruction of your own",
    answer="a09_8",
    judge=_judge_own,
    view=_view_own,
    hints=(
        "Two modes, (threads, values): 32 and 4. It gives numbers m + 16 n, from 0 to 127, each once.",
        "Think of the steps 1, 2, 4, 8 (down a column) and 16, 32, 64 (along a row). Each has to be used exactly once: five by the "
        "threads, two by the values.",
        "For four neighbours in a row the values need the steps 16 and 32: 4:16. The threads have 1, 2, 4, 8 and 64 left.",
        "16:1 holds 1, 2, 4, 8. So the threads are (16,2):(1,64), or (2,16):(64,1).",
    ),
    wrong=(
        Wrong(M16N8, "it is a good one, and the chip has it already. Change a step.", 2),
        Wrong("(32,4):(1,16)", "T16 V0 and T0 V1 both hold 16: the step 16 is used twice.", 2),
        Wrong("(4,32):(16,1)", "threads are mode 0, values mode 1.", 1),
        Wrong("128:1", "all cells, each once; but who has which? Make it two modes.", 1),
        Wrong(
            "((4,8),(2,2)):((2,8),(1,32))",
            "T16 V0 and T0 V2 both hold 32: the step 32 is used twice, and 64 never.",
            2,
        ),
    ),
    because="((2,16),4):((64,1),16) has four floats side by side in a row: one store of 16 bytes. For a column-major C that is "
    "(32,4):(4,1). Both at once cannot be: V1 is one cell further along the row, or one down. Today's C has two in a row. It was "
    "made for the multiplication; what the epilogue would like, it gets by way of shared memory.",
)

EXERCISES = (DECODE, LANES, WRITE_C, ROWS, MEND_CELLS, LEARNERS_CASE, TV_OF_TABLE, OWN_INSTRUCTION)
