"""CuTe's member functions as functions, for who writes `partition_A(thr, tensor)` in place of `thr.partition_A(tensor)`.

Each raises LayoutError where its first argument has no such member: partitions are one thread's, so get_slice comes first.
"""

from ..htuple import LayoutError
from .shown import Shown, absent


def _member(name, x):
    if not hasattr(x, name):
        raise LayoutError(absent(x, name))
    return getattr(x, name)


def get_slice(tiled, thr_idx: int):
    """One thread's part of a TiledMMA or TiledCopy: `tiled.get_slice(thr_idx)`."""
    if not hasattr(tiled, "get_slice"):
        what = f"a {type(tiled).__name__}" if isinstance(tiled, Shown) else repr(tiled)
        raise LayoutError(
            f"get_slice: {what} is not divided between threads: make a TiledMMA or TiledCopy with make_tiled_mma or make_tiled_copy"
        )
    return tiled.get_slice(thr_idx)


def thr_layout_vmnk(mma):
    """(thread of the atom, atom in M, in N, in K) -> thread index: `mma.thr_layout_vmnk`."""
    if not hasattr(mma, "thr_layout_vmnk"):
        what = f"a {type(mma).__name__}" if isinstance(mma, Shown) else repr(mma)
        raise LayoutError(f"thr_layout_vmnk is a TiledMMA's, and {what} is none: make one with make_tiled_mma")
    return mma.thr_layout_vmnk


def partition_A(thr, x):
    """What a thread of a TiledMMA holds of A: `thr.partition_A(x)`."""
    return _member("partition_A", thr)(x)


def partition_B(thr, x):
    """What a thread of a TiledMMA holds of B: `thr.partition_B(x)`."""
    return _member("partition_B", thr)(x)


def partition_C(thr, x):
    """What a thread of a TiledMMA holds of C: `thr.partition_C(x)`."""
    return _member("partition_C", thr)(x)


def partition_S(thr, x):
    """What a thread of a TiledCopy reads: `thr.partition_S(x)`."""
    return _member("partition_S", thr)(x)


def partition_D(thr, x):
    """What a thread of a TiledCopy writes: `thr.partition_D(x)`."""
    return _member("partition_D", thr)(x)


def make_fragment_A(mma, part):
    """Registers for a partition of A: `mma.make_fragment_A(part)`."""
    return _member("make_fragment_A", mma)(part)


def make_fragment_B(mma, part):
    """Registers for a partition of B: `mma.make_fragment_B(part)`."""
    return _member("make_fragment_B", mma)(part)


def make_fragment_C(mma, part):
    """Accumulators for a partition of C: `mma.make_fragment_C(part)`."""
    return _member("make_fragment_C", mma)(part)


def retile_S(thr, x):
    """Registers, regrouped for being read by a copy: `thr.retile_S(x)`."""
    return _member("retile_S", thr)(x)


def retile_D(thr, x):
    """Registers, regrouped for being written by a copy: `thr.retile_D(x)`."""
    return _member("retile_D", thr)(x)
