"""Pictures of one layout: its grid and memory strip, slices, an order of cells, and where the arrows of the map go."""

from ..algebra import composition
from ..htuple import LayoutError, has_underscore, product_each, text, wrap
from ..layout import Layout, cosize, crd2idx, size, slice_and_offset
from . import palette
from .grids import LETTERS, LIMIT, cut_note, formula, need_layout, refuse_more, tiler_text
from .scene import Arrow, At, Cell, Label, Legend, Panel, Scene, outline
from .sheet import (
    Kept,
    Sheet,
    arrows_to_memory,
    coordinates,
    fills_of,
    grid_cells,
    grid_panel,
    key_of,
    legend_of,
    memory_strip,
    say_of,
    tile_borders,
)

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
    sheet = Sheet(layout, limit)
    picks = [sheet.index(c) for c in coordinates(pick)]
    sheet.show(picks)
    kept = None if keep is None else Kept(keep, sheet)
    cells, keys = grid_cells(sheet, key_of(color, sheet, tiles, bits), say_of(cell, sheet), picks, kept, bound, color)
    borders = tile_borders(tiles, sheet)
    if kept is not None:
        borders += (outline([(r, c) for r, c, i, j in sheet.cells() if i + j * sheet.height in kept]),)
    grid = grid_panel(sheet, cells, fills_of(keys, color), borders, axes, names or LETTERS, color)
    rows, arrows = [(grid,)], []
    strip = memory_strip(sheet, cells, grid, memory, picks)
    if strip is not None:
        rows.append((strip,))
        arrows = arrows_to_memory(sheet, strip, picks)
    elif picks:
        rows.append((Legend(notes=((formula(layout, sheet.natural(picks[0])), "m"),)),))
    legend = legend_of(color, grid.fills, borders, bound, axes, sheet)
    if legend:
        rows.append((legend,))
    if sheet.is_cut:
        note = " · ".join(filter(None, (note, cut_note(len(cells), sheet.size))))
    words = note or f"offsets of {layout}, {sheet.height} rows by {sheet.width} columns"
    gap = (28, 44 if arrows else 26)
    return Scene(title or str(layout), note, tuple(rows), tuple(arrows), gap, words=words)


# ------------------------------------------------------------------------------------------------ slices and orders


def draw_slice(layout, coord, **options) -> Scene:
    """What a coordinate with `_` keeps: the slice coloured in grid and memory, the rest grey.

    >>> from cutelearn import Layout, _
    >>> scene = draw_slice(Layout((4, 8), (8, 1)), (2, _))
    >>> scene.note, [c.lines for c in scene.panel("grid").cells if c.key][:3]
    ('(8):(1), offset 16', [('16',), ('17',), ('18',)])
    """
    need_layout(layout, "draw_slice")
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
    need_layout(a, "draw_order", "A")
    walk = walk_of(a, b, limit)
    order = {}
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


def walk_of(a: Layout, b, limit=None) -> list[int]:
    """The 1-D coordinates of A that B gives, in order; `b` is a Layout, an int, or a tuple (by mode).

    LayoutError where they are more than `limit`.
    """
    most = limit if limit is not None else 1 << 62
    if isinstance(b, tuple):
        composition(a, b)  # where it is refused, there is no order
        picked = composition(Layout(product_each(wrap(a.shape))), b)
        refuse_more(size(picked), most, "draw_order", "cells in order", "take a smaller B, or limit=None")
        return picked.offsets().tolist()
    b = need_layout(Layout(b) if isinstance(b, int) else b, "draw_order", "B (or a tuple, by mode)")
    refuse_more(size(b), most, "draw_order", "cells in order", "take a smaller B, or limit=None")
    return b.offsets().tolist()


# ------------------------------------------------------------------------------------------------ the map itself


def draw_mapping(layout: Layout, *, title=None, limit=48) -> Scene:
    """Every coordinate with an arrow to its offset, and whether the map is injective (no two meet) and onto (no gap).

    >>> from cutelearn import Layout
    >>> draw_mapping(Layout(4, 2)).note
    'injective, not onto: 1, 3, 5 are never met'
    """
    need_layout(layout, "draw_mapping")
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

    Raises LayoutError where A and B do not compose, with the reason that `composition` gives.
    """
    need_layout(a, "draw_range", "A")
    need_layout(b, "draw_range", "B")
    refuse_more(
        max(size(a), size(b), cosize(b)), 48, "draw_range", "coordinates, each with its arrow", "take smaller ones"
    )
    try:
        composition(a, b)
    except LayoutError as error:
        raise LayoutError(f"draw_range: these two do not compose, so no range goes through both. {error}") from None
    walk = b.offsets().tolist()
    n, reach = size(a), max(walk) + 1
    domain = range(max(n, reach))
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
