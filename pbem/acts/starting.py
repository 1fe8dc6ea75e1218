"""A match starts when its last seat is taken and its round of the beacon is there.

The process that takes the last seat fixes the round right after, and owes every player the mail
that promises it; or it starts the match, where no beacon is used. The transaction that takes the
seat also makes the match due, so that a worker does this if that process dies in between.
``pbem.acts.beginning`` fetches the round and starts the match with it.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import msgspec

from engine.codec import plain
from engine.dice import VERSION, SeededDice
from pbem import beacon
from pbem.acts.plies import columns_after
from pbem.acts.writing import act, read, writing
from pbem.beacon import Beacon, Missing
from pbem.errors import NotPossible
from pbem.service import Service
from pbem.store import holders, match_log
from pbem.store.models import Match
from pbem.store.names import Actor, AuditAct, MadeBy, MailKind, MatchStatus, Purpose
from pbem.store.table import Table


def due_when_full(table: Table, seat: int, now: datetime) -> dict[str, Any]:
    """The columns of a match in which this seat is about to be taken: due, if that was the last."""
    full = all(other.joined_at is not None for other in table.seats if other.number != seat)
    return {"advance_due_at": now} if full or table.running else {}


def is_beginning(match: Match) -> bool:
    """Whether all seats are taken and the match waits for its round of the beacon."""
    return match.beacon_due_at is not None


def refuse_while_beginning(match: Match) -> None:
    """NotPossible while a match waits for its round: who could leave then could choose the dice."""
    if is_beginning(match):
        raise NotPossible("Everybody has joined, and the match is about to begin: wait for that.")


@act
def start_when_full(service: Service, match_id: str) -> bool:
    """Starts a match whose seats are all taken, or fixes its round; returns whether it runs now.

    The commitment to the secret seed and every seat's phrase go into entry 0 of the log, so the key
    of the dice cannot change any more.
    """
    table, now = read(service, match_id)
    match = table.match
    if match.status != MatchStatus.LOBBY or any(seat.joined_at is None for seat in table.seats):
        return False
    drawn = beacon.read(match.beacon_json) or _wanted(service, table)
    if not drawn.waits:
        _start(service, table, now, drawn)
        return True
    if not is_beginning(match):
        _wait_for_round(service, table, now, drawn)
    return False


def _wanted(service: Service, table: Table) -> Beacon:
    """The round that the rule gives for the last joining, or why the match begins without one."""
    required = table.match.beacon_required
    if not required and not service.settings.uses_beacon:
        return Beacon(missing=Missing.OFF)
    if not required and sum(seat.email is not None for seat in table.seats) < 2:
        return Beacon(missing=Missing.ALONE)
    taken = [seat.joined_at for seat in table.seats if seat.joined_at is not None]
    return beacon.rule(service.settings.beacon.chain, max(taken), required)


def _wait_for_round(service: Service, table: Table, now: datetime, drawn: Beacon) -> None:
    """Fixes the round before it comes out, and owes each player the mail that says which it is."""
    assert drawn.chain is not None  # else the match would not wait
    columns = {
        "beacon_json": beacon.written(drawn),
        "beacon_due_at": drawn.chain.time_of(drawn.round),
        "advance_due_at": None,
        "lobby_next_at": None,
    }
    with writing(service, table, "beacon.fix", Actor.SERVICE, now, **columns) as write:
        for seat in table.seats:
            if seat.email is not None:
                write.owe(MailKind.ALL_JOINED, f"{table.match.id}:{seat.number}", seat.number)


@act
def start_with(service: Service, match_id: str, drawn: Beacon) -> None:
    """Starts a match that waits for its round, with it or without. Idempotent."""
    table, now = read(service, match_id)
    if is_beginning(table.match):
        _start(service, table, now, drawn)


def _start(service: Service, table: Table, now: datetime, drawn: Beacon) -> None:
    match, game = table.match, table.game
    options = match_log.options_of(match)
    dice = SeededDice(match_log.key_with(match, table.seats, drawn))
    step = game.setup(match.seat_count, options, dice)
    # the log binds the names from here on
    sealed = [holders.sealed(match.id, seat.name) for seat in table.seats]
    row = match_log.write_ply(
        match,
        ply=0,
        seat=None,
        made_by=MadeBy.FORCED,
        made_at=now,
        phase=match_log.SETUP,
        order="",
        move=_founding(table, drawn, [one["holder"] for one in sealed]),
        events=step.events,
        draws=dice.draws,
        reveals=True,
        previous=match_log.NO_HASH,
        rules=game.rules_of(step.state),
        public_ply=0,
    )
    columns = {
        **columns_after(table, step.state, row),
        "status": MatchStatus.RUNNING,
        # whoever put bots on the last seats had the link that was mailed to the host
        "unproved_host": False,
        "started_at": now,
        "rules_version": row["rules_version"],
        "advance_due_at": now,
        "lobby_next_at": None,
        "beacon_json": beacon.written(drawn),
        "beacon_due_at": None,
    }
    with writing(service, table, "start", Actor.SERVICE, now, **columns) as write:
        write.log(row)
        for seat, columns_of_seat in zip(table.seats, sealed, strict=True):
            write.seat(seat, **columns_of_seat)
            # the mails of the whole match bring these
            for purpose in (Purpose.SEAT, Purpose.MUTE):
                write.link(purpose, seat)
        write.audit(AuditAct.STARTED)


def _founding(table: Table, drawn: Beacon, held: Sequence[str]) -> dict[str, Any]:
    """What entry 0 of the log holds in place of a move: all that a replay begins with.

    ``held`` are the digests of those who hold the seats.
    """
    match = table.match
    return {
        "match": match.id,
        "game": match.game,
        "title": match.title,
        "seats": match.seat_count,
        "holders": held,
        "options": plain(msgspec.json.decode(match.options_json)),
        "commitment": match.commitment,
        "phrases": [seat.phrase for seat in table.seats],
        "dice": VERSION,
        "beacon": plain(drawn),
    }
