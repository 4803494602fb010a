"""A small GEMM to try a kernel on: C = A B^T in tiles of 8 x 4, with 8 threads a block. Lists come out, so that they can be judged.

What the exercises of sgemm_1 take as given stands here: the tiles, the thread layouts, parts 1 and 2 of the kernel. The numbers in
A and B, and what the memory behind them holds, are those of chapters/functions11.py, which needs no Numba.
"""

import warnings

import numpy as np

from ..algorithms import clear, copy, gemm
from ..htuple import Int, LayoutError, _, ceil_div
from ..kernels import jit
from ..kernels.leftover import none_left
from ..kernels.trial import without_thread
from ..layout import Layout, size
from ..partition import Step, X, local_partition, local_tile
from ..tensor import make_gmem_ptr, make_smem_ptr, make_tensor, make_tensor_like
from .chapters.functions11 import BEHIND, NOTHING, TILER, a_element, b_element, plain_number, rows_of

from numba import cuda  # isort: skip (cutelearn.kernels goes first: it switches the simulator on where there is no GPU)
from numba.cuda.core.errors import TypingError  # isort: skip

cta_tiler = TILER  # (BLK_M, BLK_N, BLK_K)
sA_layout, sB_layout = Layout((8, 4)), Layout((4, 4))  # (m,k) and (n,k) -> place in shared memory
size_A, size_B = 32, 16
tA = tB = Layout((2, 4))  # (m,k) and (n,k) -> thread
tC = Layout((4, 2))  # (m,n) -> thread
THREADS = 8


@cuda.jit(device=True)
def tiles(M, N, K, A, ldA, B, ldB, C, ldC):
    """Parts 1 and 2 of sgemm_1: gA (8,4,k), gB (4,4,k) and gC (8,4) of this block."""
    mA = make_tensor(make_gmem_ptr(A), (M, K), (Int(1), ldA))
    mB = make_tensor(make_gmem_ptr(B), (N, K), (Int(1), ldB))
    mC = make_tensor(make_gmem_ptr(C), (M, N), (Int(1), ldC))
    cta_coord = (cuda.blockIdx.x, cuda.blockIdx.y, _)
    gA = local_tile(mA, cta_tiler, cta_coord, Step(1, X, 1))
    gB = local_tile(mB, cta_tiler, cta_coord, Step(X, 1, 1))
    gC = local_tile(mC, cta_tiler, cta_coord, Step(1, 1, X))
    return gA, gB, gC


@cuda.jit(device=True)
def partitions(gA, gB, gC, sA, sB):
    """Parts 4 and 5 of sgemm_1 without its accumulators: tAgA, tAsA, tBgB, tBsB, tCsA, tCsB and tCgC of this thread."""
    t = cuda.threadIdx.x
    tAgA, tAsA = local_partition(gA, tA, t), local_partition(sA, tA, t)
    tBgB, tBsB = local_partition(gB, tB, t), local_partition(sB, tB, t)
    tCsA, tCsB = local_partition(sA, tC, t, Step(1, X)), local_partition(sB, tC, t, Step(X, 1))
    return tAgA, tAsA, tBgB, tBsB, tCsA, tCsB, local_partition(gC, tC, t)


def sgemm_with(tiles):
    """The rest of sgemm_1, parts 3 to 7, on the tiles that a device function gives: a kernel for `run_small`."""

    def sgemm_1(M, N, K, A, ldA, B, ldB, C, ldC):
        gA, gB, gC = tiles(M, N, K, A, ldA, B, ldB, C, ldC)
        smemA = cuda.shared.array(size_A, np.float32)
        smemB = cuda.shared.array(size_B, np.float32)
        sA, sB = make_tensor(make_smem_ptr(smemA), sA_layout), make_tensor(make_smem_ptr(smemB), sB_layout)
        tAgA, tAsA, tBgB, tBsB, tCsA, tCsB, tCgC = partitions(gA, gB, gC, sA, sB)
        tCrC = make_tensor_like(tCgC)
        clear(tCrC)
        for k_tile in range(size(tAgA, 2)):
            copy(tAgA[_, _, k_tile], tAsA)
            copy(tBgB[_, _, k_tile], tBsB)
            cuda.syncthreads()
            gemm(tCsA, tCsB, tCrC)
            cuda.syncthreads()
        copy(tCrC, tCgC)

    return sgemm_1


def run_small(kernel, M: int, N: int, K: int, behind: int | None = BEHIND) -> list:
    """The rows of C after `kernel(M, N, K, A, ldA, B, ldB, C, ldC)`, with a block of 8 threads for each tile of 8 x 4.

    A is (M,K), B is (N,K), C is (M,N), all stored by columns without padding, float32. Where the kernel writes nothing, C is 777.
    behind: what the memory behind A and B holds; None stands for NaN, which comes out as "nan".

    >>> run_small(sgemm_with(tiles), 8, 4, 4)[0]
    [57, -31, 8, 44]

    Raises LayoutError where the kernel is refused: by the library, by the compiler, or for a trap (see kernels.traps).
    """
    a = _memory([a_element(m, k) for k in range(K) for m in range(M)], M * (4 * K + 8), behind)
    b = _memory([b_element(n, k) for k in range(K) for n in range(N)], N * (4 * K + 8), behind)
    c = _memory([], (M + 8) * (M + N + 4), NOTHING)
    arguments = (*map(np.int32, (M, N, K)), a, np.int32(M), b, np.int32(N), c, np.int32(M))
    try:
        with warnings.catch_warnings(), none_left():
            warnings.simplefilter("ignore")  # Numba warns of small grids
            jit(kernel, THREADS)[ceil_div((M, N), TILER[:2]), THREADS](*arguments)
    except LayoutError as error:
        raise LayoutError(without_thread(str(error))) from None
    except TypingError as error:
        raise LayoutError((str(error).splitlines()[1:] or [str(error)])[0]) from None
    return rows_of([plain_number(x) for x in c.tolist()], M, N)


def _memory(numbers, at_least: int, rest) -> np.ndarray:
    rest = np.full(at_least + 64, np.nan if rest is None else rest, np.float32)
    rest[: len(numbers)] = numbers
    return rest
