"""Printing and reading against what cute::print wrote, character by character."""

import re

import oracle
import pytest
from calls import read
from exemptions import TRAITS, exempt

import cutelearn as ct
from cutelearn import Layout, LayoutError
from cutelearn.htuple import text


def without_underscores(printed):
    return re.sub(r"_(?=\d)", "", printed)


@oracle.each_line("traits_text")
def test_print_is_cutes_without_underscores(row):
    reason = exempt(TRAITS, row)
    if reason:
        pytest.skip(reason)
    printed = row["text"]
    if row["cpp"].startswith("make_tile("):  # a tuple of layouts, which is CuTe's print of a tiler
        tiler = ct.parse_tiler("<" + printed[1:-1] + ">")
        assert "(" + ",".join(map(str, tiler)) + ")" == without_underscores(printed)
        return
    value = read(printed)
    assert (text(value) if isinstance(value, tuple) else str(value)) == without_underscores(printed)
    assert read(without_underscores(printed)) == value


PLAIN_CPP = re.compile(r"make_layout\((make_shape\(|Int<\d+>{}\))|Layout<")


def is_plain_constructor(row):
    return PLAIN_CPP.match(row["cpp"]) and not exempt(TRAITS, row)


@oracle.each_line("traits_text", where=is_plain_constructor)
def test_the_cpp_line_itself_reads_as_the_layout(row):
    """Where the source is a constructor and no operation, the parser reads the C++ too."""
    assert Layout.parse(row["cpp"]) == Layout.parse(row["text"])


def test_operations_print_as_cute_prints_them():
    """The two entries of the file that are operations, computed here."""
    wanted = {
        row["id"]: without_underscores(row["text"]) for path in oracle.files("traits_text") for row in oracle.rows(path)
    }
    divided = ct.logical_divide(Layout((4, 2, 3), (2, 1, 8)), Layout(4, 2))
    assert str(divided) == wanted["text:ld"]
    assert str(ct.make_identity_layout((4, 8))) == wanted["text:identity2"]
    assert str(ct.make_identity_layout((4, (2, 3)))) == wanted["text:identity_nested"]
    assert str(ct.make_layout(Layout(3))) == wanted["text:wrapped"]


@oracle.each_op("algebra_cpp")
def test_every_layout_text_reads_back(rows):
    texts = {row["result"] for row in rows if row["kind"] == "layout"}
    texts |= {arg for row in rows for arg, kind in zip(row["args"], row["kinds"], strict=True) if kind == "layout"}
    wrong = []
    for source in texts:
        layout = Layout.parse(source)
        if str(layout) != source or Layout.parse(ct.to_cpp(layout)) != layout:
            wrong.append(f"{source}: {layout}, {ct.to_cpp(layout)}")
        underscored = re.sub(r"(?<![\d@])(\d+)", r"_\1", source)
        if Layout.parse(underscored) != layout:
            wrong.append(f"{underscored} reads as {Layout.parse(underscored)}")
    oracle.report(wrong)


def test_a_number_is_not_a_tuple_of_one():
    assert Layout.parse("(4):(1)") != Layout.parse("4:1")
    with pytest.raises(LayoutError):
        Layout.parse("(4):1")
