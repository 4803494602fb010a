"""Chains and walks: each step drawn is the step that the operation takes."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from strategies import layouts, shapes

from cutelearn import Layout, LayoutError, coalesce, composition, idx2crd, make_layout, parse_tuple, size
from cutelearn.draw import draw_coalesce, draw_composition, draw_coordinates, draw_odometer, draw_shape_div
from cutelearn.draw.steps import coalesce_steps, shape_div_steps
from cutelearn.htuple import leaves, product

# ------------------------------------------------------------------------------------------------ coordinates


@given(shapes())
def test_the_table_lists_equivalent_coordinates(shape):
    panel = draw_coordinates(shape, limit=None).panel("coordinates")
    columns = [words for _c, _n, words in panel.axis("top").levels[0].ticks]
    assert columns[0] == "1-D"
    assert columns[-1] == "natural"
    for c in panel.cells:
        i = int(c.row)
        if columns[int(c.col)] == "1-D":
            assert c.lines == (str(i),)
        if columns[int(c.col)] == "natural":
            assert parse_tuple(c.lines[0]) == idx2crd(i, shape)
        if columns[int(c.col)] == "2-D":
            flat = tuple(product(s) for s in shape)
            assert parse_tuple(c.lines[0]) == idx2crd(i, flat)


def test_the_table_of_the_note_has_18_lines_and_offsets():
    panel = draw_coordinates(Layout((3, (2, 3)), (3, (12, 1))), pick=(0, (0, 1))).panel("coordinates")
    assert panel.rows == 18
    assert [panel.at(6, k).lines[0] for k in range(4)] == ["6", "(0,2)", "(0,(0,1))", "1"]
    assert panel.picked() == [(6, 0), (6, 1), (6, 2), (6, 3)]


@given(shapes(), st.data())
def test_the_odometer_shows_the_digits(shape, data):
    index = data.draw(st.integers(0, product(shape) - 1))
    scene = draw_odometer(shape, index)
    digits = leaves(idx2crd(index, shape))
    wheels = scene.panel("wheels")
    picked = {round(c.col / 1.2): int(c.lines[0]) for c in wheels.cells if c.picked}
    assert tuple(picked[k] for k in range(len(digits))) == digits
    counting = scene.panel("counting")
    rows = {}
    for c in counting.cells:
        rows.setdefault(int(c.row), []).append(int(c.lines[0]))
    for row, shown in rows.items():
        assert tuple(shown) == leaves(idx2crd(int(counting.axis("left").at(row)), shape))


def test_a_digit_is_coloured_where_it_has_turned():
    counting = draw_odometer((3, (2, 3)), 13).panel("counting")
    turned = {counting.axis("left").at(r): [counting.at(r, k).key is not None for k in range(3)] for r in range(1, 12)}
    assert turned["12"] == [True, True, True]
    assert turned["13"] == [True, False, False]
    assert turned["15"] == [True, True, False]


@pytest.mark.parametrize(
    ("index", "shown"),
    [(0, "[0] 1 2 3 4 5 6 7 ⋮"), (30, "⋮ 27 28 29 [30] 31 32 33 ⋮"), (59, "⋮ 52 53 54 55 56 57 58 [59]")],
)
def test_a_long_wheel_goes_on_beyond_its_window(index, shown):
    """A clock: hours, minutes and seconds, of which nine stand in the window, round the one that shows."""
    wheels = draw_odometer((60, 60, 24), index).panel("wheels")
    assert " ".join(str(c) for c in wheels.cells if c.col == 0) == shown


def test_the_text_of_an_odometer_and_of_chains_has_words_and_no_coordinates_of_the_drawing():
    lines = draw_odometer((3, (2, 3)), 13).table().splitlines()
    assert "digit 0 of mode 0, 0 to 2, worth 1: 0 [1] 2" in lines
    assert "digit 2 of mode 1, 0 to 2, worth 6: 0 1 [2]" in lines
    division = draw_shape_div(Layout((6, 2), (8, 2)), 3, 4).table()
    assert "A:  6 : 8  2 : 2\n÷ 3:  2 : 24  2 : 2\nkeep 4:  2 : 24  2 : 2" in division
    chain = draw_coalesce(Layout((2, (1, 6)), (1, (6, 2)))).table()
    assert "2:1 1:6 6:2\n[2:1] 6:2   1:6 has extent 1\n[12:1]   2·1 = 2" in chain
    assert ".." not in division + chain + "".join(lines)


def test_the_odometer_refuses_what_it_cannot_count():
    with pytest.raises(LayoutError, match="it counts from 0 to 17"):
        draw_odometer((3, (2, 3)), 18)


# ------------------------------------------------------------------------------------------------ composition


@given(layouts(), layouts(size=24), st.data())
def test_three_boxes_say_what_composition_does(a, b, data):
    try:
        r = composition(a, b)
    except LayoutError:
        assume(False)
    i = data.draw(st.integers(0, size(r) - 1))
    scene = draw_composition(a, b, i)
    boxes = {p.name: {c.row: c.lines[0] for c in p.cells if not c.faint} for p in scene.panels}
    index = {row: int(words) for row, words in boxes["index"].items()}
    for row, k in index.items():
        assert int(boxes["coordinate"][row].split()[0]) == b(k)
        assert int(boxes["address"][row]) == a(b(k)) == r(k)
    (row,) = {r for p in scene.panels for r, _c in p.picked()}
    assert index[row] == i
    assert len(scene.arrows) == 3


def test_a_carry_is_marked():
    a, b = Layout((6, 2), (1, 10)), Layout((3, 4), (2, 3))
    address = draw_composition(a, b, 5, check=False).panel("address")
    assert address.at(5, 0).lines == ("11 ≠ 7",)
    assert [c.row for c in address.cells if c.key == "wrong"] == [5, 11]
    with pytest.raises(LayoutError, match="carry"):
        draw_composition(a, b, 5)


def test_the_walk_in_words():
    scene = draw_composition(Layout((4, 6), (6, 1)), Layout((3, 3), (8, 1)), 4)
    assert [a.label for a in scene.arrows] == ["B: 4 = (1,1) → 8+1", "A: (1,2) → 6+2", "R: 4 = (1,1) → 2+6"]
    tiled = draw_composition(Layout((8, 8), (8, 1)), (2, 4), 5)
    assert [a.label for a in tiled.arrows][:2] == ["B: 5 = (1,2) → (1,2)", "A: (1,2) → 8+2"]
    with pytest.raises(LayoutError, match="it counts from 0 to 8"):
        draw_composition(Layout((4, 6), (6, 1)), Layout((3, 3), (8, 1)), 9)


# ------------------------------------------------------------------------------------------------ chains


@given(layouts())
def test_the_coalesce_chain_keeps_the_function_and_ends_in_coalesce(a):
    chain = coalesce_steps(a)
    wanted = a.offsets().tolist()
    for modes, _rule, _changed in chain:
        step = Layout(tuple(s for _c, _n, s, _d in modes), tuple(d for *_rest, d in modes))
        assert step.offsets().tolist() == wanted
        assert [c for c, *_rest in modes] == sorted(c for c, *_rest in modes)
        assert sum(n for _c, n, *_rest in modes) == len(leaves(a.shape))
    last = [(s, d) for _c, _n, s, d in chain[-1][0]]
    final = coalesce(a)
    assert last == list(zip(leaves(final.shape), leaves(final.stride), strict=True))


def test_the_coalesce_rules_are_named():
    panel = draw_coalesce(Layout((2, 4, 3, 1, 2), (1, 2, 10, 7, 30))).panel("steps")
    assert [label.words for label in panel.labels][1:] == [
        "2·1 = 2",
        "8·1 ≠ 10: stays",
        "1:7 has extent 1",
        "3·10 = 30",
    ]
    assert [c.lines[0] for c in panel.cells if c.picked] == ["8:1", "3:10", "6:10"]
    by_mode = draw_coalesce(Layout((2, (1, 6)), (1, (6, 2))), (1, 1))
    assert by_mode.note == "(2,6):(1,2)"
    assert [p.name for p in by_mode.panels] == ["steps", "steps 2"]


@given(layouts(), st.integers(1, 24), st.integers(1, 24))
def test_the_division_chain_ends_in_the_composition(a, step, count):
    try:
        wanted = composition(a, Layout(count, step))
    except LayoutError:
        assume(False)
    kept = shape_div_steps(a, step, count)[-1][1]
    made = make_layout(*(Layout(s, d) for _at, _span, s, d in kept))
    assert coalesce(made).offsets().tolist() == wanted.offsets().tolist()


def test_powers_of_ten_show_where_a_digit_came_from():
    a = Layout((3, 6, 2, 8), (1, 10, 100, 1000))
    scene = draw_shape_div(a, 6, 48)
    assert scene.note == "(3,2,8):(20,100,1000)"
    assert [c.lines for c in scene.panel("steps").cells if c.row == 1.4] == [
        ("1", "·"),
        ("3", "20"),
        ("2", "100"),
        ("8", "1000"),
    ]
    assert [s for _at, _span, s, _d in shape_div_steps(a, 9)[-1][1]] == [1, 2, 2, 8]  # 3 is used up by the first mode
    with pytest.raises(LayoutError, match="4"):
        draw_shape_div(a, 4, 4)


def test_what_coalesces_is_merged_before_it_is_divided():
    rows = shape_div_steps(Layout((2, 2, 3), (1, 2, 10)), 1, 3)
    assert [name for name, _modes in rows] == ["A", "coalesce", "÷ 1", "keep 3"]
    assert rows[1][1] == [(0, 2, 4, 1), (2, 1, 3, 10)]
    cells = draw_shape_div(Layout((2, 2, 3), (1, 2, 10)), 1, 3).panel("steps").cells
    assert [(c.lines, c.cols) for c in cells if c.row == 1.4] == [(("4", "1"), 2), (("3", "10"), 1)]
