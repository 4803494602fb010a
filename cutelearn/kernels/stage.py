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
        for name, n in (("cta", 3), ("math", 2), ("copy", 2), ("warp", 2)):
            self._check_numbers(name, n)
        for name in ("vector", "neighbours", "pipe"):
            self._check_numbers(name, 1)
        bM, bN, bK = self.cta
        self._check("C", (bM, bN), self.math, (self.neighbours,) * 2, f" of {self.neighbours} neighbours each way")
        if self.vector not in (1, 2, 4):
            raise LayoutError(f"one access moves 1, 2 or 4 numbers of 32 bits, not {self.vector}")
        if self.copy is not None:
            if product(self.copy) != self.threads:
                raise LayoutError(
                    f"{product(self.copy)} threads {text(self.copy)} copy and {self.threads} threads {text(self.math)} compute: the "
                    f"two must be the same threads"
                )
            self._check("A", (bM, bK), self.copy, (self.vector, 1), f" that copy {self.vector} numbers at once")
            self._check("B", (bN, bK), self.copy, (self.vector, 1), f" that copy {self.vector} numbers at once")
        if self.warp is not None:
            self._check("C's threads", self.math, self.warp)
        if self.threads > 1024:
            raise LayoutError(f"a block has 1 to 1024 threads, not {self.threads}: {text(self.math)} is too many")

    def _check_numbers(self, name, n):
        given = getattr(self, name)
        entries = given if isinstance(given, tuple) else (given,)
        if given is None and name in ("copy", "warp"):
            return
        if (
            (n > 1) != isinstance(given, tuple)
            or len(entries) != n
            or any(type(x) is not int or x < 1 for x in entries)
        ):
            wanted = "an integer" if n == 1 else f"a tuple of {n} integers"
            raise LayoutError(f"Tiling: {name} is {wanted} from 1 up, not {given!r}")

    @staticmethod
    def _check(operand, tile, threads, each=(1, 1), what=""):
        together = tuple(t * n for t, n in zip(threads, each, strict=True))
        if any(n % t for n, t in zip(tile, together, strict=True)):
            raise LayoutError(
                f"{text(threads)} threads{what if max(each) > 1 else ''} do not share a {text(tile)} tile of {operand} evenly: its extents must be multiples of "
                f"{text(together)}"
            )

    @property
    def threads(self) -> int:
        return product(self.math)


def one_element_each(tiling: Tiling) -> tuple:
    """The tile (BLK_M,BLK_N,BLK_K) of a kernel whose threads compute one element of C each.

    Raises LayoutError where there are not as many threads as elements.
    """
    bM, bN, _bK = tiling.cta
    if (bM, bN) != tiling.math:
        raise LayoutError(
            f"a thread of this stage computes one element of C, so a ({bM},{bN}) tile takes ({bM},{bN}) threads (math), not "
            f"{text(tiling.math)}"
        )
    return tiling.cta


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
