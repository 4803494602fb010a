"""`cutelearn build`: one form for every notebook, exercises cut from solutions, and a check that names file and cell."""

import copy
import re
import shutil
from pathlib import Path

import nbformat
import pytest
from exercise_tools import ROOT, notebook_of
from nbformat.sign import NotebookNotary
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from cutelearn import cli
from cutelearn.course import build, lint, workfolder
from cutelearn.course.exercises import chapters, exercises_of
from cutelearn.course.lint import EXERCISE, LESSON, SOLUTION, Page
from cutelearn.course.notebooks import BEGIN, END, check_output, check_source, part_of

pytest.importorskip("nbgrader")

CHAPTERS = pytest.mark.parametrize("chapter", chapters())


@pytest.fixture(scope="module", autouse=True)
def _quiet_nbgrader():
    """Importing nbgrader's preprocessors takes seconds and may warn: once, and not as a test."""
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import nbgrader.preprocessors  # noqa: F401


@pytest.fixture
def clone(tmp_path):
    """A clone of the course with chapter 04's exercises alone: without lessons, and without the links to them."""
    for name in ("pyproject.toml", "constraints.txt"):
        shutil.copy(ROOT / name, tmp_path)
    (tmp_path / "notebooks").mkdir()
    for folder in ("solutions", "exercises"):
        (tmp_path / folder).mkdir()
        copied = shutil.copy(notebook_of(folder, "04"), tmp_path / folder)
        for cell in nbformat.read(copied, as_version=4).cells:
            if "](../" in cell.source:
                change(Path(copied), cell.id, source=re.sub(r"\[([^]]*)\]\(\.\./[^)]*\)", r"\1", cell.source))
    return tmp_path


def change(path: Path, cell_id: str, **what):
    notebook = nbformat.read(path, as_version=4)
    (cell,) = (cell for cell in notebook.cells if cell.id == cell_id)
    cell.update(what)
    path.write_text(build.written(notebook), "utf-8")


def found(root: Path) -> list[str]:
    return [str(difference) for difference in build.differences(root, [])]


# ------------------------------------------------------------------------------------------------ the course itself


@pytest.mark.parametrize("chapter", chapters())
def test_lesson_and_exercises_lead_to_each_other(chapter):
    lesson, exercise = notebook_of("notebooks", chapter), notebook_of("exercises", chapter)
    assert f"](../notebooks/{lesson.name})" in nbformat.read(exercise, as_version=4).cells[0].source
    assert any(f"](../exercises/{exercise.name})" in cell.source for cell in nbformat.read(lesson, as_version=4).cells)


def test_every_notebook_is_in_its_form(monkeypatch, capsys):
    monkeypatch.chdir(ROOT / "tests")
    code = cli.main(["build", "--check"])
    assert (code, capsys.readouterr().out) == (0, "Every notebook is in its form.\n")


@CHAPTERS
def test_exercises_give_nothing_away(chapter):
    """No line of a solution is in the exercise but what its author gives there too, no mark, no output but that of checks."""
    solved = nbformat.read(notebook_of("solutions", chapter), as_version=4)
    blank = nbformat.read(notebook_of("exercises", chapter), as_version=4)
    assert [cell.id for cell in blank.cells] == [cell.id for cell in solved.cells]
    for there, here in zip(solved.cells, blank.cells, strict=True):
        before, _, rest = there.source.partition(BEGIN)
        region, _, after = rest.partition(END)
        lines = list(filter(str.strip, region.split("\n")))
        assert not [line for line in lines if line in here.source and line not in before + after]
        assert not lines or [line for line in lines if line not in here.source]
        part = part_of(here)
        if part and part["part"] == "answer":
            assert "..." in here.source
            assert build.STUB in here.source
            assert "NotImplementedError" not in here.source
        if here.cell_type == "code":
            is_check = part and part["part"] == "check"
            assert here.outputs == (check_output(f"{chapter}.{part['number']}") if is_check else [])


@CHAPTERS
def test_check_cells_are_what_nbval_and_nbgrader_need(chapter):
    for folder in ("solutions", "exercises"):
        notebook = nbformat.read(notebook_of(folder, chapter), as_version=4)
        checks = [cell for cell in notebook.cells if (p := part_of(cell)) and p["part"] == "check"]
        assert [cell.source for cell in checks] == [check_source(i) for i in exercises_of(chapter)]
        for cell in checks:
            assert cell.metadata.tags == ["nbval-check-output"]
            assert cell.metadata.nbgrader.grade
            assert cell.metadata.get("editable", True) == (folder == "solutions")


@CHAPTERS
def test_run_all_on_a_blank_notebook_raises_nothing(chapter):
    path = notebook_of("exercises", chapter)
    ran = build.execute(nbformat.read(path, as_version=4), path, 60)
    for cell in ran.cells:
        if (part := part_of(cell)) and part["part"] == "check":
            said = "".join(output.text for output in cell.outputs)  # a busy kernel sends it in pieces
            assert said == f"{chapter}.{part['number']} · not attempted\n"
        assert not [o for o in cell.get("outputs", []) if o.output_type == "error" or o.get("name") == "stderr"]


def test_the_pictures_of_04_5_are_computed():
    from cutelearn.course.chapters import ch04

    notebook = nbformat.read(notebook_of("exercises", "04"), as_version=4)
    (prompt,) = (cell.source for cell in notebook.cells if cell.id == "04-composition-ex5")
    assert ch04.pictures() in prompt
    assert "\n".join(f"{letter} = {line}" for letter, (line, _tiler) in ch04.CODES.items()) in prompt
    (prompt,) = (cell.source for cell in notebook.cells if cell.id == "04-composition-ex3")
    for number, (a, b) in ch04.PAIRS.items():
        assert f"| {number} | `{a}` | `{b}` |" in prompt


def test_exercises_travel_with_lab_and_are_signed(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(tmp_path / "jupyter"))
    assert cli.main(["lab", str(tmp_path / "work"), "--copy-only"]) == 0
    copy_of = tmp_path / "work" / "exercises" / notebook_of("exercises", "04").name
    assert copy_of.read_bytes() == notebook_of("exercises", "04").read_bytes()
    assert not (tmp_path / "work" / "solutions").exists()
    notary = NotebookNotary()
    assert notary.check_signature(nbformat.read(copy_of, as_version=4))
    notary.store.close()
    assert not [name for name in workfolder.GIVEN_FOLDERS if name == "solutions"]


# ------------------------------------------------------------------------------------------------ what --check finds


TAMPERED = {
    "exercise solved by hand": (
        "exercises",
        "04-composition-answer1",
        {"source": "a04_1 = [0, 12, 2, 14, 4, 16]"},
        "exercises/04-composition.ipynb: 04-composition-answer1: its source differs",
    ),
    "check cell edited": (
        "exercises",
        "04-composition-check3",
        {"source": 'check("04.4")'},
        "exercises/04-composition.ipynb: 04-composition-check3: its source differs",
    ),
    "check cell cleared": (
        "exercises",
        "04-composition-check3",
        {"outputs": []},
        "exercises/04-composition.ipynb: 04-composition-check3: its outputs differs",
    ),
    "tag lost": (
        "solutions",
        "04-composition-check2",
        {"metadata": {}},
        "solutions/04-composition.ipynb: 04-composition-check2: its metadata differs",
    ),
    "count": (
        "solutions",
        "04-composition-answer2",
        {"execution_count": 40},
        "solutions/04-composition.ipynb: 04-composition-answer2: its execution count differs",
    ),
    "prompt moved on": (
        "solutions",
        "04-composition-ex4",
        {"source": "## 04.4 Another question"},
        "exercises/04-composition.ipynb: 04-composition-ex4: its source differs",
    ),
    "solution not done": (
        "solutions",
        "04-composition-check5",
        {"outputs": [new_output("stream", text="04.5 · not yet: no\n")]},
        "solutions/04-composition.ipynb: check_cells_store_done: 04-composition-check5: does not store that the",
    ),
    "stub gone": (
        "solutions",
        "04-composition-answer4",
        {"source": "a04_4 = Layout((6, 4), (4, 1))"},
        "solutions/04-composition.ipynb: answers_are_marked: 04-composition-answer4: needs a line with ...",
    ),
    "help edited": (
        "solutions",
        "04-composition-help4",
        {"source": 'hint("04.4")'},
        "solutions/04-composition.ipynb: help_asks_for_hint_and_solution: 04-composition-help4",
    ),
    "path of a machine": (
        "solutions",
        "04-composition-view8",
        {"source": 'open("/home/me/x")'},
        "solutions/04-composition.ipynb: nothing_of_this_machine: 04-composition-view8: an absolute path: /home",
    ),
    "underscore": (
        "solutions",
        "04-composition-view8",
        {"source": 'for _ in range(3):\n    show("04.8")'},
        "solutions/04-composition.ipynb: underscore_is_cute_s: 04-composition-view8: binds _",
    ),
}


@pytest.mark.parametrize(("folder", "cell_id", "what", "sentence"), TAMPERED.values(), ids=TAMPERED)
def test_a_tampered_notebook_is_named_with_its_cell(clone, monkeypatch, capsys, folder, cell_id, what, sentence):
    assert found(clone) == []
    change(clone / folder / "04-composition.ipynb", cell_id, **what)
    monkeypatch.chdir(clone)
    assert cli.main(["build", "--check", "4"]) == 1
    assert sentence in capsys.readouterr().out


def test_files_that_do_not_belong_together(clone):
    (clone / "exercises" / "04-composition.ipynb").rename(clone / "exercises" / "05-other.ipynb")
    text = "\n".join(found(clone))
    assert "exercises/05-other.ipynb: there is no solutions/05-other.ipynb that it could be made from" in text
    assert "exercises/04-composition.ipynb: missing: run `cutelearn build`" in text


def test_a_cell_that_is_gone(clone):
    path = clone / "exercises" / "04-composition.ipynb"
    notebook = nbformat.read(path, as_version=4)
    del notebook.cells[5]
    path.write_text(build.written(notebook))
    text = "\n".join(found(clone))
    assert "exercises/04-composition.ipynb: 04-composition-help1 stands where 04-composition-check1 should" in text
    assert "parts_of_an_exercise: the exercises' cells are not in order: help1 where check1 is due" in text
    assert "the check cell of 04.1 is missing" in text


def test_written_in_another_way(clone):
    path = clone / "solutions" / "04-composition.ipynb"
    path.write_text(path.read_text("utf-8").replace('"nbformat": 4,', '"nbformat":  4,'), "utf-8")
    assert found(clone) == [
        "solutions/04-composition.ipynb: is written in another way than nbformat writes; run `cutelearn build`"
    ]


def test_no_notebook_at_all(clone, monkeypatch, capsys):
    (clone / "solutions" / "05-x.ipynb").write_text("{")
    monkeypatch.chdir(clone)
    assert cli.main(["build", "--check"]) == 1
    assert "05-x.ipynb is no notebook" in capsys.readouterr().err


# ------------------------------------------------------------------------------------------------ writing


def test_build_restores_what_was_tampered_with(clone, monkeypatch, capsys):
    """One run executes the solutions, writes both files as they were, and a second one has nothing to do."""
    before = {path: path.read_bytes() for path in clone.glob("*/*.ipynb")}
    change(clone / "exercises" / "04-composition.ipynb", "04-composition-check3", source="no")
    change(clone / "solutions" / "04-composition.ipynb", "04-composition-view8", outputs=[], execution_count=9)
    monkeypatch.chdir(clone)
    assert cli.main(["build", "--any-versions"]) == 0
    said = capsys.readouterr().out
    assert said == "written: solutions/04-composition.ipynb\nwritten: exercises/04-composition.ipynb\n"
    assert {path: path.read_bytes() for path in before} == before
    assert found(clone) == []


def test_a_cell_that_raises_is_named(clone, monkeypatch, capsys):
    (clone / "exercises" / "04-composition.ipynb").unlink()
    change(clone / "solutions" / "04-composition.ipynb", "04-composition-answer1", source="1 / 0")
    monkeypatch.chdir(clone)
    assert cli.main(["build", "--any-versions"]) == 1
    said = capsys.readouterr().err
    assert "04-composition.ipynb: 04-composition-answer1 raised ZeroDivisionError: division by zero" in said
    assert not (clone / "exercises" / "04-composition.ipynb").exists()


def test_other_versions_are_refused(clone, monkeypatch, capsys):
    lines = (clone / "constraints.txt").read_text().splitlines()
    (clone / "constraints.txt").write_text("\n".join("numpy==0.1" if x.startswith("numpy==") else x for x in lines))
    monkeypatch.chdir(clone)
    assert cli.main(["build"]) == 1
    said = capsys.readouterr().err
    assert "the stored outputs belong to the versions in constraints.txt, but there is numpy" in said
    assert "0.1 pinned" in said


def test_build_outside_of_a_clone(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert cli.main(["build", "--check"]) == 1
    assert "is in no clone of the course" in capsys.readouterr().err
    monkeypatch.chdir(ROOT)
    assert cli.main(["build", "--check", "four"]) == 1
    assert "'four' is no chapter: write its number, such as 04." in capsys.readouterr().err


def test_the_form():
    stream = [new_output("stream", text="a\n"), new_output("stream", text="b\n")]
    widget = {"text/plain": "Bench()", "image/svg+xml": "<svg/>", "text/html": "<p>", "image/png": "x"}
    cells = [
        new_markdown_cell("# 04 · A lesson\n\n", id="04-a-title"),
        new_code_cell("print()\n", id="04-a-one", outputs=stream, execution_count=9, metadata={"scrolled": True}),
        new_code_cell("b", id="04-a-two", outputs=[new_output("execute_result", widget, execution_count=9)]),
        new_code_cell("c", id="04-a-three", outputs=stream, metadata={"tags": ["nbval-skip", "mine"]}),
    ]
    formed = build.canonical(
        new_notebook(cells=cells, metadata={"widgets": {}, "language_info": {"name": "python", "version": "3"}}), LESSON
    )
    assert formed.metadata == build.METADATA
    assert [cell.get("execution_count") for cell in formed.cells] == [None, 1, 2, 3]
    assert [cell.source for cell in formed.cells] == ["# 04 · A lesson", "print()", "b", "c"]
    assert [dict(cell.metadata) for cell in formed.cells] == [{}, {}, {}, {"tags": ["nbval-skip"]}]
    assert [output.text for output in formed.cells[1].outputs] == ["a\nb\n"]
    assert set(formed.cells[2].outputs[0].data) == {"text/plain", "image/svg+xml"}
    assert formed.cells[2].outputs[0].execution_count == 2
    assert formed.cells[3].outputs == []
    assert build.canonical(formed, LESSON) == formed
    nbformat.validate(formed)


# ------------------------------------------------------------------------------------------------ rules


def complaints(cells, kind, name="04-composition", folder=ROOT / "notebooks"):
    return "\n".join(lint.complaints(Page(new_notebook(cells=cells), name, kind, folder)))


def test_pictures_need_a_text():
    svg = {"image/svg+xml": "<svg><title> </title></svg>", "text/plain": "a layout"}
    text = complaints(
        [
            new_markdown_cell("![](a.svg)", id="04-composition-a"),
            new_markdown_cell('<img src="a.svg" alt="">', id="04-composition-b"),
            new_markdown_cell('![a grid](README.md) <img alt="a grid">', id="04-composition-c"),
            new_code_cell("x", id="04-composition-d", outputs=[new_output("display_data", svg)]),
        ],
        SOLUTION,
    )
    assert "04-composition-a: a picture without alternative text" in text
    assert "04-composition-b: a picture without alternative text" in text
    assert "04-composition-c: a picture" not in text
    assert "04-composition-d: an SVG without <title>" in text


def test_bold_terms_need_an_entry_where_there_is_a_glossary(tmp_path):
    cells = [new_markdown_cell("A **layout** has a **shape** and a **Mode**.", id="04-composition-a")]
    assert "glossary" not in complaints(cells, LESSON, folder=tmp_path)
    table = "| term | Chinese |\n|---|---|\n| layout | 布局 |\n| `mode` | 模 |"
    nbformat.write(new_notebook(cells=[new_markdown_cell(table, id="glossary-a")]), tmp_path / "glossary.ipynb")
    text = complaints(cells, LESSON, folder=tmp_path)
    assert "shape: not in the glossary" in text
    assert "layout: not" not in text
    assert "Mode: not" not in text


def test_an_unknown_chapter_is_said():
    assert "there is no cutelearn/course/chapters/ch98.py" in complaints([], EXERCISE, name="98-x")


# ------------------------------------------------------------------------------------------------ nbgrader


def test_nbgrader_makes_the_same_exercises():
    """nbgrader's own chain for an assignment, with our stub, leaves the cells that `build` leaves."""
    from nbgrader.preprocessors import CheckCellMetadata, ClearOutput, ClearSolutions, LockCells

    notebook = nbformat.read(notebook_of("solutions", "04"), as_version=4)
    for step in (LockCells(), ClearSolutions(code_stub={"python": build.STUB}), ClearOutput(), CheckCellMetadata()):
        notebook, _resources = step.preprocess(copy.deepcopy(notebook), {})
    ours = nbformat.read(notebook_of("exercises", "04"), as_version=4)
    assert [cell.source for cell in notebook.cells] == [cell.source for cell in ours.cells]
    for theirs, here in zip(notebook.cells, ours.cells, strict=True):
        assert theirs.metadata == here.metadata
