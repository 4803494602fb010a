"""warp_tiled: pipelined with one change, in how the products are shared out. Each warp has a tile of its own, and reads ahead.

1. The TiledMMA's layout of threads goes warp by warp: the 32 threads of a warp compute one compact tile of C, so they read few
   different numbers of A and B, and a read of four by each has no bank conflict. Its permutation keeps four rows, and four
   columns, of a thread side by side, as in sgemm_2.
2. Registers hold the first and the last step along k of a tile: the first of the next tile is read before the last of this one is
   multiplied, so the products go on where a tile ends. A TiledCopy made from the TiledMMA reads them, four numbers at once. A tile
   has 32 steps, so it ends less often; two of them are 64 KB of shared memory. The first step is multiplied before the next copies
   are started: after them, the compiler would weave it into the second step, where each product waits for the sum before it.
3. Blocks are numbered in bands of eight tiles of rows, so that those that run at the same time share what they read in the cache.

`warp_tiled_any` has predicates besides.
Source: CuTe's tutorial, examples/cute/tutorial/sgemm_sm80.cu (registers); CUTLASS, "Efficient GEMM in CUDA" (warp tiles, order of blocks).
"""

import numpy as np
from numba import cuda
from numba.cuda.types import float32

from ..algorithms import axpby, clear, copy, gemm
from ..atoms.copy import make_tiled_copy_A, make_tiled_copy_B
from ..atoms.library import copy_atom
from ..atoms.mma import make_tiled_mma
from ..htuple import Int, LayoutError, _
from ..layout import Layout, cosize, make_layout, mode, size
from ..partition import Step, X, local_tile
from ..tensor import Tensor, elem_less, make_gmem_ptr, make_identity_tensor, make_smem_ptr, make_tensor
from ..views import make_fragment_like
from .pipelined import make_ring, ring_bytes
from .ptx import copy_zfill, cp_async_fence, cp_async_wait
from .stage import Stage, Tiling

BAND = 8  # tiles of rows that neighbouring blocks share out


def steps(part, first, n):
    """Of (MMA,MMA_M,MMA_K) n steps along k, from `first` on; a view.

    >>> print(steps(make_tensor(np.zeros(64, np.float32), (1, 8, 8)), 1, 2).layout)
    (1,8,2):(0,1,8)
    """
    at, (_v, _m, step) = part[_, _, first], part.stride
    layout = make_layout(mode(part.layout, 0), mode(part.layout, 1), Layout(n, step))
    return Tensor(part.engine, layout, at.offset, part.memory)


def make_warp_mma(tiling):
    """The TiledMMA whose threads go warp by warp: (m,n) -> thread is ((lanes_m,warps_m),(lanes_n,warps_n)).

    A warp's tile is compact: its lanes side by side, four rows (columns) each, and again beside that until the tile is full.
    """
    (lanes_m, lanes_n), four = tiling.warp, tiling.neighbours
    warps = tuple(t // w for t, w in zip(tiling.math, tiling.warp, strict=True))
    lanes = lanes_m * lanes_n
    threads = Layout(((lanes_m, warps[0]), (lanes_n, warps[1]), 1), ((lanes_n, lanes), (1, lanes * warps[0]), 0))

    def rows(extent, lanes, warps):
        """(lane, warp, neighbour, again) -> row."""
        return Layout((lanes, warps, four, extent // (lanes * warps * four)), (four, extent // warps, 1, four * lanes))

    permutation = tuple(rows(*x) for x in zip(tiling.cta[:2], tiling.warp, warps, strict=True))
    return make_tiled_mma("UniversalFMA<float>", threads, permutation)


def make_reads(mma, tiling):
    """The TiledCopies from shared memory to the registers of A and of B: a thread's neighbours at once."""
    n, k = tiling.neighbours, tiling.cta[2]
    if n not in (1, 2, 4) or k < 3:
        raise LayoutError(f"warp_tiled takes 1, 2 or 4 neighbours, not {n}, and 3 or more steps along k, not {k}")
    atom = copy_atom(f"UniversalCopy<uint{32 * n}_t>", "float")
    return make_tiled_copy_A(atom, mma), make_tiled_copy_B(atom, mma)


def make_warp_tiled(dA, dB, tiling):
    cta_tiler, pipe, band = tiling.cta, tiling.pipe, BAND
    ahead, underway, last, between = pipe - 1, pipe - 2, tiling.cta[2] - 1, tiling.cta[2] - 2
    sA_layout, sB_layout, copy_a, copy_b = make_ring(dA, dB, tiling)
    start_B = cosize(sA_layout)
    mma = make_warp_mma(tiling)
    read_a, read_b = make_reads(mma, tiling)

    def warp_tiled(M, N, K, alpha, A, ldA, B, ldB, beta, C, ldC):
        # 1. The whole matrices
        mA = make_tensor(make_gmem_ptr(A), (M, K), dA(ldA))  # (M,K)
        mB = make_tensor(make_gmem_ptr(B), (N, K), dB(ldB))  # (N,K)
        mC = make_tensor(make_gmem_ptr(C), (M, N), (Int(1), ldC))  # (M,N)

        # 2. The tiles of this block: band after band, in each column after column
        bid = cuda.blockIdx.x + cuda.gridDim.x * cuda.blockIdx.y
        first = bid // (band * cuda.gridDim.y) * band
        height = min(band, cuda.gridDim.x - first)
        at = bid - first * cuda.gridDim.y
        cta_coord = (first + at % height, at // height, _)  # (m,n,k)
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

        # 5. What this thread computes, and registers for two steps along k, filled four numbers at once
        thr_mma = mma.get_slice(cuda.threadIdx.x)
        tCsA, tCsB = thr_mma.partition_A(sA), thr_mma.partition_B(sB)  # (MMA,MMA_M,MMA_K,PIPE), (MMA,MMA_N,MMA_K,PIPE)
        tCgC = thr_mma.partition_C(gC)  # (MMA,MMA_M,MMA_N)
        tCrC = thr_mma.make_fragment_C(tCgC)  # (MMA,MMA_M,MMA_N)
        clear(tCrC)
        tCrA = make_fragment_like(steps(tCsA[_, _, _, 0], 0, 2))  # (MMA,MMA_M,2): of a tile the first step and the last
        tCrB = make_fragment_like(steps(tCsB[_, _, _, 0], 0, 2))  # (MMA,MMA_N,2)
        thr_read_a, thr_read_b = read_a.get_slice(cuda.threadIdx.x), read_b.get_slice(cuda.threadIdx.x)
        tXsA, tXrA = thr_read_a.partition_S(sA), thr_read_a.retile_D(tCrA)  # (CPY,CPY_M,CPY_K,PIPE), (CPY,CPY_M,2)
        tXsB, tXrB = thr_read_b.partition_S(sB), thr_read_b.retile_D(tCrB)  # (CPY,CPY_N,CPY_K,PIPE), (CPY,CPY_N,2)

        cp_async_wait(underway)
        cuda.syncthreads()
        copy(read_a, tXsA[_, _, 0, 0], tXrA[_, _, 0])
        copy(read_b, tXsB[_, _, 0, 0], tXrB[_, _, 0])

        # 6. Tile after tile along K: the first step is in registers, the others are read on the way
        read, write = np.int32(0), np.int32(ahead)
        for k_tile in range(K_TILE_MAX):
            gemm(mma, tCrA[_, _, 0], tCrB[_, _, 0], tCrC)
            if k_tile + ahead < K_TILE_MAX:
                copy(copy_a, tAgA[_, _, _, k_tile + ahead], tAsA[_, _, _, write])
                copy(copy_b, tBgB[_, _, _, k_tile + ahead], tBsB[_, _, _, write])
            cp_async_fence()
            gemm(mma, steps(tCsA[_, _, _, read], 1, between), steps(tCsB[_, _, _, read], 1, between), tCrC)
            copy(read_a, tXsA[_, _, last, read], tXrA[_, _, 1])
            copy(read_b, tXsB[_, _, last, read], tXrB[_, _, 1])
            write = read
            read = np.int32(read + 1 if read + 1 < pipe else 0)
            cp_async_wait(underway)  # this thread's part of the next tile is there
            cuda.syncthreads()  # and so is everyone's; all have read this tile
            copy(read_a, tXsA[_, _, 0, read], tXrA[_, _, 0])
            copy(read_b, tXsB[_, _, 0, read], tXrB[_, _, 0])
            gemm(mma, tCrA[_, _, 1], tCrB[_, _, 1], tCrC)

        # 7. Back to global memory
        axpby(alpha, tCrC, beta, tCgC)

    return warp_tiled


def make_warp_tiled_any(dA, dB, tiling):
    """As warp_tiled, with predicates: what lies outside of A and B counts as 0, what lies outside of C is left alone."""
    cta_tiler, pipe, band = tiling.cta, tiling.pipe, BAND
    ahead, underway, last, between = pipe - 1, pipe - 2, tiling.cta[2] - 1, tiling.cta[2] - 2
    sA_layout, sB_layout, copy_a, copy_b = make_ring(dA, dB, tiling)
    start_B = cosize(sA_layout)
    mma = make_warp_mma(tiling)
    read_a, read_b = make_reads(mma, tiling)

    def warp_tiled_any(M, N, K, alpha, A, ldA, B, ldB, beta, C, ldC):
        mA = make_tensor(make_gmem_ptr(A), (M, K), dA(ldA))
        mB = make_tensor(make_gmem_ptr(B), (N, K), dB(ldB))
        mC = make_tensor(make_gmem_ptr(C), (M, N), (Int(1), ldC))
        iA, iB, iC = make_identity_tensor((M, K)), make_identity_tensor((N, K)), make_identity_tensor((M, N))

        bid = cuda.blockIdx.x + cuda.gridDim.x * cuda.blockIdx.y
        first = bid // (band * cuda.gridDim.y) * band
        height = min(band, cuda.gridDim.x - first)
        at = bid - first * cuda.gridDim.y
        cta_coord = (first + at % height, at // height, _)
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
        for t in range(ahead):
            if t < K_TILE_MAX:
                copy_zfill(copy_a, elem_less(tAcA[0, _, _, t], (M, K)), tAgA[_, _, _, t], tAsA[_, _, _, t])
                copy_zfill(copy_b, elem_less(tBcB[0, _, _, t], (N, K)), tBgB[_, _, _, t], tBsB[_, _, _, t])
            cp_async_fence()

        thr_mma = mma.get_slice(cuda.threadIdx.x)
        tCsA, tCsB = thr_mma.partition_A(sA), thr_mma.partition_B(sB)
        tCgC, tCcC = thr_mma.partition_C(gC), thr_mma.partition_C(cC)
        tCrC = thr_mma.make_fragment_C(tCgC)
        clear(tCrC)
        tCrA = make_fragment_like(steps(tCsA[_, _, _, 0], 0, 2))
        tCrB = make_fragment_like(steps(tCsB[_, _, _, 0], 0, 2))
        thr_read_a, thr_read_b = read_a.get_slice(cuda.threadIdx.x), read_b.get_slice(cuda.threadIdx.x)
        tXsA, tXrA = thr_read_a.partition_S(sA), thr_read_a.retile_D(tCrA)
        tXsB, tXrB = thr_read_b.partition_S(sB), thr_read_b.retile_D(tCrB)

        cp_async_wait(underway)
        cuda.syncthreads()
        copy(read_a, tXsA[_, _, 0, 0], tXrA[_, _, 0])
        copy(read_b, tXsB[_, _, 0, 0], tXrB[_, _, 0])

        read, write = np.int32(0), np.int32(ahead)
        for k_tile in range(K_TILE_MAX):
            gemm(mma, tCrA[_, _, 0], tCrB[_, _, 0], tCrC)
            t = k_tile + ahead
            if t < K_TILE_MAX:
                copy_zfill(copy_a, elem_less(tAcA[0, _, _, t], (M, K)), tAgA[_, _, _, t], tAsA[_, _, _, write])
                copy_zfill(copy_b, elem_less(tBcB[0, _, _, t], (N, K)), tBgB[_, _, _, t], tBsB[_, _, _, write])
            cp_async_fence()
            gemm(mma, steps(tCsA[_, _, _, read], 1, between), steps(tCsB[_, _, _, read], 1, between), tCrC)
            copy(read_a, tXsA[_, _, last, read], tXrA[_, _, 1])
            copy(read_b, tXsB[_, _, last, read], tXrB[_, _, 1])
            write = read
            read = np.int32(read + 1 if read + 1 < pipe else 0)
            cp_async_wait(underway)
            cuda.syncthreads()
            copy(read_a, tXsA[_, _, 0, read], tXrA[_, _, 0])
            copy(read_b, tXsB[_, _, 0, read], tXrB[_, _, 0])
            gemm(mma, tCrA[_, _, 1], tCrB[_, _, 1], tCrC)

        axpby(alpha, tCrC, beta, tCgC, elem_less(tCcC, (M, N)))

    return warp_tiled_any


STAGE = Stage(
    name="warp_tiled",
    adds="each warp has a tile of its own, and reads the next step while it multiplies this one",
    make=make_warp_tiled_any,
    make_aligned=make_warp_tiled,
    tiling=Tiling(cta=(128, 128, 32), copy=(32, 8), math=(16, 16), warp=(8, 4), vector=4, neighbours=4, pipe=2),
    small=Tiling(cta=(16, 8, 4), copy=(2, 4), math=(4, 2), warp=(2, 1), vector=4, neighbours=4, pipe=2),
    blocks_per_sm=2,
    shared=ring_bytes,
    least_cc=(8, 0),
    needs="cp.async",
)
