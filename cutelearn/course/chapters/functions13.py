"""Chapter 13, swizzle and banks: the two exercises whose answer is a function."""

import random

from ...atoms.analysis import bank_conflicts
from ...swizzle import Swizzle
from ..answers import Refused
from ..compare import Fault, says
from ..exercises import FunctionExercise, Wrong


def _judge_number(outcome, wanted: int) -> Fault | None:
    if isinstance(outcome, Refused):
        return Fault(f"raised an error: {outcome.message}")
    if not isinstance(outcome, int) or isinstance(outcome, bool):
        return Fault(f"it has to return a number, not {says(outcome)}")
    return None if outcome == wanted else Fault(f"it gives {says(outcome)}, and {wanted} is right")


# ------------------------------------------------------------------------------------------------ 13.3


def accesses() -> list[tuple]:
    """(addresses of the lanes in bytes, bytes a lane): those of the lesson first, then random ones."""
    told = [
        ([4 * lane for lane in range(32)], 4),
        ([128 * lane for lane in range(32)], 4),
        ([0] * 32, 4),
        ([8 * (lane // 2) for lane in range(32)], 4),
        ([2 * lane for lane in range(32)], 2),
        ([8 * lane for lane in range(32)], 8),
        ([16 * lane for lane in range(32)], 16),
        ([32 * lane for lane in range(32)], 16),
        ([144 * lane for lane in range(32)], 16),
        ([128 * (lane // 8) + 16 * (lane % 8) for lane in range(32)], 16),
        ([16 * (lane // 8) + 128 * (lane % 8) if lane < 8 else 16 * lane for lane in range(32)], 16),
        ([64, 192, 4], 4),
    ]
    rng = random.Random(13)
    for _case in range(60):
        width = rng.choice((1, 2, 4, 8, 16))
        stride, lanes = rng.choice((1, 2, 3, 4, 8, 9, 16, 33)), rng.choice((8, 16, 32, 32))
        group = rng.choice((1, 1, 2, 4))
        told.append(([width * stride * (lane // group) for lane in range(lanes)], width))
        told.append(([width * rng.randrange(512) for _lane in range(lanes)], width))
    return told


def served(addresses, width, *, together=None, add=sum, word=4, bank_of=lambda word: word % 32, share=True) -> int:
    """The wavefronts of an access, with a thing or two changed. Lanes are aligned, so their first words tell who meets."""
    together = together or 32 // max(1, width // 4)
    found = []
    for first in range(0, len(addresses), together):
        words = [a // word for a in addresses[first : first + together]]
        banks = [bank_of(word) for word in (set(words) if share else words)]
        found.append(max(map(banks.count, banks)))
    return add(found)


def _judge_wavefronts(arguments, outcome) -> Fault | None:
    addresses, width = arguments
    return _judge_number(outcome, bank_conflicts(addresses, 8, width).wavefronts)


COUNT_WAVEFRONTS = FunctionExercise(
    id="13.3",
    title="Count the wavefronts",
    answer="wavefronts",
    inputs=accesses,
    judge=_judge_wavefronts,
    hints=(
        "Begin with 4 bytes a lane. A lane's word is address // 4, and its bank is word % 32.",
        "Make a set of the words, so that each counts once. Then count how many of them lie in each bank: the largest count is it.",
        "A lane that moves 8 or 16 bytes wants 2 or 4 words side by side. Addresses are aligned, so where two lanes' first words meet in a "
        "bank the others meet too: the first ones are enough.",
        "Cut the lanes into parts of 32, 16 or 8, for up to 4, for 8 and for 16 bytes. Count each part by itself, and add up.",
    ),
    wrong=(
        Wrong(
            lambda addresses, width: served(addresses, width, share=False),
            "this counts lanes. Lanes that want the same word share it.",
            2,
        ),
        Wrong(
            lambda addresses, width: served(addresses, width, share=False, together=32),
            "this counts the lanes of the busiest bank. Lanes that want the same word share it.",
            2,
        ),
        Wrong(
            lambda addresses, width: served(addresses, width, together=32),
            "right as long as a lane moves 4 bytes. Of a wide access only a half or a quarter of the warp is served together.",
            4,
        ),
        Wrong(
            lambda addresses, width: served(addresses, width, add=max),
            "that is the worst of the parts. They are served one after the other.",
            4,
        ),
        Wrong(
            lambda addresses, width: served(addresses, width, together=8 if width > 4 else 32),
            "quarters are for 16 bytes a lane. With 8 bytes a half of the warp is served together.",
            4,
        ),
        Wrong(
            lambda addresses, width: served(addresses, width, word=1),
            "banks are counted in words of 4 bytes: divide the address first.",
            1,
        ),
        Wrong(
            lambda addresses, width: served(addresses, width, word=width),
            "a word has 4 bytes, however many a lane moves: divide the address by 4, not by the width.",
            1,
        ),
        Wrong(
            lambda addresses, width: served(addresses, width, bank_of=lambda word: word // 32),
            "neighbouring words lie in neighbouring banks: the bank is the remainder by 32, not the quotient.",
            1,
        ),
    ),
    because="Different words of the busiest bank, part by part. bank_conflicts does the same, and keeps who met whom.",
)  # fmt: skip

# ------------------------------------------------------------------------------------------------ 13.5


def offsets() -> list[tuple]:
    """(B, M, S, x)."""
    rng = random.Random(5)
    told = [(3, 3, 3, 200), (3, 3, 3, 64), (3, 3, 3, 72), (2, 0, 2, 13), (0, 4, 3, 4095), (1, 2, 4, 70)]
    for _case in range(120):
        B = rng.randint(0, 4)
        told.append((B, rng.randint(0, 5), rng.randint(max(B, 1), 6), rng.randrange(1 << 14)))
    return told


def ones(bits: int) -> int:
    return (1 << bits) - 1


WRITE_SWIZZLE = FunctionExercise(
    id="13.5",
    title="Write the swizzle",
    answer="swizzle",
    inputs=offsets,
    judge=lambda arguments, outcome: _judge_number(outcome, Swizzle(*arguments[:3])(arguments[3])),
    hints=(
        "Two masks of B ones: (1 << B) - 1, moved up. Where does Y begin, and how far down does it go?",
        "Y is the bits M + S to M + S + B - 1: ((1 << B) - 1) << (M + S). Take these bits of x with &.",
        "They go down by S places, so they come to lie at bit M, and are XORed into x. In Python XOR is ^.",
    ),
    wrong=(
        Wrong(
            lambda B, M, S, x: x ^ (x >> S),
            "this XORs all bits of x, and so changes more than the B bits at M.",
            2,
        ),
        Wrong(
            lambda B, M, S, x: x ^ ((x & ones(B) << M) >> S),
            "this takes the bits that are written. Read those S places higher.",
            2,
        ),
        Wrong(
            lambda B, M, S, x: x ^ (x & ones(B) << M),
            "this XORs Z with itself. In Python >> comes before &: x & Y >> S is x & (Y >> S). Write (x & Y) >> S.",
            3,
        ),
        Wrong(
            lambda B, M, S, x: x ^ ((x & ones(B) << M) << S),
            "this goes up: it reads the low bits and writes the high ones. That is a swizzle with -S.",
            3,
        ),
        Wrong(
            lambda B, M, S, x: x + ((x & ones(B) << M + S) >> S),
            "the right bits, but added. A sum carries into the next bit, and two places come out the same.",
            3,
        ),
        Wrong(
            lambda B, M, S, x: x ^ ((x & ones(B) << S) >> S),
            "M is forgotten: Y begins at bit M + S.",
            2,
        ),
        Wrong(
            lambda B, M, S, x: x ^ ((x & B << M + S) >> S),
            "B is a number of bits, not the mask. B ones are (1 << B) - 1.",
            1,
        ),
        Wrong(
            lambda B, M, S, x: (x & ones(B) << M + S) >> S,
            "these are the bits to be XORed in. Into what?",
            3,
        ),
    ),
    because="x ^ ((x & Y) >> S). What is read is not written, so the same function takes it back.",
)  # fmt: skip
