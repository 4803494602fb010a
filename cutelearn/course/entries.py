"""What chapters share whose answers are dicts: what judges an entry, and wrong entries however they are spelled.

What judges a whole answer, and lists and layouts, stands in compare.py.
"""

from collections.abc import Callable, Iterable

from .compare import Fault, dict_fault, first_difference, says
from .exercises import Wrong
from .questions import a_shape


def each_fault(data, judge: Callable[[object, object], Fault | None], keys: Iterable) -> Fault | None:
    """`dict_fault` where one function judges all entries: it gets the key and the entry."""
    return dict_fault(data, {key: lambda entry, key=key: judge(key, entry) for key in keys})


def number_fault(answer, wanted: int, what: str, form: str = "") -> Fault | None:
    """Whether the answer is this integer. `what` goes on after "5 is not", `form` after "... is not a number".

    >>> print(number_fault(5, 8, "how many rows there are").sentence)
    5 is not how many rows there are
    """
    if type(answer) is not int:
        return Fault(f"{says(answer)} is not a number{form}")
    return None if answer == wanted else Fault(f"{says(answer)} is not {what}")


def are_ints(answer, count: int) -> bool:
    """Whether the answer is a list or a tuple of so many integers."""
    return isinstance(answer, (tuple, list)) and len(answer) == count and all(type(x) is int for x in answer)


def shape_fault(answer, wanted: tuple, about: str | Callable[[int], str], has: str = "there are") -> Fault | None:
    """Whether the answer is this shape, as a tuple or as text. `about` says more of a mode that is another; a function
    is asked with its number. `has` stands before the right count of modes.

    >>> print(shape_fault("(4,2)", (4, 8), "What is cut: A").sentence)
    (4,2) is not it: mode 1 is another. What is cut: A
    >>> print(shape_fault(4, (4, 8), "What is cut: A").sentence)
    4 has 1 mode, and there are 2
    """
    shape = a_shape(answer)
    if isinstance(shape, Fault) or shape == wanted:
        return shape if isinstance(shape, Fault) else None
    modes = len(shape) if isinstance(shape, tuple) else 1
    if modes != len(wanted):
        return Fault(f"{says(shape)} has {modes} mode{'s' * (modes != 1)}, and {has} {len(wanted)}")
    at = first_difference(shape, wanted)
    return Fault(f"{says(shape)} is not it: mode {at} is another. {about if isinstance(about, str) else about(at)}")


# ------------------------------------------------------------------------------------------------ wrong entries


def slip(key, value, shows: str, hint: int, read: Callable[[object], object] = lambda entry: entry) -> Wrong:
    """A wrong entry; `read` takes what was typed to its one form. What it shows is said after the key."""

    def like(data):
        return isinstance(data, dict) and key in data and read(data[key]) == value

    return Wrong({key: value}, f"{key}: {shows}", hint, like)


def shape_slip(key, shape, shows: str, hint: int) -> Wrong:
    """A wrong shape, whether it was written as a tuple or as text."""
    return slip(key, shape, shows, hint, a_shape)


def list_slip(key, numbers: Iterable[int], shows: str, hint: int) -> Wrong:
    """A wrong list of numbers; a tuple is as good."""
    return slip(key, list(numbers), shows, hint, lambda entry: list(entry) if isinstance(entry, tuple) else entry)
