"""Where benches have their databases, and the services on them."""

from __future__ import annotations

import secrets
import socket
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import urlsplit

import psycopg

from pbem.bench._postgres import binaries, running
from pbem.config import Settings
from pbem.config.sections import Limits, Mail
from pbem.service import Service, open_service
from pbem.store import db
from pbem.store.db import Database

SQLITE, POSTGRES = "sqlite", "postgres"


def databases() -> list[str]:
    """Those that this machine has programs for."""
    return [SQLITE, POSTGRES] if binaries() else [SQLITE]


@dataclass(frozen=True)
class Place:
    """A folder for SQLite files, or a PostgreSQL server."""

    kind: str
    scratch: Path
    #: The server's URL; empty for SQLite.
    server: str = ""
    #: The ids of its processes, if it was started here.
    processes: Sequence[int] = ()

    @contextmanager
    def service(self, relay: int = 25) -> Iterator[Service]:
        """A service in a home of its own on a fresh database, with a port that is free.

        All else is as by default, but mails go to a relay at this port, and nobody sends too much.
        """
        home = Path(tempfile.mkdtemp(dir=self.scratch))
        with ExitStack() as stack:
            url = f"sqlite:///{home / 'pbem.sqlite3'}"
            if self.server:
                url = stack.enter_context(self._database())
            db.upgrade(url)
            settings = Settings(
                home=home,
                port=free_port(),
                database_url=url,
                allow_confirmed_seats=True,
                mail=Mail(mode="smtp", host="127.0.0.1", port=relay),
                limits=Limits(requests_per_minute=1_000_000, matches_per_hour=1_000_000),
            )
            found = open_service(settings)
            found.database.close()
            # a large database is made by statements that take long
            database = stack.enter_context(closing(Database(settings.database_url, patience=None)))
            yield replace(found, database=database)

    @contextmanager
    def _database(self) -> Iterator[str]:
        name = f"pbem_bench_{secrets.token_hex(6)}"
        plain = self.server.replace("postgresql+psycopg://", "postgresql://")
        with psycopg.connect(plain, autocommit=True) as connection:
            connection.execute(f'CREATE DATABASE "{name}"'.encode())
            try:
                yield urlsplit(self.server)._replace(path=f"/{name}").geturl()
            finally:
                connection.execute(f'DROP DATABASE "{name}" WITH (FORCE)'.encode())


@contextmanager
def place(database: str, scratch: Path) -> Iterator[Place]:
    """``sqlite``, ``postgres`` (a server of its own), or the URL of a server.

    On a server that is named databases are made beside the one named, and dropped afterwards.
    """
    if database == SQLITE:
        yield Place(SQLITE, scratch)
    elif database == POSTGRES:
        programs = binaries()
        assert programs is not None
        with running(programs) as (url, process):
            yield Place(POSTGRES, scratch, url, (process,))
    else:
        yield Place(POSTGRES, scratch, Settings(database_url=database).database_url)


def free_port() -> int:
    """A port of this machine that nobody listens at."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port: int = taken.getsockname()[1]
        return port
