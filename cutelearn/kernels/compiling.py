"""From a kernel to code: `jit` for the machine that is there, PTX and SASS for one that is not.

What of numba-cuda's insides the types do not need (jit options that the simulator refuses, compiling without a GPU, the tools
of the CUDA wheels) stands here.
"""

import json
import os
import pickle
import re
import shutil
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace

from numba import cuda

from ..htuple import LayoutError
from .machine import PLACE, SWITCH
from .traps import refuse_traps

# ------------------------------------------------------------------------------------------------ running


def jit(kernel, threads: int, blocks_per_sm: int = 1):
    """The kernel, ready to be launched with up to so many threads a block: `jit(kernel, 256)[grid, 256](...)`.

    On a GPU the compiler is told the number of threads, and how many blocks must fit on a multiprocessor: from that follows how
    many registers a thread may have. The simulator has no such options, so they are left out there.
    Raises LayoutError for what the simulator would run and a GPU would not: see `traps`.
    """
    refuse_traps(kernel)
    if not 1 <= threads <= 1024:
        raise LayoutError(f"a block has 1 to 1024 threads, not {threads} (the simulator takes more, no GPU does)")
    return cuda.jit(kernel) if PLACE == "simulator" else cuda.jit(kernel, launch_bounds=(threads, blocks_per_sm))


# ------------------------------------------------------------------------------------------------ compiling


@dataclass(frozen=True)
class Compiled:
    """A kernel as PTX; with ptxas and nvdisasm at hand also as machine code (SASS), and what it uses.

    `registers` a thread, `shared` bytes a block, `stack` bytes a thread, `spills` bytes stored and loaded because the registers did
    not suffice. Raises RuntimeError, with the command that installs the tools, where they are missing.
    """

    kernel: str
    cc: tuple
    ptx: str

    def __repr__(self):
        return f"Compiled({self.kernel} for {architecture(self.cc)}: {self.ptx.count(chr(10)) + 1} lines of PTX)"

    @cached_property
    def _assembled(self):
        return assemble(self.ptx, self.cc)

    @property
    def cubin(self) -> bytes:
        return self._assembled[0]

    @cached_property
    def sass(self) -> str:
        with tempfile.TemporaryDirectory() as folder:
            cubin = Path(folder, "kernel.cubin")
            cubin.write_bytes(self.cubin)
            return _run(tool("nvdisasm"), "-c", cubin).stdout

    def _used(self, pattern) -> int:
        return sum(int(n) for n in re.findall(pattern, self._assembled[1]))

    @property
    def registers(self) -> int:
        return self._used(r"Used (\d+) registers")

    @property
    def shared(self) -> int:
        return self._used(r"(\d+) bytes smem")

    @property
    def stack(self) -> int:
        return self._used(r"(\d+) bytes stack frame")

    @property
    def spills(self) -> int:
        return self._used(r"(\d+) bytes spill")


def compile_kernel(kernel, signature: str, cc=(9, 0), launch_bounds=None) -> Compiled:
    """The kernel compiled for a compute capability, with or without a GPU.

    kernel: the Python function. signature: the types of its arguments as Numba writes them, "int32, float32[::1]". In a process that
    runs the simulator a child process does the work; the kernel travels there as it is, also one from a notebook.
    Raises Numba's TypingError for a misuse of the library or of Numba, with the sentence first; LayoutError for `traps`.
    """
    kernel = getattr(kernel, "py_func", kernel)
    refuse_traps(kernel)
    cc = tuple(int(n) for n in cc)
    if find_spec("numba_cuda") is None:
        raise RuntimeError(
            "kernels are compiled by numba-cuda, which there is for Linux and Windows: it is not installed here"
        )
    if PLACE != "simulator":
        return Compiled(kernel.__name__, cc, compile_here(kernel, signature, cc, launch_bounds))
    from numba import cloudpickle

    task = cloudpickle.dumps((kernel, signature, cc, launch_bounds))
    child = "from cutelearn.kernels.compiling import answer; answer()"
    path = os.pathsep.join([str(Path(__file__).parents[2]), *filter(None, sys.path)])
    environment = os.environ | {SWITCH: "0", "PYTHONPATH": path}
    done = subprocess.run([sys.executable, "-c", child], input=task, capture_output=True, env=environment, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"the process that compiles broke off: {done.stderr.decode(errors='replace')[-2000:]}")
    reply = json.loads(done.stdout)
    if "error" in reply:
        from numba.cuda.core.errors import TypingError

        raise {"TypingError": TypingError, "LayoutError": LayoutError}.get(reply["error"], RuntimeError)(
            reply["message"]
        )
    return Compiled(kernel.__name__, cc, reply["ptx"])


def answer():
    """The child's side of compile_kernel: a pickled task on stdin, JSON on stdout."""
    kernel, signature, cc, launch_bounds = pickle.load(sys.stdin.buffer)
    try:
        reply = {"ptx": compile_here(kernel, signature, cc, launch_bounds)}
    except Exception as error:
        reply = {"error": type(error).__name__, "message": str(error)}
    print(json.dumps(reply))


def compile_here(kernel, signature, cc, launch_bounds=None) -> str:
    """PTX as numba-cuda's own jit makes it: through link-time optimisation where nvJitLink is installed."""
    from numba.cuda.compiler import compile_cuda, kernel_fixup
    from numba.cuda.core import sigutils
    from numba.cuda.cudadrv import nvvm
    from numba.cuda.cudadrv.driver import _have_nvjitlink

    args, _returned = sigutils.normalize_signature(f"({signature},)" if signature.strip() else "()")
    linked = _have_nvjitlink()
    with compute_capability(cc):
        made = compile_cuda(
            kernel, cuda.types.void, args, nvvm_options={"fastmath": False, "opt": 3}, cc=cc, lto=linked
        )
    function = made.library.get_function(made.fndesc.llvm_func_name)
    made.library._entry_name = function.name
    kernel_fixup(function, False)
    nvvm.set_launch_bounds(function, launch_bounds)
    target = (*cc, "a") if cc >= (9, 0) else cc
    ptx = made.library.get_lto_ptx(cc=target) if linked else made.library.get_asm_str(cc=target)
    return ptx.rstrip("\0 \n") + "\n"


@contextmanager
def compute_capability(cc):
    """numba-cuda asks the current device for what it compiles helper functions for: answers in its place."""
    from numba.cuda import dispatcher

    asked = dispatcher.get_current_device
    dispatcher.get_current_device = lambda: SimpleNamespace(compute_capability=cc)
    try:
        yield
    finally:
        dispatcher.get_current_device = asked


# ------------------------------------------------------------------------------------------------ the tools of the wheels


def architecture(cc) -> str:
    return f"sm_{cc[0]}{cc[1]}" + ("a" if tuple(cc) >= (9, 0) else "")


def assemble(ptx: str, cc) -> tuple:
    """(cubin, what ptxas says of registers, spills and shared memory)."""
    with tempfile.TemporaryDirectory() as folder:
        source, cubin = Path(folder, "kernel.ptx"), Path(folder, "kernel.cubin")
        source.write_text(ptx)
        said = _run(tool("ptxas"), "-v", "-arch", architecture(cc), "-o", cubin, source).stderr
        return cubin.read_bytes(), said


def tool(name: str) -> str:
    """Where a program of the CUDA toolkit lies: in the wheels of this environment, or on the PATH."""
    for folder in _wheels():
        for found in sorted(folder.glob(f"*/bin/{name}")) + sorted(folder.glob(f"*/bin/{name}.exe")):
            return str(found)
    found = shutil.which(name)
    if found is None:
        raise RuntimeError(
            f"{name} is not installed, which turns PTX into machine code or shows it: pip install 'cutelearn[test]' brings it. "
            f"The PTX itself needs no tool"
        )
    return found


def _wheels() -> list:
    try:
        import nvidia
    except ImportError:
        return []
    return [Path(folder) for folder in nvidia.__path__]


def _run(*command):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{Path(command[0]).name} refuses the code: {done.stderr.strip()[:2000]}")
    return done
