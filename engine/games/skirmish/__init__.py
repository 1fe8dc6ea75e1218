"""Dogs of War: Modern Skirmish Combat, a two-sided game of fire teams in inches.

In reading order. First the values, which know no rule: ``meta`` (options), ``ground`` (the table),
``data`` (weapons, lists and scenarios, as their files have them), ``moves`` (what is handed in) and
``notation`` (reading and writing it), ``events`` (what happens), ``state`` (all there is), and
``versions`` (what older matches play otherwise).

Then ``play``, one step being worked out, and the rules that work it out, each folder on those
before it: ``sight`` (who sees whom), ``men`` (wounds and nerve), ``combat`` (fire, blasts, hand to
hand), ``movement``, ``stages`` (from the building of forces to the score) and ``orders`` (what a
man may be told to do). ``rules`` says with them whose move it is and what it does.

Last what others get of it: ``view`` (what a seat sees), ``shown`` (what pages and mails draw from
it), ``choices`` (what can be chosen), ``composing`` (the order that the fields of a page make),
``worlds`` (what a seat cannot know), ``bot``, and ``game``, which answers the contract.
"""

from engine.games.skirmish.game import GAME

__all__ = ["GAME"]
