"""Marks as an SVG document: the same bytes on every run, small, and safe beside other pictures in one page.

It paints its own paper, so it reads in light and dark. Colours and fonts are classes, scoped by a hash of the content.
Arrow heads and hatching are plain paths: nothing in the file refers to an id.
"""

from functools import lru_cache
from hashlib import blake2s
from html import escape

from . import palette
from .place import PAGE, Box, Curve, Fills, Hatch, Lines, Texts, place

LEAST = 6.5  # pixels of the smallest text; a picture that is wider even then is scrolled

_SANS = 'Inter,"Segoe UI",Helvetica,Arial,sans-serif'
_MONO = '"JetBrains Mono","DejaVu Sans Mono",Consolas,monospace'
_STYLE = {
    "": f"font-family:{_SANS};fill:{palette.INK}",
    "text": "white-space:pre",
    ".m": f"font-family:{_MONO}",
    ".v": f"fill:{palette.SECOND}",
    ".f": f"fill:{palette.GREY}",
    ".g": f"fill:{palette.GOOD}",
    ".x": f"fill:{palette.BAD}",
    ".c": "text-anchor:middle",
    ".e": "text-anchor:end",
    ".b": "font-weight:650",
    ".h": f"stroke:{palette.HAIRLINE};stroke-width:.7",
    ".n": "fill:none",
}


def to_svg(scene) -> str:
    """The scene as an SVG document. Law: equal scenes give equal text."""
    picture = place(scene)
    body = "".join(map(_mark, picture.marks))
    name = "c" + blake2s(body.encode(), digest_size=4).hexdigest()
    style = "".join(f".{name}{' ' * (what != '')}{what}{{{how}}}" for what, how in _STYLE.items())
    w, h = _n(picture.width), _n(picture.height)
    scale = shown_scale(picture)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="{name}" viewBox="0 0 {w} {h}" '
        f'width="{_n(scale * picture.width)}" height="{_n(scale * picture.height)}" '
        f'role="img" aria-labelledby="{name}t {name}d" style="max-width:100%;height:auto">'
        f'<title id="{name}t">{escape(picture.title)}</title><desc id="{name}d">{escape(picture.words)}</desc>'
        f'<style>{style}</style><rect width="{w}" height="{h}" rx="6" fill="{palette.PAPER}"/>{body}</svg>\n'
    )


def shown_scale(picture) -> float:
    """How large a picture is shown: a little smaller where it is wider than a page, but never so that it can't be read."""
    sizes = [m.size for m in picture.marks if isinstance(m, Texts) and m.items]
    return min(1.0, max(PAGE / picture.width, LEAST / min(sizes, default=LEAST)))


@lru_cache(maxsize=8192)
def _n(x: float) -> str:
    """A coordinate, rounded to a tenth of a pixel, as short as it can be."""
    r = round(x, 1)
    return str(int(r)) if r == int(r) else str(r)


def _mark(mark) -> str:
    return _WRITE[type(mark)](mark)


def _fills(m: Fills) -> str:
    path = "".join([f"M{_n(x)} {_n(y)}h{_n(w)}v{_n(h)}h{_n(-w)}z" for x, y, w, h in m.boxes])
    return f'<path class="h" fill="{m.colour}" d="{path}"/>'


def hatch_lines(x, y, w, h, step=6):
    """Diagonal lines across a box, as (x1, y1, x2, y2), on one lattice for all boxes."""
    first = int((x + y) // step) + 1
    for k in range(first, int((x + w + y + h) // step) + 1):
        s = k * step  # the line x + y = s
        if s >= x + y + w + h:
            break
        yield max(x, s - y - h), min(s - x, y + h), min(x + w, s - y), max(s - x - w, y)


def _hatch(m: Hatch) -> str:
    path = "".join(f"M{_n(x1)} {_n(y1)}L{_n(x2)} {_n(y2)}" for box in m.boxes for x1, y1, x2, y2 in hatch_lines(*box))
    return f'<path class="n" stroke="#b6bcc6" stroke-width=".9" d="{path}"/>'


def _texts(m: Texts) -> str:
    style = f' class="{" ".join(m.style)}"' if m.style else ""
    head = f'<g font-size="{_n(m.size)}"{style}>' if len(m.items) > 1 or m.turned else ""
    if not head:
        ((x, y, words),) = m.items
        return f'<text x="{_n(x)}" y="{_n(y)}" font-size="{_n(m.size)}"{style}>{escape(words, quote=False)}</text>'
    if m.turned:
        texts = [
            f'<text transform="translate({_n(x)} {_n(y)})rotate(-90)"{style}>{escape(t, quote=False)}</text>'
            for x, y, t in m.items
        ]
    else:
        texts = [
            f'<text x="{_n(x)}" y="{_n(y)}">{escape(t, quote=False) if "&" in t or "<" in t else t}</text>'
            for x, y, t in m.items
        ]
    return head + "".join(texts) + "</g>"


def _lines(m: Lines) -> str:
    path = "".join(
        f"M{_n(x1)} {_n(y1)}" + (f"V{_n(y2)}" if x1 == x2 else f"H{_n(x2)}" if y1 == y2 else f"L{_n(x2)} {_n(y2)}")
        for x1, y1, x2, y2 in m.lines
    )
    how = _dash(m.dash) + (' stroke-linecap="square"' if m.square else "")
    return f'<path class="n" stroke="{m.colour}" stroke-width="{_n(m.weight)}"{how} d="{path}"/>' if path else ""


def _box(m: Box) -> str:
    return (
        f'<rect class="n" x="{_n(m.x)}" y="{_n(m.y)}" width="{_n(m.width)}" height="{_n(m.height)}" '
        f'stroke="{m.colour}" stroke-width="{_n(m.weight)}"/>'
    )


def head(start, end, size=9.0):
    """The three corners of an arrow head at `end`, and where the line stops."""
    dx, dy = end[0] - start[0], end[1] - start[1]
    n = max((dx * dx + dy * dy) ** 0.5, 1e-9)
    ux, uy = dx / n, dy / n
    bx, by = end[0] - size * ux, end[1] - size * uy
    w = size * 0.42
    return (end, (bx - w * uy, by + w * ux), (bx + w * uy, by - w * ux)), (bx, by)


def _curve(m: Curve) -> str:
    end, tip = m.end, ""
    if m.head:
        corners, end = head(m.middle or m.start, m.end, 6 + 2 * m.weight)
        points = " ".join(f"{_n(x)},{_n(y)}" for x, y in corners)
        tip = f'<polygon points="{points}" fill="{m.colour}"/>'
    via = f"Q{_n(m.middle[0])} {_n(m.middle[1])} " if m.middle else "L"
    path = f"M{_n(m.start[0])} {_n(m.start[1])}{via}{_n(end[0])} {_n(end[1])}"
    return f'<path class="n" stroke="{m.colour}" stroke-width="{_n(m.weight)}"{_dash(m.dash)} d="{path}"/>{tip}'


def _dash(dash: str) -> str:
    return f' stroke-dasharray="{dash}"' if dash else ""


_WRITE = {Fills: _fills, Hatch: _hatch, Texts: _texts, Lines: _lines, Box: _box, Curve: _curve}
