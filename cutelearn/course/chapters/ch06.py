"""Chapter 06, product and inverses: its exercises, what their checkers hold to be right, and what learners answer instead."""

from ...algebra import right_inverse
from ...draw import draw_product
from ...htuple import LayoutError
from ...layout import Layout, cosize, rank, size
from ...tiling import blocked_product, logical_product, raked_product
from ..compare import (
    Fault,
    first_difference,
    grids,
    ints_fault,
    layout_fault,
    read_layout,
    says,
    table,
    values,
)
from ..entries import each_fault
from ..exercises import Exercise, Wrong, simple
from .functions06 import BLOCKED, BUILD_TV, FIND_CELL

# ------------------------------------------------------------------------------------------------ 06.1

A1, B1 = Layout(3, 4), Layout((2, 4), (4, 1))

STARTS = Exercise(
    id="06.1",
    title="Where the copies begin",
    answer="a06_1",
    judge=lambda data: ints_fault(data, values(logical_product(A1, B1)[1]), index="copy"),
    hints=(
        "Two questions, one after the other. Where may copies of A begin at all, from the lowest place up? And which of "
        "these starts does B take first, second, third?",
        "A lies at 0, 4, 8. The lowest free place is 1, then 2, then 3. With those four copies the places 0 to 11 are "
        "full.",
        "So the starts are 0, 1, 2, 3, 12, 13, 14, 15: A* is (4,2):(1,12). They have the numbers 0 to 7.",
        "B's first mode turns fastest: B(0), B(1), B(2), ... are 0, 4, 1, 5, 2, 6, 3, 7. Start number 4 is place 12.",
    ),
    wrong=(
        Wrong([0, 4, 1, 5, 2, 6, 3, 7], "these are the numbers that B names. Each is the number of a start.", 4),
        Wrong([0, 1, 2, 3, 12, 13, 14, 15], "these are the eight starts, from the lowest up. B has its own order.", 4),
        Wrong(
            [0, 12, 3, 15, 6, 18, 9, 21], "you put the starts 3 apart, as if A had no holes. Its cells are 4 apart.", 2
        ),
        Wrong(
            [0, 36, 9, 45, 18, 54, 27, 63],
            "you put the starts 9 apart, a whole reach of A. The holes of A are filled first.",
            2,
        ),
        Wrong(
            [0, 16, 1, 17, 2, 18, 3, 19],
            "the copies at 0, 1, 2, 3 are right. Together they fill 0 to 11: where is the next free place?",
            3,
        ),
    ),
    because="The starts are 0, 1, 2, 3, 12, 13, 14, 15. B takes number 0, then 4, then 1, then 5, and so on.",
)

# ------------------------------------------------------------------------------------------------ 06.2

BUFFERS = {1: ("3:5", "2:1"), 2: ("(2,2):(4,1)", "2:2"), 3: ("(2,4):(4,1)", "6:1"), 4: ("4:2", "3:2")}


def _product(number: int) -> Layout:
    return logical_product(*map(Layout.parse, BUFFERS[number]))


def _judge_buffer(number: int, answer) -> Fault | None:
    if not isinstance(answer, int) or isinstance(answer, bool):
        return Fault(f"{says(answer)} is not an integer")
    made = _product(number)
    if answer == cosize(made):
        return None
    rows = [(k, says(values(made)[k * size(made) // size(made, 1) :][: size(made, 0)])) for k in range(size(made, 1))]
    what = "too small" if answer < cosize(made) else "more than is needed"
    return Fault(f"{answer} is {what}. See where the copies lie", table(("copy", "places"), rows))


MEMORY = Exercise(
    id="06.2",
    title="How large a buffer",
    answer="a06_2",
    judge=lambda data: each_fault(data, _judge_buffer, BUFFERS),
    hints=(
        "Write down where each copy lies. The buffer ends after the last place of all.",
        "size(A) * cosize(B) is what the complement is asked for, so that there are enough starts. It is not how far the "
        "copies reach.",
        "In 1 the copies begin at 0 and 1. In 2 they begin at 0 and 8, for B leaves out start number 1. In 4 they begin "
        "at 0, 8 and 16.",
        "The last place counts from 0: one more is the number of places.",
    ),
    wrong=(
        Wrong({1: 6}, "pair 1: six cells, yes. But they lie 5 places apart: 0, 5, 10.", 2),
        Wrong({1: 22}, "pair 1: the second copy does not wait for the end of the first. It begins in a hole.", 3),
        Wrong({2: 8}, "pair 2: two copies of four cells, but B takes starts number 0 and 2 and leaves a gap.", 3),
        Wrong({2: 12}, "pair 2: this is size(A) * cosize(B). The second copy begins at 8: where is its last cell?", 2),
        Wrong({4: 12}, "pair 4: twelve cells, yes. But the third copy begins at 16, for B names 0, 2 and 4.", 3),
        Wrong({4: 20}, "pair 4: this is size(A) * cosize(B). The third copy begins at 16: where is its last cell?", 2),
        Wrong({4: 22}, "pair 4: 22 is the last place. Places count from 0.", 4),
        Wrong({1: 11}, "pair 1: this is the last place, or the reach of A alone. How many places are 0 to 11?", 4),
    ),
    because="It is cosize(product): 12, 14, 48 and 23. Only in 3, where A has no holes and B leaves none out, is that "
    "size(A) * cosize(B).",
)

# ------------------------------------------------------------------------------------------------ 06.3

A3, B3 = Layout((2, 3), (3, 1)), Layout((2, 2), (1, 2))
CODES = {
    "a": ("blocked_product(A, B)", blocked_product(A3, B3)),
    "b": ("raked_product(A, B)", raked_product(A3, B3)),
    "c": ("blocked_product(B, A)", blocked_product(B3, A3)),
    "d": ("raked_product(B, A)", raked_product(B3, A3)),
    "e": ("blocked_product(A, Layout((2, 2), (2, 1)))", blocked_product(A3, Layout((2, 2), (2, 1)))),
}
PICTURES = {1: "b", 2: "e", 3: "c", 4: "a"}


def pictures() -> str:
    """The four pictures, two by two, as the notebook shows them."""
    rows = []
    for pair in ((1, 2), (3, 4)):
        rows.append("          ".join(f"picture {n}".ljust(17) for n in pair).rstrip())
        for i in range(4):
            cells = [CODES[PICTURES[n]][1] for n in pair]
            rows.append("          ".join(" ".join(f"{r(i, j):2}" for j in range(6)) for r in cells))
        rows.append("")
    return "\n".join(rows).rstrip()


def _judge_letter(number: int, letter) -> Fault | None:
    if not isinstance(letter, str) or simple(letter) not in CODES:
        return Fault(f"{says(letter)} is none of the letters {', '.join(CODES)}")
    if simple(letter) == PICTURES[number]:
        return None
    code, yours = CODES[simple(letter)]
    wanted = CODES[PICTURES[number]][1]
    return Fault(f"picture {number} is not what {code} gives", grids(values(yours), values(wanted), (4, 6)))


WHICH = Exercise(
    id="06.3",
    title="Blocked or raked?",
    answer="a06_3",
    judge=lambda data: each_fault(data, _judge_letter, PICTURES),
    hints=(
        "Find copy 0 first: its places are the lowest ones. A has 6 cells, so as a copy it is 0 to 5; B has 4 cells, so as "
        "a copy it is 0 to 3.",
        "Is copy 0 in one piece, or are its cells apart, with the other copies between them? One piece is blocked.",
        "What comes first in the brackets is what is copied. In blocked_product(B, A) the piece is B, two rows of two with "
        "0 and 1 below each other, and A says where the six copies go.",
        "a and e have the same pieces in different places. In a, copy 1 is below copy 0; in e, it is beside it.",
    ),
    wrong=(
        Wrong({1: "a", 4: "b"}, "pictures 1 and 4: blocked and raked are exchanged. Where do 0, 1, 2 lie together?", 2),
        Wrong({2: "a", 4: "e"}, "pictures 2 and 4: look where the second copy lies, with 6 in its corner.", 4),
        Wrong(
            {1: "d"},
            "picture 1: it is raked, yes. But of what are there copies: which cells belong to the first one?",
            3,
        ),
        Wrong({3: "d"}, "picture 3: here 0, 1, 2, 3 lie in one piece, so nothing is raked.", 2),
        Wrong({3: "a"}, "picture 3: the piece with the lowest places has two rows of two. Which layout is that?", 1),
        Wrong(
            {1: "c"}, "picture 1: 1 lies two columns from 0, and another copy between them: nothing is in one piece.", 2
        ),
    ),
    because="1: the six cells 0 to 5 lie apart, so A is raked. 2: blocks of A, the next one to the right. 3: blocks of B. "
    "4: blocks of A, the next one below. raked_product(B, A) is not shown.",
)

# ------------------------------------------------------------------------------------------------ 06.4

A4 = Layout((2, 4), (4, 1))
WANTED4 = blocked_product(A4, Layout((4, 2), (2, 1)))


def _judge_order(data) -> Fault | None:
    b = read_layout(data)
    if isinstance(b, Fault):
        return b
    if rank(b) != 2 or (size(b, 0), size(b, 1)) != (4, 2):
        return Fault(f"{says(b)} does not make 4 rows and 2 columns of copies")
    try:
        made = blocked_product(A4, b)
    except LayoutError as error:
        return Fault(f"blocked_product(A, B) refuses your B. {error}")
    return layout_fault(made, values(WANTED4), shape=(8, 8), name="blocked_product(A, B)")


WRITE_B = Exercise(
    id="06.4",
    title="Write B",
    answer="a06_4",
    judge=_judge_order,
    hints=(
        "B's shape says how many copies there are down and across. The tile has 8 rows and a block has 2; the tile has 8 "
        "columns and a block has 4.",
        "B does not hold addresses. It numbers the copies: 0 is the first 8 places of memory, 1 the next 8, and so on.",
        "Write the number of each copy into a grid of 4 rows and 2 columns: 0 1, then 2 3, then 4 5, then 6 7.",
        "One copy down is 2 numbers on, one copy to the right is 1 number on.",
    ),
    wrong=(
        Wrong(
            "(4,2):(1,4)", "this numbers the copies down the first column. The second block is to lie to the right.", 3
        ),
        Wrong("(4,2):(16,8)", "16 and 8 are distances in memory. B counts copies, and A* makes places of them.", 2),
        Wrong("(2,4):(4,1)", "this has two copies down and four across, so the tile would be 4 x 16.", 1),
        Wrong(
            "(8,8):(8,1)",
            "this makes a copy of A for each cell of the tile: 64 copies. How many are there down and across?",
            1,
        ),
        Wrong("(4,2):(8,1)", "one copy down is not 8 numbers on. How many copies lie in one row of copies?", 4),
        Wrong("(4,2):(4,1)", "4 is how many copies there are in a column. One copy down skips one row of copies.", 4),
    ),
    because="The grid of copy numbers is row-major: 4 rows of 2. What A looks like inside does not matter to B.",
)

# ------------------------------------------------------------------------------------------------ 06.5

INVERSES = {1: "(4,8):(8,1)", 2: "(2,3,4):(12,1,3)", 3: "(4,3):(1,8)", 4: "(4,3):(1,8)"}


def _judge_right(a: Layout, answer) -> Fault | None:
    r = read_layout(answer)
    if isinstance(r, Fault):
        return r
    longest = size(right_inverse(a))
    got = [a(r(k)) for k in range(min(size(r), longest))]
    if (at := first_difference(got, range(len(got)))) is not None:
        rows = [(k, r(k), got[k]) for k in range(at + 1)]
        return Fault(f"A(R({at})) is {got[at]}, and {at} is wanted", table(("k", "R(k)", "A(R(k))"), rows, at))
    if size(r) != longest:
        why = "memory goes on without a hole" if size(r) < longest else f"address {longest} is a hole"
        return Fault(f"{says(r)} has size {size(r)}, but {why}: {longest} are wanted")
    return None


def _judge_left(a: Layout, answer) -> Fault | None:
    left = read_layout(answer)
    if isinstance(left, Fault):
        return left
    got = [left(a(c)) for c in range(size(a))]
    at = first_difference(got, range(size(a)))
    if at is None:
        return None
    rows = [(c, a(c), got[c]) for c in range(at + 1)]
    return Fault(f"L(A({at})) is {got[at]}, and {at} is wanted", table(("c", "A(c)", "L(A(c))"), rows, at))


def _judge_inverse(number: int, answer) -> Fault | None:
    return (_judge_left if number == 4 else _judge_right)(Layout.parse(INVERSES[number]), answer)


INVERT = Exercise(
    id="06.5",
    title="Inverses by hand",
    answer="a06_5",
    judge=lambda data: each_fault(data, _judge_inverse, INVERSES),
    hints=(
        "For a right inverse go up through memory: first the mode with stride 1, then the one whose stride is what is "
        "covered so far, and so on. That is the order of its modes.",
        "Each mode keeps its extent. Its stride in the inverse is its step in A's own count of cells: all extents to the "
        "left of it in A, multiplied.",
        "In 2 the modes have the extents 2, 3, 4 and the steps 1, 2, 6 in A's count. In memory the order is: the 3, then "
        "the 4, then the 2.",
        "In 3 the mode of stride 1 covers the addresses 0 to 3. Nothing has stride 4: there the right inverse ends.",
        "In 4 the addresses are 0 to 3, 8 to 11, 16 to 19. An address is 8 j + i, and its cell is 4 j + i: take the digits "
        "with a layout of shape (8,3).",
    ),
    wrong=(
        Wrong({1: "(4,8):(8,1)"}, "1: this is A itself. Address 1 is the cell (0,1), and that is cell number 4.", 2),
        Wrong({1: "(8,4):(1,8)"}, "1: the modes are in the right order, their strides are still steps in memory.", 2),
        Wrong(
            {2: "(3,4,2):(1,3,12)"}, "2: the order is right. 1, 3, 12 are steps in memory; the inverse gives cells.", 2
        ),
        Wrong(
            {2: "(2,3,4):(1,2,6)"}, "2: the steps are right, but not the order: address 1 is in the mode of 3 cells.", 3
        ),
        Wrong({3: "(4,3):(1,4)"}, "3: your fifth answer is for address 4. Does any cell of A lie there?", 4),
        Wrong({3: "(8,3):(1,4)"}, "3: this one is for question 4. A right inverse has to be true at every address.", 4),
        Wrong(
            {4: "4:1"}, "4: that is the right inverse, and it ends at the hole. Cell 4 lies at 8: you say 8 there.", 5
        ),
        Wrong(
            {4: "(4,3):(1,8)"},
            "4: this is A itself. Undo it: what comes in is an address, 8 say, and cell 4 goes out.",
            5,
        ),
        Wrong(
            {4: "(4,3):(1,4)"},
            "4: shape (4,3) takes address 8 for (0,2). There are 8 places from one column to the next.",
            5,
        ),
    ),
    because="1: (8,4):(4,1). 2: (3,4,2):(2,6,1), or (12,2):(2,1) for short. 3: 4:1, for address 4 is a hole. "
    "4: (8,3):(1,4); what it says about the holes is up to you.",
)

# ------------------------------------------------------------------------------------------------ 06.9

FORMS = {"blocked": blocked_product, "raked": raked_product}


def _own_product(data):
    """The answer's A, B and product, or a Fault."""
    keys = ("A", "B", "form")
    if not isinstance(data, dict) or any(key not in data for key in keys):
        return Fault('keep the form {"A": ..., "B": ..., "form": ...}')
    a, b = read_layout(data["A"]), read_layout(data["B"])
    for name, read in (("A", a), ("B", b)):
        if isinstance(read, Fault):
            return Fault(f"{name}: {read.sentence}", read.beside)
        if rank(read) != 2:
            return Fault(f"{name} = {says(read)} is no matrix: it has to have two modes, rows and columns", at=name)
        if size(read) > 64:
            return Fault(f"{name} = {says(read)} has more than 64 cells", at=name)
    if not isinstance(data["form"], str) or simple(data["form"]) not in FORMS:
        return Fault(f"the form {says(data['form'])} is neither 'blocked' nor 'raked'")
    try:
        return a, b, FORMS[simple(data["form"])](a, b)
    except LayoutError as error:
        return Fault(f"this product is refused. {error}")


def _judge_own(data) -> Fault | None:
    made = _own_product(data)
    if isinstance(made, Fault):
        return made
    a, b, r = made
    if (size(r, 0), size(r, 1)) != (8, 8):
        return Fault(f"{says(r)} has {size(r, 0)} rows and {size(r, 1)} columns, and 8 and 8 are wanted")
    if min(size(a), size(b)) == 1:
        return Fault("a product with a single cell is nothing new: give A and B at least two cells each")
    if free := sorted(set(range(64)) - set(values(r))):
        return Fault(f"{says(r)} leaves places free: {', '.join(map(str, free[:4]))}{', ...' if len(free) > 4 else ''}")
    return None


def _own_like(test):
    """An answer that is a product, and of which this holds."""

    def like(data):
        made = _own_product(data)
        return not isinstance(made, Fault) and test(*made)

    return like


OWN = Exercise(
    id="06.9",
    title="A tile of your own",
    answer="a06_9",
    judge=_judge_own,
    hints=(
        "Rows multiply: 8 = rows of A times rows of B, and the same for columns. A of shape (2,4) needs B of shape (4,2).",
        "Every place from 0 to 63 is met once if A is compact, such as (2,4):(4,1), and B too. With holes in A it also "
        "works: the holes are filled, if there are copies enough.",
        "B counts copies: for (4,2) its strides are (1,4) or (2,1), never distances in memory.",
        "Such as A = (2,4):(4,1), B = (4,2):(2,1), blocked. Now change the order of one of them.",
    ),
    wrong=(
        Wrong(
            {"A": "(2,4):(4,1)", "B": "(4,4):(1,4)"},
            "rows and columns multiply, and these do not come to 8 and 8.",
            1,
            like=_own_like(lambda a, b, r: (size(r, 0), size(r, 1)) != (8, 8)),
        ),
        Wrong(
            {"A": "(8,8):(8,1)", "B": "(1,1):(0,0)"},
            "one of the two has a single cell, so nothing is repeated. Begin with a smaller A.",
            1,
            like=_own_like(lambda a, b, r: size(r) == 64 and min(size(a), size(b)) == 1),
        ),
        Wrong(
            {"A": "(2,4):(4,1)", "B": "(4,2):(16,8)"},
            "your B jumps over starts, as if it spoke of memory. It counts copies, 0 to 7 for eight of them.",
            3,
            like=_own_like(lambda a, b, r: cosize(r) > 64 and cosize(b) > size(b)),
        ),
        Wrong(
            {"A": "(2,4):(4,1)", "B": "(4,2):(1,0)"},
            "your B names some copies twice: they lie on one another, and places stay free.",
            3,
            like=_own_like(lambda a, b, r: len(set(values(b))) < size(b)),
        ),
        Wrong(
            {"A": "(2,4):(64,1)", "B": "(4,2):(1,4)"},
            "B is right, and A has more holes than the eight copies can fill.",
            2,
            like=_own_like(lambda a, b, r: cosize(r) > 64 and cosize(b) == size(b) == len(set(values(b)))),
        ),
    ),
    because="Any A whose holes the copies can fill, and any B that numbers the copies, will do. Blocked or raked only says "
    "where in the tile the copies lie.",
    view=lambda data: (
        made.sentence
        if isinstance(made := _own_product(data), Fault)
        else draw_product(made[0], made[1], simple(data["form"]))
    ),
)

EXERCISES = (STARTS, MEMORY, WHICH, WRITE_B, INVERT, FIND_CELL, BUILD_TV, BLOCKED, OWN)
