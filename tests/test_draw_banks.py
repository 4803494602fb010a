"""Banks and swizzles: the picture shows exactly the wavefronts that the analysis counts."""

# ruff: noqa: RUF001 (pictures use the sign –)

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cutelearn import ComposedLayout, Layout, LayoutError, Swizzle, _
from cutelearn.atoms.analysis import bank_conflicts
from cutelearn.draw import draw_banks, draw_swizzle, draw_swizzle_bits, palette


def lanes_of(cell):
    return [] if not cell.lines else cell.lines


def test_a_column_of_a_32_by_32_tile_and_its_padding():
    scene = draw_banks(Layout((32, 32), (32, 1)), Layout((32, 32), (33, 1)), lanes=(_, 0))
    plain, padded = scene.panels
    assert plain.aside == "32 wavefronts, not 1: 32-way conflict"
    assert (plain.tone, padded.tone) == ("x", "g")
    assert [plain.at(r, 0).lines for r in range(5)] == [(str(r),) for r in range(5)]
    assert [label.words for label in plain.labels] == ["⋮  27 more"]
    assert all(c.key is None for c in plain.cells if c.col != 0)
    assert [padded.at(0, b).lines for b in range(32)] == [(str(b),) for b in range(32)]
    assert padded.fills["T5"] == palette.thread(5)
    assert "a bank serves one 4-byte word a cycle" in scene.note


@given(
    st.lists(st.integers(0, 255), min_size=1, max_size=32),
    st.sampled_from([(32, 1), (16, 1), (32, 2), (32, 4), (8, 1)]),
)
def test_every_lane_stands_in_the_bank_of_its_words(offsets, width):
    element, vector = width
    offsets = [o * vector for o in offsets]
    layout = Layout(1 << 12)
    scene = draw_banks(layout, lanes=offsets, element=element, vector=vector, most=64)
    panel = scene.panel("banks")
    served = bank_conflicts(offsets, element, vector)
    assert panel.rows == served.wavefronts
    assert panel.aside.startswith(f"{served.wavefronts} wavefront")
    row = 0
    for lanes, banks in served.phases:
        height = max(map(len, banks.values()))
        for bank in range(32):
            words = banks.get(bank, ())
            for k in range(height):
                cell = panel.at(row + k, bank)
                assert bool(cell.lines) == (k < len(words))
                if k < len(words):
                    here = [t for t in lanes if words[k] in _words(offsets[t] * element // 8, element // 8 * vector)]
                    assert cell.lines[0] == str(here[0])
                    assert cell.key == f"T{here[0]}"
                    assert len(here) <= 2 or cell.lines[1] == f"+{len(here) - 1}"
                    assert len(here) != 2 or cell.lines[1] == str(here[1])
        row += height


def _words(low, width):
    return range(low // 4, (low + width - 1) // 4 + 1)


def test_phases_of_wide_accesses_are_named():
    panel = draw_banks(Layout((128, 8), (1, 132)), lanes=Layout((8, 4), (128, 4)), vector=4).panel("banks")
    assert [t[2] for t in panel.axis("left").levels[1].ticks] == [
        "lanes 0–7",
        "lanes 8–15",
        "lanes 16–23",
        "lanes 24–31",
    ]


def test_lanes_by_coordinate_layout_or_list():
    a = Layout((8, 8), (8, 1))
    by_slice = draw_banks(a, lanes=(3, _)).panel("banks")
    by_layout = draw_banks(a, lanes=Layout(8, 8), title="x").panel("banks")
    by_list = draw_banks(a, lanes=[(3, j) for j in range(8)]).panel("banks")
    assert by_slice.cells == by_list.cells
    assert [c.lines for c in by_layout.cells if c.lines] == [(str(k),) for k in range(8)]
    with pytest.raises(LayoutError, match="give at least one"):
        draw_banks(lanes=(_, 0))


def test_a_swizzle_before_and_after():
    a = ComposedLayout.parse("Sw<3,3,3> o 0 o (8,64):(64,1)")
    scene = draw_swizzle(a, pick=0)
    before, after = scene.panel("before"), scene.panel("after")
    for c in before.cells:
        i, j = int(c.row), 8 * int(c.col)
        assert int(c.lines[0]) == a.inner(i, j) // 8
        assert after.at(c.row, c.col).lines == (str(a(i, j) // 8),)
        assert after.at(c.row, c.col).key == f"bank {a(i, j) // 2 % 32}"
    assert before.aside == "column 0: 8 wavefronts, not 1: 8-way conflict"
    assert after.aside == "column 0: 1 wavefront: no conflict"
    assert len({after.at(r, 0).key for r in range(8)}) == 8


def test_a_column_major_swizzle_counts_units_down():
    scene = draw_swizzle(ComposedLayout.parse("Sw<2,3,3> o 0 o (64,8):(1,64)"), pick=1)
    assert (scene.panel("after").rows, scene.panel("after").cols) == (8, 8)
    assert scene.panel("after").aside.startswith("row 1: ")
    with pytest.raises(LayoutError, match="give a swizzled layout of rank 2"):
        draw_swizzle(Layout((8, 8)))


@given(st.integers(0, 4), st.integers(0, 4), st.integers(-4, 4), st.integers(0, 4095))
def test_bits(b, m, s, offset):
    if abs(s) < b:
        return
    sw = Swizzle(b, m, s)
    panel = draw_swizzle_bits(sw, offset).panel("bits")
    n = int(panel.cols)
    rows = {r: "".join(panel.at(r, c).lines[0] if panel.at(r, c).lines else "0" for c in range(n)) for r in range(3)}
    assert int(rows[0], 2) == offset
    assert int(rows[2], 2) == sw(offset) == int(rows[0], 2) ^ int(rows[1], 2)
    for c in range(n):
        bit = 1 << (n - 1 - c)
        assert (panel.at(0, c).key == "Y") == bool(bit & sw.yyy)
        assert (panel.at(2, c).key == "Z") == bool(bit & sw.zzz & ~sw.yyy)
