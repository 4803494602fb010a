"""sgemm_2, the second kernel of CuTe's GEMM tutorial: sgemm_1 with two changes.

1. A TiledCopy in place of tA and tB. It moves four numbers at once, and it stops half way: from global memory to registers, and a
   step later from registers to shared memory. So the next tile is on its way while this one is multiplied.
2. A TiledMMA in place of tC, for as many multiply-adds as there are threads. Its permutation puts four rows, and four columns, of a
   thread side by side, so that it reads them from shared memory at once; the tutorial has none, and reads one by one as sgemm_1
   does: Tiling(..., neighbours=1).

As in sgemm_1, `sgemm_2_any` has predicates besides: one for each access, for the launcher lets vectors in only where none is half
inside of its matrix.
"""

import numpy as np
from numba import cuda

from ..algorithms import axpby, clear, copy, copy_if, gemm
from ..atoms.copy import make_tiled_copy
from ..atoms.library import copy_atom
from ..atoms.mma import make_tiled_mma
from ..htuple import Int, LayoutError, _
from ..layout import Layout, cosize, size
from ..partition import Step, X, local_tile
from ..tensor import elem_less, make_gmem_ptr, make_identity_tensor, make_smem_ptr, make_tensor
from ..views import make_fragment_like
from .sgemm_1 import smem_layout
from .stage import Stage, Tiling, along, k_major


def make_copy(d, tiling):
    """The TiledCopy of an operand: its values, and then its threads, go the way of stride `d`."""
    (thr_mn, thr_k), vector = tiling.copy, tiling.vector
    if d is k_major:
        if thr_k % vector:
            raise LayoutError(
                f"{thr_k} threads along k copy {thr_k} numbers, and that is no multiple of vectors of {vector}"
            )
        threads, values = (thr_mn * vector, thr_k // vector), (1, vector)
    else:
        threads, values = (thr_mn, thr_k), (vector, 1)
    atom = copy_atom(f"UniversalCopy<uint{32 * vector}_t>", "float")
    return make_tiled_copy(atom, along(d, threads), along(d, values))


def make_mma(tiling):
    """The TiledMMA: (m,n) -> thread as tiling.math, each with its `neighbours` side by side."""
    n = tiling.neighbours
    permutation = tuple(Layout((threads, n), (n, 1)) for threads in tiling.math) if n > 1 else ()
    return make_tiled_mma("UniversalFMA<float>", (*tiling.math, 1), permutation)


def make_sgemm_2(dA, dB, tiling):
    cta_tiler = bM, bN, bK = tiling.cta
    sA_layout, sB_layout = smem_layout(dA, bM, bK), smem_layout(dB, bN, bK)
    sA_size, sB_size = cosize(sA_layout), cosize(sB_layout)
    copy_a, copy_b = make_copy(dA, tiling), make_copy(dB, tiling)
    mma = make_mma(tiling)

    def sgemm_2(M, N, K, alpha, A, ldA, B, ldB, beta, C, ldC):
        # 1. The whole matrices
        mA = make_tensor(make_gmem_ptr(A), (M, K), dA(ldA))  # (M,K)
        mB = make_tensor(make_gmem_ptr(B), (N, K), dB(ldB))  # (N,K)
        mC = make_tensor(make_gmem_ptr(C), (M, N), (Int(1), ldC))  # (M,N)

        # 2. The tiles of this block
        cta_coord = (cuda.blockIdx.x, cuda.blockIdx.y, _)  # (m,n,k)
        gA = local_tile(mA, cta_tiler, cta_coord, Step(1, X, 1))  # (BLK_M,BLK_K,k)
        gB = local_tile(mB, cta_tiler, cta_coord, Step(X, 1, 1))  # (BLK_N,BLK_K,k)
        gC = local_tile(mC, cta_tiler, cta_coord, Step(1, 1, X))  # (BLK_M,BLK_N)

        # 3. Shared memory
        smemA = cuda.shared.array(sA_size, np.float32)
        smemB = cuda.shared.array(sB_size, np.float32)
        sA = make_tensor(make_smem_ptr(smemA), sA_layout)  # (BLK_M,BLK_K)
        sB = make_tensor(make_smem_ptr(smemB), sB_layout)  # (BLK_N,BLK_K)

        # 4. What this thread copies, and registers for it on its way
        thr_copy_a = copy_a.get_slice(cuda.threadIdx.x)
        tAgA = thr_copy_a.partition_S(gA)  # (CPY,CPY_M,CPY_K,k)
        tAsA = thr_copy_a.partition_D(sA)  # (CPY,CPY_M,CPY_K)
        thr_copy_b = copy_b.get_slice(cuda.threadIdx.x)
        tBgB = thr_copy_b.partition_S(gB)  # (CPY,CPY_N,CPY_K,k)
        tBsB = thr_copy_b.partition_D(sB)  # (CPY,CPY_N,CPY_K)
        tArA, tBrB = make_fragment_like(tAsA), make_fragment_like(tBsB)
        copy(copy_a, tAgA[_, _, _, 0], tArA)
        copy(copy_b, tBgB[_, _, _, 0], tBrB)

        # 5. What this thread computes
        thr_mma = mma.get_slice(cuda.threadIdx.x)
        tCsA = thr_mma.partition_A(sA)  # (MMA,MMA_M,MMA_K)
        tCsB = thr_mma.partition_B(sB)  # (MMA,MMA_N,MMA_K)
        tCgC = thr_mma.partition_C(gC)  # (MMA,MMA_M,MMA_N)
        tCrC = thr_mma.make_fragment_C(tCgC)  # (MMA,MMA_M,MMA_N)
        clear(tCrC)

        # 6. Tile after tile along K: store what has come, ask for the next, multiply meanwhile
        K_TILE_MAX = size(tAgA, 3)
        for k_tile in range(K_TILE_MAX):
            cuda.syncthreads()  # all have read the tile before
            copy(tArA, tAsA)
            copy(tBrB, tBsB)
            cuda.syncthreads()  # all have written
            if k_tile + 1 < K_TILE_MAX:
                copy(copy_a, tAgA[_, _, _, k_tile + 1], tArA)
                copy(copy_b, tBgB[_, _, _, k_tile + 1], tBrB)
            gemm(mma, tCsA, tCsB, tCrC)

        # 7. Back to global memory
        axpby(alpha, tCrC, beta, tCgC)

    return sgemm_2


def make_sgemm_2_any(dA, dB, tiling):
    """As sgemm_2, with predicates: what lies outside of A and B counts as 0, what lies outside of C is left alone."""
    cta_tiler = bM, bN, bK = tiling.cta
    sA_layout, sB_layout = smem_layout(dA, bM, bK), smem_layout(dB, bN, bK)
    sA_size, sB_size = cosize(sA_layout), cosize(sB_layout)
    copy_a, copy_b = make_copy(dA, tiling), make_copy(dB, tiling)
    mma = make_mma(tiling)

    def sgemm_2_any(M, N, K, alpha, A, ldA, B, ldB, beta, C, ldC):
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
        smemA = cuda.shared.array(sA_size, np.float32)
        smemB = cuda.shared.array(sB_size, np.float32)
        sA = make_tensor(make_smem_ptr(smemA), sA_layout)
        sB = make_tensor(make_smem_ptr(smemB), sB_layout)

        thr_copy_a = copy_a.get_slice(cuda.threadIdx.x)
        tAgA, tAcA, tAsA = thr_copy_a.partition_S(gA), thr_copy_a.partition_S(cA), thr_copy_a.partition_D(sA)
        thr_copy_b = copy_b.get_slice(cuda.threadIdx.x)
        tBgB, tBcB, tBsB = thr_copy_b.partition_S(gB), thr_copy_b.partition_S(cB), thr_copy_b.partition_D(sB)
        tArA, tBrB = make_fragment_like(tAsA), make_fragment_like(tBsB)
        clear(tArA)  # the last tile along K may be a part of one: the rest of it adds nothing
        clear(tBrB)
        copy_if(copy_a, elem_less(tAcA[0, _, _, 0], (M, K)), tAgA[_, _, _, 0], tArA)
        copy_if(copy_b, elem_less(tBcB[0, _, _, 0], (N, K)), tBgB[_, _, _, 0], tBrB)

        thr_mma = mma.get_slice(cuda.threadIdx.x)
        tCsA, tCsB = thr_mma.partition_A(sA), thr_mma.partition_B(sB)
        tCgC, tCcC = thr_mma.partition_C(gC), thr_mma.partition_C(cC)
        tCrC = thr_mma.make_fragment_C(tCgC)
        clear(tCrC)

        K_TILE_MAX = size(tAgA, 3)
        for k_tile in range(K_TILE_MAX):
            cuda.syncthreads()
            copy(tArA, tAsA)
            copy(tBrB, tBsB)
            cuda.syncthreads()
            if k_tile + 1 < K_TILE_MAX:
                clear(tArA)
                clear(tBrB)
                copy_if(copy_a, elem_less(tAcA[0, _, _, k_tile + 1], (M, K)), tAgA[_, _, _, k_tile + 1], tArA)
                copy_if(copy_b, elem_less(tBcB[0, _, _, k_tile + 1], (N, K)), tBgB[_, _, _, k_tile + 1], tBrB)
            gemm(mma, tCsA, tCsB, tCrC)

        axpby(alpha, tCrC, beta, tCgC, elem_less(tCcC, (M, N)))

    return sgemm_2_any


STAGE = Stage(
    name="sgemm_2",
    adds="four numbers at once, and the next tile is fetched while this one is multiplied",
    make=make_sgemm_2_any,
    make_aligned=make_sgemm_2,
    tiling=Tiling(cta=(128, 128, 8), copy=(32, 8), math=(16, 16), vector=4, neighbours=4),
    small=Tiling(cta=(16, 8, 4), copy=(2, 4), math=(4, 2), vector=4, neighbours=4),
    blocks_per_sm=2,
)
