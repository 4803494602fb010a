"""Marks on matplotlib axes: the same picture as the SVG, for PNG, PDF and for figures of one's own.

matplotlib is imported when it is first needed, and no global setting or pyplot state is touched.
"""

from functools import lru_cache

from . import palette
from .place import Box, Curve, Fills, Hatch, Lines, Texts, place
from .svg import hatch_lines, head

_MANY = 60  # texts of one style beyond which they are drawn as outlines
_COLOUR = {"g": palette.GOOD, "x": palette.BAD, "f": palette.GREY, "v": palette.SECOND}


def draw_on(scene, ax=None):
    """The scene on `ax`, one unit a pixel; without `ax` on a new figure of the picture's own size. Returns the Axes."""
    picture = place(scene)
    ax = ax or _axes(picture)
    ax.set_xlim(0, picture.width)
    ax.set_ylim(picture.height, 0)
    ax.set_aspect("equal")
    ax.set_axis_off()
    box = ax.get_position()
    wide, high = ax.figure.get_size_inches()
    point = 72 * min(wide * box.width / picture.width, high * box.height / picture.height)  # points a pixel
    for mark in picture.marks:
        _DRAW[type(mark)](ax, mark, point)
    return ax


def save(scene, path, dpi: int = 150) -> None:
    """Writes the scene to a file that matplotlib knows: .png, .pdf, .svg, ..."""
    ax = draw_on(scene)
    ax.figure.savefig(path, dpi=dpi, facecolor=palette.PAPER)


def _axes(picture):
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(picture.width / 96, picture.height / 96), facecolor=palette.PAPER)
    FigureCanvasAgg(figure)
    return figure.add_axes((0, 0, 1, 1))


def _fills(ax, m: Fills, point):
    from matplotlib.collections import PolyCollection

    corners = [((x, y), (x + w, y), (x + w, y + h), (x, y + h)) for x, y, w, h in m.boxes]
    made = PolyCollection(corners, facecolors=m.colour, edgecolors=palette.HAIRLINE, linewidths=0.7 * point)
    ax.add_collection(made, autolim=False)


def _segments(ax, lines, colour, weight, dash="", cap="butt"):
    from matplotlib.collections import LineCollection

    style = (0, tuple(map(float, dash.split()))) if dash else "solid"
    pairs = [((x1, y1), (x2, y2)) for x1, y1, x2, y2 in lines]
    made = LineCollection(pairs, colors=colour, linewidths=weight, linestyles=style, capstyle=cap)
    ax.add_collection(made, autolim=False)


def _hatch(ax, m: Hatch, point):
    _segments(ax, [line for box in m.boxes for line in hatch_lines(*box)], "#b6bcc6", 0.9 * point)


def _lines(ax, m: Lines, point):
    _segments(ax, m.lines, m.colour, m.weight * point, m.dash, "projecting" if m.square else "butt")


def _texts(ax, m: Texts, point):
    colour = next((_COLOUR[s] for s in "gxfv" if s in m.style), palette.INK)
    if len(m.items) > _MANY and "m" in m.style and not m.turned:
        _outlined(ax, m, colour)
        return
    how = {
        "fontsize": m.size * point,
        "color": colour,
        "family": "DejaVu Sans Mono" if "m" in m.style else "DejaVu Sans",
        "weight": "bold" if "b" in m.style else "normal",
        "ha": "center" if "c" in m.style else "right" if "e" in m.style else "left",
        "va": "baseline",
        "rotation": 90 if m.turned else 0,
        "rotation_mode": "anchor",
        "parse_math": False,
    }
    if "m" not in m.style:
        how["fontsize"] *= 0.92  # DejaVu Sans is wider than the SVG's font
    for x, y, words in m.items:
        ax.text(x, y, words, **how)


def _outlined(ax, m: Texts, colour):
    """Hundreds of labels as one path of letters' outlines: matplotlib's own texts take a millisecond each."""
    import numpy as np
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path

    advance, corners, codes = 0.602 * m.size, [], []
    back = 0.5 if "c" in m.style else 1 if "e" in m.style else 0
    for x, y, words in m.items:
        x -= back * advance * len(words)
        for k, letter in enumerate(words):
            outline, kinds = _letter(letter, "b" in m.style)
            corners.append(outline * (m.size, -m.size) + (x + k * advance, y))
            codes.append(kinds)
    path = Path(np.concatenate(corners), np.concatenate(codes))
    words = "_" + "\n".join(words for _x, _y, words in m.items)  # matplotlib leaves such labels out of its legends
    ax.add_artist(PathPatch(path, facecolor=colour, linewidth=0, label=words))


@lru_cache(maxsize=512)
def _letter(letter: str, bold: bool):
    """The outline of a letter of size 1, as corners and kinds of lines."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import TextPath

    font = FontProperties(family="DejaVu Sans Mono", weight="bold" if bold else "normal")
    path = TextPath((0, 0), letter, size=1, prop=font)
    return path.vertices, path.codes


def _box(ax, m: Box, point):
    from matplotlib.patches import Rectangle

    ax.add_artist(Rectangle((m.x, m.y), m.width, m.height, fill=False, edgecolor=m.colour, linewidth=m.weight * point))


def _curve(ax, m: Curve, point):
    from matplotlib.patches import PathPatch, Polygon
    from matplotlib.path import Path

    end = m.end
    if m.head:
        corners, end = head(m.middle or m.start, m.end, 6 + 2 * m.weight)
        ax.add_artist(Polygon(corners, facecolor=m.colour, edgecolor="none"))
    curved = [Path.MOVETO, Path.CURVE3, Path.CURVE3]
    path = Path([m.start, m.middle, end], curved) if m.middle else Path([m.start, end])
    style = (0, (4, 3)) if m.dash else "solid"
    ax.add_artist(PathPatch(path, fill=False, edgecolor=m.colour, linewidth=m.weight * point, linestyle=style))


_DRAW = {Fills: _fills, Hatch: _hatch, Texts: _texts, Lines: _lines, Box: _box, Curve: _curve}
