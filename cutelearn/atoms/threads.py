"""What is tiled, and cutting out a thread's part of it.

In a kernel the thread is known at run time only. That matters for swizzled memory alone: the strides of a thread's part
then depend on the thread, though its shape must not.
"""

import numpy as np

from ..algebra import composition
from ..htuple import LayoutError, ScaledBasis, leaves, transform_leaf
from ..layout import Layout, as_layout, slice_and_offset
from ..swizzle import ComposedLayout, Swizzle, compose
from ..tensor import Tensor
from ..views import make_fragment_like


def on_layout(x, op):
    """`op` on the layout of `x`: a Layout, the inner one of a ComposedLayout, or that of a Tensor, whose memory stays."""
    if isinstance(x, Tensor):
        return x._view(on_layout(x.layout, op))
    if isinstance(x, ComposedLayout):
        return compose(x.outer, x.offset, on_layout(x.inner, op))
    return op(x)


def layout_of(x):
    """The layout of a Tensor; a layout itself; of (sublayout, offset), which partitions of a layout are, the sublayout."""
    if isinstance(x, tuple) and len(x) == 2 and not isinstance(x[1], tuple):
        return x[0]
    return x.layout if isinstance(x, Tensor) else x


def tileable(x, what: str):
    """`x` if a tiling can take it, else a LayoutError that says what to give."""
    if isinstance(x, (Tensor, ComposedLayout)):
        return x
    if isinstance(x, np.ndarray):
        raise LayoutError(f"{what} wants a Tensor, got a numpy array of shape {x.shape}: write make_tensor(array)")
    return as_layout(x, what)


# ------------------------------------------------------------------------------------------------ a thread's part


class ThreadStride(int):
    """A stride that a swizzle makes depend on the thread: in a CuTe kernel an integer known at run time only."""

    __slots__ = ()


def keep(x, coord):
    """The part of `x` that the coordinate keeps: of a Tensor a view, of a layout (sublayout, offset)."""
    if isinstance(x, Tensor):
        return x._view(*_slice(coord, x.layout))
    return _slice(coord, x)


def _slice(coord, layout):
    part, offset = slice_and_offset(coord, layout)
    if isinstance(layout, ComposedLayout) and isinstance(layout.outer, Swizzle) and isinstance(part, Layout):
        return _same_shape_for_all(coord, layout, part), offset
    return part, offset


def _same_shape_for_all(coord, swizzled: ComposedLayout, part: Layout) -> Layout:
    """`part`, the slice, with a mode for every swizzled bit, whether or not two of them happen to step evenly here.

    Where the cells of the part do not step through the bits one by one, it is `part` itself.
    """
    sw = swizzled.outer
    kept, offset = slice_and_offset(coord, swizzled.inner)
    start = swizzled.offset + offset
    z, y = (1 << (sw.base + max(0, s)) for s in (-sw.shift, sw.shift))  # the lowest bits written and read
    low, high = min(y, z), max(y, z)
    bits = range(sw.bits)
    between = max(y, z) // (min(y, z) << sw.bits)
    shape = ((1 << sw.base), *(2 for _b in bits), between, *(2 for _b in bits), 1)
    weight = {
        **{z << b: ThreadStride(-(z << b) if start & (y << b) else z << b) for b in bits},
        **{y << b: ThreadStride((y << b) + (-(z << b) if start & (z << b) else z << b)) for b in bits},
    }
    places = (1, *(low << b for b in bits), low << sw.bits, *(high << b for b in bits), high << sw.bits)
    names = Layout._of(shape, tuple(ScaledBasis(1, i) for i in range(len(shape))))  # bases never merge
    try:
        made = composition(names, kept)
    except LayoutError:
        return part

    def stride_of(d):
        if not isinstance(d, ScaledBasis):
            return d
        place = places[d.path[0]]
        return weight[place] if place in weight else d.value * place

    made = Layout._of(made.shape, transform_leaf(stride_of, made.stride))
    return made if made.offsets().tolist() == part.offsets().tolist() else part


def fragment_like(layout):
    """Registers for a thread's part: `make_fragment_like`, where run-time strides count as the largest, left to right."""
    if isinstance(layout, Layout) and any(isinstance(d, ThreadStride) for d in leaves(layout.stride)):
        order = iter(range(1 << 60, (1 << 60) + len(leaves(layout.stride))))
        strides = transform_leaf(lambda d: next(order) if isinstance(d, ThreadStride) else d, layout.stride)
        layout = Layout._of(layout.shape, strides)
    return make_fragment_like(layout)
