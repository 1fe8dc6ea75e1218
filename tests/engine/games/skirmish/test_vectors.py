"""The test vectors T1 to T17 of the rules' section 11."""

import pytest

from engine.errors import IllegalMove
from engine.games.skirmish.combat import blasts, chances, close, structures
from engine.games.skirmish.data.library import weapon
from engine.games.skirmish.events import Changed
from engine.games.skirmish.men import morale, wounds
from engine.games.skirmish.orders import acts
from engine.games.skirmish.state import Wounds
from tests.engine.games.skirmish.world import (
    Loaded,
    after,
    change,
    inches,
    of_kind,
    order,
    play_on,
    refused,
    world,
)


def test_t1_weapon_knowledge_four_against_difficulty_three_needs_six():
    """SKR-10."""
    assert acts.learn_number(4, 3) == 6


def odds(state, shooter, target, gun, mode, **extras):
    play = play_on(state)
    return chances.to_hit(
        play.scene,
        state.options,
        play.models[shooter],
        play.models[target],
        weapon(gun),
        mode,
        **extras,
    )


def test_t2_a_burst_at_a_prone_walking_target_needs_three():
    """SKR-66, 73, 78, 79: WP 6, range 0."""
    state = world([(20, 10)], [(20, 30)])
    state = change(state, "bravo-1", prone=True, gait="walked")

    assert odds(state, "alpha-1", "bravo-1", "m16a2", "burst").need == 3


def test_t3_an_aimed_shot_from_the_ground_at_a_runner_at_long_range_needs_four():
    """SKR-69, 72, 77."""
    state = world([(20, 5)], [(20, 40)])
    state = change(state, "alpha-1", prone=True)
    state = change(state, "bravo-1", gait="ran")

    assert odds(state, "alpha-1", "bravo-1", "m16a2", "single", aimed=True).need == 4


def test_t4_a_ten_misses_and_a_one_hits_whatever_is_needed():
    """SKR-67."""
    assert not chances.hits(10, 12)
    assert chances.hits(1, -1)


@pytest.mark.parametrize(
    ("rating", "arm", "saving"), [(5, -1, {1, 2, 3, 4}), (5, -6, {1}), (0, 3, set())]
)
def test_t5_armour_saves_at_its_rating_and_always_on_a_one(rating, arm, saving):
    """SKR-94."""
    assert {die for die in range(1, 11) if wounds.saves(die, rating, arm)} == saving


def test_t6_a_grenade_wounds_twice_close_by_and_once_at_its_edge():
    """SKR-103, 104."""
    m67 = weapon("m67").blast

    assert blasts.blast_at(m67, 800) == (5, 2)
    assert blasts.blast_at(m67, 2500) == (3, 1)
    assert blasts.blast_at(m67, 3001) is None
    assert wounds.wound_line("head", 5 - 5) == wounds.KILLED


def test_t7_survivability_goes_down_with_the_health_points():
    """SKR-136: HP 2, a wound of 3, the test at 9; passed, the next at 8."""
    state = world([(20, 10)])
    state = change(state, "alpha-1", hp=-1, condition="unconscious", wounds=Wounds(bleeding=True))
    dice = Loaded(survivability=[9])
    play = play_on(state, dice)

    assert wounds.survivability_number(-1) == 9
    wounds.survive(play, "alpha-1")

    assert play.models["alpha-1"].hp == -2
    assert wounds.survivability_number(-2) == 8


def test_t8_a_charge_against_somebody_in_cover_needs_seven():
    """SKR-119, 122, 126: CQ 6 charging, CQ 4 in cover."""
    state = world([(20, 20)], [(20, 21)], lists=("green-berets", "militia"))
    state = change(state, "alpha-1", charged=4000, charge_from_cover=True)
    play = play_on(state)
    own = close.attack_modifiers(
        play, play.models["alpha-1"], play.models["bravo-1"], weapon("unarmed")
    )
    his = close.attack_modifiers(
        play, play.models["bravo-1"], play.models["alpha-1"], weapon("unarmed")
    )

    assert close.attack_number(6 + sum(v for _, v in own), 4 + sum(v for _, v in his)) == 7


def test_t9_strength_five_tackles_strength_four_on_six():
    """SKR-132."""
    assert close.tackle_number(5, 4) == 6


def test_t10_two_concrete_levels_come_down_with_eight_and_one_of_wood_with_two():
    """SKR-118."""
    assert structures.collapse_rating(2 * 8) == 8
    assert structures.collapse_rating(4) == 2


def test_t11_a_difficult_throw_of_seven_inches_by_wp_seven_needs_five():
    """SKR-110."""
    assert 7 + chances.throw_penalty(7000) == 5


def test_t12_a_miss_under_ten_inches_goes_half_as_far_astray():
    """SKR-113."""
    assert chances.deviation(5, 8000) == 3000
    assert chances.deviation(5, 12_000) == 5000


def test_t13_firing_into_three_friends_and_two_enemies_hits_an_enemy_on_four():
    """SKR-132b."""
    assert chances.melee_number(enemies=2, friends=3) == 4
    assert chances.melee_number(enemies=4, friends=2) == 7


def test_t14_five_quarters_of_c4_kill_to_six_inches_and_reach_ten():
    """SKR-169."""
    zones = blasts.charge_zones(5)

    assert (zones.kill, zones.radius) == (6000, 10_000)


@pytest.mark.parametrize(("list_", "tested"), [("rangers", True), ("marines", False)])
def test_t15_running_two_turns_running_tests_fortitude_but_not_a_marine(list_, tested):
    """SKR-47, 182."""
    state = world([(20, 10)], [(20, 40)], lists=(list_, "taliban"))
    state = change(state, "alpha-1", ran_this_turn=True, ran_last_turn=True)
    dice = Loaded(battle_fatigue=[9])

    step = order(after(state, "alpha end"), "bravo end", dice, seat=1)

    assert ("battle fatigue" in dice.purposes()) == tested
    assert [event.what for event in of_kind(step, Changed)] == (["fatigued"] if tested else [])
    assert step.state.model("alpha-1").ap == (5 if tested else 10)


def test_t16_of_two_enemies_the_one_within_ten_inches_must_be_chosen():
    """SKR-64."""
    state = world([(20, 10)], [(18, 17), (22, 25)])

    assert refused(state, "alpha-1 fire bravo-2").rule == "SKR-64"
    assert order(state, "alpha-1 fire bravo-1").events


def test_t17_a_team_with_two_of_four_down_is_checked_on_its_best_morale():
    """SKR-143."""
    state = world([], [(20, 40), (22, 40), (24, 40), (26, 40)], active=None)
    for name in ("bravo-2", "bravo-3"):
        state = change(state, name, condition="unconscious")
    dice = Loaded(team_morale=[7])
    play = play_on(state, dice)

    morale.team_checks(play)

    assert "team morale" in dice.purposes()
    assert play.models["bravo-1"].broken == play.models["bravo-4"].broken == "broken"


def test_lengths_are_thousandths_everywhere():
    """SKR-1: inches in orders are exact to a thousandth."""
    assert inches([(23.5, 14)]) == [(23_500, 14_000)]


def test_an_order_that_cannot_be_is_refused_with_its_rule():
    """SKR-4: what no rule covers is refused by the engine, not argued about."""
    state = world([(20, 10)], [(20, 30)])

    with pytest.raises(IllegalMove):
        order(state, "alpha-1 climb to 20,12")


def test_darkness_at_exactly_ten_inches_counts_as_near():
    """SKR-81, 82: -1 up to and with 10", -3 beyond."""
    shooter = world([(20, 10)]).model("alpha-1")

    assert chances.night_modifier(shooter, 10_000) == [("night", -1)]
    assert chances.night_modifier(shooter, 10_001) == [("night, far", -3)]


def test_a_throw_at_exactly_ten_inches_strays_by_the_whole_die():
    """SKR-113: only under 10" is the deviation halved."""
    assert chances.deviation(5, 9_999) == 3_000
    assert chances.deviation(5, 10_000) == 5_000


def test_a_shell_at_exactly_its_least_range_reaches():
    """SKR-65: the M203 has a least range of 5", measured to the spot."""
    shooter, kind = world([(20, 10)]).model("alpha-1"), weapon("m203")
    play = play_on(world([(20, 10)]))

    def reaches(far: int) -> bool:
        spot = (20_000, 10_500 + far)
        return chances.to_hit_spot(
            play.scene, play.state.options, shooter, spot, 0, kind, "single"
        ).reaches

    assert reaches(5_000)
    assert not reaches(4_999)
