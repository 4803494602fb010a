"""Swizzle: an XOR on the bits of an offset; ComposedLayout: a function after a layout, `outer o offset o inner`.

The algebra's functions work on a composed layout by working on its inner layout. Banks and conflicts are not here.
"""

from .algebra import (
    AT_ONCE,
    coalesce,
    composition,
    filter,
    filter_zeros,
    first_difference,
    left_inverse,
    right_inverse,
    through,
)
from .htuple import LayoutError, RuntimeInt, _, has_underscore, leaves, shown
from .layout import (
    Layout,
    _coordinate,
    cosize,
    crd2idx,
    flatten,
    group,
    mode,
    need_offsets,
    of_objects,
    select,
    size,
    slice_and_offset,
    to_cpp,
)
from .parse import ComposedText, LayoutText, SwizzleText, parse
from .tiling import (
    blocked_product,
    flat_divide,
    flat_product,
    logical_divide,
    logical_product,
    raked_product,
    tile_to_shape,
    tiled_divide,
    tiled_product,
    zipped_divide,
    zipped_product,
)
from .views import _check_factor, downcast, make_fragment_like, upcast


class Swizzle:
    """`Swizzle<B,M,S>`: XORs B bits of an offset, Y, into B other bits, Z, that lie S places lower.

    Law: `Sw(x) == x ^ ((x & Y) >> S)`; Z is the bits M..M+B-1, Y the bits M+S..M+S+B-1 (for S < 0 the two change places).
    Each run of 2**M elements stays whole. Applied twice it gives x back.

    >>> sw = Swizzle(3, 3, 3)
    >>> sw, sw(64), sw(sw(200))
    (Sw<3,3,3>, 72, 200)

    Raises LayoutError for B or M below 0, or for |S| < B (Y and Z would overlap).
    Source: CuTe header `swizzle.hpp`.
    """

    __slots__ = ("bits", "base", "shift")

    def __init__(self, bits: int, base: int, shift: int):
        for name, n in (("B", bits), ("M", base), ("S", shift)):
            if not isinstance(n, int) or isinstance(n, bool):
                raise LayoutError(f"Swizzle: {name} must be an integer, not {shown(n)}")
        if base < 0:
            raise LayoutError(
                f"Swizzle<{bits},{base},{shift}>: MBase must be positive: M counts the low bits that stay, 0 or more"
            )
        if bits < 0:
            raise LayoutError(
                f"Swizzle<{bits},{base},{shift}>: BBits must be positive: B counts the bits that change, 0 or more"
            )
        if abs(shift) < bits:
            raise LayoutError(
                f"Swizzle<{bits},{base},{shift}>: abs(SShift) must be at least BBits: the {bits} bits read and the {bits} "
                f"bits written overlap when they lie only {abs(shift)} apart"
            )
        for name, n in zip(self.__slots__, (bits, base, shift), strict=True):
            object.__setattr__(self, name, n)

    def __setattr__(self, name, value):
        raise AttributeError(f"a Swizzle never changes: make a new one in place of setting .{name}")

    def __reduce__(self):
        return Swizzle, (self.bits, self.base, self.shift)

    @property
    def yyy(self) -> int:
        """The mask of the bits that are read."""
        return ((1 << self.bits) - 1) << (self.base + max(0, self.shift))

    @property
    def zzz(self) -> int:
        """The mask of the bits that are written."""
        return ((1 << self.bits) - 1) << (self.base - min(0, self.shift))

    def __call__(self, offset: int) -> int:
        try:
            read = offset & self.yyy
        except TypeError:
            raise LayoutError(f"{self} moves the bits of an integer offset, not of {shown(offset)}") from None
        return offset ^ (read >> self.shift if self.shift >= 0 else read << -self.shift)

    def __eq__(self, other):
        if isinstance(other, Swizzle):
            return (self.bits, self.base, self.shift) == (other.bits, other.base, other.shift)
        return NotImplemented

    def __hash__(self):
        return hash((self.bits, self.base, self.shift))

    def __repr__(self):
        return f"Sw<{self.bits},{self.base},{self.shift}>"

    @of_objects
    def _layout_op(self, op, *args, right=False, check=True):
        if op is composition and right:
            return _swizzle_after(args[0], self)
        if op is composition:
            return compose(self, 0, args[0])
        if op in (upcast, downcast):
            (n,) = args
            _check_factor(n, op.__name__)
            places = n.bit_length() - 1
            if n != 1 << places:
                raise LayoutError(f"{op.__name__}: {self} moves bits, so the factor must be a power of two, not {n}")
            base = self.base - places if op is upcast else self.base + places
            if base < 0:
                raise LayoutError(
                    f"upcast: {self} swizzles inside an element of {n}: M = {self.base} keeps runs of {1 << self.base} whole"
                )
            return Swizzle(self.bits, base, self.shift)
        if op in (left_inverse, right_inverse, coalesce, filter):
            return self
        if op is to_cpp:
            return f"Swizzle<{self.bits},{self.base},{self.shift}>"
        raise LayoutError(f"{op.__name__}: {self} is a swizzle without a shape; compose it with a layout first")


class ComposedLayout:
    """`outer o offset o inner`: the function `c -> outer(offset + inner(c))`, with the shape of `inner`.

    >>> a = ComposedLayout(Swizzle(3, 3, 3), 0, Layout((8, 64), (64, 1)))
    >>> a, a(1, 0), a(2, 8)
    (Sw<3,3,3> o 0 o (8,64):(64,1), 72, 152)

    Law of slicing: with (R, o) = slice_and_offset(c, a), `R(kept) + o == a(c with kept in place of _)`. The offset is added
    *before* the swizzle: `Sw(a + b)` is not `Sw(a) + b`. Where CuTe finds a plain layout for a slice, so do we.
    Source: CuTe headers `layout_composed.hpp`, `swizzle_layout.hpp`.
    """

    __slots__ = ("outer", "offset", "inner")

    def __init__(self, outer, offset: int, inner):
        if not callable(outer) or not isinstance(inner, (Layout, ComposedLayout)):
            raise LayoutError(
                f"ComposedLayout({shown(outer)}, {shown(offset)}, {shown(inner)}): give a Swizzle or layout, an offset, a layout"
            )
        if not isinstance(offset, (int, RuntimeInt)) or isinstance(offset, bool):
            raise LayoutError(f"ComposedLayout: the offset must be an integer, not {shown(offset)}")
        for name, value in zip(self.__slots__, (outer, offset, inner), strict=True):
            object.__setattr__(self, name, value)

    def __setattr__(self, name, value):
        raise AttributeError(f"a ComposedLayout never changes: make a new one in place of setting .{name}")

    def __reduce__(self):
        return ComposedLayout, (self.outer, self.offset, self.inner)

    @property
    def shape(self):
        return self.inner.shape

    def __call__(self, *coord):
        coord = coord[0] if len(coord) == 1 else coord
        if has_underscore(coord):
            return slice_and_offset(coord, self)[0]
        return self.outer(self.offset + self.inner(coord))

    def offsets(self):
        """All offsets by 1-D coordinate, as a numpy int64 array."""
        inside = self.inner.offsets() + self.offset
        if isinstance(self.outer, Swizzle):
            read = inside & self.outer.yyy
            shift = self.outer.shift
            return inside ^ (read >> shift if shift >= 0 else read << -shift)
        import numpy as np

        return np.fromiter((self.outer(int(i)) for i in inside), np.int64, len(inside))

    def __getitem__(self, path):
        return mode(self, *(path if isinstance(path, tuple) else (path,)))

    def __eq__(self, other):
        if isinstance(other, ComposedLayout):
            return (self.outer, self.offset, self.inner) == (other.outer, other.offset, other.inner)
        return NotImplemented

    def __hash__(self):
        return hash((self.outer, self.offset, self.inner))

    def __repr__(self):
        return f"{self.outer} o {self.offset} o {self.inner}"

    def _repr_mimebundle_(self, include=None, exclude=None):
        from .draw import bundle  # upwards, and only when a notebook asks

        return bundle(self)

    @classmethod
    def parse(cls, source: str):
        """The composed layout that a text writes; a plain layout text gives a Layout.

        >>> ComposedLayout.parse("Sw<3,3,3> o 0 o (8,64):(64,1)")
        Sw<3,3,3> o 0 o (8,64):(64,1)
        >>> ComposedLayout.parse("composition(Swizzle<2,3,3>{}, Layout<Shape<_8,_32>,Stride<_32,_1>>{})")
        Sw<2,3,3> o 0 o (8,32):(32,1)

        Raises LayoutError with a caret under the fault.
        """

        def build(value):
            if isinstance(value, SwizzleText):
                return Swizzle(*value.bits)
            if isinstance(value, LayoutText):
                return Layout(value.shape, value.stride)
            if isinstance(value, ComposedText):
                return compose(build(value.outer), build(value.offset), build(value.inner))
            return value

        made = build(parse(source, "composed layout"))
        if isinstance(made, (cls, Layout, Swizzle)):
            return made
        raise LayoutError(f"{source.strip()!r} is not a composed layout: write Sw<B,M,S> o offset o shape:stride")

    @of_objects
    def _layout_op(self, op, *args, right=False, **kw):
        if op in _ON_INNER:
            return compose(self.outer, self.offset, op(self.inner, *args, **kw))
        if op is crd2idx:
            return self(args[0])
        if op is composition:
            return _composition(self, *args, right=right, **kw)
        if op is slice_and_offset:
            return _slice(args[0], self)
        if op in (upcast, downcast):
            (n,) = args
            _check_factor(n, op.__name__)
            if op is upcast and self.offset % n:
                raise LayoutError(f"upcast: the offset {self.offset} of {self} is no multiple of {n}")
            offset = self.offset // n if op is upcast else self.offset * n
            return compose(op(self.outer, n), offset, op(self.inner, n))
        if op in (left_inverse, right_inverse):
            if self.offset != 0:
                raise LayoutError(
                    f"{op.__name__}: {self} starts at offset {self.offset}; only a layout that starts at 0 has one"
                )
            inverse = composition(op(self.inner), op(self.outer))
            _check_inverse(self, inverse, op)
            return inverse
        if op is cosize:
            part = mode(self, *args)
            if isinstance(part, Layout):  # a swizzle of no bits is left out
                return cosize(part)
            reach = _largest(part) + 1
            if reach > cosize(part.inner):
                raise LayoutError(
                    f"cosize: {part} reaches the offset {reach - 1}, but CuTe's cosize counts only its inner layout: "
                    f"{cosize(part.inner)}. Allocate {reach} elements"
                )
            return cosize(part.inner)
        if op is make_fragment_like:
            return make_fragment_like(self.inner)
        if op is to_cpp:
            return f"ComposedLayout<{to_cpp(self.outer)},_{self.offset},{to_cpp(self.inner)}>"
        raise LayoutError(
            f"{op.__name__} of {self}: not known for a composed layout. CuTe defines it on plain layouts; "
            f"the inner one here is {self.inner}"
        )


_ON_INNER = {mode, select, group, flatten, coalesce, filter, filter_zeros, tile_to_shape}
_ON_INNER |= {logical_divide, zipped_divide, tiled_divide, flat_divide}
_ON_INNER |= {logical_product, zipped_product, tiled_product, flat_product, blocked_product, raked_product}


def compose(outer, offset: int, inside):
    """`outer o offset o inside`; a swizzle of no bits at offset 0 changes nothing and is left out, as in CuTe.

    >>> compose(Swizzle(3, 3, 3), 8, Layout((8, 64), (64, 1))), compose(Swizzle(0, 3, 3), 0, Layout(8))
    (Sw<3,3,3> o 8 o (8,64):(64,1), 8:1)

    Source: CuTe header `swizzle_layout.hpp`, `composition(Swizzle, Offset, Layout)`.
    """
    if isinstance(outer, Swizzle) and outer.bits == 0 and offset == 0:
        return inside
    return ComposedLayout(outer, offset, inside)


def _composition(composed, other, right=False, **kw):
    if not right:  # composed o other
        return compose(composed.outer, composed.offset, composition(composed.inner, other, **kw))
    if composed.offset != 0:
        raise LayoutError(
            f"composition: {other} o ({composed}): the right-hand side must start at offset 0, as in CuTe"
        )
    return composition(composition(other, composed.outer), composed.inner, **kw)


def _check_inverse(a: ComposedLayout, r, op) -> None:
    """The law of the inverse: a swizzle may lead past the end, where the layout goes on differently."""
    right = op is right_inverse
    i = _difference(op.__name__, size(r if right else a), (r, a) if right else (a, r, a), () if right else (a,))
    if i is not None:
        wanted = i if right else a(i)
        raise LayoutError(
            f"{op.__name__}: {r}, CuTe's answer for {a}, fails the law at {wanted}: R({wanted}) = {r(wanted)}, but "
            f"A({r(wanted)}) = {a(r(wanted))}. The swizzle leads out of the layout there; swizzle a larger one"
        )


def _swizzle_after(a: Layout, sw: Swizzle):
    """`a o sw` as `sw' o 0 o a`: the swizzle pulled through the layout, bit by bit. Checked."""
    if sw.bits == 0:
        return a
    need_offsets(a, "composition")
    y, z = a(sw.yyy), a(sw.zzz)
    low = [(m & -m).bit_length() - 1 for m in (y, z)]
    try:
        made = Swizzle(bin(y).count("1"), min(low), low[0] - low[1])
    except LayoutError:
        made = None
    if made is None or _difference("composition", size(a), (sw, a), (a, made)) is not None:
        raise LayoutError(
            f"composition: {a} o {sw} is no swizzled layout: {a} sends the bits that are read to {y:#x} and the bits that "
            f"are written to {z:#x}, and no Swizzle does the same after it. Put the swizzle on the left"
        )
    return ComposedLayout(made, 0, a)


# ------------------------------------------------------------------------------------------------ are two functions the same?


def _difference(name, n, f, g):
    """An index < n where two chains of maps (layouts, swizzles, numbers to add) differ; None where they agree on all.

    Where every bit of the index flips bits of the offset of its own, whatever the other bits are, the bits one by one
    decide: what is so for all indices of as many bits is so below n. Where they do not decide all indices are tried.
    """
    f, g = _chain(*f), _chain(*g)
    if n > _FEW and _by_bits(f, n) and _by_bits(g, n):
        i = next((i for i in _each_bit(n) if through(f, i) != through(g, i)), None)
        if i is None or (n > AT_ONCE and i < n):  # of few cells the first one is found
            return i
    if n > _MANY:
        raise LayoutError(
            f"{name}: {' o '.join(map(str, reversed(f)))} has {n} cells, too many to check, and their number or their strides are "
            f"no powers of two, so that its bits do not decide"
        )
    return first_difference(n, f, g)


_FEW, _MANY = 1 << 5, 1 << 22  # how many cells are always tried, and how many at most


def _each_bit(n):
    """0, and each power of two below n: what decides on all indices of these bits."""
    return (0, *(1 << k for k in range((n - 1).bit_length())))


def _chain(*maps) -> tuple:
    """The maps one after the other, where a composed layout counts as three."""
    parts = ((*_chain(m.inner), m.offset, *_chain(m.outer)) if isinstance(m, ComposedLayout) else (m,) for m in maps)
    return sum(parts, ())


def _by_bits(maps, n) -> bool:
    """Whether each bit of an index, of as many as n - 1 has, flips the same bits of the offset whatever the others are.

    Swizzles do so, and layouts of powers of two: each step of a mode sets bits that no other step sets.
    """
    mask = (1 << (n - 1).bit_length()) - 1
    for m in maps:
        mask = None if mask is None else _bits_after(m, mask)
    return mask is not None


def _bits_after(m, mask):
    """The bits that can be set after a map, if they can before it where `mask` has them; None where bits do not stay apart."""
    if isinstance(m, Swizzle):
        read = mask & m.yyy
        return mask | (read >> m.shift if m.shift >= 0 else read << -m.shift)
    if isinstance(m, int):
        return mask | m if m >= 0 and not mask & m else None
    shape, stride, out = leaves(m.shape), leaves(m.stride), 0
    for k, (s, d) in enumerate(zip(shape, stride, strict=True)):
        last = k == len(shape) - 1
        if s & (s - 1) and not last:
            return None
        width = mask.bit_length() if last else s.bit_length() - 1
        for bit in range(width):
            moved = d << bit if mask >> bit & 1 else 0
            if moved < 0 or moved & out:
                return None
            out |= moved
        mask >>= width
    return out


def _slice(coord, a: ComposedLayout):
    """CuTe's slice of a swizzled layout: a plain layout where no two bits of a pair move, else a swizzle still."""
    coord = _coordinate(coord)
    if isinstance(a.inner, ComposedLayout) or not isinstance(a.outer, Swizzle):
        kept, offset = slice_and_offset(coord, a.inner)
        return compose(a.outer, a.offset + offset, kept), 0
    kept, offset = slice_and_offset(coord, a.inner)
    if all(leaf is _ for leaf in leaves(coord)):
        return compose(a.outer, a.offset, kept), 0
    sw, start = a.outer, a.offset + offset
    if isinstance(start, RuntimeInt):
        return ComposedLayout(sw, start, kept), 0
    active = sw.yyy | sw.zzz
    for plain, base in (_unswizzled(sw, start, kept), (compose(sw, start & active, kept), start & ~active)):
        if plain is not None and _is_slice(sw, start, kept, plain, base):
            return plain, base
    return ComposedLayout(sw, start, kept), 0


def _largest(a: ComposedLayout) -> int:
    """The largest offset of a composed layout."""
    maps, n = _chain(a), size(a)
    if n <= _FEW or n & (n - 1) or not _by_bits(maps, n):
        return int(a.offsets().max())
    first, rows = through(maps, 0), []
    for flips in (first ^ through(maps, i) for i in _each_bit(n)[1:]):
        for row in rows:  # each row has its highest bit to itself
            flips = min(flips, flips ^ row)
        if flips:
            rows.append(flips)
            rows.sort(reverse=True)
    for row in rows:
        first = max(first, first ^ row)
    return first


def _is_slice(sw, start, kept, plain, base) -> bool:
    """Whether `plain(i) + base == sw(start + kept(i))` for every i."""
    n, swizzled = size(kept), _chain(kept, start, sw)
    adds = n > _FEW and isinstance(plain, Layout) and _apart(swizzled, n) and _whole_bits(plain)
    if adds and all(through(swizzled, i) == plain(i) + base for i in _each_bit(n)):
        return True
    try:
        return _difference("slice", n, swizzled, (plain, base)) is None
    except LayoutError:
        return False  # too many to try: it stays a swizzled layout, which is right in any case


def _apart(maps, n) -> bool:
    """Whether the bits of an index flip different bits of the offset: then what they change adds up, as strides do."""
    if not _by_bits(maps, n):
        return False
    first, flipped = through(maps, 0), 0
    for i in _each_bit(n)[1:]:
        flips = first ^ through(maps, i)
        if flips & flipped:
            return False
        flipped |= flips
    return True


def _whole_bits(layout: Layout) -> bool:
    """Whether each bit of an index is a digit's own: all extents but the last, which is open, are powers of two."""
    return not any(s & (s - 1) for s in leaves(layout.shape)[:-1])


def _unswizzled(sw: Swizzle, start: int, kept: Layout):
    """`Sw(start + kept(i)) - Sw(start)` as a plain layout, if the bits of `kept` meet no partner of their own.

    A written bit is flipped where its partner in `start` is set: its stride changes sign. A read bit flips its partner:
    the partner's stride is added, or taken away where that bit of `start` is set.
    """
    weights = {}
    for j in range(sw.bits):
        y = 1 << (sw.base + max(0, sw.shift) + j)
        z = 1 << (sw.base - min(0, sw.shift) + j)
        weights[z] = -z if start & y else z
        weights[y] = y - z if start & z else y + z
    top = max(weights, default=1) * 2
    shapes, strides, bit = [], [], 1
    while bit < top:
        shapes.append(2)
        strides.append(weights.get(bit, bit))
        bit *= 2
    bits = Layout((*shapes, 1), (*strides, bit))  # the last mode is open-ended
    try:
        return composition(bits, kept), sw(start)
    except LayoutError:
        return None, 0
