"""Servers as child processes that do not outlive the tests, however those end."""

from __future__ import annotations

import ctypes
import os
import pwd
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path


def _die_with_the_tests() -> None:
    if sys.platform.startswith("linux"):
        ctypes.CDLL(None).prctl(1, signal.SIGTERM, 0, 0, 0)


def unprivileged() -> str | None:
    """Whom to run a server as that refuses to run as root; None where we are not root."""
    if os.geteuid() != 0:
        return None
    return pwd.getpwnam("nobody").pw_name


#: What lets root pass by the modes of files, as bits of the first word of capabilities.
_PAST_MODES = 1 << 1 | 1 << 2


@contextmanager
def obeying_modes() -> Iterator[None]:
    """Inside the block this thread reads and writes only what the modes of files allow, as root."""
    if os.geteuid() != 0 or not sys.platform.startswith("linux"):
        yield
        return
    libc = ctypes.CDLL(None, use_errno=True)
    # version 3 of the interface, for this thread; three words each for 32 capabilities, twice
    header = (ctypes.c_uint32 * 2)(0x20080522, 0)
    held = (ctypes.c_uint32 * 6)()
    assert libc.capget(header, held) == 0
    less = (ctypes.c_uint32 * 6)(held[0] & ~_PAST_MODES, *held[1:])
    assert libc.capset(header, less) == 0
    try:
        yield
    finally:
        assert libc.capset(header, held) == 0


def start(
    command: Sequence[str],
    log: Path,
    user: str | None = None,
    env: Mapping[str, str] | None = None,
) -> subprocess.Popen[bytes]:
    """Starts a server; what it writes goes to ``log``."""
    who = {}
    if user is not None:
        entry = pwd.getpwnam(user)
        who = {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": []}
    with log.open("ab") as output:
        return subprocess.Popen(
            list(command),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            cwd="/",
            env=env,
            preexec_fn=_die_with_the_tests,
            **who,  # type: ignore[call-overload]
        )


def wait_until(what: Callable[[], bool], why: str, seconds: float = 60) -> None:
    """Returns when ``what()`` is true; fails with ``why`` when it is not for so long."""
    until = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < until, why
        time.sleep(0.02)


def stop(process: subprocess.Popen[bytes], number: int = signal.SIGTERM) -> None:
    """Ends a server and waits for it."""
    if process.poll() is None:
        process.send_signal(number)
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
    process.wait()
