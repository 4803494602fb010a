"""Which lesson shows which of the study note's facts, and in which cell.

That the library gives a fact's value is asserted in test_facts_*.py; that a cell's output is what the library gives, by
nbval. Here: the cell named for a fact speaks of the fact's inputs, and its output holds the fact's value.
"""

import re
from pathlib import Path

import nbformat
import oracle
import pytest

NOTEBOOKS = Path(__file__).resolve().parent.parent / "notebooks"
LESSONS = {path.stem[:2]: nbformat.read(path, as_version=4) for path in sorted(NOTEBOOKS.glob("[0-9]*.ipynb"))}
FACTS = {row["id"]: row for path in oracle.files("facts") for row in oracle.rows(path)}

# The note's chapters, and the lesson that each belongs to.
LESSON_OF_CHAPTER = {
    "01-layout": "02", "02-compat-coords": "02", "03-layout-ops": "02", "04-coalesce": "03", "05-composition": "04",
    "07-domain-range": "04", "06-complement": "05", "08-divide": "05", "09-product": "06", "10-tensor": "07",
    "14-algorithms": "07", "11-partition": "08", "20-local-tile-partition": "08", "12-tv-sm80-f64": "09",
    "16-volta": "09", "17-hopper": "09", "18-tiled-mma": "10", "22-tiled-copy-mma": "10", "19-sgemm-story": "11",
    "21-sgemm1": "11", "23-sgemm2": "12",
}  # fmt: skip

# The cell that shows a fact. It stands in the fact's lesson or in an earlier one (what concerns coordinates alone is
# told in lesson 01).
SHOWN_IN = {
    "F007": "01-coordinates-bytes",
    "F009": "01-coordinates-spaces",
    "F011": "01-coordinates-spaces",
    "F013": "01-coordinates-mistake-twin",
    "F015": "01-coordinates-mistake-twin",
    "F016": "01-coordinates-mistake-twin",
    "F019": "01-coordinates-nested-code",
    "F021": "01-coordinates-mistake-twin",
    "F023": "01-coordinates-spaces",
    "F024": "01-coordinates-street-code",
    "F035": "01-coordinates-names-table",
    "F037": "01-coordinates-count",
    "F038": "01-coordinates-mistake",
    "F039": "01-coordinates-mistake",
    "F040": "01-coordinates-names-layout",
    "F026": "02-layouts-rows",
    "F027": "02-layouts-rows",
    "F031": "02-layouts-compatible-code",
    "F032": "02-layouts-compatible-code",
    "F033": "02-layouts-compatible-code",
    "F034": "02-layouts-compatible-code",
    "F041": "02-layouts-modes",
    "F042": "02-layouts-modes",
    "F043": "02-layouts-modes",
    "F044": "02-layouts-modes",
    "F046": "02-layouts-modes",
    "F047": "02-layouts-modes",
    "F049": "03-coalesce-runtime",
    "F050": "03-coalesce-pairs",
    "F052": "03-coalesce-pairs",
    "F053": "03-coalesce-pairs",
    "F054": "03-coalesce-chain",
    "F055": "03-coalesce-by-mode",
    "F058": "04-composition-walks",
    "F059": "04-composition-trap",
    "F060": "04-composition-one",
    "F061": "04-composition-one",
    "F062": "04-composition-powers",
    "F063": "04-composition-refused",
    "F064": "04-composition-one",
    "F065": "04-composition-powers",
    "F066": "04-composition-one",
    "F067": "04-composition-powers",
    "F068": "04-composition-many",
    "F069": "04-composition-many",
    "F071": "04-composition-tiler",
    "F072": "04-composition-tiler",
    "F084": "04-composition-ranges",
    "F088": "04-composition-ranges",
    "F089": "04-composition-ranges",
    "F073": "05-complement-and-divide-holes",
    "F074": "05-complement-and-divide-holes",
    "F075": "05-complement-and-divide-reach-code",
    "F078": "05-complement-and-divide-holes",
    "F079": "05-complement-and-divide-holes",
    "F080": "05-complement-and-divide-holes",
    "F081": "05-complement-and-divide-holes",
    "F082": "05-complement-and-divide-holes",
    "F096": "05-complement-and-divide-divide",
    "F097": "05-complement-and-divide-divide",
    "F099": "05-complement-and-divide-by-mode",
    "F100": "05-complement-and-divide-by-mode",
    "F101": "05-complement-and-divide-four",
    "F102": "05-complement-and-divide-four",
    "F103": "05-complement-and-divide-four",
    "F104": "05-complement-and-divide-four",
    "F105": "06-product-and-inverses-holes",
    "F112": "06-product-and-inverses-too-small",
    "F113": "06-product-and-inverses-holes",
    "F115": "06-product-and-inverses-six",
    "F118": "06-product-and-inverses-six",
    "F119": "06-product-and-inverses-six",
    "F120": "06-product-and-inverses-order",
    "F121": "06-product-and-inverses-logical",
    "F122": "06-product-and-inverses-blocked",
    "F123": "06-product-and-inverses-blocked",
    "F124": "06-product-and-inverses-blocked",
    "F125": "06-product-and-inverses-forms-code",
    "F130": "07-tensors-places",
    "F131": "07-tensors-places",
    "F132": "07-tensors-places",
    "F133": "07-tensors-owners-code",
    "F137": "07-tensors-owners-code",
    "F137b": "07-tensors-owners-code",
    "F140": "07-tensors-places",
    "F145": "07-tensors-nested-code",
    "F186": "07-tensors-copyif-code",
    "F197": "07-tensors-axpby-code",
    "F147": "08-partition-inner",
    "F148": "08-partition-inner",
    "F149": "08-partition-outer-code",
    "F150": "08-partition-tv",
    "F259": "08-partition-local-tile-code",
    "F260": "08-partition-local-tile-code",
    "F263": "08-partition-compute-code",
    "F265": "08-partition-local-tile-code",
    "F266": "08-partition-compute-code",
    "F267": "08-partition-mistakes-code",
    "F268": "08-partition-local-partition-code",
    "F154": "09-tv-layouts-and-mma-atoms-spaces-code",
    "F161": "09-tv-layouts-and-mma-atoms-reading",
    "F164": "09-tv-layouts-and-mma-atoms-reading",
    "F167": "09-tv-layouts-and-mma-atoms-mistake-code",
    "F169": "09-tv-layouts-and-mma-atoms-reading",
    "F173": "09-tv-layouts-and-mma-atoms-mistake-code",
    "F211": "09-tv-layouts-and-mma-atoms-names-code",
    "F214": "09-tv-layouts-and-mma-atoms-volta-code",
    "F215": "09-tv-layouts-and-mma-atoms-volta-code",
    "F216": "09-tv-layouts-and-mma-atoms-volta-code",
    "F218": "09-tv-layouts-and-mma-atoms-volta-code",
    "F219": "09-tv-layouts-and-mma-atoms-letters-code",
    "F221": "09-tv-layouts-and-mma-atoms-letters-code",
    "F230": "09-tv-layouts-and-mma-atoms-hopper-code",
    "F231": "09-tv-layouts-and-mma-atoms-hopper-code",
    "F232": "09-tv-layouts-and-mma-atoms-hopper-code",
    "F233": "09-tv-layouts-and-mma-atoms-hopper-code",
    "F238": "10-tiled-mma-and-tiled-copy-four-code",
    "F239": "10-tiled-mma-and-tiled-copy-four-code",
    "F242": "10-tiled-mma-and-tiled-copy-permute-code",
    "F243": "10-tiled-mma-and-tiled-copy-permute-code",
    "F244": "10-tiled-mma-and-tiled-copy-permute-code",
    "F247": "10-tiled-mma-and-tiled-copy-four-code",
    "F248": "10-tiled-mma-and-tiled-copy-values-code",
    "F289": "10-tiled-mma-and-tiled-copy-copy-code",
    "F290": "10-tiled-mma-and-tiled-copy-copy-code",
    "F292": "10-tiled-mma-and-tiled-copy-copy-code",
    "F296": "10-tiled-mma-and-tiled-copy-copy-code",
    "F300": "10-tiled-mma-and-tiled-copy-shapes-code",
    "F302": "10-tiled-mma-and-tiled-copy-shapes-code",
    "F251": "11-sgemm-1-story-code",
    "F253": "11-sgemm-1-story-code",
    "F254": "11-sgemm-1-story-code",
    "F255": "11-sgemm-1-story-code",
    "F256": "11-sgemm-1-story-code",
    "F271": "11-sgemm-1-mistake-code",
    "F276": "11-sgemm-1-shapes-code",
    "F277": "11-sgemm-1-shapes-code",
    "F278": "11-sgemm-1-shapes-code",
    "F285": "11-sgemm-1-sizes-code",
    "F305": "12-sgemm-2-mistake-code",
    "F315": "12-sgemm-2-sizes-code",
}

# What a lesson's output says where a fact says that C++ does not compile.
AS_PRINTED = {
    "compile error": "divisibility fails",
    "error (gemm.hpp static asserts; Dynamic owning tensors not supported)": "make that extent static",
    "error: src failed to vectorize into registers": "they are a run-time stride ('?') apart",
}


def lesson_of(row):
    return SHOWN_IN[row["id"]][:2] if row["id"] in SHOWN_IN else LESSON_OF_CHAPTER[row["chapter"]]


def plain(text):
    """Text in which `Layout((2, 3), (3, 1))` and `(2,3):(3,1)` read alike."""
    text = re.sub(r"['\"]", "", text.replace(":", ","))
    return re.sub(r"\s*([(),\[\]])\s*", r"\1", text)


def wanted(value):
    """A fact's value or input as it may stand in a cell: lists of texts as one text, numbers as whole words."""
    if isinstance(value, list) and all(isinstance(v, str) for v in value):
        value = ",".join(value)
    text = plain(value if isinstance(value, str) else repr(value))
    start, end = (r"\b" if re.match(r"\w", text[i]) else "" for i in (0, -1))
    return re.compile(start + re.escape(text) + end)


def output_text(cell):
    return "\n".join(o.get("text", "") + o.get("data", {}).get("text/plain", "") for o in cell.outputs)


def inputs_that_are_written(row):
    """All inputs but those that only say how far to count (`0..17`, the list of indices, the codomain's size)."""
    for key, value in row["inputs"].items():
        if not isinstance(value, list) and ".." not in str(value):
            yield key, value


def not_shown(row, lesson):
    """What the fact's cell does not show; nothing where all is there."""
    cell_id = SHOWN_IN.get(row["id"])
    cell = next((c for c in lesson.cells if c.id == cell_id), None)
    if cell is None or cell.cell_type != "code":
        return [f"no cell shows it: add it to the lesson and its cell to SHOWN_IN ({cell_id})"]
    before = [c.source for c in lesson.cells if c.cell_type == "code"]
    said = plain("\n".join(before[: before.index(cell.source) + 1]) + output_text(cell))
    missing = [f"{k} {v}" for k, v in inputs_that_are_written(row) if not wanted(v).search(said)]
    for value in values_of(row):
        if not wanted(AS_PRINTED.get(value, value) if isinstance(value, str) else value).search(
            plain(output_text(cell))
        ):
            missing.append(f"the value {value}")
    return missing


def values_of(row):
    """The values that a fact states: one, or those of a dict."""
    expected = row["expected"]
    return list(expected.values()) if isinstance(expected, dict) else [expected]


DUE = [pytest.param(row, id=row["id"]) for row in FACTS.values() if lesson_of(row) in LESSONS]


@pytest.mark.parametrize("row", DUE)
def test_fact_is_shown(row):
    lesson = LESSONS[lesson_of(row)]
    assert not (missing := not_shown(row, lesson)), f"{row['id']} in {SHOWN_IN.get(row['id'])}: {', '.join(missing)}"


def test_a_wrong_value_is_noticed():
    row = FACTS["F040"] | {"expected": [0, 3, 6, 12, 15, 18, 1, 4, 7, 13, 16, 19, 2, 5, 8, 14, 17, 21]}
    assert not_shown(row, LESSONS["01"]) == [f"the value {row['expected']}"]
    row = FACTS["F059"] | {"expected": FACTS["F059"]["expected"] | {"layout returned": "(2,2):(2,3)"}}
    assert not_shown(row, LESSONS["04"]) == ["the value (2,2):(2,3)"]
    assert not_shown(FACTS["F019"] | {"inputs": {"index": 35, "shape": "((2,5),8)"}}, LESSONS["01"])


def test_every_fact_has_a_lesson():
    assert {row["chapter"] for row in FACTS.values()} == set(LESSON_OF_CHAPTER)
    assert set(SHOWN_IN) <= set(FACTS)
    late = [f for f, cell in SHOWN_IN.items() if cell[:2] > LESSON_OF_CHAPTER[FACTS[f]["chapter"]]]
    assert not late, f"told later than the course says: {late}"
