"""How long a class takes: 300 notebooks of the first chapters, a third solved, a third blank, a third wrong.

    python -m pytest tests/bench/test_bench_grade.py -s

Prints seconds and the peak of memory: of the process that judges, and of the largest process that ran a notebook.
"""

import json
import resource
import sys
import time
from pathlib import Path

from cutelearn.course import grade
from cutelearn.course.notebooks import part_of

ROOT = Path(__file__).resolve().parents[2]
CHAPTERS = ("01", "02", "03", "04", "05", "06", "07", "08")
NOTEBOOKS = 300


def variant(number: int) -> str:
    """A notebook that no other learner has handed in."""
    kind, chapter = ("solutions", "exercises", "solutions")[number % 3], CHAPTERS[number % len(CHAPTERS)]
    (path,) = (ROOT / kind).glob(f"{chapter}-*.ipynb")
    notebook = json.loads(path.read_text("utf-8"))
    for cell in notebook["cells"]:
        part = part_of(cell)
        if part and part["part"] == "answer":
            cell["source"] = "".join(cell["source"]) + f"\n# learner {number}"
            if number % 3 == 2 and f"a{chapter}_" in cell["source"]:
                cell["source"] += f"\na{chapter}_{part['number']} = [{number}]"
    return json.dumps(notebook)


def test_a_class_of_300(tmp_path):
    for number in range(NOTEBOOKS):
        path = tmp_path / "class" / f"learner {number:03}" / "x.ipynb"
        path.parent.mkdir(parents=True)
        path.write_text(variant(number), encoding="utf-8")
    began, jobs = time.perf_counter(), grade.default_jobs()
    report = grade.grade(tmp_path / "class", tmp_path / "kept", grade.Limits(), jobs, tell=lambda text: print(text))
    seconds = time.perf_counter() - began
    judge, child = (resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    unit = 2**20 if sys.platform == "darwin" else 2**10
    print(
        f"{NOTEBOOKS} notebooks, {jobs} at once: {seconds:.0f} s; judge {judge / unit:.0f} MiB, child {child / unit:.0f} MiB"
    )
    assert report.run == NOTEBOOKS
    done = sum(row.mark.points for row in report.rows)
    assert len(report.rows) / 3 < done < len(report.rows) * 2 / 3
