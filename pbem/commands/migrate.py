"""``pbem migrate``: brings the tables to this version of pbem."""

from __future__ import annotations

import click

from pbem import fitness
from pbem.commands import print_json, settings_options
from pbem.config import Settings
from pbem.store import db


@click.command()
@settings_options
def command(settings: Settings, as_json: bool) -> None:
    """Bring the database's tables to this version of pbem. `pbem up` does it by itself."""
    before, wanted = fitness.migrate(settings), db.newest_revision()
    if as_json:
        print_json({"before": before, "now": wanted})
    elif before == wanted:
        click.echo(f"The tables were at {wanted} already.")
    else:
        click.echo(f"The tables are at {wanted} now (before: {before or 'none'}).")
