"""CTA grids and timelines: nothing happens before what it waits for."""

# ruff: noqa: RUF001 (pictures use the sign ×)

from itertools import pairwise

import pytest

from cutelearn import LayoutError
from cutelearn.draw import Event, draw_bars, draw_ctas, draw_timeline
from cutelearn.draw.kernels import TIMELINES, multistage_events, sgemm_1_events, sgemm_2_events


def test_a_cta_takes_its_row_of_a_and_its_column_of_b():
    scene = draw_ctas((1024, 640, 64), (128, 128, 16), cta=(2, 3))
    assert scene.panel("A").picked() == [(2, k) for k in range(4)]
    assert scene.panel("B").picked() == [(k, 3) for k in range(4)]
    assert scene.panel("C").picked() == [(2, 3)]
    assert scene.note == "8 × 5 CTAs of 128×128, 4 steps of 16 along k"
    assert scene.panel("C").at(2, 3).lines == ("(2,3)",)
    assert scene.panel("A").axis("top").at(3) == "48"
    assert [a.name for x in "ABC" for a in scene.panel(x).axes] == ["m", "k", "k", "n", "m", "n"]
    step = draw_ctas((256, 256, 32), (128, 128, 8), cta=(1, 0), k=2)
    assert step.panel("A").picked() == [(1, 2)]
    assert step.panel("B").picked() == [(2, 0)]


def test_ragged_tiles_are_hatched():
    c = draw_ctas((1000, 700, 64), (128, 128, 16)).panel("C")
    assert [(x.row, x.col) for x in c.cells if x.hatch] == [
        (i, j) for i in range(8) for j in range(6) if i == 7 or j == 5
    ]
    with pytest.raises(LayoutError, match="the grid is 8 × 6"):
        draw_ctas((1000, 700, 64), (128, 128, 16), cta=(8, 0))


def test_many_ctas_are_cut():
    scene = draw_ctas((8192, 8192, 512), (128, 128, 16))
    assert "limit=None" in scene.note
    assert len(scene.panel("C").cells) <= 400


def by_tile(events):
    """tile -> the events of it, in time: its copies, then its gemm."""
    out = {}
    for e in events:
        if e.tile is not None:
            out.setdefault(e.tile, []).append(e)
    return out


@pytest.mark.parametrize("maker", [sgemm_1_events, sgemm_2_events, multistage_events])
@pytest.mark.parametrize("times", [{}, {"load": 9}, {"math": 9}])
def test_a_tile_is_copied_before_it_is_multiplied_and_lanes_do_one_thing_at_a_time(maker, times):
    events = maker(6, **times)
    tiles = by_tile(events)
    assert sorted(tiles) == list(range(6))
    for own in tiles.values():
        for first, then in pairwise(own):
            assert first.start + first.length <= then.start + 1e-6
        assert own[-1].lane == "gemm"
    for lane in {e.lane for e in events}:
        busy = sorted((e.start, e.start + e.length) for e in events if e.lane == lane)
        assert all(a[1] <= b[0] + 1e-6 for a, b in pairwise(busy))


def test_sgemm_2_loads_the_next_tile_while_it_multiplies():
    tiles = by_tile(sgemm_2_events(4))
    for k in range(3):
        load, gemm = tiles[k + 1][0], tiles[k][-1]
        assert load.start == gemm.start
    assert all(a.lane == "gmem → rmem" and b.lane == "rmem → smem" for a, b, _c in tiles.values())
    ends = {name: max(e.start + e.length for e in make(8)) for name, make in TIMELINES.items()}
    assert ends["sgemm_2"] < ends["sgemm_1"]


def test_a_barrier_stands_between_the_use_of_a_buffer_and_its_next_filling():
    events = sgemm_1_events(4)
    barriers = [e.start for e in events if e.tile is None]
    tiles = by_tile(events)
    for k in range(3):
        done, refill = tiles[k][-1], tiles[k + 1][0]
        assert any(done.start + done.length <= b <= refill.start for b in barriers)


@pytest.mark.parametrize("stages", [2, 3, 5])
def test_a_stage_is_filled_again_only_after_its_tile_was_multiplied(stages):
    tiles = by_tile(multistage_events(9, stages))
    for k in range(9 - stages):
        assert tiles[k + stages][0].lane == tiles[k][0].lane
        assert tiles[k + stages][0].start >= tiles[k][-1].start + tiles[k][-1].length
    with pytest.raises(LayoutError, match="2 stages or more"):
        multistage_events(4, 1)


def test_a_timeline_shows_its_events():
    scene = draw_timeline("sgemm_2", 3, load=5)
    panel = scene.panel("time")
    events = sgemm_2_events(3, load=5)
    shown = {(c.col, c.cols, c.key) for c in panel.cells}
    assert shown == {(e.start, e.length, "barrier" if e.tile is None else f"k{e.tile}") for e in events}
    assert [panel.axis("left").at(r) for r in range(3)] == ["gmem → rmem", "rmem → smem", "gemm"]
    own = draw_timeline([Event("a", 0, 2, "x", 0), Event("b", 2, 1, "y", 0)])
    assert [c.lines for c in own.panel("time").cells] == [("x",), ("y",)]
    with pytest.raises(LayoutError, match="none of sgemm_1, sgemm_2, multistage"):
        draw_timeline("sgemm_3")


def test_bars_are_as_long_as_their_numbers():
    scene = draw_bars([("naive", 3), ("sgemm_1", 34.5)], unit="TFLOP/s", pick="sgemm_1")
    bars = [c for c in scene.panel("bars").cells if c.key]
    assert [(c.row, c.col, c.cols, c.picked) for c in bars] == [(0.15, 0, 3, False), (1.15, 0, 34.5, True)]
    assert scene.panel("bars").axis("left").at(1) == "sgemm_1"
    assert "sgemm_1 34.5 TFLOP/s" in scene.table()
    for values in ([], {"a": -1}, {"a": "fast"}, {"a": 0}, {"a": True}):
        with pytest.raises(LayoutError, match="draw_bars"):
            draw_bars(values)
