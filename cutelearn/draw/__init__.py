"""Pictures of layouts and of all that is made of them. Each function takes library objects and gives a Scene: data that shows
itself in a notebook, is saved with `save`, and says the same in text with `table()`.

One layout
    draw_layout         grid with offsets, axes, nested tile borders, picks, slices, and the memory strip beside it
    draw_slice          what a coordinate with `_` keeps
    draw_order          the cells that B picks from A, numbered in B's order
    draw_mapping        coordinates to offsets by arrows: injective, onto, bijective
    draw_range          B's range on A's domain: gap, exact, overflow
Coordinates and steps
    draw_coordinates    the table of equivalent coordinates: 1-D, 2-D, natural
    draw_odometer       the digits of a nested coordinate, and how they turn
    draw_composition    three boxes, index -> coordinate -> address, with one walk
    draw_coalesce       coalesce as a chain of moves
    draw_shape_div      dividing a shape by a stride and keeping a count, as a chain
Tilings
    draw_complement     the cells of memory by copy
    draw_divide         a divide in one of its forms, A and result in the same colours
    draw_divides        the four forms in one picture
    draw_product        a product in one of its forms, with its memory
    draw_products       blocked and raked side by side
Tensors and algorithms
    draw_tensor         engine and layout
    draw_predicate      ragged tiles and their predicates
    draw_gemm           the form of a gemm, from the shapes of A, B and C
    draw_gemm_forms     all five forms
Threads and values
    draw_tv             a thread-value layout on its tile
    draw_mma            an MMA atom or TiledMMA in corner view
    draw_copy           source and destination of a TiledCopy
    draw_copy_atom      what each lane of a copy atom gives and gets
    draw_ldmatrix       lanes that give addresses beside lanes that hold values
    draw_threads        a tile dealt to a grid of threads, as local_partition does it; or A, B and C of a CTA's tile
    draw_partition      an inner or outer partition: one tile, or one place of every tile
    draw_pipeline       (thread, value) -> tile coordinate -> address -> the thread's view
    draw_permutation    a TiledMMA's permutation as a scatter
Kernels and memory
    draw_ctas           CTA tiles of C with their panels of A and B
    draw_timeline       the main loops of sgemm_1 and sgemm_2, and of a multistage pipeline, over time
    draw_bars           what was measured: a bar for each name
    draw_banks          the 32 banks under one access of a warp: wavefronts and who collides
    draw_swizzle        a swizzled layout before and after
    draw_swizzle_bits   an offset through a swizzle, bit by bit
Putting together
    beside, stack       several scenes in one picture
    picture             the picture of any object that shows itself
"""

from .banks import draw_banks, draw_swizzle, draw_swizzle_bits
from .copies import draw_copy, draw_copy_atom, draw_ldmatrix
from .kernels import Event, draw_bars, draw_ctas, draw_timeline
from .layouts import draw_layout, draw_mapping, draw_order, draw_range, draw_slice
from .partitions import draw_permutation, draw_pipeline, draw_threads
from .scene import Scene, beside, stack
from .show import bundle, picture
from .steps import draw_coalesce, draw_composition, draw_coordinates, draw_odometer, draw_shape_div
from .tensors import draw_gemm, draw_gemm_forms, draw_predicate, draw_tensor
from .tilings import draw_complement, draw_divide, draw_divides, draw_partition, draw_product, draw_products
from .tv import draw_mma, draw_tv

__all__ = [
    "Event",
    "Scene",
    "beside",
    "bundle",
    "draw_banks",
    "draw_bars",
    "draw_coalesce",
    "draw_complement",
    "draw_composition",
    "draw_coordinates",
    "draw_copy",
    "draw_copy_atom",
    "draw_ctas",
    "draw_divide",
    "draw_divides",
    "draw_gemm",
    "draw_gemm_forms",
    "draw_layout",
    "draw_ldmatrix",
    "draw_mapping",
    "draw_mma",
    "draw_odometer",
    "draw_order",
    "draw_partition",
    "draw_permutation",
    "draw_pipeline",
    "draw_predicate",
    "draw_product",
    "draw_products",
    "draw_range",
    "draw_shape_div",
    "draw_slice",
    "draw_swizzle",
    "draw_swizzle_bits",
    "draw_tensor",
    "draw_threads",
    "draw_timeline",
    "draw_tv",
    "picture",
    "stack",
]
