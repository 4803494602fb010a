"""Layout = shape and stride: a function from coordinates to offsets. Make one, evaluate it, slice it, print it, read it.

What two layouts make together is in algebra.py.
"""

from .htuple import (
    DEEPEST,
    Coord,
    E,
    IntTuple,
    LayoutError,
    RuntimeInt,
    ScaledBasis,
    Underscore,
    _profile_error,
    _what,
    as_coord,
    as_ints,
    as_shape,
    compact_col_major,
    compact_order,
    compact_row_major,
    congruent,
    has_underscore,
    idx2crd,
    inner,
    leaves,
    places,
    product,
    product_each,
    shown,
    text,
    transform_leaf,
    tuple_depth,
    tuple_rank,
    wrap,
)
from .parse import ComposedText, LayoutText, SwizzleText, no_stride, parse


class _Major:
    """A rule that makes compact strides: LayoutLeft or LayoutRight."""

    def __init__(self, name, strides):
        self.name, self.strides = name, strides

    def __repr__(self):
        return self.name

    def __reduce__(self):
        return self.name  # the one of this name here, also after copying and pickling


LayoutLeft = _Major("LayoutLeft", compact_col_major)
LayoutRight = _Major("LayoutRight", compact_row_major)


class Layout:
    """A function from coordinates to offsets: `layout(c)` is the inner product of the natural `c` with the stride.

    `shape` is a positive int or a nested tuple of them; `stride` has the same parentheses and holds ints (0 and negative
    ones too) or scaled bases such as `E(0)`. Without a stride the layout is compact, first mode fastest (`LayoutLeft`);
    `LayoutRight` in place of the stride makes the last mode fastest. Immutable; equal when shape and stride are equal.

    >>> a = Layout((4, (3, 6)), (1, (4, 12)))
    >>> a, a((2, (1, 3))), a(2, 10), a(42), a[1, 0]
    ((4,(3,6)):(1,(4,12)), 42, 42, 42, 3:4)
    >>> Layout((4, 8)), Layout((4, 8), LayoutRight), Layout((4,))
    ((4,8):(1,4), (4,8):(8,1), (4):(1))

    An index past the end goes on along the last mode, as in CuTe: `Layout((2, 3))(7)` is 7.
    A coordinate that holds `_` gives the sublayout that is left (`slice_and_offset` gives the offset too).
    Raises LayoutError for an extent below 1, a leaf that is no integer, a stride or coordinate of another profile.
    Source: CuTe documentation, 01_layout.
    """

    __slots__ = ("shape", "stride")

    def __init__(self, shape: IntTuple, stride=None):
        if not _plain_shape(shape):
            shape = _shape_argument(shape)
        if stride is None:
            stride = compact_col_major(shape)
        elif isinstance(stride, _Major):
            stride = stride.strides(shape)
        elif not _plain_stride(stride, shape):
            stride = as_ints(stride, "the stride")
            if not congruent(shape, stride):
                raise _stride_error(shape, stride)
        _set_shape(self, shape)
        _set_stride(self, stride)

    def __setattr__(self, name, value):
        raise AttributeError(f"a Layout never changes: make a new one in place of setting .{name}")

    def __delattr__(self, name):
        raise AttributeError("a Layout never changes")

    def __reduce__(self):
        return Layout, (self.shape, self.stride)

    # --- as a function

    def __call__(self, *coord):
        shape, stride = self.shape, self.stride
        if len(coord) == 1:
            coord = coord[0]
        if coord.__class__ is tuple and shape.__class__ is tuple and len(coord) == len(shape):
            total = 0  # the common case: one integer a mode
            for c, s, d in zip(coord, shape, stride, strict=True):
                if c.__class__ is not int or c < 0:
                    break
                total = total + (c * d if s.__class__ is int else inner(c, s, d))
            else:
                return total.as_tuple() if total.__class__ is ScaledBasis else total
        elif coord.__class__ is int:
            total = inner(coord, shape, stride)
            return total.as_tuple() if total.__class__ is ScaledBasis else total
        if has_underscore(coord):
            return slice_and_offset(coord, self)[0]
        return crd2idx(coord, self)

    def offsets(self):
        """All offsets, by 1-D coordinate 0, 1, ..., size - 1, as a 1-D numpy int64 array (made by broadcasting).

        >>> Layout((2, 3), (3, 1)).offsets().tolist()
        [0, 3, 1, 4, 2, 5]

        Raises LayoutError for a layout whose strides are scaled bases: it has coordinates, not offsets; and for one with more
        than 2**28 offsets, or with offsets that do not fit into 64 bits.
        """
        import numpy as np

        if product(self.shape) > _LISTED:
            raise LayoutError(
                f"{self} has {product(self.shape)} offsets, more than are listed at once ({_LISTED}): call it with a coordinate"
            )
        out, reach = np.zeros(1, np.int64), 0
        for s, d in zip(leaves(self.shape), leaves(self.stride), strict=True):
            if not isinstance(d, int):
                raise LayoutError(f"{self} gives coordinates, not offsets: call it with a coordinate")
            reach += (s - 1) * abs(d)
            if max(reach, abs(d)) >= 1 << 63:
                raise LayoutError(f"{self} has offsets that do not fit into 64 bits: call it with a coordinate")
            out = (np.arange(s, dtype=np.int64)[:, None] * d + out).reshape(-1)
        return out

    # --- as a pair of tuples

    def __getitem__(self, path):
        if isinstance(path, slice) or (isinstance(path, tuple) and any(isinstance(p, slice) for p in path)):
            raise LayoutError(
                "layout[...] picks a mode by its numbers, as in layout[1] or layout[1, 0]; use take(layout, b, e)"
            )
        return mode(self, *wrap(path))

    def __iter__(self):
        return (Layout._of(s, d) for s, d in zip(wrap(self.shape), wrap(self.stride), strict=True))

    def __eq__(self, other):
        if isinstance(other, Layout):
            return self.shape == other.shape and self.stride == other.stride
        return NotImplemented

    def __hash__(self):
        return hash((self.shape, self.stride))

    def __repr__(self):
        return f"{text(self.shape)}:{text(self.stride)}"

    def _repr_mimebundle_(self, include=None, exclude=None):
        from .draw import bundle  # upwards, and only when a notebook asks

        return bundle(self)

    # --- making and reading

    @classmethod
    def _of(cls, shape, stride) -> "Layout":
        """A layout from parts that are known to be right."""
        self = object.__new__(cls)
        _set_shape(self, shape)
        _set_stride(self, stride)
        return self

    @classmethod
    def parse(cls, source: str) -> "Layout":
        """The layout that a text writes: CuTe's print with or without underscores, or a line of C++.

        >>> Layout.parse("(_4,_8):(_1,_4)")
        (4,8):(1,4)
        >>> Layout.parse("using L = Layout<Shape <_4,Shape <_3,_6>>, Stride<_1,Stride<_4,_12>>>;")
        (4,(3,6)):(1,(4,12))
        >>> Layout.parse("make_layout(make_shape(Int<4>{}, Int<8>{}), LayoutRight{})")
        (4,8):(8,1)

        Law: `Layout.parse(str(a)) == a` and `Layout.parse(to_cpp(a)) == a`.
        Raises LayoutError with a caret under the fault.
        """
        value = parse(source, "layout")
        if isinstance(value, LayoutText):
            return cls(value.shape, value.stride)
        if all(isinstance(leaf, int) for leaf in leaves(value)):
            raise no_stride(as_shape(value))
        if isinstance(value, (SwizzleText, ComposedText)):
            raise LayoutError(f"{source.strip()!r} holds a swizzle: read it with ComposedLayout.parse")
        raise LayoutError(f"{source.strip()!r} is not one layout shape:stride")


_LISTED = 1 << 28  # offsets in one array: 2 GiB
_set_shape, _set_stride = Layout.shape.__set__, Layout.stride.__set__


def _plain_shape(s, deeper=DEEPEST) -> bool:
    """Whether `s` is already nested tuples of positive ints, not too deep (the quick way to say yes)."""
    if s.__class__ is int:
        return s > 0
    if s.__class__ is not tuple or not deeper:
        return False
    for e in s:
        if e.__class__ is int:
            if e < 1:
                return False
        elif not _plain_shape(e, deeper - 1):
            return False
    return True


def _plain_stride(d, s) -> bool:
    """Whether `d` is nested tuples of ints, congruent with `s` (the quick way to say yes)."""
    if s.__class__ is not tuple:
        return d.__class__ is int
    if d.__class__ is not tuple or len(d) != len(s):
        return False
    for f, e in zip(d, s, strict=True):
        if not ((f.__class__ is int and e.__class__ is int) or _plain_stride(f, e)):
            return False
    return True


def _shape_argument(shape):
    if isinstance(shape, Layout):
        raise LayoutError(f"Layout({shape}): this is a layout already; its shape is {text(shape.shape)}")
    if isinstance(shape, str):
        raise LayoutError(f"Layout({shown(shape)}): a text is read with Layout.parse({shown(shape)})")
    return as_shape(shape)


def _stride_error(shape, stride):
    s, d, where = shape, stride, ""
    while isinstance(s, tuple) and isinstance(d, tuple) and len(s) == len(d):
        k = next(i for i in range(len(s)) if not congruent(s[i], d[i]))
        s, d, where = s[k], d[k], where + f" in mode {k}" if not where else where + f",{k}"
    return LayoutError(
        f"the shape {text(shape)} and the stride {text(stride)} differ in their parentheses{where}: "
        f"{text(s)} against {text(d)}. Give one stride for every extent"
    )


class of_objects:
    """A method that objects have and their class has not: `hasattr(cls, name)` is False, so that a type is no object."""

    def __init__(self, method):
        self.method = method

    def __get__(self, one, cls=None):
        if one is None:
            raise AttributeError(f"{cls.__name__} is a type: only what it makes has this")
        return self.method.__get__(one, cls)


def as_layout(x, what: str) -> Layout:
    """`x` if it is a Layout, else a LayoutError that says what to write."""
    if isinstance(x, Layout):
        return x
    if isinstance(x, type):
        raise LayoutError(f"{what} wants a Layout, got the type {x.__name__}: make one, as in Layout((4, 8))")
    if isinstance(x, str):
        raise LayoutError(f"{what} wants a Layout, got the text {shown(x)}: read it with Layout.parse({shown(x)})")
    if isinstance(x, (int, tuple, list)) and not has_underscore(x):
        raise LayoutError(
            f"{what} wants a Layout, got {text(as_ints(x, what))}: write Layout({text(as_ints(x, what))})"
        )
    if isinstance(x, RuntimeInt):
        raise LayoutError(f"{what} wants a Layout, got a run-time integer: make that extent static, as in Int(128)")
    if hasattr(x, "ndim") and hasattr(x, "shape"):
        raise LayoutError(
            f"{what} wants a Layout, got an array of shape {text(x.shape)}: an array holds elements; a shape or a tiler is "
            f"written as a tuple, as in (2, 2)"
        )
    raise LayoutError(f"{what} wants a Layout, got {_what(x)}")


def need_offsets(a: Layout, what: str) -> None:
    """Raises LayoutError for a layout that gives coordinates, where only offsets have an answer."""
    if any(isinstance(d, ScaledBasis) for d in leaves(a.stride)):
        raise LayoutError(f"{what}: {a} gives coordinates, not offsets, and CuTe has no answer there")


# ------------------------------------------------------------------------------------------------ making


def make_layout(*parts) -> Layout:
    """A layout from a shape (and a stride, LayoutLeft or LayoutRight), or one whose modes are the given layouts.

    >>> make_layout((4, 8)), make_layout((4, 8), LayoutRight), make_layout(3, 5)
    ((4,8):(1,4), (4,8):(8,1), 3:5)
    >>> make_layout(Layout(3), Layout((2, 2), (6, 3))), make_layout(Layout(3))
    ((3,(2,2)):(1,(6,3)), (3):(1))

    Raises LayoutError as `Layout` does, and where layouts and shapes are mixed.
    Source: CuTe documentation, 01_layout, "Constructing a Layout"; header `layout.hpp`, `make_layout`.
    """
    if parts and all(isinstance(p, Layout) for p in parts):
        return Layout._of(tuple(p.shape for p in parts), tuple(p.stride for p in parts))
    if any(isinstance(p, Layout) for p in parts) or not 1 <= len(parts) <= 2:
        given = ", ".join(str(p) if isinstance(p, Layout) else repr(p) for p in parts)
        raise LayoutError(f"make_layout({given}): give a shape and a stride, or only layouts (each becomes a mode)")
    return Layout(*parts)


def make_ordered_layout(shape: IntTuple, order: IntTuple) -> Layout:
    """The compact layout whose modes grow in the order given: the mode with the smallest number is the fastest.

    >>> make_ordered_layout((2, 3, 4, 5), (2, 67, 42, 50))
    (2,3,4,5):(1,40,2,8)

    Raises LayoutError where `order` has parentheses that `shape` has not.
    Source: CuTe header `layout.hpp`, `make_ordered_layout`.
    """
    if isinstance(order, _Major):
        return Layout(shape, order)
    shape = as_shape(shape)
    return Layout._of(shape, compact_order(shape, as_ints(order, "the order")))


def make_layout_like(layout: Layout) -> Layout:
    """The compact layout of the same shape whose modes keep the order of the strides; stride-0 modes stay at 0.

    >>> make_layout_like(Layout((4, 8), (32, 2))), make_layout_like(Layout((2, 3), (0, 7)))
    ((4,8):(8,1), (2,3):(0,1))

    Source: CuTe header `layout.hpp`, `make_layout_like`.
    """
    layout = as_layout(layout, "make_layout_like")
    need_offsets(layout, "make_layout_like")
    kept = transform_leaf(lambda s, d: 1 if d == 0 else s, layout.shape, layout.stride)
    return Layout._of(layout.shape, compact_order(kept, layout.stride))


def make_identity_layout(shape: IntTuple) -> Layout:
    """The layout that gives back the coordinate it is given, as a coordinate.

    >>> a = make_identity_layout((4, (2, 3)))
    >>> a, a(7), make_identity_layout(8)
    ((4,(2,3)):(1@0,(1@0@1,1@1@1)), (3,(1,0)), 8:1)

    Source: CuTe documentation, 0z_tma_tensors, "ArithTuple iterators and strides"; header `layout.hpp`, `make_identity_layout`.
    """
    shape = as_shape(shape)

    def basis(s, path):
        return tuple(basis(e, (*path, i)) for i, e in enumerate(s)) if isinstance(s, tuple) else E(*path) if path else 1

    return Layout._of(shape, basis(shape, ()))


# ------------------------------------------------------------------------------------------------ asking


def shape(a, *path) -> IntTuple:
    """The shape of a layout (or of its mode at `path`), or the shape itself.

    >>> shape(Layout((4, (3, 6))), 1)
    (3, 6)
    """
    s = a.shape if hasattr(a, "shape") else as_shape(a)
    if s.__class__ is not tuple and s.__class__ is not int and isinstance(a, type):
        as_layout(a, "shape")
    for i in path:
        s = _pick(s, i, s)
    return s


def stride(a: Layout, *path):
    """The stride of a layout, or of its mode at `path`.

    >>> stride(Layout((4, (3, 6))), 1, 0)
    4
    """
    if not hasattr(a, "stride"):
        a = as_layout(a, "stride")  # a composed layout, too, has none
    return mode(a, *path).stride


def size(a, *path) -> int:
    """How many coordinates a layout or shape has: the product of its extents.

    >>> size(Layout((4, (3, 6)))), size((4, 6)), size(Layout((4, 6)), 1)
    (72, 24, 6)
    """
    return product(shape(a, *path))


def rank(a, *path) -> int:
    """How many modes stand at the top level; an integer has one.

    >>> rank(Layout((4, (3, 6)))), rank(8)
    (2, 1)
    """
    return tuple_rank(shape(a, *path))


def depth(a, *path) -> int:
    """How deep the parentheses go: 0 for an integer, 1 for a flat tuple.

    >>> depth(Layout((4, (3, 6)))), depth(8)
    (2, 0)
    """
    return tuple_depth(shape(a, *path))


def coshape(a: Layout) -> IntTuple:
    """The shape of the codomain: the largest offset + 1, or one such number a mode of a coordinate.

    >>> coshape(Layout((4, 8), (8, 1))), coshape(make_identity_layout((4, 8)))
    (32, (4, 8))

    Negative strides count by their magnitude, as in CuTe. Source: CuTe header `layout.hpp`, `coshape`.
    """
    a, total = as_layout(a, "coshape"), 0
    for s, d in zip(leaves(a.shape), leaves(a.stride), strict=True):
        total = total + (s - 1) * abs(d)
    if isinstance(total, ScaledBasis):
        total = total.as_tuple()
    return tuple(transform_leaf(lambda c: c + 1, total)) if isinstance(total, tuple) else total + 1


def cosize(a: Layout, *path) -> int:
    """How many elements to allocate: the largest offset + 1 (not how many offsets are used).

    >>> cosize(Layout(4, 2)), cosize(Layout((2, 4), (2, 4)))
    (7, 15)

    Source: CuTe documentation, 01_layout; header `layout.hpp`, `cosize`.
    """
    if not path and a.__class__ is Layout and a.stride.__class__ is int:
        return (product(a.shape) - 1) * abs(a.stride) + 1
    if hasattr(a, "_layout_op"):
        return a._layout_op(cosize, *path)
    a = as_layout(a, "cosize")
    return product(coshape(mode(a, *path) if path else a))


# ------------------------------------------------------------------------------------------------ modes


def _pick(modes, i, whole):
    if not isinstance(i, int) or isinstance(i, bool):
        raise LayoutError(f"a mode is picked by an integer, not by {shown(i)}")
    n = tuple_rank(modes)
    if not 0 <= i < n:
        there = f"it has rank {n}, so its modes are 0..{n - 1}" if n > 1 else "it has one mode, 0"
        raise LayoutError(f"mode {i} of {text(whole)}: {there}")
    return modes[i] if isinstance(modes, tuple) else modes


def mode(a: Layout, *path: int) -> Layout:
    """The sublayout at `path`: CuTe's `layout<1,0>(a)`; also written `a[1, 0]`. With no path, `a` itself.

    >>> mode(Layout((4, (3, 6)), (1, (4, 12))), 1, 0)
    3:4

    Raises LayoutError where there is no such mode. Source: CuTe documentation, 01_layout, "Sublayouts".
    """
    if hasattr(a, "_layout_op"):
        return a._layout_op(mode, *path)
    a = as_layout(a, "mode")
    s, d = a.shape, a.stride
    for n, i in enumerate(path):
        if n and not isinstance(s, tuple) and i != 0:
            raise LayoutError(
                f"mode {','.join(map(str, path))} of {a}: mode {','.join(map(str, path[:n]))} is {s}:{d}, which has no mode {i} "
                f"inside. For the offset of a coordinate write a({', '.join(map(str, path))})"
            )
        s, d = _pick(s, i, s), _pick(d, i, s)
    return Layout._of(s, d)


def select(a, *which: int):
    """The layout (or tuple) made of the modes with these numbers, in this order.

    >>> select(Layout((2, 3, 5, 7)), 1, 3), select(Layout((2, 3, 5, 7)), 2)
    ((3,7):(2,30), (5):(6))

    Raises LayoutError where there is no such mode. Source: CuTe documentation, 01_layout, "Sublayouts".
    """
    if hasattr(a, "_layout_op"):
        return a._layout_op(select, *which)
    if not isinstance(a, Layout):
        return tuple(_pick(a, i, a) for i in which)
    return Layout._of(
        tuple(_pick(a.shape, i, a.shape) for i in which), tuple(_pick(a.stride, i, a.shape) for i in which)
    )


def take(a, begin: int, end: int):
    """The modes begin, ..., end - 1 as a layout (or tuple).

    >>> take(Layout((2, 3, 5, 7)), 1, 3)
    (3,5):(2,6)

    Raises LayoutError for an empty range or one that leaves the modes. Source: CuTe header `layout.hpp`, `take`.
    """
    _range(a, begin, end, "take")
    return select(a, *range(begin, end))


def _range(a, begin, end, name):
    n = rank(a)
    for i in (begin, end):
        if not isinstance(i, int) or isinstance(i, bool):
            raise LayoutError(f"{name}: the range is given by two integers, not by {shown(i)}")
    if not 0 <= begin < end <= n:
        why = "the range is empty" if begin >= end else f"it has only the modes 0..{n - 1}"
        raise LayoutError(f"{name}<{begin},{end}> of {text(shape(a))}: {why}; the end is not counted in")


def group(a, begin: int, end: int):
    """The modes begin, ..., end - 1 put into one mode; the function stays the same.

    >>> group(Layout((2, 3, 5, 7)), 0, 2)
    ((2,3),5,7):((1,2),6,30)

    Raises LayoutError for an empty range or one that leaves the modes. Source: CuTe documentation, 01_layout, "Grouping".
    """
    if hasattr(a, "_layout_op"):
        return a._layout_op(group, begin, end)
    _range(a, begin, end, "group")
    if not isinstance(a, Layout):
        return (*a[:begin], a[begin:end], *a[end:])
    s, d = wrap(a.shape), wrap(a.stride)
    return Layout._of((*s[:begin], s[begin:end], *s[end:]), (*d[:begin], d[begin:end], *d[end:]))


def flatten(a):
    """The same function with all inner parentheses gone; an integer stays an integer.

    >>> flatten(Layout((4, (3, 6)))), flatten(Layout(8)), flatten((2, (3, 4)))
    ((4,3,6):(1,4,12), 8:1, (2, 3, 4))

    Source: CuTe documentation, 01_layout, "Flattening".
    """
    if hasattr(a, "_layout_op"):
        return a._layout_op(flatten)
    if not isinstance(a, Layout):
        return leaves(a) if isinstance(a, tuple) else a
    if not isinstance(a.shape, tuple):
        return a
    return Layout._of(leaves(a.shape), leaves(a.stride))


def append(a: Layout, b: Layout) -> Layout:
    """`a` with `b` as one more mode at the end.

    >>> append(Layout((3, 4)), Layout((3, 4)))
    (3,4,(3,4)):(1,3,(1,3))
    """
    a, b = as_layout(a, "append"), as_layout(b, "append")
    return Layout._of((*wrap(a.shape), b.shape), (*wrap(a.stride), b.stride))


def prepend(a: Layout, b: Layout) -> Layout:
    """`a` with `b` as one more mode in front.

    >>> prepend(Layout((3, 4)), Layout(2))
    (2,3,4):(1,1,3)
    """
    a, b = as_layout(a, "prepend"), as_layout(b, "prepend")
    return Layout._of((b.shape, *wrap(a.shape)), (b.stride, *wrap(a.stride)))


def replace(a: Layout, i: int, b: Layout) -> Layout:
    """`a` with mode `i` replaced by `b`.

    >>> replace(Layout((3, 4)), 0, Layout((2, 2)))
    ((2,2),4):((1,2),3)
    """
    a, b = as_layout(a, "replace"), as_layout(b, "replace")
    _pick(a.shape, i, a.shape)
    s, d = wrap(a.shape), wrap(a.stride)
    return Layout._of((*s[:i], b.shape, *s[i + 1 :]), (*d[:i], b.stride, *d[i + 1 :]))


# ------------------------------------------------------------------------------------------------ coordinates and offsets


def crd2idx(coord: Coord, layout, stride=None):
    """The offset of a coordinate: `crd2idx(c, layout)`, or `crd2idx(c, shape, stride)`; without a stride, the 1-D index.

    `coord` may be 1-D, natural, or anything between. The last mode is open-ended, as in CuTe.

    >>> crd2idx((1, 5), Layout((3, (2, 3)), (3, (12, 1)))), crd2idx((1, (1, 2)), (3, (2, 3)))
    (17, 16)

    Raises LayoutError for a coordinate of the wrong profile. Source: CuTe documentation, 01_layout, "Index mapping".
    """
    if hasattr(layout, "_layout_op"):
        return layout._layout_op(crd2idx, coord)
    if not isinstance(layout, Layout):
        shape = as_shape(layout)
        layout = Layout(shape, places(shape) if stride is None else stride)
    if has_underscore(coord):
        raise LayoutError(
            f"crd2idx: the coordinate {text(coord)} holds _; slice_and_offset keeps modes, crd2idx fixes all"
        )
    total = inner(as_coord(coord), layout.shape, layout.stride)
    return total.as_tuple() if isinstance(total, ScaledBasis) else total


def slice_and_offset(coord: Coord, layout: Layout) -> tuple:
    """The sublayout that `_` keeps, and the offset that the numbers fix: CuTe's `slice_and_offset`.

    Law: with (R, o) the result, `R(kept) + o == layout(coord with kept in place of _)`. The rank of R is the number of
    `_` written; a kept mode keeps its own parentheses.

    >>> from cutelearn import _
    >>> a = Layout(((3, 2), (2, 5, 2)), ((4, 1), (2, 13, 100)))
    >>> slice_and_offset((_, 5), a), slice_and_offset(((_, _), 5), a)
    ((((3,2)):((4,1)), 28), ((3,2):(4,1), 28))

    Raises LayoutError for a coordinate of the wrong profile. Source: CuTe header `layout.hpp`, `slice_and_offset`.
    """
    if hasattr(layout, "_layout_op"):
        return layout._layout_op(slice_and_offset, coord)
    layout = as_layout(layout, "slice_and_offset (as its second argument)")
    if isinstance(coord, Underscore):
        return layout, 0
    shapes, strides, offset = [], [], 0
    offset = _slice(_coordinate(coord), layout.shape, layout.stride, shapes, strides)
    return Layout._of(tuple(shapes), tuple(strides)), offset


def _coordinate(coord):
    """`coord` with `:` read as `_` and integers made plain."""
    if isinstance(coord, Underscore):
        return coord
    if isinstance(coord, slice):
        if coord != slice(None):
            raise LayoutError(
                "a mode is kept whole by ':' or _; parts of a mode (as in 1:3) are cut by composition or divide"
            )
        return Underscore()
    return tuple(map(_coordinate, coord)) if isinstance(coord, (tuple, list)) else as_coord(coord)


def _slice(coord, shape, stride, shapes, strides):
    if isinstance(coord, Underscore):
        shapes.append(shape)
        strides.append(stride)
        return 0
    if not isinstance(coord, tuple):
        return inner(coord, shape, stride)
    if not isinstance(shape, tuple) or len(coord) != len(shape):
        raise _profile_error(coord, shape)
    total = 0
    for c, s, d in zip(coord, shape, stride, strict=True):
        total = total + _slice(c, s, d, shapes, strides)
    return total


def slice_layout(coord: Coord, layout: Layout) -> Layout:
    """The sublayout that `_` keeps, without the offset: CuTe's `slice`; also written `layout(coord)`.

    >>> from cutelearn import _
    >>> slice_layout((2, _), Layout((4, 8)))
    (8):(4)
    """
    return slice_and_offset(coord, layout)[0]


def get_hier_coord(offset: int, layout: Layout) -> Coord:
    """The natural coordinate that a compact `layout` sends to `offset`: `(offset / stride) % shape`, leaf by leaf.

    >>> get_hier_coord(9, Layout((2, (4, 2)), (2, (4, 1))))
    (0, (2, 1))

    Pre-condition: `layout` is a bijection onto 0..size-1. Raises LayoutError where it sends that coordinate elsewhere.
    Source: CuTe header `layout.hpp`, `Layout::get_hier_coord`.
    """
    layout = as_layout(layout, "get_hier_coord")
    need_offsets(layout, "get_hier_coord")
    offset = as_coord(offset, "the offset")
    if isinstance(offset, tuple):
        raise LayoutError(f"get_hier_coord: the offset is one integer, not {text(offset)}")
    coord = transform_leaf(lambda s, d: offset // d % s if d else 0, layout.shape, layout.stride)
    if isinstance(offset, int) and layout(coord) != offset:
        raise LayoutError(
            f"get_hier_coord: {layout} sends {text(coord)} to {layout(coord)}, not to {offset}: "
            f"only a compact layout can be read backwards this way; see right_inverse and left_inverse"
        )
    return coord


def get_flat_coord(offset: int, layout: Layout) -> Coord:
    """As `get_hier_coord`, with one integer a top-level mode.

    >>> get_flat_coord(9, Layout((2, (4, 2)), (2, (4, 1))))
    (0, 6)

    Source: CuTe header `layout.hpp`, `Layout::get_flat_coord`.
    """
    index = get_1d_coord(offset, layout)
    return idx2crd(index, product_each(layout.shape) if isinstance(layout.shape, tuple) else layout.shape)


def get_1d_coord(offset: int, layout: Layout) -> int:
    """As `get_hier_coord`, as one integer.

    >>> get_1d_coord(9, Layout((2, (4, 2)), (2, (4, 1))))
    12

    Source: CuTe header `layout.hpp`, `Layout::get_1d_coord`.
    """
    return crd2idx(get_hier_coord(offset, layout), layout.shape)


# ------------------------------------------------------------------------------------------------ writing


def to_cpp(a: Layout) -> str:
    """The layout as C++ source with static integers.

    >>> to_cpp(Layout((4, (3, 6)), (1, (4, 12))))
    'Layout<Shape<_4,Shape<_3,_6>>,Stride<_1,Stride<_4,_12>>>'
    """
    if hasattr(a, "_layout_op"):
        return a._layout_op(to_cpp)

    def write(x, name):
        if isinstance(x, tuple):
            return f"{name}<{','.join(write(e, name) for e in x)}>"
        if isinstance(x, ScaledBasis):
            return f"ScaledBasis<{write(x.value, name)},{','.join(map(str, x.path))}>"
        return f"_{x}" if x >= 0 else f"Int<{x}>"

    a = as_layout(a, "to_cpp")
    return f"Layout<{write(a.shape, 'Shape')},{write(a.stride, 'Stride')}>"


def print_layout(a, limit: int | None = 4000) -> None:
    """Prints the table of offsets as CuTe's `print_layout` does: mode 0 down, mode 1 across.

    A table of more than `limit` cells is cut, as CuTe's is not, and the last line says so; None prints all.

    >>> print_layout(Layout((2, 3), (3, 1)))  # doctest: +NORMALIZE_WHITESPACE
    (2,3):(3,1)
          0   1   2
        +---+---+---+
     0  | 0 | 1 | 2 |
        +---+---+---+
     1  | 3 | 4 | 5 |
        +---+---+---+

    Raises LayoutError unless the rank is 2. Source: CuTe header `layout.hpp`, `print_layout`.
    """
    if not hasattr(a, "_layout_op"):
        a = as_layout(a, "print_layout")
    if rank(a) != 2:
        raise LayoutError(f"print_layout draws rank 2, and {a} has rank {rank(a)}: group modes, or print a.offsets()")
    m, n = size(a, 0), size(a, 1)
    rows, cols = first_and_last((m, n), limit, "print_layout")
    table = [["..." if None in (i, j) else text(a(i, j)) for j in cols] for i in rows]
    width = max(len(cell) for row in table for cell in row)
    if all(isinstance(a(i, j), int) for i, j in ((0, 0), (m - 1, n - 1))):
        plain = a
        while hasattr(plain, "inner"):
            plain = plain.inner
        width = max(width, len(str(cosize(plain))))  # CuTe leaves room for the cosize
    label = 2 if None not in rows else max(3, len(str(m)))  # CuTe's is 2 wide
    begin = " " * (label + 2)
    rule = begin + ("+" + "-" * (width + 2)) * len(cols) + "+"
    print(a)
    print(begin + "".join(f"  {'...' if j is None else j:>{width}} " for j in cols))
    for i, row in zip(rows, table, strict=True):
        print(rule)
        print(f"{'...' if i is None else i:>{label}}  " + "".join(f"| {cell:>{width}} " for cell in row) + "|")
    print(rule)
    print_what_is_cut(m * n, (rows, cols), "cells")


def first_and_last(extents, limit: int | None, what: str) -> list[list]:
    """The positions of each mode to print: all, or of more than `limit` cells the first and the last, None between."""
    if limit is not None and (not isinstance(limit, int) or isinstance(limit, bool) or limit < 1):
        raise LayoutError(f"{what}: limit is {shown(limit)}: give a positive integer, or None to print all")
    if limit is None or product(tuple(extents)) <= limit:
        return [list(range(n)) for n in extents]
    first = [16 if k < 2 else 2 for k in range(len(extents))]
    return [
        [*range(f), None, n - 2, n - 1] if n > f + 3 else list(range(n)) for n, f in zip(extents, first, strict=True)
    ]


def print_what_is_cut(n: int, modes, what: str) -> None:
    """The last line of what was cut: how much of it stands there, and how to see it all."""
    there = product(tuple(sum(i is not None for i in mode) for mode in modes))
    if there < n:
        print(f"{there} of {n} {what}; limit=None prints all")
