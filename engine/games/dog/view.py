"""What one seat, or an onlooker, may see of a table of Dog, built from scratch."""

from __future__ import annotations

from typing import Literal

import msgspec

from engine.errors import Sentence
from engine.game import Seat
from engine.games.dog.board import CARDS, E1, FRESH, HOME, Card, complete, ring_length, start_of
from engine.games.dog.flow import table_of
from engine.games.dog.meta import DogOptions
from engine.games.dog.reasons import effect_of, why_unplayable
from engine.games.dog.rules import Pawns, plays
from engine.games.dog.state import (
    DogState,
    across,
    hand_size,
    helped_by,
    receivers,
    teams,
)


class PawnView(msgspec.Struct, frozen=True, gc=False):
    """A pawn. ``field``: on the ring 0 to ring - 1; in the End Zone 1 to 4; at Home -1."""

    where: Literal["home", "ring", "end_zone"]
    field: int
    fresh: bool


class SeatView(msgspec.Struct, frozen=True):
    """What everybody may know of a seat."""

    pawns: tuple[PawnView, ...]
    #: The field where its pawns come out, and behind which its End Zone branches off.
    start: int
    cards: int
    #: Whether it has chosen its gifts in this phase.
    handed_in: bool
    #: All its pawns are in the End Zone.
    finished: bool
    #: The owners whose pawns its cards move: usually itself; or none, or two to choose from.
    moves_pawns_of: tuple[Seat, ...]
    #: Its partner (four or six players), or the two players across (five), or nobody (three).
    across: tuple[Seat, ...]
    #: The receivers of its gifts, in the order of its cards.
    gives_to: tuple[Seat, ...]


class DogView(msgspec.Struct, frozen=True):
    """The table as one seat sees it; ``seat`` is None for an onlooker."""

    seat: Seat | None
    options: DogOptions
    ring: int
    stage: Literal["exchange", "help", "play", "over"]
    pending: tuple[Seat, ...]
    #: Number of the phase (deal), from 1, and the cards each was dealt in it.
    deal: int
    hand_size: int
    dealer: Seat
    starter: Seat
    #: All seats in turn order, from the starter on.
    turn_order: tuple[Seat, ...]
    #: Whose turn it is, while cards are played.
    turn: Seat | None
    teams: tuple[tuple[Seat, ...], ...]
    seats: tuple[SeatView, ...]
    deck: int
    #: The whole discard pile, oldest first; the last is on top.
    discards: tuple[Card, ...]
    winners: tuple[Seat, ...]
    #: The seat's own cards; None for an onlooker.
    hand: tuple[Card, ...] | None = None
    #: What the seat gave away in this phase.
    gave: tuple[Card, ...] = ()
    #: What each card of the hand does.
    effects: dict[Card, Sentence] = {}
    #: The cards of the hand that cannot be played now, and why. Empty while gifts are chosen.
    unplayable: dict[Card, Sentence] = {}


def pawn_view(owner: Seat, place: int) -> PawnView:
    """The view of a pawn at a stored place."""
    if place == HOME:
        return PawnView("home", -1, False)
    if place >= E1:
        return PawnView("end_zone", place - E1 + 1, False)
    return PawnView("ring", start_of(owner) if place == FRESH else place, place == FRESH)


def place_of(pawn: PawnView) -> int:
    """The place of a pawn in a view, as ``board`` numbers it."""
    if pawn.where == "home":
        return HOME
    if pawn.where == "end_zone":
        return E1 + pawn.field - 1
    return FRESH if pawn.fresh else pawn.field


def pawns_seen(view: DogView) -> Pawns:
    """The places of all pawns in a view, as states store them."""
    return tuple(tuple(sorted(place_of(pawn) for pawn in seat.pawns)) for seat in view.seats)


def _seat_view(state: DogState, seat: Seat) -> SeatView:
    row = state.pawns[seat]
    return SeatView(
        pawns=tuple(pawn_view(seat, place) for place in row),
        start=start_of(seat),
        cards=len(state.hands[seat]),
        handed_in=bool(state.gifts[seat]),
        finished=complete(row),
        moves_pawns_of=helped_by(state.pawns, state.helping, seat),
        across=across(state.seats, seat),
        gives_to=receivers(state.seats, seat),
    )


def unplayable(state: DogState, seat: Seat) -> dict[Card, Sentence]:
    """The cards of a seat's hand that it cannot play now, each with the reason."""
    cards = dict.fromkeys(state.hands[seat])
    if not helped_by(state.pawns, state.helping, seat):
        return dict.fromkeys(cards, Sentence("You have no pawn left to move."))
    table = table_of(state, seat)
    if table is None:
        return dict.fromkeys(cards, Sentence("First choose whose pawns you will move."))
    return {
        card: why_unplayable(table, card).sentence
        for card in cards
        if next(plays(table, (card,)), None) is None
    }


def see(state: DogState, seat: Seat | None, phase: str, pending: frozenset[Seat]) -> DogView:
    """The view of this seat."""
    seats = range(state.seats)
    hand = None if seat is None else state.hands[seat]
    return DogView(
        seat=seat,
        options=state.options,
        ring=ring_length(state.seats),
        stage=phase,  # type: ignore[arg-type]
        pending=tuple(sorted(pending)),
        deal=state.deal,
        hand_size=hand_size(state.seats, state.deal),
        dealer=state.dealer,
        starter=state.starter,
        turn_order=tuple((state.starter + step) % state.seats for step in seats),
        turn=state.turn if state.stage == "play" else None,
        teams=teams(state.seats),
        seats=tuple(_seat_view(state, other) for other in seats),
        deck=len(state.deck),
        discards=state.discards,
        winners=state.winners,
        hand=hand,
        gave=() if seat is None else state.gifts[seat],
        effects={card: effect_of(card, state.options) for card in CARDS if hand and card in hand},
        unplayable={} if seat is None or state.stage != "play" else unplayable(state, seat),
    )
