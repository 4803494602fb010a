"""What a picture is: panels of cells with axes, borders, labels and arrows. Data only; no pixel is computed here.

A Panel is a grid: cells stand at (row, column), counted in cells. A Scene is a table of panels, legends and other scenes,
with arrows between them. `place.py` turns it into pixels; `svg.py` and `mpl.py` show those; `table()` says the same in text.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import groupby

from ..htuple import LayoutError, shown


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell: its place, the lines of text in it, the key of its colour, and whether it is picked or out of range."""

    row: float
    col: float
    lines: tuple[str, ...] = ()
    key: str | None = None
    picked: bool = False
    hatch: bool = False
    rows: float = 1
    cols: float = 1
    faint: bool = False  # grey text

    def __str__(self) -> str:
        words = " ".join(self.lines)
        return f"[{words}]" if self.picked else f"/{words}/" if self.hatch else words


@dataclass(frozen=True, slots=True)
class Level:
    """One row of tick labels along an axis: (start, how many cells, text). The first level stands nearest to the grid."""

    ticks: tuple[tuple[float, float, str], ...]
    tone: str = "faint"


@dataclass(frozen=True, slots=True)
class Axis:
    """An axis: its side ("left", "top" or "bottom"), its name, its levels of ticks, and a note such as "stride 8"."""

    side: str
    name: str = ""
    levels: tuple[Level, ...] = ()
    note: str = ""

    def __str__(self) -> str:
        arrow = "↓" if self.side == "left" else "→"
        return " ".join(filter(None, (self.name and f"{self.name} {arrow}", self.note)))

    def at(self, position: int) -> str:
        """The coordinate at a position, all levels together, the nearest first: `(1,3)`."""
        words = [w for level in self.levels for start, n, w in level.ticks if start <= position < start + n]
        return words[0] if len(words) == 1 else f"({','.join(words)})" if words else ""


@dataclass(frozen=True, slots=True)
class Border:
    """Lines between groups of cells, as (row, column, row, column); heavier for a higher level."""

    lines: tuple[tuple[float, float, float, float], ...]
    level: int = 1
    label: str = ""


@dataclass(frozen=True, slots=True)
class Label:
    """Free text at a place counted in cells. Style: letters out of m(ono) b(old) f(aint) c(entre) e(nd) g(ood) x(bad)."""

    row: float
    col: float
    words: str
    style: str = "f"
    size: float = 11


@dataclass(frozen=True, slots=True)
class Panel:
    """One grid of cells with what belongs to it. `fills` gives a colour for each key; cells without a key are empty."""

    name: str
    rows: float
    cols: float
    cells: tuple[Cell, ...]
    fills: Mapping[str, str] = field(default_factory=dict)
    axes: tuple[Axis, ...] = ()
    borders: tuple[Border, ...] = ()
    labels: tuple[Label, ...] = ()
    cell: tuple[float, float] = (36, 36)  # width and height in pixels
    heading: str = ""  # above, at the left: CuTe notation
    aside: str = ""  # above, at the right: what is to be said
    tone: str = "f"  # how the aside is said: faint, g(ood) or x(bad)
    caption: str = ""  # below, in the middle: the name of an operand
    key_name: str = ""  # what a colour key means, where the labels don't say it
    frame: bool = True
    blank: bool = True  # whether cells without a key have a grey ground
    listed: bool = False  # whether the text form is a list of cells (for timelines), not a grid
    said: tuple[str, ...] = ()  # the text form in lines, where cells stand in no grid
    silent: bool = False  # whether the lines of cells are said in the table only, not drawn
    apart: bool = False  # whether picked neighbours have a box each
    depth: int = 0  # how many more such grids lie behind this one
    font: float = 13  # the largest size of the text in cells

    def at(self, row: float, col: float) -> Cell:
        """The cell at a place; LayoutError where there is none."""
        for c in self.cells:
            if c.row == row and c.col == col:
                return c
        raise LayoutError(
            f"panel {self.name!r} has no cell at row {row}, column {col}: it has {self.rows} x {self.cols}"
        )

    def picked(self) -> list[tuple[float, float]]:
        """The places of the picked cells."""
        return [(c.row, c.col) for c in self.cells if c.picked]

    def axis(self, side: str) -> Axis:
        return next(a for a in self.axes if a.side == side)


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of a legend: colours (or a kind of mark: "pick", "hatch", "line1", "line2", ..., or a tone of axis digits: "inside", "block") and what they mean."""

    words: str
    colours: tuple[str, ...] = ()
    mark: str = ""


@dataclass(frozen=True, slots=True)
class Legend:
    """What colours and marks mean, and lines of text: (words, style)."""

    title: str = ""
    entries: tuple[Entry, ...] = ()
    notes: tuple[tuple[str, str], ...] = ()
    width: float = 560
    name: str = "legend"


@dataclass(frozen=True, slots=True)
class At:
    """A place in a panel: a cell counted in cells, and the side of it that an arrow leaves from."""

    panel: str
    row: float
    col: float
    side: str = "centre"


@dataclass(frozen=True, slots=True)
class Arrow:
    """An arrow from one place to another. `bend` in pixels pulls its middle down (or up, when negative)."""

    start: At
    end: At
    label: str = ""
    dashed: bool = False
    bend: float = 0
    weight: float = 1.5
    tone: str = "ink"
    head: bool = True


@dataclass(frozen=True, slots=True)
class Scene:
    """A picture as data: rows of panels, legends and scenes (columns aligned), arrows, a title and a grey line under it.

    `svg()` and `save(path)` show it, `draw(ax)` puts it on matplotlib axes, `table()` says the same in text. In a notebook
    it shows itself.
    """

    title: str
    note: str = ""
    rows: tuple[tuple, ...] = ()
    arrows: tuple[Arrow, ...] = ()
    gap: tuple[float, float] = (28, 26)  # pixels between columns, between rows
    words: str = ""  # what is seen, for a screen reader; the note if empty
    mono: bool = False  # whether the note is CuTe notation
    foot: float = 0  # pixels under the rows, for arrows that go round
    fixed: bool = False  # whether the blocks of a row must stay side by side, as in a corner view

    def __post_init__(self):
        for name, words in (("title", self.title), ("note", self.note)):
            if not isinstance(words, str):
                raise LayoutError(f"the {name} of a picture is a text, not {shown(words)} ({type(words).__name__})")
        if not isinstance(self.rows, tuple) or any(not isinstance(row, (tuple, list)) for row in self.rows):
            raise LayoutError(f"the rows of a picture are a tuple of tuples of panels, not {shown(self.rows)}")

    # --- its parts

    @property
    def blocks(self) -> Iterator:
        """All panels and legends, in reading order, those of inner scenes too."""
        for row in self.rows:
            for block in row:
                if isinstance(block, Scene):
                    yield from block.blocks
                elif block is not None:
                    yield block

    @property
    def panels(self) -> list[Panel]:
        return [b for b in self.blocks if isinstance(b, Panel)]

    def panel(self, name: str) -> Panel:
        """The panel of this name; LayoutError with the names there are."""
        for p in self.panels:
            if p.name == name:
                return p
        raise LayoutError(f"this picture has no panel {name!r}; it has {', '.join(repr(p.name) for p in self.panels)}")

    @property
    def name(self) -> str:
        """The title, or the titles of the scenes in it."""
        inner = (b.name for row in self.rows for b in row if isinstance(b, Scene))
        return self.title or ", ".join(filter(None, inner)) or ", ".join(p.name for p in self.panels)

    @property
    def description(self) -> str:
        """What is seen, in words: as given, or the note, or the panels by name and size."""
        return (
            self.words
            or self.note
            or "; ".join(f"{p.name}: {p.heading or f'{p.rows:g} by {p.cols:g}'}" for p in self.panels)
        )

    # --- ways to show it

    def svg(self) -> str:
        """The picture as an SVG document: the same text on every run."""
        from .svg import to_svg

        return to_svg(self)

    def draw(self, ax=None):
        """The picture on a matplotlib Axes (a new figure without one); gives back the Axes."""
        from .mpl import draw_on

        return draw_on(self, ax)

    def save(self, path, dpi: int = 150) -> None:
        """Writes .svg with our own writer, and .png, .pdf and all else with matplotlib."""
        from pathlib import Path

        if Path(path).suffix.lower() == ".svg":
            Path(path).write_text(self.svg(), encoding="utf-8")
        else:
            from .mpl import save

            save(self, path, dpi)

    def table(self, short: bool = False) -> str:
        """What the picture says, as text: `[x]` is picked, `/x/` is out of range."""
        return _table(self, 16 if short else None)

    def _repr_mimebundle_(self, include=None, exclude=None):
        return {"image/svg+xml": self.svg(), "text/plain": self.table(short=True)}

    def __repr__(self) -> str:
        cells = sum(len(p.cells) for p in self.panels)
        return f"<Scene {self.name!r}: {', '.join(p.name for p in self.panels)}; {cells} cells>"


# ------------------------------------------------------------------------------------------------ putting together


def beside(*scenes: Scene, title: str = "", note: str = "", gap: float = 40) -> Scene:
    """Several scenes in one picture, from left to right."""
    return Scene(title, note, (_named_apart(scenes),), gap=(gap, 26))


def stack(*scenes: Scene, title: str = "", note: str = "", gap: float = 34) -> Scene:
    """Several scenes in one picture, one under the other."""
    return Scene(title, note, tuple((s,) for s in _named_apart(scenes)), gap=(28, gap))


def _named_apart(scenes) -> tuple:
    """The scenes with panel names made different where two share one: `grid`, `grid 2`."""
    seen: dict[str, int] = {}
    for scene in scenes:
        if not isinstance(scene, Scene):
            raise LayoutError(
                f"a picture is put beside pictures: give what a draw function returns, not {shown(scene)}"
            )

    def rename(scene):
        new = {}
        for p in scene.panels:
            base, _space, number = p.name.rpartition(" ")
            base = base if number.isdigit() else p.name
            seen[base] = seen.get(base, 0) + 1
            new[p.name] = base if seen[base] == 1 else f"{base} {seen[base]}"
        return _renamed(scene, new)

    return tuple(map(rename, scenes))


def _renamed(scene: Scene, new: dict) -> Scene:
    if all(a == b for a, b in new.items()):
        return scene

    def block(b):
        if isinstance(b, Scene):
            return _renamed(b, new)
        return replace(b, name=new[b.name]) if isinstance(b, Panel) else b

    def end(at):
        return replace(at, panel=new.get(at.panel, at.panel))

    arrows = tuple(replace(a, start=end(a.start), end=end(a.end)) for a in scene.arrows)
    return replace(scene, rows=tuple(tuple(map(block, row)) for row in scene.rows), arrows=arrows)


# ------------------------------------------------------------------------------------------------ borders


def borders_between(groups: list[list], level: int = 1, label: str = "") -> Border:
    """The lines that part cells of different groups; `groups[row][col]` is any value. The outer frame is not among them."""
    rows, cols = len(groups), len(groups[0]) if groups else 0
    lines = []
    for c in range(1, cols):
        for r, end in _runs([groups[r][c - 1] != groups[r][c] for r in range(rows)]):
            lines.append((r, c, end, c))
    for r in range(1, rows):
        for c, end in _runs([groups[r - 1][c] != groups[r][c] for c in range(cols)]):
            lines.append((r, c, r, end))
    return Border(tuple(lines), level, label)


def outline(places: Iterable[tuple[int, int]], level: int = 3) -> Border:
    """A heavy line round a set of cells."""
    inside = {(int(r), int(c)) for r, c in places}
    if not inside:
        return Border((), level)
    r0, c0 = min(r for r, _c in inside) - 1, min(c for _r, c in inside) - 1
    rows, cols = max(r for r, _c in inside) - r0 + 2, max(c for _r, c in inside) - c0 + 2
    lines = borders_between([[(r0 + r, c0 + c) in inside for c in range(cols)] for r in range(rows)]).lines
    return Border(tuple((r + r0, c + c0, r2 + r0, c2 + c0) for r, c, r2, c2 in lines), level)


def _runs(flags: list[bool]) -> Iterator[tuple[int, int]]:
    """The stretches of True as (start, end)."""
    start = 0
    for flag, run in groupby(flags):
        n = len(list(run))
        if flag:
            yield start, start + n
        start += n


# ------------------------------------------------------------------------------------------------ as text


def _table(scene: Scene, most: int | None) -> str:
    parts = ["\n".join(filter(None, (scene.title, scene.note)))]
    for row in scene.rows:
        for block in row:
            if isinstance(block, Scene):
                parts.append(_table(block, most))
            elif isinstance(block, Panel):
                parts.append(_panel_text(block, most))
            elif isinstance(block, Legend):
                parts.append(_legend_text(block))
    parts.append("\n".join(a.label for a in scene.arrows if a.label))
    return "\n\n".join(filter(None, parts))


def _panel_text(panel: Panel, most: int | None) -> str:
    own = [label.words for label in panel.labels]
    base = panel.name.rpartition(" ")[0]  # `memory 2` is a second memory
    name = base if base and base in own else panel.name
    head = ": ".join(filter(None, (name, panel.heading)))
    axes = ", ".join(filter(None, map(str, panel.axes)))
    out = [" | ".join(filter(None, (head, axes, panel.aside)))]
    out += [words for words in own if words != name and words not in "".join(panel.said)]
    if panel.said:
        out += panel.said
    elif panel.listed:
        out += [_listed(panel, c) for c in panel.cells[:most]]
    else:
        out += _grid_text(panel, most, str)
        if panel.key_name and most is None:
            out += [f"{panel.key_name} of each cell:", *_grid_text(panel, most, lambda c: c.key or ".")]
    return "\n".join(out)


def _listed(panel: Panel, c: Cell) -> str:
    span = f"{c.col:g}..{c.col + c.cols:g}"
    if c.rows == panel.rows and not str(c):  # it holds up every lane, so its own name stands first
        return f"{c.key} {span}"
    lane = "".join(a.at(int(c.row)) for a in panel.axes if a.side == "left")
    return f"{lane} {span}: {c}".strip()


def _grid_text(panel: Panel, most: int | None, say) -> list[str]:
    rows, cols = int(panel.rows), int(panel.cols)
    text = {(c.row, c.col): say(c) for c in panel.cells}
    left = next((a for a in panel.axes if a.side == "left" and a.levels), None)
    top = next((a for a in panel.axes if a.side == "top" and a.levels), None)
    shown_r, shown_c = _first(rows, most), _first(cols, most)
    lines = []
    if top:
        lines.append(([""] if left else []) + [top.at(c) for c in shown_c] + (["..."] if len(shown_c) < cols else []))
    for r in shown_r:
        line = [left.at(r)] if left else []
        line += [text.get((r, c), "") for c in shown_c]
        lines.append(line + (["..."] if len(shown_c) < cols else []))
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)] if lines else []
    out = ["  ".join(w.rjust(n) for w, n in zip(line, widths, strict=True)).rstrip() for line in lines]
    return out + ([f"... {rows - len(shown_r)} more rows"] if len(shown_r) < rows else [])


def _first(n: int, most: int | None) -> range:
    return range(n if most is None or n <= most + 1 else most)


def _legend_text(legend: Legend) -> str:
    entries = [f"{e.mark or 'colour'}: {e.words}" if e.mark else e.words for e in legend.entries]
    return "\n".join(filter(None, (legend.title, ", ".join(entries), *(words for words, _style in legend.notes))))
