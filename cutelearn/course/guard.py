"""Run a learner's code so that nothing of it gets out: what it prints is kept, and what never ends is ended.

The limit works in the process that runs the code. A loop inside one call of a C function (`sum(count())`) cannot be
ended from there; `cutelearn check` and nbval end the kernel for that.
"""

import ctypes
import io
import signal
import sys
import threading
import time
from contextlib import contextmanager, redirect_stderr, redirect_stdout, suppress

AGAIN = 0.2  # seconds until a code that caught OutOfTime gets the next one


class OutOfTime(BaseException):
    """The time is up. Not an Exception, so that `except Exception` in a loop does not swallow it."""


def limited(function, seconds: float):
    """`function()`, or OutOfTime in it when it takes longer: by SIGALRM where that works, else by a second thread.

    SIGALRM ends a `time.sleep` too, but only the main thread of Linux and macOS has it. No context manager: the time
    may be up between any two bytecodes, so that what has to be undone must stand in one function with the call.
    """
    in_main_thread = threading.current_thread() is threading.main_thread()
    if in_main_thread and hasattr(signal, "setitimer") and signal.getitimer(signal.ITIMER_REAL)[0] == 0:
        return _with_alarm(function, seconds)
    return _with_watchdog(function, seconds)


def _with_alarm(function, seconds):
    running = True

    def ring(_signal, _frame):
        if running:
            raise OutOfTime

    before = signal.signal(signal.SIGALRM, ring)
    try:
        try:
            signal.setitimer(signal.ITIMER_REAL, seconds, AGAIN)
            return function()
        finally:
            running = False  # the alarm may ring before this; then the outer `finally` has time until it rings again
    finally:
        running = False
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _with_watchdog(function, seconds):
    thread = threading.get_ident()
    begun, done, gone = locks = [threading.Lock() for _lock in range(3)]  # each is an event, which happens by release
    for lock in locks:
        lock.acquire()

    def watch():
        begun.acquire()
        wait = seconds
        while not done.acquire(timeout=wait):
            _raise_in(thread)
            wait = AGAIN
        gone.release()

    def stop():
        """May be cut short by OutOfTime and called again."""
        if done.locked():
            done.release()
        while gone.locked():
            time.sleep(0.0005)
        # The last one takes the place of one that is not yet delivered, and is caught here. To take that one back would
        # leave a flag up, which only a delivery lowers, and with it Python 3.12 is slower for good.
        with suppress(OutOfTime):
            _raise_in(thread)
            while True:
                time.sleep(0)

    threading.Thread(target=watch, name="cutelearn-time-limit", daemon=True).start()
    try:
        try:
            begun.release()
            return function()
        finally:
            stop()
    finally:
        stop()


def _raise_in(thread):
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(OutOfTime))


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
