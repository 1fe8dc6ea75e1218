"""What mail of their turns people want: each, one digest a day, or none; reminders; their night."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from sqlmodel import select

from pbem.acts import deliverability
from pbem.mail import gateway, mailbox
from pbem.mail.addresses import may_be_ours
from pbem.people import digests as digests_of
from pbem.people import proofs, settings
from pbem.people.settings import SettingsRequest, next_digest
from pbem.people.sweep import sweep
from pbem.store.models import AddressLink, Mail, Match, Person
from pbem.store.names import Delivery, MailKind, MailStatus, Purpose
from tests.mail.correspondence import bobs, written
from tests.mail.office import Office
from tests.mail.returning import bounce
from tests.parts import remedies
from tests.parts.cast import address


def person(keeper: Office, name: str = "bob") -> Person:
    """Somebody who has proved their address."""
    service = keeper.service
    proofs.owe(service, MailKind.SIGN_IN, address(name), "en")
    with service.database.write("test") as session:
        link = max(session.exec(select(AddressLink)), key=lambda row: row.id or 0)
        return proofs.use(session, link, service.now())


def wishing(keeper: Office, name: str = "bob", **wished: str | int | bool) -> None:
    settings.save(keeper.service, person(keeper, name), SettingsRequest(**wished))  # type: ignore[arg-type]


def turn_mail(keeper: Office, kind: str = "your_turn", seat: int = 1) -> Mail:
    """The newest mail of this kind to a seat, after the post went out."""
    keeper.post_all()
    mails = [mail for mail in keeper.mails(kind) if mail.seat == seat]
    return max(mails, key=lambda mail: mail.id or 0)


def digests(keeper: Office, name: str = "bob") -> list[mailbox.MailboxMail]:
    sweep(keeper.service)
    keeper.post_all()
    found = mailbox.listed(keeper.service, address(name))
    return [mail for mail in found if "wait for you" in mail.subject or "waits for" in mail.subject]


def test_who_wants_a_digest_gets_all_turns_in_one_mail_at_their_hour(keeper: Office) -> None:

    wishing(keeper, mails="digest", digest_hour=9, zone="Europe/Madrid")
    matches = [keeper.running(name=name) for name in ("Monday", "Tuesday")]

    told = turn_mail(keeper)
    before = digests(keeper)
    keeper.clock.set(datetime(2026, 6, 3, 7, 0, tzinfo=UTC))
    (digest,) = digests(keeper)
    twice = digests(keeper)

    assert (told.status, told.last_error) == (MailStatus.DROPPED, "The turn is told in the digest.")
    assert before == []
    assert digest.subject == "2 turns wait for you"
    for match, name in zip(matches, ("Monday", "Tuesday"), strict=True):
        assert keeper.token(keeper.link(match, Purpose.TURN, 1)) in digest.text
        assert name in digest.text
    assert len(twice) == 1
    assert "An answer to this mail plays nothing" in digest.text
    # each turn has an address of its own, which plays there and nowhere else
    _monday, tuesday = re.findall(r"order to\s+(r\+\S+)", digest.text)
    assert bobs(keeper, keeper.good_order(matches[1], 1), tuesday) == "answered"
    assert [keeper.waiting(match).count(1) for match in matches] == [1, 0]
    # the others have their mails as ever
    assert turn_mail(keeper, seat=0).status == MailStatus.SENT


def several(keeper: Office) -> tuple[list[Match], str]:
    """Two matches in which Bob is asked, and the header of an answer to the digest of both."""
    wishing(keeper, mails="digest", digest_hour=9)
    matches = [keeper.running() for _ in range(2)]
    keeper.clock.set(datetime(2026, 6, 3, 9, 0, tzinfo=UTC))
    (digest,) = digests(keeper)
    assert digest.reply_to == ""
    return matches, f"In-Reply-To: {digest.headers['Message-ID']}\r\n"


def test_an_answer_to_a_digest_of_several_turns_plays_none_of_them(keeper: Office) -> None:
    matches, _ = several(keeper)

    mail = keeper.service.settings.mail
    result = bobs(keeper, keeper.good_order(matches[0], 1), mail.from_address)

    assert result == "unknown"
    # the mail server that would deliver it is told so, and tells who wrote it
    assert not may_be_ours(mail, mail.from_address)
    assert all(1 in keeper.waiting(match) for match in matches)


def test_who_answers_a_digest_of_several_turns_gets_it_again_and_why(keeper: Office) -> None:
    matches, head = several(keeper)
    order, to = keeper.good_order(matches[0], 1), keeper.service.settings.mail.from_address

    results = [bobs(keeper, order, to, head=head) for _ in range(2)]
    _, again = sorted(digests(keeper), key=lambda mail: mail.id)

    assert results == ["answered", "again"]
    assert "Your answer played nothing" in again.text
    assert all(1 in keeper.waiting(match) for match in matches)
    # each turn has its own address there, and an answer to this mail is told the same
    _, second = re.findall(r"order to\s+(r\+\S+)", again.text)
    assert bobs(keeper, keeper.good_order(matches[1], 1), second, "2") == "answered"
    head = f"References: <x@example.org> {again.headers['Message-ID']}\r\n"
    assert [bobs(keeper, order, to, str(key), head) for key in range(3, 9)] == [
        *["answered"] * (digests_of.MOST_AGAIN - 1),
        *["too_many"] * 2,
    ]


def test_nobody_else_is_told_of_somebodys_digest(keeper: Office) -> None:
    _, head = several(keeper)
    person(keeper, "carol")
    to = keeper.service.settings.mail.from_address
    letter = written("give A", to, address("carol"), head=head)
    forged = f"{head}Authentication-Results: mail.example.org; dmarc=fail\r\n"
    settings = keeper.service.settings
    incoming = settings.incoming.model_copy(update={"authserv_id": "mail.example.org"})
    keeper.service = replace(
        keeper.service, settings=settings.model_copy(update={"incoming": incoming})
    )

    results = [gateway.arrived(keeper.service, letter), bobs(keeper, "give A", to, head=forged)]

    assert results == ["unknown"] * 2
    assert len(keeper.mails("digest")) == 1


def test_a_digest_of_one_turn_is_answered_with_a_move(keeper: Office) -> None:
    wishing(keeper, mails="digest", digest_hour=9)
    match = keeper.running()
    keeper.clock.set(datetime(2026, 6, 3, 9, 0, tzinfo=UTC))
    (digest,) = digests(keeper)

    result = bobs(keeper, keeper.good_order(match, 1), digest.reply_to)
    late = bobs(keeper, "?", digest.reply_to, key="2")

    assert "Or answer this mail with your move." in digest.text
    assert "plays nothing" not in digest.text
    assert "your order to" not in digest.text
    assert (result, late) == ("answered", "answered")
    assert 1 not in keeper.waiting(match)


def test_a_turn_that_ends_before_the_next_digest_is_mailed_at_once(keeper: Office) -> None:

    wishing(keeper, mails="digest", digest_hour=9)
    keeper.running(clock={"turn": "12h"})

    assert turn_mail(keeper).status == MailStatus.SENT


def test_there_is_no_digest_of_nothing(keeper: Office) -> None:

    wishing(keeper, mails="digest", digest_hour=9)
    match = keeper.running()
    keeper.play(match, 1)
    keeper.clock.set(datetime(2026, 6, 3, 9, 0, tzinfo=UTC))

    assert digests(keeper) == []
    assert keeper.mails("digest")[0].status == MailStatus.DROPPED


def test_turns_are_mailed_again_if_the_digest_does_not_come(keeper: Office) -> None:
    """Nobody waits for a sweep that fails."""

    wishing(keeper, mails="digest", digest_hour=9)
    keeper.clock.set(datetime(2026, 6, 3, 12, 0, tzinfo=UTC))
    keeper.running()

    assert turn_mail(keeper).status == MailStatus.SENT


def test_who_goes_back_to_a_mail_for_each_turn_gets_one_last_digest(keeper: Office) -> None:

    wishing(keeper, mails="digest", digest_hour=9)
    keeper.running()
    keeper.post_all()
    wishing(keeper, mails="each")

    for day in (3, 4):
        keeper.clock.set(datetime(2026, 6, day, 9, 0, tzinfo=UTC))
        assert len(digests(keeper)) == 1


def test_who_wants_no_mail_of_turns_is_still_reminded(keeper: Office) -> None:

    wishing(keeper, mails="none")
    keeper.running()

    assert turn_mail(keeper).status == MailStatus.DROPPED
    keeper.wait(days=2)
    assert turn_mail(keeper, "reminder").status == MailStatus.SENT


def test_a_mail_that_was_asked_for_comes_in_any_case(keeper: Office) -> None:

    wishing(keeper, mails="none", reminders=False)
    match = keeper.running()
    keeper.post_all()

    deliverability.resend_link(keeper.service, keeper.link(match, Purpose.TURN, 1))
    asked = turn_mail(keeper)
    remedies.remind(keeper.service, match.id, 1, actor="host")
    by_host = turn_mail(keeper, "reminder")

    assert {asked.status, by_host.status} == {MailStatus.SENT}


def test_who_wants_no_reminders_gets_none(keeper: Office) -> None:

    wishing(keeper, reminders=False)
    keeper.running()
    keeper.wait(days=2)

    told = turn_mail(keeper, "reminder")

    assert (told.status, told.last_error) == (MailStatus.DROPPED, "The player wants no reminders.")
    assert turn_mail(keeper, "reminder", 0).status == MailStatus.SENT


def test_a_reminder_waits_for_the_end_of_the_persons_night(keeper: Office) -> None:

    wishing(keeper, night="10:00-20:00")
    keeper.running(clock={"turn": "72h"})
    keeper.wait(hours=48)

    in_the_night = turn_mail(keeper, "reminder").status
    keeper.clock.set(datetime(2026, 6, 4, 20, 0, tzinfo=UTC))
    after = turn_mail(keeper, "reminder").status

    assert (in_the_night, after) == (MailStatus.PENDING, MailStatus.SENT)


def test_a_reminder_comes_in_the_night_if_the_turn_ends_by_its_end(keeper: Office) -> None:

    wishing(keeper, night="08:00-20:00")
    keeper.running(clock={"turn": "3h"})
    keeper.wait(hours=2)

    assert turn_mail(keeper, "reminder").status == MailStatus.SENT


def test_the_hour_of_a_digest_is_that_of_the_persons_clock() -> None:
    """Also on the days on which the clocks change."""
    for at, then in (
        (datetime(2026, 6, 2, 12, tzinfo=UTC), datetime(2026, 6, 3, 6, tzinfo=UTC)),
        (datetime(2026, 3, 28, 12, tzinfo=UTC), datetime(2026, 3, 29, 6, tzinfo=UTC)),
        (datetime(2026, 3, 28, 6, 59, tzinfo=UTC), datetime(2026, 3, 28, 7, tzinfo=UTC)),
    ):
        assert next_digest("Europe/Madrid", 8, at) == then


def test_a_digest_that_is_refused_holds_the_clocks_as_a_turns_mail_does(keeper: Office) -> None:
    wishing(keeper, mails="digest", digest_hour=9)
    match = keeper.running()
    keeper.post_all()
    keeper.clock.set(datetime(2026, 6, 3, 9, 0, tzinfo=UTC))
    sweep(keeper.service)
    keeper.post_all()
    mail = keeper.mails("digest")[0]

    deliverability.not_delivered(keeper.service, mail, address("bob"), "552 5.2.2 mailbox full")

    assert keeper.turn(match, 1).held_at is not None
    assert keeper.turn(match, 0).held_at is None


def test_a_muted_match_is_not_in_the_digest(keeper: Office) -> None:

    wishing(keeper, mails="digest", digest_hour=9)
    loud, quiet = keeper.running(name="Loud"), keeper.running(name="Quiet")
    deliverability.mute(keeper.service, keeper.link(quiet, Purpose.SEAT, 1))
    keeper.clock.set(datetime(2026, 6, 3, 9, 0, tzinfo=UTC))

    (digest,) = digests(keeper)

    assert "Loud" in digest.text
    assert quiet.id not in digest.text
    assert keeper.token(keeper.link(loud, Purpose.TURN, 1)) in digest.text


def test_a_seat_whose_mail_does_not_arrive_is_not_in_the_digest(keeper: Office) -> None:
    wishing(keeper, mails="digest", digest_hour=9)
    well, refused = keeper.running(name="Well"), keeper.running(name="Refused")
    deliverability.mail_refused(keeper.service, refused.id, 1, address("bob"), "552 5.2.2 full")
    keeper.clock.set(datetime(2026, 6, 3, 9, 0, tzinfo=UTC))

    (digest,) = digests(keeper)

    assert keeper.token(keeper.link(well, Purpose.TURN, 1)) in digest.text
    assert keeper.token(keeper.link(refused, Purpose.TURN, 1)) not in digest.text


def test_after_a_digest_was_refused_none_is_sent_until_the_address_is_tried_again(
    keeper: Office,
) -> None:
    wishing(keeper, mails="digest", digest_hour=9)
    match = keeper.running()
    keeper.clock.set(datetime(2026, 6, 3, 9, 0, tzinfo=UTC))
    digests(keeper)
    first = keeper.mails("digest")[0]
    deliverability.not_delivered(keeper.service, first, address("bob"), "550 5.1.1 unknown")

    keeper.clock.set(datetime(2026, 6, 4, 9, 0, tzinfo=UTC))
    digests(keeper)

    assert [mail.status for mail in keeper.mails("digest")] == [
        MailStatus.SENT,
        MailStatus.DROPPED,
    ]

    remedies.reissue(keeper.service, match.id, 1, actor="host")
    keeper.clock.set(datetime(2026, 6, 5, 9, 0, tzinfo=UTC))
    digests(keeper)

    assert keeper.mails("digest")[-1].status == MailStatus.SENT


def test_who_answers_a_digest_is_reached_and_gets_it_again_whole(keeper: Office) -> None:
    matches, head = several(keeper)
    for match in matches:
        deliverability.mail_refused(keeper.service, match.id, 1, address("bob"), "552 5.2.2 full")

    bobs(keeper, "R1", keeper.service.settings.mail.from_address, head=head)

    _, again = sorted(digests(keeper), key=lambda mail: mail.id)
    assert "2 turns wait for you" in again.subject


def test_an_old_digest_that_comes_back_holds_no_clock_of_who_has_moved_since(
    keeper: Office,
) -> None:
    """A turn that is told in the digest has no mail of its own that would show it."""
    wishing(keeper, mails="digest", digest_hour=9)
    match = keeper.running()
    digests(keeper)
    keeper.clock.set(datetime(2026, 6, 3, 9, 0, tzinfo=UTC))
    digests(keeper)
    old = keeper.owed("digest")
    keeper.clock.move(timedelta(hours=1))
    while sum(ply.seat == 1 and ply.made_by == "link" for ply in keeper.plies(match)) < 2:
        keeper.play_on(match, plies=keeper.match(match.id).ply + 1)
        keeper.clock.move(timedelta(minutes=1))
    keeper.post_all()

    bounce(keeper, old, recipient=address("bob"))

    assert keeper.row(old).delivery == Delivery.FAILED
    assert keeper.seat(match, 1).mail_problem_at is None
