"""Atoms: their data against the real CuTe C++, their maps against PTX's own words, their names."""

import re

import numpy as np
import oracle
import pytest

import cutelearn as ct
from cutelearn import Layout, LayoutError, atom, copy_atom, find_atoms, find_copy_atoms, size, value_type
from cutelearn.atoms.gmma import N_INT8, gmma_names
from cutelearn.atoms.library import _names
from cutelearn.atoms.shown import with_underscores
from cutelearn.atoms.table import atom_families, atom_table
from cutelearn.htuple import text

WARP_NAMES = [name for name in _names() if not name.startswith("SM90_64x")]
GMMA_NAMES = [name for name in _names() if name.startswith("SM90_64x")]
SOME_GMMAS = [n for n in GMMA_NAMES if "x24x" in n or "x256x" in n]

EXEMPT = {  # the header's own ALayout cannot be evaluated; ours is the instruction's map
    f"mma:SM80_16x8x128_S32U1U1S32_TN_{op}": "((4,8),(32,2)):((512,1),((16,8)))" for op in ("XORPOPC", "ANDPOPC")
}


# ------------------------------------------------------------------------------------------------ against C++


def layout_wrong(row, layout, what):
    if str(layout) != row["layout"]:
        return [f"{what} {layout}, not {row['layout']}"]
    return [] if oracle.offsets_agree(row, layout.offsets().tolist()) else [f"{what}: offsets"]


def mma_wrong(row):
    a = atom(row["name"])
    wrong = [] if text(a.shape_mnk) == row["Shape_MNK"] else [text(a.shape_mnk)]
    wrong += [] if str(a.thr_id) == row["ThrID"] else [str(a.thr_id)]
    for operand, t in zip("DABC", (a.type_d, a.type_a, a.type_b, a.type_c), strict=True):
        cpp = row[operand]["cpp"]
        known = "GaussComplex" in cpp or value_type(cpp) == t
        wrong += [] if known and t.bits == row[operand]["bits"] else [f"{operand} {t} {t.bits}"]
    for what, layout in (("A", a.a_layout), ("B", a.b_layout), ("C", a.c_layout)):
        if what == "A" and row["id"] in EXEMPT:
            assert row["ALayout"]["layout"] == EXEMPT[row["id"]], "the header is mended: so is ours"
            assert EXEMPT[row["id"]].split(":")[1] in a.note
            continue
        wrong += layout_wrong(row[f"{what}Layout"], layout, what)
    return wrong


def copy_wrong(row):
    c = copy_atom(row["name"])
    wrong = [] if str(c.thr_id) == row["ThrID"] and str(c.ref_layout) == row["RefLayout_bits"] else ["ThrID or ref"]
    wrong += layout_wrong(row["SrcLayout_bits"], c.src_layout, "src")
    return wrong + layout_wrong(row["DstLayout_bits"], c.dst_layout, "dst")


def copy_atom_wrong(row):
    c = copy_atom(row["name"], row["val_type"])
    wrong = [] if str(c.thr_id) == row["ThrID"] and str(c.val_layout_ref) == row["ValLayoutRef"] else ["ThrID or ref"]
    wrong += layout_wrong(row["ValLayoutSrc"], c.val_layout_src, "src")
    return wrong + layout_wrong(row["ValLayoutDst"], c.val_layout_dst, "dst")


def by_group():
    groups = {}
    for path in oracle.files("mma_atoms"):
        for row in oracle.rows(path):
            groups.setdefault(row["group"], []).append(row)
    return [pytest.param(rows, id=group) for group, rows in groups.items()]


@pytest.mark.parametrize("rows", by_group())
def test_atoms_are_cpps(rows):
    wrong_in = {"copy": copy_wrong, "copyatom": copy_atom_wrong}
    found = [(row["id"], wrong_in.get(row["id"].split(":")[0], mma_wrong)(row)) for row in rows]
    oracle.report([f"{name}: {'; '.join(wrong)}" for name, wrong in found if wrong])


PRINTED = {
    "text:tiled_mma": lambda: ct.make_tiled_mma("SM80_16x8x16_F16F16F16F16_TN", (2, 2), (32, 32, 16)),
    "text:mma_atom": lambda: atom("SM70_8x8x4_F32F16F16F32_NT"),
    "text:copy_atom": lambda: copy_atom("SM75_U32x4_LDSM_N", "half_t"),
}


@pytest.mark.parametrize("name", PRINTED)
def test_prints_are_cpps(name):
    (row,) = (row for path in oracle.files("traits_text") for row in oracle.rows(path) if row["id"] == name)
    made = PRINTED[name]()
    assert made.text(static=True) == row["text"]
    assert str(made) == re.sub(r"(?<=[(:,\s])_(?=\d)", "", row["text"])


def test_other_prints():
    mma = ct.make_tiled_mma("UniversalFMA<float>", (16, 16))
    assert mma.text(static=True).splitlines()[:3] == [
        "TiledMMA",
        "  ThrLayoutVMNK:  (_1,_16,_16,_1):(_0,_1,_16,_0)",
        "  PermutationMNK: (_,_,_)",
    ]
    assert str(mma.get_slice(17)).splitlines()[:3] == ["ThrMMA", "  Thr VMNK: (0,1,1,0)", "TiledMMA"]
    tiled = ct.make_tiled_copy(copy_atom("UniversalCopy<uint128_t>", "float"), (32, 8), (4, 1))
    assert tiled.text(static=True).splitlines()[:4] == [
        "TiledCopy",
        "  Tiler_MN:       (_128,_8)",
        "  TiledLayout_TV: (_256,_4):(_4,_1)",
        "Copy_Atom",
    ]
    assert str(tiled.get_slice(3)).splitlines()[:2] == ["ThrCopy", "  ThrIdx: 3"]
    assert with_underscores("(4,(2,3)):(1@0,(1@0@1,-5))") == "(_4,(_2,_3)):(_1@0,(_1@0@1,_-5))"


# ------------------------------------------------------------------------------------------------ maps


def hits(layout, cells):
    return np.bincount(layout.offsets(), minlength=cells)


@pytest.mark.parametrize("name", [*WARP_NAMES, *SOME_GMMAS])
def test_every_map_covers_its_tile(name):
    """Each cell is held once; an operand in shared memory is seen by all threads."""
    a = atom(name)
    m, n, k = a.shape_mnk
    for layout, cells, source in (
        (a.a_layout, m * k, a.sources[0]),
        (a.b_layout, n * k, a.sources[1]),
        (a.c_layout, m * n, "R"),
    ):
        times = a.num_threads if source == "S" else 1
        assert (hits(layout, cells) == times).all(), layout
        assert size(layout, 0) == a.num_threads


def in_tile(layout, rows, thread, value):
    return tuple(reversed(divmod(layout(thread, value), rows)))


WARP_WIDE = [n for n in WARP_NAMES if atom(n).num_threads == 32]


@pytest.mark.parametrize("name", WARP_WIDE)
def test_fragments_of_a_warp_are_ptxs(name):
    """PTX ISA, "Matrix fragments for mma": a register holds V neighbours along K; lane = 4 * group + thread in group."""
    a = atom(name)
    m, n, _k = a.shape_mnk
    v_bits = max(1, 32 // a.type_a.bits)
    for lane in range(32):
        group, in_group = lane // 4, lane % 4
        for v in range(size(a.a_layout, 1)):
            register, in_register = divmod(v, v_bits)
            down, along = register % (m // 8), register // (m // 8)
            assert in_tile(a.a_layout, m, lane, v) == (
                group + 8 * down,
                in_group * v_bits + in_register + 4 * v_bits * along,
            )
        for v in range(size(a.b_layout, 1)):
            register, in_register = divmod(v, v_bits)
            assert in_tile(a.b_layout, n, lane, v) == (group, in_group * v_bits + in_register + 4 * v_bits * register)
        for v in range(size(a.c_layout, 1)):
            assert in_tile(a.c_layout, m, lane, v) == (group + 8 * (v // 2), 2 * in_group + v % 2)


@pytest.mark.parametrize("letters", ["TN", "NT", "NN", "TT"])
@pytest.mark.parametrize("acc", ["F16", "F32"])
def test_fragments_of_a_quadpair_are_ptxs(letters, acc):
    """PTX ISA, "Matrix fragments for mma.m8n8k4 with .f16 floating point type"."""
    a = atom(f"SM70_8x8x4_{acc}F16F16{acc}_{letters}")
    for thread in range(8):
        lane = a.thr_id(thread)
        upper = 0 if lane < 16 else 4
        for v in range(4):
            by_row, by_column = (lane % 4 + upper, v), (v + upper, lane % 4)
            assert in_tile(a.a_layout, 8, thread, v) == (by_row if letters[0] == "T" else by_column)
            assert in_tile(a.b_layout, 8, thread, v) == (by_row if letters[1] == "N" else by_column)
        for v in range(8):
            x = (lane & 1) + (v & 2) + upper
            y = (v & 4) + (lane & 2) + (v & 1)
            assert in_tile(a.c_layout, 8, thread, v) == ((x, y) if acc == "F32" else (lane % 4 + upper, v))


@pytest.mark.parametrize("name", SOME_GMMAS)
def test_fragments_of_a_warpgroup_are_ptxs(name):
    """PTX ISA, "Register fragments and shared memory matrix layouts" of wgmma."""
    a = atom(name)
    v_bits = 32 // a.type_a.bits
    for thread in range(0, 128, 7):
        warp, lane = divmod(thread, 32)
        for v in range(size(a.c_layout, 1)):
            wanted = (16 * warp + lane // 4 + 8 * (v // 2 % 2), 8 * (v // 4) + 2 * (lane % 4) + v % 2)
            assert in_tile(a.c_layout, 64, thread, v) == wanted
        for v in range(size(a.a_layout, 1) if a.sources == "RS" else 0):
            register, in_register = divmod(v, v_bits)
            wanted = (
                16 * warp + lane // 4 + 8 * (register % 2),
                lane % 4 * v_bits + in_register + 4 * v_bits * (register // 2),
            )
            assert in_tile(a.a_layout, 64, thread, v) == wanted


def test_every_copy_gives_what_it_gets():
    """What threads give are the bits that threads get; with repeated addresses some are given more than once."""
    for c in find_copy_atoms():
        if not c.name.startswith("SM90_TMA") and "BULK" not in c.name:
            assert set(c.src_layout.offsets()) == set(c.dst_layout.offsets()), c.name


# ------------------------------------------------------------------------------------------------ names


@pytest.mark.parametrize("name", WARP_NAMES)
def test_names_say_what_the_atom_is(name):
    a = atom(name)
    if a.name.startswith("SM61"):
        return
    said = ct.decode(name)
    m, n, k = a.shape_mnk
    assert (said.arch, said.shape_mnk, said.type_a, said.type_c) == (a.arch, a.shape_mnk, a.type_a, a.type_c)
    assert f"_{m}x{n}x{k}_" in name
    assert said.saturate == name.endswith("SATURATE")
    assert said.majors == a.majors


def test_the_gmma_family():
    """All sizes of N; only 8-bit integers have fewer; only 16-bit operands have majors."""
    names = list(gmma_names())
    assert len(names) == len(set(names))
    n_of = {n for name in names if "S8S8_SS_TN" in name for n in [int(name.split("x")[1])]}
    assert n_of == set(N_INT8)
    assert 40 not in n_of
    assert 48 in n_of
    assert {int(name.split("x")[1]) for name in names if "F16F16F16_SS" in name} == set(range(8, 257, 8))
    assert {atom(name).shape_mnk[2] * atom(name).type_a.bits for name in SOME_GMMAS} == {256}
    with_majors = {name.split("_")[2] for name in names if "<" in name}
    assert with_majors == {"F16F16F16", "F32F16F16", "F32BF16BF16"}
    assert not any("RS<MN" in name for name in names)


@pytest.mark.parametrize(
    ("spelling", "name"),
    [
        ("SM90::GMMA::MMA_64x8x16_F32F16F16_SS<GMMA::Major::K, GMMA::Major::MN>{}", "SM90_64x8x16_F32F16F16_SS<K,MN>"),
        ("cute::SM90::GMMA::MMA_64x8x8_F32TF32TF32_RS_TN", "SM90_64x8x8_F32TF32TF32_RS_TN"),
        ("SM90::MMA_16x8x4_F64F64F64F64_TN", "SM90_16x8x4_F64F64F64F64_TN"),
        ("SM90_64x64x16_F32F16F16_SS", "SM90_64x64x16_F32F16F16_SS<K,K>"),
        ("MMA_64x64x16_F16F16F16_RS", "SM90_64x64x16_F16F16F16_RS<K,K>"),
        ("  SM80_16x8x8_F16F16F16F16_TN{}", "SM80_16x8x8_F16F16F16F16_TN"),
    ],
)
def test_spellings(spelling, name):
    assert atom(spelling) == atom(name)
    assert atom(spelling).name == name


def test_search():
    assert {a.arch for a in find_atoms("SM80")} == {"SM80"} == {a.arch for a in find_atoms(80)}
    assert [a.name for a in find_atoms(type="e5m2", accumulator="half_t", gmma=False)] == [
        "SM89_16x8x32_F16E4M3E5M2F16_TN",
        "SM89_16x8x32_F16E5M2E4M3F16_TN",
        "SM89_16x8x32_F16E5M2E5M2F16_TN",
    ]
    assert [a.name for a in find_atoms("SM80", "16x8x4")] == ["SM80_16x8x4_F32TF32TF32F32_TN"]
    assert len(find_atoms(gmma=False)) == len(WARP_NAMES) == 92
    assert len(find_atoms("SM90", (64, 64, None))) == len([n for n in GMMA_NAMES if "_64x64x" in n])


def test_values_are_types_of_cute():
    assert value_type("float") == value_type(np.float32) == value_type("F32") == atom("UniversalFMA<float>").type_d
    mixed = atom("UniversalFMA<float, half_t, half_t, float>")
    assert [t.code for t in (mixed.type_d, mixed.type_a, mixed.type_b, mixed.type_c)] == ["F32", "F16", "F16", "F32"]
    assert atom("UniversalFMA<complex<double>>").type_a.bits == 128


def test_an_atom_is_a_value():
    a = atom("SM80_16x8x16_F32F16F16F32_TN")
    assert hash(a) == hash(atom(a.name))
    assert repr(a) == "atom('SM80_16x8x16_F32F16F16F32_TN')"
    with pytest.raises(AttributeError):
        a.name = "mine"


def test_copies_with_a_parameter():
    assert copy_atom("UniversalCopy<uint64_t>", "half_t").val_layout_src == Layout((1, 4), (0, 1))
    assert copy_atom("SM90_TMA_LOAD<16384>", "half_t").val_layout_dst == Layout((1, 1024), (0, 1))
    assert copy_atom("AutoVectorizingCopyWithAssumedAlignment<64>", "float").val_layout_src == Layout((1, 1), (0, 0))
    assert copy_atom("SM80_CP_ASYNC_CACHEALWAYS_ZFILL<double>").src_layout == Layout((1, 64), (0, 1))


def test_a_sparse_gmma_is_refused():
    with pytest.raises(LayoutError, match="Sparse GMMA is left out"):
        atom("SM90::GMMA::SPARSE::GMMA_64x64x32_F32F16F16_SS<GMMA::Major::K,GMMA::Major::K>")


@pytest.mark.parametrize(
    "make",
    [
        lambda: atom("SM80_8x8x4_F64F64F64F64_TN"),
        lambda: ct.make_tiled_mma("SM70_8x8x4_F32F16F16F32_NT", (2, 2)),
        lambda: copy_atom("SM75_U32x4_LDSM_N", "half_t"),
        lambda: ct.make_tiled_copy(copy_atom("UniversalCopy<float>", "float"), (4, 8), (1, 2)),
    ],
)
def test_notebooks_show_a_picture(make):
    shown = make()._repr_mimebundle_()
    assert shown["image/svg+xml"].startswith("<svg")
    assert shown["text/plain"].startswith(repr(make()))


def test_what_has_no_picture_shows_its_print():
    thread = ct.make_tiled_mma("SM80_8x8x4_F64F64F64F64_TN").get_slice(3)
    assert thread._repr_mimebundle_() == {"text/plain": f"{thread!r}\n\n{thread}"}


# ------------------------------------------------------------------------------------------------ the table


def test_the_table_has_every_mma_once():
    families = atom_families()
    assert sorted(n for f in families for n in f.names) == sorted(_names())
    for f in families:
        for name in (f.names[0], f.names[-1]):
            a = atom(name)
            n = a.shape_mnk[1]
            assert f.threads == a.num_threads
            assert (f.c_layout if f.threads < 128 else f.c_layout.replace("N/8", str(n // 8))) == str(a.c_layout)
            for said, layout, source in zip(
                f.values, (a.a_layout, a.b_layout, a.c_layout), (*a.sources, "R"), strict=True
            ):
                assert (said == "S") == (source == "S")
                assert said in ("S", size(layout, 1)) or (said, n // 2) == ("N/2", size(layout, 1))


def test_the_table_is_cut_by_what_is_asked():
    assert atom_table("SM75").count("\n") == 2
    assert "S8S8" not in atom_table(type="f16")
    assert max(map(len, atom_table().split("\n"))) <= 110  # fits beside a lesson's text
    with pytest.raises(LayoutError, match="leave something out"):
        atom_table("SM75", type="f64")
