"""``pbem migrate``: the tables, brought to this version."""

from __future__ import annotations

import click

from pbem import db
from pbem.commands import print_json, settings_options
from pbem.config import Settings


@click.command()
@settings_options
def command(settings: Settings, as_json: bool) -> None:
    """Bring the database's tables to this version of pbem. `pbem up` does it by itself."""
    settings.home.mkdir(parents=True, exist_ok=True, mode=0o700)
    before, wanted = db.revisions(settings.database_url)
    db.upgrade(settings.database_url)
    if as_json:
        print_json({"before": before, "now": wanted})
    elif before == wanted:
        click.echo(f"The tables were at {wanted} already.")
    else:
        click.echo(f"The tables are at {wanted} now (before: {before or 'none'}).")
