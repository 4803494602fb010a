"""How long pictures take, beside tensor-layouts' on the same input in the same run, each to a file in memory or on disk.

    python -m pytest tests/bench/test_bench_draw.py --benchmark-columns=min,median,rounds --benchmark-group-by=group

tensor-layouts is in the extra `test`; where it is missing its lines are skipped. Nothing here asserts a time: machines
differ, and load does. The sizes of the SVG files are printed beside (`extra_info` in --benchmark-json).
"""

import matplotlib
import pytest

import cutelearn
from cutelearn import Layout, Swizzle
from cutelearn.draw import draw_banks, draw_composition, draw_layout, draw_mma, draw_swizzle, draw_tv
from cutelearn.swizzle import ComposedLayout

SM80 = "SM80_16x8x16_F32F16F16F32_TN"
OURS = {
    "layout 32x32": lambda: draw_layout(Layout((32, 32))),
    "layout 32x32 by offset": lambda: draw_layout(Layout((32, 32)), color="offset"),
    "layout 8x8": lambda: draw_layout(Layout((8, 8), (8, 1)), pick=(2, 3)),
    "mma 16x8x16": lambda: draw_mma(cutelearn.atom(SM80), thread=5),
    "tv 16x8": lambda: draw_tv(cutelearn.atom(SM80).c_layout, (16, 8)),
    "swizzle 8x64": lambda: draw_swizzle(ComposedLayout(Swizzle(3, 3, 3), 0, Layout((8, 64), (64, 1)))),
    "composition": lambda: draw_composition(Layout((4, 6), (6, 1)), Layout((3, 3), (8, 1)), 4),
    "banks": lambda: draw_banks(Layout((32, 32), (32, 1)), lanes=(cutelearn._, 0)),
}


@pytest.mark.parametrize("what", OURS)
def test_cutelearn_svg(benchmark, what):
    benchmark.group = what
    svg = benchmark(lambda: OURS[what]().svg())
    benchmark.extra_info["bytes"] = len(svg)
    print(f"{what}: {len(svg)} bytes")


@pytest.mark.parametrize("what", ["layout 32x32", "mma 16x8x16"])
def test_cutelearn_png_by_matplotlib(benchmark, what, tmp_path):
    benchmark.group = what
    benchmark.pedantic(lambda: OURS[what]().save(tmp_path / "a.png"), rounds=3, warmup_rounds=1)


def theirs(suffix):
    """tensor-layouts' drawings of the same things, to a file."""
    peer = pytest.importorskip("tensor_layouts", reason="tensor-layouts is not installed: pip install tensor-layouts")
    viz = pytest.importorskip("tensor_layouts.viz", reason="tensor_layouts.viz needs matplotlib")
    matplotlib.use("agg")
    atom = cutelearn.atom(SM80)
    a, b, c = (peer.Layout(x.shape, x.stride) for x in (atom.a_layout, atom.b_layout, atom.c_layout))
    grid = peer.Layout((32, 32), (1, 32))
    return {
        "layout 32x32": lambda path: viz.draw_layout(grid, filename=f"{path}{suffix}"),
        "mma 16x8x16": lambda path: viz.draw_mma_layout(a, b, c, filename=f"{path}{suffix}", tile_mnk=(16, 8, 16)),
        "tv 16x8": lambda path: viz.draw_tv_layout(c, filename=f"{path}{suffix}", grid_shape=(16, 8)),
    }


@pytest.mark.parametrize("suffix", [".svg", ".png"])
@pytest.mark.parametrize("what", ["layout 32x32", "mma 16x8x16", "tv 16x8"])
@pytest.mark.filterwarnings("ignore")
def test_tensor_layouts(benchmark, what, suffix, tmp_path):
    benchmark.group = what
    draw = theirs(suffix)[what]
    benchmark.pedantic(lambda: draw(tmp_path / "a"), rounds=3, warmup_rounds=1)
    assert (tmp_path / f"a{suffix}").stat().st_size > 1000
