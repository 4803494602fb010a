"""Ends the threads that a stopped run leaves behind. Without a GPU each thread of a block is a thread of Python, and when an error or a
time limit ends the launch, one that is in an endless loop would go on, and keep a processor busy, until the kernel is restarted.
"""

import ctypes
import threading
import time
from contextlib import contextmanager

AT_MOST = 0.5  # seconds that threads have to end by themselves


@contextmanager
def none_left():
    """Where the block is left by an exception, threads of Numba's simulator that began in it are ended. Nothing to do on a GPU.

    >>> with none_left():
    ...     3 + 4
    7
    """
    before = set(threading.enumerate())
    try:
        yield
    except BaseException as error:
        left = [t for t in set(threading.enumerate()) - before if hasattr(t, "syncthreads_event")]
        for thread in left:
            thread.abort = True  # ends one that waits at a barrier, or comes to one
            thread.syncthreads_event.set()
        if isinstance(
            error, Exception
        ):  # most of them come to a barrier. A time limit does not wait: it soon raises again
            until = time.monotonic() + AT_MOST
            for thread in left:
                thread.join(max(0, until - time.monotonic()))
        for thread in left:
            end(thread)
        raise


def end(thread: threading.Thread) -> None:
    """Raises SystemExit in a thread, which ends it without a word at its next step in Python."""
    if thread.is_alive():
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread.ident), ctypes.py_object(SystemExit))
