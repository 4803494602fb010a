"""Tiled-MMA bench: an atom over threads, over values, and permuted."""

from ..atoms.library import atom, find_atoms
from ..atoms.mma import make_tiled_mma
from ..draw import draw_mma
from ..htuple import LayoutError, text
from ..layout import Layout, size
from ..parse import parse_tuple
from .explorer import Explorer
from .fields import MOST, ChoiceField, SliderField, TextField, at_most, read_layout, read_tiler

_DRAWN = 2600  # cells that are drawn before the picture is a summary: (32,32,16) is drawn whole


def known() -> tuple[str, ...]:
    return tuple(a.name for a in find_atoms(gmma=False))


def _read_atoms(source):
    """How many atoms along M, N and K: a shape, or a layout that says how they are numbered."""
    return read_layout(source) if ":" in source or "Layout" in source else Layout(parse_tuple(source))


def _tiled(atom, atoms, permutation):
    threads = atom.num_threads * size(atoms)
    if threads > 1024:
        raise LayoutError(
            f"{size(atoms)} atoms of {atom.num_threads} threads are {threads} threads; a CTA has at most 1024"
        )
    mma = make_tiled_mma(atom, atoms, _as_tuple(permutation))
    m, n, k = mma.tile_shape
    at_most(m * n + m * k + n * k, f"the tile {text(mma.tile_shape)}", 8 * MOST)
    return mma


def _as_tuple(permutation):
    return () if permutation is None else permutation if isinstance(permutation, tuple) else (permutation,)


class TiledMMABench(Explorer):
    """A TiledMMA in corner view: which thread holds which cells of A, B and C.

    atom         the name of an MMA
    atoms        how many along M, N and K: a shape such as `(2,2)`, or a layout such as `(2,2):(2,1)`
    permutation  the tile's extents in M, N and K, such as `(32,32,16)`; an extent may be a layout, or `_`
    color        "thread", "value" or "warp"
    thread       the thread that is picked, counted through those there are

    >>> TiledMMABench("SM80_16x8x8_F32F16F16F32_TN", "(2,2)").still().panel("C").rows
    32
    """

    fields = (
        TextField(name="atom", label="atom", read=lambda s: atom(s.strip()), hint="the name of an MMA; type to search", known=known),
        TextField(name="atoms", label="atoms", read=_read_atoms, hint="over M, N, K: (2,2), or a layout such as (2,2):(2,1)"),
        TextField(
            name="permutation", label="permutation", read=read_tiler, may_be_empty=True,
            hint="of M, N, K: (32,32,16), or <(4,4,2):(1,8,4),_,_>",
        ),
        ChoiceField(name="color", label="colour by", options=("thread", "value", "warp")),
        SliderField(name="thread", label="thread", top=lambda v: _tiled(v["atom"], v["atoms"], v["permutation"]).num_threads - 1),
    )  # fmt: skip

    def __init__(
        self, atom="SM70_8x8x4_F32F16F16F32_NT", atoms="(2,2):(2,1)", permutation="", *, color="thread", thread=0
    ):
        super().__init__(
            atom=getattr(atom, "name", atom), atoms=atoms, permutation=permutation, color=color, thread=thread
        )

    @staticmethod
    def scene(atom, atoms, permutation, color, thread):
        mma = _tiled(atom, atoms, permutation)
        return draw_mma(mma, thread=_number(mma, thread), color=color, limit=_DRAWN)

    @staticmethod
    def facts(atom, atoms, permutation, color, thread):
        mma = _tiled(atom, atoms, permutation)
        held = ", ".join(f"{n} of {name}" for name, n in zip("ABC", _values(mma), strict=True))
        return f"tile {text(mma.tile_shape)} · {mma.num_threads} threads · ThrLayoutVMNK {mma.thr_layout_vmnk} · values a thread: {held}"


def _number(mma, k: int) -> int:
    """The k-th of the thread numbers that the TiledMMA has (Volta's quadpairs leave some out)."""
    return sorted(set(mma.thr_layout_vmnk.offsets().tolist()))[k]


def _values(mma):
    return (size(layout, 1) for layout in (mma.layoutA_TV, mma.layoutB_TV, mma.layoutC_TV))
