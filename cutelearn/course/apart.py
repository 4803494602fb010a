"""Run a job in a process of its own (inside.py) and collect the answers as data, whatever the notebook does there.

A job is plain data, and so is what comes back, so that both may also go to another machine and come from there. A cell
that does not end, or that ends Python, is left out, and the rest runs again.
"""

import json
import os
import queue
import signal
import site
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import suppress
from dataclasses import dataclass, field

from .inside import DISK_FULL, MOST_PROCESSES, TOO_LARGE, TOO_LATE, TOO_MANY

MOST_TOLD = 32 << 20  # bytes that one run may tell
MORE = 5  # seconds that a process has beyond the limit that it keeps itself
STARTED = 60  # seconds until its first line
KEPT = ("PATH", "LANG", "LC_ALL", "LD_LIBRARY_PATH", "PYTHONPATH", "SYSTEMROOT", "VIRTUAL_ENV", "CUDA_HOME")

stop = threading.Event()  # set: every run ends now


class CannotRun(Exception):
    """The machine did not let a notebook run; the message says what happened. Nothing is known about its answers."""


@dataclass(frozen=True)
class Limits:
    seconds: float = 300  # for a notebook
    cell: float = 60  # for a cell
    memory: int = 4 << 30  # bytes of address space


@dataclass
class Collected:
    """What a notebook answered, in the form of wire.py; not yet looked at, so nothing in it may be believed."""

    answers: dict[str, object] = field(default_factory=dict)  # exercise id -> packed data
    raised: dict[int, str] = field(default_factory=dict)  # step -> what its cell did
    problem: str = ""  # why the run ended before the last step


def collect(job: dict, limits: Limits) -> Collected:
    """Run the steps of a job and collect its answers. Raises CannotRun."""
    deadline, left_out, whole = time.monotonic() + limits.seconds, set(), Collected()
    while True:
        steps = [["skip", ""] if n in left_out else step for n, step in enumerate(job["steps"])]
        once = _Once(job | {"steps": steps, "seconds": limits.cell}, limits, deadline)
        once.run()
        whole.answers |= once.found.answers
        whole.raised |= once.found.raised
        whole.problem = once.found.problem
        if once.ended or whole.problem:
            return whole
        whole.raised[once.at] = once.why
        left_out.add(once.at)
        left_out |= {n for n, (kind, what) in enumerate(steps) if kind == "take" and what in whole.answers}


class _Once:
    """One run of a job."""

    def __init__(self, job: dict, limits: Limits, deadline: float):
        self.job, self.limits, self.deadline = job, limits, deadline
        self.found, self.at, self.why, self.ended = Collected(), -1, "", False
        self.told: queue.Queue[bytes | None] = queue.Queue(maxsize=64)

    def run(self) -> None:
        left = max(1.0, self.deadline - time.monotonic())
        with tempfile.TemporaryDirectory(prefix="cutelearn-", ignore_cleanup_errors=True) as self.folder:
            command = [sys.executable, "-P", "-m", f"{__package__}.inside", self.folder]
            command += [str(self.limits.memory), str(left)]
            try:
                self.process = subprocess.Popen(
                    command,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                    env=_environment(self.folder),
                    start_new_session=True,
                )
            except OSError as error:
                raise CannotRun(f"Python could not be started: {error.strerror or error}") from error
            last_word = threading.Timer(
                left + 120, self.process.kill
            )  # should all else fail; also unblocks a write to it
            last_word.daemon = True
            last_word.start()
            reader = threading.Thread(target=self._read, daemon=True)
            reader.start()
            try:
                self._listen()
            finally:
                self._end()
                last_word.cancel()

    def _read(self) -> None:
        size = 0
        with suppress(OSError, ValueError):
            while line := self.process.stdout.readline(MOST_TOLD):
                size += len(line)
                if size > MOST_TOLD:
                    break
                self.told.put(line)
        self.told.put(None)

    def _listen(self) -> None:
        self._send(self.job)
        while not self.ended:
            line = self._next_line()
            if line is None:
                return
            try:
                message = json.loads(line)
                self._take(message)
            except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
                self.found.problem = "the notebook wrote into what its process tells"
                return

    def _next_line(self) -> bytes | None:
        """The next line; None where there is no more, with the reason kept."""
        patience = STARTED if self.at < 0 else self._patience() + MORE
        until = min(time.monotonic() + patience, self.deadline + MORE)
        while True:
            try:
                line = self.told.get(timeout=0.25)
            except queue.Empty:
                if stop.is_set():
                    self.found.problem = "stopped"
                    return None
                if time.monotonic() < until:
                    continue
                self._too_late()
                return None
            if line is None:
                self._why_it_ended()
            return line

    def _patience(self) -> float:
        kind, what = self.job["steps"][self.at]
        return float(self.job["answers"][what]["seconds"]) if kind == "take" else self.limits.cell

    def _too_late(self) -> None:
        if self.at < 0:
            raise CannotRun(f"its process told nothing in {STARTED} seconds")
        if time.monotonic() >= self.deadline:
            self.found.problem = f"the notebook was not done after {self.limits.seconds:g} seconds"
        else:
            self.why = f"its cell was not done after {self._patience():g} seconds"

    def _why_it_ended(self) -> None:
        """The process is gone, or closed what it tells by."""
        self._end()
        code = self.process.returncode
        if code == TOO_LATE or time.monotonic() >= self.deadline:
            self.found.problem = f"the notebook was not done after {self.limits.seconds:g} seconds"
        elif self.at < 0:
            raise CannotRun(f"its process ended before the first cell (exit code {code})")
        else:
            self.why = {
                TOO_MANY: f"its cell started more than {MOST_PROCESSES} processes",
                TOO_LARGE: f"its cell took more than {self.limits.memory / 2**30:g} GiB of memory",
                DISK_FULL: "its cell filled the disk",
            }.get(code, "its cell ended Python")

    def _take(self, message: dict) -> None:
        ((word, value),) = [(w, v) for w, v in message.items() if w != "said" and w != "data"]
        if word == "at" and type(value) is int and self.at < value < len(self.job["steps"]):
            self.at = value
        elif word == "ask":
            self._send(self.job["answers"][value]["inputs"])
        elif word == "answer" and value in self.job["answers"]:
            self.found.answers[value] = self._clean(message["data"])
        elif word == "raised" and value == self.at:
            self.found.raised[value] = self._clean(str(message["said"])[:400])
        elif word == "end":
            self.ended = True
        else:
            raise ValueError(word)

    def _clean(self, data):
        """Without the name of the folder, which is another one in each run."""
        return json.loads(json.dumps(data).replace(json.dumps(self.folder)[1:-1], "."))

    def _send(self, data) -> None:
        with suppress(OSError):  # it is gone: that is seen when its lines end
            self.process.stdin.write(json.dumps(data).encode() + b"\n")
            self.process.stdin.flush()

    def _end(self) -> None:
        """The process and all that it started."""
        with suppress(OSError):
            self.process.stdin.close()
        if self.process.poll() is None:
            if os.name == "posix":
                self.process.terminate()  # the keeper ends the rest; killed too early, it would leave them running
                with suppress(subprocess.TimeoutExpired):
                    self.process.wait(120)
            if self.process.poll() is None:
                self.process.kill()
                self.process.wait()
        if os.name == "posix":
            with suppress(OSError):
                os.killpg(self.process.pid, signal.SIGKILL)
        threading.Thread(target=self._drain, daemon=True).start()

    def _drain(self) -> None:
        with suppress(queue.Empty):
            while self.told.get(timeout=1) is not None:
                pass
        with suppress(OSError):
            self.process.stdout.close()


def _environment(folder: str) -> dict[str, str]:
    """Little of the user's, so that no secret is in it; all that programs write goes into the folder."""
    mine = {name: os.environ[name] for name in KEPT if name in os.environ}
    places = ("HOME", "USERPROFILE", "TMPDIR", "TEMP", "TMP", "IPYTHONDIR", "JUPYTER_DATA_DIR", "MPLCONFIGDIR")
    mine |= dict.fromkeys((*places, "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "NUMBA_CACHE_DIR"), folder)
    mine |= dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"), "1")
    return mine | {
        "PYTHONUSERBASE": site.getuserbase(),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONHASHSEED": "0",
        "PYTHONUTF8": "1",
        "MPLBACKEND": "agg",
        "NUMBA_ENABLE_CUDASIM": "1",  # the same marks with and without a GPU
    }
