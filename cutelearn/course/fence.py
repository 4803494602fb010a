"""What a process that runs somebody's notebook may use: memory, time, files, and nothing outside of its folder.

Limits hold on Linux and macOS (`setrlimit`). The fence is Linux's Landlock (kernel 5.13 or newer): from then on this
process and all that it starts write into one folder, read only Python and the system, and reach no other process;
from kernel 6.7 on, no network by TCP either. A filter of system calls (seccomp) lets it start threads and no process,
so that there is no fork bomb to run after. Nothing of it can be taken back from inside.
"""

import ctypes
import errno
import os
import platform
import sys
from contextlib import suppress
from pathlib import Path

LARGEST_FILE = 64 << 20  # bytes
MORE_THREADS = 1000  # beyond those that the user's processes have now; the CUDA simulator has one for each of a block

# Numbers of <linux/landlock.h> and of the three system calls, which are the same on every architecture.
CREATE, ADD, RESTRICT = 444, 445, 446
EXECUTE, WRITE_FILE, READ_FILE, READ_DIR, TRUNCATE, IOCTL = (1 << n for n in (0, 1, 2, 3, 14, 15))
ALL_OF = {1: (1 << 13) - 1, 2: (1 << 14) - 1, 3: (1 << 15) - 1, 5: (1 << 16) - 1}  # version -> what it can forbid
READ = EXECUTE | READ_FILE | READ_DIR
OF_A_FILE = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL
SYSTEM = ("/usr", "/lib", "/lib64", "/bin", "/etc", "/sys/devices/system", "/nix/store")
SYSTEM += ("/proc/self", "/proc/cpuinfo", "/proc/meminfo", "/proc/stat")
DEVICES = ("/dev/null", "/dev/zero", "/dev/random", "/dev/urandom")


# For the filter: an architecture's number, its calls that only start processes, and `clone`, which also starts threads.
ARCHITECTURES = {"x86_64": (0xC000003E, (57, 58), 56), "aarch64": (0xC00000B7, (), 220)}
CLONE3, CLONE_THREAD, X32 = 435, 0x10000, 0x40000000
LOAD, EQUAL, AT_LEAST, ANY_BIT, RETURN = 0x20, 0x15, 0x35, 0x45, 0x06  # operations of a filter
ALLOW, REFUSE = 0x7FFF0000, 0x00050000


class Rules(ctypes.Structure):
    _fields_ = (("files", ctypes.c_uint64), ("net", ctypes.c_uint64), ("scopes", ctypes.c_uint64))


class Beneath(ctypes.Structure):
    _pack_ = 1
    _fields_ = (("allowed", ctypes.c_uint64), ("folder", ctypes.c_int32))


class Operation(ctypes.Structure):
    _fields_ = (("code", ctypes.c_uint16), ("yes", ctypes.c_uint8), ("no", ctypes.c_uint8), ("k", ctypes.c_uint32))


class Filter(ctypes.Structure):
    _fields_ = (("length", ctypes.c_uint16), ("operations", ctypes.POINTER(Operation)))


def limit(memory: int, seconds: int) -> None:
    """Limits of this process: bytes of address space, seconds of the processor, and what follows from them."""
    try:
        import resource
    except ImportError:  # Windows
        return
    wanted = {"RLIMIT_AS": memory, "RLIMIT_CPU": seconds, "RLIMIT_FSIZE": LARGEST_FILE, "RLIMIT_CORE": 0}
    wanted["RLIMIT_NPROC"] = _threads_of_user() + MORE_THREADS
    for name, most in wanted.items():
        with suppress(AttributeError, ValueError, OSError):  # not on this system, or less is allowed already
            resource.setrlimit(getattr(resource, name), (most, most))


def _threads_of_user() -> int:
    user, count = os.getuid(), 0
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if process.stat().st_uid == user:
                count += sum(1 for _task in (process / "task").iterdir())
    return count


def version() -> int:
    """The version of Landlock that this machine has; 0 for none."""
    if not sys.platform.startswith("linux"):
        return 0
    return max(0, _call(CREATE, None, 0, 1))


def close(folder: Path) -> bool:
    """Shut this process in: it may write into `folder` alone. False where this machine has no Landlock."""
    found = version()
    if not found:
        return False
    files = ALL_OF[max(v for v in ALL_OF if v <= found)]
    rules = Rules(files, 0b11 if found >= 4 else 0, 0b11 if found >= 6 else 0)
    length = 24 if found >= 6 else 16 if found >= 4 else 8
    ruleset = _call(CREATE, ctypes.byref(rules), length, 0)
    if ruleset < 0:
        return False
    for path in {*SYSTEM, sys.prefix, sys.base_prefix, *filter(None, sys.path)}:
        _allow(ruleset, path, READ & files)
    for path in DEVICES:
        _allow(ruleset, path, (READ_FILE | WRITE_FILE | TRUNCATE) & files)
    _allow(ruleset, folder, files)
    ctypes.CDLL(None).prctl(38, 1, 0, 0, 0)  # PR_SET_NO_NEW_PRIVS
    shut = _call(RESTRICT, ruleset, 0) == 0
    os.close(ruleset)
    return shut


def can_refuse_processes() -> bool:
    """Whether `refuse_processes` knows this machine."""
    return sys.platform.startswith("linux") and platform.machine() in ARCHITECTURES and sys.maxsize > 2**32


def refuse_processes() -> bool:
    """From now on this process starts threads and no process. False where that cannot be had."""
    if not can_refuse_processes():
        return False
    architecture, starts, clone = ARCHITECTURES[platform.machine()]
    no, not_here = REFUSE | errno.EPERM, REFUSE | errno.ENOSYS  # without clone3 the C library takes clone
    program = [
        (LOAD, 0, 0, 4),
        (EQUAL, 1, 0, architecture),
        (RETURN, 0, 0, no),
        (LOAD, 0, 0, 0),
        *(test for call in starts for test in ((EQUAL, 0, 1, call), (RETURN, 0, 0, no))),
        (AT_LEAST, 0, 1, X32),
        (RETURN, 0, 0, no),
        (EQUAL, 0, 1, CLONE3),
        (RETURN, 0, 0, not_here),
        (EQUAL, 1, 0, clone),
        (RETURN, 0, 0, ALLOW),
        (LOAD, 0, 0, 16),  # the flags of clone
        (ANY_BIT, 0, 1, CLONE_THREAD),
        (RETURN, 0, 0, ALLOW),
        (RETURN, 0, 0, no),
    ]
    operations = (Operation * len(program))(*(Operation(*one) for one in program))
    whole = Filter(len(program), operations)
    library = ctypes.CDLL(None)
    library.prctl(38, 1, 0, 0, 0)  # PR_SET_NO_NEW_PRIVS
    return library.prctl(22, 2, ctypes.byref(whole), 0, 0) == 0  # PR_SET_SECCOMP, SECCOMP_MODE_FILTER


def _allow(ruleset: int, path, allowed: int) -> None:
    try:
        at = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:  # no such path here
        return
    if not os.path.isdir(path):  # noqa: PTH112 (a descriptor is open; the name may be text)
        allowed &= OF_A_FILE
    beneath = Beneath(allowed, at)
    _call(ADD, ruleset, 1, ctypes.byref(beneath), 0)
    os.close(at)


def _call(number: int, *arguments) -> int:
    return ctypes.CDLL(None).syscall(ctypes.c_long(number), *arguments)
