"""warp_tiled with tiles of 256x128, of which a thread computes 8x16 numbers: more products for each number that is read.

    cutelearn bench --beside tests/bench/wide_tiles.py --stages warp_tiled --sizes 4096 8192

It shows how far a kernel's name decides: under a name that holds "cutlass" this tile is the fastest of all, under its own name the
stage's 128x128 is. The kernel is the stage's own.
"""

from dataclasses import replace

from cutelearn.kernels.launch import find_stage
from cutelearn.kernels.stage import Tiling

TILING = Tiling(cta=(256, 128, 16), copy=(32, 8), math=(32, 8), warp=(8, 4), vector=4, neighbours=4, pipe=2)

STAGES = [replace(find_stage("warp_tiled"), name="warp_tiled_256", tiling=TILING, blocks_per_sm=1)]
