"""What the families of pictures share: which cells to show, axes of coordinates, keys and their colours, formulas."""

from collections.abc import Callable, Iterable

from ..htuple import LayoutError, ScaledBasis, idx2crd, leaves, product, shown, text
from ..layout import Layout
from . import palette
from .scene import Axis, Cell, Entry, Level

LIMIT = 4000  # more cells than this: a summary
LETTERS = "ijklpqrs"


# ------------------------------------------------------------------------------------------------ what can be drawn


def need_layout(x, who: str, what: str = "the layout"):
    """Refuses what is no layout (swizzled ones are): LayoutError with what to write."""
    if not isinstance(x, Layout) and (isinstance(x, type) or not (hasattr(x, "shape") and hasattr(x, "offsets"))):
        raise LayoutError(f"{who}: {what} must be a Layout, such as Layout((4, 8), (8, 1)), not {shown(x)}")
    return x


def need_number(x, who: str, what: str, end: int | None = None) -> None:
    """Refuses what is no integer from 0 up to, without, `end`; None passes."""
    if x is None:
        return
    if not isinstance(x, int) or isinstance(x, bool):
        raise LayoutError(f"{who}: {what} must be an integer, not {shown(x)}")
    if x < 0 or (end is not None and x >= end):
        raise LayoutError(
            f"{who}: there is no {what} {x}: they count from 0" + ("" if end is None else f" to {end - 1}")
        )


def need_limit(limit) -> None:
    """Refuses a limit that is no positive integer; None, no limit, passes."""
    if limit is not None and (not isinstance(limit, int) or isinstance(limit, bool) or limit < 1):
        raise LayoutError(f"limit is {shown(limit)}: give a positive integer, or None to draw all")


def refuse_more(n: int, most: int, who: str, what: str, instead: str = "draw a part of it") -> None:
    """LayoutError where `n` is more than a picture holds."""
    if n > most:
        raise LayoutError(f"{who}: {n} {what} are too many for a picture, which takes at most {most}: {instead}")


# ------------------------------------------------------------------------------------------------ large pictures


def cut(n: int, most: int, keep=()) -> list[int | None]:
    """The positions to show of 0..n-1: all, or the first ones and the last two, with gaps (None); those of `keep` too.

    >>> cut(4, 8), cut(100, 6), cut(100, 6, keep=[50])
    ([0, 1, 2, 3], [0, 1, 2, None, 98, 99], [0, 1, None, 50, None, 98, 99])
    """
    need_limit(most)
    if n <= most:
        return list(range(n))
    keep = sorted(keep)[: most // 2]
    wanted = sorted({*range(most - 3 - len(keep)), *keep, n - 2, n - 1})
    out: list[int | None] = []
    for k in wanted:
        if out and out[-1] != k - 1:
            out.append(None)
        out.append(k)
    return out


def cut_note(shown: int, size: int) -> str:
    """How the note says that a picture is cut, and how to see it all."""
    return f"{shown} of {size} cells; limit=None draws all"


# ------------------------------------------------------------------------------------------------ axes


def axis(side: str, name: str, shape, coords: str = "2d", note: str = "", weight: int = 1, shown=None) -> Axis:
    """An axis over the coordinates of `shape`: "2d" numbers it 0, 1, ...; "1d" in steps of `weight`; "nested" digit by digit.

    `shown` lists the positions that are drawn, None for a gap.
    """
    shown = list(range(product(shape))) if shown is None else shown
    if coords not in ("1d", "2d", "nested"):
        raise LayoutError(f"axes={coords!r}: write '1d', '2d' or 'nested'")
    if coords != "nested" or not isinstance(shape, tuple) or len(leaves(shape)) == 1:
        step = weight if coords == "1d" else 1
        ticks = [
            (k, 1, "⋯" if side == "top" else "⋮") if p is None else (k, 1, str(p * step)) for k, p in enumerate(shown)
        ]
        return Axis(side, name, (Level(tuple(ticks)),), note)
    return Axis(side, name, tuple(_levels(leaves(shape), shown)), note)


def _levels(extents, shown):
    """One level a digit: the left digit, which turns fastest, next to the grid."""
    before = 1
    for k, extent in enumerate(extents):
        ticks, last = [], None
        for place, p in enumerate(shown):
            if p is None:
                last = None
                continue
            block = p // before
            if block != last:
                ticks.append([place, 0, str(block % extent)])
                last = block
            ticks[-1][1] += 1
        tone = "inside" if k == 0 else "block" if k == len(extents) - 1 else "ink"
        yield Level(tuple(map(tuple, ticks)), tone)
        before *= extent


def stride_note(layout, mode: int | None = None) -> str:
    """`stride 8` for an axis, or nothing where a layout has no plain strides."""
    stride = getattr(layout, "stride", None)
    if stride is None:
        return ""
    if mode is not None and isinstance(stride, tuple):
        stride = stride[mode]
    return f"stride {text(stride)}"


# ------------------------------------------------------------------------------------------------ keys and colours


def fills_for(keys: Iterable[str], colour: Callable[[int], str] = palette.tile) -> dict[str, str]:
    """A colour for each key, by the order in which they come first."""
    return {key: colour(n) for n, key in enumerate(dict.fromkeys(keys))}


def swatches(fills: dict[str, str], most: int = 16) -> tuple[Entry, ...]:
    """A legend entry for each key."""
    entries = tuple(Entry(key, (colour,)) for key, colour in list(fills.items())[:most])
    return entries if len(fills) <= most else (*entries, Entry(f"{len(fills) - most} more"))


def gaps(rows: list, cols: list) -> list[Cell]:
    """The cells that stand for what is left out."""
    out = []
    for r, i in enumerate(rows):
        for c, j in enumerate(cols):
            if i is None or j is None:
                words = "⋱" if i is None and j is None else "⋮" if i is None else "⋯"
                out.append(Cell(r, c, (words,), faint=True))
    return out


# ------------------------------------------------------------------------------------------------ formulas


def terms(layout: Layout, coord, times: bool = False) -> str:
    """The inner product of a coordinate, written out: `6+2`, or with `times` as `1·6 + 2·1`."""
    digits, strides = leaves(idx2crd(coord, layout.shape)), leaves(layout.stride)
    if times or len(digits) == 1:
        parts = (
            f"{c}·({d})" if isinstance(d, int) and d < 0 else f"{c}·{d}" for c, d in zip(digits, strides, strict=True)
        )
        return (" + " if times else "+").join(parts)
    return "+".join(str(c * d) for c, d in zip(digits, strides, strict=True))


def formula(layout, coord) -> str:
    """How a coordinate becomes an offset: `(2,3) → 2·8 + 3·1 = 19`."""
    natural = text(idx2crd(coord, layout.shape))
    if not isinstance(layout, Layout):
        inside = layout.offset + layout.inner(coord)
        return f"{natural} → {layout.outer}({inside}) = {layout(coord)}"
    if any(isinstance(d, ScaledBasis) for d in leaves(layout.stride)):
        return f"{natural} → {text(layout(coord))}"
    return f"{natural} → {terms(layout, coord, True)} = {layout(coord)}"


def offset_text(x) -> str:
    """An offset, or the coordinate that an identity layout gives, as it stands in a cell."""
    return text(x) if isinstance(x, tuple) else str(x)


def tiler_text(tiler) -> str:
    """A tiler as CuTe prints it: a layout, a shape, or `<3:3,(2,4):(1,8)>` by mode.

    >>> from cutelearn import Layout
    >>> tiler_text((Layout(3, 3), 4)), tiler_text((2, 4)), tiler_text(Layout(4, 2))
    ('<3:3,4>', '(2,4)', '4:2')
    """
    if not isinstance(tiler, tuple):
        return str(tiler)
    if all(isinstance(e, int) for e in leaves(tiler)):
        return text(tiler)
    return f"<{','.join(map(tiler_text, tiler))}>"
