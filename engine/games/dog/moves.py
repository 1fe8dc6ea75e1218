"""The moves, and how they are written.

The notation, one line:

- ``give 7``, in Odd Dog ``give 7 A``: first card to the next player (to the one two seats on, with
  five players), second card to the other;
- ``CARD FROM-TO``: ``5 12-17``, ``5 60-e1``, ``4 20-16``; ``K out``, ``A out``;
- ``J 12x40``: your pawn on 12 with the other player's pawn on 40;
- ``7 12-15 30-34``: the parts of a seven in their order;
- a joker has a star before the card it stands for: ``*K out``, ``*7 12-15 30-34``;
- ``help 3``: the pawns of seat 3, counted from 1; ``discard``, or ``discard 9``.

``e1 .. e4`` is the End Zone of the owner whose pawns are moved; in a seven that moves the pawns of
two owners, ``p1 .. p4`` is that of the partner.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from engine.game import Move, Seat
from engine.games.dog.board import JOKER, Card, Rank, place_name


class Give(Move, frozen=True, forbid_unknown_fields=True, tag_field="kind", tag="give"):
    """Cards for ``state.receivers``, in that order."""

    cards: tuple[Card, ...]


class Help(Move, frozen=True, forbid_unknown_fields=True, tag_field="kind", tag="help"):
    """The owner whose pawns a finished seat moves until they are in (ODD5-9)."""

    seat: Seat


class Out(Move, frozen=True, forbid_unknown_fields=True, tag_field="kind", tag="out", gc=False):
    """A pawn from Home to Start."""

    rank: Rank
    joker: bool = False


class Go(Move, frozen=True, forbid_unknown_fields=True, tag_field="kind", tag="go", gc=False):
    """One pawn forward, or backward with a four."""

    rank: Rank
    source: int
    target: int
    joker: bool = False


class Swap(Move, frozen=True, forbid_unknown_fields=True, tag_field="kind", tag="swap", gc=False):
    """A jack: the pawn on ``source`` with another owner's on ``target``."""

    source: int
    target: int
    joker: bool = False


class Seven(Move, frozen=True, forbid_unknown_fields=True, tag_field="kind", tag="seven"):
    """A seven in its parts, each (source, target), in the order they are made."""

    parts: tuple[tuple[int, int], ...]
    joker: bool = False


class Discard(Move, frozen=True, forbid_unknown_fields=True, tag_field="kind", tag="discard"):
    """The whole hand (None), or, by an option, one card."""

    card: Card | None = None


Play: TypeAlias = Out | Go | Swap | Seven
DogMove: TypeAlias = Give | Help | Out | Go | Swap | Seven | Discard


def played_rank(move: Play) -> Rank:
    """The rank of a play; for a joker, the rank it stands for."""
    if isinstance(move, Swap):
        return "J"
    if isinstance(move, Seven):
        return "7"
    return move.rank


def card_of(move: Play) -> Card:
    """The card played from the hand."""
    return JOKER if move.joker else played_rank(move)


def write(move: DogMove) -> str:
    """The move as an order."""
    match move:
        case Give(cards):
            return write_gift(cards)
        case Help(seat):
            return f"help {seat + 1}"
        case Discard(card):
            return "discard" if card is None else f"discard {card}"
    return write_play(played_rank(move), move.joker, write_parts(move))


def write_gift(cards: Sequence[str]) -> str:
    return " ".join(("give", *cards))


def write_play(rank: str, joker: bool, parts: Sequence[str]) -> str:
    return " ".join((f"{JOKER}{rank}" if joker else rank, *parts))


def write_parts(move: Play) -> tuple[str, ...]:
    """The parts of a play as text, one for each pawn or pair of pawns."""
    match move:
        case Out():
            return ("out",)
        case Swap(source, target):
            return (f"{place_name(source)}x{place_name(target)}",)
    return tuple(f"{place_name(source)}-{place_name(target)}" for source, target in places_of(move))


def places_of(move: Play) -> tuple[tuple[int, int], ...]:
    """The (source, target) of each part of a play; empty for a pawn that comes out."""
    match move:
        case Go(_, source, target) | Swap(source, target):
            return ((source, target),)
        case Seven(parts):
            return parts
        case Out():
            return ()
