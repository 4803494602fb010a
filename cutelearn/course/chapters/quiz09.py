"""Lesson 09, thread-value layouts and MMA atoms: its predictions and its quiz."""

from ...atoms.gmma import N_ALL, accumulator
from ...atoms.library import atom
from ...layout import Layout
from ..compare import Fault
from ..questions import Question, Slip, a_coordinate, a_layout, an_integer, integers, one_of

# ------------------------------------------------------------------------------------------------ doubles

F64 = atom("SM80_8x8x4_F64F64F64F64_TN")
A, B, C = F64.a_layout, F64.b_layout, F64.c_layout


def cell(layout: Layout, rows: int, thread: int, value: int = 0) -> tuple[int, int]:
    number = layout(thread, value)
    return number % rows, number // rows


def cells(data):
    """Coordinates, in round or in square brackets."""
    return a_coordinate(tuple(data) if isinstance(data, list) else data)


def some_threads(data):
    """Integers whose order does not matter."""
    read = integers(data)
    return read if isinstance(read, Fault) else sorted(set(read))


WRITE_B = Question(
    id="09.p1",
    form=a_layout,
    answer=B,
    because="T0 to T3 go along k, 8 numbers each; T4 is one n on. It is A's layout, for (n,k) in place of (m,k).",
    slips=(
        Slip(
            "(4,8):(8,1)", "the threads are right. A TV layout has a second mode, the values: here one, which is 1:0."
        ),
        Slip(
            "((4,8),1):((1,4),0)",
            "you numbered the drawing's cells, k first; or T1 stands beside T0 for you. B is (N,K): n is the fast coordinate.",
        ),
        Slip(
            "((4,8),1):((1,8),0)",
            "from T0 to T1 it is one k on, 8 numbers; from T0 to T4 one n. You have them exchanged.",
        ),
    ),
    otherwise="B's cell (n,k) has the number n + 8 k, and k runs down in the picture. How far is it from T0 to T1, and to T4?",
)

WRITE_C = Question(
    id="09.p2",
    form=a_layout,
    answer=C,
    because="from T0 to T1 it is two columns of 8, to T4 one row, from V0 to V1 one column.",
    slips=(
        Slip("((4,8),2):((2,8),1)", "you numbered the cells along the rows. First coordinate fastest: m + 8 n."),
        Slip(
            "((4,8),2):((8,1),32)",
            "the threads go on by two columns, for each has two side by side. Where is T0's V1?",
        ),
        Slip("((4,8),2):((16,1),1)", "V1 is to the right of V0. One column on, that is 8 numbers."),
        Slip("((8,4),2):((1,16),8)", "all cells are met, by other threads. T1 stands to the right of T0, not below."),
        Slip("((4,8),2):((8,1),8)", "T1 V0 would be T0 V1's cell. Each thread has two columns."),
        Slip("(2,(4,8)):(8,(16,1))", "all steps are right. Threads are mode 0, values mode 1."),
        Slip(
            "(4,8,2):(16,1,8)",
            "all steps are right. Two modes, please: the threads in parentheses of their own, then the values.",
        ),
    ),
    otherwise="C's cell (m,n) has the number m + 8 n. How far is it from T0 to T1, from T0 to T4, from V0 to V1?",
)

READ_A = Question(
    id="09.p3",
    form=a_coordinate,
    answer=cell(A, 8, 23),
    because="23 is (3,5) in (4,8): 3 * 8 + 5 = 29, and 29 is 5 + 3 * 8.",
    slips=(
        Slip((3, 5), "29 % 8 is 5, and the remainder is m, the row: first coordinate first."),
        Slip((1, 7), "A's columns have 8 cells: divide by 8, not by 4."),
        Slip((7, 1), "29 / 4 is 7; but A has 8 rows, and the rule divides by those."),
        Slip((7, 2), "that is 23 itself taken apart. First the layout: A(23,0) is 29."),
    ),
    otherwise="A(23,0): 23 is the coordinate (3,5) of (4,8), so the number is 3 * 8 + 5. Then % 8 and / 8.",
)

READ_B = Question(
    id="09.p4",
    form=a_coordinate,
    answer=cell(B, 8, 18),
    because="18 is (2,4) in (4,8): 2 * 8 + 4 = 20, and 20 is 4 + 2 * 8.",
    slips=(
        Slip((2, 4), "that is (row, column) of the drawing, k first. The cell is (n,k)."),
        Slip((0, 5), "B's first extent is N = 8, not 4."),
        Slip((2, 2), "that is 18 itself taken apart. First the layout: B(18,0) is 20."),
    ),
    otherwise="B(18,0): 18 is (2,4) in (4,8), so the number is 2 * 8 + 4. B is (N,K): % 8 is n, / 8 is k.",
)

HELD = Question(
    id="09.p5",
    form=cells,
    answer=tuple(cell(C, 8, 5, v) for v in (0, 1)),
    because="17 is 1 + 2 * 8, and 25 is 1 + 3 * 8: row 1, columns 2 and 3.",
    slips=(
        Slip(
            ((2, 1), (3, 1)),
            "that is the mistake: / gives the row only if numbers go along rows. Here 17 % 8 is the row.",
        ),
        Slip(((1, 2), (2, 2)), "25 is 1 + 3 * 8: the same row, the next column."),
        Slip(((2, 1), (1, 3)), "the second is right. For 17 the remainder is 1, and that is the row."),
    ),
    otherwise="The rule: 17 % 8 and 17 / 8, 25 % 8 and 25 / 8. Or look in the picture where T5 stands.",
)

LIT = Question(
    id="09.p6",
    form=some_threads,
    answer=sorted({t for t in range(32) for v in (0, 1) if cell(C, 8, t, v)[0] == cell(A, 8, 5)[0]}),
    because="thread 5 holds A(1,1). A 1 in row 1 of A reaches row 1 of D, and that is T4 to T7.",
    slips=(
        Slip([5], "thread 5 gives the 1, and the whole row of D sees it: D(1,n) is the sum of A(1,k) B(n,k) over k."),
        Slip(list(range(0, 32, 4)), "so it would be if / gave C's row. Thread 5 holds A(1,1): who holds row 1 of C?"),
        Slip(list(range(1, 32, 4)), "these hold A's column 1 with thread 5. A row of A makes a row of D."),
        Slip(list(range(32)), "B is 1 everywhere, but A is 0 in all rows but one."),
        Slip([4, 5, 6, 7, 12, 13, 14, 15], "only one row of A is not 0, so only one row of D."),
    ),
    otherwise="Which cell of A does thread 5 hold? D(m,n) is the sum of A(m,k) B(n,k) over k: which row of D sees that cell? Who holds it?",
)

ADDRESS = Question(
    id="09.p7",
    form=an_integer,
    answer=Layout((8, 4), (4, 1))(*cell(A, 8, 23)),
    because="29 is the cell (5,3), and in a row-major A that lies at 5 * 4 + 3.",
    slips=(
        Slip(
            29,
            "29 is the number of the cell, counted down the columns. In which cell is that, and where does it lie here?",
        ),
        Slip(43, "that is 5 * 8 + 3. A row of A has 4 elements."),
        Slip(17, "that is 3 * 4 + 5, of the cell (3,5). T23 has (5,3)."),
    ),
    otherwise="Two maps: thread 23 has the cell (5,3); the data layout (8,4):(4,1) says where that lies.",
)

# ------------------------------------------------------------------------------------------------ Volta

VOLTA = atom("SM70_8x8x4_F32F16F16F32_NT")
QUADPAIR = VOLTA.thr_id

EACH = Question(
    id="09.p8",
    form=an_integer,
    answer=8,
    because="C has 64 values, and 8 threads hold them: float[8] in the Operation.",
    slips=(
        Slip(2, "64 over 32 would be 2. But this atom has 8 threads: ThrID says so."),
        Slip(4, "that is how many values of A each thread has: 8 * 4 over 8."),
        Slip(64, "that is all of C. 8 threads share it."),
    ),
    otherwise="C is 8 x 8, and the atom has 8 threads.",
)

LANE = Question(
    id="09.p9",
    form=an_integer,
    answer=QUADPAIR(5),
    because="5 is (1,1) in (4,2), and 1 * 1 + 1 * 16 is 17.",
    slips=(
        Slip(5, "lane 5 belongs to the next quadpair. 5 is the coordinate (1,1) of (4,2)."),
        Slip(16, "that is thread 4. 5 is the coordinate (1,1) of (4,2)."),
        Slip(20, "lane 20 is thread 4 of the next quadpair. 5 is (1,1) of (4,2): one lane and one group on."),
        Slip(80, "5 * 16: only the second digit steps by 16."),
    ),
    otherwise="Which coordinate of (4,2) is 5? The strides are 1 and 16.",
)

THREADS = Question(
    id="09.p10",
    form=a_layout,
    any_modes=True,
    answer=VOLTA.c_layout[0],
    because="T1 is one row down, T2 two columns on, T4 four rows down: 1, 16, 4.",
    slips=(
        Slip("(2,2,2):(1,4,16)", "the steps are right, their order is not: T2 is to the right, T4 further down."),
        Slip(
            "(2,2,2):(1,2,4)", "T2 does not stand below T1. Two columns to the right of T0: how many numbers is that?"
        ),
        Slip("(2,2,2):(1,16,32)", "T4 stands four rows below T0, in the same column."),
        Slip("(2,2,2):(8,2,32)", "you numbered along the rows: the step down is 1, the step to the right is 8."),
        Slip("(2,2,2):(1,8,4)", "between T0 and T2 lie two columns, for V0 and V1 are side by side."),
    ),
    otherwise="Where do T1, T2 and T4 stand, seen from T0? One row is 1, one column is 8.",
)

VALUES = Question(
    id="09.p11",
    form=a_layout,
    any_modes=True,
    answer=VOLTA.c_layout[1],
    because="V1 is one column on, V2 two rows down, V4 four columns on: 8, 2, 32.",
    slips=(
        Slip("(2,2,2):(2,8,32)", "V1 is to the right of V0, and V2 below: 8 first, then 2."),
        Slip("(2,2,2):(8,1,32)", "between V0 and V2 lies a row of T1: two rows down."),
        Slip("(2,2,2):(8,2,16)", "V4 is four columns on: 4 * 8."),
        Slip("(2,2,2):(1,16,4)", "that is the mode of the threads again, or cells numbered along the rows."),
        Slip("(2,2,2):(8,16,32)", "V2 is not in the columns further on: it stands two rows below V0."),
    ),
    otherwise="Where do V1, V2 and V4 of thread 0 stand, seen from V0? One row is 1, one column is 8.",
)

# ------------------------------------------------------------------------------------------------ Hopper

WIDE = Question(
    id="09.p12",
    form=a_layout,
    answer=accumulator(128),
    because="128 / 8 = 16 columns of core matrices, 512 numbers apart.",
    slips=(
        Slip(
            "(4,8,4,2,2,16):(128,1,16,64,8,512)",
            "all steps are right. Two modes, please: the threads (4,8,4), then the values (2,2,16).",
        ),
        Slip("((4,8,4),(2,2)):((128,1,16),(64,8))", "that is 64 x 8. N = 128 has 16 of these, side by side."),
        Slip("((4,8,4),(2,2,128)):((128,1,16),(64,8,512))", "the last mode counts groups of 8 columns: 128 / 8."),
        Slip("((4,8,4),(2,2,16)):((128,1,16),(64,8,64))", "8 columns of 64 rows are 512 numbers, not 64."),
        Slip("((4,8,4),(2,2,16)):((128,1,16),(64,8,8))", "one step of the last mode is 8 columns: 8 * 64 numbers."),
        Slip("((4,8,4),(2,2,8)):((128,1,16),(64,8,512))", "128 / 8 is 16, not 8."),
    ),
    otherwise="The threads are (4,8,4):(128,1,16). The values: 2:64, then 2:8, and then N / 8 times 512.",
)

SIZES = Question(
    id="09.p13",
    form=an_integer,
    answer=len(N_ALL),
    because="every multiple of 8 from 8 to 256.",
    slips=(
        Slip(5, "16, 32, 64, 128, 256 are often named. But N / 8 may be any number up to 32."),
        Slip(6, "powers of two alone? N / 8 may be any number up to 32."),
        Slip(16, "multiples of 16 would be 16. The step is 8."),
        Slip(256, "N is not any number: it counts groups of 8 columns."),
    ),
    otherwise="N is a multiple of 8, and the largest is 256.",
)

# ------------------------------------------------------------------------------------------------ quiz

CELL = Question(
    id="09.q1",
    form=one_of("a", "b", "c"),
    answer="a",
    because="6 is (2,1): 2 * 32 + 1, and value 2 adds 8: 73 = 9 + 4 * 16.",
    slips=(
        Slip("b", "73 % 16 is 9 and 73 / 16 is 4. M is 16 here, so divide by 16."),
        Slip("c", "that is value 1: 64 + 1 + 16. Value 2 is (0,1) in (2,2), stride 8."),
    ),
)

PADDED = Question(
    id="09.q2",
    form=one_of("a", "b", "c"),
    answer="c",
    because="the atom names cells; the data layout says where they lie.",
    slips=(
        Slip("a", "ALayout gives numbers of cells, in a compact tile of M x K. It never hears of memory."),
        Slip("b", "the letters say which form the fragments have, in registers."),
    ),
)

CHECKED = Question(
    id="09.q3",
    form=one_of("a", "b", "c"),
    answer="b",
    because="some cells are met twice, and some by nobody.",
    slips=(
        Slip("a", "the threads are right: ((4,8)):((16,1))."),
        Slip("c", "the numbers m + 8 n are right. V1 was placed two columns on instead of one."),
    ),
)

QUESTIONS = (
    WRITE_B,
    WRITE_C,
    READ_A,
    READ_B,
    HELD,
    LIT,
    ADDRESS,
    EACH,
    LANE,
    THREADS,
    VALUES,
    WIDE,
    SIZES,
    CELL,
    PADDED,
    CHECKED,
)
