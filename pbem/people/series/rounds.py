"""Rounds of a series: drawn, opened, scored, and the end. The sweep does it where rows are due.

A round is drawn in one transaction that claims the series by its revision. The ids of its matches
are drawn with it, so each match is opened once, whoever dies in between: whoever opens it a second
time finds it there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from itertools import combinations
from typing import Any, cast

import msgspec
from sqlalchemy import CursorResult, text, update
from sqlalchemy.exc import IntegrityError, InterfaceError, OperationalError
from sqlmodel import Session, col, select

from engine.codec import decode
from engine.games.registry import AnyGame, find
from pbem import journal
from pbem.acts import matches, outbox
from pbem.acts.writing import SomeoneWasFirstError
from pbem.clocks.deadlines import ClockPolicy
from pbem.errors import NotPossible
from pbem.journal import Line
from pbem.people.series import acts, pairing, points
from pbem.people.series.acts import SeriesKind, SeriesPlace, SeriesStatus
from pbem.people.series.pairing import Drawn, Past
from pbem.people.series.points import MIDDLE, Came, Worth
from pbem.people.series.rows import Rows, people_of, read
from pbem.service import Service
from pbem.store.models import (
    SERIES_DUE,
    TO_OPEN,
    TO_SCORE,
    Match,
    Person,
    Series,
    SeriesMatch,
    SeriesPlayer,
    SeriesSeat,
    StandingMatch,
    StandingResult,
)
from pbem.store.names import Actor, MailKind
from pbem.words.i18n import translator

#: Who went in so many matches is drawn no more.
MOST_WENT = 2
#: A series in which something failed is looked at again after this.
AGAIN = timedelta(hours=1)


# --- what is due ---


def care_due(service: Service, most: int) -> int:
    """Does what is due in series, at most ``most`` of each kind; returns how much it was."""
    return (
        _each(service, _to_score(service, most), score)
        + _each(service, _due(service, most), carry_on)
        + _each(service, _to_open(service, most), open_table)
    )


def _each(service: Service, rows: Sequence[tuple[Any, ...]], do: Callable[..., object]) -> int:
    """Does each row by itself: what fails in one series keeps no other from its work."""
    for row in rows:
        try:
            do(service, *row)
        except (OperationalError, InterfaceError):
            raise
        except SomeoneWasFirstError:
            continue
        except Exception as error:
            journal.write(Line.SERIES_FAILED, series=row[0], exc_info=error)
            with service.database.write("series.failed") as session:
                session.execute(
                    update(Series)
                    .where(col(Series.id) == row[0], col(Series.next_at).is_not(None))
                    .values(next_at=service.now() + AGAIN)
                )
    return len(rows)


def _due(service: Service, most: int) -> Sequence[tuple[Any, ...]]:
    query = (
        select(Series.id)
        .where(text(SERIES_DUE), col(Series.next_at) <= service.now())
        .order_by(col(Series.next_at))
        .limit(most)
    )
    with service.database.read() as session:
        return [(series_id,) for series_id in session.exec(query)]


def _to_open(service: Service, most: int) -> Sequence[tuple[Any, ...]]:
    query = select(SeriesMatch.series_id, SeriesMatch.round, SeriesMatch.number)
    query = query.where(text(TO_OPEN)).order_by(
        col(SeriesMatch.series_id), col(SeriesMatch.round), col(SeriesMatch.number)
    )
    with service.database.read() as session:
        return [tuple(row) for row in session.exec(query.limit(most))]


def _to_score(service: Service, most: int) -> Sequence[tuple[Any, ...]]:
    query = (
        select(SeriesMatch.series_id, SeriesMatch.round, SeriesMatch.number)
        .join(StandingMatch, col(StandingMatch.match_id) == col(SeriesMatch.match_id))
        .where(text(TO_SCORE))
        .order_by(col(SeriesMatch.series_id), col(SeriesMatch.round), col(SeriesMatch.number))
    )
    with service.database.read() as session:
        return [tuple(row) for row in session.exec(query.limit(most))]


# --- the next round ---


def go_on(service: Service, series_id: str, from_round: int | None = None) -> None:
    """The host starts the series, or has the next round drawn before the others are over.

    ``from_round`` is the round that the host saw: if another is played by now, nothing happens, so
    that a button pressed twice draws one round. NotPossible if there is no round to be drawn.
    """
    with service.database.read() as session:
        rows = read(session, series_id)
    series = rows.series
    if from_round not in (None, series.round):
        return
    if series.status == SeriesStatus.OVER:
        raise NotPossible("This series is over.")
    if series.round >= series.rounds:
        raise NotPossible("The last round is being played.")
    drawn = _draw(rows)
    if not drawn.tables:
        raise NotPossible(
            "A series needs players for one table at least: {seats}.", seats=series.seats
        )
    try:
        _begin(service, rows, drawn)
    except SomeoneWasFirstError:
        return  # somebody else went on at the same moment


def carry_on(service: Service, series_id: str) -> None:
    """Draws the next round of a series whose time has come, or ends it. Idempotent."""
    with service.database.read() as session:
        rows = read(session, series_id)
    series = rows.series
    if series.next_at is None or series.next_at > service.now():
        return
    if series.round < series.rounds:
        drawn = _draw(rows)
        if drawn.tables:
            _begin(service, rows, drawn)
            return
    if rows.is_played():
        _end(service, rows)
    else:
        # the last match that is scored makes it due again
        with service.database.write("series.wait") as session:
            _claim(session, series, next_at=None)


def _places(rows: Rows) -> tuple[set[int], set[int]]:
    """The numbers of players who are out from now on, and of those who get a place now.

    Who went too often is out; for each place that became free since the first round, the first who
    waits gets it.
    """
    went = Counter(seat.player for seat in rows.seats if seat.went)
    playing = {player.number for player in rows.of_place(SeriesPlace.IN)}
    out = {player for player in playing if went[player] >= MOST_WENT}
    first = sum(seat.round == 1 for seat in rows.seats)
    free = (first or rows.series.most) - len(playing - out)
    waiting = [player.number for player in rows.of_place(SeriesPlace.WAITING)]
    return out, set(waiting[: max(0, free)])


def _draw(rows: Rows) -> Drawn:
    """The next round; without tables if there are too few players."""
    series = rows.series
    out, promoted = _places(rows)
    game = find(series.game)
    sizes = acts.allowed_sizes(game, msgspec.json.decode(series.options_json), series.seats)
    order = [stand.player for stand in rows.standing()]
    order += sorted(promoted - {*order})
    playing = ({player.number for player in rows.of_place(SeriesPlace.IN)} | promoted) - out
    return pairing.draw(
        [player for player in order if player in playing],
        series.seats,
        sizes,
        _past(rows, game),
        f"{series.seed} {series.round + 1}",
        by_place=series.kind == SeriesKind.SWISS and series.round > 0,
        teams=_teams(series, game, sizes),
    )


def _teams(
    series: Series, game: AnyGame, sizes: Iterable[int]
) -> dict[int, tuple[tuple[int, ...], ...]]:
    options = msgspec.json.decode(series.options_json)
    return {size: game.teams(size, matches.read_options(game, options, size)) for size in sizes}


def _past(rows: Rows, game: AnyGame) -> Past:
    met: Counter[pairing.Pair] = Counter()
    partnered: Counter[pairing.Pair] = Counter()
    tables = rows.tables().values()
    teams = _teams(rows.series, game, {len(table) for table in tables})
    for table in tables:
        players = [seat.player for seat in table]
        met.update(pairing.pair(*two) for two in combinations(players, 2))
        for team in teams[len(table)]:
            partnered.update(
                pairing.pair(players[one], players[other]) for one, other in combinations(team, 2)
            )
    sat = Counter((seat.player, seat.seat) for seat in rows.seats if seat.number)
    byes = Counter(seat.player for seat in rows.seats if not seat.number)
    return Past(met, partnered, sat, byes)


def _begin(service: Service, rows: Rows, drawn: Drawn) -> None:
    """Writes a round that was drawn, or raises SomeoneWasFirstError."""
    series, now = rows.series, service.now()
    number = series.round + 1
    out, promoted = _places(rows)
    days = series.round_days if number < series.rounds else None
    with service.database.write("series.draw") as session:
        _claim(
            session,
            series,
            round=number,
            status=SeriesStatus.RUNNING,
            next_at=now + timedelta(days=days) if days else None,
        )
        _put(session, series.id, out, SeriesPlace.OUT)
        _put(session, series.id, promoted, SeriesPlace.IN)
        session.add_all(_of_round(service, series.id, number, drawn))
        _owe_round(session, rows.players, series.id, number, drawn.byes, 0, now)
    service.ring("post")


def _of_round(
    service: Service, series_id: str, number: int, drawn: Drawn
) -> Iterable[SeriesMatch | SeriesSeat]:
    """The rows of a round; a round off counts at once."""

    def seat(player: int, table: int, place: int, points: int | None = None) -> SeriesSeat:
        return SeriesSeat(
            series_id=series_id,
            round=number,
            player=player,
            number=table,
            seat=place,
            points=points,
        )

    for table, players in enumerate(drawn.tables, 1):
        match_id = matches.new_id(service)
        yield SeriesMatch(series_id=series_id, round=number, number=table, match_id=match_id)
        yield from (seat(player, table, place) for place, player in enumerate(players))
    yield from (seat(player, 0, 0, MIDDLE) for player in drawn.byes)


def _put(session: Session, series_id: str, players: set[int], place: SeriesPlace) -> None:
    session.execute(
        update(SeriesPlayer)
        .where(col(SeriesPlayer.series_id) == series_id, col(SeriesPlayer.number).in_(players))
        .values(place=place)
    )


def _claim(session: Session, series: Series, **columns: Any) -> None:
    claim = (
        update(Series)
        .where(col(Series.id) == series.id, col(Series.revision) == series.revision)
        .values(revision=series.revision + 1, **columns)
    )
    if not cast(CursorResult[None], session.execute(claim)).rowcount:
        raise SomeoneWasFirstError()


def _owe_round(
    session: Session,
    players: Iterable[SeriesPlayer],
    series_id: str,
    number: int,
    whose: Iterable[int],
    table: int,
    now: datetime,
) -> None:
    """Owes these players the mail of a round: at which table they sit; 0: none."""
    people = {player.number: player.person_id for player in players}
    addresses = people_of(session, [people[player] for player in whose])
    for player in whose:
        person = addresses[people[player]]
        if person.address is None:
            continue
        outbox.owe(
            session,
            MailKind.SERIES_ROUND,
            f"series_round:{series_id}:{number}:{player}",
            now,
            address=person.address,
            person=person.id,
            series=series_id,
            round=number,
            table=table,
        )


# --- a table of a round ---


def open_table(service: Service, series_id: str, number: int, table: int) -> None:
    """Opens the match of a table, and tells its players. Idempotent.

    They agreed by entering, so nobody is invited. Whoever was forgotten meanwhile is a bot; if the
    host was, whoever sits first is the host of this match.
    """
    with service.database.read() as session:
        rows = read(session, series_id)
        row = session.get_one(SeriesMatch, (series_id, number, table))
        seats = rows.tables()[number, table]
        people = people_of(session, [player.person_id for player in rows.players])
        host = session.get_one(Person, rows.series.host_id)
        there = session.get(Match, row.match_id) is not None
    if row.opened_at is not None:
        return
    players = {player.number: player for player in rows.players}
    if not there:
        sitting = [(players[seat.player], people[players[seat.player].person_id]) for seat in seats]
        if host.address is None:
            # whoever sits first looks after the table
            host = next((person for _player, person in sitting if person.address), host)
        if host.address is None:
            # nobody is left who could play it
            _score(service, row, dict.fromkeys(range(len(seats)), Worth(MIDDLE, False)), set())
            return
        _create(service, rows.series, row, sitting, host)
    now = service.now()
    with service.database.write("series.open") as session:
        opened = (
            update(SeriesMatch)
            .where(col(SeriesMatch.match_id) == row.match_id, text(TO_OPEN))
            .values(opened_at=now)
        )
        session.execute(opened)
        whose = [seat.player for seat in seats]
        _owe_round(session, rows.players, series_id, number, whose, table, now)
    service.ring("post")


def _create(
    service: Service,
    series: Series,
    row: SeriesMatch,
    sitting: Sequence[tuple[SeriesPlayer, Person]],
    host: Person,
) -> None:
    bot = find(series.game).meta.bots[0]
    words = translator(series.language)
    new = matches.NewMatch(
        game=series.game,
        host=matches.Person(host.name or series.name, host.address or ""),
        seats=[
            matches.Returning(
                name=player.name,
                email=person.address,
                zone=person.zone or series.zone,
                language=person.language or series.language,
                agreed=True,
                left_open=True,
            )
            if person.address
            else matches.NewSeat(bot=bot)
            for player, person in sitting
        ],
        options=msgspec.json.decode(series.options_json),
        language=series.language,
        zone=series.zone,
        name=words.text(
            "{name}, round {number}, table {table}",
            name=series.name,
            number=row.round,
            table=row.number,
        ),
    )
    policy = decode(ClockPolicy, series.clock_json)
    try:
        matches.create(
            service,
            new,
            actor=Actor.SERVICE,
            policy=policy,
            match_id=row.match_id,
        )
    except IntegrityError:
        return  # another worker opened it at the same moment


def score(service: Service, series_id: str, number: int, table: int) -> None:
    """Gives the points of a match that is over. Idempotent."""
    with service.database.read() as session:
        row = session.get_one(SeriesMatch, (series_id, number, table))
        counts = session.get_one(StandingMatch, row.match_id).why_not == ""
        results = session.exec(
            select(StandingResult)
            .where(StandingResult.match_id == row.match_id)
            .order_by(col(StandingResult.seat))
        ).all()
        size = len(read(session, series_id).tables()[number, table])
    if counts:
        worth = points.of_match([Came(one.team, one.rank, one.went) for one in results])
        got = {one.seat: what for one, what in zip(results, worth, strict=True)}
    else:
        got = dict.fromkeys(range(size), Worth(MIDDLE, False))
    _score(service, row, got, {one.seat for one in results if one.went})


def _score(
    service: Service, row: SeriesMatch, worth: Mapping[int, Worth], went: Collection[int]
) -> None:
    """Writes what each seat of a table got; the series is due if its round is over with that."""
    of_table = (
        col(SeriesSeat.series_id) == row.series_id,
        col(SeriesSeat.round) == row.round,
        col(SeriesSeat.number) == row.number,
    )
    with service.database.write("series.score") as session:
        scored = (
            update(SeriesMatch)
            .where(col(SeriesMatch.match_id) == row.match_id, col(SeriesMatch.scored_at).is_(None))
            .values(opened_at=row.opened_at or service.now(), scored_at=service.now())
        )
        if not cast(CursorResult[None], session.execute(scored)).rowcount:
            return
        for seat, got in worth.items():
            session.execute(
                update(SeriesSeat)
                .where(*of_table, col(SeriesSeat.seat) == seat)
                .values(points=got.points, won=got.won, went=seat in went)
            )
        rows = read(session, row.series_id)
        last = rows.series.round == rows.series.rounds
        if rows.is_played(None if last else rows.series.round):
            session.execute(
                update(Series)
                .where(
                    col(Series.id) == row.series_id,
                    col(Series.status) == SeriesStatus.RUNNING,
                )
                .values(next_at=service.now())
            )


# --- the end ---


def _end(service: Service, rows: Rows) -> None:
    """The series is over: its players and its host are told where everybody stands."""
    series, now = rows.series, service.now()
    with service.database.write("series.end") as session:
        _claim(session, series, status=SeriesStatus.OVER, ended_at=now, next_at=None)
        drawn = {seat.player for seat in rows.seats}
        told = [player.person_id for player in rows.players if player.number in drawn]
        for person in people_of(session, {*told, series.host_id}).values():
            if person.address is None:
                continue
            outbox.owe(
                session,
                MailKind.SERIES_OVER,
                f"series_over:{series.id}:{person.id}",
                now,
                address=person.address,
                person=person.id,
                series=series.id,
            )
    service.ring("post")
