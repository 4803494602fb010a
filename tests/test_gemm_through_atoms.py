"""Whole products through local_tile, TiledCopy and TiledMMA: global to shared to fragments to the instruction and back."""

from dataclasses import replace

import numpy as np
import pytest

import cutelearn as ct
from cutelearn import (
    Layout,
    LayoutError,
    LayoutRight,
    Step,
    Swizzle,
    X,
    _,
    atom,
    copy,
    copy_atom,
    copy_if,
    gemm,
    gmma_smem_atom,
    local_tile,
    make_gmem_ptr,
    make_tensor,
    make_tiled_copy,
    make_tiled_mma,
    tile_to_shape,
)


def simple_copy(element, threads, values, bits=None):
    width = bits or np.dtype(element).itemsize * 8 * int(np.prod(values))
    operation = {8: "uint8_t", 16: "uint16_t", 32: "uint32_t", 64: "uint64_t", 128: "uint128_t"}[width]
    return make_tiled_copy(copy_atom(f"UniversalCopy<{operation}>", element), threads, Layout(values))


def plain(rows, columns):
    return Layout((rows, columns))


def padded(rows, columns):
    return Layout((rows, columns), (1, rows + 1))


def k_major(rows, columns):
    return Layout((rows, columns), LayoutRight)


def swizzled(rows, columns):
    return tile_to_shape(ct.composition(Swizzle(2, 3, 3), Layout((8, 32), (32, 1))), (rows, columns))


def gmma_k(rows, columns):
    return tile_to_shape(gmma_smem_atom("K_SW32", 16), (rows, columns))


SIMT = "UniversalFMA<float>"
PERMUTED = (Layout((4, 4, 2), (1, 8, 4)), 32, 8)
# name: atom, atom layout, permutations, tile of the block (M,N,K), shared layout, global copy (type, threads, values)
TILINGS = {
    "simt": (SIMT, (16, 16), (), (64, 64, 8), plain, ("float32", Layout((16, 8)), (4, 1))),
    "simt padded, k fastest": (
        SIMT,
        (8, 8),
        (),
        (32, 32, 8),
        padded,
        ("float32", Layout((16, 8), LayoutRight), (1, 1)),
    ),
    "simt blocked": (SIMT, (4, 4), (Layout((4, 4), (4, 1)),) * 2, (32, 32, 8), plain, ("float32", (8, 8), (4, 1))),
    "volta": (
        "SM70_8x8x4_F32F16F16F32_NT",
        Layout((2, 2), (2, 1)),
        (),
        (32, 32, 8),
        plain,
        ("float16", (4, 8), (8, 1)),
    ),
    "volta permuted": (
        "SM70_8x8x4_F32F16F16F32_NT",
        Layout((2, 2), (2, 1)),
        PERMUTED,
        (64, 32, 8),
        plain,
        ("float16", (4, 8), (8, 1)),
    ),
    "volta TT": ("SM70_8x8x4_F32F16F16F32_TT", (1, 2), (), (16, 32, 8), k_major, ("float16", Layout((8, 2)), (1, 4))),
    "turing": ("SM75_16x8x8_F32F16F16F32_TN", (2, 1), (32, 16, 8), (64, 32, 8), k_major, ("float16", (32, 2), (1, 4))),
    "turing int8": ("SM75_8x8x16_S32S8S8S32_TN", (2, 2), (), (32, 32, 32), k_major, ("int8", (16, 4), (1, 8))),
    "ampere": (
        "SM80_16x8x16_F32F16F16F32_TN",
        (2, 2),
        (32, 32, 16),
        (64, 64, 32),
        swizzled,
        ("float16", Layout((16, 4), LayoutRight), (1, 8)),
    ),
    "ampere bf16": ("SM80_16x8x8_F32BF16BF16F32_TN", (2, 1), (), (32, 32, 16), plain, ("float32", (32, 4), (1, 1))),
    "ampere tf32": (
        "SM80_16x8x8_F32TF32TF32F32_TN",
        (2, 2),
        (32, 32, 8),
        (32, 64, 16),
        k_major,
        ("float32", Layout((8, 4), LayoutRight), (1, 4)),
    ),
    "ampere k threads": (
        "SM80_16x8x8_F32TF32TF32F32_TN",
        (1, 2, 2),
        (),
        (32, 32, 32),
        k_major,
        ("float32", Layout((8, 4), LayoutRight), (1, 4)),
    ),
    "ampere f64": (
        "SM80_8x8x4_F64F64F64F64_TN",
        (2, 2),
        (16, 16, 8),
        (32, 32, 8),
        k_major,
        ("float64", (8, 4), (1, 2)),
    ),
    "ada fp8": (
        "SM89_16x8x32_F32E4M3E5M2F32_TN",
        (1, 2),
        (),
        (32, 32, 64),
        k_major,
        ("float32", Layout((8, 4), LayoutRight), (1, 4)),
    ),
    "hopper f64": ("SM90_16x8x16_F64F64F64F64_TN", (1, 1), (), (32, 16, 32), padded, ("float64", (16, 8), (1, 1))),
    "hopper warpgroup": (
        "SM90_64x32x16_F32F16F16_SS<K,K>",
        (1, 1),
        (),
        (64, 64, 32),
        gmma_k,
        ("float16", Layout((32, 4), LayoutRight), (1, 8)),
    ),
    "hopper warpgroup RS": (
        "SM90_64x16x16_F32F16F16_RS<K,MN>",
        (1, 1),
        (),
        (64, 32, 32),
        k_major,
        ("float16", Layout((16, 4), LayoutRight), (1, 8)),
    ),
}


def product_through(tiling, A, B, C, blocks):
    """C + A B^T, block by block: each CTA walks its k tiles through shared memory."""
    name, atom_layout, permutations, tile, shared, (element, threads, values) = tiling
    mma = make_tiled_mma(name, atom_layout, permutations)
    g2s = simple_copy(element, threads, values)
    mA, mB, mC = (make_tensor(make_gmem_ptr(x)) for x in (A, B, C))
    sA = make_tensor(A.dtype, shared(tile[0], tile[2]))
    sB = make_tensor(B.dtype, shared(tile[1], tile[2]))
    for m in range(blocks[0]):
        for n in range(blocks[1]):
            gA = local_tile(mA, tile, (m, n, _), Step(1, X, 1))
            gB = local_tile(mB, tile, (m, n, _), Step(X, 1, 1))
            gC = local_tile(mC, tile, (m, n, _), Step(1, 1, X))
            for k in range(blocks[2]):
                copy(g2s, gA[_, _, k], sA)
                copy(g2s, gB[_, _, k], sB)
                gemm(mma, sA, sB, gC)


def operands(tiling, blocks, seed=0):
    """Random integers, small enough for every type, in the order of memory that the copy wants."""
    name, *_rest, tile, _shared, (element, _threads, values) = tiling
    rng = np.random.default_rng(seed)
    m, n, k = (t * b for t, b in zip(tile, blocks, strict=True))
    order = "C" if Layout(values)[1].shape > 1 else "F"
    A, B = (np.array(rng.integers(-3, 4, s), dtype=element, order=order) for s in ((m, k), (n, k)))
    C = np.asarray(rng.integers(-3, 4, (m, n)), dtype=atom(name).type_c.carrier)
    return A, B, C


@pytest.mark.parametrize("name", TILINGS)
def test_the_product_is_numpys(name):
    tiling, blocks = TILINGS[name], (2, 1, 2)
    A, B, C = operands(tiling, blocks)
    wanted = C.astype(np.float64) + A.astype(np.float64) @ B.T.astype(np.float64)
    product_through(tiling, A, B, C, blocks)
    assert (wanted == C).all()


@pytest.mark.parametrize("name", ["simt blocked", "volta permuted", "ampere", "hopper f64"])
def test_real_numbers(name):
    """Floats that are not integers: the answer is numpy's of the rounded operands, to the accuracy of the accumulator."""
    tiling = TILINGS[name]
    A, B, C = operands(tiling, (1, 1, 3))
    rng = np.random.default_rng(1)
    A += rng.normal(size=A.shape).astype(A.dtype)
    B += rng.normal(size=B.shape).astype(B.dtype)
    wanted = C + A.astype(np.float64) @ B.T.astype(np.float64)
    product_through(tiling, A, B, C, (1, 1, 3))
    np.testing.assert_allclose(C, wanted, rtol=1e-4, atol=1e-3)


# ------------------------------------------------------------------------------------------------ wrong maps


def test_a_wrong_atom_map_is_seen_in_the_product():
    tiling = TILINGS["ampere"]
    mma = make_tiled_mma(tiling[0], tiling[1], tiling[2])
    wrong = replace(mma.atom, b_layout=Layout.parse("((4,8),(2,2)):((16,1),(64,8))"))
    A, B, C = operands(tiling, (1, 1, 1))
    for a, same in ((mma.atom, True), (wrong, False)):
        D = np.zeros_like(C)
        gemm(make_tiled_mma(a, tiling[1], tiling[2]), make_tensor(D), make_tensor(A), make_tensor(B), make_tensor(C))
        assert (C + A.astype(int) @ B.T.astype(int) == D).all() == same


def test_a_wrong_copy_map_is_seen_in_the_copy():
    """ldmatrix with the destination of .trans: the values arrive, each at another place."""
    ldsm = copy_atom("SM75_U32x4_LDSM_N", "half_t")
    mma = make_tiled_mma("SM80_16x8x16_F16F16F16F16_TN", (1, 1), (16, 16, 16))
    src = make_tensor(np.arange(256, dtype=np.float16).reshape(16, 16))
    trans = replace(
        ldsm, dst_layout=Layout(((4, 8), (16, 2, 4)), ((256, 16), (1, 128, 1024))), ref_layout=ldsm.ref_layout
    )
    for c, same in ((ldsm, True), (trans, False)):
        dst = make_tensor(np.zeros((16, 16), np.float16))
        copy(ct.make_tiled_copy_A(c, mma), src, dst)
        assert (dst.to_numpy() == src.to_numpy()).all() == same
        assert sorted(dst.to_numpy().ravel()) == sorted(src.to_numpy().ravel())


# ------------------------------------------------------------------------------------------------ one thread at a time


def test_sgemm_2_thread_by_thread():
    """The tutorial's kernel in its own words: every thread copies its parts and multiplies its values."""
    rng = np.random.default_rng(3)
    A, B = (np.asfortranarray(rng.integers(-3, 4, (32, 16)), np.float32) for _i in range(2))
    C = np.zeros((32, 32), np.float32, order="F")
    mA, mB, mC = map(make_tensor, (A, B, C))
    g2s, mma = simple_copy("float32", (8, 8), (4, 1)), make_tiled_mma(SIMT, (8, 8))
    sA, sB = (make_tensor(np.float32, Layout((32, 8))) for _i in range(2))
    gA, gB = (local_tile(x, (32, 32, 8), (0, 0, _), step) for x, step in ((mA, Step(1, X, 1)), (mB, Step(X, 1, 1))))
    threads = [(g2s.get_slice(t), mma.get_slice(t)) for t in range(64)]
    accumulators = [thr.make_fragment_C(thr.partition_C(mC)) for _c, thr in threads]
    for k in range(2):
        for thr_copy, _thr in threads:
            for g, s in ((gA, sA), (gB, sB)):
                copy(g2s, thr_copy.partition_S(g)[_, _, _, k], thr_copy.partition_D(s))
        for (_c, thr), acc in zip(threads, accumulators, strict=True):
            gemm(mma, thr.partition_A(sA), thr.partition_B(sB), acc)
    for (_c, thr), acc in zip(threads, accumulators, strict=True):
        copy(acc, thr.partition_C(mC))
    assert (C == A @ B.T).all()


def test_fragments_and_retile_thread_by_thread():
    """ldmatrix by all lanes, then each thread's registers as the MMA counts them: retile_D renames, nothing moves."""
    mma = make_tiled_mma("SM80_16x8x16_F32F16F16F32_TN", (2, 2), (32, 32, 16))
    s2r = ct.make_tiled_copy_A(copy_atom("SM75_U32x4_LDSM_N", "half_t"), mma)
    coordinates = ct.make_identity_tensor((64, 32))
    for thread in (0, 17, 127):
        thr_mma, thr_copy = mma.get_slice(thread), s2r.get_slice(thread)
        owned = thr_mma.partition_A(coordinates)
        written = thr_copy.partition_D(coordinates)
        registers = Layout(owned.shape)
        slot_of = {tuple(owned[i]): registers(i) for i in range(len(owned))}
        retiled = thr_copy.retile_D(registers)
        assert [ct.size(retiled, i) for i in range(3)] == [ct.size(written, i) for i in range(3)]
        assert [slot_of[tuple(written[i])] for i in range(len(written))] == retiled.offsets().tolist()


# ------------------------------------------------------------------------------------------------ ragged edges


def test_copy_if_moves_what_the_predicate_picks():
    src = make_tensor(np.arange(41 * 55, dtype=np.float32).reshape(41, 55))
    dst = make_tensor(np.full((41, 55), -1, np.float32))
    tiled = simple_copy("float32", (4, 8), (1, 1))
    copy_if(tiled, lambda i: True, src, dst)
    assert (dst.to_numpy() == src.to_numpy()).all()
    mask = make_tensor(np.random.default_rng(0).random((41, 55)) < 0.5)
    other = make_tensor(np.full((41, 55), -1, np.float32))
    copy_if(tiled, mask, src, other)
    assert (other.to_numpy() == np.where(mask.to_numpy(), src.to_numpy(), -1)).all()
    with pytest.raises(LayoutError, match="mode 0 has 41 elements"):
        copy(tiled, src, dst)


def test_an_atom_alone_multiplies_tensors():
    A, B = np.arange(128.0).reshape(16, 8) % 5, np.arange(64.0).reshape(8, 8) % 7
    C = np.zeros((16, 8), np.float32)
    gemm(atom("SM80_16x8x8_F32TF32TF32F32_TN"), *map(make_tensor, (A, B, C)))
    assert (C == A @ B.T).all()


def test_one_k_of_one_threads_partition():
    """`gemm(mma, tCrA(_,_,k), tCrB(_,_,k), tCrC)`, as the tutorials' inner loop has it."""
    mma = make_tiled_mma(SIMT, (4, 4))
    A, B = (make_tensor(np.arange(64.0, dtype=np.float32).reshape(16, 4) % p) for p in (5, 7))
    C = make_tensor(np.zeros((16, 16), np.float32))
    for t in range(16):
        thr = mma.get_slice(t)
        a, b, c = thr.partition_A(A), thr.partition_B(B), thr.partition_C(C)
        for k in range(4):
            gemm(mma, a[_, _, k], b[_, _, k], c)
    assert (C.to_numpy() == A.to_numpy() @ B.to_numpy().T).all()
    with pytest.raises(LayoutError, match="they do not agree"):
        gemm(mma, a, make_tensor(np.zeros((1, 3, 4))), c)
