"""The doctor knocks at the doors for letters."""

from __future__ import annotations

import secrets
import socket
from pathlib import Path

import pytest

from pbem.config import Settings
from pbem.running.doctor import examine
from pbem.running.finding import Finding
from pbem.service import open_service
from tests.parts.certificates import Authority
from tests.parts.door import open_door
from tests.parts.imap_server import PASSWORD, USER, imap_server
from tests.parts.relay import Relay
from tests.running.examined import changed, mail_settings, notes, other_program, wrong


def letters(settings: Settings) -> list[Finding]:
    return [finding for finding in examine(settings) if finding.part == "letters"]


def test_a_service_that_sends_and_takes_no_answers_is_noted(
    settings: Settings, smtp_server: Relay
) -> None:
    [found] = letters(changed(settings, mail=mail_settings(smtp_server)))

    assert found.state == "note"
    assert "cannot answer by mail" in found.found
    assert letters(settings) == []


def test_a_door_for_letters_is_knocked_at(settings: Settings) -> None:
    with socket.create_server(("127.0.0.1", 0)) as nobody:
        port = nobody.getsockname()[1]
    there = changed(settings, incoming={"lmtp_port": port})
    assert "`pbem lmtp`" in wrong(there)["letters"].advice

    service = open_service(there)
    with open_door(service) as door:
        service.database.close()

        [found] = letters(there)

        assert (found.state, found.found) == ("well", f"LMTP answers at 127.0.0.1:{door.port}.")
        # the door of a service with other domains
        other = changed(there, incoming={"lmtp_port": port}, mail={"reply_domain": "play.example"})
        assert "550 5.1.1 No such address here" in wrong(other)["letters"].found


def test_a_door_that_everybody_reaches_is_noted_and_another_program_in_its_place_is_wrong(
    settings: Settings,
) -> None:
    everywhere = changed(settings, incoming={"lmtp_port": 1, "lmtp_host": "0.0.0.0"})
    service = open_service(everywhere)
    with open_door(service, lmtp_port=0) as door:
        service.database.close()
        there = {"lmtp_port": door.port, "lmtp_host": "0.0.0.0"}

        found = letters(changed(settings, incoming=there))

    assert [one.state for one in found] == ["well", "note"]
    with other_program() as port:
        assert (
            "another program's"
            in wrong(changed(settings, incoming={"lmtp_port": port}))["letters"].advice
        )


def test_a_mailbox_of_letters_is_logged_in_to(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    authority = Authority(tmp_path)
    authority.trusted(monkeypatch)
    with imap_server(authority.server("localhost")) as box:
        there = {"imap_host": "localhost", "imap_port": box.port, "imap_user": USER}
        box.add(b"To: somebody@example.org\r\n\r\nhello")

        [found] = letters(changed(settings, incoming={**there, "imap_password": PASSWORD}))
        refused = wrong(changed(settings, incoming={**there, "imap_password": "hunter2"}))
        monkeypatch.delenv("SSL_CERT_FILE")
        untrusted = wrong(changed(settings, incoming={**there, "imap_password": PASSWORD}))

        assert (found.state, box.flags()) == ("well", {1: set()})
        assert "refuses the login" in refused["letters"].found
        assert "hunter2" not in str(refused)
        assert "its certificate is not trusted" in untrusted["letters"].found
        assert "SSL_CERT_FILE" in untrusted["letters"].advice


def test_a_key_of_the_webhook_that_is_easy_to_guess_is_wrong(
    settings: Settings, smtp_server: Relay
) -> None:
    good = {"webhook_key": secrets.token_hex(16)}
    easy = {"webhook_key": "x" * 40}

    assert [found.state for found in letters(changed(settings, incoming=good))] == ["well"]
    assert "easy to guess" in wrong(changed(settings, incoming=easy))["letters"].found
    open_air = changed(settings, incoming=good, mail=mail_settings(smtp_server))
    assert "without TLS" in notes(open_air)
