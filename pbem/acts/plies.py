"""Plies: worked out first, written when the match has been claimed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlmodel import Session

from engine.game import Event
from pbem import journal, metrics
from pbem.acts.claims import change_seat, claim
from pbem.journal import Line
from pbem.store import match_log
from pbem.store.models import MadeBy
from pbem.store.table import Table, state_text

#: Plies that carrying a match on makes: the journal tells them together, as ``advanced``.
BY_ITSELF = frozenset({MadeBy.FORCED, MadeBy.BOT, MadeBy.STANDING})


@dataclass(frozen=True)
class Made:
    """A ply that was worked out and is not written yet."""

    seat: int
    made_by: MadeBy
    phase: str
    order: str
    move: Any
    events: tuple[Event, ...]
    draws: tuple[Any, ...]
    reveals: bool


def play(table: Table, state: Any, seat: int, move: Any, made_by: MadeBy) -> tuple[Made, Any]:
    """Works one ply out."""
    dice = table.dice()
    step = table.game.apply(state, seat, move, dice)
    made = Made(
        seat,
        made_by,
        table.game.phase(state).name,
        table.game.format(move),
        move,
        step.events,
        tuple(dice.draws),
        step.reveals,
    )
    return made, step.state


def claim_with(
    session: Session,
    table: Table,
    plies: Sequence[Made],
    state: Any,
    now: datetime,
    **changes: Any,
) -> None:
    """Claims the match and writes the plies, the state after them and the head of the chain."""
    match, head, rows = table.match, table.match.chain_head, []
    public, public_head, hidden = match.counted, match.shown_head, Counter[int]()
    rules = table.game.rules_of(state)
    for number, made in enumerate(plies, match.ply + 1):
        tells = match_log.told_to_everybody(made.events)
        public += tells
        hidden[made.seat] += not tells
        turn = table.open_turns.get(made.seat)
        row = match_log.write_ply(
            match,
            ply=number,
            seat=made.seat,
            player=table.seat(made.seat).name,
            turn_id=turn.id if turn else None,
            made_by=made.made_by,
            made_at=now,
            phase=made.phase,
            order=made.order,
            move=made.move,
            events=made.events,
            draws=made.draws,
            reveals=made.reveals,
            previous=head,
            rules=rules,
            public_ply=public,
        )
        head = row.hash
        public_head = head if tells else public_head
        rows.append(row)
    claim(
        session,
        table,
        ply=match.ply + len(rows),
        state_json=state_text(state),
        phase=table.game.phase(state).name,
        chain_head=head,
        public_ply=public,
        public_head=public_head,
        **changes,
    )
    session.add_all(rows)
    for number, more in hidden.items():
        if more:
            seat = table.seat(number)
            change_seat(session, seat, hidden_plies=seat.hidden_plies + more)
    for row in rows:
        if row.made_by not in BY_ITSELF:
            journal.after(
                session,
                Line.MOVE_MADE,
                match=match.id,
                seat=row.seat,
                ply=row.ply,
                turn=row.turn_id,
                by=str(row.made_by),
            )
        metrics.PLIES.labels(match.game, str(row.made_by)).inc()
