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
from pbem.config import Settings
from pbem.store.db import Database

#: Benches that run only if they are named: one takes minutes, one starts servers.
DAYS, MOVES = "days", "moves"
NAMED = (DAYS, MOVES)


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
@click.option(
    "--database",
    "databases",
    multiple=True,
    help="For moves: sqlite, postgres, or the URL of an empty database; repeat it.",
)
@click.option(
    "--clients",
    type=click.IntRange(1, 256),
    multiple=True,
    help="For moves: how many play at once; repeat it.",
)
@click.option(
    "--log", type=click.IntRange(1, 10_000), help="For moves: entries in each match's log."
)
@json_option
def command(
    wanted: tuple[str, ...],
    seconds: float,
    matches: int | None,
    seed: str | None,
    clocks: tuple[str, ...],
    databases: tuple[str, ...],
    clients: tuple[int, ...],
    log: int | None,
    as_json: bool,
) -> None:
    """Measure how fast this machine plays, takes turns and sweeps; all benches, or those named.

    `pbem bench days` takes minutes and is left out unless it is named: it plays matches over months
    of simulated time with people who answer late, go away, or vanish, on several clocks.

    `pbem bench moves` starts the web and a broker, and sends moves over HTTP to it and to the least
    service that could take them, in turns.
    """
    unknown = [name for name in wanted if name not in names()]
    if unknown:
        raise WrongUse(f"There is no bench {unknown[0]}. There are: {', '.join(names())}.")
    if (matches or seed or clocks) and DAYS not in wanted:
        raise WrongUse("--matches, --seed and --clock are for `pbem bench days`.")
    if (databases or clients or log) and MOVES not in wanted:
        raise WrongUse("--database, --clients and --log are for `pbem bench moves`.")
    figures: dict[str, Any] = {}
    for name in wanted or [name for name in names() if name not in NAMED]:
        with tempfile.TemporaryDirectory(prefix="pbem-bench-") as scratch:
            if name == DAYS:
                figures[name] = _days(Path(scratch), matches, seed, clocks)
                continue
            if name == MOVES:
                figures[name] = _moves(Path(scratch), seconds, databases, clients, log)
                continue
            with error_console().status(f"measuring {name} ..."):
                figures[name] = import_module(f"pbem.bench.{name}").measure(Path(scratch), seconds)
    if as_json:
        machine = {"python": platform.python_version(), "system": platform.platform()}
        print_json({**machine, "seconds": seconds, "figures": figures})
        return
    quick = {name: measured for name, measured in figures.items() if name not in NAMED}
    if quick:
        table = Table("bench", "figure", "", box=None, pad_edge=False)
        for name, measured in quick.items():
            for figure, value in measured.items():
                table.add_row(name, figure.replace("_", " "), f"{value:,}")
        console().print(table)
    for name in NAMED:
        if name in figures:
            console().print(_side_by_side(figures[name]))


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


def _moves(
    scratch: Path,
    seconds: float,
    wanted: tuple[str, ...],
    clients: tuple[int, ...],
    log: int | None,
) -> dict[str, dict[str, float]]:
    from pbem.bench import moves
    from pbem.commands.up import surroundings, web_command

    there = moves.databases()
    for name in wanted:
        if name not in there and "://" not in name:
            raise WrongUse(f"There is no database {name} here. There are: {', '.join(there)}.")
        if "://" in name and Database(name).revision() is not None:
            raise WrongUse("This database has tables already. Name an empty one.")

    def serve(settings: Settings, application: str) -> tuple[list[str], dict[str, str]]:
        return web_command(settings, application), surroundings(settings, None)

    with error_console().status("starting ...") as status:
        return moves.measure(
            scratch,
            seconds,
            wanted=wanted or there,
            clients=clients or moves.CLIENTS,
            log=log or moves.LOG,
            serve=serve,
            progress=lambda case, told: status.update(
                f"{case}: round {told['rounds']}, {told['share']} of the floor's moves a second"
            ),
        )


def _side_by_side(measured: dict[str, dict[str, float]]) -> Table:
    """A column for each case."""
    table = Table("", *measured, box=None, pad_edge=False)
    for figure in next(iter(measured.values())):
        values = (f"{measured[case][figure]:,}" for case in measured)
        table.add_row(figure.replace("_", " "), *values)
    return table
