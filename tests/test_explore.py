"""Explorers without a browser: what they show for what is entered, and that the widgets are wired to it."""

# ruff: noqa: RUF001 (pictures use the sign ×)
import re
import subprocess
import sys
import time
import xml.etree.ElementTree as ET
from pathlib import Path

import nbformat
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import layouts

import cutelearn.explore
from cutelearn import ComposedLayout, Layout, LayoutError, Swizzle, X, atom, composition, cosize, local_partition, size
from cutelearn.course.build import canonical
from cutelearn.draw.tilings import PRODUCTS
from cutelearn.explore import (
    AtomViewer,
    BankBench,
    CompositionBench,
    DivideBench,
    Explorer,
    LayoutBench,
    Odometer,
    ProductBench,
    ThreadPicker,
    TiledMMABench,
    TimelineBench,
)
from cutelearn.explore.fields import MOST, ChoiceField, SliderField, TextField
from cutelearn.explore.thread_picker import DEALT, TV, dealt
from cutelearn.partition import Step

GALLERY = Path(__file__).parent / "gallery.ipynb"
EVERY = (
    LayoutBench, Odometer, CompositionBench, DivideBench, ProductBench, ThreadPicker, AtomViewer, TiledMMABench,
    BankBench, TimelineBench,
)  # fmt: skip
every = pytest.mark.parametrize("kind", EVERY, ids=lambda kind: kind.__name__)


def names(kind, of=object):
    return [f.name for f in kind.fields if isinstance(f, of)]


def in_use(explorer, of):
    return [f.name for f in explorer.fields if isinstance(f, of) and f.when(explorer.shown.entries)]


# ------------------------------------------------------------------------------------------------ each of them


def test_these_are_all():
    made = {getattr(cutelearn.explore, name) for name in cutelearn.explore.__all__}
    assert {kind for kind in made if isinstance(kind, type) and issubclass(kind, Explorer)} == {*EVERY, Explorer}


@every
def test_still_picture_and_table(kind):
    explorer = kind()
    still = explorer.still()
    assert ET.fromstring(still.svg()).tag.endswith("svg")
    assert explorer.shown.svg == still.svg()
    assert explorer.shown.table == still.table() != ""
    assert explorer.shown.message == ""
    assert explorer.shown.facts


@every
def test_repr_is_short_and_says_the_texts(kind):
    explorer = kind()
    texts = [explorer.shown.entries[name] for name in in_use(explorer, TextField)]
    assert repr(explorer) == f"{kind.__name__}({', '.join(t for t in texts if t)})"
    assert len(repr(explorer)) < 80


@every
def test_every_input_is_a_parameter_and_is_described(kind):
    entries = kind().shown.entries
    assert set(entries) == set(names(kind))
    assert repr(kind(**entries)) == repr(kind())
    for name in names(kind):
        assert re.search(rf"\b{name}\b", kind.__doc__), f"the docstring of {kind.__name__} says nothing of {name}"


@every
def test_the_first_slider_moves_the_picture(kind):
    explorer = kind()
    name = in_use(explorer, SliderField)[0]
    seen = set()
    for k in range(min(explorer.shown.tops[name] + 1, 5)):
        shown = explorer.change(name, k)
        assert shown.entries[name] == k
        seen.add(shown.svg)
    assert len(seen) > 1


@every
def test_a_bad_entry_has_its_sentence_and_the_last_picture_stays(kind):
    explorer = kind()
    first = explorer.shown
    for name in in_use(explorer, TextField):
        last = explorer.shown
        bad = explorer.change(name, ")(")
        assert bad.messages.keys() == {name}
        assert bad.scene is last.scene
        assert bad.entries[name] == ")("
        assert re.search(r"cannot read|there is no", bad.message)
        good = explorer.change(name, first.entries[name])
        assert good.message == ""
        assert good.svg == first.svg


@every
def test_two_bad_entries_have_a_sentence_each(kind):
    explorer = kind()
    texts = in_use(explorer, TextField)
    for name in texts:
        explorer.change(name, "?")
    assert list(explorer.shown.messages) == texts


@every
def test_every_choice_can_be_made(kind):
    for f in kind.fields:
        if isinstance(f, ChoiceField):
            explorer = kind()
            for option in f.options:
                shown = explorer.change(f.name, option)
                assert shown.entries[f.name] == option
                assert not shown.message or f.name in shown.messages


@every
def test_what_code_may_get_wrong(kind):
    explorer = kind()
    with pytest.raises(LayoutError, match=f"{kind.__name__} has no input 'colour'; it has {names(kind)[0]}"):
        explorer.change("colour", "red")
    for text in names(kind, TextField)[:1]:
        with pytest.raises(LayoutError, match=f"^{text}: "):
            kind(**{text: ")("})
    for f in kind.fields:
        if isinstance(f, ChoiceField):
            with pytest.raises(LayoutError, match=f"{f.name}='nothing': write one of '{re.escape(f.options[0])}'"):
                kind(**{f.name: "nothing"})
        if isinstance(f, SliderField):
            for wrong in (-1, 1.5, True, "1"):
                with pytest.raises(LayoutError, match=f"{f.name}={re.escape(repr(wrong))}: write an integer"):
                    kind(**{f.name: wrong})


# ------------------------------------------------------------------------------------------------ what they say


def test_a_caret_points_at_the_fault():
    message = LayoutBench().change("layout", "(4,8):(8;1)").message
    assert message.split("\n") == [
        "cannot read this layout: ',' or ')' expected, found ';'",
        "  (4,8):(8;1)",
        "          ^",
    ]


def test_the_layout_bench_takes_print_cpp_swizzles_and_objects():
    for layout in ("(4,8):(8,1)", "Layout<Shape<_4,_8>,\n  Stride<_8,_1>>", Layout((4, 8), (8, 1))):
        assert LayoutBench(layout).still().title == "(4,8):(8,1)"
    assert LayoutBench("Sw<2,0,3> o 0 o (8,4):(4,1)").still().panel("grid").at(2, 0).lines == ("9",)
    message = LayoutBench().change("layout", "Sw<3,3,3>").message
    assert message.startswith("Sw<3,3,3> alone has no cells: write it over a layout")
    assert LayoutBench("(4,8):(1@0,1@1)").shown.facts == "size 32 · gives coordinates"


def test_the_layout_bench_shows_a_slice():
    shown = LayoutBench("(4,8):(8,1)", slice="(2,_)").shown
    assert shown.scene.note == "(8):(1), offset 16"
    assert "keeps no mode: write _" in LayoutBench().change("slice", "(2,3)").message


@given(layouts())
def test_the_slider_walks_over_all_cells_of_a_layout(layout):
    bench = LayoutBench(layout)
    assert bench.shown.tops == {"cell": size(layout) - 1}
    assert f"size {size(layout)} ·" in bench.shown.facts
    last = bench.change("cell", size(layout) - 1)
    assert len(last.scene.panel("grid").picked()) == 1


def test_the_layout_bench_says_what_the_layout_coalesces_to():
    assert LayoutBench("((2,2),(2,4)):((1,4),(2,8))").shown.facts.endswith("coalesce(A) = (2,2,2,4):(1,4,2,8)")
    assert LayoutBench("(4,8):(1,4)").shown.facts.endswith("coalesce(A) = 32:1")


def test_a_slider_comes_back_into_its_range():
    bench = LayoutBench("(4,8):(8,1)", cell=31)
    shown = bench.change("layout", "(2,3):(3,1)")
    assert (shown.entries["cell"], shown.tops["cell"]) == (5, 5)
    assert bench.change("cell", 99).messages == {"cell": "cell = 99 is out of range: it goes from 0 to 5"}
    with pytest.raises(LayoutError, match="cell = 99 is out of range: it goes from 0 to 3"):
        LayoutBench("4:1", cell=99)


def test_the_odometer_takes_a_shape_or_a_layout():
    assert Odometer("(3,(2,3))", index=17).shown.facts == "18 coordinates · 3 digits · 17 is (2,(1,2))"
    assert Odometer((3, (2, 3))).shown.tops == {"index": 17}
    counting = Odometer(Layout((2, 3), (3, 1)), index=5).still().panel("counting")
    assert counting.at(5, 2).lines == ("5",)


def test_the_composition_bench_refuses_a_carry_and_can_show_what_cute_says():
    bench = CompositionBench("(6,2):(1,10)", "(3,4):(2,3)", check="CuTe's (check=False)", i=5)
    assert bench.shown.facts.startswith("R = (3,(2,2)):(2,(3,10))")
    assert bench.shown.facts.endswith("wrong at 2 of 12 indices")
    assert "11 ≠ 7" in bench.shown.table
    refused = bench.change("check", "right, or refused")
    assert refused.message.startswith("not a layout: the modes of B carry. B(2,1) = 7 = 4 + 3 crosses mode 0")
    assert refused.messages.keys() == {"check"}
    assert refused.svg == bench.change("i", 3).svg  # the sentence stays under what was chosen
    assert bench.shown.messages.keys() == {"check"}


def test_the_composition_bench_says_which_kind_of_b_was_meant():
    by_mode = CompositionBench("(8,8):(8,1)", "(2,4)").shown
    walk = CompositionBench("(8,8):(8,1)", "(2,4):(1,2)").shown
    assert by_mode.facts == "R = (2,4):(8,1) · B goes mode by mode"
    assert walk.facts == "R = (2,4):(8,16) · B is one walk through the 1-D coordinates of A"


@given(layouts(), layouts(most=3, size=32), st.data())
def test_the_composition_bench_walks_as_composition_does(a, b, data):
    try:
        r = composition(a, b)
        bench = CompositionBench(a, b)
    except LayoutError:
        with pytest.raises(LayoutError):
            CompositionBench(a, b)
        return
    i = data.draw(st.integers(0, size(r) - 1))
    shown = bench.change("i", i)
    address = shown.scene.panel("address")
    assert address.at(*address.picked()[0]).lines == (str(r(i)),)


def test_the_divide_bench_counts_tiles_and_phantoms():
    assert DivideBench("(8,12):(12,1)", "(4,4)").shown.facts == "by mode · 6 tiles of 16 cells"
    assert DivideBench("(9,12):(12,1)", "(4,4)").shown.facts == "by mode · 9 tiles of 16 cells · 36 phantom cells"
    assert DivideBench("24:1", "4:2").shown.facts == "one 1-D walk · 6 tiles of 4 cells"
    shown = DivideBench("(8,12):(12,1)", "(4,4)", tile=5, form="flat").shown
    assert len(shown.scene.panel("A").picked()) == len(shown.scene.panel("divided").picked()) == 16
    assert "Too many modes in tiler" in DivideBench("24:1", "4").change("tiler", "(4,4)").message
    refused = DivideBench("(8,12):(12,1)", "(4,4)").change("tiler", "12:1").message
    assert "in mode 0 of (8,12):(12,1)" in refused  # A itself, not the coordinates that are drawn
    assert DivideBench("(8,12):(1,8)", "12:1").shown.facts == "one 1-D walk · 8 tiles of 12 cells"


@pytest.mark.parametrize("form", PRODUCTS)
def test_the_product_bench_picks_one_copy(form):
    """In the grid and in memory: the copy whose number in B's order is asked for, at its start in A*."""
    a, b = Layout((2, 2), (4, 1)), Layout((4, 2), (2, 1))
    bench = ProductBench(a, b, form=form)
    assert bench.shown.tops == {"copy": 7}
    for k, start in enumerate([0, 8, 16, 24, 2, 10, 18, 26]):
        scene = bench.change("copy", k).scene
        for panel in ("grid", "memory"):
            cells = [scene.panel(panel).at(*spot).lines for spot in scene.panel(panel).picked()]
            assert sorted(int(line) for (line,) in cells) == [start + d for d in (0, 1, 4, 5)]


def test_the_product_bench_says_when_copies_overlap():
    assert ProductBench("(2,2):(4,1)", "6:1").shown.facts == "6 copies of 4 cells · cosize 24"
    assert ProductBench("3:5", "2:1").shown.facts == "2 copies of 3 cells · cosize 12"
    by_mode = ProductBench("(2,5):(5,1)", "(3,4)", form="zipped").shown.facts
    assert by_mode == "12 copies of 10 cells · cosize 27 · only 27 places: copies overlap"
    assert "Too many modes in tiler" in ProductBench("24:1", "4").change("b", "(4,4)").message


@given(layouts(kinds=("compact",), most=2, size=32), st.sampled_from([None, Step(1, X), Step(X, 1)]), st.data())
@settings(max_examples=60)
def test_threads_hold_what_local_partition_gives_them(threads, step, data):
    """dealt() is a map (thread, value) -> cell; local_partition is asked thread by thread."""
    grid = (
        [size(threads, i) for i in range(2)] if isinstance(threads.shape, tuple) and len(threads.shape) == 2 else None
    )
    if grid is None:
        step, grid = None, [size(threads), 1]
    grid = [n for n, s in zip(grid, step or (1, 1), strict=True) if isinstance(s, int)] + [1]
    shape = tuple(n * data.draw(st.integers(1, 3)) for n in grid[:2])
    tv = dealt(shape, threads, step)
    for t in range(size(threads)):
        part, start = local_partition(Layout(shape), threads, t, step)
        assert [tv(t, v) for v in range(size(tv, 1))] == [start + int(o) for o in part.offsets()]


def test_the_thread_picker_shows_tile_and_memory():
    shown = ThreadPicker("(8,4):(4,1)", "(4,2):(1,4)", thread=5).shown
    assert shown.facts == "T5 holds 4 cells: (2,2):(16,2), offset 5"
    assert shown.scene.panel("grid").picked() == [(1, 1), (1, 3), (5, 1), (5, 3)]
    assert [c.col for c in shown.scene.panel("memory").cells if c.picked] == [5, 7, 21, 23]
    assert shown.scene.panel("grid").at(5, 3).lines == ("T5", "V3")
    assert not shown.scene.arrows


def test_the_thread_picker_projects_and_takes_thread_value_layouts():
    shared = ThreadPicker("(16,8):(1,16)", "(4,2):(1,4)", step="Step<1,X>", thread=6).shown
    assert shared.scene.panel("grid").at(2, 0).lines == ("T6", "V0×2")
    assert shared.scene.panel("grid").at(3, 0).lines == ("T3", "V0×2")
    picker = ThreadPicker("(4,8):(8,1)", "((2,4),(2,2)):((8,1),(4,16))", kind=TV, thread=3)
    assert picker.shown.facts == "T3 holds 4 cells: ((2,2)):((1,4)), offset 10"
    assert "step" not in in_use(picker, ChoiceField)
    all_hold = ThreadPicker("(4,2):(1,4)", "(4,8):(0,1)", kind=TV, thread=2).still().panel("grid")
    assert all_hold.at(3, 1).lines == ("all", "V7")
    assert len(all_hold.picked()) == 8
    assert "only 8 elements" in picker.change("tile", "(4,2):(1,4)").message
    assert "rank 1: a thread-value layout has two modes" in picker.change("threads", "8:1").message
    assert "no whole number of grids of (8,4) threads" in ThreadPicker().change("tile", "(10,8):(1,10)").message
    large = ThreadPicker("(128,8):(1,128)", "(32,8):(1,32)", thread=33).shown
    assert large.scene.panel("tile").at(0, 0).lines == ("T0", "V0")
    assert "without gaps" in picker.change("kind", DEALT).message + picker.change("threads", "8:2").message


def test_the_atom_viewer_picks_lanes_values_and_cells():
    viewer = AtomViewer("SM80_16x8x16_F32F16F16F32_TN", lane=5)
    assert viewer.still().panel("C").picked() == [(1, 2), (1, 3), (9, 2), (9, 3)]
    assert in_use(viewer, SliderField) == ["lane"]
    viewer.change("pick", "a lane and a value")
    assert viewer.change("value", 1).scene.panel("C").picked() == [(1, 3)]
    viewer.change("pick", "a cell of C")
    viewer.change("m", 3)
    assert viewer.change("n", 2).scene.panel("C").picked() == [(3, 2)]
    assert in_use(viewer, SliderField) == ["m", "n"]
    assert viewer.shown.tops == {**viewer.shown.tops, "m": 15, "n": 7}
    assert repr(AtomViewer(atom("SM80_16x8x16_F32F16F16F32_TN"))) == "AtomViewer(SM80_16x8x16_F32F16F16F32_TN)"


def test_a_quadpair_s_lanes_are_those_of_the_warp():
    shown = AtomViewer("SM70_8x8x4_F32F16F16F32_NT", lane=4).shown
    assert {shown.scene.panel("C").at(*place).lines[0] for place in shown.scene.panel("C").picked()} == {"T16"}


def test_the_atom_viewer_takes_every_name_it_offers():
    (offered,) = (f.known() for f in AtomViewer.fields if isinstance(f, TextField))
    assert len(offered) > 100
    viewer = AtomViewer()
    for name in offered:
        assert viewer.change("atom", name).message == "", name
        assert name in viewer.still().title
    viewer.change("atom", "SM75_U32x4_LDSM_N")
    assert [f.name for f in AtomViewer.fields if f.when(viewer.shown.entries)] == ["atom", "lane"]
    assert "the nearest are SM80_16x8x16_" in viewer.change("atom", "SM80_16x8x16_F32F16").message
    assert "there is no matrix to see" in viewer.change("atom", "UniversalCopy<uint128_t>").message


def test_the_tiled_mma_bench_tells_what_does_not_fit():
    bench = TiledMMABench("SM80_16x8x16_F32F16F16F32_TN", "(2,2)", "(32,32,16)", thread=127)
    assert bench.shown.facts.startswith("tile (32,32,16) · 128 threads · ThrLayoutVMNK (32,2,2,1):(1,32,64,0)")
    assert "2048 threads; a CTA has at most 1024" in bench.change("atoms", "(8,8)").message
    assert bench.change("atoms", (2, 2)).message == ""
    assert bench.change("permutation", "(33,32,16)").message != ""
    assert bench.change("permutation", "<(4,4,2):(1,8,4),_,_>").message == ""


def test_a_volta_bench_picks_the_threads_that_there_are():
    """One quadpair has the threads 0..3 and 16..19."""
    bench = TiledMMABench("SM70_8x8x4_F32F16F16F32_NT", "(1,1)", thread=4)
    c = bench.still().panel("C")
    assert bench.shown.tops == {"thread": 7}
    assert {c.at(*place).lines[0] for place in c.picked()} == {"T16"}


def test_the_bank_bench_counts_wavefronts():
    def verdicts(*texts, **how):
        return [p.aside for p in BankBench(*texts, **how).still().panels]

    assert verdicts("(32,32):(32,1)", Swizzle(5, 0, 5).__repr__() + " o 0 o (32,32):(32,1)") == [
        "32 wavefronts, not 1: 32-way conflict",
        "1 wavefront: no conflict",
    ]
    assert verdicts("(32,32):(32,1)", "", walk="go along a row") == ["1 wavefront: no conflict"]
    assert verdicts("1024:1", "", walk="take what a layout says", taken="32:2") == [
        "2 wavefronts, not 1: 2-way conflict"
    ]
    assert verdicts("(8,128):(128,1)", "", walk="go along a row", vector=4) == ["4 wavefronts: no conflict"]
    bench = BankBench("(32,32):(32,1)", "")
    assert "moves 1, 2, 4, 8 or 16 bytes at once, not 64" in bench.change("vector", "16").message
    assert "takes 16 neighbours, and (8,4):(1,8) has only 8" in bench.change("layout", "(8,4):(1,8)").message
    assert "rank 1: columns and rows" in BankBench().change("layout", "64:1").message


# ------------------------------------------------------------------------------------------------ what one may type


WORDS = [
    "(",
    ")",
    ":",
    ",",
    "<",
    ">",
    "_",
    " ",
    "o",
    "Sw",
    "1",
    "2",
    "3",
    "4",
    "8",
    "0",
    "-1",
    "1@0",
    "x",
    "Layout<",
    "SM80_",
]


@every
@given(data=st.data())
@settings(max_examples=60)
def test_whatever_is_typed_gets_a_picture_or_a_sentence(kind, data):
    """Nothing but a LayoutError may come out of an entry, however odd, and no entry makes the learner wait."""
    explorer = kind()
    some = st.lists(st.sampled_from(WORDS), max_size=12).map("".join) | layouts(("any", "negative"), size=64).map(str)
    for _turn in range(3):
        f = data.draw(st.sampled_from(kind.fields))
        if isinstance(f, TextField):
            explorer.change(f.name, data.draw(some))
        elif isinstance(f, ChoiceField):
            explorer.change(f.name, data.draw(st.sampled_from(f.options)))
        else:
            explorer.change(f.name, data.draw(st.integers(0, explorer.shown.tops[f.name])))
    assert explorer.shown.svg.startswith("<svg")
    assert all(0 <= explorer.shown.entries[n] <= explorer.shown.tops[n] for n in in_use(explorer, SliderField))


HUGE = [
    (LayoutBench, "layout", "(1000000,1000000):(1,1)"),
    (CompositionBench, "a", "(99999999999999999999,3):(1,2)"),
    (CompositionBench, "b", "(1000000,1000000):(1,1)"),
    (DivideBench, "tiler", "(1000000,1000000)"),
    (ProductBench, "b", "1000000000:1"),
    (ThreadPicker, "threads", "(1000,1000):(1,1000)"),
    (TiledMMABench, "permutation", "(65536,65536,64)"),
    (BankBench, "beside", "(9999999,9999999):(1,1)"),
]


@pytest.mark.parametrize(("kind", "name", "text"), HUGE, ids=lambda x: getattr(x, "__name__", None))
def test_what_is_too_large_is_refused_and_not_walked_through(kind, name, text):
    message = kind().change(name, text).message
    assert re.search(r"has \d+ cells; an explorer redraws while you type and takes at most \d+", message)


def test_a_product_of_small_things_may_be_too_large():
    assert "takes at most" in DivideBench(f"({MOST},1):(1,1)", "(2,1)").change("tiler", f"({MOST},{MOST})").message
    picker = ThreadPicker("(64,64):(1,64)", "(8,4):(1,8)", step="Step<1,X>")
    assert "takes at most" in picker.change("threads", "(64,64):(1,64)").message
    assert Odometer(f"({10**4},{10**4})").shown.tops == {"index": 10**8 - 1}
    assert "takes at most" in Odometer().change("shape", f"({10**6},{10**6})").message


@every
def test_how_long_a_change_takes(kind, capsys):
    explorer = kind()
    name = in_use(explorer, SliderField)[0]
    took = []
    for k in [1, 0] * 5:
        start = time.perf_counter()
        assert explorer.change(name, k).svg
        took.append(time.perf_counter() - start)
    with capsys.disabled():
        print(f"\n{kind.__name__}: {sorted(took)[5] * 1e3:.1f} ms from entry to picture", end="")


# ------------------------------------------------------------------------------------------------ the widgets


@every
def test_widgets_are_wired(kind):
    explorer = kind()
    view = explorer.view
    assert view.explorer is explorer
    assert set(view.controls) == set(names(kind))
    name = in_use(explorer, SliderField)[0]
    before = view.picture.value
    assert explorer.shown.svg in before
    control = view.controls[name]
    control.value = control.max if control.value != control.max else 0
    assert explorer.shown.entries[name] == control.value
    assert view.picture.value != before
    assert explorer.shown.svg in view.picture.value


@every
def test_a_bad_entry_is_told_beneath_its_field(kind):
    view = kind().view
    for name in in_use(view.explorer, TextField):
        good, hint, picture = view.controls[name].value, view.beneath[name].value, view.picture.value
        view.controls[name].value = "<b>"
        assert 'role="alert"' in view.beneath[name].value
        assert "<b>" not in view.beneath[name].value
        assert view.picture.value == picture
        assert "last good entry" in view.facts.value
        view.controls[name].value = good
        assert view.beneath[name].value == hint
        assert "last good entry" not in view.facts.value


def test_a_wide_picture_is_scrolled_and_not_shrunk_to_nothing():
    view = LayoutBench("(8,64):(64,1)", words="coord").view
    width = int(re.search(r'<svg[^>]* width="(\d+)', view.picture.value)[1])
    assert width > 1000
    least = int(re.match(r'<div style="min-width:(\d+)px">', view.picture.value)[1])
    assert 0.7 * width < least < width


def test_a_slider_follows_what_is_typed_and_back():
    view = LayoutBench("(4,8):(8,1)", cell=31).view
    view.controls["layout"].value = "(2,2):(1,2)"
    assert (view.controls["cell"].max, view.controls["cell"].value) == (3, 3)
    view.controls["layout"].value = "(16,16):(16,1)"
    assert (view.controls["cell"].max, view.controls["cell"].value) == (255, 3)
    view.controls["cell"].value = 200
    assert view.explorer.shown.entries["cell"] == 200


def test_inputs_hide_when_they_are_of_no_use():
    view = AtomViewer().view

    def hidden():
        return [name for name in view.inputs if view.inputs[name].layout.display == "none"]

    assert hidden() == ["value", "m", "n"]
    view.controls["pick"].value = "a cell of C"
    assert hidden() == ["lane", "value"]


def test_widgets_follow_code():
    bench = LayoutBench("(4,8):(8,1)")
    view = bench.view
    bench.change("layout", Layout((4, 8), (1, 4)))
    assert view.controls["layout"].value == "(4,8):(1,4)"
    assert bench.shown.svg in view.picture.value


def test_the_table_stands_beneath_on_request():
    view = LayoutBench("(2,2):(2,1)").view
    assert view.table.value == ""
    view.as_text.value = True
    assert "(2,2):(2,1)" in view.table.value
    view.controls["layout"].value = "(2,2):(1,2)"
    assert "(2,2):(1,2)" in view.table.value


@every
def test_every_input_has_a_label_and_every_text_a_hint(kind):
    view = kind().view
    for f in kind.fields:
        assert view.controls[f.name].description == f.label != ""
        assert not isinstance(f, TextField) or f.hint in view.beneath[f.name].value.replace("&lt;", "<").replace(
            "&gt;", ">"
        )


@every
def test_nothing_is_printed(kind, capfd):
    explorer = kind()
    explorer._repr_mimebundle_()
    view = explorer.view
    for name, control in view.controls.items():
        if isinstance(kind.field(name), TextField):
            control.value += ")"
    assert capfd.readouterr() == ("", "")


@every
def test_what_jupyter_is_given(kind):
    explorer = kind()
    data = explorer._repr_mimebundle_()
    assert set(data) == {"text/plain", "image/svg+xml", "application/vnd.jupyter.widget-view+json"}
    assert data["text/plain"].startswith(f"{explorer!r}\n\n{explorer.still().title}\n")
    assert data["image/svg+xml"] == explorer.still().svg()


def test_ipywidgets_is_loaded_when_an_explorer_is_shown_and_not_before():
    code = """if True:
        import sys, cutelearn.explore as e
        benches = [getattr(e, name)() for name in e.__all__ if name not in ("Explorer", "Shown", "look")]
        assert benches[0].still().svg() and "ipywidgets" not in sys.modules
        assert benches[0]._repr_mimebundle_() and "ipywidgets" in sys.modules"""
    subprocess.run([sys.executable, "-W", "error", "-c", code], check=True)


# ------------------------------------------------------------------------------------------------ in a lesson


def test_the_gallery_shows_every_explorer():
    notebook = nbformat.read(GALLERY, as_version=4)
    nbformat.validate(notebook)
    shown = [re.fullmatch(r"display\((\w+)\(\)\)", cell.source) for cell in notebook.cells[1:]]
    assert [m[1] for m in shown] == [kind.__name__ for kind in EVERY]
    assert not any(cell.outputs for cell in notebook.cells)


def test_a_lesson_with_explorers_is_green_under_strict_nbval_and_red_where_a_picture_is_wrong(tmp_path):
    """The rule of the room's docstring: the output in the one form, without the widget's view, is what nbval wants."""
    from nbclient import NotebookClient

    notebook = nbformat.read(GALLERY, as_version=4)
    NotebookClient(notebook).execute()
    stored = canonical(notebook, "lesson")
    for cell in stored.cells[1:]:
        (output,) = cell.outputs
        assert set(output.data) == {"text/plain", "image/svg+xml"}
    broken = nbformat.from_dict(stored)
    svg = broken.cells[3].outputs[0].data["image/svg+xml"]
    broken.cells[3].outputs[0].data["image/svg+xml"] = svg.replace(">8</text>", ">9</text>", 1)
    n = len(EVERY) + 1  # and the cell that imports them
    for name, nb, verdict in (("good", stored, f"{n} passed"), ("broken", broken, f"1 failed, {n - 1} passed")):
        nbformat.write(nb, tmp_path / f"{name}.ipynb")
        command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-q", "--nbval", "--nbval-current-env"]
        ran = subprocess.run([*command, f"{name}.ipynb"], cwd=tmp_path, capture_output=True, text=True, check=False)
        assert verdict in ran.stdout, ran.stdout + ran.stderr


@pytest.mark.parametrize(
    "layout", ["(4,8):(9,1)", "4:-1", "(4,8):(-8,1)", "(2,4):(0,1)", "Sw<3,3,3> o 0 o (8,64):(64,1)"]
)
def test_the_layout_benchs_cosize_is_the_librarys(layout):
    assert f"cosize {cosize(ComposedLayout.parse(layout))} " in LayoutBench.facts(ComposedLayout.parse(layout))
