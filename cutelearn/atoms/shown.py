"""How atoms and tilings show themselves: CuTe's print, and in a notebook a picture."""

import re

from ..htuple import LayoutError


def with_underscores(printed: str) -> str:
    """A print with CuTe's underscores on its numbers, which are all static.

    >>> with_underscores("((4,8),2):((16,1),8)")
    '((_4,_8),_2):((_16,_1),_8)'
    """
    return re.sub(r"(?<![\w@-])(-?\d+)(?![\db])", r"_\1", printed)


class Shown:
    """An object with CuTe's print as its `text`; a notebook shows its picture, with the picture's facts as text."""

    def text(self, static: bool = False) -> str:
        """CuTe's print; `static` puts the underscores in."""
        raise NotImplementedError

    def __str__(self):
        return self.text()

    def _repr_mimebundle_(self, include=None, exclude=None):
        from ..draw.show import bundle

        try:
            return bundle(self)
        except LayoutError:  # too large for a picture, or of a kind that has none
            return {"text/plain": f"{self!r}\n\n{self}"}
