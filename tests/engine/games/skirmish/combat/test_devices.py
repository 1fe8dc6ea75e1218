"""Mines, charges and Claymores: SKR-41, 165 to 171."""

import pytest
from msgspec.structs import replace

from engine.games.skirmish import GAME
from engine.games.skirmish.combat import blasts
from engine.games.skirmish.events import Exploded, Hit, Interrupted, Struck
from engine.games.skirmish.ground.terrain import Building, Opening, Wall
from engine.games.skirmish.state import Activation, Device
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


def engineer(**more):
    return world(
        [(20, 10), (30, 4)], [(44, 44), (40, 44)], things=("1: engineer mine claymore", ""), **more
    )


def test_a_mine_goes_off_under_any_base():
    """SKR-165: three points to lay; two in a set; its own side is not spared."""
    state = after(engineer(), "alpha-1 place mine at 21,10")
    assert (state.model("alpha-1").ap, state.model("alpha-1").count("mine")) == (7, 1)
    dice = Loaded(location=[4] * 4, armour=[10] * 4, wound=[9] * 4)
    state = change(state, "alpha-2", x=21_000, y=7000)

    step = order(state, "alpha-2 walk to 21,9.6", dice)

    assert of_kind(step, Exploded)[0].weapon == "mine"
    assert "alpha-2" in {e.who for e in of_kind(step, Hit)}
    assert step.state.devices == ()


def test_mines_are_the_layers_secret():
    """SKR-165."""
    step = order(engineer(), "alpha-1 place mine at 21,10")

    assert GAME.view(step.state, 1).devices == ()
    assert GAME.view(step.state, None).devices == ()
    assert len(GAME.view(step.state, 0).devices) == 1


def test_a_shaped_charge_opens_a_wall():
    """SKR-166: three points, an engineer, a wall; then there is a way through."""
    wall = Wall("w", (10_000, 11_000, 30_000, 11_300), 3000, "stone")
    state = engineer(features=[wall])
    assert refused(state, "alpha-2 place shaped-charge at 30,5").rule == "SKR-108"
    assert refused(state, "alpha-1 place shaped-charge at 20,9").rule == "SKR-166"
    state = after(state, "alpha-1 place shaped-charge at 20,11")
    assert state.model("alpha-1").ap == 7
    state = after(state, "alpha-1 run to 16,8")
    assert refused(state, "alpha-1 walk to 20,13").rule in ("SKR-51", "SKR-7")

    step = order(state, "alpha-1 trigger shaped-charge-1")

    assert step.state.model("alpha-1").ap == 7 - 3 - 1
    through = change(step.state, "alpha-1", x=20_000, y=10_000, ap=10)
    after(through, "alpha-1 walk to 20,13")


def test_who_stays_within_three_inches_of_it_is_hurt():
    """SKR-166: one roll, rating 4."""
    wall = Wall("w", (10_000, 11_000, 30_000, 11_300), 3000, "stone")
    state = after(engineer(features=[wall]), "alpha-1 place shaped-charge at 20,11")

    step = order(state, "alpha-1 trigger shaped-charge-1", Loaded(location=[7], wound=[8]))

    assert [e.who for e in of_kind(step, Hit)] == ["alpha-1"]


@pytest.mark.parametrize(("rules", "rule"), [(3, None), (4, "SKR-167")])
def test_who_has_never_been_taught_sets_no_c4(rules, rule):
    """SKR-167: a Taliban who has picked it up. By rules 3 he could."""
    state = world([(20, 10)], lists=("taliban", "rangers"), rules=rules)
    state = change(state, "alpha-1", stock=(("c4", 4),))

    if rule:
        assert refused(state, "alpha-1 place c4 at 20,11").rule == rule
    else:
        assert after(state, "alpha-1 place c4 at 20,11").devices


def test_c4_is_laid_by_the_quarter_pound_over_turns():
    """SKR-167: three points each; a second one beside it joins the charge."""
    state = after(engineer(), "alpha-1 place c4 at 20,11 quarters 2")
    assert state.model("alpha-1").ap == 4
    state = after(state, "alpha-1 place c4 at 20,11")

    assert [d.quarters for d in state.devices] == [3]
    assert state.model("alpha-1").count("c4") == 1
    assert refused(state, "alpha-1 place c4 at 20,11").rule == "SKR-7"


@pytest.mark.parametrize(("rules", "charges"), [(4, [2, 1]), (3, [3])])
def test_c4_on_another_floor_is_a_charge_of_its_own(rules, charges):
    """SKR-167: by rules 3 it joined the one below."""
    house = Building("house", (16_000, 6_000, 24_000, 14_000), 1, "stone", ())
    state = after(engineer(features=[house], rules=rules), "alpha-1 place c4 at 20,11 quarters 2")
    state = change(state, "alpha-1", floor="house-1")

    state = after(state, "alpha-1 place c4 at 20,11")

    assert [device.quarters for device in state.devices] == charges


@pytest.mark.parametrize(
    ("quarters", "kill", "multiple", "radius"),
    [(1, 2, 4, 4), (2, 3, 6, 6), (3, 4, 8, 8), (4, 5, 10, 10), (5, 6, 10, 10), (7, 8, 10, 10)],
)
def test_the_c4_chart(quarters, kill, multiple, radius):
    """SKR-168, 169."""
    zones = blasts.charge_zones(quarters)

    assert (zones.kill, zones.multiple, zones.radius) == (
        kill * 1000,
        multiple * 1000,
        radius * 1000,
    )


def test_c4_kills_near_and_wounds_twice_farther_out():
    """SKR-168: a quarter pound: to 2" killed, to 4" two rolls."""
    state = world([(40, 4)], [(20, 12), (20, 13.4), (20, 16)])
    play = play_on(state, Loaded(location=[4] * 4, wound=[10] * 4, shell_shock=[1] * 9))

    blasts.go_off(play, Device("c4-1", "c4", 0, "alpha-1", 20_000, 10_000, "ground"), "")

    assert play.models["bravo-1"].condition == "dead"
    assert [e.who for e in play.events if isinstance(e, Hit)] == ["bravo-2", "bravo-2"]


def test_a_claymore_is_triggered_for_a_point_within_its_wire():
    """SKR-41, 170."""
    state = after(engineer(), "alpha-1 place claymore at 20,11 facing 0")
    far = change(state, "alpha-1", x=30_500)
    assert refused(far, "alpha-1 trigger claymore-1").rule == "SKR-170"
    assert refused(state, "alpha-2 trigger claymore-1").rule == "SKR-41"

    step = order(state, "alpha-1 trigger claymore-1")
    assert step.state.model("alpha-1").ap == 10 - 3 - 1
    assert of_kind(step, Exploded)[0].weapon == "claymore"


@pytest.mark.parametrize(
    ("rules", "y", "reaches"),
    [(3, 21, True), (3, 21.001, False), (4, 21.5, True), (4, 21.501, False)],
)
def test_a_wire_is_measured_to_the_base(rules, y, reaches):
    """SKR-1, 170: ten inches from the Claymore. By rules 3 to the man's middle."""
    state = after(engineer(rules=rules), "alpha-1 place claymore at 20,11 facing 0")
    state = change(state, "alpha-1", y=round(y * 1000))

    if reaches:
        order(state, "alpha-1 trigger claymore-1")
    else:
        assert refused(state, "alpha-1 trigger claymore-1").rule == "SKR-170"


def test_nothing_is_set_beyond_the_edge_of_the_table():
    """SKR-51: by rules 3 an inch beyond it."""
    state = change(engineer(), "alpha-1", x=47_400)

    assert refused(state, "alpha-1 place claymore at 48.5,10").rule == "SKR-51"
    assert after(replace(state, rules=3), "alpha-1 place claymore at 48.5,10").devices


@pytest.mark.parametrize(
    ("x", "y", "fits"),
    [(19, 14, True), (19, 14.2, True), (19, 14.3, False), (20.5, 14.3, True), (17.5, 13.4, True)],
)
def test_nothing_is_set_through_a_wall(x, y, fits):
    """SKR-51: on it, or by the window at 20.5. By rules 3 also behind it."""
    hut = Building(
        "hut", (18_000, 14_000, 23_000, 19_000), 1, "wood", (Opening("south", 2500, "window"),)
    )
    state = change(engineer(features=[hut]), "alpha-1", x=round(x * 1000), y=13_400)

    assert after(replace(state, rules=3), f"alpha-1 place c4 at {x},{y}").devices
    if fits:
        assert after(state, f"alpha-1 place c4 at {x},{y}").devices
    else:
        assert refused(state, f"alpha-1 place c4 at {x},{y}").rule == "SKR-51"


def test_who_waits_with_a_claymore_is_within_its_wire():
    """SKR-45, 170: by rules 3 the wire was as long as he liked."""
    state = after(engineer(), "alpha-1 place claymore at 20,11 facing 0")
    far = change(state, "alpha-1", y=22_000, ap=10)

    assert refused(far, "alpha-1 opfire trigger claymore-1").rule == "SKR-170"
    assert after(replace(far, rules=3), "alpha-1 opfire trigger claymore-1").model("alpha-1").watch


def test_op_fire_sets_off_a_claymore_of_his_own():
    """SKR-45: neither a comrade's nor a mine."""
    state = change(engineer(), "alpha-2", x=21_500, y=10_000)
    state = after(after(state, "alpha-1 place claymore at 20,11"), "alpha-1 place mine at 20,9")

    assert refused(state, "alpha-2 opfire trigger claymore-1").rule == "SKR-45"
    state = change(state, "alpha-1", ap=10)
    assert refused(state, "alpha-1 opfire trigger mine-2").rule == "SKR-45"
    assert refused(state, "alpha-1 opfire trigger claymore-2").rule == "SKR-45"
    assert after(state, "alpha-1 opfire trigger claymore-1").model("alpha-1").watch


def waits_with_a_claymore(**more):
    """alpha-1 has his before him; bravo is active."""
    state = world([(20, 10), (16, 10)], [(20, 22), (44, 44)], things=("1: claymore", ""), **more)
    device = Device("claymore-1", "claymore", 0, "alpha-1", 20_000, 11_000, "ground")
    state = after(replace(state, devices=(device,)), "alpha-1 opfire trigger claymore-1 at first")
    state = after(state, "alpha end")
    return replace(state, active=Activation(1, "bravo", ("bravo-1", "bravo-2")), chooser=1)


def test_who_does_not_see_whom_his_claymore_would_kill_does_not_set_it_off():
    """SKR-45, 170: a wall is before him, and only his mate sees past it."""
    wall = Wall("wall", (18_000, 10_600, 24_000, 10_800), 3000, "stone")

    step = order(waits_with_a_claymore(features=[wall]), "bravo-1 walk to 20,15", seat=1)

    assert "bravo-1" in step.state.model("alpha-2").sees
    assert not of_kind(step, Exploded)


@pytest.mark.parametrize("y", [10_000, 10_600])
def test_a_shaped_charge_harms_the_level_once_on_whichever_side_of_the_wall_it_is(y):
    """SKR-166: on the wall outside, or in the room."""
    house = Building("house", (16_000, 10_050, 24_000, 16_000), 1, "stone", ())
    play = play_on(world([(4, 4)], [(44, 44)], features=[house]), Loaded(structure=[10, 10]))

    blasts.go_off(
        play, Device("shaped-charge-1", "shaped-charge", 0, "alpha-1", 20_000, y, "ground"), ""
    )

    assert len([event for event in play.events if isinstance(event, Struck)]) == 1


def test_a_claymore_waits_on_op_fire_for_somebody_in_its_kill_zone():
    """SKR-45, 170: the enemy walks into it in his own activation."""
    state = waits_with_a_claymore()

    waits = order(state, "bravo-1 walk to 20,18", seat=1)
    assert not of_kind(waits, Exploded)
    step = order(waits.state, "bravo-1 walk to 20,15", seat=1)

    assert of_kind(step, Interrupted)
    assert step.state.model("bravo-1").condition == "dead"
