"""What every act is given: the database, the clock, the keys, and a bell to ring.

A process makes one ``Service`` when it starts and hands it to the acts; a trial makes its own, with
a clock it can move.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime

from pbem import fitness
from pbem.clock import Clock, SystemClock
from pbem.config import Settings
from pbem.store.db import Database
from pbem.store.keys import Keys, load_keys


def _silent(queue: str) -> None:
    """No doorbell: the next sweep will find what is due."""


@dataclass(frozen=True)
class Service:
    """The parts that acts work with."""

    settings: Settings
    database: Database
    keys: Keys
    clock: Clock = field(default_factory=SystemClock)
    #: So many bytes that nobody can guess: what seeds, ids and phrases are drawn from.
    entropy: Callable[[int], bytes] = secrets.token_bytes
    #: Rings a worker ("advance" or "post") after a commit. It may fail: see running.doorbell.
    ring: Callable[[str], None] = _silent

    def now(self) -> datetime:
        return self.clock.now()


def open_service(
    settings: Settings,
    ring: Callable[[str], None] = _silent,
    *,
    looks_only: bool = False,
    waits: bool = False,
) -> Service:
    """The service as the settings describe it.

    Raises NotFit or KeysError where database, tables and keys are not as they must be. Who only
    looks makes no keys; who ``waits`` takes a database that does not answer for one that will.
    """
    assert settings.secrets_file is not None  # filled in by the settings
    database = Database(settings.database_url)
    try:
        fitness.check_tables(database)
        if looks_only:
            fitness.check_keys(settings, database)
            keys = load_keys(settings.secrets_file)
        else:
            keys = fitness.keys_in_use(settings, database)
    except fitness.NoAnswer:
        if not waits:
            database.close()
            raise
        # none is made: whether there are matches cannot be known
        keys = load_keys(settings.secrets_file)
    except Exception:
        database.close()
        raise
    return Service(settings, database, keys, ring=ring)
