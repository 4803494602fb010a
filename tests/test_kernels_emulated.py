"""The stages as they are compiled, run on the CPU: right for every order, ragged sizes, alpha, beta and leading dimension."""

import real_cuda  # noqa: F401, I001 (first)

from dataclasses import replace
from functools import lru_cache

import pytest
from emulator import Emulated
from gemm_problems import LETTERS, Problem

from cutelearn import ceil_div
from cutelearn.kernels.launch import SIGNATURE, STAGES, make_kernel
from cutelearn.kernels.operands import operand

SMALL = [(5, 7, 6), (9, 3, 5), (8, 12, 8), (1, 1, 1)]  # with the small tiles of the simulator
FULL = {  # with the tiles of the GPU
    "naive": [(33, 31, 5)],
    "coalesced": [(31, 33, 5)],
    "smem_tiled": [(33, 32, 35)],
    "sgemm_1": [(130, 127, 11), (1, 129, 3)],
    "sgemm_2": [(130, 127, 11), (132, 128, 12)],
    "pipelined": [(130, 127, 35), (132, 128, 12)],
    "warp_tiled": [(130, 127, 35), (132, 128, 12)],
}


@lru_cache
def emulated(stage, transposes, aligned, tiling):
    return Emulated(make_kernel(stage, transposes, aligned, tiling), SIGNATURE)


def run(stage, problem, aligned, tiling):
    if not all(operand(letter, x).takes_vectors(tiling.vector) for letter, x in (("A", problem.A), ("B", problem.B))):
        tiling = replace(tiling, vector=1)
    compiled = emulated(stage, problem.transposes, aligned, tiling)
    p, (bM, bN, _bK) = problem, tiling.cta
    grid = (ceil_div(p.M, bM), ceil_div(p.N, bN))
    a, b, c = ((p.memory(x), p.ld(x)) for x in (p.A, p.B, p.C))
    compiled.run(grid, tiling.threads, p.M, p.N, p.K, p.alpha, *a, *b, p.beta, *c)
    p.check()


@pytest.mark.parametrize("transposes", LETTERS)
@pytest.mark.parametrize("stage", STAGES.values(), ids=STAGES)
def test_small_tiles(stage, transposes):
    for i, size in enumerate(SMALL):
        alpha, beta = ((1.0, 0.0), (-2.0, 0.5), (0.5, 0.0))[i % 3]
        run(stage, Problem(*size, transposes, alpha, beta, pad=i), False, stage.small)


@pytest.mark.parametrize("transposes", LETTERS)
@pytest.mark.parametrize("stage", STAGES.values(), ids=STAGES)
def test_full_tiles(stage, transposes):
    for i, size in enumerate(FULL[stage.name]):
        run(stage, Problem(*size, transposes, 1.5, float(i), pad=2), False, stage.tiling)


@pytest.mark.parametrize("transposes", LETTERS)
@pytest.mark.parametrize("stage", [s for s in STAGES.values() if s.make_aligned], ids=str)
def test_without_predicates(stage, transposes):
    (bM, bN, bK), (sM, sN, sK) = stage.tiling.cta, stage.small.cta
    run(stage, Problem(bM, bN, 3 * bK, transposes, 2.0, 0.0, pad=4), True, stage.tiling)
    run(stage, Problem(2 * sM, 3 * sN, 2 * sK, transposes, 1.0, -1.0, pad=1), True, stage.small)
