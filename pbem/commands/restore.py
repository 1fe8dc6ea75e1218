"""``pbem restore``: puts the content of a backup back."""

from __future__ import annotations

from pathlib import Path

import click

from pbem.commands import print_json, settings_options
from pbem.config import Settings
from pbem.running import backup


@click.command()
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--overwrite", is_flag=True, help="Replace the database and keys that are there.")
@settings_options
def command(settings: Settings, as_json: bool, file: Path, overwrite: bool) -> None:
    """Put the database and the keys of the backup FILE where the settings say.

    The service must be stopped. What is there is replaced only with --overwrite.
    """
    manifest = backup.restore(settings, file, overwrite=overwrite)
    if as_json:
        print_json({"restored": str(file.absolute()), **manifest})
    else:
        click.echo(f"Restored what was kept at {manifest['made_at']}. Start it with `pbem up`.")
