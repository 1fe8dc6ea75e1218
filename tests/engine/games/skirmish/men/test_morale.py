"""Morale: SKR-55, 142 to 150, 181, 184."""

import pytest
from msgspec.structs import replace

from engine.games.skirmish.data.library import library
from engine.games.skirmish.events import Changed, Stood, TeamChecked
from engine.games.skirmish.ground import geometry
from engine.games.skirmish.ground.terrain import Wall
from engine.games.skirmish.men import morale, wounds
from engine.games.skirmish.movement import flight
from engine.games.skirmish.sight import sight
from engine.games.skirmish.stages import activation
from engine.games.skirmish.state import Wounds
from tests.engine.games.skirmish.world import (
    Loaded,
    after,
    change,
    order,
    play_on,
    refused,
    world,
)

FACE = ([(20, 10)], [(20, 30), (24, 30), (28, 30), (32, 30)])


@pytest.mark.parametrize(("die", "passes"), [(6, True), (7, False)])
def test_a_check_is_a_die_against_morale(die, passes):
    """SKR-6, 142: Taliban have 6."""
    play = play_on(world(*FACE), Loaded(shell_shock=[die]))

    assert morale.passes(play, "bravo-1", "shell shock") == passes


def test_modifiers_count_on_the_morale():
    """SKR-142, 145: -1 after a leader's death, -2 when all the team is gone in one turn."""
    play = play_on(world(*FACE))
    play.put("bravo-2", saw_leader_die=True)
    assert morale.modifiers(play, play.models["bravo-2"]) == -1
    for name in ("bravo-1", "bravo-3", "bravo-4"):
        wounds.kill(play, name, "")
    assert morale.modifiers(play, play.models["bravo-2"]) == -3


@pytest.mark.parametrize(("rules", "worth"), [(3, -2), (4, 0)])
def test_who_has_a_fit_mate_has_not_lost_his_team(rules, worth):
    """SKR-145: bravo-2 fell and woke before two more were killed. By rules 3 he was counted."""
    play = play_on(world(*FACE, rules=rules))
    play.put("bravo-2", hp=3)
    wounds.knock_out(play, "bravo-2", "")
    wounds.wake(play, "bravo-2")
    for name in ("bravo-3", "bravo-4"):
        wounds.kill(play, name, "")

    assert morale.modifiers(play, play.models["bravo-1"]) == worth


@pytest.mark.parametrize(("rules", "worth"), [(3, -2), (4, 0)])
def test_a_team_lost_in_two_turns_is_not_lost_in_one(rules, worth):
    """SKR-145: bravo-2 was killed in a turn before. By rules 3 tying bravo-3 counted him twice."""
    play = play_on(change(world(*FACE, rules=rules), "bravo-2", condition="dead"))
    wounds.knock_out(play, "bravo-3", "")
    morale.surrender(play, "bravo-3", "alpha-1")
    wounds.kill(play, "bravo-4", "")

    assert morale.modifiers(play, play.models["bravo-1"]) == worth


def test_who_falls_himself_has_not_lost_one_mate_more():
    """SKR-145: bravo-1 fell and woke; of his mates bravo-2 was killed in a turn before."""
    play = play_on(change(world(*FACE), "bravo-2", condition="dead"))
    wounds.knock_out(play, "bravo-1", "")
    wounds.wake(play, "bravo-1")
    for name in ("bravo-3", "bravo-4"):
        wounds.kill(play, name, "")

    assert morale.modifiers(play, play.models["bravo-1"]) == 0


def test_losses_of_a_turn_are_forgotten_in_the_next():
    """SKR-145."""
    play = play_on(world(*FACE), Loaded(**{"initiative of seat 1": [1]}))
    for name in ("bravo-2", "bravo-3", "bravo-4"):
        wounds.kill(play, name, "")
    assert morale.modifiers(play, play.models["bravo-1"]) == -2

    activation.start_turn(play)

    assert morale.modifiers(play, play.models["bravo-1"]) == 0


def test_a_team_at_half_strength_is_checked_once_and_breaks_as_a_whole():
    """SKR-143: captured and unconscious count as well as dead."""
    state = change(
        change(world(*FACE), "bravo-1", condition="captured"), "bravo-2", condition="unconscious"
    )
    dice = Loaded(team_morale=[7])
    play = play_on(state, dice)

    morale.team_checks(play)
    morale.team_checks(play)

    assert [play.models[n].broken for n in ("bravo-3", "bravo-4")] == ["broken", "broken"]
    assert dice.purposes().count("team morale") == 1


def test_by_option_it_is_checked_every_turn():
    """SKR-143."""
    state = change(
        change(world(*FACE, team_check_once=False), "bravo-1", condition="dead"),
        "bravo-2",
        condition="dead",
    )
    dice = Loaded(team_morale=[1, 1])
    play = play_on(state, dice)

    morale.team_checks(play)
    morale.team_checks(play)

    assert dice.purposes().count("team morale") == 2


def test_those_who_see_a_comrade_killed_are_tested_those_who_do_not_are_not():
    """SKR-144."""
    wall = Wall("w", (26_000, 20_000, 26_200, 40_000), 3000, "stone")
    dice = Loaded(shell_shock=[1, 1, 1])
    play = play_on(world(*FACE, features=[wall]), dice)

    wounds.kill(play, "bravo-1", "alpha-1")

    assert dice.purposes().count("shell shock") == 1


@pytest.mark.parametrize(
    ("rules", "facing", "north", "seen"),
    [
        (3, 0, 25, True),
        (4, 0, 25, False),
        (4, 180, 25, True),
        (4, 180, 40, False),
        (3, 180, 40, True),
    ],
)
def test_who_looks_away_or_into_the_dark_witnesses_no_death(rules, facing, north, seen):
    """SKR-53, 61, 144: five inches behind his back, and twenty by night. By rules 3 he did."""
    state = world([(20, 10)], [(20, 20), (20, north)], scenario="night-raid", rules=rules)
    dice = Loaded()

    wounds.kill(play_on(change(state, "bravo-2", facing=facing), dice), "bravo-1", "alpha-1")

    assert ("shell shock" in dice.purposes()) == seen


def test_a_leaders_death_that_was_seen_weighs_on_his_team():
    """SKR-145."""
    dice = Loaded(shell_shock=[6, 6, 6])
    spread = [(20, 30), (24, 31), (24, 33), (20, 34)]
    play = play_on(world([(20, 10)], spread), dice)

    wounds.kill(play, "bravo-1", "alpha-1")

    assert play.team("bravo").leader_death_seen
    assert [play.models[f"bravo-{n}"].broken for n in (2, 3, 4)] == ["broken"] * 3


@pytest.mark.parametrize(("seen", "holds"), [(True, False), (False, True)])
def test_a_leaders_death_that_was_seen_weighs_on_the_check_of_his_team(seen, holds):
    """SKR-143, 145: by one; Taliban have 6."""
    state = change(change(world(*FACE), "bravo-1", condition="dead"), "bravo-2", condition="dead")
    six, five = (play_on(state, Loaded(team_morale=[die])) for die in (6, 5))
    for play in (six, five):
        play.put_team("bravo", leader_death_seen=seen)

        morale.team_checks(play)

    assert (six.models["bravo-3"].broken == "") == holds
    assert five.models["bravo-3"].broken == ""


@pytest.mark.parametrize(("rules", "alike"), [(3, True), (4, False)])
def test_a_leaders_death_weighs_on_the_man_who_saw_it(rules, alike):
    """SKR-145: bravo-2 looks on, a wall hides it from bravo-3; by rules 3 it weighed on both."""
    wall = Wall("w", (26_000, 20_000, 26_200, 40_000), 3000, "stone")
    play = play_on(world(*FACE, features=[wall], rules=rules), Loaded(shell_shock=[1]))

    wounds.kill(play, "bravo-1", "alpha-1")

    weighs = [morale.modifiers(play, play.models[f"bravo-{number}"]) for number in (2, 3)]
    assert weighs == [-1, -1 if alike else 0]


def test_the_broken_run_with_all_they_have_to_the_nearest_cover():
    """SKR-146: behind the wall, away from the enemy, and no points are left."""
    wall = Wall("w", (20_000, 36_000, 28_000, 36_300), 3000, "stone")
    state = world([(24, 20)], [(24, 34.5), (46, 46)], features=[wall])
    state = change(state, "bravo-1", facing=180)
    play = play_on(state)
    play.put("bravo-1", broken="broken")

    flight.flee(play, "bravo-1")

    man = play.models["bravo-1"]
    assert man.y > 36_300 or not (20_000 < man.x < 28_000)
    assert man.ap == 0
    assert not sight.look(play.scene, play.models["alpha-1"], man).plain


def test_the_broken_who_cannot_run_walk_to_cover():
    """SKR-99, 146: with ten points a slow man goes five inches."""
    wall = Wall("w", (23_600, 36_000, 26_600, 36_300), 3000, "stone")
    state = world([(24, 20)], [(23.4, 35), (46, 46)], features=[wall])
    play = play_on(change(state, "bravo-1", facing=180, wounds=Wounds(slow=True)))
    play.put("bravo-1", broken="broken")

    flight.flee(play, "bravo-1")

    man = play.models["bravo-1"]
    assert (man.gait, man.ap) == ("walked", 0)
    assert not sight.look(play.scene, play.models["alpha-1"], man).plain


def test_the_broken_stand_up_to_run():
    """SKR-30, 146: three points of ten, and six for ten inches."""
    state = change(world([(24, 20)], [(24, 26), (46, 46)]), "bravo-1", facing=180, prone=True)
    play = play_on(state)
    play.put("bravo-1", broken="broken")

    flight.flee(play, "bravo-1")

    man = play.models["bravo-1"]
    assert (man.gait, man.prone, man.ap) == ("ran", False, 0)
    assert 8_000 < geometry.distance(man.at, (24_000, 26_000)) <= 10_000
    assert [event.prone for event in play.events if isinstance(event, Stood)] == [False]


def test_the_broken_come_no_nearer_to_the_enemy_for_cover():
    """SKR-146: away from him; the nearest place behind the wall is nearer to him."""
    wall = Wall("w", (24_600, 20_900, 30_000, 21_200), 3000, "stone")
    state = world([(24, 20)], [(24, 24), (46, 46)], features=[wall])
    play = play_on(change(state, "bravo-1", facing=180))
    play.put("bravo-1", broken="broken")

    flight.flee(play, "bravo-1")

    man = play.models["bravo-1"]
    assert not sight.look(play.scene, play.models["alpha-1"], man).plain
    assert geometry.distance(man.at, (24_000, 20_000)) >= 4_000


def test_nobody_commands_the_broken():
    """SKR-146."""
    state = change(world([(20, 10), (24, 10)]), "alpha-1", broken="broken")

    assert refused(state, "alpha-1 walk to 20,12").rule == "SKR-146"


def test_a_broken_man_within_five_inches_surrenders_when_called_on():
    """SKR-147, 148: not one who is steady, nor from farther off."""
    state = world([(20, 10), (20, 20)], [(20, 24), (40, 40)])
    broken = change(state, "bravo-1", broken="broken")

    assert refused(state, "alpha-2 demand bravo-1").rule == "SKR-148"
    assert refused(broken, "alpha-1 demand bravo-1").rule == "SKR-148"
    taken = after(broken, "alpha-2 demand bravo-1").model("bravo-1")
    assert (taken.condition, taken.captor) == ("captured", "alpha-2")


@pytest.mark.parametrize("rules", [3, 4])
def test_who_has_spent_all_his_points_to_come_near_can_still_demand(rules):
    """SKR-148: it costs nothing. By rules 3 the activation was over with the last point."""
    state = world([(20, 10)], [(20, 24.5), (40, 40)], rules=rules)
    state = change(state, "bravo-1", broken="broken")

    near = after(state, "alpha-1 walk to 20,20")

    assert near.model("alpha-1").ap == 0
    assert (near.active is None) == (rules == 3)
    if near.active is not None:
        taken = after(near, "alpha-1 demand bravo-1")
        assert taken.model("bravo-1").condition == "captured"


def test_standing_demands_take_those_who_cannot_get_away():
    """SKR-147: at the end of his flight he is still within 5"; unless the calls are off, or the
    caller is broken himself."""
    state = world([(20, 10)], [(20, 14), (40, 40)])
    cornered = change(state, "bravo-1", broken="broken", wounds=Wounds(immobilized=True))
    play = play_on(cornered)
    flight.flee(play, "bravo-1")
    assert play.models["bravo-1"].condition == "captured"

    silent = replace(cornered, demands=(False, True))
    afraid = change(cornered, "alpha-1", broken="broken")
    for state in (silent, afraid):
        play = play_on(state)
        flight.flee(play, "bravo-1")
        assert play.models["bravo-1"].condition == "fit"


@pytest.mark.parametrize(("rules", "condition"), [(3, "captured"), (4, "fit")])
def test_who_is_overpowered_calls_on_nobody(rules, condition):
    """SKR-132, 147: until his next activation he cannot act. By rules 3 he called."""
    state = world([(20, 10)], [(20, 14), (40, 40)], rules=rules)
    state = change(state, "alpha-1", overpowered="bravo-2", prone=True)
    state = change(state, "bravo-1", broken="broken", wounds=Wounds(immobilized=True))
    play = play_on(state)

    flight.flee(play, "bravo-1")

    assert play.models["bravo-1"].condition == condition


def test_demands_are_switched_by_an_order():
    """SKR-147."""
    state = after(world([(20, 10)]), "demands off")

    assert state.demands == (False, True)
    assert refused(state, "demands off").rule == "SKR-147"


@pytest.mark.parametrize(("die", "broken", "ap"), [(6, "", 10), (7, "broken", 0)])
def test_a_broken_man_tests_as_each_activation_begins(die, broken, ap):
    """SKR-146, 149: if he fails, he runs with all his points."""
    state = change(world(*FACE, active=None), "bravo-1", broken="broken")
    play = play_on(replace(state, chooser=1), Loaded(rally=[die]))

    activation.begin(play, 1, "bravo")

    assert (play.models["bravo-1"].broken, play.models["bravo-1"].ap) == (broken, ap)


def test_who_only_ducked_is_himself_again_after_one_activation():
    """SKR-100."""
    state = change(world(*FACE, active=None), "bravo-1", broken="ducking")
    play = play_on(replace(state, chooser=1))
    activation.begin(play, 1, "bravo")
    assert play.models["bravo-1"].ap == 0

    activation.end(play, 1, "bravo")
    assert play.models["bravo-1"].broken == ""


def test_jihad_never_tests():
    """SKR-150."""
    dice = Loaded(shell_shock=[10])
    play = play_on(world(*FACE, things=("", "1: jihad")), dice)

    morale.shell_shock(play, "bravo-1")

    assert play.models["bravo-1"].broken == ""
    assert dice.asked == []


def test_no_list_is_immune_until_wounded():
    """SKR-150: none of the nine lists says so."""
    assert not any("fearless" in f.innate for f in library().factions.values())


def test_the_disciplined_ignore_their_first_check_only():
    """SKR-181."""
    dice = Loaded(shell_shock=[10, 10])
    play = play_on(world([(20, 10), (24, 10)]), dice)
    play.put("alpha-1", known=())

    assert morale.passes(play, "alpha-1", "shell shock")
    assert dice.asked == []
    assert not morale.passes(play, "alpha-1", "shell shock")


@pytest.mark.parametrize(("rules", "broken"), [(3, ["broken", "broken"]), (4, ["broken", ""])])
def test_each_of_the_disciplined_ignores_the_teams_check_if_it_is_his_first(rules, broken):
    """SKR-143, 181: alpha-3 has had his first, alpha-4 not. By rules 3 his counted for all."""
    state = world([(20, 10), (24, 10), (28, 10), (32, 10)], rules=rules)
    state = change(change(state, "alpha-1", condition="dead"), "alpha-2", condition="dead")
    state = change(state, "alpha-3", morale_checks=1)
    play = play_on(state, Loaded(team_morale=[10]))

    morale.team_checks(play)

    assert [play.models[name].broken for name in ("alpha-3", "alpha-4")] == broken


def test_a_team_of_the_disciplined_holds_if_it_is_the_first_check_of_all():
    """SKR-143, 181."""
    state = world([(20, 10), (24, 10), (28, 10), (32, 10)])
    state = change(change(state, "alpha-1", condition="dead"), "alpha-2", condition="dead")
    play = play_on(state)

    morale.team_checks(play)

    assert [event.passed for event in play.events if isinstance(event, TeamChecked)] == [True]
    assert [play.models[name].morale_checks for name in ("alpha-3", "alpha-4")] == [1, 1]
    assert play.dice.asked == []


@pytest.mark.parametrize(
    ("rules", "who", "tested"),
    [(3, "militia", False), (4, "militia", True), (4, "jihad", False), (4, "rangers", True)],
)
def test_courage_is_no_check_of_morale(rules, who, tested):
    """SKR-55, 150, 181, 184: Jihad men never test; by rules 3 who was high had courage, too."""
    name = {"jihad": "taliban"}.get(who, who)
    things = "2: jihad" if who == "jihad" else ""
    state = world([(4, 4), (40, 4)], lists=(name, "taliban"), things=(things, ""), rules=rules)
    play = play_on(state, Loaded(courage=[1]))
    play.put_team("alpha", high=who == "militia")

    flight.check_command(play, "alpha-2")

    assert ("courage" in play.dice.purposes()) == tested


def test_hard_corps_roll_their_second_failure_again():
    """SKR-181, 182: Marines ignore the first check; then the second failed one is rolled anew."""
    dice = Loaded(shell_shock=[10, 10, 3])
    play = play_on(
        world([(20, 10), (24, 10)], lists=("marines", "taliban"), things=("1: hard-corps", "")),
        dice,
    )

    results = [(morale.passes(play, "alpha-1", "shell shock"), len(dice.asked)) for _ in range(3)]

    assert results == [(True, 0), (False, 1), (True, 3)]


@pytest.mark.parametrize(("die", "high"), [(5, True), (6, False)])
def test_khat_is_rolled_at_the_start_of_each_turn_until_it_works(die, high):
    """SKR-184: a team that is high ignores fatigue and morale, for the game."""
    state = world([(20, 10)], [(20, 40)], lists=("militia", "taliban"))
    state = change(state, "alpha-1", ran_this_turn=True, ran_last_turn=True)
    dice = Loaded(khat=[die], **{"initiative of seat 1": [1, 1]})
    play = play_on(state, dice)
    activation.start_turn(play)
    assert play.team("alpha").high == high
    told = [event.who for event in play.events if isinstance(event, Changed)]
    assert told == (["alpha-1"] if high else [])

    play.put("alpha-1", ran_this_turn=True, ran_last_turn=True)
    morale.shell_shock(play, "alpha-1")
    activation.end_turn(play)
    assert ("battle fatigue" in dice.purposes()) != high
    assert ("shell shock" in dice.purposes()) != high


def test_a_captured_man_is_out_of_the_fight():
    """SKR-148: he is given no orders and counts no more."""
    state = change(world([(20, 10), (24, 10)]), "alpha-1", condition="captured")

    assert refused(state, "alpha-1 walk to 20,12").rule == "SKR-138"
    step = order(state, "alpha end")
    assert step.state.model("alpha-1").condition == "captured"
