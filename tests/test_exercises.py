"""Exercises: three proofs for each, answers judged by what they do, and a check that nothing can break."""

import ast
import io
import re
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import redirect_stdout
from dataclasses import replace

import numpy as np
import pytest
from exercise_tools import EXERCISES, WRONG_IDS, WRONGS, namespace, right, wrong_value
from hypothesis import given
from hypothesis import strategies as st
from strategies import layouts

from cutelearn import Layout, LayoutError, composition, size
from cutelearn.course import check, exercises, hint, show, solution
from cutelearn.course.answers import Calls, Failed, Other, Refused, call_each, to_data
from cutelearn.course.compare import grids, ints_fault, layout_fault, same_function, same_view, says, values
from cutelearn.course.exercises import DONE, NOT_ATTEMPTED, NOT_YET, FunctionExercise, chapters, exercises_of, verdict
from cutelearn.course.guard import OutOfTime, limited
from cutelearn.htuple import wrap

# The limit's exception may come up in a callback of the garbage collector (hypothesis has one), where it is lost; the
# next one comes 0.2 seconds later.
pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
EVERY = pytest.mark.parametrize("one", EXERCISES, ids=lambda one: one.id)
ONE, FUNCTION = exercises_of("04")["04.1"], exercises_of("04")["04.7"]


@pytest.fixture(autouse=True)
def fresh_memory(monkeypatch):
    monkeypatch.setattr(exercises, "_memory", {})
    monkeypatch.delenv("NBGRADER_EXECUTION", raising=False)


def said(function, *arguments) -> str:
    """What a call prints; `check` and `show` find their answer in the globals of the calling code."""
    out = io.StringIO()
    with redirect_stdout(out):
        function(*arguments)
    return out.getvalue()


def checked(one, value, word="check") -> str:
    """What `check` prints in a notebook whose answer is this value."""
    out = io.StringIO()
    with redirect_stdout(out):
        exec(f"{word}({one.id!r})", {word: {"check": check, "show": show}[word], one.answer: value})
    return out.getvalue()


# ------------------------------------------------------------------------------------------------ the three proofs


@EVERY
def test_blank_is_not_attempted(one):
    blank = namespace("exercises", one.id[:2])
    assert checked(one, blank[one.answer]) == f"{one.id} · not attempted\n"
    assert said(check, one.id) == f"{one.id} · not attempted\n"  # the name is not bound at all


@EVERY
def test_solution_is_done(one):
    assert checked(one, right(one)) == f"{one.id} · done\n"


@pytest.mark.parametrize(("one", "wrong"), WRONGS, ids=WRONG_IDS)
def test_wrong_answer_gets_its_own_hint(one, wrong):
    found = verdict(one, wrong_value(one, wrong))
    assert (found.state, found.sentence, found.hint) == (NOT_YET, wrong.shows, wrong.hint)
    out = checked(one, wrong_value(one, wrong))
    assert out.startswith(f"{one.id} · not yet: ")
    assert f'Hint {wrong.hint} of {len(one.hints)} is about this: hint("{one.id}")' in out
    assert one.hints[wrong.hint - 1].split()[0] in said(hint, one.id)


@EVERY
def test_an_exercise_is_whole(one):
    assert re.fullmatch(r"\d\d\.\d+", one.id)
    assert 2 <= len(one.hints) <= 5
    assert len(one.wrong) >= 4
    assert all(1 <= wrong.hint <= len(one.hints) for wrong in one.wrong)
    assert len({wrong.shows for wrong in one.wrong}) == len(one.wrong)
    assert one.because
    for text in (*one.hints, *(wrong.shows for wrong in one.wrong), one.because):
        assert text[-1] in ".?!:", text


def test_ids_are_in_order_and_names_their_own():
    for chapter in chapters():
        assert list(exercises_of(chapter)) == [f"{chapter}.{n}" for n in range(1, len(exercises_of(chapter)) + 1)]
    assert len({one.answer for one in EXERCISES}) == len(EXERCISES)


# ------------------------------------------------------------------------------------------------ by function


@pytest.mark.parametrize(
    ("exercise_id", "value"),
    [
        ("04.1", (0, 12, 2, 14, 4, 16)),
        ("04.1", np.array([0, 12, 2, 14, 4, 16])),
        ("04.1", (n for n in [0, 12, 2, 14, 4, 16])),
        ("04.1", composition(Layout((4, 6), (6, 1)), Layout((2, 3), (2, 8))).offsets()),
        ("04.2", {3: "(_1,_6,_2,_8):(_3,_10,_100,_1000)", 6: Layout((3, 2, 8), (20, 100, 1000)),
                  9: "((2,2),8):((30,100),1000)", 72: "(2,2):(2000,4000)"}),
        ("04.3", {1: "Stride", 2: " shape", 3: "CARRY", 4: "composes", 5: "composes", 6: "composes"}),
        ("04.4", "((2,3),4):((4,8),1)"),
        ("04.4", "make_layout(make_shape(Int<6>{}, Int<4>{}), LayoutRight{})"),
        ("04.6", lambda A, m, n: composition(A, Layout((m, n), (1, size(A, 0))))),
        ("04.6", lambda A, m, n: str(composition(A, (m, n)))),
        ("04.7", composition),
        ("04.8", "64:1"),
        ("04.8", "(2,2,2,2,2,2):(32,1,16,2,8,4)"),
    ],
)  # fmt: skip
def test_another_spelling_is_as_good(exercise_id, value):
    one = exercises_of("04")[exercise_id]
    assert str(verdict(one, value)) == f"{exercise_id} · done"


@given(st.permutations([1, 2, 4, 8, 16, 32]), st.integers(0, 5))
def test_every_order_of_the_cells_is_right_and_no_other(strides, k):
    one = exercises_of("04")["04.8"]
    assert verdict(one, Layout((2,) * 6, tuple(strides))).state == DONE
    strides[k] = strides[k - 1]
    assert verdict(one, Layout((2,) * 6, tuple(strides))).state == NOT_YET


@given(layouts(), layouts())
def test_comparisons_agree_with_the_offsets(a, b):
    equal = a.offsets().tolist() == b.offsets().tolist()
    assert same_function(a, b) == equal
    assert (layout_fault(a, b.offsets().tolist()) is None) == equal
    assert not same_view(a, b) or equal
    assert same_view(a, Layout((*wrap(a.shape), 1), (*wrap(a.stride), 7)))


def test_rows_and_columns_matter_where_they_are_asked_for():
    assert same_function(Layout((6, 4)), Layout((4, 6)))
    assert not same_view(Layout((6, 4)), Layout((4, 6)))
    assert "does not take the coordinates of (6,4)" in layout_fault("24:1", range(24), shape=(6, 4)).sentence


def test_a_function_that_cheats_on_the_told_pairs_is_found():
    told = {(str(a), str(b)): composition(a, b) for a, b in FUNCTION.inputs()[:5] if str(b) != "3:4"}

    def compose_flat(A, B):
        if (str(A), str(B)) in told:
            return told[str(A), str(B)]
        raise LayoutError("I know no more")

    assert "you refuse, and there is a layout" in checked(FUNCTION, compose_flat)


def test_pairs_to_compose_are_fair():
    """Both kinds are there in number, and one that CuTe alone composes is not."""
    pairs = FUNCTION.inputs()
    assert len(pairs) == 500
    assert pairs == FUNCTION.inputs()
    assert 100 < sum(isinstance(outcome, Refused) for outcome in call_each(composition, pairs, 60).outcomes) < 250
    assert (Layout((6, 2), (8, 2)), Layout(2, 4)) not in pairs


# ------------------------------------------------------------------------------------------------ what is said


def test_yours_stands_beside_wanted_up_to_the_first_wrong_place():
    assert checked(ONE, [0, 12, 2, 14, 16, 4]) == (
        "04.1 · not yet: at i = 4 you have 16\n"
        "    i  yours  wanted\n"
        "  ...    ...     ...\n"
        "    1     12      12\n"
        "    2      2       2\n"
        "    3     14      14\n"
        "    4     16       4   <- here\n"
        'Hint 1 of 4 may help: hint("04.1")\n'
    )
    assert grids([0, 1, 2, 3], [0, 1, 3, 2], (2, 2)).split("\n") == [
        "  yours    wanted",
        "   0 [2]    0 [3]",
        "   1  3     1  2",
    ]
    assert grids([0, 1], [0, 2], (2, 1)).split("\n") == ["  yours   wanted", "   0       0", "  [1]     [2]"]


@pytest.mark.parametrize(
    ("exercise_id", "value", "sentence"),
    [
        ("04.1", [0, 12, 2], "you have 3 values, and 6 are wanted"),
        ("04.1", [0, 12, ..., 14, 4, ...], "there is still ... in place of an answer for 2, 5"),
        ("04.1", 5, "5 is not a list"),
        ("04.1", {0, 12, 2}, "a set is not a list"),
        ("04.1", [0.0, 12, 2, 14, 4, 16], "entry 0 is 0.0, not an integer"),
        ("04.2", {3: "(6,2,8):(10,100,1000", 6: ..., 9: ..., 72: ...}, "in place of an answer for 6, 9, 72"),
        ("04.2", {3: "(6,2,8):(10,100,1000)"}, "there is no entry for 6; the keys are 3, 6, 9, 72"),
        ("04.2", {3: "(6,2,8):(10,100,1000", 6: 1, 9: 1, 72: 1}, "entry 3: cannot read this layout"),
        ("04.3", dict.fromkeys(range(1, 7), "yes"), "'yes' is none of the words composes, stride"),
        ("04.4", "(8,3)", "(8,3) is a shape without a stride"),
        ("04.4", "(6,4):(0,0)", "composition(A, B) gives 0 at (1,0), and 1 is wanted"),
        ("04.4", "2:1", "2:1 has size 2; the view has 24 cells"),
        ("04.5", {1: "a", 2: "b", 3: "c", 4: "f"}, "entry 4: 'f' is none of the letters a, b, c, d, e"),
        ("04.6", 7, "pick_tile is now 7, not a function. Begin with: def pick_tile(...):"),
        ("04.7", lambda A: A, "compose_flat((6,2):(8,2), 4:3) raised TypeError: "),
        ("04.7", lambda A, B: print(A), "compose_flat((6,2):(8,2), 4:3) returned nothing. A function gives"),
        ("04.7", lambda A, B: ... if B.shape == 3 else composition(A, B), "3:4) returned ..., so this case is still"),
        ("04.8", "(8,8):(8,0)", "cell 0 is met twice, at i = 0 and i = 8; others never"),
        ("04.8", list(range(64)), "is not a layout. Write a Layout, or its text"),
    ],
)
def test_sentences(exercise_id, value, sentence):
    out = checked(exercises_of("04")[exercise_id], value)
    assert sentence in " ".join(out.split())


def test_the_line_that_raised_is_named(tmp_path, monkeypatch):
    (tmp_path / "mine.py").write_text("def compose_flat(A, B):\n    extnt = A.shape\n    return extent[0]\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    from mine import compose_flat

    out = " ".join(checked(FUNCTION, compose_flat).split())
    assert "raised NameError: name 'extent' is not defined" in out
    assert "in the line `return extent[0]`" in out


@pytest.mark.parametrize("call", [check, hint, solution, show])
@pytest.mark.parametrize(
    ("word", "sentence"),
    [
        ("04.99", "there is no exercise 04.99; chapter 04 has 04.1, 04.2, "),
        ("99.1", "chapter 99 has no exercises here; there are some for: "),
        (4.3, '4.3 is no exercise: write chapter and number as text, such as "04.3"'),
        ("four", "'four' is no exercise"),
        (None, "None is no exercise"),
    ],
)
def test_an_exercise_that_is_not_there(call, word, sentence):
    assert said(call, word).startswith(sentence)


# ------------------------------------------------------------------------------------------------ hints


def test_hints_come_in_order_and_the_one_that_is_needed_first():
    assert [said(hint, "04.1")[:18] for _call in range(5)] == [f"04.1 · hint {n} of 4" for n in (1, 2, 3, 4, 4)]
    exercises._memory.clear()
    checked(ONE, [0, 2, 4, 12, 14, 16])
    assert [said(hint, "04.1")[:18] for _call in range(4)] == [f"04.1 · hint {n} of 4" for n in (3, 1, 2, 4)]
    assert said(hint, "04.1", 2).startswith("04.1 · hint 2 of 4")
    assert said(hint, "04.1", 9) == "04.1 has the hints 1 to 4, and no hint 9.\n"
    assert said(hint, "04.1", "two") == "04.1 has the hints 1 to 4, and no hint 'two'.\n"


def test_what_a_check_says_does_not_depend_on_history():
    first = checked(ONE, [0, 2, 8, 10, 16, 18])
    for _call in range(6):
        said(hint, "04.1")
    assert checked(ONE, [0, 2, 8, 10, 16, 18]) == first


@EVERY
def test_the_solution_comes_after_an_honest_try(one):
    assert "first try it yourself" in said(solution, one.id)
    checked(one, ...)
    assert "first try it yourself" in said(solution, one.id)
    checked(one, wrong_value(one, one.wrong[0]))
    out = said(solution, one.id)
    assert out.startswith(f"{one.id} · one solution:\n\n    ")
    assert "SOLUTION" not in out
    code = "\n".join(line[4:] for line in out.split("\n") if line.startswith("    "))
    names = dict(namespace("solutions", one.id[:2]))
    exec(compile(ast.parse(code), "solution", "exec"), names)
    assert checked(one, names[one.answer]) == f"{one.id} · done\n"
    assert " ".join(one.because.split()) in " ".join(out.split())


# ------------------------------------------------------------------------------------------------ nothing breaks it


class Spiteful:
    """Raises whatever one asks of it."""

    def __getattribute__(self, name):
        raise RuntimeError("no")

    def __repr__(self):
        raise SystemExit

    __index__ = __iter__ = __len__ = __eq__ = __hash__ = __str__ = __repr__


class Endless:
    def __index__(self):
        while True:
            pass


def cyclic():
    a = []
    a.append(a)
    return a


def count() -> Iterator[int]:
    n = 0
    while True:
        yield n
        n += 1


STRANGE = {  # each made when it is needed: pytest itself cannot look at some of them
    "spiteful": Spiteful,
    "list of spiteful": lambda: [Spiteful()],
    "class": lambda: Spiteful,
    "cyclic": cyclic,
    "endless generator": count,
    "endless index": Endless,
    "huge int": lambda: 10**6000,
    "list of huge": lambda: [10**6000] * 6,
    "negative": lambda: -1,
    "nan": lambda: float("nan"),
    "bytes": lambda: b"0",
    "none": lambda: None,
    "true": lambda: True,
    "empty text": str,
    "text": lambda: "(((",
    "long text": lambda: "(" * 10_000,
    "set": lambda: {1},
    "empty list": list,
    "empty dict": dict,
    "dict of lists": lambda: {1: [1], 2: {3: 4}},
    "deep": lambda: eval("(" * 60 + "1" + ",)" * 60),
    "array": lambda: np.zeros((3, 3)),
    "array of objects": lambda: np.array([None, "a"], object),
    "huge layout": lambda: Layout((10**9, 10**9)),
    "huge layouts": lambda: {n: Layout((10**9, 10**9)) for n in (1, 2, 3, 4, 5, 6, 9, 72)},
    "huge extents": lambda: {n: Layout(10**5000) for n in (1, 2, 3, 4, 5, 6, 9, 72)},
    "module": lambda: sys,
    "layout type": lambda: Layout,
    "exception": lambda: ValueError("no"),
    "complex": lambda: 1j,
    "range": lambda: range(6),
    "unhashable keys": lambda: {(1, 2): 3},
    "texts": lambda: dict.fromkeys((1, 2, 3, 4, 5, 6, 9, 72), "(1"),
    "infinities": lambda: [float("inf")] * 6,
}


@EVERY
@pytest.mark.parametrize("make", STRANGE.values(), ids=STRANGE)
def test_a_strange_answer_gets_a_sentence(one, make):
    found = str(verdict(replace(one, seconds=0.1), make()))
    assert found.startswith(f"{one.id} · not yet: ") or found == f"{one.id} · not attempted"
    assert len(found) < 6000


def raise_(error):
    raise error


def recurse(*arguments):
    return recurse(*arguments)


def loop(*_arguments):
    while True:
        pass


def loop_that_catches(*_arguments):
    while True:
        try:
            time.sleep(0.001)
        except Exception:
            continue


def loop_that_catches_all(*_arguments):
    while True:
        try:
            len(())
        except:  # noqa: E722
            continue


def loop_that_prints(*_arguments):
    while True:
        print("x" * 1000)


def print_and_return(A, B):
    print("here", A)
    print("there", B, file=sys.stderr)
    return composition(A, B)


async def later(A, B):
    return composition(A, B)


def interrupted(A, B):
    raise KeyboardInterrupt


class Unprintable(Exception):
    def __str__(self):
        raise RuntimeError


MISDEEDS = {
    "raise": (lambda A, B: raise_(KeyError("k")), "raised KeyError: 'k'"),
    "raise unprintable": (lambda A, B: raise_(Unprintable()), "raised Unprintable"),
    "raise base": (lambda A, B: raise_(BaseException("b")), "raised BaseException: b"),
    "exit": (lambda A, B: sys.exit(1), "asked Python to stop (SystemExit)"),
    "quit": (lambda A, B: raise_(GeneratorExit()), "raised GeneratorExit"),
    "interrupt": (interrupted, "was stopped by you"),
    "recurse": (recurse, "called itself too deep"),
    "loop": (loop, "was not done after 0.2 seconds. Is there a loop that never ends?"),
    "loop that catches": (loop_that_catches, "was not done after 0.2 seconds"),
    "loop that catches all": (loop_that_catches_all, "was not done after 0.2 seconds"),
    "loop that prints": (loop_that_prints, "was not done after 0.2 seconds"),
    "slow": (lambda A, B: time.sleep(30), "was not done after 0.2 seconds"),
    "nothing": (lambda A, B: None, "returned nothing"),
    "number": (lambda A, B: 5, "5 is not a layout"),
    "wrong text": (lambda A, B: "(2,2", "cannot read this layout"),
    "itself": (lambda A, B: recurse, "the function recurse is not a layout"),
    "no arguments": (lambda: None, "takes 0 positional arguments but 2 were given"),
    "huge": (lambda A, B: Layout(10**12), "has size 1000000000000"),
    "spiteful": (lambda A, B: Spiteful(), "RuntimeError: no"),
    "endless": (lambda A, B: count(), "OverflowError: more than 100000 entries"),
    "a class": (Spiteful, "takes no arguments"),
    "changes its arguments": (lambda A, B: setattr(A, "shape", 1), "a Layout never changes"),
}


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # a coroutine that nobody awaits
@pytest.mark.parametrize(("function", "sentence"), MISDEEDS.values(), ids=MISDEEDS)
def test_a_function_that_misbehaves_gets_a_sentence(function, sentence, capsys):
    began = time.monotonic()
    out = str(verdict(replace(FUNCTION, seconds=0.2), function))
    assert out.startswith("04.7 · not yet: ")
    assert sentence in " ".join(out.split())
    assert time.monotonic() - began < 5
    assert capsys.readouterr() == ("", "")


def test_what_a_right_function_prints_is_not_seen(capsys):
    assert str(verdict(FUNCTION, print_and_return)) == "04.7 · done"
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize("make", STRANGE.values(), ids=STRANGE)
def test_show_never_raises(make, monkeypatch):
    short = replace(exercises_of("04")["04.8"], seconds=0.1)
    monkeypatch.setattr(exercises, "exercise", lambda word: short)
    out = checked(short, make(), "show")
    assert out.startswith(("04.8 · ", "nothing to see"))


def test_show_shows_the_walk():
    one = exercises_of("04")["04.8"]
    assert checked(one, ..., "show") == "04.8 · nothing to see yet\n"
    assert checked(one, "(8,8", "show").startswith("04.8 · nothing to see yet: cannot read this layout")
    names = {"show": show, one.answer: "(8,8):(8,1)"}
    exec("scene = show('04.8')", names)
    grid = names["scene"].panel("grid")
    assert [[grid.at(row, column).lines for column in (0, 1, 7)] for row in (0, 1)] == [
        [("0",), ("1",), ("7",)],
        [("8",), ("9",), ("15",)],
    ]
    assert checked(one, "(8,8):(9,1)", "show").splitlines() == [
        "(8,8):(9,1) leaves the tile; inside of it, each cell shows when you come to it",
        *(line for line in checked(one, "(8,8):(9,1)").splitlines() if line.startswith("   ")),
    ]


def test_a_fault_of_the_course_is_a_sentence_too(monkeypatch):
    def broken(data):
        raise ZeroDivisionError("ours")

    monkeypatch.setattr(exercises, "exercise", lambda word: replace(ONE, judge=broken))
    assert checked(ONE, [1]) == "04.1 · not yet: the check itself stopped (ZeroDivisionError: ours)\n"


# ------------------------------------------------------------------------------------------------ the time limit


def in_a_thread(function):
    """The outcome of a function in a thread that is not the main one, where SIGALRM cannot be had."""
    outcome = []

    def run():
        try:
            outcome.append(function())
        except BaseException as error:
            outcome.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join(20)
    assert not thread.is_alive()
    return outcome[0]


HERE = {"alarm": lambda f: f(), "watchdog": in_a_thread}


@pytest.mark.parametrize("where", HERE.values(), ids=HERE)
def test_the_limit_ends_a_loop_and_leaves_nothing_behind(where):
    def ends():
        with pytest.raises(OutOfTime):
            limited(loop, 0.1)
        began = time.monotonic()
        while time.monotonic() - began < 0.5:  # a late alarm would end this
            pass
        return limited(lambda: "well", 5)

    assert where(ends) == "well"


@pytest.mark.parametrize("where", HERE.values(), ids=HERE)
def test_the_limit_reaches_a_loop_that_catches_everything(where):
    def caught():
        with pytest.raises(OutOfTime):
            limited(loop_that_catches_all, 0.1)
        return "ended"

    assert where(caught) == "ended"


def test_the_watchdog_races_the_end_of_the_block():
    """An end that comes just when the time is up is either in time or out of it, and nothing later."""

    def race():
        outs = 0
        for _round in range(200):
            try:
                limited(lambda: time.sleep(0.002), 0.002)
            except OutOfTime:
                outs += 1
        return outs

    assert isinstance(in_a_thread(race), int)
    time.sleep(0.05)
    assert not [t for t in threading.enumerate() if t.name == "cutelearn-time-limit"]


@pytest.mark.skipif(not hasattr(__import__("signal"), "setitimer"), reason="no SIGALRM here")
def test_another_alarm_is_left_alone():
    import signal

    rung = []
    before = signal.signal(signal.SIGALRM, lambda *_: rung.append(True))
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.15)
        with pytest.raises(OutOfTime):
            limited(loop, 0.05)
        time.sleep(0.3)
        assert rung
    finally:
        signal.signal(signal.SIGALRM, before)


def test_in_a_kernel():
    """What a function prints or displays is not seen there either, and its loop is ended."""
    from pathlib import Path

    from nbformat.v4 import new_code_cell, new_notebook

    from cutelearn.course.running import kernel

    sources = [
        "from dataclasses import replace\nfrom IPython.display import display\nfrom cutelearn import composition\n"
        "from cutelearn.course import check, exercises",
        "def compose_flat(A, B):\n    print(A)\n    display(B)\n    return composition(A, B)\n\ncheck('04.7')",
        "short = replace(exercises.exercise('04.7'), seconds=0.3)\nexercises.exercise = lambda word: short\n"
        "def compose_flat(A, B):\n    while True:\n        pass\n\ncheck('04.7')",
        "display('still here')",
    ]
    notebook = new_notebook(cells=[new_code_cell(source) for source in sources])
    with kernel(notebook, Path.cwd(), 60) as client:
        for i, cell in enumerate(notebook.cells):
            client.execute_cell(cell, i)
    _imports, done, loops, after = (cell.outputs for cell in notebook.cells)
    assert [output.text for output in done] == ["04.7 · done\n"]
    assert "was not done after 0.3 seconds" in loops[0].text
    assert after[0].data["text/plain"] == "'still here'"


# ------------------------------------------------------------------------------------------------ data


@pytest.mark.parametrize(
    ("value", "data"),
    [
        (np.int64(3), 3),
        (np.arange(3), [0, 1, 2]),
        (range(3), [0, 1, 2]),
        (map(int, "12"), [1, 2]),
        ({"a": (1, [2])}, {"a": (1, [2])}),
        (Layout(4), Layout(4)),
        ({1, 2}, Other("a set")),
        (object(), Other("an object")),
        (len, Other("the function len")),
    ],
)
def test_values_become_plain_data(value, data):
    assert to_data(value) == data


def test_calls_become_data():
    def half(n):
        if n % 2:
            raise ValueError("odd")
        if n > 6:
            raise RuntimeError("far")
        return n // 2

    assert call_each(half, [(2,), (3,), (6,), (8,), (10,)], 5) == Calls(
        (1, Refused("odd"), 3, Failed('raised RuntimeError: far, in the line `raise RuntimeError("far")`'))
    )


@given(st.lists(st.integers(-3, 3), max_size=6), st.lists(st.integers(-3, 3), min_size=1, max_size=6))
def test_lists_are_equal_or_the_first_difference_is_shown(yours, wanted):
    found = ints_fault(yours, wanted)
    assert (found is None) == (yours == wanted)
    if found:
        assert found.beside.count("<- here") == 1


@given(st.recursive(st.none() | st.integers() | st.text(max_size=50), lambda s: st.lists(s) | st.tuples(s, s)))
def test_every_value_can_be_said(value):
    assert len(says(to_data(value))) <= 40


# ------------------------------------------------------------------------------------------------ under nbgrader


def test_under_nbgrader_only_what_is_done_passes(monkeypatch):
    monkeypatch.setenv("NBGRADER_EXECUTION", "autograde")
    assert checked(ONE, right(ONE)) == "04.1 · done\n"
    for value in (..., [0, 2, 8, 10, 16, 18]):
        with pytest.raises(exercises.NotDone, match=r"04\.1 · not"):
            checked(ONE, value)
    with pytest.raises(exercises.NotDone):
        check("04.99")


# ------------------------------------------------------------------------------------------------ chapter 04


def test_the_catalogue_speaks_of_true_values():
    """What hints and sentences of chapter 04 say of numbers, computed."""
    one = exercises_of("04")
    a, b = Layout((4, 6), (6, 1)), Layout((2, 3), (2, 8))
    assert values(b) == one["04.1"].wrong[0].answer
    assert [b(a(i)) for i in range(6)] == one["04.1"].wrong[2].answer
    assert [a(i) for i in range(6)] == one["04.1"].wrong[3].answer
    by_mode = composition(a, (Layout(2, 2), Layout(3, 8)))
    assert values(by_mode) == one["04.1"].wrong[4].answer
    assert [6 * (c // 4) + c % 4 for c in values(b)] == one["04.1"].wrong[5].answer
    assert composition(Layout((6, 2), (8, 2)), Layout(2, 4)) == Layout(2, 32)


def as_a_learner_writes_it(A, B, ends=False, rounds_up=False):
    """04.7 in other words than the catalogue's: A's last mode may end, and what does not divide may be rounded up."""
    shape, stride, step, count = [], [], B.stride, B.shape
    for k, (extent, d) in enumerate(zip(A.shape, A.stride, strict=True)):
        if not ends and k == len(A.shape) - 1:
            shape.append(count)
            stride.append(step * d)
            break
        if step % extent == 0:
            step //= extent
            continue
        if step > extent or (extent % step and not rounds_up):
            raise LayoutError("the step does not fit")
        shape.append(min(-(-extent // step), count))
        stride.append(step * d)
        if count % shape[-1]:
            raise LayoutError("the count does not fit")
        step, count = 1, count // shape[-1]
    return Layout(tuple(shape), tuple(stride))


def test_a_misconception_is_known_however_it_is_written():
    def told(**how):
        return verdict(FUNCTION, lambda A, B: as_a_learner_writes_it(A, B, **how))

    assert told().state == DONE
    assert "A's last mode goes on" in told(ends=True).sentence
    assert "and you give one" in told(rounds_up=True).sentence
    assert not told(ends=True, rounds_up=True).known
    nothing = verdict(FUNCTION, lambda A, B: None)
    assert not nothing.known
    assert "returned nothing" in nothing.sentence


def test_none_where_there_is_a_layout():
    one = exercises_of("04")["04.2"]
    said = str(verdict(one, right(one) | {72: None}))
    assert said.startswith("04.2 · not yet: entry 72: None says that there is no such layout, and there is one\n")


def test_import_is_light():
    code = "import sys; from cutelearn.course import check, hint, show, solution; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    heavy = {"numpy", "IPython", "nbformat", "nbclient", "jupyter_client", "matplotlib", "numba", "nbgrader", "pytest"}
    assert not heavy.intersection(loaded)
    assert not [name for name in loaded if name.startswith("cutelearn.course.chapters.ch")]


def test_nothing_is_written(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    checked(ONE, [1])
    said(hint, "04.1")
    said(solution, "04.1")
    assert list(tmp_path.iterdir()) == []


def test_a_function_exercise_names_its_inputs():
    for one in EXERCISES:
        if isinstance(one, FunctionExercise):
            runs_kernels = one.id[:2] in ("11", "12")  # in the simulator: one input is a whole problem
            assert (2 if runs_kernels else 5) <= len(one.inputs()) <= 1000


def test_states_are_three():
    assert {NOT_ATTEMPTED, NOT_YET, DONE} == {"not attempted", "not yet", "done"}
