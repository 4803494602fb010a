"""Turing (SM75): the first warp-wide MMAs, and ldmatrix. Pure data.

A warp's lane is (4, 8): lane % 4 counts along K (or N, in C), lane // 4 along M (or N, in B).
Source: CuTe headers `mma_traits_sm75.hpp`, `copy_traits_sm75.hpp`, `copy_traits_sm50.hpp`.
"""

from ..layout import Layout
from .records import CopyRecord, MMAFamily

ROW_8x8 = Layout(((4, 8), 2), ((16, 1), 8))  # (T32,V2) -> (M8,N8)
ROW_8x16 = Layout(((4, 8), 4), ((32, 1), 8))  # (T32,V4) -> (M8,N16)
ROW_16x8 = Layout(((4, 8), (2, 2)), ((32, 1), (16, 8)))  # (T32,V4) -> (M16,N8)

MMAS = (
    MMAFamily("SM75", (16, 8, 8), "F32F16F16F32 F16F16F16F16", ROW_16x8, ROW_8x8, ROW_16x8),
    MMAFamily("SM75", (8, 8, 16), "S32S8S8S32", ROW_8x16, ROW_8x16, ROW_8x8),
)

# ldmatrix reads 8x8 matrices of 16-bit elements: a lane gives the address of a row (128 bits) and gets two neighbours of
# every matrix (32 bits). With fewer than four matrices the addresses of the further lanes repeat. Maps are to bits.
ADDRESS_X1 = Layout(((8, 4), 128), ((128, 0), 1))
ADDRESS_X2 = Layout(((16, 2), 128), ((128, 0), 1))
ADDRESS_X4 = Layout((32, 128), (128, 1))
GET_X1 = Layout((32, 32), (32, 1))
GET_X2 = Layout((32, (32, 2)), (32, (1, 1024)))
GET_X4 = Layout((32, (32, 4)), (32, (1, 1024)))
GET_X1_T = Layout(((4, 8), (16, 2)), ((256, 16), (1, 128)))
GET_X2_T = Layout(((4, 8), (16, 2, 2)), ((256, 16), (1, 128, 1024)))
GET_X4_T = Layout(((4, 8), (16, 2, 4)), ((256, 16), (1, 128, 1024)))

LDMATRIX = {
    "U32x1_{}_N": (ADDRESS_X1, GET_X1),
    "U32x2_{}_N": (ADDRESS_X2, GET_X2),
    "U32x4_{}_N": (ADDRESS_X4, GET_X4),
    "U16x2_{}_T": (ADDRESS_X1, GET_X1_T),
    "U16x4_{}_T": (ADDRESS_X2, GET_X2_T),
    "U16x8_{}_T": (ADDRESS_X4, GET_X4_T),
}
_TWO_WORDS = Layout((32, 64), (64, 1))

COPIES = (
    CopyRecord(
        "SM50_Shuffle_U32_2x2Trans_XOR1",
        "SM50",
        _TWO_WORDS,
        Layout(((2, 16), (32, 2)), ((32, 128), (1, 64))),
        _TWO_WORDS,
    ),
    CopyRecord(
        "SM50_Shuffle_U32_2x2Trans_XOR4",
        "SM50",
        _TWO_WORDS,
        Layout(((4, 2, 4), (32, 2)), ((64, 32, 512), (1, 256))),
        _TWO_WORDS,
    ),
    *(CopyRecord(f"SM75_{name.format('LDSM')}", "SM75", src, dst, dst) for name, (src, dst) in LDMATRIX.items()),
    # movmatrix transposes an 8x8 matrix in registers; the traits only say that every lane gives and gets one word.
    CopyRecord("SM75_U32x1_MOVM_T", "SM75", GET_X1, GET_X1, GET_X1, moved=(GET_X1, GET_X1_T)),
)
