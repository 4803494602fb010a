"""Ways through the course for a lab of so many hours: which lessons, and which exercises.

`cutelearn lab --path 4h` lays out the chapters of one. A chapter that is left out though a later one builds on it is
named, with what to know of it.
"""

import json
import re
from dataclasses import dataclass, field
from pathlib import Path

from .notebooks import source_of

NUMBERS = {"two": 2, "three": 3, "five": 5, "ten": 10, "a quarter of an": 15, "half an": 30, "three quarters of an": 45}


@dataclass(frozen=True)
class Way:
    """A path: its chapters in order, with the exercises to do there, and what to tell of a chapter that is skipped."""

    name: str
    leads_to: str
    chapters: dict[str, tuple[str, ...]]  # "01": the numbers of its exercises
    skipped: dict[str, str] = field(default_factory=dict)  # "03": what one needs of it

    @property
    def hours(self) -> int:
        return int(self.name.removesuffix("h"))


WAYS = {
    way.name: way
    for way in (
        Way(
            "2h",
            "You read a layout and write one.",
            {"00": ("1",), "01": ("1",), "02": ()},
        ),
        Way(
            "4h",
            "You chain layouts and cut a matrix into tiles.",
            {"00": ("1",), "01": (), "02": ("1",), "04": (), "05": ()},
            {"03": "coalesce writes the same layout with fewer modes, and no offset changes"},
        ),
        Way(
            "8h",
            "You read and write CUTLASS's first GEMM kernel.",
            {
                "00": ("1",),
                "01": (),
                "02": ("1", "2"),
                "04": ("1",),
                "05": ("1", "2"),
                "07": (),
                "08": ("1", "2"),
                "11": (),
            },
            {
                "03": "coalesce writes the same layout with fewer modes, and no offset changes",
                "06": "a product repeats a layout, and an inverse asks which coordinate holds an address",
                "09": "an MMA instruction prescribes which thread holds which element",
                "10": "a tiled MMA repeats that instruction; sgemm_1 does without",
            },
        ),
    )
}


# ------------------------------------------------------------------------------------------------ what lessons say


def first_cell(path: Path) -> str:
    """The title of a notebook, with the time and what comes before."""
    return source_of(json.loads(path.read_text("utf-8"))["cells"][0])


class NoTime(ValueError):
    """A notebook does not say how long it takes; the message shows how it begins."""


def minutes(text: str) -> int:
    """The first time that a text names, in minutes.

    >>> minutes("45 minutes. Needs a CPU"), minutes("Nine exercises, about an hour."), minutes("A quarter of an hour")
    (45, 60, 15)
    >>> minutes("about an hour and a half"), minutes("two hours and a half")
    (90, 150)
    """
    words = " ".join(text.split()).casefold()
    found = re.search(
        r"(?:(\d+|two|three|five|ten) (minute|hour)s\b|((?:(?:a quarter|half|three quarters) (?:of )?)?an) hour)"
        r"(?P<more> and a half)?",
        words,
    )
    if found is None:
        raise NoTime(f"no time is named in: {text[:80]}")
    more = 30 if found["more"] else 0
    if found[3]:
        return NUMBERS.get(found[3], 60) + more
    count = int(found[1]) if found[1].isdecimal() else NUMBERS[found[1]]
    return count * (60 if found[2] == "hour" else 1) + more


def comes_after(text: str) -> list[str]:
    """The chapters that a lesson's first cell says it builds on.

    >>> comes_after("60 minutes. Comes after [03 Coalesce](03-coalesce.ipynb). See [01](01-coordinates.ipynb).")
    ['03']
    """
    sentence = re.search(r"Comes after\b.*?\)\.", text, re.S)
    return re.findall(r"\]\((\d\d)-", sentence[0]) if sentence else []


# ------------------------------------------------------------------------------------------------ what is laid out


def belongs(way: Way | None, name: str) -> bool:
    """Whether a file of the course, by its name in the working folder, is on a path. Without a chapter's number it is."""
    number = re.match(r"(\d\d)-", Path(name).name)
    return way is None or number is None or number[1] in way.chapters


def steps(way: Way, folder: Path) -> list[str]:
    """The path as lines for the terminal: each notebook in order, with its time, as the copies in the folder say."""
    lines = []
    for chapter, numbers in way.chapters.items():
        for lesson in sorted((folder / "notebooks").glob(f"{chapter}-*.ipynb"))[:1]:
            lines.append(f"  notebooks/{lesson.name}  {_time(lesson)}".rstrip())
        for page in sorted((folder / "exercises").glob(f"{chapter}-*.ipynb"))[:1] if numbers else []:
            lines.append(f"  exercises/{page.name}  {' and '.join(f'{chapter}.{n}' for n in numbers)}")
    return lines


def _time(path: Path) -> str:
    try:
        return f"{minutes(first_cell(path))} minutes"
    except (ValueError, LookupError, TypeError):  # the learner's own file by now
        return ""


def describe(way: Way, folder: Path, left_out: list[str]) -> str:
    """What the learner is told: the way, what is left out, and how to get it."""
    lines = [f"The path of {way.hours} hours. {way.leads_to}", *steps(way, folder)]
    lines.append("The other exercises of these chapters are there too, for afterwards.")
    lines += [f"Skipped is {chapter}. What you need of it: {what}." for chapter, what in way.skipped.items()]
    if left_out:
        lines.append(
            f"Not laid out: chapters {', '.join(sorted({Path(name).name[:2] for name in left_out}))}. Links to them lead"
            " nowhere until you run `cutelearn lab` without --path, which adds them and leaves your work alone."
        )
    return "\n".join(lines)
