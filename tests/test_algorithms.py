"""copy, copy_if, gemm, axpby, transform, fill and clear against loops over coordinates and against numpy; sgemm_1 whole."""

import laws
import numpy as np
import oracle
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from strategies import any_layouts, layouts, nest, refill

import cutelearn as ct
from cutelearn import (
    Layout,
    LayoutError,
    LayoutRight,
    Step,
    Swizzle,
    Tensor,
    X,
    _,
    axpby,
    clear,
    copy,
    copy_if,
    elem_less,
    fill,
    gemm,
    local_partition,
    local_tile,
    make_fragment_like,
    make_gmem_ptr,
    make_identity_tensor,
    make_rmem_ptr,
    make_smem_ptr,
    make_tensor,
    make_tensor_like,
    size,
    transform,
)

INJECTIVE = ("compact", "padded", "negative")


def over(layout, values=None, dtype=None):
    """A tensor of this layout on memory that it just fits."""
    offsets = layout.offsets()
    low, high = int(offsets.min()), int(offsets.max())
    t = Tensor(np.zeros(high - low + 1, dtype or float), layout, -low)
    for i, value in enumerate([] if values is None else values):
        t[i] = value
    return t


@st.composite
def same_size(draw, n=2, kinds=INJECTIVE):
    """Layouts of one size and any shapes: the modes of each are split and nested another way."""
    first = draw(layouts(kinds, size=64))
    found = [first]
    while len(found) < n:
        sizes = draw(st.permutations(laws.leaves(first.shape)))
        order = draw(st.permutations(range(len(sizes))))
        shape = nest(draw, list(sizes))
        flat = ct.make_ordered_layout(tuple(sizes), tuple(order))
        found.append(Layout(shape, refill(shape, iter(flat.stride))))
    return found


# --- copy and copy_if


@given(same_size())
def test_copy_goes_by_1d_coordinates(pair):
    src, dst = over(pair[0], range(1, 999)[: size(pair[0])]), over(pair[1])
    copy(src, dst)
    assert [dst[i] for i in range(size(dst))] == [src[i] for i in range(size(src))]


@given(any_layouts())
def test_copy_from_any_layout_and_back(A):
    src = over(A, range(size(A)))
    dst = make_tensor_like(make_tensor(range(0), size(A)), float)
    copy(src, dst)
    assert list(dst) == list(src)


@given(same_size(), st.data())
def test_copy_if_touches_only_what_is_wanted(pair, data):
    n = size(pair[0])
    keep = data.draw(st.lists(st.booleans(), min_size=n, max_size=n))
    src = over(pair[0], range(1, n + 1))
    by_tensor, by_function = over(pair[1]), over(pair[1])
    copy_if(make_tensor(np.array(keep), n), src, by_tensor)
    copy_if(lambda i: keep[i], src, by_function)
    assert list(by_tensor) == list(by_function) == [i + 1 if keep[i] else 0 for i in range(n)]


def test_a_copy_into_one_broadcast_element_keeps_the_last():
    dst = make_tensor(np.zeros(1), 4, 0)
    copy(make_tensor(np.arange(1.0, 5.0), 4), dst)
    assert dst[0] == 4


def test_copy_takes_the_type_of_its_destination():
    dst = make_tensor(np.zeros(3, np.int32), 3)
    copy(make_tensor(np.array([1.9, -1.9, 100.0]), 3), dst)
    assert dst.to_numpy().tolist() == [1, -1, 100]  # as a C++ cast


def test_copy_between_numpy_and_lists():
    listed = make_tensor([0] * 6, (2, 3))
    copy(make_tensor(np.arange(6), (3, 2)), listed)
    assert listed.engine == [0, 1, 2, 3, 4, 5]
    back = make_tensor(np.zeros(6, np.int8), 6)
    copy(listed, back)
    assert back.to_numpy().tolist() == [0, 1, 2, 3, 4, 5]


@pytest.mark.parametrize("swizzle", [Swizzle(3, 3, 3), Swizzle(2, 4, 3)])
def test_copy_through_swizzled_memory(swizzle):
    plain = np.arange(512, dtype=np.float32).reshape(8, 64)
    smem = make_tensor(np.float32, ct.composition(swizzle, Layout((8, 64), LayoutRight)))
    copy(make_tensor(plain), smem)
    assert np.array_equal(smem.to_numpy(), plain)
    assert not np.array_equal(smem.engine.reshape(8, 64), plain)


class Backwards:
    """An executor that leaves a trace: it copies the elements in reverse."""

    def execute(self, src, dst, pred=None):
        for i in range(size(src)):
            if pred is None or pred(i):
                dst[size(dst) - 1 - i] = src[i]


def test_an_executor_copies_its_own_way():
    src, dst = make_tensor(np.arange(4), 4), make_tensor(np.zeros(4, int), 4)
    copy(Backwards(), src, dst)
    assert list(dst) == [3, 2, 1, 0]
    clear(dst)
    copy_if(Backwards(), lambda i: i % 2, src, dst)
    assert list(dst) == [3, 0, 1, 0]


def test_predication_of_ragged_tiles():
    """41 x 55 by 4 x 8, as the note's section 14 has it: without predicates tiles run into other rows and off the end."""
    A, copied = np.arange(41 * 55).reshape(41, 55), np.full((41, 55), -1)
    src, dst, cells = make_tensor(A), make_tensor(copied), make_identity_tensor((41, 55))
    assert ct.shape(ct.zipped_divide(src, (4, 8)), 1) == (11, 7)
    for m in range(11):
        for n in range(7):
            part = [local_tile(t, (4, 8), (m, n)) for t in (src, dst, cells)]
            pred = make_tensor(bool, (4, 8))
            transform(part[2], pred, lambda c: elem_less(c, (41, 55)))
            copy_if(pred, part[0], part[1])
    assert np.array_equal(copied, A)
    with pytest.raises(IndexError, match="2255 elements"):
        copy(local_tile(src, (4, 8), (10, 6)), make_tensor(int, (4, 8)))


# --- gemm


FORMS = {
    1: ("V", "V", "V"),
    2: ("M", "N", "MN"),
    3: ("MK", "NK", "MN"),
    4: ("VM", "VN", "VMN"),
    5: ("VMK", "VNK", "VMN"),
}


@st.composite
def problems(draw, form):
    """A, B, C of one form in random layouts, filled with small integers: sums are exact in any order."""
    extent = {letter: draw(st.integers(1, 4)) for letter in "VMNK"}
    tensors = []
    for modes in FORMS[form]:
        shape = []
        for letter in modes:
            n = extent[letter]
            shape.append((2, 2) if n == 4 and draw(st.booleans()) else n)
        order = tuple(draw(st.permutations(range(len(shape)))))
        layout = ct.make_ordered_layout(tuple(shape), order)
        values = draw(st.lists(st.integers(-9, 9), min_size=size(layout), max_size=size(layout)))
        tensors.append(over(layout, values))
    return tensors


@pytest.mark.parametrize("form", FORMS)
@given(data=st.data())
def test_gemm_is_numpys_sum_of_products(form, data):
    A, B, C = data.draw(problems(form))
    a, b, c = FORMS[form]
    wanted = np.einsum(f"{a},{b}->{c}", A.to_numpy(), B.to_numpy()) + C.to_numpy()
    D, before = make_tensor_like(C), C.to_numpy()
    gemm(D, A, B, C)
    assert np.array_equal(D.to_numpy(), wanted)
    assert np.array_equal(C.to_numpy(), before)
    gemm(A, B, C)
    assert np.array_equal(C.to_numpy(), wanted)


@given(st.integers(0, 1000))
def test_gemm_adds_in_the_order_of_cutes_loop(seed):
    """Bit for bit: single precision, k upwards, one rounding a product and one a sum."""
    rng = np.random.default_rng(seed)
    a, b, c = (rng.standard_normal(shape).astype(np.float32) for shape in [(3, 5), (4, 5), (3, 4)])
    A, B, C = make_tensor(a), make_tensor(b), make_tensor(c.copy())
    gemm(A, B, C)
    for m in range(3):
        for n in range(4):
            total = c[m, n]
            for k in range(5):
                total = a[m, k] * b[n, k] + total
            assert C[m, n] == total


@pytest.mark.parametrize(
    ("inputs", "accumulator", "a", "b", "wanted"),
    [
        (np.float16, np.float32, 300.0, 300.0, 90_000.0),  # 90000 is no fp16
        (np.int8, np.int32, 100, 100, 10_000),
        (np.float16, np.float16, 2.0, 0.5, 1.0),
        (np.float32, np.float64, 1.0, 2.0**-30, 2.0**-30),
    ],
)
def test_products_are_made_in_the_accumulators_type(inputs, accumulator, a, b, wanted):
    A, B = make_tensor(np.full((1, 1), a, inputs)), make_tensor(np.full((1, 1), b, inputs))
    C = make_tensor(np.zeros((1, 1), accumulator))
    gemm(A, B, C)
    assert C[0] == wanted
    assert C.dtype == accumulator


def test_accumulating_in_half_precision_stalls():
    """Case gemm-12: at 256 the step of fp16 is 0.25 and 0.1 is lost."""
    (case,) = [row for path in oracle.files("cases") for row in oracle.rows(path) if row["id"] == "gemm-12"]
    n = case["inputs"]["terms"]
    A, B = make_tensor(np.full((1, n), 0.1, np.float16)), make_tensor(np.ones((1, n), np.float16))
    for name, dtype in [("fp16", np.float16), ("fp32", np.float32)]:
        C = make_tensor(np.zeros((1, 1), dtype))
        gemm(A, B, C)
        assert C[0] == case["expected"][name]


def test_gemm_on_python_objects_is_exact():
    big = 10**30
    C = make_tensor([0, 0], (1, 2))
    gemm(make_tensor([big, 1], (1, 2)), make_tensor([1, big, 2, 2], (2, 2)), C)
    assert C.engine == [big + 2, big * big + 2]


def test_an_executor_multiplies_its_own_way():
    seen = []

    class Mma:
        def execute(self, D, A, B, C):
            seen.append((D, A, B, C))

    A, B, C, D = (make_tensor(np.zeros(4), 4) for _t in range(4))
    gemm(Mma(), A, B, C)
    gemm(Mma(), D, A, B, C)
    assert [[id(t) for t in call] for call in seen] == [[id(t) for t in (C, A, B, C)], [id(t) for t in (D, A, B, C)]]


# --- axpby, transform, fill, clear


@given(same_size(), st.integers(-5, 5), st.integers(-5, 5), st.data())
def test_axpby(pair, alpha, beta, data):
    n = size(pair[0])
    numbers = st.lists(st.integers(-99, 99), min_size=n, max_size=n)
    x, y = data.draw(numbers), data.draw(numbers)
    Tx, Ty = over(pair[0], x), over(pair[1], y)
    axpby(alpha, Tx, beta, Ty)
    assert list(Ty) == [alpha * a + beta * b for a, b in zip(x, y, strict=True)]
    axpby(alpha, Tx, beta, Ty, lambda i: i == 0)
    assert list(Ty)[1:] == [alpha * a + beta * b for a, b in zip(x, y, strict=True)][1:]
    assert Ty[0] == alpha * x[0] + beta * (alpha * x[0] + beta * y[0])


def test_axpby_with_beta_zero_never_reads_y():
    y = make_tensor(np.array([np.nan, np.inf], np.float32), 2)
    axpby(2, make_tensor(np.array([1.0, 2.0], np.float32), 2), 0, y)
    assert list(y) == [2, 4]
    axpby(2, make_tensor(np.array([1.0, 2.0], np.float32), 2), 0.0, make_tensor([None, None], 2))


def test_axpby_computes_in_the_accumulators_type_and_stores_in_ys():
    acc, y = make_tensor(np.array([2049.0], np.float32), 1), make_tensor(np.array([-2048.0], np.float16), 1)
    axpby(1, acc, 1, y)
    assert (y[0], y.dtype) == (1, np.float16)  # 2049 is no fp16


@given(same_size(3))
def test_transform(three):
    n = size(three[0])
    x1, x2, y = over(three[0], range(n)), over(three[1], range(n, 2 * n)), over(three[2])
    transform(x1, y, lambda e: e * e)
    assert list(y) == [i * i for i in range(n)]
    transform(x1, x2, y, lambda a, b: a - b)
    assert list(y) == [-n] * n
    transform(y, abs)
    assert list(y) == [n] * n


def test_transform_makes_a_predicate_and_moves_any_object():
    cells, pred, names = make_identity_tensor((4, 4)), make_tensor(bool, (4, 4)), make_tensor([None] * 16, (4, 4))
    transform(cells, pred, lambda c: elem_less(c, (3, 2)))
    assert pred.to_numpy().astype(int).tolist() == [[1, 1, 0, 0]] * 3 + [[0] * 4]
    transform(cells, names, lambda c: c[::-1])
    assert names[1, 2] == (2, 1)
    fill(names, "x")
    assert names.engine == ["x"] * 16


@given(any_layouts())
def test_fill_and_clear(A):
    t = over(A)
    fill(t, 3)
    assert set(t) == {3}
    assert (t.engine == 3).sum() == len(set(laws.values(A)))
    clear(t)
    assert not t.engine.any()


# --- together


@pytest.mark.parametrize("major", ["NT", "TN"])
@pytest.mark.parametrize("swizzle", [None, Swizzle(2, 1, 3)])
def test_sgemm_1_is_numpys_product(major, swizzle):
    """sgemm_1.cu, block by block and thread by thread, on a small problem: 32 x 48 x 16 in tiles of 16 x 16 x 8."""
    rng = np.random.default_rng(3)
    m, n, k = 32, 48, 16
    a, b, c = (rng.standard_normal(s).astype(np.float32) for s in [(m, k), (n, k), (m, n)])
    order = "F" if major == "NT" else "C"
    mA, mB = (make_tensor(make_gmem_ptr(np.asarray(x, order=order))) for x in (a, b))
    mC = make_tensor(make_gmem_ptr(c.copy(order="F")))
    tiler, tA, tC = (16, 16, 8), Layout((16, 2)), Layout((4, 8))
    layout = Layout((16, 8), None if major == "NT" else LayoutRight)
    layout = layout if swizzle is None else ct.composition(swizzle, layout)
    for bm in range(m // 16):
        for bn in range(n // 16):
            coord = (bm, bn, _)
            gA = local_tile(mA, tiler, coord, Step(1, X, 1))
            gB = local_tile(mB, tiler, coord, Step(X, 1, 1))
            gC = local_tile(mC, tiler, coord, Step(1, 1, X))
            sA, sB = (make_tensor(make_smem_ptr(np.zeros(128, np.float32)), layout) for _operand in "AB")
            acc = [make_fragment_like(local_partition(gC, tC, t)) for t in range(32)]
            for step in range(size(gA, 2)):
                for t in range(32):
                    copy(local_partition(gA, tA, t)[_, _, step], local_partition(sA, tA, t))
                    copy(local_partition(gB, tA, t)[_, _, step], local_partition(sB, tA, t))
                for t in range(32):
                    gemm(local_partition(sA, tC, t, Step(1, X)), local_partition(sB, tC, t, Step(X, 1)), acc[t])
            for t in range(32):
                axpby(2, acc[t], -1, local_partition(gC, tC, t))
    assert np.allclose(mC.to_numpy(), 2 * (a @ b.T) - c, atol=1e-5)


def test_where_tensors_live_decides_what_gemm_takes():
    a, c = np.zeros((4, 4)), np.zeros((4, 4))
    s, r, g, plain = (make_tensor(f(a)) for f in (make_smem_ptr, make_rmem_ptr, make_gmem_ptr, np.asarray))
    for A, B in [(s, s), (r, r), (plain, r), (plain, plain)]:
        gemm(A, B, make_tensor(c))
    for A, B, C, words in [
        (g, s, plain, "A is gmem_ptr"),
        (s, g, plain, "B is gmem_ptr"),
        (s, r, plain, "bring both"),
        (s, s, g, "accumulates in registers, but D is gmem_ptr"),
        (r, r, s, "accumulates in registers"),
    ]:
        with pytest.raises(LayoutError, match=words):
            gemm(A, B, C)


@given(same_size())
def test_sizes_must_be_the_same(pair):
    src = over(pair[0])
    dst = over(Layout((size(src) + 1,)))
    assume(size(src) != size(dst))
    for call in (lambda: copy(src, dst), lambda: axpby(1, src, 0, dst), lambda: transform(src, dst, abs)):
        with pytest.raises(LayoutError, match=rf"has {size(src)} elements .* has {size(dst)} elements"):
            call()
