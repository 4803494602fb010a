"""matplotlib draws the same marks: by content everywhere, and three pictures by their pixels."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from matplotlib import __version__ as matplotlib_version
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from pictures import PICTURES
from PIL import Image

from cutelearn import Layout
from cutelearn.draw import draw_layout, mpl, palette, place
from cutelearn.draw.place import Box, Curve, Fills, Hatch, Lines, Texts

HERE = Path(__file__).resolve().parent
BASELINES = HERE / "data" / "pictures"
LARGE = {"layout-blank", "predicate"}


def pixels(path):
    with Image.open(path) as image:
        return np.asarray(image.convert("RGB"), float)


@pytest.mark.parametrize("name", [n for n in PICTURES if n not in LARGE])
def test_every_mark_is_drawn(name):
    scene = PICTURES[name]()
    marks = place.place(scene).marks
    ax = scene.draw()
    texts = [m for m in marks if isinstance(m, Texts)]
    plain = [m for m in texts if len(m.items) <= mpl._MANY or "m" not in m.style or m.turned]
    wanted = [(words, x, y) for m in plain for x, y, words in m.items]
    assert [(t.get_text(), *t.get_position()) for t in ax.texts] == wanted
    outlined = [p for p in ax.patches if p.get_label()]
    assert [p.get_label() for p in outlined] == [
        "_" + "\n".join(w for *_at, w in m.items) for m in texts if m not in plain
    ]
    fills = [c for c in ax.collections if isinstance(c, PolyCollection)]
    assert [to_hex(c.get_facecolor()[0]) for c in fills] == [m.colour for m in marks if isinstance(m, Fills)]
    assert [len(c.get_paths()) for c in fills] == [len(m.boxes) for m in marks if isinstance(m, Fills)]
    lines = [c for c in ax.collections if isinstance(c, LineCollection)]
    assert len(lines) == sum(isinstance(m, (Lines, Hatch)) for m in marks)
    heads = sum(m.head for m in marks if isinstance(m, Curve))
    assert len(ax.patches) - len(outlined) == sum(isinstance(m, (Box, Curve)) for m in marks) + heads


def test_outlined_letters_stand_where_their_texts_stand():
    scene = draw_layout(Layout((8, 16)))
    ax = scene.draw()
    (patch,) = (p for p in ax.patches if p.get_label())
    (mark,) = (m for m in place.place(scene).marks if isinstance(m, Texts) and len(m.items) == 128)
    boxes = [path.get_extents() for path in patch.get_path()._iter_connected_components()]
    for x, y, words in mark.items:
        n = 0.602 * mark.size * len(words)
        inside = [
            b for b in boxes if x - n / 2 <= b.x0 and b.x1 <= x + n / 2 and y - mark.size <= b.y0 and b.y1 <= y + 1
        ]
        assert len(inside) >= len(words)
    words = sum(len(w) for *_at, w in mark.items)
    holes = sum({"0": 2, "4": 1, "6": 1, "8": 2, "9": 1}.get(ch, 0) for *_at, w in mark.items for ch in w)
    assert len(boxes) == words + holes


def test_on_axes_of_ones_own():
    figure = Figure(figsize=(9, 4))
    FigureCanvasAgg(figure)
    left, right = figure.subplots(1, 2)
    scene = draw_layout(Layout((4, 8)))
    assert scene.draw(left) is left
    scene.draw(ax=right)
    size = place.place(scene)
    assert left.get_xlim() == (0, size.width)
    assert left.get_ylim() == (size.height, 0)
    figure.canvas.draw()
    boxes = [t.get_window_extent() for t in left.texts]
    frame = left.get_window_extent()
    assert all(frame.x0 - 1 <= b.x0 and b.x1 <= frame.x1 + 1 for b in boxes)


def test_texts_fit_their_cells_in_the_font_that_matplotlib_has():
    scene = PICTURES["mma-f64"]()
    ax = scene.draw()
    ax.figure.canvas.draw()
    cells = {(c.row, c.col): c for c in scene.panel("C").cells}
    w = scene.panel("C").cell[0]
    pixels = ax.get_window_extent().width / place.place(scene).width
    labels = {words for c in cells.values() for words in c.lines}
    assert all(t.get_window_extent().width <= w * pixels for t in ax.texts if t.get_text() in labels)


@pytest.mark.parametrize(
    ("suffix", "start"), [(".png", b"\x89PNG"), (".pdf", b"%PDF"), (".svg", b"<svg"), (".jpg", b"\xff\xd8")]
)
def test_files(tmp_path, suffix, start):
    path = tmp_path / f"picture{suffix}"
    draw_layout(Layout((4, 8)), pick=(1, 2)).save(path)
    assert path.read_bytes().startswith(start)


def test_size_in_pixels(tmp_path):
    scene = draw_layout(Layout((4, 8)))
    scene.save(tmp_path / "a.png", dpi=96)
    size = place.place(scene)
    assert pixels(tmp_path / "a.png").shape == (size.height, size.width, 3)


def test_no_global_state_of_pyplot_is_touched():
    code = (
        "import sys; from cutelearn import Layout; from cutelearn.draw import draw_layout; scene = draw_layout(Layout((2, 3)));"
        "scene.svg(); assert 'matplotlib' not in sys.modules; scene.draw(); assert 'matplotlib.pyplot' not in sys.modules"
    )
    subprocess.run([sys.executable, "-W", "error", "-c", code], check=True, cwd=HERE.parent)


def pinned(package):
    lines = (HERE.parent / "constraints.txt").read_text("utf-8").splitlines()
    return next(line.split("==")[1] for line in lines if line.startswith(f"{package}=="))


@pytest.mark.skipif(
    matplotlib_version != pinned("matplotlib"), reason="pixels are compared with the pinned matplotlib only"
)
@pytest.mark.parametrize("name", ["layout", "composition", "mma-f64"])
def test_pixels(name, tmp_path):
    """Baselines are written by `python tests/test_draw_mpl.py`."""
    PICTURES[name]().save(tmp_path / "a.png", dpi=96)
    drawn, wanted = pixels(tmp_path / "a.png"), pixels(BASELINES / f"{name}.png")
    assert drawn.shape == wanted.shape
    assert np.sqrt(((drawn - wanted) ** 2).mean()) < 2.0


def test_paper_and_ink_are_those_of_the_palette(tmp_path):
    draw_layout(Layout((2, 2))).save(tmp_path / "a.png", dpi=96)
    image = pixels(tmp_path / "a.png").astype(int)
    assert image[2, 2].tolist() == [255, 255, 255]
    colours = {f"#{r:02x}{g:02x}{b:02x}" for r, g, b in image.reshape(-1, 3)}
    assert {palette.tile(0), palette.tile(1)} <= colours


if __name__ == "__main__":
    BASELINES.mkdir(exist_ok=True)
    for picture in ("layout", "composition", "mma-f64"):
        PICTURES[picture]().save(BASELINES / f"{picture}.png", dpi=96)
