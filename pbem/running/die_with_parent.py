"""Runs a command that ends when its parent process ends, in whatever way.

On Linux the kernel sends SIGTERM to the command when its parent dies. Elsewhere this process stays
in between and checks twice a second whether its parent is still there.
"""

from __future__ import annotations

import ctypes
import os
import platform
import runpy
import signal
import subprocess
import sys
import time
from collections.abc import Sequence

PR_SET_PDEATHSIG, PR_SET_NAME = 1, 15
#: Seconds a command has to end before it is killed.
PATIENCE = 20
#: Seconds between two checks of the parent.
LOOK_SECONDS = 0.5

#: Whether this process becomes the command, and shares what it has imported with its parent. On
#: macOS libraries must not be used in a process that was forked from one that had loaded them.
BECOMES = platform.system() == "Linux"
#: How a command begins that this process can become without another interpreter.
_MODULE = [sys.executable, "-m"]


def run(parent: int, command: Sequence[str], name: str) -> int:
    """Becomes the command, or (not on Linux) waits for it. A forked process calls it.

    ``name`` is what ``top`` and ``ps -e`` call a process that shares its parent's command line.
    """
    if not BECOMES:
        return watch(parent, command)
    system = ctypes.CDLL(None, use_errno=True)
    system.prctl(PR_SET_NAME, name.encode(), 0, 0, 0)
    system.prctl(PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
    if os.getppid() != parent:
        return 1  # it died before the signal was set
    if list(command[:2]) == _MODULE:
        sys.argv = [*command[2:]]
        runpy.run_module(command[2], run_name="__main__", alter_sys=True)
        return 0
    os.execvp(command[0], [*command])  # noqa: S606 - our own command


def watch(parent: int, command: Sequence[str]) -> int:
    """Runs the command, forwards signals, and stops it when the parent is gone."""
    child = subprocess.Popen(command)  # noqa: S603 - our own command
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGQUIT, signal.SIGHUP):
        signal.signal(number, lambda caught, _frame: child.send_signal(caught))
    while child.poll() is None:
        if os.getppid() != parent:
            child.terminate()
            try:
                child.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                child.kill()
        time.sleep(LOOK_SECONDS)
    return child.returncode
