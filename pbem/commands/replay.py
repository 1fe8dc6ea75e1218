"""``pbem replay``: plays stored matches again with the installed rules: what an upgrade changes."""

from __future__ import annotations

import click
from rich.progress import track
from sqlmodel import col, select

from engine.codec import encode
from engine.errors import EngineError
from pbem.commands import (
    WrongUse,
    console,
    error_console,
    find_match,
    print_json,
    service_of,
    settings_options,
)
from pbem.config import Settings
from pbem.errors import Refused
from pbem.service import Service
from pbem.store import match_log, packed
from pbem.store.models import Match
from pbem.store.table import load


@click.command()
@click.argument("match_ids", nargs=-1, metavar="[MATCH]...")
@click.option("--all", "every", is_flag=True, help="Every match that was started.")
@settings_options
def command(settings: Settings, as_json: bool, match_ids: tuple[str, ...], every: bool) -> int:
    """Play logs again and compare with the stored state. Nothing is changed."""
    if bool(match_ids) == every:
        raise WrongUse("Name the matches, or say --all.")
    service = service_of(settings, looks_only=True)
    for match_id in match_ids:
        find_match(service, match_id)
    chosen = list(match_ids) if match_ids else _started(service)
    results = [
        {"match": match_id, "differs": differs}
        for match_id in track(chosen, "Replaying", console=error_console(), disable=as_json)
        if (differs := _differs(service, match_id)) is not None
    ]
    if as_json:
        print_json({"replayed": len(chosen), "different": results})
    else:
        for result in results:
            console().print(f"{result['match']}: {result['differs']}")
        console().print(f"{len(chosen)} replayed, {len(results)} come out otherwise.")
    return 1 if results else 0


def _started(service: Service) -> list[str]:
    with service.database.read() as session:
        return list(
            session.exec(
                select(Match.id)
                .where(col(Match.state_json).is_not(None))
                .order_by(col(Match.created_at))
            )
        )


def _differs(service: Service, match_id: str) -> str | None:
    """How the replayed match differs from the stored one; None if it does not."""
    with service.database.read() as session:
        table = load(session, match_id)
        rows = packed.plies(session, table.match)
    try:
        unplayed = table.state is None
    except Refused as error:
        return str(error)
    if unplayed or not rows:
        return None
    previous = match_log.NO_HASH
    for row in rows:
        if row.previous_hash != previous or not match_log.is_as_hashed(table.match, row):
            return f"entry {row.ply} of the log was changed after it was written"
        previous = row.hash
    if previous != table.match.chain_head:
        return "the log does not end where the match says"
    made_by = ", ".join(sorted({row.rules_version for row in rows}))
    rules = table.game.meta.playable_version(rows[0].rules_version)
    note = f"made by rules {made_by}, these are {rules}"
    try:
        state = match_log.replay(table.match, table.seats, rows)
    except (EngineError, Refused, ValueError, KeyError, IndexError, AssertionError) as error:
        return f"the log cannot be followed: {error} ({note})"
    return None if encode(state) == encode(table.state) else f"another state comes out ({note})"
