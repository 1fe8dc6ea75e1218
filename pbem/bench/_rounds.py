"""How a bench is asked, how it measures in rounds, and what it answers.

What is compared takes turns: each round has one go of each, and another one goes first each time.
So whatever else the machine does falls on all of them.
"""

from __future__ import annotations

import statistics
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from pbem.bench import _processes

Job = TypeVar("Job")

#: What a bench answers: for each case its figures by name, with the unit in the name.
Figures = dict[str, dict[str, float]]


@dataclass(frozen=True)
class BenchOptions:
    """What a bench is asked for. Each reads what concerns it."""

    #: An empty folder.
    scratch: Path
    #: Is told what is being done: a case, and after a colon what of it.
    say: Callable[[str], None]
    #: How long each case is measured, and in how many rounds at least.
    seconds: float
    rounds: int
    #: ``sqlite``, ``postgres``, or the URL of a PostgreSQL server.
    databases: Sequence[str]
    #: How many play at once: a case for each.
    clients: Sequence[int] = (1, 8, 32)
    #: Entries in the log of a match that is played.
    log: int = 10
    #: Finished matches that lie in the database, with their logs and mails.
    filled: int = 300
    #: Mails to others that are owed while people play.
    owed: int = 0
    #: Seconds that a player thinks about a move.
    thinking: float = 0.0
    #: For ``days``: matches on each clock, who plays, and the clocks by name.
    matches: int | None = None
    seed: str | None = None
    clocks: Sequence[str] = ()


@dataclass(frozen=True)
class Round:
    """What one go brought."""

    #: The seconds that each piece of work took.
    waits: Sequence[float]
    seconds: float
    #: Seconds of processor time: the servers', and that of whoever measures.
    processor: float
    own: float

    @property
    def rate(self) -> float:
        return len(self.waits) / self.seconds


def timed(
    work: Callable[[], Sequence[float]], servers: Sequence[int] = (), helpers: Sequence[int] = ()
) -> Round:
    """One go. ``servers``: the ids of processes that work for it, with all their children;
    ``helpers``: those that measure, besides this one.
    """

    def used() -> tuple[float, float]:
        own = time.process_time() + _processes.processor_seconds(helpers)
        return _processes.processor_seconds(servers), own

    before, begun = used(), time.perf_counter()
    waits = work()
    spent, after = time.perf_counter() - begun, used()
    return Round(waits, spent, after[0] - before[0], after[1] - before[1])


def in_turns(
    asked: BenchOptions, case: str, those: Mapping[str, Callable[[], Round]]
) -> dict[str, list[Round]]:
    """The rounds of each, by its name."""
    taken: dict[str, list[Round]] = {name: [] for name in those}
    order = list(those)
    count, until = 0, time.monotonic() + asked.seconds
    while count < max(1, asked.rounds) or time.monotonic() < until:
        count += 1
        for name in order:
            asked.say(f"{case}: round {count}, {name}")
            taken[name].append(those[name]())
        order.append(order.pop(0))
    return taken


def with_clients(database: str, clients: int) -> str:
    """The name of a case in which so many play at once."""
    return f"{database}, {clients} client{'s' * (clients > 1)}"


def each(do: Callable[[], object], times: int) -> list[float]:
    """The seconds that each of so many calls takes."""
    waits = []
    for _ in range(times):
        begun = time.perf_counter()
        do()
        waits.append(time.perf_counter() - begun)
    return waits


def shared_out(
    jobs: Iterable[Job],
    clients: int,
    client: Callable[[], AbstractContextManager[Callable[[Job], object]]],
) -> list[float]:
    """Has so many clients do jobs at once, each one job after another; the seconds of each job."""
    left = iter(list(jobs))
    waits: list[float] = []
    failed: list[BaseException] = []

    def work() -> None:
        try:
            with client() as do:
                for job in left:
                    begun = time.perf_counter()
                    do(job)
                    waits.append(time.perf_counter() - begun)
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=work) for _ in range(clients)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failed:
        raise failed[0]
    return waits


# --- figures ---


def summary(rounds: Sequence[Round], floor: Sequence[Round] = ()) -> dict[str, float]:
    """The figures of one of those that took turns.

    ``a_second``: how much was done in a second, the median of the rounds, the least and the most;
    ``p50_ms``, ``p99_ms``: how long one piece of it took, over all rounds; ``processor_ms`` and
    ``client_processor_ms``: the processor time of the servers and of the clients for each piece of
    work, medians of the rounds; without servers ``processor_ms`` is that of this process.
    ``share``: the rate by that of the floor in the same round.
    """
    servers, own = (
        round(1000 * statistics.median(getattr(one, what) / len(one.waits) for one in rounds), 2)
        for what in ("processor", "own")
    )
    figures: dict[str, float] = {"rounds": len(rounds)}
    figures["done"] = sum(len(one.waits) for one in rounds)
    figures |= spread("a_second", [one.rate for one in rounds], 1)
    figures |= quantiles("", [wait for one in rounds for wait in one.waits])
    if any(one.processor for one in rounds):
        figures |= {"processor_ms": servers, "client_processor_ms": own}
    else:
        figures["processor_ms"] = own
    if floor:
        shares = [one.rate / other.rate for one, other in zip(rounds, floor, strict=True)]
        figures |= spread("share", shares, 3)
    return figures


def spread(name: str, values: Sequence[float], digits: int) -> dict[str, float]:
    """The median of the rounds' values, the least and the most."""
    found = {name: statistics.median(values)}
    found |= {f"{name}_least": min(values), f"{name}_most": max(values)}
    return {what: round(value, digits) for what, value in found.items()}


def quantiles(name: str, waits: Sequence[float]) -> dict[str, float]:
    """``p50_ms`` and ``p99_ms`` of seconds, with ``name`` before them."""
    order = sorted(waits)
    return {
        f"{name}p{percent}_ms": round(1000 * order[len(order) * percent // 100], 2)
        for percent in (50, 99)
        if order
    }
