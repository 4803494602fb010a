"""Chapter 03, coalesce: the two exercises whose answer is a function."""

import random
from itertools import pairwise

from ...algebra import coalesce
from ...htuple import leaves
from ...layout import Layout, cosize, rank, size
from ..answers import Refused
from ..compare import Fault, first_difference, layout_fault, read_layout, says, table, values
from ..exercises import FunctionExercise, Wrong, failed_first_at


def modes(layout: Layout) -> list[tuple[int, int]]:
    """The chain of a layout: its modes as (extent, stride), parentheses aside."""
    return list(zip(leaves(layout.shape), leaves(layout.stride), strict=True))


def short_fault(answer, a: Layout, name: str = "your layout") -> Fault | None:
    """Whether the answer is the function `a` with as few modes as possible; parentheses are free."""
    if found := layout_fault(answer, values(a), name=name):
        return found
    yours, fewest = read_layout(answer), rank(coalesce(a))
    if len(modes(yours)) > fewest:
        return Fault(
            f"{says(yours)} is the same function, with {len(modes(yours))} modes; it can be written with {fewest}"
        )
    return None


# ------------------------------------------------------------------------------------------------ 03.6


def tiles_to_copy() -> list[tuple]:
    """Tiles of many kinds, as the learner's function gets them."""
    told = (
        "24:1", "(4,6):(1,4)", "(4,6):(6,1)", "(4,6):(1,5)", "(2,3):(3,1)", "(2,(1,6)):(1,(6,2))", "8:2", "(4,2):(2,8)",
        "((2,2),(2,2)):((1,4),(2,8))", "((2,2),(2,2)):((1,2),(4,8))", "(1,8):(8,1)", "(8,1):(1,77)", "(1,1):(5,9)",
        "(2,4):(0,1)", "(4,2):(0,0)", "(3,3):(1,2)", "(2,2,3):(1,1,2)", "(2,2,2):(1,1,5)", "(4,1,2):(1,3,4)",
    )  # fmt: skip
    return [(Layout.parse(text),) for text in told]


def _is_run(a: Layout) -> bool:
    return all(a(i) == i for i in range(size(a)))


def _judge_run(arguments, outcome) -> Fault | None:
    (a,) = arguments
    if isinstance(outcome, Refused):
        return Fault(f"raised an error, where True or False is wanted. {outcome.message}")
    if not isinstance(outcome, bool):
        return Fault(f"{says(outcome)} is neither True nor False")
    if outcome == _is_run(a):
        return None
    wanted = list(range(size(a)))
    at = first_difference(values(a), wanted)
    if at is None:
        return Fault(f"{says(a)} gives 0, 1, 2, ... to its end: it may be copied as one run")
    rows = [(i, a(i), i) for i in range(at + 1)]
    return Fault(f"{says(a)} may not be copied as one run", table(("i", "A(i)", "a run"), rows, at))


ONE_RUN = FunctionExercise(
    id="03.6",
    title="Is it one run?",
    answer="is_one_run",
    inputs=tiles_to_copy,
    judge=_judge_run,
    hints=(
        "The colleague asks which places are met. The loop `dst[i] = src[i]` needs more: cell i has to lie at i. "
        "Take (2,3):(3,1): where is cell 1?",
        "A layout that gives 0, 1, 2, ... has a very short spelling. Which is it, for 24 cells?",
        "Coalesce A: one run is size(A):1. Mind that shape and stride are tuples while A has several modes.",
        "A layout of one cell is a run, too, and coalesced it is 1:0. The stride of one cell says nothing.",
        "coalesce(A) has one mode exactly where its shape is the integer size(A). Then ask for stride 1, or for one cell.",
    ),
    wrong=(
        Wrong(
            lambda A: cosize(A) == size(A),
            "this is still the colleague's test. It holds for row-major tiles, where cell 1 does not lie at 1.",
            1,
        ),
        Wrong(
            lambda A: len(set(values(A))) == size(A) == cosize(A),
            "each place once, none left out: that is a bijection, and it may run in any order.",
            1,
        ),
        Wrong(
            lambda A: rank(coalesce(A)) == 1,
            "one mode is needed, but it is not enough: 8:2 has one mode, and meets every second place.",
            3,
        ),
        Wrong(
            lambda A: coalesce(A).stride == 1,
            "a tile of one cell is missed: coalesced it is 1:0. All others are right.",
            4,
        ),
        Wrong(
            lambda A: A.stride == 1 or (isinstance(A.stride, tuple) and A.stride[0] == 1),
            "you look at the first stride alone. (4,6):(1,5) begins well, too.",
            3,
        ),
        Wrong(
            lambda A: A.shape == size(A) and A.stride == 1,
            "all that you accept is a run. But (4,6):(1,4) is one as well, in a longer spelling.",
            3,
        ),
        Wrong(
            lambda A: size(A) == 1 or all(s * d == e for (s, d), (_t, e) in pairwise(modes(A))),
            "neighbours that fit are not all: modes of one cell stand between them, and the first stride may be 2.",
            3,
        ),
    ),
    because="coalesce(A) is size(A):1 for a run, or 1:0 for one cell. cosize(A) == size(A) holds for (2,3):(3,1) also.",
)

# ------------------------------------------------------------------------------------------------ 03.7


def layouts_to_coalesce(count: int = 500) -> list[tuple]:
    """Flat layouts: those of the lesson first, then random ones in which many neighbours fit."""
    told = (
        "(2,4):(1,2)", "(2,4):(1,3)", "(2,1,6):(1,6,2)", "(3,1):(5,99)", "(1,4):(7,2)", "(2,3,1,4,2):(1,2,9,6,30)",
        "(2,3):(3,1)", "(4,2):(0,0)", "(1,1):(5,9)", "(2,2,2,2):(1,2,4,8)", "(2,1,1,3):(4,1,8,8)",
    )  # fmt: skip
    cases = [Layout.parse(text) for text in told]
    rng = random.Random(37)
    while len(cases) < count:
        shape = tuple(rng.choice((1, 2, 2, 3, 4)) for _mode in range(rng.randint(2, 5)))
        stride, end = [], rng.choice((0, 1, 1, 2, 3))
        for extent in shape:
            if extent == 1:
                stride.append(rng.randint(0, 50))
                continue
            stride.append(end if rng.random() < 0.7 else rng.randint(0, 24))
            end = extent * stride[-1]
        cases.append(Layout(shape, tuple(stride)))
    return [(a,) for a in cases]


def _judge_short(arguments, outcome) -> Fault | None:
    (a,) = arguments
    if isinstance(outcome, Refused):
        return Fault(f"raised an error, and every layout can be coalesced. {outcome.message}")
    return short_fault(outcome, a)


def _chain(pairs) -> Layout:
    """A layout of these modes; of none, one cell."""
    pairs = pairs or [(1, 0)]
    return Layout(tuple(s for s, d in pairs), tuple(d for s, d in pairs))


def walk(a: Layout, *, fits=lambda s0, d0, d1: s0 * d0 == d1, new=lambda s0, d0, s1, d1: (s0 * s1, d0), ones=True):
    """Coalesce from the left, in one pass; the parts are parameters, so that they can be got wrong."""
    done: list[tuple[int, int]] = []
    for s, d in modes(a):
        if s == 1 and ones:
            continue
        if done and fits(*done[-1], d):
            done[-1] = new(*done[-1], s, d)
        else:
            done.append((s, d))
    return _chain(done)


def _pairs_once(a: Layout) -> Layout:
    """Looks at each mode once, and not at what came of a merge."""
    chain, done, k = [m for m in modes(a) if m[0] > 1], [], 0
    while k < len(chain):
        if k + 1 < len(chain) and chain[k][0] * chain[k][1] == chain[k + 1][1]:
            done.append((chain[k][0] * chain[k + 1][0], chain[k][1]))
            k += 2
        else:
            done.append(chain[k])
            k += 1
    return _chain(done)


def _needs_a_mode(a: Layout) -> Layout:
    """Fails where all modes have one cell."""
    return walk(a) if any(extent > 1 for extent in a.shape) else [][0]


def _sorted_first(a: Layout) -> Layout:
    chain = sorted(modes(a), key=lambda mode: mode[1])
    return walk(Layout(tuple(s for s, d in chain), tuple(d for s, d in chain)))


WRITE = FunctionExercise(
    id="03.7",
    title="Write coalesce",
    answer="my_coalesce",
    inputs=layouts_to_coalesce,
    judge=_judge_short,
    hints=(
        "Go through the modes from the left, and keep a list of modes that are done. Each new mode is compared with the "
        "last one of the list only.",
        "A mode of extent 1 is not put on the list. For every other mode: does extent times stride of the last one on "
        "the list equal its stride?",
        "If so, the last one of the list gets the product of the extents, and keeps its own stride. If not, the new mode "
        "goes on the list. The merged mode is then the last one, and may merge again.",
        "If the list is empty at the end, all modes had one cell: return Layout(1, 0). Otherwise "
        "make_layout(*done), or one Layout of two tuples.",
    ),
    wrong=(
        Wrong(lambda A: A, "this is the same function, but nothing has been merged.", 1),
        Wrong(
            lambda A: walk(A, ones=False),
            "merging is right. But modes of one cell are still there, and stand between modes that would merge.",
            2,
        ),
        Wrong(_pairs_once, "you go on two modes after a merge. What came of it may merge with the next one, too.", 3),
        Wrong(
            lambda A: walk(A, new=lambda s0, d0, s1, d1: (s0 * s1, d1)),
            "the merged mode keeps the stride of its left part: that is where its first step goes.",
            3,
        ),
        Wrong(
            lambda A: walk(A, fits=lambda s0, d0, d1: s0 == d1),
            "you compare the extent with the next stride. That is right only where the stride on the left is 1.",
            2,
        ),
        Wrong(
            lambda A: Layout(size(A), 1),
            "this is the run 0, 1, 2, ... A layout with a jump, or with another first stride, is no run.",
            2,
        ),
        Wrong(
            _needs_a_mode,
            "all is right until every mode has one cell, as in (1,1):(5,9). Then nothing is on your list.",
            4,
            like=lambda data: failed_first_at(
                data, layouts_to_coalesce(), _judge_short, lambda A: all(extent == 1 for extent in A.shape)
            ),
        ),
        Wrong(
            _sorted_first,
            "you sorted the modes by stride. The order of the modes is the order of counting: it must stay.",
            1,
        ),
        Wrong(
            lambda A: walk(A, fits=lambda s0, d0, d1: s0 * d0 >= d1),
            "merging needs equality. Where the right mode begins before the left one ends, the two overlap.",
            2,
        ),
    ),
    because="One pass is enough: what is on the list cannot merge with its left neighbour later, for its stride never "
    "changes again.",
)
