"""The games have files of one name for the same things, and each says in which order to read it."""

import pkgutil
import re
from importlib import import_module

import pytest

from engine.games.registry import BUILT_IN

FILES = {
    *("game", "meta", "state", "moves", "notation", "events", "rules", "view"),
    *("choices", "worlds", "bot"),
}
GAMES = pytest.mark.parametrize("path", BUILT_IN.values())


def modules(path):
    """All modules and folders of a package, named from there: "state", "sight", "sight.look"."""
    package = import_module(path)
    found = pkgutil.walk_packages(package.__path__, f"{path}.")
    return {module.name.removeprefix(f"{path}."): module.ispkg for module in found}


def named(path):
    """What a package's own text names of itself, in the order of reading."""
    return re.findall(r"``([\w.]+)``", import_module(path).__doc__)


@GAMES
def test_what_every_game_has_stands_in_files_of_the_same_name(path):
    assert set(modules(path)) >= FILES


@GAMES
def test_a_game_names_all_that_is_in_it_in_the_order_of_reading(path):
    there = modules(path)
    told = named(path)
    for folder in (name for name, is_folder in there.items() if is_folder):
        if folder in told:  # else its files stand in the game's own text
            told += [f"{folder}.{name}" for name in named(f"{path}.{folder}")]
        else:
            told.append(folder)

    assert sorted(told) == sorted(there)
