"""No picture keeps one waiting: whatever the size, it is cut or refused in a sentence; and bad arguments get their sentence."""

import re

import numpy as np
import pytest

from cutelearn import (
    ComposedLayout,
    Layout,
    LayoutError,
    Swizzle,
    _,
    atom,
    copy_atom,
    draw,
    make_identity_layout,
    make_tensor,
)
from cutelearn.draw import (
    draw_banks,
    draw_complement,
    draw_coordinates,
    draw_copy,
    draw_copy_atom,
    draw_ctas,
    draw_divide,
    draw_gemm,
    draw_layout,
    draw_ldmatrix,
    draw_mma,
    draw_odometer,
    draw_order,
    draw_partition,
    draw_permutation,
    draw_pipeline,
    draw_predicate,
    draw_product,
    draw_range,
    draw_slice,
    draw_swizzle,
    draw_tensor,
    draw_threads,
    draw_timeline,
    draw_tv,
)
from cutelearn.explore import BankBench, CompositionBench, LayoutBench, Odometer

BIG = 10**30
LARGE = Layout((4096, 4096), (4096, 1))
ENDLESS = Layout((BIG, BIG))
TV = Layout((4096, 4096))
SM80 = "SM80_16x8x16_F32F16F16F32_TN"

HUGE = {
    "draw_layout": [(LARGE,), (ENDLESS,), (Layout(4, BIG),), (Layout(BIG),)],
    "draw_slice": [(LARGE, (3, _)), (ENDLESS, (3, _)), (ENDLESS, (_, BIG - 1))],
    "draw_order": [(LARGE, LARGE), (ENDLESS, (BIG, BIG)), (ENDLESS, Layout(4, BIG))],
    "draw_mapping": [(LARGE,), (Layout(2, BIG),)],
    "draw_range": [(LARGE, LARGE), (Layout(4), Layout(2, BIG)), (ENDLESS, ENDLESS)],
    "draw_coordinates": [(LARGE,), ((BIG, BIG),), ((2,) * 200,)],
    "draw_odometer": [(LARGE, 77), ((BIG, BIG), BIG), ((2,) * 200,)],
    "draw_composition": [(LARGE, LARGE, 5), (ENDLESS, ENDLESS, BIG), (LARGE, (64, 64))],
    "draw_coalesce": [(ENDLESS,), (Layout((2,) * 400),)],
    "draw_shape_div": [(ENDLESS, BIG, BIG), (LARGE, 4096, 4)],
    "draw_complement": [(Layout(4, 2), 4096**2), (Layout(4, BIG), BIG * BIG), (LARGE, 4096**2)],
    "draw_divide": [(LARGE, (64, 64)), (LARGE, BIG), (LARGE, Layout(64)), (ENDLESS, (8, 8)), (Layout(2000), Layout(2))],
    "draw_divides": [(LARGE, (64, 64)), (LARGE, BIG), (Layout(4), BIG), (Layout(4, 2), BIG)],
    "draw_product": [(LARGE, Layout((64, 64))), (Layout(4), Layout(BIG)), (Layout(2), Layout(1900))],
    "draw_products": [(LARGE, Layout((64, 64))), (Layout(4), Layout(BIG))],
    "draw_tensor": [(np.zeros(8), LARGE), (np.zeros(8), ENDLESS)],
    "draw_predicate": [((4096, 4096), (8, 8)), ((BIG, BIG), (3, 3)), ((2, 2999), (1, 1)), ((8, 8), (BIG, BIG))],
    "draw_gemm": [
        ((512, 512), (512, 512), (512, 512)),
        ((BIG,), (BIG,), (BIG,)),
        ((BIG, 9, 9), (BIG, 9, 9), (BIG, 9, 9)),
    ],
    "draw_gemm_forms": [(BIG, BIG, BIG, BIG), (512, 512, 512, 512)],
    "draw_tv": [(TV, (4096, 4096)), (Layout((32, 4), (4, 1)), (BIG, 4)), (Layout((BIG, 4)), (BIG, 4))],
    "draw_mma": [{"shape_mnk": (4096, 4096, 4096), "a_layout": TV, "b_layout": TV, "c_layout": TV}],
    "draw_copy": [{"shape": (4096, 4096), "src": TV, "dst": TV}],
    "draw_copy_atom": [(copy_atom("SM90_BULK_COPY_G2S<1048576>"),)],
    "draw_ldmatrix": [{"src": TV, "dst": TV}],
    "draw_threads": [(LARGE, Layout((16, 16))), ((16, 16), ENDLESS), ((4096, 4096, 4096), Layout((16, 16)))],
    "draw_partition": [{"a": LARGE, "tiler": (64, 64), "tile": (1, 2)}, {"a": ENDLESS, "tiler": (8, 8), "place": 3}],
    "draw_pipeline": [(TV, LARGE, 3), (Layout((64, 64)), Layout((64, 64)), 3)],
    "draw_permutation": [(Layout(BIG),), (Layout((4096, 4)),)],
    "draw_ctas": [((BIG, BIG, BIG), (128, 128, 8)), ((4096, 4096, 4096), (1, 1, 1))],
    "draw_timeline": [("sgemm_1", 10**9), ("multistage", 10**9), ("sgemm_2", BIG)],
    "draw_bars": [([("a", BIG), ("b", 1)],), ([(str(n), n) for n in range(3000)],), ({"a": 10**400},)],
    "draw_banks": [{"layouts": LARGE, "lanes": (_, 0)}, {"layouts": ENDLESS, "lanes": Layout(BIG)}],
    "draw_swizzle": [(ComposedLayout(Swizzle(3, 3, 3), 0, LARGE),), (ComposedLayout(Swizzle(3, 3, 3), 0, ENDLESS),)],
    "draw_swizzle_bits": [(Swizzle(3, 3, 3), BIG)],
}


def test_every_function_is_tried():
    assert set(HUGE) == {name for name in draw.__all__ if name.startswith("draw_")}


@pytest.mark.parametrize(("name", "args"), [(name, args) for name, cases in HUGE.items() for args in cases])
def test_a_huge_argument_is_cut_or_refused_with_its_numbers(name, args):
    function = getattr(draw, name)
    args = dict(args) if isinstance(args, dict) else args
    first = (args.pop("layouts"),) if isinstance(args, dict) and "layouts" in args else ()
    try:
        scene = function(*first, **args) if isinstance(args, dict) else function(*args)
    except LayoutError as error:
        refusal = str(error)
    else:
        refusal = ""
    if refusal:
        assert re.search(r"\d", refusal)
        assert len(refusal) < 600
        return
    assert sum(len(p.cells) for p in scene.panels) <= 4000
    assert sum(len(p.fills) for p in scene.panels) <= 4000
    assert len(scene.svg()) < 400_000


# ------------------------------------------------------------------------------------------------ what is no layout

WORD = "must be a Layout"


@pytest.mark.parametrize(
    ("draws", "said"),
    [
        (lambda: draw_order(7, Layout(4)), WORD),
        (lambda: draw_order(Layout(8), "4:2"), WORD),
        (lambda: draw_range("8:1", Layout(4)), WORD),
        (lambda: draw_range(Layout(8), None), WORD),
        (lambda: draw_slice((4, 8), (_, 1)), WORD),
        (lambda: draw_complement("4:2", 24), WORD),
        (lambda: draw_divide((4, 8), (2, 4)), WORD),
        (lambda: draw_product((4, 8), Layout(2)), WORD),
        (lambda: draw_tv((4, 8), (4, 8)), WORD),
        (lambda: draw_tv(Layout((4, 2)), "ab"), "two extents"),
        (lambda: draw_threads((8, 8), (4, 2)), WORD),
        (lambda: draw_threads("tile", Layout((4, 2))), "two extents"),
        (lambda: draw_pipeline("tv", Layout((4, 8)), 0), WORD),
        (lambda: draw_pipeline(Layout((4, 8)), "data", 0), WORD),
        (lambda: draw_permutation((4, 4)), WORD),
        (lambda: draw_tensor(7), "give a Tensor"),
        (lambda: draw_tensor(7, Layout(4)), "give a list of elements"),
        (lambda: draw.draw_bars(4), "give a dict or a list"),
        (lambda: draw.draw_bars([(_, 1, 2)]), "give a dict or a list"),
        (lambda: draw_ctas("x", -1), "draw_ctas: a shape"),
        (lambda: draw_gemm((4, 8), "(4,8)", (4, 4)), "draw_gemm: a shape"),
        (lambda: draw.draw_gemm_forms(Layout(4)), "draw_gemm_forms: an extent"),
        (lambda: draw.draw_coalesce(ComposedLayout(Swizzle(2, 0, 3), 0, Layout((8, 8)))), "draw its .inner"),
        (lambda: draw.beside(draw_layout(Layout(4)), Layout(4)), "what a draw function returns"),
        (lambda: draw_tensor([1, 2], "2:1"), WORD),
        (lambda: draw_timeline(7), "list of Events"),
        (lambda: draw_timeline([]), "list of Events"),
        (lambda: draw_timeline(["load"]), "list of Events"),
        (lambda: draw_timeline("sgemm_1", 0.5), "must be an integer"),
        (lambda: draw_odometer(()), "no digit to count with"),
        (lambda: draw_coordinates(()), "no digit to count with"),
        (lambda: draw_odometer("(2,3)"), "a text is read with Layout.parse"),
        (lambda: draw_banks(Layout((32, 32)), lanes=5), "write a coordinate with _"),
        (lambda: draw_banks(make_identity_layout((32, 32)), lanes=(_, 0)), "it has no banks"),
        (lambda: draw_banks("x", lanes=(_, 0)), WORD),
        (lambda: BankBench("(32,32):(1@0,1@1)", ""), "it has no banks"),
        (lambda: BankBench(bits=np.arange(4)), r"bits=array\(\[0, 1, 2, 3\]\): write one of"),
        (lambda: BankBench(bits=12), "bits=12: write one of"),
        (lambda: LayoutBench(color=np.arange(4)), "color=array.*: write one of 'row'"),
        (lambda: LayoutBench(cell="3"), "cell='3': write an integer, 0 or more"),
        (lambda: LayoutBench(np.float32), "layout: cannot read this layout"),
        (lambda: LayoutBench("1" * 5000), "a number of 5000 digits"),
        (lambda: LayoutBench("(" * 5000), "parentheses more than 64 deep"),
        (lambda: Odometer(np.arange(4)), "shape: cannot read this"),
        (lambda: draw_copy(shape=(8, 4), src=3, dst=4), WORD),
        (
            lambda: draw.draw_composition(ComposedLayout(Swizzle(2, 0, 3), 0, Layout((8, 8))), Layout(8)),
            "draw its .inner",
        ),
        (lambda: draw.draw_composition(Layout(8), Swizzle(2, 0, 3)), "B is Sw<2,0,3>: the walk is drawn through plain"),
        (lambda: draw.draw_composition(Layout((4, 8)), make_identity_layout((4, 8))), "B is .4,8.:.1@0,1@1."),
        (lambda: draw_predicate((0, 4), (2, 2)), "draw_predicate: a shape .0,4. has the extent 0"),
        (lambda: draw_predicate((9, 9), (-1, 4)), "has the extent -1: every extent must be at least 1"),
        (lambda: draw_threads((0, 4), Layout((2, 2))), "the tile .0,4. has the extent 0"),
        (lambda: draw_timeline("sgemm_1", 0), "the count of tiles is 0: give one or more"),
        (lambda: draw_timeline("sgemm_1", None), "the count of tiles is None"),
        (lambda: draw_layout(np.float32), "there is no picture of <class 'numpy.float32'>: give a Layout"),
        (lambda: draw_layout(Layout), "there is no picture of"),
        (lambda: draw_layout(make_tensor(np.zeros(8), (2, 4))), r"is a tensor: write draw_tensor\(t\)"),
        (lambda: draw_slice(np.ndarray, (_, 1)), WORD),
        (lambda: draw_complement(Layout, 24), WORD),
        (lambda: draw_banks(np.float32, lanes=(_, 0)), WORD),
        (lambda: draw_layout(Layout((4, 8)), limit="all"), "limit is 'all': give a positive integer, or None"),
        (lambda: draw_layout(Layout((4, 8)), limit=0), "limit is 0"),
        (lambda: draw_coordinates((4, 8), limit=2.5), "limit is 2.5"),
        (lambda: draw_layout(Layout((4, 8)), title=7), r"the title of a picture is a text, not 7 \(int\)"),
        (lambda: draw_layout(Layout((4, 8)), note=["a"]), "the note of a picture is a text"),
        (lambda: draw.Scene("title", rows=[4]), "the rows of a picture are a tuple of tuples"),
    ],
)
def test_what_is_no_layout_gets_a_sentence(draws, said):
    with pytest.raises(LayoutError, match=said):
        draws()


# ------------------------------------------------------------------------------------------------ what is out of range

C = Layout(((4, 8), 2), ((16, 1), 8))
COPY = copy_atom("SM75_U32x4_LDSM_N", "half_t")


@pytest.mark.parametrize(
    ("draws", "said"),
    [
        (lambda: draw_tv(C, (8, 8), thread=99), "there is no thread 99: they are 0 to 31"),
        (lambda: draw_tv(C, (8, 8), value=2), "there is no value 2: they count from 0 to 1"),
        (lambda: draw_tv(C, (8, 8), cell=(8, 0)), "there is no row 8: they count from 0 to 7"),
        (lambda: draw_mma(atom(SM80), thread=32), "there is no thread 32: they are 0 to 31"),
        (lambda: draw_mma(atom(SM80), cell=(0, 8)), "there is no column 8: they count from 0 to 7"),
        (lambda: draw_mma(atom("SM70_8x8x4_F32F16F16F32_NT"), thread=4), "they are 0, 1, 2, 3, 16, 17, 18, 19"),
        (lambda: draw_copy_atom(copy_atom("UniversalCopy<float>", "float"), thread=1), "there is no thread 1"),
        (lambda: draw_ldmatrix(COPY, thread=32), "there is no thread 32: they are 0 to 31"),
        (lambda: draw_threads((8, 4), Layout((4, 2)), thread=8), "there is no thread 8: they are 0 to 7"),
        (lambda: draw_threads((8, 4, 1), Layout((4, 2)), thread=8), "there is no thread 8: they are 0 to 7"),
        (lambda: draw_pipeline(C, Layout((8, 8)), thread=32), "there is no thread 32: they are 0 to 31"),
        (lambda: draw_divide(Layout((4, 8)), (2, 4), pick=4), "there is no tile 4: they count from 0 to 3"),
        (lambda: draw_product(Layout(4), Layout(6), pick=6), "there is no copy 6: they count from 0 to 5"),
        (lambda: draw_partition(Layout((4, 8)), (2, 4), place=8), "there is no place 8: they count from 0 to 7"),
        (lambda: draw_predicate((9, 9), (4, 4), pick=(3, 0)), "there is no tile along m 3"),
        (lambda: draw_gemm((3, 2), (4, 2), (3, 4), cell=(3, 0)), "there is no m 3: they count from 0 to 2"),
        (lambda: draw_ctas((256, 256, 32), (128, 128, 8), cta=(0, 0), k=4), "there is no step k 4"),
        (lambda: draw_swizzle(ComposedLayout(Swizzle(3, 3, 3), 0, Layout((8, 64), (64, 1))), pick=8), "no column 8"),
        (lambda: CompositionBench("(4,6):(6,1)", "(3,3):(8,1)", i=99), "i = 99 is out of range: it goes from 0 to 8"),
        (lambda: draw_layout(Layout((4, 8)), pick=(0, 8)), "outside of"),
    ],
)
def test_what_is_out_of_range_is_named_with_the_range(draws, said):
    with pytest.raises(LayoutError, match=said):
        draws()


def test_a_number_entered_beyond_its_range_keeps_the_last_picture():
    bench = CompositionBench("(4,6):(6,1)", "(3,3):(8,1)", i=4)
    shown = bench.change("i", 99)
    assert shown.messages == {"i": "i = 99 is out of range: it goes from 0 to 8"}
    assert shown.scene.panel("index").picked() == [(4, 0)]
    assert bench.change("b", "(2,2):(8,1)").messages == {}  # a smaller range moves the slider, and is no fault
    assert bench.shown.entries["i"] == 3


def test_a_number_may_stand_for_its_word():
    assert BankBench(bits=16).shown.entries["bits"] == "16"
    assert BankBench().change("bits", 64).messages == {}


def test_a_range_of_two_that_do_not_compose_is_refused_with_the_reason():
    with pytest.raises(LayoutError, match=r"do not compose.*carry"):
        draw_range(Layout((6, 2), (1, 10)), Layout((3, 4), (2, 3)))
