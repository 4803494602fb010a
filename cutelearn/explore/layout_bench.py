"""Layout bench: edit shape and stride, move over the cells, and see the grid beside its memory."""

from ..algebra import coalesce
from ..draw import draw_layout, draw_slice
from ..draw.layouts import mapping_words
from ..htuple import LayoutError, ScaledBasis, leaves
from ..layout import Layout, cosize, size
from .explorer import Explorer
from .fields import ChoiceField, SliderField, TextField, read_any_layout, read_coordinate


class LayoutBench(Explorer):
    """A layout as a grid and as memory. Type another one, or a slice of it; the slider walks over its cells.

    layout  CuTe's print, C++ source, a Layout, or a swizzled layout
    slice   a coordinate with `_`, such as `(2,_)`: only what it keeps is coloured
    color   "row", "column", "offset" or "bank"
    words   what stands in a cell: "offset", "index", "coord" or "both"
    cell    the 1-D coordinate of the cell that is picked out

    >>> LayoutBench("(4,8):(8,1)", cell=19).still().panel("memory").picked()
    [(0, 28)]
    """

    fields = (
        TextField(
            name="layout", label="layout", read=read_any_layout, hint="shape:stride, as CuTe prints it or as C++ source"
        ),
        TextField(
            name="slice",
            label="slice",
            read=read_coordinate,
            hint="a coordinate with _, such as (2,_)",
            may_be_empty=True,
        ),
        ChoiceField(name="color", label="colour by", options=("row", "column", "offset", "bank")),
        ChoiceField(name="words", label="in a cell", options=("offset", "index", "coord", "both")),
        SliderField(name="cell", label="cell", top=lambda v: size(v["layout"]) - 1),
    )

    def __init__(self, layout="(4,8):(8,1)", *, slice="", color="row", words="offset", cell=0):
        super().__init__(layout=layout, slice=slice, color=color, words=words, cell=cell)

    @staticmethod
    def scene(layout, slice, color, words, cell):
        how = {"color": color, "cell": words, "pick": cell}
        return draw_layout(layout, **how) if slice is None else draw_slice(layout, slice, **how)

    @staticmethod
    def facts(layout, **_others):
        if isinstance(layout, Layout) and any(isinstance(d, ScaledBasis) for d in leaves(layout.stride)):
            return f"size {size(layout)} · gives coordinates"
        offsets = layout.offsets().tolist()
        try:
            extent = f"cosize {cosize(layout)}"
        except LayoutError:  # a swizzle that reaches past what CuTe's cosize counts
            extent = f"largest offset {max(offsets)}"
        flat = f" · coalesce(A) = {coalesce(layout)}" if isinstance(layout, Layout) else ""
        return f"size {size(layout)} · {extent} · {mapping_words(offsets)}{flat}"
