"""Tensors over their engine, predicates of ragged tiles, the five forms of gemm."""

# ruff: noqa: RUF001 (pictures use the sign ×)

import numpy as np
import pytest

from cutelearn import Layout, LayoutError, _, elem_less, make_identity_tensor, make_tensor, zipped_divide
from cutelearn.draw import draw_gemm, draw_gemm_forms, draw_predicate, draw_tensor
from cutelearn.draw.tensors import FORMS


def test_a_tensor_over_its_engine():
    t = make_tensor(np.arange(100, 140), Layout((4, 8), (8, 1)))
    scene = draw_tensor(t, pick=(2, 3))
    grid, engine = scene.panel("grid"), scene.panel("engine")
    assert all(c.lines == (str(t[int(c.row), int(c.col)]),) for c in grid.cells)
    assert [c.lines[0] for c in engine.cells] == [str(x) for x in range(100, 140)]
    assert engine.picked() == [(0, 19)]
    assert engine.at(0, 19).key == grid.at(2, 3).key == "row 2"
    assert [c.key for c in engine.cells][32:] == [None] * 8
    (arrow,) = scene.arrows
    assert (arrow.start.row, arrow.start.col, arrow.end.col) == (3, 3, 19)


def test_a_slice_starts_where_its_pointer_points():
    t = make_tensor(np.arange(24) * 1.5, Layout((4, 6), (6, 1)))[_, 3]
    engine = draw_tensor(t).panel("engine")
    assert [c.lines[0] for c in engine.cells if c.key] == ["4.5", "13.5", "22.5", "31.5"]
    pointer = next(label for label in engine.labels if label.words.startswith("ptr"))
    assert pointer.col == 3.5


def test_a_slice_in_its_tensor():
    """`keep` colours what the slice of the tensor holds, in grid and memory, and points to where that slice starts."""
    t = make_tensor(np.arange(100, 135), Layout((4, 8), (9, 1)))
    for coord in ((2, _), (_, 5), (_, _)):
        scene = draw_tensor(t, keep=coord)
        held = {str(x) for x in t[coord]}
        assert {c.lines[0] for c in scene.panel("grid").cells if c.key} == held
        assert {c.lines[0] for c in scene.panel("engine").cells if c.key} == held
        (pointer,) = (label for label in scene.panel("engine").labels if label.words.startswith("ptr"))
        assert pointer.col == t[coord].offset + 0.5
        assert scene.note == f"{t[coord].layout}, from {t[coord].offset}"


def test_the_pointer_is_there_on_every_line_of_the_engine():
    t = make_tensor(np.arange(100, 160), Layout((4, 12), (13, 1)))
    scene = draw_tensor(zipped_divide(t, (2, 4))[(_, _), (1, 2)])
    engine = scene.panel("engine")
    (pointer,) = (label for label in engine.labels if label.words == "▼")
    assert engine.at(int(pointer.row), int(pointer.col)).lines == ("134",)
    assert ("▼ ptr", "f") in scene.rows[-1][0].notes


def test_an_identity_tensor_shows_coordinates():
    scene = draw_tensor(make_identity_tensor((4, 6)))
    assert scene.panel("grid").at(3, 5).lines == ("(3,5)",)
    assert [p.name for p in scene.panels] == ["grid"]
    moved = draw_tensor(zipped_divide(make_identity_tensor((4, 6)), (2, 3))[(_, _), (1, 1)])
    assert moved.panel("grid").at(0, 0).lines == ("(2,3)",)


def test_cells_outside_of_the_memory_are_told():
    scene = draw_tensor(list(range(5)), Layout((2, 3)))
    assert scene.panel("grid").at(1, 2).lines == ("?",)
    assert "1 cells lie outside of the memory" in scene.note


def test_elements_of_any_kind():
    odd = [float("nan"), float("inf"), 1 / 3, 2.0, True, 1 + 2j, "word", None]
    cells = draw_tensor(odd, Layout(8)).panel("grid").cells
    assert [c.lines[0] for c in cells] == ["nan", "inf", "0.333333", "2", "1", "(1+2j)", "word", "None"]


def test_large_tensors_are_summaries():
    scene = draw_tensor(make_tensor(np.zeros(128 * 128, np.float32), (128, 128)))
    assert [p.name for p in scene.panels] == ["grid"]
    assert len(scene.panel("grid").cells) < 400


# ------------------------------------------------------------------------------------------------ predicates


@pytest.mark.parametrize(("shape", "tile"), [((41, 55), (4, 8)), ((9, 11), (4, 4)), ((8, 8), (4, 8))])
def test_predicates_are_those_of_the_identity_tensor(shape, tile):
    scene = draw_predicate(shape, tile)
    tiled = zipped_divide(make_identity_tensor(shape), tile)
    matrix = scene.panel("matrix")
    wanted = {}
    for k in range(len(tiled)):
        coord = tuple(tiled[k])
        wanted[coord] = elem_less(coord, shape)
    assert {(c.row, c.col): c.lines == ("1",) for c in matrix.cells} == wanted
    assert all(c.hatch == (c.lines == ("0",)) for c in matrix.cells)


def test_one_ragged_tile_large():
    scene = draw_predicate((41, 55), (4, 8), pick=(10, 6))
    assert scene.note == "11×7 tiles, 2255 cells in range, 209 out of range"
    assert [c.lines for c in scene.panel("tile").cells if c.lines[1] == "1"] == [
        (f"(40,{n})", "1") for n in range(48, 55)
    ]
    with pytest.raises(LayoutError, match="more than limit"):
        draw_predicate((500, 500), (8, 8))


# ------------------------------------------------------------------------------------------------ gemm


def test_the_form_is_read_off_the_ranks():
    shapes = [
        ((2,), (2,), (2,)),
        ((3,), (4,), (3, 4)),
        ((3, 2), (4, 2), (3, 4)),
        ((2, 3), (2, 4), (2, 3, 4)),
        ((2, 3, 5), (2, 4, 5), (2, 3, 4)),
    ]
    titles = [draw_gemm(*three).title for three in shapes]
    assert titles == [form for form, _law in FORMS.values()]
    last = draw_gemm(*shapes[-1], cell=(1, 2))
    assert last.panel("A").picked() == [(1, k) for k in range(5)]
    assert last.panel("B").picked() == [(k, 2) for k in range(5)]
    assert last.panel("C").depth == 1
    by_layout = draw_gemm(Layout((3, 2)), Layout((4, 2)), Layout((3, 4)))
    assert by_layout.title == "(M,K) × (N,K) → (M,N)"


def test_wrong_shapes_are_refused():
    with pytest.raises(LayoutError, match=r"C \(3,4\) wants A \(3,2\) and B \(4,2\), not \(3,2\) and \(5,2\)"):
        draw_gemm((3, 2), (5, 2), (3, 4))
    with pytest.raises(LayoutError, match="no form of gemm has ranks"):
        draw_gemm((3, 2), (5,), (3, 4))


def test_all_five():
    scene = draw_gemm_forms()
    assert [p.name for p in scene.panels if p.name.startswith("C")] == ["C", "C 2", "C 3", "C 4", "C 5"]
    assert all(form in scene.table() for form, _law in FORMS.values())
