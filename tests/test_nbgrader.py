"""nbgrader takes solutions/ as they are: assignment, marks, feedback and table, as a teacher gets them, without network.

Its marks are those of `cutelearn check` and of `cutelearn grade`, exercise by exercise.
"""

import csv
import json
import os
import subprocess
import sys
import sysconfig

import nbformat
import pytest
from exercise_tools import ROOT, notebook_of, wrong_value

from cutelearn import cli
from cutelearn.course import progress
from cutelearn.course.build import STUB
from cutelearn.course.exercises import DONE, NOT_YET, FunctionExercise, chapters, exercises_of
from cutelearn.course.notebooks import BEGIN, part_of

pytest.importorskip("nbgrader")

CHAPTER = "03"
SETTINGS = """c = get_config()
c.CourseDirectory.course_id = "cute"
c.ClearSolutions.code_stub = {"python": ""}
"""
# What the four commands do, in one process: loading nbgrader takes longer than its work.
COMMANDS = """
import json, sys
from pathlib import Path
from nbgrader.api import Gradebook
from nbgrader.apps import AutogradeApp, ExportApp, GenerateAssignmentApp, GenerateFeedbackApp

(chapter,) = sys.argv[1:]
for App, words in (
    (GenerateAssignmentApp, [chapter]), (AutogradeApp, [chapter]), (GenerateFeedbackApp, [chapter]), (ExportApp, [])
):
    app = App()
    app.initialize(words)
    app.start()
with Gradebook("sqlite:///gradebook.db") as book:
    marks = {
        one.student.id: {grade.name: grade.score for notebook in one.notebooks for grade in notebook.grades}
        for one in book.assignment_submissions(chapter)
    }
Path("marks.json").write_text(json.dumps(marks))
"""


def answers(notebook):
    """number -> the answer cell."""
    return {p["number"]: cell for cell in notebook.cells if (p := part_of(cell)) and p["part"] == "answer"}


def lines(cell) -> list[str]:
    return [line for line in cell.source.split("\n") if line.strip()]


def blank():
    return nbformat.read(notebook_of("exercises", CHAPTER), as_version=4)


def with_answers(numbers):
    """The learner's notebook with these exercises solved."""
    notebook, solved = blank(), nbformat.read(notebook_of("solutions", CHAPTER), as_version=4)
    for number in numbers:
        answers(notebook)[number].source = answers(solved)[number].source
    return notebook


def solved():
    return with_answers(answers(blank()))


def half():
    """Every second exercise solved, a wrong answer in the first of the others, and the rest as they were."""
    numbers = list(answers(blank()))
    notebook = with_answers(numbers[1::2])
    one = exercises_of(CHAPTER)[f"{CHAPTER}.{numbers[0]}"]
    assert not isinstance(one, FunctionExercise)
    answers(notebook)[numbers[0]].source = f"{one.answer} = {wrong_value(one, one.wrong[0])!r}"
    return notebook


LEARNERS = {"ada": solved, "bob": blank, "cleo": half}


@pytest.fixture(scope="module")
def graded(tmp_path_factory):
    """The folder of an nbgrader course after all four commands, and the marks: learner -> grade id -> points."""
    folder = tmp_path_factory.mktemp("nbgrader")
    source = folder / "source" / CHAPTER
    source.mkdir(parents=True)
    (source / notebook_of("solutions", CHAPTER).name).write_bytes(notebook_of("solutions", CHAPTER).read_bytes())
    (folder / "nbgrader_config.py").write_text(SETTINGS)
    for name, make in LEARNERS.items():
        handed_in = folder / "submitted" / name / CHAPTER
        handed_in.mkdir(parents=True)
        nbformat.write(make(), handed_in / notebook_of("exercises", CHAPTER).name)
    nowhere = "http://127.0.0.1:9"  # whoever asks another machine gets no answer
    environment = os.environ | {
        "PATH": os.pathsep.join([sysconfig.get_path("scripts"), os.environ.get("PATH", os.defpath)]),
        "JUPYTER_DATA_DIR": str(folder / "jupyter"),
        "JUPYTER_CONFIG_DIR": str(folder / "settings"),
        "IPYTHONDIR": str(folder / "ipython"),
        **dict.fromkeys(("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"), nowhere),
    }
    environment.pop("NBGRADER_EXECUTION", None)
    command = [sys.executable, "-c", COMMANDS, CHAPTER]
    child = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=300)
    assert child.returncode == 0, child.stdout + child.stderr
    assert "| ERROR" not in child.stderr
    return folder, json.loads((folder / "marks.json").read_text())


def test_the_assignment_is_the_exercise_notebook(graded):
    """Nothing but our line about the three dots is missing from nbgrader's own release."""
    released = nbformat.read(graded[0] / "release" / CHAPTER / notebook_of("exercises", CHAPTER).name, as_version=4)
    ours = blank()
    assert [cell.id for cell in released.cells] == [cell.id for cell in ours.cells]
    for there, here in zip(released.cells, ours.cells, strict=True):
        ours_alone = {STUB} if (part := part_of(here)) and part["part"] == "answer" else set()
        assert lines(there) == [line for line in lines(here) if line.strip() not in ours_alone]
        assert BEGIN not in there.source


@pytest.mark.parametrize("learner", LEARNERS)
def test_marks_are_those_of_cutelearn_check(graded, learner):
    folder, marks = graded
    handed_in = folder / "submitted" / learner / CHAPTER / notebook_of("exercises", CHAPTER).name
    rows = progress.check_notebook(handed_in)
    name = notebook_of("exercises", CHAPTER).stem
    points = {f"{name}-check{row.id.partition('.')[2]}": float(row.state == DONE) for row in rows}
    assert marks[learner] == points
    states = [row.state for row in rows]
    if learner == "cleo":
        assert states.count(DONE) == len(rows) // 2
        assert states[0] == NOT_YET
    else:
        assert set(states) == ({DONE} if learner == "ada" else {"not attempted"})


def test_marks_are_those_of_cutelearn_grade(graded, tmp_path, capsys):
    folder, marks = graded
    assert cli.main(["grade", str(folder / "submitted"), "--csv", str(tmp_path / "marks.csv")]) == 0, (
        capsys.readouterr()
    )
    points = {learner: {} for learner in LEARNERS}
    with (tmp_path / "marks.csv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            name = f"{notebook_of('exercises', CHAPTER).stem}-check{row['exercise'].partition('.')[2]}"
            points[row["learner"]][name] = float(row["points"])
    assert points == marks


def test_the_table_adds_them_up(graded):
    folder, marks = graded
    with (folder / "grades.csv").open(encoding="utf-8") as file:
        rows = {row["student_id"]: row for row in csv.DictReader(file)}
    assert set(rows) == set(LEARNERS)
    for learner, row in rows.items():
        assert float(row["score"]) == sum(marks[learner].values())
        assert float(row["max_score"]) == len(exercises_of(CHAPTER))


@pytest.mark.parametrize("learner", LEARNERS)
def test_the_feedback_says_what_the_check_said(graded, learner):
    name = notebook_of("exercises", CHAPTER).stem
    page = (graded[0] / "feedback" / learner / CHAPTER / f"{name}.html").read_text("utf-8")
    for one in exercises_of(CHAPTER):
        done = graded[1][learner][f"{name}-check{one.partition('.')[2]}"]
        assert (f"{one} · done" in page) == bool(done)
        assert (f"{one} · not attempted" in page or f"{one} · not yet" in page) != bool(done)


@pytest.mark.parametrize("chapter", chapters())
def test_every_solution_is_a_source_for_nbgrader(chapter):
    """nbgrader's own test of the marks in the cells: none twice, none missing, one point for each check."""
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from nbgrader.preprocessors import CheckCellMetadata, ClearSolutions
    notebook = nbformat.read(notebook_of("solutions", chapter), as_version=4)
    CheckCellMetadata().preprocess(notebook, {})
    released, _ = ClearSolutions(code_stub={"python": ""}).preprocess(notebook, {})
    points = [
        cell.metadata.nbgrader.points for cell in released.cells if cell.metadata.get("nbgrader", {}).get("grade")
    ]
    assert points == [1] * len(exercises_of(chapter))
    assert (ROOT / "exercises" / notebook_of("solutions", chapter).name).is_file()
