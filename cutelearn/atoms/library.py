"""Every atom by its name: `atom`, `copy_atom`, and the search `find_atoms`, `find_copy_atoms`."""

import re
from functools import lru_cache

from ..htuple import LayoutError
from ..layout import Layout
from . import ada, ampere, hopper, pascal, turing, universal, volta
from .copy import CopyAtom
from .gmma import WARPGROUP, gmma_layouts, gmma_names, is_gmma
from .mma import MMAAtom, Wiring
from .names import canonical, decode, nearest
from .valtypes import split_codes, value_type

_FAMILIES = {
    name: family for data in (volta, turing, ampere, ada, hopper) for family in data.MMAS for name in family.names()
}
_RECORDS = {record.name: record for data in (turing, hopper) for record in data.COPIES}


def atom(name: str) -> MMAAtom:
    """The MMA of this name: CUTLASS's own, in any of its spellings.

    `UniversalFMA<float>` is one thread's multiply-add on that type (`UniversalFMA<D,A,B,C>` on four).

    >>> atom("SM80_8x8x4_F64F64F64F64_TN").c_layout
    ((4,8),2):((16,1),8)
    >>> atom("SM90::GMMA::MMA_64x128x16_F16F16F16_SS<GMMA::Major::K, GMMA::Major::K>").shape_mnk
    (64, 128, 16)

    Raises LayoutError for a name that is none, with the nearest names.
    Source: CuTe documentation, 0t_mma_atom; headers `mma_traits_*.hpp`.
    """
    return _atom(canonical(name), name)


@lru_cache(maxsize=2048)
def _atom(name, given) -> MMAAtom:
    if name.startswith("UniversalFMA"):
        return _universal_fma(name, given)
    if name in pascal.DOT_PRODUCTS:
        return _dot_product(name)
    if name in _FAMILIES:
        return _of_family(name, _FAMILIES[name])
    if is_gmma(name):
        return _gmma(name)
    if _is_copy(name):
        raise LayoutError(f"{given} is a copy, not an MMA: write copy_atom({given!r}, type)")
    raise LayoutError(f"there is no MMA atom {given!r}: {nearest(name, _names())}")


@lru_cache(maxsize=1)
def _names() -> tuple:
    """The names of all MMAs, but for UniversalFMA's."""
    return (*pascal.DOT_PRODUCTS, *_FAMILIES, *gmma_names())


def _wired(*, a_layout, b_layout, c_layout, **parts) -> MMAAtom:
    wiring = Wiring(a_layout, b_layout, c_layout)
    return MMAAtom(a_layout=a_layout, b_layout=b_layout, c_layout=c_layout, wiring=wiring, **parts)


def _from_name(name, parts, thr_id, a, b, c, note="") -> MMAAtom:
    return _wired(
        name=name,
        arch=parts.arch,
        shape_mnk=parts.shape_mnk,
        thr_id=thr_id,
        a_layout=a,
        b_layout=b,
        c_layout=c,
        type_d=parts.type_d,
        type_a=parts.type_a,
        type_b=parts.type_b,
        type_c=parts.type_c,
        majors=parts.majors,
        sources=parts.sources,
        saturate=parts.saturate,
        bit_op=parts.bit_op,
        note=note,
    )


def _of_family(name, family) -> MMAAtom:
    return _from_name(name, decode(name), family.thr_id, family.a_layout, family.b_layout, family.c_layout, family.note)


def _gmma(name) -> MMAAtom:
    if name.endswith(("_SS", "_RS")):  # 16-bit operands: K-major where nothing is said
        name += "<K,K>"
    parts, a, b, c = gmma_layouts(name)
    return _from_name(name, parts, WARPGROUP, a, b, c)


def _one_thread(name, arch, shape, types, a, b) -> MMAAtom:
    d, type_a, type_b, type_c = types
    return _wired(
        name=name,
        arch=arch,
        shape_mnk=shape,
        thr_id=pascal.ONE_THREAD,
        a_layout=a,
        b_layout=b,
        c_layout=pascal.SCALAR,
        type_d=d,
        type_a=type_a,
        type_b=type_b,
        type_c=type_c,
    )


def _dot_product(name) -> MMAAtom:
    shape, codes, layout = pascal.DOT_PRODUCTS[name]
    return _one_thread(name, "SM61", shape, split_codes(codes), layout, layout)


def _universal_fma(name, given) -> MMAAtom:
    types = _parameters(name)
    if len(types) not in (1, 4):
        raise LayoutError(
            f"{given}: write UniversalFMA<float>, or the types of D, A, B and C: UniversalFMA<float,half_t,half_t,float>"
        )
    types = tuple(map(value_type, types)) * (4 if len(types) == 1 else 1)
    return _one_thread(name, "universal", (1, 1, 1), types, pascal.SCALAR, pascal.SCALAR)


def _parameters(name) -> list:
    """What stands in the <> of a name, split at its outer commas."""
    inside = re.fullmatch(r"\w+<(.*)>", name)
    return re.split(r",(?![^<]*>)", inside[1]) if inside and inside[1] else []


def find_atoms(arch=None, shape=None, type=None, accumulator=None, gmma: bool = True) -> list[MMAAtom]:
    """The MMAs that fit: by architecture (`"SM80"`), shape (`(16, 8, None)`, None for any), type of A or B, type of C.

    >>> [a.name for a in find_atoms("SM80", (16, 8, None), "bf16")]
    ['SM80_16x8x8_F32BF16BF16F32_TN', 'SM80_16x8x16_F32BF16BF16F32_TN']
    >>> len(find_atoms("SM89", accumulator="float"))
    4

    `gmma=False` leaves out the warpgroup family, more than a thousand.
    Raises LayoutError for a type or a shape that is none.
    """
    wanted_shape = _wanted_shape(shape)
    operand = value_type(type) if type is not None else None
    acc = value_type(accumulator) if accumulator is not None else None
    arch = _wanted_arch(arch)
    found = (_atom(n, n) for n in _names() if (arch is None or n.startswith(arch + "_")) and (gmma or not is_gmma(n)))
    return [
        a
        for a in found
        if all(w is None or w == s for w, s in zip(wanted_shape, a.shape_mnk, strict=True))
        and (operand is None or operand in (a.type_a, a.type_b))
        and (acc is None or acc == a.type_c)
    ]


def _wanted_shape(shape):
    if shape is None:
        return (None,) * 3
    if isinstance(shape, str):
        shape = tuple(int(s) if s.isdecimal() and len(s) < 10 else None for s in shape.split("x"))
    if not isinstance(shape, (tuple, list)) or len(shape) != 3:
        raise LayoutError(f"find_atoms: the shape is (M, N, K) with None for any, as in (16, 8, None), not {shape!r}")
    return tuple(shape)


def _wanted_arch(arch):
    if arch is None:
        return None
    arch = f"SM{arch}" if isinstance(arch, int) else str(arch).upper().replace("SM_", "SM")
    known = sorted({n.split("_")[0] for n in _names()})
    if arch not in known:
        raise LayoutError(f"find_atoms: no MMA here is of {arch}; the architectures are {', '.join(known)}")
    return arch


# ------------------------------------------------------------------------------------------------ copies


def copy_atom(name: str, type=None) -> CopyAtom:
    """The copy of this name, on bits, or on values of `type`.

    Names with a parameter say how much one thread moves: `UniversalCopy<uint128_t>`, `SM80_CP_ASYNC_CACHEALWAYS<float>`;
    for TMA and bulk copies it is the number of bits of the tile, `SM90_TMA_LOAD<16384>`.

    >>> print(copy_atom("SM75_U32x4_LDSM_N", "half_t"))
    Copy_Atom
      ThrID:        32:1
      ValLayoutSrc: (32,8):(8,1)
      ValLayoutDst: (32,(2,4)):(2,(1,64))
      ValLayoutRef: (32,(2,4)):(2,(1,64))
      ValueType:    16b
    <BLANKLINE>

    Raises LayoutError for a name that is none (with the nearest names), for a width that the instruction does not take,
    and for a type that it cannot move.
    Source: CuTe headers `copy_traits*.hpp`.
    """
    made = _copy_atom(canonical(name), name)
    return made if type is None else made.with_type(type)


@lru_cache(maxsize=512)
def _copy_atom(name, given) -> CopyAtom:
    if name in _RECORDS:
        r = _RECORDS[name]
        return CopyAtom(
            r.name,
            r.arch,
            r.thr_id,
            r.src_layout,
            r.dst_layout,
            r.ref_layout,
            None,
            r.moved or (r.src_layout, r.dst_layout),
        )
    base = name.split("<")[0]
    if base in universal.AUTOMATIC_COPIES:
        return _one_thread_copy(name, universal.AUTOMATIC_COPIES[base], 1, 1)
    if base in universal.SIZED_COPIES:
        return _sized_copy(name, base, given)
    if base in universal.BULK_COPIES:
        bits = _parameters(name)
        if len(bits) != 1 or not bits[0].isdigit() or int(bits[0]) % 128 or int(bits[0]) == 0:
            raise LayoutError(
                f"{given}: say how many bits it moves, a multiple of 128, as in {base}<16384> for a tile of 32x32 half_t"
            )
        return _one_thread_copy(name, "SM90", int(bits[0]), int(bits[0]))
    if name in _FAMILIES or name in pascal.DOT_PRODUCTS or is_gmma(name) or base == "UniversalFMA":
        raise LayoutError(f"{given} is an MMA, not a copy: write atom({given!r})")
    raise LayoutError(f"there is no copy atom {given!r}: {nearest(name, _copy_names())}")


def _is_copy(name):
    base = name.split("<")[0]
    return name in _RECORDS or any(
        base in x for x in (universal.AUTOMATIC_COPIES, universal.SIZED_COPIES, universal.BULK_COPIES)
    )


def _sized_copy(name, base, given) -> CopyAtom:
    arch, allowed = universal.SIZED_COPIES[base]
    types = [value_type(t) for t in _parameters(name)]
    if len(types) not in (1, 2):
        raise LayoutError(f"{given}: say what one thread moves at once, as in {base}<uint128_t>")
    for t in types:
        if allowed and t.bits not in allowed:
            *most, last = (f"{n // 8}" for n in allowed)
            said = f"{', '.join(most)} or {last}" if most else last
            raise LayoutError(f"{given}: cp.async of this kind moves {said} bytes a thread, and {t} has {t.bits / 8:g}")
    return _one_thread_copy(name, arch, types[0].bits, types[-1].bits)


def _one_thread_copy(name, arch, src_bits, dst_bits) -> CopyAtom:
    src, dst = (universal.bits_of_one_thread(n) if n > 1 else Layout((1, 1)) for n in (src_bits, dst_bits))
    return CopyAtom(name, arch, universal.ONE_THREAD, src, dst, src, None, (src, dst))


def _copy_names() -> tuple:
    sized = tuple(f"{base}<uint128_t>" for base in universal.SIZED_COPIES)
    return (*_RECORDS, *sized, *universal.AUTOMATIC_COPIES, *(f"{base}<16384>" for base in universal.BULK_COPIES))


def find_copy_atoms(arch=None) -> list[CopyAtom]:
    """The copies, each once; those with a parameter with an example of it.

    >>> [c.name for c in find_copy_atoms("SM90")][:2]
    ['SM90_U32x1_STSM_N', 'SM90_U32x2_STSM_N']
    """
    made = [_copy_atom(n, n) for n in _copy_names()]
    known = sorted({c.arch for c in made})
    if arch is not None and not (isinstance(arch, str) and arch in known):
        raise LayoutError(f"find_copy_atoms: no copy here is of {arch!r}; the architectures are {', '.join(known)}")
    return [c for c in made if arch is None or c.arch == arch]
