"""Reads PTX and SASS: which instructions a kernel's loops hold, and how often.

>>> ptx = "$L__BB0_1:\\n\\tld.shared.f32 %f1, [%rd1];\\n\\tfma.rn.f32 %f2, %f1, %f1, %f2;\\n\\t@%p1 bra $L__BB0_1;\\n"
>>> main_loop(ptx)
Counter({'ld.shared.f32': 1, 'fma.rn.f32': 1, 'bra': 1})
"""

import re
from collections import Counter

# A line of `nvdisasm -c`: /*0a30*/  @!P0 LDG.E R4, desc[UR4][R2.64] ;   A line of PTX:  @%p1 bra $L__BB0_1;
_SASS = re.compile(r"\s*/\*[0-9a-f]{4,}\*/\s+(?:@!?\w+\s+)?([A-Z][\w.]*)\s*([^/]*?);?\s*(?:/\*.*)?$")
_PTX = re.compile(r"\s+(?:@!?%p\d+\s+)?([a-z][\w.]*)\s*(.*);\s*$")
_LABEL = re.compile(r"\s*(\$?[.\w$]+):\s*$")


def instructions(code: str) -> list:
    """(opcode, operands) of every instruction, and (label, None) where one stands, in order."""
    pattern = _SASS if re.search(r"/\*0000\*/", code) else _PTX
    found = []
    for line in code.splitlines():
        if label := _LABEL.match(line):
            found.append((label[1], None))
        elif instruction := pattern.match(line):
            found.append((instruction[1], instruction[2].strip()))
    return found


def loops(code: str) -> list:
    """The bodies of all loops: what stands from a label to a branch back to it, each a list of (opcode, operands)."""
    found, at = [], {}
    code = instructions(code)
    for i, (opcode, operands) in enumerate(code):
        if operands is None:
            at[opcode] = i
        elif opcode.lower().startswith("bra"):
            for label in re.findall(r"\$?[.\w$]+", operands):
                if at.get(label, i) + 1 < i:  # machine code ends in a branch to itself, which is no loop
                    found.append([line for line in code[at[label] : i + 1] if line[1] is not None])
    return found


def main_loop(code: str) -> Counter:
    """How often each opcode stands in the loop that does the most multiply-adds; empty where no loop does any."""
    counted = [Counter(opcode for opcode, _operands in body) for body in loops(code)]
    return max(filter(multiply_adds, counted), key=multiply_adds, default=Counter())


def multiply_adds(counted: Counter) -> int:
    """The fused multiply-adds (PTX fma, SASS FFMA and DFMA) of a loop."""
    return total(counted, "fma.", "FFMA", "DFMA")


def total(counted: Counter, *beginnings: str) -> int:
    """How many opcodes begin so: `total(main_loop(sass), "LDS")`."""
    return sum(n for opcode, n in counted.items() if opcode.startswith(beginnings))
