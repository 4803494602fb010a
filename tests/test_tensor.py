"""Tensors: elements, slices, views of numpy memory, owners, the algebra on tensors, identity tensors, printing.

Elements are compared with tests/laws.py, which shares no code with cutelearn.
"""

import pickle

import laws
import numpy as np
import pytest
from calls import read
from hypothesis import assume, given
from hypothesis import strategies as st
from strategies import any_layouts, by_mode, coordinates, layouts, shapes, walks

import cutelearn as ct
from cutelearn import (
    ComposedLayout,
    Layout,
    LayoutError,
    LayoutRight,
    Swizzle,
    Tensor,
    _,
    make_gmem_ptr,
    make_identity_tensor,
    make_rmem_ptr,
    make_smem_ptr,
    make_tensor,
    make_tensor_like,
    size,
)

DIVIDES = ["logical_divide", "zipped_divide", "tiled_divide", "flat_divide"]


def over(layout):
    """A tensor of this layout on memory that it just fits, every element another number."""
    offsets = layout.offsets()
    low = int(offsets.min())
    return Tensor(np.arange(int(offsets.max()) - low + 1) + 1000, layout, -low)


def underscores(coord):
    return sum(map(underscores, coord)) if isinstance(coord, tuple) else coord is _


def filled(coord, kept):
    """`coord` with the next of `kept` in place of every underscore."""
    if isinstance(coord, tuple):
        return tuple(filled(c, kept) for c in coord)
    return next(kept) if coord is _ else coord


def kept(t, i):
    """Element i as one index a mode of the slice."""
    return iter(laws.digits(i, tuple(map(laws.extent, t.shape))))


@st.composite
def swizzled(draw):
    """A composed layout whose memory CuTe's cosize counts rightly: a swizzle over a compact tile."""
    swizzle = Swizzle(draw(st.integers(1, 3)), draw(st.integers(0, 3)), 3)
    rows, columns = draw(st.sampled_from([(8, 16), (16, 8), (4, 64), (8, 64)]))
    inner = Layout((rows, columns), draw(st.sampled_from([None, LayoutRight])))
    assume(max(ct.compose(swizzle, 0, inner).offsets()) < size(inner))
    return ComposedLayout(swizzle, 0, inner)


# --- elements


@given(st.data())
def test_an_element_lies_where_the_layout_says(data):
    A = data.draw(any_layouts())
    t = over(A)
    coord = data.draw(coordinates(A.shape))
    where = t.offset + laws.at_coord(A, coord)
    assert t[coord] == t(coord) == t.engine[where] == 1000 + where
    t[coord] = -1
    assert np.flatnonzero(t.engine == -1).tolist() == [where]


@given(any_layouts(), st.integers(0, 60))
def test_access_outside_of_the_memory_is_an_index_error(A, n):
    whole = over(A)
    t = Tensor(whole.engine[:n], A, whole.offset)
    for i, offset in enumerate(laws.values(A)):
        if t.offset + offset < n:
            assert t[i] == 1000 + t.offset + offset
        else:
            with pytest.raises(IndexError, match=rf"offset {t.offset + offset}, but the memory has {n} elements"):
                t[i]


def test_a_coordinate_past_the_shape_is_cutes_until_it_leaves_the_memory():
    t = make_tensor(np.arange(32), (4, 4))
    assert t[0, 5] == t[20] == 20
    assert t[7, 0] == 7  # the memory decides, not the shape
    with pytest.raises(
        IndexError, match=r"\(0,8\) .* offset 32, .* 32 elements, 0 to 31: .*outside of the shape \(4,4\)"
    ):
        t[0, 8]
    with pytest.raises(IndexError, match="offset -1"):
        t[-1]
    with pytest.raises(IndexError, match="the layout reaches further than the memory"):
        make_tensor(np.arange(8), (4, 4))[3, 3]


@given(any_layouts())
def test_all_elements_in_the_order_of_1d_coordinates(A):
    t = over(A)
    wanted = [1000 + t.offset + offset for offset in laws.values(A)]
    assert list(t) == wanted
    assert len(t) == len(wanted)
    assert t.offsets().tolist() == [w - 1000 for w in wanted]
    assert t.to_numpy().ravel(order="F").tolist() == wanted
    assert np.asarray(t, dtype=float).shape == tuple(laws.size(m) for m in laws.modes(A))


@given(swizzled(), st.data())
def test_a_swizzled_tensor(A, data):
    t = over(A)
    coord = data.draw(coordinates(A.shape))
    assert t[coord] == 1000 + A(coord)
    t[coord] = -1
    assert t.to_numpy().ravel(order="F").tolist().index(-1) == laws.at_coord(Layout(A.shape), coord)


def test_any_engine_with_index_and_length():
    t = make_tensor(["a", "b", "c", "d"], (2, 2))
    assert str(t) == "ptr o (2,2):(1,2)"
    assert t.dtype is None
    t[1, 1] = "e"
    assert [*t] == ["a", "b", "c", "e"]
    assert t.to_numpy().tolist() == [["a", "c"], ["b", "e"]]
    assert make_tensor(range(100), (10, 10))[3, 4] == 43


# --- slices


@given(st.data())
def test_a_slice_is_the_tensor_with_some_coordinates_fixed(data):
    A = data.draw(any_layouts())
    t, coord = over(A), data.draw(coordinates(A.shape, keep=True))
    assume(underscores(coord))
    s = t[coord]
    assert s.engine is t.engine
    assert coord is _ or ct.rank(s) == underscores(coord)
    for i in range(size(s)):
        assert s[i] == t[filled(coord, iter([i]) if coord is _ else kept(s, i))]


@given(swizzled(), st.data())
def test_a_slice_of_a_swizzled_tensor_adds_before_the_swizzle(A, data):
    t, coord = over(A), data.draw(coordinates(A.shape, keep=True))
    assume(underscores(coord))
    s = t[coord]
    for i in range(size(s)):
        assert s[i] == t[filled(coord, iter([i]) if coord is _ else kept(s, i))]


def test_colon_is_underscore():
    t = over(Layout(((3, 2), (2, 5, 2))))
    for colons, under in [(t[:, 5], t[_, 5]), (t[(slice(None), 1), :], t[(_, 1), _]), (t[:], t[_])]:
        assert (colons.layout, colons.offset) == (under.layout, under.offset)


def test_slice_and_offset_of_a_tensor_is_its_layouts():
    t = make_tensor(np.arange(64), (8, 8))[_, 2]
    assert ct.slice_and_offset((3,), t) == ct.slice_and_offset((3,), t.layout) == (Layout((), ()), 3)


def test_the_rank_of_a_slice_depends_on_where_the_underscores_are():
    t = make_tensor(np.arange(240), Layout(((3, 2), (2, 5, 2)), ((4, 1), (2, 13, 100))))
    assert [str(t[c]) for c in [(_, 5), ((_, _), 5), ((_, 1), (0, _, 1))]] == [
        "ptr[64b]+28 o ((3,2)):((4,1))",
        "ptr[64b]+28 o (3,2):(4,1)",
        "ptr[64b]+101 o (3,5):(4,13)",
    ]


# --- views of numpy arrays


@st.composite
def arrays(draw):
    """A numpy array of up to three dimensions, cut, transposed and reversed."""
    dtype = draw(st.sampled_from([np.float16, np.float32, np.int64, np.complex64]))
    extents = draw(st.lists(st.integers(1, 6), min_size=1, max_size=3))
    array = np.arange(int(np.prod(extents))).astype(dtype).reshape(extents)
    cuts = [
        draw(st.sampled_from([slice(None), slice(None, None, 2), slice(None, None, -1), slice(1)])) for _e in extents
    ]
    return array[tuple(cuts)].transpose(draw(st.permutations(range(len(extents)))))


@given(arrays())
def test_an_array_without_a_layout_is_viewed_as_it_lies(array):
    t = make_tensor(array)
    assert t.shape == (array.shape if array.ndim > 1 else array.shape[0])
    assert np.array_equal(t.to_numpy(), array)
    assert np.shares_memory(t.engine, array)
    t[size(t) - 1] = 77
    assert array[(-1,) * array.ndim] == 77


@pytest.mark.parametrize("order", ["C", "F"])
def test_a_layout_on_an_array_counts_its_flat_memory(order):
    array = np.asarray(np.arange(12).reshape(3, 4), order=order)
    t = make_tensor(array, 12)
    assert t.to_numpy().tolist() == array.ravel(order="K").tolist()
    t[5] = 99
    assert 99 in array


def test_a_column_of_a_wider_array_keeps_the_leading_dimension():
    t = make_tensor(np.arange(32).reshape(4, 8)[1:3, 2:5])
    assert str(t) == "ptr[64b] o (2,3):(8,1)"
    assert t.to_numpy().tolist() == [[10, 11, 12], [18, 19, 20]]


def test_a_single_number_is_a_tensor_of_rank_0():
    t = make_tensor(np.array(5.0))
    assert (str(t), t[()], len(t), t.to_numpy().shape) == ("ptr[64b] o ():()", 5.0, 1, ())


# --- owners


@given(layouts(), st.sampled_from([np.float32, np.int8, bool, "float16", np.dtype(">i4")]))
def test_an_owner_has_cosize_elements_of_its_type(A, dtype):
    t = make_tensor(dtype, A)
    assert len(t.engine) == laws.at(A, size(A) - 1) + 1
    assert t.dtype == np.dtype(dtype)
    assert not t.to_numpy().any()


def strides_in_order(layout):
    return [d for s, d in laws.flat_modes(layout) if s != 1 and d != 0]


@given(layouts(kinds=("compact", "padded")))
def test_make_tensor_like_is_compact_and_keeps_the_order(A):
    t = make_tensor_like(over(A))
    assert t.shape == A.shape
    assert sorted(laws.values(t.layout)) == list(range(size(A)))
    assert np.argsort(strides_in_order(t.layout)).tolist() == np.argsort(strides_in_order(A)).tolist()
    assert make_tensor_like(over(A), np.float16).dtype == np.float16


def test_make_tensor_like_drops_the_swizzle():
    t = make_tensor(np.float16, ct.composition(Swizzle(3, 3, 3), Layout((8, 64), LayoutRight)))
    assert str(make_tensor_like(t)) == "ptr[16b] o (8,64):(64,1)"
    assert str(ct.make_fragment_like(t)) == "ptr[16b] o (8,(64)):(1,(8))"


@given(layouts(kinds=("compact", "padded")))
def test_make_fragment_like_is_the_layouts(A):
    t = ct.make_fragment_like(over(A))
    assert t.layout == ct.make_fragment_like(A)
    assert sorted(laws.values(t.layout)) == list(range(size(A)))


# --- places and pointers


def test_places_show_and_stay():
    array = np.zeros(32, np.float32)
    for place, make in [("gmem", make_gmem_ptr), ("smem", make_smem_ptr), ("rmem", make_rmem_ptr)]:
        t = make_tensor(make(array), (4, 8))
        assert str(t) == f"{place}_ptr[32b] o (4,8):(1,4)"
        assert t.memory == t[_, 2].memory == ct.flatten(t).memory == t.recast(np.int16).memory == place
    assert str(make_tensor(make_gmem_ptr(np.zeros((4, 8), np.int8)))) == "gmem_ptr[8b] o (4,8):(8,1)"


def test_a_pointer_moves_the_start():
    t = make_tensor(make_smem_ptr(np.arange(32)) + 5, (4, 2))
    assert (t[0], t[7], t.offset) == (5, 12, 5)
    back = make_tensor(t.data() + -5, 32)
    assert back.to_numpy().tolist() == list(range(32))
    assert str(make_rmem_ptr(t.data())) == "rmem_ptr[64b]+5"
    assert str(make_tensor(t.data() + -7, 4)) == "smem_ptr[64b]-2 o 4:1"


# --- the algebra on tensors


@pytest.mark.parametrize("name", DIVIDES)
@given(case=by_mode(kinds=("compact", "padded", "negative")))
def test_divides_move_no_element(name, case):
    A, tiler = case
    t, divide = over(A), getattr(ct, name)
    try:
        layout = divide(A, tiler)
    except LayoutError:
        with pytest.raises(LayoutError):
            divide(t, tiler)
        return
    R = divide(t, tiler)
    assert (R.engine, R.layout, R.offset) == (t.engine, layout, t.offset)


@given(st.data())
def test_composition_of_a_tensor_walks_it(data):
    A = data.draw(any_layouts())
    B = data.draw(walks(A))
    t = over(A)
    try:
        R = ct.composition(t, B)
    except LayoutError:
        return
    for i, at in enumerate(laws.values(B)):
        if 0 <= at < size(A):
            assert R[i] == t[at]


@given(any_layouts())
def test_operations_that_keep_the_elements_keep_their_order(A):
    t = over(A)
    for op in (ct.coalesce, ct.flatten):
        assert list(op(t)) == list(t)
    n = ct.rank(t)
    assert list(ct.group(t, 0, n)) == list(t)
    assert list(ct.take(t, 0, n)) == list(t)
    assert list(ct.with_shape(t, size(t))) == list(t)
    assert list(ct.mode(t, 0)) == [t[i] for i in range(size(t, 0))]
    if n == 2:
        assert np.array_equal(ct.select(t, 1, 0).to_numpy(), t.to_numpy().T)


@given(layouts(kinds=("broadcast", "compact")))
def test_filter_keeps_every_element_once(A):
    t = over(A)
    assert sorted(ct.filter(t)) == sorted(set(t))
    assert ct.cosize(t) == ct.cosize(A)


PRODUCTS = ["logical_product", "zipped_product", "tiled_product", "flat_product", "blocked_product", "raked_product"]


@pytest.mark.parametrize("name", [*PRODUCTS, "tile_to_shape"])
def test_products_are_refused_with_the_reason(name):
    t = make_tensor(np.zeros(32), (4, 8))
    with pytest.raises(LayoutError, match=f"{name} of a tensor: the copies would need memory"):
        getattr(ct, name)(t, (8, 16) if name == "tile_to_shape" else Layout((2, 2)))


# --- recast


RECASTS = [
    (np.float16, np.int32),
    (np.int8, np.int64),
    (np.float32, np.uint32),
    (np.int64, np.int16),
    (np.int16, np.int8),
]


@pytest.mark.parametrize(("old", "new"), RECASTS)
@pytest.mark.parametrize("layout", ["(8,6):(1,8)", "(4,8):(8,1)", "((8,2),3):((1,24),8)", "(8,3):(1,16)", "16:1"])
def test_recast_is_numpys_view(old, new, layout):
    A = Layout.parse(layout)
    t = make_tensor(np.arange(ct.cosize(A)).astype(old), A)
    R = t.recast(new)
    fast = next(s for s, d in laws.flat_modes(A) if d == 1)
    runs = t.to_numpy().ravel(order="F")[np.argsort(A.offsets(), kind="stable")].reshape(-1, fast)  # in memory order
    wanted = np.ascontiguousarray(runs).view(new)
    got = R.to_numpy().ravel(order="F")[np.argsort(R.layout.offsets(), kind="stable")]
    assert np.array_equal(got, wanted.ravel())
    assert np.shares_memory(R.engine, t.engine)


@pytest.mark.parametrize("shape", [(6, 1), (1, 6), (1, 6, 1), (6, 1, 1)])
def test_recast_of_numpys_columns_and_rows(shape):
    """numpy gives modes of one element the strides of their neighbours: they do not grow with the run."""
    a = np.arange(6, dtype=np.int32).reshape(shape) + (1 << 20)
    R = make_tensor(a).recast(np.int16)
    assert list(R) == a.view(np.int16).ravel().tolist()
    assert size(R) == 12
    assert list(R.recast(np.int32)) == a.ravel().tolist()


def test_recast_of_a_part():
    t = make_tensor(np.arange(64, dtype=np.int16), (8, 8))
    assert str(t[_, 3].recast(np.int32)) == "ptr[32b]+12 o (4):(1)"
    assert str(t[_, 3].recast(np.int8)) == "ptr[8b]+48 o (16):(1)"
    with pytest.raises(LayoutError, match="starts at element 1, inside of a group of 2"):
        t[1, _].recast(np.int32)


def test_recast_of_a_swizzled_tensor():
    A = ct.composition(Swizzle(3, 4, 3), Layout((8, 64), LayoutRight))
    t = make_tensor(np.int8, A)
    t.engine[:] = np.arange(512) % 127
    R = t.recast(np.int32)
    assert [*np.array([R[1, 3]]).view(np.int8)] == [t[1, k] for k in range(12, 16)]


# --- identity tensors


@given(shapes())
def test_the_elements_of_an_identity_tensor_are_its_coordinates(shape):
    t = make_identity_tensor(shape)
    for i in range(size(shape)):
        assert t[i] == laws.digits(i, shape)
        assert t[laws.digits(i, shape)] == laws.digits(i, shape)


@given(shapes(), st.data())
def test_all_coordinates_at_once_are_those_one_by_one(shape, data):
    """Also of slices and divides; in the same types."""
    t = make_identity_tensor(shape)
    if isinstance(shape, tuple):
        t = t[data.draw(coordinates(shape, keep=True))]
    for part in (t, ct.coalesce(t)) if isinstance(t, Tensor) else ():
        at_once, one_by_one = list(part.to_numpy().ravel(order="F")), [part[i] for i in range(size(part))]
        assert at_once == one_by_one
        assert list(map(type, at_once)) == list(map(type, one_by_one))


@given(st.data())
def test_slices_and_divides_of_an_identity_tensor_say_which_cells_they_hold(data):
    A, tiler = data.draw(by_mode(kinds=("compact", "padded", "any")))
    t, c = over(A), make_identity_tensor(A.shape)
    try:
        t, c = ct.zipped_divide(t, tiler), ct.zipped_divide(c, tiler)
    except LayoutError:
        assume(False)
    assume(t.shape == c.shape)  # modes of A that merge may be cut where the bases of c are not
    coord = data.draw(coordinates(t.shape, keep=True))
    if underscores(coord):
        t, c = t[coord], c[coord]
        pairs = [(c[i], i) for i in range(size(t))]
    else:
        pairs = [(c[coord], coord)]
    for cell, i in pairs:
        if ct.elem_less(cell, A.shape):
            assert t[i] == over(A)[cell]


def test_identity_tensors_print_and_cannot_be_written():
    t = make_identity_tensor((4, (2, 8)))
    assert str(t) == "ArithTuple(0,(0,0)) o (4,(2,8)):(1@0,(1@0@1,1@1@1))"
    assert str(t[3, (_, 5)]) == "ArithTuple(3,(0,5)) o (2):(1@0@1)"
    assert str(make_identity_tensor(8)[3]) == "3"
    assert t.to_numpy()[3, 5] == (3, (1, 2))
    with pytest.raises(LayoutError, match="identity tensor"):
        t[0] = (1, (1, 1))


def test_predicates_of_a_ragged_tile():
    """The last of the 4x8 tiles of 41x55: one row of its four, seven columns of its eight are there."""
    cells = ct.zipped_divide(make_identity_tensor((41, 55)), (4, 8))
    assert str(ct.shape(cells)) == "((4, 8), (11, 7))"
    last = cells[(_, _), (10, 6)]
    pred = make_tensor(bool, last.shape)
    for i in range(size(pred)):
        pred[i] = ct.elem_less(last[i], (41, 55))
    assert pred.to_numpy().sum() == 7
    assert pred.to_numpy()[0].tolist() == [True] * 7 + [False]


# --- text and handling


def test_print_tensor(capsys):
    ct.print_tensor(make_tensor(np.arange(12, dtype=np.float32), (2, 3, 2)))
    assert capsys.readouterr().out == (
        "ptr[32b] o (2,3,2):(1,2,6):\n"
        "  0.00e+00  2.00e+00  4.00e+00\n"
        "  1.00e+00  3.00e+00  5.00e+00\n"
        "---------------\n"
        "  6.00e+00  8.00e+00  1.00e+01\n"
        "  7.00e+00  9.00e+00  1.10e+01\n"
    )
    ct.print_tensor(make_identity_tensor((2, 2)))
    assert capsys.readouterr().out == "ArithTuple(0,0) o (2,2):(1@0,1@1):\n  (0,0)  (0,1)\n  (1,0)  (1,1)\n"
    ct.print_tensor(make_tensor(np.array([True, False]), 2))
    assert capsys.readouterr().out == "ptr[8b] o 2:1:\n  1\n  0\n"


@pytest.mark.parametrize(
    ("dtype", "line"),
    [
        (np.int8, "  1  2"),
        (np.int32, "    1    2"),
        (np.float16, "    1.00    2.00"),
        (float, "  1.000e+00  2.000e+00"),
    ],
)
def test_print_tensor_widths_are_cutes(dtype, line, capsys):
    ct.print_tensor(make_tensor(np.array([1, 2], dtype), (1, 2)))
    assert capsys.readouterr().out.splitlines()[1] == line


def test_print_tensor_rules_off_the_fourth_mode(capsys):
    ct.print_tensor(make_tensor(np.arange(4), (1, 1, 2, 2)))
    assert capsys.readouterr().out.splitlines()[1:] == ["    0", "-----", "    1", "=====", "    2", "-----", "    3"]


def test_what_a_tensor_has_not():
    swizzled = make_tensor(np.int8, ct.composition(Swizzle(3, 3, 3), Layout((8, 64), LayoutRight)))
    with pytest.raises(LayoutError, match="has no stride"):
        swizzled.stride  # noqa: B018
    with pytest.raises(IndexError, match="offset 8"):
        make_tensor(np.zeros(8), 8)[8] = 1
    with pytest.raises(ValueError, match="without a copy"):
        np.asarray(swizzled, copy=False)
    with pytest.raises(AttributeError, match="never change"):
        del swizzled.layout


def test_a_tensor_never_changes_but_its_elements_do():
    t = make_tensor(np.zeros(8), 8)
    with pytest.raises(AttributeError, match="layout never changes"):
        t.layout = Layout(4)
    t[3] += 5
    assert t[3] == 5


def test_pickles():
    for t in (make_tensor(make_gmem_ptr(np.arange(6)), (2, 3))[1, _], make_identity_tensor((4, 4))[1, _]):
        back = pickle.loads(pickle.dumps(t))
        assert str(back) == str(t)
        assert list(back) == list(t)


def test_the_layouts_functions_take_a_tensor():
    t = make_tensor(np.zeros(72), read("(4,(3,6)):(1,(4,12))"))
    assert (ct.size(t), ct.size(t, 1), ct.rank(t), ct.depth(t), ct.shape(t, 1, 0)) == (72, 18, 2, 2, 3)
    assert ct.stride(t, 1) == (4, 12)
    assert ct.to_cpp(t) == ct.to_cpp(t.layout)
    assert ct.crd2idx((1, 2), t[_, _]) == t.layout(1, 2) == 9
    assert str(ct.recast(t, np.float32)) == str(t.recast(np.float32))
    assert str(ct.make_fragment_like(t, np.float16)) == "ptr[16b] o (4,((3,6))):(1,((4,12)))"


def test_what_two_tensors_move_as_vectors():
    A = Layout((4, 8))
    t, u = make_tensor(np.float32, A), make_tensor(np.float32, A)
    assert ct.max_common_layout(t, u) == ct.max_common_layout(A, A) == Layout(32, 1)
    assert ct.max_common_layout(t, make_tensor(np.int32, A)) == Layout(1, 0)
    assert (ct.max_common_vector(t, u), ct.max_common_vector(t, make_tensor(np.int32, A))) == (32, 0)
    assert ct.max_common_vector(make_identity_tensor((4, 8)), u) == 0
    assert ct.max_common_layout(make_identity_tensor((4, 8)), make_identity_tensor((4, 8))) == Layout(1, 0)
    with pytest.raises(LayoutError, match="two tensors or two layouts"):
        ct.max_common_layout(t, A)
