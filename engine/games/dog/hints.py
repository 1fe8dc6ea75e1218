"""What somebody who plays Dog for the first time may want to read before this decision."""

from __future__ import annotations

from collections.abc import Iterator

from engine.errors import Sentence
from engine.games.dog.board import BACKWARD, BRINGS_OUT, FARTHEST, Card
from engine.games.dog.meta import is_odd
from engine.games.dog.view import DogView, SeatView


def hints(view: DogView) -> tuple[Sentence, ...]:
    """At most two sentences, the most urgent first; of the rules and a usual plan."""
    if view.seat is None or view.hand is None:
        return ()
    own = view.seats[view.seat]
    if view.stage == "exchange":
        return tuple(_of_an_exchange(view, own))
    if view.stage != "play":
        return ()
    return tuple(_of_a_turn(view, own, view.hand))[:2]


def _of_an_exchange(view: DogView, own: SeatView) -> Iterator[Sentence]:
    if view.deal == 1 and len(view.seats) == 3:
        yield Sentence("The first with all four pawns in the End Zone wins.")
    if len(view.seats) == 5:
        yield Sentence(
            "Before a deal is played, cards change hands. An ace, a king or a joker brings "
            "a pawn out: give one to a player across who needs it, as you need their pawns in."
        )
    elif len(view.seats) != 3:
        yield Sentence(
            "Before a deal is played, cards change hands. An ace, a king or a joker brings "
            "a pawn out: give one to a partner who needs it."
        )
    elif any(pawn.where == "home" for pawn in own.pawns):
        yield Sentence(
            "Before a deal is played, cards change hands. An ace, a king or a joker brings "
            "a pawn out: keep those that you need, and give away what helps others least."
        )
    else:
        yield Sentence(
            "Before a deal is played, cards change hands. Keep what brings you into the End Zone: "
            "an ace, a king or a joker helps whoever has a pawn at Home."
        )


def _of_a_turn(view: DogView, own: SeatView, hand: tuple[Card, ...]) -> Iterator[Sentence]:
    running = [pawn for pawn in own.pawns if pawn.where == "ring"]
    if view.deal == 1 and len(hand) == view.hand_size:
        yield Sentence("Tap a card: the pawns that it can move light up, and then where they go.")
    if not running and any(pawn.where == "home" for pawn in own.pawns):
        yield (
            Sentence("Only an ace, a king or a joker brings a pawn out. Tap the card, then Home.")
            if BRINGS_OUT.intersection(hand)
            else Sentence("Without an ace, a king or a joker no pawn comes out.")
        )
    if "4" in hand and any(
        (pawn.field - own.start) % view.ring <= BACKWARD["4"] for pawn in running
    ):
        yield Sentence("A 4 also goes back: from your Start, or just past it, that saves a round.")
    if "7" in hand and running:
        yield _seven(view)
    if any(pawn.fresh for pawn in running):
        yield Sentence(
            "Your pawn on the Start field is fresh: nobody passes it or sends it Home, and it "
            "cannot go into the End Zone before it has moved on."
        )
    elif any((own.start - pawn.field) % view.ring < FARTHEST for pawn in running):
        yield Sentence(
            "At your Start a pawn turns into the End Zone, if the steps fit exactly. It passes no "
            "pawn there, and nothing sends it Home."
        )


def _seven(view: DogView) -> Sentence:
    if is_odd(len(view.seats)):
        return Sentence(
            "A 7 is seven single steps, for one pawn or for several. A pawn goes Home if one of "
            "them stops on its field, not if it is passed."
        )
    if view.options.seven_burns_own:
        return Sentence(
            "A 7 is seven single steps, for one pawn or for several. Every pawn that it passes "
            "or stops on goes Home."
        )
    return Sentence(
        "A 7 is seven single steps, for one pawn or for several. The pawns of others that it "
        "passes go Home, and any pawn that it stops on."
    )
