"""Lesson 15: what its prose says, where no output shows it: against the record, brute force, and compiled kernels."""

# ruff: noqa: RUF001 (the prose has the sign ×)

import ast
import json
import re
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from cutelearn import Layout, bank_conflicts, make_identity_tensor, right_inverse, size
from cutelearn.course.chapters import ch15, functions15, quiz15
from cutelearn.course.exercises import exercise, verdict
from cutelearn.course.questions import question
from cutelearn.draw.kernels import multistage_events
from cutelearn.explore import TimelineBench
from cutelearn.kernels import compile_stage
from cutelearn.kernels.bench import intensity, pairs, recorded, shown_case
from cutelearn.kernels.launch import STAGES, make_kernel
from cutelearn.kernels.pipelined import make_pipelined, ring_bytes
from cutelearn.kernels.sgemm_2 import make_mma
from cutelearn.kernels.stage import Tiling, mn_major
from cutelearn.kernels.trace import walk
from cutelearn.kernels.warp_tiled import BAND, make_warp_mma

ROOT = Path(__file__).resolve().parent.parent
NAME = "15-towards-the-roof"
CELLS = json.loads((ROOT / f"notebooks/{NAME}.ipynb").read_text("utf-8"))["cells"]
PROSE = {
    c["id"].removeprefix(NAME + "-"): " ".join("".join(c["source"]).split())
    for c in CELLS
    if c["cell_type"] == "markdown"
}
SOURCE = {c["id"].removeprefix(NAME + "-"): "".join(c["source"]) for c in CELLS if c["cell_type"] == "code"}
OUTPUT = {
    c["id"].removeprefix(NAME + "-"): "".join(
        "".join(o.get("text", "")) + "".join(o.get("data", {}).get("text/plain", "")) for o in c["outputs"]
    )
    for c in CELLS
    if c["cell_type"] == "code"
}
REPORT, WIDE = recorded(), recorded("NVIDIA H200 wide tiles")
CARD = REPORT.provenance
AT_4096 = {row.name: row for row in REPORT.rows if row.case == shown_case(REPORT)}
FAST = ("sgemm_1", "sgemm_2", "pipelined", "warp_tiled")


def defined(cell, name):
    """A function of the lesson."""
    names = {}
    exec(SOURCE[cell].split("\nfor ")[0], names)
    return names[name]


# ------------------------------------------------------------------------------------------------ roofs


def test_the_card_is_the_record_s():
    assert (CARD["peak_tflops"], CARD["memory_gbytes"], CARD["multiprocessors"]) == (
        quiz15.PEAK,
        quiz15.MEMORY,
        quiz15.MULTIPROCESSORS,
    )
    assert f"{quiz15.PEAK} TFLOP/s and {quiz15.MEMORY} GB/s" in PROSE["need"]
    assert {row.mhz for row in REPORT.rows} == {1980}
    assert round(132 * 4 * 32 * 2 * 1.98e9 / 1e12, 1) == quiz15.PEAK
    assert "132 multiprocessors, 4 × 32 lanes, two flop, 1.98 GHz" in PROSE["slots"]


def test_intensities():
    assert question("15.p1").answer == ch15.intensity(64, 64) == 16
    assert {intensity(STAGES[name]) for name in FAST} == {32}
    assert ch15.intensity(128, 128) == 32 > 1e3 * quiz15.PEAK / quiz15.MEMORY
    assert round(ch15.intensity(256, 128), 1) == 42.7
    naive = AT_4096["naive"]
    assert naive.tflops > naive.intensity * quiz15.MEMORY / 1e3  # "stands above the memory's slope"


def test_the_table_is_the_record():
    for row in AT_4096.values():
        if not row.cutlass:
            assert re.search(rf"^{row.stage} +.*, {row.tflops:.2f}$", OUTPUT["need-code"], flags=re.M)
    assert not re.search(r"\d ?TFLOP", " ".join(PROSE.values()).replace("66.9 TFLOP", "").replace("3.7 TFLOP", ""))


@pytest.mark.parametrize("name", FAST)
def test_slots_are_those_of_the_kernel(name):
    """From the tiling, as the lesson counts; from the tensors of the kernel itself; and what the record makes of it."""
    stage = STAGES[name]
    ffma, reads, copies = defined("slots-code", "slots")(stage.tiling)
    way = walk(make_kernel(stage, "NT", True, stage.tiling), stage.tiling, 4)
    t, bK, pipe = way.tensors, stage.tiling.cta[2], stage.tiling.pipe
    assert ffma == size(t["tCrC"])
    assert reads * stage.tiling.neighbours * bK * pipe == size(t["tCsA"]) + size(t["tCsB"])
    moved = (size(t["tAsA"]) + size(t["tBsB"])) / pipe / stage.tiling.vector
    assert copies * bK == moved * (1 if pipe > 1 else 2)
    roof = quiz15.PEAK * ffma / (ffma + reads + copies)
    of = f"roof {roof:.1f}, measured {AT_4096[name].tflops:.2f}, {100 * AT_4096[name].tflops / roof:.0f} % of it"
    assert of in OUTPUT["slots-code"]
    assert AT_4096[name].tflops < roof


def test_one_step_of_sgemm_2():
    ffma, reads, _copies = defined("slots-code", "slots")(STAGES["sgemm_2"].tiling)
    assert question("15.p4").answer == [ffma, reads]
    assert "16 reads for 64 products" in PROSE["waits"]
    assert defined("slots-code", "slots")(STAGES["sgemm_1"].tiling)[:2] == (64, 16)


def test_barriers():
    said = re.findall(r"^(\S+) +bK +\d+: (\d+) clocks a tile, barriers: (\d), +(\d+)", OUTPUT["waits-code"], flags=re.M)
    assert [name for name, *_rest in said] == list(FAST)
    assert int(said[1][1]) == question("15.p5").answer
    assert [int(n) for *_rest, n in said] == [1024, 1024, 256, 128]
    assert "1024 times, `pipelined` 256 times, `warp_tiled` 128 times" in PROSE["groups"]


# ------------------------------------------------------------------------------------------------ the ring


def program_of(pipe, k_tiles):
    """What pipelined does, by a walk through it: A's copies stand for both."""
    tiling = replace(STAGES["pipelined"].tiling, pipe=pipe)
    way = walk(make_pipelined(mn_major, mn_major, tiling), tiling, k_tiles)
    found, copied, multiplied = [], 0, 0
    for action in way.actions:
        if action.what == "copy":
            copied += 1
            if copied % 2:
                found.append(("copy", copied // 2))
        elif action.what == "gemm":
            found.append(("multiply", multiplied))
            multiplied += 1
        elif action.what in ("fence", "wait"):
            found.append(("fence",) if action.what == "fence" else ("wait", action.n))
    return found


@pytest.mark.parametrize(("pipe", "k_tiles"), [(2, 3), (3, 5), (4, 6), (4, 2)])
def test_the_kernel_is_the_program_of_the_exercise(pipe, k_tiles):
    program = program_of(pipe, k_tiles)
    assert program == functions15.pipelined_program(pipe, k_tiles)
    assert functions15.not_sure(program) == []
    fewer = [("wait", step[1] + 1) if step[0] == "wait" else step for step in program]
    assert functions15.not_sure(fewer) == list(range(k_tiles))


@pytest.mark.parametrize("pipe", [2, 3, 4, 5])
@pytest.mark.parametrize("empty", [True, False])
def test_wait_n(pipe, empty):
    for n in range(5):
        unsure = functions15.not_sure(functions15.pipelined_program(pipe, 7, n, empty))
        assert (unsure[0] if unsure else -1) == ch15.first_unsure(n, empty, pipe, 7)
    assert question("15.p6").answer == 4 - 2


def test_what_a_ring_costs():
    ring = replace(STAGES["pipelined"].tiling, pipe=4)
    assert ring_bytes(mn_major, mn_major, ring) == question("15.p7").answer
    assert AT_4096["pipelined"].registers == 119
    assert "A thread has 119 registers" in PROSE["depth"]
    rows = re.findall(r"^ring of (\d): +(\d+) bytes.*, so (\d)$", OUTPUT["depth-code"], flags=re.M)
    assert rows[2] == ("4", str(question("15.p7").answer), str(question("15.p8").answer))
    assert [int(blocks) for *_rest, blocks in rows] == [2] * 6 + [1]
    assert max(int(pipe) for pipe, _bytes, blocks in rows if blocks == "2") == 7
    assert "Seven places fit and drive no block away" in PROSE["bench"]


def test_the_bench_shows_what_is_said():
    def units(loop, load, math):
        return TimelineBench(loop, load=load, math=math).still().note.split()[0]

    assert [units(f"ring of {n}", 9, 3) for n in (4, 3, 2)] == ["22.2", "24.9", "40.2"]
    assert "a ring of 4 takes 22.2 units, a ring of 3 24.9, a ring of 2 40.2" in PROSE["bench"]
    assert units("ring of 2", 6, 8) == units("ring of 4", 6, 8) == "39.2"
    assert "both take 39.2 units" in PROSE["bench"]
    assert f"sgemm_2 takes {units('sgemm_2', 9, 3)} units" in PROSE["bench"]
    for pipe in (2, 3, 4):  # "hides a load behind pipe - 1 tiles"
        for load, math in ((6, 3), (7, 3), (10, 3), (11, 3), (4, 4)):
            events = [e for e in multistage_events(9, pipe, load, math) if e.lane == "gemm" and e.tile is not None]
            waits = any(b.start - a.start - math > 0.31 for a, b in pairwise(events))
            assert waits == (load > (pipe - 1) * (math + 0.3))


# ------------------------------------------------------------------------------------------------ code


PTX = "".join(next(cell["source"] for cell in CELLS if cell["id"] == f"{NAME}-ptx"))
SMALL = Tiling(cta=(64, 64, 8), copy=(16, 8), math=(8, 16), vector=4, neighbours=4, pipe=3)


def test_the_loop_has_what_the_layouts_say():
    assert "numbers read from shared memory: 96 - and the layouts say 96" in OUTPUT["ptx-code"]
    assert "cp.async.cg.shared.global [%rd], [%rd], 16, %r;" in OUTPUT["ptx-code"]  # the last one: how many are read
    assert re.search(r"^fma.rn.f32 +256$", OUTPUT["ptx-code"], flags=re.M)
    assert 8 * 4 * 8 == 256
    assert re.search(r"^bar.sync +1$", OUTPUT["ptx-code"], flags=re.M)


OPCODES = re.findall(r"`([^`]+)`", "".join(re.findall(r"^\| .*\n", PTX, flags=re.M)))


def test_what_ptxas_makes_of_it():
    """The table of opcodes, where nvdisasm is installed."""
    async_ = compile_stage("pipelined", tiling=SMALL)
    through = compile_stage("sgemm_2", tiling=replace(SMALL, pipe=1))
    try:
        sass = async_.sass + through.sass
    except RuntimeError as missing:
        pytest.skip(str(missing))
    ptx = async_.ptx + through.ptx
    assert len(OPCODES) == 16
    for opcode in OPCODES:
        assert opcode.removesuffix("...") in (ptx if opcode.islower() else sass), opcode


def test_another_name_is_no_other_ptx():
    plain, other = (compile_stage("sgemm_1", tiling=replace(STAGES["sgemm_1"].small), name=n) for n in ("abc", "cutlass_abc"))  # fmt: skip

    def without_names(ptx):
        return re.sub(r"[\w$]*(cutlass_)?abc[\w$]*", "NAME", ptx)

    assert "cutlass_abc" in other.ptx
    assert without_names(plain.ptx) == without_names(other.ptx)


# ------------------------------------------------------------------------------------------------ warps and bands


def test_warps():
    two, warps = make_mma(STAGES["sgemm_2"].tiling), make_warp_mma(STAGES["warp_tiled"].tiling)
    assert warps == quiz15.BY_WARPS
    assert two == quiz15.PERMUTED
    assert question("15.p9").answer == [128 + 16, 64 + 32]
    assert "sgemm_2    128 rows, 16 columns" in OUTPUT["warps-code"]
    assert "warp_tiled 64 rows, 32 columns" in OUTPUT["warps-code"]
    tile = Layout((128, 8))
    for mma in (two, warps):
        for part in ("partition_A", "partition_B"):
            starts = [getattr(mma.get_slice(t), part)(tile)[1] for t in range(32)]
            assert bank_conflicts(starts, "float", 4).ways == 1  # "both have no conflicts"


def test_the_round_of_warp_tiled():
    """The table of register double buffering, as the kernel does it."""
    stage = STAGES["warp_tiled"]
    actions = walk(make_kernel(stage, "NT", True, stage.tiling), stage.tiling, 4).actions
    begin = next(i for i, a in enumerate(actions) if a.what == "gemm")
    one = [(a.what, a.n) for a in actions[begin:] if a.what != "copy"][:6]
    assert one == [("gemm", 1), ("fence", 0), ("gemm", 30), ("wait", 0), ("barrier", 0), ("gemm", 1)]
    assert "multiply steps 1 to 30" in PROSE["double"]


def test_bands():
    tile_of = defined("bands-code", "tile_of")
    for gm, gn, band in functions15.grids():
        layout = functions15.bands(gm, gn, band)
        assert [layout(*tile_of(bid, gm, gn, band)) for bid in range(gm * gn)] == list(range(gm * gn))
        back = right_inverse(layout)
        m, n = tile_of(gm + 1, gm, gn, band)
        assert back(gm + 1) == m + gm * n
    assert question("15.p10").answer == [69, 41]
    assert BAND == 8
    for grid, band, total in ((32, 32, 41), (32, 16, 33), (32, 8, 48), (64, 64, 69), (64, 8, 41)):
        assert re.search(rf"^{grid} by {grid} tiles, bands of +{band}: .* = {total}$", OUTPUT["bands-code"], flags=re.M)
    assert 0.38 < 1 - 41 / 69 < 0.42  # "save two fifths"
    assert "2 × 132 = 264" in PROSE["double"]


# ------------------------------------------------------------------------------------------------ names and orders


def test_the_wide_tiles():
    found = {(own.stage, own.case.M): (own, other) for own, other in pairs(WIDE.rows)}
    for n in (4096, 8192):
        own, other = found["warp_tiled_256", n]
        assert own.tflops < found["warp_tiled", n][0].tflops
        assert own.tflops < own.cublas_tflops < other.tflops
        rest = [r.tflops for r in (*REPORT.rows, *WIDE.rows) if r.case == own.case and r is not other]
        assert other.tflops > max(rest)  # "the fastest of all"
        assert f"{own.tflops:.2f}  {other.tflops:.2f}" in OUTPUT["mistake-code"]
        assert own.registers == other.registers == 203 or own.registers == 203
    assert "203 registers a thread" in PROSE["epilogue"]
    assert 65536 // (208 * 256) == 1
    assert defined("slots-code", "slots")(
        Tiling(cta=(256, 128, 16), copy=(32, 8), math=(32, 8), vector=4, neighbours=4, pipe=2)
    )[:2] == (128, 6)
    assert {r.provenance["gpu"] for r in (REPORT, WIDE)} == {"NVIDIA H200"}


def test_the_story_of_the_name():
    own, other = AT_4096["sgemm_1"].tflops, AT_4096["cutlass_sgemm_1"].tflops
    assert round(100 * (1 - own / other)) == 8
    assert "the other one loses by 8 percent" in PROSE["names"]
    assert "is 9 percent faster" in PROSE["names"]
    assert round(100 * (other / own - 1)) == 9


def test_orders_of_products_are_those_that_were_measured():
    source = ast.parse(
        (ROOT / "cutelearn/kernels/algorithms.py").read_text("utf-8")
    )  # not importable beside the simulator
    (emit,) = (node for node in source.body if isinstance(node, ast.FunctionDef) and node.name == "_emit_gemm")
    said = " ".join(ast.get_docstring(emit).split())
    before, after, other_before, other_after = map(float, re.search(r"sgemm_1 from (\S+) to (\S+) TFLOP/s, .*? from (\S+) to ([\d.]+\d);", said).groups())  # fmt: skip
    two_before, two_after = map(float, re.search(r"from (\S+) to ([\d.]+\d)\.$", said).groups())
    gains = [round(100 * (b / a - 1)) for a, b in ((before, after), (other_before, other_after))]
    assert (min(gains), max(gains)) == (3, 4)
    assert round(100 * (1 - two_after / two_before)) == 4
    assert "gain sgemm_1 3 to 4 percent, and would cost sgemm_2 4." in PROSE["names"]


# ------------------------------------------------------------------------------------------------ exercises


def test_solutions_are_what_is_counted():
    solutions = json.loads((ROOT / f"solutions/{NAME}.ipynb").read_text("utf-8"))["cells"]
    text = " ".join(" ".join("".join(cell["source"]) for cell in solutions).split())
    assert f'"owner": {ch15.WHOSE["owner"]}' in text
    cells = list(make_warp_mma(STAGES["warp_tiled"].tiling).get_slice(77).partition_C(make_identity_tensor((128, 128))))
    assert {m for m, _n in cells} == set(ch15.WHOSE["rows"])
    assert "tiles of (128,64,32) in float32, a ring of 3 of them, 256 threads, and 85 registers a thread" in text
    assert (ch15.CTA, ch15.PIPE, ch15.THREADS, ch15.EACH) == ((128, 64, 32), 3, 256, 85)
    assert "a peak of 40 TFLOP/s and a memory of 2000 GB/s" in text
    assert (ch15.PEAK, ch15.MEMORY) == (40, 2000)
    tiling = Tiling(cta=(128, 64, 32), copy=(16, 16), math=(16, 16), vector=4, neighbours=4, pipe=3)
    assert ch15.FITS["bytes"] == ring_bytes(mn_major, mn_major, tiling)


def test_a_slip_in_a_tuple_is_known():
    right = dict(ch15.ROOFS)
    found = verdict(exercise("15.1"), right | {"intensity": (4, 6, 8, 12)})
    assert found.known
    assert found.hint == 2


def test_hints_of_whose_rows():
    """The sums in the hints."""
    assert 4 * 3 + 32 * 0 + 1 * 1 + 64 * 1 == ch15.THREAD == 64 + 12 + 1
    assert ch15.CELL == (64 + 4 + 2, 32 + 8 + 1)
    assert ch15.WHOSE["owner"] == 4 + 32 + 2 + 64
