"""TiledCopy, TiledMMA and atoms inside kernels: static objects, whose methods are the host's.

`tiled_copy.get_slice(threadIdx.x).partition_S(g)` is the host's own method, called with `?` and then with LLVM values as all host
functions are (static.py). Written anew is what touches memory: copy and copy_if by a copy atom, whose width they keep, and gemm.
"""

from numba.cuda import types
from numba.cuda.cudadecl import registry as typing_registry
from numba.cuda.extending import typeof_impl
from numba.cuda.typing.templates import AbstractTemplate, AttributeTemplate, signature

from .. import algorithms
from ..atoms import verbs
from ..atoms.access import check_groups, check_types
from ..atoms.copy import CopyAtom, ThrCopy, TiledCopy
from ..atoms.mma import MMAAtom, ThrMMA, TiledMMA, tile_shape, tile_size
from ..htuple import LayoutError, text
from ..layout import Layout, mode, rank, size
from ..swizzle import ComposedLayout, Swizzle
from .algorithms import (
    IN_FLIGHT,
    _accept_copy,
    _accept_copy_if,
    _accept_gemm,
    _asked,
    _elements,
    _emit_copy,
    _emit_gemm,
    _same_size,
    _where,
    loaded_first,
    only_where,
    predicate_tensor,
)
from .memory import address, load, store
from .ptx import (
    cache_of,
    check_async,
    check_wait,
    check_zfill,
    copy_zfill,
    cp_async_fence,
    cp_async_wait,
    emit_fence,
    emit_wait,
    load_together,
    start_copy,
    store_together,
)
from .static import (
    ConstType,
    Engine,
    SliceType,
    filled,
    lift,
    lifted,
    lowering_registry,
    opened,
    refusal,
    sketch,
    template,
    typeof_const,
    unknowns,
)

# ------------------------------------------------------------------------------------------------ methods

METHODS = {
    TiledCopy: "get_slice retile tile_size",
    ThrCopy: "partition_S partition_D retile_S retile_D",
    TiledMMA: "get_slice tile_size make_fragment_A make_fragment_B make_fragment_C",
    ThrMMA: """partition_A partition_B partition_C make_fragment_A make_fragment_B make_fragment_C
        partition_fragment_A partition_fragment_B partition_fragment_C""",
}
for _type in (TiledCopy, ThrCopy, CopyAtom, TiledMMA, ThrMMA, MMAAtom):
    typeof_impl.register(_type)(typeof_const)


class Method(types.BoundFunction):
    """A method of a tiling as kernels see it. Its template is asked alone, so that a refusal stands first in Numba's error."""

    def get_call_type(self, context, args, kws):
        return self.template(context).apply(args, kws)


def _method(function):
    """The template of a host method, and its code made known."""
    accept, emit = lifted(function)

    def generic(self, args, kws):
        if kws:
            raise refusal(
                function.__name__, LayoutError("in a kernel, give the arguments by their place, without names")
            )
        try:
            return signature(accept(self.this, *args), *args, recvr=self.this)
        except (LayoutError, IndexError, TypeError) as error:
            raise refusal(function.__name__, error) from None

    lowering_registry.lower(function, types.VarArg(types.Any))(emit)
    body = {"key": function, "generic": generic, "prefer_literal": True}
    return type(f"{function.__name__}_in_kernels", (AbstractTemplate,), body)


_TEMPLATES = {
    (owner, name): _method(getattr(owner, name)) for owner, names in METHODS.items() for name in names.split()
}


class _Methods(AttributeTemplate):
    def generic_resolve(self, ty, name):
        owner = type(sketch(ty))
        return Method(_TEMPLATES[owner, name], ty) if (owner, name) in _TEMPLATES else None


for _key in (ConstType, SliceType):
    typing_registry.register_attr(type(f"Methods_of_{_key.__name__}", (_Methods,), {"key": _key}))

_VERBS = """get_slice partition_A partition_B partition_C partition_S partition_D make_fragment_A make_fragment_B make_fragment_C
    retile_S retile_D"""
for _word in (*(getattr(verbs, name) for name in _VERBS.split()), tile_size, tile_shape):
    lift(_word)


# ------------------------------------------------------------------------------------------------ copy by an atom


def _has_mover(operands) -> bool:
    return bool(operands) and isinstance(operands[0], ConstType)


def _copy_atom(name, mover) -> CopyAtom:
    atom = mover.value.atom if isinstance(mover.value, TiledCopy) else mover.value
    if not isinstance(atom, CopyAtom):
        algorithms._executor(name, mover.value, "TiledCopy")
        raise LayoutError(f"{name}: {mover.value!r} is no TiledCopy and no copy atom")
    if not (atom.name.startswith("UniversalCopy<") or cache_of(atom)):
        raise LayoutError(
            f"{name} by {atom.name}: of the copy atoms, kernels know UniversalCopy<...>, one thread's load and store, and "
            f"SM80_CP_ASYNC_CACHEALWAYS<...> and SM80_CP_ASYNC_CACHEGLOBAL<...>"
        )
    if atom.value_type is None:
        atom.val_layout_src  # says which type to give  # noqa: B018
    return atom


def _accept_copy_by(name, operands, n):
    """Checks copy(mover, src, dst) and copy_if(mover, pred, src, dst)."""
    if len(operands) != n:
        given = "(tiled_copy, src, dst)" if n == 3 else "(tiled_copy, pred, src, dst)"
        raise LayoutError(f"{name} takes {given}, not {len(operands)} operands")
    mover, *pred, src, dst = operands
    atom = _copy_atom(name, mover)
    _elements(name, src, dst)
    _same_size(name, src=src, dst=dst)
    if cache_of(atom):
        check_async(name, atom, src, dst)
    what = f"{name} by {atom.name}"
    check_types(what, atom, **{side: (x, x.dtype, x.dtype.bitwidth) for side, x in (("src", src), ("dst", dst))})
    check_groups(what, atom, src=src, dst=dst)
    for side, ty in (("src", src), ("dst", dst)):
        _check_access(what, atom, side, ty)
    if pred:
        _check_one_an_access(what, predicate_tensor(name, pred[0]), src)
    return types.void


def _check_access(what, atom, side, ty):
    """The values of one access must be known to be aligned neighbours in memory; registers have no order."""
    n, bits = size(atom.val_layout_src, 1), atom.value_type.bits
    if n == 1 or ty.memory == "rmem":
        return
    if n * bits > 128:
        raise LayoutError(
            f"{what}: a load or store moves 128 bits at most: take UniversalCopy<uint128_t> and more of them"
        )
    problem = f"{what}: {n} values of {atom.value_type} are one word of memory, and those of {side} {ty} are not known to be one"
    layout, unit = _plain(ty.layout)
    values = mode(layout, 0) if rank(layout) > 1 else layout
    for first in range(0, size(values), n):
        apart = [values(first + i) - values(first) for i in range(min(n, unit))]
        if unknowns(*apart):
            raise LayoutError(
                f"{problem}: they are a run-time stride ('?') apart. A stride that is always 1 is written Int(1), so that "
                f"it is part of the type; or take a narrower atom"
            )
        if apart != list(range(n)):
            raise LayoutError(
                f"{problem}: they lie at {text(tuple(apart))}, not side by side. Choose a value layout along the contiguous mode, "
                f"or a narrower atom"
            )
    # What the type leaves open (run-time strides and starts) is the caller's to align, as with CuTe's uint128_t.
    known = Layout._of(*(filled(part, iter(int, 1)) for part in (layout.shape, layout.stride)))
    start = ty.offset if isinstance(ty.offset, int) else 0
    for at in range(0, size(known), n):
        if (start + known(at)) % n:
            raise LayoutError(
                f"{problem}: some start at {start + known(at)} (counted in elements, what is known at run time left out), no multiple "
                f"of {n}. Make strides and starts multiples of {n}, or take a narrower atom"
            )


def _plain(layout) -> tuple:
    """The layout without its swizzle, and how many neighbours the swizzle leaves together."""
    if isinstance(layout, ComposedLayout):
        together = 1 << layout.outer.base if isinstance(layout.outer, Swizzle) else 1
        return layout.inner, together
    return layout, 1 << 30


def _check_one_an_access(what, pred, src):
    accesses = size(src.layout) // size(src.layout, 0)
    if size(pred.layout) != accesses:
        raise LayoutError(
            f"{what}: the predicate {pred} has {size(pred.layout)} elements, and src {src} is {accesses} accesses of "
            f"{size(src.layout, 0)} values: give one predicate an access, as elem_less(coordinates[0, _, _], shape) does"
        )


def _emit_copy_by(context, builder, sig, values):
    src, dst = (opened(context, builder, ty, v) for ty, v in zip(sig.args[-2:], values[-2:], strict=True))
    atom = _copy_atom("copy", sig.args[0])
    asked = _asked(context, builder, sig.args[1], values[1]) if len(values) == 4 else None
    if cache_of(atom):
        _start_copies(builder, atom, src, dst, asked)
        return context.get_dummy_value()
    n, group, total = size(atom.val_layout_src, 1), size(src.layout, 0), size(src.layout)
    mover, at_once = _Access(context, builder, n), loaded_first(src, dst, IN_FLIGHT)
    for first in range(0, total, at_once):
        part = range(first, min(first + at_once, total), n)
        which = {i // group: None for i in part}
        if asked:
            which = {access: asked(access) for access in which}
        loaded = [only_where(builder, which[i // group], lambda i=i: mover.load(src, i)) for i in part]
        for i, found in zip(part, loaded, strict=True):
            with _where(builder, which[i // group]):
                mover.store(dst, i, [context.cast(builder, x, src.engine.element, dst.engine.element) for x in found])
    return context.get_dummy_value()


def _start_copies(builder, atom, src, dst, asked, zfill=False):
    """cp.async for each access; where the predicate does not hold, none, or one that writes zeros."""
    n, group = size(atom.val_layout_src, 1), size(src.layout, 0)
    which = {}
    for i in range(0, size(src.layout), n):
        if asked and i // group not in which:
            which[i // group] = asked(i // group)
        yes = which.get(i // group)
        with _where(builder, None if zfill else yes):
            at = (address(builder, t, i) for t in (src, dst))
            start_copy(builder, *at, n * atom.value_type.bits // 8, yes if zfill else None, cache_of(atom))


def _accept_zfill(*operands):
    result = _accept_copy_by("copy_zfill", operands, 4)
    check_zfill(_copy_atom("copy_zfill", operands[0]))
    return result


def _emit_zfill(context, builder, sig, values):
    src, dst = (opened(context, builder, ty, v) for ty, v in zip(sig.args[-2:], values[-2:], strict=True))
    asked = _asked(context, builder, sig.args[1], values[1])
    _start_copies(builder, _copy_atom("copy_zfill", sig.args[0]), src, dst, asked, zfill=True)
    return context.get_dummy_value()


def _emit_fence(context, builder, _sig, _values):
    emit_fence(builder)
    return context.get_dummy_value()


def _accept_wait(n):
    check_wait(sketch(n))
    return types.void


def _emit_wait(context, builder, sig, _values):
    emit_wait(builder, int(sketch(sig.args[0])))
    return context.get_dummy_value()


template(copy_zfill, _accept_zfill, _emit_zfill)
template(cp_async_fence, lambda: types.void, _emit_fence)
template(cp_async_wait, _accept_wait, _emit_wait)


class _Access:
    """Loads and stores of n values at once, where the tensor is memory; one by one where it is registers."""

    def __init__(self, context, builder, n):
        self.context, self.builder, self.n = context, builder, n

    def _one_by_one(self, t):
        return self.n == 1 or t.memory == "rmem"

    def load(self, t, i):
        if self._one_by_one(t):
            return [load(self.context, self.builder, t, i + j) for j in range(self.n)]
        return load_together(self.builder, address(self.builder, t, i), t.engine.element.bitwidth, self.n)

    def store(self, t, i, values):
        if self._one_by_one(t):
            for j, value in enumerate(values):
                store(self.context, self.builder, t, i + j, value)
        else:
            store_together(self.builder, values, address(self.builder, t, i), t.engine.element.bitwidth)


# ------------------------------------------------------------------------------------------------ gemm by an atom


def _accept_gemm_by(operands):
    mma, *tensors = operands
    atom = mma.value.atom if isinstance(mma.value, TiledMMA) else mma.value
    if not isinstance(atom, MMAAtom):
        algorithms._executor("gemm", mma.value, "TiledMMA")
        raise LayoutError(f"gemm: {mma.value!r} is no TiledMMA and no MMA atom")
    if not atom.name.startswith("UniversalFMA<"):
        raise LayoutError(
            f"gemm by {atom.name}: of the MMA atoms, kernels know UniversalFMA<...> as an instruction, one thread's multiply-add"
        )
    _accept_gemm(*tensors)
    for letter, ty, wanted in zip("ABC", tensors, (atom.type_a, atom.type_b, atom.type_c), strict=True):
        if Engine(ty.dtype).dtype != wanted.carrier:
            raise LayoutError(f"gemm by {atom.name}: {letter} is {ty}, and the atom takes {wanted}")
        if rank(ty.layout) == 3 and size(ty.layout, 0) != 1:
            raise LayoutError(
                f"gemm by {atom.name}: the first mode of {letter} {ty} counts {size(ty.layout, 0)} values, and the atom has one a "
                f"thread: give what partition_{letter} gives"
            )
    return types.void


# ------------------------------------------------------------------------------------------------ the words, with and without a mover


def _word(function, by, plain, emit_by, emit):
    def accept(*operands):
        return by(operands) if _has_mover(operands) else plain(*operands)

    def either(context, builder, sig, values):
        return (emit_by if _has_mover(sig.args) else emit)(context, builder, sig, values)

    template(function, accept, either)


def _emit_gemm_by(context, builder, sig, values):
    return _emit_gemm(context, builder, signature(sig.return_type, *sig.args[1:]), values[1:], turn=False)


_word(algorithms.copy, lambda x: _accept_copy_by("copy", x, 3), _accept_copy, _emit_copy_by, _emit_copy)
_word(algorithms.copy_if, lambda x: _accept_copy_by("copy_if", x, 4), _accept_copy_if, _emit_copy_by, _emit_copy)
_word(algorithms.gemm, _accept_gemm_by, _accept_gemm, _emit_gemm_by, _emit_gemm)
