"""Pictures of kernels: C cut into CTA tiles with their panels of A and B, when copies and math happen, and what was measured."""

# ruff: noqa: RUF001 (pictures use the signs × and –)

from dataclasses import dataclass

from ..htuple import LayoutError, as_shape, ceil_div, product, text, wrap
from . import palette
from .grids import cut, cut_note, gaps, need_number, refuse_more
from .place import ROOM, text_width
from .scene import Axis, Cell, Entry, Legend, Level, Panel, Scene

_MOST = 20  # tiles along a side before the picture is cut


# ------------------------------------------------------------------------------------------------ the grid of CTAs


def draw_ctas(shape_mnk, tile_mnk, cta=None, *, k=None, title=None, limit=_MOST) -> Scene:
    """C cut into CTA tiles, A's row panel at the left and B's column panel above, both cut along K.

    `cta=(m, n)` picks a CTA: its tile of C and the panels it reads; `k` also picks the step of the loop. Tiles that reach
    beyond the matrix are hatched. More than `limit` tiles along a side are cut; None draws all.

    >>> scene = draw_ctas((256, 256, 32), (128, 128, 8), cta=(1, 0), k=2)
    >>> [scene.panel(name).picked() for name in "ABC"]
    [[(1, 2)], [(2, 0)], [(1, 0)]]
    """
    shape, tile = (tuple(map(product, wrap(as_shape(x, "draw_ctas: a shape")))) for x in (shape_mnk, tile_mnk))
    if len(shape) != 3 or len(tile) != 3:
        raise LayoutError(
            f"draw_ctas: give (M, N, K) and a tile of three extents, not {text(shape_mnk)} and {text(tile_mnk)}"
        )
    counts = ceil_div(shape, tile)
    need_number(k, "draw_ctas", "step k", counts[2])
    if cta is not None and len(cta) == 2 and not (0 <= cta[0] < counts[0] and 0 <= cta[1] < counts[1]):
        raise LayoutError(f"draw_ctas: there is no CTA {text(cta)}: the grid is {counts[0]} × {counts[1]}")
    m, n = cta if cta is not None else (None, None)

    def in_step(i):
        return k is None or i == k

    keep = [[x] if x is not None else [] for x in (m, n, k)]
    most = [limit or count for count in counts]
    if sum(min(x, y) for x, y in zip(counts[1:], most[1:], strict=True)) > 18:
        most = [min(most[0], _MOST), *(min(x, 8) for x in most[1:])] if limit else most  # B's panel stays on the page
    shown = [cut(*three) for three in zip(counts, most, keep, strict=True)]
    a = _tiles("A", (0, 2), shape, tile, shown, lambda i, j: i == m and in_step(j), ("m", "k"))
    b = _tiles("B", (2, 1), shape, tile, shown, lambda i, j: j == n and in_step(i), ("k", "n"))
    c = _tiles("C", (0, 1), shape, tile, shown, lambda i, j: (i, j) == (m, n), ("m", "n"))
    entries = []
    if cta is not None:
        entries.append(Entry(f"CTA {text(cta)}" + (f", k = {k}" if k is not None else ""), mark="pick"))
    if any(cell.hatch for panel in (a, b, c) for cell in panel.cells):
        entries.append(Entry("beyond the matrix", mark="hatch"))
    note = f"{counts[0]} × {counts[1]} CTAs of {tile[0]}×{tile[1]}, {counts[2]} steps of {tile[2]} along k"
    if any(cell.faint for cell in c.cells):
        note += f" · {cut_note(len(c.cells), counts[0] * counts[1])}"
    rows = ((None, b), (a, c)) + (((Legend("", tuple(entries)),),) if entries else ())
    return Scene(
        title or f"C {shape[0]}×{shape[1]} = A {shape[0]}×{shape[2]} · B {shape[2]}×{shape[1]}",
        note,
        rows,
        gap=(26, 20),
        fixed=True,
    )


def _tiles(name, modes, shape, tile, shown, picked, names) -> Panel:
    """One matrix as a grid of its tiles: the two modes of (M, N, K) that it has, down and across."""
    p, q = modes
    rows, cols = shown[p], shown[q]
    cells = []
    for r, i in enumerate(rows):
        for c, j in enumerate(cols):
            if i is not None and j is not None:
                ragged = (i + 1) * tile[p] > shape[p] or (j + 1) * tile[q] > shape[q]
                cells.append(Cell(r, c, (f"({i},{j})",) if name == "C" else (), name, picked(i, j), ragged))
    fills = {"A": palette.tile(0), "B": palette.tile(1), "C": palette.tile(2)}
    axes = []
    for side, label, shown, extent in (("left", names[0], rows, tile[p]), ("top", names[1], cols, tile[q])):
        ticks = tuple((at, 1, "⋮" if x is None else str(x * extent)) for at, x in enumerate(shown))
        axes.append(Axis(side, label, (Level(ticks),)))
    size = (44, 34) if name == "C" else (26, 34) if name == "A" else (44, 26)
    return Panel(
        name, len(rows), len(cols), (*cells, *gaps(rows, cols)), fills, tuple(axes), cell=size, caption=name, font=11
    )


# ------------------------------------------------------------------------------------------------ time


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happens on a lane of a timeline: from `start`, `length` units long, for tile `tile` of the k loop.

    An event without a tile is a barrier: it holds up every lane.
    """

    lane: str
    start: float
    length: float
    words: str
    tile: int | None = None


_BARRIER = 0.3


def sgemm_1_events(k_tiles: int, load: float = 3, math: float = 4) -> list[Event]:
    """The main loop of sgemm_1: copy a tile to shared memory, wait, multiply, wait.

    >>> [(e.lane, e.start) for e in sgemm_1_events(2) if e.tile == 1]
    [('gmem → smem', 7.6), ('gemm', 10.9)]
    """
    events, t = [], 0.0
    for k in range(k_tiles):
        events.append(Event("gmem → smem", t, load, f"k{k}", k))
        t += load
        events.append(Event("gemm", t, _BARRIER, "barrier"))
        t += _BARRIER
        events.append(Event("gemm", t, math, f"k{k}", k))
        t += math
        events.append(Event("gemm", t, _BARRIER, "barrier"))
        t = round(t + _BARRIER, 6)
    return events


def sgemm_2_events(k_tiles: int, load: float = 3, store: float = 1, math: float = 4) -> list[Event]:
    """The main loop of sgemm_2: while a tile is multiplied, the next one comes from global memory into registers.

    >>> [(e.lane, e.start) for e in sgemm_2_events(2) if e.tile == 1]
    [('gmem → rmem', 4.3), ('rmem → smem', 8.6), ('gemm', 9.9)]
    """
    events, t, arrives = [Event("gmem → rmem", 0.0, load, "k0", 0)], 0.0, load
    for k in range(k_tiles):
        events.append(Event("gemm", t, _BARRIER, "barrier"))  # all have read the last tile
        t = max(round(t + _BARRIER, 6), arrives)
        events.append(Event("rmem → smem", t, store, f"k{k}", k))
        t = round(t + store, 6)
        events.append(Event("gemm", t, _BARRIER, "barrier"))  # all have written this one
        t = round(t + _BARRIER, 6)
        if k + 1 < k_tiles:
            events.append(Event("gmem → rmem", t, load, f"k{k + 1}", k + 1))
            arrives = round(t + load, 6)
        events.append(Event("gemm", t, math, f"k{k}", k))
        t = round(t + math, 6)
    return events


def multistage_events(k_tiles: int, stages: int = 3, load: float = 6, math: float = 3) -> list[Event]:
    """A pipeline of cp.async: `stages` tiles of shared memory, of which all but one are on their way.

    >>> max(e.start + e.length for e in multistage_events(4, stages=2)) > max(e.start + e.length for e in multistage_events(4))
    True
    """
    if stages < 2:
        raise LayoutError(f"multistage: a pipeline has 2 stages or more, not {stages}")
    events, arrives, t = [], {}, 0.0
    for k in range(min(stages - 1, k_tiles)):
        events.append(Event(f"cp.async stage {k % stages}", 0.0, load, f"k{k}", k))
        arrives[k] = load
    for k in range(k_tiles):
        t = max(t, arrives[k])
        events.append(Event("gemm", t, _BARRIER, "barrier"))
        t = round(t + _BARRIER, 6)
        ahead = k + stages - 1
        if ahead < k_tiles:
            events.append(Event(f"cp.async stage {ahead % stages}", t, load, f"k{ahead}", ahead))
            arrives[ahead] = round(t + load, 6)
        events.append(Event("gemm", t, math, f"k{k}", k))
        t = round(t + math, 6)
    return events


TIMELINES = {"sgemm_1": sgemm_1_events, "sgemm_2": sgemm_2_events, "multistage": multistage_events}


def draw_timeline(what="sgemm_2", k_tiles: int = 4, *, title=None, note=None, width=ROOM - 20, **how) -> Scene:
    """When copies and math happen: lanes down, time to the right, one colour a tile of the k loop.

    `what` is "sgemm_1", "sgemm_2", "multistage", or a list of Events. `how` goes to the maker of the events: the lengths
    `load`, `store` and `math` in units of time, and `stages`.

    >>> scene = draw_timeline("sgemm_2", 3)
    >>> scene.panel("time").axis("left").at(2), scene.note
    ('gemm', '19.5 units for 3 tiles; gemm at work 62%')
    """
    need_number(k_tiles, "draw_timeline", "count of tiles")
    if not k_tiles:
        raise LayoutError(f"draw_timeline: the count of tiles is {k_tiles}: give one or more")
    refuse_more(k_tiles, 48, "draw_timeline", "tiles of the k loop", "a few of them show how it goes on")
    if isinstance(what, str):
        if what not in TIMELINES:
            raise LayoutError(f"draw_timeline: {what!r} is none of {', '.join(TIMELINES)}; or give a list of Events")
        events = TIMELINES[what](k_tiles, **how)
        name = what
    else:
        events, name = list(what) if isinstance(what, list | tuple) else [what], "timeline"
        if not events or not all(isinstance(e, Event) for e in events):
            raise LayoutError(f"draw_timeline: give one of {', '.join(TIMELINES)}, or a list of Events, not {what!r}")
        refuse_more(len(events), 400, "draw_timeline", "events")
    lanes = list(dict.fromkeys(e.lane for e in events if e.tile is not None))
    if "gemm" in lanes:
        lanes = [lane for lane in lanes if lane != "gemm"] + ["gemm"]
    end = max(e.start + e.length for e in events)
    cells = []
    for e in events:
        if e.tile is None:
            cells.append(Cell(0, e.start, (), "barrier", rows=len(lanes), cols=e.length))
        else:
            cells.append(Cell(lanes.index(e.lane), e.start, (e.words,), f"k{e.tile}", cols=e.length))
    tiles = sorted({e.tile for e in events if e.tile is not None})
    fills = {f"k{k}": palette.tile(k) for k in tiles} | {"barrier": palette.FRAME}
    busy = sum(e.length for e in events if e.lane == "gemm" and e.tile is not None)
    step = 5 if end > 12 else 2
    axes = (
        Axis("left", "", (Level(tuple((r, 1, lane) for r, lane in enumerate(lanes)), "ink"),)),
        Axis("top", "time", (Level(tuple((t - 0.5, 1, str(t)) for t in range(0, int(end) + 1, step))),)),
    )
    left = max(text_width(lane, 10) for lane in lanes) if lanes else 0
    unit = max((width - left) / end, 5)
    panel = Panel("time", len(lanes), end, tuple(cells), fills, axes, cell=(unit, 34), listed=True, font=12)
    legend = Legend(
        "colour: tile of the k loop",
        (*(Entry(f"k{k}", (fills[f"k{k}"],)) for k in tiles[:12]), Entry("barrier", (palette.FRAME,))),
    )
    if note is None:
        note = f"{end:g} units for {len(tiles)} tiles; gemm at work {100 * busy / end:.0f}%"
    return Scene(title or name, note, ((panel,), (legend,)))


# ------------------------------------------------------------------------------------------------ what was measured


def draw_bars(values, *, unit="", pick=None, title=None, note="", width=ROOM - 20) -> Scene:
    """A bar for each name, one below the other, with its number: `values` is a list of (name, number), or a dict.

    `pick` is a name whose bar is marked. The bars begin at 0 and share one scale.

    >>> scene = draw_bars({"sgemm_1": 34.5, "cuBLAS": 51.8}, unit="TFLOP/s")
    >>> [(c.lines, c.cols) for c in scene.panel("bars").cells if c.key]
    [((), 34.5), ((), 51.8)]
    """
    try:
        pairs = [(name, number) for name, number in (values.items() if isinstance(values, dict) else values)]
    except (TypeError, ValueError):
        raise LayoutError(f"draw_bars: give a dict or a list of (name, number), not {str(values)[:40]}") from None
    for name, number in pairs:
        if isinstance(number, bool) or not isinstance(number, int | float) or not 0 <= number < 1e300:
            raise LayoutError(f"draw_bars: {str(name)[:40]} has {str(number)[:40]}, and a bar is a number from 0 on")
    if not pairs or not (most := max(number for _name, number in pairs)):
        raise LayoutError("draw_bars: give at least one number above 0")
    refuse_more(len(pairs), 40, "draw_bars", "bars", "a few of them can be compared")
    words = [f"{number:g}" for _name, number in pairs]
    left = max(text_width(str(name), 10) for name, _number in pairs)
    after = max(text_width(w, 12) for w in words) + 16
    scale = max((width - left - after) / most, 1e-9)  # pixels for 1
    cells = []
    for r, ((name, number), said) in enumerate(zip(pairs, words, strict=True)):
        cells.append(Cell(r + 0.15, 0, (), "bar", picked=name == pick, rows=0.7, cols=number))
        cells.append(Cell(r, number, (said,), cols=after / scale))
    axis = Axis("left", "", (Level(tuple((r, 1, str(name)) for r, (name, _number) in enumerate(pairs)), "ink"),))
    said = tuple(f"{name} {w}{' ' + unit if unit else ''}" for (name, _number), w in zip(pairs, words, strict=True))
    panel = Panel(
        "bars", len(pairs), most + after / scale, tuple(cells), {"bar": palette.tile(0)}, (axis,), cell=(scale, 26),
        heading=unit, frame=False, blank=False, said=said, font=12,
    )  # fmt: skip
    return Scene(title or unit, note, ((panel,),))
