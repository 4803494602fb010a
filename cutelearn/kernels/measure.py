"""Run the GEMM stages on the GPU that is there: are they right, and how fast, beside cuBLAS.

`python -m cutelearn.kernels.measure` prints JSON; `--check` only checks, `--quick` leaves out the slow stages' large sizes,
`--beside FILE` measures the stages of another Python file too (a list STAGES in it).

Each timing is the median of single launches between CUDA events, on fresh random data. The output is filled with NaN before it is
checked, whole for NaN and against float64 on sampled rows and columns. A long load heats the card, so cuBLAS is timed again
beside every kernel.
"""

import argparse
import ctypes
import datetime
import importlib.metadata
import itertools
import json
import runpy
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numba import cuda

from .launch import STAGES, find_stage, plan_gemm
from .machine import PLACE

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


def check_all() -> dict:
    """Every stage on ragged sizes, in every order, with alpha and beta, inside of larger matrices."""
    failed, done = [], 0
    for stage, (i, size), transposes in itertools.product(STAGES, enumerate(RAGGED), ("NT", "TN", "NN", "TT")):
        alpha, beta = ((1.0, 0.0), (-1.5, 0.0), (2.0, 0.5))[i % 3]
        result = check(stage, *size, transposes, alpha, beta, pad=i % 4, by_rows=i % 2 == 1, seed=i)
        done += 1
        if not result["right"]:
            failed.append({"stage": stage, "size": size, "transposes": transposes, **result})
    return {"checked": done, "failed": failed}


# ------------------------------------------------------------------------------------------------ how fast?


def median_seconds(launch, launches=LAUNCHES) -> float:
    """The median time of single launches, queued back to back, by CUDA events; two launches before them warm up."""
    launch()
    launch()
    events = [(cuda.event(), cuda.event()) for _n in range(launches)]
    for before, after in events:
        before.record()
        launch()
        after.record()
    cuda.synchronize()
    return float(np.median([cuda.event_elapsed_time(before, after) for before, after in events])) / 1e3


def time_stage(stage, problem, name=None, cublas=None) -> dict:
    """TFLOP/s of a stage on a problem, its error, what it uses, and cuBLAS on the same data just before."""
    stage = find_stage(stage)
    a, b, c = problem.on_gpu
    plan = plan_gemm(a, b, c, stage=stage, name=name)
    beside = cublas and median_seconds(lambda: cublas.sgemm(problem), 6)
    c.fill_with_nan()
    plan.launch()
    error = sampled_error(problem, c.fetch()[0])
    seconds = median_seconds(plan.launch)
    compiled = next(iter(plan.kernel.overloads.values()))
    return {
        "stage": stage.name,
        "name": name or stage.name,
        "plan": repr(plan),
        "tflops": round(problem.flop / seconds / 1e12, 2),
        "cublas_tflops": beside and round(problem.flop / beside / 1e12, 2),
        "error": error,
        "right": error < 1e-5,
        "registers": compiled.regs_per_thread,
        "local_bytes": compiled.local_mem_per_thread,
        "shared_bytes": compiled.shared_mem_per_block,
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


# ------------------------------------------------------------------------------------------------ the whole report


def provenance() -> dict:
    """Where numbers come from: GPU, driver, versions, date."""
    from numba.cuda.cudadrv.driver import driver

    device = cuda.get_current_device()
    packages = ("numba", "numba-cuda", "numpy", "llvmlite", "cuda-bindings", "nvidia-nvjitlink")
    return {
        "gpu": device.name.decode() if isinstance(device.name, bytes) else device.name,
        "compute_capability": "{}.{}".format(*device.compute_capability),
        "multiprocessors": device.MULTIPROCESSOR_COUNT,
        "driver": driver.get_version(),
        "packages": {name: _version(name) for name in packages},
        "python": sys.version.split()[0],
        "date": datetime.date.today().isoformat(),
    }


def _version(name):
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None


def report(quick=False, others=()) -> dict:
    """Checks and times everything; see the module."""
    found = {"provenance": provenance(), "check": check_all(), "times": []}
    try:
        cublas = CuBLAS()
        found["cublas"] = cublas.version
    except RuntimeError as error:
        cublas, found["cublas"] = None, str(error)
    slow = ("naive", "coalesced", "smem_tiled")
    fast = [s for s in (*STAGES.values(), *others) if s.name not in slow]
    plain = [(4096, "NT", [*STAGES.values(), *others]), (8192, "NT", fast if quick else [*STAGES.values(), *others])]
    plain += [(4096, "TN", fast), (4096, "NN", fast if quick else [*STAGES.values(), *others]), (4096, "TT", fast)]
    for n, transposes, which in [*plain, (4095, "NT", fast)]:
        problem = Problem(n, n, n, transposes, seed=n)
        for stage in which:
            names = [None, f"cutlass_{stage.name}"] if stage in fast and transposes == "NT" else [None]
            for name in names:
                row = {"n": n, "transposes": transposes} | time_stage(stage, problem, name, cublas)
                found["times"].append(row)
                print(json.dumps(row), file=sys.stderr, flush=True)
    return found


def main(arguments=None) -> int:
    parser = argparse.ArgumentParser(prog="python -m cutelearn.kernels.measure", description=__doc__.split("\n\n")[0])
    parser.add_argument("--check", action="store_true", help="only check, on small ragged sizes")
    parser.add_argument("--quick", action="store_true", help="leave out the slow stages' large sizes")
    parser.add_argument("--beside", type=Path, action="append", default=[], help="a Python file with further STAGES")
    chosen = parser.parse_args(arguments)
    if PLACE != "gpu":
        print("there is no GPU that kernels could run on: nothing to measure", file=sys.stderr)
        return 1
    others = [stage for path in chosen.beside for stage in runpy.run_path(str(path))["STAGES"]]
    found = {"check": check_all()} if chosen.check else report(chosen.quick, others)
    print(json.dumps(found, indent=1))
    return 0 if not found["check"]["failed"] else 1


if __name__ == "__main__":
    sys.exit(main())
