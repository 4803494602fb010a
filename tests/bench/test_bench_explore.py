"""How long an explorer takes from an entry to its picture, in the kernel alone: reading, drawing and the SVG text.

    python -m pytest tests/bench/test_bench_explore.py --benchmark-columns=min,median,max

What JupyterLab and the browser add, tests/test_browser.py prints. A key to a picture should stay under 150 ms together.
"""

from itertools import cycle

import pytest

from cutelearn.explore import (
    AtomViewer,
    BankBench,
    CompositionBench,
    DivideBench,
    LayoutBench,
    Odometer,
    ProductBench,
    ThreadPicker,
    TiledMMABench,
)

# As a lesson opens it; the slider goes to and fro.
OPENED = {
    LayoutBench: "cell", Odometer: "index", CompositionBench: "i", DivideBench: "tile", ProductBench: "copy",
    ThreadPicker: "thread", AtomViewer: "lane", TiledMMABench: "thread", BankBench: "at",
}  # fmt: skip
# The largest that one meets in the course, or that the explorer takes.
LARGE = [
    (LayoutBench, {"layout": "(64,62):(62,1)"}, "cell"),
    (CompositionBench, {"a": "(64,64):(64,1)", "b": "(64,64):(64,1)"}, "i"),
    (DivideBench, {"a": "(32,32):(32,1)", "tiler": "(8,8)"}, "tile"),
    (DivideBench, {"a": "(64,64):(64,1)", "tiler": "(8,8)"}, "tile"),
    (ProductBench, {"a": "(8,8):(8,1)", "b": "(4,4):(1,4)", "form": "raked"}, "copy"),
    (ThreadPicker, {"tile": "(128,8):(1,128)", "threads": "(32,8):(1,32)"}, "thread"),
    (ThreadPicker, {"tile": "(128,8):(1,128)", "threads": "(16,16):(1,16)", "step": "Step<1,X>"}, "thread"),
    (AtomViewer, {"atom": "SM90_64x256x16_F32F16F16_SS<K,K>"}, "lane"),
    (TiledMMABench, {"atom": "SM80_16x8x16_F32F16F16F32_TN", "atoms": "(2,2)", "permutation": "(32,32,16)"}, "thread"),
    (
        TiledMMABench,
        {"atom": "SM80_16x8x16_F32F16F16F32_TN", "atoms": "(4,4)", "permutation": "(128,128,16)"},
        "thread",
    ),
    (BankBench, {"layout": "(32,32):(32,1)", "beside": "Sw<5,0,5> o 0 o (32,32):(32,1)"}, "at"),
]


def moving(explorer, name):
    """A function that enters another number each time, and gives the picture."""
    numbers = cycle([1, 0])
    return lambda: explorer.change(name, next(numbers)).svg


@pytest.mark.parametrize("kind", OPENED, ids=lambda kind: kind.__name__)
@pytest.mark.benchmark(group="explore: slider")
def test_slider(benchmark, kind):
    assert benchmark(moving(kind(), OPENED[kind]))


@pytest.mark.parametrize(
    ("kind", "entries", "name"), LARGE, ids=lambda x: " ".join(x.values()) if isinstance(x, dict) else None
)
@pytest.mark.benchmark(group="explore: slider, large")
def test_slider_large(benchmark, kind, entries, name):
    assert benchmark(moving(kind(**entries), name))


@pytest.mark.parametrize("kind", OPENED, ids=lambda kind: kind.__name__)
@pytest.mark.benchmark(group="explore: bad entry")
def test_bad_entry(benchmark, kind):
    explorer = kind()
    name = kind.fields[0].name
    texts = cycle([explorer.shown.entries[name] + "(", explorer.shown.entries[name] + ")"])
    assert benchmark(lambda: explorer.change(name, next(texts)).message)


@pytest.mark.parametrize("kind", OPENED, ids=lambda kind: kind.__name__)
@pytest.mark.benchmark(group="explore: opened, with its widgets")
def test_opening(benchmark, kind):
    assert benchmark(lambda: kind()._repr_mimebundle_())
