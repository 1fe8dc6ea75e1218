"""``pbem keys``: whether the keys are those that signed the links, and what to do if not."""

from __future__ import annotations

from contextlib import closing

import click

from pbem import fitness
from pbem.commands import print_json, settings_options
from pbem.config import Settings
from pbem.store.db import Database
from pbem.store.keys import load_keys


@click.command()
@click.option(
    "--accept",
    is_flag=True,
    help="Go on with the keys that are there, or with a new one; links signed by others are dead.",
)
@settings_options
def command(settings: Settings, as_json: bool, accept: bool) -> None:
    """Say which keys sign the links, or accept others if the right ones are lost for good.

    After --accept restart the service. Players and hosts get new links with the mail to sign in
    (/home).
    """
    with closing(Database(settings.database_url)) as database:
        fitness.check_tables(database)
        if accept:
            fitness.accept(database, settings.keys())
        fitness.check_keys(settings, database)
    keys = load_keys(settings.secrets_file)
    if as_json:
        told = {"file": str(settings.secrets_file), "fingerprints": keys.fingerprints()}
        print_json({**told, "accepted": accept})
        return
    click.echo(f"{len(keys.main)} in {settings.secrets_file}; the first signs:")
    for fingerprint in keys.fingerprints():
        click.echo(f"  {fingerprint[:16]}")
    click.echo("Accepted. Restart the service." if accept else "They fit the database.")
