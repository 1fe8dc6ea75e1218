"""Threat 1.7: reports that cost too much, or say what must not be shown."""

from __future__ import annotations

import pytest

from pbem.mail import gateway, letter, mailbox
from pbem.store.names import Purpose
from tests.mail.office import Office
from tests.mail.returning import MOST, asked, back_of, report
from tests.parts.cast import address


def _hostile() -> dict[str, bytes]:
    head = b"Content-Type: multipart/report; report-type=delivery-status; boundary=x\r\n\r\n"
    status = b"--x\r\nContent-Type: message/delivery-status\r\n\r\n"
    nested = b"".join(
        b"Content-Type: multipart/report; boundary=%d\r\n\r\n--%d\r\n" % (number, number)
        for number in range(1000)
    )
    group = b"Final-Recipient: rfc822; a@b\r\nAction: failed\r\nStatus: 5.1.1\r\n\r\n"
    return {
        "nested": nested + status + group,
        "mails in mails": b"Content-Type: message/rfc822\r\n\r\n" * 1000 + head + status + group,
        "groups": head + status + group * 3_000,
        "reports": head + (status + group) * 900,
        "one line": head + status + b"Diagnostic-Code: " + b"5.1.1 " * 40_000,
        "points": head + status + b"Status: " + b"5." * 100_000,
        "words": b"From: mailer-daemon@x\r\nSubject: x\r\n\r\n" + b"address unknown " * 15_000,
        "blanks": b"From: mailer-daemon@x\r\nSubject: x\r\n\r\n" + b"user " * 40_000,
        "addresses": b"X-Failed-Recipients: " + b"a@b, " * 40_000 + b"\r\n\r\nx",
    }


@pytest.mark.parametrize("name", _hostile())
def test_a_hostile_report_costs_no_more_than_its_second(keeper: Office, name: str) -> None:
    """Threat 1.7."""
    match, mail = asked(keeper)
    raw = f"Delivered-To: {back_of(keeper, mail)}\r\n".encode() + _hostile()[name]

    result = gateway.arrived(keeper.service, raw)

    assert result in ("unreadable", "failed", "unclear", "delayed")
    assert len(keeper.seat(match, 1).mail_problem or "") <= 500
    assert len(keeper.row(mail).delivery_note or "") <= 500


def test_what_a_report_says_is_bounded() -> None:
    raw = _hostile()["groups"]

    found = letter.read(raw, MOST)

    assert len(found.outcomes) <= 20


def test_nothing_hostile_stands_in_a_reason(keeper: Office) -> None:
    """A reason is shown to hosts, and mailed to them: no address, no link, no controls."""
    match, mail = asked(keeper)
    token = keeper.token(keeper.link(match, Purpose.TURN, 1))
    said = (
        f"smtp; 550 5.1.1 BOB@EXAMPLE.ORG (bob) see https://evil.example/x or www.evil.example "
        f"<script>alert(1)</script> {token} x+y@z.example\x00\u202e"
    )

    report(
        keeper,
        mail,
        f"Final-Recipient: rfc822; {mail.sent_to}\nAction: failed\nStatus: 5.1.1\n"
        f"Diagnostic-Code: {said}",
    )
    keeper.post_all()

    problem = keeper.seat(match, 1).mail_problem or ""
    assert "5.1.1" in problem
    for part in ("bob", "evil", token, "z.example", "\u202e", "\x00"):
        assert part not in problem.lower()
    told = mailbox.listed(keeper.service, address("alice"))[-1]
    assert "There is no such mailbox." in told.text
    assert "<script>" not in told.html
