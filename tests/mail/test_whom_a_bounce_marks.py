"""Known delivery: which seats a bounce marks, and who is told; not who has been reached since."""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import timedelta

import pytest

from pbem import create_app
from pbem.acts import deliverability, matches, outbox
from pbem.mail import gateway
from pbem.people import proofs
from pbem.store import links
from pbem.store.models import Match
from pbem.store.names import Delivery, MailKind, MailStatus, Purpose
from tests.mail.golden import answer
from tests.mail.office import Office
from tests.mail.returning import FAILED, HOURS, asked, bounce, report, written
from tests.parts import remedies
from tests.parts.cast import address
from tests.parts.relay import Relay

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
    remedies.correct_address(keeper.service, match.id, 1, email, actor="operator")

    result = bounce(keeper, mail)

    assert result == "failed"
    assert keeper.row(mail).delivery == Delivery.FAILED
    assert keeper.seat(match, 1).mail_problem_at is None
    assert keeper.turn(match, 1).held_at is None
    assert keeper.mails("stalled") == []


def test_a_bounce_does_not_reach_who_took_over_the_seat(keeper: Office) -> None:
    match, mail = asked(keeper)
    remedies.replace(keeper.service, match.id, 1, "Frank", address("frank"), actor="operator")

    bounce(keeper, mail)

    assert keeper.seat(match, 1).mail_problem_at is None


def test_that_mail_to_the_player_before_came_back_says_nothing_of_who_took_over(
    keeper: Office,
) -> None:
    """Or the first mail of theirs that comes back would hold no clock."""
    match, mail = asked(keeper)
    bounce(keeper, mail)
    before = keeper.seat(match, 1).mail_returned_at

    remedies.replace(keeper.service, match.id, 1, "Frank", address("frank"), actor="host")

    assert before is not None
    assert keeper.seat(match, 1).mail_returned_at is None


def test_an_address_corrected_while_the_bounce_is_read_is_not_blamed(
    keeper: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    match, mail = asked(keeper)
    original, met = deliverability.mail_refused, []

    def late(service, match_id, seat, email, why, **more):  # type: ignore[no-untyped-def]
        if not met:
            met.append(email)
            remedies.correct_address(service, match_id, seat, "bob@example.net", actor="operator")
        original(service, match_id, seat, email, why, **more)

    monkeypatch.setattr(deliverability, "mail_refused", late)
    bounce(keeper, mail)

    assert met == [address("bob")]
    assert keeper.seat(match, 1).mail_problem_at is None
    assert keeper.turn(match, 1).held_at is None


def test_a_bounce_of_an_old_mail_does_not_mark_who_has_moved_since(keeper: Office) -> None:
    """Or whoever a mail is passed on to could stop the mails of a player who plays."""
    match, mail = asked(keeper)
    keeper.play(match, 1)

    result = bounce(keeper, mail)
    while 1 not in keeper.waiting(match):
        keeper.play_on(match, plies=keeper.match(match.id).ply + 1)
    keeper.post_all()

    assert result == "failed"
    assert keeper.row(mail).delivery == Delivery.FAILED
    assert keeper.seat(match, 1).mail_problem_at is None
    assert keeper.turn(match, 1).held_at is None
    assert keeper.owed("your_turn", 1).status == MailStatus.SENT


@pytest.mark.parametrize("moves", [True, False])
def test_a_bounce_in_a_pause_is_as_one_before_it(keeper: Office, moves: bool) -> None:
    match, mail = asked(keeper)
    remedies.pause(keeper.service, match.id, "2d", actor="host")

    bounce(keeper, mail)
    marked = keeper.seat(match, 1).mail_problem_at
    if moves:
        keeper.play(match, 1)
    keeper.wait(hours=72)

    assert marked is not None
    assert keeper.match(match.id).paused_until is None
    assert (keeper.seat(match, 1).mail_problem_at is None) == moves
    assert moves or keeper.turn(match, 1).held_why == "mail"


@pytest.mark.parametrize("form", FAILED)
def test_a_report_that_anybody_could_write_marks_nobody(keeper: Office, form: str) -> None:
    """It comes to the address that every mail is from; only who has the mail knows its way back."""
    match, mail = asked(keeper)
    own = keeper.service.settings.mail.from_address

    result = gateway.arrived(
        keeper.service, written("bounces", form, RETURN=own, RECIPIENT=address("bob"))
    )

    assert result == "bounce"
    assert keeper.row(mail).delivery is None
    assert keeper.seat(match, 1).mail_problem_at is None
    assert keeper.turn(match, 1).held_at is None


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
    proofs.owe(keeper.service, MailKind.SIGN_IN, address("bob"), "en")
    keeper.post_all()

    bounce(keeper, keeper.owed("sign_in"))

    assert keeper.seat(match, 1).mail_problem_at is not None
    assert len(keeper.mails(MailKind.OPERATOR_TOLD)) == 1


# --- one way ---


def test_a_host_whose_own_address_is_the_one_is_not_written_to_there(keeper: Office) -> None:
    """The operator is told instead."""
    match, _ = asked(keeper)
    before = {row.id for row in keeper.mails()}

    bounce(keeper, keeper.owed("your_turn", 0))

    assert keeper.seat(match, 0).mail_problem_at is not None
    new = [row for row in keeper.mails() if row.id not in before]
    assert [(row.kind, row.address) for row in new] == [
        (MailKind.OPERATOR_TOLD, "operator@example.org")
    ]


def test_a_mail_to_the_host_that_comes_back_tells_the_operator(keeper: Office) -> None:
    match = keeper.open(host=matches.Person(name="Erin", email=address("erin")))
    keeper.post_all()
    mail = keeper.owed("match_opened", links.HOST)

    bounce(keeper, mail)

    assert keeper.row(mail).delivery == Delivery.FAILED
    assert [row.dedupe.split(":")[1] for row in keeper.mails(MailKind.OPERATOR_TOLD)] == [
        "match_opened"
    ]
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

    notices = [row for row in keeper.mails(MailKind.OPERATOR_TOLD) if row.status == "sent"]
    assert notices
    assert all(keeper.turn(match, seat).held_at for seat in range(4))


# --- bounces that a player could write ---


def test_who_moves_though_a_mail_came_back_gains_no_time_by_it(keeper: Office) -> None:
    """A false bounce holds the clock until the next move at most, and that time is charged."""
    clock = {"turn": "10h", "reserve": "4d", "grace": "1h"}
    match = keeper.running(clock=clock)
    keeper.post_all()
    keeper.clock.move(timedelta(hours=4))
    reserve = keeper.seat(match, 1).reserve
    bounce(keeper, keeper.owed("your_turn", 1))
    keeper.wait(hours=30)

    held = keeper.turn(match, 1).held_why
    keeper.play(match, 1)

    seat = keeper.seat(match, 1)
    assert held == "mail"
    assert reserve - seat.reserve == 24 * 3600
    assert (seat.mail_problem, seat.mail_problem_at) == (None, None)


def test_after_such_a_move_the_next_turn_is_mailed_and_its_clock_runs(keeper: Office) -> None:
    match, mail = asked(keeper)
    bounce(keeper, mail)
    keeper.play(match, 1)
    while 1 not in keeper.waiting(match):
        keeper.play_on(match, plies=keeper.match(match.id).ply + 1)
    keeper.post_all()

    assert keeper.turn(match, 1).held_at is None
    assert keeper.owed("your_turn", 1).status == MailStatus.SENT


def test_bounces_that_come_again_after_a_move_hold_no_clock_and_the_host_hears_of_them(
    keeper: Office,
) -> None:
    match, mail = asked(keeper)
    bounce(keeper, mail)
    keeper.play(match, 1)
    while 1 not in keeper.waiting(match):
        keeper.play_on(match, plies=keeper.match(match.id).ply + 1)
    keeper.post_all()

    for _ in range(3):
        bounce(keeper, keeper.owed("your_turn", 1))
    keeper.post_all()

    told = [outbox.data(one)["reason"] for one in keeper.mails("stalled")]
    assert keeper.turn(match, 1).held_at is None
    assert keeper.seat(match, 1).mail_problem_at is None
    assert told == ["mail", "mail_again"]
    assert keeper.owed("stalled").status == MailStatus.SENT


def by_the_seats_page(keeper: Office, match: Match) -> None:
    client = create_app(keeper.service).test_client()
    token = keeper.token(keeper.link(match, Purpose.SEAT, 1))
    form = {"do": "settings", "zone": "Europe/Madrid", "language": "en"}
    assert client.post(f"/s/{token}", data=form).status_code == 200


def by_a_question(keeper: Office, match: Match) -> None:
    answer(keeper, match, 1, "?")


def by_a_wrong_order(keeper: Office, match: Match) -> None:
    answer(keeper, match, 1, "K e2-e4")


@pytest.mark.parametrize("shows", [by_the_seats_page, by_a_question, by_a_wrong_order])
def test_whoever_shows_to_be_there_has_no_clock_that_stands(
    keeper: Office, shows: Callable[[Office, Match], None]
) -> None:
    """D5: an act on the seat's page, a question and an order say that mail arrives, as a move does.

    The time that the clock stood is the player's own, but there is time to move.
    """
    clock = {"turn": "10h", "reserve": "4d", "grace": "1h"}
    match = keeper.running(clock=clock)
    keeper.post_all()
    keeper.clock.move(timedelta(hours=4))
    due_at, reserve = keeper.turn(match, 1).due_at, keeper.seat(match, 1).reserve
    bounce(keeper, keeper.owed("your_turn", 1))
    keeper.wait(hours=30)

    held = keeper.turn(match, 1).held_why
    shows(keeper, match)
    turn, seat = keeper.turn(match, 1), keeper.seat(match, 1)
    bounce(keeper, keeper.owed("your_turn", 1))
    again = keeper.turn(match, 1).held_at
    keeper.play(match, 1)

    assert held == "mail"
    assert (turn.held_at, turn.held_why, turn.due_at) == (None, None, due_at)
    assert (seat.mail_problem, seat.mail_problem_at) == (None, None)
    assert again is None
    assert reserve - keeper.seat(match, 1).reserve == 24 * 3600


def test_a_form_that_is_refused_shows_nothing(keeper: Office) -> None:
    """Scanners press buttons, too."""
    match, mail = asked(keeper)
    bounce(keeper, mail)
    client = create_app(keeper.service).test_client()
    token = keeper.token(keeper.link(match, Purpose.SEAT, 1))

    for form in ({}, {"do": "settings", "zone": "Nowhere/Else"}, {"do": "away", "from": "x"}):
        client.post(f"/s/{token}", data=form)

    assert keeper.turn(match, 1).held_why == "mail"


def test_a_letter_that_comes_again_after_a_crash_shows_that_its_player_is_there(
    keeper: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    match, mail = asked(keeper)
    bounce(keeper, mail)

    with monkeypatch.context() as crash:
        crash.setattr(deliverability, "shows_to_be_there", lambda *_, **__: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            by_a_question(keeper, match)
    by_a_question(keeper, match)

    assert keeper.turn(match, 1).held_at is None
    assert len(keeper.mails("reply_answer")) == 1


def test_who_is_there_when_the_time_is_over_still_has_time_to_move(keeper: Office) -> None:
    match, mail = asked(keeper)
    bounce(keeper, mail)
    keeper.wait(days=5)

    by_the_seats_page(keeper, match)
    keeper.wait(hours=9)
    still_open = 1 in keeper.waiting(match)
    keeper.wait(hours=2)

    assert still_open
    assert 1 not in keeper.waiting(match)


def test_a_look_at_the_seats_page_lets_no_clock_go_on(keeper: Office) -> None:
    """Scanners open links, too."""
    match, mail = asked(keeper)
    bounce(keeper, mail)

    token = keeper.token(keeper.link(match, Purpose.SEAT, 1))
    create_app(keeper.service).test_client().get(f"/s/{token}")

    assert keeper.turn(match, 1).held_why == "mail"


def test_what_the_relay_refused_did_not_arrive_whoever_is_there(keeper: Office) -> None:
    match, _ = asked(keeper)
    why = "RCPT: 550 5.1.1 No such mailbox"
    deliverability.mail_refused(keeper.service, match.id, 1, address("bob"), why)

    by_the_seats_page(keeper, match)

    assert keeper.turn(match, 1).held_why == "mail"


def test_a_mail_refused_at_sending_is_our_own_knowledge_and_its_time_is_not_charged(
    keeper: Office,
) -> None:
    match = keeper.running(clock={"turn": "10h", "reserve": "4d", "grace": "1h"})
    keeper.post_all()
    reserve = keeper.seat(match, 1).reserve
    why = "RCPT: 550 5.1.1 No such mailbox"
    deliverability.mail_refused(keeper.service, match.id, 1, address("bob"), why)
    keeper.wait(hours=30)

    keeper.play(match, 1)

    assert keeper.seat(match, 1).reserve == reserve
    assert keeper.seat(match, 1).mail_problem_at is None


def test_an_address_tried_anew_is_believed_anew_when_a_mail_comes_back(keeper: Office) -> None:
    match, mail = asked(keeper)
    bounce(keeper, mail)
    keeper.play(match, 1)
    remedies.reissue(keeper.service, match.id, 1, actor="operator")
    while 1 not in keeper.waiting(match):
        keeper.play_on(match, plies=keeper.match(match.id).ply + 1)
    keeper.post_all()

    bounce(keeper, keeper.owed("your_turn", 1))

    assert keeper.turn(match, 1).held_why == "mail"
