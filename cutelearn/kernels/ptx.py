"""The instructions that kernels ask for by name: accesses to memory of several elements at once.

Each is given as LLVM code and has a plain twin: where kernels run in the simulator, the library's own copy moves the same elements
one by one.

| what | PTX | LLVM | twin |
|---|---|---|---|
| `load_together` | `ld.global.v4.f32`, `ld.shared.v2.f32`, ... | load of a vector, with its alignment | `gather` of cutelearn/tensor.py |
| `store_together` | `st.global.v4.f32`, `st.shared.v4.f32`, ... | store of a vector, with its alignment | `scatter` of cutelearn/tensor.py |
"""

from llvmlite import ir

I32 = ir.IntType(32)


def _vector(element, bits, n) -> ir.VectorType:
    """The type in which n elements travel: of themselves, or of 32-bit words where they are smaller than those."""
    return ir.VectorType(element, n) if bits >= 32 else ir.VectorType(I32, n * bits // 32)


def _at(builder, pointer, vector):
    return builder.bitcast(pointer, vector.as_pointer(pointer.type.addrspace))


def load_together(builder, pointer, bits, n) -> list:
    """n neighbours of so many bits each, by one instruction. Their address is a multiple of their bytes together."""
    element = pointer.type.pointee
    vector = _vector(element, bits, n)
    whole = builder.load(_at(builder, pointer, vector), align=n * bits // 8)
    whole = builder.bitcast(whole, ir.VectorType(element, n))
    return [builder.extract_element(whole, I32(i)) for i in range(n)]


def store_together(builder, values, pointer, bits) -> None:
    """The values become neighbours at the address, by one instruction. It is a multiple of their bytes together."""
    n, element = len(values), pointer.type.pointee
    vector = _vector(element, bits, n)
    whole = ir.Constant(ir.VectorType(element, n), ir.Undefined)
    for i, value in enumerate(values):
        whole = builder.insert_element(whole, value, I32(i))
    builder.store(builder.bitcast(whole, vector), _at(builder, pointer, vector), align=n * bits // 8)
