"""What checkers and tests share: reading a layout that may be text, comparing by function, and "yours beside wanted".

A comparison gives None where all is well, else a `Fault`: one sentence, and a table with the first wrong place marked.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from ..algebra import coalesce
from ..htuple import LayoutError, compatible, congruent, idx2crd, product, text
from ..layout import Layout, rank, size
from .answers import Failed, Other, Refused

ROWS_BEFORE = 3  # of a table, above its first wrong row
WIDEST = 40  # characters of a value in a sentence or a table
LONGEST = 1000  # characters of a layout that is written as text


@dataclass(frozen=True)
class Fault:
    """What is wrong with an answer: one sentence, and the answer beside the wanted one as a table.

    `at` is the key of the wrong entry where the answer is a dict.
    """

    sentence: str
    beside: str = ""
    at: object = None


def says(value) -> str:
    """A value in a sentence, never long."""
    if value is ...:
        return "..."
    if isinstance(value, Other):
        return value.what
    if isinstance(value, Refused):
        return "refused"
    if isinstance(value, Failed):
        return "failed"
    if isinstance(value, int) and abs(value) >= 10**20:
        return "a huge number"
    try:
        written = text(value) if isinstance(value, tuple) else repr(value) if isinstance(value, str) else str(value)
    except ValueError:  # an integer inside it has too many digits to print
        return "something huge"
    return written if len(written) <= WIDEST else written[: WIDEST - 3] + "..."


# ------------------------------------------------------------------------------------------------ layouts


def read_layout(answer) -> Layout | Fault:
    """The layout that an answer is or writes; a Fault that says why it is none."""
    if isinstance(answer, Layout):
        return answer
    if isinstance(answer, str) and answer.strip().casefold() == "none":
        answer = None
    if isinstance(answer, str):
        if len(answer) > LONGEST:
            return Fault(f"this text has {len(answer)} characters, and is no layout")
        try:
            return Layout.parse(answer)
        except LayoutError as error:
            return Fault(str(error))
    if isinstance(answer, tuple):
        if len(answer) == 2 and all(isinstance(part, tuple) for part in answer) and congruent(*answer):
            return Fault(
                f"{says(answer)} is a tuple, not a layout. Write Layout{says(answer)}, if these are shape and stride"
            )
        return Fault(f"{says(answer)} is a tuple, not a layout. A layout has strides too: Layout(shape, stride)")
    if answer is None:
        return Fault("None says that there is no such layout, and there is one")
    if isinstance(answer, Refused):
        return Fault(f"refused: {answer.message}")
    return Fault(f"{says(answer)} is not a layout. Write a Layout, or its text such as '(4,6):(6,1)'")


def values(layout: Layout) -> list[int]:
    """The layout at 0, 1, ..., size - 1."""
    return [layout(i) for i in range(size(layout))]


def same_function(a: Layout, b: Layout) -> bool:
    """Whether both have one size and give the same at every 1-D coordinate, however they are spelled."""
    if size(a) != size(b):
        return False
    return coalesce(a) == coalesce(b) or all(a(i) == b(i) for i in range(size(a)))  # equal forms are quick to see


def same_view(a: Layout, b: Layout) -> bool:
    """The same function, and the same rows and columns: modes of one cell and parentheses aside.

    >>> a = Layout((6, 4), (4, 1))
    >>> same_view(a, Layout(((2, 3), 4, 1), ((4, 8), 1, 0))), same_view(Layout((6, 4)), Layout((4, 6)))
    (True, False)
    """
    extents = ([size(m) for m in x if size(m) > 1] for x in (a, b))
    return len({tuple(e) for e in extents}) == 1 and same_function(a, b)


def layout_fault(answer, wanted: Sequence[int], shape=None, name: str = "the layout", most: int = 4096) -> Fault | None:
    """Whether the answer is a layout with these values, one for each 1-D coordinate, and takes coordinates of `shape`."""
    yours = read_layout(answer)
    if isinstance(yours, Fault):
        return yours
    if size(yours) != len(wanted):
        return Fault(
            f"{name}, {says(yours)}, has size {says(size(yours))}, and {len(wanted)} are wanted",
            _sizes(yours, wanted, most),
        )
    if shape is not None and not compatible(shape, yours.shape):
        its = f"its shape is {says(yours.shape)}"
        return Fault(f"{name}, {says(yours)}, does not take the coordinates of {text(shape)}: {its}")
    got = values(yours)
    if got == list(wanted):
        return None
    at = first_difference(got, wanted)
    if shape is not None and rank(shape) == 2:
        where, beside = text(idx2crd(at, shape)), grids(got, wanted, shape)
    else:
        where, beside = str(at), beside_values(got, wanted)
    return Fault(f"{name} gives {got[at]} at {where}, and {wanted[at]} is wanted", beside)


def _sizes(yours, wanted, most):
    got = [yours(i) for i in range(min(size(yours), len(wanted) + 1, most))]
    return beside_values(got, wanted)


# ------------------------------------------------------------------------------------------------ lists and dicts


def ints_fault(answer, wanted: Sequence[int], index: str = "i") -> Fault | None:
    """Whether the answer is this list of integers."""
    if not isinstance(answer, (list, tuple)):
        return Fault(f"{says(answer)} is not a list. Write {len(wanted)} numbers in brackets, [...]")
    for i, number in enumerate(answer):
        if not isinstance(number, int):
            return Fault(f"entry {i} is {says(number)}, not an integer")
    at = first_difference(answer, wanted)
    if at is None:
        return None
    if len(answer) != len(wanted) and at == min(len(answer), len(wanted)):
        return Fault(f"you have {len(answer)} values, and {len(wanted)} are wanted", beside_values(answer, wanted))
    return Fault(f"at {index} = {at} you have {says(answer[at])}", beside_values(answer, wanted, index))


def dict_fault(answer, judges: dict) -> Fault | None:
    """Whether the answer is a dict whose entries pass: `judges` gives for each key what judges its entry."""
    keys = ", ".join(map(str, judges))
    if not isinstance(answer, dict):
        return Fault(f"{says(answer)} is not a dict. Keep the form {{key: answer, ...}} with the keys {keys}")
    if missing := [key for key in judges if key not in answer]:
        return Fault(f"there is no entry for {missing[0]}; the keys are {keys}", at=missing[0])
    for key, judge in judges.items():
        if found := judge(answer[key]):
            return Fault(f"entry {key}: {found.sentence}", found.beside, at=key)
    return None


# ------------------------------------------------------------------------------------------------ tables


def first_difference(yours: Sequence, wanted: Sequence) -> int | None:
    """The first place where the two differ or one of them has ended; None where they are equal."""
    for i, (a, b) in enumerate(zip(yours, wanted, strict=False)):
        if a != b:
            return i
    return None if len(yours) == len(wanted) else min(len(yours), len(wanted))


def beside_values(yours: Sequence, wanted: Sequence, index: str = "i") -> str:
    """Two lists as columns, up to the first place where they differ: what comes after stays for the learner."""
    at = first_difference(yours, wanted)
    rows = [
        (i, yours[i] if i < len(yours) else "-", wanted[i] if i < len(wanted) else "-")
        for i in range((len(wanted) if at is None else at) + 1)
        if i < max(len(yours), len(wanted))
    ]
    return table((index, "yours", "wanted"), rows, wrong=at)


def table(header: Sequence[str], rows: Sequence[Sequence], wrong: int | None = None) -> str:
    """Rows under a header, columns right-aligned, the wrong row marked and the rows far above it left out.

    >>> print(table(("i", "yours", "wanted"), [(0, 0, 0), (1, 2, 12)], wrong=1))
      i  yours  wanted
      0      0       0
      1      2      12   <- here
    """
    cells = [[cell if isinstance(cell, str) else says(cell) for cell in row] for row in rows]
    skipped = 0 if wrong is None else max(0, wrong - ROWS_BEFORE)
    shown = cells[skipped:]
    above = [header, ["..."] * len(header)] if skipped else [header]
    widths = [max(map(len, column)) for column in zip(*above, *shown, strict=True)]
    lines = [_line(row, widths) for row in above]
    for i, row in enumerate(shown, skipped):
        lines.append(_line(row, widths) + ("   <- here" if i == wrong else ""))
    return "\n".join(lines)


def _line(cells, widths) -> str:
    return "  " + "  ".join(cell.rjust(width) for cell, width in zip(cells, widths, strict=True))


def grids(yours: Sequence, wanted: Sequence, shape) -> str:
    """Two matrices of this rank-2 shape side by side, their values by 1-D coordinate; `[ ]` marks the first wrong cell.

    >>> print(grids([0, 1, 2, 3], [0, 1, 3, 2], (2, 2)))
      yours    wanted
       0 [2]    0 [3]
       1  3     1  2
    """
    at = first_difference(yours, wanted)
    rows, columns = product(shape[0]), product(shape[1])
    yours, wanted = ([v if isinstance(v, str) else says(v) for v in half] for half in (yours, wanted))
    width = max(map(len, (*yours, *wanted)))
    half_width = max((width + 2) * columns, len("yours"))
    lines = [f"  {'yours':{half_width}}   wanted"]
    for i in range(rows):
        left, right = (
            "".join(_cell(half[i + rows * j], width, i + rows * j == at) for j in range(columns))
            for half in (yours, wanted)
        )
        lines.append(f"  {left:{half_width}}   {right}")
    return "\n".join(line.rstrip() for line in lines)


def _cell(value, width, marked):
    return f"[{value.rjust(width)}]" if marked else f" {value.rjust(width)} "
