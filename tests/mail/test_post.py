"""The mailer and a real relay: what it answers, and what becomes of the mail."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta

import pytest
from sqlalchemy.exc import OperationalError

from pbem import failpoints
from pbem.acts import outbox
from pbem.journal import Line
from pbem.mail import mailer
from pbem.mail.mailer import post_due
from pbem.store.names import MailKind, MailStatus, Purpose
from tests.mail.office import Office, parsed
from tests.parts import remedies
from tests.parts.cast import address
from tests.parts.relay import Relay, patience


@contextmanager
def waiting_for(office: Office, seconds: int) -> Iterator[None]:
    """Inside the block the relay has so many seconds for an answer."""
    mail = office.service.settings.mail
    with pytest.MonkeyPatch.context() as patches:
        patches.setitem(mail.__dict__, "timeout_seconds", seconds)
        yield


def copies(relay: Relay) -> Counter[str]:
    return Counter(parsed(mail.content)["Message-ID"] for mail in relay.taken)


def test_what_is_owed_is_sent_once(any_office: Office, smtp_server: Relay) -> None:
    any_office.open(confirmed=False)

    any_office.post_all()
    any_office.post_all()

    assert {mail.status for mail in any_office.mails()} == {MailStatus.SENT}
    assert sorted(mail.recipients for mail in smtp_server.taken) == [
        (address("alice"),),
        (address("alice"),),
        (address("bob"),),
        (address("carol"),),
        (address("dave"),),
    ]
    assert set(copies(smtp_server).values()) == {1}


def test_a_batch_takes_no_more_than_it_was_told(office: Office, smtp_server: Relay) -> None:
    office.open(confirmed=False)

    taken = office.post(2)

    assert taken == 2
    assert len(smtp_server.taken) == 2


def test_a_mailbox_that_is_busy_is_tried_again_later_and_later(
    office: Office, smtp_server: Relay
) -> None:
    office.open(confirmed=False)
    smtp_server.behaviour, smtp_server.only_for = "rcpt_451", {address("bob")}

    waits = []
    for _ in range(10):
        office.post_all()
        row = office.owed("invitation", 1)
        waits.append(row.due_at - office.service.now())
        office.clock.set(row.due_at)

    assert waits[:3] == [timedelta(seconds=30), timedelta(seconds=60), timedelta(seconds=120)]
    assert waits[-1] == timedelta(hours=1)
    assert office.owed("invitation", 1).status == MailStatus.PENDING
    assert len(smtp_server.taken) == 4


def away_once(monkeypatch: pytest.MonkeyPatch, place: str, seconds: float = 0) -> None:
    """The database is away when this place is passed for the first time."""
    passed: list[str] = []

    def pass_by(passing: str) -> None:
        if passing == place and not passed:
            passed.append(place)
            time.sleep(seconds)
            raise OperationalError("COMMIT", {}, Exception("the server is starting up"))

    monkeypatch.setattr(failpoints, "pass_by", pass_by)


def test_a_database_that_is_away_when_the_relay_has_taken_a_mail_makes_no_copy(
    any_office: Office, smtp_server: Relay, monkeypatch: pytest.MonkeyPatch
) -> None:
    any_office.open(confirmed=False)
    away_once(monkeypatch, "post.sent.before_commit")

    any_office.post_all()

    assert {(mail.status, mail.doubts) for mail in any_office.mails()} == {(MailStatus.SENT, 0)}
    assert set(copies(smtp_server).values()) == {1}


def test_a_mailer_that_was_stopped_until_the_database_gave_up_on_it_makes_no_copy(
    office: Office, smtp_server: Relay, monkeypatch: pytest.MonkeyPatch
) -> None:
    """PostgreSQL ends a transaction in which nothing is done for long."""
    office.open(confirmed=False)
    monkeypatch.setattr(mailer, "SURELY_SECONDS", 0.1)
    away_once(monkeypatch, "post.sent.before_commit", seconds=0.2)

    office.post_all()

    assert {(mail.status, mail.doubts) for mail in office.mails()} == {(MailStatus.SENT, 0)}


@pytest.mark.parametrize("place", ["post.link.before_commit", "post.doubt.before_commit"])
def test_what_a_mailer_held_when_the_database_went_away_goes_out_when_it_is_back(
    place: str, any_office: Office, smtp_server: Relay, monkeypatch: pytest.MonkeyPatch
) -> None:
    any_office.open(confirmed=False)
    away_once(monkeypatch, place)

    with pytest.raises(OperationalError):
        any_office.post_all()
    any_office.post_all()

    assert {(mail.status, mail.failures) for mail in any_office.mails()} == {(MailStatus.SENT, 0)}
    assert set(copies(smtp_server).values()) == {1}


@pytest.mark.parametrize("behaviour", ["rcpt_451", "data_451"])
def test_what_was_put_off_is_sent_when_the_relay_takes_it(
    any_office: Office, smtp_server: Relay, behaviour: str
) -> None:
    any_office.open(confirmed=False)
    smtp_server.behaviour = behaviour  # type: ignore[assignment]
    any_office.post_all()
    smtp_server.behaviour = "accept"

    any_office.clock.move(timedelta(minutes=5))
    any_office.post_all()

    assert {mail.status for mail in any_office.mails()} == {MailStatus.SENT}
    assert {mail.doubts for mail in any_office.mails()} == {0}
    assert set(copies(smtp_server).values()) == {1}


def test_patience_with_a_busy_mailbox_ends_and_the_clock_is_held(
    office: Office, smtp_server: Relay
) -> None:
    match = office.running()
    smtp_server.behaviour, smtp_server.only_for = "rcpt_451", {address("bob")}
    seats = office.waiting(match)
    assert 1 in seats

    for _ in range(120):
        office.post_all()
        row = office.owed("your_turn", 1)
        if row.status != MailStatus.PENDING:
            break
        office.clock.set(row.due_at)

    assert row.status == MailStatus.DEAD
    assert office.service.now() - row.created_at > outbox.PATIENCE
    assert office.seat(match, 1).mail_problem_at is not None
    assert office.turn(match, 1).held_at is not None


def test_a_mail_is_not_given_up_before_its_eighth_try_however_old_it_is(
    office: Office, smtp_server: Relay
) -> None:
    office.open(confirmed=False)
    smtp_server.behaviour, smtp_server.only_for = "rcpt_451", {address("bob")}

    found = []
    for wait in [outbox.PATIENCE, *[outbox.LONGEST_WAIT] * 7]:
        office.post_all()
        found.append(office.owed("invitation", 1).status)
        office.clock.move(wait)

    assert found == [MailStatus.PENDING] * 7 + [MailStatus.DEAD]


def test_an_address_that_is_refused_holds_the_clock_and_tells_the_host(
    any_office: Office, smtp_server: Relay
) -> None:
    match = any_office.running()
    smtp_server.behaviour, smtp_server.only_for = "rcpt_550", {address("bob")}

    any_office.post_all()

    row = any_office.owed("your_turn", 1)
    assert row.status == MailStatus.DEAD
    assert any_office.seat(match, 1).mail_problem == "RCPT: 550 5.1.1 No such mailbox"
    assert any_office.turn(match, 1).held_at is not None
    told = any_office.owed("stalled")
    assert told.status == MailStatus.SENT
    assert not any_office.mails(MailKind.OPERATOR_TOLD)


def test_a_refused_address_leaves_the_other_mails_of_the_connection_alone(
    office: Office, smtp_server: Relay
) -> None:
    office.open(confirmed=False)
    smtp_server.behaviour, smtp_server.only_for = "rcpt_550", {address("carol")}

    office.post(50)

    assert sorted({mail.recipients[0] for mail in smtp_server.taken}) == [
        address("alice"),
        address("bob"),
        address("dave"),
    ]


def test_after_an_answer_that_cannot_be_read_no_answer_is_taken_for_that_to_the_next_mail(
    office: Office, smtp_server: Relay
) -> None:
    office.open(confirmed=False)
    smtp_server.behaviour, smtp_server.only_for = "rcpt_garble", {address("bob")}

    office.post()

    found = {mail.seat: (mail.attempts, mail.last_error) for mail in office.mails("invitation")}
    assert found == {
        0: (1, None),
        1: (1, "RCPT: no answer that can be read ing: slow"),
        2: (0, None),
        3: (0, None),
    }


def test_turn_mails_wait_for_a_right_address_and_then_bring_new_links(
    office: Office, smtp_server: Relay
) -> None:
    match = office.running()
    smtp_server.behaviour, smtp_server.only_for = "rcpt_550", {address("bob")}
    office.post_all()
    before = len(smtp_server.taken)

    office.owe_again(match.id, 1, "seat_link", "again")
    office.post_all()
    remedies.correct_address(office.service, match.id, 1, "bobby@example.org", actor="operator")
    office.post_all()

    assert office.mails("seat_link")[0].status == MailStatus.DROPPED
    after = [
        mail for mail in smtp_server.taken[before:] if mail.recipients == ("bobby@example.org",)
    ]
    assert len(after) == 1
    assert office.token(office.link(match, Purpose.TURN, 1)) in after[0].content.decode()


def test_a_relay_that_is_down_is_tried_once_a_batch_and_nothing_is_lost(
    office: Office, smtp_server: Relay
) -> None:
    office.open(confirmed=False)
    port = office.service.settings.mail.port
    object.__setattr__(office.service.settings.mail, "port", 1)

    done = office.post()

    assert done == 0
    rows = office.mails()
    assert {mail.status for mail in rows} == {MailStatus.PENDING}
    assert sorted(mail.attempts for mail in rows) == [0, 0, 0, 0, 1]
    object.__setattr__(office.service.settings.mail, "port", port)
    office.clock.move(timedelta(minutes=1))
    office.post_all()
    assert {mail.status for mail in office.mails()} == {MailStatus.SENT}


@pytest.mark.parametrize(
    "behaviour", ["hang", "drop", "accept_then_drop", "accept_then_garble", "accept_then_354"]
)
def test_an_answer_that_is_lost_or_cannot_be_read_is_a_doubt_and_one_more_copy_at_the_most(
    any_office: Office, smtp_server: Relay, behaviour: str
) -> None:
    any_office.open(confirmed=False)
    smtp_server.behaviour, smtp_server.only_for = behaviour, {address("bob")}  # type: ignore[assignment]
    with waiting_for(any_office, patience(smtp_server)):
        any_office.post_all()
    doubted = any_office.owed("invitation", 1)
    assert (doubted.status, doubted.doubts) == (MailStatus.PENDING, 1)
    smtp_server.behaviour = "accept"

    any_office.clock.move(timedelta(minutes=5))
    any_office.post_all()

    row = any_office.owed("invitation", 1)
    assert (row.status, row.doubts) == (MailStatus.SENT, 1)
    taken_at_once = behaviour.startswith("accept")
    assert copies(smtp_server)[str(row.message_id)] == (2 if taken_at_once else 1)


def test_after_two_doubts_a_mail_is_given_up_and_the_operator_is_told(
    office: Office, smtp_server: Relay
) -> None:
    office.open(confirmed=False)
    smtp_server.behaviour, smtp_server.only_for = "accept_then_drop", {address("bob")}

    for _ in range(6):
        office.post_all()
        office.clock.move(timedelta(hours=1))

    row = office.owed("invitation", 1)
    assert (row.status, row.doubts) == (MailStatus.DEAD, 2)
    assert copies(smtp_server)[str(row.message_id)] == 2
    assert office.owed(MailKind.OPERATOR_TOLD).status == MailStatus.SENT
    assert ("operator@example.org",) in [mail.recipients for mail in smtp_server.taken]


def test_a_second_copy_has_the_same_message_id_and_the_same_links(
    office: Office, smtp_server: Relay
) -> None:
    office.open(confirmed=False)
    smtp_server.behaviour, smtp_server.only_for = "accept_then_drop", {address("bob")}
    office.post_all()
    smtp_server.behaviour = "accept"

    office.clock.move(timedelta(hours=1))
    office.post_all()

    one, two = (mail.content for mail in smtp_server.taken if mail.recipients == (address("bob"),))
    changed = {
        (a, b)
        for a, b in zip(one.splitlines(), two.splitlines(), strict=True)
        if a != b and not a.startswith(b"Date:")
    }
    assert changed == set()


def test_a_mailer_stopped_past_its_lease_does_not_send_again(
    any_office: Office, smtp_server: Relay
) -> None:
    any_office.open(confirmed=False)
    stopped = outbox.lease_due(any_office.service, 50)
    any_office.clock.move(outbox.LEASE + timedelta(seconds=1))
    any_office.post_all()
    before = len(smtp_server.taken)

    went_on = [outbox.enter_doubt(any_office.service, mail, "<x@y>", "a@b") for mail in stopped]

    assert before == 5
    assert went_on == [False] * 5
    assert {mail.status for mail in any_office.mails()} == {MailStatus.SENT}


def test_a_lease_that_was_lost_cannot_be_given_back_or_put_off(office: Office) -> None:
    office.open(confirmed=False)
    stopped = outbox.lease_due(office.service, 50)
    office.clock.move(outbox.LEASE + timedelta(seconds=1))
    now_ours = outbox.lease_due(office.service, 50)
    before = [office.row(mail) for mail in now_ours]

    for mail in stopped:
        outbox.put_back(office.service, mail)
        outbox.try_later(office.service, mail, "late")
        outbox.mark_dead(office.service, mail, "late")
        outbox.mark_dropped(office.service, mail, "late")

    assert [office.row(mail) for mail in now_ours] == before


def test_that_a_mail_was_sent_is_written_whoever_has_the_lease_by_then(office: Office) -> None:
    office.open(confirmed=False)
    slow = outbox.lease_due(office.service, 1)[0]
    assert outbox.enter_doubt(office.service, slow, "<x@y>", "a@b")
    office.clock.move(outbox.LEASE + timedelta(seconds=1))
    taken_over = next(mail for mail in outbox.lease_due(office.service, 50) if mail.id == slow.id)

    outbox.mark_sent(office.service, slow)

    assert not outbox.enter_doubt(office.service, taken_over, "<x@y>", "a@b")
    assert office.row(slow).status == MailStatus.SENT
    assert office.row(slow).doubts == 1


def test_a_crash_in_doubt_is_found_at_the_end_of_the_lease_and_tried_once_more(
    office: Office, smtp_server: Relay
) -> None:
    office.open(confirmed=False)
    for mail in outbox.lease_due(office.service, 50):
        outbox.enter_doubt(office.service, mail, "<x@y>", "a@b")

    assert office.post() == 0
    office.clock.move(outbox.LEASE)
    office.post_all()

    assert {(mail.status, mail.doubts) for mail in office.mails()} == {(MailStatus.SENT, 1)}


def test_a_second_crash_in_doubt_ends_the_mail(office: Office) -> None:
    office.open(confirmed=False)
    for _ in range(2):
        for mail in outbox.lease_due(office.service, 50):
            outbox.enter_doubt(office.service, mail, "<x@y>", "a@b")
        office.clock.move(outbox.LEASE)

    taken = outbox.lease_due(office.service, 50)

    assert [mail.kind for mail in taken] == []
    assert {mail.status for mail in office.mails("invitation")} == {MailStatus.DEAD}


def test_a_mail_on_which_mailers_die_is_set_aside(office: Office) -> None:
    office.open(confirmed=False)

    for _ in range(outbox.MOST_FAILURES + 1):
        outbox.lease_due(office.service, 50)
        office.clock.move(outbox.LEASE)

    assert {mail.status for mail in office.mails("invitation")} == {MailStatus.DEAD}


def test_the_log_names_the_match_of_a_mail_on_which_mailers_died(
    office: Office, caplog: pytest.LogCaptureFixture
) -> None:
    match = office.open(confirmed=False)
    caplog.set_level("INFO")

    for _ in range(outbox.MOST_FAILURES + 1):
        outbox.lease_due(office.service, 50)
        office.clock.move(outbox.LEASE)

    given_up = [line.about for line in caplog.records if line.getMessage() == Line.MAIL_GIVEN_UP]
    assert {line["match"] for line in given_up} == {match.id}


@pytest.mark.parametrize(
    ("behaviour", "line"), [("rcpt_451", Line.MAIL_PUT_OFF), ("rcpt_550", Line.MAIL_REFUSED)]
)
def test_the_log_tells_of_a_mail_that_the_relay_did_not_take(
    office: Office,
    smtp_server: Relay,
    caplog: pytest.LogCaptureFixture,
    behaviour: str,
    line: Line,
) -> None:
    office.open(confirmed=False)
    smtp_server.behaviour, smtp_server.only_for = behaviour, {address("bob")}  # type: ignore[assignment]
    caplog.set_level("INFO")

    office.post_all()

    told = [one.about["mail"] for one in caplog.records if one.getMessage() == line]
    assert told == [office.owed("invitation", 1).id]


def test_a_mail_to_the_first_seat_lives_as_long_as_the_links_of_that_seat(office: Office) -> None:
    match = office.running()
    remedies.reissue(office.service, match.id, 0, actor="operator")

    with office.service.database.write("test") as session:
        about = {"match_id": match.id, "seat": 0}
        outbox.owe(session, MailKind.YOUR_TURN, "once more", office.service.now(), **about)

    (mail,) = [one for one in office.mails() if one.dedupe == "once more"]
    assert outbox.data(mail)["epoch"] == office.seat(match, 0).epoch == 1


def test_a_mail_that_cannot_be_made_stops_no_other_and_ends_with_its_error(
    office: Office, smtp_server: Relay
) -> None:
    match = office.open(confirmed=False)
    office.owe_again(match.id, 1, kind="no_such_kind")

    for _ in range(outbox.MOST_FAILURES + 2):
        office.post_all()
        office.clock.move(timedelta(hours=1))

    poison = office.owed("no_such_kind")
    assert (poison.status, poison.failures) == (MailStatus.DEAD, outbox.MOST_FAILURES)
    assert poison.last_error == "ValueError: 'no_such_kind' is not a valid MailKind"
    assert len(smtp_server.taken) == 6
    assert smtp_server.taken[-1].recipients == ("operator@example.org",)


def test_the_operator_is_told_once_a_day_however_many_mails_die(office: Office) -> None:
    match = office.open(confirmed=False)
    for key in ("a", "b", "c"):
        office.owe_again(match.id, 1, kind="no_such_kind", key=key)

    for _ in range(outbox.MOST_FAILURES + 2):
        office.post_all()
        office.clock.move(timedelta(hours=1))

    assert len(office.mails(MailKind.OPERATOR_TOLD)) == 1


def test_mail_to_the_operator_that_dies_is_not_told_to_the_operator(
    office: Office, smtp_server: Relay
) -> None:
    smtp_server.behaviour = "rcpt_550"
    with office.service.database.write("test") as session:
        owed = outbox.owe(
            session,
            MailKind.OPERATOR_TOLD,
            "operator_told:x",
            office.service.now(),
            address="operator@example.org",
            dead="x",
        )
    assert owed

    office.post_all()

    assert [mail.status for mail in office.mails()] == [MailStatus.DEAD]


def test_one_connection_carries_a_batch(office: Office, smtp_server: Relay) -> None:
    office.open(confirmed=False)
    object.__setattr__(office.service.settings.mail, "per_connection", 2)

    post_due(office.service)

    assert len(smtp_server.taken) == 5


def test_two_mailers_at_once_share_the_work(any_office: Office, smtp_server: Relay) -> None:
    any_office.open(confirmed=False)

    one = outbox.lease_due(any_office.service, 3)
    two = outbox.lease_due(any_office.service, 3)

    assert {mail.id for mail in one} & {mail.id for mail in two} == set()
    assert len(one) + len(two) == 5
