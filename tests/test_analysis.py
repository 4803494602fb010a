"""What accesses cost, counted from layouts: bank conflicts, sectors, vectors, registers."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import cutelearn as ct
from cutelearn import (
    ComposedLayout,
    Layout,
    LayoutError,
    Swizzle,
    accesses,
    bank_conflicts,
    coalescing,
    copy_atom,
    find_swizzle,
    make_tiled_copy,
    make_tiled_mma,
    registers,
    swizzle_moves,
    vector_width,
    warp_access,
    why_not_wider,
)

# ------------------------------------------------------------------------------------------------ banks


def ways_by_hand(addresses, width):
    """Phase by phase and bank by bank: how many different words are wanted, in plain Python."""
    together = 32 // max(1, width // 4)
    total, worst = 0, 0
    for begin in range(0, len(addresses), together):
        wanted = {}
        for address in addresses[begin : begin + together]:
            for byte in range(address, address + width):
                wanted.setdefault(byte // 4 % 32, set()).add(byte // 4)
        ways = max(len(words) for words in wanted.values())
        total, worst = total + ways, max(worst, ways)
    return total, worst


@given(st.lists(st.integers(0, 500), min_size=1, max_size=32), st.sampled_from([1, 2, 4, 8, 16]))
def test_bank_conflicts_are_those_counted_by_hand(offsets, width):
    report = bank_conflicts(offsets, 8 * width)
    assert (report.wavefronts, report.ways) == ways_by_hand([o * width for o in offsets], width)
    assert report.wavefronts == report.ideal + report.extra
    assert 1 <= report.ways <= 32 // max(1, width // 4)


@given(st.integers(1, 40))
def test_a_column_of_floats(stride):
    """32 lanes down a column of a row-major matrix: gcd(stride, 32) of them share a bank."""
    assert bank_conflicts(Layout(32, stride), "float").ways == np.gcd(stride, 32)


def test_broadcast_and_halves():
    assert bank_conflicts(Layout(32, 0), "float").wavefronts == 1
    assert bank_conflicts(Layout(32, 1), "half_t").wavefronts == 1
    assert bank_conflicts(Layout(32, 1), "double") == bank_conflicts(Layout(32, 2), "float", vector=2)
    wide = bank_conflicts(Layout(32, 1), "double")
    assert (wide.ways, wide.wavefronts, wide.ideal) == (1, 2, 2)
    assert [len(lanes) for lanes, _banks in bank_conflicts(Layout(32, 4), "float", vector=4).phases] == [8] * 4
    assert bank_conflicts([0, 32], "float").phases[0] == ((0, 1), {0: (0, 32)})


def test_sgemm_1s_store_of_a_row_major_tile():
    """NVIDIA/cutlass#1443: threads 32x8 with k fastest store a column-major (128,8) tile: eight lanes, one bank."""
    tiled = make_tiled_copy(copy_atom("UniversalCopy<float>", "float"), Layout((32, 8), (8, 1)), Layout((1, 1)))
    ways = {
        m: {bank_conflicts(a, "float").ways for a in accesses(tiled, "D", Layout((128, 8), (1, m)))}
        for m in (128, 129, 132)
    }
    assert ways == {128: {8}, 129: {4}, 132: {1}}


def test_ldmatrix_reads_a_swizzled_tile_without_conflict():
    """Each of the four matrices is one quarter of the lanes: eight rows of 16 bytes."""
    mma = make_tiled_mma("SM80_16x8x16_F16F16F16F16_TN", (2, 2), (32, 32, 16))
    s2r = ct.make_tiled_copy_A(copy_atom("SM75_U32x4_LDSM_N", "half_t"), mma)
    plain = Layout((128, 64), (64, 1))
    swizzled = ct.composition(Swizzle(3, 3, 3), plain)
    for layout, wanted in ((plain, 32), (swizzled, 4)):
        assert {bank_conflicts(a, "half_t", vector=8).wavefronts for a in accesses(s2r, "S", layout)} == {wanted}


def test_swizzles_are_found():
    m_major = Layout((128, 8), (1, 128))
    assert find_swizzle(m_major, Layout(8, 128), "half_t", vector=8) == Swizzle(3, 3, 4)
    assert find_swizzle(Layout((32, 32), (32, 1)), Layout(32), "float") == Swizzle(5, 0, 5)
    assert find_swizzle(Layout((32, 32), (33, 1)), Layout(32), "float").bits == 0


def test_a_swizzle_that_never_acts():
    assert swizzle_moves(ct.composition(Swizzle(3, 7, 3), Layout((8, 128), (128, 1)))) == 0
    assert swizzle_moves(ComposedLayout(Swizzle(3, 3, 3), 0, Layout((8, 64), (64, 1)))) == 7 * 64


# ------------------------------------------------------------------------------------------------ sectors


@given(st.lists(st.integers(0, 300), min_size=1, max_size=32), st.sampled_from([1, 2, 4]), st.integers(0, 64))
def test_sectors_are_those_counted_by_hand(offsets, vector, start):
    touched = {start + 4 * o + b for o in offsets for b in range(4 * vector)}
    report = coalescing(offsets, "float", vector, start)
    assert report.asked == len(touched)
    assert report.sectors == len({byte // 32 for byte in touched})
    assert report.lines == len({byte // 128 for byte in touched})
    assert 0 < report.efficiency <= 1


def test_coalescing_of_sgemms_loads():
    """A column-major A (ld 384): threads along m move whole sectors; threads along k one float of each."""
    matrix = Layout((128, 8), (1, 384))
    along_m = make_tiled_copy(copy_atom("UniversalCopy<uint128_t>", "float"), (32, 8), (4, 1))
    along_k = make_tiled_copy(copy_atom("UniversalCopy<float>", "float"), Layout((32, 8), (8, 1)), (1, 1))
    assert coalescing(warp_access(along_m.tidfrg_S(matrix)), "float", vector=4).sectors == 16  # 512 bytes
    report = coalescing(warp_access(along_k.tidfrg_S(matrix)), "float")
    assert (report.sectors, report.efficiency) == (8, 0.5)


# ------------------------------------------------------------------------------------------------ vectors, registers


def test_vector_widths():
    assert vector_width(Layout((2, 3)), Layout((2, 3))) == 2
    assert vector_width(Layout((128, 8), (1, 129))) == 1
    assert vector_width(Layout((128, 8), (1, 132))) == 4
    assert vector_width(Layout((128, 8), (1, 128)), Layout((128, 8), (8, 1))) == 1
    assert vector_width(Layout(64), element="half_t") == 8
    assert vector_width(Layout(64), element="half_t", max_bits=64) == 4


@pytest.mark.parametrize(
    "layout", ["(128,8):(1,129)", "(128,8):(1,132)", "(6,8):(1,8)", "(4,8):(8,2)", "(128,8):(1,128)"]
)
def test_why_not_wider_agrees_with_vector_width(layout):
    layout = Layout.parse(layout)
    for n in (1, 2, 4):
        assert (why_not_wider(layout, n) == "") == (vector_width(layout) % n == 0)


def test_registers_of_fragments():
    mma = make_tiled_mma("SM80_16x8x16_F32F16F16F32_TN", (2, 2), (32, 32, 16))
    thread = mma.get_slice(0)
    acc = thread.partition_fragment_C(Layout((128, 128)))
    a = thread.partition_fragment_A(Layout((128, 64), (64, 1)))
    assert registers(acc, "float") == 128 * 128 // 128
    assert registers(a, "half_t") == 4 * 4 * 8 // 2
    owned = ct.make_tensor(np.float16, Layout((8, 3)))
    assert registers(owned) == 12


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: bank_conflicts(Layout(64), "float"), "has 64"),
        (lambda: bank_conflicts(Layout(32), "float", vector=3), "not 12"),
        (lambda: bank_conflicts(Layout(32, 3), "float", vector=2), "lane 1 starts at byte 12"),
        (lambda: bank_conflicts(Layout(32), "int4b_t"), "4 bits"),
        (lambda: bank_conflicts([0.5, 1.0]), "integer offsets"),
        (lambda: swizzle_moves(Layout(8)), "wants a swizzled layout"),
        (lambda: coalescing(Layout(32), "float", vector=0), "1 or more"),
        (lambda: vector_width(Layout(8), element="complex<double>", max_bits=64), "no whole number"),
        (lambda: accesses(None, "X", Layout(8)), '"S"'),
        (lambda: warp_access(Layout((64, 4)), warp=2), "2 warps"),
    ],
)
def test_refusals_name_the_number(call, words):
    with pytest.raises(LayoutError) as caught:
        call()
    assert words in str(caught.value)
