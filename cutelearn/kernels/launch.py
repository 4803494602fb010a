"""run_gemm: look at the matrices, choose the kernel that fits them, launch it. Never a wrong value: it runs, or says why not.

The order of A and B in memory is the stage's (NT, TN, NN or TT), the order of C is not: C = A B^T by rows is C^T = B A^T by
columns, so for a C that lies by rows A and B change places.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numba import cuda

from ..htuple import LayoutError, ceil_div, text
from . import coalesced, naive, sgemm_1, smem_tiled
from .compiling import Compiled, compile_kernel, jit
from .machine import PLACE
from .stage import STRIDES, Stage, Tiling

STAGES = {s.name: s for s in (naive.STAGE, coalesced.STAGE, smem_tiled.STAGE, sgemm_1.STAGE)}
LARGEST = 2**31  # offsets are 32-bit integers with a sign, as `int` in CuTe's own kernels
DTYPE = np.dtype(np.float32)


def stages() -> tuple:
    """The GEMM stages in teaching order; each says what it adds to the one before.

    >>> [stage.name for stage in stages()]
    ['naive', 'coalesced', 'smem_tiled', 'sgemm_1']
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

    def __repr__(self):
        M, N, K = self.problem
        how = "no predicates" if self.aligned else "predicates"
        swap = ", as C^T = B A^T" if self.swapped else ""
        return f"{self.stage} {self.transposes}, M={M} N={N} K={K}, {how}, {text(self.grid)} blocks of {self.threads} threads{swap}"

    def launch(self) -> None:
        """Launches the kernel once, and does not wait for it."""
        self.kernel[self.grid, self.threads](*self.arguments)

    def run(self) -> None:
        self.launch()
        self.finish()


def plan_gemm(A, B, C, alpha=1.0, beta=0.0, stage="sgemm_1", tiling=None, name=None) -> Plan:
    """What `run_gemm` would do, checked but not yet done. `plan.launch()` does it as often as you like.

    `name` gives the kernel another name. Raises as `run_gemm` does.
    """
    stage = find_stage(stage)
    _check_machine(stage)
    a, b, c = (_operand(letter, x) for letter, x in (("A", A), ("B", B), ("C", C)))
    _check_shapes(a, b, c)
    _check_overlap(a, b, c)
    if swapped := not c.along_first:
        a, b, c = b, a, c.transposed()
    (M, K), N = a.shape, b.shape[0]
    tiling = tiling or (stage.small if PLACE == "simulator" else stage.tiling)
    bM, bN, bK = tiling.cta
    grid = (ceil_div(M, bM), ceil_div(N, bN))
    _check_size(a, b, c, grid, tiling)
    aligned = stage.make_aligned is not None and M % bM == N % bN == K % bK == 0
    transposes = ("N" if a.along_first else "T") + ("T" if b.along_first else "N")
    (on_a, _a), (on_b, _b), (on_c, finish) = (_placed(x, written=x is c) for x in (a, b, c))
    sizes = tuple(map(np.int32, (M, N, K)))
    arguments = (
        *sizes,
        np.float32(alpha),
        on_a,
        np.int32(a.ld),
        on_b,
        np.int32(b.ld),
        np.float32(beta),
        on_c,
        np.int32(c.ld),
    )
    kernel = ready_kernel(stage, transposes, aligned, tiling, name)
    return Plan(stage.name, transposes, swapped, aligned, (M, N, K), grid, tiling.threads, kernel, arguments, finish)


def find_stage(stage) -> Stage:
    if isinstance(stage, Stage):
        return stage
    if stage not in STAGES:
        raise LayoutError(f"there is no stage {stage!r}: the stages are {', '.join(STAGES)}")
    return STAGES[stage]


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
    tiling = tiling or stage.tiling
    kernel = make_kernel(stage, transposes, aligned, tiling, name)
    return compile_kernel(kernel, SIGNATURE, cc, (tiling.threads, stage.blocks_per_sm))


# ------------------------------------------------------------------------------------------------ operands


@dataclass(frozen=True)
class Operand:
    """A matrix as the launcher sees it: where it starts, its shape, and the one stride that is not 1."""

    letter: str
    shape: tuple
    strides: tuple  # in elements
    address: int
    array: Any  # numpy array, or the object on the GPU
    interface: dict | None  # __cuda_array_interface__ where it is on the GPU

    @property
    def along_first(self) -> bool:
        """Whether elements that lie side by side belong to the first mode (m or n), not to the second."""
        (rows, columns), (first, second) = self.shape, self.strides
        if rows == 1:
            return columns == 1 or second != 1
        return first == 1

    @property
    def ld(self) -> int:
        """The leading dimension: the stride of the other mode."""
        other = 1 if self.along_first else 0
        return self.strides[other] if self.shape[other] > 1 else self.shape[1 - other]

    @property
    def reach(self) -> int:
        """How many elements there are from its first to its last."""
        return 1 + sum((n - 1) * d for n, d in zip(self.shape, self.strides, strict=True))

    def transposed(self):
        return Operand(self.letter, self.shape[::-1], self.strides[::-1], self.address, self.array, self.interface)


def _operand(letter, x) -> Operand:
    interface = getattr(x, "__cuda_array_interface__", None)
    if interface is None:
        if not hasattr(x, "__array_interface__"):
            raise LayoutError(
                f"{letter} is a {type(x).__name__}: give a numpy array, or an array on the GPU that has __cuda_array_interface__ "
                f"(Numba, CuPy, PyTorch)"
            )
        x = np.asarray(x)
        shown = x.__array_interface__
    elif PLACE != "gpu":
        raise LayoutError(f"{letter} lies on a GPU, and kernels run in the simulator here: give a numpy array")
    else:
        shown = interface
        if shown.get("mask") is not None:
            raise LayoutError(f"{letter} is masked: fill it first")
    dtype, shape = np.dtype(shown["typestr"]), tuple(shown["shape"])
    _check_matrix(letter, dtype, shape)
    item = dtype.itemsize
    strides = shown.get("strides") or (shape[1] * item, item)
    address, read_only = shown["data"]
    if address % item or any(d % item for d in strides):
        raise LayoutError(
            f"{letter} is not aligned: its elements of {item} bytes start at address {address} with strides of {strides} bytes, not "
            f"at multiples of {item}. Copy it: np.require({letter}, requirements='A')"
        )
    if letter == "C" and read_only:
        raise LayoutError("C is read-only, and the result is written there: give a copy of it")
    made = Operand(letter, shape, tuple(d // item for d in strides), address, x, interface)
    _check_order(made)
    return made


def _check_matrix(letter, dtype, shape):
    if dtype != DTYPE:
        half = " (a sum in half precision stops growing early: 4096 times 0.1 gives 256)" if dtype == np.float16 else ""
        raise LayoutError(
            f"{letter} holds {dtype.newbyteorder('=') if dtype.isnative else dtype.str} numbers, and the stages compute in "
            f"float32{half}: convert it, {letter}.astype(np.float32)"
        )
    if len(shape) != 2:
        raise LayoutError(f"{letter} has the shape {text(shape)}: a matrix has two modes; view it as one with reshape")
    if 0 in shape:
        raise LayoutError(f"{letter} has the shape {text(shape)}: every extent must be at least 1")


def _check_order(x):
    for n, d in zip(x.shape, x.strides, strict=True):
        if n > 1 and d < 0:
            raise LayoutError(
                f"{x.letter} runs backwards (strides {text(x.strides)}): copy it, np.ascontiguousarray({x.letter})"
            )
    if not any(d == 1 or n == 1 for n, d in zip(x.shape, x.strides, strict=True)):
        raise LayoutError(
            f"{x.letter} has the strides {text(x.strides)}: along one of its two modes the elements must lie side by side (stride "
            f"1), so that a kernel knows that stride when it is compiled. Copy it: np.ascontiguousarray({x.letter})"
        )
    if x.letter == "C" and x.ld < x.shape[0 if x.along_first else 1]:
        raise LayoutError(
            f"C has the shape {text(x.shape)} and the strides {text(x.strides)}: some of its elements are the same memory, so "
            f"they cannot hold results of their own"
        )


def _check_shapes(a, b, c):
    (M, K), (N, K_of_B) = a.shape, b.shape
    if K_of_B != K:
        hint = ". This B is (K,N); CuTe's is (N,K): pass B.T" if b.shape == (K, c.shape[1]) else ""
        raise LayoutError(f"A is {text(a.shape)} and B is {text(b.shape)}: A is (M,K) and B is (N,K), with one K{hint}")
    if c.shape != (M, N):
        raise LayoutError(
            f"C is {text(c.shape)}, and A {text(a.shape)} with B {text(b.shape)} makes it (M,N) = ({M},{N})"
        )


def _check_overlap(a, b, c):
    """C may share memory with neither A nor B: other blocks still read there while one writes."""
    for x in (a, b):
        if (x.interface is None) != (c.interface is None):
            continue
        if np.shares_memory(_shadow(x), _shadow(c)):
            raise LayoutError(
                f"C shares memory with {x.letter}: a block would write results where others still read {x.letter}. Give C memory "
                f"of its own"
            )


class _Shadow:
    """An array's place in memory, told to numpy. Never looked into: on a GPU numpy cannot."""

    def __init__(self, x):
        strides = tuple(d * DTYPE.itemsize for d in x.strides)
        self.__array_interface__ = {
            "version": 3,
            "typestr": DTYPE.str,
            "shape": x.shape,
            "strides": strides,
            "data": (x.address, True),
        }


def _shadow(x):
    return np.asarray(_Shadow(x))


def _check_size(a, b, c, grid, tiling):
    for x in (a, b, c):
        if x.reach > LARGEST:
            raise LayoutError(
                f"{x.letter} reaches over {x.reach} elements, and the kernels count up to {LARGEST} in 32 bits: work on parts of it"
            )
    for blocks, tile, extent in zip((*grid, 1), tiling.cta, (*c.shape, a.shape[1]), strict=True):
        if max(blocks * tile, extent) >= LARGEST:
            raise LayoutError(f"an extent of {extent} is too large for 32-bit coordinates: work on parts of it")
    if grid[1] > 65535:
        raise LayoutError(
            f"C needs {grid[1]} blocks along n, and a grid has at most 65535 there: work on parts of C, or take larger tiles"
        )


def _placed(x, written):
    """The flat memory of an operand as the kernel takes it, and what brings it back afterwards."""
    if x.interface is not None:
        flat = _Flat(x.interface | {"shape": (x.reach,), "strides": None, "data": (x.address, False)}, x.array)
        return cuda.as_cuda_array(flat), _nothing
    flat = np.lib.stride_tricks.as_strided(x.array, (x.reach,), (DTYPE.itemsize,))
    if PLACE == "simulator":
        return (cuda.InOut if written else cuda.In)(flat), _nothing
    there = cuda.to_device(flat)
    return there, (lambda: there.copy_to_host(flat)) if written else _nothing


def _nothing():
    pass


class _Flat:
    """Memory on the GPU seen as one row of elements; keeps its owner alive."""

    def __init__(self, interface, owner):
        self.__cuda_array_interface__, self.owner = interface, owner


# ------------------------------------------------------------------------------------------------ the machine


def _check_machine(stage):
    if PLACE == "nowhere":
        raise RuntimeError(
            "there is no GPU on this machine, and NUMBA_ENABLE_CUDASIM=0 keeps the simulator off: kernels can only be compiled "
            "here. Set it to 1, or leave it unset, before cutelearn.kernels is imported"
        )
    if PLACE == "gpu":
        _check_capability(stage, tuple(cuda.get_current_device().compute_capability), "this GPU has")


def _check_capability(stage, cc, whose):
    if cc < stage.least_cc:
        raise LayoutError(
            f"{stage.name} needs compute capability {stage.least_cc[0]}.{stage.least_cc[1]} or more, for {stage.needs}; {whose} "
            f"{cc[0]}.{cc[1]}"
        )
