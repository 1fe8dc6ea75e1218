"""Dog for four or six players, Odd Dog for five or three.

The files, in reading order: ``meta`` (forms and options), ``board`` (numbers and names), ``state``,
``moves`` and ``notation`` (what is handed in, and reading it), ``rules`` and ``sevens`` (which
plays there are and what they do), ``flow`` (dealing, turns, the end), ``events``, ``view``,
``reasons`` (why not), ``worlds`` (what a seat cannot know), ``bot``, and ``game``, which answers
the contract with all of these.
"""

from engine.games.dog.game import Dog

GAME = Dog()
