"""The events of a match of Dog, from which the sentences are made.

``seat`` is always the seat that acted; ``owner`` whose pawn it is (they differ when a finished
player moves another's pawns). Fields are places as in ``board``: ring fields, or ``E1 .. E4`` of
the owner.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TypeAlias

from engine.game import Event, Seat
from engine.games.dog.board import Card, Rank, place_name


class Ending(StrEnum):
    """Why a match is over: whose pawns are all in the End Zone; ``DRAW`` if nobody wins."""

    TEAM = "team"
    ALONE = "alone"
    ACROSS = "across"
    DRAW = "draw"


class Dealt(Event, frozen=True, tag_field="kind", tag="dealt"):
    """Phase ``deal`` begins: ``dealer`` dealt ``cards`` cards to each; ``starter`` will begin."""

    deal: int
    cards: int
    dealer: Seat
    starter: Seat


class Hand(Event, frozen=True, tag_field="kind", tag="hand"):
    """The cards dealt to a seat. Only that seat reads it."""

    seat: Seat
    cards: tuple[Card, ...]


class Reshuffled(Event, frozen=True, tag_field="kind", tag="reshuffled"):
    """The draw deck ran out: ``cards`` discards were shuffled into a new one."""

    deal: int
    cards: int


class Gave(Event, frozen=True, tag_field="kind", tag="gave"):
    """A seat chose its gifts: ``cards[i]`` goes to ``receivers[i]``. Only that seat reads it."""

    seat: Seat
    cards: tuple[Card, ...]
    receivers: tuple[Seat, ...]


class HandedIn(Event, frozen=True, tag_field="kind", tag="handed_in"):
    """A seat has chosen its gifts, which stay secret."""

    seat: Seat


class Exchanged(Event, frozen=True, tag_field="kind", tag="exchanged"):
    """All gifts were chosen and handed over. Play begins with ``starter``."""

    starter: Seat


class Received(Event, frozen=True, tag_field="kind", tag="received"):
    """The card a seat received from ``giver``. Only that seat reads it."""

    seat: Seat
    giver: Seat
    card: Card


class HelpChosen(Event, frozen=True, tag_field="kind", tag="help_chosen"):
    """A finished seat chose whose pawns it moves until they are in (Odd Dog for five)."""

    seat: Seat
    helped: Seat


class Played(Event, frozen=True, tag_field="kind", tag="played"):
    """A seat plays a card, as ``rank``; a joker if ``joker``. Its effects follow."""

    seat: Seat
    rank: Rank
    joker: bool


class CameOut(Event, frozen=True, tag_field="kind", tag="came_out"):
    """A pawn left Home and is fresh on its Start, ``field``."""

    seat: Seat
    owner: Seat
    field: int


class Moved(Event, frozen=True, tag_field="kind", tag="moved"):
    """A pawn moved from ``source`` to ``target``; ``steps`` is negative for backward.

    Each part of a seven is one such event.
    """

    seat: Seat
    owner: Seat
    source: int
    target: int
    steps: int

    @property
    def places(self) -> tuple[str, str]:
        """From where to where, as a sentence names places: ``17``, ``E1``."""
        return place_name(self.source).upper(), place_name(self.target).upper()


class EndZoneEntered(Event, frozen=True, tag_field="kind", tag="end_zone_entered"):
    """The pawn that just moved entered its End Zone from the ring."""

    seat: Seat
    owner: Seat
    field: int


class Swapped(Event, frozen=True, tag_field="kind", tag="swapped"):
    """A jack swapped ``owner``'s pawn, from ``source``, with ``other``'s, from ``target``."""

    seat: Seat
    owner: Seat
    source: int
    other: Seat
    target: int


class SentHome(Event, frozen=True, tag_field="kind", tag="sent_home"):
    """``owner``'s pawn on ``field`` goes Home; ``overtaken`` by a seven, or landed on."""

    seat: Seat
    owner: Seat
    field: int
    overtaken: bool


class Lapsed(Event, frozen=True, tag_field="kind", tag="lapsed"):
    """Steps of a seven that were left over and lost."""

    seat: Seat
    steps: int


class Discarded(Event, frozen=True, tag_field="kind", tag="discarded"):
    """A seat could play nothing and put these cards on the discard pile."""

    seat: Seat
    cards: tuple[Card, ...]


class Finished(Event, frozen=True, tag_field="kind", tag="finished"):
    """All four pawns of ``owner`` are in the End Zone."""

    owner: Seat


class Won(Event, frozen=True, tag_field="kind", tag="won"):
    """The match is over. ``winners`` is empty when all players fulfilled the condition: a draw."""

    winners: tuple[Seat, ...]


DogEvent: TypeAlias = (
    Dealt
    | Hand
    | Reshuffled
    | Gave
    | HandedIn
    | Exchanged
    | Received
    | HelpChosen
    | Played
    | CameOut
    | Moved
    | EndZoneEntered
    | Swapped
    | SentHome
    | Lapsed
    | Discarded
    | Finished
    | Won
)
