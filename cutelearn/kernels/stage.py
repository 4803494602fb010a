"""What a GEMM stage is: a kernel made to measure, and what it is made for.

A stage computes C = alpha A B^T + beta C in float32, with CuTe's shapes: A is (M, K), B is (N, K), C is (M, N). Its factory is
given what CuTe gives as template arguments: the strides of A and B, of which one number is 1 for good, and the tiles.
"""

from collections.abc import Callable
from dataclasses import dataclass

from ..htuple import Int, LayoutError, product, text
from ..layout import Layout, LayoutLeft, LayoutRight

# ------------------------------------------------------------------------------------------------ strides


def mn_major(ld):
    """The stride of an operand whose elements lie side by side along m (or n): CuTe's `make_stride(Int<1>{}, ld)`."""
    return (Int(1), ld)


def k_major(ld):
    """The stride of an operand whose elements lie side by side along k: CuTe's `make_stride(ld, Int<1>{})`."""
    return (ld, Int(1))


# BLAS reads an operand as stored by columns: A not transposed is m-major, B transposed is n-major.
STRIDES = {"NT": (mn_major, mn_major), "TN": (k_major, k_major), "NN": (mn_major, k_major), "TT": (k_major, mn_major)}


def along(d, shape) -> Layout:
    """The compact layout of a shape whose first steps go the way of stride `d`: so neighbouring threads read neighbours."""
    return Layout(shape, LayoutRight if d is k_major else LayoutLeft)


# ------------------------------------------------------------------------------------------------ stages


@dataclass(frozen=True)
class Tiling:
    """How a stage shares its work: the tile of a block, and the threads that copy a tile of A or B and that compute one of C.

    >>> Tiling(cta=(128, 128, 8), copy=(32, 8), math=(16, 16)).threads
    256

    Raises LayoutError where tiles and threads do not fit.
    """

    cta: tuple  # (BLK_M, BLK_N, BLK_K)
    math: tuple  # threads (m, n) that share a tile of C
    copy: tuple | None = None  # threads (m or n, k) that share the copying of a tile of A or B
    vector: int = 1  # elements of A or B that one access moves; 1 where the matrices do not allow more
    neighbours: int = 1  # rows (and columns) side by side that a thread computes before those of the next thread
    warp: tuple | None = None  # threads (m, n) of one warp, where warps have tiles of their own
    pipe: int = 1  # tiles of A and B that shared memory holds at once

    def __post_init__(self):
        bM, bN, bK = self.cta
        self._check("C", (bM, bN), tuple(n * self.neighbours for n in self.math))
        if self.vector not in (1, 2, 4):
            raise LayoutError(f"one access moves 1, 2 or 4 numbers of 32 bits, not {self.vector}")
        if self.copy is not None:
            if product(self.copy) != self.threads:
                raise LayoutError(
                    f"{product(self.copy)} threads {text(self.copy)} copy and {self.threads} threads {text(self.math)} compute: the "
                    f"two must be the same threads"
                )
            self._check("A", (bM, bK), self.copy)
            self._check("B", (bN, bK), self.copy)
        if self.pipe < 1:
            raise LayoutError(f"shared memory holds 1 tile or more at once (pipe), not {self.pipe}")
        if self.warp is not None:
            self._check("C's threads", self.math, self.warp)
        if not 1 <= self.threads <= 1024:
            raise LayoutError(f"a block has 1 to 1024 threads, not {self.threads}: {text(self.math)} is too many")

    @staticmethod
    def _check(operand, tile, threads):
        if any(n % t for n, t in zip(tile, threads, strict=True)):
            raise LayoutError(
                f"{text(threads)} threads do not share a {text(tile)} tile of {operand} evenly: each extent of the tile must be "
                f"a multiple of the threads along it"
            )

    @property
    def threads(self) -> int:
        return product(self.math)


@dataclass(frozen=True)
class Stage:
    """One step of the way from a plain GEMM kernel to a fast one."""

    name: str
    adds: str  # the one idea that it adds to the stage before
    make: Callable  # make(dA, dB, tiling) gives a kernel for any M, N and K
    tiling: Tiling
    small: Tiling  # tiles for the simulator, which runs each thread as a thread of Python
    make_aligned: Callable | None = None  # the same without predicates, for sizes that the tiles divide
    blocks_per_sm: int = 1  # how many blocks the registers are shared out to
    shared: Callable | None = None  # shared(dA, dB, tiling): bytes of shared memory that the launch gives a block
    least_cc: tuple = (5, 0)
    needs: str = "Numba compiles for 5.0 and later"  # why least_cc

    def __repr__(self):
        return f"Stage({self.name}: {self.adds})"
