"""Reads the reference data: this folder's copies, and any larger copy a later round puts beside the checkout."""

import gzip
import json
import os
from pathlib import Path

import numpy as np
import pytest

HERE = Path(__file__).resolve().parent
DATA = HERE / "data"
CHECK_MODULUS = 1_000_000_007


def _text(path):
    raw = path.read_bytes()
    return (gzip.decompress(raw) if path.suffix == ".gz" else raw).decode()


def files(name):
    """Every file `name.*jsonl*` to test with: the repository's copy first, then others that say something new."""
    folders = [DATA, HERE.parent.parent / "shared"]
    if os.environ.get("CUTELEARN_ORACLE"):
        folders.append(Path(os.environ["CUTELEARN_ORACLE"]))
    found, seen = [], set()
    for folder in folders:
        for path in sorted(folder.rglob(f"{name}.*jsonl*")) if folder.is_dir() else ():
            text = _text(path)
            if text not in seen:
                seen.add(text)
                found.append(path)
    return found


def rows(path):
    return [json.loads(line) for line in _text(path).splitlines() if line.strip()]


def each_op(name, where=lambda row: True):
    """Parametrises a test by file and op: `rows` is every line of one op in one file (of those that `where` keeps)."""
    params = []
    for path in files(name):
        ops = {}
        for row in filter(where, rows(path)):
            ops.setdefault(row["op"], []).append(row)
        params += [pytest.param(group, id=f"{path.name.split('.jsonl')[0]}-{op}") for op, group in ops.items()]
    return pytest.mark.parametrize("rows", params)


def each_line(name, where=lambda row: True):
    """Parametrises a test by line: `row`."""
    lines = [row for path in files(name) for row in rows(path) if where(row)]
    return pytest.mark.parametrize("row", [pytest.param(row, id=row["id"]) for row in lines])


def offsets_agree(row, offsets):
    """Compare all offsets (a list, or a numpy array) with the row's list, or with its first 256 and its check sums."""
    if "offsets" in row:
        return list(offsets) == row["offsets"]
    check, array = row["check"], np.asarray(offsets, np.int64)
    weights = np.arange(1, len(array) + 1, dtype=np.int64) % CHECK_MODULUS
    weighted = int((weights * (array % CHECK_MODULUS) % CHECK_MODULUS).sum()) % CHECK_MODULUS
    return (
        array[:256].tolist() == row["offsets_first256"]
        and len(array) == check["n"]
        and int(array.sum()) == check["sum"]
        and weighted == check["wsum_mod_1000000007"]
    )


def report(failures):
    """Fail with every wrong case in one message."""
    assert not failures, f"{len(failures)} wrong:\n" + "\n".join(failures[:20])
