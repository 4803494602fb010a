"""Tries a kernel on a small problem: on the machine that is there, and on the host with its threads in a fixed order.

Where threads run at once, a kernel with too few barriers may be right by luck. `in_turns` leaves nothing to luck: one thread goes
until it meets a barrier, then the next one, in the order that is given. A kernel that has all its barriers gives the same in every
order.
"""

import re
import threading
from types import FunctionType, SimpleNamespace

import numpy as np
from numba import cuda

from ..htuple import LayoutError, text
from .launch import run_gemm
from .leftover import end, none_left
from .stage import STRIDES, Stage, Tiling
from .trace import SHARED, walk

SMALL = Tiling(cta=(16, 8, 4), copy=(2, 4), math=(4, 2), vector=4, neighbours=4)  # sgemm_2's, for the simulator


def matrices(M: int, N: int, K: int, seed: int = 0) -> tuple:
    """A (M,K) and B (N,K) of small random integers as float32, both by columns: what is computed with them is exact.

    >>> matrices(2, 2, 3)[0]
    array([[ 2.,  1.,  0.],
           [-2., -1., -3.]], dtype=float32)
    """
    random = np.random.default_rng(seed)
    return tuple(np.asfortranarray(random.integers(-3, 4, (n, K)), np.float32) for n in (M, N))


def try_kernel(make, M: int, N: int, K: int, seed: int = 0, tiling: Tiling = SMALL) -> dict:
    """What a kernel makes of `matrices(M, N, K, seed)`, as plain numbers. make(dA, dB, tiling) gives the kernel, as a stage's does.

    "C": the result, a list of rows, on the GPU or in the simulator; None where nothing was written. "forwards" and "backwards": the
    result on the host with the threads in turns, the first or the last one first. "barriers": how many a thread meets.
    Raises LayoutError where M, N, K are no multiples of the tiles, and for what a GPU would not run.

    >>> from .sgemm_2 import make_sgemm_2
    >>> found = try_kernel(make_sgemm_2, 16, 8, 8)
    >>> found["C"] == found["forwards"] == found["backwards"], found["barriers"]
    (True, 4)
    """
    if any(n % t for n, t in zip((M, N, K), tiling.cta, strict=True)):
        raise LayoutError(
            f"({M},{N},{K}) is no multiple of the tile {text(tiling.cta)}, and this kernel has no predicates"
        )
    A, B = matrices(M, N, K, seed)
    C = np.full((M, N), np.nan, np.float32, order="F")
    stage = Stage("yours", "", make, tiling, tiling, make_aligned=make)
    try:
        with none_left():
            run_gemm(A, B, C, stage=stage, tiling=tiling)
    except LayoutError as error:
        raise LayoutError(without_thread(str(error))) from None
    except IndexError as error:
        error.args = (without_thread(str(error)),)
        raise
    kernel = make(*STRIDES["NT"], tiling)
    order = range(tiling.threads)
    return {
        "C": rows(C),
        "forwards": rows(in_turns(kernel, tiling, A, B, order)),
        "backwards": rows(in_turns(kernel, tiling, A, B, order[::-1])),
        "barriers": walk(kernel, tiling, K // tiling.cta[2]).barriers,
    }


def rows(C) -> list:
    """The rows of a matrix as plain integers, None for what is none: memory that nobody has written may hold anything.

    >>> rows(np.array([[1.0, np.nan, np.inf]]))
    [[1, None, None]]
    """
    return [[int(x) if np.isfinite(x) else None for x in row] for row in C]


def without_thread(sentence: str) -> str:
    """What the simulator says of an error in a thread, without the thread that it puts before it.

    >>> without_thread("tid=[4, 0, 0] ctaid=[0, 0, 0]: no such tile")
    'no such tile'
    """
    return re.sub(r"^tid=\[[^]]*\] ctaid=\[[^]]*\]: ", "", sentence)


def in_turns(kernel, tiling: Tiling, A, B, order):
    """A B^T by the kernel on the host: each thread of a block, in this order, goes on until it meets a barrier.

    Raises LayoutError where some threads have come to the end and others wait at a barrier.
    """
    (M, K), (N, _K), (bM, bN, _bK) = A.shape, B.shape, tiling.cta
    C = np.full((M, N), np.nan, np.float32, order="F")
    flat = [x.reshape(-1, order="F") for x in (A, B)]
    out = C.reshape(-1, order="F").copy()
    arguments = (M, N, K, 1.0, flat[0], M, flat[1], N, 0.0, out, M)
    for n in range(N // bN):
        for m in range(M // bM):
            _Block(kernel, arguments, tiling.threads, (m, n), (M // bM, N // bN)).run(order)
    return out.reshape((M, N), order="F")


class _Stopped(BaseException):
    """The block has been given up."""


class _Block:
    """The threads of a block as threads of Python, of which one at a time goes on."""

    def __init__(self, kernel, arguments, threads, block, grid):
        self.kernel, self.arguments = getattr(kernel, "py_func", kernel), arguments
        self.block, self.grid = block, grid
        self.go = [threading.Semaphore(0) for _t in range(threads)]
        self.back = threading.Semaphore(0)
        self.ended, self.stopped, self.error, self.shared = set(), False, None, {}

    def run(self, order):
        threads = {t: threading.Thread(target=self._thread, args=(t,), daemon=True) for t in order}
        for thread in threads.values():
            thread.start()
        try:
            while len(self.ended) < len(self.go):
                for t in order:
                    if t not in self.ended:
                        self.go[t].release()
                        self.back.acquire()
                        if self.error is not None:
                            raise self.error
                if 0 < len(self.ended) < len(self.go):
                    raise LayoutError(
                        f"{len(self.ended)} threads have come to the end, and {len(self.go) - len(self.ended)} wait for them at "
                        f"a barrier: every thread of the block must come to it"
                    )
        finally:
            self.stopped = True
            for semaphore in self.go:
                semaphore.release()
            if t not in self.ended:  # a time limit: it may be in an endless loop
                end(threads[t])

    def _thread(self, t):
        self.go[t].acquire()
        try:
            if not self.stopped:
                self._function(t)(*self.arguments)
        except _Stopped:
            return
        except BaseException as error:
            self.error = error
        self.ended.add(t)
        self.back.release()

    def _function(self, t):
        """The kernel as thread t sees it."""
        made = iter(range(100))

        def array(shape, _dtype):  # the n-th array is the same for all threads
            return self.shared.setdefault(next(made), np.full(shape or SHARED, np.nan, np.float32))

        def barrier():
            self.back.release()
            self.go[t].acquire()
            if self.stopped:
                raise _Stopped

        here = SimpleNamespace(
            threadIdx=SimpleNamespace(x=t, y=0, z=0),
            blockIdx=SimpleNamespace(x=self.block[0], y=self.block[1], z=0),
            blockDim=SimpleNamespace(x=len(self.go), y=1, z=1),
            gridDim=SimpleNamespace(x=self.grid[0], y=self.grid[1], z=1),
            shared=SimpleNamespace(array=array),
            local=SimpleNamespace(array=lambda shape, _dtype: np.zeros(shape, np.float32)),
            syncthreads=barrier,
        )
        names = {name: here if value is cuda else value for name, value in self.kernel.__globals__.items()}
        return FunctionType(self.kernel.__code__, names, self.kernel.__name__, None, self.kernel.__closure__)
