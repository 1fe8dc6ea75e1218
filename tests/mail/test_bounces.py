"""Known delivery: what comes back to a return path, in every form, and what comes of it."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest

from pbem.looks import stalled
from pbem.mail import bounces, gateway, letter, mailbox
from pbem.mail.letter import Outcome
from pbem.present import deliveries
from pbem.store import links
from pbem.store.names import Delivery, MailStatus, Purpose
from pbem.words.i18n import translator
from tests.mail.office import Office
from tests.mail.returning import (
    AWAY,
    FAILED,
    HOURS,
    LATE,
    MOST,
    asked,
    back_of,
    bounce,
    report,
    written,
)
from tests.parts import remedies
from tests.parts.cast import address
from tests.parts.relay import Relay


@pytest.mark.parametrize("form", FAILED)
def test_a_mail_that_comes_back_holds_the_clock_and_tells_the_host(
    keeper: Office, form: str
) -> None:
    match, mail = asked(keeper)

    result = bounce(keeper, mail, form)

    assert result == "failed"
    seat, turn = keeper.seat(match, 1), keeper.turn(match, 1)
    assert seat.mail_problem_at == turn.held_at == keeper.service.now()
    assert turn.held_why == "mail"
    row = keeper.row(mail)
    assert (row.status, row.delivery) == (MailStatus.SENT, Delivery.FAILED)
    assert re.search(r"5\.1\.10?\b", seat.mail_problem or "")
    assert "bob" not in f"{seat.mail_problem} {row.delivery_note}".lower()
    assert "://" not in f"{seat.mail_problem} {row.delivery_note}"
    told = keeper.owed("stalled", links.HOST)
    keeper.post_all()
    assert keeper.row(told).status == MailStatus.SENT
    assert [stall.reason for stall in stalled.find(keeper.service)] == ["mail"]


@pytest.mark.parametrize("form", LATE)
def test_a_mail_that_is_late_is_noted_and_no_clock_is_held(keeper: Office, form: str) -> None:
    match, mail = asked(keeper)

    result = bounce(keeper, mail, form)

    assert result == "delayed"
    assert keeper.row(mail).delivery == Delivery.DELAYED
    assert keeper.seat(match, 1).mail_problem_at is None
    assert keeper.turn(match, 1).held_at is None
    assert keeper.mails("stalled") == []


def test_corrected_the_address_gets_the_turn_and_the_clock_goes_on(keeper: Office) -> None:
    match, mail = asked(keeper)
    bounce(keeper, mail)
    keeper.wait(hours=100)

    remedies.correct_address(keeper.service, match.id, 1, "bob@example.net", actor="operator")
    keeper.post_all()

    assert keeper.turn(match, 1).due_at == keeper.clock.now() + timedelta(hours=6)
    assert mailbox.listed(keeper.service, "bob@example.net")[-1].subject.startswith("Your move · ")


@pytest.mark.parametrize(
    ("status", "action", "delivery"),
    [
        ("5.2.2", "failed", Delivery.FAILED),
        ("4.2.2", "failed", Delivery.FAILED),
        ("4.4.7", "failed", Delivery.FAILED),
        ("5.7.1", "Failed (no more)", Delivery.FAILED),
        ("4.2.2", "delayed", Delivery.DELAYED),
        ("2.1.5", "delivered", Delivery.DELIVERED),
        ("2.0.0", "relayed", Delivery.DELIVERED),
        ("2.0.0", "expanded", Delivery.DELIVERED),
        ("5.1.1", "", Delivery.FAILED),
        ("4.1.1", "", Delivery.DELAYED),
        ("2.1.1", "", Delivery.DELIVERED),
    ],
)
def test_what_a_report_says_was_done_decides_and_its_status_where_it_does_not_say(
    keeper: Office, status: str, action: str, delivery: Delivery
) -> None:
    match, mail = asked(keeper)

    report(keeper, mail, status=status, action=action)

    assert keeper.row(mail).delivery == delivery
    assert (keeper.seat(match, 1).mail_problem_at is not None) == (delivery == Delivery.FAILED)


@pytest.mark.parametrize("field", ["Action: failed", "Status: 5.1.1"])
def test_a_report_that_has_only_one_of_the_two_counts(keeper: Office, field: str) -> None:
    _match, mail = asked(keeper)

    report(keeper, mail, f"Final-Recipient: rfc822; {mail.sent_to}\n{field}")

    assert keeper.row(mail).delivery == Delivery.FAILED


def outcome_of(*told: tuple[str, str]) -> str | None:
    outcomes = [Outcome(action, "", (who,), "") for action, who in told]  # type: ignore[arg-type]
    found = bounces.outcome(outcomes, "bob@example.org")
    return found.action if found else None


def test_of_several_recipients_the_one_that_was_meant_decides_else_the_luckiest() -> None:
    assert outcome_of(("failed", "x@y"), ("delayed", "BOB@example.org")) == "delayed"
    assert outcome_of(("delivered", "x@y"), ("failed", "bob@example.org")) == "failed"
    assert outcome_of(("failed", "x@y"), ("delivered", "z@y")) == "delivered"
    assert outcome_of(("failed", "x@y"), ("failed", "z@y")) == "failed"
    assert outcome_of() is None


def test_a_mail_that_was_passed_on_and_came_back_from_there_counts(keeper: Office) -> None:
    match, mail = asked(keeper)

    result = bounce(keeper, mail, recipient="bobs-other@elsewhere.example")

    assert result == "failed"
    assert "elsewhere.example" not in (keeper.seat(match, 1).mail_problem or "")
    assert keeper.turn(match, 1).held_at is not None


# --- machines that answer ---


@pytest.mark.parametrize("form", AWAY)
@pytest.mark.parametrize("where", ["return path", "reply address"])
def test_who_is_away_is_noted_and_neither_answered_nor_marked(
    keeper: Office, form: str, where: str
) -> None:
    match, mail = asked(keeper)
    reply = gateway.reply_address(keeper.service, keeper.link(match, Purpose.REPLY, 1))
    to = back_of(keeper, mail) if where == "return path" else reply
    owed = len(keeper.mails())

    result = gateway.arrived(
        keeper.service, written("absences", form, TO=to, RECIPIENT=address("bob"))
    )

    assert result == "automatic"
    assert keeper.row(mail).delivery == Delivery.ANSWERED
    assert keeper.seat(match, 1).mail_problem_at is None
    assert keeper.match(match.id).ply == match.ply
    assert len(keeper.mails()) == owed


def test_an_absence_that_somebody_else_tells_to_a_reply_address_is_not_noted(
    keeper: Office,
) -> None:
    match, mail = asked(keeper)
    reply = gateway.reply_address(keeper.service, keeper.link(match, Purpose.REPLY, 1))

    raw = written("absences", "gmail", TO=reply, RECIPIENT=address("erin"))

    assert gateway.arrived(keeper.service, raw) == "automatic"
    assert keeper.row(mail).delivery is None


@pytest.mark.parametrize(
    "text",
    [
        "From: bob@example.org\nSubject: Re: your turn\n\ngive A\n",
        "From: bob@example.org\nReturn-Path: <>\nSubject: gone\n\nI am permanently away: 550 5.1.1",
        "From: MAILER-DAEMON@mx.example\nSubject: hello\n\nNothing in particular.\n",
        "From: x@y\nContent-Type: multipart/report; report-type=feedback-report; boundary=x\n\n"
        "--x\nContent-Type: message/feedback-report\n\nFeedback-Type: abuse\n\n--x--\n",
    ],
)
def test_what_says_nothing_of_the_mail_does_nothing(keeper: Office, text: str) -> None:
    match, mail = asked(keeper)
    owed = len(keeper.mails())

    result = gateway.arrived(keeper.service, f"To: {back_of(keeper, mail)}\n{text}".encode())

    assert result in ("unclear", "automatic")
    assert keeper.row(mail).delivery in (None, Delivery.ANSWERED)
    assert keeper.seat(match, 1).mail_problem_at is None
    assert keeper.match(match.id).ply == match.ply
    assert len(keeper.mails()) == owed


def told_by_daemon(text: str, kind: str = "plain") -> Outcome:
    """What a bounce without a report says."""
    head = f"From: MAILER-DAEMON@mx.example\nSubject: hello\nContent-Type: text/{kind}\n\n"
    (found,) = letter.read(f"{head}{text}".encode(), MOST).outcomes
    return found


@pytest.mark.parametrize(
    ("text", "action"), [("mx said:\n552 full", "failed"), ("mx said:\n452 full", "delayed")]
)
def test_of_a_bounce_without_a_report_the_code_of_a_reply_decides(text: str, action: str) -> None:
    assert told_by_daemon(text).action == action


@pytest.mark.parametrize(
    ("kind", "text", "reason"),
    [
        ("plain", "We are sorry.\n\nmx said:\n550 closed\nfor good\n\nBye", "550 closed for good"),
        ("plain", "We gave up.\n\nIt said (#5.1.1)\nclosed\n\nBye", "It said (#5.1.1) closed"),
        (
            "plain",
            "It was rejected.\n\n<bob@b.example>:\nclosed\nfor good\n\nBye",
            "closed for good",
        ),
        ("plain", "We are sorry.\n\nIt was rejected.\nBy mx.\n\nBye", "It was rejected. By mx."),
        ("html", "<p>It was rejected.</p><p>550 closed</p>", "550 closed"),
    ],
)
def test_the_reason_is_what_stands_at_a_code_else_below_an_address(
    kind: str, text: str, reason: str
) -> None:
    assert told_by_daemon(text, kind).diagnostic == reason


@pytest.mark.parametrize(
    ("status", "said", "shown"),
    [
        ("5.1.1", "no such user", "5.1.1 no such user"),
        ("5.1.1", "550 5.1.1 no", "550 5.1.1 no"),
        ("", "no such user", "no such user"),
    ],
)
def test_a_status_stands_before_a_reason_that_does_not_hold_it(
    status: str, said: str, shown: str
) -> None:
    assert bounces.words(Outcome("failed", status, (), said)) == shown


# --- what is shown ---


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("RCPT: 550 5.1.1 No", "There is no such mailbox."),
        ("552 5.2.2 over quota", "The mailbox is full."),
        ("5.1.2", "The part of the address after the @ takes no mail."),
        ("550 5.7.1 spam", "The mail service of the address does not take mail from here."),
        ("550 no such user", "550 no such user"),
        ("192.5.1.1 said 550", "192.5.1.1 said 550"),
    ],
)
def test_a_reason_is_told_in_plain_words_first(said: str, shown: str) -> None:
    found = deliveries.reason(said, translator("en"))

    assert found.startswith(shown)
    assert said in found


def test_where_no_reason_was_given_none_is_told() -> None:
    assert deliveries.reason("", translator("en")) == ""


# --- end to end ---


def test_a_relay_that_takes_a_mail_and_bounces_it_marks_the_address(
    any_returning: Office, smtp_server: Relay
) -> None:
    """The relay says 250, and writes to the return path of its envelope what became of it."""
    office = any_returning
    match = office.running(**HOURS)
    office.post_all()
    office.clock.move(timedelta(hours=3))

    taken = next(mail for mail in smtp_server.taken if mail.recipients == (address("bob"),))
    raw = written("bounces", "postfix", RETURN=taken.sender, RECIPIENT=taken.recipients[0])
    result = gateway.arrived(office.service, raw, [taken.sender])
    office.post_all()

    assert result == "failed"
    assert office.turn(match, 1).held_why == "mail"
    assert office.owed("stalled").status == MailStatus.SENT
    assert smtp_server.taken[-1].recipients == (address("alice"),)
    # nothing more goes there until the address is corrected
    count = len(smtp_server.taken)
    office.wait(hours=200)
    office.post_all()
    assert not [m for m in smtp_server.taken[count:] if m.recipients == (address("bob"),)]
    remedies.correct_address(office.service, match.id, 1, "bob@example.net", actor="operator")
    office.post_all()
    assert smtp_server.taken[-1].recipients == ("bob@example.net",)
    assert office.turn(match, 1).due_at == office.clock.now() + timedelta(hours=7)
