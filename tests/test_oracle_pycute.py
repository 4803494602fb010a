"""A second opinion: where pycute is not known to differ from C++, ours is the same function. Its spelling is its own."""

import laws
import oracle
from calls import answer_or_refusal, read, shown, written
from exemptions import PYCUTE, exempt

import cutelearn as ct


def differs(row, answer):
    if row["op"] == "slice":
        answer, offset = answer
        if offset != row["offset"]:
            return f"offset {offset}, not {row['offset']}"
    if row["kind"] != "layout":
        return "" if written(answer) == row["result"] else f"{written(answer)}, not {row['result']}"
    called = answer.offsets().tolist()
    return "" if called == row["offsets"] else f"{answer} is another function than {row['result']}"


@oracle.each_op("algebra_pycute")
def test_same_function_as_pycute(rows):
    failures = []
    for row in rows:
        if exempt(PYCUTE, row) or row["kind"] == "error":
            continue
        answer, refusal = answer_or_refusal(row["op"], row["args"], check=False)
        wrong = f"refused: {refusal}" if refusal else differs(row, answer)
        if wrong:
            failures.append(f"{shown(row['op'], row['args'])}: {wrong}")
    oracle.report(failures)


LAWS = {"composition": (ct.composition, laws.composition)}
LAWS |= {f"{form}_divide": (ct.logical_divide, laws.divide) for form in ("logical", "zipped", "tiled")}
LAWS |= {f"{form}_product": (ct.logical_product, laws.product) for form in ("logical", "zipped", "tiled")}


@oracle.each_op("algebra_pycute")
def test_what_pycute_refuses_is_refused_or_right(rows):
    """pycute asks for more divisibility than C++ does; where we answer, the law holds (for zipped and tiled forms:
    the law of the logical form that they rearrange)."""
    failures = []
    for row in rows:
        if row["kind"] != "error":
            continue
        answer, refusal = answer_or_refusal(row["op"], row["args"])
        if not refusal:
            (A, B), (function, law) = map(read, row["args"]), LAWS[row["op"]]
            wrong = laws.by_mode(law, A, B, function(A, B))
            if wrong:
                failures.append(f"{shown(row['op'], row['args'])} gave {answer}: {wrong}")
    oracle.report(failures)
