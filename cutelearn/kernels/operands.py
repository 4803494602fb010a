"""What a GEMM stage may be given: matrices as the launcher sees them, and every reason to refuse one."""

from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
from numba import cuda

from ..htuple import LayoutError, ceil_div, text
from .machine import PLACE

DTYPE = np.dtype(np.float32)
LARGEST = 2**31  # offsets are 32-bit integers with a sign, as `int` in CuTe's own kernels


@dataclass(frozen=True)
class Operand:
    """A matrix as the launcher sees it: where it starts, its shape, and the one stride that is not 1."""

    letter: str
    shape: tuple
    strides: tuple  # in elements
    address: int
    array: Any  # numpy array, or the object on the GPU
    interface: dict | None  # __cuda_array_interface__ where it is on the GPU

    @property
    def along_first(self) -> bool:
        """Whether elements that lie side by side belong to the first mode (m or n), not to the second."""
        (rows, columns), (first, second) = self.shape, self.strides
        if rows == 1:
            return columns == 1 or second != 1
        return first == 1

    @property
    def ld(self) -> int:
        """The leading dimension: the stride of the other mode."""
        other = 1 if self.along_first else 0
        return self.strides[other] if self.shape[other] > 1 else self.shape[1 - other]

    @property
    def reach(self) -> int:
        """How many elements there are from its first to its last."""
        return 1 + sum((n - 1) * d for n, d in zip(self.shape, self.strides, strict=True))

    def takes_vectors(self, n) -> bool:
        """Whether it is made of aligned runs of n elements, so that one access may move n and none is half inside."""
        start = (
            0 if self.interface is None else self.address // DTYPE.itemsize
        )  # what is brought to the GPU starts aligned there
        return start % n == self.ld % n == self.shape[0 if self.along_first else 1] % n == 0

    def transposed(self):
        return Operand(self.letter, self.shape[::-1], self.strides[::-1], self.address, self.array, self.interface)


def operand(letter, x) -> Operand:
    interface = getattr(x, "__cuda_array_interface__", None)
    if interface is None:
        if not hasattr(x, "__array_interface__"):
            raise LayoutError(
                f"{letter} is a {type(x).__name__}: give a numpy array, or an array on the GPU that has __cuda_array_interface__ "
                f"(Numba, CuPy, PyTorch)"
            )
        mask = np.ma.getmask(x)  # numpy's own; an array without one has False
        x = np.asarray(x)
        shown = x.__array_interface__ | {"mask": None if mask is np.ma.nomask else mask}
    elif PLACE != "gpu":
        raise LayoutError(f"{letter} lies on a GPU, and kernels run in the simulator here: give a numpy array")
    else:
        shown = interface
    if shown.get("mask") is not None:
        raise LayoutError(f"{letter} is masked: give its numbers alone, all of them, as {letter}.filled(0) does")
    dtype, shape = np.dtype(shown["typestr"]), tuple(shown["shape"])
    _check_matrix(letter, dtype, shape)
    item = dtype.itemsize
    strides = shown.get("strides") or (shape[1] * item, item)
    address, read_only = shown["data"]
    if address % item or any(d % item for d in strides):
        raise LayoutError(
            f"{letter} is not aligned: its elements of {item} bytes start at address {address} with strides of {strides} bytes, not "
            f"at multiples of {item}. Copy it: np.require({letter}, requirements='A')"
        )
    if letter == "C" and read_only:
        raise LayoutError("C is read-only, and the result is written there: give a copy of it")
    made = Operand(letter, shape, tuple(d // item for d in strides), address, x, interface)
    _check_order(made)
    return made


def _check_matrix(letter, dtype, shape):
    if dtype != DTYPE:
        half = " (a sum in half precision stops growing early: 4096 times 0.1 gives 256)" if dtype == np.float16 else ""
        raise LayoutError(
            f"{letter} holds {dtype.newbyteorder('=') if dtype.isnative else dtype.str} numbers, and the stages compute in "
            f"float32{half}: convert it, {letter}.astype(np.float32)"
        )
    if len(shape) != 2:
        raise LayoutError(f"{letter} has the shape {text(shape)}: a matrix has two modes; view it as one with reshape")
    if 0 in shape:
        raise LayoutError(f"{letter} has the shape {text(shape)}: every extent must be at least 1")


def _check_order(x):
    for n, d in zip(x.shape, x.strides, strict=True):
        if n > 1 and d < 0:
            raise LayoutError(
                f"{x.letter} runs backwards (strides {text(x.strides)}): copy it, np.ascontiguousarray({x.letter})"
            )
    if not any(d == 1 or n == 1 for n, d in zip(x.shape, x.strides, strict=True)):
        raise LayoutError(
            f"{x.letter} has the strides {text(x.strides)}: along one of its two modes the elements must lie side by side (stride "
            f"1), so that a kernel knows that stride when it is compiled. Copy it: np.ascontiguousarray({x.letter})"
        )
    if x.letter == "C" and x.ld < x.shape[0 if x.along_first else 1]:
        raise LayoutError(
            f"C has the shape {text(x.shape)} and the strides {text(x.strides)}: some of its elements are the same memory, so "
            f"they cannot hold results of their own"
        )


def check_shapes(a, b, c):
    (M, K), (N, K_of_B) = a.shape, b.shape
    if K_of_B != K:
        hint = ". This B is (K,N); CuTe's is (N,K): pass B.T" if b.shape == (K, c.shape[1]) else ""
        raise LayoutError(f"A is {text(a.shape)} and B is {text(b.shape)}: A is (M,K) and B is (N,K), with one K{hint}")
    if c.shape != (M, N):
        raise LayoutError(
            f"C is {text(c.shape)}, and A {text(a.shape)} with B {text(b.shape)} makes it (M,N) = ({M},{N})"
        )


def factor(name, x) -> np.float32:
    """alpha or beta as the kernels take it."""
    if not isinstance(x, Real):
        raise LayoutError(f"{name} is a real number, not {x!r} (a {type(x).__name__})")
    try:
        with np.errstate(over="ignore"):
            made = np.float32(float(x))
    except OverflowError:
        made = np.float32(np.inf)
    if np.isinf(made) and x not in (np.inf, -np.inf):
        raise LayoutError(f"{name} is {x}: the stages compute in float32, whose numbers end at 3.4e+38")
    return made


def check_overlap(a, b, c):
    """C may share memory with neither A nor B: other blocks still read there while one writes."""
    for x in (a, b):
        if (x.interface is None) != (c.interface is None):
            continue
        if np.shares_memory(_shadow(x), _shadow(c)):
            raise LayoutError(
                f"C shares memory with {x.letter}: a block would write results where others still read {x.letter}. Give C memory "
                f"of its own"
            )


class _Shadow:
    """An array's place in memory, told to numpy. Never looked into: on a GPU numpy cannot."""

    def __init__(self, x):
        strides = tuple(d * DTYPE.itemsize for d in x.strides)
        self.__array_interface__ = {
            "version": 3,
            "typestr": DTYPE.str,
            "shape": x.shape,
            "strides": strides,
            "data": (x.address, True),
        }


def _shadow(x):
    return np.asarray(_Shadow(x))


def check_size(a, b, c, grid, tiling):
    for x in (a, b, c):
        if x.reach > LARGEST:
            raise LayoutError(
                f"{x.letter} reaches over {x.reach} elements, and the kernels count up to {LARGEST} in 32 bits: work on parts of it"
            )
    extents = (*c.shape, a.shape[1])
    for tile, extent in zip(tiling.cta, extents, strict=True):
        if ceil_div(extent, tile) * tile >= LARGEST:  # coordinates go on to the end of the last tile
            raise LayoutError(f"an extent of {extent} is too large for 32-bit coordinates: work on parts of it")
    if grid[1] > 65535:
        raise LayoutError(
            f"C needs {grid[1]} blocks along n, and a grid has at most 65535 there: work on parts of C, or take larger tiles"
        )


def placed(x, written):
    """The flat memory of an operand as the kernel takes it, and what brings it back afterwards."""
    if x.interface is not None:
        flat = _Flat(x.interface | {"shape": (x.reach,), "strides": None, "data": (x.address, False)}, x.array)
        return cuda.as_cuda_array(flat), _nothing
    flat = np.lib.stride_tricks.as_strided(x.array, (x.reach,), (DTYPE.itemsize,))
    if PLACE == "simulator":
        return (cuda.InOut if written else cuda.In)(flat), _nothing
    there = cuda.to_device(flat)
    return there, (lambda: there.copy_to_host(flat)) if written else _nothing


def _nothing():
    pass


class _Flat:
    """Memory on the GPU seen as one row of elements; keeps its owner alive."""

    def __init__(self, interface, owner):
        self.__cuda_array_interface__, self.owner = interface, owner
