"""Odometer: count through the coordinates of a shape and see the digits turn, the leftmost fastest."""

from ..draw import draw_odometer
from ..htuple import idx2crd, leaves, product, text
from ..layout import Layout
from ..parse import parse_tuple
from .explorer import Explorer
from .fields import SliderField, TextField, at_most


def _read(source):
    """A shape, or a layout: then the offsets are shown too."""
    return Layout.parse(source) if ":" in source or "Layout" in source else Layout(parse_tuple(source)).shape


def _shape(counted):
    return counted.shape if isinstance(counted, Layout) else counted


def _count(counted) -> int:
    n = product(_shape(counted))
    at_most(n, text(_shape(counted)), 10**9)  # it draws any, but no slider is so long
    return n


class Odometer(Explorer):
    """The digits of a nested coordinate as wheels; the slider counts.

    shape  a shape such as `(3,(2,3))`, or a layout
    index  the 1-D coordinate

    >>> Odometer("(3,(2,3))", index=13).still().title
    '13 in (3,(2,3)) is (1,(0,2))'
    """

    fields = (
        TextField(name="shape", label="shape", read=_read, hint="a shape such as (3,(2,3)), or a layout"),
        SliderField(name="index", label="index", top=lambda v: _count(v["shape"]) - 1),
    )

    def __init__(self, shape="(3,(2,3))", *, index=None):
        super().__init__(
            shape=shape,
            index=index if index is not None else 13 if isinstance(shape, str) and shape == "(3,(2,3))" else 0,
        )

    @staticmethod
    def scene(shape, index):
        return draw_odometer(shape, index)

    @staticmethod
    def facts(shape, index):
        natural = idx2crd(index, _shape(shape))
        digits = len(leaves(_shape(shape)))
        return f"{product(_shape(shape))} coordinates · {digits} digits · {index} is {text(natural)}"
