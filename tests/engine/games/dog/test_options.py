"""The switches of a match, what each does, and where it is refused."""

import pytest

from engine.errors import OptionsError
from engine.games.dog import GAME
from engine.games.dog.meta import DogOptions
from tests.engine.games.dog.tables import ALL_IN, after, orders, pawns_of, quietly, table


@pytest.mark.parametrize("seats", [3, 5])
@pytest.mark.parametrize(
    ("options", "words"),
    [
        (DogOptions(seven_burns_own=True), "sends nobody Home by overtaking"),
        (DogOptions(canadian_seven=True), "there are no partners"),
        (DogOptions(seven_residual="exact"), "there is no partner for the steps left over"),
    ],
)
def test_switches_about_partners_are_refused_in_odd_dog(seats, options, words):
    with pytest.raises(OptionsError, match=words):
        GAME.check_options(seats, options)
    GAME.check_options(4, options)
    GAME.check_options(6, options)


@pytest.mark.parametrize("seats", [1, 2, 7])
def test_other_numbers_of_players_are_refused(seats):
    with pytest.raises(OptionsError, match="Dog is for 3, 4, 5, 6 players"):
        GAME.check_options(seats, DogOptions())


def test_a_match_by_the_rules_as_written_names_no_variant():
    assert GAME.variants(4, DogOptions()) == ()


def test_every_switch_that_is_not_at_its_default_is_named_in_plain_words():
    options = DogOptions(
        seven_burns_own=True,
        canadian_seven=True,
        jack_own_fresh=True,
        discard="one",
        seven_residual="illegal",
        joker_last_pawn=False,
        first_dealer="first",
    )

    assert [str(sentence) for sentence in GAME.variants(4, options)] == [
        "a 7 sends your own overtaken pawns Home",
        "a 7 may move your partner's pawns",
        "a jack may swap your own fresh pawn",
        "without a playable card you discard one card",
        "a 7 must not have steps left over",
        "no joker for the last pawn",
        "the first seat deals first",
    ]
    exact = GAME.variants(4, DogOptions(seven_residual="exact"))
    assert [str(sentence) for sentence in exact] == [
        "steps of a 7 left over must be used by your partner's pawns"
    ]


def test_own_fresh_pawns_may_be_swapped_where_the_match_says_so():
    """DOG-35's switch: the pawn that comes to the Start is not fresh, nor is the one that left."""
    state = table({0: ("fresh",), 1: (40, "fresh")}, {0: "J", 1: "2"}, jack_own_fresh=True)

    assert orders(state) == ["J 0x40"]
    swapped = after(state, "J 0x40")
    assert pawns_of(swapped, 0) == (40,)
    assert pawns_of(swapped, 1) == (0, "fresh")


def test_one_card_of_ones_choice_is_discarded_where_the_match_says_so():
    """DOG-19's switch: the rest of the hand is kept, and the turn is over."""
    state = table({1: (20,)}, {0: "10 Q Q", 1: "2"}, discard="one")

    assert orders(state) == ["discard 10", "discard Q"]
    kept = quietly(state, "discard Q")
    assert kept.hands[0] == ("10", "Q")
    assert kept.turn == 1
    assert quietly(kept, "2").turn == 0


def test_left_over_steps_must_all_be_used_where_the_match_says_so():
    """DOG-58's switch: exactly, unless the team is complete before (DOG-59)."""
    pawns = {0: ("e2", "e3", "e4", 63), 2: (40,)}
    exact = table(pawns, {0: "7"}, seven_residual="exact")
    nobody = table(pawns | {2: ()}, {0: "7"}, seven_residual="exact")
    last = table(pawns | {2: ALL_IN}, {0: "7"}, seven_residual="exact")

    assert orders(exact) == ["7 63-6", "7 63-e1 40-45"]
    assert orders(nobody) == ["7 63-6"]
    assert orders(last) == ["7 63-6", "7 63-e1"]


def test_a_seven_with_steps_left_over_is_illegal_where_the_match_says_so():
    """DOG-58's switch."""
    pawns = {0: ("e2", "e3", "e4", 63), 2: (40,)}

    assert orders(table(pawns, {0: "7"}, seven_residual="illegal")) == ["7 63-6"]
    fits = {0: ("e2", "e3", "e4", 58), 2: (40,)}
    assert "7 58-e1" in orders(table(fits, {0: "7"}, seven_residual="illegal"))
