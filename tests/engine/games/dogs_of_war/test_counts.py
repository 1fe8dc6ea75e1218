"""Counts that a slip of the hand would change: scores, strengths, supplies, what is foreseen."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from engine.games.dogs_of_war import GAME
from engine.games.dogs_of_war.action.foresight import preview
from engine.games.dogs_of_war.action.position import position
from engine.games.dogs_of_war.box.components import (
    DEFAULT_SET,
    House,
    Reward,
    RewardKind,
    SoldierCounts,
    catalogue,
)
from engine.games.dogs_of_war.course.scoring import score
from engine.games.dogs_of_war.effects.rewards import lasts
from engine.games.dogs_of_war.state import State
from tests.engine.games.dogs_of_war.scenes import (
    play,
    scene,
    with_captains,
    with_influence_left,
    with_player,
    with_screen,
    with_table,
)


def test_tactic_cards_of_the_same_name_are_a_point_each() -> None:
    """DOW-97: one for each unplayed tactic card."""
    state = with_screen(
        scene(), 0, soldiers=SoldierCounts(), coins=0, tactics=("Bribe", "Levy", "Levy")
    )

    found = score(state.table, 0, state.screens[0])

    assert [part.points for part in found.parts if "Tactic" in str(part.label)] == [3]


def test_a_side_is_as_strong_as_what_its_soldiers_count_for() -> None:
    """DOW-49: the sum that the switch "victor by strength" goes by; a card changes it."""
    state = with_screen(scene(victor_by="strength"), 0, tactics=("Opportunism",))

    plain = play(state, 0, "knight talbot 1")
    held = play(state, 0, "opportunism + knight talbot 1")

    assert plain.table.battles[0].sides[0].strength == 5
    assert held.table.battles[0].sides[0].strength == 0


def test_a_push_is_foreseen_also_where_opportunism_holds_the_soldier() -> None:
    """DOW-59: independent of the soldier, in the preview too."""
    state = with_captains(scene(), House.TORNBORN, 1, 2)
    state = with_screen(state, 0, tactics=("Opportunism",))
    move = GAME.parse(state, 0, "opportunism + war machine tornborn 3")

    plan = preview(position(state, 0), move)

    assert (plan.strength, plan.tracker_moved, plan.got, plan.tracker_after) == (0, 0, 2, -2)


def test_what_a_card_takes_first_is_gone_from_the_foreseen_reward() -> None:
    """DOW-61: Patronage takes the last token, so the space has none left."""
    state = with_influence_left(scene(), House.TALBOT, 1)
    state = with_screen(state, 0, tactics=("Patronage",))

    with_card = GAME.parse(state, 0, "patronage + footman talbot 1")
    plain = GAME.parse(state, 0, "footman talbot 1")

    assert preview(position(state, 0), with_card).got == 0
    assert preview(position(state, 0), plain).got == 1


@pytest.mark.parametrize("takers", [2, 3])
@pytest.mark.parametrize(
    "reward",
    [
        Reward(RewardKind.KNIGHT, 1),
        Reward(RewardKind.TACTICS, 2),
        Reward(RewardKind.INFLUENCE, 2),
    ],
    ids=lambda reward: str(reward.kind),
)
def test_a_supply_that_is_just_enough_lasts_for_all_who_tie(reward: Reward, takers: int) -> None:
    """DOW-84: in full for two, and one too few for the third; discards are drawn from, too."""
    state = with_influence_left(scene(), House.TALBOT, 4)
    state = with_table(
        state, deck=1, discards=("Bribe", "Levy", "Levy"), soldiers=SoldierCounts(knight=2)
    )

    assert lasts(state.table, reward, House.TALBOT, takers) is (takers == 2)


def patronage_gives(kind: RewardKind) -> object:
    """The common set, but with a Patronage that brings one of this."""
    box = catalogue(DEFAULT_SET).components
    cards = tuple(
        replace(card, gains=(Reward(kind),)) if card.name == "Patronage" else card
        for card in box.tactics
    )
    return replace(box, name="another-patronage", tactics=cards)


def foreseen(state: State, order: str) -> int:
    return preview(position(state, 0), GAME.parse(state, 0, order)).got


def test_a_foreseen_draw_counts_the_card_that_was_drawn_before_it() -> None:
    """DOW-53, DOW-61: the deck's last card is gone, the card just played is there again."""
    state = scene(components=patronage_gives(RewardKind.TACTICS))
    state = with_table(replace(state, deck=("Levy",)), deck=1, discards=())
    state = with_screen(state, 0, tactics=("Patronage",))

    assert foreseen(state, "patronage + arquebuser tornborn 5") == 1


def test_a_foreseen_captain_counts_the_one_that_a_card_brought() -> None:
    """DOW-24, DOW-54: five captains, the card's is the sixth, and the space has none left."""
    state = scene(components=patronage_gives(RewardKind.CAPTAIN))
    state = with_screen(with_player(state, 0, captains=5), 0, tactics=("Patronage",))

    assert foreseen(state, "patronage + knight talbot 6") == 0


def test_a_foreseen_captain_counts_the_one_just_placed_once() -> None:
    """DOW-24, DOW-54: five captains, one of them now on the tile: there is room for a sixth."""
    state = with_screen(with_player(scene(), 0, captains=5), 0, tactics=("Bribe",))

    assert foreseen(state, "bribe + footman talbot 6") == 1


def test_a_played_card_joins_the_discards() -> None:
    """DOW-35: on top of those that lie there."""
    state = with_screen(scene(), 0, tactics=("Bribe",))
    state = with_table(state, discards=("Levy",))

    assert play(state, 0, "bribe + footman talbot 6").table.discards == ("Levy", "Bribe")


def test_a_foreseen_soldier_counts_the_one_that_levy_took() -> None:
    """DOW-51, DOW-61: Levy takes the last footman, so the space has none left."""
    state = with_table(with_screen(scene(), 0, tactics=("Levy",)), soldiers=SoldierCounts(1, 9))

    assert foreseen(state, "levy + knight talbot 3") == 0
    assert foreseen(state, "knight talbot 3") == 1
