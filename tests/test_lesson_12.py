"""Lesson 12: what its prose says, where no output shows it; and the rooms of `cutelearn.kernels` that it stands on."""

import json
import re
import threading
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from cutelearn import Layout, LayoutError, copy_atom, make_identity_tensor, make_tiled_copy, size
from cutelearn.course.chapters import ch12
from cutelearn.course.exercises import verdict
from cutelearn.course.guard import OutOfTime, limited
from cutelearn.course.questions import question
from cutelearn.draw.kernels import multistage_events, sgemm_1_events, sgemm_2_events
from cutelearn.explore import TimelineBench
from cutelearn.kernels.bench import ladder, recorded, shown_case, where
from cutelearn.kernels.changes import changes
from cutelearn.kernels.launch import STAGES, plan_gemm
from cutelearn.kernels.pipelined import make_pipelined
from cutelearn.kernels.sgemm_1 import make_sgemm_1
from cutelearn.kernels.sgemm_2 import make_copy, make_mma, make_sgemm_2
from cutelearn.kernels.stage import k_major, mn_major
from cutelearn.kernels.trace import main_loop_events, walk
from cutelearn.kernels.trial import SMALL, in_turns, matrices, try_kernel

from numba import cuda  # isort: skip (after cutelearn.kernels, which switches the simulator on)

ROOT = Path(__file__).resolve().parent.parent
CELLS = json.loads((ROOT / "notebooks/12-sgemm-2.ipynb").read_text("utf-8"))["cells"]
PROSE = {
    cell["id"].removeprefix("12-sgemm-2-"): " ".join("".join(cell["source"]).split())
    for cell in CELLS
    if cell["cell_type"] == "markdown"
}
OUTPUT = {
    cell["id"].removeprefix("12-sgemm-2-"): "".join("".join(o.get("text", "")) for o in cell["outputs"])
    for cell in CELLS
    if cell["cell_type"] == "code"
}
TILING = STAGES["sgemm_2"].tiling


def rounded(events):
    return [(e.lane, round(e.start, 3), round(e.length, 3), e.words, e.tile) for e in events]


# ------------------------------------------------------------------------------------------------ the rooms


@pytest.mark.parametrize("n", [1, 2, 5])
def test_the_timelines_of_draw_are_those_of_the_kernels(n):
    for load in (1, 3, 9):
        assert rounded(main_loop_events("sgemm_1", n, load=load)) == rounded(sgemm_1_events(n, load=load))
        assert rounded(main_loop_events("sgemm_2", n, load=load)) == rounded(sgemm_2_events(n, load=load))
        pipe = STAGES["pipelined"].tiling.pipe
        theirs = multistage_events(n, pipe, load=load, math=3)
        assert rounded(main_loop_events("pipelined", n, load=load, math=3)) == rounded(theirs)


def test_a_walk_says_what_a_kernel_makes():
    way = walk(make_sgemm_2(mn_major, mn_major, TILING), TILING, 4, thread=33)
    assert way.barriers == 8
    assert way.tensors["tAgA"].shape == ((4, 1), 1, 1, 4)
    assert [a.what for a in way.actions[:3]] == ["copy", "copy", "barrier"]
    with pytest.raises(LayoutError, match="say tiling"):
        main_loop_events(make_sgemm_2)


def test_threads_in_turns_find_a_missing_barrier():
    from cutelearn.course.chapters.kernels12 import make_loop

    A, B = matrices(16, 8, 12)
    for how in ({"first": False}, {"second": False}):
        kernel = make_loop(**how)(mn_major, mn_major, SMALL)
        assert not np.array_equal(in_turns(kernel, SMALL, A, B, range(8)), A @ B.T)
    right = make_loop()(mn_major, mn_major, SMALL)
    for order in (range(8), [3, 1, 7, 0, 2, 6, 5, 4]):
        assert np.array_equal(in_turns(right, SMALL, A, B, order), A @ B.T)
    with pytest.raises(LayoutError, match="no multiple of the tile"):
        try_kernel(make_sgemm_2, 17, 8, 4)


def _loops_for_ever(dA, dB, tiling):
    def kernel(M, N, K, alpha, A, ldA, B, ldB, beta, C, ldC):
        while cuda.threadIdx.x == 3:
            pass
        cuda.syncthreads()

    return kernel


ENDLESS = {
    "simulator": lambda: try_kernel(_loops_for_ever, 16, 8, 4),
    "in turns": lambda: in_turns(_loops_for_ever(*[mn_major] * 2, SMALL), SMALL, *matrices(16, 8, 4), range(8)),
}


@pytest.mark.filterwarnings(
    "ignore::pytest.PytestUnhandledThreadExceptionWarning"
)  # SystemExit ends a thread without a word
@pytest.mark.parametrize("run", ENDLESS.values(), ids=ENDLESS)
def test_an_endless_kernel_leaves_no_thread_behind(run):
    before = set(threading.enumerate())
    with pytest.raises(OutOfTime):
        limited(run, 0.5)
    for thread in set(threading.enumerate()) - before:
        thread.join(10)
        assert not thread.is_alive()


def test_one_barrier_too_few_is_told_with_one_tile_and_with_two():
    from cutelearn.course.chapters import functions12, kernels12

    one, told = functions12.ONE_BARRIER, set()
    for make in (kernels12.make_two_tiles(first=True, second=False), kernels12.make_loop(second=False)):
        found = verdict(one, lambda *problem, make=make: try_kernel(make, *problem))
        assert found.known
        told.add(found.sentence)
    assert len(told) == 1


def test_changes_are_those_of_the_sources():
    assert changes(make_sgemm_2, make_sgemm_2) == ""
    said = changes(make_sgemm_1, make_sgemm_2, 6)
    assert said.startswith("6. ")
    assert "  +     copy(tArA, tAsA)" in said
    assert "tiling" not in said


# ------------------------------------------------------------------------------------------------ the lesson


def test_the_two_diffs_are_short():
    first = OUTPUT["registers-run"].split("every order")[0].rstrip().split("\n")
    assert len(first) <= 20
    assert {line[0] for line in first if not line.startswith("  ")} == {"4", "6"}
    assert "gives the same: True" in OUTPUT["registers-run"]


def test_copies_of_the_lesson():
    assert "touches 16 sectors" in OUTPUT["copies-code"]
    assert "16 sectors of 32 bytes, all of them used" in PROSE["mma"]
    tiled = make_copy(k_major, TILING)
    atom = copy_atom("UniversalCopy<uint128_t>", "float")
    assert tiled == make_tiled_copy(atom, question("12.p5").answer, Layout((1, 4), (4, 1)))
    thr = make_mma(TILING).get_slice(33)
    rows = [m for m, k in thr.partition_A(make_identity_tensor((128, 8))) if k == 0]
    assert rows == question("12.p7").answer
    assert (
        make_mma(TILING).permutation[0] == Layout((16, 4), (4, 1)) if hasattr(make_mma(TILING), "permutation") else True
    )


def test_instructions_are_as_predicted():
    lines = dict(re.findall(r"^(\S+) +sgemm_1 +\d+ +sgemm_2 +(\d+)", OUTPUT["ptx-code"], flags=re.M))
    assert int(lines["ld.global.v4.f32"]) == question("12.p9").answer
    assert int(lines["ld.shared.v4.f32"]) == question("12.p10").answer
    assert int(lines["bar.sync"]) == question("12.p2").answer
    assert lines["ld.global.f32"] == lines["ld.shared.f32"] == "0"
    before = dict(re.findall(r"^(\S+) +sgemm_1 +(\d+)", OUTPUT["ptx-code"], flags=re.M))
    assert (before["ld.global.f32"], before["ld.shared.f32"], before["fma.rn.f32"]) == ("8", "128", "512")
    assert lines["fma.rn.f32"] == "512"


def test_sizes():
    assert f"[0, 0, {question('12.p11').answer}, 14336]" in OUTPUT["sizes-code"]


def test_the_launcher_looks():
    """Predicates where tiles do not divide; a narrower copy where a matrix is not made of aligned fours."""
    for (M, N, K), predicates, vector in (((16, 8, 8), False, 4), ((20, 8, 8), True, 4), ((17, 8, 8), True, 1)):
        A, B = matrices(M, N, K)
        plan = plan_gemm(A, B, np.zeros((M, N), np.float32, order="F"), stage="sgemm_2", tiling=SMALL)
        assert (not plan.aligned, plan.vector) == (predicates, vector)


def test_the_ladder_is_the_record():
    report = recorded()
    shown = ladder(report)
    assert shown.table in OUTPUT["bought-code"] or where(report.provenance) in shown.table
    rows = [r for r in report.rows if r.case == shown_case(report)]
    assert all(f"{r.tflops:.2f}" in shown.table for r in rows)
    assert "cuBLAS" in shown.svg
    assert re.search(r"<title>TFLOP/s", shown.svg)
    drawn = next(c for c in CELLS if c["id"].endswith("-bought-code"))["outputs"][-1]["data"]
    assert "".join(drawn["text/plain"]) == shown.table
    assert not re.search(r"\d+\.\d+ ?TFLOP|\d+ ?%", " ".join(PROSE.values()))  # numbers of a day stand in outputs


def test_pipelined_needs_one_barrier_a_tile():
    stage = STAGES["pipelined"]
    assert (
        walk(make_pipelined(mn_major, mn_major, stage.tiling), stage.tiling, 5).barriers
        == 5 * question("12.p12").answer
    )
    events = [e for e in main_loop_events("pipelined", 5, load=6) if e.lane == "gemm" and e.tile is not None]
    gaps = [round(b.start - a.start - a.length, 6) for a, b in pairwise(events)]
    assert set(gaps) == {0.3}  # a barrier, and no waiting, after the first tile
    assert "never wait after the first tile" in PROSE["warp-tiled"]


def test_what_the_bench_shows():
    def units(loop, load):
        return float(TimelineBench(loop, load=load).still().note.split()[0])

    assert [round(units("sgemm_2", x + 1) - units("sgemm_2", x), 1) for x in (1, 2, 3)] == [1, 1, 1]
    assert [round(units("sgemm_2", x + 1) - units("sgemm_2", x), 1) for x in (5, 6, 7)] == [4, 4, 4]
    assert [round(units("sgemm_1", x + 1) - units("sgemm_1", x), 1) for x in (1, 5)] == [4, 4]
    assert units("ring of 2", 8) > units("ring of 3", 8) == units("ring of 4", 8) == 25.2
    assert "A ring of 3 takes 25.2 units" in PROSE["bench"]


def test_c_plus_plus_is_parsed():
    assert Layout.parse("Layout<Shape<_32,_8>>{}") == Layout((32, 8))
    assert size(Layout.parse("Layout<Shape<_16,_16,_1>>{}")) == TILING.threads


# ------------------------------------------------------------------------------------------------ the exercises


def test_exercises_stand_on_the_library():
    text = (ROOT / "solutions/12-sgemm-2.ipynb").read_text("utf-8")
    for name in ("gmem", "smem", "thread"):
        assert f'\\"{name}\\": {ch12.OWNERS[name]}' in text
    assert Layout.parse("make_layout(make_shape(Int<128>{}, Int<8>{}), make_stride(Int<1>{}, Int<129>{}))") == ch12.S9
    assert ch12.A9(140, 44) == ch12.LINES["gmem"] == 9004
    assert ch12.LINES["last"] == 64 // 8 - 1
    assert [
        ch12._kernel_says("first", False),
        ch12._kernel_says("second", False),
        ch12._kernel_says("second", True),
    ] == [[0], [7], [0]]


def test_a_tiling_of_ones_own_is_shown():
    shown = ch12._view_own({"cta": (128, 64, 16), "copy": (16, 8), "math": (16, 8)})
    assert re.search(r"^flop for each byte from gmem +21\.33 +32$", shown, flags=re.M)
    assert "nothing to see yet" in ch12._view_own({"cta": (8, 8, 8), "copy": (32, 8), "math": (16, 16)})
