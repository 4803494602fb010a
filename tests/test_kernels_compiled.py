"""The code that the stages are compiled to, without a GPU: what their main loops hold is what the layouts predict.

PTX from the compiler, machine code from ptxas of the wheels. A fixed list of stages, orders and architectures.
"""

import real_cuda  # noqa: F401, I001 (first)

import re
import runpy
from functools import lru_cache
from pathlib import Path

import pytest

from cutelearn import Layout, LayoutError, Step, X, compile_kernel, compile_stage, cosize, local_partition, size
from cutelearn.kernels import compiling
from cutelearn.kernels.compiling import Compiled
from cutelearn.kernels.launch import STAGES
from cutelearn.kernels.listing import loops, main_loop, multiply_adds, total
from cutelearn.kernels.pipelined import ring_layout
from cutelearn.kernels.sgemm_1 import smem_layout
from cutelearn.kernels.stage import STRIDES, along

COMBINATIONS = [
    ("naive", "NT", True, (8, 0)),
    ("coalesced", "NN", True, (9, 0)),
    ("smem_tiled", "NT", True, (7, 5)),
    ("smem_tiled", "TN", True, (9, 0)),
    ("sgemm_1", "NT", True, (7, 5)),
    ("sgemm_1", "NT", True, (8, 0)),
    ("sgemm_1", "NT", True, (9, 0)),
    ("sgemm_1", "TN", True, (9, 0)),
    ("sgemm_1", "NN", True, (8, 6)),
    ("sgemm_1", "TT", True, (12, 0)),
    ("sgemm_1", "NT", False, (9, 0)),
    ("sgemm_1", "TN", False, (8, 0)),
    ("sgemm_2", "NT", True, (7, 5)),
    ("sgemm_2", "NT", True, (9, 0)),
    ("sgemm_2", "TN", True, (9, 0)),
    ("sgemm_2", "NN", True, (8, 6)),
    ("sgemm_2", "TT", True, (12, 0)),
    ("sgemm_2", "NT", False, (8, 0)),
    ("sgemm_2", "TN", False, (9, 0)),
]
EVERY = pytest.mark.parametrize(
    ("stage", "transposes", "aligned", "cc"),
    COMBINATIONS,
    ids=lambda x: f"sm_{x[0]}{x[1]}" if isinstance(x, tuple) else {True: "aligned", False: "any"}.get(x, x),
)
compiled = lru_cache(compile_stage)


def sizes(stage, transposes):
    """How many elements a thread copies of A and B, reads of them, and holds of C, for one tile along K; from the layouts."""
    bM, bN, bK = stage.tiling.cta
    dA, dB = STRIDES[transposes]
    tA, tB, tC = along(dA, stage.tiling.copy), along(dB, stage.tiling.copy), Layout(stage.tiling.math)
    sA, sB, gC = Layout((bM, bK)), Layout((bN, bK)), Layout((bM, bN))

    def part(tile, threads, *step):
        return size(local_partition(tile, threads, 0, *step)[0])

    copied = part(sA, tA) + part(sB, tB)
    read = part(sA, tC, Step(1, X)) + part(sB, tC, Step(X, 1))
    return copied, read, part(gC, tC) * bK


def moved(body, name):
    """How many elements of 32 bits the instructions of this name move (barriers: how many there are)."""
    widths = {"v4": 4, "128": 4, "v2": 2, "64": 2}
    return sum(n * max(widths.get(part, 1) for part in op.split(".")) for op, n in body.items() if op.startswith(name))


@EVERY
def test_main_loop_holds_what_the_layouts_predict(stage, transposes, aligned, cc):
    made = compiled(stage, cc, transposes, aligned)
    for code, names in (
        (made.ptx, ("ld.shared", "ld.global", "st.shared", "bar.sync")),
        (made.sass, ("LDS", "LDG", "STS", "BAR")),
    ):
        body = main_loop(code)
        lds, ldg, sts, barriers = (moved(body, name) for name in names)
        if stage in ("naive", "coalesced"):
            assert (lds, sts, barriers) == (0, 0, 0)
            assert ldg == 2 * multiply_adds(body) > 0  # one of A and one of B for every product
            continue
        copied, read, products = sizes(STAGES[stage], transposes)
        cleared = copied if stage == "smem_tiled" or (stage == "sgemm_1" and not aligned) else 0
        assert multiply_adds(body) == products
        assert (lds, ldg, sts, barriers) == (read, copied, copied + cleared, 2)


@EVERY
def test_nothing_spills_and_nothing_is_double(stage, transposes, aligned, cc):
    made = compiled(stage, cc, transposes, aligned)
    assert f".target sm_{cc[0]}{cc[1]}" in made.ptx
    assert not re.search(r"\.f64|\.local\b", made.ptx)
    assert not re.search(r"\b(LDL|STL|DFMA|DADD|DMUL|F2F\.F64)", made.sass)
    assert (made.stack, made.spills) == (0, 0)
    tiling = STAGES[stage].tiling
    assert 0 < made.registers <= 65536 // (tiling.threads * STAGES[stage].blocks_per_sm)
    if stage in ("naive", "coalesced"):
        assert made.shared == 0
    if stage in ("sgemm_1", "sgemm_2"):
        dA, dB = STRIDES[transposes]
        assert made.shared == 4 * (cosize(smem_layout(dA, 128, 8)) + cosize(smem_layout(dB, 128, 8)))


@pytest.mark.parametrize("aligned", [True, False])
@pytest.mark.parametrize("transposes", STRIDES)
def test_sgemm_2_moves_four_at_once(transposes, aligned):
    """From global memory always; to shared memory where it lies as in global memory; from there to the products always."""
    made = compiled("sgemm_2", (9, 0), transposes, aligned)
    m_or_n_major = (transposes[0] == "N") + (transposes[1] == "T")
    body, sass = main_loop(made.ptx), main_loop(made.sass)
    assert body["ld.global.v4.f32"] == sass["LDG.E.128"] == 2
    assert body.get("st.shared.v4.f32", 0) == sass.get("STS.128", 0) == m_or_n_major
    assert body["ld.shared.v4.f32"] == sass["LDS.128"] == 32
    assert not {"ld.global.f32", "ld.shared.f32"} & set(body)


@pytest.mark.parametrize("cc", [(8, 0), (9, 0)])
@pytest.mark.parametrize("aligned", [True, False])
@pytest.mark.parametrize("transposes", ["NT", "TN"])
@pytest.mark.parametrize("stage", ["pipelined", "warp_tiled"])
def test_tiles_come_by_themselves(stage, transposes, aligned, cc):
    """cp.async and no other way from global to shared memory: by fours where m- or n-major; one barrier a tile; no spills."""
    made = compiled(stage, cc, transposes, aligned)
    tiling = STAGES[stage].tiling
    bM, bN, bK = tiling.cta
    sass = main_loop(made.sass)
    by_fours = transposes == "NT"
    copied = (bM + bN) * bK // tiling.threads
    opcodes = [opcode for opcode in sass if opcode.startswith("LDGSTS")]
    assert all(opcode.endswith(".128") == by_fours for opcode in opcodes)
    assert total(sass, "LDGSTS") == (copied // 4 if by_fours else copied)
    assert total(sass, "BAR") == 1
    assert total(sass, "LDG.") == total(sass, "STS") == 0
    products = bM * bN // tiling.threads
    assert (sass["FFMA"], sass["LDS.128"]) == (products * bK, (bM // tiling.math[0] + bN // tiling.math[1]) // 4 * bK)
    way = "cp.async.cg" if by_fours else "cp.async.ca"  # vectors are kept in L2 alone
    assert made.ptx.count(f"{way}.shared.global") == made.ptx.count(".shared.global [") > 0
    assert made.ptx.count("cp.async.commit_group") >= 2
    assert (made.stack, made.spills) == (0, 0)
    assert made.registers <= 128
    assert made.shared == 4 * sum(cosize(ring_layout(d, 128, bK, tiling.pipe)) for d in STRIDES[transposes])


def test_pipelined_wants_the_hardware_for_it():
    """cp.async came with compute capability 8.0."""
    with pytest.raises(LayoutError, match=r"pipelined needs compute capability 8\.0 or more, for cp\.async"):
        compile_stage("pipelined", (7, 5))


def test_the_aligned_kernel_asks_no_predicates():
    assert total(main_loop(compiled("sgemm_1", (9, 0), "NT", True).ptx), "setp") == 1  # the end of the loop
    assert total(main_loop(compiled("sgemm_1", (9, 0), "NT", False).ptx), "setp") > 1


@pytest.mark.parametrize("transposes", STRIDES)
def test_shared_memory_of_sgemm_1_meets_no_conflicts(transposes):
    """Counted from the layouts, for the first warp: writing a tile, and reading A and B for one k."""
    (bM, bN, bK), tC = STAGES["sgemm_1"].tiling.cta, Layout(STAGES["sgemm_1"].tiling.math)
    for d, extent, step in zip(STRIDES[transposes], (bM, bN), (Step(1, X), Step(X, 1)), strict=True):
        s, threads = smem_layout(d, extent, bK), along(d, STAGES["sgemm_1"].tiling.copy)
        for first in (
            [local_partition(s, threads, t)[1] for t in range(32)],
            [local_partition(s, tC, t, step)[1] for t in range(32)],
        ):
            assert wavefronts(first) == 1


def wavefronts(words):
    """How many passes a warp's access to these 4-byte words takes: the most different words in one of the 32 banks."""
    banks = {}
    for word in set(words):
        banks.setdefault(word % 32, set()).add(word)
    return max(map(len, banks.values()))


# ------------------------------------------------------------------------------------------------ beside a kernel indexed by hand


@pytest.fixture(scope="module")
def by_hand():
    (stage,) = runpy.run_path(str(Path(__file__).parent / "bench" / "hand_sgemm_1.py"))["STAGES"]
    return compile_stage(stage, (9, 0))


def test_layouts_cost_no_instruction(by_hand):
    """The main loop of sgemm_1 has the products, loads, stores and barriers of its twin, of the same widths, and no more of the rest."""
    ours = compiled("sgemm_1", (9, 0))
    for mine, theirs in ((ours.ptx, by_hand.ptx), (ours.sass, by_hand.sass)):
        a, b = main_loop(mine), main_loop(theirs)
        memory = re.compile(r"(ld|st)\.(shared|global)|bar\.|fma\.|LD[SG]|ST[SG]|BAR|FFMA")
        assert {op: n for op, n in a.items() if memory.match(op)} == {op: n for op, n in b.items() if memory.match(op)}
        assert sum(a.values()) <= sum(b.values())
    assert ours.registers <= 128
    assert by_hand.spills == ours.spills == 0


def test_layouts_cost_no_instruction_of_sgemm_2():
    """As above; of the machine code, for in PTX the two write their addresses differently."""
    stage, _tutorial = runpy.run_path(str(Path(__file__).parent / "bench" / "hand_sgemm_2.py"))["STAGES"]
    ours, hand = compiled("sgemm_2", (9, 0)), compile_stage(stage, (9, 0))
    a, b = main_loop(ours.sass), main_loop(hand.sass)
    memory = re.compile(r"LD[SG]|ST[SG]|BAR|FFMA")
    assert {op: n for op, n in a.items() if memory.match(op)} == {op: n for op, n in b.items() if memory.match(op)}
    assert sum(a.values()) <= sum(b.values())
    assert hand.spills == hand.stack == ours.spills == 0


@pytest.mark.parametrize("name", ["pipelined", "warp_tiled"])
def test_layouts_cost_no_instruction_where_tiles_come_by_themselves(name):
    """As above, beside the twins of pipelined and warp_tiled."""
    twins = runpy.run_path(str(Path(__file__).parent / "bench" / "hand_async.py"))["STAGES"]
    (twin,) = (stage for stage in twins if stage.name == f"hand_{name}")
    ours, hand = compiled(name, (9, 0)), compile_stage(twin, (9, 0))
    a, b = main_loop(ours.sass), main_loop(hand.sass)
    memory = re.compile(r"LDS\.128|LD[G]|STS|STG|BAR|FFMA")
    assert {op: n for op, n in a.items() if memory.match(op)} == {op: n for op, n in b.items() if memory.match(op)}
    assert sum(a.values()) <= sum(b.values())
    assert hand.spills == hand.stack == ours.spills == 0
    assert hand.shared == ours.shared


# ------------------------------------------------------------------------------------------------ the tools


def test_a_kernel_of_one_s_own():
    from numba import cuda

    def scale(a, factor):
        i = cuda.grid(1)
        if i < a.size:
            a[i] *= factor

    made = compile_kernel(scale, "float32[::1], float32", (8, 0))
    assert ".target sm_80" in made.ptx
    assert "mul.f32" in made.ptx
    assert made.registers > 0
    assert "FMUL" in made.sass
    assert loops(made.ptx) == []
    assert main_loop(made.sass) == {}


def test_without_the_tools_a_sentence(monkeypatch):
    monkeypatch.setattr(compiling, "_wheels", list)
    monkeypatch.setenv("PATH", "")
    made = compile_stage("naive", (8, 0))
    assert "ld.global" in made.ptx
    assert made.registers > 0
    with pytest.raises(
        RuntimeError, match=r"nvdisasm of the CUDA toolkit is not installed: pip install 'cutelearn\[test\]'"
    ):
        made.sass  # noqa: B018


@pytest.mark.parametrize("cc", [(8, 0), (9, 0)])
def test_ptxas_makes_the_same_of_the_ptx(tmp_path, cc):
    """The machine code that nvJitLink makes, and that a GPU would run, is what ptxas makes of the PTX that is shown."""
    made = compiled("sgemm_1", cc)
    ptx, cubin = tmp_path / "kernel.ptx", tmp_path / "kernel.cubin"
    ptx.write_text(made.ptx)
    said = compiling.run_tool("ptxas", "-v", "-arch", compiling.architecture(cc), "-o", cubin, ptx).stderr
    assert f"Used {made.registers} registers" in said
    assert Compiled("by ptxas", cc, made.ptx, cubin.read_bytes(), said).sass.count("FFMA") == made.sass.count("FFMA")
    assert main_loop(Compiled("by ptxas", cc, made.ptx, cubin.read_bytes(), said).sass) == main_loop(made.sass)


def test_what_the_assembler_refuses_is_said():
    with pytest.raises(RuntimeError, match="nvJitLink refuses the code"):
        compiling.link(b"no code", (9, 0), "-ptx")
