"""Corners of the rules in which a small slip would show nowhere else."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from engine.games.dogs_of_war import GAME
from engine.games.dogs_of_war.action.foresight import preview
from engine.games.dogs_of_war.action.position import position
from engine.games.dogs_of_war.box.components import (
    DEFAULT_SET,
    Dog,
    House,
    Reward,
    RewardKind,
    Space,
    catalogue,
)
from tests.engine.games.dogs_of_war.scenes import (
    everybody_passes,
    lead,
    legal,
    play,
    scene,
    with_captains,
    with_lead,
    with_player,
    with_screen,
    with_side,
    with_table,
)


def test_a_second_betrayal_leaves_the_first_in_force() -> None:
    """DOW-40: two Betrayals on two battles open both for the rest of the year."""
    state = with_screen(scene(), 0, tactics=("Betrayal", "Betrayal"))
    state = play(state, 0, "betrayal + knight talbot 1")
    state = with_table(state, turn=0)
    state = play(state, 0, "betrayal + footman hackett 1")

    state = with_table(state, turn=0)

    assert state.table.players[0].betrayed == (0, 1)
    assert "knight mallory 1" in legal(state, 0)
    assert "knight bastiani 1" in legal(state, 0)


def test_ones_own_captains_on_the_other_tile_bring_coins_too() -> None:
    """DOW-58: the reward counts the captains on the opposing tile, whoever they belong to."""
    state = with_captains(scene(), House.BASTIANI, 0, 1)
    state = with_player(state, 0, betrayed=(1,))
    before = state.screens[0].coins

    state = play(state, 0, "footman hackett 4")

    assert state.screens[0].coins == before + 2


def test_an_empty_space_cannot_be_copied() -> None:
    """DOW-56: what is copied is a reward, and a space without an icon has none."""
    state = scene()
    empty = (Space(), Space(), *scene().table.battles[2].sides[0].spaces[2:])
    state = with_side(state, House.TORNBORN, spaces=empty)

    copies = {order for order in legal(state, 0) if order.startswith("footman harlow 2")}

    assert copies == {f"footman harlow 2 copy {space}" for space in (3, 4, 5, 6)}


def test_a_push_that_reaches_fifteen_closes_the_battle_and_the_preview_says_so() -> None:
    """DOW-V2: it is the tracker that closes a battle, whatever moved it."""
    state = with_captains(scene(sudden_death=True), House.TORNBORN, 1, 2)
    state = with_lead(state, House.TORNBORN, 12)
    move = GAME.parse(state, 0, "footman tornborn 3")

    plan = preview(position(state, 0), move)

    assert (abs(plan.tracker_moved), abs(plan.tracker_after)) == (13, 15)
    assert plan.closes


@pytest.mark.parametrize(
    ("house", "order"),
    [(House.TORNBORN, "footman tornborn 3"), (House.HARLOW, "footman harlow 2 copy 3")],
)
def test_a_push_is_foreseen_as_far_as_the_track_goes(house: House, order: str) -> None:
    """DOW-47, 59: three captains push by two, where two spaces are left; in leads of the house."""
    taken = (1, 2, None, 1) if house is House.TORNBORN else (1, None, 2, 1)
    state = with_lead(with_captains(scene(), house, *taken), house, 12)

    plan = preview(position(state, 0), GAME.parse(state, 0, order))

    assert plan.got == 2
    assert plan.leads == (12, 13, 15)


def drawing_cards() -> object:
    """The common set, but with a Patronage that draws a tactic card."""
    box = catalogue(DEFAULT_SET).components
    drawing = (Reward(RewardKind.TACTICS),)
    return replace(
        box,
        name="drawing",
        tactics=tuple(
            replace(card, gains=drawing) if card.name == "Patronage" else card
            for card in box.tactics
        ),
    )


def test_a_card_is_not_among_the_cards_it_draws_itself() -> None:
    """DOW-35: a tactic card is discarded after its effect, and a new deck has it no sooner."""
    state = with_screen(scene(components=drawing_cards()), 0, tactics=("Patronage",))
    state = with_table(replace(state, deck=()), deck=0, discards=())

    state = play(state, 0, "patronage + footman talbot 1")

    assert state.screens[0].tactics == ()
    assert state.table.discards == ("Patronage",)


def test_the_space_may_draw_the_card_that_was_played_for_it() -> None:
    """DOW-53: the discards become the new deck, and by step 5 the card is one of them."""
    state = with_screen(scene(), 0, tactics=("Bribe",))
    state = with_table(replace(state, deck=()), deck=0, discards=())
    move = GAME.parse(state, 0, "bribe + footman talbot 4")

    foreseen = preview(position(state, 0), move)
    state = play(state, 0, "bribe + footman talbot 4")

    assert foreseen.got == 1
    assert state.screens[0].tactics == ("Bribe",)


CONQUEROR = (Dog.CONQUEROR, Dog.OMALLEY, Dog.ORDALIA)


def test_the_conqueror_may_turn_a_tracker_back_that_is_short_of_fifteen() -> None:
    """DOW-92: only 15 for the opposing house keeps him from it."""
    state = with_captains(scene(dogs=CONQUEROR), House.TALBOT, 0)
    state = everybody_passes(with_lead(state, House.MALLORY, 14))

    assert legal(state, 0) == {"push nothing", "push talbot:1", "push talbot:2"}


def test_who_moves_by_two_or_not_at_all_still_reaches_the_end_of_the_track() -> None:
    """DOW-91: the cap at 15 shortens a move, it does not forbid it."""
    state = with_captains(scene(dogs=CONQUEROR, conqueror_moves="two"), House.TALBOT, 0)
    state = everybody_passes(with_lead(state, House.TALBOT, 14))

    orders = legal(state, 0)
    state = play(state, 0, "push talbot:1")

    assert orders == {"push nothing", "push talbot:1"}
    assert state.table.results[0].glorious


@pytest.mark.parametrize("order", ["push talbot:2", "push 1:2"])
def test_a_move_of_two_at_fourteen_is_read_as_far_as_the_track_goes(order: str) -> None:
    """DOW-91: what is written past the end of the track is capped."""
    state = with_captains(scene(dogs=CONQUEROR), House.TALBOT, 0)
    state = everybody_passes(with_lead(state, House.TALBOT, 14))

    assert lead(state, House.TALBOT) == 14
    assert GAME.format(GAME.parse(state, 0, order)) == "push talbot:1"
