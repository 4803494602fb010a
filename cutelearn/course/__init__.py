"""The course around the library: exercises, the learner's working folder, JupyterLab, what this machine can do.

Notebooks begin with `from cutelearn.course import check, hint, show, solution`.
"""

from .exercises import check, hint, show, solution

__all__ = ["check", "hint", "show", "solution"]
