"""Where kernels run in this process: on the GPU, in Numba's simulator, or nowhere (they are compiled only).

Numba decides between GPU and simulator when numba.cuda is first imported, by NUMBA_ENABLE_CUDASIM. So this module looks for a
GPU without Numba, sets the variable where there is none, and only then imports numba.cuda.
"""

import ctypes
import os
import sys
from contextlib import contextmanager

import numpy as np

SWITCH = "NUMBA_ENABLE_CUDASIM"


def gpu_count() -> int:
    """How many GPUs the driver lets this process use; 0 where there is no driver."""
    try:
        driver = ctypes.CDLL("nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1")
    except OSError:
        return 0
    count = ctypes.c_int(0)
    if driver.cuInit(0) != 0 or driver.cuDeviceGetCount(ctypes.byref(count)) != 0:
        return 0
    return count.value


def choose() -> str:
    """Settles where kernels run, and imports numba.cuda: "gpu", "simulator", or "nowhere" (compile only).

    NUMBA_ENABLE_CUDASIM, where it is set, is obeyed: 1 asks for the simulator, 0 for real CUDA, also without a GPU.
    Raises RuntimeError where numba.cuda was imported before, in a way that leaves kernels no place to run.
    """
    asked = os.environ.get(SWITCH, "").strip()
    if "numba.cuda" in sys.modules:
        place = "simulator" if "numba.cuda.simulator_init" in sys.modules else "gpu" if gpu_count() else "nowhere"
        _check_not_too_late(asked, place)
    else:
        place = "simulator" if asked not in ("", "0") else "gpu" if gpu_count() else "nowhere" if asked else "simulator"
        if place == "simulator":
            os.environ[SWITCH] = "1"
    with numpy_as_numba_cuda_knows_it():
        import numba.cuda

        if place != "simulator":
            import numba.cuda.np.arrayobj  # noqa: F401 (names numpy.row_stack)
    return place


def _check_not_too_late(asked, place):
    again = "Restart the kernel and import cutelearn.kernels first: it switches the simulator on where there is no GPU"
    if place != "simulator" and asked not in ("", "0"):
        raise RuntimeError(
            f"The simulator was switched on too late: {SWITCH}={asked} was set after numba.cuda had been imported, which reads "
            f"it once. {again}"
        )
    if place == "nowhere" and not asked:
        raise RuntimeError(
            f"numba.cuda was imported before cutelearn.kernels, without its simulator, and this machine has no GPU: kernels have "
            f"no place to run. {again}"
        )


@contextmanager
def numpy_as_numba_cuda_knows_it():
    """Lends numpy the name row_stack, which numba-cuda 0.30 looks up when it is imported and numpy 2.5 no longer has."""
    if hasattr(np, "row_stack"):
        yield
        return
    np.row_stack = np.vstack
    try:
        yield
    finally:
        del np.row_stack


PLACE = choose()
