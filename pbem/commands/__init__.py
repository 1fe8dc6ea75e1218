"""The commands of ``pbem``: a module for each, with its ``command``. Here is what they share.

Each function imports what it needs, so that a command waits for no library that it does not use.

A command that needs the settings::

    @click.command()
    @settings_options
    def command(settings: Settings, as_json: bool) -> int | None:
        '''What it does.'''
        service = service_of(settings)
        ...
        return 0      # or 1: what was asked about is not in order
"""

from __future__ import annotations

import errno
import functools
import json
import os
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from engine.errors import EngineError, OptionsError, UnknownGame, shown
from pbem.errors import BadInput, ConfigError, NotInOrder, Refused

if TYPE_CHECKING:
    from rich.console import Console

    from pbem.config import Settings
    from pbem.service import Service
    from pbem.store.models import Match

F = TypeVar("F", bound=Callable[..., Any])


class NotWell(click.ClickException):
    """What was asked about is not in order, or cannot be done: status 1, and a sentence."""

    exit_code = 1


class WrongUse(click.ClickException):
    """The command, its arguments or the settings are wrong: status 2, and a sentence."""

    exit_code = 2


def refusal(error: Exception) -> click.ClickException | None:
    """The status and sentence for an error that stopped a command; None for a fault of pbem.

    Errors of settings, keys, database, files and the request can be mended by who ran the command.
    """
    if isinstance(error, click.ClickException):
        return error
    if isinstance(error, ConfigError | BadInput | OptionsError | UnknownGame):
        return WrongUse(str(error))
    if isinstance(error, Refused | EngineError | NotInOrder):
        return NotWell(str(error))
    if isinstance(error, OSError) and error.filename is not None:
        return NotWell(f"{os.fsdecode(error.filename)} cannot be used: {error.strerror}.")
    if isinstance(error, OSError) and error.errno == errno.ENOSPC:
        return NotWell("The disk is full.")
    return _of_the_database(error)


def _of_the_database(error: Exception) -> NotWell | None:
    from sqlalchemy.exc import SQLAlchemyError

    if not isinstance(error, SQLAlchemyError):
        return None
    from pbem.logs import redact
    from pbem.store.db import reason

    return NotWell(f"The database does not do what it should: {redact(reason(error))}")


#: Columns of output to a file or another program, so that a table is never folded there.
WIDEST = 100_000

#: Most bytes of a data file that is given as an option.
MOST_DATA = 200_000
#: No number of an option is longer.
MOST_DIGITS = 12


def data_file(name: str) -> Any:
    """The content of a JSON file, for an option ``key=@FILE``; WrongUse names the file."""
    try:
        with Path(name).open("rb") as file:
            # a device or a pipe has no size to be asked for
            data = file.read(MOST_DATA + 1)
        if len(data) > MOST_DATA:
            raise WrongUse(f"{name} is longer than {MOST_DATA:,} bytes.")
        return json.loads(data)
    except OSError as error:
        raise WrongUse(f"{name} cannot be read: {error.strerror}.") from None
    except (ValueError, RecursionError) as error:
        raise WrongUse(f"{name} is not JSON: {error}.") from None


rule_options = click.option(
    "--option",
    "options",
    multiple=True,
    metavar="KEY=VALUE",
    help='A rule\'s switch, as `pbem games` lists them; once for each. A list: KEY=["a","b"]. '
    "KEY=@FILE: a JSON file.",
)


def option_value(text: str) -> tuple[str, Any]:
    """An option ``KEY=VALUE``: true, false and whole numbers are read as such.

    A list or a structure is written in JSON, ``@FILE`` is the content of a JSON file, and every
    other value is text. In the key ``-`` is read as ``_``.
    """
    key, equals, value = text.partition("=")
    key = key.replace("-", "_")
    if not equals or not key:
        raise WrongUse(f"{shown(text)} is not an option: write it as KEY=VALUE.")
    if value.startswith("@"):
        return key, data_file(value[1:])
    if value.startswith(("[", "{")):
        try:
            return key, json.loads(value)
        except (ValueError, RecursionError) as error:
            raise WrongUse(f"{key} is not JSON: {error}.") from None
    if value.lower() in ("true", "false"):
        return key, value.lower() == "true"
    return key, int(value) if value.isdecimal() and len(value) <= MOST_DIGITS else value


json_option = click.option(
    "--json", "as_json", is_flag=True, help="Answer in JSON, for other programs."
)


home_option = click.option(
    "--home",
    type=click.Path(file_okay=False),
    help="Where everything lives (PBEM_HOME, else ./var).",
)
config_option = click.option(
    "--config",
    type=click.Path(dir_okay=False),
    help="The settings file (PBEM_CONFIG, else config.toml in the home).",
)


def settings_options(function: F) -> F:
    """Adds ``--home``, ``--config`` and ``--json``; passes ``settings`` and ``as_json``."""

    @home_option
    @config_option
    @json_option
    @functools.wraps(function)
    def wrapped(home: str | None, config: str | None, **rest: Any) -> Any:
        from pbem import logs
        from pbem.config import load_settings

        settings = load_settings(config, home=home)
        # to standard error, without secrets: standard output is for the answer only
        logs.set_up(settings, quiet=True)
        return function(settings=settings, **rest)

    return wrapped  # type: ignore[return-value]


def settings_file() -> Path | None:
    """The settings file of ``--config`` or PBEM_CONFIG, for a process that reads it again."""
    named = click.get_current_context().params["config"] or os.environ.get("PBEM_CONFIG")
    return Path(named).expanduser().absolute() if named else None


def service_of(settings: Settings, *, looks_only: bool = False) -> Service:
    """The service of these settings, until the command ends; ``looks_only``: it only reads."""
    from pbem.service import open_service

    if looks_only:
        service = open_service(settings, looks_only=True)
    else:
        from pbem.running.doorbell import bell

        service = open_service(settings, bell(settings))
    click.get_current_context().call_on_close(service.database.close)
    return service


def find_match(service: Service, match_id: str) -> Match:
    """The match of this id, or status 1 and a sentence."""
    from pbem.store.models import Match

    with service.database.read() as session:
        match = session.get(Match, match_id)
    if match is None:
        raise NotWell(f"There is no match {shown(match_id)}. `pbem match list` shows the newest.")
    return match


def print_json(value: Any) -> None:
    """The answer for other programs, on standard output."""
    click.echo(json.dumps(value, indent=2, ensure_ascii=False, default=_plain))


def _plain(value: object) -> str:
    """A time as all answers in JSON have it (ISO 8601); anything else as text."""
    return value.isoformat() if isinstance(value, datetime) else str(value)


def console() -> Console:
    """Standard output for people; only a terminal gets colours and folded lines.

    Text is shown as it is: names may hold what rich would take for markup, as ``[/b]``.
    """
    from rich.console import Console

    out = Console(highlight=False, soft_wrap=True, markup=False, emoji=False)
    if not out.is_terminal:
        out.width = WIDEST
    return out


def error_console() -> Console:
    """Standard error, for progress and remarks that do not belong to the answer."""
    from rich.console import Console

    return Console(stderr=True, highlight=False, soft_wrap=True, markup=False, emoji=False)
