"""Pictures of shared memory: which lanes meet in a bank, what a swizzle moves, and the bits it moves it by.

The counting is done in `atoms/analysis.py`; here it is only shown.
"""

# ruff: noqa: RUF001 (pictures use the signs × and –)

from dataclasses import replace

from ..atoms.analysis import BANKS, WORD, bank_conflicts
from ..htuple import LayoutError, has_underscore, leaves, text
from ..layout import Layout, rank, size, slice_and_offset
from ..swizzle import ComposedLayout, Swizzle
from . import palette
from .grids import axis, cut, cut_note, gaps, need_layout, need_number, refuse_more
from .place import narrowed, text_width
from .scene import Axis, Cell, Entry, Label, Legend, Level, Panel, Scene

_LANES = 128  # one access of a warp has 32; a warpgroup's is four of them
_WHAT = "a bank serves one 4-byte word a cycle; lanes that want different words of one bank wait for one another"


# ------------------------------------------------------------------------------------------------ who meets in a bank


def draw_banks(*layouts, lanes, element=32, vector=1, names=(), title=None, note=_WHAT, most=5) -> Scene:
    """What one access of a warp does to the 32 banks: banks across, wavefronts down, lanes in the cells, and the count.

    layouts  shared-memory layouts to compare, offsets in elements
    lanes    what the lanes take: a coordinate with `_` such as `(_, 0)`, a layout lane -> 1-D coordinate, or a list of
             coordinates
    element  the bits of an element, or a value type such as "half_t"; `vector` neighbours make one access of a lane
    most     longer stacks are cut, and say how many rows are more

    >>> from cutelearn import Layout, _
    >>> scene = draw_banks(Layout((32, 32), (32, 1)), Layout((32, 32), (33, 1)), lanes=(_, 0))
    >>> [p.aside for p in scene.panels]
    ['32 wavefronts, not 1: 32-way conflict', '1 wavefront: no conflict']
    """
    if not layouts:
        raise LayoutError("draw_banks: give at least one shared-memory layout")
    rows = []
    for k, layout in enumerate(layouts):
        need_layout(layout, "draw_banks", "what lies in shared memory")
        offsets = lane_offsets(layout, lanes)
        name = names[k] if k < len(names) else ""
        rows.append((_bank_panel(f"banks {k}" if k else "banks", layout, offsets, element, vector, name, most),))
    count = len(lane_offsets(layouts[0], lanes))
    legend = Legend(
        "in a cell: the lane; colour: hue is lane // 4, shade is lane % 4",
        tuple(Entry(f"{q}–{q + 3}", tuple(palette.thread(q + i) for i in range(4))) for q in range(0, count, 4)),
        width=720,
    )
    what = text(lanes) if isinstance(lanes, tuple) else str(lanes) if isinstance(lanes, Layout) else "given coordinates"
    width = vector * (element if isinstance(element, int) else _bits(element))
    return Scene(title or f"{count} lanes at {what}, {width} bits each", note, (*rows, (legend,)), gap=(28, 24))


def lane_offsets(layout, lanes) -> list[int]:
    """The offset of each lane's element: `lanes` is a coordinate with `_`, a layout, or a list of coordinates."""
    if isinstance(lanes, tuple) and has_underscore(lanes):
        kept, start = slice_and_offset(lanes, Layout(layout.shape))
        refuse_more(size(kept), _LANES, "draw_banks", "lanes", "a warp has 32")
        coords = [start + kept(k) for k in range(size(kept))]
    elif callable(lanes) and hasattr(lanes, "shape"):
        refuse_more(size(lanes), _LANES, "draw_banks", "lanes", "a warp has 32")
        coords = [lanes(k) for k in range(size(lanes))]
    elif isinstance(lanes, list | tuple | range):
        refuse_more(len(lanes), _LANES, "draw_banks", "lanes", "a warp has 32")
        coords = list(lanes)
    else:
        raise LayoutError(
            f"draw_banks: lanes={lanes!r}: write a coordinate with _ such as (_, 0), a layout lane -> coordinate, or a list"
        )
    offsets = [layout(c) for c in coords]
    if not all(isinstance(o, int) for o in offsets):
        raise LayoutError(
            f"{layout} gives coordinates such as {text(offsets[0])}, not places in shared memory: it has no banks"
        )
    return offsets


def _bank_panel(name, layout, offsets, element, vector, words, most) -> Panel:
    served = bank_conflicts(offsets, element, vector)
    bits = element if isinstance(element, int) else _bits(element)
    width = bits // 8 * vector
    rows, ticks, phases, hidden = [], [], [], 0
    for lanes, banks in served.phases:
        wants: dict[tuple, list] = {}
        for lane in lanes:
            low = offsets[lane] * bits // 8
            for word in range(low // WORD, (low + width - 1) // WORD + 1):
                wants.setdefault((word % BANKS, word), []).append(lane)
        ways = max(map(len, banks.values()))
        shown = ways if ways <= most + 1 else most
        hidden = max(hidden, ways - shown)
        phases.append((len(rows), shown, f"lanes {lanes[0]}–{lanes[-1]}"))
        for k in range(shown):
            rows.append({bank: wants[bank, found[k]] for bank, found in banks.items() if k < len(found)})
            ticks.append((len(rows) - 1, 1, str(k + 1)))
    cells = []
    for r, row in enumerate(rows):
        for bank in range(BANKS):
            here = row.get(bank, ())
            cells.append(Cell(r, bank, _lanes(here), f"T{here[0]}" if here else None))
    fills = {f"T{lane}": palette.thread(lane) for lane in range(len(offsets))}
    levels = (Level(tuple(ticks)),) + ((Level(tuple(phases), "block"),) if len(phases) > 1 else ())
    labels = (Label(len(rows) + 0.55, 0, f"⋮  {hidden} more", "f", 11),) if hidden else ()
    axes = (
        Axis("left", "" if len(phases) > 1 else "wavefront", levels),
        Axis("top", "bank", (Level(tuple((b, 1, str(b)) for b in range(BANKS))),)),
    )
    tall = max((len(c.lines) for c in cells), default=1)
    return Panel(
        name,
        len(rows),
        BANKS,
        tuple(cells),
        fills,
        axes,
        (),
        labels,
        (22, 21 if tall == 1 else 26),
        heading=f"{layout}  {words}".strip(),
        aside=conflict_words(served),
        tone="x" if served.extra else "g",
        font=9.5,
        frame=True,
    )


def _bits(element) -> int:
    from ..atoms.valtypes import value_type

    return value_type(element).bits


def _lanes(lanes) -> tuple[str, ...]:
    """The lanes of a cell: one, two, or the first and how many more."""
    if not lanes:
        return ()
    if len(lanes) <= 2:
        return tuple(map(str, lanes))
    return (str(lanes[0]), f"+{len(lanes) - 1}")


def conflict_words(served) -> str:
    """The verdict on an access: `32 wavefronts, not 1: 32-way conflict`."""
    n = served.wavefronts
    count = f"{n} wavefront{'s' * (n > 1)}"
    return f"{count}, not {served.ideal}: {served.ways}-way conflict" if served.extra else f"{count}: no conflict"


# ------------------------------------------------------------------------------------------------ swizzles


def draw_swizzle(layout: ComposedLayout, *, element=16, pick=None, title=None, limit=1024) -> Scene:
    """A swizzled layout before and after: the same cells, coloured by the banks they lie in.

    A cell is a unit of 2**M elements, which the swizzle keeps whole; it holds the number of the unit's place in memory.
    `pick` is a column of units (a number): heavy ink, and the conflicts of reading it are stated. More than `limit` units
    are cut to a summary; None draws all.

    >>> from cutelearn import ComposedLayout
    >>> scene = draw_swizzle(ComposedLayout.parse("Sw<3,3,3> o 0 o (8,64):(64,1)"), pick=0)
    >>> [p.aside for p in scene.panels], scene.panel("after").at(1, 0).lines
    (['column 0: 8 wavefronts, not 1: 8-way conflict', 'column 0: 1 wavefront: no conflict'], ('9',))
    """
    if not isinstance(layout, ComposedLayout) or not isinstance(layout.outer, Swizzle) or rank(layout) != 2:
        raise LayoutError(
            f"draw_swizzle: give a swizzled layout of rank 2, as Sw<3,3,3> o 0 o (8,64):(64,1), not {layout}"
        )
    bits = element if isinstance(element, int) else _bits(element)
    unit = 1 << layout.outer.base
    m, n = size(layout, 0), size(layout, 1)
    refuse_more(max(m, n), 1 << 20, "draw_swizzle", "rows or columns", "shared memory holds less")
    across = _is_contiguous(layout.inner[1], unit)
    down = not across and _is_contiguous(layout.inner[0], unit)
    di, dj = (1, unit) if across else (unit, 1) if down else (1, 1)
    if not across and not down:
        unit = 1
    before = ComposedLayout(_Same(), layout.offset, layout.inner)
    panels = []
    rows, cols = range(0, m, di), range(0, n, dj)
    need_number(
        pick, "draw_swizzle", "column" if across or unit == 1 else "row", len(cols if across or unit == 1 else rows)
    )
    for name, a in (("before", before), ("after", layout)):
        panels.append(_swizzled_panel(name, a, rows, cols, unit, bits, pick, across, limit))
    w = max(p.cell[0] for p in panels)
    panels = [replace(p, cell=(w, p.cell[1])) for p in panels]
    step = max(unit * bits // 32, 1)
    groups = range(0, BANKS, min(step, BANKS))
    names = [f"{b}–{b + step - 1}" if step > 1 else str(b) for b in groups]
    legend = Legend(
        "colour: banks", tuple(Entry(w, (palette.thread(b),)) for w, b in zip(names, groups, strict=True)), width=620
    )
    note = (
        f"a cell: {unit} elements of {bits} bits, kept whole; its number: the place in memory"
        if unit > 1
        else "a cell: an element"
    )
    if any(c.faint for c in panels[0].cells):
        note += f" · {cut_note(len(panels[0].cells), len(rows) * len(cols))}"
    return Scene(title or str(layout), note, (tuple(panels), (legend,)), gap=(44, 26))


class _Same:
    """The function that changes nothing: what stands in for the swizzle before it."""

    def __call__(self, offset):
        return offset

    def __repr__(self):
        return "1"


def _is_contiguous(mode, unit) -> bool:
    strides = leaves(mode.stride)
    return strides[0] == 1 and leaves(mode.shape)[0] % unit == 0


def _swizzled_panel(name, a, rows, cols, unit, bits, pick, across, limit) -> Panel:
    down = across or unit == 1  # whether what is picked is a column
    whole = limit is None or (len(rows) * len(cols) <= limit and len(cols) <= 32)
    wanted = [] if pick is None else [pick]
    shown_r = cut(len(rows), len(rows) if whole else 16, [] if down else wanted)
    shown_c = cut(len(cols), len(cols) if whole else 16, wanted if down else [])
    cells, fills = [], {}
    for r, p in enumerate(shown_r):
        for c, q in enumerate(shown_c):
            if p is None or q is None:
                continue
            offset = a(rows[p], cols[q])
            bank = offset * bits // 32 % BANKS
            key = f"bank {bank}"
            fills[key] = palette.thread(bank)
            is_picked = pick is not None and (q if down else p) == pick
            cells.append(Cell(r, c, (str(offset // unit),), key, is_picked))
    aside, tone = "", "f"
    if pick is not None and unit * bits in (8, 16, 32, 64, 128):
        most = max(32 * 32 // (unit * bits), 1) if unit * bits >= 32 else 32
        together = [a(i, cols[pick]) for i in rows[:most]] if down else [a(rows[pick], j) for j in cols[:most]]
        served = bank_conflicts(together, bits, unit)
        aside = f"{'column' if down else 'row'} {pick}: {conflict_words(served)}"
        tone = "x" if served.extra else "g"
    axes = (axis("left", "i", len(rows), shown=shown_r), axis("top", "j", len(cols), shown=shown_c))
    w = max(30, round(0.602 * 11 * max(len(x.lines[0]) for x in cells) + 8))
    wide = text_width(aside, 12, "b") + text_width(name, 13, "mb") + 30
    w = max(w, min(46, wide / len(shown_c)))
    w = narrowed(w, len(shown_c), max(len(x.lines[0]) for x in cells))
    return Panel(
        name,
        len(shown_r),
        len(shown_c),
        (*cells, *gaps(shown_r, shown_c)),
        fills,
        axes,
        cell=(round(w), 28),
        heading=name,
        aside=aside,
        tone=tone,
        font=12,
        key_name="bank",
    )


def draw_swizzle_bits(swizzle: Swizzle, offset: int, *, title=None) -> Scene:
    """One offset through a swizzle, bit by bit: Y is read, moved by S, and XORed into Z; M bits stay.

    >>> from cutelearn import Swizzle
    >>> scene = draw_swizzle_bits(Swizzle(3, 3, 3), 200)
    >>> "".join(c.lines[0] for c in scene.panel("bits").cells if c.row == 2), scene.note
    ('011010000', '200 → 208')
    """
    if not isinstance(offset, int) or offset < 0:
        raise LayoutError(f"draw_swizzle_bits: the offset must be an integer of 0 or more, not {offset!r}")
    if not isinstance(swizzle, Swizzle):
        raise LayoutError(f"draw_swizzle_bits: give a Swizzle, such as Swizzle(3, 3, 3), not {swizzle!r}")
    result = swizzle(offset)
    n = max((swizzle.yyy | swizzle.zzz).bit_length(), offset.bit_length(), result.bit_length(), 1)
    refuse_more(n, 32, "draw_swizzle_bits", "bits", "offsets in shared memory have about 17")
    moved = offset ^ result
    cells = []
    for r, number in enumerate((offset, moved, result)):
        for c in range(n):
            bit = 1 << (n - 1 - c)
            role = "Y" if bit & swizzle.yyy else "Z" if bit & swizzle.zzz else "M" if bit < 1 << swizzle.base else None
            shown = r != 1 or role == "Z"
            cells.append(Cell(r, c, (str(int(bool(number & bit))),) if shown else (), role if shown else None))
    fills = {"Y": palette.tile(1), "Z": palette.tile(0), "M": palette.mix(palette.HUES[7], 0.7)}
    side = Axis(
        "left", "", (Level(((0, 1, f"{offset}"), (1, 1, f"XOR Y >> {swizzle.shift}"), (2, 1, f"{result}")), "ink"),)
    )
    top = Axis("top", "bit", (Level(tuple((c, 1, str(n - 1 - c)) for c in range(n))),))
    panel = Panel(
        "bits", 3, n, tuple(cells), fills, (side, top), cell=(min(30, 640 // n), 28), font=13, key_name="role"
    )
    legend = Legend(
        "", (Entry("Y: read", (fills["Y"],)), Entry("Z: written", (fills["Z"],)), Entry("M: stays", (fills["M"],)))
    )
    return Scene(title or f"{swizzle}({offset}) = {result}", f"{offset} → {result}", ((panel,), (legend,)))
