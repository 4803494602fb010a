"""The sheet a layout is drawn on: which cells stand where, their colours and words, tile borders, and the memory strip.

What layouts.py draws it with; nothing here makes a Scene.
"""

# ruff: noqa: RUF001 (pictures use the signs × and –)

from ..htuple import LayoutError, ScaledBasis, Underscore, idx2crd, leaves, product, shown, text, wrap
from ..layout import Layout, cosize, crd2idx, rank, slice_and_offset
from . import palette
from .grids import LIMIT, axis, cut, fills_for, formula, gaps, need_limit, offset_text, stride_note, swatches
from .place import cell_width, narrowed, text_width
from .scene import Arrow, At, Axis, Border, Cell, Entry, Label, Legend, Level, Panel, borders_between

_MEMORY = 256  # a memory strip longer than this is not drawn


class Sheet:
    """Which cells of a layout stand where: mode 0 down, the others across; a strip for rank 1."""

    def __init__(self, layout, limit):
        if (
            isinstance(layout, type)
            or not (hasattr(layout, "stride") or hasattr(layout, "inner"))
            or not callable(layout)
        ):
            raise LayoutError(
                f"there is no picture of {shown(layout)}: give a Layout, as in draw_layout(Layout((4, 8)))"
            )
        if hasattr(layout, "engine"):
            raise LayoutError(f"draw_layout: {layout} is a tensor: write draw_tensor(t), or draw_layout(t.layout)")
        need_limit(limit)
        self.layout = layout
        shape = wrap(layout.shape) or (1,)
        self.modes = max(rank(layout), 1)
        self.row_shape = shape[0] if self.modes > 1 else 1
        rest = shape[1:] if self.modes > 1 else shape
        self.col_shape = rest[0] if len(rest) == 1 else rest
        self.height, self.width = product(self.row_shape), product(self.col_shape)
        self.size = self.height * self.width
        self.is_cut = limit is not None and self.size > limit
        self.per_line = (
            32 if self.modes == 1 and self.width > 32 and not self.is_cut else None
        )  # a long strip is folded
        self.show([])
        self.all = None if self.is_cut or not self.plain else layout.offsets().tolist()

    @property
    def plain(self) -> bool:
        """Whether it gives offsets (not coordinates)."""
        inner = self.layout
        while not hasattr(inner, "stride"):
            inner = inner.inner
        return all(not isinstance(d, ScaledBasis) for d in leaves(inner.stride))

    def show(self, picks: list[int]) -> None:
        """Which rows and columns are drawn; where the picture is cut, those of the picks among them."""
        picked = [(k % self.height, k // self.height) for k in picks]
        self.rows = cut(self.height, 15 if self.is_cut else self.height, {i for i, _j in picked})
        self.cols = cut(self.width, 18 if self.is_cut else self.width, {j for _i, j in picked})

    def cells(self):
        """Each cell drawn, as (row, column) in the picture and (i, j) in the layout."""
        if self.per_line:
            yield from ((*divmod(j, self.per_line), 0, j) for j in range(self.width))
            return
        for r, i in enumerate(self.rows):
            if i is not None:
                for c, j in enumerate(self.cols):
                    if j is not None:
                        yield r, c, i, j

    def offset(self, index: int):
        return self.all[index] if self.all else self.layout(index)

    def natural(self, index: int):
        return idx2crd(index, self.layout.shape)

    def index(self, coord) -> int:
        index = crd2idx(coord, self.layout.shape)
        if not 0 <= index < self.size:
            raise LayoutError(f"the coordinate {text(coord)} is outside of {self.layout}: its size is {self.size}")
        return index

    def where(self, index: int) -> tuple[int, int] | None:
        """The row and column of an index in the picture; None where it is cut away."""
        if self.per_line:
            return divmod(index, self.per_line)
        i, j = index % self.height, index // self.height
        return (self.rows.index(i), self.cols.index(j)) if i in self.rows and j in self.cols else None


class Kept:
    """The 1-D coordinates that a slice keeps: `index in kept`."""

    def __init__(self, keep, sheet):
        self.keep, self.shape = keep, sheet.layout.shape
        slice_and_offset(keep, Layout(self.shape))  # refuses what does not fit

    def __contains__(self, index: int) -> bool:
        if isinstance(self.keep, tuple) and isinstance(self.shape, tuple):
            return _agrees(self.keep, idx2crd(index, self.shape), self.shape)
        return isinstance(self.keep, Underscore) or index == crd2idx(self.keep, self.shape)


def _agrees(keep, coord, shape) -> bool:
    """Whether a coordinate is one of those that `keep` stands for."""
    if isinstance(keep, Underscore):
        return True
    if isinstance(keep, tuple) and isinstance(shape, tuple):
        return all(map(_agrees, keep, coord, shape))
    return crd2idx(coord, shape) == crd2idx(keep, shape)


def coordinates(pick) -> list:
    """The picked coordinates: none, one, or a list of them."""
    return [] if pick is None else pick if isinstance(pick, list) else [pick]


# ------------------------------------------------------------------------------------------------ the grid


def grid_cells(sheet, key, say, picks, kept, bound, color):
    """The cells of the grid, and the colour keys in the order they come."""
    bound = None if bound is None else wrap(bound)
    keys, cells, height = {}, [], sheet.height
    for r, c, i, j in sheet.cells():
        index = i + j * height
        offset = sheet.offset(index)
        k = key(i, j, offset) if kept is None or index in kept else None
        outside = bound is not None and (i >= bound[0] or (len(bound) > 1 and j >= bound[1]))
        if k is not None:
            keys[k] = None
        faint = k is None and color is not None
        cells.append(Cell(r, c, say(index, offset), None if outside else k, index in picks, outside, faint=faint))
    return cells, keys


def grid_panel(sheet, cells, fills, borders, axes, names, color) -> Panel:
    cols = sheet.per_line or len(sheet.cols)
    longest = max((len(words) for c in cells for words in c.lines), default=0)
    lines = max((len(c.lines) for c in cells), default=1)
    least = 38 if cols <= 10 else 34 if cols <= 24 else 24
    w = cell_width(longest, least, 11 if least > 24 else 9.5) if longest else max(6, min(16, 740 // cols))
    w = narrowed(w, cols, longest)
    return Panel(
        "grid",
        -(-sheet.width // sheet.per_line) if sheet.per_line else len(sheet.rows),
        cols,
        (*cells, *gaps(sheet.rows, [] if sheet.per_line else sheet.cols)),
        fills,
        _grid_axes(sheet, axes, names),
        borders,
        cell=(w, max(min(w, 38), 30 if lines > 1 else 0)),
        key_name="" if color in ("row", "column", None) else "colour",
    )


def _grid_axes(sheet, axes, names) -> tuple[Axis, ...]:
    if sheet.per_line:
        starts = Level(tuple((r, 1, str(k)) for r, k in enumerate(range(0, sheet.width, sheet.per_line))))
        return Axis("left", "", (starts,)), axis("top", names[0], sheet.per_line, note=stride_note(sheet.layout))
    across = ",".join(names[1 : sheet.modes]) if sheet.modes > 2 else names[1 if sheet.modes > 1 else 0]
    top = axis("top", across, sheet.col_shape, axes, _across_note(sheet), sheet.height, sheet.cols)
    if sheet.modes == 1:
        return (top,)
    return axis("left", names[0], sheet.row_shape, axes, stride_note(sheet.layout, 0), 1, sheet.rows), top


def _across_note(sheet) -> str:
    if sheet.modes == 1:
        return stride_note(sheet.layout)
    stride = getattr(sheet.layout, "stride", None)
    return "" if stride is None else f"stride {text(stride[1] if sheet.modes == 2 else stride[1:])}"


# ------------------------------------------------------------------------------------------------ colour and words of a cell


def key_of(color, sheet, tiles, bits):
    """A function of (i, j, offset) that gives the colour key of a cell."""
    if color is None:
        return lambda i, j, offset: None
    if sheet.modes == 1 and color in ("row", "column"):
        color = "column"
    if color == "row":
        return lambda i, j, offset: f"row {i}"
    if color == "column":
        return lambda i, j, offset: f"column {j}"
    if color == "offset":
        top = max(cosize(sheet.layout) - 1, 1) if isinstance(sheet.layout, Layout) else max(sheet.size - 1, 1)
        return lambda i, j, offset: f"offset {abs(offset) * 15 // top}/15"
    if color == "bank":
        return lambda i, j, offset: f"bank {offset * bits // 32 % 32}"
    if color == "tile":
        (tile,) = (
            [tiles] if isinstance(tiles, tuple) else [tiles[0]] if isinstance(tiles, list) else [_inner_tile(sheet)]
        )
        return lambda i, j, offset: f"tile ({i // tile[0]},{j // tile[1]})"
    if isinstance(color, (int, tuple)):
        path = color if isinstance(color, tuple) else (color,)

        def by_mode(i, j, offset):
            coord = sheet.natural(i + j * sheet.height)
            shape = sheet.layout.shape
            for k in path:
                coord, shape = wrap(coord)[k], wrap(shape)[k]
            return f"{crd2idx(coord, shape)}"

        return by_mode
    if not callable(color):
        raise LayoutError(
            f"color={color!r}: write 'row', 'column', 'offset', 'bank', 'tile', a mode's path such as (1, 0), or a function"
        )
    return lambda i, j, offset: _word(color(sheet.natural(i + j * sheet.height), offset))


def _word(key) -> str | None:
    return None if key is None else str(key)


def _inner_tile(sheet):
    """The extents of the fastest digits: the tile of a nested shape."""
    return leaves(sheet.row_shape)[0], leaves(sheet.col_shape)[0]


def fills_of(keys, color) -> dict[str, str]:
    if color == "offset":
        return {k: palette.ramp(int(k.split()[1].split("/")[0]) / 15) for k in keys}
    if color == "bank":
        return {k: palette.thread(int(k.split()[1])) for k in keys}
    if color in ("row", "column") or all(k.lstrip("-").isdigit() for k in keys):
        return {k: palette.tile(int(k.split()[-1])) for k in keys}
    return {k: k if k.startswith("#") else colour for k, colour in fills_for(keys).items()}


def say_of(cell, sheet):
    """A function of (index, offset) that gives the lines of a cell."""
    if cell is None:
        return lambda index, offset: ()
    if cell == "offset":
        return lambda index, offset: (offset_text(offset),)
    if cell == "index":
        return lambda index, offset: (str(index),)
    if cell == "coord":
        return lambda index, offset: (text(sheet.natural(index)),)
    if cell == "both":
        return lambda index, offset: (offset_text(offset), text(sheet.natural(index)))
    if not callable(cell):
        raise LayoutError(f"cell={cell!r}: write 'offset', 'index', 'coord', 'both', None, or a function")

    def lines(index, offset):
        words = cell(sheet.natural(index), offset)
        return tuple(map(str, words)) if isinstance(words, tuple) else (str(words),)

    return lines


# ------------------------------------------------------------------------------------------------ borders and legend


def tile_borders(tiles, sheet) -> tuple[Border, ...]:
    """A border a level: heavier round larger tiles. Nested modes make them by themselves."""
    if tiles is None or sheet.per_line:
        return ()
    if tiles == "auto":
        rows, cols = _grown(sheet.row_shape), _grown(sheet.col_shape)
        n = max(len(rows), len(cols))
        tiles = [(rows[min(k, len(rows) - 1)], cols[min(k, len(cols) - 1)]) for k in range(n - 1)]
    elif isinstance(tiles, tuple):
        tiles = [tiles]
    out = []
    for level, (h, w) in enumerate(tiles, 1):
        groups = [[(i if i is None else i // h, j if j is None else j // w) for j in sheet.cols] for i in sheet.rows]
        border = borders_between(groups, level, f"{h}×{w}")
        if border.lines:
            out.append(border)
    return tuple(out)


def _grown(shape) -> list[int]:
    """The extents of the digits, multiplied up: (2,4) gives 2 and 8."""
    out, n = [], 1
    for extent in leaves(shape):
        n *= extent
        out.append(n)
    return out


def legend_of(color, fills, borders, bound, axes, sheet) -> Legend | None:
    title, entries = "", []
    if color == "offset":
        title = "colour: offset, light to dark"
        entries = [Entry("", tuple(palette.ramp(k / 15) for k in range(16)))]
    elif color == "bank":
        title = "colour: bank (4 bytes wide, 32 of them)"
        entries = [Entry(f"{q}–{q + 3}", tuple(map(palette.thread, range(q, q + 4)))) for q in range(0, 32, 4)]
    elif color == "tile":
        title, entries = "colour: tile", list(swatches({k.split()[1]: v for k, v in fills.items()}))
    elif isinstance(color, (int, tuple)):
        title, entries = f"colour: coordinate in mode {text(color)}", list(swatches(fills))
    elif callable(color) and not any(k.startswith("#") for k in fills):
        entries = list(swatches(fills))  # its own words; numbers need one in front
        title = "" if all(e.words and not e.words.lstrip("-").isdigit() for e in entries) else "colour"
    entries += [Entry(f"tile of {b.label}", mark=f"line{b.level}") for b in borders if b.label]
    if axes == "nested" and any(
        isinstance(s, tuple) and len(leaves(s)) > 1 for s in (sheet.row_shape, sheet.col_shape)
    ):
        entries.append(Entry("the digit that turns fastest", mark="inside"))
        entries.append(Entry("slowest", mark="block"))
    if bound is not None:
        entries.append(Entry(f"outside {text(bound)}", mark="hatch"))
    return Legend(title, tuple(entries)) if entries else None


# ------------------------------------------------------------------------------------------------ memory


def memory_strip(sheet, cells, grid, wanted, picks) -> Panel | None:
    """The strip of memory: a cell an offset, in the colour of the grid's cell that lives there."""
    if wanted is False or sheet.is_cut or not sheet.plain or sheet.modes == 0:
        return None
    low, high = min(0, min(sheet.all)), max(sheet.all)
    n = high - low + 1
    if n > (LIMIT if wanted else _MEMORY):
        return None
    at = {}
    offsets = [sheet.offset(i + j * sheet.height) for _r, _c, i, j in sheet.cells()]
    for cell, offset in zip(cells, offsets, strict=True):
        if offset not in at or cell.picked:
            at[offset] = cell
    wide = grid.cols * grid.cell[0]
    if wide / n >= 10 or n <= 32:
        per, w = n, max(wide / n if wide / n <= 42 else 36, 22 if n <= 16 else 10.5)
    else:
        per, w = 32, max(14, min(23, wide / 32))
    label = w >= 0.602 * 8.5 * max(len(str(low)), len(str(high))) + 5
    out = []
    for offset in range(low, high + 1):
        cell = at.get(offset)
        place = divmod(offset - low, per)
        key = cell.key if cell and not cell.faint else None
        out.append(Cell(*place, (str(offset),), key, bool(cell and cell.picked), faint=key is None))
    rows = -(-n // per)
    step = 1 if label else 4 if n <= 16 else 8
    ticks = tuple((c, 1, str(low + c)) for c in range(0, per, step))
    h = 26 if rows == 1 else 20
    if rows > 1:
        marks = (Axis("left", levels=(Level(tuple((r, 1, str(low + r * per)) for r in range(rows))),)),)
        labels = (Label(-0.55, -9 / w, "memory", "fe", 11.5),)
    else:
        marks = () if label else (Axis("bottom", levels=(Level(ticks),)),)
        labels = (Label(0.5, -9 / w, "memory", "fe", 11.5),)
    if picks:
        labels += (_under_memory(sheet, picks[0], low, per, rows, w, h, bool(marks) and rows == 1),)
    return Panel(
        "memory",
        rows,
        per,
        tuple(out),
        grid.fills,
        marks,
        (),
        labels,
        (w, h),
        silent=not label,
        font=11,
        key_name="colour",
    )


def _under_memory(sheet, index, low, per, rows, w, h, ticks) -> Label:
    """The formula under the strip, below the cell that it gives as far as there is room."""
    words = formula(sheet.layout, sheet.natural(index))
    half = text_width(words, 12) / 2
    middle = ((sheet.offset(index) - low) % per + 0.5) * w
    middle = max(min(middle, per * w - half), half)
    return Label(rows + (15 + 16 * ticks) / h, middle / w, words, "mc", 12)


def arrows_to_memory(sheet, strip, picks) -> list[Arrow]:
    arrows = []
    lowest = min(0, min(sheet.all))
    rows = -(-sheet.width // sheet.per_line) if sheet.per_line else len(sheet.rows)
    for index in picks[:8]:
        target = divmod(sheet.offset(index) - lowest, strip.cols)
        if target[0] > 0:
            continue  # it would run over other lines of memory; the heavy box and the formula say it
        column = sheet.where(index)[1]  # from the foot of the column: it runs over no cell
        arrows.append(Arrow(At("grid", rows - 1, column, "bottom"), At("memory", *target, "top"), weight=1.2))
    return arrows
