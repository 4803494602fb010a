"""Chapter 06: the exercises in which a function is written. See ch06.py for the others."""

import random

from ...algebra import complement, composition, left_inverse, right_inverse
from ...htuple import LayoutError
from ...layout import Layout, cosize, make_layout, rank, size
from ...tiling import blocked_product, logical_product, raked_product
from ...views import with_shape
from ..answers import Refused
from ..compare import Fault, beside_values, layout_fault, read_layout, says, values
from ..exercises import FunctionExercise, Wrong

# ------------------------------------------------------------------------------------------------ 06.6

LOOKED_UP = (
    "(4,8):(8,1)", "(4,8):(1,4)", "(8,4):(1,10)", "(4,8):(9,1)", "4:2", "(3,2):(2,8)", "(4,3):(1,8)", "(2,2):(4,1)",
    "(2,4,6):(4,1,8)", "((2,2),3):((1,8),2)",
)  # fmt: skip


def addresses_to_find() -> list[tuple]:
    """(A, address): every address of each layout, its holes, and some past its end."""
    return [(a, k) for a in map(Layout.parse, LOOKED_UP) for k in range(2 * cosize(a) + 2)]


def _cell_at(a: Layout, address: int) -> int:
    return next((c for c in range(size(a)) if a(c) == address), -1)


def _judge_cell(arguments, outcome) -> Fault | None:
    a, address = arguments
    wanted = _cell_at(a, address)
    if outcome == wanted and isinstance(outcome, int) and not isinstance(outcome, bool):
        return None
    if isinstance(outcome, Refused):
        return Fault(f"raised an error, and the answer is {wanted}. {outcome.message}")
    if not isinstance(outcome, int):
        return Fault(f"gave {says(outcome)}, and the number of a cell is wanted, or -1")
    if wanted == -1:
        said = f"{a}({outcome}) is {a(outcome)}" if 0 <= outcome < size(a) else f"{a} has the cells 0 to {size(a) - 1}"
        return Fault(f"no cell of {a} lies at {address}, so -1 is wanted; you say {outcome}, but {said}")
    return Fault(f"at {address} lies cell {wanted} of {a}, and you say {outcome}")


def _trust_the_left_inverse(A, address):
    return left_inverse(A)(address)


def _no_end(A, address):
    cell = left_inverse(A)(address)
    return cell if A(cell) == address else -1


def _only_the_end(A, address):
    cell = left_inverse(A)(address)
    return cell if cell < size(A) else -1


def _only_the_reach(A, address):
    return left_inverse(A)(address) if address < cosize(A) else -1


def _right_and_checked(A, address):
    cell = right_inverse(A)(address)
    return cell if cell < size(A) and A(cell) == address else -1


FIND_CELL = FunctionExercise(
    id="06.6",
    title="Find the mistake: who lies here?",
    answer="cell_of",
    inputs=addresses_to_find,
    judge=_judge_cell,
    hints=(
        "Try the colleague's function on a padded matrix: cell_of(Layout((8, 4), (1, 10)), 10). The cell (0,1) lies there, "
        "and that is number 8.",
        "A right inverse is good up to the first hole of memory. The inverse that holds beyond holes is the other one.",
        "left_inverse(A) is true for addresses that A gives. For a hole it says something, too. How do you find out? Ask A "
        "where that cell lies.",
        "A(cell) == address is not the whole test: A's last mode is open, so A also answers for cells that it does not "
        "have. The cells are 0 to size(A) - 1.",
    ),
    wrong=(
        Wrong(
            lambda A, address: right_inverse(A)(address),
            "this is still the colleague's function. Beyond the first hole a right inverse is no longer true.",
            1,
        ),
        Wrong(
            _trust_the_left_inverse,
            "every cell is found. But for a hole you name a cell too, and none lies there.",
            3,
        ),
        Wrong(
            _only_the_end,
            "cells and the far end are right. In a hole between the cells you still name a cell that lies elsewhere.",
            3,
        ),
        Wrong(
            _only_the_reach,
            "up to the cosize there may be holes as well: there you still name a cell that lies elsewhere.",
            3,
        ),
        Wrong(
            _no_end,
            "holes are found. But past its end A goes on counting, and you name a cell that it does not have.",
            4,
        ),
        Wrong(
            _right_and_checked,
            "you never name a wrong cell now. But some cells you do not find, because the right inverse knows nothing of "
            "them.",
            2,
        ),
    ),
    because="The left inverse proposes a cell, and A confirms it. One learner compared two left inverses of (4,2):(1,16) and "
    "took one for a bug, because they differ in the holes. Both undo A; only the law counts.",
)

# ------------------------------------------------------------------------------------------------ 06.7


def _tv_of(thr: Layout, val: Layout) -> Layout:
    return with_shape(right_inverse(raked_product(thr, val)), (size(thr), size(val)))


def pictures_to_deal() -> list[tuple]:
    """(thr, val): the learner's case first, then that of sgemm_2, then others."""
    pairs = [
        ("(2,4):(4,1)", "(1,2):(2,1)"), ("(32,8):(1,32)", "(4,1):(1,4)"), ("(2,4):(4,1)", "(2,2):(2,1)"),
        ("(2,4):(1,2)", "(2,2):(1,2)"), ("(4,8):(8,1)", "(2,4):(4,1)"), ("(16,8):(8,1)", "(1,8):(8,1)"),
        ("(3,5):(5,1)", "(2,3):(1,2)"), ("(8,4):(1,8)", "(1,1):(1,1)"), ("((2,2),4):((1,8),2)", "(2,1):(1,2)"),
    ]  # fmt: skip
    return [tuple(map(Layout.parse, pair)) for pair in pairs]


def _judge_tv(arguments, outcome) -> Fault | None:
    thr, val = arguments
    if isinstance(outcome, Refused):
        return Fault(f"raised an error, and there is a TV layout. {outcome.message}")
    tv = read_layout(outcome)
    if isinstance(tv, Fault):
        return tv
    t, v = size(thr), size(val)
    if rank(tv) != 2 or (size(tv, 0), size(tv, 1)) != (t, v):
        return Fault(f"{says(tv)} does not take (thread, value): {t} threads and {v} values are wanted, as two modes")
    wanted = _tv_of(thr, val)
    for thread in range(t):
        yours, its = ([x(thread, k) for k in range(v)] for x in (tv, wanted))
        if yours != its:
            return Fault(f"thread {thread} gets other cells", beside_values(yours, its, "value"))
    return None


BUILD_TV = FunctionExercise(
    id="06.7",
    title="Threads and values",
    answer="tv_layout",
    inputs=pictures_to_deal,
    judge=_judge_tv,
    hints=(
        "First the grid of numbers, from a cell to t + T * v, where T is the number of threads. It is a product of the two "
        "pictures. Then turn it round.",
        "What is copied is the picture of the threads, once for each value: thr stands on the left. And the values of one "
        "thread lie together, so the copies lie between each other.",
        "raked_product(thr, val) goes from a cell to a number. You want to go from a number to a cell: right_inverse.",
        "The inverse takes numbers. with_shape(inverse, (size(thr), size(val))) reads them as (thread, value).",
    ),
    wrong=(
        Wrong(lambda thr, val: raked_product(thr, val), "this goes from a cell to a number. Turn it round.", 3),
        Wrong(
            lambda thr, val: right_inverse(raked_product(thr, val)),
            "the cells are in the right order, but the layout does not take two coordinates, thread and value.",
            4,
        ),
        Wrong(
            lambda thr, val: with_shape(right_inverse(blocked_product(thr, val)), (size(thr), size(val))),
            "with blocked_product the threads lie together, and the values of one thread far apart.",
            2,
        ),
        Wrong(
            lambda thr, val: with_shape(right_inverse(raked_product(val, thr)), (size(thr), size(val))),
            "with val on the left the values are copied, once for each thread, and the numbers are v + V * t.",
            2,
        ),
        Wrong(
            lambda thr, val: with_shape(right_inverse(raked_product(thr, val)), (size(val), size(thr))),
            "(value, thread) is the wrong way round: the numbers t + T * v count the threads first.",
            4,
        ),
        Wrong(
            lambda thr, val: composition(right_inverse(raked_product(thr, val)), (size(thr), size(val))),
            "a tuple works by mode, and the inverse's modes are no threads and values. One walk is a Layout, or with_shape.",
            4,
        ),
        Wrong(
            lambda thr, val: with_shape(right_inverse(logical_product(thr, val)), (size(thr), size(val))),
            "logical_product puts all threads into the rows and all values into the columns. The tile has rows with rows.",
            2,
        ),
    ),
    because="The learner of the first case printed the raked product, ((1,2),(2,4)):((16,4),(8,1)), and asked where these "
    "numbers come from. They are t + 8 * v: 4 and 1 are the strides of the threads, and 8 is one value on.",
)

# ------------------------------------------------------------------------------------------------ 06.8


WIDE = 10  # columns of a matrix that is shown as one, beside another


def pairs_to_multiply(count: int = 300) -> list[tuple]:
    """(A, B), two modes each: first those of the lesson, then random ones, with holes in A and with gaps in B."""
    told = ["(2,2):(2,1) (2,3):(1,2)", "(2,2):(4,1) (2,3):(1,2)", "(2,4):(4,1) (4,2):(2,1)", "(2,5):(5,1) (3,4):(1,3)"]
    pairs = [tuple(map(Layout.parse, line.split())) for line in told]
    rng = random.Random(61)
    while len(pairs) < count:
        a, b = _spread(rng, 3), _spread(rng, 2)
        try:
            blocked_product(a, b)
            complement(a, size(a) * cosize(b))
        except LayoutError:
            continue
        pairs.append((a, b))
    return pairs


def _spread(rng: random.Random, most: int) -> Layout:
    """Two modes in either order of memory, with a factor up to `most` between their strides and what lies below."""
    shape = rng.randint(1, 5), rng.randint(1, 5)
    first = rng.choice((0, 1))
    low = rng.choice((1, 1, most))
    high = low * shape[first] * rng.choice((1, 1, most))
    return Layout(shape, (low, high) if first == 0 else (high, low))


def _judge_blocked(arguments, outcome) -> Fault | None:
    a, b = arguments
    wanted = blocked_product(a, b)
    if isinstance(outcome, Refused):
        return Fault(f"raised an error, and there is a blocked product. {outcome.message}")
    shape = tuple(size(wanted, k) for k in range(2))
    yours = read_layout(outcome)
    if isinstance(yours, Layout) and (rank(yours) != 2 or (size(yours, 0), size(yours, 1)) != shape):
        got = tuple(size(yours, k) for k in range(rank(yours)))
        return Fault(f"your layout has modes of size {got}, and {shape[0]} rows, {shape[1]} columns are wanted")
    as_grid = shape if shape[1] <= WIDE else None
    return layout_fault(outcome, values(wanted), shape=as_grid, name="your layout")


def _each_mode_alone(A, B):
    return make_layout(logical_product(A[0], B[0]), logical_product(A[1], B[1]))


def _scaled(by):
    """B's strides times a number, in place of the starts that A* knows."""

    def product(A, B):
        step = by(A)
        starts = Layout(B.shape, tuple(d * step for d in B.stride))
        return make_layout(make_layout(A[0], starts[0]), make_layout(A[1], starts[1]))

    return product


def _crossed(A, B):
    starts = composition(complement(A, size(A) * cosize(B)), B)
    return make_layout(make_layout(A[0], starts[1]), make_layout(A[1], starts[0]))


def _b_itself(A, B):
    return make_layout(make_layout(A[0], B[0]), make_layout(A[1], B[1]))


BLOCKED = FunctionExercise(
    id="06.8",
    title="Write blocked_product",
    answer="blocked",
    inputs=pairs_to_multiply,
    judge=_judge_blocked,
    hints=(
        "Two steps. First where the copies begin, for A as a whole: A* o B. Only then put the modes into pairs.",
        "A* is complement(A, size(A) * cosize(B)). The starts are composition(A*, B): a layout with B's two modes.",
        "A[0] is mode 0 of A, as a layout. The rows of the result are A[0] and mode 0 of the starts, in this order.",
        "make_layout(x, y) puts two layouts side by side as two modes. You need it three times: for the rows, for the "
        "columns, and for both.",
    ),
    wrong=(
        Wrong(
            _each_mode_alone,
            "you took the product of each mode alone. Mode 0 fills its holes, and does not know that mode 1 lies in them.",
            1,
        ),
        Wrong(
            lambda A, B: logical_product(A, B),
            "this is the logical product: all of A in the rows, all copies in the columns. The pairs are still to be made.",
            3,
        ),
        Wrong(lambda A, B: raked_product(A, B), "this is raked: in each pair the mode of A has to come first.", 3),
        Wrong(
            _scaled(size),
            "all is right as long as A has no holes. Where it has some, copies do not begin at multiples of size(A).",
            2,
        ),
        Wrong(
            _scaled(cosize),
            "all is right as long as A has no holes. Where it has some, they are filled before a copy begins after A.",
            2,
        ),
        Wrong(
            lambda A, B: blocked_product(B, A), "A and B are exchanged: here B is copied, and A says in which order.", 3
        ),
        Wrong(_crossed, "A's rows stand with the columns of copies. Mode 0 goes with mode 0.", 3),
        Wrong(
            _b_itself,
            "the pairs are right. But B counts copies: what are their places? Nobody has asked A*.",
            2,
        ),
    ),
    because="The product is taken once, of all of A, and the pairs are made after it. That is why no two copies meet.",
)
