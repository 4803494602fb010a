"""Swizzles and composed layouts against the real CuTe C++: text, shape, size, every offset."""

import re

import oracle
from calls import read, written
from exemptions import SWIZZLE_TEXT, exempt

import cutelearn as ct
from cutelearn import ComposedLayout, Layout, Swizzle


def arguments(row):
    return [read(part.replace("dyn ", "")) for part in row["args"].split(" ; ")]


def call(row):
    """The row's operation on its arguments. The op may carry a number: `upcast<2>`, `layout<0>`, `recast_layout 16->8`."""
    name, numbers = re.match(r"[a-z_]+", row["op"])[0], [int(n) for n in re.findall(r"\d+", row["op"])]
    first, *others = arguments(row)
    if name == "composition" and row["op"] == "composition3":
        return ComposedLayout(first, *others)
    function = {"layout": ct.mode, "recast_layout": ct.recast}.get(name) or getattr(ct, name)
    return function(first, *others, *(n for n in numbers))


def failures(rows, wrong):
    return [f"{row['id']}: {why}" for row in rows for why in [wrong(row)] if why]


def differs(row, answer, text="result"):
    if written(answer) != row[text] and not exempt(SWIZZLE_TEXT, row):
        return f"{answer}, not {row[text]}"
    if ct.size(answer) != row["size"]:
        return f"size {ct.size(answer)}, not {row['size']}"
    called = [answer(i) for i in range(ct.size(answer))]
    if called != answer.offsets().tolist():
        return f"{answer}.offsets() differs from calling it"
    return "" if oracle.offsets_agree(row, called) else f"offsets {called[:16]}..."


def swizzle_fn(row):
    swizzle = read(row["swizzle"])
    if swizzle != Swizzle(row["B"], row["M"], row["S"]) or str(swizzle) != row["swizzle"]:
        return f"{swizzle!r}"
    return "" if [swizzle(i) for i in range(row["domain"])] == row["values"] else "values"


def sliced(row):
    composed, coord = arguments(row)
    answer, offset = ct.slice_and_offset(coord, composed)
    values = [offset + answer(i) for i in range(ct.size(answer))]
    if offset != row["offset"] or values != row["values_with_offset"]:
        return f"{answer} at {offset} gives {values[:16]}..."
    return "" if exempt(SWIZZLE_TEXT, row) else differs(row, answer)


def shared_memory_atom(row):
    """CuTe keeps these with a swizzle on byte addresses. Seen from elements it is another swizzle: recast does the sum."""
    bits, wanted = row["type_bits"], read(row["position_independent_elements"])
    swizzle = read(row["swizzle_on_bytes"]) if "swizzle_on_bytes" in row else None
    if swizzle:
        in_bytes = ct.composition(swizzle, ct.recast(Layout.parse(row["layout"]), bits, 8))
        recast = ct.recast(in_bytes, 8, bits)
        if recast != wanted:
            return f"recast gives {recast}, not {wanted}"
    return differs(row, wanted, "position_independent_elements")


SPECIAL = {
    "swizzle_fn": swizzle_fn,
    "slice": sliced,
    "gmma_smem_atom": shared_memory_atom,
    "gmma_tile_to_shape": shared_memory_atom,
}


@oracle.each_op("swizzle")
def test_answers_are_cpps(rows):
    wrong = SPECIAL.get(rows[0]["op"]) or (lambda row: differs(row, call(row)))
    oracle.report(failures(rows, wrong))


@oracle.each_op("swizzle")
def test_every_text_reads_back(rows):
    texts = {row[key] for row in rows for key in ("result", "position_independent_elements") if key in row}
    oracle.report([f"{t} reads as {read(t)}" for t in texts if str(read(t)) != t])
