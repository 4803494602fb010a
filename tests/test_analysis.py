"""What accesses cost, counted from layouts: bank conflicts, sectors, vectors, registers."""

import re

import laws
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import any_layouts

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


@given(any_layouts(), st.sampled_from([1, 2, 3, 4, 6, 8]))
def test_why_not_wider_says_what_is_so_and_says_it_always(layout, n):
    """Empty exactly where elements move n at a time; and what it names is in the layout, and is as it says."""
    said = why_not_wider(layout, n)
    assert (said == "") == (vector_width(layout, element=1, max_bits=n) == n)
    held = set(layout.offsets().tolist())
    modes = {f"{s}:{d}" for s, d in zip(laws.leaves(layout.shape), laws.leaves(layout.stride), strict=True) if s > 1}
    if not said:  # every element lies in a whole aligned group of n
        assert all({at // n * n + i for i in range(n)} <= held for at in held)
    elif said.startswith("no mode"):
        assert not any(mode.endswith(":1") for mode in modes)
    elif said.startswith("the contiguous"):
        count = int(re.search(r"(\d+) elements", said)[1])
        assert count % n
        assert set(range(count)) <= held
    else:
        stride, extent, every = map(
            int, re.fullmatch(r".* stride (\S+) of (\d+):\1 .* in (\d+) along.*", said).groups()
        )
        first, *_steps = [i for i in range(1, n + 1) if i * stride % n == 0]
        assert stride % n
        assert (first, extent > 1) == (every, True)


@pytest.mark.parametrize(
    ("layout", "n", "said"),
    [
        ("(2,2):(2,1)", 4, ""),
        ("(8,8):(1,1)", 2, "the stride 1 of 8:1 is no multiple of 2: only one step in 2 along it is aligned"),
        ("(2,3):(3,1)", 4, "the contiguous modes 3:1 and 2:3 together have 6 elements, no multiple of 4"),
        ("(6,8):(1,8)", 4, "the contiguous mode 6:1 has 6 elements, no multiple of 4"),
        (
            "(1,4):(1,2)",
            2,
            "no mode of more than one element has stride 1 in (1,4):(1,2): no step along a mode leads to the next element",
        ),
    ],
)
def test_why_not_wider(layout, n, said):
    assert why_not_wider(Layout.parse(layout), n) == said


def test_vectors_of_tensors():
    """A tensor has its own type and start; two types are converted one by one; a swizzle keeps 2**M together."""
    halves = ct.make_tensor(np.float16, Layout((64, 8)))
    assert vector_width(halves) == vector_width(halves, halves) == 8
    assert vector_width(halves, halves.layout) == 8
    assert vector_width(halves, ct.make_tensor(np.float32, Layout((64, 8)))) == 1
    assert vector_width(ct.make_tensor(ct.make_smem_ptr(np.zeros(99, np.float16)) + 2, Layout(64))) == 2
    assert why_not_wider(ct.make_tensor(ct.make_smem_ptr(np.zeros(99, np.float16)) + 2, Layout(64)), 4) == (
        "the tensor starts at element 2, no multiple of 4"
    )
    for base in range(5):
        swizzled = ComposedLayout(Swizzle(2, base, 3), 0, Layout((64, 8)))
        width = vector_width(swizzled, element=16)
        assert width == min(8, 1 << base)
        groups = swizzled.offsets().reshape(-1, width)
        assert (groups == groups[:, :1] // width * width + np.arange(width)).all()


def test_accesses_of_ragged_layouts_are_refused():
    """Lanes outside of the layout would be counted as accesses."""
    tiled = make_tiled_copy(copy_atom("UniversalCopy<uint128_t>", "float"), (32, 8), (4, 1))
    assert len(accesses(tiled, "S", Layout((256, 8)))) == 16
    for shape in ((100, 8), (128, 12)):
        with pytest.raises(LayoutError, match="lanes would stand outside of it: give a layout of whole tiles"):
            accesses(tiled, "S", Layout(shape))


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
        (lambda: warp_access(5), "warp_access wants a Layout, got 5"),
        (lambda: warp_access(Layout((64, 4)), value=0.5), "warp_access: the value is an integer, not 0.5"),
        (lambda: coalescing(Layout(1 << 40), "float"), "has 1099511627776: take one warp's lanes"),
        (lambda: coalescing([[1], [2, 3]], "float"), "or a list of integer offsets, not [[1], [2, 3]]"),
        (lambda: coalescing(Layout(32), 0), "an element has 1 bit or more, and not 0"),
        (lambda: coalescing(Layout(32), "float", start=1.5), "the start, a byte address, is an integer, not 1.5"),
        (lambda: bank_conflicts(Layout(32), "float", start="a"), "the start, a byte address, is an integer, not 'a'"),
        (lambda: accesses(5, "S", Layout((128, 8))), "5 is no TiledCopy: make one with make_tiled_copy"),
        (lambda: coalescing(Layout(32), 10**30), "an element has 1 bit or more, and not 10"),
        (
            lambda: coalescing(Layout(32), "float", start=10**30),
            "the start, a byte address, is an integer of 62 bits at most",
        ),
        (lambda: find_swizzle(Layout(8), 5), "or a list of integer offsets, not 5"),
        (lambda: find_swizzle(Layout(8), "a"), "or a list of integer offsets, not 'a'"),
        (lambda: find_swizzle(Layout(8), [1.5]), "or a list of integer offsets, not [1.5]"),
        (
            lambda: find_swizzle(Layout(8), [0, 100]),
            "lane 1 wants the coordinate 100, and 8:1 has the coordinates 0 to 7",
        ),
        (lambda: find_swizzle(Layout(8), Layout(8), vector="a"), "1 or more, not 'a'"),
        (
            lambda: find_swizzle(ComposedLayout(Swizzle(2, 2, 3), 0, Layout(64)), Layout(8)),
            "is swizzled already: give the layout without it, 64:1",
        ),
        (lambda: registers(5), "registers wants a Layout, got 5: write Layout(5)"),
        (lambda: registers(Layout(8), -4), "an element has 1 bit or more, and not -4"),
        (lambda: registers(Layout(1 << 40)), "a thread has 255 registers: give one thread's fragment"),
        (lambda: vector_width((4, 8)), "vector_width wants a Layout, got (4,8): write Layout((4,8))"),
        (lambda: vector_width(Layout(8), max_bits="a"), "vector_width: max_bits is an integer, 1 or more, not 'a'"),
        (lambda: vector_width(ct.make_identity_layout((4, 4))), "gives coordinates, not offsets"),
        (lambda: why_not_wider(Layout(8), 0), "how many elements is an integer, 1 or more, not 0"),
    ],
)
def test_refusals_name_the_number(call, words):
    with pytest.raises(LayoutError) as caught:
        call()
    assert words in str(caught.value)
