"""A series as programs read it. It holds names that players chose for it, and no address."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import msgspec
from sqlalchemy import bindparam, union
from sqlmodel import Session, col, select

from pbem.clock import iso
from pbem.people.series import acts
from pbem.people.series.acts import SeriesPlace, SeriesStatus
from pbem.people.series.rows import AHEAD, Rows, read
from pbem.store.models import Series, SeriesMatch, SeriesPlayer

#: Series that somebody's home tells of, at most.
MOST_OWN = 20


@dataclass(frozen=True)
class OwnSeries:
    """A series that goes on, of somebody who is in it or hosts it."""

    series: Series
    #: None: they only host it.
    player: SeriesPlayer | None
    hosts: bool
    #: How many get a place before them; None: they do not wait for one.
    ahead: int | None = None


# made once, and of two halves: with OR between them PostgreSQL reads all series
_PERSON: Any = bindparam("person")
_THEIRS: Any = union(
    select(SeriesPlayer.series_id).where(
        SeriesPlayer.person_id == _PERSON, SeriesPlayer.place != SeriesPlace.OUT
    ),
    select(Series.id).where(Series.host_id == _PERSON),
)
_OWN: Any = (
    select(Series, SeriesPlayer, AHEAD)
    .outerjoin(
        SeriesPlayer,
        (col(SeriesPlayer.series_id) == col(Series.id))
        & (col(SeriesPlayer.person_id) == _PERSON)
        & (col(SeriesPlayer.place) != SeriesPlace.OUT),
    )
    .where(col(Series.id).in_(_THEIRS), Series.status != SeriesStatus.OVER)
    .order_by(col(Series.created_at).desc(), col(Series.id))
    .limit(MOST_OWN)
)


def own(session: Session, person_id: int) -> list[OwnSeries]:
    """The series of somebody that are not over, the newest first."""
    return [
        OwnSeries(series, player, series.host_id == person_id, ahead)
        for series, player, ahead in session.exec(_OWN, params={"person": person_id}).all()
    ]


def own_summary(one: OwnSeries, base_url: str) -> dict[str, Any]:
    """One's own series in a list: ``entered_as`` and ``place`` are null for who only hosts it.

    ``ahead``: of who waits for a place, how many get one before; else null.
    """
    player = one.player
    return {
        **summary(one.series, base_url),
        "entered_as": player.name if player is not None else None,
        "place": player.place if player is not None else None,
        "ahead": one.ahead,
        "hosts": one.hosts,
    }


def match_ids(session: Session, series_id: str) -> dict[tuple[int, int], str]:
    """The matches that are open or over, by the numbers of their round and table."""
    rows = session.exec(
        select(SeriesMatch).where(
            SeriesMatch.series_id == series_id, col(SeriesMatch.opened_at).is_not(None)
        )
    )
    return {(row.round, row.number): row.match_id for row in rows}


def series_json(session: Session, series_id: str, base_url: str) -> dict[str, Any]:
    """All that everybody may know of a series; points are numbers, 12 for a win."""
    rows = read(session, series_id)
    series = rows.series
    names = {player.number: player.name for player in rows.players}
    return {
        **summary(series, base_url),
        "options": msgspec.json.decode(series.options_json),
        "clock": msgspec.json.decode(series.clock_json),
        "fewest": acts.fewest(series),
        "most": series.most,
        "enter_until": iso(series.enter_until),
        "next_at": iso(series.next_at),
        "ended_at": iso(series.ended_at),
        "players": [{"name": one.name, "place": one.place} for one in rows.players],
        "standing": [
            {
                "rank": stand.rank,
                "name": names[stand.player],
                "points": stand.points / 10,
                "opponents": stand.opponents / 10,
                "wins": stand.wins,
                "played": stand.played,
            }
            for stand in rows.standing()
        ],
        "tables": _tables(rows, names, match_ids(session, series_id), base_url),
        "byes": [
            {"round": seat.round, "name": names[seat.player]}
            for seat in rows.seats
            if not seat.number
        ],
    }


def _tables(
    rows: Rows, names: dict[int, str], matches: dict[tuple[int, int], str], base_url: str
) -> list[dict[str, Any]]:
    return [
        {
            "round": number,
            "table": table,
            "match": matches.get((number, table)),
            "link": f"{base_url}/m/{matches[number, table]}"
            if (number, table) in matches
            else None,
            "seats": [
                {
                    "name": names[seat.player],
                    "points": seat.points / 10 if seat.points is not None else None,
                    "left": seat.left_early,
                }
                for seat in seats
            ],
        }
        for (number, table), seats in rows.tables().items()
    ]


def summary(series: Series, base_url: str) -> dict[str, Any]:
    """A series in a list."""
    return {
        "series": series.id,
        "name": series.name,
        "game": series.game,
        "kind": series.kind,
        "seats": series.seats,
        "status": series.status,
        "called_off": series.called_off,
        "round": series.round,
        "rounds": series.rounds,
        "link": f"{base_url}/series/{series.id}",
    }
