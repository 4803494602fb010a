"""Chapter 15, towards the roof: the exercises in which one writes a function."""

import random

from ...layout import Layout, rank, size
from ..answers import Refused
from ..compare import Fault, first_difference, read_layout, says
from ..exercises import FunctionExercise, Wrong

# ------------------------------------------------------------------------------------------------ 15.4


def pipelined_program(pipe, k_tiles, n=None, empty=True, fences=True) -> list:
    """What a thread of pipelined does: ("copy", tile), ("fence",), ("wait", n), ("multiply", tile)."""
    program, ahead = [], pipe - 1
    for t in range(ahead):
        program += [("copy", t)] if t < k_tiles else []
        program += [("fence",)] if (t < k_tiles or empty) and fences else []
    for k in range(k_tiles):
        program.append(("wait", pipe - 2 if n is None else n))
        copies = k + ahead < k_tiles
        program += [("copy", k + ahead)] if copies else []
        program += [("fence",)] if (copies or empty) and fences else []
        program.append(("multiply", k))
    return program


def programs() -> list[tuple]:
    """Right loops, loops with one thing wrong, and others; short ones first."""
    found = [
        [("copy", 0), ("fence",), ("wait", 0), ("multiply", 0)],
        [("copy", 0), ("fence",), ("copy", 1), ("fence",), ("wait", 1), ("multiply", 0), ("multiply", 1)],
        [("copy", 0), ("copy", 1), ("fence",), ("copy", 2), ("fence",), ("wait", 1), ("multiply", 1), ("multiply", 2)],
        [("copy", 0), ("wait", 0), ("multiply", 0), ("fence",), ("multiply", 0), ("wait", 0), ("multiply", 0)],
        [("copy", 0), ("fence",), ("wait", 0), ("copy", 1), ("fence",), ("multiply", 0), ("multiply", 1)],
        [("copy", 0), ("fence",), ("fence",), ("wait", 1), ("multiply", 0)],
        [("copy", 0), ("fence",), ("copy", 1), ("fence",), ("wait", 3), ("multiply", 0), ("multiply", 1)],
        [("copy", 0), ("fence",), ("copy", 1), ("fence",), ("wait", 0), ("wait", 1), ("multiply", 0), ("multiply", 1)],
    ]
    found += [pipelined_program(3, 5), pipelined_program(3, 5, n=2), pipelined_program(4, 6, empty=False)]
    found += [pipelined_program(2, 3, n=1), pipelined_program(3, 4, fences=False), pipelined_program(4, 2)]
    rng = random.Random(154)
    while len(found) < 40:
        program, started = [], 0
        for _step in range(rng.randint(6, 14)):
            kind = rng.choice(("copy", "copy", "fence", "fence", "wait", "multiply"))
            if kind == "copy":
                program.append(("copy", started))
                started += 1
            elif kind == "multiply" and started:
                program.append(("multiply", rng.randrange(started)))
            elif kind != "multiply":
                program.append(("fence",) if kind == "fence" else ("wait", rng.randint(0, 2)))
        found.append(program)
    return [(program,) for program in found]


def not_sure(program) -> list:
    """The tiles that are multiplied and not sure to be there, in order."""
    closed, opened, there, found = [], [], set(), []
    for what, *n in program:
        if what == "copy":
            opened += n
        elif what == "fence":
            closed.append(opened)
            opened = []
        elif what == "wait":
            there |= {tile for group in closed[: max(len(closed) - n[0], 0)] for tile in group}
        elif n[0] not in there:
            found += n
    return found


def _judge_not_sure(arguments, outcome) -> Fault | None:
    if isinstance(outcome, Refused):
        return Fault(f"raised an error: {outcome.message}")
    if not isinstance(outcome, (list, tuple)):
        return Fault(f"it has to return a list of tiles, not {says(outcome)}")
    want, yours = not_sure(*arguments), list(outcome)
    if first_difference(yours, want) is None and len(yours) == len(want):
        return None
    return Fault(f"{says(yours)} is not it", f"  wanted: {says(want)}")


def _each_copy_is_a_group(program):
    started, there, found = [], set(), []
    for what, *n in program:
        if what == "copy":
            started += n
        elif what == "wait":
            there |= set(started[: max(len(started) - n[0], 0)])
        elif what == "multiply" and n[0] not in there:
            found += n
    return found


def _counts_when_it_multiplies(program):
    closed, opened, last, found = [], [], None, []
    for what, *n in program:
        if what == "copy":
            opened += n
        elif what == "fence":
            closed.append(opened)
            opened = []
        elif what == "wait":
            last = n[0]
        else:
            sure = [] if last is None else closed[: max(len(closed) - last, 0)]
            if n[0] not in {tile for group in sure for tile in group}:
                found += n
    return found


def _open_copies_count(program):
    closed, there, found = [[]], set(), []
    for what, *n in program:
        if what == "copy":
            closed[-1] += n
        elif what == "fence":
            closed.append([])
        elif what == "wait":
            groups = closed if closed[-1] else closed[:-1]
            there |= {tile for group in groups[: max(len(groups) - n[0], 0)] for tile in group}
        elif n[0] not in there:
            found += n
    return found


def _no_empty_groups(program):
    closed, opened, there, found = [], [], set(), []
    for what, *n in program:
        if what == "copy":
            opened += n
        elif what == "fence":
            closed += [opened] if opened else []
            opened = []
        elif what == "wait":
            there |= {tile for group in closed[: max(len(closed) - n[0], 0)] for tile in group}
        elif n[0] not in there:
            found += n
    return found


def _slices_with(part, forgets=False):
    """A reader of programs to whom after wait(n) the groups part(closed, n) are there; and those before, unless it forgets."""

    def reader(program):
        closed, opened, there, found = [], [], set(), []
        for what, *n in program:
            if what == "copy":
                opened += n
            elif what == "fence":
                closed.append(opened)
                opened = []
            elif what == "wait":
                now = {tile for group in part(closed, n[0]) for tile in group}
                there = now if forgets else there | now
            elif n[0] not in there:
                found += n
        return found

    return reader


NOT_SURE = FunctionExercise(
    id="15.4",
    title="A missing wait",
    answer="not_sure",
    inputs=programs,
    judge=_judge_not_sure,
    hints=(
        "Keep three things while you go through the program: the copies since the last fence, the groups that are closed, and the tiles "
        "that are sure to be there.",
        "A fence closes a group with all copies since the last fence. It may be empty, and counts all the same.",
        "wait(n) makes sure of all closed groups but the n youngest: groups[: len(groups) - n], where that is not negative.",
        "What is sure stays so. What was started after the wait is not, whatever comes later, until the next wait.",
        "Copies that no fence has closed yet are in no group, so no wait speaks of them.",
    ),
    wrong=(
        Wrong(
            lambda program: [],
            "a copy that was started need not be there. Only a wait makes sure of it.",
            1,
        ),
        Wrong(
            _each_copy_is_a_group,
            "each copy counts as a group of its own. A group is all that was started between two fences.",
            2,
        ),
        Wrong(
            _no_empty_groups,
            "a fence without copies closes a group, too: an empty one, and wait counts it.",
            2,
        ),
        Wrong(
            _slices_with(lambda closed, n: closed[:n]),
            "wait(n) is read as: n groups are there. It says that n may still be under way.",
            3,
        ),
        Wrong(
            _slices_with(lambda closed, n: closed[:-n]),
            "groups[:-n] is empty where n is 0. wait(0) makes sure of all groups.",
            3,
        ),
        Wrong(
            _slices_with(lambda closed, n: closed[: len(closed) - n]),
            "where n is more than there are groups, len(groups) - n is negative, and Python counts it from the end.",
            3,
        ),
        Wrong(
            _slices_with(lambda closed, n: closed[: max(len(closed) - n, 0)], forgets=True),
            "a later wait that lets more be under way takes nothing back: what was there stays there.",
            4,
        ),
        Wrong(
            lambda program: [step[1] for step in program if step[0] == "multiply"],
            "that is all that it multiplies. Leave out what a wait has made sure of.",
            3,
        ),
        Wrong(
            lambda program: sorted(set(not_sure(program))),
            "these are the right tiles, once each and sorted. Asked is one entry for each multiplication, in their order.",
            4,
        ),
        Wrong(
            _counts_when_it_multiplies,
            "the groups are counted when the tile is multiplied. Those that were closed after the wait do not make older ones arrive.",
            4,
        ),
        Wrong(
            _open_copies_count,
            "the copies after the last fence count as a group. No fence has closed it, so no wait speaks of it.",
            5,
        ),
    ),
    because="That is all there is to cp.async: a fence closes a group, wait<N> leaves N of them under way. Whose copies? Only this "
    "thread's: the barrier after it makes sure of the others'.",
)

# ------------------------------------------------------------------------------------------------ 15.7


def grids() -> list[tuple]:
    """(tiles along m, tiles along n, band): the band divides both."""
    rng = random.Random(157)
    found = [(4, 6, 2), (8, 8, 4), (6, 3, 3)]
    while len(found) < 30:
        band = rng.choice((2, 3, 4, 8))
        found.append((band * rng.randint(2, 5), band * rng.randint(2, 6), band))
    return found


def bands(gm, gn, band) -> Layout:
    """(m,n) -> number of the block."""
    return Layout(((band, gm // band), gn), ((1, band * gn), band))


def _judge_bands(arguments, outcome) -> Fault | None:
    gm, gn, _band = arguments
    if isinstance(outcome, Refused):
        return Fault(f"raised an error: {outcome.message}")
    yours = read_layout(outcome)
    if isinstance(yours, Fault):
        return yours
    if not isinstance(yours, Layout) or rank(yours) != 2 or (size(yours, 0), size(yours, 1)) != (gm, gn):
        return Fault(
            f"{says(yours)} is no layout of ({gm},{gn}): it takes (m,n), and the first mode has two parts inside"
        )
    want = bands(*arguments)
    for n in range(gn):
        for m in range(gm):
            if yours(m, n) != want(m, n):
                return Fault(f"the tile ({m},{n}) is block {want(m, n)}, and yours says {yours(m, n)}")
    return None


BANDS = FunctionExercise(
    id="15.7",
    title="Bands",
    answer="my_bands",
    inputs=grids,
    judge=_judge_bands,
    hints=(
        "Write the numbers of a grid of (4,6) with bands of 2 into a table first: 0 and 1 in the first column, 2 and 3 in the second.",
        "m has two parts: the row inside its band, and which band it is. So the shape is ((band, gm // band), gn).",
        "One row further inside the band is the next block. One column further, all rows of the band have been passed.",
        "One band further, band * gn blocks have been passed.",
    ),
    wrong=(
        Wrong(
            lambda gm, gn, band: Layout((gm, gn)),
            "that is the order without bands: all rows of the grid, then the next column.",
            1,
        ),
        Wrong(
            lambda gm, gn, band: Layout(((band, gm // band), gn), ((gn, band * gn), 1)),
            "inside a band yours goes along a row first. Bands go down their few rows, then to the next column.",
            3,
        ),
        Wrong(
            lambda gm, gn, band: Layout((gm, (band, gn // band)), ((band), (1, band * gm))),
            "these are bands of columns. Here a band is a few rows of tiles.",
            2,
        ),
        Wrong(
            lambda gm, gn, band: Layout(((band, gm // band), gn), ((1, band * gm), band)),
            "the next band begins after band * gn blocks: a band is as long as the grid is wide.",
            4,
        ),
        Wrong(
            lambda gm, gn, band: Layout((band, gn, gm // band), (1, gm, band)),
            "that is the way back: from a block's number to its tile. Wanted is (m,n) -> number.",
            2,
        ),
    ),
    because="It is the order in which warp_tiled numbers its tiles, as a layout. Its kernel needs the way back, and takes "
    "remainders for it; right_inverse of this layout gives the same.",
)
