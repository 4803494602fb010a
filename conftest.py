"""A plain `pytest` is the whole test run: beside tests and doctests it runs the lessons under strict nbval."""

import os

import pytest

# A process has either Numba's simulator or real CUDA: tests/test_kernels_*.py run each where it belongs, doctests too.
if os.environ.get("NUMBA_ENABLE_CUDASIM") != "1":
    collect_ignore_glob = ["cutelearn/kernels/*.py", "tests/emulator.py", "tests/real_cuda.py", "tests/simulated_*.py"]


def pytest_configure(config):
    if config.args_source == pytest.Config.ArgsSource.TESTPATHS:
        config.option.nbval = True
        config.option.nbval_current_env = True
        config.option.nbval_cell_timeout = 120.0
