"""``pbem remedy``: does for a match what the operator's page does."""

from __future__ import annotations

import click

from engine.errors import EngineError
from pbem import absence, going_back, links, matches, remedies
from pbem.commands import NotWell, WrongUse, console, print_json, settings_options
from pbem.config import Settings
from pbem.doorbell import bell
from pbem.errors import BadInput, Refused
from pbem.service import Service, open_service

ACTOR = "operator"

#: Remedies, and the options each needs.
NEEDS: dict[str, tuple[str, ...]] = {
    "extend": ("seat", "by"),
    "remind": ("seat",),
    "default": ("seat",),
    "bot": ("seat",),
    "replace": ("seat", "name", "email"),
    "reissue": ("seat",),
    "correct-address": ("seat", "email"),
    "resign": ("seat",),
    "pause": ("by",),
    "resume": (),
    "roll-back": ("ply",),
    "rematch": (),
    "retry": (),
    "abort": (),
}


@click.command()
@click.argument("match_id", metavar="MATCH")
@click.argument("remedy", type=click.Choice(list(NEEDS)))
@click.option("--seat", metavar="N|host", help="The seat, from 0; `host` with reissue.")
@click.option("--by", help="How long to extend or pause, like 24h.")
@click.option("--name", help="Name of the new player.")
@click.option("--email", help="The new address.")
@click.option("--ply", type=click.IntRange(0, 10**9), help="The move to go back to; 0: the start.")
@settings_options
def command(
    settings: Settings,
    as_json: bool,
    match_id: str,
    remedy: str,
    seat: str | None,
    by: str | None,
    name: str | None,
    email: str | None,
    ply: int | None,
) -> None:
    """Do REMEDY for MATCH. It stands in the audit log, and the table is told."""
    given = {"seat": seat, "by": by, "name": name, "email": email, "ply": ply}
    missing = [f"--{option}" for option in NEEDS[remedy] if given[option] is None]
    if missing:
        raise WrongUse(f"{remedy} needs {' and '.join(missing)}.")
    service = open_service(settings, bell(settings))
    try:
        _apply(
            service, match_id, remedy, _number(seat), by or "", name or "", email or "", ply or 0
        )
    except BadInput as error:
        raise WrongUse(str(error)) from None
    except (Refused, EngineError) as error:
        raise NotWell(str(error)) from None
    if as_json:
        print_json({"match": match_id, "remedy": remedy, "seat": seat, "done": True})
    else:
        console().print("Done. The table's history says so.")


def _number(seat: str | None) -> int:
    if seat is None or seat == "host":
        return links.HOST
    if not seat.isdecimal():
        raise WrongUse(f"{seat[:20]} is not a seat: they are numbered from 0.")
    return int(seat[:6])


def _apply(
    service: Service,
    match_id: str,
    remedy: str,
    seat: int,
    by: str,
    name: str,
    email: str,
    ply: int,
) -> None:
    if seat == links.HOST and "seat" in NEEDS[remedy] and remedy != "reissue":
        raise WrongUse("Only reissue is for the host.")
    match remedy:
        case "extend":
            remedies.extend(service, match_id, seat, by, actor=ACTOR)
        case "remind":
            remedies.remind(service, match_id, seat, actor=ACTOR)
        case "default":
            remedies.play_default(service, match_id, seat, actor=ACTOR)
        case "bot":
            remedies.put_bot(service, match_id, seat, actor=ACTOR)
        case "replace":
            remedies.replace(service, match_id, seat, name, email, actor=ACTOR)
        case "reissue":
            remedies.reissue(service, match_id, seat, actor=ACTOR)
        case "correct-address":
            remedies.correct_address(service, match_id, seat, email, actor=ACTOR)
        case "resign":
            remedies.resign(service, match_id, seat, actor=ACTOR)
        case "pause":
            remedies.pause(service, match_id, by, actor=ACTOR)
        case "resume":
            absence.resume(service, match_id, actor=ACTOR)
        case "roll-back":
            going_back.roll_back(service, match_id, ply, actor=ACTOR)
        case "rematch":
            matches.rematch(service, match_id, actor=ACTOR)
        case "retry":
            remedies.retry(service, match_id, actor=ACTOR)
        case "abort":
            remedies.abort(service, match_id, actor=ACTOR)
