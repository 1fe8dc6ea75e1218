"""``pbem stalled``: which matches do not go on, why, and what would help."""

from __future__ import annotations

import click
import msgspec
from rich.table import Table as Rows

from pbem import stalled
from pbem.commands import console, print_json, settings_options
from pbem.config import Settings
from pbem.service import open_service


@click.command()
@settings_options
def command(settings: Settings, as_json: bool) -> int:
    """The matches that do not go on, with reason and remedies; status 1 where there are any."""
    found = stalled.find(open_service(settings))
    if as_json:
        print_json({"stalled": [msgspec.to_builtins(stall) for stall in found]})
        return 1 if found else 0
    if not found:
        console().print("Every match goes on.")
        return 0
    rows = Rows("match", "reason", "since", "seat", "detail", "remedies", box=None, pad_edge=False)
    for stall in found:
        seat = "" if stall.seat is None else f"{stall.seat} {stall.name}"
        since = f"{stall.since:%Y-%m-%d %H:%M} UTC"
        rows.add_row(
            stall.match_id, stall.reason, since, seat, stall.detail[:60], ", ".join(stall.remedies)
        )
    console().print(rows)
    console().print("Apply one with: pbem remedy MATCH REMEDY [--seat N]")
    return 1
