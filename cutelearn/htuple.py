"""Nested tuples of integers: the arithmetic of shapes, strides and coordinates.

A shape, a stride or a coordinate is an int or a tuple of such things. Nothing here knows what a Layout is.
Written with plain operators, so that it runs on any kind of integer; what must be decided is decided by `==`, `<` and `%`.
"""

from operator import index as _index

IntTuple = int | tuple  # a nested tuple of integers, or one integer
Coord = IntTuple  # may also hold `_` where a mode is kept


DEEPEST = 64  # how deep parentheses may stand
_LONGEST = 2000  # characters in a message


class LayoutError(ValueError):
    """A layout, shape, coordinate or operation that CuTe has no right answer for. The message gives the numbers.

    What is very long in it, such as a shape of a thousand extents, is cut in the middle.
    """

    def __init__(self, sentence="", *others):
        if isinstance(sentence, str) and len(sentence) > _LONGEST:
            begin, end = sentence[: _LONGEST // 2], sentence[-_LONGEST // 4 :]
            sentence = f"{begin} ... ({len(sentence) - len(begin) - len(end)} characters) ... {end}"
        super().__init__(sentence, *others)


# ------------------------------------------------------------------------------------------------ leaves


class Int(int):
    """CuTe's `Int<N>`: an integer that is known for good, also where it stands beside run-time integers.

    On the host every integer is known, so `Int(4)` acts as `4`. Inside a kernel its value becomes part of the type.

    >>> Int(4) * 2
    8

    Source: CuTe documentation, 01_layout, "Integers".
    """

    __slots__ = ()

    def __new__(cls, n=0):
        try:
            return super().__new__(cls, _index(n))
        except TypeError:
            raise LayoutError(f"Int({shown(n)}): an Int is an integer, as in Int(4)") from None


class RuntimeInt:
    """An integer whose value is not known here: what a size or a thread index is while a kernel is compiled.

    Subclasses bring the arithmetic (`+ - * // %`). `==` asks "is it known to be equal?" and a value is known to equal
    only itself; whatever else would decide on the value raises.
    """

    __slots__ = ()

    def _undecided(self, *_other):
        raise LayoutError(
            "this asks for the value of a run-time integer: only static integers can be compared or tested for "
            "divisibility when a kernel is compiled. Make that extent or stride static, as in Int(128)"
        )

    __lt__ = __le__ = __gt__ = __ge__ = __bool__ = __index__ = _undecided


class Underscore:
    """The type of `_`: in a coordinate it keeps its mode, in a tiler it leaves its mode whole."""

    __slots__ = ()
    _only = None

    def __new__(cls):
        cls._only = cls._only or super().__new__(cls)
        return cls._only

    def __repr__(self) -> str:
        return "_"

    def __reduce__(self):
        return Underscore, ()


_ = Underscore()


class ScaledBasis:
    """A stride that counts along one mode of a coordinate space: `value@mode`, CuTe's `ScaledBasis`.

    `E(0)` is the unit step along mode 0, `E(1, 0)` the one along mode 0 inside mode 1. Strides of this kind make a
    layout give coordinates in place of offsets; CuTe prints the path innermost first.

    >>> 3 * E(1, 0)
    3@0@1
    >>> E(0) + 2 * E(1)
    (1,2)

    Source: CuTe documentation, 0z_tma_tensors, "ArithTuple iterators and strides".
    """

    __slots__ = ("value", "path")

    def __init__(self, value: int, *path: int):
        self.value, self.path = value, path

    def __mul__(self, factor):
        return ScaledBasis(self.value * factor, *self.path)

    __rmul__ = __mul__

    def __neg__(self):
        return ScaledBasis(-self.value, *self.path)

    def __abs__(self):
        return ScaledBasis(abs(self.value), *self.path)

    def __add__(self, other):
        return self.as_tuple() + other

    __radd__ = __add__

    def as_tuple(self) -> "ArithmeticTuple":
        """The same step as a coordinate: `3@1` is `(0,3)`."""
        step = self.value
        for mode in reversed(self.path):
            step = ArithmeticTuple((0,) * mode + (step,))
        return step

    def __eq__(self, other):
        if isinstance(other, ScaledBasis):
            return self.value == other.value and self.path == other.path
        return False

    def __hash__(self):
        return hash((self.value, self.path))

    def __repr__(self) -> str:
        return f"{self.value}" + "".join(f"@{mode}" for mode in reversed(self.path))


def E(*path: int) -> ScaledBasis:
    """The unit step along the mode that `path` leads to (outermost first): CuTe's `E<...>{}`.

    >>> E(0), E(0, 1)
    (1@0, 1@1@0)
    """
    if not path or any(not isinstance(mode, int) or mode < 0 for mode in path):
        raise LayoutError(f"E{path}: give the path of a mode, outermost first, as in E(0) or E(1, 0)")
    return ScaledBasis(1, *path)


class ArithmeticTuple(tuple):
    """A coordinate that adds mode by mode; the shorter one is filled up with zeros."""

    __slots__ = ()

    def __add__(self, other):
        if isinstance(other, ScaledBasis):
            other = other.as_tuple()
        if not isinstance(other, tuple):
            return self if other == 0 else ArithmeticTuple((self[0] + other, *self[1:]))
        n = max(len(self), len(other))
        left, right = (*self, *(0,) * (n - len(self))), (*other, *(0,) * (n - len(other)))
        return ArithmeticTuple(b + a if isinstance(b, tuple) else a + b for a, b in zip(left, right, strict=True))

    __radd__ = __add__

    def __repr__(self) -> str:
        return text(self)


# ------------------------------------------------------------------------------------------------ text and checks


def text(x) -> str:
    """`x` as CuTe prints it, without the static underscores: `(4,(3,6))`, and `(4)` for a tuple of one."""
    if isinstance(x, tuple):
        return "(" + ",".join(map(text, x)) + ")"
    return int.__repr__(x) if isinstance(x, int) else str(x)


def shown(x) -> str:
    """`x` in a message, whatever it is: its repr where that is short and says something, else what kind of thing it is.

    >>> shown("ab"), shown(object()), shown("a" * 1000)
    ("'ab'", 'an object', "'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa...")
    """
    try:
        words = repr(x)
    except Exception:  # of a thing too deep, too long or broken
        words = ""
    if not words or " at 0x" in words or "\n" in words:
        return _kind(x)
    return words if len(words) <= _SHOWN else words[:_SHOWN] + "..."


_SHOWN = 80  # characters of a thing that does not belong there


def _kind(x) -> str:
    name = type(x).__name__
    return f"{'an' if name[0] in 'aeiouAEIOU' else 'a'} {name}"


def _what(x) -> str:
    words, kind = shown(x), f"a {type(x).__name__}"
    return words if words == _kind(x) else f"{words} ({kind})"


def as_ints(x, what: str, depth: int = 0) -> IntTuple:
    """`x` as nested tuples of Python ints; lists and numpy integers are taken, bools and floats are not."""
    if isinstance(x, bool):
        raise LayoutError(f"{what} holds {_what(x)}: write an integer")
    if isinstance(x, (Int, ScaledBasis, RuntimeInt)):
        return x
    if isinstance(x, (tuple, list)):
        if depth >= DEEPEST:
            raise LayoutError(
                f"{what} has parentheses more than {DEEPEST} deep: no layout is nested so; write it flatter"
            )
        return tuple(as_ints(e, what, depth + 1) for e in x)
    if isinstance(x, Underscore):
        raise LayoutError(f"{what} holds _: an underscore stands in coordinates and tilers only")
    if isinstance(x, float):
        hint = f"; write {int(x)}" if x.is_integer() else ""
        raise LayoutError(f"{what} holds {_what(x)}: only integers can count cells{hint}")
    if isinstance(x, str):
        raise LayoutError(
            f"{what} holds the text {shown(x)}: write integers, or read the text with Layout.parse({shown(x)})"
        )
    try:
        return _index(x)
    except TypeError:
        raise LayoutError(f"{what} holds {_what(x)}: write integers and tuples of integers") from None


def as_coord(x, what: str = "the coordinate") -> Coord:
    """`x` as a coordinate without `_`: what `as_ints` takes, but no scaled basis, which is a stride."""
    x = as_ints(x, what)
    for leaf in leaves(x):
        if isinstance(leaf, ScaledBasis):
            raise LayoutError(f"{what} holds {leaf}: a scaled basis is a stride, and here numbers are wanted")
    return x


def as_shape(x, what: str = "the shape") -> IntTuple:
    """`x` as a shape: nested tuples of positive ints. Anything else is a LayoutError that names the leaf."""
    x = as_ints(x, what)
    for leaf in leaves(x):
        if isinstance(leaf, RuntimeInt):
            continue
        if not isinstance(leaf, int):
            raise LayoutError(f"{what} {text(x)} holds {leaf}: a shape counts, only a stride may be a basis")
        if leaf < 1:
            where = f" {text(x)} has the extent {leaf}" if isinstance(x, tuple) else f" is {leaf}"
            raise LayoutError(f"{what}{where}: every extent must be at least 1")
    return x


# ------------------------------------------------------------------------------------------------ structure


def leaves(x) -> tuple:
    """All leaves of `x`, left to right: CuTe's `flatten_to_tuple`.

    >>> leaves((2, (3, (4,))))
    (2, 3, 4)
    """
    if not isinstance(x, tuple):
        return (x,)
    out = []
    for e in x:
        if isinstance(e, tuple):
            out.extend(leaves(e))
        else:
            out.append(e)
    return tuple(out)


def wrap(x) -> tuple:
    """`x` as a tuple of modes: an integer becomes a tuple of one."""
    return x if isinstance(x, tuple) else (x,)


def unwrap(x):
    """A tuple of one becomes what it holds; anything else stays."""
    while isinstance(x, tuple) and len(x) == 1:
        x = x[0]
    return x


def product(x: IntTuple) -> int:
    """The product of all leaves: the number of coordinates of a shape.

    >>> product((2, (3, 4)))
    24
    """
    if not isinstance(x, tuple):
        if x.__class__ is int:
            return x
        x = as_ints(x, "the tuple to be multiplied")
        if not isinstance(x, tuple):
            return x
    p = 1
    try:
        for e in x:
            p *= product(e) if isinstance(e, tuple) else e
    except TypeError:
        as_ints(x, "the tuple to be multiplied")  # says which entry is no integer
        raise
    return p


def product_each(x: tuple) -> tuple:
    """The product of each top-level mode.

    >>> product_each((2, (3, 4)))
    (2, 12)
    """
    return tuple(product(e) for e in x)


def tuple_rank(x) -> int:
    """The number of top-level modes; an integer has one."""
    return len(x) if isinstance(x, tuple) else 1


def tuple_depth(x) -> int:
    """How deep the parentheses go: 0 for an integer, 1 for a flat tuple."""
    return 1 + max(map(tuple_depth, x), default=0) if isinstance(x, tuple) else 0


def transform_leaf(f, x, *others):
    """`x` with `f` applied to every leaf, together with the leaves of congruent `others`."""
    if isinstance(x, tuple):
        return tuple(transform_leaf(f, *es) for es in zip(x, *others, strict=True))
    return f(x, *others)


def has_underscore(x) -> bool:
    """Whether `_` stands anywhere in `x`."""
    return any(map(has_underscore, x)) if isinstance(x, tuple) else isinstance(x, Underscore)


# ------------------------------------------------------------------------------------------------ comparing profiles


def _shape_of(x):
    return getattr(x, "shape", x)


def congruent(a, b) -> bool:
    """Whether `a` and `b` have the same parentheses. Both may be shapes or layouts.

    >>> congruent((4, (3, 6)), (1, (4, 12))), congruent(24, (24,))
    (True, False)

    Source: CuTe documentation, 01_layout, "Congruence".
    """
    a, b = _shape_of(a), _shape_of(b)
    if isinstance(a, tuple) and isinstance(b, tuple):
        return len(a) == len(b) and all(map(congruent, a, b))
    return not isinstance(a, tuple) and not isinstance(b, tuple)


def weakly_congruent(a, b) -> bool:
    """Whether `b` has at least the parentheses of `a`: an integer of `a` stands for anything in `b`. One-way.

    >>> weakly_congruent((4, 6), ((2, 2), 6)), weakly_congruent(((2, 2), 6), (4, 6))
    (True, False)

    Source: CuTe header `layout.hpp`, `weakly_congruent`.
    """
    a, b = _shape_of(a), _shape_of(b)
    if isinstance(a, tuple):
        return isinstance(b, tuple) and len(a) == len(b) and all(map(weakly_congruent, a, b))
    return True


def compatible(a, b) -> bool:
    """Whether every coordinate of `a` is a coordinate of `b`: the same size, and `b` refines `a`. One-way.

    >>> compatible(24, (4, 6)), compatible((4, 6), 24)
    (True, False)

    Source: CuTe documentation, 01_layout, "Layout compatibility".
    """
    a, b = _shape_of(a), _shape_of(b)
    if isinstance(a, tuple):
        return isinstance(b, tuple) and len(a) == len(b) and all(map(compatible, a, b))
    return a == product(b)


# ------------------------------------------------------------------------------------------------ division of shapes


def ceil_div(a: IntTuple, b: IntTuple) -> IntTuple:
    """How many steps of `b` cover `a`: `(a + b - 1) // b`, mode by mode.

    An integer `b` on a tuple `a` is used up from the left; modes of `a` beyond a shorter `b` stay.

    >>> ceil_div(10, 4), ceil_div((10, 12, 7), (3, 4)), ceil_div((4, 8), 8)
    (3, (4, 3, 7), (1, 4))

    Raises LayoutError where `b` has more modes than `a`, and for a divisor below 1.
    Source: CuTe header `int_tuple.hpp`, `ceil_div`.
    """
    if b.__class__ is not int or b < 1:
        b = as_shape(b, "ceil_div: the divisor")
    if a.__class__ is list:
        a = as_ints(a, "ceil_div: the dividend")
    if isinstance(a, tuple):
        if isinstance(b, tuple):
            if len(b) > len(a):
                raise LayoutError(f"ceil_div: {text(b)} has {len(b)} modes, but {text(a)} has only {len(a)}")
            return tuple(map(ceil_div, a, b)) + a[len(b) :]
        out = []
        for e in a:
            n = product(e)
            out.append(ceil_div(e, b))
            b = ceil_div(b, n)
        return tuple(out)
    b = product(b)
    return (as_coord(a, "ceil_div: the dividend") + (b - 1)) // b


def shape_div(a: IntTuple, b: IntTuple) -> IntTuple:
    """`a` divided by `b` from the left, as composition divides a shape by a stride.

    >>> shape_div((6, 2), 3), shape_div((4, 5, 6), 40), shape_div(3, 12)
    ((2, 2), (1, 1, 3), 1)

    Raises LayoutError where neither of the two numbers that meet divides the other.
    Source: CuTe header `int_tuple.hpp`, `shape_div`; documentation 02_layout_algebra, "Composition".
    """
    b = as_shape(b, "shape_div: the divisor")
    a = as_coord(a, "shape_div: the dividend")
    if isinstance(a, tuple):
        if isinstance(b, tuple):
            if len(a) != len(b):
                raise LayoutError(f"shape_div: {text(a)} has {len(a)} modes, {text(b)} has {len(b)}")
            return tuple(map(shape_div, a, b))
        out = []
        for e in a:
            n = product(e)
            out.append(shape_div(e, b))
            b = shape_div(b, n)
        return tuple(out)
    b = product(b)
    if a % b != 0 and b % a != 0:
        raise LayoutError(
            f"shape_div: {b} does not divide {a}, nor {a} {b}: "
            f"choose a divisor of {a} or a multiple of it, or use ceil_div"
        )
    return a // b if a % b == 0 else 1


# ------------------------------------------------------------------------------------------------ coordinates


def idx2crd(idx: Coord, shape: IntTuple) -> Coord:
    """The natural coordinate of `idx` in `shape`: colexicographic digits, the last one open.

    Law: `crd2idx(idx2crd(i, shape), shape) == i`. `idx` may also be a coordinate with fewer parentheses than `shape`.

    >>> idx2crd(35, ((2, 4), 8)), idx2crd((1, 5), (3, (2, 3))), idx2crd(9, (2, 3))
    (((1, 1), 4), (1, (1, 2)), (1, 4))

    Raises LayoutError where `idx` has parentheses that `shape` has not.
    Source: CuTe documentation, 01_layout, "Coordinate mapping".
    """
    return natural(as_coord(idx), as_shape(shape))


def natural(idx: Coord, shape: IntTuple) -> Coord:
    """`idx2crd` on what is known to be integers."""
    if isinstance(idx, tuple):
        if not isinstance(shape, tuple) or len(idx) != len(shape):
            raise _profile_error(idx, shape)
        return tuple(map(natural, idx, shape))
    if not isinstance(shape, tuple):
        return idx
    if not shape:
        return ()
    if idx.__class__ is int and idx < 0:  # C++ division truncates
        return transform_leaf(lambda c: -c, natural(-idx, shape))
    out = []
    for s in shape[:-1]:
        n = product(s)
        out.append(natural(idx % n, s))
        idx //= n
    out.append(natural(idx, shape[-1]))
    return tuple(out)


def inner(coord: Coord, shape: IntTuple, stride) -> int:
    """The inner product of the natural coordinate of `coord` with `stride`; the last mode is open-ended."""
    if isinstance(coord, tuple):
        if not isinstance(shape, tuple) or len(coord) != len(shape):
            raise _profile_error(coord, shape)
        total = 0
        for c, s, d in zip(coord, shape, stride, strict=True):
            total = total + (c * d if c.__class__ is int and s.__class__ is int else inner(c, s, d))
        return total
    if not isinstance(shape, tuple):
        return coord * stride
    if not shape:
        return 0
    if coord.__class__ is int and coord < 0:  # C++ division truncates
        return -1 * inner(-coord, shape, stride)
    total = 0
    last = len(shape) - 1
    for i in range(last):
        s = shape[i]
        if s.__class__ is int:
            total = total + (coord % s) * stride[i]
            coord = coord // s
        else:
            n = product(s)
            total = total + inner(coord % n, s, stride[i])
            coord = coord // n
    s = shape[last]
    return total + (inner(coord, s, stride[last]) if isinstance(s, tuple) else coord * stride[last])


def _profile_error(coord, shape) -> LayoutError:
    if not isinstance(shape, tuple):
        return LayoutError(
            f"the coordinate {text(coord)} is a tuple of {len(coord)}, but the mode it stands for is the integer "
            f"{shape}: give one integer there"
        )
    entries = "entry" if len(coord) == 1 else "entries"
    return LayoutError(
        f"coordinate {text(coord)} has {len(coord)} {entries}, but the shape {text(shape)} has rank {len(shape)}: "
        f"give one entry a mode, or one integer for all of them"
    )


def crd2crd(coord: Coord, src_shape: IntTuple, dst_shape: IntTuple) -> Coord:
    """The coordinate of `dst_shape` that counts the same cell as `coord` of `src_shape`.

    >>> crd2crd((1, 5), (3, 6), (3, (2, 3)))
    (1, (1, 2))

    Pre-condition: the shapes have the same size. Raises LayoutError otherwise, and for a coordinate of the wrong profile.
    Source: CuTe header `stride.hpp`, `crd2crd`.
    """
    src_shape, dst_shape = as_shape(src_shape), as_shape(dst_shape)
    if product(src_shape) != product(dst_shape):
        raise LayoutError(
            f"crd2crd: {text(src_shape)} has {product(src_shape)} cells, {text(dst_shape)} has {product(dst_shape)}: "
            f"only shapes of one size have the same coordinates"
        )
    return natural(inner(as_coord(coord), src_shape, places(src_shape)), dst_shape)


# ------------------------------------------------------------------------------------------------ compact strides


def places(shape: IntTuple, current: int = 1):
    """What each digit of a coordinate counts: the product of all extents before it (extents of 1 too).

    >>> places((2, (1, 3)))
    (1, (2, 2))
    """
    if not isinstance(shape, tuple):
        return current
    out = []
    for s in shape:
        out.append(places(s, current))
        current *= product(s)
    return tuple(out)


def compact_col_major(shape: IntTuple, current: int = 1):
    """Strides that leave no gap, first mode fastest; a mode of extent 1 gets stride 0, as in CuTe.

    >>> compact_col_major((4, (3, 6))), compact_col_major((2, 1, 3))
    ((1, (4, 12)), (1, 0, 2))

    Source: CuTe header `stride.hpp`, `compact_col_major`.
    """
    return _compact(shape, current if current.__class__ is int else _first_stride(current), False)[0]


def compact_row_major(shape: IntTuple, current: int = 1):
    """Strides that leave no gap, last mode fastest; a mode of extent 1 gets stride 0, as in CuTe.

    >>> compact_row_major((4, (3, 6)))
    (18, (6, 1))

    Source: CuTe header `stride.hpp`, `compact_row_major`.
    """
    return _compact(shape, current if current.__class__ is int else _first_stride(current), True)[0]


def _first_stride(current):
    current = as_ints(current, "the first stride")
    if isinstance(current, tuple):
        raise LayoutError(
            f"the first stride is {text(current)}: give one integer; for strides of your own write Layout(shape, stride)"
        )
    return current


def _compact(shape, current, from_right):
    if shape.__class__ is not tuple and (shape.__class__ is not int or shape < 1):
        shape = as_shape(shape)
    if not isinstance(shape, tuple):
        return (0 if shape == 1 else current), current * shape
    out = []
    for s in reversed(shape) if from_right else shape:
        d, current = _compact(s, current, from_right)
        out.append(d)
    return tuple(reversed(out) if from_right else out), current


def compact_order(shape: IntTuple, order: IntTuple):
    """Strides that leave no gap, modes of smaller `order` faster; modes of equal order start at the same stride.

    Run-time numbers count as larger than every static one, and among themselves from left to right, as in CuTe.

    >>> compact_order((2, 3, 4, 5), (2, 67, 42, 50))
    (1, 40, 2, 8)

    Raises LayoutError where `order` has parentheses that `shape` has not.
    Source: CuTe header `stride.hpp`, `compact_order`.
    """
    if not isinstance(order, tuple) or any(o.__class__ is not int for o in order):
        shape, order = as_shape(shape), as_coord(order, "the order")
    pairs = _order_pairs(shape, order)
    ranked = [(1, i) if isinstance(o, RuntimeInt) else (0, o) for i, (_s, o) in enumerate(pairs)]
    sizes = [product(s) for s, _o in pairs]
    places = iter(ranked)

    def place(s, o):
        if isinstance(o, tuple):
            return tuple(map(place, s, o))
        here = next(places)
        start = 1
        for there, n in zip(ranked, sizes, strict=True):
            if there < here:
                start *= n
        return compact_col_major(s, start)

    return place(shape, order)


def _order_pairs(shape, order) -> list:
    """(mode, its order) for every number of `order`, from left to right."""
    if not isinstance(order, tuple):
        return [(shape, order)]
    if not isinstance(shape, tuple) or len(shape) != len(order):
        raise LayoutError(
            f"the order {text(order)} does not fit the shape {text(shape)}: give one number a mode, smallest first"
        )
    return [pair for s, o in zip(shape, order, strict=True) for pair in _order_pairs(s, o)]
