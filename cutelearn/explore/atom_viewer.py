"""Atom viewer: any atom of the library; pick a lane, one of its values, or a cell of C."""

from functools import cache

from ..atoms.copy import CopyAtom
from ..atoms.library import atom, copy_atom, find_atoms, find_copy_atoms
from ..draw import draw_ldmatrix, draw_mma
from ..htuple import LayoutError, text
from ..layout import size
from .explorer import Explorer
from .fields import ChoiceField, SliderField, TextField

LANE, VALUE, CELL = "a lane", "a lane and a value", "a cell of C"


@cache
def known() -> tuple[str, ...]:
    """The names to choose from: all MMAs but the warpgroups' (a thousand more, to be typed), and the matrix copies."""
    return tuple([a.name for a in find_atoms(gmma=False)] + [c.name for c in find_copy_atoms() if _is_matrix_copy(c)])


def _is_matrix_copy(c) -> bool:
    return c.num_threads == 32


def read_atom(source: str):
    """An MMA or a copy of matrices (ldmatrix, stmatrix) by its name."""
    name = source.strip()
    try:
        return atom(name)
    except LayoutError as error:
        if "copy_atom" not in str(error):
            raise
    found = copy_atom(name)
    if not _is_matrix_copy(found):
        raise LayoutError(
            f"{name} is a copy of {found.num_threads} thread: there is no matrix to see; look at a TiledCopy of it"
        )
    return found


def _values(a) -> int:
    return max(size(layout, 1) for layout in (a.a_layout, a.b_layout, a.c_layout))


def _is_mma(values) -> bool:
    return not isinstance(values["atom"], CopyAtom)


def _picks(*kinds):
    """When a slider is of use: for an MMA and one of these picks. Of a copy only a lane is picked."""
    return lambda entries: (LANE if _names_copy(entries) else entries["pick"]) in kinds


def _names_copy(entries) -> bool:
    return any(word in entries["atom"] for word in ("LDSM", "STSM"))


class AtomViewer(Explorer):
    """An instruction's threads and values: an MMA in corner view, ldmatrix and stmatrix by their matrices.

    atom    its name in CUTLASS
    pick    "a lane", "a lane and a value" or "a cell of C"
    color   "thread" or "value"
    lane, value, m, n  what is picked

    >>> AtomViewer("SM80_16x8x16_F32F16F16F32_TN", lane=5).still().panel("C").picked()
    [(1, 2), (1, 3), (9, 2), (9, 3)]
    """

    fields = (
        TextField(
            name="atom",
            label="atom",
            read=read_atom,
            hint="the name of an MMA, of ldmatrix or of stmatrix; type to search",
            known=known,
        ),
        ChoiceField(name="pick", label="pick", options=(LANE, VALUE, CELL), when=lambda e: not _names_copy(e)),
        ChoiceField(name="color", label="colour by", options=("thread", "value"), when=lambda e: not _names_copy(e)),
        SliderField(name="lane", label="lane", when=_picks(LANE, VALUE), top=lambda v: v["atom"].num_threads - 1),
        SliderField(
            name="value",
            label="value",
            when=_picks(VALUE),
            top=lambda v: _values(v["atom"]) - 1 if _is_mma(v) else 0,
        ),
        SliderField(
            name="m",
            label="m",
            when=_picks(CELL),
            top=lambda v: v["atom"].shape_mnk[0] - 1 if _is_mma(v) else 0,
        ),
        SliderField(
            name="n",
            label="n",
            when=_picks(CELL),
            top=lambda v: v["atom"].shape_mnk[1] - 1 if _is_mma(v) else 0,
        ),
    )

    def __init__(self, atom="SM80_16x8x16_F32F16F16F32_TN", *, pick=LANE, color="thread", lane=0, value=0, m=0, n=0):
        name = getattr(atom, "name", atom)
        super().__init__(atom=name, pick=pick, color=color, lane=lane, value=value, m=m, n=n)

    @staticmethod
    def scene(atom, pick, color, lane, value, m, n):
        if isinstance(atom, CopyAtom):
            return draw_ldmatrix(atom, thread=lane)
        if pick == CELL:
            return draw_mma(atom, cell=(m, n), color=color)
        return draw_mma(atom, thread=atom.thr_id(lane), value=value if pick == VALUE else None, color=color)

    @staticmethod
    def facts(atom, **_picked):
        if isinstance(atom, CopyAtom):
            return f"{atom.arch} · {atom.num_threads} threads · source {atom.src_layout} · destination {atom.dst_layout} (bits)"
        types = f"D {atom.type_d}, A {atom.type_a}, B {atom.type_b}, C {atom.type_c}"
        return f"{atom.arch} · {text(atom.shape_mnk)} · {atom.num_threads} threads, ThrID {atom.thr_id} · {types}"
