"""The first argument of every act: database, clock, keys, and a doorbell.

A process makes one ``Service`` when it starts and passes it to the acts. A bench makes its own,
with a clock it can move.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol

from pbem import fitness
from pbem.clock import Clock, SystemClock
from pbem.config import Settings
from pbem.store.db import Database
from pbem.store.keys import Keys, load_keys
from pbem.store.table import Table, load


def _silent(queue: str) -> None:
    """No doorbell: the next sweep will find what is due."""


class Work(Protocol):
    """What an act noted, to be written."""

    @property
    def match_id(self) -> str: ...

    def commit(self, others: Sequence[Any] = ()) -> set[str]:
        """Writes it, with others of its kind, in one transaction.

        Returns the matches of which nothing is written, because somebody else was first.
        """

    def after(self) -> Table | None:
        """The match as it will be then, if it is due then; None if that is not known before."""

    def follow(self, earlier: Any) -> None:
        """Has it written with an earlier work on the same match, after it."""


class Access:
    """How an act reads its match, and writes what it noted: at once."""

    def read(self, service: Service, match_id: str) -> Table:
        """A match as an act reads it, or NotFound."""
        with service.database.ask() as session:
            return load(session, match_id)

    def write(self, service: Service, work: Work) -> None:
        """Writes what an act noted, at the end of the act."""
        work.commit()


@dataclass(frozen=True)
class Service:
    """The parts that acts work with."""

    settings: Settings
    database: Database
    keys: Keys
    clock: Clock = field(default_factory=SystemClock)
    #: Returns so many random bytes that nobody can guess, for seeds, ids and phrases.
    entropy: Callable[[int], bytes] = secrets.token_bytes
    #: Rings a worker ("advance" or "post") after a commit. It may fail: see running.doorbell.
    ring: Callable[[str], object] = _silent
    access: Access = field(default_factory=Access)

    def now(self) -> datetime:
        return self.clock.now()

    def read(self, match_id: str) -> Table:
        return self.access.read(self, match_id)

    def write(self, work: Work) -> None:
        self.access.write(self, work)


def open_service(
    settings: Settings,
    ring: Callable[[str], object] = _silent,
    *,
    looks_only: bool = False,
    waits: bool = False,
) -> Service:
    """The service of these settings.

    Raises NotFit or KeysError if database, tables or keys do not fit. ``looks_only``: for a command
    that only reads: no keys are made. ``waits``: a database that does not answer is no error.
    """
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
        # no keys are made: it is not known whether the database has others
        keys = load_keys(settings.secrets_file)
    except Exception:
        database.close()
        raise
    return Service(settings, database, keys, ring=ring)
