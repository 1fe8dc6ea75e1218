"""The charts and tables of docs/benchmarks.md, made from the figures of `pbem bench all --json`.

    python -m tests.bench.benchmarks [FIGURES.json]

The file that is named becomes ``docs/benchmarks.json``; without one that file is used. Charts are
written to ``docs/images/``, and each table between its two marks in the page; the words around them
stay.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import jinja2

ROOT = Path(__file__).parents[2]
FIGURES = ROOT / "docs/benchmarks.json"
PAGE = ROOT / "docs/benchmarks.md"
IMAGES = ROOT / "docs/images"

Case = Mapping[str, float]
#: The cases of a bench, by name.
Cases = Mapping[str, Case]

DATABASES = {"sqlite": "SQLite", "postgres": "PostgreSQL"}
GAMES = {"dog": "Dog", "dogs-of-war": "Dogs of War", "skirmish": "skirmish"}
#: What is done with a mail, and how it is called.
MAIL = {"made": "made", "sent": "made and sent", "smtplib": "smtplib alone"}
GROWTH = {"move": "A move", "look": "A look", "sweep": "A sweep", "mails_due": "Is mail due"}
DUE = ("reminders", "time_outs")
PARTS = ("web", "worker", "moves", "beat", "supervisor", "broker")


def shown(value: float | None) -> str:
    """Three digits that count; nothing for what was not measured."""
    if value is None:
        return ""
    digits = 0 if value >= 100 else 1 if value >= 10 else 2
    return f"{value:,.{digits}f}"


def clients(cases: Cases) -> list[str]:
    """The cases of clients without what was measured in them: ``sqlite, 8 clients``."""
    return list(dict.fromkeys(name.partition(":")[0] for name in cases if ":" in name))


def title(case: str) -> str:
    """A case as the page calls it."""
    names = {**DATABASES, **GAMES}
    return ", ".join(names.get(part, part) for part in case.split(", "))


# --- charts ---


class Bar(NamedTuple):
    """A bar with its label; a line goes from ``least`` to ``most``."""

    label: str
    value: float
    least: float
    most: float
    colour: str


class Chart(NamedTuple):
    """Groups of bars, each with its heading. ``own``: each group has a scale of its own."""

    title: str
    about: str
    groups: Sequence[tuple[str, Sequence[Bar]]]
    own: bool = False


def bar(label: str, case: Case, figure: str, colour: str) -> Bar:
    value = case[figure]
    least, most = (case.get(f"{figure}_{end}", value) for end in ("least", "most"))
    return Bar(label, value, least, most, colour)


def charts(figures: Mapping[str, Cases]) -> Iterator[tuple[str, Chart]]:
    """Each chart with the name of its file."""
    moves, service, growth = (figures[name] for name in ("moves", "service", "growth"))
    who = {"service": ("pbem", "a"), "least": ("least service", "b"), "inserts": ("inserts", "c")}
    yield (
        "bench-moves",
        Chart(
            "Moves a second over HTTP",
            "Medians of rounds that take turns; the thin line goes from the least to the most.",
            [
                (
                    title(case),
                    [
                        bar(label, moves[f"{case}: {name}"], "a_second", colour)
                        for name, (label, colour) in who.items()
                    ],
                )
                for case in clients(moves)
            ],
        ),
    )
    waits = {
        "page": "the page",
        "answer": "the receipt",
        "turn": "the next turn",
        "mail": "its mail",
    }
    yield (
        "bench-service",
        Chart(
            "The service as it runs: how long people wait, in milliseconds",
            "The bar is the median; the thin line goes on to what one in a hundred exceeds.",
            [
                (
                    title(case),
                    [
                        Bar(
                            label,
                            ours[f"{name}_p50_ms"],
                            ours[f"{name}_p50_ms"],
                            ours[f"{name}_p99_ms"],
                            "abcd"[place],
                        )
                        for place, (name, label) in enumerate(waits.items())
                    ],
                )
                for case in clients(service)
                for ours in [service[f"{case}: service"]]
            ],
        ),
    )
    yield (
        "bench-mails",
        Chart(
            "A turn mail: milliseconds of processor time",
            "Made from its row in the outbox, with its picture; sent by the mailer; a plain loop.",
            [
                (
                    name,
                    [
                        bar(label, figures["mails"][f"{game}: {what}"], "processor_ms", colour)
                        for (what, label), colour in zip(MAIL.items(), "acb", strict=True)
                    ],
                )
                for game, name in GAMES.items()
            ],
        ),
    )
    looks = {"log of": "look", "open turns": "sweep", "sent mails": "mails_due"}
    for series, other in looks.items():
        cases = [case for case in growth if series in case]
        yield (
            f"bench-{series.replace(' ', '-')}",
            Chart(
                f"Milliseconds by size: {series.replace('log of', 'entries in the log')}",
                "Medians of rounds; the thin line goes from the least to the most."
                " Each group has its own scale.",
                [
                    (
                        f"{GROWTH[what]}, {DATABASES[database]}",
                        [
                            bar(case.partition(", ")[2], growth[case], f"{what}_ms", "ac"[place])
                            for case in cases
                            if case.startswith(database)
                        ],
                    )
                    for place, what in enumerate(("move", other))
                    for database in databases(growth)
                ],
                own=True,
            ),
        )
    memory = memories(service)
    yield (
        "bench-memory",
        Chart(
            "Memory of each part, in megabytes",
            "Proportional set size: what a part has for itself, and its share of the rest.",
            [
                (heading, [bar(part, case, f"{part}_mb", "a") for part in PARTS])
                for heading, case in memory.items()
            ],
        ),
    )


def databases(cases: Cases) -> list[str]:
    return [name for name in DATABASES if any(case.startswith(name) for case in cases)]


def memories(service: Cases) -> dict[str, Case]:
    """The first database's service before anybody came, and after all."""
    database = databases(service)[0]
    last = [case for case in clients(service) if case.startswith(database)][-1]
    name = DATABASES[database]
    return {
        f"{name}, idle": service[f"{database}, idle"],
        f"{name}, after {last.partition(', ')[2]}": service[f"{last}: service"],
    }


def drawn(chart: Chart) -> str:
    """The chart as SVG. Labels tell bars apart; colours only repeat it."""
    items: list[dict[str, Any]] = []
    y = 56
    everything = [bar for _, bars in chart.groups for bar in bars]
    for heading, bars in chart.groups:
        y += 26
        items.append({"heading": heading, "y": y})
        scale = 400 / max(bar.most for bar in (bars if chart.own else everything))
        for bar in bars:
            y += 20
            value, least, most = (round(scale * x, 1) for x in (bar.value, bar.least, bar.most))
            items.append(
                {
                    "label": bar.label,
                    "y": y,
                    "colour": bar.colour,
                    "value": value,
                    "least": 204 + least,
                    "most": 204 + most,
                    "end": 212 + max(value, most),
                    "text": shown(bar.value),
                }
            )
    template = jinja2.Environment(
        autoescape=True, trim_blocks=True, lstrip_blocks=True
    ).from_string((Path(__file__).parent / "bars.svg").read_text())
    return template.render(chart=chart, items=items, height=y + 20) + "\n"


# --- tables ---


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def with_spread(case: Case, figure: str) -> str:
    """A median with the least and the most."""
    least, most = case[f"{figure}_least"], case[f"{figure}_most"]
    return f"{shown(case[figure])} ({shown(least)} to {shown(most)})"


def both(case: Case, figure: str) -> str:
    return f"{shown(case[f'{figure}p50_ms'])}, {shown(case[f'{figure}p99_ms'])}"


def machine(told: Mapping[str, Any]) -> str:
    return (
        f"{told['system']}, {told['processors']} processors, Python {told['python']}. The load of"
        f" the machine was {told['load_before']} before and {told['load_after']} after. Each case"
        f" was measured for {told['seconds']:g} seconds and {told['rounds']} rounds at least. All"
        f" took {told['took_seconds']:,} seconds, in which the process that measures used"
        f" {told['clients_processor_seconds']:,} seconds of processor time, and what it started"
        f" {told['servers_processor_seconds']:,}."
    )


def tables(figures: Mapping[str, Cases]) -> dict[str, str]:
    """What stands between the marks of a name in the page."""
    moves, service, mails = (figures[name] for name in ("moves", "service", "mails"))
    others = ("least", "inserts", "route")
    both_of = ("pbem", "least service")
    memory = memories(service)
    return {
        "moves": table(
            ["", "pbem", "share", "least service", "bare inserts", "empty route"],
            (
                [
                    title(case),
                    with_spread(ours, "a_second"),
                    with_spread(ours, "share"),
                    *(with_spread(moves[f"{case}: {name}"], "a_second") for name in others),
                ]
                for case in clients(moves)
                for ours in [moves[f"{case}: service"]]
            ),
        ),
        "waits": table(
            [
                "",
                *(f"{who} {what}" for what in ("waits", "uses") for who in both_of),
                "clients use",
            ],
            (
                [
                    title(case),
                    both(ours, ""),
                    both(least, ""),
                    shown(ours.get("processor_ms")),
                    shown(least.get("processor_ms")),
                    shown(ours.get("client_processor_ms")),
                ]
                for case in clients(moves)
                for ours, least in [(moves[f"{case}: service"], moves[f"{case}: least"])]
            ),
        ),
        "service": table(
            [
                "",
                "moves a second",
                "share",
                "page",
                "receipt",
                "next turn",
                "its mail",
                "processor",
            ],
            (
                [
                    title(case),
                    with_spread(ours, "a_second"),
                    with_spread(ours, "share"),
                    *(both(ours, f"{name}_") for name in ("page", "answer", "turn", "mail")),
                    f"{shown(ours.get('processor_ms'))}, {shown(ours.get('client_processor_ms'))}",
                ]
                for case in clients(service)
                for ours in [service[f"{case}: service"]]
            ),
        ),
        "mails": table(
            ["", "made", "made and sent", "smtplib alone", "sent a second", "kB"],
            (
                [
                    name,
                    *(shown(mails[f"{game}: {what}"]["processor_ms"]) for what in MAIL),
                    with_spread(mails[f"{game}: sent"], "a_second"),
                    shown(mails[f"{game}: made"]["kb"]),
                ]
                for game, name in GAMES.items()
            ),
        ),
        "growth": table(
            ["", "a move", "a look", "a sweep", "is mail due"],
            (
                [title(case), *(with_spread(found, f"{what}_ms") for what in GROWTH)]
                for case, found in figures["growth"].items()
            ),
        ),
        "pages": table(
            ["", "processor", "waits", "kB"],
            (
                [
                    title(case),
                    with_spread(found, "processor_ms"),
                    f"{shown(found['p50_ms'])}, {shown(found['p99_ms'])}",
                    shown(found["kb"]),
                ]
                for case, found in figures["pages"].items()
            ),
        ),
        "due": table(
            [
                "",
                *(
                    f"{what} {how}"
                    for what in ("reminders", "time-outs")
                    for how in ("by one", "by all", "a processor second")
                ),
            ],
            (
                [
                    title(case),
                    *(
                        shown(found[f"{what}_per_{how}"])
                        for what in DUE
                        for how in ("second", "second_by_all", "processor_second")
                    ),
                ]
                for case, found in figures["due"].items()
            ),
        ),
        "memory": table(
            ["", *memory],
            (
                [part, *(shown(case.get(f"{part}_mb")) for case in memory.values())]
                for part in (*PARTS, "all")
            ),
        ),
        "engine": table(
            ["", "plies a second"],
            ([case, shown(found["plies_per_second"])] for case, found in figures["engine"].items()),
        ),
    }


def page(told: Mapping[str, Any], text: str) -> str:
    """The page with these figures in it."""
    new = {"machine": machine(told), **tables(told["figures"])}
    marked = re.compile(r"(<!-- figures: (\w+) -->\n).*?(<!-- end -->)", re.S)
    assert {name for _, name, _ in marked.findall(text)} == set(new)
    return marked.sub(lambda found: f"{found[1]}{new[found[2]]}\n{found[3]}", text)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("figures", nargs="?", type=Path, help="what pbem bench all --json said")
    if figures := parser.parse_args().figures:
        told = json.loads(figures.read_text())
        FIGURES.write_text(json.dumps(told, indent=1) + "\n")
    told = json.loads(FIGURES.read_text())
    for name, chart in charts(told["figures"]):
        (IMAGES / f"{name}.svg").write_text(drawn(chart))
    PAGE.write_text(page(told, PAGE.read_text()))


if __name__ == "__main__":
    main()
