"""A series as it is at one moment: all its rows, and where everybody stands."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, cast

from sqlalchemy import bindparam, case
from sqlalchemy.orm import aliased
from sqlmodel import Session, col, func, select

from pbem.people.series import acts, points
from pbem.people.series.acts import SeriesPlace
from pbem.people.series.points import Round
from pbem.service import Service
from pbem.store.models import Person, Series, SeriesMatch, SeriesPlayer, SeriesSeat


@dataclass(frozen=True)
class Rows:
    """All rows of a series, as they are at one moment."""

    series: Series
    players: tuple[SeriesPlayer, ...]
    seats: tuple[SeriesSeat, ...]

    def of_place(self, place: SeriesPlace) -> list[SeriesPlayer]:
        return [player for player in self.players if player.place == place]

    def entered(self) -> int:
        """How many would have a place if the first round were drawn now."""
        here = [player for player in self.players if player.place != SeriesPlace.OUT]
        return min(len(here), self.series.most)

    def tables(self) -> Mapping[tuple[int, int], list[SeriesSeat]]:
        """The seats of each table, by the numbers of its round and its own; without byes."""
        found = defaultdict(list)
        for seat in self.seats:
            if seat.number:
                found[seat.round, seat.number].append(seat)
        return {key: sorted(seats, key=lambda seat: seat.seat) for key, seats in found.items()}

    def rounds(self) -> Iterable[Round]:
        """What everybody got in each round, for ``points.table``."""
        tables = self.tables()
        for seat in self.seats:
            others = tuple(
                other.player
                for other in tables.get((seat.round, seat.number), ())
                if other.player != seat.player
            )
            yield Round(seat.player, seat.points, seat.won, others)

    def standing(self) -> list[points.Stand]:
        """Where everybody stands who was drawn or has a place."""
        drawn = {seat.player for seat in self.seats}
        playing = {player.number for player in self.of_place(SeriesPlace.IN)}
        return points.table(sorted(drawn | playing), self.rounds())

    def is_played(self) -> bool:
        """Whether all matches of all rounds are scored."""
        return all(seat.points is not None for seat in self.seats)


def read(session: Session, series_id: str) -> Rows:
    """A series with all its rows, or NotFound."""
    series = acts.get(session, series_id)
    players = session.exec(
        select(SeriesPlayer)
        .where(SeriesPlayer.series_id == series_id)
        .order_by(col(SeriesPlayer.number))
    ).all()
    seats = session.exec(
        select(SeriesSeat)
        .where(SeriesSeat.series_id == series_id)
        .order_by(col(SeriesSeat.round), col(SeriesSeat.number), col(SeriesSeat.seat))
    ).all()
    return Rows(series, tuple(players), tuple(seats))


_BEFORE = aliased(SeriesPlayer)
#: Of a ``SeriesPlayer``: how many get a place before them; null if they do not wait for one.
AHEAD: Any = case(
    (
        col(SeriesPlayer.place) == SeriesPlace.WAITING,
        select(func.count())
        .where(
            _BEFORE.series_id == SeriesPlayer.series_id,
            _BEFORE.place == SeriesPlace.WAITING,
            _BEFORE.number < SeriesPlayer.number,
        )
        .scalar_subquery(),
    )
)


def ahead_of(session: Session, player: SeriesPlayer | None) -> int | None:
    """How many get a place before somebody who waits for one; None if they do not wait."""
    if player is None:
        return None
    whose = select(AHEAD).filter_by(series_id=player.series_id, number=player.number)
    return cast(int | None, session.exec(whose).one())


def people_of(session: Session, ids: Iterable[int]) -> dict[int, Person]:
    """These people, by their ids."""
    found = session.exec(select(Person).where(col(Person.id).in_(list(ids))))
    return {person.id or 0: person for person in found}


class OfMatch(NamedTuple):
    """So much of the series that a match was opened for."""

    id: str
    name: str


#: Made once: every page of a turn asks it.
_OF_MATCH: Any = (
    select(Series.id, Series.name)
    .join(SeriesMatch, col(SeriesMatch.series_id) == col(Series.id))
    .where(col(SeriesMatch.match_id) == bindparam("match_id"))
)


def of_match(service: Service, match_id: str) -> OfMatch | None:
    """The series that a match was opened for; None for any other match."""
    with service.database.ask() as session:
        return series_of(session, match_id)


def series_of(session: Session, match_id: str) -> OfMatch | None:
    """As ``of_match``, beside what else is read."""
    # for plain columns a connection is the shorter way
    row = session.connection().execute(_OF_MATCH, {"match_id": match_id}).first()
    return OfMatch(*row) if row is not None else None


def newest(session: Session, most: int) -> list[Series]:
    """The newest series, at most so many."""
    found = select(Series).order_by(col(Series.created_at).desc(), col(Series.id).desc())
    return list(session.exec(found.limit(most)))
