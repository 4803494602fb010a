"""What the simulator runs and a GPU does not, or runs otherwise: found in a kernel's source before it is launched.

Not a proof that a kernel is right. Each check is one that has cost learners days, for passing in the simulator proves nothing here.
"""

import ast
import inspect
import textwrap

import numpy as np

from ..htuple import LayoutError

CONSTANT_BYTES = 64 * 1024  # what a GPU has for the arrays that a kernel captures
THREAD = {"threadIdx", "laneid", "grid"}  # names of numba.cuda that differ from thread to thread
SAME = {"size", "shape", "rank", "depth", "cosize", "len"}  # of tensors that differ between threads, these do not


def refuse_traps(kernel) -> None:
    """Raises LayoutError with the first trap of a kernel. See `traps`."""
    found = traps(kernel)
    if found:
        raise LayoutError(found[0])


def traps(kernel) -> list:
    """Sentences about a kernel's traps, in the order of its source; none where there are none, or no source to read.

    - two allocations of shared memory on one line: in the simulator they are the same memory
    - a shared or local array whose shape is an expression or an argument: the simulator takes it, the compiler does not
    - a barrier where not all threads of a block come by: under a condition that differs between them, or after a return
    - a captured array that is larger than constant memory
    """
    kernel = getattr(kernel, "py_func", kernel)
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(kernel))).body[0]
    except (OSError, TypeError, SyntaxError):
        return []
    if not isinstance(tree, ast.FunctionDef):
        return []
    where = f"{kernel.__name__}, line {{}} of the kernel: "
    found = [*_allocations(tree), *_barriers(tree)]
    found = [where.format(line) + words for line, words in sorted(found)]
    return [*found, *_captured(kernel)]


# ------------------------------------------------------------------------------------------------ memory


def _calls(tree, *ends):
    """The calls of `cuda.<...>` whose dotted name ends so."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and ast.unparse(node.func).endswith(ends):
            yield node


def _allocations(tree):
    own = {name.arg for name in tree.args.args} | {
        name.id for name in ast.walk(tree) if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Store)
    }
    lines = set()
    for call in _calls(tree, "shared.array"):
        if call.lineno in lines:
            yield (
                call.lineno,
                "two shared arrays are allocated on one line. The simulator tells them apart by their line, so there "
                "they are the same memory: give each a line of its own",
            )
        lines.add(call.lineno)
    for loop in (n for n in ast.walk(tree) if isinstance(n, (ast.For, ast.While))):
        for call in _calls(loop, "shared.array"):
            yield (
                call.lineno,
                "a shared array is allocated in a loop, and is the same one each time: allocate it before the loop",
            )
    for call in _calls(tree, "shared.array", "local.array"):
        shape = call.args[0] if call.args else next((k.value for k in call.keywords if k.arg == "shape"), None)
        for extent in shape.elts if isinstance(shape, ast.Tuple) else [shape]:
            names = [] if extent is None else [n for n in ast.walk(extent) if isinstance(n, ast.Name)]
            known = not names or (isinstance(extent, ast.Name) and extent.id not in own)
            if extent is not None and known:
                continue
            written = "nothing" if extent is None else ast.unparse(extent)
            yield (
                call.lineno,
                f"the shape of {ast.unparse(call.func)} is {written}, which the compiler does not know: a shape is a number, or "
                f"a name from outside of the kernel. Work it out before the kernel is defined (n_1 = n + 1), and make the kernel "
                f"in a function that is given n",
            )


def _captured(kernel):
    variables = inspect.getclosurevars(kernel)
    for name, value in {**variables.globals, **variables.nonlocals}.items():
        if isinstance(value, np.ndarray) and value.nbytes > CONSTANT_BYTES:
            yield (
                f"{kernel.__name__} captures the array {name} of {value.nbytes} bytes. It would go to constant memory, which has "
                f"{CONSTANT_BYTES}: pass it as an argument"
            )


# ------------------------------------------------------------------------------------------------ barriers


def _barriers(tree):
    differing = _differing_names(tree)
    barriers = [call.lineno for call in _calls(tree, "syncthreads")]
    for node in ast.walk(tree):
        if not isinstance(node, (ast.If, ast.While, ast.For, ast.IfExp)):
            continue
        decides = node.iter if isinstance(node, ast.For) else node.test
        if not _differs(decides, differing):
            continue
        for call in _calls(node, "syncthreads"):
            yield (
                call.lineno,
                f"syncthreads() stands under `{ast.unparse(decides)}`, which differs between threads. Every thread of the block must "
                f"come to a barrier, or a GPU hangs or goes on with half of the data: guard the loads and stores, not the barrier",
            )
        for gone in (n for n in ast.walk(node) if isinstance(n, ast.Return)):
            if any(line > gone.lineno for line in barriers):
                yield (
                    gone.lineno,
                    f"some threads return under `{ast.unparse(decides)}`, and the others wait for them at a barrier further down: "
                    f"keep all threads to the end, and guard the loads and stores",
                )


def _differing_names(tree):
    """Names whose values differ between the threads of a block, as far as assignments tell."""
    names = set()
    while True:
        before = len(names)
        for node in ast.walk(tree):
            if isinstance(node, (ast.Assign, ast.AugAssign)):
                targets, value = node.targets if isinstance(node, ast.Assign) else [node.target], node.value
            elif isinstance(node, ast.For):
                targets, value = [node.target], node.iter
            else:
                continue
            if _differs(value, names):
                names |= {
                    n.id
                    for t in targets
                    for n in ast.walk(t)
                    if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
                }
        if len(names) == before:
            return names


def _differs(node, names) -> bool:
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in SAME:
        return False
    if isinstance(node, ast.Attribute) and node.attr in SAME:
        return False
    if isinstance(node, ast.Attribute) and node.attr in THREAD:
        return True
    if isinstance(node, ast.Name) and (node.id in names or node.id in THREAD):
        return True
    return any(_differs(child, names) for child in ast.iter_child_nodes(node))
