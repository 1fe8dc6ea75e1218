"""Dogs of War: Modern Skirmish Combat, a two-sided game of fire teams in inches.

In reading order. First the values, without rules: ``meta`` (options), ``ground`` (the table),
``data`` (weapons, lists and scenarios, as their files have them), ``moves`` (what a seat submits),
``words`` and ``notation`` (parsing and formatting it), ``examples`` (how orders are written),
``events`` (what happens), ``state`` (the whole state), and ``versions`` (rules that differ in older
matches).

Then ``play``, one step under construction, and the rules that construct it, each folder using those
before it: ``sight`` (line of sight), ``men`` (things, wounds and morale), ``combat`` (fire, blasts,
hand to hand), ``movement``, ``stages`` (from building forces to the score) and ``orders`` (the
orders a man can be given). ``rules`` uses them to decide whose turn it is and what a move does;
``rulebook`` tells the rules of a match in sentences.

Last what others use: ``view`` (what a seat sees), ``shown`` (what pages and mails draw from it),
``choices`` (what can be chosen), ``hints`` (for beginners), ``composing`` (the order made from the
fields of a page), ``supposing`` (an order of a list, carried out on what its seat knows),
``worlds`` (what a seat cannot know), ``bot``, and ``game``, which implements the contract.
"""

from engine.games.skirmish.game import GAME

__all__ = ["GAME"]
