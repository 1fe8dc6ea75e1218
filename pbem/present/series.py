"""A series as people read it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from babel.numbers import format_decimal

from engine.codec import decode
from pbem.clocks.deadlines import ClockPolicy
from pbem.people.series.acts import SeriesKind, SeriesPlace, SeriesStatus
from pbem.people.series.rows import Rows
from pbem.present import tables
from pbem.store.models import Series, SeriesPlayer
from pbem.words.i18n import Translator


@dataclass(frozen=True)
class SeriesShown:
    """A series as everybody may know of it."""

    id: str
    name: str
    #: A ``SeriesStatus``.
    status: str
    #: The number of the round that is played; 0 before the first.
    round: int
    called_off: bool


@dataclass(frozen=True)
class EntryShown:
    """Somebody in a series, as they themselves see it."""

    name: str
    #: A ``SeriesPlace``.
    place: str


@dataclass(frozen=True)
class StandShown:
    """A line of the table of a series."""

    rank: int
    number: int
    name: str
    points: str
    opponents: str
    wins: int
    is_out: bool


@dataclass(frozen=True)
class SeatShown:
    name: str
    #: None while the match is played.
    points: str | None
    left_early: bool


@dataclass(frozen=True)
class TableShown:
    """A table of a round; ``number`` 0: those who have the round off."""

    number: int
    seats: tuple[SeatShown, ...]
    #: "" until the match is opened.
    match_id: str = ""


@dataclass(frozen=True)
class RoundShown:
    number: int
    tables: tuple[TableShown, ...]


def series(row: Series) -> SeriesShown:
    return SeriesShown(row.id, row.name, row.status, row.round, row.called_off)


def entry(row: SeriesPlayer | None) -> EntryShown | None:
    """None if the reader has not entered."""
    return EntryShown(row.name, row.place) if row is not None else None


def points(tenths: int, words: Translator) -> str:
    return format_decimal(tenths / 10, "0.#", locale=words.locale)


def what(series: Series, words: Translator) -> str:
    """What is played, and how: in a few words."""
    _ = words.text
    kinds = {
        SeriesKind.GROUPS.value: _("everybody meets everybody"),
        SeriesKind.SWISS.value: _("equal scores meet"),
    }
    return _(
        "{game}, {seats} at a table, {rounds}; {kind}",
        game=tables.game_title(series.game, words),
        seats=series.seats,
        rounds=words.plural("{number} round", "{number} rounds", series.rounds),
        kind=kinds[series.kind],
    )


def state(series: Series, words: Translator) -> str:
    """How far it is."""
    _ = words.text
    if series.status == SeriesStatus.OPEN:
        return _("Open for entries.")
    if series.called_off:
        return _("It was called off.")
    if series.status == SeriesStatus.OVER:
        return _("It is over.")
    at = {"number": series.round, "rounds": series.rounds}
    return _("Round {number} of {rounds} is being played.", **at)


def needed(rows: Rows, fewest: int | None, words: Translator) -> str:
    """How many must enter before it can begin; "" if it has begun, or nobody knows."""
    if rows.series.status != SeriesStatus.OPEN or fewest is None:
        return ""
    missing = fewest - rows.entered()
    if missing > 0:
        return words.plural(
            "It needs {fewest} players to begin: {number} more has to enter.",
            "It needs {fewest} players to begin: {number} more have to enter.",
            missing,
            fewest=fewest,
        )
    return words.text(
        "It needs {fewest} players to begin, and {number} have entered.",
        fewest=fewest,
        number=rows.entered(),
    )


def waiting(name: str, ahead: int | None, words: Translator) -> str:
    """Where somebody stands who waits for a place; "" if they do not (``ahead`` None)."""
    if ahead is None:
        return ""
    if not ahead:
        return words.text("You wait for a place, as {name}, and are the first in line.", name=name)
    return words.plural(
        "You wait for a place, as {name}. {number} person is ahead of you.",
        "You wait for a place, as {name}. {number} people are ahead of you.",
        ahead,
        name=name,
    )


def next_places(series: Series, words: Translator) -> str:
    """What happens next for those who wait for a place."""
    _ = words.text
    if series.round >= series.rounds:
        return _("The last round is being played, so no place becomes free any more.")
    return _(
        "A place becomes free when a player leaves. When the next round is drawn, free places go "
        "to those who have waited longest, and a mail tells you if you get one."
    )


def clock(series: Series, words: Translator) -> str:
    return tables.policy_sentence(decode(ClockPolicy, series.clock_json), words)


def standing(rows: Rows, words: Translator) -> list[StandShown]:
    players = {player.number: player for player in rows.players}
    return [
        StandShown(
            stand.rank,
            stand.player,
            players[stand.player].name,
            points(stand.points, words),
            points(stand.opponents, words),
            stand.wins,
            players[stand.player].place == SeriesPlace.OUT,
        )
        for stand in rows.standing()
    ]


def own_match(
    rows: Rows, opened: Mapping[tuple[int, int], str], player: SeriesPlayer | None
) -> str:
    """The match that somebody is playing in a series; "" if there is none."""
    playing = [
        opened[seat.round, seat.number]
        for seat in rows.seats
        if player is not None
        and seat.player == player.number
        and seat.points is None
        and (seat.round, seat.number) in opened
    ]
    return playing[-1] if playing else ""


def rounds(
    rows: Rows, opened: Mapping[tuple[int, int], str], words: Translator
) -> list[RoundShown]:
    """The rounds, the newest first. ``opened``: the matches of tables, by round and table."""
    names = {player.number: player.name for player in rows.players}
    found: dict[int, dict[int, list[SeatShown]]] = {}
    for seat in rows.seats:
        got = points(seat.points, words) if seat.points is not None else None
        table = found.setdefault(seat.round, {}).setdefault(seat.number, [])
        table.append(SeatShown(names[seat.player], got, seat.left_early))
    return [
        RoundShown(
            number,
            tuple(
                TableShown(table, tuple(seats), opened.get((number, table), ""))
                for table, seats in sorted(found[number].items(), key=lambda one: one[0] or 10**6)
            ),
        )
        for number in sorted(found, reverse=True)
    ]
