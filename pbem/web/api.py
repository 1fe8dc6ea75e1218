"""Matches for programs. The turn's own interface is at its link (``pbem.web.turn``)."""

from __future__ import annotations

from typing import Any

from flask import Blueprint, Response, request
from werkzeug.exceptions import UnsupportedMediaType

from engine.codec import plain
from pbem import beacon
from pbem.acts import matches
from pbem.looks import match_look
from pbem.store.models import Match, Seat
from pbem.web import guards
from pbem.web.body import read_json
from pbem.web.context import base_url, json_answer, match_id_of, service
from pbem.web.match import record_answer

door = Blueprint("api", __name__, url_prefix="/api")


@door.post("/matches")
def create() -> Response:
    if request.mimetype != "application/json":
        raise UnsupportedMediaType()
    here = service()
    wanted = read_json(matches.NewMatch)
    guards.allow("matches", f"{here.settings.limits.matches_per_hour}/hour")
    match = matches.create(here, wanted, proved=here.settings.mailbox)
    response = json_answer(as_json(match_look.table(here, match.id)), 201)
    response.headers["Location"] = f"{base_url()}/api/matches/{match.id}"
    return response


@door.get("/matches/<match_id>")
def show(match_id: str) -> Response:
    return json_answer(as_json(match_look.table(service(), match_id_of(match_id))))


@door.get("/matches/<match_id>/record")
def record(match_id: str) -> Response:
    return record_answer(match_id_of(match_id))


def as_json(look: match_look.TableLook) -> dict[str, Any]:
    """What everybody may know of a match."""
    match = look.match
    return {
        "match": match.id,
        "game": match.game,
        "title": match.title,
        "name": match.name,
        "status": match.status,
        "phase": look.phase.name if look.phase else match.phase,
        "ply": match.counted,
        "seats": [_seat(seat) for seat in look.seats],
        "open_turns": [
            {
                "seat": number,
                "opened_at": (turn.public_opened_at or turn.opened_at).isoformat(),
                "due_at": turn.public_due_at.isoformat() if turn.public_due_at else None,
                "held": turn.held_at is not None,
            }
            for number, turn in sorted(look.open_turns.items())
        ],
        "outcome": plain(look.outcome) if look.outcome else None,
        "commitment": match.commitment,
        "beacon": _beacon(match),
        "chain_head": match.shown_head,
        "created_at": match.created_at.isoformat(),
        "started_at": match.started_at.isoformat() if match.started_at else None,
        "ended_at": match.ended_at.isoformat() if match.ended_at else None,
        "url": f"{base_url()}/m/{match.id}",
    }


def _beacon(match: Match) -> dict[str, Any]:
    """The public beacon in the dice, as entry 0 has it; {} before the last seat is taken."""
    drawn = beacon.read(match.beacon_json)
    return {} if drawn is None else plain(drawn)


def _seat(seat: Seat) -> dict[str, Any]:
    return {
        "seat": seat.number,
        "name": seat.name,
        "kind": "bot" if seat.bot else "open" if seat.is_open else "player",
        "joined": seat.joined_at is not None,
    }
