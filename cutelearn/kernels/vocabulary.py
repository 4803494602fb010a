"""The words of the library that kernels know. Importing this makes them known; memory.py, algorithms.py and tiled.py add those that touch elements.

At the end stand those that kernels do not have, so that a sentence says so."""

from numba.cuda.extending import typeof_impl

from ..algebra import coalesce, complement, composition, filter, filter_zeros, left_inverse, right_inverse
from ..algorithms import transform
from ..atoms.copy import make_tiled_copy
from ..atoms.library import copy_atom
from ..atoms.mma import make_tiled_mma
from ..htuple import Int, LayoutError, ceil_div, idx2crd
from ..layout import (
    Layout,
    append,
    cosize,
    crd2idx,
    depth,
    flatten,
    group,
    make_identity_layout,
    make_layout,
    make_layout_like,
    make_ordered_layout,
    mode,
    prepend,
    rank,
    select,
    shape,
    size,
    stride,
    take,
)
from ..partition import (
    Step,
    X,
    dice,
    inner_partition,
    local_partition,
    local_tile,
    outer_partition,
    tv_partition,
)
from ..swizzle import Swizzle
from ..tensor import make_identity_tensor, print_tensor
from ..tiling import (
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
from ..views import recast, with_shape
from . import memory, tiled  # noqa: F401 (they make their own words known)
from .stage import k_major, mn_major
from .static import lift, template, typeof_const
from .warp_tiled import steps

_INTEGERS = (Int, ceil_div, idx2crd, crd2idx, mn_major, k_major)
_MAKING = (
    Layout,
    make_layout,
    make_layout_like,
    make_ordered_layout,
    make_identity_layout,
    make_identity_tensor,
    with_shape,
)
_ASKING = (shape, stride, size, rank, depth, cosize)
_MODES = (mode, select, take, group, flatten, append, prepend, dice)
_ALGEBRA = (coalesce, filter, filter_zeros, composition, complement, right_inverse, left_inverse)
_DIVIDES = (logical_divide, zipped_divide, tiled_divide, flat_divide)
_PRODUCTS = (
    logical_product,
    zipped_product,
    tiled_product,
    flat_product,
    blocked_product,
    raked_product,
    tile_to_shape,
)
_PARTITIONS = (Step, inner_partition, outer_partition, tv_partition, local_tile, local_partition, steps)

for _word in _INTEGERS + _MAKING + _ASKING + _MODES + _ALGEBRA + _DIVIDES + _PRODUCTS + _PARTITIONS:
    lift(_word)


def _refuse(function):
    """Makes a host function known as one that kernels do not have."""

    def accept(*_args):
        raise LayoutError(
            f"{function.__name__} is for the host: kernels do not know it. What it makes, make before the kernel, and name it there"
        )

    template(function, accept, lambda *_args: None)


for _word in (transform, print_tensor, recast, Swizzle, copy_atom, make_tiled_copy, make_tiled_mma):
    _refuse(_word)

for _type in (Step, type(X)):
    typeof_impl.register(_type)(typeof_const)
