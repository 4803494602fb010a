"""Colours by meaning: a thread, a tile, an offset. Dark ink reads on all of them; labels carry the identity.

Threads: hue is the quad, shade is the lane in the quad; so neighbours differ, also for colour-blind eyes (a test
simulates them). Beyond a warp the hues come again: the warp is a border or stands in the label.
"""

from functools import cache, lru_cache

HUES = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#B3A100", "#7F7F7F")
SHADES = (0.40, 0.55, 0.69, 0.82)  # how much white a lane of a quad gets
# Hues of one lightness fall together for colour-blind eyes. So each gets a little less or more white: among neighbours
# the smallest difference under the three deficiencies rises from 2.3 to 5.2 (CIE76).
_WHITE = (-0.03, -0.10, -0.10, 0.02, -0.10, -0.10, -0.10, 0.03)
_TILE_SHADES = (0.62, 0.82, 0.45)  # the first eight tiles, the next eight, the next

INK = "#1f2430"
SECOND = "#2f3644"  # the second line in a cell
GREY = "#6b7280"
HAIRLINE = "#c9ced6"
FRAME = "#4b5563"
PAPER = "#ffffff"
EMPTY = "#f7f8fa"  # a cell that nobody uses
GOOD, BAD = "#007456", "#b34700"  # verdicts: green and vermilion, dark enough for text
BLOCK, INSIDE = BAD, GOOD  # in nested coordinates: which block, where inside it
COPY_0 = "#a9aeb8"  # the template itself among its copies


def mix(colour: str, white: float) -> str:
    """`colour` with a share of white from 0 (none) to 1.

    >>> mix("#0072B2", 0.4)
    '#66aad1'
    """
    parts = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return "#" + "".join(f"{round(p + (255 - p) * white):02x}" for p in parts)


def _hue(number: int, white: float) -> str:
    return mix(HUES[number % 8], white + _WHITE[number % 8])


@cache
def thread(lane: int) -> str:
    """The colour of a thread: its quad gives the hue, its lane in the quad the shade.

    >>> thread(0), thread(1), thread(4), thread(32) == thread(0)
    ('#5ea6ce', '#85bbda', '#eebc4d', True)
    """
    return _hue(lane // 4, SHADES[lane % 4])


@cache
def tile(number: int) -> str:
    """The colour of a row, a mode's coordinate, a tile or a copy: 24 of them before they come again.

    >>> tile(0), tile(8), tile(24) == tile(0)
    ('#96c5df', '#c9e1ef', True)
    """
    return _hue(number, _TILE_SHADES[number // 8 % 3])


@lru_cache(maxsize=4096)
def ramp(part: float) -> str:
    """One hue from light (0) to dark (1): the order of offsets at a glance."""
    return mix(HUES[0], 0.92 - 0.52 * min(max(part, 0.0), 1.0))
