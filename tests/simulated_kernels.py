"""The stages in Numba's simulator, through run_gemm; and what run_gemm refuses, in which words.

The simulator cannot live in one process with the compiler: test_kernels_simulated.py runs this file in a process of its own. By
hand: NUMBA_ENABLE_CUDASIM=1 pytest tests/simulated_kernels.py
"""

import pickle
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import oracle
import pytest
from gemm_problems import LETTERS, Problem
from numba.cuda.core.errors import TypingError

from cutelearn import LayoutError, compile_kernel, compile_stage, make_tensor, plan_gemm, run_gemm, stages
from cutelearn.kernels import PLACE, launch, operands
from cutelearn.kernels.stage import Stage, Tiling

STAGES = ("naive", "coalesced", "smem_tiled", "sgemm_1", "sgemm_2", "pipelined", "warp_tiled")


# ------------------------------------------------------------------------------------------------ right


@pytest.mark.parametrize("transposes", LETTERS)
@pytest.mark.parametrize("stage", STAGES)
def test_ragged(stage, transposes):
    """M, N and K all different, none a multiple of a tile."""
    p = Problem(5, 7, 6, transposes, alpha=-1.5, beta=0.5, pad=2)
    run_gemm(p.A, p.B, p.C, p.alpha, p.beta, stage)
    p.check()


@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.parametrize("size", [(1, 1, 1), (1, 9, 2), (9, 1, 3), (12, 4, 4), (4, 4, 12)])
def test_shapes_alpha_beta(stage, size):
    for i, by_rows in enumerate((False, True)):
        p = Problem(*size, LETTERS[sum(size) % 4], alpha=(2.0, 1.0)[i], beta=(0.0, -1.0)[i], pad=i, c_by_rows=by_rows)
        run_gemm(p.A, p.B, p.C, p.alpha, p.beta, stage)
        p.check()


@pytest.mark.parametrize("transposes", LETTERS)
def test_sgemm_1_without_predicates(transposes):
    p = Problem(16, 8, 8, transposes, alpha=2.0)
    plan = plan_gemm(p.A, p.B, p.C, p.alpha, p.beta)
    assert plan.aligned
    assert plan.transposes == transposes
    plan.run()
    p.check()


@pytest.mark.parametrize("transposes", LETTERS)
@pytest.mark.parametrize(
    ("size", "pad", "aligned", "vector"),
    [((16, 8, 8), 0, True, 4), ((16, 8, 8), 1, True, 1), ((20, 12, 4), 4, False, 4), ((20, 12, 4), 3, False, 1)],
)
@pytest.mark.parametrize("stage", STAGES[STAGES.index("sgemm_2") :])
def test_vectors_are_taken_where_they_may(stage, size, pad, aligned, vector, transposes):
    p = Problem(*size, transposes, alpha=-2.0, beta=0.5, pad=pad)
    plan = plan_gemm(p.A, p.B, p.C, p.alpha, p.beta, stage)
    assert (plan.aligned, plan.vector) == (aligned, vector)
    assert ("4 elements at once" in repr(plan)) == (vector == 4)
    plan.run()
    p.check()


@pytest.mark.parametrize("stage", ["sgemm_1", "sgemm_2"])
def test_the_tiles_of_the_gpu(stage):
    """One block of 256 threads, 128 x 128 x 8, as on a GPU."""
    p = Problem(100, 120, 10, "NT")
    tiling = launch.STAGES[stage].tiling
    plan = plan_gemm(p.A, p.B, p.C, stage=stage, tiling=tiling)
    assert (plan.grid, plan.threads, plan.aligned) == ((1, 1), 256, False)
    plan.run()
    p.check()


def test_the_plan_says_what_runs():
    p = Problem(16, 8, 8, "TN", c_by_rows=True)
    plan = plan_gemm(p.A, p.B, p.C, stage="sgemm_1")
    assert repr(plan) == "sgemm_1 TN, M=8 N=16 K=8, no predicates, (1,4) blocks of 8 threads, as C^T = B A^T"
    assert (plan.swapped, plan.problem) == (True, (8, 16, 8))


def test_numpy_s_usual_matrices():
    """All by rows, B as (K, N): the case of `A @ B`."""
    random = np.random.default_rng(5)
    A, B = random.random((6, 5), np.float32), random.random((5, 9), np.float32)
    C = np.full((6, 9), np.nan, np.float32)
    run_gemm(A, B.T, C)
    np.testing.assert_allclose(C, A @ B, rtol=1e-5)


def test_stages_say_what_they_add():
    assert PLACE == "simulator"
    assert tuple(s.name for s in stages()) == STAGES
    assert all(isinstance(s, Stage) and s.adds and s.needs for s in stages())
    assert repr(stages()[0]) == "Stage(naive: one thread for each element of C)"


def test_ptx_beside_the_simulator():
    """A lesson can run a kernel here and show what it is compiled to in the next cell: another process compiles."""
    made = compile_stage("smem_tiled", (8, 0), "TN")
    assert ".target sm_80" in made.ptx
    assert made.ptx.count("bar.sync") == 2
    assert made.registers > 0
    assert made.cubin.startswith(b"\x7fELF")
    assert repr(made).startswith(f"Compiled(smem_tiled for sm_80: {made.registers} registers, ")
    assert pickle.loads(pickle.dumps(made)) == made


def test_a_misuse_is_a_typing_error_here_too():
    def outside(a):
        t = make_tensor(a, (8, 4))
        a[0] = t[1, 2, 3]

    with pytest.raises(TypingError, match=r"t\[...\]: coordinate \(1,2,3\) has 3 entries"):
        compile_kernel(outside, "float32[::1]")


# ------------------------------------------------------------------------------------------------ what learners met


CASES = {row["id"]: row["inputs"] for path in oracle.files("cases") for row in oracle.rows(path)}


@pytest.mark.parametrize("stage", STAGES)
def test_gemm_01_the_loop_goes_along_k(stage):
    """Not along the grid: right where M, N and K are all different too."""
    for size in CASES["gemm-01"]["M,N,K"]:
        p = Problem(*size)
        run_gemm(p.A, p.B, p.C, stage=stage)
        p.check()


@pytest.mark.parametrize("stage", STAGES)
def test_gemm_02_edge_tiles_are_filled_with_zeros(stage):
    """All that lies beside A and B is NaN, and would be seen in C."""
    p = Problem(*CASES["gemm-02"]["M,N,K"], pad=4)
    run_gemm(p.A, p.B, p.C, stage=stage)
    p.check()


@pytest.mark.parametrize("stage", STAGES)
def test_gemm_06_the_launcher_counts_the_blocks(stage):
    M, N = CASES["gemm-06"]["C"]
    p = Problem(M, N, 3)
    plan = plan_gemm(p.A, p.B, p.C, stage=stage)
    bM, bN, _bK = launch.STAGES[stage].small.cta
    assert plan.grid == (-(-M // bM), -(-N // bN))
    plan.run()
    p.check()


# ------------------------------------------------------------------------------------------------ refused


def matrices(M=5, N=7, K=6):
    return np.ones((M, K), np.float32), np.ones((N, K), np.float32), np.zeros((M, N), np.float32)


def other_dtype(A, B, C):
    return A.astype(np.float64), B, C


def half(A, B, C):
    return A, B.astype(np.float16), C


def integers(A, B, C):
    return A, B, C.astype(np.int32)


def big_endian(A, B, C):
    return A.astype(">f4"), B, C


def no_matrix(A, B, C):
    return A[0], B, C


def a_list(A, B, C):
    return A.tolist(), B, C


def empty(A, B, C):
    return A[:, :0], B[:, :0], C


def other_k(A, B, C):
    return A, B[:, 1:], C


def b_as_k_n(A, B, C):
    return A, B.T.copy(), C


def c_too_small(A, B, C):
    return A, B, C[:, 1:]


def no_unit_stride(A, B, C):
    return np.ones((10, 12), np.float32)[::2, ::2], B, C


def backwards(A, B, C):
    return A, B[:, ::-1], C


def read_only(A, B, C):
    C.flags.writeable = False
    return A, B, C


def broadcast(A, B, C):
    return A, B, np.lib.stride_tricks.as_strided(C, C.shape, (0, 4))


def misaligned(A, B, C):
    bytes_ = np.zeros(A.nbytes + 1, np.int8)
    return bytes_[1:].view(np.float32).reshape(A.shape), B, C


def odd_strides(A, B, C):
    return np.zeros(5, [("a", np.float32, 6), ("b", np.int8)])["a"], B, C


def masked(A, B, C):
    return A, np.ma.array(B, mask=B > 0), C


def c_is_a(A, B, C):
    memory = np.ones((5, 7), np.float32)
    return memory[:, :6], B, memory


def c_overlaps_b(A, B, C):
    memory = np.ones(100, np.float32)
    return A, memory[:42].reshape(7, 6), memory[40:75].reshape(5, 7)


REFUSED = {
    other_dtype: "A holds float64 numbers, and the stages compute in float32: convert it, A.astype(np.float32)",
    half: "B holds float16 numbers, and the stages compute in float32 (a sum in half precision stops growing early: "
    "4096 times 0.1 gives 256)",
    integers: "C holds int32 numbers",
    big_endian: "A holds >f4 numbers",
    no_matrix: "A has the shape (6): a matrix has two modes",
    a_list: "A is a list: give a numpy array, or an array on the GPU",
    empty: "A has the shape (5,0): every extent must be at least 1",
    other_k: "A is (5,6) and B is (7,5): A is (M,K) and B is (N,K), with one K",
    b_as_k_n: "This B is (K,N); CuTe's is (N,K): pass B.T",
    c_too_small: "C is (5,6), and A (5,6) with B (7,6) makes it (M,N) = (5,7)",
    no_unit_stride: "A has the strides (24,2): along one of its two modes the elements must lie side by side (stride 1)",
    backwards: "B runs backwards (strides (6,-1)): copy it, np.ascontiguousarray(B)",
    read_only: "C is read-only, and the result is written there: give a copy of it",
    broadcast: "C has the shape (5,7) and the strides (0,1): some of its elements are the same memory",
    misaligned: "A is not aligned",
    odd_strides: "A is not aligned: its elements of 4 bytes start at",
    masked: "B is masked: give its numbers alone, all of them, as B.filled(0) does",
    c_is_a: "C shares memory with A: a block would write results where others still read A",
    c_overlaps_b: "C shares memory with B",
}


@pytest.mark.parametrize("spoil", REFUSED, ids=lambda f: f.__name__)
def test_refused(spoil):
    with pytest.raises(LayoutError) as caught:
        run_gemm(*spoil(*matrices()))
    assert REFUSED[spoil] in str(caught.value)


def test_neighbours_in_one_array_do_not_overlap():
    """A and C are columns of one matrix: their memory interleaves, and has no element in common."""
    memory = np.ones((5, 13), np.float32)
    B = np.ones((7, 6), np.float32)
    run_gemm(memory[:, :6], B, memory[:, 6:], stage="naive")
    assert (memory[:, :6] == 1).all()
    assert (memory[:, 6:] == 6).all()


def test_refused_stages_and_letters():
    with pytest.raises(
        LayoutError, match=r"there is no stage 'sgemm_9': the stages are naive, coalesced, smem_tiled, sgemm_1, sgemm_2"
    ):
        run_gemm(*matrices(), stage="sgemm_9")
    with pytest.raises(LayoutError, match="transposes 'XY': write one of NT, TN, NN, TT"):
        compile_stage("naive", transposes="XY")
    with pytest.raises(LayoutError, match=r"naive needs compute capability 5\.0 or more.*this is asked of 3\.5"):
        compile_stage("naive", (3, 5))


TILE = {"cta": (16, 8, 4), "copy": (2, 4), "math": (4, 2)}
TILINGS = [
    (
        {"cta": (16, 64, 8), "math": (8, 8), "neighbours": 4},
        "(8,8) threads of 4 neighbours each way do not share a (16,64) tile of C",
    ),
    ({"cta": (100, 128, 8), "math": (16, 16)}, "(16,16) threads do not share a (100,128) tile of C evenly"),
    (
        {**TILE, "cta": (4, 8, 4), "vector": 4},
        "(2,4) threads that copy 4 numbers at once do not share a (4,4) tile of A evenly",
    ),
    ({**TILE, "cta": (16, 4, 4), "vector": 4}, "a (4,4) tile of B evenly: its extents must be multiples of (8,4)"),
    ({**TILE, "vector": 3}, "one access moves 1, 2 or 4 numbers of 32 bits, not 3"),
    ({**TILE, "copy": (2, 2)}, "4 threads (2,2) copy and 8 threads (4,2) compute: the two must be the same threads"),
    ({**TILE, "warp": (3, 1)}, "(3,1) threads do not share a (4,2) tile of C's threads evenly"),
    ({"cta": (64, 64, 8), "math": (64, 64)}, "a block has 1 to 1024 threads, not 4096"),
    ({**TILE, "pipe": 0}, "pipe is an integer from 1 up, not 0"),
    ({**TILE, "neighbours": 2.0}, "neighbours is an integer from 1 up, not 2.0"),
    ({**TILE, "cta": (16, 8)}, "cta is a tuple of 3 integers from 1 up, not (16, 8)"),
    ({**TILE, "cta": (16, 8, 0)}, "cta is a tuple of 3 integers from 1 up, not (16, 8, 0)"),
    ({**TILE, "math": 8}, "math is a tuple of 2 integers from 1 up, not 8"),
]


@pytest.mark.parametrize(("tiling", "words"), TILINGS, ids=lambda x: x[:20] if isinstance(x, str) else "")
def test_refused_tilings(tiling, words):
    with pytest.raises(LayoutError) as caught:
        Tiling(**tiling)
    assert words in str(caught.value)


FOR_STAGES = [
    ("naive", {"cta": (8, 8, 1), "math": (4, 4)}, "computes one element of C, so a (8,8) tile takes (8,8) threads (math), not (4,4)"),
    ("coalesced", {"cta": (8, 4, 1), "math": (4, 4)}, "a (8,4) tile takes (8,4) threads"),
    ("smem_tiled", {"cta": (8, 4, 4), "math": (4, 4), "copy": (4, 4)}, "a (8,4) tile takes (8,4) threads"),
    ("sgemm_1", {"cta": (8, 8, 4), "math": (4, 4)}, "sgemm_1 asks a tiling for copy as well, as in Tiling(..., copy=(32,8))"),
    ("pipelined", TILE, "so the ring has 2 or more (pipe), not 1"),
    ("warp_tiled", {**TILE, "pipe": 2}, "warp_tiled asks a tiling for warp as well"),
    ("warp_tiled", {"cta": (24, 12, 4), "copy": (2, 4), "math": (4, 2), "warp": (2, 1), "pipe": 2, "neighbours": 3}, "warp_tiled takes 1, 2 or 4 neighbours, not 3"),
    ("warp_tiled", {"cta": (16, 8, 2), "copy": (4, 2), "math": (4, 2), "warp": (2, 1), "pipe": 2}, "and 3 or more steps along k, not 2"),
]  # fmt: skip


@pytest.mark.parametrize(("stage", "tiling", "words"), FOR_STAGES, ids=lambda x: x if x in STAGES else "")
def test_tilings_that_are_not_for_this_stage(stage, tiling, words):
    """Not one of them may leave a part of C unwritten, or copy beyond a tile: no kernel runs."""
    with pytest.raises(LayoutError) as caught:
        run_gemm(*matrices(16, 16, 8), stage=stage, tiling=Tiling(**tiling))
    assert words in str(caught.value)
    with pytest.raises(LayoutError) as caught:
        compile_stage(stage, tiling=Tiling(**tiling))
    assert words in str(caught.value)


def test_refused_tilings_by_the_order_of_a_matrix():
    with pytest.raises(LayoutError, match="2 threads along k copy 2 numbers, and that is no multiple of vectors of 4"):
        compile_stage("sgemm_2", transposes="TN", tiling=Tiling((128, 128, 8), (8, 8), (32, 2), vector=4))
    with pytest.raises(LayoutError, match=r"a tiling is written Tiling\(cta="):
        run_gemm(*matrices(), tiling=(8, 8, 4))


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (None, "alpha is a real number, not None (a NoneType)"),
        ("2", "alpha is a real number, not '2' (a str)"),
        (1j, "alpha is a real number, not 1j (a complex)"),
        (1e39, "alpha is 1e+39: the stages compute in float32, whose numbers end at 3.4e+38"),
        (10**400, "the stages compute in float32"),
    ],
    ids=str,
)
def test_refused_factors(given, words):
    with pytest.raises(LayoutError) as caught:
        run_gemm(*matrices(), alpha=given)
    assert words in str(caught.value)
    with pytest.raises(LayoutError) as caught:
        run_gemm(*matrices(), beta=given)
    assert words.replace("alpha", "beta") in str(caught.value)


@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.parametrize(
    ("alpha", "beta", "wanted"), [(np.inf, 0, np.inf), (0, 0, 0), (1, np.nan, np.nan), (1, -np.inf, -np.inf)]
)
def test_factors_that_are_no_usual_numbers(stage, alpha, beta, wanted):
    """Only beta = 0 leaves C unread."""
    A, B, C = matrices(5, 7, 3)
    C[...] = np.nan if beta == 0 else 2
    run_gemm(A, B, C, alpha, beta, stage)
    np.testing.assert_array_equal(C, np.full((5, 7), wanted))


def test_the_launch_gives_shared_memory():
    p = Problem(16, 8, 8, "TN")
    plan = plan_gemm(p.A, p.B, p.C, stage="warp_tiled")
    columns = 2 * 4  # two tiles of four; k-major: 4 places between the columns of 16 and of 8, and none after the last
    assert plan.shared == 4 * (columns * (16 + 4) - 4 + columns * (8 + 4) - 4)
    assert plan_gemm(p.A, p.B, p.C, stage="sgemm_1").shared == 0


def test_more_shared_memory_than_the_gpu_has_is_refused(monkeypatch):
    monkeypatch.setattr(launch, "PLACE", "gpu")
    monkeypatch.setattr(
        launch.cuda, "get_current_device", lambda: SimpleNamespace(MAX_SHARED_MEMORY_PER_BLOCK_OPTIN=101376)
    )
    stage = launch.STAGES["warp_tiled"]
    launch.check_shared(stage, 101376)
    wanted = "warp_tiled needs 131072 bytes of shared memory a block with these tiles, and a block has 101376 at most on this GPU"
    with pytest.raises(LayoutError, match=wanted):
        launch.check_shared(stage, launch.shared_bytes(stage, "NT", replace(stage.tiling, pipe=4)))


@pytest.mark.parametrize("far", ["strides", "extent", "k"])
def test_offsets_beyond_32_bits(far):
    """Such a matrix is too large to make here: its shape and strides alone are asked about."""
    A, B, C = matrices(2, 7, 6)
    if far == "k":  # the last tile along k goes on to 2**31
        A, B = (np.lib.stride_tricks.as_strided(x, (len(x), 2**31 - 3), (0, 4)) for x in (A, B))
        words = "an extent of 2147483645 is too large for 32-bit coordinates"
    elif far == "strides":
        A = np.lib.stride_tricks.as_strided(A, (2, 6), (4 * 2**31, 4))
        words = "A reaches over 2147483654 elements, and the kernels count up to 2147483648 in 32 bits"
    else:
        B = np.lib.stride_tricks.as_strided(B, (2**31, 6), (0, 4))
        C = np.lib.stride_tricks.as_strided(C, (2, 2**31), (4, 8))
        words = "32 bits"
    given = [operands.operand(letter, x) for letter, x in zip("ABC", (A, B, C), strict=True)]
    with pytest.raises(LayoutError) as caught:
        operands.check_size(*given, (1, 1), launch.STAGES["sgemm_1"].tiling)
    assert words in str(caught.value)


def test_arrays_of_a_gpu_in_the_simulator():
    class Somewhere:
        def __init__(self, shape):
            shown = {"version": 3, "typestr": "<f4", "shape": shape, "strides": None, "data": (4096, False)}
            self.__cuda_array_interface__ = shown

    _A, B, C = matrices()
    with pytest.raises(LayoutError, match="A lies on a GPU, and kernels run in the simulator here"):
        run_gemm(Somewhere((5, 6)), B, C)
