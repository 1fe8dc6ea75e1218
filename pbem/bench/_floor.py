"""The least service that takes a move: what Flask, SQLModel and the database cost by themselves.

It reads a link, its turn and its match, and writes the rows of a move (ply, turn, match,
submission, a mail owed) in one transaction, into the same tables with the same durability. It knows
no rules, checks no token, keeps no chain of hashes and rings nobody.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

from flask import Flask, Response, abort, jsonify, request
from sqlmodel import Session

from pbem.config import load_settings
from pbem.store.db import Database
from pbem.store.models import Link, Mail, Match, Ply, Submission, Turn


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
    session.add(
        Ply(
            match_id=match.id,
            ply=match.ply,
            seat=link.seat,
            turn_id=turn.id,
            made_by="link",
            made_at=now,
            rules_version=match.rules_version,
            phase=match.phase,
            order_text=order,
            move_json=json.dumps(order),
            events_json="[]",
            draws_json="[]",
            previous_hash=match.chain_head,
            hash=match.chain_head,
        )
    )
    session.add(
        Submission(
            turn_id=turn.id or 0,
            key=given["submission"],
            ply=match.ply,
            receipt_json=json.dumps(receipt),
            received_at=now,
        )
    )
    session.add(
        Mail(
            dedupe=f"your_turn:{match.id}:{match.ply}",
            kind="your_turn",
            match_id=match.id,
            seat=link.seat,
            turn_id=turn.id,
            due_at=now,
            created_at=now,
        )
    )
    return receipt
