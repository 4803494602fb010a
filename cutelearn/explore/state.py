"""What an explorer shows for what was entered: plain data in, plain data out, no widget and no browser."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from ..draw import Scene
from ..htuple import LayoutError
from .fields import SliderField, TextField


@dataclass(frozen=True)
class Shown:
    """An explorer's entries and what they give. A bad entry has a message, and the picture is the last good one.

    entries   what stands in each input: text, a number, a word
    tops      how far each slider goes
    scene     the picture as data; `svg` and `table` are made of it
    facts     the line above the picture
    messages  for each input with a bad entry, the sentence that says what is wrong
    """

    entries: Mapping
    tops: Mapping
    scene: Scene
    facts: str = ""
    messages: Mapping = field(default_factory=dict)

    @cached_property
    def svg(self) -> str:
        return self.scene.svg()

    @cached_property
    def table(self) -> str:
        return self.scene.table()

    @property
    def message(self) -> str:
        return "\n".join(self.messages.values())


def look(explorer, entries: Mapping, last: Shown | None = None, changed: str | None = None) -> Shown:
    """What `explorer` shows for `entries`; `last` is what it showed before, `changed` the input that was touched.

    >>> from cutelearn.explore import LayoutBench
    >>> first = look(LayoutBench, {**LayoutBench().shown.entries, "cell": 19})
    >>> first.facts, first.tops
    ('size 32 · cosize 32 · bijective: every offset is met once · coalesce(A) = (4,8):(8,1)', {'cell': 31})
    >>> second = look(LayoutBench, {**first.entries, "layout": "(4,8):(8"}, first, "layout")
    >>> print(second.message, second.scene is first.scene, sep="\\n")
    cannot read this layout: this '(' is never closed
      (4,8):(8
            ^
    True

    Without a `last` there is no picture to keep: the first fault is raised as a LayoutError.
    """
    values, messages = _read(explorer, entries)
    if not messages:
        try:
            return _drawn(explorer, dict(entries), values, None if last is None else changed)
        except LayoutError as error:
            if last is None:
                raise
            if isinstance(error, _BeyondRange):
                return replace(last, entries=dict(entries), messages={changed: str(error)})
            messages = {_to_blame(explorer, changed, last): str(error)}
    if last is None:
        name, sentence = next(iter(messages.items()))
        raise LayoutError(f"{name}: {sentence}")
    return replace(last, entries=dict(entries), messages=messages)


class _BeyondRange(LayoutError):
    """A slider's number is beyond its range."""


def _read(explorer, entries) -> tuple[dict, dict]:
    """The values of all inputs in use, and a sentence for each that cannot be read."""
    values, messages = {}, {}
    for f in explorer.fields:
        entry = entries[f.name]
        if not isinstance(f, TextField):
            values[f.name] = entry
        elif not f.when(entries) or (f.may_be_empty and not entry.strip()):
            values[f.name] = None
        else:
            try:
                values[f.name] = f.read(entry)
            except LayoutError as error:
                messages[f.name] = str(error)
    return values, messages


def _drawn(explorer, entries, values, changed) -> Shown:
    """What is shown. A number beyond its range is refused where it was entered just now (None: all were); else another
    entry has made the range smaller, and the slider follows."""
    tops = {}
    for f in explorer.fields:
        if isinstance(f, SliderField):
            tops[f.name] = top = f.top(values) if f.when(entries) else entries[f.name]
            if entries[f.name] > top and changed in (None, f.name):
                raise _BeyondRange(f"{f.name} = {entries[f.name]} is out of range: it goes from 0 to {top}")
            entries[f.name] = values[f.name] = min(max(entries[f.name], 0), top)
    scene = explorer.scene(**values)
    return Shown(entries, tops, scene, explorer.facts(**values))


def _to_blame(explorer, changed, last) -> str:
    """The input under which it is said that the entries do not go together: the one touched, but never a slider."""
    names = [f.name for f in explorer.fields if not isinstance(f, SliderField)]
    if changed in names:
        return changed
    return next(iter(last.messages), names[0])
