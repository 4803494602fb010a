"""What real learners met, with right answers: the cases of tests/data/cases.open.jsonl that belong to this room.

A case with a plain `value` or `raise` goes through `usual`; the others have a function of their own, by id.
"""

import re

import laws
import oracle
import pytest
from calls import read, written

import cutelearn as ct
from cutelearn import ComposedLayout, Layout, LayoutError, Swizzle, shape, size
from cutelearn.htuple import text

ROOM = re.compile(
    r"composition|complement|divide|product|inverse|cosize|coalesce|coordinate order|slicing rank|tile_to_shape|swizzle"
    r"|dynamic vs static|TV layout"
)
ALSO = {"copy-10"}  # max_common_vector
SPECIAL = {}


def case(name):
    return lambda function: SPECIAL.setdefault(name, function)


def refused(expected, function, *args):
    """The call is refused, and the message holds the reason's words and every number and coordinate of `raise`."""
    with pytest.raises(LayoutError) as caught:
        function(*args)
    message = str(caught.value)
    for condition in ("stride divisib", "shape divisib", "divisib", "not injective", "carr"):
        if condition in expected:
            assert condition in message, message
    for number in re.findall(r"\([\d,]+\)|\d+", expected):
        assert re.search(rf"(?<!\d){re.escape(number)}(?!\d)", message), f"{number} is not named: {message}"


def usual(row):
    inputs, expected = row["inputs"], row["expected"]
    args = [read(value) if isinstance(value, str) else value for value in inputs.values()]
    function = getattr(ct, row["op"])
    if "raise" in expected:
        refused(expected["raise"], function, *args)
        return
    answer = function(*args)
    assert written(answer) == expected["value"]
    if "values" in expected:
        assert answer.offsets().tolist() == expected["values"]


# --- composition


@case("comp-04")
def _(x, expected):
    A, B = Layout.parse(x["A"]), Layout.parse(x["B"])
    by_formula = ct.composition(A, B, check=False)
    assert str(by_formula) == expected["formula_result"]
    assert by_formula.offsets().tolist() == expected["formula_values"]
    truth = [A(B(i)) for i in range(size(B))]
    assert truth == expected["true_A(B(i))"]
    assert [i for i in range(size(B)) if truth[i] != by_formula(i)] == expected["mismatch_at"]
    refused("carry: B(2,1) is 7, A gives 11, the formula 7", ct.composition, A, B)


@case("comp-07")
def _(x, expected):
    A = Layout.parse(x["A"])
    assert [str(ct.composition(A, Layout.parse(b))) for b in x["B_list"]] == expected["value"]


@case("comp-09")
def _(x, expected):
    T, wanted = Layout.parse(x["T"]), Layout.parse(x["wanted"])
    B = ct.composition(ct.right_inverse(T), wanted)
    R = ct.composition(T, B)
    assert str(B) == expected["B"]
    assert str(R) == expected["T_o_B"].split(",  ")[0].rsplit(", same", 1)[0]
    assert R.offsets().tolist() == wanted.offsets().tolist()
    refused("divisib 3 8", ct.composition, T, wanted)


# --- complement


@case("compl-05")
def _(x, expected):
    A = Layout.parse(x["A"])
    rest = ct.complement(A, x["cotarget"])
    joined = ct.make_layout(rest, A)
    assert [str(rest), str(joined), str(ct.coalesce(joined))] == list(expected.values())


# --- divide and product


@case("div-05")
def _(x, expected):
    R = ct.zipped_divide(Layout.parse(x["A"]), read(x["tiler"]))
    assert str(R) == expected["value"]
    assert R((0, 3), (0, 1)) == Layout.parse(x["A"])(1, 0) == 7  # column 7 of row 0 does not exist


@case("div-06")
def _(x, expected):
    A = Layout.parse(x["A"])
    refused("shape divisib", ct.zipped_divide, A, x["tiler"])
    with pytest.raises(LayoutError):
        ct.zipped_divide(A, x["tiler"], check=False)  # C++ refuses too


@case("div-09")
def _(x, expected):
    A, tiler = Layout.parse(x["A"]), read(x["tiler"])
    assert {form: text(shape(getattr(ct, f"{form}_divide")(A, tiler))) for form in expected} == expected


@case("prod-01")
def _(x, expected):
    A, n = Layout.parse(x["A"]), x["tiler"]
    assert str(ct.logical_product(A, n)) == str(ct.logical_product(A, Layout(n))) == expected["value"]


@case("prod-04")
def _(x, expected):
    A, B = Layout.parse(x["A"]), Layout.parse(x["B"])
    blocked = ct.blocked_product(A, B)
    assert str(blocked) == expected["blocked"]
    assert str(ct.raked_product(A, B)) == expected["raked"]
    assert blocked.offsets().tolist() == expected["blocked_values"]


@case("prod-07")
def _(x, expected):
    thr, val = Layout.parse(x["thr"]), Layout.parse(x["val"])
    raked, blocked = ct.raked_product(thr, val), ct.blocked_product(thr, val)
    # The case has stride 0 in the size-1 mode: its val came from the shape (1,2). As a function it is the same.
    for answer, wanted in ((raked, expected["raked"]), (blocked, expected["blocked"])):
        assert not laws.same_function(answer, laws.read(wanted))
        assert answer.shape == laws.read(wanted).shape
    tv = ct.with_shape(ct.right_inverse(raked), (size(thr), size(val)))
    cells = [ct.idx2crd(tv(t, v), (2, 8)) for t in range(size(thr)) for v in range(size(val))]
    assert [raked(cell) for cell in cells] == [t + size(thr) * v for t in range(size(thr)) for v in range(size(val))]


# --- inverses


@case("inv-01")
def _(x, expected):
    A = Layout.parse(x["A"])
    R = ct.right_inverse(A)
    assert str(R) == expected["value"]
    assert [A(R(i)) for i in range(48)] == list(range(48))


@case("inv-02")
def _(x, expected):
    for source, cpp in zip(x["A_list"], expected["cpp"], strict=True):
        A = Layout.parse(source)
        L = ct.left_inverse(A)
        assert str(L) == cpp
        assert [L(A(i)) for i in range(size(A))] == list(range(size(A)))


@case("inv-03")
def _(x, expected):
    A = Layout.parse(x["A"])
    L = ct.left_inverse(A)
    assert expected["value"].startswith(str(L))
    assert [L(A(i)) for i in range(size(A))] == list(range(size(A)))


@case("inv-04")
def _(x, expected):
    L = ct.left_inverse(Layout.parse(x["A"]))
    assert str(L) == expected["inverse"]
    assert str(ct.with_shape(L, read(x["shape"]))) == expected["with_shape"]


# --- coordinates and slices


@case("crd-01")
def _(x, expected):
    assert {name: Layout.parse(source).offsets().tolist() for name, source in x.items()} == expected


@case("crd-02")
def _(x, expected):
    A = Layout.parse(x["A"])
    cuts = [ct.slice_and_offset(read(coord), A) for coord in x["coords"]]
    assert [str(layout) for layout, _offset in cuts] == [t.split(" ")[0] for t in expected["layouts"]]
    assert [offset for _layout, offset in cuts] == expected["offsets"]


@case("crd-03")
def _(x, expected):
    A, coord = Layout.parse(x["A"]), read(x["coord"])
    for call in (lambda: A(coord), lambda: A(*coord), lambda: ct.slice_and_offset(coord, A)):
        refused(expected["raise"], call)


@case("crd-07")
def _(x, expected):
    assert str(ct.upcast(Layout.parse(x["A_static"]), x["ratio"])) == expected["static"]
    assert str(ct.recast(Layout.parse(x["A_static"]), 16, 32)) == expected["static"]


# --- TV layouts: the answer is a colexicographic index of the tile


def cells(tv, thread, rows):
    return [list(ct.idx2crd(tv(thread, v), (rows, size(tv) // rows))) for v in range(size(tv, 1))]


@case("mma-02")
def _(x, expected):
    tv = Layout.parse(x["A_TV"])
    assert {f"T{t}": cells(tv, t, 16) for t in x["threads"]} == expected


@case("mma-03")
def _(x, expected):
    assert {f"T{x['thread']}": cells(Layout.parse(x["C_TV"]), x["thread"], 16)} == expected


# --- swizzles


def swizzled(name, layout):
    if name == "none":
        return layout
    return ct.composition(read(name.replace("S<", "Sw<")), layout)


@case("swz-02")
def _(x, expected):
    layout = Layout.parse(x["layout"])
    for name in x["swizzles"][1:]:
        assert [swizzled(name, layout)(0, k) for k in range(8)] == expected[f"offsets(0,k) {name}"]


@case("swz-04")
def _(x, expected):
    plain = Layout((64, 16), ct.LayoutRight)
    coord = tuple(x["coord"])
    assert plain(coord) == expected["layout_call"]
    assert ct.composition(Swizzle(1, 3, 3), plain)(coord) == expected["swizzled_element_offset"]


@case("swz-05")
def _(x, expected):
    S, a, b = Swizzle(3, 3, 3), x["a"], x["b"]
    assert [S(a + b), S(a) + b] == [expected["S(a+b)"], expected["S(a)+b"]]
    tile = ComposedLayout(S, 0, Layout((8, 64), (64, 1)))
    row2, offset = ct.slice_and_offset((2, ct._), tile)
    atoms = [offset + row2(8 * k) for k in range(8)]
    assert atoms == [tile(2, 8 * k) for k in range(8)] == expected["row2_atoms"] != expected["wrong_linear"]


@case("swz-07")
def _(x, expected):
    tile = swizzled("S<3,7,3>", Layout((8, 128), (128, 1)))
    assert sum(tile(i) != tile.inner(i) for i in range(size(tile))) == expected["moved_elements"]


@case("copy-10")
def _(x, expected):
    A, B = Layout.parse(x["A"]), Layout.parse(x["B"])
    assert ct.max_common_vector(A, B) == expected["max_common_vector"]
    assert not laws.right_inverse(A, ct.max_common_layout(A, B))


def is_usual(row):
    """A known operation on texts and numbers, with one value or a refusal for an answer."""
    one_answer = {"raise", "value"} & set(row["expected"]) and isinstance(row["expected"].get("value", ""), (str, int))
    return one_answer and hasattr(ct, row["op"]) and all(isinstance(x, (str, int)) for x in row["inputs"].values())


REPOSITORYS = {row["id"] for row in oracle.rows(oracle.files("cases")[0])}


@oracle.each_line("cases", where=lambda row: ROOM.match(row["kind"]) or row["id"] in ALSO)
def test_case(row):
    if row["id"] in SPECIAL:
        SPECIAL[row["id"]](row["inputs"], row["expected"])
    elif is_usual(row):
        usual(row)
    else:
        assert row["id"] not in REPOSITORYS, f"{row['id']} needs a function of its own"
        pytest.skip(f"{row['id']}: a form that this file does not read")
