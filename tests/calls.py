"""From a line of reference data to a call of cutelearn: reads the arguments, names the function, writes the answer."""

import cutelearn as ct
from cutelearn import LayoutError, _
from cutelearn.htuple import text

CHECKED = {"composition"}
CHECKED |= {f"{form}_divide" for form in ("logical", "zipped", "tiled", "flat")}
CHECKED |= {f"{form}_product" for form in ("logical", "zipped", "tiled", "flat", "blocked", "raked")}


def read(source):
    """An argument as the data writes it: `8`, `(2,_)`, `<3:3,_>`, `(4,8):(1,4)`, `Sw<3,3,3> o 0 o (8,64):(64,1)`, `_`."""
    source = source.strip()
    if source == "_":
        return _
    if source.startswith("Sw"):
        return ct.ComposedLayout.parse(source)
    if source.startswith("<"):
        return ct.parse_tiler(source)
    if ":" in source:
        return ct.Layout.parse(source)
    return ct.parse_tuple(source)


def _over_indices(get):
    return lambda layout: [get(i, layout) for i in range(ct.cosize(layout))]


SPELT = {
    "fn": lambda a: a,
    "coalesce_by": ct.coalesce,
    "filter_by": ct.filter,
    "slice": lambda a, coord: ct.slice_and_offset(coord, a),
    "compact_col_major": lambda shape: ct.make_layout(shape, ct.LayoutLeft),
    "compact_row_major": lambda shape: ct.make_layout(shape, ct.LayoutRight),
    "make_layout_left": lambda shape: ct.make_layout(shape, ct.LayoutLeft),
    "make_layout_right": lambda shape: ct.make_layout(shape, ct.LayoutRight),
    "make_layout_cat": lambda *layouts: ct.make_layout(*layouts),
    "recast_layout": ct.recast,
    "idx2crd_all": lambda shape: [ct.idx2crd(i, shape) for i in range(ct.size(shape))],
    "hier_coord_all": _over_indices(ct.get_hier_coord),
    "flat_coord_all": _over_indices(ct.get_flat_coord),
    "1d_coord_all": _over_indices(ct.get_1d_coord),
    "layout_mode": lambda a, path: ct.mode(a, *(path if isinstance(path, tuple) else (path,))),
    "take": lambda a, span: ct.take(a, *span),
    "group": lambda a, span: ct.group(a, *span),
    "select": lambda a, which: ct.select(a, *which),
}


def call(op, args, check=True):
    function = SPELT.get(op) or getattr(ct, op)
    return function(*map(read, args), **({} if check or op not in CHECKED else {"check": False}))


def written(answer):
    """An answer in the data's spelling: ints and bools stay, everything else is text."""
    if isinstance(answer, int):
        return bool(answer) if isinstance(answer, bool) else int(answer)
    if isinstance(answer, list):
        return [written(item) if isinstance(item, int) else text(item) for item in answer]
    return text(answer) if isinstance(answer, tuple) else str(answer)


def answer_or_refusal(op, args, check=True):
    """(answer, None) or (None, the LayoutError); anything else that is raised is a bug and goes through."""
    try:
        return call(op, args, check), None
    except LayoutError as refusal:
        return None, refusal


def shown(op, args):
    return f"{op}({', '.join(args)})"
