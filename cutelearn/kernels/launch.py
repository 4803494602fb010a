"""run_gemm: look at the matrices, choose the kernel that fits them, launch it. Never a wrong value: it runs, or says why not.

The order of A and B in memory is the stage's (NT, TN, NN or TT), the order of C is not: C = A B^T by rows is C^T = B A^T by
columns, so for a C that lies by rows A and B change places.
"""

import warnings
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
from numba import cuda

from ..htuple import LayoutError, ceil_div, text
from . import coalesced, naive, pipelined, sgemm_1, sgemm_2, smem_tiled, warp_tiled
from .compiling import Compiled, allow_shared, compile_kernel, jit
from .machine import PLACE
from .operands import check_overlap, check_shapes, check_size, factor, operand, placed
from .stage import STRIDES, Stage, Tiling

_ORDER = (naive, coalesced, smem_tiled, sgemm_1, sgemm_2, pipelined, warp_tiled)
STAGES = {module.STAGE.name: module.STAGE for module in _ORDER}


def stages() -> tuple:
    """The GEMM stages in teaching order; each says what it adds to the one before.

    >>> [stage.name for stage in stages()]
    ['naive', 'coalesced', 'smem_tiled', 'sgemm_1', 'sgemm_2', 'pipelined', 'warp_tiled']
    """
    return tuple(STAGES.values())


# ------------------------------------------------------------------------------------------------ for who only wants the result


def run_gemm(A, B, C, alpha=1.0, beta=0.0, stage="sgemm_1", tiling: Tiling | None = None) -> None:
    """C = alpha A B^T + beta C with the kernel of a stage. Shapes as in CuTe: A is (M, K), B is (N, K), C is (M, N).

    A, B, C: float32 matrices: numpy arrays, or arrays on the GPU (Numba, CuPy, PyTorch, whatever has
    `__cuda_array_interface__`), which are used where they lie. For a B that is (K, N) pass B.T, which copies nothing.
    Each may lie by rows or by columns, and be part of a larger matrix: one of its two strides must be 1. From the strides
    follows the kernel: A is "N" where it lies along m and "T" where it lies along k, B "T" along n and "N" along k, as BLAS
    calls them. With beta 0, C is not read. Sizes need not be multiples of the tiles; where they are, a kernel without
    predicates is taken.

    >>> A, B, C = np.ones((5, 3), np.float32), np.ones((4, 3), np.float32), np.empty((5, 4), np.float32)
    >>> run_gemm(A, B, C, alpha=2, stage="naive")
    >>> C[4]
    array([6., 6., 6., 6.], dtype=float32)

    Without a GPU the kernel runs in Numba's simulator, thread by thread, with small tiles unless `tiling` says otherwise. With
    arrays on the GPU the call returns when the work is queued on the default stream, as CUDA's libraries do; with numpy arrays,
    when C is written. Launching again and again: see `plan_gemm`.
    Raises LayoutError for operands that the stage cannot take, RuntimeError where there is nothing to run on.
    Source: CuTe documentation, 0x_gemm_tutorial (shapes, strides and the BLAS letters).
    """
    plan_gemm(A, B, C, alpha, beta, stage, tiling).run()


@dataclass(frozen=True)
class Plan:
    """A GEMM that is checked and ready: which kernel, how many blocks of how many threads, and its arguments."""

    stage: str
    transposes: str  # of the kernel's own A and B
    swapped: bool  # whether C lies by rows, so that A and B changed places
    aligned: bool  # whether the kernel without predicates does
    problem: tuple  # the kernel's (M, N, K)
    grid: tuple
    threads: int
    kernel: Any
    arguments: tuple
    finish: Any  # brings C back to where it came from
    vector: int = 1  # how many neighbours of A or B one access moves
    shared: int = 0  # bytes of shared memory that the launch gives each block

    def __repr__(self):
        M, N, K = self.problem
        how = "no predicates" if self.aligned else "predicates"
        how += f", {self.vector} elements at once" if self.vector > 1 else ""
        swap = ", as C^T = B A^T" if self.swapped else ""
        return f"{self.stage} {self.transposes}, M={M} N={N} K={K}, {how}, {text(self.grid)} blocks of {self.threads} threads{swap}"

    def launch(self) -> None:
        """Launches the kernel once, and does not wait for it."""
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message=".*Grid size")  # Numba warns of small grids
            ready = self.kernel[self.grid, self.threads, 0, self.shared]
        ready(*self.arguments)

    def run(self) -> None:
        self.launch()
        self.finish()


def plan_gemm(A, B, C, alpha=1.0, beta=0.0, stage="sgemm_1", tiling=None, name=None) -> Plan:
    """What `run_gemm` would do, checked but not yet done. `plan.launch()` does it as often as you like.

    `name` gives the kernel another name. Raises as `run_gemm` does.
    """
    stage = find_stage(stage)
    _check_machine(stage)
    alpha, beta = factor("alpha", alpha), factor("beta", beta)
    a, b, c = (operand(letter, x) for letter, x in (("A", A), ("B", B), ("C", C)))
    check_shapes(a, b, c)
    check_overlap(a, b, c)
    if swapped := not c.along_first:
        a, b, c = b, a, c.transposed()
    (M, K), N = a.shape, b.shape[0]
    tiling = tiling_for(stage, tiling or (stage.small if PLACE == "simulator" else stage.tiling))
    if not (a.takes_vectors(tiling.vector) and b.takes_vectors(tiling.vector)):
        tiling = replace(tiling, vector=1)
    bM, bN, bK = tiling.cta
    grid = (ceil_div(M, bM), ceil_div(N, bN))
    check_size(a, b, c, grid, tiling)
    aligned = stage.make_aligned is not None and M % bM == N % bN == K % bK == 0
    transposes = ("N" if a.along_first else "T") + ("T" if b.along_first else "N")
    (on_a, _a), (on_b, _b), (on_c, finish) = (placed(x, written=x is c) for x in (a, b, c))
    sizes = tuple(map(np.int32, (M, N, K)))
    arguments = (
        *sizes,
        alpha,
        on_a,
        np.int32(a.ld),
        on_b,
        np.int32(b.ld),
        beta,
        on_c,
        np.int32(c.ld),
    )
    shared = shared_bytes(stage, transposes, tiling)
    check_shared(stage, shared)
    kernel = ready_kernel(stage, transposes, aligned, tiling, name)
    allow_shared(kernel, arguments, shared)
    return Plan(
        stage.name, transposes, swapped, aligned, (M, N, K), grid, tiling.threads, kernel, arguments, finish, tiling.vector, shared
    )  # fmt: skip


def find_stage(stage) -> Stage:
    if isinstance(stage, Stage):
        return stage
    if not isinstance(stage, str) or stage not in STAGES:
        raise LayoutError(f"there is no stage {stage!r}: the stages are {', '.join(STAGES)}")
    return STAGES[stage]


def tiling_for(stage: Stage, tiling: Tiling) -> Tiling:
    """The tiling, if it says all that the stage asks of one."""
    if not isinstance(tiling, Tiling):
        raise LayoutError(f"a tiling is written Tiling(cta=(...), math=(...), ...), and this is {tiling!r}")
    for name in ("copy", "warp"):
        if getattr(tiling, name) is None and (ours := getattr(stage.tiling, name)) is not None:
            raise LayoutError(f"{stage.name} asks a tiling for {name} as well, as in Tiling(..., {name}={text(ours)})")
    return tiling


def make_kernel(stage: Stage, transposes: str, aligned: bool, tiling: Tiling, name=None):
    """The Python function of a stage's kernel."""
    if transposes not in STRIDES:
        raise LayoutError(
            f"transposes {transposes!r}: write one of {', '.join(STRIDES)}, A's letter first, as BLAS does"
        )
    make = stage.make_aligned if aligned and stage.make_aligned else stage.make
    kernel = make(*STRIDES[transposes], tiling)
    if name is not None:
        kernel.__name__ = kernel.__qualname__ = name
    return kernel


def shared_bytes(stage: Stage, transposes: str, tiling: Tiling) -> int:
    """Bytes of shared memory that the launch gives a block, besides what the kernel has by itself."""
    return stage.shared(*STRIDES[transposes], tiling) if stage.shared else 0


@lru_cache(maxsize=256)
def ready_kernel(stage, transposes, aligned, tiling, name=None):
    """A stage's kernel, ready to be launched; compiled once."""
    return jit(make_kernel(stage, transposes, aligned, tiling, name), tiling.threads, stage.blocks_per_sm)


SIGNATURE = "int32, int32, int32, float32, float32[::1], int32, float32[::1], int32, float32, float32[::1], int32"


def compile_stage(stage="sgemm_1", cc=(9, 0), transposes="NT", aligned=True, tiling=None, name=None) -> Compiled:
    """A stage's kernel as code for a compute capability, with or without a GPU.

    The result has `.ptx`, `.cubin`, `.registers`, `.spills`, `.shared`; and `.sass`, where nvdisasm is installed.
    aligned: the kernel for sizes that the tiles divide, where the stage has one; else the one with predicates.

    >>> compile_stage("sgemm_1", (8, 0)).ptx.count("bar.sync")
    2

    Raises LayoutError for a stage, letters or capability that there are not.
    """
    stage = find_stage(stage)
    _check_capability(stage, tuple(cc), "this is asked of")
    tiling = tiling_for(stage, tiling or stage.tiling)
    kernel = make_kernel(stage, transposes, aligned, tiling, name)
    made = compile_kernel(kernel, SIGNATURE, cc, (tiling.threads, stage.blocks_per_sm))
    return replace(made, launched_with=shared_bytes(stage, transposes, tiling))


# ------------------------------------------------------------------------------------------------ the machine


def _check_machine(stage):
    if PLACE == "nowhere":
        raise RuntimeError(
            "there is no GPU on this machine, and NUMBA_ENABLE_CUDASIM=0 keeps the simulator off: kernels can only be compiled "
            "here. Set it to 1, or leave it unset, before cutelearn.kernels is imported"
        )
    if PLACE == "gpu":
        _check_capability(stage, tuple(cuda.get_current_device().compute_capability), "this GPU has")


def check_shared(stage, shared):
    """The simulator has as much shared memory as it is asked for; a GPU has not."""
    if PLACE == "gpu" and shared > (most := cuda.get_current_device().MAX_SHARED_MEMORY_PER_BLOCK_OPTIN):
        raise LayoutError(
            f"{stage.name} needs {shared} bytes of shared memory a block with these tiles, and a block has {most} at most on this "
            f"GPU: give smaller tiles, or fewer of them (pipe), with Tiling(...)"
        )


def _check_capability(stage, cc, whose):
    if cc < stage.least_cc:
        raise LayoutError(
            f"{stage.name} needs compute capability {stage.least_cc[0]}.{stage.least_cc[1]} or more, for {stage.needs}; {whose} "
            f"{cc[0]}.{cc[1]}"
        )
