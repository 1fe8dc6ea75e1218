"""Processes that are forked from this one: what it has imported is in memory once for all."""

from __future__ import annotations

import atexit
import ctypes
import gc
import math
import os
import signal
import sys
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from typing import IO, NoReturn

#: Signals that ask a supervisor to stop.
SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
_LOOK_SECONDS = 0.02


class Process:
    """A process that was forked from this one, by its id."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self._status: int | None = None

    def poll(self) -> int | None:
        """Its status, or minus the signal that ended it; None while it runs."""
        if self._status is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self._status = os.waitstatus_to_exitcode(status)
        return self._status

    def wait(self, seconds: float = math.inf) -> int | None:
        """As ``poll``, after so many seconds at most."""
        until = time.monotonic() + seconds
        while self.poll() is None and time.monotonic() < until:
            time.sleep(_LOOK_SECONDS)
        return self._status

    def terminate(self) -> None:
        if self.poll() is None:
            os.kill(self.pid, signal.SIGTERM)


#: Options of glibc's mallopt, and what they are set to.
_MALLOC = {
    # M_MMAP_THRESHOLD, M_TRIM_THRESHOLD: bytes from which freed memory goes back to the system
    -3: 262_144,
    -1: 262_144,
    # M_ARENA_MAX: threads have a heap each, up to eight times the cores, and leave them half empty
    -8: 2,
}

#: Bytes of the blocks that fill holes, the largest first; small holes are kept by their size.
_FILLING = *(1 << power for power in range(16, 10, -1)), *range(1024, 0, -16)
#: A thread keeps so many freed blocks of each size, up to so many bytes, for itself (tcache); they
#: may be of another heap.
_CACHED_BYTES, _CACHED = 1024, 7
#: What lies further than so many bytes below the end of the heap is no part of it.
_HEAP = 1 << 30

#: After how many new objects the youngest are collected; after how many such collections the next
#: older ones, and after how many of these all.
_COLLECTED = 5_000, 10, 20


def give_back() -> None:
    """This process and its forks give freed memory back, where the C library can be told to.

    A picture is drawn in megabytes, which would stay with each process that draws.
    """
    set_option = getattr(ctypes.CDLL(None), "mallopt", None)
    if set_option is not None:
        for option, value in _MALLOC.items():
            set_option(option, value)


def keep_shared() -> None:
    """To be called before a fork, and by a process that has loaded what it needs.

    The garbage collector leaves alone what is there now: it would write to each object, and so copy
    memory that processes share. And it seldom looks at all the rest, because all threads wait while
    it does.
    """
    # it names attributes all over the memory, and each lookup that replaces one writes to its name
    (getattr(sys, "_clear_internal_caches", None) or sys._clear_type_cache)()
    gc.collect()
    if trim := getattr(ctypes.CDLL(None), "malloc_trim", None):
        trim(0)
    gc.freeze()
    gc.set_threshold(*_COLLECTED)


def fill_holes() -> None:
    """Takes what is free between blocks of memory, for good; to be called once, before all forks.

    What a fork then allocates lies together. In holes it would lie all over the memory that it
    shares, and each hole that is used copies a page: the schema that SQLite reads for a connection
    alone copied a thousand.
    """
    system = ctypes.CDLL(None)
    if not hasattr(system, "malloc_trim"):
        return  # its heap may not be one stretch that grows
    system.sbrk.restype = system.malloc.restype = ctypes.c_size_t
    system.malloc.argtypes = [ctypes.c_size_t]
    end = system.sbrk(0)
    # another allocator (LD_PRELOAD) may have a heap of its own below, which never ends
    begin = max(0, end - _HEAP)
    for size in _FILLING:
        elsewhere = _CACHED if size <= _CACHED_BYTES else 0
        while elsewhere >= 0:
            if not begin < system.malloc(size) < end:
                elsewhere -= 1


def fork(run: Callable[[], int | None], output: IO[bytes] | None = None) -> Process:
    """Starts a process that calls ``run`` and ends with its status.

    With ``output`` it writes there, reads nothing, and is the leader of a session of its own. There
    must be no thread but this one, and no open connection that both could use.
    """
    for stream in (sys.stdout, sys.stderr):
        # what cannot be written now is no reason not to start it
        with suppress(OSError):
            stream.flush()
    # a signal that comes before the new process has its own handlers waits for them
    blocked = signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
    try:
        pid = os.fork()
        if pid == 0:
            for number in SIGNALS:
                signal.signal(number, signal.SIG_DFL)
            signal.signal(signal.SIGINT, signal.default_int_handler)
    finally:
        # also if there is no room for a process
        signal.pthread_sigmask(signal.SIG_SETMASK, blocked)
    if pid == 0:
        _run(run, output)
    return Process(pid)


def _run(run: Callable[[], int | None], output: IO[bytes] | None) -> NoReturn:
    """Ends the process in any case: it must not go on with what its parent does."""
    code = 1
    try:
        code = _status(run, output)
        atexit._run_exitfuncs()
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
    finally:
        # on a full disk neither may be possible
        os._exit(code)


def _status(run: Callable[[], int | None], output: IO[bytes] | None) -> int:
    """Calls it; the status of what it returns or raises, as Python would have it."""
    try:
        if output is not None:
            _detach(output)
        return run() or 0
    except SystemExit as ended:
        if isinstance(ended.code, str):
            print(ended.code, file=sys.stderr)
        return ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    except BaseException:
        traceback.print_exc()
        return 1


def _detach(output: IO[bytes]) -> None:
    """From its terminal, if there is one: Ctrl-C does not reach this process any more."""
    os.setsid()
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    for number in (1, 2):
        os.dup2(output.fileno(), number)
    # each line is written at once: who reads the log wants to know how a process ended
    sys.stdout, sys.stderr = (
        os.fdopen(number, "w", buffering=1, errors="backslashreplace", closefd=False)
        for number in (1, 2)
    )
