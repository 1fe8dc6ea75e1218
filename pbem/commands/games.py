"""``pbem games``: which games are installed."""

from __future__ import annotations

import json
from typing import Any

import click
import msgspec

from engine.games import registry
from pbem.commands import json_option, print_json


@click.command()
@json_option
def command(as_json: bool) -> None:
    """The games that are installed, their seats, options and bots."""
    games = registry.games()
    if as_json:
        print_json({"games": [described(game) for game in games.values()]})
        return
    # no table, which could cut an option's name short: whoever sets it needs all of it
    for game in games.values():
        told = described(game)
        seats, bots = ", ".join(map(str, told["seats"])), ", ".join(told["bots"])
        click.echo(f"{told['name']}: {told['title']}, rules {told['rules_version']}")
        click.echo(f"  seats: {seats}; bots: {bots}")
        for name, value in told["options"].items():
            click.echo(f"    {name} = {value if isinstance(value, str) else json.dumps(value)}")


def described(game: registry.AnyGame) -> dict[str, Any]:
    """A game's title, seats, options and bots, in plain values."""
    return {
        **msgspec.to_builtins(game.meta),
        "options": msgspec.to_builtins(game.options_type()),
    }
