"""sgemm_1 indexed by hand: the same tiles, loads, stores, barriers and products as kernels/sgemm_1.py, and no layouts.

What a layout costs is the difference between the two: tests/test_kernels_compiled.py compares their main loops, and on a GPU

    cutelearn bench --beside tests/bench/hand_sgemm_1.py --stages sgemm_1 --sizes 4096 8192

compares their speed. NT only, 128 x 128 x 8 only, sizes that the tile divides only.
"""

from dataclasses import replace

import numpy as np
from numba import cuda

from cutelearn.kernels.launch import find_stage


@cuda.jit(device=True)
def outer_product(acc, sA, sB, row, column):
    """acc[i, j] += A[i] * B[j] for one k. An index of type uint64 is known not to be negative."""
    for i in range(8):
        for j in range(8):
            acc[i, j] += sA[np.uint64(row + 16 * i)] * sB[np.uint64(column + 16 * j)]


def make_hand_sgemm_1(_dA, _dB, _tiling):
    def hand_sgemm_1(M, N, K, alpha, A, ldA, B, ldB, beta, C, ldC):
        sA = cuda.shared.array(1024, np.float32)
        sB = cuda.shared.array(1024, np.float32)
        acc = cuda.local.array((8, 8), np.float32)
        t = cuda.threadIdx.x & 255
        m0, n0 = 128 * cuda.blockIdx.x, 128 * cuda.blockIdx.y
        load_m, load_k = t % 32, t // 32
        m, n = t % 16, t // 16
        for i in range(8):
            for j in range(8):
                acc[i, j] = 0
        for k_tile in range((K + 7) // 8):
            k = 8 * k_tile + load_k
            for i in range(4):
                sA[np.uint64(load_m + 32 * i + 128 * load_k)] = A[np.uint64(m0 + load_m + 32 * i + k * ldA)]
            for i in range(4):
                sB[np.uint64(load_m + 32 * i + 128 * load_k)] = B[np.uint64(n0 + load_m + 32 * i + k * ldB)]
            cuda.syncthreads()
            outer_product(acc, sA, sB, m, n)
            outer_product(acc, sA, sB, m + 128, n + 128)
            outer_product(acc, sA, sB, m + 256, n + 256)
            outer_product(acc, sA, sB, m + 384, n + 384)
            outer_product(acc, sA, sB, m + 512, n + 512)
            outer_product(acc, sA, sB, m + 640, n + 640)
            outer_product(acc, sA, sB, m + 768, n + 768)
            outer_product(acc, sA, sB, m + 896, n + 896)
            cuda.syncthreads()
        for i in range(8):
            for j in range(8):
                at = np.uint64(m0 + m + 16 * i + (n0 + n + 16 * j) * ldC)
                if beta == 0:
                    C[at] = alpha * acc[i, j]
                else:
                    C[at] = alpha * acc[i, j] + beta * C[at]

    return hand_sgemm_1


STAGES = [replace(find_stage("sgemm_1"), name="hand_sgemm_1", make_aligned=make_hand_sgemm_1)]
