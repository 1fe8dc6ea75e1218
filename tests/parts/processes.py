"""Servers as child processes that do not outlive the tests, however those end."""

from __future__ import annotations

import ctypes
import os
import pwd
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path


def _die_with_the_tests() -> None:
    if sys.platform.startswith("linux"):
        ctypes.CDLL(None).prctl(1, signal.SIGTERM, 0, 0, 0)


def unprivileged() -> str | None:
    """Whom to run a server as that refuses to run as root; None where we are not root."""
    if os.geteuid() != 0:
        return None
    return pwd.getpwnam("nobody").pw_name


def start(command: Sequence[str], log: Path, user: str | None = None) -> subprocess.Popen[bytes]:
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
            preexec_fn=_die_with_the_tests,
            **who,  # type: ignore[call-overload]
        )


def wait_until(what: Callable[[], bool], why: str, seconds: float = 20) -> None:
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
