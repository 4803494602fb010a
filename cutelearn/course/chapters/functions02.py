"""Chapter 02, layouts: the two exercises whose answer is a function."""

import random

from ...layout import Layout, LayoutRight, cosize, flatten, rank, size
from ..answers import Refused
from ..compare import (
    Fault,
    first_difference,
    says,
    table,
)
from ..exercises import FunctionExercise, Wrong, failed_first_at

# ------------------------------------------------------------------------------------------------ 02.7


def layouts_to_store() -> list[tuple]:
    """Layouts of many kinds, with strides that are not negative."""
    told = ["(8):(1)", "(4,8):(8,1)", "(2,4):(2,4)", "(4,8):(9,1)", "(4,8):(0,1)", "(1,5):(40,2)"]
    told += ["((2,2),(4,2)):((1,16),(2,8))", "(3,(2,3)):(3,(12,1))", "12:3"]
    rng = random.Random(23)
    for _case in range(60):
        shape = tuple(rng.choice((1, 2, 3, 4, 8)) for _mode in range(rng.randint(1, 4)))
        told.append(str(Layout(shape, tuple(rng.choice((0, 1, 2, 5, 8, 33)) for _mode in shape))))
    return [(Layout.parse(text),) for text in told]


def _judge_floats(arguments, outcome) -> Fault | None:
    (layout,) = arguments
    if isinstance(outcome, Refused):
        return Fault(f"raised an error, and every layout needs some memory. {outcome.message}")
    if not isinstance(outcome, int):
        return Fault(f"{says(outcome)} is not a number")
    wanted = cosize(layout)
    if outcome == wanted:
        return None
    if outcome < wanted:
        return Fault(f"with {says(outcome)} floats the cell at {wanted - 1} lies past the end")
    return Fault(f"{says(outcome)} floats are more than are used: the last one is at {wanted - 1}")


def _modes(layout: Layout) -> list[tuple[int, int]]:
    """Extent and stride of each mode, without parentheses."""
    flat = flatten(layout)
    return list(zip(flat.shape, flat.stride, strict=True)) if rank(flat) > 1 else [(size(flat), _only(flat.stride))]


def _is_nested(layout: Layout) -> bool:
    return any(isinstance(extent, tuple) for extent in layout.shape)


def _only(stride):
    return stride[0] if isinstance(stride, tuple) else stride


FLOATS = FunctionExercise(
    id="02.7",
    title="Mend the allocation",
    answer="floats_needed",
    inputs=layouts_to_store,
    judge=_judge_floats,
    hints=(
        "Take (2,4):(2,4). Where does the last cell, (1,3), lie? Compare with what the colleague's line gives.",
        "A digit of extent s is at most s - 1. So a mode goes (s - 1) * d far, and not s * d.",
        "The modes add up: the last cell has the largest digit in all of them at once. And offset 0 needs a place too.",
        "cosize(L) does all of that, also where the modes are nested. So does L(size(L) - 1) + 1, as long as no stride is "
        "negative.",
    ),
    wrong=(
        Wrong(
            lambda L: sum(s * d for s, d in _modes(L)),
            "extent times stride goes one step too far in each mode: the largest digit is one less than the extent.",
            2,
        ),
        Wrong(
            lambda L: max(s * d for s, d in _modes(L)),
            "this is still the colleague's rule: only one of the modes is counted. The last cell is at the end of all of them.",
            1,
        ),
        Wrong(
            lambda L: sum((s - 1) * d for s, d in _modes(L)),
            "this is where the last cell lies. It takes one float more, since offsets begin at 0.",
            3,
        ),
        Wrong(lambda L: size(L), "this counts the cells. They may lie apart, or on top of each other.", 1),
        Wrong(
            lambda L: max((s - 1) * d for s, d in _modes(L)) + 1,
            "the way of one mode is right. But the last cell has gone to the end of every mode, not of the longest.",
            3,
        ),
        Wrong(
            lambda L: sum((s - 1) * d for s, d in zip(L.shape, L.stride, strict=True)) + 1,
            "flat layouts come out right. But in ((2,2),(4,2)):((1,16),(2,8)) the first extent is (2,2), a tuple, from which "
            "nothing can be subtracted. flatten(L) takes the parentheses away.",
            4,
            like=lambda data: failed_first_at(data, layouts_to_store(), _judge_floats, _is_nested),
        ),
    ),
    because="The largest offset is the sum of (extent - 1) * stride over all modes; one more is what to allocate.",
)

# ------------------------------------------------------------------------------------------------ 02.8


def shapes_to_fill() -> list[tuple]:
    """Flat shapes of rank 1 to 5, the short ones first."""
    rng = random.Random(8)
    told = [(4, 8), (7,), (2, 3, 5), (4, 4, 4)]
    told += [tuple(rng.randint(2, 9) for _mode in range(rng.randint(1, 5))) for _case in range(200)]
    return [(shape,) for shape in told]


def _judge_strides(arguments, outcome) -> Fault | None:
    (shape,) = arguments
    if isinstance(outcome, Refused):
        return Fault(f"raised an error, and every shape has such strides. {outcome.message}")
    if not isinstance(outcome, (tuple, list)):
        return Fault(f"{says(outcome)} is not a tuple of strides")
    if len(outcome) != len(shape):
        return Fault(f"{len(outcome)} strides for {len(shape)} extents")
    wanted = Layout(shape, LayoutRight).stride
    if (at := first_difference(outcome, wanted)) is None:
        return None
    rows = [(extent, outcome[k], wanted[k]) for k, extent in enumerate(shape)]
    return Fault(
        f"the stride of mode {at} is {says(outcome[at])}", table(("extent", "yours", "wanted"), rows, wrong=at)
    )


def _left(shape):
    return Layout(shape).stride


def _one_too_far(shape):
    strides, step = [], 1
    for extent in reversed(shape):
        step *= extent
        strides.insert(0, step)
    return tuple(strides)


ROW_MAJOR = FunctionExercise(
    id="02.8",
    title="Write LayoutRight",
    answer="row_major",
    inputs=shapes_to_fill,
    judge=_judge_strides,
    hints=(
        "Begin on the right: the last stride is 1. Which one stands to the left of it?",
        "Carry one number along, at first 1. At each extent, from the last to the first: note the number as the stride, "
        "and only then multiply it by the extent.",
        "You collect the strides from the last to the first, so turn them round in the end: reversed(shape), and [::-1] or "
        "insert(0, ...).",
    ),
    wrong=(
        Wrong(_left, "these are the strides of LayoutLeft: the 1 stands on the left.", 1),
        Wrong(_one_too_far, "each stride is one extent too far: the multiplication comes before the note.", 2),
        Wrong(
            lambda shape: Layout(shape, LayoutRight).stride[::-1],
            "the numbers are right, and they stand in the order in which you found them.",
            3,
        ),
        Wrong(
            lambda shape: (*shape[1:], 1),
            "each stride is only the extent to its right. All extents to the right have to be multiplied.",
            2,
        ),
        Wrong(
            lambda shape: tuple(size(Layout(shape)) // extent for extent in shape),
            "each stride counts all other extents. Those to the left of a mode do not matter to it.",
            1,
        ),
    ),
    because="The stride of a mode is the product of all extents to its right.",
)
