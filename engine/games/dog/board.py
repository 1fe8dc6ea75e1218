"""The board and the cards: numbers and names, no rules of play.

A *place* is one number, the same in states, moves, events and views:

- ``0 .. ring - 1``: a field of the ring, counted forward from the Start of seat 0;
- ``HOME``: in the owner's Home;
- ``FRESH``: on the owner's Start and fresh (in states only; moves name the field);
- ``E1 .. E4``: the owner's End Zone, from its entrance to its innermost field;
- ``PARTNER_E1 .. PARTNER_E1 + 3``: the partner's End Zone, only in the parts of a seven that moves
  the pawns of two owners.
"""

from __future__ import annotations

from typing import Final, Literal, TypeAlias, get_args

TILE: Final = 16  # fields from one Start to the next
PAWNS: Final = 4

HOME: Final = -1
FRESH: Final = 99
E1: Final = 100
E4: Final = 103
PARTNER_E1: Final = 104

Rank: TypeAlias = Literal["A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K"]
Card: TypeAlias = Literal["A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "*"]

RANKS: Final[tuple[Rank, ...]] = get_args(Rank)
CARDS: Final[tuple[Card, ...]] = get_args(Card)
JOKER: Final[Literal["*"]] = "*"

#: 8 of each rank and 6 jokers: 110 cards, whatever the number of players.
DECK: Final[tuple[Card, ...]] = tuple(
    card for card in CARDS for _ in range(6 if card == JOKER else 8)
)

#: How many fields a card moves a pawn forward; the seven and the jack are not included.
FORWARD: Final[dict[str, tuple[int, ...]]] = {
    "A": (1, 11),
    "2": (2,),
    "3": (3,),
    "4": (4,),
    "5": (5,),
    "6": (6,),
    "8": (8,),
    "9": (9,),
    "10": (10,),
    "Q": (12,),
    "K": (13,),
}
#: The rank that may also move backward, and how many fields.
BACKWARD: Final[dict[str, int]] = {"4": 4}
#: The ranks that bring a pawn out of Home. A joker is listed as the first of them.
OUT: Final[tuple[Rank, ...]] = ("K", "A")
#: All cards that do.
BRINGS_OUT: Final[frozenset[Card]] = frozenset({*OUT, JOKER})
#: The farthest that a card moves a pawn.
FARTHEST: Final = max(steps for values in FORWARD.values() for steps in values)
SEVEN: Final = 7

_ORDER: dict[str, int] = {card: number for number, card in enumerate(CARDS)}


def by_rank(card: str) -> int:
    """Sort key of cards: ace low, joker last."""
    return _ORDER[card]


def ring_length(seats: int) -> int:
    return TILE * seats


def start_of(seat: int) -> int:
    return TILE * seat


def way_of(seat: int, place: int, seats: int) -> int:
    """How far a pawn of this seat is on its way: 0 at Home, more than the ring in the End Zone."""
    if place == HOME:
        return 0
    if place >= E1:
        return ring_length(seats) + 2 + place - E1
    return 1 if place == FRESH else 1 + (place - start_of(seat)) % ring_length(seats)


def place_name(place: int) -> str:
    """A place as the notation writes it: ``17``, ``e1``, ``p1``; Home is ``home``."""
    if place == HOME:
        return "home"
    if E1 <= place <= E4:
        return f"e{place - E1 + 1}"
    if PARTNER_E1 <= place < PARTNER_E1 + PAWNS:
        return f"p{place - PARTNER_E1 + 1}"
    return str(place)


def complete(row: tuple[int, ...]) -> bool:
    """Whether all four pawns of an owner are in the End Zone (rows are sorted)."""
    return row[0] >= E1
