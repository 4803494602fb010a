"""Chapter 03, coalesce: its exercises, what their checkers hold to be right, and what learners answer instead.

Those that ask for a function stand in functions03.py.
"""

from ...algebra import coalesce
from ...layout import Layout, make_layout, rank, size
from ..compare import Fault, dict_fault, ints_fault, layout_fault, read_layout, says, values
from ..entries import each_fault
from ..exercises import Exercise, Wrong, simple
from .functions03 import ONE_RUN, WRITE, modes, short_fault


def is_spelled(answer, text: str) -> bool:
    """Whether an answer is this layout in this very spelling: here a mode of one cell more is another answer."""
    layout = read_layout(answer)
    return isinstance(layout, Layout) and str(layout) == text


# ------------------------------------------------------------------------------------------------ 03.1

CHAINS = {
    "a": "(4,2):(2,8)",
    "b": "(3,1,5):(2,7,6)",
    "c": "(2,(3,4)):(12,(4,1))",
    "d": "((2,2),(1,4),3):((1,2),(9,4),32)",
}

BY_HAND = Exercise(
    id="03.1",
    title="As short as it goes",
    answer="a03_1",
    judge=lambda data: dict_fault(
        data, {k: lambda entry, k=k: short_fault(entry, Layout.parse(CHAINS[k])) for k in CHAINS}
    ),
    hints=(
        "Write the modes in a row, without parentheses, as extent:stride. Strike out those with extent 1, and their "
        "strides with them.",
        "Go from the left. Two neighbours are one where extent times stride of the left one is the stride of the right "
        "one. The new mode has the product of the extents.",
        "The merged mode keeps the stride of its left part: that is where its first step goes.",
        "Look only at neighbours, in the order in which they stand. In c the chain is 2:12, 3:4, 4:1, and 2 * 12 is not 4.",
        "In d the chain is 2:1, 2:2, 4:4, 3:32 once the 1:9 is gone. The first three are 16:1. Is 16 * 1 equal to 32?",
    ),
    wrong=(
        Wrong({"a": "8:8"}, "a: the extents are merged rightly. But the first step of the layout goes from 0 to 2.", 3),
        Wrong({"a": "8:1"}, "a: no gaps inside does not mean stride 1. The first cells lie at 0, 2, 4.", 3),
        Wrong(
            {"b": "(3,1,5):(2,7,6)"},
            "b: 3 * 2 is not 7, true. But that 7 belongs to a mode of one cell.",
            1,
            like=lambda data: isinstance(data, dict) and is_spelled(data.get("b"), "(3,1,5):(2,7,6)"),
        ),
        Wrong(
            {"b": "(3,5):(2,6)"},
            "b: the mode of one cell is gone. Now 3:2 and 5:6 are neighbours, and nobody has looked at them yet.",
            2,
        ),
        Wrong({"c": "24:1"}, "c: it fills 0 to 23 without a gap, but in another order: cell 1 lies at 12.", 4),
        Wrong({"d": "48:1"}, "d: one merge too many. The last mode begins at 32, and the one before it ends at 16.", 5),
        Wrong({"d": "(4,4,3):(1,4,32)"}, "d: you merged inside the parentheses only. They are no border here.", 5),
    ),
    because="a: 4 * 2 = 8. b: the 1 goes, then 3 * 2 = 6. c: nothing merges, row-major runs the other way. d: 2 * 1 = 2, "
    "4 * 1 = 4, and 16 is not 32.",
)

# ------------------------------------------------------------------------------------------------ 03.2

PAIRS = {
    1: ("3:4", "5:12"),
    2: ("5:12", "3:4"),
    3: ("1:8", "4:2"),
    4: ("4:0", "3:0"),
    5: ("4:1", "2:5"),
    6: ("4:0", "3:1"),
    7: ("6:2", "1:50"),
}
WORDS = ("merge", "drop", "stay")


def move(left: str, right: str) -> str:
    """What coalesce does with two neighbours: which of the words."""
    (s0, d0), (s1, d1) = (modes(Layout.parse(mode))[0] for mode in (left, right))
    if 1 in (s0, s1):
        return "drop"
    return "merge" if rank(coalesce(Layout((s0, s1), (d0, d1)))) == 1 else "stay"


def _judge_move(number: int, word) -> Fault | None:
    if not isinstance(word, str) or simple(word) not in WORDS:
        return Fault(f"{says(word)} is none of the words {', '.join(WORDS)}")
    if simple(word) == move(*PAIRS[number]):
        return None
    (s0, d0), (s1, d1) = (modes(Layout.parse(mode))[0] for mode in PAIRS[number])
    both = Layout((s0, s1), (d0, d1))
    listed = ", ".join(map(str, values(both)[:10])) + (", ..." if size(both) > 10 else "")
    return Fault(f"{word} is not what happens to {s0}:{d0} and {s1}:{d1}. The addresses are {listed}")


NEIGHBOURS = Exercise(
    id="03.2",
    title="Merge, drop or stay?",
    answer="a03_2",
    judge=lambda data: each_fault(data, _judge_move, PAIRS),
    hints=(
        "First look for an extent of 1. Such a mode never steps, so it is dropped, whatever its stride says.",
        "Otherwise multiply extent and stride of the left mode. Is that the stride of the right one?",
        "Left and right are not the same: the left mode is counted first. 3:4 then 5:12 is 0, 4, 8, 12, ...; 5:12 then "
        "3:4 is 0, 12, 24, 36, 48, and then 4.",
        "The rule knows no exception for 0. In pair 4, 4 * 0 is 0, and that is the right stride. In pair 6 it is 0, and "
        "the right stride is 1.",
    ),
    wrong=(
        Wrong({2: "merge"}, "pair 2: these are the modes of pair 1, in the other order. Multiply on the left side.", 3),
        Wrong({3: "stay"}, "pair 3: 1 * 8 is not 2. But how often does the left mode step?", 1),
        Wrong({4: "stay"}, "pair 4: all twelve addresses are 0. One mode can say that, with stride 0.", 4),
        Wrong({4: "drop"}, "pair 4: a stride of 0 is not an extent of 1. The 12 cells have to stay 12.", 4),
        Wrong({5: "merge"}, "pair 5: 4 steps of 1 end at 4, and the right mode begins at 5. That is a jump.", 2),
        Wrong({6: "merge"}, "pair 6: the left mode stays at 0 for four cells, and then comes 1. 4 * 0 is not 1.", 4),
        Wrong({7: "stay"}, "pair 7: 6 * 2 is not 50, and it need not be: the right mode has one cell.", 1),
    ),
    because="1: 3 * 4 = 12. 2: 5 * 12 is 60, not 4. 3 and 7: one cell. 4: 4 * 0 = 0. 5: 4 is not 5. 6: 0 is not 1.",
)

# ------------------------------------------------------------------------------------------------ 03.3

A3 = make_layout((4, 3, 2, 5))  # the strides of 120:1; those of 120:3 are three times as long


STRIDES = Exercise(
    id="03.3",
    title="Strides that merge",
    answer="a03_3",
    judge=lambda data: ints_fault(data, [3 * step for step in A3.stride], index="mode"),
    hints=(
        "All four modes have to become one, 120:3. So its first step, from cell 0 to cell 1, goes 3 places.",
        "The stride of a mode is where the mode on its left ends: extent times stride of the left one.",
        "The first two modes are 4:3 and 3:12. Together they are 12:3, and end at 36.",
        "The last stride is 2 * 36.",
    ),
    wrong=(
        Wrong([1, 4, 12, 24], "this is 120:1. All strides grow with the first one.", 1),
        Wrong([3, 4, 12, 24], "the first step is 3 now. Where do four of these steps end?", 2),
        Wrong([3, 12, 36, 108], "you multiplied by 3 each time. Each mode has an extent of its own: 4, 3, 2.", 2),
        Wrong(
            [3, 9, 18, 90], "you multiplied by the extent of the mode itself. It is the left one that ends there.", 2
        ),
        Wrong([90, 30, 15, 3], "these run from the right, as row-major does. Coalesce counts the left mode first.", 1),
        Wrong([3, 3, 3, 3], "each mode would begin at 3. But the second one begins where the first has ended.", 2),
    ),
    because="3, then 4 * 3, then 3 * 12, then 2 * 36: each is where the mode on its left ends.",
)

# ------------------------------------------------------------------------------------------------ 03.4

A4 = Layout(((2, 4), (3, 1, 2)), ((1, 2), (8, 5, 24)))


def _judge_by_mode(data) -> Fault | None:
    if found := layout_fault(data, values(A4), name="your layout"):
        return found
    yours, wanted = read_layout(data), coalesce(A4, (1, 1))
    if rank(yours) != 2 or [size(m) for m in yours] != [size(m) for m in A4]:
        return Fault(f"{says(yours)} is the same function of one number. But a matrix is wanted: 8 rows, 6 columns")
    if len(modes(yours)) > len(modes(wanted)):
        return Fault(f"{says(yours)} is right, and each of its two modes could be one extent and one stride")
    return None


BY_MODE = Exercise(
    id="03.4",
    title="Rows and columns apart",
    answer="a03_4",
    judge=_judge_by_mode,
    hints=(
        "Coalesce the first mode, (2,4):(1,2), as if there were nothing else. Then the second one. Put them side by side.",
        "The rows: 2 * 1 = 2. So (2,4):(1,2) is one mode of 8 cells.",
        "The columns: strike out the 1 with its 5. What is left is 3:8 and 2:24, and 3 * 8 = 24.",
        "The rows are 8:1, the columns 6:8. By mode, nothing more is merged, though 8 * 1 = 8.",
    ),
    wrong=(
        Wrong(
            "48:1",
            "this merges rows with columns. It is the same function, and nobody can ask it for (3,2) any more.",
            4,
        ),
        Wrong(
            "(8,(3,2)):(1,(8,24))",
            "the 1 is gone. Look once more at 3:8 and 2:24, which are neighbours now.",
            3,
            like=lambda data: is_spelled(data, "(8,(3,2)):(1,(8,24))"),
        ),
        Wrong(
            "((2,4),6):((1,2),8)",
            "the columns are done. The rows can be shortened, too.",
            2,
            like=lambda data: is_spelled(data, "((2,4),6):((1,2),8)"),
        ),
        Wrong("(8,6):(1,24)", "the merged columns keep the stride on the left, 8: column 1 begins there.", 3),
        Wrong("(8,6):(1,5)", "the 5 belongs to a mode of one cell. It goes together with the 1.", 3),
        Wrong(
            "(8,6):(6,1)",
            "8 rows and 6 columns, yes. But the strides are not free: row 1 lies at 1, column 1 at 8.",
            4,
        ),
    ),
    because="coalesce(A, (1, 1)): 8:1 for the rows, 6:8 for the columns. Without the profile it would be 48:1.",
)

# ------------------------------------------------------------------------------------------------ 03.5

A5 = Layout((2, 3, 4, 1, 2), (1, 2, 8, 5, 32))
LINES5 = (
    "2:1  3:2  4:8  1:5  2:32     the chain",
    "2:1  3:2  4:8  2:32          1:5 has one cell",
    "6:1  4:8  2:32               2 * 1 = 2",
    "24:1  2:32                   6 * 1 = 6, and 6 < 8",
    "(24,2):(1,32)                24 * 1 is not 32",
)


def _judge_line(line) -> Fault | None:
    if not isinstance(line, int) or line not in range(1, len(LINES5) + 1):
        return Fault(f"{says(line)} is no line: write a number from 1 to {len(LINES5)}")
    if line == first_wrong_line():
        return None
    return Fault(
        f"line {line} is not the first that is wrong. Compare each line with the values of A, {values(A5)[:8]}"
    )


def chain_of(line: str) -> Layout:
    """The layout that a line of the derivation writes."""
    head = line.split("     ")[0].strip().split("  ")
    if len(head) == 1 and head[0].startswith("("):
        return Layout.parse(head[0])
    pairs = [tuple(map(int, mode.split(":"))) for mode in head if ":" in mode]
    return Layout(tuple(s for s, d in pairs), tuple(d for s, d in pairs))


def first_wrong_line() -> int:
    """The first line that is another function than A."""
    return next(n for n, line in enumerate(LINES5, 1) if values(chain_of(line)) != values(A5))


MISTAKE = Exercise(
    id="03.5",
    title="Find the mistake",
    answer="a03_5",
    judge=lambda data: dict_fault(data, {"line": _judge_line, "result": lambda entry: short_fault(entry, A5)}),
    hints=(
        "Each line has to give the same addresses as A, whose first values are 0, 1, 2, 3, 4, 5, 8, 9. Test the lines.",
        "A mode of one cell may go, wherever it stands. And 2:1 with 3:2 is 6:1. So far all is well.",
        "Merging needs equality: extent times stride of the left mode is the stride of the right one. A smaller "
        "number leaves a gap.",
        "6:1 and 4:8 stay two modes. Now look at 4:8 and 2:32, before you say that you are done.",
    ),
    wrong=(
        Wrong({"line": 2}, "line 2 is right: a mode of one cell goes, whatever its stride says.", 2),
        Wrong({"line": 3}, "line 3 is right: the first mode ends at 2, and 3:2 begins there.", 2),
        Wrong({"line": 5}, "24 * 1 is not 32, true. But was the 24:1 still the same function?", 1),
        Wrong(
            {"result": "(6,4,2):(1,8,32)"},
            "the wrong merge is undone. But 4:8 and 2:32 are neighbours, too, and nobody has looked at them.",
            4,
        ),
        Wrong({"result": "48:1"}, "A has gaps: after cell 5, at 5, comes cell 6, at 8. One stride cannot do that.", 3),
        Wrong({"result": "(24,2):(1,32)"}, "this is their result. At i = 6 it gives 6, and A gives 8.", 3),
    ),
    because="Line 4 merges over a gap: 6 is smaller than 8. Without that, 4:8 and 2:32 merge: (6,8):(1,8).",
)

# ------------------------------------------------------------------------------------------------ 03.8


def _judge_stubborn(data) -> Fault | None:
    a = read_layout(data)
    if isinstance(a, Fault):
        return a
    if size(a) != 64:
        return Fault(f"{says(a)} has size {says(size(a))}, and 64 cells are wanted")
    met = values(a)
    beyond = next((i for i, offset in enumerate(met) if not 0 <= offset < 64), None)
    if beyond is not None:
        return Fault(f"cell {beyond} lies at {met[beyond]}, and the places are 0 to 63")
    first: dict[int, int] = {}
    for i, offset in enumerate(met):
        if offset in first:
            return Fault(f"place {offset} is met twice, by the cells {first[offset]} and {i}; others never")
        first[offset] = i
    left = rank(coalesce(a))
    if left < 5:
        return Fault(
            f"each place is met once. But {says(a)} coalesces to {says(coalesce(a))}, and five modes must be left"
        )
    return None


def _view_stubborn(data):
    """The moves that coalesce makes on the layout, or why there are none to see."""
    a = read_layout(data)
    if isinstance(a, Fault):
        return f"03.8 · nothing to see yet: {a.sentence}"
    if len(modes(a)) > 12:
        return f"03.8 · {says(a)} has {len(modes(a))} modes, too many to draw"
    from ...draw import draw_coalesce

    return draw_coalesce(a)


def _keeps_two(data) -> bool:
    """Whether an answer meets each place once, and two modes are left of it."""
    a = read_layout(data)
    if isinstance(a, Fault) or size(a) != 64 or sorted(values(a)) != list(range(64)):
        return False
    return rank(coalesce(a)) == 2


STUBBORN = Exercise(
    id="03.8",
    title="A layout that stays long",
    answer="a03_8",
    judge=_judge_stubborn,
    view=_view_stubborn,
    hints=(
        "Where each of the places 0 to 63 is met once, the modes of extent 2 have the strides 1, 2, 4, 8, 16, 32, in some "
        "order. Begin with the shape (2,2,2,2,2,2).",
        "Two modes of extent 2 merge where the right stride is twice the left one. So never let 1 stand left of 2, 2 left "
        "of 4, and so on.",
        "Falling strides never merge. Neither do strides that jump: 1, 4, 16, ...",
        "The blocks of the lesson are one answer: their strides are 1, 4, 16, 2, 8, 32.",
    ),
    wrong=(
        Wrong(
            "64:1",
            "this is the shortest there is. You need six extents of 2, or nearly, and strides that do not fit.",
            1,
        ),
        Wrong(
            "(2,2,2,2,2,2):(1,2,4,8,16,32)",
            "six modes, and each begins where its left neighbour ends: all of them merge.",
            2,
        ),
        Wrong(
            "(8,8):(8,1)",
            "row-major keeps its two modes, and no more. Cut the extents into twos, and mix the strides.",
            3,
            like=_keeps_two,
        ),
        Wrong(
            "(2,2,2,2,2,2):(1,3,9,27,81,243)",
            "it does stay long, but it leaves the 64 places: strides of powers of three need more room.",
            1,
        ),
        Wrong(
            "(2,2,2,2,2,2):(1,1,1,1,1,1)",
            "nothing merges, that is right. But the cells fall on each other: each stride has to be there once.",
            1,
        ),
    ),
    because="(2,2,2,2,2,2):(32,16,8,4,2,1) stays as it is, and so does Z-order, (2,2,2,2,2,2):(1,8,2,16,4,32).",
)

EXERCISES = (BY_HAND, NEIGHBOURS, STRIDES, BY_MODE, MISTAKE, ONE_RUN, WRITE, STUBBORN)
