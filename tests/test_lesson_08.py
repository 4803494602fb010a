"""Lesson 08: what its prose says, where no output shows it."""

import json
import re
from itertools import pairwise
from pathlib import Path

import pytest

from cutelearn import (
    Layout,
    LayoutError,
    LayoutRight,
    Step,
    X,
    _,
    coalescing,
    composition,
    local_partition,
    local_tile,
    make_identity_tensor,
    outer_partition,
    raked_product,
    right_inverse,
    size,
    tv_partition,
    zipped_divide,
)
from cutelearn.course.chapters import ch08, functions08, quiz08
from cutelearn.course.questions import question
from cutelearn.explore import ThreadPicker
from cutelearn.kernels.sgemm_1 import STAGE
from cutelearn.partition import dealt

ROOT = Path(__file__).resolve().parent.parent
CELLS = json.loads((ROOT / "notebooks/08-partition.ipynb").read_text("utf-8"))["cells"]
PROSE = {
    cell["id"].removeprefix("08-partition-"): " ".join("".join(cell["source"]).split())
    for cell in CELLS
    if cell["cell_type"] == "markdown"
}
OUTPUT = {
    cell["id"].removeprefix("08-partition-"): "".join("".join(o.get("text", "")) for o in cell["outputs"])
    for cell in CELLS
    if cell["cell_type"] == "code"
}
TILE = make_identity_tensor((128, 8))
TA, TC = Layout((32, 8)), Layout((16, 16))


def shapes_printed(cell) -> dict:
    """name -> the shape of the tensor that a line of the output shows: `tAgA: gmem_ptr[64b]+385 o (4,1,4):(...)`."""
    return dict(re.findall(r"^(\w+)(?: is|:) \S+ o (\S+?):\(", OUTPUT[cell], flags=re.M))


def test_every_shape_is_asked_before_it_is_shown_and_shown_as_asked():
    shown = shapes_printed("local-tile-code") | shapes_printed("local-partition-code") | shapes_printed("compute-code")
    asked = {"gA": 5, "gB": 6, "gC": 7, "tAgA": 8, "tAsA": 9, "tBgB": 10, "tCsA": 11, "tCsB": 12, "tCgC": 13}
    for name, number in asked.items():
        assert shown[name] == str(question(f"08.p{number}").answer).replace(" ", ""), name
    assert shown["tBsB"] == shown["tAsA"]
    text = "".join("".join(cell["source"]) + "\n" for cell in CELLS if cell["cell_type"] == "code")
    for name, number in asked.items():
        assert re.search(rf'^predict\("08.p{number}", ...\)  # {name}\b', text, flags=re.M)


def test_the_kernel_of_the_lesson_is_the_library_s():
    tiling = STAGE.tiling
    assert (tiling.cta, tiling.copy, tiling.math) == (quiz08.TILER, TA.shape, TC.shape)


def test_divide_then_slice():
    A = Layout((8, 24))
    assert str(zipped_divide(A, (4, 8))) == "((4,8),(2,3)):((1,8),(4,64))"
    for thread in range(32):  # the two lines of C++ against the two slices, for every block and thread
        part, start = outer_partition(A, (4, 8), thread)
        wanted = [4 * bx + thread % 4 + 8 * (8 * by + thread // 4) for by in range(3) for bx in range(2)]
        assert [start + part(i) for i in range(6)] == wanted
    assert outer_partition(A, (4, 8), 9) == outer_partition(A, (4, 8), (1, 2))


def test_all_threads_share_one_layout():
    tv = quiz08.TV
    for data in (Layout((4, 8), (8, 1)), Layout((4, 8), (9, 1)), Layout((4, 8))):
        assert len({str(tv_partition(data, tv, t)[0]) for t in range(8)}) == 1
        cells = [tv(3, v) for v in range(4)]
        addresses = [composition(data, tv)(3, v) for v in range(4)]
        assert (addresses == cells) == (data == Layout((4, 8)))
    assert "9, 13, 25, 29" in PROSE["local-tile"]
    assert len({str(local_partition(Layout((128, 8)), TA, t)[0]) for t in range(256)}) == 1


def test_dealt_and_in_blocks():
    """The two pictures are the maps of local_partition and of a TiledCopy, as sgemm_1 and sgemm_2 have them."""
    source = "".join(next("".join(c["source"]) for c in CELLS if c["id"].endswith("-local-partition-code")))
    written = re.findall(r"Layout\(\(\(4, 2\), 4\), (\(\(\d+, \d+\), \d+\))\)", source)
    raked, blocked = (Layout(((4, 2), 4), eval(stride)) for stride in written)
    assert dealt((16, 2), Layout((4, 2))) == Layout(((4, 2), (4, 1)), ((1, 16), (4, 0)))
    assert [raked(i) for i in range(32)] == dealt((16, 2), Layout((4, 2))).offsets().tolist()
    made = composition(right_inverse(raked_product(Layout((4, 2)), Layout((4, 1)))), Layout((8, 4)))
    assert [made(i) for i in range(32)] == [blocked(i) for i in range(32)]
    assert list(local_partition(TILE, TA, 33)) == [(1, 1), (33, 1), (65, 1), (97, 1)]


def test_no_thread_layout_deals_blocks():
    """local_partition goes by the extents of the threads alone: the cells of a thread are a whole grid apart."""
    for grid in ((4, 2), (2, 4), (8, 1), (1, 2), (16, 2)):
        for threads in (Layout(grid), Layout(grid, LayoutRight)):
            rows = sorted({m for m, _k in local_partition(make_identity_tensor((16, 4)), threads, 0)})
            assert {b - a for a, b in pairwise(rows)} <= {grid[0]}


def test_who_shares():
    parts = {t: tuple(local_partition(TILE, TC, t, Step(1, X))) for t in range(256)}
    assert [t for t in parts if parts[t] == parts[5]] == list(range(5, 256, 16))  # question 2 of the quiz
    assert len(set(parts.values())) == 16
    assert "8 of 1024" in OUTPUT["mistakes-code"]
    assert {len({m for m, _k in part}) for part in parts.values()} == {8}
    small = {t: tuple(local_partition(make_identity_tensor((16, 4)), Layout((4, 8)), t, Step(1, X))) for t in range(32)}
    assert [t for t in small if small[t] == small[13]] == list(range(1, 32, 4))  # the eight of `×8`, of which is 13


def test_from_the_thread_to_the_address():
    mA, block = Layout((256, 32)), (1, 0, _)
    g, start = local_tile(mA, (128, 128, 8), block, Step(1, X, 1))
    part, more = local_partition(g, TA, 70)
    assert start + more + part(3, 0, 2) == 4838 == mA(230, 18)
    part, more = local_partition(Layout((128, 8)), TA, 70)
    assert more + part(3, 0) == 358 == Layout((128, 8))(102, 2)
    assert question("08.p14").answer == (230, 18)
    assert question("08.p15").answer == [4838, 358]


def test_sectors():
    row_major = Layout((256, 32), (32, 1))
    g, start = local_tile(row_major, (128, 8), (1, _))
    warp = [start + local_partition(g, TA, t)[1] for t in range(32)]
    assert coalescing(warp, "float").sectors == question("08.p16").answer
    assert (coalescing(warp, "float").asked, coalescing(warp, "float").moved) == (128, 1024)


def test_quiz_holds():
    assert local_partition(Layout((128, 16)), TC, 0)[0].shape == (8, 1)
    tile, start = local_tile(Layout((512, 512)), (128, 128, 8), (2, 1, _), Step(1, 1, X))
    assert (tile.shape, start) == ((128, 128), 256 + 128 * 512)


def test_the_picker_does_what_is_folded_under_it():
    first = ThreadPicker("(16,4):(1,16)", "(8,4):(1,8)", thread=13)
    other = ThreadPicker("(16,4):(4,1)", "(8,4):(1,8)", thread=13)
    assert first.still().panel("grid").picked() == other.still().panel("grid").picked()
    assert "(2,1):(8,0)" in first.shown.facts
    assert "(2,1):(32,0)" in other.shown.facts
    shared = ThreadPicker("(16,4):(1,16)", "(4,8):(1,4)", step="Step<1,X>", thread=13).still().panel("grid")
    assert {c.lines[1].partition("×")[2] for c in shared.cells} == {"8"}  # noqa: RUF001 (pictures use the sign ×)
    assert ThreadPicker("(16,4):(1,16)", "(8,4):(4,1)", thread=13).still().panel("grid").picked()[0] == (3, 1)
    kind = next(f for f in ThreadPicker.fields if f.name == "kind").options[1]
    assert f"*{kind}*" in PROSE["picker"]
    shown = ThreadPicker("(4,8):(8,1)", "((2,4),(2,2)):((8,1),(4,16))", kind=kind, thread=3)
    assert "offset 10" in shown.shown.facts
    with pytest.raises(LayoutError, match="no whole number of grids"):
        dealt((16, 4), Layout((8, 3)))


def test_the_colleague_is_right_on_the_diagonal_alone():
    mB = Layout((256, 64))
    for block in ((0, 0), (0, 1), (1, 0), (1, 1)):
        for t in range(256):
            arguments = (mB, (128, 128, 8), block, TC, t)
            theirs = functions08.part_of_b(*arguments, Step(1, X, 1), Step(1, X))
            right = theirs == functions08.part_of_b(*arguments)
            assert right == (block[0] == block[1] and t % 16 == t // 16)


def test_exercises_stand_on_the_library():
    text = (ROOT / "solutions/08-partition.ipynb").read_text("utf-8")
    for line in ch08.picture(ch08.PICTURED, 4, 8).split("\n"):
        assert line in text
    for data, threads in ch08.READS.values():
        assert f"| `{data}` | `{threads}` |" in text
    assert all(f"({m},{k})" in text for _threads, _step, (m, k) in ch08.HELD.values())
    assert size(ch08.PICTURED) == 32
