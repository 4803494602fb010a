"""Chapter 10, tiled MMA and tiled copy: the two exercises whose answer is a function."""

import random

from ...algebra import right_inverse
from ...atoms.library import atom
from ...atoms.mma import make_tiled_mma
from ...htuple import _
from ...layout import Layout, LayoutRight, size
from ...tensor import make_identity_tensor
from ..answers import Refused
from ..compare import Fault, beside_values, first_difference, ints_fault, says
from ..exercises import FunctionExercise, Wrong

# ------------------------------------------------------------------------------------------------ 10.7


def permutations_and_slots() -> list[tuple]:
    """(permutation, slots of a thread). First the two of the colleague's test, which are their own inverses."""
    cases = [
        (Layout((2, 2, 2), (1, 4, 2)), (0, 1, 2, 3)),
        (Layout(16), (0, 1, 8, 9)),
        (Layout((4, 4, 2), (1, 8, 4)), (0, 1, 2, 3, 16, 17, 18, 19)),
        (Layout((4, 4, 2), (1, 8, 4)), (8, 9, 10, 11, 24, 25, 26, 27)),
        (Layout((16, 4, 2), (1, 32, 16)), (16, 24, 80, 88)),
        (Layout((2, 4), (4, 1)), (1, 3, 5, 7)),
    ]
    rng = random.Random(10)
    while len(cases) < 60:
        shape = tuple(rng.choice((2, 3, 4, 8)) for _i in range(3))
        order, stride, step = rng.sample(range(3), 3), [0, 0, 0], 1
        for i in order:
            stride[i], step = step, step * shape[i]
        p = Layout(shape, tuple(stride))
        cases.append((p, tuple(sorted(rng.sample(range(size(p)), 4)))))
    return cases


def _judge_rows(arguments, outcome) -> Fault | None:
    if isinstance(outcome, Refused):
        return Fault(f"raised an error: {outcome.message}")
    permutation, slots = arguments
    return ints_fault(outcome, [permutation(slot) for slot in slots], index="slot number")


MEND_ROWS = FunctionExercise(
    id="10.7",
    title="It passed its test",
    answer="rows_of_thread",
    inputs=permutations_and_slots,
    judge=_judge_rows,
    hints=(
        "The test uses permutations that are their own inverses. Try p = (4,4,2):(1,8,4) with the slots 0 to 3 and 16 to 19.",
        "What does a TiledMMA's permutation say: to which row a slot goes, or from which slot a row comes?",
        "It is slot -> row, and the slots are given. Nothing has to be turned round.",
        "Ask the layout itself: permutation(slot), for each slot.",
    ),
    wrong=(
        Wrong(
            lambda permutation, slots: [right_inverse(permutation)(slot) for slot in slots],
            "this is still the colleague's. Both of their tests pass; the lesson's permutation does not.",
            2,
        ),
        Wrong(
            lambda permutation, slots: list(slots),
            "these are the slots. To which rows do they go?",
            4,
        ),
        Wrong(
            lambda permutation, slots: [permutation(v) for v in range(len(slots))],
            "you asked for the slots 0, 1, 2, ... in place of this thread's own.",
            4,
        ),
        Wrong(
            lambda permutation, slots: sorted(permutation(slot) for slot in slots),
            "the rows are right. Their order is that of the slots: the thread's values stay in it.",
            4,
        ),
    ),
    because="[permutation(slot) for slot in slots]. A test of such a function needs a permutation that is not its own inverse.",
)

# ------------------------------------------------------------------------------------------------ 10.9

ATOMS_9 = {
    name: (atom(name).c_layout, atom(name).shape_mnk[:2])
    for name in ("SM80_16x8x16_F32F16F16F32_TN", "SM80_8x8x4_F64F64F64F64_TN", "SM75_8x8x16_S32S8S8S32_TN")
}


def tiles_of_c() -> list[tuple]:
    """(c, shape, atoms, permutation, t): small ones first, then random ones of every order."""
    c, shape = ATOMS_9["SM80_16x8x16_F32F16F16F32_TN"]
    f64, square = ATOMS_9["SM80_8x8x4_F64F64F64F64_TN"]
    cases = [
        (f64, square, Layout((1, 1)), Layout(8), 5),
        (c, shape, Layout((2, 2)), Layout(32), 40),
        (c, shape, Layout((2, 2), LayoutRight), Layout(32), 40),
        (c, shape, Layout((2, 1)), Layout(64), 40),
        (c, shape, Layout((4, 1)), Layout((16, 4, 2), (1, 32, 16)), 65),
    ]
    rng = random.Random(109)
    while len(cases) < 200:
        c, (m, n) = rng.choice(list(ATOMS_9.values()))
        a, b, repeats = rng.choice((1, 2, 4)), rng.choice((1, 2, 4)), rng.choice((1, 2, 4))
        permutation = rng.choice((
            Layout(m * a * repeats),
            Layout((m, a, repeats), (1, m * repeats, m)),
            Layout((m // 2, 2, a * repeats), (1, m // 2 * a * repeats, m // 2)),
        ))  # fmt: skip
        atoms = Layout((a, b), rng.choice(((1, a), (b, 1))))
        cases.append((c, (m, n), atoms, permutation, rng.randrange(size(c, 0) * a * b)))
    return cases


def _wanted(c, shape, atoms, permutation, t) -> list[tuple[int, int]]:
    name = next(name for name, known in ATOMS_9.items() if known == (c, shape))
    mma = make_tiled_mma(name, atoms, (permutation, _, _))
    tile = make_identity_tensor(mma.tile_shape[:2])
    return [(int(m), int(n)) for m, n in mma.get_slice(t).partition_C(tile)]


def _judge_cells(arguments, outcome) -> Fault | None:
    if isinstance(outcome, Refused):
        return Fault(f"raised an error, and the thread is there. {outcome.message}")
    wanted = _wanted(*arguments)
    if not isinstance(outcome, (list, tuple)):
        return Fault(f"{says(outcome)} is not a list of cells: [(0, 0), ...]")
    yours = [tuple(cell) if isinstance(cell, (list, tuple)) else cell for cell in outcome]
    at = first_difference(yours, wanted)
    if at is None:
        return None
    if at < min(len(yours), len(wanted)):
        return Fault(f"value {at} of thread {arguments[4]} is another cell", beside_values(yours, wanted, "value"))
    return Fault(
        f"you have {len(yours)} cells, and thread {arguments[4]} holds {len(wanted)}",
        beside_values(yours, wanted, "value"),
    )


def _cells(c, shape, atoms, permutation, t, *, place=None, slot=None, row=None, split=None, rest_first=False):
    """The cells of a thread; each argument may put a learner's way in place of the right one."""
    (m, n), (a, b), threads = shape, atoms.shape, size(c, 0)
    where = place or (lambda number: next((i, j) for j in range(b) for i in range(a) if atoms(i, j) == number))
    slot = slot or (lambda u, i, r, repeats: u + m * (i + a * r))
    row = row or permutation
    split = split or (lambda cell: (cell % m, cell // m))
    i, j = where(t // threads)
    repeats = size(permutation) // (m * a)
    order = [(v, r) for r in range(repeats) for v in range(size(c, 1))]
    if rest_first:
        order = [(v, r) for v in range(size(c, 1)) for r in range(repeats)]
    found = []
    for v, r in order:
        u, w = split(c(t % threads, v))
        found.append((row(slot(u, i, r, repeats)), w + n * j))
    return found


def _counted_down(c, shape, atoms, permutation, t):
    return _cells(
        c, shape, atoms, permutation, t, place=lambda number: (number % atoms.shape[0], number // atoms.shape[0])
    )


def _in_a_block(c, shape, atoms, permutation, t):
    return _cells(c, shape, atoms, permutation, t, slot=lambda u, i, r, repeats: u + shape[0] * (i * repeats + r))


def _permuted_too_early(c, shape, atoms, permutation, t):
    """The permutation asked with the row in the atom, in place of the slot of the tile."""
    slots = _cells(c, shape, atoms, permutation, t, row=lambda slot: slot)
    return [(permutation(slot % shape[0]) + slot // shape[0] * shape[0], n) for slot, n in slots]


def _by_rows(c, shape, atoms, permutation, t):
    return _cells(c, shape, atoms, permutation, t, split=lambda cell: (cell // shape[1], cell % shape[1]))


def _once(c, shape, atoms, permutation, t):
    return _cells(c, shape, atoms, permutation, t)[: size(c, 1)]


def _atom_only(c, shape, atoms, permutation, t):
    return [(permutation(c(t % size(c, 0), v) % shape[0]), c(t % size(c, 0), v) // shape[0]) for v in range(size(c, 1))]


CELLS_OF_C = FunctionExercise(
    id="10.9",
    title="Write partition_C",
    answer="my_cells",
    inputs=tiles_of_c,
    judge=_judge_cells,
    hints=(
        "Take t apart: with T = size(c, 0) threads an atom, t % T is the thread in its atom, and t // T the number of the atom. "
        "Where the atom stands, the layout atoms knows.",
        "Find the atom's place as in 08.7: try every (i,j) of atoms.shape until atoms(i, j) == t // T. It may be numbered down or "
        "along.",
        "c(thread, v) is a cell of the atom, counted down its columns: row % M and // M, with the atom's M.",
        "The atoms cover M * a rows. Then it begins again: repeat r adds M * a * r to the slot. The tile is size(permutation) tall, "
        "so there are size(permutation) // (M * a) repeats.",
        "slot = u + M * (i + a * r), column = w + N * j. The row is permutation(slot). Values of an atom turn first, repeats last.",
    ),
    wrong=(
        Wrong(
            lambda c, shape, atoms, permutation, t: _cells(c, shape, atoms, permutation, t, row=lambda slot: slot),
            "right as long as nothing is permuted: these are slots. To which rows do they go?",
            5,
        ),
        Wrong(
            lambda c, shape, atoms, permutation, t: _cells(c, shape, atoms, permutation, t, row=right_inverse(permutation)),
            "this is the inverse. A permutation is slot -> row: ask it, as it is, with the slot.",
            5,
        ),
        Wrong(
            _permuted_too_early,
            "right as long as nothing is permuted. The permutation wants the slot of the whole tile, and you asked it with the row "
            "in the atom.",
            5,
        ),
        Wrong(
            _counted_down,
            "right as long as the atoms are numbered down M. With (2,2):(2,1) the next atom is to the right.",
            2,
        ),
        Wrong(
            _once,
            "that is one atom's. How often do the atoms fit into the tile's rows?",
            4,
        ),
        Wrong(
            _in_a_block,
            "you gave each warp its repeats as one block. All atoms along M come first; then the whole begins again.",
            4,
        ),
        Wrong(
            lambda c, shape, atoms, permutation, t: _cells(c, shape, atoms, permutation, t, rest_first=True),
            "all cells are right, their order is not: the values of one atom come first, then the next repeat.",
            5,
        ),
        Wrong(
            _by_rows,
            "c counts cells down the columns of the atom, whatever its name says: row = cell % M.",
            3,
        ),
        Wrong(
            _atom_only,
            "these are the cells of atom 0. Where does the thread's own atom stand?",
            1,
        ),
    ),
    because="Four lines of sums. CuTe's thrfrg_C does it with divides: permute, cut by the atom, compose with c, cut by the atoms.",
)  # fmt: skip
