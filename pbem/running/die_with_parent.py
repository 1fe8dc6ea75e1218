"""Runs a command that ends when its parent process ends, in whatever way.

    python die_with_parent.py PARENT_PID command argument...

On Linux the kernel sends SIGTERM to the command when its parent dies. Elsewhere this process stays
in between and checks twice a second whether its parent is still there. It is started as a script,
not as a module, and needs the standard library only, so that it starts fast.
"""

from __future__ import annotations

import ctypes
import os
import platform
import signal
import subprocess
import sys
import time

PR_SET_PDEATHSIG = 1
#: Seconds a command has to end before it is killed.
PATIENCE = 20
#: Seconds between two checks of the parent.
LOOK_SECONDS = 0.5


def run(parent: int, command: list[str]) -> int:
    """Replaces this process by the command, or (not on Linux) waits for it."""
    if platform.system() == "Linux":
        ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
        if os.getppid() != parent:
            return 1  # it died before the signal was set
        os.execvp(command[0], command)  # noqa: S606 - our own command
    return watch(parent, command)


def watch(parent: int, command: list[str]) -> int:
    """Runs the command, forwards signals, and stops it when the parent is gone."""
    child = subprocess.Popen(command)  # noqa: S603 - our own command
    handed_on = (signal.SIGTERM, signal.SIGINT, signal.SIGQUIT, signal.SIGHUP)
    before = [
        signal.signal(number, lambda caught, _frame: child.send_signal(caught))
        for number in handed_on
    ]
    while child.poll() is None:
        if os.getppid() != parent:
            child.terminate()
            try:
                child.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                child.kill()
        time.sleep(LOOK_SECONDS)
    for number, handler in zip(handed_on, before, strict=True):
        signal.signal(number, handler)
    return child.returncode


if __name__ == "__main__":
    sys.exit(run(int(sys.argv[1]), sys.argv[2:]))
