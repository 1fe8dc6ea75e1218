"""The engine alone: plies per second of random play, for each game and number of seats."""

from __future__ import annotations

import time
from pathlib import Path

from engine.games import registry
from engine.testing import play_random_match


def measure(_scratch: Path, seconds: float) -> dict[str, float]:
    """``GAME_SEATS_plies_per_second``; each form gets an equal share of the time."""
    tables = [(game, seats) for game in registry.games().values() for seats in game.meta.seats]
    figures = {}
    for game, seats in tables:
        plies, matches, begun = 0, 0, time.perf_counter()
        while time.perf_counter() - begun < seconds / len(tables):
            plies += play_random_match(game, seats, seed=f"bench {matches}").plies
            matches += 1
        rate = plies / (time.perf_counter() - begun)
        figures[f"{game.meta.name}_{seats}_plies_per_second"] = round(rate, 1)
    return figures
