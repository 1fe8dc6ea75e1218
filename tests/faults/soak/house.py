"""What is soaked: ``pbem up`` on a small disk, its servers, a relay, and the people."""

from __future__ import annotations

import os
import shutil
import tempfile
import threading
import time
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Literal

from pbem.config import load_settings
from pbem.service import Service, open_service
from tests.acceptance.people import ROOT, Up
from tests.faults.soak.clock import SINCE, FastClock
from tests.faults.soak.disk import NoDiskError, SmallDisk
from tests.faults.soak.people import NAMES, Host, Notes, PostOffice, Regular
from tests.parts.ports import free_port
from tests.parts.postgres_server import PostgresServer
from tests.parts.redis_server import RedisServer
from tests.parts.relay import start_relay

Kind = Literal["sqlite", "postgresql"]
#: PostgreSQL must keep what it confirmed although it is killed, and must not fill the small disk.
DURABLE = ("synchronous_commit=on", "max_wal_size=64MB", "min_wal_size=32MB")
#: How often the service is started again, if its start is cut short.
STARTS = 5


class House:
    """All that runs for one soak; ``close`` ends it."""

    def __init__(self, kind: Kind, seed: str) -> None:
        with ExitStack() as things:
            self.folder = Path(tempfile.mkdtemp(prefix="pbem-soak-"))
            things.callback(shutil.rmtree, self.folder, ignore_errors=True)
            self.home = self.folder / "home"
            self.disk, self.no_disk = self._small_disk(things)
            self.redis = RedisServer()
            things.callback(self.redis.remove)
            self.redis.start()
            self.relay, controller = start_relay()
            things.callback(controller.stop)
            self.postgres: PostgresServer | None = None
            url = f"sqlite:///{self.home / 'pbem.sqlite3'}"
            if kind == "postgresql":
                self.postgres = PostgresServer(self.folder, DURABLE)
                things.callback(self.postgres.remove)
                self.postgres.start()
                url = things.enter_context(self.postgres.database())
            os.environ[SINCE] = repr(time.time())
            door = free_port()
            self.up = Up(self.home, **self._settings(url, door))
            things.callback(self._stop)
            self.service = self._look_into(url)
            things.callback(self.service.database.close)
            self.notes, self.office = Notes(), PostOffice(self.relay)
            self._people = [
                *(Regular(self.up, name, seed, self.office, self.notes, door) for name in NAMES),
                Host(self.up, self.notes),
            ]
            for one in self._people:
                threading.Thread(target=one.live, daemon=True).start()
            self._things = things.pop_all()

    def _settings(self, url: str, door: int) -> dict[str, str]:
        return {
            "PYTHONPATH": f"{Path(__file__).with_name('fast')}{os.pathsep}{ROOT}",
            "PBEM_DATABASE_URL": url,
            "PBEM_BROKER_URL": self.redis.url,
            "PBEM_ALLOW_CONFIRMED_SEATS": "true",
            "PBEM_LIMITS_OPEN_MATCHES_PER_HOST": "100000",
            "PBEM_LIMITS_LINKS_PER_ADDRESS_PER_HOUR": "1000",
            "PBEM_LIMITS_LINKS_PER_NETWORK_PER_HOUR": "1000000",
            "PBEM_MAIL_MODE": "smtp",
            "PBEM_MAIL_HOST": self.relay.host,
            "PBEM_MAIL_PORT": str(self.relay.port),
            "PBEM_MAIL_TIMEOUT_SECONDS": "2",
            "PBEM_INCOMING_LMTP_PORT": str(door),
            "PBEM_WORK_PROCESSES": "4",
            "PBEM_OPERATOR_ADDRESS": "operator@example.org",
        }

    def _small_disk(self, things: ExitStack) -> tuple[SmallDisk | None, str]:
        """The disk, or None and why there is none here."""
        try:
            disk = SmallDisk(self.folder)
        except NoDiskError as error:
            return None, str(error)
        things.callback(disk.remove)
        return disk, ""

    def _look_into(self, url: str) -> Service:
        """The same database and keys, for the checks alone."""
        settings = load_settings(
            home=self.home,
            database_url=url,
            mail={"mode": "smtp", "host": self.relay.host, "port": self.relay.port},
        )
        return replace(open_service(settings), clock=FastClock())

    def start_again(self) -> None:
        for _ in range(STARTS):
            try:
                self.up._start()
                return
            except AssertionError:
                self.up.process.kill()
                self.up.process.wait()
        raise AssertionError("pbem up does not start any more")

    # --- the people ---

    def rest(self, seconds: float) -> None:
        """Returns when everybody has their answers and begins nothing new."""
        for one in self._people:
            one.pause.set()
        until = time.monotonic() + seconds
        while not all(one.rests.is_set() for one in self._people):
            assert time.monotonic() < until, "somebody gets no answer"
            time.sleep(0.05)

    def done(self) -> int:
        """Moves and mails so far: a number that grows while anything works."""
        mails = self.office.copies.total() + len(self.relay.taken)
        return len(self.notes.taken) + len(self.notes.letters) + mails

    def warm_up(self, seconds: float) -> None:
        """Returns when a first move was taken: before that there is nothing to lose."""
        until = time.monotonic() + seconds
        while not self.notes.taken:
            assert time.monotonic() < until, "nobody can move"
            time.sleep(0.05)

    def go_on(self) -> None:
        for one in self._people:
            one.pause.clear()

    # --- the end ---

    def keep(self, folder: Path) -> None:
        """Copies the logs, and the database where it is a file, for whoever looks for the cause."""
        folder.mkdir(parents=True, exist_ok=True)
        shutil.copy(self.folder / f"{self.home.name}.log", folder)
        shutil.copytree(self.home / "log", folder / "log", dirs_exist_ok=True)
        for file in self.home.glob("pbem.sqlite3*"):
            shutil.copy(file, folder)

    def _stop(self) -> None:
        for one in self._people:
            one.gone = True
        if self.up.process.poll() is None:
            self.up.stop()

    def close(self) -> None:
        self._things.close()
