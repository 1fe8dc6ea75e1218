"""The installed games: the built-in ones, and plug-ins of the entry point group ``pbem.games``.

A plug-in's entry point names a :class:`engine.game.Game` object::

    [project.entry-points."pbem.games"]
    my-game = "my_package.rules:GAME"
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from types import MappingProxyType
from typing import Any, TypeAlias

from engine.errors import DataError, UnknownGame, shown
from engine.game import Game

AnyGame: TypeAlias = Game[Any, Any, Any, Any, Any]

#: The built-in games: each name and the module whose ``GAME`` it is.
BUILT_IN: Mapping[str, str] = {
    "dog": "engine.games.dog",
    "dogs-of-war": "engine.games.dogs_of_war",
    "skirmish": "engine.games.skirmish",
}


@cache
def games() -> Mapping[str, AnyGame]:
    """All games by name, built-in ones first. A plug-in cannot take a built-in game's name."""
    found: dict[str, AnyGame] = {
        name: import_module(module).GAME for name, module in BUILT_IN.items()
    }
    for entry in sorted(entry_points(group="pbem.games"), key=lambda entry: entry.name):
        game = entry.load()
        if not isinstance(game, Game) or game.meta.name != entry.name:
            raise DataError(
                "The plug-in {entry} does not name a game called {entry}.", entry=entry.name
            )
        if entry.name in found:
            raise DataError("Two installed games are called {entry}.", entry=entry.name)
        found[entry.name] = game
    return MappingProxyType(found)


def find(name: str) -> AnyGame:
    """The game with this name; raises UnknownGame."""
    try:
        return games()[name]
    except KeyError:
        raise UnknownGame(
            "There is no game called {name}. There are: {names}.",
            name=shown(name),
            names=", ".join(games()),
        ) from None
