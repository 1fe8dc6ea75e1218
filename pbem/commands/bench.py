"""``pbem bench``: how fast this machine does what matters, and how matches fare with people."""

from __future__ import annotations

import os
import pkgutil
import platform
import resource
import tempfile
import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import click
from rich.table import Table

import pbem.bench
from pbem.bench._places import databases
from pbem.bench._rounds import BenchOptions, Figures
from pbem.commands import WrongUse, console, error_console, json_option, print_json

#: The word for all benches but ``days``, which is about people and takes minutes.
ALL, DAYS = "all", "days"
#: Those that start servers. They run only if they are named, or all are.
STARTING = ("moves", "pages", "service")
#: Which benches read an option; the others are read by all or by none in particular.
READ_BY = {
    "databases": ("due", "growth", *STARTING),
    "clients": ("moves", "service"),
    "filled": ("moves", "service"),
    "log": ("moves",),
    "owed": ("service",),
    "thinking": ("service",),
    "matches": (DAYS,),
    "seed": (DAYS,),
    "clocks": (DAYS,),
}


def names() -> list[str]:
    """The names of all benches."""
    found = (module.name for module in pkgutil.iter_modules(pbem.bench.__path__))
    return sorted(name for name in found if not name.startswith("_"))


@click.command(epilog=f"There are: {', '.join(names())}.")
@click.argument("wanted", nargs=-1, metavar="[NAME]...")
@click.option("--seconds", type=click.FloatRange(0.1, 600), default=5.0, help="For each case (5).")
@click.option(
    "--rounds", type=click.IntRange(1, 1000), default=1, help="At least, for each case (1)."
)
@click.option(
    "--database",
    "databases",
    multiple=True,
    help="sqlite, postgres, or the URL of a PostgreSQL server, on which databases are made and "
    "dropped; repeat it.",
)
@click.option(
    "--clients", type=click.IntRange(1, 256), multiple=True, help="How many at once; repeat it."
)
@click.option("--log", type=click.IntRange(1, 10_000), help="For moves: entries in each log.")
@click.option(
    "--filled",
    type=click.IntRange(0, 10_000),
    help="For moves and service: finished matches in the database (300).",
)
@click.option(
    "--owed", type=click.IntRange(0, 1_000_000), help="For service: mails to others that are due."
)
@click.option(
    "--thinking", type=click.FloatRange(0, 60), help="For service: seconds before each move."
)
@click.option("--matches", type=click.IntRange(1, 10_000), help="For days: matches on each clock.")
@click.option("--seed", help="For days: who plays, and when they are away.")
@click.option("--clock", "clocks", multiple=True, help="For days: only this clock; repeat it.")
@json_option
def command(wanted: tuple[str, ...], as_json: bool, **options: Any) -> None:
    """Measure how fast this machine plays.

    Without a NAME the benches run that start no servers. `pbem bench all` takes five to ten
    minutes: it measures the service as it runs, and parts of it beside floors, in turns. `pbem
    bench days` takes minutes and is left out of it: it plays matches over months of simulated time
    with people who answer late, go away, or vanish, on several clocks.
    """
    chosen = _chosen(wanted)
    given = {name: value for name, value in options.items() if value not in (None, ())}
    _check(given, chosen)
    given.setdefault("databases", tuple(databases()))
    figures: dict[str, Figures] = {}
    cost, load = _Cost(), os.getloadavg()[0]
    for place, name in enumerate(chosen, 1):
        with (
            tempfile.TemporaryDirectory(prefix="pbem-bench-") as scratch,
            error_console().status("starting ...") as status,
        ):
            say = _progress(f"{place} of {len(chosen)}: {name}", status.update)
            asked = BenchOptions(Path(scratch), say, **given)
            figures[name] = import_module(f"pbem.bench.{name}").measure(asked)
    told = {
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
        "processors": os.cpu_count(),
        "load_before": round(load, 1),
        "load_after": round(os.getloadavg()[0], 1),
        "seconds": options["seconds"],
        "rounds": options["rounds"],
        **cost.so_far(),
    }
    error_console().print(
        f"It took {told['took_seconds']:,} s. Of the processor it used "
        f"{told['clients_processor_seconds']:,} s here, where clients ask and benches without "
        f"servers run, and {told['servers_processor_seconds']:,} s in processes that it started."
    )
    if as_json:
        print_json({**told, "figures": figures})
        return
    for name, measured in figures.items():
        console().print(_table(name, measured))


def _chosen(wanted: tuple[str, ...]) -> list[str]:
    unknown = [name for name in wanted if name not in (*names(), ALL)]
    if unknown:
        known = ", ".join((*names(), ALL))
        raise WrongUse(f"There is no bench {unknown[0]}. There are: {known}.")
    if ALL in wanted:
        return [name for name in names() if name != DAYS or name in wanted]
    return list(wanted) or [name for name in names() if name not in (DAYS, *STARTING)]


def _check(given: dict[str, Any], chosen: list[str]) -> None:
    flags = {option.name: option.opts[0] for option in command.params}
    for name, readers in READ_BY.items():
        if name in given and not set(readers) & set(chosen):
            benches = " and ".join(f"`pbem bench {reader}`" for reader in readers)
            raise WrongUse(f"{flags[name]} is for {benches}.")
    strange = [
        name for name in given.get("databases", ()) if name not in databases() and "://" not in name
    ]
    if strange:
        known = ", ".join(databases())
        raise WrongUse(f"There is no database {strange[0]} here. There are: {known}.")
    if "clocks" in given:
        from pbem.bench.days import CLOCKS

        strange = [name for name in given["clocks"] if name not in CLOCKS]
        if strange:
            raise WrongUse(f"There is no clock {strange[0]}. There are: {', '.join(CLOCKS)}.")


def _progress(bench: str, update: Callable[[str], None]) -> Callable[[str], None]:
    """A terminal shows what is being done; elsewhere there is a line for each case."""
    shown = set[str]()
    begun = time.monotonic()

    def say(what: str) -> None:
        case = what.partition(":")[0]
        line = f"{bench}, {time.monotonic() - begun:.0f} s: "
        if error_console().is_terminal:
            update(line + what)
        elif case not in shown:
            shown.add(case)
            error_console().print(line + case)

    return say


class _Cost:
    """What measuring costs, from here on."""

    def __init__(self) -> None:
        self._begun, self._used = time.monotonic(), self._processor()

    def _processor(self) -> tuple[float, float]:
        own, ended = (
            resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
        )
        return own.ru_utime + own.ru_stime, ended.ru_utime + ended.ru_stime

    def so_far(self) -> dict[str, int]:
        own, servers = (
            now - before for now, before in zip(self._processor(), self._used, strict=True)
        )
        return {
            "took_seconds": round(time.monotonic() - self._begun),
            "clients_processor_seconds": round(own),
            "servers_processor_seconds": round(servers),
        }


def _table(name: str, measured: Figures) -> Table:
    """Cases and figures; the longer list goes down."""
    figures = list(dict.fromkeys(figure for case in measured.values() for figure in case))
    cells = {(case, figure): measured[case].get(figure) for case in measured for figure in figures}
    down, across = list(measured), figures
    if len(figures) > len(measured):
        down, across = figures, list(measured)
        cells = {(figure, case): value for (case, figure), value in cells.items()}
    table = Table(name, *(word.replace("_", " ") for word in across), box=None, pad_edge=False)
    for row in down:
        values = (cells[row, column] for column in across)
        shown = ("" if value is None else f"{value:,}" for value in values)
        table.add_row(row.replace("_", " "), *shown)
    return table
