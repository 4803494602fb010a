"""Every lesson is in the one form that `cutelearn build` writes, and keeps the rules of cutelearn/course/lint.py.

That the stored outputs are true is nbval's work (conftest.py runs it); which facts a lesson shows, test_lessons.py's.
"""

import copy
import re
from pathlib import Path

import nbformat
import pytest

from cutelearn.course import build, lint
from cutelearn.course.lint import LESSON, Page

NOTEBOOKS = Path(__file__).resolve().parent.parent / "notebooks"
LESSONS = sorted(NOTEBOOKS.glob("*.ipynb"))
LESSON_RULES = [name for name, (rule, kinds) in lint.RULES.items() if LESSON in kinds]


def page(path: Path) -> Page:
    return Page(nbformat.read(path, as_version=4), path.stem, LESSON, path.parent)


@pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.stem)
def test_form(path):
    """One way to write a notebook, so that a difference in git is a difference in the lesson."""
    lesson = page(path)
    nbformat.validate(lesson.notebook)
    assert path.read_text("utf-8") == build.written(build.canonical(lesson.notebook, LESSON))
    assert not (found := lint.complaints(lesson)), "\n".join(found)


def test_terms_are_bold_once():
    """A term is bold where it is explained, in one place of the whole course."""
    seen = {}
    for path in LESSONS:
        if path.stem == lint.GLOSSARY:
            continue
        for term in lint.bold_terms(page(path)):
            assert term not in seen, f"{term!r} is bold in {seen[term]} already, and again in {path.stem}"
            seen[term] = path.stem
    assert {"layout", "shape", "stride", "coordinate", "offset", "colexicographic"} <= set(seen)


def test_the_map_shows_what_is_there():
    """Lesson 00 links to every other notebook of the course, and to nothing else."""
    text = "\n".join(cell.source for cell in page(LESSONS[0]).prose)
    links = {target.split("#")[0] for target in re.findall(r"\]\((.+?)\)", text)}
    assert {link for link in links if "/" not in link} == {path.name for path in LESSONS[1:]}


# ------------------------------------------------------------------------------------------------ no rule is deaf


def alone(svg, text):
    """Gives the first code cell a picture as its output."""
    data = {"image/svg+xml": svg, "text/plain": text}
    return lambda p: p.code[0].outputs.append(nbformat.v4.new_output("display_data", data))


def source(kind, words):
    """Gives the first cell of a kind another source."""
    return lambda p: getattr(p, kind)[0].update(source=words)


BREAK = {  # a rule -> how to break it in a good lesson
    "cell_ids": lambda p: p.notebook.cells[1].update(id=p.notebook.cells[0].id),
    "outputs": alone("<svg><title>a</title></svg>", "<Scene>"),
    "pictures_have_a_text": alone("<svg/>", "a grid"),
    "skipped_cells_stand_alone": lambda p: p.code[1].metadata.update(tags=["nbval-skip"]),
    "length_of_code": source("code", "x = 1\n" * 16),
    "underscore_is_cute_s": source("code", "for _ in range(3):\n    print()"),
    "nothing_of_this_machine": source("code", "open('/home/me/matrix.npy')"),
    "length_of_prose": source("prose", "a line\n" * 5),
    "no_list_by_accident": source("prose", "so it is 1\n+ 2 in all"),
    "links_lead_somewhere": source("prose", "[a lesson](99-not-there.ipynb)"),
    "parts_of_a_lesson": lambda p: p.notebook.cells.pop(0),
    "terms_are_in_the_glossary": source("prose", "a **frobnicator**"),
}


@pytest.mark.parametrize("name", LESSON_RULES)
def test_every_rule_bites(name, tmp_path):
    """Lesson 01 keeps the rule; broken once, it is told so."""
    good = page(NOTEBOOKS / "01-coordinates.ipynb")
    if name == "terms_are_in_the_glossary":  # beside a glossary that has all its terms
        rows = "\n".join(f"| {term} | ... |" for term in lint.bold_terms(good))
        cells = [nbformat.v4.new_markdown_cell(rows)]
        nbformat.write(nbformat.v4.new_notebook(cells=cells), tmp_path / f"{lint.GLOSSARY}.ipynb")
        good = Page(good.notebook, good.name, LESSON, tmp_path)
    assert not lint.complaints(good, only=name)
    bad = copy.deepcopy(good)
    BREAK[name](bad)
    assert lint.complaints(bad, only=name)
