"""Ampere (SM80): mma.sync for f16, bf16, tf32, f64, int8, int4 and 1-bit operands. Pure data.

Source: CuTe headers `mma_traits_sm80.hpp`; PTX ISA, "Matrix multiply-accumulate operation using mma instruction".
"""

from ..layout import Layout
from .records import MMAFamily
from .turing import ROW_8x8, ROW_8x16, ROW_16x8

# A lane's register of 32 bits holds V neighbours along K; f64 and complex count as V = 1.
V1_8x4 = Layout(((4, 8), 1), ((8, 1), 0))
V1_8x8 = Layout(((4, 8), 2), ((8, 1), 32))
V1_16x4 = Layout(((4, 8), 2), ((16, 1), 8))
V1_16x8 = Layout(((4, 8), (2, 2)), ((16, 1), (8, 64)))
V2_8x16 = Layout(((4, 8), (2, 2)), ((16, 1), (8, 64)))
V2_16x16 = Layout(((4, 8), (2, 2, 2)), ((32, 1), (16, 8, 128)))
V4_16x16 = Layout(((4, 8), (4, 2)), ((64, 1), (16, 8)))
V4_8x32 = Layout(((4, 8), (4, 2)), ((32, 1), (8, 128)))
V4_16x32 = Layout(((4, 8), (4, 2, 2)), ((64, 1), (16, 8, 256)))
V8_8x32 = Layout(((4, 8), (8,)), ((64, 1), (8,)))
V8_16x32 = Layout(((4, 8), (8, 2)), ((128, 1), (16, 8)))
V8_8x64 = Layout(((4, 8), (8, 2)), ((64, 1), (8, 256)))
V8_16x64 = Layout(((4, 8), (8, 2, 2)), ((128, 1), (16, 8, 512)))
V32_8x128 = Layout(((4, 8), 32), ((256, 1), 8))
V32_16x128 = Layout(((4, 8), (32, 2)), ((512, 1), (16, 8)))
V32_8x256 = Layout(((4, 8), (32, 2)), ((256, 1), (8, 1024)))
V32_16x256 = Layout(((4, 8), (32, 2, 2)), ((512, 1), (16, 8, 2048)))

_WRAP_OR_SATURATE = ("_TN", "_TN_SATURATE")
_POPC = ("_TN_XORPOPC", "_TN_ANDPOPC")
_INT8 = "S32S8S8S32 S32S8U8S32 S32U8S8S32 S32U8U8S32"
_INT4 = "S32S4S4S32 S32S4U4S32 S32U4S4S32 S32U4U4S32"
_SLIP = (
    "The header writes ALayout's stride as ((512,1),((16,8))), which does not fit its shape ((4,8),(32,2)), so CuTe cannot "
    "evaluate it. The map here is the instruction's: the same without the pair of parentheses too many"
)


def _family(shape, types, a, b, c, suffixes=("_TN",), note=""):
    return MMAFamily("SM80", shape, types, a, b, c, suffixes, note=note)


MMAS = (
    _family((16, 8, 8), "F16F16F16F16 F32F16F16F32 F32BF16BF16F32", ROW_16x8, ROW_8x8, ROW_16x8),
    _family((16, 8, 16), "F16F16F16F16 F32F16F16F32 F32BF16BF16F32", V2_16x16, V2_8x16, ROW_16x8),
    _family((16, 8, 4), "F32TF32TF32F32", V1_16x4, V1_8x4, ROW_16x8),
    _family((16, 8, 8), "F32TF32TF32F32", V1_16x8, V1_8x8, ROW_16x8),
    # C64 and GC64 are four and three f64 instructions; GC64 accumulates in Gauss's form.
    _family((8, 8, 4), "F64F64F64F64 C64C64C64C64 GC64C64C64GC64", V1_8x4, V1_8x4, ROW_8x8),
    _family((8, 8, 16), _INT8, ROW_8x16, ROW_8x16, ROW_8x8, _WRAP_OR_SATURATE),
    _family((16, 8, 16), _INT8, V4_16x16, ROW_8x16, ROW_16x8, _WRAP_OR_SATURATE),
    _family((16, 8, 32), _INT8, V4_16x32, V4_8x32, ROW_16x8, _WRAP_OR_SATURATE),
    _family((8, 8, 32), _INT4, V8_8x32, V8_8x32, ROW_8x8, _WRAP_OR_SATURATE),
    _family((16, 8, 32), _INT4, V8_16x32, V8_8x32, ROW_16x8, _WRAP_OR_SATURATE),
    _family((16, 8, 64), _INT4, V8_16x64, V8_8x64, ROW_16x8, _WRAP_OR_SATURATE),
    _family((8, 8, 128), "S32U1U1S32", V32_8x128, V32_8x128, ROW_8x8, _POPC),
    _family((16, 8, 128), "S32U1U1S32", V32_16x128, V32_8x128, ROW_16x8, _POPC, _SLIP),
    _family((16, 8, 256), "S32U1U1S32", V32_16x256, V32_8x256, ROW_16x8, _POPC),
)
