"""What a memory access costs, counted from layouts alone: sectors of global memory, wavefronts of shared memory, vectors,
registers. No GPU and no timing here.

An access is what the 32 lanes of a warp read or write with one instruction: for each lane an offset, in elements, of the
first of its neighbouring elements. It is given as a layout lane -> offset (a Layout, a ComposedLayout, a Tensor's view of
them), or as a list of 32 offsets; `warp_access` makes one from a thread-value layout.
"""

from dataclasses import dataclass
from math import gcd

import numpy as np

from ..algebra import coalesce
from ..htuple import LayoutError, leaves, text
from ..layout import Layout, as_layout, need_offsets, size
from ..swizzle import ComposedLayout, Swizzle
from ..tensor import Tensor
from ..views import max_alignment, max_common_vector
from .valtypes import value_type

BANKS, WORD = 32, 4  # shared memory: 32 banks, a word of 4 bytes each
MOST = 1 << 20  # more values than this are no thread's
SECTOR, LINE = 32, 128  # global memory moves in sectors of 32 bytes; a line of the cache has four


def _bits(element) -> int:
    if not isinstance(element, int) or isinstance(element, bool):
        return value_type(element).bits
    if not 1 <= element <= 1 << 16:
        raise LayoutError(f"an element has 1 bit or more, and not {element}")
    return element


def _integer(x, what: str, least=None) -> int:
    if isinstance(x, (int, np.integer)) and not isinstance(x, bool) and (least is None or x >= least):
        if abs(x) >= 1 << 62:
            raise LayoutError(f"{what} is an integer of 62 bits at most, not {x}")
        return int(x)
    more = "" if least is None else f", {least} or more"
    raise LayoutError(f"{what} is an integer{more}, not {x!r}")


def _placed(layout, what: str):
    """`layout` as a Layout or ComposedLayout that gives offsets, and where it starts in memory."""
    start = 0
    if isinstance(layout, Tensor):
        layout, start = layout.layout, layout.offset
    if not isinstance(layout, ComposedLayout):
        need_offsets(as_layout(layout, what), what)
    return layout, start


def lane_offsets(access):
    """The offsets of an access, one a lane, as a numpy array of 32 or fewer.

    >>> lane_offsets(Layout((4, 8), (1, 32)))[:5].tolist()
    [0, 1, 2, 3, 32]

    Raises LayoutError for more than 32 lanes.
    """
    by_layout = isinstance(access, (Layout, ComposedLayout, Tensor))
    offsets = None if by_layout else _integers(access)
    lanes = size(access) if by_layout else len(offsets)
    if not 1 <= lanes <= 32:
        raise LayoutError(
            f"a warp has 32 lanes, and {access if by_layout else 'this access'} has {lanes}: take one warp's lanes and one value "
            f"of each, as warp_access does"
        )
    return access.offsets() if by_layout else offsets


def _integers(access):
    try:
        offsets = np.asarray(access)
    except ValueError:  # lists of several lengths
        offsets = np.zeros((0, 0))
    if offsets.ndim != 1 or not (offsets.size and np.issubdtype(offsets.dtype, np.integer)):
        raise LayoutError(f"an access is a layout lane -> offset, or a list of integer offsets, not {access!r}")
    return offsets.astype(np.int64)


def warp_access(tv_layout, warp: int = 0, value: int = 0):
    """The offsets of one warp's lanes at one value: rows of a (thread, value, ...) layout, as `tidfrg_S(layout)` gives.

    >>> from cutelearn import copy_atom, make_tiled_copy
    >>> tc = make_tiled_copy(copy_atom("UniversalCopy<uint128_t>", "float"), Layout((32, 8)), Layout((4, 1)))
    >>> warp_access(tc.tidfrg_S(Layout((128, 8), (1, 128))))[:4].tolist()
    [0, 4, 8, 12]

    Raises LayoutError where there is no such warp or value.
    """
    if not isinstance(tv_layout, (ComposedLayout, Tensor)):
        as_layout(tv_layout, "warp_access")
    warp, value = _integer(warp, "warp_access: the warp"), _integer(value, "warp_access: the value")
    offsets = tv_layout.offsets().reshape(size(tv_layout, 0), -1, order="F")
    warps, values = -(-offsets.shape[0] // 32), offsets.shape[1]
    if not (0 <= warp < warps and 0 <= value < values):
        raise LayoutError(
            f"warp_access: warp {warp}, value {value} of {tv_layout}: it has {warps} warps (0 to {warps - 1}) and {values} "
            f"values (0 to {values - 1})"
        )
    return offsets[32 * warp : 32 * warp + 32, value]


# ------------------------------------------------------------------------------------------------ global memory


@dataclass(frozen=True)
class Coalescing:
    """What one access of a warp moves from or to global memory.

    `asked` bytes are those of the lanes together, each byte once; they lie in `sectors` of 32 bytes, in `lines` of 128.
    """

    asked: int
    sectors: int
    lines: int

    @property
    def moved(self) -> int:
        """Bytes that are moved: whole sectors."""
        return self.sectors * SECTOR

    @property
    def efficiency(self) -> float:
        """The part of what is moved that was asked for: 1.0 is best."""
        return self.asked / self.moved


def coalescing(access, element=32, vector: int = 1, start: int = 0) -> Coalescing:
    """How well a warp's access to global memory coalesces: bytes and 32-byte sectors.

    element: a value type or its bits; vector: neighbouring elements a lane; start: the address of offset 0, in bytes.

    >>> coalescing(Layout(32, 1), "float"), coalescing(Layout(32, 1024), "float")
    (Coalescing(asked=128, sectors=4, lines=1), Coalescing(asked=128, sectors=32, lines=32))
    >>> coalescing(Layout(32, 1024), "float").efficiency
    0.125

    Raises LayoutError for what is no access, and for elements that are not whole bytes.
    """
    width = _width(element, vector)
    first = lane_offsets(access) * (_bits(element) // 8) + _integer(start, "the start, a byte address,")
    touched = np.unique(first[:, None] + np.arange(width))
    return Coalescing(len(touched), len(np.unique(touched // SECTOR)), len(np.unique(touched // LINE)))


def _width(element, vector) -> int:
    """The bytes of one lane's access."""
    bits = _bits(element)
    if bits % 8:
        raise LayoutError(f"an access moves whole bytes, and {element} has {bits} bits: count it in bytes")
    if not isinstance(vector, int) or isinstance(vector, bool) or vector < 1 or vector > MOST:
        raise LayoutError(f"vector is the number of elements a lane moves at once, 1 or more, not {vector!r}")
    return bits // 8 * vector


# ------------------------------------------------------------------------------------------------ shared memory


@dataclass(frozen=True)
class BankConflicts:
    """How shared memory serves one access of a warp.

    `phases` are the groups of lanes that are served one after the other (all 32 for words and less, two halves for 8
    bytes, four quarters for 16); in each, `ways` words of the busiest bank are fetched one after the other.
    """

    phases: tuple  # of (lanes, {bank: tuple of words})

    @property
    def ways(self) -> int:
        """The worst conflict: how many different words of one bank are wanted in one phase. 1 is none."""
        return max(_ways(banks) for _lanes, banks in self.phases)

    @property
    def wavefronts(self) -> int:
        """How many times the shared memory is used for this access."""
        return sum(_ways(banks) for _lanes, banks in self.phases)

    @property
    def ideal(self) -> int:
        """The wavefronts of an access of this width without a conflict."""
        return len(self.phases)

    @property
    def extra(self) -> int:
        """The wavefronts that conflicts add."""
        return self.wavefronts - self.ideal

    def __repr__(self):
        return f"BankConflicts(ways={self.ways}, wavefronts={self.wavefronts}, ideal={self.ideal})"


def _ways(banks) -> int:
    return max(map(len, banks.values()))


def bank_conflicts(access, element=32, vector: int = 1, start: int = 0) -> BankConflicts:
    """The bank conflicts of a warp's access to shared memory: 32 banks of 4-byte words.

    Lanes that want the same word share it (broadcast). Accesses of up to 4 bytes a lane are served together, of 8 bytes by
    half-warps, of 16 bytes by quarter-warps. element: a value type or its bits; vector: neighbouring elements a lane;
    start: the address of offset 0, in bytes.

    >>> bank_conflicts(Layout(32, 32), "float"), bank_conflicts(Layout(32, 33), "float")
    (BankConflicts(ways=32, wavefronts=32, ideal=1), BankConflicts(ways=1, wavefronts=1, ideal=1))
    >>> bank_conflicts(Layout(32, 4), "float", vector=4)
    BankConflicts(ways=1, wavefronts=4, ideal=4)

    Where several lanes want the same 8 or 16 bytes, `wavefronts` may be too many: hardware then joins half- or quarter-warps. On an
    H200, 32 lanes that want the same 16 bytes take 2 wavefronts and not 4, the same 8 bytes 1 and not 2. It is exact where each
    lane wants bytes of its own.

    Raises LayoutError for what is no access, for a width other than 1, 2, 4, 8 or 16 bytes, and for one that is not aligned.
    Source: CUDA C++ Programming Guide, "Shared Memory"; what it leaves open is as measured on recent GPUs.
    """
    width = _width(element, vector)
    if width not in (1, 2, 4, 8, 16):
        raise LayoutError(
            f"a lane moves 1, 2, 4, 8 or 16 bytes at once, not {width} ({vector} x {_bits(element)} bits)"
        )
    first = lane_offsets(access) * (_bits(element) // 8) + _integer(start, "the start, a byte address,")
    crooked = np.flatnonzero(first % width)
    if len(crooked):
        lane = int(crooked[0])
        raise LayoutError(
            f"an access of {width} bytes must start at a multiple of {width}, and lane {lane} starts at byte {int(first[lane])}"
        )
    lanes_together = 32 // max(1, width // WORD)
    phases = []
    for begin in range(0, len(first), lanes_together):
        lanes = range(begin, min(begin + lanes_together, len(first)))
        banks = {}
        for lane in lanes:
            low = int(first[lane])
            for word in range(low // WORD, (low + width - 1) // WORD + 1):
                banks.setdefault(word % BANKS, {})[word] = None
        phases.append((tuple(lanes), {bank: tuple(words) for bank, words in sorted(banks.items())}))
    return BankConflicts(tuple(phases))


def swizzle_moves(layout: ComposedLayout) -> int:
    """How many cells of a swizzled layout lie elsewhere than without the swizzle. 0: the swizzle never acts.

    >>> swizzle_moves(ComposedLayout(Swizzle(3, 7, 3), 0, Layout((8, 128), (128, 1))))
    0
    """
    if not isinstance(layout, ComposedLayout) or not isinstance(layout.outer, Swizzle):
        raise LayoutError(f"swizzle_moves wants a swizzled layout, Sw<B,M,S> o offset o shape:stride, not {layout}")
    return int((layout.offsets() != layout.inner.offsets() + layout.offset).sum())


def find_swizzle(layout: Layout, access, element=32, vector: int = 1) -> Swizzle:
    """The swizzle with the fewest bits that serves an access to `layout` with the fewest wavefronts.

    access: the 1-D coordinates of the layout that the lanes want, as a layout or list. Pieces of the access's width stay
    whole (M), and the bits that are read come from where `layout` has its rows (S).

    >>> find_swizzle(Layout((128, 8), (1, 128)), Layout(8, 128), "half_t", vector=8)
    Sw<3,3,4>

    Raises LayoutError as bank_conflicts does, for a layout that is swizzled already, and for a lane outside of it.
    """
    layout, _start = _placed(layout, "find_swizzle")
    if isinstance(layout, ComposedLayout):
        raise LayoutError(f"find_swizzle: {layout} is swizzled already: give the layout without it, {layout.inner}")
    coordinates = lane_offsets(access)
    outside = np.flatnonzero((coordinates < 0) | (coordinates >= size(layout)))
    if len(outside):
        lane = int(outside[0])
        raise LayoutError(
            f"find_swizzle: lane {lane} wants the coordinate {int(coordinates[lane])}, and {layout} has the coordinates 0 to "
            f"{size(layout) - 1}"
        )
    at = np.array([layout(int(c)) for c in coordinates])
    _width(element, vector)
    base = max(vector - 1, 0).bit_length()
    choices = [(bits, shift) for bits in range(6) for shift in range(max(bits, 1), 12)]
    cost = {
        (bits, shift): bank_conflicts([Swizzle(bits, base, shift)(int(i)) for i in at], element, vector).wavefronts
        for bits, shift in choices
    }
    bits, shift = min(choices, key=lambda c: (cost[c], c))
    return Swizzle(bits, base, shift)


# ------------------------------------------------------------------------------------------------ vectors and registers


def vector_width(src, dst=None, element=None, max_bits: int = 128) -> int:
    """How many elements can be moved at once between two layouts: neighbours on both sides, aligned, within `max_bits`.

    Law: the greatest common divisor of what the layouts count together (max_common_vector), of what each is aligned to
    (max_alignment), and of max_bits / bits. With one layout: what one side allows. element: a value type or its bits, 32 if
    nothing says otherwise. A Tensor has its own element type, and its start counts as well; tensors of two types are
    converted one element at a time. A swizzle keeps runs of 2**M elements.

    >>> vector_width(Layout((2, 3)), Layout((2, 3))), vector_width(Layout((128, 8), (1, 129)))
    (2, 1)
    >>> vector_width(Tensor(np.zeros(64, np.float16), Layout((8, 8)))), vector_width(Tensor(np.zeros(16), Layout(8), 1))
    (8, 1)

    Raises LayoutError for elements of more than max_bits, for what is no layout of offsets, and as max_common_vector does.
    Source: CuTe header `algorithm/copy.hpp`, the vectorizing copy.
    """
    sides = (src,) if dst is None else (src, dst)
    placed = [_placed(side, "vector_width") for side in sides]
    types = {side.dtype for side in sides if isinstance(side, Tensor)}
    bits = _bits(_type_of(src) if element is None else element)
    if _integer(max_bits, "vector_width: max_bits", least=1) % bits:
        raise LayoutError(f"vector_width: {max_bits} bits are no whole number of elements of {bits} bits")
    if len(types) > 1 or None in types:
        return 1
    plain, width = [], max_bits // bits
    for layout, start in placed:
        while isinstance(layout, ComposedLayout):
            if not isinstance(layout.outer, Swizzle):
                raise LayoutError(f"vector_width: {layout} is no swizzled layout: only a swizzle keeps runs together")
            width, start, layout = gcd(width, 1 << layout.outer.base), start + layout.offset, layout.inner
        width = gcd(width, start, max_alignment(layout))
        plain.append(layout)
    return gcd(width, max_common_vector(plain[0], plain[-1]))


def _type_of(x):
    """The value type of a tensor's elements; 32 bits where nothing says."""
    if not isinstance(x, Tensor) or x.dtype is None or x.dtype.hasobject:
        return 32
    return 8 * x.dtype.itemsize


def why_not_wider(layout: Layout, n: int) -> str:
    """Which mode keeps a layout from being moved `n` elements at a time, in a sentence; empty if none does.

    Law: it is empty exactly where n divides what max_common_vector(layout, layout) and max_alignment(layout) both allow.

    >>> why_not_wider(Layout((128, 8), (1, 129)), 4)
    'the stride 129 of 8:129 is no multiple of 4: only one step in 4 along it is aligned'
    >>> why_not_wider(Layout((2, 2), (2, 1)), 4), why_not_wider(Layout((2, 3), (3, 1)), 4)
    ('', 'the contiguous modes 3:1 and 2:3 together have 6 elements, no multiple of 4')

    Raises LayoutError for what is no layout of offsets, and for an n below 1.
    """
    n = _integer(n, "why_not_wider: how many elements", least=1)
    layout, start = _placed(layout, "why_not_wider")
    if isinstance(layout, ComposedLayout):
        raise LayoutError(f"why_not_wider: {layout} is no plain layout; ask about its inner one, {layout.inner}")
    flat = coalesce(layout)
    modes = [Layout(s, d) for s, d in zip(leaves(flat.shape), leaves(flat.stride), strict=True)]
    run, current = [], 1  # the modes that count 0, 1, 2, ... together
    while current in (strides := [m.stride for m in modes]):
        run.append(modes.pop(strides.index(current)))
        current *= run[-1].shape
    if n > 1 and not run:
        return (
            f"no mode of more than one element has stride 1 in {layout}: no step along a mode leads to the next element"
        )
    if current % n:
        names = " and ".join(map(str, run))
        which = f"mode {names} has" if len(run) == 1 else f"modes {names} together have"
        return f"the contiguous {which} {current} elements, no multiple of {n}"
    for m in modes:
        if m.stride % n:
            every = n // gcd(m.stride, n)
            return f"the stride {m.stride} of {m} is no multiple of {n}: only one step in {every} along it is aligned"
    if start % n:
        return f"the tensor starts at element {start}, no multiple of {n}"
    return ""


def registers(fragment, element=None) -> int:
    """How many 32-bit registers a thread's fragment takes: a layout, or a Tensor (of the element's type).

    element: a value type or its bits; without one, that of the tensor, and 32 bits for a layout.

    >>> registers(Layout(((2, 2, 2), 4, 4)), "half_t"), registers(Layout((1, 8, 8)), "float")
    (64, 64)

    Raises LayoutError for what is no layout of offsets, and for more values than any thread can hold.
    """
    bits = _bits(_type_of(fragment) if element is None else element)
    layout, _start = _placed(fragment, "registers")
    if size(layout) > MOST:
        raise LayoutError(
            f"registers: {layout} has {size(layout)} values, and a thread has 255 registers: give one thread's fragment"
        )
    values = int(np.unique(layout.offsets()).size)
    return -(-values * bits // 32)


def accesses(tiled, side: str, layout) -> list:
    """Every access of every warp of a TiledCopy to memory laid out as `layout`, each as its lanes' offsets.

    side: "S" for what is read, "D" for what is written. An offset is that of the first value a lane moves at once.

    >>> from cutelearn import copy_atom, make_tiled_copy
    >>> tc = make_tiled_copy(copy_atom("UniversalCopy<float>", "float"), Layout((32, 8)), Layout((1, 1)))
    >>> every = accesses(tc, "D", Layout((32, 32), (32, 1)))
    >>> len(every), sum(bank_conflicts(access, "float").wavefronts for access in every)
    (32, 1024)

    Raises LayoutError where the copy does not tile the layout.
    """
    if side not in ("S", "D"):
        raise LayoutError(f'accesses: the side is "S" (read) or "D" (written), not {side!r}')
    if not hasattr(tiled, "tidfrg_S"):
        raise LayoutError(f"accesses: {tiled!r} is no TiledCopy: make one with make_tiled_copy")
    frg = tiled.tidfrg_S(layout) if side == "S" else tiled.tidfrg_D(layout)
    for i, tile in enumerate(tiled.tile_shape):
        if size(layout, i) % tile:
            raise LayoutError(
                f"accesses: mode {i} of {layout} has {size(layout, i)} elements, no multiple of the tile's {tile} (the tile is "
                f"{text(tiled.tiler_mn)}), so that lanes would stand outside of it: give a layout of whole tiles"
            )
    threads, width = size(frg, 0), size(frg, 1, 0)
    first = frg.offsets().reshape(threads, width, -1, order="F")[:, 0]  # (thread, access)
    return [first[t : t + 32, i] for t in range(0, threads, 32) for i in range(first.shape[1])]
