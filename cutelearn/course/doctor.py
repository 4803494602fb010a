"""What this machine can do for the course, tried and not guessed, and what to install for more.

Every trial runs in a process of its own (`probe.py`): a broken driver or compiler cannot stop the doctor.
"""

import json
import os
import platform
import shutil
import subprocess
import sys
import textwrap
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, requires, version

NEEDED = ("jupyterlab", "ipywidgets", "matplotlib", "numpy", "numba", "nbval", "pytest")
FOR_KERNELS = ("numba-cuda",)
PROBE_SECONDS = 120
NAMED, WIDTH = 11, 96  # columns before a line's text, and in all: so much a notebook shows in one line


@dataclass(frozen=True)
class Diagnosis:
    """All facts that `cutelearn doctor` found; `--json` prints exactly these fields."""

    cutelearn: str
    python: str
    platform: str
    packages: dict[str, str | None]  # name -> version, None where it is not installed
    simulator: dict  # works, and a reason where it does not
    compile: dict  # works, targets (compute capabilities), toolkit (its CUDA version), or a reason
    gpu: dict  # works, devices, driver, driver_cuda, or a reason
    can_follow: bool = False
    advice: list[str] = field(default_factory=list)


def diagnose() -> Diagnosis:
    """Try everything. Takes a few seconds, changes nothing."""
    packages = {name: installed(name) for name in NEEDED + FOR_KERNELS}
    simulator = probe("simulator", NUMBA_ENABLE_CUDASIM="1")
    compile_, gpu = probe_kernels(packages)
    return Diagnosis(
        cutelearn=installed("cutelearn") or "not installed (used from its folder)",
        python=platform.python_version(),
        platform=f"{platform.system()} {platform.machine()}",
        packages=packages,
        simulator=simulator,
        compile=compile_,
        gpu=gpu,
        can_follow=simulator["works"] and all(packages[name] for name in NEEDED),
        advice=advise(packages, simulator, compile_, gpu),
    )


def probe_kernels(packages: dict[str, str | None]) -> tuple[dict, dict]:
    """Compile-to-PTX and GPU, which both need numba-cuda."""
    if packages["numba-cuda"]:
        gpu = probe("gpu", NUMBA_ENABLE_CUDASIM="0")
        return probe("compile", NUMBA_ENABLE_CUDASIM="0"), gpu | {"driver": driver_version()}
    where = "numba-cuda does not exist for macOS" if sys.platform == "darwin" else "numba-cuda is not installed"
    return {"works": False, "reason": where}, {"works": False, "devices": [], "reason": where}


def probe(name: str, **environment: str) -> dict:
    """Run one trial of probe.py; whatever happens to it becomes {"works": ..., "reason": ...}."""
    command = [sys.executable, "-m", "cutelearn.course.probe", name]
    try:
        child = subprocess.run(
            command, env=os.environ | environment, capture_output=True, text=True, timeout=PROBE_SECONDS
        )
    except subprocess.TimeoutExpired:
        return {"works": False, "reason": f"no answer within {PROBE_SECONDS} seconds"}
    try:
        return json.loads(child.stdout.splitlines()[-1])
    except (IndexError, ValueError):
        last = (child.stderr.strip() or "it printed nothing").splitlines()[-1]
        return {"works": False, "reason": f"{last} (exit code {child.returncode})"}


def installed(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def misfits() -> list[str]:
    """A sentence for each package that is outside the versions the course asks for, as after an upgrade by hand."""
    from packaging.requirements import Requirement

    try:
        needs = [Requirement(text) for text in requires("cutelearn") or ()]
    except PackageNotFoundError:  # used from its folder: nothing says which versions it asks for
        return []
    sentences = []
    for need in needs:
        there = installed(need.name) if need.marker is None or need.marker.evaluate({"extra": ""}) else None
        if there and not need.specifier.contains(there, prereleases=True):
            wanted = f"{need.name}{need.specifier}"
            sentences.append(f'{need.name} {there} does not fit the course: pip install "{wanted}"')
    return sentences


def driver_version() -> str | None:
    """The driver's own number, such as 580.159.04, from nvidia-smi where that is there."""
    tool = shutil.which("nvidia-smi")
    if tool is None:
        return None
    command = [tool, "--query-gpu=driver_version", "--format=csv,noheader"]
    try:
        answer = subprocess.run(command, capture_output=True, text=True, timeout=PROBE_SECONDS, check=True).stdout
        return answer.split()[0]
    except (OSError, subprocess.SubprocessError, IndexError):
        return None


def advise(packages: dict[str, str | None], simulator: dict, compile_: dict, gpu: dict) -> list[str]:
    """What to do for more, the most needed first. Empty where nothing is missing."""
    advice = []
    if missing := [name for name in NEEDED if not packages[name]]:
        advice.append(f"Needed by the lessons and not here: pip install {' '.join(missing)}")
    elif not simulator["works"]:
        advice.append("The simulator is part of numba: pip install --force-reinstall numba")
    if wrong := misfits():
        advice += wrong
    elif not compile_["works"] and sys.platform != "darwin":
        advice.append('For compiling to PTX: pip install "numba-cuda[cu13]" "cuda-toolkit==13.0.*"')
    if gpu["devices"]:
        advice += advise_gpu(compile_.get("toolkit", ""), gpu["driver_cuda"])
    return advice


def advise_gpu(toolkit: str, driver_cuda: str) -> list[str]:
    """What a machine with a GPU may add; `toolkit` and `driver_cuda` are CUDA versions such as "13.0"."""
    toolkit_is_12 = toolkit.startswith("12.")
    if int(driver_cuda.split(".")[0]) < 13 and not toolkit_is_12:
        return [
            f"The driver here knows CUDA {driver_cuda}; the base install needs 13.0, driver 580 or newer."
            ' Update the driver, or use a new environment with: pip install "cutelearn[gpu-cu12]"'
        ]
    if not (installed("nvidia-cublas") or installed("nvidia-cublas-cu12")):
        extra = "gpu-cu12" if toolkit_is_12 else "gpu-cu13"
        return [f'To race your kernels against cuBLAS: pip install "cutelearn[{extra}]"']
    return []


def describe(found: Diagnosis) -> str:
    """The diagnosis as the lines that the terminal shows."""
    versions = ", ".join(f"{name} {number or '(missing)'}" for name, number in found.packages.items())
    tried = {
        "cutelearn": f"{found.cutelearn}, Python {found.python}, {found.platform}",
        "packages": versions,
        "simulator": _verdict(found.simulator, "works: kernels run on this machine without a GPU"),
        "compile": _verdict(found.compile, _targets(found.compile)),
        "GPU": _gpu_line(found.gpu),
    }
    lines = [
        *(_wrapped(name, words) for name, words in tried.items()),
        "",
        *found.advice,
        "You can follow the course on this machine."
        if found.can_follow
        else "The course cannot be followed on this machine yet.",
    ]
    return "\n".join(lines)


def _wrapped(name: str, words: str) -> str:
    """A line that begins with a name, and goes on below its own text."""
    lines = textwrap.wrap(words, WIDTH - NAMED, break_long_words=False, break_on_hyphens=False)
    return f"{name:{NAMED}}" + ("\n" + " " * NAMED).join(lines)


def _verdict(trial: dict, when_it_works: str) -> str:
    return when_it_works if trial["works"] else f"does not work: {trial['reason']}"


def _targets(trial: dict) -> str:
    targets = ", ".join(trial.get("targets", []))
    return f"works: CUDA {trial.get('toolkit')}, to PTX without a GPU, for compute capability {targets}"


def _gpu_line(gpu: dict) -> str:
    if not gpu["devices"]:
        return f"none: {gpu['reason']}. Every lesson works without one; a GPU only adds measured cells."
    names = ", ".join(f"{d['name']} (compute capability {d['compute_capability']})" for d in gpu["devices"])
    driver = f"driver {gpu.get('driver') or 'of unknown number'} for CUDA {gpu['driver_cuda']}"
    return f"{names}, {driver}; " + ("kernels run on it" if gpu["works"] else f"no kernel runs on it: {gpu['reason']}")
