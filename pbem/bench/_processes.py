"""What processes use, as Linux tells it in ``/proc``; elsewhere nothing is known."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

_PROC = Path("/proc")
_TICKS = os.sysconf("SC_CLK_TCK")


def family(root: int) -> list[int]:
    """A process and all that come from it."""
    children: dict[int, list[int]] = {}
    for entry in _PROC.glob("[0-9]*"):
        if fields := _fields(int(entry.name)):
            children.setdefault(int(fields[1]), []).append(int(entry.name))
    found = [root]
    for process in found:
        found += children.get(process, [])
    return found


def processor_seconds(roots: Sequence[int]) -> float:
    """The processor time that these processes and those that come from them have used so far."""
    # user, system, and both of the children that have ended
    used = (_fields(process)[11:15] for root in roots for process in family(root))
    return sum(int(ticks) for four in used for ticks in four) / _TICKS


def _fields(process: int) -> list[str]:
    """The fields of ``/proc/PID/stat`` from the state on; none if the process is gone."""
    try:
        return (_PROC / str(process) / "stat").read_text().rpartition(")")[2].split()
    except OSError:
        return []


def megabytes(process: int) -> float:
    """The proportional set size: what a process has for itself, and its share of the rest.

    So the sum over all processes of a service is what the service needs.
    """
    try:
        lines = (_PROC / str(process) / "smaps_rollup").read_text().splitlines()
    except OSError:
        return 0.0
    return sum(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1000


def log_of(process: int) -> Path | None:
    """The file that a process writes its output to."""
    try:
        return (_PROC / str(process) / "fd" / "1").readlink()
    except OSError:
        return None
