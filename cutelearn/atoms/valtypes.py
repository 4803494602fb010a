"""The value types that atoms name: how many bits, which numpy array carries them, how a number becomes one of them.

Types that numpy lacks are carried in wider arrays: bfloat16, tfloat32 and the two 8-bit floats in float32, 4-bit and 1-bit
integers in 8-bit ones. `round_to` brings an array to the values that the type has.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from ..htuple import LayoutError


def round_float(x, mantissa: int, emin: int, largest: float):
    """`x` at `mantissa` stored bits, nearest even, with subnormals below 2**emin; beyond `largest` it saturates.

    >>> round_float(np.float32([1.06, 500, 2.0**-10]), 3, -6, 448.0).tolist()
    [1.0, 448.0, 0.0]
    """
    x = np.asarray(x, np.float64)
    _, exponent = np.frexp(x)  # |x| in [2**(exponent-1), 2**exponent)
    unit = np.ldexp(1.0, np.maximum(exponent - 1, emin) - mantissa)
    with np.errstate(invalid="ignore"):
        return np.clip(np.rint(x / unit) * unit, -largest, largest)


def _bfloat16(x):
    x = np.asarray(x, np.float32)
    bits = x.view(np.uint32)
    nearest_even = (bits + 0x7FFF + ((bits >> 16) & 1)) & np.uint32(0xFFFF0000)
    return np.where(np.isnan(x), x, nearest_even.view(np.float32))


def _tfloat32(x):
    """10 mantissa bits, ties away from zero: PTX's cvt.rna.tf32.f32, CUTLASS's tfloat32_t."""
    x = np.asarray(x, np.float32)
    away = (x.view(np.uint32) + 0x1000) & np.uint32(0xFFFFE000)
    return np.where(np.isfinite(x), away.view(np.float32), x)


def _e4m3(x):
    return round_float(x, 3, -6, 448.0).astype(np.float32)


def _e5m2(x):
    return round_float(x, 2, -14, 57344.0).astype(np.float32)


@dataclass(frozen=True)
class ValueType:
    """A value type: its code in an atom's name, its CuTe name, its bits.

    >>> value_type("F16"), value_type("half_t").bits, value_type("float").code
    (half_t, 16, 'F32')
    """

    code: str
    name: str
    bits: int
    carrier: object = field(default=None, repr=False)  # the numpy dtype that carries it; None: only bits to be moved
    limits: tuple | None = field(default=None, repr=False)  # of an integer
    rounding: Callable | None = field(default=None, repr=False, compare=False)

    def __repr__(self):
        return self.name

    @property
    def is_integer(self) -> bool:
        return self.limits is not None

    def round_to(self, x, what: str = "the array"):
        """`x` as an array of this type's values.

        Raises LayoutError where that would change what the numbers mean: an integer out of range, a fraction, a complex
        number in a real type.
        """
        x = as_array(x, what)
        if self.carrier is None:
            raise LayoutError(f"{self.name} can be moved, not computed with")
        if x.dtype == object or x.dtype.kind not in "biufc":
            raise LayoutError(f"{what} has dtype {x.dtype}: {self.name} wants numbers")
        if np.iscomplexobj(x) and not np.issubdtype(self.carrier, np.complexfloating):
            raise LayoutError(f"{what} is complex, and {self.name} is real: take .real, or choose a C64 atom")
        if self.is_integer:
            self._check_integers(x, what)
        if self.rounding is not None:
            return self.rounding(x)
        with np.errstate(over="ignore"):
            return x.astype(self.carrier)

    def _check_integers(self, x, what):
        low, high = self.limits
        wrong = (x < low) | (x > high) | (x != np.floor(x) if x.dtype.kind == "f" else False)
        if wrong.any():
            at = tuple(int(i) for i in np.argwhere(wrong)[0])
            where = f"[{', '.join(map(str, at))}]" if at else ""
            raise LayoutError(f"{what}{where} is {x[at]}: {self.name} holds the integers {low} to {high}")


def as_array(x, what: str):
    """`x` as a numpy array."""
    try:
        return np.asarray(x)
    except ValueError:  # lists of several lengths
        raise LayoutError(f"{what} is no array: {x!r} has rows of several lengths") from None


def _integer(code, name, bits, carrier):
    low = -(1 << (bits - 1)) if code[0] == "S" else 0
    return ValueType(code, name, bits, carrier, (low, low + (1 << bits) - 1))


TYPES = {
    t.code: t
    for t in (
        ValueType("F16", "half_t", 16, np.float16),
        ValueType("BF16", "bfloat16_t", 16, np.float32, rounding=_bfloat16),
        ValueType("TF32", "tfloat32_t", 32, np.float32, rounding=_tfloat32),
        ValueType("F32", "float", 32, np.float32),
        ValueType("F64", "double", 64, np.float64),
        ValueType("E4M3", "float_e4m3_t", 8, np.float32, rounding=_e4m3),
        ValueType("E5M2", "float_e5m2_t", 8, np.float32, rounding=_e5m2),
        ValueType("C32", "complex<float>", 64, np.complex64),
        ValueType("C64", "complex<double>", 128, np.complex128),
        ValueType("GC64", "GaussComplex", 192, np.complex128),  # three doubles, one for each product of Gauss's trick
        _integer("U1", "uint1b_t", 1, np.uint8),
        _integer("S4", "int4b_t", 4, np.int8),
        _integer("U4", "uint4b_t", 4, np.uint8),
        _integer("S8", "int8_t", 8, np.int8),
        _integer("U8", "uint8_t", 8, np.uint8),
        _integer("S16", "int16_t", 16, np.int16),
        _integer("U16", "uint16_t", 16, np.uint16),
        _integer("S32", "int32_t", 32, np.int32),
        _integer("U32", "uint32_t", 32, np.uint32),
        _integer("S64", "int64_t", 64, np.int64),
        _integer("U64", "uint64_t", 64, np.uint64),
        ValueType("U128", "uint128_t", 128),
    )
}
_ALSO = {
    "int": "S32",
    "signed char": "S8",
    "unsigned char": "U8",
    "short": "S16",
    "integer_subbyte<4,true>": "S4",
    "integer_subbyte<4,false>": "U4",
    "integer_subbyte<1,false>": "U1",
    "float16": "F16",
    "half": "F16",
    "bfloat16": "BF16",
    "float32": "F32",
    "float64": "F64",
    "complex64": "C32",
    "complex128": "C64",
    **{f"{sign}int{bits}": f"{kind}{bits}" for sign, kind in (("", "S"), ("u", "U")) for bits in (8, 16, 32, 64)},
}
_BY_NAME = {t.code.lower(): t for t in TYPES.values()} | {t.name: t for t in TYPES.values()}
_BY_NAME |= {name: TYPES[code] for name, code in _ALSO.items()}


def value_type(x) -> ValueType:
    """The value type that `x` means: a code (`F16`), a CuTe or C++ name (`half_t`, `float`), a numpy dtype.

    >>> value_type("cutlass::half_t"), value_type(np.int8), value_type("bf16")
    (half_t, int8_t, bfloat16_t)

    Raises LayoutError for anything else.
    """
    if isinstance(x, ValueType):
        return x
    name = x if isinstance(x, str) else _dtype_name(x)
    name = re.sub(r"cutlass::|cute::|\s+(?=[<,>])|(?<=[<,>])\s+", "", name.strip())
    found = _BY_NAME.get(name) or _BY_NAME.get(name.lower())
    if found is None:
        raise LayoutError(
            f"{name!r} is no value type here: write a code or name such as F16, half_t, float, int8_t or a numpy dtype"
        )
    return found


def _dtype_name(x):
    try:
        return np.dtype(x).name
    except (TypeError, ValueError):
        raise LayoutError(f"{x!r} is no value type: write F16, half_t, float, int8_t, or a numpy dtype") from None


_CODE = re.compile(r"GC64|C32|C64|BF16|TF32|F16|F32|F64|E4M3|E5M2|[SU](?:1(?!6)|4|8|16|32)")


def split_codes(codes: str) -> tuple | None:
    """The value types that a run of codes in an atom's name writes, or None if it is no such run.

    >>> split_codes("F32F16F16F32")
    (float, half_t, half_t, float)
    """
    found = _CODE.findall(codes)
    return tuple(TYPES[code] for code in found) if found and "".join(found) == codes else None
