"""What is killed or goes away, and when: a seed decides it.

Of a seed the order of the faults, the pauses between them and whom each picks among those alive are
always the same. Which process that is, and what it was doing, is the machine's timing.
"""

from __future__ import annotations

import os
import random
import signal
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tests.parts.relay import Behaviour

if TYPE_CHECKING:
    from tests.faults.soak.house import House

#: How often each comes, compared with the others. What is killed: mostly what makes moves count.
#: Who sends mails is killed less often: a mail whose mailer died five times is given up.
KILLS = {
    "pool child of moves": 70,
    "pool child of worker": 10,
    "all pool children": 1.5,
    "child of web": 12,
    "child of postgresql": 1.5,
    "web": 1,
    "moves": 1,
    "worker": 0.7,
    "beat": 1,
    "lmtp": 1.5,
    "everything": 0.2,
    "supervisor": 0.05,
    "redis": 1.5,
    "postgresql": 1,
}
#: What goes wrong for a while and dies of nothing.
WHILES = {
    "relay hangs": 0.5,
    "relay says 451": 1,
    "relay takes and hangs up": 1,
    "disk is full": 0.7,
}
BEHAVIOURS: dict[str, Behaviour] = {
    "relay hangs": "hang",
    "relay says 451": "data_451",
    "relay takes and hangs up": "accept_then_drop",
}
#: Seconds for which a part goes away, at least and at most.
SPAN = (0.5, 3.0)


@dataclass(frozen=True)
class Fault:
    """One line of the schedule."""

    #: Seconds after the one before.
    after: float
    kind: str
    #: Which of those alive: 0 the oldest, towards 1 the youngest.
    pick: float
    #: For how many seconds a part goes away.
    span: float


def schedule(seed: str, pause: float) -> Iterator[Fault]:
    """Faults without end, ``pause`` seconds apart in the mean."""
    chance = random.Random(f"faults {seed}")
    weights = {**KILLS, **WHILES}
    while True:
        yield Fault(
            chance.expovariate(1 / pause),
            chance.choices(list(weights), list(weights.values()))[0],
            chance.random(),
            chance.uniform(*SPAN),
        )


@dataclass(frozen=True)
class Process:
    """One that runs now."""

    number: int
    parent: int
    #: In the machine's ticks since it started.
    since: int
    command: str


def processes() -> dict[int, Process]:
    """All that run on this machine, by number; those that ended and were not waited for are out."""
    found = {}
    for entry in Path("/proc").iterdir():
        if not entry.name.isdecimal():
            continue
        try:
            words = (entry / "stat").read_text().rpartition(")")[2].split()
            command = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue
        if words[0] != "Z":
            number = int(entry.name)
            found[number] = Process(number, int(words[1]), int(words[19]), command)
    return found


def children(of: int, all_: dict[int, Process]) -> list[Process]:
    """The direct children of a process, the oldest first."""
    found = [one for one in all_.values() if one.parent == of]
    return sorted(found, key=lambda one: (one.since, one.number))


class Killer:
    """Does what the schedule says, and counts."""

    def __init__(self, house: House) -> None:
        self._house = house
        self.kills: Counter[str] = Counter()
        self.whiles: Counter[str] = Counter()
        #: What has to be brought back, when.
        self._undo: dict[str, tuple[float, Callable[[], None]]] = {}

    def do(self, fault: Fault) -> None:
        if fault.kind in self._undo:
            return
        if fault.kind in WHILES:
            self._for_a_while(fault)
        elif fault.kind in ("redis", "postgresql"):
            self._server(fault)
        elif fault.kind == "supervisor":
            self._supervisor()
        else:
            self._kill(fault)

    def bring_back(self, *, all_: bool = False) -> None:
        """Ends what was for a while, where its time is over."""
        for kind, (at, undo) in list(self._undo.items()):
            if all_ or time.monotonic() >= at:
                undo()
                del self._undo[kind]

    # --- processes ---

    def _kill(self, fault: Fault) -> None:
        victims = self._victims(fault.kind)
        if fault.kind not in ("everything", "all pool children") and victims:
            victims = [victims[int(fault.pick * len(victims))]]
        for victim in victims:
            try:
                os.kill(victim.number, signal.SIGKILL)
            except ProcessLookupError:
                continue
            self.kills[fault.kind] += 1

    def _victims(self, kind: str) -> list[Process]:
        running = processes()
        if kind == "child of postgresql":
            server = self._house.postgres.pid if self._house.postgres else None
            found = children(server, running) if server else []
            return [one for one in found if "pbem pbem_test" in one.command]
        parts = {
            self._house.up.part(one.number): one
            for one in children(self._house.up.process.pid, running)
        }
        made = {name: children(one.number, running) for name, one in parts.items()}
        if kind == "all pool children":
            return [one for name in ("moves", "worker") for one in made.get(name, ())]
        if kind == "everything":
            return [*parts.values(), *(one for line in made.values() for one in line)]
        name = kind.rpartition(" ")[2]
        if name not in parts:
            return []
        return made[name] if "child" in kind else [parts[name]]

    def _supervisor(self) -> None:
        """Its parts end with it. It is started again when the machine has all it needs."""
        self.bring_back(all_=True)
        self._house.up.process.kill()
        self._house.up.process.wait()
        self.kills["supervisor"] += 1
        self._house.start_again()

    # --- what goes away for a while ---

    def _server(self, fault: Fault) -> None:
        if fault.kind == "redis":
            self._house.redis.kill()
            back = self._house.redis.start
        elif self._house.postgres is not None and self._house.postgres.pid is not None:
            # at once, without a checkpoint: the log is read again at the start
            self._house.postgres.stop_own_process(signal.SIGQUIT)
            back = self._house.postgres.start_own_process
        else:
            return
        self.kills[fault.kind] += 1
        self._undo[fault.kind] = (time.monotonic() + fault.span, back)

    def _for_a_while(self, fault: Fault) -> None:
        if fault.kind in BEHAVIOURS:
            self._house.relay.behaviour = BEHAVIOURS[fault.kind]
            back = self._relay_is_well
        elif self._house.disk is not None:
            self._house.disk.fill()
            back = self._house.disk.free
        else:
            return
        self.whiles[fault.kind] += 1
        self._undo[fault.kind] = (time.monotonic() + fault.span, back)

    def _relay_is_well(self) -> None:
        self._house.relay.behaviour = "accept"
