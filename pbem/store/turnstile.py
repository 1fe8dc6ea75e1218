"""Writers of a SQLite file go one after another, in the order in which they came.

SQLite makes a second writer sleep and retry with growing pauses, and a newcomer may overtake it:
with eight players at once some waited more than a second for a few milliseconds of work. So writers
queue before they ask SQLite: the threads of a process in one queue, and the first thread of each
process in another, by two locked files beside the database. The kernel releases the locks of a
process that dies. SQLite's own lock remains the one that counts: without these file locks (on
Windows, or in a folder that cannot be written) only the order is lost.
"""

from __future__ import annotations

import os
import threading
import time
import weakref
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

try:
    import fcntl
except ImportError:
    HAS_LOCKS = False
else:
    HAS_LOCKS = True

#: Seconds between two looks at a lock that another process holds.
POLL_SECONDS = 0.001


class TooLongError(Exception):
    """The queue of writers did not move within the time limit."""


class Turnstile:
    """Lets one writer of a file through at a time, of all threads and processes."""

    def __init__(self, file: Path) -> None:
        self._paths = tuple(file.with_name(f"{file.name}-{name}") for name in ("next", "lock"))
        self._forget()
        _ALL.add(self)

    @contextmanager
    def passed(self, seconds: float) -> Iterator[None]:
        """Inside the block no other writer uses the file.

        Raises TooLongError after waiting this many seconds.
        """
        until = time.monotonic() + seconds
        if not self._line.enter(seconds):
            raise TooLongError()
        try:
            if not self._enter(until):
                raise TooLongError()
            try:
                yield
            finally:
                _unlock(self._lock)
        finally:
            self._line.leave()

    def close(self) -> None:
        for descriptor in (self._next, self._lock):
            if descriptor is not None:
                os.close(descriptor)
        self._forget()

    def _forget(self) -> None:
        self._line = _Line()
        self._opened = False
        self._next: int | None = None
        self._lock: int | None = None

    def _enter(self, until: float) -> bool:
        """Waits for the lock while holding another one, that of the next in the queue. So a process
        that has just released the lock queues behind those that wait, however soon it returns.
        """
        if not self._opened:
            self._next, self._lock = (_open(path) for path in self._paths)
            self._opened = True
        if not _lock(self._next, until):
            return False
        try:
            return _lock(self._lock, until)
        finally:
            _unlock(self._next)


class _Line:
    """The queue of this process's threads, first come, first served: a plain lock is not fair."""

    def __init__(self) -> None:
        self._mutex = threading.Lock()
        self._busy = False
        self._waiting: deque[threading.Lock] = deque()

    def enter(self, seconds: float) -> bool:
        with self._mutex:
            if not self._busy:
                self._busy = True
                return True
            turn = threading.Lock()
            turn.acquire()
            self._waiting.append(turn)
        if turn.acquire(timeout=seconds):
            return True
        with self._mutex:
            if turn not in self._waiting:
                # the turn was handed over after the timeout
                return True
            self._waiting.remove(turn)
            return False

    def leave(self) -> None:
        with self._mutex:
            if self._waiting:
                self._waiting.popleft().release()
            else:
                self._busy = False


def _open(path: Path) -> int | None:
    """A file to lock, closed to others, who could lock it; None if it cannot be opened."""
    if not HAS_LOCKS:
        return None
    try:
        return os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError:
        try:
            return os.open(path, os.O_RDONLY)
        except OSError:
            return None


def _lock(descriptor: int | None, until: float) -> bool:
    """Locks a file, waiting for it if need be; False if that took too long."""
    if descriptor is None:
        return True
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        except BlockingIOError:
            if time.monotonic() >= until:
                return False
            time.sleep(POLL_SECONDS)
        except OSError:
            # a file system without locks
            return True


def _unlock(descriptor: int | None) -> None:
    if descriptor is not None:
        fcntl.flock(descriptor, fcntl.LOCK_UN)


#: All turnstiles: a forked child shares the locks of its parent, and must close its copies.
_ALL: weakref.WeakSet[Turnstile] = weakref.WeakSet()


def _after_fork() -> None:
    for turnstile in list(_ALL):
        turnstile.close()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
