"""All MMAs at a glance: one line for those that share their threads and their map of C."""

import re
from dataclasses import dataclass

from ..htuple import LayoutError, text
from ..layout import size
from .library import find_atoms
from .mma import MMAAtom


@dataclass(frozen=True)
class Family:
    """MMAs of one architecture and shape with one map of C and equally many values in a thread: they differ in types, majors
    and suffixes. Of a warpgroup's, N may be any."""

    names: tuple
    threads: int
    values: tuple  # of A, B and C in each thread; S: the operand is read from shared memory
    c_layout: str

    @property
    def example(self) -> str:
        """The first of the names, with N for its number where there are several."""
        return re.sub(r"_64x\d+x", "_64xNx", self.names[0])


def atom_families(arch=None, shape=None, type=None, accumulator=None) -> list[Family]:
    """The MMAs that `find_atoms` finds for these, by families, in their order.

    >>> [(f.example, len(f.names), f.values) for f in atom_families("SM75")]
    [('SM75_16x8x8_F32F16F16F32_TN', 2, (4, 2, 4)), ('SM75_8x8x16_S32S8S8S32_TN', 1, (4, 4, 2))]
    """
    found = {}
    for a in find_atoms(arch, shape, type, accumulator):
        found.setdefault(_what_is_shared(a), []).append(a.name)
    return [Family(tuple(names), *shared[2:]) for shared, names in found.items()]


def _what_is_shared(a: MMAAtom) -> tuple:
    m, _n, k = a.shape_mnk
    values = tuple(size(layout, 1) for layout in (a.a_layout, a.b_layout, a.c_layout))
    if a.num_threads < 128:
        return a.arch, a.shape_mnk, a.num_threads, values, str(a.c_layout)
    threads, of_n = a.c_layout[0], a.c_layout[1].stride
    of_a = "S" if a.sources[0] == "S" else values[0]
    c = f"({text(threads.shape)},(2,2,N/8)):({text(threads.stride)},{text(of_n)})"
    return a.arch, (m, k), a.num_threads, (of_a, "S", "N/2"), c


def atom_table(arch=None, shape=None, type=None, accumulator=None) -> str:
    """`atom_families` as a table: how many MMAs, the threads of one, how many values of A, B and C each of them holds (S: the
    operand is read from shared memory), C's map, and one of the names.

    >>> print(atom_table("SM70"))
    MMAs  threads  A  B  C  C: (thread, value) -> m + n*M          such as
       4        8  4  4  8  (8,8):(1,8)                            SM70_8x8x4_F16F16F16F16_TN
       4        8  4  4  8  ((2,2,2),(2,2,2)):((1,16,4),(8,2,32))  SM70_8x8x4_F32F16F16F32_TN

    Raises LayoutError where nothing is found.
    """
    families = atom_families(arch, shape, type, accumulator)
    if not families:
        raise LayoutError("atom_table: no MMA fits all of that; leave something out")
    head = ("MMAs", "threads", "A", "B", "C", "C: (thread, value) -> m + n*M", "such as")
    rows = [(len(f.names), f.threads, *f.values, f.c_layout, f.example) for f in families]
    cells = [[str(x) for x in row] for row in (head, *rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    lines = (
        "  ".join(x.ljust(w) if i > 4 else x.rjust(w) for i, (x, w) in enumerate(zip(row, widths, strict=True)))
        for row in cells
    )
    return "\n".join(line.rstrip() for line in lines)
