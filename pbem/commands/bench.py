"""``pbem bench``: how fast this machine does what matters."""

from __future__ import annotations

import pkgutil
import platform
import tempfile
from importlib import import_module
from pathlib import Path

import click
from rich.table import Table

import pbem.bench
from pbem.commands import WrongUse, console, error_console, json_option, print_json


def names() -> list[str]:
    """All benches there are."""
    return sorted(module.name for module in pkgutil.iter_modules(pbem.bench.__path__))


@click.command()
@click.argument("wanted", nargs=-1, metavar="[NAME]...")
@click.option("--seconds", type=click.FloatRange(0.1, 600), default=5.0, help="For each bench.")
@json_option
def command(wanted: tuple[str, ...], seconds: float, as_json: bool) -> None:
    """Measure how fast this machine plays, takes turns and sweeps; all benches, or those named."""
    unknown = [name for name in wanted if name not in names()]
    if unknown:
        raise WrongUse(f"There is no bench {unknown[0]}. There are: {', '.join(names())}.")
    figures = {}
    for name in wanted or names():
        with (
            error_console().status(f"measuring {name} ..."),
            tempfile.TemporaryDirectory(prefix="pbem-bench-") as scratch,
        ):
            figures[name] = import_module(f"pbem.bench.{name}").measure(Path(scratch), seconds)
    if as_json:
        machine = {"python": platform.python_version(), "system": platform.platform()}
        print_json({**machine, "seconds": seconds, "figures": figures})
        return
    table = Table("bench", "figure", "", box=None, pad_edge=False)
    for name, measured in figures.items():
        for figure, value in measured.items():
            table.add_row(name, figure.replace("_", " "), f"{value:,}")
    console().print(table)
