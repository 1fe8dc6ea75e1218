"""Whole matches by hypothesis, with what must hold at every moment."""

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from engine import codec
from engine.dice import SeededDice
from engine.games.dog import GAME
from engine.games.dog.board import E4, FRESH, HOME, ring_length, start_of
from engine.games.dog.events import Moved
from engine.games.dog.meta import DogOptions
from engine.testing import option_sets


class DogMachine(RuleBasedStateMachine):
    """Any legal moves, in any form and with any switch; pawns and cards are never lost."""

    @initialize(seats=st.sampled_from(GAME.meta.seats), seed=st.integers(0, 10**6), data=st.data())
    def begin(self, seats, seed, data):
        options = data.draw(st.sampled_from(option_sets(GAME, seats)))
        self.dice = f"{seed}"
        self.state = GAME.setup(seats, options, SeededDice.from_text(self.dice)).state
        self.before, self.moved = self.state, []

    @precondition(lambda self: GAME.phase(self.state).pending)
    @rule(data=st.data(), plies=st.integers(1, 60))
    def play(self, data, plies):
        """A move of one's choice, and then some by the first seat's first choices."""
        seat = data.draw(st.sampled_from(sorted(GAME.phase(self.state).pending)))
        moves = list(GAME.legal_moves(self.state, seat))
        self.carry_out(seat, moves[data.draw(st.integers(0, len(moves) - 1))])
        for number in range(plies - 1):
            pending = GAME.phase(self.state).pending
            if not pending:
                return
            seat = max(pending)
            moves = list(GAME.legal_moves(self.state, seat))
            self.carry_out(seat, moves[(number * 7) % len(moves)])
            self.all_is_in_order()

    @precondition(lambda self: not GAME.phase(self.state).pending)
    @rule()
    def look_at_the_end(self):
        """A finished match has one thing to do: nothing moves any more."""
        assert GAME.outcome(self.state) is not None
        assert not [m for s in range(self.state.seats) for m in GAME.legal_moves(self.state, s)]

    def carry_out(self, seat, move):
        self.before = self.state
        step = GAME.apply(self.state, seat, move, SeededDice.from_text(self.dice))
        self.state = step.state
        self.moved = [event for event in step.events if isinstance(event, Moved)]

    @invariant()
    def all_is_in_order(self):
        state = self.state
        self.cards_are_110(state)
        self.pawns_are_four_a_seat_and_never_two_on_a_field(state)
        self.nobody_went_past_a_pawn_that_is_still_fresh()

    @staticmethod
    def cards_are_110(state):
        gifts = sum(map(len, state.gifts)) if state.stage == "exchange" else 0
        hands = sum(map(len, state.hands))
        assert len(state.deck) + len(state.discards) + hands + gifts == 110

    @staticmethod
    def pawns_are_four_a_seat_and_never_two_on_a_field(state):
        ring = ring_length(state.seats)
        fields = []
        for seat, row in enumerate(state.pawns):
            assert len(row) == 4
            assert list(row) == sorted(row)
            inside = [place for place in row if place > FRESH]
            assert len(set(inside)) == len(inside)
            assert all(place <= E4 for place in inside)
            for place in row:
                if place == FRESH:
                    fields.append(start_of(seat))
                elif HOME < place < FRESH:
                    assert place < ring
                    fields.append(place)
        assert len(set(fields)) == len(fields)

    def nobody_went_past_a_pawn_that_is_still_fresh(self):
        ring = ring_length(self.state.seats)
        fresh = [
            start_of(seat)
            for seat, row in enumerate(self.before.pawns)
            if FRESH in row and FRESH in self.state.pawns[seat]
        ]
        for event in self.moved:
            if event.source > FRESH:
                continue
            sense = 1 if event.steps > 0 else -1
            on_ring = event.steps
            if event.target > FRESH:
                on_ring = (start_of(event.owner) - event.source) % ring
            passed = [(event.source + sense * n) % ring for n in range(1, abs(on_ring) + 1)]
            assert not set(fresh) & set(passed)


DogMachine.TestCase.settings = settings(
    max_examples=40,
    stateful_step_count=30,
    deadline=None,
    derandomize=True,
    suppress_health_check=list(HealthCheck),
)


class TestDogMachine(DogMachine.TestCase):
    """The machine as a test."""


@pytest.mark.parametrize("seats", GAME.meta.seats)
def test_no_two_legal_moves_do_the_same(seats):
    """Plays with the same card and the same result are listed once, jokers included."""
    state = GAME.setup(seats, DogOptions(), SeededDice.from_text("same")).state
    number = 0
    while number < 1500 and (pending := GAME.phase(state).pending):
        seat = min(pending)
        moves = list(GAME.legal_moves(state, seat))
        if number % 5 == 0:
            steps = [GAME.apply(state, seat, move, SeededDice(b"k")) for move in moves]
            assert len({codec.encode(step.state) for step in steps}) == len(moves)
        state = GAME.apply(state, seat, moves[(number * 13) % len(moves)], SeededDice(b"k")).state
        number += 1
