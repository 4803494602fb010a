"""`cutelearn check`: run the learner's exercise notebooks and say how far they are.

A notebook runs in a kernel of its own. A cell that loops or takes the kernel down is left out, and the rest runs again.
What was found is kept in `.cutelearn-progress.json` in the working folder, and nowhere else.
"""

import json
import os
import re
import sys
import textwrap
from dataclasses import asdict, dataclass
from pathlib import Path

from .exercises import DONE, NOT_ATTEMPTED, Verdict, chapters, exercise, exercises_of, fill, verdict
from .notebooks import chapter_of, check_cells, exercise_ids, part_of, tags_of
from .workfolder import PACKAGE, around, found_from, write_whole

PROGRESS = ".cutelearn-progress.json"
SECONDS = 60  # for one cell
TELL = "__import__('cutelearn.course.progress', fromlist=['tell']).tell"  # in the kernel, whatever the notebook imports


class CannotCheck(Exception):
    """There is nothing that could be checked; the message is a sentence for the learner."""


@dataclass(frozen=True)
class Row:
    """One exercise in the table."""

    id: str
    title: str
    state: str
    note: str = ""
    why: str = ""  # it is not done, in a sentence


# ------------------------------------------------------------------------------------------------ in the kernel


def tell(exercise_id: str, namespace: dict) -> None:
    """Print the verdict on the answer in a namespace, for `run` to read."""
    one = exercise(exercise_id)
    print(json.dumps(asdict(verdict(one, namespace.get(one.answer, ...)))))


# ------------------------------------------------------------------------------------------------ which notebooks


def working_folder(start: Path, wanted: list[str]) -> Path:
    """The learner's folder: that of the place, else that of the first notebook that is named, else the place itself.

    All that was found is kept there, so that a folder has one progress file.
    """
    found = found_from(start)
    named = (around(Path(word).resolve().parent) for word in wanted if word.endswith(".ipynb"))
    return found if around(found) else next(filter(None, named), start)


def notebooks_to_check(folder: Path, wanted: list[str]) -> list[Path]:
    """The notebooks that the words of the command mean: chapters ("04"), files, or none for every chapter.

    Raises CannotCheck.
    """
    found = []
    for word in wanted or ["*"]:
        path = Path(word)
        if path.suffix == ".ipynb":
            if not path.is_file():
                raise CannotCheck(f"there is no file {path}.")
            found.append(path)
        elif wanted and not re.fullmatch(r"\d\d?", word):
            raise CannotCheck(f"'{word}' is no chapter: write its number, such as 04, or name a notebook.")
        else:
            found += _of_chapter(folder, word)
    return found


def _of_chapter(folder: Path, word: str) -> list[Path]:
    """Every exercise notebook of a chapter. Of several with one number the course's own name counts."""
    number = word if word == "*" else word.zfill(2)
    paths = sorted((folder / "exercises").glob(f"{number}-*.ipynb"))
    if not paths:
        what = "no exercises" if word == "*" else f"no exercises of chapter {number}"
        if word != "*" and number not in chapters():
            raise CannotCheck(f"no chapter {number} has exercises; these do: {', '.join(chapters())}.")
        raise CannotCheck(f"{folder} holds {what}. Run `cutelearn lab` first, or go to the folder that it made.")
    by_number: dict[str, list[Path]] = {}
    for path in paths:
        by_number.setdefault(path.name[:2], []).append(path)
    return [_shipped_name(same) for same in by_number.values()]


def _shipped_name(paths: list[Path]) -> Path:
    shipped = [
        p for p in paths for course in (PACKAGE / "_course", PACKAGE.parent) if (course / "exercises" / p.name).exists()
    ]
    if len(paths) > 1 and not shipped:
        names = ", ".join(p.name for p in paths)
        raise CannotCheck(f"{paths[0].parent} holds {names}: name the one that you mean.")
    return (shipped or paths)[0]


# ------------------------------------------------------------------------------------------------ one notebook


def check_notebook(path: Path, seconds: float = SECONDS) -> list[Row]:
    """Run the notebook; one row for each exercise of its chapter. Raises CannotCheck where it holds no exercises."""
    notebook = _read(path)
    chapter = chapter_of(notebook)
    if chapter is None or not exercise_ids(chapter):
        raise CannotCheck(f"{path} holds no exercises that this cutelearn knows.")
    checks = {check.exercise_id: check for check in check_cells(notebook, chapter)}
    places = {check.index: check.exercise_id for check in checks.values() if not check.problem}
    verdicts, accidents = run(notebook, path.parent, places, seconds)
    rows = []
    for one in exercises_of(chapter).values():
        if problem := checks[one.id].problem:
            rows.append(Row(one.id, one.title, "cannot be checked", problem))
        elif one.id in verdicts:
            rows.append(_row(one.title, verdicts[one.id], accidents.get(one.id, "")))
        else:
            rows.append(Row(one.id, one.title, "stopped", accidents.get(one.id, "the notebook could not be run")))
    return rows


def _read(path: Path):
    import nbformat

    try:
        return nbformat.read(path, as_version=4)
    except Exception as error:  # not JSON, no notebook, no right to read
        why = f": {error.strerror}" if isinstance(error, OSError) else ""
        raise CannotCheck(f"{path} cannot be read as a notebook{why}.") from error


def _row(title: str, found: Verdict, accident: str) -> Row:
    if found.state == DONE:
        return Row(found.id, title, DONE)
    why = accident if found.state == NOT_ATTEMPTED else found.sentence
    return Row(found.id, title, found.state, f"next: hint {found.hint} of {found.hints}", why)


def run(notebook, folder: Path, places: dict[int, str], seconds: float) -> tuple[dict[str, Verdict], dict[str, str]]:
    """Run all code cells, in order, and judge at the check cells, whose places are given.

    Gives the verdicts, and what went wrong in the cells of an exercise. A cell that does not end, or that ends the
    kernel, is left out of a new run of the whole.
    """
    verdicts: dict[str, Verdict] = {}
    accidents: dict[str, str] = {}
    bad: set[int] = set()
    while True:
        stopped_at, why = _run_once(notebook, folder, places, seconds, bad, verdicts, accidents)
        if stopped_at is None:
            return verdicts, accidents
        bad.add(stopped_at)
        accidents[_exercise_at(notebook, stopped_at)] = why


def _run_once(notebook, folder, places, seconds, bad, verdicts, accidents) -> tuple[int | None, str]:
    """One run without the bad cells; gives the next bad cell and what it did, or None."""
    from nbclient.exceptions import CellTimeoutError, DeadKernelError
    from nbformat.v4 import new_code_cell

    from .running import kernel

    with kernel(notebook, folder, seconds, allow_errors=True) as client:
        for i, cell in enumerate(notebook.cells):
            if i in bad or cell.cell_type != "code" or "nbval-skip" in tags_of(cell):
                continue
            if i in places:
                cell = new_code_cell(f"{TELL}({places[i]!r}, globals())")
            try:
                client.execute_cell(cell, i, store_history=True)
            except CellTimeoutError:
                return i, f"its cell was not done after {seconds:g} seconds"
            except DeadKernelError:
                return i, "its cell ended Python"
            if i in places:
                verdicts[places[i]] = _told(cell, places[i])
            elif raised := [output for output in cell.outputs if output.output_type == "error"]:
                accidents[_exercise_at(notebook, i)] = _raised(raised[0])
    return None, ""


def _raised(error) -> str:
    """The exception that a cell put out, as a sentence; of a syntax error, the line of the cell."""
    text = re.sub(r" \(\d+\.py, line (\d+)\)$", r" (line \1 of the cell)", error.evalue)
    return f"its cell raised {error.ename}: {text[:200]}"


def _told(cell, exercise_id: str) -> Verdict:
    for output in cell.outputs:
        if output.output_type == "stream" and output.name == "stdout":
            return Verdict(**json.loads(output.text.splitlines()[-1]))
    return Verdict(exercise_id, "cannot be checked")


def _exercise_at(notebook, index: int) -> str:
    """The exercise that a cell belongs to: its own, or that of the next check below it."""
    for cell in notebook.cells[index:]:
        if part := part_of(cell):
            return f"{part['chapter']}.{part['number']}"
    return ""


# ------------------------------------------------------------------------------------------------ what is said


def table(path: Path, rows: list[Row]) -> str:
    """The rows as text. Why an exercise is not done stands below its row."""
    wide_id = max(len(row.id) for row in rows)
    wide_title = max(len(row.title) for row in rows)
    wide_state = max(len(row.state) for row in rows)
    lines = [path.as_posix()]
    for row in rows:
        lines.append(f"  {row.id:{wide_id}}  {row.title:{wide_title}}  {row.state:{wide_state}}  {row.note}".rstrip())
        if row.why:
            lines.append(textwrap.indent(fill(row.why), " " * (wide_id + 4)))
    done = sum(row.state == DONE for row in rows)
    return "\n".join((*lines, f"  {done} of {len(rows)} done"))


def summary(states: dict[str, str]) -> str:
    """How far the course is, from all that was ever checked in this folder."""
    done = sum(state == DONE for state in states.values())
    return f"{done} of the {len(states)} exercises that were checked in this folder are done."


def remember(folder: Path, rows: list[Row]) -> dict[str, str]:
    """Add these states to the progress file of the folder, and give all that it holds.

    Nothing is written in CI or under nbgrader.
    """
    path = folder / PROGRESS
    try:
        states = json.loads(path.read_text("utf-8"))["exercises"]
        states = {str(k): str(v) for k, v in states.items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        states = {}
    states |= {row.id: row.state for row in rows}
    if "CI" not in os.environ and "NBGRADER_EXECUTION" not in os.environ:
        try:
            write_whole(path, json.dumps({"exercises": states}, indent=1, sort_keys=True).encode() + b"\n")
        except OSError as error:
            print(f"The progress could not be written to {path}: {error.strerror or error}.", file=sys.stderr)
    return states
