"""Lesson 09: what its prose says, where no output shows it."""

import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from cutelearn import Layout, LayoutError, LayoutRight, atom, coalesce, composition, decode, find_atoms, size
from cutelearn.atoms.table import atom_families
from cutelearn.course.chapters import ch09, functions09, quiz09
from cutelearn.course.questions import question, reply
from cutelearn.draw import draw_pipeline
from cutelearn.explore import AtomViewer
from cutelearn.kernels.mma_probe import differing, predicted, recorded

ROOT = Path(__file__).resolve().parent.parent
NAME = "09-tv-layouts-and-mma-atoms"
CELLS = json.loads((ROOT / f"notebooks/{NAME}.ipynb").read_text("utf-8"))["cells"]
PROSE = {
    cell["id"].removeprefix(f"{NAME}-"): "".join(cell["source"]) for cell in CELLS if cell["cell_type"] == "markdown"
}
OUTPUT = {
    cell["id"].removeprefix(f"{NAME}-"): "".join("".join(o.get("text", "")) for o in cell["outputs"])
    for cell in CELLS
    if cell["cell_type"] == "code"
}
F64 = atom("SM80_8x8x4_F64F64F64F64_TN")
VOLTA = atom("SM70_8x8x4_F32F16F16F32_NT")
TURNED = Layout(((4, 8), 2), ((2, 8), 1))


def cell(layout, rows, thread, value=0):
    number = layout(thread, value)
    return number % rows, number // rows


def test_the_four_steps():
    """A, as the text goes through it; B and C as they are asked."""
    at = Layout((8, 4))
    assert (at(0, 1), at(1, 0)) == (8, 1)
    assert F64.a_layout == Layout(((4, 8), 1), ((8, 1), 0)) == F64.b_layout
    assert [F64.a_layout(t, 0) for t in range(6)] == [0, 8, 16, 24, 1, 9]
    assert question("09.p1").answer == F64.b_layout
    assert question("09.p2").answer == F64.c_layout


def test_the_line_of_ptx_is_the_instruction():
    from cutelearn.kernels.mma_issue import instruction

    assert instruction(F64).ptx in PROSE["need"]
    assert instruction(F64).counts == (1, 1, 2)
    assert instruction(VOLTA).ptx in PROSE["names"]
    assert instruction(VOLTA).counts == (2, 2, 8)  # uint32_t[2] and float[8]


def test_the_mistake():
    assert [F64.c_layout(5, v) for v in (0, 1)] == [17, 25]
    assert question("09.p5").answer == ((1, 2), (1, 3))
    assert cell(F64.a_layout, 8, 5) == (1, 1)
    a = np.zeros((32, 1))
    a[5] = 1
    d = F64.execute(a, np.ones((32, 1)), np.zeros((32, 2)))
    assert question("09.p6").answer == [4, 5, 6, 7] == [t for t in range(32) if d[t].any()]
    assert [t for t in range(32) if any(cell(TURNED, 8, t, v)[0] == 1 for v in (0, 1))] == list(range(0, 32, 4))
    # it is the transpose, so that a symmetric result does not notice
    assert all(cell(TURNED, 8, t, v) == cell(F64.c_layout, 8, t, v)[::-1] for t in range(32) for v in (0, 1))


def test_the_hardware_says_so():
    record = recorded("NVIDIA H200")
    assert len(record.found) == 5
    lines = [line for line in OUTPUT["probe-code"].split("\n") if " agree; random D as executed: True" in line]
    assert len(lines) == 5
    assert all(re.search(r": (\d+) of \1 agree", line) for line in lines)
    assert "with C turned round: 0 of 32 agree" in OUTPUT["probe-code"]
    assert differing(record.found[F64.name].met, predicted(replace(F64, c_layout=TURNED))) == [
        (t, 0) for t in range(32)
    ]


def test_a_probe_does_not_see_what_a_row_is_called():
    """Rows renamed in A and in C alike: the same table."""
    renamed = Layout((2, 4), (4, 1))  # row r is called renamed(r)
    a, c = (composition(Layout(((2, 4), n), ((4, 1), 8)), x) for n, x in ((4, F64.a_layout), (8, F64.c_layout)))
    assert [cell(a, 8, 4 * r)[0] for r in range(8)] == [renamed(r) for r in range(8)]
    assert predicted(replace(F64, a_layout=a, c_layout=c)) == predicted(F64)
    assert predicted(replace(F64, a_layout=a)) != predicted(F64)


def test_addresses():
    assert question("09.p7").answer == 23 == composition(Layout((8, 4), LayoutRight), F64.a_layout)(23, 0)
    same = [d for d in ((4, 1), (6, 1), (1, 8)) if composition(Layout((8, 4), d), F64.a_layout)(23, 0) == 29]
    assert same == [(1, 8)]


def test_names():
    assert question("09.p8").answer == size(VOLTA.c_layout, 1)
    assert question("09.p9").answer == VOLTA.thr_id(5) == 17
    kinds = {a.num_threads for a in find_atoms()} | {atom("UniversalFMA<float>").num_threads}
    assert kinds == {1, 8, 32, 128}
    assert decode("SM70_8x8x4_F32F16F16F32_NT").majors == ("MN", "MN")
    with pytest.raises(LayoutError, match="write SM90_64x128x16_F16F16F16_SS<K,K>"):
        atom("SM90_64x128x16_F16F16F16F16_TN")


def test_volta():
    assert Layout((4, 2), (1, 16)) == VOLTA.thr_id
    assert ch09.picture(VOLTA.c_layout, 8, 8).replace("  ", " ") in PROSE["volta"]
    assert (question("09.p10").answer, question("09.p11").answer) == (VOLTA.c_layout[0], VOLTA.c_layout[1])
    four = [atom(f"SM70_8x8x4_F32F16F16F32_{x}") for x in ("TN", "NT", "NN", "TT")]
    assert len({str(a.c_layout) for a in four}) == 1
    later = [a for a in find_atoms(gmma=False) if a.arch not in ("SM61", "SM70")]
    assert {a.majors for a in later} == {("K", "K")}


def test_hopper():
    wide = atom("SM90_64x128x16_F16F16F16_SS").c_layout
    assert question("09.p12").answer == wide
    assert question("09.p13").answer == 32
    eight = {a.shape_mnk[1] for a in find_atoms("SM90", (64, None, 32), "int8_t")}
    assert set(range(8, 257, 8)) > eight
    # a core matrix is dealt like C of the doubles
    core = {(t, v): cell(wide, 64, t, v) for t in range(32) for v in (0, 1)}
    assert core == {(t, v): cell(F64.c_layout, 8, t, v) for t in range(32) for v in (0, 1)}
    assert atom("SM90_64x8x16_F16F16F16_RS").a_layout == atom("SM90_64x16x16_F16F16F16_SS").c_layout


def test_the_table_has_three_maps_since_turing():
    later = [f.c_layout for f in atom_families() if not f.example.startswith(("SM61", "SM70"))]
    assert set(later) == {
        "((4,8),2):((16,1),8)",
        "((4,8),(2,2)):((32,1),(16,8))",
        "((4,8,4),(2,2,N/8)):((128,1,16),(64,8,512))",
    }
    assert all(f.example in OUTPUT["table"] for f in atom_families())
    warps = [a for a in find_atoms(gmma=False) if a.num_threads == 32]
    assert 2 * sum(a.c_layout == ch09.M16N8 for a in warps) > len(warps)  # exercise 3: most of a warp's


def test_the_viewer_does_what_is_folded_under_it():
    first = AtomViewer("SM80_16x8x16_F32F16F16F32_TN", lane=5).still()
    assert first.panel("C").picked() == [(1, 2), (1, 3), (9, 2), (9, 3)]
    assert first.panel("C").at(9, 3).lines == ("T5", "V3")
    tf32 = AtomViewer("SM80_16x8x8_F32TF32TF32F32_TN", lane=5).still()
    assert tf32.panel("C").picked() == first.panel("C").picked()
    assert (len(tf32.panel("A").picked()), len(first.panel("A").picked())) == (4, 8)
    volta = AtomViewer("SM70_8x8x4_F32F16F16F32_NT", lane=5).still()
    assert {volta.panel("C").at(*x).lines[0] for x in volta.panel("C").picked()} == {"T17"}
    hopper = AtomViewer("SM90_64x16x16_F16F16F16_SS<K,K>").still()
    assert "every thread sees it" in hopper.svg()


def test_quiz_holds():
    c = ch09.M16N8
    assert cell(c, 16, 6, 2) == (9, 4)
    assert cell(c, 16, 6, 1) == (1, 5)
    assert divmod(c(6, 2), 16)[::-1] == (9, 4)
    bad = Layout(((4, 8), 2), ((16, 1), 16))
    assert bad(0, 1) == bad(1, 0) == 16
    assert 8 not in bad.offsets()


def test_exercises_stand_on_the_library():
    text = "".join(
        "".join(c["source"]) + "\n" for c in json.loads((ROOT / f"solutions/{NAME}.ipynb").read_text("utf-8"))["cells"]
    )
    assert all(f"| {k} | `{name}` |" in text for k, name in ch09.ASKED.items())
    assert all(f"`{tv}`" in text and f"({i},{j})" in text for tv, _rows, (i, j), _id in ch09.SOUGHT.values())
    assert ch09.picture(ch09.M16N8, 16, 8) in text
    assert all(f"`{tv}`" in text for tv, _rows, _columns in ch09.ROWS_OF.values())
    # a symmetric result on a square tile hides the colleague's mistake
    for t in range(32):
        theirs = functions09._cells(F64.c_layout, 8, 8, t, lambda x, M, N: (x // N, x % N))
        assert theirs == [(n, m) for m, n in functions09._cells(F64.c_layout, 8, 8, t)]
    # the learner's question, as it was asked
    tf32 = atom("SM80_16x8x8_F32TF32TF32F32_TN").a_layout
    assert [tf32(0, v) for v in range(4)] == [0, 8, 64, 72]
    rows = Layout((16, 8), LayoutRight)
    assert [divmod(x, 8) for x in (0, 8, 64, 72)] == [(0, 0), (1, 0), (8, 0), (9, 0)]
    assert [cell(tf32, 16, 0, v) for v in range(4)] == [(0, 0), (8, 0), (0, 4), (8, 4)]
    assert [rows(*cell(tf32, 16, 0, v)) for v in range(4)] == [0, 64, 4, 68]


def test_the_table_of_an_atom_gives_its_layout_back():
    """09.7's closing remark: joined by mode, the bits are the short form."""
    for name in functions09.ATOMS[:2]:
        a = atom(name)
        found = functions09.tv_of(functions09.table_of(a.c_layout, *a.shape_mnk[:2]))
        assert coalesce(found, (1, 1)) == coalesce(a.c_layout, (1, 1))


def test_how_a_deal_lies_in_memory():
    row, column = Layout((16, 8), LayoutRight), Layout((16, 8))
    own = Layout(((2, 16), 4), ((64, 1), 16))
    assert (ch09.side_by_side(own, row), ch09.side_by_side(own, column)) == (4, 1)
    assert ch09.side_by_side(ch09.M16N8, row) == 2
    assert quiz09.SIZES.answer == 32


def test_other_right_forms_are_right_and_a_missing_mode_is_named():
    """The same cells in a list, threads in any order, a mode in other parentheses."""
    for number, answer in (
        ("09.p5", [(1, 2), (1, 3)]),
        ("09.p6", (7, 6, 5, 4)),
        ("09.p10", "((2,2),2):((1,16),4)"),
        ("09.p11", "(2,(2,2)):(8,(2,32))"),
    ):
        assert "yes" in reply(question(number), answer), number
    for number, answer, said in (
        ("09.p1", "(4,8):(8,1)", "second mode"),
        ("09.p2", "(4,8,2):(16,1,8)", "Two modes"),
        ("09.p12", "(4,8,4,2,2,16):(128,1,16,64,8,512)", "Two modes"),
    ):
        assert said in reply(question(number), answer), number


def test_no_example_beside_a_question_is_its_answer():
    asked = "".join(next(c for c in CELLS if c["id"].endswith("-predict1"))["source"])
    assert str(F64.b_layout) not in asked


def test_there_is_one_c_for_each_size_from_turing_to_hopper():
    newer = [a for a in find_atoms() if a.name.startswith(("SM75", "SM80", "SM89", "SM90"))]
    sizes = {(m, n if m < 64 else "N") for m, n, _k in (a.shape_mnk for a in newer)}
    assert sizes == {(8, 8), (16, 8), (64, "N")}
    assert {str(a.c_layout) for a in newer if a.shape_mnk[0] == 16} == {str(ch09.M16N8)}
    assert {str(a.c_layout) for a in newer if a.shape_mnk[0] == 8} == {str(F64.c_layout)}
    assert {a.majors for a in newer if a.num_threads == 32} == {("K", "K")}  # TN alone


def test_the_pipeline_names_the_sides_of_a():
    assert "n →" not in draw_pipeline(F64.a_layout, Layout((8, 4)), thread=23, names=("m", "k")).svg()
