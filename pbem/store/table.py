"""A match as an act reads it at once: the row, its seats, its open turns, its game."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from typing import Any, TypeAlias, TypeVar

import msgspec
from sqlalchemy import and_, bindparam
from sqlmodel import Session, col, select

from engine.codec import decode
from engine.dice import SeededDice
from engine.game import Seat as SeatNumber
from engine.games.registry import AnyGame
from pbem.clocks.away import Away
from pbem.clocks.deadlines import ClockPolicy
from pbem.errors import NotFound, UnreadableMatch
from pbem.store import match_log
from pbem.store.models import Match, Seat, StandingOrder, Turn
from pbem.store.names import MatchStatus

#: By the ids of rows: columns of theirs.
Changes: TypeAlias = dict[int | None, dict[str, Any]]
Row = TypeVar("Row", Seat, Turn)


@dataclass(frozen=True)
class Table:
    """What an act knows of a match. The rows are for reading: ``acts.writing`` changes them."""

    match: Match
    seats: tuple[Seat, ...]
    open_turns: dict[SeatNumber, Turn]
    #: The standing orders that seats left, oldest first.
    standing: tuple[StandingOrder, ...] = ()

    @cached_property
    def game(self) -> AnyGame:
        """The rules. They are looked up on first use, so that a match whose game is not installed
        can still be listed, and ended.
        """
        return match_log.installed(self.match)

    @cached_property
    def state(self) -> Any:
        """The game's state; None in the lobby. It is decoded on first use, so that acts that do
        not need it (above all rolling back and ending) work on a match that cannot be read.
        """
        if not self.match.state_json:
            return None
        try:
            return decode(self.game.state_type, self.match.state_json)
        except (msgspec.ValidationError, msgspec.DecodeError) as error:
            raise UnreadableMatch(
                "This match cannot be read by these rules. The operator can roll it back: {why}",
                why=str(error)[:200],
            ) from error

    @cached_property
    def policy(self) -> ClockPolicy:
        return decode(ClockPolicy, self.match.clock_json)

    @property
    def running(self) -> bool:
        return self.match.status == MatchStatus.RUNNING

    def dice(self) -> SeededDice:
        """Dice for one step. Draws are named by their place, so each step takes new ones."""
        return SeededDice(match_log.dice_key(self.match, self.seats))

    def seat(self, number: SeatNumber) -> Seat:
        """The seat of this number, or NotFound."""
        if not 0 <= number < len(self.seats):
            raise NotFound()
        return self.seats[number]

    def changed(
        self, match: Mapping[str, Any], seats: Changes, turns: Changes, state: Any
    ) -> Table:
        """The table with these columns of its rows changed. ``state`` is that of the game then, if
        it is known; else it is decoded when it is needed.
        """
        open_turns = {number: _changed(turn, turns) for number, turn in self.open_turns.items()}
        table = Table(
            self.match.model_copy(update=match),
            tuple(_changed(seat, seats) for seat in self.seats),
            {number: turn for number, turn in open_turns.items() if turn.closed_at is None},
            self.standing,
        )
        if state is not None:
            vars(table)["state"] = state
        return table

    def epoch(self, number: SeatNumber) -> int:
        """The present epoch of the links of a seat, or of the host (any negative number)."""
        return self.match.host_epoch if number < 0 else self.seat(number).epoch


def _changed(row: Row, changes: Changes) -> Row:
    columns = changes.get(row.id)
    return row.model_copy(update=columns) if columns else row


_SEATS: Any = (
    select(Seat, Turn, StandingOrder)
    .outerjoin(
        Turn,
        and_(
            col(Turn.match_id) == col(Seat.match_id),
            col(Turn.seat) == col(Seat.number),
            col(Turn.closed_at).is_(None),
        ),
    )
    .outerjoin(
        StandingOrder,
        and_(
            col(StandingOrder.match_id) == col(Seat.match_id),
            col(StandingOrder.seat) == col(Seat.number),
            col(StandingOrder.ended_at).is_(None),
        ),
    )
    .order_by(col(Seat.match_id), col(Seat.number))
)
#: A row for each seat, and for each of its standing orders. It is one query, because all that one
#: query returns is of one moment; and it is built once, because it runs at every request.
TABLES: Any = _SEATS.join(Match, col(Match.id) == col(Seat.match_id)).add_columns(Match)
_TABLE = TABLES.where(col(Match.id) == bindparam("match_id"))
_THESE: Any = bindparam("match_ids", expanding=True)
_MATCHES = select(Match).where(col(Match.id).in_(_THESE))
_SEATS_OF = _SEATS.where(col(Seat.match_id).in_(_THESE))


def load(session: Session, match_id: str) -> Table:
    """The match and all that belongs to it now; NotFound if there is none."""
    rows = session.exec(_TABLE, params={"match_id": match_id}).all()
    if not rows:
        raise NotFound()
    return of_rows(rows)


def load_all(session: Session, match_ids: Collection[str]) -> dict[str, Table]:
    """As ``load``, several matches by their ids; what is not there is left out.

    Two queries of one transaction: else each match would be read again with each of its seats.
    """
    which = {"match_ids": list(match_ids)}
    found = {match.id: match for match in session.execute(_MATCHES, which).scalars()}
    rows = session.execute(_SEATS_OF, which).all()
    return {
        match_id: _table(found[match_id], list(some))
        for match_id, some in groupby(rows, lambda row: row.Seat.match_id)
    }


def of_rows(rows: Sequence[Any]) -> Table:
    """A match from all its rows, which have the columns of ``TABLES``."""
    return _table(rows[0].Match, rows)


def _table(match: Match, rows: Sequence[Any]) -> Table:
    seats = {row.Seat.number: row.Seat for row in rows}
    open_turns = {row.Turn.seat: row.Turn for row in rows if row.Turn is not None}
    standing = {row.StandingOrder.id: row.StandingOrder for row in rows if row.StandingOrder}
    oldest_first = sorted(standing.values(), key=lambda order: order.id or 0)
    return Table(match, tuple(seats.values()), open_turns, tuple(oldest_first))


def away_of(seat: Seat) -> Away | None:
    """The vacation that was announced for a seat, however long ago."""
    if seat.away_from is None or seat.away_until is None:
        return None
    return Away(seat.away_from, seat.away_until)
