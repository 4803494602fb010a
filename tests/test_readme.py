"""README and its neighbours link to what is there; README to all lessons, with the picture that the script draws."""

import re
import runpy
from pathlib import Path

import pytest

from cutelearn import __version__
from cutelearn.cli import COMMANDS
from cutelearn.course.paths import WAYS
from cutelearn.kernels.bench import Case, recorded
from cutelearn.kernels.launch import STAGES

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text("utf-8")
LINKS = re.findall(r"\]\(([^)#:]+)\)", README)


@pytest.mark.parametrize("name", ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "docs/teachers.md"])
def test_links_lead_somewhere(name):
    links = re.findall(r"\]\(([^)#:]+)\)", (ROOT / name).read_text("utf-8"))
    assert links or name != "README.md"
    assert [link for link in links if not ((ROOT / name).parent / link).exists()] == []


def test_every_command_is_told():
    assert [name for name in COMMANDS if f"cutelearn {name}" not in README] == ["build"]  # that one is for authors
    assert "cutelearn build" in (ROOT / "CONTRIBUTING.md").read_text("utf-8")


def test_the_teachers_page_has_the_paths():
    page = (ROOT / "docs" / "teachers.md").read_text("utf-8")
    for way in WAYS.values():
        (row,) = re.findall(rf"^\| `{way.name}` \| [^|]+ \|([^|]+)\|([^|]*)\|$", page, re.M)
        assert tuple(cell.strip() for cell in row) == (", ".join(way.chapters), ", ".join(way.skipped))


def test_the_changelog_begins_with_this_version():
    assert re.findall(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.M)[0] == __version__


def test_every_lesson_is_in_the_table():
    lessons = {path.relative_to(ROOT).as_posix() for path in (ROOT / "notebooks").glob("[0-9]*.ipynb")}
    assert lessons == {link for link in LINKS if link.startswith("notebooks/")}


def test_the_speed_is_the_record_s():
    """H200, driver 580, CUDA 13.0, numba-cuda 0.30.4: cutelearn/kernels/recorded/h200.json."""
    last = list(STAGES)[-1]
    (row,) = [r for r in recorded().rows if (r.name, r.case) == (last, Case(4096, 4096, 4096))]
    said = f"{row.tflops:.1f} TFLOP/s on an H200 (float32, 4096 x 4096 x 4096), {100 * row.tflops / row.cublas_tflops:.0f} %"
    assert said in " ".join(README.split())


def test_picture_is_what_the_script_draws():
    drawn = runpy.run_path(str(ROOT / "scripts" / "readme_picture.py"))["picture"]()
    assert (ROOT / "docs" / "layout.svg").read_text("utf-8") == drawn
