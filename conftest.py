"""A plain `pytest` is the whole test run: beside tests and doctests it runs the lessons under strict nbval."""

import pytest


def pytest_configure(config):
    if config.args_source == pytest.Config.ArgsSource.TESTPATHS:
        config.option.nbval = True
        config.option.nbval_current_env = True
        config.option.nbval_cell_timeout = 120.0
