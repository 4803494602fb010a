"""The glossary has every bold term of the lessons (lint.py asks that), and nothing that no lesson explains."""

import re
from pathlib import Path

import nbformat
import pytest

from cutelearn.course import lint
from cutelearn.course.lint import LESSON, Page

NOTEBOOKS = Path(__file__).resolve().parent.parent / "notebooks"


def rows(cell_id):
    (cell,) = (c for c in nbformat.read(NOTEBOOKS / "glossary.ipynb", as_version=4).cells if c.id == cell_id)
    lines = [line for line in cell.source.split("\n") if line.startswith("|")]
    return [[column.strip() for column in line.strip("|").split("|")] for line in lines[2:]]


TERMS = rows("glossary-terms")


def bold_in(link):
    path = NOTEBOOKS / link
    return lint.bold_terms(Page(nbformat.read(path, as_version=4), path.stem, LESSON, NOTEBOOKS))


@pytest.mark.parametrize("row", TERMS, ids=lambda row: row[0])
def test_entry(row):
    """Term, notation, Chinese, meaning, and the lesson in which it is bold."""
    term, _notation, chinese, meaning, lesson = row
    (number, link), *rest = re.findall(r"\[(\d\d)\]\((.+?)\)", lesson)
    assert not rest
    assert link.startswith(number)
    assert {lint.simple_term(t) for t in re.findall(r"\*\*(.+?)\*\*", term)} <= set(
        map(lint.simple_term, bold_in(link))
    )
    assert re.search(r"[\u4e00-\u9fff]", chinese)
    assert 10 <= len(meaning) <= 110


def test_order():
    terms = [lint.simple_term(row[0]) for row in TERMS]
    assert terms == sorted(terms)


def test_signs_name_their_lesson():
    for sign, _read, lesson in rows("glossary-signs"):
        (link,) = re.findall(r"\[\d\d\]\((.+?)\)", lesson)
        text = (NOTEBOOKS / link).read_text("utf-8")
        written = re.sub(r"`(.+?)`", r"\1", sign).split(", ")
        assert any(part in text for part in written), sign
