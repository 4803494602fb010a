"""How objects show themselves in a notebook: which picture belongs to which object. Their `_repr_mimebundle_` asks here.

Objects are known by what they have, not by their class, so that this file imports none of them.
"""

from ..htuple import LayoutError
from .copies import draw_copy, draw_copy_atom, draw_ldmatrix
from .layouts import draw_layout
from .scene import Scene
from .tensors import draw_tensor
from .tv import draw_mma


def picture(x) -> Scene:
    """The picture of an object: a layout's grid, a tensor over its engine, an MMA in corner view, a copy's two sides.

    >>> from cutelearn import Layout
    >>> picture(Layout((2, 3))).title
    '(2,3):(1,2)'

    Raises LayoutError for anything else.
    """
    if isinstance(x, Scene):
        return x
    if hasattr(x, "layoutA_TV") or hasattr(x, "a_layout"):
        return draw_mma(x)
    if hasattr(x, "layoutS_TV"):
        return draw_copy(x)
    if hasattr(x, "src_layout"):
        return draw_ldmatrix(x) if getattr(x, "memory_side", "none") != "none" else draw_copy_atom(x)
    if hasattr(x, "engine"):
        return draw_tensor(x)
    if hasattr(x, "shape") and callable(x):
        return draw_layout(x)
    raise LayoutError(
        f"there is no picture of {x!r}: give a layout, a tensor, an atom, a TiledMMA, a TiledCopy or a Scene"
    )


def bundle(x) -> dict:
    """What Jupyter shows of an object: its picture as SVG, and as text its print with the picture's table, cut short.

    An object that has no picture (an atom that moves a whole tile by itself, say) shows its print alone.
    """
    first = repr(x)
    try:
        scene = picture(x)
    except LayoutError:
        return {"text/plain": first if str(x) == first else f"{first}\n\n{x}"}
    table = scene.table(short=True)
    return {"image/svg+xml": scene.svg(), "text/plain": table if table.startswith(first) else f"{first}\n\n{table}"}
