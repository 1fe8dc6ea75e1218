"""Standing orders: played when their time comes, if they are legal then."""

import pytest

from pbem.acts import absence, going_back, standing_orders
from pbem.errors import BadInput, NotFound, NotPossible
from pbem.store.models import Match
from pbem.store.names import Purpose
from tests.parts import remedies
from tests.parts.cast import House


def seat_link(house: House, match, seat: int):
    return house.link(match, Purpose.SEAT, seat)


def test_a_standing_order_is_played_without_asking(house):
    match, seat, following = house.before_a_choice()
    mailed = len([mail for mail in house.mails("your_turn") if mail.seat == following])
    orders = house.orders_after(match, seat, following)[:5]

    standing_orders.leave(house.service, seat_link(house, match, following), orders)
    house.play(match, seat, house.good_order(match, seat))
    house.work()

    made = [ply for ply in house.plies(match) if ply.made_by == "standing"]
    assert [ply.seat for ply in made] == [following]
    assert len([mail for mail in house.mails("your_turn") if mail.seat == following]) == mailed


def test_the_first_alternative_that_is_legal_then_is_played(house):
    match, seat, following = house.before_a_choice()
    order = house.orders_after(match, seat, following)[0]

    left = ["J 1x2", "nonsense", order]
    standing_orders.leave(house.service, seat_link(house, match, following), left)
    house.play(match, seat, house.good_order(match, seat))
    house.work()

    made = [ply for ply in house.plies(match) if ply.made_by == "standing"]
    assert [(ply.seat, ply.order_text) for ply in made] == [(following, order)]


def test_an_order_left_while_the_turn_is_open_is_for_the_turn_after_it(house):
    match = house.running()
    orders = house.orders(match, 1)

    standing_orders.leave(house.service, seat_link(house, match, 1), orders)
    house.wait(minutes=5)
    played_unasked = [ply for ply in house.plies(match) if ply.seat == 1]
    house.play(match, 1)
    house.play_on(match, without=1)

    assert played_unasked == []
    (row,) = standing_orders.of_seat(house.service, match.id, 1)
    # cards are not given away twice: it was tried at the decision after, and fitted nothing there
    assert row.ended == "not_legal"
    assert row.ended_ply > 1


def test_an_order_left_in_an_open_turn_is_played_at_the_next_decision(house):
    match = house.running()
    for seat in house.waiting(match):
        standing_orders.leave(
            house.service, seat_link(house, match, seat), ["A out", "K out", "* out"]
        )

    for seat in house.waiting(match):
        house.play(match, seat)
    house.work()

    assert {ply.made_by for ply in house.plies(match)[5:]} & {"standing"}


def test_after_going_back_everybody_is_asked_before_what_they_left_is_played(house):
    match = house.running()
    order, *others = house.orders(match, 0)
    house.play(match, 0, order)
    standing_orders.leave(house.service, seat_link(house, match, 0), others)

    going_back.take_back(house.service, seat_link(house, match, 0))
    house.work()

    assert 0 in house.waiting(match)
    assert not [ply for ply in house.plies(match) if ply.made_by == "standing"]
    (row,) = house.table(match).standing
    assert row.after_turn == house.turn(match, 0).id


def test_when_nothing_of_it_is_legal_the_player_is_asked_after_all(house):
    match, seat, following = house.before_a_choice()
    standing_orders.leave(house.service, seat_link(house, match, following), ["give 7", "chess"])

    house.play(match, seat, house.good_order(match, seat))
    house.work()

    assert not [ply for ply in house.plies(match) if ply.made_by == "standing"]
    (row,) = standing_orders.of_seat(house.service, match.id, following)
    assert row.ended == "not_legal"


def test_what_is_left_for_a_later_decision_is_not_played_at_this_one(house):
    match, seat, following = house.before_a_choice()
    mine, legal = seat_link(house, match, following), house.orders_after(match, seat, following)
    standing_orders.leave(house.service, mine, ["give 7"])
    standing_orders.leave(house.service, mine, legal)

    house.play(match, seat, house.good_order(match, seat))
    house.work()
    # whatever else makes the match due while they are asked
    with house.service.database.write("test") as session:
        session.get(Match, match.id).advance_due_at = house.clock.now()
    house.work()

    assert house.waiting(match) == [following]
    first, second = standing_orders.of_seat(house.service, match.id, following)
    assert (first.ended, second.ended) == ("not_legal", None)


def test_a_cancelled_standing_order_is_not_played(house):
    match, seat, following = house.before_a_choice()
    link = seat_link(house, match, following)
    row = standing_orders.leave(house.service, link, house.orders_after(match, seat, following)[:5])

    standing_orders.cancel(house.service, link, row.id)
    house.play(match, seat, house.good_order(match, seat))
    house.work()

    assert not [ply for ply in house.plies(match) if ply.made_by == "standing"]


def test_nobody_cancels_another_seats_standing_order(house):
    match, seat, following = house.before_a_choice()
    row = standing_orders.leave(house.service, seat_link(house, match, following), ["5 1-6"])

    with pytest.raises(NotFound):
        standing_orders.cancel(house.service, seat_link(house, match, seat), row.id)
    assert standing_orders.of_seat(house.service, match.id, seat) == []


def test_a_seat_has_a_limit_of_standing_orders_and_of_alternatives(house):
    match, _, following = house.before_a_choice()
    link = seat_link(house, match, following)
    standing_orders.leave(house.service, link, ["5 1-6"] * 10)
    for number in range(1, standing_orders.MOST):
        standing_orders.leave(house.service, link, [f"5 {number}-{number + 5}"])

    with pytest.raises(NotPossible, match="at most 10"):
        standing_orders.leave(house.service, link, ["5 40-45"])
    with pytest.raises(BadInput, match="at most 10 alternatives"):
        standing_orders.leave(house.service, link, ["5 1-6"] * 11)
    with pytest.raises(BadInput, match="at least one order"):
        standing_orders.leave(house.service, link, ["", "  "])


def test_nothing_is_left_for_a_match_that_is_over(house):
    match = house.running()
    link = seat_link(house, match, 0)
    remedies.abort(house.service, match.id, actor="host")

    with pytest.raises(NotPossible, match="over"):
        standing_orders.leave(house.service, link, ["5 1-6"])

    assert standing_orders.of_seat(house.service, match.id, 0) == []


def test_who_resigned_leaves_no_standing_order(house):
    match = house.running()
    link = seat_link(house, match, 0)
    absence.resign(house.service, link)

    with pytest.raises(NotPossible, match="You resigned"):
        standing_orders.leave(house.service, link, ["5 1-6"])

    assert standing_orders.of_seat(house.service, match.id, 0) == []


def test_what_is_no_order_in_any_game_is_not_left(house):
    match = house.running()
    link = seat_link(house, match, 0)

    with pytest.raises(BadInput):
        standing_orders.leave(house.service, link, ["5 1-6", "5 " * 5000])

    assert standing_orders.of_seat(house.service, match.id, 0) == []


def test_the_same_orders_left_twice_wait_once(house):
    match, _, following = house.before_a_choice()
    link = seat_link(house, match, following)

    first = standing_orders.leave(house.service, link, ["5 1-6", "K"])
    again = standing_orders.leave(house.service, link, ["5 1-6", " K "])
    standing_orders.leave(house.service, link, ["K", "5 1-6"])

    assert again.id == first.id
    assert len(standing_orders.of_seat(house.service, match.id, following)) == 2
