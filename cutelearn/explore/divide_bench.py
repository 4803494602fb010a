"""Divide bench: cut a layout into tiles, in any of the four forms."""

from ..draw import draw_divide
from ..draw.grids import tiler_text
from ..draw.tilings import DIVIDES
from ..layout import size
from ..tiling import zipped_divide
from .explorer import Explorer
from .fields import ChoiceField, SliderField, TextField, at_most, read_layout, read_tiler


def tiles(a, tiler) -> tuple[int, int]:
    """How many tiles the divide makes, and of how many cells; LayoutError where they are too many to draw."""
    divided = zipped_divide(a, tiler)
    at_most(size(divided), f"{a} in tiles {tiler_text(tiler)}")
    return size(divided, 1), size(divided, 0)


class DivideBench(Explorer):
    """A layout coloured by tile, beside the divided layout in the same colours. The slider picks a tile.

    a      a layout
    tiler  a shape or `<...>` goes by mode; a layout is one 1-D function
    form   "logical", "zipped", "tiled" or "flat"
    tile   the number of the tile that is picked out

    >>> DivideBench("(4,2,3):(2,1,8)", "4:2", form="logical").still().panel("divided").heading
    '((2,2),(2,3)):((4,1),(2,8))'
    """

    fields = (
        TextField(name="a", label="A", read=read_layout, hint="the layout to divide"),
        TextField(
            name="tiler",
            label="tiler",
            read=read_tiler,
            hint="(4,8) or <3:3,8:1> goes mode by mode, 4:2 is one 1-D walk",
        ),
        ChoiceField(name="form", label="form", options=tuple(DIVIDES)),
        SliderField(name="tile", label="tile", top=lambda v: tiles(v["a"], v["tiler"])[0] - 1),
    )

    def __init__(self, a="(8,12):(12,1)", tiler="(4,4)", *, form="zipped", tile=0):
        super().__init__(a=a, tiler=tiler, form=form, tile=tile)

    @staticmethod
    def scene(a, tiler, form, tile):
        return draw_divide(a, tiler, form, pick=tile, limit=1100)

    @staticmethod
    def facts(a, tiler, form, tile):
        count, inside = tiles(a, tiler)
        how = "by mode" if isinstance(tiler, tuple) else "one 1-D walk"
        surplus = count * inside - size(a)
        return f"{how} · {count} tiles of {inside} cells" + (f" · {surplus} phantom cells" if surplus > 0 else "")
