"""Dog for four or six players, Odd Dog for five or three.

The files, in reading order:

- ``meta``: the forms by number of seats, and the options;
- ``board``: numbers and names of places and cards;
- ``state``: all there is, and who belongs with whom;
- ``moves`` and ``notation``: what is handed in and how it is written, and reading it;
- ``rules``, with ``sevens`` for the hard one: which plays there are, and what they do;
- ``flow``: dealing, turns, the end;
- ``events``: what can happen, and who may read it;
- ``reasons``: why a play is not legal;
- ``view``: what a seat sees;
- ``choices``: what it can choose, for a page;
- ``worlds``: what it cannot know, dealt anew;
- ``bot``: a choice from a view;
- ``game``: the contract, answered with all of these.
"""

from engine.games.dog.game import Dog

GAME = Dog()
