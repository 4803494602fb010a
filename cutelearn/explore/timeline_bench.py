"""Timeline bench: how long the parts of a GEMM's main loop take, and what then hides behind what."""

from ..draw import draw_timeline
from ..draw.kernels import multistage_events, sgemm_1_events, sgemm_2_events
from .explorer import Explorer
from .fields import ChoiceField, SliderField

TILES, LONGEST = 4, 12
LOOPS = ("sgemm_1", "sgemm_2", "ring of 2", "ring of 3", "ring of 4")


def events_of(loop, load, store, math) -> list:
    """The events of a loop; what takes no time is not among them."""
    if loop == "sgemm_1":
        events = sgemm_1_events(TILES, load=load, math=math)
    elif loop == "sgemm_2":
        events = sgemm_2_events(TILES, load=load, store=store, math=math)
    else:
        events = multistage_events(TILES, stages=int(loop.split()[-1]), load=load, math=math)
    return [event for event in events if event.length]


class TimelineBench(Explorer):
    """A main loop over time: copies and products of four tiles. The sliders say how many units of time a part takes.

    loop   "sgemm_1", "sgemm_2", or "ring of 2", 3 or 4: cp.async into so many tiles of shared memory, as in pipelined
    load   a tile's way from global memory
    store  its way from registers to shared memory, in sgemm_2
    math   its products

    >>> TimelineBench("sgemm_2", load=3, store=1, math=4).still().note
    '25.1 units for 4 tiles; gemm at work 64%'
    """

    fields = (
        ChoiceField(name="loop", label="main loop", options=LOOPS),
        SliderField(name="load", label="load", top=lambda _values: LONGEST),
        SliderField(name="store", label="store", top=lambda _values: LONGEST, when=lambda v: v["loop"] == "sgemm_2"),
        SliderField(name="math", label="math", top=lambda _values: LONGEST),
    )

    def __init__(self, loop="sgemm_2", *, load=3, store=1, math=4):
        super().__init__(loop=loop, load=load, store=store, math=math)

    @staticmethod
    def scene(loop, load, store, math):
        return draw_timeline(events_of(loop, load, store, math), TILES, title=loop)

    @staticmethod
    def facts(loop, load, store, math):
        middle = f" · store {store}" if loop == "sgemm_2" else ""
        return f"load {load}{middle} · math {math} · barrier 0.3"
