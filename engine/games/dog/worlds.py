"""Other states that a seat cannot distinguish from the real one."""

from __future__ import annotations

import msgspec

from engine.dice import Dice
from engine.game import Seat
from engine.games.dog.board import Card, by_rank
from engine.games.dog.state import DogState, receivers


def other_world(state: DogState, seat: Seat | None, dice: Dice) -> DogState:
    """All hidden cards shuffled together and dealt again: hands, gifts on the table, draw deck."""
    known = [_known(state, seat, other) for other in range(state.seats)]
    gifts_hidden = [state.stage == "exchange" and other != seat for other in range(state.seats)]
    pool = list(state.deck)
    for other in range(state.seats):
        pool += _less(state.hands[other], known[other])
        pool += state.gifts[other] if gifts_hidden[other] else ()
    cards = dice.shuffle("another world", "hidden cards", pool)
    hands: list[tuple[Card, ...]] = []
    gifts: list[tuple[Card, ...]] = []
    for other in range(state.seats):
        count = len(state.hands[other]) - len(known[other])
        hands.append(tuple(sorted((*known[other], *cards[:count]), key=by_rank)))
        cards = cards[count:]
        count = len(state.gifts[other]) if gifts_hidden[other] else 0
        gifts.append(cards[:count] if gifts_hidden[other] else state.gifts[other])
        cards = cards[count:]
    world = msgspec.structs.replace(state, hands=tuple(hands), gifts=tuple(gifts), deck=cards)
    return _with_other_gifts(world, seat, dice)


def _known(state: DogState, seat: Seat | None, other: Seat) -> tuple[Card, ...]:
    """The cards in the hand of ``other`` that ``seat`` knows: its own hand; gifts still held."""
    if other == seat:
        return state.hands[other]
    return tuple(card for giver, to, card in state.held_gifts if giver == seat and to == other)


def _less(hand: tuple[Card, ...], cards: tuple[Card, ...]) -> list[Card]:
    rest = list(hand)
    for card in cards:
        rest.remove(card)
    return rest


def _with_other_gifts(state: DogState, seat: Seat | None, dice: Dice) -> DogState:
    """Replaces gifts still held between others with other cards of the receivers' new hands."""
    gifts = [list(cards) for cards in state.gifts]
    held: list[tuple[Seat, Seat, Card]] = []
    free = {
        other: list(
            dice.shuffle(
                "another world",
                f"gifts to {other}",
                _less(state.hands[other], _known(state, seat, other)),
            )
        )
        for other in range(state.seats)
    }
    for giver, to, card in state.held_gifts:
        if seat not in (giver, to):
            card = free[to].pop()
            gifts[giver][receivers(state.seats, giver).index(to)] = card
        held.append((giver, to, card))
    return msgspec.structs.replace(
        state, gifts=tuple(tuple(cards) for cards in gifts), held_gifts=tuple(held)
    )
