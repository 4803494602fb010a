"""The study note's facts that concern shapes, layouts, algebra and swizzles, asserted from tests/data/facts.jsonl.

One small function an op. Facts of other rooms are listed by op with the room whose tests assert them.
"""

import re

import oracle
import pytest
from calls import read

import cutelearn as ct
from cutelearn import Layout, LayoutError, LayoutLeft, LayoutRight, idx2crd, shape, size
from cutelearn.htuple import text

ELSEWHERE = {
    "tensor": "tensor_layout make_tensor_like_dynamic axpby local_tile local_partition local_partition_coords "
    "local_partition_stride threads_along_m bytes",
    "atoms": "tv_vs_memory tv_decode tv_decode_table tv_grid_row gmma_n_variants tiled_mma_first_c tiled_mma_size "
    "tiled_mma_a_coords tiled_mma_tile tiled_mma_values tiled_mma_shapes tiled_copy vector_width tiled_copy_coords "
    "tiled_copy_shapes",
    "kernels": "compile kernel_run coalesce_dynamic",
}
ELSEWHERE = {op: room for room, ops in ELSEWHERE.items() for op in ops.split()}

FACTS = {}


def fact(*ops):
    def note(function):
        FACTS.update(dict.fromkeys(ops, function))
        return function

    return note


def coordinates(span):
    """`0..3`, `(0..7, 0)`, `(0,0..3)`: every coordinate that is meant, in order."""
    first, last = map(int, re.search(r"(\d+)\.\.(\d+)", span).groups())
    return [read(re.sub(r"\d+\.\.\d+", str(i), span)) for i in range(first, last + 1)]


def by_mode(x):
    return read(x["tiler"])


# --- shapes and coordinates


@fact("size")
def _(x):
    return size(read(x["shape"]))


@fact("compatible")
def _(x):
    return ct.compatible(read(x["a"]), read(x["b"]))


@fact("idx2crd")
def _(x):
    return text(idx2crd(x["index"], read(x["shape"])))


@fact("hier_to_2d")
def _(x):
    return text(ct.crd2crd(read(x["coord"]), read(x["shape"]), flat(x["shape"])))


@fact("equiv_coord")
def _(x):
    return text(ct.crd2crd(read(x["natural"]), read(x["shape"]), flat(x["shape"])))


def flat(shape_text):
    """A shape with one integer for each mode."""
    return tuple(size(s) for s in read(shape_text))


@fact("coord_order")
def _(x):
    return [text(idx2crd(i, read(x["shape"]))) for i in range(x["first"])]


@fact("col_of_index")
def _(x):
    return [idx2crd(i, read(x["shape"]))[1] for i in x["indices"]]


@fact("shape_div")
def _(x):
    return text(ct.shape_div(read(x["shape"]), x["d"]))


@fact("shape_div_list")
def _(x):
    return [text(ct.shape_div(read(x["shape"]), d)) for d in x["d"]]


@fact("shape_mod_list")
def _(x):
    """Keep the first s coordinates: min(extent, what is left of s), and s is used up mode by mode."""

    def keep(extents, s):
        if not extents:
            return ()
        return (min(extents[0], s), *keep(extents[1:], ct.shape_div(s, extents[0])))

    A = Layout(read(x["shape"]))
    for s in x["s"]:
        assert size(keep(A.shape, s)) == size(ct.composition(A, Layout(s))) == s
    return [text(keep(A.shape, s)) for s in x["s"]]


@fact("tile_count")
def _(x):
    return text(ct.ceil_div(read(x["shape"]), read(x["tile"])))


# --- layouts


@fact("layout_eval")
def _(x):
    return Layout.parse(x["layout"])(read(x["coord"]))


@fact("layout_eval_pair")
def _(x):
    return [Layout.parse(x["layout"])(read(coord)) for coord in x["coords"]]


@fact("layout_table")
def _(x):
    return [Layout.parse(x["layout"])(coord) for coord in coordinates(x["coords"])]


@fact("is_bijection")
def _(x):
    return sorted(Layout.parse(x["layout"]).offsets()) == list(range(x["codomain"]))


@fact("compact_strides")
def _(x):
    return text(
        ct.make_layout(read(x["shape"]), {"LayoutLeft": LayoutLeft, "LayoutRight": LayoutRight}[x["order"]]).stride
    )


@fact("strides_sorted")
def _(x):
    return list(Layout.parse(x["layout"]).stride) == sorted(Layout.parse(x["layout"]).stride)


@fact("cosize")
def _(x):
    return ct.cosize(Layout.parse(x["layout"]))


@fact("image_size_cosize")
def _(x):
    A = Layout.parse(x["layout"])
    return {"image": sorted(set(A.offsets().tolist())), "size": size(A), "cosize": ct.cosize(A)}


@fact("sublayout")
def _(x):
    return str(ct.mode(Layout.parse(x["layout"]), *x["path"]))


@fact("select_take")
def _(x):
    A = Layout.parse(x["layout"])
    return [str(ct.select(A, *x["select"])), str(ct.take(A, *x["take"]))]


@fact("group")
def _(x):
    return str(ct.group(Layout.parse(x["layout"]), *x["range"]))


@fact("flatten")
def _(x):
    return str(ct.flatten(Layout.parse(x["layout"])))


@fact("slice_shapes")
def _(x):
    """A lower-case name such as `t` stands for any integer coordinate of its mode."""
    A = Layout(read(x.get("shape") or x["tensor"]))
    return [text(shape(A(read(re.sub(r"[a-z]\w*", "1", coord))))) for coord in x["coords"]]


@fact("make_tensor_like")
def _(x):
    return str(ct.make_layout_like(Layout.parse(x["layout"])))


# --- algebra


@fact("coalesce")
def _(x):
    return str(ct.coalesce(Layout.parse(x["layout"])))


@fact("coalesce_bymode")
def _(x):
    return str(ct.coalesce(Layout.parse(x["layout"]), read(x["profile"])))


def pair(x):
    return Layout.parse(x["A"]), read(x["B"] if "B" in x else x["tiler"])


@fact("composition", "composition_bymode")
def _(x):
    return str(ct.composition(*pair(x)))


@fact("composition_values")
def _(x):
    return ct.composition(*pair(x)).offsets().tolist()


@fact("composition_dynamic_nondivisible")
def _(x):
    """Static integers do not compose; with run-time ones C++ gives R(2) = 2 in silence. The values are A's own."""
    A, B = pair(x)
    with pytest.raises(LayoutError, match="divisib"):
        ct.composition(A, B)
    return {"A(B(2))": A(B(2)), "R(2)": 2, "static": "compile error"}


@fact("leftdist_counterexample")
def _(x):
    A, B = pair(x)
    with pytest.raises(LayoutError, match="carry"):
        ct.composition(A, B)
    R, coord = ct.composition(A, B, check=False), read(x["coord"])
    return {"A(B(c))": A(B(coord)), "layout returned": str(R), "R(c)": R(coord)}


@fact("strided_layout")
def _(x):
    """Every d-th coordinate of A: the shape divided by d, each stride times what is left of d there."""
    A = Layout.parse(x["A"])
    strides, left = [], x["d"]
    for s, d in zip(A.shape, A.stride, strict=True):
        strides.append(d * left)
        left = ct.shape_div(left, s)
    R = Layout(ct.shape_div(A.shape, x["d"]), tuple(strides))
    assert ct.coalesce(R) == ct.coalesce(ct.composition(A, Layout(size(R), x["d"])))
    return str(R)


@fact("complement")
def _(x):
    return str(ct.complement(Layout.parse(x["layout"]), x["cotarget"]))


@fact("logical_divide", "logical_divide_bymode")
def _(x):
    return str(ct.logical_divide(*pair(x)))


@fact("zipped_divide")
def _(x):
    return str(ct.zipped_divide(*pair(x)))


@fact("tiled_divide")
def _(x):
    return str(ct.tiled_divide(*pair(x)))


@fact("flat_divide")
def _(x):
    return str(ct.flat_divide(*pair(x)))


@fact("shape_of")
def _(x):
    return text(shape(getattr(ct, x["op"])(*pair(x))))


@fact("divide_rank3")
def _(x):
    return four_shapes("divide", x)


@fact("product_rank3")
def _(x):
    return four_shapes("product", x)


def four_shapes(kind, x):
    A, tiler = Layout(read(x["shape"])), read(x["tiler"])
    forms = ("logical", "zipped", "tiled", "flat")
    return {form: text(shape(getattr(ct, f"{form}_{kind}")(A, tiler))) for form in forms}


@fact("zipped_divide_shape")
def _(x):
    return text(shape(ct.zipped_divide(Layout(read(x["shape"])), read(x["tiler"]))))


@fact("logical_product")
def _(x):
    return str(ct.logical_product(*pair(x)))


@fact("logical_product_cosize")
def _(x):
    A, B = pair(x)
    R = ct.logical_product(A, B)
    return {"product": str(R), "cosize": ct.cosize(R), "size(A)*cosize(B)": size(A) * ct.cosize(B)}


@fact("blocked_product")
def _(x):
    return str(ct.blocked_product(*pair(x)))


@fact("raked_product")
def _(x):
    return str(ct.raked_product(*pair(x)))


@oracle.each_line("facts", where=lambda row: row["op"] not in ELSEWHERE)
def test_fact(row):
    op = row["op"]
    assert op in FACTS, f"no test for a fact of the kind {op!r}: add it here or name the room that asserts it"
    assert FACTS[op](row["inputs"]) == row["expected"]


def test_every_fact_of_another_room_is_of_a_kind_that_is_there():
    ops = {row["op"] for path in oracle.files("facts") for row in oracle.rows(path)}
    assert set(ELSEWHERE) <= ops
    assert not set(ELSEWHERE) & set(FACTS)
