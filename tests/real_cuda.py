"""Import this first where a test compiles kernels: real CUDA in this process, with a GPU or without; never the simulator."""

import importlib
import os
import sys

import pytest

pytest.importorskip("numba_cuda", reason="numba-cuda is for Linux and Windows")
if "cutelearn.kernels" not in sys.modules:
    before = os.environ.get("NUMBA_ENABLE_CUDASIM")
    if before != "1":
        os.environ["NUMBA_ENABLE_CUDASIM"] = "0"
    importlib.import_module("cutelearn.kernels")
    if before is None:
        del os.environ["NUMBA_ENABLE_CUDASIM"]

if sys.modules["cutelearn.kernels"].PLACE == "simulator":
    pytest.skip("this process runs the simulator", allow_module_level=True)
