"""Lesson 05, complement and divide: its predictions and its quiz."""

from ...algebra import complement, composition
from ...htuple import text
from ...layout import Layout, size
from ...tiling import zipped_divide
from ..compare import Fault, says, values
from ..questions import Question, Slip, a_coordinate, a_layout, integers, one_of


def a_shape(data):
    """A shape as a tuple or its text; gives its text."""
    read = a_coordinate(data)
    if isinstance(read, tuple):
        return text(read)
    return Fault(f"{says(data)} is not a shape. Write extents in parentheses, such as ((1,2),(3,4))")


STARTS = Question(
    id="05.p1",
    form=integers,
    answer=values(complement(Layout(4, 2), 24)),
    because="a copy from 1 fills the holes; then 0 to 7 are taken, and the same begins again at 8 and at 16.",
    slips=(
        Slip(
            [0, 8, 16, 24, 32, 40],
            "these copies lie one behind the other, and the odd numbers are never taken. Start one in a hole.",
        ),
        Slip([0, 8, 16], "nobody takes the odd numbers. There are six threads: where do the other three start?"),
        Slip([0, 4, 8, 12, 16, 20], "4 belongs to thread 0 already: it takes 0, 2, 4, 6. Which number is free?"),
        Slip([0, 1, 2, 3, 4, 5], "2 belongs to thread 0 already, and thread 1, from 1, takes 1, 3, 5, 7."),
        Slip([0, 7, 14, 21, 28, 35], "7 is how far one thread reaches. But there is free room inside of its reach."),
        Slip([1, 8, 9, 16, 17], "thread 0 is one of the six, and it starts at 0."),
        Slip([0, 1, 8, 16, 9, 17], "the right six. Write them in rising order."),
        Slip([0, 8, 16, 1, 9, 17], "the right six, and three by three. Write them in rising order."),
    ),
    otherwise="Cross out 0, 2, 4, 6. The next thread starts at the first number that is left; cross out its four, too.",
)

BY_HAND = Question(
    id="05.p2",
    form=a_layout,
    any_modes=True,
    answer=complement(Layout((2, 2), (1, 6)), 24),
    because="2:1 fills 0 and 1; before 6 there is room for 6 / 2 = 3 copies; then 12 are full, and 24 / 12 = 2.",
    slips=(
        Slip(
            "((2,2),(3,2)):((1,6),(2,12))",
            "this is (A, A*), all 24 places. The complement has only the part that is missing, where copies start.",
        ),
        Slip("(2,2):(1,6)", "that is A itself. Where do its copies start?"),
        Slip("(6,2):(1,12)", "full is already 2 when you come to the 6: the first mode has filled 0 and 1."),
        Slip("(3,4):(2,6)", "3:2 is right. Then the mode 2:6 itself is done, and full is 2 · 6 = 12, not 6."),
        Slip("(3,2):(2,6)", "3:2 is right, and two more, too. But after the mode 2:6 full is 2 · 6 = 12."),
        Slip("3:2", "these three fill 0 to 11. The copies are to reach 24."),
        Slip(
            "6:4", "A is no block of four: it takes 0, 1, 6, 7. From 4 on a copy would take 4, 5, 10, 11. And from 2?"
        ),
        Slip("(2,3):(12,2)", "the right six starts. The smallest step turns first: 0, 2, 4, 12, 14, 16."),
    ),
    otherwise="Go through 2:1, then 2:6, then 24: how much is full before each, and for how many copies is there room?",
)

NOT_BOUNDED = Question(
    id="05.p3",
    form=a_layout,
    any_modes=True,
    answer=complement(Layout(2, 10), 4),
    because="between 0 and 10 there is room for 10 copies, 1 apart, and the hole is filled whatever the cotarget is.",
    slips=(
        Slip("4:1", "the rule does not ask for the cotarget before the end. Before 10, how much room is there?"),
        Slip("2:1", "4 / 2 copies would do if A were a block. But it takes 0 and 10. How much room lies between?"),
        Slip("1:0", "A reaches past 4, that is true. But it has left holes, and the rule fills them first."),
        Slip("9:1", "the holes 1 to 9 are nine. A's own copy, from 0, counts, too."),
        Slip("5:1", "with 5 copies 0 to 4 are taken, and the hole goes on to 9: full would not be 20 after the mode."),
        Slip("(10,2):(1,20)", "4 is reached long before 20: there is nothing left to fill at the end."),
    ),
    otherwise="One mode, 2:10. For how many copies is there room before 10, and is anything left to fill at the end?",
)

FIRST_TILE = Question(
    id="05.p4",
    form=integers,
    answer=values(composition(Layout((4, 2, 3), (2, 1, 8)), Layout(4, 2))),
    because="the cells 0, 2, 4, 6 are (0,0,0), (2,0,0), (0,1,0), (2,1,0).",
    slips=(
        Slip([0, 2, 4, 6], "these are the cells that B names. Where does each of them lie? Ask A."),
        Slip([0, 4, 8, 12], "A's first mode has 4 cells. Cell 4 is (0,1,0), the first one of the next mode."),
        Slip([0, 1, 8, 9], "these are the first starts. Asked are the four elements of thread 0."),
        Slip([0, 2, 1, 3], "cell 2 is (2,0,0), and one step in the first mode is 2 places."),
    ),
    otherwise="Cell by cell: what is the coordinate of cell 4 in the shape (4,2,3), and what are its strides?",
)

TILES = Question(
    id="05.p5",
    form=integers,
    answer=[size(zipped_divide(Layout((9, 32)), (Layout(3, 3), Layout((2, 4), (1, 8)))), k) for k in (0, 1)],
    because="a tile has 3 rows and 2 · 4 columns; 9 / 3 times 32 / 8 of them cover the matrix.",
    slips=(
        Slip([12, 24], "the other way round: first the cells of a tile."),
        Slip([11, 12], "3 rows and 8 columns are not 3 + 8 cells."),
        Slip([24, 7], "3 tiles down and 4 across are not 3 + 4 tiles."),
        Slip([9, 32], "that is the matrix. How many rows does 3:3 pick, how many columns (2,4):(1,8)?"),
        Slip([24, 288], "288 cells has the matrix. How many times do 24 go into it?"),
        Slip([6, 48], "(2,4) are 2 · 4 = 8 columns."),
        Slip([18, 16], "the extents count: 3 rows, and 2 · 4 columns. The strides say how far apart they are."),
    ),
    otherwise="How many rows does 3:3 pick, how many columns (2,4):(1,8)? Tiles times cells must be 9 · 32.",
)

LEFT_OVER = Question(
    id="05.p6",
    form=a_shape,
    answer=text(zipped_divide(Layout((8, 12, 5)), (4, 3)).shape),
    because="the tile is (4,3); the rest is 8 / 4, 12 / 3, and the 5 that the tiler does not reach.",
    slips=(
        Slip("((4,3),(2,4),5)", "zipped has two modes only. Where does the 5 go?"),
        Slip("((4,3),(2,4))", "the 5 is gone, and with it four of five cells. The tiler does not cut it: it is rest."),
        Slip("((4,2),(3,4),5)", "that is the logical form. Zipped has all of the tile first, then all of the rest."),
        Slip("((4,3),2,4,5)", "that is the tiled form. Zipped keeps the rest in one mode."),
        Slip("(4,3,2,4,5)", "that is the flat form. Zipped has two modes: tile and rest."),
        Slip("((4,3,5),(2,4))", "the 5 is not in the tile: the tiler says 4 and 3 only."),
        Slip("((4,3,1),(2,4,5))", "nearly: the tiler has no third entry, so the tile has none, not even a 1."),
        Slip("((2,4,5),(4,3))", "the other way round: the tile comes first."),
    ),
    otherwise="Two modes: first the tile, as the tiler says. Then the rest: how many tiles in each direction, and the 5.",
)

PHANTOMS = Question(
    id="05.p7",
    form=integers,
    answer=[zipped_divide(Layout((10, 7), (7, 1)), (4, 4))((i, 3), (0, 1)) for i in range(4)],
    because="row r, column 7 would lie at 7r + 7, and the first number of the next row does.",
    slips=(
        Slip(
            [70, 71, 72, 73], "R only multiplies and adds: a phantom (r,7) lies at 7r + 7, as if the column were there."
        ),
        Slip([4, 11, 18, 25], "that is column 4, the first one of the tile. The phantoms are in its last column."),
        Slip([6, 13, 20, 27], "that is column 6, the last one that exists."),
        Slip([3, 10, 17, 24], "that is column 3, in tile (0,0)."),
        Slip([7, 8, 9, 10], "one row down is 7 places on."),
        Slip([7, 17, 27, 37], "7 places are one row: A has 7 columns, and no padding."),
    ),
    otherwise="The column would be number 7. A's strides are 7 and 1: where would (0,7), (1,7), (2,7), (3,7) lie?",
)

COMPLEMENT = Question(
    id="05.q1",
    form=one_of("a", "b", "c"),
    answer="a",
    because="before 3 there is room for 3 copies, 1 apart; then 12 places are full, and 24 / 12 = 2.",
    slips=(
        Slip("b", "6:4 is for a block of four, 4:1. This one takes 0, 3, 6, 9, so 1 and 2 are free."),
        Slip("c", "A copy from 3 would meet A at once: A takes 0, 3, 6, 9."),
    ),
)

FORMS = Question(
    id="05.q2",
    form=one_of("a", "b", "c", "d"),
    answer="c",
    because="the tile is one mode, and the rows and columns of tiles stand beside it.",
    slips=(
        Slip("a", "logical has a pair (tile, rest) in each mode: ((4,4),(8,8))."),
        Slip("b", "zipped keeps the rest together: ((4,8),(4,8))."),
        Slip("d", "flat has no inner parentheses: (4,8,4,8)."),
    ),
)

RAGGED = Question(
    id="05.q3",
    form=one_of("a", "b", "c"),
    answer="b",
    because="tile (0,2) has the columns 8 to 11. Column 11 does not exist, and 11 is where (1,1) lies.",
    slips=(
        Slip("a", "a good address is not enough: which row and column is it? A has 10 columns."),
        Slip("c", "tiles may reach past the end. That is where phantoms come from."),
    ),
)

QUESTIONS = (STARTS, BY_HAND, NOT_BOUNDED, FIRST_TILE, TILES, LEFT_OVER, PHANTOMS, COMPLEMENT, FORMS, RAGGED)
