"""A plain `pytest` is the whole test run: beside tests and doctests it runs the lessons under strict nbval, on all processors."""

import os

import pytest

# A process has either Numba's simulator or real CUDA: tests/test_kernels_*.py run each where it belongs, doctests too.
if os.environ.get("NUMBA_ENABLE_CUDASIM") != "1":
    collect_ignore_glob = ["cutelearn/kernels/*.py", "tests/emulator.py", "tests/real_cuda.py", "tests/simulated_*.py"]


def is_whole_run(config) -> bool:
    return config.args_source == pytest.Config.ArgsSource.TESTPATHS


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config):
    """The whole run uses all processors; the tests of a file, and the cells of a notebook, stay in one process."""
    options = config.option
    a_worker = hasattr(config, "workerinput")  # is started by this very hook, and starts none
    alone = a_worker or options.usepdb or options.collectonly or not is_whole_run(config)
    if not alone and config.pluginmanager.hasplugin("xdist") and options.numprocesses is None:
        options.numprocesses, options.dist = os.cpu_count(), "loadscope"


def pytest_configure(config):
    if is_whole_run(config):
        config.option.nbval = True
        config.option.nbval_current_env = True
        config.option.nbval_cell_timeout = 120.0
