"""Lesson 04, composition: its predictions and its quiz."""

from ...algebra import composition
from ...layout import Layout
from ..compare import values
from ..questions import Question, Slip, a_layout, a_layout_or_none, an_integer, integers, one_of

PICK = Question(
    id="04.p1",
    form=a_layout,
    answer=Layout((3, 3), (8, 1)),
    because="one column to the right twice is 2 * 4 = 8 cells on, and one row down is 1 cell on.",
    slips=(
        Slip(
            "(3,3):(1,8)",
            "you go down first. Which way do you go in the picture from thread 0 to thread 1? That is B's first mode.",
        ),
        Slip(
            "(3,3):(2,6)",
            "2 and 6 are steps in memory, or in a count along the rows. B names cells of A, and CuTe counts those down "
            "the columns: the cell to the right of cell 0 is cell 4.",
        ),
        Slip("(3,3):(6,2)", "6 and 2 are steps in memory. B names cells of A, counted down the columns."),
        Slip(
            "(3,3):(2,1)",
            "two columns to the right is more than two cells on: a column of A has 4 cells. Count them all.",
        ),
        Slip("(3,3):(4,1)", "4 is one column to the right. The threads go two columns at a time."),
        Slip("(3,3):(12,1)", "two columns are 2 * 4 cells: a column has 4 cells, a row has 6."),
        Slip("(4,6):(6,1)", "that is A, where the cells lie. B says which cells, and in which order: nine of them."),
    ),
    otherwise="Wanted are 0, 8, 16, then 1, 9, 17: how far is it from the first to the second, and from 0 to 1?",
)

ONE_MODE = Question(
    id="04.p2",
    form=integers,
    answer=values(composition(Layout((6, 2), (8, 2)), Layout(4, 3))),
    because="the cells 0, 3, 6, 9 are (0,0), (3,0), (0,1), (3,1).",
    slips=(
        Slip([0, 3, 6, 9], "these are the cells that B names. Where does each of them lie? Ask A."),
        Slip(
            [0, 24, 48, 72],
            "that would be so if A's first mode went on for ever. It has 6 cells: cell 6 is (0,1), the first of the "
            "second column.",
        ),
        Slip([0, 8, 16, 24], "these are A's cells 0, 1, 2, 3. B goes in steps of three."),
        Slip(
            [0, 10, 24, 34],
            "you let A's second coordinate turn first, as numpy does. CuTe turns the left one first: cell 3 is (3,0).",
        ),
    ),
    otherwise="Take B(i) = 0, 3, 6, 9 one by one: which coordinate (r,c) of A is it, and what is 8r + 2c?",
)

POWERS = Question(
    id="04.p3",
    form=a_layout,
    answer=composition(Layout((3, 6, 2, 8), (1, 10, 100, 1000)), Layout(48, 6)),
    because="3 of the 6 go into the first mode, the 2 that is left divides the second: 6 / 2 = 3, with stride 2 * 10.",
    slips=(
        Slip(
            "(3,6,2,8):(6,60,600,6000)",
            "you multiplied the strides and left the shape. A step of 6 does not stay in the first mode: it has only 3 "
            "cells.",
        ),
        Slip(
            "(3,2,8):(10,100,1000)",
            "the shape is right. But one step now goes two cells on in the second mode: look at its stride.",
        ),
        Slip(
            "(3,2,8):(60,100,1000)",
            "the shape is right. Of the 6 the first mode has taken a 3: only a 2 is left to multiply the 10.",
        ),
        Slip(
            "(3,2,8):(1,100,1000)",
            "you divided the mode that has a 6. The division begins at the first mode, whether it fits or not.",
        ),
        Slip(
            "(6,2,8):(10,100,1000)",
            "that is every third cell. The first mode takes a 3 out of the 6: what becomes of the 2 that is left?",
        ),
        Slip("48:6", "that is B: it names cells. Where do they lie?"),
    ),
    otherwise="Go from the left: what does the first mode take out of 6, and what is left for the second?",
)

NONE = Question(
    id="04.p4",
    form=a_layout_or_none,
    answer=None,
    because="the addresses are 0, 32, 18. One mode would step evenly, and 3 cells cannot be dealt into two modes.",
    slips=(
        Slip("3:32", "this gives 0, 32, 64. But the third cell, number 8, is no longer in A's first mode."),
        Slip(
            "(2,2):(32,2)",
            "6 / 4 is not 2, and 2 * 2 is not 3. Where does cell 8 lie, and what does your layout give at i = 2?",
        ),
        Slip("(2,1):(32,2)", "this has two values, and B has three."),
        Slip("3:4", "that is B: it names the cells 0, 4, 8. Where do they lie?"),
    ),
    otherwise="Work out the three addresses first: where do the cells 0, 4 and 8 of A lie?",
)

TRAP = Question(
    id="04.p5",
    form=an_integer,
    answer=Layout((6, 2), (1, 10))(7),
    because="cell 7 of A is (1,1), and 1 + 10 = 11. Now compare with what R gives.",
    slips=(
        Slip(7, "7 is the cell, and A has still to say where it lies. Is it in the first six?"),
        Slip(5, "5 is the index. B makes the cell 7 of it, and A says where that lies."),
        Slip(70, "the first mode has 6 cells, so cell 7 is one past the first of the second column: (1,1)."),
        Slip(17, "cell 7 is (1,1), not (7,1): when the first mode has been through 0 to 5 it begins again."),
    ),
    otherwise="Which coordinate (r,c) of the shape (6,2) is cell 7? Its address is r + 10c.",
)

ALONG_A_ROW = Question(
    id="04.q1",
    form=one_of("a", "b", "c"),
    answer="c",
    because="one column to the right is 8 cells on, since a column has 8 cells. The strides of A do not matter.",
    slips=(
        Slip("a", "1 is A's stride along the row. In A's count of cells, 1 is the cell below."),
        Slip(
            "b", "4 is A's stride down a column, and also the length of a row. Neither counts cells down the columns."
        ),
    ),
)

NO_LAYOUT = Question(
    id="04.q2",
    form=one_of("a", "b", "c", "d"),
    answer="c",
    because="two steps of 2 fit into the 4, and 2 does not divide 3: the addresses are 0, 2, 10.",
    slips=(
        Slip("a", "20 cells are more than 12, but that is no reason: the last mode is open. It is (4,5):(1,10)."),
        Slip("b", "3 of 4 cells, and nothing comes after them: the mode is cut short, and that is allowed. It is 3:1."),
        Slip("d", "a step of 4 passes the first mode whole. It is 3:10."),
    ),
)

CARRIES = Question(
    id="04.q3",
    form=one_of("a", "b", "c"),
    answer="b",
    because="2 + 2 = 4 is no digit of a mode of 4 cells: cell 4 is (0,1), at 10, and each mode by itself gives 4.",
    slips=(
        Slip("a", "the largest sum in the first mode is 1 + 2 = 3, and the digit 3 is there."),
        Slip("c", "1 steps in A's first mode and 4 in its second, so nothing is added up inside a mode."),
    ),
)

QUESTIONS = (PICK, ONE_MODE, POWERS, NONE, TRAP, ALONG_A_ROW, NO_LAYOUT, CARRIES)
