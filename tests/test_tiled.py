"""TiledMMA, TiledCopy and their partitions against the real CuTe C++: text, shapes and the offset of every element."""

import re
from functools import lru_cache

import numpy as np
import oracle
import pytest
from calls import read

import cutelearn as ct
from cutelearn import Layout, LayoutRight, Step, Swizzle, Tensor, X, _, atom, copy_atom
from cutelearn.htuple import text

PROBLEM = (384, 512, 128)  # M, N, K of the tutorial groups; the block is (1, 2)


def tensor(layout):
    """A tensor whose elements are never looked at: only where they lie."""
    return Tensor(np.broadcast_to(np.int8(0), ct.cosize(layout.inner if hasattr(layout, "inner") else layout)), layout)


# ------------------------------------------------------------------------------------------------ from the data's text


def split(arguments):
    """The arguments of a call, at its outer commas."""
    depth, parts = 0, [""]
    for c in arguments:
        depth += (c in "(<") - (c in ")>")
        if c == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += c
    return [part.strip() for part in parts]


def made(definition):
    """The object that a `def` of the data makes."""
    name, arguments = re.fullmatch(r"(\w+)\((.*)\)", definition.strip()).groups()
    first, *others = split(arguments)
    if name == "make_tiled_mma":
        return ct.make_tiled_mma(first.removesuffix("{}"), *map(read, others))
    operation = split(re.fullmatch(r"Copy_Atom<(.*)>", first)[1])
    copy = copy_atom(*operation)
    if name == "make_tiled_copy":
        return ct.make_tiled_copy(copy, *map(read, others))
    return getattr(ct, name)(copy, made(others[0]))


SM70, SM80 = "SM70_8x8x4_F32F16F16F32_NT", "SM80_16x8x16_F32F16F16F32_TN"
MMAS = {  # those whose definition is in no row: by their names
    "sm70_atom": lambda: ct.make_tiled_mma(SM70),
    "sm70_1x1_tile8x8x4": lambda: ct.make_tiled_mma(SM70, (1, 1), (8, 8, 4)),
    "sm70_2x2": lambda: ct.make_tiled_mma(SM70, Layout((2, 2), (2, 1))),
    "sm70_2x2_32x32x4": lambda: ct.make_tiled_mma(SM70, Layout((2, 2), (2, 1)), (32, 32, 4)),
    "sm70_2x2_perm": lambda: ct.make_tiled_mma(SM70, Layout((2, 2), (2, 1)), (Layout((4, 4, 2), (1, 8, 4)), 32, 4)),
    "fma_16x16x1": lambda: ct.make_tiled_mma("UniversalFMA<float>", (16, 16, 1)),
    "sm80_atom": lambda: ct.make_tiled_mma(SM80),
    "sm80_2x2": lambda: ct.make_tiled_mma(SM80, (2, 2, 1)),
    "sm80_2x2_32x32x16": lambda: ct.make_tiled_mma(SM80, (2, 2, 1), (32, 32, 16)),
    "sm80_4x2": lambda: ct.make_tiled_mma(SM80, (4, 2, 1)),
    "sm80_4x2_64x64x16": lambda: ct.make_tiled_mma(SM80, (4, 2, 1), (64, 64, 16)),
    "sm80_2x1x2": lambda: ct.make_tiled_mma("SM80_16x8x8_F32TF32TF32F32_TN", (2, 1, 2)),
}


# ------------------------------------------------------------------------------------------------ the tutorial kernels


class Kernel(dict):
    """The names of a tutorial kernel, by what its source calls them; those of one thread are made when first asked for."""

    def __init__(self, thread, whole, of_thread):
        super().__init__(whole | {"ct": ct, "_": _, "X": X, "Step": Step, "make_fragment_like": ct.make_fragment_like})
        self["make_tensor_like"] = ct.make_tensor_like
        self["local_partition"] = lambda t, threads, *step: ct.local_partition(t, threads, thread, *step)
        if thread >= 0:
            self |= {name: tiled.get_slice(thread) for name, tiled in of_thread.items()}

    def __missing__(self, name):
        if name not in DEFINITIONS:
            raise KeyError(name)
        self[name] = self.eval(DEFINITIONS[name])
        return self[name]

    def eval(self, source):
        return eval(re.sub(r"Step<(\w),(\w)>", r"Step(\1,\2)", source), {}, self)


DEFINITIONS = {
    "tCgC": "mma.partition_C(gC) if 'mma' in globals_ else local_partition(gC,tC,Step(1,1))",
    "tCrA": "mma.partition_fragment_A(sA[_,_,0])",
    "tCrB": "mma.partition_fragment_B(sB[_,_,0])",
}


@lru_cache
def kernel_parts(group):
    """The tensors of a kernel before threads part, and its TiledCopies and TiledMMA."""
    (m, n, k), kind = PROBLEM, re.sub("_(static|dyn)", "", group)
    k_major = "TN" in kind
    strides = [(k, 1), (k, 1)] if k_major else [(1, m), (1, n)]
    tile_k = 64 if "half" in kind else 8
    full = {
        "mA": tensor(Layout((m, k), strides[0])),
        "mB": tensor(Layout((n, k), strides[1])),
        "mC": tensor(Layout((m, n), (1, m))),
    }
    tiler, coord = (128, 128, tile_k), (1, 2, _)
    full |= {
        "gA": ct.local_tile(full["mA"], tiler, coord, Step(1, X, 1)),
        "gB": ct.local_tile(full["mB"], tiler, coord, Step(X, 1, 1)),
        "gC": ct.local_tile(full["mC"], tiler, coord, Step(1, 1, X)),
    }
    shared, tiled = SHARED[kind]()
    return full | {"sA": tensor(shared), "sB": tensor(shared)}, tiled


def simt():
    return ct.make_tiled_mma("UniversalFMA<float>", (16, 16, 1))


def copies(operation, element, threads, values):
    tiled = ct.make_tiled_copy(copy_atom(operation, element), threads, values)
    return {"copyA": tiled, "copyB": tiled}


def padded():
    return Layout((128, 8), (1, 129))


def with_s2r(tiled, operation, element):
    mma, source = tiled["mma"], copy_atom(operation, element)
    return tiled | {"s2rA": ct.make_tiled_copy_A(source, mma), "s2rB": ct.make_tiled_copy_B(source, mma)}


def sgemm_2_nt():
    return Layout((128, 8)), copies("UniversalCopy<uint128_t>", "float", (32, 8), (4, 1)) | {"mma": simt()}


def sgemm_2_tn():
    return padded(), copies("UniversalCopy<float>", "float", Layout((32, 8), LayoutRight), (1, 1)) | {"mma": simt()}


def sm80_f32_nt():
    tiled = copies("SM80_CP_ASYNC_CACHEALWAYS<uint128_t>", "float", (32, 8), (4, 1)) | {"mma": simt()}
    return Layout((128, 8, 3)), with_s2r(tiled, "AutoVectorizingCopy", "float")


def sm80_f32_tn():
    tiled = copies("SM80_CP_ASYNC_CACHEALWAYS<float>", "float", Layout((32, 8), LayoutRight), (1, 1)) | {"mma": simt()}
    return ct.tile_to_shape(padded(), (128, 8, 3)), with_s2r(tiled, "AutoVectorizingCopy", "float")


def sm80_half_tn():
    swizzled = ct.composition(Swizzle(3, 3, 3), Layout((8, (8, 8)), (8, (1, 64))))
    threads = Layout((16, 8), LayoutRight)
    tiled = copies("SM80_CP_ASYNC_CACHEALWAYS<uint128_t>", "half_t", threads, (1, 8))
    tiled["mma"] = ct.make_tiled_mma("SM80_16x8x16_F16F16F16F16_TN", (2, 2), (32, 32, 16))
    return ct.tile_to_shape(swizzled, (128, 64, 3)), with_s2r(tiled, "SM75_U32x4_LDSM_N", "half_t")


SHARED = {
    "sgemm_1_NT": lambda: (Layout((128, 8)), {}),
    "sgemm_1_TN": lambda: (Layout((128, 8), LayoutRight), {}),
    "sgemm_2_NT": sgemm_2_nt,
    "sgemm_2_TN": sgemm_2_tn,
    "sgemm_sm80_f32_NT": sm80_f32_nt,
    "sgemm_sm80_f32_TN": sm80_f32_tn,
    "sgemm_sm80_half_TN": sm80_half_tn,
}


def kernel(group, thread):
    whole, tiled = kernel_parts(group)
    threads = Layout((32, 8), LayoutRight) if "TN" in group else Layout((32, 8))
    names = Kernel(thread, whole | {"tA": threads, "tB": threads, "tC": Layout((16, 16))}, tiled)
    names["globals_"] = set(tiled)
    return names


# ------------------------------------------------------------------------------------------------ tests


def offsets_agree(row, got):
    if "values" in row:
        return got == row["values"]
    check = row["check"]
    weighted = sum((i + 1) * v for i, v in enumerate(got)) % oracle.CHECK_MODULUS
    facts = (got[:64], len(got), sum(got), weighted)
    return facts == (row["values_first64"], check["n"], check["sum"], check["wsum_mod_1000000007"])


def layout_agrees(row, layout):
    return str(layout) == row["layout"] and oracle.offsets_agree(row, layout.offsets().tolist())


def tiled_mma_wrong(row):
    mma = made(row["def"])
    facts = {
        "thr_layout_vmnk": str(mma.thr_layout_vmnk),
        "num_threads": mma.num_threads,
        "tile_size_mnk": [mma.tile_size(i) for i in range(3)],
        "tile_shape": text(ct.tile_shape(mma)),
        "permutation_mnk": [str(mma.permutation_mnk(i)) for i in range(3)],
    }
    wrong = [f"{name} {value}" for name, value in facts.items() if row[name] != value]
    for name in ("layoutA_TV", "layoutB_TV", "layoutC_TV"):
        if not layout_agrees(row[name], getattr(mma, name)):
            wrong.append(f"{name} {getattr(mma, name)}")
    return wrong


def tiled_copy_wrong(row):
    tiled = made(row["def"])
    wrong = [] if text(tiled.tiler_mn) == row["tiler_mn"] else [text(tiled.tiler_mn)]
    wrong += [] if tiled.num_threads == row["num_threads"] else [f"{tiled.num_threads} threads"]
    for name, layout in (
        ("tiled_layout_TV", tiled.tiled_layout_TV),
        ("layoutS_TV", tiled.layoutS_TV),
        ("layoutD_TV", tiled.layoutD_TV),
    ):
        if not layout_agrees(row[name], layout):
            wrong.append(f"{name} {layout}")
    return wrong


def of_tiled_mma(row, thread):
    """A partition of a tensor of twice the tile: A with M contiguous, B with K, C with N."""
    mma = MMAS[row["group"].removeprefix("tiled_mma:")]()
    call, operand = re.match(r"(partition(?:_fragment)?_([ABC]))", row["what"]).groups()
    extents = [2 * mma.tile_size(i) for i in {"A": (0, 2), "B": (1, 2), "C": (0, 1)}[operand]]
    layout = Layout(tuple(extents)) if operand == "A" else Layout(tuple(extents), LayoutRight)
    return getattr(mma.get_slice(thread), call)(tensor(layout))


def partition_wrong(row):
    thread = 255 if row["thr"] == 255 else row["thr"]
    if row["group"].startswith("tiled_mma:"):
        got = of_tiled_mma(row, thread)
    else:
        got = kernel(row["group"], thread).eval(
            row["what"].split("=")[-1].replace("sA(_,_,0)", "sA[_,_,0]").replace("sB(_,_,0)", "sB[_,_,0]")
        )
    wrong = [] if text(got.shape) == row["shape"] else [f"shape {text(got.shape)}"]
    if str(got.layout) != row["layout"]:
        wrong.append(f"layout {got.layout}")
    if "first" in row:
        if got.offset != row["first"] and got.offsets()[0] != row["first"]:
            wrong.append(f"starts at {got.offset}")
        if not offsets_agree(row, got.offsets().tolist()):
            wrong.append(f"offsets {got.offsets()[:8].tolist()}")
    return wrong


def wrong_in(row):
    if "def" in row:
        return tiled_mma_wrong(row) if row["group"] == "tiled_mma" else tiled_copy_wrong(row)
    return partition_wrong(row)


def by_group():
    groups = {}
    for path in oracle.files("tiled"):
        for row in oracle.rows(path):
            groups.setdefault(row["group"], []).append(row)
    return [pytest.param(rows, id=group) for group, rows in groups.items()]


@pytest.mark.parametrize("rows", by_group())
def test_answers_are_cpps(rows):
    oracle.report(
        [
            f"{row['id']}: {'; '.join(wrong)}, not {row.get('layout', '')}"
            for row in rows
            for wrong in [wrong_in(row)]
            if wrong
        ]
    )


def test_a_definition_by_name_is_the_datas():
    """The TiledMMAs written above are those of the rows that do define them."""
    for path in oracle.files("tiled"):
        for row in oracle.rows(path):
            if row["group"] == "tiled_mma":
                assert made(row["def"]) == MMAS[row["name"]](), row["id"]


def test_names_are_cutelearns():
    assert atom(SM80) == ct.make_tiled_mma(SM80).atom
