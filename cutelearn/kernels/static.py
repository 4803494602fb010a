"""Layouts as Numba types: how a static layout vanishes when a kernel is compiled.

A `Layout` or `Tensor` in a kernel is a Numba type that carries its shape and stride. What a host function does to it is not
said again here: the compiler calls the host function itself, twice. Once with `?` for every run-time integer, which gives
the type of the result; once with LLVM values, which emits the arithmetic that is left. What is static folds away on the
way, because Python has done it. Only what touches memory (load, store, copy, gemm, axpby, ...) is written anew: memory.py.

Read from the top: the types, the way between a type and its host object, host functions in kernels.
What knows numba-cuda's insides stands in this package alone: here, in memory.py, algorithms.py, tiled.py, vocabulary.py and
mma_issue.py for what kernels say, in compiling.py and measure.py for how they are compiled and timed.
"""

import inspect
import operator
import re

import numpy as np
from llvmlite import ir
from numba.cuda import cgutils, types
from numba.cuda.core.errors import TypingError
from numba.cuda.cudadecl import registry as typing_registry
from numba.cuda.cudaimpl import registry as lowering_registry
from numba.cuda.descriptor import cuda_target
from numba.cuda.extending import core_models, register_model, typeof_impl
from numba.cuda.np.numpy_support import as_dtype, from_dtype
from numba.cuda.typeconv import Conversion
from numba.cuda.typing.templates import AbstractTemplate, AttributeTemplate, signature

from ..atoms.copy import ThrCopy
from ..atoms.mma import ThrMMA
from ..htuple import ArithmeticTuple, Int, LayoutError, RuntimeInt, ScaledBasis, Underscore, leaves, text
from ..layout import Layout, cosize
from ..swizzle import ComposedLayout, Swizzle
from ..tensor import COORDINATES, Tensor, _keeps
from .integers import Unknown, Value, as_i32

# ------------------------------------------------------------------------------------------------ types


class ConstType(types.Type):
    """The type of a host object that is known for good: `_`, `Int(1)`, `Step(1, X)`, a swizzle, a tiled copy."""

    def __init__(self, value):
        self.value = value
        super().__init__(name=f"{type(value).__name__}({value!r})")

    @property
    def key(self):
        return type(self.value), self.value

    def can_convert_to(self, _context, other):
        """A static integer may stand wherever an integer may: in range(), in arithmetic, as an index."""
        if isinstance(self.value, Int) and isinstance(other, (types.Integer, types.Float)):
            return Conversion.promote if other == types.int32 else Conversion.safe
        return None


class Called(types.Callable):
    """A type whose values are called with a coordinate: `layout(i, j)`, `tensor(i, j)`."""

    def get_call_type(self, _context, args, kws):
        try:
            if kws:
                raise LayoutError(f"in a kernel, give a coordinate by its place, without the name {next(iter(kws))}")
            coord = tuple(map(sketch, args))
            return signature(type_at(self, coord[0] if len(coord) == 1 else coord), *args, recvr=self)
        except LayoutError as error:
            raise refusal("", error) from None

    def get_call_signatures(self):
        return (), False

    def get_impl_key(self, _sig):
        return Called


FARTHEST = 2**31 - 1  # what 32 bits with a sign count to


def _check_reach(layout, offset=0):
    """What is static of a layout stays inside of 32 bits, in which kernels count."""
    inner = layout
    while isinstance(inner, ComposedLayout):
        inner = inner.inner
    modes = zip(leaves(inner.shape), leaves(inner.stride), strict=True)
    known = [(n - 1) * abs(d) for n, d in modes if isinstance(n, int) and isinstance(d, int)]
    reach = sum(known) + (abs(offset) if isinstance(offset, int) else 0)
    if reach > FARTHEST:
        raise LayoutError(
            f"{layout} reaches to {reach}, and kernels count in 32 bits, to {FARTHEST}: work on parts of it"
        )


class LayoutType(Called):
    """The type of a layout; run-time leaves are `?` here and stand in the value."""

    def __init__(self, layout):
        _check_reach(layout)
        self.layout = fresh(layout)
        super().__init__(name=f"Layout<{layout}>")


class TensorType(Called):
    """The type of a tensor: element type (None for coordinates), layout, and what is known of its offset."""

    def __init__(self, dtype, layout, offset, memory=None):
        _check_reach(layout, offset)
        self.dtype, self.layout, self.offset, self.memory = dtype, fresh(layout), fresh(offset), memory
        start = f"{f'{memory}_' if memory else ''}ptr[{dtype}]" + (f"+{text(offset)}" if offset != 0 else "")
        super().__init__(name=f"Tensor<{start if dtype else f'ArithTuple{text(offset)}'} o {layout}>")


class SliceType(types.Type):
    """The type of one thread's part of a TiledCopy or TiledMMA: the tiling is static, the thread is not."""

    def __init__(self, tiled):
        self.tiled = tiled
        super().__init__(name=f"{tiled!r}.get_slice(?)")


def unknowns(*parts) -> list:
    """The run-time leaves of layouts, tuples and bases, in order."""
    out = []
    for part in parts:
        if isinstance(part, RuntimeInt):
            out.append(part)
        elif isinstance(part, tuple):
            out.extend(unknowns(*part))
        elif isinstance(part, ScaledBasis):
            out.extend(unknowns(part.value))
        elif isinstance(part, Layout):
            out.extend(unknowns(part.shape, part.stride))
        elif isinstance(part, ComposedLayout):
            out.extend(unknowns(part.offset, part.inner))
    return out


def is_static(*parts) -> bool:
    return not unknowns(*parts)


def filled(part, values):
    """The same structure with its run-time leaves taken from the iterator `values`."""
    if isinstance(part, RuntimeInt):
        return next(values)
    if isinstance(part, tuple):
        return tuple.__new__(type(part), [filled(p, values) for p in part])
    if isinstance(part, ScaledBasis):
        return ScaledBasis(filled(part.value, values), *part.path)
    if isinstance(part, Layout):
        return Layout._of(filled(part.shape, values), filled(part.stride, values))
    if isinstance(part, ComposedLayout) and unknowns(part):
        return ComposedLayout(part.outer, filled(part.offset, values), filled(part.inner, values))
    return part


def fresh(part):
    """The same structure with run-time leaves that are equal to no others: none is known to be."""
    return filled(part, iter(Unknown, None))


register_model(ConstType)(core_models.OpaqueModel)


def _fields(ty) -> list:
    """What is left of a layout, a tensor or a thread's slice at run time: the pointer, and an integer for every `?`."""
    if isinstance(ty, SliceType):
        return [types.int32]
    if isinstance(ty, LayoutType):
        return [types.int32] * len(unknowns(ty.layout))
    data = [] if ty.dtype is None else [types.CPointer(ty.dtype)]
    return data + [types.int32] * len(unknowns(ty.layout, ty.offset))


@register_model(LayoutType)
@register_model(TensorType)
@register_model(SliceType)
class _Model(core_models.StructModel):
    def __init__(self, manager, ty):
        super().__init__(manager, ty, [(f"x{i}", field) for i, field in enumerate(_fields(ty))])


class Engine:
    """What a tensor's memory is to the compiler: the element type, and a pointer once there is one."""

    def __init__(self, element, pointer=None):
        self.element, self.pointer = element, pointer

    @property
    def dtype(self):
        return as_dtype(self.element)


# ------------------------------------------------------------------------------------------------ between type and host object


class NoHostObject(LayoutError):
    """A type that stands for nothing the library knows: an array, a float, a slice."""


def host(ty, leaf):
    """The host object that a Numba type stands for; `leaf(ty)` gives those that have run-time parts."""
    if isinstance(ty, (ConstType, types.IntegerLiteral, types.BooleanLiteral)):
        value = ty.value if isinstance(ty, ConstType) else ty.literal_value
        if isinstance(value, int) and abs(value) > FARTHEST:
            raise LayoutError(f"{int(value)} is too large: kernels count in 32 bits, to {FARTHEST}")
        return value
    if isinstance(ty, (types.Integer, types.BaseTuple, LayoutType, TensorType, SliceType)):
        return leaf(ty)
    if isinstance(ty, types.NoneType):
        return None
    if isinstance(ty, types.Omitted):
        return ty.value
    raise NoHostObject(_foreign(ty))


def _foreign(ty) -> str:
    if isinstance(ty, types.SliceType):
        return "in a kernel write _ where the host takes ':'"
    if isinstance(ty, types.Array):
        return f"{ty} is a plain array: make_tensor(make_gmem_ptr(array), layout) makes a tensor of it"
    if isinstance(ty, types.Float):
        return f"a number of the type {ty} counts no cells: give an integer"
    return f"{ty} is no layout, tensor, coordinate or integer"


def sketch(ty):
    """The host object with `?` for what is known at run time only."""

    def leaf(ty):
        if isinstance(ty, types.Integer):
            return Unknown()
        if isinstance(ty, types.BaseTuple):
            return tuple(map(sketch, ty))
        if isinstance(ty, LayoutType):
            return ty.layout
        if isinstance(ty, SliceType):
            return ty.tiled.get_slice(Unknown())
        return _tensor(ty, ty.layout, ty.offset)

    return host(ty, leaf)


def _tensor(ty, layout, offset, pointer=None):
    engine = COORDINATES if ty.dtype is None else Engine(ty.dtype, pointer)
    return Tensor(engine, layout, offset, ty.memory)


def opened(context, builder, ty, value):
    """The host object with LLVM values for what is known at run time only."""

    def leaf(ty):
        if isinstance(ty, types.Integer):
            return Value(builder, context.cast(builder, value, ty, types.int32))
        if isinstance(ty, types.BaseTuple):
            return tuple(opened(context, builder, t, builder.extract_value(value, i)) for i, t in enumerate(ty))
        fields = [builder.extract_value(value, i) for i in range(len(_fields(ty)))]
        pointer = fields.pop(0) if isinstance(ty, TensorType) and ty.dtype is not None else None
        values = (Value(builder, field) for field in fields)
        if isinstance(ty, SliceType):
            return ty.tiled.get_slice(next(values))
        layout = filled(ty.layout, values)
        return layout if isinstance(ty, LayoutType) else _tensor(ty, layout, filled(ty.offset, values), pointer)

    return host(ty, leaf)


def type_of(x):
    """The Numba type of a host object."""
    if isinstance(x, Tensor):
        if isinstance(x.engine, np.ndarray):  # made by a host function: in a kernel, registers
            return TensorType(from_dtype(x.dtype), x.layout, 0, "rmem")
        element = None if x.engine is COORDINATES else x.engine.element
        return TensorType(element, x.layout, x.offset, x.memory)
    if isinstance(x, (ThrCopy, ThrMMA)) and isinstance(x.thr_idx, RuntimeInt):
        return SliceType(x.tiled_copy if isinstance(x, ThrCopy) else x.tiled_mma)
    if isinstance(x, (Layout, ComposedLayout)):
        return LayoutType(x)
    if isinstance(x, RuntimeInt):
        return types.int32
    if isinstance(x, bool):
        return types.boolean
    if isinstance(x, int):
        return ConstType(Int(x))
    if type(x) in (tuple, ArithmeticTuple):  # other tuples (a Step) are one static object
        return types.BaseTuple.from_types(tuple(map(type_of, x)))
    return ConstType(x)


def type_at(ty, coord):
    """The type of what a layout or tensor of type `ty` has at a coordinate: an offset, an element, or a slice."""
    whole = sketch(ty)
    if isinstance(ty, LayoutType):
        return type_of(whole(coord))
    if _keeps(coord):
        return type_of(whole[coord])
    at = whole.layout(coord)  # refuses a coordinate of the wrong profile
    return type_of(whole.offset + at) if ty.dtype is None else ty.dtype


def lowered(context, builder, ty, x):
    """The LLVM value of a host object of this type."""
    if isinstance(ty, ConstType):
        return context.get_dummy_value()
    if isinstance(ty, types.Boolean):
        return context.get_constant(ty, x)
    if isinstance(ty, types.Integer):
        return as_i32(x)
    if isinstance(ty, types.BaseTuple):
        return context.make_tuple(builder, ty, [lowered(context, builder, t, e) for t, e in zip(ty, x, strict=True)])
    if isinstance(ty, SliceType):
        made = ir.Constant(context.get_value_type(ty), ir.Undefined)
        return builder.insert_value(made, as_i32(x.thr_idx), 0)
    assert str(type_of(x)) == str(ty), "the two calls of a host function must agree on what is static"
    fields = [as_i32(leaf) for leaf in unknowns(*((x.layout, x.offset) if isinstance(ty, TensorType) else (x,)))]
    if isinstance(ty, TensorType) and ty.dtype is not None:
        made_here = isinstance(x.engine, np.ndarray)
        fields.insert(0, registers(context, builder, ty) if made_here else x.engine.pointer)
    made = ir.Constant(context.get_value_type(ty), ir.Undefined)
    for i, field in enumerate(fields):
        made = builder.insert_value(made, field, i)
    return made


def registers(context, builder, ty):
    """Room in registers for a tensor of this type."""
    element = context.get_data_type(ty.dtype)
    place = cgutils.alloca_once(builder, ir.ArrayType(element, cosize(ty.layout)), name="registers")
    return builder.bitcast(place, element.as_pointer())


# ------------------------------------------------------------------------------------------------ host functions in kernels


IN_KERNELS = "_in_kernels"  # how the names of our templates end


class Word(types.Function):
    """A function of the library, or an operator, as kernels see it.

    Templates of ours come first and are asked alone, so that a refusal stands first in Numba's error and is not buried under a
    report on every template tried. Where ours have nothing to say (an operator on other types), Numba asks as ever.
    """

    def __init__(self, templates):
        super().__init__(templates)
        self.name = self.typing_key.__name__

    def get_call_type(self, context, args, kws):
        for ours in (template for template in self.templates if template.__name__.endswith(IN_KERNELS)):
            if (found := ours(context).apply(args, kws)) is not None:
                self._impl_keys[found.args] = self.typing_key
                return found
        return super().get_call_type(context, args, kws)

    def augment(self, other):
        return Word(self.templates + other.templates)


_WRITTEN = {operator.getitem: "t[...]", operator.setitem: "t[...] = value", operator.add: "p + n"}


def template(function, accept, emit, *lowered_for):
    """Makes `function` known to kernels.

    accept(*argument types) gives the type of the result, or a signature with the types to cast the arguments to; None where the
    function is not ours for these types. emit(context, builder, signature, values) gives the LLVM value; lowered_for: for which types,
    where another `emit` of the same function is for the others.
    """
    name = _WRITTEN.get(function, function.__name__)

    def generic(self, args, kws):
        try:
            pysig = None
            if kws:
                pysig, args = _in_order(function, args, kws)
            result = accept(*args)
        except (LayoutError, IndexError, TypeError) as error:
            raise refusal(name, error) from None
        if not isinstance(result, types.Type):
            return result
        return signature(result, *args).replace(pysig=pysig)

    made = type(
        f"{function.__name__}{IN_KERNELS}",
        (AbstractTemplate,),
        {"key": function, "generic": generic, "prefer_literal": True},
    )
    if inspect.isbuiltin(function):  # an operator: Numba knows it already
        context = cuda_target.typing_context
        context.refresh()
        known = context._lookup_global(function)
        context._remove_global(function)
        context._insert_global(function, Word((made, *known.templates)))
    else:
        typing_registry.register_global(function, Word(made))
    lowering_registry.lower(function, *(lowered_for or [types.VarArg(types.Any)]))(emit)


def _in_order(function, args, kws):
    """Arguments given by name, put in order; the Python signature of just these."""
    whole = inspect.signature(function)
    bound = whole.bind(*args, **kws)
    return whole.replace(parameters=[whole.parameters[name] for name in bound.arguments]), bound.args


def refusal(name, error) -> TypingError:
    """A misuse in a kernel, in the words of the host side."""
    words = re.sub(r"^\S*accept\w*\(\) ", "", str(error))  # Python's own, of a wrong number of arguments
    return TypingError(words if words.startswith(name) else f"{name}: {words}")


def lift(function):
    """The host function in kernels, with the host's own result."""
    template(function, *lifted(function))


def lifted(function) -> tuple:
    """What `template` needs of a host function: its result's type, and the code."""

    def accept(*args):
        return type_of(function(*map(sketch, args)))

    def emit(context, builder, sig, values):
        hosts = [opened(context, builder, ty, v) for ty, v in zip(sig.args, values, strict=True)]
        return lowered(context, builder, sig.return_type, function(*hosts))

    return accept, emit


# ------------------------------------------------------------------------------------------------ parts and static arithmetic


@typing_registry.register_attr
class _Parts(AttributeTemplate):
    """`layout.shape`, `tensor.layout`, ... in kernels."""

    key = Called

    def generic_resolve(self, ty, name):
        if name not in ("shape", "stride", "layout") or (name == "layout" and isinstance(ty, LayoutType)):
            return None
        try:
            return type_of(getattr(sketch(ty), name))
        except (LayoutError, AttributeError) as error:
            raise refusal(name, error) from None


@lowering_registry.lower_getattr_generic(Called)
def _part(context, builder, ty, value, name):
    found = getattr(opened(context, builder, ty, value), name)
    return lowered(context, builder, type_of(getattr(sketch(ty), name)), found)


def _static_arithmetic(op):
    """`Int(4) * Int(2)` is static, as `Int<4>{} * Int<2>{}` is in CuTe."""

    def known(ty):
        value = ty.value if isinstance(ty, ConstType) else getattr(ty, "literal_value", None)
        return isinstance(value, int) and not isinstance(value, bool)

    def accept(x, y):
        both = known(x) and known(y) and (isinstance(x, ConstType) or isinstance(y, ConstType))
        return type_of(op(sketch(x), sketch(y))) if both else None

    template(op, accept, lambda context, _builder, _sig, _values: context.get_dummy_value())


for _op in (operator.add, operator.sub, operator.mul, operator.floordiv, operator.mod):
    _static_arithmetic(_op)


# ------------------------------------------------------------------------------------------------ captured objects


@typeof_impl.register(Layout)
@typeof_impl.register(ComposedLayout)
def _typeof_layout(value, _context):
    return LayoutType(value)


@typeof_impl.register(Int)
@typeof_impl.register(Underscore)
@typeof_impl.register(Swizzle)
def typeof_const(value, _context):
    return ConstType(value)


@lowering_registry.lower_constant(ConstType)
@lowering_registry.lower_constant(LayoutType)
def _constant(context, builder, ty, value):
    return context.get_constant_null(ty) if isinstance(ty, LayoutType) else context.get_dummy_value()


@lowering_registry.lower_cast(ConstType, types.Number)
def _cast(context, builder, from_ty, to_ty, value):
    return context.get_constant(to_ty, int(from_ty.value))
