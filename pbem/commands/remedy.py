"""``pbem remedy``: does for a match what the operator's page does, or says what it would do."""

from __future__ import annotations

from datetime import datetime

import click
import msgspec

from engine.errors import shown
from pbem.acts import remedies
from pbem.acts.foresight import foresee
from pbem.acts.remedies import REMEDIES
from pbem.acts.remedy import OfMatch, OfSeat, RemedyRequest
from pbem.commands import WrongUse, console, find_match, print_json, service_of, settings_options
from pbem.config import Settings
from pbem.present.remedy_effects import foreseen, plain_lines
from pbem.service import Service
from pbem.store.names import Actor
from pbem.words.i18n import translator

#: The remedies of a seat that the host has too, each with the name of the host's one. Pages have a
#: button for each; the command line has ``--seat host``.
OF_HOST = {
    one.of_host: one.name for one in REMEDIES.values() if isinstance(one, OfMatch) and one.of_host
}
NAMES = tuple(name for name in REMEDIES if name not in OF_HOST.values())


def takes(name: str, host: bool = False) -> tuple[str, ...]:
    """The options that a remedy takes, those that it needs and others."""
    remedy = REMEDIES[OF_HOST[name] if host else name]
    asked = tuple(question.field for question in remedy.asks)
    return ("seat", *asked) if host or isinstance(remedy, OfSeat) else asked


def _listed() -> str:
    """The remedies for ``--help``, a line each, with the options that each takes."""
    lines = []
    for name in NAMES:
        options = " ".join(f"--{one}" for one in takes(name))
        lines.append(f"  {name:<15} {REMEDIES[name].label!s:<38} {options}".rstrip())
    return "\b\nRemedies, and the options of each:\n" + "\n".join(lines)


@click.command(epilog=_listed())
@click.argument("match_id", metavar="MATCH")
@click.argument("remedy", type=click.Choice(NAMES), metavar="REMEDY")
@click.option(
    "--seat", metavar="N|host", help="The seat, from 0; `host` with reissue or correct-address."
)
@click.option("--by", help="How long to extend or to pause, like 24h or 7d.")
@click.option("--bot", help="Which bot; the game's first one where nothing is said.")
@click.option("--name", help="Name of the new player.")
@click.option("--email", help="The new address.")
@click.option("--ply", type=click.IntRange(0, 10**9), help="The move to go back to; 0: the start.")
@click.option("--dry-run", is_flag=True, help="Say what it would do, and do nothing.")
@settings_options
def command(
    settings: Settings,
    as_json: bool,
    match_id: str,
    remedy: str,
    seat: str | None,
    by: str | None,
    bot: str | None,
    name: str | None,
    email: str | None,
    ply: int | None,
    dry_run: bool,
) -> None:
    """Do REMEDY for MATCH. The audit log records it, and the table is told."""
    given = {"seat": seat, "by": by, "name": name, "email": email, "ply": ply}
    missing = [f"--{option}" for option in needs(remedy) if given[option] is None]
    if missing:
        raise WrongUse(f"{remedy} needs {' and '.join(missing)}.")
    host = remedy in OF_HOST and seat == "host"
    known = takes(remedy, host)
    for option, value in (*given.items(), ("bot", bot)):
        if value is not None and option not in known:
            raise WrongUse(f"{remedy} takes no --{option}.")
    wanted = RemedyRequest(
        OF_HOST[remedy] if host else remedy,
        _number(seat) if isinstance(REMEDIES[remedy], OfSeat) and not host else None,
        by or "",
        bot or "",
        name or "",
        email or "",
        ply or 0,
    )
    service = service_of(settings, looks_only=dry_run)
    match = find_match(service, match_id)
    if wanted.seat is not None and wanted.seat >= match.seat_count:
        raise WrongUse(f"The seats of this match are 0 to {match.seat_count - 1}.")
    if dry_run:
        _foretell(service, match_id, wanted, as_json)
        return
    remedies.carry_out(service, match_id, wanted, Actor.OPERATOR)
    if as_json:
        of = "host" if host else wanted.seat
        print_json({"match": match_id, "remedy": remedy, "seat": of, "done": True})
    else:
        console().print("Done. The table's history says so.")


def needs(name: str) -> tuple[str, ...]:
    """The options that a remedy needs."""
    remedy = REMEDIES[name]
    return ("seat", *remedy.needs) if isinstance(remedy, OfSeat) else remedy.needs


def _foretell(service: Service, match_id: str, wanted: RemedyRequest, as_json: bool) -> None:
    """Prints what the remedy would do. Changes nothing."""
    seen = foresee(service, match_id, wanted, Actor.OPERATOR)
    if as_json:
        # times are written by print_json, as in all answers
        effect = msgspec.to_builtins(seen.effect, builtin_types=(datetime,))
        print_json({"match": match_id, "done": False, "effect": effect})
        return
    words = translator("en", seen.table.match.game)
    for line in plain_lines(foreseen(seen, service.settings.zone, words)):
        click.echo(line)
    click.echo("\nNothing was done: this was a dry run.")


def _number(seat: str | None) -> int:
    if seat == "host":
        raise WrongUse("Only reissue and correct-address are for the host.")
    if seat is None or not seat.isdecimal():
        raise WrongUse(f"{shown(seat or '')} is not a seat: they are numbered from 0.")
    return int(seat[:6])
