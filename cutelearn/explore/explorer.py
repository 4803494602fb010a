"""What all explorers share: entries, the still picture, and widgets that are made when Jupyter first shows them."""

from functools import cached_property

from ..draw import Scene
from ..draw.grids import tiler_text
from ..htuple import LayoutError, Underscore, leaves, shown, text
from .fields import ChoiceField, Field, SliderField, TextField
from .state import Shown, look


class Explorer:
    """Inputs and the picture that they make. A subclass brings `fields`, `scene` and `facts`, and nothing of widgets."""

    fields: tuple[Field, ...] = ()

    def __init__(self, **entries):
        for f in self.fields:
            entries[f.name] = _checked(f, entries[f.name])
        self.shown = look(type(self), entries)

    # --- what a subclass brings

    @staticmethod
    def scene(**values) -> Scene:
        """The picture for the values of the inputs; LayoutError where they do not go together."""
        raise NotImplementedError

    @staticmethod
    def facts(**values) -> str:
        """One line of facts, above the picture."""
        return ""

    # --- state

    def change(self, name: str, entry) -> Shown:
        """Enter something into one input, and see what is shown then; the widgets follow.

        >>> from cutelearn.explore import LayoutBench
        >>> bench = LayoutBench("(4,8):(8,1)")
        >>> bench.change("layout", "(4,8):(1,4)").scene.title
        '(4,8):(1,4)'
        """
        self.shown = look(type(self), {**self.shown.entries, name: _checked(self.field(name), entry)}, self.shown, name)
        if "view" in self.__dict__:
            self.view.show()
        return self.shown

    @classmethod
    def field(cls, name: str) -> Field:
        """The input of this name; LayoutError with the names there are."""
        for f in cls.fields:
            if f.name == name:
                return f
        raise LayoutError(f"{cls.__name__} has no input {name!r}; it has {', '.join(f.name for f in cls.fields)}")

    def still(self) -> Scene:
        """The picture as it is now, as a Scene: it shows and saves itself, and `table()` says it in text."""
        return self.shown.scene

    # --- in a notebook

    @cached_property
    def view(self):
        """The widgets. ipywidgets is imported here, not before."""
        from .widgets import View

        return View(self)

    def _repr_mimebundle_(self, include=None, exclude=None) -> dict:
        """The widgets for a live kernel; the still picture and its table for a saved notebook and for nbval."""
        words = f"{self!r}\n\n{self.still().table(short=True)}"
        return {"text/plain": words, "image/svg+xml": self.shown.svg, **self.view.mime()}

    def __repr__(self) -> str:
        used = [f.name for f in self.fields if isinstance(f, TextField) and f.when(self.shown.entries)]
        said = (" ".join(self.shown.entries[n].split()) for n in used)
        return f"{type(self).__name__}({', '.join(filter(None, said))})"


def _checked(f: Field, entry):
    """An entry as a learner writes it in code: a layout object may stand for its text."""
    if isinstance(f, TextField):
        return entry if isinstance(entry, str) else "" if entry is None else _text_of(entry)
    if isinstance(f, ChoiceField):
        word = entry if isinstance(entry, str) else shown(entry)  # 32 is as good as "32"
        if word not in f.options:
            raise LayoutError(f"{f.name}={shown(entry)}: write one of {', '.join(map(repr, f.options))}")
        return word
    elif isinstance(f, SliderField) and (not isinstance(entry, int) or isinstance(entry, bool) or entry < 0):
        raise LayoutError(f"{f.name}={shown(entry)}: write an integer, 0 or more")
    return entry


def _text_of(entry) -> str:
    """The text of a layout, a shape, a coordinate or a tiler."""
    parts = leaves(entry) if isinstance(entry, tuple) else (entry,)
    plain = all(isinstance(x, int | Underscore) for x in parts)
    return text(entry) if plain else tiler_text(entry)
