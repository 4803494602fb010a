"""Pictures of partitions: a tile dealt to threads, the way from (thread, value) to an address, permuted tiles."""

# ruff: noqa: RUF001 (pictures use the signs × and –)

from dataclasses import replace

from ..htuple import leaves, product, text
from ..layout import Layout, cosize, size
from ..partition import Step, X, dealt
from . import palette
from .grids import LIMIT, cut_note, formula, need_layout, refuse_more
from .scene import Arrow, At, Axis, Cell, Entry, Level, Panel, Scene
from .tv import TALL, Picks, check_picks, draw_mma, holders, pair, thread_legend, threads_of, tile_panel, tv_table

_LINE = 32  # slots of a permutation in a line
_MOST = 1 << 16  # cells of a tile that is dealt out; what is drawn of it is less


def draw_threads(tile, threads: Layout, *, thread=None, title=None, note="", limit=LIMIT) -> Scene:
    """How `local_partition` deals a tile out: a grid of threads laid over it again and again.

    `tile` is a shape or a layout; `threads` a layout of thread numbers such as `(32,8):(1,32)`. Each cell: the thread it
    belongs to, and which of its values it is.

    A tile of three extents is a CTA's, (M, N, K), and `threads` shares its C: then A, B and C are drawn in corner view, A
    dealt to the threads with Step<1,X>, B with Step<X,1>.

    >>> from cutelearn import Layout
    >>> draw_threads((8, 4), Layout((4, 2)), thread=5).panel("tile").picked()
    [(1, 1), (1, 3), (5, 1), (5, 3)]
    >>> [draw_threads((4, 4, 1), Layout((4, 2)), thread=5).panel(name).picked() for name in "ABC"]
    [[(1, 0)], [(0, 1), (0, 3)], [(1, 1), (1, 3)]]
    """
    need_layout(threads, "draw_threads", "the threads")
    if isinstance(tile, tuple) and len(tile) == 3:
        return _corner(tile, threads, thread, title, note, limit)
    m, n = pair(tile.shape if hasattr(tile, "shape") else tile)
    tm, tn = pair(threads.shape)
    refuse_more(max(m * n, tm * tn), _MOST, "draw_threads", "cells")
    check_picks("draw_threads", thread, None, threads.offsets().tolist(), None)
    down = -(-m // tm)
    held = [[(threads(p % m % tm, p // m % tn), p % m // tm + p // m // tn * down)] for p in range(m * n)]
    picks = Picks(thread)
    w = 34 if n <= 24 else 28
    panel = tile_panel(
        "tile",
        held,
        m,
        n,
        lambda i, j: i + j * m,
        picked=lambda pairs, i, j: picks(pairs),
        names=("m", "n"),
        cell=(w, min(w, 28)),
        limit=None if limit is None else min(limit, TALL),
        tile=(tm, tn),
    )
    legend = thread_legend(threads_of(held), picks, (Entry(f"{tm}×{tn} threads", mark="line1"),))
    parts = f"{m}×{n} by {threads}: {-(-m // tm)}×{-(-n // tn)} values a thread"
    if any(c.faint for c in panel.cells):
        parts += f" · {cut_note(len(panel.cells), m * n)}"
    return Scene(title or f"{text((m, n))} dealt to {threads}", note or parts, ((panel,), (legend,)))


def _corner(tile_mnk, threads, thread, title, note, limit) -> Scene:
    m, n, k = map(product, tile_mnk)
    shares = {"a_layout": ((m, k), Step(1, X)), "b_layout": ((n, k), Step(X, 1)), "c_layout": ((m, n), Step(1, 1))}
    return draw_mma(
        shape_mnk=(m, n, k),
        thread=thread,
        title=title or f"{text((m, n, k))} dealt to {threads}",
        note=note or "in a cell: thread, value",
        limit=limit,
        **{name: dealt(shape, threads, step) for name, (shape, step) in shares.items()},
    )


def draw_pipeline(tv, data, thread: int, value: int = 0, *, title=None, names=("m", "n")) -> Scene:
    """A partition from end to end: (thread, value) -> coordinate in the tile -> address -> what the thread sees.

    `tv` maps to the tile, `data` (a Layout or ComposedLayout of rank 2) maps the tile to memory; one thread is picked in
    every part, and the way of one of its values is written out. `names` are those of the tile's rows and columns.

    >>> from cutelearn import Layout
    >>> tv = Layout(((2, 4), (2, 2)), ((8, 1), (4, 16)))
    >>> scene = draw_pipeline(tv, Layout((4, 8), (8, 1)), thread=1)
    >>> [scene.panel(p).picked() for p in ("tile", "memory")], [c.lines for c in scene.panel("view").cells]
    ([[(0, 2), (0, 3), (0, 6), (0, 7)], [(0, 2), (0, 3), (0, 6), (0, 7)]], [('2',), ('3',), ('6',), ('7',)])
    """
    m, n = pair(need_layout(data, "draw_pipeline", "the data").shape)
    refuse_more(
        max(m, n), 32, "draw_pipeline", "rows or columns", "take a tile of the same kind that can be seen whole"
    )
    held = holders(tv, m * n)
    picks = Picks(thread)
    check_picks("draw_pipeline", thread, value, range(size(tv, 0)), size(tv, 1))
    table = tv_table(tv, (m, n), picks, "thread", None, most=20)
    w = 34 if n <= 12 else 28
    tile = tile_panel(
        "tile",
        held,
        m,
        n,
        lambda i, j: i + j * m,
        picked=lambda pairs, i, j: picks(pairs),
        names=names,
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
    table, tile, memory, view = (replace(panel, heading=heads[panel.name]) for panel in (table, tile, memory, view))
    note = f"data = {data}   tv = {tv}   T{thread} V{value}: {formula(data, at)}"
    rows, arrows = ((table, tile), (view, memory)), _flow(table, tile, memory, view)
    return Scene(title or "data ∘ tv, sliced by the thread", note, rows, arrows, gap=(64, 46), mono=True)


def _flow(table, tile, memory, view) -> tuple[Arrow, ...]:
    """From the table to the tile, down to memory, and back to the thread's view: in the gaps, over no cell."""

    def above(panel, col):
        return At(panel.name, -0.5 - 22 / panel.cell[1], col - 0.5)

    reach = 46 / tile.cell[0]
    top = At("memory", -62 / memory.cell[1], memory.cols - 1, "top")
    return (
        Arrow(above(table, table.cols + 6 / table.cell[0]), above(tile, -reach), "tv", weight=1.6),
        Arrow(At("tile", tile.rows - 1, tile.cols - 1, "bottom"), top, "data", weight=1.6),
        Arrow(above(memory, -reach), above(view, view.cols + 6 / view.cell[0]), "slice", weight=1.6),
    )


def draw_permutation(permutation: Layout, *, title=None) -> Scene:
    """A TiledMMA's permutation as a scatter: slot i of the atoms' order goes to place p(i) of the tile, in one colour a run.

    >>> from cutelearn import Layout
    >>> scene = draw_permutation(Layout((4, 4, 2), (1, 8, 4)))
    >>> scene.panel("slots").at(1, 4).lines, scene.panel("tile").at(0, 8).lines
    (('8',), ('4',))
    """
    need_layout(permutation, "draw_permutation", "the permutation")
    refuse_more(max(size(permutation), cosize(permutation)), 128, "draw_permutation", "places")
    offsets = permutation.offsets().tolist()
    n, run = len(offsets), leaves(permutation.shape)[0]
    fills = {f"run {k}": palette.tile(k) for k in range(-(-n // run))}
    slot_of = {p: i for i, p in enumerate(offsets)}
    end = max(offsets) + 1
    slots = tuple(
        Cell(2 * (i // _LINE) + r, i % _LINE, (words,), f"run {i // run}")
        for i, p in enumerate(offsets)
        for r, words in ((0, str(i)), (1, str(p)))
    )
    tile = tuple(
        Cell(
            *divmod(p, _LINE),
            (str(slot_of[p]),) if p in slot_of else (),
            f"run {slot_of[p] // run}" if p in slot_of else None,
        )
        for p in range(end)
    )
    lines = -(-n // _LINE)
    names = Axis("left", "", (Level(tuple((r, 1, ("i", "p(i)")[r % 2]) for r in range(2 * lines)), "ink"),))
    ticks = Axis("top", "place", (Level(tuple((p, 1, str(p)) for p in range(min(end, _LINE)))),))
    starts = Level(tuple((r, 1, str(p) if p else "i") for r, p in enumerate(range(0, end, _LINE))))
    first = Panel("slots", 2 * lines, min(n, _LINE), slots, fills, (names,), cell=(22, 24), font=11, key_name="run")
    second = Panel(
        "tile",
        -(-end // _LINE),
        min(end, _LINE),
        tile,
        fills,
        (ticks, Axis("left", "", (starts,))),
        cell=(22, 24),
        font=11,
        key_name="run",
    )
    return Scene(title or str(permutation), "", ((first,), (second,)))
