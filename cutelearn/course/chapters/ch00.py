"""Chapter 00: the one exercise with which a learner tries out what a check and a hint are."""

from ...layout import Layout
from ..compare import layout_fault, values
from ..exercises import Exercise, Wrong

PADDED = Layout((3, 5), (6, 1))

WARM_UP = Exercise(
    id="00.1",
    title="A padded matrix",
    answer="a00_1",
    judge=lambda data: layout_fault(data, values(PADDED), shape=PADDED.shape, name="your layout"),
    hints=(
        "A layout is shape:stride. The shape says how many rows and columns the matrix has, and nothing about memory. "
        "The stride says how far it is to the next row, and how far to the next column.",
        "A row takes 6 places: 5 numbers, and one that stays empty. So how far is it from a cell to the one below it?",
        "One row down is 6 places on, and one column to the right is 1. The number for the rows stands first.",
    ),
    wrong=(
        Wrong("(3,5):(5,1)", "these rows lie close together. Where is the place that stays empty after each row?", 2),
        Wrong("(3,6):(6,1)", "the stride is right. But the matrix has 5 columns: the empty place is no cell of it.", 1),
        Wrong(
            "(3,5):(1,6)", "6 and 1 are the right numbers, and you exchanged them: the first is for one row down.", 3
        ),
        Wrong("(3,5):(1,3)", "this matrix is stored column after column, without a gap. Ours lies row after row.", 2),
        Wrong("(5,3):(1,6)", "this has 5 rows and 3 columns. The number of rows stands first in a shape.", 1),
        Wrong(
            "(3,5):(6,2)", "the rows are right. In a row the numbers are neighbours: one column on is one place on.", 3
        ),
    ),
    because="3 rows and 5 columns; one row down is 6 places on, one column to the right is 1. Places 5, 11 and 17 stay "
    "empty: no coordinate leads there.",
)

EXERCISES = (WARM_UP,)
