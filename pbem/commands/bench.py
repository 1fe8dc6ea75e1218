"""``pbem bench``: how fast this machine does what matters, and how matches fare with people."""

from __future__ import annotations

import pkgutil
import platform
import tempfile
from importlib import import_module
from pathlib import Path
from typing import Any

import click
from rich.progress import Progress
from rich.table import Table

import pbem.bench
from pbem.commands import WrongUse, console, error_console, json_option, print_json

#: The bench that takes minutes, so it runs only if it is named.
DAYS = "days"


def names() -> list[str]:
    """The names of all benches."""
    found = (module.name for module in pkgutil.iter_modules(pbem.bench.__path__))
    return sorted(name for name in found if not name.startswith("_"))


@click.command()
@click.argument("wanted", nargs=-1, metavar="[NAME]...")
@click.option("--seconds", type=click.FloatRange(0.1, 600), default=5.0, help="For each bench.")
@click.option("--matches", type=click.IntRange(1, 10_000), help="For days: matches on each clock.")
@click.option("--seed", help="For days: who plays, and when they are away.")
@click.option("--clock", "clocks", multiple=True, help="For days: only this clock; repeat it.")
@json_option
def command(
    wanted: tuple[str, ...],
    seconds: float,
    matches: int | None,
    seed: str | None,
    clocks: tuple[str, ...],
    as_json: bool,
) -> None:
    """Measure how fast this machine plays, takes turns and sweeps; all benches, or those named.

    `pbem bench days` takes minutes and is left out unless it is named: it plays matches over months
    of simulated time with people who answer late, go away, or vanish, on several clocks.
    """
    unknown = [name for name in wanted if name not in names()]
    if unknown:
        raise WrongUse(f"There is no bench {unknown[0]}. There are: {', '.join(names())}.")
    if (matches or seed or clocks) and DAYS not in wanted:
        raise WrongUse("--matches, --seed and --clock are for `pbem bench days`.")
    figures: dict[str, Any] = {}
    for name in wanted or [name for name in names() if name != DAYS]:
        with tempfile.TemporaryDirectory(prefix="pbem-bench-") as scratch:
            if name == DAYS:
                figures[name] = _days(Path(scratch), matches, seed, clocks)
                continue
            with error_console().status(f"measuring {name} ..."):
                figures[name] = import_module(f"pbem.bench.{name}").measure(Path(scratch), seconds)
    if as_json:
        machine = {"python": platform.python_version(), "system": platform.platform()}
        print_json({**machine, "seconds": seconds, "figures": figures})
        return
    quick = {name: measured for name, measured in figures.items() if name != DAYS}
    if quick:
        table = Table("bench", "figure", "", box=None, pad_edge=False)
        for name, measured in quick.items():
            for figure, value in measured.items():
                table.add_row(name, figure.replace("_", " "), f"{value:,}")
        console().print(table)
    if DAYS in figures:
        console().print(_by_clock(figures[DAYS]))


def _days(
    scratch: Path, matches: int | None, seed: str | None, clocks: tuple[str, ...]
) -> dict[str, dict[str, float]]:
    from pbem.bench import days

    strange = [name for name in clocks if name not in days.CLOCKS]
    if strange:
        raise WrongUse(f"There is no clock {strange[0]}. There are: {', '.join(days.CLOCKS)}.")
    with Progress(console=error_console()) as progress:
        task = progress.add_task("matches")
        return days.measure(
            scratch,
            count=matches or days.MATCHES,
            seed=seed or days.SEED,
            clocks=clocks or tuple(days.CLOCKS),
            progress=lambda done, total: progress.update(task, completed=done, total=total),
        )


def _by_clock(measured: dict[str, dict[str, float]]) -> Table:
    """A column for each clock."""
    table = Table("", *measured, box=None, pad_edge=False)
    for figure in next(iter(measured.values())):
        values = (f"{measured[clock][figure]:,}" for clock in measured)
        table.add_row(figure.replace("_", " "), *values)
    return table
