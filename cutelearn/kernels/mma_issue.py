"""One `mma.sync` in a kernel: the instruction of an MMA atom in PTX, and a kernel that issues it on fragments from memory.

A fragment is what the lanes of a warp hold in registers: an array (lanes, values). In memory it lies register by register, lane after
lane: two 16-bit values share a register of 32 bits, the first in its lower half.
"""

from dataclasses import dataclass

import numpy as np
from numba import cuda

from ..atoms.mma import MMAAtom
from ..htuple import LayoutError
from ..layout import size
from .compiling import jit
from .machine import PLACE

WARP = 32
KINDS = {
    "F16": "r",
    "BF16": "r",
    "TF32": "r",
    "F32": "f",
    "F64": "d",
}  # of register, as PTX's assembly in line calls them
DTYPES = {"r": np.uint32, "f": np.float32, "d": np.float64}
BITS = {"r": 32, "f": 32, "d": 64}


@dataclass(frozen=True)
class Instruction:
    """The words of an `mma.sync`, and the registers of A, B and D (C is like D) that a lane gives and gets.

    >>> from cutelearn import atom
    >>> mma = instruction(atom("SM80_16x8x16_F32F16F16F32_TN"))
    >>> mma.ptx, mma.counts, mma.kinds
    ('mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32', (4, 2, 4), ('r', 'r', 'f'))
    """

    ptx: str
    counts: tuple
    kinds: tuple

    @property
    def signature(self) -> str:
        """The types of `probe_kernel`'s arguments."""
        return ", ".join(f"{np.dtype(DTYPES[kind]).name}[::1]" for kind in self.kinds)


def instruction(atom: MMAAtom) -> Instruction:
    """The instruction of an atom.

    T in a name is PTX's `row` for A, N is `col` for B: K is contiguous in both.
    Raises LayoutError for what is no `mma.sync` on floating-point registers.
    """
    types = (atom.type_d, atom.type_a, atom.type_b, atom.type_c)
    if atom.num_threads not in (8, WARP) or atom.majors is None or any(t.code not in KINDS for t in types):
        raise LayoutError(
            f"{atom.name} is no mma.sync of a warp on f16, bf16, tf32 or f64: find_atoms('SM80', accumulator='float') lists some that are"
        )
    a_major, b_major = atom.majors
    words = ["mma.sync.aligned", "m{}n{}k{}".format(*atom.shape_mnk)]
    words += ["row" if a_major == "K" else "col", "col" if b_major == "K" else "row"]
    words += [t.code.lower() for t in types]
    held = ((atom.a_layout, atom.type_a), (atom.b_layout, atom.type_b), (atom.c_layout, atom.type_d))
    kinds = tuple(KINDS[t.code] for _layout, t in held)
    counts = tuple(size(x, 1) * t.bits // BITS[kind] for (x, t), kind in zip(held, kinds, strict=True))
    return Instruction(".".join(words), counts, kinds)


# ------------------------------------------------------------------------------------------------ registers


def to_registers(fragments, value_type) -> np.ndarray:
    """Fragments (..., values) as registers (..., registers).

    >>> from cutelearn.atoms.valtypes import value_type
    >>> [hex(r) for r in to_registers(np.array([1.0, 2.0]), value_type("F16"))]
    ['0x40003c00']
    """
    x = value_type.round_to(np.asarray(fragments, np.float64))
    if value_type.code == "BF16":
        x = (np.ascontiguousarray(x, np.float32).view(np.uint32) >> 16).astype(np.uint16)
    return np.ascontiguousarray(x).view(DTYPES[KINDS[value_type.code]])


def from_registers(registers, value_type) -> np.ndarray:
    """Registers (..., registers) as fragments (..., values), of float64.

    >>> from cutelearn.atoms.valtypes import value_type
    >>> from_registers(np.uint32([0x40003C00]), value_type("F16"))
    array([1., 2.])
    """
    x = np.ascontiguousarray(registers)
    if value_type.code == "BF16":
        return (x.view(np.uint16).astype(np.uint32) << 16).view(np.float32).astype(np.float64)
    return x.view(value_type.carrier).astype(np.float64)


# ------------------------------------------------------------------------------------------------ in a kernel


def issue(mma: Instruction, a, b, d, lane) -> None:
    """In a kernel: D = A B by one instruction. Lane number `lane` of the grid loads its registers and stores what it gets."""
    raise RuntimeError("an mma.sync is issued on a GPU: the simulator has no tensor cores")


def probe_kernel(mma: Instruction):
    """A kernel (a, b, d) of one instruction a warp, on flat arrays of registers."""

    def probe(a, b, d):
        issue(mma, a, b, d, cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x)

    return probe


def on_gpu(atom: MMAAtom, a, b) -> np.ndarray:
    """The fragments of D = A B from the GPU: a, b and the result are arrays (instructions, 32 lanes, values).

    Raises LayoutError where there is no GPU, or one that is older than the instruction.
    """
    if PLACE != "gpu":
        raise LayoutError("there is no GPU here that kernels can run on, so there is no tensor core to ask")
    cc = tuple(cuda.get_current_device().compute_capability)
    needs = int(atom.arch.removeprefix("SM"))
    if 10 * cc[0] + cc[1] < needs:
        raise LayoutError(
            f"{atom.name} needs compute capability {needs // 10}.{needs % 10}, and this GPU has {cc[0]}.{cc[1]}"
        )
    mma = instruction(atom)
    got = cuda.device_array(len(a) * WARP * mma.counts[2], DTYPES[mma.kinds[2]])
    given = [cuda.to_device(to_registers(x, t).reshape(-1)) for x, t in ((a, atom.type_a), (b, atom.type_b))]
    jit(probe_kernel(mma), WARP)[len(a), WARP](*given, got)
    return from_registers(got.copy_to_host().reshape(len(a), WARP, -1), atom.type_d)


if PLACE != "simulator":
    from llvmlite import ir
    from numba.cuda import types
    from numba.cuda.extending import typeof_impl

    from .memory import _data
    from .static import template, typeof_const

    typeof_impl.register(Instruction)(typeof_const)

    def _accept(mma, a, b, d, lane):
        return types.void

    def _emit(context, builder, sig, values):
        mma = sig.args[0].value
        lane = context.cast(builder, values[4], sig.args[4], types.int64)

        def registers(i):
            """The addresses of the lane's registers of operand i."""
            data, n = _data(context, builder, sig.args[1 + i], values[1 + i]), mma.counts[i]
            first = builder.mul(lane, ir.Constant(lane.type, n))
            return [builder.gep(data, [builder.add(first, ir.Constant(lane.type, j))]) for j in range(n)]

        a, b = ([builder.load(at) for at in registers(i)] for i in (0, 1))
        at = registers(2)
        kind = at[0].type.pointee
        zeros = [ir.Constant(kind, 0)] * len(at)
        for place, value in zip(at, _multiply(builder, mma, a, b, zeros), strict=True):
            builder.store(value, place)
        return context.get_dummy_value()

    def _multiply(builder, mma, a, b, c):
        """`mma.sync` written in line."""
        given, kind = [*a, *b, *c], c[0].type
        names = iter(range(len(c) + len(given)))
        groups = ["{" + ", ".join(f"${next(names)}" for _x in group) + "}" for group in (c, a, b, c)]
        (of_a, of_b, of_d) = mma.kinds
        wanted = [f"={of_d}"] * len(c) + [of_a] * len(a) + [of_b] * len(b) + [of_d] * len(c)
        together = ir.LiteralStructType([kind] * len(c))
        asm = ir.InlineAsm(
            ir.FunctionType(together, [x.type for x in given]), f"{mma.ptx} {', '.join(groups)};", ",".join(wanted)
        )
        made = builder.call(asm, given)
        return [builder.extract_value(made, i) for i in range(len(c))]

    template(issue, _accept, _emit)
