"""From a kernel to code: `jit` for the machine that is there, PTX and SASS for one that is not.

What of numba-cuda's insides the types do not need (jit options that the simulator refuses, compiling without a GPU, the tools
of the CUDA wheels) stands here.
"""

import os
import pickle
import re
import shutil
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from dataclasses import astuple, dataclass
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


WITHOUT_ASKING = 48 * 1024  # bytes of shared memory that every GPU gives a block


def allow_shared(dispatcher, arguments, n_bytes: int) -> None:
    """Lets a block of the kernel have so much shared memory from its launch. More than 48 KB a GPU gives only to who asks.

    Compiles the kernel for these arguments, where that is not done. numba-cuda has no word for the question; the driver's is asked of
    the kernel that numba-cuda has loaded.
    """
    if PLACE != "gpu" or n_bytes <= WITHOUT_ASKING:
        return
    from cuda.bindings.driver import CUfunction_attribute
    from numba.cuda.cudadrv.driver import driver
    from numba.cuda.typing.typeof import typeof

    function = dispatcher.compile(tuple(map(typeof, arguments)))._codelibrary.get_cufunc()
    most = CUfunction_attribute.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
    driver.cuKernelSetAttribute(most, n_bytes, function.handle, function.device.id)


# ------------------------------------------------------------------------------------------------ compiling


@dataclass(frozen=True)
class Compiled:
    """A kernel as PTX and as machine code, and what it uses.

    `registers` a thread, `shared` bytes a block, `stack` bytes a thread, `spills` bytes that are stored and loaded because the
    registers did not suffice. `sass` is the machine code as text; RuntimeError, with the command that installs nvdisasm, where it is
    missing.
    """

    kernel: str
    cc: tuple
    ptx: str
    cubin: bytes
    report: str  # what ptxas says of registers, spills and shared memory
    launched_with: int = 0  # bytes of shared memory that the launch gives besides

    def __repr__(self):
        return f"Compiled({self.kernel} for {architecture(self.cc)}: {self.registers} registers, {len(self.ptx.splitlines())} lines of PTX)"

    @cached_property
    def sass(self) -> str:
        with tempfile.TemporaryDirectory() as folder:
            cubin = Path(folder, "kernel.cubin")
            cubin.write_bytes(self.cubin)
            return run_tool("nvdisasm", "-c", cubin).stdout

    def _used(self, pattern) -> int:
        return sum(int(n) for n in re.findall(pattern, self.report))

    @property
    def registers(self) -> int:
        return self._used(r"Used (\d+) registers")

    @property
    def shared(self) -> int:
        return self._used(r"(\d+) bytes smem") + self.launched_with

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
        return compile_here(kernel, signature, cc, launch_bounds)
    from numba import cloudpickle

    task = cloudpickle.dumps((kernel, signature, cc, launch_bounds))
    child = "from cutelearn.kernels.compiling import answer; answer()"
    path = os.pathsep.join([str(Path(__file__).parents[2]), *filter(None, sys.path)])
    environment = os.environ | {SWITCH: "0", "PYTHONPATH": path}
    done = subprocess.run([sys.executable, "-c", child], input=task, capture_output=True, env=environment, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"the process that compiles broke off: {done.stderr.decode(errors='replace')[-2000:]}")
    failed, reply = pickle.loads(done.stdout)
    if failed:
        from numba.cuda.core.errors import TypingError

        raise {"TypingError": TypingError, "LayoutError": LayoutError}.get(failed, RuntimeError)(reply)
    return Compiled(*reply)


def answer():
    """The child's side of compile_kernel: a pickled task on stdin, a pickled answer on stdout."""
    task = pickle.load(sys.stdin.buffer)
    try:
        reply = None, astuple(compile_here(*task))
    except Exception as error:
        reply = type(error).__name__, str(error)
    sys.stdout.buffer.write(pickle.dumps(reply))


def compile_here(kernel, signature, cc, launch_bounds=None) -> Compiled:
    """As numba-cuda's own jit compiles: NVVM optimises, nvJitLink optimises again and assembles."""
    from numba.cuda.compiler import compile_cuda, kernel_fixup
    from numba.cuda.core import sigutils
    from numba.cuda.cudadrv import nvvm

    args, _returned = sigutils.normalize_signature(f"({signature},)" if signature.strip() else "()")
    options = {"fastmath": False, "opt": 3}
    with compute_capability(cc):
        made = compile_cuda(kernel, cuda.types.void, args, nvvm_options=options, cc=cc, lto=True)
    function = made.library.get_function(made.fndesc.llvm_func_name)
    made.library._entry_name = function.name
    kernel_fixup(function, False)
    nvvm.set_launch_bounds(function, launch_bounds)
    code = made.library.get_ltoir(cc=(*cc, "a") if cc >= (9, 0) else cc)
    ptx, _report = link(code, cc, "-ptx")
    cubin, report = link(code, cc, "-Xptxas=-v")
    return Compiled(kernel.__name__, cc, ptx.decode().rstrip("\0 \n") + "\n", cubin, report)


def link(code: bytes, cc, *options) -> tuple:
    """(PTX or machine code, what nvJitLink says about it) of code for link-time optimisation."""
    from cuda.bindings import nvjitlink

    options = ["-lto", f"-arch={architecture(cc)}", *options]
    handle = nvjitlink.create(len(options), options)
    try:
        nvjitlink.add_data(handle, nvjitlink.InputType.LTOIR, code, len(code), "kernel")
        nvjitlink.complete(handle)
        what = "ptx" if "-ptx" in options else "cubin"
        return _fetched(nvjitlink, handle, f"linked_{what}"), _fetched(nvjitlink, handle, "info_log").decode()
    except nvjitlink.nvJitLinkError as error:
        raise RuntimeError(
            f"nvJitLink refuses the code: {_fetched(nvjitlink, handle, 'error_log').decode()}"
        ) from error
    finally:
        nvjitlink.destroy(handle)


def _fetched(nvjitlink, handle, what) -> bytes:
    data = bytearray(getattr(nvjitlink, f"get_{what}_size")(handle))
    getattr(nvjitlink, f"get_{what}")(handle, data)
    return bytes(data)


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


def tool(name: str) -> str:
    """Where a program of the CUDA toolkit lies: in the wheels of this environment, or on the PATH."""
    for folder in _wheels():
        for found in sorted(folder.glob(f"*/bin/{name}")) + sorted(folder.glob(f"*/bin/{name}.exe")):
            return str(found)
    found = shutil.which(name)
    if found is None:
        raise RuntimeError(
            f"{name} of the CUDA toolkit is not installed: pip install 'cutelearn[test]' brings it. PTX, registers and spills need no "
            f"tool"
        )
    return found


def _wheels() -> list:
    try:
        import nvidia
    except ImportError:
        return []
    return [Path(folder) for folder in nvidia.__path__]


def run_tool(name, *arguments):
    """Runs a program of the toolkit; RuntimeError with its own words where it fails."""
    command = [tool(name), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{name} refuses the code: {done.stderr.strip()[:2000]}")
    return done
