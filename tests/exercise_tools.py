"""What the tests of exercises share: every registered exercise, with its solution and its wrong answers as values."""

import json
from functools import cache
from pathlib import Path

from cutelearn.course.exercises import chapters, exercises_of
from cutelearn.course.notebooks import part_of

ROOT = Path(__file__).resolve().parent.parent
EXERCISES = [one for chapter in chapters() for one in exercises_of(chapter).values()]
WRONGS = [(one, wrong) for one in EXERCISES for wrong in one.wrong]
WRONG_IDS = [f"{one.id}-{n}" for one in EXERCISES for n in range(1, len(one.wrong) + 1)]


def notebook_of(folder: str, chapter: str) -> Path:
    (path,) = (ROOT / folder).glob(f"{chapter}-*.ipynb")
    return path


@cache
def namespace(folder: str, chapter: str) -> dict:
    """The names that a notebook's answer cells bind; its other cells but the first imports do not run."""
    cells = json.loads(notebook_of(folder, chapter).read_text("utf-8"))["cells"]
    names = {}
    for cell in cells:
        part = part_of(cell)
        source = "".join(cell["source"])
        if cell["cell_type"] == "code" and ((part and part["part"] == "answer") or cell["id"].endswith("-imports")):
            exec(compile(source, cell["id"], "exec"), names)
    return names


def right(one):
    """The answer of the solutions notebook."""
    return namespace("solutions", one.id[:2])[one.answer]


def wrong_value(one, wrong):
    """A catalogued wrong answer as a learner would have it: a dict's other entries are right."""
    return right(one) | wrong.answer if isinstance(wrong.answer, dict) else wrong.answer
