"""The cell for Colab: in every lesson and exercise, of this version, and without any effect elsewhere."""

import re
import sys
import types

import nbformat
import pytest
from exercise_tools import ROOT
from IPython.core.inputtransformer2 import TransformerManager

import cutelearn
from cutelearn.course import colab, lint
from cutelearn.course.build import page, read

NUMBERED = sorted(path for folder in lint.KIND_OF_FOLDER for path in (ROOT / folder).glob("[0-9]*.ipynb"))


@pytest.mark.parametrize("path", NUMBERED, ids=lambda path: f"{path.parent.name}-{path.name[:2]}")
def test_it_is_the_second_cell(path):
    cells = read(path).cells
    assert cells[1].id == f"{path.stem}-colab"
    assert cells[1].source == colab.SOURCE
    assert cells[1].outputs == []
    assert sum(map(colab.is_colab, cells)) == 1


def test_it_installs_this_version():
    assert re.findall(r"cutelearn==(\S+)", colab.SOURCE) == [cutelearn.__version__]


@pytest.mark.parametrize(("on_colab", "missing"), [(True, True), (True, False), (False, True), (False, False)])
def test_it_installs_on_colab_alone_and_only_where_the_course_is_missing(monkeypatch, capsys, on_colab, missing):
    ran = []
    shell = types.SimpleNamespace(run_line_magic=lambda *words: ran.append(words))
    monkeypatch.delitem(sys.modules, "google.colab", raising=False)
    if on_colab:
        monkeypatch.setitem(sys.modules, "google.colab", types.ModuleType("google.colab"))
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None if missing else object())
    exec(TransformerManager().transform_cell(colab.SOURCE), {"get_ipython": lambda: shell})
    wanted = [("pip", f"install -q cutelearn=={cutelearn.__version__}")]
    assert ran == (wanted if on_colab and missing else [])
    assert capsys.readouterr().out == ""


def test_it_is_put_in_and_brought_up_to_date_and_never_twice():
    whole = read(ROOT / "notebooks" / "01-coordinates.ipynb")
    bare = nbformat.from_dict(whole | {"cells": [cell for cell in whole.cells if not colab.is_colab(cell)]})
    once = colab.with_cell(bare, "01-coordinates")
    assert [cell.id for cell in once.cells] == [cell.id for cell in whole.cells]
    once.cells[1].source = "%pip install -q cutelearn==0.0.1"
    once.cells.append(once.cells.pop(1))
    assert colab.with_cell(once, "01-coordinates").cells == colab.with_cell(bare, "01-coordinates").cells
    assert colab.with_cell(bare, "glossary") is bare


def test_it_does_not_count_among_the_cells_of_a_lesson():
    path = ROOT / "notebooks" / "01-coordinates.ipynb"
    lesson = colab.with_cell(read(path), path.stem)
    count = sum(not colab.is_colab(cell) for cell in lesson.cells)
    lesson.cells += [nbformat.v4.new_markdown_cell("more", id=f"01-coordinates-more{i}") for i in range(35 - count)]
    assert not lint.complaints(page(ROOT, path, lesson), only="parts_of_a_lesson")
    lesson.cells.append(nbformat.v4.new_markdown_cell("one more", id="01-coordinates-last"))
    assert lint.complaints(page(ROOT, path, lesson), only="parts_of_a_lesson") == [
        "parts_of_a_lesson: 36 cells, at most 35"
    ]
