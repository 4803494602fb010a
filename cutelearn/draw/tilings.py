"""Pictures of complement, divides and products: which cell belongs to which copy or tile, in the same colours everywhere."""

# ruff: noqa: RUF001 (pictures use the signs × and –)
from dataclasses import replace
from itertools import zip_longest
from math import prod

from ..algebra import coalesce, complement
from ..htuple import LayoutError, idx2crd, leaves, product, text, wrap
from ..layout import Layout, cosize, crd2idx, make_identity_layout, make_layout, rank, size
from ..tiling import (
    blocked_product,
    flat_divide,
    flat_product,
    logical_divide,
    logical_product,
    raked_product,
    tiled_divide,
    tiled_product,
    zipped_divide,
    zipped_product,
)
from . import palette
from .grids import (
    LIMIT,
    axis,
    cut,
    cut_note,
    gaps,
    need_layout,
    need_number,
    refuse_more,
    stride_note,
    swatches,
    tiler_text,
)
from .place import cell_width, narrowed
from .scene import Axis, Cell, Entry, Label, Legend, Level, Panel, Scene, borders_between

DIVIDES = {"logical": logical_divide, "zipped": zipped_divide, "tiled": tiled_divide, "flat": flat_divide}
PRODUCTS = {
    "logical": logical_product,
    "zipped": zipped_product,
    "tiled": tiled_product,
    "flat": flat_product,
    "blocked": blocked_product,
    "raked": raked_product,
}


# ------------------------------------------------------------------------------------------------ complement


def draw_complement(a: Layout, cotarget=None, *, title=None, per_row=24) -> Scene:
    """The cells of memory coloured by copy: the template A in grey, its copies at the starts that A* gives.

    Each cell: its offset, and `+s` for the copy that starts at s. Starts stand in heavy ink.

    >>> from cutelearn import Layout
    >>> memory = draw_complement(Layout((2, 2), (1, 6)), 24).panel("memory")
    >>> memory.at(0, 8).lines, [col for _row, col in memory.picked()]
    (('8', '+2'), [0, 2, 4, 12, 14, 16])
    """
    need_layout(a, "draw_complement", "A")
    rest = complement(a, cotarget)
    refuse_more(max(size(a) * size(rest), cosize(a)), LIMIT, "draw_complement", "cells", "give a smaller cotarget")
    starts = rest.offsets().tolist()
    owner = {}
    for start in starts:
        for offset in a.offsets().tolist():
            owner.setdefault(start + offset, start)
    n = max(product(cotarget) if cotarget is not None else 0, max(owner) + 1)
    refuse_more(n, LIMIT, "draw_complement", "cells", "give a smaller cotarget")
    fills = {f"+{s}": palette.COPY_0 if k == 0 else palette.tile(k - 1) for k, s in enumerate(starts)}
    cells = []
    for offset in range(n):
        start = owner.get(offset)
        words = (str(offset),) if start is None else (str(offset), f"+{start}")
        cells.append(
            Cell(
                *divmod(offset, per_row),
                words,
                None if start is None else f"+{start}",
                offset in starts,
                faint=start is None,
            )
        )
    w = narrowed(cell_width(len(str(n)), 36), min(n, per_row), len(str(n)) + 1)
    panel = Panel(
        "memory", -(-n // per_row), min(n, per_row), tuple(cells), fills, cell=(w, 36), key_name="copy", apart=True
    )
    legend = Legend("copy: where it starts", swatches(fills), width=780)
    return Scene(
        title or f"complement({a}, {n if cotarget is None else text(cotarget)})", f"A* = {rest}", ((panel,), (legend,))
    )


# ------------------------------------------------------------------------------------------------ divides


def draw_divide(a: Layout, tiler, form="zipped", *, pick=None, check=True, title=None, limit=LIMIT) -> Scene:
    """A coloured by tile, and beside it the divided layout in the same colours: "logical", "zipped", "tiled" or "flat".

    Cells hold offsets. What the tiles reach beyond A is hatched: phantom cells. `pick` is a tile's number (or the
    coordinate of a tile): its cells are in heavy ink on both sides.

    >>> from cutelearn import Layout
    >>> scene = draw_divide(Layout((4, 2, 3), (2, 1, 8)), Layout(4, 2), "logical")
    >>> scene.panel("divided").heading, scene.panel("divided").at(1, 0).lines, scene.panel("divided").at(1, 0).key
    ('((2,2),(2,3)):((4,1),(2,8))', ('4',), 'tile 0')
    """
    need_layout(a, "draw_divide", "A")
    r = _form(form, DIVIDES)(a, tiler, check=check)
    tiles = _Tiles(a, tiler, check)
    picked = None if pick is None else pick if isinstance(pick, int) else crd2idx(pick, tiles.rest)
    need_number(picked, "draw_divide", "tile", product(tiles.rest))
    before = _before(a, tiles, picked, limit)
    after = _divided_panel(a, tiler, form, r, tiles, picked, limit)
    legend = Legend("colour: tile", tiles.entries(before, after))
    note = _cut_words(size(r), after, before)
    wide = before.cols * before.cell[0] + after.cols * after.cell[0] > 860
    row = ((before,), (after,)) if before.rows == 1 or wide else ((before, after),)
    return Scene(title or f"{form}_divide({a}, {tiler_text(tiler)})", note, (*row, (legend,)), gap=(44, 30))


def draw_divides(a: Layout, tiler, *, check=True, title=None, limit=LIMIT) -> Scene:
    """The four forms of a divide in one picture: the same cells and colours, other modes."""
    tiles = _Tiles(need_layout(a, "draw_divides", "A"), tiler, check)
    panels = []
    for form, divide in DIVIDES.items():
        panels.append(_divided_panel(a, tiler, form, divide(a, tiler, check=check), tiles, None, limit, heading=True))
    before = _before(a, tiles, None, limit)
    logical, zipped, tiled, flat = panels
    wide = sum(p.cols * p.cell[0] for p in (before, logical)) > 660
    rows = ((before,), (logical,)) if wide else ((before, logical),)
    rows += ((zipped, tiled), (flat,))
    return Scene(
        title or f"{a} by {tiler_text(tiler)}",
        _cut_words(size(a), before, *panels),
        (*rows, (Legend("colour: tile", tiles.entries(before, *panels)),)),
        gap=(44, 30),
    )


def _digits(panels) -> tuple[Entry, ...]:
    """What the colours of nested axes mean, where there are any."""
    tones = {level.tone for p in panels for a in p.axes for level in a.levels}
    if "block" not in tones:
        return ()
    return Entry("the digit that turns fastest", mark="inside"), Entry("slowest", mark="block")


def _cut_words(cells: int, *panels: Panel) -> str:
    """How a note says that panels are cut, the first of them above all."""
    return cut_note(len(panels[0].cells), cells) if any(c.faint for p in panels for c in p.cells) else ""


def _form(name, forms):
    if name not in forms:
        raise LayoutError(f"form={name!r}: write one of {', '.join(map(repr, forms))}")
    return forms[name]


_FOLDED = 384  # cells up to which a strip is shown whole, in lines
_LONG = 64  # columns beyond which a grid is cut
_COUNTED = 1 << 14  # coordinates that are counted through to find their tiles


class _Tiles:
    """Which tile each coordinate of A belongs to, and which place in it: asked of the divide itself, mode by mode where
    the tiler goes so. So a matrix of 4096x4096 is no more work than its two edges.

    A coordinate here is one of A written as short as it goes, as the divide sees it: what are two modes to a reader may
    be one to a tile."""

    def __init__(self, a: Layout, tiler, check=True):
        self.a, self.by_mode = a, isinstance(tiler, tuple)
        self.shape = wrap(coalesce(a, (1,) * rank(a)).shape if self.by_mode else coalesce(a).shape)
        self.identity = make_identity_layout(self.shape)
        self.zipped = zipped_divide(a, tiler, check=check)
        self.rest = self.zipped.shape[1]
        if self.by_mode:
            parts = [zipped_divide(make_identity_layout(s), t) for s, t in zip(self.shape, tiler, strict=False)]
        else:
            parts = [zipped_divide(self.identity, tiler)]
        if (n := sum(map(size, parts))) > _COUNTED:
            raise LayoutError(
                f"a picture of {a} by {tiler_text(tiler)} counts through {n} coordinates to find their tiles: "
                f"more than {_COUNTED}. Draw a smaller layout of the same kind, or one tile"
            )
        self.parts = []  # (size of a tile, number of tiles, leaves of a coordinate -> (tile, place)) of each mode
        for part, shape in zip(parts, self.shape if self.by_mode else (self.shape,), strict=False):
            of: dict = {}
            inside = size(part, 0)
            for k in range(size(part)):
                of.setdefault(_leaves_of(part(k), shape), (k // inside, k % inside))
            self.parts.append((inside, size(part, 1), of))
        self.fills: dict[str, str] = {}
        for k in range(min(product(self.rest), 512)):
            self.fills[f"tile {k}"] = palette.tile(k)

    def coordinate(self, index: int):
        """The coordinate in A of a 1-D one."""
        return wrap(self.identity(index))

    def find(self, coord) -> tuple[int, int] | None:
        """The number of the tile of a coordinate, and of its place in the tile; None where it lies in no tile."""
        if not self.by_mode:
            return self.parts[0][2].get(_leaves_of(coord, self.shape))
        tile, place, tiles, places = 0, 0, 1, 1
        for k, (c, s) in enumerate(zip_longest(coord, self.shape, fillvalue=0)):  # zeros at its end may be left out
            inside, outside, of = self.parts[k] if k < len(self.parts) else (1, product(s), None)
            found = (crd2idx(c, s), 0) if of is None else of.get(_leaves_of(c, s))
            if found is None:
                return None
            tile, place = tile + found[0] * tiles, place + found[1] * places
            tiles, places = tiles * outside, places * inside
        return tile, place

    def is_phantom(self, coord) -> bool:
        return not _lies_in(_leaves_of(coord, self.shape), self.shape)

    def key(self, coord) -> str | None:
        found = self.find(coord)
        if found is None:
            return None
        key = f"tile {found[0]}"
        self.fills.setdefault(key, palette.tile(found[0]))
        return key

    def count(self, tile: int | None, place: int | None) -> int:
        """How many cells of A lie in a tile, or at a place of the tiles; phantoms don't count."""
        which, wanted = (0, tile) if place is None else (1, place)
        if not self.by_mode:
            return sum(at[which] == wanted and _lies_in(c, self.shape) for c, at in self.parts[0][2].items())
        n = 1
        for k, s in enumerate(self.shape):
            if k >= len(self.parts):  # a mode that the tiler does not reach: its cells are tiles
                n *= 1 if place is None else product(s)
                wanted //= product(s) if place is None else 1
                continue
            inside, outside, of = self.parts[k]
            wanted, digit = divmod(wanted, outside if place is None else inside)
            n *= sum(at[which] == digit and _lies_in(c, s) for c, at in of.items())
        return n

    def entries(self, *panels) -> tuple:
        n = product(self.rest)
        entries = [
            Entry(text(idx2crd(k, self.rest)) if isinstance(self.rest, tuple) else str(k), (palette.tile(k),))
            for k in range(min(n, 24))
        ]
        if n > 24:
            entries.append(Entry(f"{n - 24} more"))
        if any(c.hatch for p in panels for c in p.cells):
            entries.append(Entry("out of range", mark="hatch"))
        return (*entries, *_digits(panels))


def _leaves_of(coord, shape) -> tuple[int, ...]:
    """The digits of a coordinate, one for each leaf of the shape; zeros at its end may be left out."""
    if not isinstance(shape, tuple):
        return (coord,)
    pairs = zip_longest(wrap(coord), shape, fillvalue=0)
    return tuple(digit for c, s in pairs for digit in _leaves_of(c, s))


def _lies_in(digits, shape) -> bool:
    """Whether the digits of a coordinate are digits of the shape: a phantom cell has one that is too large."""
    return all(digit < extent for digit, extent in zip(digits, leaves(shape), strict=True))


def _shown(m: int, n: int, limit) -> tuple[list, list]:
    """The rows and columns of a grid that are drawn: all, or the first ones and the last two."""
    if limit is None or (m * n <= limit and n <= _LONG and m <= 2 * _LONG):
        return list(range(m)), list(range(n))
    return cut(m, m if m <= 24 else 15), cut(n, n if n <= 24 else 15)


def _before(a: Layout, tiles: _Tiles, picked, limit, place=None) -> Panel:
    """A's own grid (mode 0 down), or a strip where one walk goes through more modes than two, coloured by tile; a tile
    is picked, or a place in every tile."""
    shape = wrap(a.shape)
    is_strip = len(shape) == 1 or (len(shape) > 2 and not tiles.by_mode)
    row_shape = 1 if is_strip else shape[0]
    col_shape = a.shape if is_strip else shape[1] if len(shape) == 2 else shape[1:]
    m, n = product(row_shape), product(col_shape)
    per = 24 if is_strip and 32 < n <= _FOLDED else None  # a long strip stands in lines
    rows, cols = (list(range(0, n, per)), list(range(per))) if per else _shown(m, n, limit)
    cells, groups = [], []
    for r, i in enumerate(rows):
        line = []
        for c, j in enumerate(cols):
            key = None
            if i is not None and j is not None and i + j * m < m * n:
                index = i + j * m
                coord = tiles.coordinate(index)
                tile, spot = tiles.find(coord) or (None, None)
                key = tiles.key(coord)
                is_picked = tile is not None and (tile == picked or spot == place)
                cells.append(Cell(r, c, (str(a(index)),), key, is_picked))
            line.append(key)
        groups.append(line)
    longest = max(len(c.lines[0]) for c in cells)
    w = narrowed(cell_width(longest, 26 if len(cols) > 16 else 34), len(cols), longest)
    top = axis(
        "top",
        "j" if not is_strip else "i",
        per or col_shape,
        note="" if is_strip else stride_note(a, 1) if len(shape) == 2 else "",
        shown=cols,
    )
    starts = Axis("left", "", (Level(tuple((r, 1, str(k)) for r, k in enumerate(rows))),))
    axes = (
        (starts, top)
        if per
        else (top,)
        if is_strip
        else (axis("left", "i", row_shape, note=stride_note(a, 0), shown=rows), top)
    )
    return Panel(
        "A",
        len(rows),
        len(cols),
        (*cells, *gaps(rows, cols)),
        tiles.fills,
        axes,
        (borders_between(groups),),
        cell=(w, min(w, 34)),
        heading=str(a),
        key_name="tile",
    )


def _divided_panel(a, tiler, form, r, tiles: _Tiles, picked, limit, heading=False) -> Panel:
    """The grid of a divided layout: its mode 0 down, the others across."""
    places = DIVIDES[form](tiles.identity, tiler)
    shape = wrap(r.shape)
    row_shape, col_shape = shape[0], shape[1] if len(shape) == 2 else shape[1:]
    m, n = product(row_shape), product(col_shape)
    rows, cols = _shown(m, n, limit)
    cells, groups = [], []
    for p, i in enumerate(rows):
        line = []
        for c, j in enumerate(cols):
            key = None
            if i is not None and j is not None:
                index = i + j * m
                coord = wrap(places(index))
                key, phantom = tiles.key(coord), tiles.is_phantom(coord)
                cells.append(
                    Cell(
                        p,
                        c,
                        (str(r(index)),),
                        None if phantom else key,
                        key is not None and key == f"tile {picked}",
                        phantom,
                    )
                )
            line.append(key)
        groups.append(line)
    longest = max(len(c.lines[0]) for c in cells)
    w = narrowed(cell_width(longest, 26 if len(cols) > 16 else 34), len(cols), longest)
    names = _mode_names(form, tiler, len(shape))
    return Panel(
        "divided" if not heading else form,
        len(rows),
        len(cols),
        (*cells, *gaps(rows, cols)),
        tiles.fills,
        (
            axis("left", names[0], row_shape, "nested", shown=rows),
            axis("top", names[1], col_shape, "nested", shown=cols),
        ),
        (borders_between(groups),),
        cell=(w, min(w, 34 if len(rows) <= 16 else 22)),
        heading=f"{form}: {text(r.shape)}" if heading else str(r),
        key_name="tile",
    )


def _mode_names(form, tiler, modes) -> tuple[str, str]:
    by_mode = isinstance(tiler, tuple)
    if form == "logical" and by_mode and len(tiler) > 1:
        return "mode 0", "mode 1"
    if form == "flat" and by_mode and len(tiler) > 1:
        return "mode 0", f"modes 1–{modes - 1}"
    return "in the tile", "tiles"


# ------------------------------------------------------------------------------------------------ products


def draw_product(a: Layout, b, form="logical", *, pick=None, check=True, title=None, memory=True, limit=LIMIT) -> Scene:
    """A product as a grid and as memory, coloured by copy: "logical", "zipped", "tiled", "flat", "blocked" or "raked".

    The copies are numbered in B's order; the copy that comes first stands at A's own offsets. The cells of the copy whose
    number is `pick` are in heavy ink.

    >>> from cutelearn import Layout
    >>> scene = draw_product(Layout((2, 2), (4, 1)), Layout(6))
    >>> scene.note, scene.panel("memory").at(0, 2).key
    ('((2,2),(2,3)):((4,1),(2,8))', 'copy 1')
    """
    need_layout(a, "draw_product", "A")
    r = _form(form, PRODUCTS)(a, b, check=check)
    refuse_more(size(r), limit or size(r), "draw_product", "cells", "take smaller ones; limit=None draws them all")
    copies = size(r) // size(a)
    need_number(pick, "draw_product", "copy", copies)
    copy_of = _copy_numbers(a, b, form, r)
    shape = wrap(r.shape)
    row_shape, col_shape = shape[0], shape[1] if len(shape) == 2 else shape[1:]
    m, n = product(row_shape), product(col_shape)
    fills = {f"copy {k}": palette.tile(k) for k in range(copies)}
    down, across = _shown(m, n, limit)
    key = [[None if i is None or j is None else f"copy {copy_of[i + j * m]}" for j in across] for i in down]
    cells = [
        Cell(p, q, (str(r(i + j * m)),), key[p][q], copy_of[i + j * m] == pick)
        for p, i in enumerate(down)
        for q, j in enumerate(across)
        if i is not None and j is not None
    ]
    longest = max(len(c.lines[0]) for c in cells)
    w = narrowed(cell_width(longest, 26 if len(across) > 16 else 34), len(across), longest)
    names = ("mode 0", "mode 1") if form in ("blocked", "raked") else ("in A", "copies")
    grid = Panel(
        "grid",
        len(down),
        len(across),
        (*cells, *gaps(down, across)),
        fills,
        (
            axis("left", names[0], row_shape, "nested", shown=down),
            axis("top", names[1], col_shape, "nested", shown=across),
        ),
        (borders_between(key),),
        cell=(w, min(w, 36)),
        key_name="copy",
    )
    rows = [(grid,)]
    if memory and cosize(r) <= 256:
        rows.append((_copies_in_memory(r, copy_of, fills, pick),))
    rows.append((Legend("colour: copy, in B's order", (*swatches(fills), *_digits([grid]))),))
    note = " · ".join(filter(None, (str(r), _cut_words(size(r), grid))))
    return Scene(title or f"{form}_product({a}, {tiler_text(b)})", note, tuple(rows), gap=(28, 34))


def draw_products(a: Layout, b: Layout, *, title=None) -> Scene:
    """Blocked and raked in the same colours, side by side where there is room."""
    scenes = {form: draw_product(a, b, form, memory=False) for form in ("blocked", "raked")}
    panels = tuple(
        replace(x.panel("grid"), name=form, heading=f"{form}: {PRODUCTS[form](a, b)}") for form, x in scenes.items()
    )
    wide = sum(p.cols * p.cell[0] for p in panels) > 700
    legend = Legend("colour: copy, in B's order", (*swatches(panels[0].fills), *_digits(panels)), width=760)
    rows = tuple((p,) for p in panels) if wide else (panels,)
    return Scene(title or f"{a} and {tiler_text(b)}", "", (*rows, (legend,)), gap=(44, 30))


def _copy_numbers(a, b, form, r) -> list[int]:
    """The copy of each 1-D coordinate of the product, by its number in B's order; modes that B leaves alone are part of A."""
    by_mode = isinstance(b, tuple)
    if form in ("blocked", "raked"):
        return _interleaved(a, b, form)
    if form == "logical" and by_mode:
        return _interleaved(a, make_layout(*(Layout(size(r, k) // size(a, k)) for k in range(rank(r)))), "blocked")
    inside = prod(size(a, k) for k in range(len(b))) if by_mode else size(a)
    return [k // inside % (size(r) // size(a)) for k in range(size(r))]


def _interleaved(a, b, form) -> list[int]:
    """Copies where mode k of the product is (mode k of A, mode k of B), or the other way round when raked."""
    n = max(rank(a), rank(b))
    a_sizes = [size(a, k) if k < rank(a) else 1 for k in range(n)]
    b_sizes = [size(b, k) if k < rank(b) else 1 for k in range(n)]
    out = []
    for k in range(prod(a_sizes) * prod(b_sizes)):
        rest, copy, worth = k, 0, 1
        for s, t in zip(a_sizes, b_sizes, strict=True):
            here, rest = rest % (s * t), rest // (s * t)
            copy += (here // s if form == "blocked" else here % t) * worth
            worth *= t
        out.append(copy)
    return out


def _copies_in_memory(r, copy_of, fills, pick) -> Panel:
    offsets = r.offsets().tolist()
    at = dict(zip(reversed(offsets), reversed(copy_of), strict=True))
    low, n = min(0, *offsets), max(offsets) + 1
    per = min(n - low, 32)
    cells = []
    for offset in range(low, n):
        key = f"copy {at[offset]}" if offset in at else None
        cells.append(
            Cell(*divmod(offset - low, per), (str(offset),), key, at.get(offset, -1) == pick, faint=key is None)
        )
    rows = -(-(n - low) // per)
    axes = (Axis("left", "", (Level(tuple((k, 1, str(low + k * per)) for k in range(rows))),)),) if rows > 1 else ()
    label = Label(-0.55, 0, "memory", "f", 11.5) if rows > 1 else Label(0.5, -0.3, "memory", "fe", 11.5)
    return Panel("memory", rows, per, tuple(cells), fills, axes, (), (label,), (23, 24), font=11, key_name="copy")


# ------------------------------------------------------------------------------------------------ partitions


def draw_partition(a: Layout, tiler, *, tile=None, place=None, title=None, limit=LIMIT) -> Scene:
    """An inner partition picks one tile (`tile=`, as a CTA takes it); an outer one the same place in every tile (`place=`,
    as a thread takes it). Cells hold offsets, colours are tiles, what is picked stands in heavy ink.

    >>> from cutelearn import Layout
    >>> a = Layout((8, 24), (24, 1))
    >>> draw_partition(a, (4, 8), place=(1, 2)).panel("A").picked()
    [(1, 2), (1, 10), (1, 18), (5, 2), (5, 10), (5, 18)]
    """
    if (tile is None) == (place is None):
        raise LayoutError("draw_partition: give tile=... for an inner partition, or place=... for an outer one")
    tiles = _Tiles(need_layout(a, "draw_partition", "A"), tiler)
    inner = tiles.zipped.shape[0]
    which = None if tile is None else tile if isinstance(tile, int) else crd2idx(tile, tiles.rest)
    spot = None if place is None else place if isinstance(place, int) else crd2idx(place, inner)
    need_number(which, "draw_partition", "tile", product(tiles.rest))
    need_number(spot, "draw_partition", "place", product(inner))
    panel = _before(a, tiles, which, limit, spot)
    what = f"tile {text(tile)}" if tile is not None else f"place {text(place)} in every tile"
    shape = text(inner) if tile is not None else text(tiles.rest)
    note = f"{what}: {tiles.count(which, spot)} cells, shape {shape}"
    note = " · ".join(filter(None, (note, _cut_words(size(a), panel))))
    legend = Legend("colour: tile", tiles.entries(panel))
    return Scene(title or f"{a} by {tiler_text(tiler)}", note, ((panel,), (legend,)))
