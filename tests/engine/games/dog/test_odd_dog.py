"""Odd Dog for five (ODD5) and three (ODD3)."""

from collections import Counter

import pytest

from engine.errors import IllegalMove
from engine.games.dog import GAME
from engine.games.dog.board import ring_length
from engine.games.dog.events import HelpChosen, Lapsed, SentHome
from engine.games.dog.moves import Give, Help, Seven
from engine.games.dog.state import across, hand_size, receivers, teams
from tests.engine.games.dog.tables import (
    ALL_IN,
    after,
    events,
    orders,
    pawns_of,
    quietly,
    start,
    table,
)


def test_with_five_there_are_no_teams_but_two_players_across():
    """ODD5-1: from seat i they are i+2 and i+3."""
    assert teams(5) == ()
    assert [across(5, seat) for seat in range(5)] == [(2, 3), (3, 4), (4, 0), (0, 1), (1, 2)]


def exchange(seats):
    """A first exchange: the hands before, what each gave, and the state after."""
    state = before = start(seats)
    given = {}
    for seat in range(seats):
        move = list(GAME.legal_moves(state, seat))[-1]
        given[seat] = move.cards
        state = quietly(state, GAME.format(move), seat)
    return before, given, state


def test_with_five_each_gives_a_card_to_both_players_across():
    """ODD5-2: and receives one from each; the first card goes two seats on."""
    before, given, after_all = exchange(5)

    for seat in range(5):
        expected = Counter(before.hands[seat]) - Counter(given[seat])
        expected[given[(seat - 2) % 5][0]] += 1
        expected[given[(seat - 3) % 5][1]] += 1
        assert Counter(after_all.hands[seat]) == expected
    with pytest.raises(IllegalMove, match="Cards to give: 2; ") as refused:
        GAME.check(before, 0, Give((before.hands[0][0],)))
    assert refused.value.rule == "ODD5-2"
    assert "the first for seat 3, the second for seat 4" in str(refused.value)


def test_with_five_all_gifts_are_chosen_before_any_is_seen():
    """ODD5-3"""
    state = start(5)

    one = quietly(state, GAME.format(GAME.default_move(state, 0)), 0)

    assert one.hands[1:] == state.hands[1:]
    assert GAME.phase(one).pending == frozenset({1, 2, 3, 4})
    assert GAME.view(one, 2).gave == ()


@pytest.mark.parametrize("seats", [3, 5])
def test_odd_dog_deals_six_cards_only_once(seats):
    """ODD5-4, ODD3-3 and T12: 6 5 4 3 2, then 5 4 3 2 for ever."""
    sizes = [hand_size(seats, deal) for deal in range(1, 12)]

    assert sizes == [6, 5, 4, 3, 2, 5, 4, 3, 2, 5, 4]


def test_the_condition_with_five_is_ones_own_pawns_and_those_of_both_across():
    """ODD5-5"""
    two = table({0: ALL_IN, 2: ALL_IN, 3: (40,)}, {3: "2"}, seats=5, turn=3)
    three = table({0: ALL_IN, 2: ALL_IN, 3: ("e2", "e3", "e4", 47)}, {3: "2"}, seats=5, turn=3)

    assert GAME.outcome(after(two, "2 40-42")) is None
    outcome = GAME.outcome(after(three, "2 47-e1"))
    assert (outcome.reason, outcome.winners) == ("across", (0,))


def test_everybody_who_fulfils_the_condition_at_the_end_of_a_round_wins():
    """ODD5-6: several can win; if all do, it is a draw."""
    four = dict.fromkeys((0, 2, 3), ALL_IN) | {1: ("e2", "e3", "e4", 15), 4: (70,)}
    several = table(four, {1: "2"}, seats=5, turn=1)
    everybody = table(four | {4: ALL_IN}, {1: "2"}, seats=5, turn=1)

    # Complete are 0 to 3: seat 0 has 2 and 3 across, seat 3 has 0 and 1; the others need seat 4.
    assert GAME.outcome(after(several, "2 15-e1")).winners == (0, 3)
    draw = GAME.outcome(after(everybody, "2 15-e1"))
    assert (draw.reason, draw.winners) == ("draw", ())


def test_the_others_still_take_their_turn_of_the_round():
    """ODD5-7: fulfilling the condition early in a round does not end it."""
    pawns = {0: ("e2", "e3", "e4", 79), 2: ALL_IN, 3: ALL_IN, 1: ("e2", "e3", "e4", 15)}
    state = table(pawns, {0: "2 3", 1: "2 3", 4: "2"}, seats=5, turn=0)

    fulfilled = after(state, "2 79-e1")
    second = after(fulfilled, "2 15-e1")
    ended = after(second, "discard")

    assert GAME.outcome(fulfilled) is None
    assert GAME.phase(fulfilled).pending == frozenset({1})
    assert GAME.outcome(second) is None
    assert GAME.outcome(ended).winners == (0, 3)
    # Players out of cards were skipped, and those with more cards do not play on.
    assert ended.hands[0] == ("3",)


def test_a_round_runs_from_the_starting_player_and_the_check_is_made_at_a_phases_end_too():
    """ODD5-8"""
    pawns = {0: ALL_IN, 2: ALL_IN, 3: ("e2", "e3", "e4", 47), 1: (20,)}
    middle = table(pawns, {3: "2 3", 4: "2", 1: "2"}, seats=5, turn=3, dealer=0)
    last = table(pawns, {3: "2"}, seats=5, turn=3, dealer=0)

    going_on = after(middle, "2 47-e1")

    assert middle.starter == 1
    assert going_on.turn == 4
    assert GAME.outcome(going_on) is None
    assert GAME.outcome(after(going_on, "discard")).winners == (0,)
    assert GAME.outcome(after(last, "2 47-e1")).winners == (0,)


def test_the_last_player_with_cards_ends_a_round_with_every_turn():
    """ODD5-8, ODD5-7: all others are skipped, so a round is one turn of that player."""
    pawns = {0: ALL_IN, 2: ALL_IN, 3: ("e2", "e3", "e4", 47)}
    state = table(pawns, {3: "2 3"}, seats=5, turn=3, dealer=0)

    assert GAME.outcome(after(state, "2 47-e1")).winners == (0,)


def test_a_finished_player_picks_whom_to_help_and_moves_those_pawns():
    """ODD5-9: until they are in; then those of the other player across."""
    state = table({0: ALL_IN, 2: ("e2", "e3", "e4", 31), 3: (50,)}, {0: "2 3 5", 1: "2"}, seats=5)

    assert GAME.phase(state).name == "help"
    assert orders(state) == ["help 3", "help 4"]
    helping = quietly(state, "help 3")
    assert events(state, "help 3", HelpChosen)[0].helped == 2
    assert helping.turn == 0
    assert GAME.phase(helping).name == "play"
    assert orders(helping) == ["2 31-33", "2 31-e1", "3 31-34", "5 31-36"]
    done = table({0: ALL_IN, 2: ALL_IN, 3: (50,)}, {0: "2"}, seats=5, helping={0: 2})
    assert orders(done) == ["2 50-52"]


def test_the_pick_is_binding_and_made_when_a_finished_player_first_acts():
    """ODD5-10: not asked where only one is incomplete; gone over when the picked one is in."""
    picked = table({0: ALL_IN, 2: (31,), 3: (50,)}, {0: "2"}, seats=5, helping={0: 3})
    one_left = table({0: ALL_IN, 2: ALL_IN, 3: (50,)}, {0: "2"}, seats=5)

    assert orders(picked) == ["2 50-52"]
    with pytest.raises(IllegalMove) as refused:
        GAME.check(picked, 0, Help(2))
    assert refused.value.rule == "ODD5-9"
    assert GAME.phase(one_left).name == "play"
    assert orders(one_left) == ["2 50-52"]
    waiting = table({0: ALL_IN, 2: (31,), 3: (50,)}, {0: "2"}, seats=5)
    with pytest.raises(IllegalMove, match="First choose whose pawns you move"):
        GAME.parse(waiting, 0, "2 31-33")


def test_a_finished_player_with_both_across_complete_discards():
    """ODD5-11: nothing is left to move."""
    state = table({0: ALL_IN, 2: ALL_IN, 3: ALL_IN, 4: (70,)}, {0: "K 2", 4: "2"}, seats=5)

    assert orders(state) == ["discard"]
    assert str(GAME.view(state, 0).unplayable["K"]) == "You have no pawn left to move."


@pytest.mark.parametrize("seats", [3, 5])
def test_an_odd_seven_sends_home_only_from_final_fields(seats):
    """ODD5-12, ODD3-5: overtaking has no effect; whoever stands on a final field goes Home."""
    state = table({0: (5, 20), 1: (7, 8)}, {0: "7", 1: "2"}, seats=seats)

    passed = after(state, "7 5-11 20-21")
    landed = after(state, "7 5-8 20-24")

    assert pawns_of(passed, 1) == (7, 8)
    assert pawns_of(landed, 1) == (7,)
    sent = events(state, "7 5-8 20-24", SentHome)
    assert [(event.owner, event.field, event.overtaken) for event in sent] == [(1, 8, False)]


@pytest.mark.parametrize("seats", [3, 5])
def test_an_odd_seven_overtakes_nobody_on_the_way_into_the_end_zone(seats):
    """ODD5-12, ODD3-5: not even on the Start."""
    ring = ring_length(seats)
    state = table({0: (ring - 2, 20), 1: (ring - 1,), 2: (0,)}, {0: "7", 1: "2"}, seats=seats)

    entered = after(state, f"7 {ring - 2}-e2 20-23")

    assert (pawns_of(entered, 1), pawns_of(entered, 2)) == ((ring - 1,), (0,))


def test_a_stop_that_is_not_final_sends_nobody_home_in_odd_dog():
    """ODD5-12: the final position is where a pawn stands after its last part."""
    state = table({0: (5, 20), 1: (7, 8)}, {0: "7", 1: "2"}, seats=5)

    assert GAME.format(GAME.parse(state, 0, "7 5-7 20-21 7-11")) == "7 5-11 20-21"
    GAME.check(state, 0, Seven(((5, 7), (20, 21), (7, 11))))


def test_a_stop_on_an_own_pawn_is_not_read_as_a_stop_in_odd_dog():
    """ODD5-12: which of the two on 7 goes on would be anybody's guess."""
    state = table({0: (5, 7, 20)}, {0: "7", 1: "2"}, seats=5)

    with pytest.raises(IllegalMove):
        GAME.check(state, 0, Seven(((5, 7), (20, 21), (7, 11))))
    assert "7 5-7 20-25" in orders(state)


@pytest.mark.parametrize("seats", [3, 5])
def test_steps_left_over_lapse_in_odd_dog(seats):
    """ODD5-13, ODD3-5: no other player's pawns are moved; the switch forbids such a seven."""
    ring = ring_length(seats)
    pawns = {0: ("e2", "e3", "e4", ring - 1), 2: (40,)}
    lapses = table(pawns, {0: "7", 1: "2"}, seats=seats)
    illegal = table(pawns, {0: "7"}, seats=seats, seven_residual="illegal")

    assert orders(lapses) == [f"7 {ring - 1}-6", f"7 {ring - 1}-e1"]
    assert events(lapses, f"7 {ring - 1}-e1", Lapsed)[0].steps == 5
    assert orders(illegal) == [f"7 {ring - 1}-6"]
    with pytest.raises(IllegalMove) as refused:
        GAME.check(illegal, 0, Seven(((ring - 1, 100),)))
    assert refused.value.rule == "ODD5-13"


def test_with_five_a_jack_swaps_with_any_other_players_pawn():
    """ODD5-14"""
    state = table({0: (5,), 1: (20,), 2: (30,), 3: (40,), 4: (50,)}, {0: "J"}, seats=5)

    assert orders(state) == ["J 5x20", "J 5x30", "J 5x40", "J 5x50"]


def test_with_three_there_are_no_teams_and_the_ring_has_48_fields():
    """ODD3-1"""
    state = table({2: (47,)}, {2: "2"}, seats=3, turn=2)

    assert teams(3) == ()
    assert across(3, 0) == ()
    assert orders(state) == ["2 47-1"]
    assert GAME.view(state, None).ring == 48


def test_with_three_everybody_gives_a_card_to_each_other_player():
    """ODD3-2: two given, two received, the first to the next player."""
    before, given, after_all = exchange(3)

    assert receivers(3, 1) == (2, 0)
    for seat in range(3):
        expected = Counter(before.hands[seat]) - Counter(given[seat])
        expected[given[(seat - 1) % 3][0]] += 1
        expected[given[(seat - 2) % 3][1]] += 1
        assert Counter(after_all.hands[seat]) == expected


def test_with_three_the_phases_shrink_as_with_five():
    """ODD3-3: as ODD5-4."""
    assert [hand_size(3, deal) for deal in (1, 5, 6, 9, 10)] == [6, 2, 5, 2, 5]


def test_with_three_the_first_complete_player_wins_at_once():
    """ODD3-4"""
    state = table({1: ("e2", "e3", "e4", 15)}, {1: "2 3", 2: "2"}, seats=3, turn=1)

    outcome = GAME.outcome(after(state, "2 15-e1"))

    assert (outcome.reason, outcome.winners) == ("alone", (1,))


def test_with_three_a_seven_is_that_of_odd_dog():
    """ODD3-5: overtaking has no effect."""
    state = table({0: (5,), 1: (7,)}, {0: "7", 1: "2"}, seats=3)

    assert pawns_of(after(state, "7 5-12"), 1) == (7,)


def test_with_three_nobody_moves_another_players_pawns():
    """ODD3-6"""
    state = table({0: (5,), 1: (20,), 2: (30,)}, {0: "2 7 K"}, seats=3)

    assert not [order for order in orders(state) if " 20-" in order or " 30-" in order]


def test_with_three_everything_else_is_as_in_dog():
    """ODD3-7: fresh pawns, the End Zone, jack and joker."""
    state = table({0: (15,), 1: ("fresh", 20), 2: (47,)}, {0: "2 J *"}, seats=3)

    assert "J 15x20" in orders(state)
    assert "J 15x16" not in orders(state)
    assert "2 15-17" not in orders(state)
    assert "*K out" in orders(state)
