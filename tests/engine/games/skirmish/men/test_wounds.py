"""Hits, wounds and aid: SKR-92 to 101, 133 to 141."""

import pytest
from msgspec.structs import replace

from engine.games.skirmish.combat import blasts, close
from engine.games.skirmish.combat.blasts import Centre
from engine.games.skirmish.data.library import weapon
from engine.games.skirmish.events import Changed, Hit, Wounded
from engine.games.skirmish.ground import geometry
from engine.games.skirmish.ground.terrain import BASE
from engine.games.skirmish.men import wounds
from engine.games.skirmish.movement import movement
from engine.games.skirmish.moves import Attack
from engine.games.skirmish.stages import activation
from engine.games.skirmish.state import Wounds
from tests.engine.games.skirmish.world import (
    Loaded,
    after,
    change,
    of_kind,
    order,
    play_on,
    refused,
    world,
)

#: SKR-98 as printed: by location, for results 0, 1 and 3.
PRINTED = {
    "chest": ((4, "IMA BLEED IMMOB SHOCK"), (3, "IMA SLOW"), (1, "")),
    "stomach": ((3, "IMA BLEED IMMOB SHOCK"), (3, "IMA SLOW"), (1, "")),
    "abdomen": ((3, "IMA BLEED IMMOB SHOCK"), (2, "IMA SLOW"), (1, "")),
    "right leg": ((3, "IMA BLEED IMMOB SHOCK"), (2, "IMA SLOW"), (1, "")),
    "left leg": ((3, "IMA BLEED IMMOB SHOCK"), (2, "IMA SLOW"), (1, "")),
    "right arm": ((3, "IMA BLEED IMMOB SHOCK"), (2, "IMA ONER"), (1, "")),
    "left arm": ((3, "IMA BLEED USELESS SHOCK"), (2, "IMA ONEL"), (1, "")),
}
SHORT = {
    "IMA": "untreated",
    "BLEED": "bleeding",
    "IMMOB": "immobilized",
    "SHOCK": "shell shock",
    "SLOW": "slow",
    "ONER": "one action right",
    "ONEL": "one action left",
    "USELESS": "left arm useless",
}


@pytest.mark.parametrize("place", PRINTED)
@pytest.mark.parametrize(("column", "results"), [(0, (-3, 0)), (1, (1, 2)), (2, (3, 5))])
def test_the_wound_table(place, column, results):
    """SKR-96, 98: D10 - DPR finds the column."""
    loss, effects = PRINTED[place][column]
    for result in results:
        line = wounds.wound_line(place, result)
        assert (line.loss, set(line.effects)) == (loss, {SHORT[e] for e in effects.split()})


def test_the_head_kills_or_knocks_out():
    """SKR-98."""
    assert wounds.wound_line("head", 0).effects == ("killed",)
    knocked = wounds.wound_line("head", 2)
    assert (knocked.loss, set(knocked.effects)) == (4, {"untreated", "immobilized", "unconscious"})
    assert wounds.wound_line("head", 4) == wounds.Line(1)


@pytest.mark.parametrize("place", [*PRINTED, "head"])
def test_six_and_more_is_a_near_miss(place):
    """SKR-98, 100."""
    assert wounds.wound_line(place, 6) == wounds.NEAR_MISS


def test_the_right_arm_immobilizes_to_the_letter_or_not_by_option():
    """SKR-98, 99."""
    assert "immobilized" in wounds.wound_line("right arm", 0).effects
    assert "immobilized" not in wounds.wound_line("right arm", 0, False).effects


def shot(state, **dice):
    return order(state, "alpha-1 fire bravo-1", Loaded(to_hit=[1], **dice))


FACE = ([(20, 10)], [(20, 30), (24, 30), (28, 30)])


def test_armour_stops_projectiles_where_it_is_worn():
    """SKR-94, 95: helmet for the head, armour for chest and stomach, none for the abdomen."""
    play = play_on(
        world([(20, 10)], [(20, 30)], lists=("rangers", "al-qaeda"), things=("", "1: kevlar-vest"))
    )
    ranger, fighter = play.models["alpha-1"], play.models["bravo-1"]

    assert [wounds.armour(ranger, p) for p in ("head", "chest", "stomach", "abdomen")] == [
        5,
        5,
        5,
        0,
    ]
    assert [wounds.armour(fighter, p) for p in ("head", "chest", "stomach")] == [0, 4, 4]
    assert wounds.armour(ranger, "abdomen", covers_abdomen=True) == 5
    delta = play_on(world([(20, 10)], lists=("delta-force", "taliban"))).models["alpha-1"]
    assert [wounds.armour(delta, p) for p in ("head", "chest")] == [2, 5]


@pytest.mark.parametrize(("die", "stopped"), [(4, "armour"), (5, "")])
def test_a_save_stops_the_hit_wholly(die, stopped):
    """SKR-94: AR 5, an M16A2 takes one off."""
    state = world([(20, 10)], [(20, 30)], lists=("rangers", "rangers"))

    step = shot(state, location=[2], armour=[die], wound=[9])

    assert of_kind(step, Hit)[0].stopped == stopped
    assert bool(of_kind(step, Wounded)) == (stopped == "")


def test_a_wound_takes_health_and_leaves_its_effects():
    """SKR-96, 101: D10 5 - DPR 4 = 1 in the leg."""
    step = shot(world(*FACE), location=[7], wound=[5])

    man = step.state.model("bravo-1")
    assert man.hp == 3
    assert man.wounds == Wounds(untreated=True, slow=True)


@pytest.mark.parametrize("effect", [word for word in SHORT.values() if word != "shell shock"])
def test_each_effect_of_a_wound_stays_with_him_after_the_next(effect):
    """SKR-98, 101."""
    play = play_on(world(*FACE))

    wounds.inflict(play, "bravo-1", "", "chest", wounds.Line(1, (effect,)))
    wounds.inflict(play, "bravo-1", "", "chest", wounds.SCRATCH)

    assert play.models["bravo-1"].wounds == Wounds(**{effect.replace(" ", "_"): True})


def test_wounds_accumulate_and_doubling_applies_once():
    """SKR-101."""
    state = shot(world(*FACE), location=[7], wound=[5]).state
    play = play_on(state)
    wounds.inflict(play, "bravo-1", "", "right arm", wounds.wound_line("right arm", 1))
    man = play.models["bravo-1"]

    assert man.hp == 1
    assert man.wounds == Wounds(untreated=True, slow=True, one_action_right=True)
    assert movement.factor(replace(man, carrying="bravo-2")) == 2


def test_a_near_miss_is_a_shock_and_a_failure_ducks():
    """SKR-100: the broken effects, for one activation; by option none."""
    step = shot(world(*FACE), location=[4], wound=[10], shell_shock=[7])
    assert step.state.model("bravo-1").broken == "ducking"
    assert [event.what for event in of_kind(step, Changed)] == ["ducking"]
    brave = shot(world(*FACE), location=[4], wound=[10], shell_shock=[6])
    assert brave.state.model("bravo-1").broken == ""
    off = shot(world(*FACE, near_miss_ducks=False), location=[4], wound=[10], shell_shock=[7])
    assert off.state.model("bravo-1").broken == ""


def test_the_immobilized_lie_down_and_stay_but_may_fire():
    """SKR-137: by option they may not act either."""
    hurt = {"wounds": Wounds(immobilized=True), "prone": True, "bandaged": True}
    state = change(world([(20, 10), (22, 10)], [(20, 30)]), "alpha-1", **hurt)
    assert refused(state, "alpha-1 crawl to 20,11").rule == "SKR-137"
    assert refused(state, "alpha-1 stand").rule == "SKR-137"
    order(state, "alpha-1 fire bravo-1")

    strict = world([(20, 10), (22, 10)], [(20, 30)], immobilized_may_act=False)
    assert refused(change(strict, "alpha-1", **hurt), "alpha-1 fire bravo-1").rule == "SKR-137"


def test_bandaging_stops_the_bleeding_and_heals_nothing():
    """SKR-42, 133: five points, by a helper in contact or by himself with one good arm."""
    hurt = {"hp": 2, "wounds": Wounds(untreated=True, bleeding=True, slow=True)}
    state = change(world([(20, 10), (21, 10), (25, 10)]), "alpha-1", **hurt)
    for text in ("alpha-1 bandage self", "alpha-2 bandage alpha-1"):
        done = after(state, text)
        man = done.model("alpha-1")
        assert man.wounds == Wounds(slow=True)
        assert (man.hp, man.bandaged) == (2, True)
        assert done.model(text.split()[0]).ap == 5
    assert refused(state, "alpha-3 bandage alpha-1").rule == "SKR-133"
    assert refused(state, "alpha-2 bandage alpha-3").rule == "SKR-133"
    armless = change(
        state,
        "alpha-1",
        wounds=Wounds(untreated=True, one_action_right=True, left_arm_useless=True),
    )
    assert refused(armless, "alpha-1 bandage self").rule == "SKR-133"


def test_who_has_used_his_hurt_arms_bandages_nobody():
    """SKR-99, 133: in that turn."""
    hurt = {"hp": 2, "wounds": Wounds(untreated=True)}
    state = change(world([(20, 10), (21, 10)]), "alpha-1", **hurt)
    arms = {"wounds": Wounds(one_action_right=True, left_arm_useless=True), "arm_acts": 1}

    assert refused(change(state, "alpha-2", **arms), "alpha-2 bandage alpha-1").rule == "SKR-99"
    order(change(state, "alpha-2", **{**arms, "arm_acts": 0}), "alpha-2 bandage alpha-1")


def test_a_medic_gives_a_point_back_and_wakes():
    """SKR-134: no list has one; the rule is there for those to come."""
    state = change(
        world([(20, 10), (21, 10)]), "alpha-1", condition="unconscious", hp=1, prone=True
    )
    state = change(state, "alpha-2", skills=("medic",))

    man = after(state, "alpha-2 bandage alpha-1").model("alpha-1")

    assert (man.hp, man.condition) == (2, "fit")
    low = change(state, "alpha-1", hp=-1)
    assert after(low, "alpha-2 bandage alpha-1").model("alpha-1").condition == "unconscious"


def test_at_nought_he_is_unconscious_without_points():
    """SKR-135: HP 5, two wounds of three."""
    play = play_on(world(*FACE))
    for _ in range(2):
        wounds.inflict(play, "bravo-1", "", "stomach", wounds.Line(3))

    man = play.models["bravo-1"]
    assert (man.hp, man.condition, man.ap, man.prone) == (-1, "unconscious", 0, True)


@pytest.mark.parametrize(("die", "condition", "hp"), [(8, "unconscious", -3), (9, "dead", -2)])
def test_survivability_takes_a_point_or_the_life(die, condition, hp):
    """SKR-136: HP -2, the number is 8; once a turn."""
    state = change(world(*FACE), "bravo-1", condition="unconscious", hp=-2, prone=True)
    play = play_on(state, Loaded(survivability=[die]))

    wounds.survive(play, "bravo-1")
    wounds.survive(play, "bravo-1")

    assert (play.models["bravo-1"].condition, play.models["bravo-1"].hp) == (condition, hp)


def test_the_unconscious_are_tested_at_the_start_of_the_turn_and_the_conscious_at_their_end():
    """SKR-99, 136: bleeding costs a point each turn until bandaged."""
    hurt = {"hp": 4, "wounds": Wounds(bleeding=True)}
    state = change(world([(20, 10), (24, 10)], [(46, 46)]), "alpha-1", **hurt)
    dice = Loaded(survivability=[10])
    assert after(state, "alpha end", dice).model("alpha-1").hp == 3

    bandaged = change(state, "alpha-1", bandaged=True)
    dice = Loaded()
    after(bandaged, "alpha end", dice)
    assert "survivability" not in dice.purposes()

    out = change(state, "alpha-1", condition="unconscious", hp=-1)
    dice = Loaded(survivability=[2], **{"initiative of seat 1": [1]})
    play = play_on(out, dice)
    activation.start_turn(play)
    assert play.models["alpha-1"].hp == -2


HARMS = {
    "a shot": lambda play: wounds.wound(play, "bravo-1", "alpha-1", "chest", 4),
    "a blow": lambda play: close.attack(play, Attack("alpha-1", "bravo-1", "knife")),
    "a blast": lambda play: blasts.explode(
        play, Centre(20_000, 23_900, "ground"), weapon("m67"), ""
    ),
}


@pytest.mark.parametrize("harm", HARMS)
@pytest.mark.parametrize("hp", [1, 0])
def test_a_bandage_does_not_hold_for_a_later_wound(harm, hp):
    """SKR-133, 136: whom a scratch takes to nought is tested like anybody."""
    state = change(world([(20, 20)], [(20, 21)]), "bravo-1", hp=hp, bandaged=True)
    play = play_on(state, Loaded(other=8, close_combat=[1], survivability=[1]))
    assert not wounds.needs_test(play.models["bravo-1"])

    HARMS[harm](play)
    wounds.survive(play, "bravo-1")

    man = play.models["bravo-1"]
    assert (man.hp, man.condition, man.tested) == (hp - 2, "unconscious", True)


def test_a_near_miss_undoes_no_bandage():
    """SKR-100, 133: nothing is lost by it."""
    play = play_on(change(world(*FACE), "bravo-1", hp=0, bandaged=True))

    wounds.inflict(play, "bravo-1", "", "chest", wounds.NEAR_MISS)

    assert play.models["bravo-1"].bandaged


def test_who_was_hurt_again_may_be_bandaged_again():
    """SKR-133."""
    state = change(world([(20, 10), (21, 10)]), "alpha-1", hp=3, bandaged=True)
    assert refused(state, "alpha-1 bandage self").rule == "SKR-133"
    play = play_on(state)
    wounds.inflict(play, "alpha-1", "", "chest", wounds.SCRATCH)

    assert after(play.close(), "alpha-1 bandage self").model("alpha-1").bandaged


@pytest.mark.parametrize(("hp", "condition"), [(-8, "dead"), (-7, "dead"), (-6, "unconscious")])
def test_ten_below_nought_is_death(hp, condition):
    """SKR-136."""
    play = play_on(change(world(*FACE), "bravo-1", hp=hp, condition="unconscious"))

    wounds.inflict(play, "bravo-1", "", "stomach", wounds.Line(3))

    assert play.models["bravo-1"].condition == condition


@pytest.mark.parametrize(
    ("help_", "die", "condition"),
    [(False, 3, "fit"), (False, 4, "unconscious"), (True, 5, "fit"), (True, 6, "unconscious")],
)
def test_the_unconscious_may_wake_as_their_activation_begins(help_, die, condition):
    """SKR-138: D10 at most HP 3; a helper takes two off the roll; one try."""
    state = change(
        world([(20, 10), (24, 10)], active=None),
        "alpha-1",
        condition="unconscious",
        hp=3,
        prone=True,
        wake_help=help_,
    )

    state = after(state, "activate alpha", Loaded(wake=[die]))

    assert state.model("alpha-1").condition == condition
    assert state.model("alpha-1").wake_tried


def asleep(**values):
    """alpha-1 lies unconscious, with no points, before any activation of the turn."""
    out = {"condition": "unconscious", "hp": 3, "prone": True, "ap": 0, **values}
    return change(world([(20, 10), (21, 10)], active=None), "alpha-1", **out)


def test_who_wakes_has_the_points_of_his_activation():
    """SKR-7, 138: the test costs none."""
    state = after(asleep(), "activate alpha", Loaded(wake=[1]))

    assert state.model("alpha-1").ap == 10
    assert after(state, "alpha-1 stand").model("alpha-1").ap == 7


def test_who_wakes_opens_his_eyes():
    """SKR-58, 138: before anything else is done."""
    state = change(asleep(), "bravo-1", x=20_000, y=20_000)

    state = after(state, "activate alpha", Loaded(wake=[1]))

    assert state.model("alpha-1").sees == ("bravo-1",)


def test_who_sleeps_on_has_none():
    """SKR-138."""
    state = after(asleep(), "activate alpha", Loaded(wake=[10]))

    assert state.model("alpha-1").ap == 0


def test_who_is_awake_does_not_try_to_wake():
    """SKR-138."""
    state = after(world([(20, 10), (24, 10)], active=None), "activate alpha")

    assert not state.model("alpha-1").wake_tried


def test_a_tired_man_who_wakes_has_half_his_points():
    """SKR-47, 138: knocked out before his activation of that turn."""
    dice = Loaded(wake=[1], **{"initiative of seat 1": [1]})
    play = play_on(change(world([(20, 10), (24, 10)]), "alpha-1", half_pool=True, hp=3), dice)
    activation.start_turn(play)
    assert play.models["alpha-1"].ap == 5
    wounds.knock_out(play, "alpha-1", "")
    assert play.models["alpha-1"].ap == 0

    activation.begin(play, 0, "alpha")

    assert play.models["alpha-1"].ap == 5


@pytest.mark.parametrize(("done", "ap"), [((), 10), (("alpha-1",), 0)])
def test_whom_a_medic_wakes_has_the_points_of_an_activation_still_to_come(done, ap):
    """SKR-134, 138."""
    play = play_on(replace(change(asleep(), "alpha-2", skills=("medic",)), done=done))

    wounds.bandage(play, "alpha-2", "alpha-1")

    assert (play.models["alpha-1"].condition, play.models["alpha-1"].ap) == ("fit", ap)


def test_whom_a_medic_wakes_in_the_activation_he_fell_in_has_lost_it():
    """SKR-134, 135: at nought there are no points, and they do not come back."""
    state = world([(20, 10), (21, 10)])
    play = play_on(change(change(state, "alpha-1", hp=3), "alpha-2", skills=("medic",)))
    wounds.knock_out(play, "alpha-1", "")

    wounds.bandage(play, "alpha-2", "alpha-1")

    assert (play.models["alpha-1"].condition, play.models["alpha-1"].ap) == ("fit", 0)


def test_helping_somebody_wake_takes_three_points_and_contact():
    """SKR-138: below nought never by these means."""
    state = change(
        world([(20, 10), (21, 10)]), "alpha-1", condition="unconscious", hp=3, prone=True
    )
    helped = after(state, "alpha-2 rouse alpha-1")
    assert (helped.model("alpha-2").ap, helped.model("alpha-1").wake_help) == (7, True)
    gone = change(state, "alpha-1", hp=0)
    assert refused(gone, "alpha-2 rouse alpha-1").rule == "SKR-138"


@pytest.mark.parametrize(("rules", "hp"), [(3, 2), (4, 1)])
@pytest.mark.parametrize("survivability", [True, False])
def test_a_captive_bleeds_at_the_start_of_each_turn(rules, hp, survivability):
    """SKR-99, 136: he has no activation at whose end he could. By rules 3 he did not bleed."""
    state = world(*FACE, rules=rules, survivability=survivability)
    state = change(state, "bravo-1", condition="captured", hp=2, wounds=Wounds(bleeding=True))
    play = play_on(state, Loaded(survivability=[5], **{"initiative of seat 1": [1]}))

    activation.start_turn(play)

    assert (play.models["bravo-1"].hp, play.models["bravo-1"].condition) == (hp, "captured")


@pytest.mark.parametrize("rules", [3, 4])
def test_an_enemy_in_contact_is_bandaged_if_he_bleeds_or_is_out_of_action(rules):
    """SKR-133: by any model. By rules 3 only friends were."""
    state = world([(20, 20)], [(20, 21)], rules=rules)
    hurt = change(state, "bravo-1", condition="captured", hp=2, wounds=Wounds(bleeding=True))

    assert refused(state, "alpha-1 bandage bravo-1").rule == "SKR-133"
    if rules == 3:
        assert refused(hurt, "alpha-1 bandage bravo-1").rule == "SKR-133"
    else:
        helped = after(hurt, "alpha-1 bandage bravo-1")
        assert not wounds.needs_test(helped.model("bravo-1"))
        assert helped.model("alpha-1").ap == 5


def test_whether_an_enemy_can_be_bandaged_tells_nothing_of_his_health():
    """SKR-133: who is unconscious may be bandaged already, or have all his points."""
    state = change(world([(20, 20)], [(20, 21)]), "bravo-1", condition="unconscious", prone=True)

    for hidden in ({}, {"bandaged": True}, {"hp": 0}):
        order(change(state, "bravo-1", **hidden), "alpha-1 bandage bravo-1")


@pytest.mark.parametrize(("rules", "told"), [(3, []), (4, ["bled"])])
def test_where_no_die_tells_that_somebody_bleeds_an_event_does(rules, told):
    """SKR-99, 139."""
    state = world(*FACE, survivability=False, rules=rules)
    state = change(state, "alpha-1", hp=3, wounds=Wounds(bleeding=True))

    step = order(state, "alpha end")

    assert [event.what for event in of_kind(step, Changed)] == told


def test_by_option_nought_is_out_of_action_for_good():
    """SKR-139."""
    play = play_on(world(*FACE, survivability=False))

    wounds.inflict(play, "bravo-1", "", "stomach", wounds.Line(5))

    assert play.models["bravo-1"].condition == "dead"


def test_by_option_who_bleeds_still_loses_a_point_each_turn():
    """SKR-99, 139: there is no test, and at nought he is out."""
    state = world([(20, 10), (24, 10)], [(46, 46)], survivability=False)
    state = change(state, "alpha-1", hp=2, wounds=Wounds(bleeding=True))
    dice = Loaded(**{"initiative of seat 1": [1]})
    play = play_on(after(state, "alpha end", dice), dice)
    assert (play.models["alpha-1"].hp, play.models["alpha-1"].condition) == (1, "fit")

    play.put("alpha-1", tested=False, condition="unconscious")
    wounds.survive(play, "alpha-1")

    assert play.models["alpha-1"].condition == "dead"
    assert "survivability" not in dice.purposes()


def test_who_is_knocked_out_after_his_activation_tries_to_wake_in_the_next_turn():
    """SKR-138: at the start of each later activation."""
    state = world([(20, 10), (24, 10)], [(46, 46)], active=None)
    state = replace(state, done=("alpha-1", "alpha-2", "bravo-1"))
    dice = Loaded(wake=[1], **{"initiative of seat 1": [1]})
    play = play_on(state, dice)
    play.put("alpha-1", hp=3)
    wounds.knock_out(play, "alpha-1", "")

    activation.end_turn(play)
    assert play.models["alpha-1"].condition == "unconscious"

    activation.begin(play, 0, "alpha")
    assert play.models["alpha-1"].condition == "fit"


def test_a_blast_rolls_for_the_carrier_and_for_his_load():
    """SKR-141: the die of who is hit is for projectiles."""
    state = world([(40, 4)], [(20, 15), (20, 15)])
    state = change(state, "bravo-1", carrying="bravo-2")
    state = change(
        state, "bravo-2", carried_by="bravo-1", condition="unconscious", prone=True, hp=3
    )
    dice = Loaded(location=[4] * 9, wound=[9] * 9)
    play = play_on(state, dice)

    blasts.explode(play, Centre(20_000, 14_000, "ground"), weapon("m67"), "")

    assert "carrier or carried" not in dice.purposes()
    assert {event.who for event in play.events if isinstance(event, Hit)} == {"bravo-1", "bravo-2"}


@pytest.mark.parametrize(("die", "victim"), [(5, "bravo-2"), (6, "bravo-1")])
def test_a_shot_at_a_carrier_may_hit_his_load(die, victim):
    """SKR-141."""
    state = world([(20, 10)], [(20, 30), (20, 30)])
    state = change(state, "bravo-1", carrying="bravo-2")
    state = change(
        state, "bravo-2", carried_by="bravo-1", condition="unconscious", prone=True, hp=3
    )

    step = shot(state, carrier_or_carried=[die], location=[4], wound=[8])

    assert of_kind(step, Hit)[0].who == victim


@pytest.mark.parametrize(("rules", "victim"), [(4, "bravo-2"), (3, "bravo-1")])
def test_a_blow_at_a_carrier_may_hit_his_load(rules, victim):
    """SKR-141: "hit during combat". By rules 3 it was for shots alone."""
    state = world([(20, 10)], [(20, 11), (20, 11)], rules=rules)
    state = change(state, "bravo-1", carrying="bravo-2")
    state = change(
        state, "bravo-2", carried_by="bravo-1", condition="unconscious", prone=True, hp=3
    )
    dice = Loaded(close_combat=[1], carrier_or_carried=[5], location=[4], wound=[8])

    step = order(state, "alpha-1 attack bravo-1 with knife", dice)

    assert of_kind(step, Wounded)[0].who == victim


def test_the_dead_stay_dead_and_are_shot_at_no_more():
    state = change(world(*FACE), "bravo-1", condition="dead", prone=True, hp=-3)
    play = play_on(state)

    wounds.kill(play, "bravo-1", "")
    wounds.bandage(play, "bravo-2", "bravo-1")
    wounds.try_to_wake(play, "bravo-1")

    assert play.models["bravo-1"].condition == "dead"
    assert not [e for e in play.events if isinstance(e, Changed) and e.what in ("killed", "woke")]
    refusal = refused(state, "alpha-1 fire bravo-1")
    assert refusal.rule == "SKR-63"
    assert "out of action" in str(refusal)


def test_a_hit_in_the_dark_of_cover_is_by_the_weapons_own_rating():
    """SKR-96: DPR 6 for a sniper rifle: 7 is one, 6 and less the first column."""
    play = play_on(world(*FACE), Loaded(wound=[6]))

    wounds.wound(play, "bravo-1", "alpha-1", "chest", weapon("sniper").dpr)

    assert play.models["bravo-1"].wounds.bleeding


@pytest.mark.parametrize("fallen", ["alpha-1", "alpha-2"])
@pytest.mark.parametrize("fate", ["killed", "unconscious"])
def test_when_carrier_or_load_falls_they_lie_side_by_side(fallen, fate):
    """SKR-48, 140, 141: found by simulation: they lay over each other."""
    state = change(world([(20, 10), (21, 10)], [(40, 40)]), "alpha-2", hp=2)
    play = play_on(after(state, "alpha-1 carry alpha-2"))

    if fate == "killed":
        wounds.kill(play, fallen, "")
    else:
        play.put(fallen, hp=0)
        wounds.knock_out(play, fallen, "")

    one, other = play.models["alpha-1"], play.models["alpha-2"]
    assert (one.carrying, other.carried_by) == ("", "")
    assert geometry.distance(one.at, other.at) >= BASE


@pytest.mark.parametrize(
    ("act", "rule"), [("bandage", "SKR-133"), ("rouse", "SKR-138"), ("carry", "SKR-140")]
)
def test_help_from_too_far_off_names_the_rule_of_what_was_tried(act, rule):
    state = change(world([(20, 10), (24, 10)]), "alpha-2", hp=2, condition="unconscious")

    assert refused(state, f"alpha-1 {act} alpha-2").rule == rule
