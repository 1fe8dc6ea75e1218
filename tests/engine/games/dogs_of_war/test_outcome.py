"""Battle outcomes (the captains' abilities: ``test_abilities``)."""

import pytest

from engine.games.dogs_of_war import GAME
from engine.games.dogs_of_war.box.components import Dog, House, Reward, RewardKind
from engine.games.dogs_of_war.events import (
    BattleEnded,
    PointsScored,
    Rewarded,
)
from engine.games.dogs_of_war.state import YEARS
from tests.engine.games.dogs_of_war.scenes import (
    everybody_passes,
    holding,
    last_pass,
    play,
    points,
    position,
    result,
    scene,
    told,
    with_battle,
    with_captains,
    with_influence_left,
    with_lead,
    with_position,
    with_screen,
    with_table,
    won_by_talbot,
)

B, O, M, C, S = Dog.BLACKMANE, Dog.ORDALIA, Dog.OMALLEY, Dog.CONQUEROR, Dog.STORMCROW  # noqa: E741


def test_the_conqueror_is_asked_before_any_battle_is_decided():
    """DOW-70: at the end of the action phase."""
    state = with_captains(scene((C, B, M)), House.TALBOT, 0)

    ended = last_pass(state)

    assert ended.state.table.phase == "conqueror"
    assert told(ended, BattleEnded) == []


def test_battles_are_resolved_in_their_order():
    """DOW-71: the first one first."""
    ended = last_pass(scene())

    assert [event.battle for event in told(ended, BattleEnded)] == [0, 1, 2]


@pytest.mark.parametrize("spaces", [1, 14])
def test_the_house_the_tracker_stands_on_wins(spaces):
    """DOW-72, DOW-74: from 1 on; one step up the house track."""
    ended = last_pass(with_lead(scene(), House.MALLORY, spaces))

    after = ended.state
    assert result(after).victor is House.MALLORY
    assert position(after, House.MALLORY) == 0
    assert position(after, House.TALBOT) == -1
    assert told(ended, BattleEnded)[0].positions == (-1, 0)


def test_with_the_tracker_in_the_centre_both_houses_are_defeated():
    """DOW-73: no victor, no step, no points, no bonus."""
    state = with_captains(with_captains(scene(), House.TALBOT, 0, 0), House.MALLORY, 1)

    ended = last_pass(state)

    assert result(ended.state).victor is None
    assert points(ended.state) == [0, 0, 0]
    assert result(ended.state).points == (0, 0, 0)
    assert told(ended, Rewarded) == []
    assert [position(ended.state, house) for house in House] == [-1] * 6


def test_a_glorious_victory_is_two_steps_and_a_crushing_defeat_one_back():
    """DOW-75, DOW-76, T3: from 0 to 2; the defeated house on -1 stays there."""
    state = with_position(with_lead(scene(), House.TALBOT, 15), House.TALBOT, 0)

    after = last_pass(state).state

    assert position(after, House.TALBOT) == 2
    assert position(after, House.MALLORY) == -1
    assert result(after).glorious


def test_a_crushing_defeat_takes_a_step_where_there_is_one():
    """DOW-75: one step back."""
    state = with_position(with_lead(scene(), House.TALBOT, 15), House.MALLORY, 3)

    assert position(last_pass(state).state, House.MALLORY) == 2


def test_a_switch_lets_houses_fall_below_minus_one():
    """DOW-76: the floor, which one document alone states."""
    state = with_lead(scene(house_floor=False), House.TALBOT, 15)

    assert position(last_pass(state).state, House.MALLORY) == -2


@pytest.mark.parametrize(
    ("options", "fallen"),
    [
        ({}, [False, False, True]),
        ({"house_floor": False}, [True, False, True]),
        ({"crushing_at_twelve": True}, [True, False, True]),
    ],
)
def test_a_defeated_house_is_known_to_have_fallen_where_it_did(options, fallen):
    """DOW-75, DOW-76: only its own crushing defeat is a step back, and none from -1."""
    state = scene(**options)
    for year, (house, spaces) in enumerate(
        ((House.TALBOT, 15), (House.MALLORY, 3), (House.TALBOT, 15)), 1
    ):
        state = with_table(state, year=year, phase="action", turn=0, battles=scene().table.battles)
        state = with_lead(with_lead(state, house, spaces), House.BASTIANI, 15)
        state = last_pass(state).state

    first_battles = [result for result in state.table.results if result.battle == 0]

    assert [GAME.view(state, 0).fell(result) for result in first_battles] == fallen


def test_four_glorious_victories_lead_to_seven():
    """DOW-77: the highest space there is."""
    state = scene()
    for year in range(1, YEARS + 1):
        state = with_table(state, year=year, phase="action", turn=0, battles=scene().table.battles)
        state = last_pass(with_lead(state, House.TALBOT, 15)).state

    assert position(state, House.TALBOT) == 7


def test_captains_of_the_defeated_are_a_point_each_for_all_who_supported_the_victor():
    """DOW-78, T4: three captains on Mallory, own ones count, own victors do not multiply."""
    ended = last_pass(won_by_talbot())

    assert points(ended.state) == [3, 3, 0]
    assert [(event.seat, event.points) for event in told(ended, PointsScored)] == [(0, 3), (1, 3)]


def test_without_captains_on_the_losing_side_nobody_scores():
    """DOW-79: nothing to count."""
    ended = last_pass(with_captains(won_by_talbot(), House.MALLORY))

    assert points(ended.state) == [0, 0, 0]
    assert told(ended, PointsScored) == []


def test_most_captains_on_the_victor_take_the_bonus():
    """DOW-80, T4: seat 0 with two against one."""
    ended = last_pass(won_by_talbot())

    assert result(ended.state).takers == (0,)
    assert [(event.seat, event.source, event.got) for event in told(ended, Rewarded)] == [
        (0, "bonus", 3)
    ]


def test_all_who_tie_for_most_take_the_bonus_in_full():
    """DOW-81: every tied player."""
    state = with_captains(won_by_talbot((M, B, S)), House.TALBOT, 0, 1)

    after = last_pass(state).state

    assert result(after).takers == (0, 1)
    assert [screen.coins for screen in after.screens] == [5 + 3 + 1, 5 + 3, 5]


def test_a_bonus_captain_waits_for_next_year():
    """DOW-82: kept in reserve and added at next year's muster."""
    state = with_captains(with_lead(scene(), House.TORNBORN, 2), House.TORNBORN, 1)

    after = last_pass(state).state

    assert [player.reserve for player in after.table.players] == [0, 1, 0]
    assert [player.captains for player in after.table.players] == [0, 0, 0]
    mustered = play(after, after.table.turn, "keep")
    assert [player.captains for player in mustered.table.players] == [4, 5, 4]


def test_bonus_influence_is_of_the_victorious_house():
    """DOW-83: the house the winners supported."""
    state = with_battle(won_by_talbot(), 0, bonus=Reward(RewardKind.INFLUENCE, 2))

    assert last_pass(state).state.screens[0].influence == holding(talbot=2)


def test_a_short_supply_serves_the_takers_from_the_first_player_on():
    """DOW-84: in turn order."""
    state = with_captains(won_by_talbot((M, O, S)), House.TALBOT, 0, 2)
    state = with_battle(state, 0, bonus=Reward(RewardKind.INFLUENCE, 2))
    state = with_influence_left(with_table(state, first=1), House.TALBOT, 3)

    after = last_pass(state).state

    assert result(after).takers == (2, 0)
    assert after.screens[2].influence == holding(talbot=2)
    assert after.screens[0].influence == holding(talbot=1)


def test_the_clean_up_returns_all_that_lay_on_the_board():
    """DOW-85: soldiers to the supply, trackers to 0, no captain stays."""
    state = play(scene(), 0, "knight talbot 2")
    held = sum((screen.soldiers.total for screen in state.screens), 0)

    after = everybody_passes(state)

    assert after.table.soldiers.total == 50 - held
    assert [battle.tracker for battle in after.table.battles] == [0, 0, 0]
    assert all(side.captains_placed == 0 for one in after.table.battles for side in one.sides)


def test_what_a_player_owns_stays_theirs_whatever_the_battles_bring():
    """DOW-86: influence, points, coins, cards."""
    state = with_screen(
        with_lead(scene((S, B, O)), House.MALLORY, 15),
        0,
        influence=holding(talbot=3),
        points=4,
        coins=6,
        tactics=("Bribe",),
    )

    assert last_pass(state).state.screens[0] == state.screens[0]
