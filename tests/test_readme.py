"""README links to what is there, to all lessons, and shows the picture that the script draws."""

import re
import runpy
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text("utf-8")
LINKS = re.findall(r"\]\(([^)#:]+)\)", README)


def test_links_lead_somewhere():
    assert len(LINKS) >= 4
    assert [link for link in LINKS if not (ROOT / link).exists()] == []


def test_every_lesson_is_in_the_table():
    lessons = {path.relative_to(ROOT).as_posix() for path in (ROOT / "notebooks").glob("[0-9]*.ipynb")}
    assert lessons == {link for link in LINKS if link.startswith("notebooks/")}


def test_picture_is_what_the_script_draws():
    drawn = runpy.run_path(str(ROOT / "scripts" / "readme_picture.py"))["picture"]()
    assert (ROOT / "docs" / "layout.svg").read_text("utf-8") == drawn
