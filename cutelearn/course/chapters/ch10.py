"""Chapter 10, tiled MMA and tiled copy: its exercises, what their checkers hold to be right, and what learners answer instead.

Shapes, counts and lanes stand here; permutations in permutations10.py, what the learner writes as a function in functions10.py.
"""

from ...algorithms import copy
from ...atoms.copy import make_tiled_copy, make_tiled_copy_A
from ...atoms.library import copy_atom
from ...atoms.mma import make_tiled_mma
from ...htuple import LayoutError, product
from ...layout import Layout, LayoutRight
from ...tensor import make_identity_tensor, make_tensor
from ..compare import Fault, says, table
from ..entries import are_ints, each_fault, number_fault, shape_fault, shape_slip, slip
from ..exercises import Exercise, Wrong, simple
from .functions10 import CELLS_OF_C, MEND_ROWS
from .permutations10 import BLOCK, COLUMNS, OWN, WARP_ROWS

AMPERE = "SM80_16x8x16_F32F16F16F32_TN"

# ------------------------------------------------------------------------------------------------ 10.1

MMA_1 = make_tiled_mma(AMPERE, (4, 1, 1))
OPERANDS_1 = {"A": (128, 32), "B": (128, 32), "C": (128, 128)}
ASKED_1 = {"tile": MMA_1.tile_shape, "threads": MMA_1.num_threads} | {
    x: getattr(MMA_1.get_slice(0), f"partition_{x}")(make_identity_tensor(whole)).shape
    for x, whole in OPERANDS_1.items()
}
_CUT = {
    "tile": "An atom is 16 by 8 by 16, and there are 4 of them along M",
    "A": "(128,32) is cut by what four atoms cover, 64 by 16",
    "B": "(128,32) is cut by what four atoms cover of it, 8 by 16",
    "C": "(128,128) is cut by what four atoms cover, 64 by 8",
}


def _judge_part(name, answer) -> Fault | None:
    if name == "threads":
        return number_fault(answer, ASKED_1[name], "how many threads four warps have")
    own = "It holds the values of one atom, as they stand above"
    return shape_fault(answer, ASKED_1[name], lambda mode: own if mode == 0 and name != "tile" else _CUT[name])


WHERE_FROM = Exercise(
    id="10.1",
    title="Where does the 16 come from?",
    answer="a10_1",
    judge=lambda data: each_fault(data, _judge_part, ASKED_1),
    hints=(
        "First the tile: the atom's (16,8,16), times the atoms along M, N and K. Then divide each extent of the operand by the "
        "tile's. The values of one atom come first, as they stand in the exercise.",
        "Atoms stand along M only. So along N the tile is one atom wide: 8.",
        "MMA_M = 128 / 64, MMA_N = 128 / 8, MMA_K = 32 / 16.",
        "A is (M,K), B is (N,K), C is (M,N): take two of these numbers each time, in this order.",
    ),
    wrong=(
        shape_slip("tile", (16, 8, 16), "that is one atom. Four of them stand along M.", 1),
        shape_slip("tile", (64, 32, 16), "the atom layout is (4,1,1): one along N.", 2),
        shape_slip("tile", (64, 8, 64), "the atom layout is (4,1,1): one along K.", 2),
        Wrong({"threads": 4}, "threads: that is how many atoms there are. Each needs a warp.", 1),
        Wrong({"threads": 32}, "threads: that is one warp, one atom. There are four.", 1),
        shape_slip("A", (8, 2, 2), "eight values, yes. The MMA mode keeps the parentheses of the atom: (2,2,2).", 1),
        shape_slip("A", ((2, 2, 2), 8, 2), "128 / 16 forgets that four atoms share the rows.", 3),
        shape_slip("A", ((2, 2, 2), 2, 1), "32 / 16 along k: no atoms were added along K.", 3),
        shape_slip("B", ((2, 2), 4, 2), "the four atoms stand along M. Along N there is one, so each warp does all of N.", 2),
        shape_slip("B", ((2, 2), 8, 2), "an atom has 8 along N; 16 is its M.", 3),
        shape_slip("B", ((2, 2), 2, 2), "B is (N,K): its first mode is cut by the tile's N, 8, not by its M.", 4),
        shape_slip("C", ((2, 2), 16, 2), "C is (M,N): m first.", 4),
        shape_slip("C", ((2, 2), 2, 4), "the four atoms stand along M, not N.", 2),
        shape_slip("C", ((2, 2), 2, 16, 2), "C has no k.", 4),
    ),
    because="N has one atom, and an atom is 8 wide: 128 / 8 = 16. With (2,2,1) it would be 8, and MMA_M would be 4.",
)  # fmt: skip

# ------------------------------------------------------------------------------------------------ 10.2


def _of_shape(thr, val, name, element, data):
    tiled = make_tiled_copy(copy_atom(name, element), Layout(thr), Layout(val))
    return tiled.get_slice(0).partition_S(Layout(data))[0].shape


PARTS_2 = {
    "a": _of_shape((32, 8), (4, 1), "UniversalCopy<uint128_t>", "float", (128, 32)),
    "b": _of_shape((16, 16), (8, 1), "UniversalCopy<uint128_t>", "float", (128, 32)),
    "c": _of_shape((16, 16), (8, 1), "UniversalCopy<uint128_t>", "half_t", (128, 32)),
    "d": _of_shape((32, 8), (1, 1), "UniversalCopy<float>", "float", (128, 32)),
    "e": make_tiled_copy_A(copy_atom("SM75_U32x4_LDSM_N", "half_t"), make_tiled_mma(AMPERE, (2, 2)))
    .get_slice(0)
    .partition_S(Layout((128, 32)))[0]
    .shape,
}


def _instructions(shape) -> int:
    """How many instructions a thread issues for a partition ((values, instructions), ...)."""
    return product(shape) // shape[0][0]


def _judge_count(letter, answer) -> Fault | None:
    if type(answer) is not int:
        return Fault(f"{says(answer)} is not a number of instructions")
    if answer == _instructions(PARTS_2[letter]):
        return None
    return Fault(f"it is not {says(answer)}. How often does the copy's tile fit, and how many instructions fill it?")


COUNT = Exercise(
    id="10.2",
    title="How many copies?",
    answer="a10_2",
    judge=lambda data: each_fault(data, _judge_count, PARTS_2),
    hints=(
        "Three steps. The copy's tile is threads times values, mode by mode. How often does it fit in (128,32)? And how many "
        "instructions does a thread need for its values of one tile?",
        "uint128_t is 16 bytes: four floats, or eight halves.",
        "In b the tile is 128 x 16 and fits twice. A thread has 8 floats in it, and one instruction moves 4.",
        "In d a thread has one float in each tile of 32 x 8.",
        "In e the tile of A is 32 x 16: two atoms along M. One ldmatrix brings a lane its 8 halves.",
    ),
    wrong=(
        Wrong({"a": 1}, "a: that is one tile, 128 x 8. (128,32) has four.", 1),
        Wrong({"a": 16}, "a: 16 floats, yes. One instruction moves four.", 2),
        Wrong({"b": 2}, "b: the tile fits twice, but 8 floats are two instructions.", 3),
        Wrong({"b": 1}, "b: the tile is 128 x 16: threads (16,16) times values (8,1). How often does it fit, and how many instructions are 8 floats?", 3),
        Wrong({"b": 16}, "b: these are the floats. One instruction moves four.", 2),
        Wrong({"b": 8}, "b: the tile has 16 columns: threads (16,16) times values (8,1). So it fits twice.", 3),
        Wrong({"c": 4}, "c: 16 bytes are 8 halves.", 2),
        Wrong({"d": 4}, "d: 32 x 8 threads of one value cover 32 x 8. That fits four times down *and* four times across.", 4),
        Wrong({"d": 1}, "d: the tile is 32 x 8 only.", 4),
        Wrong({"e": 16}, "e: two atoms stand along M and share its rows: the tile is 32 tall.", 5),
        Wrong({"e": 4}, "e: the tile, 32 x 16, fits four times down. And across?", 5),
        Wrong({"e": 64}, "e: these are the halves. A lane gets 8 with each ldmatrix.", 5),
        Wrong({"e": 1}, "e: A's tile is 32 x 16. How often does it fit in (128,32)?", 5),
    ),
    because="The shapes say it: ((4,1),1,4), ((4,2),1,2), ((8,1),1,2), ((1,1),4,4), ((8,1),4,2). All numbers but the very first, "
    "multiplied.",
)  # fmt: skip

# ------------------------------------------------------------------------------------------------ 10.3

THREADS_3 = {(4, 1): Layout((32, 8)), (1, 4): Layout((128, 2), LayoutRight), (2, 2): Layout((64, 4))}
VECTORS = {
    "a": ("(128,8):(1,128)", (4, 1)),
    "b": ("(128,8):(8,1)", (4, 1)),
    "c": ("(128,8):(1,130)", (4, 1)),
    "d": ("(128,8):(1,132)", (4, 1)),
    "e": ("(128,8):(12,1)", (1, 4)),
    "f": ("(128,8):(1,128)", (2, 2)),
}


def vectorises(letter) -> str:
    """ "yes" where the copy by 128-bit instructions can be, else why not."""
    data, values = VECTORS[letter]
    layout = Layout.parse(data)
    tiled = make_tiled_copy(copy_atom("UniversalCopy<uint128_t>", "float"), THREADS_3[values], Layout(values))
    cells = [0.0] * (int(layout.offsets().max()) + 1)
    try:
        copy(tiled, make_tensor(cells, layout), make_tensor(list(cells), layout))
    except LayoutError as refusal:
        return str(refusal)
    return "yes"


def _word(answer):
    return simple(answer) if isinstance(answer, str) else answer


def _judge_vector(letter, answer) -> Fault | None:
    word = _word(answer)
    if word not in ("yes", "no"):
        return Fault(f"{says(answer)} is neither 'yes' nor 'no'")
    if word == ("yes" if vectorises(letter) == "yes" else "no"):
        return None
    layout, (down, across) = Layout.parse(VECTORS[letter][0]), VECTORS[letter][1]
    first = [(f"({i},{j})", layout(i, j)) for j in range(across) for i in range(down)]
    later = [(f"({i},{j + across})", layout(i, j + across)) for j in range(across) for i in range(down)]
    where = table(("cell", "address"), first + later)
    return Fault(f"it is not '{word}'. Look where two threads' values lie, four each", where)


def _vector_slip(letter, word, shows, hint) -> Wrong:
    return slip(letter, word, shows, hint, _word)


WHICH = Exercise(
    id="10.3",
    title="Which copies vectorise?",
    answer="a10_3",
    judge=lambda data: each_fault(data, _judge_vector, VECTORS),
    hints=(
        "Two conditions. A thread's four values must lie side by side. And the first of them must lie at a multiple of four: the "
        "hardware moves 16 bytes from an address that is a multiple of 16.",
        "Which direction has stride 1? The values have to run along it, all four.",
        "The values start in every column (or row), so the other stride has to be a multiple of four.",
        "130 = 4 * 32 + 2. 132 and 12 are multiples of four.",
    ),
    wrong=(
        _vector_slip("a", "no", "down a column the stride is 1, columns are 128 apart. What should be missing?", 1),
        _vector_slip("b", "yes", "(4,1) goes down the rows, and these lie 8 apart here.", 2),
        _vector_slip("c", "yes", "the four lie side by side. But where does column 1 begin?", 3),
        _vector_slip("d", "no", "padding does not harm by itself. Where does column 1 begin, and is that a multiple of four?", 4),
        _vector_slip("e", "no", "the rows are padded to 12, and (1,4) goes along them. Is 12 a multiple of four?", 4),
        _vector_slip("f", "yes", "two of the four lie side by side, the other two are in the next column.", 2),
    ),
    because="a, d and e. In c every second column starts in the middle of 16 bytes. In f an instruction of 64 bits would do.",
)  # fmt: skip

# ------------------------------------------------------------------------------------------------ 10.4

LDMATRIX = copy_atom("SM75_U32x4_LDSM_N", "half_t")
LANE_4, CELL_4 = 22, (2, 6, 3)  # a lane, and (matrix, row, column) of a value


def _holder(matrix, row, column) -> tuple[int, int]:
    """The (lane, value) that gets an element of a matrix."""
    got = LDMATRIX.val_layout_dst.offsets().tolist()
    return divmod(got.index(64 * matrix + 8 * row + column), 32)[::-1]


FIRST_4 = LDMATRIX.val_layout_src(LANE_4, 0)
ASKED_4 = {"addresses": (FIRST_4 // 64, FIRST_4 % 64 // 8), "lane": _holder(*CELL_4)[0], "value": _holder(*CELL_4)[1]}


def _judge_ldmatrix(name, answer) -> Fault | None:
    if name == "addresses":
        if not are_ints(answer, 2):
            return Fault(f"{says(answer)} is no pair. Write two numbers: (matrix, row)")
        if tuple(answer) == ASKED_4[name]:
            return None
        return Fault(f"{says(tuple(answer))} is not the row whose address lane {LANE_4} gives")
    if type(answer) is not int:
        return Fault(f"{says(answer)} is not a number")
    if answer == ASKED_4[name]:
        return None
    last = 31 if name == "lane" else 7
    if not 0 <= answer <= last:
        return Fault(f"{says(answer)}: a {name} is 0 to {last}")
    return Fault(f"{answer} is not the {name} that holds it")


ADDRESS_AND_VALUE = Exercise(
    id="10.4",
    title="Whose address, whose value?",
    answer="a10_4",
    judge=lambda data: each_fault(data, _judge_ldmatrix, ASKED_4),
    hints=(
        "Giving addresses: lanes 0 to 7 give the rows of matrix 0, the next eight those of matrix 1, and so on.",
        "Getting values: count the 64 elements of a matrix row by row. Lane t gets numbers 2t and 2t + 1.",
        "Element (6,3) is number 6 * 8 + 3 of its matrix.",
        "A lane has two values of each matrix: V0 and V1 from matrix 0, V2 and V3 from matrix 1, then matrix 2.",
    ),
    wrong=(
        Wrong({"addresses": (5, 2)}, "addresses: that would be lanes four to a row. Each lane gives the address of a whole row.", 1),
        Wrong({"addresses": (6, 2)}, "addresses: matrix first, then row.", 1),
        Wrong({"addresses": (0, 22)}, "addresses: a matrix has 8 rows.", 1),
        Wrong({"addresses": (0, 5)}, "addresses: that is where its values come from. Which address does it give?", 1),
        Wrong({"value": 1}, "value: in its pair it is number 1, yes. The values of matrix 0 and 1 come before.", 4),
        Wrong({"lane": 51}, "lane: that is the number of the element. A lane gets two of them.", 3),
        Wrong({"lane": 27}, "lane: four lanes share a row, two values each. Column 3 is in the second pair, not the fourth.", 2),
        Wrong({"lane": 6}, "lane: 6 is the row. Four lanes share a row of 8.", 2),
        Wrong({"lane": 22}, "lane: that lane gives the address of this row. The values of a row go to four others.", 2),
        Wrong({"lane": 15}, "lane: you counted column by column. A row is what has one address: count row by row.", 2),
        Wrong({"value": 3}, "value: V2 and V3 come from matrix 1. Matrices are counted from 0.", 4),
        Wrong({"value": 51}, "value: that is the element's number in the matrix. A lane has 8 values, 0 to 7.", 4),
        Wrong({"value": 4}, "value: that is the even one of the pair. 51 is odd.", 4),
    ),
    because="22 = 2 * 8 + 6: lane 22 addresses the row in which the element lies. And 51 = 2 * 25 + 1: lane 25 gets it, in its "
    "third pair, V4 and V5.",
)  # fmt: skip

EXERCISES = (
    WHERE_FROM,
    COUNT,
    WHICH,
    ADDRESS_AND_VALUE,
    COLUMNS,
    WARP_ROWS,
    MEND_ROWS,
    BLOCK,
    CELLS_OF_C,
    OWN,
)
