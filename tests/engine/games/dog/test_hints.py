"""What a newcomer reads fits the table that they see."""

from __future__ import annotations

import pytest

from engine.games.dog import GAME
from tests.engine.games.dog.tables import start, table


def told(state, seat=0):
    """The hints of a seat, as one text."""
    return " ".join(hint.text for hint in GAME.hints(GAME.view(state, seat)))


def test_without_a_pawn_on_the_ring_the_hint_is_how_one_comes_out():
    """DOG-29: also when other pawns are in the End Zone."""
    pawns = {0: ("e3", "e4")}

    assert "Tap the card, then Home" in told(table(pawns, {0: "5 K"}, deal=2))
    assert "no pawn comes out" in told(table(pawns, {0: "5 9"}, deal=2))
    assert "comes out" not in told(table({0: ("e3", "e4", 9)}, {0: "5 9"}, deal=2))


@pytest.mark.parametrize(("field", "saves"), [("fresh", True), (3, True), (17, False)])
def test_a_four_saves_a_round_only_near_the_own_start(field, saves):
    """DOG-38: farther on it would come out past the Start again."""
    state = table({0: (field,)}, {0: "4 9"}, seats=3, deal=2)

    assert ("saves a round" in told(state)) is saves


def test_the_hint_of_a_seven_is_that_of_the_table():
    """ODD5-12, DOG-54: a pawn that is passed stays with three and five players, and one's own."""
    pawns, hands = {0: (9,)}, {0: "7"}
    burns = table(pawns, hands, seats=4, deal=2, seven_burns_own=True)

    assert "not if it is passed" in told(table(pawns, hands, seats=3, deal=2))
    assert "pawns of others that it passes go Home" in told(table(pawns, hands, seats=4, deal=2))
    assert "Every pawn that it passes" in told(burns)


@pytest.mark.parametrize(
    ("seats", "whom"), [(4, "a partner"), (5, "a player across"), (6, "a partner")]
)
def test_the_hint_of_a_gift_says_whom_it_may_help(seats, whom):
    """DOG-13, ODD5-1: with five players there are no partners."""
    assert f"give one to {whom} who needs it" in told(start(seats))


def test_the_first_hint_is_the_aim_and_the_first_turn_tells_how_to_play():
    """ODD3-4"""
    begun = start(3)

    assert told(begun).startswith("The first with all four pawns in the End Zone")
    assert told(table({0: ("fresh",)}, {0: "2 3 4 5 6 8"}, seats=3)).startswith("Tap a card")
