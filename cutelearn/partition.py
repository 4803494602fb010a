"""Divide, then slice: the tile of a block, the cells of a thread, the values of an instruction's lane.

Each works on a Tensor and gives a Tensor: a view, whose start has moved. On a Layout each gives (layout, offset), for a
layout has no start to move.
"""

from .algebra import Tiler, composition, right_inverse
from .htuple import (
    Coord,
    LayoutError,
    Underscore,
    _,
    as_coord,
    has_underscore,
    product,
    product_each,
    shown,
    text,
    transform_leaf,
    tuple_rank,
)
from .layout import (
    Layout,
    _coordinate,
    as_layout,
    crd2idx,
    make_layout,
    need_offsets,
    rank,
    shape,
    size,
    slice_and_offset,
)
from .swizzle import ComposedLayout
from .tensor import Tensor
from .tiling import zipped_divide

# ------------------------------------------------------------------------------------------------ projections


class _Dropped(Underscore):
    """The type of `X`: in a Step it drops its mode. In CuTe, too, it is an underscore by another name."""

    __slots__ = ()
    _only = None

    def __repr__(self) -> str:
        return "X"

    def __reduce__(self):
        return "X"


X = _Dropped()


class Step(tuple):
    """Which modes of a tiler, a coordinate or a thread layout a tensor has: 1 keeps a mode, X drops it.

    >>> Step(1, X, 1), dice(Step(1, X, 1), (128, 64, 8))
    (Step<1,X,1>, (128, 8))

    Source: CuTe headers `container/tuple.hpp`, `underscore.hpp`.
    """

    __slots__ = ()

    def __new__(cls, *modes):
        for m in modes:
            if not isinstance(m, (int, tuple, Underscore)):
                raise LayoutError(f"Step: {shown(m)} is neither a number, which keeps a mode, nor X, which drops it")
        return super().__new__(cls, modes)

    def __getnewargs__(self):
        return tuple(self)

    def __repr__(self):
        return "Step<" + ",".join(map(str, self)) + ">"


def dice(step, x):
    """The entries of `x` (a tuple or a layout) that stand where `step` has a number; those at X are dropped.

    >>> dice((1, X), (16, 8)), dice(Step(X, 1), Layout((16, 16))), dice(1, (4, 8))
    ((16,), (16):(16), (4, 8))

    Raises LayoutError where `step` has another number of entries than `x`.
    Source: CuTe header `underscore.hpp`, `dice`.
    """
    if isinstance(x, Layout):
        return Layout(dice(step, x.shape), dice(step, x.stride))
    if isinstance(step, tuple):
        return _diced(step, x)
    return () if isinstance(step, Underscore) else x


def _diced(step, x) -> tuple:
    if not isinstance(step, tuple):
        return () if isinstance(step, Underscore) else (x,)
    if not isinstance(x, tuple) or len(x) != len(step):
        raise LayoutError(
            f"{Step(*step)} has {len(step)} entries, but {text(x)} has {tuple_rank(x)}: a Step has one entry for every mode "
            f"of the whole tiler or thread layout, X where this tensor lacks the mode"
        )
    return sum(map(_diced, step, x), ())


# ------------------------------------------------------------------------------------------------ inner: tiles


def inner_partition(t: Tensor, tiler: Tiler, coord: Coord):
    """The tile at `coord`: `zipped_divide(t, tiler)`, the tile modes kept, the rest modes sliced by `coord`.

    Modes that a tuple `coord` does not reach are kept. An integer `coord` counts all tiles, colexicographically.

    >>> from cutelearn import _, make_tensor
    >>> t = make_tensor(float, (8, 24))
    >>> inner_partition(t, (4, 8), (1, 2)), inner_partition(t, (4, 8), 5)
    (ptr[64b]+132 o (4,8):(1,8), ptr[64b]+132 o (4,8):(1,8))
    >>> inner_partition(t.layout, (4, 8), (1, _))
    ((4,8,3):(1,8,64), 4)

    Raises LayoutError as zipped_divide does, for a coordinate of the wrong rank, and for a tile that is not there.
    Source: CuTe documentation, 03_tensor, "Inner and outer partitioning"; header `tensor_impl.hpp`, `inner_partition`.
    """
    tiled = zipped_divide(_cuttable("inner_partition", t), tiler)
    return _sliced(tiled, (_whole(tiled, 0), _placed(coord, tiled, 1, "tile")))


def outer_partition(t: Tensor, tiler: Tiler, coord: Coord):
    """The cells at `coord` of every tile: `zipped_divide(t, tiler)`, the tile modes sliced, the rest modes kept.

    >>> from cutelearn import make_tensor
    >>> t = make_tensor(float, (8, 24))
    >>> outer_partition(t, (4, 8), (1, 2))
    ptr[64b]+17 o (2,3):(4,64)

    Raises LayoutError as inner_partition does.
    Source: CuTe documentation, 03_tensor, "Inner and outer partitioning"; header `tensor_impl.hpp`, `outer_partition`.
    """
    tiled = zipped_divide(_cuttable("outer_partition", t), tiler)
    return _sliced(tiled, (_placed(coord, tiled, 0, "cell"), _whole(tiled, 1)))


def _cuttable(name, t):
    if isinstance(t, (Tensor, Layout, ComposedLayout)):
        return t
    raise LayoutError(f"{name} cuts a Tensor (or a Layout), not {type(t).__name__}: write make_tensor(array, layout)")


def _sliced(t, coord):
    return t[coord] if isinstance(t, Tensor) else slice_and_offset(coord, t)


def _whole(tiled, i):
    """A coordinate that keeps every mode inside mode i as a mode of its own."""
    n = rank(tiled, i)
    return _ if n == 1 else (_,) * n


def _placed(coord, tiled, i, what):
    """`coord` filled up with `_` to the rank of mode i, all of its integers inside."""
    coord = _coordinate(coord)
    extents = shape(tiled, i)
    if isinstance(coord, tuple):
        if len(coord) > tuple_rank(extents):
            raise LayoutError(
                f"the {what} coordinate {text(coord)} has {len(coord)} entries, but the {what}s are counted by {text(extents)}: "
                f"give at most {tuple_rank(extents)}, or one integer for all"
            )
        coord = coord + (_,) * (tuple_rank(extents) - len(coord))
    if not _is_inside(coord, extents):
        raise LayoutError(f"there is no {what} {text(coord)}: the {what}s are counted by {text(extents)}, from 0")
    return coord


def _is_inside(coord, extents) -> bool:
    if isinstance(coord, tuple) and isinstance(extents, tuple):
        return all(map(_is_inside, coord, extents))
    n = product(extents)
    return not (isinstance(coord, int) and isinstance(n, int)) or 0 <= coord < n


def local_tile(t: Tensor, tiler: Tiler, coord: Coord, step=None):
    """The part of a tensor that a block works on: `inner_partition` of `t` by `tiler` at `coord`.

    With a Step, `tiler` and `coord` are those of the whole problem, (M, N, K), and the Step says which of these modes the
    tensor has: A is (M, K), so `Step(1, X, 1)`. A mode whose coordinate is an integer is gone; `_` keeps all its tiles.

    >>> from cutelearn import _, make_tensor
    >>> gA = make_tensor(float, (384, 128))
    >>> local_tile(gA, (128, 128, 8), (1, 2, _), Step(1, X, 1))
    ptr[64b]+128 o (128,8,16):(1,384,3072)
    >>> local_tile(gA, (128, 8), (1, _))
    ptr[64b]+128 o (128,8,16):(1,384,3072)

    Raises LayoutError as inner_partition does, and for a Step of the wrong length.
    Source: CuTe documentation, 0x_gemm_tutorial, "CTA partitioning"; header `tensor_impl.hpp`, `local_tile`.
    """
    _cuttable("local_tile", t)
    if step is not None:
        tiler, coord = dice(step, tiler), dice(step, coord)
    elif isinstance(tiler, tuple) and len(tiler) > rank(t):
        raise LayoutError(
            f"local_tile: the tiler <{','.join(map(str, tiler))}> has {len(tiler)} modes, {t} has {rank(t)}: give a Step that says "
            f"which of them the tensor has, as Step(1, X, 1) for A (M,K) of (M,N,K)"
        )
    return inner_partition(t, tiler, coord)


# ------------------------------------------------------------------------------------------------ outer: threads


def local_partition(t: Tensor, threads: Layout, index: int, step=None):
    """The cells of thread `index`: `outer_partition` by the shape of the thread layout, at that thread's coordinate.

    The thread at coordinate (i, j) of a 32x8 layout has the cells (i + 32a, j + 8b): its cells are spread over the tile. With
    a Step the thread layout is first projected on the modes that the tensor has; threads that differ only in a dropped mode
    have the same cells.

    >>> from cutelearn import make_tensor
    >>> sA = make_tensor(float, (128, 8))
    >>> local_partition(sA, Layout((32, 8)), 33), local_partition(sA, Layout((16, 16)), 33, Step(1, X))
    (ptr[64b]+129 o (4,1):(32,0), ptr[64b]+1 o (8,8):(16,128))

    Raises LayoutError where the thread layout has no thread `index`, and as outer_partition does.
    Source: CuTe documentation, 0x_gemm_tutorial, "Thread partitioning"; header `tensor_impl.hpp`, `local_partition`.
    """
    threads = as_layout(threads, "local_partition (as its threads)")
    need_offsets(threads, "local_partition (as its threads)")
    _cuttable("local_partition", t)
    if has_underscore(index) or isinstance(index, (tuple, list)):
        raise LayoutError(f"local_partition: {index} is no thread: threads are numbered, give one integer")
    index = as_coord(index, "the thread index")
    if isinstance(index, int) and threads(_thread_coord(index, threads)) != index:
        n, last = size(threads), int(max(threads.offsets()))
        gaps = ", with gaps" if last + 1 > n else ""
        raise LayoutError(
            f"local_partition: the thread layout {threads} has no thread {index}: its {n} threads have the numbers 0 to "
            f"{last}{gaps}. To look at them along fewer modes give the whole thread layout and a Step"
        )
    along = threads if step is None else dice(step, threads)
    coord = _thread_coord(index, along)
    if not isinstance(along.shape, tuple):
        return outer_partition(t, product(along.shape), coord)
    return outer_partition(t, product_each(along.shape), coord)


def _thread_coord(index, threads):
    """Thread `index` as one number a mode, read off the strides: CuTe's `get_flat_coord`, also where modes were dropped."""
    coord = transform_leaf(lambda n, d: index // d % n if d else 0, threads.shape, threads.stride)
    return tuple(map(crd2idx, coord, threads.shape)) if isinstance(coord, tuple) else coord


def dealt(shape, threads: Layout, step=None) -> Layout:
    """The (thread, value) map of `local_partition` on a tile of `shape`.

    Law: dealt(shape, threads, step)(t, v) == the v-th cell of local_partition(Layout(shape), threads, t, step).

    >>> dealt((4, 8), Layout((2, 4)))
    ((2,4),(2,2)):((1,4),(2,16))

    Raises LayoutError where the thread layout leaves numbers out, or the tile does not fit it.
    """
    thread = right_inverse(threads)  # thread number -> coordinate in the grid of threads
    if size(thread) != size(threads):
        raise LayoutError(f"the threads {threads} are not numbered 0 to {size(threads) - 1} without gaps")
    along = threads.shape if step is None else dice(step, threads.shape)
    grid = product_each(along) if isinstance(along, tuple) else (along,)
    tile = Layout(shape if isinstance(along, tuple) else (product(shape),))
    if any(m % n for m, n in zip(tile.shape, grid, strict=False)):
        raise LayoutError(
            f"the tile {text(shape)} is no whole number of grids of {text(grid)} threads: some cells of theirs would lie outside, "
            f"and a predicate must leave them out (draw_predicate shows it). Choose a tile that they divide"
        )
    cells, values = zipped_divide(tile, grid)
    modes, kept = iter(cells), step or (1,) * rank(threads)
    in_tile = make_layout(
        *(next(modes) if isinstance(k, int) else Layout(size(threads, i), 0) for i, k in enumerate(kept))
    )
    return make_layout(composition(in_tile, thread), values)


def tv_partition(t: Tensor, tv_layout: Layout, thread: Coord):
    """The values of a thread: `composition(t, tv_layout)[thread, _]`, for a map (thread, value) -> coordinate of `t`.

    >>> from cutelearn import make_tensor
    >>> t = make_tensor(float, (4, 8), (8, 1))
    >>> tv = Layout(((2, 4), (2, 2)), ((8, 1), (4, 16)))
    >>> composition(t, tv), tv_partition(t, tv, 3)
    (ptr[64b] o ((2,4),(2,2)):((2,8),(1,4)), ptr[64b]+10 o ((2,2)):((1,4)))

    Raises LayoutError as composition does, where `tv_layout` is no (thread, value) map, and for a thread that it has not.
    Source: CuTe documentation, 03_tensor, "Thread-Value partitioning".
    """
    if rank(as_layout(tv_layout, "tv_partition (as its map)")) != 2:
        raise LayoutError(
            f"tv_partition: {tv_layout} has rank {rank(tv_layout)}: a TV layout has two modes, (threads, values)"
        )
    if has_underscore(_coordinate(thread)):
        raise LayoutError(f"tv_partition: give one thread; composition(t, {tv_layout}) is the view for all of them")
    if not _is_inside(thread, tv_layout.shape[0]):
        raise LayoutError(
            f"tv_partition: {tv_layout} has no thread {text(thread)}: its threads are counted by {text(tv_layout.shape[0])}"
        )
    return _sliced(composition(t, tv_layout), (thread, _))
