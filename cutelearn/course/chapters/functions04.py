"""Chapter 04, composition: the two exercises whose answer is a function."""

import random
from collections.abc import Callable

from ...algebra import composition, right_inverse
from ...htuple import LayoutError
from ...layout import Layout, cosize, size
from ..answers import Refused
from ..compare import (
    Fault,
    layout_fault,
)
from ..exercises import FunctionExercise, Wrong

# ------------------------------------------------------------------------------------------------ 04.6


def tiles_to_pick() -> list[tuple]:
    """(A, m, n): matrices of many kinds, and tiles that fit."""
    cases = [
        ("(8,4):(1,8)", 4, 2),
        ("(8,4):(4,1)", 4, 2),
        ("(8,4):(4,1)", 6, 4),
        ("(8,4):(1,10)", 4, 4),
        ("(8,4):(5,1)", 2, 4),
        ("(6,10):(10,1)", 3, 5),
        ("(6,10):(1,6)", 2, 7),
        ("(5,7):(7,1)", 5, 1),
        ("(16,16):(16,1)", 8, 4),
        ("((2,4),4):((1,8),2)", 4, 2),
        ("((2,4),(2,2)):((1,4),(2,16))", 4, 4),
        ("(8,(2,4)):(2,(1,16))", 3, 4),
    ]
    return [(Layout.parse(a), m, n) for a, m, n in cases]


def _judge_tile(arguments, outcome) -> Fault | None:
    a, m, n = arguments
    if isinstance(outcome, Refused):
        return Fault(f"raised an error, and the tile is there. {outcome.message}")
    wanted = [a(i, j) for j in range(n) for i in range(m)]
    return layout_fault(outcome, wanted, shape=(m, n), name="your tile")


TILE_PICKER = FunctionExercise(
    id="04.6",
    title="Mend the tile picker",
    answer="pick_tile",
    inputs=tiles_to_pick,
    judge=_judge_tile,
    hints=(
        "For which matrices is a number of A's 1-D count also the address? Only for those does the colleague's code work.",
        "B's strides are steps in A's count of cells. One row down is the next cell of the count. What is one column to "
        "the right? It does not depend on A's strides.",
        "The cells are counted down the columns, so one column to the right is as many cells on as A has rows: "
        "size(A, 0).",
        "There is a shorter way: m rows and n columns are one choice for each mode of A. That is what a tuple says: "
        "composition(A, (m, n)).",
    ),
    wrong=(
        Wrong(
            lambda A, m, n: composition(A, Layout((m, n), A.stride)),
            "this is still the colleague's B. A.stride holds distances in memory, and B has to speak in cells of A.",
            1,
        ),
        Wrong(
            lambda A, m, n: composition(A, Layout((m, n))),
            "Layout((m, n)) is one walk: it counts m * n cells down the first column, and on into the next.",
            4,
        ),
        Wrong(
            lambda A, m, n: composition(A, Layout((m, n), (n, 1))),
            "you count along the rows, as numpy does. A's cells are counted down the columns.",
            2,
        ),
        Wrong(
            lambda A, m, n: composition(A, Layout((m, n), (1, size(A, 1)))),
            "one column to the right is not as many cells on as A has columns. How many cells lie in one column?",
            3,
        ),
        Wrong(
            lambda A, m, n: composition(A, Layout((m, n), (1, size(A)))),
            "size(A) counts the cells of the whole matrix. One column to the right is only one column of cells on.",
            3,
        ),
        Wrong(
            lambda A, m, n: composition(A, Layout((m, n), (1, A.shape[0]))),
            "A.shape[0] is the number of rows as long as rows are not nested. In ((2,4),4) it is the tuple (2,4), and there are "
            "8 rows.",
            3,
        ),
        Wrong(
            lambda A, m, n: Layout((m, n), (1, size(A, 0))),
            "this is a B that works. But it gives cells of A, and the tile has to give addresses.",
            1,
        ),
        Wrong(
            lambda A, m, n: composition(A, composition(right_inverse(A), Layout((m, n), A.stride))),
            "this looks the cells up by their addresses, and so it stops at the gap of a padded matrix. Which cells they are, "
            "you can say without any address.",
            2,
        ),
        Wrong(
            lambda A, m, n: Layout((m, n), A.stride),
            "for a matrix with one stride a mode this is right, without any composition. But a mode of A may itself be "
            "(2,4), and then there is no one stride to take.",
            4,
        ),
    ),
    because="The colleague's B was right for column-major A by accident: there, cell number and address are the same "
    "number. Layout((m, n), (1, size(A, 0))) is as good an answer.",
)

# ------------------------------------------------------------------------------------------------ 04.7


def two_steps(a: Layout, b: Layout, open_end: bool = True) -> Layout:
    """A o B for flat A and one-mode B: divide A's shape by B's stride, then keep size(B). Raises LayoutError.

    Without `open_end` A's last mode ends with its extent, as many first take it to do.
    """
    kept, step, left = [], b.stride, size(b)
    for k, (extent, stride) in enumerate(zip(a.shape, a.stride, strict=True)):
        if open_end and k == len(a.shape) - 1:
            extent = step * left
        if step % extent == 0:
            step //= extent
            continue
        if extent % step:
            raise LayoutError(f"stride: the step {step} meets the extent {extent}")
        take = min(extent // step, left)
        if left % take:
            raise LayoutError(f"shape: {take} steps fit into the extent {extent}, and {left} are left")
        kept.append((take, step * stride))
        step, left = 1, left // take
    if left > 1:
        raise LayoutError(f"size: {left} are left at the end of A")
    return Layout(tuple(s for s, d in kept), tuple(d for s, d in kept))


def _refuses(compose, a, b) -> bool:
    try:
        compose(a, b)
    except LayoutError:
        return True
    return False


def pairs_to_compose(count: int = 500) -> list[tuple]:
    """(A, B): first those of the lesson, then random ones; a pair on which CuTe is more generous than the two steps
    (it cuts a mode inside a step) is left out."""
    told = ["(6,2):(8,2) 4:3", "(6,2):(8,2) 3:4", "(3,6,2,8):(1,10,100,1000) 48:6", "(4,2):(1,8) 12:1", "(20):(2) 5:4"]
    pairs = [tuple(map(Layout.parse, line.split())) for line in told]
    rng = random.Random(47)
    while len(pairs) < count:
        shape = tuple(rng.choice((2, 3, 4, 6, 8)) for _mode in range(rng.randint(1, 4)))
        a = Layout(shape, tuple(rng.randint(1, 60) for _mode in shape))
        if any(s * d == e for s, d, e in zip(a.shape, a.stride, a.stride[1:], strict=False)):
            continue  # two modes that are one: the two steps would have to merge them first
        b = Layout(rng.choice((2, 3, 4, 6, 8, 12, 16, 24)), rng.choice((1, 2, 3, 4, 6, 8, 9, 12, 18, 24)))
        if _refuses(two_steps, a, b) == _refuses(composition, a, b):
            pairs.append((a, b))
    return pairs


def _judge_composed(arguments, outcome) -> Fault | None:
    a, b = arguments
    wanted = [a(b(i)) for i in range(size(b))]
    listed = ", ".join(map(str, wanted[:6])) + (", ..." if len(wanted) > 6 else "")
    there_is_none = _refuses(composition, a, b)
    if isinstance(outcome, Refused):
        return None if there_is_none else Fault(f"you refuse, and there is a layout: A(B(i)) = {listed}")
    found = layout_fault(outcome, wanted, name="your layout")
    if found and there_is_none:
        return Fault(f"there is no such layout, so it has to raise LayoutError. A(B(i)) = {listed}", found.beside)
    return found


def _wrong_only(data, where: Callable[[Layout, Layout], bool]) -> bool:
    """Whether the answers are layouts or refusals, and all that are wrong are to pairs of this kind."""
    answered = list(zip(pairs_to_compose(), data.outcomes, strict=False))
    if not all(isinstance(outcome, (Layout, Refused)) for pair, outcome in answered):
        return False
    return all(where(*pair) for pair, outcome in answered if _judge_composed(pair, outcome))


def _has_none(a: Layout, b: Layout) -> bool:
    return _refuses(composition, a, b)


def _needs_an_open_end(a: Layout, b: Layout) -> bool:
    return not _has_none(a, b) and _refuses(lambda a, b: two_steps(a, b, open_end=False), a, b)


def _refuse_big(a, b):
    if cosize(b) > size(a):
        raise LayoutError("too big")
    return two_steps(a, b)


def _never_refuse(a, b):
    kept, step, left = [], b.stride, size(b)
    for extent, stride in zip(a.shape[:-1], a.stride[:-1], strict=True):
        if step >= extent:
            step //= extent
            continue
        take = min(-(-extent // step), left)
        kept.append((take, step * stride))
        step, left = 1, left // take
    kept.append((left, step * a.stride[-1]))
    return Layout(tuple(s for s, d in kept), tuple(d for s, d in kept))


def _last_mode_first(a, b):
    turned = two_steps(Layout(a.shape[::-1], a.stride[::-1]), b)
    return Layout(turned.shape[::-1], turned.stride[::-1])


def _keep_all_that_is_left(a, b):
    return two_steps(a, Layout(max(1, size(a) // b.stride), b.stride))


def _forget_the_factor(a, b):
    right = two_steps(a, b)
    step = b.stride
    for extent in a.shape[:-1]:
        if step % extent:
            break
        step //= extent
    return Layout(right.shape, (right.stride[0] // step, *right.stride[1:]))


COMPOSE_FLAT = FunctionExercise(
    id="04.7",
    title="Write composition",
    answer="compose_flat",
    inputs=pairs_to_compose,
    judge=_judge_composed,
    hints=(
        "Go through A's modes from the left and carry two numbers along: the step that is still to be divided, at first "
        "B's stride, and the count that is still to be kept, at first size(B).",
        "A mode whose extent divides the step is skipped whole, and the step is divided by its extent. Otherwise the step "
        "must divide the extent. Then extent // step of its cells are met, the new stride is step times the old one, and "
        "for the modes that follow the step is 1.",
        "Of the cells that are met, keep no more than the count: take = min(extent // step, count). The count must be a "
        "multiple of take; count // take is left for the next mode.",
        "Raise LayoutError in two places only: where neither step nor extent divides the other, and where take does not "
        "divide the count. What comes out at B(2) of (6,2):(8,2) and 3:4? Not 2 * 32.",
        "A's last mode is open: it takes whatever count is left, so B may reach past size(A). Treat its extent as "
        "step * count.",
    ),
    wrong=(
        Wrong(
            _refuse_big,
            "all is right until B comes to the end of A. How far it reaches is no reason to refuse: A's last mode goes on.",
            5,
            like=lambda data: _wrong_only(data, _needs_an_open_end),
        ),
        Wrong(
            _never_refuse,
            "all layouts are right where there is one. Where something does not divide there is none, and you give one.",
            4,
            like=lambda data: _wrong_only(data, _has_none),
        ),
        Wrong(
            lambda a, b: Layout(b.shape, a(b.stride)),
            "one stride is enough only as long as all steps of B go along one mode of A.",
            2,
        ),
        Wrong(_last_mode_first, "you divide from A's last mode. Coordinates count from the left, so begin there.", 1),
        Wrong(
            _keep_all_that_is_left,
            "the division is right. The second step is missing: of what is left of A, keep size(B) cells.",
            3,
        ),
        Wrong(
            _forget_the_factor,
            "the shape is right. The mode that was divided now moves several of its steps at once.",
            2,
        ),
        Wrong(
            lambda a, b: Layout(a.shape, tuple(d * b.stride for d in a.stride)),
            "you multiplied A's strides and left its shape. Divide the shape first, then keep size(B) of it.",
            2,
        ),
    ),
    because="This is the whole of composition: CuTe's does the same, on A written as short as it goes, for each mode of B. "
    "It is more generous in one point: it lets a mode be cut inside a step when nothing comes after the cut.",
)
