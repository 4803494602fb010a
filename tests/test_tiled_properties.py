"""What holds for every TiledMMA and TiledCopy, whatever its atoms, threads and permutations."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import cutelearn as ct
from cutelearn import Layout, LayoutError, _, atom, copy_atom, make_tensor, make_tiled_copy, make_tiled_mma, size
from cutelearn.tensor import gather, make_identity_tensor

ATOMS = [
    "UniversalFMA<float>",
    "SM61_DP4A",
    "SM70_8x8x4_F32F16F16F32_NT",
    "SM75_8x8x16_S32S8S8S32_TN",
    "SM80_16x8x8_F32TF32TF32F32_TN",
    "SM80_16x8x16_F32F16F16F32_TN",
    "SM90_16x8x16_F64F64F64F64_TN",
]


@st.composite
def extents(draw, atom, threads):
    """What a tile may have along a mode: `_`, an extent, or a permutation whose digits are the atom's, threads', rest's."""
    repeats = draw(st.sampled_from([1, 2]))
    kind = draw(st.sampled_from(["_", "extent", "permutation"]))
    if kind == "_":
        return _
    if kind == "extent":
        return atom * threads * repeats
    return ct.make_ordered_layout((atom, threads, repeats), tuple(draw(st.permutations([0, 1, 2]))))


@st.composite
def tiled_mmas(draw):
    a = atom(draw(st.sampled_from(ATOMS)))
    counts = [1, 2, 4] if "SM70" in a.name else [1, 2, 3]  # quadpairs leave gaps: see the last test
    shape = tuple(draw(st.sampled_from(counts)) for _mode in range(3))
    layout = ct.make_ordered_layout(shape, tuple(draw(st.permutations([0, 1, 2]))))
    if "SM70" in a.name and size(layout) > 4:
        layout, shape = Layout((2, 2, 1), (2, 1, 0)), (2, 2, 1)
    return make_tiled_mma(a, layout, tuple(draw(extents(a.shape_mnk[i], shape[i])) for i in range(3)))


@given(tiled_mmas())
def test_every_cell_of_the_tile_is_held(mma):
    """A by one thread for every atom along N, B for every one along M, C for every one along K."""
    m, n, k = mma.tile_shape
    copies = [size(mma.thr_layout_vmnk, i) for i in (2, 1, 3)]
    threads = [mma.thr_layout_vmnk(i) for i in range(mma.num_threads)]
    for tv, cells, times in zip(
        (mma.layoutA_TV, mma.layoutB_TV, mma.layoutC_TV), (m * k, n * k, m * n), copies, strict=True
    ):
        held = tv.offsets().reshape(size(tv, 0), -1, order="F")[threads]
        assert (np.bincount(held.ravel(), minlength=cells) == times).all()


@given(tiled_mmas(), st.integers(1, 2), st.data())
def test_a_partition_is_the_map_composed_with_the_layout(mma, repeats, data):
    """What a thread holds of a tensor of several tiles is what layoutC_TV says of each of them."""
    thread = data.draw(st.sampled_from([mma.thr_layout_vmnk(i) for i in range(mma.num_threads)]))
    m, n, _k = mma.tile_shape
    coords = gather(mma.get_slice(thread).partition_C(make_identity_tensor((m * repeats, n))))
    here = {tuple(c) for c in coords if c[0] < m}
    said = {
        (int(c) % m, int(c) // m)
        for c in mma.layoutC_TV.offsets().reshape(size(mma.layoutC_TV, 0), -1, order="F")[thread]
    }
    plain = not any(isinstance(p, Layout) for p in mma.permutations)
    assert len(coords) == repeats * len(said)
    if plain or repeats == 1:
        assert here == said


@given(tiled_mmas())
def test_dividing_by_an_extent_changes_nothing(mma):
    """thrfrg leaves out the division by a permutation that is only an extent; as a Layout it is carried out."""
    as_layouts = replace(mma, permutations=tuple(Layout(t) if isinstance(t, int) else t for t in mma.permutations))
    m, n, k = mma.tile_shape
    for operand, shape in (("A", (2 * m, k)), ("B", (n, 2 * k)), ("C", (m, n))):
        x = Layout(shape, (3 * shape[1], 1))
        assert getattr(mma, f"thrfrg_{operand}")(x) == getattr(as_layouts, f"thrfrg_{operand}")(x)


@given(
    st.sampled_from([1, 2, 4, 8]),
    st.sampled_from([1, 2, 4, 8]),
    st.sampled_from([1, 2, 4]),
    st.sampled_from([1, 2]),
    st.booleans(),
)
def test_every_cell_of_a_copys_tile_is_moved_once(tm, tn, vm, vn, right):
    threads = Layout((tm, tn), ct.LayoutRight if right else ct.LayoutLeft)
    tiled = make_tiled_copy(copy_atom("UniversalCopy<float>", "float"), threads, Layout((vm, vn)))
    assert tiled.tile_shape == (tm * vm, tn * vn)
    for tv in (tiled.tiled_layout_TV, tiled.layoutS_TV, tiled.layoutD_TV):
        assert sorted(tv.offsets()) == list(range(tm * vm * tn * vn))


@given(
    st.sampled_from(["UniversalCopy<uint64_t>", "SM75_U32x1_LDSM_N"]),
    st.sampled_from([(4, 8), (3, 32), (16, 6), (32, 3)]),
    st.sampled_from([(3, 2), (2, 3), (3, 4), (6, 1), (1, 6), (4, 3)]),
    st.booleans(),
)
def test_a_copy_that_is_made_moves_every_cell(name, threads, values, right):
    """An atom cut out of threads or values across their modes would reach cells of others: CuTe says nothing, here it raises."""
    order = ct.LayoutRight if right else ct.LayoutLeft
    try:
        tiled = make_tiled_copy(copy_atom(name, "half_t"), Layout(threads, order), Layout(values, order))
    except LayoutError:
        return
    cells = threads[0] * values[0] * threads[1] * values[1]
    for tv in (tiled.layoutS_TV, tiled.layoutD_TV):
        assert np.unique(tv.offsets()).tolist() == list(range(cells))


def test_a_copy_whose_values_are_cut_across_their_modes_is_refused():
    with pytest.raises(
        LayoutError, match=r"takes 2 values at once, and those of the tile are \(3,2\):\(1,12\): each 2 of them"
    ):
        make_tiled_copy(copy_atom("UniversalCopy<uint64_t>", "float"), (4, 1), (3, 2))
    with pytest.raises(LayoutError, match=r"takes 32 threads at once, and those of the tile are \(3,32\):\(1,24\)"):
        make_tiled_copy(copy_atom("SM75_U32x4_LDSM_N", "half_t"), (3, 32), (1, 8))


@pytest.mark.parametrize("permutation", [Layout((3, 2), (2, 1)), Layout((3, 4), (4, 1))])
def test_a_permutation_that_atoms_are_cut_across_is_refused(permutation):
    with pytest.raises(LayoutError, match=r"does not fit 2 atoms of 1: 2 of the slots .* are no whole number of steps"):
        make_tiled_mma("UniversalFMA<float>", (2, 1, 1), permutation)
    assert make_tiled_mma("UniversalFMA<float>", (3, 1, 1), permutation).tile_shape == (size(permutation), 1, 1)


@pytest.mark.parametrize("thread", range(6))
def test_threes_of_a_swizzled_tile_are_partitioned(thread):
    """Steps of 6 and 12 elements go through no single bit of the swizzle."""
    swizzled = ct.composition(ct.Swizzle(2, 3, 3), Layout((3, 6), (6, 1)))
    m = make_tiled_mma("UniversalFMA<float>", (1, 2, 3))
    part, offset = m.get_slice(thread).partition_A(swizzled)
    k = m.get_slice(thread).thr_vmnk[3]
    assert [offset + part(i) for i in range(size(part))] == [swizzled(row, k + c) for c in (0, 3) for row in range(3)]


@pytest.mark.parametrize("operand", "ABC")
@pytest.mark.parametrize(
    "name", ["SM75_U32x4_LDSM_N", "SM75_U16x8_LDSM_T", "SM90_U32x4_STSM_N", "UniversalCopy<uint32_t>"]
)
def test_a_copy_made_for_an_mma_brings_what_it_wants(name, operand):
    """make_tiled_copy_A/B/C: a thread ends (or begins) with the values that the MMA wants of it."""
    mma = make_tiled_mma("SM80_16x8x16_F16F16F16F16_TN", (2, 2), (32, 32, 32))
    tiled = getattr(ct, f"make_tiled_copy_{operand}")(copy_atom(name, "half_t"), mma)
    registers = tiled.layoutS_TV if "STSM" in name else tiled.layoutD_TV
    wanted = getattr(mma, f"layout{operand}_TV")
    rows = [layout.offsets().reshape(size(layout, 0), -1, order="F") for layout in (registers, wanted)]
    assert [sorted(r) for r in rows[0].tolist()] == [sorted(r) for r in rows[1].tolist()]


def test_threads_with_gaps_have_no_map():
    """Three quadpairs use the threads 0-11 and 16-27: no layout turns 16 into the thirteenth of them."""
    mma = make_tiled_mma("SM70_8x8x4_F32F16F16F32_NT", (3, 1, 1))
    owned = [mma.get_slice(t).partition_A(make_identity_tensor((24, 4)))[0] for t in (0, 4, 16, 27)]
    assert [m for m, _k in owned] == [0, 8, 4, 20]
    with pytest.raises(LayoutError, match=r"\(\(4,2\),3,1,1\):\(\(1,16\),4,0,0\) leave gaps \(12 to 15, \.\.\.\)"):
        mma.get_layoutC_TV()


# ------------------------------------------------------------------------------------------------ one thread's words


@st.composite
def value_modes(draw):
    """The values of one access, 4 of them, with all kinds of strides, and the repeats."""
    shape = draw(st.sampled_from([4, (2, 2), (4, 1), (1, 4), (2, 1, 2)]))
    strides = tuple(draw(st.sampled_from([0, 1, 2, 3, 4, 8])) for _s in ct.htuple.leaves(shape))
    flat = Layout(ct.htuple.leaves(shape), strides)
    values = flat if isinstance(shape, tuple) else flat[0]
    repeats = Layout(draw(st.sampled_from([1, 2, 3])), draw(st.sampled_from([1, 4, 6, 8, 12])))
    return ct.make_layout(values, repeats)


@given(value_modes(), st.integers(0, 8))
def test_a_thread_moves_what_cute_recasts_to_one_word(layout, start):
    """Accepted: what CuTe's recast makes one register of, that starts where a word may, and whose values stand in order."""
    memory = np.arange(ct.cosize(layout) + 16, dtype=np.float32)
    src = make_tensor(ct.make_rmem_ptr(memory) + start, layout)
    dst = make_tensor(np.full(4 * size(layout, 1), -1, np.float32), (4, size(layout, 1)))
    try:
        one_word = size(ct.upcast(ct.coalesce(layout[0]), 4)) == 1  # a mode of one value never steps
    except LayoutError:
        one_word = False
    starts = (layout.offsets() + start)[::4]
    wanted = one_word and not (starts % 4).any() and layout[0].offsets().tolist() == [0, 1, 2, 3]
    atom = copy_atom("UniversalCopy<uint128_t>", "float")
    if wanted:
        ct.copy(atom, src, dst)
        assert list(dst) == list(src)
    else:
        with pytest.raises(LayoutError, match="as one word"):
            ct.copy(atom, src, dst)
        assert (dst.engine == -1).all()
    ct.copy(copy_atom("UniversalCopy<float>", "float"), src, dst)  # one value at a time, all is well
    assert list(dst) == list(src)


def test_words_that_stand_in_another_order_on_both_sides_are_moved_as_they_are():
    memory = Layout(((2, 2), 3), ((2, 1), 4))
    src, dst = make_tensor(np.arange(12, dtype=np.float32), memory), make_tensor(np.float32, memory)
    ct.copy(copy_atom("UniversalCopy<uint128_t>", "float"), src, dst)
    assert list(dst) == list(src)


@st.composite
def copies_and_tensors(draw):
    """A TiledCopy, and two tensors of one or two tiles each way, of any compact order and start."""
    operation = draw(st.sampled_from(["UniversalCopy<uint128_t>", "UniversalCopy<uint64_t>", "UniversalCopy<float>"]))
    threads, values = (
        Layout(
            tuple(draw(st.sampled_from([1, 2, 4])) for _mode in range(2)),
            draw(st.sampled_from([ct.LayoutLeft, ct.LayoutRight])),
        )
        for _which in range(2)
    )
    try:
        tiled = make_tiled_copy(copy_atom(operation, "float"), threads, values)
    except LayoutError:
        assume(False)
    shape = tuple(t * draw(st.sampled_from([1, 2])) for t in tiled.tile_shape)
    tensors = []
    for _side in range(2):
        pad = draw(st.sampled_from([0, 0, 1, 4]))
        stride = (1, shape[0] + pad) if draw(st.booleans()) else (shape[1] + pad, 1)
        start = draw(st.sampled_from([0, 0, 1, 4]))
        layout = Layout(shape, stride)
        memory = np.arange(ct.cosize(layout) + start, dtype=np.float32)
        tensors.append(make_tensor(ct.make_rmem_ptr(memory) + start, layout))
    return tiled, *tensors


@given(copies_and_tensors())
def test_a_whole_tensor_is_moved_where_every_threads_part_is(case):
    """The same tensors are taken or refused, whole or thread by thread; and what is moved is the same."""
    tiled, src, dst = case
    other = make_tensor(ct.make_rmem_ptr(np.zeros_like(dst.engine)) + dst.offset, dst.layout)

    def refusal(call):
        try:
            call()
        except LayoutError as refused:
            return str(refused)
        return ""

    whole = refusal(lambda: ct.copy(tiled, src, dst))
    threads = [tiled.get_slice(t) for t in range(tiled.num_threads)]
    parts = [refusal(lambda t=t: ct.copy(tiled, t.partition_S(src), t.partition_D(other))) for t in threads]
    assert bool(whole) == any(parts)
    assert all("as one word" in said for said in (whole, *parts) if said)
    if not whole:
        assert list(dst) == list(other) == list(src)


def test_slices_of_a_threads_part_are_parts_too():
    """`copy(tiled_copy, tAgA(_,_,k), tArA(_,_,k))`, and a single access."""
    tiled = make_tiled_copy(copy_atom("UniversalCopy<uint128_t>", "float"), (32, 8), (4, 1))
    src = tiled.get_slice(33).partition_S(make_tensor(np.arange(2048, dtype=np.float32), (128, 16)))
    for at in ((_, _, 1), (_, 0, 1), (_, 0, _)):
        dst = make_tensor(np.zeros(size(src[at]), np.float32), src[at].shape)
        ct.copy(tiled, src[at], dst)
        assert list(dst) == list(src[at])


def test_a_copy_that_chooses_its_width_converts_and_takes_all_strides():
    """CuTe's AutoVectorizingCopy assigns element to element where no vector fits."""
    src, dst = make_tensor(np.arange(8.0) + 0.5, 4, 2), make_tensor(np.zeros(4, np.int32), 4)
    ct.copy(copy_atom("AutoVectorizingCopy", "float"), src, dst)
    assert list(dst) == [0, 2, 4, 6]
