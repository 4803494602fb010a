"""Thread picker: pick a thread, and see its cells in the tile and in memory, for either kind of partition."""

# ruff: noqa: RUF001 (a cell that n threads hold says ×n)
from dataclasses import replace

from ..draw import draw_layout, draw_tv, palette
from ..draw.tv import holders
from ..htuple import LayoutError, idx2crd, product, product_each
from ..layout import crd2idx, rank, size
from ..partition import Step, X, dealt, local_partition, tv_partition
from .explorer import Explorer
from .fields import MOST, ChoiceField, SliderField, TextField, at_most, read_layout

DEALT, TV = "a grid of threads", "a thread-value layout"
STEPS = {"all modes": None, "Step<1,X>": Step(1, X), "Step<X,1>": Step(X, 1)}


def _map(tile, threads, kind, step):
    if rank(tile) != 2:
        raise LayoutError(f"the tile {tile} has rank {rank(tile)}: give one of two modes, such as (16,8):(1,16)")
    if kind == TV and rank(threads) != 2:
        raise LayoutError(f"{threads} has rank {rank(threads)}: a thread-value layout has two modes, (threads, values)")
    tv = threads if kind == TV else dealt(product_each(tile.shape), threads, STEPS[step])
    at_most(size(tv), f"{tile} with {threads}", 4 * MOST)
    return tv


def _with_memory(tile, tv, thread):
    """Tile and memory in the colours of the threads; what the thread holds in heavy ink."""
    held = holders(tv, size(tile))

    def of(coord):
        """Who is named in a cell, the picked thread first, and how many hold it. A thread None is all of them."""
        pairs = held[crd2idx(coord, tile.shape)]
        return next((p for p in pairs if p[0] in (thread, None)), pairs[0] if pairs else None), len(pairs)

    def color(coord, _offset):
        pair, _n = of(coord)
        return pair and (palette.COPY_0 if pair[0] is None else palette.thread(pair[0]))

    def words(coord, _offset):
        pair, n = of(coord)
        if pair is None:
            return ("",)
        return ("all" if pair[0] is None else f"T{pair[0]}", f"V{pair[1]}" + f"×{n}" * (n > 1))

    picked = [idx2crd(tv(thread, v), tile.shape) for v in range(size(tv, 1))]
    note = f"in a cell: thread, value; T{thread} picked"
    return _without_arrows(draw_layout(tile, color=color, cell=words, pick=picked, names=("m", "n"), note=note))


def _without_arrows(scene):
    """Heavy boxes of one colour tie tile and memory together; arrows across the cells would cover their labels."""
    grid, memory = scene.panels
    labels = tuple(label for label in memory.labels if "→" not in label.words)
    return replace(scene, rows=((grid,), (replace(memory, labels=labels),)), arrows=())


class ThreadPicker(Explorer):
    """Who holds what: a tile dealt to threads, one thread picked out in the tile and in memory.

    tile     the layout of the tile, of rank 2
    threads  a layout of thread numbers such as `(8,4):(1,8)`, as for local_partition; or a (thread, value) layout
    kind     "a grid of threads" or "a thread-value layout"
    step     for a grid of threads, its projection: "all modes", "Step<1,X>", "Step<X,1>"
    thread   the thread that is picked

    >>> ThreadPicker("(8,4):(1,8)", "(4,2):(1,4)", thread=5).still().panel("grid").picked()
    [(1, 1), (1, 3), (5, 1), (5, 3)]
    """

    fields = (
        TextField(name="tile", label="tile", read=read_layout, hint="a layout of two modes: coordinates to memory"),
        TextField(
            name="threads", label="threads", read=read_layout, hint="a layout of thread numbers, or (threads, values)"
        ),
        ChoiceField(name="kind", label="threads are", options=(DEALT, TV)),
        ChoiceField(name="step", label="projected by", options=tuple(STEPS), when=lambda e: e["kind"] == DEALT),
        SliderField(
            name="thread",
            label="thread",
            top=lambda v: size(v["threads"] if v["kind"] == DEALT else v["threads"][0]) - 1,
        ),
    )

    def __init__(self, tile="(16,8):(1,16)", threads="(8,4):(1,8)", *, kind=DEALT, step="all modes", thread=0):
        super().__init__(tile=tile, threads=threads, kind=kind, step=step, thread=thread)

    @staticmethod
    def scene(tile, threads, kind, step, thread):
        tv = _map(tile, threads, kind, step)
        if size(tile) <= 256:
            return _with_memory(tile, tv, thread)
        return draw_tv(tv, product_each(tile.shape), thread=thread, title=str(tile))

    @staticmethod
    def facts(tile, threads, kind, step, thread):
        if kind == DEALT:
            part, start = local_partition(tile, threads, thread, STEPS[step])
        else:
            part, start = tv_partition(tile, threads, thread)
        return f"T{thread} holds {product(part.shape)} cells: {part}, offset {start}"
