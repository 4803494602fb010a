"""The laws of the layout algebra, checked by an evaluator that shares no code with cutelearn.

Each law returns "" where it holds, else one sentence that says where it does not, so a test reads
`assert not laws.composition(A, B, R)`. Layouts may be cutelearn's or `Plain`; only .shape and .stride are read.
Everything is evaluated as CuTe does: colexicographic, the last mode open, division cut towards zero.
"""

import ast
from collections import Counter
from itertools import islice, pairwise
from math import prod
from typing import NamedTuple


class Plain(NamedTuple):
    shape: object
    stride: object


def tree(text):
    """`(4)` is a tuple of one here, as it is in CuTe."""
    return ast.literal_eval(text.replace(")", ",)"))


def read(text):
    shape, _, stride = text.partition(":")
    return Plain(tree(shape), tree(stride))


# --- the evaluator ---------------------------------------------------------------------------------------------


def leaves(nested):
    return [nested] if isinstance(nested, int) else [leaf for item in nested for leaf in leaves(item)]


def leaves_or_none(coord):
    """The leaves of a coordinate in which None stands for `_`."""
    return [leaf for c in coord for leaf in leaves_or_none(c)] if isinstance(coord, tuple) else [coord]


def extent(shape):
    return prod(leaves(shape))


def size(layout):
    return extent(layout.shape)


def split(index, n):
    """(quotient, remainder) as C++ has them: cut towards zero."""
    q = abs(index) // n * (1 if index >= 0 else -1)
    return q, index - q * n


def digits(index, shape):
    """The natural coordinate of an index; what is left over goes to the last mode."""
    if isinstance(shape, int):
        return index
    coord = []
    for mode in shape[:-1]:
        index, rest = split(index, extent(mode))
        coord.append(digits(rest, mode))
    return (*coord, digits(index, shape[-1]))


def inner(coord, stride):
    return coord * stride if isinstance(coord, int) else sum(map(inner, coord, stride))


def at(layout, index):
    return inner(digits(index, layout.shape), layout.stride)


def values(layout):
    return [at(layout, i) for i in range(size(layout))]


def modes(layout):
    if isinstance(layout.shape, int):
        return [Plain(layout.shape, layout.stride)]
    return [Plain(s, d) for s, d in zip(layout.shape, layout.stride, strict=True)]


def join(*layouts):
    return Plain(tuple(x.shape for x in layouts), tuple(x.stride for x in layouts))


def flat_modes(layout):
    return list(zip(leaves(layout.shape), leaves(layout.stride), strict=True))


def is_injective(layout):
    return len(set(values(layout))) == size(layout)


def congruent(a, b):
    if isinstance(a, int) or isinstance(b, int):
        return isinstance(a, int) and isinstance(b, int)
    return len(a) == len(b) and all(map(congruent, a, b))


def compatible(a, b):
    """Every coordinate of shape a is a coordinate of shape b."""
    if isinstance(a, int):
        return a == extent(b)
    return not isinstance(b, int) and len(a) == len(b) and all(map(compatible, a, b))


# --- the laws --------------------------------------------------------------------------------------------------


def same_function(a, b):
    if size(a) != size(b):
        return f"sizes differ: {size(a)} and {size(b)}"
    for i in range(size(a)):
        if at(a, i) != at(b, i):
            return f"index {i} goes to {at(a, i)} and to {at(b, i)}"
    return ""


def coalesce(A, R):
    flat = flat_modes(R)
    if R.shape != 1 and any(s == 1 for s, _ in flat):
        return f"a mode of size 1 is left in {R.shape}"
    if not isinstance(R.shape, int) and not all(isinstance(s, int) for s in R.shape):
        return f"not flat: {R.shape}"
    for (s, d), (_, e) in pairwise(flat):
        if s * d == e:
            return f"modes {s}:{d} and {e} still merge"
    return same_function(A, R)


def filtered(A):
    """A without its modes of stride 0 and of size 1."""
    kept = [(s, d) for s, d in flat_modes(A) if d != 0 and s != 1]
    return Plain(tuple(s for s, _ in kept), tuple(d for _, d in kept)) if kept else Plain(1, 0)


def filter(A, R):
    return coalesce(filtered(A), R)


def composition(A, B, R):
    if size(R) != size(B):
        return f"size {size(R)}, not size(B) = {size(B)}"
    if not compatible(B.shape, R.shape):
        return f"shape {R.shape} is not compatible with B's {B.shape}"
    for i in range(size(B)):
        wanted = at(A, at(B, i))
        if at(R, i) != wanted:
            return f"R({i}) = {at(R, i)} but A(B({i})) = A({at(B, i)}) = {wanted}"
    return ""


def overlap(A):
    """Whether two coordinates meet, or the modes interleave, in the order of their strides: CuTe calls both not injective."""
    reach = 1
    for s, d in sorted(flat_modes(filtered(A)), key=lambda mode: mode[1]):
        if s > 1 and d < reach:
            return True
        reach = s * d
    return False


def tiles(A):
    """Whether A's modes, by stride, each step over whole multiples of the one before: then no hole stays unfilled."""
    step = 1
    for s, d in sorted(flat_modes(filtered(A)), key=lambda mode: mode[1]):
        if d % step:
            return False
        step = s * d
    return True


def complement(A, cotarget, R):
    """Images share only 0, copies lie side by side in order, and all together cover the cotarget where A can tile it."""
    reached, copies = set(values(A)), values(R)
    if any(b <= a for a, b in pairwise(copies)):
        return f"not increasing: {copies}"
    if reached & set(copies) - {0}:
        return f"A and R share {sorted(reached & set(copies) - {0})}"
    if len({a + r for a in reached for r in copies}) != len(reached) * len(copies):
        return "two copies of A overlap"
    if tiles(A) and len(reached) * len(copies) < cotarget:
        return f"{len(reached)} * {len(copies)} offsets do not cover {cotarget}"
    return ""


def right_inverse(A, R):
    for i in range(size(R)):
        if at(A, at(R, i)) != i:
            return f"A(R({i})) = A({at(R, i)}) = {at(A, at(R, i))}"
    return ""


def sample(n, most=4096):
    """0..n-1, or so many of them, ends included, that a check stays quick."""
    return range(n) if n <= most else sorted({*range(0, n, n // most), n - 1})


def left_inverse(A, R):
    for i in sample(size(A)):
        there = at(A, i)
        if at(A, at(R, there)) != there:
            return f"A(R(A({i}))) = A({at(R, there)}) = {at(A, at(R, there))}, not A({i}) = {there}"
    return ""


def nullspace(A, R):
    if any(at(A, i) != 0 for i in values(R)):
        return "an index of R does not go to 0"
    if len(set(values(R))) != size(R):
        return "not injective"
    wanted = prod(s for s, d in flat_modes(A) if d == 0)
    return "" if size(R) == wanted else f"size {size(R)}, not {wanted}"


def by_mode(law, A, B, R):
    """`law` on A, B and R; where B is a tuple, on each of its modes. An int is a walk of that length; `_` asks nothing."""
    if isinstance(B, tuple) and not hasattr(B, "shape"):
        for k, (part, b, r) in enumerate(zip(modes(A), B, modes(R), strict=False)):
            wrong = by_mode(law, part, b, r)
            if wrong:
                return f"mode {k}: {wrong}"
        return ""
    if isinstance(B, int):
        return law(A, Plain(B, 1), R)
    return law(A, B, R) if hasattr(B, "shape") else ""


def tile_and_rest(R):
    if isinstance(R.shape, int) or len(R.shape) != 2:
        return None
    return modes(R)


def divide(A, B, R):
    """Mode 0 is A o B; every offset of A is met (exactly as often as A and B have it where nothing is surplus)."""
    pair = tile_and_rest(R)
    if pair is None:
        return f"not (tile, rest): {R.shape}"
    tile, _ = pair
    wrong = composition(A, B, tile)
    if wrong:
        return "mode 0 is not A o B: " + wrong
    repeats = size(B) // len(set(values(B)))
    wanted = Counter(values(A))
    for offset in wanted:
        wanted[offset] *= repeats
    got = Counter(values(R))
    if size(R) == size(A) * repeats and got != wanted:
        return f"offsets differ: {dict((got - wanted) + (wanted - got))}"
    return f"never met: {dict(wanted - got)}" if wanted - got else ""


FAR = 1 << 20  # a stride so wide that the digits of an offset tell the coordinate


def tracker(shape):
    """A layout of this flat shape whose offsets are its coordinates, written in base FAR."""
    sizes = leaves(shape)
    far = [FAR**k for k in range(len(sizes))]
    return Plain(tuple(sizes), tuple(far)) if not isinstance(shape, int) else Plain(shape, 1)


def tracked_divide(A, B, R, T):
    """The stronger law. T is the divide of `tracker(shape of coalesced A)` by B: its offsets are the coordinates that R
    visits. Every coordinate of A is met exactly as often as B repeats itself; R has A's offset at each."""
    if T.shape != R.shape:
        return f"another shape for other strides: {T.shape} and {R.shape}"
    sizes = leaves(A.shape)
    met = Counter()
    for there, offset in zip(values(T), values(R), strict=True):
        coord = [there // FAR**k % FAR for k in range(len(sizes))]
        if all(c < n for c, n in zip(coord, sizes, strict=True)):
            met[tuple(coord)] += 1
            if offset != sum(map(inner, coord, leaves(A.stride))):
                return f"R visits {coord} but gives {offset}"
    repeats = size(B) // len(set(values(B)))
    if len(met) != size(A):
        return f"{size(A) - len(met)} coordinates of A are never met"
    often = [coord for coord, n in met.items() if n != repeats]
    return f"coordinate {often[0]} is met {met[often[0]]} times, not {repeats}" if often else ""


def places(A, cotarget):
    """A's complement in an integer cotarget, worked out here: between the reaches of A's modes by stride, and above
    them all. None where a mode starts inside the reach of the one below."""
    shape, stride, reach = [], [], 1
    for d, s in sorted((d, s) for s, d in flat_modes(filtered(A)) if s > 1):
        if d < reach:
            return None
        shape.append(d // reach)
        stride.append(reach)
        reach = d * s
    return Plain((*shape, -(-cotarget // reach)), (*stride, reach))


def product(A, B, R):
    """Mode 0 is A; mode 1 is A* o B: where B says, in order and with B's repeats, the holes of A first."""
    pair = tile_and_rest(R)
    if pair is None:
        return f"not (block, copies): {R.shape}"
    block, copies = pair
    if values(block) != values(A):
        return "mode 0 is not A"
    if size(copies) != size(B):
        return f"{size(copies)} copies, not size(B) = {size(B)}"
    star = places(A, size(A) * (1 + max(values(B))))
    if star is None:
        return "A has no complement"
    # an extent of 1 at the end of A* is C++'s to drop: then the mode before it is the open one
    star = open_ended(star)
    for j, copy in enumerate(values(copies)):
        wanted = at(star, at(B, j))
        if copy != wanted:
            return f"copy {j} starts at {copy}, not A*(B({j})) = A*({at(B, j)}) = {wanted}"
    return ""


def open_ended(layout):
    """Without its modes of extent 1, so that the last mode left is the one that goes on."""
    kept = [(s, d) for s, d in flat_modes(layout) if s != 1]
    return Plain(tuple(s for s, _d in kept), tuple(d for _s, d in kept)) if kept else Plain(1, 0)


def tile_to_shape(block, shape, R):
    """R has the target's extents, mode by mode; inside the first block it is the block; every block is a shifted copy."""
    target = [extent(s) for s in ([shape] if isinstance(shape, int) else shape)]
    if [size(m) for m in modes(R)] != target:
        return f"extents {[size(m) for m in modes(R)]}, not {target}"
    inner_extents = [size(m) for m in modes(block)] + [1] * (len(target) - len(modes(block)))
    shifts = {}
    for index, offset in enumerate(values(R)):
        coord = digits(index, tuple(target))
        place = tuple(c // n for c, n in zip(coord, inner_extents, strict=True))
        within = inner(tuple(c % n for c, n in zip(coord, inner_extents, strict=True)), _prefix(inner_extents))
        shift = offset - at(block, within)
        if shifts.setdefault(place, shift) != shift:
            return f"block {place} is not a shifted copy at {coord}"
    if is_injective(block) and len(set(values(R))) != size(R):
        return "two blocks overlap"
    return "" if shifts[(0,) * len(target)] == 0 else "the first block is not the block"


def at_coord(layout, coord):
    """The offset of a coordinate that may hold an index in place of any parentheses."""
    if isinstance(coord, int):
        return at(layout, coord)
    return sum(at_coord(mode, c) for mode, c in zip(modes(layout), coord, strict=True))


def sliced(A, coord, offset, R):
    """R(kept) + offset == A(coord with the kept parts filled in). `coord` has None where a mode is kept."""
    kept = []

    def note(mode, c):
        if c is None:
            kept.append(mode.shape)
        elif not isinstance(c, int):
            for part in zip(modes(mode), c, strict=True):
                note(*part)

    note(A, coord)
    if size(R) != extent(tuple(kept)):
        return f"size {size(R)}, not {extent(tuple(kept))}"
    for i in range(size(R)):
        filling = iter(digits(i, tuple(kept)) if kept else ())
        wanted = at_coord(A, _filled(coord, filling))
        if offset + at(R, i) != wanted:
            return f"offset {offset} + R({i}) = {at(R, i)} is not {wanted}"
    return ""


def _filled(coord, filling):
    if coord is None:
        return next(filling)
    return coord if isinstance(coord, int) else tuple(_filled(c, filling) for c in coord)


def _prefix(extents):
    steps = [1]
    for n in extents[:-1]:
        steps.append(steps[-1] * n)
    return steps


def greedy_copies(A, n):
    """The first n offsets at which a copy of A fits beside the copies before it: A's complement, by trial."""
    reached, taken = set(values(A)), set()

    def fitting():
        start = 0
        while True:
            copy = {start + a for a in reached}
            if not copy & taken:
                taken.update(copy)
                yield start
            start += 1

    return list(islice(fitting(), n))
