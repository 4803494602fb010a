"""`cutelearn bench` with a measurement that is made up: the table, the files, the record, and what it refuses. No GPU."""

import itertools
import json
import xml.etree.ElementTree as ET
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cutelearn import LayoutError, cli
from cutelearn.kernels import bench, plots
from cutelearn.kernels.bench import CASES, Case, Report, Row
from cutelearn.kernels.launch import STAGES
from cutelearn.kernels.machine import PLACE

WHERE = {
    "gpu": "NVIDIA H200",
    "driver": [13, 0],
    "packages": {"numba-cuda": "0.30.4"},
    "cublas": 130002,
    "date": "2026-01-31",
    "peak_tflops": 66.9,
    "memory_gbytes": 4917,
}
SPEED = {"naive": 0.9, "coalesced": 1.25, "smem_tiled": 3.8, "sgemm_1": 34.0, "sgemm_2": 38.0}


class Made:
    """Measures nothing: fixed speeds, faster under the other name."""

    def __init__(self, wrong=(), cublas=51.8):
        self.wrong, self.cublas, self.asked = wrong, cublas, []

    def provenance(self):
        return dict(WHERE)

    def time(self, stage, case, name):
        self.asked.append((stage.name, case, name))
        error = float("nan") if name in self.wrong else 2e-7
        faster = 1.2 if "cutlass" in name else 1.0
        at = 60 + len(self.asked) % 5
        return Row(
            stage.name, name, case, SPEED.get(stage.name, 50.0) * faster, self.cublas, error, error < 1e-5,
            bench.intensity(stage), 128, 8192, 0, 1980 - at, at,
        )  # fmt: skip


def options(*words):
    return cli.build_parser().parse_args(["bench", *map(str, words)])


def report(**made):
    return bench.run(Made(**made), bench.tasks(STAGES.values(), CASES))


def run(tmp_path, capsys, *words, made=None):
    code = bench.main(options("--to", tmp_path / "out", *words), made or Made())
    said = capsys.readouterr()
    return code, said.out, said.err


def test_every_stage_meets_every_problem_under_both_names():
    made = Made()
    bench.run(made, bench.tasks(STAGES.values(), CASES))
    want = [(s, c, name) for c in CASES for s in STAGES for name in (s, f"cutlass_{s}")]
    assert made.asked == want
    assert {c.M for c in CASES} >= {1024, 2048, 4096, 8192}
    assert {c.transposes for c in CASES} == {"NT", "TN", "NN", "TT"}
    assert any(c.M % 4 for c in CASES)


def test_hand_written_twins_are_for_nt_and_whole_tiles():
    twin = replace(STAGES["sgemm_1"], name="hand")
    cases = [c for stage, c, _name in bench.tasks([], CASES, [twin]) if stage is twin]
    assert set(cases) == {Case(n, n, n) for n in (1024, 2048, 4096, 8192)}


def test_the_table_has_both_names_and_says_why(tmp_path, capsys):
    code, out, err = run(tmp_path, capsys)
    assert code == 0
    lines = out.splitlines()
    assert lines[0] == "NVIDIA H200, driver for CUDA 13.0, numba-cuda 0.30.4, cuBLAS 130002, 2026-01-31"
    (row,) = [line.split() for line in lines if line.startswith("NT 4096 ") and " sgemm_2 " in line]
    assert row == ["NT", "4096", "sgemm_2", "38.00", "45.60", "51.80", "73", "%", "2e-07", "128"]
    assert len([line for line in lines if " sgemm_1 " in line]) == len(CASES)
    assert bench.WHY_TWO_NAMES in lines
    assert "1916 to 1920 MHz" in out
    assert "60 to 64 degrees Celsius" in out
    todo = 2 * len(STAGES) * len(CASES)
    assert err.splitlines()[0] == f"[1/{todo}] naive NT 1024: 0.90 TFLOP/s, cuBLAS 51.80"
    assert len(err.splitlines()) == todo


def test_without_cublas_the_table_says_so():
    words = bench.describe(report(cublas=None))
    assert "cuBLAS was not there" in words
    assert " % " not in words


def test_json_and_back(tmp_path, capsys):
    run(tmp_path, capsys)
    words = (tmp_path / "out" / "bench.json").read_text()
    assert Report.from_json(words) == report()
    assert json.loads(words)["why_two_names"] == bench.WHY_TWO_NAMES
    assert json.loads(words)["provenance"] == WHERE


@given(st.floats(0.01, 100), st.floats(0.01, 100) | st.none(), st.integers(1, 9000))
def test_any_row_comes_back(tflops, beside, n):
    row = Row("s", "cutlass_s", Case(n, 1, n, "TN"), tflops, beside, 1e-7, True, 0.25, 1, 2, 3)
    assert Report.from_json(Report(WHERE, (row,)).to_json()).rows == (row,)


def texts(svg):
    return [e.text for e in ET.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")]


def rectangles(svg, color):
    return [
        float(e.get("width"))
        for e in ET.fromstring(svg).iter("{http://www.w3.org/2000/svg}rect")
        if e.get("fill") == color
    ]


def test_bars_are_as_long_as_the_numbers():
    found = bench.plots(report())
    assert found == bench.plots(report())  # the same on every run
    svg = found["bars.svg"]
    blue, orange = rectangles(svg, plots.PLAIN)[1:], rectangles(svg, plots.OTHER)[1:]  # the first is the legend's
    speeds = [SPEED.get(s, 50.0) for s in STAGES]
    assert [w / blue[-1] for w in blue] == pytest.approx([v / speeds[-1] for v in speeds], abs=2e-3)
    assert [o / b for o, b in zip(orange, blue, strict=True)] == pytest.approx([1.2] * len(STAGES), abs=0.02)
    said = texts(svg)
    assert {"TFLOP/s, float32, NT 4096", bench.where(WHERE), "cuBLAS 51.8", *STAGES} <= set(said)


def test_the_roofline_has_its_roof_and_every_stage_once():
    svg = bench.plots(report())["roofline.svg"]
    said = texts(svg)
    assert {"peak 66.9", "memory 4917 GB/s", "cuBLAS 51.8", "naive 0.9", "sgemm_1 34.0", bench.where(WHERE)} <= set(
        said
    )
    circles = list(ET.fromstring(svg).iter("{http://www.w3.org/2000/svg}circle"))
    assert len(circles) == len(STAGES)
    at = {float(c.get("cx")) for c in circles}
    assert len(at) == len({bench.intensity(s) for s in STAGES.values()})  # the same intensity, the same place


def test_the_roofline_says_why_points_lie_above_it():
    why = "A point above the slope has part of its bytes from a cache."
    for tflops, said in (
        (0.5, False),
        (5.0, True),
    ):  # naive asks for a byte each 0.25 flop: 1.2 TFLOP/s at most from memory
        rows = tuple(replace(row, tflops=tflops) for row in report().rows)
        assert (why in texts(bench.plots(replace(report(), rows=rows))["roofline.svg"])) == said


def drawn(svg, tag):
    return list(ET.fromstring(svg).iter(f"{{http://www.w3.org/2000/svg}}{tag}"))


def cublas_line(svg):
    (line,) = [e for e in drawn(svg, "line") if e.get("stroke") == plots.CUBLAS]
    return [float(line.get(end)) for end in ("x1", "y1", "x2", "y2")]


@pytest.mark.parametrize("cublas", [3.5, 36.0, 49.0, 51.8, 62.0])
def test_no_label_is_crossed_by_a_line(cublas):
    """Neither a number beside its bar nor a name beside its point; a letter is taken for 7 wide."""
    found = bench.plots(report(cublas=cublas))
    x, top, _x, bottom = cublas_line(found["bars.svg"])
    for e in drawn(found["bars.svg"], "text"):
        if e.get("font-size") == "12" and top < float(e.get("y")) < bottom:
            start = float(e.get("x"))
            assert not start < x < start + 7 * len(e.text), e.text
    left, y, right, _y = cublas_line(found["roofline.svg"])
    names = [e for e in drawn(found["roofline.svg"], "text") if e.text.split()[0] in STAGES]
    assert len(names) == len(STAGES)
    heights = sorted(float(e.get("y")) for e in names if left < float(e.get("x")) < right)
    assert all(not h - 10 < y < h + 3 for h in heights)
    assert all(b - a >= 13 for a, b in itertools.pairwise(heights))


def test_plots_show_the_largest_problem_where_4096_is_missing():
    small = bench.run(Made(), bench.tasks([STAGES["naive"]], [Case(64, 64, 64), Case(100, 64, 64)]))
    assert "TFLOP/s, float32, NT 100x64x64" in texts(bench.plots(small)["bars.svg"])


def test_record_round_trip(tmp_path, capsys):
    path = tmp_path / "kept" / "h200.json"
    code, out, _ = run(tmp_path, capsys, "--record", path)
    assert code == 0
    assert f"recorded: {path}" in out
    assert Report.from_json(path.read_text()) == report()


def test_the_record_ships_with_the_package(tmp_path, monkeypatch):
    monkeypatch.setattr(bench, "files", lambda package: tmp_path)
    with pytest.raises(LayoutError, match="no record yet"):
        bench.recorded()
    bench.record(report(), tmp_path / "recorded" / bench.record_name("NVIDIA H200"))
    assert bench.recorded() == report()
    with pytest.raises(LayoutError, match=r"'NVIDIA B200'; there is h200\.json"):
        bench.recorded("NVIDIA B200")


def test_wrong_results_are_told_and_not_recorded(tmp_path, capsys):
    path = tmp_path / "kept.json"
    code, out, err = run(tmp_path, capsys, "--sizes", 64, "--record", path, made=Made(wrong=("sgemm_1",)))
    assert code == 1
    assert "WRONG: sgemm_1 NT 64, relative error nan" in out
    assert f"not recorded: 1 of {2 * len(STAGES)} results are wrong" in err
    assert not path.exists()


def test_outside_of_a_checkout_the_record_wants_a_file(tmp_path, monkeypatch):
    monkeypatch.setattr(bench, "__file__", str(tmp_path / "site" / "cutelearn" / "kernels" / "bench.py"))
    with pytest.raises(LayoutError, match="name a file, --record FILE"):
        bench.record(report())


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--stages", "sgem"], "there is no stage 'sgem': the stages are naive"),
        (["--letters", "XY"], "--letters XY: they are NT, TN, NN, TT"),
        (["--sizes", 0], "--sizes 0: a size is 1 or more"),
        (["--beside", "nowhere.py"], "--beside nowhere.py: a Python file with a list STAGES is wanted"),
    ],
)
def test_refusals(tmp_path, capsys, words, said):
    code, _out, err = run(tmp_path, capsys, *words)
    assert code == 1
    assert said in err
    assert not (tmp_path / "out").exists()


def test_options_choose():
    todo = bench.chosen(
        options("--stages", "naive", "sgemm_1", "--sizes", 64, 8192, "--letters", "NT", "TN", "--quick")
    )
    assert {(s.name, c.M) for s, c, _name in todo} == {("naive", 64), ("sgemm_1", 64), ("sgemm_1", 8192)}
    assert {c.transposes for _s, c, _name in todo} == {"NT", "TN"}


@pytest.mark.skipif(PLACE == "gpu", reason="there is a GPU here")
def test_without_a_gpu_it_is_a_sentence(capsys):
    assert cli.main(["bench"]) == 1
    assert "there is no GPU here" in capsys.readouterr().err
