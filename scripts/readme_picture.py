"""Draw docs/layout.svg, the README's picture: a layout's grid and its memory strip, in the same colours."""

from pathlib import Path

from cutelearn import Layout
from cutelearn.draw import draw_layout


def picture() -> str:
    return draw_layout(Layout((4, 8), (1, 4)), pick=(2, 3), note="coordinates to offsets").svg()


if __name__ == "__main__":
    target = Path(__file__).resolve().parent.parent / "docs" / "layout.svg"
    target.parent.mkdir(exist_ok=True)
    target.write_text(picture(), encoding="utf-8")
