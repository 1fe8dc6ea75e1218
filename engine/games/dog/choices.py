"""What a player can choose in Dog, computed from the player's view: complete orders, by card.

Every option is one order that the game lists, with its components: the card, what a joker stands
for, and its parts, each with its places on the board. So a page can ask for one component after the
other and narrow the orders down, without parsing them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Literal

import msgspec

from engine.choices import Option, check_fields
from engine.errors import Sentence, listed
from engine.game import Seat
from engine.games.dog import flow
from engine.games.dog.board import (
    E1,
    HOME,
    JOKER,
    PARTNER_E1,
    PAWNS,
    SEVEN,
    Card,
    Rank,
    place_name,
    ring_length,
)
from engine.games.dog.moves import (
    Discard,
    DogMove,
    Give,
    Help,
    Play,
    Swap,
    card_of,
    places_of,
    played_rank,
    write,
    write_gift,
    write_parts,
    write_play,
)
from engine.games.dog.rules import Table, steps_between
from engine.games.dog.view import DogView, pawns_seen


class Place(msgspec.Struct, frozen=True):
    """The place where a part begins or ends."""

    #: Its number (see ``board``), the sort key of places.
    number: int
    #: As orders write it: ``12``, ``e1``.
    order: str
    #: As people read it: ``12``, ``E1``.
    name: str
    #: What represents it on the drawing: ``data-place``, and ``data-owner`` if every seat has a
    #: place with that name.
    mark: str
    owner: Seat | None


class Part(msgspec.Struct, frozen=True):
    """What one pawn, or a pair that changes places, does in a play; or a further card in a gift."""

    #: As the order writes it.
    order: str
    label: Sentence
    #: None for a card in a gift.
    source: Place | None = None
    #: None for a card in a gift, and for a pawn that comes out.
    target: Place | None = None
    swap: bool = False
    steps: int = 0
    #: What represents the places of its way on the drawing, from ``source`` to ``target``; those of
    #: an End Zone are of the target's owner.
    through: tuple[str, ...] = ()


class PlayOption(Option, frozen=True, kw_only=True):
    """A play: its card, the rank it is played as, and the indexes of its parts in the choices."""

    card: Card
    rank: Rank
    parts: tuple[int, ...]


class GiftOption(Option, frozen=True, kw_only=True):
    """Cards to give, each with its receiver; ``parts`` are those after the first."""

    cards: tuple[Card, ...]
    to: tuple[Seat, ...]
    parts: tuple[int, ...]


class DiscardOption(Option, frozen=True, kw_only=True):
    """One card to put down."""

    card: Card


class HelpOption(Option, frozen=True, kw_only=True):
    """Whose pawns to move until they are in."""

    seat: Seat


class CardChoice(msgspec.Struct, frozen=True):
    """A card of the hand: what it does, and its plays or the reason why it has none."""

    card: Card
    #: How many such cards are in the hand.
    number: int
    effect: Sentence
    #: Its plays; or one option that cannot be chosen, with the reason.
    options: tuple[Option, ...]

    @property
    def why_not(self) -> Sentence | None:
        return self.options[0].why_not


class DogChoices(msgspec.Struct, frozen=True):
    """What there is to choose. ``cards`` is empty except while cards are played."""

    stage: Literal["exchange", "help", "play", "discard"]
    #: All legal orders.
    options: tuple[Option, ...]
    cards: tuple[CardChoice, ...] = ()
    parts: tuple[Part, ...] = ()

    @property
    def stepwise(self) -> dict[str, Any] | None:
        """What a page needs to ask step by step; None if no card is to be chosen.

        ``cards_only``: no pawn moves, cards are given or put down. ``parts`` by index. ``ranks``:
        what a joker can stand for, with the beginning of its orders. ``steps``: the steps of a
        seven.
        """
        if not isinstance(self.options[0], PlayOption | GiftOption | DiscardOption):
            return None
        return {
            "cards_only": self.stage != "play",
            "steps": SEVEN,
            "cards": self._card_rows(),
            "ranks": {
                option.rank: write_play(option.rank, True, ())
                for option in self.options
                if isinstance(option, PlayOption) and option.card == JOKER
            },
            "parts": self.parts,
        }

    @property
    def made_of(self) -> list[tuple[str, Card, Rank | None, tuple[int, ...]]]:
        """Each order, its card, what a joker stands for, and the indexes of its parts."""
        return [_components(option) for option in self.options]

    def _card_rows(self) -> list[dict[str, Any]]:
        if self.stage == "play":
            return [
                {"card": one.card, "effect": one.effect, "why_not": one.why_not}
                for one in self.cards
            ]
        cards = dict.fromkeys(card for _, card, _, _ in self.made_of)
        return [{"card": card, "effect": None, "why_not": None} for card in cards]


def _components(option: Option) -> tuple[str, Card, Rank | None, tuple[int, ...]]:
    if isinstance(option, PlayOption):
        rank = option.rank if option.card == JOKER else None
        return option.order, option.card, rank, option.parts
    if isinstance(option, DiscardOption):
        return option.order, option.card, None, ()
    assert isinstance(option, GiftOption)
    return option.order, option.cards[0], None, option.parts


def of(view: DogView) -> DogChoices | None:
    """What the seat of this view can choose; None if it has nothing to decide."""
    if view.seat is None or view.seat not in view.pending:
        return None
    moves = tuple(_moves(view))
    match moves[0]:
        case Give():
            return _gifts(view, [move for move in moves if isinstance(move, Give)])
        case Help():
            helped = tuple(
                HelpOption(
                    write(move),
                    Sentence("the pawns of seat {number}", {"number": move.seat + 1}),
                    seat=move.seat,
                )
                for move in moves
                if isinstance(move, Help)
            )
            return DogChoices("help", helped)
        case Discard():
            return DogChoices("discard", tuple(_discard(move) for move in moves))
    return _plays(view, [move for move in moves if not isinstance(move, Give | Help | Discard)])


def _moves(view: DogView) -> Iterator[DogMove]:
    """Every legal move of the seat, from what it sees."""
    assert view.seat is not None
    assert view.hand is not None
    own = view.seats[view.seat]
    if view.stage == "exchange":
        return flow.gifts(view.hand, len(own.gives_to))
    pawns, owners = pawns_seen(view), own.moves_pawns_of
    return flow.moves_of_turn(pawns, view.options, view.seat, owners, view.hand)


def card_name(card: Card) -> Sentence:
    return Sentence("joker") if card == JOKER else Sentence("{card}", {"card": card})


def _discard(move: DogMove) -> Option:
    assert isinstance(move, Discard)
    if move.card is None:
        return Option(write(move), Sentence("put the whole hand down"))
    label = Sentence("put down {card}", {"card": card_name(move.card)})
    return DiscardOption(write(move), label, card=move.card)


# --- gifts ---


def _gifts(view: DogView, gifts: list[Give]) -> DogChoices:
    assert view.seat is not None
    to = view.seats[view.seat].gives_to
    further = tuple(dict.fromkeys(card for gift in gifts for card in gift.cards[1:]))
    options = tuple(
        GiftOption(
            write(gift),
            listed(map(card_name, gift.cards)),
            cards=gift.cards,
            to=to,
            parts=tuple(further.index(card) for card in gift.cards[1:]),
        )
        for gift in gifts
    )
    parts = tuple(Part(card, card_name(card)) for card in further)
    return DogChoices("exchange", options, parts=parts)


# --- plays ---


def _plays(view: DogView, moves: list[Play]) -> DogChoices:
    assert view.seat is not None
    owner = view.seats[view.seat].moves_pawns_of[0]
    table = Table(pawns_seen(view), view.options, view.seat, owner)
    parts: dict[str, tuple[int, Part]] = {}
    options = []
    for move in moves:
        orders = write_parts(move)
        for order, ends in zip(orders, places_of(move) or (None,), strict=True):
            if order not in parts:
                part = _moved(table, move, order, *ends) if ends else _out(table, order)
                parts[order] = (len(parts), part)
        order = write_play(played_rank(move), move.joker, orders)
        options.append(_option(move, order, [parts[one] for one in orders]))
    return DogChoices(
        "play",
        tuple(options),
        tuple(_cards(view, options)),
        tuple(part for _, part in parts.values()),
    )


def _option(move: Play, order: str, parts: list[tuple[int, Part]]) -> PlayOption:
    label = listed(part.label for _, part in parts) if len(parts) > 1 else parts[0][1].label
    rank = played_rank(move)
    if move.joker:
        label = Sentence("joker as {card}: {play}", {"card": rank, "play": label})
    numbers = tuple(number for number, _ in parts)
    return PlayOption(order, label, card=card_of(move), rank=rank, parts=numbers)


def _out(table: Table, order: str) -> Part:
    """A pawn comes out of Home."""
    home = place_name(HOME)
    place = Place(HOME, home, home, home, table.owner)
    return Part(order, Sentence("a pawn comes out of Home"), place)


def _moved(table: Table, move: Play, order: str, source: int, target: int) -> Part:
    """A pawn goes from one place to another, or two change places."""
    swap = isinstance(move, Swap)
    ends = _place(table, source), _place(table, target)
    text = "{source} and {target} change places" if swap else "{source} → {target}"
    label = Sentence(text, {"source": ends[0].name, "target": ends[1].name})
    if swap:
        return Part(order, label, *ends, swap)
    steps, through = _way(table, move, source, target)
    return Part(order, label, *ends, swap, steps, tuple(map(place_name, through)))


def _place(table: Table, place: int) -> Place:
    name = place_name(place)
    if place < E1:
        return Place(place, name, name, name, None)
    mates = place >= PARTNER_E1
    inside = place_name(place - PAWNS if mates else place)
    return Place(place, name, name.upper(), inside, table.mate if mates else table.owner)


def _way(table: Table, move: Play, source: int, target: int) -> tuple[int, list[int]]:
    """The steps of a part, and the places from its source to its target.

    The partner's End Zone branches off behind the partner's Start.
    """
    if target >= PARTNER_E1:
        table = msgspec.structs.replace(table, owner=table.mate)
        source, target = source - PAWNS if source >= PARTNER_E1 else source, target - PAWNS
    steps = steps_between(table, played_rank(move), source, target)
    if source >= E1:
        return steps, list(range(source, target + 1))
    ring, back = ring_length(table.seats), steps < 0
    on_ring = steps - (target - E1 + 1) if target >= E1 else steps
    fields = [
        (source + step) % ring
        for step in range(0, on_ring + (-1 if back else 1), -1 if back else 1)
    ]
    return steps, [*fields, *range(E1, target + 1)]


def _cards(view: DogView, options: list[PlayOption]) -> Iterator[CardChoice]:
    assert view.hand is not None
    for card in dict.fromkeys(view.hand):
        own: tuple[Option, ...] = tuple(option for option in options if option.card == card)
        if not own:
            own = (Option(card, card_name(card), why_not=view.unplayable[card]),)
        yield CardChoice(card, view.hand.count(card), view.effects[card], own)


# --- the order of what was picked ---

#: The fields of a play: its card, what a joker stands for, and its parts in their order. Of gifts:
#: the first card, and the further ones as parts.
FIELDS = ("card", "rank", "parts")


def compose(view: DogView, picked: Mapping[str, str]) -> str:
    """The order made from these fields (``Game.compose``)."""
    check_fields(picked, FIELDS)
    card, parts = picked.get("card", ""), picked.get("parts", "").split()
    if view.stage == "exchange":
        return write_gift((card, *parts))
    joker = card == JOKER
    return write_play(picked.get("rank", "") if joker else card, joker, parts)
