"""Each order wins time; nobody else may count by the deadline how many were given in secret."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import update

from engine.codec import encode
from pbem.acts import absence, deliverability, standing_orders
from pbem.clocks.deadlines import ClockPolicy
from pbem.store.models import Heartbeat, Match, StandingOrder
from pbem.store.names import Purpose
from tests.parts import remedies
from tests.security.test_2_players_two_worlds import twin
from tests.web.house import WebHouse
from tests.web.test_skirmish_secrets import begun_activation, give, hidden_orders, told_to

HOURS = 20


def quiet_and_busy(web: WebHouse, tmp_path: Path) -> tuple[WebHouse, Match, int, list[str], str]:
    """Two copies of a match in the middle of an activation that nobody else sees."""
    match, seat, active = begun_activation(web)
    orders = hidden_orders(active.members[0])[:4]
    return twin(web, tmp_path / "twin"), match, seat, orders, f"{active.who} end"


def differences(one: WebHouse, two: WebHouse, match: Match, seat: int) -> list[str]:
    """Where a seat, an onlooker and the host are shown something else in one than in two."""
    here, there = (told_to(house, match, seat) for house in (one, two))
    return [place for place, data in here.items() if there[place] != data]


def both_wait(one: WebHouse, two: WebHouse, **span: float) -> None:
    one.wait(**span)
    two.wait(**span)


def test_nobody_else_sees_the_time_that_secret_orders_win(web: WebHouse, tmp_path: Path) -> None:
    """A rival and the host look again and again; the fourth look is after the announced end."""
    busy, match, seat, orders, end = quiet_and_busy(web, tmp_path)
    announced, found = web.turn(match, seat).due_at, []

    for order in orders:
        both_wait(web, busy, hours=HOURS)
        give(busy, match, seat, [order])
        found += differences(web, busy, match, 1 - seat)
    own = [house.turn(match, seat).due_at for house in (web, busy)]
    page = busy.app.test_client().get(f"/m/{match.id}").text
    for house in (web, busy):
        give(house, match, seat, [end])
    found += differences(web, busy, match, 1 - seat)

    assert found == []
    assert own[0] == announced
    assert own[1] is not None
    assert announced is not None
    assert (own[1] - announced).total_seconds() == 4 * HOURS * 3600
    assert "the announced deadline was" in page
    assert busy.match(match.id).ply == web.match(match.id).ply + 4
    busy.service.database.close()


def extended(house: WebHouse, match: Match, seat: int) -> None:
    remedies.extend(house.service, match.id, seat, "24h", actor="host")


def paused(house: WebHouse, match: Match, seat: int) -> None:
    remedies.pause(house.service, match.id, "30h", actor="host")


def unreached(house: WebHouse, match: Match, seat: int) -> None:
    deliverability.mail_refused(
        house.service, match.id, seat, house.seat(match, seat).email or "", "550 no"
    )


def reached(house: WebHouse, match: Match, seat: int) -> None:
    remedies.reissue(house.service, match.id, seat, actor="operator")


@pytest.mark.parametrize("done", [(extended,), (paused,), (unreached, reached)])
def test_what_is_done_to_a_clock_for_all_to_see_tells_nothing_of_it(
    web: WebHouse, tmp_path: Path, done: tuple
) -> None:
    """A host's extension, a pause that ends by itself, mail that does not arrive and does again."""
    busy, match, seat, orders, _ = quiet_and_busy(web, tmp_path)
    found = []

    for number, order in enumerate(orders):
        both_wait(web, busy, hours=HOURS)
        give(busy, match, seat, [order])
        for house in (web, busy):
            for act in done[number:] if number < len(done) else ():
                act(house, match, seat)
                break
        both_wait(web, busy, hours=1)
        found += differences(web, busy, match, 1 - seat)

    assert found == []
    busy.service.database.close()


def down(house: WebHouse, **span: float) -> None:
    """The service has run until now, is down for so long, and runs again."""
    with house.service.database.write("test") as session:
        session.merge(Heartbeat(name=absence.SWEEP, at=house.clock.now()))
    house.clock.move(timedelta(**span))
    absence.notice_outage(house.service)
    house.work()


@pytest.mark.parametrize("then", [None, paused])
def test_an_outage_before_a_secret_order_moves_what_others_know_of_the_deadline(
    web: WebHouse, tmp_path: Path, then: Callable[..., None] | None
) -> None:
    """The order has its full time anyway, so its own deadline does not move."""
    busy, match, seat, orders, _ = quiet_and_busy(web, tmp_path)
    announced = web.turn(match, seat).public_due_at
    for house in (web, busy):
        down(house, hours=5)

    give(busy, match, seat, orders[:1])
    won = busy.turn(match, seat).due_at
    if then is not None:
        for house in (web, busy):
            then(house, match, seat)
    both_wait(web, busy, hours=30)
    both_wait(web, busy, hours=30)

    known = [house.turn(match, seat).public_due_at for house in (web, busy)]
    stood = timedelta(hours=30 if then else 0)
    assert announced is not None
    assert won is not None
    assert known == [announced + timedelta(hours=5) + stood] * 2
    assert busy.turn(match, seat).due_at == won + stood
    busy.service.database.close()


def test_a_secret_order_shows_no_more_than_that_somebody_is_there(
    web: WebHouse, tmp_path: Path
) -> None:
    """Mail to the seat is refused: a new link and a secret order let the clock go on alike."""
    busy, match, seat, orders, _ = quiet_and_busy(web, tmp_path)
    for house in (web, busy):
        unreached(house, match, seat)
    both_wait(web, busy, hours=HOURS)

    give(busy, match, seat, orders[:1])
    reached(web, match, seat)
    known = [house.turn(match, seat) for house in (web, busy)]

    assert known[0].public_due_at == known[1].public_due_at
    assert known[0].public_held_at is known[1].public_held_at is None
    busy.service.database.close()


def test_a_bank_does_not_grow_by_what_is_done_in_secret(web: WebHouse, tmp_path: Path) -> None:
    """Its next deadline is all that it holds, so it would tell."""
    busy, match, seat, orders, end = quiet_and_busy(web, tmp_path)
    bank = ClockPolicy(kind="bank", turn=12 * 3600, reserve=72 * 3600)
    for house in (web, busy):
        with house.service.database.write("test") as session:
            row = session.get(Match, match.id)
            assert row is not None
            row.clock_json = encode(bank).decode()

    for order in orders[:3]:
        both_wait(web, busy, hours=HOURS)
        give(busy, match, seat, [order])
    found = differences(web, busy, match, 1 - seat)
    for house in (web, busy):
        give(house, match, seat, [end])

    assert found == []
    assert web.seat(match, seat).reserve == busy.seat(match, seat).reserve
    busy.service.database.close()


def test_a_standing_order_that_is_played_in_secret_opens_no_turn_for_others(
    web: WebHouse, tmp_path: Path
) -> None:
    """The player is asked anew by a new link and mail; others see the same turn go on."""
    busy, match, seat, orders, _ = quiet_and_busy(web, tmp_path)
    standing_orders.leave(busy.service, busy.link(match, Purpose.SEAT, seat), orders[1:2])
    with busy.service.database.write("test") as session:
        # played as soon as the match is carried on, as the only move that there is would be
        session.execute(update(StandingOrder).values(after_turn=None))
    both_wait(web, busy, hours=HOURS)

    give(busy, match, seat, orders[:1])

    assert busy.turn(match, seat).opened_at > web.turn(match, seat).opened_at
    assert busy.match(match.id).ply == web.match(match.id).ply + 2
    # a link's number counts links of all matches, so that of a mail's comes out otherwise
    found = differences(web, busy, match, 1 - seat)
    assert [place for place in found if not place.startswith("mail")] == []
    busy.service.database.close()
