"""What real learners met with atoms, tilings, ldmatrix and banks, and the study note's facts of these kinds."""

import oracle
import pytest
from calls import read

import cutelearn as ct
from cutelearn import (
    ComposedLayout,
    Layout,
    LayoutError,
    bank_conflicts,
    copy_atom,
    make_identity_tensor,
    make_tiled_copy,
    make_tiled_mma,
    size,
)
from cutelearn.atoms.gmma import gmma_names
from cutelearn.htuple import text

M16N8K16, SM70 = "SM80_16x8x16_F16F16F16F16_TN", "SM70_8x8x4_F32F16F16F32_NT"
CASES, FACTS = {}, {}


def case(name):
    return lambda function: CASES.setdefault(name, function)


def fact(*ops):
    def note(function):
        FACTS.update(dict.fromkeys(ops, function))
        return function

    return note


def coordinates(tensor):
    return [list(tensor[i]) for i in range(size(tensor))]


def mk(rows, columns):
    return make_identity_tensor((rows, columns))


# ------------------------------------------------------------------------------------------------ cases: TiledMMA


@case("mma-05")
def _(x, expected):
    mma = make_tiled_mma(M16N8K16, read(x["atom_layout"]))
    assert f"{'x'.join(map(str, mma.tile_shape))}, {mma.num_threads} threads" == expected["tile"]
    thread = mma.get_slice(x["thread"])
    for operand in "ABC":
        assert str(getattr(thread, f"partition_{operand}")(read(x[operand]))[0]) == expected[operand]


@case("mma-06")
def _(x, expected):
    mma = make_tiled_mma(M16N8K16, read(x["atom_layout"]))
    m, n, k = map(int, x["problem"].split("x"))
    assert "x".join(map(str, mma.tile_shape)) == expected["tile"]
    assert mma.num_threads == expected["threads"]
    thread = mma.get_slice(0)
    assert text(thread.partition_A(Layout((m, k)))[0].shape) == expected["A"]
    assert text(thread.partition_B(Layout((n, k)))[0].shape) == expected["B"]
    assert text(thread.partition_C(Layout((m, n)))[0].shape) == expected["C"]


@case("mma-07")
def _(x, expected):
    for tile in ((), (128, 128, 16)):
        part, _offset = make_tiled_mma(M16N8K16, (2, 2, 1), tile).get_slice(0).partition_C(Layout((128, 128)))
        assert text(part.shape) == expected["C_shape_both"]


def owned_m(mma, thread):
    rows = [int(m) for m, _k in coordinates(mma.get_slice(thread).partition_A(mk(32, 4)))]
    return list(dict.fromkeys(rows))


@case("mma-08")
def _(x, expected):
    layout = read(x["atom_layout"])

    def permuted(by):
        return make_tiled_mma(SM70, layout, (by, 32, 4))

    assert owned_m(permuted(32), 0) == expected["base_T0_m"]
    right, wrong = read(x["M_perm_right"]), read(x["M_perm_wrong"])
    assert owned_m(permuted(right), 0) == expected["right_T0_m"]
    assert owned_m(permuted(right), 8) == expected["right_T8_m"]
    assert owned_m(permuted(wrong), 0) == expected["wrong_T0_m"]
    assert wrong.offsets().tolist() == ct.right_inverse(right).offsets().tolist()


@case("mma-09")
def _(x, expected):
    def columns(by, thread):
        mma = make_tiled_mma(M16N8K16, (1, 1), (16, by, 16))
        part = mma.get_slice(thread).partition_C(mk(16, 32))
        return [int(n) for m, n in coordinates(part) if m == 0]

    right = read(x["N_perm_right"])
    assert columns(right, 0) == expected["right_T0_row0_n"]
    assert columns(right, 1) == expected["right_T1_row0_n"]
    with pytest.raises(LayoutError, match=r"never hits 2\b.*size is 32, its cosize 122"):
        columns(read(x["N_perm_user"]), 0)


@case("mma-12")
def _(x, expected):
    layout, perm = read(x["atom_layout"]), read(x["perm_MN"])
    base = make_tiled_mma("UniversalFMA<float>", layout).get_slice(0).partition_C(mk(8, 8))
    assert coordinates(base)[:4] == expected["base_T0_first4"]
    blocked = make_tiled_mma("UniversalFMA<float>", layout, (perm, perm))
    for thread, first_column in ((0, 0), (1, 4)):
        owned = coordinates(blocked.get_slice(thread).partition_C(mk(8, 8)))
        assert owned == [[m, n] for n in range(first_column, first_column + 4) for m in range(4)]


@case("mma-13")
def _(x, expected):
    mma = make_tiled_mma(M16N8K16, read(x["atom_layout"]))
    assert str(mma.layoutC_TV[0]) == expected["C_TV_thread"]
    for thread in (5, 37):
        assert coordinates(mma.get_slice(thread).partition_C(mk(16, 8))) == expected["T5"]


# ------------------------------------------------------------------------------------------------ cases: TiledCopy


@case("copy-01")
def _(x, expected):
    tiled = make_tiled_copy(copy_atom("UniversalCopy<uint128_t>", "half_t"), read(x["thr"]), read(x["val"]))
    assert "x".join(map(str, tiled.tiler_mn)) == expected["tiler"]
    assert str(tiled.tiled_layout_TV) == expected["TV"]
    assert str(tiled.get_slice(0).partition_D(read(x["D"]))[0]) == expected["T0"]


@case("copy-03")
def _(x, expected):
    tiled = make_tiled_copy(copy_atom("UniversalCopy<uint32_t>", "float"), read(x["thr"]), read(x["val"]))
    assert "x".join(map(str, tiled.tiler_mn)) == expected["tiler"]
    assert str(tiled.tiled_layout_TV) == expected["TV"]
    thread = tiled.get_slice(x["thread"])
    part, offset = thread.partition_S(read(x["S"]))
    assert coordinates(thread.partition_S(mk(8, 16))) == expected["T9"]
    assert f"offset {offset}, {part}" == expected["T9_layout"]


@case("copy-05")
def _(x, expected):
    ldsm = copy_atom("SM75_U32x4_LDSM_N", "half_t")
    assert expected["src"].startswith(str(ldsm.val_layout_src))
    assert expected["dst"].startswith(str(ldsm.val_layout_dst))


@case("copy-06")
def _(x, expected):
    s2r = ct.make_tiled_copy_A(copy_atom("SM75_U32x4_LDSM_N", "half_t"), make_tiled_mma(M16N8K16, (1, 1), (16, 16, 16)))
    for lane, first in zip(x["lanes"], expected["first_coord"], strict=True):
        m, k = first
        assert coordinates(s2r.get_slice(lane).partition_S(mk(16, 16))) == [[m, k + i] for i in range(8)]


@case("copy-07")
def _(x, expected):
    ldsm = copy_atom("SM75_U32x4_LDSM_N", "half_t")
    with pytest.raises(LayoutError, match=r"needs 8 values of half_t a thread, and the tile \(8,16\) gives 4"):
        ct.make_tiled_copy_B(ldsm, make_tiled_mma(M16N8K16))
    s2r = ct.make_tiled_copy_B(ldsm, make_tiled_mma(M16N8K16, (1, 1), (16, 16, 16)))
    first = [coordinates(s2r.get_slice(lane).partition_S(mk(16, 16)))[0] for lane in x["lanes"]]
    assert first == expected["N=16_first(n,k)"]


@case("copy-08")
def _(x, expected):
    mma = make_tiled_mma(M16N8K16, (1, 1), (16, 16, 16))
    for operand in "AB":
        copy = getattr(ct, f"make_tiled_copy_{operand}")(copy_atom("SM75_U32x4_LDSM_N", "half_t"), mma)
        fragment = read(x[f"frag_{operand}"])
        retiled = copy.get_slice(0).retile_D(fragment)
        assert str(retiled) == expected[f"retiled_{operand}"]
        assert sorted(retiled.offsets()) == sorted(fragment.offsets())


@case("copy-10")
def _(x, expected):
    a, b = read(x["A"]), read(x["B"])
    assert ct.max_common_vector(a, b) == expected["max_common_vector"]
    assert ct.vector_width(a, b) == expected["usable_width"]


@case("copy-11")
def _(x, expected):
    layout = Layout((128, 8), (1, x["ld"]))
    assert ct.vector_width(layout) == expected["max_vector"]
    assert "only one step in 4" in ct.why_not_wider(layout, x["vector_floats"])


# ------------------------------------------------------------------------------------------------ cases: swizzles, banks


def swizzled(bits, plain):
    b, m, s = (int(n) for n in bits.strip("S<>").split(","))
    return ct.composition(ct.Swizzle(b, m, s), plain)


@case("swz-02")
def _(x, expected):
    plain = read(x["layout"])
    layouts = [plain if name == "none" else swizzled(name, plain) for name in x["swizzles"]]
    for name, layout in zip(x["swizzles"], layouts, strict=True):
        key = f"offsets(0,k) {name}"
        assert key not in expected or [layout(0, k) for k in range(8)] == expected[key]
    ways = [bank_conflicts([layout(0, k) for k in range(8)], "half_t", vector=8).ways for layout in layouts]
    assert ways == expected["ways"]


@case("swz-04")
def _(x, expected):
    tile = ct.tile_to_shape(ct.gmma_smem_atom("K_SW32", "half_t"), (64, 16))
    assert tile.inner(*x["coord"]) == expected["layout_call"]
    assert tile(*x["coord"]) == expected["swizzled_element_offset"]


@case("swz-07")
def _(x, expected):
    layout = swizzled("<3,7,3>", Layout((8, 128), (128, 1)))
    assert ct.swizzle_moves(layout) == expected["moved_elements"]


@case("swz-08")
def _(x, expected):
    columns = [Layout(32, 32), Layout(32, 33), Layout(32, 36)]
    column = ComposedLayout(ct.Swizzle(5, 0, 5), 0, Layout(32, 32))
    ways = [bank_conflicts(c, "float").ways for c in (*columns, column)]
    threads = make_tiled_copy(copy_atom("UniversalCopy<float>", "float"), Layout((32, 8), (8, 1)), (1, 1))
    stores = [threads.tidfrg_D(Layout((128, 8), (1, ld))) for ld in (128, 132, 129)]
    ways.append([bank_conflicts(ct.warp_access(store), "float").ways for store in stores])
    assert ways == expected["ways"]


@case("swz-09")
def _(x, expected):
    layout = ct.ComposedLayout.parse("Sw<3,2,3> o 0 o (8,32):(32,1)")
    assert bank_conflicts([layout(r, 0) for r in range(8)], "float", vector=4).ways == expected["ways"]


@pytest.mark.parametrize("name", CASES)
def test_case(name):
    (row,) = (row for path in oracle.files("cases") for row in oracle.rows(path) if row["id"] == name)
    CASES[name](row["inputs"], row["expected"])


# ------------------------------------------------------------------------------------------------ facts


def tuples(coords):
    return [text(tuple(int(i) for i in c)) for c in coords]


@fact("tv_vs_memory")
def _(x):
    tv = read(x["tv"])
    return {"tv": tv(x["T"], 0), "memory": ct.composition(read(x["data"]), tv)(x["T"], 0)}


@fact("tv_decode")
def _(x):
    values = x["V"] if isinstance(x["V"], list) else [x["V"]]
    names = x["decode"][0] + x["decode"][4]
    cells = [divmod(read(x["layout"])(x["T"], v), 8)[::-1] for v in values]
    if names[0] == "n" and len(values) == 1:
        return f"(n={cells[0][0]},k={cells[0][1]})"
    return tuples(cells) if isinstance(x["V"], list) else tuples(cells)[0]


@fact("tv_decode_table")
def _(x):
    tv = read(x["layout"])
    cells = {(t, v): divmod(tv(t, v), 8)[::-1] for t in range(32) for v in range(2)}
    assert all(cell == (t // 4, 2 * (t % 4) + v) for (t, v), cell in cells.items())
    return {"row": "T//4", "col": "2*(T%4)+V"}


@fact("tv_grid_row")
def _(x):
    tv = read(x["layout"])
    thread = {tv(t, 0): t for t in range(32)}
    return [thread[n + 8 * x["row"]] for n in range(8)]


@fact("gmma_n_variants")
def _(x):
    return sorted({int(name.split("x")[1]) for name in gmma_names() if f"_{x['type']}<" in name})


def mma_of(x):
    return make_tiled_mma(x.get("atom", SM70), read(x["atom_layout"]))


@fact("tiled_mma_first_c")
def _(x):
    return tuples(mma_of(x).get_slice(t).partition_C(mk(16, 16))[0] for t in x["threads"])


@fact("tiled_mma_size")
def _(x):
    if x["atom"] == "UniversalFMA":
        return make_tiled_mma("UniversalFMA<float>", read(x["atom_layout"])).num_threads
    return mma_of(x).num_threads


@fact("tiled_mma_tile")
def _(x):
    return text(mma_of(x).tile_shape)


def wide(permutation):
    return make_tiled_mma(SM70, Layout((2, 2), (2, 1)), (permutation, 32, 4))


@fact("tiled_mma_a_coords")
def _(x):
    return [owned_m(wide(32 if p == "none" else read(p)), x["T"]) for p in x["permM"]]


@fact("tiled_mma_values")
def _(x):
    mma = wide(32)
    return {"threads": mma.num_threads, "A values": size(mma.layoutA_TV, 1), "C values": size(mma.layoutC_TV, 1)}


@fact("tiled_mma_shapes")
def _(x):
    thread = make_tiled_mma("UniversalFMA<float>", read(x["atoms"])).get_slice(0)
    c, _offset = thread.partition_C(Layout(read(x["gC"])))
    parts = {"tCsA": thread.partition_A(Layout(read(x["sA"])))[0], "tCsB": thread.partition_B(Layout(read(x["sA"])))[0]}
    parts |= {"tCgC": c, "tCrC": thread.make_fragment_C(c)}
    return {name: text(part.shape) for name, part in parts.items()}


def sgemm_2_copy():
    return make_tiled_copy(copy_atom("UniversalCopy<uint128_t>", "float"), (32, 8), (4, 1))


@fact("tiled_copy")
def _(x):
    made = make_tiled_copy(copy_atom("UniversalCopy<uint128_t>", "float"), read(x["thr"]), read(x["val"]))
    return {"Tiler_MN": text(made.tiler_mn), "TiledLayout_TV": str(made.tiled_layout_TV)}


@fact("vector_width")
def _(x):
    return ct.vector_width(Layout(1024), element=x["value_bits"], max_bits=x["atom_bits"])


@fact("tiled_copy_coords")
def _(x):
    return tuples(coordinates(sgemm_2_copy().get_slice(x["T"]).partition_S(mk(128, 8))))


@fact("tiled_copy_shapes")
def _(x):
    thread = sgemm_2_copy().get_slice(0)
    source, _offset = thread.partition_S(Layout(read(x["gA"])))
    shared, _offset = thread.partition_D(Layout((128, 8)))
    parts = {"tAgA": source, "tAsA": shared, "tArA": ct.make_fragment_like(shared)}
    return {name: text(part.shape) for name, part in parts.items()}


@pytest.mark.parametrize("op", FACTS)
def test_fact(op):
    rows = [row for path in oracle.files("facts") for row in oracle.rows(path) if row["op"] == op]
    assert rows
    for row in rows:
        assert FACTS[op](row["inputs"]) == row["expected"], row["id"]
