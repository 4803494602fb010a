"""Tensor = engine and layout: memory, where in it to start, and which element each coordinate means.

Slices and divides of a tensor are views of the same memory; nothing here copies elements, but `to_numpy`. Tiles and the
parts of threads are in partition.py, what is done with the elements in algorithms.py.
"""

import gc
from itertools import repeat

import numpy as np

from .algebra import coalesce, composition, filter, filter_zeros
from .htuple import (
    ArithmeticTuple,
    Coord,
    IntTuple,
    LayoutError,
    ScaledBasis,
    Underscore,
    as_coord,
    as_shape,
    idx2crd,
    leaves,
    product,
    shown,
    text,
    transform_leaf,
    tuple_rank,
    wrap,
)
from .layout import (
    Layout,
    _coordinate,
    cosize,
    crd2idx,
    first_and_last,
    flatten,
    group,
    make_identity_layout,
    make_layout,
    make_layout_like,
    mode,
    of_objects,
    print_what_is_cut,
    rank,
    select,
    size,
    slice_and_offset,
    to_cpp,
)
from .swizzle import ComposedLayout
from .tiling import (
    blocked_product,
    flat_divide,
    flat_product,
    logical_divide,
    logical_product,
    raked_product,
    tile_to_shape,
    tiled_divide,
    tiled_product,
    zipped_divide,
    zipped_product,
)
from .views import downcast, make_fragment_like, max_common_layout, max_common_vector, recast, upcast

PLACES = (None, "gmem", "smem", "rmem")  # where memory may be: not said, global, shared, registers


# ------------------------------------------------------------------------------------------------ engines


class _Coordinates:
    """The engine of an identity tensor: it holds every coordinate, each at the place of its own name."""

    def __getitem__(self, coord):
        return coord

    def __reduce__(self):
        return "COORDINATES"


COORDINATES = _Coordinates()


class Pointer:
    """Where memory begins for a tensor: an engine, how many elements into it, and its place.

    The engine is a 1-D numpy array or anything else with `[i]` and `len`. `p + n` points n elements further.

    >>> p = make_smem_ptr(np.arange(8, dtype=np.int32))
    >>> p, p + 3, (p + 3)[1]
    (smem_ptr[32b], smem_ptr[32b]+3, np.int32(4))

    CuTe prints the address in place of the `+3`. Source: CuTe headers `pointer.hpp`, `pointer_base.hpp`.
    """

    __slots__ = ("engine", "layout", "memory", "offset")

    def __init__(self, engine, offset=0, memory: str | None = None, layout: Layout | None = None):
        if layout is not None and not isinstance(layout, (Layout, ComposedLayout)):
            raise LayoutError(f"Pointer: {shown(layout)} is no layout")
        self.engine, self.offset, self.memory = _engine(engine, "Pointer"), _start(offset, engine, "Pointer"), memory
        _check_place(memory, "Pointer")
        self.layout = layout  # how the array that it came from lies there, if it came from one

    def __add__(self, n: int):
        return Pointer(self.engine, self.offset + n, self.memory)

    def __getitem__(self, i: int):
        return Tensor(self.engine, Layout(1, 1), self.offset, self.memory)[i]

    def __repr__(self):
        if self.engine is COORDINATES:
            return f"ArithTuple{text(self.offset)}"
        dtype = getattr(self.engine, "dtype", None)
        bits = f"[{8 * dtype.itemsize}b]" if dtype is not None else ""
        start = f"+{self.offset}" if self.offset > 0 else f"{self.offset}" if self.offset < 0 else ""
        return (f"{self.memory}_ptr" if self.memory else "ptr") + bits + start


def make_gmem_ptr(array) -> Pointer:
    """The start of an array, tagged as global memory.

    >>> make_tensor(make_gmem_ptr(np.zeros(32, np.float32)), (4, 8))
    gmem_ptr[32b] o (4,8):(1,4)

    Raises LayoutError for what is no memory. Source: CuTe header `pointer.hpp`, `make_gmem_ptr`.
    """
    return _pointer(array, "gmem")


def make_smem_ptr(array) -> Pointer:
    """The start of an array, tagged as shared memory: CuTe's `make_smem_ptr`. See `make_gmem_ptr`."""
    return _pointer(array, "smem")


def make_rmem_ptr(array) -> Pointer:
    """The start of an array, tagged as registers: CuTe's `make_rmem_ptr`. See `make_gmem_ptr`."""
    return _pointer(array, "rmem")


def _engine(engine, what: str):
    """`engine` if it can be one: flat memory with `[i]` and `len` (while a kernel is compiled, with a type alone)."""
    if engine is COORDINATES:
        return engine
    indexed = hasattr(engine, "__getitem__") and hasattr(engine, "__len__")
    if isinstance(engine, (type, str, dict, tuple, Tensor, Layout)) or not (indexed or hasattr(engine, "dtype")):
        raise LayoutError(
            f"{what}: {shown(engine)} is no memory: give a flat numpy array or a list; make_tensor and make_gmem_ptr take more"
        )
    if getattr(engine, "ndim", 1) != 1:
        raise LayoutError(f"{what}: the engine has {engine.ndim} dimensions; make_tensor(array, ...) makes it flat")
    return engine


def _start(offset, engine, what: str):
    """`offset` if memory can start there: an integer, or a coordinate where the engine holds coordinates."""
    if offset.__class__ is int or (engine is COORDINATES and isinstance(offset, ArithmeticTuple)):
        return offset
    offset = as_coord(offset, f"{what}: the offset")
    if not isinstance(offset, tuple):
        return offset
    if engine is not COORDINATES:
        raise LayoutError(f"{what}: the offset is {text(offset)}: give one integer, so many elements into the memory")
    return _arithmetic(offset)


def _arithmetic(coord):
    return ArithmeticTuple(map(_arithmetic, coord)) if isinstance(coord, tuple) else coord


def _check_place(memory, what: str) -> None:
    if not (memory is None or isinstance(memory, str)) or memory not in PLACES:
        raise LayoutError(f"{what}: the place {shown(memory)} is none of gmem, smem and rmem")


def _pointer(memory, place):
    if isinstance(memory, Pointer):
        return Pointer(memory.engine, memory.offset, place or memory.memory, memory.layout)
    if hasattr(memory, "__len__") and hasattr(memory, "__array_interface__"):  # numpy's, or shown by Numba's simulator
        engine, offset, layout = _flat_memory(np.asarray(memory))
        return Pointer(engine, offset, place, layout)
    if isinstance(memory, Tensor):
        raise LayoutError(
            f"{memory} is a tensor already: t.data() is its start, composition(t, ...) another view of it"
        )
    if isinstance(memory, (tuple, Layout, ComposedLayout)):
        words = text(memory) if isinstance(memory, tuple) else memory
        raise LayoutError(f"{words} is no memory: an array, a list or a type comes first, its layout next")
    if isinstance(memory, (type, dict)) or not (hasattr(memory, "__getitem__") and hasattr(memory, "__len__")):
        raise LayoutError(
            f"{shown(memory)} ({type(memory).__name__}) is no memory: give a numpy array, a list, or a type"
        )
    if getattr(memory, "ndim", 1) != 1:
        raise LayoutError(
            f"memory is flat, and this {type(memory).__name__} has {memory.ndim} dimensions: write np.asarray(...)"
        )
    return Pointer(memory, 0, place)


def _flat_memory(array) -> tuple:
    """All memory from the first to the last element of an array, as a 1-D view; where the array starts; its layout."""
    item = array.itemsize
    if 0 in array.shape:
        raise LayoutError(f"an array of shape {array.shape} holds no elements: every extent must be at least 1")
    if any(d % item for d in array.strides):
        raise LayoutError(
            f"the array's strides {array.strides} are bytes, and not all whole elements of {item} bytes: a layout counts "
            f"elements. Use a copy of it: np.ascontiguousarray(array)"
        )
    strides = tuple(d // item for d in array.strides)
    reach = [(n - 1) * d for n, d in zip(array.shape, strides, strict=True)]
    low, high = sum(min(r, 0) for r in reach), sum(max(r, 0) for r in reach)
    layout = Layout(array.shape, strides) if array.ndim != 1 else Layout(array.shape[0], strides[0])
    if array.ndim == 1 and strides == (1,):
        return array, 0, layout
    corner = array[tuple(slice(-1, None) if d < 0 else slice(1) for d in strides)]  # the element at the lowest address
    return np.lib.stride_tricks.as_strided(corner, (high - low + 1,), (item,)), -low, layout


# ------------------------------------------------------------------------------------------------ Tensor


class Tensor:
    """An engine and a layout: `t[c]` is the element `engine[offset + layout(c)]`.

    Coordinates are what the layout takes: nested, flat or 1-D. With `_` (or `:`) in it a coordinate gives a view: its
    modes are those the underscores keep, its start is moved by the rest. Make one with `make_tensor`.

    >>> from cutelearn import _
    >>> t = make_tensor(np.arange(32), (4, 8), (8, 1))
    >>> t, t[2, 3], t(2, 3), t[14]
    (ptr[64b] o (4,8):(8,1), np.int64(19), np.int64(19), np.int64(19))
    >>> t[2, _], t[:, 5].to_numpy()
    (ptr[64b]+16 o (8):(1), array([ 5, 13, 21, 29]))
    >>> t[2, 3] = 100
    >>> t[2, _][3]
    np.int64(100)

    Law of slices: `t[c][kept] == t[c with kept in place of _]`. The rank of a slice is the number of underscores written.
    The bound is the memory's, not the shape's: a coordinate past the shape goes on along the last mode, as in CuTe, until
    it leaves the memory. `len(t)` and `for x in t` go over the 1-D coordinates; `np.asarray(t)` has a dimension a mode.
    Raises IndexError, with coordinate, offset and extent, where an element lies outside of the memory; LayoutError for a
    coordinate of the wrong profile.
    Source: CuTe documentation, 03_tensor; header `tensor_impl.hpp`.
    """

    __slots__ = ("engine", "layout", "memory", "offset")

    def __init__(self, engine, layout, offset=0, memory: str | None = None):
        if not isinstance(layout, (Layout, ComposedLayout)):
            raise LayoutError(
                f"Tensor: {shown(layout)} is no layout; make_tensor(memory, shape, stride) makes one from a shape"
            )
        _check_place(memory, "Tensor")
        _set_engine(self, _engine(engine, "Tensor"))
        _set_layout(self, layout)
        _set_offset(self, _start(offset, engine, "Tensor"))
        _set_memory(self, memory)

    def __setattr__(self, name, value):
        raise AttributeError(
            f"a Tensor's {name} never changes (its elements do: t[c] = value): make another view of the memory"
        )

    def __delattr__(self, name):
        raise AttributeError("a Tensor's parts never change")

    def __reduce__(self):
        return Tensor, (self.engine, self.layout, self.offset, self.memory)

    def _view(self, layout, moved=0) -> "Tensor":
        """Another layout on the same memory, its start moved by so many elements (or by a coordinate)."""
        new = object.__new__(Tensor)
        _set_engine(new, self.engine)
        _set_layout(new, layout)
        _set_offset(new, self.offset + moved)
        _set_memory(new, self.memory)
        return new

    # --- parts

    @property
    def shape(self) -> IntTuple:
        return self.layout.shape

    @property
    def stride(self):
        if isinstance(self.layout, ComposedLayout):
            raise LayoutError(f"{self.layout} has no stride: what follows its inner layout bends the steps")
        return self.layout.stride

    @property
    def dtype(self):
        """The numpy dtype of the elements; None where the engine does not say one."""
        return getattr(self.engine, "dtype", None)

    def data(self) -> Pointer:
        """Where the tensor starts: `make_tensor(t.data(), layout)` puts another layout there."""
        return Pointer(self.engine, self.offset, self.memory)

    def offsets(self):
        """Where the elements lie in the engine, by 1-D coordinate, as a numpy int64 array."""
        return self.layout.offsets() + self.offset

    # --- elements and slices

    def __getitem__(self, coord: Coord):
        if coord.__class__ is not int and _keeps(coord):
            return self._view(*slice_and_offset(_coordinate(coord), self.layout))
        at = self.layout(coord) + self.offset
        if self.engine is not COORDINATES and not 0 <= at < len(self.engine):
            raise _outside(self, coord, at)
        return self.engine[at]

    def __call__(self, *coord):
        return self[coord[0] if len(coord) == 1 else coord]

    def __setitem__(self, coord: Coord, value):
        if coord.__class__ is not int and _keeps(coord):
            raise LayoutError(
                f"{_coord_text(coord)} keeps a whole mode, so it names no one element: "
                f"fill(t[...], value) sets them all, copy(src, t[...]) one by one"
            )
        if isinstance(value, Tensor):
            raise LayoutError(f"t[{_coord_text(coord)}] is one element, {value} a tensor: use copy(src, dst)")
        check_writable(self)
        at = self.layout(coord) + self.offset
        if not 0 <= at < len(self.engine):
            raise _outside(self, coord, at)
        _store(self, at, value)

    def __len__(self):
        return size(self.layout)

    def __iter__(self):
        return map(self.__getitem__, range(len(self)))

    # --- numpy

    def to_numpy(self):
        """The elements as a new numpy array with one dimension a top-level mode: `t.to_numpy()[i, j] == t[i, j]`.

        >>> make_tensor(np.arange(6), (2, 3)).to_numpy()
        array([[0, 2, 4],
               [1, 3, 5]])

        An identity tensor gives an array of coordinates (of Python objects).
        """
        return gather(self).reshape([product(s) for s in wrap(self.shape)], order="F")

    def __array__(self, dtype=None, copy=None):
        if copy is False:
            raise ValueError(
                "a tensor's elements are gathered through its layout: numpy cannot view them without a copy"
            )
        made = self.to_numpy()
        return made if dtype is None else made.astype(dtype, copy=False)

    def __repr__(self):
        return f"{self.data()} o {self.layout}"

    def _repr_mimebundle_(self, include=None, exclude=None):
        from .draw import bundle  # upwards, and only when a notebook asks

        return bundle(self)

    # --- the algebra on tensors

    def recast(self, dtype) -> "Tensor":
        """The same memory seen as elements of another type: CuTe's `recast<T>(tensor)`.

        >>> make_tensor(np.zeros(16, np.float16), (8, 2)).recast(np.int32)
        ptr[32b] o (4,2):(1,4)

        Raises LayoutError where the layout has no such view, and where the start is not a whole new element.
        Source: CuTe header `tensor_impl.hpp`, `recast`.
        """
        dtype = as_dtype(dtype, "recast")
        if not isinstance(self.engine, np.ndarray):
            raise LayoutError(f"recast: {self} has no memory of bytes to look at as {dtype}")
        if dtype.hasobject or self.dtype.hasobject:
            raise LayoutError(f"recast: Python objects are no bytes: {self} of {self.dtype} cannot be seen as {dtype}")
        old, new = self.dtype.itemsize, dtype.itemsize
        if new == 0:
            raise LayoutError(f"recast: elements of the type {dtype} have no bytes")
        if max(old, new) % min(old, new):
            raise LayoutError(f"recast: elements of {old} bytes do not join or split into elements of {new}")
        layout = recast(self.layout, 8 * old, 8 * new)
        if new < old and isinstance(layout, Layout):
            layout = _only_the_run_grows(self.layout, layout, old // new)
        if isinstance(layout, Layout):
            modes = zip(leaves(self.shape), leaves(layout.shape), leaves(self.stride), strict=True)
            if any(s != t and d < 0 for s, t, d in modes):
                raise LayoutError(
                    f"recast: {self.layout} runs backwards where elements join or split; reverse that mode first"
                )
        n = max(old, new) // min(old, new)
        if new < old and size(layout) != size(self.layout) * n:
            raise LayoutError(
                f"recast: every mode of stride 1 of {self.layout} would grow, and {size(self.layout)} elements became "
                f"{size(layout)}, not {size(self.layout) * n}: give one mode alone the stride 1"
            )
        if new <= old:
            return Tensor(self.engine.view(dtype), layout, self.offset * n, self.memory)
        if self.offset % n:
            raise LayoutError(
                f"recast: {self} starts at element {self.offset}, inside of a group of {n} that becomes one {dtype}"
            )
        whole = len(self.engine) // n * n
        return Tensor(self.engine[:whole].view(dtype), layout, self.offset // n, self.memory)

    @of_objects
    def _layout_op(self, op, *args, **kw):
        if op is composition and kw.pop("right", False):
            raise LayoutError(
                f"composition: {self} on the right: a tensor gives elements, not coordinates; write t.layout"
            )
        if op in _VIEWS:
            return self._view(op(self.layout, *args, **kw))
        if op in _ASKS:
            return op(self.layout, *args, **kw)
        if op is slice_and_offset:
            return slice_and_offset(args[0], self.layout)
        if op is crd2idx:
            return self.layout(args[0])
        if op is recast:
            return self.recast(*args)
        if op in (max_common_layout, max_common_vector):
            return _common(op, self, *args)
        if op is make_fragment_like:
            return _own_like(self, make_fragment_like, *args)
        if op in _PRODUCTS:
            raise LayoutError(
                f"{op.__name__} of a tensor: the copies would need memory that {self} does not have. Take the product of its "
                f"layout, own that many elements (make_tensor(dtype, product)), and copy into each part"
            )
        if op in (upcast, downcast):
            raise LayoutError(
                f"{op.__name__} of a tensor changes its element type: write t.recast(dtype), or use t.layout"
            )
        raise LayoutError(f"{op.__name__} is an operation on layouts: write {op.__name__}(t.layout, ...); t is {self}")


_set_engine, _set_layout = Tensor.engine.__set__, Tensor.layout.__set__
_set_offset, _set_memory = Tensor.offset.__set__, Tensor.memory.__set__

_VIEWS = {composition, logical_divide, zipped_divide, tiled_divide, flat_divide}
_VIEWS |= {coalesce, filter, filter_zeros, flatten, group, select, mode}
_ASKS = {cosize, to_cpp}
_PRODUCTS = {
    logical_product,
    zipped_product,
    tiled_product,
    flat_product,
    blocked_product,
    raked_product,
    tile_to_shape,
}


def _only_the_run_grows(a: Layout, r: Layout, n: int) -> Layout:
    """`r`, which is `downcast(a, n)`, but modes of one element do not grow where another mode of stride 1 does.

    So CuTe has it where the stride of such a mode is known at run time only, as those of an array are.
    """
    steps = list(zip(leaves(a.shape), leaves(a.stride), strict=True))
    if not any(abs(d) == 1 and s > 1 for s, d in steps):
        return r
    shape = transform_leaf(lambda s, d, t: 1 if s == 1 else t, a.shape, a.stride, r.shape)
    stride = transform_leaf(lambda s, d, e: d * n if s == 1 else e, a.shape, a.stride, r.stride)
    return Layout(shape, stride)


def _common(op, a: Tensor, b):
    """What moves between two tensors as vectors: nothing where the types differ, or where elements are computed."""
    if not isinstance(b, Tensor):
        raise LayoutError(f"{op.__name__} compares two tensors or two layouts, not {a} and {b}: write t.layout")
    if a.dtype is not None and a.dtype == b.dtype:
        return op(a.layout, b.layout)
    return Layout(1, 0) if op is max_common_layout else 0


def _keeps(coord) -> bool:
    """Whether a coordinate holds `_` or `:`."""
    if isinstance(coord, (tuple, list)):
        return any(map(_keeps, coord))
    return isinstance(coord, (Underscore, slice))


def _coord_text(coord) -> str:
    if isinstance(coord, (tuple, list)):
        return "(" + ",".join(map(_coord_text, coord)) + ")"
    return ":" if isinstance(coord, slice) else str(coord)


def _outside(t: Tensor, coord, at) -> IndexError:
    coord = _coordinate(coord)
    digits = leaves(idx2crd(coord, t.shape))
    past = any(not 0 <= c < n for c, n in zip(digits, leaves(t.shape), strict=True))
    why = (
        f"the coordinate lies outside of the shape {text(t.shape)}"
        if past
        else "the layout reaches further than the memory"
    )
    n = len(t.engine)
    return IndexError(
        f"coordinate {text(coord)} of {t} has the offset {at}, but the memory has {n} elements, 0 to {n - 1}: {why}"
    )


# ------------------------------------------------------------------------------------------------ all elements at once


def gather(t: Tensor, which=slice(None)):
    """The elements at all 1-D coordinates (or at those that the numpy index `which` picks), as a 1-D numpy array."""
    if t.engine is COORDINATES:
        return as_objects(_coordinates(t, which))
    at = _bounded(t, which)
    return t.engine[at] if isinstance(t.engine, np.ndarray) else as_objects(t.engine[i] for i in at.tolist())


def _coordinates(t: Tensor, which) -> list:
    """The elements of a tensor of coordinates, made entry by entry for all of them at once where they are all of one form."""
    first = t[0]
    columns = isinstance(t.layout, Layout) and _columns(t.layout, first)
    if not columns:
        return [t[int(i)] for i in np.arange(len(t))[which]]
    at = iter([column[which].tolist() for column in columns.values()])

    def joined(x):
        """The values of one entry, or of a tuple of entries, for all coordinates."""
        return map(ArithmeticTuple, zip(*map(joined, x), strict=True)) if isinstance(x, tuple) else next(at)

    collects = gc.isenabled()
    gc.disable()  # so many new tuples, and none is garbage: looking through them again and again takes most of the time
    try:
        return list(joined(first))
    finally:
        if collects:
            gc.enable()


def _columns(layout: Layout, first) -> dict | None:
    """Path of an entry -> its values over all coordinates of the layout, where each mode steps along one entry of `first`."""
    columns = dict(_entries(first, ()))
    index = np.arange(size(layout))
    for s, d in zip(leaves(layout.shape), leaves(layout.stride), strict=True):
        step, path = (d.value, d.path) if isinstance(d, ScaledBasis) else (d, ())
        if path not in columns:
            return None
        columns[path] = columns[path] + index % s * step
        index //= s
    return {path: np.broadcast_to(column, len(index)) for path, column in columns.items()}


def _entries(coord, path):
    """(path, entry) for all entries of a coordinate."""
    if isinstance(coord, tuple):
        return [pair for i, c in enumerate(coord) for pair in _entries(c, (*path, i))]
    return [(path, coord)]


def scatter(t: Tensor, values, which=slice(None)) -> None:
    """Sets the elements at all 1-D coordinates (or at `which`), in this order, to a numpy array (or to one value)."""
    check_writable(t)
    at = _bounded(t, which)
    if isinstance(t.engine, np.ndarray):
        _store(t, at, values)
    else:
        each = values if isinstance(values, np.ndarray) else repeat(values)
        for i, value in zip(at.tolist(), each, strict=False):
            _store(t, i, value)


def _store(t, at, value):
    try:
        t.engine[at] = value
    except (TypeError, ValueError, OverflowError) as reason:
        raise LayoutError(f"{t} cannot hold that: {reason}") from reason


def _bounded(t, which):
    """Offsets into the engine, or IndexError with the first that lies outside."""
    at = t.offsets()[which]
    if at.size and (at.min() < 0 or at.max() >= len(t.engine)):
        k = int(np.argmax((at < 0) | (at >= len(t.engine))))
        raise _outside(t, idx2crd(int(np.arange(len(t))[which][k]), t.shape), int(at[k]))
    return at


def as_objects(values):
    """A numpy array of Python objects, tuples among them."""
    values = list(values)
    out = np.empty(len(values), object)
    for i, value in enumerate(values):
        out[i] = value
    return out


def check_writable(t: Tensor) -> None:
    """Raises LayoutError where the elements of `t` cannot be set."""
    if t.engine is COORDINATES:
        raise LayoutError(f"{t} is an identity tensor: its elements are its coordinates and cannot be set")
    flags = getattr(t.engine, "flags", None)
    if not hasattr(t.engine, "__setitem__") or (flags is not None and not flags.writeable):
        raise LayoutError(f"{t} views memory that is read-only: copy that array first")


# ------------------------------------------------------------------------------------------------ making


def make_tensor(memory, *layout) -> Tensor:
    """A tensor on given memory (a view), or on memory of its own where a type is given (an owner).

    memory: a numpy array, a Pointer, or anything with `[i]` and `len`; or a type (numpy dtype or Python type).
    layout: a Layout, or a shape and, if you like, a stride in elements (LayoutLeft without one). An array without a
    layout keeps its own shape and strides. An array of any rank counts as its flat memory. No elements are copied.

    >>> make_tensor(np.zeros(16), 8, 2), make_tensor(np.zeros((4, 8), np.float16))
    (ptr[64b] o 8:2, ptr[16b] o (4,8):(8,1))
    >>> make_tensor(np.float32, Layout((4, 8), (1, 5))).engine.size
    39

    An owner has `cosize(layout)` elements, all zero at first (in CuTe they are not set at first).
    Raises LayoutError where there is no memory or no layout, and for an owner whose strides are negative or bases.
    Source: CuTe documentation, 03_tensor, "Tensor Creation".
    """
    if isinstance(memory, (type, np.dtype, str)):
        return _own(as_dtype(memory, "make_tensor"), _layout(layout, memory))
    pointer = _pointer(memory, None)
    if not layout and pointer.layout is not None:
        return Tensor(pointer.engine, pointer.layout, pointer.offset, pointer.memory)
    return Tensor(pointer.engine, _layout(layout, memory), pointer.offset, pointer.memory)


def _layout(parts, memory):
    if not parts:
        what = getattr(memory, "__name__", None) or (
            memory if isinstance(memory, Pointer) else f"a {type(memory).__name__}"
        )
        raise LayoutError(f"make_tensor({what}): give a layout, or a shape, as the next argument")
    return parts[0] if len(parts) == 1 and isinstance(parts[0], (Layout, ComposedLayout)) else make_layout(*parts)


def as_dtype(dtype, what: str):
    """The numpy dtype that a type or a name means."""
    try:
        made = None if dtype is None else np.dtype(dtype)
    except Exception:  # numpy reads texts, tuples and dicts, and fails in many ways
        made = None
    if made is None or made.subdtype or (made.hasobject and dtype is not object):
        raise LayoutError(f"{what}: {shown(dtype)} is no element type: write np.float32, np.int8, bool, ...")
    return made


def _own(dtype, layout) -> Tensor:
    for d in leaves(_innermost(layout).stride):
        if not isinstance(d, int):
            raise LayoutError(
                f"make_tensor: {layout} gives coordinates, not offsets: make_identity_tensor needs no memory"
            )
        if d < 0:
            raise LayoutError(
                f"make_tensor: {layout} steps back before its first element: own the memory as an array, and view it with "
                f"make_tensor(make_rmem_ptr(array) + n, layout), n where it starts"
            )
    try:
        memory = np.zeros(cosize(layout), dtype)
    except (ValueError, OverflowError, MemoryError):
        raise LayoutError(
            f"make_tensor: {layout} needs {cosize(layout)} elements of {dtype.itemsize} bytes: there is not so much memory"
        ) from None
    return Tensor(memory, layout)


def make_tensor_like(t: Tensor, dtype=None) -> Tensor:
    """An owner of the same shape and type, compact, whose modes keep the order of the strides of `t`.

    >>> make_tensor_like(make_tensor(np.zeros(256, np.float32), (4, 8), (32, 2)))
    ptr[32b] o (4,8):(8,1)

    Raises LayoutError for what is no tensor, and where neither `t` nor `dtype` says a type.
    Source: CuTe documentation, 03_tensor; header `tensor_impl.hpp`, `make_tensor_like`.
    """
    if not isinstance(t, Tensor):
        raise LayoutError(f"make_tensor_like wants a Tensor, got {shown(t)} (a {type(t).__name__})")
    return _own_like(t, make_layout_like, dtype)


def _own_like(t, like, dtype=None):
    name = like.__name__.replace("layout", "tensor")
    if t.engine is COORDINATES:
        raise LayoutError(
            f"{name}: the steps of {t} are coordinates and have no order: make_tensor(bool, t.shape) owns as many"
        )
    if dtype is None and t.dtype is None:
        raise LayoutError(f"{name}: the elements of {t} have no numpy type: give one, as in {name}(t, np.float32)")
    return _own(t.dtype if dtype is None else as_dtype(dtype, name), like(_innermost(t.layout)))


def _innermost(layout) -> Layout:
    while isinstance(layout, ComposedLayout):
        layout = layout.inner
    return layout


# ------------------------------------------------------------------------------------------------ identity and predicates


def make_identity_tensor(shape: IntTuple) -> Tensor:
    """The tensor whose elements are its own coordinates; slices and partitions of it say which cells they hold.

    Law: `t[c] == c` for every natural coordinate c. Divide and slice t as you do a tensor A of its shape: where the parts
    have one shape, `A_part[i]` is `A[t_part[i]]` (modes inside a mode of A may merge and be cut where those of t are not).

    >>> from cutelearn import _
    >>> t = make_identity_tensor((4, 8))
    >>> t, t[2, 5], t[22], zipped_divide(t, (2, 4))[_, (1, 1)]
    (ArithTuple(0,0) o (4,8):(1@0,1@1), (2,5), (2,5), ArithTuple(2,4) o ((2,4)):((1@0,1@1)))

    Source: CuTe documentation, 0y_predication; header `tensor_impl.hpp`, `make_identity_tensor`.
    """
    shape = as_shape(shape)
    return Tensor(COORDINATES, make_identity_layout(shape), _origin(shape))


def _origin(shape):
    return ArithmeticTuple(map(_origin, shape)) if isinstance(shape, tuple) else 0


def elem_less(coord: Coord | Tensor, bound: IntTuple):
    """Whether every entry of `coord` is less than its entry of `bound`: the test of a predicate.

    For a tensor of coordinates it is a function of i that says so of the coordinate at i: a predicate for `copy_if`.

    >>> elem_less((40, 54), (41, 55)), elem_less((40, 55), (41, 55))
    (True, False)
    >>> inside = elem_less(make_identity_tensor((4, 2)), (3, 2))
    >>> [i for i in range(8) if inside(i)]
    [0, 1, 2, 4, 5, 6]

    Raises LayoutError where the parentheses differ, or an entry is no integer.
    Source: CuTe header `int_tuple.hpp`, `elem_less`.
    """
    bound = as_coord(bound, "elem_less: the bound")
    if isinstance(coord, Tensor):
        _bounds(coord[0], bound)
        return lambda i: elem_less(coord[i], bound)
    return all(c < b for c, b in _bounds(as_coord(coord, "elem_less: the coordinate"), bound))


def _bounds(coord, bound) -> list:
    """(entry, its bound) for all entries of a coordinate."""
    if isinstance(coord, tuple) and isinstance(bound, tuple) and len(coord) == len(bound):
        return [pair for pairs in map(_bounds, coord, bound) for pair in pairs]
    if isinstance(coord, tuple) or isinstance(bound, tuple):
        raise LayoutError(
            f"elem_less: {text(coord)} has rank {tuple_rank(coord)} and {text(bound)} rank {tuple_rank(bound)}, in other "
            f"parentheses: give one bound for every entry"
        )
    return [(coord, bound)]


# ------------------------------------------------------------------------------------------------ printing


def print_tensor(t: Tensor, limit: int | None = 4000) -> None:
    """Prints the tensor and its elements as CuTe's `print_tensor` does: mode 0 down, mode 1 across, then modes 2 and 3.

    What has more than `limit` elements is cut, as in CuTe it is not, and the last line says so; None prints all.

    >>> print_tensor(make_tensor(np.arange(6), (2, 3), (3, 1)))
    ptr[64b] o (2,3):(3,1):
        0    1    2
        3    4    5

    Raises LayoutError where the rank is over 4. Source: CuTe header `tensor_impl.hpp`, `print_tensor`.
    """
    if not isinstance(t, Tensor):
        raise LayoutError(
            f"print_tensor wants a Tensor, got {shown(t)} (a {type(t).__name__}); print_layout shows a layout"
        )
    if rank(t) > 4:
        raise LayoutError(f"print_tensor shows up to four modes, and {t} has {rank(t)}: slice it, or group modes")
    modes = first_and_last([size(t, i) for i in range(rank(t))], limit, "print_tensor")
    print(f"{t}:")
    _print_modes(t, modes)
    print_what_is_cut(len(t), modes, "elements")


def _print_modes(t, modes):
    """The elements at these positions of each mode; None is a gap."""
    *before, last = modes
    if not before:
        for m in last:
            print("  ..." if m is None else _pretty(t[m]))
    elif len(before) == 1:
        for m in before[0]:
            print("".join("  ..." if None in (m, n) else _pretty(t[m, n]) for n in last))
    else:
        for place, k in enumerate(last):
            if place:
                print("-="[len(before) - 2] * (5 * len(modes[1])))
            if k is None:
                print("  ...")
            else:
                _print_modes(t[(*[Underscore()] * len(before), k)], before)


def _pretty(value) -> str:
    """One element, in the widths of CuTe's `pretty_print`."""
    if isinstance(value, (bool, np.bool_)):
        return f"{int(value):3d}"
    if isinstance(value, (np.int8, np.uint8, np.int16, np.uint16)):
        return f"  {value}"
    if isinstance(value, (int, np.integer)):
        return f"{value:5d}"
    if isinstance(value, np.float16):
        return f"{float(value):8.2f}"
    if isinstance(value, np.float32):
        return f"{value:10.2e}"
    if isinstance(value, float):
        return f"{value:11.3e}"
    return f"  {value}"
