"""The course of a match: dealing, exchanging cards, the order of turns, and the end."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, permutations
from typing import Any

import msgspec

from engine.dice import Dice
from engine.game import Seat
from engine.games.dog.board import DECK, E4, FRESH, HOME, PAWNS, Card, by_rank, complete
from engine.games.dog.events import (
    Dealt,
    Discarded,
    DogEvent,
    Exchanged,
    Finished,
    Gave,
    Hand,
    HandedIn,
    HelpChosen,
    Received,
    Reshuffled,
    Won,
)
from engine.games.dog.meta import DogOptions
from engine.games.dog.moves import Discard, DogMove, Give, Help, Play, card_of
from engine.games.dog.rules import Pawns, Table, carry_out, plays
from engine.games.dog.state import (
    NOBODY,
    DogState,
    across,
    hand_size,
    helped_by,
    receivers,
    teams,
)

replace = msgspec.structs.replace


def begin(seats: int, options: DogOptions, dice: Dice) -> tuple[DogState, list[DogEvent]]:
    """The state after the first deal, and its events (DOG-5, DOG-7)."""
    dealer = (
        dice.roll("setup", "first dealer", seats) - 1 if options.first_dealer == "random" else 0
    )
    empty: tuple[tuple[Card, ...], ...] = ((),) * seats
    before = DogState(
        options=options,
        seats=seats,
        pawns=(_row_at_first(options),) * seats,
        hands=empty,
        gifts=empty,
        deck=dice.shuffle("deal 1", "new deck", DECK),
        discards=(),
        deal=0,
        # One seat back, because dealing moves the dealer on.
        dealer=(dealer - 1) % seats,
        turn=0,
        stage="play",
        helping=(NOBODY,) * seats,
    )
    events: list[DogEvent] = []
    return deal(before, dice, events), events


def _row_at_first(options: DogOptions) -> tuple[int, ...]:
    """Where a player's pawns begin: Home, unless the options say otherwise (DOG-29)."""
    inside = tuple(range(E4 + 1 - options.pawns_in, E4 + 1))
    outside = (FRESH,) if options.pawn_out else ()
    return (HOME,) * (PAWNS - len(outside) - len(inside)) + outside + inside


def deal(state: DogState, dice: Dice, events: list[DogEvent]) -> DogState:
    """The next phase: one card at a time, from the starter on (DOG-5, 6, 8, 11, 12)."""
    seats, number = state.seats, state.deal + 1
    size = hand_size(seats, number)
    dealer = (state.dealer + 1) % seats
    needed = size * seats
    deck, discards = state.deck, state.discards
    drawn = deck[: -needed - 1 : -1]
    deck = deck[: len(deck) - len(drawn)]
    if len(drawn) < needed:
        events.append(Reshuffled(deal=number, cards=len(discards)))
        deck, discards = dice.shuffle(f"deal {number}", "discards", discards), ()
        missing = needed - len(drawn)
        drawn += deck[: -missing - 1 : -1]
        deck = deck[:-missing]
    starter = (dealer + 1) % seats
    hands = tuple(
        tuple(sorted(drawn[(seat - starter) % seats :: seats], key=by_rank))
        for seat in range(seats)
    )
    events.append(Dealt(deal=number, cards=size, dealer=dealer, starter=starter))
    events += [Hand(seat=seat, cards=hand, readers=(seat,)) for seat, hand in enumerate(hands)]
    return replace(
        state,
        hands=hands,
        gifts=((),) * seats,
        held_gifts=(),
        deck=deck,
        discards=discards,
        deal=number,
        dealer=dealer,
        turn=starter,
        stage="exchange",
    )


def without(hand: tuple[Card, ...], card: str) -> tuple[Card, ...]:
    """The hand without one such card."""
    place = hand.index(card)
    return hand[:place] + hand[place + 1 :]


def put(rows: tuple[Any, ...], seat: Seat, row: Any) -> tuple[Any, ...]:
    """The rows of all seats, with one seat's row replaced."""
    return (*rows[:seat], row, *rows[seat + 1 :])


def give(state: DogState, seat: Seat, move: Give, events: list[DogEvent]) -> DogState:
    """A seat's gifts; after the last choice all are exchanged (DOG-13, 14, ODD5-2, 3, ODD3-2)."""
    hand = state.hands[seat]
    for card in move.cards:
        hand = without(hand, card)
    state = replace(
        state, hands=put(state.hands, seat, hand), gifts=put(state.gifts, seat, move.cards)
    )
    to = receivers(state.seats, seat)
    events.append(Gave(seat=seat, cards=move.cards, receivers=to, readers=(seat,)))
    events.append(HandedIn(seat=seat))
    if all(state.gifts):
        state = _exchange(state, events)
    return state


def _exchange(state: DogState, events: list[DogEvent]) -> DogState:
    hands = [list(hand) for hand in state.hands]
    held: list[tuple[Seat, Seat, Card]] = []
    events.append(Exchanged(starter=state.starter))
    for giver, cards in enumerate(state.gifts):
        for receiver, card in zip(receivers(state.seats, giver), cards, strict=True):
            hands[receiver].append(card)
            held.append((giver, receiver, card))
            events.append(Received(seat=receiver, giver=giver, card=card, readers=(receiver,)))
    return replace(
        state,
        hands=tuple(tuple(sorted(hand, key=by_rank)) for hand in hands),
        held_gifts=tuple(held),
        stage="play",
        turn=state.starter,
    )


def gifts(hand: Sequence[Card], count: int) -> Iterator[Give]:
    """DOG-13, ODD5-2, ODD3-2: every choice of ``count`` cards, one for each receiver."""
    for cards in dict.fromkeys(permutations(hand, count)):
        yield Give(cards)


def moves_of_turn(
    pawns: Pawns, options: DogOptions, seat: Seat, owners: Sequence[Seat], hand: Sequence[Card]
) -> Iterator[DogMove]:
    """Every move of the seat whose turn it is; ``owners`` are the seats whose pawns it may move.

    If there are two owners, it first chooses between them. If no card is playable, it discards.
    """
    if len(owners) == 2:
        return map(Help, owners)
    if owners:
        found = plays(Table(pawns, options, seat, owners[0]), dict.fromkeys(hand))
        first = next(found, None)
        if first is not None:
            return chain((first,), found)
    # DOG-19: the whole hand; or, by an option, one card of the player's choice
    return iter((Discard(),)) if options.discard == "all" else map(Discard, dict.fromkeys(hand))


def help_out(state: DogState, seat: Seat, move: Help, events: list[DogEvent]) -> DogState:
    """A finished seat chooses whom to help, and keeps its turn (ODD5-9, ODD5-10)."""
    events.append(HelpChosen(seat=seat, helped=move.seat))
    return replace(state, helping=put(state.helping, seat, move.seat))


def table_of(state: DogState, seat: Seat) -> Table | None:
    """What the seat's plays depend on; None if it may move no pawns or must choose whose."""
    owners = helped_by(state.pawns, state.helping, seat)
    return Table(state.pawns, state.options, seat, owners[0]) if len(owners) == 1 else None


def play(
    state: DogState, seat: Seat, move: Play | Discard, dice: Dice, events: list[DogEvent]
) -> tuple[DogState, bool]:
    """Plays a card or discards the hand, with everything that follows.

    Also returns whether new cards were dealt.
    """
    return _next_turn(lay_down(state, seat, move, events), seat, dice, events)


def lay_down(state: DogState, seat: Seat, move: Play | Discard, events: list[DogEvent]) -> DogState:
    """Plays a card or discards the hand, and moves the pawns; does not yet pass the turn on."""
    pawns, hand = state.pawns, state.hands[seat]
    gone: tuple[Card, ...]
    if isinstance(move, Discard):
        gone = hand if move.card is None else (move.card,)
        left = () if move.card is None else without(hand, move.card)
        events.append(Discarded(seat=seat, cards=gone))
    else:
        table = table_of(state, seat)
        assert table is not None
        gone = (card_of(move),)
        left = without(hand, gone[0])
        result = carry_out(table, move)
        pawns = result.pawns
        events += result.events
    held = [gift for gift in state.held_gifts if gift[1] != seat or gift[2] not in gone]
    return replace(
        state,
        pawns=pawns,
        hands=put(state.hands, seat, left),
        discards=state.discards + gone,
        held_gifts=tuple(held),
    )


def _next_turn(
    state: DogState, seat: Seat, dice: Dice, events: list[DogEvent]
) -> tuple[DogState, bool]:
    """Passes the turn on; a new phase if all hands are empty; the end if the match is won."""
    if state.seats != 5 and Finished in map(type, events):
        winners = _winners_at_once(state)
        if winners:
            return _end(state, winners, events), False
    turn = _next_with_cards(state.hands, seat)
    if state.seats == 5 and _ends_round(state, seat, turn):
        winners = fulfilled(state)
        if winners:
            return _end(state, winners, events), False
    if turn is None:
        return deal(state, dice, events), True
    return (state if turn == state.turn else replace(state, turn=turn)), False


def _next_with_cards(hands: tuple[tuple[Card, ...], ...], seat: Seat) -> Seat | None:
    """The first seat after this one that still has cards, itself the last; None if none has."""
    for step in range(1, len(hands) + 1):
        other = (seat + step) % len(hands)
        if hands[other]:
            return other
    return None


def _ends_round(state: DogState, seat: Seat, turn: Seat | None) -> bool:
    """Whether the turn passes the starter of the phase on its way from ``seat`` to ``turn``."""
    seats, starter = state.seats, state.starter
    return turn is None or (turn - starter) % seats <= (seat - starter) % seats


def _winners_at_once(state: DogState) -> tuple[Seat, ...]:
    """DOG-2, DOG-3, ODD3-4: the match ends when a team, or with three a player, is complete."""
    sides = teams(state.seats) or tuple((seat,) for seat in range(state.seats))
    for side in sides:
        if all(complete(state.pawns[seat]) for seat in side):
            return side
    return ()


def fulfilled(state: DogState) -> tuple[Seat, ...]:
    """ODD5-5: the seats that are complete and whose two players across are complete."""
    return tuple(
        seat
        for seat in range(state.seats)
        if all(complete(state.pawns[other]) for other in (seat, *across(state.seats, seat)))
    )


def _end(state: DogState, winners: tuple[Seat, ...], events: list[DogEvent]) -> DogState:
    """Ends the match; with five winners of five it is a draw (ODD5-6)."""
    if len(winners) == state.seats:
        winners = ()
    events.append(Won(winners=winners))
    return replace(state, stage="over", winners=winners)
