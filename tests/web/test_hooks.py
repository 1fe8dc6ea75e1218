"""The door that mail services post letters to: who may, what they hear, and what comes of it."""

from __future__ import annotations

import hashlib
import hmac
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from pbem import create_app
from pbem.config.sections import Incoming
from pbem.mail import gateway
from pbem.store import db
from pbem.store.models import Match
from pbem.store.names import Purpose
from tests.mail.correspondence import written
from tests.parts.cast import address
from tests.web.conftest import HOOK_KEY, web_service
from tests.web.house import WebHouse


def asked(web: WebHouse) -> tuple[Match, str, str]:
    """A running match, where Bob's turn takes answers, and an order of his."""
    match = web.running()
    to = gateway.reply_address(web.service, web.link(match, Purpose.REPLY, 1))
    return match, to, web.orders(match, 1)[0]


def signed(web: WebHouse, body: bytes, key: str = HOOK_KEY, late: int = 0) -> dict[str, str]:
    """The headers, worked out as the manual says, not by the service's own code."""
    timestamp = str(int(web.clock.now().timestamp()) - late)
    code = hmac.new(key.encode(), timestamp.encode() + b"." + body, hashlib.sha256).hexdigest()
    return {"X-Pbem-Timestamp": timestamp, "X-Pbem-Signature": f"sha256={code}"}


def post(client: FlaskClient, body: bytes, headers: dict[str, str]) -> TestResponse:
    return client.post("/hooks/mail", data=body, headers=headers, content_type="message/rfc822")


def bobs_plies(web: WebHouse, match: Match) -> list[str]:
    return [ply.order_text or "" for ply in web.plies(match) if ply.seat == 1]


def test_a_move_is_made_by_a_letter_that_is_posted(any_web: WebHouse) -> None:
    match, to, order = asked(any_web)
    body = written(order, to, address("bob"))

    answer = post(any_web.app.test_client(), body, signed(any_web, body))

    assert (answer.status_code, answer.get_json()) == (200, {"taken": True, "result": "answered"})
    assert bobs_plies(any_web, match) == [order]
    assert len(any_web.mails("reply_answer")) == 1


def test_a_copy_that_is_posted_again_does_no_harm(web: WebHouse, client: FlaskClient) -> None:
    match, to, order = asked(web)
    body = written(order, to, address("bob"))
    headers = signed(web, body)

    results = [post(client, body, headers).get_json()["result"] for _ in range(3)]

    assert results == ["answered", "again", "again"]
    assert bobs_plies(web, match) == [order]


@pytest.mark.parametrize(
    "change",
    [
        {"X-Pbem-Signature": ""},
        {"X-Pbem-Signature": "sha256=" + "0" * 64},
        {"X-Pbem-Signature": "sha256=\u00e9"},
        {"X-Pbem-Timestamp": ""},
        {"X-Pbem-Timestamp": "1"},
        {"X-Pbem-Timestamp": "9" * 400},
    ],
)
def test_without_its_signature_a_letter_is_not_looked_at(
    web: WebHouse, client: FlaskClient, change: dict[str, str]
) -> None:
    match, to, order = asked(web)
    body = written(order, to, address("bob"))

    answer = post(client, body, {**signed(web, body), **change})

    assert answer.status_code == 401
    assert answer.get_json()["error"]["message"] == "The signature is missing or wrong."
    assert bobs_plies(web, match) == []


def test_a_signature_of_another_key_or_another_letter_is_wrong(
    web: WebHouse, client: FlaskClient
) -> None:
    match, to, order = asked(web)
    body = written(order, to, address("bob"))

    answers = [
        post(client, body, signed(web, body, key="x" * 40)),
        post(client, body + b"x", signed(web, body)),
    ]

    assert [answer.status_code for answer in answers] == [401, 401]
    assert bobs_plies(web, match) == []


@pytest.mark.parametrize(("late", "status"), [(299, 200), (-299, 200), (301, 401), (-301, 401)])
def test_a_signature_holds_for_five_minutes(
    web: WebHouse, client: FlaskClient, late: int, status: int
) -> None:
    _, to, _ = asked(web)
    body = written("help", to, address("bob"))

    answer = post(client, body, signed(web, body, late=late))

    assert answer.status_code == status
    if status == 401:
        assert "five minutes" in answer.get_json()["error"]["message"]


@pytest.mark.parametrize("stamp", ["-5", "12.5", "9" * 12, "\u0661\u0662", "1e9", " 1"])
def test_a_timestamp_that_is_none_is_refused_though_it_is_signed(
    web: WebHouse, client: FlaskClient, stamp: str
) -> None:
    code = hmac.new(HOOK_KEY.encode(), stamp.encode() + b".x", hashlib.sha256).hexdigest()
    headers = {"X-Pbem-Timestamp": stamp, "X-Pbem-Signature": f"sha256={code}"}

    assert post(client, b"x", headers).status_code == 401


def test_somebody_elses_letter_and_a_forged_token_move_nothing(
    web: WebHouse, client: FlaskClient
) -> None:
    match, to, order = asked(web)
    forged = to.replace("@", "a@")[1:]
    letters = [written(order, to, address("erin")), written(order, f"r{forged}", address("bob"))]

    answers = [post(client, body, signed(web, body)) for body in letters]

    assert [answer.get_json()["result"] for answer in answers] == ["wrong_sender", "unknown"]
    assert bobs_plies(web, match) == []


def test_a_letter_that_cannot_be_read_need_not_be_brought_again(
    web: WebHouse, client: FlaskClient
) -> None:
    body = b"X-A: b\r\n" * 5000 + b"\r\nhello"

    answer = post(client, body, signed(web, body))

    assert answer.status_code == 200
    assert answer.get_json() == {"taken": False, "result": "unreadable"}


def test_a_long_letter_is_taken_and_one_that_is_too_long_is_not(
    web: WebHouse, client: FlaskClient
) -> None:
    """Longer than what other doors take at once: an answer carries the picture of our mail."""
    match, to, order = asked(web)
    settings = web.service.settings
    long = written(order, to, address("bob"), head="") + b"\r\n" + b"x" * 1_500_000
    assert settings.limits.body_bytes < len(long) < settings.incoming.max_bytes
    too_long = b"x" * (settings.incoming.max_bytes + 1)

    answers = [post(client, body, signed(web, body)) for body in (long, too_long)]

    assert [answer.status_code for answer in answers] == [200, 413]
    assert answers[1].get_json()["error"]["code"] == "too_large"
    assert bobs_plies(web, match) == [order]


def test_while_the_database_is_busy_the_letter_is_to_come_again(
    tmp_path: Path, sqlite_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(db, "BUSY_SECONDS", 0)
    service = web_service(tmp_path, sqlite_url)
    web = WebHouse(service)
    client = web.app.test_client()
    match, to, order = asked(web)
    body = written(order, to, address("bob"))
    other = sqlite3.connect(web.file, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")

    put_off = post(client, body, signed(web, body))
    other.execute("ROLLBACK")
    taken = [post(client, body, signed(web, body)) for _ in range(2)]

    assert (put_off.status_code, put_off.headers["Retry-After"]) == (503, "60")
    assert "Nothing was lost" in put_off.get_json()["error"]["message"]
    assert [answer.get_json()["result"] for answer in taken] == ["answered", "again"]
    assert bobs_plies(web, match) == [order]
    other.close()
    service.database.close()


@pytest.fixture
def without_key(tmp_path: Path, sqlite_url: str) -> Iterator[FlaskClient]:
    service = web_service(tmp_path, sqlite_url, incoming=Incoming())
    yield create_app(service).test_client()
    service.database.close()


def test_without_a_key_there_is_no_such_door(without_key: FlaskClient) -> None:
    assert without_key.post("/hooks/mail", data=b"x").status_code == 404
    assert without_key.get("/hooks/mail").status_code == 404
