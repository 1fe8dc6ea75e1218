"""Snatch: everybody plays a card at once, unseen; the highest takes the round's points.

SNA-1: each seat is dealt five cards of a deck numbered from 1; nobody sees another's hand.
SNA-2: in a round every seat lays one card face down; when all lie there, they are turned up.
SNA-3: the highest card takes as many points as the round's number. The most points win.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import StrEnum

import msgspec

from engine.dice import Dice
from engine.errors import IllegalMove, Sentence, Unreadable
from engine.game import (
    Event,
    Game,
    Meta,
    Move,
    Options,
    Outcome,
    Phase,
    Score,
    ScorePart,
    Seat,
    Step,
)

CARDS = 5
#: A card that was not laid yet.
NONE = 0


class SnatchOptions(Options, frozen=True, forbid_unknown_fields=True):
    #: The lowest card takes the points instead.
    lowest: bool = False


class Ending(StrEnum):
    ALL_ROUNDS_PLAYED = "all rounds played"


class SnatchState(msgspec.Struct, frozen=True):
    options: SnatchOptions
    #: By seat, rising. A card that lies face down is no longer in the hand.
    hands: tuple[tuple[int, ...], ...]
    #: What each seat laid in this round, hidden until all have.
    laid: tuple[int, ...]
    #: What was turned up in the rounds before, a card for each seat.
    rounds: tuple[tuple[int, ...], ...] = ()


class Lay(Move, frozen=True, forbid_unknown_fields=True):
    card: int


class Laid(Event, frozen=True, kw_only=True, tag_field="kind", tag="laid"):
    """Somebody laid a card: everybody reads that, only its owner which."""

    seat: Seat
    card: int = NONE


class TurnedUp(Event, frozen=True, kw_only=True, tag_field="kind", tag="turned_up"):
    cards: tuple[int, ...]
    taker: Seat
    points: int


class SnatchView(msgspec.Struct, frozen=True):
    #: One's own cards; none for an onlooker.
    hand: tuple[int, ...]
    #: The card that one laid oneself in this round.
    own: int
    #: Who has laid a card.
    done: tuple[bool, ...]
    rounds: tuple[tuple[int, ...], ...]
    points: tuple[int, ...]


def taker(cards: tuple[int, ...], options: SnatchOptions) -> Seat:
    """SNA-3: who takes a round. No two cards are equal."""
    return cards.index(min(cards) if options.lowest else max(cards))


def points(state: SnatchState) -> tuple[int, ...]:
    won = [0] * len(state.hands)
    for number, cards in enumerate(state.rounds, 1):
        won[taker(cards, state.options)] += number
    return tuple(won)


class Snatch(Game[SnatchState, Lay, Laid | TurnedUp, SnatchView, SnatchOptions]):
    meta = Meta(
        name="snatch",
        title="Snatch",
        seats=(2, 3, 4),
        rules_version="1",
        summary="Everybody lays a card at once; the highest takes the points of the round.",
    )
    options_type = SnatchOptions
    state_type = SnatchState
    move_type = Lay
    event_type = Laid | TurnedUp
    view_type = SnatchView

    def setup(
        self, seats: int, options: SnatchOptions, dice: Dice
    ) -> Step[SnatchState, Laid | TurnedUp]:
        deck = dice.shuffle("start", "deal", range(1, (seats + 1) * CARDS + 1))
        hands = tuple(
            tuple(sorted(deck[seat * CARDS : (seat + 1) * CARDS])) for seat in range(seats)
        )
        return Step(SnatchState(options, hands, (NONE,) * seats), (), reveals=True)

    def phase(self, state: SnatchState) -> Phase:
        if len(state.rounds) == CARDS:
            return Phase("over", frozenset())
        return Phase("lay", frozenset(seat for seat, card in enumerate(state.laid) if not card))

    def legal_moves(self, state: SnatchState, seat: Seat) -> Iterable[Lay]:
        if seat in self.phase(state).pending:
            yield from map(Lay, state.hands[seat])

    def check(self, state: SnatchState, seat: Seat, move: Lay) -> None:
        self.refuse_unless_pending(state, seat)
        if move.card not in state.hands[seat]:
            raise IllegalMove("You do not hold {card}.", rule="SNA-2", card=move.card)

    def default_move(self, state: SnatchState, seat: Seat) -> Lay:
        return Lay(state.hands[seat][0])

    def parse(self, state: SnatchState, seat: Seat, text: str) -> Lay:
        words = text.lower().split()
        number = words[1] if len(words) == 2 and words[0] == "lay" else ""
        if not (number.isascii() and number.isdigit() and len(number) < 4):
            raise Unreadable("Write the card that you lay, as in: lay 7.")
        move = Lay(int(number))
        self.check(state, seat, move)
        return move

    def format(self, move: Lay) -> str:
        return f"lay {move.card}"

    def apply(
        self, state: SnatchState, seat: Seat, move: Lay, dice: Dice
    ) -> Step[SnatchState, Laid | TurnedUp]:
        hands = tuple(
            tuple(card for card in hand if owner != seat or card != move.card)
            for owner, hand in enumerate(state.hands)
        )
        laid = tuple(move.card if owner == seat else card for owner, card in enumerate(state.laid))
        others = tuple(other for other in range(len(hands)) if other != seat)
        told = (
            Laid(seat=seat, card=move.card, readers=(seat,)),
            Laid(seat=seat, readers=others),
        )
        if not all(laid):
            return Step(msgspec.structs.replace(state, hands=hands, laid=laid), told)
        after = SnatchState(state.options, hands, (NONE,) * len(hands), (*state.rounds, laid))
        up = TurnedUp(cards=laid, taker=taker(laid, state.options), points=len(after.rounds))
        return Step(after, (up,), reveals=True)

    def outcome(self, state: SnatchState) -> Outcome[Ending] | None:
        if len(state.rounds) < CARDS:
            return None
        totals = points(state)
        scores = tuple(
            Score(seat, total, (ScorePart(Sentence("Rounds taken"), total),))
            for seat, total in enumerate(totals)
        )
        winners = tuple(seat for seat, total in enumerate(totals) if total == max(totals))
        return Outcome(Ending.ALL_ROUNDS_PLAYED, winners, scores)

    def view(self, state: SnatchState, seat: Seat | None) -> SnatchView:
        return SnatchView(
            hand=() if seat is None else state.hands[seat],
            own=NONE if seat is None else state.laid[seat],
            done=tuple(bool(card) for card in state.laid),
            rounds=state.rounds,
            points=points(state),
        )

    def other_world(self, state: SnatchState, seat: Seat | None, dice: Dice) -> SnatchState:
        """What the others hold and have laid is dealt anew from all cards not seen."""
        seats = len(state.hands)
        seen = {card for cards in state.rounds for card in cards}
        if seat is not None:
            seen |= {*state.hands[seat], state.laid[seat]}
        rest = [card for card in range(1, (seats + 1) * CARDS + 1) if card not in seen]
        pool = list(dice.shuffle("other world", "hands", rest))
        hands, laid = list(state.hands), list(state.laid)
        for other in range(seats):
            if other == seat:
                continue
            hands[other] = tuple(sorted(pool.pop() for _ in hands[other]))
            if laid[other]:
                laid[other] = pool.pop()
        return msgspec.structs.replace(state, hands=tuple(hands), laid=tuple(laid))

    def choose(self, view: SnatchView, legal: Sequence[Lay], dice: Dice, bot: str = "easy") -> Lay:
        """A high card for a late round: those are worth more."""
        return legal[min(len(view.rounds), len(legal) - 1)]


GAME = Snatch()
