"""The bots. From a view, they evaluate the table after each legal move and choose the best.

``easy`` counts the progress of all pawns. ``steady`` also considers which pawns could be sent Home
soon, and keeps its most valuable cards.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from engine.dice import Dice
from engine.game import Seat
from engine.games.dog.board import (
    BRINGS_OUT,
    E1,
    FARTHEST,
    FRESH,
    HOME,
    TILE,
    ring_length,
    start_of,
)
from engine.games.dog.moves import Discard, DogMove, Give, Help, card_of
from engine.games.dog.rules import Pawns, Table, carry_out
from engine.games.dog.view import DogView, pawns_seen

#: The value of a card in the hand, in fields.
WORTH: Final = {
    "*": 24.0,
    "A": 16.0,
    "K": 16.0,
    "7": 12.0,
    "4": 10.0,
    "J": 6.0,
    "Q": 4.0,
    "10": 3.0,
    "9": 3.0,
    "8": 3.0,
    "6": 2.0,
    "5": 2.0,
    "3": 2.0,
    "2": 2.0,
}
_OUT = 24.0  # a pawn out of Home
_LAP = 64.0  # once around, for any length of the ring
_IN = 16.0  # in the End Zone rather than before it
_DEPTH = 4.0  # per field further in: it makes room


def choose(view: DogView, legal: Sequence[DogMove], dice: Dice, bot: str) -> DogMove:
    """The best move by the bot's evaluation; the first of equals."""
    if len(legal) == 1:
        return legal[0]
    assert view.seat is not None
    first = legal[0]
    if isinstance(first, Give):
        return max(legal, key=lambda move: _gift(view, move, bot))
    if isinstance(first, Help):
        return max(legal, key=lambda move: _nearly_done(view, move))
    if isinstance(first, Discard):
        return min(legal, key=lambda move: WORTH[getattr(move, "card", None) or "2"])
    pawns = pawns_seen(view)
    owner = view.seats[view.seat].moves_pawns_of[0]
    table = Table(pawns, view.options, view.seat, owner)
    weights = _weights(view)

    def value(move: DogMove) -> float:
        assert not isinstance(move, Give | Help | Discard)
        after = carry_out(table, move).pawns
        if bot == "steady":
            return _standing(after, weights) - _danger(after, weights) - WORTH[card_of(move)]
        return _standing(after, weights) - (8.0 if move.joker else 0.0)

    return max(legal, key=value)


def _weights(view: DogView) -> list[float]:
    """The weight of each seat's progress for the bot; negative for rivals."""
    seats, me = len(view.seats), view.seat
    friends = {me: 1.0}
    if seats != 3:
        friends |= dict.fromkeys(view.seats[me or 0].across, 0.8 if seats == 5 else 0.9)
    rival = -0.2 if seats == 5 else -0.5
    return [friends.get(seat, rival) for seat in range(seats)]


def _worth(place: int, owner: Seat, ring: int) -> float:
    """A pawn's progress, in fields of a ring of 64."""
    if place == HOME:
        return 0.0
    if place >= E1:
        return _OUT + _LAP + _IN + _DEPTH * (place - E1)
    if place == FRESH:
        return _OUT
    # On its own Start and not fresh: the End Zone is one step ahead.
    return _OUT + (((place - start_of(owner) - 1) % ring) + 1) * _LAP / ring


def _standing(pawns: Pawns, weights: Sequence[float]) -> float:
    ring = ring_length(len(pawns))
    return sum(
        weight * sum(_worth(place, owner, ring) for place in row)
        for owner, (row, weight) in enumerate(zip(pawns, weights, strict=True))
    )


def _danger(pawns: Pawns, weights: Sequence[float]) -> float:
    """The expected loss of the friends' pawns to rivals close behind."""
    ring = ring_length(len(pawns))
    rivals = [
        start_of(owner) if place == FRESH else place
        for owner, row in enumerate(pawns)
        if weights[owner] < 0
        for place in row
        if HOME < place < E1
    ]
    risk = 0.0
    for owner, row in enumerate(pawns):
        if weights[owner] <= 0:
            continue
        for place in row:
            if HOME < place < FRESH:
                near = sum(1 <= (place - rival) % ring <= FARTHEST for rival in rivals)
                tile, beyond = divmod(place, TILE)
                near += beyond == 0 and weights[tile] < 0 and HOME in pawns[tile]
                risk += weights[owner] * min(near, 3) * 0.08 * _worth(place, owner, ring)
    return risk


def _gift(view: DogView, move: DogMove, bot: str) -> float:
    """The value of a gift: high if it brings out a partner's pawn; a rival gets the worst card."""
    assert isinstance(move, Give)
    assert view.seat is not None
    receivers = view.seats[view.seat].gives_to
    total = 0.0
    for card, receiver in zip(move.cards, receivers, strict=True):
        friend = receiver in view.seats[view.seat].across and len(view.seats) != 3
        stuck = all(pawn.where == "home" for pawn in view.seats[receiver].pawns)
        if friend and bot == "steady" and stuck and card in BRINGS_OUT:
            mine = view.seats[view.seat].pawns
            keys = sum(held in BRINGS_OUT for held in view.hand or ())
            if keys > 1 or any(pawn.where == "ring" for pawn in mine):
                total += 30.0 - WORTH[card]
                continue
        total -= WORTH[card]
    return total


def _nearly_done(view: DogView, move: DogMove) -> float:
    """The value of helping a seat: more if it has more pawns in."""
    assert isinstance(move, Help)
    return sum(pawn.where == "end_zone" for pawn in view.seats[move.seat].pawns)
