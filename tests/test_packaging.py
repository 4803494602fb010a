"""The wheel carries the course, and `cutelearn lab` finds it there without a clone."""

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

pytest.importorskip("hatchling")
from hatchling.builders.wheel import WheelBuilder

ROOT = Path(__file__).resolve().parent.parent
LESSONS = ("notebooks/00-start.ipynb", "notebooks/data/measured.json", "exercises/01-a.ipynb", "solutions/01-a.ipynb")
EMPTY_NOTEBOOK = '{"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}'


def build_wheel(root: Path, into: Path) -> Path:
    return Path(next(WheelBuilder(str(root)).build(directory=str(into), versions=["standard"])))


def course_files(names) -> set[str]:
    return {name.removeprefix("cutelearn/_course/") for name in names if name.startswith("cutelearn/_course/")}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """The wheel of a small clone: our own package and packaging files, with made-up lessons."""
    clone = tmp_path_factory.mktemp("clone")
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, clone)
    shutil.copytree(ROOT / "cutelearn", clone / "cutelearn", ignore=shutil.ignore_patterns("__pycache__"))
    for name in (*LESSONS, "notebooks/.ipynb_checkpoints/00-checkpoint.ipynb", "work/notebooks/mine.ipynb"):
        (clone / name).parent.mkdir(parents=True, exist_ok=True)
        (clone / name).write_text(EMPTY_NOTEBOOK)
    return build_wheel(clone, tmp_path_factory.mktemp("dist"))


def test_wheel_holds_the_course_and_nothing_else(wheel):
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    assert course_files(names) == set(LESSONS)
    tops = {name.split("/")[0] for name in names}
    assert tops == {"cutelearn", wheel.name.rsplit("-", 3)[0] + ".dist-info"}


def test_wheel_of_this_tree_holds_every_lesson(tmp_path):
    with zipfile.ZipFile(build_wheel(ROOT, tmp_path)) as archive:
        held = course_files(archive.namelist())
    lessons = {
        p.relative_to(ROOT).as_posix() for part in ("notebooks", "exercises") for p in (ROOT / part).glob("*.ipynb")
    }
    assert lessons <= held


def test_wheel_names_the_command_and_the_licence(wheel):
    with zipfile.ZipFile(wheel) as archive:
        info = wheel.name.rsplit("-", 3)[0] + ".dist-info"
        assert "cutelearn = cutelearn.cli:main" in archive.read(f"{info}/entry_points.txt").decode()
        assert archive.read(f"{info}/licenses/LICENSE") == (ROOT / "LICENSE").read_bytes()


def test_wheel_holds_the_measurements_that_lessons_show(wheel):
    recorded = ROOT / "cutelearn" / "kernels" / "recorded"
    with zipfile.ZipFile(wheel) as archive:
        assert archive.read("cutelearn/kernels/recorded/h200.json") == (recorded / "h200.json").read_bytes()
        held = {name for name in archive.namelist() if name.startswith("cutelearn/kernels/recorded/")}
    assert held == {path.relative_to(ROOT).as_posix() for path in recorded.iterdir()}


def test_lab_copies_out_of_an_unpacked_wheel(wheel, tmp_path):
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path / "site")
    environment = os.environ | {
        "PYTHONPATH": str(tmp_path / "site"),
        "JUPYTER_DATA_DIR": str(tmp_path / "data"),
    }
    command = [sys.executable, "-m", "cutelearn", "lab", "work", "--copy-only"]
    subprocess.run(command, cwd=tmp_path, env=environment, check=True)
    copied = {p.relative_to(tmp_path / "work").as_posix() for p in (tmp_path / "work").rglob("*.*") if p.is_file()}
    assert copied == {name for name in LESSONS if not name.startswith("solutions")} | {".cutelearn.json"}
