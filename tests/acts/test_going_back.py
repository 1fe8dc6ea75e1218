"""A match goes back: taken back, agreed by all, or by the operator; never for other dice."""

import json

import pytest

from engine.codec import encode
from pbem.acts import absence, deliverability, going_back, matches, outbox
from pbem.errors import NotPossible, Stale, UnreadableMatch
from pbem.looks import match_look
from pbem.record import verify
from pbem.store import match_log
from pbem.store.canonical import canonical
from pbem.store.names import Purpose
from pbem.store.table import load
from tests.parts import remedies
from tests.parts.cast import SHORT, House
from tests.parts.questions import counted


def one_waits(house: House):
    """A match in the middle of a round: one seat must move, and the next will have a choice."""
    match, seat, _ = house.before_a_choice()
    return match, seat


def test_the_mover_takes_the_last_move_back_until_somebody_else_has_acted(house):
    match, seat = one_waits(house)
    before, ply = house.table(match).state, house.match(match.id).ply
    house.play(match, seat, house.good_order(match, seat))

    back = going_back.take_back(house.service, house.link(match, Purpose.SEAT, seat))
    house.work()

    assert back == ply
    assert house.table(match).state == before
    assert house.waiting(match) == [seat]


def test_whose_consent_counts_is_one_question_for_all_seats(house):
    match, seat = one_waits(house)
    house.play(match, seat, house.good_order(match, seat))
    going_back.propose(house.service, house.link(match, Purpose.SEAT, seat))

    table = house.table(match)

    with house.service.database.read() as session:
        row = going_back.open_proposal(session, table)
        with counted() as asked:
            who = going_back.who_counts(session, table, row)

    assert len(who) == 3
    assert len(asked) == 1


def test_going_back_is_an_entry_of_the_log_and_cuts_nothing_out(house):
    match, seat = one_waits(house)
    house.play(match, seat, house.good_order(match, seat))
    count = len(house.plies(match))

    going_back.take_back(house.service, house.link(match, Purpose.SEAT, seat))

    plies = house.plies(match)
    assert len(plies) == count + 1
    assert (plies[-1].made_by, plies[-1].order_text) == ("back", f"back to {plies[-3].ply}")


def test_after_somebody_has_acted_the_others_must_agree(house):
    match, seat = one_waits(house)
    house.play(match, seat, house.good_order(match, seat))
    house.work()
    (other,) = house.waiting(match)
    house.play(match, other, house.good_order(match, other))

    with pytest.raises(NotPossible, match="Ask the others"):
        going_back.take_back(house.service, house.link(match, Purpose.SEAT, seat))


def test_a_move_that_revealed_something_cannot_be_taken_back(house):
    match = house.running()
    for seat in (0, 1, 2, 3):
        house.play(match, seat)

    with pytest.raises(NotPossible, match="revealed"):
        going_back.take_back(house.service, house.link(match, Purpose.SEAT, 3))


def asked(house: House):
    """A move, another's move, and the question to the table."""
    match, seat = one_waits(house)
    back_to = house.match(match.id).ply
    house.play(match, seat, house.good_order(match, seat))
    house.work()
    (other,) = house.waiting(match)
    house.play(match, other, house.good_order(match, other))
    house.work()
    going_back.propose(house.service, house.link(match, Purpose.SEAT, seat))
    return match, seat, back_to


def test_with_the_consent_of_all_others_the_match_goes_back(house):
    match, seat, back_to = asked(house)
    others = [number for number in range(4) if number != seat]
    assert sorted(mail.seat for mail in house.mails("consent_asked")) == others

    for number in others:
        assert house.plies(match)[-1].made_by != "back"
        going_back.answer(house.service, house.link(match, Purpose.CONSENT, number), True)
    house.work()

    assert house.plies(match)[-1].order_text == f"back to {back_to}"
    assert house.waiting(match) == [seat]


def test_the_first_answer_of_a_seat_stands(house):
    match, seat, _ = asked(house)
    others = [number for number in range(4) if number != seat]

    going_back.answer(house.service, house.link(match, Purpose.CONSENT, others[0]), True)
    going_back.answer(house.service, house.link(match, Purpose.CONSENT, others[0]), False)
    for number in others[1:]:
        going_back.answer(house.service, house.link(match, Purpose.CONSENT, number), True)

    assert house.plies(match)[-1].made_by == "back"


def test_the_table_is_asked_one_thing_at_a_time(house):
    match, seat, _ = asked(house)

    with pytest.raises(NotPossible, match="being asked already"):
        going_back.propose(house.service, house.link(match, Purpose.SEAT, seat))

    assert len(house.mails("consent_asked")) == 3


def test_nobody_takes_moves_back_more_than_ten_times_a_day(house):
    """Each time the next player is mailed that it is their turn."""
    match, seat = one_waits(house)

    def there_and_back(number: int) -> None:
        house.play(match, seat, submission=f"{number}")
        house.work()
        going_back.take_back(house.service, house.link(match, Purpose.SEAT, seat))
        house.work()

    def offered() -> bool:
        with house.service.database.read() as session:
            return going_back.can_take_back(
                session, load(session, match.id), seat, house.clock.now()
            )

    for number in range(10):
        there_and_back(number)
    with pytest.raises(NotPossible, match="took moves back too often today"):
        there_and_back(10)
    assert not offered()
    house.wait(hours=24, minutes=1)
    assert offered()

    assert going_back.take_back(house.service, house.link(match, Purpose.SEAT, seat)) > 0


def test_the_table_is_not_asked_more_than_three_times_a_day_by_one_seat(house):
    match, seat, _ = asked(house)

    def refused() -> None:
        other = house.link(match, Purpose.CONSENT, (seat + 1) % 4)
        going_back.answer(house.service, other, False)

    for _ in range(2):
        refused()
        going_back.propose(house.service, house.link(match, Purpose.SEAT, seat))
    refused()
    with pytest.raises(NotPossible, match="asked the others too often today"):
        going_back.propose(house.service, house.link(match, Purpose.SEAT, seat))

    assert len(house.mails("consent_asked")) == 9


def test_one_who_disagrees_ends_the_question(house):
    match, seat, _ = asked(house)
    others = [number for number in range(4) if number != seat]

    going_back.answer(house.service, house.link(match, Purpose.CONSENT, others[0]), False)

    with pytest.raises(Stale):
        going_back.answer(house.service, house.link(match, Purpose.CONSENT, others[1]), True)
    assert house.plies(match)[-1].made_by != "back"


def test_when_the_table_moves_on_there_is_nothing_to_agree_to(house):
    match, seat, _ = asked(house)
    (waiting,) = house.waiting(match)
    house.play(match, waiting, house.good_order(match, waiting))

    other = next(number for number in range(4) if number != seat)
    with pytest.raises(Stale):
        going_back.answer(house.service, house.link(match, Purpose.CONSENT, other), True)


def gives_up(house: House, match, seat: int) -> None:
    absence.resign(house.service, house.link(match, Purpose.SEAT, seat))


def is_replaced(house: House, match, seat: int) -> None:
    remedies.replace(house.service, match.id, seat, "Erin", "erin@example.org", actor="operator")


def is_replaced_by_one_who_joins(house: House, match, seat: int) -> None:
    is_replaced(house, match, seat)
    matches.join(house.service, house.link(match, Purpose.JOIN, seat), matches.Joining())


def is_held_by_a_bot(house: House, match, seat: int) -> None:
    remedies.put_bot(house.service, match.id, seat, actor="operator")


def wants_no_mail(house: House, match, seat: int) -> None:
    deliverability.mute(house.service, house.link(match, Purpose.SEAT, seat))


GONE = (gives_up, is_replaced, is_replaced_by_one_who_joins, is_held_by_a_bot, wants_no_mail)


def told(house: House) -> list[tuple[int, str]]:
    """Whom a mail told how their question ended."""
    return [(mail.seat, outbox.data(mail)["how"]) for mail in house.mails("take_back_ended")]


def not_waited_for(house: House, match, seat: int) -> int:
    """One who was asked and whose turn it is not."""
    return next(one for one in range(4) if one != seat and one not in house.waiting(match))


@pytest.mark.parametrize("goes", GONE, ids=lambda goes: goes.__name__)
def test_who_cannot_answer_any_more_is_not_waited_for(house, goes):
    match, seat, back_to = asked(house)
    gone = not_waited_for(house, match, seat)
    for number in set(range(4)) - {seat, gone}:
        going_back.answer(house.service, house.link(match, Purpose.CONSENT, number), True)
    assert house.plies(match)[-1].made_by != "back"

    goes(house, match, gone)
    house.work()

    assert f"back to {back_to}" in [ply.order_text for ply in house.plies(match)]
    assert told(house) == [(seat, "agreed")]


@pytest.mark.parametrize("goes", GONE, ids=lambda goes: goes.__name__)
def test_who_is_still_there_must_agree_whoever_is_gone(house, goes):
    match, seat, _ = asked(house)
    gone = not_waited_for(house, match, seat)

    goes(house, match, gone)
    house.work()

    assert "back" not in [ply.made_by for ply in house.plies(match)]
    assert told(house) == []


@pytest.mark.parametrize("changed", ["new links", "a new address", "refused, then corrected"])
def test_who_gets_new_links_is_asked_again_and_still_counts(house, changed):
    match, seat, _ = asked(house)
    again = not_waited_for(house, match, seat)
    old = house.link(match, Purpose.CONSENT, again)
    for number in set(range(4)) - {seat, again}:
        going_back.answer(house.service, house.link(match, Purpose.CONSENT, number), True)
    if changed == "new links":
        remedies.reissue(house.service, match.id, again, actor="operator")
    else:
        if changed.startswith("refused"):
            email = house.seat(match, again).email
            deliverability.mail_refused(house.service, match.id, again, email, "550 no such user")
        remedies.correct_address(
            house.service, match.id, again, "new@example.org", actor="operator"
        )
    house.work()

    assert "back" not in [ply.made_by for ply in house.plies(match)]
    new = house.link(match, Purpose.CONSENT, again)
    assert new.epoch > old.epoch
    assert len([mail for mail in house.mails("consent_asked") if mail.seat == again]) == 2
    going_back.answer(house.service, new, True)
    assert house.plies(match)[-1].made_by == "back"


def test_a_question_whose_asker_gives_the_seat_up_is_ended(house):
    match, seat, _ = asked(house)
    absence.resign(house.service, house.link(match, Purpose.SEAT, seat))
    house.work()

    assert "back" not in [ply.made_by for ply in house.plies(match)]
    assert told(house) == [(seat, "withdrawn")]


def test_a_question_whose_asker_is_replaced_says_nothing_to_the_new_player(house):
    match, seat, _ = asked(house)
    is_replaced(house, match, seat)
    house.work()

    with house.service.database.read() as session:
        assert going_back.open_proposal(session, house.table(match)) is None
    assert told(house) == []


@pytest.mark.parametrize("goes", [gives_up, is_held_by_a_bot], ids=lambda goes: goes.__name__)
def test_who_gave_the_seat_to_a_bot_does_not_answer_for_it(house, goes):
    match, seat, _ = asked(house)
    gone = not_waited_for(house, match, seat)
    link = house.link(match, Purpose.CONSENT, gone)
    goes(house, match, gone)

    with pytest.raises(NotPossible, match="seat"):
        going_back.answer(house.service, link, False)


def test_the_asker_is_told_that_somebody_disagreed(house):
    match, seat, _ = asked(house)
    other = next(number for number in range(4) if number != seat)

    going_back.answer(house.service, house.link(match, Purpose.CONSENT, other), False)
    house.work()

    assert told(house) == [(seat, "refused")]


def test_the_asker_is_told_that_the_table_moved_on(house):
    match, seat, _ = asked(house)
    (waiting,) = house.waiting(match)

    house.play(match, waiting, house.good_order(match, waiting))
    house.work()

    assert told(house) == [(seat, "moved_on")]


def test_the_asker_is_told_that_a_time_out_moved_the_table_on(house):
    _, seat, _ = asked(house)

    house.wait(days=8)

    assert told(house) == [(seat, "moved_on")]


def test_the_table_is_not_asked_past_new_information(house):
    match = house.running()
    for seat in (0, 1, 2, 3):
        house.play(match, seat)
    house.work()

    with pytest.raises(NotPossible, match="revealed"):
        going_back.propose(house.service, house.link(match, Purpose.SEAT, 1))


def test_the_operator_rolls_back_to_any_ply_and_the_table_is_told(house):
    match = house.play_on(house.running(), plies=20)
    rows = house.plies(match)
    table = house.table(match)
    expected = match_log.replay(match, table.seats, rows[:8])

    going_back.roll_back(house.service, match.id, 7, actor="operator")

    assert encode(house.table(match).state) == encode(expected)
    assert [mail.seat for mail in house.mails("rolled_back")] == [0, 1, 2, 3]
    acts = [line.act.act for line in match_look.table(house.service, match.id).lines if line.act]
    assert "rolled_back" in acts


@pytest.mark.parametrize("where", ["before the first", "the present", "far ahead"])
def test_a_ply_that_is_not_behind_the_match_is_refused(house, where):
    match = house.play_on(house.running(), plies=20)
    # moves without a choice may have carried the match past the twentieth ply
    present = house.match(match.id).ply
    ply = {"before the first": -1, "the present": present, "far ahead": 10**9}[where]

    with pytest.raises(NotPossible, match="cannot go back"):
        going_back.roll_back(house.service, match.id, ply, actor="operator")


def test_a_match_that_is_over_stays_as_it_is(house):
    match, seat = one_waits(house)
    house.play(match, seat, house.good_order(match, seat))
    link, ply = house.link(match, Purpose.SEAT, seat), house.match(match.id).ply
    remedies.abort(house.service, match.id, actor="host")

    for goes_back in (
        lambda: going_back.take_back(house.service, link),
        lambda: going_back.propose(house.service, link),
        lambda: going_back.roll_back(house.service, match.id, ply - 1, actor="operator"),
    ):
        with pytest.raises(NotPossible, match="not running"):
            goes_back()


def test_the_same_dice_come_again_after_going_back(house):
    """The cards are shuffled anew at a place in the game: the shuffle there is always the same."""
    match = house.play_on(house.running(), plies=20)
    while not json.loads(house.plies(match)[-1].draws_json):
        match = house.play_on(match, plies=house.match(match.id).ply + 1)
    last = house.plies(match)[-1]
    before = house.table(match).state

    going_back.roll_back(house.service, match.id, last.ply - 1, actor="operator")
    house.work()
    if last.made_by == "link":
        house.play(match, last.seat, last.order_text)
        house.work()

    again = next(ply for ply in house.plies(match)[last.ply + 1 :] if ply.seat == last.seat)
    assert again.order_text == last.order_text
    assert json.loads(again.draws_json) == json.loads(last.draws_json)
    assert house.table(match).state == before


def test_a_match_that_went_back_is_played_to_its_end_and_its_record_verifies(house):
    match = house.play_on(house.running(options=SHORT), plies=30)
    going_back.roll_back(house.service, match.id, 10, actor="operator")
    house.work()
    match = house.play_on(match, plies=45)
    going_back.roll_back(house.service, match.id, 5, actor="operator")
    house.work()

    match = house.play_on(match)

    assert match.status == "finished"
    assert verify.verify(canonical(match_look.record(house.service, match.id))).wrong == ()
    replayed = match_log.replay(match, house.table(match).seats, house.plies(match))
    assert encode(replayed) == encode(house.table(match).state)


def test_the_operator_rolls_a_match_back_whose_state_cannot_be_read(house):
    match = house.play_on(house.running(), plies=12)
    with house.service.database.write("test") as session:
        row = session.get(type(match), match.id)
        row.state_json = '{"no": "such state"}'
        session.add(row)
    with pytest.raises(UnreadableMatch):
        match_look.table(house.service, match.id)

    going_back.roll_back(house.service, match.id, 9, actor="operator")
    house.work()

    assert house.play_on(match, plies=20).ply >= 20
