"""``pbem ...``: the entry. Each command is a module of ``pbem.commands``, imported when it is used.

Exit status: 0 success, 1 what was asked about is not in order, 2 the command was not used right.
"""

from __future__ import annotations

import ast
import json
import os
import pkgutil
import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import click

from pbem import commands


class Commands(click.Group):
    """The modules of ``pbem.commands``: ``hash_password.py`` holds ``pbem hash-password``."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(
            module.name.replace("_", "-")
            for module in pkgutil.iter_modules(commands.__path__)
            if not module.name.startswith("_")
        )

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in self.list_commands(ctx):
            return None
        module = import_module(_module(name))
        command = module.command
        if not isinstance(command, click.Command):
            raise TypeError(f"{module.__name__}.command is not a click command")
        command.name = name
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Lists the commands without importing them: that would load every library of pbem."""
        names = self.list_commands(ctx)
        width = formatter.width - 6 - max(len(name) for name in names)
        with formatter.section("Commands"):
            formatter.write_dl([(name, _summary(name, width)) for name in names])


def _module(name: str) -> str:
    return f"pbem.commands.{name.replace('-', '_')}"


def _summary(name: str, width: int) -> str:
    """What ``--help`` says of a command: the beginning of its docstring, read from its file."""
    spec = find_spec(_module(name))
    assert spec is not None  # it was found by its file
    assert spec.origin is not None
    for node in ast.parse(Path(spec.origin).read_bytes()).body:
        if isinstance(node, ast.FunctionDef) and node.name == "command":
            docs = ast.get_docstring(node)
            return click.Command(name, help=docs).get_short_help_str(width)
    raise TypeError(f"{spec.name} has no function called command")


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="pbem", prog_name="pbem")
def root() -> None:
    """Play slow board games by e-mail.

    `pbem COMMAND --help` says more of each command. Its exit status is 0 if all is well, 1 if what
    was asked about is not, or cannot be done, and 2 if the command or a setting is wrong.
    """


def _write_no_more() -> None:
    """What waits to be written is dropped: its reader closed it, or there is no room for it."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def main(arguments: list[str] | None = None) -> None:
    """Runs one command and ends the process with its status."""
    arguments = sys.argv[1:] if arguments is None else arguments
    try:
        status = root.main(arguments, prog_name="pbem", standalone_mode=False)
    except click.Abort:
        click.echo("Stopped.", err=True)
        sys.exit(1)
    except BrokenPipeError:
        _write_no_more()
        sys.exit(1)
    except Exception as error:
        refusal = commands.refusal(error)
        if refusal is None:
            raise
        try:
            if "--json" not in arguments:
                refusal.show()
            else:
                click.echo(json.dumps({"error": refusal.format_message()}))
        except OSError:
            # there is no room for the answer, nor for why
            _write_no_more()
            refusal.show()
        sys.exit(refusal.exit_code)
    sys.exit(status if isinstance(status, int) else 0)


if __name__ == "__main__":
    main()
