"""What the tests of grading share: small notebooks of chapter 04, and a folder graded in one call."""

import json
from pathlib import Path

from cutelearn.course import grade
from cutelearn.course.grade import Limits

IMPORTS = "from cutelearn import Layout, composition, size\nfrom cutelearn.course import check, hint, show, solution"
RIGHT = "a04_1 = [0, 12, 2, 14, 4, 16]"
C1, C4 = 'check("04.1")', 'check("04.4")'
RIGHT_4 = "a04_4 = '(6,4):(4,1)'"
SHORT = Limits(seconds=60, cell=2, memory=1 << 30)


def code(source, **more):
    return {"cell_type": "code", "source": source, "metadata": {}, "outputs": [], "execution_count": None} | more


def notebook(*sources):
    """The file of a notebook with these code cells after the imports."""
    cells = [code(IMPORTS), *map(code, sources)]
    return json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5})


def hand_in(path: Path, content) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def graded(folder: Path, kept: Path, limits: Limits = SHORT, **more) -> grade.Report:
    return grade.grade(folder, kept, limits, more.pop("jobs", 2), **more)


def marks(report, learner) -> dict[str, grade.Mark]:
    """exercise -> mark, of one learner."""
    return {row.mark.exercise: row.mark for row in report.rows if row.learner == learner}


def states(report, learner) -> dict[str, str]:
    return {exercise: mark.state for exercise, mark in marks(report, learner).items()}
