"""pipelined: sgemm_2 with one change. Tiles go from global to shared memory by themselves, several of them under way at once.

cp.async (SM80) copies from global to shared memory without registers, and the thread does not wait. So shared memory holds a ring of
tiles: one is multiplied, the others are on their way. Copies are counted in groups, one a tile: `cp_async_fence` closes a group,
`cp_async_wait(n)` waits until at most the n youngest are under way. One barrier a tile is enough: after it, all have the tile that is
multiplied next, and none reads the one before any more, whose place the next copies take.

The ring may want more shared memory than the 48 KB that a block has without asking, so the launch says how much: in the kernel it is
an array of 0 elements (`shared.array(0, ...)`), whose first part is A's and whose rest is B's.

`pipelined_any` has predicates besides; what they leave out becomes 0.
Source: CuTe's tutorial, examples/cute/tutorial/sgemm_sm80.cu.
"""

import numpy as np
from numba import cuda
from numba.cuda.types import float32

from ..algorithms import axpby, clear, copy, gemm
from ..atoms.copy import make_tiled_copy
from ..atoms.library import copy_atom
from ..htuple import Int, LayoutError, _
from ..layout import Layout, cosize, size
from ..partition import Step, X, local_tile
from ..tensor import elem_less, make_gmem_ptr, make_identity_tensor, make_smem_ptr, make_tensor
from .ptx import copy_zfill, cp_async_fence, cp_async_wait
from .sgemm_2 import make_mma
from .stage import Stage, Tiling, along, k_major


def ring_layout(d, extent, bK, pipe) -> Layout:
    """(m,k,pipe) -> place in shared memory: tile after tile, each as sgemm_1 lays it.

    >>> from .stage import mn_major
    >>> ring_layout(mn_major, 128, 8, 3)
    (128,8,3):(1,128,1024)
    """
    step = extent + 4 if d is k_major else extent
    return Layout((extent, bK, pipe), (1, step, step * bK))


def make_async_copy(d, tiling):
    """The TiledCopy of an operand by cp.async: vectors where shared memory has them as global memory does, which k-major has not.

    Of vectors of four, which have no part in common with those of another thread, only L2 keeps a copy.
    """
    vector = 1 if d is k_major else tiling.vector
    kept = "CACHEGLOBAL" if vector == 4 else "CACHEALWAYS"
    atom = copy_atom(f"SM80_CP_ASYNC_{kept}<uint{32 * vector}_t>", "float")
    return make_tiled_copy(atom, along(d, tiling.copy), along(d, (vector, 1)))


def make_ring(dA, dB, tiling):
    """Of A and of B: the layout of their tiles in shared memory, and the TiledCopy that fills it."""
    bM, bN, bK = tiling.cta
    if tiling.pipe < 2:
        raise LayoutError(
            f"tiles come while others are multiplied, so the ring has 2 or more (pipe), not {tiling.pipe}"
        )
    layouts = ring_layout(dA, bM, bK, tiling.pipe), ring_layout(dB, bN, bK, tiling.pipe)
    return *layouts, make_async_copy(dA, tiling), make_async_copy(dB, tiling)


def ring_bytes(dA, dB, tiling) -> int:
    """How much shared memory the tiles take.

    >>> from .stage import STRIDES
    >>> [ring_bytes(*STRIDES[letters], STAGE.tiling) for letters in STRIDES]
    [49152, 50656, 49904, 49904]
    """
    sA_layout, sB_layout, _copy_a, _copy_b = make_ring(dA, dB, tiling)
    return 4 * (cosize(sA_layout) + cosize(sB_layout))


def make_pipelined(dA, dB, tiling):
    cta_tiler, pipe = tiling.cta, tiling.pipe
    ahead, underway = pipe - 1, pipe - 2
    sA_layout, sB_layout, copy_a, copy_b = make_ring(dA, dB, tiling)
    start_B = cosize(sA_layout)
    mma = make_mma(tiling)

    def pipelined(M, N, K, alpha, A, ldA, B, ldB, beta, C, ldC):
        # 1. The whole matrices
        mA = make_tensor(make_gmem_ptr(A), (M, K), dA(ldA))  # (M,K)
        mB = make_tensor(make_gmem_ptr(B), (N, K), dB(ldB))  # (N,K)
        mC = make_tensor(make_gmem_ptr(C), (M, N), (Int(1), ldC))  # (M,N)

        # 2. The tiles of this block
        cta_coord = (cuda.blockIdx.x, cuda.blockIdx.y, _)  # (m,n,k)
        gA = local_tile(mA, cta_tiler, cta_coord, Step(1, X, 1))  # (BLK_M,BLK_K,k)
        gB = local_tile(mB, cta_tiler, cta_coord, Step(X, 1, 1))  # (BLK_N,BLK_K,k)
        gC = local_tile(mC, cta_tiler, cta_coord, Step(1, 1, X))  # (BLK_M,BLK_N)

        # 3. Shared memory: a ring of tiles
        smem = cuda.shared.array(0, float32)  # as much as the launch gives
        sA = make_tensor(make_smem_ptr(smem), sA_layout)  # (BLK_M,BLK_K,PIPE)
        sB = make_tensor(make_smem_ptr(smem) + start_B, sB_layout)  # (BLK_N,BLK_K,PIPE)

        # 4. What this thread copies; all tiles but one set out
        thr_copy_a = copy_a.get_slice(cuda.threadIdx.x)
        tAgA, tAsA = thr_copy_a.partition_S(gA), thr_copy_a.partition_D(sA)  # (CPY,CPY_M,CPY_K,k), (...,PIPE)
        thr_copy_b = copy_b.get_slice(cuda.threadIdx.x)
        tBgB, tBsB = thr_copy_b.partition_S(gB), thr_copy_b.partition_D(sB)  # (CPY,CPY_N,CPY_K,k), (...,PIPE)
        K_TILE_MAX = size(tAgA, 3)
        for k_tile in range(ahead):
            if k_tile < K_TILE_MAX:
                copy(copy_a, tAgA[_, _, _, k_tile], tAsA[_, _, _, k_tile])
                copy(copy_b, tBgB[_, _, _, k_tile], tBsB[_, _, _, k_tile])
            cp_async_fence()

        # 5. What this thread computes
        thr_mma = mma.get_slice(cuda.threadIdx.x)
        tCsA = thr_mma.partition_A(sA)  # (MMA,MMA_M,MMA_K,PIPE)
        tCsB = thr_mma.partition_B(sB)  # (MMA,MMA_N,MMA_K,PIPE)
        tCgC = thr_mma.partition_C(gC)  # (MMA,MMA_M,MMA_N)
        tCrC = thr_mma.make_fragment_C(tCgC)  # (MMA,MMA_M,MMA_N)
        clear(tCrC)

        # 6. Tile after tile along K, round and round the ring
        read, write = np.int32(0), np.int32(ahead)
        for k_tile in range(K_TILE_MAX):
            cp_async_wait(underway)  # this thread's part of the tile is there
            cuda.syncthreads()  # and so is everyone's; all have read the tile before
            if k_tile + ahead < K_TILE_MAX:
                copy(copy_a, tAgA[_, _, _, k_tile + ahead], tAsA[_, _, _, write])
                copy(copy_b, tBgB[_, _, _, k_tile + ahead], tBsB[_, _, _, write])
            cp_async_fence()
            gemm(mma, tCsA[_, _, _, read], tCsB[_, _, _, read], tCrC)
            write = read
            read = np.int32(read + 1 if read + 1 < pipe else 0)

        # 7. Back to global memory
        axpby(alpha, tCrC, beta, tCgC)

    return pipelined


def make_pipelined_any(dA, dB, tiling):
    """As pipelined, with predicates: what lies outside of A and B counts as 0, what lies outside of C is left alone."""
    cta_tiler, pipe = tiling.cta, tiling.pipe
    ahead, underway = pipe - 1, pipe - 2
    sA_layout, sB_layout, copy_a, copy_b = make_ring(dA, dB, tiling)
    start_B = cosize(sA_layout)
    mma = make_mma(tiling)

    def pipelined_any(M, N, K, alpha, A, ldA, B, ldB, beta, C, ldC):
        mA = make_tensor(make_gmem_ptr(A), (M, K), dA(ldA))
        mB = make_tensor(make_gmem_ptr(B), (N, K), dB(ldB))
        mC = make_tensor(make_gmem_ptr(C), (M, N), (Int(1), ldC))
        iA, iB, iC = make_identity_tensor((M, K)), make_identity_tensor((N, K)), make_identity_tensor((M, N))

        # Coordinates are cut as the elements are
        cta_coord = (cuda.blockIdx.x, cuda.blockIdx.y, _)
        gA = local_tile(mA, cta_tiler, cta_coord, Step(1, X, 1))
        gB = local_tile(mB, cta_tiler, cta_coord, Step(X, 1, 1))
        gC = local_tile(mC, cta_tiler, cta_coord, Step(1, 1, X))
        cA = local_tile(iA, cta_tiler, cta_coord, Step(1, X, 1))
        cB = local_tile(iB, cta_tiler, cta_coord, Step(X, 1, 1))
        cC = local_tile(iC, cta_tiler, cta_coord, Step(1, 1, X))
        smem = cuda.shared.array(0, float32)
        sA = make_tensor(make_smem_ptr(smem), sA_layout)
        sB = make_tensor(make_smem_ptr(smem) + start_B, sB_layout)

        thr_copy_a = copy_a.get_slice(cuda.threadIdx.x)
        tAgA, tAcA, tAsA = thr_copy_a.partition_S(gA), thr_copy_a.partition_S(cA), thr_copy_a.partition_D(sA)
        thr_copy_b = copy_b.get_slice(cuda.threadIdx.x)
        tBgB, tBcB, tBsB = thr_copy_b.partition_S(gB), thr_copy_b.partition_S(cB), thr_copy_b.partition_D(sB)
        K_TILE_MAX = size(tAgA, 3)
        for k in range(ahead):
            if k < K_TILE_MAX:
                copy_zfill(copy_a, elem_less(tAcA[0, _, _, k], (M, K)), tAgA[_, _, _, k], tAsA[_, _, _, k])
                copy_zfill(copy_b, elem_less(tBcB[0, _, _, k], (N, K)), tBgB[_, _, _, k], tBsB[_, _, _, k])
            cp_async_fence()

        thr_mma = mma.get_slice(cuda.threadIdx.x)
        tCsA, tCsB = thr_mma.partition_A(sA), thr_mma.partition_B(sB)
        tCgC, tCcC = thr_mma.partition_C(gC), thr_mma.partition_C(cC)
        tCrC = thr_mma.make_fragment_C(tCgC)
        clear(tCrC)

        read, write = np.int32(0), np.int32(ahead)
        for k_tile in range(K_TILE_MAX):
            cp_async_wait(underway)
            cuda.syncthreads()
            k = k_tile + ahead
            if k < K_TILE_MAX:
                copy_zfill(copy_a, elem_less(tAcA[0, _, _, k], (M, K)), tAgA[_, _, _, k], tAsA[_, _, _, write])
                copy_zfill(copy_b, elem_less(tBcB[0, _, _, k], (N, K)), tBgB[_, _, _, k], tBsB[_, _, _, write])
            cp_async_fence()
            gemm(mma, tCsA[_, _, _, read], tCsB[_, _, _, read], tCrC)
            write = read
            read = np.int32(read + 1 if read + 1 < pipe else 0)

        axpby(alpha, tCrC, beta, tCgC, elem_less(tCcC, (M, N)))

    return pipelined_any


STAGE = Stage(
    name="pipelined",
    adds="tiles come to shared memory by themselves, several under way at once (cp.async)",
    make=make_pipelined_any,
    make_aligned=make_pipelined,
    tiling=Tiling(cta=(128, 128, 16), copy=(32, 8), math=(16, 16), vector=4, neighbours=4, pipe=3),
    small=Tiling(cta=(16, 8, 4), copy=(2, 4), math=(4, 2), vector=4, neighbours=4, pipe=3),
    blocks_per_sm=2,
    shared=ring_bytes,
    least_cc=(8, 0),
    needs="cp.async",
)
