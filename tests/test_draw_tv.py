"""Who holds what: every cell of every atom and tiling against CuTe's own answers."""

# ruff: noqa: RUF001 (pictures use the sign ×)

from dataclasses import replace

import pytest
from oracle import each_line

from cutelearn import (
    ComposedLayout,
    Layout,
    LayoutError,
    Step,
    Swizzle,
    X,
    atom,
    composition,
    copy_atom,
    local_partition,
    make_identity_tensor,
    make_tiled_copy,
    make_tiled_mma,
    parse_tuple,
    size,
)
from cutelearn.draw import (
    draw_copy,
    draw_copy_atom,
    draw_ldmatrix,
    draw_mma,
    draw_permutation,
    draw_pipeline,
    draw_threads,
    draw_tv,
    palette,
)
from cutelearn.draw.tv import holders
from cutelearn.htuple import leaves, product

SM80 = "SM80_16x8x16_F32F16F16F32_TN"


def said(cell):
    """The holder that a cell names: (thread, value, how many hold it); the thread is None where all do."""
    thread, value = cell.lines if len(cell.lines) == 2 else (None, cell.lines[0])
    value, _times, count = value.partition("×")
    return (None if thread is None else int(thread[1:])), int(value[1:]), int(count or 1)


def first_holders(offsets, threads, lane=None):
    """place -> the holders of it, from CuTe's list of places by (thread, value)."""
    held = {}
    for k, place in enumerate(offsets):
        t = k % threads
        held.setdefault(place, []).append((t if lane is None else lane(t), k // threads))
    return held


def check_operand(panel, held, place, everyone):
    for c in panel.cells:
        thread, value, count = said(c)
        pairs = held[place(int(c.row), int(c.col))]
        assert (thread, value) == ((None, pairs[0][1]) if everyone else pairs[0])
        assert count == (1 if everyone else len(dict.fromkeys(pairs)))
        if thread is not None:
            assert c.key == f"T{thread}"
            assert panel.fills[c.key] == palette.thread(thread)


DRAWN = {"A": "ALayout", "B": "BLayout", "C": "CLayout"}


@each_line(
    "mma_atoms", where=lambda row: row["id"].startswith("mma:") and all("offsets" in row[x] for x in DRAWN.values())
)
def test_an_atom_in_corner_view_is_what_cute_says(row):
    m, n, k = parse_tuple(row["Shape_MNK"])
    if m * n + m * k + n * k > 4000 or max(m, n, k) > 64:
        pytest.skip("drawn as a summary")
    lane = Layout.parse(row["ThrID"])
    parts = {x: Layout.parse(row[key]["layout"]) for x, key in DRAWN.items()}
    how = {f"{x.lower()}_layout": a for x, a in parts.items()}
    scene = draw_mma(shape_mnk=(m, n, k), thr_id=lane if size(lane) > 1 else None, title=row["name"], **how)
    places = {"A": lambda r, c: r + c * m, "B": lambda r, c: c + r * n, "C": lambda r, c: r + c * m}
    for x, key in DRAWN.items():
        panel = scene.panel(x)
        assert (panel.rows, panel.cols) == {"A": (m, k), "B": (k, n), "C": (m, n)}[x]
        threads = size(parts[x], 0)
        everyone = threads > 1 and not any(leaves(parts[x][0].stride))
        held = first_holders(row[key]["offsets"], threads, lane if size(lane) > 1 else None)
        check_operand(panel, held, places[x], everyone)
    assert [a.name for x in "ABC" for a in scene.panel(x).axes] == ["m", "k", "k", "n", "m", "n"]
    assert [scene.panel(x).caption for x in "ABC"] == list("ABC")


TILED = {"A": "layoutA_TV", "B": "layoutB_TV", "C": "layoutC_TV"}


class Told:
    """A TiledMMA as far as a picture asks, with CuTe's layouts in it."""

    def __init__(self, row):
        self.tile_shape = tuple(row["tile_size_mnk"])
        self.thr_layout_vmnk = Layout.parse(row["thr_layout_vmnk"])
        self.layoutA_TV, self.layoutB_TV, self.layoutC_TV = (Layout.parse(row[key]["layout"]) for key in TILED.values())
        self.atom = type("Atom", (), {"name": row["name"]})


@each_line("tiled", where=lambda row: row["group"] == "tiled_mma" and all("offsets" in row[x] for x in TILED.values()))
def test_a_tiled_mma_in_corner_view_is_what_cute_says(row):
    m, n, k = row["tile_size_mnk"]
    if m * n + m * k + n * k > 4000 or max(m, n, k) > 64:
        pytest.skip("drawn as a summary")
    told = Told(row)
    scene = draw_mma(told)
    real = set(told.thr_layout_vmnk.offsets().tolist())
    places = {"A": lambda r, c: r + c * m, "B": lambda r, c: c + r * n, "C": lambda r, c: r + c * m}
    for x, key in TILED.items():
        threads = size(getattr(told, key), 0)
        held = first_holders(row[key]["offsets"], threads)
        held = {p: [pair for pair in pairs if pair[0] in real] for p, pairs in held.items()}
        everyone = threads > 1 and not any(leaves(getattr(told, key)[0].stride))
        check_operand(scene.panel(x), held, places[x], everyone)


@each_line("tiled", where=lambda row: row["group"] == "tiled_copy" and "offsets" in row["layoutS_TV"])
def test_a_tiled_copy_is_what_cute_says(row):
    shape = tuple(product(s) for s in parse_tuple(row["tiler_mn"])) if ":" not in row["tiler_mn"] else None
    if shape is None or len(shape) != 2:
        pytest.skip("the tiler is no shape")
    src, dst = (Layout.parse(row[f"layout{x}_TV"]["layout"]) for x in "SD")
    scene = draw_copy(shape=shape, src=src, dst=dst, limit=None)
    for name, x in (("source", "S"), ("destination", "D")):
        held = first_holders(row[f"layout{x}_TV"]["offsets"], size(src if x == "S" else dst, 0))
        everyone = not any(leaves((src if x == "S" else dst)[0].stride)) and size(src, 0) > 1
        check_operand(scene.panel(name), held, lambda r, c: r + c * shape[0], everyone)


# ------------------------------------------------------------------------------------------------ the note's facts


def test_f64_c_rows_are_quads():
    c = draw_mma(atom("SM80_8x8x4_F64F64F64F64_TN")).panel("C")
    for r in range(8):
        assert [said(c.at(r, col))[:2] for col in range(8)] == [(4 * r + col // 2, col % 2) for col in range(8)]
    b = draw_mma(atom("SM80_8x8x4_F64F64F64F64_TN")).panel("B")
    assert [said(b.at(0, col))[0] for col in range(8)] == [0, 4, 8, 12, 16, 20, 24, 28]
    assert said(b.at(2, 4))[0] == 18
    assert said(draw_mma(atom("SM80_8x8x4_F64F64F64F64_TN")).panel("A").at(5, 3))[0] == 23


def test_the_lanes_of_a_quadpair():
    v = atom("SM70_8x8x4_F32F16F16F32_NT")
    scene = draw_mma(v)
    assert {said(c)[0] for c in scene.panel("C").cells} == {0, 1, 2, 3, 16, 17, 18, 19}
    assert scene.note.startswith("one quadpair computes")
    alone = draw_tv(v.c_layout, (8, 8), thr_id=v.thr_id, thread=0).panel("tile")
    assert [r + 8 * c for r, c in sorted(alone.picked(), key=lambda p: said(alone.at(*p))[1])] == [
        0,
        8,
        2,
        10,
        32,
        40,
        34,
        42,
    ]


def test_permutation_of_m_moves_the_rows_of_a_thread_together():
    volta, atoms = "SM70_8x8x4_F32F16F16F32_NT", Layout((2, 2), (2, 1))
    plain = draw_mma(make_tiled_mma(volta, atoms, (32, 32, 4)), thread=0)
    permuted = draw_mma(make_tiled_mma(volta, atoms, (Layout((4, 4, 2), (1, 8, 4)), 32, 4)), thread=0)
    assert sorted({r for r, _c in plain.panel("A").picked()}) == [0, 1, 2, 3, 16, 17, 18, 19]
    assert sorted({r for r, _c in permuted.panel("A").picked()}) == list(range(8))


# ------------------------------------------------------------------------------------------------ picks, colours, refusals


def test_the_maps_may_be_left_out_of_the_legend():
    """For who is to find them."""
    maps = [str(getattr(atom(SM80), f"{x}_layout")) for x in "abc"]
    assert all(m in draw_mma(atom(SM80)).svg() for m in maps)
    bare = draw_mma(atom(SM80), maps=False)
    assert not any(m in bare.svg() for m in maps)
    assert bare.panel("C") == draw_mma(atom(SM80)).panel("C")


def test_a_thread_is_picked_in_every_operand():
    scene = draw_mma(atom(SM80), thread=5)
    for x in "ABC":
        panel = scene.panel(x)
        assert panel.picked() == [(c.row, c.col) for c in panel.cells if said(c)[0] == 5]
    one = draw_mma(atom(SM80), thread=5, value=3)
    assert all(len(one.panel(x).picked()) == 1 for x in "ABC")


def test_a_picked_thread_is_named_where_it_shares():
    tiled = make_tiled_mma(SM80, Layout((2, 2, 1)), (32, 32, 16))
    b = draw_mma(tiled, thread=37).panel("B")
    assert {said(b.at(*p))[0] for p in b.picked()} == {37}
    assert all(said(b.at(*p))[2] == 2 for p in b.picked())
    assert all(b.at(*p).key == "T37" for p in b.picked())


def test_a_cell_of_c_takes_its_row_of_a_and_column_of_b():
    scene = draw_mma(atom(SM80), cell=(3, 2))
    assert scene.panel("A").picked() == [(3, k) for k in range(16)]
    assert scene.panel("B").picked() == [(k, 2) for k in range(16)]
    assert scene.panel("C").picked() == [(3, 2)]


def test_warps_are_borders_and_may_be_colours():
    tiled = make_tiled_mma(SM80, Layout((2, 2, 1)), (32, 32, 16))
    c = draw_mma(tiled).panel("C")
    (border,) = c.borders
    assert (16, 0, 16, 32) in border.lines
    assert (border.label, border.level) == ("warp", 2)
    by_warp = draw_mma(tiled, color="warp").panel("C")
    assert {cell.key for cell in by_warp.cells} == {f"warp {w}" for w in range(4)}
    assert all(cell.key == f"warp {said(cell)[0] // 32}" for cell in by_warp.cells)
    assert draw_mma(atom(SM80)).panel("C").borders == ()


def test_shared_memory_operands_show_values_alone():
    hopper = atom("SM90::GMMA::MMA_64x16x16_F32F16F16_SS<GMMA::Major::K, GMMA::Major::K>")
    a = draw_mma(hopper).panel("A")
    assert {c.key for c in a.cells} == {"all threads"}
    assert a.at(3, 2).lines == ("V131",)


def test_large_ones_are_cut_but_show_what_is_picked():
    tiled = make_tiled_mma(SM80, Layout((4, 2, 1)), (64, 64, 32))
    scene = draw_mma(tiled, thread=200)
    assert "limit=None draws all" in scene.note
    assert all(scene.panel(x).picked() for x in "ABC")
    assert len(draw_mma(tiled, limit=None).panel("C").cells) == 64 * 64


def test_wiring_is_what_the_hardware_has():
    right = atom("SM80_8x8x4_F64F64F64F64_TN")
    wrong = replace(right, c_layout=Layout(((4, 8), 2), ((2, 8), 1)))  # the tempting mistake: C by columns
    assert draw_mma(wrong).panel("C") != draw_mma(right).panel("C")
    assert draw_mma(wrong, wiring=True).panel("C") == draw_mma(right).panel("C")


def test_refusals():
    with pytest.raises(LayoutError, match="is no MMA"):
        draw_mma(Layout((4, 8)))
    with pytest.raises(LayoutError, match="give an atom, or shape_mnk"):
        draw_mma(shape_mnk=(8, 8, 4))
    with pytest.raises(LayoutError, match="write 'thread', 'value' or 'warp'"):
        draw_mma(atom(SM80), color="lane")
    with pytest.raises(LayoutError, match="two modes, threads and values"):
        draw_tv(Layout(8), (2, 4))
    with pytest.raises(LayoutError, match=r"sends \(thread 2, value 1\) to 6: the tile has only 6"):
        draw_tv(Layout((4, 2)), (2, 3))
    with pytest.raises(LayoutError, match="two extents"):
        draw_tv(Layout((4, 2)), 8)
    with pytest.raises(LayoutError, match="is no TiledCopy"):
        draw_copy(copy_atom("UniversalCopy<float>", "float"))
    with pytest.raises(LayoutError, match="there is no thread 8: they are 0 to 7"):
        draw_pipeline(Layout((8, 4)), Layout((4, 8)), thread=8)


def test_holders_in_order_and_each_once():
    assert holders(Layout((4, 2), (0, 1)), 2) == [[(None, 0)], [(None, 1)]]
    assert holders(Layout(((2, 2), 2), ((0, 1), 2)), 4)[1] == [(2, 0), (3, 0)]
    assert holders(Layout((1, 4), (0, 0)), 1) == [[(0, 0), (0, 1), (0, 2), (0, 3)]]


# ------------------------------------------------------------------------------------------------ tiles and tables


def test_the_table_beside_the_tile():
    tv = Layout(((2, 4), (2, 2)), ((8, 1), (4, 16)))
    scene = draw_tv(tv, (4, 8), thread=5, table=True)
    table = scene.panel("table")
    assert (table.rows, table.cols) == (8, 4)
    for c in table.cells:
        m, n = parse_tuple(c.lines[0])
        assert m + 4 * n == tv(int(c.row), int(c.col))
        assert c.key == f"T{int(c.row)}"
    assert table.picked() == [(5, v) for v in range(4)]
    assert [table.axis("left").at(k) for k in (0, 7)] == ["T0", "T7"]


def test_core_matrices():
    hopper = atom("SM90::GMMA::MMA_64x16x16_F32F16F16_SS<GMMA::Major::K, GMMA::Major::K>")
    tile = draw_tv(hopper.c_layout, (64, 16), tile=(8, 8)).panel("tile")
    border = next(b for b in tile.borders if b.label == "8×8")
    assert (0, 8, 64, 8) in border.lines
    assert [said(tile.at(0, c))[:2] for c in range(10)] == [(c // 2 % 4, c % 2 + 4 * (c // 8)) for c in range(10)]


def test_by_value():
    tile = draw_tv(Layout(((2, 4), (2, 2)), ((8, 1), (4, 16))), (4, 8), color="value").panel("tile")
    assert all(c.key == f"V{said(c)[1]}" for c in tile.cells)


def test_local_partition_deals_as_the_picture_says():
    threads = Layout((32, 8))
    panel = draw_threads((128, 8), threads, thread=33, limit=None).panel("tile")
    mine = local_partition(make_identity_tensor((128, 8)), threads, 33)
    assert panel.picked() == [tuple(mine[k]) for k in range(size(mine))] == [(1, 1), (33, 1), (65, 1), (97, 1)]
    for k in range(size(mine)):
        assert said(panel.at(*mine[k]))[:2] == (33, k)


def test_local_partition_values_are_counted_as_the_slice_counts_them():
    threads = Layout((4, 2))
    panel = draw_threads((8, 8), threads).panel("tile")
    for t in range(8):
        mine = local_partition(make_identity_tensor((8, 8)), threads, t)
        assert [said(panel.at(*mine[k]))[:2] for k in range(size(mine))] == [(t, k) for k in range(size(mine))]


@pytest.mark.parametrize("threads", [Layout((4, 8)), Layout((8, 4), (4, 1))], ids=str)
def test_a_tile_of_three_extents_is_shared_as_sgemm_1_shares_it(threads):
    shown = draw_threads((16, 16, 4), threads, thread=13)
    for name, shape, step, turned in (
        ("A", (16, 4), Step(1, X), False),
        ("B", (16, 4), Step(X, 1), True),  # B is (n,k), and drawn with k down
        ("C", (16, 16), Step(1, 1), False),
    ):
        mine = local_partition(make_identity_tensor(shape), threads, 13, step)
        cells = [tuple(mine[i])[:: -1 if turned else 1] for i in range(size(mine))]
        assert sorted(shown.panel(name).picked()) == sorted(cells)
        assert [said(shown.panel(name).at(*cell))[:2] for cell in cells] == [(13, i) for i in range(size(mine))]
    with pytest.raises(LayoutError, match="no whole number of grids"):
        draw_threads((18, 16, 4), threads)


# ------------------------------------------------------------------------------------------------ copies


def test_a_tiled_copy_of_the_note():
    copy = make_tiled_copy(copy_atom("UniversalCopy<uint128_t>", "float"), Layout((32, 8)), Layout((4, 1)))
    scene = draw_copy(copy, thread=33)
    for name in ("source", "destination"):
        assert scene.panel(name).picked() == [(4, 1), (5, 1), (6, 1), (7, 1)]
    assert scene.note.startswith("256 threads, 4 values each, on 128×8")


@pytest.mark.parametrize(
    ("name", "matrices"), [("SM75_U32x1_LDSM_N", 1), ("SM75_U32x2_LDSM_N", 2), ("SM75_U32x4_LDSM_N", 4)]
)
def test_ldmatrix(name, matrices):
    scene = draw_ldmatrix(copy_atom(name, "half_t"))
    address, values = scene.panel("address"), scene.panel("values")
    assert address.cols == values.cols == 8 * matrices
    for r in range(8):
        for c in range(8 * matrices):
            matrix = c // 8
            assert said(address.at(r, c))[0] == 8 * matrix + r  # lane 8i+r gives the address of row r of matrix i
            assert said(values.at(r, c))[:2] == (4 * r + c % 8 // 2, 2 * matrix + c % 2)
    assert address.axis("top").at(9 % address.cols) == f"({9 % address.cols % 8},matrix {9 % address.cols // 8})"


def test_ldmatrix_transposed_and_stmatrix():
    values = draw_ldmatrix(copy_atom("SM75_U16x4_LDSM_T", "half_t")).panel("values")
    assert [said(values.at(r, 0))[:2] for r in range(8)] == [(r // 2, r % 2) for r in range(8)]
    assert [p.name for p in draw_ldmatrix(copy_atom("SM90_U32x2_STSM_N", "half_t")).panels] == ["values", "address"]
    with pytest.raises(LayoutError, match="no whole number of 8x8 matrices"):
        draw_ldmatrix(copy_atom("UniversalCopy<float>", "float"))


def test_a_copy_atom_of_one_lane():
    panel = draw_copy_atom(copy_atom("UniversalCopy<uint128_t>", "half_t")).panel("source")
    assert [said(c)[:2] for c in panel.cells] == [(0, v) for v in range(8)]


# ------------------------------------------------------------------------------------------------ pipelines


@pytest.mark.parametrize(
    "data", [Layout((4, 8), (8, 1)), Layout((4, 8)), ComposedLayout(Swizzle(2, 0, 3), 0, Layout((4, 8), (8, 1)))]
)
def test_a_pipeline_ends_in_data_after_tv(data):
    tv = Layout(((2, 4), (2, 2)), ((8, 1), (4, 16)))
    scene = draw_pipeline(tv, data, thread=5, value=2)
    whole = composition(data, tv)
    assert [int(c.lines[0]) for c in scene.panel("view").cells] == [whole(5, v) for v in range(4)]
    assert [r for r, _c in scene.panel("view").picked()] == [2]
    memory, tile = scene.panel("memory"), scene.panel("tile")
    assert memory.picked() == tile.picked()
    assert sorted(int(memory.at(*p).lines[0]) for p in memory.picked()) == sorted(whole(5, v) for v in range(4))
    assert all(int(c.lines[0]) == data(int(c.row), int(c.col)) for c in memory.cells)
    assert [a.label for a in scene.arrows] == ["tv", "data", "slice"]


def test_a_long_table_shows_the_picked_thread():
    tv = Layout(((4, 8), (2, 2)), ((32, 1), (16, 8)))
    table = draw_pipeline(tv, Layout((16, 8), (8, 1)), thread=25).panel("table")
    assert table.rows < 25
    (row,) = {r for r, _c in table.picked()}
    assert table.axis("left").at(row) == "T25"


def test_what_is_cut_of_a_large_mma_is_cut_alike_in_all_three():
    tiled = make_tiled_mma(SM80, Layout((4, 2, 1)), (64, 64, 32))
    scene = draw_mma(tiled, thread=77)
    a, b, c = (scene.panel(name) for name in "ABC")
    assert a.axis("left").levels == c.axis("left").levels
    assert b.axis("top").levels == c.axis("top").levels
    assert a.axis("top").levels[0].ticks == tuple(
        (k, n, w.replace("⋮", "⋯")) for k, n, w in b.axis("left").levels[0].ticks
    )
    assert all(p.picked() for p in (a, b, c))


def test_colours_of_values_are_listed_in_order():
    legend = draw_mma(make_tiled_mma("SM70_8x8x4_F32F16F16F32_NT", Layout((2, 2)), (32, 32, 4)), color="value").rows[
        -1
    ][0]
    assert [e.words for e in legend.entries] == [f"V{k}" for k in range(32)]


def test_the_legend_says_in_symbols_what_thread_colours_mean():
    table = draw_tv(Layout(((4, 8), 2), ((16, 1), 8)), (8, 8)).table()
    assert "colour: hue is thread // 4, shade is thread % 4" in table
    assert "quad" not in table


def test_a_permutation_scatters():
    p = Layout((4, 4, 2), (1, 8, 4))
    scene = draw_permutation(p)
    slots, tile = scene.panel("slots"), scene.panel("tile")
    for i in range(32):
        assert slots.at(1, i).lines == (str(p(i)),)
        assert tile.at(0, p(i)).lines == (str(i),)
        assert tile.at(0, p(i)).key == slots.at(0, i).key == f"run {i // 4}"
