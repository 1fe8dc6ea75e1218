"""``pbem backup``: database, keys and settings in one archive."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import click

from pbem.commands import print_json, settings_file, settings_options
from pbem.config import Settings
from pbem.running import backup


@click.command()
@click.argument("file", required=False, type=click.Path(dir_okay=False, path_type=Path))
@settings_options
def command(settings: Settings, as_json: bool, file: Path | None) -> None:
    """Write all that is needed to restore the service into FILE. The service may run meanwhile.

    Without FILE: pbem-backup-DATE.tar.gz in the current directory. The archive holds the keys that
    sign links: keep it as safe as the service itself.
    """
    now = datetime.now(UTC)
    file = file or Path(f"pbem-backup-{now:%Y%m%d-%H%M%S}.tar.gz")
    manifest = backup.make(settings, file, settings_file())
    if as_json:
        print_json({"file": str(file.absolute()), **manifest})
    else:
        click.echo(f"{file}: {', '.join(manifest['files'])}, {file.stat().st_size:,} bytes.")
