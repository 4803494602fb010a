"""What `cutelearn bench` does on the GPU: run the GEMM stages, check them, time them, and cuBLAS beside them.

Each timing is the median of single launches between CUDA events, on fresh random data. The output is filled with NaN before it is
checked, whole for NaN and against float64 on sampled rows and columns. A long load heats the card, so cuBLAS is timed again
beside every kernel.
"""

import ctypes
import datetime
import importlib.metadata
import itertools
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numba import cuda

from .launch import STAGES, find_stage, plan_gemm

LAUNCHES = 12  # a timing is the median of so many
SAMPLES = 64  # rows and columns of C that are compared with float64
RAGGED = [
    (1, 1, 1),
    (5, 7, 6),
    (33, 1, 70),
    (127, 129, 31),
    (129, 127, 8),
    (256, 128, 64),
    (1000, 333, 77),
    (130, 2049, 515),
    (132, 260, 36),  # made of whole vectors
]

# ------------------------------------------------------------------------------------------------ data


@dataclass
class Problem:
    """Random matrices on the host and on the GPU, in the order that the letters say; C by columns."""

    M: int
    N: int
    K: int
    transposes: str = "NT"
    pad: int = 0  # how much each leading dimension is larger than it need be
    seed: int = 0

    def __post_init__(self):
        random = np.random.default_rng(self.seed)
        self.A = self._matrix(random, self.M, self.K, self.transposes[0] == "N")
        self.B = self._matrix(random, self.N, self.K, self.transposes[1] == "T")
        self.C = self._matrix(random, self.M, self.N, True)
        self.on_gpu = [OnGPU(x) for x in (self.A, self.B, self.C)]

    def _matrix(self, random, rows, columns, along_first):
        if along_first:
            return self._matrix(random, columns, rows, False).T
        return random.standard_normal((rows, columns + self.pad), dtype=np.float32)[:, :columns]

    @property
    def flop(self) -> float:
        return 2.0 * self.M * self.N * self.K


class OnGPU:
    """A copy of a host matrix on the GPU, with the same strides: the whole memory behind it travels."""

    def __init__(self, x):
        self.host = x if x.base is None else x.base
        self.memory = cuda.to_device(self.host)
        start = x.__array_interface__["data"][0] - self.host.__array_interface__["data"][0]
        at = self.memory.device_ctypes_pointer.value + start
        self.__cuda_array_interface__ = {
            "version": 3, "typestr": x.dtype.str, "shape": x.shape, "strides": x.strides, "data": (at, False), "stream": None,
        }  # fmt: skip
        self.address, self.start, self.shape, self.strides = at, start, x.shape, x.strides

    def fill_with_nan(self):
        from numba.cuda.cudadrv.driver import device_memset

        device_memset(self.memory, 0xFF, self.memory.nbytes)

    def fetch(self):
        """(the matrix, the whole memory it is part of), on the host."""
        memory = self.memory.copy_to_host()
        return np.ndarray(self.shape, memory.dtype, memory, self.start, self.strides), memory


# ------------------------------------------------------------------------------------------------ is it right?


def check(stage, M, N, K, transposes="NT", alpha=1.0, beta=0.0, pad=0, by_rows=False, seed=0) -> dict:
    """Runs a stage once and compares with float64 what it wrote, everywhere, and what it should have left alone."""
    p = Problem(M, N, K, transposes, pad, seed)
    a, b, c = p.on_gpu
    if beta == 0:
        c.fill_with_nan()
    plan = plan_gemm(b, a, _flipped(c), alpha, beta, stage) if by_rows else plan_gemm(a, b, c, alpha, beta, stage)
    plan.run()
    got, memory = c.fetch()
    want = alpha * (p.A.astype(float) @ p.B.T.astype(float)) + (beta * p.C.astype(float) if beta else 0.0)
    error = float(np.linalg.norm(got - want) / np.linalg.norm(want)) if np.isfinite(got).all() else float("nan")
    untouched = True
    if pad:
        outside = memory[:, p.M :]
        untouched = bool(np.isnan(outside).all()) if beta == 0 else bool((outside == c.host[:, p.M :]).all())
    return {"plan": repr(plan), "error": error, "right": error < 1e-5 and untouched, "outside_untouched": untouched}


class _flipped:
    """A matrix on the GPU with its modes exchanged."""

    def __init__(self, x):
        shown = x.__cuda_array_interface__
        self.owner = x
        self.__cuda_array_interface__ = shown | {"shape": shown["shape"][::-1], "strides": shown["strides"][::-1]}


def check_all(say=lambda line: None) -> dict:
    """Every stage on ragged sizes, in every order, with alpha and beta, inside of larger matrices. say: told of each stage."""
    failed, done = [], 0
    for stage, (i, size), transposes in itertools.product(STAGES, enumerate(RAGGED), ("NT", "TN", "NN", "TT")):
        alpha, beta = ((1.0, 0.0), (-1.5, 0.0), (2.0, 0.5))[i % 3]
        result = check(stage, *size, transposes, alpha, beta, pad=i % 4, by_rows=i % 2 == 1, seed=i)
        done += 1
        if (i, transposes) == (0, "NT"):
            say(f"checking {stage}")
        if not result["right"]:
            failed.append({"stage": stage, "size": size, "transposes": transposes, **result})
    return {"checked": done, "failed": failed}


# ------------------------------------------------------------------------------------------------ how fast?


def median_seconds(launch, launches=LAUNCHES, meanwhile=lambda: None) -> float:
    """The median time of single launches, queued back to back, by CUDA events; two launches before them warm up.

    meanwhile: called once they are queued, while the GPU works them off.
    """
    launch()
    launch()
    events = [(cuda.event(), cuda.event()) for _n in range(launches)]
    for before, after in events:
        before.record()
        launch()
        after.record()
    meanwhile()
    cuda.synchronize()
    return float(np.median([cuda.event_elapsed_time(before, after) for before, after in events])) / 1e3


def time_stage(stage, problem, name, cublas=None, sensors=None) -> dict:
    """TFLOP/s of a stage on a problem, its error, what it uses, and cuBLAS on the same data just before."""
    stage = find_stage(stage)
    a, b, c = problem.on_gpu
    plan = plan_gemm(a, b, c, stage=stage, name=name)
    c.fill_with_nan()
    plan.launch()
    error = sampled_error(problem, c.fetch()[0])
    beside = cublas and median_seconds(lambda: cublas.sgemm(problem), 6)
    state = {}
    seconds = median_seconds(plan.launch, meanwhile=lambda: state.update(sensors.read() if sensors else {}))
    compiled = next(iter(plan.kernel.overloads.values()))
    return {
        "tflops": round(problem.flop / seconds / 1e12, 2),
        "cublas_tflops": beside and round(problem.flop / beside / 1e12, 2),
        "error": error,
        "right": error < 1e-5,
        "registers": compiled.regs_per_thread,
        "local_bytes": compiled.local_mem_per_thread,
        "shared_bytes": compiled.shared_mem_per_block + plan.shared,
        **state,
    }


def sampled_error(problem, got) -> float:
    """The relative error of sampled rows and columns; NaN where any element at all is NaN."""
    if not np.isfinite(got).all():
        return float("nan")
    random = np.random.default_rng(1)
    rows, columns = (np.sort(random.choice(n, min(n, SAMPLES), replace=False)) for n in got.shape)
    want = problem.A[rows].astype(float) @ problem.B[columns].astype(float).T
    return float(np.linalg.norm(got[np.ix_(rows, columns)] - want) / np.linalg.norm(want))


class CuBLAS:
    """cublasSgemm through ctypes, from the wheel or the system."""

    def __init__(self):
        self.library = self._load()
        self.handle = ctypes.c_void_p()
        self._ask("cublasCreate_v2", ctypes.byref(self.handle))
        version = ctypes.c_int()
        self._ask("cublasGetVersion_v2", self.handle, ctypes.byref(version))
        self.version = version.value

    @staticmethod
    def _load():
        names = ["libcublas.so.13", "libcublas.so.12", "libcublas.so", "cublas64_13.dll", "cublas64_12.dll"]
        try:
            import nvidia

            wheels = [p for root in nvidia.__path__ for name in names for p in sorted(Path(root).glob(f"*/*/{name}"))]
        except ImportError:
            wheels = []
        for found in (*map(str, wheels), *names):
            try:
                return ctypes.CDLL(found)
            except OSError:
                continue
        raise RuntimeError("cuBLAS is not installed: pip install 'cutelearn[gpu-cu13]' brings it")

    def _ask(self, function, *arguments):
        status = getattr(self.library, function)(*arguments)
        if status != 0:
            raise RuntimeError(f"{function} of cuBLAS answers {status}")

    def sgemm(self, p: Problem):
        a, b, c = p.on_gpu
        one, zero = ctypes.c_float(1), ctypes.c_float(0)
        letters = [{"N": 0, "T": 1}[letter] for letter in p.transposes]
        ld = [max(x.strides) // 4 for x in (a, b, c)]
        pointers = [ctypes.c_void_p(x.address) for x in (a, b, c)]
        self._ask(
            "cublasSgemm_v2", self.handle, *letters, p.M, p.N, p.K, ctypes.byref(one), pointers[0], ld[0],
            pointers[1], ld[1], ctypes.byref(zero), pointers[2], ld[2],
        )  # fmt: skip


# ------------------------------------------------------------------------------------------------ where


class Sensors:
    """Clock and temperature of the GPU by NVML, the driver's library for them; it reads nothing where that is missing."""

    CLOCK_OF_MULTIPROCESSORS, TEMPERATURE_OF_CHIP = 1, 0

    def __init__(self):
        self.library = None
        try:
            library = ctypes.CDLL("nvml.dll" if sys.platform == "win32" else "libnvidia-ml.so.1")
        except OSError:
            return
        where = cuda.get_current_device().get_device_identity()
        bus = "{pci_domain_id:08x}:{pci_bus_id:02x}:{pci_device_id:02x}.0".format(**where)
        self.handle = ctypes.c_void_p()
        found = library.nvmlInit_v2() or library.nvmlDeviceGetHandleByPciBusId_v2(
            bus.encode(), ctypes.byref(self.handle)
        )
        if found == 0:
            self.library = library

    def read(self) -> dict:
        if self.library is None:
            return {}
        return {
            "mhz": self._ask("nvmlDeviceGetClockInfo", self.CLOCK_OF_MULTIPROCESSORS),
            "celsius": self._ask("nvmlDeviceGetTemperature", self.TEMPERATURE_OF_CHIP),
        }

    def _ask(self, function, which):
        found = ctypes.c_uint()
        return found.value if getattr(self.library, function)(self.handle, which, ctypes.byref(found)) == 0 else None


def lanes(cc) -> int:
    """How many float32 multiply-adds a multiprocessor does a clock. Source: CUDA programming guide, throughput of instructions."""
    return 64 if cc[0] == 7 or tuple(cc) in ((6, 0), (8, 0)) else 128


def provenance() -> dict:
    """Where numbers come from: GPU and what its arithmetic and memory can do at most, driver, versions, date."""
    from numba.cuda.cudadrv.driver import driver

    device = cuda.get_current_device()
    packages = ("numba", "numba-cuda", "numpy", "llvmlite", "cuda-bindings", "nvidia-nvjitlink")
    cc = tuple(device.compute_capability)
    khz, memory_khz, bits = device.CLOCK_RATE, device.MEMORY_CLOCK_RATE, device.GLOBAL_MEMORY_BUS_WIDTH
    return {
        "gpu": device.name.decode() if isinstance(device.name, bytes) else device.name,
        "compute_capability": "{}.{}".format(*cc),
        "multiprocessors": device.MULTIPROCESSOR_COUNT,
        "peak_tflops": round(2 * lanes(cc) * device.MULTIPROCESSOR_COUNT * khz * 1e3 / 1e12, 1),
        "memory_gbytes": round(2 * memory_khz * 1e3 * bits / 8 / 1e9),
        "driver": list(driver.get_version()),
        "packages": {name: _version(name) for name in packages},
        "python": sys.version.split()[0],
        "date": datetime.date.today().isoformat(),
    }


def _version(name):
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None
