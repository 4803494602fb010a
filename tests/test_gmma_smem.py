"""Shared-memory layouts of GMMA against the real CuTe C++, and what they are for: no bank conflicts along rows of 16 bytes."""

import numpy as np
import oracle
import pytest
from calls import read

import cutelearn as ct
from cutelearn import ComposedLayout, Layout, Swizzle, bank_conflicts, cosize, gmma_smem_atom, tile_to_shape, value_type

MAJORS, WIDTHS, BITS = ("K", "MN"), ("INTER", "SW32", "SW64", "SW128"), (8, 16, 32)
ALL = [(f"Layout_{major}_{width}_Atom", bits) for major in MAJORS for width in WIDTHS for bits in BITS]


def rows(op):
    return [row for path in oracle.files("swizzle") for row in oracle.rows(path) if row["op"] == op]


def made(row):
    atom = gmma_smem_atom(row["name"], row["type_bits"])
    return tile_to_shape(atom, read(row["target"])) if "target" in row else atom


@pytest.mark.parametrize("op", ["gmma_smem_atom", "gmma_tile_to_shape"])
def test_answers_are_cpps(op):
    wrong = []
    for row in rows(op):
        layout = made(row)
        inner = layout.inner if isinstance(layout, ComposedLayout) else layout
        if str(layout) != row["position_independent_elements"] or str(inner) != row["layout"]:
            wrong.append(f"{row['id']}: {layout}")
        if not oracle.offsets_agree(row, layout.offsets().tolist()):
            wrong.append(f"{row['id']}: offsets")
    oracle.report(wrong)


@pytest.mark.parametrize(("name", "bits"), ALL)
def test_an_atom_fills_its_memory(name, bits):
    """Eight rows of 16, 32, 64 or 128 bytes; every element once; pieces of 16 bytes stay whole."""
    layout = gmma_smem_atom(name, bits)
    offsets = layout.offsets()
    width = {"INTER": 16, "SW32": 32, "SW64": 64, "SW128": 128}[name.split("_")[2]]
    assert len(offsets) * bits == 8 * width * 8
    assert sorted(offsets) == list(range(len(offsets)))
    piece = 128 // bits
    pieces = offsets.reshape(-1, piece) if "MN" in name else offsets.reshape(-1, 8).T.reshape(-1, piece)
    assert (pieces - pieces[:, :1] == np.arange(piece)).all()
    assert (pieces[:, 0] % piece == 0).all()


@pytest.mark.parametrize(("name", "bits"), ALL)
def test_eight_rows_at_one_column_meet_no_bank_twice(name, bits):
    """A tensor core reads a core matrix: eight rows, 16 bytes each. That is what the swizzle is chosen for."""
    layout = gmma_smem_atom(name, bits)
    piece = 128 // bits
    at = (lambda r: layout(0, r)) if "MN" in name else (lambda r: layout(r, 0))
    assert bank_conflicts([at(r) for r in range(8)], bits, vector=piece).ways == 1
    if isinstance(layout, ComposedLayout):
        plain = [layout.inner(0, r) if "MN" in name else layout.inner(r, 0) for r in range(8)]
        assert bank_conflicts(plain, bits, vector=piece).ways == 1 << layout.outer.bits


def test_a_swizzle_sits_in_the_layout_here():
    """In C++ it sits in the pointer: there the layout gives 64 for (4,0), and the element is at 72."""
    tile = tile_to_shape(gmma_smem_atom("K_SW32", "half_t"), (64, 16))
    assert tile.outer == Swizzle(1, 3, 3)
    assert tile.inner(4, 0) == 64
    assert tile(4, 0) == 72


def test_types_and_names():
    assert gmma_smem_atom("GMMA::Layout_K_SW128_Atom", value_type("bf16")) == gmma_smem_atom("K_SW128", 16)
    assert gmma_smem_atom("MN_SW64", "tf32").inner == Layout((16, 8), (1, 16))


def test_the_smallest_swizzle_is_the_gmmas():
    """Search finds what NVIDIA chose: K-major rows of 64 halves, eight rows at one column."""
    plain = Layout((8, 64), (64, 1))
    assert ct.find_swizzle(plain, Layout(8, 1), "half_t", vector=8) == gmma_smem_atom("K_SW128", 16).outer
    assert cosize(plain) == 512
