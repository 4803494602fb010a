"""The one-hot probe of MMA atoms: what it finds, checked with a software MMA; the code that the GPU gets; the record."""

import json
from dataclasses import replace

import numpy as np
import pytest

from cutelearn import Layout, LayoutError, atom, compile_kernel, find_atoms
from cutelearn.kernels import mma_probe
from cutelearn.kernels.mma_issue import from_registers, instruction, on_gpu, probe_kernel, to_registers
from cutelearn.kernels.mma_probe import (
    ATOMS,
    Probes,
    describe,
    differing,
    discover,
    groups,
    in_software,
    main,
    predicted,
    probe,
    recorded,
)

EVERY = pytest.mark.parametrize("name", ATOMS)
FLOATS = [
    a for a in find_atoms(gmma=False) if a.num_threads in (8, 32) and a.type_a.code in ("F16", "BF16", "TF32", "F64")
]


@pytest.mark.parametrize("a", FLOATS, ids=lambda a: a.name)
def test_it_finds_the_maps_of_a_software_mma(a):
    met = discover(a, in_software)
    assert met == predicted(a)
    m, n, k = a.shape_mnk
    assert sum(map(len, met.values())) == m * n * k * len(groups(a))  # every product of the MMA is seen, once


WRONG_C = {  # for each number of rows: maps of C that reach all cells, but in other places than the instruction
    16: Layout(((4, 8), (2, 2)), ((32, 1), (8, 16))),
    8: Layout(((4, 8), 2), ((2, 8), 1)),
}
VOLTA_ROWS = Layout((8, 8), (1, 8))


@EVERY
def test_it_finds_what_the_wiring_does_whatever_the_maps_say(name):
    """An atom with a wrong map: the probe finds the instruction's, and says where they differ."""
    true = atom(name)
    wrong = replace(true, c_layout=VOLTA_ROWS if true.arch == "SM70" else WRONG_C[true.shape_mnk[0]])
    assert differing(discover(wrong, in_software), predicted(wrong))
    assert discover(wrong, in_software) == predicted(true)


def test_a_map_that_leaves_the_tile_is_refused():
    wrong = replace(atom(ATOMS[2]), c_layout=Layout(((4, 8), 2), ((16, 1), 64)))
    with pytest.raises(LayoutError, match="sends lane 0, value 1 to 64"):
        predicted(wrong)


def test_a_number_that_no_slot_holds_is_refused():
    a = atom(ATOMS[0])
    with pytest.raises(LayoutError, match="no slot of B holds that"):
        discover(a, lambda a, x, y: in_software(a, x, y) * 1000)


@pytest.mark.parametrize("code", ["F16", "BF16", "TF32", "F32", "F64"])
def test_registers_hold_the_values(code):
    from cutelearn.atoms.valtypes import TYPES

    x = np.arange(-128, 128.0).reshape(2, 32, 4)
    registers = to_registers(x, TYPES[code])
    assert registers.shape == (2, 32, 4 * TYPES[code].bits // (8 * registers.itemsize))
    assert (from_registers(registers, TYPES[code]) == x).all()


def test_the_first_of_two_values_is_in_the_lower_half():
    from cutelearn.atoms.valtypes import TYPES

    assert to_registers([[1.0, -2.0]], TYPES["BF16"]).tolist() == [[0xC0003F80]]
    assert to_registers([[1.0, -2.0]], TYPES["F16"]).tolist() == [[0xC0003C00]]


# ------------------------------------------------------------------------------------------------ the code


@pytest.mark.parametrize(
    "name",
    [
        *ATOMS,
        "SM70_8x8x4_F16F16F16F16_TT",
        "SM75_16x8x8_F32F16F16F32_TN",
        "SM80_16x8x16_F32BF16BF16F32_TN",
        "SM90_16x8x16_F64F64F64F64_TN",
    ],
)
def test_ptxas_takes_the_instruction(name):
    mma = instruction(atom(name))
    made = compile_kernel(probe_kernel(mma), mma.signature, cc=(9, 0))
    lines = [line.strip() for line in made.ptx.splitlines() if "mma.sync" in line]
    assert len(lines) == 1
    assert lines[0].startswith(f"{mma.ptx} {{")
    operands = [len(group.split(",")) for group in lines[0].split("{")[1:]]
    assert [n - (i < 3) for i, n in enumerate(operands)] == [mma.counts[2], *mma.counts]  # D, A, B, C; commas between
    assert made.spills == 0
    assert made.cubin[:4] == b"\x7fELF"


def test_the_words_of_ptx():
    words = [instruction(atom(name)).ptx for name in ATOMS]
    assert words == [
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32",
        "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32",
        "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64",
        "mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32",
        "mma.sync.aligned.m8n8k4.col.row.f32.f16.f16.f32",
    ]


@pytest.mark.parametrize(
    "name",
    ["UniversalFMA<float>", "SM80_16x8x32_S32S8S8S32_TN", "SM90_64x64x16_F32F16F16_SS", "SM80_8x8x4_C64C64C64C64_TN"],
)
def test_what_is_no_mma_sync_is_refused(name):
    with pytest.raises(LayoutError, match=r"no mma\.sync of a warp"):
        instruction(atom(name))


# ------------------------------------------------------------------------------------------------ the record


def test_a_run_is_kept_as_it_is(tmp_path, capsys):
    path = tmp_path / "new" / "probe.json"
    assert main([str(path), "--atoms", *ATOMS[2:4]], in_software, {"gpu": "none"}) == 0
    read = Probes.from_json(path.read_text())
    assert read == probe(ATOMS[2:4], in_software, {"gpu": "none"})
    assert Probes.from_json(read.to_json()) == read
    said = capsys.readouterr().out
    assert "SM80_8x8x4_F64F64F64F64_TN: 32 slots of A, all as CuTe's maps say; D of random fragments as" in said


def test_a_disagreement_is_said():
    read = json.loads(probe(ATOMS[2:3], in_software).to_json())
    found = read["found"][ATOMS[2]]
    found["met"]["5,0"][0] += 1
    found["d"][0][0][0] += 1
    said = describe(Probes.from_json(json.dumps(read)))
    assert "1 otherwise than CuTe's maps say, such as (5, 0)" in said
    assert "NOT as MMAAtom.execute" in said


def test_without_a_gpu_or_an_atom_it_says_so(tmp_path, capsys):
    assert main([str(tmp_path / "x.json"), "--atoms", "SM80_16x8x32_S32S8S8S32_TN"]) == 1
    assert "no mma.sync of a warp" in capsys.readouterr().err
    if mma_probe.PLACE != "gpu":
        with pytest.raises(LayoutError, match="no GPU here"):
            on_gpu(atom(ATOMS[0]), np.zeros((1, 32, 8)), np.zeros((1, 32, 4)))
        assert main([str(tmp_path / "x.json")]) == 1
        assert "no GPU here" in capsys.readouterr().err
    assert not (tmp_path / "x.json").exists()


@EVERY
def test_the_recorded_gpu_agrees_with_cute(name):
    """What an H200 found on its own: the traits of CuTe, and no others that one might think of."""
    found, a = recorded("NVIDIA H200").found[name], atom(name)
    assert found.met == predicted(a)
    assert found.ptx == instruction(a).ptx
    assert found.as_executed(a)
    wrong = replace(a, c_layout=VOLTA_ROWS if a.arch == "SM70" else WRONG_C[a.shape_mnk[0]])
    assert differing(found.met, predicted(wrong))


def test_the_record_says_where_it_was_made():
    from cutelearn.kernels.bench import where

    assert where(recorded().provenance).startswith("NVIDIA H200, driver for CUDA 13.0, numba-cuda 0.30.4")
    with pytest.raises(LayoutError, match="mma-probe-h200"):
        recorded("NVIDIA H100")
