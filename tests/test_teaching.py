"""The teachers' notes: what the course knows of wrong answers, readable, with questions to ask, and no solution."""

import json
import re

import pytest
from exercise_tools import ROOT, notebook_of

from cutelearn import Layout, LayoutError, complement, composition, idx2crd, logical_product
from cutelearn.course import teaching
from cutelearn.course.build import notes
from cutelearn.course.exercises import chapters, exercises_of
from cutelearn.course.notebooks import BEGIN, END, part_of, source_of
from cutelearn.course.questions import questions_of

LESSONS = sorted((ROOT / "notebooks").glob("[0-9]*.ipynb"))
EVERY = pytest.mark.parametrize("lesson", LESSONS, ids=lambda path: path.name[:2])
ALIKE = re.compile(r"[\W_]+")  # signs apart, which Markdown escapes


@EVERY
def test_three_questions_to_ask(lesson):
    asked = teaching.to_ask()[lesson.name[:2]]
    assert len(asked) == 3
    for one in asked:
        assert set(one) == {"ask", "listen"}
        assert one["ask"].endswith(("?", ".", "`"))
        assert one["listen"].endswith(".")
        assert f"1. {one['ask']}\n\n   *Listen for:* {one['listen']}" in teaching.page(ROOT, lesson)


@EVERY
def test_everything_that_goes_wrong_is_on_the_page(lesson):
    chapter = lesson.name[:2]
    said = ALIKE.sub(" ", teaching.page(ROOT, lesson))
    shows = [slip.shows for one in questions_of(chapter).values() for slip in one.slips]
    if chapter in chapters():
        shows += [wrong.shows for one in exercises_of(chapter).values() for wrong in one.wrong]
    assert shows
    assert [text for text in shows if ALIKE.sub(" ", text).strip() not in said] == []
    for one in questions_of(chapter):
        assert said.count(f" {one.replace('.', ' ')} ") >= 1, one


@EVERY
def test_no_solution_is_given_away(lesson):
    if lesson.name[:2] not in chapters():
        pytest.skip("this chapter has no exercises")
    page = teaching.page(ROOT, lesson)
    for cell in json.loads(notebook_of("solutions", lesson.name[:2]).read_text("utf-8"))["cells"]:
        if (part := part_of(cell)) and part["part"] == "answer":
            region = source_of(cell).partition(BEGIN)[2].partition(END)[0]
            assert [line for line in region.split("\n") if len(line.strip()) > 12 and line.strip() in page] == []
    assert "```" not in page.partition("## What goes wrong in the exercises")[2]


@EVERY
def test_the_page_is_markdown_as_meant(lesson):
    from markdown_it import MarkdownIt

    page = teaching.page(ROOT, lesson)
    tokens = MarkdownIt().parse(page)
    kinds = {token.type for token in tokens}
    assert not kinds & {"html_block", "hr"}
    assert not any(child.type == "html_inline" for token in tokens for child in token.children or [])
    headings = [
        tokens[i + 1].content for i, token in enumerate(tokens) if token.type == "heading_open" and token.tag == "h2"
    ]
    assert headings[:3] == ["How long it takes", "They will be able to", "Questions to ask"]
    assert " 0x" not in page


def test_pages_are_those_that_build_writes():
    due = {path.name for path, _ in notes(ROOT, [])}
    assert due == {f"{path.name[:2]}.md" for path in LESSONS}
    assert {path.name for path in (ROOT / teaching.FOLDER).glob("*")} == due


def test_numbers_in_the_questions_are_true():
    """What ask.toml says of values, computed."""
    assert Layout((4, 8), (9, 1))(2, 3) == 21
    assert idx2crd(35, ((2, 4), 8)) == ((1, 1), 4)
    inner = Layout((4, 6), (6, 1))
    assert [inner(3 * i) for i in range(4)] == [0, 18, 13, 8]
    with pytest.raises(LayoutError, match="carry"):
        composition(inner, Layout(4, 3))
    starts = complement(Layout(4, 2), 24)
    assert (str(starts), [starts(i) for i in range(6)]) == ("(2,3):(1,8)", [0, 1, 8, 9, 16, 17])
    assert str(logical_product(Layout((2, 2), (4, 1)), Layout(6, 1))) == "((2,2),(2,3)):((4,1),(2,8))"
    assert [Layout((32, 4))(5, i) for i in range(4)] == [5, 37, 69, 101]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [("1. a", r"1\. a"), ("- a", r"\- a"), ("+ 2", r"\+ 2"), ("Int<4>{}", r"Int\<4>{}"), ("a_b`c`", r"a\_b\`c\`")],
)
def test_plain_text_stays_plain(text, wanted):
    assert teaching.plain(text) == wanted
