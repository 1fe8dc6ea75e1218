"""The embedded mailbox: what would have been sent is kept, and can be read."""

from __future__ import annotations

import json

import pytest

from engine.codec import encode
from pbem.acts import outbox
from pbem.errors import BadInput
from pbem.mail import mailbox
from pbem.store.names import MailStatus, Purpose
from tests.mail.office import Office
from tests.parts.cast import address

#: A part within a part within a part, five hundred times.
NESTED = b"To: a@b\r\nContent-Type: " + b"".join(
    b"multipart/mixed; boundary=%d\r\n\r\n--%d\r\nContent-Type: " % (number, number)
    for number in range(500)
)


def test_mail_is_kept_with_its_parts_and_links(keeper: Office) -> None:
    match = keeper.open(confirmed=False)

    keeper.post_all()

    [kept] = mailbox.listed(keeper.service, address("bob"))
    assert kept.to == address("bob")
    assert kept.sender == "pbem@localhost"
    assert kept.subject == "Alice invites you to Dog with Carol and Dave"
    join, never, public, rules, mute, privacy = kept.links
    assert join.endswith("/j/" + keeper.token(keeper.link(match, Purpose.JOIN, 1)))
    assert never == f"{join}/never"
    assert privacy == "https://games.example.org/privacy"
    assert public == f"https://games.example.org/m/{match.id}"
    assert rules == f"{public}/rules"
    assert mute.endswith("/u/" + keeper.token(keeper.link(match, Purpose.MUTE, 1)))
    assert join in kept.html


def test_the_json_has_the_fields_that_programs_rely_on(keeper: Office) -> None:
    keeper.open(confirmed=False)
    keeper.post_all()

    [shown] = json.loads(encode(mailbox.listed(keeper.service, address("bob"))))

    assert {"id", "to", "from", "reply_to", "subject", "headers", "text", "html", "links"} <= set(
        shown
    )
    assert shown["headers"]["Auto-Submitted"] == "auto-generated"


def test_after_a_mail_only_newer_ones_are_listed(keeper: Office) -> None:
    keeper.open(confirmed=False)
    keeper.post_all()
    everything = mailbox.listed(keeper.service)

    rest = mailbox.listed(keeper.service, after=everything[2].id)

    assert [mail.id for mail in rest] == [mail.id for mail in everything[3:]]


def test_a_mail_is_kept_once_also_when_two_mailers_meet(keeper: Office) -> None:
    keeper.open(confirmed=False)
    stopped = outbox.lease_due(keeper.service, 50)
    keeper.clock.move(outbox.LEASE)
    keeper.post_all()

    kept = [outbox.keep(keeper.service, mail, "<x@y>", "a@b", lambda _: None) for mail in stopped]

    assert kept == [False] * 5
    assert len(mailbox.listed(keeper.service)) == 5
    assert {mail.status for mail in keeper.mails()} == {MailStatus.SENT}


def test_a_letter_from_outside_is_kept_under_whom_it_is_for(keeper: Office) -> None:
    raw = b"From: Bob <bob@example.org>\r\nTo: r+abc@localhost\r\nSubject: Re\r\n\r\nK out\r\n"

    number = mailbox.receive(keeper.service, raw)

    kept = mailbox.one(keeper.service, number)
    assert kept is not None
    assert (kept.to, kept.sender, kept.text) == ("r+abc@localhost", "bob@example.org", "K out\n")


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"\x00\xff\xfe",
        b"Subject: nobody\r\n\r\nhello",
        b"To: \r\n\r\nhello",
        b"To: r+abc@localhost\r\n" + b"x" * 3_000_000,
    ],
)
def test_a_letter_that_is_too_long_or_for_nobody_is_refused(keeper: Office, raw: bytes) -> None:
    with pytest.raises(BadInput):
        mailbox.receive(keeper.service, raw)


def test_a_letter_with_a_nul_in_its_addresses_is_kept(any_office: Office) -> None:
    """PostgreSQL keeps no text with one: the page answered 500."""
    raw = b"From: b\0ob@example.org\r\nTo: a\0lice@example.org\r\n\r\nhello\r\n"

    number = mailbox.receive(any_office.service, raw)

    kept = mailbox.one(any_office.service, number)
    assert kept is not None
    assert (kept.to, kept.sender) == ("lice@example.org", "ob@example.org")


@pytest.mark.parametrize(
    "raw",
    [
        b"To: a@b\r\nContent-Type: multipart/mixed; boundary=x\r\n\r\n--x\r\n",
        b"To: a@b\r\nContent-Type: text/plain; charset=no-such\r\n\r\n\xff",
        b"To: a@b\r\nFrom: " + b"(" * 5000 + b"\r\n\r\nhello",
        b"To: a@b\r\nSubject: =?utf-8?q?=00=0a?=\r\n\r\nhello",
        b"To: a@b" + b", a@b" * 32_000 + b"\r\n\r\nhello",
        NESTED,
    ],
)
def test_whatever_arrived_can_be_listed(keeper: Office, raw: bytes) -> None:
    mailbox.receive(keeper.service, raw)

    assert len(mailbox.listed(keeper.service)) == 1
