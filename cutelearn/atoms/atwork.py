"""All threads of a tiling at work: a TiledMMA multiplies whole tensors, a TiledCopy moves them.

Both go through the thread-value maps and through what the atom's hardware does with fragments, all threads at once.
"""

import numpy as np

from ..algorithms import chosen
from ..htuple import LayoutError, product_each, text
from ..layout import Layout, append, make_layout, rank, size
from ..tensor import Tensor, gather, scatter
from .access import check_types, check_words, elements
from .threads import on_layout

# ------------------------------------------------------------------------------------------------ MMA


def multiply(mma, d: Tensor, a: Tensor, b: Tensor, c: Tensor) -> None:
    """D = A B + C by the TiledMMA `mma`; see TiledMMA.execute."""
    for name, x in (("D", d), ("A", a), ("B", b), ("C", c)):
        if not isinstance(x, Tensor):
            raise LayoutError(f"gemm with a TiledMMA: {name} is {x!r}; give a Tensor, as make_tensor makes one")
    ranks = tuple(rank(x) for x in (d, a, b, c))
    if ranks == (2, 2, 2, 2):
        _check_operands(d, a, b, c, 0)
        _check_tiles(mma, size(a, 0), size(b, 0), size(a, 1))
        parts = mma.thrfrg_C(d), mma.thrfrg_A(a), mma.thrfrg_B(b), mma.thrfrg_C(c)
    elif ranks in ((3, 3, 3, 3), (3, 2, 2, 3)) and mma.atom.num_threads == 1:
        _check_operands(d, a, b, c, 1)
        parts = tuple(map(_as_one_thread, (d, a, b, c)))
    else:
        raise LayoutError(_which_ranks(mma, d, a, b, c))
    products = _multiply_fragments(mma.atom, *map(_by_thread, parts[1:]))
    scatter(parts[0], products.reshape(-1, order="F"))


def _multiply_fragments(atom, fa, fb, fc):
    """Fragments (ThrV,ThrM,ThrK,FrgV,RestM,RestK) and so on, to those of D. Batches are (ThrM,ThrN,RestM,RestN)."""
    fa = np.transpose(fa, (2, 5, 1, 4, 0, 3))[:, :, :, None, :, None]  # ThrK RestK ThrM . RestM . ThrV FrgV
    fb = np.transpose(fb, (2, 5, 1, 4, 0, 3))[:, :, None, :, None, :]  # ThrK RestK . ThrN . RestN ThrV FrgV
    fc = np.transpose(fc, (1, 2, 4, 5, 0, 3))  # ThrM ThrN RestM RestN ThrV FrgV
    sums = []
    for thr_k in range(fa.shape[0]):
        total = fc if thr_k == 0 else np.zeros_like(fc)
        for k in range(fa.shape[1]):
            total = atom.execute(fa[thr_k, k], fb[thr_k, k], total)
        sums.append(total)
    total = sums[0]
    for more in sums[1:]:  # atoms along K hold partial sums of the same cells
        total = atom.type_d.round_to(total + more)
    return np.transpose(total, (4, 0, 1, 5, 2, 3))


def _by_thread(x: Tensor):
    """The elements of ((ThrV,(ThrM,ThrN)),(FrgV,(RestM,RestN))) as an array with these six dimensions."""
    thr, frg = x.layout.shape
    return gather(x).reshape([size(s) for s in (thr[0], *thr[1], frg[0], *frg[1])], order="F")


def _as_one_thread(x: Tensor) -> Tensor:
    """One thread's partition (V,M,N) as ((1,(1,1)),(V,(M,N))); a missing last mode counts as 1."""
    one = Layout(1, 0)

    def regroup(layout):
        v, m, n = append(layout, one) if rank(layout) == 2 else layout
        return make_layout(make_layout(one, make_layout(one, one)), make_layout(v, make_layout(m, n)))

    return on_layout(x, regroup)


def _check_operands(d, a, b, c, first):
    """M, N and K agree, where M (or N) is mode `first`."""
    (m, k), (n, k2) = ((size(x, first), size(x, first + 1) if rank(x) > first + 1 else 1) for x in (a, b))
    others = [(size(x, first), size(x, first + 1)) for x in (c, d)]
    if k != k2 or any(other != (m, n) for other in others):
        raise LayoutError(
            f"gemm with a TiledMMA: A is (M,K) = ({m},{k}), B is (N,K) = ({n},{k2}), C is (M,N) = {text(others[0])}, "
            f"D {text(others[1])}: they do not agree. B is given as (N,K), not (K,N)"
        )


def _check_tiles(mma, m, n, k):
    for name, extent, tile in zip("MNK", (m, n, k), mma.tile_shape, strict=True):
        if extent % tile:
            raise LayoutError(
                f"gemm with a TiledMMA: {name} = {extent} is no multiple of the tile's {tile} (the tile is "
                f"{text(mma.tile_shape)}): choose other tiles, or pad with zeros to {-(-extent // tile) * tile}"
            )


def _which_ranks(mma, d, a, b, c):
    given = ", ".join(f"{name} {text(x.shape)}" for name, x in (("D", d), ("A", a), ("B", b), ("C", c)))
    threads = mma.atom.num_threads
    if threads > 1 and rank(c) == 3:
        return (
            f"gemm with a TiledMMA of {mma.atom.name}: {threads} threads work together on one instruction, so the parts "
            f"of a single thread ({given}) are not enough. Give whole tensors (M,N), (M,K), (N,K), (M,N)"
        )
    return (
        f"gemm with a TiledMMA: got {given}. Give whole tensors D (M,N), A (M,K), B (N,K), C (M,N), or one thread's "
        f"partitions (V,M,N), (V,M,K), (V,N,K), (V,M,N) where the atom is one thread's"
    )


# ------------------------------------------------------------------------------------------------ copy

_WHAT = "copy with a TiledCopy"


def move(tiled, src: Tensor, dst: Tensor, pred=None) -> None:
    """dst = src by the TiledCopy `tiled`; see TiledCopy.execute.

    Cells are counted in whole tiles: those that stick out of a ragged tensor are there, but never read or written.
    """
    for name, x in (("src", src), ("dst", dst)):
        if not isinstance(x, Tensor):
            raise LayoutError(f"copy with a TiledCopy: {name} is {x!r}; give a Tensor, as make_tensor makes one")
    if _are_parts(tiled, src, dst, pred):
        return tiled.atom.execute(src, dst, pred)
    check_types(_WHAT, tiled.atom, src=(src, *elements(src)), dst=(dst, *elements(dst)))
    extents = _extents(tiled, src, dst, ragged=pred is not None)
    whole = [-(-e // t) * t for e, t in zip(extents, tiled.tile_shape, strict=False)] + extents[len(tiled.tiler_mn) :]
    numbers = np.arange(np.prod(whole)).reshape(whole, order="F")
    cell = numbers[tuple(map(slice, extents))].reshape(
        -1, order="F"
    )  # 1-D coordinate of src -> cell of the whole tiles
    reading, writing = (f(Layout(tuple(whole))) for f in (tiled.tidfrg_S, tiled.tidfrg_D))
    if pred is None:
        which = np.arange(len(cell))
        _check_words(tiled, src=(src, reading), dst=(dst, writing))
    else:
        which = chosen("copy_if", pred, src)
    values = gather(src, which)
    read = np.zeros(numbers.size, values.dtype)
    read[cell[which]] = values
    written, is_written = np.zeros_like(read), np.zeros(numbers.size, bool)
    written[writing.offsets()] = _move_fragments(tiled, read[reading.offsets()], reading)
    is_written[writing.offsets()] = True
    which = which[is_written[cell[which]]]
    scatter(dst, written[cell[which]], which)


def _move_fragments(tiled, values, reading: Layout):
    """Values in the order (Thr,(FrgV,FrgX),Rest) of the reading side, to that of the writing side."""
    threads = tiled.atom.num_threads
    shape = (threads, tiled.num_threads // threads, size(reading, 1, 0), size(reading, 1, 1), -1)
    batch = values.reshape(shape, order="F").transpose(1, 3, 4, 0, 2)  # atom, FrgX, Rest, thread of the atom, FrgV
    return tiled.atom.execute(batch).transpose(3, 0, 4, 1, 2).reshape(-1, order="F")


def _are_parts(tiled, src, dst, pred) -> bool:
    """Whether the two are one thread's (CPY,CPY_M,CPY_N,...) of this copy, or what is left of it when it was sliced.

    In CuTe they always are. Here a tensor of whole tiles is taken whole, unless its first mode has a part's own form,
    (values of the atom, atoms).
    """
    modes, values, n = len(tiled.tiler_mn), size(tiled.tiled_layout_TV, 1), size(tiled.atom.val_layout_src, 1)

    def can_be(x):
        first = size(x, 0)
        if rank(x) < modes:
            return True
        if pred is not None or tiled.atom.num_threads > 1:  # a whole tensor may be ragged, and may have as many modes
            return rank(x) > modes and first == values
        return values % first == 0 and first % n == 0

    def is_whole(x):
        return rank(x) >= modes and not any(size(x, i) % tile for i, tile in enumerate(tiled.tile_shape))

    def has_the_form(x):
        first = x.shape[0] if isinstance(x.shape, tuple) else x.shape
        return rank(x) > modes and isinstance(first, tuple) and product_each(first) == (n, values // n)

    return (
        can_be(src)
        and can_be(dst)
        and (has_the_form(src) or has_the_form(dst) or not (is_whole(src) and is_whole(dst)))
    )


def _extents(tiled, src, dst, ragged) -> list:
    extents, others = ([size(x, i) for i in range(rank(x))] for x in (src, dst))
    if extents != others:
        raise LayoutError(
            f"copy with a TiledCopy: src is {text(src.shape)}, dst {text(dst.shape)}: their modes must have the same extents"
        )
    if len(extents) < len(tiled.tiler_mn):
        raise LayoutError(
            f"copy with a TiledCopy: {text(src.shape)} has fewer modes than the tile {text(tiled.tiler_mn)}"
        )
    for i, tile in enumerate(tiled.tile_shape):
        if extents[i] % tile and not ragged:
            values, part = size(tiled.tiled_layout_TV, 1), ""
            if len(extents) > len(tiled.tiler_mn) or extents[0] <= values:
                part = f". One thread's part would have {values} values in mode 0, and here are {extents[0]}"
            raise LayoutError(
                f"copy with a TiledCopy: mode {i} has {extents[i]} elements, no multiple of the tile's {tile} (the tile is "
                f"{text(tiled.tiler_mn)}): choose other tiles, or copy_if with a predicate{part}"
            )
    return extents


def _check_words(tiled, **sides):
    """The values that a thread reads or writes at once are one word of memory, as the instruction has them."""
    lies = {}
    for side, (x, frg) in sides.items():
        n = tiled.atom.neighbours(side)
        if n > 1:
            cells = frg.offsets().reshape(tiled.num_threads, n, -1, order="F").transpose(0, 2, 1)
            lies[side] = (x, x.offsets()[cells].reshape(-1, n))  # (thread and access, value)
            accesses = cells.shape[1]
    check_words(_WHAT, tiled.atom, lambda i: f" of thread {i // accesses}", **lies)
