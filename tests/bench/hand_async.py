"""pipelined and warp_tiled indexed by hand: the same tiles, copies by cp.async, loads, barriers and products as kernels/pipelined.py and
kernels/warp_tiled.py, and no layouts.

What a layout costs is the difference: tests/test_kernels_compiled.py compares the main loops, and on a GPU

    cutelearn bench --beside tests/bench/hand_async.py --stages pipelined warp_tiled --sizes 4096 8192

compares their speed. By hand NT only, one size of tile only, sizes that the tile divides only.
"""

from dataclasses import replace

import numpy as np
from llvmlite import ir
from numba import cuda
from numba.cuda import types
from numba.cuda.extending import intrinsic

from cutelearn.kernels.launch import find_stage
from cutelearn.kernels.ptx import cp_async_fence, cp_async_wait, load_together, start_copy


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
def start_four(_typing, src, src_at, dst, dst_at):
    """Four numbers from global to shared memory by cp.async."""

    def emit(context, builder, sig, values):
        a, b = (_address(context, builder, sig.args[i], values[i], sig.args[i + 1], values[i + 1]) for i in (0, 2))
        start_copy(builder, a, b, 16, cache="cg")
        return ir.Constant(context.get_value_type(sig.return_type), None)

    return types.void(src, src_at, dst, dst_at), emit


@cuda.jit(device=True)
def read_step(a, b, smem, row, column, far_m, far_n):
    """One step along k: four numbers of A and four far_m further, and as many of B."""
    a[0], a[1], a[2], a[3] = load_four(smem, row)
    a[4], a[5], a[6], a[7] = load_four(smem, row + far_m)
    b[0], b[1], b[2], b[3] = load_four(smem, column)
    b[4], b[5], b[6], b[7] = load_four(smem, column + far_n)


@cuda.jit(device=True)
def multiply(acc, a, b):
    for i in range(8):
        for j in range(8):
            acc[i, j] += a[i] * b[j]


@cuda.jit(device=True)
def step(acc, smem, row, column, far_m, far_n):
    a, b = cuda.local.array(8, np.float32), cuda.local.array(8, np.float32)
    read_step(a, b, smem, row, column, far_m, far_n)
    multiply(acc, a, b)


@cuda.jit(device=True)
def two_steps(acc, smem, row, column, far_m, far_n):
    step(acc, smem, row, column, far_m, far_n)
    step(acc, smem, row + 128, column + 128, far_m, far_n)


@cuda.jit(device=True)
def four_steps(acc, smem, row, column, far_m, far_n):
    two_steps(acc, smem, row, column, far_m, far_n)
    two_steps(acc, smem, row + 256, column + 256, far_m, far_n)


@cuda.jit(device=True)
def eight_steps(acc, smem, row, column, far_m, far_n):
    four_steps(acc, smem, row, column, far_m, far_n)
    four_steps(acc, smem, row + 512, column + 512, far_m, far_n)


@cuda.jit(device=True)
def sixteen_steps(acc, smem, row, column, far_m, far_n):
    eight_steps(acc, smem, row, column, far_m, far_n)
    eight_steps(acc, smem, row + 1024, column + 1024, far_m, far_n)


@cuda.jit(device=True)
def write_back(acc, C, ldC, alpha, beta, m, n, far_m, far_n):
    for i in range(8):
        for j in range(8):
            row, column = m + i % 4 + far_m * (i // 4), n + j % 4 + far_n * (j // 4)
            at = np.uint64(row + column * ldC)
            if beta == 0:
                C[at] = alpha * acc[i, j]
            else:
                C[at] = alpha * acc[i, j] + beta * C[at]


def make_hand_pipelined(_dA, _dB, _tiling):
    def hand_pipelined(M, N, K, alpha, A, ldA, B, ldB, beta, C, ldC):
        smem = cuda.shared.array(0, np.float32, alignment=16)  # three tiles of A, 128 x 16; from 6144 on three of B
        acc = cuda.local.array((8, 8), np.float32)
        t = cuda.threadIdx.x & 255
        m0, n0 = 128 * cuda.blockIdx.x, 128 * cuda.blockIdx.y
        load_m, load_k = 4 * (t % 32), t // 32
        place = load_m + 128 * load_k
        from_a, from_b = m0 + load_m + load_k * ldA, n0 + load_m + load_k * ldB
        m, n = 4 * (t % 16), 4 * (t // 16)
        for i in range(8):
            for j in range(8):
                acc[i, j] = 0
        k_tiles = K // 16
        for k_tile in range(2):
            if k_tile < k_tiles:
                start_four(A, from_a + 16 * k_tile * ldA, smem, place + 2048 * k_tile)
                start_four(A, from_a + (16 * k_tile + 8) * ldA, smem, place + 1024 + 2048 * k_tile)
                start_four(B, from_b + 16 * k_tile * ldB, smem, place + 6144 + 2048 * k_tile)
                start_four(B, from_b + (16 * k_tile + 8) * ldB, smem, place + 7168 + 2048 * k_tile)
            cp_async_fence()
        read, write = np.int32(0), np.int32(2)
        for k_tile in range(k_tiles):
            cp_async_wait(1)
            cuda.syncthreads()
            k = k_tile + 2
            if k < k_tiles:
                start_four(A, from_a + 16 * k * ldA, smem, place + 2048 * write)
                start_four(A, from_a + (16 * k + 8) * ldA, smem, place + 1024 + 2048 * write)
                start_four(B, from_b + 16 * k * ldB, smem, place + 6144 + 2048 * write)
                start_four(B, from_b + (16 * k + 8) * ldB, smem, place + 7168 + 2048 * write)
            cp_async_fence()
            sixteen_steps(acc, smem, m + 2048 * read, n + 6144 + 2048 * read, 64, 64)
            write = read
            read = np.int32(read + 1 if read < 2 else 0)
        write_back(acc, C, ldC, alpha, beta, m0 + m, n0 + n, 64, 64)

    return hand_pipelined


def make_hand_warp_tiled(_dA, _dB, _tiling):
    def hand_warp_tiled(M, N, K, alpha, A, ldA, B, ldB, beta, C, ldC):
        smem = cuda.shared.array(0, np.float32, alignment=16)  # two tiles of A, 128 x 32; from 8192 on two of B
        acc = cuda.local.array((8, 8), np.float32)
        a, b = cuda.local.array(8, np.float32), cuda.local.array(8, np.float32)
        c, d = cuda.local.array(8, np.float32), cuda.local.array(8, np.float32)
        t = cuda.threadIdx.x & 255
        block = cuda.blockIdx.x + cuda.gridDim.x * cuda.blockIdx.y
        first = block // (8 * cuda.gridDim.y) * 8
        height, at = min(8, cuda.gridDim.x - first), block - first * cuda.gridDim.y
        m0, n0 = 128 * (first + at % height), 128 * (at // height)
        load_m, load_k = 4 * (t % 32), t // 32
        place = load_m + 128 * load_k
        from_a, from_b = m0 + load_m + load_k * ldA, n0 + load_m + load_k * ldB
        lane, warp = t % 32, t // 32
        m, n = 64 * (warp % 2) + 4 * (lane // 4), 32 * (warp // 2) + 4 * (lane % 4)
        for i in range(8):
            for j in range(8):
                acc[i, j] = 0
        start_four(A, from_a, smem, place)
        start_four(A, from_a + 8 * ldA, smem, place + 1024)
        start_four(A, from_a + 16 * ldA, smem, place + 2048)
        start_four(A, from_a + 24 * ldA, smem, place + 3072)
        start_four(B, from_b, smem, place + 8192)
        start_four(B, from_b + 8 * ldB, smem, place + 9216)
        start_four(B, from_b + 16 * ldB, smem, place + 10240)
        start_four(B, from_b + 24 * ldB, smem, place + 11264)
        cp_async_fence()
        cp_async_wait(0)
        cuda.syncthreads()
        read_step(a, b, smem, m, n + 8192, 32, 16)
        read, write = np.int32(0), np.int32(1)
        k_tiles = K // 32
        for k_tile in range(k_tiles):
            multiply(acc, a, b)
            k = 32 * (k_tile + 1)
            if k_tile + 1 < k_tiles:
                start_four(A, from_a + k * ldA, smem, place + 4096 * write)
                start_four(A, from_a + (k + 8) * ldA, smem, place + 1024 + 4096 * write)
                start_four(A, from_a + (k + 16) * ldA, smem, place + 2048 + 4096 * write)
                start_four(A, from_a + (k + 24) * ldA, smem, place + 3072 + 4096 * write)
                start_four(B, from_b + k * ldB, smem, place + 8192 + 4096 * write)
                start_four(B, from_b + (k + 8) * ldB, smem, place + 9216 + 4096 * write)
                start_four(B, from_b + (k + 16) * ldB, smem, place + 10240 + 4096 * write)
                start_four(B, from_b + (k + 24) * ldB, smem, place + 11264 + 4096 * write)
            cp_async_fence()
            row, column = m + 4096 * read, n + 8192 + 4096 * read
            sixteen_steps(acc, smem, row + 128, column + 128, 32, 16)
            eight_steps(acc, smem, row + 2176, column + 2176, 32, 16)
            four_steps(acc, smem, row + 3200, column + 3200, 32, 16)
            two_steps(acc, smem, row + 3712, column + 3712, 32, 16)
            read_step(c, d, smem, row + 3968, column + 3968, 32, 16)
            write = read
            read = np.int32(1 - read)
            cp_async_wait(0)
            cuda.syncthreads()
            read_step(a, b, smem, m + 4096 * read, n + 8192 + 4096 * read, 32, 16)
            multiply(acc, c, d)
        write_back(acc, C, ldC, alpha, beta, m0 + m, n0 + n, 32, 16)

    return hand_warp_tiled


STAGES = [
    replace(find_stage(name), name=f"hand_{name}", make_aligned=make)
    for name, make in (("pipelined", make_hand_pipelined), ("warp_tiled", make_hand_warp_tiled))
]
