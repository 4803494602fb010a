"""`cutelearn grade`: a folder of learners' notebooks, run apart and judged here.

Each notebook runs in a process of its own (apart.py), on this machine or on a Dask cluster. Its answers come back as
data, and this process judges them with the installed course's checkers. So nothing that a notebook does to `check`, to
the library or to its cells changes a verdict. Whoever hands in the right data gets the point, whatever way they got it:
no grader can tell a copied answer from an own one.

What was judged is kept beside the CSV, by the content of the notebook, and is not run again.
"""

import hashlib
import json
import os
import sys
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path

from . import apart
from .apart import CannotRun, Collected, Limits
from .exercises import DONE, NOT_ATTEMPTED, Exercise, exercises_of, judge_data
from .guard import OutOfTime, limited, quiet
from .handed_in import (
    HandedIn,
    Plan,
    Unreadable,
    cells_of,
    chapter_by_name,
    content_of,
    fingerprint,
    is_lesson,
    notebooks_in,
    one_line,
    plan,
)
from .wire import BadText, unpacked
from .workfolder import PACKAGE, WorkfolderError, course_folder

STOPPED, NOT_GRADED, NO_EXERCISES = "stopped", "not graded", "no exercises"
JUDGING = 30  # seconds to judge one answer
TRIES = 3  # of a notebook whose process or machine was lost
SCHEDULER_SECONDS = 10  # until a Dask scheduler answers
TELL_EVERY = 10  # seconds, where the output is no terminal


class CannotGrade(Exception):
    """Nothing can be graded; the message is a sentence for the teacher."""


@dataclass(frozen=True)
class Mark:
    """One exercise of one notebook, judged. `reason` is one line; the rest is for the learner's page."""

    chapter: str
    exercise: str
    state: str
    reason: str = ""
    beside: str = ""
    hint: str = ""

    @property
    def points(self) -> int:
        return int(self.state == DONE)


@dataclass(frozen=True)
class Row:
    """A mark, and whose it is."""

    learner: str
    notebook: str
    mark: Mark


# ------------------------------------------------------------------------------------------------ judging


def judged(planned: Plan, collected: Collected) -> list[Mark]:
    """The marks of a notebook, from what its process told."""
    marks = []
    for chapter in planned.chapters:
        for one in exercises_of(chapter).values():
            said = [text for step, text in sorted(collected.raised.items()) if planned.owners[step] == one.id]
            accident = said[-1] if said else ""
            if one.id in collected.answers:
                mark = _mark(one, collected.answers[one.id], accident)
            else:
                mark = Mark(chapter, one.id, STOPPED, accident or collected.problem or "the notebook could not be run")
            note = planned.notes.get(one.id, "")
            marks.append(Mark(**asdict(mark) | {"reason": one_line("; ".join(filter(None, (mark.reason, note))))}))
    return marks


def _mark(one: Exercise, packed_answer, accident: str) -> Mark:
    chapter = one.id[:2]
    try:
        with quiet():
            data = unpacked(packed_answer)
            found = limited(lambda: judge_data(one, data), JUDGING)
    except BadText as error:
        return Mark(chapter, one.id, NOT_GRADED, f"its answer did not come as data: {error}")
    except OutOfTime:
        return Mark(chapter, one.id, NOT_GRADED, f"its answer could not be judged in {JUDGING} seconds")
    except (Exception, RecursionError) as error:  # a fault of a checker costs one row, and is said
        return Mark(chapter, one.id, NOT_GRADED, f"the checker stopped ({type(error).__name__}: {error})")
    if found.state == DONE:
        return Mark(chapter, one.id, DONE)
    hint = f"Hint {found.hint} of {found.hints}: {one.hints[found.hint - 1]}" if found.hints else ""
    reason = accident if found.state == NOT_ATTEMPTED else found.sentence
    return Mark(chapter, one.id, found.state, reason, found.beside, hint)


# ------------------------------------------------------------------------------------------------ what is kept


@cache
def course_version() -> str:
    """A fingerprint of the installed course: its Python files."""
    whole = hashlib.sha256()
    for path in sorted(PACKAGE.rglob("*.py")):
        whole.update(path.relative_to(PACKAGE).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return whole.hexdigest()[:16]


class Kept:
    """Marks by the content of the notebook, one line of JSON each, written as soon as they are known."""

    def __init__(self, path: Path, limits: Limits):
        self.path, self.marks, self.file = path, {}, None
        self.version = f"{course_version()} {limits.seconds:g} {limits.cell:g} {limits.memory}"
        if path.exists():
            for line in path.read_text("utf-8", "replace").splitlines():
                with suppress(ValueError, KeyError, TypeError):
                    kept = json.loads(line)
                    if kept["version"] == self.version:
                        self.marks[kept["content"]] = [Mark(**mark) for mark in kept["marks"]]

    def keep(self, content: str, marks: list[Mark]) -> None:
        self.marks[content] = marks
        if self.file is None:
            whole = not self.path.exists() or self.path.read_bytes()[-1:] in (b"\n", b"")
            self.file = self.path.open("a", encoding="utf-8")
            self.file.write("" if whole else "\n")
        line = {"version": self.version, "content": content, "marks": [asdict(mark) for mark in marks]}
        self.file.write(json.dumps(line) + "\n")
        self.file.flush()

    def close(self) -> None:
        if self.file is not None:
            self.file.close()


# ------------------------------------------------------------------------------------------------ the whole folder


@dataclass
class Report:
    """All rows, in order: learner, chapter, exercise; and the counts of notebooks."""

    rows: list[Row]
    notebooks: int = 0
    run: int = 0  # in this call
    lessons: int = 0  # passed over
    problems: int = 0


def grade(folder: Path, kept_at: Path, limits: Limits, jobs: int, dask: str = "", tell=lambda text: None) -> Report:
    """Grade every notebook below `folder`. Raises CannotGrade; KeyboardInterrupt leaves what is done in `kept_at`.

    `tell` gets a line of progress now and then.
    """
    if not folder.is_dir():
        raise CannotGrade(f"there is no folder {folder}.")
    handed_in = list(notebooks_in(folder))
    if not handed_in:
        raise CannotGrade(f"{folder} holds no notebook: no file below it ends in .ipynb.")
    kept = Kept(kept_at, limits)
    report, rows, owners, todo = Report([], len(handed_in)), [], {}, {}
    for one in handed_in:
        try:
            content = content_of(one.path)
            cells = cells_of(content)
            planned = plan(cells)
        except Unreadable as error:
            rows.append(Row(one.learner, one.name, Mark(chapter_by_name(one.name), "", NOT_GRADED, str(error))))
            continue
        if not planned.chapters:
            if is_lesson(cells) or _is_of_the_course(one):
                report.lessons += 1
            else:
                rows.append(Row(one.learner, one.name, Mark("", "", NO_EXERCISES, _without_exercises())))
            continue
        key = fingerprint(content)
        owners.setdefault(key, []).append(one)
        if key not in kept.marks:
            todo.setdefault(key, one)
    lost = {}
    try:
        with _pool(jobs, dask) as (pool, width):
            for key, marks in _all_run(pool, width, todo, limits, tell):
                report.run += 1
                if isinstance(marks, str):
                    lost[key] = marks
                else:
                    kept.keep(key, marks)
    finally:
        kept.close()
    for key, ones in owners.items():
        for one in ones:
            marks = kept.marks.get(key) or [Mark(chapter_by_name(one.name), "", NOT_GRADED, lost[key])]
            rows += [Row(one.learner, one.name, mark) for mark in marks]
    report.rows = best(rows)
    report.problems = len({row.notebook for row in rows if not row.mark.exercise})
    return report


def _is_of_the_course(one: HandedIn) -> bool:
    with suppress(WorkfolderError):
        return (course_folder() / "notebooks" / one.path.name).is_file()
    return False


def _without_exercises() -> str:
    return "it holds no exercise of this course: no cell's name, check or answer of one"


def best(rows: Iterable[Row]) -> list[Row]:
    """One row for each exercise of a learner: of several notebooks the one with most points, and of these the first
    that says most. Rows without an exercise stay."""
    rank = {DONE: 0, "not yet": 1, STOPPED: 2, NOT_GRADED: 3, NOT_ATTEMPTED: 4}
    chosen: dict[tuple, Row] = {}
    for row in sorted(rows, key=lambda row: row.notebook):
        mark = row.mark
        number = int(mark.exercise.partition(".")[2] or 0)
        key = (row.learner, mark.chapter, number, "" if mark.exercise else row.notebook)
        if key not in chosen or rank[mark.state] < rank[chosen[key].mark.state]:
            chosen[key] = row
    return [chosen[key] for key in sorted(chosen)]


# ------------------------------------------------------------------------------------------------ running


def _all_run(pool, width: int, todo: dict[str, HandedIn], limits: Limits, tell) -> Iterator[tuple]:
    """(content, marks) of each notebook as it is done; in place of marks a sentence where it could not be run."""
    waiting, done, began, told = list(todo.items()), 0, time.monotonic(), 0.0
    running: dict[Future, tuple] = {}
    tries: dict[str, int] = {}
    while waiting or running:
        while waiting and len(running) < width:
            key, one = waiting.pop(0)
            try:
                content = content_of(one.path)
                if fingerprint(content) != key:
                    raise Unreadable("it changed while it was graded: grade again")
                planned = plan(cells_of(content))
            except Unreadable as error:
                done += 1
                yield key, str(error)
                continue
            running[pool.submit(collect_there, planned.job, limits, course_version())] = key, one, planned
        finished, _open = wait(running, timeout=0.5, return_when=FIRST_COMPLETED)
        for future in finished:
            key, one, planned = running.pop(future)
            try:
                marks = judged(planned, checked(future.result(), planned))
            except Exception as error:
                tries[key] = tries.get(key, 0) + 1
                if tries[key] < TRIES:
                    waiting.append((key, one))
                    continue
                marks = f"it could not be run: {error or type(error).__name__}"
            done += 1
            yield key, marks
        terminal = sys.stderr.isatty()
        if (finished or terminal) and (terminal or time.monotonic() - told > TELL_EVERY or not (waiting or running)):
            told = time.monotonic()
            tell(f"{done} of {len(todo)} notebooks, {told - began:.0f} s")


def collect_there(job: dict, limits: Limits, version: str) -> dict:
    """`collect` on whatever machine this runs; plain data. Raises CannotRun."""
    if course_version() != version:
        raise CannotRun("a worker has another version of the course than the one that grades")
    found = apart.collect(job, limits)
    return {"answers": found.answers, "raised": list(found.raised.items()), "problem": found.problem}


def checked(told: dict, planned: Plan) -> Collected:
    """What `collect_there` gave, with nothing in it that has another form."""
    steps = len(planned.job["steps"])
    answers = {key: data for key, data in told["answers"].items() if key in planned.job["answers"]}
    raised = {step: str(said) for step, said in told["raised"] if type(step) is int and 0 <= step < steps}
    return Collected(answers, raised, str(told["problem"]))


@contextmanager
def _pool(jobs: int, dask: str):
    """What runs jobs, and how many at once. At the end of the block, also by Ctrl-C, all that still runs is ended."""
    if dask:
        with _dask_pool(dask) as found:
            yield found
        return
    apart.stop.clear()
    pool = ThreadPoolExecutor(jobs, thread_name_prefix="cutelearn-grade")
    try:
        yield pool, jobs
    finally:
        apart.stop.set()
        pool.shutdown(wait=True, cancel_futures=True)
        apart.stop.clear()


@contextmanager
def _dask_pool(address: str):
    try:
        from distributed import Client
    except ImportError as error:
        raise CannotGrade("--dask needs Dask's distributed: pip install 'cutelearn[grade]'.") from error
    try:
        client = Client(address, timeout=SCHEDULER_SECONDS, set_as_default=False)
    except (OSError, ValueError) as error:
        raise CannotGrade(f"there is no Dask scheduler at {address}.") from error
    try:
        workers = client.scheduler_info(n_workers=-1)["workers"]
        if not workers:
            raise CannotGrade(f"the Dask cluster at {address} has no workers.")
        _same_course(client)
        yield client.get_executor(pure=False, retries=TRIES), 2 * sum(one["nthreads"] for one in workers.values())
    finally:
        client.close()


def _same_course(client) -> None:
    """Raises CannotGrade where a worker does not have this very course."""
    try:
        versions = client.run(course_version)
    except Exception as error:
        raise CannotGrade(
            f"the workers of the cluster cannot import this cutelearn ({type(error).__name__}: {error})."
            " Install the same version of it on each of them."
        ) from error
    if other := sorted(worker for worker, version in versions.items() if version != course_version()):
        raise CannotGrade(
            f"{len(other)} of the cluster's {len(versions)} workers have another cutelearn than this one, such as"
            f" {other[0]}. Install the same version on each of them."
        )


def default_jobs() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
