"""The doctor finds what is wrong, says what to do, and tells no secret."""

from __future__ import annotations

import json
import platform
import secrets
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from aiosmtpd.controller import Controller

from pbem import fitness
from pbem.acts import outbox
from pbem.cli import main
from pbem.config import Settings, load_settings
from pbem.running import doctor
from pbem.running.doctor import examine
from pbem.running.heartbeats import Heart
from pbem.service import open_service
from pbem.store import db
from pbem.store.db import Database
from pbem.store.models import Audit, Match
from tests.parts.certificates import Authority
from tests.parts.ports import free_port
from tests.parts.redis_server import RedisServer
from tests.parts.relay import Relay, Taken
from tests.running.examined import changed, mail_settings, notes, other_program, web, wrong


def test_a_service_that_is_well_is_well(settings: Settings) -> None:
    assert wrong(settings) == {}


def test_what_is_wrong_comes_with_advice(tmp_path: Path) -> None:
    found = wrong(load_settings(home=tmp_path / "nothing"))

    # without a broker nobody knows of workers, and the web is started together with it
    assert set(found) == {"database", "broker"}
    assert "pbem migrate" in found["database"].advice
    assert found["broker"].advice == "`pbem up` starts it."


def test_a_database_that_does_not_answer_is_one_finding_without_its_statement(
    tmp_path: Path, settings: Settings
) -> None:
    url = "postgresql://pbem:hunter2@127.0.0.1:1/pbem"

    found = wrong(changed(settings, database_url=url))

    assert set(found) == {"database"}
    assert "Connection refused" in found["database"].found
    assert "host, user, password and name" in found["database"].advice
    assert not any(word in str(found) for word in ("hunter2", "SELECT", "[SQL", "sqlalche.me"))


def test_a_file_that_is_no_database_is_one_finding(tmp_path: Path, settings: Settings) -> None:
    (tmp_path / "letter").write_text("This is a letter and no database. " * 100)

    found = wrong(changed(settings, database_url=f"sqlite:///{tmp_path}/letter"))

    assert set(found) == {"database"}
    assert "file is not a database" in found["database"].found


def test_a_file_that_another_program_holds_is_wrong(
    settings: Settings, sqlite_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(db, "BUSY_SECONDS", 1)
    path = db.sqlite_path(sqlite_url)
    assert path is not None

    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        found = wrong(changed(settings, database_url=sqlite_url))

    assert set(found) == {"database"}
    assert "locked" in found["database"].found
    assert "let it end" in found["database"].advice


def test_a_home_that_cannot_be_written_is_wrong(tmp_path: Path, settings: Settings) -> None:
    (tmp_path / "file").touch()

    found = wrong(changed(settings, home=tmp_path / "file" / "home"))

    assert set(found) == {"home"}
    assert "PBEM_HOME" in found["home"].advice


def test_keys_that_are_not_those_of_the_database_are_wrong(settings: Settings) -> None:
    settings.secrets_file.unlink()

    lost = wrong(settings)["keys"]
    settings.keys()
    foreign = wrong(settings)["keys"]

    assert "no keys in" in lost.found
    assert "not those that sign" in foreign.found
    assert "backup" in lost.advice


# --- the web, as players reach it ---


def test_a_base_url_that_leads_nowhere_is_wrong(settings: Settings) -> None:
    nobody = changed(settings, base_url=f"http://127.0.0.1:{free_port()}")
    unknown = changed(settings, base_url="http://games.example.invalid")

    assert "connection refused" in wrong(nobody)["web"].found
    assert "nobody knows that host" in wrong(unknown)["web"].found
    assert "base_url" in wrong(unknown)["web"].advice


def test_a_base_url_that_leads_to_somebody_else_is_wrong(
    settings: Settings, tmp_path: Path
) -> None:
    port = free_port()
    other = load_settings(home=tmp_path / "other")
    fitness.migrate(other)

    with web(other, port):
        found = wrong(changed(settings, base_url=f"http://127.0.0.1:{port}"))["web"]
    with other_program() as somebody:
        no_pbem = wrong(changed(settings, base_url=f"http://127.0.0.1:{somebody}"))["web"]

    assert "a pbem with other keys answers there" in found.found
    assert "something else answers there" in no_pbem.found


def test_a_web_that_does_not_run_is_wrong(settings: Settings) -> None:
    found = wrong(changed(settings, port=free_port()))["web"]

    assert found.advice.startswith("Start it: `pbem up`, or `pbem serve`.")


@pytest.mark.parametrize(
    ("forwarded", "trusted", "state"),
    [
        ("192.0.2.1", 0, "wrong"),
        ("192.0.2.1, 198.51.100.1", 1, "wrong"),
        ("192.0.2.1", 1, "well"),
        ("", 1, "note"),
    ],
)
def test_proxies_in_front_are_counted(
    settings: Settings, forwarded: str, trusted: int, state: str
) -> None:
    port = free_port()
    with web(settings, port, forwarded):
        asked = changed(settings, port=port, web={"trusted_proxies": trusted})
        found = [finding for finding in examine(asked) if finding.part == "web"]

    assert found[-1].state == state
    if state != "well":
        proxies = len(forwarded.split(",")) if forwarded else 0
        assert f"web.trusted_proxies = {proxies}" in found[-1].advice


def test_files_that_others_can_read_are_wrong(tmp_path: Path, settings: Settings) -> None:
    own = changed(settings, database_url="")
    fitness.migrate(own)
    files = [tmp_path / "secrets.toml", tmp_path / "pbem.sqlite3"]
    for file in files:
        file.chmod(0o644)

    behind_a_wall = wrong(own)
    tmp_path.chmod(0o755)
    found = wrong(own)

    assert behind_a_wall == {}
    assert set(found) == {"files"}
    assert found["files"].found == f"Others can read {files[0]}, {files[1]}."
    assert found["files"].advice == f"chmod 600 {files[0]} {files[1]}"


def test_a_silent_worker_is_wrong(settings: Settings) -> None:
    Heart(settings, "worker").stop()

    assert "worker" in wrong(settings)


def test_a_beat_on_each_machine_is_well(
    settings: Settings, redis_server: RedisServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    shared = changed(settings, broker_url=redis_server.url)
    for machine in ("one", "other"):
        monkeypatch.setattr(platform, "node", lambda machine=machine: machine)
        Heart(shared, "beat").beat()

    found = [finding for finding in examine(shared) if finding.part == "beat"]

    assert [(one.state, one.found) for one in found] == [("well", "2 alive.")]


def test_a_broker_that_forgets_is_noted(settings: Settings, redis_server: RedisServer) -> None:
    with doctor.broker.client(redis_server.url) as client:
        client.config_set("appendonly", "no")
        client.config_set("maxmemory-policy", "allkeys-lru")

    told = notes(changed(settings, broker_url=redis_server.url))

    assert "forgets rings" in told
    assert "throw rings away" in told


def test_a_mailbox_that_everybody_can_read_is_wrong(settings: Settings) -> None:
    assert "read every mail" in wrong(changed(settings, host="0.0.0.0"))["settings"].found


@dataclass
class Strict:
    """A relay that is particular about senders, or about a domain."""

    relay: Relay
    senders: set[str] = field(default_factory=set)
    refused: str = ""
    #: What those who offered mails called themselves.
    greeted_by: set[str] = field(default_factory=set)

    async def handle_MAIL(
        self, _server: Any, session: Any, envelope: Any, address: str, options: list[str]
    ) -> str:
        self.greeted_by.add(session.host_name)
        if self.senders and address not in self.senders:
            return "553 5.7.1 Not yours"
        envelope.mail_from = address
        return "250 OK"

    async def handle_RCPT(
        self, _server: Any, _session: Any, envelope: Any, address: str, options: list[str]
    ) -> str:
        if self.refused and address.endswith(f"@{self.refused}"):
            return "550 5.1.1 Unknown"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, _server: Any, _session: Any, envelope: Any) -> str:
        self.relay.taken.append(Taken(envelope.mail_from, tuple(envelope.rcpt_tos), b""))
        return "250 OK"


@pytest.fixture
def strict_relay() -> Iterator[Strict]:
    port = free_port()
    strict = Strict(Relay("127.0.0.1", port))
    controller = Controller(strict, hostname="127.0.0.1", port=port)
    controller.start()
    yield strict
    controller.stop()


def test_a_relay_is_greeted_and_gets_no_mail(settings: Settings, smtp_server: Relay) -> None:
    findings = examine(changed(settings, mail=mail_settings(smtp_server)))

    assert [finding.state for finding in findings if finding.part == "mail"] == ["well"]
    assert smtp_server.taken == []


def test_a_relay_is_told_the_name_that_mails_come_from(
    settings: Settings, strict_relay: Strict
) -> None:
    """As when mails are sent. Looking up this machine's own name can take many seconds."""
    mail = mail_settings(strict_relay.relay, from_address="pbem@play.example.org")

    examine(changed(settings, mail=mail))

    assert strict_relay.greeted_by == {"play.example.org"}


def test_a_relay_that_does_not_let_our_return_path_send_is_wrong(
    settings: Settings, strict_relay: Strict
) -> None:
    """Nobody would get a mail, and each of them would be tried for days."""
    mail = mail_settings(strict_relay.relay, return_path_domain="play.example.org")
    strict_relay.senders = {"pbem@localhost"}
    asked = changed(settings, mail=mail, incoming={"webhook_key": secrets.token_hex(32)})

    found = wrong(asked)["mail"]

    assert "553 5.7.1 Not yours" in found.found
    assert "b+...@play.example.org" in found.advice
    assert strict_relay.relay.taken == []
    # without a door the return path is the address that it knows
    assert "mail" not in wrong(changed(settings, mail=mail))


def test_a_relay_that_does_not_know_our_reply_addresses_is_wrong(
    settings: Settings, strict_relay: Strict
) -> None:
    mail = mail_settings(strict_relay.relay, reply_domain="play.example.org")
    strict_relay.refused = "play.example.org"
    asked = changed(settings, mail=mail, incoming={"webhook_key": secrets.token_hex(32)})

    found = wrong(asked)["mail"]

    assert found.found == "The relay does not take answers to turns: 550 5.1.1 Unknown"
    assert "play.example.org" in found.advice


def test_a_relay_that_wants_us_to_come_again_is_only_noted(
    settings: Settings, smtp_server: Relay
) -> None:
    smtp_server.behaviour = "rcpt_451"
    asked = changed(settings, mail=mail_settings(smtp_server))

    assert "451 4.3.0 Try again later" in notes(asked)
    assert "mail" not in wrong(asked)


def test_a_relay_that_is_not_there_is_wrong(settings: Settings, smtp_server: Relay) -> None:
    mail = mail_settings(smtp_server, port=1)

    assert "mail.host and mail.port" in wrong(changed(settings, mail=mail))["mail"].advice


def test_a_relay_that_takes_no_login_or_no_tls_is_wrong(
    settings: Settings, smtp_server: Relay
) -> None:
    login = mail_settings(smtp_server, user="pbem", password="hunter2")
    tls = mail_settings(smtp_server, security="starttls")

    refused = wrong(changed(settings, mail=login))["mail"]
    unsafe = wrong(changed(settings, mail=tls))["mail"]

    assert "hunter2" not in str(refused)
    assert refused.found.endswith("offers no login (AUTH).")
    assert "mail.user" in refused.advice
    assert unsafe.found.endswith("offers no STARTTLS.")
    assert 'mail.security = "tls"' in unsafe.advice


@pytest.mark.parametrize(
    ("password", "advice"),
    [("", "PBEM_MAIL_PASSWORD"), ("hunter2", "mail.user and mail.password right?")],
)
def test_a_login_that_is_refused_is_wrong_and_a_missing_password_is_told(
    settings: Settings, password: str, advice: str
) -> None:
    relay = Relay("127.0.0.1", free_port())
    controller = Controller(relay, hostname=relay.host, port=relay.port, auth_require_tls=False)
    controller.start()
    asked = mail_settings(relay, user="pbem", password=password)

    found = wrong(changed(settings, mail=asked))["mail"]
    controller.stop()

    assert "refuses the login" in found.found
    assert advice in found.advice


def test_a_relay_with_a_certificate_of_its_own_making_is_told_so(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    authority, port = Authority(tmp_path), free_port()
    relay = Relay("localhost", port)
    controller = Controller(
        relay, hostname="127.0.0.1", port=port, tls_context=authority.server("localhost")
    )
    controller.start()
    asked = changed(settings, mail=mail_settings(relay, security="starttls"))
    other = changed(settings, mail=mail_settings(relay, security="starttls", host="127.0.0.1"))

    untrusted = wrong(asked)["mail"]
    authority.trusted(monkeypatch)
    trusted = wrong(asked)
    elsewhere = wrong(other)["mail"]
    controller.stop()

    assert "self-signed" in untrusted.found or "unable to get local issuer" in untrusted.found
    assert "SSL_CERT_FILE" in untrusted.advice
    assert "mail" not in trusted
    assert "mail.host to a name" in elsewhere.advice


def test_mails_that_stay_in_the_outbox_are_wrong(settings: Settings) -> None:
    hour_ago = datetime.now(UTC) - timedelta(hours=1)
    service = open_service(settings)
    with service.database.write("test") as session:
        outbox.owe(session, "links", "one", hour_ago, address="alice@example.org")
        outbox.owe(session, "links", "two", datetime.now(UTC), address="bob@example.org")
    service.database.close()

    found = wrong(settings)["outbox"]

    assert found.found.startswith("1 of 2 mails are overdue")
    assert "alice" not in str(found)


def test_a_match_that_was_set_aside_is_told(settings: Settings) -> None:
    now = datetime.now(UTC)
    database = Database(settings.database_url)
    with database.write("test") as session:
        session.add(
            Match(
                id="m1",
                game="dog",
                rules_version="1",
                seat_count=4,
                options_json="{}",
                title="Dog",
                language="en",
                zone="UTC",
                clock_json="{}",
                host_name="Alice",
                host_email="alice@example.org",
                seed=b"s",
                commitment="c",
                created_at=now,
                set_aside_at=now,
            )
        )
    database.close()

    assert wrong(settings)["matches"].advice == "`pbem stalled` shows them."


def test_a_changed_audit_log_is_told(settings: Settings) -> None:
    database = Database(settings.database_url)
    with database.write("test") as session:
        session.add(
            Audit(
                number=1,
                at=datetime.now(UTC),
                actor="operator",
                act="abort",
                detail_json="{}",
                previous_hash="0" * 64,
                hash="1" * 64,
            )
        )
    database.close()

    assert "audit" in wrong(settings)


def test_a_check_that_breaks_does_not_hide_the_others(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(_: object) -> None:
        raise RuntimeError("no disk of alice@example.org")

    monkeypatch.setattr(doctor.shutil, "disk_usage", broken)

    found = wrong(settings)

    assert found["disk"].found == "RuntimeError: no disk of <address>"
    assert set(found) == {"disk"}


def test_a_full_disk_is_told(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    class Usage:
        free = 1 << 20

    monkeypatch.setattr(doctor.shutil, "disk_usage", lambda _: Usage)

    assert "disk" in wrong(settings)


def test_the_command_answers_in_json_and_by_its_status(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["doctor", "--home", str(tmp_path), "--json"])

    answer = json.loads(capsys.readouterr().out)

    assert ended.value.code == 1
    assert answer["well"] is False
    assert {"part", "state", "found", "advice"} == set(answer["findings"][0])


def test_the_command_tells_people_what_to_do(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main(["doctor", "--home", str(tmp_path)])

    assert "pbem up" in capsys.readouterr().out
