"""One picture or more of every family: what the tests of pictures look at, and what a reader of the code can draw.

`python tests/pictures.py folder` writes them all as SVG files.
"""

import sys
from pathlib import Path

import numpy as np

from cutelearn import (
    ComposedLayout,
    Layout,
    Swizzle,
    _,
    atom,
    copy_atom,
    make_identity_layout,
    make_identity_tensor,
    make_tensor,
    make_tiled_copy,
    make_tiled_mma,
    parse_tiler,
)
from cutelearn.draw import (
    beside,
    draw_banks,
    draw_bars,
    draw_coalesce,
    draw_complement,
    draw_composition,
    draw_coordinates,
    draw_copy,
    draw_copy_atom,
    draw_ctas,
    draw_divide,
    draw_divides,
    draw_gemm,
    draw_gemm_forms,
    draw_layout,
    draw_ldmatrix,
    draw_mapping,
    draw_mma,
    draw_odometer,
    draw_order,
    draw_partition,
    draw_permutation,
    draw_pipeline,
    draw_predicate,
    draw_product,
    draw_products,
    draw_range,
    draw_shape_div,
    draw_slice,
    draw_swizzle,
    draw_swizzle_bits,
    draw_tensor,
    draw_threads,
    draw_timeline,
    draw_tv,
    stack,
)

L, P = Layout, Layout.parse
SM80 = "SM80_16x8x16_F32F16F16F32_TN"
VOLTA = "SM70_8x8x4_F32F16F16F32_NT"
GMMA = "SM90::GMMA::MMA_64x16x16_F32F16F16_SS<GMMA::Major::K, GMMA::Major::K>"
SWIZZLED = ComposedLayout.parse("Sw<3,3,3> o 0 o (8,64):(64,1)")


def tiled_volta():
    return make_tiled_mma(VOLTA, L((2, 2), (2, 1)), (L((4, 4, 2), (1, 8, 4)), 32, 4))


def tiled_copy():
    return make_tiled_copy(copy_atom("UniversalCopy<uint128_t>", "float"), L((32, 8)), L((4, 1)))


PICTURES = {
    "layout": lambda: draw_layout(L((4, 8), (8, 1)), pick=(2, 3), note="row-major: columns are neighbours"),
    "layout-column": lambda: draw_layout(L((4, 8)), color="column", pick=[(2, 3), (0, 0)]),
    "layout-offset": lambda: draw_layout(L((32, 32)), color="offset"),
    "layout-bank": lambda: draw_layout(L((8, 32), (32, 1)), color="bank", memory=True),
    "layout-mode": lambda: draw_layout(P("((2,2),(2,4)):((1,4),(2,8))"), color=(1, 0), cell="both", axes="1d"),
    "layout-tiles": lambda: draw_layout(L((6, 10)), color="tile", tiles=[(2, 4), (4, 8)], bound=(5, 9)),
    "layout-function": lambda: draw_layout(L((4, 6)), color=lambda c, o: o % 3, cell=lambda c, o: f"m{o % 3}"),
    "layout-street": lambda: draw_layout(L(((2, 4), (3, 5))), axes="nested", pick=((1, 3), (2, 4))),
    "layout-coordinates": lambda: draw_layout(L((3, (2, 3))), cell="coord", memory=False),
    "layout-nested": lambda: draw_layout(P("((2,2,2),(2,2,2)):((1,16,4),(8,2,32))"), axes="nested"),
    "layout-negative": lambda: draw_layout(L((3, 4), (1, -3)), pick=(2, 3)),
    "layout-broadcast": lambda: draw_layout(L((3, 4), (1, 0))),
    "layout-padded": lambda: draw_layout(L((3, 4), (1, 5))),
    "layout-large": lambda: draw_layout(L((256, 256))),
    "layout-blank": lambda: draw_layout(L((20, 120)), cell=None, pick=(19, 119)),
    "layout-strip": lambda: draw_layout(L(12, 2), axes="1d"),
    "layout-folded": lambda: draw_layout(L(100, 2), pick=77),
    "layout-long": lambda: draw_layout(L(5000)),
    "layout-rank3": lambda: draw_layout(L((2, 3, 4)), axes="nested"),
    "layout-identity": lambda: draw_layout(make_identity_layout((4, (2, 3)))),
    "layout-swizzled": lambda: draw_layout(SWIZZLED, color="bank", bits=16, pick=(1, 8)),
    "layout-one": lambda: draw_layout(L(1)),
    "slice": lambda: draw_slice(P("((3,2),(2,5,2)):((4,1),(2,13,100))"), (_, 5)),
    "slice-inside": lambda: draw_slice(P("((3,2),(2,5,2)):((4,1),(2,13,100))"), ((_, 1), (_, 0, 1))),
    "order": lambda: draw_order(L((4, 6), (6, 1)), L((3, 3), (8, 1))),
    "order-tiler": lambda: draw_order(P("(12,(4,8)):(59,(13,1))"), parse_tiler("<3:4,8:2>")),
    "order-bar": lambda: draw_order(L(12), L(4, 3)),
    "mapping": lambda: stack(*(draw_mapping(a) for a in (L(4, 2), P("(2,2):(1,1)"), P("(2,3):(3,1)")))),
    "range": lambda: stack(*(draw_range(L(8, 2), b) for b in (L(4, 2), L(8), L(5, 2)))),
    "coordinates": lambda: draw_coordinates(P("(3,(2,3)):(3,(12,1))"), pick=6),
    "coordinates-long": lambda: draw_coordinates(((2, 4), 16), pick=77, limit=20),
    "odometer": lambda: draw_odometer((3, (2, 3)), 13),
    "odometer-layout": lambda: draw_odometer(P("((2,4),8):((1,2),8)"), 35),
    "odometer-tall": lambda: draw_odometer((64, 3), 100),
    "composition": lambda: draw_composition(L((4, 6), (6, 1)), L((3, 3), (8, 1)), 4),
    "composition-mode": lambda: draw_composition(L((6, 2), (8, 2)), L(4, 3)),
    "composition-tuple": lambda: draw_composition(L((8, 8), (8, 1)), (2, 4), 5),
    "composition-carry": lambda: draw_composition(L((6, 2), (1, 10)), L((3, 4), (2, 3)), 5, check=False),
    "composition-long": lambda: draw_composition(L((16, 16)), L((8, 8), (16, 2)), 40),
    "coalesce": lambda: draw_coalesce(P("(2,4,3,1,2):(1,2,10,7,30)")),
    "coalesce-mode": lambda: draw_coalesce(P("(2,(1,6)):(1,(6,2))"), (1, 1)),
    "shape-div": lambda: draw_shape_div(P("(3,6,2,8):(1,10,100,1000)"), 72, 4),
    "complement": lambda: draw_complement(P("(2,2):(1,6)"), 24),
    "complement-gaps": lambda: draw_complement(L(3, 5), 24),
    "divide": lambda: draw_divide(P("(4,2,3):(2,1,8)"), L(4, 2), "logical"),
    "divide-2d": lambda: draw_divide(P("(9,(4,8)):(59,(13,1))"), parse_tiler("<3:3,(2,4):(1,8)>"), pick=5),
    "divide-phantom": lambda: draw_divide(L((5, 7), (7, 1)), (2, 4), pick=(0, 1)),
    "divides": lambda: draw_divides(L((4, 8), (8, 1)), (2, 4)),
    "product": lambda: draw_product(P("(2,2):(4,1)"), P("(4,2):(2,1)")),
    "products": lambda: draw_products(L((2, 5), (5, 1)), L((3, 4), (1, 3))),
    "partition-inner": lambda: draw_partition(L((8, 24), (24, 1)), (4, 8), tile=(1, 2)),
    "partition-outer": lambda: draw_partition(L((8, 24), (24, 1)), (4, 8), place=(1, 2)),
    "tensor": lambda: draw_tensor(make_tensor(np.arange(100, 140), L((4, 8), (8, 1))), pick=(2, 3)),
    "tensor-slice": lambda: draw_tensor(make_tensor(np.arange(24) * 1.5, L((4, 6), (6, 1)))[_, 3]),
    "tensor-identity": lambda: draw_tensor(make_identity_tensor((4, 6))),
    "predicate": lambda: draw_predicate((41, 55), (4, 8), pick=(10, 6)),
    "gemm": lambda: draw_gemm((3, 2), (4, 2), (3, 4), cell=(1, 2)),
    "gemm-forms": draw_gemm_forms,
    "tv": lambda: draw_tv(P("((2,4),(2,2)):((8,1),(4,16))"), (4, 8), thread=5, table=True),
    "tv-quadpair": lambda: draw_tv(atom(VOLTA).c_layout, (8, 8), thr_id=atom(VOLTA).thr_id, thread=0, table=True),
    "tv-core-matrices": lambda: draw_tv(atom(GMMA).c_layout, (64, 16), tile=(8, 8), thread=33),
    "tv-value": lambda: draw_tv(P("((2,4),(2,2)):((8,1),(4,16))"), (4, 8), color="value", cell=(1, 1)),
    "mma": lambda: draw_mma(atom(SM80), thread=5),
    "mma-cell": lambda: draw_mma(atom(SM80), cell=(3, 2)),
    "mma-f64": lambda: draw_mma(atom("SM80_8x8x4_F64F64F64F64_TN"), thread=5, value=1),
    "mma-volta": lambda: beside(*(draw_mma(atom(VOLTA.replace("NT", x))) for x in ("NT", "TN"))),
    "mma-hopper": lambda: draw_mma(atom(GMMA)),
    "mma-tiled": lambda: draw_mma(tiled_volta(), thread=0),
    "mma-tiled-fma": lambda: draw_mma(
        make_tiled_mma("UniversalFMA<float,float,float,float>", L((16, 16, 1))), thread=17
    ),
    "mma-warps": lambda: draw_mma(make_tiled_mma(SM80, L((2, 2, 1)), (32, 32, 16)), thread=37, color="warp"),
    "mma-large": lambda: draw_mma(make_tiled_mma(SM80, L((4, 2, 1)), (64, 64, 32))),
    "copy": lambda: draw_copy(tiled_copy(), thread=33),
    "copy-atom": lambda: draw_copy_atom(copy_atom("UniversalCopy<uint128_t>", "float")),
    "ldmatrix-x1": lambda: draw_ldmatrix(copy_atom("SM75_U32x1_LDSM_N", "half_t"), thread=2),
    "ldmatrix-x4": lambda: draw_ldmatrix(copy_atom("SM75_U32x4_LDSM_N", "half_t"), thread=5),
    "ldmatrix-trans": lambda: draw_ldmatrix(copy_atom("SM75_U16x4_LDSM_T", "half_t"), thread=5),
    "stmatrix": lambda: draw_ldmatrix(copy_atom("SM90_U32x2_STSM_N", "half_t")),
    "threads": lambda: draw_threads((32, 8), L((16, 4)), thread=33),
    "threads-large": lambda: draw_threads(L((128, 128)), L((16, 16)), thread=17),
    "pipeline": lambda: draw_pipeline(P("((2,4),(2,2)):((8,1),(4,16))"), L((4, 8), (8, 1)), thread=5, value=2),
    "pipeline-swizzled": lambda: draw_pipeline(
        P("((4,8),(2,2)):((32,1),(16,8))"), ComposedLayout(Swizzle(2, 0, 3), 0, L((16, 8), (8, 1))), thread=9
    ),
    "permutation": lambda: draw_permutation(L((4, 4, 2), (1, 8, 4))),
    "ctas": lambda: draw_ctas((256, 256, 32), (128, 128, 8), cta=(1, 0), k=2),
    "ctas-ragged": lambda: draw_ctas((1000, 700, 64), (128, 128, 16), cta=(2, 3)),
    "timeline-1": lambda: draw_timeline("sgemm_1"),
    "timeline-2": lambda: draw_timeline("sgemm_2"),
    "timeline-multistage": lambda: draw_timeline("multistage", 6, stages=3),
    "bars": lambda: draw_bars([("naive", 3.06), ("sgemm_1", 34.6), ("cuBLAS", 51.8)], unit="TFLOP/s", pick="sgemm_1"),
    "banks": lambda: draw_banks(L((32, 32), (32, 1)), L((32, 32), (33, 1)), lanes=(_, 0), names=("", "padded")),
    "banks-vector": lambda: draw_banks(L((128, 8)), L((128, 8), (1, 132)), lanes=L((8, 4), (128, 4)), vector=4),
    "banks-half": lambda: draw_banks(L((32, 32), (32, 1)), lanes=(0, _), element="half_t"),
    "swizzle": lambda: draw_swizzle(SWIZZLED, pick=0),
    "swizzle-column-major": lambda: draw_swizzle(ComposedLayout.parse("Sw<2,3,3> o 0 o (64,8):(1,64)"), pick=1),
    "swizzle-narrow": lambda: draw_swizzle(ComposedLayout.parse("Sw<1,3,1> o 0 o (4,16):(16,1)"), pick=1),
    "swizzle-bits": lambda: draw_swizzle_bits(Swizzle(3, 3, 3), 200),
}


def main(folder):
    Path(folder).mkdir(parents=True, exist_ok=True)
    for name, draw in PICTURES.items():
        draw().save(Path(folder) / f"{name}.svg")


if __name__ == "__main__":
    main(sys.argv[1])
