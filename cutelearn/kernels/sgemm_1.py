"""sgemm_1, the first kernel of CuTe's GEMM tutorial, part by part.

What is new: a thread computes not one element of C but 8 x 8, in registers. Of each k it reads 8 numbers of A and 8 of B from
shared memory and makes 64 products of them, where smem_tiled reads two for one. The tile grows with it, to 128 x 128.

Two kernels: `sgemm_1` reads like the tutorial's sgemm_1.cu and takes sizes that the tiles divide; `sgemm_1_any` has predicates
besides. The tutorial says that it pads the shared tiles of a k-major operand, and does not; here they are padded, so that
neither writing nor reading them meets a bank conflict.
Source: CuTe's tutorial, examples/cute/tutorial/sgemm_1.cu; documentation 0x_gemm_tutorial and 0y_predication.
"""

import numpy as np
from numba import cuda

from ..algorithms import axpby, clear, copy, copy_if, gemm
from ..htuple import Int, _
from ..layout import Layout, cosize, size
from ..partition import Step, X, local_partition, local_tile
from ..tensor import elem_less, make_gmem_ptr, make_identity_tensor, make_smem_ptr, make_tensor, make_tensor_like
from .stage import Stage, Tiling, along, k_major


def smem_layout(d, extent, bK):
    """(m,k) -> place in shared memory: m-major; for a k-major operand with 4 places between the columns."""
    return Layout((extent, bK), (1, extent + 4 if d is k_major else extent))


def make_sgemm_1(dA, dB, tiling):
    cta_tiler = bM, bN, bK = tiling.cta
    sA_layout, sB_layout = smem_layout(dA, bM, bK), smem_layout(dB, bN, bK)
    sA_size, sB_size = cosize(sA_layout), cosize(sB_layout)
    tA, tB = along(dA, tiling.copy), along(dB, tiling.copy)  # (m,k) and (n,k) -> thread
    tC = Layout(tiling.math)  # (m,n) -> thread

    def sgemm_1(M, N, K, alpha, A, ldA, B, ldB, beta, C, ldC):
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

        # 4. What this thread copies
        tAgA = local_partition(gA, tA, cuda.threadIdx.x)  # (THR_M,THR_K,k)
        tAsA = local_partition(sA, tA, cuda.threadIdx.x)  # (THR_M,THR_K)
        tBgB = local_partition(gB, tB, cuda.threadIdx.x)  # (THR_N,THR_K,k)
        tBsB = local_partition(sB, tB, cuda.threadIdx.x)  # (THR_N,THR_K)

        # 5. What this thread computes: rows of sA and sB, by the rows and the columns of tC
        tCsA = local_partition(sA, tC, cuda.threadIdx.x, Step(1, X))  # (THR_M,BLK_K)
        tCsB = local_partition(sB, tC, cuda.threadIdx.x, Step(X, 1))  # (THR_N,BLK_K)
        tCgC = local_partition(gC, tC, cuda.threadIdx.x, Step(1, 1))  # (THR_M,THR_N)
        tCrC = make_tensor_like(tCgC)  # (THR_M,THR_N)
        clear(tCrC)

        # 6. Tile after tile along K: copy to shared memory, multiply from there
        for k_tile in range(size(tAgA, 2)):
            copy(tAgA[_, _, k_tile], tAsA)
            copy(tBgB[_, _, k_tile], tBsB)
            cuda.syncthreads()  # all have written
            gemm(tCsA, tCsB, tCrC)
            cuda.syncthreads()  # all have read

        # 7. Back to global memory
        axpby(alpha, tCrC, beta, tCgC)

    return sgemm_1


def make_sgemm_1_any(dA, dB, tiling):
    """As sgemm_1, with predicates: what lies outside of A and B counts as 0, what lies outside of C is left alone."""
    cta_tiler = bM, bN, bK = tiling.cta
    sA_layout, sB_layout = smem_layout(dA, bM, bK), smem_layout(dB, bN, bK)
    sA_size, sB_size = cosize(sA_layout), cosize(sB_layout)
    tA, tB = along(dA, tiling.copy), along(dB, tiling.copy)
    tC = Layout(tiling.math)

    def sgemm_1_any(M, N, K, alpha, A, ldA, B, ldB, beta, C, ldC):
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

        t = cuda.threadIdx.x
        tAgA, tAcA, tAsA = local_partition(gA, tA, t), local_partition(cA, tA, t), local_partition(sA, tA, t)
        tBgB, tBcB, tBsB = local_partition(gB, tB, t), local_partition(cB, tB, t), local_partition(sB, tB, t)
        tCgC, tCcC = local_partition(gC, tC, t), local_partition(cC, tC, t)
        tCsA = local_partition(sA, tC, t, Step(1, X))
        tCsB = local_partition(sB, tC, t, Step(X, 1))
        tCrC = make_tensor_like(tCgC)
        clear(tCrC)

        for k_tile in range(size(tAgA, 2)):
            clear(tAsA)  # the last tile along K may be a part of one: the rest of it adds nothing
            clear(tBsB)
            copy_if(elem_less(tAcA[_, _, k_tile], (M, K)), tAgA[_, _, k_tile], tAsA)
            copy_if(elem_less(tBcB[_, _, k_tile], (N, K)), tBgB[_, _, k_tile], tBsB)
            cuda.syncthreads()
            gemm(tCsA, tCsB, tCrC)
            cuda.syncthreads()

        axpby(alpha, tCrC, beta, tCgC, elem_less(tCcC, (M, N)))

    return sgemm_1_any


STAGE = Stage(
    name="sgemm_1",
    adds="a thread computes a tile of C in registers",
    make=make_sgemm_1_any,
    make_aligned=make_sgemm_1,
    tiling=Tiling(cta=(128, 128, 8), copy=(32, 8), math=(16, 16)),
    small=Tiling(cta=(8, 4, 4), copy=(2, 4), math=(4, 2)),
    blocks_per_sm=2,
)
