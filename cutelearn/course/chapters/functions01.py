"""Chapter 01, coordinates: the two exercises whose answer is a function."""

import random
from math import prod

from ...htuple import congruent, idx2crd, leaves, product, text
from ...layout import crd2idx
from ..answers import Refused
from ..compare import Fault, says
from ..exercises import FunctionExercise, Wrong
from ..questions import a_coordinate


def coordinate_fault(answer, index: int, shape) -> Fault | None:
    """Whether the answer is the natural coordinate of this cell; if not, which cell it is."""
    wanted = idx2crd(index, shape)
    answer = a_coordinate(answer)
    if isinstance(answer, Fault):
        return answer
    if answer == wanted:
        return None
    if not congruent(answer, wanted):
        return Fault(f"{says(answer)} has not the parentheses of the shape {text(shape)}")
    digits, radices = leaves(answer), leaves(shape)
    for digit, radix in zip(digits[:-1], radices[:-1], strict=True):
        if not 0 <= digit < radix:
            return Fault(
                f"{says(answer)} has the digit {says(digit)}, and in {text(shape)} this one goes up to {radix - 1}"
            )
    return Fault(f"{says(answer)} is cell {says(crd2idx(answer, shape))} of {text(shape)}, and cell {index} is wanted")


def number_fault(answer, coord, shape) -> Fault | None:
    """Whether the answer is the number of this cell; if not, which cell it is."""
    if not isinstance(answer, int) or isinstance(answer, bool):
        return Fault(f"{says(answer)} is not an integer. Write the number of the cell")
    if answer == crd2idx(coord, shape):
        return None
    if answer < 0:
        return Fault(f"{says(answer)} is less than 0, and cells are counted from 0")
    return Fault(f"{says(answer)} is the cell {says(idx2crd(answer, shape))} of {text(shape)}, not {text(coord)}")


# ------------------------------------------------------------------------------------------------ 01.6


def random_shape(rng: random.Random, depth: int = 2):
    """A shape of 1 to 3 modes, some of them nested."""
    modes = (
        random_shape(rng, depth - 1) if depth and rng.random() < 0.4 else rng.randint(1, 7)
        for _mode in range(rng.randint(1, 3))
    )
    return tuple(modes)


def cells_to_name(count: int = 400) -> list[tuple]:
    """(index, shape): those of the lesson, then random ones; some indices lie past the end."""
    told = [(7, 10), (14, (3, 6)), (5000, (60, 60, 24)), (100_000, (60, 60, 24)), (35, ((2, 4), 8)), (6, (3, (2, 3)))]
    rng = random.Random(35)
    while len(told) < count:
        shape = random_shape(rng)
        told.append((rng.randrange(product(shape) * rng.choice((1, 1, 1, 3))), shape))
    return told


def _judge_named(arguments, outcome) -> Fault | None:
    index, shape = arguments
    if isinstance(outcome, Refused):
        return Fault(f"raised an error, and every cell has a coordinate. {outcome.message}")
    found = coordinate_fault(outcome, index, shape)
    return found and Fault(found.sentence, f"  wanted: {says(idx2crd(index, shape))}")


def _from_left(index, shape, open_end=True):
    """The digits of `index`, and what `open_end` says of the last one: open, or wrapping around."""
    if isinstance(shape, int):
        return index if open_end else index % shape
    digits = []
    for k, mode in enumerate(shape):
        last = open_end and k == len(shape) - 1
        digits.append(_from_left(index if last else index % product(mode), mode, open_end))
        index //= product(mode)
    return tuple(digits)


def _from_right(index, shape):
    """As numpy counts: the last digit turns fastest."""
    if isinstance(shape, int):
        return index
    digits = []
    for mode in reversed(shape[1:]):
        digits.append(_from_right(index % product(mode), mode))
        index //= product(mode)
    return (_from_right(index, shape[0]), *reversed(digits))


def _flat(index, shape):
    if isinstance(shape, int):
        return index
    return _from_left(index, leaves(shape))


def _outer_only(index, shape):
    if isinstance(shape, int):
        return index
    return _from_left(index, tuple(map(product, shape)))


def _forgets_to_divide(index, shape):
    if isinstance(shape, int):
        return index % shape
    return tuple(_forgets_to_divide(index, mode) for mode in shape)


WRITE_IDX2CRD = FunctionExercise(
    id="01.6",
    title="Write idx2crd",
    answer="my_idx2crd",
    inputs=cells_to_name,
    judge=_judge_named,
    hints=(
        "A shape is an integer or a tuple. For an integer there is one digit, and it is open: return the index as it is.",
        "For a tuple go through the modes from the left, and carry along what is left of the index. A mode takes "
        "index % size(mode), and index // size(mode) is left for the modes after it.",
        "A mode may be a tuple itself. What it takes is a number of its own: call my_idx2crd with it and with the mode.",
        "The last mode is open: give it all that is left, without %. Then an index past the end does not wrap around.",
    ),
    wrong=(
        Wrong(_from_right, "the right digit turns first, as in numpy. CuTe takes the left digit off first.", 2),
        Wrong(
            lambda index, shape: _from_left(index, shape, open_end=False),
            "inside the shape all is right. Past its end you wrap around, and the last digit should be open.",
            4,
        ),
        Wrong(_flat, "the digits are right. The coordinate needs the parentheses of the shape.", 3),
        Wrong(_outer_only, "the outer digits are right. Where a mode is a tuple, its number has to be split again.", 3),
        Wrong(
            _forgets_to_divide,
            "every mode looks at the same index. After a mode has taken its digit, only the quotient is left.",
            2,
        ),
    ),
    because="The same three lines serve on each floor of parentheses: take what belongs to a mode, divide, go on. The last "
    "mode takes the rest.",
)

# ------------------------------------------------------------------------------------------------ 01.7


def _coarser(rng, coord, shape):
    """The same cell, with some of its parentheses counted together to one number."""
    if not isinstance(coord, tuple):
        return coord
    if rng.random() < 0.25:
        return crd2idx(coord, shape)
    return tuple(_coarser(rng, c, s) for c, s in zip(coord, shape, strict=True))


def coordinates_to_count(count: int = 400) -> list[tuple]:
    """(coord, shape): those of the lesson, then random ones, natural and coarser."""
    told = [(7, 10), ((2, 4), (3, 6)), (((1, 1), 4), ((2, 4), 8)), ((3, 4), ((2, 4), 8)), (35, ((2, 4), 8))]
    rng = random.Random(53)
    while len(told) < count:
        shape = random_shape(rng)
        told.append((_coarser(rng, idx2crd(rng.randrange(product(shape)), shape), shape), shape))
    return told


def _judge_counted(arguments, outcome) -> Fault | None:
    coord, shape = arguments
    if isinstance(outcome, Refused):
        return Fault(f"raised an error, and every coordinate here has a number. {outcome.message}")
    found = number_fault(outcome, coord, shape)
    return found and Fault(found.sentence, f"  wanted: {says(crd2idx(coord, shape))}")


def _digits_to_number(coord, shape, worth):
    """Sum of digit times worth; `worth(shape, k)` says what a step of mode k counts."""
    if not isinstance(coord, tuple):
        return coord
    return sum(
        _digits_to_number(c, s, worth) * worth(shape, k) for k, (c, s) in enumerate(zip(coord, shape, strict=True))
    )


def _left_first(shape, k):
    return product(shape[:k])


def _natural_only(coord, shape):
    """Zips leaves: a number that stands for several digits is taken for one digit."""
    coord, shape = ((x,) if isinstance(x, int) else leaves(x) for x in (coord, shape))
    return sum(c * prod(shape[:k]) for k, c in enumerate(coord[: len(shape)]))


WRITE_CRD2IDX = FunctionExercise(
    id="01.7",
    title="Write crd2idx",
    answer="my_crd2idx",
    inputs=coordinates_to_count,
    judge=_judge_counted,
    hints=(
        "If the coordinate is an integer, it counts the cells of its shape already, whatever parentheses that has: return "
        "it.",
        "Otherwise coordinate and shape are tuples of one length. Go through both together, and carry along what a step "
        "is worth: 1 at first, and after each mode times size(mode).",
        "A mode may be nested: its number is my_crd2idx of its own coordinate and its own shape.",
        "A step of a mode is worth the cells of all modes on its left. Take size(mode), not mode: a mode may be a tuple.",
    ),
    wrong=(
        Wrong(
            lambda coord, shape: _digits_to_number(coord, shape, lambda s, k: product(s[k + 1 :]) if s[k + 1 :] else 1),
            "the right digit is worth 1, as in C. In CuTe it is the left one.",
            2,
        ),
        Wrong(
            lambda coord, shape: _digits_to_number(coord, shape, lambda s, k: product(s[k - 1]) if k else 1),
            "two modes come out right, three do not: a step is worth the product of all radices on its left, not of the "
            "nearest one.",
            4,
        ),
        Wrong(
            _natural_only,
            "natural coordinates come out right. But a number may stand for several digits, as 3 does in (3,4) of "
            "((2,4),8).",
            1,
        ),
        Wrong(
            lambda coord, shape: _digits_to_number(coord, shape, lambda s, k: product(s[: k + 1])),
            "the first digit is multiplied by its own radix. It is worth 1; a radix counts for the digits to its right.",
            2,
        ),
        Wrong(
            lambda coord, shape: _digits_to_number(coord, shape, lambda s, k: 1),
            "you added the digits up. A step of each mode is worth more than one of the mode on its left.",
            2,
        ),
    ),
    because="Every number is right at its own floor: an integer is returned as it is, and a tuple adds up what its modes "
    "give, each times the cells on its left.",
)
