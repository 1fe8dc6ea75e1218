"""The rewards of spaces, and passing (DOW-50 to DOW-69)."""

from collections import Counter

import pytest
from msgspec.structs import replace

from engine.errors import Ambiguous, IllegalMove
from engine.games.dogs_of_war import GAME
from engine.games.dogs_of_war.action.foresight import preview
from engine.games.dogs_of_war.action.position import position
from engine.games.dogs_of_war.box.components import House, Reward, RewardKind, SoldierCounts, Space
from engine.games.dogs_of_war.box.names import tactic_words
from engine.games.dogs_of_war.events import DeckReshuffled, Passed, Rewarded, TacticsDrawn
from engine.games.dogs_of_war.moves import Place
from tests.engine.games.dogs_of_war.scenes import (
    everybody_passes,
    holding,
    lead,
    legal,
    play,
    scene,
    step,
    told,
    with_captains,
    with_influence_left,
    with_lead,
    with_player,
    with_screen,
    with_side,
    with_table,
)


def with_space(state, house, number, kind, amount=1):
    """The scene with another reward printed on a house's space."""
    found, which = state.table.find(house)
    spaces = list(state.table.battles[found].sides[which].spaces)
    spaces[number - 1] = Space(reward=Reward(kind, amount))
    return with_side(state, house, spaces=tuple(spaces))


def test_points_are_taken():
    """DOW-50: n VP."""
    assert play(scene(), 0, "footman bastiani 2").screens[0].points == 1


@pytest.mark.parametrize("kind", ["footman", "arquebuser", "knight", "war_machine"])
def test_a_soldier_comes_from_the_supply_into_the_hand(kind):
    """DOW-51: one card of the kind."""
    state = with_space(scene(), House.TALBOT, 1, RewardKind(kind))
    before = getattr(state.table.soldiers, kind)

    after = play(state, 0, "arquebuser talbot 1")

    hand = SoldierCounts(2, 1, 2, 2)
    assert after.screens[0].soldiers == replace(hand, **{kind: getattr(hand, kind) + 1})
    assert getattr(after.table.soldiers, kind) == before - 1


def test_coins_are_taken():
    """DOW-52: n coins."""
    assert play(scene(), 0, "footman talbot 2").screens[0].coins == 7


def test_tactic_cards_are_drawn_and_only_their_player_learns_which():
    """DOW-53: n tactic cards from the deck."""
    state = scene()

    drawn = step(state, 0, "footman talbot 4")

    assert drawn.state.screens[0].tactics == (state.deck[-1],)
    assert drawn.state.table.deck == state.table.deck - 1
    assert [event.readers for event in told(drawn, TacticsDrawn)] == [(0,)]
    assert told(drawn, Rewarded)[0].got == 1
    assert drawn.reveals


def test_the_discards_become_the_new_deck_when_it_runs_out():
    """DOW-53: shuffle the discards and go on."""
    state = replace(scene(), deck=("Levy",))
    state = with_table(state, deck=1, discards=("Bribe", "Volley", "Betrayal"))

    drawn = step(state, 0, "arquebuser tornborn 5")

    assert told(drawn, DeckReshuffled)[0].cards == 3
    hand = Counter(drawn.state.screens[0].tactics)
    assert hand["Levy"] == 1
    assert hand.total() == 2
    left = hand + Counter(drawn.state.deck) + Counter(drawn.state.table.discards)
    assert left == Counter(["Levy", "Bribe", "Volley", "Betrayal"])


def test_an_empty_deck_without_discards_gives_what_there_is():
    """DOW-53: both empty: draw what there is."""
    state = with_table(replace(scene(), deck=("Levy",)), deck=1)

    after = play(state, 0, "arquebuser tornborn 5")

    assert after.screens[0].tactics == ("Levy",)


def test_the_card_just_played_can_be_drawn_again():
    """DOW-53, DOW-35: it is among the discards when the reward is taken."""
    state = with_table(replace(scene(), deck=()), deck=0)
    state = with_screen(state, 0, tactics=("Bribe",))

    after = play(state, 0, "bribe + footman talbot 4")

    assert after.screens[0].tactics == ("Bribe",)


def test_a_captain_comes_for_this_year():
    """DOW-54: one extra captain."""
    after = play(scene(), 0, "knight talbot 6")

    assert after.table.players[0].captains == 3
    assert after.table.players[0].reserve == 0


def test_a_seventh_captain_is_lost():
    """DOW-24: six in a year, placed and in hand."""
    state = with_player(with_captains(scene(), House.HACKETT, 0, 0), 0, captains=4)

    after = play(state, 0, "knight talbot 6")

    assert after.table.players[0].captains == 3


def test_influence_is_of_the_house_supported():
    """DOW-55: n tokens of the supported house, out of its supply."""
    taken = step(scene(), 0, "arquebuser mallory 5")

    after = taken.state
    assert told(taken, Rewarded)[0].house is House.MALLORY
    assert after.screens[0].influence == holding(mallory=2)
    assert after.table.row(House.MALLORY).influence == 6


def test_copy_takes_the_reward_of_a_free_space_opposite_as_if_printed_here():
    """DOW-56: influence, then, is of the own supported house."""
    after = play(scene(), 0, "footman harlow 2 copy 1")

    assert after.screens[0].influence == holding(harlow=1)
    assert play(scene(), 0, "footman harlow 2 copy 4").screens[0].coins == 7


def test_copy_ignores_the_prerequisite_of_the_copied_space():
    """DOW-57: a footman copies a knight's space."""
    after = play(scene(), 0, "footman harlow 2 copy 6")

    assert after.screens[0].soldiers.war_machine == 3


def test_copy_asks_which_space_and_lists_them():
    """DOW-56: any one unoccupied space, so the player says which."""
    with pytest.raises(
        Ambiguous, match=r"copy 1: 1 influence token; .*copy 3: a push.*copy 4: 2 coins"
    ):
        GAME.parse(scene(), 0, "footman harlow 2")


def test_an_occupied_space_cannot_be_copied():
    """DOW-56: unoccupied spaces only."""
    state = with_captains(scene(), House.TORNBORN, 1)

    with pytest.raises(IllegalMove) as refused:
        GAME.parse(state, 0, "footman harlow 2 copy 1")

    assert refused.value.rule == "DOW-56"
    assert "You can choose: 2, 3, 4, 5, 6" in str(refused.value)


def test_equal_rewards_opposite_are_one_choice():
    """DOW-56: the first of them stands for all, and the others are read as it."""
    state = with_space(scene(), House.TORNBORN, 6, RewardKind.COINS, 2)

    copied = {
        move.copied
        for move in GAME.legal_moves(state, 0)
        if isinstance(move, Place) and move.house is House.HARLOW and move.space == 2
    }

    assert copied == {1, 2, 3, 4, 5}
    assert GAME.parse(state, 0, "footman harlow 2 copy 6").copied == 4


def test_copying_a_copy_has_no_effect():
    """DOW-57: a copied copy does nothing."""
    state = with_space(scene(), House.TORNBORN, 2, RewardKind.COPY)
    before = state.screens[0]

    copied = step(state, 0, "footman harlow 2 copy 2")

    after = copied.state.screens[0]
    assert after == replace(before, soldiers=before.soldiers.plus("footman", -1))
    assert told(copied, Rewarded) == []


def test_with_nothing_opposite_to_copy_there_is_nothing_to_choose():
    """DOW-57: no unoccupied rewarding space: nothing."""
    state = with_captains(scene(), House.TORNBORN, 1, 1, 1, 2, 2, 2)

    taken = step(state, 0, "footman harlow 2")

    assert told(taken, Rewarded) == []
    with pytest.raises(IllegalMove) as refused:
        GAME.parse(state, 0, "footman harlow 2 copy 1")
    assert refused.value.rule == "DOW-57"


def test_coins_come_for_each_captain_opposite():
    """DOW-58: the number of captains now on the opposing tile."""
    state = with_captains(scene(), House.BASTIANI, 1, 1, 2)

    assert play(state, 0, "footman hackett 4").screens[0].coins == 5 + 3


def test_copied_coins_per_captain_count_the_tile_opposite_the_copier():
    """DOW-56, DOW-58: as if printed here."""
    state = with_space(scene(), House.TORNBORN, 6, RewardKind.COINS_PER_CAPTAIN)
    state = with_captains(state, House.TORNBORN, 1, 2)

    assert play(state, 0, "footman harlow 2 copy 6").screens[0].coins == 5 + 2


def test_a_push_moves_the_tracker_by_the_captains_already_here():
    """DOW-59, DOW-60: after the soldier, without the captain just placed."""
    state = with_captains(scene(), House.TORNBORN, 1, 2)

    pushed = step(state, 0, "arquebuser tornborn 3")

    assert lead(pushed.state, House.TORNBORN) == 3 + 2
    assert told(pushed, Rewarded)[0].got == 2
    assert told(pushed, Rewarded)[0].house is House.TORNBORN


def test_opportunism_does_not_stop_a_push():
    """DOW-59: independent of the soldier."""
    state = with_captains(scene(), House.TORNBORN, 1, 2)
    state = with_screen(state, 0, tactics=("Opportunism",))

    after = play(state, 0, "opportunism + war machine tornborn 3")

    assert lead(after, House.TORNBORN) == 2


def test_a_push_stops_at_fifteen():
    """DOW-59: capped at 15."""
    state = with_lead(with_captains(scene(), House.TORNBORN, 1, 2), House.TORNBORN, 13)

    pushed = step(state, 0, "footman tornborn 3")

    assert lead(pushed.state, House.TORNBORN) == 15
    assert told(pushed, Rewarded)[0].got == 1


def test_a_copied_push_counts_the_copiers_own_tile():
    """DOW-56, DOW-59: as if printed here."""
    state = with_captains(scene(), House.HARLOW, 1)
    state = with_captains(state, House.TORNBORN, None, 2, None, 2)

    after = play(state, 0, "footman harlow 2 copy 3")

    assert lead(after, House.HARLOW) == 1 + 1


@pytest.mark.parametrize(("counts", "spaces"), [(False, 1), (True, 2)])
def test_a_switch_lets_the_push_count_the_captain_just_placed(counts, spaces):
    """DOW-60: off unless switched on."""
    state = with_captains(scene(push_counts_self=counts), House.TORNBORN, 1)
    state = with_screen(state, 0, tactics=("Opportunism",))

    after = play(state, 0, "opportunism + footman tornborn 3")

    assert lead(after, House.TORNBORN) == spaces


def test_what_the_supply_lacks_is_not_received_and_not_owed():
    """DOW-61, DOW-12: influence and soldiers are limited."""
    state = with_influence_left(scene(), House.MALLORY, 1)
    taken = step(state, 0, "arquebuser mallory 5")

    assert told(taken, Rewarded)[0].got == 1
    assert taken.state.screens[0].influence == holding(mallory=1)

    state = with_table(scene(), soldiers=SoldierCounts())
    assert play(state, 0, "knight talbot 3").screens[0].soldiers.footman == 2


def test_a_card_that_brings_influence_says_of_which_house():
    """DOW-55: of the house supported with this placement."""
    said = {
        sentence.text
        for card in position(scene(), 0).cards.values()
        for sentence in tactic_words(card, everywhere=False, at_once=True)
        if sentence.text.startswith("At once")
    }

    assert said == {
        "At once you take {reward}.",
        "At once you take {reward} of the house you support.",
    }


def test_a_preview_knows_what_the_tactic_card_took_before():
    """DOW-61: the last token goes to the card, and the space finds none."""
    state = with_influence_left(scene(), House.TALBOT, 1)
    state = with_screen(state, 0, tactics=("Patronage",))
    move = GAME.parse(state, 0, "patronage + footman talbot 1")

    assert preview(position(state, 0), move).got == 0
    assert play(state, 0, GAME.format(move)).screens[0].influence == holding(talbot=1)


def test_a_space_without_an_icon_gives_nothing():
    """DOW-62: nothing."""
    assert told(step(scene(), 0, "footman mallory 6"), Rewarded) == []


def test_a_space_stays_taken_for_the_year():
    """DOW-63: nobody shares a space."""
    state = play(scene(), 0, "footman talbot 2")

    assert "footman talbot 2" not in legal(state, 1)
    assert "footman talbot 2" not in legal(state, 2)


# --- passing ---


def test_a_player_may_pass_with_captains_and_soldiers_left():
    """DOW-64: on any of his turns."""
    assert "pass" in legal(scene(), 0)
    assert play(scene(), 0, "pass").table.players[0].passed


@pytest.mark.parametrize("lacking", ["captains", "soldiers", "places"])
def test_a_player_who_cannot_act_can_only_pass(lacking):
    """DOW-65: no captain, no soldier, or no legal placement."""
    state = scene()
    if lacking == "captains":
        state = with_player(state, 0, captains=0)
    elif lacking == "soldiers":
        state = with_screen(state, 0, soldiers=SoldierCounts())
    else:
        for battle in scene().table.battles:
            for side in battle.sides:
                state = with_captains(state, side.house, *(1, 2, 1, 2, 1, 2))

    assert legal(state, 0) == {"pass"}
    assert GAME.format(GAME.default_move(state, 0)) == "pass"


def test_passing_discards_captains_and_keeps_the_rest():
    """DOW-66: soldiers, tactic cards and coins are kept."""
    state = with_screen(scene(), 0, tactics=("Bribe",))

    passed = step(state, 0, "pass")

    assert passed.state.table.players[0].captains == 0
    assert passed.state.screens[0] == state.screens[0]
    assert told(passed, Passed)[0].captains == 3


def test_a_player_who_passed_takes_no_more_turns():
    """DOW-67, DOW-69: skipped until all have passed."""
    state = play(scene(), 0, "pass")
    state = play(state, 1, "footman talbot 1")
    state = play(state, 2, "footman talbot 2")

    assert state.table.turn == 1
    assert legal(state, 0) == set()


def test_the_first_to_pass_has_the_token_next_year():
    """DOW-68, T9: even who passes for want of captains; this year's order stays."""
    state = with_player(scene(), 1, captains=0)
    state = play(state, 0, "footman talbot 1")
    state = play(state, 1, "pass")

    assert (state.table.token, state.table.first, state.table.turn) == (0, 0, 2)
    after = everybody_passes(state)
    assert (after.table.token, after.table.turn) == (1, 1)


def test_a_switch_keeps_the_token_from_those_who_must_pass():
    """DOW-68: the forced case."""
    state = with_player(scene(forced_pass_takes_token=False), 1, captains=0)
    state = play(state, 0, "footman talbot 1")
    state = play(state, 1, "pass")
    state = play(state, 2, "pass")

    assert everybody_passes(state).table.token == 2


def test_the_phase_ends_when_all_have_passed():
    """DOW-69: then, and not before."""
    state = play(play(scene(), 0, "pass"), 1, "pass")
    assert state.table.phase == "action"

    assert play(state, 2, "pass").table.year == 2
