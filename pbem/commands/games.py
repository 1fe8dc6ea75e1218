"""``pbem games``: which games are installed."""

from __future__ import annotations

from typing import Any

import click
import msgspec
from rich.table import Table

from engine.games import registry
from pbem.commands import console, json_option, print_json


@click.command()
@json_option
def command(as_json: bool) -> None:
    """The games that are installed, their seats, options and bots."""
    games = registry.games()
    if as_json:
        print_json({"games": [described(game) for game in games.values()]})
        return
    table = Table("game", "title", "seats", "options", "bots", "rules", box=None, pad_edge=False)
    for game in games.values():
        told = described(game)
        table.add_row(
            told["name"],
            told["title"],
            ", ".join(map(str, told["seats"])),
            ", ".join(f"{name}={value}" for name, value in told["options"].items()) or "none",
            ", ".join(told["bots"]),
            told["rules_version"],
        )
    console().print(table)


def described(game: registry.AnyGame) -> dict[str, Any]:
    """What there is to know about a game before a match of it, in plain values."""
    return {
        **msgspec.to_builtins(game.meta),
        "options": msgspec.to_builtins(game.options_type()),
    }
