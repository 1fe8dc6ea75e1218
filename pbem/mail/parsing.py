"""The processes that parse letters. Each stays for more letters, and forks for every one of them.

To start Python for a letter takes ten times as long as to parse it. So a process that has answered
waits for the next letter, and ends by itself when none came for a minute
(``letter_parser.IDLE_SECONDS``) or nobody is left to ask.
"""

from __future__ import annotations

import atexit
import os
import signal
import socket
import subprocess
import sys
import threading
from contextlib import ExitStack, suppress
from pathlib import Path

from pbem.mail.letter_parser import frames

#: At most so many wait for letters.
MOST_IDLE = 2
#: The interpreter is started without ``site``, which the standard library does not need.
_PROGRAM = (
    f"import sys; sys.path.append({str(Path(__file__).parents[2])!r});"
    "from pbem.mail import letter_parser; letter_parser.main()"
)


def parse(raw: bytes, seconds: float) -> bytes:
    """What a letter says, as JSON; empty if it cannot be parsed within its limits.

    Raises TimeoutError after so many seconds, and OSError if no process can be started.
    """
    while True:
        parser = _take()
        is_new = parser is None
        parser = parser or _Parser()
        try:
            answer = parser.parse(raw, seconds)
        except EOFError:
            # an old one may have ended meanwhile
            parser.kill()
            if is_new:
                raise OSError("the parser of letters has ended") from None
        except BaseException:
            parser.kill()
            raise
        else:
            _put_back(parser)
            return answer


class _Parser:
    """A process that answers one letter after another. Not for two threads at once."""

    def __init__(self) -> None:
        with ExitStack() as unless_it_starts:
            self._door, theirs = socket.socketpair()
            unless_it_starts.enter_context(self._door)
            with theirs:
                # a session of its own: it ends together with the child that it has forked
                self._process = subprocess.Popen(  # noqa: S603 - our own program
                    [sys.executable, "-I", "-S", "-c", _PROGRAM],
                    stdin=theirs.fileno(),
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    env={},
                    start_new_session=True,
                )
            unless_it_starts.pop_all()

    @property
    def pid(self) -> int:
        return self._process.pid

    def parse(self, raw: bytes, seconds: float) -> bytes:
        """Raises EOFError if the process has ended, TimeoutError if it is too slow."""
        self._door.settimeout(seconds)
        try:
            frames.send(self._door, raw)
            return frames.receive(self._door)
        except ConnectionError:
            raise EOFError from None

    def kill(self) -> None:
        self._door.close()
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, signal.SIGKILL)
        self._process.wait()

    def forget(self) -> None:
        """After a fork: the process answers its parent, who waits for its end."""
        self._door.close()
        self._process.returncode = 0


_lock = threading.Lock()
_idle: list[_Parser] = []


def _take() -> _Parser | None:
    with _lock:
        return _idle.pop() if _idle else None


def _put_back(parser: _Parser) -> None:
    with _lock:
        if len(_idle) < MOST_IDLE:
            _idle.append(parser)
            return
    parser.kill()


def _end_idle() -> None:
    while parser := _take():
        parser.kill()


def _after_fork() -> None:
    # another thread of the parent may hold the lock
    global _lock
    _lock = threading.Lock()
    while parser := _take():
        parser.forget()


atexit.register(_end_idle)
os.register_at_fork(after_in_child=_after_fork)
