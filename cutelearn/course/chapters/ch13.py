"""Chapter 13, swizzle and banks: its exercises, what their checkers hold to be right, and what learners answer instead.

Counts, choices and the reading of sgemm_sm80.cu stand here; what the learner writes as a function, in functions13.py.
"""

from ...atoms.analysis import bank_conflicts
from ...htuple import LayoutError
from ...layout import Layout, cosize
from ...swizzle import ComposedLayout, Swizzle, composition
from ...tiling import tile_to_shape
from ..compare import Fault, ints_fault, says
from ..entries import each_fault, number_fault, slip
from ..exercises import Exercise, Wrong, simple
from .functions13 import COUNT_WAVEFRONTS, WRITE_SWIZZLE

# ------------------------------------------------------------------------------------------------ 13.1

# an access: lane -> offset, the element's bits, elements a lane
ACCESSES = {
    "a": ("32:5", 32, 1),
    "b": ("32:12", 32, 1),
    "c": ("(8,4):(1,32)", 32, 1),
    "d": ("(4,8):(0,4)", 32, 1),
    "e": ("32:1", 16, 1),
    "f": ("32:64", 16, 1),
    "g": ("32:1", 64, 1),
    "h": ("32:20", 32, 4),
}
COUNTS = {
    key: bank_conflicts(Layout.parse(access), bits, vector).wavefronts
    for key, (access, bits, vector) in ACCESSES.items()
}

BY_HAND = Exercise(
    id="13.1",
    title="Who waits?",
    answer="a13_1",
    judge=lambda data: each_fault(
        data, lambda k, entry: number_fault(entry, COUNTS[k], "how many wavefronts it takes"), COUNTS
    ),
    hints=(
        "Write the word that each lane wants: offset times bytes, over 4. Its bank is the remainder by 32.",
        "Stride d in floats: the banks come back after 32 / gcd(d, 32) lanes. So gcd(d, 32) words meet.",
        "Lanes that want one word share it. Two halves lie in one word.",
        "8 bytes a lane go by half warps, 16 bytes by quarter warps. Count one part by itself: then add the parts.",
    ),
    wrong=(
        Wrong({"a": 5}, "a: 5 and 32 have no divisor in common, so 32 lanes come to 32 banks.", 2),
        Wrong({"a": 32}, "a: they are in one bank only if they are a multiple of 32 apart.", 2),
        Wrong({"b": 1}, "b: 12 and 32 have a divisor in common. Which lane is the first to come back to bank 0?", 2),
        Wrong({"b": 12}, "b: what counts is the divisor that 12 and 32 have in common.", 2),
        Wrong({"b": 8}, "b: the banks come back after 8 lanes. How often does that happen with 32 lanes?", 2),
        Wrong({"c": 1}, "c: lanes 0, 8, 16 and 24 want the words 0, 32, 64 and 96.", 1),
        Wrong({"c": 8}, "c: 8 banks are at work. How many words does each of them give?", 1),
        Wrong({"c": 32}, "c: 8 lanes at a time stand side by side.", 1),
        Wrong({"d": 4}, "d: four lanes want the same word, and share it.", 3),
        Wrong({"e": 2}, "e: two lanes want one half each of the same word. They share it.", 3),
        Wrong({"f": 1}, "f: the stride is in halves: 64 of them are 128 bytes, 32 words.", 1),
        Wrong({"f": 64}, "f: halves. 64 of them are 128 bytes, and a warp has 32 lanes.", 1),
        Wrong({"f": 16}, "f: two halves share a word only if they lie in it. These are 128 bytes apart.", 3),
        Wrong({"g": 4}, "g: quarters are for 16 bytes a lane. With 8 bytes a half of the warp is served together.", 4),
        Wrong({"g": 1}, "g: 32 lanes of 8 bytes want 256 bytes, and all banks give 128.", 4),
        Wrong({"h": 1}, "h: 32 lanes of 16 bytes want 512 bytes, and all banks give 128.", 4),
        Wrong({"h": 16}, "h: take lanes 0 to 7 alone, and their four words each.", 4),
        Wrong({"h": 8}, "h: in a quarter the pieces begin in the banks 0, 20, 8, 28, 16, 4, 24, 12: none meet.", 4),
    ),
    because="Different words of the busiest bank, in each part of the warp: 20 is 5 units of 4 words, and 5 is odd.",
)  # fmt: skip

# ------------------------------------------------------------------------------------------------ 13.2

ROWS, COLUMNS = 32, 64


def column(pad: int) -> int:
    """The wavefronts to read a column of the padded tile, a float a lane."""
    return bank_conflicts(Layout(ROWS, COLUMNS + pad), "float").wavefronts


PADS = {f"p{pad}": column(pad) for pad in (0, 1, 2, 4)}
WIDE = [pad for pad in (1, 2, 4, 8) if (COLUMNS + pad) % 4 == 0]
BYTES = 4 * ROWS * (COLUMNS + 4)


def _in_order(entry):
    """A list or tuple of integers in rising order; anything else as it is."""
    whole = isinstance(entry, (list, tuple)) and all(type(n) is int for n in entry)
    return sorted(entry) if whole else entry


def _judge_padding(key, entry) -> Fault | None:
    if key == "wide":
        return ints_fault(_in_order(entry), WIDE, index="entry")
    if key == "bytes":
        return number_fault(entry, BYTES, "how many bytes 32 rows of 68 floats have")
    return number_fault(entry, PADS[key], "how many wavefronts the column takes")


def _wide_slip(numbers, shows, hint) -> Wrong:
    return slip("wide", numbers, shows, hint, _in_order)


PADDING = Exercise(
    id="13.2",
    title="What padding costs",
    answer="a13_2",
    judge=lambda data: each_fault(data, _judge_padding, (*PADS, "wide", "bytes")),
    hints=(
        "Lane i reads the word (64 + p) * i. How many of the 32 lanes come to bank 0?",
        "It is gcd(64 + p, 32) again: 64, 65, 66 and 68.",
        "A store of 16 bytes must begin at a multiple of 4 floats, in every row. Row 1 begins at 64 + p.",
        "32 rows, each of 64 + 4 floats, and a float has 4 bytes.",
    ),
    wrong=(
        Wrong({"p0": 2}, "p0: 64 is twice 32, so all 32 rows begin in bank 0.", 1),
        Wrong({"p0": 64}, "p0: a warp has 32 lanes, and each wants one word.", 1),
        Wrong({"p1": 32}, "p1: 65 is no multiple of 32: rows 0 and 1 begin in the banks 0 and 1.", 1),
        Wrong({"p1": 2}, "p1: rows of 65 begin in the banks 0, 1, 2, and so on.", 1),
        Wrong({"p2": 16}, "p2: 16 is how many banks the column has. How many words does each of them give?", 2),
        Wrong({"p2": 1}, "p2: rows of 66 begin in every second bank: after 16 rows they are back at 0.", 2),
        Wrong({"p4": 1}, "p4: rows of 68 begin in every fourth bank: after 8 rows they are back at 0.", 2),
        Wrong({"p4": 8}, "p4: the banks come back after 8 rows. How often, in 32 rows?", 2),
        _wide_slip([1, 2, 4, 8], "with p = 1 row 1 begins at float 65.", 3),
        _wide_slip([2, 4, 8], "with p = 2 row 1 begins at float 66, which is not a multiple of 4.", 3),
        _wide_slip([4], "there is one more multiple of 4.", 3),
        _wide_slip([8], "4 floats are 16 bytes: one more will do.", 3),
        Wrong({"bytes": 2176}, "bytes: that is how many floats there are.", 4),
        Wrong({"bytes": 4352}, "bytes: a float has four bytes, not two.", 4),
        Wrong({"bytes": 8192}, "bytes: that is the tile without padding.", 4),
    ),
    because="With 1 the column is free and wide stores are gone; with 4 wide stores stay and four rows meet. A swizzle must choose too: "
    "units of one float free the column, units of four keep wide stores.",
)  # fmt: skip

# ------------------------------------------------------------------------------------------------ 13.4

SMALL = Swizzle(2, 0, 2)
PLACES = [SMALL(x) for x in range(16)]

SIXTEEN = Exercise(
    id="13.4",
    title="Sixteen places",
    answer="a13_4",
    judge=lambda data: ints_fault(data, PLACES, index="x"),
    hints=(
        "M = 0: a unit is one element. S = 2: a row has four. Write x as row and unit: x = 4 * row + unit.",
        "The unit goes to place unit XOR row of its row. Row 0 stays as it is; row 1 swaps neighbours.",
        "Row 2 swaps its halves: 2, 3, 0, 1. Row 3 does both: 3, 2, 1, 0. Add 4 * row.",
    ),
    wrong=(
        Wrong(list(range(16)), "nothing moves here. Row 1, 2 and 3 have bits in Y.", 1),
        Wrong(
            [4 * r + (c + r) % 4 for r in range(4) for c in range(4)],
            "you turn each row on by its number. A swizzle takes XOR, not a sum.",
            2,
        ),
        Wrong(
            [c ^ r for r in range(4) for c in range(4)],
            "that is the place inside of the row. The row's own beginning is missing: 4 * row.",
            3,
        ),
        Wrong(
            [Swizzle(2, 0, -2)(x) for x in range(16)],
            "you changed the row by the unit. Y, the bits 2 and 3, is read; the bits 0 and 1 are written.",
            1,
        ),
        Wrong(
            [Swizzle(1, 0, 2)(x) for x in range(16)],
            "rows 0 and 2 look alike in yours: B = 2 takes both bits of the row's number.",
            2,
        ),
        Wrong(
            [4 * r + (3 - c if r % 2 else c) for r in range(4) for c in range(4)],
            "every second row turned round: that is no XOR with the row's number.",
            2,
        ),
    ),
    because="x ^ (x >> 2 & 3). In each column of four, every place of a row comes once: it is a Latin square.",
)  # fmt: skip

# ------------------------------------------------------------------------------------------------ 13.6

SW = Swizzle(3, 3, 3)
SUMS = {"a": (64, 8), "b": (64, 4), "c": (70, 4), "d": (0, 8), "e": (8, 64), "f": (200, 512), "g": (9, 1024)}
MAY = {key: "yes" if SW(x + y) == SW(x) + y else "no" for key, (x, y) in SUMS.items()}


def _judge_may(key, entry) -> Fault | None:
    x, y = SUMS[key]
    if not isinstance(entry, str) or simple(entry) not in ("yes", "no"):
        return Fault(f'{says(entry)} is neither "yes" nor "no"')
    if simple(entry) == MAY[key]:
        return None
    return Fault(f"Sw({x}) + {y} is {SW(x) + y}, and Sw({x} + {y}) is {SW(x + y)}")


MAY_I_ADD = Exercise(
    id="13.6",
    title="May I add?",
    answer="a13_6",
    judge=lambda data: each_fault(data, _judge_may, SUMS),
    hints=(
        "Work out both sides. Write x and x + y in groups of three bits: Y is the third group from the right, Z the second.",
        "Inside of a unit of 8 nothing is moved: adding is right as long as x + y is in the same unit.",
        "Another unit of the same row: the place is unit XOR row. In row 0 that is the unit itself.",
        "What is a multiple of 512 changes no bit of Y and Z.",
    ),
    wrong=(
        Wrong({"a": "yes"}, "a: row 1 swaps its units 0 and 1. Sw(64) is 72, and Sw(72) is 64.", 3),
        Wrong({"b": "no"}, "b: 64 and 68 are in one unit, and units stay whole.", 2),
        Wrong({"c": "yes"}, "c: 70 + 4 is 74: that is in the next unit.", 2),
        Wrong({"d": "no"}, "d: in row 0 every unit is at its own place. That is why such a test passes.", 3),
        Wrong({"e": "yes"}, "e: 72 is in row 1. Its units 0 and 1 change places.", 3),
        Wrong({"f": "no"}, "f: 512 is above all bits of Y: the next eight rows have the same order.", 4),
        Wrong({"g": "no"}, "g: 1024 is twice 512.", 4),
    ),
    because="A test with row 0 passes, and so does one inside of a unit. Add before you swizzle, or use XOR.",
)

# ------------------------------------------------------------------------------------------------ 13.7

# a tile, its element's bits, elements a lane
TILES = {
    "halves": (Layout((128, 32), (32, 1)), 16, 8),
    "floats": (Layout((32, 32), (32, 1)), 32, 1),
    "bytes": (Layout((128, 128), (128, 1)), 8, 16),
}


def read_swizzle(answer) -> Swizzle | Fault:
    """The swizzle that an answer is or writes: a Swizzle, (B, M, S), or its text."""
    if isinstance(answer, str) and len(answer) < 200:
        try:
            answer = ComposedLayout.parse(answer)
        except LayoutError as error:
            return Fault(str(error))
    if isinstance(answer, (tuple, list)) and len(answer) == 3 and all(type(n) is int for n in answer):
        if not all(abs(n) <= 20 for n in answer):
            return Fault(f"{says(tuple(answer))}: shared memory has no such bits")
        try:
            answer = Swizzle(*answer)
        except LayoutError as error:
            return Fault(str(error))
    if not isinstance(answer, Swizzle):
        return Fault(f"{says(answer)} is not a swizzle. Write Swizzle(B, M, S) or its text, 'Sw<B,M,S>'")
    if max(answer.bits, answer.base, abs(answer.shift)) > 20:
        return Fault(f"{says(answer)}: shared memory has no such bits")
    return answer


def judge_swizzle(key, entry) -> Fault | None:
    """Whether a swizzle serves the columns of units, and the rows, with the fewest wavefronts; units stay whole."""
    sw = read_swizzle(entry)
    if isinstance(sw, Fault):
        return sw
    tile, bits, vector = TILES[key]
    rows, columns = tile.shape
    at = composition(sw, tile).offsets().reshape(rows, columns, order="F")
    if int(at.max()) >= cosize(tile):
        return Fault(f"{says(sw)} leads out of the tile: it reaches the offset {int(at.max())}")
    first = at[:, ::vector]
    if (first % vector).any() or any((at[:, v::vector] != first + v).any() for v in range(vector)):
        return Fault(f"{says(sw)} tears {vector} elements apart that one lane moves at once")
    lanes = 32 // max(1, bits * vector // 32)
    for what, lines in (("column", first.reshape(-1, lanes, first.shape[1])), ("row", first.reshape(1, -1, lanes))):
        accesses = lines.transpose(0, 2, 1).reshape(-1, lanes) if what == "column" else lines[0]
        worst = max(bank_conflicts(access, bits, vector).wavefronts for access in accesses.tolist())
        if worst > 1:
            return Fault(f"with {says(sw)} {lanes} lanes on a {what} take {worst} wavefronts, and 1 is enough")
    return None


def _choice(key, swizzle, shows, hint) -> Wrong:
    return slip(key, Swizzle(*swizzle), shows, hint, read_swizzle)


CHOOSE = Exercise(
    id="13.7",
    title="Choose three swizzles",
    answer="a13_7",
    judge=lambda data: each_fault(data, judge_swizzle, TILES),
    hints=(
        "M: how many elements does one lane move at once? They must stay together: 2^M of them.",
        "All banks together are 128 bytes: S is 3 if that is 8 units, and 5 if it is 32.",
        "B: how many units has a row? 2^B of them, up to eight pieces of 16 bytes.",
        "halves: 8 elements a unit, and a row of 32 has four. floats: a unit is one float, and a row has 32. bytes: 16 a unit, 8 in a row.",
    ),
    wrong=(
        _choice("halves", (2, 3, 2), "S = 2 reads the lowest bits of the row. But two rows lie side by side in the banks.", 2),
        _choice("halves", (1, 3, 3), "only two of four units change places: two rows still meet.", 3),
        _choice("halves", (2, 4, 3), "M = 4 keeps 16 halves together: twice what a lane moves.", 1),
        _choice("halves", (3, 4, 3), "that is the one for bytes: M = 4 keeps 16 halves together, and a lane moves 8.", 1),
        _choice("halves", (2, 2, 3), "M = 2 keeps 4 halves together, and a lane moves 8.", 1),
        _choice("halves", (2, 3, 4), "S = 4 reads the row's number one bit too high: rows 0 and 2 do the same.", 2),
        _choice("floats", (3, 3, 3), "that is the one for halves by 16 bytes. Here a lane moves one float.", 1),
        _choice("floats", (5, 2, 5), "M = 2 keeps four floats together: then four rows meet in a bank.", 1),
        _choice("floats", (4, 0, 5), "16 of 32 units change places: rows 0 and 16 still meet.", 3),
        _choice("floats", (3, 2, 3), "that keeps 16 bytes together, for lanes that move 16 bytes. Here each moves 4.", 1),
        _choice("bytes", (3, 3, 3), "M counts elements. 16 bytes are 16 elements here.", 1),
        _choice("bytes", (2, 4, 3), "only four of eight units change places: two rows still meet.", 3),
        _choice("bytes", (3, 4, 4), "S = 4 says that a row has 16 units. It has 8.", 2),
    ),
    because="Sw<2,3,3>, Sw<5,0,5> and Sw<3,4,3>. Sw<3,3,3> is right for the halves too: it uses one bit more than is needed.",
)  # fmt: skip

# ------------------------------------------------------------------------------------------------ 13.8

ATOM = ComposedLayout.parse(
    "composition(Swizzle<3,3,3>{}, Layout<Shape<_8,Shape<_8,_8>>, Stride<_8,Stride<_1,_64>>>{})"
)
STAGES = tile_to_shape(ATOM, (128, 64, 3))


def cp_async(atom) -> int:
    """The wavefronts of a warp's write: 32 lanes stand (4,8), k first, with 8 halves each."""
    tile = tile_to_shape(atom, (128, 64))
    return bank_conflicts([tile(lane // 8, lane % 8 * 8) for lane in range(32)], 16, 8).wavefronts


READ = {
    "plain": ATOM.inner(3, 17),
    "swizzled": ATOM(3, 17),
    "stage": STAGES(0, 0, 1) - STAGES(0, 0, 0),
    "bytes": 2 * 2 * cosize(STAGES),
    "without": cp_async(ATOM.inner),
    "with": cp_async(ATOM),
}
WHAT = {
    "plain": "where the stride of the atom puts (3,17)",
    "swizzled": "where the swizzle puts (3,17)",
    "stage": "how far stage 1 is from stage 0",
    "bytes": "how many bytes sA and sB take together",
    "without": "how many wavefronts the write takes without the swizzle",
    "with": "how many wavefronts the write takes with it",
}

READ_SM80 = Exercise(
    id="13.8",
    title="Read sgemm_sm80.cu",
    answer="a13_8",
    judge=lambda data: each_fault(data, lambda k, entry: number_fault(entry, READ[k], WHAT[k]), READ),
    hints=(
        "Column 17 is (1,2): unit 2, and in it element 1. So the offset is 8 * 3 + 1 * 1 + 64 * 2.",
        "Y is the offset's bits 6 to 8, Z the bits 3 to 5. Here Y is the number of the unit, and Z that of the row.",
        "A stage is 128 rows of 64 halves, without any gap; there are three of A, and three of B.",
        "A quarter warp writes eight units of one row. In which banks do offsets lie that are 64 halves apart? Then four quarters.",
    ),
    wrong=(
        Wrong({"plain": 209}, "plain: 3 * 64 + 17 is for rows that lie one after the other. A row's stride is 8 here.", 1),
        Wrong({"plain": 41}, "plain: 3 * 8 + 17 would be right if all 64 columns were contiguous. Only 8 are.", 1),
        Wrong({"swizzled": 153}, "swizzled: that is still the plain one. Y of 153 is 2.", 2),
        Wrong({"swizzled": 169}, "swizzled: that is a sum. Z is 3 and Y is 2: 3 XOR 2 is 1.", 2),
        Wrong({"swizzled": 217}, "swizzled: you changed the unit by the row. Y is read and Z is written.", 2),
        Wrong({"stage": 512}, "stage: that is one atom. A stage has 128 rows, 16 atoms.", 3),
        Wrong({"stage": 16384}, "stage: that is bytes. Count in halves.", 3),
        Wrong({"bytes": 49152}, "bytes: half of it. Two bytes for a half, and both A and B.", 3),
        Wrong({"bytes": 32768}, "bytes: that is one stage of A and of B.", 3),
        Wrong({"bytes": 196608}, "bytes: a half has two bytes, not four.", 3),
        Wrong({"without": 8}, "without: that is one quarter warp. A warp has four.", 4),
        Wrong({"without": 4}, "without: eight units of a row are 128 bytes apart: all in the same banks.", 4),
        Wrong({"with": 1}, "with: no conflicts, right. But 512 bytes are four wavefronts.", 4),
        Wrong({"with": 32}, "with: the swizzle gives each unit of a row a place of its own in the banks.", 4),
    ),
    because="The unit's number is XORed into the row's place, so a row's eight units lie in 32 different banks. 8192 is a multiple of 512, "
    "so the stage may be added after the swizzle.",
)  # fmt: skip

EXERCISES = (BY_HAND, PADDING, COUNT_WAVEFRONTS, SIXTEEN, WRITE_SWIZZLE, MAY_I_ADD, CHOOSE, READ_SM80)
