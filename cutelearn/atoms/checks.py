"""What a tiling must be: every thread of one atom, every cell of one place. Refusals show what is hit twice or never."""

from ..algebra import complement
from ..htuple import LayoutError, leaves, text
from ..layout import Layout, cosize, mode, size
from ..tiling import logical_divide


def check_thread_layout(mma):
    """The atoms' threads are a layout: it is where the atom's own threads leave gaps that they may not be."""
    try:
        return mma.thr_layout_vmnk
    except LayoutError:
        threads, atoms = mma.atom.thr_id, size(mma.atom_layout)
        free = complement(threads, size(threads) * cosize(mma.atom_layout)).offsets().tolist()
        starts = ", ".join(map(str, free[:6])) + (", ..." if len(free) > 6 else "")
        raise LayoutError(
            f"make_tiled_mma: one {mma.atom.name} takes the threads {threads}, and others fit in beside it from the threads "
            f"{starts}; the atom layout {mma.atom_layout} goes through these {atoms} in steps that are no layout. Choose numbers of "
            f"atoms that are powers of two"
        ) from None


def _listed(layout: Layout, what: str) -> list:
    """All offsets, of what can be: LayoutError where there are more than any machine has."""
    if size(layout) > _MOST:
        raise LayoutError(f"{what} {layout} has {size(layout)} cells, more than {_MOST}: no CTA does so much at once")
    return layout.offsets().tolist()


_MOST = 1 << 16


def check_threads(mma):
    """No thread works for two atoms at once."""
    threads = _listed(mma.thr_layout_vmnk, "make_tiled_mma: the thread layout")
    if min(threads) < 0:
        raise LayoutError(
            f"make_tiled_mma: the atom layout {mma.atom_layout} gives the atom {_atom_of(threads.index(min(threads)), mma)} (M,N,K) "
            f"the thread {min(threads)}: threads count from 0, so its strides are 0 or more"
        )
    if len(set(threads)) == len(threads):
        return
    seen = {}
    for i, thread in enumerate(threads):
        if thread in seen:
            first, second = (_atom_of(j, mma) for j in (seen[thread], i))
            raise LayoutError(
                f"make_tiled_mma: thread {thread} is hit twice, by the atoms {first} and {second} (M,N,K): the atom layout "
                f"{mma.atom_layout} must give every atom threads of its own, as {Layout(mma.atom_layout.shape)} does"
            )
        seen[thread] = i


def _atom_of(i, mma):
    """The (M,N,K) of the atom that the i-th thread of the TiledMMA works for."""
    v, m, n, _k = mma.counts
    i //= v
    return text((i % m, i // m % n, i // m // n))


def check_inverse(threads: Layout, inverse: Layout):
    """`inverse` turns every thread index back into its place in `threads`."""
    used = threads.offsets().tolist()
    if any(thread >= size(inverse) or inverse(thread) != i for i, thread in enumerate(used)):
        first = next(t for t in range(max(used)) if t not in used)
        last = next(t for t in range(first, max(used) + 1) if t in used) - 1
        raise LayoutError(
            f"the threads {threads} leave gaps ({first} to {last}, ...), so that no layout gives (thread, value) -> cell of the "
            f"tile. Choose numbers of atoms that are powers of two; partitions and gemm work as it is"
        )


def check_permutation(mma, i, name):
    p = mma.permutation_mnk(i)
    n, step = size(p), mma.atom.shape_mnk[i] * mma.counts[i + 1]
    if isinstance(p, Layout):
        _check_bijective(p, n, name)
    if n % step:
        raise LayoutError(
            f"make_tiled_mma: the tile has {n} in {name}, but {mma.counts[i + 1]} atoms of "
            f"{mma.atom.shape_mnk[i]} cover {step}: choose a multiple of {step}"
        )
    if isinstance(p, Layout):
        atoms, rest = mma.counts[i + 1], p
        for k in (mma.atom.shape_mnk[i], atoms):
            cut = _cut(rest, k)
            if cut is None:
                raise LayoutError(
                    f"make_tiled_mma: the permutation {p} of {name} does not fit {atoms} atoms of {mma.atom.shape_mnk[i]}: {k} of the "
                    f"slots {rest} are no whole number of steps through its modes. Write it with modes whose extents, from the "
                    f"left, multiply to {mma.atom.shape_mnk[i]} and then to {step}"
                )
            rest = cut


def _cut(layout: Layout, n: int):
    """What is left of a layout when tiles of n are cut off, or None where some tile is not whole."""
    try:
        divided = logical_divide(layout, n)
    except LayoutError:
        return None
    return mode(divided, 1) if size(divided) == size(layout) else None


def check_whole_atoms(tv: Layout, atom: Layout, name: str):
    """The threads and the values of a tile, (thread, value) -> cell, are whole numbers of an atom's."""
    for i, what in enumerate(("threads", "values")):
        part, n = mode(tv, i), size(atom, i)
        if leaves(part.shape)[0] % n and _cut(part, n) is None:
            raise LayoutError(
                f"TiledCopy: {name} takes {n} {what} at once, and those of the tile are {part}: each {n} of them are no whole number "
                f"of steps through its modes. Take an atom that fits, or a {what[:-1]} layout whose extents, smallest stride first, multiply to {n}"
            )


def _check_bijective(p: Layout, n: int, name: str):
    images = _listed(p, f"make_tiled_mma: the permutation of {name},")
    if sorted(images) == list(range(n)):
        return
    seen = {}
    for i, image in enumerate(images):
        if image in seen:
            problem = f"{image} is hit twice, by {seen[image]} and by {i}"
            break
        seen[image] = i
    else:
        missing = next(j for j in range(n) if j not in seen)
        outside = next(j for j in images if not 0 <= j < n)
        problem = f"it reaches {outside}, outside of 0..{n - 1}, and never hits {missing}"
    raise LayoutError(
        f"make_tiled_mma: {p} is no permutation of {name}: {problem}. A permutation of {n} meets each of 0..{n - 1} once "
        f"(its size is {n}, its cosize {max(images) + 1})"
    )


def check_numbering(x, what) -> Layout:
    """`x` as a layout that numbers its cells 0, 1, ..., each once."""
    layout = x if isinstance(x, Layout) else Layout(x)
    numbers = _listed(layout, f"make_tiled_copy: the {what} layout")
    if sorted(numbers) != list(range(len(numbers))):
        twice = next((n for i, n in enumerate(numbers) if n in numbers[:i]), None)
        why = f"{what} {twice} is hit twice" if twice is not None else f"{what} {_first_missing(numbers)} is missing"
        raise LayoutError(
            f"make_tiled_copy: the {what} layout {layout} must number its {len(numbers)} cells 0 to {len(numbers) - 1}, "
            f"each once, but {why}"
        )
    return layout


def _first_missing(numbers):
    return next(n for n in range(len(numbers)) if n not in numbers)
