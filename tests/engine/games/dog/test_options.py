"""The switches of a match, what each does, and where it is refused."""

from statistics import median

import msgspec
import pytest

from engine.dice import SeededDice
from engine.errors import IllegalMove, OptionsError
from engine.games.dog import GAME
from engine.games.dog.meta import DogOptions
from engine.games.dog.moves import Seven
from engine.simulation import play_match
from tests.engine.games.dog.tables import ALL_IN, after, orders, pawns_of, quietly, row, table


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
        pawns_in=2,
        pawn_out=True,
    )

    assert [str(sentence) for sentence in GAME.variants(4, options)] == [
        "a 7 sends your own overtaken pawns Home",
        "a 7 may move your partner's pawns",
        "a jack may swap your own fresh pawn",
        "without a playable card you discard one card",
        "a 7 must not have steps left over",
        "no joker for the last pawn",
        "the first seat deals first",
        "two pawns begin in the End Zone",
        "one pawn begins on its Start",
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
    GAME.check(last, 0, Seven(((63, 100),)))


@pytest.mark.parametrize("canadian", [False, True])
def test_a_finished_player_may_leave_steps_over_where_all_are_to_be_used(canadian):
    """DOG-59, DOG-61: the partner's last pawn completes the team, as one's own would."""
    pawns = {0: ALL_IN, 1: (50,), 2: ("e2", "e3", "e4", 31)}
    options = {"canadian_seven": canadian}

    exact = table(pawns, {0: "7"}, seven_residual="exact", **options)
    illegal = table(pawns, {0: "7"}, seven_residual="illegal", **options)

    assert orders(exact) == ["7 31-38", "7 31-e1"]
    assert GAME.outcome(after(exact, "7 31-e1")).winners == (0, 2)
    assert orders(illegal) == ["7 31-38"]


def test_the_switches_about_the_rest_of_a_seven_and_about_partners_pawns_go_together():
    """DOG-57 and DOG-58's switches: with both, the steps left over are partners' steps, too."""
    pawns = {0: ("e2", "e3", "e4", 63), 2: (40,)}

    exact = orders(table(pawns, {0: "7"}, seven_residual="exact", canadian_seven=True))
    optional = orders(table(pawns, {0: "7"}, canadian_seven=True))

    assert "7 63-e1 40-45" in exact
    assert "7 63-e1" not in exact
    assert "7 63-e1 40-44" not in exact
    assert {"7 63-e1 40-45", "7 63-e1", "7 63-e1 40-44"} <= set(optional)


def refused(state, move):
    """The rule by which a move is refused."""
    with pytest.raises(IllegalMove) as error:
        GAME.check(state, state.turn, move)
    return error.value.rule


def test_another_order_of_parts_leaves_no_more_steps_than_the_listed_ones():
    """DOG-58's switch, for orders that are not written as they are listed."""
    pawns = {0: ("e1", "e2", "e3", 63), 2: (40, 50)}
    within = ((102, 103), (101, 102), (100, 101), (63, 100))

    exact = table(pawns, {0: "7"}, seven_residual="exact")
    illegal = table(pawns, {0: "7"}, seven_residual="illegal")

    GAME.check(exact, 0, Seven((*within, (50, 51), (40, 41))))
    assert refused(exact, Seven((*within, (50, 51)))) == "DOG-58"
    assert refused(illegal, Seven((*within, (50, 51), (40, 41)))) == "DOG-57"


def test_a_seven_with_steps_left_over_is_illegal_where_the_match_says_so():
    """DOG-58's switch."""
    pawns = {0: ("e2", "e3", "e4", 63), 2: (40,)}

    assert orders(table(pawns, {0: "7"}, seven_residual="illegal")) == ["7 63-6"]
    fits = {0: ("e2", "e3", "e4", 58), 2: (40,)}
    assert "7 58-e1" in orders(table(fits, {0: "7"}, seven_residual="illegal"))


def joker(pawns, **options):
    """The orders of a joker that may not bring a last pawn in."""
    return orders(table(pawns, {0: "*"}, joker_last_pawn=False, **options))


def test_a_barred_joker_still_moves_all_but_the_last_pawn_in():
    """DOG-48's switch: inside the End Zone, past it, and with an earlier pawn into it."""
    last = joker({0: ("e1", "e3", "e4", 60)})
    earlier = joker({0: ("e3", "e4", 20, 60)})

    assert {"*A e1-e2", "*2 60-62", "*5 60-1"} <= set(last)
    assert "*5 60-e1" in earlier


def test_a_barred_joker_brings_no_last_pawn_in_as_a_seven():
    """DOG-48's switch: with seven steps neither, nor the partner's last pawn."""
    own = joker({0: ("e2", "e3", "e4", 58)})
    mate = {0: (10,), 2: ("e2", "e3", "e4", 31)}
    done = joker({0: (10,), 2: ALL_IN}, canadian_seven=True)

    assert "*7 58-1" in own
    assert not [order for order in own if order.endswith("58-e1")]
    assert "*7 10-15 31-p1" in orders(table(mate, {0: "*"}, canadian_seven=True))
    assert not [order for order in joker(mate, canadian_seven=True) if "p1" in order]
    assert "*7 10-17" in done
    barred = table({0: ("e2", "e3", "e4", 58)}, {0: "*"}, joker_last_pawn=False)
    assert refused(barred, Seven(((58, 100),), True)) == "DOG-48"
    assert GAME.format(GAME.parse(barred, 0, "*7 58-1")) == "*7 58-1"


def test_a_joker_that_would_bring_in_the_partners_last_pawn_is_told_so():
    """DOG-48's switch, with that of a seven for both"""
    pawns = {0: (10,), 2: ("e2", "e3", "e4", 31)}
    barred = table(pawns, {0: "*"}, joker_last_pawn=False, canadian_seven=True)

    assert refused(barred, Seven(((10, 15), (31, 104)), True)) == "DOG-48"


def test_a_switch_that_bars_the_joker_bars_no_seven():
    """DOG-48's switch"""
    state = table({0: ("e2", "e3", "e4", 58)}, {0: "7"}, joker_last_pawn=False)

    assert orders(state) == ["7 58-1", "7 58-e1"]


@pytest.mark.parametrize("seats", [3, 4, 5, 6])
@pytest.mark.parametrize("inside", [0, 1, 2, 3])
@pytest.mark.parametrize("out", [False, True])
def test_a_shorter_match_begins_with_pawns_in_the_end_zone_or_on_the_start(seats, inside, out):
    """DOG-2 and DOG-30: those inside stand as deep as they can, and the one outside is fresh."""
    options = DogOptions(pawns_in=inside, pawn_out=out)

    state = GAME.setup(seats, options, SeededDice(bytes(32))).state

    begins = row([*ALL_IN[4 - inside :], *(["fresh"] if out else [])])
    assert state.pawns == (begins,) * seats


def test_the_first_match_is_short():
    """A newcomer decides some twenty times, not fifty: five to ten minutes."""
    first = GAME.meta.learnt_by
    options = msgspec.convert(first.options, DogOptions)

    plies = [
        play_match(GAME, first.seats, options, str(seed), players=("easy",) * first.seats).plies
        for seed in range(20)
    ]

    assert 10 <= median(plies) / first.seats <= 25


def rules_of_a_seven(**options):
    """What the rules of a match for four say about a 7, by their first ids."""
    book = GAME.rulebook(4, DogOptions(**options), GAME.meta.rules_version)
    return {
        one.ids[0]: str(one.sentence)
        for chapter in book
        for one in chapter.rules
        if str(chapter.title) == "The seven"
    }


def test_a_pawn_of_ones_own_that_the_partners_pawn_overtakes_goes_home():
    """DOG-53, DOG-57: the rules of the match and the card say so where a 7 moves both."""
    state = table({0: (10, 12, 32), 2: (30,)}, {0: "7 2"}, canadian_seven=True)

    assert pawns_of(after(state, "7 30-37"), 0) == (10, 12)
    assert pawns_of(after(state, "7 10-17"), 0) == (12, 17, 32)
    assert rules_of_a_seven()["DOG-53"].endswith("your partner's pawns too, but not your own.")
    said = rules_of_a_seven(canadian_seven=True)["DOG-53"]
    assert said.endswith("goes Home at once, except by a pawn of the same owner.")
    assert "your pawns and your partner's" in str(GAME.view(state, 0).effects["7"])


def test_where_no_step_may_be_left_over_no_rule_speaks_of_what_is_left():
    """DOG-59: what is left would have brought the partner's last pawn in."""
    assert "DOG-59" in rules_of_a_seven()
    assert "DOG-59" in rules_of_a_seven(seven_residual="exact")
    assert "DOG-59" not in rules_of_a_seven(seven_residual="illegal")
