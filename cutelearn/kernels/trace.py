"""Walks through a kernel as one thread of it, on the host: which copies, barriers and products come, in which order.

No GPU and no simulator: the kernel's own text runs with words that note what they are asked, and move nothing. So it works alike
everywhere, takes milliseconds with the tiles of a GPU, and says of any kernel with the stages' arguments which tensors it makes
(`Walk.tensors`) and what its timeline is (`main_loop_events`). What the other threads do meanwhile, it does not say.
"""

import sys
from dataclasses import dataclass
from types import FunctionType, SimpleNamespace

import numpy as np
from numba import cuda

from .. import algorithms
from ..draw.kernels import Event
from ..htuple import LayoutError
from ..layout import rank, size
from ..tensor import Tensor
from .launch import find_stage, make_kernel
from .ptx import copy_zfill, cp_async_fence, cp_async_wait
from .stage import STRIDES

BARRIER = 0.3  # units of time
SHARED = 64 * 1024  # elements; what a launch may give


@dataclass(frozen=True)
class Action:
    """One thing that a thread does: "copy", "gemm", "barrier", "fence" or "wait"."""

    what: str
    src: Tensor | None = None  # of a copy, and A of a gemm
    dst: Tensor | None = None
    asynchronous: bool = False
    n: int = 0  # of a wait, how many groups may be on their way; of a gemm, how many steps along k it does


@dataclass(frozen=True)
class Walk:
    """What a thread did, and the tensors that it had made when it last copied, multiplied or waited, by their names in the kernel."""

    actions: tuple
    tensors: dict

    @property
    def barriers(self) -> int:
        return sum(action.what == "barrier" for action in self.actions)


def walk(kernel, tiling, k_tiles: int = 3, thread: int = 0) -> Walk:
    """A thread's way through a kernel with the stages' arguments, for one block and so many tiles along k; alpha 1, beta 0.

    >>> from .launch import STAGES
    >>> way = walk(make_kernel(STAGES["sgemm_1"], "NT", True, STAGES["sgemm_1"].tiling), STAGES["sgemm_1"].tiling, 4)
    >>> way.barriers, way.tensors["tAgA"].shape
    (8, (4, 1, 4))
    """
    (bM, bN, bK), actions = tiling.cta, []
    M, N, K = bM, bN, bK * k_tiles
    kernel = getattr(kernel, "py_func", kernel)
    kept = {}

    def noting(word):
        """The word, which also looks at what the kernel has made so far. (A profiler would see the end itself; but where an
        exception for another thread is pending, Python 3.11 does not come out of a function that it profiles.)"""

        def called(*operands):
            frame = sys._getframe(1)
            if frame.f_code is kernel.__code__:
                kept.update({name: x for name, x in frame.f_locals.items() if isinstance(x, Tensor)})
            return word(*operands)

        return called

    stand_ins = _stand_ins(actions, thread, tiling.threads, noting)
    names = {
        name: next((new for old, new in stand_ins if value is old), value) for name, value in kernel.__globals__.items()
    }
    copied = FunctionType(kernel.__code__, names, kernel.__name__, kernel.__defaults__, kernel.__closure__)
    A, B, C = (np.zeros(m * n, np.float32) for m, n in ((M, K), (N, K), (M, N)))
    copied(M, N, K, 1.0, A, max(M, K), B, max(N, K), 0.0, C, M)
    return Walk(tuple(actions), kept)


def _stand_ins(actions, thread, threads, noting) -> list:
    """(the real word, what stands in for it)."""

    def copy_by(*operands):
        mover, (src, dst) = operands[0], operands[-2:]
        atom = getattr(mover, "atom", mover)
        actions.append(Action("copy", src, dst, "CP_ASYNC" in getattr(atom, "name", "")))

    def gemm(*operands):
        by_atom = not isinstance(operands[0], Tensor)
        a = operands[by_atom]
        k = 1 + by_atom  # the mode that is k: of (M,K), or of (MMA,MMA_M,MMA_K), where one step leaves it out
        actions.append(Action("gemm", a, n=size(a, k) if rank(a) > k else 1))

    def quiet(*_operands):
        pass

    zero = SimpleNamespace(x=0, y=0, z=0)
    here = SimpleNamespace(
        threadIdx=SimpleNamespace(x=thread, y=0, z=0),
        blockIdx=zero,
        blockDim=SimpleNamespace(x=threads, y=1, z=1),
        gridDim=SimpleNamespace(x=1, y=1, z=1),
        shared=SimpleNamespace(array=lambda shape, _dtype: np.zeros(shape or SHARED, np.float32)),
        local=SimpleNamespace(array=lambda shape, _dtype: np.zeros(shape, np.float32)),
        syncthreads=noting(lambda: actions.append(Action("barrier"))),
    )
    words = [
        (algorithms.copy, copy_by),
        (algorithms.copy_if, copy_by),
        (copy_zfill, copy_by),
        (algorithms.gemm, gemm),
        (algorithms.axpby, quiet),
        (algorithms.clear, quiet),
        (cp_async_fence, lambda: actions.append(Action("fence"))),
        (cp_async_wait, lambda n: actions.append(Action("wait", n=n))),
    ]
    return [(cuda, here), *((word, noting(stand_in)) for word, stand_in in words)]


# ------------------------------------------------------------------------------------------------ the timeline


def main_loop_events(
    stage, k_tiles: int = 4, *, load: float = 3, store: float = 1, math: float = 4, tiling=None
) -> list[Event]:
    """The timeline of a kernel's main loop, from what one of its threads does; for `draw_timeline`.

    stage: a stage's name, or a function that makes a kernel as a stage's does, make(dA, dB, tiling). load, store, math: how long a
    tile's way from global memory, from registers to shared memory, and its products take. A thread goes on at once after a load into
    registers, or by cp.async; it waits where it stores what has not come yet, at `cp_async_wait`, and in a copy from global to shared
    memory, which is both a load and a store.

    >>> [(e.lane, e.start) for e in main_loop_events("sgemm_2", 2) if e.tile == 1]
    [('gmem → rmem', 4.3), ('rmem → smem', 8.6), ('gemm', 9.9)]
    """
    if callable(stage):
        if tiling is None:
            raise LayoutError("main_loop_events: with a function that makes a kernel, say tiling=Tiling(...) as well")
        kernel = stage(*STRIDES["NT"], tiling)
    else:
        stage = find_stage(stage)
        tiling = tiling or stage.tiling
        kernel = make_kernel(stage, "NT", True, tiling)
    way = walk(kernel, tiling, k_tiles)
    return _timed(_by_tile(way.actions, tiling), tiling.pipe, {"load": load, "store": store, "math": math})


LANES = {("gmem", "rmem"): "load", ("rmem", "smem"): "store", ("gmem", "smem"): "through"}


def _by_tile(actions, tiling) -> list:
    """[what, tile, share of it] in order: copies of A and of B for one tile are one, and so are the gemms of a tile."""
    found, counts, steps, bK = [], {}, 0, tiling.cta[2]
    for action in actions:
        share = 1.0
        if action.what == "gemm":
            what, tile, share = "math", steps // bK, action.n / bK
            steps += action.n
        elif action.what == "copy":
            where = tuple(x.memory or "rmem" for x in (action.src, action.dst))
            if where not in LANES:
                continue  # from shared memory to registers: the products read so, too
            what = "start" if action.asynchronous else LANES[where]
            of = what, id((action.src if where[0] == "gmem" else action.dst).engine)
            tile = counts[of] = counts.get(of, -1) + 1
        else:
            found.append([action.what, action.n, share])
            continue
        if found and found[-1][:2] == [what, tile]:
            found[-1][2] += share if what == "math" else 0
        else:
            found.append([what, tile, share])
    return found


def _timed(steps, pipe, lengths) -> list[Event]:
    events, t = [], 0.0
    arrives = {}  # tile -> when it is there
    groups, group = [], 0.0  # of cp.async: when the copies of each are there
    for what, n, share in steps:
        if what == "barrier":
            events.append(Event("gemm", t, BARRIER, "barrier"))
            t += BARRIER
        elif what in ("load", "start"):
            lane = "gmem → rmem" if what == "load" else f"cp.async stage {n % pipe}"
            events.append(Event(lane, t, lengths["load"], f"k{n}", n))
            arrives[n] = group = round(t + lengths["load"], 6)
        elif what == "through":
            events.append(Event("gmem → smem", t, lengths["load"], f"k{n}", n))
            t += lengths["load"]
        elif what == "store":
            t = max(t, arrives.get(n, t))
            events.append(Event("rmem → smem", t, lengths["store"], f"k{n}", n))
            t += lengths["store"]
        elif what == "math":
            events.append(Event("gemm", t, lengths["math"] * share, f"k{n}", n))
            t += lengths["math"] * share
        elif what == "fence":
            groups.append(group)
            group = 0.0
        elif what == "wait":
            t = max([t, *groups[: len(groups) - n]])
        t = round(t, 6)
    return events
