"""``pbem serve``: runs only the web, for a process manager."""

from __future__ import annotations

import os

import click

from pbem.commands import settings_file, settings_options
from pbem.commands.up import check_port
from pbem.config import Settings
from pbem.running.web_process import environment, web_command


@click.command()
@settings_options
def command(settings: Settings, as_json: bool) -> None:
    """Run the web alone. `pbem up` runs it together with everything else."""
    from pbem.service import open_service

    check_port(settings.host, settings.port)
    open_service(settings).database.close()
    arguments = web_command(settings)
    os.environ.update(environment(settings, settings_file()))
    os.execv(arguments[0], arguments)  # noqa: S606 - our own command
