"""Hypothesis profiles: `ci` is repeatable and quick; CUTELEARN_HYPOTHESIS=heavy hunts for wrong answers."""

import os

from hypothesis import HealthCheck, settings

QUIET = [HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large]

settings.register_profile("ci", max_examples=200, derandomize=True, deadline=None, suppress_health_check=QUIET)
settings.register_profile(
    "heavy",
    max_examples=int(os.environ.get("CUTELEARN_EXAMPLES", "20000")),
    deadline=None,
    suppress_health_check=QUIET,
)
settings.load_profile(os.environ.get("CUTELEARN_HYPOTHESIS", "ci"))
