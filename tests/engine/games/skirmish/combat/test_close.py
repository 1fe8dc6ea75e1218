"""Hand to hand: SKR-119 to 132d, but for shots into a fight (``test_fire_into_fights``)."""

import pytest
from msgspec.structs import replace

from engine.games.skirmish import GAME
from engine.games.skirmish.combat import close, fire
from engine.games.skirmish.data.library import weapon
from engine.games.skirmish.events import Changed, Did, Fought, Hit, Rolled, RolledAt, Wounded
from engine.games.skirmish.ground.scene import touching
from engine.games.skirmish.ground.terrain import Building, Wall
from engine.games.skirmish.movement import walking
from engine.games.skirmish.moves import Travel
from engine.games.skirmish.state import Arm, Lying, Wounds
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

CONTACT = ([(20, 20), (40, 4)], [(20, 21), (40, 44)])


def parts(state, who="alpha-1", foe="bravo-1", thing="unarmed"):
    play = play_on(state)
    return dict(close.attack_modifiers(play, play.models[who], play.models[foe], weapon(thing)))


def test_an_attack_needs_base_contact():
    """SKR-119."""
    assert refused(world([(20, 20)], [(20, 22)]), "alpha-1 attack bravo-1").rule == "SKR-119"
    order(world(*CONTACT), "alpha-1 attack bravo-1")


def test_the_number_is_five_with_ones_own_skill_less_the_others():
    """SKR-119: the text, and by option the heading."""
    assert close.attack_number(6, 4) == 7
    assert close.attack_number(6, 4, reversed_=True) == 3
    assert (
        of_kind(order(world(*CONTACT), "alpha-1 attack bravo-1 with unarmed"), Fought)[0].need == 5
    )


@pytest.mark.parametrize(("thing", "ap"), [("unarmed", 2), ("knife", 3), ("m16a2", 3)])
def test_bare_hands_cost_two_points_and_weapons_more(thing, ap):
    """SKR-120."""
    assert (
        after(world(*CONTACT), f"alpha-1 attack bravo-1 with {thing}").model("alpha-1").ap
        == 10 - ap
    )


def test_a_blow_takes_its_points_and_an_arm():
    """SKR-99, 120: who may act once a turn with each hurt arm strikes once with a knife."""
    tired = change(world(*CONTACT), "alpha-1", ap=2)
    assert refused(tired, "alpha-1 attack bravo-1 with knife").rule == "SKR-120"
    order(tired, "alpha-1 attack bravo-1 with unarmed")

    hurt = Wounds(one_action_right=True, left_arm_useless=True)
    state = change(world(*CONTACT), "alpha-1", wounds=hurt)
    struck = after(state, "alpha-1 attack bravo-1 with knife", Loaded(other=10))
    assert refused(struck, "alpha-1 attack bravo-1 with knife").rule == "SKR-99"


@pytest.mark.parametrize("thing", ["bayonet", "m4", "m67"])
def test_nobody_fights_with_what_is_not_in_his_hand(thing):
    """SKR-120, 123: a bayonet that is not fixed, a rifle he does not have, and no weapon for it."""
    assert refused(world(*CONTACT), f"alpha-1 attack bravo-1 with {thing}").rule == "SKR-120"


def test_a_blow_wounds_by_its_rating_and_no_armour_saves():
    """SKR-95, 121: knife, rating 4, 4 - 4 = 0 in the chest."""
    state = world(*CONTACT, lists=("rangers", "rangers"))
    dice = Loaded(close_combat=[1], location=[2], wound=[4], shell_shock=[1])

    step = order(state, "alpha-1 attack bravo-1 with knife", dice)

    assert of_kind(step, Wounded)[0].loss == 4
    assert not of_kind(step, Hit)
    assert "armour" not in dice.purposes()


def test_a_run_of_three_inches_into_contact_is_a_charge():
    """SKR-122."""
    state = world([(20, 10), (40, 4)], [(20, 16), (40, 44)])

    charged = after(state, "alpha-1 run to 20,15")
    assert charged.model("alpha-1").charged == 5000
    assert parts(charged)["charge"] == 1
    short = world([(20, 12.5), (40, 4)], [(20, 16), (40, 44)])
    assert "charge" not in parts(after(short, "alpha-1 run to 20,15"))


@pytest.mark.parametrize(("run", "counts"), [(3000, True), (2999, False)])
def test_three_inches_are_a_charge_for_both(run, counts):
    """SKR-122, 126: for who ran, and for whom he ran at, in cover."""
    state = change(world(*CONTACT), "alpha-1", charged=run, charge_from_cover=True)

    assert ("charge" in parts(state)) == counts
    assert ("in cover when charged" in parts(state, "bravo-1", "alpha-1")) == counts


def test_a_charge_is_used_up_by_the_first_blow():
    """SKR-122: a second blow has no +1."""
    met = after(world([(20, 10)], [(20, 16)]), "alpha-1 run to 20,15")

    blows = [order(met, "alpha-1 attack bravo-1 with unarmed", Loaded(other=10))]
    blows.append(order(blows[0].state, "alpha-1 attack bravo-1 with unarmed", Loaded(other=10)))

    told = [dict(of_kind(blow, Fought)[0].modifiers).get("charge") for blow in blows]
    assert told == [1, None]


@pytest.mark.parametrize(("rules", "bonus"), [(3, None), (4, 1)])
def test_runs_that_follow_each_other_are_one_charge(rules, bonus):
    """SKR-122: twice two inches. By rules 3 only the last run counted."""
    state = after(world([(20, 20)], [(20, 25)], rules=rules), "alpha-1 run to 20,22")
    state = after(state, "alpha-1 face 90")

    met = after(state, "alpha-1 run to 20,24")

    assert parts(met).get("charge") == bonus
    if rules == 4:
        fired = after(state, "alpha-1 fire bravo-1", Loaded(other=10))
        assert "charge" not in parts(after(fired, "alpha-1 run to 20,24"))


@pytest.mark.parametrize(("rules", "bonus"), [(3, None), (4, 1)])
def test_who_runs_into_somebody_nobody_had_seen_charges_him(rules, bonus):
    """SKR-122: by rules 3 only a run that ended where it was to end was a charge."""
    state = world([(20, 10)], [(20, 15)], rules=rules)
    state = replace(state, contacts=((), state.contacts[1]))
    behind = change(state, "alpha-1", facing=180)

    met = play_on(behind)
    walking.travel(met, Travel("alpha-1", "run", ((20_000, 18_000),)))

    assert touching(met.models["alpha-1"], met.models["bravo-1"])
    assert parts(met.close()).get("charge") == bonus


@pytest.mark.parametrize(("rules", "rule"), [(3, None), (4, "SKR-132")])
def test_who_runs_around_his_opponent_does_not_run_into_him(rules, rule):
    """SKR-122, 132: he is in contact all the way."""
    state = after(world(*CONTACT, rules=rules), "alpha-1 run to 20.2,20.02")

    if rule:
        assert refused(state, "alpha-1 tackle bravo-1").rule == rule
    else:
        order(state, "alpha-1 tackle bravo-1")


@pytest.mark.parametrize(("rules", "rule"), [(3, None), (4, "SKR-132")])
def test_a_tackle_is_part_of_the_run(rules, rule):
    """SKR-132: nothing that costs AP comes between. By rules 3 it could."""
    state = after(world([(20, 10)], [(20, 16)], rules=rules), "alpha-1 run to 20,15")
    arms = state.model("alpha-1").arms
    state = change(state, "alpha-1", arms=(replace(arms[0], loaded=1), *arms[1:]))
    state = after(state, "alpha-1 reload m16a2")

    if rule:
        assert refused(state, "alpha-1 tackle bravo-1").rule == rule
    else:
        order(state, "alpha-1 tackle bravo-1")


def test_who_runs_with_his_last_points_can_still_tackle():
    """SKR-29, 132: a tackle costs none."""
    state = change(world([(20, 10)], [(20, 16)]), "alpha-1", ap=3)

    state = after(
        after(state, "alpha-1 run to 20,15"), "alpha-1 tackle bravo-1", Loaded(tackle=[1])
    )

    assert state.model("bravo-1").overpowered == "alpha-1"


def test_a_fixed_bayonet_helps_the_charge():
    """SKR-123: two points, before contact."""
    state = world([(20, 10), (40, 4)], [(20, 16), (40, 44)])
    fixed = after(state, "alpha-1 fix bayonet")
    assert (fixed.model("alpha-1").ap, fixed.model("alpha-1").bayonet_fixed) == (8, True)
    assert refused(fixed, "alpha-1 fix bayonet").rule == "SKR-123"
    assert refused(world(*CONTACT), "alpha-1 fix bayonet").rule == "SKR-123"

    charged = after(fixed, "alpha-1 run to 20,15")
    assert parts(charged, thing="bayonet")["charge with bayonet"] == 1


def test_a_bayonet_is_fixed_to_a_rifle():
    """SKR-123: to an appropriate weapon; by rules 3 to any gun. Who drops his rifle has none."""
    state = world([(20, 10), (40, 4), (30, 10)], [(20, 16), (40, 44)])
    older = replace(state, rules=3)
    assert refused(state, "alpha-3 fix bayonet").rule == "SKR-123"
    assert after(older, "alpha-3 fix bayonet").model("alpha-3").bayonet_fixed

    fixed = after(state, "alpha-1 fix bayonet")

    assert fixed.model("alpha-1").bayonet_fixed
    assert not after(fixed, "alpha-1 drop m16a2").model("alpha-1").bayonet_fixed


@pytest.mark.parametrize(("rules", "bonus"), [(3, 1), (4, None)])
def test_who_charges_with_a_fixed_bayonet_and_stabs_with_a_knife_has_the_knifes_bonus(rules, bonus):
    """SKR-123, 130: the bayonet's own is for the bayonet. By rules 3 both counted."""
    state = world([(20, 10), (40, 4)], [(20, 16), (40, 44)], rules=rules)
    charged = after(after(state, "alpha-1 fix bayonet"), "alpha-1 run to 20,15")

    assert parts(charged, thing="knife").get("charge with bayonet") == bonus


def test_an_inch_higher_is_high_ground():
    """SKR-124."""
    house = Building("house", (18_000, 18_000, 22_000, 20_500), 1, "wood", ())
    state = change(world([(20, 20)], [(20, 21)], features=[house]), "alpha-1", floor="house-1")

    assert parts(state)["high ground"] == 1


def test_lying_down_is_a_handicap_unless_both_do():
    """SKR-125."""
    state = change(world(*CONTACT), "alpha-1", prone=True)
    assert parts(state)["prone"] == -1

    assert "prone" not in parts(change(state, "bravo-1", prone=True))


def test_who_is_charged_in_cover_has_it_easier():
    """SKR-126: a wall before him at the charge's start, and none."""
    wall = Wall("w", (16_000, 20_000, 19_900, 20_300), 900, "stone")
    places = [(18, 14), (40, 4)], [(19.4, 20.9), (40, 44)]

    charged, in_the_open = (
        after(world(*places, features=features), "alpha-1 run to 20.6,19.5 then 20.42,20.9")
        for features in ([wall], [])
    )

    assert parts(charged, "bravo-1", "alpha-1")["in cover when charged"] == 1
    assert "in cover when charged" not in parts(in_the_open, "bravo-1", "alpha-1")


@pytest.mark.parametrize(("rules", "covered"), [(3, False), (4, True)])
def test_of_two_who_are_charged_each_has_his_own_cover(rules, covered):
    """SKR-126: a wall is before the second. By rules 3 the first decided for both."""
    wall = Wall("w", (20_600, 17_000, 23_000, 17_300), 900, "stone")
    state = world([(19.5, 10)], [(20, 20), (21, 20)], features=[wall], rules=rules)

    charged = after(state, "alpha-1 run to 19.5,18 then 20.5,19.1")

    first, second = (parts(charged, name, "alpha-1") for name in ("bravo-1", "bravo-2"))
    assert "in cover when charged" not in first
    assert ("in cover when charged" in second) == covered


@pytest.mark.parametrize(("rules", "covered"), [(3, False), (4, True)])
def test_who_is_charged_from_far_off_has_his_cover(rules, covered):
    """SKR-126: 13.5" away. By rules 3 only within 12"."""
    wall = Wall("w", (16_000, 20_000, 19_900, 20_300), 900, "stone")
    state = world([(18, 6.5), (40, 4)], [(19.4, 20.9), (40, 44)], features=[wall], rules=rules)

    charged = after(state, "alpha-1 run to 20.6,19.5 then 20.42,20.9")

    assert charged.model("alpha-1").charged > 13_500
    assert ("in cover when charged" in parts(charged, "bravo-1", "alpha-1")) == covered


def test_training_and_deadly_hands():
    """SKR-127, 128: never both."""
    assert parts(change(world(*CONTACT), "alpha-1", skills=("trained",)))["trained"] == 1
    both = parts(change(world(*CONTACT), "alpha-1", skills=("trained", "deadly-hands")))
    assert both["deadly hands"] == 2
    assert "trained" not in both


def test_an_opponent_who_shot_out_of_the_fight_is_easier_once():
    """SKR-129, 132c: one bonus, for one attack, however it came about."""
    state = world(*CONTACT)
    assert "opponent was shooting" not in parts(state)
    state = change(state, "bravo-1", distracted=True)
    assert parts(state)["opponent was shooting"] == 1

    struck = after(state, "alpha-1 attack bravo-1", Loaded(other=9))
    assert "opponent was shooting" not in parts(struck)


def test_who_strikes_back_is_distracted_no_more():
    """SKR-129: whether he hits or not, it is his last action."""
    state = change(world(*CONTACT), "alpha-1", distracted=True)

    for die in (1, 10):
        dice = Loaded(close_combat=[die], wound=[10], other=5)
        struck = after(state, "alpha-1 attack bravo-1", dice)
        assert "opponent was shooting" not in parts(struck, "bravo-1", "alpha-1")


def test_a_shot_before_contact_distracts_nobody():
    """SKR-129: only a shot of somebody who was in close combat already."""
    state = world([(20, 10), (40, 4)], [(20, 16), (40, 44)])
    shot = after(state, "alpha-1 fire bravo-1", Loaded(other=10))
    thrown = after(state, "alpha-1 throw m67 at bravo-1", Loaded(other=10))
    for now in (shot, thrown):
        met = change(now, "bravo-1", x=20_000, y=11_000)
        assert "opponent was shooting" not in parts(met, "bravo-1", "alpha-1")


def test_who_does_something_else_is_distracted_no_more():
    """SKR-129: it is his last action that counts."""
    state = change(world(*CONTACT), "alpha-1", distracted=True, arms=(Arm("m16a2", 3),))
    assert parts(state, "bravo-1", "alpha-1")["opponent was shooting"] == 1

    reloaded = after(state, "alpha-1 reload m16a2")
    turned = after(state, "alpha-1 face 90")

    assert "opponent was shooting" not in parts(reloaded, "bravo-1", "alpha-1")
    assert parts(turned, "bravo-1", "alpha-1")["opponent was shooting"] == 1


def test_weapons_have_their_bonus():
    """SKR-130: a knife +1, an RPK -1."""
    assert parts(world(*CONTACT), thing="knife")["weapon"] == 1
    assert parts(world(*CONTACT), thing="rpk")["weapon"] == -1


@pytest.mark.parametrize(("hit", "spot", "out"), [(1, 1, True), (1, 2, False), (2, 1, False)])
def test_a_knock_out_in_a_fight_takes_two_ones(hit, spot, out):
    """SKR-131."""
    dice = Loaded(close_combat=[hit], location=[spot])

    step = order(world(*CONTACT), "alpha-1 attack bravo-1 with club knockout", dice)

    assert (step.state.model("bravo-1").condition == "unconscious") == out
    assert step.state.model("alpha-1").ap == 7


def test_somebody_subdued_is_knocked_out_by_any_blow_with_something_blunt():
    """SKR-131."""
    state = change(world(*CONTACT), "bravo-1", overpowered="alpha-1", prone=True)
    assert refused(state, "alpha-1 attack bravo-1 with knife knockout").rule == "SKR-131"

    step = order(state, "alpha-1 attack bravo-1 with club knockout", Loaded(close_combat=[4]))
    assert step.state.model("bravo-1").condition == "unconscious"


@pytest.mark.parametrize(("die", "down"), [(6, True), (7, False)])
def test_a_tackle_at_the_end_of_a_run(die, down):
    """SKR-132: strength 5 against 4; down he cannot act until his next activation."""
    state = world([(20, 10), (40, 4)], [(20, 16), (40, 44)])
    assert refused(world(*CONTACT), "alpha-1 tackle bravo-1").rule == "SKR-132"
    state = after(state, "alpha-1 run to 20,15")

    state = after(state, "alpha-1 tackle bravo-1", Loaded(tackle=[die]))

    assert bool(state.model("bravo-1").overpowered) == down
    assert state.model("bravo-1").prone == down


def test_the_overpowered_are_tied_for_two_points():
    """SKR-132."""
    state = change(world(*CONTACT), "bravo-1", overpowered="alpha-1", prone=True)

    step = order(state, "alpha-1 tie bravo-1")

    assert step.state.model("alpha-1").ap == 8
    assert step.state.model("bravo-1").condition == "captured"
    assert [e.what for e in of_kind(step, Changed)] == ["captured"]
    assert refused(world(*CONTACT), "alpha-1 tie bravo-1").rule == "SKR-132"


def test_who_walks_out_of_a_fight_is_struck_first():
    """SKR-132a: unless he has won the last exchange."""
    state = world(*CONTACT)
    struck = order(state, "alpha-1 walk to 20,18", Loaded(other=9))
    assert [e.who for e in of_kind(struck, Fought)] == ["bravo-1"]

    won = order(change(state, "alpha-1", last_act="won"), "alpha-1 walk to 20,18")
    assert not of_kind(won, Fought)


@pytest.mark.parametrize(
    ("way", "blows"),
    [
        ("20,19.99 then 20,15", 1),
        ("20,15 then 20,19.99", 1),
        ("20,19.99 then 20.1,20", 0),
    ],
)
def test_who_leaves_a_fight_at_any_corner_of_his_way_is_struck_once(way, blows):
    """SKR-132a: a first corner still in contact does not spare him the blow."""
    step = order(world(*CONTACT), f"alpha-1 walk to {way}", Loaded(other=9))

    assert [e.who for e in of_kind(step, Fought)] == ["bravo-1"] * blows


def test_who_is_struck_down_on_leaving_reads_that_he_does_not_go():
    """SKR-132a, 137: the blow immobilizes him."""
    dice = Loaded(close_combat=[1], location=[7], wound=[1], other=1)

    step = order(world(*CONTACT), "alpha-1 walk to 20,18", dice)

    assert step.state.model("alpha-1").at == (20_000, 20_000)
    assert [(e.who, e.act, e.readers) for e in of_kind(step, Did)] == [
        ("alpha-1", "prevented", (0,))
    ]


def test_who_leaves_a_fight_by_the_stairs_is_struck():
    """SKR-132a: a floor higher nobody is in contact with those below."""
    house = Building("house", (16_000, 12_000, 24_000, 18_000), 1, "wood", (), (23_000, 17_000))
    state = world([(23, 17)], [(22, 17)], features=[house])

    step = order(state, "alpha-1 climb to 23,17 on house-1", Loaded(other=9))

    assert [e.who for e in of_kind(step, Fought)] == ["bravo-1"]


def test_firing_out_of_a_fight_takes_having_won_it():
    """SKR-132c."""
    state = world([(20, 20), (40, 4)], [(20, 21), (27, 22)], priority_target=False)
    assert refused(state, "alpha-1 fire bravo-2").rule == "SKR-132c"

    won = change(state, "alpha-1", last_act="won")
    fired = after(won, "alpha-1 fire bravo-2", Loaded(other=10))
    assert fired.model("alpha-1").distracted
    assert parts(fired, "bravo-1", "alpha-1")["opponent was shooting"] == 1


def test_a_shot_out_of_a_fight_leaves_the_exchange_won():
    """SKR-132a, 132c: it is the last close combat that counts, not the last act."""
    state = world([(20, 20), (40, 4)], [(20, 21), (27, 22)], priority_target=False)
    fired = after(
        change(state, "alpha-1", last_act="won"), "alpha-1 fire bravo-2", Loaded(other=10)
    )

    order(fired, "alpha-1 fire bravo-2", Loaded(other=10))
    assert not of_kind(order(fired, "alpha-1 walk to 20,18"), Fought)


@pytest.mark.parametrize(("rules", "last"), [(3, ""), (4, "won")])
def test_who_shifts_his_feet_in_a_fight_has_still_won_the_last_exchange(rules, last):
    """SKR-132a, 132c: he is in contact all the way. By rules 3 any step lost it."""
    state = change(world(*CONTACT, rules=rules), "alpha-1", last_act="won")

    near = after(state, "alpha-1 walk to 20.2,20.02")
    away = after(state, "alpha-1 walk to 20,18")

    assert near.model("alpha-1").last_act == last
    assert away.model("alpha-1").last_act == ""


@pytest.mark.parametrize(("rules", "rule"), [(3, "SKR-132c"), (4, None)])
def test_throwing_out_of_a_fight_takes_having_won_it(rules, rule):
    """SKR-132c: as firing does, and it distracts as much. By rules 3 nobody could throw."""
    state = world([(20, 20)], [(20, 21), (28, 24)], rules=rules)
    assert refused(state, "alpha-1 throw m67 at bravo-2").rule == "SKR-132c"
    won = change(state, "alpha-1", last_act="won")

    if rule:
        assert refused(won, "alpha-1 throw m67 at bravo-2").rule == rule
    else:
        thrown = after(won, "alpha-1 throw m67 at bravo-2", Loaded(other=10))
        assert parts(thrown, "bravo-1", "alpha-1")["opponent was shooting"] == 1


def test_a_win_is_forgotten_with_a_shot_at_somebody_far_away():
    """SKR-132c: it was in another fight."""
    state = change(world([(20, 10)], [(20, 30)]), "alpha-1", last_act="won")
    fired = after(state, "alpha-1 fire bravo-1", Loaded(other=10))
    met = change(fired, "bravo-1", x=20_000, y=11_000)

    assert refused(met, "alpha-1 fire bravo-1").rule == "SKR-132c"


@pytest.mark.parametrize(("rules", "last"), [(3, "won"), (4, "")])
def test_a_win_is_forgotten_when_another_enemy_comes(rules, last):
    """SKR-132a, 132c: it was in another fight. By rules 3 he left the new one unharmed."""
    state = change(world([(20, 10)], [(20, 16)], rules=rules), "bravo-1", last_act="won")

    met = after(state, "alpha-1 walk to 20,15")

    assert met.model("bravo-1").last_act == last


def test_a_win_counts_while_the_loser_is_still_there():
    """SKR-132a, 132c."""
    state = change(world([(20, 10), (21, 16)], [(20, 16)]), "bravo-1", last_act="won")

    met = after(state, "alpha-1 walk to 20,15")

    assert met.model("bravo-1").last_act == "won"


def test_who_was_overpowered_before_his_activation_has_its_points_then():
    """SKR-132: he cannot act until his next activation, and then he can."""
    state = world([(20, 10), (40, 4)], [(20, 16), (40, 44)])
    state = after(state, "alpha-1 run to 20,15")
    state = after(state, "alpha-1 tackle bravo-1", Loaded(tackle=[1]))
    assert state.model("bravo-1").overpowered == "alpha-1"

    state = after(after(state, "alpha end"), "activate bravo", seat=1)

    assert (state.model("bravo-1").overpowered, state.model("bravo-1").ap) == ("", 10)


def test_things_lying_about_are_picked_up_and_fought_with():
    """SKR-132d: a rifle from the ground, once it is understood, is a weapon in the hand."""
    state = replace(
        world(*CONTACT, lists=("rangers", "taliban")),
        lying=(Lying("m4", 1, 0, 20_000, 20_000, "ground"),),
    )
    state = after(state, "alpha-1 pick up 1 m4")

    assert "m4" not in close.hand_weapons(state.model("alpha-1"))
    learnt = after(state, "alpha-1 learn m4", Loaded(weapon_knowledge=[1]))
    assert "m4" in close.hand_weapons(learnt.model("alpha-1"))


def test_a_fight_is_told_with_its_modifiers():
    """SKR-119."""
    step = order(
        change(world(*CONTACT), "bravo-1", prone=True), "alpha-1 attack bravo-1 with knife"
    )

    fought = of_kind(step, Fought)[0]
    assert fought.modifiers == (("weapon", 1), ("his prone", 1))
    assert fought.need == 5 + 5 - 5 + 2


def test_who_attacks_whom_is_told_before_the_die():
    """SKR-119: by rules 3 after it."""
    for rules, first, success in ((3, Rolled, True), (4, Fought, None)):
        step = order(
            world(*CONTACT, rules=rules),
            "alpha-1 attack bravo-1 with knife",
            Loaded(close_combat=[1]),
        )

        told = [event for event in step.events if isinstance(event, (Fought, Rolled))]
        assert type(told[0]) is first
        assert {type(event) for event in told[:2]} == {Fought, Rolled}
        assert of_kind(step, Fought)[0].success is success


def test_a_tackle_that_fails_says_whom_it_was_for():
    """SKR-132: by rules 3 it named nobody."""
    for rules, kind in ((3, Rolled), (4, RolledAt)):
        state = after(world([(20, 10)], [(20, 16)], rules=rules), "alpha-1 run to 20,15")

        [die] = of_kind(order(state, "alpha-1 tackle bravo-1", Loaded(tackle=[10])), Rolled)

        assert type(die) is kind
        assert getattr(die, "target", "bravo-1") == "bravo-1"


def test_an_order_without_a_weapon_takes_the_best_at_hand():
    assert GAME.parse(world(*CONTACT), 0, "alpha-1 attack bravo-1").weapon == "knife"
    assert fire.CORRIDOR == 1500
