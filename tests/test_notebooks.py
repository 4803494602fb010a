"""Every lesson is in the one canonical form. A rule is a function from a notebook to complaints; the last test breaks
a good notebook once for every rule, so no rule is deaf.

That the stored outputs are true is nbval's work (conftest.py runs it); which facts a lesson shows, test_lessons.py's.
"""

import ast
import copy
import re
from itertools import pairwise
from pathlib import Path

import nbformat
import pytest
from IPython.core.inputtransformer2 import TransformerManager

NOTEBOOKS = Path(__file__).resolve().parent.parent / "notebooks"
LESSONS = sorted(NOTEBOOKS.glob("*.ipynb"))
METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}
TAGS = {"nbval-skip"}  # the exercises' check cells will bring nbval-check-output
MIMES = {"text/plain", "image/svg+xml"}
CODE_LINES, KERNEL_LINES, PARAGRAPH_LINES, LINE = 15, 45, 4, 110
FOREIGN = {  # what depends on the machine or the moment
    "an absolute path": r"(?<![\w.:/<])/(home|root|work|tmp|usr|opt|var|mnt|Users)\b|\b[A-Z]:\\\\?\w",
    "an address": r"\b0x[0-9a-fA-F]{7,}|\blocalhost\b|\b127\.0\.0\.1\b",
    "a timing": r"%%?time\b|%%?timeit\b|\bperf_counter\b|\b\d+(\.\d+)? ?(ms|µs|us|ns) ±",
}


def code(nb):
    return [cell for cell in nb.cells if cell.cell_type == "code"]


def prose(nb):
    return [cell for cell in nb.cells if cell.cell_type == "markdown"]


def tree(cell):
    return ast.parse(TransformerManager().transform_cell(cell.source))


def stored_names(cell):
    names = {node.id for node in ast.walk(tree(cell)) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    for node in ast.walk(tree(cell)):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            names |= {(alias.asname or alias.name).split(".")[0] for alias in node.names}
    return names


def blocks(cell):
    """The paragraphs and list items of a markdown cell, without code and tables."""
    text = re.sub(r"^```.*?^```", "", cell.source, flags=re.M | re.S)
    for block in re.split(r"\n\s*\n|\n(?=- )", text):
        if block.strip() and not block.startswith("|"):
            yield block.strip()


# ------------------------------------------------------------------------------------------------ the rules

RULES = {}


def rule(function):
    RULES[function.__name__] = function
    return function


@rule
def format_and_metadata(nb, name):
    if (nb.nbformat, nb.nbformat_minor) != (4, 5):
        yield f"nbformat {nb.nbformat}.{nb.nbformat_minor}, not 4.5"
    if dict(nb.metadata) != METADATA:
        yield f"notebook metadata {dict(nb.metadata)}"
    for cell in nb.cells:
        if set(cell.metadata) - {"tags"} or set(cell.metadata.get("tags", [])) - TAGS:
            yield f"{cell.id}: metadata {dict(cell.metadata)}"
        if cell.get("attachments"):
            yield f"{cell.id}: attachments"


@rule
def cell_ids(nb, name):
    ids = [cell.id for cell in nb.cells]
    for cell_id in ids:
        if not re.fullmatch(re.escape(name) + "-[a-z0-9]+(-[a-z0-9]+)*", cell_id) or len(cell_id) > 64:
            yield f"{cell_id}: not {name}-something"
        if ids.count(cell_id) > 1:
            yield f"{cell_id}: twice"


@rule
def execution_counts(nb, name):
    for n, cell in enumerate(code(nb), 1):
        counts = {cell.execution_count} | {o.execution_count for o in cell.outputs if o.output_type == "execute_result"}
        if counts != {n}:
            yield f"{cell.id}: counts {counts}, not {n}"


@rule
def outputs(nb, name):
    """Text and SVG only, and never SVG alone: JupyterLab hides pictures of a notebook it does not trust."""
    for cell in code(nb):
        streams = [output.get("name") for output in cell.outputs]
        if any(a == b == "stdout" for a, b in pairwise(streams)):
            yield f"{cell.id}: what is printed lies in pieces; put them together"
        skipped = "nbval-skip" in cell.metadata.get("tags", [])
        if skipped and cell.outputs:
            yield f"{cell.id}: skipped by nbval, yet it has outputs"
        for output in cell.outputs:
            data = output.get("data", {})
            if output.output_type == "error" or output.get("name") == "stderr":
                yield f"{cell.id}: an error or a warning is stored"
            if set(data) - MIMES:
                yield f"{cell.id}: outputs of the kinds {set(data)}"
            if "image/svg+xml" in data and (not data.get("text/plain") or data["text/plain"].startswith("<")):
                yield f"{cell.id}: a picture without its text"


@rule
def skipped_cells_stand_alone(nb, name):
    skipped = set()
    for cell in code(nb):
        loads = {n.id for n in ast.walk(tree(cell)) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
        if "nbval-skip" in cell.metadata.get("tags", []):
            skipped |= stored_names(cell)
        elif skipped & loads:
            yield f"{cell.id}: uses {skipped & loads} of a cell that nbval skips"


@rule
def length_of_code(nb, name):
    for cell in code(nb):
        limit = KERNEL_LINES if "@cuda.jit" in cell.source else CODE_LINES
        lines = cell.source.split("\n")
        if len(lines) > limit or max(map(len, lines)) > LINE:
            yield f"{cell.id}: {len(lines)} lines, the longest of {max(map(len, lines))} characters"


@rule
def underscore_is_cute_s(nb, name):
    for cell in code(nb):
        imported = "import _" in cell.source or re.search(r"import .*\b_\b", cell.source)
        if "_" in stored_names(cell) and not imported:
            yield f"{cell.id}: binds _"
        if re.search(r"\bfor _ in\b|^_ = ", cell.source, flags=re.M):
            yield f"{cell.id}: binds _"


@rule
def nothing_of_this_machine(nb, name):
    for cell in nb.cells:
        texts = [cell.source]
        for output in cell.get("outputs", []):
            texts += [output.get("text", ""), *output.get("data", {}).values()]
        for what, pattern in FOREIGN.items():
            for text in texts:
                if found := re.search(pattern, text):
                    yield f"{cell.id}: {what}: {found[0]}"


@rule
def length_of_prose(nb, name):
    for cell in prose(nb):
        for block in blocks(cell):
            lines = block.split("\n")
            if len(lines) > PARAGRAPH_LINES or max(map(len, lines)) > LINE:
                yield f"{cell.id}: {len(lines)} lines, the longest of {max(map(len, lines))}: {lines[0]}"


@rule
def no_list_by_accident(nb, name):
    """A paragraph's line that begins with `+ ` or `14. ` becomes a list item when it is rendered."""
    for cell in prose(nb):
        for block in blocks(cell):
            for line in block.split("\n")[1:]:
                if re.match(r" *([-+*=]|\d+[.)])( |$)", line):
                    yield f"{cell.id}: {line}"


@rule
def links_lead_somewhere(nb, name):
    for cell in prose(nb):
        for target in re.findall(r"\]\(([^)\s]+)\)", cell.source):
            if not re.match(r"https?://", target) and not (NOTEBOOKS / target.split("#")[0]).exists():
                yield f"{cell.id}: the link {target} leads nowhere"


@rule
def parts_of_a_lesson(nb, name):
    """What one will be able to do, guesses before runs, and what to take away; not too long."""
    text = "\n\n".join(cell.source for cell in prose(nb))
    if not nb.cells[0].source.startswith(f"# {name[:2]} · "):
        yield "the first cell is not the title"
    for part in ("**You will be able to**", "*Predict.*", "## Take away"):
        if part not in text:
            yield f"there is no {part}"
    if len(re.findall(r"^- ", text.partition("## Take away")[2].split("\n## ")[0], flags=re.M)) not in range(1, 6):
        yield "take away: one to five lines"
    if len(nb.cells) > 35:
        yield f"{len(nb.cells)} cells, at most 35"


# ------------------------------------------------------------------------------------------------ the tests


def complaints(nb, name, only=None):
    return [f"{r}: {c}" for r, function in RULES.items() if only in (None, r) for c in function(nb, name)]


@pytest.fixture(params=LESSONS, ids=lambda path: path.stem)
def path(request):
    return request.param


def test_form(path):
    nb = nbformat.read(path, as_version=4)
    nbformat.validate(nb)
    assert not (found := complaints(nb, path.stem)), "\n".join(found)


def test_written_as_nbformat_writes(path):
    """One way to write a notebook, so that a difference in git is a difference in the lesson."""
    assert path.read_text("utf-8") == nbformat.writes(nbformat.read(path, as_version=4)) + "\n"


def bold_terms(nb):
    marked = re.findall(r"\*\*(.+?)\*\*", "\n".join(block for cell in prose(nb) for block in blocks(cell)))
    return [term for term in marked if term != "You will be able to"]


def test_terms_are_bold_once():
    """A term is bold where it is explained, in one place of the whole course."""
    seen = {}
    for path in LESSONS:
        for term in bold_terms(nbformat.read(path, as_version=4)):
            assert term not in seen, f"{term!r} is bold in {seen[term]} already, and again in {path.stem}"
            seen[term] = path.stem
    assert {"layout", "shape", "stride", "coordinate", "offset", "colexicographic"} <= set(seen)


def test_the_map_shows_what_is_there():
    """Lesson 00 links to every other notebook of the course, and to nothing else."""
    text = "\n".join(cell.source for cell in prose(nbformat.read(LESSONS[0], as_version=4)))
    assert {target.split("#")[0] for target in re.findall(r"\]\((.+?)\)", text)} == {p.name for p in LESSONS[1:]}


BREAK = {
    "format_and_metadata": lambda nb: nb.metadata.update(widgets={}),
    "cell_ids": lambda nb: nb.cells[1].update(id=nb.cells[0].id),
    "execution_counts": lambda nb: code(nb)[2].update(execution_count=7),
    "outputs": lambda nb: code(nb)[0].outputs.append(
        nbformat.v4.new_output("display_data", {"image/svg+xml": "<svg/>", "text/plain": "<Scene>"})
    ),
    "skipped_cells_stand_alone": lambda nb: code(nb)[0].metadata.update(tags=["nbval-skip"]),
    "length_of_code": lambda nb: code(nb)[0].update(source="x = 1\n" * 16),
    "underscore_is_cute_s": lambda nb: code(nb)[0].update(source="for _ in range(3):\n    print()"),
    "nothing_of_this_machine": lambda nb: code(nb)[0].update(source="open('/home/me/matrix.npy')"),
    "length_of_prose": lambda nb: prose(nb)[0].update(source="a line\n" * 5),
    "no_list_by_accident": lambda nb: prose(nb)[0].update(source="so it is 1\n+ 2 in all"),
    "links_lead_somewhere": lambda nb: prose(nb)[0].update(source="[a lesson](99-not-there.ipynb)"),
    "parts_of_a_lesson": lambda nb: nb.cells.pop(0),
}


@pytest.mark.parametrize("name", RULES)
def test_every_rule_bites(name):
    good = nbformat.read(LESSONS[1], as_version=4)
    assert not complaints(good, LESSONS[1].stem, only=name)
    bad = copy.deepcopy(good)
    BREAK[name](bad)
    assert complaints(bad, LESSONS[1].stem, only=name)
