"""What somebody who plays Dog for the first time may want to read before this decision."""

from __future__ import annotations

from engine.errors import Sentence
from engine.games.dog.view import DogView

_OUT = frozenset({"A", "K", "*"})


def hints(view: DogView) -> tuple[Sentence, ...]:
    """At most two sentences, the most urgent first; of the rules and a usual plan."""
    if view.seat is None or view.hand is None:
        return ()
    own, hand = view.seats[view.seat], set(view.hand)
    if view.stage == "exchange" and len(view.seats) % 2:
        return (
            Sentence(
                "Before a deal is played, cards change hands. An ace, a king or a joker brings "
                "a pawn out: keep those that you need, and give away what helps others least."
            ),
        )
    if view.stage == "exchange":
        return (
            Sentence(
                "Before a deal is played, cards change hands. An ace, a king or a joker brings "
                "a pawn out: give one to a partner who needs it."
            ),
        )
    if view.stage != "play":
        return ()
    at_home = sum(pawn.where == "home" for pawn in own.pawns)
    said = []
    if at_home == len(own.pawns):
        said.append(
            Sentence("Only an ace, a king or a joker brings a pawn out. Touch the card, then Home.")
            if hand & _OUT
            else Sentence("Without an ace, a king or a joker no pawn comes out.")
        )
    if any(pawn.fresh for pawn in own.pawns):
        said.append(
            Sentence(
                "Your pawn on the Start field is fresh: nobody passes it or sends it Home, and it "
                "cannot go into the End Zone before it has moved on."
            )
        )
    if "7" in hand and at_home < len(own.pawns):
        said.append(
            Sentence(
                "A 7 is seven single steps, for one pawn or for several. Every pawn it passes or "
                "meets goes Home."
            )
        )
    if "4" in hand and any(pawn.where == "ring" for pawn in own.pawns):
        said.append(
            Sentence("A 4 also goes backward: from just past your Start field that saves a round.")
        )
    if not said:
        said.append(
            Sentence("Touch a card: the pawns that it can move light up, and then where they go.")
        )
    return tuple(said[:2])
