"""What programs are answered about a match and a turn, as plain values."""

from __future__ import annotations

from typing import Any

from engine.codec import plain
from pbem import beacon
from pbem.clock import iso
from pbem.looks.match_look import TableLook, TurnLook
from pbem.people.open_tables import SeatFound
from pbem.people.series.rows import OfMatch
from pbem.store.match_log import said
from pbem.store.models import Match, Seat
from pbem.web.context import base_url


def match(look: TableLook) -> dict[str, Any]:
    """What everybody may know of a match."""
    row = look.match
    return {
        "match": row.id,
        "game": row.game,
        "title": row.title,
        "name": row.name,
        "status": row.status,
        "phase": look.phase.name if look.phase else row.phase,
        "ply": row.counted,
        "seats": [seat_of(seat) for seat in look.seats],
        "open_turns": [
            {
                "seat": number,
                "opened_at": iso(turn.public_opened_at or turn.opened_at),
                "due_at": iso(turn.public_due_at),
                "held": turn.held_at is not None,
            }
            for number, turn in sorted(look.open_turns.items())
        ],
        "outcome": plain(look.outcome) if look.outcome else None,
        "commitment": row.commitment,
        "beacon": _beacon(row),
        "chain_head": row.shown_head,
        "created_at": iso(row.created_at),
        "started_at": iso(row.started_at),
        "ended_at": iso(row.ended_at),
        "url": f"{base_url()}/m/{row.id}",
    }


def _beacon(match: Match) -> dict[str, Any]:
    """The public beacon in the dice, as entry 0 has it; {} before the last seat is taken."""
    drawn = beacon.read(match.beacon_json)
    return {} if drawn is None else plain(drawn)


def seat_of(seat: Seat | SeatFound) -> dict[str, Any]:
    """What everybody may know of a seat."""
    return {
        "seat": seat.number,
        "name": seat.name,
        "kind": "bot" if seat.bot else "open" if seat.is_open else "player",
        "joined": seat.joined_at is not None,
    }


def series_of(series: OfMatch | None) -> str | None:
    """Where the page of the series is that a match is played for."""
    return f"{base_url()}/series/{series.id}" if series is not None else None


def turn(look: TurnLook) -> dict[str, Any]:
    """What ``GET /t/TOKEN`` answers to a program."""
    table, row, listed = look.table, look.turn, look.listed
    return {
        "match": table.match.id,
        "game": table.match.game,
        "seat": row.seat,
        "phase": table.phase.name if table.phase else table.match.phase,
        "turn": row.id,
        "ply": table.ply,
        "status": "open" if look.is_open else "closed",
        "due_at": iso(row.due_at),
        "view": plain(table.view),
        "orders": list(listed.orders) if listed.orders is not None else None,
        "example_orders": list(listed.examples),
        "moves": [ply.order_text for ply in look.moves],
        "events": said(look.happened),
    }
