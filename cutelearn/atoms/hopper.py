"""Hopper (SM90): larger f64 MMAs of a warp, and stmatrix. Pure data. The warpgroup MMAs are in gmma.py.

Source: CuTe headers `mma_traits_sm90.hpp`, `copy_traits_sm90.hpp`.
"""

from ..layout import Layout
from .ampere import V1_8x4, V1_8x8, V1_16x4, V1_16x8
from .records import CopyRecord, MMAFamily
from .turing import LDMATRIX, ROW_16x8

V1_8x16 = Layout(((4, 8), 4), ((8, 1), 32))
V1_16x16 = Layout(((4, 8), (2, 4)), ((16, 1), (8, 64)))
_F64 = "F64F64F64F64 C64C64C64C64"

MMAS = (
    MMAFamily("SM90", (16, 8, 4), _F64, V1_16x4, V1_8x4, ROW_16x8),
    MMAFamily("SM90", (16, 8, 8), _F64, V1_16x8, V1_8x8, ROW_16x8),
    MMAFamily("SM90", (16, 8, 16), _F64, V1_16x16, V1_8x16, ROW_16x8),
)

# stmatrix is ldmatrix backwards: what was taken is given.
COPIES = tuple(
    CopyRecord(f"SM90_{name.format('STSM')}", "SM90", got, address, got) for name, (address, got) in LDMATRIX.items()
)
