"""Tables of Dog for tests, in few words."""

from __future__ import annotations

from engine.dice import NoDice, SeededDice
from engine.games.dog import GAME
from engine.games.dog.board import DECK, E1, FRESH, HOME
from engine.games.dog.meta import DogOptions
from engine.games.dog.state import NOBODY, DogState

ALL_IN = ("e1", "e2", "e3", "e4")


def place(name):
    """``17``, ``"e2"`` or ``"fresh"`` as the state holds it."""
    if name == "fresh":
        return FRESH
    if isinstance(name, str) and name.startswith("e"):
        return E1 + int(name[1]) - 1
    return int(name)


def row(names):
    """Four places, the rest at Home."""
    places = [place(name) for name in names]
    return tuple(sorted(places + [HOME] * (4 - len(places))))


def table(
    pawns=None,
    hands=None,
    seats=4,
    turn=0,
    deal=1,
    dealer=None,
    helping=None,
    gifts=None,
    **options,
):
    """A table in the middle of play; ``hands`` are texts like ``"5 K *"``, by seat.

    All other cards lie in the draw deck. Unless said otherwise, the one to play began the phase.
    """
    held = tuple(tuple((hands or {}).get(seat, "").split()) for seat in range(seats))
    deck = list(DECK)
    for hand in held:
        for card in hand:
            deck.remove(card)
    return DogState(
        options=DogOptions(**options),
        seats=seats,
        pawns=tuple(row((pawns or {}).get(seat, ())) for seat in range(seats)),
        hands=held,
        gifts=((),) * seats,
        deck=tuple(deck),
        discards=(),
        deal=deal,
        dealer=(turn - 1) % seats if dealer is None else dealer,
        turn=turn,
        stage="play",
        helping=tuple((helping or {}).get(seat, NOBODY) for seat in range(seats)),
    )


def orders(state, seat=None):
    """The legal orders of a seat, by default of the one whose turn it is."""
    seat = state.turn if seat is None else seat
    return [GAME.format(move) for move in GAME.legal_moves(state, seat)]


def step(state, order, seat=None, dice=None):
    """What an order does."""
    seat = state.turn if seat is None else seat
    move = GAME.parse(state, seat, order)
    return GAME.apply(state, seat, move, dice or SeededDice(b"k"))


def after(state, order, seat=None):
    """The state after an order."""
    return step(state, order, seat).state


def quietly(state, order, seat=None):
    """The state after an order that must not need chance."""
    return step(state, order, seat, NoDice()).state


def events(state, order, kind, seat=None):
    """The events of one kind that an order gives."""
    return [event for event in step(state, order, seat).events if isinstance(event, kind)]


def pawns_of(state, seat):
    """The seat's pawns that are not at Home, as names."""
    return tuple(
        "fresh" if spot == FRESH else f"e{spot - E1 + 1}" if spot >= E1 else spot
        for spot in state.pawns[seat]
        if spot != HOME
    )


def start(seats=4, seed="seed", **options):
    """A match just begun."""
    return GAME.setup(seats, DogOptions(**options), SeededDice.from_text(seed)).state


def exchanged(state, choose=lambda state, seat: 0):
    """The state after all gifts, each seat's the listed one that ``choose`` numbers."""
    for seat in range(state.seats):
        moves = list(GAME.legal_moves(state, seat))
        state = GAME.apply(state, seat, moves[choose(state, seat)], NoDice()).state
    return state


def played_out(state, seed="seed"):
    """The next state in which a new phase is dealt, or the match is over, by default moves."""
    deal = state.deal
    while state.stage != "over" and state.deal == deal:
        seat = min(GAME.phase(state).pending)
        move = GAME.default_move(state, seat)
        state = GAME.apply(state, seat, move, SeededDice.from_text(seed)).state
    return state
