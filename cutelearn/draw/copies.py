"""Pictures of copies: source and destination of a TiledCopy, a copy atom by itself, ldmatrix and stmatrix."""

# ruff: noqa: RUF001 (pictures use the signs × and –)

from dataclasses import replace

from ..htuple import LayoutError, text
from ..layout import rank, size
from ..views import upcast
from .grids import LIMIT, cut_note, need_layout, refuse_more
from .scene import Axis, Entry, Legend, Level, Panel, Scene
from .tv import TALL, Picks, by_number, check_color, check_picks, holders, pair, thread_legend, threads_of, tile_panel


def draw_copy(
    copy=None,
    *,
    thread=None,
    value=None,
    color="thread",
    shape=None,
    src=None,
    dst=None,
    names=("m", "n"),
    title=None,
    limit=LIMIT,
) -> Scene:
    """Source and destination of a TiledCopy side by side: which thread reads what, and who ends up with it.

    `copy` is a TiledCopy, or any object with `tile_shape`, `layoutS_TV` and `layoutD_TV`; or give `shape`, `src` and `dst`.

    >>> from cutelearn import Layout
    >>> tv = Layout((8, 4), (4, 1))
    >>> scene = draw_copy(shape=(8, 4), src=tv, dst=tv, thread=2)
    >>> scene.panel("source").picked() == scene.panel("destination").picked() == [(0, 1), (1, 1), (2, 1), (3, 1)]
    True
    """
    check_color(color)
    if copy is not None:
        if not hasattr(copy, "layoutS_TV"):
            raise LayoutError(f"draw_copy: {copy!r} is no TiledCopy; a copy atom is drawn by draw_ldmatrix or draw_tv")
        shape, src, dst = copy.tile_shape, copy.layoutS_TV, copy.layoutD_TV
        title = title or f"{copy.atom.name}  {text(shape)}"
    elif None in (shape, src, dst):
        raise LayoutError("draw_copy: give a TiledCopy, or shape, src and dst")
    m, n = pair(shape)
    check_picks("draw_copy", thread, value, *_all_of(src, dst))
    picks = Picks(thread, value)
    w = max(26, min(34, int(430 / min(n, 18))))
    panels, everyone, shared = [], [], False
    for name, tv in (("source", src), ("destination", dst)):
        held = holders(tv, m * n)
        everyone += threads_of(held)
        shared = shared or any(len(pairs) > 1 for pairs in held)
        panels.append(
            tile_panel(
                name,
                held,
                m,
                n,
                lambda i, j: i + j * m,
                picked=lambda pairs, i, j: picks(pairs),
                names=names,
                caption=name,
                heading=str(tv),
                color=color,
                cell=(w, min(w, 28)),
                limit=None if limit is None else min(limit, TALL),
            )
        )
    if color == "thread":
        legend = thread_legend(everyone, picks, shared=shared)
    else:
        legend = Legend(f"colour: {color}", tuple(Entry(k, (v,)) for k, v in by_number(panels[0].fills)))
    note = f"{size(src, 0)} threads, {size(src, 1)} values each, on {m}×{n}; in a cell: thread, value"
    if any(c.faint for p in panels for c in p.cells):
        note += f" · {cut_note(len(panels[0].cells), m * n)}"
    return Scene(title or "copy", note, (tuple(panels), (legend,)), gap=(48, 26))


def _all_of(src, dst) -> tuple[range, int]:
    """The threads of a copy, and how many values each has, on the side that has more."""
    for tv in (src, dst):
        need_layout(tv, "a picture of a copy", "each side")
        if rank(tv) != 2:
            raise LayoutError(f"each side of a copy has two modes, threads and values; {tv} has {rank(tv)}")
    return range(min(max(size(src, 0), size(dst, 0)), 1 << 20)), max(size(src, 1), size(dst, 1))


def draw_copy_atom(atom, *, bits=None, thread=None, title=None) -> Scene:
    """A copy atom: what each lane gives and gets, in units of the value type (of bytes where there is none).

    >>> from cutelearn import copy_atom
    >>> draw_copy_atom(copy_atom("UniversalCopy<uint128_t>", "float")).panel("source").at(0, 3).lines
    ('T0', 'V3')
    """
    if not hasattr(atom, "src_layout"):
        raise LayoutError(f"draw_copy_atom: {atom!r} is no copy atom")
    value_type = getattr(atom, "value_type", None)
    bits = bits or (value_type.bits if value_type is not None else 8)
    src, dst = upcast(atom.src_layout, bits), upcast(atom.dst_layout, bits)
    count = max(int(tv.offsets().max()) for tv in (src, dst)) + 1
    if count > LIMIT:
        raise LayoutError(
            f"draw_copy_atom: {atom.name} moves {count} elements of {bits} bits by itself: too many for a picture"
        )
    across = min(count, 16)
    shape = (-(-count // across), across)
    check_picks("draw_copy_atom", thread, None, *_all_of(src, dst))
    panels, everyone, picks = [], [], Picks(thread)
    for name, tv in (("source", src), ("destination", dst)):
        held = holders(tv, count)
        held += [[] for _rest in range(shape[0] * across - count)]
        everyone += threads_of(held)
        panels.append(
            tile_panel(
                name,
                held,
                *shape,
                lambda i, j: i * across + j,
                picked=lambda pairs, i, j: picks(pairs),
                names=("", ""),
                caption=name,
                cell=(30, 30),
            )
        )
    note = f"{size(src, 0)} lanes, {size(src, 1)} × {bits} bits each; in a cell: lane, value"
    return Scene(title or atom.name, note, (tuple(panels), (thread_legend(everyone, picks),)), gap=(44, 26))


def draw_ldmatrix(atom=None, *, bits=None, src=None, dst=None, thread=None, title=None) -> Scene:
    """ldmatrix (or stmatrix) by its 8x8 matrices: the lanes that give an address beside the lanes that hold the values.

    `atom` is a CopyAtom; without a value type give `bits`. Or give the value layouts `src` and `dst`.

    >>> from cutelearn import copy_atom
    >>> scene = draw_ldmatrix(copy_atom("SM75_U32x1_LDSM_N", "half_t"))
    >>> scene.panel("address").at(3, 0).lines, scene.panel("values").at(3, 0).lines
    (('T3', 'V0×4'), ('T12', 'V0'))
    """
    stores = False
    if atom is not None:
        if not hasattr(atom, "src_layout"):
            raise LayoutError(f"draw_ldmatrix: {atom!r} is no copy atom")
        bits = bits or (atom.value_type.bits if getattr(atom, "value_type", None) is not None else 16)
        src, dst = upcast(atom.src_layout, bits), upcast(atom.dst_layout, bits)
        title = title or atom.name
        stores = getattr(atom, "memory_side", "src") == "dst"
    elif None in (src, dst):
        raise LayoutError("draw_ldmatrix: give a copy atom, or src and dst")
    bits = bits or 16
    memory, registers = (dst, src) if stores else (src, dst)
    across = 128 // bits  # elements of a row of 16 bytes
    refuse_more(
        max(size(memory), size(registers)), LIMIT, "draw_ldmatrix", "pairs of lane and value", "give one atom's"
    )
    count = max(int(memory.offsets().max()), int(registers.offsets().max())) + 1
    refuse_more(count, LIMIT, "draw_ldmatrix", "elements", "give one atom's")
    if count % (8 * across):
        raise LayoutError(
            f"draw_ldmatrix: {count} elements of {bits} bits are no whole number of 8x8 matrices of 16-byte rows"
        )
    matrices = count // (8 * across)
    check_picks("draw_ldmatrix", thread, None, *_all_of(src, dst))
    picks = Picks(thread)
    panels, everyone, shared = [], [], False
    w = max(22, min(34, int(740 / (across * matrices))))
    for name, tv in (("address", memory), ("values", registers)):
        held = holders(tv, count)
        everyone += threads_of(held)
        shared = shared or any(len(pairs) > 1 for pairs in held)
        panel = tile_panel(
            name,
            held,
            8,
            across * matrices,
            lambda i, j: j // across * 8 * across + i * across + j % across,
            picked=lambda pairs, i, j: picks(pairs),
            names=("row", ""),
            cell=(w, w),
            tile=(8, across),
            heading=f"{'addressed by' if name == 'address' else 'held by'}",
        )
        panels.append(_with_matrices(panel, across, matrices))
    if stores:
        panels.reverse()
    side_by_side = across * matrices * w <= 360
    rows = (tuple(panels),) if side_by_side else tuple((p,) for p in panels)
    note = f"{matrices} {'matrix' if matrices == 1 else 'matrices'} of 8 rows of 16 bytes ({across} × {bits} bits); in a cell: lane, value"
    legend = thread_legend(everyone, picks, shared=shared, does="addresses, and all that it holds")
    return Scene(title or "ldmatrix", note, (*rows, (legend,)), gap=(44, 26))


def _with_matrices(panel: Panel, across: int, matrices: int) -> Panel:
    """The top axis numbers the columns of each matrix, and the matrices."""
    columns = Level(tuple((c, 1, str(c % across)) for c in range(across * matrices)))
    whole = Level(tuple((across * k, across, f"matrix {k}") for k in range(matrices)), "block")
    return replace(panel, axes=(panel.axes[0], Axis("top", "", (columns, whole))))
