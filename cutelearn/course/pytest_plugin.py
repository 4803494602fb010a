"""pytest plugin (entry point `pytest11`): in an exercise notebook nbval is green where an exercise is solved, else red.

nbval compares with what the notebook stores, and a learner's notebook may store a wrong run, or nothing. So before the
run this puts what a solved exercise prints back into each check cell, in memory. A check cell that is missing or was
edited becomes a test that fails and says so. Other notebooks are left alone.
"""

import sys

import pytest


def pytest_collection_modifyitems(items):
    nbval = sys.modules.get("nbval.plugin")
    if nbval is None:
        return
    for notebook in {item.parent: None for item in items if isinstance(item, nbval.IPyNbCell)}:
        _prepare(notebook, items)


def _prepare(notebook, items) -> None:
    from nbformat import from_dict

    from .notebooks import chapter_of, check_cells, check_output, exercise_ids

    cells = notebook.nb.cells
    chapter = chapter_of(notebook.nb)
    if chapter is None or not exercise_ids(chapter):
        return
    mine = {id(item.cell): item for item in items if item.parent is notebook}
    last = max(i for i, item in enumerate(items) if item.parent is notebook)
    for check in check_cells(notebook.nb, chapter):
        item = None if check.index is None else mine.get(id(cells[check.index]))
        if check.problem:
            test = BadCheckCell.from_parent(notebook, name=f"check {check.exercise_id}", problem=check.problem)
            if item is not None:
                items[items.index(item)] = test
            else:
                last += 1
                items.insert(last, test)
        elif item is not None:
            item.cell.outputs = from_dict(check_output(check.exercise_id))
            item.cell.execution_count = 1
            item.options.update(check=True, skip=False, check_exception=False)


class BadCheckCell(pytest.Item):
    """The failing test that stands for a check cell which is not what the course ships."""

    def __init__(self, *, problem: str, **keywords):
        super().__init__(**keywords)
        self.problem = problem

    def runtest(self):
        pytest.fail(self.problem, pytrace=False)

    def repr_failure(self, excinfo):
        return self.problem

    def reportinfo(self):
        return self.path, None, self.name
