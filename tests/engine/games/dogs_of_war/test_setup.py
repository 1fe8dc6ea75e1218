"""The table before the first decision (DOW-1 to DOW-13)."""

from collections import Counter

import pytest

from engine.errors import OptionsError
from engine.games.dogs_of_war import GAME
from engine.games.dogs_of_war.box.components import HOUSES, Dog, House, SoldierCounts, catalogue
from engine.games.dogs_of_war.events import DogsDealt, ScreenDealt
from engine.games.dogs_of_war.meta import Options
from tests.engine.games.dogs_of_war.scenes import begun, dice, play, started, step, told

SEATS = pytest.mark.parametrize("seats", [3, 4, 5])


@SEATS
def test_every_player_is_another_dog_of_war(seats):
    """DOW-1: three to five players, each a different dog, its captains in the common pool."""
    state = started(seats)

    assert len({player.dog for player in state.table.players}) == seats
    assert all(player.captains == 0 for player in state.table.players)


@pytest.mark.parametrize("seats", [1, 2, 6])
def test_other_numbers_of_players_are_refused(seats):
    """DOW-1: three to five players."""
    with pytest.raises(OptionsError, match="3, 4, 5 players"):
        GAME.check_options(seats, Options())


def test_a_host_may_say_who_plays_which_dog():
    """DOW-1: the dogs are chosen."""
    dogs = (Dog.STORMCROW, Dog.ORDALIA, Dog.BLACKMANE)

    opening = begun(3, dice(), dogs=dogs)

    assert told(opening, DogsDealt)[0].dogs == dogs
    assert tuple(player.dog for player in opening.state.table.players) == dogs


@pytest.mark.parametrize("dogs", [(Dog.STORMCROW,) * 3, (Dog.STORMCROW, Dog.ORDALIA)])
def test_dogs_that_are_not_one_different_each_are_refused(dogs):
    """DOW-1: each plays a different dog."""
    with pytest.raises(OptionsError) as refused:
        GAME.check_options(3, Options(dogs=dogs))

    assert refused.value.rule == "DOW-1"


@SEATS
def test_a_player_starts_with_five_coins_and_has_eight_to_spend_in_the_first_year(seats):
    """DOW-2, T1: five coins, and the first year's income of three on top."""
    state = started(seats)
    assert [screen.coins for screen in state.screens] == [5] * seats

    state = play(state, state.table.turn, "keep")

    assert [screen.coins for screen in state.screens] == [8] * seats


@SEATS
def test_a_player_is_dealt_two_tactic_cards(seats):
    """DOW-3: two tactic cards each."""
    assert [len(screen.tactics) for screen in started(seats).screens] == [2] * seats


@SEATS
def test_a_player_is_dealt_one_house_support_card(seats):
    """DOW-4: one house support card each, all different."""
    assert len({screen.support for screen in started(seats).screens}) == seats


@SEATS
def test_undealt_support_cards_are_out_of_the_game(seats):
    """DOW-5: the rest of the six support cards lies face down, and nobody sees it."""
    state = started(seats)

    dealt = [screen.support for screen in state.screens]

    assert Counter(dealt) + Counter(state.undealt) == Counter(HOUSES)
    assert len(state.undealt) == 6 - seats


@SEATS
def test_the_tactic_deck_is_shuffled_and_nothing_is_discarded(seats):
    """DOW-6: the deck holds all cards but the dealt ones, in an order of chance."""
    state, other = started(seats), started(seats, seed="another")

    dealt = Counter(card for screen in state.screens for card in screen.tactics)
    assert Counter(state.deck) + dealt == Counter(catalogue("pbem-1").deck)
    assert state.table.deck == len(state.deck) == 32 - 2 * seats
    assert state.table.discards == ()
    assert state.deck != other.deck


def test_the_first_year_begins_with_all_houses_on_minus_one():
    """DOW-7: year 1, house tokens on -1."""
    table = started().table

    assert table.year == 1
    assert [row.position for row in table.houses] == [-1] * 6


def test_trackers_start_in_the_centre():
    """DOW-8: trackers on 0."""
    assert [battle.tracker for battle in started().table.battles] == [0, 0, 0]


def test_chance_gives_the_first_player_token():
    """DOW-9: to a random player."""
    holders = {started(5, seed=str(number)).table.token for number in range(40)}

    assert holders == {0, 1, 2, 3, 4}


def test_soldiers_lie_in_four_open_piles():
    """DOW-10: four supply piles by type, fifty cards in all, and everybody sees them."""
    shown = GAME.view(started(), None).table.soldiers

    assert shown == SoldierCounts(footman=16, arquebuser=14, knight=12, war_machine=8)
    assert shown.total == 50


@pytest.mark.parametrize(("seats", "tokens"), [(3, 8), (4, 10), (5, 12)])
def test_fewer_players_have_fewer_influence_tokens(seats, tokens):
    """DOW-11: 12, 10 or 8 influence tokens a house for five, four or three players."""
    assert [row.influence for row in started(seats).table.houses] == [tokens] * 6


def test_hidden_things_stand_in_nobody_elses_view():
    """DOW-13: coins, cards, influence, support card and points are hidden; captains are not."""
    state = started(4)
    state = play(state, state.table.turn, "keep")

    for seat in range(4):
        view = GAME.view(state, seat)
        assert view.screen == state.screens[seat]
        assert view.screens == ()
        assert [player.captains for player in view.table.players] == [3] * 4
    assert GAME.view(state, None).screen is None


def test_a_dealt_screen_is_told_to_its_player_only():
    """DOW-13: what was dealt is hidden."""
    opening = begun(4, dice())

    for event in told(opening, ScreenDealt):
        readers = [seat for seat in (None, 0, 1, 2, 3) if event.readable_by(seat)]
        assert readers == [event.seat]
        assert event.support is opening.state.screens[event.seat].support


def test_all_draws_of_a_set_up_are_named_by_where_they_stand():
    """DOW-6: chance is keyed by the place in the game."""
    drawn = dice()
    begun(3, drawn)

    assert [(draw.where, draw.purpose) for draw in drawn.draws] == [
        ("setup", "dogs of war"),
        ("setup", "first player"),
        ("setup", "house support cards"),
        ("setup", "tactic deck"),
        ("year 1", "bonus tokens"),
        ("year 1", "order of battle tiles"),
        ("year 1", "house cards"),
    ]


def test_what_the_supply_gives_without_end_is_never_short():
    """DOW-12: coins and points are unlimited, while influence and soldiers are counted."""
    state = started()
    state = play(state, state.table.turn, "keep")
    opening = step(state, state.table.turn, "buy 2 knights")

    assert opening.state.table.soldiers.knight == 10
    assert House.TALBOT in {row.house for row in opening.state.table.houses}
