"""What the hardware says of an MMA atom's maps: one-hot fragments in, and what of C lights up.

In each instruction one register slot (lane, value) of A holds a 1 and all others a 0. Every slot of B holds a number of its own, so
each slot of D that is not 0 names the slot of B that it met. Nothing of CuTe's goes in, so what comes out may be compared with it:

>>> from cutelearn import atom
>>> f64 = atom("SM80_8x8x4_F64F64F64F64_TN")
>>> met = discover(f64, in_software)
>>> met[5, 0][4, 1]  # value 0 of A in lane 5 reaches value 1 of C in lane 4, and meets value 0 of B in lane 5
(5, 0)

A probe says which slots share a row, a column, a k. It cannot say which row that is: rows renamed in A and C alike, columns in B and
C, k in A and B leave it as it is.

On a machine with a GPU, `python -m cutelearn.kernels.mma_probe FILE` probes the five atoms of ATOMS in a few seconds and writes what
it found. `recorded()` is such a file that came with the course.
"""

import argparse
import json
import sys
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path

import numpy as np

from ..atoms.library import atom as find_atom
from ..atoms.mma import MMAAtom
from ..htuple import LayoutError
from ..layout import size
from .bench import record_name
from .machine import PLACE
from .mma_issue import WARP, instruction, on_gpu

ATOMS = (
    "SM80_16x8x16_F32F16F16F32_TN",
    "SM80_16x8x8_F32TF32TF32F32_TN",
    "SM80_8x8x4_F64F64F64F64_TN",
    "SM70_8x8x4_F32F16F16F32_TN",
    "SM70_8x8x4_F32F16F16F32_NT",
)
TRIED = 8  # instructions on random numbers


# ------------------------------------------------------------------------------------------------ a warp in software


def groups(atom: MMAAtom) -> list:
    """The lanes of each group that computes an MMA of its own, in the order of the atom's threads.

    >>> groups(find_atom("SM70_8x8x4_F32F16F16F32_NT"))[1]
    [4, 5, 6, 7, 20, 21, 22, 23]
    """
    lanes = atom.thr_id.offsets()
    starts = range(0, 16, 4) if len(lanes) < WARP else (0,)  # four quadpairs, or the whole warp
    return [(lanes + start).tolist() for start in starts]


def in_software(atom: MMAAtom, a, b) -> np.ndarray:
    """What `on_gpu` gives, worked out by `MMAAtom.execute` for each group of lanes: for tests, where there is no GPU."""
    d = np.zeros((len(a), WARP, size(atom.c_layout, 1)))
    for lanes in groups(atom):
        d[:, lanes] = atom.execute(a[:, lanes], b[:, lanes], np.zeros_like(d[:, lanes]))
    return d


# ------------------------------------------------------------------------------------------------ the probe


def one_hot(atom: MMAAtom):
    """The fragments of A and B: instruction s has its 1 in slot s of A, lane s % 32, value s // 32; B's slots count from 1."""
    values_a, values_b = size(atom.a_layout, 1), size(atom.b_layout, 1)
    slots = np.arange(WARP * values_a)
    a = np.zeros((len(slots), WARP, values_a))
    a[slots, slots % WARP, slots // WARP] = 1
    numbers = 1 + np.arange(WARP * values_b, dtype=float).reshape(values_b, WARP).T
    return a, np.broadcast_to(numbers, (len(slots), WARP, values_b)).copy()


def discover(atom: MMAAtom, run=on_gpu) -> dict:
    """slot of A -> {slot of D that it reaches: slot of B that it meets there}; slots are (lane, value).

    Of the atom only the instruction and the numbers of registers are used. `run(atom, a, b)` issues the instructions.
    Raises LayoutError where a number comes back that no slot of B has.
    """
    a, b = one_hot(atom)
    d = run(atom, a, b)
    known = np.isin(d, [0, *b[0].reshape(-1)])
    if not known.all():
        raise LayoutError(
            f"{atom.name}: {d[~known][0]} came back, and no slot of B holds that: a slot of D met more than one"
        )
    met = {(s % WARP, s // WARP): {} for s in range(len(a))}
    for s, lane, value in np.argwhere(d).tolist():
        number = int(d[s, lane, value]) - 1
        met[s % WARP, s // WARP][lane, value] = (number % WARP, number // WARP)
    return met


def predicted(atom: MMAAtom) -> dict:
    """What `discover` finds if the atom's maps are true: slots meet that agree in m, in n and in k.

    Unlike `in_software` this goes by `a_layout`, `b_layout` and `c_layout`, also where they were replaced. Each cell of B has one
    holder in all atoms that there are. Raises LayoutError for a map that leaves the tile.
    """
    m, n, k = atom.shape_mnk
    met = {(lane, value): {} for value in range(size(atom.a_layout, 1)) for lane in range(WARP)}
    for lanes in groups(atom):

        def cells(layout, rows, columns, lanes=lanes):
            for i, cell in enumerate(layout.offsets().tolist()):
                lane, value = lanes[i % len(lanes)], i // len(lanes)
                if not 0 <= cell < rows * columns:
                    raise LayoutError(
                        f"{layout} sends lane {lane}, value {value} to {cell}: the tile has {rows * columns} cells"
                    )
                yield (lane, value), cell % rows, cell // rows

        b_at = {(col, kk): slot for slot, col, kk in cells(atom.b_layout, n, k)}
        c_in_row = {}
        for slot, row, col in cells(atom.c_layout, m, n):
            c_in_row.setdefault(row, []).append((slot, col))
        for slot, row, kk in cells(atom.a_layout, m, k):
            met[slot] |= {c_slot: b_at[col, kk] for c_slot, col in c_in_row.get(row, ())}
    return met


def differing(met: dict, wanted: dict) -> list:
    """The slots of A for which two tables differ."""
    return [slot for slot in wanted if met.get(slot) != wanted[slot]]


# ------------------------------------------------------------------------------------------------ what was found


@dataclass(frozen=True)
class Found:
    """One atom as the hardware has it: the instruction, `discover`'s table, and a few instructions on random integers.

    `a`, `b`, `d` are fragments (instructions, 32 lanes, values): D = A B, the same in every order of summing.
    """

    ptx: str
    met: dict
    a: list
    b: list
    d: list

    def as_executed(self, atom: MMAAtom) -> bool:
        """Whether `MMAAtom.execute` gives the hardware's D, bit by bit, on the random integers."""
        return bool((in_software(atom, np.array(self.a), np.array(self.b)) == np.array(self.d)).all())


@dataclass(frozen=True)
class Probes:
    """A run: where, and for each atom's name what was found. `to_json` and `from_json` are each other's inverse."""

    provenance: dict
    found: dict = field(default_factory=dict)

    def to_json(self) -> str:
        lines = []
        for name, x in self.found.items():
            slots = {f"{lane},{value}": _numbers(reached) for (lane, value), reached in x.met.items()}
            kept = {"ptx": x.ptx, "met": slots, "a": x.a, "b": x.b, "d": x.d}
            lines.append(f"  {json.dumps(name)}: {json.dumps(kept, separators=(',', ':'))}")
        return f'{{\n "provenance": {json.dumps(self.provenance)},\n "found": {{\n' + ",\n".join(lines) + "\n }\n}\n"

    @classmethod
    def from_json(cls, words: str) -> "Probes":
        read = json.loads(words)
        found = {}
        for name, x in read["found"].items():
            met = {tuple(map(int, slot.split(","))): _slots(numbers) for slot, numbers in x["met"].items()}
            found[name] = Found(x["ptx"], met, x["a"], x["b"], x["d"])
        return cls(read["provenance"], found)


def _numbers(reached: dict) -> list:
    """Slots as numbers, lane + 32 * value: [of D, of B, of D, of B, ...]."""
    return [lane + WARP * value for pair in sorted(reached.items()) for lane, value in pair]


def _slots(numbers: list) -> dict:
    slots = [(x % WARP, x // WARP) for x in numbers]
    return dict(zip(slots[::2], slots[1::2], strict=True))


def probe(names=ATOMS, run=on_gpu, provenance=None, seed: int = 0) -> Probes:
    """Probes these atoms, and tries each on random integers."""
    random, found = np.random.default_rng(seed), {}
    for name in names:
        atom = find_atom(name)
        a, b = (random.integers(-4, 5, (TRIED, WARP, size(x, 1))) for x in (atom.a_layout, atom.b_layout))
        d = run(atom, a, b).astype(int)
        found[name] = Found(instruction(atom).ptx, discover(atom, run), a.tolist(), b.tolist(), d.tolist())
    return Probes(provenance or {}, found)


def describe(probes: Probes) -> str:
    """For each atom, in how many slots of A the hardware and CuTe agree."""
    lines = []
    for name, found in probes.found.items():
        atom = find_atom(name)
        wanted = predicted(atom)
        wrong = differing(found.met, wanted)
        said = (
            "all as CuTe's maps say"
            if not wrong
            else f"{len(wrong)} otherwise than CuTe's maps say, such as {wrong[0]}"
        )
        random = "as" if found.as_executed(atom) else "NOT as"
        lines.append(
            f"{name}: {len(wanted)} slots of A, {said}; D of random fragments {random} MMAAtom.execute gives it"
        )
    return "\n".join(lines)


def recorded(gpu: str = "NVIDIA H200") -> Probes:
    """The run that came with the course for a GPU. Raises LayoutError, with the names there are, where there is none."""
    folder = files("cutelearn.kernels") / "recorded"
    found = folder / _file_name(gpu)
    if not found.is_file():
        names = sorted(f.name for f in folder.iterdir() if f.name.startswith("mma-probe")) if folder.is_dir() else []
        raise LayoutError(f"no probe is recorded for {gpu!r}; there is {', '.join(names) or 'none yet'}")
    return Probes.from_json(found.read_text(encoding="utf-8"))


def _file_name(gpu: str) -> str:
    return f"mma-probe-{record_name(gpu)}"


# ------------------------------------------------------------------------------------------------ the command


def main(arguments=None, run=on_gpu, provenance=None) -> int:
    """The command; `run` and `provenance` stand in for the GPU in tests. Gives the exit code: 1 where nothing could be probed."""
    parser = argparse.ArgumentParser(prog="python -m cutelearn.kernels.mma_probe", description=__doc__.split("\n")[0])
    parser.add_argument("file", type=Path, help="where to write what is found, as JSON")
    parser.add_argument("--atoms", nargs="+", default=ATOMS, metavar="NAME", help="which atoms; without it, five")
    options = parser.parse_args(arguments)
    try:
        if provenance is None and run is on_gpu:
            for name in options.atoms:
                instruction(find_atom(name))  # a name that is none is refused before the GPU is asked
            provenance = _where()
        probes = probe(options.atoms, run, provenance)
    except LayoutError as error:
        print(f"mma_probe: {error}", file=sys.stderr)
        return 1
    options.file.parent.mkdir(parents=True, exist_ok=True)
    options.file.write_text(probes.to_json(), encoding="utf-8")
    print(describe(probes))
    print(f"written: {options.file}")
    return 0


def _where() -> dict:
    if PLACE != "gpu":
        raise LayoutError("there is no GPU here that kernels can run on, so there is no tensor core to ask")
    from .measure import provenance

    return provenance()


if __name__ == "__main__":
    sys.exit(main())
