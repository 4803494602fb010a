"""Chapter 04 as a learner has it: `cutelearn lab`, its address, the lesson, an exercise. Skips without Chromium."""

import json
import re
import sys
import time

import pytest
from browser import PATIENCE, needs_chromium, new_page, open_notebook, run_all, running

from cutelearn.course.exercises import exercises_of

pytestmark = needs_chromium
LESSON, EXERCISES = "notebooks/04-composition.ipynb", "exercises/04-composition.ipynb"
ONE = exercises_of("04")["04.1"]
WRONG, RIGHT = ONE.wrong[0], [0, 12, 2, 14, 4, 16]
TIMES: dict[str, float] = {}  # what was waited for -> seconds
FAULTS = "[data-mime-type='application/vnd.jupyter.error'], [data-mime-type='application/vnd.jupyter.stderr']"


@pytest.fixture
def timed(request):
    began = time.monotonic()
    yield
    TIMES[request.node.name.removeprefix("test_")] = time.monotonic() - began


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    """The working folder, and the address that `cutelearn lab` printed."""
    began, folder = time.monotonic(), tmp_path_factory.mktemp("learner")
    work = folder / "work"
    with running([sys.executable, "-m", "cutelearn", "lab", str(work), "--no-browser"], folder) as server:
        while not (said := re.search(r"^JupyterLab: (\S+)$", (folder / "log").read_text(), re.MULTILINE)):
            if server.poll() is not None or time.monotonic() > began + PATIENCE:
                pytest.fail(f"cutelearn lab did not start:\n{(folder / 'log').read_text()[-3000:]}")
            time.sleep(0.1)
        TIMES["cutelearn lab"] = time.monotonic() - began
        yield work, said[1]


@pytest.fixture(scope="module")
def page():
    with new_page() as page:
        yield page


@pytest.fixture(scope="module")
def opened(lab, page):
    """Opens one of the learner's notebooks in the page; gives its cells as they lie in the folder."""

    def opened(name):
        work, address = lab
        open_notebook(page, re.sub(r"/lab/tree/[^?]+", f"/lab/tree/{name}", address))
        return json.loads((work / name).read_text("utf-8"))["cells"]

    return opened


def cell(page, text):
    return page.locator(".jp-Notebook:visible .jp-CodeCell", has=page.locator(".jp-InputArea", has_text=text))


def run_cell(page, text):
    cell(page, text).locator(".cm-content").click()
    page.keyboard.press("Control+Enter")


def pictures(page):
    """The width of each figure that the notebook shows; 0 for one that cannot be drawn."""
    return page.locator(".jp-Notebook:visible .jp-RenderedSVG img").evaluate_all(
        "images => images.map(e => e.complete ? e.naturalWidth : 0)"
    )


def stored_figures(cells):
    outputs = (output for one in cells for output in one.get("outputs", ()))
    return sum("image/svg+xml" in output.get("data", {}) for output in outputs)


def test_the_lesson_shows_its_figures_before_it_is_run(page, opened, timed):
    """JupyterLab shows a stored SVG only in a notebook that it trusts."""
    figures = stored_figures(opened(LESSON))
    assert figures > 10
    page.locator(".jp-Notebook:visible .jp-RenderedSVG img").nth(figures - 1).wait_for()
    shown = pictures(page)
    assert len(shown) == figures
    assert min(shown) > 100


def test_the_lesson_runs_from_top_to_bottom(page, opened, timed):
    figures = stored_figures(opened(LESSON))
    run_all(page)
    cell(page, "CompositionBench(").locator(".cutelearn-picture svg").wait_for()  # a live one, in place of its still
    shown = pictures(page)
    assert len(shown) == figures - 1
    assert min(shown) > 100
    assert page.locator(".jp-Notebook:visible").locator(FAULTS).all_inner_texts() == []
    cell(page, 'predict("04.p1", ...)').get_by_text("04.p1").last.wait_for()


def test_a_wrong_answer_gets_its_hint_and_the_right_one_is_done(page, opened, timed):
    opened(EXERCISES)
    run_all(page)
    for name in exercises_of("04"):
        assert said_by(page, f'check("{name}")') == f"{name} · not attempted"
    assert page.locator(".jp-Notebook:visible").locator(FAULTS).all_inner_texts() == []

    answer(page, WRONG.answer)
    words = said_by(page, 'check("04.1")')
    assert words.startswith(f"04.1 · not yet: {WRONG.shows[:60]}")
    assert words.endswith(f'Hint {WRONG.hint} of {len(ONE.hints)} is about this: hint("04.1")')

    cell(page, '# hint("04.1")').locator(".cm-line").first.click()
    page.keyboard.press("Home")
    page.keyboard.press("Delete")
    page.keyboard.press("Delete")
    page.keyboard.press("Control+Enter")
    cell(page, 'hint("04.1")').locator(".jp-OutputArea-output").wait_for()
    assert said_by(page, 'hint("04.1")').startswith(f"04.1 · hint {WRONG.hint} of {len(ONE.hints)}: ")

    answer(page, RIGHT)
    assert said_by(page, 'check("04.1")') == "04.1 · done"


def answer(page, value):
    """Types the value in place of what the answer cell holds, runs it, and runs the check."""
    before = cell(page, 'check("04.1")').locator(".jp-InputPrompt").inner_text()
    cell(page, "a04_1 =").locator(".cm-content").click()
    page.keyboard.press("Control+A")
    page.keyboard.type(f"a04_1 = {value}")
    page.keyboard.press("Control+Enter")
    run_cell(page, 'check("04.1")')
    page.wait_for_function(
        r"([prompt, before]) => prompt.innerText !== before && /\d/.test(prompt.innerText)",
        arg=[cell(page, 'check("04.1")').locator(".jp-InputPrompt").element_handle(), before],
    )


def said_by(page, text):
    """What stands under a cell, in one line."""
    return " ".join(cell(page, text).locator(".jp-OutputArea-output").inner_text().split())


def test_the_console_has_nothing_to_complain_of(page):
    assert page.complaints == []


def test_how_long_it_took(capsys):
    """Printed, not asserted: machines differ, and load does. A minute is what is wanted."""
    with capsys.disabled():
        print(f"\n{sum(TIMES.values()):.0f} s (", end="")
        print(", ".join(f"{name.replace('_', ' ')} {seconds:.1f}" for name, seconds in TIMES.items()), end=") ")
