"""What each captain is good at when battles are decided."""

import pytest
from msgspec.structs import replace

from engine.errors import Ambiguous, IllegalMove, Unreadable
from engine.games.dogs_of_war import GAME
from engine.games.dogs_of_war.box.components import Dog, House, SoldierCounts
from engine.games.dogs_of_war.course.conqueror import End, end
from engine.games.dogs_of_war.course.outcome import bonus_takers
from engine.games.dogs_of_war.effects.draft import pushed
from engine.games.dogs_of_war.events import (
    CaptainsWithdrawn,
    NothingMoved,
    NothingWithdrawn,
    ProfitMade,
    SpoilsTaken,
    TrackerPushed,
)
from engine.games.dogs_of_war.moves import Push, Shift
from tests.engine.games.dogs_of_war.scenes import (
    last_pass,
    legal,
    play,
    points,
    result,
    scene,
    step,
    told,
    with_captains,
    with_lead,
    with_side,
    won_by_talbot,
)

B, O, M, C, S = Dog.BLACKMANE, Dog.ORDALIA, Dog.OMALLEY, Dog.CONQUEROR, Dog.STORMCROW  # noqa: E741


# --- Blackmane ---


def test_blackmane_takes_the_strongest_soldier_of_the_defeated_with_a_bonus():
    """DOW-87: of those played, before the clean-up."""
    state = won_by_talbot((B, M, O))
    state = with_side(state, House.MALLORY, soldiers=SoldierCounts(footman=1, arquebuser=2))

    ended = last_pass(state)

    assert ended.state.screens[0].soldiers == SoldierCounts(2, 3, 2, 2)
    assert [event.soldier for event in told(ended, SpoilsTaken)] == ["arquebuser"]
    assert ended.state.table.soldiers.arquebuser == state.table.soldiers.arquebuser + 1


def test_blackmane_takes_spoils_when_he_ties_too():
    """DOW-87: takes or ties for."""
    state = with_captains(won_by_talbot((B, M, S)), House.TALBOT, 0, 1)
    state = with_side(state, House.MALLORY, soldiers=SoldierCounts(war_machine=1))

    assert last_pass(state).state.screens[0].soldiers.war_machine == 3


@pytest.mark.parametrize("dogs", [(M, B, O), (B, M, O)])
def test_no_bonus_or_no_soldiers_no_spoils(dogs):
    """DOW-87: nothing without a bonus reward, and nothing if none was played."""
    state = won_by_talbot(dogs)
    if dogs[0] is M:
        state = with_side(state, House.MALLORY, soldiers=SoldierCounts(knight=1))

    assert told(last_pass(state), SpoilsTaken) == []


# --- Ordalia ---


def test_ordalia_counts_one_captain_more_for_the_bonus():
    """DOW-88, T6: one and one against two is a tie."""
    state = won_by_talbot((M, O, B))

    after = last_pass(state).state

    assert result(after).takers == (0, 1)
    assert points(after) == [3, 3, 0]


def test_ordalias_captain_more_counts_for_nothing_else():
    """DOW-88: not for points, pushes or coins per captain."""
    state = with_captains(scene((O, M, B)), House.TORNBORN, 0)
    pushed = play(state, 0, "footman tornborn 3")
    assert pushed.table.battles[2].tracker == -2

    state = with_captains(with_captains(scene((O, M, B)), House.TALBOT, 0), House.MALLORY, 1)
    assert points(last_pass(with_lead(state, House.MALLORY, 1)).state) == [0, 1, 0]


def test_a_switch_lets_ordalias_captain_more_count_in_the_whole_outcome():
    """DOW-88: the other reading, in which she brings her enemies a point more."""
    state = scene((O, M, B), ordalia_counts_for="outcome")
    state = with_captains(with_captains(state, House.TALBOT, 0), House.MALLORY, 1)

    assert points(last_pass(with_lead(state, House.MALLORY, 1)).state) == [0, 2, 0]


def test_ordalias_captain_more_is_nowhere_without_a_real_one():
    """DOW-88: the defeated house she never supported has no captain of hers."""
    state = with_captains(scene((O, M, B), ordalia_counts_for="outcome"), House.MALLORY, 1)

    assert points(last_pass(with_lead(state, House.MALLORY, 1)).state) == [0, 0, 0]


@pytest.mark.parametrize(("needs", "takers"), [(True, (1,)), (False, (0, 1))])
def test_ordalia_needs_a_real_captain_unless_switched(needs, takers):
    """DOW-89: at least one real captain on that house."""
    state = scene((O, M, B), ordalia_needs_captain=needs)
    state = with_captains(with_lead(state, House.TALBOT, 3), House.TALBOT, 1)

    assert bonus_takers(state.table, state.options, 0, 0) == takers


# --- O'Malley ---


def test_omalley_gets_a_coin_for_each_battle_won():
    """DOW-90: one a battle, however many captains."""
    state = with_captains(with_lead(scene((M, B, O)), House.TALBOT, 3), House.TALBOT, 0, 0)
    state = with_captains(with_lead(state, House.HACKETT, 3), House.HACKETT, 0, 1, 1)
    state = with_captains(with_lead(state, House.HARLOW, 3), House.TORNBORN, 0)

    ended = last_pass(state)

    assert [(event.battle, event.coins) for event in told(ended, ProfitMade)] == [(0, 1), (1, 1)]
    assert ended.state.screens[0].coins == 5 + 3 + 2


# --- the Conqueror ---


def conquering(*houses, dogs=(C, B, M), **options):
    """The Conqueror, seat 0, with a captain on each of these houses, to choose."""
    state = scene(dogs, **options)
    for house in houses:
        state = with_captains(state, house, 0)
    return last_pass(state).state


def test_the_conqueror_moves_each_tracker_up_to_two_spaces():
    """DOW-91: 0, 1 or 2 in every battle he is in."""
    state = conquering(House.TALBOT, House.HACKETT)

    after = step(state, 0, "push 1:2 2:1")

    ends = {event.battle: event.tracker_after for event in told(after, TrackerPushed)}
    assert ends == {0: -2, 1: 1}
    assert [side.strength for side in pushed(state.table.battles[0], 1, 2).sides] == [0, 2]
    assert [result(after.state, number).victor for number in range(3)] == [
        House.TALBOT,
        House.HACKETT,
        None,
    ]
    assert len(legal(state, 0)) == 9


def test_a_push_counts_as_much_strength_as_it_moved_the_tracker():
    """DOW-49, DOW-91: one space, where the track has no second."""
    battle = with_lead(scene(), House.MALLORY, 14).table.battles[0]

    assert [side.strength for side in pushed(battle, 1, 2).sides] == [0, 1]


@pytest.mark.parametrize("house", [House.TALBOT, House.MALLORY])
@pytest.mark.parametrize(("lead", "order"), [(14, "1"), (-1, "1"), (-1, "2"), (-2, "nothing")])
def test_what_a_move_of_the_conqueror_would_make_of_a_battle_is_what_it_makes(house, lead, order):
    """DOW-91: the place of its tracker, its victor, and whether with glory."""
    state = with_lead(conquering(house), house, lead)
    shift = None if order == "nothing" else Shift(house, int(order))

    foreseen = end(state.options, state.table.battles[0], shift)
    after = step(state, 0, "push nothing" if shift is None else f"push {house}:{order}")

    found = result(after.state)
    assert foreseen == End(found.tracker, found.victor, found.glorious)
    assert [event.spaces for event in told(after, TrackerPushed)] == ([int(order)] if shift else [])


def test_the_conqueror_may_leave_everything_as_it_is():
    """DOW-91: at his choice, and silence moves nothing."""
    state = conquering(House.TALBOT)

    assert GAME.format(GAME.default_move(state, 0)) == "push nothing"
    assert result(play(state, 0, "push nothing")).victor is None


@pytest.mark.parametrize(("version", "number"), [(3, 1), (2, 0)])
def test_it_is_told_that_the_conqueror_moves_nothing(version, number):
    """DOW-91: since version 3, or the history would not say that he had his turn."""
    state = replace(conquering(House.TALBOT), rules=version)

    left, moved = step(state, 0, "push nothing"), step(state, 0, "push talbot:1")

    assert told(left, NothingMoved) == [NothingMoved(seat=0)] * number
    assert told(moved, NothingMoved) == []


def test_the_conqueror_may_make_a_victory_glorious():
    """DOW-91, T7: from 14 to 15, which caps the move."""
    state = with_lead(conquering(House.TALBOT), House.TALBOT, 14)

    assert legal(state, 0) == {"push nothing", "push talbot:1"}
    assert result(play(state, 0, "push 1:2")).glorious


def test_the_conqueror_cannot_undo_a_glorious_victory():
    """DOW-92, T7: not where the tracker stands on 15 of the other house."""
    state = with_lead(conquering(House.TALBOT, House.HACKETT), House.MALLORY, 15)

    with pytest.raises(IllegalMove) as refused:
        GAME.parse(state, 0, "push talbot:1")

    assert refused.value.rule == "DOW-92"
    assert not {order for order in legal(state, 0) if "talbot" in order}


def test_the_conqueror_with_captains_on_both_sides_picks_one():
    """DOW-93: per battle."""
    state = conquering(House.TALBOT, House.MALLORY)

    assert legal(state, 0) == {
        "push nothing",
        *(f"push {house}:{spaces}" for house in ("talbot", "mallory") for spaces in (1, 2)),
    }
    with pytest.raises(Ambiguous, match="Write Talbot or Mallory"):
        GAME.parse(state, 0, "push 1:2")
    assert result(play(state, 0, "push 1b:2")).victor is House.MALLORY


def test_the_conqueror_needs_a_captain_in_the_battle():
    """DOW-91: where he has one."""
    state = conquering(House.TALBOT)

    for order in ("push hackett:1", "push 2:1", "push mallory:1"):
        with pytest.raises(IllegalMove) as refused:
            GAME.parse(state, 0, order)
        assert refused.value.rule == "DOW-91"


def test_three_spaces_are_too_many_and_a_battle_is_named_once():
    """DOW-91: up to 2, once per battle."""
    state = conquering(House.TALBOT)

    with pytest.raises(IllegalMove, match="toward Talbot by: 0, 1, 2"):
        GAME.parse(state, 0, "push talbot:3")
    with pytest.raises(Unreadable, match="twice"):
        GAME.parse(state, 0, "push talbot:1 1:1")


@pytest.mark.parametrize(
    ("houses", "battle"),
    [
        ((House.TALBOT, House.TALBOT), 1),
        ((House.TALBOT, House.MALLORY), 1),
        ((House.HACKETT, House.TALBOT), 1),
        ((House.TALBOT, House.HACKETT, House.HACKETT), 2),
    ],
)
def test_a_move_that_was_not_written_names_each_battle_once_too(houses, battle):
    """DOW-91: a tracker moves by two at most, and one way."""
    state = conquering(House.TALBOT, House.MALLORY, House.HACKETT)

    with pytest.raises(IllegalMove, match="Name each battle once") as refused:
        GAME.check(state, 0, Push(tuple(Shift(house, 2) for house in houses)))

    assert refused.value.rule == "DOW-91"
    assert refused.value.sentence.parameters["battle"] == battle
    with pytest.raises(IllegalMove, match=r"toward Talbot by: 0, 1, 2\."):
        GAME.check(state, 0, Push((Shift(House.TALBOT, 3),)))


@pytest.mark.parametrize("standing", ["nowhere", "beaten", "glorious"])
def test_the_conqueror_is_not_asked_where_he_has_nothing_to_choose(standing):
    """DOW-91, DOW-92: no captain, or nothing a tracker could do."""
    state = scene((C, B, M))
    if standing != "nowhere":
        state = with_captains(state, House.TALBOT, 0)
        state = with_lead(state, House.MALLORY if standing == "beaten" else House.TALBOT, 15)

    assert last_pass(state).state.table.year == 2


def test_a_switch_makes_it_two_spaces_or_none():
    """DOW-91: the other document's reading."""
    state = conquering(House.TALBOT, conqueror_moves="two")

    assert legal(state, 0) == {"push nothing", "push talbot:2"}


# --- Stormcrow ---


def test_stormcrows_captains_bring_the_others_no_points():
    """DOW-94, T5: two of the three captains on Mallory are his."""
    assert points(last_pass(won_by_talbot((M, B, S))).state) == [1, 1, 0]


@pytest.mark.parametrize(("own", "expected"), [(True, 3), (False, 2)])
def test_stormcrow_counts_his_own_captains_among_the_defeated(own, expected):
    """DOW-95: only opponents lose them, unless switched."""
    state = won_by_talbot((S, B, M), stormcrow_counts_own=own)

    assert points(last_pass(state).state)[:2] == [expected, 2]


def test_a_switch_lets_stormcrow_choose_what_he_withdraws():
    """DOW-94: he *may* take his captains back, and then nobody counts them."""
    state = last_pass(won_by_talbot((S, B, M), stormcrow_withdraws="by_choice")).state

    assert state.table.phase == "withdrawal"
    assert legal(state, 0) == {"withdraw nothing", "withdraw mallory"}
    assert points(play(state, 0, "withdraw nothing")) == [3, 3, 0]
    assert points(play(state, 0, "withdraw 1")) == [2, 2, 0]
    assert GAME.format(GAME.default_move(state, 0)) == "withdraw mallory"


def test_stormcrows_ability_is_told_as_he_has_it():
    """DOW-94: captains that he leaves with the defeated bring the others points."""
    always, chooses = (
        str(GAME.view(scene((S, B, M), stormcrow_withdraws=when), 1).say.ability(S))
        for when in ("always", "by_choice")
    )

    assert always == "Your captains on a defeated house bring no points to the others."
    assert "you may take your captains back" in chooses


@pytest.mark.parametrize(("version", "number"), [(3, 1), (2, 0)])
def test_it_is_told_that_stormcrow_leaves_his_captains(version, number):
    """DOW-94: since version 3."""
    state = last_pass(won_by_talbot((S, B, M), stormcrow_withdraws="by_choice")).state
    state = replace(state, rules=version)

    left, taken = step(state, 0, "withdraw nothing"), step(state, 0, "withdraw 1")

    assert told(left, NothingWithdrawn) == [NothingWithdrawn(seat=0)] * number
    assert told(taken, NothingWithdrawn) == []
    assert [event.captains for event in told(taken, CaptainsWithdrawn)] == [1]


def test_stormcrow_is_not_asked_where_he_loses_no_captain():
    """DOW-94: from a losing side."""
    state = last_pass(won_by_talbot((B, M, S), stormcrow_withdraws="by_choice")).state
    none = with_captains(scene((S, B, M), stormcrow_withdraws="by_choice"), House.TALBOT, 0)

    assert (state.table.phase, state.table.turn) == ("withdrawal", 2)
    assert last_pass(with_lead(none, House.TALBOT, 5)).state.table.year == 2


def test_captains_that_stormcrow_leaves_may_be_no_points_to_himself():
    """DOW-95: both switches together."""
    state = won_by_talbot((S, B, M), stormcrow_withdraws="by_choice", stormcrow_counts_own=False)

    assert points(play(last_pass(state).state, 0, "withdraw nothing")) == [2, 3, 0]


def test_stormcrow_withdraws_from_losing_sides_only():
    """DOW-94: from the losing side."""
    state = last_pass(won_by_talbot((S, B, M), stormcrow_withdraws="by_choice")).state

    for order in ("withdraw talbot", "withdraw 2", "withdraw talbot mallory"):
        with pytest.raises(IllegalMove) as refused:
            GAME.parse(state, 0, order)
        assert refused.value.rule == "DOW-94"


def test_stormcrow_chooses_after_the_conqueror():
    """DOW-70, DOW-94: the losing sides are known by then."""
    state = with_captains(scene((S, C, B), stormcrow_withdraws="by_choice"), House.TALBOT, 0)
    state = with_captains(with_lead(state, House.TALBOT, 1), House.MALLORY, 1)
    state = last_pass(state).state
    assert (state.table.phase, state.table.turn) == ("conqueror", 1)

    state = play(state, 1, "push 1:2")

    assert (state.table.phase, state.table.turn) == ("withdrawal", 0)
