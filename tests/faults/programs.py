"""Programs that tests kill: each does one act on a shared database in a process of its own.

The process is forked from a clean server that has the imports behind it, so a kill costs
milliseconds and is still the death of a real process with real connections.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

from engine.games.registry import games
from pbem.clock import ManualClock
from pbem.web import app as _ahead  # noqa: F401 - of the fork, not in each
from tests.faults.acts import ACTS, Place
from tests.faults.forks import PROCESSES
from tests.faults.invariants import Acknowledged
from tests.faults.mutants import MUTANTS
from tests.web.conftest import web_service

# ahead of the fork, too: the games and what they stand on
games()


class Ledger:
    """What the outside was told, in a file: a line is there as soon as it is written."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def note(self, told: dict[str, Any]) -> None:
        with self.path.open("ab", buffering=0) as file:
            file.write(json.dumps(told).encode() + b"\n")

    def acknowledged(self) -> list[Acknowledged]:
        if not self.path.exists():
            return []
        lines = [json.loads(line) for line in self.path.read_text().splitlines()]
        return [Acknowledged(**line) for line in lines]


def start(
    home: Path,
    url: str,
    now: datetime,
    act: str,
    given: dict[str, Any],
    *,
    crash_at: str = "",
    mutant: str = "",
) -> Any:
    """A process that does this act and ends: to ``join`` and ask for its end."""
    process = PROCESSES.Process(
        target=_work, args=(home, url, now, act, given, crash_at, mutant), daemon=True
    )
    process.start()
    return process


def _work(
    home: Path,
    url: str,
    now: datetime,
    act: str,
    given: dict[str, Any],
    crash_at: str,
    mutant: str,
) -> None:
    os.environ["CRASH_AT"] = crash_at
    if mutant:
        MUTANTS[mutant](_Patches())
    service = web_service(home, url)
    assert isinstance(service.clock, ManualClock)
    service.clock.set(now)
    do: Callable[[Place, dict[str, Any]], None] = ACTS[act].do
    do(Place(service, Ledger(home / "told").note), given)
    # as a process that ends: nothing is flushed or closed that was not before
    os._exit(0)


class _Patches:
    """Puts another function in the place of one; in a process that ends there is no way back."""

    def setattr(self, owner: Any, name: str, value: Any) -> None:
        setattr(owner, name, value)
