"""Notes for the teacher of each chapter: docs/teaching/NN.md, made from what the course itself knows.

How long it takes and what is asked stand in the lesson; what goes wrong stands in the questions and in the catalogues
of wrong answers; what to ask in a room stands in chapters/ask.toml. `cutelearn build` writes the pages. They give answers
of predictions and of the quiz away, and no solution of an exercise.
"""

import json
import re
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from .exercises import Exercise, Wrong, exercises_of
from .notebooks import exercise_ids, source_of
from .paths import NoTime, comes_after, minutes
from .questions import Question, questions_of

__all__ = ["NoTime", "name_of", "page", "to_ask"]

FOLDER = "docs/teaching"
LONGEST = 60  # characters of a wrong answer that is shown


def name_of(chapter: str) -> str:
    return f"{FOLDER}/{chapter}.md"


@cache
def to_ask() -> dict[str, list[dict[str, str]]]:
    """Chapter -> its questions, each with `ask` and `listen`."""
    return tomllib.loads((Path(__file__).parent / "chapters" / "ask.toml").read_text("utf-8"))


# ------------------------------------------------------------------------------------------------ Markdown


def plain(text: str) -> str:
    """Text in Markdown in which no sign means anything.

    >>> plain("3 * 2 in A(_,5) <4>")
    '3 \\\\* 2 in A(\\\\_,5) \\\\<4>'
    """
    escaped = re.sub(r"([\\`*_\[\]<$~|])", r"\\\1", " ".join(text.split()))
    return re.sub(r"^(\d+)([.)])", r"\1\\\2", re.sub(r"^([-+#>])", r"\\\1", escaped))


def written(answer) -> str | None:
    """An answer as one would type it; None for a function, and for one that is too long to read."""
    text = answer if isinstance(answer, str) else repr(answer)
    return f"`{text}`" if len(text) <= LONGEST and "`" not in text and " at 0x" not in text else None


# ------------------------------------------------------------------------------------------------ parts of a page


def page(root: Path, lesson: Path) -> str:
    """The whole page for the lesson of a chapter. Raises NoTime where a notebook does not say how long it takes."""
    chapter, cells = lesson.name[:2], json.loads(lesson.read_text("utf-8"))["cells"]
    head = source_of(cells[0])
    title = head.split("\n")[0].removeprefix("# ")
    parts = [
        f"# {title}: for who teaches it",
        "Made by `cutelearn build`. It gives answers away.",
        *_time(root, lesson, head),
        *_aims(head),
        *_to_ask(chapter),
        *_predictions(chapter, cells),
        *_quiz(chapter, cells),
        *_exercises(chapter),
    ]
    return "\n\n".join(parts) + "\n"


def _time(root: Path, lesson: Path, head: str) -> Iterator[str]:
    yield "## How long it takes"
    lines = [f"- The [lesson](../../notebooks/{lesson.name}): {minutes(head)} minutes."]
    for path in sorted((root / "exercises").glob(f"{lesson.name[:2]}-*.ipynb")):
        of_them = minutes(source_of(json.loads(path.read_text("utf-8"))["cells"][0]))
        count = len(exercise_ids(lesson.name[:2]))
        what = "1 exercise" if count == 1 else f"{count} exercises"
        lines.append(f"- The [exercises](../../exercises/{path.name}): {of_them} minutes for {what}.")
    if before := comes_after(head):
        lines.append(f"- It comes after {', '.join(before)}.")
    yield "\n".join(lines)


def _aims(head: str) -> Iterator[str]:
    aims = re.search(r"\*\*You will be able to\*\*\n\n(.*?)(?:\n\n|$)", head, re.S)
    if aims:
        yield "## They will be able to"
        yield aims[1]


def _to_ask(chapter: str) -> Iterator[str]:
    if chapter in to_ask():
        yield "## Questions to ask"
        yield "\n".join(f"1. {one['ask']}\n\n   *Listen for:* {one['listen']}\n" for one in to_ask()[chapter]).rstrip()


def _predictions(chapter: str, cells) -> Iterator[str]:
    """Each idea of the lesson with its predictions: the question, the answer, and what people say instead."""
    questions, heading, asked, begun = questions_of(chapter), "", "", set()
    for cell in cells:
        source = source_of(cell)
        if cell["cell_type"] == "markdown":
            heading = (re.findall(r"^## (.+)$", source, re.M) or [heading])[-1]
            asked = source.partition("*Predict.*")[2].strip()
            continue
        ids = [i for i in re.findall(r'predict\("(\d\d\.p\d+)"', source) if i in questions]
        if not ids:
            continue
        if not begun:
            yield "## What goes wrong in the lesson"
        if heading not in begun:
            yield f"### {heading}"
        begun.add(heading)
        if asked:
            yield "\n".join(f"> {line}".rstrip() for line in asked.split("\n"))
        yield from (_question(questions[i]) for i in ids)


def _question(one: Question) -> str:
    lines = [f"- {one.id}: {written(one.answer) or 'right'} is right: {plain(one.because)}"]
    for slip in one.slips:
        said = written(slip.answer)
        lines.append(f"  - {said}: {plain(slip.shows)}" if said else f"  - {plain(slip.shows)}")
    return "\n".join(lines)


def _quiz(chapter: str, cells) -> Iterator[str]:
    asked = [one for one in questions_of(chapter).values() if ".q" in one.id]
    if not asked:
        return
    yield "## The quiz"
    before = ""
    for cell in cells:
        if cell["cell_type"] == "markdown":
            before = source_of(cell)
        elif "quiz(" in source_of(cell) and "import" not in source_of(cell):
            yield re.split(r"^## .+$", before, flags=re.M)[-1].strip()
            break
    yield "\n".join(map(_question, asked))


def _exercises(chapter: str) -> Iterator[str]:
    if not exercise_ids(chapter):
        return
    yield "## What goes wrong in the exercises"
    for one in exercises_of(chapter).values():
        yield f"### {one.id} {plain(one.title)}"
        yield "\n".join(_wrong(one, wrong) for wrong in one.wrong)


def _wrong(one: Exercise, wrong: Wrong) -> str:
    said = None if callable(wrong.answer) else written(wrong.answer)
    return f"- {f'{said}: ' if said else ''}{plain(wrong.shows)} (Hint {wrong.hint} of {len(one.hints)}.)"
