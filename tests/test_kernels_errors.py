"""A misuse in a kernel is a typing error that says in the course's words what is wrong, first and not buried."""

import real_cuda  # noqa: F401, I001 (first)

import inspect

import pytest
from numba.cuda.core.errors import TypingError

from cutelearn import (
    Int,
    Layout,
    Step,
    Swizzle,
    X,
    _,
    axpby,
    compile_kernel,
    composition,
    copy,
    copy_if,
    elem_less,
    fill,
    gemm,
    local_partition,
    local_tile,
    logical_divide,
    make_gmem_ptr,
    make_identity_tensor,
    make_smem_ptr,
    make_tensor,
    make_tensor_like,
    size,
    transform,
    zipped_divide,
)
from cutelearn.kernels.ptx import cp_async_wait

TILE, THREADS = Layout((8, 4)), Layout((4, 8))
KERNELS = {}


def misuse(words):
    """Registers a kernel (a: float32[::1], square: float32[:, ::1], n, x) with the sentence it must be refused with."""

    def register(function):
        KERNELS[function.__name__] = function, words
        return function

    return register


@misuse("t[...]: coordinate (1,2,3) has 3 entries, but the shape (8,4) has rank 2: give one entry a mode")
def coordinate_of_another_rank(a, square, n, x):
    t = make_tensor(a, TILE)
    a[0] = t[1, 2, 3]


@misuse(
    "make_tensor_like: registers need a static shape, and (?,4) has run-time extents ('?'): cut it into static tiles first"
)
def registers_of_a_run_time_shape(a, square, n, x):
    t = make_tensor(a, (n, 4), (1, n))
    held = make_tensor_like(t)
    fill(held, 0)


@misuse("local_tile: the tile coordinate (0,0,0) has 3 entries, but the tiles are counted by (?,1): give at most 2")
def one_tile_coordinate_too_many(a, square, n, x):
    t = make_tensor(make_gmem_ptr(a), (n, 4), (Int(1), n))
    a[0] = local_tile(t, (8, 4), (0, 0, 0))[0]


@misuse("local_tile: Step<1,X> has 2 entries, but (8,8,4) has 3: a Step has one entry for every mode")
def step_of_another_length(a, square, n, x):
    t = make_tensor(make_gmem_ptr(a), (n, 4), (Int(1), n))
    a[0] = local_tile(t, (8, 8, 4), (0, 0, _), Step(1, X))[0]


@misuse(
    "zipped_divide: logical_divide (as its tiler) wants a Layout, got a run-time integer: make that extent static, as in Int(128)"
)
def tiler_known_at_run_time_only(a, square, n, x):
    t = make_tensor(a, (8, 4), (1, 8))
    a[0] = size(zipped_divide(t, (n, 2)))


@misuse("composition: shape divisibility fails (shape 3 vs 2) in mode 0 of (6,2):(8,2): 3:4 does not fit")
def composition_that_has_no_answer(a, square, n, x):
    t = make_tensor(a, Layout((6, 2), (8, 2)))
    a[0] = composition(t, Layout(3, 4))[n]


@misuse("logical_divide: Too many modes in tiler: <2,2,2> works by mode and has 3, but (8,4):(1,8) has rank 2")
def tiler_of_another_rank(a, square, n, x):
    a[0] = size(logical_divide(make_tensor(a, TILE), (2, 2, 2)))


@misuse("local_partition: the thread layout (4,8):(1,4) has no thread 32: its 32 threads have the numbers 0 to 31")
def thread_that_is_not_there(a, square, n, x):
    a[0] = local_partition(make_tensor(a, TILE), THREADS, 32)[0]


@misuse("local_partition: array(float32, 1d, C) is a plain array: make_tensor(make_gmem_ptr(array), layout)")
def array_in_place_of_a_tensor(a, square, n, x):
    a[0] = local_partition(a, THREADS, n)[0]


@misuse(
    "make_gmem_ptr: a kernel's tensor stands on a flat array whose elements lie side by side, and this one is array(float32, 2d, C)"
)
def array_of_two_dimensions(a, square, n, x):
    a[0] = make_tensor(make_gmem_ptr(square), TILE)[n]


@misuse("t[...]: in a kernel write _ where the host takes ':'")
def colon(a, square, n, x):
    a[0] = make_tensor(a, TILE)[:, 1][n]


@misuse("t[...]: a number of the type float32 counts no cells: give an integer")
def float_as_coordinate(a, square, n, x):
    a[0] = make_tensor(a, TILE)[x, 1]


@misuse(
    "copy: src has 32 elements (ptr[32b] o (8,4):(1,8)), dst has 8 elements (ptr[32b] o 8:1): the sizes must be the same"
)
def copy_of_another_size(a, square, n, x):
    copy(make_tensor(a, TILE), make_tensor(a, 8))


@misuse("copy: the extents must be static here, and (?,4) has run-time ones ('?'): slice or tile the tensor")
def copy_of_run_time_extents(a, square, n, x):
    t = make_tensor(a, (n, 4), (1, n))
    copy(t, t)


@misuse(
    "copy: Tensor<ArithTuple(0,0) o (8,4):(1@0,1@1)> is an identity tensor: it has coordinates, and no elements to move"
)
def copy_of_coordinates(a, square, n, x):
    copy(make_identity_tensor((8, 4)), make_tensor(a, TILE))


@misuse(
    "copy_if: Tensor<ArithTuple(0,0) o (8,4):(1@0,1@1)> holds coordinates, not yes or no: write elem_less(coordinates, shape)"
)
def coordinates_as_a_predicate(a, square, n, x):
    copy_if(make_identity_tensor((8, 4)), make_tensor(a, TILE), make_tensor(a, TILE))


@misuse("elem_less: (0,0) has rank 2 and (?,?,?) rank 3, in other parentheses: give one bound for every entry")
def bound_of_another_rank(a, square, n, x):
    copy_if(elem_less(make_identity_tensor((8, 4)), (n, n, n)), make_tensor(a, TILE), make_tensor(a, TILE))


@misuse(
    "gemm, form (M,K) x (N,K) => (M,N): K is 4 in A but 8 in B; the mode sizes of A, B, C are (8,4), (4,8), (8,8). This B is (K,N)"
)
def b_with_its_modes_the_other_way(a, square, n, x):
    sA, sB = make_tensor(make_smem_ptr(a), (8, 4)), make_tensor(make_smem_ptr(a), (4, 8))
    gemm(sA, sB, make_tensor_like(make_tensor(a, (8, 8))))


@misuse("gemm accumulates in registers, but D is gmem_ptr[32b] o (8,8):(1,8): accumulate in make_fragment_like(D)")
def sum_in_global_memory(a, square, n, x):
    sA = make_tensor(make_smem_ptr(a), (8, 4))
    gemm(sA, sA, make_tensor(make_gmem_ptr(a), (8, 8)))


@misuse("gemm has no form for A, B and C of the ranks 1, 2 and 2")
def ranks_without_a_form(a, square, n, x):
    sA = make_tensor(make_smem_ptr(a), (8, 4))
    gemm(sA[_, n], sA, make_tensor_like(make_tensor(a, (8, 8))))


@misuse("axpby: alpha is a number, not Tensor<ptr[float32] o 8:1>: the order is axpby(alpha, x, beta, y)")
def factors_after_the_tensors(a, square, n, x):
    t = make_tensor(a, 8)
    axpby(t, t, 1, 0)


@misuse("t[...] = value: an identity tensor's elements are its coordinates and cannot be set")
def setting_a_coordinate(a, square, n, x):
    make_identity_tensor((8, 4))[1, 2] = n


@misuse("t[...] = value: _ keeps a mode, so this names no one element: use fill(t[...], value) or copy(src, t[...])")
def setting_a_slice(a, square, n, x):
    make_tensor(a, TILE)[_, 1] = x


@misuse("t[...] = value: one element cannot hold a tensor: use copy(src, dst)")
def setting_an_element_to_a_tensor(a, square, n, x):
    t = make_tensor(a, TILE)
    t[1, 1] = t[_, 1]


@misuse("make_tensor: the shape (8,4) and the stride (1) differ in their parentheses")
def stride_of_another_profile(a, square, n, x):
    a[0] = make_tensor(a, (8, 4), (1,))[n]


@misuse("Layout: the shape (8,0) has the extent 0")
def extent_of_nothing(a, square, n, x):
    a[0] = Layout((8, 0))(n)


@misuse("axpby: missing 1 required positional argument: 'y'")
def factor_left_out(a, square, n, x):
    axpby(x, make_tensor(a, 8), make_tensor(a, 8))


@misuse("in a kernel, give a coordinate by its place, without the name coord")
def coordinate_by_name(a, square, n, x):
    a[0] = TILE(coord=n)


@misuse("t[...]: 4294967297 is too large: kernels count in 32 bits, to 2147483647")
def coordinate_beyond_32_bits(a, square, n, x):
    a[0] = make_tensor(a, TILE)[2**32 + 1]


@misuse("make_tensor: (65536,65536):(1,65536) reaches to 4294967295, and kernels count in 32 bits, to 2147483647")
def layout_beyond_32_bits(a, square, n, x):
    a[0] = make_tensor(a, (65536, 65536))[n, n]


@misuse("make_tensor: (?,3):(1,2147483647) reaches to 4294967294, and kernels count in 32 bits")
def stride_beyond_32_bits(a, square, n, x):
    a[0] = make_tensor(a, (n, 3), (1, 2**31 - 1))[n, 2]


@misuse(
    "p + n: a pointer stands first, and moves by a number of elements, an integer; this is gmem_ptr[float32] + float32"
)
def pointer_by_a_float(a, square, n, x):
    a[0] = make_tensor(make_gmem_ptr(a) + x, TILE)[n]


@misuse(
    "t[...]: gmem_ptr[float32] is a pointer, and a layout says where its elements are: make_tensor(pointer, layout)[...]"
)
def pointer_as_a_tensor(a, square, n, x):
    a[0] = make_gmem_ptr(a)[n]


@misuse("copy_if: in a kernel the predicate is elem_less(coordinates, shape) or a tensor of truth values, not int32")
def number_as_a_predicate(a, square, n, x):
    copy_if(n, make_tensor(a, TILE), make_tensor(a, TILE))


@misuse("cp_async_wait: how many groups may be on their way is a number that is known, 0 or more, not ?")
def wait_for_a_run_time_number(a, square, n, x):
    cp_async_wait(n)


@misuse("Swizzle is for the host: kernels do not know it. What it makes, make before the kernel, and name it there")
def swizzle_made_in_a_kernel(a, square, n, x):
    a[0] = composition(Swizzle(2, 0, 3), TILE)(n)


@misuse("transform is for the host: kernels do not know it")
def word_that_kernels_do_not_know(a, square, n, x):
    transform(make_tensor(a, TILE), abs)


@misuse("local_tile() missing 1 required positional argument: 'coord'")
def argument_left_out(a, square, n, x):
    a[0] = local_tile(make_tensor(a, TILE), (2, 2))[0]


@pytest.mark.parametrize("name", KERNELS)
def test_refused_in_words(name):
    function, words = KERNELS[name]
    with pytest.raises(TypingError) as caught:
        compile_kernel(function, "float32[::1], float32[:, ::1], int32, float32", (9, 0))
    message = str(caught.value)
    _step, sentence, *rest = message.splitlines()
    assert sentence.startswith(words), message
    assert "candidate" not in message
    first_line = inspect.getsourcelines(function)[1]
    named = [line for line in rest if line.startswith("During: typing of")]
    assert named, message
    assert (
        first_line
        < int(named[-1].rpartition("(")[2].rstrip(")"))
        <= first_line + len(inspect.getsource(function).splitlines())
    )
