"""What one kernel changes in another: a diff of their sources, part by part, without comments."""

import ast
import inspect
import re
import textwrap
from difflib import SequenceMatcher

_PART = re.compile(r"[^#]*# (\d+)\. (.*)")


def changes(old, new, *parts: int) -> str:
    """The lines of `old` that go, with `-`, and those of `new` that come, with `+`, each under the part of the kernel it stands in.

    old, new: functions that make a kernel, from a file or from a notebook's cell. A part begins with a comment such as "# 4. What
    this thread copies", above its first line or behind it; what stands before the kernel is part 0. parts: only these. Comments, blank lines and the names of the two
    kernels do not count.

    >>> from .sgemm_1 import make_sgemm_1
    >>> from .sgemm_2 import make_sgemm_2
    >>> print(changes(make_sgemm_1, make_sgemm_2, 0))
    before the kernel
      - tA, tB = along(dA, tiling.copy), along(dB, tiling.copy)
      - tC = Layout(tiling.math)
      + copy_a, copy_b = make_copy(dA, tiling), make_copy(dB, tiling)
      + mma = make_mma(tiling)
    """
    a, b = _lines(old), _lines(new)
    headings = {part: words for part, words, _line in [*a, *b]}
    said = {}
    for what, a0, a1, b0, b1 in SequenceMatcher(
        None, *([x[2] for x in y] for y in (a, b)), autojunk=False
    ).get_opcodes():
        for sign, (part, _words, line) in (*(("-", x) for x in a[a0:a1]), *(("+", x) for x in b[b0:b1])):
            if what != "equal" and not line.startswith("#") and (not parts or part in parts):
                said.setdefault(part, []).append(f"  {sign} {line}")
    return "\n".join("\n".join([headings[part], *lines]) for part, lines in said.items())


def _lines(function) -> list:
    """(part, its heading, line) of the source; a heading is a line "#4" too, so that what stands under it is compared."""
    source = textwrap.dedent(inspect.getsource(function))
    functions = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.FunctionDef)]
    own = re.compile(rf"\s*(def|return) ({'|'.join(node.name for node in functions)})\b")
    docs = {
        number
        for node in functions
        if ast.get_docstring(node) is not None
        for number in range(node.body[0].lineno, node.body[0].end_lineno + 1)
    }
    part, heading, found, inner = 0, "before the kernel", [], 0
    for number, line in enumerate(source.split("\n"), 1):
        if said := _PART.match(line):
            part, heading = int(said[1]), f"{said[1]}. {said[2]}"
            found.append((part, heading, f"#{part}"))
        inner += bool(re.match(r"\s+def ", line))
        line = line.split("#")[0].rstrip()
        if line.strip() and number not in docs and not own.match(line):
            found.append((part, heading, line[8 if inner else 4 :]))
    return found
