"""Ada (SM89): mma.sync for the two 8-bit floats. Pure data.

Source: CuTe header `mma_traits_sm89.hpp`.
"""

from .ampere import V4_8x32, V4_16x32
from .records import MMAFamily
from .turing import ROW_16x8

_PAIRS = ("E4M3E4M3", "E4M3E5M2", "E5M2E4M3", "E5M2E5M2")
_TYPES = " ".join(f"{acc}{pair}{acc}" for acc in ("F32", "F16") for pair in _PAIRS)

MMAS = (MMAFamily("SM89", (16, 8, 32), _TYPES, V4_16x32, V4_8x32, ROW_16x8),)
