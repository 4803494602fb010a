"""What a learner may type about tensors: a sentence that names the thing, the number, and what to write instead."""

import numpy as np
import pytest

import cutelearn as ct
from cutelearn import (
    Layout,
    LayoutError,
    Step,
    Tensor,
    X,
    _,
    axpby,
    clear,
    copy,
    copy_if,
    fill,
    gemm,
    local_partition,
    local_tile,
    make_gmem_ptr,
    make_identity_tensor,
    make_tensor,
    make_tensor_like,
    transform,
    tv_partition,
)

A = np.arange(32, dtype=np.float32)
L = Layout((4, 8))
t = make_tensor(A, L)
cells = make_identity_tensor((4, 8))
listed = make_tensor([1, 2], 2)


def own(*shape):
    return make_tensor(float, shape)


def unaligned():
    return make_tensor(np.zeros(4, dtype="i4,i1")["f0"])


MAKING = {
    "a type without a layout": (lambda: make_tensor(float), "make_tensor(float): give a layout, or a shape"),
    "a list without a layout": (lambda: make_tensor([1, 2]), "make_tensor(a list): give a layout"),
    "a number as memory": (lambda: make_tensor(5, L), "5 (int) is no memory: give a numpy array, a list, or a type"),
    "the layout first": (lambda: make_tensor(L, A), "(4,8):(1,4) is no memory: an array, a list or a type comes first"),
    "the shape first": (lambda: make_tensor((4, 8), A), "(4,8) is no memory"),
    "a layout as text": (lambda: make_tensor(A, "(4,8):(1,4)"), "Layout.parse('(4,8):(1,4)')"),
    "an unknown type": (lambda: make_tensor("float33", 4), "'float33' is no element type: write np.float32"),
    "a layout as a type": (lambda: make_tensor("4:1", 4), "make_tensor: '4:1' is no element type"),
    "more than there is": (lambda: make_tensor(int, 10**30), "elements of 8 bytes: there is not so much memory"),
    "a class that is no type": (lambda: make_tensor(Layout, 4), "is no element type"),
    "an extent of 0": (lambda: make_tensor(A, (4, 0)), "the extent 0: every extent must be at least 1"),
    "an empty array": (lambda: make_tensor(np.zeros((0, 3))), "shape (0, 3) holds no elements"),
    "strides of part elements": (unaligned, "strides (5,) are bytes, and not all whole elements of 4 bytes"),
    "an owner that runs backwards": (
        lambda: make_tensor(float, 4, -1),
        "make_tensor(make_rmem_ptr(array) + n, layout)",
    ),
    "an owner of coordinates": (lambda: make_tensor(float, cells.layout), "make_identity_tensor needs no memory"),
    "a tensor of a tensor": (lambda: make_tensor(t, (2, 2)), "is a tensor already: t.data() is its start"),
    "a pointer to a tensor": (lambda: make_gmem_ptr(t), "is a tensor already"),
    "Tensor of a shape": (lambda: Tensor(A, (4, 8)), "(4, 8) is no layout; make_tensor(memory, shape, stride)"),
    "Tensor of a matrix": (lambda: Tensor(A.reshape(4, 8), L), "2 dimensions; make_tensor(array, ...) makes it flat"),
    "Tensor of a number": (lambda: Tensor(5, L), "Tensor: 5 is no memory: give a flat numpy array or a list"),
    "Tensor of a type": (lambda: Tensor(np.float32, L), "<class 'numpy.float32'> is no memory"),
    "Tensor that starts at a text": (lambda: Tensor(A, L, "x"), "Tensor: the offset holds the text 'x'"),
    "Tensor that starts nowhere": (lambda: Tensor(A, L, None), "Tensor: the offset holds None"),
    "Tensor that starts at a tuple": (lambda: Tensor(A, L, (1, 2)), "the offset is (1,2): give one integer"),
    "a pointer to a number": (lambda: ct.Pointer(5), "Pointer: 5 is no memory"),
    "a pointer to a type": (lambda: ct.Pointer(ct.Tensor), "is no memory: give a flat numpy array"),
    "a pointer at a float": (lambda: ct.Pointer(A, 1.5), "Pointer: the offset holds 1.5 (a float)"),
    "a pointer to nowhere": (lambda: ct.Pointer(A, 0, "dram"), "Pointer: the place 'dram' is none of gmem"),
    "a place that is no text": (lambda: Tensor(A, L, 0, A), "is none of gmem, smem and rmem"),
    "a pointer with a shape": (lambda: ct.Pointer(A, 0, "gmem", (4, 8)), "Pointer: (4, 8) is no layout"),
    "a type of 5000 digits": (lambda: make_tensor("1" * 5000, 4), "is no element type: write np.float32"),
    "a type of many": (lambda: t.recast((np.float32, 2)), "recast: (<class 'numpy.float32'>, 2) is no element type"),
    "memory that is not flat": (lambda: make_tensor(memoryview(A.reshape(4, 8)), L), "memoryview has 2 dimensions"),
    "an unknown place": (lambda: Tensor(A, L, 0, "dram"), "'dram' is none of gmem, smem and rmem"),
    "like a layout": (lambda: make_tensor_like(L), "make_tensor_like wants a Tensor, got (4,8):(1,4)"),
    "like a list": (lambda: make_tensor_like(listed), "make_tensor_like(t, np.float32)"),
    "a fragment like a list": (lambda: ct.make_fragment_like(listed), "make_fragment_like(t, np.float32)"),
    "like coordinates": (lambda: make_tensor_like(cells, bool), "make_tensor(bool, t.shape) owns as many"),
}

READING = {
    "too many entries": (lambda: t[1, 2, 3], "(1,2,3) has 3 entries, but the shape (4,8) has rank 2"),
    "parentheses that are not there": (lambda: t[(0, 1), 2], "(0,1) is a tuple of 2"),
    "a float": (lambda: t[1.0, 2], "1.0 (a float): only integers can count cells; write 1"),
    "a text": (lambda: t["a"], "the text 'a': write integers"),
    "a bool": (lambda: t[True, 0], "True (a bool): write an integer"),
    "a part of a mode": (lambda: t[1:3, 0], "parts of a mode (as in 1:3) are cut by composition or divide"),
    "writing a slice": (lambda: t.__setitem__((_, 2), 0), "(_,2) keeps a whole mode"),
    "writing a slice with colons": (lambda: t.__setitem__((slice(None), 2), 0), "(:,2) keeps a whole mode"),
    "a tensor as one element": (lambda: t.__setitem__((1, 2), t), "use copy(src, dst)"),
    "a text as a number": (lambda: t.__setitem__(0, "one"), "cannot hold that: could not convert string to float"),
    "too large a number": (
        lambda: fill(make_tensor(np.int8, 4), 300),
        "cannot hold that: Python integer 300 out of bounds",
    ),
    "coordinates as numbers": (lambda: copy(cells, own(4, 8)), "cannot hold that"),
    "recast to parts": (
        lambda: ct.recast(make_tensor("S3", 4), np.int16),
        "3 bytes do not join or split into elements of 2",
    ),
    "writing a range": (lambda: make_tensor(range(4), 4).__setitem__(0, 1), "read-only"),
    "writing a read-only array": (lambda: clear(make_tensor(np.broadcast_to(A, (2, 32)))), "read-only"),
    "writing coordinates": (lambda: fill(cells, 0), "is an identity tensor"),
    "a bound that is no number": (lambda: ct.elem_less((1, 2), (4, "x")), "elem_less: the bound holds the text 'x'"),
    "a coordinate that is no number": (lambda: ct.elem_less((1, None), (4, 5)), "elem_less: the coordinate holds None"),
    "a basis as coordinate": (lambda: t[ct.E(0), 1], "the coordinate holds 1@0: a scaled basis is a stride"),
    "a bound of another rank": (lambda: ct.elem_less((1, 2), 5), "(1,2) has rank 2 and 5 rank 1"),
    "print five modes": (lambda: ct.print_tensor(own(1, 1, 1, 1, 1)), "up to four modes"),
    "an inverse of a tensor": (lambda: ct.right_inverse(t), "write right_inverse(t.layout, ...)"),
    "a tensor on the right": (lambda: ct.composition(L, t), "a tensor gives elements, not coordinates; write t.layout"),
    "upcast": (lambda: ct.upcast(t, 2), "write t.recast(dtype)"),
    "recast to no type": (lambda: ct.recast(t, "foo"), "'foo' is no element type"),
    "recast to objects": (lambda: ct.recast(t, object), "Python objects are no bytes"),
    "recast of objects": (
        lambda: make_tensor(np.array([1, 2], object)).recast(int),
        "of object cannot be seen as int64",
    ),
    "recast to nothing": (lambda: t.recast("V0"), "elements of the type |V0 have no bytes"),
    "recast to None": (lambda: t.recast(None), "recast: None is no element type"),
    "recast of a list": (lambda: listed.recast(np.int8), "no memory of bytes"),
    "recast backwards": (lambda: make_tensor(make_gmem_ptr(A) + 3, 4, -1).recast(np.int64), "runs backwards"),
}

PARTS = {
    "a tile coordinate too long": (
        lambda: local_tile(t, (2, 2), (0, 0, 0)),
        "3 entries, but the tiles are counted by (2,4)",
    ),
    "a tile that is not there": (lambda: local_tile(t, (2, 2), (2, 0)), "there is no tile (2,0)"),
    "a tile before the first": (lambda: local_tile(t, (2, 2), -1), "there is no tile -1"),
    "a Step forgotten": (lambda: local_tile(t, (2, 2, 2), (0, 0, 0)), "<2,2,2> has 3 modes, .* has 2: give a Step"),
    "a Step too long": (
        lambda: local_tile(t, (2, 2), (0, 0), Step(1, X, 1)),
        "Step<1,X,1> has 3 entries, but (2,2) has 2",
    ),
    "a Step of letters": (lambda: Step(1, "X"), "'X' is neither a number, which keeps a mode, nor X, which drops it"),
    "an underscore as tile": (lambda: local_tile(t, (2, _), (0, 0)), "<2,_> holds _"),
    "an array to tile": (lambda: local_tile(A, (2, 2), (0, 0)), "local_tile cuts a Tensor (or a Layout), not ndarray"),
    "an array for threads": (lambda: local_partition(A, L, 0), "local_partition cuts a Tensor"),
    "threads as a shape": (lambda: local_partition(t, (2, 2), 0), "write Layout((2,2))"),
    "a thread too many": (
        lambda: local_partition(t, Layout((2, 2)), 4),
        "no thread 4: its 4 threads have the numbers 0 to 3",
    ),
    "a thread in a gap": (lambda: local_partition(t, Layout((2, 2), (1, 4)), 2), "no thread 2: .* 0 to 5, with gaps"),
    "a thread by coordinate": (lambda: local_partition(t, Layout((2, 2)), (0, 1)), "(0, 1) is no thread"),
    "all threads": (lambda: local_partition(t, Layout((2, 2)), _), "_ is no thread"),
    "coordinates as threads": (lambda: local_partition(t, cells.layout, 0), "gives coordinates, not offsets"),
    "a basis as thread": (lambda: local_partition(t, Layout((2, 2)), ct.E(0)), "the thread index holds 1@0"),
    "half a thread": (lambda: local_partition(t, Layout((2, 2)), 1.5), "1.5 (a float)"),
    "a map of one mode": (lambda: tv_partition(t, Layout(8), 0), "8:1 has rank 1: a TV layout has two modes"),
    "a lane too many": (lambda: tv_partition(t, Layout((8, 4)), 8), "has no thread 8"),
    "all lanes": (lambda: tv_partition(t, Layout((8, 4)), _), "give one thread"),
}

KN = (own(4, 8), own(8, 5), own(4, 5))
FORMS = "[1] (V) x (V) => (V); [2] (M) x (N) => (M,N); [3] (M,K) x (N,K) => (M,N); [4] (V,M) x (V,N) => (V,M,N); [5] (V,M,K)"

DOING = {
    "copy of one": (lambda: copy(t), "copy takes (src, dst) or (tiled_copy, src, dst), not 1 operands"),
    "copy of an array": (lambda: copy(A, t), "src must be a Tensor, not ndarray: write make_tensor(array)"),
    "copy of another size": (lambda: copy(t, own(4, 4)), "src has 32 elements .*, dst has 16 elements"),
    "copy by a layout": (lambda: copy(L, t, t), "(4,8):(1,4), cannot execute: give a TiledCopy or an atom"),
    "axpby by a text": (lambda: axpby("2", t, 0, t), "alpha is a number, not str"),
    "axpby by a tuple": (lambda: axpby(((2, 2), 4), t, 0, t), "alpha is a number, not tuple"),
    "fill with a ragged tuple": (lambda: fill(t, ((2, 2), 4)), "sets every element to one value"),
    "copy_if by a bool": (lambda: copy_if(True, t, t), "a tensor of 32 elements or a function of i, not bool"),
    "copy_if by too few": (lambda: copy_if(make_tensor(bool, 4), t, t), "pred has 4 elements"),
    "copy_if by coordinates": (lambda: copy_if(cells, t, t), "holds coordinates, not yes or no"),
    "gemm of other ranks": (lambda: gemm(t, t[0, _], t), f"the ranks 2, 1 and 2 .* {FORMS}"),
    "gemm with B as (K,N)": (lambda: gemm(*KN), "K is 8 in A but 5 in B; .* CuTe's is (N,K): write select(B, 1, 0)"),
    "gemm with another M": (lambda: gemm(own(4, 8), own(5, 8), own(3, 5)), "M is 4 in A but 3 in C"),
    "gemm of two": (lambda: gemm(t, t), "(A, B, C) or (D, A, B, C), .* not 2 tensors"),
    "gemm of arrays": (lambda: gemm(A, A, A), "gemm: A must be a Tensor, not ndarray"),
    "gemm into another shape": (
        lambda: gemm(own(4, 4), own(4, 8), own(5, 8), own(4, 5)),
        "D needs the mode sizes (4,5) of C",
    ),
    "axpby in another order": (lambda: axpby(t, 1, t, 1), "the order is axpby(alpha, x, beta, y)"),
    "axpby of an array": (lambda: axpby(1, A, 1, t), "x must be a Tensor, not ndarray"),
    "transform without a function": (lambda: transform(t), "f a function of elements, last"),
    "transform, function first": (lambda: transform(abs, t), "f a function of elements, last"),
    "fill with a tensor": (lambda: fill(t, t), "for many values use copy"),
    "fill with a list": (lambda: fill(t, [1, 2]), "for many values use copy"),
    "fill, value first": (lambda: fill(3, t), "the tensor comes first, fill(t, value)"),
    "clear of an array": (lambda: clear(A), "clear: t must be a Tensor, not ndarray"),
}

EVERY = {**MAKING, **READING, **PARTS, **DOING}


@pytest.mark.parametrize("name", EVERY)
def test_bad_input_gets_a_sentence(name):
    call, words = EVERY[name]
    with pytest.raises(LayoutError) as caught:
        call()
    sentence = str(caught.value)
    at = 0
    for part in words.split(" .*"):  # the words, in this order
        part = part.strip()
        assert part in sentence[at:], sentence
        at = sentence.index(part, at) + len(part)
    assert "\n" not in sentence
    assert len(sentence) < 400


def test_the_memory_is_unharmed():
    """A call that is refused has written nothing."""
    assert np.array_equal(A, np.arange(32))


def test_modes_of_stride_1_that_both_grow_do_not_recast_into_the_wrong_size():
    """CuTe's static answer for (2,3):(1,1) in halves is (4,6):(1,1): 24 elements of 6 that became two each."""
    with pytest.raises(LayoutError, match="6 elements became 24, not 12: give one mode alone the stride 1"):
        make_tensor(np.zeros(4, np.int32), (2, 3), (1, 1)).recast(np.int16)
    with pytest.raises(LayoutError, match="1 elements became 4, not 2"):
        make_tensor(np.zeros((1, 1), np.int32)).recast(np.int16)


def test_print_tensor_cuts_a_huge_one_and_says_so(capsys):
    ct.print_tensor(make_tensor(np.arange(4096 * 4096) % 997, (4096, 4096)))
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 21
    assert lines[17].split() == ["..."] * 19
    assert lines[19].split()[-2:] == [str((4094 * 4096 + 4095) % 997), str((4096 * 4096 - 1) % 997)]
    assert lines[-1] == "324 of 16777216 elements; limit=None prints all"
    ct.print_tensor(make_tensor(np.zeros(1), Layout((64, 64, 64, 64), (0, 0, 0, 0))))
    assert capsys.readouterr().out.splitlines()[-1] == "5184 of 16777216 elements; limit=None prints all"
    ct.print_tensor(make_tensor(np.arange(5000), 5000), limit=None)
    assert len(capsys.readouterr().out.splitlines()) == 5001
    with pytest.raises(LayoutError, match="print_tensor: limit is 0: give a positive integer, or None"):
        ct.print_tensor(t, limit=0)
