"""Every MMA at work: fragments in, fragments out, and the product is numpy's. A wrong map gives a wrong product."""

from dataclasses import replace

import numpy as np
import pytest

from cutelearn import Layout, LayoutError, atom, copy_atom, find_atoms, find_copy_atoms, make_tensor, size, value_type
from cutelearn.atoms.arithmetic import cells
from cutelearn.atoms.valtypes import round_float

GMMA_SIZES = ("x8x", "x64x", "x96x")
NAMES = [a.name for a in find_atoms() if "_64x" not in a.name or any(f"_64{s}" in a.name for s in GMMA_SIZES)]
NAMES += ["UniversalFMA<float>", "UniversalFMA<double>", "UniversalFMA<float,half_t,half_t,float>"]
NAMES += ["UniversalFMA<int32_t,int8_t,int8_t,int32_t>", "UniversalFMA<complex<float>>"]


def fragments(tile, layout):
    """What every thread holds of a tile: thread by thread and value by value, by calling the layout."""
    rows = tile.shape[0]
    return np.array(
        [
            [tile[layout(t, v) % rows, layout(t, v) // rows] for v in range(size(layout, 1))]
            for t in range(size(layout, 0))
        ]
    )


def quick_fragments(tile, layout):
    return tile.reshape(-1, order="F")[cells(layout)]


def random_tile(rng, value_type, shape):
    if value_type.is_integer:
        low, high = value_type.limits
        return rng.integers(max(low, -1000), min(high, 1000) + 1, shape)
    x = rng.normal(size=shape)
    return x + 1j * rng.normal(size=shape) if value_type.code in ("C32", "C64", "GC64") else x


def numpy_product(a, A, B, C):
    """The product in words of numpy alone."""
    A, B, C = a.type_a.round_to(A), a.type_b.round_to(B), a.type_c.round_to(C)
    if a.bit_op:
        combine = {"xor": np.bitwise_xor, "and": np.bitwise_and}[a.bit_op]
        return C + combine(A[:, None, :], B[None, :, :]).sum(-1, dtype=np.int64)
    wide = np.int64 if a.type_d.is_integer else np.complex128 if np.iscomplexobj(A) else np.float64
    return np.einsum("mk,nk->mn", A.astype(wide), B.astype(wide)) + C


@pytest.mark.parametrize("name", NAMES)
def test_the_product_is_numpys(name):
    a = atom(name)
    rng = np.random.default_rng(len(name))
    m, n, k = a.shape_mnk
    A, B, C = (random_tile(rng, t, s) for t, s in ((a.type_a, (m, k)), (a.type_b, (n, k)), (a.type_c, (m, n))))
    take = fragments if a.num_threads < 64 else quick_fragments
    got = a.execute(take(A, a.a_layout), take(B, a.b_layout), take(C, a.c_layout))
    wanted = numpy_product(a, A, B, C)
    assert got.dtype == a.type_d.carrier
    if a.type_d.is_integer:
        assert (got == take(wanted, a.c_layout)).all()
    else:
        rounded = a.type_d.round_to(wanted)
        np.testing.assert_allclose(
            got, take(rounded, a.c_layout), rtol=2e-3 if a.type_d.bits == 16 else 1e-6, atol=1e-6
        )


SM80, F64 = "SM80_16x8x16_F32F16F16F32_TN", "SM80_8x8x4_F64F64F64F64_TN"
WRONG = [
    (F64, "c_layout", "((4,8),2):((2,8),1)"),  # read along the rows: the note's own mistake
    (F64, "a_layout", "((4,8),1):((1,4),0)"),
    (SM80, "a_layout", "((4,8),(2,2,2)):((32,1),(16,128,8))"),  # second and third register changed places
    (SM80, "b_layout", "((4,8),(2,2)):((16,1),(64,8))"),
    (SM80, "c_layout", "((4,8),(2,2)):((32,1),(8,16))"),
    ("SM70_8x8x4_F32F16F16F32_NT", "a_layout", "(8,4):(1,8)"),  # the map of TN
    ("SM70_8x8x4_F32F16F16F32_NT", "c_layout", "(8,8):(1,8)"),  # the map of half accumulators
]


def product_through(a, A, B, C):
    """D as a program gets it that loads and stores by the layouts of `a`."""
    m, n, _k = a.shape_mnk
    taken = zip((A, B, C), (a.a_layout, a.b_layout, a.c_layout), strict=True)
    D = np.zeros(m * n)
    D[cells(a.c_layout)] = a.execute(*(quick_fragments(x, layout) for x, layout in taken))
    return D.reshape(m, n, order="F")


@pytest.mark.parametrize(("name", "operand", "layout"), WRONG)
def test_a_wrong_map_gives_a_wrong_product(name, operand, layout):
    """The hardware is wired as it is: fragments loaded or stored by another map do not fit."""
    right, mine = atom(name), replace(atom(name), **{operand: Layout.parse(layout)})
    m, n, k = right.shape_mnk
    rng = np.random.default_rng(1)
    A, B, C = (rng.integers(-4, 5, shape) for shape in ((m, k), (n, k), (m, n)))
    assert (product_through(right, A, B, C) == A @ B.T + C).all()
    assert (product_through(mine, A, B, C) != A @ B.T + C).any()


def test_k_may_be_permuted_if_both_operands_agree():
    """The sum over k has no order: A and B with the same permutation of k give the same product."""
    mine = replace(
        atom(SM80),
        a_layout=Layout.parse("((4,8),(2,2,2)):((64,1),(16,8,32))"),
        b_layout=Layout.parse("((4,8),(2,2)):((32,1),(8,16))"),
    )
    rng = np.random.default_rng(1)
    A, B, C = (rng.integers(-4, 5, shape) for shape in ((16, 16), (8, 16), (16, 8)))
    assert (product_through(mine, A, B, C) == A @ B.T + C).all()


def test_integers_wrap_or_saturate():
    A = np.full((8, 16), 127)
    C = np.full((8, 8), 2**31 - 1)
    for name, wanted in (
        ("SM80_8x8x16_S32S8S8S32_TN", 2**31 - 1 + 16 * 127 * 127 - 2**32),
        ("SM80_8x8x16_S32S8S8S32_TN_SATURATE", 2**31 - 1),
    ):
        a = atom(name)
        got = a.execute(quick_fragments(A, a.a_layout), quick_fragments(A, a.b_layout), quick_fragments(C, a.c_layout))
        assert (got == wanted).all()


def test_sums_are_rounded_once():
    """2048 + 1 is no half; with a float accumulator it is exact."""
    for name, wanted in (("SM80_16x8x16_F16F16F16F16_TN", 2048), (SM80, 2049)):
        a = atom(name)
        A, B, C = np.zeros((16, 16)), np.zeros((8, 16)), np.full((16, 8), 2048)
        A[:, 0] = B[:, 0] = 1
        got = a.execute(quick_fragments(A, a.a_layout), quick_fragments(B, a.b_layout), quick_fragments(C, a.c_layout))
        assert (got == wanted).all()


def test_many_instructions_at_once():
    a = atom(SM80)
    rng = np.random.default_rng(2)
    A, B, C = (rng.integers(-4, 5, (3, 5, *s)) for s in ((32, 8), (32, 4), (32, 4)))
    together = a.execute(A, B, C)
    assert together.shape == (3, 5, 32, 4)
    assert (together[2, 4] == a.execute(A[2, 4], B[2, 4], C[2, 4])).all()


# ------------------------------------------------------------------------------------------------ value types


def test_8_bit_floats_are_their_tables():
    """Every value of e4m3 (4 exponent bits, bias 7, no infinity) and e5m2 (5, bias 15), from its 8 bits."""
    for code, exponent_bits, bias, top in (("E4M3", 4, 7, 0x7E), ("E5M2", 5, 15, 0x7B)):
        mantissa_bits = 7 - exponent_bits
        values = []
        for bits in range(top + 1):
            e, f = bits >> mantissa_bits, bits & ((1 << mantissa_bits) - 1)
            fraction = f / (1 << mantissa_bits)
            values.append(2.0 ** (1 - bias) * fraction if e == 0 else 2.0 ** (e - bias) * (1 + fraction))
        values = np.array(values)
        t = value_type(code)
        assert (t.round_to(values) == values).all()
        assert (t.round_to(-values) == -values).all()
        middle = (values[:-1] + values[1:]) / 2
        even = np.where(np.arange(len(middle)) % 2 == 0, values[:-1], values[1:])
        assert (t.round_to(middle) == even).all()
        assert (t.round_to(np.nextafter(middle, np.inf)) == values[1:]).all()
        assert t.round_to(1e9) == values[-1]


def test_bfloat16_and_tfloat32():
    one_up = np.float32(1 + 2**-7)
    assert value_type("bf16").round_to([1 + 2**-8, 1 + 3 * 2**-8, -(1 + 2**-8)]).tolist() == [1, 1 + 2**-6, -1]
    assert value_type("bf16").round_to(one_up) == one_up
    assert np.isnan(value_type("bf16").round_to(np.nan))
    assert value_type("tf32").round_to([1 + 2**-11, 1 + 2**-12, -1 - 2**-11]).tolist() == [1 + 2**-10, 1, -1 - 2**-10]
    assert value_type("tf32").round_to(np.inf) == np.inf
    half = np.random.default_rng(0).normal(size=200)
    assert (round_float(half, 10, -14, 65504.0) == half.astype(np.float16)).all()


# ------------------------------------------------------------------------------------------------ copies


@pytest.mark.parametrize("c", find_copy_atoms(), ids=lambda c: c.name)
def test_every_bit_arrives(c):
    """Number the bits: each thread gets the ones that dst_layout says, from the threads that src_layout says."""
    if c.name.startswith("SM90_TMA") or "BULK" in c.name:
        return
    typed = c.with_type("uint16_t") if c.src_layout.shape != (1, 1) else c.with_type("uint8_t")
    given = typed.execute(typed.val_layout_src.offsets().reshape(size(typed.val_layout_src, 1), -1).T)
    wanted = typed.val_layout_dst.offsets().reshape(size(typed.val_layout_dst, 1), -1).T
    if "MOVM" in c.name:  # its traits do not say that it transposes
        matrix = np.arange(64).reshape(8, 8)
        registers = [[matrix[t // 4, t % 4 * 2 + v] for v in range(2)] for t in range(32)]
        assert (
            typed.execute(registers) == [[matrix[t % 4 * 2 + v, t // 4] for v in range(2)] for t in range(32)]
        ).all()
        return
    assert (given == wanted).all()


def test_ldmatrix_is_ptxs():
    """PTX ISA, ldmatrix: lane t gives row t % 8 of matrix t // 8, and gets (t // 4, 2 * (t % 4) + v) of every matrix."""
    matrices = np.arange(256).reshape(4, 8, 8)
    rows = matrices.reshape(32, 8)
    got = copy_atom("SM75_U32x4_LDSM_N", "half_t").execute(rows)
    got_t = copy_atom("SM75_U16x8_LDSM_T", "half_t").execute(rows)
    for lane in range(32):
        for x in range(4):
            for v in range(2):
                row, column = lane // 4, 2 * (lane % 4) + v
                assert got[lane, 2 * x + v] == matrices[x, row, column]
                assert got_t[lane, 2 * x + v] == matrices[x, column, row]


def test_one_threads_copy_takes_tensors():
    src, dst = make_tensor(np.arange(4, dtype=np.float32), 4), make_tensor(np.zeros(4, np.float32), 4)
    copy_atom("UniversalCopy<uint128_t>", "float").execute(src, dst)
    assert dst.to_numpy().tolist() == [0, 1, 2, 3]
    with pytest.raises(LayoutError, match="32 threads work together"):
        copy_atom("SM75_U32x4_LDSM_N", "half_t").execute(src, dst)
