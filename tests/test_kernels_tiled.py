"""TiledCopy, TiledMMA and atoms inside kernels: the partitions that a kernel sees, what copies move, and what is refused.

The partitions are those of the real CuTe C++ (tiled.open.jsonl, groups sgemm_1 and sgemm_2): layouts as the compiler types them, and
the offset of every element, computed by the compiled code on the CPU.
"""

import real_cuda  # noqa: F401, I001 (first)

import itertools
import re
from dataclasses import replace
from functools import lru_cache

import numpy as np
import oracle
import pytest
from emulator import Emulated
from gemm_problems import Problem
from numba import cuda
from numba.cuda.compiler import compile_cuda
from numba.cuda.core import sigutils
from numba.cuda.core.errors import TypingError

import cutelearn
from cutelearn import (
    Int,
    Layout,
    LayoutError,
    LayoutRight,
    Swizzle,
    _,
    compile_kernel,
    composition,
    copy,
    copy_atom,
    copy_if,
    cosize,
    elem_less,
    gemm,
    get_slice,
    idx2crd,
    make_fragment_like,
    make_gmem_ptr,
    make_identity_tensor,
    make_smem_ptr,
    make_tensor,
    make_tensor_like,
    make_tiled_copy,
    make_tiled_mma,
    partition_A,
    size,
)
from cutelearn.htuple import text
from cutelearn.kernels.compiling import compute_capability
from cutelearn.kernels.launch import SIGNATURE, STAGES, make_kernel
from cutelearn.kernels.warp_tiled import make_reads, make_warp_mma
from cutelearn.kernels.operands import Operand
from cutelearn.kernels.pipelined import make_ring
from cutelearn.kernels.ptx import copy_zfill, cp_async_wait
from cutelearn.kernels.sgemm_2 import make_copy, make_mma
from cutelearn.kernels.stage import STRIDES, k_major
from test_tiled import MMAS, offsets_agree

# ------------------------------------------------------------------------------------------------ the tutorial's partitions

M_, N_, K_, BLOCK = 384, 512, 128, (1, 2)
WHOLE = {
    "static": "mA, mB, mC = make_tensor(gA_, mA_layout), make_tensor(gB_, mB_layout), make_tensor(gC_, mC_layout)",
    "dyn": "mA, mB, mC = make_tensor(gA_, (M, K), {dA}), make_tensor(gB_, (N, K), {dB}), make_tensor(gC_, (M, N), (Int(1), M))",
}
KERNEL = """
def trace(M, N, K, A, B, C, S, t, out):
    gA_, gB_, gC_ = make_gmem_ptr(A), make_gmem_ptr(B), make_gmem_ptr(C)
    {whole}
    coord = ({bm}, {bn}, _)
    gA = local_tile(mA, (128, 128, 8), coord, Step(1, X, 1))
    gB = local_tile(mB, (128, 128, 8), coord, Step(X, 1, 1))
    gC = local_tile(mC, (128, 128, 8), coord, Step(1, 1, X))
    sA, sB = make_tensor(make_smem_ptr(S), s_layout), make_tensor(make_smem_ptr(S), s_layout)
    {tiled}
    {parts}
    {stores}
"""
WORDS = """Int Step X _ local_partition local_tile make_fragment_like make_gmem_ptr make_smem_ptr make_tensor make_tensor_like size"""
TILED = "copyA, copyB, mma = copy_ab.get_slice(t), copy_ab.get_slice(t), tiled_mma.get_slice(t)"


def python(expression):
    """The data's expression as a kernel writes it."""
    return re.sub(
        r"local_partition\((\w+),(\w+)",
        r"local_partition(\1, \2, t",
        re.sub(r"Step<(\w),(\w)>", r"Step(\1, \2)", expression),
    )


def rows_of(group):
    return [row for path in oracle.files("tiled") for row in oracle.rows(path) if row["group"] == group]


@lru_cache
def traced(group):
    """A kernel that makes every partition of the group, once compiled: (types by name, code, names, where each is written)."""
    number, transposes, kind = re.fullmatch(r"sgemm_(\d)_(\w\w)_(\w+)", group).groups()
    k_major, tutorial_2 = transposes == "TN", number == "2"
    threads = Layout((32, 8), LayoutRight) if k_major else Layout((32, 8))
    names = {
        "mA_layout": Layout((M_, K_), (K_, 1) if k_major else (1, M_)),
        "mB_layout": Layout((N_, K_), (K_, 1) if k_major else (1, N_)),
        "mC_layout": Layout((M_, N_)),
        "tA": threads,
        "tB": threads,
        "tC": Layout((16, 16)),
    }
    if tutorial_2:
        atom = copy_atom("UniversalCopy<float>" if k_major else "UniversalCopy<uint128_t>", "float")
        names["copy_ab"] = make_tiled_copy(atom, threads, (1, 1) if k_major else (4, 1))
        names["tiled_mma"] = make_tiled_mma("UniversalFMA<float>", (16, 16, 1))
        names["s_layout"] = Layout((128, 8), (1, 129)) if k_major else Layout((128, 8))
    else:
        names["s_layout"] = Layout((128, 8), LayoutRight if k_major else None)
    expressions = {row["what"].split("=")[-1] for row in rows_of(group) if row["thr"] >= 0} | {"gA", "gB", "gC", "sA"}
    expressions = sorted(expressions, key=lambda e: "fragment" in e or "make_tensor_like" in e)
    parts, stores, places, at = [], [], {}, 0
    if any("tCgC" in e for e in expressions):
        parts.append(f"tCgC = {'mma.partition_C(gC)' if tutorial_2 else 'local_partition(gC, tC, t, Step(1, 1))'}")
    for i, expression in enumerate(expressions):
        parts.append(f"part_{i} = {python(expression)}")
        if "fragment" in expression or "_like" in expression:
            places[expression] = f"part_{i}", None
            stores.append(f"part_{i}[0] = 0")
        else:
            places[expression] = f"part_{i}", at
            stores.append(f"for i in range(size(part_{i})):\n        out[{at} + i] = part_{i}[i]")
            at += 1 << 14
    d = {"dA": "(K, Int(1))", "dB": "(K, Int(1))"} if k_major else {"dA": "(Int(1), M)", "dB": "(Int(1), N)"}
    source = KERNEL.format(
        whole=WHOLE[kind].format(**d), bm=BLOCK[0], bn=BLOCK[1], tiled=TILED if tutorial_2 else "pass",
        parts="\n    ".join(parts), stores="\n    ".join(stores),
    )  # fmt: skip
    room = {word: getattr(cutelearn, word) for word in WORDS.split()} | names
    exec(source, room)
    signature = "int32, int32, int32" + 4 * ", float32[::1]" + ", int32, int32[::1]"
    code = Emulated(room["trace"], signature)
    with compute_capability((9, 0)):
        args, _returned = sigutils.normalize_signature(f"({signature},)")
        typed = compile_cuda(room["trace"], cuda.types.void, args, cc=(9, 0)).type_annotation.typemap
    return typed, code, places, at


@lru_cache
def offsets(group, thread):
    """All that the kernel of a group writes for one thread: where the elements lie."""
    _types, code, _places, n = traced(group)
    lies = [np.arange(x, dtype=np.float32) for x in (M_ * K_, N_ * K_, M_ * N_, 129 * 8)]
    out = np.full(n, -1, np.int32)
    code.run((1, 1), 1, M_, N_, K_, *lies, thread, out)
    return out


GROUPS = [f"sgemm_{n}_{letters}_{kind}" for n in (1, 2) for letters in ("NT", "TN") for kind in ("static", "dyn")]


@pytest.mark.parametrize("group", GROUPS)
def test_partitions_are_those_of_cute(group):
    types, _code, places, _n = traced(group)
    seen = 0
    for row in rows_of(group):
        expression = row["what"].split("=")[-1]
        if expression not in places:
            assert expression in ("mA", "mB", "mC", "sB")
            continue
        name, at = places[expression]
        layout = next(ty for var, ty in types.items() if re.fullmatch(rf"{name}(\.\d+)?", var)).layout
        if "static" in group or row["what"].startswith(("tAs", "tBs", "tCs", "tAr", "tCr", "mma.partition_fragment")):
            assert (str(layout), text(layout.shape)) == (row["layout"], row["shape"])
        if at is not None:
            got = offsets(group, max(row["thr"], 0))[at : at + row["size"]].tolist()
            assert got[0] == row["first"], expression
            assert offsets_agree(row, got), expression
        seen += 1
    assert seen >= 18


@pytest.mark.parametrize("name", MMAS)
def test_a_run_time_thread_is_where_a_known_one_is(name):
    """get_slice of a run-time index computes what get_slice of a known one looks up."""
    mma = MMAS[name]()
    for t in mma.thr_layout_vmnk.offsets().tolist():
        assert idx2crd(mma._thread_of(t), mma.counts) == mma.get_slice(t).thr_vmnk


# ------------------------------------------------------------------------------------------------ copies by atoms


COPIES = [  # operation, type, numpy type, values of a thread, PTX
    ("UniversalCopy<uint128_t>", "float", np.float32, 4, "v4.f32"),
    ("UniversalCopy<uint64_t>", "float", np.float32, 2, "v2.f32"),
    ("UniversalCopy<uint64_t>", "float", np.float32, 4, "v2.f32"),
    ("UniversalCopy<float>", "float", np.float32, 4, "f32"),
    ("UniversalCopy<uint128_t>", "double", np.float64, 2, "v2.f64"),
    ("UniversalCopy<uint128_t>", "half_t", np.float16, 8, r"v4.\w32"),
    ("UniversalCopy<uint128_t>", "int8_t", np.int8, 16, r"v4.\w32"),
    ("UniversalCopy<uint32_t>", "int8_t", np.int8, 8, r"\w32"),
    ("UniversalCopy<uint16_t>", "int8_t", np.int8, 4, r"\w16"),
]


@pytest.mark.parametrize(("operation", "element", "dtype", "values", "ptx"), COPIES)
def test_copies_by_atoms_move_everything_at_their_width(operation, element, dtype, values, ptx):
    """To registers and back, with accesses of the atom's width."""
    tiled = make_tiled_copy(copy_atom(operation, element), Layout((8, 4)), Layout((values, 1)))
    tile = Layout((8 * values * 2, 4))
    name = np.dtype(dtype).name
    made = compile_kernel(through_registers(tiled, tile), f"{name}[::1], {name}[::1], int32")
    assert len(re.findall(rf"ld\.global\.{ptx}", made.ptx)) == len(re.findall(rf"st\.global\.{ptx}", made.ptx)) > 0
    assert not re.search(r"\.local\b", made.ptx)
    a = np.random.default_rng(0).integers(-100, 100, size(tile)).astype(dtype)
    b = np.zeros_like(a)
    Emulated(through_registers(tiled, tile), f"{name}[::1], {name}[::1], int32").run((1, 1), 32, a, b, tile.shape[0])
    assert (a == b).all()


def through_registers(tiled, tile):
    def through(a, b, n):
        thread = tiled.get_slice(cuda.threadIdx.x)
        source = thread.partition_S(make_tensor(make_gmem_ptr(a), tile.shape, (Int(1), n)))
        held = make_fragment_like(source)
        copy(tiled, source, held)
        copy(tiled, thread.retile_S(held), thread.partition_D(make_tensor(make_gmem_ptr(b), tile.shape, (Int(1), n))))

    return through


def test_one_predicate_an_access():
    tiled = make_tiled_copy(copy_atom("UniversalCopy<uint128_t>", "float"), Layout((4, 2)), Layout((4, 1)))

    def some(a, b, m, n):
        thread = get_slice(tiled, cuda.threadIdx.x)
        source = thread.partition_S(make_tensor(make_gmem_ptr(a), (16, 4), (Int(1), 16)))
        cells = thread.partition_S(make_identity_tensor((16, 4)))
        copy_if(
            tiled,
            elem_less(cells[0, _, _], (m, n)),
            source,
            thread.partition_D(make_tensor(make_gmem_ptr(b), (16, 4), (Int(1), 16))),
        )

    a, b = np.arange(64, dtype=np.float32), np.full(64, -1, np.float32)
    Emulated(some, "float32[::1], float32[::1], int32, int32").run((1, 1), 8, a, b, 8, 3)
    inside = np.zeros((4, 16), bool)
    inside[:3, :8] = True
    assert (b.reshape(4, 16) == np.where(inside, a.reshape(4, 16), -1)).all()

    on_host = np.full(64, -1, np.float32)
    whole = Layout((16, 4))
    for t in range(8):
        thread = tiled.get_slice(t)
        cells = thread.partition_S(make_identity_tensor((16, 4)))
        dst = thread.partition_D(make_tensor(on_host, whole))
        copy_if(tiled, elem_less(cells[0, _, _], (8, 3)), thread.partition_S(make_tensor(a, whole)), dst)
    assert (on_host == b).all()


def test_on_the_host_too_a_predicate_tensor_has_one_answer_an_access():
    thread = WIDE.get_slice(3)
    src, dst = (thread.partition_S(make_tensor(np.zeros(128, np.float32), TILE)) for _side in range(2))
    with pytest.raises(
        LayoutError, match=r"4 elements, and src .* is 1 accesses of 4 values: give one predicate an access"
    ):
        copy_if(WIDE, make_tensor(bool, 4), src, dst)


@pytest.mark.parametrize("swizzle", [Swizzle(2, 2, 3), Swizzle(1, 3, 1)], ids=str)
def test_partitions_of_swizzled_tensors(swizzle):
    """A thread known at run time only: its part of a swizzled tensor has the elements that the host's has."""
    layout = composition(swizzle, TILE)

    def gather(a, out):
        part = WIDE.get_slice(cuda.threadIdx.x).partition_S(make_tensor(make_gmem_ptr(a), layout))
        held = make_fragment_like(part)
        copy(WIDE, part, held)
        for i in range(size(held)):
            out[cuda.threadIdx.x * 4 + i] = held[i]

    a, out = np.arange(128, dtype=np.float32), np.zeros(128, np.float32)
    Emulated(gather, "float32[::1], float32[::1]").run((1, 1), 32, a, out)
    parts = [WIDE.get_slice(t).partition_S(make_tensor(a, layout)) for t in range(32)]
    assert out.tolist() == [part[i] for part in parts for i in range(4)]


def test_copy_by_an_atom_alone():
    atom = copy_atom("UniversalCopy<uint64_t>", "float")

    def pairs(a, b):
        copy(atom, make_tensor(make_gmem_ptr(a), (2, 3)), make_tensor(make_gmem_ptr(b), Layout((2, 3), (1, 4))))

    a, b = np.arange(6, dtype=np.float32), np.full(10, -1, np.float32)
    Emulated(pairs, "float32[::1], float32[::1]").run((1, 1), 1, a, b)
    assert b.tolist() == [0, 1, -1, -1, 2, 3, -1, -1, 4, 5]
    assert len(re.findall(r"st\.global\.v2", compile_kernel(pairs, "float32[::1], float32[::1]").ptx)) == 3


# ------------------------------------------------------------------------------------------------ refused

WIDE = make_tiled_copy(copy_atom("UniversalCopy<uint128_t>", "float"), Layout((8, 4)), Layout((4, 1)))
ALONG_K = make_tiled_copy(copy_atom("UniversalCopy<uint128_t>", "float"), Layout((32, 1)), Layout((1, 4)))
ASYNC = make_tiled_copy(copy_atom("SM80_CP_ASYNC_CACHEALWAYS<uint128_t>", "float"), Layout((8, 4)), Layout((4, 1)))
HALVES = make_tiled_copy(copy_atom("UniversalCopy<uint128_t>", "half_t"), Layout((4, 4)), Layout((8, 1)))
FMA, TENSOR_CORE = make_tiled_mma("UniversalFMA<float>", (8, 4, 1)), make_tiled_mma("SM80_16x8x8_F32TF32TF32F32_TN")
TILE = Layout((32, 4))


def _copied(tiled, layout, memory=make_gmem_ptr):
    def kernel(a, n):
        part = tiled.get_slice(n).partition_S(make_tensor(memory(a), layout))
        copy(tiled, part, make_fragment_like(part))

    return kernel


def stride_one_unknown(a, n):
    part = WIDE.get_slice(n).partition_S(make_tensor(make_gmem_ptr(a), (32, 4), (n, 32)))
    copy(WIDE, part, make_fragment_like(part))


def scalar_predicates(a, n):
    part = WIDE.get_slice(n).partition_S(make_tensor(make_gmem_ptr(a), TILE))
    cells = WIDE.get_slice(n).partition_S(make_identity_tensor((32, 4)))
    copy_if(WIDE, elem_less(cells, (n, n)), part, make_fragment_like(part))


def starts_apart(a, n):
    part = WIDE.get_slice(8).partition_S(make_tensor(make_gmem_ptr(a), Layout((32, 4), (1, 38))))
    copy(WIDE, part, make_fragment_like(part))


def converted(a, n):
    part = WIDE.get_slice(n).partition_S(make_tensor(make_gmem_ptr(a), TILE))
    copy(WIDE, part, make_fragment_like(part, np.int32))


def no_copy(a, n):
    t = make_tensor(make_gmem_ptr(a), TILE)
    copy(FMA, t, make_tensor_like(t))


def a_layout_first(a, n):
    t = make_tensor(make_gmem_ptr(a), TILE)
    copy(_, t, make_tensor_like(t))


def by_tensor_cores(a, n):
    t = make_tensor(make_smem_ptr(a), Layout((1, 4, 2)))
    gemm(TENSOR_CORE, t, t, make_tensor_like(t))


def slice_of_a_float(a, n):
    a[0] = size(WIDE.get_slice(a[0]).partition_S(make_tensor(make_gmem_ptr(a), TILE)))


def partition_of_an_array(a, n):
    WIDE.get_slice(n).partition_S(a)


def named_argument(a, n):
    WIDE.get_slice(thr_idx=n)


def no_partition_of_c(a, n):
    FMA.get_slice(n).make_fragment_C(make_tensor(make_gmem_ptr(a), TILE))


def thread_out_of_range(a, n):
    a[0] = size(WIDE.get_slice(32).partition_S(make_tensor(make_gmem_ptr(a), TILE)))


def too_few_modes(a, n):
    partition_A(FMA.get_slice(n), make_tensor(make_gmem_ptr(a), 32))


REFUSED = [
    (stride_one_unknown, "copy by UniversalCopy<uint128_t>: 4 values of"),
    (stride_one_unknown, "A stride that is always 1 is written Int(1)"),
    (_copied(WIDE, Layout((32, 4), (4, 1))), "they lie at (0,4,8,12), not side by side"),
    (_copied(ALONG_K, TILE), "they lie at (0,32,64,96), not side by side"),
    (starts_apart, "some start at 38 (counted in elements, what is known at run time left out), no multiple of 4"),
    (_copied(WIDE, Layout((32, 4, 2), (1, 32, 129))), "some start at 129 "),
    (_copied(HALVES, TILE), "it moves values of 16 bits"),
    (converted, "copy by UniversalCopy<uint128_t>: it converts nothing, and src holds float32, dst "),
    (
        _copied(ASYNC, TILE),
        "copy by SM80_CP_ASYNC_CACHEALWAYS<uint128_t>: it copies from global to shared memory",
    ),
    (_copied(WIDE, composition(Swizzle(2, 1, 3), Layout((32, 4)))), "not side by side"),
    (scalar_predicates, "the predicate"),
    (scalar_predicates, "give one predicate an access, as elem_less(coordinates[0, _, _], shape) does"),
    (no_copy, "is no TiledCopy and no copy atom"),
    (a_layout_first, "copy: the first operand, _, cannot execute: give a TiledCopy or an atom, or leave it out"),
    (by_tensor_cores, "of the MMA atoms, kernels know UniversalFMA<...>"),
    (slice_of_a_float, "get_slice: a number of the type float32 counts no cells: give an integer"),
    (partition_of_an_array, "partition_S: array(float32, 1d, C) is a plain array"),
    (named_argument, "get_slice: in a kernel, give the arguments by their place, without names"),
    (no_partition_of_c, "is no partition of C"),
    (thread_out_of_range, "get_slice(32): this TiledCopy has 32 threads, 0 to 31"),
    (too_few_modes, "has rank 1; an operand has two modes or more"),
]


@pytest.mark.parametrize(("kernel", "words"), REFUSED, ids=lambda x: getattr(x, "__name__", ""))
def test_refused_at_typing_with_a_sentence(kernel, words):
    with pytest.raises(TypingError) as caught:
        compile_kernel(kernel, "float32[::1], int32")
    said = str(caught.value)
    assert words in said
    assert len(said.split(words)[0]) < 700, "the sentence must not be buried"


def test_on_the_host_too_cp_async_is_asked_of_it_alone():
    a, b = np.zeros(128, np.float32), np.zeros(128, np.float32)
    cells = elem_less(make_identity_tensor(4), 4)
    with pytest.raises(LayoutError, match="copy_zfill by UniversalCopy<uint128_t>: only SM80_CP_ASYNC_CACHEALWAYS<"):
        copy_zfill(WIDE, cells, make_tensor(make_gmem_ptr(a), 4), make_tensor(make_smem_ptr(b), 4))
    with pytest.raises(LayoutError, match="it copies from global to shared memory"):
        copy_zfill(ASYNC, cells, make_tensor(make_gmem_ptr(a), 4), make_tensor(b, 4))
    for n in (-1, 1.0):
        with pytest.raises(LayoutError, match=f"is a number that is known, 0 or more, not {n}"):
            cp_async_wait(n)


def test_what_the_type_leaves_open_is_allowed():
    """A swizzle that keeps four together, and a run-time stride of the other mode."""
    for layout in (composition(Swizzle(2, 2, 3), Layout((32, 4))), TILE):
        made = compile_kernel(_copied_out(WIDE, layout), "float32[::1], int32")
        assert "ld.global.v4.f32" in made.ptx


def _copied_out(tiled, layout):
    def kernel(a, n):
        part = tiled.get_slice(n).partition_S(make_tensor(make_gmem_ptr(a), layout))
        held = make_fragment_like(part)
        copy(tiled, part, held)
        for i in range(size(held)):
            a[i] = held[i]

    return kernel


# ------------------------------------------------------------------------------------------------ the stage


@pytest.mark.parametrize("transposes", STRIDES)
def test_with_the_tutorial_s_tiling_the_stage_has_the_tutorial_s_copies_and_mma(transposes):
    """Vectors where an operand is m- or n-major and single numbers where it is k-major; no permutation."""
    tiling = replace(STAGES["sgemm_2"].tiling, neighbours=1)
    assert make_mma(tiling) == make_tiled_mma("UniversalFMA<float>", (16, 16, 1))
    for d in STRIDES[transposes]:
        if d is k_major:
            atom, threads, values = copy_atom("UniversalCopy<float>", "float"), Layout((32, 8), LayoutRight), (1, 1)
            made = make_copy(d, replace(tiling, vector=1))
        else:
            atom, threads, values = copy_atom("UniversalCopy<uint128_t>", "float"), Layout((32, 8)), (4, 1)
            made = make_copy(d, tiling)
        wanted = make_tiled_copy(atom, threads, values)
        assert (made.tiled_layout_TV, made.tiler_mn) == (wanted.tiled_layout_TV, wanted.tiler_mn)
        assert made.atom.val_layout_src == wanted.atom.val_layout_src


def test_every_tiling_computes_the_same():
    """Vectors or not, neighbours or not: the compiled kernels on the CPU, in every order."""
    for transposes, vector, neighbours in itertools.product(STRIDES, (1, 2, 4), (1, 2, 4)):
        tiling = replace(STAGES["sgemm_2"].small, vector=vector, neighbours=neighbours)
        p = Problem(20, 12, 8, transposes, 2.0, 0.5, pad=4)
        code = Emulated(make_kernel(STAGES["sgemm_2"], transposes, False, tiling), SIGNATURE)
        a, b, c = ((p.memory(x), p.ld(x)) for x in (p.A, p.B, p.C))
        code.run((2, 2), tiling.threads, p.M, p.N, p.K, p.alpha, *a, *b, p.beta, *c)
        p.check()


def test_vectors_only_where_the_matrix_is_made_of_them():
    def asked(rows, columns, ld, address=0, on_gpu=True):
        return Operand("A", (rows, columns), (ld, 1), address, None, {} if on_gpu else None).takes_vectors(4)

    assert asked(3, 8, 8)
    assert not asked(3, 8, 9)  # the second row starts amid a vector
    assert not asked(3, 6, 8)  # the last vector of a row is half outside
    assert not asked(3, 8, 8, 4)
    assert asked(3, 8, 8, 4, on_gpu=False)  # its copy on the GPU starts where the GPU likes


def test_warps_have_compact_tiles():
    """The lanes of a warp compute 64 x 32, each four rows and four columns side by side, and again beside that."""
    mma = make_warp_mma(STAGES["warp_tiled"].tiling)
    c = make_identity_tensor((128, 128))
    seen = set()
    for t in range(256):
        part = mma.get_slice(t).partition_C(c)
        mine = {tuple(part(i)) for i in range(size(part))}
        assert len(mine) == 64
        assert not mine & seen
        seen |= mine
        lane, warp = t % 32, t // 32
        low = min(mine)
        assert low == (64 * (warp % 2) + 4 * (lane // 4), 32 * (warp // 2) + 4 * (lane % 4))
    assert len(seen) == 128 * 128


@pytest.mark.parametrize("transposes", STRIDES)
def test_warps_read_without_bank_conflicts(transposes):
    """Counted from the layouts, for every read by every warp, four numbers a thread: the words that eight lanes ask for, and those of
    half a warp too, lie in different banks. With the threads of sgemm_2 half a warp asks a bank twice, and a warp for more words."""
    tiling = STAGES["warp_tiled"].tiling
    layouts = make_ring(*STRIDES[transposes], tiling)[:2]
    ours, sgemm_2 = (
        [reads(copy_, layout) for copy_, layout in zip(make_reads(mma, tiling), layouts, strict=True)]
        for mma in (make_warp_mma(tiling), make_mma(tiling))
    )
    for words in ours:
        assert {worst_bank(words, lanes) for lanes in (8, 16)} == {1}
    assert worst_bank(sgemm_2[0], 16) == 2
    assert [asked(words) for words in (*ours, *sgemm_2)] == [32, 16, 64, 8]


def reads(tiled, layout):
    """The words that each thread asks for: [read of the tile, warp, lane, which of the four]."""
    memory = make_tensor(make_smem_ptr(np.zeros(cosize(layout), np.float32)), layout)
    parts = [tiled.get_slice(t).partition_S(memory) for t in range(256)]
    found = np.array([part.offset + part.layout.offsets().reshape(-1) for part in parts])
    return found.reshape(8, 32, -1, 4).transpose(2, 0, 1, 3)


def worst_bank(words, lanes):
    """How many different words the most wanted of the 32 banks is asked for by so many neighbouring lanes, in the worst read."""
    rows = words.reshape(-1, lanes * 4)
    return max(np.bincount(np.unique(row) % 32).max() for row in np.unique(rows, axis=0))


def asked(words):
    """How many different words a warp asks for in one read."""
    (n,) = {len(np.unique(row)) for row in words.reshape(-1, 128)}
    return n
