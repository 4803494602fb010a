"""Bank bench: which lanes of a warp meet in a bank of shared memory, for a layout and for another beside it."""

from ..draw import draw_banks
from ..draw.banks import lane_offsets
from ..htuple import LayoutError
from ..layout import rank, size
from .explorer import Explorer
from .fields import ChoiceField, SliderField, TextField, read_any_layout, read_layout

COLUMN, ROW, MAP = "go down a column", "go along a row", "take what a layout says"
BITS = ("8", "16", "32", "64", "128")
VECTORS = ("1", "2", "4", "8", "16")


def _lanes(layout, walk, at, taken, vector) -> list:
    """The coordinate that each lane takes, at most 32 of them."""
    lane_offsets(layout, [0])  # refuses what gives coordinates, not places in memory
    if walk == MAP:
        return [taken(k) for k in range(size(taken))]
    if rank(layout) != 2:
        raise LayoutError(
            f"{layout} has rank {rank(layout)}: columns and rows are those of two modes, such as (32,32):(32,1)"
        )
    step = vector if _is_along(layout, walk) else 1
    extent = size(layout, 0 if walk == COLUMN else 1)
    if (n := extent // step) == 0:
        raise LayoutError(f"a lane takes {vector} neighbours, and {layout} has only {extent} on this way")
    return [(k * step, at) if walk == COLUMN else (at, k * step) for k in range(min(n, 32))]


def _is_along(layout, walk) -> bool:
    """Whether the lanes walk in the direction in which neighbours are contiguous, so that a vector spans several steps."""
    start, one = layout(0, 0), layout(1, 0) if walk == COLUMN else layout(0, 1)
    return size(layout, 0 if walk == COLUMN else 1) > 1 and one - start == 1


def _top(v) -> int:
    if v["walk"] == MAP or rank(v["layout"]) != 2:
        return 0
    return size(v["layout"], 1 if v["walk"] == COLUMN else 0) - 1


class BankBench(Explorer):
    """One access of a warp to shared memory: banks across, wavefronts down, lanes in the cells.

    layout   a layout in shared memory, in elements; it may be swizzled
    beside   another one to compare with: padded, or swizzled
    walk     "go down a column", "go along a row", "take what a layout says"
    taken    for the last: a layout lane -> 1-D coordinate
    bits     of an element; `vector` neighbours make one access of a lane
    at       which column or row

    >>> [p.aside for p in BankBench("(32,32):(32,1)", "(32,32):(33,1)").still().panels]
    ['32 wavefronts, not 1: 32-way conflict', '1 wavefront: no conflict']
    """

    fields = (
        TextField(name="layout", label="layout", read=read_any_layout, hint="in shared memory, offsets in elements"),
        TextField(
            name="beside",
            label="compared with",
            read=read_any_layout,
            hint="padded, or swizzled: Sw<5,0,5> o 0 o (32,32):(32,1)",
            may_be_empty=True,
        ),
        TextField(
            name="taken",
            label="lanes",
            read=read_layout,
            hint="lane to 1-D coordinate, such as 32:1",
            when=lambda e: e["walk"] == MAP,
        ),
        ChoiceField(name="walk", label="lanes", options=(COLUMN, ROW, MAP)),
        ChoiceField(name="bits", label="bits of an element", options=BITS),
        ChoiceField(name="vector", label="elements a lane", options=VECTORS),
        SliderField(name="at", label="column or row", when=lambda e: e["walk"] != MAP, top=_top),
    )

    def __init__(
        self, layout="(32,32):(32,1)", beside="(32,32):(33,1)", *, walk=COLUMN, taken="32:1", bits=32, vector=1, at=0
    ):
        super().__init__(layout=layout, beside=beside, walk=walk, taken=taken, bits=bits, vector=vector, at=at)

    @staticmethod
    def scene(layout, beside, taken, walk, bits, vector, at):
        layouts = [layout] if beside is None else [layout, beside]
        lanes = _lanes(layout, walk, at, taken, int(vector))
        for other in layouts:
            if (last := max(lane_offsets(other, lanes))) * int(bits) // 8 > 1 << 20:
                raise LayoutError(f"{other} reaches element {last}: shared memory has no megabyte")
        return draw_banks(
            *layouts, lanes=lanes, element=int(bits), vector=int(vector), title=_title(lanes, walk, at, taken)
        )

    @staticmethod
    def facts(layout, beside, taken, walk, bits, vector, at):
        lanes = _lanes(layout, walk, at, taken, int(vector))
        return f"{len(lanes)} lanes of {int(bits) * int(vector)} bits each"


def _title(lanes, walk, at, taken) -> str:
    where = f"(_,{at})" if walk == COLUMN else f"({at},_)" if walk == ROW else str(taken)
    return f"{len(lanes)} lanes at {where}"
