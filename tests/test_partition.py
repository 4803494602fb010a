"""Partitions: laws, the oracle's sgemm_1 (CuTe C++'s own tiles and threads), the note's facts, learners' cases."""

import pickle
import re
from collections import Counter

import laws
import numpy as np
import oracle
import pytest
from calls import read
from hypothesis import assume, given
from hypothesis import strategies as st
from strategies import extents, layouts

import cutelearn as ct
from cutelearn import (
    Layout,
    LayoutError,
    LayoutRight,
    Step,
    Swizzle,
    X,
    _,
    dice,
    inner_partition,
    local_partition,
    local_tile,
    make_identity_tensor,
    make_layout,
    make_tensor,
    make_tensor_like,
    outer_partition,
    size,
    tv_partition,
)
from cutelearn.htuple import text


def cells_of(part):
    """The coordinates in a part of an identity tensor."""
    return [part[i] for i in range(size(part))]


def each_once(parts, shape, times=1):
    """Whether the parts together hold every coordinate of the shape so many times, and nothing else inside it."""
    met = Counter(cell for part in parts for cell in cells_of(part) if ct.elem_less(cell, shape))
    wanted = {laws.digits(i, shape): times for i in range(size(shape))}
    return met == wanted


# --- laws


@st.composite
def tilings(draw):
    """A flat shape, a tiler of at most its rank (it need not divide), a data layout of that shape."""
    sizes = draw(extents(most=3, size=96))
    tiler = tuple(draw(st.integers(1, n + 1)) for n in sizes[: draw(st.integers(1, len(sizes)))])
    order = draw(st.permutations(range(len(sizes))))
    return tuple(sizes), tiler, ct.make_ordered_layout(tuple(sizes), tuple(order))


@given(tilings())
def test_tiles_cover_every_cell_once(case):
    shape, tiler, _A = case
    cells = make_identity_tensor(shape)
    tiles = ct.ceil_div(shape, tiler)
    assert each_once([inner_partition(cells, tiler, i) for i in range(size(tiles))], shape)
    by_coordinate = [inner_partition(cells, tiler, laws.digits(i, tiles)) for i in range(size(tiles))]
    assert each_once(by_coordinate, shape)


@given(tilings())
def test_cells_of_every_tile_cover_every_cell_once(case):
    shape, tiler, _A = case
    cells = make_identity_tensor(shape)
    assert each_once([outer_partition(cells, tiler, i) for i in range(size(tiler))], shape)


@given(tilings(), st.data())
def test_inner_and_outer_are_two_slices_of_one_divide(case, data):
    _shape, tiler, A = case
    t = make_tensor(range(10_000), A)
    divided = ct.zipped_divide(t, tiler)
    tile = data.draw(st.integers(0, size(divided, 1) - 1))
    cell = data.draw(st.integers(0, size(divided, 0) - 1))
    assert inner_partition(t, tiler, tile)[cell] == outer_partition(t, tiler, cell)[tile] == divided[cell, tile]


@given(tilings(), st.data())
def test_a_step_is_the_tiler_and_the_coordinate_without_a_mode(case, data):
    shape, tiler, A = case
    at = data.draw(st.integers(0, len(tiler)))
    tile = laws.digits(data.draw(st.integers(0, size(ct.ceil_div(shape, tiler)) - 1)), ct.ceil_div(shape, tiler))
    coord = tuple(data.draw(st.sampled_from([c, _])) for c in tile[: len(tiler)])
    step = Step(*[1] * at, X, *[1] * (len(tiler) - at))
    whole = (*tiler[:at], 77, *tiler[at:])
    t = make_tensor(range(10_000), A)
    with_step = local_tile(t, whole, (*coord[:at], 5, *coord[at:]), step)
    assert str(with_step) == str(local_tile(t, tiler, coord)) == str(inner_partition(t, tiler, coord))


@st.composite
def thread_layouts(draw, most=3):
    """A compact layout of threads: every number 0..n-1 once; perhaps with modes inside modes."""
    sizes = draw(extents(most=most, size=32))
    flat = ct.make_ordered_layout(tuple(sizes), tuple(draw(st.permutations(range(len(sizes))))))
    return flat if draw(st.booleans()) else ct.group(flat, 0, draw(st.integers(1, len(sizes))))


@given(thread_layouts(), st.data())
def test_threads_share_out_every_cell_once(threads, data):
    shape = tuple(data.draw(st.integers(1, 9)) for _mode in range(ct.rank(threads)))
    cells = make_identity_tensor(shape)
    assert each_once([local_partition(cells, threads, i) for i in range(size(threads))], shape)


@given(thread_layouts(), st.data())
def test_a_thread_has_the_cells_at_its_own_place_in_every_tile(threads, data):
    shape = tuple(data.draw(st.integers(1, 9)) for _mode in range(ct.rank(threads)))
    i = data.draw(st.integers(0, size(threads) - 1))
    extent = tuple(map(size, threads.shape))
    place = next(c for c in (laws.digits(k, extent) for k in range(size(extent))) if threads(c) == i)
    for cell in cells_of(local_partition(make_identity_tensor(shape), threads, i)):
        assert tuple(c % n for c, n in zip(cell, extent, strict=True)) == place


@given(thread_layouts(most=2), st.data())
def test_projected_threads_share_their_cells(threads, data):
    """Threads that differ in the dropped mode only have the same cells; so each cell is held as often as that mode is long."""
    assume(ct.rank(threads) == 2)
    kept, dropped = data.draw(st.permutations([0, 1]))
    step = Step(1, X) if kept == 0 else Step(X, 1)
    shape = (data.draw(st.integers(1, 12)), data.draw(st.integers(1, 3)))
    parts = [local_partition(make_identity_tensor(shape), threads, i, step) for i in range(size(threads))]
    assert each_once(parts, shape, times=size(threads, dropped))
    assert all(ct.rank(part) == 2 for part in parts)


@given(st.data())
def test_a_bijective_tv_layout_shares_out_every_cell_once(data):
    A = data.draw(layouts(kinds=("compact",), most=4, size=64))
    modes = ct.flatten(ct.make_layout(A)) if ct.rank(A) == 1 else ct.flatten(A)
    split = data.draw(st.integers(0, ct.rank(modes)))
    parts = (modes.shape[:split] or 1, modes.shape[split:] or 1), (modes.stride[:split] or 0, modes.stride[split:] or 0)
    tv = Layout(*parts)
    cells = make_identity_tensor((size(A),))
    assert each_once([tv_partition(cells, tv, i) for i in range(size(tv, 0))], (size(A),))


@given(tilings(), st.data())
def test_on_a_layout_each_gives_the_layout_and_how_far_the_start_moved(case, data):
    shape, tiler, A = case
    t = make_tensor(range(10_000), A)
    tile = data.draw(st.integers(0, size(ct.ceil_div(shape, tiler)) - 1))
    moved = local_tile(t, tiler, tile)
    assert local_tile(A, tiler, tile) == (moved.layout, moved.offset)
    threads = Layout((2,) * len(shape))
    part = local_partition(t, threads, 1)
    assert local_partition(A, threads, 1) == (part.layout, part.offset)


@given(st.integers(0, 255), st.sampled_from([Swizzle(3, 3, 3), Swizzle(2, 3, 3), Swizzle(3, 2, 3)]))
def test_a_thread_of_a_swizzled_tile_reads_what_the_tile_has_there(thread, swizzle):
    sA = make_tensor(np.float32, ct.composition(swizzle, Layout((64, 64), LayoutRight)))
    sA.engine[:] = np.arange(4096)
    cells = local_partition(make_identity_tensor((64, 64)), Layout((32, 8)), thread)
    part = local_partition(sA, Layout((32, 8)), thread)
    assert [*part] == [sA[cells[i]] for i in range(size(part))]


# --- Step, X and dice


def test_step_and_x():
    assert str(Step(1, X, 1)) == repr(Step(1, X, 1)) == "Step<1,X,1>"
    assert repr(X) == "X"
    assert pickle.loads(pickle.dumps(X)) is X
    assert pickle.loads(pickle.dumps(Step(1, X))) == Step(1, X)
    assert dice(Step(1, X, 1), (128, 128, 8)) == dice((1, _, 1), (128, 128, 8)) == (128, 8)
    assert dice(Step(X, 1), (_, 5)) == (5,)
    assert dice(Step(1, (X, 1)), (2, (3, 4))) == (2, 4)
    assert str(dice(Step(X, 1, 1), Layout((16, 8, 4)))) == "(8,4):(16,128)"
    assert dice(X, 5) == ()
    assert str(ct.coalesce(Layout((2, (1, 6)), (1, (6, 2))), Step(1, 1))) == "(2,6):(1,2)"


# --- oracle: the steps of sgemm_1.cu with M=384 N=512 K=128, block (1,2)

M, N, K = 384, 512, 128


class Sgemm1:
    """Every tensor of sgemm_1.cu by the name that the oracle gives it."""

    def __init__(self, group):
        k_major = "_TN_" in group
        tiler, coord = (128, 128, 8), (1, 2, _)
        mA = make_tensor(range(M * K), Layout((M, K), LayoutRight if k_major else None))
        mB = make_tensor(range(N * K), Layout((N, K), LayoutRight if k_major else None))
        mC = make_tensor(range(M * N), Layout((M, N)))
        gA = local_tile(mA, tiler, coord, Step(1, X, 1))
        gB = local_tile(mB, tiler, coord, Step(X, 1, 1))
        gC = local_tile(mC, tiler, coord, Step(1, 1, X))
        sA = make_tensor(np.float32, Layout((128, 8), LayoutRight if k_major else None))
        sB = make_tensor(np.float32, Layout((128, 8), LayoutRight if k_major else None))
        tA = Layout((32, 8), LayoutRight if k_major else None)
        self.names = {"mA": mA, "mB": mB, "mC": mC, "gA": gA, "gB": gB, "gC": gC, "sA": sA, "sB": sB}
        self.names |= {"tA": tA, "tB": tA, "tC": Layout((16, 16))}

    def tensor(self, what, thread):
        made = re.fullmatch(r"(\w+)=make_tensor_like\(tCgC\)", what)
        if made:
            return make_tensor_like(self.tensor("tCgC=local_partition(gC,tC,Step<1,1>)", thread), np.float32)
        cut = re.fullmatch(r"\w+=local_partition\((\w+),(\w+)(?:,Step<(.*)>)?\)", what)
        if cut:
            step = cut[3] and Step(*(X if s == "X" else int(s) for s in cut[3].split(",")))
            return local_partition(self.names[cut[1]], self.names[cut[2]], thread, step or None)
        return self.names[what]


def each(name, wanted):
    """Parametrises a test by the lines that this file asserts."""
    found = [row for path in oracle.files(name) for row in oracle.rows(path) if wanted(row)]
    return pytest.mark.parametrize("row", [pytest.param(row, id=row["id"]) for row in found])


@each("tiled", lambda row: row["id"].startswith("sgemm_1_"))
def test_sgemm_1_is_cutes(row):
    t = Sgemm1(row["group"]).tensor(row["what"], row["thr"])
    assert str(t.layout) == row["layout"]
    assert text(t.shape) == row["shape"]
    assert size(t) == row["size"]
    values = t.offsets().tolist()
    if "first" in row:
        assert t.offset == row["first"]
        assert values == row["values"] if "values" in row else values[:64] == row["values_first64"]
    if "check" in row:
        check = row["check"]
        weighted = sum((i + 1) * v for i, v in enumerate(values)) % oracle.CHECK_MODULUS
        assert [len(values), sum(values), weighted] == [check["n"], check["sum"], check["wsum_mod_1000000007"]]


# --- the study note's facts


def steps(source):
    """`<_1,X,_1>` as a Step."""
    return Step(*(X if s == "X" else int(s.strip("_")) for s in source.strip("<>").split(",")))


def tensor_of(shape, k=16):
    """A tensor without memory of a shape in which `k` stands for any number."""
    return make_tensor(range(0), read(re.sub(r"\bk\b", str(k), shape)))


FACTS = {}


def fact(op):
    return lambda function: FACTS.setdefault(op, function)


@fact("tensor_layout")
def _tensor_layout(x, wanted):
    calls = {
        "make_tensor(A, make_layout(Int<8>{}))": lambda A: make_tensor(A, make_layout(ct.Int(8))),
        "make_tensor(A, 8, 2)": lambda A: make_tensor(A, 8, 2),
        "make_tensor(make_gmem_ptr(A), make_shape(Int<8>{},16))": lambda A: make_tensor(
            ct.make_gmem_ptr(A), (ct.Int(8), 16)
        ),
    }
    assert calls[x["expr"]](np.zeros(128)).layout == Layout.parse(wanted)


@fact("make_tensor_like_dynamic")
def _make_tensor_like_dynamic(x, wanted):
    """Run-time strides tell CuTe's compiler no order, so it forgets it. Here every integer is known and the order stays."""
    layout = Layout.parse(x["layout"].removesuffix(" runtime strides"))
    like = make_tensor_like(make_tensor(np.zeros(ct.cosize(layout)), layout))
    assert like.layout == Layout((8, 8), (8, 1)) != Layout.parse(wanted)


@fact("axpby")
def _axpby(x, wanted):
    a, b = make_tensor(np.array([x["x"]]), 1), make_tensor(np.array([x["y"]]), 1)
    ct.axpby(x["alpha"], a, x["beta"], b)
    assert b[0] == wanted


@fact("bytes")
def _bytes(x, wanted):
    sizes = [tuple(map(int, source.split(" ")[0].split("x"))) for source in x.values()]
    assert sum(make_tensor(np.float32, shape).engine.nbytes for shape in sizes) == wanted


@fact("local_tile")
def _local_tile(x, wanted):
    tile = local_tile(tensor_of(x["mA"]), read(x["tiler"]), read(x["coord"]), steps(x.get("step", "<1,X,1>")))
    assert text(tile.shape) == wanted


@fact("local_partition")
def _local_partition(x, wanted):
    for step in x.get("step", "").split(" / "):
        part = local_partition(tensor_of(x["tensor"]), Layout(read(x["thr"])), 0, steps(step) if step else None)
        assert part.shape == tensor_of(wanted).shape


@fact("local_partition_coords")
def _local_partition_coords(x, wanted):
    part = local_partition(make_identity_tensor(read(x["tile"])), Layout(read(x["tA"])), x["T"])
    assert [text(cell) for cell in cells_of(part)] == wanted


@fact("local_partition_stride")
def _local_partition_stride(x, wanted):
    part = local_partition(make_identity_tensor(read(x["tile"])), Layout(read(x["tC"])), 0)
    assert f"{text(part.shape)} at step ({part[1, 0][0]},{part[0, 1][1]})" == wanted


@fact("threads_along_m")
def _threads_along_m(x, wanted):
    tC = Layout(read(x["tC"]))
    tile = make_identity_tensor((128, 128))
    rows = {cell[0] for i in range(size(tC)) for cell in [local_partition(tile, tC, i, Step(1, X))[0]]}
    assert len(rows) == size(tC, 0) == wanted


@each("facts", lambda row: row["op"] in FACTS)
def test_fact(row):
    FACTS[row["op"]](row["inputs"], row["expected"])


# --- learners' cases


@each("cases", lambda row: re.match("local_tile|local_partition|slicing rank", row["kind"]))
def test_case(row):
    x, expected = row["inputs"], row["expected"]
    A = Layout.parse(x["A"])
    t = make_tensor(range(10_000), A)
    if row["op"] == "local_tile":
        step, tiler, coord = steps(x["step"]), read(x["tiler"]), read(x["coord"])
        tile = local_tile(t, tiler, coord, step)
        assert str(tile.layout) == expected["value"]
        assert tile.offset == expected.get("offset", tile.offset)
        short = dice(step, tiler), dice(step, coord)
        assert str(local_tile(t, *short)) == str(tile)
        said = f"local_tile(A,<{text(short[0])[1:-1]}>,{text(short[1])})"
        assert expected.get("same_as", said) == said
    elif row["op"] == "local_partition":
        part = local_partition(t, Layout.parse(x["threads"]), x["thread"], steps(x["step"]))
        assert str(part.layout) == expected["value"]
    elif "raise" in expected:
        with pytest.raises(LayoutError, match=r"3 entries, .* rank 2"):
            t[read(x["coord"])]
    else:
        parts = [t[read(coord)] for coord in x["coords"]]
        assert [str(part.layout) for part in parts] == [wanted.split(" ")[0] for wanted in expected["layouts"]]
        assert [part.offset for part in parts] == expected["offsets"]
