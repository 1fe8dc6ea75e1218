"""The engine alone: plies per second of random play, for each game and number of seats."""

from __future__ import annotations

import time

from engine.games import registry
from engine.simulation import play_match
from pbem.bench._rounds import BenchOptions, Figures


def measure(asked: BenchOptions) -> Figures:
    """``plies_per_second`` for each game and number of seats, which share the time."""
    tables = [(game, seats) for game in registry.games().values() for seats in game.meta.seats]
    found: Figures = {}
    for game, seats in tables:
        asked.say(game.meta.name)
        plies, matches, begun = 0, 0, time.perf_counter()
        while time.perf_counter() - begun < asked.seconds / len(tables):
            plies += play_match(game, seats, seed=f"bench {matches}").plies
            matches += 1
        rate = plies / (time.perf_counter() - begun)
        found[f"{game.meta.name}, {seats} seats"] = {"plies_per_second": round(rate, 1)}
    return found
