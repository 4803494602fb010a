"""sgemm_2 indexed by hand: the same tiles, loads, stores, barriers and products as kernels/sgemm_2.py, and no layouts; and sgemm_2 with
the tutorial's own TiledMMA, whose threads read shared memory number by number.

What a layout costs is the difference: tests/test_kernels_compiled.py compares the main loops, and on a GPU

    cutelearn bench --beside tests/bench/hand_sgemm_2.py --stages sgemm_2 --sizes 4096 8192

compares their speed. By hand NT only, 128 x 128 x 8 only, sizes that the tile divides only.
"""

from dataclasses import replace

import numpy as np
from llvmlite import ir
from numba import cuda
from numba.cuda import types
from numba.cuda.extending import intrinsic

from cutelearn.kernels.launch import find_stage
from cutelearn.kernels.ptx import load_together, store_together


def _address(context, builder, ty, array, index_ty, index):
    """Without Numba's code for negative indices."""
    index = context.cast(builder, index, index_ty, types.int64)
    return builder.gep(context.make_array(ty)(context, builder, value=array).data, [index])


@intrinsic
def load_four(_typing, array, at):
    def emit(context, builder, sig, values):
        pointer = _address(context, builder, sig.args[0], values[0], sig.args[1], values[1])
        return context.make_tuple(builder, sig.return_type, load_together(builder, pointer, 32, 4))

    return types.UniTuple(types.float32, 4)(array, at), emit


@intrinsic
def store_four(_typing, array, at, four):
    def emit(context, builder, sig, values):
        pointer = _address(context, builder, sig.args[0], values[0], sig.args[1], values[1])
        store_together(builder, [builder.extract_value(values[2], i) for i in range(4)], pointer, 32)
        return ir.Constant(context.get_value_type(sig.return_type), None)

    return types.void(array, at, four), emit


@cuda.jit(device=True)
def outer_product(acc, sA, sB, row, column):
    """acc[i, j] += A[i] * B[j] for one k: four neighbours, and four more 64 further on."""
    a, b = cuda.local.array(8, np.float32), cuda.local.array(8, np.float32)
    a[0], a[1], a[2], a[3] = load_four(sA, row)
    a[4], a[5], a[6], a[7] = load_four(sA, row + 64)
    b[0], b[1], b[2], b[3] = load_four(sB, column)
    b[4], b[5], b[6], b[7] = load_four(sB, column + 64)
    for i in range(8):
        for j in range(8):
            acc[i, j] += a[i] * b[j]


def make_hand_sgemm_2(_dA, _dB, _tiling):
    def hand_sgemm_2(M, N, K, alpha, A, ldA, B, ldB, beta, C, ldC):
        sA = cuda.shared.array(1024, np.float32, alignment=16)
        sB = cuda.shared.array(1024, np.float32, alignment=16)
        acc = cuda.local.array((8, 8), np.float32)
        t = cuda.threadIdx.x & 255
        m0, n0 = 128 * cuda.blockIdx.x, 128 * cuda.blockIdx.y
        load_m, load_k = 4 * (t % 32), t // 32
        m, n = 4 * (t % 16), 4 * (t // 16)
        for i in range(8):
            for j in range(8):
                acc[i, j] = 0
        four_a = load_four(A, m0 + load_m + load_k * ldA)
        four_b = load_four(B, n0 + load_m + load_k * ldB)
        k_tiles = (K + 7) // 8
        for k_tile in range(k_tiles):
            cuda.syncthreads()
            store_four(sA, load_m + 128 * load_k, four_a)
            store_four(sB, load_m + 128 * load_k, four_b)
            cuda.syncthreads()
            if k_tile + 1 < k_tiles:
                k = 8 * (k_tile + 1) + load_k
                four_a = load_four(A, m0 + load_m + k * ldA)
                four_b = load_four(B, n0 + load_m + k * ldB)
            outer_product(acc, sA, sB, m, n)
            outer_product(acc, sA, sB, m + 128, n + 128)
            outer_product(acc, sA, sB, m + 256, n + 256)
            outer_product(acc, sA, sB, m + 384, n + 384)
            outer_product(acc, sA, sB, m + 512, n + 512)
            outer_product(acc, sA, sB, m + 640, n + 640)
            outer_product(acc, sA, sB, m + 768, n + 768)
            outer_product(acc, sA, sB, m + 896, n + 896)
        for i in range(8):
            for j in range(8):
                row, column = m0 + m + i % 4 + 64 * (i // 4), n0 + n + j % 4 + 64 * (j // 4)
                at = np.uint64(row + column * ldC)
                if beta == 0:
                    C[at] = alpha * acc[i, j]
                else:
                    C[at] = alpha * acc[i, j] + beta * C[at]

    return hand_sgemm_2


_stage = find_stage("sgemm_2")
STAGES = [
    replace(_stage, name="hand_sgemm_2", make_aligned=make_hand_sgemm_2),
    replace(_stage, name="tutorial_sgemm_2", tiling=replace(_stage.tiling, neighbours=1)),
]
