"""The run-time integers of kernels: `?` while types are worked out, an LLVM value while code is generated.

The library's algebra is written with plain operators, so it runs on these as it runs on Python's own integers. What it may
decide about them, RuntimeInt of htuple.py says: nothing.
"""

from llvmlite import ir

from ..htuple import RuntimeInt, ScaledBasis

I32 = ir.IntType(32)


class KernelInt(RuntimeInt):
    """A run-time integer of a kernel: 32 bits with a sign, as `int` in CUDA C++.

    Arithmetic that needs no value leaves none behind: x * 1 is x, x * 0 and x % 1 are 0.
    """

    __slots__ = ()

    def __add__(self, other):
        return self if _is(other, 0) else self._apply("add", self, other)

    __radd__ = __add__

    def __mul__(self, other):
        if isinstance(other, ScaledBasis):
            return NotImplemented
        return 0 if _is(other, 0) else self if _is(other, 1) else self._apply("mul", self, other)

    __rmul__ = __mul__

    def __sub__(self, other):
        return self if _is(other, 0) else self._apply("sub", self, other)

    def __rsub__(self, other):
        return self._apply("sub", other, self)

    def __neg__(self):
        return self._apply("sub", 0, self)

    def __floordiv__(self, other):
        return self if _is(other, 1) else self._apply("udiv", self, other)

    def __rfloordiv__(self, other):
        return 0 if _is(other, 0) else self._apply("udiv", other, self)

    def __mod__(self, other):
        return 0 if _is(other, 1) else self._apply("urem", self, other)

    def __rmod__(self, other):
        return 0 if _is(other, 0) else self._apply("urem", other, self)

    def __and__(self, other):
        return 0 if _is(other, 0) else self._apply("and_", self, other)

    def __xor__(self, other):
        return self if _is(other, 0) else self._apply("xor", self, other)

    def __rshift__(self, other):
        return self if _is(other, 0) else self._apply("lshr", self, other)

    def __lshift__(self, other):
        return self if _is(other, 0) else self._apply("shl", self, other)

    def __abs__(self):
        return self  # where a size is asked for, strides count as positive

    def __repr__(self):
        return "?"


def _is(x, n) -> bool:
    return isinstance(x, int) and x == n


class Unknown(KernelInt):
    """The integer while types are worked out. Each is another object, for each may be another number."""

    __slots__ = ()

    def _apply(self, op, left, right):
        return Unknown()


class Value(KernelInt):
    """The integer while code is generated: an LLVM value.

    Sums and products do not overflow (the launcher sees to it), and the compiler is told so: then it adds what is static to
    an address last, where the load instruction itself has room for it. Only numbers from 0 up are divided and shifted.
    """

    __slots__ = ("builder", "value")

    def __init__(self, builder, value):
        self.builder, self.value = builder, value

    def _apply(self, op, left, right):
        flags = ("nsw",) if op in ("add", "sub", "mul") else ()
        return Value(self.builder, getattr(self.builder, op)(as_i32(left), as_i32(right), flags=flags))


def as_i32(x):
    """The LLVM value of a host integer of either kind."""
    return x.value if isinstance(x, Value) else I32(int(x))
