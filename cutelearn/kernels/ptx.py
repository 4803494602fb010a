"""The instructions that kernels ask for by name: accesses to memory of several elements at once.

Each is given as LLVM code and has a plain twin: where kernels run in the simulator, the library's own copy moves the same elements
one by one.

| what | PTX | LLVM | twin |
|---|---|---|---|
| `load_together` | `ld.global.v4.f32`, `ld.shared.v2.f32`, ... | load of a vector, with its alignment | `gather` of cutelearn/tensor.py |
| `store_together` | `st.global.v4.f32`, `st.shared.v4.f32`, ... | store of a vector, with its alignment | `scatter` of cutelearn/tensor.py |
| `start_copy` | `cp.async.ca.shared.global`, `cp.async.cg...` | assembly in line | `gather` and `scatter`: there at once |
| `cp_async_fence` | `cp.async.commit_group` | assembly in line | nothing is left to do |
| `cp_async_wait` | `cp.async.wait_group` | assembly in line | nothing is left to wait for |
"""

from llvmlite import ir

from ..algorithms import clear, copy_if
from ..htuple import LayoutError

I32 = ir.IntType(32)


def _vector(element, bits, n) -> ir.VectorType:
    """The type in which n elements travel: of themselves, or of 32-bit words where they are smaller than those."""
    return ir.VectorType(element, n) if bits >= 32 else ir.VectorType(I32, n * bits // 32)


def _together(builder, values):
    """Values as one vector."""
    whole = ir.Constant(ir.VectorType(values[0].type, len(values)), ir.Undefined)
    for i, value in enumerate(values):
        whole = builder.insert_element(whole, value, I32(i))
    return whole


def _parts(builder, word, element, n) -> list:
    """The n elements that a word holds. Taken out word by word, for else the compiler would load them in smaller pieces."""
    vector = builder.bitcast(word, ir.VectorType(element, n))
    return [builder.extract_element(vector, I32(i)) for i in range(n)]


def _at(builder, pointer, vector):
    return builder.bitcast(pointer, vector.as_pointer(pointer.type.addrspace))


def load_together(builder, pointer, bits, n) -> list:
    """n neighbours of so many bits each, by one instruction. Their address is a multiple of their bytes together."""
    element = pointer.type.pointee
    if n * bits < 32:
        return _parts(
            builder, builder.load(_at(builder, pointer, ir.IntType(n * bits)), align=n * bits // 8), element, n
        )
    vector = _vector(element, bits, n)
    whole = builder.load(_at(builder, pointer, vector), align=n * bits // 8)
    parts = [builder.extract_element(whole, I32(i)) for i in range(vector.count)]
    if bits >= 32:
        return parts
    return [value for part in parts for value in _parts(builder, part, element, 32 // bits)]


def store_together(builder, values, pointer, bits) -> None:
    """The values become neighbours at the address, by one instruction. It is a multiple of their bytes together."""
    n, element = len(values), pointer.type.pointee
    word = ir.IntType(min(32, n * bits))
    if bits < 32:
        each = word.width // bits
        values = [builder.bitcast(_together(builder, values[i : i + each]), word) for i in range(0, n, each)]
    vector = _vector(element, bits, n) if n * bits >= 32 else word
    whole = _together(builder, values) if n * bits >= 32 else values[0]
    builder.store(whole, _at(builder, pointer, vector), align=n * bits // 8)


# ------------------------------------------------------------------------------------------------ cp.async


def _assembly(builder, words, constraints, *operands):
    """PTX written in line; nothing that touches memory moves across it."""
    kind = ir.FunctionType(ir.VoidType(), [x.type for x in operands])
    constraints = ",".join(filter(None, (constraints, "~{memory}")))
    builder.call(ir.InlineAsm(kind, words, constraints, side_effect=True), operands)


def start_copy(builder, src, dst, n_bytes, wanted=None, cache="ca") -> None:
    """Starts a copy of 4, 8 or 16 bytes from global to shared memory, and does not wait for it.

    cache: "ca" keeps what is read in all caches, "cg" (16 bytes only) in the one that the whole GPU shares, L2.
    wanted: a condition; where it does not hold, nothing is read and the bytes become 0.
    """
    byte = ir.IntType(8)
    src = builder.addrspacecast(builder.bitcast(src, byte.as_pointer()), byte.as_pointer(1))
    dst = builder.addrspacecast(builder.bitcast(dst, byte.as_pointer()), byte.as_pointer(3))
    words = f"cp.async.{cache}.shared.global [$0], [$1], {n_bytes}"
    if wanted is None:
        _assembly(builder, f"{words};", "l,l", dst, src)
    else:
        _assembly(builder, f"{words}, $2;", "l,l,r", dst, src, builder.select(wanted, I32(n_bytes), I32(0)))


def emit_fence(builder) -> None:
    _assembly(builder, "cp.async.commit_group;", "")


def emit_wait(builder, n: int) -> None:
    _assembly(builder, f"cp.async.wait_group {n};", "")


def cp_async_fence() -> None:
    """Closes a group: the copies by cp.async that this thread has started since the last one.

    Source: CuTe header `arch/copy_sm80.hpp`.
    """


def cp_async_wait(n: int) -> None:
    """Waits until at most the n youngest groups of this thread are on their way. n is known when the kernel is compiled.

    What other threads have copied is there after a barrier besides. Raises LayoutError for another n than 0 or more.
    Source: CuTe header `arch/copy_sm80.hpp`.
    """
    check_wait(n)


def check_wait(n) -> None:
    if not isinstance(n, int) or n < 0:
        raise LayoutError(
            f"cp_async_wait: how many groups may be on their way is a number that is known, 0 or more, not {n}"
        )


def copy_zfill(tiled_copy, pred, src, dst) -> None:
    """copy_if by cp.async that sets to 0 what the predicate leaves out, as CuTe's atoms `SM80_CP_ASYNC_..._ZFILL` do.

    Raises LayoutError where the atom is none of cp.async, or does not copy from global to shared memory.
    """
    check_zfill(getattr(tiled_copy, "atom", tiled_copy))
    check_async("copy_zfill", getattr(tiled_copy, "atom", tiled_copy), src, dst)
    clear(dst)
    copy_if(tiled_copy, pred, src, dst)


CACHES = {"SM80_CP_ASYNC_CACHEALWAYS": "ca", "SM80_CP_ASYNC_CACHEGLOBAL": "cg"}


def cache_of(atom) -> str | None:
    """Of an atom of cp.async, which caches keep what is read, as PTX writes it; None for another atom."""
    return CACHES.get(atom.name.partition("<")[0])


def check_zfill(atom) -> None:
    if cache_of(atom) is None:
        raise LayoutError(f"copy_zfill by {atom.name}: only {'<...> and '.join(CACHES)}<...> fill with zeros")


def check_async(name, atom, src, dst) -> None:
    """src, dst: tensors, or their types; cp.async goes one way."""
    if (src.memory, dst.memory) != ("gmem", "smem"):
        raise LayoutError(
            f"{name} by {atom.name}: it copies from global to shared memory (make_gmem_ptr, make_smem_ptr), and here src is {src}, "
            f"dst {dst}"
        )
