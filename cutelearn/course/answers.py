"""What a learner bound to an answer's name, as plain data: only that is judged, so no code of theirs runs in a checker.

Plain data are ints, floats, strings, None, `...`, Layouts, lists, tuples and dicts of them. What else they may hand in
becomes `Other`; what a call of their function did becomes its value, `Refused` or `Failed`.
"""

import operator
import traceback
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from types import GeneratorType

from ..layout import Layout
from ..swizzle import ComposedLayout, Swizzle
from .guard import OutOfTime, limited, quiet

AS_THEY_ARE = (bool, int, str, float, type(None), Layout, ComposedLayout, Swizzle, type(...))
IN_ORDER = (list, range, map, zip, filter, reversed, GeneratorType, type({}.keys()), type({}.values()))
MOST = 100_000  # entries of an answer
DEEPEST = 20  # parentheses in an answer


@dataclass(frozen=True)
class Other:
    """A value that no exercise asks for; `what` says it in words, "a set"."""

    what: str


@dataclass(frozen=True)
class Refused:
    """The function raised a ValueError (a LayoutError is one): it says that there is no answer."""

    message: str


@dataclass(frozen=True)
class Failed:
    """The code raised something else, or did not end. `sentence` goes on after "your code"."""

    sentence: str


@dataclass(frozen=True)
class Calls:
    """What a function answered to each of the inputs, in order; it ends early, with Failed, where the function failed."""

    outcomes: tuple


def to_data(value, depth: int = 0):
    """The value as plain data. May run the learner's code (`__index__`, generators): call it inside `attempt`."""
    kind = type(value)
    if kind in AS_THEY_ARE:
        return value
    if depth > DEEPEST:
        return Other("something nested very deep")
    if isinstance(value, dict):
        return {to_data(k, depth + 1): to_data(v, depth + 1) for k, v in _some(value.items())}
    if isinstance(value, tuple):
        return tuple(to_data(v, depth + 1) for v in _some(value))
    if isinstance(value, IN_ORDER):
        return [to_data(v, depth + 1) for v in _some(value)]
    if hasattr(kind, "tolist"):  # numpy's arrays and numbers
        return to_data(value.tolist(), depth + 1)
    if hasattr(kind, "__index__"):
        return operator.index(value)
    if callable(value):
        return Other(f"the function {getattr(value, '__name__', kind.__name__)}")
    return Other(("an " if kind.__name__[0] in "aeiouAEIOU" else "a ") + kind.__name__)


def _some(entries: Iterable) -> list:
    some = list(islice(entries, MOST + 1))
    if len(some) > MOST:
        raise OverflowError(f"more than {MOST} entries")
    return some


def attempt(value, seconds: float):
    """`to_data(value)`, or Failed where the learner's own object does not let itself be read."""
    try:
        with quiet():
            return limited(lambda: to_data(value), seconds)
    except BaseException as error:
        return Failed(_what_happened(error, seconds, None))


def call_each(function, inputs: Sequence[tuple], seconds: float) -> Calls:
    """What `function` answers to each tuple of arguments.

    Nothing that the function prints is seen, and all calls together get so many seconds.
    """
    outcomes = []

    def call_them():
        for arguments in inputs:
            try:
                outcomes.append(to_data(function(*arguments)))
            except ValueError as error:
                outcomes.append(Refused(str(error)))

    try:
        with quiet():
            limited(call_them, seconds)
    except BaseException as error:
        outcomes.append(Failed(_what_happened(error, seconds, function)))
    return Calls(tuple(outcomes))


def _what_happened(error, seconds, function) -> str:
    if isinstance(error, OutOfTime):
        return f"was not done after {seconds:g} seconds. Is there a loop that never ends?"
    if isinstance(error, KeyboardInterrupt):
        return "was stopped by you"
    if isinstance(error, SystemExit):
        return "asked Python to stop (SystemExit). A function gives its answer with return"
    if isinstance(error, RecursionError):
        return "called itself too deep (RecursionError). Does every call come nearer to its end?"
    return f"raised {_name_and_message(error)}{_line_of(error, function)}"


def _name_and_message(error) -> str:
    try:
        message = " ".join(str(error).split())
    except BaseException:  # the learner's own exception class
        message = ""
    return f"{type(error).__name__}: {message[:300]}" if message else type(error).__name__


def _line_of(error, function) -> str:
    """The line of the learner's function that raised, for a function that was read from a cell or a file."""
    code = getattr(function, "__code__", None)
    frames = traceback.extract_tb(error.__traceback__)
    mine = [f for f in frames if code is not None and f.filename == code.co_filename and f.line]
    return f", in the line `{mine[-1].line.strip()}`" if mine else ""


def untouched(data) -> bool:
    """Whether this is still what the blank notebook binds: `...`, or a collection or a function that gives nothing else."""
    if isinstance(data, Calls):
        data = data.outcomes
    if isinstance(data, dict):
        data = list(data.values())
    if isinstance(data, (list, tuple)):
        return len(data) > 0 and all(map(untouched, data))
    return data is ...


def unfinished(data) -> list[str]:
    """Which entries are still `...`, named by key or place."""
    if isinstance(data, dict):
        entries = data.items()
    elif isinstance(data, (list, tuple)):
        entries = enumerate(data)
    else:
        return []
    return [f"{key}" for key, value in entries if value is ... or untouched(value)]
