"""``pbem lmtp``: runs only the door for letters, for a process manager."""

from __future__ import annotations

import asyncio
import signal

import click

from pbem import logs
from pbem.commands import NotWell, error_console, service_of, settings_options
from pbem.config import Settings
from pbem.mail.doors.lmtp import serve


@click.command()
@settings_options
def command(settings: Settings, as_json: bool) -> None:
    """Take answers by mail from a mail server, by LMTP or SMTP. `pbem up` runs it if it is set up.

    If incoming.lmtp_port is 0 it says so and waits to be stopped: runners of a Procfile restart a
    process that ends, or stop all the others.
    """
    logs.set_up(settings)
    incoming = settings.incoming
    if not incoming.lmtp_port:
        stops = (signal.SIGTERM, signal.SIGINT)
        signal.pthread_sigmask(signal.SIG_BLOCK, stops)
        error_console().print(
            "The door is shut: incoming.lmtp_port is 0. Nothing to do until this is stopped."
        )
        signal.sigwait(stops)
        return
    service = service_of(settings)
    try:
        asyncio.run(serve(service))
    except OSError as error:
        where = f"{incoming.lmtp_host}:{incoming.lmtp_port}"
        raise NotWell(
            f"The door cannot be opened at {where}: {error.strerror or error}. "
            "Stop what uses it, or take another incoming.lmtp_port."
        ) from None
