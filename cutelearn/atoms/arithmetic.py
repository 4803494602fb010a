"""What an MMA computes: fragments of all threads in, fragments out, through the maps that the hardware is wired with.

D = A B + C over a tile: A is (M,K), B is (N,K), C and D are (M,N). Sums of floats are formed in double precision and rounded
once to the type of D, so a chain of instructions rounds once an instruction. (Hardware rounds inside too; how is not said.)
Every array may carry further dimensions in front: many instructions at once.
"""

from functools import lru_cache

import numpy as np

from ..htuple import LayoutError
from ..layout import Layout, size


@lru_cache(maxsize=512)
def cells(layout: Layout):
    """The offsets of a thread-value layout, by value and then thread: where `fragments[thread, value]` lie in the tile.

    >>> cells(Layout((2, 3), (1, 2)))
    array([[0, 2, 4],
           [1, 3, 5]])
    """
    threads, values = size(layout, 0), size(layout, 1)
    return layout.offsets().reshape(values, threads).T.copy()


def gather_tile(fragments, layout: Layout, rows: int, columns: int, name: str):
    """The (rows, columns) tile that fragments (..., threads, values) hold through `layout`.

    Raises LayoutError where two threads hold the same cell with different values, or where a cell is held by none.
    """
    at = cells(layout)
    tile = np.zeros((*fragments.shape[:-2], rows * columns), fragments.dtype)
    tile[..., at.T] = fragments.swapaxes(-1, -2)  # by thread last: threads of one cell must agree, so the order is free
    if at.size > rows * columns:
        differ = (tile[..., at] != fragments) & ~(np.isnan(tile[..., at]) & np.isnan(fragments))
        if differ.any():
            *batch, thread, value = (int(i) for i in np.argwhere(differ)[0])
            row, column = (int(i) for i in divmod(int(at[thread, value]), rows)[::-1])
            kept = tile[..., at]
            raise LayoutError(
                f"the fragments of {name} disagree: {name}({row},{column}) is {fragments[tuple(batch)][thread, value]} in "
                f"thread {thread}, value {value}, and {kept[tuple(batch)][thread, value]} in another thread. Threads that "
                f"share a cell must hold the same"
            )
    return tile.reshape(*tile.shape[:-1], columns, rows).swapaxes(-1, -2)


def scatter_tile(tile, layout: Layout):
    """The fragments (..., threads, values) of a (..., rows, columns) tile: the inverse of gather_tile."""
    flat = tile.swapaxes(-1, -2).reshape(*tile.shape[:-2], -1)
    return flat[..., cells(layout)]


def multiply_add(parts, a, b, c):
    """D = A B^T + C for tiles (..., M,K), (..., N,K), (..., M,N) in the types of `parts` (an MMAAtom or an AtomName).

    Integers wrap at 32 bits, or saturate where the instruction says so. 1-bit operands: `xor` or `and`, then a count.
    """
    a, b = parts.type_a.round_to(a, "A"), parts.type_b.round_to(b, "B")
    c = parts.type_c.round_to(c, "C")
    bt = np.swapaxes(b, -1, -2)
    if parts.type_c.is_integer:
        return _integers(parts, a.astype(np.int64), bt.astype(np.int64), c.astype(np.int64))
    if parts.type_d.code in ("C32", "C64", "GC64"):
        return parts.type_d.round_to(a @ bt + c)
    with np.errstate(over="ignore", invalid="ignore"):
        return parts.type_d.round_to(a.astype(np.float64) @ bt.astype(np.float64) + c.astype(np.float64))


def _integers(parts, a, bt, c):
    total = c + a @ bt
    if parts.bit_op == "xor":  # a + b - 2ab is 1 where the bits differ
        total = c + a.sum(-1)[..., :, None] + bt.sum(-2)[..., None, :] - 2 * (a @ bt)
    low, high = parts.type_d.limits
    if parts.saturate:
        total = total.clip(low, high)
    return ((total - low) % (high - low + 1) + low).astype(parts.type_d.carrier)
