"""A relay that is slow, ends connections early, or refuses us and not the recipient."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from pbem.config.sections import Mail as MailSettings
from pbem.journal import Line
from pbem.mail import mailer
from pbem.store.names import MailStatus
from tests.mail.office import Office, office_service
from tests.parts.bad_relay import HANG_UP, BadRelay, Says, bad_relay


@contextmanager
def sending_to(home: Path, url: str, says: Any, **mail: Any) -> Iterator[tuple[Office, BadRelay]]:
    with bad_relay(says) as relay:
        office = Office(office_service(home, url, relay))  # type: ignore[arg-type]
        settings = office.service.settings
        section = MailSettings(**{**settings.mail.model_dump(), "timeout_seconds": 1, **mail})
        object.__setattr__(settings, "mail", section)
        yield office, relay
        office.service.database.close()


@pytest.mark.parametrize("verb", ["CONNECT", "EHLO", "MAIL", "RCPT", "DATA"])
@pytest.mark.parametrize("piece", ["2", "250-wait\r\n"])
def test_a_relay_whose_answer_never_ends_is_left_and_the_mail_is_tried_later(
    tmp_path: Path,
    sqlite_url: str,
    caplog: pytest.LogCaptureFixture,
    verb: str,
    piece: str,
) -> None:
    def says(said: str, *_: object) -> Says:
        return [piece] * 400 if said == verb else None

    with sending_to(tmp_path, sqlite_url, says) as (office, relay):
        office.open(confirmed=False)
        begun = time.monotonic()

        done = office.post()

        assert time.monotonic() - begun < 20
        assert done == 0
        assert relay.taken == []
        assert {mail.status for mail in office.mails()} == {MailStatus.PENDING}
        assert sum(mail.attempts for mail in office.mails()) == 1
        assert Line.RELAY_UNUSABLE in [line.getMessage() for line in caplog.records]


def test_a_text_whose_answer_never_ends_is_a_doubt(tmp_path: Path, sqlite_url: str) -> None:
    def says(said: str, *_: object) -> Says:
        return ["250-wait\r\n"] * 400 if said == "TEXT" else None

    with sending_to(tmp_path, sqlite_url, says) as (office, relay):
        office.open(confirmed=False)

        office.post()

        assert len(relay.taken) == 1
        assert sorted(mail.doubts for mail in office.mails()) == [0, 0, 0, 0, 1]


def test_however_long_an_answer_may_take_a_batch_ends_before_its_task_is_interrupted(
    tmp_path: Path, sqlite_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mailer, "BATCH_SECONDS", 0.5)
    monkeypatch.setattr(mailer, "ANSWER_SECONDS", 1)

    def says(said: str, *_: object) -> Says:
        late = "354 go on\r\n" if said == "DATA" else "250 OK\r\n"
        return [*[""] * 7, late] if said != "CONNECT" else None

    with sending_to(tmp_path, sqlite_url, says, timeout_seconds=300) as (office, _):
        office.open(confirmed=False)
        begun = time.monotonic()

        office.post()

        assert time.monotonic() - begun < 4
        assert {mail.status for mail in office.mails()} == {MailStatus.PENDING}
        assert sum(mail.attempts for mail in office.mails()) == 1


@pytest.mark.parametrize("end", ["421 4.7.0 Too many mails in one connection", HANG_UP])
def test_a_relay_that_ends_a_connection_between_two_mails_gets_the_rest_in_others_at_once(
    tmp_path: Path, sqlite_url: str, end: str
) -> None:
    def says(said: str, _: object, mails: int) -> Says:
        return end if said == "MAIL" and mails > 2 else None

    with sending_to(tmp_path, sqlite_url, says) as (office, relay):
        office.open(confirmed=False)

        office.post()

        assert {mail.status for mail in office.mails()} == {MailStatus.SENT}
        assert [mail.attempts for mail in office.mails()] == [1] * 5
        assert (len(relay.taken), relay.connections) == (5, 3)


def test_a_relay_that_ends_each_connection_is_asked_once_a_batch(
    tmp_path: Path, sqlite_url: str
) -> None:
    def says(said: str, *_: object) -> Says:
        return "421 4.3.2 Shutting down" if said == "MAIL" else None

    with sending_to(tmp_path, sqlite_url, says) as (office, relay):
        office.open(confirmed=False)

        assert office.post() == 0

        assert relay.connections == 1
        assert {mail.status for mail in office.mails()} == {MailStatus.PENDING}


@pytest.mark.parametrize(
    "refusal",
    [
        "553 5.7.1 <b+x@example.org>: Sender address rejected: not owned by user pbem",
        "554 5.7.1 <bob@example.org>: Relay access denied",
        "550 5.1.8 <b+x@example.org>: Sender address rejected: Domain not found",
        "530 5.7.0 Authentication required",
        "530 Authentication required",
    ],
)
@pytest.mark.parametrize("verb", ["RCPT", "DATA"])
def test_a_relay_that_refuses_us_and_not_the_recipient_marks_no_address(
    tmp_path: Path, sqlite_url: str, refusal: str, verb: str
) -> None:
    """Postfix says what it has against sender and client only at RCPT (smtpd_delay_reject)."""
    refuses = True

    def says(said: str, *_: object) -> Says:
        return refusal if refuses and said == verb else None

    with sending_to(tmp_path, sqlite_url, says) as (office, relay):
        match = office.running()
        office.post_all()

        assert {mail.status for mail in office.mails()} == {MailStatus.PENDING}
        assert [office.seat(match, seat).mail_problem for seat in range(4)] == [None] * 4
        told = [mail.last_error or "" for mail in office.mails()]
        assert all(refusal[:9] in one and refusal[-9:] in one for one in told)

        refuses = False
        office.clock.move(timedelta(minutes=5))
        office.post_all()

        assert {mail.status for mail in office.mails()} == {MailStatus.SENT}
        assert len(relay.taken) == len(office.mails())
