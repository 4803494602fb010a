"""From a Scene to marks in pixels: where each cell, text and line goes. No file format here; `svg.py` and `mpl.py` draw marks.

Every text is measured before it is placed: cells choose a font that fits, panels make room for axes and labels, the
picture grows to hold its title. So nothing overlaps or is clipped.
"""

from dataclasses import dataclass, field, replace
from textwrap import wrap

from . import palette
from .scene import Arrow, At, Axis, Legend, Panel, Scene, outline

PAD = 20  # paper around everything
PAGE = 850  # the width of a text column: rows of panels are folded, and lines of text wrapped, to stay within it
ROOM = PAGE - 2 * PAD
TICK, NAME, SMALL = 10, 12, 11.5  # font sizes: ticks, axis names, legends
TONES = {"ink": palette.INK, "faint": palette.GREY, "block": palette.BLOCK, "inside": palette.INSIDE}


@dataclass(slots=True)
class Fills:
    """Boxes (x, y, width, height) of one colour, with hairlines round them."""

    colour: str
    boxes: list


@dataclass(slots=True)
class Hatch:
    """Boxes (x, y, width, height) with diagonal lines over them."""

    boxes: list


@dataclass(slots=True)
class Texts:
    """Texts (x, y of the baseline, words) of one size and style; see Label for the letters of a style."""

    size: float
    style: str
    items: list
    turned: bool = False  # read upwards


@dataclass(slots=True)
class Lines:
    """Straight lines (x1, y1, x2, y2)."""

    lines: list
    weight: float
    colour: str
    dash: str = ""
    square: bool = False  # ends that reach out, so that corners close


@dataclass(slots=True)
class Box:
    """An empty box."""

    x: float
    y: float
    width: float
    height: float
    weight: float
    colour: str


@dataclass(slots=True)
class Curve:
    """A line from start to end through a control point (or straight), with an arrow head."""

    start: tuple
    end: tuple
    middle: tuple | None
    weight: float
    colour: str
    dash: str
    head: bool


@dataclass(slots=True)
class Picture:
    """Marks on a paper of this size, in the order they are drawn."""

    width: float
    height: float
    title: str
    words: str
    marks: list = field(default_factory=list)


@dataclass(slots=True)
class Extent:
    """How much room a block takes: its cells, and the margins for axes, headings and labels."""

    width: float
    height: float
    left: float = 0
    top: float = 0
    right: float = 0
    bottom: float = 0


# ------------------------------------------------------------------------------------------------ measuring text


def text_width(words: str, size: float, style: str = "m") -> float:
    """How wide a text may be in pixels, whatever font the reader has."""
    unit = 0.602 if "m" in style else 0.56
    if "b" in style and "m" not in style:
        unit = 0.61
    wide = sum(1 for ch in words if ch > "\u2e7f")  # Chinese and the like: a square each
    return size * (unit * (len(words) - wide) + wide)


def cell_width(longest: int, least: float = 34, size: float = 11) -> float:
    """The width of a cell that holds `longest` letters of this size."""
    return max(least, round(0.602 * size * longest + 8))


def narrowed(width: float, cols: int, longest: int) -> float:
    """The width of a cell, made smaller where `cols` of them are wider than a page, but never so that a label can't be read."""
    return min(width, max(round(740 / cols, 1), round(0.602 * 7 * longest + 5.5, 1) if longest else 5))


def _fit(room: float, letters: int) -> float:
    """The largest font size, in half pixels, at which `letters` stand in `room`."""
    return int(2 * room / (0.602 * letters)) / 2 if letters else 99


# ------------------------------------------------------------------------------------------------ the whole picture


def place(scene: Scene) -> Picture:
    """The marks of a scene and the size of its paper."""
    scene = _folded(scene)
    extent, spots = _spread(scene)
    title_size = 17
    while title_size > 12 and text_width(scene.title, title_size) > min(max(extent.width, 560), ROOM):
        title_size -= 1
    head = _head_height(scene, title_size)
    width = max(extent.width, _head_width(scene, title_size), 120)
    height = head + extent.height + 2 * PAD - 8
    out = Picture(_up(width + 2 * PAD), _up(height), scene.name, scene.description)
    _emit_head(out.marks, scene, PAD, PAD - 8, title_size)
    where: dict = {}
    _emit_scene(out.marks, scene, spots, PAD, PAD - 8 + head, where)
    return out


def _up(x: float) -> int:
    return int(x) + (x > int(x))


def _head(scene: Scene, size: float) -> list[tuple[float, str, str, float]]:
    """The lines of a title and of the note under it: (font size, style, words, height)."""
    style = "mf" if scene.mono else "f"
    lines = [(size, "mb", words, size + 9) for words in _wrapped(scene.title, size, "mb")]
    return lines + [(12.5, style, words, 20.0) for words in _wrapped(scene.note, 12.5, style)]


def _wrapped(words: str, size: float, style: str) -> list[str]:
    """A text in lines no wider than the page, as long as its words allow."""
    if text_width(words, size, style) <= ROOM:
        return [words] if words else []
    letters = int(ROOM / text_width("x", size, style))
    return wrap(words, letters, break_long_words=False, break_on_hyphens=False)


def _head_height(scene: Scene, size: float) -> float:
    lines = _head(scene, size)
    return sum(height for *_line, height in lines) + (6 if lines else 0)


def _head_width(scene: Scene, size: float) -> float:
    return max((text_width(words, s, style) for s, style, words, _h in _head(scene, size)), default=0)


def _emit_head(marks, scene, x, y, size):
    for s, style, words, height in _head(scene, size):
        marks.append(Texts(s, style, [(x, y + (s if "b" in style else 12), words)]))
        y += height


# ------------------------------------------------------------------------------------------------ rows and columns


def _folded(scene: Scene) -> Scene:
    """The scene with rows that are wider than the page as several rows, where nothing holds their blocks together."""
    rows = []
    for row in scene.rows:
        row = tuple(_folded(b) if isinstance(b, Scene) else b for b in row)
        if scene.fixed or scene.arrows or len(row) == 1 or None in row:
            rows.append(row)
            continue
        line, x = [], 0.0
        for block in row:
            e = _measure(block)
            wide = e.left + e.width + e.right
            if line and x + wide > ROOM:
                rows.append(tuple(line))
                line, x = [], 0.0
            line.append(block)
            x += wide + scene.gap[0]
        rows.append(tuple(line))
    return scene if tuple(rows) == scene.rows else replace(scene, rows=tuple(rows))


def _spread(scene: Scene) -> tuple[Extent, list]:
    """The extent of all rows, and for each block (block, x and y of its cells, extent) relative to the scene."""
    rows = [[(b, _measure(b)) for b in row] for row in scene.rows]
    columns = max((len(row) for row in rows if len(row) > 1), default=1)
    gx, gy = scene.gap
    left, wide, right = [0.0] * columns, [0.0] * columns, [0.0] * columns
    for row in rows:
        if len(row) == 1 and columns > 1:
            continue  # a row of one block spans all columns
        for j, (_block, e) in enumerate(row):
            left[j], right[j] = max(left[j], e.left), max(right[j], e.right)
            wide[j] = max(wide[j], e.width)
    x, spots, y, total = 0.0, [], 0.0, 0.0
    starts = []
    for j in range(columns):
        starts.append(x + left[j])
        x += left[j] + wide[j] + right[j] + gx
    total = x - gx
    for k, row in enumerate(rows):
        if k and all(isinstance(block, Legend) for block, _e in row):
            y -= gy - min(gy, 16)  # a legend stands close to what it explains
        top = max(e.top for _b, e in row)
        for j, (block, e) in enumerate(row):
            at = max(starts[j], e.left)
            if block is not None:
                spots.append(
                    (block, at, y + top, replace(e, top=top, left=at - starts[j] + left[j]))
                )  # headings in line
            total = max(total, at + e.width + e.right)
        y += top + max(e.height + e.bottom for _b, e in row) + gy
    return Extent(total, (y - gy if rows else 0) + scene.foot), spots


def _measure(block) -> Extent:
    if block is None:
        return Extent(0, 0)
    if isinstance(block, Scene):
        inner, _spots = _spread(block)
        return Extent(max(inner.width, _head_width(block, 13)), inner.height, top=_head_height(block, 13))
    if isinstance(block, Legend):
        lines = _legend_lines(block)
        return Extent(max((w for line in lines for *_rest, w in line), default=0), _legend_height(block, lines))
    return _measure_panel(block)


def _emit_scene(marks, scene, spots, x0, y0, where):
    for block, x, y, e in spots:
        x, y = x0 + x, y0 + y
        if isinstance(block, Scene):
            _emit_head(marks, block, x, y - e.top, 13)
            _emit_scene(marks, block, _spread(block)[1], x, y, where)
        elif isinstance(block, Legend):
            _emit_legend(marks, block, x, y)
        else:
            where[block.name] = (x, y, block)
            _emit_panel(marks, block, x, y, e)
    for arrow in scene.arrows:
        _emit_arrow(marks, arrow, where)


# ------------------------------------------------------------------------------------------------ panels


def _measure_panel(p: Panel) -> Extent:
    w, h = p.cell
    e = Extent(p.cols * w, p.rows * h)
    for axis in p.axes:
        if axis.side == "left":
            e.left = sum(_level_room(axis, k) for k in range(len(axis.levels))) + _side_name_room(axis, e.height)
        elif axis.side == "top":
            e.top = 15 * len(axis.levels) + (19 if axis.name or axis.note else 0) + 7 * p.depth
    e.top += 22 if p.heading or p.aside else 0
    e.bottom = (22 if p.caption else 0) + sum(16 for axis in p.axes if axis.side == "bottom")
    e.top, e.right = max(e.top, 7 * p.depth), 7 * p.depth
    head = text_width(p.heading, 13, "mb") + text_width(p.aside, 12, "b") + (24 if p.heading and p.aside else 0)
    e.right = max(e.right, head - e.width)
    for label in p.labels:
        x, y, n = label.col * w, label.row * h, text_width(label.words, label.size, label.style)
        start = x - n / 2 if "c" in label.style else x - n if "e" in label.style else x
        e.left, e.right = max(e.left, -start), max(e.right, start + n - e.width)
        e.top, e.bottom = max(e.top, label.size * 0.7 - y), max(e.bottom, y + label.size * 0.7 - e.height)
    return e


def _level_room(axis: Axis, k: int) -> float:
    return max((text_width(words, TICK) for _s, _n, words in axis.levels[k].ticks), default=0) + 9


def _side_name_room(axis: Axis, height: float) -> float:
    words = str(axis)
    if not words:
        return 0
    return NAME + 8 if _is_turned(words, height) else text_width(words, NAME, "") + 6


def _is_turned(words: str, height: float) -> bool:
    """Whether the name of a left axis is written upwards: a long one that is not longer than the axis."""
    return len(words) > 4 and text_width(words, NAME, "") < height + 16


def _emit_panel(marks, p: Panel, x, y, e: Extent):
    w, h = p.cell
    for k in range(p.depth, 0, -1):
        colour = p.fills.get(p.cells[0].key, palette.PAPER)
        marks.append(Fills(colour, [(x + 7 * k, y - 7 * k, e.width, e.height)]))
        marks.append(Box(x + 7 * k, y - 7 * k, e.width, e.height, 1, palette.FRAME))
    _emit_cells(marks, p, x, y)
    for border in p.borders:
        lines = [(x + c * w, y + r * h, x + c2 * w, y + r2 * h) for r, c, r2, c2 in border.lines]
        marks.append(Lines(lines, (0, 1.1, 1.9, 2.8)[min(border.level, 3)], palette.FRAME))
    if p.frame:
        marks.append(Box(x, y, e.width, e.height, 1.5, palette.FRAME))
    _emit_cell_texts(marks, p, x, y)
    for axis in p.axes:
        {"left": _emit_left, "top": _emit_top, "bottom": _emit_bottom}[axis.side](marks, axis, p, x, y, e)
    head = y - e.top + 14
    if p.heading:
        marks.append(Texts(13, "mb", [(x - (e.left if p.axes else 0), head, p.heading)]))
    if p.aside:
        right = max(x + e.width, x + text_width(p.heading, 13, "mb") + 24 + text_width(p.aside, 12, "b"))
        marks.append(Texts(12, p.tone + "e" + ("b" if p.tone != "f" else ""), [(right, head, p.aside)]))
    if p.caption:
        marks.append(Texts(13, "bc", [(x + e.width / 2, y + e.height + 18, p.caption)]))
    for label in p.labels:
        marks.append(
            Texts(label.size, label.style, [(x + label.col * w, y + label.row * h + label.size * 0.35, label.words)])
        )


def _emit_cells(marks, p: Panel, x, y):
    w, h = p.cell
    fills: dict[str | None, list] = {}  # by key; several keys may have one colour
    hatched = []
    for c in p.cells:
        box = (x + c.col * w, y + c.row * h, c.cols * w, c.rows * h)
        if c.key in fills:
            fills[c.key].append(box)
        else:
            fills[c.key] = [box]
        if c.hatch:
            hatched.append(box)
    by_colour: dict[str, list] = {}
    for key, boxes in fills.items():
        if key is not None or p.blank:
            by_colour.setdefault(palette.EMPTY if key is None else p.fills[key], []).extend(boxes)
    marks.extend(Fills(colour, boxes) for colour, boxes in by_colour.items())
    if hatched:
        marks.append(Hatch(hatched))


def _emit_cell_texts(marks, p: Panel, x, y):
    """All cells of a panel share one font size, the largest that fits everywhere; second lines are smaller."""
    w, h = p.cell
    size, second, step = _fonts(p)
    groups: dict[tuple, list] = {}
    for c in () if p.silent else p.cells:
        lines = c.lines
        if not lines:
            continue
        key = (c.faint or c.hatch, c.picked)
        if key not in groups:
            groups[key] = ([], [])
        first, more = groups[key]
        cx, cy = x + (c.col + c.cols / 2) * w, y + (c.row + c.rows / 2) * h
        if len(lines) == 1:
            first.append((cx, cy + size * 0.35, lines[0]))
            continue
        cy -= step * (len(lines) - 1) / 2
        first.append((cx, cy + size * 0.35, lines[0]))
        more.extend((cx, cy + k * step + second * 0.35, lines[k]) for k in range(1, len(lines)))
    for (faint, picked), (first, more) in groups.items():
        style = "mc" + "f" * faint + "b" * picked
        marks.append(Texts(size, style, first))
        if more:
            marks.append(Texts(second, style + "v", more))
    _emit_picks(marks, p, x, y)


def _fonts(p: Panel) -> tuple[float, float, float]:
    """The font sizes of first and further lines, and how far apart lines stand."""
    w, h = p.cell
    tall = 1
    longest: dict[float, int] = {}  # by how many columns a cell spans
    longest_more: dict[float, int] = {}
    for c in p.cells:
        lines = c.lines
        if lines:
            if len(lines[0]) > longest.get(c.cols, 0):
                longest[c.cols] = len(lines[0])
            if len(lines) > 1:
                tall = max(tall, len(lines))
                longest_more[c.cols] = max(longest_more.get(c.cols, 0), *map(len, lines[1:]))
    room = h * 0.78 / tall if tall > 1 else h - 4
    size = min([p.font, room, *(_fit(cols * w - 5, n) for cols, n in longest.items())])
    second = min([max(size * 0.82, 6.5), *(_fit(cols * w - 5, n) for cols, n in longest_more.items())])
    return size, second, min(h / (tall + 0.75), size * 1.2)


def _emit_picks(marks, p: Panel, x, y):
    """Heavy ink round the picked cells; neighbours share one outline."""
    w, h = p.cell
    picked = [c for c in p.cells if c.picked]
    weight = 2.6 if min(w, h) >= 18 else 2
    units = [(c.row, c.col) for c in picked if c.row == int(c.row) and c.col == int(c.col) and c.rows == c.cols == 1]
    if len(units) == len(picked) > 1 and not p.apart:
        lines = [(x + c * w, y + r * h, x + c2 * w, y + r2 * h) for r, c, r2, c2 in outline(units).lines]
        marks.append(Lines(lines, weight, palette.INK, square=True))
        return
    marks.extend(Box(x + c.col * w, y + c.row * h, c.cols * w, c.rows * h, weight, palette.INK) for c in picked)


def _shown(ticks, room: float, size) -> list:
    """The ticks that have room: all, or every second, fourth, ... of a level whose labels would touch."""
    narrow = min((n for _s, n, _w in ticks), default=1) * room
    widest = max((size(words) for _s, _n, words in ticks), default=0)
    for every in (1, 2, 4, 8, 16, 32, 64, 128):
        if every * narrow >= widest:
            return list(ticks[::every])
    return list(ticks[:1])


def _emit_top(marks, axis: Axis, p: Panel, x, y, e: Extent):
    for k, level in enumerate(axis.levels):
        line = y - 6 - 15 * k - 7 * p.depth
        shown = _shown(level.ticks, p.cell[0], lambda words: text_width(words, TICK) + 3)
        items = [(x + (s + n / 2) * p.cell[0], line, words) for s, n, words in shown]
        marks.append(Texts(TICK, "mc" + _tone(level), items))
        _emit_spans(
            marks, level, [(x + s * p.cell[0], x + (s + n) * p.cell[0]) for s, n, _w in level.ticks], line, True
        )
    if str(axis):
        marks.append(Texts(NAME, "c", [(x + e.width / 2, y - 7 - 15 * len(axis.levels) - 7 * p.depth, str(axis))]))


def _emit_bottom(marks, axis: Axis, p: Panel, x, y, e: Extent):
    for level in axis.levels:
        items = [(x + (s + n / 2) * p.cell[0], y + e.height + 14, words) for s, n, words in level.ticks]
        marks.append(Texts(TICK, "mc" + _tone(level), items))


def _emit_left(marks, axis: Axis, p: Panel, x, y, e: Extent):
    right = x - 7
    for k, level in enumerate(axis.levels):
        shown = _shown(level.ticks, p.cell[1], lambda words: TICK)
        items = [(right, y + (s + n / 2) * p.cell[1] + TICK * 0.35, words) for s, n, words in shown]
        marks.append(Texts(TICK, "me" + _tone(level), items))
        right -= _level_room(axis, k)
        _emit_spans(
            marks, level, [(y + s * p.cell[1], y + (s + n) * p.cell[1]) for s, n, _w in level.ticks], right + 5, False
        )
    words = str(axis)
    if not words:
        return
    middle = y + e.height / 2
    if _is_turned(words, e.height):
        words = words.replace("↓", "←")  # turned with the text, it points down
        marks.append(Texts(NAME, "c", [(right - 3, middle, words)], turned=True))
    else:
        marks.append(Texts(NAME, "e", [(right - 1, middle + NAME * 0.35, words)]))


def _emit_spans(marks, level, spans, line, across):
    """Thin brackets under the ticks of an outer level: how far each reaches."""
    if level.tone == "faint" or all(n <= 1 for _s, n, _w in level.ticks):
        return
    if across:
        lines = [(a + 2, line + 3, b - 2, line + 3) for a, b in spans]
    else:
        lines = [(line + 1, a + 2, line + 1, b - 2) for a, b in spans]
    marks.append(Lines(lines, 1, TONES[level.tone]))


def _tone(level) -> str:
    return {"faint": "f", "block": "x", "inside": "g", "ink": ""}[level.tone]


# ------------------------------------------------------------------------------------------------ legends


def _legend_lines(legend: Legend) -> list[list]:
    """Entries in lines no wider than the legend: (entry, x of the entry, its right end)."""
    lines, x = [[]], 0.0
    for entry in legend.entries:
        n = _swatch(entry) + 6 + text_width(entry.words, SMALL, "")
        if x and x + n > min(legend.width, ROOM):
            lines.append([])
            x = 0.0
        lines[-1].append((entry, x, x + n))
        x += n + 16
    lines = [line for line in lines if line]
    notes = [[(note, 0.0, text_width(note[0], SMALL, note[1]))] for note in legend.notes]
    return ([[((legend.title, "f"), 0.0, text_width(legend.title, SMALL, ""))]] if legend.title else []) + lines + notes


def _legend_height(legend, lines) -> float:
    return 19 * len(lines)


def _swatch(entry) -> float:
    return 9 * len(entry.colours) + 3 if entry.colours else 20


def _emit_legend(marks, legend: Legend, x0, y0):
    for k, line in enumerate(_legend_lines(legend)):
        y = y0 + 19 * k
        for entry, x, _end in line:
            x += x0
            if isinstance(entry, tuple):
                marks.append(Texts(SMALL, entry[1], [(x, y + 12, entry[0])]))
                continue
            n = _swatch(entry)
            if entry.colours:
                step = (n - 3) / len(entry.colours)
                marks.extend(Fills(colour, [(x + i * step, y + 2, step, 12)]) for i, colour in enumerate(entry.colours))
            elif entry.mark == "pick":
                marks.append(Box(x + 2, y + 2, 14, 12, 2.6, palette.INK))
            elif entry.mark == "hatch":
                marks.append(Fills(palette.EMPTY, [(x + 1, y + 2, 16, 12)]))
                marks.append(Hatch([(x + 1, y + 2, 16, 12)]))
            elif entry.mark in ("inside", "block"):
                marks.append(Texts(TICK, "mc" + {"block": "x", "inside": "g"}[entry.mark], [(x + 10, y + 12, "0")]))
            elif entry.mark.startswith("line"):
                weight = (0, 1.1, 1.9, 2.8)[min(int(entry.mark[4:]), 3)]
                marks.append(Lines([(x, y + 8, x + 17, y + 8)], weight, palette.FRAME))
            marks.append(Texts(SMALL, "", [(x + n + 4, y + 12, entry.words)]))


# ------------------------------------------------------------------------------------------------ arrows


def _spot(at: At, where) -> tuple[float, float]:
    x, y, p = where[at.panel]
    w, h = p.cell
    wide, high = 1.0, 1.0
    for c in p.cells:
        if c.row == at.row and c.col == at.col:
            wide, high = c.cols, c.rows
            break
    dx, dy = {"left": (0, 0.5), "right": (1, 0.5), "top": (0.5, 0), "bottom": (0.5, 1), "centre": (0.5, 0.5)}[at.side]
    return x + (at.col + dx * wide) * w, y + (at.row + dy * high) * h


def _emit_arrow(marks, arrow: Arrow, where):
    (x1, y1), (x2, y2) = _spot(arrow.start, where), _spot(arrow.end, where)
    if arrow.head:  # leave a little air at both ends
        length = max(((x2 - x1) ** 2 + (y2 - y1) ** 2) ** 0.5, 1)
        ux, uy = (x2 - x1) / length, (y2 - y1) / length
        x1, y1, x2, y2 = x1 + 2 * ux, y1 + 2 * uy, x2 - 3 * ux, y2 - 3 * uy
    middle = None
    lift = 0.0
    if arrow.bend:
        middle = ((x1 + x2) / 2, (y1 + y2) / 2 + 2 * arrow.bend)
        lift = arrow.bend + (9 if arrow.bend > 0 else 0)
    colour = TONES[arrow.tone]
    marks.append(Curve((x1, y1), (x2, y2), middle, arrow.weight, colour, "5 4" if arrow.dashed else "", arrow.head))
    if arrow.label:
        steep = not arrow.bend and abs(y2 - y1) > abs(x2 - x1)  # then the label stands beside it, else above
        style = ("m" if steep else "mc") + ("f" if arrow.tone == "faint" else "")
        x = (x1 + x2) / 2 + (8 if steep else 0)
        y = (y1 + y2) / 2 + (0 if steep else lift + (5 if arrow.bend > 0 else -7))
        marks.append(Texts(11.5, style, [(x, y, arrow.label)]))
