"""`cutelearn check`: the learner's notebook is run, and whatever happens in it costs one row."""

import json
import re

import nbformat
import pytest
from exercise_tools import notebook_of
from test_check_cells import cells_of, solved

from cutelearn import cli
from cutelearn.course import progress, workfolder


@pytest.fixture
def work(tmp_path, monkeypatch):
    """A learner's folder, as `cutelearn lab` leaves it; we are in the folder above it."""
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.delenv("NBGRADER_EXECUTION", raising=False)
    workfolder.copy_course(workfolder.course_folder(), tmp_path / "work")
    monkeypatch.chdir(tmp_path)
    return tmp_path / "work"


@pytest.fixture
def quick(monkeypatch):
    """Two seconds for a cell."""
    monkeypatch.setattr(progress.check_notebook, "__defaults__", (2,))


def run(capsys, *words):
    code = cli.main(["check", *map(str, words)])
    said = capsys.readouterr()
    return code, said.out, said.err


def rows_of(out):
    """id -> its row of the table with what stands below it, in single spaces."""
    rows = re.split(r"^  (?=\d\d\.\d|\d+ of)", out, flags=re.MULTILINE)
    return {row[:4]: " ".join(row.split()) for row in rows[1:]}


def put(folder, answers):
    """The blank notebook of chapter 04 with these answers, by number."""
    path = folder / "exercises" / notebook_of("exercises", "04").name
    notebook = nbformat.read(path, as_version=4)
    for number, source in answers.items():
        cells_of(notebook, "answer")[number].source = source
    nbformat.write(notebook, path)
    return path


def test_a_table_of_states_and_the_progress_file(work, capsys):
    path = put(
        work,
        {
            "1": "a04_1 = [0, 12, 2, 14, 4, 16]",
            "2": "a04_2 = {3: '1:1', 6: 0, 9: 0, 72: 0}",
            "4": "a04_4 = '(6,4):(1,6)'",
        },
    )
    code, out, _ = run(capsys, "04")
    assert code == 0
    assert (
        out
        == f"""{path.as_posix()}
  04.1  The values of A o B           done
  04.2  Divide a shape, mode by mode  not yet        next: hint 1 of 4
        entry 3: your layout, 1:1, has size 1, and 96 are wanted
  04.3  Which pairs compose?          not attempted  next: hint 1 of 5
  04.4  The transposed view           not yet        next: hint 2 of 4
        this is the view that you want, as addresses. B does not make addresses, A does: B names cells of A.
  04.5  Tuple or Layout?              not attempted  next: hint 1 of 4
  04.6  Mend the tile picker          not attempted  next: hint 1 of 4
  04.7  Write composition             not attempted  next: hint 1 of 5
  04.8  An order of your own          not attempted  next: hint 1 of 4
  1 of 8 done
1 of the 8 exercises that were checked in this folder are done.
"""
    )
    states = json.loads((work / progress.PROGRESS).read_text())["exercises"]
    assert states["04.1"] == "done"
    assert states["04.2"] == "not yet"
    assert states["04.8"] == "not attempted"


def test_accidents_cost_one_row(work, quick, capsys):
    """A loop, a dead kernel, an exception and an edited check; what comes after is still judged."""
    path = put(
        work,
        {
            "1": "while True:\n    pass",
            "2": "import os\nos._exit(1)",
            "3": "a04_3 = undefined",
            "4": "a04_4 = '(6,4):(4,1)'",
            "6": "import time\ndef pick_tile(A, m, n):\n    import os\n    os._exit(3)",
            "7": "def compose_flat(A, B):\n    while True:\n        print('x')",
            "8": "a04_8 = '64:1'",
        },
    )
    notebook = nbformat.read(path, as_version=4)
    cells_of(notebook, "check")["5"].source = "pass"
    nbformat.write(notebook, path)
    code, out, _ = run(capsys, "4")
    assert code == 0
    rows = rows_of(out)
    assert rows["04.1"].endswith("not attempted next: hint 1 of 4 its cell was not done after 2 seconds")
    assert rows["04.2"].endswith("not attempted next: hint 1 of 4 its cell ended Python")
    assert rows["04.3"].endswith("its cell raised NameError: name 'undefined' is not defined")
    assert rows["04.4"].endswith("done")
    assert 'cannot be checked the check cell of 04.5 was edited: it holds check("04.5")' in rows["04.5"]
    assert "stopped its cell ended Python" in rows["04.6"]
    assert "stopped its cell was not done after 2 seconds" in rows["04.7"]
    assert rows["04.8"].endswith("done")
    assert "  2 of 8 done" in out


def test_a_solved_notebook_is_done_wherever_it_lies(tmp_path, work, capsys):
    nbformat.write(solved("04"), tmp_path / "mine.ipynb")
    code, out, _ = run(capsys, "mine.ipynb")
    assert code == 0
    assert "  8 of 8 done" in out


def test_what_the_notebook_does_to_check_does_not_count(work, capsys):
    put(work, {"1": "def check(word):\n    print(word, '· done')", "2": "check = print"})
    assert "  0 of 8 done" in run(capsys, "4")[1]


@pytest.mark.parametrize("variable", ["CI", "NBGRADER_EXECUTION"])
def test_nothing_is_written_in_ci_or_under_nbgrader(tmp_path, monkeypatch, variable):
    monkeypatch.delenv("CI", raising=False)
    row = [progress.Row("04.1", "t", "done")]
    monkeypatch.setenv(variable, "1")
    assert progress.remember(tmp_path, row) == {"04.1": "done"}
    assert list(tmp_path.iterdir()) == []
    monkeypatch.delenv(variable)
    progress.remember(tmp_path, row)
    assert progress.remember(tmp_path, [progress.Row("04.2", "t", "not yet")]) == {"04.1": "done", "04.2": "not yet"}
    assert [path.name for path in tmp_path.iterdir()] == [progress.PROGRESS]


@pytest.mark.parametrize("text", ["{", "[]", '{"exercises": 3}'])
def test_a_spoilt_progress_file_is_begun_anew(tmp_path, monkeypatch, text):
    monkeypatch.delenv("CI", raising=False)
    (tmp_path / progress.PROGRESS).write_text(text)
    assert progress.remember(tmp_path, [progress.Row("04.1", "t", "done")]) == {"04.1": "done"}
    assert json.loads((tmp_path / progress.PROGRESS).read_text()) == {"exercises": {"04.1": "done"}}


def test_the_folder_is_the_one_that_lab_made(tmp_path, work):
    other = tmp_path / "elsewhere"
    other.mkdir()
    notebook = str(work / "exercises" / notebook_of("exercises", "04").name)
    for inside in (tmp_path, work, work / "exercises"):
        assert progress.working_folder(inside, []) == work
    assert progress.working_folder(other, []) == other
    assert progress.working_folder(other, [notebook]) == work


@pytest.mark.parametrize("inside", ["", "exercises"])
@pytest.mark.parametrize("by_name", [True, False])
def test_one_progress_file_wherever_one_stands(work, monkeypatch, capsys, inside, by_name):
    path = put(work, {"1": "a04_1 = [0, 12, 2, 14, 4, 16]"})
    monkeypatch.chdir(work / inside)
    code, out, _ = run(capsys, path if by_name else "04")
    assert code == 0
    assert (f"You are inside your folder, {work}.\n" in out) == bool(inside)
    assert list(work.parent.rglob(progress.PROGRESS)) == [work / progress.PROGRESS]


def test_a_syntax_error_is_said(work, capsys):
    put(work, {"1": "a04_1 = [0,\n12 2]"})
    rows = rows_of(run(capsys, "4")[1])
    assert re.search(
        r"not attempted next: hint 1 of 4 its cell raised SyntaxError: .* \(line 2 of the cell\)$", rows["04.1"]
    )


# Metadata of no form that Jupyter knows.
STRANGE = """{"cells": [{"cell_type": "code", "source": "1", "id": "a", "metadata": {"nbgrader": 3, "tags": 5},
"outputs": [], "execution_count": null}], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}"""


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["five"], "'five' is no chapter: write its number, such as 04, or name a notebook."),
        (["97"], "no chapter 97 has exercises; these do: 0"),
        (["--folder", "empty", "4"], "holds no exercises of chapter 04. Run `cutelearn lab` first"),
        (["gone.ipynb"], "there is no file gone.ipynb."),
        (["spoilt.ipynb"], "spoilt.ipynb cannot be read as a notebook"),
        (["strange.ipynb"], "holds no exercises that this cutelearn knows."),
        (["."], "'.' is no chapter"),
        (["work/notebooks/00-start-here.ipynb"], "holds no exercises that this cutelearn knows."),
        (["--folder", "empty"], "holds no exercises. Run `cutelearn lab` first, or go to the folder that it made."),
    ],
)
def test_what_cannot_be_checked(work, tmp_path, capsys, words, sentence):
    (tmp_path / "spoilt.ipynb").write_text("{")
    (tmp_path / "strange.ipynb").write_text(STRANGE)
    (tmp_path / "empty").mkdir()
    code, _, err = run(capsys, *words)
    assert code == 1
    assert err.startswith("cutelearn check: ")
    assert sentence in err


def test_ids_of_another_length_keep_the_columns(tmp_path):
    rows = [progress.Row("10.9", "one", "done"), progress.Row("10.10", "two", "not yet", "next: hint 1 of 4", "why")]
    assert progress.table(tmp_path, rows).splitlines()[1:] == [
        "  10.9   one  done",
        "  10.10  two  not yet  next: hint 1 of 4",
        "         why",
        "  1 of 2 done",
    ]


def test_a_spoilt_notebook_costs_its_own_table(work, capsys):
    (work / "exercises" / "99-spoilt.ipynb").write_text("{")
    code, out, err = run(capsys)
    assert code == 1
    assert "99-spoilt.ipynb cannot be read as a notebook." in err
    assert "  0 of 8 done" in out


def test_of_several_copies_the_courses_own_name_counts(work, capsys):
    exercises = work / "exercises"
    own = exercises / notebook_of("exercises", "04").name
    (exercises / "04-a-copy.ipynb").write_bytes(own.read_bytes())
    assert progress.notebooks_to_check(work, ["4"]) == [own]
    own.rename(exercises / "04-mine.ipynb")
    with pytest.raises(progress.CannotCheck, match=r"holds 04-a-copy\.ipynb, 04-mine\.ipynb: name the one"):
        progress.notebooks_to_check(work, ["04"])
