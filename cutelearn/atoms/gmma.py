"""Hopper's warpgroup MMAs (SM90::GMMA, PTX wgmma), made by rule, and the shared-memory layouts that they read.

128 threads, M = 64, N a multiple of 8 up to 256, K = 32 bytes. B is in shared memory, A in shared memory (SS) or registers
(RS). Sparse GMMA is not here.
Source: CuTe headers `mma_sm90_gmma.hpp`, `mma_traits_sm90_gmma.hpp`; PTX ISA, "Asynchronous warpgroup level matrix instructions".
"""

import re

from ..htuple import LayoutError
from ..layout import Layout
from ..swizzle import ComposedLayout, Swizzle, compose
from ..views import upcast
from .names import AtomName, decode
from .valtypes import split_codes, value_type

WARPGROUP = Layout(128)
N_ALL = tuple(range(8, 257, 8))
N_INT8 = (8, 16, 24, 32, *range(48, 257, 16))  # PTX has no 40, 56, 72, ... for 8-bit integers

# What may be multiplied, types D A B. Only 16-bit operands may be MN-major; their names write the majors in <>.
BOTH_MAJORS = ("F16F16F16", "F32F16F16", "F32BF16BF16")
_FP8 = ("E4M3E4M3", "E4M3E5M2", "E5M2E4M3", "E5M2E5M2")
_INT8 = tuple(f"S32{pair}" for pair in ("S8S8", "S8U8", "U8S8", "U8U8"))
K_MAJOR = ("F32TF32TF32", *(f"{acc}{pair}" for acc in ("F16", "F32") for pair in _FP8), *_INT8)
# A in registers, by the bits of its type: (T128, V) -> (M64, K).
A_IN_REGISTERS = {
    32: Layout(((4, 8, 4), (2, 2)), ((64, 1, 16), (8, 256))),
    16: Layout(((4, 8, 4), (2, 2, 2)), ((128, 1, 16), (64, 8, 512))),
    8: Layout(((4, 8, 4), (4, 2, 2)), ((256, 1, 16), (64, 8, 1024))),
}


def in_shared_memory(rows: int, k: int) -> Layout:
    """(T128,V) -> (rows,K) of an operand in shared memory: every thread sees the whole tile.

    >>> in_shared_memory(64, 16)
    (128,(64,16)):(0,(1,64))
    """
    return Layout((128, (rows, k)), (0, (1, rows)))


def accumulator(n: int) -> Layout:
    """(T128,V) -> (M64,N): each warp has 16 rows; N/8 blocks of 8 columns, one after the other.

    >>> accumulator(128)
    ((4,8,4),(2,2,16)):((128,1,16),(64,8,512))
    """
    return Layout(((4, 8, 4), (2, 2, n // 8)), ((128, 1, 16), (64, 8, 512)))


def sizes_n(codes: str) -> tuple:
    """The N that the instruction offers for types D A B."""
    return N_INT8 if codes in _INT8 else N_ALL


def gmma_names():
    """Every dense GMMA, by its name."""
    for codes in (*BOTH_MAJORS, *K_MAJOR):
        k = 256 // split_codes(codes)[1].bits
        for n in sizes_n(codes):
            for sources in ("SS", "RS"):
                for end in _endings(codes, sources):
                    yield f"SM90_64x{n}x{k}_{codes}_{sources}{end}"


def _endings(codes, sources):
    if codes in BOTH_MAJORS:
        return ("<K,K>", "<K,MN>") if sources == "RS" else ("<K,K>", "<K,MN>", "<MN,K>", "<MN,MN>")
    return ("_TN", "_TN_SATURATE") if codes in _INT8 else ("_TN",)


def is_gmma(name: str) -> bool:
    """Whether a (canonical) name speaks of a warpgroup's MMA."""
    return bool(re.match(r"SM90_64x\d+x\d+_", name)) or "GMMA" in name


def gmma_layouts(name: str) -> tuple[AtomName, Layout, Layout, Layout]:
    """The parts and the A, B and C maps of the GMMA of this (canonical) name.

    Raises LayoutError for a sparse one, an N, K, major or pair of types that the instruction does not have.
    """
    if "SPARSE" in name.upper():
        raise LayoutError(
            f"{name} is a sparse GMMA: A is stored as its non-zeros and their places, so its map is no layout of A. "
            f"Sparse GMMA is left out here; the dense ones are named like SM90_64x128x16_F32F16F16_SS<K,K>"
        )
    parts = decode(name)
    codes = name.split("_")[2]
    if parts.sources == "RR":
        m, n, k = parts.shape_mnk
        modern = "".join(t.code for t in (parts.type_d, parts.type_a, parts.type_b))
        raise LayoutError(
            f"{name} does not say where A and B are. The names of GMMAs give the types of D, A and B and end in _SS (both in "
            f"shared memory) or _RS (A in registers): write SM90_{m}x{n}x{k}_{modern}_SS{_endings(modern, 'SS')[0]}"
        )
    if codes not in BOTH_MAJORS + K_MAJOR:
        raise LayoutError(
            f"{name}: GMMA has no {codes}; the types of D, A, B are one of {', '.join(BOTH_MAJORS + K_MAJOR)}"
        )
    m, n, k = parts.shape_mnk
    wanted_k = 256 // parts.type_a.bits
    if m != 64 or k != wanted_k:
        raise LayoutError(
            f"{name}: a GMMA on {parts.type_a} has M = 64 and K = {wanted_k} (256 bits), not M = {m} and K = {k}"
        )
    if n not in sizes_n(codes):
        raise LayoutError(f"{name}: there is no N = {n}; {_sizes_said(codes)}")
    _check_majors(name, parts, codes)
    a = A_IN_REGISTERS[parts.type_a.bits] if parts.sources == "RS" else in_shared_memory(64, k)
    return parts, a, in_shared_memory(n, k), accumulator(n)


def _sizes_said(codes):
    if codes in _INT8:
        return f"for 8-bit integers N is one of {', '.join(map(str, N_INT8))}"
    return "N is a multiple of 8 from 8 to 256"


def _check_majors(name, parts, codes):
    if len(parts.majors) != 2 or any(major not in ("K", "MN") for major in parts.majors):
        raise LayoutError(f"{name}: the majors of A and B are K or MN, as in <K,MN>")
    if codes in K_MAJOR and (parts.majors != ("K", "K") or "<" in name):
        raise LayoutError(
            f"{name}: only 16-bit operands may be MN-major; {parts.type_a} is K-major and its name ends in _TN, without <>"
        )
    if parts.saturate and codes not in _INT8:
        raise LayoutError(f"{name}: only 8-bit integers saturate; {parts.type_d} has no _SATURATE")
    if parts.sources == "RS" and parts.majors[0] != "K":
        raise LayoutError(
            f"{name}: A in registers (RS) must be K-major: write RS<K,{parts.majors[1]}>, or SS for MN-major"
        )


# ------------------------------------------------------------------------------------------------ shared memory


SWIZZLE_BITS = {"INTER": 0, "SW32": 1, "SW64": 2, "SW128": 3}


def gmma_smem_atom(name: str, element) -> ComposedLayout | Layout:
    """The smallest block of shared memory that a GMMA reads, in elements: swizzled where its name says so.

    `name`: major and width, as in CuTe's `GMMA::Layout_K_SW128_Atom`; `element`: a value type or its bits.
    Eight rows of 16, 32, 64 or 128 bytes; the swizzle XORs their 16-byte pieces with the row's number. CuTe keeps the
    swizzle in the pointer (on byte addresses); here it stands in the layout (position-independent, on elements).
    `tile_to_shape(atom, (128, 64))` makes a tile of it.

    >>> gmma_smem_atom("Layout_K_SW128_Atom", "half_t"), gmma_smem_atom("GMMA::Layout_MN_INTER_Atom", 16)
    (Sw<3,3,3> o 0 o (8,64):(64,1), (8,8):(1,8))

    Raises LayoutError for another name, and for an element that is no power of two of bits up to 128.
    Source: CuTe header `mma_traits_sm90_gmma.hpp`, "Common layouts for GMMA Shared Memory".
    """
    pattern = r"(?:GMMA::)?(?:Layout_)?(MN|K)_(INTER|SW32|SW64|SW128)(?:_Atom)?"
    found = re.fullmatch(pattern, name) if isinstance(name, str) else None
    if not found:
        raise LayoutError(
            f"{name!r} is no GMMA shared-memory layout: write Layout_K_SW128_Atom, with K or MN and INTER, SW32, SW64 or SW128"
        )
    bits = element if isinstance(element, int) else value_type(element).bits
    if bits not in (4, 8, 16, 32, 64, 128):
        raise LayoutError(
            f"{name}: elements of {bits} bits do not fill a piece of 16 bytes evenly: use 4, 8, 16, 32, 64 or 128"
        )
    b = SWIZZLE_BITS[found[2]]
    width = 128 << b
    rows = Layout((width, 8), (1, width)) if found[1] == "MN" else Layout((8, width), (width, 1))
    in_bits = compose(Swizzle(b, 7, 3), 0, rows)  # runs of 2**7 bits = 16 bytes stay whole
    return upcast(in_bits, bits)
