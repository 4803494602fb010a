"""Every law of the algebra on generated layouts: nested to depth 3, broadcast, padded, overlapping, negative where allowed.

An operation either obeys its law by tests/laws.py or raises LayoutError; and it raises only with cause: where CuTe itself
refuses, or where CuTe's unchecked answer breaks the law. Run the long hunt with CUTELEARN_HYPOTHESIS=heavy.
"""

import re
from unittest import mock

import laws
import pytest
from hypothesis import assume, event, example, given
from hypothesis import strategies as st
from strategies import INJECTIVE, any_layouts, by_mode, layouts, shapes, walks, with_walk

import cutelearn as ct
from cutelearn import Layout, LayoutError, LayoutLeft, LayoutRight, size


def answer(function, *args, **kw):
    """The answer, or None for a LayoutError; no other exception is excused."""
    try:
        result = function(*args, **kw)
    except LayoutError:
        event("refused")
        return None
    event("answered")
    return result


def checked(function, law, A, B):
    """The checked answer obeys the law and is CuTe's; a refusal is CuTe's too, or CuTe's answer breaks the law."""
    cutes, ours = answer(function, A, B, check=False), answer(function, A, B)
    if ours is not None:
        assert not law(A, B, ours), f"{ours}: {law(A, B, ours)}"
        assert ours == cutes
    else:
        assert cutes is None or law(A, B, cutes), f"refused, but {cutes} is right"
    return ours


# --- coalesce, filter, flatten


@given(any_layouts())
def test_coalesce(A):
    assert not laws.coalesce(A, ct.coalesce(A))


@given(any_layouts(), st.integers(1, 4))
def test_coalesce_by_profile(A, n):
    modes = laws.modes(A)
    n = min(n, len(modes))
    R = ct.coalesce(A, (1,) * n)
    assert not laws.same_function(A, R)
    assert ct.rank(R) == len(modes)
    for k, (before, after) in enumerate(zip(modes, laws.modes(R), strict=True)):
        if k < n and not isinstance(before.shape, int):
            assert not laws.coalesce(before, after)


@given(any_layouts())
def test_filter(A):
    assert not laws.filter(A, ct.filter(A))


@given(any_layouts())
def test_filter_zeros(A):
    R = ct.filter_zeros(A)
    wanted = [(1 if d == 0 else s, d) for s, d in laws.flat_modes(A)]
    assert laws.flat_modes(R) == wanted
    assert laws.congruent(R.shape, A.shape)


# --- composition


@given(with_walk())
@example((Layout((6, 2), (1, 10)), Layout((3, 4), (2, 3))))  # the modes of B carry
@example((Layout((8, 1), (1, 0)), Layout((5, (6, 1)), (1, (5, 0)))))
@example((Layout((4, 1), (1, 42)), Layout(12)))  # past the end along a size-1 mode
def test_composition(pair):
    checked(ct.composition, laws.composition, *pair)


@given(with_walk(("compact", "negative", "any"), signs=(1, -1)))
def test_composition_with_negative_strides(pair):
    checked(ct.composition, laws.composition, *pair)


@given(by_mode(whole=True))
def test_composition_by_mode(pair):
    A, tiler = pair
    assume(len(tiler) <= ct.rank(A))
    checked(ct.composition, lambda a, b, r: laws.by_mode(laws.composition, a, b, r), A, tiler)


@given(layouts(), st.data())
def test_with_shape(A, data):
    shape = data.draw(shapes(size=64))
    R = answer(ct.with_shape, A, shape)
    assert R is None or not laws.composition(A, Layout(shape), R)


@given(layouts())
def test_identities_compose_to_nothing_new(A):
    identity = Layout(A.shape)
    assert not laws.same_function(ct.composition(A, identity), A)
    assert not laws.same_function(ct.composition(Layout(1 << 20), A), A)


# --- complement and inverses


@given(layouts(), st.one_of(st.none(), st.integers(1, 200)))
def test_complement(A, cotarget):
    R = answer(ct.complement, A, cotarget)
    reach = cotarget or 1 + max(laws.values(laws.filtered(A)))
    if R is not None:
        assert not laws.complement(A, reach, R)
        assert not laws.tiles(A) or laws.values(R) == laws.greedy_copies(A, size(R))
    else:
        assert laws.overlap(A) or not laws.tiles(A)


@given(any_layouts())
def test_a_complement_that_is_refused_names_coordinates_that_meet(A):
    """Wherever two coordinates of the modes with a stride do meet; and only there."""
    moving = laws.filtered(A)
    offsets = laws.values(moving)
    try:
        ct.complement(A, 1)
    except LayoutError as refused:
        said = str(refused)
        if "from" not in said:
            assert "negative" in said or ("no two coordinates meet" in said) == (len(set(offsets)) == len(offsets))
            return
        at, one, other = re.search(r"offset (-?\d+) from (\S+) and from (\S+)\. ", said).groups()
        one, other = ct.parse_tuple(one), ct.parse_tuple(other)
        assert A(one) == A(other) == int(at)
        pairs = zip(laws.leaves(one), laws.leaves(other), laws.leaves(A.stride), laws.leaves(A.shape), strict=True)
        assert any(c != e and d for c, e, d, _s in pairs)
        assert all(
            0 <= c < s for coord in (one, other) for c, s in zip(laws.leaves(coord), laws.leaves(A.shape), strict=True)
        )


@pytest.mark.parametrize(
    ("layout", "words"),
    [
        ("(1000000,1000000):(1,999999)", "offset 999999 from (999999,0) and from (0,1)"),
        ("(1000000,1000000):(2,3)", "offset 6 from (3,0) and from (0,2)"),
        ("(10000,(10000,10000)):(1,(7,50))", "offset 7 from (7,(0,0)) and from (0,(1,0))"),
        ("(1000000,2):(2,1000001)", "no two coordinates meet, but CuTe refuses it too"),
    ],
)
def test_coordinates_that_meet_are_found_among_many(layout, words):
    """By arithmetic: trying 10**12 coordinates would take days."""
    with pytest.raises(LayoutError) as refused:
        ct.complement(Layout.parse(layout), 10**13)
    assert words in str(refused.value)


@given(layouts(INJECTIVE), shapes())
def test_complement_in_a_shape(A, target):
    """Mode by mode C++ may round a shape up too early, so that (A, R) stops short of it: only disjoint and in order."""
    R = answer(ct.complement, A, target)
    assert R is None or not laws.complement(A, 1, R)


@given(any_layouts())
def test_right_inverse(A):
    R = answer(ct.right_inverse, A)
    assert R is None or not laws.right_inverse(A, R)


@given(layouts(("compact",)))
def test_inverses_of_a_bijection_are_whole(A):
    assert size(ct.right_inverse(A)) == size(ct.left_inverse(A)) == size(A)


@given(any_layouts())
@example(Layout(((2, 1), (2, 1)), ((1, 0), (1, 0))))  # past its end this is not its coalesced form
def test_left_inverse(A):
    R = answer(ct.left_inverse, A)
    assert R is None or not laws.left_inverse(A, R)


@given(any_layouts())
def test_nullspace(A):
    assert not laws.nullspace(A, ct.nullspace(A))


# --- divides


def opened(A):
    """A's modes as composition sees them: coalesced, and a size-1 mode at the end kept where it turns elsewhere, for
    that is where an index past the end goes."""
    flat, (s, d) = ct.coalesce(A), laws.flat_modes(A)[-1]
    before, stride = laws.flat_modes(flat)[-1]
    if s != 1 or size(A) == 1 or d == before * stride:
        return flat
    return Layout((*laws.leaves(flat.shape), 1), (*laws.leaves(flat.stride), d))


def tracked(A, B, R):
    """The law of divides by the coordinates that the same divide visits in a layout whose offsets tell them."""
    flat = opened(A)
    visited = ct.logical_divide(Layout(*laws.tracker(flat.shape)), B, check=False)
    return laws.divide(A, B, R) or laws.tracked_divide(flat, B, R, visited)


@given(with_walk())
@example((Layout(3), Layout((2, 2), (1, 3))))  # the tiler's hole at 2 is filled by no copy
@example((Layout((3, 1), (1, 3)), Layout((2, 2), (1, 3))))  # nor where a size-1 mode at the end goes on like the last
@example((Layout((3, 1), (1, 1)), Layout((2, 2), (1, 3))))
@example((Layout((5, 1), (1, 1)), Layout((2, 2), (0, 1))))  # a tiler that repeats itself meets each cell twice
@example((Layout((3, 5), (1, 4)), Layout(2)))  # phantom cells in the middle
def test_logical_divide(pair):
    checked(ct.logical_divide, tracked, *pair)


@given(by_mode())
def test_divides_by_mode(case):
    """Each mode is divided by itself; zipped, tiled and flat rearrange the logical divide."""
    A, tiler = case
    assume(len(tiler) <= ct.rank(A))
    R = answer(ct.logical_divide, A, tiler)
    parts = [answer(ct.logical_divide, mode, t) for mode, t in zip(A, tiler, strict=False)]
    assert (R is None) == (None in parts)
    if R is not None:
        rearranged(R, parts, A, tiler, "divide")


@given(by_mode(INJECTIVE))
def test_products_by_mode(case):
    A, tiler = case
    assume(len(tiler) <= ct.rank(A))
    R = answer(ct.logical_product, A, tiler)
    parts = [answer(ct.logical_product, mode, t) for mode, t in zip(A, tiler, strict=False)]
    assert (R is None) == (None in parts)
    if R is not None:
        rearranged(R, parts, A, tiler, "product")


def rearranged(R, parts, A, tiler, kind):
    n = len(tiler)
    rest = list(A)[n:]
    assert list(R) == [*parts, *rest]
    first, second = [part[0] for part in parts], [part[1] for part in parts]
    tile, others = ct.make_layout(*first), ct.make_layout(*second, *rest)
    assert getattr(ct, f"zipped_{kind}")(A, tiler) == ct.make_layout(tile, others)
    assert getattr(ct, f"tiled_{kind}")(A, tiler) == ct.make_layout(tile, *spread(others))
    assert getattr(ct, f"flat_{kind}")(A, tiler) == ct.make_layout(*spread(tile), *spread(others))


def spread(layout):
    """The modes side by side; a single one stays wrapped, as in C++ (its `repeat<1>(_)` is `_`)."""
    return list(layout) if ct.rank(layout) > 1 else [layout]


@given(with_walk())
def test_forms_of_a_walk(pair):
    """A Layout as tiler is one walk: zipped is logical; tiled and flat set the modes of the two parts side by side."""
    A, B = pair
    for kind in ("divide", "product"):
        R = answer(getattr(ct, f"logical_{kind}"), A, B)
        forms = [answer(getattr(ct, f"{form}_{kind}"), A, B) for form in ("zipped", "tiled", "flat")]
        if R is None:
            assert forms == [None] * 3
            continue
        assert forms[0] == R
        assert not laws.same_function(forms[1], R)
        assert not laws.same_function(forms[2], R)
        assert forms[1][0] == R[0]


# --- products


@given(with_walk(size=24))
def test_logical_product(pair):
    checked(ct.logical_product, laws.product, *pair)


@given(with_walk(size=24))
def test_blocked_and_raked_products(pair):
    """The cells of the logical product: block coordinate and tile coordinate, mode by mode, in either order."""
    A, B = pair
    logical = answer(ct.logical_product, A, B)
    blocked, raked = answer(ct.blocked_product, A, B), answer(ct.raked_product, A, B)
    if logical is None:
        assert blocked is raked is None
        return
    n = max(ct.rank(A), ct.rank(B))
    for a, wanted in enumerate(laws.values(logical)):
        block, tile = divmod(a, size(A))[::-1]
        block, tile = (padded(laws.digits(i, x.shape), n) for i, x in ((block, A), (tile, B)))
        assert laws.at_coord(blocked, tuple(zip(block, tile, strict=True))) == wanted
        assert laws.at_coord(raked, tuple(zip(tile, block, strict=True))) == wanted


def padded(coord, n):
    coord = coord if isinstance(coord, tuple) else (coord,)
    return coord + (0,) * (n - len(coord))


@given(layouts(INJECTIVE, size=24), st.data())
def test_tile_to_shape(block, data):
    extents = [laws.size(mode) for mode in laws.modes(block)]
    extents += [1] * data.draw(st.integers(0, 1))
    target = tuple(n * data.draw(st.sampled_from([1, 2, 3])) for n in extents)
    order = data.draw(
        st.one_of(st.just(LayoutLeft), st.just(LayoutRight), st.permutations(range(len(target))).map(tuple))
    )
    R = answer(ct.tile_to_shape, block, target, order)
    assert R is None or not laws.tile_to_shape(block, target, R)


# --- recasting


@given(layouts(("compact",)), st.sampled_from([1, 2, 3, 4, 8]))
def test_upcast_counts_in_larger_elements(A, n):
    R = answer(ct.upcast, A, n)
    assert R is None or set(laws.values(R)) == {offset // n for offset in laws.values(A)}


@given(layouts(("compact",)), st.sampled_from([1, 2, 3, 4]))
def test_downcast_counts_in_smaller_elements(A, n):
    assume([d for _s, d in laws.flat_modes(A)].count(1) == 1)
    R = answer(ct.downcast, A, n)
    assert R is None or set(laws.values(R)) == {offset * n + part for offset in laws.values(A) for part in range(n)}


@given(layouts(("compact", "padded")), st.sampled_from([(16, 32), (32, 16), (8, 64), (16, 16), (64, 8)]))
def test_recast_is_upcast_or_downcast(A, bits):
    old, new = bits
    wanted = answer(ct.upcast, A, new // old) if new >= old else answer(ct.downcast, A, old // new)
    assert answer(ct.recast, A, old, new) == (A if old == new else wanted)


@given(layouts(), st.data())
def test_max_common_layout(A, data):
    B = data.draw(st.one_of(layouts(), st.just(A), walks(A)))
    R = answer(ct.max_common_layout, A, B)
    if R is not None:
        assert not laws.right_inverse(A, R)
        assert not laws.right_inverse(B, R)
        assert ct.max_common_vector(A, B) == size(R)


@given(layouts(INJECTIVE))
def test_max_alignment_can_be_upcast(A):
    n = answer(ct.max_alignment, A)
    assert n is None or ct.upcast(ct.coalesce(A), n)


# --- one by one, or many at once


def words(call):
    try:
        return str(call())
    except LayoutError as refused:
        return str(refused)


@given(any_layouts(), any_layouts(), st.booleans())
def test_many_at_once_gives_what_one_by_one_gives(A, B, coordinates):
    """From some thousands of cells on the laws are checked as arrays: the same answers, and the same words."""
    A = ct.make_identity_layout(A.shape) if coordinates else A
    calls = [lambda: ct.logical_divide(A, B), lambda: ct.composition(A, B), lambda: ct.left_inverse(A)]
    one_by_one = list(map(words, calls))
    with mock.patch("cutelearn.algebra.AT_ONCE", 0), mock.patch("cutelearn.tiling.AT_ONCE", 0):
        assert list(map(words, calls)) == one_by_one


def test_a_million_million_cells_are_no_matter():
    """What cannot be told by arithmetic alone is refused, not tried."""
    A = Layout(((1000, 1000), (1000, 1000)), ((1, 10**6), (1000, 10**9)))
    assert (
        str(ct.logical_divide(A, (3, 5)))
        == "((3,(334,1000)),(5,(200,1000))):((1,(3,1000000)),(1000,(5000,1000000000)))"
    )
    with pytest.raises(LayoutError, match="has 1000000000000 offsets, more than are listed at once"):
        A.offsets()
    swizzled = ct.composition(ct.Swizzle(3, 4, 3), Layout((1 << 20, 1 << 20), LayoutRight))
    assert ct.cosize(swizzled) == 1 << 40
    with pytest.raises(LayoutError, match="more than are listed at once"):
        ct.swizzle_moves(swizzled)
