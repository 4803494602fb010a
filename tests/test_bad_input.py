"""What a learner may type wrongly, and the exact sentence it gives: tests/bad_input.txt, to be read as prose.

Each sentence says what was wrong, which number, and what to do. `python tests/test_bad_input.py` writes the file anew in
the library's present words; read the difference before you keep it.
"""

import contextlib
import inspect
import re
from pathlib import Path

import pytest

import cutelearn
from cutelearn import LayoutError

FILE = Path(__file__).with_name("bad_input.txt")


def cases():
    blocks = re.split(r"^>>> ", FILE.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
    return [tuple(block.rstrip("\n").split("\n", 1)) for block in blocks]


def sentence(call):
    """The words of the LayoutError that the call raises."""
    names = {name: getattr(cutelearn, name) for name in re.findall(r"[A-Za-z_]\w*", call) if name in cutelearn.__all__}
    with pytest.raises(LayoutError) as refused:
        eval(call, names)
    return str(refused.value)


@pytest.mark.parametrize(("call", "words"), cases(), ids=[call for call, _words in cases()])
def test_exact_sentence(call, words):
    assert sentence(call) == words


def test_there_are_about_forty_and_each_says_enough():
    assert len(cases()) >= 40
    for call, words in cases():
        assert len(words) > 30, f"{call}: {words!r} says too little"
        assert not words.endswith("."), f"{call}: no full stop at the end"


A = cutelearn.Layout((4, (2, 3)), (1, (4, 8)))
SWIZZLED = cutelearn.ComposedLayout(cutelearn.Swizzle(2, 0, 3), 0, cutelearn.Layout((8, 8)))
JUNK = [None, 2.5, "x", "4:1", object(), {}, (2, None), (2.5,), [1.5], len]
FUNCTIONS = """
coalesce filter filter_zeros composition complement right_inverse left_inverse nullspace logical_divide zipped_divide
tiled_divide flat_divide logical_product zipped_product tiled_product flat_product blocked_product raked_product
tile_to_shape with_shape upcast downcast max_common_layout max_common_vector max_alignment make_fragment_like
make_layout_like flatten take group select mode size rank depth cosize stride append prepend slice_and_offset
idx2crd crd2idx ceil_div shape_div make_identity_layout make_ordered_layout to_cpp print_layout Layout Swizzle
compact_col_major compact_row_major
"""


@pytest.mark.parametrize("name", FUNCTIONS.split())
def test_junk_gets_a_sentence_too(name):
    """Whatever stands in the place of an argument: an answer, or a LayoutError; never a traceback from the depths."""
    function = getattr(cutelearn, name)
    for junk in JUNK:
        for args in ((junk,), (A, junk), (junk, A), (SWIZZLED, junk), (A, 1, junk), (junk, 1, 1)):
            try:
                inspect.signature(function).bind(*args)
            except TypeError:
                continue  # Python itself says that the number of arguments is wrong
            with contextlib.suppress(LayoutError):
                function(*args)


def nested(levels, leaf=1):
    for _level in range(levels):
        leaf = (leaf,)
    return leaf


@pytest.mark.parametrize("name", FUNCTIONS.split())
def test_parentheses_too_deep_get_a_sentence(name):
    function, deep = getattr(cutelearn, name), nested(65)
    for args in ((deep,), (A, deep), (deep, A), (deep, deep), (SWIZZLED, deep), ((4, 8), deep)):
        try:
            inspect.signature(function).bind(*args)
        except TypeError:
            continue
        with contextlib.suppress(LayoutError):
            function(*args)


def test_parentheses_that_can_be_are_taken():
    assert str(cutelearn.Layout(nested(64))).startswith("((((")
    with pytest.raises(LayoutError, match="more than 64 deep"):
        cutelearn.Layout(nested(65))
    with pytest.raises(LayoutError, match="more than 64 deep"):
        cutelearn.Layout(4, [nested(64)])


def test_a_long_sentence_is_cut_in_the_middle():
    with pytest.raises(LayoutError) as refused:
        cutelearn.Layout((*range(3000, -1, -1),))
    words = str(refused.value)
    assert len(words) < 2000
    assert words.startswith("the shape (3000,2999,")
    assert " characters) ... " in words
    assert words.endswith("has the extent 0: every extent must be at least 1")
    with pytest.raises(LayoutError, match=r"holds the text '4{79}\.\.\.: write integers"):
        cutelearn.Layout(("4" * 5000,))


# ------------------------------------------------------------------------------------------------ long tables

HUGE = [
    cutelearn.Layout((4096, 4096), (4096, 1)),
    cutelearn.Layout((4, 10**30)),
    cutelearn.Layout((10**30, 10**30), (10**30, 1)),
    cutelearn.make_identity_layout((5000, 3)),
    cutelearn.ComposedLayout(cutelearn.Swizzle(3, 3, 3), 0, cutelearn.Layout((4096, 4096), (4096, 1))),
]


@pytest.mark.parametrize("layout", HUGE, ids=str)
def test_print_layout_cuts_a_huge_table_and_says_so(layout, capsys):
    cutelearn.print_layout(layout)
    printed = capsys.readouterr().out
    table = printed.splitlines()
    assert len(printed) < 100_000
    rows, cols = (n if n <= 19 else 18 for n in layout.shape)
    assert table[-1] == f"{rows * cols} of {cutelearn.size(layout)} cells; limit=None prints all"
    assert len({len(line) for line in table[2:-1]}) == 1
    last = cutelearn.htuple.text(layout(*(n - 1 for n in layout.shape)))
    assert table[-3].endswith(f" {last} |")
    assert "..." in printed


def test_print_layout_prints_all_where_it_is_asked_to(capsys):
    cutelearn.print_layout(cutelearn.Layout((2, 3)), limit=5)
    assert "6 of 6" not in capsys.readouterr().out  # so small a table has nothing to leave out
    cutelearn.print_layout(cutelearn.Layout((50, 90)), limit=None)
    printed = capsys.readouterr().out
    assert "..." not in printed
    assert printed.count("|") == 50 * 91
    with pytest.raises(LayoutError, match="limit is 'all': give a positive integer, or None"):
        cutelearn.print_layout(cutelearn.Layout((2, 3)), "all")


if __name__ == "__main__":
    FILE.write_text("\n\n".join(f">>> {call}\n{sentence(call)}" for call, _words in cases()) + "\n", encoding="utf-8")
