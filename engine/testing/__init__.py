"""Random play and the laws that hold for every game.

For a game's author: register the game, and ``tests/engine/test_laws.py`` runs all laws on it, for
each number of seats and with each option set to each of its values in turn. To use a law by hand::

    for moment in moments(game, seats=4, options=game.options_type(), seed="1", every=10):
        check_moment(game, moment, strangers=())

A *law* is a function that returns if a property holds, and else raises ``BrokenLaw`` with a
sentence. Laws are not the rules of a game; each rule has its own test.

Everything is seeded by a text: the same text plays the same match. Moves are chosen with a
generator of their own; the randomness of a match itself always comes from dice.

``cases`` holds the states that laws are checked at, ``laws`` the laws of a moment, and
``whole_matches`` those of a match from its first ply to its last.
"""

from engine.simulation import BrokenLaw
from engine.testing.cases import Case, Moment, moments, option_sets
from engine.testing.laws import (
    LAWS,
    answers_tell_no_more_than_views,
    check_moment,
    choices_are_what_they_say,
    options_in,
)
from engine.testing.whole_matches import other_worlds_differ, replay_gives_the_same

__all__ = [
    "LAWS",
    "BrokenLaw",
    "Case",
    "Moment",
    "answers_tell_no_more_than_views",
    "check_moment",
    "choices_are_what_they_say",
    "moments",
    "option_sets",
    "options_in",
    "other_worlds_differ",
    "replay_gives_the_same",
]
