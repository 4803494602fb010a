"""Reads layouts, shapes, coordinates, tilers and swizzles as people write them: CuTe's print, or C++ source.

One tokenizer and one recursive descent. It yields plain values (`LayoutText` and friends); `Layout.parse` makes objects.
"""

import re

from .htuple import (
    DEEPEST,
    E,
    LayoutError,
    ScaledBasis,
    Underscore,
    _,
    compact_col_major,
    compact_row_major,
    leaves,
    shown,
    text,
    wrap,
)


class _Value:
    """What was read: fields by name. (No dataclass: that would double the time of `import cutelearn`.)"""

    __slots__ = ()

    def __init__(self, *values):
        for name, value in zip(self.__slots__, values, strict=True):
            setattr(self, name, value)


class LayoutText(_Value):
    __slots__ = ("shape", "stride")


class SwizzleText(_Value):
    __slots__ = ("bits",)


class ComposedText(_Value):
    __slots__ = ("outer", "offset", "inner")


class Token(_Value):
    __slots__ = ("kind", "value", "at")  # kind: "int", "name", "end", or the sign itself


_TOKEN = re.compile(
    r"""(?P<skip>\s+|//[^\n]*|/\*.*?\*/)
      | (?P<int>-?_?\d+|_-\d+)(?![\w])
      | (?P<name>[A-Za-z_]\w*)
      | (?P<sign>::|[()<>{}:,;@=])""",
    re.VERBOSE | re.DOTALL,
)
_DIGITS = 1000  # how many a number in a text may have
_WIDTH = 160  # how much of a long line is shown
_QUALIFIERS = {"const", "constexpr", "static", "typename"}
_TUPLES = {
    "Shape",
    "Stride",
    "Coord",
    "Step",
    "Tile",
    "Tiler",
    "tuple",
    "make_shape",
    "make_stride",
    "make_coord",
}
_TUPLES |= {"make_tile", "make_tuple", "make_step"}
_CALLS = {"coalesce", "composition", "complement", "filter", "filter_zeros", "tile_to_shape", "upcast", "downcast"}
_CALLS |= {"flatten", "group", "select", "take", "append", "prepend", "local_tile", "local_partition"}
_CALLS |= {"make_ordered_layout", "make_layout_like", "make_identity_layout", "make_fragment_like"}
_COMPACT = {"LayoutLeft": compact_col_major, "GenColMajor": compact_col_major}
_COMPACT |= {"LayoutRight": compact_row_major, "GenRowMajor": compact_row_major}


def parse(source: str, wanted: str = "layout"):
    """The value that `source` writes; `wanted` (a word for messages) is what the caller hopes for.

    Raises LayoutError with the line and a caret under the fault.
    """
    if not isinstance(source, str):
        raise LayoutError(f"cannot read {shown(source)} (a {type(source).__name__}) as a {wanted}: give a text")
    return _Parser(source, wanted).everything()


class _Parser:
    def __init__(self, source, wanted):
        self.source, self.wanted, self.depth = source, wanted, 0
        self.tokens = list(self.scan())
        self.i = 0

    # --- tokens

    def scan(self):
        at = 0
        while at < len(self.source):
            m = _TOKEN.match(self.source, at)
            if not m:
                raise self.error(f"{self.source[at]!r} has no meaning here", at)
            if m["int"]:
                if len(m["int"]) > _DIGITS:
                    raise self.error(f"a number of {len(m['int'])} digits: no extent or stride is so long", at)
                yield Token("int", int(m["int"].replace("_", "")), at)
            elif m["name"]:
                yield Token("name", m["name"], at)
            elif m["sign"]:
                yield Token(m["sign"], m["sign"], at)
            at = m.end()
        yield Token("end", None, len(self.source.rstrip()))

    @property
    def now(self):
        return self.tokens[self.i]

    def next(self):
        token = self.now
        self.i += 1
        return token

    def accept(self, kind, value=None):
        if self.now.kind == kind and (value is None or self.now.value == value):
            return self.next()
        return None

    def expect(self, kind, why):
        if self.now.kind != kind:
            raise self.error(f"{why} expected, found {self.found()}", self.now.at)
        return self.next()

    def found(self):
        return "the end of the text" if self.now.kind == "end" else repr(str(self.now.value))

    def error(self, why, at):
        start = self.source.rfind("\n", 0, at) + 1
        end = self.source.find("\n", at)
        line = self.source[start : end if end >= 0 else None]
        caret = at - start
        if len(line) > _WIDTH:  # the part round the fault
            first = max(0, caret - _WIDTH // 2)
            cut = "..." if first else ""
            rest = "..." if len(line) > first + _WIDTH else ""
            line, caret = cut + line[first : first + _WIDTH] + rest, caret - first + len(cut)
        return LayoutError(f"cannot read this {self.wanted}: {why}\n  {line}\n  {' ' * caret}^")

    # --- grammar

    def everything(self):
        self.declaration()
        value = self.item()
        while self.accept(";"):
            pass
        if self.now.kind == ":" and isinstance(value, LayoutText):
            raise self.error("a second ':'; a layout has one shape and one stride", self.now.at)
        if self.now.kind != "end":
            several = ". Put parentheses around several numbers, as in (4,8)" if self.now.kind == "," else ""
            raise self.error(f"the {self.wanted} ends before {self.found()}{several}", self.now.at)
        return value

    def declaration(self):
        """`using A =`, `auto a =`, `static constexpr auto a =`: what stands before the value in a line of C++."""
        depth = 0
        for j, token in enumerate(self.tokens):
            depth += (token.kind in "(<{") - (token.kind in ")>}")
            if token.kind == "=" and depth == 0:
                self.i = j + 1
                return

    def item(self):
        """primary, or shape:stride, or `outer o offset o inner`."""
        at = self.now.at
        value = self.primary()
        if self.now.kind == ":":
            colon = self.next()
            if not _is_tuple(value):
                raise self.error("a shape of integers must stand before ':'", at)
            stride = self.primary()
            if not _is_tuple(stride):
                raise self.error("a stride of integers must stand after ':'", colon.at + 1)
            value = LayoutText(value, stride)
        if self.accept("name", "o"):
            offset = self.primary()
            if not self.accept("name", "o"):
                raise self.error(
                    "'o' expected: write a composed layout as Sw<B,M,S> o offset o shape:stride", self.now.at
                )
            return ComposedText(value, offset, self.item())
        return value

    def primary(self):
        token = self.next()
        if token.kind == "int":
            if self.accept("("):  # _4(...) is no constructor of CuTe's; _4{} is
                raise self.error("'(' after a number", self.tokens[self.i - 1].at)
            self.braces()
            return self.basis(token.value)
        if token.kind == "(":
            return self.items(")", token)
        if token.kind == "<":
            return self.items(">", token)
        if token.kind == "name":
            return self.named(token)
        self.i -= 1
        raise self.error(f"a number or '(' expected, found {self.found()}", token.at)

    def basis(self, value):
        path = []
        while self.accept("@"):
            path.append(self.expect("int", "a number after '@'").value)
        return ScaledBasis(value, *reversed(path)) if path else value

    def items(self, close, opened):
        self.depth += 1
        if self.depth > DEEPEST:
            raise self.error(f"parentheses more than {DEEPEST} deep", opened.at)
        values = self.listed(close, opened)
        self.depth -= 1
        return values

    def listed(self, close, opened):
        values = []
        if self.accept(close):
            return ()
        while True:
            values.append(self.item())
            if self.accept(close):
                return tuple(values)
            if self.now.kind == "end":
                raise self.error(f"this {opened.value!r} is never closed", opened.at)
            self.expect(",", f"',' or {close!r}")

    def arguments(self, name):
        """What stands in <...> and (...) after a C++ name."""
        for opener, closer in (("<", ">"), ("(", ")")):
            opened = self.accept(opener)
            if opened:
                values = self.items(closer, opened)
                self.braces()
                return values
        raise self.error(f"'<' or '(' expected after {name}, found {self.found()}", self.now.at)

    def braces(self):
        if self.accept("{"):
            self.expect("}", "'}'")

    def named(self, token):
        name = token.value
        if self.accept("::"):  # cute::Layout
            return self.primary()
        if name in _QUALIFIERS:
            return self.primary()
        if name in ("_", "Underscore"):
            self.braces()
            return _
        if name in _COMPACT:
            self.braces()
            return _COMPACT[name]
        if name in ("Int", "C"):
            (value,) = self.one(name, token)
            return value
        if name == "E":
            return E(*self.arguments(name))
        if name == "ScaledBasis":
            value, *path = self.arguments(name)
            return ScaledBasis(value, *path)
        if name in _TUPLES:
            return self.arguments(name)
        if name in ("Layout", "make_layout"):
            return self.layout(token, self.arguments(name))
        if name in ("Sw", "Swizzle"):
            bits = self.arguments(name)
            if len(bits) != 3 or not all(isinstance(b, int) for b in bits):
                raise self.error(f"{name}<B,M,S> takes three integers", token.at)
            return SwizzleText(bits)
        if name in ("ComposedLayout", "composition"):
            values = self.arguments(name)
            if len(values) == 2:
                if name == "composition" and isinstance(values[0], LayoutText):
                    raise self.is_a_call(token)
                values = (values[0], 0, values[1])
            if len(values) != 3:
                raise self.error(f"{name} takes an outer layout, an offset and an inner layout", token.at)
            return ComposedText(*values)
        if name == "decltype":
            return self.arguments(name)[0]
        if name in _CALLS or name.endswith(("_divide", "_product", "_inverse")):
            raise self.is_a_call(token)
        raise self.error(
            f"{name!r} is not a word of CuTe's layouts; if it stands for a number, write the number", token.at
        )

    def is_a_call(self, token):
        name = token.value
        return self.error(f"{name} is computed, not read: read what it is given, and call {name} on that", token.at)

    def one(self, name, token):
        values = self.arguments(name)
        if len(values) != 1 or not isinstance(values[0], int):
            raise self.error(f"{name}<N> takes one integer", token.at)
        return values

    def layout(self, token, values):
        if all(isinstance(v, LayoutText) for v in values) and values:
            return LayoutText(tuple(v.shape for v in values), tuple(v.stride for v in values))
        if len(values) == 1 and _is_tuple(values[0]):
            return LayoutText(values[0], compact_col_major(values[0]))
        if len(values) == 2 and _is_tuple(values[0]):
            if callable(values[1]):
                return LayoutText(values[0], values[1](values[0]))
            if _is_tuple(values[1]):
                return LayoutText(*values)
        raise self.error(f"{token.value} takes a shape and, if you like, a stride", token.at)


def _is_tuple(x) -> bool:
    return all(isinstance(leaf, (int, ScaledBasis)) for leaf in leaves(x))


def parse_tuple(source: str):
    """A shape, stride or coordinate from its text; `_` may stand in a coordinate.

    >>> parse_tuple("(4,(_3,6))"), parse_tuple("Shape<_4,Shape<_3,_6>>"), parse_tuple("(_,5)")
    ((4, (3, 6)), (4, (3, 6)), (_, 5))

    Raises LayoutError with a caret under the fault.
    """
    value = parse(source, "tuple")
    if isinstance(value, LayoutText):
        raise LayoutError(f"{source.strip()!r} is a layout: read it with Layout.parse, or give the shape alone")
    bad = [leaf for leaf in leaves(value) if not isinstance(leaf, (int, ScaledBasis, Underscore))]
    if bad:
        raise LayoutError(f"{source.strip()!r} is not a tuple of integers: write it as (4,(3,6))")
    return value


def no_stride(shape) -> LayoutError:
    """What to say to a shape where a layout is wanted."""
    row, col = text(compact_row_major(shape)), text(compact_col_major(shape))
    return LayoutError(
        f"{text(shape)} is a shape without a stride: write {text(shape)}:{col} for the first mode fastest, "
        + (f"or {text(shape)}:{row} for the last" if len(wrap(shape)) > 1 else "or another stride after ':'")
    )
