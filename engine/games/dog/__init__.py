"""Dog for four or six players, Odd Dog for five or three.

The files, in reading order:

- ``meta``: the forms by number of seats, and the options;
- ``board``: numbers and names of places and cards;
- ``state``: the whole state, and the relations of the seats;
- ``moves`` and ``notation``: what a seat submits, and reading and writing it;
- ``rules``, with ``sevens`` for the hard card: the legal plays and their effects;
- ``flow``: dealing, turns, the end;
- ``events``: what can happen, and who may read it;
- ``reasons``: why a play is not legal; ``rulebook``: the rules of a match in sentences;
- ``view``: what a seat sees;
- ``choices``: what it can choose, for a page;
- ``hints``: what a beginner may want to read;
- ``drawing``: where things are on the picture of the board;
- ``worlds``: what it cannot know, drawn again at random;
- ``bot``: chooses a move from a view;
- ``game``: implements the contract with all of these.
"""

from engine.games.dog.game import Dog

GAME = Dog()
