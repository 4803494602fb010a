"""Lesson 10: what its prose says, where no output shows it."""

import json
from pathlib import Path

import numpy as np
import pytest

from cutelearn import (
    Layout,
    LayoutError,
    copy_atom,
    gemm,
    local_partition,
    make_identity_tensor,
    make_tensor,
    make_tiled_copy,
    make_tiled_copy_A,
    make_tiled_copy_B,
    make_tiled_mma,
    right_inverse,
    size,
)
from cutelearn.course.chapters import ch10, functions10, permutations10, quiz10
from cutelearn.course.chapters.permutations10 import cells_of
from cutelearn.course.chapters.quiz10 import N_MAJOR, VOLTA, P, Q, rows_of_a
from cutelearn.course.questions import question, reply
from cutelearn.draw import draw_ldmatrix
from cutelearn.explore import TiledMMABench

ROOT = Path(__file__).resolve().parent.parent
NAME = "10-tiled-mma-and-tiled-copy"
CELLS = json.loads((ROOT / f"notebooks/{NAME}.ipynb").read_text("utf-8"))["cells"]
PROSE = {
    cell["id"].removeprefix(f"{NAME}-"): " ".join("".join(cell["source"]).split())
    for cell in CELLS
    if cell["cell_type"] == "markdown"
}
OUTPUT = {
    cell["id"].removeprefix(f"{NAME}-"): "".join("".join(o.get("text", "")) for o in cell["outputs"])
    for cell in CELLS
    if cell["cell_type"] == "code"
}
THREADS = sorted(make_tiled_mma(VOLTA, N_MAJOR).thr_layout_vmnk.offsets().tolist())
LDMATRIX = copy_atom("SM75_U32x4_LDSM_N", "half_t")
AMPERE = "SM80_16x8x16_F32F16F16F32_TN"


def permuted(p):
    return make_tiled_mma(VOLTA, N_MAJOR, (p, 32, 4))


def test_one_atom_and_four():
    one, four = make_tiled_mma(VOLTA), make_tiled_mma(VOLTA, N_MAJOR)
    assert sorted(one.thr_layout_vmnk.offsets().tolist()) == [0, 1, 2, 3, 16, 17, 18, 19]
    assert list(range(32)) == THREADS
    assert (four.thr_layout_vmnk[1], four.thr_layout_vmnk[2]) == (Layout(2, 8), Layout(2, 4))
    assert [t for t in THREADS if rows_of_a(four, t) == [0, 1, 2, 3] and four.layoutA_TV(t, 0) == 0] == [0, 4]
    assert [four.atom.thr_id(i) + 4 for i in range(8)] == [4, 5, 6, 7, 20, 21, 22, 23]


def test_n_major_fills_a_row_of_atoms_first():
    for layout, starts in (
        (N_MAJOR, [(0, 0), (0, 8), (8, 0), (8, 8)]),
        (Layout((2, 2)), [(0, 0), (8, 0), (0, 8), (8, 8)]),
    ):
        mma = make_tiled_mma(VOLTA, layout)
        assert [cells_of(mma, t)[0] for t in (0, 4, 8, 12)] == starts


def test_with_the_permutation_everybody_s_rows_are_one_run():
    """That, and nothing about speed, is what the lesson says."""
    for t in THREADS:
        rows = rows_of_a(permuted(P), t)
        assert rows == list(range(rows[0], rows[0] + 8))
        before, plain = rows_of_a(permuted(32), t), rows_of_a(permuted(Layout(32)), t)
        assert before == plain == [*range(before[0], before[0] + 4), *range(before[0] + 16, before[0] + 20)]
        assert rows == [P(slot) for slot in before]
    assert sorted({m for m, _n in cells_of(permuted(P), 0)}) == [0, 2, 4, 6]
    tile = permuted(P)
    assert tile.layoutB_TV == permuted(32).layoutB_TV
    assert "has to be measured" in PROSE["inverse"]


def test_slots_4_to_7_belong_to_another_thread():
    assert rows_of_a(permuted(32), 16) == [4, 5, 6, 7, 20, 21, 22, 23]
    assert [P(s) for s in (4, 5, 6, 7)] == [8, 9, 10, 11]


@pytest.mark.parametrize("p", [32, P, Q])
def test_the_product_comes_out_right_with_any_permutation(p):
    rng = np.random.default_rng(10)
    a, b = (rng.integers(-3, 4, (32, 4)).astype(np.float16) for operand in "AB")
    A, B = (make_tensor(x.ravel(order="F").copy(), (32, 4)) for x in (a, b))
    C = make_tensor(np.zeros(1024, np.float32), (32, 32))
    gemm(permuted(p), A, B, C)
    assert [C[i] for i in range(1024)] == (a.astype(int) @ b.astype(int).T).ravel(order="F").tolist()


def test_the_list_of_the_mistake_is_the_inverse():
    assert right_inverse(P) == Q
    assert [Q(i) for i in range(9)] == [0, 1, 2, 3, 16, 17, 18, 19, 4]
    assert [P(i) for i in (0, 1, 2, 3, 16, 17, 18, 19, 4)][-1] == 8
    assert (rows_of_a(permuted(P), 0), rows_of_a(permuted(Q), 0)) == ([*range(8)], [0, 1, 2, 3, 8, 9, 10, 11])
    small = Layout((2, 2, 2), (1, 4, 2))
    assert [small(small(i)) for i in range(8)] == list(range(8))


def test_the_bench_does_what_is_folded_under_it():
    def held(*arguments, operand="C"):
        panel = TiledMMABench(*arguments).still().panel(operand)
        return {(c.row, c.col): c.lines for c in panel.cells}

    first, other = held(VOLTA, "(2,2):(2,1)"), held(VOLTA, "(2,2):(1,2)")
    moved = {cell[0] for at, cell in first.items() if other[at][0] != cell[0]}
    assert moved == {f"T{t}" for t in (*range(4, 12), *range(20, 28))}
    for p, rows in ((P, [*range(8)]), (Q, [0, 1, 2, 3, 8, 9, 10, 11])):
        shown = TiledMMABench(VOLTA, "(2,2):(2,1)", f"<{p},_,_>").still().panel("A")
        assert [m for m, _k in shown.picked()] == rows
    with pytest.raises(LayoutError, match="is no permutation of M"):
        permuted(Layout((2, 16), (1, 8)))
    assert all(lines[1].endswith("×2") for lines in held(AMPERE, "(1,1,2)").values())  # noqa: RUF001


def test_plain_numbers_change_no_shape_and_a_permutation_shows():
    assert OUTPUT["shapes-code"].count("A ((2, 2, 2), 4, 4)  B ((2, 2), 8, 4)  C ((2, 2), 4, 8)") == 3
    part = permuted(P).get_slice(0).partition_A(make_identity_tensor((128, 8)))
    assert part.shape == (4, (2, 4), 2)


def test_a_tiled_copy_gives_blocks_and_local_partition_does_not():
    tile, copyA = make_identity_tensor((128, 8)), quiz10.COPY
    assert [m for m, _k in copyA.get_slice(33).partition_S(tile)] == [4, 5, 6, 7] == question("10.p14").answer
    assert [m for m, _k in local_partition(tile, Layout((32, 8)), 33)] == [1, 33, 65, 97]
    shape = local_partition(Layout((128, 8, 4)), Layout((32, 8)), 33)[0].shape
    assert (shape, question("10.p15").answer) == ((4, 1, 4), ((4, 1), 1, 1, 4))


def test_ldmatrix():
    for t in range(32):
        assert [LDMATRIX.val_layout_src(t, v) for v in range(8)] == list(range(8 * t, 8 * t + 8))
        got = [64 * matrix + 2 * t + i for matrix in range(4) for i in (0, 1)]
        assert [LDMATRIX.val_layout_dst(t, v) for v in range(8)] == got
    lane = quiz10.LANE
    assert question("10.p17").answer == divmod(LDMATRIX.val_layout_src(lane, 0) // 8, 8)
    assert question("10.p18").answer == LDMATRIX.val_layout_dst(lane, 0) % 64 // 8


def test_ldmatrix_serves_the_mma():
    mma = make_tiled_mma(AMPERE)
    load = make_tiled_copy_A(LDMATRIX, mma)
    for t in range(32):
        assert [load.layoutD_TV(t, v) for v in range(8)] == [mma.layoutA_TV(t, v) for v in range(8)]
    rows = {load.layoutD_TV(5, v) % 16 for v in range(8)}
    assert (load.layoutS_TV(5, 0) % 16, rows) == (5, {1, 9})
    with pytest.raises(LayoutError, match="needs 8 values of half_t a thread, and the tile"):
        make_tiled_copy_B(LDMATRIX, mma)
    roomy = make_tiled_copy_B(LDMATRIX, make_tiled_mma(AMPERE, (1, 1), (16, 16, 16)))
    assert roomy.tile_shape == (16, 16)


def test_quiz_holds():
    fma = make_tiled_mma("UniversalFMA<float>", (16, 16, 1))
    assert fma.get_slice(0).partition_B(Layout((64, 8)))[0].shape == (1, 4, 8)
    assert [P(slot) for slot in range(8, 12)] == [16, 17, 18, 19]
    assert [Q(slot) for slot in range(8, 12)] == [4, 5, 6, 7]
    assert quiz10.COPY.get_slice(0).partition_S(Layout((128, 16, 4)))[0].shape == ((4, 1), 1, 2, 4)


# ------------------------------------------------------------------------------------------------ exercises


def test_the_real_first_tries():
    with pytest.raises(LayoutError, match="its size is 32, its cosize 122"):
        permutations10.with_columns(Layout((2, 16), (1, 8)))
    warp = {m for lane in range(32) for m, _n in cells_of(permutations10.with_rows(128), lane)}
    assert sorted(warp) == [*range(16), *range(64, 80)]
    mma = make_tiled_mma("UniversalFMA<float>", N_MAJOR, (8, 8))
    assert cells_of(mma, 0)[:4] == [(0, 0), (2, 0), (4, 0), (6, 0)]
    assert [next(t for t in range(4) if (0, n) in cells_of(mma, t)) for n in range(4)] == [0, 1, 0, 1]
    assert [next(t for t in range(4) if (1, n) in cells_of(mma, t)) for n in range(4)] == [2, 3, 2, 3]


def test_the_colleague_s_test_passes_and_hides_the_mistake():
    def theirs(permutation, slots):
        return [right_inverse(permutation)(slot) for slot in slots]

    assert theirs(Layout((2, 2, 2), (1, 4, 2)), (0, 1, 2, 3)) == [0, 1, 4, 5]
    assert theirs(Layout(16), (0, 1, 8, 9)) == [0, 1, 8, 9]
    wrong = [theirs(*case) != [case[0](s) for s in case[1]] for case in functions10.permutations_and_slots()]
    assert wrong[:3] == [False, False, True]
    assert sum(wrong) > 20


def test_every_kind_of_tile_is_tried():
    cases = functions10.tiles_of_c()
    assert len(cases) == 200
    assert {
        name for name, known in functions10.ATOMS_9.items() for c, shape, *_rest in cases if known == (c, shape)
    } == set(functions10.ATOMS_9)
    assert any(atoms.stride != Layout(atoms.shape).stride for _c, _s, atoms, _p, _t in cases)
    assert any([p(i) for i in range(size(p))] != [right_inverse(p)(i) for i in range(size(p))] for *_r, p, _t in cases)


def test_exercises_stand_on_the_library():
    text = (ROOT / f"solutions/{NAME}.ipynb").read_text("utf-8")
    for letter, (data, values) in ch10.VECTORS.items():
        assert f"| {letter} | `{data}` | `({values[0]},{values[1]})` |" in text
    assert str(ch10.LANE_4) in text
    matrix, row, column = ch10.CELL_4
    assert f"row {row}, column {column} of matrix {matrix}" in text
    narrow = make_tiled_copy(copy_atom("UniversalCopy<uint64_t>", "float"), Layout((64, 4)), Layout((2, 2)))
    assert narrow.get_slice(0).partition_S(Layout((128, 8)))[0].shape == ((2, 2), 1, 1)  # "64 bits would do" in 10.3 f


def test_the_line_of_a_is_read_as_the_library_prints_it():
    """Digit by digit: lanes along k, atoms along N and M, the quadpair's second half; then the atom's values, and repeats."""
    tv = make_tiled_mma(VOLTA, N_MAJOR, (32, 32, 4)).layoutA_TV
    assert str(tv) == "((4,2,2,2),(4,(2,1))):((32,0,8,4),(1,(16,0)))"
    assert f"`{tv.shape[0]}:{tv.stride[0]}`".replace(" ", "") in PROSE["permute"]
    assert f"`{tv.shape[1]}:{tv.stride[1]}`".replace(" ", "") in PROSE["permute"]
    assert [divmod(tv(t, 0), 32)[::-1] for t in (1, 4, 8, 16)] == [(0, 1), (0, 0), (8, 0), (4, 0)]
    assert [tv(0, v) for v in (1, 4)] == [1, 16]


def test_a_permutation_counts_in_any_parentheses_and_the_identity_is_named():
    assert "yes" in reply(question("10.p8"), "(4,(4,2)):(1,(8,4))")
    for exercise, same in ((permutations10.COLUMNS, "(8,4):(1,8)"), (permutations10.WARP_ROWS, "(16,4,2):(1,16,64)")):
        assert "counts 0, 1, 2" in next(w.shows for w in exercise.wrong if w.answer == same)


def test_the_legend_of_ldmatrix_says_both():
    assert (
        "all that T13 addresses, and all that it holds"
        in draw_ldmatrix(copy_atom("SM75_U32x4_LDSM_N", "half_t"), thread=13).svg()
    )
