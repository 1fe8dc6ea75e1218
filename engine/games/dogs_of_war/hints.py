"""What somebody who plays Dogs of War for the first time may want to read before this decision."""

from __future__ import annotations

from collections.abc import Mapping

from engine.errors import Sentence
from engine.games.dogs_of_war.view import View

#: By phase.
_HINTS: Mapping[str, tuple[Sentence, ...]] = {
    "dogs of war": (
        Sentence(
            "The most points after four years win. Choose a dog of war: its power is yours for the "
            "whole match."
        ),
    ),
    "first player": (
        Sentence("Whoever has the first-player token buys and moves first, all through the year."),
    ),
    "mustering": (
        Sentence(
            "Each captain needs a soldier. Stronger soldiers push a battle's tracker farther and "
            "may take better spaces, but cost more coins."
        ),
    ),
    "action": (
        Sentence(
            "Send a captain with a soldier to a space: the tracker moves toward that house, and "
            "you take at once what the space shows."
        ),
        Sentence(
            "With a captain on the winning side you get a point for each captain on the losing "
            "one. Influence counts more the higher its house ends."
        ),
    ),
    "conqueror": (Sentence("Your dog of war may move trackers before battles are decided."),),
    "withdrawal": (Sentence("Your captains on a losing side may leave it before it counts."),),
}


def hints(view: View) -> tuple[Sentence, ...]:
    """At most two sentences about the phase; after the first year what is new."""
    if view.seat is None or view.seat not in view.pending:
        return ()
    found = _HINTS.get(view.table.phase, ())
    return found[-1:] if view.table.year > 1 else found
