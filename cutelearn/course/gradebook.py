"""What a teacher gets of a grading: a table of all marks, one with a line for each learner, a page for each learner.

Everything in it that came from a notebook or a file name is text: escaped in pages, and in tables never a formula.
"""

import csv
import hashlib
import io
import os
import re
import sys
from collections import Counter
from html import escape
from pathlib import Path

from .exercises import DONE, NOT_ATTEMPTED, exercises_of
from .grade import NO_EXERCISES, NOT_GRADED, STOPPED, CannotGrade, Mark, Report, Row
from .handed_in import one_line
from .workfolder import write_whole

HEADER = ("learner", "notebook", "chapter", "exercise", "state", "points", "reason")
LONGEST_REASON = 500  # characters in a table


def cell(text: str) -> str:
    """Text for a table: one line, and no formula where a spreadsheet opens it.

    >>> cell("=1+1"), cell("ann")
    ("'=1+1", 'ann')
    """
    text = one_line(text)
    text = text if len(text) <= LONGEST_REASON else text[: LONGEST_REASON - 3] + "..."
    return "'" + text if text[:1] in tuple("=+-@|%\uff1d\uff0b\uff0d\uff20") else text


def written(rows) -> bytes:
    held = io.StringIO()
    csv.writer(held, lineterminator="\n").writerows(rows)
    return held.getvalue().encode("utf-8")


def marks_table(report: Report) -> bytes:
    """CSV: one line for each exercise of each learner, and one for each notebook that could not be graded."""
    lines = [HEADER]
    for row in report.rows:
        mark = row.mark
        texts = (row.learner, row.notebook, mark.chapter, mark.exercise, mark.state)
        lines.append((*map(cell, texts), mark.points, cell(mark.reason)))
    return written(lines)


def totals_table(report: Report) -> bytes:
    """CSV for a gradebook: one line a learner, their points in each chapter and in all; empty where they handed in
    nothing of a chapter that could be read."""
    chapters = sorted({row.mark.chapter for row in report.rows if row.mark.exercise})
    most = {chapter: len(exercises_of(chapter)) for chapter in chapters}
    lines = [("learner", *(f"{c} of {most[c]}" for c in chapters), f"total of {sum(most.values())}", "not graded")]
    for learner, rows in by_learner(report).items():
        points: Counter[str] = Counter()
        for row in rows:
            if row.mark.exercise:
                points[row.mark.chapter] += row.mark.points
        troubled = len({row.notebook for row in rows if row.mark.state == NOT_GRADED})
        lines.append((cell(learner), *(points.get(c, "") for c in chapters), sum(points.values()), troubled))
    return written(lines)


def by_learner(report: Report) -> dict[str, list[Row]]:
    learners: dict[str, list[Row]] = {}
    for row in report.rows:
        learners.setdefault(row.learner, []).append(row)
    return learners


# ------------------------------------------------------------------------------------------------ pages

STYLE = """
:root { color-scheme: light dark; --ink: #1f2430; --soft: #5b6470; --line: #c9ced6; --paper: #ffffff; --pre: #f4f5f7;
  --done: #00714f; --not-yet: #a34400; --stopped: #a34400; --not-graded: #a34400; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e8ec; --soft: #a5adb8; --line: #444b57; --paper: #16191f;
  --pre: #20242c; --done: #4cc79b; --not-yet: #f0a35e; --stopped: #f0a35e; --not-graded: #f0a35e; } }
body { margin: 2rem auto; max-width: 56rem; padding: 0 1rem; background: var(--paper); color: var(--ink);
  font: 16px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.5rem; overflow-wrap: anywhere; } h2 { font-size: 1.2rem; margin-top: 2.5rem; }
h3 { font-size: 1rem; margin: 0; } h3 span { font-weight: normal; }
article { border-top: 1px solid var(--line); padding: .7rem 0; } p { margin: .3rem 0; overflow-wrap: anywhere; }
pre { background: var(--pre); padding: .7rem 1rem; overflow-x: auto; font-size: .9rem; line-height: 1.35; }
.soft { color: var(--soft); } .done { color: var(--done); } .not-yet { color: var(--not-yet); }
.stopped, .not-graded { color: var(--stopped); } .not-attempted, .no-exercises { color: var(--soft); }
table { border-collapse: collapse; } th, td { text-align: right; padding: .25rem .8rem; border-bottom: 1px solid
  var(--line); } th:first-child, td:first-child { text-align: left; overflow-wrap: anywhere; } a { color: inherit; }
.wide { overflow-x: auto; }
"""
POLICY = "default-src 'none'; style-src 'unsafe-inline'"  # a page loads nothing and runs nothing


def page(title: str, body: str) -> bytes:
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(title)}</title>
<style>{STYLE}</style>
</head>
<body>
{body}
</body>
</html>
""".encode("utf-8", "backslashreplace")


def page_name(learner: str) -> str:
    """A file name that says who it is and is unlike every other learner's, on every system.

    >>> page_name("Ann"), page_name("../x")
    ('ann-17239b6e.html', 'x-d6b96a97.html')
    """
    word = re.sub(r"[^a-z0-9]+", "-", learner.casefold()).strip("-")[:40] or "learner"
    return f"{word}-{hashlib.sha256(learner.encode('utf-8', 'backslashreplace')).hexdigest()[:8]}.html"


def write_pages(report: Report, folder: Path) -> None:
    """index.html for the teacher, and a page for each learner, which names nobody else."""
    for learner, rows in by_learner(report).items():
        write_whole(folder / page_name(learner), learner_page(learner, rows))
    write_whole(folder / "index.html", index_page(report))


def index_page(report: Report) -> bytes:
    chapters = sorted({row.mark.chapter for row in report.rows if row.mark.exercise})
    head = "".join(f"<th>{c}<br><span class=soft>of {len(exercises_of(c))}</span></th>" for c in chapters)
    lines = []
    for learner, rows in by_learner(report).items():
        marks = [row.mark for row in rows if row.mark.exercise]
        points = [[mark.points for mark in marks if mark.chapter == c] for c in chapters]
        cells = "".join(f"<td>{sum(of) if of else ''}</td>" for of in points)
        trouble = sum(not row.mark.exercise for row in rows) or ""
        lines.append(
            f'<tr><td><a href="{page_name(learner)}">{escape(learner)}</a></td>{cells}'
            f"<td>{sum(map(sum, points))}</td><td>{trouble}</td></tr>"
        )
    body = (
        f"<h1>Marks</h1>\n<p class=soft>{len(lines)} learners. An empty cell: nothing of that chapter was handed in.</p>\n"
        f"<div class=wide><table>\n<tr><th>learner</th>{head}<th>total</th><th>notebooks<br>not graded</th></tr>\n"
        + "\n".join(lines)
        + "\n</table></div>"
    )
    return page("Marks", body)


def learner_page(learner: str, rows: list[Row]) -> bytes:
    marks = [row.mark for row in rows if row.mark.exercise]
    parts = [f"<h1>{escape(learner)}</h1>"]
    if marks:
        parts.append(f"<p>{sum(mark.points for mark in marks)} of {len(marks)} exercises are done.</p>")
    for row in rows:
        if not row.mark.exercise:
            parts.append(
                f"<article><h3><code>{escape(row.notebook)}</code> <span class={_class(row.mark.state)}>"
                f"· {row.mark.state}</span></h3>\n<p>{escape(row.mark.reason)}</p></article>"
            )
    for chapter in dict.fromkeys(mark.chapter for mark in marks):
        mine = [row for row in rows if row.mark.exercise and row.mark.chapter == chapter]
        parts.append(f"<h2>Chapter {chapter} · {sum(r.mark.points for r in mine)} of {len(mine)}</h2>")
        names = ", ".join(dict.fromkeys(row.notebook for row in mine))
        parts.append(f"<p class=soft>{escape(names)}</p>")
        parts += [_article(row.mark) for row in mine]
    return page(f"{learner}: exercises", "\n".join(parts))


def _article(mark: Mark) -> str:
    title = exercises_of(mark.chapter)[mark.exercise].title
    lines = [
        f"<article><h3>{mark.exercise} {escape(title)} <span class={_class(mark.state)}>· {mark.state}</span></h3>"
    ]
    if mark.reason:
        lines.append(f"<p>{escape(mark.reason)}</p>")
    if mark.beside:
        lines.append(f"<pre>{escape(mark.beside)}</pre>")
    if mark.hint and mark.state not in (DONE, NOT_ATTEMPTED):
        lines.append(f"<p class=soft>{escape(mark.hint)}</p>")
    return "\n".join(lines) + "</article>"


def _class(state: str) -> str:
    return state.replace(" ", "-")


# ------------------------------------------------------------------------------------------------ in words


def summary(report: Report) -> str:
    """What was done, in a sentence or two, for the terminal."""
    states = Counter(row.mark.state for row in report.rows if row.mark.exercise)
    learners, whole = len(by_learner(report)), sum(states.values())
    said = [f"{_count(learners, 'learner')}, {_count(report.notebooks, 'notebook')} ({report.run} run now)."]
    if report.lessons:
        said[0] = said[0][:-2] + f", {report.lessons} lessons passed over)."
    if whole:
        order = (DONE, "not yet", NOT_ATTEMPTED, STOPPED, NOT_GRADED)
        counts = ", ".join(f"{states[state]} {state}" for state in order if states[state])
        said.append(f"{_count(whole, 'exercise')}: {counts}.")
    for row in report.rows:
        if row.mark.state in (NOT_GRADED, NO_EXERCISES) and not row.mark.exercise:
            said.append(f"  {row.notebook}: {row.mark.reason}")
    return "\n".join(said)


def _count(number: int, what: str) -> str:
    return f"{number} {what}" + ("" if number == 1 else "s")


# ------------------------------------------------------------------------------------------------ files


def kept_beside(table: Path) -> Path:
    """Where the marks are kept, so that what is graded is not run again."""
    return table.with_name(table.name + ".jsonl")


def can_write(table: Path, totals: Path | None, pages: Path | None) -> None:
    """Raises CannotGrade where a result could not be written: better before an hour of work than after it."""
    for path in filter(None, (table, totals)):
        if path.is_dir():
            raise CannotGrade(f"{path} is a folder: name a file for the table.")
    if pages and pages.exists() and not pages.is_dir():
        raise CannotGrade(f"{pages} is a file: name a folder for the pages.")
    for folder in filter(None, (table.parent, totals and totals.parent, pages)):
        try:
            folder.mkdir(parents=True, exist_ok=True)
            writable = os.access(folder, os.W_OK)
        except OSError:
            writable = False
        if not writable:
            raise CannotGrade(f"the folder {folder} cannot be written.")


def write_all(report: Report, table: Path, totals: Path | None, pages: Path | None) -> list[Path]:
    """Write what was asked for; gives the paths."""
    try:
        write_whole(table, marks_table(report))
        if totals:
            write_whole(totals, totals_table(report))
        if pages:
            write_pages(report, pages)
    except OSError as error:
        raise CannotGrade(f"{error.filename} cannot be written: {error.strerror or error}.") from error
    return [table, *filter(None, (totals, pages and pages / "index.html"))]


def progress(text: str) -> None:
    """A line of progress; in a terminal each writes over the last one."""
    if sys.stderr.isatty():
        print(f"\r{text}   ", end="", file=sys.stderr, flush=True)
    else:
        print(text, file=sys.stderr, flush=True)
