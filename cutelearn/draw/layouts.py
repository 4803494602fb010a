"""Pictures of one layout: its grid and memory strip, slices, an order of cells, and where the arrows of the map go."""

# ruff: noqa: RUF001 (pictures use the signs × and –)
from ..algebra import composition
from ..htuple import LayoutError, ScaledBasis, has_underscore, idx2crd, leaves, product, text, wrap
from ..layout import Layout, cosize, crd2idx, make_identity_layout, rank, size, slice_and_offset
from . import palette
from .grids import (
    LETTERS,
    LIMIT,
    axis,
    cut,
    cut_note,
    fills_for,
    formula,
    gaps,
    offset_text,
    stride_note,
    swatches,
    tiler_text,
)
from .place import cell_width
from .scene import Arrow, At, Axis, Border, Cell, Entry, Label, Legend, Level, Panel, Scene, borders_between, outline

_MEMORY = 256  # a memory strip longer than this is not drawn


# ------------------------------------------------------------------------------------------------ the grid of a layout


def draw_layout(
    layout,
    *,
    color="row",
    cell="offset",
    axes="2d",
    memory=None,
    tiles="auto",
    pick=None,
    keep=None,
    bound=None,
    names=None,
    title=None,
    note="",
    bits=32,
    limit=LIMIT,
) -> Scene:
    """A layout as a grid, mode 0 down and the other modes across, with its memory strip in the same colours.

    layout  a Layout or ComposedLayout; rank 1 makes a strip, rank 3 and more puts modes 1, 2, ... across
    color   "row", "column", "offset", "bank" (of `bits`-wide elements), "tile", a mode's path such as `(1, 0)`, None,
            or any function of (coordinate, offset) that gives a number, a word or a colour
    cell    what stands in a cell: "offset", "index" (the 1-D coordinate), "coord", "both", None, or such a function
    axes    "2d", "1d" (the index of a cell is the sum of its two ticks) or "nested"
    memory  True or False; by default drawn up to 256 cells
    tiles   "auto" (the nested modes), None, one tile such as `(4, 8)`, or a list of them from small to large
    pick    a coordinate, or a list of them: heavy ink in grid and memory, and the formula
    keep    a coordinate with `_`: only this slice is coloured
    bound   a shape: cells outside are hatched as out of range
    limit   more cells than this are cut to a summary; None draws all

    >>> from cutelearn import Layout
    >>> scene = draw_layout(Layout((4, 8), (8, 1)), pick=(2, 3))
    >>> scene.panel("grid").at(2, 3).lines, scene.panel("memory").picked()
    (('19',), [(0, 19)])
    """
    sheet = _Sheet(layout, limit)
    picks = [sheet.index(c) for c in _coordinates(pick)]
    sheet.show(picks)
    kept = None if keep is None else _kept(keep, sheet)
    cells, keys = _grid_cells(
        sheet, _key_of(color, sheet, tiles, bits), _say_of(cell, sheet), picks, kept, bound, color
    )
    borders = _tile_borders(tiles, sheet)
    if kept is not None:
        borders += (outline([(r, c) for r, c, i, j in sheet.cells() if i + j * sheet.height in kept]),)
    grid = _grid_panel(sheet, cells, _fills(keys, color), borders, axes, names or LETTERS, color)
    rows, arrows = [(grid,)], []
    strip = _memory(sheet, cells, grid, memory, picks)
    if strip is not None:
        rows.append((strip,))
        arrows = _to_memory(sheet, strip, picks)
    elif picks:
        rows.append((Legend(notes=((formula(layout, sheet.natural(picks[0])), "m"),)),))
    legend = _layout_legend(color, grid.fills, borders, bound)
    if legend:
        rows.append((legend,))
    if sheet.is_cut:
        note = " · ".join(filter(None, (note, cut_note(len(cells), sheet.size))))
    words = note or f"offsets of {layout}, {sheet.height} rows by {sheet.width} columns"
    gap = (28, 44 if arrows else 26)
    return Scene(title or str(layout), note, tuple(rows), tuple(arrows), gap, words=words)


def _grid_cells(sheet, key, say, picks, kept, bound, color):
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


def _grid_panel(sheet, cells, fills, borders, axes, names, color) -> Panel:
    cols = sheet.per_line or len(sheet.cols)
    longest = max((len(words) for c in cells for words in c.lines), default=0)
    lines = max((len(c.lines) for c in cells), default=1)
    least = 38 if cols <= 10 else 34 if cols <= 24 else 24
    w = cell_width(longest, least, 11 if least > 24 else 9.5) if longest else max(6, min(16, 860 // cols))
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


class _Sheet:
    """Which cells of a layout stand where: mode 0 down, the others across; a strip for rank 1."""

    def __init__(self, layout, limit):
        if not hasattr(layout, "shape") or not callable(layout):
            raise LayoutError(f"there is no picture of {layout!r}: give a Layout, as in draw_layout(Layout((4, 8)))")
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


def _coordinates(pick) -> list:
    return [] if pick is None else pick if isinstance(pick, list) else [pick]


def _kept(keep, sheet) -> set[int]:
    """The 1-D coordinates of a slice."""
    kept, start = slice_and_offset(keep, Layout(sheet.layout.shape))
    return {start + kept(k) for k in range(size(kept))}


def _across_note(sheet) -> str:
    if sheet.modes == 1:
        return stride_note(sheet.layout)
    stride = getattr(sheet.layout, "stride", None)
    return "" if stride is None else f"stride {text(stride[1] if sheet.modes == 2 else stride[1:])}"


# ------------------------------------------------------------------------------------------------ colour and words of a cell


def _key_of(color, sheet, tiles, bits):
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


def _fills(keys, color) -> dict[str, str]:
    if color == "offset":
        return {k: palette.ramp(int(k.split()[1].split("/")[0]) / 15) for k in keys}
    if color == "bank":
        return {k: palette.thread(int(k.split()[1])) for k in keys}
    if color in ("row", "column") or all(k.lstrip("-").isdigit() for k in keys):
        return {k: palette.tile(int(k.split()[-1])) for k in keys}
    return {k: k if k.startswith("#") else colour for k, colour in fills_for(keys).items()}


def _say_of(cell, sheet):
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


def _tile_borders(tiles, sheet) -> tuple[Border, ...]:
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


def _layout_legend(color, fills, borders, bound) -> Legend | None:
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
        title, entries = "colour", list(swatches(fills))
    entries += [Entry(b.label, mark=f"line{b.level}") for b in borders if b.label]
    if bound is not None:
        entries.append(Entry(f"outside {text(bound)}", mark="hatch"))
    return Legend(title, tuple(entries)) if entries else None


# ------------------------------------------------------------------------------------------------ memory


def _memory(sheet, cells, grid, wanted, picks) -> Panel | None:
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
        per, w = 32, max(14, min(24, wide / 32))
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
        labels += (_beside_arrow(sheet, grid, picks[0], low, per, w, h),)
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


def _beside_arrow(sheet, grid, index, low, per, w, h) -> Label:
    """The formula, on the side of the arrow's head that the arrow doesn't come from."""
    words = formula(sheet.layout, sheet.natural(index))
    place = sheet.where(index) or (0, 0)
    col = (sheet.offset(index) - low) % per
    from_left = (place[1] + 0.5) * grid.cell[0] <= (col + 0.5) * w
    col = col + 0.5 + 12 / w if from_left else col + 0.5 - 12 / w
    return Label(-14 / h, col, words, "m" if from_left else "me", 12)


def _to_memory(sheet, strip, picks) -> list[Arrow]:
    arrows = []
    lowest = min(0, min(sheet.all))
    for index in picks[:8]:
        target = divmod(sheet.offset(index) - lowest, strip.cols)
        if target[0] > 0:
            continue  # it would run over other lines of memory; the heavy box and the formula say it
        arrows.append(Arrow(At("grid", *sheet.where(index), "bottom"), At("memory", *target, "top"), weight=1.2))
    return arrows


# ------------------------------------------------------------------------------------------------ slices and orders


def draw_slice(layout, coord, **options) -> Scene:
    """What a coordinate with `_` keeps: the slice coloured in grid and memory, the rest grey.

    >>> from cutelearn import Layout, _
    >>> scene = draw_slice(Layout((4, 8), (8, 1)), (2, _))
    >>> scene.note, [c.lines for c in scene.panel("grid").cells if c.key][:3]
    ('(8):(1), offset 16', [('16',), ('17',), ('18',)])
    """
    if not has_underscore(coord):
        raise LayoutError(f"draw_slice: {text(coord)} keeps no mode: write _ where a mode is to be kept")
    kept, offset = slice_and_offset(coord, layout)
    options.setdefault("title", f"{layout} at {text(coord)}")
    return draw_layout(layout, keep=coord, **{"note": f"{kept}, offset {offset}", **options})


def draw_order(a: Layout, b, *, cell="both", title=None, note="", limit=LIMIT) -> Scene:
    """The cells of A that B picks, numbered in B's order, over A's grid: what `composition(A, B)` walks through.

    `b` is a Layout (one walk through the 1-D coordinates of A) or a tuple (by mode). In a cell: the number in the order,
    and A's offset under it (`cell="order"` leaves the offset out).

    >>> from cutelearn import Layout
    >>> scene = draw_order(Layout((4, 6), (6, 1)), Layout((3, 3), (8, 1)))
    >>> [scene.panel("grid").at(*c).lines for c in ((0, 0), (0, 2), (1, 2))]
    [('0', '0'), ('1', '2'), ('4', '8')]
    """
    order = {}
    walk = walk_of(a, b)
    for k, index in enumerate(walk):
        order.setdefault(index, k)
    n = max(len(walk) - 1, 1)

    def say(coord, offset):
        k = order.get(crd2idx(coord, a.shape))
        return (str(offset),) if k is None else (str(k), str(offset)) if cell == "both" else (str(k),)

    def colour(coord, offset):
        k = order.get(crd2idx(coord, a.shape))
        return None if k is None else palette.ramp(k * 15 // n / 15)

    beyond = sum(index >= size(a) for index in walk)
    note = note or f"{len(walk)} cells in order" + (f"; {beyond} beyond size {size(a)}" if beyond else "")
    return draw_layout(
        a,
        color=colour,
        cell=say,
        memory=False,
        tiles=None,
        title=title or f"{a} ∘ {tiler_text(b)}",
        note=note,
        limit=limit,
    )


def walk_of(a: Layout, b) -> list[int]:
    """The 1-D coordinates of A that B gives, in order; `b` is a Layout, an int, or a tuple (by mode)."""
    if isinstance(b, tuple):
        picked = composition(make_identity_layout(a.shape), b)
        return [crd2idx(picked(k), a.shape) for k in range(size(picked))]
    b = Layout(b) if isinstance(b, int) else b
    return b.offsets().tolist()


# ------------------------------------------------------------------------------------------------ the map itself


def draw_mapping(layout: Layout, *, title=None, limit=48) -> Scene:
    """Every coordinate with an arrow to its offset, and whether the map is injective (no two meet) and onto (no gap).

    >>> from cutelearn import Layout
    >>> draw_mapping(Layout(4, 2)).note
    'injective, not onto: 1, 3, 5 are never met'
    """
    n, most = size(layout), cosize(layout)
    if max(n, most) > limit:
        raise LayoutError(
            f"draw_mapping: {layout} has {n} coordinates and {most} offsets: more than {limit} arrows are no picture"
        )
    offsets = layout.offsets().tolist()
    low = min(0, *offsets)
    met: dict[int, list[int]] = {}
    for i, offset in enumerate(offsets):
        met.setdefault(offset, []).append(i)
    span = range(low, max(offsets) + 1)
    fills = {"met": palette.tile(0), "met twice": palette.tile(1), "coordinate": palette.mix(palette.HUES[7], 0.8)}
    w = 30
    above = Panel(
        "coordinate",
        1,
        n,
        tuple(Cell(0, i, (str(i),), "coordinate") for i in range(n)),
        fills,
        cell=(w, 26),
        labels=(Label(0.5, -0.4, "index", "fe", 11.5),),
        font=12,
    )
    below = Panel(
        "offset",
        1,
        len(span),
        tuple(
            Cell(
                0,
                k,
                (str(o),),
                None if o not in met else "met" if len(met[o]) == 1 else "met twice",
                faint=o not in met,
            )
            for k, o in enumerate(span)
        ),
        fills,
        cell=(w, 26),
        labels=(Label(0.5, -0.4, "offset", "fe", 11.5),),
        font=12,
    )
    arrows = tuple(
        Arrow(At("coordinate", 0, i, "bottom"), At("offset", 0, o - low, "top"), weight=1)
        for i, o in enumerate(offsets)
    )
    return Scene(title or str(layout), mapping_words(offsets), ((above,), (below,)), arrows, gap=(28, 64))


def mapping_words(offsets: list[int]) -> str:
    """Whether a map is injective and onto 0..largest, and the first witness where it is not."""
    first: dict[int, int] = {}
    clash = None
    for i, o in enumerate(offsets):
        if first.setdefault(o, i) != i and clash is None:
            clash = first[o], i, o
    holes = [str(o) for o in range(max(offsets) + 1) if o not in first]
    if clash is None and not holes:
        return "bijective: every offset is met once"
    one = "injective" if clash is None else f"not injective: {clash[0]} and {clash[1]} meet at {clash[2]}"
    listed = ", ".join(holes[:4]) + (", ..." if len(holes) > 4 else "")
    two = "onto" if not holes else f"not onto: {listed} {'is' if len(holes) == 1 else 'are'} never met"
    return f"{one}, {two}" if clash is None else f"{one}; {two}"


def draw_range(a: Layout, b: Layout, *, title=None) -> Scene:
    """B's range on A's domain, and on to A's offsets: a gap, exactly all, or an overflow.

    >>> from cutelearn import Layout
    >>> [draw_range(Layout(8, 2), b).note.split(":")[0] for b in (Layout(4, 2), Layout(8), Layout(5, 2))]
    ['gap', 'exact', 'overflow']
    """
    walk = b.offsets().tolist()
    n, reach = size(a), max(walk) + 1
    domain = range(max(n, reach))
    if len(domain) > 48:
        raise LayoutError(f"draw_range: {len(domain)} coordinates are too many for arrows; take at most 48")
    met = set(walk)
    if reach > n:
        note = f"overflow: B reaches {reach - 1}, A ends at {n - 1}; the last mode of A goes on"
    elif len(met) == n:
        note = f"exact: B meets all {n} coordinates of A"
    else:
        note = f"gap: B meets {len(met)} of the {n} coordinates of A"
    fills = {"met": palette.tile(0), "index": palette.mix(palette.HUES[7], 0.8), "offset": palette.tile(2)}

    def strip(name, cells, label):
        return Panel(
            name,
            1,
            len(cells),
            tuple(cells),
            fills,
            cell=(30, 26),
            font=12,
            labels=(Label(0.5, -0.4, label, "fe", 11.5),),
        )

    first = strip("index", [Cell(0, i, (str(i),), "index") for i in range(len(walk))], f"index of {b}")
    second = strip(
        "coordinate",
        [
            Cell(0, c, (str(c),), "met" if c in met and c < n else None, False, c >= n, faint=c not in met)
            for c in domain
        ],
        f"coordinate of {a}",
    )
    third = strip(
        "address",
        [
            Cell(0, c, (str(a(c)),), "offset" if c in met and c < n else None, False, c >= n, faint=c not in met)
            for c in domain
        ],
        "address",
    )
    arrows = [Arrow(At("index", 0, i, "bottom"), At("coordinate", 0, c, "top"), weight=1) for i, c in enumerate(walk)]
    arrows += [Arrow(At("coordinate", 0, c, "bottom"), At("address", 0, c, "top"), weight=1) for c in sorted(met)]
    return Scene(title or f"{a} ∘ {b}", note, ((first,), (second,), (third,)), tuple(arrows), gap=(28, 50))
