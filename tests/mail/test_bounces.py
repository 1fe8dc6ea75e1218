"""Known delivery: what comes back to a return path, and what comes of it."""

from __future__ import annotations

import random
import re
import threading
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from pbem import links, matches, outbox, reach, remedies, stalled
from pbem.config import Incoming
from pbem.i18n import translator
from pbem.keys import Keys
from pbem.mail import gateway, letter, mailbox, return_path, returned
from pbem.mail.letter import Outcome
from pbem.models import Delivery, Mail, MailStatus, Match, Purpose
from pbem.present import delivered
from pbem.service import Service
from tests.mail.office import Office, office_service, parsed
from tests.parts.relay import Relay
from tests.pbem.cast import KEYS, address

HERE = Path(__file__).parent
FORMS = sorted(path.stem for path in (HERE / "bounces").glob("*.eml"))
LATE = [form for form in FORMS if form.endswith("_late")]
FAILED = [form for form in FORMS if form not in LATE]
AWAY = sorted(path.stem for path in (HERE / "absences").glob("*.eml"))
MOST = 262_144
HOURS = {"clock": {"turn": "10h", "grace": "1h"}}


def written(folder: str, form: str, **values: str) -> bytes:
    text = (HERE / folder / f"{form}.eml").read_text()
    for name, value in values.items():
        text = text.replace(name, value)
    return text.replace("\n", "\r\n").encode()


def back_of(office: Office, mail: Mail) -> str:
    """Where a mail that was sent comes back to."""
    return return_path.address(office.service, mail, mail.sent_to or "")


def bounce(office: Office, mail: Mail, form: str = "postfix", *, recipient: str = "") -> str:
    """A mail comes back in this form; what was made of it."""
    raw = written(
        "bounces", form, RETURN=back_of(office, mail), RECIPIENT=recipient or mail.sent_to or ""
    )
    return gateway.arrived(office.service, raw)


def report(
    office: Office, mail: Mail, *groups: str, status: str = "5.1.1", action: str = "failed"
) -> str:
    """A report with these groups of fields, or with one about the mail's own recipient."""
    own = f"Final-Recipient: rfc822; {mail.sent_to}\nAction: {action}\nStatus: {status}"
    fields = "\n\n".join(groups or (own,))
    text = (
        f"From: MAILER-DAEMON@mx.example\nTo: {back_of(office, mail)}\n"
        "Content-Type: multipart/report; report-type=delivery-status; boundary=x\n\n"
        f"--x\nContent-Type: message/delivery-status\n\nReporting-MTA: dns; mx\n\n{fields}\n\n"
        "--x--\n"
    )
    return gateway.arrived(office.service, text.encode())


def asked(office: Office) -> tuple[Match, Mail]:
    """A running match four hours later, and the mail of Bob's turn."""
    match = office.running(**HOURS)
    office.post_all()
    office.clock.move(timedelta(hours=4))
    return match, office.owed("your_turn", 1)


# --- return paths ---


def test_each_mail_has_a_return_path_of_its_own(keeper: Office) -> None:
    keeper.running()
    keeper.post_all()

    kept = mailbox.listed(keeper.service)

    paths = [mail.headers["Return-Path"] for mail in kept]
    assert len(set(paths)) == len(paths) > 4
    for path in paths:
        local = path.strip("<>").partition("@")[0]
        assert re.fullmatch(r"b\+[0-9a-z]+-[a-z2-7]{32}", local)
        assert len(local) < 64
    assert {mail.sender for mail in kept} == {"pbem@localhost"}
    assert "@example" not in "".join(paths)


def test_a_return_path_is_found_in_capitals_and_with_spaces_around(keeper: Office) -> None:
    _, mail = asked(keeper)
    path = back_of(keeper, mail)

    with keeper.service.database.read() as session:
        found = return_path.find(session, keeper.service, [f" {path.upper()} "])

    assert found is not None
    assert found.id == mail.id


def test_the_relay_is_told_the_return_path_where_letters_can_come_in(
    returning: Office, smtp_server: Relay
) -> None:
    returning.running()

    returning.post_all()

    bobs = next(mail for mail in smtp_server.taken if mail.recipients == (address("bob"),))
    assert bobs.sender == back_of(returning, returning.owed("your_turn", 1))
    assert parsed(bobs.content)["From"] == "pbem <pbem@localhost>"
    assert "Return-Path" not in parsed(bobs.content)


def test_the_relay_is_told_our_own_address_where_no_letter_can_come_in(
    office: Office, smtp_server: Relay
) -> None:
    office.running()

    office.post_all()

    assert {mail.sender for mail in smtp_server.taken} == {"pbem@localhost"}


@pytest.fixture
def returning(tmp_path: Path, sqlite_url: str, smtp_server: Relay) -> Iterator[Office]:
    """Sends to ``smtp_server``, and takes letters by a webhook."""
    yield from _returning(tmp_path, sqlite_url, smtp_server)


@pytest.fixture
def any_returning(tmp_path: Path, database_url: str, smtp_server: Relay) -> Iterator[Office]:
    """The same, on SQLite and on PostgreSQL."""
    yield from _returning(tmp_path, database_url, smtp_server)


def _returning(home: Path, url: str, relay: Relay) -> Iterator[Office]:
    service = office_service(home, url, relay)
    incoming = Incoming(webhook_key="w" * 32)
    service.settings.__dict__["incoming"] = incoming
    assert service.settings.takes_letters
    yield Office(service)
    service.database.close()


# --- every form of bounce ---


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

    reach.correct_address(keeper.service, match.id, 1, "bob@example.net", actor="host")
    keeper.post_all()

    assert keeper.turn(match, 1).due_at == keeper.clock.now() + timedelta(hours=6)
    assert mailbox.listed(keeper.service, "bob@example.net")[-1].subject.endswith("your turn")


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


def outcome_of(*told: tuple[str, str]) -> str | None:
    outcomes = [Outcome(action, "", (who,), "") for action, who in told]  # type: ignore[arg-type]
    found = returned.outcome(outcomes, "bob@example.org")
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


# --- again, late, too late ---


def test_a_bounce_that_comes_again_tells_the_host_once(keeper: Office) -> None:
    match, mail = asked(keeper)
    bounce(keeper, mail)
    first = keeper.row(mail)
    keeper.clock.move(timedelta(hours=1))

    results = [bounce(keeper, mail) for _ in range(3)]

    assert results == ["failed"] * 3
    assert len(keeper.mails("stalled")) == 1
    assert keeper.row(mail) == first
    assert keeper.turn(match, 1).held_at == first.delivery_at


def test_a_bounce_that_comes_four_times_at_once_tells_the_host_once(keeper: Office) -> None:
    match, mail = asked(keeper)

    threads = [threading.Thread(target=bounce, args=(keeper, mail)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(keeper.mails("stalled")) == 1
    assert keeper.seat(match, 1).mail_problem_at is not None


@pytest.mark.parametrize("email", ["bob@example.net", "bob@example.org"])
def test_a_bounce_of_the_old_address_does_not_mark_the_corrected_one(
    keeper: Office, email: str
) -> None:
    """Also where the same address was tried anew: the newer mail will tell."""
    match, mail = asked(keeper)
    reach.correct_address(keeper.service, match.id, 1, email, actor="host")

    result = bounce(keeper, mail)

    assert result == "failed"
    assert keeper.row(mail).delivery == Delivery.FAILED
    assert keeper.seat(match, 1).mail_problem_at is None
    assert keeper.turn(match, 1).held_at is None
    assert keeper.mails("stalled") == []


def test_a_bounce_does_not_reach_who_took_over_the_seat(keeper: Office) -> None:
    match, mail = asked(keeper)
    remedies.replace(keeper.service, match.id, 1, "Frank", address("frank"), actor="host")

    bounce(keeper, mail)

    assert keeper.seat(match, 1).mail_problem_at is None


def test_an_address_corrected_while_the_bounce_is_read_is_not_blamed(
    keeper: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    match, mail = asked(keeper)
    original, met = reach.mail_refused, []

    def late(service, match_id, seat, email, why, *, epoch=None):  # type: ignore[no-untyped-def]
        if not met:
            met.append(email)
            reach.correct_address(service, match_id, seat, "bob@example.net", actor="host")
        original(service, match_id, seat, email, why, epoch=epoch)

    monkeypatch.setattr(reach, "mail_refused", late)
    bounce(keeper, mail)

    assert met == [address("bob")]
    assert keeper.seat(match, 1).mail_problem_at is None
    assert keeper.turn(match, 1).held_at is None


def test_a_bounce_of_an_old_mail_does_not_mark_who_has_moved_since(keeper: Office) -> None:
    match, mail = asked(keeper)
    # the turn that was mailed, and another; what is forced nobody plays
    while sum(ply.seat == 1 and ply.made_by == "link" for ply in keeper.plies(match)) < 2:
        keeper.play_on(match, plies=keeper.match(match.id).ply + 1)

    result = bounce(keeper, mail)

    assert result == "failed"
    assert keeper.row(mail).delivery == Delivery.FAILED
    assert keeper.seat(match, 1).mail_problem_at is None


def test_a_bounce_that_is_sooner_than_the_relays_answer_counts(
    returning: Office, smtp_server: Relay
) -> None:
    match = returning.running()
    smtp_server.behaviour, smtp_server.only_for = "accept_then_drop", {address("bob")}
    returning.post_all()
    mail = returning.owed("your_turn", 1)
    assert (mail.status, mail.sent_at) == (MailStatus.PENDING, None)

    bounce(returning, mail)
    returning.clock.set(mail.due_at)
    returning.post_all()

    assert returning.turn(match, 1).held_at is not None
    row = returning.row(mail)
    assert (row.status, row.delivery) == (MailStatus.DROPPED, Delivery.FAILED)


def test_a_return_path_is_good_for_a_month(keeper: Office) -> None:
    match, mail = asked(keeper)
    keeper.clock.move(timedelta(days=return_path.DAYS))
    before = keeper.row(mail)

    result = bounce(keeper, mail)

    assert result == "unknown"
    assert keeper.row(mail) == before
    assert keeper.seat(match, 1).mail_problem_at is None


def test_what_is_stronger_stays_noted(keeper: Office) -> None:
    match, mail = asked(keeper)
    found = []
    for action in ("delayed", "delivered", "delayed", "failed", "delivered"):
        report(keeper, mail, action=action)
        found.append(keeper.row(mail).delivery)

    assert found == ["delayed", "delivered", "delivered", "failed", "failed"]
    assert keeper.turn(match, 1).held_at is not None


def test_a_bounce_after_the_end_is_noted_and_nothing_more(keeper: Office) -> None:
    match, _ = asked(keeper)
    remedies.abort(keeper.service, match.id, actor="host")
    keeper.post_all()

    bounce(keeper, keeper.owed("match_aborted", 1))

    assert keeper.owed("match_aborted", 1).delivery == Delivery.FAILED
    assert keeper.seat(match, 1).mail_problem_at is None
    assert keeper.mails("stalled") == []


# --- several tables ---


def test_an_address_that_is_not_there_is_marked_at_every_table(any_returning: Office) -> None:
    office = any_returning
    others = [office.running(**HOURS) for _ in range(2)]
    office.post_all()
    office.clock.move(timedelta(hours=1))
    match, mail = asked(office)

    bounce(office, mail)

    for one in (match, *others):
        assert office.seat(one, 1).mail_problem_at is not None
        assert office.turn(one, 1).held_why == "mail"
        assert office.seat(one, 2).mail_problem_at is None
    assert sorted(row.match_id or "" for row in office.mails("stalled")) == sorted(
        one.id for one in (match, *others)
    )


def test_a_table_that_was_written_to_since_finds_out_by_itself(keeper: Office) -> None:
    match, mail = asked(keeper)
    other = keeper.running(**HOURS)
    keeper.post_all()

    bounce(keeper, mail)
    assert keeper.seat(other, 1).mail_problem_at is None
    bounce(keeper, keeper.owed("your_turn", 1))

    assert keeper.seat(other, 1).mail_problem_at is not None
    assert keeper.seat(match, 1).mail_problem_at is not None


@pytest.mark.parametrize("status", ["5.2.2", "5.7.1", "4.4.7", "5.6.0"])
def test_a_reason_that_is_the_mails_own_marks_its_own_table_alone(
    keeper: Office, status: str
) -> None:
    other = keeper.running(**HOURS)
    keeper.post_all()
    keeper.clock.move(timedelta(hours=1))
    match, mail = asked(keeper)

    report(keeper, mail, status=status)

    assert keeper.seat(match, 1).mail_problem_at is not None
    assert keeper.seat(other, 1).mail_problem_at is None


def test_an_address_refused_at_sending_is_marked_at_every_table_too(
    office: Office, smtp_server: Relay
) -> None:
    other = office.running(**HOURS)
    office.post_all()
    smtp_server.behaviour, smtp_server.only_for = "rcpt_550", {address("bob")}
    office.clock.move(timedelta(hours=1))
    match = office.running(**HOURS)

    office.post_all()

    assert office.seat(match, 1).mail_problem_at is not None
    assert office.seat(other, 1).mail_problem_at is not None
    row = max((row for row in office.mails("your_turn") if row.seat == 1), key=lambda r: r.id or 0)
    assert (row.status, row.delivery) == (MailStatus.DEAD, Delivery.FAILED)
    assert row.delivery_note == "RCPT: 550 5.1.1 No such mailbox"


def test_a_mail_with_links_that_comes_back_marks_the_tables_of_its_address(
    keeper: Office,
) -> None:
    match, _ = asked(keeper)
    keeper.clock.move(timedelta(hours=1))
    with keeper.service.database.write("test") as session:
        now = keeper.service.now()
        outbox.owe(session, "my_links", "my_links:1", now, address=address("bob"))
    keeper.post_all()

    bounce(keeper, keeper.owed("my_links"))

    assert keeper.seat(match, 1).mail_problem_at is not None
    assert len(keeper.mails(outbox.NOTICE)) == 1


# --- one way ---


def test_a_host_whose_own_address_is_the_one_is_not_written_to_there(keeper: Office) -> None:
    """The operator is told instead."""
    match, _ = asked(keeper)
    before = {row.id for row in keeper.mails()}

    bounce(keeper, keeper.owed("your_turn", 0))

    assert keeper.seat(match, 0).mail_problem_at is not None
    new = [row for row in keeper.mails() if row.id not in before]
    assert [(row.kind, row.address) for row in new] == [(outbox.NOTICE, "operator@example.org")]


def test_a_mail_to_the_host_that_comes_back_tells_the_operator(keeper: Office) -> None:
    match = keeper.open(host=matches.Person(name="Erin", email=address("erin")))
    keeper.post_all()
    mail = keeper.owed("match_opened", links.HOST)

    bounce(keeper, mail)

    assert keeper.row(mail).delivery == Delivery.FAILED
    assert [row.dedupe.split(":")[1] for row in keeper.mails(outbox.NOTICE)] == ["match_opened"]
    assert all(seat.mail_problem_at is None for seat in keeper.table(match).seats)


def test_bounces_of_bounces_make_no_loop(keeper: Office) -> None:
    """Whatever we send comes back, as often as something is sent."""
    match, _ = asked(keeper)
    back: set[int | None] = set()

    for _ in range(20):
        new = [row for row in keeper.mails() if row.status == "sent" and row.id not in back]
        if not new:
            break
        for row in new:
            back.add(row.id)
            bounce(keeper, row)
        keeper.post_all()
    else:
        raise AssertionError("there is no end of mails")

    notices = [row for row in keeper.mails(outbox.NOTICE) if row.status == "sent"]
    assert notices
    assert all(keeper.turn(match, seat).held_at for seat in range(4))


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


# --- made up ---


def test_a_token_for_something_else_is_no_return_path_and_the_reverse(keeper: Office) -> None:
    """Security 15, 19."""
    match, mail = asked(keeper)
    order = keeper.orders(match, 1)[0]
    own = back_of(keeper, mail)[2:].partition("@")[0]
    number, _, code = own.partition("-")
    other = back_of(keeper, keeper.owed("your_turn", 2))[2:].partition("@")[0]
    before = (keeper.mails(), keeper.table(match).match.revision)
    tokens = [
        keeper.token(keeper.link(match, purpose, 1))
        for purpose in (Purpose.REPLY, Purpose.TURN, Purpose.SEAT)
    ]
    tokens += [f"{number}-{other.partition('-')[2]}", f"{number}-{code[::-1]}", f"zzzz-{code}"]

    for token in tokens:
        raw = written("bounces", "postfix", RETURN=f"b+{token}@localhost", RECIPIENT=address("bob"))
        assert gateway.arrived(keeper.service, raw) == "unknown", token
    raw = written("bounces", "postfix", RETURN=f"b+{own}@elsewhere", RECIPIENT=address("bob"))
    assert gateway.arrived(keeper.service, raw) == "bounce"
    reply = f"From: bob@example.org\nTo: r+{own}@localhost\nMessage-ID: <1@x>\n\n{order}\n"
    assert gateway.arrived(keeper.service, reply.encode()) == "unknown"

    assert (keeper.mails(), keeper.table(match).match.revision) == before


def test_a_hundred_thousand_forged_return_paths_find_nothing(keeper: Office) -> None:
    """Security 19."""
    _, mail = asked(keeper)
    good = back_of(keeper, mail)
    local, domain = good.split("@")
    head, code = local.split("-")
    chance = random.Random(19)
    signs = "abcdefghijklmnopqrstuvwxyz234567"

    def forged() -> str:
        kind = chance.randrange(4)
        if kind == 0:
            return f"{head}-{''.join(chance.choices(signs, k=32))}@{domain}"
        if kind == 1:
            place = chance.randrange(32)
            return f"{head}-{code[:place]}{chance.choice(signs)}{code[place + 1 :]}@{domain}"
        if kind == 2:
            return good[: chance.randrange(len(local))] + f"@{domain}"
        return f"b+{links.base36(chance.randrange(1, 9))}-{code}@{domain}"

    tries = [one for one in (forged() for _ in range(106_000)) if one != good]
    with keeper.service.database.read() as session:
        found = return_path.find(session, keeper.service, tries)
        real = return_path.find(session, keeper.service, [good])

    assert len(tries) > 100_000
    assert found is None
    assert real is not None


def test_a_return_path_is_good_while_its_key_is_listed(keeper: Office) -> None:
    """Security 16."""
    match, mail = asked(keeper)
    raw = written("bounces", "postfix", RETURN=back_of(keeper, mail), RECIPIENT=address("bob"))
    new = b"n" * 32
    rotated = with_keys(keeper, Keys((new, *KEYS.main)))
    dropped = with_keys(keeper, Keys((new,)))

    assert gateway.arrived(dropped, raw) == "unknown"
    assert keeper.seat(match, 1).mail_problem_at is None
    assert gateway.arrived(rotated, raw) == "failed"


def with_keys(office: Office, keys: Keys) -> Service:
    """The same service with other keys."""
    return replace(office.service, keys=keys)


# --- hostile reports ---


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
    """Security 13."""
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
        ("", ""),
    ],
)
def test_a_reason_is_told_in_plain_words_first(said: str, shown: str) -> None:
    found = delivered.reason(said, translator("en"))

    assert found.startswith(shown)
    assert said in found


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
    reach.correct_address(office.service, match.id, 1, "bob@example.net", actor="host")
    office.post_all()
    assert smtp_server.taken[-1].recipients == ("bob@example.net",)
    assert office.turn(match, 1).due_at == office.clock.now() + timedelta(hours=7)
