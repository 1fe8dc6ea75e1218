"""Rounds of a series: drawn, opened, scored, and the end. The sweep does it where rows are due.

A round is drawn in one transaction that claims the series by its revision. The ids of its matches
are drawn with it, so each match is opened once, whoever dies in between: whoever opens it a second
time finds it there. That a table is opened is written with its match.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime, timedelta
from typing import Any

import msgspec
from sqlalchemy import text, update
from sqlalchemy.exc import IntegrityError
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
from pbem.people.series.pairing import Past, RoundDraw
from pbem.people.series.points import MIDDLE, Came, Worth
from pbem.people.series.rows import Rows, people_of, read
from pbem.service import Service
from pbem.store import statements
from pbem.store.db import CONNECTION_ERRORS
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

#: Who left so many matches early is not paired again.
MOST_LEFT_EARLY = 2
#: What failed, in a series or at one of its tables, is tried again after this.
AGAIN = timedelta(hours=1)


# --- what is due ---


def care_due(service: Service, most: int) -> int:
    """Does what is due in series, at most ``most`` of each kind; returns how much it was."""
    return (
        _each(service, _to_score(service, most), score, _put_table_off)
        + _each(service, _due(service, most), carry_on, _put_off)
        + _each(service, _to_open(service, most), open_table, _put_table_off)
    )


def _each(
    service: Service,
    rows: Sequence[tuple[Any, ...]],
    do: Callable[..., object],
    failed: Callable[..., object],
) -> int:
    """Does each row by itself: what fails with one is put off, and keeps no other from its work."""
    for row in rows:
        try:
            do(service, *row)
        except CONNECTION_ERRORS:
            raise
        except SomeoneWasFirstError:
            continue
        except Exception as error:
            journal.write(Line.SERIES_FAILED, series=row[0], exc_info=error)
            failed(service, *row)
    return len(rows)


def _put_off(service: Service, series_id: str) -> None:
    which = (col(Series.id) == series_id, col(Series.next_at).is_not(None))
    with service.database.write("series.failed") as session:
        session.execute(update(Series).where(*which).values(next_at=service.now() + AGAIN))


def _put_table_off(service: Service, series_id: str, number: int, table: int) -> None:
    which = (
        col(SeriesMatch.series_id) == series_id,
        col(SeriesMatch.round) == number,
        col(SeriesMatch.number) == table,
    )
    with service.database.write("series.failed") as session:
        session.execute(update(SeriesMatch).where(*which).values(next_at=service.now() + AGAIN))


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
    return _tables(service, _TABLES.where(text(TO_OPEN)), most)


def _to_score(service: Service, most: int) -> Sequence[tuple[Any, ...]]:
    entered = col(StandingMatch.match_id) == col(SeriesMatch.match_id)
    return _tables(service, _TABLES.join(StandingMatch, entered).where(text(TO_SCORE)), most)


_TABLES = select(SeriesMatch.series_id, SeriesMatch.round, SeriesMatch.number)


def _tables(service: Service, query: Any, most: int) -> Sequence[tuple[Any, ...]]:
    due = query.where(col(SeriesMatch.next_at) <= service.now())
    in_order = due.order_by(col(SeriesMatch.next_at), *_TABLES.selected_columns)
    with service.database.read() as session:
        return [tuple(row) for row in session.exec(in_order.limit(most))]


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
            "A series needs players for one table at least: {seats}.",
            seats=acts.fewest(series) or series.seats,
        )
    try:
        _begin(service, rows, drawn)
    except SomeoneWasFirstError:
        # somebody else went on at the same moment, or somebody left: then it is drawn without them
        go_on(service, series_id, series.round)


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

    Who left too many matches early is out; for each place that became free since the first round,
    the first who waits gets it.
    """
    left_early = Counter(seat.player for seat in rows.seats if seat.left_early)
    playing = {player.number for player in rows.of_place(SeriesPlace.IN)}
    out = {player for player in playing if left_early[player] >= MOST_LEFT_EARLY}
    first = sum(seat.round == 1 for seat in rows.seats)
    free = (first or rows.series.most) - len(playing - out)
    waiting = [player.number for player in rows.of_place(SeriesPlace.WAITING)]
    return out, set(waiting[: max(0, free)])


def _draw(rows: Rows) -> RoundDraw:
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
    tables = [tuple(seat.player for seat in table) for table in rows.tables().values()]
    byes = tuple(seat.player for seat in rows.seats if not seat.number)
    teams = _teams(rows.series, game, {len(table) for table in tables})
    return pairing.after(Past(), RoundDraw(tuple(tables), byes), teams)


def _begin(service: Service, rows: Rows, drawn: RoundDraw) -> None:
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
    service: Service, series_id: str, number: int, drawn: RoundDraw
) -> Iterable[SeriesMatch | SeriesSeat]:
    """The rows of a round; a round off counts at once."""

    def seat(player: int, table: int, place: int, got: int | None = None) -> SeriesSeat:
        return SeriesSeat(
            series_id=series_id,
            round=number,
            player=player,
            number=table,
            seat=place,
            points=got,
        )

    for table, players in enumerate(drawn.tables, 1):
        match_id = matches.new_id(service)
        yield SeriesMatch(
            series_id=series_id,
            round=number,
            number=table,
            match_id=match_id,
            next_at=service.now(),
        )
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
    if not statements.rowcount(session, claim):
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
        players = {player.number: player for player in rows.players}
        here = [players[seat.player] for seat in seats]
        people = people_of(session, [player.person_id for player in here])
        host = session.get_one(Person, rows.series.host_id)
    sitting = [(player, people[player.person_id]) for player in here]
    if host.address is None:
        # whoever sits first looks after the table
        host = next((person for _player, person in sitting if person.address), host)
    if host.address is None:
        # nobody is left who could play it
        _score(service, row, [])
        return
    now = service.now()

    def opened(session: Session, _match: Match) -> None:
        if acts.get(session, series_id, hold=True).revision != rows.series.revision:
            # somebody may have been forgotten
            raise SomeoneWasFirstError()
        there = (
            update(SeriesMatch)
            .where(col(SeriesMatch.match_id) == row.match_id, text(TO_OPEN))
            .values(opened_at=now)
        )
        if not statements.rowcount(session, there):
            raise SomeoneWasFirstError()
        whose = [seat.player for seat in seats]
        _owe_round(session, rows.players, series_id, number, whose, table, now)

    try:
        matches.create(
            service,
            _new_match(rows, row, sitting, host),
            actor=Actor.SERVICE,
            policy=decode(ClockPolicy, rows.series.clock_json),
            match_id=row.match_id,
            also=opened,
        )
    except IntegrityError:
        raise SomeoneWasFirstError() from None
    service.ring("post")


def _new_match(
    rows: Rows,
    row: SeriesMatch,
    sitting: Sequence[tuple[SeriesPlayer, Person]],
    host: Person,
) -> matches.NewMatch:
    series = rows.series
    bot, words = find(series.game).meta.bots[0], translator(series.language)
    as_player = next((one.name for one in rows.players if one.person_id == host.id), "")
    called = host.name or as_player or words.text("the host of {series}", series=series.name)
    return matches.NewMatch(
        game=series.game,
        host=matches.Person(called, host.address or ""),
        seats=matches.named_apart(
            [
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
            ]
        ),
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
    if not counts:
        _score(service, row, [])
        return
    worth = points.of_match([Came(one.team, one.rank, one.left_early) for one in results])
    of_seats = zip(results, worth, strict=True)
    _score(service, row, [(one.seat, got, one.left_early) for one, got in of_seats])


def _score(service: Service, row: SeriesMatch, of_seats: Iterable[tuple[int, Worth, bool]]) -> None:
    """Writes what each seat of a table got, by default the middle, and who left early.

    The series is due if its round is over with that.
    """
    of_table = (
        col(SeriesSeat.series_id) == row.series_id,
        col(SeriesSeat.round) == row.round,
        col(SeriesSeat.number) == row.number,
    )
    with service.database.write("series.score") as session:
        # one after the other: else the last two would not see each other, and none made it due
        series = acts.get(session, row.series_id, hold=True)
        scored = (
            update(SeriesMatch)
            .where(col(SeriesMatch.match_id) == row.match_id, col(SeriesMatch.scored_at).is_(None))
            .values(opened_at=row.opened_at or service.now(), scored_at=service.now())
        )
        if not statements.rowcount(session, scored):
            return
        session.execute(update(SeriesSeat).where(*of_table).values(points=MIDDLE))
        for seat, got, left_early in of_seats:
            session.execute(
                update(SeriesSeat)
                .where(*of_table, col(SeriesSeat.seat) == seat)
                .values(points=got.points, won=got.won, left_early=left_early)
            )
        last = series.round == series.rounds
        if series.status == SeriesStatus.RUNNING and not _waits(
            session, series.id, None if last else series.round
        ):
            # claimed, so that who looked before this does not go on waiting
            _claim(session, series, next_at=service.now())


def _waits(session: Session, series_id: str, number: int | None) -> bool:
    """Whether a match of a round (without one: of all rounds) is not scored yet."""
    unscored = select(SeriesSeat.player).where(
        SeriesSeat.series_id == series_id, col(SeriesSeat.points).is_(None)
    )
    if number is not None:
        unscored = unscored.where(SeriesSeat.round == number)
    return session.exec(unscored.limit(1)).first() is not None


# --- the end ---


def call_off(service: Service, series_id: str) -> None:
    """The host ends the series before its time. Idempotent.

    No table is opened any more; a round of which none was opened gives no points for a round off,
    either. Matches that go on are played on, but count here no more: everybody stands where they
    stood. NotPossible if the series is over.
    """
    now = service.now()
    with service.database.write("series.call_off") as session:
        if acts.get(session, series_id, hold=True).called_off:
            return
        rows = read(session, series_id)
        if rows.series.status == SeriesStatus.OVER:
            raise NotPossible("This series is over.")
        of_series = col(SeriesMatch.series_id) == series_id
        to_open = session.exec(select(SeriesMatch).where(of_series, text(TO_OPEN))).all()
        never_played = {(table.round, table.number) for table in to_open}
        played = {number for number, table in rows.tables() if (number, table) not in never_played}
        seats = [
            seat
            for seat in rows.seats
            if (seat.round, seat.number) in never_played or seat.round not in played
        ]
        for row in (*seats, *to_open):
            session.delete(row)
        session.execute(update(SeriesMatch).where(of_series, text(TO_SCORE)).values(scored_at=now))
        _close(session, rows, now, called_off=True)
    service.ring("post")


def _end(service: Service, rows: Rows) -> None:
    with service.database.write("series.end") as session:
        _close(session, rows, service.now())
    service.ring("post")


def _close(session: Session, rows: Rows, now: datetime, **columns: Any) -> None:
    """The series is over: all who entered and its host are told where everybody stands."""
    series = rows.series
    _claim(session, series, status=SeriesStatus.OVER, ended_at=now, next_at=None, **columns)
    drawn = {seat.player for seat in rows.seats}
    told = [
        player.person_id
        for player in rows.players
        if player.number in drawn or player.place != SeriesPlace.OUT
    ]
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
