"""The least service that takes a move: what Flask, SQLModel and the database cost by themselves.

It reads a link, its turn and its match, and writes the rows of a move (ply, turn, match,
submission, a mail owed) in one transaction, into the same tables with the same durability. It knows
no rules, checks no token, keeps no chain of hashes and rings nobody. Its ``/healthz`` is an empty
route, and ``write`` is the same without Flask and without objects for rows.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

from flask import Flask, Response, abort, jsonify, request
from sqlalchemy import Connection, bindparam, insert, update
from sqlmodel import Session, SQLModel, col

from pbem.config import load_settings
from pbem.store.db import Database
from pbem.store.models import Link, Mail, Match, Ply, Submission, Turn, rows_of

#: The application, for gunicorn.
APPLICATION = "pbem.bench._floor:create_app()"

_MATCH = update(rows_of(Match)).where(col(Match.id) == bindparam("match_id"))
_MATCH = _MATCH.values({name: bindparam(name) for name in ("ply", "revision", "advance_due_at")})
_TURN = update(rows_of(Turn)).where(col(Turn.id) == bindparam("turn_id"))
_TURN = _TURN.values({name: bindparam(name) for name in ("closed_at", "closed_by", "next_at")})


def create_app() -> Flask:
    """The application, on the database of this machine's settings."""
    # the engine of a writer: on SQLite its transactions begin with the write lock
    engine = Database(load_settings().database_url).engine
    app = Flask("pbem.bench.floor")

    @app.get("/healthz")
    def health() -> str:
        return "ok"

    @app.post("/t/<int:number>")
    def submit(number: int) -> Response:
        given = request.get_json()
        with Session(engine) as session:
            receipt = _take(session, number, given)
            session.commit()
        return jsonify(receipt)

    return app


def _take(session: Session, number: int, given: dict[str, Any]) -> dict[str, Any]:
    """Writes a move; returns its receipt."""
    link = session.get(Link, number) or abort(404)
    turn = session.get(Turn, link.turn_id) or abort(404)
    match = session.get(Match, link.match_id) or abort(404)
    if turn.closed_at is not None:
        abort(409)
    now, order = datetime.now(UTC), given["order"]
    state = {**json.loads(match.state_json or "{}"), "last_order": order}
    match.ply, match.revision = match.ply + 1, match.revision + 1
    match.state_json, match.advance_due_at = json.dumps(state), now
    turn.closed_at, turn.closed_by, turn.next_at = now, "link", None
    receipt = {"accepted": True, "ply": match.ply, "order": order, "events": []}
    session.add_all(new_rows(match, link, given, receipt, now))
    return receipt


def new_rows(
    match: Match, link: Link, given: dict[str, Any], receipt: dict[str, Any], now: datetime
) -> list[SQLModel]:
    """What a move adds; ``match.ply`` is its number."""
    return [
        Ply(
            match_id=match.id,
            ply=match.ply,
            seat=link.seat,
            turn_id=link.turn_id,
            made_by="link",
            made_at=now,
            rules_version=match.rules_version,
            phase=match.phase,
            order_text=given["order"],
            move_json=json.dumps(given["order"]),
            events_json="[]",
            draws_json="[]",
            previous_hash=match.chain_head,
            hash=match.chain_head,
        ),
        Submission(
            turn_id=link.turn_id,
            key=given["submission"],
            ply=match.ply,
            receipt_json=json.dumps(receipt),
            received_at=now,
        ),
        Mail(
            dedupe=f"your_turn:{match.id}:{match.ply}",
            kind="your_turn",
            match_id=match.id,
            seat=link.seat,
            turn_id=link.turn_id,
            due_at=now,
            created_at=now,
        ),
    ]


def write(connection: Connection, rows: list[dict[str, Any]]) -> None:
    """Writes the rows of a move, as ``new_rows`` gives them, into a transaction that is open."""
    ply, submission, mail = rows
    now = ply["made_at"]
    match = {"match_id": ply["match_id"], "ply": ply["ply"], "revision": ply["ply"]}
    connection.execute(_MATCH, match | {"advance_due_at": now})
    closed = {"turn_id": ply["turn_id"], "closed_at": now, "closed_by": "link", "next_at": None}
    connection.execute(_TURN, closed)
    for model, row in ((Ply, ply), (Submission, submission), (Mail, mail)):
        connection.execute(insert(rows_of(model)), row)
