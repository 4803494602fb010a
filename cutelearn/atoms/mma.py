"""MMA atoms and what tiles them: MMAAtom is one instruction, TiledMMA many of them over threads and values, ThrMMA one
thread's part. The data are in the files of the architectures; what an instruction computes is in arithmetic.py, what all
threads do together in atwork.py.
"""

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from ..algebra import complement, composition, right_inverse
from ..htuple import IntTuple, LayoutError, RuntimeInt, Underscore, _, as_ints, idx2crd, shown, text
from ..layout import Layout, append, cosize, make_layout, rank, size
from ..tensor import Tensor, make_tensor
from ..tiling import logical_divide, tiled_product, zipped_divide
from ..views import with_shape
from .arithmetic import gather_tile, multiply_add, scatter_tile
from .atwork import multiply
from .checks import check_inverse, check_permutation, check_thread_layout, check_threads
from .shown import Shown, need, with_underscores
from .threads import fragment_like, keep, layout_of, on_layout, tileable
from .valtypes import ValueType


@dataclass(frozen=True)
class Wiring:
    """The maps of A, B and C that the hardware has, whatever a program believes."""

    a_layout: Layout
    b_layout: Layout
    c_layout: Layout


@dataclass(frozen=True, repr=False)
class MMAAtom(Shown):
    """One matrix instruction: D = A B + C on a tile (M,N,K), and which thread holds which element: CuTe's `MMA_Atom`.

    `a_layout`, `b_layout`, `c_layout` map (thread, value) to the cell of the tile, counted down the columns: m + k*M for A,
    n + k*N for B, m + n*M for C and D. A cell is a coordinate, not yet an address. `thr_id` maps the atom's threads to
    lanes. Get one with `atom(name)`; its print is CuTe's.

    >>> from cutelearn import atom
    >>> a = atom("SM80_16x8x16_F32F16F16F32_TN")
    >>> a.shape_mnk, a.c_layout, a.type_a, a.arch
    ((16, 8, 16), ((4,8),(2,2)):((32,1),(16,8)), half_t, 'SM80')
    >>> divmod(a.c_layout(5, 1), 16)[::-1]  # lane 5, value 1 is C(1,3)
    (1, 3)

    Source: CuTe documentation, 0t_mma_atom.
    """

    def __new__(cls, *fields, **named):
        if len(fields) == 1 and isinstance(fields[0], str) and not named:
            raise LayoutError(f"an atom is looked up by its name: atom({fields[0]!r})")
        return super().__new__(cls)

    name: str
    arch: str
    shape_mnk: tuple
    thr_id: Layout
    a_layout: Layout
    b_layout: Layout
    c_layout: Layout
    type_d: ValueType
    type_a: ValueType
    type_b: ValueType
    type_c: ValueType
    majors: tuple | None = None  # of A and B in memory as the name has them: K or MN; None: no matter
    sources: str = "RR"  # where A and B come from: R registers, S shared memory
    saturate: bool = False
    bit_op: str | None = None
    note: str = ""
    wiring: Wiring | None = field(default=None, compare=False)

    def __post_init__(self):
        maps = dict.fromkeys(("thr_id", "a_layout", "b_layout", "c_layout"), Layout)
        types = dict.fromkeys(("type_d", "type_a", "type_b", "type_c"), ValueType)
        need(self, "atom(name) makes one", name=str, arch=str, shape_mnk=tuple, **maps, **types)

    @property
    def num_threads(self) -> int:
        return size(self.thr_id)

    def text(self, static: bool = False) -> str:
        """CuTe's print of the atom; `static` puts the underscores in."""
        printed = (
            f"MMA_Atom\n  ThrID:      {self.thr_id}\n  Shape_MNK:  {text(self.shape_mnk)}\n"
            f"  LayoutA_TV: {self.a_layout}\n  LayoutB_TV: {self.b_layout}\n  LayoutC_TV: {self.c_layout}\n"
        )
        return with_underscores(printed) if static else printed

    def __repr__(self):
        return f"atom({self.name!r})"

    def execute(self, *operands):
        """The instruction at work: `execute(a, b, c)` gives the fragments of D from those of A, B and C, arrays
        (threads, values). With four tensors D, A, B, C it works as a TiledMMA of one atom (`gemm(atom, A, B, C)`).

        It goes by the wiring of the hardware. So if `a_layout`, `b_layout` or `c_layout` is not the instruction's own (an
        atom changed with `dataclasses.replace`), fragments loaded by it give a wrong D, as they would on a GPU.
        Inputs are rounded to the atom's types; see arithmetic.py for the sum. Further dimensions in front are many
        instructions at once.

        >>> from cutelearn import atom
        >>> dp4a = atom("SM61_DP4A")
        >>> dp4a.execute([[1, 2, 3, 4]], [[1, 1, 1, -1]], [[100]])
        array([[102]], dtype=int32)

        Raises LayoutError for an array of another shape, and for numbers that the type does not hold.
        """
        if len(operands) == 4:
            return make_tiled_mma(self).execute(*operands)
        if len(operands) != 3:
            raise LayoutError(
                f"{self.name}.execute takes the fragments of A, B and C, or tensors D, A, B, C; got {len(operands)}"
            )
        a, b, c = operands
        m, n, k = self.shape_mnk
        wired = self.wiring or Wiring(self.a_layout, self.b_layout, self.c_layout)
        tile_a = gather_tile(self._fragment("A", a, self.type_a, wired.a_layout), wired.a_layout, m, k, "A")
        tile_b = gather_tile(self._fragment("B", b, self.type_b, wired.b_layout), wired.b_layout, n, k, "B")
        tile_c = gather_tile(self._fragment("C", c, self.type_c, wired.c_layout), wired.c_layout, m, n, "C")
        return scatter_tile(multiply_add(self, tile_a, tile_b, tile_c), wired.c_layout)

    def _fragment(self, name, x, value_type, layout):
        x = value_type.round_to(x, f"the fragment of {name}")
        want = (size(layout, 0), size(layout, 1))
        if x.shape[-2:] != want:
            raise LayoutError(
                f"{self.name}: the fragments of {name} have the shape {x.shape}; give {want[0]} threads of {want[1]} "
                f"value{'s' if want[1] > 1 else ''}, an array {want}"
            )
        return x


# ------------------------------------------------------------------------------------------------ TiledMMA


@dataclass(frozen=True, repr=False)
class TiledMMA(Shown):
    """An MMA atom repeated over threads (`atom_layout`) and over values (`permutations`): CuTe's `TiledMMA`.

    Make one with `make_tiled_mma`. `thr_layout_vmnk` maps (thread of the atom, atom in M, in N, in K) to the thread's
    index. `layoutA_TV`, `layoutB_TV`, `layoutC_TV` map (thread, value) to the cell of the tile (M,K), (N,K), (M,N), counted
    down the columns.

    >>> mma = make_tiled_mma("SM80_16x8x16_F32F16F16F32_TN", (2, 2), (32, 32, 16))
    >>> mma.thr_layout_vmnk, mma.tile_shape, mma.num_threads
    ((32,2,2,1):(1,32,64,0), (32, 32, 16), 128)
    >>> mma.layoutC_TV
    ((4,8,2,2),((2,2),(1,2))):((64,1,16,256),((32,8),(0,512)))

    Source: CuTe documentation, 0t_mma_atom, "TiledMMA"; header `mma_atom.hpp`.
    """

    atom: MMAAtom
    atom_layout: Layout
    permutations: tuple  # an int, a Layout or `_` for each of M, N, K

    def __post_init__(self):
        need(self, "make_tiled_mma makes one", atom=MMAAtom, atom_layout=Layout, permutations=tuple)
        if rank(self.atom_layout) != 3 or len(self.permutations) != 3:
            raise LayoutError(
                f"TiledMMA: the atom layout {self.atom_layout} has rank {rank(self.atom_layout)} and there are "
                f"{len(self.permutations)} permutations: both are three, for M, N, K; make_tiled_mma fills up what is left out"
            )

    # --- sizes

    @cached_property
    def thr_layout_vmnk(self) -> Layout:
        return tiled_product(self.atom.thr_id, self.atom_layout)

    @cached_property
    def counts(self) -> tuple:
        """How many threads an atom has, and how many atoms stand along M, N and K."""
        return tuple(map(size, self.thr_layout_vmnk))

    @property
    def num_threads(self) -> int:
        return size(self.thr_layout_vmnk)

    def permutation_mnk(self, i: int):
        """What the tile's mode i (0, 1, 2 for M, N, K) is permuted by: an int or a Layout."""
        if not isinstance(i, (int, np.integer)) or i not in (0, 1, 2):
            raise LayoutError(f"mode {shown(i)} of a TiledMMA's tile: its modes are 0, 1, 2 for M, N, K")
        given = self.permutations[i]
        if isinstance(given, Underscore):
            return self.atom.shape_mnk[i] * self.counts[i + 1]
        return given

    @cached_property
    def tile_shape(self) -> tuple:
        """How many M, N and K the threads cover together, once."""
        return tuple(size(self.permutation_mnk(i)) for i in range(3))

    def tile_size(self, i: int) -> int:
        """One extent of `tile_shape`: 0, 1, 2 for M, N, K."""
        return size(self.permutation_mnk(i))

    # --- maps

    def thrfrg_A(self, x):
        """(M,K,...) -> ((ThrV,(ThrM,ThrK)),(FrgV,(RestM,RestK,...)))."""
        return self._thrfrg(x, (0, 2), self.atom.a_layout, "partition_A")

    def thrfrg_B(self, x):
        """(N,K,...) -> ((ThrV,(ThrN,ThrK)),(FrgV,(RestN,RestK,...)))."""
        return self._thrfrg(x, (1, 2), self.atom.b_layout, "partition_B")

    def thrfrg_C(self, x):
        """(M,N,...) -> ((ThrV,(ThrM,ThrN)),(FrgV,(RestM,RestN,...)))."""
        return self._thrfrg(x, (0, 1), self.atom.c_layout, "partition_C")

    def _thrfrg(self, x, modes, atom_tv, what):
        x = tileable(x, what)
        if rank(x) < 2:
            raise LayoutError(f"{what}: {x} has rank {rank(x)}; an operand has two modes or more, such as (M,K)")
        permutation = tuple(self.permutation_mnk(i) for i in modes)
        atom_tile = tuple(Layout(self.atom.shape_mnk[i], 1) for i in modes)
        atoms = tuple(Layout(self.counts[i + 1], 1) for i in modes)

        def tiled(layout):
            # A permutation that is only an extent, and divides the mode, changes nothing.
            if any(isinstance(p, Layout) or size(layout, i) % p for i, p in enumerate(permutation)):
                layout = logical_divide(layout, permutation)  # ((PermM,RestM),(PermK,RestK),...)
            atom, others = zipped_divide(layout, atom_tile)  # ((AtomM,AtomK),(RestM,RestK,...))
            thr_v, frg_v = composition(atom, atom_tv)
            thr_mk, rest_mk = zipped_divide(others, atoms)  # ((ThrM,ThrK),(RestM,RestK,...))
            return make_layout(make_layout(thr_v, thr_mk), make_layout(frg_v, rest_mk))

        return on_layout(x, tiled)

    @cached_property
    def _thread_of(self) -> Layout:
        """thread index -> (ThrV,ThrM,ThrN,ThrK), as one number. Threads that the layout leaves out do as thread 0 of them."""
        threads = self.thr_layout_vmnk
        if cosize(threads) == size(threads):
            return right_inverse(threads)
        inverse = right_inverse(make_layout(threads, complement(threads)))
        check_inverse(threads, inverse)
        return composition(Layout((size(threads), 1), (1, 0)), inverse)

    @cached_property
    def layoutA_TV(self) -> Layout:
        """(thread, value) -> m + k * tile M. Threads that differ in N alone hold the same."""
        (v, (m, k)), frg = self.thrfrg_A(self._tile(0, 2))
        return self._by_thread_index(v, m, self._repeated(2), k, frg)

    @cached_property
    def layoutB_TV(self) -> Layout:
        """(thread, value) -> n + k * tile N. Threads that differ in M alone hold the same."""
        (v, (n, k)), frg = self.thrfrg_B(self._tile(1, 2))
        return self._by_thread_index(v, self._repeated(1), n, k, frg)

    @cached_property
    def layoutC_TV(self) -> Layout:
        """(thread, value) -> m + n * tile M. Threads that differ in K alone hold partial sums of the same.

        With atoms along both N and K, CuTe's own get_layoutC_TV has no mode for those along K and sends their threads out
        of the tile; here they get stride 0, as with atoms along K alone.
        """
        (v, (m, n)), frg = self.thrfrg_C(self._tile(0, 1))
        return self._by_thread_index(v, m, n, self._repeated(3), frg)

    def _repeated(self, i) -> Layout:
        """The atoms along a mode that the operand does not have: they all hold the same."""
        return Layout(self.counts[i], 0)

    def _by_thread_index(self, v, m, n, k, frg) -> Layout:
        return make_layout(composition(make_layout(v, m, n, k), self._thread_of), frg)

    def get_layoutA_TV(self) -> Layout:
        """CuTe's name for `layoutA_TV`."""
        return self.layoutA_TV

    def get_layoutB_TV(self) -> Layout:
        """CuTe's name for `layoutB_TV`."""
        return self.layoutB_TV

    def get_layoutC_TV(self) -> Layout:
        """CuTe's name for `layoutC_TV`."""
        return self.layoutC_TV

    def _tile(self, i, j) -> Layout:
        return Layout((self.tile_shape[i], self.tile_shape[j]))

    def _layout_tv(self, thrfrg, stride):
        """A and B have no mode for the atoms along N and M: they get one of stride 0, then the thread's index."""
        both = Layout((size(self.thr_layout_vmnk, 1), size(self.thr_layout_vmnk, 2)), stride)
        return composition(composition(thrfrg, ((_, (both, _)), _)), (self._thread_of, _))

    def get_layoutA_MK(self) -> tuple:
        """((m,k) -> thread of A + value * threads, and the layout that turns that thread into a thread index)."""
        return self._layout_mn(self.thrfrg_A(self._tile(0, 2)), (0, 2), (_, _, 0, _))

    def get_layoutB_NK(self) -> tuple:
        """((n,k) -> thread of B + value * threads, and the layout that turns that thread into a thread index)."""
        return self._layout_mn(self.thrfrg_B(self._tile(1, 2)), (1, 2), (_, 0, _, _))

    def get_layoutC_MN(self) -> tuple:
        """((m,n) -> thread of C + value * threads, and the layout that turns that thread into a thread index)."""
        return self._layout_mn(self.thrfrg_C(self._tile(0, 1)), (0, 1), (_, _, _, 0))

    def _layout_mn(self, thrfrg, modes, threads):
        cells = with_shape(right_inverse(thrfrg), tuple(self.tile_shape[i] for i in modes))
        return cells, self.thr_layout_vmnk(threads)

    # --- one thread

    def get_slice(self, thr_idx: int) -> "ThrMMA":
        """The part of one thread.

        >>> from cutelearn import Layout
        >>> mma = make_tiled_mma("UniversalFMA<float>", (16, 16, 1))
        >>> mma.get_slice(17).partition_C(Layout((128, 128)))
        ((1,8,8):(0,16,2048), 129)

        Raises LayoutError where there is no such thread.
        """
        if isinstance(thr_idx, RuntimeInt):
            return ThrMMA(self, thr_idx, idx2crd(self._thread_of(thr_idx), self.counts))
        n = cosize(self.thr_layout_vmnk)
        if n != self.num_threads:  # quadpairs leave gaps; a warp is whole
            n = -(-n // 32) * 32
        if isinstance(thr_idx, bool) or not isinstance(thr_idx, (int, np.integer)):
            raise LayoutError(f"get_slice({shown(thr_idx)}): a thread is an integer, 0 to {n - 1}")
        if not 0 <= thr_idx < n:
            raise LayoutError(f"get_slice({thr_idx}): this TiledMMA has {n} threads, 0 to {n - 1}")
        number = self._number_of.get(int(thr_idx))
        if number is None:
            number = self._thread_of(int(thr_idx))
        return ThrMMA(self, int(thr_idx), idx2crd(number, self.counts))

    @cached_property
    def _number_of(self) -> dict:
        """Where each thread index stands in thr_layout_vmnk."""
        return {thread: i for i, thread in enumerate(self.thr_layout_vmnk.offsets().tolist())}

    def make_fragment_A(self, part):
        """Registers for a partition of A: (V,M,K) in the order that makes the copy from it vectors.

        A Tensor gives an owner of the atom's type; a layout gives the layout. Where the instruction reads A from shared
        memory, the partition itself is what it reads (in CuTe: its descriptors).
        Raises LayoutError for what is no partition of A.
        """
        return self._fragment(part, self.atom.a_layout, self.atom.type_a, "A", self.atom.sources[0])

    def make_fragment_B(self, part):
        """Registers for a partition of B. See make_fragment_A."""
        return self._fragment(part, self.atom.b_layout, self.atom.type_b, "B", self.atom.sources[1])

    def make_fragment_C(self, part):
        """Accumulators for a partition of C: compact, first mode fastest, whatever the partition's own order.

        >>> from cutelearn import Layout
        >>> mma = make_tiled_mma("SM80_16x8x16_F32F16F16F32_TN", (2, 2))
        >>> mma.get_slice(0).partition_fragment_C(Layout((64, 32), (32, 1)))
        ((2,2),2,2):((1,2),4,8)

        Raises LayoutError for what is no partition of C.
        """
        part = self._partition(part, self.atom.c_layout, "C")
        layout = Layout(part.shape)
        return make_tensor(self.atom.type_c.carrier, layout) if isinstance(part, Tensor) else layout

    def _fragment(self, part, tv, value_type, name, source):
        part = self._partition(part, tv, name)
        if source == "S":
            return part
        if isinstance(part, Tensor):
            return make_tensor(value_type.carrier, fragment_like(part.layout))
        return fragment_like(part)

    def _partition(self, part, tv, name):
        part = tileable(part if isinstance(part, Tensor) else layout_of(part), f"make_fragment_{name}")
        if rank(part) < 3 or size(part, 0) != size(tv, 1):
            raise LayoutError(
                f"make_fragment_{name}: {part} is no partition of {name}: its modes should be ({size(tv, 1)} values of the "
                f"atom, repeats, repeats, ...). Call partition_{name} first, or partition_fragment_{name}"
            )
        return part

    # --- at work

    def execute(self, d: Tensor, a: Tensor, b: Tensor, c: Tensor) -> None:
        """D = A B + C on whole tensors (M,N), (M,K), (N,K), (M,N), by all threads: `gemm(mma, D, A, B, C)` calls this.

        Each thread takes its parts by `thrfrg_A/B/C`, and the atom multiplies fragments as the hardware does: a wrong map
        gives a wrong D. K is walked in order; atoms along K sum by themselves, and their sums are added at the end.
        Also takes one thread's partitions (V,M,N), (V,M,K), (V,N,K), or (V,M), (V,N) of a single k, where the atom is one
        thread's.

        Raises LayoutError where the extents do not agree or are no multiples of the tile.
        """
        multiply(self, d, a, b, c)

    # --- print

    def text(self, static: bool = False) -> str:
        """CuTe's print; `static` puts the underscores in."""
        printed = f"TiledMMA\n  ThrLayoutVMNK:  {self.thr_layout_vmnk}\n  PermutationMNK: {text(self.permutations)}\n"
        return (with_underscores(printed) if static else printed) + self.atom.text(static)

    def __repr__(self):
        return f"make_tiled_mma({self.atom.name!r}, {self.atom_layout}, {text(self.permutations)})"


@dataclass(frozen=True, repr=False)
class ThrMMA(Shown):
    """One thread's part of a TiledMMA: CuTe's `ThrMMA`, from `mma.get_slice(thr_idx)`.

    The partitions are views: of a Tensor (M,K,...) a Tensor ((values of the atom), repeats in M, repeats in K, ...); of a
    layout (sublayout, offset).
    """

    tiled_mma: TiledMMA
    thr_idx: int
    thr_vmnk: tuple

    def __post_init__(self):
        need(self, "mma.get_slice(thread) makes one", tiled_mma=TiledMMA, thr_vmnk=tuple)

    def partition_A(self, x):
        """(M,K,...) -> (MMA,MMA_M,MMA_K,...): what this thread holds of A."""
        return self._part(self.tiled_mma.thrfrg_A(x), (1, 3))

    def partition_B(self, x):
        """(N,K,...) -> (MMA,MMA_N,MMA_K,...): what this thread holds of B."""
        return self._part(self.tiled_mma.thrfrg_B(x), (2, 3))

    def partition_C(self, x):
        """(M,N,...) -> (MMA,MMA_M,MMA_N,...): what this thread holds of C."""
        return self._part(self.tiled_mma.thrfrg_C(x), (1, 2))

    def _part(self, x, modes):
        at = self.thr_vmnk
        rest = rank(layout_of(x), 1, 1)
        return keep(x, ((at[0], tuple(at[i] for i in modes)), (_, (_,) * rest)))

    def partition_fragment_A(self, x):
        """Registers for this thread's part of A."""
        return self.tiled_mma.make_fragment_A(self.partition_A(x))

    def partition_fragment_B(self, x):
        """Registers for this thread's part of B."""
        return self.tiled_mma.make_fragment_B(self.partition_B(x))

    def partition_fragment_C(self, x):
        """Accumulators for this thread's part of C."""
        return self.tiled_mma.make_fragment_C(self.partition_C(x))

    def make_fragment_A(self, part):
        """Registers for a partition of A: see TiledMMA.make_fragment_A."""
        return self.tiled_mma.make_fragment_A(part)

    def make_fragment_B(self, part):
        """Registers for a partition of B: see TiledMMA.make_fragment_B."""
        return self.tiled_mma.make_fragment_B(part)

    def make_fragment_C(self, part):
        """Accumulators for a partition of C: see TiledMMA.make_fragment_C."""
        return self.tiled_mma.make_fragment_C(part)

    def text(self, static: bool = False) -> str:
        """CuTe's print; `static` puts the underscores in, but for the thread's coordinate, known at run time."""
        return f"ThrMMA\n  Thr VMNK: {text(self.thr_vmnk)}\n" + self.tiled_mma.text(static)

    def __repr__(self):
        return f"{self.tiled_mma!r}.get_slice({self.thr_idx})"


def make_tiled_mma(atom, atom_layout=None, permutations=()) -> TiledMMA:
    """The atom repeated: over threads as `atom_layout` (M,N,K) -> atom says, and over values up to `permutations`.

    atom: an MMAAtom or its name. atom_layout: a Layout or shape of rank 3 or less; what is left out is 1.
    permutations: for M, N, K an int (the extent of the tile), a Layout (a permutation of so many: slot of the tile ->
    coordinate of the matrix) or `_`; what is left out is `_`: as many as the atoms cover.

    >>> from cutelearn import Layout
    >>> print(make_tiled_mma("SM70_8x8x4_F32F16F16F32_NT", Layout((2, 2), (2, 1)), (Layout((4, 4, 2), (1, 8, 4)), 32, 4)))
    TiledMMA
      ThrLayoutVMNK:  ((4,2),2,2,1):((1,16),8,4,0)
      PermutationMNK: ((4,4,2):(1,8,4),32,4)
    MMA_Atom
      ThrID:      (4,2):(1,16)
      Shape_MNK:  (8,8,4)
      LayoutA_TV: ((4,2),4):((8,4),1)
      LayoutB_TV: ((4,2),4):((8,4),1)
      LayoutC_TV: ((2,2,2),(2,2,2)):((1,16,4),(8,2,32))
    <BLANKLINE>

    Raises LayoutError where two atoms get the same threads, where a permutation is none (with what it hits twice or
    never), and where a tile is no multiple of what the atoms cover.
    Source: CuTe documentation, 0t_mma_atom, "TiledMMA"; header `mma_atom.hpp`, `make_tiled_mma`.
    """
    if isinstance(atom, str):
        from .library import atom as by_name

        atom = by_name(atom)
    if not isinstance(atom, MMAAtom):
        raise LayoutError(f"make_tiled_mma: {shown(atom)} is no MMA atom; give one, or its name")
    layout = _atom_layout(atom_layout)
    mma = TiledMMA(atom, layout, _permutations(permutations))
    check_thread_layout(mma)
    check_threads(mma)
    for i, name in enumerate("MNK"):
        check_permutation(mma, i, name)
    return mma


def _atom_layout(given) -> Layout:
    if given is None:
        return Layout((1, 1, 1))
    if not isinstance(given, Layout):
        given = Layout(given)
    if rank(given) > 3:
        raise LayoutError(f"make_tiled_mma: the atom layout {given} has rank {rank(given)}; its modes are M, N, K")
    while rank(given) < 3 or not isinstance(given.shape, tuple):
        given = append(given, Layout(1, 0))
    return given


def _permutations(given) -> tuple:
    modes = tuple(given) if isinstance(given, (tuple, list)) else (given,)
    if len(modes) > 3:
        raise LayoutError(f"make_tiled_mma: {len(modes)} permutations; give one for each of M, N, K at most")
    return tuple(_one_permutation(p, name) for p, name in zip(modes, "MNK", strict=False)) + (_,) * (3 - len(modes))


def _one_permutation(p, name):
    if isinstance(p, (Underscore, Layout)):
        return p
    n = as_ints(p, f"the permutation of {name}")
    if not isinstance(n, int) or n < 1:
        raise LayoutError(
            f"make_tiled_mma: the permutation of {name} is {shown(p)}: give a positive int, a Layout or _"
        )
    return n


def tile_size(tiled, i: int) -> int:
    """The extent of mode i of the tile of a TiledMMA (M, N, K) or TiledCopy (M, N): CuTe's `tile_size<i>(tiled)`.

    >>> tile_size(make_tiled_mma("UniversalFMA<float>", (16, 16, 1)), 0)
    16
    """
    return _tiled(tiled, "tile_size").tile_size(i)


def _tiled(x, what):
    if not hasattr(x, "tile_shape"):
        raise LayoutError(f"{what} is a TiledMMA's or TiledCopy's, and {shown(x)} is none")
    return x


def tile_shape(tiled) -> IntTuple:
    """The tile of a TiledMMA or TiledCopy.

    >>> tile_shape(make_tiled_mma("UniversalFMA<float>", (16, 16, 1)))
    (16, 16, 1)
    """
    return _tiled(tiled, "tile_shape").tile_shape
