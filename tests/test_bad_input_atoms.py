"""What atoms and tilings say to input that cannot be: whole sentences, with the numbers and what to write instead."""

import dataclasses

import numpy as np
import pytest

import cutelearn as ct
from cutelearn import (
    Layout,
    LayoutError,
    _,
    atom,
    copy,
    copy_atom,
    decode,
    find_atoms,
    gemm,
    gmma_smem_atom,
    make_tensor,
    make_tiled_copy,
    make_tiled_mma,
    value_type,
)

M = "SM80_16x8x16_F32F16F16F32_TN"


def ldsm():
    return copy_atom("SM75_U32x4_LDSM_N", "half_t")


def one_float():
    return copy_atom("UniversalCopy<float>", "float")


def mma():
    return make_tiled_mma(M, (2, 2))


def s2r():
    return ct.make_tiled_copy_A(ldsm(), make_tiled_mma("SM80_16x8x16_F16F16F16F16_TN", (2, 2), (32, 32, 16)))


def four_floats():
    return make_tiled_copy(copy_atom("UniversalCopy<uint128_t>", "float"), (32, 8), (4, 1))


def part_of(layout, dtype=np.float32, thread=0):
    """What one thread of four_floats moves of a tensor."""
    return four_floats().get_slice(thread).partition_S(make_tensor(np.zeros(ct.cosize(layout), dtype), layout))


def own(shape, stride=None):
    return make_tensor(np.float32, Layout(shape, stride))


def zeros(*shape):
    return make_tensor(np.zeros(shape, np.float32))


def ones(*shape):
    return np.ones(shape)


SENTENCES = [
    (
        lambda: s2r().get_slice(0).retile_D(Layout((3, 2, 2))),
        "retile: the registers (3,2,2):(1,3,6) come in groups of 3, and a thread's 8 values of the tile "
        "(32,16) are no whole number of such groups",
    ),
    (
        lambda: s2r().get_slice(0).retile_D(Layout((8, 2))),
        "retile: (8,2):(1,8) has rank 2; the registers of a thread have the modes (V,M,N,...): values of the "
        "atom, then repeats in each mode of the tile (32,16)",
    ),
    (
        lambda: mma().tile_size(3),
        "mode 3 of a TiledMMA's tile: its modes are 0, 1, 2 for M, N, K",
    ),
    (
        lambda: four_floats().tile_size("M"),
        "mode 'M' of a TiledCopy's tile (128,8): its modes count from 0",
    ),
    (
        lambda: mma().get_slice(0).partition_A(ones(32, 16)),
        "partition_A wants a Tensor, got a numpy array of shape (32, 16): write make_tensor(array)",
    ),
    (
        lambda: ct.make_tiled_copy_A(one_float(), 5),
        "make_tiled_copy_A: 5 is no TiledMMA: make one with make_tiled_mma",
    ),
    (
        lambda: copy_atom("UniversalCopy<half_t>", "float"),
        "UniversalCopy<half_t> cannot move values of 32 bits (float): a thread moves 16 bits, no whole value",
    ),
    (
        lambda: make_tiled_mma("SM70_8x8x4_F32F16F16F32_NT", (3, 1, 1)).layoutA_TV,
        "the threads ((4,2),3,1,1):((1,16),4,0,0) leave gaps (12 to 15, ...), so that no layout gives "
        "(thread, value) -> cell of the tile. Choose numbers of atoms that are powers of two; partitions and "
        "gemm work as it is",
    ),
    (
        lambda: atom("SM80_16x8x16_F32F16F16_TN"),
        "there is no MMA atom 'SM80_16x8x16_F32F16F16_TN': the nearest are SM80_16x8x16_F32F16F16F32_TN, "
        "SM80_16x8x8_F32F16F16F32_TN, SM80_16x8x16_F16F16F16F16_TN",
    ),
    (
        lambda: atom("SM80_16x8x16_F32F16F16F32_NT"),
        "there is no MMA atom 'SM80_16x8x16_F32F16F16F32_NT': the nearest are SM80_16x8x16_F32F16F16F32_TN, "
        "SM80_16x8x16_F32BF16BF16F32_TN, SM80_16x8x8_F32F16F16F32_TN",
    ),
    (
        lambda: atom("banana"),
        "there is no MMA atom 'banana': find_atoms() lists the MMAs, find_copy_atoms() the copies",
    ),
    (
        lambda: atom(42),
        "an atom is asked for by its name, a text such as SM80_16x8x16_F32F16F16F32_TN, not by 42",
    ),
    (
        lambda: atom("SM75_U32x4_LDSM_N"),
        "SM75_U32x4_LDSM_N is a copy, not an MMA: write copy_atom('SM75_U32x4_LDSM_N', type)",
    ),
    (
        lambda: atom("SM90_64x40x32_S32S8S8_SS_TN"),
        "SM90_64x40x32_S32S8S8_SS_TN: there is no N = 40; for 8-bit integers N is one of 8, 16, 24, 32, 48, "
        "64, 80, 96, 112, 128, 144, 160, 176, 192, 208, 224, 240, 256",
    ),
    (
        lambda: atom("SM90_64x12x16_F32F16F16_SS<K,K>"),
        "SM90_64x12x16_F32F16F16_SS<K,K>: there is no N = 12; N is a multiple of 8 from 8 to 256",
    ),
    (
        lambda: atom("SM90_64x64x32_F32F16F16_SS<K,K>"),
        "SM90_64x64x32_F32F16F16_SS<K,K>: a GMMA on half_t has M = 64 and K = 16 (256 bits), not M = 64 and K = 32",
    ),
    (
        lambda: atom("SM90_64x64x16_F32F16F16_RS<MN,K>"),
        "SM90_64x64x16_F32F16F16_RS<MN,K>: A in registers (RS) must be K-major: write RS<K,K>, or SS for MN-major",
    ),
    (
        lambda: atom("SM90_64x128x16_F16F16F16F16_TN"),
        "SM90_64x128x16_F16F16F16F16_TN does not say where A and B are. The names of GMMAs give the types of "
        "D, A and B and end in _SS (both in shared memory) or _RS (A in registers): write "
        "SM90_64x128x16_F16F16F16_SS<K,K>",
    ),
    (
        lambda: atom("SM90::GMMA::SPARSE::GMMA_64x64x32_F32F16F16_SS<K,K>"),
        "SM90::GMMA::SPARSE::GMMA_64x64x32_F32F16F16_SS<K,K> is a sparse GMMA: A is stored as its non-zeros "
        "and their places, so its map is no layout of A. Sparse GMMA is left out here; the dense ones are "
        "named like SM90_64x128x16_F32F16F16_SS<K,K>",
    ),
    (
        lambda: atom("UniversalFMA<float,half_t>"),
        "UniversalFMA<float,half_t>: write UniversalFMA<float>, or the types of D, A, B and C: "
        "UniversalFMA<float,half_t,half_t,float>",
    ),
    (
        lambda: atom("UniversalFMA<banana>"),
        "'banana' is no value type here: write a code or name such as F16, half_t, float, int8_t or a numpy dtype",
    ),
    (
        lambda: decode("SM80_16x8x16"),
        "'SM80_16x8x16' has not the form of an MMA's name: ARCH_MxNxK_DABC_TN as in "
        "SM80_16x8x16_F32F16F16F32_TN (the types of D, A, B, C), or SM90_64x64x16_F32F16F16_SS<K,K> (the "
        "types of D, A, B; then A's and B's majors)",
    ),
    (
        lambda: find_atoms("SM95"),
        "find_atoms: no MMA here is of SM95; the architectures are SM61, SM70, SM75, SM80, SM89, SM90",
    ),
    (
        lambda: copy_atom("SM75_U32x4_LDSM_T"),
        "there is no copy atom 'SM75_U32x4_LDSM_T': the nearest are SM75_U32x4_LDSM_N, SM75_U32x2_LDSM_N, "
        "SM75_U32x1_LDSM_N",
    ),
    (
        lambda: copy_atom(M),
        "SM80_16x8x16_F32F16F16F32_TN is an MMA, not a copy: write atom('SM80_16x8x16_F32F16F16F32_TN')",
    ),
    (
        lambda: copy_atom("SM80_CP_ASYNC_CACHEGLOBAL<float>"),
        "SM80_CP_ASYNC_CACHEGLOBAL<float>: cp.async of this kind moves 16 bytes a thread, and float has 4",
    ),
    (
        lambda: copy_atom("SM80_CP_ASYNC_CACHEALWAYS<half_t>"),
        "SM80_CP_ASYNC_CACHEALWAYS<half_t>: cp.async of this kind moves 4, 8 or 16 bytes a thread, and half_t has 2",
    ),
    (
        lambda: copy_atom("UniversalCopy"),
        "UniversalCopy: say what one thread moves at once, as in UniversalCopy<uint128_t>",
    ),
    (
        lambda: copy_atom("SM90_TMA_LOAD"),
        "SM90_TMA_LOAD: say how many bits it moves, a multiple of 128, as in SM90_TMA_LOAD<16384> for a tile "
        "of 32x32 half_t",
    ),
    (
        lambda: copy_atom("SM75_U16x8_LDSM_T", "float"),
        "SM75_U16x8_LDSM_T cannot move values of 32 bits (float): it splits them between threads. It moves "
        "pieces of 16 bits; take a type of 16 bits or less",
    ),
    (
        lambda: copy_atom("UniversalCopy<float>").val_layout_src,
        "UniversalCopy<float> has no value type yet: write copy_atom('UniversalCopy<float>', 'half_t') or another type",
    ),
    (
        lambda: make_tiled_mma(5),
        "make_tiled_mma: 5 is no MMA atom; give one, or its name",
    ),
    (
        lambda: make_tiled_mma(M, (2, 2, 1, 1)),
        "make_tiled_mma: the atom layout (2,2,1,1):(1,2,0,0) has rank 4; its modes are M, N, K",
    ),
    (
        lambda: make_tiled_mma(M, Layout((2, 2), (1, 1))),
        "make_tiled_mma: thread 32 is hit twice, by the atoms (1,0,0) and (0,1,0) (M,N,K): the atom layout "
        "(2,2,1):(1,1,0) must give every atom threads of its own, as (2,2,1):(1,2,0) does",
    ),
    (
        lambda: make_tiled_mma(M, (2, 2), (Layout((2, 16), (1, 8)),)),
        "make_tiled_mma: (2,16):(1,8) is no permutation of M: it reaches 32, outside of 0..31, and never "
        "hits 2. A permutation of 32 meets each of 0..31 once (its size is 32, its cosize 122)",
    ),
    (
        lambda: make_tiled_mma(M, (2, 2), (Layout((4, 8), (1, 2)),)),
        "make_tiled_mma: (4,8):(1,2) is no permutation of M: 2 is hit twice, by 2 and by 4. A permutation of "
        "32 meets each of 0..31 once (its size is 32, its cosize 18)",
    ),
    (
        lambda: make_tiled_mma(M, (2, 2), (48,)),
        "make_tiled_mma: the tile has 48 in M, but 2 atoms of 16 cover 32: choose a multiple of 32",
    ),
    (
        lambda: mma().get_slice(128),
        "get_slice(128): this TiledMMA has 128 threads, 0 to 127",
    ),
    (
        lambda: mma().get_slice(0).partition_A(Layout(64)),
        "partition_A: 64:1 has rank 1; an operand has two modes or more, such as (M,K)",
    ),
    (
        lambda: mma().get_slice(0).partition_A((64, 32)),
        "partition_A wants a Layout, got (64,32): write Layout((64,32))",
    ),
    (
        lambda: mma().make_fragment_A(Layout((64, 16))),
        "make_fragment_A: (64,16):(1,64) is no partition of A: its modes should be (8 values of the atom, "
        "repeats, repeats, ...). Call partition_A first, or partition_fragment_A",
    ),
    (
        lambda: gemm(mma(), zeros(32, 16), zeros(16, 16), zeros(32, 16), zeros(32, 16)),
        "gemm with a TiledMMA: A is (M,K) = (16,16), B is (N,K) = (32,16), C is (M,N) = (32,16), D (32,16): "
        "they do not agree. B is given as (N,K), not (K,N)",
    ),
    (
        lambda: gemm(mma(), zeros(40, 16), zeros(16, 16), zeros(40, 16)),
        "gemm with a TiledMMA: M = 40 is no multiple of the tile's 32 (the tile is (32,16,16)): choose other "
        "tiles, or pad with zeros to 64",
    ),
    (
        lambda: make_tiled_copy(ldsm(), (16, 1), (1, 8)),
        "TiledCopy uses too few threads: SM75_U32x4_LDSM_N is done by 32 threads together, and 16 is no "
        "multiple of that",
    ),
    (
        lambda: ct.make_tiled_copy_B(ldsm(), make_tiled_mma("SM80_16x8x16_F16F16F16F16_TN")),
        "TiledCopy uses too few values: SM75_U32x4_LDSM_N needs 8 values of half_t a thread, and the tile "
        "(8,16) gives 4. Make the tile larger in N or K (the MMA's permutations), or take an atom that moves "
        "4 or less",
    ),
    (
        lambda: make_tiled_copy(one_float(), Layout((32, 8), (1, 16))),
        "make_tiled_copy: the thread layout (32,8):(1,16) must number its 256 cells 0 to 255, each once, but "
        "thread 16 is hit twice",
    ),
    (
        lambda: make_tiled_copy(one_float(), Layout((32, 8), (1, 33))),
        "make_tiled_copy: the thread layout (32,8):(1,33) must number its 256 cells 0 to 255, each once, but "
        "thread 32 is missing",
    ),
    (
        lambda: make_tiled_copy("UniversalCopy<float>", (32, 8)),
        "'UniversalCopy<float>' is no copy atom: write copy_atom('UniversalCopy<uint128_t>', 'float')",
    ),
    (
        lambda: make_tiled_copy(copy_atom("UniversalCopy<float>"), (32, 8)),
        "UniversalCopy<float> has no value type yet: write copy_atom('UniversalCopy<float>', 'half_t') or another type",
    ),
    (
        lambda: four_floats().get_slice(256),
        "get_slice(256): this TiledCopy has 256 threads, 0 to 255",
    ),
    (
        lambda: four_floats().get_slice(0).partition_S(Layout(128)),
        "partition_S: Rank of tensor to be partitioned too small: 128:1 has 1, the tile (128,8) has 2 modes",
    ),
    (
        lambda: copy(four_floats(), zeros(128, 8), zeros(128, 16)),
        "copy with a TiledCopy: src is (128,8), dst (128,16): their modes must have the same extents",
    ),
    (
        lambda: copy(four_floats(), zeros(100, 8), zeros(100, 8)),
        "copy with a TiledCopy: mode 0 has 100 elements, no multiple of the tile's 128 (the tile is "
        "(128,8)): choose other tiles, or copy_if with a predicate",
    ),
    (
        lambda: copy(four_floats(), zeros(128, 8), zeros(128, 8)),
        "copy with a TiledCopy: UniversalCopy<uint128_t> moves 4 values of float a thread as one word; those "
        "of thread 0 in src ((128,8):(8,1)) cannot be moved so: two of them lie at 0 and 8, not side by "
        "side. Choose a value layout along the contiguous mode, or a narrower atom",
    ),
    (
        lambda: copy(
            four_floats(),
            make_tensor(np.zeros(129 * 8, np.float32), (128, 8), (1, 129)),
            make_tensor(np.float32, (128, 8)),
        ),
        "copy with a TiledCopy: UniversalCopy<uint128_t> moves 4 values of float a thread as one word; those "
        "of thread 32 in src ((128,8):(1,129)) cannot be moved so: they start at 129, no multiple of 4. "
        "Choose a value layout along the contiguous mode, or a narrower atom",
    ),
    (
        lambda: copy(
            ct.make_tiled_copy_A(ldsm(), make_tiled_mma("SM80_16x8x16_F16F16F16F16_TN")), zeros(8, 1, 1), zeros(8, 1, 1)
        ),
        "copy by SM75_U32x4_LDSM_N: 32 threads work together on one instruction, so one thread's parts "
        "((8,1,1) to (8,1,1)) are not enough. Give whole tensors to a TiledCopy of it",
    ),
    (
        lambda: make_tiled_mma("SM70_8x8x4_F32F16F16F32_NT", Layout((3, 2, 1), ct.LayoutRight)),
        "make_tiled_mma: one SM70_8x8x4_F32F16F16F32_NT takes the threads (4,2):(1,16), and others fit in beside it from "
        "the threads 0, 4, 8, 12, 32, 36, ...; the atom layout (3,2,1):(2,1,0) goes through these 6 in steps that are no "
        "layout. Choose numbers of atoms that are powers of two",
    ),
    (
        lambda: make_tiled_mma(M, Layout((3, 2), (-1, 3))),
        "make_tiled_mma: the atom layout (3,2,1):(-1,3,0) gives the atom (2,0,0) (M,N,K) the thread -64: threads count from "
        "0, so its strides are 0 or more",
    ),
    (
        lambda: ct.partition_A(mma(), zeros(32, 16)),
        "partition_A is one thread's, and a TiledMMA is all 128 threads': take one of them first, "
        "get_slice(thread).partition_A(...)",
    ),
    (
        lambda: ct.partition_S(mma().get_slice(0), zeros(32, 16)),
        "partition_S is a ThrCopy's, and a ThrMMA is none: write make_tiled_copy(...).get_slice(thread).partition_S(...)",
    ),
    (
        lambda: ct.make_fragment_A(four_floats(), zeros(32, 16)),
        "make_fragment_A is a ThrMMA's, and a TiledCopy is none: write "
        "make_tiled_mma(...).get_slice(thread).make_fragment_A(...)",
    ),
    (
        lambda: ct.retile_D(5, zeros(32, 16)),
        "retile_D is a ThrCopy's, and 5 is none: write make_tiled_copy(...).get_slice(thread).retile_D(...)",
    ),
    (
        lambda: ct.get_slice(one_float(), 0),
        "get_slice: a CopyAtom is not divided between threads: make a TiledMMA or TiledCopy with make_tiled_mma or "
        "make_tiled_copy",
    ),
    (
        lambda: ct.thr_layout_vmnk(four_floats()),
        "thr_layout_vmnk is a TiledMMA's, and a TiledCopy is none: make one with make_tiled_mma",
    ),
    (
        lambda: ct.make_tiled_copy_S(one_float(), mma()),
        "make_tiled_copy_S: make_tiled_mma('SM80_16x8x16_F32F16F16F32_TN', (2,2,1):(1,2,0), (_,_,_)) is no TiledCopy: make "
        "one with make_tiled_copy",
    ),
    (
        lambda: one_float().execute(np.zeros(4), np.zeros(4)),
        "copy by UniversalCopy<float>: src is array([0., 0., 0., 0.]); give a Tensor, as make_tensor makes one",
    ),
    (
        lambda: one_float().execute([[1], [2, 3]]),
        "what UniversalCopy<float> is given is no array: [[1], [2, 3]] has rows of several lengths",
    ),
    (
        lambda: ct.find_copy_atoms("SM99"),
        "find_copy_atoms: no copy here is of 'SM99'; the architectures are SM50, SM75, SM80, SM90, universal",
    ),
    (
        lambda: gmma_smem_atom(5, "half_t"),
        "5 is no GMMA shared-memory layout: write Layout_K_SW128_Atom, with K or MN and INTER, SW32, SW64 or SW128",
    ),
    (
        lambda: value_type(make_tensor([1], 1)),
        "ptr o 1:0 is no value type: write F16, half_t, float, int8_t, or a numpy dtype",
    ),
    (lambda: ct.tile_size(5, 0), "tile_size is a TiledMMA's or TiledCopy's, and 5 is none"),
    (
        lambda: copy(four_floats(), part_of(Layout((128, 8), (8, 1))), part_of(Layout((128, 8)))),
        "copy: UniversalCopy<uint128_t> moves 4 values of float a thread as one word; those in src "
        "(((4,1),1,1):((8,0),0,0)) cannot be moved so: two of them lie at 0 and 8, not side by side. Choose a value layout "
        "along the contiguous mode, or a narrower atom",
    ),
    (
        lambda: copy(four_floats(), part_of(Layout((128, 8))), part_of(Layout((128, 8), (1, 129)), thread=32)),
        "copy: UniversalCopy<uint128_t> moves 4 values of float a thread as one word; those in dst "
        "(((4,1),1,1):((1,0),0,0)) cannot be moved so: they start at 129, no multiple of 4. Choose a value layout along the "
        "contiguous mode, or a narrower atom",
    ),
    (
        lambda: copy(four_floats(), own((4,), (1,)), own(((2, 2),), ((2, 1),))),
        "copy: UniversalCopy<uint128_t> moves 4 values of float a thread as one word, as it is; value 1 is number 1 of its "
        "word in src, and must arrive as number 2. Choose a value layout along the contiguous mode, or a narrower atom",
    ),
    (
        lambda: copy(four_floats(), own((3, 1, 1)), own((3, 1, 1))),
        "copy with a TiledCopy: mode 0 has 3 elements, no multiple of the tile's 128 (the tile is (128,8)): choose other "
        "tiles, or copy_if with a predicate. One thread's part would have 4 values in mode 0, and here are 3",
    ),
    (
        lambda: copy(four_floats().atom, own((3, 2)), own((3, 2))),
        "copy by UniversalCopy<uint128_t>: it moves 4 values at once, and the first mode of src ptr[32b] o (3,2):(1,3) has "
        "3: the modes are (values, repeats, ...), as partition_S and partition_D give them",
    ),
    (
        lambda: copy(four_floats().atom, own((4, 2)), own((8, 1))),
        "copy by UniversalCopy<uint128_t>: src is (4,2) and dst (8,1): both must have as many values in mode 0, and as many "
        "accesses in the modes after it",
    ),
    (
        lambda: copy(four_floats(), part_of(Layout((128, 8)), np.float64), part_of(Layout((128, 8)))),
        "copy by UniversalCopy<uint128_t>: it moves values of 32 bits (float), and src ptr[64b] o "
        "((4,1),1,1):((1,0),0,0) holds float64: give it tensors of that type, or ask copy_atom for one that moves theirs",
    ),
    (
        lambda: copy(four_floats(), zeros(128, 8), make_tensor(np.int8, (128, 8))),
        "copy with a TiledCopy: it moves values of 32 bits (float), and dst ptr[8b] o (128,8):(1,128) holds int8: give it "
        "tensors of that type, or ask copy_atom for one that moves theirs",
    ),
    (
        lambda: copy(four_floats(), part_of(Layout((128, 8))), part_of(Layout((128, 8)), np.int32)),
        "copy by UniversalCopy<uint128_t>: it converts nothing, and src holds float32, dst int32: copy(src, dst) without an "
        "atom converts",
    ),
    (
        lambda: copy(copy_atom("UniversalCopy<uint128_t>"), own((4, 1)), own((4, 1))),
        "UniversalCopy<uint128_t> has no value type yet: write copy_atom('UniversalCopy<uint128_t>', 'half_t') or another type",
    ),
    (
        lambda: atom(M).execute(ones(32, 4), ones(32, 4), ones(32, 4)),
        "SM80_16x8x16_F32F16F16F32_TN: the fragments of A have the shape (32, 4); give 32 threads of 8 "
        "values, an array (32, 8)",
    ),
    (
        lambda: atom(M).execute(ones(32, 8), ones(32, 4)),
        "SM80_16x8x16_F32F16F16F32_TN.execute takes the fragments of A, B and C, or tensors D, A, B, C; got 2",
    ),
    (
        lambda: atom("SM80_8x8x16_S32S8S8S32_TN").execute(np.full((32, 4), 200), ones(32, 4), ones(32, 2)),
        "the fragment of A[0, 0] is 200: int8_t holds the integers -128 to 127",
    ),
    (
        lambda: atom("SM80_8x8x16_S32S8S8S32_TN").execute(np.full((32, 4), 0.5), ones(32, 4), ones(32, 2)),
        "the fragment of A[0, 0] is 0.5: int8_t holds the integers -128 to 127",
    ),
    (
        lambda: atom(M).execute(np.full((32, 8), 1j), ones(32, 4), ones(32, 4)),
        "the fragment of A is complex, and half_t is real: take .real, or choose a C64 atom",
    ),
    (
        lambda: atom("SM90_64x8x16_F32F16F16_SS<K,K>").execute(
            np.arange(128 * 1024).reshape(128, 1024) % 9, ones(128, 128), ones(128, 4)
        ),
        "the fragments of A disagree: A(0,0) is 0.0 in thread 0, value 0, and 7.0 in another thread. Threads "
        "that share a cell must hold the same",
    ),
    (
        lambda: copy_atom("SM75_U32x1_LDSM_N", "half_t").execute(np.arange(256).reshape(32, 8)),
        "SM75_U32x1_LDSM_N: thread 0, value 0 gives what another thread gives too, with another number",
    ),
    (
        lambda: value_type("int128"),
        "'int128' is no value type here: write a code or name such as F16, half_t, float, int8_t or a numpy dtype",
    ),
    (
        lambda: gmma_smem_atom("K_SW256", "half_t"),
        "'K_SW256' is no GMMA shared-memory layout: write Layout_K_SW128_Atom, with K or MN and INTER, SW32, "
        "SW64 or SW128",
    ),
    (
        lambda: gmma_smem_atom("K_SW128", "GC64"),
        "K_SW128: elements of 192 bits do not fill a piece of 16 bytes evenly: use 4, 8, 16, 32, 64 or 128",
    ),
]


SENTENCES += [
    (
        lambda: ct.TiledMMA(5, Layout((1, 1, 1)), (_, _, _)),
        "TiledMMA: its atom is a MMAAtom, not 5 (int): make_tiled_mma makes one",
    ),
    (
        lambda: ct.TiledMMA(atom(M), (2, 2), (_, _, _)),
        "TiledMMA: its atom_layout is a Layout, not (2, 2) (tuple): make_tiled_mma makes one",
    ),
    (
        lambda: ct.TiledMMA(atom(M), Layout((2, 2)), (_, _)),
        "TiledMMA: the atom layout (2,2):(1,2) has rank 2 and there are 2 permutations: both are three, for M, N, K; "
        "make_tiled_mma fills up what is left out",
    ),
    (
        lambda: ct.ThrMMA(four_floats(), 0, (0, 0, 0, 0)),
        "ThrMMA: its tiled_mma is a TiledMMA, not TiledCopy(copy_atom('UniversalCopy<uint128_t>', 'float'), "
        "(256,4):(4,1), (128,8)... (TiledCopy): mma.get_slice(thread) makes one",
    ),
    (
        lambda: ct.TiledCopy("ldmatrix", Layout((32, 4)), (8, 16)),
        "TiledCopy: its atom is a CopyAtom, not 'ldmatrix' (str): make_tiled_copy makes one",
    ),
    (
        lambda: ct.TiledCopy(one_float(), Layout(32), (32,)),
        "TiledCopy: 32:1 has rank 1: (thread, value) -> cell has two modes",
    ),
    (
        lambda: ct.ThrCopy(None, 0),
        "ThrCopy: its tiled_copy is a TiledCopy, not None (NoneType): tiled_copy.get_slice(thread) makes one",
    ),
    (
        lambda: dataclasses.replace(one_float(), value_type="float"),
        "CopyAtom: its value_type is a ValueType, not 'float' (str): value_type(name) makes one",
    ),
    (
        lambda: dataclasses.replace(atom(M), a_layout=(32, 8)),
        "MMAAtom: its a_layout is a Layout, not (32, 8) (tuple): atom(name) makes one",
    ),
    (lambda: mma().tile_size(2.0), "mode 2.0 of a TiledMMA's tile: its modes are 0, 1, 2 for M, N, K"),
    (
        lambda: make_tiled_copy(one_float(), (4096, 4096)),
        "make_tiled_copy: the thread layout (4096,4096):(1,4096) has 16777216 cells, more than 65536: no CTA does so "
        "much at once",
    ),
    (
        lambda: make_tiled_mma(M, (2, 2), Layout((4096, 4096))),
        "make_tiled_mma: the permutation of M, (4096,4096):(1,4096) has 16777216 cells, more than 65536: no CTA does so "
        "much at once",
    ),
    (
        lambda: copy(mma(), zeros(32, 16), zeros(32, 16)),
        "copy: the first operand, make_tiled_mma('SM80_16x8x16_F32F16F16F32_TN', (2,2,1):(1,2,0), (_,_,_)), cannot execute: "
        "give a TiledCopy or an atom, or leave it out",
    ),
    (
        lambda: ct.axpby(1, ct.make_identity_tensor((4, 8)), 0, zeros(4, 8)),
        "axpby: x is ArithTuple(0,0) o (4,8):(1@0,1@1): it holds coordinates, and there are no numbers to multiply",
    ),
    (
        lambda: gemm(ct.make_identity_tensor((4, 8)), zeros(4, 8), zeros(4, 4)),
        "gemm: A is ArithTuple(0,0) o (4,8):(1@0,1@1): it holds coordinates, and there are no numbers to multiply",
    ),
]


@pytest.mark.parametrize(("call", "sentence"), SENTENCES, ids=[str(i) for i in range(len(SENTENCES))])
def test_the_sentence(call, sentence):
    with pytest.raises(LayoutError) as caught:
        call()
    assert str(caught.value) == sentence


MEMBERS = [
    (lambda: mma().partition_B, "take one of them first, get_slice(thread).partition_B(...)"),
    (lambda: four_floats().retile_S, "a TiledCopy is all 256 threads': take one of them first"),
    (lambda: mma().get_slice(0).partition_D, "partition_D is a ThrCopy's, and a ThrMMA is none"),
    (lambda: atom(M).partition_C, "partition_C is a ThrMMA's, and a MMAAtom is none: write make_tiled_mma(...)"),
    (lambda: mma().get_lsice, "a TiledMMA has no 'get_lsice'"),
]


@pytest.mark.parametrize(("call", "words"), MEMBERS, ids=[words for _call, words in MEMBERS])
def test_members_that_are_not_there(call, words):
    with pytest.raises(AttributeError) as caught:
        call()
    assert words in str(caught.value)
