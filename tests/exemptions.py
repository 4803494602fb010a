"""Every reference answer that cutelearn does not repeat, each kind once, with its reason.

A kind is (name, reason, predicate on a row). A test asks `exempt(KINDS, row)` and gets the reason or None.
"""


def exempt(kinds, row):
    for _name, reason, applies in kinds:
        if applies(row):
            return reason
    return None


def _zips(row):
    return row["op"].split("_")[0] in ("zipped", "tiled", "flat")


ALGEBRA = [
    (
        "domain_distribute",
        "a helper of CuTe's own tests, no name of the course",
        lambda row: row["op"] == "domain_distribute",
    ),
    (
        "underscore in a zipped tiler",
        "over a pair C++ takes the pair apart as (tile, rest) without a word; cutelearn refuses and says what to write",
        lambda row: _zips(row) and row["kind"] != "error" and "_" in row["args"][-1],
    ),
]

SWIZZLE_TEXT = [
    (
        "run-time coordinate",
        "a Python integer is as good as a static one, so the slice has the static spelling; the function is tested",
        lambda row: row["op"] == "slice" and "dyn " in row["args"],
    ),
]

TRAITS = [
    (
        "run-time composition",
        "with run-time integers CuTe cannot drop size-1 modes; Python's integers are all known",
        lambda row: row["id"] == "text:comp_dynamic",
    ),
    (
        "atoms",
        "TiledMMA, MMA_Atom and Copy_Atom print in the room of the atoms, tested there",
        lambda row: row["id"] in ("text:tiled_mma", "text:mma_atom", "text:copy_atom"),
    ),
    (
        "types",
        "true_type is a C++ type, not a layout",
        lambda row: row["id"] == "text:bool",
    ),
]

PYCUTE = [
    (
        "known difference",
        "a class of case where pycute differs from C++ (see its `caution`); C++ is right",
        lambda row: "caution" in row,
    ),
]

# Part of a law that a C++ answer does not keep, though the reference file counts the law as kept.
COVERAGE = [
    (
        "shape cotarget that is cut",
        "C++ rounds a shape cotarget mode by mode: complement(3:1, (2,2,2)) is 2:3, which stops at 6 of 8",
        lambda row: row["op"] == "complement" and len(row["args"]) == 2 and row["args"][1].startswith("("),
    ),
]
