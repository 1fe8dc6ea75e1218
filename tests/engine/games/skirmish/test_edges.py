"""Where a rule's number ends: what stands exactly on an edge, and just beyond it."""

import pytest
from msgspec.structs import replace

from engine.errors import IllegalMove
from engine.games.skirmish.combat import blasts, fire, grenades, watching
from engine.games.skirmish.combat.blasts import Centre
from engine.games.skirmish.data.library import weapon
from engine.games.skirmish.events import Fired, Hit, Interrupted
from engine.games.skirmish.ground.scene import Cloud
from engine.games.skirmish.moves import OpFire, Throw
from engine.games.skirmish.stages import activation
from engine.games.skirmish.state import Activation, Device, Wounds
from tests.engine.games.skirmish.world import (
    HUT,
    Loaded,
    after,
    change,
    of_kind,
    order,
    play_on,
    refused,
    world,
)

FAR = ([(20, 10)], [(20, 30)])  # 19" apart


def rolls_on(play):
    return [event.who for event in play.events if isinstance(event, Hit)]


# --- blasts ---


@pytest.mark.parametrize(
    ("y", "condition", "rolls"),
    [(12.5, "dead", 0), (12.501, "fit", 2), (14.5, "fit", 2), (14.501, "fit", 0)],
)
def test_the_zones_of_a_charge_end_with_their_last_inch(y, condition, rolls):
    """SKR-168: a quarter pound kills up to and with 2" and wounds twice up to and with 4"."""
    state = world([(40, 4)], [(20, y), (44, 44)])
    play = play_on(state, Loaded(location=[4] * 2, wound=[9] * 2, armour=[10] * 2))

    blasts.go_off(play, Device("c4-1", "c4", 0, "alpha-1", 20_000, 10_000, "ground"), "")

    assert play.models["bravo-1"].condition == condition
    assert rolls_on(play) == ["bravo-1"] * rolls


def claymore(play):
    blasts.go_off(
        play, Device("claymore-1", "claymore", 0, "alpha-1", 20_000, 10_000, "ground"), ""
    )


@pytest.mark.parametrize(
    ("y", "condition", "rolls"),
    [(15.5, "dead", 0), (15.501, "fit", 1), (20.5, "fit", 1), (20.501, "fit", 0)],
)
def test_the_zones_of_a_claymore_end_with_their_last_inch(y, condition, rolls):
    """SKR-170: it kills up to and with 5" and wounds once up to and with 10"."""
    play = play_on(world([(40, 4)], [(20, y), (44, 44)]), Loaded(location=[4], wound=[9]))

    claymore(play)

    assert play.models["bravo-1"].condition == condition
    assert rolls_on(play) == ["bravo-1"] * rolls


@pytest.mark.parametrize(
    ("place", "condition"), [((22, 13.5), "dead"), ((22.5, 13.5), "fit"), ((17.5, 13.5), "fit")]
)
def test_the_cone_of_a_claymore_opens_thirty_degrees_to_each_side(place, condition):
    """SKR-170: sixty degrees in all; 29.7 to a side are in it, 35.5 are not."""
    play = play_on(world([(40, 4)], [place, (44, 44)]))

    claymore(play)

    assert play.models["bravo-1"].condition == condition


@pytest.mark.parametrize(("y", "beside"), [(11.6, True), (11.599, False)])
def test_a_window_at_exactly_two_inches_is_beside_the_thrower(y, beside):
    """SKR-111: measured from the edge of his base."""
    play = play_on(world([(20.5, y)], [(40, 40)], features=[HUT]))

    thrower = play.models["alpha-1"]
    assert grenades.beside_opening(play, thrower, (20_500, 16_000), "ground") == beside


@pytest.mark.parametrize(("rules", "down"), [(3, ("difficult throw", -2)), (4, None)])
def test_a_throw_is_difficult_by_where_its_mark_lies(rules, down):
    """SKR-110: from a roof onto open ground it is not; up to a roof it is. By rules 3 both were."""
    state = world([(20.5, 14.6)], [(40, 40)], features=[HUT], rules=rules)
    from_the_ground = play_on(change(state, "alpha-1", x=20_500, y=4_000))
    from_the_roof = play_on(change(state, "alpha-1", floor="hut-1"))
    throw = Throw("alpha-1", "m67", spot=(20_500, 8_000))
    up = Throw("alpha-1", "m67", spot=(20_500, 14_600), floor="hut-1")

    assert grenades.throw_chance(from_the_ground, throw).modifiers == ()
    assert grenades.throw_chance(from_the_roof, throw).modifiers == ((down,) if down else ())
    assert ("difficult throw", -3) in grenades.throw_chance(from_the_ground, up).modifiers


def test_a_throw_uses_up_the_one_action_of_a_hurt_arm():
    """SKR-99: having thrown, he cannot fire a rifle with it as well."""
    state = world(*FAR)
    hurt = change(state, "alpha-1", wounds=Wounds(one_action_right=True))
    order(hurt, "alpha-1 fire bravo-1", Loaded(other=10))

    thrown = after(hurt, "alpha-1 throw m67 at 20,20", Loaded(to_hit=[1]))

    assert refused(thrown, "alpha-1 fire bravo-1").rule == "SKR-99"


# --- shooting ---


def with_rounds(state, name, rounds):
    model = state.model(name)
    return change(state, name, arms=tuple(replace(arm, loaded=rounds) for arm in model.arms))


def test_the_last_rounds_and_the_last_points_are_enough():
    """SKR-7, 63: three rounds and four points for a burst."""
    last = change(with_rounds(world(*FAR), "alpha-1", 3), "alpha-1", ap=4)

    step = order(last, "alpha-1 fire bravo-1 burst", Loaded(other=10))

    left = step.state.model("alpha-1")
    assert (left.ap, left.arm("m16a2").loaded) == (0, 0)
    short = with_rounds(last, "alpha-1", 2)
    assert refused(short, "alpha-1 fire bravo-1 burst").rule == "SKR-63"
    assert refused(change(last, "alpha-1", ap=3), "alpha-1 fire bravo-1 burst").rule == "SKR-7"


@pytest.mark.parametrize(("y", "first"), [(21, True), (21.001, False)])
def test_an_enemy_at_exactly_ten_inches_must_be_chosen_first(y, first):
    """SKR-64: and one at ten inches may be chosen."""
    state = world([(20, 10)], [(20, y), (24, 34), (16, 20)])
    alone = change(state, "bravo-3", x=4_000, y=44_000)

    if first:
        assert refused(alone, "alpha-1 fire bravo-2").rule == "SKR-64"
        order(state, "alpha-1 fire bravo-1", Loaded(other=10))
    else:
        order(alone, "alpha-1 fire bravo-2", Loaded(other=10))
        assert refused(state, "alpha-1 fire bravo-1").rule == "SKR-64"


def test_the_corridor_takes_in_who_stands_an_inch_and_a_half_from_the_line():
    """SKR-89."""
    state = world([(20, 10)], [(20, 30), (21.5, 20), (18.499, 25)])
    play = play_on(state)

    found = fire.in_corridor(play, play.models["alpha-1"], play.models["bravo-1"], 80_000, 1500)

    assert found == ["bravo-2"]


def test_a_spotter_may_spend_his_last_five_points():
    """SKR-71."""
    state = world([(20, 10), (22, 10)], [(20, 30)])
    text = "alpha-1 fire bravo-1 spotter alpha-2"

    spent = after(change(state, "alpha-2", ap=5), text, Loaded(other=10))

    assert spent.model("alpha-2").ap == 0
    assert refused(change(state, "alpha-2", ap=4), text).rule == "SKR-71"


def test_a_shotgun_spreads_only_beyond_twelve_inches():
    """SKR-171: at exactly 12" it is still one shot, at one man."""

    def shots(y):
        state = world(
            [(20, 10)],
            [(20, y), (20.9, y + 1.2)],
            lists=("airborne", "taliban"),
            things=("1: shotgun", ""),
        )
        dice = Loaded(to_hit=[10, 10])
        order(state, "alpha-1 fire bravo-1 with shotgun", dice)
        return dice.purposes().count("to hit")

    assert shots(23) == 1
    assert shots(23.01) == 2


# --- Op-Fire ---


def watching_for(text, enemies=((10, 10), (30, 4)), place=(20, 30), **more):
    """bravo-1 waits by a standing order; then alpha-1 is active."""
    state = world(enemies, [place], active=None, **more)
    state = replace(state, active=Activation(1, "bravo", ("bravo-1",)), chooser=1)
    state = after(state, f"bravo-1 opfire {text}", seat=1)
    state = state if state.active is None else after(state, "bravo end", seat=1)
    return after(state, "activate alpha-1")


@pytest.mark.parametrize(("chance", "stands"), [(9, False), (10, True), (90, True), (91, False)])
def test_the_least_chance_of_an_order_is_from_ten_to_ninety(chance, stands):
    """SKR-45: the chances that SKR-67 gives, with both ends."""
    text = f"alpha-1 opfire chance {chance}"

    if stands:
        assert after(world(*FAR), text).model("alpha-1").watch.chance == chance
    else:
        assert refused(world(*FAR), text).rule == "SKR-45"


@pytest.mark.parametrize(
    ("bearing", "inside"), [(329, False), (330, True), (0, True), (30, True), (31, False)]
)
def test_both_edges_of_a_watched_arc_belong_to_it(bearing, inside):
    """SKR-45: clockwise from the first edge to the second."""
    watch = OpFire("alpha-1", "m16a2", "single", arc=(330, 30))

    assert watching.in_watched_arc(watch, bearing) == inside


def test_an_arc_may_begin_at_north_and_end_a_degree_before_it():
    """SKR-53: from 0 to 359 degrees."""
    state = world(*FAR)
    play, model = play_on(state), state.model("alpha-1")
    watch = OpFire("alpha-1", "m16a2", "single", arc=(0, 359))

    watching.check_opfire(play, model, watch)
    for arc in ((0, 360), (-1, 90)):
        with pytest.raises(IllegalMove) as caught:
            watching.check_opfire(play, model, replace(watch, arc=arc))
        assert caught.value.rule == "SKR-53"


@pytest.mark.parametrize(("reach", "fires"), [(16, True), (15.9, False)])
def test_op_fire_goes_off_at_exactly_the_range_of_its_order(reach, fires):
    """SKR-45: he stops 16" away."""
    state = watching_for(f"range {reach} at first", [(20, 10), (30, 4)])

    step = order(state, "alpha-1 walk to 20,13", Loaded(other=10))

    assert bool(of_kind(step, Fired)) == fires


@pytest.mark.parametrize(("chance", "fires"), [(30, True), (31, False)])
def test_op_fire_goes_off_at_exactly_the_least_chance_of_its_order(chance, fires):
    """SKR-45: 5 for his proficiency, 1 off for the range, 1 for a walking man: 30 in 100."""
    state = watching_for(f"at first chance {chance}", [(20, 10), (30, 4)])

    step = order(state, "alpha-1 walk to 20,12", Loaded(other=10))

    assert bool(of_kind(step, Fired)) == fires


def test_op_fire_waits_with_the_last_rounds_and_for_six_points():
    """SKR-45, 63: a mode that takes all six points, and as many rounds as it has dice."""
    state = world([(20, 10), (24, 10), (28, 10)], [(20, 30)], things=("3: m60e3", ""))
    text = "alpha-3 opfire with m60e3 auto"

    assert after(with_rounds(state, "alpha-3", 8), text).model("alpha-3").watch is not None
    assert refused(with_rounds(state, "alpha-3", 7), text).rule == "SKR-63"


@pytest.mark.parametrize(
    ("start", "end", "goes_off"),
    [
        ("20,20", "20,16.5", True),
        ("20,20", "20,16.6", False),
        ("25,16", "24,14", False),
    ],
)
def test_a_waiting_claymore_goes_off_only_up_to_the_edge_of_its_kill_zone(start, end, goes_off):
    """SKR-45, 170: 5" from it, not a tenth farther, and not beside its cone."""
    place = tuple(float(part) for part in start.split(","))
    state = world([(20, 10), (4, 4)], [place, (44, 44)], things=("1: claymore", ""))
    device = Device("claymore-1", "claymore", 0, "alpha-1", 20_000, 11_000, "ground")
    state = after(replace(state, devices=(device,)), "alpha-1 opfire trigger claymore-1 at first")
    state = after(state, "alpha end")
    state = replace(state, active=Activation(1, "bravo", ("bravo-1", "bravo-2")), chooser=1)

    step = order(state, f"bravo-1 walk to {end}", seat=1)

    assert bool(of_kind(step, Interrupted)) == goes_off


# --- the turn ---


@pytest.mark.parametrize(("y", "paid"), [(19, (60,)), (18.999, ())])
def test_who_stands_on_the_edge_of_an_objective_is_at_it(y, paid):
    """SKR-3: the distance from its middle, 24,24, is at most its radius, 5"."""
    play = play_on(world([(24, y)], scenario="hold"), Loaded(**{"initiative of seat 1": [1]}))

    activation.end_turn(play)

    assert play.state.tallies[0].objectives == paid


def test_smoke_in_its_last_turn_is_gone_when_the_turn_ends():
    """SKR-62."""
    smoke = (Cloud(20_000, 20_000, 3000, 2), Cloud(30_000, 20_000, 3000, 1))
    play = play_on(replace(world(*FAR), smoke=smoke), Loaded(**{"initiative of seat 1": [1]}))

    activation.end_turn(play)

    assert [(cloud.x, cloud.turns) for cloud in play.state.smoke] == [(20_000, 1)]


@pytest.mark.parametrize(("die", "high"), [(5, True), (6, False)])
def test_khat_takes_hold_on_five_or_less(die, high):
    """SKR-184."""
    state = world([(20, 10)], [(20, 30)], lists=("militia", "rangers"))
    play = play_on(state, Loaded(khat=[die], **{"initiative of seat 1": [1]}))

    activation.start_turn(play)

    assert play.team("alpha").high == high


def test_who_stands_on_the_line_between_two_rings_is_in_the_inner_one():
    """SKR-102, 103: a man whose base begins exactly 1" away takes the two rolls of that ring."""
    state = world([(40, 4)], [(20, 15.5), (44, 44)])
    play = play_on(state, Loaded(location=[4] * 2, wound=[9] * 2))

    blasts.explode(play, Centre(20_000, 14_000, "ground"), weapon("m67"), "")

    assert rolls_on(play) == ["bravo-1", "bravo-1"]
