"""What the property tests draw from: shapes nested to depth 3, layouts of every temper, and right operands that often fit."""

from itertools import accumulate
from operator import mul

import laws
from hypothesis import strategies as st

from cutelearn import Layout, _

EXTENT = st.sampled_from([1, 1, 2, 2, 2, 3, 3, 4, 4, 5, 6, 8])


@st.composite
def extents(draw, most=4, size=128):
    """Up to `most` extents with a product of at most `size`."""
    chosen, total = [], 1
    for extent in draw(st.lists(EXTENT, min_size=1, max_size=most)):
        if total * extent <= size:
            chosen.append(extent)
            total *= extent
    return chosen or [1]


def nest(draw, leaves, depth=3):
    """These leaves in parentheses of any kind, at most `depth` deep."""
    if len(leaves) == 1 and draw(st.booleans()):
        return leaves[0]
    if depth == 1:
        return tuple(leaves)
    groups = []
    while leaves:
        n = draw(st.integers(1, len(leaves)))
        groups.append(nest(draw, leaves[:n], depth - 1))
        leaves = leaves[n:]
    return tuple(groups)


def refill(profile, leaves):
    """The parentheses of `profile` round other leaves, taken from an iterator."""
    return next(leaves) if isinstance(profile, int) else tuple(refill(p, leaves) for p in profile)


@st.composite
def shapes(draw, most=4, size=128):
    return nest(draw, draw(extents(most, size)))


ONE = st.just(1)


def _stacked(draw, sizes, gap=ONE):
    """Compact strides in any order of the modes; a gap above 1 leaves padding."""
    strides, step = [0] * len(sizes), 1
    for k in draw(st.permutations(range(len(sizes)))):
        step *= draw(gap)
        strides[k] = step
        step *= sizes[k]
    return strides


def _strides(draw, kind, sizes):
    if kind == "compact":
        return _stacked(draw, sizes)
    if kind == "padded":
        return _stacked(draw, sizes, st.sampled_from([1, 1, 2, 3]))
    if kind == "broadcast":
        return [d * draw(st.sampled_from([0, 1, 1])) for d in _stacked(draw, sizes)]
    if kind == "negative":
        return [d * draw(st.sampled_from([-1, 1])) for d in _stacked(draw, sizes)]
    return [draw(st.integers(0, 24)) for _size in sizes]  # "any": overlaps and holes


POSITIVE = ("compact", "padded", "broadcast", "any")
INJECTIVE = ("compact", "padded")


@st.composite
def layouts(draw, kinds=POSITIVE, most=4, size=128):
    sizes = draw(extents(most, size))
    strides = _strides(draw, draw(st.sampled_from(kinds)), sizes)
    shape = nest(draw, sizes)
    return Layout(shape, refill(shape, iter(strides)))


def any_layouts():
    return layouts((*POSITIVE, "negative"))


@st.composite
def walks(draw, A, most=3, size=96, signs=(1,)):
    """A right operand for A. Two times in three its strides are steps that fit the modes of A."""
    if draw(st.integers(0, 2)) == 0:
        return draw(layouts(most=most, size=size))
    sizes = draw(extents(most, size))
    starts = [1, *accumulate(laws.leaves(A.shape), mul)]
    step = st.builds(mul, st.sampled_from(starts), st.sampled_from([0, 1, 1, 1, 2, 3, 4]))
    strides = [draw(step) * draw(st.sampled_from(signs)) for _size in sizes]
    shape = nest(draw, sizes, 2)
    return Layout(shape, refill(shape, iter(strides)))


@st.composite
def with_walk(draw, kinds=POSITIVE, signs=(1,), size=64):
    A = draw(layouts(kinds, size=size))
    return A, draw(walks(A, signs=signs, size=size))


@st.composite
def by_mode(draw, kinds=POSITIVE, whole=False):
    """A layout and a by-mode tiler for it: ints, layouts, and `_` where `whole` allows it; it may be shorter than A."""
    A = draw(layouts(kinds, size=64))
    tiler = []
    for mode in laws.modes(A)[: draw(st.integers(1, 4))]:
        kind = draw(st.sampled_from(["int", "layout", "layout", "_"] if whole else ["int", "layout"]))
        if kind == "int":
            tiler.append(draw(st.integers(1, 6)))
        else:
            tiler.append(_ if kind == "_" else draw(walks(mode, most=2, size=16)))
    return A, tuple(tiler)


@st.composite
def coordinates(draw, shape, keep=False):
    """A coordinate of `shape`, with fewer parentheses where it likes, and `_` where `keep` allows it."""
    if keep and draw(st.integers(0, 2)) == 0:
        return _
    if isinstance(shape, int) or draw(st.integers(0, 3)) == 0:
        return draw(st.integers(0, laws.extent(shape) - 1))
    return tuple(draw(coordinates(s, keep)) for s in shape)
