"""What learners handed in: which notebooks a folder holds, whose they are, which chapters, and where the answers are.

Nothing of a notebook runs here. Whatever is in the folder gives a sentence at worst.
"""

import hashlib
import json
import os
import re
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from .exercises import Exercise, FunctionExercise, chapters, exercises_of
from .notebooks import check_cells, names_of, part_of, source_of, tags_of
from .wire import packed

LARGEST = 32 << 20  # bytes of a notebook
MOST_CELLS = 5000
CHECK = re.compile(r"""check\(\s*["'](\d\d)\.\d+["']\s*\)""")
ANSWER = re.compile(r"\ba(\d\d)_\d+\b")
LESSON = re.compile(r"(\d\d|glossary)-[a-z0-9-]+")
AT_THE_END = "its cells were not found by name, so the answer at the end of the notebook counts"


class Unreadable(Exception):
    """A file that cannot be graded; the message is a sentence for the teacher."""


@dataclass(frozen=True)
class HandedIn:
    """A notebook in the folder: whose it is, and its name there with `/`."""

    learner: str
    name: str
    path: Path


def notebooks_in(folder: Path) -> Iterator[HandedIn]:
    """Every notebook below the folder, in order of names; links too, which are not followed. Hidden folders are not
    looked into. A learner is a folder in `folder`, or a file there, by its name without .ipynb."""
    found = []
    for inner, folders, files in os.walk(folder):
        links = [name for name in folders if os.path.islink(os.path.join(inner, name))]  # noqa: PTH114, PTH118
        folders[:] = [name for name in folders if not (name.startswith(".") or name == "__MACOSX" or name in links)]
        found += [Path(inner, name) for name in (*files, *links) if name.lower().endswith(".ipynb") and name[0] != "."]
    for path in sorted(found, key=lambda p: p.relative_to(folder).parts):
        inside = path.relative_to(folder)
        learner = inside.parts[0] if len(inside.parts) > 1 else inside.stem
        yield HandedIn(one_line(learner), one_line(inside.as_posix()), path)


def one_line(text: str) -> str:
    """Text without line ends, control characters and broken letters, for a cell of a table."""
    sound = text.encode("utf-8", "backslashreplace").decode("utf-8")
    return " ".join(
        "".join(c if c.isprintable() or c.isspace() else "\N{REPLACEMENT CHARACTER}" for c in sound).split()
    )


def content_of(path: Path) -> bytes:
    """The bytes of an ordinary file that is no link. Raises Unreadable."""
    try:
        found = path.lstat()
        if stat.S_ISLNK(found.st_mode):
            raise Unreadable("it is a link, and links are not followed")
        if not stat.S_ISREG(found.st_mode):
            raise Unreadable("it is no ordinary file")
        if found.st_size > LARGEST:
            raise Unreadable(f"it has {found.st_size >> 20} MB, and at most {LARGEST >> 20} are read")
        flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
        with os.fdopen(os.open(path, flags), "rb") as file:
            content = file.read(LARGEST + 1)
    except OSError as error:
        raise Unreadable(f"it cannot be read: {error.strerror or error}") from error
    if len(content) > LARGEST:
        raise Unreadable(f"it has more than {LARGEST >> 20} MB")
    return content


def fingerprint(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def cells_of(content: bytes) -> list[dict]:
    """The cells of a notebook file of any version. Raises Unreadable."""
    if not content.strip():
        raise Unreadable("the file is empty")
    try:
        notebook = json.loads(content.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise Unreadable("it is no notebook: the file is not JSON") from error
    if isinstance(notebook, dict) and "worksheets" in notebook:
        notebook = _modern(notebook)
    cells = notebook.get("cells") if isinstance(notebook, dict) else None
    if not isinstance(cells, list):
        raise Unreadable("it is JSON, and no notebook: it has no cells")
    if len(cells) > MOST_CELLS:
        raise Unreadable(f"it has {len(cells)} cells, and at most {MOST_CELLS} are run")
    for number, cell in enumerate(cells, 1):
        if not (isinstance(cell, dict) and isinstance(cell.get("cell_type"), str) and _is_source(cell.get("source"))):
            raise Unreadable(f"cell {number} does not have the form of a notebook's cell")
    return cells


def _is_source(source) -> bool:
    return isinstance(source, str) or (isinstance(source, list) and all(isinstance(line, str) for line in source))


def _modern(notebook):
    """A notebook of IPython 2 as one of today."""
    import nbformat

    try:
        return json.loads(nbformat.writes(nbformat.convert(nbformat.from_dict(notebook), 4)))
    except Exception as error:
        raise Unreadable("it is a notebook of an old form that cannot be read") from error


# ------------------------------------------------------------------------------------------------ which chapters


def chapters_in(cells: list[dict]) -> list[str]:
    """The chapters whose exercises these cells hold: by the ids of cells and the calls of check; where there are none,
    by the names of answers, such as a04_3."""
    known = set(chapters())
    found = {part["chapter"] for cell in cells if (part := part_of(cell))}
    code = [source_of(cell) for cell in cells if cell["cell_type"] == "code"]
    for source in code:
        found.update(CHECK.findall(source))
    if not found & known and not is_lesson(cells):
        found = {chapter for source in code for chapter in ANSWER.findall(source)}
    return sorted(found & known)


def is_lesson(cells: list[dict]) -> bool:
    """Whether this is one of the course's lessons: its cells have the course's names, and none is an exercise's."""
    named = [name for cell in cells for name in names_of(cell) if LESSON.fullmatch(name)]
    return 2 * len(named) > len(cells) and not any(map(part_of, cells))


def chapter_by_name(name: str) -> str:
    """The chapter that a file's name says, of a file that cannot be read; "" where it says none.

    >>> chapter_by_name("ann/04-composition (2).ipynb"), chapter_by_name("ann/2026.ipynb")
    ('04', '')
    """
    found = re.search(r"(?<!\d)(\d\d)(?!\d)", name.rpartition("/")[2])
    return found[1] if found and found[1] in chapters() else ""


# ------------------------------------------------------------------------------------------------ the job


@dataclass(frozen=True)
class Plan:
    """What is to be run (see apart.py), and what is to be said of where answers were found."""

    job: dict
    chapters: list[str]
    notes: dict[str, str]  # exercise id -> note
    owners: list[str]  # for each step, the exercise that it belongs to, or ""


def plan(cells: list[dict]) -> Plan:
    """Run all code cells in order, and take an answer where its check cell is.

    Where the check cell is gone, it is taken after the exercise's last cell that is known by its id; else at the end.
    A check cell that was edited runs like any other, and the answer is taken after it.
    """
    mine = chapters_in(cells)
    before: dict[int, list[str]] = {}  # in place of a cell
    after: dict[int, list[str]] = {}
    notes, last = {}, len(cells) - 1
    for chapter in mine:
        for found in check_cells({"cells": cells}, chapter):
            own = [i for i, cell in enumerate(cells) if _is_of(cell, found.exercise_id)]
            if not found.problem:
                before.setdefault(found.index, []).append(found.exercise_id)
            elif found.index is not None:
                after.setdefault(found.index, []).append(found.exercise_id)
                notes[found.exercise_id] = "its check cell was edited; the answer was judged all the same"
            else:
                after.setdefault(own[-1] if own else last, []).append(found.exercise_id)
                notes[found.exercise_id] = "its check cell is missing" + ("" if own else f", and {AT_THE_END}")
    steps: list[list[str]] = []
    owners: list[str] = []
    for i, cell in enumerate(cells):
        owner = _owner(cells, i)
        if i in before:
            steps += [["take", exercise_id] for exercise_id in before[i]]
            owners += before[i]
        elif cell["cell_type"] == "code" and "nbval-skip" not in tags_of(cell) and source_of(cell):
            steps.append(["run", "".join(cell["source"])])
            owners.append(owner)
        steps += [["take", exercise_id] for exercise_id in after.get(i, [])]
        owners += after.get(i, [])
    answers = {one.id: _asked(one) for chapter in mine for one in exercises_of(chapter).values()}
    return Plan({"steps": steps, "answers": answers}, mine, notes, owners)


def _is_of(cell, exercise_id: str) -> bool:
    part = part_of(cell)
    return part is not None and f"{part['chapter']}.{part['number']}" == exercise_id


def _owner(cells, index: int) -> str:
    """The exercise that a cell belongs to: its own, or that of the next cell below that is an exercise's."""
    for cell in cells[index:]:
        if part := part_of(cell):
            return f"{part['chapter']}.{part['number']}"
        if cell["cell_type"] == "code" and (called := re.fullmatch(r'check\("(\d\d\.\d+)"\)', source_of(cell))):
            return called[1]
    return ""


def _asked(one: Exercise) -> dict:
    function = isinstance(one, FunctionExercise)
    asked = {"name": one.answer, "seconds": one.seconds, "function": function}
    return asked | {"inputs": _inputs(one.id)} if function else asked


@cache
def _inputs(exercise_id: str) -> list:
    return packed(list(exercises_of(exercise_id[:2])[exercise_id].inputs()))
