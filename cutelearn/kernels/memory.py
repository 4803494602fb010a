"""Tensors in kernels: on arrays, in shared memory, in registers; and their elements, one by one.

Where an element lies is the library's to say: `layout(coordinate)` is called with LLVM values.
"""

import operator

from llvmlite import ir
from numba.cuda import types
from numba.cuda.cudadrv import nvvm
from numba.cuda.extending import core_models, register_model
from numba.cuda.typing.templates import signature

from ..htuple import LayoutError, text
from ..layout import make_layout_like
from ..tensor import (
    COORDINATES,
    Tensor,
    _innermost,
    _keeps,
    _layout,
    make_gmem_ptr,
    make_rmem_ptr,
    make_smem_ptr,
    make_tensor,
    make_tensor_like,
)
from ..views import make_fragment_like
from .integers import as_i32
from .static import (
    Called,
    ConstType,
    Engine,
    LayoutType,
    TensorType,
    is_static,
    lowered,
    lowering_registry,
    opened,
    registers,
    sketch,
    template,
    type_at,
)

I64 = ir.IntType(64)
SHARED = nvvm.ADDRSPACE_SHARED


# ------------------------------------------------------------------------------------------------ pointers and tensors


class PointerType(types.Type):
    """The start of an array, tagged with its place."""

    def __init__(self, dtype, memory):
        self.dtype, self.memory = dtype, memory
        super().__init__(name=f"{memory}_ptr[{dtype}]")


@register_model(PointerType)
class _PointerModel(core_models.StructModel):
    def __init__(self, manager, ty):
        super().__init__(manager, ty, [("data", types.CPointer(ty.dtype))])


ALIGNMENT = 16  # bytes: what the widest access asks of an address


def _align_shared(module):
    """Shared arrays start where the widest access may: the compiler joins neighbours into one access where it can prove that."""
    for variable in module.global_values:
        if getattr(variable, "addrspace", 0) == SHARED and isinstance(variable, ir.GlobalVariable):
            variable.align = max(variable.align or 1, ALIGNMENT)


def _place(function, memory):
    def accept(array):
        _check_flat(array, function.__name__)
        return PointerType(array.dtype, memory)

    def emit(context, builder, sig, values):
        if memory == "smem":
            _align_shared(builder.module)
        made = ir.Constant(context.get_value_type(sig.return_type), ir.Undefined)
        return builder.insert_value(made, _data(context, builder, sig.args[0], values[0]), 0)

    template(function, accept, emit)


def _check_flat(array, name):
    if not isinstance(array, types.Array):
        raise LayoutError(f"{name} wants an array, not {array}")
    if array.ndim != 1 or array.layout != "C":
        raise LayoutError(
            f"{name}: a kernel's tensor stands on a flat array whose elements lie side by side, and this one is {array}: "
            f"pass array.reshape(-1) to the kernel, and give the layout its strides"
        )


def _data(context, builder, ty, value):
    if isinstance(ty, PointerType):
        return builder.extract_value(value, 0)
    return context.make_array(ty)(context, builder, value=value).data


def _accept_plus(pointer, n):
    """`p + n` points n elements further."""
    if not isinstance(pointer, PointerType) and not isinstance(n, PointerType):
        return None
    if not (isinstance(pointer, PointerType) and isinstance(n, (types.Integer, ConstType))):
        raise LayoutError(
            f"a pointer stands first, and moves by a number of elements, an integer; this is {pointer} + {n}"
        )
    return signature(pointer, pointer, types.intp)


def _emit_plus(context, builder, sig, values):
    further = builder.gep(builder.extract_value(values[0], 0), [values[1]])
    return builder.insert_value(values[0], further, 0)


template(operator.add, _accept_plus, _emit_plus, PointerType, types.Integer)

for _function, _memory in ((make_gmem_ptr, "gmem"), (make_smem_ptr, "smem"), (make_rmem_ptr, "rmem")):
    _place(_function, _memory)


def _accept_make_tensor(memory, *laid):
    if not isinstance(memory, PointerType):
        _check_flat(memory, "make_tensor")
    return TensorType(memory.dtype, _layout(tuple(map(sketch, laid)), memory), 0, getattr(memory, "memory", None))


def _emit_make_tensor(context, builder, sig, values):
    pointer = _data(context, builder, sig.args[0], values[0])
    laid = tuple(opened(context, builder, t, v) for t, v in zip(sig.args[1:], values[1:], strict=True))
    ty = sig.return_type
    made = Tensor(Engine(ty.dtype, pointer), _layout(laid, sig.args[0]), 0, ty.memory)
    return lowered(context, builder, ty, made)


template(make_tensor, _accept_make_tensor, _emit_make_tensor)


def _owner(function, like):
    """Registers of a tensor's shape: `make_tensor_like(t)`, `make_tensor_like(t, dtype)`."""

    def accept(t, dtype=None):
        need_tensor(function.__name__, t)
        if not is_static(t.layout.shape):
            raise LayoutError(
                f"registers need a static shape, and {text(t.layout.shape)} has run-time extents ('?'): cut it into static "
                f"tiles first"
            )
        element = t.dtype if dtype is None or isinstance(dtype, types.NoneType) else getattr(dtype, "dtype", None)
        if element is None:
            raise LayoutError(f"give an element type, as in {function.__name__}(t, np.float32)")
        return TensorType(element, like(_innermost(t.layout)), 0, "rmem")

    def emit(context, builder, sig, values):
        ty = sig.return_type
        pointer = registers(context, builder, ty)
        return lowered(context, builder, ty, Tensor(Engine(ty.dtype, pointer), ty.layout, 0, "rmem"))

    template(function, accept, emit)


def need_tensor(name, t):
    if not isinstance(t, TensorType):
        sketch(t)  # says what to do with an array
        raise LayoutError(f"{name} wants a tensor, not {t}")


_owner(make_tensor_like, make_layout_like)
_owner(make_fragment_like, make_fragment_like)


# ------------------------------------------------------------------------------------------------ elements


def address(builder, t: Tensor, coord):
    """The address of an element: the pointer and one offset."""
    at = t.offset + t.layout(coord)
    return builder.gep(t.engine.pointer, [builder.sext(as_i32(at), I64)])


def load(context, builder, t, coord):
    return context.unpack_value(builder, t.engine.element, address(builder, t, coord))


def store(context, builder, t, coord, value):
    context.pack_value(builder, t.engine.element, value, address(builder, t, coord))


def _accept_getitem(t, coord):
    if isinstance(t, PointerType):
        raise LayoutError(
            f"{t} is a pointer, and a layout says where its elements are: make_tensor(pointer, layout)[...]"
        )
    return type_at(t, sketch(coord)) if isinstance(t, (LayoutType, TensorType)) else None


def _emit_getitem(context, builder, sig, values):
    t, *coord = (opened(context, builder, ty, v) for ty, v in zip(sig.args, values, strict=True))
    coord = coord[0] if len(coord) == 1 else tuple(coord)
    if not isinstance(t, Tensor):
        found = t(coord)
    elif _keeps(coord):
        found = t[coord]
    elif t.engine is COORDINATES:
        found = t.offset + t.layout(coord)
    else:
        return load(context, builder, t, coord)
    return lowered(context, builder, sig.return_type, found)


def _accept_setitem(t, coord, value):
    if not isinstance(t, TensorType):
        return None
    if t.dtype is None:
        raise LayoutError("an identity tensor's elements are its coordinates and cannot be set")
    if isinstance(value, TensorType):
        raise LayoutError("one element cannot hold a tensor: use copy(src, dst)")
    coord = sketch(coord)
    if _keeps(coord):
        raise LayoutError("_ keeps a mode, so this names no one element: use fill(t[...], value) or copy(src, t[...])")
    type_at(t, coord)
    return types.void


def _emit_setitem(context, builder, sig, values):
    t, coord = (opened(context, builder, ty, v) for ty, v in zip(sig.args[:2], values[:2], strict=True))
    store(context, builder, t, coord, context.cast(builder, values[2], sig.args[2], t.engine.element))
    return context.get_dummy_value()


template(operator.getitem, _accept_getitem, _emit_getitem)
template(operator.setitem, _accept_setitem, _emit_setitem)
lowering_registry.lower(Called, types.VarArg(types.Any))(_emit_getitem)  # t(i, j) and layout(i, j)
