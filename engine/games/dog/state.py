"""The whole state of a match of Dog, hidden things included, and the relations of the seats."""

from __future__ import annotations

from typing import Literal

import msgspec

from engine.game import Seat
from engine.games.dog.board import Card, complete
from engine.games.dog.meta import DogOptions, is_odd

#: Stands for nobody in a field that holds a seat.
NOBODY = -1


class DogState(msgspec.Struct, frozen=True, gc=False):
    """The state. ``pawns[seat]``: four places (``board``), ascending; hands sorted by rank."""

    options: DogOptions
    seats: int
    pawns: tuple[tuple[int, ...], ...]
    hands: tuple[tuple[Card, ...], ...]
    #: What each seat gave away in this phase, () until it has; hidden until all have.
    gifts: tuple[tuple[Card, ...], ...]
    #: The draw deck; the next card is the last.
    deck: tuple[Card, ...]
    discards: tuple[Card, ...]
    #: Phases of the rules (deals) are counted from 1.
    deal: int
    dealer: Seat
    #: Whose turn it is, while cards are played.
    turn: Seat
    stage: Literal["exchange", "play", "over"]
    #: Odd Dog for five: whom a finished seat chose to help, or NOBODY.
    helping: tuple[Seat, ...]
    #: Gifts known to be still in the receiver's hand: (giver, receiver, card).
    held_gifts: tuple[tuple[Seat, Seat, Card], ...] = ()
    winners: tuple[Seat, ...] = ()

    @property
    def starter(self) -> Seat:
        """The seat with the first turn of the phase: the dealer's right-hand neighbour (DOG-8)."""
        return (self.dealer + 1) % self.seats


def hand_size(seats: int, deal: int) -> int:
    """The number of cards dealt to each seat in phase ``deal`` (DOG-5, ODD5-4, ODD3-3)."""
    if is_odd(seats) and deal > 5:
        return 5 - (deal - 6) % 4
    return 6 - (deal - 1) % 5


def partner(seats: int, seat: Seat) -> Seat:
    """The partner, opposite (DOG-1), or NOBODY in Odd Dog."""
    return NOBODY if is_odd(seats) else (seat + seats // 2) % seats


def across(seats: int, seat: Seat) -> tuple[Seat, ...]:
    """The two seats across (five players, ODD5-1), the partner (four or six), or nobody (three)."""
    if seats == 5:
        return ((seat + 2) % 5, (seat + 3) % 5)
    return () if seats == 3 else (partner(seats, seat),)


def receivers(seats: int, seat: Seat) -> tuple[Seat, ...]:
    """The receivers of this seat's gifts, in the order of its cards (DOG-13, ODD5-2, ODD3-2)."""
    return ((seat + 1) % 3, (seat + 2) % 3) if seats == 3 else across(seats, seat)


def teams(seats: int) -> tuple[tuple[Seat, ...], ...]:
    """The teams (DOG-1); none in Odd Dog."""
    if is_odd(seats):
        return ()
    return tuple((seat, seat + seats // 2) for seat in range(seats // 2))


def helped_by(
    pawns: tuple[tuple[int, ...], ...], helping: tuple[Seat, ...], seat: Seat
) -> tuple[Seat, ...]:
    """The owners whose pawns a seat may move: one, none, or two to choose from (ODD5-9).

    A seat moves its own pawns until all are in the End Zone; then its partner's (DOG-61), or those
    of the players across (ODD5-9 to ODD5-11), or, with three players, nobody's (ODD3-6).
    """
    if not complete(pawns[seat]):
        return (seat,)
    open_ones = tuple(other for other in across(len(pawns), seat) if not complete(pawns[other]))
    return (helping[seat],) if helping[seat] in open_ones else open_ones
