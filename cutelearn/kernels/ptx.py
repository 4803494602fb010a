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
