"""What an atom's name says: architecture, shape, types, majors. And what to say of a name that is none.

The names are CUTLASS's; several spellings of one are read (`SM90::GMMA::MMA_64x8x16_F32F16F16_SS<GMMA::Major::K,...>`).
"""

import re
from dataclasses import dataclass
from difflib import get_close_matches

from ..htuple import LayoutError
from .valtypes import ValueType, split_codes


def canonical(name: str) -> str:
    """The one spelling under which the library keeps a name.

    >>> canonical("SM90::GMMA::MMA_64x8x16_F32F16F16_SS<GMMA::Major::K, GMMA::Major::MN>{}")
    'SM90_64x8x16_F32F16F16_SS<K,MN>'
    >>> canonical("cute::SM90::MMA_16x8x4_F64F64F64F64_TN"), canonical("UniversalCopy< cute::uint128_t >")
    ('SM90_16x8x4_F64F64F64F64_TN', 'UniversalCopy<uint128_t>')
    """
    if not isinstance(name, str):
        raise LayoutError(
            f"an atom is asked for by its name, a text such as SM80_16x8x16_F32F16F16F32_TN, not by {name!r}"
        )
    name = re.sub(r"\{\}|\s+|(?:cute|cutlass)::", "", name)
    name = re.sub(r"(SM\d+)::(?:GMMA::)?MMA_", r"\1_", name)
    name = re.sub(r"^(?:GMMA::)?MMA_64x", "SM90_64x", name)
    return name.replace("GMMA::Major::", "").replace("Major::", "")


@dataclass(frozen=True)
class AtomName:
    """The parts of an MMA's name. `majors` are those of A and B: K (K is contiguous) or MN.

    >>> decode("SM80_16x8x16_F32F16F16F32_TN")
    SM80, 16x8x16, D float = A half_t x B half_t + C float, A is K-major, B is K-major
    >>> decode("SM90_64x128x16_F32F16F16_RS<K,MN>").sources
    'RS'
    """

    arch: str
    shape_mnk: tuple
    type_d: ValueType
    type_a: ValueType
    type_b: ValueType
    type_c: ValueType
    majors: tuple
    sources: str = "RR"  # where A and B come from: registers or shared memory
    saturate: bool = False
    bit_op: str | None = None  # "xor" or "and", for 1-bit operands

    def __repr__(self):
        m, n, k = self.shape_mnk
        said = [self.arch, f"{m}x{n}x{k}", f"D {self.type_d} = A {self.type_a} x B {self.type_b} + C {self.type_c}"]
        said += [f"A is {self.majors[0]}-major", f"B is {self.majors[1]}-major"]
        if self.sources != "RR":
            said.append(f"A from {'shared memory' if self.sources[0] == 'S' else 'registers'}, B from shared memory")
        if self.bit_op:
            said.append(f"product {self.bit_op}, sum population count")
        if self.saturate:
            said.append("saturates")
        return ", ".join(said)


_MMA = re.compile(r"(SM\d+)_(\d+)x(\d+)x(\d+)_([A-Z0-9]+?)(?:_(SS|RS))?(?:_([TN]{2}))?((?:_[A-Z]+)*)(?:<(.*)>)?")


def decode(name: str) -> AtomName:
    """What the name of an MMA says, whether or not there is such an instruction.

    The letters T and N are BLAS's: the first is A's, the second B's. A is K-major under T, B under N.

    Raises LayoutError for a text that has not the form ARCH_MxNxK_TYPES_SUFFIX.
    Source: CuTe documentation, 0t_mma_atom, "Operation structs".
    """
    given, name = name, canonical(name)
    found = _MMA.fullmatch(name)
    types = split_codes(found[5]) if found else None
    if not types or len(types) != (3 if found[6] else 4):
        raise LayoutError(
            f"{given!r} has not the form of an MMA's name: ARCH_MxNxK_DABC_TN as in SM80_16x8x16_F32F16F16F32_TN (the types "
            f"of D, A, B, C), or SM90_64x64x16_F32F16F16_SS<K,K> (the types of D, A, B; then A's and B's majors)"
        )
    d, a, b, c = (*types, types[0])[:4]
    suffixes = found[8].split("_")
    letters, majors = found[7], ("K", "K")
    if letters:
        majors = ("K" if letters[0] == "T" else "MN", "K" if letters[1] == "N" else "MN")
    elif found[9]:
        majors = tuple(found[9].split(","))
    return AtomName(
        found[1],
        tuple(int(found[i]) for i in (2, 3, 4)),
        d,
        a,
        b,
        c,
        majors,
        found[6] or "RR",
        "SATURATE" in suffixes,
        next((s[:3].lower() for s in suffixes if s in ("XORPOPC", "ANDPOPC")), None),
    )


def nearest(name: str, known, n: int = 3) -> str:
    """The known names that look most like `name`, as a piece of a sentence.

    >>> nearest("SM80_16x8x16_F32F16F16_TN", ["SM80_16x8x16_F32F16F16F32_TN", "SM61_DP4A"])
    'the nearest is SM80_16x8x16_F32F16F16F32_TN'
    """
    spelt = {k.upper(): k for k in known}
    close = [spelt[k] for k in get_close_matches(name.upper(), spelt, n, 0.6)]
    if not close:
        return "find_atoms() lists the MMAs, find_copy_atoms() the copies"
    return f"the nearest {'are' if len(close) > 1 else 'is'} {', '.join(close)}"
