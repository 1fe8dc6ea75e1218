"""Dogs of War: Modern Skirmish Combat, a two-sided game of fire teams in inches."""

from engine.games.skirmish.game import GAME

__all__ = ["GAME"]
