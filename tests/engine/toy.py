"""A small whole game to try the laws on, and ways to break it.

High Card: each of two or three seats is dealt three of twelve cards. Three times all lay one card
face down at once; the highest takes the trick. Most tricks win.
"""

from __future__ import annotations

from enum import StrEnum
from typing import ClassVar

import msgspec

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
    Step,
)

replace = msgspec.structs.replace


class ToyOptions(Options, frozen=True, forbid_unknown_fields=True):
    low_wins: bool = False


class Ending(StrEnum):
    TRICKS = "tricks"


class ToyState(msgspec.Struct, frozen=True):
    options: ToyOptions
    hands: tuple[tuple[int, ...], ...]
    laid: tuple[int, ...]  # 0 until a card is laid
    tricks: tuple[int, ...]


class Lay(Move, frozen=True, forbid_unknown_fields=True):
    card: int


class Dealt(Event, frozen=True, tag_field="kind", tag="dealt"):
    seat: int
    cards: tuple[int, ...]


class Laid(Event, frozen=True, tag_field="kind", tag="laid"):
    seat: int
    card: int | None = None


class Trick(Event, frozen=True, tag_field="kind", tag="trick"):
    seat: int
    cards: tuple[int, ...]


class ToyView(msgspec.Struct, frozen=True):
    laid: tuple[bool, ...]
    tricks: tuple[int, ...]
    cards: tuple[int, ...]
    hand: tuple[int, ...] | None
    own: int


class Toy(Game[ToyState, Lay, Dealt | Laid | Trick, ToyView, ToyOptions]):
    meta: ClassVar[Meta] = Meta(
        name="toy", title="High Card", seats=(2, 3), rules_version="1", summary="For tests."
    )
    options_type = ToyOptions
    state_type = ToyState
    move_type = Lay
    event_type = Dealt | Laid | Trick
    view_type = ToyView

    def setup(self, seats, options, dice):
        cards = dice.shuffle("start", "deck", range(1, 13))
        hands = tuple(tuple(sorted(cards[3 * seat : 3 * seat + 3])) for seat in range(seats))
        state = ToyState(options, hands, (0,) * seats, (0,) * seats)
        events = [Dealt(seat=seat, cards=hand, readers=(seat,)) for seat, hand in enumerate(hands)]
        return Step(state, tuple(events), reveals=True)

    def phase(self, state):
        waiting = frozenset(
            seat
            for seat, (hand, card) in enumerate(zip(state.hands, state.laid, strict=True))
            if hand and not card
        )
        return Phase("lay" if waiting else "over", waiting)

    def legal_moves(self, state, seat):
        if seat in self.phase(state).pending:
            for card in state.hands[seat]:
                yield Lay(card)

    def check(self, state, seat, move):
        self.refuse_unless_pending(state, seat)
        if move.card not in state.hands[seat]:
            raise IllegalMove("You do not hold {card}.", rule="TOY-1", card=move.card)

    def default_move(self, state, seat):
        return Lay(min(state.hands[seat]))

    def parse(self, state, seat, text):
        words = text.lower().split()
        if len(words) != 2 or words[0] != "lay" or not words[1].isascii():
            raise Unreadable("Write lay and a card, as in lay 7.")
        if not words[1].isdigit() or len(words[1]) > 2:
            raise Unreadable("{word} is not a card.", word=words[1])
        move = Lay(int(words[1]))
        self.check(state, seat, move)
        return move

    def format(self, move):
        return f"lay {move.card}"

    def apply(self, state, seat, move, dice):
        hand = tuple(card for card in state.hands[seat] if card != move.card)
        state = replace(
            state,
            hands=(*state.hands[:seat], hand, *state.hands[seat + 1 :]),
            laid=(*state.laid[:seat], move.card, *state.laid[seat + 1 :]),
        )
        events = [Laid(seat=seat, card=move.card, readers=(seat,)), self.public(seat, move)]
        if not all(state.laid):
            return Step(state, tuple(events))
        best = (min if state.options.low_wins else max)(state.laid)
        taker = state.laid.index(best)
        events.append(Trick(seat=taker, cards=state.laid))
        tricks = tuple(n + (seat == taker) for seat, n in enumerate(state.tricks))
        state = replace(state, laid=(0,) * len(state.laid), tricks=tricks)
        return Step(state, tuple(events), reveals=True)

    def public(self, seat, move):
        return Laid(seat=seat)

    def outcome(self, state):
        if self.phase(state).pending:
            return None
        scores = tuple(
            Score(seat, tricks, (ScorePart(Sentence("Tricks"), tricks),))
            for seat, tricks in enumerate(state.tricks)
        )
        best = max(state.tricks)
        return Outcome(
            Ending.TRICKS, tuple(seat for seat, n in enumerate(state.tricks) if n == best), scores
        )

    def view(self, state, seat):
        return ToyView(
            tuple(map(bool, state.laid)),
            state.tricks,
            tuple(map(len, state.hands)),
            None if seat is None else state.hands[seat],
            0 if seat is None else state.laid[seat],
        )

    def other_world(self, state, seat, dice):
        others = [other for other in range(len(state.hands)) if other != seat]
        known = set() if seat is None else {*state.hands[seat], state.laid[seat]}
        # Cards of former tricks could come back here; the toy's views do not remember them.
        pool = list(dice.shuffle("world", "cards", [c for c in range(1, 13) if c not in known]))
        hands, laid = list(state.hands), list(state.laid)
        for other in others:
            hands[other] = tuple(sorted(pool.pop() for _ in hands[other]))
            laid[other] = pool.pop() if laid[other] else 0
        return replace(state, hands=tuple(hands), laid=tuple(laid))

    def choose(self, view, legal, dice, bot="easy"):
        return legal[dice.roll("bot", "card", len(legal)) - 1]
