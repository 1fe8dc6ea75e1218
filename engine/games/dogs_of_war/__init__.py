"""Dogs of War: mercenary captains between six houses, for 3 to 5 players (rules DOW-1 to 100)."""

from engine.games.dogs_of_war.rules import DogsOfWar

GAME = DogsOfWar()

__all__ = ["GAME", "DogsOfWar"]
