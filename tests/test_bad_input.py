"""What a learner may type wrongly, and the exact sentence it gives: tests/bad_input.txt, to be read as prose.

Each sentence says what was wrong, which number, and what to do. `python tests/test_bad_input.py` writes the file anew in
the library's present words; read the difference before you keep it.
"""

import re
from pathlib import Path

import pytest

import cutelearn
from cutelearn import LayoutError

FILE = Path(__file__).with_name("bad_input.txt")


def cases():
    blocks = re.split(r"^>>> ", FILE.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
    return [tuple(block.rstrip("\n").split("\n", 1)) for block in blocks]


def sentence(call):
    """The words of the LayoutError that the call raises."""
    names = {name: getattr(cutelearn, name) for name in re.findall(r"[A-Za-z_]\w*", call) if name in cutelearn.__all__}
    with pytest.raises(LayoutError) as refused:
        eval(call, names)
    return str(refused.value)


@pytest.mark.parametrize(("call", "words"), cases(), ids=[call for call, _words in cases()])
def test_exact_sentence(call, words):
    assert sentence(call) == words


def test_there_are_about_forty_and_each_says_enough():
    assert len(cases()) >= 40
    for call, words in cases():
        assert len(words) > 30, f"{call}: {words!r} says too little"
        assert not words.endswith("."), f"{call}: no full stop at the end"


if __name__ == "__main__":
    FILE.write_text("\n\n".join(f">>> {call}\n{sentence(call)}" for call, _words in cases()) + "\n", encoding="utf-8")
