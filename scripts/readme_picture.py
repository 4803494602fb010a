"""Draw docs/layout.svg, the README's picture: a layout's grid and its memory strip, in the same colours."""

from pathlib import Path

from cutelearn import Layout

LAYOUT = Layout((4, 8), (1, 4))
PICKED = (2, 3)
ROW_COLOURS = ("#9ec9e2", "#f6db9e", "#9edcc7", "#ebcade")  # one hue a row, the same in grid and strip
INK, GREY, HAIRLINE, FRAME = "#1f2430", "#6b7280", "#c9ced6", "#4b5563"
GRID, STRIP = 36, 22  # cell sizes in px
LEFT, TOP, STRIP_TOP = 60, 84, 286


def text(x, y, words, *, size=12, fill=INK, anchor="middle", mono=True):
    family = "DejaVu Sans Mono,Consolas,monospace" if mono else "Segoe UI,Helvetica,Arial,sans-serif"
    return (
        f'<text x="{x:g}" y="{y:g}" font-size="{size}" fill="{fill}" text-anchor="{anchor}"'
        f' font-family="{family}">{words}</text>'
    )


def box(x, y, width, height, fill="none", stroke=HAIRLINE, weight=0.7):
    return (
        f'<rect x="{x}" y="{y}" width="{width}" height="{height}" fill="{fill}"'
        f' stroke="{stroke}" stroke-width="{weight}"/>'
    )


def grid():
    """The cells by coordinate (i, j); each holds its offset."""
    rows, columns = LAYOUT.shape
    for j in range(columns):
        yield text(LEFT + (j + 0.5) * GRID, TOP - 8, j, fill=GREY)
    for i in range(rows):
        yield text(LEFT - 10, TOP + i * GRID + 23, i, fill=GREY, anchor="end")
        for j in range(columns):
            x, y = LEFT + j * GRID, TOP + i * GRID
            yield box(x, y, GRID, GRID, ROW_COLOURS[i]) + text(x + GRID / 2, y + 23, LAYOUT(i, j), size=13)
    yield box(LEFT, TOP, columns * GRID, rows * GRID, stroke=FRAME, weight=1.5)
    i, j = PICKED
    yield box(LEFT + j * GRID, TOP + i * GRID, GRID, GRID, stroke=INK, weight=3)


def strip():
    """Memory: the cells by offset, each in the colour of the row it belongs to."""
    rows, columns = LAYOUT.shape
    row_at = {LAYOUT(i, j): i for i in range(rows) for j in range(columns)}
    for offset in sorted(row_at):
        x = LEFT + offset * STRIP
        yield box(x, STRIP_TOP, STRIP, 30, ROW_COLOURS[row_at[offset]])
        yield text(x + STRIP / 2, STRIP_TOP + 20, offset, size=11)
    yield box(LEFT, STRIP_TOP, len(row_at) * STRIP, 30, stroke=FRAME, weight=1.5)
    yield box(LEFT + LAYOUT(*PICKED) * STRIP, STRIP_TOP, STRIP, 30, stroke=INK, weight=3)


def picture() -> str:
    (i, j), (di, dj) = PICKED, LAYOUT.stride
    title, x = str(LAYOUT), LEFT + 8 * GRID + 34
    parts = [
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 800 340" width="800" height="340" role="img">',
        f"<title>{title}</title><desc>A 4 by 8 grid of offsets, and the same cells in memory</desc>",
        '<rect width="800" height="340" rx="6" fill="#ffffff"/>',
        text(LEFT, 36, title, size=18, anchor="start"),
        text(LEFT + 150, 36, "coordinates to offsets", size=13, fill=GREY, anchor="start", mono=False),
        text(x, TOP + 64, f"(i, j) → {di}·i + {dj}·j", size=15, anchor="start"),
        text(x, TOP + 94, f"{PICKED} → {di}·{i} + {dj}·{j} = {LAYOUT(i, j)}", size=15, anchor="start"),
        text(LEFT, STRIP_TOP - 12, "memory", size=13, fill=GREY, anchor="start", mono=False),
        *grid(),
        *strip(),
        "</svg>\n",
    ]
    return "\n".join(parts)


if __name__ == "__main__":
    target = Path(__file__).resolve().parent.parent / "docs" / "layout.svg"
    target.parent.mkdir(exist_ok=True)
    target.write_text(picture(), encoding="utf-8")
