"""What every act is given: the database, the clock, the keys, and a bell to ring.

A process makes one ``Service`` when it starts and hands it to the acts; a trial makes its own, with
a clock it can move.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime

from pbem.clock import Clock, SystemClock
from pbem.config import Settings
from pbem.db import Database
from pbem.keys import Keys


def _silent(queue: str) -> None:
    """No bell: the sweep will find what is due."""


@dataclass(frozen=True)
class Service:
    """The parts that acts work with."""

    settings: Settings
    database: Database
    keys: Keys
    clock: Clock = field(default_factory=SystemClock)
    #: So many bytes that nobody can guess: what seeds, ids and phrases are drawn from.
    entropy: Callable[[int], bytes] = secrets.token_bytes
    #: Rings a worker ("advance" or "post") after a commit. It may fail silently: see pbem.doorbell.
    ring: Callable[[str], None] = _silent

    def now(self) -> datetime:
        return self.clock.now()


def open_service(settings: Settings, ring: Callable[[str], None] = _silent) -> Service:
    """The service as the settings describe it. Raises KeysError where there are no usable keys."""
    return Service(settings, Database(settings.database_url), settings.keys(), ring=ring)
