"""Chapter 10: the exercises whose answer is a permutation. Any one that does what was asked is right."""

from ...atoms.mma import make_tiled_mma
from ...htuple import LayoutError, _
from ...layout import Layout, size
from ..compare import Fault, read_layout, says
from ..entries import each_fault
from ..exercises import Exercise, Wrong

AMPERE, VOLTA = "SM80_16x8x16_F32F16F16F32_TN", "SM70_8x8x4_F32F16F16F32_NT"


def cells_of(mma, thread: int) -> list[tuple[int, int]]:
    """The cells (m,n) of C that a thread holds, in the order of its values."""
    tv, m = mma.layoutC_TV, mma.tile_shape[0]
    return [(tv(thread, v) % m, tv(thread, v) // m) for v in range(size(tv, 1))]


def read_permutation(answer, extent: int, make):
    """The TiledMMA of `make(permutation)`; a Fault where the answer is no permutation of the extent."""
    if type(answer) is int:
        return Fault(f"{says(answer)} is a number: it says how large the tile is, and permutes nothing. Write a layout")
    p = read_layout(answer)
    if isinstance(p, Fault):
        return p
    if size(p) != extent:
        return Fault(f"{says(p)} has {says(size(p))} slots, and the tile has {extent}")
    try:
        return make(p)
    except LayoutError as refusal:
        return Fault(str(refusal).removeprefix("make_tiled_mma: "))


def in_one_piece(numbers) -> bool:
    """Whether these are neighbours, each once or more, and begin with a multiple of how many they are."""
    found = sorted(set(numbers))
    return found[-1] - found[0] == len(found) - 1 and found[0] % len(found) == 0


# ------------------------------------------------------------------------------------------------ 10.5


def with_columns(p):
    return make_tiled_mma(AMPERE, (1, 1, 1), (_, p, _))


def _judge_columns(data) -> Fault | None:
    mma = read_permutation(data, 32, with_columns)
    if isinstance(mma, Fault):
        return mma
    for lane in range(32):
        columns = [n for m, n in cells_of(mma, lane) if m == lane // 4]
        if not in_one_piece(columns):
            return Fault(f"in row {lane // 4} lane {lane} holds the columns {', '.join(map(str, columns))}")
    return None


COLUMNS = Exercise(
    id="10.5",
    title="Eight neighbouring columns",
    answer="a10_5",
    judge=_judge_columns,
    hints=(
        "Without a permutation lane 0 has the slots 0, 1, 8, 9, 16, 17, 24, 25 of row 0. To which columns should each of these "
        "go? And lane 1's slots, 2, 3, 10, 11, ...?",
        "Slots are counted as (2,4,4): the pair, which lane of four, which atom. So write a stride for each of these.",
        "Inside the pair: stays side by side. From lane to lane: 8 columns on.",
        "From atom to atom (slot 0 to slot 8): behind the pair that the lane has already.",
    ),
    wrong=(
        Wrong("(2,16):(1,8)", "32 slots, but slot 8 goes to column 32 and beyond. The gaps between the pairs have to be filled.", 4),
        Wrong("32:1", "every slot stays in its place: lane 0 has columns 0, 1, 8, 9, ...", 1),
        Wrong("(2,4,4):(1,2,8)", "this counts 0, 1, 2, ...: every slot stays in its place. Lanes should be 8 columns apart.", 3),
        Wrong("(8,4):(1,8)", "this counts 0, 1, 2, ...: an atom has 8 columns, and so the slots stay in their places. Lanes should be 8 columns apart.", 3),
        Wrong("(4,8):(8,1)", "this tears the pairs apart: slots 0 and 1, both lane 0's, go to columns 0 and 8.", 3),
        Wrong("(2,4,4):(1,4,8)", "columns collide: from lane to lane it is 8, for each has 8 columns of its own.", 3),
        Wrong("(2,4,4):(1,8,4)", "columns collide: a lane's next pair comes behind its first, 2 columns on.", 4),
        Wrong("(2,4,2):(1,8,2)", "that is a tile of 16, two atoms. Eight columns are four pairs, so four atoms.", 2),
    ),
    because="(2,4,4):(1,8,2). It is its own inverse, so here one cannot fall into the trap. (8,4):(4,1) gives each lane the same "
    "columns, but its registers then hold them as 0, 4, 1, 5, ...: a store of 16 bytes wants them in order.",
)  # fmt: skip

# ------------------------------------------------------------------------------------------------ 10.6


def with_rows(p):
    return make_tiled_mma(AMPERE, (4, 1, 1), (p, _, _))


def _judge_warps(data) -> Fault | None:
    mma = read_permutation(data, 128, with_rows)
    if isinstance(mma, Fault):
        return mma
    for warp in range(4):
        rows = sorted({m for lane in range(32) for m, _n in cells_of(mma, 32 * warp + lane)})
        if rows != list(range(32 * warp, 32 * warp + 32)):
            return Fault(f"warp {warp} has the rows {_runs(rows)}")
    return None


def _runs(numbers) -> str:
    """0 to 15, 64 to 79."""
    runs: list[list[int]] = []
    for n in numbers:
        if runs and n == runs[-1][1] + 1:
            runs[-1][1] = n
        else:
            runs.append([n, n])
    shown = [f"{a} to {b}" if b > a else str(a) for a, b in runs[:4]]
    return ", ".join(shown) + (", ..." if len(runs) > 4 else "")


WARP_ROWS = Exercise(
    id="10.6",
    title="Warp 0 owns rows 0 to 31",
    answer="a10_6",
    judge=_judge_warps,
    hints=(
        "Which slots has warp 0? An atom has 16, and four of them cover 64. Then it begins again: 0 to 15, and 64 to 79.",
        "Count the 128 slots as (16,4,2): row in the atom, warp, first or second time.",
        "Slot 16 is warp 1's first. Its rows begin with 32. And slot 64 is warp 0's again: to which row should it go?",
        "You want slot -> row. If warp 0 has the rows 0 to 15 and 32 to 47, you have written row -> slot.",
    ),
    wrong=(
        Wrong("(16,2,4):(1,64,16)", "this is the inverse: it says from which slot each row comes. Warp 0 has rows 0 to 15 and 32 to 47.", 4),
        Wrong("128:1", "every slot stays in its place: warp 0 has rows 0 to 15 and 64 to 79.", 1),
        Wrong("(32,4):(1,32)", "that counts 0, 1, 2, ...: every slot stays in its place.", 2),
        Wrong("(16,4,2):(1,16,64)", "that counts 0, 1, 2, ...: every slot stays in its place. How far apart should two warps be?", 3),
        Wrong("(16,4):(1,32)", "that is 64 slots, each atom once. The tile has 128.", 2),
        Wrong("(16,8):(1,32)", "slot 64 goes to row 128, out of the tile. It should fill the 16 rows that warp 0 has free.", 3),
        Wrong("(16,4,2):(1,16,32)", "rows collide: slot 32 and slot 64 both go to row 32. How far is it from warp to warp?", 3),
    ),
    because="(16,4,2):(1,32,16): in the atom, from warp to warp, from the first time to the second.",
)  # fmt: skip

# ------------------------------------------------------------------------------------------------ 10.8

FMA, ATOMS_8 = "UniversalFMA<float>", Layout((2, 2), (2, 1))


def _judge_side(name, answer) -> Fault | None:
    at = "MN".index(name)
    plain = Layout(8)
    mma = read_permutation(answer, 8, lambda p: make_tiled_mma(FMA, ATOMS_8, (p, plain) if at == 0 else (plain, p)))
    if isinstance(mma, Fault):
        return mma
    for thread in range(4):
        found = sorted({cell[at] for cell in cells_of(mma, thread)})
        if not in_one_piece(found):
            return Fault(f"thread {thread} has the {('rows', 'columns')[at]} {', '.join(map(str, found))}")
    return None


BLOCK = Exercise(
    id="10.8",
    title="A block of my own",
    answer="a10_8",
    judge=lambda data: each_fault(data, _judge_side, "MN"),
    hints=(
        "M and N are alike. Two threads stand along M, so the slots 0, 2, 4, 6 are one thread's, and 1, 3, 5, 7 the other's.",
        "Count the 8 slots as (2,4): which thread, which time. To which row should the second thread's first slot go?",
        "Slot 1 goes to row 4. Slot 2 is the first thread's again, and goes to row 1.",
        "Slot -> row, not row -> slot: if thread 0 has the rows 0, 2, 4, 6 still, look where slots 2, 4 and 6 go.",
    ),
    wrong=(
        Wrong({"M": "(4,2):(2,1)"}, "M: this is the inverse: it says from which slot each row comes. Where does it send slot 2?", 4),
        Wrong({"M": "8:1"}, "M: every slot stays in its place, as in the picture.", 1),
        Wrong({"M": "(4,2):(1,4)"}, "M: this counts 0, 1, 2, ...: every slot stays in its place.", 2),
        Wrong({"M": "(2,4):(1,2)"}, "M: this counts 0, 1, 2, ...: every slot stays in its place. Two threads should be 4 rows apart.", 3),
        Wrong({"M": "(2,4):(4,2)"}, "M: rows collide. The next slot of the same thread goes to the next row, 1 on.", 3),
        Wrong({"M": "(2,2):(4,1)"}, "M: that is 4 slots. The tile has 8: two threads, four times.", 2),
        Wrong({"M": "(2,4):(1,4)"}, "M: slot 2 goes to row 4, and slot 4 out of the tile. From thread to thread it is 4 rows.", 3),
        Wrong({"N": "(4,2):(2,1)"}, "N: this is the inverse, row -> slot. Where does it send slot 2?", 4),
        Wrong({"N": "8:1"}, "N: the columns are as before. N wants the same as M.", 1),
        Wrong({"N": "(4,2):(1,4)"}, "N: this counts 0, 1, 2, ...: every slot stays in its place.", 2),
    ),
    because="(2,4):(4,1) for both. The atom layout (2,1) says which block is whose: thread 1 is to the right of thread 0.",
)  # fmt: skip

# ------------------------------------------------------------------------------------------------ 10.10


def with_slots(p):
    return make_tiled_mma(VOLTA, Layout((2, 2), (2, 1)), (p, _, _))


def _judge_own(data) -> Fault | None:
    mma = read_permutation(data, 32, with_slots)
    return mma if isinstance(mma, Fault) else None


def _view_own(data):
    """The scatter, and in the note the rows of T0 and T8 in A."""
    mma = read_permutation(data, 32, with_slots)
    if isinstance(mma, Fault):
        return f"10.10 · nothing to see yet: {mma.sentence}"
    from ...draw import draw_mma, draw_permutation, stack

    return stack(draw_permutation(mma.permutation_mnk(0)), draw_mma(mma, thread=0))


OWN = Exercise(
    id="10.10",
    title="A permutation of your own",
    answer="a10_10",
    judge=_judge_own,
    view=_view_own,
    hints=(
        "Start from (4,4,2):(1,8,4) and exchange two strides that belong to equal extents. Or cut 32 in another way.",
        "In factors of two: the strides 1, 2, 4, 8, 16 have to be used, each once. An extent 4 of stride 1 uses 1 and 2.",
        "The largest number, the sum of (extent - 1) * stride over all modes, must be 31.",
        "The extents multiplied are 32.",
    ),
    wrong=(
        Wrong("(2,16):(1,8)", "slots leave the tile: (16 - 1) * 8 is far beyond 31.", 3),
        Wrong("(4,8):(1,8)", "the last four runs leave the tile: 7 * 8 + 3 is 59.", 3),
        Wrong("(4,2,4):(1,8,4)", "two slots go to row 8: twice 4 is 8, which the second mode uses.", 2),
        Wrong("16:1", "that is half a tile: 16 slots.", 4),
        Wrong("32:2", "every second row is nobody's, and slot 16 is out of the tile.", 2),
        Wrong("(4,4,2):(1,8,0)", "stride 0 sends both halves to the same rows.", 2),
    ),
    because="(2,2,2,2,2):(4,1,8,16,2) makes T0's rows of C neighbours: T0's slots 0, 2, 16, 18 differ in their second and fifth "
    "digit of two, and these get the strides 1 and 2.",
)  # fmt: skip
