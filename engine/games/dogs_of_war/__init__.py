"""Dogs of War: mercenary captains between six houses, for 3 to 5 players (rules DOW-1 to 100).

The files, in reading order:

- ``box.components`` (what the box holds), ``box.names`` (what it is called), ``meta`` (options and
  versions), ``state``, ``moves``, ``events``;
- what moves change: ``effects.draft`` (a step under construction), ``effects.rewards``;
- an action turn: ``action.position`` (what its player knows), ``action.placements`` (the legal
  actions), ``action.reasons`` (why not), ``action.foresight`` (what is certain), ``action.effect``;
- a match: ``course.setup``, ``course.year``, the last decisions of a year in ``course.conqueror``
  and ``course.stormcrow``, ``course.outcome``, ``course.scoring``;
- ``rules``, which calls all of these phase by phase; ``rulebook``, which tells them in sentences;
- ``orders.text`` (writing orders), ``orders.words``, ``orders.action``, ``orders.battles`` (parsing
  orders), ``notation``;
- ``view``, ``choices`` (what a player can choose), ``hints`` (for beginners), ``worlds`` (what a
  seat cannot know), ``bot``, and ``game``, which implements the contract with all of these.
"""

from engine.games.dogs_of_war.game import DogsOfWar

GAME = DogsOfWar()

__all__ = ["GAME", "DogsOfWar"]
