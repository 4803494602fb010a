"""Kernels written with layouts, and the GEMM stages made of them.

Importing this settles, once a process, where kernels run (`PLACE`): on the GPU if there is one, else in Numba's simulator. The
same kernel text runs in both. Where real CUDA is on, kernels come to know the library's words: vocabulary.py.
"""

from .machine import PLACE

if PLACE != "simulator":
    from . import vocabulary  # noqa: F401 (kernels know the library's words from here on)

from .compiling import compile_kernel, jit
from .launch import compile_stage, plan_gemm, run_gemm, stages
from .traps import traps

__all__ = ["PLACE", "compile_kernel", "compile_stage", "jit", "plan_gemm", "run_gemm", "stages", "traps"]
