"""The course around the library: exercises, the learner's working folder, JupyterLab, what this machine can do.

Notebooks begin with `from cutelearn.course import check, hint, show, solution`; lessons with `predict, quiz`.
"""

from .exercises import check, hint, show, solution
from .questions import predict, quiz

__all__ = ["check", "hint", "predict", "quiz", "show", "solution"]
