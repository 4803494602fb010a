"""Layouts as functions and as texts: evaluation, coordinates, slicing, printing, comparing, on generated layouts."""

import contextlib
import copy
import pickle
import re

import laws
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from strategies import any_layouts, coordinates, layouts, shapes

import cutelearn as ct
from cutelearn import Layout, LayoutError, LayoutLeft, LayoutRight, size

# --- evaluation


@given(any_layouts())
def test_every_way_to_evaluate(A):
    wanted = laws.values(A)
    assert A.offsets().tolist() == wanted
    for i, offset in enumerate(wanted):
        coord = laws.digits(i, A.shape)
        assert A(i) == A(coord) == ct.crd2idx(coord, A) == ct.crd2idx(i, A.shape, A.stride) == offset
        if ct.rank(A) > 1:
            assert A(*coord) == offset


@given(any_layouts(), st.integers(-500, 2000))
def test_outside_the_domain_the_last_mode_goes_on(A, i):
    assert A(i) == laws.at(A, i)


@given(any_layouts(), st.data())
def test_a_coordinate_may_have_fewer_parentheses(A, data):
    coord = data.draw(coordinates(A.shape))
    assert A(coord) == laws.at_coord(A, coord)


@given(shapes(), st.integers(0, 400))
@example((1, 1), 1)
def test_index_and_coordinate_are_one_number(shape, i):
    coord = ct.idx2crd(i, shape)
    assert coord == laws.digits(i, shape)
    assert ct.crd2idx(coord, shape) == i


@given(shapes(), st.data())
def test_crd2crd_counts_the_same_cell(shape, data):
    coord = data.draw(coordinates(shape))
    for other in (laws.extent(shape), data.draw(shapes()), shape):
        if laws.extent(other) == laws.extent(shape):
            assert ct.crd2idx(ct.crd2crd(coord, shape, other), other) == ct.crd2idx(coord, shape)


@given(shapes())
def test_identity_layout_gives_the_coordinate_back(shape):
    identity = ct.make_identity_layout(shape)
    for i in range(laws.extent(shape)):
        coord = laws.digits(i, shape)
        assert identity(i) == identity(coord) == coord


@given(layouts(("compact",)))
def test_a_compact_layout_reads_backwards(A):
    for i, offset in enumerate(laws.values(A)):
        coord = laws.digits(i, A.shape)
        assert ct.get_hier_coord(offset, A) == coord
        assert ct.get_1d_coord(offset, A) == i
        flat = ct.get_flat_coord(offset, A)
        assert flat == (i if isinstance(coord, int) else laws.digits(i, tuple(laws.extent(s) for s in A.shape)))


@given(layouts())
def test_cosize_is_the_last_offset_and_one(A):
    assert ct.cosize(A) == max(laws.values(A)) + 1


# --- slicing


def without_underscores(coord):
    """`_` as None, which is how laws.py writes a kept mode."""
    if coord is ct._:
        return None
    return tuple(map(without_underscores, coord)) if isinstance(coord, tuple) else coord


@given(any_layouts(), st.data())
def test_a_slice_keeps_the_function(A, data):
    coord = data.draw(coordinates(A.shape, keep=True))
    cut, offset = ct.slice_and_offset(coord, A)
    kept = without_underscores(coord)
    if None not in laws.leaves_or_none(kept):
        assert offset == A(coord)
        return
    assert not laws.sliced(A, kept, offset, cut)
    assert cut == A(coord) == ct.slice_layout(coord, A)


# --- structure


@given(any_layouts())
def test_flatten_is_the_same_function(A):
    R = ct.flatten(A)
    assert not laws.same_function(A, R)
    assert laws.flat_modes(R) == laws.flat_modes(A)
    assert isinstance(R.shape, int) or all(isinstance(s, int) for s in R.shape)


@given(any_layouts(), st.data())
def test_group_take_select(A, data):
    n = ct.rank(A)
    begin = data.draw(st.integers(0, n - 1))
    end = data.draw(st.integers(begin + 1, n))
    if not isinstance(A.shape, int):
        grouped = ct.group(A, begin, end)
        assert not laws.same_function(A, grouped)
        assert ct.rank(grouped) == n - (end - begin) + 1
        assert ct.take(A, begin, end) == ct.select(A, *range(begin, end)) == ct.make_layout(*list(A)[begin:end])


@given(any_layouts())
def test_modes_make_the_layout(A):
    modes = [ct.mode(A, k) for k in range(ct.rank(A))]
    assert modes == list(A)
    assert isinstance(A.shape, int) or ct.make_layout(*modes) == A
    total = sum(laws.at_coord(mode, c) for mode, c in zip(modes, [size(m) - 1 for m in modes], strict=True))
    assert total == A(size(A) - 1)


@given(layouts(), layouts(), st.data())
def test_append_prepend_replace(A, B, data):
    modes, k = list(A), data.draw(st.integers(0, ct.rank(A) - 1))
    assert list(ct.append(A, B)) == [*modes, B]
    assert list(ct.prepend(A, B)) == [B, *modes]
    if not isinstance(A.shape, int):
        assert list(ct.replace(A, k, B)) == [*modes[:k], B, *modes[k + 1 :]]


# --- making


@given(shapes())
def test_left_and_right_are_compact(shape):
    left, right = ct.make_layout(shape, LayoutLeft), Layout(shape, LayoutRight)
    n = laws.extent(shape)
    assert left == Layout(shape)
    assert laws.values(left) == list(range(n))
    assert sorted(laws.values(right)) == list(range(n))
    strides = [d for s, d in laws.flat_modes(right) if s > 1]
    assert strides == sorted(strides, reverse=True)
    assert ct.compact_col_major(shape) == left.stride
    assert ct.compact_row_major(shape) == right.stride


@given(shapes(), st.data())
def test_ordered_layout_is_compact_and_in_order(shape, data):
    sizes = laws.leaves(shape)
    rank_of = data.draw(st.permutations(range(len(sizes))))
    from strategies import refill

    A = ct.make_ordered_layout(shape, refill(shape, iter(rank_of)))
    assert sorted(laws.values(A)) == list(range(laws.extent(shape)))
    by_order = [d for _rank, s, d in sorted(zip(rank_of, sizes, laws.leaves(A.stride), strict=True)) if s > 1]
    assert by_order == sorted(by_order)


@given(layouts())
def test_a_layout_like_another(A):
    R = ct.make_layout_like(A)
    assert R.shape == A.shape
    pairs = [(d, e) for (s, d), e in zip(laws.flat_modes(A), laws.leaves(R.stride), strict=True) if s > 1]
    assert all((d == 0) == (e == 0) for d, e in pairs)
    assert all(e <= f for d, e in pairs for c, f in pairs if d < c)
    if len({d for d, _e in pairs}) < len(pairs):
        return  # modes with the same stride get the same stride again, as in C++
    kept = laws.filtered(R)
    assert sorted(laws.values(kept)) == list(range(laws.size(kept)))


@given(layouts())
def test_a_fragment_like_another_has_a_cell_for_each_value(A):
    R = ct.make_fragment_like(A)
    assert size(R) == size(A)
    assert ct.cosize(R) <= size(A)
    assert len(set(laws.values(R))) >= len(set(laws.values(laws.filtered(A)))) or not laws.is_injective(
        laws.filtered(A)
    )


# --- comparing profiles


@given(shapes(), shapes())
def test_profiles_compare_as_defined(a, b):
    assert ct.congruent(a, b) == laws.congruent(a, b)
    assert ct.compatible(a, b) == laws.compatible(a, b)
    assert not ct.compatible(a, b) or ct.weakly_congruent(a, b)
    assert not ct.congruent(a, b) or ct.weakly_congruent(a, b)
    assert (ct.compatible(a, b) and ct.compatible(b, a)) == (a == b)
    assert ct.congruent(a, a)
    assert ct.compatible(a, a)
    assert ct.compatible(laws.extent(a), a)


@given(shapes(), shapes(), shapes())
def test_compatible_hands_on(a, b, c):
    for relation in (ct.compatible, ct.congruent, ct.weakly_congruent):
        assert not (relation(a, b) and relation(b, c)) or relation(a, c)


@given(shapes(), st.integers(1, 40))
def test_ceil_div_covers_and_shape_div_divides(shape, n):
    cut = ct.ceil_div(shape, n)
    assert laws.congruent(cut, shape)
    assert laws.extent(cut) * n >= laws.extent(shape) or not isinstance(shape, int)
    try:
        exact = ct.shape_div(shape, n)
    except ct.LayoutError:
        return
    assert exact == cut
    assert laws.extent(exact) * n == laws.extent(shape) or n > laws.extent(shape) or laws.extent(exact) * n >= 1


# --- text


def underscored(printed):
    """The print with static integers, as CuTe writes it: an underscore before every number but a mode after @."""
    return re.sub(r"(?<![\d@_-])(-?\d+)", r"_\1", printed)


@given(any_layouts())
@example(Layout((4,), (-1,)))
def test_print_and_parse(A):
    assert Layout.parse(str(A)) == Layout.parse(ct.to_cpp(A)) == Layout.parse(underscored(str(A))) == A
    spaced = re.sub(r"([(),:<>])", r" \1 ", str(A))
    assert Layout.parse(spaced) == A


@given(shapes())
def test_identity_layouts_print_and_parse(shape):
    identity = ct.make_identity_layout(shape)
    assert Layout.parse(str(identity)) == Layout.parse(underscored(str(identity))) == identity


@pytest.mark.parametrize("one", [ct.LayoutLeft, ct.LayoutRight, ct._, ct.X], ids=str)
def test_there_is_one_of_each(one):
    """However it is copied: functions ask by `is` and by type which one it is."""
    assert copy.copy(one) is copy.deepcopy(one) is one
    assert all(pickle.loads(pickle.dumps(one, protocol)) is one for protocol in range(pickle.HIGHEST_PROTOCOL + 1))
    assert ct.make_layout((4, 8), copy.deepcopy(ct.LayoutRight)) == Layout((4, 8), (8, 1))


def test_a_text_with_a_number_too_long_to_read():
    """Python itself stops at 4300 digits; the line is shown round the fault only."""
    with pytest.raises(LayoutError, match="a number of 5000 digits: no extent or stride is so long") as refused:
        Layout.parse("(4,8):(1," + "9" * 5000 + ")")
    _why, line, caret = str(refused.value).split("\n")
    assert len(line) < 200
    assert line[caret.index("^") - 1 :].startswith(",999")


@given(layouts(), layouts())
def test_equal_means_equal_in_every_way(A, B):
    same = (A.shape, A.stride) == (B.shape, B.stride)
    assert (A == B) == same == (str(A) == str(B))
    assert not same or hash(A) == hash(B)
    twin = pickle.loads(pickle.dumps(A))
    assert twin == A
    assert len({A, twin, Layout(A.shape, A.stride)}) == 1


LETTERS = st.text("0123456789(),:_<>@-{} .Layouthpestrid;=/*\n", max_size=30)


@given(st.one_of(LETTERS, st.tuples(any_layouts().map(str), st.integers(0, 40), LETTERS)))
def test_any_text_is_read_or_refused_in_words(source):
    """Nonsense, and good text with nonsense put in somewhere: a layout, or a LayoutError; never a traceback from inside."""
    if isinstance(source, tuple):
        good, at, more = source
        source = good[:at] + more + good[at:]
    for read in (Layout.parse, ct.ComposedLayout.parse, ct.parse_tuple, ct.parse_tiler):
        with contextlib.suppress(ct.LayoutError):
            read(source)


@pytest.mark.parametrize("A", [Layout(4, 2**62), Layout(4, 10**20), Layout((2, 2), (2**62, -(2**62)))])
def test_offsets_beyond_64_bits_are_refused_and_not_wrapped(A):
    assert A(1) == A.stride if isinstance(A.stride, int) else A(1) == A.stride[0]
    with pytest.raises(ct.LayoutError, match="do not fit into 64 bits"):
        A.offsets()


@pytest.mark.parametrize("junk", [float("inf"), float("nan"), 1.5])
def test_no_number_of_cells(junk):
    with pytest.raises(ct.LayoutError, match="only integers can count cells"):
        Layout(junk)
