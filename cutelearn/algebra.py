"""What layouts make together: coalesce, composition, complement, inverses, divides, products.

Every operation gives what CuTe C++ gives, in CuTe's spelling. Where that answer would break the operation's law, or where
CuTe refuses, it raises LayoutError with the numbers; `check=False` returns CuTe's answer as it is.
The laws stand in the docstrings. Evaluation in a law has the last mode open, as everywhere in CuTe.
"""

from math import gcd

from .htuple import (
    Coord,
    IntTuple,
    LayoutError,
    ScaledBasis,
    Underscore,
    as_ints,
    as_shape,
    ceil_div,
    compact_col_major,
    compact_order,
    has_underscore,
    idx2crd,
    inner,
    leaves,
    product,
    product_each,
    text,
    transform_leaf,
    tuple_rank,
    unwrap,
    wrap,
)
from .layout import (
    Layout,
    LayoutLeft,
    _Major,
    as_layout,
    cosize,
    make_layout,
    mode,
    rank,
    select,
    size,
)
from .parse import LayoutText, parse

Tiler = Layout | int | tuple  # a Layout or int: one 1-D function; a tuple: by mode
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
    return coalesce(filter_zeros(layout), profile)


# ------------------------------------------------------------------------------------------------ composition


def composition(a: Layout, b: Tiler, check: bool = True) -> Layout:
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
        return _by_mode(a, b, lambda x, y: composition(x, y, check), "composition")
    if isinstance(b, Underscore):
        return a
    if isinstance(b, int) and not isinstance(b, bool):
        return _composed(a, Layout(b, 1), check)
    return _bring(b, composition, a, check=check, right=True)


def _composed(a, b, check):
    flat_s, flat_d = _profile_coalesced(a, b)
    if check and not has_basis(b):
        used = [0] * len(flat_s)  # the largest digit that B's modes together put into each mode of A
        s, d, exact = _compose(flat_s, flat_d, b.shape, b.stride, used, a, b)
        exact = exact and all(u < n for u, n in zip(used[:-1], flat_s[:-1], strict=True))
        result = _of(s, d)
        if not exact:
            _find_carry(a, b, result, flat_s, flat_d)
        return result
    s, d, _exact = _compose(flat_s, flat_d, b.shape, b.stride, [0] * len(wrap(flat_s)), a, b)
    result = _of(s, d)
    if check:
        _check_by_coordinate(a, b, result)
    return result


def _check_by_coordinate(a, b, r):
    """The law where B gives coordinates of A, checked on every one."""
    if size(b) > _SEARCH:
        raise LayoutError(f"composition: {b} has {size(b)} coordinates, too many to check; check=False gives CuTe's answer")
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


def has_basis(layout: Layout) -> bool:
    """Whether a stride of the layout is a scaled basis: it gives coordinates, not offsets."""
    return any(d.__class__ is ScaledBasis for d in leaves(layout.stride))


def _profile_coalesced(a, b):
    """The modes of A that B's strides can see: all merged for integer strides, one by one for scaled bases."""
    if not has_basis(b):
        return _coalesced(leaves(a.shape), leaves(a.stride), open_end=True)
    return a.shape, a.stride


def _compose(a_shape, a_stride, s, d, used, a, b):
    """Shape and stride of A o s:d, and whether the mode is exact by itself."""
    if isinstance(s, tuple):
        parts = [_compose(a_shape, a_stride, e, f, used, a, b) for e, f in zip(s, d, strict=True)]
        return tuple(p[0] for p in parts), tuple(p[1] for p in parts), all(p[2] for p in parts)
    if d.__class__ is ScaledBasis:
        for i in d.path:
            if not isinstance(a_shape, tuple) or i >= len(a_shape):
                raise LayoutError(f"composition: the stride {d} of B counts along a mode that {a} has not")
            a_shape, a_stride = a_shape[i], a_stride[i]
        flat_s, flat_d = _coalesced(leaves(a_shape), leaves(a_stride), open_end=True)
        return _compose(flat_s, flat_d, s, d.value, [0] * len(flat_s), a, b)
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
            raise _divisibility_error(a, b, s, d, "stride", f"its stride is {step} when it meets the extent {n}", k, n, step)
        if step >= n:  # the whole step lies beyond this mode
            step //= n
            continue
        if rest == 1:
            step = 1
            continue
        have = -(-n // step)  # how many steps fit into this mode
        take = have if have < rest else rest
        if rest % take:
            raise _divisibility_error(
                a, b, s, d, "shape", f"{have} of its steps fit into the extent {n}, and {have} does not divide {rest}", k, have, rest
            )
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


def _divisibility_error(a, b, s, d, condition, why, k, n, got):
    flat = _join(*_coalesced(leaves(a.shape), leaves(a.stride), open_end=True))
    seen = f"mode {k} of {a}" if flat == a else f"mode {k} of {flat} (which is {a} coalesced)"
    of_b = f"the mode {s}:{d} of {b}" if isinstance(b.shape, tuple) else f"{b}"
    n_first = ", ".join(str(inner(i * d, a.shape, a.stride)) for i in range(min(s, 4))) + (", ..." if s > 4 else "")
    if condition == "stride":
        advice = f"a stride that meets the extent {n} must be smaller than it or a multiple of it"
    else:
        advice = f"choose an extent that is a multiple or a divisor of {n}"
    return LayoutError(
        f"composition: {condition} divisibility fails in {seen}: {of_b} does not fit, for {why} "
        f"({condition} {got} vs mode size {n}). The offsets wanted there are {n_first}: no layout of this form steps like "
        f"that. To compose, {advice}"
    )


def _find_carry(a, b, r, flat_s, flat_d):
    """Raises with the first coordinate where `r` is not A o B; returns where there is none after all."""
    n = size(b)
    for i in range(min(n, _SEARCH)):
        at = inner(i, b.shape, b.stride)
        wanted, got = inner(at, flat_s, flat_d), inner(i, r.shape, r.stride)
        if wanted != got:
            raise _carry_error(a, b, i, at, wanted, got, flat_s)
    if n > _SEARCH:
        raise LayoutError(
            f"composition: the modes of {b} may carry across the modes of {a}, and its {n} coordinates are too many to try. "
            f"Compose mode by mode, or pass check=False for CuTe's unchecked answer"
        )


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
        return tuple(map(build, value)) if isinstance(value, tuple) else value

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
        return _complement(a, cosize(filter(a)))
    if isinstance(cotarget, Layout):
        return _complement(a, cotarget.shape)
    cotarget = as_shape(cotarget)
    result = _complement(a, cotarget)
    if isinstance(cotarget, int):
        _check_reach(a, result, cotarget)
    return result


def _complement(a, cotarget):
    """CuTe's complement, whether or not the copies reach the whole cotarget."""
    filtered_s, filtered_d = _filtered(a)
    shapes, strides, current = [], [], 1  # current: how far the modes so far reach
    for d, s in sorted(zip(filtered_d, filtered_s, strict=True)):
        if d == 0:
            break  # nothing but broadcast modes
        if d < 0:
            raise LayoutError(f"complement: {a} has the negative stride {d}; reverse that mode first")
        if d < current:
            raise _overlap_error(a, d, current)
        shapes.append(d // current)
        strides.append(current)
        current = d * s
    rest = ceil_div(cotarget, current)
    rest_d = compact_col_major(rest, current)
    return _join(*_coalesced((*shapes, *leaves(rest)), (*strides, *leaves(rest_d))))


def _filtered(a) -> tuple:
    """The modes of `filter(a)` as two tuples."""
    strides = leaves(a.stride)
    shapes = tuple(1 if d == 0 else s for s, d in zip(leaves(a.shape), strides, strict=True))
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
    seen = {}
    for i in range(min(size(a), _SEARCH)):
        at = inner(i, a.shape, a.stride)
        coord = idx2crd(i, a.shape)
        # two coordinates that differ in a broadcast mode only meet on purpose
        key = tuple(c for c, e in zip(leaves(coord), leaves(a.stride), strict=True) if e != 0)
        if seen.setdefault(at, (coord, key))[1] != key:
            return LayoutError(
                f"complement: the layout is not injective: {a} reaches offset {at} from {text(seen[at][0])} and from "
                f"{text(coord)}. Give every coordinate an offset of its own"
            )
    return LayoutError(
        f"complement: not injective in CuTe's sense: the modes of {a} interleave, for its stride {d} is below {current}, "
        f"the reach of the faster modes (no two coordinates meet, but CuTe refuses it too). Use a stride of at least {current}"
    )


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
        _check_left_inverse(a, result, shape, stride)
    return result


def _check_left_inverse(a, r, shape, stride):
    for i in range(min(product(shape), _SEARCH)):
        at = inner(i, shape, stride)
        back = inner(inner(at, r.shape, r.stride), shape, stride)
        if back != at:
            raise LayoutError(
                f"left_inverse: the modes of {a} overlap, and CuTe's answer {r} fails the law: A({i}) = {at}, R({at}) = "
                f"{r(at)}, but A({r(at)}) = {back}. Only a layout whose modes nest has a left inverse of this form"
            )


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


# ------------------------------------------------------------------------------------------------ divide


def logical_divide(a: Layout, tiler: Tiler, check: bool = True) -> Layout:
    """A cut into tiles: ((tile), (rest)), `A o (B, B*)` with `B* = complement(B, shape(coalesce(A)))`.

    Law: mode 0 is `A o B`; with mode 1 every coordinate of A is met exactly once. The result may be larger than A: the
    surplus are phantom cells, out of range, and predicates are for them.
    A tuple divides by mode (`_` leaves a mode whole; modes beyond it stay); a Layout or int is one 1-D tiler.

    >>> logical_divide(Layout((4, 2, 3), (2, 1, 8)), Layout(4, 2))
    ((2,2),(2,3)):((4,1),(2,8))
    >>> logical_divide(Layout((9, (4, 8)), (59, (13, 1))), (Layout(3, 3), Layout((2, 4), (1, 8))))
    ((3,3),((2,4),(2,2))):((177,59),((13,2),(26,1)))

    Raises LayoutError as composition and complement do, and where the law fails; `check=False` gives CuTe's answer.
    Source: CuTe documentation, 02_layout_algebra, "Division (Tiling)".
    """
    if a.__class__ is not Layout:
        return _bring(a, logical_divide, tiler, check=check)
    if isinstance(tiler, Underscore):
        return a
    if isinstance(tiler, (tuple, list)):
        _check_tiler_rank(a, tiler, "logical_divide")
        done = [logical_divide(mode(a, i), t, check) for i, t in enumerate(tiler)]
        return make_layout(*done, *(mode(a, i) for i in range(len(tiler), rank(a))))
    b = _one_tiler(tiler, "logical_divide")
    flat_s, flat_d = _coalesced(leaves(a.shape), leaves(a.stride))
    rest = _complement(b, flat_s if len(flat_s) > 1 else flat_s[0])
    both = make_layout(b, rest)
    flat_s, flat_d = _coalesced(leaves(a.shape), leaves(a.stride), open_end=True)
    used = [0] * len(flat_s)
    s, d, exact = _compose(flat_s, flat_d, both.shape, both.stride, used, a, both)
    result = _of(s, d)
    inside = all(u < n for u, n in zip(used[:-1], flat_s[:-1], strict=True))
    if check and not (exact and inside):
        _check_divide(a, b, both, result)
    return result


def _one_tiler(tiler, name) -> Layout:
    if isinstance(tiler, Layout):
        return tiler
    if isinstance(tiler, int) and not isinstance(tiler, bool):
        return Layout(tiler)
    return as_layout(tiler, f"{name} (as its tiler)")


def _check_divide(a, b, both, result):
    """The law of divide where it is not plain: mode 0 is A o B, and every coordinate of A is met exactly once."""
    composition(a, b)  # raises on a carry inside the tile
    shape = _coalesced(leaves(a.shape), leaves(a.stride), open_end=True)[0]
    if size(result) > _SEARCH:
        raise LayoutError(
            f"logical_divide: {a} by {b} does not divide evenly, and its {size(result)} cells are too many to check; "
            f"pass check=False for CuTe's unchecked answer"
        )
    ends = (*shape[:-1], shape[-1] if product(shape) == size(a) else 1)  # a last extent of 1 was opened to 2
    where = _of(*_compose_coordinates(shape, both, a))
    seen = {}
    for i in range(size(where)):
        coord = where(i)
        if any(c >= n for c, n in zip(coord, ends, strict=True)):
            continue  # a phantom cell
        if coord in seen:
            raise LayoutError(
                f"logical_divide: {a} by {b} is no tiling: cells {seen[coord]} and {i} of {result} are both the coordinate "
                f"{text(coord)} of A. Choose a tiler that divides it; check=False gives CuTe's answer"
            )
        seen[coord] = i
    if len(seen) != product(ends):
        missing = next(c for c in (idx2crd(i, ends) for i in range(product(ends))) if c not in seen)
        raise LayoutError(
            f"logical_divide: {a} by {b} is no tiling: {result} never meets the coordinate {text(missing)} of A coalesced "
            f"({text(ends)}). Choose a tiler that divides it; check=False gives CuTe's answer"
        )


def _compose_coordinates(shape, both, a):
    """`both` composed with the identity on `shape`: where each cell lies, as a coordinate of A's modes."""
    bases = tuple(ScaledBasis(1, k) for k in range(len(shape)))
    s, d, _exact = _compose(shape, bases, both.shape, both.stride, [0] * len(shape), a, both)
    full = 0 * ScaledBasis(1, len(shape) - 1)  # so that every coordinate has all its entries
    return (s, 1), (d, full)


def _unzipped(s, d, tiler):
    """((tiles), (rests)) of a layout whose modes are (tile, rest) pairs wherever `tiler` has an entry."""
    if not isinstance(tiler, tuple):
        return s, d
    parts = [_unzipped(s[i], d[i], t) for i, t in enumerate(tiler)]
    n = len(tiler)
    shapes = tuple(p[0][0] for p in parts), (*(p[0][1] for p in parts), *s[n:])
    strides = tuple(p[1][0] for p in parts), (*(p[1][1] for p in parts), *d[n:])
    return shapes, strides


def _no_underscore(tiler, name):
    if isinstance(tiler, Underscore) or (isinstance(tiler, (tuple, list)) and _holds_underscore(tiler)):
        raise LayoutError(
            f"{name}: the tiler {_tiler_text(tiler)} holds _, which leaves a mode without its (tile, rest) pair: CuTe does "
            f"not compile it, or takes the mode itself apart. Write 1 for a tile of one, or the whole extent; "
            f"{'logical_divide' if 'divide' in name else 'logical_product'} takes _"
        )


def _holds_underscore(tiler) -> bool:
    return any(_holds_underscore(t) if isinstance(t, (tuple, list)) else isinstance(t, Underscore) for t in tiler)


def _as_tuples(tiler):
    return tuple(map(_as_tuples, tiler)) if isinstance(tiler, (tuple, list)) else tiler


def zipped_divide(a: Layout, tiler: Tiler, check: bool = True) -> Layout:
    """The divide with all tile modes first: ((tile modes), (rest modes, modes the tiler does not reach)).

    Law: as logical_divide, rearranged.

    >>> zipped_divide(Layout((12, 32)), (4, 8))
    ((4,8),(3,4)):((1,12),(4,96))

    Raises LayoutError as logical_divide does, and for `_` in the tiler.
    Source: CuTe documentation, 02_layout_algebra, "Zipped, Tiled, Flat Divides".
    """
    if a.__class__ is not Layout:
        return _bring(a, zipped_divide, tiler, check=check)
    _no_underscore(tiler, "zipped_divide")
    divided = logical_divide(a, tiler, check)
    return _of(*_unzipped(divided.shape, divided.stride, _as_tuples(tiler)))


def tiled_divide(a: Layout, tiler: Tiler, check: bool = True) -> Layout:
    """The zipped divide with the rest modes side by side: ((tile modes), rest, rest, ...).

    >>> tiled_divide(Layout((12, 32)), (4, 8))
    ((4,8),3,4):((1,12),4,96)

    Source: CuTe documentation, 02_layout_algebra, "Zipped, Tiled, Flat Divides".
    """
    if a.__class__ is not Layout:
        return _bring(a, tiled_divide, tiler, check=check)
    _no_underscore(tiler, "tiled_divide")
    return _spread(zipped_divide(a, tiler, check), tile=False)


def flat_divide(a: Layout, tiler: Tiler, check: bool = True) -> Layout:
    """The zipped divide with all modes side by side: (tile, tile, ..., rest, rest, ...).

    >>> flat_divide(Layout((12, 32)), (4, 8))
    (4,8,3,4):(1,12,4,96)

    Source: CuTe documentation, 02_layout_algebra, "Zipped, Tiled, Flat Divides".
    """
    if a.__class__ is not Layout:
        return _bring(a, flat_divide, tiler, check=check)
    _no_underscore(tiler, "flat_divide")
    return _spread(zipped_divide(a, tiler, check), tile=True)


def _spread(zipped, tile):
    (ts, rs), (td, rd) = zipped.shape, zipped.stride
    return _of((*_beside(ts, tile), *_beside(rs)), (*_beside(td, tile), *_beside(rd)))


def _beside(modes, spread=True) -> tuple:
    """The modes to put side by side; a group of one stays wrapped, as in CuTe."""
    return modes if spread and isinstance(modes, tuple) and len(modes) > 1 else (modes,)


# ------------------------------------------------------------------------------------------------ product


def logical_product(a: Layout, tiler: Tiler, check: bool = True) -> Layout:
    """Copies of A laid out as B says: (A, A* o B) with `A* = complement(A, size(A) * cosize(B))`.

    Law: mode 0 is A; mode 1 is `A* o B`: a copy of A starts where B says, the holes of A are filled first. A B that
    repeats gives repeated copies. A tuple works by mode (`_` leaves a mode alone; modes beyond it stay).

    >>> logical_product(Layout((2, 2), (4, 1)), Layout(6)), logical_product(Layout((2, 2), (4, 1)), Layout((4, 2), (2, 1)))
    (((2,2),(2,3)):((4,1),(2,8)), ((2,2),(4,2)):((4,1),(8,2)))

    Raises LayoutError as complement and composition do.
    Source: CuTe documentation, 02_layout_algebra, "Product (Tiling)".
    """
    if a.__class__ is not Layout:
        return _bring(a, logical_product, tiler, check=check)
    if isinstance(tiler, Underscore):
        return a
    if isinstance(tiler, (tuple, list)):
        _check_tiler_rank(a, tiler, "logical_product")
        done = [logical_product(mode(a, i), t, check) for i, t in enumerate(tiler)]
        return make_layout(*done, *(mode(a, i) for i in range(len(tiler), rank(a))))
    b = _one_tiler(tiler, "logical_product")
    return make_layout(a, composition(_complement(a, size(a) * cosize(b)), b, check))


def zipped_product(a: Layout, tiler: Tiler, check: bool = True) -> Layout:
    """The product with all of A's modes first: ((A's modes), (B's modes)).

    >>> zipped_product(Layout((2, 5), (5, 1)), (3, 4))
    ((2,5),(3,4)):((5,1),(10,5))

    Raises LayoutError as logical_product does, and for `_` in the tiler.
    Source: CuTe documentation, 02_layout_algebra, "Zipped, Tiled, Flat Products".
    """
    if a.__class__ is not Layout:
        return _bring(a, zipped_product, tiler, check=check)
    _no_underscore(tiler, "zipped_product")
    made = logical_product(a, tiler, check)
    return _of(*_unzipped(made.shape, made.stride, _as_tuples(tiler)))


def tiled_product(a: Layout, tiler: Tiler, check: bool = True) -> Layout:
    """The zipped product with B's modes side by side: ((A's modes), B mode, B mode, ...).

    >>> tiled_product(Layout((2, 2), (4, 1)), Layout((4, 2), (2, 1)))
    ((2,2),4,2):((4,1),8,2)

    Source: CuTe documentation, 02_layout_algebra, "Zipped, Tiled, Flat Products".
    """
    if a.__class__ is not Layout:
        return _bring(a, tiled_product, tiler, check=check)
    _no_underscore(tiler, "tiled_product")
    return _spread(zipped_product(a, tiler, check), tile=False)


def flat_product(a: Layout, tiler: Tiler, check: bool = True) -> Layout:
    """The zipped product with all modes side by side.

    >>> flat_product(Layout((2, 2), (4, 1)), Layout((4, 2), (2, 1)))
    (2,2,4,2):(4,1,8,2)

    Source: CuTe documentation, 02_layout_algebra, "Zipped, Tiled, Flat Products".
    """
    if a.__class__ is not Layout:
        return _bring(a, flat_product, tiler, check=check)
    _no_underscore(tiler, "flat_product")
    return _spread(zipped_product(a, tiler, check), tile=True)


def _padded(a, n):
    """`a` with size-1 modes appended until it has rank n: CuTe's `append<N>`."""
    if rank(a) == n:
        return a
    more = n - rank(a)
    return _of((*wrap(a.shape), *(1,) * more), (*wrap(a.stride), *(0,) * more))


def _rank_sensitive(a, b, check, name, order):
    if a.__class__ is not Layout:
        return _bring(a, globals()[name], b, check=check)
    b = _one_tiler(b, name)
    n = max(rank(a), rank(b))
    a, b = _padded(a, n), _padded(b, n)
    if not isinstance(a.shape, tuple):
        a = make_layout(a)
    if not isinstance(b.shape, tuple):
        b = make_layout(b)
    made = logical_product(a, b, check)
    (s0, s1), (d0, d1) = made.shape, made.stride
    return _of(
        tuple((x, y)[::order] for x, y in zip(s0, s1, strict=True)),
        tuple((x, y)[::order] for x, y in zip(d0, d1, strict=True)),
    )


def blocked_product(a: Layout, b: Layout, check: bool = True) -> Layout:
    """The product mode by mode, each block of A whole: ((A0,B0),(A1,B1),...).

    Law: `R((a0,b0),(a1,b1)) == logical_product(A, B)((a0,a1),(b0,b1))`. The shorter layout gets size-1 modes.

    >>> blocked_product(Layout((2, 2), (2, 1)), Layout((2, 3)))
    ((2,2),(2,3)):((2,4),(1,8))

    Source: CuTe documentation, 02_layout_algebra, "Blocked and Raked Products".
    """
    return _rank_sensitive(a, b, check, "blocked_product", 1)


def raked_product(a: Layout, b: Layout, check: bool = True) -> Layout:
    """The product mode by mode, blocks interleaved: ((B0,A0),(B1,A1),...).

    Law: `R((b0,a0),(b1,a1)) == logical_product(A, B)((a0,a1),(b0,b1))`. The shorter layout gets size-1 modes.

    >>> raked_product(Layout((2, 2), (2, 1)), Layout((2, 3)))
    ((2,2),(3,2)):((4,2),(8,1))

    Source: CuTe documentation, 02_layout_algebra, "Blocked and Raked Products".
    """
    return _rank_sensitive(a, b, check, "raked_product", -1)


def tile_to_shape(block: Layout, target: IntTuple, order=LayoutLeft) -> Layout:
    """`block` repeated until it fills the shape `target`; `order` says which mode of copies comes first.

    Law: mode k has the size of mode k of `target`; the first cell of every mode is the block's.

    >>> tile_to_shape(Layout((2, 5), (5, 1)), (8, 10))
    ((2,4),(5,2)):((5,10),(1,40))

    Raises LayoutError where the block does not divide the target, or has more modes.
    Source: CuTe header `layout.hpp`, `tile_to_shape`.
    """
    if block.__class__ is not Layout:
        return _bring(block, tile_to_shape, target, order)
    target = as_shape(target)
    n = tuple_rank(target)
    if rank(block) > n:
        raise LayoutError(f"tile_to_shape: the block {block} has rank {rank(block)}, the target {text(target)} only {n}")
    padded = _padded(block, n)
    have, want = product_each(wrap(padded.shape)), product_each(wrap(target))
    for k, (h, w) in enumerate(zip(have, want, strict=True)):
        if w % h:
            raise LayoutError(
                f"tile_to_shape: block shape does not divide the target shape: mode {k} has {h} cells, the target {w}. "
                f"Choose a multiple of {h}"
            )
    copies = tuple(w // h for h, w in zip(have, want, strict=True))
    if isinstance(order, _Major):
        tiles = Layout(copies, order)
    else:
        tiles = _of(copies, compact_order(copies, as_ints(order, "the order")))
    return blocked_product(padded, tiles)


# ------------------------------------------------------------------------------------------------ reshaping and recasting


def with_shape(a: Layout, *shape: IntTuple) -> Layout:
    """A seen through another shape of the same order of coordinates: `composition(A, Layout(shape))`.

    Law: `R(i) == A(i)` for every i < size(R).

    >>> with_shape(Layout((4, 4), (4, 1)), (8, 2))
    ((4,2),2):((4,1),2)

    Source: CuTe header `layout.hpp`, `Layout::with_shape`.
    """
    return composition(a, Layout(shape[0] if len(shape) == 1 else shape))


def upcast(a: Layout, n: int) -> Layout:
    """The layout counted in elements `n` times as large: strides divided by n, extents where they run inside one.

    >>> upcast(Layout((4, 6), (6, 1)), 2)
    (4,3):(3,1)

    Raises LayoutError where a stride neither divides n nor is divided by it.
    Source: CuTe header `layout.hpp`, `upcast`.
    """
    if a.__class__ is not Layout:
        return _bring(a, upcast, n)
    _check_factor(n, "upcast")

    def up(s, d):
        if isinstance(s, tuple):
            parts = [up(e, f) for e, f in zip(s, d, strict=True)]
            return tuple(p[0] for p in parts), tuple(p[1] for p in parts)
        if d == 0:
            return s, d
        step = abs(d)
        if step % n and n % step:
            raise LayoutError(
                f"upcast: Divisibility condition: the stride {d} of {a} and the factor {n}: neither divides the other"
            )
        return ceil_div(s, ceil_div(n, step)), ceil_div(step, n) * (1 if d > 0 else -1)

    return _of(*up(a.shape, a.stride))


def downcast(a: Layout, n: int) -> Layout:
    """The layout counted in elements `n` times as small: the stride-1 mode grows, other strides are multiplied.

    >>> downcast(Layout((4, 6), (6, 1)), 2)
    (4,12):(12,1)

    Raises LayoutError where no mode has stride 1: the parts of an element must lie side by side.
    Source: CuTe header `layout.hpp`, `downcast`.
    """
    if a.__class__ is not Layout:
        return _bring(a, downcast, n)
    _check_factor(n, "downcast")
    if all(abs(d) != 1 for d in leaves(a.stride)):
        raise LayoutError(f"downcast: Downcast requires adjacent elements: {a} has no mode of stride 1")

    def down(s, d):
        if isinstance(s, tuple):
            parts = [down(e, f) for e, f in zip(s, d, strict=True)]
            return tuple(p[0] for p in parts), tuple(p[1] for p in parts)
        return (s * n, d) if abs(d) == 1 else (s, d * n)

    return _of(*down(a.shape, a.stride))


def _check_factor(n, name):
    if not isinstance(n, int) or isinstance(n, bool) or n < 1:
        raise LayoutError(f"{name}: the factor must be a positive integer, not {n!r}")


def recast(a: Layout, old_bits: int, new_bits: int) -> Layout:
    """The same memory seen as elements of `new_bits` in place of `old_bits`: CuTe's `recast_layout`.

    >>> recast(Layout(16), 16, 32), recast(Layout((4, 3)), 32, 16)
    (8:1, (8,3):(1,8))

    Raises LayoutError as upcast and downcast do.
    Source: CuTe header `layout.hpp`, `recast_layout`.
    """
    _check_factor(old_bits, "recast")
    _check_factor(new_bits, "recast")
    common = gcd(old_bits, new_bits)
    up, down = new_bits // common, old_bits // common
    if up > 1:
        a = upcast(a, up)
    return downcast(a, down) if down > 1 else a


def max_common_layout(a: Layout, b: Layout) -> Layout:
    """The coordinates in which A and B both count 0, 1, 2, ...: what can be moved between them as one vector.

    Law: `A(R(i)) == i == B(R(i))` for every i < size(R).

    >>> max_common_layout(Layout((3, 6, 2), (1, 6, 36)), Layout((3, 6, 2), (1, 3, 18)))
    3:1

    Source: CuTe header `layout.hpp`, `max_common_layout`.
    """
    inverse = right_inverse(b)
    common = coalesce(composition(a, inverse))
    first = mode(common, 0)
    if first.stride != 1:
        return _ONE
    return composition(inverse, first)


def max_common_vector(a: Layout, b: Layout) -> int:
    """How many elements can be moved between A and B as one vector: the size of the max_common_layout.

    >>> max_common_vector(Layout((3, 6, 2), (1, 6, 36)), Layout((3, 6, 2), (1, 3, 18)))
    3

    Source: CuTe header `layout.hpp`, `max_common_vector`.
    """
    return size(max_common_layout(a, b))


def max_alignment(a: Layout) -> int:
    """The largest N such that A is made of aligned runs of N elements.

    >>> max_alignment(Layout((4, 2, 6), (12, 6, 1))), max_alignment(Layout((4, 3), (1, 6)))
    (48, 2)

    Source: CuTe header `layout.hpp`, `max_alignment`.
    """
    flat = coalesce(a)
    parts = logical_divide(flat, right_inverse(flat))
    n = size(parts, 0)
    for d in leaves(mode(parts, 1).stride):
        n = gcd(n, d)
    return n


def evenly_divides(shape: IntTuple, tiler: Tiler) -> bool:
    """Whether the tiler cuts the shape into whole tiles, without phantom cells.

    >>> evenly_divides((32, 64), (Layout(8, 2), 32)), evenly_divides(16, 12)
    (True, False)

    Source: CuTe header `layout.hpp`, `evenly_divides`.
    """
    if isinstance(tiler, (tuple, list)):
        if len(tiler) > tuple_rank(shape):
            return False
        return all(evenly_divides(s, t) for s, t in zip(wrap(shape), tiler, strict=False))
    b = _one_tiler(tiler, "evenly_divides")
    return product(shape) == size(b) * size(_complement(b, shape))


def make_fragment_like(a: Layout) -> Layout:
    """A compact layout for registers: the first mode contiguous, the others in the order of their strides.

    >>> make_fragment_like(Layout(((4, 5), 13), ((12, 1), 64)))
    ((4,5),(13)):((1,4),(20))

    Source: CuTe header `layout.hpp`, `make_fragment_like`.
    """
    if a.__class__ is not Layout:
        return _bring(a, make_fragment_like)
    if rank(a) == 1:
        return _of(a.shape, compact_col_major(a.shape))
    kept = filter_zeros(a)
    first = _of(a.shape[0], compact_col_major(kept.shape[0]))
    others = select(kept, *range(1, rank(a)))
    rest = _of(a.shape[1:], compact_order(others.shape, others.stride))
    return make_layout(first, composition(_complement(first, size(first) * cosize(rest)), rest))


# ------------------------------------------------------------------------------------------------ other objects


def _bring(x, op, *args, **kw):
    """Hands the operation to an object that is no Layout but knows how (a composed layout, a tensor)."""
    if hasattr(x, "_layout_op"):
        return x._layout_op(op, *args, **kw)
    return as_layout(x, op.__name__)
