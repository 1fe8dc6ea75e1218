"""A turn answered by mail through `pbem up`, by each door that letters come in by."""

from __future__ import annotations

import hashlib
import hmac
import re
import smtplib
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.acceptance.people import Up, address, wait_for
from tests.parts.certificates import Authority
from tests.parts.imap_server import PASSWORD, USER, ImapServer, imap_server
from tests.parts.ports import free_port

pytestmark = [pytest.mark.slow, pytest.mark.redis, pytest.mark.timeout(600)]

KEY = "0123456789abcdef" * 2
AN_ORDER = re.compile(r"(?:for example:|WHAT YOU CAN PLAY|WHAT AN ORDER LOOKS LIKE)\s+(\S.*)")


@pytest.fixture
def box(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ImapServer]:
    authority = Authority(tmp_path)
    authority.trusted(monkeypatch)
    with imap_server(authority.server("localhost")) as server:
        yield server


@pytest.fixture
def lmtp_port() -> int:
    return free_port()


@pytest.fixture
def up(tmp_path: Path, box: ImapServer, lmtp_port: int) -> Iterator[Up]:
    service = Up(
        tmp_path / "home",
        PBEM_INCOMING_LMTP_PORT=str(lmtp_port),
        PBEM_INCOMING_IMAP_HOST="localhost",
        PBEM_INCOMING_IMAP_PORT=str(box.port),
        PBEM_INCOMING_IMAP_USER=USER,
        PBEM_INCOMING_IMAP_PASSWORD=PASSWORD,
        PBEM_INCOMING_IMAP_SECONDS="5",
        PBEM_INCOMING_WEBHOOK_KEY=KEY,
    )
    yield service
    service.stop()


def to_be_answered(up: Up, after: int) -> dict[str, Any]:
    """The next mail that asks Alice for a move: her turn, or, where it goes on, her answer."""

    def found() -> list[dict[str, Any]]:
        return [
            mail
            for mail in up.mails("Alice")
            if mail["id"] > after and "nswer this mail with your move" in mail["text"]
        ]

    wait_for(lambda: bool(found()), "no mail asks for a move", 60)
    return found()[-1]


def played(up: Up) -> int:
    return sum("- Played." in mail["text"].replace("\r\n", "\n") for mail in up.mails("Alice"))


def test_a_turn_is_answered_by_every_door(up: Up, box: ImapServer, lmtp_port: int) -> None:
    def by_mail_server(letter: bytes, to: str) -> None:
        with smtplib.LMTP("127.0.0.1", lmtp_port, timeout=60) as client:
            client.sendmail(address("Alice"), [to], letter)

    def by_mailbox(letter: bytes, _: str) -> None:
        number = box.add(letter)
        wait_for(lambda: box.flags()[number] == {"\\Seen"}, "nobody looks into the mailbox", 60)

    def by_mail_service(letter: bytes, _: str) -> None:
        now = str(int(time.time()))
        code = hmac.new(KEY.encode(), now.encode() + b"." + letter, hashlib.sha256).hexdigest()
        headers = {"X-Pbem-Timestamp": now, "X-Pbem-Signature": f"sha256={code}"}
        asked = urllib.request.Request(f"{up.url}/hooks/mail", data=letter, headers=headers)
        with urllib.request.urlopen(asked, timeout=60) as answer:
            assert answer.status == 200

    doors: list[Callable[[bytes, str], None]] = [by_mail_server, by_mailbox, by_mail_service]
    up.open(["Alice", "bot", "bot", "bot"], confirmed=True)
    last = 0
    for number, bring in enumerate(doors):
        mail = to_be_answered(up, last)
        last = mail["id"]
        example = AN_ORDER.search(mail["text"])
        assert example is not None, mail["text"]
        letter = (
            f"From: {address('Alice')}\r\nTo: {mail['reply_to']}\r\nSubject: Re: your turn\r\n"
            f"Message-ID: <{number}@mail.example.org>\r\n\r\n{example[1].strip()}\r\n"
        ).encode()

        bring(letter, mail["reply_to"])

        wait_for(lambda number=number: played(up) == number + 1, "no answer says so", 60)  # type: ignore[misc]
