"""The rules that every notebook of the course keeps. A rule gives one complaint for each cell that breaks it.

What is written where (ids, counts, metadata) is build.py's; that stored outputs are true is nbval's.
"""

import ast
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from .colab import is_colab
from .notebooks import BEGIN, END, check_cells, check_output, check_source, exercise_ids, part_of, source_of, tags_of

LESSON, SOLUTION, EXERCISE = "lesson", "solution", "exercise"
KIND_OF_FOLDER = {"notebooks": LESSON, "solutions": SOLUTION, "exercises": EXERCISE}
GLOSSARY = "glossary"

CODE_LINES, KERNEL_LINES, PARAGRAPH_LINES, LINE = 15, 45, 4, 110
MOST_CELLS = 35  # of a lesson
MIMES = {"text/plain", "image/svg+xml"}
FOREIGN = {  # what depends on the machine or the moment
    "an absolute path": r"(?<![\w.:/<])/(home|root|work|tmp|usr|opt|var|mnt|Users)\b|\b[A-Z]:\\\\?\w",
    "an address": r"\b0x[0-9a-fA-F]{7,}|\blocalhost\b|\b127\.0\.0\.1\b",
    "a timing": r"%%?time\b|%%?timeit\b|\bperf_counter\b|\b\d+(\.\d+)? ?(ms|µs|us|ns) ±",
}
NO_TERM = {"You will be able to"}  # bold, and no term


@dataclass(frozen=True)
class Page:
    """A notebook under the rules: its nbformat node, its name without the ending, its kind, and its folder."""

    notebook: object
    name: str
    kind: str
    folder: Path

    @property
    def code(self) -> list:
        return [cell for cell in self.notebook.cells if cell.cell_type == "code"]

    @property
    def prose(self) -> list:
        return [cell for cell in self.notebook.cells if cell.cell_type == "markdown"]

    @property
    def chapter(self) -> str:
        return self.name[:2]


def complaints(page: Page, only: str | None = None) -> list[str]:
    """What breaks a rule, as "rule: cell: what"."""
    return [
        f"{name}: {complaint}"
        for name, (rule, kinds) in RULES.items()
        if page.kind in kinds and only in (None, name)
        for complaint in rule(page)
    ]


RULES: dict[str, tuple[Callable[[Page], Iterator[str]], tuple[str, ...]]] = {}


def _rule(*kinds: str):
    def enter(function):
        RULES[function.__name__] = function, kinds or (LESSON, SOLUTION, EXERCISE)
        return function

    return enter


# ------------------------------------------------------------------------------------------------ reading cells


def tree(cell) -> ast.Module:
    """The Python of a cell; magics and `!` become calls."""
    from IPython.core.inputtransformer2 import TransformerManager

    return ast.parse(TransformerManager().transform_cell(cell.source))


def stored_names(cell) -> set[str]:
    names = {node.id for node in ast.walk(tree(cell)) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    for node in ast.walk(tree(cell)):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            names |= {(alias.asname or alias.name).split(".")[0] for alias in node.names}
    return names


def blocks(cell) -> Iterator[str]:
    """The paragraphs and list items of a markdown cell, without code and tables."""
    text = re.sub(r"^```.*?^```", "", cell.source, flags=re.M | re.S)
    for block in re.split(r"\n\s*\n|\n(?=- )", text):
        if block.strip() and not block.startswith("|"):
            yield block.strip()


def bold_terms(page: Page) -> list[str]:
    """What stands between double stars, in reading order."""
    text = "\n".join(" ".join(block.split()) for cell in page.prose for block in blocks(cell))
    return [term for term in re.findall(r"\*\*(.+?)\*\*", text) if term not in NO_TERM]


def _is_skipped(cell) -> bool:
    return "nbval-skip" in tags_of(cell)


# ------------------------------------------------------------------------------------------------ the rules


@_rule()
def cell_ids(page):
    ids = [cell.get("id", "") for cell in page.notebook.cells]
    for cell_id in ids:
        if not re.fullmatch(re.escape(page.name) + "-[a-z0-9]+(-[a-z0-9]+)*", cell_id) or len(cell_id) > 64:
            yield f"{cell_id}: not {page.name}-something"
        if ids.count(cell_id) > 1:
            yield f"{cell_id}: twice"


@_rule()
def outputs(page):
    """Text and SVG only, and never SVG alone: JupyterLab hides pictures of a notebook it does not trust."""
    for cell in page.code:
        streams = [output.get("name") for output in cell.outputs]
        if any(a == b == "stdout" for a, b in pairwise(streams)):
            yield f"{cell.id}: what is printed lies in pieces; put them together"
        if _is_skipped(cell) and cell.outputs:
            yield f"{cell.id}: skipped by nbval, yet it has outputs"
        for output in cell.outputs:
            data = output.get("data", {})
            if output.output_type == "error" or output.get("name") == "stderr":
                yield f"{cell.id}: an error or a warning is stored"
            if set(data) - MIMES:
                yield f"{cell.id}: outputs of the kinds {set(data)}"
            if "image/svg+xml" in data and (not data.get("text/plain") or data["text/plain"].startswith("<")):
                yield f"{cell.id}: a picture without its text"


@_rule()
def pictures_have_a_text(page):
    """What a screen reader reads: `![text](...)` in prose, `<title>` in an SVG."""
    for cell in page.prose:
        if re.search(r"!\[\s*\]\(|<img(?![^>]*\balt=\"[^\"]+\")", cell.source):
            yield f"{cell.id}: a picture without alternative text"
    for cell in page.code:
        for output in cell.outputs:
            svg = "".join(output.get("data", {}).get("image/svg+xml", ""))
            if svg and not re.search(r"<title\b[^>]*>\s*[^\s<]", svg):
                yield f"{cell.id}: an SVG without <title>"


@_rule()
def skipped_cells_stand_alone(page):
    skipped = set()
    for cell in page.code:
        loads = {n.id for n in ast.walk(tree(cell)) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
        if _is_skipped(cell):
            skipped |= stored_names(cell)
        elif skipped & loads:
            yield f"{cell.id}: uses {skipped & loads} of a cell that nbval skips"


@_rule()
def length_of_code(page):
    for cell in page.code:
        limit = (
            KERNEL_LINES if re.search(r"@cuda\.jit|\bcuda\.syncthreads\(", cell.source) else CODE_LINES
        )  # a whole kernel
        lines = cell.source.split("\n")
        count = len([line for line in lines if BEGIN not in line and END not in line])
        if count > limit or max(map(len, lines)) > LINE:
            yield f"{cell.id}: {count} lines, the longest of {max(map(len, lines))} characters"


@_rule()
def underscore_is_cute_s(page):
    for cell in page.code:
        imported = "import _" in cell.source or re.search(r"import .*\b_\b", cell.source)
        if "_" in stored_names(cell) and not imported:
            yield f"{cell.id}: binds _"
        if re.search(r"\bfor _ in\b|^_ = ", cell.source, flags=re.M):
            yield f"{cell.id}: binds _"


@_rule()
def nothing_of_this_machine(page):
    for cell in page.notebook.cells:
        texts = [cell.source]
        for output in cell.get("outputs", []):
            texts += [output.get("text", ""), *output.get("data", {}).values()]
        for what, pattern in FOREIGN.items():
            for text in texts:
                if found := re.search(pattern, text):
                    yield f"{cell.id}: {what}: {found[0]}"


@_rule()
def length_of_prose(page):
    for cell in page.prose:
        for block in blocks(cell):
            lines = block.split("\n")
            if len(lines) > PARAGRAPH_LINES or max(map(len, lines)) > LINE:
                yield f"{cell.id}: {len(lines)} lines, the longest of {max(map(len, lines))}: {lines[0]}"


@_rule()
def no_list_by_accident(page):
    """A paragraph's line that begins with a plus sign or with "14." becomes a list item when it is rendered."""
    for cell in page.prose:
        for block in blocks(cell):
            for line in block.split("\n")[1:]:
                if re.match(r" *([-+*=]|\d+[.)])( |$)", line):
                    yield f"{cell.id}: {line}"


@_rule()
def links_lead_somewhere(page):
    for cell in page.prose:
        for target in re.findall(r"\]\(([^)\s]+)\)", cell.source):
            if not re.match(r"https?://|#", target) and not (page.folder / target.split("#")[0]).exists():
                yield f"{cell.id}: the link {target} leads nowhere"


@_rule(LESSON)
def parts_of_a_lesson(page):
    """What one will be able to do, guesses before runs, and what to take away; not too long."""
    if page.name == GLOSSARY:
        return
    text = "\n\n".join(cell.source for cell in page.prose)
    if not page.notebook.cells[0].source.startswith(f"# {page.chapter} · "):
        yield "the first cell is not the title"
    for part in ("**You will be able to**", "*Predict.*", "## Take away"):
        if part not in text:
            yield f"there is no {part}"
    if len(re.findall(r"^- ", text.partition("## Take away")[2].split("\n## ")[0], flags=re.M)) not in range(1, 6):
        yield "take away: one to five lines"
    count = len([cell for cell in page.notebook.cells if not is_colab(cell)])
    if count > MOST_CELLS:
        yield f"{count} cells, at most {MOST_CELLS}"


@_rule(LESSON)
def terms_are_in_the_glossary(page):
    """Where there is a glossary, it has every bold term: as the first words of a table's row, or in bold."""
    path = page.folder / f"{GLOSSARY}.ipynb"
    if page.name == GLOSSARY or not path.exists():
        return
    entries = glossary_entries(path)
    for term in bold_terms(page):
        if simple_term(term) not in entries:
            yield f"{term}: not in the glossary"


def glossary_entries(path: Path) -> set[str]:
    import nbformat

    text = "\n".join(cell.source for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "markdown")
    rows = [row.strip("| ").split("|")[0] for row in text.split("\n") if row.startswith("|")]
    return {simple_term(term) for term in (*rows, *re.findall(r"\*\*(.+?)\*\*", text))}


def simple_term(term: str) -> str:
    return re.sub(r"[*`]", "", term).strip(" .:").casefold()


@_rule(SOLUTION, EXERCISE)
def parts_of_an_exercise(page):
    """Each exercise of the chapter has its question, answer, check and help cell, in this order."""
    ids = exercise_ids(page.chapter)
    if not ids:
        yield f"there is no cutelearn/course/chapters/ch{page.chapter}.py with its exercises"
        return
    found = [(p["part"], p["number"]) for cell in page.notebook.cells if (p := part_of(cell))]
    wanted = [(part, i.partition(".")[2]) for i in ids for part in ("ex", "answer", "check", "help")]
    if found != wanted:
        where = next((i for i, pair in enumerate(wanted) if found[i : i + 1] != [pair]), len(wanted))
        got = "".join(found[where]) if where < len(found) else "nothing"
        due = "".join(wanted[where]) if where < len(wanted) else "nothing more"
        yield f"the exercises' cells are not in order: {got} where {due} is due"
    for check in check_cells(page.notebook, page.chapter):
        if check.problem:
            yield check.problem


@_rule(SOLUTION, EXERCISE)
def help_asks_for_hint_and_solution(page):
    for cell in page.code:
        part = part_of(cell)
        if part and part["part"] == "help" and source_of(cell) != help_source(f"{part['chapter']}.{part['number']}"):
            yield f"{cell.id}: not\n{help_source(part['chapter'] + '.' + part['number'])}"


def help_source(exercise_id: str) -> str:
    """The cell under a check: the learner takes away a `#` and runs it."""
    return f'# hint("{exercise_id}")\n# solution("{exercise_id}")'


@_rule(SOLUTION)
def answers_are_marked(page):
    for cell in page.code:
        part = part_of(cell)
        marks = cell.source.count(BEGIN), cell.source.count(END)
        if part and part["part"] == "answer" and (marks != (1, 1) or "..." not in cell.source.split(BEGIN)[0]):
            yield f"{cell.id}: needs a line with ... and, below it, one region from {BEGIN} to {END}"


@_rule(SOLUTION, EXERCISE)
def check_cells_store_done(page):
    for cell in page.code:
        part = part_of(cell)
        if part and part["part"] == "check" and cell.outputs != check_output(f"{part['chapter']}.{part['number']}"):
            yield f"{cell.id}: does not store that the exercise is done"


@_rule(EXERCISE)
def nothing_is_given_away(page):
    for cell in page.notebook.cells:
        if BEGIN in cell.source or END in cell.source:
            yield f"{cell.id}: a mark of the solution is left"
    for cell in page.code:
        part = part_of(cell)
        solved = (
            part and part["part"] == "check" and source_of(cell) == check_source(f"{page.chapter}.{part['number']}")
        )
        if cell.outputs and not solved:
            yield f"{cell.id}: stores an output"
