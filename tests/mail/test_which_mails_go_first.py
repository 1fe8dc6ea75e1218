"""Which of the mails that are owed go first."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from pbem.acts import outbox
from pbem.mail.mailer import post_due
from pbem.people import proofs
from pbem.store.models import Mail
from pbem.store.names import MailKind, MailStatus
from tests.mail.office import Office
from tests.parts.cast import address
from tests.parts.relay import Relay


def test_a_mail_that_falls_due_during_a_batch_goes_before_older_ones_that_nobody_waits_for(
    office: Office, smtp_server: Relay
) -> None:
    match = office.running()
    office.post_all()
    for number in range(12):
        office.owe_again(match.id, 1, "seat_link", f"{number}")
    office.clock.move(timedelta(minutes=1))

    def meanwhile() -> None:
        if len(smtp_server.taken) == before + 2:
            proofs.owe(office.service, MailKind.SIGN_IN, address("carol"), "en")

    before = len(smtp_server.taken)
    post_due(office.service, before_each=meanwhile)

    to = [mail.recipients[0] for mail in smtp_server.taken[before:]]
    assert to.count(address("bob")) == 12
    # two were sent, and one was leased
    assert to.index(address("carol")) == 3


def test_before_each_mail_there_is_time_for_what_is_more_urgent(
    office: Office, smtp_server: Relay
) -> None:
    office.open(confirmed=False)
    sent: list[int] = []

    post_due(office.service, before_each=lambda: sent.append(len(smtp_server.taken)))

    assert sent == [0, 1, 2, 3, 4]


def test_awaited_mails_are_leased_first_in_their_order_and_the_oldest_of_all_when_asked_for(
    any_office: Office, smtp_server: Relay
) -> None:
    match = any_office.running()
    any_office.post_all()
    _owe_each_second(any_office, match.id, "seat_link", "sign_in")

    leased = outbox.lease_due(any_office.service, 3)
    with_the_oldest = outbox.lease_due(any_office.service, 2, oldest=1)
    rest = outbox.lease_due(any_office.service, 50)

    assert _keys(leased) == ["sign_in 0", "sign_in 1", "sign_in 2"]
    # those taken together are sent in the order in which they were owed
    assert _keys(with_the_oldest) == ["seat_link 0", "sign_in 3"]
    assert len(rest) == 5


def test_of_awaited_mails_that_were_owed_long_ago_the_newest_go_first_after_those_of_now(
    any_office: Office, smtp_server: Relay
) -> None:
    match = any_office.running()
    any_office.post_all()
    _owe_each_second(any_office, match.id, "sign_in")
    any_office.clock.move(outbox.FRESH)
    any_office.owe_again(match.id, 0, "sign_in", "now")

    leased = [outbox.lease_due(any_office.service, 2) for _ in range(3)]

    assert [_keys(some) for some in leased] == [
        ["sign_in 4", "sign_in now"],
        ["sign_in 2", "sign_in 3"],
        ["sign_in 0", "sign_in 1"],
    ]


def test_an_awaited_mail_does_not_wait_for_older_ones_that_nobody_waits_for(
    any_office: Office, smtp_server: Relay
) -> None:
    match = any_office.running()
    any_office.post_all()
    _owe_each_second(any_office, match.id, "seat_link")
    any_office.clock.move(outbox.FRESH)
    any_office.owe_again(match.id, 0, "seat_link", "before it")
    any_office.clock.move(timedelta(seconds=1))
    any_office.owe_again(match.id, 0, "sign_in", "now")

    leased = [outbox.lease_due(any_office.service, 4, others=2) for _ in range(3)]

    assert [_keys(some) for some in leased] == [
        # what was owed just before it may be about the same
        ["seat_link before it", "sign_in now"],
        ["seat_link 0", "seat_link 1"],
        ["seat_link 2", "seat_link 3"],
    ]


def test_a_batch_begins_with_the_oldest_mail_of_all(office: Office, smtp_server: Relay) -> None:
    match = office.running()
    office.post_all()
    _owe_each_second(office, match.id, "seat_link", "sign_in")

    post_due(office.service, 1)

    sent = [mail for mail in office.mails("seat_link") if mail.status == MailStatus.SENT]
    assert _keys(sent) == ["seat_link 0"]


def _owe_each_second(office: Office, match_id: str, *kinds: str) -> None:
    """Five mails of each kind, to seat 0."""
    for kind in kinds:
        for number in range(5):
            office.owe_again(match_id, 0, kind, f"{number}")
            office.clock.move(timedelta(seconds=1))


def _keys(mails: Sequence[Mail]) -> list[str]:
    """The kind of each mail and the end of its key."""
    return [f"{mail.kind} {mail.dedupe.rpartition(':')[2]}" for mail in mails]
