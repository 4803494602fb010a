"""Every answer of the real CuTe C++: text, size, offsets, refusals; and the file's own `law` held against laws.py."""

import laws
import oracle
from calls import CHECKED, answer_or_refusal, read, shown, written
from exemptions import ALGEBRA, COVERAGE, exempt

import cutelearn as ct

every_op = oracle.each_op("algebra_cpp")


def differs(row, answer):
    """How an answer differs from the row's: "" if it does not."""
    if row["op"] == "slice":
        answer, offset = answer
        if offset != row["offset"]:
            return f"offset {offset}, not {row['offset']}"
    if spelt(row, answer) != row["result"]:
        return f"{spelt(row, answer)}, not {row['result']}"
    if row["kind"] == "layout":
        if ct.size(answer) != row["size"]:
            return f"size {ct.size(answer)}, not {row['size']}"
        offsets = listed(answer)
        if not oracle.offsets_agree(row, offsets):
            return f"offsets {offsets[:16]}..."
    return ""


def spelt(row, answer):
    """The answer as the row writes it; a list of coordinates is a list of texts, also where they are integers."""
    return list(map(str, written(answer))) if row["kind"] == "tuples" else written(answer)


def listed(layout):
    """All offsets by numpy (or by calls, where they are coordinates); a call agrees at the ends and in between."""
    n = ct.size(layout)
    some = range(0, n, max(1, n // 256))
    called = [layout(i) for i in some]
    if not all(isinstance(offset, int) for offset in called):
        return [written(layout(i)) for i in range(n)]
    offsets = layout.offsets()
    assert called == [offsets[i] for i in some], f"{layout}.offsets() differs from calling it"
    return offsets


@every_op
def test_without_checks_the_answer_is_cpps(rows):
    failures = []
    for row in rows:
        if exempt(ALGEBRA, row):
            continue
        answer, refusal = answer_or_refusal(row["op"], row["args"], check=False)
        if row["kind"] == "error":
            wrong = "" if refusal else f"{written(answer)}, but C++ refuses: {row['error']}"
        else:
            wrong = f"refused: {refusal}" if refusal else differs(row, answer)
        if wrong:
            failures.append(f"{shown(row['op'], row['args'])}: {wrong}")
    oracle.report(failures)


@every_op
def test_with_checks_only_lawless_answers_are_refused(rows):
    failures = []
    for row in rows:
        if exempt(ALGEBRA, row) or row["kind"] == "error":
            continue
        answer, refusal = answer_or_refusal(row["op"], row["args"])
        lawless = broken(row)
        if lawless:
            wrong = "" if refusal else f"{written(answer)}, though {lawless}"
        else:
            wrong = f"refused: {refusal}" if refusal else differs(row, answer)
        if wrong:
            failures.append(f"{shown(row['op'], row['args'])}: {wrong}")
    oracle.report(failures)


def broken(row):
    """The row's `law`; where none is stated (tilers by mode; zipped, tiled, flat, blocked, raked) what laws.py says."""
    if row.get("law") is not None or row["op"] not in CHECKED:
        return "" if row.get("law", True) else "the reference says that the law fails"
    A, B = map(read, row["args"])
    kind = row["op"].rsplit("_")[-1]
    unchecked = {"divide": ct.logical_divide, "product": ct.logical_product, "composition": ct.composition}[kind]
    law = {"divide": laws.divide, "product": laws.product, "composition": laws.composition}[kind]
    return laws.by_mode(law, A, B, unchecked(A, B, check=False))


@oracle.each_op("errors_cpp")
def test_cpps_refusals(rows):
    failures = []
    for row in rows:
        for check in (True, False):
            answer, refusal = answer_or_refusal(row["op"], row["args"], check)
            if row["rejected"] != bool(refusal):
                failures.append(f"{shown(row['op'], row['args'])} gave {answer or refusal}; C++: {row['why']}")
    oracle.report(failures)


def broken_here(row):
    """What laws.py says about the row's own answer."""
    op, args, R = row["op"], row["args"], laws.read(row["result"])
    A = laws.read(args[0])
    if op == "complement":
        cotarget = laws.extent(laws.tree(args[1])) if len(args) > 1 else 1 + max(laws.values(laws.filtered(A)))
        return laws.complement(A, 1 if exempt(COVERAGE, row) else cotarget, R)
    law = {"flatten": laws.same_function, "logical_divide": laws.divide, "logical_product": laws.product}.get(op)
    return (law or getattr(laws, op))(A, *map(laws.read, args[1:]), R)


@oracle.each_op("algebra_cpp", where=lambda row: row.get("law") is not None)
def test_the_reference_says_rightly_where_its_law_holds(rows):
    wrong = [(row, broken_here(row)) for row in rows]
    oracle.report([f"{shown(row['op'], row['args'])}: {why}" for row, why in wrong if bool(why) == row["law"]])
