"""The process that runs one handed-in notebook: `python -m cutelearn.course.inside FOLDER MEMORY SECONDS`.

On Linux and macOS it is two. The keeper runs nothing of the notebook: it watches, and when it ends all that the notebook
started ends too. The other one reads a job (a line of JSON) from its standard input, runs the cells in one IPython
without a kernel, and tells what it finds, a line each. Whoever reads these lines must not believe them: the notebook's
code runs in the process that writes them.
"""

import ctypes
import json
import os
import signal
import sys
import time
from contextlib import suppress
from pathlib import Path

MOST_PROCESSES = 64
MOST_ON_DISK = 512 << 20  # bytes in the folder
LOOK = 0.05  # seconds between two looks of the keeper
LOOK_AT_DISK = 1.0
TOO_LATE, TOO_MANY, TOO_LARGE, DISK_FULL = 81, 82, 83, 84  # what the keeper says by its exit code


def main() -> None:
    folder, memory, seconds = Path(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3])
    if hasattr(os, "fork"):
        keep(folder, memory, seconds)
    from .fence import close, limit, refuse_processes

    limit(memory, int(seconds) + 10)
    asks, tells = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    null = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(null, standard)
    os.chdir(folder)
    close(folder)
    refuse_processes()
    Run(asks, tells).all_steps()
    os._exit(0)  # whatever the notebook left running or hung on exit


# ------------------------------------------------------------------------------------------------ the keeper


def keep(folder: Path, memory: int, seconds: float) -> None:
    """Fork, and come back in the child; the keeper never comes back."""
    parent, deadline = os.getppid(), time.monotonic() + seconds
    wake = {signal.SIGCHLD, signal.SIGTERM}
    signal.pthread_sigmask(signal.SIG_BLOCK, wake)
    if sys.platform.startswith("linux"):
        ctypes.CDLL(None).prctl(
            36, 1, 0, 0, 0
        )  # PR_SET_CHILD_SUBREAPER: what is left by its parent comes to the keeper
    child = os.fork()
    if not child:
        os.setsid()
        os.nice(19)  # the keeper comes first, however many processes the notebook starts
        signal.pthread_sigmask(signal.SIG_UNBLOCK, wake)
        return
    for pipe in (0, 1):  # they close when the child is gone
        os.close(pipe)
    code = 0
    try:
        code = _watch(child, parent, folder, memory, deadline, wake)
    finally:
        _end_all(child)
        os._exit(code)


def _watch(child, parent, folder, memory, deadline, wake) -> int:
    look_at_disk = time.monotonic() + LOOK_AT_DISK
    while True:
        if _gone(child):
            return 0
        if signal.SIGTERM in signal.sigpending() or os.getppid() != parent:
            return 0
        if (now := time.monotonic()) > deadline:
            return TOO_LATE
        running = descendants(os.getpid())
        if len(running) > MOST_PROCESSES:
            return TOO_MANY
        if sum(map(resident, running)) > memory:
            return TOO_LARGE
        if now > look_at_disk:
            if on_disk(folder) > MOST_ON_DISK:
                return DISK_FULL
            look_at_disk = now + LOOK_AT_DISK
        if hasattr(signal, "sigtimedwait"):
            signal.sigtimedwait({signal.SIGCHLD}, LOOK)
        else:
            time.sleep(LOOK)


def _gone(child: int) -> bool:
    """Whether the child has ended; what else has ended is forgotten on the way."""
    with suppress(ChildProcessError):
        while True:
            ended, _status = os.waitpid(-1, os.WNOHANG)
            if ended in (0, child):
                return ended == child
    return True


def descendants(process: int) -> list[int]:
    """All that this process started, by Linux's /proc; elsewhere nothing."""
    found, open_ones = [], [process]
    while open_ones:
        tasks = Path(f"/proc/{open_ones.pop()}/task")
        with suppress(OSError):
            for task in tasks.iterdir():
                with suppress(OSError):
                    children = [int(word) for word in (task / "children").read_text().split()]
                    found += children
                    open_ones += children
    return found


def resident(process: int) -> int:
    """Bytes of memory that a process has, without what it shares."""
    with suppress(OSError, IndexError):
        _whole, here, shared = Path(f"/proc/{process}/statm").read_text().split()[:3]
        return (int(here) - int(shared)) * os.sysconf("SC_PAGE_SIZE")
    return 0


def on_disk(folder: Path) -> int:
    total = 0
    for inner, _folders, files in os.walk(folder):
        for name in files:
            with suppress(OSError):
                total += os.lstat(Path(inner, name)).st_blocks * 512
    return total


def _end_all(child: int) -> None:
    """Kill the child's group, then whatever left the group, until nothing is left.

    All are stopped before any is killed, so that none starts others meanwhile.
    """
    while True:
        with suppress(OSError):
            os.killpg(child, signal.SIGKILL)
        for how in (signal.SIGSTOP, signal.SIGKILL):
            for process in descendants(os.getpid()):
                with suppress(OSError):
                    os.kill(process, how)
        with suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
            time.sleep(0.002)
            continue
        return


# ------------------------------------------------------------------------------------------------ the notebook


class Run:
    """The job's steps, in order: run a cell, or take an answer from the namespace."""

    def __init__(self, asks, tells):
        self.asks, self.tells, self.process = asks, tells, os.getpid()
        self.job = json.loads(asks.readline())

    def tell(self, **message) -> None:
        if os.getpid() != self.process:  # the notebook forked, and this is its copy
            os._exit(0)
        self.tells.write(json.dumps(message).encode() + b"\n")
        self.tells.flush()

    def all_steps(self) -> None:
        self.shell = quiet_shell()
        for number, (kind, what) in enumerate(self.job["steps"]):
            self.tell(at=number)
            if kind == "run":
                if said := self.run_cell(what):
                    self.tell(raised=number, said=said)
            elif kind == "take":
                self.take(what)
        self.tell(end=True)

    def run_cell(self, source: str) -> str:
        """Run a cell; a sentence where it did not go well."""
        from .guard import OutOfTime, limited

        seconds = self.job["seconds"]
        try:
            result = limited(lambda: self.shell.run_cell(source, store_history=True), seconds)
            error = result.error_before_exec or result.error_in_exec
        except BaseException as raised:
            error = raised
        if error is None:
            return ""
        if isinstance(error, OutOfTime):
            return f"its cell was not done after {seconds:g} seconds"
        return f"its cell raised {_in_words(error)}"

    def take(self, exercise_id: str) -> None:
        """Tell the answer that the namespace has now; a function is called with what comes back when it is asked for."""
        from .answers import attempt, call_each
        from .wire import packed, unpacked

        wanted = self.job["answers"][exercise_id]
        value, seconds = self.shell.user_ns.get(wanted["name"], ...), wanted["seconds"]
        if wanted["function"] and callable(value):
            self.tell(ask=exercise_id)
            data = call_each(value, unpacked(json.loads(self.asks.readline())), seconds)
        else:
            data = attempt(value, seconds)
        self.tell(answer=exercise_id, data=packed(data))


def _in_words(error) -> str:
    try:
        text = " ".join(str(getattr(error, "msg", "") if isinstance(error, SyntaxError) else error).split())
    except BaseException:  # the learner's own exception class
        text = ""
    if isinstance(error, SyntaxError) and isinstance(error.lineno, int):
        text += f" (line {error.lineno} of the cell)"
    return f"{type(error).__name__}: {text[:200]}" if text else type(error).__name__


def quiet_shell():
    """An IPython that shows nothing and keeps nothing on disk."""
    from IPython.core.displayhook import DisplayHook
    from IPython.core.displaypub import DisplayPublisher
    from IPython.core.interactiveshell import InteractiveShell
    from traitlets.config import Config

    class NoPublisher(DisplayPublisher):
        def publish(self, *data, **more):
            pass

    class NoPrint(DisplayHook):
        """Sets `_` and Out as ever; what a value would look like is not asked."""

        def write_output_prompt(self):
            pass

        def compute_format_data(self, result):
            return {}, {}

        def write_format_data(self, format_dict, md_dict=None):
            pass

    class Shell(InteractiveShell):
        displayhook_class, display_pub_class = NoPrint, NoPublisher

        def showtraceback(self, *arguments, **more):
            pass

        def showsyntaxerror(self, *arguments, **more):
            pass

        def enable_gui(self, gui=None):
            pass

    config = Config()
    config.HistoryManager.enabled = False
    return Shell.instance(config=config)


if __name__ == "__main__":
    main()
