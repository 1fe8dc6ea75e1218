"""A match of Dog for every reason to stall, on a short clock, and what is asked to mend it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime

import pytest
from sqlmodel import col, select

from pbem.acts import advance, deliverability, foresight, lobby, matches
from pbem.acts.effects import Foresight
from pbem.acts.foresight import Look
from pbem.acts.matches import Joining
from pbem.acts.remedies import find
from pbem.acts.remedy import OfSeat, RemedyRequest
from pbem.config.sections import BeaconRounds
from pbem.looks import stalled
from pbem.store.models import Link, Mail, Match
from pbem.store.names import Actor, Purpose
from tests.parts import remedies
from tests.parts.cast import NO_BEACON, House

CLOCK = {"turn": "10h", "reserve": "20h", "grace": "1h"}


@dataclass(frozen=True)
class Stalled:
    """A match that stalls, and the seat it waits for."""

    match: Match
    seat: int


def stall(house: House, reason: str, monkeypatch: pytest.MonkeyPatch) -> Stalled:
    """A match that stalls for this reason, and for no other."""
    match, seat = _STALLS[reason](house, monkeypatch)
    assert [one.reason for one in stalled.find(house.service, [match.id])] == [reason]
    return Stalled(house.match(match.id), seat)


def _waits_for_one(house: House) -> tuple[Match, int]:
    """A match in which exactly one seat must decide, with a choice."""
    match = house.play_on(house.running(clock=CLOCK), plies=6)
    (mover,) = house.waiting(match)
    return match, mover


def _overdue(house: House, monkeypatch: pytest.MonkeyPatch) -> tuple[Match, int]:
    match, mover = _waits_for_one(house)
    house.wait(hours=11)
    return match, mover


def _silent(house: House, monkeypatch: pytest.MonkeyPatch) -> tuple[Match, int]:
    match = house.play_on(house.running(clock={"turn": "none"}), plies=6)
    (mover,) = house.waiting(match)
    for _ in range(15):
        house.wait(days=1)
    return match, mover


def _mail(house: House, monkeypatch: pytest.MonkeyPatch) -> tuple[Match, int]:
    match, mover = _waits_for_one(house)
    email = house.seat(match, mover).email or ""
    deliverability.mail_refused(house.service, match.id, mover, email, "550 no such user")
    house.wait(hours=40)
    return match, mover


def _muted(house: House, monkeypatch: pytest.MonkeyPatch) -> tuple[Match, int]:
    match, mover = _waits_for_one(house)
    deliverability.mute(house.service, house.link(match, Purpose.SEAT, mover))
    return match, mover


def _absent(house: House, monkeypatch: pytest.MonkeyPatch) -> tuple[Match, int]:
    match, mover = _waits_for_one(house)
    remedies.replace(house.service, match.id, mover, "Erin", "erin@example.org", actor="operator")
    house.work()
    return match, mover


def _lobby(house: House, monkeypatch: pytest.MonkeyPatch) -> tuple[Match, int]:
    match = house.open(confirmed=False, clock=CLOCK)
    for seat in (0, 1, 3):
        matches.join(house.service, house.link(match, Purpose.JOIN, seat), Joining())
    house.wait(hours=49)
    return match, 2


def _beacon(house: House, monkeypatch: pytest.MonkeyPatch) -> tuple[Match, int]:
    """Nothing listens at the only server of the beacon, and the host insists on it."""
    rounds = BeaconRounds(enabled=True, urls=NO_BEACON.urls)
    settings = house.service.settings.model_copy(update={"beacon": rounds})
    house.service = replace(house.service, settings=settings)
    match = house.open(clock=CLOCK, beacon="required")
    house.wait(minutes=10)
    return match, 0


def _declined(house: House, monkeypatch: pytest.MonkeyPatch) -> tuple[Match, int]:
    match = house.open(confirmed=False, clock=CLOCK)
    for seat in (0, 1, 3):
        matches.join(house.service, house.link(match, Purpose.JOIN, seat), Joining())
    lobby.decline(house.service, house.link(match, Purpose.JOIN, 2))
    return match, 2


def _set_aside(house: House, monkeypatch: pytest.MonkeyPatch) -> tuple[Match, int]:
    match, mover = _waits_for_one(house)
    house.play(match, mover, house.good_order(match, mover))
    with monkeypatch.context() as broken:
        broken.setattr(advance, "_carry_on", lambda table: 1 / 0)
        for _ in range(6):
            house.wait(minutes=5)
    return match, mover


def _paused(house: House, monkeypatch: pytest.MonkeyPatch) -> tuple[Match, int]:
    match, mover = _waits_for_one(house)
    house.wait(hours=3)
    remedies.pause(house.service, match.id, "7d", actor="host")
    house.wait(hours=20)
    return match, mover


_STALLS = {
    "overdue": _overdue,
    "silent": _silent,
    "mail": _mail,
    "muted": _muted,
    "absent": _absent,
    "lobby": _lobby,
    "beacon": _beacon,
    "declined": _declined,
    "set_aside": _set_aside,
    "paused": _paused,
}


def asked(stall: Stalled, remedy: str) -> RemedyRequest:
    """The remedy with all it must be told."""
    told: dict[str, dict[str, object]] = {
        "extend": {"by": "24h"},
        "pause": {"by": "3d"},
        "replace": {"name": "Frank", "email": "frank@example.org"},
        "correct-address": {"email": "right@example.net"},
        "roll-back": {"ply": stall.match.ply - 2},
    }
    seat = stall.seat if isinstance(find(remedy), OfSeat) else None
    return RemedyRequest(remedy, seat, **told.get(remedy, {}))  # type: ignore[arg-type]


def look(house: House, match: Match) -> Look:
    return foresight.take_look(house.service, match.id)


def foresee(house: House, match: Match, wanted: RemedyRequest) -> Foresight:
    return foresight.foresee(house.service, match.id, wanted, Actor.OPERATOR).effect


# --- what happened ---


@dataclass(frozen=True)
class Snapshot:
    """What a foresight speaks of, as it stands."""

    mails: int
    alive: frozenset[tuple[str, int, int]]
    open_turns: dict[int, int]


def snapshot(house: House, match: Match) -> Snapshot:
    now = look(house, match)
    with house.service.database.read() as session:
        last = session.exec(select(Mail.id).order_by(col(Mail.id).desc())).first()
    alive = frozenset((str(link.purpose), link.seat, link.turn_id) for link in now.alive.values())
    turns = {seat: turn.id or 0 for seat, turn in now.table.open_turns.items()}
    return Snapshot(last or 0, alive, turns)


def mails_since(house: House, before: Snapshot) -> list[tuple[str, int]]:
    """The kinds and seats of mails that were owed since."""
    with house.service.database.read() as session:
        found = session.exec(select(Mail).where(col(Mail.id) > before.mails)).all()
    return sorted((mail.kind, -9 if mail.seat is None else mail.seat) for mail in found)


def dead_since(house: House, match: Match, before: Snapshot) -> set[tuple[str, int]]:
    """The links that led somewhere before and do not any more."""
    with house.service.database.read() as session:
        rows = session.exec(select(Link).where(Link.match_id == match.id)).all()
    table = house.table(match)
    epochs = {seat.number: seat.epoch for seat in table.seats} | {-1: table.match.host_epoch}
    return {
        (str(row.purpose), row.seat)
        for row in rows
        if (str(row.purpose), row.seat, row.turn_id) in before.alive
        and row.epoch == epochs[row.seat] - 1
        and (not row.turn_id or row.turn_id in before.open_turns.values())
    }


def deadlines(house: House, match: Match) -> dict[int, datetime | None]:
    return {seat: turn.due_at for seat, turn in house.table(match).open_turns.items()}


# --- going on ---


def goes_on(house: House, stall: Stalled, remedy: str) -> bool:
    """Whether, once those who are asked now answer, the match makes plies again (or is over)."""
    match, before = stall.match, house.match(stall.match.id).ply
    house.work()
    joining = [seat for seat in house.table(match).seats if seat.joined_at is None]
    for seat in joining:
        if house.match(match.id).ended_at is None:
            matches.join(house.service, house.link(match, Purpose.JOIN, seat.number), Joining())
    house.work()
    if house.match(match.id).ended_at is not None:
        return True
    house.play_on(match, plies=house.match(match.id).ply + 3)
    grown = house.match(match.id).ply > before
    return grown and not stalled.find(house.service, [match.id])
