"""nbval is green where an exercise is solved and red elsewhere, whatever was run, saved, cleared or edited.

One child pytest runs all variants of a chapter's notebook as a learner would: `pytest --nbval-lax FILES`, with no
option that would turn the plugin on.
"""

import copy
import re
import subprocess
import sys
from xml.etree import ElementTree

import nbformat
import pytest
from exercise_tools import notebook_of, right, wrong_value
from nbformat.v4 import new_output

from cutelearn.course.exercises import FunctionExercise, chapters, exercises_of, verdict
from cutelearn.course.notebooks import chapter_of, check_cells, check_source, part_of

CHAPTERS = chapters()


def cells_of(notebook, part):
    """number -> the cell of that part."""
    found = ((part_of(cell), cell) for cell in notebook.cells)
    return {p["number"]: cell for p, cell in found if p and p["part"] == part}


def blank(chapter):
    return nbformat.read(notebook_of("exercises", chapter), as_version=4)


def solved(chapter):
    """The learner's notebook with the right answers typed in; it was never run."""
    notebook, solution = blank(chapter), nbformat.read(notebook_of("solutions", chapter), as_version=4)
    for number, cell in cells_of(notebook, "answer").items():
        cell.source = cells_of(solution, "answer")[number].source
    return notebook


def first_value_exercise(chapter):
    return next(one for one in exercises_of(chapter).values() if not isinstance(one, FunctionExercise))


def wrong(chapter):
    """All right but one answer."""
    notebook, one = solved(chapter), first_value_exercise(chapter)
    value = wrong_value(one, one.wrong[0])
    cells_of(notebook, "answer")[one.id.partition(".")[2]].source = f"{one.answer} = {value!r}"
    return notebook


def wrong_and_saved(chapter):
    """Run in JupyterLab and saved: the check cell stores what it said then."""
    notebook, one = wrong(chapter), first_value_exercise(chapter)
    said = str(verdict(one, wrong_value(one, one.wrong[0])))
    check = cells_of(notebook, "check")[one.id.partition(".")[2]]
    check.update(outputs=[new_output("stream", text=said + "\n")], execution_count=3)
    return notebook


def cleared(notebook):
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.update(outputs=[], execution_count=None)
    return notebook


def wrong_and_cleared(chapter):
    return cleared(wrong(chapter))


def check_edited(chapter):
    """A check that always passes."""
    notebook = wrong(chapter)
    number = first_value_exercise(chapter).id.partition(".")[2]
    cells_of(notebook, "check")[number].source = f'print("{chapter}.{number} · done")'
    return notebook


def check_missing(chapter):
    notebook = solved(chapter)
    number = first_value_exercise(chapter).id.partition(".")[2]
    notebook.cells.remove(cells_of(notebook, "check")[number])
    return notebook


def tag_for_nbval(chapter):
    """nbval is told to skip the check."""
    notebook = wrong(chapter)
    number = first_value_exercise(chapter).id.partition(".")[2]
    cells_of(notebook, "check")[number].metadata.tags = ["nbval-skip"]
    return notebook


def from_colab(notebook):
    """As Colab writes it: an older format, ids in the metadata, no tags, its own outputs."""
    for cell in notebook.cells:
        cell.metadata = {"id": cell.pop("id")}
    notebook.nbformat_minor = 0
    return cleared(notebook)


def colab_solved(chapter):
    return from_colab(solved(chapter))


def colab_blank(chapter):
    return from_colab(blank(chapter))


RED = [blank, wrong, wrong_and_saved, wrong_and_cleared, check_edited]
GREEN = [solved]
MORE_RED, MORE_GREEN = [check_missing, tag_for_nbval, colab_blank], [colab_solved]  # tried with the first chapter alone


def variants(chapter):
    return RED + GREEN + (MORE_RED + MORE_GREEN if chapter == CHAPTERS[0] else [])


@pytest.fixture(scope="module", params=CHAPTERS)
def ran(request, tmp_path_factory):
    """name of the variant -> [(test, what it says where it failed)], for one chapter; and the chapter."""
    folder = tmp_path_factory.mktemp(f"chapter-{request.param}")
    for make in variants(request.param):
        nbformat.write(make(request.param), folder / f"{make.__name__}.ipynb")
    command = [
        sys.executable,
        "-m",
        "pytest",
        "--nbval-lax",
        "-p",
        "no:cacheprovider",
        "-q",
        "--junit-xml=report.xml",
        ".",
    ]
    child = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300)
    assert child.returncode == 1, child.stdout + child.stderr
    results = {make.__name__: [] for make in variants(request.param)}
    for case in ElementTree.parse(folder / "report.xml").iter("testcase"):
        failures = [e.text or e.get("message") for e in case if e.tag in ("failure", "error")]
        name = re.search(r"(\w+)(\.ipynb)?$", case.get("classname")).group(1)
        results[name if name != "ipynb" else case.get("classname").split(".")[0]].append(
            (case.get("name"), "\n".join(map(str, failures)))
        )
    return results, request.param


def failures(ran, make):
    if make.__name__ not in ran[0]:
        pytest.skip("tried with the first chapter")
    return [(name, text) for name, text in ran[0][make.__name__] if text]


@pytest.mark.parametrize("make", RED + MORE_RED, ids=lambda make: make.__name__)
def test_red_until_solved(ran, make):
    failed = failures(ran, make)
    wanted = len(exercises_of(ran[1])) if make in (blank, colab_blank) else 1
    assert len(failed) == wanted, failed


@pytest.mark.parametrize("make", GREEN + MORE_GREEN, ids=lambda make: make.__name__)
def test_green_when_solved(ran, make):
    assert failures(ran, make) == []
    assert len(ran[0][make.__name__]) > len(exercises_of(ran[1]))


def test_the_reason_is_said(ran):
    one = first_value_exercise(ran[1])
    assert f"'{one.id} · done\\n' == '{one.id} · not attempted\\n'" in failures(ran, blank)[0][1]
    assert f"{one.id} · not yet" in failures(ran, wrong_and_saved)[0][1]
    name, reason = failures(ran, check_edited)[0]
    assert name == f"check {one.id}"
    assert f"the check cell of {one.id} was edited: it holds {check_source(one.id)} and nothing else" in reason
    if ran[1] != CHAPTERS[0]:
        return
    reason = failures(ran, check_missing)[0][1]
    assert f"the check cell of {one.id} is missing: put a cell with {check_source(one.id)} below your answer" in reason


# ------------------------------------------------------------------------------------------------ which cell is which


@pytest.fixture(params=CHAPTERS)
def chapter(request):
    return request.param


def problems(notebook, chapter):
    return [check.problem for check in check_cells(notebook, chapter) if check.problem]


def test_check_cells_are_found_by_id_or_text(chapter):
    whole = blank(chapter)
    ids = [check.exercise_id for check in check_cells(whole, chapter)]
    assert ids == list(exercises_of(chapter))
    assert problems(whole, chapter) == []
    assert chapter_of(whole) == chapter
    nameless = copy.deepcopy(whole)
    for cell in nameless.cells:
        cell.pop("id")
        cell.metadata = {}
    assert problems(nameless, chapter) == []
    assert chapter_of(nameless) is None
    for check in check_cells(nameless, chapter):
        assert nameless.cells[check.index].source == check_source(check.exercise_id)


def test_edited_beats_a_copy_elsewhere(chapter):
    notebook = blank(chapter)
    first = cells_of(notebook, "check")["1"]
    copied = copy.deepcopy(first)
    copied.id, copied.metadata = "mine", {}
    first.source = "pass"
    notebook.cells.append(copied)
    assert problems(notebook, chapter) == [
        f"the check cell of {chapter}.1 was edited: it holds {check_source(f'{chapter}.1')} and nothing else"
    ]


def test_a_check_cell_turned_into_text(chapter):
    notebook = blank(chapter)
    list(cells_of(notebook, "check").values())[-1].cell_type = "markdown"
    assert "was edited" in problems(notebook, chapter)[0]


def test_white_space_is_no_edit(chapter):
    notebook = blank(chapter)
    cells_of(notebook, "check")["1"].source += "\n\n"
    assert problems(notebook, chapter) == []


def test_lessons_are_left_alone():
    for path in (notebook_of("exercises", CHAPTERS[0]).parent.parent / "notebooks").glob("*.ipynb"):
        assert chapter_of(nbformat.read(path, as_version=4)) is None


def test_right_answers_are_right():
    for one in (one for chapter in CHAPTERS for one in exercises_of(chapter).values()):
        assert verdict(one, right(one)).state == "done"
