"""A PostgreSQL of the tests' own: one server, a migrated template, a clone of it for each test."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
import threading
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote, urlsplit

import psycopg

from pbem.bench._postgres import binaries
from pbem.store import db
from tests.parts.network import Host
from tests.parts.processes import start, stop, unprivileged, wait_until

#: What makes it quick; the tests can lose the whole server.
OPTIONS = (
    "listen_addresses=",
    "fsync=off",
    "full_page_writes=off",
    "synchronous_commit=off",
    "max_connections=200",
    "shared_buffers=32MB",
    "max_wal_size=128MB",
)
#: For how long it can be frozen.
FROZEN_SECONDS = 30


class PostgresServer:
    """A server we started, or the one of PBEM_TEST_DATABASE_URL.

    ``where``: the folder of ours, if not the usual one for temporary files. ``options`` come after
    ``OPTIONS`` and count more. With ``on`` ours is on a host of a network, and all hosts reach it.
    """

    def __init__(
        self, where: Path | None = None, options: Sequence[str] = (), on: Host | None = None
    ) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._where, self._options = where, (*OPTIONS, *options)
        self.folder: Path | None = None
        self.host = on
        given = os.environ.get("PBEM_TEST_DATABASE_URL") if on is None else None
        self._admin = given.replace("postgresql+psycopg://", "postgresql://") if given else ""
        self._template = f"pbem_template_{uuid.uuid4().hex[:12]}"

    def start(self) -> None:
        if not self._admin:
            self._start_own()
        self._execute(f'CREATE DATABASE "{self._template}"')
        db.upgrade(self._url(self._template))

    def _start_own(self) -> None:
        bin_folder = binaries()
        assert bin_folder is not None
        self.folder = Path(tempfile.mkdtemp(prefix="pbem-pg-", dir=self._where))
        self._user = unprivileged()
        if self._user is not None:
            bin_folder = self._reachable(bin_folder, self._user)
            shutil.chown(self.folder, self._user)
        self._bin = bin_folder
        self._run_initdb()
        self._admin = f"postgresql://pbem@/postgres?host={self.folder}"
        self.start_own_process()

    def start_own_process(self) -> None:
        """Starts the server process (again): for tests that take it away for a while."""
        assert self.folder is not None
        options = [word for option in self._options for word in ("-c", option)]
        command = [
            str(self._bin / "postgres"),
            *("-D", str(self.folder / "data"), "-k", str(self.folder)),
            *options,
        ]
        user = self._user
        if self.host is not None:
            command += ["-c", f"listen_addresses={self.host.address}"]
            with (self.folder / "data" / "pg_hba.conf").open("a") as rules:
                rules.write("host all all samenet trust\n")
            command, user = self.host.command(*command, user=user), None
        self._process = start(command, self.folder / "log", user)
        wait_until(self._answers, "PostgreSQL does not answer", 60)

    @property
    def pid(self) -> int | None:
        """The number of our server process, if it runs."""
        running = self._process is not None and self._process.poll() is None
        return self._process.pid if self._process is not None and running else None

    def stop_own_process(self, number: int = signal.SIGINT) -> None:
        if self._process is not None:
            stop(self._process, number)

    @contextmanager
    def frozen(self) -> Iterator[None]:
        """Inside the block no process of our server runs, and all that it has open stays open.

        After ``FROZEN_SECONDS`` it goes on anyway, for who would wait for ever.
        """
        pid = self.pid
        assert pid is not None
        os.kill(pid, signal.SIGSTOP)
        # no more of them come now
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        processes = [pid, *map(int, children)]

        def signal_all(number: int) -> None:
            for process in processes:
                os.kill(process, number)

        thaw = threading.Timer(FROZEN_SECONDS, signal_all, [signal.SIGCONT])
        signal_all(signal.SIGSTOP)
        thaw.start()
        try:
            yield
        finally:
            thaw.cancel()
            signal_all(signal.SIGCONT)

    def _run_initdb(self) -> None:
        assert self.folder is not None
        process = start(
            [
                str(self._bin / "initdb"),
                *("-D", str(self.folder / "data"), "-U", "pbem", "-A", "trust"),
                *("-E", "UTF8", "--locale=C", "--no-sync"),
            ],
            self.folder / "log",
            self._user,
        )
        assert process.wait(120) == 0, (self.folder / "log").read_text()

    def _reachable(self, folder: Path, user: str) -> Path:
        """The folder, or a copy of its installation where ``user`` may not enter it."""
        assert self.folder is not None
        try:
            probe = subprocess.run(
                [folder / "postgres", "--version"],
                cwd="/",
                user=user,
                capture_output=True,
                check=False,
            )
            if probe.returncode == 0:
                return folder
        except PermissionError:
            pass
        copy = self.folder / "install"
        shutil.copytree(folder.parent, copy, symlinks=True)
        self.folder.chmod(0o755)
        return copy / "bin"

    @contextmanager
    def database(self, *, empty: bool = False) -> Iterator[str]:
        """The URL of a fresh database with all tables, or ``empty``; dropped afterwards."""
        name = f"pbem_test_{uuid.uuid4().hex[:12]}"
        template = "template0" if empty else self._template
        self._execute(f'CREATE DATABASE "{name}" TEMPLATE "{template}"')
        try:
            yield self._url(name)
        finally:
            self._execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')

    def across_the_network(self, url: str) -> str:
        """The URL of a database as the hosts of the network reach it."""
        assert self.host is not None
        return urlsplit(url)._replace(netloc=f"pbem@{self.host.address}", query="").geturl()

    @contextmanager
    def behind_a_password(self, password: str) -> Iterator[str]:
        """The URL of a fresh database, as a role that is let in by its password (scram) alone.

        Only a server of our own can be told to ask for it.
        """
        assert self.folder is not None
        role = f"pbem_role_{uuid.uuid4().hex[:12]}"
        rules = self.folder / "data" / "pg_hba.conf"
        before = rules.read_bytes()
        rules.write_bytes(f"local all {role} scram-sha-256\n".encode() + before)
        self._execute(f"CREATE ROLE {role} SUPERUSER LOGIN PASSWORD '{password}'")
        self._execute("SELECT pg_reload_conf()")
        try:
            with self.database() as url:
                yield url.replace("//pbem@", f"//{role}:{quote(password, safe='')}@")
        finally:
            rules.write_bytes(before)
            self._execute(f"DROP ROLE {role}")
            self._execute("SELECT pg_reload_conf()")

    def remove(self) -> None:
        if self._process is None:
            if self._admin:
                self._execute(f'DROP DATABASE IF EXISTS "{self._template}" WITH (FORCE)')
            return
        self.stop_own_process()
        assert self.folder is not None
        shutil.rmtree(self.folder, ignore_errors=True)

    def _url(self, name: str) -> str:
        parts = urlsplit(self._admin)
        return parts._replace(scheme="postgresql+psycopg", path=f"/{name}").geturl()

    def _answers(self) -> bool:
        try:
            self._execute("SELECT 1")
        except psycopg.OperationalError:
            return False
        return True

    def _execute(self, sql: str) -> None:
        with psycopg.connect(self._admin, autocommit=True, connect_timeout=60) as connection:
            connection.execute(sql.encode())
