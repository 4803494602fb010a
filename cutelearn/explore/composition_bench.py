"""Composition bench: A, B and R = A o B, and one index walked through them."""

from ..algebra import composition
from ..draw import draw_composition, draw_layout, palette, stack
from ..draw.grids import tiler_text
from ..draw.layouts import walk_of
from ..htuple import idx2crd
from ..layout import crd2idx, size
from .explorer import Explorer
from .fields import ChoiceField, SliderField, TextField, at_most, read_layout, read_tiler

CHECKED, UNCHECKED = "right, or refused", "CuTe's (check=False)"


def _places(a, walk, i):
    """A's own cells beside its memory: those that B picks are coloured in B's order, and numbered."""
    order = {}
    for k, index in enumerate(walk):
        order.setdefault(index, k)
    last = max(len(walk) - 1, 1)

    def number(coord):
        return order.get(crd2idx(coord, a.shape))

    def color(coord, _offset):
        k = number(coord)
        return None if k is None else palette.ramp(k * 15 // last / 15)

    def words(coord, offset):
        k = number(coord)
        return (str(offset),) if k is None else (f"{k}", f"{offset}")

    inside = 0 <= walk[i] < size(a)
    return draw_layout(
        a,
        color=color,
        cell=words,
        pick=idx2crd(walk[i], a.shape) if inside else None,
        title=f"A = {a}",
        note="" if inside else f"coordinate {walk[i]} is beyond the size of A, {size(a)}",
    )


def _composed(a, b, check):
    r = composition(a, b, check=check == CHECKED)
    at_most(size(r), f"R = {r}")
    return r


class CompositionBench(Explorer):
    """R(i) = A(B(i)): three boxes with one walk through them, and A with its memory, where B's cells are numbered.

    a, b   layouts; b may also be a tiler such as `(2,4)` or `<2:4,4:2>`, which goes mode by mode
    i      the index that is walked
    check  "right, or refused", or "CuTe's (check=False)": what CuTe itself gives, right or not

    >>> CompositionBench("(4,6):(6,1)", "(3,3):(8,1)", i=4).still().panel("address").at(4, 0).lines
    ('8',)
    """

    fields = (
        TextField(name="a", label="A", read=read_layout, hint="turns coordinates into addresses"),
        TextField(
            name="b",
            label="B",
            read=read_tiler,
            hint="makes coordinates of A: a layout is one walk, a tuple goes by mode",
        ),
        ChoiceField(name="check", label="R is", options=(CHECKED, UNCHECKED)),
        SliderField(name="i", label="i", top=lambda v: size(_composed(v["a"], v["b"], v["check"])) - 1),
    )

    def __init__(self, a="(4,6):(6,1)", b="(3,3):(8,1)", *, i=0, check=CHECKED):
        super().__init__(a=a, b=b, i=i, check=check)

    @staticmethod
    def scene(a, b, check, i):
        boxes = draw_composition(a, b, i, check=check == CHECKED, limit=12)
        places = _places(a, walk_of(a, b), i)
        return stack(boxes, places, title=f"{a} ∘ {tiler_text(b)}")

    @staticmethod
    def facts(a, b, check, i):
        r = _composed(a, b, check)
        wrong = 0 if check == CHECKED else sum(r(k) != a(c) for k, c in enumerate(walk_of(a, b)))
        how = "B goes mode by mode" if isinstance(b, tuple) else "B is one walk through the 1-D coordinates of A"
        truth = f" · wrong at {wrong} of {size(r)} indices" if wrong else ""
        return f"R = {r} · {how}{truth}"
