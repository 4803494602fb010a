"""What real learners met with kernels (tests/data/cases.open.jsonl): each is prevented, refused or explained here.

The cases that need the simulator are in simulated_kernels.py: gemm-01, gemm-02, gemm-06.
"""

import real_cuda  # noqa: F401, I001 (first)

import ast
import inspect
import os
import subprocess
import sys
import textwrap

import numpy as np
import oracle
import pytest
from emulator import Emulated
from gemm_problems import Problem
from numba import cuda
from test_kernels_emulated import run

from cutelearn import (
    Layout,
    LayoutError,
    LayoutRight,
    _,
    clear,
    compile_kernel,
    elem_less,
    fill,
    gemm,
    make_tensor,
    make_tensor_like,
)
from cutelearn.htuple import leaves
from cutelearn.kernels import jit, traps
from cutelearn.kernels.launch import STAGES
from cutelearn.kernels.stage import STRIDES, Tiling

CASES = {row["id"]: row for path in oracle.files("cases") for row in oracle.rows(path)}


def case(name):
    return CASES[name]["inputs"], CASES[name]["expected"]


def child(code, **environment):
    """A Python process of its own; numba.cuda is not imported there yet."""
    environment = {k: v for k, v in os.environ.items() if k != "NUMBA_ENABLE_CUDASIM"} | environment
    command = [sys.executable, "-W", "error", "-c", textwrap.dedent(code)]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


# ------------------------------------------------------------------------------------------------ explained: guards and edges


def test_gemm_03_a_guard_is_and_over_all_modes():
    inputs, _expected = case("gemm-03")
    assert not elem_less(tuple(inputs["thread"]), tuple(inputs["C"]))  # 6 is not less than 5, whatever 2 is to 7


def test_gemm_05_guards_go_by_coordinate_not_by_offset():
    inputs, expected = case("gemm-05")
    C = Layout(tuple(inputs["C"]), LayoutRight)
    assert C((0, 31)) == expected["offset(0,31)"] == C((1, 15)) == expected["offset(1,15)"]
    assert not elem_less((0, 31), C.shape)
    assert elem_less((1, 15), C.shape)
    run(
        STAGES["sgemm_1"], Problem(*inputs["C"], 5, pad=3), False, STAGES["sgemm_1"].tiling
    )  # a tile of 128 x 128 on it


# ------------------------------------------------------------------------------------------------ refused: traps of the simulator


def returns_early(a):
    s = cuda.shared.array(8, np.float32)
    t = cuda.threadIdx.x
    if t >= a.size:
        return
    s[t] = a[t]
    cuda.syncthreads()
    a[t] = s[a.size - 1 - t]


def barrier_in_a_branch(a):
    s = cuda.shared.array(8, np.float32)
    place = cuda.grid(1)
    inside = place < a.size
    if inside:
        s[place] = a[place]
        cuda.syncthreads()
        a[place] = s[a.size - 1 - place]


def barrier_in_a_loop_that_differs(a):
    for i in range(cuda.threadIdx.x):
        a[i] += 1
        cuda.syncthreads()


def two_on_a_line(a):
    s, r = cuda.shared.array(8, np.float32), cuda.shared.array(8, np.float32)
    s[0] = r[0] = a[0]


def in_a_loop(a):
    for i in range(3):
        s = cuda.shared.array(8, np.float32)
        s[i] = a[i]


TRAPPED = {
    returns_early: "returns_early, line 5 of the kernel: some threads return under `t >= a.size`",
    barrier_in_a_branch: "barrier_in_a_branch, line 7 of the kernel: syncthreads() stands under `inside`, which differs between",
    barrier_in_a_loop_that_differs: "line 4 of the kernel: syncthreads() stands under `range(cuda.threadIdx.x)`",
    two_on_a_line: "two_on_a_line, line 2 of the kernel: two shared arrays are allocated on one line",
    in_a_loop: "in_a_loop, line 3 of the kernel: a shared array is allocated in a loop",
}


@pytest.mark.parametrize("kernel", TRAPPED, ids=lambda k: k.__name__)
def test_gemm_04_and_17_barriers_and_allocations(kernel):
    """The simulator runs all of these: `jit` and `compile_kernel` do not."""
    assert TRAPPED[kernel] in traps(kernel)[0]
    with pytest.raises(LayoutError, match=kernel.__name__):
        jit(kernel, 8)
    with pytest.raises(LayoutError, match=kernel.__name__):
        compile_kernel(kernel, "float32[::1]")


def test_what_does_not_differ_is_no_trap():
    def fine(a, n):
        s = cuda.shared.array(8, np.float32)
        t = cuda.threadIdx.x
        if n > 3:
            for i in range(n):
                s[t] = a[i]
                cuda.syncthreads()
        if t < 4:
            a[t] = s[t]
            return

    def as_many_for_all(a):
        part = a[cuda.threadIdx.x]
        for _k in range(part.shape[0]):
            cuda.syncthreads()

    assert traps(fine) == traps(as_many_for_all) == []


def shape_from_an_argument(a):
    s = cuda.shared.array(a.shape[0], np.float32)
    a[0] = s[0]


def shape_from_the_block(a):
    s = cuda.shared.array((cuda.blockDim.x, 2), np.float32)
    a[0] = s[0, 0]


def factories(n):
    m = n + 1

    def shape_from_an_expression(a):
        s = cuda.shared.array((n, n + 1), np.float32)
        a[0] = s[0, 0]

    def shape_from_names(a):
        s = cuda.shared.array((n, m), np.float32)
        s[cuda.threadIdx.x, 0] = a[0]
        cuda.syncthreads()
        a[0] = s[0, 0]

    return shape_from_an_expression, shape_from_names


def test_gemm_08_shapes_of_shared_arrays():
    inputs, expected = case("gemm-08")
    kernels = [shape_from_an_argument, shape_from_the_block, *factories(8)]
    assert len(kernels) == len(inputs["shapes"])
    for kernel, answer in zip(kernels, expected["compile"], strict=True):
        if answer == "TypingError":
            with pytest.raises(LayoutError, match="a shape is a number, or a name from outside of the kernel"):
                compile_kernel(kernel, "float32[::1]")
        else:
            assert f"ok, {compile_kernel(kernel, 'float32[::1]').shared} bytes" in answer


def test_numbers_worked_out_when_the_kernel_is_read_are_shapes():
    def kernel(a):
        s = cuda.shared.array((2 * 4, 3), np.float32)
        t = cuda.threadIdx.x
        s[t, 0] = a[t]
        cuda.syncthreads()
        a[t] = s[7 - t, 0]

    assert traps(kernel) == []
    assert compile_kernel(kernel, "float32[::1]").shared == 96


def test_gemm_16_large_captured_arrays():
    inputs, expected = case("gemm-16")
    table = np.zeros(inputs["elements"], inputs["dtype"])

    def captures(a):
        a[0] = table[1]

    sentence = traps(captures)[0]
    assert f"captures the array table of {expected['bytes']} bytes" in sentence
    assert str(expected["limit"]) in sentence
    with pytest.raises(LayoutError, match="pass it as an argument"):
        jit(captures, 1)


# ------------------------------------------------------------------------------------------------ prevented


def test_gemm_10_kernels_come_from_factories():
    """No kernel of ours reads a number that somebody could change later: what it captures is its own."""
    for kernel in our_kernels():
        captured = inspect.getclosurevars(kernel)
        assert not [name for name, x in captured.globals.items() if isinstance(x, (int, float, np.ndarray))], kernel
    make = STAGES["sgemm_1"].make_aligned
    small, large = (make(*STRIDES["NT"], t) for t in (Tiling((8, 8, 4), (4, 4), (4, 4)), STAGES["sgemm_1"].tiling))
    assert inspect.getclosurevars(small).nonlocals["sA_size"] == 32
    assert inspect.getclosurevars(large).nonlocals["sA_size"] == 1024


def test_gemm_12_sums_in_half_precision():
    """The type of the sum is that of C: in float16 it stops at 256. run_gemm takes float32 only, and says why."""
    inputs, expected = case("gemm-12")
    n, value = inputs["terms"], np.float16(0.1)
    A, B = make_tensor(np.full(n, value), (1, n)), make_tensor(np.ones(n, np.float16), (1, n))
    for dtype, name in ((np.float16, "fp16"), (np.float32, "fp32")):
        C = make_tensor(dtype, (1, 1))
        gemm(A, B, C)
        assert round(float(C[0]), 1) == expected[name]

    def adds(out, a, n):
        terms = make_tensor(a, (1, n))
        ones, c = make_tensor_like(terms[_, 0]), make_tensor_like(terms[_, 0])
        fill(ones, np.float32(1))
        clear(c)
        for i in range(n):
            gemm(terms[_, i], ones, c)
        out[0] = c[0]

    out = np.zeros(1, np.float32)
    compiled = Emulated(adds, "float32[::1], float16[::1], int32")
    compiled.run((1,), 1, out, np.full(n, value), n)
    assert out[0] == expected["fp16"]


# ------------------------------------------------------------------------------------------------ the switch of the simulator


def test_gemm_14_the_simulator_switched_on_too_late():
    late = child(
        """
        from numba import cuda
        import os
        os.environ["NUMBA_ENABLE_CUDASIM"] = "1"
        import cutelearn.kernels
        """
    )
    assert (
        "RuntimeError: The simulator was switched on too late: NUMBA_ENABLE_CUDASIM=1 was set after numba.cuda"
        in late.stderr
    )
    assert "Restart the kernel and import cutelearn.kernels first" in late.stderr


NO_GPU = {"CUDA_VISIBLE_DEVICES": ""}


def test_without_a_gpu_the_simulator_is_switched_on():
    done = child("from cutelearn.kernels import PLACE; print(PLACE)", **NO_GPU)
    assert done.stdout == "simulator\n", done.stderr


def test_numba_cuda_imported_before_and_no_gpu():
    done = child("from numba import cuda; import cutelearn.kernels", **NO_GPU)
    assert (
        "numba.cuda was imported before cutelearn.kernels, without its simulator, and this machine has no GPU"
        in done.stderr
    )


def test_numba_cuda_imported_before_as_the_simulator():
    code = "from numba import cuda; from cutelearn.kernels import PLACE; print(PLACE)"
    assert child(code, NUMBA_ENABLE_CUDASIM="1").stdout == "simulator\n"


def test_nowhere_to_run():
    code = (
        "import numpy as np; from cutelearn import run_gemm; x = np.ones((2, 2), np.float32); run_gemm(x, x, x.copy())"
    )
    done = child(code, NUMBA_ENABLE_CUDASIM="0", **NO_GPU)
    assert (
        "RuntimeError: there is no GPU on this machine, and NUMBA_ENABLE_CUDASIM=0 keeps the simulator off"
        in done.stderr
    )


def test_nothing_to_measure_on():
    done = child("import sys; from cutelearn.cli import main; sys.exit(main(['bench']))", **NO_GPU)
    assert done.returncode == 1
    assert (
        done.stderr == "cutelearn bench: there is no GPU here that kernels can run on, so there is nothing to time.\n"
    )


def test_numpy_without_row_stack():
    """numba-cuda 0.30 asks numpy for a name that numpy 2.5 no longer has. It is lent for the import, and no longer."""
    done = child(
        """
        import numpy as np
        if hasattr(np, "row_stack"):
            del np.row_stack
        from cutelearn import compile_stage
        assert not hasattr(np, "row_stack")
        print(compile_stage("naive", (8, 0)).ptx.count("ld.global.f32"))
        """,
        NUMBA_ENABLE_CUDASIM="0",
    )
    assert int(done.stdout or 0) > 1, done.stderr


def test_a_star_import_wakes_no_numba():
    done = child("from cutelearn import *; import sys; print('numba' in sys.modules)")
    assert done.stdout == "False\n", done.stderr


# ------------------------------------------------------------------------------------------------ our own kernels


def our_kernels():
    for stage in STAGES.values():
        for make in filter(None, (stage.make, stage.make_aligned)):
            for d in STRIDES.values():
                yield make(*d, stage.tiling)


def test_no_kernel_of_ours_has_a_trap():
    for kernel in our_kernels():
        assert traps(kernel) == []


def test_kernels_are_short():
    """The last stage has most to say."""
    for kernel in our_kernels():
        lines = [line for line in inspect.getsource(kernel).splitlines() if line.strip()]
        file = inspect.getsource(inspect.getmodule(kernel)).splitlines()
        most = (65, 250) if kernel.__name__.startswith("warp_tiled") else (46, 215)
        assert len(lines) <= most[0], f"{kernel.__name__} has {len(lines)} lines"
        assert len(file) <= most[1], f"the file of {kernel.__name__} has {len(file)} lines"


def test_threads_are_projected_by_steps():
    """Where a kernel shares shared memory out for computing it writes Step and X, as CuTe; no layout is projected by hand. A
    TiledMMA projects by itself."""
    for kernel in our_kernels():
        captured = inspect.getclosurevars(kernel).nonlocals
        for name, layout in captured.items():
            if isinstance(layout, Layout):
                assert 0 not in leaves(layout.stride) or layout.shape == leaves(layout.shape), (
                    f"{kernel.__name__}: {name}"
                )
                assert all(d or n == 1 for n, d in zip(leaves(layout.shape), leaves(layout.stride), strict=True)), name
        calls = [ast.unparse(call) for call in ast.walk(tree_of(kernel)) if isinstance(call, ast.Call)]
        if any("shared.array" in call for call in calls) and "thr_mma.partition_A(sA)" not in calls:
            assert "local_partition(sA, tC, t, Step(1, X))" in [call.replace("cuda.threadIdx.x", "t") for call in calls]
            assert "local_partition(sB, tC, t, Step(X, 1))" in [call.replace("cuda.threadIdx.x", "t") for call in calls]
            tiles = [call for call in calls if call.startswith("local_tile(m")]
            assert tiles
            assert all("Step(" in call for call in tiles)


def tree_of(kernel):
    return ast.parse(textwrap.dedent(inspect.getsource(kernel)))
