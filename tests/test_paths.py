"""The paths of 2, 4 and 8 hours: their chapters are there, take about that long, and miss nothing unsaid."""

from itertools import pairwise
from pathlib import Path

import pytest
from exercise_tools import ROOT, notebook_of

from cutelearn import cli
from cutelearn.course import paths, workfolder
from cutelearn.course.exercises import exercises_of
from cutelearn.course.paths import WAYS

EVERY = pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
LESSONS = sorted((ROOT / "notebooks").glob("[0-9]*.ipynb"))


@pytest.fixture
def work(tmp_path, monkeypatch):
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(tmp_path / "jupyter-data"))
    return tmp_path / "work"


def files(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*.*") if path.is_file()}


# ------------------------------------------------------------------------------------------------ the data


@EVERY
def test_chapters_and_exercises_are_there(way):
    for chapter, numbers in way.chapters.items():
        notebook_of("notebooks", chapter)
        assert set(numbers) <= {one.partition(".")[2] for one in (exercises_of(chapter) if numbers else ())}
    for chapter in way.skipped:
        notebook_of("notebooks", chapter)
    assert list(way.chapters) == sorted(way.chapters)


@EVERY
def test_the_minutes_add_up_to_the_hours(way):
    total = 0.0
    for chapter, numbers in way.chapters.items():
        total += paths.minutes(paths.first_cell(notebook_of("notebooks", chapter)))
        if numbers:
            all_of_them = paths.minutes(paths.first_cell(notebook_of("exercises", chapter)))
            total += all_of_them * len(numbers) / len(exercises_of(chapter))
    assert 0.95 * way.hours * 60 <= total <= 1.05 * way.hours * 60


@EVERY
def test_what_a_chapter_needs_is_on_the_path_or_named(way):
    """Whatever a lesson of the path comes after, directly or by way of a skipped one, is told."""
    told = set(way.chapters) | set(way.skipped)
    for chapter in told:
        needs = paths.comes_after(paths.first_cell(notebook_of("notebooks", chapter)))
        assert set(needs) <= told, chapter
    assert not set(way.chapters) & set(way.skipped)


def test_every_lesson_but_the_first_says_its_time_and_what_it_comes_after():
    before = {path.name[:2]: paths.comes_after(paths.first_cell(path)) for path in LESSONS}
    assert before.pop("00") == []
    for (earlier, _), (later, needs) in pairwise([("00", []), *before.items()]):
        assert earlier in needs, f"{later} comes after {needs}"
    for path in LESSONS + sorted((ROOT / "exercises").glob("*.ipynb")):
        assert 1 <= paths.minutes(paths.first_cell(path)) <= 120, path.name


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Two minutes. You learn", 2),
        ("Nine exercises, about\nan hour.", 60),
        ("Half an hour.", 30),
        ("Three quarters of an hour, 5 minutes", 45),
        ("Two hours", 120),
        ("90 minutes", 90),
        ("It takes an hour\nand a half", 90),
        ("Two hours and a half", 150),
    ],
)
def test_times_as_lessons_write_them(text, wanted):
    assert paths.minutes(text) == wanted


def test_a_text_without_a_time_is_named():
    with pytest.raises(ValueError, match="no time is named in: # 04"):
        paths.minutes("# 04 · Composition")


# ------------------------------------------------------------------------------------------------ laying out


def test_just_the_path_is_laid_out_and_the_rest_is_added_later(work, capsys):
    assert cli.main(["lab", str(work), "--copy-only", "--path", "4h"]) == 0
    said, way = capsys.readouterr().out, WAYS["4h"]
    laid_out = files(work)
    numbered = {name for name in laid_out if Path(name).name[:2].isdecimal()}
    assert {Path(name).name[:2] for name in numbered} == set(way.chapters)
    assert "notebooks/glossary.ipynb" in laid_out
    assert "The path of 4 hours. " in said
    assert "  notebooks/05-complement-and-divide.ipynb  60 minutes\n" in said
    assert "  exercises/02-layouts.ipynb  02.1\n" in said
    assert "Skipped is 03. What you need of it: coalesce" in said
    assert "Not laid out: chapters 03, 06, 07" in said
    assert "run `cutelearn lab` without --path" in said

    mine = work / "exercises" / "02-layouts.ipynb"
    mine.write_text(mine.read_text("utf-8").replace("a02_1 = ", "a02_1 = 1, "), "utf-8")
    kept = mine.read_bytes()
    assert cli.main(["lab", str(work), "--copy-only"]) == 0
    said = capsys.readouterr().out
    assert f"Left alone, because you changed them: exercises/{mine.name}." in said
    whole = {name for name, _ in workfolder._course_files(workfolder.course_folder())}
    assert whole <= set(files(work))
    assert mine.read_bytes() == kept


def test_a_path_in_a_whole_folder_takes_nothing_away(work, capsys):
    cli.main(["lab", str(work), "--copy-only"])
    before = files(work)
    capsys.readouterr()
    assert cli.main(["lab", str(work), "--copy-only", "--path", "2h"]) == 0
    said = capsys.readouterr().out
    assert files(work) == before
    assert "No longer part of the course" not in said
    assert "Not laid out" not in said  # all of it is there


def test_the_learner_s_own_file_has_its_place_and_no_time(work, capsys):
    cli.main(["lab", str(work), "--copy-only", "--path", "2h"])
    lesson = work / "notebooks" / "01-coordinates.ipynb"
    lesson.write_text("{}")
    capsys.readouterr()
    assert cli.main(["lab", str(work), "--copy-only", "--path", "2h"]) == 0
    assert "  notebooks/01-coordinates.ipynb\n" in capsys.readouterr().out
    assert lesson.read_text() == "{}"


@pytest.mark.parametrize("word", ["3h", "x", "4", "", "4H"])
def test_another_path_is_refused_with_a_sentence(word, work, capsys):
    with pytest.raises(SystemExit):
        cli.main(["lab", str(work), "--copy-only", "--path", word])
    assert f"there is no path {word!r}: write 2h, 4h or 8h, for so many hours" in capsys.readouterr().err
    assert not work.exists()
