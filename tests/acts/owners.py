"""A match for every state that the owner of a seat can be in, brought about by real acts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pbem.acts import absence, deliverability, lobby, matches, who_may
from pbem.acts.who_may import Owner
from pbem.store.models import Match
from pbem.store.names import Purpose
from tests.parts import remedies
from tests.parts.cast import House, people

CLOCK = {"turn": "10h", "grace": "1h"}


def match_where(house: House, owner: Owner, **asked: Any) -> tuple[Match, int]:
    """A match, and the seat whose owner is in this state. It runs, but with an open seat."""
    bots = 1 if owner == Owner.NOBODY else 0
    if owner == Owner.OPEN:
        asked["seats"] = [*people(3), matches.NewSeat(open=True)]
    match = house.running(**{"clock": CLOCK, "bots": bots, **asked})
    seat = 3 if owner in (Owner.NOBODY, Owner.OPEN) else 1
    _COME_ABOUT[owner](house, match, seat)
    table = house.table(match)
    assert who_may.owner_of(table, table.seats[seat]) == owner
    return house.match(match.id), seat


def _nothing(house: House, match: Match, seat: int) -> None:
    pass


def _invited(house: House, match: Match, seat: int) -> None:
    remedies.replace(house.service, match.id, seat, "Frank", "frank@example.org", actor="operator")


def _declined(house: House, match: Match, seat: int) -> None:
    _invited(house, match, seat)
    lobby.decline(house.service, house.link(match, Purpose.JOIN, seat))


def _gave_up(house: House, match: Match, seat: int) -> None:
    absence.resign(house.service, house.link(match, Purpose.SEAT, seat))


def _refused(house: House, match: Match, seat: int) -> None:
    email = house.seat(match, seat).email or ""
    deliverability.mail_refused(house.service, match.id, seat, email, "550 no such user")


def _stand_in(house: House, match: Match, seat: int) -> None:
    remedies.put_bot(house.service, match.id, seat, actor="operator")


def _muted(house: House, match: Match, seat: int) -> None:
    deliverability.mute(house.service, house.link(match, Purpose.SEAT, seat))


def _stays_away(house: House, match: Match, seat: int, until: Callable[[], bool]) -> None:
    for _ in range(60):
        if until():
            return
        house.play_on(match, without=seat)
        house.wait(hours=6)
    raise AssertionError("it does not come about")


def overdue(house: House, match: Match, seat: int) -> None:
    """The seat misses turns until the clocks ask the host."""

    def asked() -> bool:
        turn = house.table(match).open_turns.get(seat)
        return turn is not None and turn.host_asked_at is not None

    _stays_away(house, match, seat, asked)


def _absent(house: House, match: Match, seat: int) -> None:
    _stays_away(house, match, seat, lambda: house.seat(match, seat).bot is not None)


_COME_ABOUT: dict[Owner, Callable[[House, Match, int], None]] = {
    Owner.NOBODY: _nothing,
    Owner.OPEN: _nothing,
    Owner.DECLINED: _declined,
    Owner.INVITED: _invited,
    Owner.GAVE_UP: _gave_up,
    Owner.REFUSED: _refused,
    Owner.ABSENT: _absent,
    Owner.STAND_IN: _stand_in,
    Owner.OVERDUE: overdue,
    Owner.MUTED: _muted,
    Owner.REACHABLE: _nothing,
}
