"""Lesson 13: its numbers against a simulator of banks that enumerates lanes and bytes, and against the real CuTe's swizzles."""

# ruff: noqa: RUF001 (prose uses the signs × and −)

import json
import re
from pathlib import Path

import oracle
import pytest

from cutelearn import (
    ComposedLayout,
    Layout,
    Step,
    Swizzle,
    X,
    composition,
    copy_atom,
    cosize,
    find_swizzle,
    local_partition,
    make_tiled_copy,
    make_tiled_copy_A,
    make_tiled_mma,
    recast,
    slice_and_offset,
    tile_to_shape,
    vector_width,
)
from cutelearn.course.chapters import ch13, functions13, quiz13
from cutelearn.course.exercises import DONE, exercise, verdict
from cutelearn.course.questions import question
from cutelearn.explore import BankBench
from cutelearn.htuple import _
from cutelearn.kernels.launch import STAGES
from cutelearn.kernels.sgemm_1 import smem_layout
from cutelearn.kernels.sgemm_2 import make_copy, make_mma
from cutelearn.kernels.stage import along, k_major, mn_major

ROOT = Path(__file__).resolve().parent.parent
NAME = "13-swizzle-and-banks"
CELLS = json.loads((ROOT / f"notebooks/{NAME}.ipynb").read_text("utf-8"))["cells"]
PROSE = {
    c["id"].removeprefix(NAME + "-"): " ".join("".join(c["source"]).split())
    for c in CELLS
    if c["cell_type"] == "markdown"
}
OUTPUT = {
    c["id"].removeprefix(NAME + "-"): "".join("".join(o.get("text", "")) for o in c["outputs"])
    for c in CELLS
    if c["cell_type"] == "code"
}


# ------------------------------------------------------------------------------------------------ a simulator of banks


class SharedMemory:
    """Every bank is a port: in a round it gives one word, to all lanes that want it. Nothing of the library is used."""

    def rounds(self, addresses, width):
        """How many rounds it takes to serve the lanes, each from its byte address on; part after part."""
        together = {1: 32, 2: 32, 4: 32, 8: 16, 16: 8}[width]
        total = 0
        for first in range(0, len(addresses), together):
            waiting = {}  # lane -> bytes that it still waits for
            for lane, address in enumerate(addresses[first : first + together]):
                assert address % width == 0, "not aligned"
                waiting[lane] = set(range(address, address + width))
            while any(waiting.values()):
                total += 1
                given = {}  # bank -> the word that it gives in this round
                for wanted in waiting.values():
                    for byte in sorted(wanted):
                        given.setdefault(byte // 4 % 32, byte // 4)
                for wanted in waiting.values():
                    wanted -= {byte for byte in wanted if given[byte // 4 % 32] == byte // 4}
        return total


def rounds(offsets, size=4, vector=1):
    return SharedMemory().rounds([size * offset for offset in offsets], size * vector)


# ------------------------------------------------------------------------------------------------ banks


def test_the_predicted_counts():
    tile = Layout((32, 32), (32, 1))
    lanes = range(32)
    assert [rounds([tile(0, k) for k in lanes]), rounds([tile(k, 0) for k in lanes])] == question("13.p1").answer
    texts = ("32:0", "32:2", "32:3", "32:8", "(2,16):(0,1)")
    assert [rounds([Layout.parse(t)(k) for k in lanes]) for t in texts] == question("13.p2").answer
    assert [rounds([d * k for k in lanes], vector=4) for d in (4, 8, 32, 36)] == question("13.p3").answer
    shown = re.findall(r"^(\S+) +\d+ words.*wavefronts (\d+)$", OUTPUT["rules-code"], flags=re.M)
    assert len(shown) == 7
    for access, count in shown:
        assert rounds([Layout.parse(access)(k) for k in lanes]) == int(count)
    wide = re.findall(
        r"^32:(\d+) +16 bytes each; the four quarters \[(\d), .*together (\d+)$", OUTPUT["rules-code"], re.M
    )
    assert [(int(d), int(q)) for d, q, _all in wide] == [
        (d, rounds([d * k for k in range(8)], vector=4)) for d in (4, 8, 32, 36)
    ]
    assert [int(total) for *_rest, total in wide] == question("13.p3").answer


def test_a_stride_meets_its_divisor():
    from math import gcd

    for d in range(1, 70):
        assert rounds([d * k for k in range(32)]) == gcd(d, 32)
    assert "A stride d > 0 meets gcd(d, 32) words in a bank" in PROSE["kernels"]


def test_the_table_of_widths():
    rows = re.findall(r"\| (\d+) bytes(?: or less)? \| (\d+)\S* ?[a-z ]*\| (\d) \|", PROSE["rules"])
    assert [tuple(map(int, row)) for row in rows] == [(4, 32, 1), (8, 16, 2), (16, 8, 4)]
    for width, lanes, best in rows:
        assert int(best) == 32 // int(lanes) == SharedMemory().rounds([int(width) * k for k in range(32)], int(width))


# ------------------------------------------------------------------------------------------------ the kernels


def block(part_of, vector):
    """Accesses and rounds of a block; part_of(t) lists the offsets of thread t in the order in which it goes through them."""
    every = [part_of(t) for t in range(256)]
    found = [
        rounds([every[t][v] for t in range(w, w + 32)], vector=vector)
        for w in range(0, 256, 32)
        for v in range(0, len(every[0]), vector)
    ]
    return len(found), sum(found)


def offsets_of(part):
    layout, start = part
    return (start + layout.offsets()).tolist()


def by_hand(s, m_of, k_of):
    """Offsets of a thread, written out: rows inside, columns outside."""
    return lambda t: [s(m, k) for k in k_of(t) for m in m_of(t)]


def test_what_the_kernels_ask_of_shared_memory():
    """The lesson's table against thread numbers written out by hand, and those against the kernels' partitions."""
    one, two = STAGES["sgemm_1"].tiling, STAGES["sgemm_2"].tiling
    assert (one.copy, one.math, two.copy, two.math) == ((32, 8), (16, 16), (32, 8), (16, 16))
    assert (two.vector, two.neighbours) == (4, 4)
    nt, tn, cu = Layout((128, 8)), Layout((128, 8), (1, 132)), Layout((128, 8), (8, 1))
    assert (smem_layout(mn_major, 128, 8), smem_layout(k_major, 128, 8)) == (nt, tn)

    def store_nt(t):
        return range(t % 32, 128, 32)

    def store_tn(t):
        return range(t // 8, 128, 32)

    def read_1(t):
        return range(t % 16, 128, 16)

    def read_2(t):
        return [64 * half + 4 * (t % 16) + i for half in range(2) for i in range(4)]

    def columns(_t):
        return range(8)

    cases = [
        ("NT", "sgemm_1 stores", by_hand(nt, store_nt, lambda t: [t // 32]), 1),
        ("NT", "sgemm_1 reads", by_hand(nt, read_1, columns), 1),
        (
            "NT",
            "sgemm_2 stores, 4 each",
            by_hand(nt, lambda t: range(t % 32 * 4, t % 32 * 4 + 4), lambda t: [t // 32]),
            4,
        ),
        ("NT", "sgemm_2 reads, 4 each", by_hand(nt, read_2, columns), 4),
        ("TN", "sgemm_1 stores", by_hand(tn, store_tn, lambda t: [t % 8]), 1),
        ("TN", "sgemm_1 reads", by_hand(tn, read_1, columns), 1),
        ("TN", "sgemm_2 stores, 1 each", by_hand(tn, lambda t: [t // 2], lambda t: range(t % 2 * 4, t % 2 * 4 + 4)), 1),
        ("TN", "sgemm_2 reads, 4 each", by_hand(tn, read_2, columns), 4),
        ("TN, sA of sgemm_1.cu", "sgemm_1 stores", by_hand(cu, store_tn, lambda t: [t % 8]), 1),
        ("TN, sA of sgemm_1.cu", "sgemm_1 reads", by_hand(cu, read_1, columns), 1),
    ]
    shown, name = {}, ""
    for line in OUTPUT["kernels-code"].splitlines():
        if not line.startswith(" "):
            name = line.partition(": sA")[0]
            continue
        what, accesses, wavefronts, extra = re.fullmatch(
            r"  (.{22}) +(\d+) accesses +(\d+) wavefronts, +(\d+) for conflicts", line
        ).groups()
        shown[name, what.strip()] = int(accesses), int(wavefronts), int(extra)
    assert set(shown) == {(name, what) for name, what, *_rest in cases}
    for name, what, part_of, vector in cases:
        accesses, wavefronts = block(part_of, vector)
        extra = wavefronts - accesses * {1: 1, 4: 4}[vector]
        assert shown[name, what] == (accesses, wavefronts, extra), (name, what)
    copies = {mn_major: make_copy(mn_major, two), k_major: make_copy(k_major, two)}
    mma = make_mma(two)
    parts = [
        lambda t: local_partition(nt, along(mn_major, one.copy), t),
        lambda t: local_partition(nt, Layout(one.math), t, Step(1, X)),
        lambda t: copies[mn_major].get_slice(t).partition_D(nt),
        lambda t: mma.get_slice(t).partition_A(nt),
        lambda t: local_partition(tn, along(k_major, one.copy), t),
        lambda t: local_partition(tn, Layout(one.math), t, Step(1, X)),
        lambda t: copies[k_major].get_slice(t).partition_D(tn),
        lambda t: mma.get_slice(t).partition_A(tn),
        lambda t: local_partition(cu, along(k_major, one.copy), t),
        lambda t: local_partition(cu, Layout(one.math), t, Step(1, X)),
    ]
    for (name, what, part_of, _vector), part in zip(cases, parts, strict=True):
        for t in (0, 1, 33, 94, 255):
            assert offsets_of(part(t)) == part_of(t), (name, what, t)
    keys = [("NT", "sgemm_1 stores"), ("NT", "sgemm_1 reads"), ("NT", "sgemm_2 reads, 4 each")]
    assert [shown[key][1] for key in keys] == question("13.p4").answer


def test_what_is_said_of_the_kernels():
    assert "A thread stores 4 floats and reads 8 × 8 of them" in PROSE["kernels"]
    stores, reads = (int(n) for n in question("13.p4").answer[:2])
    assert reads // stores == 16
    assert "needs 16 times as many as a store" in PROSE["pad"]
    assert "it makes 2048 of 512" in PROSE["pad"]
    assert re.search(r"reads +512 accesses +2048 wavefronts", OUTPUT["kernels-code"])


# ------------------------------------------------------------------------------------------------ padding


def test_padding_and_what_it_costs():
    for p, cost, widest, said in re.findall(
        r"^p +(\d+): a \(128,64\) tile has (\d+) bytes, widest access (\d) halves; (.*)$",
        OUTPUT["pad-code"],
        flags=re.M,
    ):
        row = 64 + int(p)
        assert int(cost) == 2 * 128 * row
        assert int(widest) == vector_width(Layout((8, 64), (row, 1)), element=16)
        if said.startswith("refused"):
            assert row * 2 % 16
        else:
            assert said == f"wavefronts {rounds([row * i for i in range(8)], 2, 8)}"
    free = [p for p in range(64) if (64 + p) % 8 == 0 and rounds([(64 + p) * i for i in range(8)], 2, 8) == 1]
    assert free[0] == question("13.p5").answer
    assert 128 * 72 * 8 == 9 * 128 * 64  # an eighth more
    assert "Memory: an eighth more here" in PROSE["xor"]
    assert f"{2 * 3 * 128 * 64 * 2} bytes with p = 0 {2 * 3 * 128 * 72 * 2} bytes with p = 8" in OUTPUT["pad-code"]
    assert all(vector_width(Layout((32, 32), (ld, 1)), element=32) == 1 for ld in (33, 129))


# ------------------------------------------------------------------------------------------------ swizzles


def _rows(op):
    """The real CuTe's answers of one operation."""
    found = [row for row in oracle.rows(oracle.files("swizzle")[0]) if row["op"] == op]
    assert found
    return found


def spelled(bits, base, shift, x):
    """The swizzle on the text of the bits: groups of digits, no masks."""
    digits = [int(d) for d in f"{x:040b}"[::-1]]
    return sum(
        (digits[i] ^ (digits[i + shift] if base <= i < base + bits else 0)) << i for i in range(len(digits) - shift)
    )


def test_swizzles_are_those_of_the_real_cute():
    """Each swizzle that the lesson or an exercise evaluates, as the C++ headers compiled for the host answer."""
    for row in _rows("swizzle_fn"):
        B, M, S = row["B"], row["M"], row["S"]
        if S >= B and S >= 0:
            assert [spelled(B, M, S, x) for x in range(row["domain"])] == row["values"], row["id"]
    composed = {row["args"]: row for row in _rows("composition") if "offsets" in row}
    offsets = composed["Sw<3,3,3> ; (8,64):(64,1)"]["offsets"]
    real = {64 * i + j: offsets[i + 8 * j] for i in range(8) for j in range(64)}
    assert all(spelled(3, 3, 3, x) == y for x, y in real.items())
    assert question("13.p6").answer == real[200]
    assert question("13.p8").answer == [real[64] + 8, real[64 + 8]]
    for x, b in ch13.SUMS.values():
        assert Swizzle(3, 3, 3)(x + b) == spelled(3, 3, 3, x + b)
    assert [spelled(2, 0, 2, x) for x in range(16)] == ch13.PLACES


def test_the_unit_of_the_picture():
    units = composition(Swizzle(3, 0, 3), Layout((8, 8), (8, 1)))
    assert f"puts (3,5) at {3 * 8 + (5 ^ 3)}" in OUTPUT["xor-code"]
    assert "place 5 XOR 3 = 6 of its row, so to 3 · 8 + 6" in PROSE["xor"]
    assert 5 ^ 3 == 6
    rows = [[units(r, c) % 8 for c in range(8)] for r in range(8)]
    assert all(sorted(row) == list(range(8)) for row in rows)
    assert all(sorted(column) == list(range(8)) for column in zip(*rows, strict=True))


def test_what_is_said_of_bits_and_units():
    assert "reads the bits 111000000 and writes the bits 000111000" in OUTPUT["bits-code"]
    for elements, base in zip((16 // 4, 16 // 1), question("13.p7").answer, strict=True):
        assert elements == 1 << base
    halves = composition(Swizzle(3, 3, 3), Layout((8, 64), (64, 1)))
    assert all(str(recast(halves, 16, bits)) in OUTPUT["bits-code"] for bits in (32, 8))


def test_adding():
    sw = [spelled(3, 3, 3, x) for x in range(1 << 13)]
    free = [b for b in range(1, 2048) if all(sw[x + b] == sw[x] + b for x in range(4096))]
    assert f"may be added to every offset: {free}" in OUTPUT["mistake-code"]
    assert free[0] == 1 << (3 + 3 + 3)
    assert all(sw[a ^ b] == sw[a] ^ sw[b] for a in range(0, 1024, 7) for b in range(0, 1024, 5))
    assert all(sw[64 * r + 8 * j] == sw[64 * r] ^ 8 * j for r in range(16) for j in range(8))
    assert sw[64 + 8 * 3] == 80  # "at 80 lies unit 3"
    assert all(sw[8 * u + i] == sw[8 * u] + i for u in range(64) for i in range(8))
    rest, start = slice_and_offset((1, _), composition(Swizzle(3, 3, 3), Layout((8, 64), (64, 1))))
    assert [start + rest(j) for j in range(64)] == [sw[64 + j] for j in range(64)]
    assert "look at the stride −8 above" in PROSE["mistake-proof"]
    assert "(1,-8,16)" in OUTPUT["mistake-code"]


# ------------------------------------------------------------------------------------------------ ldmatrix, and CUTLASS


def test_ldmatrix():
    """Lane i gives the address of row i % 8 of core matrix i // 8."""
    plain, padded = Layout((128, 64), (64, 1)), Layout((128, 64), (72, 1))
    swizzled = composition(Swizzle(3, 3, 3), plain)
    found = {}
    for name, sA in (("plain", plain), ("padded", padded), ("swizzled", swizzled)):
        found[name] = {
            rounds([sA(m + i % 16, k + 8 * (i // 16)) for i in range(32)], 2, 8)
            for m in range(0, 128, 16)
            for k in range(0, 64, 16)
        }
    assert found == {"plain": {question("13.p9").answer}, "padded": {4}, "swizzled": {4}}
    shown = re.findall(r"64 ldmatrix, wavefronts each \[(\d+)\]", OUTPUT["ldmatrix-code"])
    assert [int(n) for n in shown] == [32, 4, 4]
    mma = make_tiled_mma("SM80_16x8x16_F32F16F16F32_TN", Layout((2, 2, 1)))
    tv = make_tiled_copy_A(copy_atom("SM75_U32x4_LDSM_N", "half_t"), mma).tidfrg_S(plain)
    lanes = [plain(i % 16, 8 * (i // 16)) for i in range(32)]
    assert tv.offsets()[:32].tolist() == lanes


@pytest.mark.parametrize(("row", "B", "S"), [(16, 1, 3), (32, 2, 3), (64, 3, 3), (128, 3, 4)])
def test_the_choice_for_rows(row, B, S):
    rows = Layout((128, row), (row, 1))
    costs = []
    for bits in range(4):
        a = [spelled(bits, 3, S, row * i) for i in range(128)]
        costs.append(max(rounds(a[m : m + 8], 2, 8) for m in range(0, 128, 8)))
    assert costs.index(1) == B
    assert (
        f"rows of {row}: wavefronts for B = 0, 1, 2, 3: {costs}; Sw<{B},3,{S}>, on bytes Sw<{B},4,{S}>"
        in OUTPUT["choose-code"]
    )
    assert find_swizzle(rows, range(8), "half_t", vector=8) == Swizzle(B, 3, S)


def test_hopper_s_swizzles_on_bytes():
    """That those of 32, 64 and 128 bytes are these, the real CuTe says."""
    known = {row["swizzle_on_bytes"] for row in _rows("gmma_smem_atom") if "swizzle_on_bytes" in row}
    assert {"Sw<1,4,3>", "Sw<2,4,3>", "Sw<3,4,3>"} <= known


def test_the_atom_of_sgemm_sm80():
    atom = ComposedLayout.parse(
        "composition(Swizzle<3,3,3>{}, Layout<Shape <_8,Shape <_8, _8>>, Stride<_8,Stride<_1,_64>>>{})"
    )
    quarter = {
        "write": lambda a: {rounds([a(i, 8 * c) for c in range(8)], 2, 8) for i in range(8)},
        "read": lambda a: {rounds([a(i, 8 * c) for i in range(8)], 2, 8) for c in range(8)},
    }
    assert [quarter["write"](atom.inner), quarter["read"](atom.inner)] == [{n} for n in question("13.p10").answer]
    for a in (atom.inner, atom):
        for what, count in quarter.items():
            assert f"{a}: a quarter warp's {what}, wavefronts {max(count(a))}" in OUTPUT["cutlass-code"]
    other = Layout((8, 64), (64, 1))
    assert (quarter["write"](other), quarter["read"](other)) == ({1}, {8})  # "the other way round"
    swizzled = composition(Swizzle(3, 3, 3), other)
    assert quarter["write"](swizzled) == quarter["read"](swizzled) == {1}
    stages = tile_to_shape(atom, (128, 64, 3))
    (real,) = (row for row in _rows("tile_to_shape") if row["args"] == f"{atom} ; (128,64,3)")
    assert f"three stages: {real['result']} cosize" in OUTPUT["cutlass-code"]
    assert oracle.offsets_agree(real, stages.offsets().tolist())
    assert cosize(stages) == 3 * 128 * 64
    assert stages(0, 0, 1) == 8192
    assert 8192 % 512 == 0


def test_the_padded_tile_of_sgemm_sm80():
    """Columns of 129, and threads that stand (4,8) along k: the store meets, and no wide access is left."""
    sA = Layout.parse("make_layout(make_shape(_128{}, _8{}), make_stride(Int<1>{}, Int<129>{}))")
    assert vector_width(sA, element=32) == 1
    assert rounds([t // 8 + 129 * (t % 8) for t in range(32)]) == 4


def test_the_quiz():
    assert rounds([Layout((4, 8), (32, 1))(k) for k in range(32)]) == 4
    floats = [[32 * i + 4 * c for i in range(8)] for c in range(8)]
    costs = []
    for sw in (Swizzle(3, 3, 3), Swizzle(3, 2, 3), Swizzle(2, 2, 2)):
        costs.append(max(rounds([sw(x) for x in column], vector=4) for column in floats))
    assert [cost == 1 for cost in costs] == [False, True, False]
    sw = Swizzle(3, 3, 3)
    always = [all(sw(x + b) == sw(x) + b for x in range(4096)) for b in (8, 64, 8192)]
    assert always == [False, False, True]
    assert quiz13.POINTER.answer == "abc"[always.index(True)]


def test_the_bench():
    def counts(beside, **how):
        return [int(p.aside.split()[0]) for p in BankBench("(32,32):(32,1)", beside, **how).still().panels]

    assert counts("Sw<5,0,5> o 0 o (32,32):(32,1)") == [32, 1]
    assert counts("Sw<4,0,5> o 0 o (32,32):(32,1)") == [32, 2]
    assert counts("Sw<5,0,5> o 0 o (32,32):(32,1)", walk="go along a row") == [1, 1]
    for beside in ("(32,32):(33,1)", "Sw<5,0,5> o 0 o (32,32):(32,1)"):
        assert "must start at a multiple of 16" in BankBench("(32,32):(32,1)", beside).change("vector", "4").message
    assert min(counts(f"Sw<{B},2,{S}> o 0 o (32,32):(32,1)")[1] for S in range(1, 6) for B in range(S + 1)) == 4


# ------------------------------------------------------------------------------------------------ the exercises


def test_answers_by_hand_are_the_simulator_s():
    for key, (access, bits, vector) in ch13.ACCESSES.items():
        assert rounds([Layout.parse(access)(k) for k in range(32)], bits // 8, vector) == ch13.COUNTS[key], key
    for pad in (0, 1, 2, 4):
        assert rounds([(64 + pad) * i for i in range(32)]) == ch13.PADS[f"p{pad}"]
    assert ch13.BYTES == 32 * 68 * 4


def test_the_counter_s_inputs():
    """What the checker holds to be right, by the simulator; and every wrong counter differs from the others."""
    inputs = functions13.accesses()
    right = tuple(SharedMemory().rounds(*case) for case in inputs)
    assert verdict(exercise("13.3"), lambda *case: SharedMemory().rounds(*case)).state == DONE
    answers = [tuple(wrong.answer(*case) for case in inputs) for wrong in exercise("13.3").wrong]
    assert len({right, *answers}) == 1 + len(answers)


def test_the_swizzle_s_inputs():
    inputs = functions13.offsets()
    assert verdict(exercise("13.5"), spelled).state == DONE
    answers = [tuple(wrong.answer(*case) for case in inputs) for wrong in exercise("13.5").wrong]
    assert len({tuple(spelled(*case) for case in inputs), *answers}) == 1 + len(answers)


def test_other_swizzles_are_as_good():
    for key, others in {
        "halves": ["Sw<3,3,3>", (2, 3, 3)],
        "floats": ["Swizzle<5,0,5>{}"],
        "bytes": [[3, 4, 3]],
    }.items():
        for other in others:
            assert ch13.judge_swizzle(key, other) is None, (key, other)
    for key in ch13.TILES:
        tile, bits, vector = ch13.TILES[key]
        lanes = 32 // max(1, bits * vector // 32)
        for sw in (Swizzle(B, M, S) for B in range(6) for M in range(5) for S in range(max(B, 1), 6)):
            a = composition(sw, tile)
            offsets = [[a(i, j) for j in range(tile.shape[1])] for i in range(tile.shape[0])]
            inside = max(map(max, offsets)) < tile.shape[0] * tile.shape[1]
            whole = all(
                row[j] % vector == 0 and row[j : j + vector] == list(range(row[j], row[j] + vector))
                for row in offsets
                for j in range(0, len(row), vector)
            )
            right = inside and whole
            if right:
                flat = [x for row in offsets for x in row[::vector]]
                columns = [
                    [offsets[i + lane][j] for lane in range(lanes)]
                    for j in range(0, tile.shape[1], vector)
                    for i in range(0, tile.shape[0], lanes)
                ]
                rows = [flat[i : i + lanes] for i in range(0, len(flat), lanes)]
                right = all(rounds(access, bits // 8, vector) == 1 for access in (*columns, *rows))
            assert (ch13.judge_swizzle(key, sw) is None) == right, (key, sw)


def test_reading_sgemm_sm80():
    plain = 3 * 8 + 17 % 8 + 64 * (17 // 8)
    assert ch13.READ["plain"] == plain
    assert ch13.READ["swizzled"] == spelled(3, 3, 3, plain)
    assert ch13.READ["bytes"] == 2 * 3 * 128 * 64 * 2
    writes = []
    for swizzled in (False, True):
        lanes = [8 * (t // 8) + 64 * (t % 8) for t in range(32)]
        writes.append(rounds([spelled(3, 3, 3, x) if swizzled else x for x in lanes], 2, 8))
    assert writes == [ch13.READ["without"], ch13.READ["with"]]
    copies = make_tiled_copy(
        copy_atom("SM80_CP_ASYNC_CACHEALWAYS<uint128_t>", "half_t"), Layout((16, 8), (8, 1)), Layout((1, 8))
    )
    tile = tile_to_shape(ch13.ATOM.inner, (128, 64))
    first = copies.tidfrg_D(tile).offsets()[:32].tolist()
    assert first == [8 * (t // 8) + 64 * (t % 8) for t in range(32)]
