"""Runs what a kernel is compiled to on the CPU: its LLVM code, one thread of the machine for each thread of a block.

The simulator runs a kernel's Python; this runs the code that the compiler makes of it, before NVVM turns it into PTX. So the
types, the folding of static layouts and the arithmetic that is left are tested by their results, without a GPU.
"""

import ctypes
import itertools
import re
import threading
from functools import cached_property

import llvmlite.binding as llvm
import numpy as np
from numba import cuda
from numba.cuda.compiler import compile_cuda, kernel_fixup
from numba.cuda.core import sigutils

from cutelearn.kernels.compiling import compute_capability

_here = threading.local()  # the coordinates of the thread that runs: tid, ctaid, ntid, nctaid
_C_TYPES = {"i32": ctypes.c_int32, "i64": ctypes.c_int64, "f32": ctypes.c_float, "f64": ctypes.c_double}


def _register(axis, name):
    return lambda: getattr(_here, name)["xyz".index(axis)]


_SPECIAL = {f"{name}.{axis}": _register(axis, name) for name in ("tid", "ctaid", "ntid", "nctaid") for axis in "xyz"}
_CALLBACKS = {name: ctypes.CFUNCTYPE(ctypes.c_int32)(function) for name, function in _SPECIAL.items()}
_LIBC = ctypes.CDLL(None)
SHARED_BYTES = 96 * 1024


class Emulated:
    """A kernel ready to run on the CPU: `Emulated(kernel, "int32, float32[::1]").run(grid, threads, 3, array)`."""

    def __init__(self, kernel, signature, cc=(9, 0)):
        self.args, _returned = sigutils.normalize_signature(f"({signature},)")
        with compute_capability(cc):
            options = {"fastmath": False, "opt": 3}
            made = compile_cuda(kernel, cuda.types.void, self.args, nvvm_options=options, cc=cc)
        function = made.library.get_function(made.fndesc.llvm_func_name)
        made.library._entry_name = self.name = function.name
        kernel_fixup(function, False)
        self.shared = np.zeros(SHARED_BYTES // 16, np.complex128)  # what a launch gives a block, aligned as on a GPU
        self.barrier = ctypes.create_string_buffer(64)  # a pthread_barrier_t
        self.ir = made.library.llvm_strs

    @cached_property
    def _engine(self):
        llvm.initialize_native_target()
        llvm.initialize_native_asmprinter()
        for name in re.findall(r'@"?([\w.$]+)"? = external addrspace\(3\) global', self.ir[0]):
            llvm.add_symbol(name, self.shared.ctypes.data)
        for name, callback in {**_CALLBACKS, "wait": _LIBC.pthread_barrier_wait}.items():
            llvm.add_symbol(f"emulated.{name}", ctypes.cast(callback, ctypes.c_void_p).value)
        target = llvm.Target.from_default_triple()
        machine = target.create_target_machine(
            cpu=llvm.get_host_cpu_name(), features=llvm.get_host_cpu_features().flatten(), opt=0
        )
        module = llvm.parse_assembly(
            _for_cpu(self.ir[0])
            + _HELPERS.format(barrier=ctypes.addressof(self.barrier), copies=_COPIES, shared=SHARED_BYTES)
        )
        for more in self.ir[1:]:
            module.link_in(llvm.parse_assembly(_for_cpu(more)))
        module.verify()
        engine = llvm.create_mcjit_compiler(module, machine)
        engine.finalize_object()
        return engine

    def run(self, grid, threads, *arguments):
        """Block after block; the threads of a block side by side. Arrays are written in place."""
        values, types = [], []
        for ty, x in zip(self.args, arguments, strict=True):
            for t, v in _passed(ty, x):
                types.append(t)
                values.append(v)
        address = self._engine.get_function_address(self.name)
        call = ctypes.CFUNCTYPE(None, *types)(address)
        for block in itertools.product(*map(range, grid)):
            _LIBC.pthread_barrier_init(self.barrier, None, threads)
            _run_block(call, values, (*block, 0, 0)[:3], (*grid, 1, 1)[:3], threads)


def _run_block(call, values, block, grid, threads):
    def one(t):
        _here.tid, _here.ctaid, _here.ntid, _here.nctaid = (t, 0, 0), block, (threads, 1, 1), grid
        call(*values)

    running = [threading.Thread(target=one, args=(t,)) for t in range(threads)]
    for thread in running:
        thread.start()
    for thread in running:
        thread.join()


def _passed(ty, x):
    """The C arguments that one argument of a kernel becomes; an array has seven."""
    if isinstance(ty, cuda.types.Array):
        assert x.flags.c_contiguous
        assert x.ndim == 1
        pointer, word = ctypes.c_void_p, ctypes.c_int64
        return [
            (pointer, None),
            (pointer, None),
            (word, x.size),
            (word, x.itemsize),
            (pointer, x.ctypes.data),
            (word, x.size),
            (word, x.itemsize),
        ]
    kind = "f" if isinstance(ty, cuda.types.Float) else "i"
    return [(_C_TYPES[f"{kind}{ty.bitwidth}"], x.item() if isinstance(x, np.generic) else x)]


_HELPERS = """
declare i32 @"emulated.wait"(i8*)
define internal void @"emulated.barrier"() {{
  call i32 @"emulated.wait"(i8* inttoptr (i64 {barrier} to i8*))
  ret void
}}
declare void @llvm.memcpy.p0i8.p0i8.i64(i8*, i8*, i64, i1)
declare void @llvm.memset.p0i8.i64(i8*, i8, i64, i1)
define internal void @"emulated.nothing"() {{
  ret void
}}
define internal i32 @"emulated.shared_bytes"() {{
  ret i32 {shared}
}}
define internal void @"emulated.copy"(i8* %dst, i8* %src, i64 %bytes, i64 %read) {{
  call void @llvm.memset.p0i8.i64(i8* %dst, i8 0, i64 %bytes, i1 false)
  call void @llvm.memcpy.p0i8.p0i8.i64(i8* %dst, i8* %src, i64 %read, i1 false)
  ret void
}}
{copies}
define internal i16 @"emulated.to_half"(float %x) {{
  %h = fptrunc float %x to half
  %i = bitcast half %h to i16
  ret i16 %i
}}
define internal float @"emulated.from_half"(i16 %i) {{
  %h = bitcast i16 %i to half
  %x = fpext half %h to float
  ret float %x
}}
"""

_COPY = """
define internal void @"emulated.copy_{n}{if_}"(i8 addrspace(3)* %d, i8 addrspace(1)* %s{more}) {{
  %dst = addrspacecast i8 addrspace(3)* %d to i8*
  %src = addrspacecast i8 addrspace(1)* %s to i8*
  %read = {read}
  call void @"emulated.copy"(i8* %dst, i8* %src, i64 {n}, i64 %read)
  ret void
}}
"""
_COPIES = "".join(
    _COPY.format(n=n, if_="", more="", read=f"add i64 {n}, 0")
    + _COPY.format(n=n, if_="_zfill", more=", i32 %wanted", read="zext i32 %wanted to i64")
    for n in (4, 8, 16)
)


def _for_cpu(ir):
    """NVVM's registers and barrier become calls back into this module; PTX written in line becomes LLVM's own."""
    ir = re.sub(r'target (triple|datalayout) = ".*"\n', "", ir)
    ir = re.sub(r'"llvm\.nvvm\.read\.ptx\.sreg\.(\w+\.[xyz])"', r'"emulated.\1"', ir)
    ir = ir.replace('declare void @"llvm.nvvm.barrier0"()', "").replace('"llvm.nvvm.barrier0"', '"emulated.barrier"')
    ir = re.sub(r'asm\s+"cvt\.rn\.f16\.f32 [^"]*", "=h,f"', '@"emulated.to_half"', ir)
    ir = re.sub(r'asm\s+"cvt\.f32\.f16 [^"]*", "=f,h"', '@"emulated.from_half"', ir)
    # A copy by cp.async is there at once, as in the simulator.
    started = r'asm\s+sideeffect "cp\.async\.c[ag]\.shared\.global \[\$0\], \[\$1\], (\d+)'
    ir = re.sub(started + r';", "[^"]*"', r'@"emulated.copy_\1"', ir)
    ir = re.sub(started + r', \$2;", "[^"]*"', r'@"emulated.copy_\1_zfill"', ir)
    ir = re.sub(r'asm\s+sideeffect "cp\.async\.(?:commit|wait)_group[^"]*", "[^"]*"', '@"emulated.nothing"', ir)
    ir = re.sub(r'asm\s+sideeffect "mov\.u32 \$0, %dynamic_smem_size;", "=r"', '@"emulated.shared_bytes"', ir)
    unknown = re.search(r'\basm\b[^"]*"([^"]*)"|"(llvm\.nvvm[^"]*)"', ir)
    assert not unknown, f"the emulator does not know {unknown[1] or unknown[2]}"
    return re.sub(r'@"llvm.used" = .*\n', "", ir)
