"""Chapter 15, towards the roof: its exercises, what their checkers hold to be right, and what learners answer instead.

Counts stand here; what the learner writes as a function, in functions15.py.
"""

from ...tensor import make_identity_tensor
from ..compare import ints_fault
from ..entries import each_fault, list_slip, number_fault, slip
from ..exercises import Exercise
from .functions15 import BANDS, NOT_SURE
from .quiz15 import BY_WARPS, needs


def _judge(wanted: dict, what: dict):
    """A judge of a dict of numbers and lists of numbers."""

    def one(key, entry):
        if isinstance(wanted[key], list):
            return ints_fault(entry, wanted[key], index="entry")
        return number_fault(entry, wanted[key], what[key], ". Write one integer")

    return lambda data: each_fault(data, one, wanted)


# ------------------------------------------------------------------------------------------------ 15.1

PEAK, MEMORY = 40, 2000  # TFLOP/s and GB/s of a card that nobody sells
TILES = ((32, 32), (96, 32), (64, 64), (192, 64))


def intensity(bM, bN) -> float:
    return 2 * bM * bN / (4 * (bM + bN))


def _roofs() -> dict:
    ridge = 1000 * PEAK // MEMORY
    found = [int(intensity(*tile)) for tile in TILES]
    return {
        "ridge": ridge,
        "intensity": found,
        "at most": [min(PEAK, x * MEMORY // 1000) for x in found],
        "side": next(n for n in range(1, 999) if intensity(n, n) >= ridge),
    }


ROOFS = _roofs()
ROOFLINE = Exercise(
    id="15.1",
    title="Which roof?",
    answer="a15_1",
    judge=_judge(ROOFS, {"ridge": "where the two roofs meet", "side": "the shortest side"}),
    hints=(
        "The ridge: how many flop can be done while one byte comes? Mind the units: 1 TFLOP/s is 1000 Gflop/s.",
        "For one value of k a tile does bM * bN multiply-adds, two flop each, and wants bM + bN floats of 4 bytes.",
        "Left of the ridge: intensity * GB/s, in Gflop/s. Right of it: the peak. It is always the lower of the two.",
        "A square tile has n / 4 flop for each byte. When is that the ridge?",
    ),
    wrong=(
        slip("ridge", 50, "that is bytes for each kiloflop. The roofline has flop for each byte.", 1),
        slip("ridge", 0, "40 TFLOP/s are 40000 Gflop/s.", 1),
        list_slip("intensity", [4, 6, 8, 12], "a multiply-add counts as two flop.", 2),
        list_slip("intensity", [32, 48, 64, 96], "that is for each number. A float has 4 bytes.", 2),
        list_slip("intensity", [16, 24, 32, 48], "A and B both come: bM + bN numbers.", 2),
        list_slip("at most", [16, 24, 32, 48], "the last one stands above the arithmetic's roof.", 3),
        list_slip("at most", [40, 40, 40, 40], "three of them are left of the ridge, where the memory binds.", 3),
        list_slip("at most", [16000, 24000, 32000, 40000], "these are Gflop/s. Asked is TFLOP/s.", 3),
        slip("side", 160, "a multiply-add counts as two flop.", 4),
        slip("side", 64, "64 gives 16 flop for each byte, and the ridge is at 20.", 4),
        slip("side", 128, "that is enough, and a shorter side is, too: it need not be a power of two.", 4),
        slip("side", 20, "that is the ridge itself. A side of n gives n / 4 flop for each byte.", 4),
    ),
    because="The step along k is in none of it: it multiplies flop and bytes alike. What it buys is fewer barriers.",
)

# ------------------------------------------------------------------------------------------------ 15.2

REGISTERS, SHARED, RESERVED, UNIT = 65536, 228 * 1024, 1024, 8  # of a multiprocessor of compute capability 9.0
CTA, PIPE, THREADS, EACH = (128, 64, 32), 3, 256, 85


def _fits() -> dict:
    place = 4 * (CTA[0] + CTA[1]) * CTA[2]
    by_shared = SHARED // (PIPE * place + RESERVED)
    by_registers = REGISTERS // (-(-EACH // UNIT) * UNIT * THREADS)
    blocks = min(by_shared, by_registers, 2048 // THREADS)
    deepest = max(p for p in range(2, 99) if SHARED // (p * place + RESERVED) >= blocks)
    return {
        "bytes": PIPE * place,
        "by shared": by_shared,
        "by registers": by_registers,
        "blocks": blocks,
        "deepest": deepest,
    }


FITS = _fits()
HOW_MANY_FIT = Exercise(
    id="15.2",
    title="How many blocks fit?",
    answer="a15_2",
    judge=_judge(
        FITS,
        {
            "bytes": "what the ring takes",
            "by shared": "how many blocks shared memory allows",
            "by registers": "how many blocks the registers allow",
            "blocks": "how many blocks run at once",
            "deepest": "the deepest ring with as many blocks",
        },
    ),
    hints=(
        "One place of the ring holds a tile of A and one of B: (bM + bN) * bK floats of 4 bytes.",
        "Each block takes its ring and 1024 bytes more of 228 * 1024.",
        "Registers are handed out to a warp in one piece, 8 for each thread at a time: round 85 up to a multiple of 8 first.",
        "The scarcer of the two decides how many run. For the deepest ring, give as many blocks all of shared memory.",
    ),
    wrong=(
        slip("bytes", 18432, "these are numbers. A float has 4 bytes.", 1),
        slip("bytes", 72, "these are KB, of 1024 bytes each.", 1),
        slip("bytes", 24576, "that is one place, and the ring has three.", 1),
        slip("bytes", 49152, "that is A's ring. B has one of 64 rows.", 1),
        slip("by shared", 9, "that counts one place a block: each block has a whole ring.", 2),
        slip("by shared", 0, "a block may have 48 KB without asking. Here the launch asks, and may have 227 KB.", 2),
        slip("by registers", 3, "85 registers are handed out as 88. Does that fit three times?", 3),
        slip("by registers", 8, "that is by threads: 2048 // 256. How many registers has a block?", 3),
        slip("by registers", 771, "65536 // 85 is threads, not blocks.", 3),
        slip("blocks", 3, "so many would fit in shared memory. The registers are used up before.", 4),
        slip("deepest", 3, "one more place for each of two blocks still fits.", 4),
        slip("deepest", 5, "two such rings are 245760 bytes, and 233472 are there.", 4),
        slip("deepest", 9, "that is for one block on the multiprocessor. Two of them share it.", 4),
    ),
    because="A place more costs nothing until it drives a block away. Whether it helps is another question: the timeline says.",
)

# ------------------------------------------------------------------------------------------------ 15.3

DEPTH, TILES_ALONG_K = 4, 6


def first_unsure(n, empty=True, pipe=DEPTH, k_tiles=TILES_ALONG_K) -> int:
    """The first round of pipelined's loop in which tile k is not sure to be there after wait<n>; -1 where it always is.

    empty: whether a round that copies nothing closes a group all the same.
    """
    closed = sum(t < k_tiles or empty for t in range(pipe - 1))
    for k in range(k_tiles):
        if closed - n < k + 1:  # group k holds tile k
            return k
        closed += k + pipe - 1 < k_tiles or empty
    return -1


RING = {
    "groups": DEPTH - 1,
    "N": max(n for n in range(9) if first_unsure(n) < 0),
    "tile": 2 + DEPTH - 1,
    "place": (2 + DEPTH - 1) % DEPTH,
    "N + 1": first_unsure(DEPTH - 1),
    "no empty groups": first_unsure(DEPTH - 2, empty=False),
}
WAIT = Exercise(
    id="15.3",
    title="How many under way?",
    answer="a15_3",
    judge=_judge(
        RING,
        {
            "groups": "how many groups are closed by then",
            "N": "the largest N that is safe",
            "tile": "the tile that round 2 starts to copy",
            "place": "where it goes",
            "N + 1": "the first such round",
            "no empty groups": "the first such round",
        },
    ),
    hints=(
        "Before the loop all places but one are filled: one group each.",
        "wait<N> lets the N youngest groups be under way; all older ones are there. Group k holds tile k, and round k needs it.",
        "Round k starts the copies of tile k + 3, into the place that tile k - 1 has left: (k + 3) % 4.",
        "With one more under way, look at the very first round: three groups are closed, and none need be there.",
        "Without empty groups there are six in all. In round k at least 6 - N of them are there: when is that no longer k + 1?",
    ),
    wrong=(
        slip("groups", 4, "one place stays free: it is filled in round 0, after the wait.", 1),
        slip("groups", 1, "before the loop, tiles 0, 1 and 2 are started, each with a fence of its own.", 1),
        slip("N", 3, "then none of the three groups need be there before round 0.", 2),
        slip("N", 1, "safe, and one more may be under way.", 2),
        slip("N", 0, "safe, and it waits for everything: then a ring of 4 is no better than a ring of 2.", 2),
        slip("tile", 3, "that is what round 0 starts.", 3),
        slip("tile", 4, "that is what round 1 starts: three tiles ahead of the round.", 3),
        slip("place", 2, "tile 2 lies there, and is about to be multiplied.", 3),
        slip("place", 5, "the ring has four places: it goes round.", 3),
        slip("N + 1", 3, "that is N + 1 itself. Asked is the first round that goes wrong with it.", 4),
        slip("N + 1", 1, "already round 0 may find its tile missing.", 4),
        slip("N + 1", -1, "the copies of tile 0 are the oldest of three groups, and three may be under way.", 4),
        slip("no empty groups", 3, "in round 3 there are six groups, and wait<2> makes sure of four: tiles 0 to 3.", 5),
        slip("no empty groups", 5, "one round earlier: six groups, two may be under way, and tile 4 is the fifth.", 5),
        slip("no empty groups", -1, "the last two groups may be under way when their tiles are multiplied.", 5),
    ),
    because="wait counts groups, not tiles: so the loop closes one in every round, with copies in it or without.",
)

# ------------------------------------------------------------------------------------------------ 15.5

THREAD_TILES = ((4, 4), (8, 8), (8, 16))


def _counts() -> dict:
    sums = [m * n for m, n in THREAD_TILES]
    loads = [(m + n) // 4 for m, n in THREAD_TILES]
    return {
        "sums": sums,
        "loads": loads,
        "share": [100 * s // (s + r) for s, r in zip(sums, loads, strict=True)],
        "single": 100 * 64 // (64 + 16),
        "tile": [sums[1] * 16, loads[1] * 16],
    }


COUNTS = _counts()
LOOP = Exercise(
    id="15.5",
    title="FFMA and LDS",
    answer="a15_5",
    judge=_judge(COUNTS, {"single": "sgemm_1's share"}),
    hints=(
        "A thread with m rows and n columns has m * n sums, and for each value of k one product for each of them.",
        "Its m + n numbers come by 128-bit loads, four at once.",
        "Of all slots, the products have sums / (sums + loads). In percent, rounded down.",
        "sgemm_1 reads its 8 + 8 numbers one by one. A tile has 16 values of k, and each costs the same.",
    ),
    wrong=(
        list_slip("sums", [8, 16, 24], "each row meets each column: a product, not a sum.", 1),
        list_slip("sums", [16, 64, 64], "the last one has 8 rows and 16 columns.", 1),
        list_slip("loads", [8, 16, 24], "these are numbers. One load brings four.", 2),
        list_slip("loads", [1, 2, 2], "that is for the rows alone. And the columns?", 2),
        list_slip("loads", [4, 16, 32], "rows and columns are read once each, not once for each pair.", 2),
        list_slip("share", [89, 94, 96], "rounded down: 16 of 18 are 88.9.", 3),
        list_slip("share", [12, 6, 4], "that is the loads' share, of the products. What is left for the products?", 3),
        list_slip("share", [66, 80, 84], "that is with loads of one number each.", 3),
        slip("single", 94, "that is with 128-bit loads.", 4),
        list_slip("tile", [64, 4], "that is one value of k. The tile has 16.", 4),
        list_slip("tile", [64, 1024], "it is the other way round: FFMA first.", 4),
        list_slip("tile", [1024, 256], "four numbers come by one load.", 4),
    ),
    because="Larger tiles of a thread leave more slots to the products, and take registers: 128 sums and more leave room for one block.",
)

# ------------------------------------------------------------------------------------------------ 15.6

THREAD, CELL = 77, (70, 41)


def _whose() -> dict:
    tile = make_identity_tensor((128, 128))
    mine = list(BY_WARPS.get_slice(THREAD).partition_C(tile))
    owner = next(t for t in range(256) for c in BY_WARPS.get_slice(t).partition_C(tile) if c == CELL)
    return {
        "warp": THREAD // 32,
        "rows": sorted({m for m, _n in mine}),
        "columns": sorted({n for _m, n in mine}),
        "owner": owner,
        "numbers": needs(BY_WARPS),
    }


WHOSE = _whose()
_JUDGE_WHOSE = _judge(
    WHOSE,
    {
        "warp": "its warp",
        "owner": "the thread that computes that cell",
        "numbers": "how many numbers the warp needs for one value of k",
    },
)


def _any_order(data):
    """Rows and columns in ascending order, where they are integers."""
    if not isinstance(data, dict):
        return data
    lists = {k: v for k, v in data.items() if k in ("rows", "columns") and isinstance(v, (list, tuple))}
    return data | {k: sorted(v) for k, v in lists.items() if all(isinstance(x, int) for x in v)}


WARP_TILE = Exercise(
    id="15.6",
    title="Whose rows?",
    answer="a15_6",
    judge=lambda data: _JUDGE_WHOSE(_any_order(data)),
    hints=(
        "Read the thread layout backwards: 77 = 4 * a + 32 * b + 1 * c + 64 * d, with a < 8, b < 2, c < 4, d < 4.",
        "77 = 64 + 12 + 1: it stands at lane 3 and warp 0 along m, at lane 1 and warp 1 along n.",
        "Rows: the permutation takes (lane, warp, neighbour, again) to 4 * lane + 64 * warp + neighbour + 32 * again. "
        "Columns: 4 * lane + 32 * warp + neighbour + 16 * again.",
        "Back: 70 = 64 + 4 + 2, so warp 1 and lane 1 along m. 41 = 32 + 8 + 1, so warp 1 and lane 2 along n. The thread layout adds them up.",
        "The warp's lanes stand 8 by 4, each with 8 rows and 8 columns.",
    ),
    wrong=(
        slip("warp", 3, "warps are numbered from 0: thread 77 is in the third.", 1),
        slip("warp", 13, "that is its lane.", 1),
        list_slip("rows", [12, 13, 14, 15], "and the same again, 32 rows further on.", 3),
        list_slip(
            "rows", [*range(12, 20)], "four lie side by side. The other four are `again`: 32 rows further on.", 3
        ),
        list_slip(
            "rows", [12, 13, 14, 15, 76, 77, 78, 79], "64 is the step of the next warp along m. `again` is 32.", 3
        ),
        list_slip(
            "rows", [52, 53, 54, 55, 116, 117, 118, 119], "that is sgemm_2's way: its threads stand 16 by 16.", 2
        ),
        list_slip("columns", [4, 5, 6, 7, 20, 21, 22, 23], "64 of 77 is the step of the warps along n: warp 1.", 2),
        list_slip("columns", [36, 37, 38, 39], "and the same again, 16 columns further on.", 3),
        list_slip("columns", [*range(36, 44)], "four lie side by side. The other four are `again`: 16 columns on.", 3),
        slip("owner", 38, "that is warp 0 along n: column 41 is in the tile of warp 1.", 4),
        slip("owner", 70, "that is warp 0 along m: row 70 is in the tile of warp 1.", 4),
        slip("owner", 105, "the steps are exchanged: one lane along m is 4 threads on, one along n is 1.", 4),
        slip("numbers", 144, "that is sgemm_2's warp: 16 by 2 lanes.", 5),
        slip("numbers", 512, "lanes in one row ask for the same numbers of A.", 5),
        slip("numbers", 64, "these are the rows of A. And the columns of B?", 5),
        slip("numbers", 12, "these are lanes, 8 and 4. Each has 8 rows and 8 columns.", 5),
        slip("numbers", 16, "that is one thread.", 5),
    ),
    because="Eight by four lanes, four rows and columns side by side: one read brings 128 bytes of A to a warp, and 64 of B.",
)

EXERCISES = (ROOFLINE, HOW_MANY_FIT, WAIT, NOT_SURE, LOOP, WARP_TILE, BANDS)
