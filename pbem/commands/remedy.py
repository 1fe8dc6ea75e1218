"""``pbem remedy``: does for a match what the operator's page does, or says what it would do."""

from __future__ import annotations

import click
import msgspec

from pbem.acts import foresight, remedy_requests
from pbem.acts.remedy_requests import OF_MATCH, OF_SEAT, Asked, carry_out
from pbem.commands import WrongUse, console, find_match, print_json, settings_options
from pbem.config import Settings
from pbem.present.remedy_effects import foreseen, plain_lines
from pbem.running.doorbell import bell
from pbem.service import Service, open_service
from pbem.store.models import Actor
from pbem.words.i18n import translator

ACTOR = Actor.OPERATOR
#: Remedies of a seat that are the host's, too: a page has buttons of their own for these, here it
#: is ``--seat host``.
_OF_HOST = {"reissue": "reissue-host", "correct-address": "correct-host-address"}
_OF_MATCH = tuple(name for name in OF_MATCH if name not in _OF_HOST.values())
#: Remedies, and the options each needs.
NEEDS = {name: ("seat", *remedy_requests.NEEDS.get(name, ())) for name in OF_SEAT} | {
    name: remedy_requests.NEEDS.get(name, ()) for name in _OF_MATCH
}


@click.command()
@click.argument("match_id", metavar="MATCH")
@click.argument("remedy", type=click.Choice(list(NEEDS)))
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
    """Do REMEDY for MATCH. It stands in the audit log, and the table is told."""
    given = {"seat": seat, "by": by, "name": name, "email": email, "ply": ply}
    missing = [f"--{option}" for option in NEEDS[remedy] if given[option] is None]
    if missing:
        raise WrongUse(f"{remedy} needs {' and '.join(missing)}.")
    host = remedy in _OF_HOST and seat == "host"
    wanted = Asked(
        _OF_HOST[remedy] if host else remedy,
        _number(seat) if remedy in OF_SEAT and not host else None,
        by or "",
        bot or "",
        name or "",
        email or "",
        ply or 0,
    )
    service = open_service(settings, bell(settings), looks_only=dry_run)
    match = find_match(service, match_id)
    if wanted.seat is not None and wanted.seat >= match.seat_count:
        raise WrongUse(f"The seats of this match are 0 to {match.seat_count - 1}.")
    if dry_run:
        _foretell(service, match_id, wanted, as_json)
        return
    carry_out(service, match_id, wanted, ACTOR)
    if as_json:
        print_json({"match": match_id, "remedy": remedy, "seat": seat, "done": True})
    else:
        console().print("Done. The table's history says so.")


def _foretell(service: Service, match_id: str, wanted: Asked, as_json: bool) -> None:
    """Prints the effect. Nothing is changed."""
    now = service.now()
    with service.database.read() as session:
        known = foresight.gather(session, match_id, now)
    effect = foresight.foresee(known, wanted, now)
    if as_json:
        print_json({"match": match_id, "done": False, "effect": msgspec.to_builtins(effect)})
        return
    words = translator("en", known.table.match.game)
    shown = foreseen(known, wanted, effect, service.settings.zone, words)
    for line in plain_lines(shown):
        click.echo(line)
    click.echo("\nNothing was done: this was a dry run.")


def _number(seat: str | None) -> int:
    if seat == "host":
        raise WrongUse("Only reissue and correct-address are for the host.")
    if seat is None or not seat.isdecimal():
        raise WrongUse(f"{(seat or '')[:20]} is not a seat: they are numbered from 0.")
    return int(seat[:6])
