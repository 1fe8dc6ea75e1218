"""``pbem person``: shows what is known of an address, or forgets it."""

from __future__ import annotations

from typing import BinaryIO

import click

from pbem.commands import NotWell, console, print_json, service_of, settings_options
from pbem.config import Settings
from pbem.people import export, privacy
from pbem.store.names import Actor
from pbem.words import texts


@click.group()
def command() -> None:
    """Show what is known of an address, or forget it."""


@command.command("export")
@click.argument("address")
@click.option(
    "--zip",
    "file",
    type=click.File("wb"),
    help="Write it to this file, with the records of matches that are over.",
)
@settings_options
def export_one(settings: Settings, address: str, file: BinaryIO | None, as_json: bool) -> int:
    """All that is known of ADDRESS, in JSON; status 1 if nothing is."""
    del as_json  # it is JSON anyway
    service = service_of(settings, looks_only=True)
    found = export.known_of(service, texts.address(address))
    if found is None:
        raise NotWell("Nothing is known about this address.")
    if file is None:
        print_json(found)
    else:
        file.writelines(export.as_zip(service, found))
    return 0


@command.command("forget")
@click.argument("address")
@click.option("--yes", is_flag=True, help="Do not ask whether you are sure.")
@settings_options
def forget(settings: Settings, address: str, yes: bool, as_json: bool) -> int:
    """Delete ADDRESS and the name of whoever has it; status 1 if something has to wait.

    Seats in matches that go on are given up, and a bot plays them. What has to wait (a match that
    is about to begin, a mail on its way) is done by the workers.
    """
    folded = texts.address(address)
    if not (yes or as_json):
        click.confirm(f"Forget {folded} for ever?", abort=True)
    service = service_of(settings)
    found = privacy.forget(service, folded, Actor.OPERATOR)
    if as_json:
        print_json({"matches": found.matches, "done": found.done})
    elif found.done:
        console().print(f"Forgotten, in {found.matches} matches. Backups still have the address.")
    else:
        console().print("Some of it has to wait: the workers do it within minutes.")
    return 0 if found.done else 1
