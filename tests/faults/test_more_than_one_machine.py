"""Two hosts with web and workers, a third with PostgreSQL and Redis, each in a network of its own.

The processes are those of the ``Procfile``. The clock of the second host is seven seconds ahead.
People play over both while one host after the other is cut off and comes back; they hand a move in
again, at the other host, wherever they got no answer.
"""

from __future__ import annotations

import email
import json
import os
import random
import re
import shlex
import signal
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from datetime import timedelta
from email import policy
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text

from pbem.clock import ManualClock, SystemClock
from pbem.config import Settings
from pbem.config.sections import Mail as MailSettings
from pbem.mail import message_ids
from pbem.service import open_service
from pbem.store.db import BUSY_SECONDS
from pbem.store.names import MailStatus
from tests.acceptance.people import ROOT, address
from tests.faults.invariants import Acknowledged, check
from tests.mail.office import Office, parsed
from tests.parts import network
from tests.parts.cast import House, make_service
from tests.parts.network import Host, Network
from tests.parts.postgres_server import PostgresServer, binaries
from tests.parts.processes import start, stop, wait_until
from tests.parts.redis_server import RedisServer
from tests.parts.relay import Relay, start_relay

NAMES = ("Alice", "Bob", "Carol", "Dave")
MATCHES = 8
PORT = 8000
#: Seconds by which the clock of the second host is ahead, and what makes it so.
AHEAD, CLOCK_AHEAD = 7, Path(__file__).parent / "clock_ahead"
#: Seconds that a person waits for an answer.
PATIENCE = 3.0

pytestmark = [
    pytest.mark.process,
    pytest.mark.slow,
    pytest.mark.postgres,
    pytest.mark.redis,
    pytest.mark.timeout(300),
]


@dataclass
class Machine:
    """A host that runs processes of the Procfile."""

    host: Host
    home: Path
    settings: dict[str, str]
    processes: list[subprocess.Popen[bytes]] = field(default_factory=list)

    @property
    def url(self) -> str:
        return f"http://{self.host.address}:{PORT}"

    def run(self, *names: str) -> None:
        """Starts these lines of the Procfile."""
        lines = dict(line.split(": ", 1) for line in (ROOT / "Procfile").read_text().splitlines())
        for name in names:
            self.processes.append(
                start(self.host.command(*_command(lines[name])), self.log(name), env=self.settings)
            )

    def log(self, name: str) -> Path:
        return self.home / f"{name}.log"

    def is_ready(self) -> bool:
        try:
            with urllib.request.urlopen(f"{self.url}/readyz", timeout=PATIENCE) as answer:
                return bool(answer.status == 200)
        except OSError:
            return False

    def stop(self) -> None:
        for process in reversed(self.processes):
            stop(process)


def _command(line: str) -> list[str]:
    """A line of the Procfile, run by this Python."""
    program, *words = shlex.split(line)
    module = {"pbem": "pbem.cli"}.get(program, program)
    return [sys.executable, "-m", module, *words]


#: Other connections to this database that are in a transaction.
IN_A_TRANSACTION = text(
    "SELECT pid FROM pg_stat_activity WHERE xact_start IS NOT NULL"
    " AND datname = current_database() AND pid <> pg_backend_pid()"
)


@dataclass
class Installation:
    machines: list[Machine]
    settings: Settings
    relay: Relay

    @contextmanager
    def an_hour_later(self) -> Iterator[Office]:
        """When every lease is over, and no transaction is open that was cut off with its host."""
        service = open_service(self.settings)
        later = ManualClock(service.now() + timedelta(hours=1))

        def nobody_is_in_a_transaction() -> bool:
            with service.database.read() as session:
                return session.connection().execute(IN_A_TRANSACTION).first() is None

        try:
            wait_until(nobody_is_in_a_transaction, "a transaction does not end", 2 * BUSY_SECONDS)
            yield Office(replace(service, clock=later))
        finally:
            service.database.close()


@pytest.fixture
def networked() -> Iterator[tuple[Network, PostgresServer]]:
    """A network, and PostgreSQL on a host of its own."""
    why = network.why_not()
    if why is None and binaries() is None:
        why = "PostgreSQL is needed"
    if why is not None:
        pytest.skip(why)
    with ExitStack() as made:
        net = Network()
        made.callback(net.remove)
        postgres = PostgresServer(on=net.host())
        made.callback(postgres.remove)
        postgres.start()
        yield net, postgres


@pytest.fixture
def installation(
    networked: tuple[Network, PostgresServer], tmp_path: Path
) -> Iterator[Installation]:
    net, postgres = networked
    with ExitStack() as made:
        assert postgres.host is not None
        redis = RedisServer(postgres.host)
        made.callback(redis.remove)
        redis.start()
        relay, controller = start_relay(net.address)
        made.callback(controller.stop)
        local = made.enter_context(postgres.database())
        secrets = tmp_path / "secrets.toml"
        machines = [
            Machine(
                host,
                tmp_path / host.namespace,
                {
                    **{k: v for k, v in os.environ.items() if not k.startswith("PBEM_")},
                    "PBEM_HOME": str(tmp_path / host.namespace),
                    "PBEM_HOST": host.address,
                    "PBEM_PORT": f"{PORT}",
                    "PBEM_BASE_URL": f"http://{net.address}:{PORT}",
                    "PBEM_DATABASE_URL": postgres.across_the_network(local),
                    "PBEM_BROKER_URL": redis.tcp_url,
                    "PBEM_SECRETS_FILE": str(secrets),
                    "PBEM_SWEEP_SECONDS": "1",
                    # nothing answers in these networks
                    "PBEM_BEACON_ENABLED": "false",
                    "PBEM_WORK_PROCESSES": "1",
                    "PBEM_ALLOW_CONFIRMED_SEATS": "true",
                    "PBEM_MAIL_MODE": "smtp",
                    "PBEM_MAIL_HOST": relay.host,
                    "PBEM_MAIL_PORT": f"{relay.port}",
                    "PBEM_MAIL_TIMEOUT_SECONDS": "3",
                    "PBEM_LIMITS_REQUESTS_PER_MINUTE": "1000000",
                },
            )
            for host in (net.host(), net.host())
        ]
        machines[1].settings |= {"PYTHONPATH": str(CLOCK_AHEAD), "AHEAD": f"{AHEAD}"}
        settings = Settings(
            home=tmp_path,
            database_url=local,
            secrets_file=secrets,
            mail=MailSettings(mode="smtp", host=relay.host, port=relay.port),
            allow_confirmed_seats=True,
        )
        open_service(settings).database.close()
        for machine in machines:
            machine.home.mkdir()
            made.callback(machine.stop)
            machine.run("web", "moves", "worker", "beat")
        for machine in machines:
            wait_until(machine.is_ready, f"{machine.url} does not answer", 90)
        yield Installation(machines, settings, relay)


class Person(threading.Thread):
    """Answers each mail that asks for a move, at one host or the other, until it is enough."""

    def __init__(self, name: str, urls: list[str], relay: Relay, seed: int) -> None:
        super().__init__(daemon=True)
        self._address, self._urls, self._relay = address(name), urls, relay
        self._chance = random.Random(seed)
        self._read = 0
        self._open: list[str] = []
        self.enough = False
        #: When a receipt came, and for what.
        self.acknowledged: list[tuple[float, Acknowledged]] = []
        #: Answers that no service should give.
        self.strange: list[str] = []

    def run(self) -> None:
        while not self.enough:
            self._look()
            for path in list(self._open):
                self._answer(path)
            time.sleep(0.05)

    def _look(self) -> None:
        taken = self._relay.taken[self._read :]
        self._read += len(taken)
        for mail in taken:
            if self._address in mail.recipients:
                message = email.message_from_bytes(mail.content, policy=policy.default)
                body = message.get_body(("plain",))
                assert body is not None
                for path in re.findall(r"/t/[\w-]+", body.get_content()):
                    if path not in self._open:
                        self._open.append(path)

    def _answer(self, path: str) -> None:
        status, page = self._ask(path)
        if status != 200 or page["status"] != "open":
            self._open.remove(path)
            return
        order = self._chance.choice(page["orders"])
        move = {"order": order, "submission": f"{path} at {page['ply']}"}
        status, receipt = self._ask(path, move)
        if status == 200:
            made = Acknowledged(move["submission"], receipt["ply"], receipt["order"])
            self.acknowledged.append((time.monotonic(), made))
        elif status != 409:
            self.strange.append(f"{status} {receipt}")

    def _ask(self, path: str, value: Any = None) -> tuple[int, Any]:
        """The same request again and again, at any host, until one gives an answer."""
        body = None if value is None else json.dumps(value).encode()
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        while True:
            url = self._chance.choice(self._urls) + path
            request = urllib.request.Request(url, data=body, headers=headers)
            try:
                with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
                    return answer.status, json.load(answer)
            except urllib.error.HTTPError as error:
                if error.code != 503:
                    return error.code, error.read()
            except (OSError, ValueError):
                pass
            time.sleep(0.1)


def opened(machine: Machine) -> None:
    seats = [{"name": name, "email": address(name), "confirmed": True} for name in NAMES]
    asked = {"game": "dog", "host": {"name": "Alice", "email": address("Alice")}, "seats": seats}
    request = urllib.request.Request(
        f"{machine.url}/api/matches",
        data=json.dumps(asked | {"confirmed": True}).encode(),
        headers={"Content-Type": "application/json", "Accept": "application/json"},
    )
    with urllib.request.urlopen(request, timeout=30) as answer:
        assert answer.status == 201


# --- what happens ---


HOLD_A_MATCH = """
import sys, time
from sqlmodel import select
from pbem.store.db import Database
from pbem.store.models import Match

with Database(sys.argv[1]).write("test") as session:
    session.exec(select(Match).with_for_update()).one()
    print("held", flush=True)
    time.sleep(600)
"""


def test_a_host_that_is_cut_off_in_a_transaction_holds_its_match_for_seconds(
    networked: tuple[Network, PostgresServer], tmp_path: Path
) -> None:
    net, postgres = networked
    host = net.host()
    with postgres.database() as local:
        house = House(replace(make_service(tmp_path, local), clock=SystemClock()))
        match = house.running()
        command = host.command(
            sys.executable, "-c", HOLD_A_MATCH, postgres.across_the_network(local)
        )
        holder = start(command, tmp_path / "held", env=os.environ)
        wait_until(lambda: "held" in (tmp_path / "held").read_text(), "it holds nothing")
        host.cut_off()

        begun = time.monotonic()
        receipt = house.play(match, 0)

        assert receipt.ply == 1
        assert 1 < time.monotonic() - begun < 2 * BUSY_SECONDS
        house.service.database.close()
        stop(holder, signal.SIGKILL)


def test_a_host_is_cut_off_and_comes_back_and_nothing_is_lost_or_doubled(
    installation: Installation,
) -> None:
    machines, relay = installation.machines, installation.relay
    for _ in range(MATCHES):
        opened(machines[0])
    urls = [machine.url for machine in machines]
    people = [Person(name, urls, relay, seed) for seed, name in enumerate(NAMES)]
    for person in people:
        person.start()

    def moves(since: float = 0) -> int:
        return sum(at > since for person in people for at, _ in person.acknowledged)

    wait_until(lambda: moves() > 20, "nobody plays", 60)
    for machine in reversed(machines):
        machine.host.cut_off()
        cut = time.monotonic()
        wait_until(lambda cut=cut: moves(cut) > 3, "the other host does not carry on", 60)
        machine.host.join()
        back = time.monotonic()
        wait_until(lambda back=back: moves(back) > 10, "it does not go on", 60)
    for person in people:
        person.enough = True
    for person in people:
        person.join(60)
    for machine in machines:
        machine.stop()

    assert [said for person in people for said in person.strange] == []
    # what a host had taken when it was cut off waits for the end of its lease
    with installation.an_hour_later() as office:
        office.work()
        office.post_all()
        check(office.service, [made for person in people for _, made in person.acknowledged])
        check_copies(office, relay)


def check_copies(office: Office, relay: Relay) -> None:
    """Each mail went out; a second copy only where the first was in doubt."""
    copies = Counter(str(parsed(mail.content)["Message-ID"]) for mail in relay.taken)
    keys = office.service.keys
    for row in office.mails():
        assert row.status in (MailStatus.SENT, MailStatus.DROPPED), row.status
        message_id = message_ids.message_id(keys, "localhost", row.dedupe)
        assert copies[message_id] <= 1 + (row.doubts > 0), row.dedupe
        assert row.status != MailStatus.SENT or copies[message_id] >= 1, row.dedupe
