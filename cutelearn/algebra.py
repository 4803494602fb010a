"""What layouts make together: coalesce, composition, complement, inverses. Divides and products are in tiling.py.

Every operation gives what CuTe C++ gives, in CuTe's spelling. Where that answer would break the operation's law, or where
CuTe refuses, it raises LayoutError with the numbers; `check=False` returns CuTe's answer as it is.
The laws stand in the docstrings. Evaluation in a law has the last mode open, as everywhere in CuTe.
"""

from math import gcd
from numbers import Integral

from .htuple import (
    IntTuple,
    LayoutError,
    ScaledBasis,
    Underscore,
    as_shape,
    ceil_div,
    compact_col_major,
    idx2crd,
    inner,
    leaves,
    product,
    text,
    transform_leaf,
    wrap,
)
from .layout import (
    Layout,
    as_layout,
    cosize,
    make_layout,
    mode,
    need_offsets,
    rank,
    size,
)
from .parse import LayoutText, parse

Tiler = Layout | int | tuple  # a Layout or int: one 1-D function; a tuple: by mode
AT_ONCE = 1 << 12  # beyond so many coordinates a law is checked by numpy, many at once
_SEARCH = 1 << 20  # how many coordinates a law is checked on before it counts as not verifiable
_of = Layout._of
_ONE = _of(1, 0)


# ------------------------------------------------------------------------------------------------ coalesce and filter


def coalesce(layout: Layout, profile: IntTuple | None = None) -> Layout:
    """The same function with as few modes as possible: neighbours merge where `s0 * d0 == d1`.

    Law: `size(R) == size(A)` and `R(i) == A(i)` for every i < size(A).
    With a `profile` (a tuple, CuTe's `Step<_1,_1>`) each of its modes is coalesced by itself; further modes stay.

    >>> coalesce(Layout((2, (1, 6)), (1, (6, 2)))), coalesce(Layout((2, (1, 6)), (1, (6, 2))), (1, 1))
    (12:1, (2,6):(1,2))
    >>> coalesce(Layout((2, 3), (3, 1)))
    (2,3):(3,1)

    Raises LayoutError where the profile has more modes than the layout.
    Source: CuTe documentation, 02_layout_algebra, "Coalesce".
    """
    if layout.__class__ is not Layout:
        return _bring(layout, coalesce, profile)
    if isinstance(profile, tuple):
        return _by_profile(layout, profile, coalesce)
    return _join(*_coalesced(leaves(layout.shape), leaves(layout.stride)))


def _coalesced(shape: tuple, stride: tuple, open_end: bool = False) -> tuple:
    """Merged modes as two tuples, worked from the right, as CuTe does.

    `open_end` keeps a last mode of extent 1 (as if its extent were 2): its stride is where indices past the end go.
    """
    if not shape:
        return (1,), (0,)
    s, d = shape[-1], stride[-1]
    if open_end and s == 1:
        s = 2
    done_s, done_d = [], []
    for k in range(len(shape) - 2, -1, -1):
        t, e = shape[k], stride[k]
        if t == 1:
            continue
        if s == 1:
            s, d = t, e
        elif t * e == d:
            s, d = t * s, e
        else:
            done_s.append(s)
            done_d.append(d)
            s, d = t, e
    if s == 1 and not done_s:
        return (1,), (0,)
    done_s.append(s)
    done_d.append(d)
    return tuple(done_s[::-1]), tuple(done_d[::-1])


def _join(shape: tuple, stride: tuple) -> Layout:
    """A layout of these modes; a single one becomes an integer mode."""
    return _of(shape[0], stride[0]) if len(shape) == 1 else _of(shape, stride)


def _by_profile(layout, profile, op):
    modes = wrap(layout.shape)
    if len(profile) > len(modes):
        raise LayoutError(
            f"{op.__name__} by {text(profile)}: the profile has {len(profile)} modes, but {layout} has rank {len(modes)}"
        )
    done = [op(mode(layout, i), p) for i, p in enumerate(profile)]
    return make_layout(*done, *(mode(layout, i) for i in range(len(profile), len(modes))))


def filter_zeros(layout: Layout) -> Layout:
    """The layout with every extent of stride 0 set to 1: broadcast modes counted once.

    >>> filter_zeros(Layout((2, 4), (0, 1)))
    (1,4):(0,1)

    Source: CuTe header `layout.hpp`, `filter_zeros`.
    """
    if layout.__class__ is not Layout:
        return _bring(layout, filter_zeros)
    return _of(transform_leaf(lambda s, d: 1 if d == 0 else s, layout.shape, layout.stride), layout.stride)


def filter(layout: Layout, profile: IntTuple | None = None) -> Layout:
    """The layout without its broadcast and size-1 modes: `coalesce(filter_zeros(layout))`.

    Law: the same function on the modes that are kept; the image is unchanged.

    >>> filter(Layout((2, 4, 3), (0, 1, 4)))
    12:1

    Source: CuTe documentation, 02_layout_algebra; header `layout.hpp`, `filter`.
    """
    if layout.__class__ is not Layout:
        return _bring(layout, filter, profile)
    if isinstance(profile, tuple):
        return _by_profile(layout, profile, filter)
    return coalesce(filter_zeros(layout))


# ------------------------------------------------------------------------------------------------ composition


def composition(a: Layout, b: Tiler, *, check: bool = True) -> Layout:
    """`A o B`, the layout that walks A in the order of B: B makes coordinates, A makes offsets.

    Law: `size(R) == size(B)`, every coordinate of B is one of R, and `R(i) == A(B(i))`.
    A Layout (or int) on the right is one walk through A's 1-D coordinates. A tuple works by mode: its k-th entry on the
    k-th mode of A (`_` leaves that mode whole); modes of A beyond a shorter tuple are dropped, as in CuTe.

    >>> composition(Layout((6, 2), (8, 2)), Layout(4, 3)), composition(Layout(20, 2), Layout((5, 4), (4, 1)))
    ((2,2):(24,2), (5,4):(8,2))
    >>> a = Layout((8, 8), (8, 1))
    >>> composition(a, (2, 4)), composition(a, Layout((2, 4)))
    ((2,4):(8,1), (2,4):(8,16))

    Raises LayoutError where no layout is right: a stride or extent of B that does not divide what it meets in A, or
    modes of B that carry across a mode of A. `check=False` skips the carry check alone.
    Source: CuTe documentation, 02_layout_algebra, "Composition"; Cecka, "CuTe Layout Representation and Algebra".
    """
    if a.__class__ is not Layout:
        return _bring(a, composition, b, check=check)
    if b.__class__ is Layout:
        return _composed(a, b, check)
    if isinstance(b, (tuple, list)):
        return _by_mode(a, b, lambda x, y: composition(x, y, check=check), "composition")
    if isinstance(b, Underscore):
        return a
    if isinstance(b, Integral) and not isinstance(b, bool):
        return _composed(a, _of(as_shape(b, "composition: the tiler"), 1), check)
    return _bring(b, composition, a, check=check, right=True)


def _composed(a, b, check):
    call = ("composition", a, b, None)
    if has_basis(b):
        result = _of(*_compose_basis(a.shape, a.stride, b.shape, b.stride, call))
        if check:
            _check_by_coordinate(a, b, result)
        return result
    flat_s, flat_d = _coalesced(leaves(a.shape), leaves(a.stride), open_end=True)
    used = [0] * len(flat_s)  # the largest digit that B's modes together put into each mode of A
    s, d, exact = _compose(flat_s, flat_d, b.shape, b.stride, used, call)
    result = _of(s, d)
    if check and not (exact and _inside(used, flat_s)):
        _find_carry(a, b, result, flat_s, flat_d)
    return result


def _compose_basis(a_shape, a_stride, s, d, call):
    """Shape and stride of A o s:d where strides may be bases: each counts along its own mode of A."""
    if isinstance(s, tuple):
        parts = [_compose_basis(a_shape, a_stride, e, f, call) for e, f in zip(s, d, strict=True)]
        return tuple(p[0] for p in parts), tuple(p[1] for p in parts)
    if d.__class__ is ScaledBasis:
        for i in d.path:
            if not isinstance(a_shape, tuple) or i >= len(a_shape):
                raise LayoutError(f"composition: the stride {d} of B counts along a mode that {call[1]} has not")
            a_shape, a_stride = a_shape[i], a_stride[i]
        d = d.value
    flat_s, flat_d = _coalesced(leaves(a_shape), leaves(a_stride), open_end=True)
    return _compose(flat_s, flat_d, s, d, [0] * len(flat_s), call)[:2]


def _check_by_coordinate(a, b, r):
    """The law where B gives coordinates of A, checked on every one."""
    if size(b) > _SEARCH:
        raise LayoutError(
            f"composition: {b} has {size(b)} coordinates, too many to check; check=False gives CuTe's answer"
        )
    for i in range(size(b)):
        at = b(i)
        wanted, got = _at(at, a.shape, a.stride), inner(i, r.shape, r.stride)
        if wanted != got:
            raise LayoutError(
                f"not a layout: the modes of B carry. B({i}) = {text(at)}, A{text(at)} = {wanted}, but the by-mode rule gives "
                f"{got}. A = {a}, B = {b}; check=False gives CuTe's answer, wrong at this coordinate"
            )


def _at(coord, shape, stride):
    """The offset of a coordinate that may be shorter than the shape; what it leaves out is 0."""
    if isinstance(coord, tuple):
        return sum((_at(c, s, d) for c, s, d in zip(coord, shape, stride, strict=False)), start=0)
    return inner(coord, shape, stride)


def _inside(used, extents) -> bool:
    """Whether no digit leaves its mode; the last mode is open."""
    for k in range(len(extents) - 1):
        if used[k] >= extents[k]:
            return False
    return True


def has_basis(layout: Layout) -> bool:
    """Whether a stride of the layout is a scaled basis: it gives coordinates, not offsets."""
    return any(d.__class__ is ScaledBasis for d in leaves(layout.stride))


def _compose(a_shape, a_stride, s, d, used, call):
    """Shape and stride of A o s:d for a flat A, and whether the mode is exact by itself."""
    if isinstance(s, tuple):
        parts = [_compose(a_shape, a_stride, e, f, used, call) for e, f in zip(s, d, strict=True)]
        return tuple(p[0] for p in parts), tuple(p[1] for p in parts), all(p[2] for p in parts)
    if d == 0:
        return s, 0, True
    last = len(a_shape) - 1
    if last == 0:
        used[0] += (s - 1) * abs(d)
        return s, d * a_stride[0], True
    sign = -1 if d < 0 else 1
    rest, step = s, abs(d)  # what is left of B's extent; B's stride in units of the current mode of A
    shapes, strides, exact = [], [], sign > 0
    for k in range(last):
        n = a_shape[k]
        if step % n and step >= n:
            raise _stride_error(call, s, d, k, n, step)
        if step >= n:  # the whole step lies beyond this mode
            step //= n
            continue
        if rest == 1:
            step = 1
            continue
        have = -(-n // step)  # how many steps fit into this mode
        take = have if have < rest else rest
        if rest % take:
            raise _shape_error(call, s, d, k, n, have, rest)
        shapes.append(take)
        strides.append(sign * step * a_stride[k])
        used[k] += (take - 1) * step
        rest //= take
        exact = exact and (rest == 1 or step * have == n)
        step = 1
    if not shapes:
        used[last] += (rest - 1) * step
        return rest, sign * step * a_stride[last], exact
    if rest != 1:
        shapes.append(rest)
        strides.append(sign * step * a_stride[last])
        used[last] += (rest - 1) * step
    if len(shapes) == 1:
        return shapes[0], strides[0], exact
    return tuple(shapes), tuple(strides), exact


def _stride_error(call, s, d, k, n, step):
    return _divisibility_error(
        call, s, d, k, f"stride divisibility fails (stride {step} vs mode size {n})", f"its stride is {step} when it meets {n}",
        f"a stride that meets the extent {n} must be smaller than it or a multiple of it",
    )  # fmt: skip


def _shape_error(call, s, d, k, n, have, rest):
    return _divisibility_error(
        call, s, d, k, f"shape divisibility fails (shape {rest} vs {have})",
        f"{have} of its steps fit into the extent {n}, and {have} does not divide {rest}",
        f"choose an extent that is a multiple or a divisor of {have}",
    )  # fmt: skip


def _divisibility_error(call, s, d, k, what, why, advice):
    name, a, b, rest = call
    flat = _join(*_coalesced(leaves(a.shape), leaves(a.stride), open_end=True))
    seen = f"mode {k} of {a}" if flat == a else f"mode {k} of {flat} (which is {a} coalesced)"
    if rest is None:
        of_b = f"the mode {s}:{d} of {b}" if isinstance(b.shape, tuple) else f"{b}"
    else:
        of_b = f"the mode {s}:{d} of the tile {b} and its rest {rest}"
    steps = ", ".join(str(inner(i * d, a.shape, a.stride)) for i in range(min(s, 4))) + (", ..." if s > 4 else "")
    return LayoutError(
        f"{name}: {what} in {seen}: {of_b} does not fit, for {why}. The offsets wanted there are {steps}: no layout of this "
        f"form steps like that; {advice}{_if_offsets_are_meant(name, a, b)}"
    )


def _if_offsets_are_meant(name, a, b) -> str:
    """What else to say where A gives 0, 1, ... once each and B seems to name these offsets, not A's coordinates."""
    try:
        inverse = right_inverse(a)
        if name != "composition" or not size(a) == size(b) == cosize(b) == size(inverse):
            return ""
        composition(inverse, b)
    except LayoutError:
        return ""
    return (
        ". B counts the coordinates of A: if offsets are meant, as A gives them, the coordinates are "
        "composition(right_inverse(A), B)"
    )


def _find_carry(a, b, r, flat_s, flat_d):
    """Raises with the first coordinate where `r` is not A o B; returns where there is none after all."""
    n = size(b)
    found = (
        first_difference(
            min(n, _SEARCH), (b, _of(flat_s, _along(path, flat_d))), (_of(r.shape, _along(path, r.stride)),)
        )
        for path in _paths(flat_d)
    )
    i = min((i for i in found if i is not None), default=None)
    if i is not None:
        at = inner(i, b.shape, b.stride)
        wanted, got = inner(at, flat_s, flat_d), inner(i, r.shape, r.stride)
        raise _carry_error(a, b, i, at, wanted, got, flat_s)
    if n > _SEARCH:
        raise LayoutError(
            f"composition: the modes of {b} may carry across the modes of {a}, and its {n} coordinates are too many to try. "
            f"Compose mode by mode, or pass check=False for CuTe's unchecked answer"
        )


def _paths(stride) -> set:
    """The modes of a coordinate space that a stride counts along, one at a time; None stands for all that it does."""
    steps = leaves(stride)
    paths = {d.path for d in steps if d.__class__ is ScaledBasis}
    return paths if paths and all(d.__class__ is ScaledBasis or d == 0 for d in steps) else {None}


def _along(path, stride):
    """The part of a stride that counts along one mode of a coordinate space; all of it where there is none."""
    if path is None:
        return stride
    return transform_leaf(lambda d: d.value if d.__class__ is ScaledBasis and d.path == path else 0, stride)


def through(maps, i):
    """What a chain of maps makes of an index (or of a numpy array of them): layouts, numbers to add, functions such as swizzles."""
    for m in maps:
        i = inner(i, m.shape, m.stride) if isinstance(m, Layout) else i + m if isinstance(m, int) else m(i)
    return i


def first_difference(n, f, g):
    """The first index < n where two chains of maps differ (see `through`), or None.

    From some thousands on they are looked at many at once, as numpy arrays, where no offset leaves 64 bits.
    """
    if n <= AT_ONCE or not (_fits(n, f) and _fits(n, g)):
        return next((i for i in range(n) if through(f, i) != through(g, i)), None)
    for begin in range(0, n, 1 << 16):
        i = _of(min(1 << 16, n - begin), 1).offsets() + begin
        wrong = through(f, i) != through(g, i)
        if wrong.any():
            return begin + int(wrong.argmax())
    return None


def _fits(reach, maps) -> bool:
    """Whether all offsets on the way fit into 64 bits, for indices up to `reach`, and none below 0 is a coordinate."""
    below = False
    for m in maps:
        if isinstance(m, Layout):
            steps = leaves(m.stride)
            if below or has_basis(m):
                return False
            below, reach = min(steps) < 0, reach * (sum(map(abs, steps)) + 1)
        else:
            reach += abs(m) if isinstance(m, int) else reach + m.yyy + m.zzz
    return reach < 1 << 62


def _carry_error(a, b, i, at, wanted, got, flat_s):
    coord = idx2crd(i, b.shape)
    digits, places = leaves(coord), leaves(b.stride)
    terms = [c * d for c, d in zip(digits, places, strict=True) if c * d]
    where, below = 0, 1
    for k, n in enumerate(flat_s[:-1]):
        where = k
        if sum(t // below % n if t >= 0 else 0 for t in terms) >= n:
            break
        below *= n
    sums = f" = {' + '.join(map(str, terms))}" if len(terms) > 1 else ""
    b_at = f"B{text(coord)}" if isinstance(coord, tuple) else f"B({coord})"
    merged = tuple(flat_s) != leaves(a.shape)
    named = f"mode {where} of A{' coalesced' if merged else ''} (size {flat_s[where]})"
    what = "the modes of B carry" if len(leaves(b.shape)) > 1 else "the steps of B carry"
    return LayoutError(
        f"not a layout: {what}. {b_at} = {at}{sums} crosses {named}; A({b_at}) = {wanted} but the by-mode rule gives {got}. "
        f"A = {a}, B = {b}. Choose strides of B whose digits stay inside A's modes, or compose one mode of B at a time; "
        f"check=False gives CuTe's answer, wrong at this coordinate"
    )


def _by_mode(a, tiler, op, name):
    """`op` on each mode of A with its entry of the tiler: CuTe's `transform_layout`. Further modes of A are dropped."""
    _check_tiler_rank(a, tiler, name)
    return make_layout(*(op(mode(a, i), t) for i, t in enumerate(tiler)))


def _check_tiler_rank(a, tiler, name):
    if len(tiler) > rank(a):
        raise LayoutError(
            f"{name}: Too many modes in tiler: {_tiler_text(tiler)} works by mode and has {len(tiler)}, but {a} has rank "
            f"{rank(a)}. For one walk through 1-D coordinates write a Layout, not a tuple"
        )
    if not tiler:
        raise LayoutError(f"{name}: the tiler () has no modes; give one entry for every mode to be tiled")


def _tiler_text(tiler) -> str:
    return "<" + ",".join(map(_tiler_text, tiler)) + ">" if isinstance(tiler, (tuple, list)) else str(tiler)


def parse_tiler(source: str) -> Tiler:
    """A tiler from its text: `<3:3,(2,4):(1,8)>`, `<4,_>`, `(3,8)`, `4:1`, or C++'s `Tile<...>`.

    >>> parse_tiler("<3:3,(2,4):(1,8)>")
    (3:3, (2,4):(1,8))

    Raises LayoutError with a caret under the fault.
    """

    def build(value):
        if isinstance(value, LayoutText):
            return Layout(value.shape, value.stride)
        if isinstance(value, (tuple, int, Underscore)):
            return tuple(map(build, value)) if isinstance(value, tuple) else value
        raise LayoutError(f"{source.strip()!r} is no tiler: write layouts, integers and _ , as in <3:3,8>")

    return build(parse(source, "tiler"))


# ------------------------------------------------------------------------------------------------ complement


def complement(a: Layout, cotarget: IntTuple | None = None) -> Layout:
    """Where the other copies of A start: the layout A* of the offsets that A leaves out, up to `cotarget`.

    Law: A* is injective and increasing, the images of A and A* share only 0, and (A, A*) has at least `cotarget`
    coordinates where that is an int. A shape is rounded up mode by mode and may fall short of its size; without a
    cotarget it is `cosize(A)`, and gaps that no copy of A fits stay. Broadcast modes of A are ignored.

    >>> complement(Layout(4), 24), complement(Layout(6, 4), 24), complement(Layout((2, 2), (1, 6)), 24)
    (6:4, 4:1, (3,2):(2,12))

    Raises LayoutError "not injective" where modes of A overlap or interleave (CuTe refuses it too), for negative strides,
    and where a stride of A is no multiple of what lies below it, so that the copies cannot fill up an int cotarget.
    Source: CuTe documentation, 02_layout_algebra, "Complement".
    """
    if a.__class__ is not Layout:
        return _bring(a, complement, cotarget)
    if cotarget is None:
        return _complement(a, cosize(filter(a)))[0]
    if isinstance(cotarget, Layout):
        return _complement(a, cotarget.shape)[0]
    if cotarget.__class__ is not int or cotarget < 1:
        cotarget = as_shape(cotarget, "the cotarget")
    result, gapless = _complement(a, cotarget)
    if not gapless and isinstance(cotarget, int):
        _check_reach(a, result, cotarget)
    return result


def _complement(a, cotarget) -> tuple:
    """CuTe's complement, whether or not the copies reach the whole cotarget; and whether they leave no gap."""
    filtered_s, filtered_d = _filtered(a)
    shapes, strides, current, gapless = [], [], 1, True  # current: how far the modes so far reach
    if any(d.__class__ is ScaledBasis for d in filtered_d):
        need_offsets(a, "complement")
    for d, s in sorted(zip(filtered_d, filtered_s, strict=True)):
        if d == 0:
            break  # nothing but broadcast modes
        if d < 0:
            raise LayoutError(f"complement: {a} has the negative stride {d}; reverse that mode first")
        if d < current:
            raise _overlap_error(a, d, current)
        gapless = gapless and d % current == 0
        shapes.append(d // current)
        strides.append(current)
        current = d * s
    rest = ceil_div(cotarget, current)
    if isinstance(rest, tuple):
        shapes.extend(leaves(rest))
        strides.extend(leaves(compact_col_major(rest, current)))
    else:
        shapes.append(rest)
        strides.append(current)
    return _join(*_coalesced(shapes, strides)), gapless


def _filtered(a) -> tuple:
    """The modes of `filter(a)` as two tuples."""
    shapes, strides = leaves(a.shape), leaves(a.stride)
    if 0 in strides:
        shapes = tuple(1 if d == 0 else s for s, d in zip(shapes, strides, strict=True))
    return _coalesced(shapes, strides)


def _check_reach(a, r, cotarget):
    shapes, strides = _filtered(a)
    reached = product(shapes) * size(r)
    if reached >= cotarget:
        return
    current = 1
    for d, s in sorted(zip(strides, shapes, strict=True)):
        if d % current:
            raise LayoutError(
                f"complement: {a} leaves gaps that no copies fill: its stride {d} is no multiple of {current}, which the modes "
                f"below it cover, so (A, A*) has only {reached} of the {cotarget} coordinates wanted. Use a stride that is a "
                f"multiple of {current}, or a cotarget of at most {reached}"
            )
        current = d * s


def _overlap_error(a, d, current):
    meet, sure = _meeting(leaves(a.shape), leaves(a.stride))
    if meet:
        one, other = sorted(meet, key=lambda c: inner(c, leaves(a.shape), compact_col_major(leaves(a.shape))))
        at = sum(c * e for c, e in zip(one, leaves(a.stride), strict=True))
        return LayoutError(
            f"complement: the layout is not injective: {a} reaches offset {at} from {text(_nested(a.shape, iter(one)))} and from "
            f"{text(_nested(a.shape, iter(other)))}. Give every coordinate an offset of its own"
        )
    why = (
        "no two coordinates meet, but CuTe refuses it too" if sure else "whether two coordinates meet was not found out"
    )
    return LayoutError(
        f"complement: not injective in CuTe's sense: the modes of {a} interleave, for its stride {d} is below {current}, "
        f"the reach of the faster modes ({why}). Use a stride of at least {current}"
    )


def _nested(shape, flat):
    """The entries of a flat coordinate in the parentheses of a shape."""
    return tuple(_nested(s, flat) for s in shape) if isinstance(shape, tuple) else next(flat)


def _meeting(shape, stride) -> tuple:
    """Two flat coordinates of one offset, apart in other modes than broadcast ones (or None); and whether that is sure.

    Their difference x is no zero, has |x[k]| < shape[k], and sum(x[k] * stride[k]) is 0. Larger strides are tried one value
    after the other, as far as the smaller ones reach back; the two smallest are solved. Strides are positive or 0.
    """
    modes = sorted(
        ((d, s - 1, k) for k, (s, d) in enumerate(zip(shape, stride, strict=True)) if d and s > 1), reverse=True
    )
    reach = [sum(d * most for d, most, _k in modes[i:]) for i in range(len(modes) + 1)]
    budget, x = [_SEARCH >> 6], [0] * len(shape)

    def solve(i, rest):
        """Values of the modes i, i + 1, ... that sum up to `rest`, not all 0 where those before are; written into x."""
        budget[0] -= 1
        if budget[0] < 0 or len(modes) - i < 2:
            return False
        if len(modes) - i == 2:
            return _solve_two(modes[i:], rest, x)
        d, most, k = modes[i]
        far = reach[i + 1]  # |rest - v * d| <= far
        low, high = max(-most, -((far - rest) // d)), min(most, (rest + far) // d)
        for v in _outward(low, high):
            x[k] = v
            if solve(i + 1, rest - v * d):
                return True
        x[k] = 0
        return False

    if len(modes) < 2 or not solve(0, 0):
        return None, budget[0] >= 0
    return (tuple(max(v, 0) for v in x), tuple(max(-v, 0) for v in x)), True


def _outward(low, high):
    """The integers from low to high, those near 0 first."""
    for n in range(max(-low, high) + 1):
        yield from (v for v in ({n, -n}) if low <= v <= high)


def _solve_two(modes, rest, x) -> bool:
    """u * d + v * e == rest with |u| and |v| in their bounds, not both 0; written into x."""
    (d, most_u, k), (e, most_v, j) = modes
    common = gcd(d, e)
    if rest % common:
        return False
    step = e // common  # u may be moved by this much, v then by d // common the other way
    low = max(-most_u, -((most_v * e - rest) // d))  # from |rest - u * d| <= most_v * e
    high = min(most_u, (rest + most_v * e) // d)
    if rest or any(x):
        u = rest // common * pow(d // common, -1, step) if step > 1 else 0
        u -= (u - low) // step * step  # the first that is not below `low`
    else:
        u = step  # 0 and 0 is no answer
    if u > high:
        return False
    x[k], x[j] = u, (rest - u * d) // e
    return True


# ------------------------------------------------------------------------------------------------ inverses


def right_inverse(a: Layout) -> Layout:
    """Which coordinate holds offset i: the longest R with `A(R(i)) == i`.

    Law: `A(R(i)) == i` for every i < size(R). Broadcast and reversed modes are skipped; R is `1:0` where A has no stride 1.

    >>> right_inverse(Layout((2, 4, 6), (4, 1, 8))), right_inverse(Layout(4, 2))
    ((4,2,6):(2,1,8), 1:0)

    Source: CuTe header `layout.hpp`, `right_inverse`.
    """
    if a.__class__ is not Layout:
        return _bring(a, right_inverse)
    shape, stride = _coalesced(leaves(a.shape), leaves(a.stride))
    place = compact_col_major(shape)
    shapes, strides, current = [], [], 1
    while current in stride:
        k = stride.index(current)
        shapes.append(shape[k])
        strides.append(place[k])
        current *= shape[k]
    return _join(tuple(shapes), tuple(strides)) if shapes else _ONE


def left_inverse(a: Layout) -> Layout:
    """Which coordinate an offset came from: R with `A(R(A(i))) == A(i)`, so `R(A(i)) == i` where A is injective.

    Several spellings are right; this is CuTe C++'s.

    >>> left_inverse(Layout((4, 4), (4, 1))), left_inverse(Layout((3, 2), (2, 8)))
    ((4,4):(4,1), (2,4,2):(0,1,3))

    Raises LayoutError where a stride is no multiple of the next smaller one, for negative strides, and where overlapping
    modes make the law fail.
    Source: CuTe header `layout.hpp`, `left_inverse`.
    """
    if a.__class__ is not Layout:
        return _bring(a, left_inverse)
    shape, stride = _coalesced(leaves(a.shape), leaves(a.stride))
    need_offsets(a, "left_inverse")
    modes = sorted((d, k) for k, d in enumerate(stride) if d != 0)
    if not modes:
        return _join(*_coalesced(shape, stride))
    place = compact_col_major(shape)
    shapes, strides, current, below = [], [], 1, 0
    reach, nested = 1, True  # nested: every mode steps over all that lies below it
    for d, k in modes:
        if d < 0:
            raise LayoutError(f"left_inverse: {a} has the negative stride {d}; reverse that mode first")
        if d % current:
            raise LayoutError(
                f"left_inverse: Left inverse divisibility condition: stride {d} of {a} is not a multiple of {current}, "
                f"the next smaller stride"
            )
        shapes.append(d // current)
        strides.append(below)
        nested = nested and d >= reach
        current, below, reach, extent = d, place[k], d * shape[k], shape[k]
    shapes.append(extent)
    strides.append(below)
    result = _join(*_coalesced(tuple(shapes), tuple(strides)))
    if not nested:
        _check_left_inverse(a, result)
    return result


def _check_left_inverse(a, r):
    n = product(a.shape)
    i = first_difference(min(n, _SEARCH), (a,), (a, r, a))
    if i is not None:
        at = through((a,), i)
        raise LayoutError(
            f"left_inverse: the modes of {a} overlap, and CuTe's answer {r} fails the law: A({i}) = {at}, R({at}) = "
            f"{r(at)}, but A({r(at)}) = {through((r, a), at)}. Only a layout whose modes nest has a left inverse of this form"
        )
    if n > _SEARCH:
        raise LayoutError(f"left_inverse: the modes of {a} overlap, and its {n} coordinates are too many to check")


def nullspace(a: Layout) -> Layout:
    """The coordinates that A sends to 0 because their modes have stride 0.

    Law: `A(R(i)) == 0` for every i < size(R).

    >>> nullspace(Layout((3, 6), (0, 3))), nullspace(Layout((5, 2), (1, 5)))
    (3:1, 1:0)

    Source: CuTe header `layout.hpp`, `nullspace`.
    """
    if a.__class__ is not Layout:
        return _bring(a, nullspace)
    shape, stride = leaves(a.shape), leaves(a.stride)
    place = compact_col_major(shape)
    free = [k for k, d in enumerate(stride) if d == 0]
    if not free:
        return _ONE
    return _join(tuple(shape[k] for k in free), tuple(place[k] for k in free))


# ------------------------------------------------------------------------------------------------ other objects


def _bring(x, op, *args, **kw):
    """Hands the operation to an object that is no Layout but knows how (a composed layout, a tensor)."""
    if hasattr(x, "_layout_op"):
        return x._layout_op(op, *args, **kw)
    return as_layout(x, op.__name__)
