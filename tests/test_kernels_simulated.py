"""Runs simulated_kernels.py, and the examples in the docstrings of the kernels, in a process that has the simulator."""

import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
ROOMS = [
    HERE.parent / "cutelearn" / "kernels" / f"{room}.py"
    for room in ("launch", "stage", "traps", "machine", "compiling", "listing")
]


def test_in_the_simulator():
    files = map(str, (HERE / "simulated_kernels.py", *ROOMS))
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--doctest-modules", *files]
    environment = os.environ | {"NUMBA_ENABLE_CUDASIM": "1"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, cwd=HERE.parent)
    assert done.returncode == 0, done.stdout + done.stderr
    assert " passed" in done.stdout
