"""Volta (SM70): mma.sync m8n8k4 by a quadpair, eight lanes of a warp: 0-3 and 16-19. Pure data.

Source: CuTe header `mma_traits_sm70.hpp`.
"""

from ..layout import Layout
from .records import MMAFamily

QUADPAIR = Layout((4, 2), (1, 16))
ROW_8x4 = Layout((8, 4), (1, 8))  # (T8,V4) -> (M8,K4): a lane holds one row
COL_8x4 = Layout(((4, 2), 4), ((8, 4), 1))  # (T8,V4) -> (M8,K4): a lane holds half a column
ACC_16BIT = Layout((8, 8), (1, 8))  # (T8,V8) -> (M8,N8)
ACC_32BIT = Layout(((2, 2, 2), (2, 2, 2)), ((1, 16, 4), (8, 2, 32)))


def _family(types, acc, letters):
    a = ROW_8x4 if letters[0] == "T" else COL_8x4
    b = ROW_8x4 if letters[1] == "N" else COL_8x4
    return MMAFamily("SM70", (8, 8, 4), types, a, b, acc, (f"_{letters}",), QUADPAIR)


MMAS = tuple(
    _family(types, acc, letters)
    for types, acc in (("F16F16F16F16", ACC_16BIT), ("F32F16F16F32", ACC_32BIT))
    for letters in ("TN", "NT", "NN", "TT")
)
