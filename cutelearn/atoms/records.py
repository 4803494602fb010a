"""How the data files write atoms: one line a family of instructions that share their maps."""

from dataclasses import dataclass

from ..layout import Layout

WARP = Layout(32)


@dataclass(frozen=True)
class MMAFamily:
    """MMAs of one architecture that differ in their types (and in what they do with a result) but not in their maps.

    `types` holds runs of codes, D A B C; each becomes a name ARCH_MxNxK_types + suffix, once for every suffix.
    """

    arch: str
    shape_mnk: tuple
    types: str
    a_layout: Layout
    b_layout: Layout
    c_layout: Layout
    suffixes: tuple = ("_TN",)
    thr_id: Layout = WARP
    note: str = ""

    def names(self):
        m, n, k = self.shape_mnk
        return [f"{self.arch}_{m}x{n}x{k}_{t}{s}" for t in self.types.split() for s in self.suffixes]


@dataclass(frozen=True)
class CopyRecord:
    """A copy that fixes how many bits every lane gives and takes; layouts are in bits."""

    name: str
    arch: str
    src_layout: Layout
    dst_layout: Layout
    ref_layout: Layout
    thr_id: Layout = WARP
    moved: tuple | None = None  # the (src, dst) maps of what really moves, where CuTe's traits say less
