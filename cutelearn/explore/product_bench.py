"""Product bench: copies of a layout, in any of the six forms."""

from ..draw import draw_product
from ..draw.tilings import PRODUCTS
from ..layout import cosize, size
from .explorer import Explorer
from .fields import ChoiceField, SliderField, TextField, at_most, read_layout, read_tiler


def product_of(a, b, form):
    """The product, and how many copies of A are in it; LayoutError where it has too many cells to draw."""
    made = PRODUCTS[form](a, b)
    at_most(size(made), f"{form}_product of {a} and {b}")
    return made, size(made) // size(a)


class ProductBench(Explorer):
    """A product coloured by copy, as a grid and as memory. The slider picks a copy.

    a     a layout: the template
    b     a layout: the order of the copies; `<...>` or a shape goes by mode
    form  "logical", "zipped", "tiled", "flat", "blocked" or "raked"
    copy  the number of the copy that is picked out, in B's order

    >>> ProductBench("(2,2):(4,1)", "(4,2):(2,1)", copy=1).still().panel("memory").picked()
    [(0, 8), (0, 9), (0, 12), (0, 13)]
    """

    fields = (
        TextField(name="a", label="A", read=read_layout, hint="the layout to copy"),
        TextField(name="b", label="B", read=read_tiler, hint="a layout: the order of the copies"),
        ChoiceField(name="form", label="form", options=tuple(PRODUCTS)),
        SliderField(name="copy", label="copy", top=lambda v: product_of(v["a"], v["b"], v["form"])[1] - 1),
    )

    def __init__(self, a="(2,2):(4,1)", b="6:1", *, form="logical", copy=0):
        super().__init__(a=a, b=b, form=form, copy=copy)

    @staticmethod
    def scene(a, b, form, copy):
        return draw_product(a, b, form, pick=copy, limit=None)

    @staticmethod
    def facts(a, b, form, copy):
        made, copies = product_of(a, b, form)
        places = len(set(made.offsets().tolist()))
        met = f" · only {places} places: copies overlap" if places < size(made) else ""
        return f"{copies} copies of {size(a)} cells · cosize {cosize(made)}{met}"
