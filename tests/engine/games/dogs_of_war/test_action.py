"""The action turn: order of steps, eligibility, tracker (DOW-31 to DOW-49)."""

import pytest

from engine.dice import NoDice
from engine.errors import IllegalMove
from engine.games.dogs_of_war import GAME
from engine.games.dogs_of_war.action.foresight import preview
from engine.games.dogs_of_war.action.position import position
from engine.games.dogs_of_war.action.reasons import why_not
from engine.games.dogs_of_war.box.components import House, Soldier, SoldierCounts
from engine.games.dogs_of_war.events import Placed, Rewarded
from engine.games.dogs_of_war.moves import Place
from tests.engine.games.dogs_of_war.scenes import (
    everybody_passes,
    lead,
    legal,
    play,
    scene,
    step,
    told,
    with_battle,
    with_captains,
    with_lead,
    with_player,
    with_screen,
    with_table,
)


def refusal(state, seat, order):
    with pytest.raises(IllegalMove) as refused:
        GAME.parse(state, seat, order)
    return refused.value


def holding_card(card, state=None):
    return with_screen(state or scene(), 0, tactics=(card,))


# --- the turn ---


def test_turns_go_clockwise_from_the_first_player_until_all_have_passed():
    """DOW-31: clockwise from the first player."""
    state, order = with_table(scene(), first=1, turn=1), []
    for space in (1, 2, 3, 4):
        order.append(state.table.turn)
        state = play(state, state.table.turn, f"footman talbot {space}" if space < 4 else "pass")

    assert order == [1, 2, 0, 1]
    assert state.table.phase == "action"


def test_an_action_runs_through_its_steps_in_order():
    """DOW-32: tactic card, soldier, captain, tracker, reward; an action or a pass."""
    state = holding_card("Patronage")

    after = step(state, 0, "patronage + arquebuser talbot 5")

    told_kinds = [type(event) for event in after.events]
    assert told_kinds == [Placed, Rewarded, Rewarded]
    assert [event.source for event in told(after, Rewarded)] == ["tactic", "space"]
    battle = after.state.table.battles[0]
    assert battle.sides[0].soldiers == SoldierCounts(arquebuser=1)
    assert battle.sides[0].captains == (None, None, None, None, 0, None)
    assert battle.tracker == -3
    assert after.state.screens[0].points == 2
    assert after.state.screens[0].influence.talbot == 1


def test_one_order_plays_one_tactic_card_at_most():
    """DOW-33: at most one tactic card a turn."""
    state = with_screen(scene(), 0, tactics=("Betrayal", "Bribe"))

    cards = {move.tactic for move in GAME.legal_moves(state, 0) if isinstance(move, Place)}

    assert cards == {None, "Betrayal", "Bribe"}
    with pytest.raises(Exception, match="does not fit together"):
        GAME.parse(state, 0, "betrayal + bribe + knight talbot 3")


def test_a_tactic_card_is_never_played_alone():
    """DOW-34: only together with a soldier and a captain."""
    state = holding_card("Betrayal", with_screen(scene(), 0, soldiers=SoldierCounts()))
    assert legal(state, 0) == {"pass"}

    with pytest.raises(Exception, match="names no soldier"):
        GAME.parse(state, 0, "betrayal talbot 3")


def test_a_played_tactic_card_is_discarded_after_its_effect():
    """DOW-35: to the discard pile, face up."""
    after = play(holding_card("Bribe"), 0, "bribe + footman talbot 6")

    assert after.table.discards == ("Bribe",)
    assert after.screens[0].tactics == ()


def test_of_two_equal_tactic_cards_one_is_played_and_only_a_betrayal_opens_the_other_side():
    """DOW-33, DOW-35"""
    state = with_screen(scene(), 0, tactics=("Bribe", "Bribe"))

    after = play(state, 0, "bribe + footman talbot 6")

    assert after.screens[0].tactics == ("Bribe",)
    assert after.table.players[0].betrayed == ()


def test_a_turn_takes_one_soldier_and_one_captain_to_the_same_side():
    """DOW-36: exactly one of each, never one without the other."""
    after = play(scene(), 0, "knight hackett 1")

    hackett = after.table.battles[1].sides[1]
    assert (hackett.soldiers.total, hackett.captains_of(0)) == (1, 1)
    assert after.screens[0].soldiers == SoldierCounts(2, 2, 1, 2)
    assert after.table.players[0].captains == 2


def test_a_soldier_one_does_not_hold_cannot_be_played():
    """DOW-36: from the hand."""
    state = with_screen(scene(), 0, soldiers=SoldierCounts(footman=1))

    refused = refusal(state, 0, "knight talbot 1")

    assert refused.rule == "DOW-36"
    assert "You hold: footmen" in str(refused)


def test_a_taken_space_holds_no_second_captain():
    """DOW-37: one captain a space; the answer names the open ones."""
    state = with_captains(scene(), House.TALBOT, 1)

    refused = refusal(state, 0, "footman talbot 1")

    assert refused.rule == "DOW-37"
    assert "Open to your footman: 2, 3, 4" in str(refused)


def test_several_captains_of_one_player_may_stand_on_one_tile():
    """DOW-38: one a turn."""
    state = with_captains(scene(), House.TALBOT, 0, 0)

    after = play(state, 0, "footman talbot 3")

    assert after.table.battles[0].sides[0].captains_of(0) == 3


# --- eligibility ---


def test_who_supported_a_house_cannot_support_its_opponent_this_year():
    """DOW-39: not the other house of that battle, while other battles stay open."""
    state = with_captains(scene(), House.TALBOT, 0)

    refused = refusal(state, 0, "knight mallory 5")

    assert refused.rule == "DOW-39"
    assert not {order for order in legal(state, 0) if "mallory" in order}
    assert {order for order in legal(state, 0) if "hackett" in order}


def test_betrayal_opens_the_other_side_on_the_turn_it_is_played():
    """DOW-40, DOW-41: it resolves first, so the same turn may use it."""
    state = holding_card("Betrayal", with_captains(scene(), House.TALBOT, 0))

    after = play(state, 0, "betrayal + knight mallory 5")

    assert after.table.battles[0].sides[1].captains_of(0) == 1


def test_betrayal_lasts_for_that_battle_and_that_year():
    """DOW-40: either side of that battle for the rest of the year, and no other battle's."""
    state = with_captains(scene(), House.TALBOT, 0)
    state = with_captains(state, House.HACKETT, 0)
    state = play(holding_card("Betrayal", state), 0, "betrayal + knight mallory 5")
    state = with_table(state, turn=0)

    open_houses = {move.house for move in GAME.legal_moves(state, 0) if isinstance(move, Place)}

    assert {House.TALBOT, House.MALLORY, House.HACKETT} <= open_houses
    assert House.BASTIANI not in open_houses
    assert everybody_passes(state).table.players[0].betrayed == ()


def test_betrayal_may_come_before_it_is_needed():
    """DOW-40: after it is played either side is open."""
    state = play(holding_card("Betrayal"), 0, "betrayal + footman talbot 1")

    after = play(with_table(state, turn=0), 0, "footman mallory 1")

    assert after.table.battles[0].sides[1].captains_of(0) == 1


@pytest.mark.parametrize(
    ("soldier", "open_"), [("footman", False), ("arquebuser", False), ("knight", True)]
)
def test_a_knights_space_needs_a_knight_or_a_war_machine(soldier, open_):
    """DOW-42: knight/+ spaces."""
    assert (f"{soldier} talbot 6" in legal(scene(), 0)) is open_
    assert "war machine talbot 6" in legal(scene(), 0)
    assert refusal(scene(), 0, "footman talbot 6").rule == "DOW-42"


def test_an_arquebusers_space_needs_an_arquebuser_or_better():
    """DOW-43: arquebuser/+ spaces."""
    orders = legal(scene(), 0)

    assert "footman talbot 5" not in orders
    assert {f"{soldier} talbot 5" for soldier in ("arquebuser", "knight", "war machine")} <= orders
    assert refusal(scene(), 0, "footman talbot 5").rule == "DOW-43"


def test_bribe_opens_a_space_to_any_soldier():
    """DOW-42: the card leaves the prerequisite out of account."""
    after = play(holding_card("Bribe"), 0, "bribe + footman talbot 6")

    assert after.table.battles[0].sides[0].captains[5] == 0


def test_a_tile_without_an_eligible_free_space_cannot_be_entered():
    """DOW-44: that house cannot be supported with that soldier."""
    state = with_captains(scene(), House.TALBOT, 1, 1, 2, 2)

    assert refusal(state, 0, "footman talbot 5").rule == "DOW-44"
    assert "arquebuser talbot 5" in legal(state, 0)


def test_a_house_on_fifteen_may_still_be_supported():
    """DOW-45: the surplus is lost, the captain stands."""
    after = play(with_lead(scene(), House.TALBOT, 15), 0, "knight talbot 2")

    assert lead(after, House.TALBOT) == 15
    assert after.screens[0].coins == 7


# --- the tracker ---


@pytest.mark.parametrize(
    ("soldier", "spaces"), [("footman", 1), ("arquebuser", 3), ("knight", 5), ("war machine", 7)]
)
@pytest.mark.parametrize("house", [House.TALBOT, House.MALLORY])
def test_the_tracker_moves_by_the_soldiers_strength(soldier, spaces, house):
    """DOW-46: 1, 3, 5 or 7 toward the supported house."""
    assert lead(play(scene(), 0, f"{soldier} {house} 1"), house) == spaces


def test_the_tracker_stops_at_fifteen():
    """DOW-47, T2: from 12 a war machine goes to 15; a footman of the other house back to 14."""
    state = play(with_lead(scene(), House.TALBOT, 12), 0, "war machine talbot 1")
    assert lead(state, House.TALBOT) == 15

    state = play(state, 1, "footman mallory 1")

    assert lead(state, House.TALBOT) == 14
    after = everybody_passes(state)
    rows = {row.house: row.position for row in after.table.houses}
    assert (rows[House.TALBOT], rows[House.MALLORY]) == (0, -1)


def test_the_tracker_crosses_the_centre():
    """DOW-48: 3 for Talbot and a knight for Mallory make 2 for Mallory."""
    after = play(with_lead(scene(), House.TALBOT, 3), 0, "knight mallory 1")

    assert lead(after, House.MALLORY) == 2


def test_the_outcome_is_read_from_the_tracker_and_not_from_strengths():
    """DOW-49: a surplus that was lost does not help."""
    state = with_lead(scene(), House.TALBOT, 15)
    state = play(state, 0, "war machine talbot 1")
    state = play(with_battle(state, 0, tracker=6), 1, "footman mallory 1")

    result = everybody_passes(state).table.results[0]

    assert result.victor is House.MALLORY


def test_opportunism_leaves_the_tracker_alone():
    """DOW-46: the card stops the soldier from moving it."""
    after = play(holding_card("Opportunism"), 0, "opportunism + war machine talbot 1")

    assert lead(after, House.TALBOT) == 0
    assert after.table.battles[0].sides[0].soldiers.war_machine == 1


@pytest.mark.parametrize(
    ("card", "order", "spaces"),
    [
        ("Formation", "formation + footman talbot 1", 3),
        ("Lance Charge", "lance charge + knight talbot 1", 7),
        ("Volley", "volley + arquebuser talbot 1", 5),
        ("Bombardment", "bombardment + war machine talbot 1", 9),
    ],
)
def test_some_cards_make_a_soldier_stronger(card, order, spaces):
    """DOW-46: strength as the card says."""
    assert lead(play(holding_card(card), 0, order), House.TALBOT) == spaces


def test_a_card_for_one_kind_of_soldier_goes_with_no_other():
    """DOW-32: a card is played with the soldiers it names."""
    refused = refusal(holding_card("Volley"), 0, "volley + knight talbot 1")

    assert str(refused) == "Volley is played with: arquebuser."


def test_plunder_brings_coins_with_a_footman():
    """DOW-32: the card's effect comes first, the reward of the space last."""
    after = play(holding_card("Plunder"), 0, "plunder + footman talbot 2")

    assert after.screens[0].coins == 5 + 3 + 2


def test_levy_brings_a_footman_that_may_be_played_at_once():
    """DOW-32: the tactic card comes before the soldier."""
    state = holding_card("Levy", with_screen(scene(), 0, soldiers=SoldierCounts()))

    after = play(state, 0, "levy + footman talbot 1")

    assert after.screens[0].soldiers == SoldierCounts()
    assert after.table.soldiers.footman == state.table.soldiers.footman - 1


def test_levy_finds_nobody_in_an_empty_pile():
    """DOW-61: what is not there is not received."""
    state = holding_card("Levy", with_screen(scene(), 0, soldiers=SoldierCounts()))
    state = with_table(state, soldiers=SoldierCounts())

    assert legal(state, 0) == {"pass"}


def test_a_card_one_does_not_hold_cannot_be_played():
    """DOW-32: from the hand."""
    assert "You hold: Bribe" in str(refusal(holding_card("Bribe"), 0, "levy + footman talbot 1"))


def test_without_a_captain_there_is_no_action():
    """DOW-65: no captain, no action."""
    state = with_player(scene(), 0, captains=0)

    assert refusal(state, 0, "knight talbot 1").rule == "DOW-65"


@pytest.mark.parametrize(
    ("order", "rule"),
    [("knight talbot 7", "DOW-32"), ("knight talbot 1 copy 2", "DOW-56")],
)
def test_what_the_board_does_not_have_is_refused(order, rule):
    """DOW-32: six spaces, and only a copy copies."""
    assert refusal(scene(), 0, order).rule == rule


def test_a_preview_says_what_an_action_will_do_before_it_is_done():
    """DOW-32: the same reading of the rules before and after."""
    state = with_lead(with_captains(scene(), House.HARLOW, 1), House.HARLOW, 2)
    move = GAME.parse(state, 0, "knight tornborn 4")

    plan = preview(position(state, 0), move)

    assert (plan.tracker_before, plan.tracker_after, plan.got) == (2, -3, 2)
    after = GAME.apply(state, 0, move, NoDice()).state
    assert after.table.battles[2].tracker == -3
    assert after.screens[0].coins == 7


def test_reasons_and_moves_agree_on_every_conceivable_action():
    """DOW-32: what is listed is legal, and what is not listed has a reason."""
    state = with_captains(scene(), House.TALBOT, 1, 0, None, 2)
    state = with_captains(state, House.TORNBORN, 1)
    state = with_screen(
        state, 0, tactics=("Betrayal", "Bribe", "Levy", "Volley"), soldiers=SoldierCounts(0, 1, 1)
    )
    listed = set(GAME.legal_moves(state, 0))
    known = position(state, 0)

    for house in House:
        for soldier in Soldier:
            for tactic in (None, "Betrayal", "Bribe", "Levy", "Volley", "Plunder"):
                for space in range(8):
                    for copied in (None, 0, 1, 2, 3, 4, 5, 6, 7):
                        move = Place(soldier, house, space, tactic, copied)
                        assert (why_not(known, move) is None) == (move in listed), move
