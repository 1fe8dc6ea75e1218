"""What a view shows, and worlds that look alike (DOW-13)."""

import pytest

from engine import codec
from engine.games.dogs_of_war import GAME
from engine.games.dogs_of_war.action.foresight import preview
from engine.games.dogs_of_war.action.reasons import why_not
from engine.games.dogs_of_war.box.components import SOLDIERS, House
from engine.games.dogs_of_war.view import known
from engine.testing import moments
from tests.engine.games.dogs_of_war.scenes import (
    dice,
    holding,
    scene,
    started,
    with_captains,
    with_lead,
    with_screen,
    with_table,
)


def test_a_view_says_which_spaces_are_shut_to_whom_and_why():
    """DOW-39, DOW-37, DOW-42: house, taken space, prerequisite, each with its rule."""
    state = with_captains(scene(), House.TALBOT, 0, 1)

    shut = {(each.house, each.space): each for each in GAME.view(state, 0).shut}

    mallory = shut[House.MALLORY, None]
    assert (mallory.rule, mallory.soldiers) == ("DOW-39", SOLDIERS)
    assert "You support Talbot in battle 1" in str(mallory.reason)
    assert shut[House.TALBOT, 1].rule == "DOW-37"
    assert (shut[House.TALBOT, 6].rule, shut[House.TALBOT, 6].soldiers) == ("DOW-42", SOLDIERS[:2])
    assert (House.TALBOT, 3) not in shut


def test_a_view_shows_how_the_battles_stand():
    """DOW-78, DOW-80: leader, points and takers, were they decided now."""
    state = with_lead(with_captains(scene(), House.TALBOT, 0, 0, 1), House.TALBOT, 4)
    state = with_captains(state, House.MALLORY, 2)

    battle = GAME.view(state, None).battles[0]

    assert (battle.leader, battle.glorious) == (House.TALBOT, False)
    assert battle.points == (1, 1, 0)
    assert battle.takers == (0,)
    assert [side.lead for side in battle.sides] == [4, 0]


def test_a_view_shows_where_each_soldier_would_move_the_tracker():
    """DOW-46, DOW-47: capped at 15."""
    state = with_lead(scene(), House.TALBOT, 11)

    reach = {each.house: each for each in GAME.view(state, 0).reach}

    assert (reach[House.TALBOT].footman, reach[House.TALBOT].war_machine) == (-12, -15)
    assert (reach[House.MALLORY].footman, reach[House.MALLORY].war_machine) == (-10, -4)


def test_a_view_says_what_the_own_influence_is_worth():
    """DOW-97: tokens and support card, as the houses stand now."""
    state = with_screen(scene(), 0, influence=holding(talbot=3))

    worth = {each.house: each.worth for each in GAME.view(state, 0).holdings}

    assert worth[House.TALBOT] == -3
    assert worth[House.HARLOW] == -2
    assert GAME.view(state, None).holdings == ()


def test_an_onlooker_has_no_position():
    with pytest.raises(ValueError, match="onlooker"):
        known(GAME.view(scene(), None))


def test_a_view_gives_the_rules_the_same_position_as_the_state():
    """DOW-32: a page asks the very rules the match asks."""
    state = with_captains(scene(), House.TALBOT, 0)
    position = known(GAME.view(state, 0))

    for move in GAME.legal_moves(state, 0):
        if GAME.format(move) != "pass":
            assert why_not(position, move) is None
            assert preview(position, move).got >= 0


@pytest.mark.parametrize("seats", [3, 4, 5])
def test_other_worlds_keep_every_card_and_token(seats):
    """DOW-13: cards and influence are dealt anew, none made or lost."""
    for moment in moments(GAME, seats, seed="worlds", every=7):
        state = moment.state
        for seat in (None, *range(seats)):
            world = GAME.other_world(state, seat, dice(f"{moment.ply} {seat}"))
            assert cards_and_tokens(world) == cards_and_tokens(state)
            if seat is not None:
                assert GAME.view(world, seat).screen == GAME.view(state, seat).screen


def cards_and_tokens(state):
    tactics = sorted([*state.deck, *(card for one in state.screens for card in one.tactics)])
    supports = sorted([*state.undealt, *(screen.support for screen in state.screens)])
    soldiers = [sum(one.soldiers.count(kind) for one in state.screens) for kind in SOLDIERS]
    influence = [sum(one.influence.count(house) for one in state.screens) for house in House]
    return tactics, supports, soldiers, influence


def test_other_worlds_know_the_purse_of_the_first_year():
    """DOW-2: before the first purchase everybody's coins are known."""
    state = started(4)

    world = GAME.other_world(state, 0, dice("elsewhere"))

    assert [screen.coins for screen in world.screens] == [5] * 4
    assert [len(screen.tactics) for screen in world.screens] == [2] * 4


def test_other_worlds_change_all_that_is_hidden():
    """DOW-13: coins, points, soldiers, cards, influence and support card of the others."""
    state = scene()
    for seat in (1, 2):
        state = with_screen(
            state, seat, coins=4, points=5, influence=holding(talbot=2), tactics=("Bribe", "Levy")
        )
    changed = set()
    for number in range(20):
        other = GAME.other_world(state, 0, dice(str(number))).screens[1]
        for name in other.__struct_fields__:
            if getattr(other, name) != getattr(state.screens[1], name):
                changed.add(name)

    assert changed == {"support", "coins", "points", "soldiers", "tactics", "influence"}


def test_other_worlds_of_later_years_deal_other_numbers_of_cards():
    """DOW-13: how many tactic cards the others hold is hidden, too."""
    state = with_screen(with_table(scene(), year=2), 1, tactics=("Bribe", "Levy", "Volley"))

    sizes = {
        len(GAME.other_world(state, 0, dice(str(number))).screens[1].tactics)
        for number in range(20)
    }

    assert len(sizes) > 2


def test_a_view_is_small_enough_for_a_page_and_a_log():
    """A view is rich, and still a few dozen kilobytes."""
    assert len(codec.encode(GAME.view(scene(), 0))) < 40_000
