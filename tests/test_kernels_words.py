"""One text, two runs: every word that kernels know, run as Python and as the code it is compiled to, gives the same.

The kernels here are plain functions of arrays and a thread number, so Python runs them as they are; the emulator runs what the
compiler makes of them.
"""

import real_cuda  # noqa: F401, I001 (first)

import numpy as np
import pytest
from emulator import Emulated
from numba import cuda

from cutelearn import (
    Int,
    Layout,
    Step,
    Swizzle,
    X,
    _,
    axpby,
    ceil_div,
    clear,
    coalesce,
    composition,
    copy,
    copy_atom,
    copy_if,
    cosize,
    crd2idx,
    elem_less,
    fill,
    flat_divide,
    flatten,
    gemm,
    group,
    idx2crd,
    inner_partition,
    local_partition,
    local_tile,
    logical_divide,
    make_fragment_like,
    make_gmem_ptr,
    make_identity_tensor,
    make_layout,
    make_rmem_ptr,
    make_smem_ptr,
    make_tensor,
    make_tensor_like,
    mode,
    outer_partition,
    rank,
    select,
    size,
    take,
    tiled_divide,
    tv_partition,
    zipped_divide,
)
from cutelearn.kernels.stage import k_major, mn_major

KERNELS = {}


def kernel(function):
    KERNELS[function.__name__] = function
    return function


ROW, COLUMN, THREADS = Layout((4, 8), (8, 1)), Layout((4, 8)), Layout((2, 4))
NESTED = Layout(((2, 2), (4, 2)), ((1, 8), (2, 16)))
SWIZZLED = composition(Swizzle(2, 0, 3), Layout((8, 8), (8, 1)))
TV = Layout(((2, 4), (2, 2)), ((8, 1), (4, 16)))
TILE = (4, 2)
ONE_BY_ONE = copy_atom("UniversalCopy<float>", "float")
FOUR, TWO, THREE = Int(4), Int(2), Int(3)


# Each takes (out, data, n, t): out and data are flat float32 arrays, n and t run-time integers, t from 0 to 7.


@kernel
def elements(out, data, n, t):
    row, nested = make_tensor(data, ROW), make_tensor(make_gmem_ptr(data), NESTED)
    out[0] = row[2, 3] + row[t]
    out[1] = nested[(1, 1), 3] * nested[t, 5] + nested(3, (t, 1))
    out[2] = row(1, t)
    column = make_tensor(out, (4, n), (1, 4))
    column[3, t] = row[3, 4] - 1
    column[2, n - 1] = t


@kernel
def layouts_are_functions(out, data, n, t):
    out[0] = ROW(t, 2) + NESTED(t)
    made = make_layout((n, 4), (Int(1), n))
    out[1] = made(t, 3)
    out[2] = size(made) + cosize(ROW) + rank(made) + size(NESTED, 1)
    out[3] = crd2idx((1, t), made)
    i, j = idx2crd(t, (2, 4))
    out[4] = 10 * i + j
    out[5] = make_layout((4, 8))(t)


@kernel
def run_time_layouts(out, data, n, t):
    whole = make_tensor(make_gmem_ptr(data), (n, n), mn_major(n))
    turned = make_tensor(make_gmem_ptr(data), (n, n), k_major(n))
    out[0] = whole[t, 3] - turned[3, t]
    out[1] = whole[t, 2] * turned[t, 2]
    out[2] = size(whole) + size(turned, 0)
    out[3] = ceil_div(n, 3)


@kernel
def slices(out, data, n, t):
    whole = make_tensor(make_gmem_ptr(data), (4, n), (n, Int(1)))
    row = whole[t % 4, _]
    out[0] = row[n - 1]
    column = whole[_, t]
    out[1] = column[2] + size(column)
    out[2] = make_tensor(data, NESTED)[(_, t % 2), (1, _)][1, 1]
    out[3] = make_tensor(data, ROW)[_, 3][t % 4]


@kernel
def tiles(out, data, n, t):
    whole = make_tensor(make_gmem_ptr(data), (n, 8), (Int(1), n))
    tile = local_tile(whole, (4, 4, 2), (t % 2, 0, _), Step(1, X, 1))
    out[0] = tile[1, 1, 3] + size(tile, 2)
    named = local_tile(whole, tiler=(4, 4, 2), step=Step(1, X, 1), coord=(1, 0, _))
    out[0] += named[t % 4, 2, 2]
    out[1] = inner_partition(whole, TILE, (t % 2, t % 4))[3, 1]
    out[2] = outer_partition(whole, TILE, (t % 4, 1))[1, 2]
    out[3] = zipped_divide(whole, TILE)[(1, 1), (0, t % 4)]
    out[4] = logical_divide(whole, TILE)[(1, 0), (1, t % 4)]
    out[5] = flat_divide(whole, TILE)[1, 1, 0, t % 4]
    out[6] = tiled_divide(whole, TILE)[(1, 1), 0, t % 4]


@kernel
def partitions(out, data, n, t):
    whole = make_tensor(make_gmem_ptr(data), ROW)
    part = local_partition(whole, THREADS, t)
    out[0] = part[1, 1] + size(part)
    out[1] = local_partition(whole, THREADS, t, Step(1, X))[1, 7]
    out[2] = local_partition(whole, THREADS, t, Step(X, 1))[1, 1]
    out[3] = tv_partition(whole, TV, t)[3]


@kernel
def modes(out, data, n, t):
    whole = make_tensor(make_gmem_ptr(data), NESTED)
    out[0] = flatten(whole)[1, 1, t % 4, 1]
    out[1] = select(whole, 1)[t]
    out[2] = group(flatten(whole), 0, 2)[t % 4, 3, 1]
    out[3] = coalesce(make_tensor(data, COLUMN))[t + 8]
    out[4] = composition(whole, (2, 4))[1, t % 4]
    out[5] = size(mode(NESTED, 1, 0)) + size(take(flatten(NESTED), 1, 3))


@kernel
def further_on(out, data, n, t):
    pointer = make_smem_ptr(data)
    out[0] = make_tensor(pointer + 8, COLUMN)[t]
    out[1] = make_tensor(pointer + n, COLUMN)[t] + make_tensor(pointer + Int(4), COLUMN)[t]


@kernel
def swizzles(out, data, n, t):
    whole = make_tensor(make_smem_ptr(data), SWIZZLED)
    out[0] = whole[t, 5] + whole[3, t]
    out[1] = local_partition(whole, Layout((4, 2)), t)[1, 3]
    out[2] = SWIZZLED(t, 1)
    held = make_tensor_like(whole)
    copy(whole, held)
    out[3] = held[t, 2]


@kernel
def coordinates(out, data, n, t):
    whole = make_identity_tensor((n, 8))
    i, j = whole[t, 3]
    out[0] = 10 * i + j
    i, j = local_tile(whole, (4, 4), (1, t % 2))[3, 2]
    out[1] = 10 * i + j
    i, j = local_partition(local_tile(whole, (4, 4), (0, 1)), THREADS, t)[1]
    out[2] = 10 * i + j
    out[3] = 1 if elem_less((t, 3), (n, 4)) else 0
    out[4] = 1 if elem_less(t, 5) else 0
    out[5] = 1 if elem_less((t, (n, 3)), (4, (n + 1, 4))) else 0


@kernel
def copies(out, data, n, t):
    source, target = make_tensor(data, ROW), make_tensor(out, COLUMN)
    copy(source, target)
    held = make_tensor_like(source)
    copy(source, held)
    held[1, t] = held[2, t] * 2
    copy(held, target)
    part = make_fragment_like(local_partition(source, THREADS, t))
    copy(local_partition(source, THREADS, t), part)
    out[40 + t] = part[1] + part[3]


@kernel
def a_copy_may_permute_in_place(out, data, n, t):
    held, square = make_tensor_like(make_tensor(data, (6, 6))), make_tensor(data, (6, 6))
    copy(square, held)
    copy(held, make_tensor(out, (6, 6), (6, 1)))
    memory = make_tensor(make_rmem_ptr(out), (6, 6))
    copy(make_tensor(make_rmem_ptr(out), (6, 6), (6, 1)), memory)


@kernel
def one_memory_under_two_names(out, data, n, t):
    """All is read before anything is written, whatever place a pointer names."""
    square, turned = make_tensor(make_gmem_ptr(out), (6, 6), (6, 1)), make_tensor(out, (6, 6))
    copy(make_tensor(data, (6, 6)), turned)
    copy(square, turned)
    copy(ONE_BY_ONE, square, make_tensor(make_gmem_ptr(out), (6, 6)))
    axpby(2, square, 1, turned)
    axpby(1, turned, 0, make_tensor(make_gmem_ptr(out) + 1, 36))
    axpby(t, turned, 1, make_tensor(out, 36, 1), elem_less(make_identity_tensor(36), n))


@kernel
def a_product_of_itself(out, data, n, t):
    c = make_tensor_like(make_tensor(data, (4, 4)))
    copy(make_tensor(data, (4, 4)), c)
    gemm(c, c, c)
    copy(c, make_tensor(out, (4, 4)))


@kernel
def copies_with_predicates(out, data, n, t):
    whole, where = make_tensor(data, (n, 8), (Int(1), n)), make_identity_tensor((n, 8))
    source = local_tile(whole, (4, 4), (1, 1))
    inside = elem_less(local_tile(where, (4, 4), (1, 1)), (n - 1, 7))
    copy_if(inside, source, make_tensor(out, (4, 4)))
    held = make_tensor_like(source, np.float32)
    clear(held)
    copy_if(inside, source, held)
    axpby(2, held, 0, make_tensor(out, (4, 4), (4, 1)), inside)
    table = make_tensor_like(source, np.int8)
    fill(table, 0)
    table[t] = 1
    copy_if(table, source, make_tensor(out, 16))


@kernel
def numbers(out, data, n, t):
    x, y = make_tensor(data, 8, 2), make_tensor(out, 8)
    fill(y, 3)
    axpby(2, x, t, y)
    axpby(0.5, make_tensor(data, 4), 0, make_tensor(out, 4, 2))
    z = make_tensor_like(y)
    clear(z)
    axpby(t, y, 1, z)
    out[10] = z[5]


@kernel
def product_vectors(out, data, n, t):
    c = make_tensor_like(make_tensor(data, 8))
    fill(c, 1)
    gemm(make_tensor(make_smem_ptr(data), 8), make_tensor(make_smem_ptr(data), 8, 2), c)
    copy(c, make_tensor(out, 8))


@kernel
def product_outer(out, data, n, t):
    c = make_tensor_like(make_tensor(data, (4, 3)))
    clear(c)
    gemm(make_tensor(make_rmem_ptr(data), 4), make_tensor(make_rmem_ptr(data), 3, 2), c)
    copy(c, make_tensor(out, (4, 3)))


@kernel
def product_matrices(out, data, n, t):
    c = make_tensor_like(make_tensor(data, (5, 3)))
    clear(c)
    gemm(make_tensor(make_smem_ptr(data), (5, 4)), make_tensor(make_smem_ptr(data), (3, 4), (4, 1)), c)
    copy(c, make_tensor(out, (5, 3)))


@kernel
def product_matrices_v(out, data, n, t):
    c = make_tensor_like(make_tensor(data, (2, 3, 3)))
    clear(c)
    gemm(make_tensor(make_smem_ptr(data), (2, 3)), make_tensor(make_smem_ptr(data), (2, 3), (3, 1)), c)
    gemm(make_tensor(make_smem_ptr(data), (2, 3, 4)), make_tensor(make_smem_ptr(data), (2, 3, 4), (3, 1, 6)), c)
    copy(c, make_tensor(out, (2, 3, 3)))


@kernel
def products_of_other_types(out, data, n, t):
    whole = make_tensor(data, (4, 4))
    halves, ints = make_tensor_like(whole, np.float16), make_tensor_like(whole, np.int32)
    copy(whole, halves)
    copy(whole, ints)
    c, d, e = make_tensor_like(whole), make_tensor_like(whole, np.int32), make_tensor_like(whole, np.float16)
    clear(c)
    clear(d)
    clear(e)
    gemm(halves, halves, c)
    gemm(ints, ints, d)
    gemm(halves, halves, e)
    copy(c, make_tensor(out, (4, 4)))
    axpby(1, d, 1, make_tensor(out, (4, 4)))
    axpby(0.5, ints, 0, d)
    axpby(2, e, 1, make_tensor(out, (4, 4)))
    out[20] = d[t]
    out[21] = e[t]


@kernel
def static_integers(out, data, n, t):
    total = 0
    for i in range(FOUR):
        total += i * TWO
    out[0] = total + FOUR * n
    out[1] = FOUR + t
    part = make_tensor(data, (FOUR, n), (Int(1), FOUR))
    for j in range(size(part, 0)):
        out[2 + j] = part[j, t]
    out[TWO + t] = size(part, 0)


@kernel
def static_arithmetic_stays_static(out, data, n, t):
    held = make_tensor_like(make_tensor(data, (FOUR * TWO, FOUR + 1, FOUR // TWO - 1)))
    out[0] = size(held)
    out[1] = size(held, 0) % THREE + size(held) * n
    fill(held, t)
    out[2] = held[7, 4, 0]


@kernel
def parts(out, data, n, t):
    whole = make_tensor(make_gmem_ptr(data), (n, 4), (Int(1), n))
    rows, columns = whole.shape
    out[0] = 10 * rows + columns
    out[1] = whole.layout(t, 3)
    step, leap = whole.stride
    out[2] = step + leap
    out[3] = size(ROW.shape) + crd2idx((1, t), whole.layout)
    out[4] = make_tensor(data, whole.layout)[t, 1]


@kernel
def device_functions(out, data, n, t):
    whole = make_tensor(make_gmem_ptr(data), (n, 8), (Int(1), n))
    out[0] = corner(local_tile(whole, (4, 4), (1, t % 2)), ROW)


@cuda.jit(device=True)
def corner_in_kernels(tile, layout):
    return tile[3, 3] + layout(2, 2)


def corner(tile, layout):
    return tile[3, 3] + layout(2, 2)


@kernel
def negative_steps(out, data, n, t):
    back = make_tensor(make_gmem_ptr(data), Layout((8, 4), (-1, 8)))
    whole = make_tensor(make_gmem_ptr(data), (8, 8))
    out[0] = back[t, 1]
    out[1] = whole[_, 3][t - 8]
    out[2] = whole[-1, 2]


@pytest.mark.parametrize("name", KERNELS)
def test_compiled_as_in_python(name, monkeypatch):
    function = KERNELS[name]
    data = np.random.default_rng(3).integers(-9, 10, 100).astype(np.float32)
    if name == "device_functions":  # Python calls a Python function there, the kernel a device function
        monkeypatch.setitem(globals(), "corner", corner_in_kernels)
    compiled = Emulated(function, "float32[::1], float32[::1], int32, int32")
    monkeypatch.undo()
    for t in range(8):
        want, got = np.full(64, -1, np.float32), np.full(64, -1, np.float32)
        function(want, data.copy(), 8, t)
        compiled.run((1,), 1, got, data.copy(), 8, t)
        np.testing.assert_array_equal(got, want, err_msg=f"thread {t}")


@pytest.mark.parametrize("seed", range(12))
def test_random_layouts(seed):
    """Offsets by 1-D and by natural coordinate, and a slice, of layouts with run-time and static numbers side by side."""
    random = np.random.default_rng(seed)

    def shape(depth):
        if depth == 0 or random.random() < 0.4:
            return int(random.integers(1, 5))
        return tuple(shape(depth - 1) for _i in range(random.integers(1, 4)))

    def strides(s):
        return tuple(map(strides, s)) if isinstance(s, tuple) else int(random.integers(0, 9))

    s = (shape(2), shape(2), int(random.integers(1, 5)))
    a, b = Layout(s, strides(s)), Layout(s)
    last = size(b, 2)

    def evaluate(out, n, i, j):
        out[0] = a(i)
        out[1] = a(i, j, i)
        out[2] = b(i, _, j)(i)
        out[3] = b(n)
        out[4] = make_layout((n, last), (last, Int(1)))(i)
        out[5] = crd2idx((i, j, n), b)

    compiled = Emulated(evaluate, "int32[::1], int32, int32, int32")
    for n, i, j in random.integers(1, 20, (20, 3)).tolist():
        want, got = np.zeros(6, np.int32), np.zeros(6, np.int32)
        evaluate(want, n, i, j)
        compiled.run((1,), 1, got, n, i, j)
        np.testing.assert_array_equal(got, want, err_msg=f"{a} and {b} at {n}, {i}, {j}")
