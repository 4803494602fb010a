"""Run a learner's code so that nothing of it gets out: what it prints is kept, and what never ends is ended.

The limit works in the process that runs the code. A loop inside one call of a C function (`sum(count())`) cannot be
ended from there; `cutelearn check` and nbval end the kernel for that.
"""

import ctypes
import io
import signal
import sys
import threading
from contextlib import contextmanager, redirect_stderr, redirect_stdout

AGAIN = 0.2  # seconds until a code that caught OutOfTime gets the next one


class OutOfTime(BaseException):
    """The time is up. Not an Exception, so that `except Exception` in a loop does not swallow it."""


@contextmanager
def time_limit(seconds: float):
    """Raise OutOfTime in the block when it takes longer: by SIGALRM where that works, else by a second thread.

    SIGALRM ends a `time.sleep` too, but only the main thread of Linux and macOS has it.
    """
    in_main_thread = threading.current_thread() is threading.main_thread()
    if in_main_thread and hasattr(signal, "setitimer") and signal.getitimer(signal.ITIMER_REAL)[0] == 0:
        with _alarm(seconds):
            yield
    else:
        with _watchdog(seconds):
            yield


@contextmanager
def _alarm(seconds):
    running = True

    def ring(_signal, _frame):
        if running:
            raise OutOfTime

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds, AGAIN)
    try:
        try:
            yield
        finally:
            running = False  # an alarm may still ring before this is done; the outer `finally` ends it for good
    finally:
        running = False
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@contextmanager
def _watchdog(seconds):
    thread, over = threading.get_ident(), threading.Event()

    def watch():
        wait = seconds
        while not over.wait(wait):
            _raise_in(thread, ctypes.py_object(OutOfTime))
            wait = AGAIN

    def stop():
        over.set()
        watcher.join()
        _raise_in(thread, None)  # takes back what was raised and not yet delivered

    watcher = threading.Thread(target=watch, name="cutelearn-time-limit", daemon=True)
    watcher.start()
    try:
        yield
    finally:
        try:
            stop()
        finally:
            stop()  # the first one may itself have been ended


def _raise_in(thread, error):
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), error)


class Kept(io.TextIOBase):
    """Takes what is printed and keeps the beginning."""

    MOST = 2000  # characters

    def __init__(self):
        self.text = ""

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        if len(self.text) < self.MOST:
            self.text += text[: self.MOST - len(self.text)]
        return len(text)


@contextmanager
def quiet():
    """Nothing printed or displayed in the block is seen; the block gets a `Kept` with the beginning of what was printed."""
    kept = Kept()
    with redirect_stdout(kept), redirect_stderr(kept), _no_display():
        yield kept


@contextmanager
def _no_display():
    """Inside IPython, `display(...)` does not go through sys.stdout."""
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    if shell is None:
        yield
        return
    from IPython.core.displaypub import CapturingDisplayPublisher

    before, shell.display_pub = shell.display_pub, CapturingDisplayPublisher()
    try:
        yield
    finally:
        shell.display_pub = before
