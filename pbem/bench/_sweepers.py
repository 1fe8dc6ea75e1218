"""Processes that sweep at once, as the workers of a service do."""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import replace
from datetime import datetime
from multiprocessing.connection import Connection
from typing import TypeAlias

from pbem.acts.sweep import sweep
from pbem.clock import ManualClock
from pbem.config import Settings
from pbem.running import forked
from pbem.service import open_service

#: Lets so many processes sweep until nothing is due at an instant. Returns how many seconds it
#: took, and how many seconds of processor time all of them used.
SweepAll: TypeAlias = Callable[[int, datetime], tuple[float, float]]


@contextmanager
def sweepers(settings: Settings, most: int) -> Iterator[SweepAll]:
    """At most so many processes, each with a service of its own, while the block runs."""
    with ExitStack() as stack:
        pipes = [stack.enter_context(_sweeper(settings)) for _ in range(most)]
        for pipe in pipes:
            pipe.recv()

        def sweep_all(count: int, now: datetime) -> tuple[float, float]:
            begun = time.perf_counter()
            for pipe in pipes[:count]:
                pipe.send(now)
            used: list[float] = [pipe.recv() for pipe in pipes[:count]]
            return time.perf_counter() - begun, sum(used)

        yield sweep_all


@contextmanager
def _sweeper(settings: Settings) -> Iterator[Connection]:
    ours, theirs = multiprocessing.Pipe()
    process = multiprocessing.get_context("spawn").Process(
        target=_sweep_when_told, args=(settings, theirs), daemon=True
    )
    process.start()
    theirs.close()
    with closing(ours):
        yield ours
    process.join()


def _sweep_when_told(settings: Settings, pipe: Connection) -> None:
    service = open_service(settings)
    # as in a worker: the garbage collector leaves alone what is there now
    forked.keep_shared()
    pipe.send("ready")
    while True:
        try:
            now: datetime = pipe.recv()
        except EOFError:
            break
        service, begun = replace(service, clock=ManualClock(now)), time.process_time()
        while sweep(service):
            pass
        pipe.send(time.process_time() - begun)
    service.database.close()
