"""One layout seen in another way: another shape, elements of another size, the vectors two layouts share, registers."""

from math import gcd

from .algebra import _ONE, Tiler, _bring, _complement, _of, coalesce, composition, filter_zeros, right_inverse
from .htuple import (
    IntTuple,
    LayoutError,
    ceil_div,
    compact_col_major,
    compact_order,
    leaves,
    product,
    shown,
    tuple_rank,
    wrap,
)
from .layout import Layout, as_layout, cosize, make_layout, mode, need_offsets, rank, select, size
from .tiling import _one_tiler, logical_divide


def with_shape(a: Layout, *shape: IntTuple) -> Layout:
    """A seen through another shape of the same order of coordinates: `composition(A, Layout(shape))`.

    Law: `R(i) == A(i)` for every i < size(R).

    >>> with_shape(Layout((4, 4), (4, 1)), (8, 2))
    ((4,2),2):((4,1),2)

    Source: CuTe header `layout.hpp`, `Layout::with_shape`.
    """
    return composition(a, Layout(shape[0] if len(shape) == 1 else shape))


def upcast(a: Layout, n: int) -> Layout:
    """The layout counted in elements `n` times as large: strides divided by n, extents where they run inside one.

    >>> upcast(Layout((4, 6), (6, 1)), 2)
    (4,3):(3,1)

    Raises LayoutError where a stride neither divides n nor is divided by it.
    Source: CuTe header `layout.hpp`, `upcast`.
    """
    if a.__class__ is not Layout:
        return _bring(a, upcast, n)
    _check_factor(n, "upcast")
    need_offsets(a, "upcast")

    def up(s, d):
        if isinstance(s, tuple):
            parts = [up(e, f) for e, f in zip(s, d, strict=True)]
            return tuple(p[0] for p in parts), tuple(p[1] for p in parts)
        if d == 0:
            return s, d
        step = abs(d)
        if step % n and n % step:
            raise LayoutError(
                f"upcast: Divisibility condition: the stride {d} of {a} and the factor {n}: neither divides the other"
            )
        return ceil_div(s, ceil_div(n, step)), ceil_div(step, n) * (1 if d > 0 else -1)

    return _of(*up(a.shape, a.stride))


def downcast(a: Layout, n: int) -> Layout:
    """The layout counted in elements `n` times as small: the stride-1 mode grows, other strides are multiplied.

    >>> downcast(Layout((4, 6), (6, 1)), 2)
    (4,12):(12,1)

    Raises LayoutError where no mode has stride 1: the parts of an element must lie side by side.
    Source: CuTe header `layout.hpp`, `downcast`.
    """
    if a.__class__ is not Layout:
        return _bring(a, downcast, n)
    _check_factor(n, "downcast")
    if all(abs(d) != 1 for d in leaves(a.stride)):
        raise LayoutError(f"downcast: Downcast requires adjacent elements: {a} has no mode of stride 1")

    def down(s, d):
        if isinstance(s, tuple):
            parts = [down(e, f) for e, f in zip(s, d, strict=True)]
            return tuple(p[0] for p in parts), tuple(p[1] for p in parts)
        return (s * n, d) if abs(d) == 1 else (s, d * n)

    return _of(*down(a.shape, a.stride))


def _check_factor(n, name):
    if not isinstance(n, int) or isinstance(n, bool) or n < 1:
        raise LayoutError(f"{name}: the factor must be a positive integer, not {shown(n)}")


def recast(a: Layout, old_bits: int, new_bits: int | None = None) -> Layout:
    """The same memory seen as elements of `new_bits` in place of `old_bits`: CuTe's `recast_layout`.

    For a tensor: `recast(tensor, dtype)`.

    >>> recast(Layout(16), 16, 32), recast(Layout((4, 3)), 32, 16)
    (8:1, (8,3):(1,8))

    Raises LayoutError as upcast and downcast do.
    Source: CuTe header `layout.hpp`, `recast_layout`.
    """
    if new_bits is None and hasattr(a, "_layout_op"):
        return a._layout_op(recast, old_bits)
    _check_factor(old_bits, "recast")
    _check_factor(new_bits, "recast")
    common = gcd(old_bits, new_bits)
    up, down = new_bits // common, old_bits // common
    if up > 1:
        a = upcast(a, up)
    return downcast(a, down) if down > 1 else a


def max_common_layout(a: Layout, b: Layout) -> Layout:
    """The coordinates in which A and B both count 0, 1, 2, ...: what can be moved between them as one vector.

    Law: `A(R(i)) == i == B(R(i))` for every i < size(R).

    >>> max_common_layout(Layout((3, 6, 2), (1, 6, 36)), Layout((3, 6, 2), (1, 3, 18)))
    3:1

    Source: CuTe header `layout.hpp`, `max_common_layout`.
    """
    if a.__class__ is not Layout:
        return _bring(a, max_common_layout, b)
    b = as_layout(b, "max_common_layout")
    inverse = right_inverse(b)
    common = coalesce(composition(a, inverse))
    first = mode(common, 0)
    if first.stride != 1:
        return _ONE
    return composition(inverse, first)


def max_common_vector(a: Layout, b: Layout) -> int:
    """How many elements can be moved between A and B as one vector: the size of the max_common_layout.

    >>> max_common_vector(Layout((3, 6, 2), (1, 6, 36)), Layout((3, 6, 2), (1, 3, 18)))
    3

    Of two tensors it is 0 where their types differ, or where elements are computed: then nothing moves as it is.
    Source: CuTe headers `layout.hpp` and `tensor_impl.hpp`, `max_common_vector`.
    """
    if a.__class__ is not Layout:
        return _bring(a, max_common_vector, b)
    return size(max_common_layout(a, b))


def max_alignment(a: Layout) -> int:
    """The largest N such that A is made of aligned runs of N elements.

    >>> max_alignment(Layout((4, 2, 6), (12, 6, 1))), max_alignment(Layout((4, 3), (1, 6)))
    (48, 2)

    Source: CuTe header `layout.hpp`, `max_alignment`.
    """
    flat = coalesce(a)
    need_offsets(as_layout(flat, "max_alignment"), "max_alignment")
    parts = logical_divide(flat, right_inverse(flat))
    n = size(parts, 0)
    for d in leaves(mode(parts, 1).stride):
        n = gcd(n, d)
    return n


def evenly_divides(shape: IntTuple, tiler: Tiler) -> bool:
    """Whether the tiler cuts the shape into whole tiles, without phantom cells.

    >>> evenly_divides((32, 64), (Layout(8, 2), 32)), evenly_divides(16, 12)
    (True, False)

    Source: CuTe header `layout.hpp`, `evenly_divides`.
    """
    if isinstance(tiler, (tuple, list)):
        if len(tiler) > tuple_rank(shape):
            return False
        return all(evenly_divides(s, t) for s, t in zip(wrap(shape), tiler, strict=False))
    b = _one_tiler(tiler, "evenly_divides")
    return product(shape) == size(b) * size(_complement(b, shape)[0])


def make_fragment_like(a: Layout, dtype=None) -> Layout:
    """A compact layout for registers: the first mode contiguous, the others in the order of their strides.

    For a tensor: registers of that layout, of the tensor's element type or of `dtype`.

    >>> make_fragment_like(Layout(((4, 5), 13), ((12, 1), 64)))
    ((4,5),(13)):((1,4),(20))

    Source: CuTe header `layout.hpp`, `make_fragment_like`.
    """
    if a.__class__ is not Layout:
        return _bring(a, make_fragment_like, *(() if dtype is None else (dtype,)))
    if rank(a) == 1:
        return _of(a.shape, compact_col_major(a.shape))
    kept = filter_zeros(a)
    first = _of(a.shape[0], compact_col_major(kept.shape[0]))
    others = select(kept, *range(1, rank(a)))
    rest = _of(a.shape[1:], compact_order(others.shape, others.stride))
    copies = composition(_complement(first, size(first) * cosize(rest))[0], rest)
    return make_layout(first, *(copies if rank(a) > 2 else (copies,)))
