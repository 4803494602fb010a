"""How atoms and tilings show themselves: CuTe's print, and in a notebook a picture."""

import re

from ..htuple import LayoutError, shown


def with_underscores(printed: str) -> str:
    """A print with CuTe's underscores on its numbers, which are all static.

    >>> with_underscores("((4,8),2):((16,1),8)")
    '((_4,_8),_2):((_16,_1),_8)'
    """
    return re.sub(r"(?<![\w@-])(-?\d+)(?![\db])", r"_\1", printed)


_MAKERS = {"MMA": "make_tiled_mma", "Copy": "make_tiled_copy"}
_OF_A_THREAD = {
    "MMA": """partition_A partition_B partition_C partition_fragment_A partition_fragment_B partition_fragment_C
        make_fragment_A make_fragment_B make_fragment_C""",
    "Copy": "partition_S partition_D retile_S retile_D",
}


def absent(x, name: str) -> str:
    """What to say where `x.name` is asked for and is not there: which object has it, and how to get that one.

    >>> absent(5, "partition_S")
    "partition_S is a ThrCopy's, and 5 is none: write make_tiled_copy(...).get_slice(thread).partition_S(...)"
    """
    kind = type(x).__name__
    for family, names in _OF_A_THREAD.items():
        if name not in names.split():
            continue
        if kind == f"Tiled{family}":
            return (
                f"{name} is one thread's, and a {kind} is all {x.num_threads} threads': take one of them first, "
                f"get_slice(thread).{name}(...)"
            )
        what = f"a {kind}" if isinstance(x, Shown) else shown(x)
        return (
            f"{name} is a Thr{family}'s, and {what} is none: write {_MAKERS[family]}(...).get_slice(thread).{name}(...)"
        )
    return f"a {kind} has no {name!r}"


def need(x, how: str, **kinds) -> None:
    """Refuses an object whose part is not of its kind: LayoutError that says `how` it is made."""
    for name, kind in kinds.items():
        part = getattr(x, name)
        if not isinstance(part, kind):
            raise LayoutError(
                f"{type(x).__name__}: its {name} is a {kind.__name__}, not {shown(part)} ({type(part).__name__}): {how}"
            )


class Shown:
    """An object with CuTe's print as its `text`; a notebook shows its picture, with the picture's facts as text."""

    def text(self, static: bool = False) -> str:
        """CuTe's print; `static` puts the underscores in."""
        raise NotImplementedError

    def __str__(self):
        return self.text()

    def __getattr__(self, name):
        raise AttributeError(absent(self, name))

    def _repr_mimebundle_(self, include=None, exclude=None):
        from ..draw.show import bundle

        try:
            return bundle(self)
        except LayoutError:  # too large for a picture, or of a kind that has none
            return {"text/plain": f"{self!r}\n\n{self}"}
