"""Pictures of tensors and of what algorithms do to them: engine and layout, predicates on ragged tiles, the five gemm forms."""

# ruff: noqa: RUF001 (pictures use the signs × and –)

from ..htuple import LayoutError, as_shape, ceil_div, product, text, wrap
from ..layout import size, slice_and_offset
from . import palette
from .grids import axis, cut, gaps, need_layout, need_number, offset_text, refuse_more
from .layouts import draw_layout
from .place import cell_width, narrowed
from .scene import (
    Arrow,
    At,
    Axis,
    Cell,
    Entry,
    Label,
    Legend,
    Level,
    Panel,
    Scene,
    beside,
    borders_between,
    outline,
    stack,
)

_EDGE = 14  # rows and columns of a gemm that are drawn
_PICKED = 256  # cells of a tile that is drawn large
_ENGINE = 128  # memory cells beyond which the engine is drawn as the part that is used


# ------------------------------------------------------------------------------------------------ engine and layout


def draw_tensor(tensor, layout=None, *, pick=None, keep=None, color="row", title=None, note="", limit=4000) -> Scene:
    """A tensor: the engine (its memory, element by element) and the layout's grid of elements over it, in the same colours.

    `tensor` is a Tensor, or a list of elements with a `layout`. The pointer shows where the tensor starts in its memory.
    `keep` is a coordinate with `_`: only this slice is coloured, and the pointer shows where the slice starts.

    >>> from cutelearn import Layout
    >>> scene = draw_tensor(list("abcdefgh"), Layout((2, 3), (1, 2)), pick=(1, 2))
    >>> scene.panel("grid").at(1, 2).lines, scene.panel("engine").picked(), scene.panel("engine").at(0, 7).key
    (('f',), [(0, 5)], None)
    """
    if layout is not None:
        need_layout(layout, "draw_tensor")
    elif not hasattr(tensor, "engine"):
        raise LayoutError(f"draw_tensor: give a Tensor, or a list of elements and a layout, not {tensor!r}")
    if layout is not None and not (hasattr(tensor, "__len__") and hasattr(tensor, "__getitem__")):
        raise LayoutError(f"draw_tensor: give a list of elements beside the layout, not {tensor!r}")
    engine = tensor if layout is not None else tensor.engine
    start = 0 if layout is not None else tensor.offset
    layout = layout if layout is not None else tensor.layout
    if not isinstance(start, int):  # an identity tensor: coordinates in place of elements
        return draw_layout(
            layout,
            cell=lambda c, o: offset_text(o + start),
            title=title or str(tensor),
            note=note,
            memory=False,
            limit=limit,
        )
    at = [start + int(o) for o in layout.offsets()] if limit is None or size(layout) <= limit else []
    beyond = [o for o in at if not 0 <= o < len(engine)]

    def say(_coord, offset):
        k = start + offset
        return _element(engine[k]) if 0 <= k < len(engine) else "?"

    grid = draw_layout(layout, color=color, cell=say, memory=False, pick=pick, keep=keep, title=title, limit=limit)
    panel = grid.panel("grid")
    if keep is not None:
        kept, moved = slice_and_offset(keep, layout)
        title, note = title or f"{text(keep)} of {layout}", note or f"{kept}, from {start + moved}"
        start += moved
    note = note or f"{len(engine)} elements, {layout}" + (f", from {start}" if start else "")
    if beyond:
        note += f"; {len(beyond)} cells lie outside of the memory"
    title = title or (str(tensor) if hasattr(tensor, "engine") else str(layout))
    if not at or (max(at) - min(at) > _ENGINE and len(engine) > _ENGINE):
        return Scene(title, note, grid.rows)
    memory, per, low = _engine_panel(engine, at, panel, start, grid)
    arrows = []
    for row, col in panel.picked()[:4]:
        index = int(row) + int(col) * int(panel.rows) if panel.rows > 1 else int(col)
        place = divmod(at[index] - low, per)
        if place[0] == 0:  # from the foot of the column to the first line of the engine: it runs over no cell
            arrows.append(Arrow(At("grid", panel.rows - 1, col, "bottom"), At("engine", *place, "top"), weight=1.2))
    entries = (Entry("not in this slice" if keep else "not in this tensor", (palette.EMPTY,)),)
    entries = entries if any(c.key is None for c in memory.cells) else ()
    notes = (("▼ ptr", "f"),) if any(label.words == "▼" for label in memory.labels) else ()
    rows = ((panel,), (memory,)) + (((Legend("", entries, notes),),) if entries or notes else ())
    return Scene(title, note, rows, tuple(arrows), gap=(28, 50))


def _element(x) -> str:
    if isinstance(x, tuple):
        return text(x)
    try:
        return f"{x:g}" if x != int(x) else str(int(x))
    except (TypeError, ValueError, OverflowError):
        return str(x)


def _engine_panel(engine, at, grid: Panel, start, scene):
    keys = {}
    by_place = {(c.row, c.col): c for c in grid.cells if not c.faint}
    m = int(grid.rows)
    for index, offset in enumerate(at):
        cell = by_place.get((index % m, index // m) if m > 1 else (0, index))
        if cell is not None and (offset not in keys or cell.picked):
            keys[offset] = cell
    n = len(engine)
    low, high = (0, n) if n <= _ENGINE else (max(min(at) - 4, 0), min(max(at) + 5, n))
    longest = max(len(_element(engine[k])) for k in range(low, high))
    widths = ((per, narrowed(max(22, 6.6 * longest + 7), per, longest)) for per in (32, 16, 8, 4))
    per, w = next(((per, w) for per, w in widths if per * w <= 745), (4, 6.6 * longest + 7))
    per = min(high - low, per)
    rows = -(-(high - low) // per)
    cells = []
    for k in range(low, high):
        own = keys.get(k)
        cells.append(
            Cell(
                *divmod(k - low, per),
                (_element(engine[k]),),
                own and own.key,
                bool(own and own.picked),
                faint=own is None,
            )
        )
    ticks = tuple((c, 1, str(low + c)) for c in range(per)) if rows == 1 else ()
    axes = (Axis("bottom", levels=(Level(ticks),)),) if rows == 1 else ()
    if rows > 1:
        axes = (Axis("left", levels=(Level(tuple((r, 1, str(low + r * per)) for r in range(rows))),)),)
    row, col = divmod(start - low, per) if low <= start < high else (0, 0)
    # above the first line there is room for the word; on the others the sign alone stands, in the edge of its cell
    labels = (Label(-0.55, col + 0.5, "ptr ↓", "mcb", 11) if row == 0 else Label(row + 0.14, col + 0.5, "▼", "c", 8),)
    labels += (
        (Label(0.5, -9 / w, "engine", "fe", 11.5),) if rows == 1 else (Label(-0.55, -9 / w, "engine", "fe", 11.5),)
    )
    return Panel("engine", rows, per, tuple(cells), grid.fills, axes, (), labels, (w, 26), font=11), per, low


# ------------------------------------------------------------------------------------------------ ragged tiles


def draw_predicate(shape, tile, pick=None, *, title=None, limit=6000) -> Scene:
    """A matrix of `shape` under tiles that don't divide it: cells out of range are hatched, and their predicate is 0.

    `pick` is the coordinate of a tile: it is drawn large beside, each cell with its coordinate and its predicate.

    >>> scene = draw_predicate((41, 55), (4, 8), pick=(10, 6))
    >>> scene.note, [scene.panel("tile").at(*c).lines for c in ((0, 0), (0, 7), (1, 0))]
    ('11×7 tiles, 2255 cells in range, 209 out of range', [('(40,48)', '1'), ('(40,55)', '0'), ('(41,48)', '0')])
    """
    if len(wrap(shape)) != 2 or len(wrap(tile)) != 2:
        raise LayoutError(
            f"draw_predicate: give two extents for the matrix and the tile, not {text(shape)} and {text(tile)}"
        )
    shape, tile = (tuple(map(product, as_shape(x, "draw_predicate: a shape"))) for x in (shape, tile))
    (m, n), (h, w) = shape, tile
    down, across = ceil_div(shape, tile)
    rows, cols = down * h, across * w
    if pick is not None:
        if not isinstance(pick, tuple) or len(pick) != 2:
            raise LayoutError(f"draw_predicate: pick is the coordinate of a tile, such as (0, 1), not {pick!r}")
        need_number(pick[0], "draw_predicate", "tile along m", down)
        need_number(pick[1], "draw_predicate", "tile along n", across)
        refuse_more(h * w, _PICKED, "draw_predicate", "cells of a picked tile", "take a smaller tile, or no pick")
    if limit is not None and (rows * cols > limit or max(rows, cols) > 160):
        raise LayoutError(
            f"draw_predicate: {rows} by {cols} cells are more than limit={limit}, or than 160 along a side: "
            f"take a smaller matrix, or limit=None"
        )
    cells = []
    for i in range(rows):
        for j in range(cols):
            inside = i < m and j < n
            key = ("even", "odd")[(i // h + j // w) % 2] if inside else None
            cells.append(Cell(i, j, (str(int(inside)),), key, False, not inside))
    fills = {"even": palette.mix(palette.HUES[0], 0.72), "odd": palette.mix(palette.HUES[0], 0.86)}
    borders = (borders_between([[(i // h, j // w) for j in range(cols)] for i in range(rows)], 1, f"tile {h}×{w}"),)
    if pick is not None:
        borders += (outline([(pick[0] * h + i, pick[1] * w + j) for i in range(h) for j in range(w)]),)
    unit = max(4, min(16, 640 // cols))
    axes = tuple(
        Axis(side, name, (Level(tuple((k * t, t, str(k)) for k in range(count)), "block"),))
        for side, name, count, t in (("left", "tile m", down, h), ("top", "tile n", across, w))
    )
    matrix = Panel("matrix", rows, cols, tuple(cells), fills, axes, borders, cell=(unit, unit), silent=True)
    entries = [Entry("out of range", mark="hatch"), Entry(f"tile {h}×{w}", mark="line1")]
    row = (matrix,)
    if pick is not None:
        row = (matrix, _one_tile(shape, tile, pick, fills))
        entries.append(Entry(f"tile {text(pick)}: coordinate, predicate", mark="line3"))
    note = f"{down}×{across} tiles, {m * n} cells in range, {rows * cols - m * n} out of range"
    return Scene(title or f"{text(shape)} by {text(tile)}", note, (row, (Legend("", tuple(entries)),)), gap=(40, 26))


def _one_tile(shape, tile, pick, fills) -> Panel:
    (h, w), cells = tile, []
    for i in range(h):
        for j in range(w):
            coord = (pick[0] * h + i, pick[1] * w + j)
            inside = all(c < s for c, s in zip(coord, shape, strict=True))
            cells.append(Cell(i, j, (text(coord), str(int(inside))), "even" if inside else None, False, not inside))
    axes = (axis("left", "", h), axis("top", "", w))
    wide = cell_width(max(len(c.lines[0]) for c in cells), 40, 10)
    return Panel("tile", h, w, tuple(cells), fills, axes, cell=(wide, 36), heading=f"tile {text(pick)}", font=11)


# ------------------------------------------------------------------------------------------------ gemm


FORMS = {
    (1, 1, 1): ("(V) × (V) → (V)", "C(v) += A(v) · B(v)"),
    (1, 1, 2): ("(M) × (N) → (M,N)", "C(m,n) += A(m) · B(n)"),
    (2, 2, 2): ("(M,K) × (N,K) → (M,N)", "C(m,n) += Σk A(m,k) · B(n,k)"),
    (2, 2, 3): ("(V,M) × (V,N) → (V,M,N)", "C(v,m,n) += A(v,m) · B(v,n)"),
    (3, 3, 3): ("(V,M,K) × (V,N,K) → (V,M,N)", "C(v,m,n) += Σk A(v,m,k) · B(v,n,k)"),
}


def draw_gemm(a, b, c, cell=None, *, title=None) -> Scene:
    """The form of a gemm, read off the ranks of A, B and C (shapes, layouts or tensors): A left, B above, C in the corner.

    V lies in depth. `cell=(m, n)` picks an element of C, with the row of A and the column of B that it is made of.

    >>> scene = draw_gemm((3, 2), (4, 2), (3, 4), cell=(1, 2))
    >>> scene.title, scene.panel("A").picked(), scene.panel("B").picked()
    ('(M,K) × (N,K) → (M,N)', [(1, 0), (1, 1)], [(0, 2), (1, 2)])
    """
    shapes = [tuple(map(product, wrap(as_shape(getattr(x, "shape", x), "draw_gemm: a shape")))) for x in (a, b, c)]
    ranks = tuple(map(len, shapes))
    if ranks not in FORMS:
        raise LayoutError(
            f"draw_gemm: no form of gemm has ranks {ranks}; there are {', '.join(f[0] for f in FORMS.values())}"
        )
    sa, sb, sc = shapes
    name, law = FORMS[ranks]
    if ranks == (1, 1, 1):
        need_number(cell, "draw_gemm", "v", sc[0])
        v = cut(sc[0], _EDGE, [] if cell is None else [cell])
        strips = tuple((_operand(x, [0], v, "", "v", lambda i, j: j == cell),) for x in "ABC")
        return Scene(title or name, law, strips, gap=(20, 18))
    v = sc[0] if ranks[2] == 3 else 1
    m, n = sc[-2:]
    k = sa[-1] if ranks in ((2, 2, 2), (3, 3, 3)) else 1
    wanted = ((v,) if v > 1 or ranks[2] == 3 else ()) + (m,) + ((k,) if ranks in ((2, 2, 2), (3, 3, 3)) else ())
    other = (*wanted[: ranks[2] - 2], n, *wanted[ranks[2] - 1 :])
    if sa != wanted or sb != other:
        raise LayoutError(
            f"draw_gemm: {name}: C {text(sc)} wants A {text(wanted)} and B {text(other)}, not {text(sa)} and {text(sb)}"
        )
    if cell is not None and (not isinstance(cell, tuple) or len(cell) != 2):
        raise LayoutError(f"draw_gemm: a cell of C is (m, n), such as (0, 1), not {cell!r}")
    cm, cn = cell if cell is not None else (None, None)
    need_number(cm, "draw_gemm", "m", m)
    need_number(cn, "draw_gemm", "n", n)
    depth = min(v - 1, 3)
    cells = m * n + m * k + n * k
    m, n, k = (cut(x, min(_EDGE, x), [] if at is None else [at]) for x, at in ((m, cm), (n, cn), (k, None)))
    names = ("m", "k") if len(k) > 1 or len(wanted) > ranks[2] - 1 else ("m", "")
    panel_a = _operand("A", m, k, names[0], names[1], lambda i, j: i == cm, depth)
    panel_b = _operand("B", k, n, names[1], "n", lambda i, j: j == cn, depth)
    panel_c = _operand("C", m, n, "m", "n", lambda i, j: (i, j) == (cm, cn), depth)
    law += f", v = 0..{v - 1}" if v > 1 else ""
    shown = (panel_a, panel_b, panel_c)
    if any(c.faint for panel in shown for c in panel.cells):
        law += f" · {sum(not c.faint for panel in shown for c in panel.cells)} of {cells} cells"
    return Scene(title or name, law, ((None, panel_b), (panel_a, panel_c)), gap=(24, 18), fixed=True)


def _operand(name, rows, cols, down, across, picked, depth=0) -> Panel:
    """An operand as plain cells; `rows` and `cols` list what is shown of them, None for a gap."""
    cells = [
        Cell(r, c, (), name, picked(i, j))
        for r, i in enumerate(rows)
        for c, j in enumerate(cols)
        if i is not None and j is not None
    ]
    fills = {"A": palette.tile(0), "B": palette.tile(1), "C": palette.tile(2)}
    axes = tuple(axis(side, x, len(n), shown=n) for side, x, n in (("left", down, rows), ("top", across, cols)) if x)
    return Panel(
        name, len(rows), len(cols), (*cells, *gaps(rows, cols)), fills, axes, cell=(26, 26), caption=name, depth=depth
    )


def draw_gemm_forms(m: int = 3, n: int = 4, k: int = 2, v: int = 2, *, title="gemm") -> Scene:
    """The five forms of gemm side by side, one element of C picked in each."""
    m, n, k, v = (product(as_shape(x, "draw_gemm_forms: an extent")) for x in (m, n, k, v))
    cell = (m - 1, n // 2)
    five = (
        draw_gemm((v,), (v,), (v,), v - 1),
        draw_gemm((m,), (n,), (m, n), cell),
        draw_gemm((m, k), (n, k), (m, n), cell),
        draw_gemm((v, m), (v, n), (v, m, n), cell),
        draw_gemm((v, m, k), (v, n, k), (v, m, n), cell),
    )
    return stack(beside(*five[:3]), beside(*five[3:]), title=title)
