"""Exercises: what one is, where they are, and the three words that notebooks use: check, hint, solution.

An answer is judged in two steps. `gather` reads it (or calls it, when it is a function) into plain data, under a time
limit; `fault` judges the data and runs no code of the learner's. So the two may also live in two processes.
"""

import os
import pkgutil
import re
import sys
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module

from ..layout import Layout
from .answers import Calls, Failed, Refused, attempt, call_each, unfinished, untouched
from .compare import Fault, read_layout, same_view, says

WIDTH = 100  # of what is printed
NOT_ATTEMPTED, NOT_YET, DONE = "not attempted", "not yet", "done"


@dataclass(frozen=True)
class Wrong:
    """A wrong answer that learners give, what it shows, and the hint (from 1) that speaks to it.

    A dict stands for the right answer with these entries in place of the right ones. `like` may widen the match from
    this one answer to all that show the same: it is asked with the plain data of an answer.
    """

    answer: object
    shows: str
    hint: int
    like: Callable[[object], bool] | None = None


@dataclass(frozen=True, kw_only=True)
class Exercise:
    """An exercise whose answer is a value: ints, lists, dicts, layouts or layout text.

    `judge` gets the answer as plain data and gives a Fault, or None where the answer is right. It judges by what a
    layout does, never by how it is spelled. Hints go from a nudge to nearly the answer. The solution itself stands in
    the solutions notebook; `because` is what one would say after showing it.
    """

    id: str  # "04.3": chapter and number
    title: str
    answer: str  # the variable that holds the answer
    judge: Callable[[object], Fault | None]
    hints: tuple[str, ...]
    wrong: tuple[Wrong, ...]
    because: str = ""
    view: Callable[[object], object] | None = None  # the answer to look at, for `show`
    seconds: float = 10

    def gather(self, value) -> object:
        """The answer as plain data."""
        return attempt(value, self.seconds)

    def fault(self, data) -> Fault | None:
        """What is wrong with the answer; None where nothing is."""
        if isinstance(data, Failed):
            return Fault(f"your answer {data.sentence}")
        if left := unfinished(data):
            return Fault(f"there is still ... in place of an answer for {', '.join(left)}")
        return self.judge(data)

    def matches(self, wrong: Wrong, data) -> bool:
        """Whether an answer is the catalogued wrong one, or like it."""
        if wrong.like is not None:
            return wrong.like(data)
        return agrees(attempt(wrong.answer, self.seconds), data)


@dataclass(frozen=True, kw_only=True)
class FunctionExercise(Exercise):
    """An exercise whose answer is a function. It is called with each of `inputs()`; `judge` gets the arguments and what
    came back (plain data, or Refused), and gives a Fault or None."""

    inputs: Callable[[], Sequence[tuple]]

    def gather(self, value) -> object:
        """Calls: what the function answered to each of the inputs."""
        if not callable(value):
            return attempt(value, self.seconds)
        return call_each(value, self.inputs(), self.seconds)

    def fault(self, data) -> Fault | None:
        if not isinstance(data, Calls):
            return Fault(f"{self.answer} is now {says(data)}, not a function. Begin with: def {self.answer}(...):")
        inputs = self.inputs()
        for arguments, outcome in zip(inputs, data.outcomes, strict=False):
            called = f"{self.answer}({', '.join(map(says, arguments))})"
            if isinstance(outcome, Failed):
                return Fault(f"{called} {outcome.sentence}")
            if outcome is None:
                return Fault(f"{called} returned nothing. A function gives its answer with return; print only shows it")
            if outcome is ...:
                return Fault(f"{called} returned ..., so this case is still to be done")
            if found := self.judge(arguments, outcome):
                return Fault(found.sentence, f"  {called} gave: {says(outcome)}\n{found.beside}".rstrip())
        if len(data.outcomes) != len(inputs):
            return Fault(f"{self.answer} was called {len(data.outcomes)} times, and {len(inputs)} calls are needed")
        return None

    def matches(self, wrong: Wrong, data) -> bool:
        if not isinstance(data, Calls):
            return False
        if wrong.like is not None:
            return wrong.like(data)
        return agrees(call_each(wrong.answer, self.inputs(), self.seconds), data)


def failed_first_at(data, inputs, judge, where: Callable[..., bool]) -> bool:
    """Whether a function answered rightly until it raised an error, at arguments of which `where` is true."""
    if not isinstance(data, Calls) or not data.outcomes or not isinstance(data.outcomes[-1], Failed):
        return False
    *before, last = inputs[: len(data.outcomes)]
    return where(*last) and not any(map(judge, before, data.outcomes))


def agrees(catalogued, data) -> bool:
    """Whether an answer is the same as a catalogued one: layouts by function, text by its letters, dicts on the
    catalogued keys alone."""
    if isinstance(catalogued, dict):
        return isinstance(data, dict) and all(k in data and agrees(v, data[k]) for k, v in catalogued.items())
    if isinstance(catalogued, (list, tuple)) and isinstance(data, type(catalogued)):
        return len(catalogued) == len(data) and all(map(agrees, catalogued, data))
    if isinstance(catalogued, Calls):
        return isinstance(data, Calls) and agrees(catalogued.outcomes, data.outcomes)
    if isinstance(catalogued, Refused):
        return isinstance(data, Refused)
    if isinstance(catalogued, (str, Layout)) and isinstance(data, (str, Layout)):
        a, b = read_layout(catalogued), read_layout(data)
        if isinstance(a, Layout) and isinstance(b, Layout):
            return same_view(a, b)
        return isinstance(catalogued, str) and isinstance(data, str) and simple(catalogued) == simple(data)
    return type(catalogued) is type(data) and catalogued == data


def simple(word: str) -> str:
    """A word without case and outer spaces."""
    return " ".join(word.casefold().split())


# ------------------------------------------------------------------------------------------------ where they are


class NoSuchExercise(LookupError):
    """There is no exercise with this id; the message says which there are."""


def chapters() -> list[str]:
    """The chapters that have exercises: "04", ..."""
    from . import chapters as package

    return sorted(m.name.removeprefix("ch") for m in pkgutil.iter_modules(package.__path__) if m.name.startswith("ch"))


@cache
def exercises_of(chapter: str) -> dict[str, Exercise]:
    """id -> exercise, in order. The chapter's file is loaded when it is first asked for."""
    if chapter not in chapters():
        raise NoSuchExercise(f"chapter {chapter} has no exercises here; there are some for: {', '.join(chapters())}")
    return {one.id: one for one in import_module(f".chapters.ch{chapter}", __package__).EXERCISES}


def exercise(exercise_id) -> Exercise:
    """The exercise with this id. Raises NoSuchExercise with a sentence."""
    if not isinstance(exercise_id, str) or not re.fullmatch(r"\d\d\.\d+", exercise_id):
        raise NoSuchExercise(f'{says(exercise_id)} is no exercise: write chapter and number as text, such as "04.3"')
    found = exercises_of(exercise_id[:2])
    if exercise_id not in found:
        raise NoSuchExercise(f"there is no exercise {exercise_id}; chapter {exercise_id[:2]} has {', '.join(found)}")
    return found[exercise_id]


# ------------------------------------------------------------------------------------------------ the verdict


@dataclass(frozen=True)
class Verdict:
    """What a check found. For an answer that is not yet right: why, and the hint (from 1) that speaks to it."""

    id: str
    state: str
    sentence: str = ""
    beside: str = ""
    hint: int = 1
    hints: int = 0
    known: bool = False  # a wrong answer of the catalogue

    def __str__(self) -> str:
        if self.state != NOT_YET:
            return f"{self.id} · {self.state}"
        helps = f'Hint {self.hint} of {self.hints} {"is about this" if self.known else "may help"}: hint("{self.id}")'
        return "\n".join(filter(None, (fill(f"{self.id} · {NOT_YET}: {self.sentence}"), self.beside, helps)))


def verdict(one: Exercise, value=...) -> Verdict:
    """Judge an answer. `...` is an answer that was not given.

    >>> one = exercise("04.1")
    >>> print(verdict(one)), print(verdict(one, [0, 12, 2, 14, 4, 16]))
    04.1 · not attempted
    04.1 · done
    (None, None)
    """
    return judge_data(one, ... if value is ... else one.gather(value))


def judge_data(one: Exercise, data) -> Verdict:
    """Judge what `gather` found; no code of the learner's runs here."""
    count = len(one.hints)
    if untouched(data):
        return Verdict(one.id, NOT_ATTEMPTED, hints=count)
    found = one.fault(data)
    if found is None:
        return Verdict(one.id, DONE, hints=count)
    for wrong in one.wrong:
        about_it = found.at is None or not isinstance(wrong.answer, dict) or found.at in wrong.answer
        if about_it and one.matches(wrong, data):
            return Verdict(one.id, NOT_YET, wrong.shows, found.beside, wrong.hint, count, known=True)
    return Verdict(one.id, NOT_YET, found.sentence, found.beside, 1, count)


def fill(text: str) -> str:
    """Wrapped paragraphs; a line that begins with a space stays as it is."""
    lines = []
    for line in text.split("\n"):
        lines += [line] if line[:1].isspace() else textwrap.wrap(line, WIDTH, break_on_hyphens=False) or [""]
    return "\n".join(lines)


# ------------------------------------------------------------------------------------------------ in a notebook


@dataclass
class Memory:
    """What this kernel remembers of one exercise. Nothing of it is written anywhere."""

    shown: set[int] = field(default_factory=set)  # hints that were given
    picked: int = 1  # the hint that the last check named
    tries: int = 0  # checks that found an answer


_memory: dict[str, Memory] = {}


class NotDone(AssertionError):
    """An exercise that is not done, where a check must be a failure: under nbgrader."""


def check(exercise_id: str) -> None:
    """Print whether the answer in the caller's notebook is right: not attempted, not yet and why, or done.

    Never raises, except under nbgrader, where only what is done may pass.
    """
    namespace = sys._getframe(1).f_globals
    try:
        one = exercise(exercise_id)
        found = verdict(one, namespace.get(one.answer, ...))
        _remember(found)
        said, done = str(found), found.state == DONE
    except NoSuchExercise as error:
        said, done = str(error), False
    except BaseException as error:  # a fault of the course, or Ctrl-C: a learner still gets a sentence
        said, done = f"{exercise_id} · {NOT_YET}: the check itself stopped ({type(error).__name__}: {error})", False
    if "NBGRADER_EXECUTION" in os.environ and not done:
        raise NotDone(said)
    print(said)


def _remember(found: Verdict) -> None:
    memory = _memory.setdefault(found.id, Memory())
    if found.state != NOT_ATTEMPTED:
        memory.tries += 1
        memory.picked = found.hint


def hint(exercise_id: str, number: int | None = None) -> None:
    """Print the next hint: the one that the last check named, then the others in order. `number` asks for one of them."""
    try:
        one = exercise(exercise_id)
    except NoSuchExercise as error:
        print(error)
        return
    memory, last = _memory.setdefault(one.id, Memory()), len(one.hints)
    left = [n for n in (memory.picked, *range(1, last + 1)) if n not in memory.shown]
    n = number if number is not None else left[0] if left else last
    if not isinstance(n, int) or not 1 <= n <= last:
        print(f"{one.id} has the hints 1 to {last}, and no hint {says(n)}.")
        return
    memory.shown.add(n)
    print(fill(f"{one.id} · hint {n} of {last}: {one.hints[n - 1]}"))
    if len(memory.shown) == last:
        print(f'These were all hints. After a check of your own answer there is solution("{one.id}").')


def solution(exercise_id: str) -> None:
    """Print the answer and why it is right, once an answer of the learner's own has been checked."""
    try:
        one = exercise(exercise_id)
    except NoSuchExercise as error:
        print(error)
        return
    if not _memory.setdefault(one.id, Memory()).tries:
        print(
            fill(
                f'{one.id} · first try it yourself: put an answer in {one.answer}, and run check("{one.id}"). '
                f'A wrong one is welcome, and hint("{one.id}") helps.'
            )
        )
        return
    from .notebooks import NoNotebook, solution_source

    try:
        print(f"{one.id} · one solution:\n\n{textwrap.indent(solution_source(one.id), '    ')}")
    except NoNotebook as error:
        print(fill(f"{one.id} · {error}"))
    if one.because:
        print("\n" + fill(one.because))


def show(exercise_id: str):
    """The answer to look at, in a cell of its own; a sentence where there is nothing to see yet. Never raises."""
    namespace = sys._getframe(1).f_globals
    try:
        one = exercise(exercise_id)
        if one.view is None:
            print(f"{one.id} has no picture.")
            return None
        data = one.gather(namespace.get(one.answer, ...))
        seen = f"{one.id} · nothing to see yet" if untouched(data) else one.view(data)
    except NoSuchExercise as error:
        seen = str(error)
    except BaseException as error:
        seen = f"nothing to see: {type(error).__name__}: {error}"
    if not isinstance(seen, str):
        return seen
    print(seen)
    return None
