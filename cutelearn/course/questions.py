"""Questions inside a lesson: `predict` before a cell is run, `quiz` at the end of it.

They print a sentence and do nothing else: no grade, no memory, no exception. A lesson stores what they print while no
answer is given, so its outputs are the same everywhere. What is asked stands in the lesson itself; here, and in
chapters/quizNN.py, stand the right answers and what the wrong ones show.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.util import find_spec

from ..htuple import LayoutError
from ..layout import Layout, size
from ..parse import parse_tuple
from .answers import Failed, attempt, untouched
from .compare import Fault, read_layout, same_function, says
from .exercises import agrees, fill, simple

SECONDS = 2  # to read an answer
FIRST = 6  # values of a layout that are shown
LONGEST = 200  # characters of a coordinate that is written as text
WAITING = "no answer yet: put yours in place of the three dots, and run the cell again"


@dataclass(frozen=True)
class Slip:
    """A wrong answer that learners give, and the sentence that speaks to it."""

    answer: object
    shows: str


@dataclass(frozen=True, kw_only=True)
class Question:
    """What a lesson asks. `form` reads what was typed, as plain data, or gives a Fault; `because` follows the right
    answer, `otherwise` every wrong one that is no Slip. With `any_modes` a layout is right in any parentheses: only the
    numbers that it gives count."""

    id: str  # "04.p1" is the first prediction of lesson 04, "04.q1" the first question of its quiz
    form: Callable[[object], object]
    answer: object
    because: str
    slips: tuple[Slip, ...]
    otherwise: str = ""
    any_modes: bool = False


# ------------------------------------------------------------------------------------------------ forms of an answer


def a_layout(data):
    """A layout or its text."""
    return read_layout(data)


def a_layout_or_none(data):
    """A layout or its text, or None for "there is none"."""
    return None if data is None or (isinstance(data, str) and simple(data) == "none") else read_layout(data)


def an_integer(data):
    if isinstance(data, int) and not isinstance(data, bool):
        return data
    if isinstance(data, float) and data.is_integer():  # as 128 / 4 is
        return int(data)
    if isinstance(data, str) and data.strip().removeprefix("-").isdigit():
        return Fault(f"{says(data)} is text. Write the number without quotes")
    return Fault(f"{says(data)} is not an integer. Write one number")


def integers(data):
    """A list of integers; a tuple will do."""
    if not isinstance(data, (list, tuple)):
        return Fault(f"{says(data)} is not a list. Write the numbers in brackets: [0, ...]")
    read = [an_integer(entry) for entry in data]
    return next((entry for entry in read if isinstance(entry, Fault)), read)


def a_coordinate(data):
    """An integer or integers in round parentheses, nested or not; or the text of such."""
    return _in_parentheses(data, "a coordinate")


def a_shape(data):
    """Extents in round parentheses, nested or not; or the text of such."""
    return _in_parentheses(data, "a shape")


def _in_parentheses(data, what):
    if isinstance(data, str) and len(data) <= LONGEST:
        try:
            data = parse_tuple(data)
        except LayoutError as error:
            return Fault(str(error))
    if _is_coordinate(data):
        return data
    return Fault(f"{says(data)} is not {what}. Write integers in round parentheses, such as (0, 1)")


def _is_coordinate(data) -> bool:
    if isinstance(data, tuple):
        return len(data) > 0 and all(map(_is_coordinate, data))
    return isinstance(data, int) and not isinstance(data, bool)


def one_of(*words: str) -> Callable[[object], object]:
    """One of a few words or letters."""

    def form(data):
        word = simple(data) if isinstance(data, str) else None
        return word if word in words else Fault(f"{says(data)} is none of {', '.join(map(repr, words))}")

    return form


# ------------------------------------------------------------------------------------------------ what is said


def reply(question: Question, value=...) -> str:
    """The sentence for an answer.

    >>> asked = Question(id="00.p1", form=an_integer, answer=19, because="2 * 8 + 3", slips=(Slip(13, "..."),))
    >>> reply(asked, 19)
    '00.p1 · yes: 2 * 8 + 3'
    """
    data = ... if value is ... else attempt(value, SECONDS)
    if untouched(data):
        return f"{question.id} · {WAITING}"
    return f"{question.id} · {_opinion(question, data)}"


def _opinion(question, data) -> str:
    if isinstance(data, Failed):
        return f"your answer {data.sentence}"
    read = question.form(data)
    if isinstance(read, Fault):
        return read.sentence
    right = same_function if question.any_modes else _same
    if right(question.answer, read):
        return f"yes: {question.because}"
    shown = next((slip.shows for slip in question.slips if _same(question.form(slip.answer), read)), None)
    return f"not this: {shown or _otherwise(question, read)}"


def _same(a, b) -> bool:
    return b is None if a is None else agrees(a, b)


def _otherwise(question, read) -> str:
    """What a layout gives that is no Slip, so far that it is seen to be wrong; `otherwise` for all else."""
    if not isinstance(read, Layout):
        return question.otherwise
    wanted = question.answer
    if isinstance(wanted, Layout) and same_function(wanted, read):
        extents = " and ".join(str(size(mode)) for mode in wanted)
        return (
            f"{says(read)} gives the right numbers. But its modes are not of {extents} cells, as those that are wanted"
        )
    gives = ", ".join(str(read(i)) for i in range(min(size(read), FIRST)))
    gives += " and so on" if size(read) > FIRST else ""
    if isinstance(wanted, Layout):
        both = range(min(size(read), size(wanted), LONGEST))
        differ = next((i for i in both if read(i) != wanted(i)), None)
        if differ is not None and differ >= FIRST:
            gives += f", and {read(differ)} at index {differ}, where it should be {wanted(differ)}"
    return f"{says(read)} gives {gives}. {question.otherwise}"


# ------------------------------------------------------------------------------------------------ in a lesson


class NoSuchQuestion(LookupError):
    """There is no question with this id; the message says which there are."""


@cache
def questions_of(chapter: str) -> dict[str, Question]:
    """id -> question, in order; none for a lesson that asks nothing."""
    name = f"{__package__}.chapters.quiz{chapter}"
    if not chapter.isalnum() or find_spec(name) is None:
        return {}
    return {question.id: question for question in import_module(name).QUESTIONS}


def question(question_id) -> Question:
    """The question with this id. Raises NoSuchQuestion with a sentence."""
    found = questions_of(question_id[:2]) if isinstance(question_id, str) else {}
    if not found:
        raise NoSuchQuestion(f'{says(question_id)} is no question: write one such as "04.p1"')
    if question_id not in found:
        raise NoSuchQuestion(f"{says(question_id)} is no question: lesson {question_id[:2]} asks {', '.join(found)}")
    return found[question_id]


def predict(question_id: str, answer=..., *more) -> None:
    """Print what there is to say to an answer. Nothing depends on it, and it never raises."""
    print(_never_raising(lambda: _reply_to_one(question_id, answer, more)))


def _reply_to_one(question_id, answer, more) -> str:
    if more:
        return (
            f"{question_id} · one answer goes in, and you gave {1 + len(more)}: put several numbers in brackets, [0, 1]"
        )
    return reply(question(question_id), answer)


def quiz(chapter: str, *answers) -> None:
    """Print what there is to say to the answers of a lesson's quiz, in order."""
    print(_never_raising(lambda: _replies(chapter, answers)))


def _replies(chapter, answers) -> str:
    asked = [one for one in questions_of(str(chapter)).values() if ".q" in one.id]
    if not asked:
        raise NoSuchQuestion(f'{says(chapter)} is no lesson with a quiz: write its number as text, such as "04"')
    if len(answers) > len(asked):
        raise NoSuchQuestion(
            f"the quiz of lesson {chapter} has {len(asked)} questions, and you gave {len(answers)} answers"
        )
    if len(answers) == 1 and isinstance(answers[0], str) and len(answers[0]) == len(asked):
        answers = tuple(answers[0])  # "abc" for "a", "b", "c"
    given = [*answers, *[...] * (len(asked) - len(answers))]
    if all(answer is ... for answer in given):
        return f"quiz · {WAITING}"
    said = [reply(one, answer) for one, answer in zip(asked, given, strict=True)]
    right = sum(f"{one.id} · yes" in line for one, line in zip(asked, said, strict=True))
    return "\n".join([*said, f"{right} of {len(asked)}"])


def _never_raising(say: Callable[[], str]) -> str:
    try:
        return fill(say())
    except NoSuchQuestion as error:
        return str(error)
    except BaseException as error:  # a fault of the course, or Ctrl-C: a learner still gets a sentence
        return f"the question itself stopped ({type(error).__name__}: {error})"
