"""How long tiled MMAs and copies take, beside tensor-layouts on the same work in the same run.

    python -m pytest tests/bench/test_bench_atoms.py --benchmark-columns=min,median,ops --benchmark-group-by=group

tensor-layouts has no layouts of a tiled MMA; its `tile_mma_grid` makes the table cell -> (thread, value) instead, so the
offsets of ours are made too. Nothing here asserts a time: machines differ, and load does.
"""

import numpy as np
import pytest

import cutelearn as ct
from cutelearn import Layout, atom, copy_atom, make_tiled_copy, make_tiled_mma

SM80 = "SM80_16x8x16_F32F16F16F32_TN"


def tv_layouts():
    mma = make_tiled_mma(SM80, (2, 2), (32, 32, 16))
    return mma.layoutA_TV, mma.layoutB_TV, mma.layoutC_TV


@pytest.mark.benchmark(group="TV layouts of a 2x2 SM80 16x8x16 TiledMMA, A and B and C")
def test_tv_layouts(benchmark):
    benchmark(tv_layouts)


@pytest.mark.benchmark(group="the same as tables of cells")
def test_tv_tables(benchmark):
    benchmark(lambda: [layout.offsets() for layout in tv_layouts()])


@pytest.mark.benchmark(group="the same as tables of cells")
def test_tv_tables_of_tensor_layouts(benchmark):
    atoms_nv = pytest.importorskip("tensor_layouts.atoms_nv", reason="tensor_layouts is not installed")
    from tensor_layouts import Layout as TheirLayout
    from tensor_layouts.layout_utils import tile_mma_grid

    theirs, layout = getattr(atoms_nv, SM80), TheirLayout((2, 2), (1, 2))
    benchmark(lambda: [tile_mma_grid(theirs, layout, operand, (32, 32, 16)) for operand in "ABC"])


@pytest.mark.benchmark(group="one thread's partition of C")
def test_partition(benchmark):
    thread = make_tiled_mma(SM80, (2, 2), (32, 32, 16)).get_slice(17)
    benchmark(thread.partition_C, Layout((128, 128)))


@pytest.mark.benchmark(group="TiledCopy, made, with its S and D layouts")
def test_tiled_copy(benchmark):
    def made():
        tiled = make_tiled_copy(copy_atom("UniversalCopy<uint128_t>", "float"), (32, 8), (4, 1))
        return tiled.layoutS_TV, tiled.layoutD_TV

    benchmark(made)


@pytest.mark.benchmark(group="an instruction at work, m16n8k16")
def test_execute(benchmark):
    benchmark(atom(SM80).execute, np.ones((32, 8)), np.ones((32, 4)), np.ones((32, 4)))


@pytest.mark.benchmark(group="a 128x128x64 product through a TiledMMA")
def test_gemm(benchmark):
    mma = make_tiled_mma(SM80, (2, 2), (32, 32, 16))
    A, B = (ct.make_tensor(np.ones((128, 64), np.float16)) for _operand in "AB")
    C = ct.make_tensor(np.zeros((128, 128), np.float32))
    benchmark(ct.gemm, mma, A, B, C)


@pytest.mark.benchmark(group="an atom by its name")
def test_gmma_by_name(benchmark):
    from cutelearn.atoms.library import _gmma

    benchmark(_gmma, "SM90_64x128x16_F32F16F16_SS<K,K>")
