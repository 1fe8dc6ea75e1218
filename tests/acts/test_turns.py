"""Moves are handed in, matches carried on, deadlines pass."""

import threading
from datetime import timedelta

import pytest
from sqlalchemy.exc import OperationalError
from sqlmodel import col, select

from engine.errors import IllegalMove, OrderError, Unreadable
from engine.games.registry import find
from pbem.acts import absence, advance, due_work, turns
from pbem.errors import BadInput, Busy, Refused, Stale, TurnClosed
from pbem.looks import match_look
from pbem.record import verify
from pbem.store.canonical import canonical
from pbem.store.models import Ply, Submission, Turn
from pbem.store.names import Purpose
from tests.parts import remedies
from tests.parts.cast import SHORT, House, people

HOURS = {"clock": {"turn": "10h", "grace": "1h"}}


def test_the_exchange_is_open_to_all_four_together(house):
    match = house.running()

    assert house.waiting(match) == [0, 1, 2, 3]
    assert sorted(mail.seat for mail in house.mails("your_turn")) == [0, 1, 2, 3]


def test_a_move_closes_the_turn_and_stands_in_the_log(house):
    match = house.running()
    order = house.orders(match, 2)[0]

    receipt = house.play(match, 2, order)

    assert (receipt.accepted, receipt.ply, receipt.order) == (True, 1, order)
    assert house.waiting(match) == [0, 1, 3]
    assert house.plies(match)[1].order_text == order


def test_a_gift_stays_hidden_from_the_others_until_all_are_in(house):
    match = house.running()
    house.play(match, 0)

    for seat in (1, 2, 3, None):
        look = match_look.table(house.service, match.id, seat)
        told = [event for line in look.lines for event in line.events if line.ply == 1]
        assert all(getattr(event, "cards", ()) == () for event in told)


def test_the_same_submission_gets_the_same_receipt(house):
    match = house.running()
    order = house.orders(match, 0)[0]

    first = house.play(match, 0, order, "double click")
    second = house.play(match, 0, order, "double click")

    assert first == second
    assert house.match(match.id).ply == 1


def test_another_submission_to_a_closed_turn_is_refused(house):
    match = house.running()
    order = house.orders(match, 0)[0]
    house.play(match, 0, order, "first")

    with pytest.raises(TurnClosed):
        house.play(match, 0, order, "second")


def test_an_unreadable_order_changes_nothing(house):
    match = house.running()

    with pytest.raises(Unreadable):
        house.play(match, 0, "castle kingside")

    assert house.match(match.id).ply == 0


def test_an_illegal_order_names_its_rule_and_changes_nothing(house):
    match = house.running()
    hand = {order.split()[1] for order in house.orders(match, 0)}
    missing = next(card for card in ("2", "3", "5", "6", "8", "9", "10") if card not in hand)

    with pytest.raises(IllegalMove) as refused:
        house.play(match, 0, f"give {missing}")

    assert refused.value.rule
    assert house.match(match.id).ply == 0


@pytest.mark.parametrize("order", ["", "   ", "x" * 2001, "give\x00 7", "give \u202e7"])
def test_what_can_be_no_order_is_refused_before_the_rules_are_asked(house, order):
    match = house.running()
    link = house.link(match, Purpose.TURN, 0)

    with pytest.raises(BadInput):
        turns.submit(house.service, link, order, "one")


@pytest.mark.parametrize("name", ["", "x" * 81, "a\nb"])
def test_a_submission_needs_a_fitting_name(house, name):
    match = house.running()
    link = house.link(match, Purpose.TURN, 0)

    with pytest.raises(BadInput, match="submission"):
        turns.submit(house.service, link, "give 7", name)


def test_others_who_hand_in_at_the_same_time_do_not_make_a_page_stale(house):
    match = house.running()
    house.play(match, 1)
    link = house.link(match, Purpose.TURN, 0)

    receipt = turns.submit(house.service, link, house.orders(match, 0)[0], "one", ply=0)

    assert receipt.ply == 2


def test_a_token_is_good_though_another_seat_has_been_given_away(house):
    match = house.running()
    token = house.token(house.link(match, Purpose.TURN, 1))
    remedies.replace(house.service, match.id, 0, "Frank", "frank@example.org", actor="operator")

    receipt = turns.submit(house.service, token, house.orders(match, 1)[0], "by its token")

    assert receipt.accepted


def test_a_page_from_before_the_present_question_is_stale(house):
    match = house.play_on(house.running(), plies=6)
    (seat,) = house.waiting(match)
    link = house.link(match, Purpose.TURN, seat)

    with pytest.raises(Stale):
        turns.submit(house.service, link, house.orders(match, seat)[0], "one", ply=0)


def test_a_ply_that_is_not_there_yet_is_stale(house):
    match = house.running()

    with pytest.raises(Stale):
        turns.submit(house.service, house.link(match, Purpose.TURN, 0), "give 7", "one", ply=99)


def test_a_preview_changes_nothing_and_shows_nothing_that_would_be_revealed(house):
    match = house.running()
    for seat in (0, 1, 2):
        house.play(match, seat)
    link, order = house.link(match, Purpose.TURN, 3), house.orders(match, 3)[0]
    before = house.match(match.id).revision

    preview = turns.preview(house.service, link, order)

    # the last gift would show the giver what the others gave; only their own is told
    assert (preview.order, preview.view) == (order, None)
    assert [type(event).__name__ for event in preview.events] == ["Gave", "HandedIn"]
    assert house.match(match.id).revision == before


def test_a_match_is_played_by_all_to_its_end(house):
    match = house.play_on(house.running(options=SHORT))

    assert match.status == "finished"
    assert match.outcome_json is not None
    assert [mail.seat for mail in house.mails("match_over")] == [0, 1, 2, 3]
    assert house.waiting(match) == []


def test_forced_moves_are_played_at_once_and_nobody_is_mailed_for_them(house):
    match = house.play_on(house.running(options=SHORT))
    plies = house.plies(match)[1:]
    chosen = {ply.turn_id for ply in plies if ply.made_by == "link"}

    assert [ply for ply in plies if ply.made_by == "forced"]
    # who is asked has something to choose; what is forced after it needs no mail of its own
    assert {mail.turn_id for mail in house.mails("your_turn")} == chosen


def test_every_closed_turn_is_a_move_and_every_open_one_has_its_mail(house):
    house.play_on(house.running(), plies=60)

    mailed = {mail.turn_id for mail in house.mails("your_turn")}
    with house.service.database.read() as session:
        rows = session.exec(select(Turn)).all()
        moved = {ply.turn_id for ply in session.exec(select(Ply))}
    assert {turn.id for turn in rows} == mailed
    assert {turn.id for turn in rows if turn.closed_at} <= moved


# --- many at once ---


def race(house: House, tries: list[tuple[str, str]], match, seat: int) -> list[object]:
    """Hands all of these (order, submission) in at the same moment; what each was answered."""
    answers: list[object] = [None] * len(tries)
    gate = threading.Barrier(len(tries))
    # what they all looked at: the seat may be asked again at once, and the order be legal again
    ply = house.match(match.id).ply

    def hand_in(place: int, order: str, submission: str) -> None:
        gate.wait()
        try:
            answers[place] = house.play(match, seat, order, submission, ply)
        except (Refused, OrderError) as error:
            answers[place] = error

    threads = [
        threading.Thread(target=hand_in, args=(place, *one)) for place, one in enumerate(tries)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return answers


@pytest.mark.slow
def test_sixteen_at_once_make_one_move_twenty_rounds_long(any_house):
    house = any_house
    match = house.running()
    for round_ in range(20):
        seat = house.waiting(match)[0]
        orders = house.orders(match, seat)
        ply = house.match(match.id).ply
        tries = [
            # half of them the same submission, half of them rivals with other orders
            (orders[0], "same") if number % 2 else (orders[number % len(orders)], f"{number}")
            for number in range(16)
        ]

        answers = race(house, [(order, f"{round_}:{key}") for order, key in tries], match, seat)

        receipts = {answer.ply for answer in answers if isinstance(answer, turns.Receipt)}
        assert receipts == {ply + 1}
        refused = [answer for answer in answers if not isinstance(answer, turns.Receipt)]
        assert all(isinstance(answer, TurnClosed | OrderError | Stale) for answer in refused)
        same = [answer for answer, (_, key) in zip(answers, tries, strict=True) if key == "same"]
        winners = [answer for answer in same if isinstance(answer, turns.Receipt)]
        assert len(winners) in (0, 8)
        with house.service.database.read() as session:
            made = session.exec(select(Ply).where(Ply.match_id == match.id, Ply.ply > ply)).all()
            taken = session.exec(
                select(Submission).where(col(Submission.key).startswith(f"{round_}:"))
            ).all()
        assert len(made) == len(taken) == 1
        house.work()


def test_a_move_that_lands_while_the_match_is_carried_on_is_kept(house, monkeypatch):
    """The interleaving, written down: advance reads; Bob plays; advance writes."""
    match = house.running()
    house.play(match, 0)
    carry_on = advance._carry_on
    calls = []

    def interrupted(table):
        calls.append(table.match.revision)
        if len(calls) == 1:
            house.play(match, 1)
        return carry_on(table)

    monkeypatch.setattr(advance, "_carry_on", interrupted)
    advance.advance(house.service, match.id)

    assert len(calls) == 2
    assert [ply.seat for ply in house.plies(match)] == [None, 0, 1]
    assert house.waiting(match) == [2, 3]


# --- deadlines ---


def test_reminders_come_at_half_time_at_nine_tenths_and_at_the_deadline(house):
    match = house.running(**HOURS)
    counts = []
    for hours in (4.9, 0.2, 3.8, 0.2, 0.8, 0.2):
        house.wait(hours=hours)
        counts.append(len([mail for mail in house.mails("reminder") if mail.seat == 0]))

    assert counts == [0, 1, 1, 2, 2, 3]
    assert house.match(match.id).ply == 0


def test_who_has_moved_is_not_reminded(house):
    match = house.running(**HOURS)
    house.play(match, 0)

    house.wait(hours=6)

    assert [mail.seat for mail in house.mails("reminder")] == [1, 2, 3]


def test_after_the_grace_the_default_move_is_played_and_the_player_told(house):
    match = house.running(**HOURS)
    expected = find("dog").default_move(house.table(match).state, 0)

    house.wait(hours=11, seconds=1)

    ply = next(ply for ply in house.plies(match) if ply.seat == 0)
    assert ply.made_by == "deadline"
    assert ply.order_text == find("dog").format(expected)
    assert house.seat(match, 0).missed == 1
    assert [mail.seat for mail in house.mails("played_for_you")] == [0, 1, 2, 3]


def test_a_late_move_counts_while_its_turn_is_open(house):
    match = house.running(**HOURS)
    house.clock.move(timedelta(hours=30))

    house.play(match, 0)

    assert house.plies(match)[1].made_by == "link"
    assert house.seat(match, 0).missed == 0


def absent(house: House, match, seat: int, times: int) -> None:
    """The others play; this seat lets so many of its turns run out."""
    while house.seat(match, seat).missed < times:
        house.play_on(match, without=seat)
        house.wait(hours=11, seconds=1)


def test_at_the_second_missed_turn_in_a_row_the_host_is_asked(house):
    match = house.running(**HOURS)
    absent(house, match, 2, 1)
    assert not house.mails("host_asked")

    house.play_on(match, without=2)
    house.wait(hours=11, seconds=1)

    assert house.waiting(match) == [2]
    assert house.turn(match, 2).host_asked_at is not None
    assert [mail.seat for mail in house.mails("host_asked")] == [-1]
    history = match_look.table(house.service, match.id).lines
    assert [line.act.act for line in history if line.act][-1] == "host_asked"


def test_a_host_who_gave_more_time_is_asked_once_more_when_that_is_over(house):
    match = house.running(**HOURS)
    absent(house, match, 2, 1)
    house.play_on(match, without=2)
    house.wait(hours=11, seconds=1)
    remedies.extend(house.service, match.id, 2, "6h", actor="host")

    house.wait(hours=8)

    assert house.turn(match, 2).host_asked_at is not None
    assert [mail.seat for mail in house.mails("host_asked")] == [-1, -1]


def test_at_the_third_missed_turn_a_bot_holds_the_seat(house):
    match = house.running(**HOURS)

    absent(house, match, 2, 3)

    assert house.seat(match, 2).bot == "easy"
    assert [mail.seat for mail in house.mails("bot_took_over")] == [2]
    made = [ply.made_by for ply in house.plies(match) if ply.seat == 2]
    assert made.count("deadline") == 2
    assert "bot" in made


def test_who_plays_in_between_starts_the_count_anew(house):
    match = house.running(**HOURS)
    absent(house, match, 2, 1)
    house.play_on(match, without=2)

    house.play(match, 2)

    assert house.seat(match, 2).missed == 0


def test_the_owner_takes_the_seat_back_from_the_bot(house):
    match = house.running(**HOURS)
    absent(house, match, 2, 3)

    absence.come_back(house.service, house.link(match, Purpose.SEAT, 2))
    house.work()

    assert house.seat(match, 2).bot is None
    match = house.play_on(match, plies=house.match(match.id).ply + 12)
    back = [ply for ply in house.plies(match) if ply.seat == 2][-1]
    assert back.made_by in ("link", "forced")


def test_a_match_with_one_who_never_answers_still_ends(house):
    match = house.running(**HOURS, options=SHORT)
    absent(house, match, 1, 3)

    assert house.play_on(match).status == "finished"


def test_the_reserve_is_spent_before_anything_times_out(house):
    match = house.running(clock={"turn": "10h", "reserve": "5h", "grace": "1h"})
    house.wait(hours=12)
    assert house.waiting(match) == [0, 1, 2, 3]

    house.play(match, 0)

    assert house.seat(match, 0).reserve == 3 * 3600


# --- what goes wrong ---


def test_a_match_that_cannot_be_carried_on_is_set_aside_alone(house, monkeypatch):
    poisoned, healthy = house.running(), house.running()
    for match in (poisoned, healthy):
        for seat in (0, 1, 2, 3):
            house.play(match, seat)
    carry_on = advance._carry_on

    def failing(table):
        if table.match.id == poisoned.id:
            raise ZeroDivisionError("a bug in a rule")
        return carry_on(table)

    monkeypatch.setattr(advance, "_carry_on", failing)
    for _ in range(6):
        house.wait(minutes=5)

    aside = house.match(poisoned.id)
    assert aside.set_aside_error == "ZeroDivisionError: a bug in a rule"
    assert aside.advance_failures == due_work.TRIES
    assert [mail.match_id for mail in house.mails("stalled")] == [poisoned.id]
    assert len(house.waiting(healthy)) == 1


@pytest.mark.parametrize("work", ["a turn's clock", "a pause"])
def test_a_match_whose_care_fails_is_set_aside_though_it_is_carried_on_well(
    house, monkeypatch, work
):
    """On a busy service the match is carried on between any two tries at what fails."""
    match = house.play_on(house.running(**HOURS), without=2)
    if work == "a pause":
        remedies.pause(house.service, match.id, "1h", actor="host")
        monkeypatch.setattr(absence, "resume", lambda *given, **asked: 1 / 0)
    else:
        monkeypatch.setattr(absence, "_remind", lambda *given: 1 / 0)
    house.clock.move(timedelta(hours=6))

    for _ in range(due_work.TRIES):
        absence.resume_due(house.service)
        absence.care_due(house.service, most=1)
        house.clock.move(timedelta(minutes=2))
        advance.advance_due(house.service)

    assert house.match(match.id).set_aside_error == "ZeroDivisionError: division by zero"
    assert house.match(match.id).advance_failures == due_work.TRIES
    assert [mail.match_id for mail in house.mails("stalled")] == [match.id]


def test_care_that_failed_once_and_then_succeeds_is_not_held_against_the_match(house, monkeypatch):
    match = house.play_on(house.running(**HOURS), without=2)
    house.clock.move(timedelta(hours=6))
    with monkeypatch.context() as broken:
        broken.setattr(absence, "_remind", lambda *given: 1 / 0)
        absence.care_due(house.service, most=1)
    house.clock.move(timedelta(minutes=2))
    advance.advance_due(house.service)
    kept = house.match(match.id).advance_failures

    house.wait(minutes=2)

    assert kept == 1
    assert house.match(match.id).advance_failures == 0
    assert house.match(match.id).advance_due_at is None


def test_a_worker_that_dies_on_a_match_leaves_it_due_again(house):
    match = house.running()
    house.play(match, 0)
    assert advance._take_due(house.service, 10) == [match.id]

    assert advance._take_due(house.service, 10) == []
    house.clock.move(due_work.LEASE)

    assert advance._take_due(house.service, 10) == [match.id]


def test_when_the_time_of_a_batch_is_up_the_matches_that_are_left_stay_due(house, monkeypatch):
    matches = [house.running() for _ in range(advance.FEWEST_TAKEN + 1)]
    for match in matches:
        house.play(match, 0)
    monkeypatch.setattr(advance, "BATCH_SECONDS", 0)

    taken = advance.advance_due(house.service, 50)

    due = [match for match in matches if house.match(match.id).advance_due_at is not None]
    assert taken == 50
    assert len(due) == 1


def test_a_database_that_is_away_is_not_held_against_a_match(house, monkeypatch):
    match = house.running()
    house.play(match, 0)

    def away(_):
        raise OperationalError("UPDATE", {}, Exception("the disk is full"))

    monkeypatch.setattr(advance, "_carry_on", away)
    for _ in range(5):
        with pytest.raises(OperationalError):
            advance.advance_due(house.service)
        house.clock.move(timedelta(minutes=5))
    monkeypatch.undo()
    house.work()

    assert house.match(match.id).advance_failures == 0
    assert house.match(match.id).set_aside_at is None
    assert house.match(match.id).advance_due_at is None


def test_a_match_that_others_keep_changing_does_not_fail(house, monkeypatch):
    match = house.running()
    house.play(match, 0)

    def others_were_first(_):
        raise Busy("Others were first.")

    monkeypatch.setattr(advance, "_carry_on", others_were_first)
    for _ in range(6):
        assert advance.advance_due(house.service) == 1
        house.clock.move(timedelta(minutes=5))
    monkeypatch.undo()
    house.work()

    assert house.match(match.id).set_aside_at is None
    assert house.match(match.id).advance_due_at is None


@pytest.mark.parametrize("seats", [3, 5, 6])
def test_every_form_of_dog_is_played_from_the_first_mail_to_the_last(house, seats):
    match = house.play_on(house.running(seats=people(seats), options=SHORT))

    assert match.status == "finished"
    assert sorted(mail.seat for mail in house.mails("match_over")) == list(range(seats))
    assert verify.verify(canonical(match_look.record(house.service, match.id))).wrong == ()
