"""coalesced: as naive, but the threads of a block are numbered along the columns of C, as C lies in memory.

The 32 threads of a warp now write 32 neighbours, and read 32 neighbours of A where it is "N": the memory system serves a warp
with four 32-byte sectors in place of 32. The thread layout is all that changes.
"""

import numpy as np
from numba import cuda

from ..htuple import Int
from ..layout import Layout
from ..partition import local_partition, local_tile
from ..tensor import elem_less, make_gmem_ptr, make_identity_tensor, make_tensor
from .stage import Stage, Tiling, one_element_each


def make_coalesced(dA, dB, tiling):
    cta_tiler = one_element_each(tiling)[:2]  # (BLK_M,BLK_N)
    tC = Layout(tiling.math)  # (m,n) -> thread: m first

    def coalesced(M, N, K, alpha, A, ldA, B, ldB, beta, C, ldC):
        # The whole matrices
        mA = make_tensor(make_gmem_ptr(A), (M, K), dA(ldA))  # (M,K)
        mB = make_tensor(make_gmem_ptr(B), (N, K), dB(ldB))  # (N,K)
        mC = make_tensor(make_gmem_ptr(C), (M, N), (Int(1), ldC))  # (M,N)

        # Which element of C is this thread's?
        coordinates = make_identity_tensor((M, N))
        tile = local_tile(coordinates, cta_tiler, (cuda.blockIdx.x, cuda.blockIdx.y))  # (BLK_M,BLK_N)
        m, n = local_partition(tile, tC, cuda.threadIdx.x)[0]

        if elem_less((m, n), (M, N)):  # tiles may reach over the edge of C
            acc = np.float32(0)
            for k in range(K):
                acc += mA[m, k] * mB[n, k]
            if beta == 0:
                mC[m, n] = alpha * acc  # what lies in C, be it NaN, does not count
            else:
                mC[m, n] = alpha * acc + beta * mC[m, n]

    return coalesced


STAGE = Stage(
    name="coalesced",
    adds="neighbouring threads take neighbouring addresses",
    make=make_coalesced,
    tiling=Tiling(cta=(32, 32, 1), math=(32, 32)),
    small=Tiling(cta=(4, 4, 1), math=(4, 4)),
)
