"""Copy atoms and what tiles them: CopyAtom is one copy instruction on a value type, TiledCopy many of them, ThrCopy one
thread's part. The data are in the files of the architectures.
"""

from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from ..algebra import coalesce, composition, right_inverse
from ..algorithms import copy, copy_if
from ..htuple import IntTuple, LayoutError, RuntimeInt, _, product_each, shown, text, wrap
from ..layout import Layout, make_layout, mode, rank, size
from ..tensor import COORDINATES, Tensor
from ..tiling import logical_product, raked_product, zipped_divide
from ..views import recast, upcast, with_shape
from .access import check_groups, check_types, check_words, elements
from .arithmetic import cells
from .atwork import move
from .checks import check_numbering, check_whole_atoms
from .mma import TiledMMA
from .shown import Shown, need, with_underscores
from .threads import keep, on_layout, tileable
from .valtypes import ValueType, as_array, value_type


@dataclass(frozen=True, repr=False)
class CopyAtom(Shown):
    """One copy instruction: which bits every thread gives (`src_layout`) and gets (`dst_layout`): CuTe's `Copy_Atom`.

    The layouts map (thread, bit of the thread) to a bit of all that is moved; `ref_layout` is the one that a TiledCopy
    counts by. With a value type, `val_layout_src`, `_dst`, `_ref` count values in place of bits. Get one with
    `copy_atom(name, type)`; its print is CuTe's.

    >>> from cutelearn import copy_atom
    >>> ldsm = copy_atom("SM75_U32x4_LDSM_N", "half_t")
    >>> ldsm.src_layout, ldsm.val_layout_src, ldsm.val_layout_dst
    ((32,128):(128,1), (32,8):(8,1), (32,(2,4)):(2,(1,64)))

    Source: CuTe headers `copy_atom.hpp`, `copy_traits.hpp`.
    """

    def __new__(cls, *fields, **named):
        if len(fields) == 1 and isinstance(fields[0], str) and not named:
            raise LayoutError(f"an atom is looked up by its name: copy_atom({fields[0]!r})")
        return super().__new__(cls)

    name: str
    arch: str
    thr_id: Layout
    src_layout: Layout
    dst_layout: Layout
    ref_layout: Layout
    value_type: ValueType | None = None
    wiring: tuple | None = field(default=None, compare=False)  # the (src, dst) maps that the hardware has

    def __post_init__(self):
        maps = dict.fromkeys(("thr_id", "src_layout", "dst_layout", "ref_layout"), Layout)
        need(self, "copy_atom(name, type) makes one", name=str, arch=str, **maps)
        if self.value_type is not None:
            need(self, "value_type(name) makes one", value_type=ValueType)

    @property
    def num_threads(self) -> int:
        return size(self.thr_id)

    def with_type(self, element) -> "CopyAtom":
        """The same instruction on values of this type: CuTe's `Copy_Atom<Op, T>`.

        Raises LayoutError where a thread's part is no whole number of such values.
        """
        made = replace(self, value_type=value_type(element))
        for what in ("src", "dst", "ref"):
            made._in_values(what, getattr(self, f"{what}_layout"))
        return made

    def _in_values(self, what, bits_layout) -> Layout:
        if self.value_type is None:
            raise LayoutError(
                f"{self.name} has no value type yet: write copy_atom({self.name!r}, 'half_t') or another type"
            )
        bits = self.value_type.bits
        problem = f"{self.name} cannot move values of {bits} bits ({self.value_type})"
        if 1 < size(bits_layout, 1) < bits:
            raise LayoutError(f"{problem}: a thread moves {size(bits_layout, 1)} bits, no whole value")
        try:
            layout = recast(bits_layout, 1, bits)
        except LayoutError as why:
            raise LayoutError(f"{problem}: {why}") from None
        if size(layout, 0) != self.num_threads:
            unit = max(
                d for d in (1, 2, 4, 8, 16, 32, 64, 128) if size(recast(bits_layout, 1, d), 0) == self.num_threads
            )
            raise LayoutError(
                f"{problem}: it splits them between threads. It moves pieces of {unit} bits; take a type of {unit} bits or less"
            )
        return layout

    @cached_property
    def val_layout_src(self) -> Layout:
        return self._in_values("src", self.src_layout)

    @cached_property
    def val_layout_dst(self) -> Layout:
        return self._in_values("dst", self.dst_layout)

    @cached_property
    def val_layout_ref(self) -> Layout:
        return self._in_values("ref", self.ref_layout)

    def neighbours(self, side: str) -> int:
        """How many values lie side by side in the memory of `side` ("src" or "dst"): the width of one access."""
        if self.num_threads > 1 and side != self.memory_side:
            return 1
        n = size(self.val_layout_src if side == "src" else self.val_layout_dst, 1)
        return n if n * self.value_type.bits <= 128 else 1  # a bulk copy goes by a descriptor

    @property
    def memory_side(self) -> str:
        """For a copy by many threads: which side is memory; the other is registers."""
        return "dst" if "_STSM_" in self.name else "src" if "_LDSM_" in self.name else "none"

    def text(self, static: bool = False) -> str:
        """CuTe's print of the atom (with a value type); `static` puts the underscores in."""
        if self.value_type is None:
            printed = (
                f"Copy_Atom\n  ThrID:        {self.thr_id}\n  BitLayoutSrc: {self.src_layout}\n"
                f"  BitLayoutDst: {self.dst_layout}\n  BitLayoutRef: {self.ref_layout}\n"
            )
        else:
            printed = (
                f"Copy_Atom\n  ThrID:        {self.thr_id}\n  ValLayoutSrc: {self.val_layout_src}\n"
                f"  ValLayoutDst: {self.val_layout_dst}\n  ValLayoutRef: {self.val_layout_ref}\n"
                f"  ValueType:    {self.value_type.bits}b\n"
            )
        return with_underscores(printed) if static else printed

    def __repr__(self):
        element = f", {self.value_type.name!r}" if self.value_type else ""
        return f"copy_atom({self.name!r}{element})"

    def execute(self, src, dst=None, pred=None):
        """The instruction at work: `execute(src)` gives what all threads get, array (threads, values), from what all give.
        With tensors, `execute(src, dst)` copies the elements of one thread, where the atom is one thread's; `pred` then says for
        each access, that is for each coordinate of the modes after the first, whether it happens, as in CuTe.

        It goes by the wiring of the hardware; further dimensions in front are many instructions at once.

        >>> from cutelearn import copy_atom
        >>> copy_atom("UniversalCopy<uint64_t>", "float").execute(np.float32([[1, 2]]))
        array([[1., 2.]], dtype=float32)

        Raises LayoutError for an array of another shape, and where threads that give the same bits disagree; for tensors of
        another type, in groups that are not the atom's, or whose values of one access are no word of memory.
        """
        if dst is not None:
            return self._copy_one_thread(src, dst, pred)
        src = as_array(src, f"what {self.name} is given")
        wired = self.wiring or (self.src_layout, self.dst_layout)
        given, got = (cells(self._in_values(what, x)) for what, x in zip(("src", "dst"), wired, strict=True))
        if src.shape[-2:] != given.shape:
            raise LayoutError(
                f"{self.name}: the values given have the shape {src.shape}; give (threads, values) = {given.shape}"
            )
        moved = np.empty((*src.shape[:-2], given.max() + 1), src.dtype)
        moved[..., given.T] = src.swapaxes(-1, -2)
        same = (moved[..., given] == src) | ((moved[..., given] != moved[..., given]) & (src != src))
        if not same.all():
            *_batch, thread, value = (int(i) for i in np.argwhere(~same)[0])
            raise LayoutError(
                f"{self.name}: thread {thread}, value {value} gives what another thread gives too, with another number"
            )
        return moved[..., got]

    def _copy_one_thread(self, src, dst, pred):
        for name, x in (("src", src), ("dst", dst)):
            if not isinstance(x, Tensor):
                raise LayoutError(f"copy by {self.name}: {name} is {x!r}; give a Tensor, as make_tensor makes one")
        if self.num_threads > 1:
            raise LayoutError(
                f"copy by {self.name}: {self.num_threads} threads work together on one instruction, so one thread's parts "
                f"({text(src.shape)} to {text(dst.shape)}) are not enough. Give whole tensors to a TiledCopy of it"
            )
        what = f"copy by {self.name}"
        self.val_layout_src  # says which type to give, where there is none  # noqa: B018
        check_types(what, self, src=(src, *elements(src)), dst=(dst, *elements(dst)))
        check_groups(what, self, src=src, dst=dst)
        if size(src) != size(dst) or size(src, 0) != size(dst, 0):
            raise LayoutError(
                f"{what}: src is {text(src.shape)} and dst {text(dst.shape)}: both must have as many values in mode 0, and as many "
                f"accesses in the modes after it"
            )
        sides = (("src", src), ("dst", dst))
        lies = {
            side: (x, x.offsets().reshape(-1, self.neighbours(side)))
            for side, x in sides
            if x.engine is not COORDINATES
        }
        check_words("copy", self, lambda _access: "", **lies)
        if pred is None:
            copy(src, dst)
            return
        values, asked = size(src, 0), pred
        if isinstance(pred, Tensor):
            if size(pred) * values != size(src):
                raise LayoutError(
                    f"copy_if by {self.name}: {pred} has {size(pred)} elements, and src {src} is {size(src) // values} accesses of "
                    f"{values} values: give one predicate an access, for the modes {text(src.shape[1:])}"
                )
            asked = pred.__getitem__
        copy_if(lambda i: asked(i // values), src, dst)


# ------------------------------------------------------------------------------------------------ TiledCopy


@dataclass(frozen=True, repr=False)
class TiledCopy(Shown):
    """A copy atom repeated over threads and values, covering a tile: CuTe's `TiledCopy`.

    `tiled_layout_TV` maps (thread, value) to the cell of the tile `tiler_mn`, counted down the columns, in the order of the
    atom's ref_layout; `layoutS_TV` and `layoutD_TV` do so for what is read and what is written. Make one with
    `make_tiled_copy` or `make_tiled_copy_A`, `_B`, `_C`.

    >>> from cutelearn import Layout, copy_atom, make_tiled_copy
    >>> tc = make_tiled_copy(copy_atom("UniversalCopy<uint128_t>", "float"), Layout((32, 8)), Layout((4, 1)))
    >>> tc.tiler_mn, tc.tiled_layout_TV, tc.layoutS_TV
    ((128, 8), (256,4):(4,1), (256,(4,1)):(4,(1,0)))

    Source: CuTe header `copy_atom.hpp`.
    """

    atom: CopyAtom
    tiled_layout_TV: Layout
    tiler_mn: tuple

    def __post_init__(self):
        need(self, "make_tiled_copy makes one", atom=CopyAtom, tiled_layout_TV=Layout, tiler_mn=tuple)
        if rank(self.tiled_layout_TV) != 2:
            raise LayoutError(
                f"TiledCopy: {self.tiled_layout_TV} has rank {rank(self.tiled_layout_TV)}: (thread, value) -> cell has two modes"
            )

    @property
    def num_threads(self) -> int:
        return size(self.tiled_layout_TV, 0)

    @property
    def tile_shape(self) -> tuple:
        """How much of M and N is moved at once."""
        return tuple(size(t) for t in self.tiler_mn)

    def tile_size(self, i: int) -> int:
        """One extent of `tile_shape`."""
        if not isinstance(i, (int, np.integer)) or i not in range(len(self.tiler_mn)):
            raise LayoutError(f"mode {shown(i)} of a TiledCopy's tile {text(self.tiler_mn)}: its modes count from 0")
        return self.tile_shape[i]

    # --- maps

    def tidfrg_S(self, x):
        """(M,N,...) -> (Thr,(FrgV,FrgX),(RestM,RestN,...)) of what threads read."""
        return self._tidfrg(x, self.atom.val_layout_src, "partition_S")

    def tidfrg_D(self, x):
        """(M,N,...) -> (Thr,(FrgV,FrgX),(RestM,RestN,...)) of what threads write."""
        return self._tidfrg(x, self.atom.val_layout_dst, "partition_D")

    def _tidfrg(self, x, target: Layout, what):
        x = tileable(x, what)
        n = len(self.tiler_mn)
        if rank(x) < n:
            raise LayoutError(
                f"{what}: Rank of tensor to be partitioned too small: {x} has {rank(x)}, the tile {text(self.tiler_mn)} has {n} modes"
            )
        return on_layout(x, lambda layout: self._of_tile(zipped_divide(layout, self.tiler_mn), target))

    def _of_tile(self, tiled: Layout, target: Layout) -> Layout:
        tv = composition(tiled[0], self._tv_of(target))
        return make_layout(tv[0], tv[1], tiled[1])

    def _tv_of(self, target: Layout) -> Layout:
        """(thread, (value of the atom, atom)) -> cell of the tile, where the atom's values are counted by `target`."""
        ref = self.atom.val_layout_ref
        ref_to_target = composition(right_inverse(ref), target)
        atoms = zipped_divide(self.tiled_layout_TV, (size(ref, 0), size(ref, 1)))  # ((tid,val),(rest tid,rest val))
        in_atom = composition(atoms[0], ref_to_target)
        zipped = make_layout(make_layout(in_atom[0], atoms[1, 0]), make_layout(in_atom[1], atoms[1, 1]))
        return coalesce(zipped, (1, (1, 1)))

    @cached_property
    def layoutS_TV(self) -> Layout:
        """(thread, value) -> m + n * tile M of what threads read."""
        return self._layout_tv(self.atom.val_layout_src)

    @cached_property
    def layoutD_TV(self) -> Layout:
        """(thread, value) -> m + n * tile M of what threads write."""
        return self._layout_tv(self.atom.val_layout_dst)

    def get_layoutS_TV(self) -> Layout:
        return self.layoutS_TV

    def get_layoutD_TV(self) -> Layout:
        return self.layoutD_TV

    def _layout_tv(self, target):
        made = self._of_tile(Layout((self._tiler_shape(), 1)), target)
        return make_layout(made[0], made[1])

    def _tiler_shape(self) -> IntTuple:
        return tuple(t.shape if isinstance(t, Layout) else t for t in self.tiler_mn)

    def get_layoutS_MN(self) -> tuple:
        """((m,n) -> thread + value * threads of what is read, thread -> thread index)."""
        return self._layout_mn(self.layoutS_TV)

    def get_layoutD_MN(self) -> tuple:
        """((m,n) -> thread + value * threads of what is written, thread -> thread index)."""
        return self._layout_mn(self.layoutD_TV)

    def _layout_mn(self, tv):
        return with_shape(right_inverse(tv), self._tiler_shape()), Layout(self.num_threads)

    # --- one thread

    def get_slice(self, thr_idx: int) -> "ThrCopy":
        """The part of one thread.

        Raises LayoutError where there is no such thread.
        """
        if isinstance(thr_idx, RuntimeInt):
            return ThrCopy(self, thr_idx)
        n = self.num_threads
        if isinstance(thr_idx, bool) or not isinstance(thr_idx, (int, np.integer)):
            raise LayoutError(f"get_slice({shown(thr_idx)}): a thread is an integer, 0 to {n - 1}")
        if not 0 <= thr_idx < n:
            raise LayoutError(f"get_slice({thr_idx}): this TiledCopy has {n} threads, 0 to {n - 1}")
        return ThrCopy(self, int(thr_idx))

    def retile(self, x):
        """A thread's registers (V,M,N,...) regrouped as this copy counts them: (CPY,CPY_M,CPY_N,...). No element moves.

        Raises LayoutError where the registers are not a whole number of this copy's tiles.
        """
        x = tileable(x, "retile")
        if rank(x) <= len(self.tiler_mn):
            raise LayoutError(
                f"retile: {x} has rank {rank(x)}; the registers of a thread have the modes (V,M,N,...): values of the atom, then "
                f"repeats in each mode of the tile {text(self.tiler_mn)}"
            )
        values = size(self.tiled_layout_TV, 1)
        if values % size(x, 0):
            raise LayoutError(
                f"retile: the registers {x} come in groups of {size(x, 0)}, and a thread's {values} values of the tile "
                f"{text(self.tiler_mn)} are no whole number of such groups"
            )

        def regroup(layout):
            v = size(layout, 0)
            by_value = with_shape(right_inverse(self.tiled_layout_TV), self._tiler_shape())
            of_fragment = upcast(by_value, self.num_threads * v)  # (m,n) -> v index
            atom_values = size(self.atom.val_layout_ref, 1)
            order = zipped_divide(logical_product(Layout(v), right_inverse(of_fragment)), Layout(atom_values))
            tiles = zipped_divide(layout, (v, *product_each(wrap(of_fragment.shape))))  # ((V,M,N),(1,RestM,RestN,...))
            made = composition(tiles[0], order)
            rest = (mode(tiles[1], i) for i in range(1, rank(tiles[1])))
            return make_layout(made, *rest)

        return on_layout(x, regroup)

    # --- at work

    def execute(self, src: Tensor, dst: Tensor, pred=None) -> None:
        """Moves a whole tensor (M,N,...) by all threads: `copy(tiled_copy, src, dst)` calls this.

        Every thread takes its parts by the S and D maps, and the atom moves values between threads as the hardware does: a
        wrong map gives a wrong dst. `pred`, a tensor of bools or a function of the 1-D coordinate, says what is moved, so
        that the extents may be ragged: `copy_if(tiled_copy, pred, src, dst)`.
        Also takes one thread's partitions (CPY,CPY_M,CPY_N,...) and slices of them, where the atom is one thread's.

        Raises LayoutError where the extents do not agree; where they are no multiples of the tile and there is no `pred`;
        where the elements are not of the atom's type, or not of one type; and where the values of one access are no aligned
        neighbours in memory.
        """
        move(self, src, dst, pred)

    # --- print

    def text(self, static: bool = False) -> str:
        """CuTe's print; `static` puts the underscores in."""
        printed = f"TiledCopy\n  Tiler_MN:       {text(self.tiler_mn)}\n  TiledLayout_TV: {self.tiled_layout_TV}\n"
        return (with_underscores(printed) if static else printed) + self.atom.text(static)

    def __repr__(self):
        return f"TiledCopy({self.atom!r}, {self.tiled_layout_TV}, {text(self.tiler_mn)})"


@dataclass(frozen=True, repr=False)
class ThrCopy(Shown):
    """One thread's part of a TiledCopy: CuTe's `ThrCopy`, from `tiled_copy.get_slice(thr_idx)`.

    Partitions are views: of a Tensor (M,N,...) a Tensor ((values of the atom, atoms), repeats in M, repeats in N, ...); of a
    layout (sublayout, offset).
    """

    tiled_copy: TiledCopy
    thr_idx: int

    def __post_init__(self):
        need(self, "tiled_copy.get_slice(thread) makes one", tiled_copy=TiledCopy)

    def partition_S(self, x):
        """(M,N,...) -> (CPY,CPY_M,CPY_N,...): what this thread reads."""
        return keep(self.tiled_copy.tidfrg_S(x), (self.thr_idx, _, (_,) * rank(x)))

    def partition_D(self, x):
        """(M,N,...) -> (CPY,CPY_M,CPY_N,...): what this thread writes."""
        return keep(self.tiled_copy.tidfrg_D(x), (self.thr_idx, _, (_,) * rank(x)))

    def retile_S(self, x):
        """Registers of this thread, regrouped for being read by this copy; see TiledCopy.retile."""
        return self.tiled_copy.retile(x)

    def retile_D(self, x):
        """Registers of this thread, regrouped for being written by this copy; see TiledCopy.retile."""
        return self.tiled_copy.retile(x)

    def text(self, static: bool = False) -> str:
        """CuTe's print; `static` puts the underscores in, but for the thread's index, known at run time."""
        return f"ThrCopy\n  ThrIdx: {self.thr_idx}\n" + self.tiled_copy.text(static)

    def __repr__(self):
        return f"{self.tiled_copy!r}.get_slice({self.thr_idx})"


# ------------------------------------------------------------------------------------------------ making


def make_tiled_copy(atom: CopyAtom, thr_layout, val_layout=1) -> TiledCopy:
    """The copy of the tile thr_layout x val_layout: `thr_layout` maps (m,n) to a thread, `val_layout` (m,n) to a value.

    Each value block lies whole in the tile; blocks are laid side by side as the threads are (CuTe's raked_product).

    >>> from cutelearn import Layout, copy_atom
    >>> make_tiled_copy(copy_atom("UniversalCopy<float>", "float"), Layout((4, 8), (8, 1)), Layout((1, 2))).tiled_layout_TV
    ((8,4),2):((8,1),4)

    Raises LayoutError where the layouts do not number their cells 0, 1, ... once each, and where threads or values are too
    few for the atom.
    Source: CuTe header `copy_atom.hpp`, `make_tiled_copy`.
    """
    thr, val = (check_numbering(x, what) for x, what in ((thr_layout, "thread"), (val_layout, "value")))
    layout_mn = raked_product(thr, val)  # (m,n) -> thread + value * threads
    layout_tv = with_shape(right_inverse(layout_mn), (size(thr), size(val)))
    return _tiled_copy(atom, layout_tv, product_each(wrap(layout_mn.shape)))


def make_tiled_copy_A(atom: CopyAtom, mma: TiledMMA) -> TiledCopy:
    """The copy that gives every thread the values of A that the TiledMMA wants of it.

    >>> from cutelearn import copy_atom, make_tiled_mma
    >>> mma = make_tiled_mma("SM80_16x8x16_F16F16F16F16_TN", (2, 2), (32, 32, 16))
    >>> make_tiled_copy_A(copy_atom("SM75_U32x4_LDSM_N", "half_t"), mma).layoutS_TV
    ((16,2,2,2),(8,1)):((1,256,16,0),(32,0))

    Raises LayoutError where a thread holds too few values for the atom.
    Source: CuTe header `copy_atom.hpp`, `make_tiled_copy_A`.
    """
    return _tiled_copy(atom, *_operand(mma, "A", (0, 2)), "MK")


def _operand(mma, operand: str, modes: tuple) -> tuple:
    """(thread, value) -> cell of an operand of a TiledMMA, and the extents of its tile."""
    if not isinstance(mma, TiledMMA):
        raise LayoutError(f"make_tiled_copy_{operand}: {shown(mma)} is no TiledMMA: make one with make_tiled_mma")
    return getattr(mma, f"layout{operand}_TV"), tuple(mma.tile_size(i) for i in modes)


def make_tiled_copy_B(atom: CopyAtom, mma: TiledMMA) -> TiledCopy:
    """The copy that gives every thread the values of B that the TiledMMA wants of it. See make_tiled_copy_A."""
    return _tiled_copy(atom, *_operand(mma, "B", (1, 2)), "NK")


def make_tiled_copy_C(atom: CopyAtom, mma: TiledMMA) -> TiledCopy:
    """The copy that moves every thread's values of C. See make_tiled_copy_A."""
    return _tiled_copy(atom, *_operand(mma, "C", (0, 1)), "MN")


def make_tiled_copy_S(atom: CopyAtom, tiled_copy: TiledCopy) -> TiledCopy:
    """The copy by another atom of what `tiled_copy` reads. Source: CuTe header `copy_atom.hpp`."""
    return _tiled_copy(atom, *_side(tiled_copy, "S"))


def make_tiled_copy_D(atom: CopyAtom, tiled_copy: TiledCopy) -> TiledCopy:
    """The copy by another atom of what `tiled_copy` writes. Source: CuTe header `copy_atom.hpp`."""
    return _tiled_copy(atom, *_side(tiled_copy, "D"))


def _side(tiled_copy, side: str) -> tuple:
    """(thread, value) -> cell of one side of a TiledCopy, and its tile."""
    if not isinstance(tiled_copy, TiledCopy):
        raise LayoutError(f"make_tiled_copy_{side}: {shown(tiled_copy)} is no TiledCopy: make one with make_tiled_copy")
    return getattr(tiled_copy, f"layout{side}_TV"), tiled_copy.tiler_mn


def _tiled_copy(atom, layout_tv: Layout, tiler: tuple, modes: str = "") -> TiledCopy:
    if not isinstance(atom, CopyAtom):
        raise LayoutError(f"{shown(atom)} is no copy atom: write copy_atom('UniversalCopy<uint128_t>', 'float')")
    ref = atom.val_layout_ref
    (threads, values), have = (size(ref, 0), size(ref, 1)), (size(layout_tv, 0), size(layout_tv, 1))
    if have[0] % threads:
        raise LayoutError(
            f"TiledCopy uses too few threads: {atom.name} is done by {threads} threads together, and {have[0]} is no multiple "
            f"of that"
        )
    if have[1] % values:
        larger = (
            f" Make the tile larger in {modes[0]} or {modes[1]} (the MMA's permutations),"
            if modes
            else " Use more values,"
        )
        raise LayoutError(
            f"TiledCopy uses too few values: {atom.name} needs {values} values of {atom.value_type} a thread, and the tile "
            f"{text(tiler)} gives {have[1]}.{larger} or take an atom that moves {have[1]} or less"
        )
    check_whole_atoms(layout_tv, ref, atom.name)
    return TiledCopy(atom, layout_tv, tiler)
