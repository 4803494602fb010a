"""Answers as text: how plain data (answers.py) gets from the process that ran a notebook to the one that judges.

Strict JSON, and nothing of it is ever called: the reader takes the text apart, refuses what is too large or has another
form, and makes every object anew. An int, a float, a text, None, True and False are JSON's own; a list is a JSON list;
all else is an object with one key, the name of the type.
"""

import json
import math

from ..htuple import LayoutError
from ..layout import Layout
from ..swizzle import ComposedLayout, Swizzle
from .answers import Calls, Failed, Other, Refused

LONGEST = 20_000  # characters of one text
DEEPEST = 64
LARGEST = 1 << 4000  # an integer beyond it becomes "a huge number"; Python prints none of more than 4300 digits
SENTENCES = {"other": Other, "refused": Refused, "failed": Failed}
LAYOUTS = (Layout, ComposedLayout, Swizzle)


class BadText(ValueError):
    """What came is not what `write` makes; the message says what is wrong with it."""


def write(data) -> str:
    """Plain data as one line of JSON.

    >>> write({1: Layout((4, 2)), "b": (..., None)})
    '{"dict": [[1, {"layout": "(4,2):(1,4)"}], ["b", {"tuple": [{"dots": 0}, null]}]]}'
    """
    return json.dumps(packed(data), allow_nan=False)


def packed(data, depth: int = 0):
    """Plain data as JSON has it. What is none, by its exact type, becomes Other."""
    kind = type(data)
    if depth > DEEPEST:
        return {"other": "something nested very deep"}
    if data is None or kind is bool:
        return data
    if kind is int:
        return data if -LARGEST < data < LARGEST else {"other": "a huge number"}
    if kind is float:
        return data if math.isfinite(data) else {"float": str(data)}
    if kind is str:
        return data[:LONGEST]
    if data is ...:
        return {"dots": 0}
    if kind is list:
        return [packed(entry, depth + 1) for entry in data]
    if kind is tuple:
        return {"tuple": [packed(entry, depth + 1) for entry in data]}
    if kind is dict:
        return {"dict": [[packed(key, depth + 1), packed(value, depth + 1)] for key, value in data.items()]}
    if kind in LAYOUTS:
        return _packed_layout(data)
    if kind is Calls:
        return {"calls": [packed(outcome, depth + 1) for outcome in data.outcomes]}
    for word, sentence in SENTENCES.items():
        if kind is sentence:
            (said,) = vars(data).values()
            return {word: str(said)[:LONGEST]}
    return {"other": "a value of another kind"}


def _packed_layout(layout) -> dict:
    try:
        text = str(layout)
    except ValueError:  # an integer of too many digits
        text = ""
    if type(text) is not str or not text or len(text) > LONGEST:
        return {"other": f"a {type(layout).__name__} too large to write"}
    return {"layout": text}


def read(text: str):
    """The plain data that a line of JSON writes. Raises BadText.

    >>> read(write((Layout((4, 2)), [1.5, float("inf")])))
    ((4,2):(1,4), [1.5, inf])
    >>> read('{"layout": "4:os"}')
    Traceback (most recent call last):
    ...
    cutelearn.course.wire.BadText: this is written as a layout, and is none
    """
    try:
        return unpacked(json.loads(text, parse_constant=_no_constant))
    except BadText:
        raise
    except (ValueError, RecursionError) as error:
        raise BadText("this is no JSON") from error


def _no_constant(word):
    raise BadText(f"JSON has no {word}")


def unpacked(data, depth: int = 0):
    """What `packed` packed. Raises BadText."""
    if depth > DEEPEST:
        raise BadText("this is nested too deep")
    if data is None or isinstance(data, (bool, float)):
        return data
    if isinstance(data, int):
        if not -LARGEST < data < LARGEST:
            raise BadText("this number is too large")
        return data
    if isinstance(data, str):
        return _short(data)
    if isinstance(data, list):
        return [unpacked(entry, depth + 1) for entry in data]
    if len(data) != 1:
        raise BadText("an object here has one key")
    ((word, value),) = data.items()
    if word in ("tuple", "calls") and isinstance(value, list):
        entries = tuple(unpacked(entry, depth + 1) for entry in value)
        return entries if word == "tuple" else Calls(entries)
    if word == "dict" and isinstance(value, list) and all(isinstance(pair, list) and len(pair) == 2 for pair in value):
        return _dict(value, depth)
    if word == "layout" and isinstance(value, str):
        return _layout(_short(value))
    if word in SENTENCES and isinstance(value, str):
        return SENTENCES[word](_short(value))
    if word == "float" and value in ("nan", "inf", "-inf"):
        return float(value)
    if word == "dots":
        return ...
    raise BadText(f"there is no form {word[:20]!r}")


def _short(text: str) -> str:
    if len(text) > LONGEST:
        raise BadText("this text is too long")
    return text


def _dict(pairs: list, depth: int) -> dict:
    try:
        return {unpacked(key, depth + 1): unpacked(value, depth + 1) for key, value in pairs}
    except TypeError as error:  # a list as key
        raise BadText("this cannot be a key") from error


def _layout(text: str):
    try:
        return ComposedLayout.parse(text)
    except LayoutError as error:
        raise BadText("this is written as a layout, and is none") from error
