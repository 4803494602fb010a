"""The two pictures of a bench: bars beside cuBLAS, and the roofline. Plain SVG, the same for the same numbers."""

from dataclasses import dataclass
from math import ceil, floor, log10
from xml.sax.saxutils import escape

PLAIN, OTHER, INK, FAINT, CUBLAS = "#0072b2", "#e69f00", "#222222", "#d0d0d0", "#b00020"
WIDTH, LEFT, RIGHT, TOP = 720, 120, 40, 56


@dataclass(frozen=True)
class Plot:
    """A plot that shows itself in a notebook, and the same numbers as text."""

    svg: str
    table: str

    def _repr_mimebundle_(self, include=None, exclude=None) -> dict:
        return {"text/plain": self.table, "image/svg+xml": self.svg}

    def __repr__(self):
        return self.table


def _text(x, y, words, anchor="start", size=13, color=INK):
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}" fill="{color}">{escape(words)}</text>'
    )


def _line(x1, y1, x2, y2, color=INK, width=1.0, dash=""):
    dashed = f' stroke-dasharray="{dash}"' if dash else ""
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{color}" stroke-width="{width}"{dashed}/>'


def _rect(x, y, w, h, color):
    return f'<rect x="{x:.1f}" y="{y:.1f}" width="{w:.1f}" height="{h:.1f}" fill="{color}"/>'


def _page(height, title, note, marks) -> str:
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height:.0f}" viewBox="0 0 {WIDTH} {height:.0f}" '
        f'font-family="sans-serif" role="img"><title>{escape(title)}</title>'
    )
    paper = f'<rect width="{WIDTH}" height="{height:.0f}" fill="#ffffff"/>'
    return "\n".join(
        [head, paper, _text(16, 24, title, size=16), *marks, _text(16, height - 12, note, size=11), "</svg>\n"]
    )


def bars(pairs, title: str, note: str) -> str:
    """One group for each (plain row, row of the other name); cuBLAS is a dashed line, at the middle of what was measured beside."""
    beside = sorted(r.cublas_tflops for pair in pairs for r in pair if r and r.cublas_tflops)
    cublas = beside[len(beside) // 2] if beside else None
    most = max([r.tflops for pair in pairs for r in pair if r] + ([cublas] if cublas else []))
    scale = (WIDTH - LEFT - RIGHT - 40) / most
    marks = [_rect(LEFT, 36, 12, 12, PLAIN), _text(LEFT + 18, 47, "the stage's own name")]
    marks += [_rect(LEFT + 180, 36, 12, 12, OTHER), _text(LEFT + 198, 47, 'a name that holds "cutlass"')]
    line = LEFT + cublas * scale if cublas else -WIDTH
    y = TOP + 12
    for pair in pairs:
        marks.append(_text(LEFT - 10, y + 21, next(r for r in pair if r).stage, "end"))
        for row, color in zip(pair, (PLAIN, OTHER), strict=True):
            if row:
                marks.append(_rect(LEFT, y, row.tflops * scale, 14, color))
                x = LEFT + row.tflops * scale + 5
                x = line + 5 if x - 3 < line < x + 30 else x  # no number is crossed by cuBLAS's line
                marks.append(_text(x, y + 12, f"{row.tflops:.1f}", size=12))
            y += 16
        y += 12
    if cublas:
        marks += [
            _line(line, TOP, line, y, CUBLAS, 1.5, "5 3"),
            _text(line, y + 16, f"cuBLAS {cublas:.1f}", "middle", color=CUBLAS),
        ]
    return _page(y + 52, title, note, marks)


def roofline(rows, peak: float, gbytes: float, title: str, note: str) -> str:
    """Log-log: TFLOP/s over multiplies and adds a byte asked of global memory, under the memory's slope and the arithmetic's roof.

    peak: TFLOP/s of the chip; gbytes: GB/s of its memory. A point above the slope has its bytes from a cache.
    """
    height, bottom, right = 460.0, 370.0, WIDTH - 130.0
    x0, x1 = -1, max(3, ceil(log10(max(r.intensity for r in rows))))
    y0 = min(-1, floor(log10(min(r.tflops for r in rows))))
    y1 = ceil(log10(peak))

    def at(x, y):
        across = (log10(x) - x0) / (x1 - x0)
        up = (log10(y) - y0) / (y1 - y0)
        return 70 + across * (right - 70), bottom - up * (bottom - TOP)

    marks = []
    for e in range(x0, x1 + 1):
        x, _y = at(10.0**e, 10.0**y0)
        marks += [_line(x, TOP, x, bottom, FAINT), _text(x, bottom + 18, f"{10.0**e:g}", "middle", 12)]
    for e in range(y0, y1 + 1):
        _x, y = at(10.0**x0, 10.0**e)
        marks += [_line(70, y, right, y, FAINT), _text(62, y + 4, f"{10.0**e:g}", "end", 12)]
    marks.append(
        _text((70 + right) / 2, bottom + 40, "flop for each byte that the blocks ask of global memory", "middle")
    )
    marks.append(_text(16, 46, "TFLOP/s", size=12))
    ridge = peak * 1e3 / gbytes
    low = max(10.0**x0, 10.0**y0 * 1e3 / gbytes)
    marks.append(_line(*at(low, low * gbytes / 1e3), *at(ridge, peak), INK, 2))
    marks.append(_line(*at(ridge, peak), *at(10.0**x1, peak), INK, 2))
    x, y = at(ridge, peak)
    marks.append(_text(right + 6, y + 4, f"peak {peak:.1f}", size=12))
    marks.append(_text(x - 10, y - 8, f"memory {gbytes:.0f} GB/s", "end", 12))
    line = -height
    if beside := sorted(r.cublas_tflops for r in rows if r.cublas_tflops):
        _x, line = at(1, beside[len(beside) // 2])
        marks.append(_line(at(ridge, 1)[0], line, right, line, CUBLAS, 1.5, "5 3"))
        marks.append(_text(right + 6, line + 14, f"cuBLAS {beside[len(beside) // 2]:.1f}", size=12, color=CUBLAS))
    above, lowest = height, -height  # one name under the other where points are close
    for row in sorted(rows, key=lambda r: -r.tflops):
        x, y = at(row.intensity, row.tflops)
        marks.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4.5" fill="{PLAIN}"/>')
        said = f"{row.stage} {row.tflops:.1f}"
        if row.tflops > row.intensity * gbytes / 1e3:  # above the slope: over the point, clear of it
            above = min(y - 10, above - 14)
            marks.append(_text(x, above, said, "middle", 12))
            continue
        lowest = max(y + 4, lowest + 14)
        lowest = line + 14 if lowest - 11 < line < lowest + 4 else lowest
        marks.append(_text(x + 10, lowest, said, size=12))
    if above < height:
        marks.append(_text(16, height - 28, "A point above the slope has part of its bytes from a cache.", size=11))
    return _page(height, title, note, marks)
