"""How long the algebra takes, beside tensor-layouts and pycute on the same inputs in the same run. Checks are on.

    python -m pytest tests/bench --benchmark-columns=min,median,ops --benchmark-group-by=group

tensor-layouts is in the extra `test`. pycute lies inside another package and comes without what that package needs:

    pip install --no-deps nvidia-cutlass==4.2.0.0

A library that is not there is skipped by name. Nothing here asserts a time: machines differ, and load does.
"""

import importlib
import subprocess
import sys

import pytest

import cutelearn

LIBRARIES = ("cutelearn", "tensor_layouts", "pycute")
COMPOSE = {"tensor_layouts": "compose"}


def library(name):
    return pytest.importorskip(name, reason=f"{name} is not installed; the file says how")


@pytest.fixture(params=LIBRARIES)
def lib(request):
    return library(request.param)


def layout(lib, text):
    """Every library's Layout from one text."""
    read = cutelearn.Layout.parse(text)
    return lib.Layout(read.shape, read.stride)


def tiler(lib, texts):
    layouts = tuple(layout(lib, text) for text in texts)
    return lib.Tile(*layouts) if lib.__name__ == "tensor_layouts" else layouts


def function(lib, name):
    """The operation, or a skip where the library has none."""
    name = COMPOSE.get(lib.__name__, name) if name == "composition" else name
    on_layouts = lib.__name__ != "pycute" or name != "flatten"  # pycute flattens tuples only
    if not (hasattr(lib, name) and on_layouts):
        pytest.skip(f"{lib.__name__} has no {name}")
    return getattr(lib, name)


ONE = {
    "coalesce": "((2,4),(1,6),(3,2)):((1,2),(7,8),(48,144))",
    "coalesce-nothing-merges": "(2,3,4):(12,4,1)",
    "right_inverse": "(2,4,6):(4,1,8)",
    "left_inverse": "(2,4,6):(4,1,8)",
    "flatten": "((2,4),((1,6),3),2):((1,2),((7,8),48),144)",
}
TWO = {
    "composition": ("(20):(2)", "(5,4):(4,1)"),
    "composition-rank-3": ("((4,2),(3,4),8):((1,4),(8,24),96)", "(4,6,8):(2,8,96)"),
    "composition-nested": ("(8,(4,4),16):(64,(1,16),512)", "((4,2),(16,4)):((1,4),(8,128))"),
    "logical_divide": ("(4,2,3):(2,1,8)", "4:2"),
    "logical_product": ("(2,2):(4,1)", "(4,2):(2,1)"),
    "blocked_product": ("(2,5):(5,1)", "(3,4):(1,3)"),
    "raked_product": ("(2,5):(5,1)", "(3,4):(1,3)"),
}
BY_MODE = ("(9,(4,8)):(59,(13,1))", ("3:3", "(2,4):(1,8)"))


def run(benchmark, group, function, *args):
    benchmark.group = group
    return benchmark(function, *args)


def test_construct(benchmark, lib):
    make = lib.Layout
    run(benchmark, "construct", lambda: make((4, 8), (1, 4)))


def test_construct_nested(benchmark, lib):
    make = lib.Layout
    run(benchmark, "construct nested", lambda: make(((4, 8), (2, (2, 2))), ((32, 1), (16, (8, 256)))))


def test_sweep(benchmark, lib):
    a = layout(lib, "(64,64):(64,1)")
    run(benchmark, "sweep 64x64", lambda: [a(i, j) for i in range(64) for j in range(64)])


def test_sweep_nested(benchmark, lib):
    a = layout(lib, "((8,8),(8,8)):((8,512),(1,64))")
    run(benchmark, "sweep 64x64 nested", lambda: [a(i, j) for i in range(64) for j in range(64)])


def test_all_offsets(benchmark, lib):
    a = layout(lib, "((8,8),(8,8)):((8,512),(1,64))")
    run(benchmark, "all 4096 offsets", a.offsets if lib is cutelearn else lambda: [a(i) for i in range(4096)])


@pytest.mark.parametrize("case", ONE)
def test_one(benchmark, lib, case):
    run(benchmark, case, function(lib, case.split("-")[0]), layout(lib, ONE[case]))


@pytest.mark.parametrize("case", TWO)
def test_two(benchmark, lib, case):
    A, B = TWO[case]
    run(benchmark, case, function(lib, case.split("-")[0]), layout(lib, A), layout(lib, B))


def test_complement(benchmark, lib):
    run(benchmark, "complement", function(lib, "complement"), layout(lib, "(2,2):(1,6)"), 24)


@pytest.mark.parametrize("form", ["logical", "zipped", "tiled", "flat"])
def test_divide_2d(benchmark, lib, form):
    divide = function(lib, f"{form}_divide")
    run(benchmark, f"{form}_divide 2-D", divide, layout(lib, BY_MODE[0]), tiler(lib, BY_MODE[1]))


@pytest.mark.parametrize("module", [None, "cutelearn", "tensor_layouts", "pycute"])
def test_import(benchmark, module):
    """A whole interpreter with nothing but this import; None is the bare interpreter."""
    if module:
        library(module)
    code = f"import {module}" if module else "pass"
    benchmark.group = "import"
    benchmark.pedantic(lambda: subprocess.run([sys.executable, "-c", code], check=True), rounds=15, warmup_rounds=2)


def test_import_of_the_core(benchmark):
    """With a name of every core room, so that each of them is loaded."""
    importlib.import_module("cutelearn.swizzle")
    code = "from cutelearn import Layout, composition, logical_divide, recast, Swizzle"
    benchmark.group = "import"
    benchmark.pedantic(lambda: subprocess.run([sys.executable, "-c", code], check=True), rounds=15, warmup_rounds=2)
