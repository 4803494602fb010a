"""Pictures of who holds what: thread-value layouts on their tile, MMA atoms in corner view, copies, ldmatrix, pipelines.

A TV layout maps (thread, value) to a place of a tile, counted with the first mode fastest. A cell shows its thread over its
value; hue is the quad and shade the lane in it. `×4` behind a value: four threads hold the same element.
"""

# ruff: noqa: RUF001 (pictures use the signs × and –)

from dataclasses import replace

from ..htuple import LayoutError, leaves, product, text, wrap
from ..layout import Layout, rank, size
from ..views import upcast
from . import palette
from .grids import LIMIT, axis, cut, cut_note, formula, gaps
from .scene import Arrow, At, Axis, Cell, Entry, Label, Legend, Level, Panel, Scene, borders_between

_LONG = 64  # rows or columns of a tile beyond which it is cut
_TALL = 600  # cells of a copy or of a dealt tile beyond which it is cut: such tiles repeat themselves


# ------------------------------------------------------------------------------------------------ who holds an element


def holders(tv, count: int, thr_id=None, threads=None) -> list:
    """For each place of a tile of `count` elements: the (thread, value) pairs that hold it, in order.

    A thread number is `thr_id(t)` where an atom numbers its lanes so. Where all threads see everything (stride 0), the
    thread is None. `threads`: only these count.

    >>> from cutelearn import Layout
    >>> holders(Layout((4, 2), (2, 1)), 8)[3]
    [(1, 1)]
    """
    if rank(tv) != 2:
        raise LayoutError(f"a TV layout has two modes, threads and values; {tv} has {rank(tv)}")
    n = size(tv, 0)
    everyone = n > 1 and all(d == 0 for d in leaves(tv[0].stride)) if isinstance(tv, Layout) else False
    if everyone:
        tv, n = Layout((1, tv.shape[1]), (0, tv.stride[1])), 1
    out: list = [[] for _place in range(count)]
    for k, place in enumerate(tv.offsets().tolist()):
        if not 0 <= place < count:
            raise LayoutError(
                f"{tv} sends (thread {k % n}, value {k // n}) to {place}: the tile has only {count} elements"
            )
        if threads is None or k % n in threads:
            pair = (None if everyone else thr_id(k % n) if thr_id is not None else k % n, k // n)
            if pair not in out[place]:
                out[place].append(pair)
    return out


class _Picks:
    """What is picked: a thread, one value of it, or nothing."""

    def __init__(self, thread=None, value=None):
        self.thread, self.value = thread, value

    def __call__(self, pairs) -> bool:
        if self.thread is None and self.value is None:
            return False
        return any(self.thread in (None, t) and self.value in (None, v) for t, v in pairs)


def _tile_panel(
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
) -> Panel:
    """A tile as a grid: `place(row, col)` is the element's number, `held[place]` its holders."""
    most = max(rows, cols) if limit is None else _LONG if rows * cols <= limit else 18
    places = [(i, j) for i in range(rows) for j in range(cols)] if most < max(rows, cols) else []
    kept = [(i, j) for i, j in places if picked(held[place(i, j)], i, j)]
    shown_r, shown_c = cut(rows, most, {i for i, _j in kept}), cut(cols, most, {j for _i, j in kept})
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


def _check_color(color):
    if color not in ("thread", "value", "warp"):
        raise LayoutError(f"color={color!r}: write 'thread', 'value' or 'warp'")


def thread_legend(threads, picks=None, more=(), notes=(), width=560, shared=False) -> Legend:
    """What thread colours mean, for these threads."""
    quads = sorted({t % 32 // 4 for t in threads if t is not None})
    entries = [Entry(f"T{4 * q}–T{4 * q + 3}", tuple(palette.thread(4 * q + k) for k in range(4))) for q in quads]
    if any(t is not None and t >= 32 for t in threads):
        entries.append(Entry("a warp; the next has the same colours", mark="line2"))
    if None in threads:
        entries.append(Entry("every thread sees it", (palette.COPY_0,)))
    if picks is not None and picks.thread is not None:
        words = f"all that T{picks.thread} holds" if picks.value is None else f"T{picks.thread} V{picks.value}"
        entries.append(Entry(words, mark="pick"))
    if shared:
        notes = (*notes, ("×2: two threads share it", "f"))
    return Legend(
        "colour: hue is the quad, shade the lane in it" if quads else "", (*entries, *more), tuple(notes), width
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
    _check_color(color)
    m, n = _pair(shape)
    held = holders(tv, m * n, thr_id)
    picks = _Picks(thread, value)

    def picked(pairs, i, j):
        return (i, j) == cell or picks(pairs)

    w = 34 if n <= 24 else 28
    cell_size = (w, w if m <= 32 else 24)
    panel = _tile_panel(
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
    threads = _threads(held)
    if table:
        row = (_tv_table(tv, (m, n), picks, color, thr_id), panel)
    if color == "thread":
        more = (Entry(f"{tile[0]}×{tile[1]}", mark="line1"),) if tile is not None else ()
        legend = thread_legend(threads, picks, more, shared=any(len(p) > 1 for p in held))
    else:
        legend = Legend(f"colour: {color}", tuple(Entry(k, (v,)) for k, v in list(panel.fills.items())[:32]))
    note = f"{size(tv, 0)} threads × {size(tv, 1)} values on {m}×{n}" if note is None else note
    if any(c.faint for c in panel.cells):
        note += f" · {cut_note(len(panel.cells), m * n)}"
    return Scene(title or str(tv), note, (row, (legend,)), gap=(48, 26))


def _pair(shape) -> tuple[int, int]:
    shape = wrap(shape)
    if len(shape) != 2:
        raise LayoutError(f"the tile has two extents, such as (16, 8); {text(shape)} has {len(shape)}")
    return product(shape[0]), product(shape[1])


def _threads(held) -> list:
    return [t for pairs in held for t, _v in pairs]


def _tv_table(tv, shape, picks, color, thr_id, most=40) -> Panel:
    """Threads down, values across; a cell holds the coordinate in the tile."""
    n, values = size(tv, 0), size(tv, 1)
    rows, cols = cut(n, most), cut(values, 16)
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
    title=None,
    note=None,
    limit=LIMIT,
) -> Scene:
    """A matrix multiply in corner view: A at the left, B above, C in the corner, all as the mathematics has them.

    `atom` is an MMAAtom, a TiledMMA, or any object with `shape_mnk`, `a_layout`, `b_layout`, `c_layout`; or give these four
    by keyword. Rows of A and C are m, columns of B and C are n, k runs across A and down B.
    `thread` picks all that a thread holds, `value` with it one value; `cell=(m, n)` picks an element of C with its row of A
    and its column of B. `wiring=True` draws what the hardware does where CuTe's own layouts say something else.

    >>> from cutelearn import atom
    >>> scene = draw_mma(atom("SM80_16x8x16_F32F16F16F32_TN"), thread=5)
    >>> scene.panel("C").picked(), scene.panel("B").at(2, 1).lines
    ([(1, 2), (1, 3), (9, 2), (9, 3)], ('T5', 'V0'))
    """
    _check_color(color)
    parts = _mma_parts(atom, shape_mnk, a_layout, b_layout, c_layout, thr_id, wiring)
    (m, n, k), (a, b, c), lane, threads, name = parts
    picks = _Picks(thread, value)
    is_cut = limit is not None and (m * n + m * k + n * k > limit or max(m, n, k) > _LONG)
    shown = [min(x, 18) if is_cut else x for x in (m, n, k)]
    w = max(28, min(34, int((900 - 154) / (shown[1] + shown[2]))))
    how = {"color": color, "cell": (w, w if max(shown[0], shown[2]) <= 32 else 24), "limit": 18 if is_cut else None}
    held = {
        "A": holders(a, m * k, lane, threads),
        "B": holders(b, n * k, lane, threads),
        "C": holders(c, m * n, lane, threads),
    }
    cm, cn = cell if cell is not None else (None, None)

    def panel(name, rows, cols, place, inside, names):
        def picked(pairs, i, j):
            return inside(i, j) or picks(pairs)

        return _tile_panel(name, held[name], rows, cols, place, picked=picked, names=names, caption=name, **how)

    panel_a = panel("A", m, k, lambda i, j: i + j * m, lambda i, j: i == cm, ("m", "k"))
    panel_b = panel("B", k, n, lambda i, j: j + i * n, lambda i, j: j == cn, ("k", "n"))
    panel_c = panel("C", m, n, lambda i, j: i + j * m, lambda i, j: (i, j) == (cm, cn), ("m", "n"))
    everyone = {t for operand in held.values() for t in _threads(operand)}
    lines = [(f"{x}  {layout}", "m") for x, layout in zip("ABC", (a, b, c), strict=True)]
    shared = any(len(pairs) > 1 for operand in held.values() for pairs in operand)
    roomy = panel_a.cols * w >= 250 and panel_b.rows * w >= 160
    legend = thread_legend(everyone, picks, notes=lines, width=250 if roomy else 560, shared=shared)
    if color != "thread":
        fills = {**panel_a.fills, **panel_b.fills, **panel_c.fills}
        legend = Legend(
            f"colour: {color}", tuple(Entry(key, (v,)) for key, v in list(fills.items())[:32]), tuple(lines)
        )
    fits = roomy and max(len(words) for words, _s in lines) * 7.2 <= panel_a.cols * w + 40
    rows = ((legend if fits else None, panel_b), (panel_a, panel_c))
    if note is None:
        note = f"{_who(c, lane, threads)} C ({m}×{n}) += A ({m}×{k}) · B ({k}×{n}); in a cell: thread, value"
    if is_cut:
        note += f" · {cut_note(sum(len(p.cells) for p in (panel_a, panel_b, panel_c)), m * n + m * k + n * k)}"
    return Scene(title or name, note, rows if fits else (*rows, (legend,)), gap=(26, 20))


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


# ------------------------------------------------------------------------------------------------ copies


def draw_copy(
    copy=None,
    *,
    thread=None,
    value=None,
    color="thread",
    shape=None,
    src=None,
    dst=None,
    names=("m", "n"),
    title=None,
    limit=LIMIT,
) -> Scene:
    """Source and destination of a TiledCopy side by side: which thread reads what, and who ends up with it.

    `copy` is a TiledCopy, or any object with `tile_shape`, `layoutS_TV` and `layoutD_TV`; or give `shape`, `src` and `dst`.

    >>> from cutelearn import Layout
    >>> tv = Layout((8, 4), (4, 1))
    >>> scene = draw_copy(shape=(8, 4), src=tv, dst=tv, thread=2)
    >>> scene.panel("source").picked() == scene.panel("destination").picked() == [(0, 1), (1, 1), (2, 1), (3, 1)]
    True
    """
    _check_color(color)
    if copy is not None:
        if not hasattr(copy, "layoutS_TV"):
            raise LayoutError(f"draw_copy: {copy!r} is no TiledCopy; a copy atom is drawn by draw_ldmatrix or draw_tv")
        shape, src, dst = copy.tile_shape, copy.layoutS_TV, copy.layoutD_TV
        title = title or f"{copy.atom.name}  {text(shape)}"
    elif None in (shape, src, dst):
        raise LayoutError("draw_copy: give a TiledCopy, or shape, src and dst")
    m, n = _pair(shape)
    picks = _Picks(thread, value)
    w = max(26, min(34, int(430 / min(n, 18))))
    panels, everyone, shared = [], [], False
    for name, tv in (("source", src), ("destination", dst)):
        held = holders(tv, m * n)
        everyone += _threads(held)
        shared = shared or any(len(pairs) > 1 for pairs in held)
        panels.append(
            _tile_panel(
                name,
                held,
                m,
                n,
                lambda i, j: i + j * m,
                picked=lambda pairs, i, j: picks(pairs),
                names=names,
                caption=name,
                heading=str(tv),
                color=color,
                cell=(w, min(w, 28)),
                limit=None if limit is None else min(limit, _TALL),
            )
        )
    if color == "thread":
        legend = thread_legend(everyone, picks, shared=shared)
    else:
        legend = Legend(f"colour: {color}", tuple(Entry(k, (v,)) for k, v in list(panels[0].fills.items())[:32]))
    note = f"{size(src, 0)} threads, {size(src, 1)} values each, on {m}×{n}; in a cell: thread, value"
    if any(c.faint for p in panels for c in p.cells):
        note += f" · {cut_note(len(panels[0].cells), m * n)}"
    return Scene(title or "copy", note, (tuple(panels), (legend,)), gap=(48, 26))


def draw_copy_atom(atom, *, bits=None, thread=None, title=None) -> Scene:
    """A copy atom: what each lane gives and gets, in units of the value type (of bytes where there is none).

    >>> from cutelearn import copy_atom
    >>> draw_copy_atom(copy_atom("UniversalCopy<uint128_t>", "float")).panel("source").at(0, 3).lines
    ('T0', 'V3')
    """
    if not hasattr(atom, "src_layout"):
        raise LayoutError(f"draw_copy_atom: {atom!r} is no copy atom")
    value_type = getattr(atom, "value_type", None)
    bits = bits or (value_type.bits if value_type is not None else 8)
    src, dst = upcast(atom.src_layout, bits), upcast(atom.dst_layout, bits)
    count = max(int(tv.offsets().max()) for tv in (src, dst)) + 1
    if count > LIMIT:
        raise LayoutError(
            f"draw_copy_atom: {atom.name} moves {count} elements of {bits} bits by itself: too many for a picture"
        )
    across = min(count, 16)
    shape = (-(-count // across), across)
    panels, everyone, picks = [], [], _Picks(thread)
    for name, tv in (("source", src), ("destination", dst)):
        held = holders(tv, count)
        held += [[] for _rest in range(shape[0] * across - count)]
        everyone += _threads(held)
        panels.append(
            _tile_panel(
                name,
                held,
                *shape,
                lambda i, j: i * across + j,
                picked=lambda pairs, i, j: picks(pairs),
                names=("", ""),
                caption=name,
                cell=(30, 30),
            )
        )
    note = f"{size(src, 0)} lanes, {size(src, 1)} × {bits} bits each; in a cell: lane, value"
    return Scene(title or atom.name, note, (tuple(panels), (thread_legend(everyone, picks),)), gap=(44, 26))


def draw_ldmatrix(atom=None, *, bits=None, src=None, dst=None, thread=None, title=None) -> Scene:
    """ldmatrix (or stmatrix) by its 8x8 matrices: the lanes that give an address beside the lanes that hold the values.

    `atom` is a CopyAtom; without a value type give `bits`. Or give the value layouts `src` and `dst`.

    >>> from cutelearn import copy_atom
    >>> scene = draw_ldmatrix(copy_atom("SM75_U32x1_LDSM_N", "half_t"))
    >>> scene.panel("address").at(3, 0).lines, scene.panel("values").at(3, 0).lines
    (('T3', 'V0×4'), ('T12', 'V0'))
    """
    stores = False
    if atom is not None:
        if not hasattr(atom, "src_layout"):
            raise LayoutError(f"draw_ldmatrix: {atom!r} is no copy atom")
        bits = bits or (atom.value_type.bits if getattr(atom, "value_type", None) is not None else 16)
        src, dst = upcast(atom.src_layout, bits), upcast(atom.dst_layout, bits)
        title = title or atom.name
        stores = getattr(atom, "memory_side", "src") == "dst"
    elif None in (src, dst):
        raise LayoutError("draw_ldmatrix: give a copy atom, or src and dst")
    bits = bits or 16
    memory, registers = (dst, src) if stores else (src, dst)
    across = 128 // bits  # elements of a row of 16 bytes
    count = max(int(memory.offsets().max()), int(registers.offsets().max())) + 1
    if count % (8 * across):
        raise LayoutError(
            f"draw_ldmatrix: {count} elements of {bits} bits are no whole number of 8x8 matrices of 16-byte rows"
        )
    matrices = count // (8 * across)
    picks = _Picks(thread)
    panels, everyone, shared = [], [], False
    w = max(22, min(34, int(880 / (across * matrices))))
    for name, tv in (("address", memory), ("values", registers)):
        held = holders(tv, count)
        everyone += _threads(held)
        shared = shared or any(len(pairs) > 1 for pairs in held)
        panel = _tile_panel(
            name,
            held,
            8,
            across * matrices,
            lambda i, j: j // across * 8 * across + i * across + j % across,
            picked=lambda pairs, i, j: picks(pairs),
            names=("row", ""),
            cell=(w, w),
            tile=(8, across),
            heading=f"{'addressed by' if name == 'address' else 'held by'}",
        )
        panels.append(_with_matrices(panel, across, matrices))
    if stores:
        panels.reverse()
    side_by_side = across * matrices * w <= 560
    rows = (tuple(panels),) if side_by_side else tuple((p,) for p in panels)
    note = f"{matrices} {'matrix' if matrices == 1 else 'matrices'} of 8 rows of 16 bytes ({across} × {bits} bits); in a cell: lane, value"
    return Scene(title or "ldmatrix", note, (*rows, (thread_legend(everyone, picks, shared=shared),)), gap=(44, 26))


def _with_matrices(panel: Panel, across: int, matrices: int) -> Panel:
    """The top axis numbers the columns of each matrix, and the matrices."""
    columns = Level(tuple((c, 1, str(c % across)) for c in range(across * matrices)))
    whole = Level(tuple((across * k, across, f"matrix {k}") for k in range(matrices)), "block")
    return replace(panel, axes=(panel.axes[0], Axis("top", "", (columns, whole))))


# ------------------------------------------------------------------------------------------------ partitions


def draw_threads(tile, threads: Layout, *, thread=None, title=None, note="", limit=LIMIT) -> Scene:
    """How `local_partition` deals a tile out: a grid of threads laid over it again and again.

    `tile` is a shape or a layout (then offsets stand in the cells too); `threads` a layout of thread numbers such as
    `(32,8):(1,32)`. Each cell: the thread it belongs to, and which of its values it is.

    >>> from cutelearn import Layout
    >>> draw_threads((8, 4), Layout((4, 2)), thread=5).panel("tile").picked()
    [(1, 1), (1, 3), (5, 1), (5, 3)]
    """
    m, n = _pair(tile.shape if hasattr(tile, "shape") else tile)
    tm, tn = _pair(threads.shape)
    down = -(-m // tm)
    held = [[(threads(p % m % tm, p // m % tn), p % m // tm + p // m // tn * down)] for p in range(m * n)]
    picks = _Picks(thread)
    w = 34 if n <= 24 else 28
    panel = _tile_panel(
        "tile",
        held,
        m,
        n,
        lambda i, j: i + j * m,
        picked=lambda pairs, i, j: picks(pairs),
        names=("m", "n"),
        cell=(w, min(w, 28)),
        limit=None if limit is None else min(limit, _TALL),
        tile=(tm, tn),
    )
    legend = thread_legend(_threads(held), picks, (Entry(f"{tm}×{tn} threads", mark="line1"),))
    parts = f"{m}×{n} by {threads}: {-(-m // tm)}×{-(-n // tn)} values a thread"
    if any(c.faint for c in panel.cells):
        parts += f" · {cut_note(len(panel.cells), m * n)}"
    return Scene(title or f"{text((m, n))} dealt to {threads}", note or parts, ((panel,), (legend,)))


def draw_pipeline(tv, data, thread: int, value: int = 0, *, title=None) -> Scene:
    """A partition from end to end: (thread, value) -> coordinate in the tile -> address -> what the thread sees.

    `tv` maps to the tile, `data` (a Layout or ComposedLayout of rank 2) maps the tile to memory; one thread is picked in
    every part, and one of its values walks through by arrows.

    >>> from cutelearn import Layout
    >>> tv = Layout(((2, 4), (2, 2)), ((8, 1), (4, 16)))
    >>> scene = draw_pipeline(tv, Layout((4, 8), (8, 1)), thread=1)
    >>> [scene.panel(p).picked() for p in ("tile", "memory")], [c.lines for c in scene.panel("view").cells]
    ([[(0, 2), (0, 3), (0, 6), (0, 7)], [(0, 2), (0, 3), (0, 6), (0, 7)]], [('2',), ('3',), ('6',), ('7',)])
    """
    m, n = _pair(data.shape)
    held = holders(tv, m * n)
    picks = _Picks(thread)
    if not 0 <= thread < size(tv, 0) or not 0 <= value < size(tv, 1):
        raise LayoutError(
            f"draw_pipeline: thread {thread}, value {value}: {tv} has {size(tv, 0)} threads of {size(tv, 1)} values"
        )
    table = _tv_table(tv, (m, n), picks, "thread", None, most=20)
    w = 34 if n <= 12 else 28
    tile = _tile_panel(
        "tile",
        held,
        m,
        n,
        lambda i, j: i + j * m,
        picked=lambda pairs, i, j: picks(pairs),
        names=("m", "n"),
        cell=(w, w),
        limit=LIMIT,
    )
    cells = tuple(
        Cell(c.row, c.col, (str(data(int(c.row), int(c.col))),), c.key, c.picked) for c in tile.cells if not c.faint
    )
    memory = Panel("memory", tile.rows, tile.cols, cells, tile.fills, tile.axes, tile.borders, cell=(w, w), font=12)
    places = [tv(thread, v) for v in range(size(tv, 1))]
    view = Panel(
        "view",
        len(places),
        1,
        tuple(Cell(v, 0, (str(data(p)),), f"T{thread}", v == value) for v, p in enumerate(places)),
        {f"T{thread}": palette.thread(thread)},
        (Axis("left", "", (Level(tuple((v, 1, f"V{v}") for v in range(len(places)))),)),),
        cell=(48, 24),
        font=12,
    )
    at = places[value]
    heads = {"table": "T, V", "tile": "tile coordinate", "memory": "address", "view": f"T{thread}"}
    panels = [replace(panel, heading=heads[panel.name]) for panel in (table, tile, memory, view)]
    note = f"data = {data}   tv = {tv}   T{thread} V{value}: {formula(data, at)}"
    rows, arrows = (tuple(panels),), _flow(panels, ("tv", "data", "slice"))
    if sum(p.cols * p.cell[0] for p in panels) > 900:
        rows = ((panels[0], panels[1]), (panels[2], panels[3]))
        arrows = [arrows[0], arrows[2]]
    return Scene(title or "data ∘ tv, sliced by the thread", note, rows, tuple(arrows), gap=(64, 40), mono=True)


def _flow(panels, labels) -> list[Arrow]:
    """Arrows from panel to panel, in the gaps between them, above the cells."""

    def above(panel, col):
        return At(panel.name, -0.5 - 22 / panel.cell[1], col - 0.5)

    arrows = []
    for left, right, label in zip(panels, panels[1:], labels, strict=False):
        w = right.cell[0]
        reach = 44 if right.name != "view" else 30
        arrows.append(Arrow(above(left, left.cols + 6 / left.cell[0]), above(right, -reach / w), label, weight=1.6))
    return arrows


def draw_permutation(permutation: Layout, *, title=None) -> Scene:
    """A TiledMMA's permutation as a scatter: slot i of the atoms' order goes to place p(i) of the tile, in one colour a run.

    >>> from cutelearn import Layout
    >>> scene = draw_permutation(Layout((4, 4, 2), (1, 8, 4)))
    >>> scene.panel("slots").at(1, 4).lines, scene.panel("tile").at(0, 8).lines
    (('8',), ('4',))
    """
    offsets = permutation.offsets().tolist()
    n, run = len(offsets), leaves(permutation.shape)[0]
    fills = {f"run {k}": palette.tile(k) for k in range(-(-n // run))}
    slots = tuple(
        Cell(r, i, (words,), f"run {i // run}")
        for i, p in enumerate(offsets)
        for r, words in ((0, str(i)), (1, str(p)))
    )
    slot_of = {p: i for i, p in enumerate(offsets)}
    tile = tuple(
        Cell(0, p, (str(slot_of[p]),) if p in slot_of else (), f"run {slot_of[p] // run}" if p in slot_of else None)
        for p in range(max(offsets) + 1)
    )
    names = Axis("left", "", (Level(((0, 1, "i"), (1, 1, "p(i)")), "ink"),))
    ticks = Axis("top", "place", (Level(tuple((p, 1, str(p)) for p in range(max(offsets) + 1))),))
    first = Panel("slots", 2, n, slots, fills, (names,), cell=(26, 24), font=11, key_name="run")
    second = Panel(
        "tile",
        1,
        max(offsets) + 1,
        tile,
        fills,
        (ticks,),
        (),
        (Label(0.5, -0.3, "i", "me", 11),),
        cell=(26, 24),
        font=11,
        key_name="run",
    )
    return Scene(title or str(permutation), "", ((first,), (second,)))
