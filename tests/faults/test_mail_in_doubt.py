"""An address is corrected while a mail to the one before is on its way."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from sqlmodel import col, update

from pbem import failpoints
from pbem.acts import deliverability
from pbem.service import Service
from pbem.store.models import Mail
from pbem.store.names import MailStatus, Purpose
from tests.faults.invariants import check
from tests.mail.office import Office, office_service, parsed
from tests.parts import remedies
from tests.parts.relay import Relay

HOURS = {"clock": {"turn": "10h", "grace": "1h"}}


def test_an_address_corrected_while_the_mail_is_in_doubt_is_not_blamed_for_the_old_one(
    tmp_path: Path, sqlite_url: str, smtp_server: Relay, monkeypatch: pytest.MonkeyPatch
) -> None:
    office = Office(office_service(tmp_path, sqlite_url, smtp_server))
    match = office.running(**HOURS)
    old = office.link(match, Purpose.TURN, 1)
    smtp_server.behaviour, smtp_server.only_for = "rcpt_550", {"bob@example.org"}
    corrected: list[str] = []

    original = deliverability.mail_refused

    def refused(
        service: Service, match_id: str, seat: int, email: str, why: str, **more: Any
    ) -> None:
        # the relay has refused the old address, and that is written down after the correction
        if not corrected:
            corrected.append(email)
            remedies.correct_address(service, match_id, 1, "bob@example.net", actor="operator")
        original(service, match_id, seat, email, why, **more)

    monkeypatch.setattr(deliverability, "mail_refused", refused)
    office.post_all()

    assert corrected == ["bob@example.org"]
    assert office.seat(match, 1).mail_problem_at is None
    assert office.turn(match, 1).held_at is None
    arrived = [mail for mail in smtp_server.taken if mail.recipients == ("bob@example.net",)]
    assert len(arrived) == 1
    text = parsed(arrived[0].content).get_body(("plain",))
    assert text is not None
    assert office.token(office.link(match, Purpose.TURN, 1)) in text.get_content()
    assert office.token(old) not in text.get_content()
    office.service.database.close()


def test_an_address_corrected_between_the_doubt_and_the_text_brings_new_links_only_to_the_new_one(
    tmp_path: Path, sqlite_url: str, smtp_server: Relay, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The old mail is on the wire and cannot be called back: its links are dead on arrival."""
    office = Office(office_service(tmp_path, sqlite_url, smtp_server))
    match = office.running(**HOURS)
    for mail in office.mails():
        if mail.kind != "your_turn" or mail.seat != 1:
            drop(office, mail.id)
    old = office.token(office.link(match, Purpose.TURN, 1))
    met: list[str] = []

    def pass_by(place: str) -> None:
        if place == "smtp.before_text" and not met:
            met.append(place)
            remedies.correct_address(
                office.service, match.id, 1, "bob@example.net", actor="operator"
            )

    monkeypatch.setattr(failpoints, "pass_by", pass_by)
    office.post_all()

    assert met
    # besides them, the address before is told
    first, second = (mail for mail in smtp_server.taken if "/t/" in text_of_mail(mail.content))
    assert (first.recipients, second.recipients) == (("bob@example.org",), ("bob@example.net",))
    assert old in text_of_mail(first.content)
    assert old not in text_of_mail(second.content)
    assert {mail.status for mail in office.mails("your_turn")} <= {
        MailStatus.SENT,
        MailStatus.DROPPED,
    }
    check(office.service)
    office.service.database.close()


def drop(office: Office, number: int | None) -> None:
    with office.service.database.write("test") as session:
        session.execute(update(Mail).where(col(Mail.id) == number).values(status="dropped"))


def text_of_mail(content: bytes) -> str:
    part = parsed(content).get_body(("plain",))
    assert part is not None
    return str(part.get_content())
