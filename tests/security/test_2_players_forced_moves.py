"""Threat 2.2: that a seat had no choice tells of its hand: others hear it after the match."""

from __future__ import annotations

from collections.abc import Iterator

from pbem import present
from pbem.acts import standing_orders
from pbem.looks import match_look
from pbem.store.models import Match
from pbem.store.names import Purpose
from pbem.words.i18n import translator
from tests.parts import remedies
from tests.web.house import WebHouse

FORCED = "the only legal move"
LEFT = "by a standing order"


def told(web: WebHouse, match: Match, reader: int | None) -> set[tuple[int, str]]:
    """Whose moves are told to this reader with one of these notes."""
    look = match_look.table(web.service, match.id, reader)
    lines = present.story.lines(look, ("0", "1", "2", "3"), "UTC", translator("en"))
    return {(int(line.who), line.how) for line in lines if line.how in (FORCED, LEFT)}


def recorded(web: WebHouse, match: Match) -> set[str]:
    """How the moves of seats were made, as the record says that everybody can get."""
    record = web.app.test_client().get(f"/api/matches/{match.id}/record").json
    assert record is not None
    return {entry["made_by"] for entry in record["entries"] if entry["seat"] is not None}


def readers(match: Match) -> Iterator[int | None]:
    yield None
    yield from range(match.seat_count)


def test_others_do_not_hear_that_a_move_was_forced_while_the_match_runs(web: WebHouse) -> None:
    match = web.play_on(web.running(), plies=60)
    made = {(ply.seat, ply.made_by) for ply in web.plies(match)}
    forced = {seat for seat, made_by in made if made_by == "forced"}

    heard = {reader: told(web, match, reader) for reader in readers(match)}

    assert forced
    assert recorded(web, match) == {"link"}
    assert heard[None] == set()
    for seat in range(4):
        assert heard[seat] == ({(seat, FORCED)} if seat in forced else set())


def test_others_do_not_hear_that_an_order_was_left_beforehand(web: WebHouse) -> None:
    """Otherwise a move made at once, and not by one, would be known as forced."""
    match, seat, following = web.before_a_choice()
    orders = web.orders_after(match, seat, following)[:5]
    standing_orders.leave(web.service, web.link(match, Purpose.SEAT, following), orders)
    web.play(match, seat, web.good_order(match, seat))
    web.work()

    assert (following, LEFT) in told(web, match, following)
    assert told(web, match, seat) <= {(seat, FORCED)}
    assert told(web, match, None) == set()
    assert recorded(web, match) == {"link"}


def test_when_the_match_is_over_all_hear_of_it(web: WebHouse) -> None:
    match = web.play_on(web.running(), plies=60)
    remedies.abort(web.service, match.id, actor="host")

    heard = [told(web, match, reader) for reader in readers(match)]

    assert heard[0]
    assert all(one == heard[0] for one in heard)
    assert "forced" in recorded(web, match)
