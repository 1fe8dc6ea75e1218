"""What somebody who plays the skirmish for the first time may want to read before this decision."""

from __future__ import annotations

from collections.abc import Mapping

from engine.errors import Sentence
from engine.games.skirmish.view import View

#: By stage.
_HINTS: Mapping[str, tuple[Sentence, ...]] = {
    "building": (
        Sentence(
            "Buy teams of four men within the points. A ready-made force is good to begin with."
        ),
    ),
    "deployment": (
        Sentence("Put your men on the striped ground, where walls and hedges hide them."),
    ),
    "initiative": (
        Sentence(
            "In each turn the sides take their teams one after another. Whoever goes first "
            "shoots first; whoever goes second sees more."
        ),
    ),
    "activation": (
        Sentence(
            "Each man has 10 AP. Walk from cover to cover, then fire at whom you see: the number "
            "is your chance. Two men at one enemy are better than two at two."
        ),
        Sentence(
            "A man who waits and fires watches a sector in the enemy's turn, and shoots at whoever "
            "runs through it."
        ),
    ),
}


def hints(view: View) -> tuple[Sentence, ...]:
    """At most two sentences about the stage; after the first turn what is new."""
    found = () if view.seat is None else _HINTS.get(view.stage, ())
    return found[-1:] if view.turn > 1 else found
