"""CuTe's member functions as functions, for who writes `partition_A(thr, tensor)` in place of `thr.partition_A(tensor)`."""


def get_slice(tiled, thr_idx: int):
    """One thread's part of a TiledMMA or TiledCopy: `tiled.get_slice(thr_idx)`."""
    return tiled.get_slice(thr_idx)


def thr_layout_vmnk(mma):
    """(thread of the atom, atom in M, in N, in K) -> thread index: `mma.thr_layout_vmnk`."""
    return mma.thr_layout_vmnk


def partition_A(thr, x):
    """What a thread of a TiledMMA holds of A: `thr.partition_A(x)`."""
    return thr.partition_A(x)


def partition_B(thr, x):
    """What a thread of a TiledMMA holds of B: `thr.partition_B(x)`."""
    return thr.partition_B(x)


def partition_C(thr, x):
    """What a thread of a TiledMMA holds of C: `thr.partition_C(x)`."""
    return thr.partition_C(x)


def partition_S(thr, x):
    """What a thread of a TiledCopy reads: `thr.partition_S(x)`."""
    return thr.partition_S(x)


def partition_D(thr, x):
    """What a thread of a TiledCopy writes: `thr.partition_D(x)`."""
    return thr.partition_D(x)


def make_fragment_A(mma, part):
    """Registers for a partition of A: `mma.make_fragment_A(part)`."""
    return mma.make_fragment_A(part)


def make_fragment_B(mma, part):
    """Registers for a partition of B: `mma.make_fragment_B(part)`."""
    return mma.make_fragment_B(part)


def make_fragment_C(mma, part):
    """Accumulators for a partition of C: `mma.make_fragment_C(part)`."""
    return mma.make_fragment_C(part)


def retile_S(thr, x):
    """Registers, regrouped for being read by a copy: `thr.retile_S(x)`."""
    return thr.retile_S(x)


def retile_D(thr, x):
    """Registers, regrouped for being written by a copy: `thr.retile_D(x)`."""
    return thr.retile_D(x)
