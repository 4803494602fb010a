"""What a copy atom asks of the two tensors it moves between: values of its own type, in whole groups, each group one word.

CuTe says so by recasting the first mode of both sides to the type that the instruction moves: what does not become one such
word "failed to vectorize into registers".
"""

import numpy as np

from ..htuple import LayoutError
from ..layout import size
from ..tensor import Tensor


def elements(x: Tensor) -> tuple:
    """The type of a tensor's elements and its bits; (None, None) where they are Python objects, of any type."""
    dtype = x.dtype
    return (None, None) if dtype is None or dtype.hasobject else (dtype, 8 * dtype.itemsize)


def check_types(what: str, atom, **sides) -> None:
    """The tensors hold values of the atom's type, and of one type. `sides`: name -> (tensor, type of its elements, bits).

    A tensor whose elements have no type (a list's, coordinates) may hold anything. A copy that chooses its own width takes
    all types, as CuTe's does: it assigns element to element, which converts.
    """
    if atom.name.startswith(("AutoVectorizingCopy", "DefaultCopy")):
        return
    known = [(side, *given) for side, given in sides.items() if given[1] is not None]
    for side, x, dtype, bits in known:
        if bits != atom.value_type.bits and dtype != atom.value_type.carrier:
            raise LayoutError(
                f"{what}: it moves values of {atom.value_type.bits} bits ({atom.value_type}), and {side} {x} holds {dtype}: give it "
                f"tensors of that type, or ask copy_atom for one that moves theirs"
            )
    if len(known) == 2 and known[0][2] != known[1][2]:
        (one, _x, a, _bits), (other, _y, b, _more) = known
        raise LayoutError(
            f"{what}: it converts nothing, and {one} holds {a}, {other} {b}: copy({one}, {other}) without an atom converts"
        )


def check_groups(what: str, atom, **sides) -> None:
    """The first mode of one thread's parts is a whole number of what the atom moves at once. `sides`: name -> tensor."""
    for side, x in sides.items():
        n = size(atom.val_layout_dst if side == "dst" else atom.val_layout_src, 1)
        if size(x.layout, 0) % n:
            raise LayoutError(
                f"{what}: it moves {n} values at once, and the first mode of {side} {x} has {size(x.layout, 0)}: the modes are "
                f"(values, repeats, ...), as partition_S and partition_D give them"
            )


def check_words(what: str, atom, where, **sides) -> None:
    """The values of every access are aligned neighbours, in the order in which the other side has them.

    `sides`: name -> (tensor, where the values lie, as an array (access, value)); `where` says which access it is.
    """
    orders = {}
    for side, (x, lies) in sides.items():
        n = lies.shape[1]
        if n == 1:
            continue
        together = np.sort(lies, axis=1)
        apart, astray = np.diff(together, axis=1) != 1, together[:, 0] % n != 0
        if apart.any():
            access, value = (int(i) for i in np.argwhere(apart)[0])
            first, second = (int(i) for i in together[access, value : value + 2])
            why = f"two of them lie at {first} and {second}, not side by side"
        elif astray.any():
            access = int(np.flatnonzero(astray)[0])
            why = f"they start at {int(together[access, 0])}, no multiple of {n}"
        else:
            orders[side] = lies - together[:, :1]
            continue
        raise LayoutError(
            f"{what}: {atom.name} moves {n} values of {atom.value_type} a thread as one word; those{where(access)} in {side} "
            f"({x.layout}) cannot be moved so: {why}. Choose a value layout along the contiguous mode, or a narrower atom"
        )
    _check_orders(what, atom, where, orders)


def _check_orders(what, atom, where, orders):
    """A word arrives as it left: what is its i-th value on one side is so on the other."""
    if len(orders) < 2 or len({order.shape for order in orders.values()}) > 1:
        orders = {side: (order, np.arange(order.shape[1])) for side, order in orders.items()}
    else:
        orders = {"src": (orders["src"], orders["dst"])}
    for side, (order, wanted) in orders.items():
        moved = np.argwhere(order != wanted)
        if len(moved):
            access, value = (int(i) for i in moved[0])
            there = int(np.broadcast_to(wanted, order.shape)[access, value])
            raise LayoutError(
                f"{what}: {atom.name} moves {order.shape[1]} values of {atom.value_type} a thread as one word, as it is; value "
                f"{value}{where(access)} is number {int(order[access, value])} of its word in {side}, and must arrive as number "
                f"{there}. Choose a value layout along the contiguous mode, or a narrower atom"
            )
