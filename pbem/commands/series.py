"""``pbem series``: makes leagues and tournaments, shows them, goes on to a round, calls one off."""

from __future__ import annotations

from typing import Any, Literal

import click
from rich.table import Table as Lines

from engine.errors import shown
from pbem.commands import (
    NotWell,
    console,
    option_value,
    print_json,
    rule_options,
    service_of,
    settings_options,
)
from pbem.commands.match import clock_options, person
from pbem.config import Settings
from pbem.people.series import acts, rounds
from pbem.people.series.for_programs import series_json, summary
from pbem.people.series.rows import newest, read
from pbem.present import series as present
from pbem.service import Service
from pbem.store.models import Series
from pbem.words.i18n import translator
from pbem.words.texts import LANGUAGES

#: Most series of one listing.
MOST = 200


@click.group()
def command() -> None:
    """Leagues and tournaments: make one, look at one, go on to its next round."""


@command.command()
@click.argument("game")
@click.option("--name", required=True, help="What it is called, like 'Harbour League'.")
@click.option("--host", required=True, metavar="NAME <ADDRESS>", help="Who looks after it.")
@click.option("--seats", type=int, required=True, help="How many sit at a table.")
@click.option("--rounds", "number", type=int, required=True, help="How many rounds.")
@click.option(
    "--kind",
    "drawn",
    type=click.Choice(["groups", "swiss"]),
    default="groups",
    help="groups: everybody meets everybody; swiss: equals meet equals.",
)
@rule_options
@clock_options
@click.option("--most", type=int, default=acts.MOST_PLAYERS, help="Most players; others wait.")
@click.option("--enter-days", type=int, help="For how many days one can enter.")
@click.option("--round-days", type=int, help="After how many days the next round is drawn.")
@click.option("--language", type=click.Choice(LANGUAGES), help="Of its matches.")
@click.option("--zone", help="Where its days and nights are, like Europe/Madrid.")
@settings_options
def new(
    settings: Settings,
    as_json: bool,
    game: str,
    name: str,
    host: str,
    seats: int,
    number: int,
    drawn: Literal["groups", "swiss"],
    options: tuple[str, ...],
    clock: dict[str, Any],
    most: int,
    enter_days: int | None,
    round_days: int | None,
    language: str | None,
    zone: str | None,
) -> None:
    """Make a series of GAME. Players enter on its page, by a link that is mailed to them.

    \b
    pbem series new dog --name 'Harbour League' --host 'Ann <ann@example.org>' \\
      --seats 4 --rounds 5 --kind swiss --turn 48h --enter-days 14 --round-days 30
    """
    service = service_of(settings)
    asked = acts.NewSeries(
        name=name,
        game=game,
        seats=seats,
        rounds=number,
        kind=drawn,
        options=dict(map(option_value, options)),
        clock=clock,
        language=language,
        zone=zone,
        most=most,
        enter_days=enter_days,
        round_days=round_days,
    )
    who = person(host)
    made = acts.create(service, asked, acts.host(service, who.name, who.email))
    if as_json:
        _print(service, made.id)
    else:
        console().print(f"Made {made.name}: {settings.base_url}/series/{made.id}")


@command.command(name="list")
@settings_options
def list_(settings: Settings, as_json: bool) -> None:
    """The newest series, at most 200."""
    service = service_of(settings, looks_only=True)
    with service.database.read() as session:
        found = newest(session, MOST)
    if as_json:
        print_json({"series": [summary(series, settings.base_url) for series in found]})
        return
    lines = Lines("series", "name", "game", "status", "round", box=None, pad_edge=False)
    for one in found:
        lines.add_row(one.id, one.name, one.game, one.status, f"{one.round} of {one.rounds}")
    console().print(lines)


@command.command()
@click.argument("series_id", metavar="SERIES")
@settings_options
def show(settings: Settings, as_json: bool, series_id: str) -> None:
    """One series: where everybody stands, and its rounds."""
    service = service_of(settings, looks_only=True)
    _find(service, series_id)
    if as_json:
        _print(service, series_id)
        return
    with service.database.read() as session:
        rows = read(session, series_id)
    series = rows.series
    out = console()
    status = "called off" if series.called_off else series.status
    out.print(f"{series.name} ({series.id}): {status}")
    out.print(f"round {series.round} of {series.rounds}, {len(rows.players)} players")
    if needed := present.needed(rows, acts.fewest(series), translator("en")):
        out.print(needed)
    lines = Lines("rank", "name", "points", "opponents", "wins", box=None, pad_edge=False)
    for line in present.standing(rows, translator("en")):
        lines.add_row(str(line.rank), line.name, line.points, line.opponents, str(line.wins))
    out.print(lines)


@command.command()
@click.argument("series_id", metavar="SERIES")
@settings_options
def start(settings: Settings, as_json: bool, series_id: str) -> None:
    """Draw the first round now; nobody can enter any more but those who wait for a place."""
    _go_on(settings, as_json, series_id, 0)


@command.command(name="next")
@click.argument("series_id", metavar="SERIES")
@settings_options
def next_(settings: Settings, as_json: bool, series_id: str) -> None:
    """Draw the next round now, whoever still plays."""
    _go_on(settings, as_json, series_id, None)


@command.command(name="call-off")
@click.argument("series_id", metavar="SERIES")
@settings_options
def call_off(settings: Settings, as_json: bool, series_id: str) -> None:
    """End a series now, as it stands: matches that go on are played on, but count there no more."""
    service = service_of(settings)
    series = _find(service, series_id)
    rounds.call_off(service, series_id)
    if as_json:
        _print(service, series_id)
    else:
        console().print(f"{series.name} is called off; its players are told.")


@command.command()
@click.argument("series_id", metavar="SERIES")
@click.argument("name")
@settings_options
def withdraw(settings: Settings, as_json: bool, series_id: str, name: str) -> None:
    """Take the player of this NAME out: they play their match on, and are not paired again."""
    service = service_of(settings)
    _find(service, series_id)
    with service.database.read() as session:
        player = acts.called(session, series_id, name)
    if player is None:
        raise NotWell(f"Nobody called {name} plays there.")
    acts.withdraw(service, series_id, player.person_id)
    if as_json:
        _print(service, series_id)
    else:
        console().print(f"{player.name} will not be paired again.")


def _go_on(settings: Settings, as_json: bool, series_id: str, from_round: int | None) -> None:
    service = service_of(settings)
    series = _find(service, series_id)
    if from_round is not None and series.round != from_round:
        raise NotWell("This series has begun.")
    rounds.go_on(service, series_id, series.round)
    if as_json:
        _print(service, series_id)
    else:
        console().print(f"Round {series.round + 1} is drawn; its matches open with the next sweep.")


def _find(service: Service, series_id: str) -> Series:
    with service.database.read() as session:
        found = session.get(Series, series_id)
    if found is None:
        raise NotWell(f"There is no series {shown(series_id)}. `pbem series list` shows them.")
    return found


def _print(service: Service, series_id: str) -> None:
    with service.database.read() as session:
        print_json(series_json(session, series_id, service.settings.base_url))
