"""smem_tiled: a block first copies a tile of A and a tile of B to shared memory, then every thread reads from there.

In coalesced each element of A is read from global memory by every thread of a row of C. Here a block reads it once for all 32 of
them. The price is two barriers a tile: nobody reads before all have written, nobody writes again before all have read.
"""

import numpy as np
from numba import cuda

from ..algorithms import clear, copy_if
from ..htuple import Int, _
from ..layout import Layout, cosize, size
from ..partition import Step, X, local_partition, local_tile
from ..tensor import elem_less, make_gmem_ptr, make_identity_tensor, make_smem_ptr, make_tensor
from .stage import Stage, Tiling, along, one_element_each


def make_smem_tiled(dA, dB, tiling):
    cta_tiler = bM, bN, bK = one_element_each(tiling)
    tA, tB = along(dA, tiling.copy), along(dB, tiling.copy)  # (m,k) and (n,k) -> thread, when copying
    tC = Layout(tiling.math)  # (m,n) -> thread, when computing
    sA_layout = Layout((bM, bK), (1, bM + 1))  # one place between the columns: their firsts lie in different banks
    sB_layout = Layout((bN, bK), (1, bN + 1))
    sA_size, sB_size = cosize(sA_layout), cosize(sB_layout)

    def smem_tiled(M, N, K, alpha, A, ldA, B, ldB, beta, C, ldC):
        # The whole matrices, and the coordinates of their elements
        mA = make_tensor(make_gmem_ptr(A), (M, K), dA(ldA))  # (M,K)
        mB = make_tensor(make_gmem_ptr(B), (N, K), dB(ldB))  # (N,K)
        mC = make_tensor(make_gmem_ptr(C), (M, N), (Int(1), ldC))  # (M,N)
        iA, iB, iC = make_identity_tensor((M, K)), make_identity_tensor((N, K)), make_identity_tensor((M, N))

        # This block's tiles
        cta_coord = (cuda.blockIdx.x, cuda.blockIdx.y, _)
        gA = local_tile(mA, cta_tiler, cta_coord, Step(1, X, 1))  # (BLK_M,BLK_K,k)
        gB = local_tile(mB, cta_tiler, cta_coord, Step(X, 1, 1))  # (BLK_N,BLK_K,k)
        cA = local_tile(iA, cta_tiler, cta_coord, Step(1, X, 1))
        cB = local_tile(iB, cta_tiler, cta_coord, Step(X, 1, 1))
        cC = local_tile(iC, cta_tiler, cta_coord, Step(1, 1, X))  # (BLK_M,BLK_N)
        smemA = cuda.shared.array(sA_size, np.float32)
        smemB = cuda.shared.array(sB_size, np.float32)
        sA = make_tensor(make_smem_ptr(smemA), sA_layout)  # (BLK_M,BLK_K)
        sB = make_tensor(make_smem_ptr(smemB), sB_layout)  # (BLK_N,BLK_K)

        # This thread's share: of the copying, and of the computing
        t = cuda.threadIdx.x
        tAgA, tAcA, tAsA = local_partition(gA, tA, t), local_partition(cA, tA, t), local_partition(sA, tA, t)
        tBgB, tBcB, tBsB = local_partition(gB, tB, t), local_partition(cB, tB, t), local_partition(sB, tB, t)
        row = local_partition(sA, tC, t, Step(1, X))  # (1,BLK_K)
        column = local_partition(sB, tC, t, Step(X, 1))  # (1,BLK_K)
        m, n = local_partition(cC, tC, t)[0]

        acc = np.float32(0)
        for k_tile in range(size(tAgA, 2)):
            clear(tAsA)  # what lies outside of A and B counts as 0
            clear(tBsB)
            copy_if(elem_less(tAcA[_, _, k_tile], (M, K)), tAgA[_, _, k_tile], tAsA)
            copy_if(elem_less(tBcB[_, _, k_tile], (N, K)), tBgB[_, _, k_tile], tBsB)
            cuda.syncthreads()
            for k in range(bK):
                acc += row[0, k] * column[0, k]
            cuda.syncthreads()

        if elem_less((m, n), (M, N)):
            mC[m, n] = alpha * acc if beta == 0 else alpha * acc + beta * mC[m, n]

    return smem_tiled


STAGE = Stage(
    name="smem_tiled",
    adds="a block shares tiles of A and B in shared memory",
    make=make_smem_tiled,
    tiling=Tiling(cta=(32, 32, 32), copy=(32, 32), math=(32, 32)),
    small=Tiling(cta=(4, 4, 4), copy=(4, 4), math=(4, 4)),
)
