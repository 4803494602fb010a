"""Questions inside lessons: what is said to each answer, that nothing breaks them, and that lesson and answers agree."""

import io
import json
import re
from contextlib import redirect_stdout
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import layouts

import cutelearn.course.chapters as chapters
from cutelearn import Layout
from cutelearn.course import predict, quiz
from cutelearn.course.compare import Fault
from cutelearn.course.questions import (
    WAITING,
    a_coordinate,
    a_layout,
    a_layout_or_none,
    a_shape,
    an_integer,
    integers,
    one_of,
    question,
    questions_of,
    reply,
)

ROOT = Path(__file__).resolve().parent.parent
ASKING = sorted(path.stem.removeprefix("quiz") for path in Path(chapters.__path__[0]).glob("quiz*.py"))
QUESTIONS = [one for chapter in ASKING for one in questions_of(chapter).values()]
SLIPS = [(one, slip) for one in QUESTIONS for slip in one.slips]
EVERY = pytest.mark.parametrize("one", QUESTIONS, ids=lambda one: one.id)


def said(function, *arguments) -> str:
    out = io.StringIO()
    with redirect_stdout(out):
        function(*arguments)
    return out.getvalue()


def flat(text) -> str:
    return " ".join(text.split())


# ------------------------------------------------------------------------------------------------ each question


def test_there_are_questions():
    assert "04" in ASKING
    assert len(QUESTIONS) >= 8


@EVERY
def test_unanswered(one):
    """One fixed line, for it is what a lesson stores."""
    assert reply(one) == reply(one, ...) == f"{one.id} · {WAITING}"


@EVERY
def test_right(one):
    assert reply(one, one.answer) == f"{one.id} · yes: {one.because}"
    if isinstance(one.answer, Layout):
        assert reply(one, str(one.answer)) == reply(one, one.answer)
    if isinstance(one.answer, list):
        assert reply(one, tuple(one.answer)) == reply(one, np.array(one.answer)) == reply(one, one.answer)


@pytest.mark.parametrize(("one", "slip"), SLIPS, ids=[f"{one.id}-{n}" for n, (one, _s) in enumerate(SLIPS)])
def test_slips(one, slip):
    """Each catalogued wrong answer is wrong, and gets its own sentence."""
    assert not isinstance(one.form(slip.answer), Fault)
    assert reply(one, slip.answer) == f"{one.id} · not this: {slip.shows}"
    assert [other.shows for other in one.slips].count(slip.shows) == 1


@EVERY
def test_every_wrong_answer_has_a_word(one):
    """Where the answer is one of a few words, each wrong one is catalogued; elsewhere `otherwise` speaks to the rest."""
    letters = [letter for letter in "abcdef" if not isinstance(one.form(letter), Fault)]
    if letters:
        assert {slip.answer for slip in one.slips} == set(letters) - {one.answer}
    else:
        assert one.otherwise


# ------------------------------------------------------------------------------------------------ forms


@pytest.mark.parametrize(
    ("form", "value", "read"),
    [
        (a_layout, "(2,3):(3,1)", Layout((2, 3), (3, 1))),
        (a_layout, "Layout<Shape<_2,_3>,Stride<_3,_1>>", Layout((2, 3), (3, 1))),
        (a_layout_or_none, None, None),
        (a_layout_or_none, " None", None),
        (a_layout_or_none, "3:1", Layout(3, 1)),
        (an_integer, 7, 7),
        (integers, (1, 2), [1, 2]),
        (integers, [], []),
        (a_coordinate, ((1, 1), 4), ((1, 1), 4)),
        (a_coordinate, "((1,1),4)", ((1, 1), 4)),
        (a_coordinate, 35, 35),
        (a_shape, "((4,8),(2,3))", ((4, 8), (2, 3))),
        (one_of("a", "b"), " A ", "a"),
    ],
)
def test_forms(form, value, read):
    assert form(value) == read


@pytest.mark.parametrize(
    ("form", "value", "because"),
    [
        (a_layout, (3, 3), "is a tuple, not a layout"),
        (a_layout, ((3, 5), (6, 1)), "Write Layout((3,5),(6,1)), if these are shape and stride"),
        (a_layout, "3,5:6,1", "Put parentheses around several numbers"),
        (a_layout, "3,3:8,1", "cannot read this layout"),
        (a_layout, None, "None says that there is no such layout"),
        (a_layout, " none", "None says that there is no such layout"),
        (a_layout_or_none, 3, "is not a layout"),
        (an_integer, 7.5, "is not an integer"),
        (an_integer, True, "is not an integer"),
        (an_integer, "19", "'19' is text. Write the number without quotes"),
        (an_integer, "nineteen", "is not an integer"),
        (integers, 7, "is not a list"),
        (integers, [1, "2"], "'2' is text"),
        (a_coordinate, [1, 2], "is not a coordinate"),
        (a_coordinate, (1, True), "is not a coordinate"),
        (a_coordinate, "(1,_)", "is not a coordinate"),
        (a_coordinate, "(1,", "(1,"),
        (a_shape, "(8,8):(1,8)", "(8,8):(1,8)"),
        (a_shape, [8, 8], "is not a shape"),
        (one_of("a", "b"), "c", "'c' is none of 'a', 'b'"),
        (one_of("a", "b"), 1, "1 is none of"),
    ],
)
def test_forms_say_what_they_want(form, value, because):
    found = form(value)
    assert isinstance(found, Fault)
    assert because in found.sentence


def test_a_function_is_right_in_any_parentheses():
    for told in ("(3,2):(2,12)", "((3,2)):((2,12))", "(3,(1,2)):(2,(0,12))"):
        assert reply(question("05.p2"), told).startswith("05.p2 · yes")
    assert reply(question("06.p5"), "((4,2),6):((2,1),8)").startswith("06.p5 · yes")
    assert reply(question("06.p5"), "((2,4),6):((1,2),8)").startswith("06.p5 · not this")


@given(layouts())
def test_another_layout_sees_its_values(layout):
    one = question("04.p1")
    told = reply(one, layout)
    if told.startswith("04.p1 · not this") and one.otherwise in told:
        assert f"gives {layout(0)}" in told


@pytest.mark.parametrize(
    ("asked", "told", "sees"),
    [
        ("04.p1", "((3,3)):((8,1))", "gives the right numbers. But its modes are not of 3 and 3 cells"),
        (
            "04.p3",
            "(3,16):(20,100)",
            "120, 140 and so on, and 200 at index 6, where it should be 1000. Go from the left",
        ),
        ("04.p1", "9:8", "gives 0, 8, 16, 24, 32, 40 and so on. Wanted are"),
    ],
)
def test_what_a_wrong_layout_gives_is_seen_to_be_wrong(asked, told, sees):
    assert sees in flat(reply(question(asked), told))


# ------------------------------------------------------------------------------------------------ nothing breaks them


class Nasty:
    """An answer that does not let itself be read."""

    def __index__(self):
        raise ValueError("no")

    def __repr__(self):
        raise RuntimeError("no")


JUNK = [
    Nasty(),
    [Nasty()],
    {1: 2},
    {1},
    object(),
    lambda: 3,
    float("nan"),
    10**5000,
    "(" * 5000,
    "a" * 10**6,
    b"a",
    [[]],
    "",
]
JUNK += ["(1000000000,3):(8,1)", Layout(10**9), Layout((10**6, 10**6)), [0] * 10**6, range(10**9), (x for x in [1])]


@EVERY
@pytest.mark.parametrize("junk", JUNK, ids=lambda junk: type(junk).__name__)
def test_junk_gets_a_sentence(one, junk):
    told = said(predict, one.id, junk)
    assert told.startswith(f"{one.id} · ")
    assert "itself stopped" not in told
    assert len(told) < 600


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.floats() | st.text(), st.lists, max_leaves=6))
def test_any_value_gets_a_sentence(value):
    for one in QUESTIONS:
        assert said(predict, one.id, value).startswith(f"{one.id} · ")


@pytest.mark.parametrize("name", ["04.p99", "", "4.1", None, 4, ["04.p1"], "04", "..p1", "\n"])
def test_no_such_question(name):
    assert "is no question: " in said(predict, name, 1)


def test_one_answer_goes_in():
    said_to_two = "13.p1 · one answer goes in, and you gave 2: put several numbers in brackets, [0, 1]\n"
    assert said(predict, "13.p1", 1, 32) == said_to_two


def test_a_quotient_that_is_whole_is_a_number():
    assert an_integer(128 / 4) == 32
    assert isinstance(an_integer(128 / 3), Fault)


def test_a_fault_of_the_course_is_a_sentence(monkeypatch):
    monkeypatch.setattr("cutelearn.course.questions.question", lambda _id: 1 / 0)
    assert said(predict, "04.p1", 1) == "the question itself stopped (ZeroDivisionError: division by zero)\n"


# ------------------------------------------------------------------------------------------------ the quiz


@pytest.mark.parametrize("chapter", ASKING)
def test_quiz(chapter):
    asked = [one for one in questions_of(chapter).values() if ".q" in one.id]
    assert len(asked) == 3
    right = [one.answer for one in asked]
    assert f"{len(right)} of {len(right)}" in said(quiz, chapter, *right)
    assert all(f"{one.id} · yes" in said(quiz, chapter, *right) for one in asked)
    some = said(quiz, chapter, right[0], ...)
    assert f"1 of {len(right)}" in some
    assert some.count(WAITING) == len(right) - 1
    assert said(quiz, chapter) == said(quiz, chapter, *[...] * len(right)) == f"quiz · {WAITING}\n"
    assert "questions, and you gave" in said(quiz, chapter, *right, "a")


def test_letters_of_a_quiz_may_stand_together():
    assert said(quiz, "13", "bbc") == said(quiz, "13", "b", "b", "c")
    assert said(quiz, "13", "bb") != said(quiz, "13", "b", "b")


@pytest.mark.parametrize("chapter", ["99", "", None, 4, "../04"])
def test_no_such_quiz(chapter):
    assert "is no lesson with a quiz" in said(quiz, chapter, "a")


# ------------------------------------------------------------------------------------------------ lessons and answers


def lesson(chapter):
    (path,) = (ROOT / "notebooks").glob(f"{chapter}-*.ipynb")
    return json.loads(path.read_text("utf-8"))["cells"]


@pytest.mark.parametrize("chapter", ASKING)
def test_a_lesson_asks_all_its_questions_in_order(chapter):
    sources = ["".join(cell["source"]) for cell in lesson(chapter) if cell["cell_type"] == "code"]
    asked = re.findall(r'^predict\("([\d.p]+)", \.\.\.\)  #', "\n".join(sources), flags=re.M)
    assert asked == [one for one in questions_of(chapter) if ".p" in one]
    quizzes = [source for source in sources if source.startswith("quiz(")]
    assert [source.split("  #")[0] for source in quizzes] == [f'quiz("{chapter}", ..., ..., ...)']


@pytest.mark.parametrize("chapter", ASKING)
def test_a_question_stands_before_what_answers_it(chapter):
    """A cell that asks has a *Predict.* above it, and the cell below it is code that shows."""
    cells = lesson(chapter)
    for before, cell, after in zip(cells, cells[1:], cells[2:], strict=False):
        if "".join(cell["source"]).startswith("predict("):
            assert "*Predict.*" in "".join(before["source"]).split("\n\n")[-1]
            assert after["cell_type"] == "code"


def plain(text):
    """Text in which `Layout((2, 3), (3, 1))`, `(2, 3):(3, 1)` and `(2,3):(3,1)` read alike."""
    return re.sub(r"\s*([(),\[\]])\s*", r"\1", text.replace(":", ","))


@pytest.mark.parametrize("chapter", ASKING)
def test_the_next_cell_does_not_give_the_answer_away(chapter):
    """It computes what was asked. A layout, coordinate or list that is the answer stands in it only if the question
    names it, as in "what is coalesce((2,3):(3,1))?"."""
    cells = lesson(chapter)
    for before, cell, after in zip(cells, cells[1:], cells[2:], strict=False):
        asked = re.search(r'^predict\("([\d.p]+)"', "".join(cell["source"]), flags=re.M)
        if not asked or not isinstance(answer := question(asked[1]).answer, (Layout, tuple, list)):
            continue
        if plain(str(answer)) not in plain("".join(before["source"])):
            assert plain(str(answer)) not in plain("".join(after["source"])), asked[1]


@pytest.mark.parametrize("chapter", ASKING)
def test_folded_answers_are_the_right_ones(chapter):
    text = "\n".join("".join(cell["source"]) for cell in lesson(chapter) if cell["cell_type"] == "markdown")
    folded = re.search(r"<details><summary>The answers</summary>\n\n(.*?)\n\n</details>", text, flags=re.S)[1]
    right = {one.id[-1]: one.answer for one in questions_of(chapter).values() if ".q" in one.id}
    assert dict(re.findall(r"^- (\d): ([a-z])\. ", folded, flags=re.M)) == right
    for n, one in enumerate((q for q in questions_of(chapter).values() if ".q" in q.id), 1):
        offered = text.split(f"Question {n}.")[1].split("Question ")[0].split("## ")[0]
        letters = re.findall(r"^- ([a-z]): ", offered.split("<details>")[0], flags=re.M)
        assert all(not isinstance(one.form(letter), Fault) for letter in letters)
        assert isinstance(one.form("abcdefgh"[len(letters)]), Fault)
