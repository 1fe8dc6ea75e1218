"""Op-Fire: SKR-39, 45, 46, 97."""

import pytest
from msgspec.structs import replace

from engine import codec
from engine.games.skirmish import GAME
from engine.games.skirmish.events import Did, Fired, Interrupted, Watching
from engine.games.skirmish.ground.terrain import Wall
from engine.games.skirmish.moves import OpFire
from engine.games.skirmish.notation import write
from engine.games.skirmish.stages import activation
from engine.games.skirmish.state import Activation
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


def watching(text, **more):
    """bravo-1 waits by a standing order; then alpha is active."""
    state = world([(10, 10), (30, 4)], [(20, 30)], active=None, **more)
    state = replace(state, active=Activation(1, "bravo", ("bravo-1",)), chooser=1)
    state = after(state, f"bravo-1 opfire {text}", seat=1)
    state = state if state.active is None else after(state, "bravo end", seat=1)
    return state


def test_op_fire_takes_all_ten_points():
    """SKR-39."""
    state = world([(20, 10)], [(20, 30)])
    assert refused(change(state, "alpha-1", ap=9), "alpha-1 opfire").rule == "SKR-39"

    waiting = after(world([(20, 10), (10, 10)], [(20, 30)]), "alpha-1 opfire arc 330-30 range 24")
    assert waiting.model("alpha-1").ap == 0
    assert waiting.model("alpha-1").watch.arc == (330, 30)
    assert (
        GAME_format(waiting)
        == "alpha-1 opfire with m16a2 single arc 330-30 range 24 at first chance 10"
    )


def GAME_format(state):
    return write(state.model("alpha-1").watch)


def test_op_fire_goes_off_in_the_middle_of_the_enemys_way():
    """SKR-45, 46: three shots of two points, and then he goes on."""
    state = after(watching("at first"), "activate alpha-1")
    assert state.model("bravo-1").watch is not None

    step = order(state, "alpha-1 walk to 10,14", Loaded(other=10))

    assert [event.who for event in of_kind(step, Interrupted)] == ["bravo-1"]
    assert len(of_kind(step, Fired)) == 3
    assert step.state.model("bravo-1").watch is None
    assert step.state.model("alpha-1").at == (10_000, 14_000)


def test_who_is_hit_by_op_fire_stops_where_he_was():
    """SKR-46: the trigger is resolved before the action goes on."""
    state = after(watching("at first"), "activate alpha-1")
    dice = Loaded(to_hit=[1], location=[1], armour=[10], wound=[1], other=10)

    step = order(state, "alpha-1 walk to 10,14", dice)

    assert step.state.model("alpha-1").condition == "dead"
    assert step.state.model("alpha-1").at == (10_000, 10_000)


def test_an_act_needs_its_helper_still_after_op_fire():
    """SKR-46, 71: the burst misses the shooter and knocks out the man who spots for him."""
    state = world([(20, 20), (21.05, 20)], [(20, 10)])
    state = change(change(state, "alpha-1", facing=180), "alpha-2", facing=180)
    state = change(state, "bravo-1", facing=0, watch=OpFire("bravo-1", "ak-47", "auto"))
    dice = Loaded(other=10, to_hit=[10, 1], location=[1], wound=[6])

    step = order(state, "alpha-1 fire bravo-1 with m16a2 single spotter alpha-2", dice)

    spotter = step.state.model("alpha-2")
    assert (spotter.condition, spotter.ap) == ("unconscious", 0)
    assert [event.who for event in of_kind(step, Fired)] == ["bravo-1"]


def test_who_is_killed_by_op_fire_is_not_tied_any_more():
    """SKR-46, 132: the burst misses who ties, and kills who would be tied."""
    state = world([(20, 20)], [(20, 10), (21.05, 20)])
    state = change(state, "bravo-2", overpowered="alpha-1", prone=True)
    state = change(state, "bravo-1", facing=0, watch=OpFire("bravo-1", "ak-47", "auto"))
    dice = Loaded(other=10, to_hit=[10, 1], location=[1], wound=[1])

    man = after(state, "alpha-1 tie bravo-2", dice).model("bravo-2")

    assert man.condition == "dead"


def test_who_is_kept_from_his_act_by_op_fire_is_told_so():
    """SKR-46, 97: he is hit and needs aid at once, so he does not fire; the AP are spent."""
    state = change(
        world([(20, 20)], [(20, 10)]), "bravo-1", watch=OpFire("bravo-1", "ak-47", "auto"), facing=0
    )
    state = change(state, "alpha-1", facing=180)
    dice = Loaded(other=10, to_hit=[1], location=[7], wound=[6])

    step = order(state, "alpha-1 fire bravo-1 with m16a2 single", dice)

    [told] = of_kind(step, Did)
    assert (told.who, told.act, told.readers) == ("alpha-1", "prevented", (0,))
    assert GAME.is_news(told, 0)
    assert step.state.model("alpha-1").ap == 8
    assert [event.who for event in of_kind(step, Fired)] == ["bravo-1"]


def test_who_is_hit_and_still_does_what_he_was_told_reads_nothing_of_it():
    state = change(
        world([(20, 20)], [(20, 10)]), "bravo-1", watch=OpFire("bravo-1", "ak-47", "auto"), facing=0
    )
    state = change(state, "alpha-1", facing=180)

    step = order(state, "alpha-1 fire bravo-1 with m16a2 single", Loaded(other=10))

    assert not of_kind(step, Did)


@pytest.mark.parametrize(
    "text",
    ["arc 90-170 at first", "range 5 at first", "at alpha-2", "at first chance 90"],
)
def test_op_fire_waits_while_its_order_is_not_met(text):
    """SKR-45: arc, range, at whom, and the least chance."""
    state = after(watching(text), "activate alpha-1")

    step = order(state, "alpha-1 walk to 10,14", Loaded(other=10))

    assert not of_kind(step, Fired)
    assert step.state.model("bravo-1").watch is not None


@pytest.mark.parametrize(("facing", "fires"), [(0, True), (359, False), (270, False)])
def test_op_fire_is_at_nobody_behind_him(facing, fires):
    """SKR-45, 53: a mate who faces the other way has told of the enemy."""
    state = world([(30, 20)], [(20, 20), (20, 24)])
    state = change(state, "bravo-2", facing=135)
    state = change(state, "bravo-1", watch=OpFire("bravo-1", "ak-47", "single"), facing=facing)

    step = order(state, "alpha-1 walk to 30,19", Loaded(other=10))

    assert bool(of_kind(step, Fired)) == fires


def test_who_waits_goes_on_waiting_when_another_has_struck_the_enemy_down():
    """SKR-45, 46: bravo-1 is first, by name; a 6 knocks out by the head."""
    state = world([(20, 20)], [(20, 10), (24, 10)])
    for name in ("bravo-1", "bravo-2"):
        state = change(state, name, facing=0, watch=OpFire(name, "ak-47", "single"))
    dice = Loaded(to_hit=[1], location=[1], armour=[10], wound=[6])

    state = after(state, "alpha-1 walk to 20,21", dice)

    assert state.model("alpha-1").condition == "unconscious"
    assert [state.model(name).watch is None for name in ("bravo-1", "bravo-2")] == [True, False]


def test_who_waits_rolls_one_miss_again_if_his_order_says_so():
    """SKR-45, 180: his first miss. By rules 3 an order could not say so."""
    state = after(watching("reroll", lists=("taliban", "rangers")), "activate alpha-1")
    dice = Loaded(to_hit=[10, 10, 10, 10], other=9)

    step = order(state, "alpha-1 walk to 10,14", dice)

    assert write(state.model("bravo-1").watch).endswith(" reroll")
    assert len(of_kind(step, Fired)) == 3
    assert dice.purposes().count("to hit") == 4
    assert step.state.model("bravo-1").rerolled
    old = world([(20, 10)], [(20, 30)], rules=3)
    assert refused(old, "alpha-1 opfire reroll").rule == "SKR-180"
    assert (
        refused(world([(20, 10)], lists=("taliban", "rangers")), "alpha-1 opfire reroll").rule
        == "SKR-180"
    )


def test_who_waits_aims_if_his_order_says_so():
    """SKR-45, 69, 87: one shot of four points, +1, at a man of whom little is in sight, too."""
    wall = Wall("wall", (4_000, 14_000, 14_000, 14_200), 800, "stone")
    more = {"lists": ("taliban", "rangers"), "features": [wall]}
    plain = after(watching("", **more), "activate alpha-1")
    aimed = after(watching("aimed", **more), "activate alpha-1")
    walk = "alpha-1 walk to 10,13"

    step = order(aimed, walk, Loaded(other=10))

    assert not of_kind(order(plain, walk, Loaded(other=10)), Fired)
    assert write(aimed.model("bravo-1").watch).endswith(" aimed")
    assert [("aimed", 1) in event.modifiers for event in of_kind(step, Fired)] == [True]


@pytest.mark.parametrize(
    ("rules", "lists", "said", "rule"),
    [
        (3, "rangers", "aimed", "SKR-45"),
        (4, "rangers", "burst aimed", "SKR-88"),
        (4, "militia", "aimed", "SKR-185"),
        (4, "rangers", "scope", "SKR-70"),
        (4, "rangers", "with sniper single aimed scope", "SKR-45"),
    ],
)
def test_an_aimed_wait_is_bound_as_an_aimed_shot_is(rules, lists, said, rule):
    """SKR-45, 70, 88, 185: and by its six points. By rules 3 nobody who waited aimed."""
    things = ("1: sniper", "") if "sniper" in said else ("", "")
    state = world([(20, 10)], [(20, 30)], lists=(lists, "taliban"), things=things, rules=rules)

    assert refused(state, f"alpha-1 opfire {said}").rule == rule


def test_op_fire_is_over_when_his_next_activation_begins():
    """SKR-45."""
    state = watching("at first")
    play = play_on(replace(state, done=()))
    activation.begin(play, 1, "bravo")

    assert play.models["bravo-1"].watch is None


def test_the_enemy_does_not_read_a_standing_order():
    state = world([(20, 10), (10, 10)], [(20, 30)])
    step = order(state, "alpha-1 opfire at bravo-1")

    assert all(event.readers == (0,) for event in of_kind(step, Watching))
    assert b"opfire" not in codec.encode(GAME.view(step.state, 1))


@pytest.mark.parametrize(
    ("arc", "ahead"), [("150-210", False), ("91-269", False), ("90-170", True)]
)
def test_an_arc_behind_him_is_refused(arc, ahead):
    """SKR-45, 53: he faces north. By rules 3 he waited for nobody."""
    now, before = (world([(20, 10)], rules=rules) for rules in (4, 3))

    assert after(before, f"alpha-1 opfire arc {arc}").model("alpha-1").watch
    if ahead:
        assert after(now, f"alpha-1 opfire arc {arc}").model("alpha-1").watch
    else:
        assert refused(now, f"alpha-1 opfire arc {arc}").rule == "SKR-53"
        turned = after(now, "alpha-1 face 180")
        assert after(turned, f"alpha-1 opfire arc {arc}").model("alpha-1").watch


def test_an_arc_that_goes_around_him_is_ahead_between_its_edges():
    """SKR-45, 53: both edges are behind him."""
    assert after(world([(20, 10)]), "alpha-1 opfire arc 200-160").model("alpha-1").watch


@pytest.mark.parametrize("order", ["opfire with m67", "fire bravo-1 with m67", "opfire with knife"])
def test_what_is_no_gun_is_refused_as_that(order):
    """SKR-45, 63: he has two of them, so that he has none would be untrue."""
    caught = refused(world([(20, 10)], [(20, 30)]), f"alpha-1 {order}")

    assert str(caught.sentence) == f"“{order.split()[-1]}” is no gun."


@pytest.mark.parametrize("order", ["opfire", "fire bravo-1"])
def test_who_has_no_gun_reads_that(order):
    """SKR-63."""
    state = change(world([(20, 10)], [(20, 30)]), "alpha-1", arms=())

    assert str(refused(state, f"alpha-1 {order}").sentence) == "alpha-1 has no gun."
