"""What the course knows about its notebooks: the names of cells, which cell checks which exercise, where a solution is.

A notebook here is what is in the file: dicts and lists (nbformat's nodes are dicts too).
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

from .exercises import DONE, NoSuchExercise, exercises_of
from .workfolder import WorkfolderError, course_folder

BEGIN, END = "### BEGIN SOLUTION", "### END SOLUTION"  # nbgrader's marks
PART = re.compile(r"(?P<name>(?P<chapter>\d\d)-[a-z0-9-]+)-(?P<part>ex|answer|check|help)(?P<number>\d+)")


class NoNotebook(LookupError):
    """A notebook or a cell of it is not where it should be; the message is a sentence."""


def source_of(cell) -> str:
    """The text of a cell, which a file may hold as lines."""
    return "".join(cell.get("source", "")).strip()


def names_of(cell) -> Iterator[str]:
    """The id that the course gave this cell, wherever it may have got to: Colab keeps it in the metadata."""
    metadata = _dict(cell.get("metadata"))
    for name in (cell.get("id"), metadata.get("id"), _dict(metadata.get("nbgrader")).get("grade_id")):
        if isinstance(name, str):
            yield name


def tags_of(cell) -> list[str]:
    tags = _dict(cell.get("metadata")).get("tags")
    return tags if isinstance(tags, list) else []


def _dict(x) -> dict:
    return x if isinstance(x, dict) else {}


def part_of(cell) -> re.Match | None:
    """What part of which exercise a cell is: groups name, chapter, part (ex, answer, check, help), number."""
    for name in names_of(cell):
        if found := PART.fullmatch(name):
            return found
    return None


def chapter_of(notebook) -> str | None:
    """The chapter whose exercises this notebook holds; None where it holds none."""
    for cell in notebook["cells"]:
        if found := part_of(cell):
            return found["chapter"]
    return None


def check_source(exercise_id: str) -> str:
    return f'check("{exercise_id}")'


def check_output(exercise_id: str) -> list[dict]:
    """What the check cell of a solved exercise stores."""
    return [{"output_type": "stream", "name": "stdout", "text": f"{exercise_id} · {DONE}\n"}]


@dataclass(frozen=True)
class CheckCell:
    """The check cell of one exercise in a notebook: where it is, or what is wrong with it."""

    exercise_id: str
    index: int | None  # in the notebook's cells
    problem: str = ""


def check_cells(notebook, chapter: str) -> list[CheckCell]:
    """The check cell of every exercise of the chapter, by its id, or by its text where ids were lost."""
    cells = notebook["cells"]
    return [_check_cell(cells, one) for one in exercises_of(chapter)]


def _check_cell(cells, exercise_id: str) -> CheckCell:
    wanted = check_source(exercise_id)
    chapter, _dot, number = exercise_id.partition(".")
    own = chapter, "check", number
    named = [
        i for i, cell in enumerate(cells) if (p := part_of(cell)) and (p["chapter"], p["part"], p["number"]) == own
    ]
    same = [i for i, cell in enumerate(cells) if cell["cell_type"] == "code" and source_of(cell) == wanted]
    if named:
        if named[0] in same:
            return CheckCell(exercise_id, named[0])
        problem = f"the check cell of {exercise_id} was edited: it holds {wanted} and nothing else"
        return CheckCell(exercise_id, named[0], problem)
    if same:
        return CheckCell(exercise_id, same[-1])
    return CheckCell(
        exercise_id, None, f"the check cell of {exercise_id} is missing: put a cell with {wanted} below your answer"
    )


# ------------------------------------------------------------------------------------------------ solutions


def solution_source(exercise_id: str) -> str:
    """The code that solves an exercise, from the solutions notebook that the course ships.

    Raises NoNotebook where it is not there.
    """
    chapter, _dot, number = exercise_id.partition(".")
    try:
        paths = sorted((course_folder() / "solutions").glob(f"{chapter}-*.ipynb"))
    except WorkfolderError:
        paths = []
    for path in paths:
        for cell in json.loads(path.read_text("utf-8"))["cells"]:
            found = part_of(cell)
            if found and (found["part"], found["number"]) == ("answer", number):
                return unmarked(source_of(cell))
    raise NoNotebook(f"the solution is not here: this installation of cutelearn has no solutions for chapter {chapter}")


def unmarked(source: str) -> str:
    """A solution without its marks and without the lines that stand in for it in the blank notebook.

    A region at the left margin is the whole answer; one inside a function is read together with the function.

    >>> print(unmarked("a = ...\\n### BEGIN SOLUTION\\na = 5\\n### END SOLUTION"))
    a = 5
    """
    lines = source.split("\n")
    begin = next((i for i, line in enumerate(lines) if BEGIN in line), None)
    if begin is None:
        return source
    end = next(i for i, line in enumerate(lines) if END in line)
    if lines[begin].startswith(BEGIN):
        return "\n".join(lines[begin + 1 : end])
    return "\n".join(line for line in lines if not re.search(r"### (BEGIN|END) SOLUTION|^\s*\w+ = \.\.\.( *#|$)", line))


def exercise_ids(chapter: str) -> list[str]:
    """The ids of a chapter's exercises; none where the chapter is not known here."""
    try:
        return list(exercises_of(chapter))
    except NoSuchExercise:
        return []
