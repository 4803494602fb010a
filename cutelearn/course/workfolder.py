"""The learner's working folder: lessons and exercises are copied into it; nothing of the learner's is lost.

What was given out is remembered by its SHA-256 in `.cutelearn.json` in that folder. A file that is still what
was given may be replaced by a newer one; any other file is the learner's. JupyterLab rewrites a notebook that is
only opened or run, so a notebook counts as changed when the text of its cells changed.
"""

import hashlib
import json
import os
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path

GIVEN_FOLDERS = ("notebooks", "exercises")
MEMORY = ".cutelearn.json"
PACKAGE = Path(__file__).resolve().parent.parent


class WorkfolderError(Exception):
    """The working folder cannot be used; the message is a sentence for the learner."""


@dataclass
class CopyReport:
    """What one copying did; every name is relative to the folder, with `/`."""

    folder: Path
    added: list[str] = field(default_factory=list)  # not there before
    updated: list[str] = field(default_factory=list)  # ours, unchanged, replaced by a newer one
    current: list[str] = field(default_factory=list)  # the course's newest; perhaps run, never changed
    yours: list[str] = field(default_factory=list)  # changed by the learner, and the course has nothing newer
    held_back: list[str] = field(default_factory=list)  # not ours any more, and the course has another version
    retired: list[str] = field(default_factory=list)  # given out once, no longer in the course, still there
    left_out: list[str] = field(default_factory=list)  # of the course, not wanted now, and not in the folder
    memory_lost: bool = False  # .cutelearn.json could not be read

    as_shipped: list[str] = field(default_factory=list)  # byte for byte what the course ships


@dataclass(frozen=True)
class Fingerprint:
    """What tells whether a file changed. The two are the same but for a notebook."""

    file: str  # SHA-256 of the bytes
    text: str  # SHA-256 of the cells' types and sources: running a notebook leaves it, editing does not

    @staticmethod
    def of(content: bytes) -> "Fingerprint":
        whole = hashlib.sha256(content).hexdigest()
        try:
            cells = [[cell["cell_type"], "".join(cell["source"])] for cell in json.loads(content)["cells"]]
        except (ValueError, KeyError, TypeError):
            return Fingerprint(whole, whole)
        return Fingerprint(whole, hashlib.sha256(json.dumps(cells).encode()).hexdigest())


def course_folder() -> Path:
    """Where notebooks/ and exercises/ are: inside an installed package, or beside it in a clone.

    Raises WorkfolderError where there are no lessons.
    """
    for folder in (PACKAGE / "_course", PACKAGE.parent):
        if any((folder / "notebooks").glob("*.ipynb")):
            return folder
    raise WorkfolderError(
        f"this installation of cutelearn holds no lessons: {PACKAGE / '_course' / 'notebooks'} and"
        f" {PACKAGE.parent / 'notebooks'} hold no notebook. Install it again, from a wheel or a whole clone."
    )


def around(start: Path) -> Path | None:
    """The nearest working folder that holds `start`, or is it; None where `start` lies in none."""
    return next((folder for folder in (start, *start.parents) if (folder / MEMORY).is_file()), None)


def found_from(start: Path) -> Path:
    """The working folder that a command means when none is named: the one around `start`, else ./work.

    ./work comes before a folder further up: it is the nearer one.
    """
    if (start / MEMORY).is_file():
        return start
    work = start / "work"
    return work if (work / MEMORY).is_file() else around(start) or work


def copy_course(course: Path, folder: Path, wanted: Callable[[str], bool] = lambda name: True) -> CopyReport:
    """Copy the lessons and exercises of `course` into `folder`; replace only what the learner never changed.

    Post-condition: a file whose content differs from what was given out is as it was before, and so is every file
    whose name is not `wanted`.
    Raises WorkfolderError where the folder cannot be made or written, is the course's own, or would be a second one
    inside the learner's.
    """
    if folder == course or any(folder.is_relative_to(course / part) for part in GIVEN_FOLDERS):
        raise WorkfolderError(
            f"{folder} is where the course itself is kept. Name a folder of your own: cutelearn lab FOLDER."
        )
    if folder.is_file():
        raise WorkfolderError(f"{folder} is a file. Name a folder: cutelearn lab FOLDER.")
    outer = around(folder)
    if outer not in (None, folder):
        raise WorkfolderError(
            f"{folder} is inside {outer}, which is your folder already. Leave the name out to use that one, or name a"
            " folder outside of it: cutelearn lab FOLDER."
        )
    report = CopyReport(folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        given = _remembered(folder, report)
        files = dict(_course_files(course))
        for name, source in files.items():
            if wanted(name):
                _give(name, source.read_bytes(), folder / name, given, report)
            elif not os.path.lexists(folder / name):
                report.left_out.append(name)
        report.retired = sorted(name for name in given if name not in files and (folder / name).exists())
        memory = {name: asdict(fingerprint) for name, fingerprint in given.items()}
        write_whole(folder / MEMORY, json.dumps({"given": memory}, indent=1, sort_keys=True).encode() + b"\n")
    except OSError as error:
        raise WorkfolderError(
            f"the folder {folder} cannot be used: {error.strerror or error}"
            f"{f' ({error.filename})' if error.filename else ''}. Nothing of yours was changed; you can name another"
            " folder: cutelearn lab FOLDER."
        ) from error
    return report


def _give(name: str, content: bytes, target: Path, given: dict[str, Fingerprint], report: CopyReport) -> None:
    """Put one file in place, or leave the learner's alone; `given` and `report` say which."""
    new, was, there = Fingerprint.of(content), given.get(name), None
    if target.is_file():
        there = Fingerprint.of(target.read_bytes())
    if not os.path.lexists(target):
        outcome = report.added
    elif there == new:
        outcome = report.current
    elif there and was and there.file == was.file:
        outcome = report.updated
    elif there and there.text == new.text:
        given[name] = new
        report.current.append(name)  # run by the learner: the outputs stay
        return
    elif there and was and there.text == was.text:
        outcome = report.updated  # run, never changed, and the course moved on
    else:
        (report.yours if was and was.text == new.text else report.held_back).append(name)
        return
    if outcome is not report.current:
        write_whole(target, content)
    given[name] = new
    outcome.append(name)
    report.as_shipped.append(name)


def _course_files(course: Path):
    """Yield (name in the working folder, path in the course) of every file to give out, in order."""
    for part in GIVEN_FOLDERS:
        for path in sorted((course / part).rglob("*")):
            inner = path.relative_to(course)
            if path.is_file() and not any(p.startswith(".") or p == "__pycache__" for p in inner.parts):
                yield inner.as_posix(), path


def _remembered(folder: Path, report: CopyReport) -> dict[str, Fingerprint]:
    """The name -> fingerprint of what was given out before; empty, and reported, where it cannot be read."""
    memory = folder / MEMORY
    if not memory.exists():
        return {}
    try:
        given = json.loads(memory.read_text("utf-8"))["given"]
        return {name: Fingerprint(**fingerprint) for name, fingerprint in given.items()}
    except (ValueError, KeyError, TypeError, AttributeError):
        report.memory_lost = True
        return {}


def write_whole(target: Path, content: bytes) -> None:
    """Write whole or not at all, so that a full disk or a Ctrl-C leaves no half lesson."""
    target.parent.mkdir(parents=True, exist_ok=True)
    half = target.with_name(f".{target.name}.{os.getpid()}.half")  # another command may write the same just now
    try:
        half.write_bytes(content)
        half.replace(target)
    finally:
        half.unlink(missing_ok=True)


def sign(paths: list[Path]) -> bool:
    """Tell Jupyter's notary that these notebooks are trusted: JupyterLab shows SVG figures only in such ones.

    Sign only what the course itself ships. The signatures go into the user's own Jupyter data folder; False
    where that cannot be written.
    """
    import nbformat
    from nbformat.sign import NotebookNotary

    try:
        notary = NotebookNotary()
        for path in paths:
            if path.suffix == ".ipynb":
                notary.sign(nbformat.read(path, as_version=4))
        notary.store.close()
    except OSError:
        return False
    return True


def describe(report: CopyReport) -> str:
    """The report in sentences, for the terminal."""
    counts = {"new": report.added, "updated": report.updated, "unchanged": report.current}
    done = ", ".join(f"{len(names)} {word}" for word, names in counts.items() if names)
    lines = [f"{report.folder}: {done or 'nothing to copy'}."]
    if report.memory_lost:
        lines.append(f"{MEMORY} could not be read, so every file that differs from the course counts as yours.")
    if report.yours:
        lines.append(f"Left alone, because you changed them: {', '.join(report.yours)}.")
    if report.held_back:
        lines.append("Left alone, because you changed them, though the course has a newer version:")
        lines += [f"  {name}" for name in report.held_back]
        lines.append("To get the newer version of one, rename yours and run this command again.")
    if report.retired:
        lines.append(f"No longer part of the course, left where they are: {', '.join(report.retired)}.")
    return "\n".join(lines)
