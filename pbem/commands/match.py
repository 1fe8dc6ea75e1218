"""``pbem match``: opens a match, lists matches, shows one, exports its record."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal, get_args

import click
from rich.table import Table as Rows

from engine.errors import shown
from pbem.acts import matches
from pbem.clocks.deadlines import Kind
from pbem.commands import (
    WrongUse,
    console,
    find_match,
    option_value,
    print_json,
    rule_options,
    service_of,
    settings_options,
)
from pbem.config import Settings
from pbem.looks import match_list, match_look
from pbem.people import open_tables
from pbem.present import match_title
from pbem.store.canonical import canonical
from pbem.store.models import Match
from pbem.store.names import Actor
from pbem.words.i18n import translator
from pbem.words.texts import LANGUAGES

#: Most matches of one listing.
MOST = 500

#: The parts of a clock, each with the settings of its option.
CLOCK: dict[str, Any] = {
    "kind": click.option(
        "--clock",
        "kind",
        type=click.Choice(get_args(Kind)),
        help="Time for each turn, one hour of the day, a bank of time, or no limit.",
    ),
    "turn": click.option("--turn", help="Time for a turn, like 72h; of a bank: what a turn adds."),
    "reserve": click.option(
        "--reserve", help="A seat's further time for the whole match; of a bank: its beginning."
    ),
    "cap": click.option("--cap", help="With --clock bank: the most it holds, like 14d."),
    "grace": click.option("--grace", help="Grace period after the reserve, like 15m."),
    "daily_at": click.option("--daily-at", help="With --clock daily: the hour, like 20:00."),
    "weekends": click.option(
        "--weekends", is_flag=True, default=None, help="The clock stops on Saturdays and Sundays."
    ),
    "quiet": click.option("--quiet", help="Hours in which no deadline falls, like 22:00-08:00."),
    "vacation_days": click.option(
        "--vacation-days", type=int, help="Days that each player may be away."
    ),
    "host_time": click.option(
        "--host-time", help="How long the host has to decide after a second missed turn, like 24h."
    ),
}


def clock_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Adds an option for each part of a clock; passes those that were given as ``clock``."""

    @functools.wraps(function)
    def wrapped(**given: Any) -> Any:
        parts = {name: given.pop(name) for name in CLOCK}
        clock = {name: value for name, value in parts.items() if value is not None}
        return function(clock=clock, **given)

    for option in reversed(CLOCK.values()):
        wrapped = option(wrapped)
    return wrapped


@click.group()
def command() -> None:
    """Matches: open one, list them, look at one, take its record out."""


@command.command()
@click.argument("game")
@click.option("--host", required=True, metavar="NAME <ADDRESS>", help="Who opens the match.")
@click.option(
    "--seat",
    "seats",
    multiple=True,
    required=True,
    metavar="NAME <ADDRESS> | bot:NAME | open",
    help="A player, a bot of the game, or open for whoever comes; once for each seat, in order.",
)
@rule_options
@clock_options
@click.option("--language", type=click.Choice(LANGUAGES), help="Of pages and mails.")
@click.option("--zone", help="Where its days, nights and weekends are, like Europe/Madrid.")
@click.option(
    "--beacon",
    type=click.Choice(["usual", "required"]),
    default="usual",
    help="required: do not begin without the public beacon in the dice.",
)
@click.option("--name", default="", help="What the match is called, like 'Friday table'.")
@click.option("--listed", is_flag=True, help="Show the table with its open seats to everybody.")
@click.option("--confirmed", is_flag=True, help="Skip the invitations, where that is allowed.")
@settings_options
def new(
    settings: Settings,
    as_json: bool,
    game: str,
    host: str,
    seats: tuple[str, ...],
    options: tuple[str, ...],
    clock: dict[str, Any],
    language: str | None,
    zone: str | None,
    beacon: Literal["usual", "required"],
    name: str,
    listed: bool,
    confirmed: bool,
) -> None:
    """Open a match of GAME and send the invitations.

    `pbem games` lists the games with their seats, bots and options. What is not said of the clock
    is as the settings have it under [clocks]; who sets only --turn gives no reserve.

    \b
    pbem match new dog --host 'Ann <ann@example.org>' \\
      --seat 'Ann <ann@example.org>' --seat 'Bob <bob@example.org>' \\
      --seat bot:easy --seat bot:steady --option canadian_seven=true \\
      --clock daily --daily-at 20:00 --reserve 2d --quiet 22:00-08:00 \\
      --weekends --vacation-days 10 --zone Europe/Madrid --language es
    """
    asked = open_tables.NewTable(
        game=game,
        host=person(host),
        seats=[_seat(text) for text in seats],
        options=dict(map(option_value, options)),
        clock=clock,
        language=language,
        zone=zone,
        confirmed=confirmed,
        beacon=beacon,
        name=name,
        listed=listed,
    )
    service = service_of(settings)
    match = open_tables.create(service, asked, proved=True, actor=Actor.OPERATOR)
    if as_json:
        print_json(summary(match))
    else:
        console().print(f"Opened match {match.id}: {_title(match)}, {match.status}.")


@command.command(name="list")
@click.option(
    "--status",
    type=click.Choice(["lobby", "running", "finished", "aborted"]),
    help="Only those: that have not begun, go on, were played to their end, were ended before.",
)
@settings_options
def list_(settings: Settings, as_json: bool, status: str | None) -> None:
    """The newest matches, at most 500."""
    service = service_of(settings, looks_only=True)
    found = match_list.newest(service, MOST, status or "")
    if as_json:
        print_json({"matches": [summary(match) for match in found]})
        return
    rows = Rows("match", "title", "status", "phase", "ply", "opened", box=None, pad_edge=False)
    for match in found:
        opened = f"{match.created_at:%Y-%m-%d %H:%M} UTC"
        rows.add_row(match.id, _title(match), match.status, match.phase, str(match.ply), opened)
    console().print(rows)


@command.command()
@click.argument("match_id", metavar="MATCH")
@settings_options
def show(settings: Settings, as_json: bool, match_id: str) -> None:
    """One match: its seats, whom it waits for, and until when. Hidden things stay hidden."""
    service = service_of(settings, looks_only=True)
    find_match(service, match_id)
    look = match_look.table_or_trouble(service, match_id)
    seats = [
        {
            "seat": seat.number,
            "name": seat.name,
            "joined": seat.joined_at is not None,
            "bot": seat.bot,
            "open": seat.is_open,
            "missed": seat.missed,
            "waited_for": seat.number in look.open_turns,
            "due_at": look.open_turns[seat.number].due_at
            if seat.number in look.open_turns
            else None,
            "mail_problem": seat.mail_problem,
        }
        for seat in look.seats
    ]
    told: dict[str, Any] = {**summary(look.match), "seats": seats}
    if look.trouble is not None:
        told["trouble"] = str(look.trouble)
    if as_json:
        print_json(told)
        return
    out = console()
    out.print(f"{_title(look.match)} ({look.match.id}): {look.match.status}, {look.match.phase}")
    if look.trouble is not None:
        out.print(str(look.trouble))
    rows = Rows("seat", "name", "played by", "waited for until", box=None, pad_edge=False)
    for seat in seats:
        until = f"{seat['due_at']:%Y-%m-%d %H:%M} UTC" if seat["due_at"] else ""
        player = f"bot {seat['bot']}" if seat["bot"] else "player" if seat["joined"] else "invited"
        waits = until or ("no limit" if seat["waited_for"] else "")
        rows.add_row(str(seat["seat"]), str(seat["name"]), player, waits)
    out.print(rows)


@command.command()
@click.argument("match_id", metavar="MATCH")
@click.option("--output", type=click.Path(dir_okay=False, path_type=Path), help="Else printed.")
@settings_options
def export(settings: Settings, as_json: bool, match_id: str, output: Path | None) -> None:
    """The record of a match, as `pbem verify` reads it."""
    service = service_of(settings, looks_only=True)
    find_match(service, match_id)
    data = canonical(match_look.record(service, match_id))
    if output is None:
        sys.stdout.buffer.write(data + b"\n")
        return
    output.write_bytes(data)
    if as_json:
        print_json({"match": match_id, "file": str(output), "bytes": len(data)})
    else:
        console().print(f"Wrote {len(data)} bytes to {output}.")


def summary(match: Match) -> dict[str, Any]:
    return {
        "match": match.id,
        "game": match.game,
        "name": match.name,
        "title": match.title,
        "status": str(match.status),
        "phase": match.phase,
        "ply": match.ply,
        "created_at": match.created_at.isoformat(),
    }


def _title(match: Match) -> str:
    """Its name and the game, as on pages."""
    return match_title(match, translator("en"))


def person(text: str) -> matches.Person:
    name, _, rest = text.partition("<")
    if not rest.endswith(">"):
        raise WrongUse(f"{shown(text)} names nobody: write it as 'Ann <ann@example.org>'.")
    return matches.Person(name=name.strip(), email=rest[:-1].strip())


def _seat(text: str) -> matches.NewSeat:
    if text == "open":
        return matches.NewSeat(open=True)
    if text.startswith("bot:"):
        return matches.NewSeat(bot=text.removeprefix("bot:"))
    if "<" not in text:
        raise WrongUse(
            f"{shown(text)} is no seat: write 'Ann <ann@example.org>', bot:easy or open."
        )
    who = person(text)
    return matches.NewSeat(name=who.name, email=who.email)
