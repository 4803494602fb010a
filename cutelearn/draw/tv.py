"""Pictures of who holds what: thread-value layouts on their tile, MMA atoms in corner view, copies, ldmatrix, pipelines.

A TV layout maps (thread, value) to a place of a tile, counted with the first mode fastest. A cell shows its thread over its
value; hue is the quad and shade the lane in it. `×4` behind a value: four threads hold the same element.
"""

# ruff: noqa: RUF001 (pictures use the signs × and –)

from ..htuple import LayoutError, as_shape, leaves, product, text, wrap
from ..layout import Layout, rank, size
from . import palette
from .grids import LIMIT, axis, cut, cut_note, gaps, need_layout, need_number, refuse_more
from .scene import Axis, Cell, Entry, Legend, Level, Panel, Scene, borders_between

_PAIRS = 1 << 17  # threads times values: more take longer than one waits for a picture
_CUT = 13  # rows and columns that are left of an operand which is cut
_LONG = 64  # rows or columns of a tile beyond which it is cut
TALL = 600  # cells of a copy or of a dealt tile beyond which it is cut: such tiles repeat themselves


# ------------------------------------------------------------------------------------------------ who holds an element


def holders(tv, count: int, thr_id=None, threads=None) -> list:
    """For each place of a tile of `count` elements: the (thread, value) pairs that hold it, in order.

    A thread number is `thr_id(t)` where an atom numbers its lanes so. Where all threads see everything (stride 0), the
    thread is None. `threads`: only these count.

    >>> from cutelearn import Layout
    >>> holders(Layout((4, 2), (2, 1)), 8)[3]
    [(1, 1)]
    """
    need_layout(tv, "a picture of threads and values", "the TV layout")
    if rank(tv) != 2:
        raise LayoutError(f"a TV layout has two modes, threads and values; {tv} has {rank(tv)}")
    refuse_more(
        max(size(tv), count), _PAIRS, str(tv), "pairs of thread and value", "draw one instruction, or a smaller tile"
    )
    n = size(tv, 0)
    everyone = n > 1 and all(d == 0 for d in leaves(tv[0].stride)) if isinstance(tv, Layout) else False
    if everyone:
        tv, n = Layout((1, tv.shape[1]), (0, tv.stride[1])), 1
    out: list[dict] = [{} for _place in range(count)]
    for k, place in enumerate(tv.offsets().tolist()):
        if not 0 <= place < count:
            raise LayoutError(
                f"{tv} sends (thread {k % n}, value {k // n}) to {place}: the tile has only {count} elements"
            )
        if threads is None or k % n in threads:
            pair = (None if everyone else thr_id(k % n) if thr_id is not None else k % n, k // n)
            out[place][pair] = None
    return list(map(list, out))


class Picks:
    """What is picked: a thread, one value of it, or nothing."""

    def __init__(self, thread=None, value=None):
        self.thread, self.value = thread, value

    def __call__(self, pairs) -> bool:
        if self.thread is None and self.value is None:
            return False
        return any(self.thread in (None, t) and self.value in (None, v) for t, v in pairs)


def tile_panel(
    name,
    held,
    rows,
    cols,
    place,
    *,
    picked,
    names,
    caption="",
    heading="",
    color="thread",
    cell=(34, 34),
    limit=None,
    tile=None,
    silent=False,
    shown=None,
) -> Panel:
    """A tile as a grid: `place(row, col)` is the element's number, `held[place]` its holders.

    `shown` gives the rows and the columns that are drawn, with None for gaps; without it `limit` does.
    """
    most = max(rows, cols) if limit is None or shown else _LONG if rows * cols <= limit else 18
    places = [(i, j) for i in range(rows) for j in range(cols)] if most < max(rows, cols) else []
    kept = [(i, j) for i, j in places if picked(held[place(i, j)], i, j)]
    shown_r, shown_c = shown or (cut(rows, most, {i for i, _j in kept}), cut(cols, most, {j for _i, j in kept}))
    cells, warps, fills = [], [], {}
    for r, i in enumerate(shown_r):
        line = []
        for c, j in enumerate(shown_c):
            warp = None
            if i is not None and j is not None:
                pairs = held[place(i, j)]
                is_picked = picked(pairs, i, j)
                shown = next((p for p in pairs if picked([p], i, j)), None) if is_picked else None
                key, words, warp = _cell_of(pairs, shown, color)
                if key is not None and key not in fills:
                    fills[key] = _colour_of(shown or pairs[0], color)
                cells.append(Cell(r, c, words, key, is_picked))
            line.append(warp)
        warps.append(line)
    borders = (borders_between(warps, 2, "warp"),) if any(w for line in warps for w in line) else ()
    if tile is not None:
        groups = [
            [(i if i is None else i // tile[0], j if j is None else j // tile[1]) for j in shown_c] for i in shown_r
        ]
        borders += (borders_between(groups, 1, f"{tile[0]}×{tile[1]}"),)
    axes = (axis("left", names[0], rows, shown=shown_r), axis("top", names[1], cols, shown=shown_c))
    return Panel(
        name,
        len(shown_r),
        len(shown_c),
        (*cells, *gaps(shown_r, shown_c)),
        fills,
        axes,
        borders,
        (),
        cell,
        heading,
        caption=caption,
        silent=silent,
        font=10.5 if cell[0] >= 30 else 10,
    )


def _cell_of(pairs, shown, color):
    """The colour key, the two lines and the warp of an element's holders; `shown` of them, or the first."""
    if not pairs:
        return None, (), None
    t, v = shown or pairs[0]
    if t is None:
        return (f"V{v}" if color == "value" else "all threads"), (f"V{v}",), None
    times = f"×{len(pairs)}" if len(pairs) > 1 else ""
    key = f"T{t}" if color == "thread" else f"V{v}" if color == "value" else f"warp {t // 32}"
    return key, (f"T{t}", f"V{v}{times}"), t // 32


def _colour_of(pair, color) -> str:
    t, v = pair
    if color == "value":
        return palette.tile(v)
    if t is None:
        return palette.COPY_0
    return palette.thread(t) if color == "thread" else palette.tile(t // 32)


def check_picks(who, thread, value, threads, values) -> None:
    """Refuses a thread that is not among `threads`, and a value beyond the `values` of each."""
    known = sorted({t for t in threads if t is not None})
    if thread is not None and (isinstance(thread, bool) or thread not in known):
        gapless = known == list(range(len(known)))
        said = f"0 to {len(known) - 1}" if gapless else ", ".join(map(str, known[:12])) + ", ..." * (len(known) > 12)
        raise LayoutError(
            f"{who}: there is no thread {thread!r}: they are {said}" if known else f"{who}: all threads are one"
        )
    need_number(value, who, "value", values)


def check_cell(who, cell, m, n) -> None:
    """Refuses a cell outside of a tile of m x n."""
    if cell is not None:
        if not isinstance(cell, tuple) or len(cell) != 2:
            raise LayoutError(f"{who}: a cell is a row and a column, such as (0, 1), not {cell!r}")
        need_number(cell[0], who, "row", m)
        need_number(cell[1], who, "column", n)


def check_color(color):
    if color not in ("thread", "value", "warp"):
        raise LayoutError(f"color={color!r}: write 'thread', 'value' or 'warp'")


def by_number(fills) -> list[tuple[str, str]]:
    """The first 32 colours of values or warps, in their order: V2 before V10."""
    return sorted(fills.items(), key=lambda item: int("".join(filter(str.isdigit, item[0])) or -1))[:32]


def thread_legend(threads, picks=None, more=(), notes=(), width=560, shared=False, does="holds") -> Legend:
    """What thread colours mean, for these threads; `does` says what the picked one does with its cells."""
    quads = sorted({t % 32 // 4 for t in threads if t is not None})
    entries = [Entry(f"T{4 * q}–T{4 * q + 3}", tuple(palette.thread(4 * q + k) for k in range(4))) for q in quads]
    if any(t is not None and t >= 32 for t in threads):
        entries.append(Entry("32 threads, a warp; the next has the same colours", mark="line2"))
    if None in threads:
        entries.append(Entry("every thread sees it", (palette.COPY_0,)))
    if picks is not None and picks.thread is not None:
        words = f"all that T{picks.thread} {does}" if picks.value is None else f"T{picks.thread} V{picks.value}"
        entries.append(Entry(words, mark="pick"))
    if shared:
        notes = (*notes, ("×n: n threads share it", "f"))
    return Legend(
        "colour: hue is thread // 4, shade is thread % 4" if quads else "", (*entries, *more), tuple(notes), width
    )


# ------------------------------------------------------------------------------------------------ one tile


def draw_tv(
    tv,
    shape,
    *,
    thread=None,
    value=None,
    cell=None,
    color="thread",
    table=False,
    tile=None,
    names=("m", "n"),
    thr_id=None,
    title=None,
    note=None,
    limit=LIMIT,
) -> Scene:
    """A TV layout on its tile of `shape` (M, N): each cell shows who holds it.

    thread, value  pick what a thread holds, or one value of it; `cell=(m, n)` picks an element
    color          "thread", "value" or "warp"
    table          also the table of the layout: threads down, values across, tile coordinates in the cells
    tile           a border round blocks of this shape, as for Hopper's 8x8 core matrices
    thr_id         a layout that turns the thread of the layout into the lane of the warp (Volta's quadpair)

    >>> from cutelearn import Layout
    >>> c = Layout(((4, 8), 2), ((16, 1), 8))
    >>> panel = draw_tv(c, (8, 8), thread=5).panel("tile")
    >>> panel.at(1, 2).lines, panel.picked()
    (('T5', 'V0'), [(1, 2), (1, 3)])
    """
    check_color(color)
    m, n = pair(shape)
    held = holders(tv, m * n, thr_id)
    check_picks("draw_tv", thread, value, threads_of(held), size(tv, 1))
    check_cell("draw_tv", cell, m, n)
    picks = Picks(thread, value)

    def picked(pairs, i, j):
        return (i, j) == cell or picks(pairs)

    w = 34 if n <= 24 else 28
    cell_size = (w, w if m <= 32 else 24)
    panel = tile_panel(
        "tile",
        held,
        m,
        n,
        lambda i, j: i + j * m,
        picked=picked,
        names=names,
        color=color,
        cell=cell_size,
        limit=limit,
        tile=tile,
    )
    row = (panel,)
    threads = threads_of(held)
    if table:
        row = (tv_table(tv, (m, n), picks, color, thr_id), panel)
    if color == "thread":
        more = (Entry(f"tile of {tile[0]}×{tile[1]}", mark="line1"),) if tile is not None else ()
        legend = thread_legend(threads, picks, more, shared=any(len(p) > 1 for p in held))
    else:
        legend = Legend(f"colour: {color}", tuple(Entry(k, (v,)) for k, v in by_number(panel.fills)))
    note = f"{size(tv, 0)} threads × {size(tv, 1)} values on {m}×{n}" if note is None else note
    if any(c.faint for c in panel.cells):
        note += f" · {cut_note(len(panel.cells), m * n)}"
    return Scene(title or str(tv), note, (row, (legend,)), gap=(48, 26))


def pair(shape) -> tuple[int, int]:
    shape = wrap(shape)
    if not all(isinstance(e, int) for e in leaves(shape)):
        raise LayoutError(f"the tile has two extents, such as (16, 8), not {shape!r}")
    as_shape(shape, "the tile")
    if len(shape) != 2:
        raise LayoutError(f"the tile has two extents, such as (16, 8); {text(shape)} has {len(shape)}")
    return product(shape[0]), product(shape[1])


def threads_of(held) -> list:
    return [t for pairs in held for t, _v in pairs]


def tv_table(tv, shape, picks, color, thr_id, most=40) -> Panel:
    """Threads down, values across; a cell holds the coordinate in the tile."""
    n, values = size(tv, 0), size(tv, 1)
    mine = [t for t in range(n) if picks.thread is not None and (t if thr_id is None else thr_id(t)) == picks.thread]
    rows, cols = cut(n, most, mine), cut(values, 16)
    cells, fills = [], {}
    for r, t in enumerate(rows):
        for c, v in enumerate(cols):
            if t is None or v is None:
                continue
            lane = t if thr_id is None else thr_id(t)
            place = tv(t, v)
            key = f"T{lane}" if color == "thread" else f"V{v}" if color == "value" else f"warp {lane // 32}"
            fills.setdefault(key, _colour_of((lane, v), color))
            cells.append(Cell(r, c, (f"({place % shape[0]},{place // shape[0]})",), key, picks([(lane, v)])))
    ticks = Level(
        tuple((r, 1, "⋮" if t is None else f"T{t if thr_id is None else thr_id(t)}") for r, t in enumerate(rows))
    )
    across = Level(tuple((c, 1, "⋯" if v is None else f"V{v}") for c, v in enumerate(cols)))
    longest = max(len(c.lines[0]) for c in cells)
    axes = (Axis("left", "thread", (ticks,)), Axis("top", "value", (across,)))
    return Panel(
        "table",
        len(rows),
        len(cols),
        (*cells, *gaps(rows, cols)),
        fills,
        axes,
        cell=(max(44, 7 * longest + 10), 20),
        font=11,
    )


# ------------------------------------------------------------------------------------------------ matrix multiply


def draw_mma(
    atom=None,
    *,
    thread=None,
    value=None,
    cell=None,
    color="thread",
    shape_mnk=None,
    a_layout=None,
    b_layout=None,
    c_layout=None,
    thr_id=None,
    wiring=False,
    maps=True,
    title=None,
    note=None,
    limit=LIMIT,
) -> Scene:
    """A matrix multiply in corner view: A at the left, B above, C in the corner, all as the mathematics has them.

    `atom` is an MMAAtom, a TiledMMA, or any object with `shape_mnk`, `a_layout`, `b_layout`, `c_layout`; or give these four
    by keyword. Rows of A and C are m, columns of B and C are n, k runs across A and down B.
    `thread` picks all that a thread holds, `value` with it one value; `cell=(m, n)` picks an element of C with its row of A
    and its column of B. `wiring=True` draws what the hardware does, whatever layouts the atom was given. `maps=False` leaves the
    three layouts out of the legend.

    >>> from cutelearn import atom
    >>> scene = draw_mma(atom("SM80_16x8x16_F32F16F16F32_TN"), thread=5)
    >>> scene.panel("C").picked(), scene.panel("B").at(2, 1).lines
    ([(1, 2), (1, 3), (9, 2), (9, 3)], ('T5', 'V0'))
    """
    check_color(color)
    parts = _mma_parts(atom, shape_mnk, a_layout, b_layout, c_layout, thr_id, wiring)
    (m, n, k), (a, b, c), lane, threads, name = parts
    picks = Picks(thread, value)
    is_cut = limit is not None and (m * n + m * k + n * k > limit or max(m, n, k) > _LONG)
    shown = [min(x, _CUT) if is_cut else x for x in (m, n, k)]
    held = {
        "A": holders(a, m * k, lane, threads),
        "B": holders(b, n * k, lane, threads),
        "C": holders(c, m * n, lane, threads),
    }
    everyone = {t for operand in held.values() for t in threads_of(operand)}
    check_picks("draw_mma", thread, value, everyone, max(size(layout, 1) for layout in (a, b, c)))
    check_cell("draw_mma", cell, m, n)
    w = round(min(34, 686 / (shown[1] + shown[2])), 1)
    is_silent = w < _least_width(held)
    h = min(w, max(round(760 / (shown[0] + shown[2]), 1), 9)) if is_silent else max(w, 24)
    how = {
        "color": color,
        "cell": (w, h if is_silent or max(shown[0], shown[2]) > 32 else max(w, 28)),
        "silent": is_silent,
    }
    cm, cn = cell if cell is not None else (None, None)
    # what is cut is cut alike in all three, so that rows of A and C, columns of B and C stay in line
    keep = ({cm} - {None}, {cn} - {None}, set())
    for x, (p, q) in {"A": (0, 2), "B": (1, 2), "C": (0, 1)}.items():
        tall = (m, n, k)[p]
        for place, pairs in enumerate(held[x] if is_cut else ()):
            if picks(pairs):
                keep[p].add(place % tall)
                keep[q].add(place // tall)
    rows_m, cols_n, steps_k = (cut(x, _CUT if is_cut else x, at) for x, at in zip((m, n, k), keep, strict=True))
    lines_of = {"A": (rows_m, steps_k), "B": (steps_k, cols_n), "C": (rows_m, cols_n)}

    def panel(name, rows, cols, place, inside, names):
        def picked(pairs, i, j):
            return inside(i, j) or picks(pairs)

        return tile_panel(
            name, held[name], rows, cols, place, picked=picked, names=names, caption=name, shown=lines_of[name], **how
        )

    panel_a = panel("A", m, k, lambda i, j: i + j * m, lambda i, j: i == cm, ("m", "k"))
    panel_b = panel("B", k, n, lambda i, j: j + i * n, lambda i, j: j == cn, ("k", "n"))
    panel_c = panel("C", m, n, lambda i, j: i + j * m, lambda i, j: (i, j) == (cm, cn), ("m", "n"))
    lines = [(f"{x}  {layout}", "m") for x, layout in zip("ABC", (a, b, c), strict=True)] if maps else []
    shared = any(len(pairs) > 1 for operand in held.values() for pairs in operand)
    roomy = panel_a.cols * w >= 250 and panel_b.rows * w >= 160
    legend = thread_legend(everyone, picks, notes=lines, width=250 if roomy else 560, shared=shared)
    if color != "thread":
        fills = {**panel_a.fills, **panel_b.fills, **panel_c.fills}
        legend = Legend(f"colour: {color}", tuple(Entry(key, (v,)) for key, v in by_number(fills)), tuple(lines))
    fits = roomy and max((len(words) for words, _s in lines), default=0) * 7.2 <= panel_a.cols * w + 40
    rows = ((legend if fits else None, panel_b), (panel_a, panel_c))
    if note is None:
        note = f"{_who(c, lane, threads)} C ({m}×{n}) += A ({m}×{k}) · B ({k}×{n}); in a cell: thread, value"
    if is_silent:
        note += " (too small here to be written; table() says them)"
    if is_cut:
        note += f" · {cut_note(sum(len(p.cells) for p in (panel_a, panel_b, panel_c)), m * n + m * k + n * k)}"
    return Scene(title or name, note, rows if fits else (*rows, (legend,)), gap=(26, 20), fixed=True)


def _least_width(held) -> float:
    """The width of a cell in which the thread and the value under it can be read."""
    pairs = [(p[0], len(p)) for operand in held.values() for p in operand if p]
    first = max((len(f"T{t}") for (t, _v), _n in pairs if t is not None), default=2)
    second = max((len(f"V{v}") + (len(f"×{n}") if n > 1 else 0) for (_t, v), n in pairs), default=2)
    return round(max(0.602 * 7 * first + 5, 0.602 * 5.5 * second + 5), 1)


def _mma_parts(atom, shape_mnk, a, b, c, thr_id, wiring):
    """(M, N, K), the three TV layouts, the lane map, the threads that count, and a name."""
    threads = None
    name = getattr(atom, "name", "") or (str(atom).split("\n")[0] if atom is not None else "")
    if hasattr(atom, "layoutA_TV"):  # a TiledMMA
        shape_mnk, (a, b, c) = atom.tile_shape, (atom.layoutA_TV, atom.layoutB_TV, atom.layoutC_TV)
        threads = set(atom.thr_layout_vmnk.offsets().tolist())
        name = f"{atom.atom.name} {text(atom.thr_layout_vmnk.shape[1:])}"
    elif atom is not None:
        if not all(hasattr(atom, part) for part in ("shape_mnk", "a_layout", "b_layout", "c_layout")):
            raise LayoutError(
                f"draw_mma: {atom!r} is no MMA: give an MMAAtom, a TiledMMA, or shape_mnk, a_layout, b_layout and c_layout"
            )
        source = (getattr(atom, "wiring", None) if wiring else None) or atom
        shape_mnk, (a, b, c) = atom.shape_mnk, (source.a_layout, source.b_layout, source.c_layout)
        thr_id = getattr(atom, "thr_id", None)
        if thr_id is not None and size(thr_id) == 1:
            thr_id = None
    elif None in (shape_mnk, a, b, c):
        raise LayoutError("draw_mma: give an atom, or shape_mnk, a_layout, b_layout and c_layout")
    return tuple(map(product, shape_mnk)), (a, b, c), thr_id, threads, name or text(shape_mnk)


def _who(c, lane, threads) -> str:
    n = len(threads) if threads is not None else size(c, 0)
    if n == 8 and lane is not None:
        return "one quadpair computes"
    if n == 128 and threads is None:
        return "one warpgroup computes"
    return {1: "one thread computes", 32: "one warp computes"}.get(n, f"{n} threads compute")
