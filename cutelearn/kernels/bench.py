"""`cutelearn bench`: every GEMM stage beside cuBLAS in one run, on the GPU that is there.

What is timed and how, measure.py says. Here: which stages meet which problems, the table, the files, and the record that lessons show.

Each kernel is timed under two names: the stage's own, and one that holds "cutlass". See WHY_TWO_NAMES.
"""

import json
import runpy
import sys
from dataclasses import asdict, dataclass, field
from importlib.resources import files
from pathlib import Path

from ..htuple import LayoutError
from .launch import STAGES, find_stage
from .machine import PLACE
from .plots import Plot, bars, roofline
from .stage import STRIDES, Stage

WHY_TWO_NAMES = (
    'Each kernel is timed under two names, its own and one that holds "cutlass": where a kernel\'s name holds that word, the assembler '
    "(ptxas) orders the instructions in another way, often for the better and sometimes for the worse. The kernel is the same, and "
    "so is its PTX but for the name. A C++ kernel holds the word in its name where a type of the namespace cutlass is among its template "
    "arguments, such as uint128_t: compare such a kernel with the second column. The course shows the first unless it says otherwise."
)
SLOW = ("naive", "coalesced", "smem_tiled")  # a second and more a launch at 8192


@dataclass(frozen=True)
class Case:
    """One problem: C = A B^T with these sizes; BLAS letters say how A and B lie."""

    M: int
    N: int
    K: int
    transposes: str = "NT"

    def __str__(self):
        same = self.M == self.N == self.K
        return f"{self.transposes} {self.M}" if same else f"{self.transposes} {self.M}x{self.N}x{self.K}"


CASES = (
    *(Case(n, n, n) for n in (1024, 2048, 4096, 8192)),
    *(Case(4096, 4096, 4096, letters) for letters in ("TN", "NN", "TT")),
    Case(4095, 4097, 4093),
    Case(1000, 3000, 777),
)


@dataclass(frozen=True)
class Row:
    """One stage on one problem under one name. TFLOP/s are 2 M N K over the median time; error is relative to float64."""

    stage: str
    name: str
    case: Case
    tflops: float
    cublas_tflops: float | None  # measured beside it; None where there is no cuBLAS
    error: float
    right: bool
    intensity: float  # multiplies and adds for each byte that its blocks ask of global memory
    registers: int
    shared_bytes: int
    local_bytes: int
    mhz: int | None = None  # the clock of the multiprocessors, read while the launches were under way
    celsius: int | None = None

    @property
    def cutlass(self) -> bool:
        return "cutlass" in self.name


@dataclass(frozen=True)
class Report:
    """What a run found: where, and row by row. `to_json` and `from_json` are each other's inverse."""

    provenance: dict
    rows: tuple = field(default=())

    @property
    def wrong(self) -> list:
        return [row for row in self.rows if not row.right]

    def to_json(self) -> str:
        found = {
            "provenance": self.provenance,
            "why_two_names": WHY_TWO_NAMES,
            "rows": [asdict(row) for row in self.rows],
        }
        return json.dumps(found, indent=1) + "\n"

    @classmethod
    def from_json(cls, words: str) -> "Report":
        found = json.loads(words)
        return cls(found["provenance"], tuple(Row(**row | {"case": Case(**row["case"])}) for row in found["rows"]))


# ------------------------------------------------------------------------------------------------ the run


def intensity(stage: Stage) -> float:
    """Multiplies and adds a byte of A and B: two for 8 bytes, or as many as a tile in shared memory lets share.

    >>> intensity(STAGES["naive"]), intensity(STAGES["sgemm_1"])
    (0.25, 32.0)
    """
    bM, bN, _bK = stage.tiling.cta
    return bM * bN / (2 * (bM + bN)) if stage.tiling.copy else 0.25


def tasks(stages, cases, others=()) -> list:
    """(stage, case, name) of every timing, problem by problem. `others` (hand-written twins) are for NT and whole tiles alone."""
    found = []
    for case in cases:
        here = [*stages, *(s for s in others if case.transposes == "NT" and _whole(s, case))]
        found += [(stage, case, name) for stage in here for name in (stage.name, f"cutlass_{stage.name}")]
    return found


def _whole(stage, case) -> bool:
    return all(n % t == 0 for n, t in zip((case.M, case.N, case.K), stage.tiling.cta, strict=True))


def run(measure, todo, say=lambda line: None) -> Report:
    """Times every task. measure: `measure.provenance()` and `measure.time(stage, case, name) -> Row`. say: told of each row."""
    rows = []
    for i, (stage, case, name) in enumerate(todo, 1):
        row = measure.time(stage, case, name)
        rows.append(row)
        beside = "" if row.cublas_tflops is None else f", cuBLAS {row.cublas_tflops:.2f}"
        say(f"[{i}/{len(todo)}] {name} {case}: {row.tflops:.2f} TFLOP/s{beside}" + ("" if row.right else ", WRONG"))
    return Report(measure.provenance(), tuple(rows))


class OnThisGPU:
    """Measures for `run`. The matrices of the last problem are kept, for the next stage has the same."""

    def __init__(self):
        from .measure import CuBLAS, Sensors

        self.case = self.problem = None
        self.sensors = Sensors()
        try:
            self.cublas = CuBLAS()
        except RuntimeError as error:
            self.cublas = None
            print(f"cutelearn bench: {error}. The stages are timed alone.", file=sys.stderr)

    def provenance(self) -> dict:
        from .measure import provenance

        return provenance() | {"cublas": self.cublas and self.cublas.version}

    def time(self, stage, case, name) -> Row:
        from .measure import Problem, time_stage

        if case != self.case:
            self.case, self.problem = case, None  # the old matrices go before the new ones come
            self.problem = Problem(case.M, case.N, case.K, case.transposes, seed=case.M)
        found = time_stage(stage, self.problem, name, self.cublas, self.sensors)
        return Row(stage=stage.name, name=name, case=case, intensity=intensity(stage), **found)


# ------------------------------------------------------------------------------------------------ what is shown


def describe(report: Report) -> str:
    """The report as text: where, a table of both names, and why there are two."""
    lines = [where(report.provenance), "", *_table(report), "", WHY_TWO_NAMES]
    if any(row.cublas_tflops is None for row in report.rows):
        lines.append("cuBLAS was not there to compare with.")
    heat = [row for row in report.rows if row.mhz is not None]
    if heat:
        mhz, celsius = [row.mhz for row in heat], [row.celsius for row in heat]
        lines.append(
            f"While it ran, the multiprocessors went at {min(mhz)} to {max(mhz)} MHz, and the chip had {min(celsius)} to {max(celsius)} "
            f"degrees Celsius. cuBLAS was timed just before each kernel, so that a card that slows down slows down both."
        )
    lines += [f"WRONG: {row.name} {row.case}, relative error {row.error:.1e}" for row in report.wrong]
    return "\n".join(lines)


def where(provenance: dict) -> str:
    """The line that stands under every figure: GPU, driver, versions, date.

    >>> where({"gpu": "NVIDIA H200", "driver": (13, 0), "packages": {"numba-cuda": "0.30.4"}, "cublas": 130002, "date": "2026-01-31"})
    'NVIDIA H200, driver for CUDA 13.0, numba-cuda 0.30.4, cuBLAS 130002, 2026-01-31'
    """
    packages = provenance.get("packages", {})
    parts = [
        provenance["gpu"],
        f"driver for CUDA {'.'.join(map(str, provenance['driver']))}",
        f"numba-cuda {packages.get('numba-cuda')}",
        f"cuBLAS {provenance['cublas']}" if provenance.get("cublas") else "no cuBLAS",
        provenance["date"],
    ]
    return ", ".join(parts)


def pairs(rows) -> list:
    """(row under the plain name, row under the other) of each stage and problem, in their order."""
    found = {}
    for row in rows:
        found.setdefault((row.case, row.stage), {})[row.cutlass] = row
    return [(both.get(False), both.get(True)) for both in found.values()]


def _table(report) -> list:
    head = ("problem", "stage", "TFLOP/s", '"cutlass"', "cuBLAS", "of cuBLAS", "error", "registers")
    body = []
    for plain, other in pairs(report.rows):
        row = plain or other
        beside = row.cublas_tflops
        body.append(
            (
                str(row.case),
                row.stage,
                f"{plain.tflops:.2f}" if plain else "-",
                f"{other.tflops:.2f}" if other else "-",
                f"{beside:.2f}" if beside else "-",
                f"{100 * row.tflops / beside:.0f} %" if beside else "-",
                f"{row.error:.0e}",
                str(row.registers),
            )
        )
    widths = [max(map(len, column)) for column in zip(head, *body, strict=True)]
    return [
        "  ".join(
            x.ljust(w) if i < 2 else x.rjust(w) for i, (x, w) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in (head, *body)
    ]


def shown_case(report: Report) -> Case:
    """The problem that the plots show: NT at 4096, or else the largest that there is."""
    cases = [row.case for row in report.rows]
    return Case(4096, 4096, 4096) if Case(4096, 4096, 4096) in cases else max(cases, key=lambda c: c.M * c.N * c.K)


def ladder(report: Report, case: Case | None = None) -> Plot:
    """The stages in teaching order beside cuBLAS on one problem, under both names, with where and when it was measured."""
    case = case or shown_case(report)
    rows = [row for name in STAGES for row in report.rows if (row.case, row.stage) == (case, name)]
    if not rows:
        raise LayoutError(
            f"nothing is recorded for {case}; there is {', '.join(map(str, {r.case: 0 for r in report.rows}))}"
        )
    part, under = Report(report.provenance, tuple(rows)), where(report.provenance)
    return Plot(bars(pairs(rows), f"TFLOP/s, float32, {case}", under), "\n".join([*_table(part), under]))


def plots(report: Report) -> dict:
    """File name -> SVG: a bar for each stage and name beside cuBLAS, and the roofline."""
    case = shown_case(report)
    rows = [row for row in report.rows if row.case == case]
    under = where(report.provenance)
    found = {"bars.svg": bars(pairs(rows), f"TFLOP/s, float32, {case}", under)}
    peak, gbytes = report.provenance.get("peak_tflops"), report.provenance.get("memory_gbytes")
    if peak and gbytes:
        found["roofline.svg"] = roofline(
            [r for r in rows if not r.cutlass] or rows, peak, gbytes, f"Roofline, float32, {case}", under
        )
    return found


def write(report: Report, folder: Path) -> list:
    """Writes bench.json and the plots; gives the paths."""
    folder.mkdir(parents=True, exist_ok=True)
    made = {"bench.json": report.to_json(), **plots(report)}
    for name, words in made.items():
        (folder / name).write_text(words, encoding="utf-8")
    return [folder / name for name in made]


# ------------------------------------------------------------------------------------------------ the record


def record_name(gpu: str) -> str:
    """The file's name for a GPU.

    >>> record_name("NVIDIA H200"), record_name("NVIDIA GeForce RTX 4090")
    ('h200.json', 'geforce-rtx-4090.json')
    """
    letters = "".join(c if c.isalnum() else " " for c in gpu.lower().removeprefix("nvidia"))
    return "-".join(letters.split()) + ".json"


def record(report: Report, path: Path | None = None) -> Path:
    """Keeps a report for the lessons to show: in the package of a checkout, or where `path` says.

    Raises LayoutError for a report with wrong results, and where there is no checkout to write in.
    """
    if report.wrong:
        raise LayoutError(f"not recorded: {len(report.wrong)} of {len(report.rows)} results are wrong")
    if path is None:
        package = Path(__file__).parents[1]
        if not (package.parent / "pyproject.toml").exists():
            raise LayoutError(
                "--record keeps its file in a checkout of the course, and this is none: name a file, --record FILE"
            )
        path = package / "kernels" / "recorded" / record_name(report.provenance["gpu"])
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(report.to_json(), encoding="utf-8")
    return path


def recorded(gpu: str = "NVIDIA H200") -> Report:
    """The report that came with the course for a GPU. Raises LayoutError, with the names there are, where there is none."""
    folder = files("cutelearn.kernels") / "recorded"
    found = folder / record_name(gpu)
    if not found.is_file():
        names = sorted(f.name for f in folder.iterdir()) if folder.is_dir() else []
        raise LayoutError(f"nothing is recorded for {gpu!r}; there is {', '.join(names) or 'no record yet'}")
    return Report.from_json(found.read_text(encoding="utf-8"))


# ------------------------------------------------------------------------------------------------ the command


def chosen(options) -> list:
    """The tasks that the options ask for. Raises LayoutError for stages, sizes or letters that there are not."""
    stages = [find_stage(name) for name in options.stages or STAGES]
    for letters in options.letters or ():
        if letters not in STRIDES:
            raise LayoutError(
                f"--letters {letters}: they are {', '.join(STRIDES)}, A's letter first, as BLAS writes them"
            )
    if bad := [n for n in options.sizes or () if n < 1]:
        raise LayoutError(f"--sizes {bad[0]}: a size is 1 or more")
    cases = CASES
    if options.sizes or options.letters:
        cases = [Case(n, n, n, letters) for letters in options.letters or ["NT"] for n in options.sizes or [4096]]
    others = [stage for path in options.beside or () for stage in _beside(path)]
    todo = tasks(stages, cases, others)
    return [task for task in todo if not (options.quick and task[0].name in SLOW and task[1].M * task[1].N > 5000**2)]


def _beside(path):
    try:
        return runpy.run_path(str(path))["STAGES"]
    except (OSError, KeyError) as error:
        raise LayoutError(f"--beside {path}: a Python file with a list STAGES is wanted ({error})") from None


def check() -> int:
    """Runs every stage on ragged sizes, in every order, and compares every element with float64."""
    from .measure import check_all

    found = check_all(lambda line: print(line, file=sys.stderr, flush=True))
    for failed in found["failed"]:
        print(
            f"WRONG: {failed['plan']}, relative error {failed['error']:.1e}, outside untouched: {failed['outside_untouched']}"
        )
    print(f"{found['checked']} problems, {len(found['failed'])} wrong")
    return 1 if found["failed"] else 0


def main(options, measure=None) -> int:
    """The command; `measure` stands in for the GPU in tests. Gives the exit code: 1 where a result is wrong."""
    if measure is None and PLACE != "gpu":
        print(
            "cutelearn bench: there is no GPU here that kernels can run on, so there is nothing to time.",
            file=sys.stderr,
        )
        return 1
    if options.check:
        return check()
    try:
        todo = chosen(options)
        report = run(measure or OnThisGPU(), todo, lambda line: print(line, file=sys.stderr, flush=True))
        print(describe(report))
        for path in write(report, options.to):
            print(f"written: {path}")
        if options.record is not None:
            print(f"recorded: {record(report, options.record or None)}")
    except LayoutError as error:
        print(f"cutelearn bench: {error}", file=sys.stderr)
        return 1
    return 1 if report.wrong else 0
