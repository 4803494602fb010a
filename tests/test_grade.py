"""`cutelearn grade`: whose notebook, which chapter, which answer; the same marks as `cutelearn check`; what is written."""

import copy
import csv
import json
import os
import signal
import subprocess
import sys

import nbformat
import pytest
from grade_tools import IMPORTS, RIGHT, RIGHT_4, code, graded, hand_in, marks, notebook, states
from hypothesis import given
from hypothesis import strategies as st
from test_check_cells import blank, cells_of, colab_solved, solved, wrong

from cutelearn import Layout, Swizzle, cli
from cutelearn.course import apart, grade, gradebook, handed_in, progress, wire
from cutelearn.course.answers import Calls, Failed, Other, Refused
from cutelearn.course.exercises import chapters, exercises_of
from cutelearn.swizzle import ComposedLayout

C1, C4 = 'check("04.1")', 'check("04.4")'


def put(path, found):
    return hand_in(path, nbformat.writes(found))


def run(capsys, *words):
    code = cli.main(["grade", *map(str, words)])
    said = capsys.readouterr()
    return code, said.out, said.err


# ------------------------------------------------------------------------------------------------ the real notebooks


def test_solved_is_done_and_blank_is_not_attempted(tmp_path):
    ready = [c for c in chapters() if c <= "08"]
    for chapter in ready:
        put(tmp_path / "solver" / f"{chapter}.ipynb", solved(chapter))
        put(tmp_path / "idler" / f"{chapter}.ipynb", blank(chapter))
    report = graded(tmp_path, tmp_path / "kept", grade.Limits())
    every = [one for chapter in ready for one in exercises_of(chapter)]
    assert states(report, "solver") == dict.fromkeys(every, "done")
    assert states(report, "idler") == dict.fromkeys(every, "not attempted")


@pytest.mark.parametrize("chapter", ["04", "06"])
def test_the_marks_are_those_of_check(tmp_path, chapter):
    made = wrong(chapter)
    cells_of(made, "answer")["2"].source = "1/0"
    path = put(tmp_path / "ann" / "n.ipynb", made)
    checked = progress.check_notebook(path)
    found = marks(graded(tmp_path, tmp_path / "kept"), "ann")
    assert {row.id: (row.state, row.why) for row in checked} == {k: (m.state, m.reason) for k, m in found.items()}


def test_notebooks_as_other_programs_leave_them(tmp_path):
    put(tmp_path / "colab" / "Kopie von 4.ipynb", colab_solved("04"))
    nameless = solved("04")
    for cell in nameless.cells:
        cell.id, cell.metadata = f"x{id(cell)}", {"vscode": {"languageId": "python"}}
    put(tmp_path / "vscode" / "Untitled.ipynb", nameless)
    unchecked = copy.deepcopy(nameless)
    unchecked.cells = [cell for cell in unchecked.cells if not cell.source.startswith("check(")]
    put(tmp_path / "unchecked" / "u.ipynb", unchecked)
    both = solved("04")
    both.cells += solved("05").cells
    put(tmp_path / "both" / "b.ipynb", both)
    hand_in(tmp_path / "bom" / "b.ipynb", b"\xef\xbb\xbf" + notebook(RIGHT, C1).encode())
    old = {"cell_type": "code", "input": RIGHT, "language": "python", "metadata": {}, "outputs": []}
    sheet = [{"cells": [old | {"input": IMPORTS}, old, old | {"input": C1}], "metadata": {}}]
    hand_in(
        tmp_path / "old" / "o.ipynb",
        json.dumps({"worksheets": sheet, "metadata": {}, "nbformat": 3, "nbformat_minor": 0}),
    )
    report = graded(tmp_path, tmp_path / "kept", grade.Limits())
    every = dict.fromkeys(exercises_of("04"), "done")
    for learner in ("colab", "vscode", "unchecked"):
        assert states(report, learner) == every, learner
    assert states(report, "both") == every | dict.fromkeys(exercises_of("05"), "done")
    assert "at the end of the notebook counts" in marks(report, "unchecked")["04.1"].reason
    assert states(report, "bom")["04.1"] == states(report, "old")["04.1"] == "done"


def test_which_value_counts(tmp_path):
    """At the check cell; where it is gone, after the exercise's own cells; an edited one changes nothing."""
    made = solved("04")
    check = cells_of(made, "check")
    check["1"].source = "print('04.1 · done')"
    check["2"].source = "a04_2 = 1\ncheck('04.2')"
    made.cells.remove(check["4"])
    made.cells.append(nbformat.v4.new_code_cell("a04_1 = a04_3 = a04_4 = 'spoilt'"))
    put(tmp_path / "ann.ipynb", made)
    found = marks(graded(tmp_path, tmp_path / "kept"), "ann")
    assert [found[f"04.{n}"].state for n in range(1, 5)] == ["done", "not yet", "done", "done"]
    assert found["04.1"].reason == "its check cell was edited; the answer was judged all the same"
    assert found["04.4"].reason == "its check cell is missing"


def test_shows_and_magics_do_no_harm(tmp_path):
    cells = [
        "%matplotlib inline\nimport matplotlib.pyplot as plt\nplt.plot([1, 2])\nplt.show()",
        "import ipywidgets\nbox = ipywidgets.IntSlider()\ndisplay(box)\nbox",
        "import asyncio\nawait asyncio.sleep(0)",
        "%timeit -n1 -r1 1 + 1",
        "%%html\n<b>x</b>",
        "41 + 1",
        "a04_1 = [0, 12, 2, 14, 4, 16] if _ == 42 else 0",
        C1,
        "Layout((4, 8))",
        "hint('04.4'); solution('04.4'); show('04.4'); check('04.4')",
        RIGHT_4,
        C4,
    ]
    hand_in(tmp_path / "ann.ipynb", notebook(*cells))
    planned = handed_in.plan(handed_in.cells_of((tmp_path / "ann.ipynb").read_bytes()))
    assert apart.collect(planned.job, grade.Limits()).raised == {}
    found = states(graded(tmp_path, tmp_path / "kept"), "ann")
    assert (found["04.1"], found["04.4"]) == ("done", "done")


# ------------------------------------------------------------------------------------------------ the folder


def test_what_cannot_be_graded_costs_one_row(tmp_path):
    class_ = tmp_path / "class"
    files = {
        "empty": b"",
        "not json": b"{",
        "no notebook": b"[1]",
        "no cells": b"{}",
        "bad cell": b'{"cells": [3]}',
        "bad source": b'{"cells": [{"cell_type": "code", "source": [3]}]}',
        "deep": b"[" * 10**6,
        "binary": bytes(range(256)),
        "other": json.dumps({"cells": [code("1")]}).encode(),
        "many cells": json.dumps({"cells": [code("")] * 6000}).encode(),
    }
    for name, content in files.items():
        hand_in(class_ / name / "05 x.ipynb", content)
    hand_in(class_ / "good" / "deep" / "er" / "x.IPYNB", notebook(RIGHT, C1))
    hand_in(class_ / "good" / ".ipynb_checkpoints" / "x.ipynb", b"{")
    with (class_ / "large.ipynb").open("wb") as file:
        file.truncate(handed_in.LARGEST + 1)
    (class_ / "link").mkdir()
    (class_ / "link" / "passwd.ipynb").symlink_to("/etc/passwd")
    (class_ / "link" / "folder.ipynb").symlink_to(class_ / "good")
    os.mkfifo(class_ / "pipe.ipynb")
    report = graded(class_, tmp_path / "kept")
    said = {row.learner: row.mark.reason for row in report.rows if not row.mark.exercise}
    assert said.keys() == {*files, "large", "link", "pipe"}
    assert said["not json"] == "it is no notebook: the file is not JSON"
    assert said["link"] == "it is a link, and links are not followed"
    assert said["pipe"] == "it is no ordinary file"
    assert said["large"] == "it has 32 MB, and at most 32 are read"
    assert said["other"].startswith("it holds no exercise of this course")
    assert {row.mark.chapter for row in report.rows if row.learner == "empty"} == {"05"}
    assert states(report, "good")["04.1"] == "done"


def test_of_several_notebooks_the_best_answer_counts(tmp_path):
    hand_in(tmp_path / "ann" / "1.ipynb", notebook(RIGHT, C1, "a04_4 = 3", C4))
    hand_in(tmp_path / "ann" / "2.ipynb", notebook("a04_1 = 3", C1, RIGHT_4, C4))
    report = graded(tmp_path, tmp_path / "kept")
    assert (states(report, "ann")["04.1"], states(report, "ann")["04.4"]) == ("done", "done")
    assert [row.notebook for row in report.rows if row.mark.exercise in ("04.1", "04.4")] == [
        "ann/1.ipynb",
        "ann/2.ipynb",
    ]
    assert len(report.rows) == len(exercises_of("04"))


# ------------------------------------------------------------------------------------------------ what is written


def test_tables_and_pages(tmp_path, capsys):
    class_, out = tmp_path / "class", tmp_path / "out"
    evil = "=cmd('x') <script>alert(1)"
    hand_in(class_ / evil / "<b>.ipynb", notebook("a04_1 = '<img src=x onerror=alert(1)>'", C1, RIGHT_4, C4))
    hand_in(class_ / "ann" / "x.ipynb", notebook("a04_1 = [0, 12, 2, 14, 4]", C1))
    hand_in(class_ / "ann" / "y.ipynb", b"{")
    words = [class_, "--csv", out / "m.csv", "--totals", out / "t.csv", "--html", out / "pages", "--jobs", "2"]
    assert run(capsys, *words)[0] == 0
    rows = list(csv.reader((out / "m.csv").read_text("utf-8").splitlines()))
    assert rows[0] == list(gradebook.HEADER)
    assert [row[:6] for row in rows if row[0] == "ann"][:2] == [
        ["ann", "ann/y.ipynb", "", "", "not graded", "0"],
        ["ann", "ann/x.ipynb", "04", "04.1", "not yet", "0"],
    ]
    assert not [text for row in rows for text in row if text[:1] in tuple("=+-@")]
    assert list(csv.reader((out / "t.csv").read_text("utf-8").splitlines())) == [
        ["learner", "04 of 8", "total of 8", "not graded"],
        ["'" + evil, "1", "1", "0"],
        ["ann", "0", "0", "1"],
    ]
    for page in (out / "pages").iterdir():
        text = page.read_text("utf-8")
        assert "<script" not in text
        assert "<img" not in text
        assert "<b>" not in text
        assert "http" not in text.replace("http-equiv", "")
    page = (out / "pages" / gradebook.page_name("ann")).read_text("utf-8")
    assert "you have 5 values, and 6 are wanted" in page
    assert "yours  wanted" in page
    assert "Hint 1 of 4: Go through i" in page
    assert evil[:4] not in page


def test_a_second_run_does_what_is_new_and_writes_the_same_bytes(tmp_path, capsys):
    class_, out = tmp_path / "class", tmp_path / "out"
    for learner in ("ann", "bob"):
        hand_in(class_ / learner / "x.ipynb", notebook(RIGHT, C1, f"{learner} = 1", f"a04_4 = open('{learner}')", C4))
    words = [class_, "--csv", out / "m.csv", "--html", out / "pages"]
    assert "2 notebooks (2 run now)" in run(capsys, *words)[1]
    first = {path: path.read_bytes() for path in out.rglob("*.[ch]*") if path.suffix != ".jsonl"}
    kept = out / "m.csv.jsonl"
    kept.write_bytes(kept.read_bytes()[:-20])  # the last line is cut off
    hand_in(class_ / "cy" / "x.ipynb", notebook(RIGHT, C1))
    assert "3 notebooks (2 run now)" in run(capsys, *words)[1]
    (class_ / "cy" / "x.ipynb").unlink()
    assert "2 notebooks (0 run now)" in run(capsys, *words)[1]
    assert {path: path.read_bytes() for path in first} == first
    kept.unlink()
    assert "2 notebooks (2 run now)" in run(capsys, *words, "--jobs", "1")[1]
    assert {path: path.read_bytes() for path in first} == first


def test_ctrl_c_keeps_what_is_done(tmp_path):
    class_ = tmp_path / "class"
    hand_in(class_ / "ann.ipynb", notebook(RIGHT, C1))
    hand_in(class_ / "bob.ipynb", notebook("import time; time.sleep(50)", C1))
    command = [
        sys.executable,
        "-m",
        "cutelearn",
        "grade",
        str(class_),
        "--csv",
        str(tmp_path / "m.csv"),
        "--jobs",
        "2",
    ]
    child = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    assert any(line.startswith("1 of 2 notebooks") for line in child.stderr)
    child.send_signal(signal.SIGINT)
    said = child.communicate(timeout=30)[1]
    assert child.returncode == 130, said
    assert "Stopped. What is graded is kept" in said
    assert len((tmp_path / "m.csv.jsonl").read_text().splitlines()) == 1


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["gone", "--csv", "m.csv"], "there is no folder gone."),
        (["empty", "--csv", "m.csv"], "empty holds no notebook: no file below it ends in .ipynb."),
        (["empty", "--csv", "empty"], "empty is a folder: name a file for the table."),
        (["bad", "--csv", "m.csv", "--html", "m.txt"], "m.txt is a file: name a folder for the pages."),
        (["bad", "--csv", "m.csv", "--dask", "tcp://127.0.0.1:9"], "there is no Dask scheduler at tcp://127.0.0.1:9."),
    ],
)
def test_what_cannot_be_done_is_said(tmp_path, monkeypatch, capsys, words, sentence):
    pytest.importorskip("distributed")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(grade, "SCHEDULER_SECONDS", 1)
    (tmp_path / "empty").mkdir()
    (tmp_path / "m.txt").touch()
    hand_in(tmp_path / "bad" / "x.ipynb", b"{")
    exit_code, _out, err = run(capsys, *words)
    assert exit_code == 1
    assert f"cutelearn grade: {sentence}" in err


def test_nothing_graded_is_an_exit_code(tmp_path, capsys):
    hand_in(tmp_path / "c" / "x.ipynb", b"{")
    assert run(capsys, tmp_path / "c", "--csv", tmp_path / "m.csv")[0] == 1


# ------------------------------------------------------------------------------------------------ answers as text

LEAVES = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=9) | st.just(...)
LEAVES |= st.builds(Other, st.text(max_size=9)) | st.builds(Refused, st.text(max_size=9)) | st.just(Failed("x"))
LEAVES |= st.sampled_from(
    [Layout((4, (2, 3))), Layout((4,)), Swizzle(2, 0, 3), ComposedLayout(Swizzle(2, 0, 3), 5, Layout((8, 8)))]
)
KEYS = st.integers() | st.text(max_size=9) | st.tuples(st.integers(), st.integers())
DATA = st.recursive(
    LEAVES,
    lambda d: st.lists(d, max_size=4) | st.lists(d, max_size=4).map(tuple) | st.dictionaries(KEYS, d, max_size=3),
    max_leaves=12,
)


@given(DATA | st.lists(DATA, max_size=4).map(tuple).map(Calls))
def test_plain_data_cross_as_they_are(data):
    back = wire.read(wire.write(data))
    assert repr(back) == repr(data)
    assert back == data


JSON = st.recursive(
    st.none() | st.integers() | st.text(max_size=5),
    lambda d: (
        st.lists(d, max_size=3)
        | st.dictionaries(st.sampled_from(["tuple", "dict", "layout", "calls", "dots", "x"]), d, max_size=2)
    ),
    max_leaves=9,
)


@given(JSON)
def test_what_is_read_is_plain_data_or_refused(data):
    try:
        back = wire.unpacked(data)
    except wire.BadText:
        return
    assert wire.read(wire.write(back)) == back
