"""What is done with the elements of tensors: copy, copy_if, gemm, axpby, transform, fill, clear.

Tensors meet by 1-D coordinate: element i of one goes with element i of the other, whatever the layouts. All elements
move at once through numpy, and the answer is that of CuTe's loops. (Where source and destination overlap, or a
destination meets itself, all is read before anything is written; in CuTe's loops that depends on the order.) A TiledCopy
or TiledMMA brings its own way.
"""

from decimal import Decimal
from numbers import Number

import numpy as np

from .htuple import LayoutError, product, shown, text, wrap
from .layout import rank, size
from .tensor import COORDINATES, Tensor, as_objects, gather, scatter

# ------------------------------------------------------------------------------------------------ copy


def copy(*operands) -> None:
    """`copy(src, dst)`: `dst[i] = src[i]` for every 1-D coordinate i. `copy(tiled_copy, src, dst)`: through its maps.

    The shapes may differ, the sizes may not: with other shapes a copy permutes. Elements take the type of dst.

    >>> from cutelearn import make_tensor
    >>> src, dst = make_tensor(np.arange(8), (2, 4)), make_tensor(np.zeros(8, int), (4, 2))
    >>> copy(src, dst)
    >>> dst.to_numpy().T.tolist(), src.to_numpy().T.tolist()
    ([[0, 1, 2, 3], [4, 5, 6, 7]], [[0, 1], [2, 3], [4, 5], [6, 7]])

    With a TiledCopy or a copy atom it calls `execute(src, dst)` of that object.
    Raises LayoutError for other operands or sizes, IndexError where a tensor reaches outside of its memory.
    Source: CuTe documentation, 04_algorithms, "copy"; header `algorithm/copy.hpp`.
    """
    mover, operands = _mover("copy", operands, 2, "(src, dst)", "(tiled_copy, src, dst)")
    src, dst = _tensors("copy", src=operands[0], dst=operands[1])
    if mover is not None:
        mover.execute(src, dst)
        return
    _check_sizes("copy", src=src, dst=dst)
    scatter(dst, gather(src))


def copy_if(*operands) -> None:
    """`copy_if(pred, src, dst)`: `dst[i] = src[i]` wherever `pred[i]`; the others are neither read nor written.

    `pred` is a tensor of the same size, or a function of the 1-D coordinate. So it keeps a ragged tile inside its tensor.

    >>> from cutelearn import make_tensor
    >>> src, dst = make_tensor(np.arange(6), 6), make_tensor(np.full(6, -1), 6)
    >>> copy_if(lambda i: i % 3 == 0, src, dst)
    >>> dst.to_numpy()
    array([ 0, -1, -1,  3, -1, -1])

    `copy_if(tiled_copy, pred, src, dst)` calls `execute(src, dst, pred=pred)` of that object.
    Raises LayoutError for other operands or sizes, IndexError where an element that is wanted lies outside of the memory.
    Source: CuTe documentation, 04_algorithms, "copy_if", and 0y_predication; header `algorithm/copy.hpp`.
    """
    mover, operands = _mover("copy_if", operands, 3, "(pred, src, dst)", "(tiled_copy, pred, src, dst)")
    pred, (src, dst) = operands[0], _tensors("copy_if", src=operands[1], dst=operands[2])
    if mover is not None:
        mover.execute(src, dst, pred=pred)
        return
    _check_sizes("copy_if", src=src, dst=dst)
    which = chosen("copy_if", pred, src)
    scatter(dst, gather(src, which), which)


def chosen(name, pred, x):
    """The 1-D coordinates of `x` that a predicate picks, as a numpy array: see copy_if. `name` is whose predicate it is."""
    if isinstance(pred, Tensor):
        if pred.engine is COORDINATES:
            raise LayoutError(
                f"{name}: {pred} holds coordinates, not yes or no: own a bool tensor (make_tensor(bool, shape)) and set its "
                f"elements with elem_less(coordinate, shape)"
            )
        _check_sizes(name, pred=pred, src=x)
        return np.flatnonzero(gather(pred))
    if not callable(pred):
        raise LayoutError(
            f"{name}: the predicate must be a tensor of {size(x)} elements or a function of i, not {type(pred).__name__}"
        )
    return np.array([i for i in range(size(x)) if pred(i)], np.int64)


# ------------------------------------------------------------------------------------------------ gemm


FORMS = {  # ranks of A, B, C: their modes
    (1, 1, 1): ("V", "V", "V"),
    (1, 1, 2): ("M", "N", "MN"),
    (2, 2, 2): ("MK", "NK", "MN"),
    (2, 2, 3): ("VM", "VN", "VMN"),
    (3, 3, 3): ("VMK", "VNK", "VMN"),
}


def gemm(*operands) -> None:
    """`gemm(A, B, C)`: C += A B; `gemm(D, A, B, C)`: D = A B + C. The ranks of A, B, C choose one of five forms:

    | form | modes | law |
    |---|---|---|
    | [1] | (V) x (V) => (V) | `D[v] = A[v] * B[v] + C[v]` |
    | [2] | (M) x (N) => (M,N) | `D[m, n] = A[m] * B[n] + C[m, n]` |
    | [3] | (M,K) x (N,K) => (M,N) | `D[m, n] = sum over k of A[m, k] * B[n, k], + C[m, n]` |
    | [4] | (V,M) x (V,N) => (V,M,N) | [2] for every v |
    | [5] | (V,M,K) x (V,N,K) => (V,M,N) | [3] for every v |

    A mode may be nested; its size counts. B is (N, K), not (K, N). V is elementwise: a mode of independent problems.
    Each product is made in the widest type of A, B and C; the sum over k runs upwards and has the type of D, so it is D that
    must be wide enough. `gemm(mma, A, B, C)` and `gemm(mma, D, A, B, C)` call `mma.execute(D, A, B, C)` instead.

    >>> from cutelearn import make_tensor
    >>> A, B = make_tensor(np.arange(6.0), (2, 3)), make_tensor(np.ones(12), (4, 3))
    >>> C = make_tensor(np.zeros(8), (2, 4))
    >>> gemm(A, B, C)
    >>> C.to_numpy()
    array([[6., 6., 6., 6.],
           [9., 9., 9., 9.]])

    As in CuTe, A and B are both in shared memory or both in registers, and C and D in registers (memory without a tag
    counts as registers). Differs from CuTe in two ways: where D is not C, CuTe's [3] and [5] start from C again for every k, so
    that only the last k counts; and its default atom takes V = 1 only.
    Raises LayoutError for other operands, ranks, sizes or places.
    Source: CuTe documentation, 04_algorithms, "gemm"; header `algorithm/gemm.hpp`.
    """
    with_mma = bool(operands) and hasattr(operands[0], "execute")
    tensors = operands[with_mma:]
    if len(tensors) not in (3, 4):
        raise LayoutError(
            f"gemm takes (A, B, C) or (D, A, B, C), with an mma before them if you like, not {len(tensors)} tensors"
        )
    D, A, B, C = tensors if len(tensors) == 4 else (tensors[2], *tensors)
    _tensors("gemm", A=A, B=B, C=C, D=D)
    if with_mma:
        _executor("gemm", operands[0], "TiledMMA").execute(D, A, B, C)
        return
    _check_numbers("gemm", A=A, B=B, C=C, D=D)
    _check_places(D, A, B, C)
    modes, extent = _form(A, B, C)
    if _sizes(D) != _sizes(C):
        raise LayoutError(f"gemm: D is {D} and C is {C}: D needs the mode sizes {text(_sizes(C))} of C")
    a, b, acc = (
        gather(t).reshape([extent[m] if m in has else 1 for m in whole], order="F")
        for t, has, whole in zip((A, B, C), modes, ("VMK", "VNK", "VMN"), strict=True)
    )
    wide = np.result_type(a, b, acc)
    a, b = a.astype(wide, copy=False), b.astype(wide, copy=False)
    for k in range(a.shape[2]):
        acc = (a[:, :, None, k] * b[:, None, :, k] + acc).astype(D.dtype or object, copy=False)
    scatter(D, acc.reshape(-1, order="F"))


def _sizes(t) -> tuple:
    return tuple(map(product, wrap(t.shape)))


def _form(A, B, C):
    """The modes of A, B and C, and the extent of each letter."""
    modes = FORMS.get((rank(A), rank(B), rank(C)))
    if modes is None:
        forms = "; ".join(f"[{i}] {_form_text(m)}" for i, m in enumerate(FORMS.values(), 1))
        raise LayoutError(
            f"gemm has no form for A, B and C of the ranks {rank(A)}, {rank(B)} and {rank(C)} (shapes {text(A.shape)}, "
            f"{text(B.shape)}, {text(C.shape)}). Its forms are {forms}. Slice or group modes to reach one"
        )
    extent, owner = {}, {}
    for name, t, letters in zip("ABC", (A, B, C), modes, strict=True):
        for letter, n in zip(letters, _sizes(t), strict=True):
            if extent.setdefault(letter, n) != n:
                hint = ""
                if modes[1] == "NK" and _sizes(B) == (_sizes(A)[1], _sizes(C)[1]):
                    hint = ". This B is (K,N); CuTe's is (N,K): write select(B, 1, 0)"
                raise LayoutError(
                    f"gemm, form {_form_text(modes)}: {letter} is {extent[letter]} in {owner[letter]} but {n} in {name}; the mode "
                    f"sizes of A, B, C are {text(_sizes(A))}, {text(_sizes(B))}, {text(_sizes(C))}{hint}"
                )
            owner.setdefault(letter, name)
    return modes, extent


def _form_text(modes) -> str:
    a, b, c = (",".join(m) for m in modes)
    return f"({a}) x ({b}) => ({c})"


def _check_places(D, A, B, C):
    for name, t in (("D", D), ("C", C)):
        if t.memory in ("gmem", "smem"):
            raise LayoutError(
                f"gemm accumulates in registers, but {name} is {t}: accumulate in make_fragment_like({name}), and store with axpby"
            )
    for name, t in (("A", A), ("B", B)):
        if t.memory == "gmem":
            raise LayoutError(f"gemm reads shared memory or registers, but {name} is {t}: copy it there first")
    if (A.memory == "smem") != (B.memory == "smem"):
        raise LayoutError(f"gemm: A is {A}, B is {B}: bring both to shared memory, or both to registers, as CuTe wants")


# ------------------------------------------------------------------------------------------------ element by element


def axpby(alpha, x: Tensor, beta, y: Tensor, pred=None) -> None:
    """`y[i] = alpha * x[i] + beta * y[i]` for every 1-D coordinate i (where `pred` holds, if there is one).

    With beta 0, y is not read: whatever lies there (also NaN) is overwritten. The result has the type of y.

    >>> from cutelearn import make_tensor
    >>> acc, C = make_tensor(np.array([3.0, 4.0]), 2), make_tensor(np.array([7.0, 8.0]), 2)
    >>> axpby(2, acc, 5, C)
    >>> C.to_numpy()
    array([41., 48.])

    Raises LayoutError for other operands or sizes, IndexError where a tensor reaches outside of its memory.
    Source: CuTe documentation, 04_algorithms, "axpby"; header `algorithm/axpby.hpp`.
    """
    for name, factor in (("alpha", alpha), ("beta", beta)):
        if not isinstance(factor, (Number, np.number, np.bool_)) or isinstance(factor, Decimal):
            raise LayoutError(
                f"axpby: {name} is a number, not {type(factor).__name__}: the order is axpby(alpha, x, beta, y)"
            )
    x, y = _tensors("axpby", x=x, y=y)
    _check_sizes("axpby", x=x, y=y)
    _check_numbers("axpby", x=x, y=y)
    which = slice(None) if pred is None else chosen("axpby", pred, x)
    scaled = alpha * gather(x, which)
    scatter(y, scaled if beta == 0 else scaled + beta * gather(y, which), which)


def transform(*operands) -> None:
    """`transform(t, f)`: t[i] = f(t[i]). `transform(x, y, f)`: y[i] = f(x[i]). `transform(x1, x2, y, f)`: y[i] = f(x1[i], x2[i]).

    >>> from cutelearn import make_tensor
    >>> x, y = make_tensor(np.arange(4), 4), make_tensor(np.zeros(4, int), (2, 2))
    >>> transform(x, y, lambda e: e * e)
    >>> y.to_numpy()
    array([[0, 4],
           [1, 9]])

    Raises LayoutError for other operands or sizes. Source: CuTe header `algorithm/tensor_algorithms.hpp`, `transform`.
    """
    *tensors, f = operands or (None,)
    if not 1 <= len(tensors) <= 3 or isinstance(f, Tensor) or not callable(f):
        raise LayoutError("transform takes (t, f), (x, y, f) or (x1, x2, y, f), f a function of elements, last")
    names = {1: ("t",), 2: ("x", "y"), 3: ("x1", "x2", "y")}[len(tensors)]
    _tensors("transform", **dict(zip(names, tensors, strict=True)))
    _check_sizes("transform", **dict(zip(names, tensors, strict=True)))
    scatter(tensors[-1], as_objects(f(*e) for e in zip(*map(gather, tensors[:-1] or tensors), strict=True)))


def fill(t: Tensor, value) -> None:
    """`t[i] = value` for every element.

    >>> from cutelearn import make_tensor
    >>> t = make_tensor(np.zeros(4), 4)
    >>> fill(t, 7)
    >>> t.to_numpy()
    array([7., 7., 7., 7.])

    Raises LayoutError where `t` is no tensor or `value` more than one element.
    Source: CuTe documentation, 04_algorithms, "fill"; header `algorithm/fill.hpp`.
    """
    if isinstance(value, Tensor) and not isinstance(t, Tensor):
        raise LayoutError("fill: the tensor comes first, fill(t, value)")
    (t,) = _tensors("fill", t=t)
    if isinstance(value, (Tensor, list, tuple)) or np.ndim(value):
        raise LayoutError(f"fill sets every element to one value, not to {shown(value)}: for many values use copy")
    scatter(t, value)


def clear(t: Tensor) -> None:
    """Every element becomes zero: `fill(t, 0)`. Source: CuTe documentation, 04_algorithms, "clear"; header `algorithm/clear.hpp`."""
    (t,) = _tensors("clear", t=t)
    scatter(t, 0)


# ------------------------------------------------------------------------------------------------ operands


def _mover(name, operands, n, without, with_mover):
    """The object that executes (None where there is none) and the other operands."""
    if len(operands) not in (n, n + 1):
        raise LayoutError(f"{name} takes {without} or {with_mover}, not {len(operands)} operands")
    if len(operands) == n:
        return None, operands
    return _executor(name, operands[0], "TiledCopy"), operands[1:]


def _executor(name, x, wanted):
    other = ("shape_mnk", "atom_layout") if wanted == "TiledCopy" else ("src_layout", "tiler_mn")
    if not hasattr(x, "execute") or isinstance(x, type) or any(hasattr(x, part) for part in other):
        raise LayoutError(
            f"{name}: the first operand, {shown(x)}, cannot execute: give a {wanted} or an atom, or leave it out"
        )
    return x


def _tensors(name, **operands) -> tuple:
    for which, t in operands.items():
        if isinstance(t, Tensor):
            continue
        hint = (
            "write make_tensor(array) or make_tensor(array, layout)" if hasattr(t, "__getitem__") else "give a Tensor"
        )
        raise LayoutError(f"{name}: {which} must be a Tensor, not {type(t).__name__}: {hint}")
    return tuple(operands.values())


def _check_numbers(name, **operands):
    for which, t in operands.items():
        if t.engine is COORDINATES:
            raise LayoutError(f"{name}: {which} is {t}: it holds coordinates, and there are no numbers to multiply")


def _check_sizes(name, **operands):
    if len({size(t) for t in operands.values()}) > 1:
        sizes = ", ".join(f"{which} has {size(t)} elements ({t})" for which, t in operands.items())
        raise LayoutError(f"{name}: {sizes}: the sizes must be the same; the shapes need not be")
