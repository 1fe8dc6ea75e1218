"""A match starts when its last seat is taken.

The process that takes the last seat starts the match right after. The transaction that takes the
seat also makes the match due, so that a worker starts it if that process dies in between.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

import msgspec

from engine.codec import plain
from pbem.acts.plies import columns_after
from pbem.acts.writing import act, read, writing
from pbem.service import Service
from pbem.store import match_log
from pbem.store.models import Match
from pbem.store.names import Actor, AuditAct, MadeBy, MatchStatus, Purpose
from pbem.store.table import Table


def due_when_full(table: Table, seat: int, now: datetime) -> dict[str, Any]:
    """The columns of a match in which this seat is about to be taken: due, if that was the last."""
    full = all(other.joined_at is not None for other in table.seats if other.number != seat)
    return {"advance_due_at": now} if full or table.running else {}


@act
def start_when_full(service: Service, match_id: str) -> bool:
    """Starts a match whose seats are all taken; returns whether it runs now.

    The commitment to the secret seed and every seat's phrase go into entry 0 of the log, so the key
    of the dice cannot change any more.
    """
    table, now = read(service, match_id)
    match, game = table.match, table.game
    if match.status != MatchStatus.LOBBY or any(seat.joined_at is None for seat in table.seats):
        return False
    options = match_log.options_of(match)
    dice = table.dice()
    step = game.setup(match.seat_count, options, dice)
    row = match_log.write_ply(
        match,
        ply=0,
        seat=None,
        made_by=MadeBy.FORCED,
        made_at=now,
        phase="setup",
        order="",
        move=founding(match, table),
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
        "started_at": now,
        "rules_version": row["rules_version"],
        "advance_due_at": now,
        "lobby_next_at": None,
    }
    with writing(service, table, "start", Actor.SERVICE, now, **columns) as write:
        write.log(row)
        for seat in table.seats:
            # the mails of the whole match bring these
            for purpose in (Purpose.SEAT, Purpose.MUTE):
                write.link(purpose, seat)
        write.audit(AuditAct.STARTED)
    return True


def founding(match: Match, table: Table) -> dict[str, Any]:
    """What entry 0 of the log holds in place of a move: all that a replay begins with."""
    return {
        "match": match.id,
        "game": match.game,
        "title": match.title,
        "seats": match.seat_count,
        "players": [seat.name for seat in table.seats],
        "options": plain(msgspec.json.decode(match.options_json)),
        "commitment": match.commitment,
        "phrases": [seat.phrase for seat in table.seats],
    }
