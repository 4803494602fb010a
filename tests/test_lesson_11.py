"""Lesson 11: what its prose says, where no output shows it; and its kernels, run as learners run them."""

import json
import re
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from exercise_tools import namespace

from cutelearn import Layout, LayoutRight, Step, X, _, bank_conflicts, coalescing, local_partition, local_tile, size
from cutelearn.course.chapters import ch11, functions11, quiz11
from cutelearn.course.exercises import DONE, exercise, verdict
from cutelearn.course.notebooks import BEGIN, part_of
from cutelearn.course.questions import question

ROOT = Path(__file__).resolve().parent.parent
NAME = "11-sgemm-1"


def cells(folder):
    return json.loads((ROOT / folder / f"{NAME}.ipynb").read_text("utf-8"))["cells"]


CELLS = cells("notebooks")
PROSE = {
    c["id"].removeprefix(NAME + "-"): " ".join("".join(c["source"]).split())
    for c in CELLS
    if c["cell_type"] == "markdown"
}
OUTPUT = {
    c["id"].removeprefix(NAME + "-"): "".join("".join(o.get("text", "")) for o in c["outputs"])
    for c in CELLS
    if c["cell_type"] == "code"
}
ANSWERS = {p["number"]: "".join(c["source"]) for c in cells("solutions") if (p := part_of(c)) and p["part"] == "answer"}


# ------------------------------------------------------------------------------------------------ shapes


def test_every_shape_is_shown_as_asked():
    shown = dict(re.findall(r"^(\w+): small (\(.*?\)),", OUTPUT["shapes-code"], flags=re.M))
    shown |= dict(re.findall(r"^(g\w) of \(.*?\) is (\(.*?\))$", OUTPUT["tiles-code"], flags=re.M))
    asked = {"gA": 5, "gB": 6, "gC": 7, "tAgA": 8, "tAsA": 9, "tBsB": 10, "tCsA": 11, "tCsB": 12, "tCrC": 13}
    for name, number in asked.items():
        assert shown[name] == str(question(f"11.p{number}").answer), name


def test_eight_by_eight_needs_128_numbers():
    read = [size(local_partition(Layout((128, 8)), Layout((16, 16)), 0, step)[0]) for step in (Step(1, X), Step(X, 1))]
    assert sum(read) == 128
    assert "128 numbers in a k-step. It copies only 8 of them, and does 512 multiply-adds" in PROSE["kernel"]
    assert question("11.p4").answer == [8, 512]


def test_thread_0_brings_four_rows():
    part, start = local_partition(Layout((8, 4)), Layout((2, 4)), 0)
    assert [start + part(v) for v in range(size(part))] == [0, 2, 4, 6]
    gA, at = local_tile(Layout((16, 8)), (8, 4, 4), (0, 0, _), Step(1, X, 1))
    assert at + gA(0, 0, 1) == 64
    assert "64 is column 4" in PROSE["computing"]


def test_the_loop_has_what_the_layouts_say():
    rows = re.findall(r"^(\S+) +the layouts say +(\d+), the loop has +(\d+)$", OUTPUT["compile-code"], flags=re.M)
    assert [int(said) for _word, said, _found in rows] == question("11.p14").answer
    assert all(said == found for _word, said, found in rows)
    assert "divisions and remainders: 0 ; bytes spilled: 0" in OUTPUT["compile-code"]
    assert "all else in the loop: 16 instructions" in OUTPUT["compile-code"]


# ------------------------------------------------------------------------------------------------ costs


def test_flop_for_each_byte():
    assert 2 * 128 * 128 / (4 * (128 + 128)) == 32
    assert "1024 bytes" in PROSE["cost"]
    assert "32 flop a byte" in PROSE["cost"]


def test_what_one_should_have_seen_in_the_bank_bench():
    store = Layout((8, 4), (128, 1))  # lane -> 1-D coordinate of a (128,8) tile

    def ways(column):
        tile = Layout((128, 8), (1, column))
        return bank_conflicts([tile(store(lane)) for lane in range(32)], "float").wavefronts

    assert [store(lane) for lane in range(32)] == [
        local_partition(Layout((128, 8)), Layout((32, 8), LayoutRight), lane)[1] for lane in range(32)
    ]
    assert [ways(column) for column in (128, 129, 130, 131, 132)] == [8, 4, 2, 2, 1]
    assert [ways(c) for c in (128, 129, 132)] == question("11.p15").answer
    rows = Layout((16, 2), (1, 0))
    k_major = Layout((128, 8), LayoutRight)
    assert bank_conflicts([rows(lane) for lane in range(32)], "float").wavefronts == 1
    banks = [k_major(rows(lane)) % 32 for lane in range(16)]
    assert [m for m in range(16) if banks[m] == banks[0]] == [0, 4, 8, 12]
    assert k_major(4) == 32


def test_what_the_sizes_cost():
    assert re.search(r"wrong \[0, 65536, 14280, 0\] past C \[0, 0, 56, 14336\]", OUTPUT["sizes-code"])
    assert (question("11.p16").answer, question("11.p17").answer) == (65536, 14336)
    assert 256 - 200 == 56
    assert 56 * 255 == 14280  # the last of 256 columns has no next one


def test_the_predicates_are_those_of_the_library():
    source = (ROOT / "cutelearn/kernels/sgemm_1.py").read_text("utf-8")
    (snippet,) = (c["source"] for c in CELLS if c["id"] == f"{NAME}-predicates")
    for line in re.search(r"```python\n(.*?)```", "".join(snippet), flags=re.S)[1].strip().split("\n"):
        assert line.partition("  #")[0].strip() in source, line


def test_what_the_record_says():
    from cutelearn.kernels.bench import Case, recorded

    at = {r.stage: r.tflops for r in recorded().rows if r.case == Case(4096, 4096, 4096) and not r.cutlass}
    assert at["coalesced"] < 1.1 * at["naive"]
    assert at["smem_tiled"] > 1.2 * at["naive"]
    ladder = [at[s] for s in ("naive", "coalesced", "smem_tiled", "sgemm_1")]
    steps = [b / a for a, b in pairwise(ladder)]
    assert max(steps) == steps[-1] > 3
    across = {r.stage: r.tflops for r in recorded().rows if r.case == Case(4096, 4096, 4096, "NN") and not r.cutlass}
    assert across["coalesced"] > 2 * across["naive"]  # "helps where naive reads across the memory"
    assert not re.search(r"\d TFLOP", " ".join(PROSE.values()))  # numbers come from the record


def test_naive_reads_side_by_side():
    """NT: of a warp's 32 threads along n, each reads the same A and its own, neighbouring B."""
    B = Layout((4096, 4096), (1, 4096))
    assert coalescing([B(n, 0) for n in range(32)], "float").sectors == 4


# ------------------------------------------------------------------------------------------------ exercises


def test_solutions_are_what_the_exercises_say():
    text = " ".join("".join(c["source"]) for c in cells("solutions"))
    assert "`(64,96,16)`" in text
    assert (ch11.BM, ch11.BN, ch11.BK) == (64, 96, 16)
    assert str(ch11.TN_A) == "(256,64):(64,1)"
    assert "M, N, K are 5120, 5120, 4096" in text
    assert "thread 70 of block (2,1)" in text
    assert (ch11.THREAD9, ch11.BLOCK9[:2], ch11.STEP9) == (70, (2, 1), 3)


def test_small_gemm_and_its_emulation():
    from cutelearn.course.small_gemm import run_small, sgemm_with, tiles

    for size_mnk in ((8, 4, 4), (16, 8, 12)):
        wanted = functions11.wanted(*size_mnk)
        assert run_small(sgemm_with(tiles), *size_mnk) == functions11.emulate(*size_mnk) == wanted
    A = [[functions11.a_element(m, k) for k in range(4)] for m in range(16)]
    B = [[functions11.b_element(n, k) for k in range(4)] for n in range(8)]
    for rows in (A, B, zip(*A, strict=True), zip(*B, strict=True)):
        rows = [tuple(row) for row in rows]
        assert len(set(rows)) == len(rows)  # no row or column may stand for another
    assert (np.array(functions11.wanted(16, 8, 4)) == np.array(A) @ np.array(B).T).all()


def as_a_learner(number, *edits, blank=False):
    """The function of an answer cell, after edits of its text; of the blank cell where `blank`."""
    source = ANSWERS[number]
    if blank:
        source = source.partition(f"    {BEGIN}")[0] + "    return R\n"
    for old, new in edits:
        assert old in source, old
        source = source.replace(old, new)
    names = dict(namespace("solutions", "11"))
    exec(source, names)
    return names[exercise(f"11.{number}").answer]


RUN = ("R = ...", "R = run_small(sgemm_1, M, N, K)")
RUN_4 = ("R = ...", "R = run_small(sgemm_with(my_tiles), M, N, K)")


@pytest.mark.parametrize(
    ("number", "edits", "at"),
    [
        ("3", [RUN], 0),
        ("3", [RUN, ("cuda.gridDim.x", "cuda.gridDim.y")], 1),
        ("3", [RUN, ("cuda.gridDim.x", "K")], 2),
        ("3", [RUN, ("cuda.gridDim.x", "4")], 3),
        ("3", [RUN, ("cuda.gridDim.x", "size(tAgA, 2) - 1")], 4),
        ("3", [RUN, ("cuda.gridDim.x", "size(tAgA, 1)")], 5),
        ("4", [RUN_4], 0),
        ("4", [RUN_4, ("cuda.blockIdx.y, cuda.blockIdx.x", "cuda.blockIdx.x, 0")], 3),
        ("4", [RUN_4, ("cuda.blockIdx.y, cuda.blockIdx.x", "0, cuda.blockIdx.y")], 4),
        ("4", [RUN_4, ("cuda.blockIdx.y, cuda.blockIdx.x", "0, 0")], 5),
        ("5", [RUN], 0),
        ("5", [RUN, ("(sB, along_k", "(sB, tC")], 4),
    ],
)
def test_a_planted_fault_and_its_wrong_mendings_get_their_hint(number, edits, at):
    """The kernel really runs; the catalogue's own answers are worked out without it."""
    one = exercise(f"11.{number}")
    found = verdict(one, as_a_learner(number, *edits, blank=True))
    assert found.known, found
    assert found.sentence == one.wrong[at].shows


@pytest.mark.parametrize(
    ("edits", "at"),
    [
        ([("local_partition(sA, tA, t)", "local_partition(sA, tC, t)")], 0),
        ([("local_partition(sB, tB, t)", "local_partition(sB, tC, t)")], 1),
        ([("local_partition(sA, tC, t, Step(1, X))", "local_partition(sA, tC, t)")], 2),
        (
            [
                ("(sA, tC, t, Step(1, X))", "(sA, tC, t, Step(X, 1))"),
                ("(sB, tC, t, Step(X, 1))", "(sB, tC, t, Step(1, X))"),
            ],
            4,
        ),
        ([("make_tensor_like(tCgC)", "tCgC")], 3),
        ([("local_partition(sA, tA, t)", "local_partition(sB, tA, t)")], 5),
    ],
)
def test_wrong_partitions_get_their_hint(edits, at):
    one = exercise("11.2")
    found = verdict(one, as_a_learner("2", *edits))
    assert found.known, found
    assert found.sentence == one.wrong[at].shows


@pytest.mark.parametrize(
    ("edits", "at"),
    [
        (
            [
                ("copy_if(elem_less(tAcA[_, _, k_tile], (M, K)), ", "copy("),
                ("copy_if(elem_less(tBcB[_, _, k_tile], (N, K)), ", "copy("),
            ],
            0,
        ),
        ([("            clear(tAsA)\n", ""), ("            clear(tBsB)\n", "")], 1),
        ([("copy_if(elem_less(tBcB[_, _, k_tile], (N, K)), ", "copy(")], 2),
        ([("(M, K)),", "(M, K + 1)),"), ("(N, K)),", "(N, K + 1)),")], 4),
        ([("range(size(tAgA, 2))", "range(K // 4)")], 5),
    ],
)
def test_wrong_predicates_get_their_hint(edits, at):
    one = exercise("11.7")
    found = verdict(one, as_a_learner("7", *edits))
    assert found.known, found
    assert found.sentence == one.wrong[at].shows


def test_other_mendings_are_right_too():
    both = [
        RUN,
        ("        tBsB = ", "        tBgB = local_partition(gB, along_k, cuda.threadIdx.x)\n        tBsB = "),
    ]
    assert verdict(exercise("11.5"), as_a_learner("5", *both, blank=True)).state == DONE
    host = [RUN, ("cuda.gridDim.x", "(K + 3) // 4")]
    assert verdict(exercise("11.3"), as_a_learner("3", *host, blank=True)).state == DONE
    square = {"mA": Layout((256, 64), (64, 1)), "tA": "(32,8):(8,1)", "sA": "(128,8):(1,140)"}
    assert verdict(exercise("11.6"), square).state == DONE


def test_what_a_swapped_grid_does_on_a_gpu():
    """Nobody checks the tile there: half of C stays as it was."""
    one = exercise("11.4")
    found = verdict(one, functions11._swapped_on_a_gpu)
    assert found.sentence == one.wrong[0].shows
    assert functions11.NOTHING in functions11._swapped_on_a_gpu(16, 4, 8)[8]


def test_a_trap_is_a_sentence():
    """A barrier under a condition passes in the simulator and hangs on a GPU: it is refused in both."""
    from cutelearn.course.small_gemm import cuda, run_small

    def trapped(M, N, K, A, ldA, B, ldB, C, ldC):
        if cuda.threadIdx.x < 4:
            cuda.syncthreads()

    found = verdict(exercise("11.3"), lambda M, N, K: run_small(trapped, M, N, K))
    assert "syncthreads() stands under" in found.sentence


def test_quiz_numbers():
    assert quiz11.COPIED == 8
    deeper = [2 * size(local_partition(Layout((128, k)), Layout((32, 8)), 0)[0]) for k in (8, 16)]
    assert deeper == [8, 16]
