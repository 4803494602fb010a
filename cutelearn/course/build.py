"""`cutelearn build`: every notebook in its one form, executed, and what is made from them: exercises, teachers' notes.

The form: nbformat 4.5, the same metadata everywhere, counts 1..n, what is printed in one piece, text and SVG alone.
`build --check` writes nothing and runs nothing: it holds the files against this form and against each other, and
asks the rules of lint.py. Whether the stored outputs are true is nbval's work.
"""

import copy
import re
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path

import nbformat
from packaging.requirements import Requirement

from . import colab, lint, teaching
from .lint import EXERCISE, KIND_OF_FOLDER, SOLUTION, Page
from .notebooks import check_output, part_of, tags_of

METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}
STUB = "# Your answer goes in place of the three dots."
NBVAL_TAGS = {"nbval-skip"}  # what an author may set; check cells get theirs here
SECONDS = 120  # for one cell
POINTS = 1  # of an exercise, under nbgrader


class BuildError(Exception):
    """The notebooks cannot be built; the message says which, and why."""


@dataclass(frozen=True)
class Difference:
    """A file that is not as it should be. `name` is relative to the root; `what` names the cell."""

    name: str
    what: str

    def __str__(self) -> str:
        return f"{self.name}: {self.what}"


# ------------------------------------------------------------------------------------------------ the form


def canonical(notebook, kind: str):
    """A copy of the notebook in the one form; its outputs are those it has."""
    notebook = copy.deepcopy(notebook)
    cells = [_canonical_cell(cell, kind) for cell in notebook.cells]
    for count, cell in enumerate((c for c in cells if c.cell_type == "code"), 1):
        cell.execution_count = count
        for output in cell.outputs:
            if output.output_type == "execute_result":
                output.execution_count = count
    return nbformat.from_dict({"cells": cells, "metadata": METADATA, "nbformat": 4, "nbformat_minor": 5})


def _canonical_cell(cell, kind):
    form = {"cell_type": cell.cell_type, "id": cell.get("id", ""), "metadata": _cell_metadata(cell, kind)}
    form["source"] = cell.source.rstrip()
    if cell.cell_type == "code":
        form |= {"execution_count": None, "outputs": _one_piece(cell)}
    return nbformat.from_dict(form)


def _cell_metadata(cell, kind) -> dict:
    """The tags that nbval and nbgrader go by. In exercises a check cell cannot be edited."""
    part = part_of(cell) if kind in (SOLUTION, EXERCISE) else None
    if part and part["part"] == "check":
        marks = {"grade": True, "locked": True, "points": POINTS, "solution": False}
        metadata = {"nbgrader": _nbgrader(cell, marks), "tags": ["nbval-check-output"]}
        return metadata | ({"deletable": False, "editable": False} if kind == EXERCISE else {})
    if part and part["part"] == "answer":
        marks = {"grade": False, "locked": False, "solution": True}
        return {"nbgrader": _nbgrader(cell, marks)} | ({"deletable": False} if kind == EXERCISE else {})
    tags = sorted(NBVAL_TAGS.intersection(tags_of(cell)))
    return {"tags": tags} if tags else {}


def _nbgrader(cell, marks: dict) -> dict:
    return marks | {"grade_id": cell.id, "schema_version": 3, "task": False}


def _one_piece(cell) -> list:
    """Outputs with what was printed in one piece, and of each value only its text and its SVG."""
    if "nbval-skip" in tags_of(cell):
        return []
    merged = []
    for output in cell.outputs:
        if output.output_type == "stream" and merged and merged[-1].get("name") == output.name:
            merged[-1].text += output.text
            continue
        output = copy.deepcopy(output)
        if "data" in output:
            output.metadata = {}
            output.data = {mime: data for mime, data in output.data.items() if mime in lint.MIMES}
        merged.append(output)
    return merged


def written(notebook) -> str:
    """The text of a notebook's file."""
    return nbformat.writes(notebook) + "\n"


# ------------------------------------------------------------------------------------------------ exercises


def exercises_from(solved):
    """The notebook for the learner: solutions cut out by nbgrader, and of the outputs only those of check cells."""
    try:
        from nbgrader.preprocessors import ClearSolutions
    except ImportError as error:
        raise BuildError("exercises are cut with nbgrader, which is not installed: pip install -e '.[test]'") from error
    clear = ClearSolutions(code_stub={"python": STUB})
    blank, _resources = clear.preprocess(copy.deepcopy(solved), {})
    for cell in blank.cells:
        part = part_of(cell)
        if cell.cell_type == "code":
            is_check = part and part["part"] == "check"
            cell.outputs = check_output(f"{part['chapter']}.{part['number']}") if is_check else []
    return canonical(nbformat.from_dict(blank), EXERCISE)


# ------------------------------------------------------------------------------------------------ all of them


def notebooks(root: Path, folder: str, wanted: list[str]) -> list[Path]:
    """The notebooks of a folder, those of the wanted chapters where some are named."""
    paths = sorted((root / folder).glob("*.ipynb"))
    return [path for path in paths if not wanted or path.name[:2] in wanted]


def read(path: Path):
    """A notebook of the course; cells without an id are refused, since an id must not change from build to build."""
    try:
        notebook = nbformat.reads(path.read_text("utf-8"), as_version=4)
    except Exception as error:
        raise BuildError(f"{path} is no notebook: {error}") from error
    nameless = [i for i, cell in enumerate(notebook.cells) if not cell.get("id")]
    if nameless:
        raise BuildError(f"{path}: the cells {nameless} have no id; write one into the file, {path.stem}-something")
    return notebook


def page(root: Path, path: Path, notebook) -> Page:
    folder = path.parent
    return Page(notebook, path.stem, KIND_OF_FOLDER[folder.relative_to(root).as_posix()], folder)


def build(root: Path, wanted: list[str], seconds: float = SECONDS) -> list[str]:
    """Execute and write lessons, solutions, exercises and teachers' notes; gives the names of the files that changed.

    Raises BuildError for a cell that raises, and for a rule that is broken.
    """
    changed = []
    for folder in ("notebooks", "solutions"):
        for path in notebooks(root, folder, wanted):
            notebook = colab.with_cell(read(path), path.stem)
            kind = KIND_OF_FOLDER[folder]
            executed = canonical(execute(canonical(notebook, kind), path, seconds), kind)
            changed += _write(root, path, executed)
            if kind == SOLUTION:
                changed += _write(root, root / "exercises" / path.name, exercises_from(executed))
    for path, text in notes(root, wanted):
        changed += _write_text(root, path, text)
    if broken := differences(root, wanted):
        raise BuildError("\n".join(map(str, broken)))
    return changed


def notes(root: Path, wanted: list[str]) -> Iterator[tuple[Path, str]]:
    """The teacher's page of each chapter that has a lesson: where it lies, and what it should say.

    Raises BuildError for a lesson that does not say how long it takes.
    """
    for lesson in notebooks(root, "notebooks", wanted):
        if not lesson.name[:2].isdecimal():
            continue
        try:
            yield root / teaching.name_of(lesson.name[:2]), teaching.page(root, lesson)
        except teaching.NoTime as error:
            raise BuildError(f"{lesson.name}, or its exercises: {error}") from error


def _write(root: Path, path: Path, notebook) -> list[str]:
    return _write_text(root, path, written(notebook))


def _write_text(root: Path, path: Path, text: str) -> list[str]:
    if path.exists() and path.read_text("utf-8") == text:
        return []
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8", newline="\n")
    return [path.relative_to(root).as_posix()]


def execute(notebook, path: Path, seconds: float):
    """The notebook with the outputs of a run in a new kernel. Cells tagged nbval-skip stay as they are."""
    from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError

    from .running import kernel

    with kernel(notebook, path.parent, seconds) as client:
        for i, cell in enumerate(notebook.cells):
            if cell.cell_type != "code" or "nbval-skip" in tags_of(cell):
                continue
            try:
                client.execute_cell(cell, i)
            except CellExecutionError as error:
                raise BuildError(f"{path.name}: {cell.id} raised {error.ename}: {error.evalue}") from error
            except (CellTimeoutError, DeadKernelError) as error:
                raise BuildError(f"{path.name}: {cell.id} did not end well: {type(error).__name__}") from error
    return notebook


def unpinned(root: Path) -> list[str]:
    """The packages the lessons stand on whose version here is not the one of constraints.txt, as sentences."""
    pins = {}
    for line in (root / "constraints.txt").read_text("utf-8").splitlines():
        if line and not line.startswith("#"):
            pin = Requirement(line)
            if pin.marker is None or pin.marker.evaluate():
                (specifier,) = pin.specifier
                pins[pin.name] = specifier.version
    needed = [Requirement(text) for text in requires("cutelearn") or []]
    names = [r.name for r in needed if (r.marker is None or r.marker.evaluate({"extra": ""})) and r.name in pins]
    return [f"{name} {have} here, {pins[name]} pinned" for name in names if (have := _version(name)) != pins[name]]


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


# ------------------------------------------------------------------------------------------------ holding against it


def differences(root: Path, wanted: list[str]) -> list[Difference]:
    """Every file that is not in its form, breaks a rule, or does not follow from its solution. Reads only."""
    found, said = [], set()
    for folder, kind in KIND_OF_FOLDER.items():
        for path in notebooks(root, folder, wanted):
            name, notebook = path.relative_to(root).as_posix(), read(path)
            if kind == EXERCISE:
                found += _against_solution(root, path, name, notebook)
            else:
                found += _compare(
                    name, path.read_text("utf-8"), notebook, canonical(colab.with_cell(notebook, path.stem), kind)
                )
            complaints = [c for c in lint.complaints(page(root, path, notebook)) if c not in said]
            said.update(complaints)  # what a solution breaks, its exercise breaks too
            found += [Difference(name, complaint) for complaint in complaints]
    for path in notebooks(root, "solutions", wanted):
        if not (root / "exercises" / path.name).exists():
            found.append(Difference(f"exercises/{path.name}", "missing: run `cutelearn build`"))
    for path, text in notes(root, wanted):
        if not path.exists() or path.read_text("utf-8") != text:
            name = path.relative_to(root).as_posix()
            found.append(Difference(name, f"does not follow from its chapter; run `cutelearn build {path.stem}`"))
    return found


def _against_solution(root, path, name, notebook) -> list[Difference]:
    source = root / "solutions" / path.name
    if not source.exists():
        return [Difference(name, f"there is no solutions/{path.name} that it could be made from")]
    wanted = exercises_from(canonical(colab.with_cell(read(source), path.stem), SOLUTION))
    return _compare(name, path.read_text("utf-8"), notebook, wanted)


def _compare(name: str, text: str, notebook, wanted) -> list[Difference]:
    """The first cell in which a notebook differs from the wanted one, and how; nothing where the files are the same."""
    if text == written(wanted):
        return []
    for there, due in zip(notebook.cells, wanted.cells, strict=False):
        if there.get("id") != due.id:
            return [Difference(name, f"{there.get('id')} stands where {due.id} should")]
        for what in ("cell_type", "source", "metadata", "execution_count", "outputs"):
            if there.get(what) != due.get(what):
                return [Difference(name, f"{due.id}: its {what.replace('_', ' ')} differs; run `cutelearn build`")]
    if len(notebook.cells) != len(wanted.cells):
        return [Difference(name, f"{len(notebook.cells)} cells, and {len(wanted.cells)} are due")]
    if dict(notebook.metadata) != METADATA or (notebook.nbformat, notebook.nbformat_minor) != (4, 5):
        return [Difference(name, "the notebook's own metadata or format differs; run `cutelearn build`")]
    return [Difference(name, "is written in another way than nbformat writes; run `cutelearn build`")]


def course_root(start: Path) -> Path:
    """The clone that is to be built. Raises BuildError where there is none."""
    for folder in (start, *start.parents):
        if (folder / "pyproject.toml").exists() and (folder / "notebooks").is_dir():
            return folder
    raise BuildError(f"{start} is in no clone of the course: `cutelearn build` is for who writes it.")


def chapters_wanted(words: list[str]) -> list[str]:
    """Chapter numbers in two digits. Raises BuildError for another word."""
    for word in words:
        if not re.fullmatch(r"\d\d?|glossary", word):
            raise BuildError(f"'{word}' is no chapter: write its number, such as 04.")
    return [word.zfill(2)[:2] for word in words]
