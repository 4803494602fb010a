"""The inputs of an explorer as data: how a text is read, how far a slider goes, what a menu offers. No widget here."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from ..algebra import parse_tiler
from ..htuple import LayoutError, Underscore, leaves
from ..layout import Layout, size
from ..parse import parse_tuple
from ..swizzle import ComposedLayout, Swizzle


def always(_entries) -> bool:
    return True


@dataclass(frozen=True, kw_only=True)
class Field:
    """An input: its name in the code, its label on the screen, and when it is of use (it hides when it is not)."""

    name: str
    label: str
    when: Callable[[Mapping], bool] = always


@dataclass(frozen=True, kw_only=True)
class TextField(Field):
    """A line of text. `read` turns it into a value or raises LayoutError; an empty line is None where it may be empty."""

    read: Callable[[str], object]
    hint: str  # what may stand here; shown beneath while all is well
    may_be_empty: bool = False
    known: Callable[[], tuple[str, ...]] | None = None  # texts to choose from


@dataclass(frozen=True, kw_only=True)
class SliderField(Field):
    """An integer from 0 to `top(values)`, which depends on the other inputs."""

    top: Callable[[Mapping], int]


@dataclass(frozen=True, kw_only=True)
class ChoiceField(Field):
    """One of a few words."""

    options: tuple[str, ...]


# ------------------------------------------------------------------------------------------------ reading

MOST = 4096  # cells: an explorer answers while one types, so it takes what can be drawn in a tenth of a second


def at_most(n: int, what: str, most: int = MOST) -> None:
    """Refuses what would make the learner wait: LayoutError where `what` has more than `most` cells."""
    if n > most:
        raise LayoutError(
            f"{what} has {n} cells; an explorer redraws while you type and takes at most {most}. Look at a part of it here, "
            f"and draw the whole with cutelearn.draw"
        )


def read_layout(source: str) -> Layout:
    """A layout from CuTe's print or C++ source; LayoutError where it has more cells than an explorer draws."""
    return small(Layout.parse(source), source)


def read_any_layout(source: str):
    """A layout, or a swizzled one such as `Sw<3,3,3> o 0 o (8,64):(64,1)`."""
    if not any(word in source for word in ("Sw", " o ", "composition")):
        return read_layout(source)
    layout = ComposedLayout.parse(source)
    if isinstance(layout, Swizzle):
        raise LayoutError(f"{layout} alone has no cells: write it over a layout, as {layout} o 0 o (8,64):(64,1)")
    return small(layout, source)


def read_tiler(source: str):
    """A tiler: a tuple goes mode by mode, a layout is one 1-D function."""
    tiler = parse_tiler(source)
    if isinstance(tiler, Underscore):
        raise LayoutError("_ alone leaves all as it is: write a layout, or a tuple in which _ stands for one mode")
    for leaf in leaves(tiler) if isinstance(tiler, tuple) else (tiler,):
        if isinstance(leaf, Layout):
            small(leaf, source)
        elif not isinstance(leaf, int | Underscore):
            raise LayoutError(f"{source.strip()!r} is no tiler: write a layout, or a tuple of integers, layouts and _")
    return tiler


def read_coordinate(source: str):
    """A coordinate, in which `_` keeps a mode."""
    return parse_tuple(source)


def small(layout, source: str):
    """The layout, if an explorer can draw it while one types."""
    at_most(size(layout), source.strip())
    return layout
