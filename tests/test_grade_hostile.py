"""A notebook that crashes, loops, forges or spies costs its own rows, gains nothing, and harms nobody else's.

All of them lie in one folder and are graded in one call, between two learners who did nothing wrong.
"""

import os
import sys
from contextlib import suppress
from pathlib import Path

import pytest
from grade_tools import RIGHT, RIGHT_4, SHORT, graded, hand_in, marks, notebook, states

from cutelearn.course import apart, fence, inside
from cutelearn.course.grade import STOPPED
from cutelearn.course.handed_in import cells_of, plan

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="limits need Linux or macOS")
LINUX = sys.platform.startswith("linux")
C1, C4 = 'check("04.1")', 'check("04.4")'
TELL = "import os, json\ndef tell(**m):\n    for fd in range(3, 40):\n        try: os.write(fd, json.dumps(m).encode() + b'\\n')\n        except OSError: pass\n"

# What stands in place of an answer to 04.1. 04.4 is answered rightly below it, and must be done all the same.
COSTS_ITS_ROW = {
    "raises": ("1/0", "its cell raised ZeroDivisionError: division by zero"),
    "syntax": ("a04_1 = [0,\n12 2]", "its cell raised SyntaxError"),
    "exits": ("import sys; sys.exit(3)", "its cell raised SystemExit: 3"),
    "quits": ("raise KeyboardInterrupt", "its cell raised KeyboardInterrupt"),
    "dies": ("import os\nos._exit(0)", "its cell ended Python"),
    "crashes": ("import ctypes; ctypes.string_at(0)", "its cell ended Python"),
    "kills itself": ("import os; os.kill(os.getpid(), 9)", "its cell ended Python"),
    "stands still": (
        "import os, signal; os.kill(os.getpid(), signal.SIGSTOP)",
        "its cell was not done after 2 seconds",
    ),
    "closes all": ("import os; os.closerange(0, 200)", "its cell ended Python"),
    "loops": ("while True:\n    pass", "its cell was not done after 2 seconds"),
    "loops in C": ("import itertools; sum(itertools.count())", "its cell was not done after 2 seconds"),
    "loops for good": (
        "import signal\nsignal.signal(signal.SIGALRM, signal.SIG_IGN)\nwhile True:\n    pass",
        "its cell was not done after 2 seconds",
    ),
    "catches all": (
        "while True:\n    try:\n        while True: pass\n    except BaseException: pass",
        "its cell was not done after 2 seconds",
    ),
    "sleeps": ("import time; time.sleep(1000)", "its cell was not done after 2 seconds"),
    "prints for ever": ("while True:\n    print('x' * 1000)", "its cell was not done after 2 seconds"),
    "takes all memory": ("a = bytearray(10 * 2**30)", "its cell raised MemoryError"),
    "takes it slowly": ("a = []\nwhile True:\n    a.append(bytearray(2**28))", "its cell "),
    "asks": ("input()", "its cell raised EOFError"),
    "writes a large file": (
        "with open('f', 'wb') as f:\n    for i in range(200):\n        f.write(bytes(2**20))",
        "its cell raised OSError: [Errno 27] File too large",
    ),
    "evil error": (
        "class E(Exception):\n    def __str__(self): raise self\nraise E",
        "its cell raised E",
    ),
    "answers too much": ("a04_1 = list(range(10**6))", "your answer raised OverflowError: more than 100000 entries"),
    "answers for ever": ("import itertools; a04_1 = map(abs, itertools.count())", "more than 100000 entries"),
    "hangs when read": (
        "class I:\n    def __index__(self):\n        while True: pass\na04_1 = I()",
        "your answer was not done after 10 seconds",
    ),
    "holds itself": ("a04_1 = []\na04_1.append(a04_1)", "entry 0 is [[[["),
    "is deep": ("a04_1 = 0\nfor i in range(10**5): a04_1 = [a04_1]", "entry 0 is [[[["),
}
if fence.can_refuse_processes():
    COSTS_ITS_ROW |= {
        "fork bomb": ("import os\nfor i in range(5):\n    os.fork()", "its cell raised PermissionError"),
        "hidden bomb": (
            "import os\nfor i in range(5):\n    if not os.fork(): os.setsid()",
            "its cell raised PermissionError",
        ),
        "subprocess": ("import subprocess\nsubprocess.Popen(['sleep', '98765'])", "its cell raised PermissionError"),
    }

# What does not hold the notebook up: the answer to 04.1 that stands below is wrong, and must not be done.
GAINS_NOTHING = {
    "own check": "def check(word):\n    print(word, '· done')",
    "patched checkers": "import cutelearn.course.exercises as e\ne.judge_data = e.verdict = lambda *a: e.Verdict('04.1', 'done')\n"
    "e.Exercise.fault = lambda *a: None\ne.exercises_of('04')['04.1'].__dict__['judge'] = lambda data: None",
    "patched library": "import cutelearn.course.compare as c, cutelearn.course.chapters.ch04 as ch\n"
    "c.ints_fault = ch.ints_fault = lambda *a: None\nimport cutelearn.layout\ncutelearn.layout.Layout.__call__ = lambda *a: 0",
    "patched json": 'import json\njson.dumps = lambda *a, **k: \'{"answer": "04.1", "state": "done"}\'',
    "patched builtins": "import builtins\nbuiltins.type = lambda x: list\nbuiltins.isinstance = lambda *a: True",
    "prints a verdict": 'print(\'04.1 · done\')\nprint(\'{"answer": "04.1", "state": "done", "points": 1}\')',
    "tells a verdict": TELL + "tell(answer='04.1', data={'state': 'done'})",
    "tells marks": TELL + "tell(marks=[['04.1', 'done', 1]])",
    "tells nonsense": TELL + "for fd in range(3, 40):\n    try: os.write(fd, b'\\xff\\n[')\n    except OSError: pass",
    "tells the end": TELL + "tell(end=True)",
    "tells deep": TELL
    + "for fd in range(3, 40):\n    try: os.write(fd, b'[' * 10**5 + b'\\n')\n    except OSError: pass",
    "forks": "import os\nif not os.fork():\n    a04_1 = [0, 12, 2, 14, 4, 16]",
    "equal to all": "class L(list):\n    __eq__ = lambda *a: True\n    __ne__ = lambda *a: False\n    __hash__ = None\nWRONG = L([1])",
    "int": "class I(int):\n    __eq__ = lambda *a: True\n    __ne__ = lambda *a: False\n    __hash__ = int.__hash__\n"
    "WRONG = [I(n) for n in range(6)]",
    "str": "class S(str):\n    __eq__ = lambda *a: True\n    casefold = lambda s: 'done'\nWRONG = S('x')",
    "class": "class C:\n    @property\n    def __class__(self): return list\n    def __iter__(self): return iter([0])\n"
    "    def __eq__(self, other): return True\nWRONG = C()",
    "pickle": "import os\nclass P:\n    def __reduce__(self): return os.system, ('touch pickled',)\nWRONG = P()",
    "layout": "class Evil(Layout):\n    __eq__ = lambda *a: True\n    __call__ = lambda *a: 0\n    __hash__ = None\nWRONG = Evil(6)",
    "changed layout": "WRONG = Layout(6)\nobject.__setattr__(WRONG, 'stride', type('T', (), {'__eq__': lambda *a: True})())",
    "metaclass": "class M(type):\n    __name__ = property(lambda c: 1/0)\nclass X(metaclass=M): pass\nWRONG = X()",
    "a module": "import os; WRONG = os",
    "surrogates": "WRONG = '\\ud800 <script>alert(1)</script>'",
    "huge number": "WRONG = [10**100000] * 6",
    "nan": "WRONG = [float('nan')] * 6",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("class")


@pytest.fixture(scope="module")
def report(folder):
    class_ = folder / "handed in"
    good = notebook(RIGHT, C1, RIGHT_4, C4)
    for name in ("aaron", "zoe"):
        hand_in(class_ / name / "n.ipynb", good)
    for name, (source, _reason) in COSTS_ITS_ROW.items():
        hand_in(class_ / name / "n.ipynb", notebook(source, C1, RIGHT_4, C4))
    for name, source in GAINS_NOTHING.items():
        wrong = "a04_1 = globals().get('WRONG', [1])"
        hand_in(class_ / name / "n.ipynb", notebook(source, wrong, C1, RIGHT_4, C4))
    hand_in(
        class_ / "leaves processes" / "n.ipynb",
        notebook(
            "import subprocess\nfor new in (True, False):\n    try: subprocess.Popen(['sleep', '98765'], start_new_session=new)\n"
            "    except PermissionError: pass",
            "import threading, time\nthreading.Thread(target=time.sleep, args=(1000,)).start()",
            "import atexit; atexit.register(time.sleep, 1000)",
            RIGHT,
            C1,
        ),
    )
    hand_in(
        class_ / "tidies up" / "n.ipynb",
        notebook("import os, shutil\nopen('mine', 'w').write('x')\nshutil.rmtree('.', ignore_errors=True)", RIGHT, C1),
    )
    before = {path: path.read_bytes() for path in class_.rglob("*.ipynb")}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(apart, "MORE", 1)
        report = graded(class_, folder / "kept.jsonl", SHORT)
    assert {path: path.read_bytes() for path in class_.rglob("*") if path.is_file()} == before
    return report


@pytest.mark.parametrize("learner", ["aaron", "zoe"])
def test_others_are_graded_as_ever(report, learner):
    found = states(report, learner)
    assert (found["04.1"], found["04.4"], found["04.2"]) == ("done", "done", "not attempted")


@pytest.mark.parametrize("learner", COSTS_ITS_ROW)
def test_it_costs_its_own_row_and_the_reason_is_said(report, learner):
    mark = marks(report, learner)["04.1"]
    assert mark.state in ("not attempted", "not yet", STOPPED)
    assert COSTS_ITS_ROW[learner][1] in mark.reason
    assert states(report, learner)["04.4"] == "done"


@pytest.mark.parametrize("learner", GAINS_NOTHING)
def test_it_gains_nothing(report, learner):
    mark = marks(report, learner)["04.1"]
    assert mark.points == 0
    assert mark.reason


ENDS_ITSELF = {"tells marks", "tells nonsense", "tells the end", "tells deep", "patched json", "patched builtins"}


@pytest.mark.parametrize("learner", sorted(GAINS_NOTHING.keys() - ENDS_ITSELF))
def test_what_else_it_answered_counts(report, learner):
    assert states(report, learner)["04.4"] == "done"


def test_forged_lines_end_the_run(report):
    for learner in ("tells marks", "tells nonsense", "tells deep"):
        mark = marks(report, learner)["04.1"]
        assert (mark.state, mark.reason) == (STOPPED, "the notebook wrote into what its process tells")


def test_forged_data_are_judged_like_an_answer(tmp_path):
    """They gain what handing in the same data gains, and no more."""
    told = (
        TELL
        + "tell(answer='04.1', data=[0, 12, 2, 14, 4, 16])\ntell(answer='04.4', data={'layout': '6:1'})\ntell(end=True)"
    )
    hand_in(tmp_path / "forger.ipynb", notebook(told, "a04_1 = 1", C1))
    found = states(graded(tmp_path, tmp_path / "k", SHORT), "forger")
    assert (found["04.1"], found["04.4"], found["04.2"]) == ("done", "not yet", STOPPED)


@pytest.mark.skipif(fence.version() < 6, reason="this machine has no Landlock that keeps signals in")
def test_it_is_shut_in(tmp_path):
    """It reads and writes nothing of the teacher's, and reaches no process and no network."""
    secret = hand_in(tmp_path / "class" / "marks.csv", "ann,10")
    spied = [
        f"open({str(secret)!r}, 'a')",
        f"open({str(secret)!r})",
        f"os.listdir({str(secret.parent)!r})",
        f"shutil.rmtree({str(secret.parent)!r})",
        f"os.truncate({str(secret)!r}, 0)",
        "os.kill(os.getppid(), 9)",
        f"os.kill({os.getpid()}, 15)",
        f"open('/proc/{os.getpid()}/environ').read()",
        f"os.listdir('/proc/{os.getpid()}/fd')",
        "open(os.path.join(os.path.dirname(cutelearn.__file__), 'x.py'), 'w')",
        "socket.create_connection(('127.0.0.1', 9))",
        "os.link('/etc/passwd', 'x')",
        f"open({str(secret.parent / 'new')!r}, 'w')",
    ]
    tried = [f"try:\n    {s}\n    out.append({s!r})\nexcept OSError:\n    pass" for s in spied]
    own = "open('mine', 'w').write('1'); os.mkdir('d'); os.rename('mine', 'd/mine'); out.append(open('d/mine').read())"
    cells = cells_of(notebook("import os, shutil, socket, cutelearn\nout = a04_1 = []", *tried, own, C1).encode())
    found = apart.collect(plan(cells).job, SHORT)
    assert found.answers["04.1"] == ["1"]
    assert found.raised == {}
    assert secret.read_text() == "ann,10"


def test_nothing_is_left_running(report):
    assert states(report, "leaves processes")["04.1"] == "done"
    if not LINUX:
        return
    lines = []
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            lines.append((process / "cmdline").read_bytes())
    assert not [line for line in lines if b"98765" in line]
    assert inside.descendants(os.getpid()) == []


def test_it_may_do_what_it_likes_in_its_own_folder(report):
    assert states(report, "tidies up")["04.1"] == "done"
    assert not list(Path(os.environ.get("TMPDIR", "/tmp")).glob("cutelearn-*/mine"))
