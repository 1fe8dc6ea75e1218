"""Plies and their lines of the log: computed first, written once the match is claimed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from engine.codec import encode
from engine.game import Event
from pbem import metrics
from pbem.acts.writing import Writer
from pbem.journal import Line
from pbem.store import holders, match_log
from pbem.store.names import MadeBy
from pbem.store.table import Table

#: Who makes the plies of ``advance``: the journal has one line ``advanced`` for all of them.
BY_ITSELF = frozenset({MadeBy.FORCED, MadeBy.BOT, MadeBy.STANDING})


@dataclass(frozen=True)
class NewPly:
    """A ply that was computed and is not written yet."""

    seat: int
    made_by: MadeBy
    phase: str
    order: str
    move: Any
    events: tuple[Event, ...]
    draws: tuple[Any, ...]
    reveals: bool


def play(table: Table, state: Any, seat: int, move: Any, made_by: MadeBy) -> tuple[NewPly, Any]:
    """Applies one move; returns its ply and the state after it."""
    dice = table.dice()
    step = table.game.apply(state, seat, move, dice)
    made = NewPly(
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


@dataclass(frozen=True)
class Entries:
    """Lines of the log that were computed, and the match as it is after them."""

    #: The columns of each ``Ply``.
    rows: tuple[dict[str, Any], ...]
    #: The columns of the match, to be written with the claim.
    columns: dict[str, Any]
    #: By seat: how many of its plies have no event that everybody may read.
    hidden: Counter[int]
    #: The state after them.
    state: Any

    def write(self, write: Writer) -> None:
        """Writes them, in the transaction that has claimed the match with the columns."""
        write.log(*self.rows)
        write.state = self.state
        for number, more in self.hidden.items():
            seat = write.table.seat(number)
            write.seat(seat, hidden_plies=seat.hidden_plies + more)
        for row in self.rows:
            if row["made_by"] not in BY_ITSELF:
                write.journal(
                    Line.MOVE_MADE,
                    seat=row["seat"],
                    ply=row["ply"],
                    turn=row["turn_id"],
                    by=str(row["made_by"]),
                )
            write.count(metrics.PLIES.labels(write.table.match.game, str(row["made_by"])))


def entries(table: Table, plies: Sequence[NewPly], state: Any, now: datetime) -> Entries:
    """The lines of the log for these plies, chained to its head; ``state`` is that after them."""
    match, head = table.match, table.match.chain_head
    rows: list[dict[str, Any]] = []
    public, public_head, hidden = match.counted, match.shown_head, Counter[int]()
    rules = table.game.rules_of(state)
    for number, made in enumerate(plies, match.ply + 1):
        tells = match_log.told_to_everybody(made.events)
        public += tells
        if not tells:
            hidden[made.seat] += 1
        turn = table.open_turns.get(made.seat)
        row = match_log.write_ply(
            match,
            ply=number,
            seat=made.seat,
            **holders.held_by(table.seat(made.seat)),
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
        head = row["hash"]
        public_head = head if tells else public_head
        rows.append(row)
    columns = columns_after(table, state, rows[-1], public_head) if rows else {}
    return Entries(tuple(rows), columns, hidden, state)


def columns_after(
    table: Table, state: Any, last: Mapping[str, Any], public_head: str | None = None
) -> dict[str, Any]:
    """The columns of a match in this state, after this line of its log (the columns of a ``Ply``).

    ``public_head`` is the hash of the last line that everybody may know of; None: of ``last``.
    """
    return {
        "ply": last["ply"],
        "state_json": encode(state).decode(),
        "phase": table.game.phase(state).name,
        "chain_head": last["hash"],
        "public_ply": last["public_ply"],
        "public_head": last["hash"] if public_head is None else public_head,
    }
