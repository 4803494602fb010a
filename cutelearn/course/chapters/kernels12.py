"""Chapter 12: the main loop of sgemm_2 with a thing or two changed, as learners change it. Loaded when a kernel is judged."""

from functools import cache

import numpy as np

from ...algorithms import axpby, clear, copy, gemm
from ...htuple import Int, _
from ...kernels.sgemm_2 import make_copy, make_mma
from ...kernels.stage import mn_major
from ...kernels.trial import SMALL, in_turns, matrices, rows, try_kernel
from ...layout import Layout, size
from ...partition import Step, X, local_tile
from ...tensor import make_gmem_ptr, make_smem_ptr, make_tensor
from ...views import make_fragment_like

from numba import cuda  # isort: skip (after cutelearn.kernels, which switches the simulator on)


def make_loop(early=False, ahead=1, first=True, second=True, guard=True):
    """A maker of sgemm_2. early: the load stands before the stores; ahead: of how many tiles further on, None for no load at all;
    first, second: whether the barriers are there; guard: whether the last round loads nothing."""
    loads, further = ahead is not None, ahead or 0

    def make(dA, dB, tiling):
        cta_tiler = bM, bN, bK = tiling.cta
        size_A, size_B = bM * bK, bN * bK
        sA_layout, sB_layout = Layout((bM, bK)), Layout((bN, bK))
        copy_a, copy_b, mma = make_copy(dA, tiling), make_copy(dB, tiling), make_mma(tiling)

        def yours(M, N, K, alpha, A, ldA, B, ldB, beta, C, ldC):
            mA = make_tensor(make_gmem_ptr(A), (M, K), dA(ldA))
            mB = make_tensor(make_gmem_ptr(B), (N, K), dB(ldB))
            mC = make_tensor(make_gmem_ptr(C), (M, N), (Int(1), ldC))
            cta_coord = (cuda.blockIdx.x, cuda.blockIdx.y, _)
            gA = local_tile(mA, cta_tiler, cta_coord, Step(1, X, 1))
            gB = local_tile(mB, cta_tiler, cta_coord, Step(X, 1, 1))
            gC = local_tile(mC, cta_tiler, cta_coord, Step(1, 1, X))
            smemA = cuda.shared.array(size_A, np.float32)
            smemB = cuda.shared.array(size_B, np.float32)
            sA, sB = make_tensor(make_smem_ptr(smemA), sA_layout), make_tensor(make_smem_ptr(smemB), sB_layout)
            t = cuda.threadIdx.x
            thr_a, thr_b, thr_mma = copy_a.get_slice(t), copy_b.get_slice(t), mma.get_slice(t)
            tAgA, tAsA = thr_a.partition_S(gA), thr_a.partition_D(sA)
            tBgB, tBsB = thr_b.partition_S(gB), thr_b.partition_D(sB)
            tArA, tBrB = make_fragment_like(tAsA), make_fragment_like(tBsB)
            copy(copy_a, tAgA[_, _, _, 0], tArA)
            copy(copy_b, tBgB[_, _, _, 0], tBrB)
            tCsA, tCsB, tCgC = thr_mma.partition_A(sA), thr_mma.partition_B(sB), thr_mma.partition_C(gC)
            tCrC = thr_mma.make_fragment_C(tCgC)
            clear(tCrC)
            K_TILE_MAX = size(tAgA, 3)
            for k_tile in range(K_TILE_MAX):
                if early and k_tile + 1 < K_TILE_MAX:
                    copy(copy_a, tAgA[_, _, _, k_tile + 1], tArA)
                    copy(copy_b, tBgB[_, _, _, k_tile + 1], tBrB)
                if first:
                    cuda.syncthreads()
                copy(tArA, tAsA)
                copy(tBrB, tBsB)
                if second:
                    cuda.syncthreads()
                if loads and not early and (k_tile + 1 < K_TILE_MAX or not guard):
                    copy(copy_a, tAgA[_, _, _, k_tile + further], tArA)
                    copy(copy_b, tBgB[_, _, _, k_tile + further], tBrB)
                gemm(mma, tCsA, tCsB, tCrC)
            axpby(alpha, tCrC, beta, tCgC)

        return yours

    return make


def make_two_tiles(read=0, first=False, second=True, turn=1):
    """A maker of the kernel with two tiles of shared memory. read: 0 for the tile that was stored, 1 for the other one; first, second:
    whether there is a barrier before the stores, and after; turn: 0 where the products stay at one place."""

    def make(dA, dB, tiling):
        cta_tiler = bM, bN, bK = tiling.cta
        size_A, size_B = 2 * bM * bK, 2 * bN * bK
        sA_layout, sB_layout = Layout((bM, bK, 2)), Layout((bN, bK, 2))
        copy_a, copy_b, mma = make_copy(dA, tiling), make_copy(dB, tiling), make_mma(tiling)

        def yours(M, N, K, alpha, A, ldA, B, ldB, beta, C, ldC):
            mA = make_tensor(make_gmem_ptr(A), (M, K), dA(ldA))
            mB = make_tensor(make_gmem_ptr(B), (N, K), dB(ldB))
            mC = make_tensor(make_gmem_ptr(C), (M, N), (Int(1), ldC))
            cta_coord = (cuda.blockIdx.x, cuda.blockIdx.y, _)
            gA = local_tile(mA, cta_tiler, cta_coord, Step(1, X, 1))
            gB = local_tile(mB, cta_tiler, cta_coord, Step(X, 1, 1))
            gC = local_tile(mC, cta_tiler, cta_coord, Step(1, 1, X))
            smemA = cuda.shared.array(size_A, np.float32)
            smemB = cuda.shared.array(size_B, np.float32)
            sA, sB = make_tensor(make_smem_ptr(smemA), sA_layout), make_tensor(make_smem_ptr(smemB), sB_layout)
            t = cuda.threadIdx.x
            thr_a, thr_b, thr_mma = copy_a.get_slice(t), copy_b.get_slice(t), mma.get_slice(t)
            tAgA, tAsA = thr_a.partition_S(gA), thr_a.partition_D(sA)
            tBgB, tBsB = thr_b.partition_S(gB), thr_b.partition_D(sB)
            tArA, tBrB = make_fragment_like(tAsA[_, _, _, 0]), make_fragment_like(tBsB[_, _, _, 0])
            copy(copy_a, tAgA[_, _, _, 0], tArA)
            copy(copy_b, tBgB[_, _, _, 0], tBrB)
            tCsA, tCsB, tCgC = thr_mma.partition_A(sA), thr_mma.partition_B(sB), thr_mma.partition_C(gC)
            tCrC = thr_mma.make_fragment_C(tCgC)
            clear(tCrC)
            K_TILE_MAX = size(tAgA, 3)
            for k_tile in range(K_TILE_MAX):
                if first:
                    cuda.syncthreads()
                copy(tArA, tAsA[_, _, _, k_tile % 2])
                copy(tBrB, tBsB[_, _, _, k_tile % 2])
                if second:
                    cuda.syncthreads()
                if k_tile + 1 < K_TILE_MAX:
                    copy(copy_a, tAgA[_, _, _, k_tile + 1], tArA)
                    copy(copy_b, tBgB[_, _, _, k_tile + 1], tBrB)
                gemm(mma, tCsA[_, _, _, (turn * k_tile + read) % 2], tCsB[_, _, _, (turn * k_tile + read) % 2], tCrC)
            axpby(alpha, tCrC, beta, tCgC)

        return yours

    return make


def right(M, N, K, seed) -> list:
    """The rows of A B^T."""
    A, B = matrices(M, N, K, seed)
    return (A @ B.T).astype(int).tolist()


def by_tiles(M, N, K, seed, sequence) -> list:
    """The rows of C where the loop multiplies these tiles along k, one after the other."""
    A, B = matrices(M, N, K, seed)
    bK = SMALL.cta[2]
    parts = [A[:, t * bK : (t + 1) * bK] @ B[:, t * bK : (t + 1) * bK].T for t in sequence]
    return sum(parts).astype(int).tolist()


def threads_that_are_right(make, order) -> list:
    """Of one block with three tiles along k: the threads whose results are all right when they go in this order."""
    from ...tensor import make_identity_tensor

    A, B = matrices(16, 8, 12)
    C, want = in_turns(make(mn_major, mn_major, SMALL), SMALL, A, B, order), A @ B.T
    mma, cells = make_mma(SMALL), make_identity_tensor((16, 8))
    parts = {t: list(mma.get_slice(t).partition_C(cells)) for t in range(SMALL.threads)}
    return [t for t, part in parts.items() if all(C[c] == want[c] for c in part)]


@cache
def both_turns(maker, how, M, N, K, seed) -> tuple:
    """What `try_kernel` gives for "forwards" and "backwards", of make_loop or make_two_tiles with how = ((keyword, value), ...)."""
    A, B = matrices(M, N, K, seed)
    kernel, order = maker(**dict(how))(mn_major, mn_major, SMALL), range(SMALL.threads)
    return tuple(rows(in_turns(kernel, SMALL, A, B, o)) for o in (order, order[::-1]))


__all__ = ["both_turns", "by_tiles", "make_loop", "make_two_tiles", "right", "threads_that_are_right", "try_kernel"]
