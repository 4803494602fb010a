"""Try one thing that this machine may be able to do with CUDA kernels, and print what happened as JSON.

Run as `python -m cutelearn.course.probe simulator|compile|gpu`, always in a process of its own: Numba decides
between simulator and GPU when it is first imported, and a broken driver may take the process down.
"""

import json
import sys

if __name__ == "__main__":
    import cutelearn.kernels.machine  # noqa: F401 (imports numba.cuda as the course's kernels do, also with numpy 2.5)

    from numba import cuda  # isort: skip

# The architectures the lessons speak of: Turing, Ampere, Ada, Hopper, Blackwell.
ARCHITECTURES = ((7, 5), (8, 0), (8, 6), (8, 9), (9, 0), (10, 0), (12, 0))


def scale(array, factor):
    """The kernel that every probe uses: array[i] *= factor."""
    i = cuda.grid(1)
    if i < array.size:
        array[i] *= factor


def simulator() -> dict:
    """Run the kernel; with NUMBA_ENABLE_CUDASIM=1 that is the simulator."""
    import numpy as np

    array = np.arange(6, dtype=np.float32)
    cuda.jit(scale)[2, 4](array, 3)
    if array.tolist() == [0, 3, 6, 9, 12, 15]:
        return {"works": True}
    return {"works": False, "reason": f"3 * [0, 1, 2, 3, 4, 5] came out as {array.tolist()}"}


def compile_to_ptx() -> dict:
    """Compile the kernel to PTX for each architecture; report those whose PTX names the right target."""
    from cuda.bindings import nvrtc
    from numba import float32

    targets, reason = [], "the PTX names another target than the one asked for"
    for major, minor in ARCHITECTURES:
        try:
            ptx, _ = cuda.compile_ptx(scale, (float32[::1], float32), cc=(major, minor))
        except Exception as error:  # an architecture that this toolkit does not know: the others still count
            reason = f"{type(error).__name__}: {error}"
            continue
        if f".target sm_{major}{minor}" in ptx:
            targets.append(f"{major}.{minor}")
    if not targets:
        return {"works": False, "reason": reason}
    major, minor = nvrtc.nvrtcVersion()[1:]
    return {"works": True, "targets": targets, "toolkit": f"{major}.{minor}"}


def gpu() -> dict:
    """List the GPUs, and run the kernel on the first."""
    from cuda.bindings import driver

    try:
        (status,) = driver.cuInit(0)
    except RuntimeError:  # cuda-bindings found no driver library to load
        return {"works": False, "devices": [], "reason": "no NVIDIA driver on this machine"}
    if status != driver.CUresult.CUDA_SUCCESS:
        return {
            "works": False,
            "devices": [],
            "reason": f"the NVIDIA driver finds no GPU it can use ({status.name})",
        }
    version = driver.cuDriverGetVersion()[1]
    found = {"driver_cuda": f"{version // 1000}.{version % 1000 // 10}", "devices": []}
    for device in range(driver.cuDeviceGetCount()[1]):
        name = driver.cuDeviceGetName(100, device)[1].decode().strip("\0 ")
        attribute = driver.CUdevice_attribute
        major = driver.cuDeviceGetAttribute(attribute.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device)[1]
        minor = driver.cuDeviceGetAttribute(attribute.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device)[1]
        found["devices"].append({"name": name, "compute_capability": f"{major}.{minor}"})
    try:
        return found | simulator()
    except Exception as error:  # found but unusable, for example a driver older than the toolkit
        return found | {"works": False, "reason": f"{type(error).__name__}: {error}"}


if __name__ == "__main__":
    print(json.dumps({"simulator": simulator, "compile": compile_to_ptx, "gpu": gpu}[sys.argv[1]]()))
