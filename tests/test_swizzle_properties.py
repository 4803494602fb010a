"""Swizzles and composed layouts on generated ones: bijections, involutions, and the function that each operation keeps."""

import pickle
import re
from functools import reduce
from operator import xor
from unittest import mock

import laws
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import by_mode, coordinates, layouts

import cutelearn as ct
from cutelearn import ComposedLayout, Layout, LayoutError, LayoutRight, Swizzle, _, right_inverse, size
from cutelearn.algebra import through
from cutelearn.swizzle import _by_bits


@st.composite
def swizzles(draw):
    bits = draw(st.integers(0, 3))
    shift = draw(st.integers(bits, 4)) * draw(st.sampled_from([1, 1, -1]))
    return Swizzle(bits, draw(st.integers(0, 3)), shift)


@st.composite
def composed(draw, kinds=("compact", "padded", "broadcast", "any")):
    return ComposedLayout(draw(swizzles()), draw(st.sampled_from([0, 0, 1, 8, 24, 72])), draw(layouts(kinds)))


def values(c):
    """By the definition alone: XOR of the bits after offset and layout."""
    return [by_bits(c.outer, c.offset + offset) for offset in laws.values(c.inner)]


def by_bits(sw, x):
    """Bit by bit: bit M+|S|+j is read and flips bit M+j (S > 0), or the other way round."""
    for j in range(sw.bits):
        high, low = sw.base + abs(sw.shift) + j, sw.base + j
        read, flipped = (high, low) if sw.shift >= 0 else (low, high)
        x ^= (x >> read & 1) << flipped
    return x


def called(c):
    return [c(i) for i in range(size(c))]


@given(swizzles(), st.integers(0, 1 << 14))
def test_a_swizzle_moves_bits_and_back(sw, x):
    assert sw(x) == by_bits(sw, x)
    assert sw(sw(x)) == x
    assert sw(x) >> sw.base + sw.bits + abs(sw.shift) == x >> sw.base + sw.bits + abs(sw.shift)
    assert sw(x) % (1 << sw.base) == x % (1 << sw.base)


@given(composed())
def test_a_composed_layout_is_its_definition(c):
    assert called(c) == values(c) == c.offsets().tolist()
    assert (c.shape, size(c), ct.rank(c)) == (c.inner.shape, size(c.inner), ct.rank(c.inner))


@given(composed(("compact", "padded", "any", "broadcast")), st.data())
def test_a_slice_keeps_the_function(c, data):
    coord = data.draw(coordinates(c.shape, keep=True))
    cut, offset = ct.slice_and_offset(coord, c)
    plain, before = ct.slice_and_offset(coord, c.inner)
    if not ct.htuple.has_underscore(coord):
        assert offset == c(coord) or offset + cut(()) == c(coord)
        return
    assert size(cut) == size(plain)
    assert [offset + v for v in called(cut)] == [by_bits(c.outer, c.offset + before + v) for v in laws.values(plain)]


@given(composed())
def test_coalesce_flatten_filter_act_inside(c):
    assert values_of(ct.coalesce(c)) == values_of(ct.flatten(c)) == values(c)
    assert set(values_of(ct.filter(c))) == set(values(c))


def values_of(x):
    return called(x)


@given(composed(), st.data())
def test_composition_on_the_right_acts_inside(c, data):
    B = data.draw(layouts(size=32))
    try:
        R = ct.composition(c, B)
    except LayoutError:
        return
    assert called(R) == [by_bits(c.outer, c.offset + laws.at(c.inner, laws.at(B, i))) for i in range(size(B))]


@given(by_mode(("compact", "padded")), swizzles())
def test_divides_act_inside(case, sw):
    A, tiler = case
    for form in ("logical", "zipped", "tiled", "flat"):
        divide = getattr(ct, f"{form}_divide")
        try:
            plain = divide(A, tiler)
        except LayoutError:
            continue
        assert called(divide(ComposedLayout(sw, 0, A), tiler)) == [by_bits(sw, v) for v in laws.values(plain)]


@given(composed(("compact",)))
def test_inverses_of_swizzled_bijections(c):
    for inverse in (ct.left_inverse, ct.right_inverse):
        try:
            R = inverse(c)
        except LayoutError:
            continue
        if max(values(c)) < size(c):
            assert [R(c(i)) for i in range(size(c))] == list(range(size(c)))


@given(composed(("compact", "padded")), st.sampled_from([2, 4]))
def test_upcast_and_downcast_undo_each_other(c, n):
    try:
        R = ct.upcast(ct.downcast(c, n), n)
    except LayoutError:
        return
    assert called(R) == values(c)


@given(composed(), composed())
def test_text_and_equality(a, b):
    assert ComposedLayout.parse(str(a)) == (a if a.outer.bits or a.offset else a.inner)
    assert pickle.loads(pickle.dumps(a)) == a
    assert hash(pickle.loads(pickle.dumps(a))) == hash(a)
    assert (a == b) == (str(a) == str(b))
    assert a != a.inner


def test_a_plain_layout_is_left_where_the_swizzle_does_nothing():
    assert ct.composition(Swizzle(0, 3, 3), Layout((8, 8))) == Layout((8, 8))


# --- by bits, or by trying


@given(composed(), st.data())
def test_few_cells_and_many_give_one_answer(c, data):
    """What is decided on bits where there are many cells is what trying every cell decides."""
    coord = data.draw(coordinates(c.shape, keep=True))
    calls = [lambda: ct.slice_and_offset(coord, c), lambda: right_inverse(c), lambda: ct.left_inverse(c)]
    calls += [lambda: ct.composition(c.inner, c.outer), lambda: ct.cosize(c)]

    def outcome(call):
        try:
            return str(call())
        except LayoutError as refused:
            return re.sub(r"at \d+: .*", "", str(refused))  # which cell shows it may differ

    tried = [outcome(call) for call in calls]
    with (
        mock.patch.multiple("cutelearn.swizzle", AT_ONCE=0, _FEW=0),
        mock.patch.multiple("cutelearn.algebra", AT_ONCE=0),
    ):
        assert [outcome(call) for call in calls] == tried


POWERS = st.lists(st.sampled_from([1, 2, 4, 8]), min_size=1, max_size=4)


@given(POWERS, st.data())
def test_where_bits_decide_each_flips_its_own(extents, data):
    strides = data.draw(
        st.lists(st.sampled_from([0, 1, 2, 4, 8, 16, 32, 3, -4]), min_size=len(extents), max_size=len(extents))
    )
    maps = (Layout(tuple(extents), tuple(strides)), data.draw(st.sampled_from([0, 1, 64, 72])), data.draw(swizzles()))
    n = size(maps[0])
    if _by_bits(maps, n):
        wanted = through(maps, 0)
        for i in range(n):
            flips = [through(maps, 0) ^ through(maps, 1 << k) for k in range(n.bit_length()) if i >> k & 1]
            assert through(maps, i) == reduce(xor, flips, wanted)


def test_swizzled_layouts_of_a_million_million_cells():
    """Nobody tries them all."""
    A = ct.composition(Swizzle(3, 4, 3), Layout((1 << 20, 1 << 20), LayoutRight))
    assert str(right_inverse(A)) == str(ct.left_inverse(A)) == "Sw<3,24,3> o 0 o (1048576,1048576):(1048576,1)"
    assert str(A(_, 5)) == "(1048576):(1048576)"
    assert str(A(5, _)) == "Sw<3,4,3> o 0 o (1048576):(1)"
    ragged = ct.composition(Swizzle(3, 4, 3), Layout((1 << 20, 1000000), (1 << 20, 1)))
    for i in (0, 1, 77, 1 << 33, 999999 << 20, (1000000 << 20) - 1):
        assert ct.left_inverse(ragged)(ragged(i)) == i
    with pytest.raises(LayoutError, match="has 3298534883328 cells, too many to check"):
        right_inverse(ct.composition(Swizzle(3, 4, 3), Layout((3 << 20, 1 << 20), LayoutRight)))


@pytest.mark.parametrize("text", ["Sw<2,0,-3> o 0 o (4,1):(1,0)", "Sw<2,2,-3> o 0 o ((5,2),2):((1,24),12)"])
def test_an_inverse_that_leaves_the_layout_is_refused(text):
    with pytest.raises(LayoutError, match="fails the law at"):
        right_inverse(ComposedLayout.parse(text))
