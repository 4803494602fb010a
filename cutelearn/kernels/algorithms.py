"""copy, copy_if, fill, clear, axpby and gemm inside kernels.

By themselves, that is: with a TiledCopy, a TiledMMA or an atom before them see tiled.py, which makes copy, copy_if and gemm known.
Which element meets which, and what fits together, the host's algorithms.py says: its checks are called here. Loops over static
tensors are written out, so that what lies in registers has an address that is known.
"""

from contextlib import nullcontext

import numpy as np
from llvmlite import ir
from numba.cuda import types
from numba.cuda.extending import core_models, register_model
from numba.cuda.np.numpy_support import from_dtype

from .. import algorithms
from ..htuple import LayoutError, text
from ..layout import size
from ..tensor import _bounds, elem_less
from .integers import as_i32
from .memory import load, need_tensor, store
from .static import ConstType, Engine, TensorType, is_static, opened, sketch, template

IN_FLIGHT = 32  # how many elements of a copy between two memories are loaded before the first is stored


def loaded_first(src, dst, few: int) -> int:
    """How many elements are loaded before the first is stored: all where both may be one memory, as on the host."""
    apart = src.memory != dst.memory and None not in (src.memory, dst.memory)
    return few if apart else size(dst.layout)


# ------------------------------------------------------------------------------------------------ predicates


class PredicateType(types.Type):
    """`elem_less(coordinates, bound)`: for every element, whether its coordinate lies inside. Asked when it is needed."""

    def __init__(self, coordinates, bound):
        self.coordinates, self.bound = coordinates, bound
        super().__init__(name=f"elem_less({coordinates},{bound})")


@register_model(PredicateType)
class _PredicateModel(core_models.StructModel):
    def __init__(self, manager, ty):
        super().__init__(manager, ty, [("coordinates", ty.coordinates), ("bound", ty.bound)])


def _accept_elem_less(coord, bound):
    if isinstance(coord, TensorType) and coord.dtype is not None:
        raise LayoutError(
            f"elem_less: {coord} holds elements, not coordinates: make_identity_tensor(shape), cut in the same way as the "
            f"tensor, holds the coordinates"
        )
    first = sketch(coord)
    if isinstance(coord, TensorType):
        _bounds(_element(first, 0), sketch(bound))
        return PredicateType(coord, bound)
    _bounds(first, sketch(bound))
    return types.boolean


def _element(t, i):
    return t.offset + t.layout(i)


def _emit_elem_less(context, builder, sig, values):
    if isinstance(sig.return_type, PredicateType):
        made = ir.Constant(context.get_value_type(sig.return_type), ir.Undefined)
        return builder.insert_value(builder.insert_value(made, values[0], 0), values[1], 1)
    coord, bound = (opened(context, builder, ty, v) for ty, v in zip(sig.args, values, strict=True))
    return _is_inside(builder, coord, bound)


def _is_inside(builder, coord, bound):
    yes = ir.Constant(ir.IntType(1), 1)
    for c, b in _bounds(coord, bound):
        yes = builder.and_(yes, builder.icmp_signed("<", as_i32(c), as_i32(b)))
    return yes


template(elem_less, _accept_elem_less, _emit_elem_less)


def _need_predicate(name, pred, t):
    """Checks a predicate with one answer for every element of t."""
    _same_size(name, pred=predicate_tensor(name, pred), src=t)


def predicate_tensor(name, pred):
    """The tensor that a predicate is about, if it may be one: elem_less of coordinates, or a tensor of truth values."""
    if not isinstance(pred, PredicateType):
        if not isinstance(pred, TensorType):
            raise LayoutError(
                f"{name}: in a kernel the predicate is elem_less(coordinates, shape) or a tensor of truth values, not {pred}"
            )
        if pred.dtype is None:
            raise LayoutError(f"{name}: {pred} holds coordinates, not yes or no: write elem_less(coordinates, shape)")
    coordinates = pred.coordinates if isinstance(pred, PredicateType) else pred
    _need_static(name, coordinates)
    return coordinates


def _asked(context, builder, ty, value):
    """The predicate as a function of the 1-D coordinate."""
    if isinstance(ty, PredicateType):
        coordinates = opened(context, builder, ty.coordinates, builder.extract_value(value, 0))
        bound = opened(context, builder, ty.bound, builder.extract_value(value, 1))
        return lambda i: _is_inside(builder, _element(coordinates, i), bound)
    table = opened(context, builder, ty, value)
    return lambda i: context.is_true(builder, ty.dtype, load(context, builder, table, i))


# ------------------------------------------------------------------------------------------------ copy and fill


def _need_static(name, *tensors):
    for t in tensors:
        need_tensor(name, t)
        if not is_static(t.layout.shape):
            raise LayoutError(
                f"{name}: the extents must be static here, and {text(t.layout.shape)} has run-time ones ('?'): slice or tile "
                f"the tensor so that only static extents are left"
            )


def _same_size(name, **tensors):
    algorithms._check_sizes(name, **{which: sketch(t) for which, t in tensors.items()})


def _numbers(name, *tensors):
    """Checks tensors that a kernel reckons with."""
    _elements(name, *tensors)
    for t in tensors:
        if not isinstance(t.dtype, (types.Integer, types.Float)):
            raise LayoutError(
                f"{name}: {t} holds elements of the type {t.dtype}; a kernel reckons with integers and floats"
            )


def _elements(name, *tensors):
    """Checks tensors whose elements a kernel moves: static extents, and none of coordinates."""
    _need_static(name, *tensors)
    for t in tensors:
        if t.dtype is None:
            raise LayoutError(f"{name}: {t} is an identity tensor: it has coordinates, and no elements to move")


def _accept_copy(*operands):
    if len(operands) != 2:
        raise LayoutError(f"copy takes (src, dst) in a kernel, not {len(operands)} operands")
    src, dst = operands
    _elements("copy", src, dst)
    _same_size("copy", src=src, dst=dst)
    return types.void


def _accept_copy_if(*operands):
    if len(operands) != 3:
        raise LayoutError(f"copy_if takes (pred, src, dst) in a kernel, not {len(operands)} operands")
    pred, src, dst = operands
    _elements("copy_if", src, dst)
    _same_size("copy_if", src=src, dst=dst)
    _need_predicate("copy_if", pred, src)
    return types.void


def _emit_copy(context, builder, sig, values):
    src, dst = (opened(context, builder, ty, v) for ty, v in zip(sig.args[-2:], values[-2:], strict=True))
    pred = _asked(context, builder, sig.args[0], values[0]) if len(values) == 3 else None
    n = size(dst.layout)
    at_once = loaded_first(src, dst, IN_FLIGHT)
    for first in range(0, n, at_once):
        part = range(first, min(first + at_once, n))
        which = {i: pred(i) for i in part} if pred else {}
        loaded = [only_where(builder, which.get(i), lambda i=i: [load(context, builder, src, i)]) for i in part]
        for i, (value,) in zip(part, loaded, strict=True):
            with _where(builder, which.get(i)):
                store(context, builder, dst, i, context.cast(builder, value, src.engine.element, dst.engine.element))
    return context.get_dummy_value()


def _where(builder, yes):
    return nullcontext() if yes is None else builder.if_then(yes)


def only_where(builder, yes, make) -> list:
    """The values that `make()` gives where the predicate holds; where it does not, nothing is done, no access to memory either."""
    if yes is None:
        return make()
    before = builder.block
    with builder.if_then(yes):
        values = make()
        inside = builder.block
    found = [builder.phi(value.type) for value in values]
    for phi, value in zip(found, values, strict=True):
        phi.add_incoming(ir.Constant(value.type, ir.Undefined), before)
        phi.add_incoming(value, inside)
    return found


def _accept_fill(t, value):
    _elements("fill", t)
    if not isinstance(value, (types.Number, types.Boolean, ConstType)):
        raise LayoutError(f"fill sets every element to one value, not to {value}: for many values use copy")
    return types.void


def _emit_fill(context, builder, sig, values):
    t = opened(context, builder, sig.args[0], values[0])
    value = context.cast(builder, values[1], sig.args[1], t.engine.element)
    for i in range(size(t.layout)):
        store(context, builder, t, i, value)
    return context.get_dummy_value()


def _accept_clear(t):
    _elements("clear", t)
    return types.void


def _emit_clear(context, builder, sig, values):
    t = opened(context, builder, sig.args[0], values[0])
    zero = context.get_constant(t.engine.element, 0)
    for i in range(size(t.layout)):
        store(context, builder, t, i, zero)
    return context.get_dummy_value()


template(algorithms.fill, _accept_fill, _emit_fill)
template(algorithms.clear, _accept_clear, _emit_clear)


# ------------------------------------------------------------------------------------------------ arithmetic


class Arithmetic:
    """Products and sums in the type that numpy would use for elements of these types; halves are reckoned in float32."""

    def __init__(self, context, builder, *elements):
        wide = np.result_type(*(Engine(e).dtype for e in elements))
        self.context, self.builder = context, builder
        self.ty = types.float32 if wide == np.float16 else from_dtype(wide)
        self.is_float = isinstance(self.ty, types.Float)

    def bring(self, value, ty):
        return self.context.cast(self.builder, value, ty, self.ty)

    def load(self, t, coord):
        return self.bring(load(self.context, self.builder, t, coord), t.engine.element)

    def store(self, t, coord, value):
        value = self.context.cast(self.builder, value, self.ty, t.engine.element)
        store(self.context, self.builder, t, coord, value)

    def rounded(self, value, t):
        """The value as an element of t would hold it."""
        return self.bring(self.context.cast(self.builder, value, self.ty, t.engine.element), t.engine.element)

    def mul(self, x, y):
        return self.builder.fmul(x, y) if self.is_float else self.builder.mul(x, y)

    def add(self, x, y):
        return self.builder.fadd(x, y) if self.is_float else self.builder.add(x, y)

    def multiply_add(self, x, y, z):
        return self.builder.fma(x, y, z) if self.is_float else self.add(self.mul(x, y), z)

    def is_nonzero(self, x):
        return self.context.is_true(self.builder, self.ty, x)


def _accept_axpby(alpha, x, beta, y, pred=None):
    for name, factor in (("alpha", alpha), ("beta", beta)):
        if not isinstance(factor, (types.Number, ConstType)):
            raise LayoutError(f"axpby: {name} is a number, not {factor}: the order is axpby(alpha, x, beta, y)")
    _numbers("axpby", x, y)
    _same_size("axpby", x=x, y=y)
    if pred is not None:
        _need_predicate("axpby", pred, x)
    return types.void


def _emit_axpby(context, builder, sig, values):
    """y = alpha x + beta y; where beta is 0, y is not read."""
    alpha_ty, x_ty, beta_ty, y_ty = sig.args[:4]
    x, y = opened(context, builder, x_ty, values[1]), opened(context, builder, y_ty, values[3])
    pred = _asked(context, builder, sig.args[4], values[4]) if len(values) == 5 else None
    elements = [x_ty.dtype, y_ty.dtype]
    whole = all(isinstance(e, types.Integer) for e in elements)
    elements += [types.float64] * (whole and any(isinstance(f, types.Float) for f in (alpha_ty, beta_ty)))
    with_numbers = Arithmetic(context, builder, *elements)
    alpha, beta = with_numbers.bring(values[0], alpha_ty), with_numbers.bring(values[2], beta_ty)
    with builder.if_else(with_numbers.is_nonzero(beta)) as (blended, overwritten):
        with blended:
            _scale_and_add(with_numbers, alpha, x, beta, y, pred)
        with overwritten:
            _scale_and_add(with_numbers, alpha, x, None, y, pred)
    return context.get_dummy_value()


def _scale_and_add(numbers, alpha, x, beta, y, pred):
    def made(i):
        value = numbers.mul(alpha, numbers.load(x, i))
        return value if beta is None else numbers.add(value, numbers.mul(beta, numbers.load(y, i)))

    n, asked = size(x.layout), pred or (lambda _i: None)
    if loaded_first(x, y, 1) == 1:
        for i in range(n):
            with _where(numbers.builder, asked(i)):
                numbers.store(y, i, made(i))
        return
    which = [asked(i) for i in range(n)]
    values = [only_where(numbers.builder, yes, lambda i=i: [made(i)]) for i, yes in enumerate(which)]
    for i, (yes, (value,)) in enumerate(zip(which, values, strict=True)):
        with _where(numbers.builder, yes):
            numbers.store(y, i, value)


template(algorithms.axpby, _accept_axpby, _emit_axpby)


def _accept_gemm(*operands):
    if len(operands) != 3:
        raise LayoutError(f"gemm takes (A, B, C) in a kernel, not {len(operands)} operands")
    _numbers("gemm", *operands)
    a, b, c = map(sketch, operands)
    algorithms._check_places(c, a, b, c)
    algorithms._form(a, b, c)
    return types.void


def _emit_gemm(context, builder, sig, values, turn=True):
    """C += A B, k outermost; m runs there and back again, so that neighbours share an operand. C is written once, at the end: all is
    read before, as on the host, and the compiler has little to look through.

    turn: whether every second k goes the same way backwards. What ptxas makes of an order is measured, not foretold: on an H200
    (CUDA 13.0, driver 580, NT, 4096) it brings sgemm_1 from 34.4 to 35.9 TFLOP/s, and under a name that holds "cutlass" from 37.8
    to 39.1; sgemm_2, which multiplies by a TiledMMA, would fall from 49.1 to 47.0.
    """
    a, b, c = (opened(context, builder, ty, v) for ty, v in zip(sig.args, values, strict=True))
    modes, extent = algorithms._form(a, b, c)
    numbers = Arithmetic(context, builder, a.engine.element, b.engine.element, c.engine.element)

    def place(letters, **at):
        coord = tuple(at[letter] for letter in letters)
        return coord if len(coord) > 1 else coord[0]

    m_count, n_count = extent.get("M", 1), extent.get("N", 1)
    there = list(_there_and_back(m_count, n_count))

    sums = {}
    for k in range(extent.get("K", 1)):
        for v in range(extent.get("V", 1)):
            column = [numbers.load(a, place(modes[0], V=v, M=m, K=k)) for m in range(m_count)]
            row = [numbers.load(b, place(modes[1], V=v, N=n, K=k)) for n in range(n_count)]
            for m, n in reversed(there) if turn and k % 2 else there:
                before = sums[n, m, v] if k else numbers.load(c, place(modes[2], V=v, M=m, N=n))
                sums[n, m, v] = numbers.rounded(numbers.multiply_add(column[m], row[n], before), c)
    for (n, m, v), value in sorted(sums.items(), key=lambda pair: pair[0]):
        numbers.store(c, place(modes[2], V=v, M=m, N=n), value)
    return context.get_dummy_value()


def _there_and_back(m_count, n_count):
    """All (m, n): two columns at a time, along m and on the next two columns back."""
    for n in range(0, n_count, 2):
        for m in range(m_count) if n % 4 == 0 else reversed(range(m_count)):
            for j in range(n, min(n + 2, n_count)):
                yield m, j
