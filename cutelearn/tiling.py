"""What tiles a layout: divides cut it into tiles, products repeat it. Both are composition and complement, put together.

The laws stand in the docstrings; each is checked or provable, as in algebra.py.
"""

from numbers import Integral

from .algebra import (
    _SEARCH,
    AT_ONCE,
    Tiler,
    _bring,
    _check_tiler_rank,
    _coalesced,
    _complement,
    _compose,
    _inside,
    _of,
    _tiler_text,
    composition,
    filter_zeros,
)
from .htuple import (
    IntTuple,
    LayoutError,
    ScaledBasis,
    Underscore,
    as_ints,
    as_shape,
    compact_order,
    idx2crd,
    leaves,
    places,
    product,
    product_each,
    text,
    transform_leaf,
    tuple_rank,
    wrap,
)
from .layout import Layout, LayoutLeft, _Major, as_layout, cosize, make_layout, rank, size

# ------------------------------------------------------------------------------------------------ divide


def logical_divide(a: Layout, tiler: Tiler, *, check: bool = True) -> Layout:
    """A cut into tiles: ((tile), (rest)), `A o (B, B*)` with `B* = complement(B, shape(coalesce(A)))`.

    Law: mode 0 is `A o B`; with mode 1 every coordinate of A is met exactly once. The result may be larger than A: the
    surplus are phantom cells, out of range, and predicates are for them.
    A tuple divides by mode (`_` leaves a mode whole; modes beyond it stay); a Layout or int is one 1-D tiler.

    >>> logical_divide(Layout((4, 2, 3), (2, 1, 8)), Layout(4, 2))
    ((2,2),(2,3)):((4,1),(2,8))
    >>> logical_divide(Layout((9, (4, 8)), (59, (13, 1))), (Layout(3, 3), Layout((2, 4), (1, 8))))
    ((3,3),((2,4),(2,2))):((177,59),((13,2),(26,1)))

    Raises LayoutError as composition and complement do, and where the law fails; `check=False` gives CuTe's answer.
    Source: CuTe documentation, 02_layout_algebra, "Division (Tiling)".
    """
    if a.__class__ is not Layout:
        return _bring(a, logical_divide, tiler, check=check)
    if isinstance(tiler, Underscore):
        return a
    if isinstance(tiler, (tuple, list)):
        _check_tiler_rank(a, tiler, "logical_divide")
        return _each_mode(a, tiler, lambda x, y: logical_divide(x, y, check=check))
    b = _one_tiler(tiler, "logical_divide")
    shape, stride = leaves(a.shape), leaves(a.stride)
    flat_s, flat_d = _coalesced(shape, stride)
    rest, gapless = _complement(b, flat_s if len(flat_s) > 1 else flat_s[0])
    both = _of((b.shape, rest.shape), (b.stride, rest.stride))
    if not shape or shape[-1] == 1:
        flat_s, flat_d = _coalesced(shape, stride, open_end=True)
    used = [0] * len(flat_s)
    s, d, exact = _compose(flat_s, flat_d, both.shape, both.stride, used, ("logical_divide", a, b, rest))
    result = _of(s, d)
    if check and not (exact and gapless and _inside(used, flat_s) and (len(flat_s) == 1 or size(both) >= size(a))):
        _check_divide(a, b, both, result)
    return result


def _each_mode(a, tiler, op):
    """`op` on each mode of A with its entry of the tiler; further modes of A stay."""
    s, d = wrap(a.shape), wrap(a.stride)
    done = [op(_of(s[i], d[i]), t) for i, t in enumerate(tiler)]
    n = len(done)
    return _of((*(x.shape for x in done), *s[n:]), (*(x.stride for x in done), *d[n:]))


def _one_tiler(tiler, name) -> Layout:
    if isinstance(tiler, Layout):
        return tiler
    if isinstance(tiler, Integral) and not isinstance(tiler, bool):
        return Layout(as_shape(tiler, f"{name}: the tiler"))
    return as_layout(tiler, f"{name} (as its tiler)")


def _check_divide(a, b, both, result):
    """The law of divide where it is not plain: mode 0 is A o B, and with mode 1 every coordinate is met exactly once."""
    composition(a, b)  # raises on a carry inside the tile
    shape = _coalesced(leaves(a.shape), leaves(a.stride), open_end=True)[0]
    if size(result) > _SEARCH:
        raise LayoutError(
            f"logical_divide: {a} by {b} does not divide evenly, and its {size(result)} cells are too many to check; "
            f"pass check=False for CuTe's unchecked answer"
        )
    opened = leaves(a.shape)[-1:] == (1,)  # a last extent of 1 counts as 2 there: its stride is where A goes on
    ends = (*shape[:-1], shape[-1] // 2 if opened else shape[-1])
    once = make_layout(filter_zeros(b), both[1])  # a tile that repeats itself meets its coordinates again on purpose
    where = _of(*_compose_coordinates(shape, once, a))
    many = size(where) > AT_ONCE and all(d.value >= 0 for d in leaves(where.stride) if isinstance(d, ScaledBasis))
    twice, missing = _flaws_of_many(where, ends) if many else _flaws(where, ends)
    if twice:
        one, other, coord = twice
        raise LayoutError(
            f"logical_divide: {a} by {b} is no tiling: cells {one} and {other} of {result} are both the coordinate "
            f"{text(coord)} of A. Choose a tiler that divides it; check=False gives CuTe's answer"
        )
    if missing is not None:
        raise LayoutError(
            f"logical_divide: {a} by {b} is no tiling: {result} never meets the coordinate {text(missing)} of A coalesced "
            f"({text(ends)}). Choose a tiler that divides it; check=False gives CuTe's answer"
        )


def _flaws(where, ends) -> tuple:
    """(two cells of one coordinate, and it), and a coordinate that no cell has; each None where there is none."""
    seen = {}
    for i in range(size(where)):
        coord = where(i)
        if any(c >= n for c, n in zip(coord, ends, strict=True)):
            continue  # a phantom cell
        if coord in seen:
            return (seen[coord], i, coord), None
        seen[coord] = i
    if len(seen) == product(ends):
        return None, None
    return None, next(c for c in (idx2crd(i, ends) for i in range(product(ends))) if c not in seen)


def _flaws_of_many(where, ends) -> tuple:
    """As `_flaws`, for all cells at once; no entry of a coordinate may be below 0."""
    index, inside = 0, True
    for k, (n, place) in enumerate(zip(ends, places(ends), strict=True)):
        along = transform_leaf(
            lambda d, k=k: d.value if isinstance(d, ScaledBasis) and d.path == (k,) else 0, where.stride
        )
        entry = _of(where.shape, along).offsets()
        index, inside = index + entry * place, (entry < n) & inside
    cells, index = inside.nonzero()[0], index[inside]
    order = index.argsort(kind="stable")
    index = index[order]
    again = (index[1:] == index[:-1]).nonzero()[0]
    if len(again):
        k = again[order[again + 1].argmin()]
        return (int(cells[order[k]]), int(cells[order[k + 1]]), idx2crd(int(index[k]), ends)), None
    if len(index) == product(ends):
        return None, None
    skipped = index != _of(len(index), 1).offsets()
    return None, idx2crd(int(skipped.argmax()) if skipped.any() else len(index), ends)


def _compose_coordinates(shape, both, a):
    """`both` composed with the identity on `shape`: where each cell lies, as a coordinate of A's modes."""
    bases = tuple(ScaledBasis(1, k) for k in range(len(shape)))
    s, d, _exact = _compose(shape, bases, both.shape, both.stride, [0] * len(shape), ("logical_divide", a, both, None))
    full = 0 * ScaledBasis(1, len(shape) - 1)  # so that every coordinate has all its entries
    return (s, 1), (d, full)


def _unzipped(s, d, tiler):
    """((tiles), (rests)) of a layout whose modes are (tile, rest) pairs wherever `tiler` has an entry."""
    if not isinstance(tiler, tuple):
        return s, d
    parts = [_unzipped(s[i], d[i], t) for i, t in enumerate(tiler)]
    n = len(tiler)
    shapes = tuple(p[0][0] for p in parts), (*(p[0][1] for p in parts), *s[n:])
    strides = tuple(p[1][0] for p in parts), (*(p[1][1] for p in parts), *d[n:])
    return shapes, strides


def _no_underscore(tiler, name):
    if isinstance(tiler, Underscore) or (isinstance(tiler, (tuple, list)) and _holds_underscore(tiler)):
        raise LayoutError(
            f"{name}: the tiler {_tiler_text(tiler)} holds _, which leaves a mode without its (tile, rest) pair: CuTe does "
            f"not compile it, or takes the mode itself apart. Write 1 for a tile of one, or the whole extent; "
            f"{'logical_divide' if 'divide' in name else 'logical_product'} takes _"
        )


def _holds_underscore(tiler) -> bool:
    return any(_holds_underscore(t) if isinstance(t, (tuple, list)) else isinstance(t, Underscore) for t in tiler)


def _as_tuples(tiler):
    return tuple(map(_as_tuples, tiler)) if isinstance(tiler, (tuple, list)) else tiler


def zipped_divide(a: Layout, tiler: Tiler, *, check: bool = True) -> Layout:
    """The divide with all tile modes first: ((tile modes), (rest modes, modes the tiler does not reach)).

    Law: as logical_divide, rearranged.

    >>> zipped_divide(Layout((12, 32)), (4, 8))
    ((4,8),(3,4)):((1,12),(4,96))

    Raises LayoutError as logical_divide does, and for `_` in the tiler.
    Source: CuTe documentation, 02_layout_algebra, "Zipped, Tiled, Flat Divides".
    """
    if a.__class__ is not Layout:
        return _bring(a, zipped_divide, tiler, check=check)
    _no_underscore(tiler, "zipped_divide")
    divided = logical_divide(a, tiler, check=check)
    return _of(*_unzipped(divided.shape, divided.stride, _as_tuples(tiler)))


def tiled_divide(a: Layout, tiler: Tiler, *, check: bool = True) -> Layout:
    """The zipped divide with the rest modes side by side: ((tile modes), rest, rest, ...).

    >>> tiled_divide(Layout((12, 32)), (4, 8))
    ((4,8),3,4):((1,12),4,96)

    Source: CuTe documentation, 02_layout_algebra, "Zipped, Tiled, Flat Divides".
    """
    if a.__class__ is not Layout:
        return _bring(a, tiled_divide, tiler, check=check)
    _no_underscore(tiler, "tiled_divide")
    return _spread(zipped_divide(a, tiler, check=check), tile=False)


def flat_divide(a: Layout, tiler: Tiler, *, check: bool = True) -> Layout:
    """The zipped divide with all modes side by side: (tile, tile, ..., rest, rest, ...).

    >>> flat_divide(Layout((12, 32)), (4, 8))
    (4,8,3,4):(1,12,4,96)

    Source: CuTe documentation, 02_layout_algebra, "Zipped, Tiled, Flat Divides".
    """
    if a.__class__ is not Layout:
        return _bring(a, flat_divide, tiler, check=check)
    _no_underscore(tiler, "flat_divide")
    return _spread(zipped_divide(a, tiler, check=check), tile=True)


def _spread(zipped, tile):
    (ts, rs), (td, rd) = zipped.shape, zipped.stride
    return _of((*_beside(ts, tile), *_beside(rs)), (*_beside(td, tile), *_beside(rd)))


def _beside(modes, spread=True) -> tuple:
    """The modes to put side by side; a group of one stays wrapped, as in CuTe."""
    return modes if spread and isinstance(modes, tuple) and len(modes) > 1 else (modes,)


# ------------------------------------------------------------------------------------------------ product


def logical_product(a: Layout, tiler: Tiler, *, check: bool = True) -> Layout:
    """Copies of A laid out as B says: (A, A* o B) with `A* = complement(A, size(A) * cosize(B))`.

    Law: mode 0 is A; mode 1 is `A* o B`: a copy of A starts where B says, the holes of A are filled first. A B that
    repeats gives repeated copies. A tuple works by mode (`_` leaves a mode alone; modes beyond it stay).

    >>> logical_product(Layout((2, 2), (4, 1)), Layout(6)), logical_product(Layout((2, 2), (4, 1)), Layout((4, 2), (2, 1)))
    (((2,2),(2,3)):((4,1),(2,8)), ((2,2),(4,2)):((4,1),(8,2)))

    Raises LayoutError as complement and composition do.
    Source: CuTe documentation, 02_layout_algebra, "Product (Tiling)".
    """
    if a.__class__ is not Layout:
        return _bring(a, logical_product, tiler, check=check)
    if isinstance(tiler, Underscore):
        return a
    if isinstance(tiler, (tuple, list)):
        _check_tiler_rank(a, tiler, "logical_product")
        return _each_mode(a, tiler, lambda x, y: logical_product(x, y, check=check))
    b = _one_tiler(tiler, "logical_product")
    copies = composition(_complement(a, product(a.shape) * cosize(b))[0], b, check=check)
    return _of((a.shape, copies.shape), (a.stride, copies.stride))


def zipped_product(a: Layout, tiler: Tiler, *, check: bool = True) -> Layout:
    """The product with all of A's modes first: ((A's modes), (B's modes)).

    >>> zipped_product(Layout((2, 5), (5, 1)), (3, 4))
    ((2,5),(3,4)):((5,1),(1,5))

    Raises LayoutError as logical_product does, and for `_` in the tiler.
    Source: CuTe documentation, 02_layout_algebra, "Zipped, Tiled, Flat Products".
    """
    if a.__class__ is not Layout:
        return _bring(a, zipped_product, tiler, check=check)
    _no_underscore(tiler, "zipped_product")
    made = logical_product(a, tiler, check=check)
    return _of(*_unzipped(made.shape, made.stride, _as_tuples(tiler)))


def tiled_product(a: Layout, tiler: Tiler, *, check: bool = True) -> Layout:
    """The zipped product with B's modes side by side: ((A's modes), B mode, B mode, ...).

    >>> tiled_product(Layout((2, 2), (4, 1)), Layout((4, 2), (2, 1)))
    ((2,2),4,2):((4,1),8,2)

    Source: CuTe documentation, 02_layout_algebra, "Zipped, Tiled, Flat Products".
    """
    if a.__class__ is not Layout:
        return _bring(a, tiled_product, tiler, check=check)
    _no_underscore(tiler, "tiled_product")
    return _spread(zipped_product(a, tiler, check=check), tile=False)


def flat_product(a: Layout, tiler: Tiler, *, check: bool = True) -> Layout:
    """The zipped product with all modes side by side.

    >>> flat_product(Layout((2, 2), (4, 1)), Layout((4, 2), (2, 1)))
    (2,2,4,2):(4,1,8,2)

    Source: CuTe documentation, 02_layout_algebra, "Zipped, Tiled, Flat Products".
    """
    if a.__class__ is not Layout:
        return _bring(a, flat_product, tiler, check=check)
    _no_underscore(tiler, "flat_product")
    return _spread(zipped_product(a, tiler, check=check), tile=True)


def _padded(a, n):
    """`a` with size-1 modes appended until it has rank n: CuTe's `append<N>`."""
    if rank(a) == n:
        return a
    more = n - rank(a)
    return _of((*wrap(a.shape), *(1,) * more), (*wrap(a.stride), *(0,) * more))


def _mode_by_mode(a, b, check, order):
    """The product with the modes of A and B paired, in this order."""
    n = max(rank(a), rank(b))
    a, b = _padded(a, n), _padded(b, n)
    if not isinstance(a.shape, tuple):
        a = make_layout(a)
    if not isinstance(b.shape, tuple):
        b = make_layout(b)
    made = logical_product(a, b, check=check)
    (s0, s1), (d0, d1) = made.shape, made.stride
    return _of(
        tuple((x, y)[::order] for x, y in zip(s0, s1, strict=True)),
        tuple((x, y)[::order] for x, y in zip(d0, d1, strict=True)),
    )


def blocked_product(a: Layout, b: Layout, *, check: bool = True) -> Layout:
    """The product mode by mode, each block of A whole: ((A0,B0),(A1,B1),...).

    Law: `R((a0,b0),(a1,b1)) == logical_product(A, B)((a0,a1),(b0,b1))`. The shorter layout gets size-1 modes.

    >>> blocked_product(Layout((2, 2), (2, 1)), Layout((2, 3)))
    ((2,2),(2,3)):((2,4),(1,8))

    Source: CuTe documentation, 02_layout_algebra, "Blocked and Raked Products".
    """
    if a.__class__ is not Layout:
        return _bring(a, blocked_product, b, check=check)
    return _mode_by_mode(a, _one_tiler(b, "blocked_product"), check, 1)


def raked_product(a: Layout, b: Layout, *, check: bool = True) -> Layout:
    """The product mode by mode, blocks interleaved: ((B0,A0),(B1,A1),...).

    Law: `R((b0,a0),(b1,a1)) == logical_product(A, B)((a0,a1),(b0,b1))`. The shorter layout gets size-1 modes.

    >>> raked_product(Layout((2, 2), (2, 1)), Layout((2, 3)))
    ((2,2),(3,2)):((4,2),(8,1))

    Source: CuTe documentation, 02_layout_algebra, "Blocked and Raked Products".
    """
    if a.__class__ is not Layout:
        return _bring(a, raked_product, b, check=check)
    return _mode_by_mode(a, _one_tiler(b, "raked_product"), check, -1)


def tile_to_shape(block: Layout, target: IntTuple, order=LayoutLeft) -> Layout:
    """`block` repeated until it fills the shape `target`; `order` says which mode of copies comes first.

    Law: mode k has the size of mode k of `target`; the first cell of every mode is the block's.

    >>> tile_to_shape(Layout((2, 5), (5, 1)), (8, 10))
    ((2,4),(5,2)):((5,10),(1,40))

    Raises LayoutError where the block does not divide the target, or has more modes.
    Source: CuTe header `layout.hpp`, `tile_to_shape`.
    """
    if block.__class__ is not Layout:
        return _bring(block, tile_to_shape, target, order)
    target = as_shape(target)
    n = tuple_rank(target)
    if rank(block) > n:
        raise LayoutError(
            f"tile_to_shape: the block {block} has rank {rank(block)}, the target {text(target)} only {n}"
        )
    padded = _padded(block, n)
    have, want = product_each(wrap(padded.shape)), product_each(wrap(target))
    for k, (h, w) in enumerate(zip(have, want, strict=True)):
        if w % h:
            raise LayoutError(
                f"tile_to_shape: block shape does not divide the target shape: mode {k} has {h} cells, the target {w}. "
                f"Choose a multiple of {h}"
            )
    copies = tuple(w // h for h, w in zip(have, want, strict=True))
    if isinstance(order, _Major):
        tiles = Layout(copies, order)
    else:
        tiles = _of(copies, compact_order(copies, as_ints(order, "the order")))
    return blocked_product(padded, tiles)
