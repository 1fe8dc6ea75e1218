"""What a seat can choose in each stage: orders that stand, and reasons for those that do not."""

import pytest
from msgspec.structs import replace

from engine.dice import SeededDice
from engine.errors import IllegalMove, OrderError
from engine.game import MAX_ORDER
from engine.games.skirmish import GAME, moves
from engine.games.skirmish.examples import examples
from engine.games.skirmish.ground.terrain import Building, Wall
from engine.games.skirmish.meta import SkirmishOptions
from engine.games.skirmish.notation import read, write
from engine.games.skirmish.state import Lying, Wounds
from engine.testing import Case, choices_are_what_they_say, moments, options_in
from tests.engine.games.skirmish.world import Loaded, after, change, refused, world

HOUSE = Building("house", (18_000, 20_000, 24_000, 26_000), 2, "stone", (), stairs=(23_000, 25_000))


def choices(state, seat=0):
    return GAME.choices(GAME.view(state, seat))


def man(state, name="alpha-1"):
    return next(one for one in choices(state).men if one.model.name == name)


def orders(options):
    return [option.order for option in options]


@pytest.mark.parametrize(
    "switches",
    [
        {},
        {"table": "bridge", "scenario": "night-raid", "deployment": "turns"},
        {"table": "compound", "hidden_enemies": False, "immobilized_may_act": True},
    ],
)
def test_whatever_is_offered_stands_and_whatever_is_not_is_refused(switches):
    stages, offered = set(), 0
    for moment in moments(GAME, 2, SkirmishOptions(turn_limit=2, **switches), "choices"):
        if moment.ply > 8 and moment.ply % 7:
            continue
        choices_are_what_they_say(Case(GAME, moment))
        for seat in GAME.phase(moment.state).pending:
            found = choices(moment.state, seat)
            stages.add(found.stage)
            offered += len(list(options_in(found)))

    assert stages >= {"building", "deployment", "choosing", "activation", "orders"}
    assert offered > 1000


def test_who_has_nothing_to_decide_has_no_choices():
    state = world([(20, 10)], [(20, 30)])

    assert choices(state, 1) is None
    assert GAME.choices(GAME.view(state, None)) is None
    assert GAME.choices(GAME.view(replace(state, stage="over"), 0)) is None


def test_each_list_that_can_be_raised_has_the_prices_of_its_upgrade():
    state = GAME.setup(2, SkirmishOptions(points=300), SeededDice(b"x")).state

    found = choices(state)

    offers = {
        (one.faction.name, one.upgrade): {offer.name: offer.points for offer in one.offers}
        for one in found.lists
    }
    assert offers[("marines", "meu-soc")] != offers[("marines", "")]
    assert all(one.points <= found.limit == 300 for one in found.ready)
    assert read(found.example)


def test_ready_made_deployments_stand_and_the_first_is_where_the_fields_begin():
    state = GAME.setup(2, SkirmishOptions(), SeededDice(b"x")).state
    for seat, text in ((0, "build rangers"), (1, "build rangers")):
        state = GAME.apply(state, seat, GAME.parse(state, seat, text), SeededDice(b"x")).state
    state = after(state, "side south", SeededDice(b"x"), state.chooser)

    found = choices(state, 0)

    assert [GAME.parse(state, 0, order) for order in orders(found.ready)]
    assert read(found.ready[0].order).places == found.places
    assert read(found.example)


def test_a_way_upstairs_stays_on_its_floor():
    """SKR-33: floors are changed by climbing, so a way must name the one he is on."""
    state = change(
        world([(4, 4)], features=[HOUSE]), "alpha-1", x=20_500, y=22_500, floor="house-1"
    )

    ways = man(state).gaits[0].ways

    assert ways
    assert all(order.endswith(" on house-1") for order in orders(ways))
    assert after(state, ways[-1].order).model("alpha-1").floor == "house-1"


def beside(state, gait, name="alpha-1"):
    """The orders that lead this man into base contact, by whom he comes to."""
    found = next(one for one in man(state, name).gaits if one.name == gait)
    return {way.places[0]: way.order for way in found.ways if way.places}


def test_a_way_leads_to_each_enemy_he_can_get_at():
    """SKR-119, 122: what is fought hand to hand must be in base contact."""
    state = world([(20, 10)], [(20.3, 16.7), (24.2, 10), (20, 40)])

    ways = beside(state, "run")
    there = after(state, ways["bravo-1"])

    assert set(ways) == {"bravo-1", "bravo-2"}
    assert "alpha-1 tackle bravo-1" in orders(man(there).blows)


def test_a_way_leads_around_a_wall_to_an_enemy_behind_it():
    wall = Wall("wall", (17_000, 12_000, 23_000, 12_300), 800, "stone")
    state = world([(20, 10)], [(20, 13.2)], features=[wall])

    there = after(state, beside(state, "run")["bravo-1"])

    assert "alpha-1 attack bravo-1 with unarmed" in orders(man(there).blows)


def test_a_way_leads_to_a_friend_who_needs_aid():
    """SKR-133, 140: whoever bandages or carries him must be in base contact."""
    state = world([(20, 10), (23, 10), (26, 10)])
    state = change(state, "alpha-2", hp=2, wounds=Wounds(bleeding=True))

    ways = beside(state, "walk")

    assert set(ways) == {"alpha-2"}
    assert "alpha-1 bandage alpha-2" in orders(man(after(state, ways["alpha-2"])).others)


def test_no_way_leads_to_whom_he_touches_already():
    state = world([(20, 10)], [(20, 11)])

    assert beside(state, "walk") == {}


def test_whoever_may_be_carried_can_be_taken_up():
    """SKR-140: a wounded friend, a bound or unconscious enemy, and nobody else."""
    state = world([(20, 10), (21, 10), (19, 10)], [(20, 11), (20, 9)])
    state = change(state, "alpha-2", hp=2)
    state = change(state, "bravo-1", condition="captured")
    state = change(state, "bravo-2", condition="unconscious", prone=True)

    offered = [order for order in orders(man(state).others) if " carry " in order]

    assert offered == [f"alpha-1 carry {name}" for name in ("alpha-2", "bravo-1", "bravo-2")]


def test_whoever_is_out_of_action_can_be_bandaged_friend_or_enemy():
    """SKR-133."""
    state = world([(20, 10)], [(20, 11), (20, 9), (21, 10)])
    state = change(state, "bravo-1", condition="captured")
    state = change(state, "bravo-2", condition="unconscious", prone=True)

    offered = [order for order in orders(man(state).others) if " bandage " in order]

    assert offered == [f"alpha-1 bandage {name}" for name in ("bravo-1", "bravo-2")]


def test_who_ran_into_contact_with_his_last_points_is_offered_the_tackle():
    """SKR-29, 132: it costs none."""
    state = change(world([(20, 10)], [(20, 16)]), "alpha-1", ap=3)

    state = after(state, "alpha-1 run to 20,15")

    assert orders(man(state).blows) == ["alpha-1 tackle bravo-1"]
    assert moves.Tackle("alpha-1", "bravo-1") in list(GAME.legal_moves(state, 0))


def test_who_has_overpowered_an_enemy_is_offered_to_tie_him_and_may_shoot_at_others():
    """SKR-132, 132c: who is held down fights nobody."""
    state = after(world([(20, 10)], [(20, 16), (20, 36)]), "alpha-1 run to 20,15")

    state = after(state, "alpha-1 tackle bravo-1", Loaded(tackle=[1]))
    offered = man(replace(state, models=tuple(replace(m, last_act="") for m in state.models)))

    assert "alpha-1 tie bravo-1" in orders(offered.blows)
    assert any(target.shots for target in offered.targets)


def test_who_has_something_blunt_is_offered_to_knock_an_enemy_out():
    """SKR-131."""
    state = world([(20, 20)], [(20, 21)])
    knockout = "alpha-1 attack bravo-1 with club knockout"

    assert [order for order in orders(man(state).blows) if "knockout" in order] == [knockout]
    assert write(GAME.parse(state, 0, "alpha-1 attack bravo-1 knockout")) == knockout


def test_whom_another_carries_is_not_offered_to_be_taken_up():
    """SKR-140."""
    state = world([(20, 20)], [(20, 21), (20, 21)])
    state = change(state, "bravo-1", carrying="bravo-2")
    state = change(state, "bravo-2", carried_by="bravo-1", condition="unconscious")

    offered = orders(man(state).others)

    assert "alpha-1 bandage bravo-2" in offered
    assert "alpha-1 carry bravo-2" not in offered


def test_an_enemy_in_sight_has_his_shots_and_the_reasons_for_those_that_are_barred():
    """SKR-64: an enemy within 10" comes first."""
    state = world([(20, 10)], [(20, 16), (26, 30)])

    near, far = man(state).targets

    told = refused(state, "alpha-1 fire bravo-2 with m16a2 single")
    assert near.best in near.shots
    assert near.shots[0].places == ("bravo-1",)
    assert far.shots == ()
    assert far.best is None
    assert told.sentence in [option.why_not for option in far.barred]


def test_the_shots_likeliest_to_do_harm_come_first():
    state = world([(20, 10)], [(20, 30)])

    [target] = man(state).targets

    worth = [shot.chance.percent * shot.dice for shot in target.shots]
    assert worth == sorted(worth, reverse=True)
    assert len(set(worth)) > 1
    assert target.best == target.shots[0]


def test_who_has_no_ap_left_is_offered_what_takes_none():
    """SKR-7."""
    state = change(world([(20, 10), (24, 10)], [(20, 30)]), "alpha-1", ap=0)

    spent = man(state)

    assert spent.able
    assert (spent.gaits, spent.targets, spent.waits) == ((), (), ())
    assert "alpha-1 face 90" in orders(spent.turns)
    assert "alpha-1 prone" in orders(spent.others)


def test_who_cannot_be_ordered_is_offered_nothing():
    """SKR-146."""
    state = change(world([(20, 10), (24, 10)], [(20, 30)]), "alpha-1", broken="broken")

    assert not man(state).able
    assert list(options_in(man(state))) == []


def test_other_orders_are_those_that_stand():
    state = world([(20, 10), (21, 10)], [(20, 30), (40, 40)])
    state = change(state, "alpha-2", wounds=Wounds(bleeding=True))
    loaded = tuple(replace(arm, loaded=3) for arm in state.model("alpha-1").arms)
    state = change(state, "alpha-1", arms=loaded)

    found = man(state)

    others = " | ".join(orders((*found.others, *found.waits)))
    for part in ("opfire", "reload", "bandage alpha-2", "prone"):
        assert part in others, part
    assert {gait.name for gait in found.gaits} == {"walk", "run"}
    assert {target.name for target in found.targets} == {"bravo-1", "bravo-2"}


@pytest.mark.parametrize("facing", [0, 90, 200])
def test_who_sets_a_claymore_as_it_is_offered_is_not_in_its_cone(facing):
    """SKR-170."""
    state = world([(20, 20), (21, 20)], [(20, 40)], things=("1: claymore", ""))
    state = change(state, "alpha-1", facing=facing)
    [offered] = [order for order in orders(man(state).others) if " place claymore " in order]

    state = after(after(state, offered), "alpha-1 trigger claymore-1")

    assert state.model("alpha-1").fit


def test_who_sets_a_mine_as_it_is_offered_can_go_away_from_it():
    """SKR-165."""
    state = world([(20, 20)], [(20, 40)], things=("1: mine", ""))
    [offered] = [order for order in orders(man(state).others) if " place mine " in order]

    state = after(after(state, offered), "alpha-1 walk to 20,17")

    assert [device.kind for device in state.devices] == ["mine"]


def test_a_shell_into_a_building_where_nobody_is_known_is_not_among_the_best():
    state = world([(28, 4)], [(8, 20), (20, 40)], features=[HOUSE], scenario="hold")

    found = man(state)

    assert [order for order in orders(found.marks) if " building " in order]
    assert not [order for order in orders(found.best_marks) if " building " in order]
    chances = [mark.percent for mark in found.best_marks]
    assert chances == sorted(chances, reverse=True)


def test_a_page_lists_the_orders_of_one_man_and_how_all_can_wait_and_fire():
    state = world([(20, 10), (22, 10), (24, 10)], [(20, 20)])
    view = GAME.view(state, 0)
    all_of_them = choices(state)

    for one in all_of_them.men:
        found = GAME.choices_about(view, one.model.name)
        assert found.about == one.model.name
        assert one in found.men
        others = [man for man in found.men if man != one]
        assert [(man.able, man.gaits, man.targets, man.turns) for man in others] == [
            (True, (), (), ())
        ] * 2
        assert [man.waits for man in found.men] == [man.waits for man in all_of_them.men]
        assert found.ending == all_of_them.ending


def test_as_many_things_are_offered_to_be_picked_up_as_he_can_pay_for():
    """SKR-36: two of three grenades for two points."""
    state = change(world([(20, 10)]), "alpha-1", ap=2)
    state = replace(state, lying=(Lying("m67", 3, 0, 20_000, 10_000, "ground"),))

    assert "alpha-1 pick up 2 m67" in orders(man(state).others)
    assert moves.PickUp("alpha-1", "m67", 2) in GAME.legal_moves(state, 0)


def test_nobodys_name_means_the_man_who_has_most_ap():
    state = world([(20, 10), (22, 10), (24, 10)], [(20, 20)])
    state = change(change(state, "alpha-1", condition="dead"), "alpha-2", ap=4)

    for name in ("", "bravo-1", "nobody", "alpha-9"):
        assert GAME.choices_about(GAME.view(state, 0), name).about == "alpha-3"
    assert GAME.choices_about(GAME.view(state, 0), "alpha-2").about == "alpha-2"


def test_what_is_chosen_hangs_on_nobody_out_of_sight():
    wall = Wall("w", (10_000, 15_000, 30_000, 15_300), 3000, "stone")
    state = world([(20, 10), (22, 10)], [(20, 20), (24, 20)], features=[wall])

    other = GAME.other_world(state, 0, SeededDice.from_text("elsewhere"))

    assert other != state
    assert choices(other) == choices(state)


def test_the_numbers_of_op_fire_are_those_of_the_rules():
    """SKR-39, 45: what a page offers is what the check takes, and its default the notation's."""
    state = world([(20, 10)], [(20, 30)])
    waiting = choices(state).waiting

    for chance in waiting.least_chances:
        GAME.parse(state, 0, f"alpha-1 opfire chance {chance}")
    for chance in (min(waiting.least_chances) - 1, max(waiting.least_chances) + 1):
        refused(state, f"alpha-1 opfire chance {chance}")

    assert read("alpha-1 opfire").chance == waiting.least_chance
    done = after(state, "alpha-1 opfire with m16a2 single")
    assert 10 - done.model("alpha-1").ap == waiting.ap


def test_every_example_of_the_notation_is_read_as_it_was_written():
    shown = examples("alpha-2", "bravo-1", "alpha-3")

    for example in shown:
        for order in example.orders:
            assert write(read(order)) == order
    assert len(shown) > 10


# --- fields ---


def compose(state, seat=0, **picked):
    fields = {name.replace("_", "-"): value for name, value in picked.items()}
    return GAME.compose(GAME.view(state, seat), fields)


def test_a_force_is_composed_of_lists_upgrades_and_things():
    state = GAME.setup(2, SkirmishOptions(), SeededDice(b"x")).state

    force = compose(
        state,
        list_1="rangers",
        member_1_1="motorola nvg",
        list_4="marines",
        upgrade_4="meu-soc",
        member_4_3="sniper",
    )

    assert force == "build rangers (1: motorola nvg) + marines meu-soc (3: sniper)"
    assert compose(state) == ""
    assert compose(state, list_1="no such list") == "build no such list"
    with pytest.raises(OrderError):
        GAME.parse(state, 0, compose(state, list_1="no such list"))


def test_a_deployment_is_composed_of_what_was_filled_in_and_the_rest_as_it_is():
    state = replace(world([(20, 2), (24, 2)], active=None), stage="deployment")
    default = GAME.default_move(state, 0)

    some = compose(state, **{"east_alpha-2": "30.04", "north_alpha-2": "3", "lying_alpha-2": "yes"})
    turned = compose(state, **{"facing_alpha-1": "370"})

    first, second, *others = read(some).places
    assert (first, *others) == (default.places[0], *default.places[2:])
    assert (second.x, second.y, second.prone, second.facing) == (30_000, 3_000, True, 0)
    assert read(turned).places[0].facing == 10
    assert compose(state) == ""


def test_op_fire_is_composed_of_its_parts():
    """SKR-45."""
    state = world([(20, 10)], [(20, 30)])

    order = compose(
        state,
        wait="alpha-1 opfire with m16a2 burst at first chance 10",
        to="60",
        range="24",
        at="bravo-1",
        chance="40",
        **{"from": "300"},
    )

    assert order == "alpha-1 opfire with m16a2 burst arc 300-60 range 24 at bravo-1 chance 40"
    assert GAME.parse(state, 0, order)
    assert compose(state, at="first", chance="10") == ""
    assert GAME.parse(state, 0, compose(state, wait="alpha-1 opfire"))


@pytest.mark.parametrize(
    "picked",
    [{"range": "0"}, {"range": "0.04"}, {"from": "0", "to": "360"}, {"from": "9", "to": "9"}],
)
def test_op_fire_that_would_watch_nothing_is_composed_of_no_fields(picked):
    """SKR-45: a range of 0, or an arc between one direction and itself."""
    state = world([(20, 10)], [(20, 30)])

    with pytest.raises(IllegalMove, match=r"reaches nobody|the same direction"):
        compose(state, wait="alpha-1 opfire", **picked)


def test_op_fire_is_offered_aimed_through_a_scope_and_rerolled_to_whom_it_is_allowed():
    """SKR-45, 69, 70, 180: what is offered is legal, and what is not is refused."""
    state = world([(20, 10), (22, 10)], [(20, 30)], things=("2: sniper", ""))

    rifle, *_ = man(state).waits
    scoped = next(one for one in man(state, "alpha-2").waits if " with sniper " in one.order)

    assert rifle.extras == ("aimed", "reroll")
    assert scoped.extras == ("aimed", "scope", "reroll")
    assert [one.name for one in choices(state).waiting.extras] == ["aimed", "scope", "reroll"]
    for one in (*man(state).waits, *man(state, "alpha-2").waits):
        for extra in ("aimed", "scope", "reroll"):
            order = compose(state, wait=one.order, **{extra: "yes"})
            if extra in one.extras:
                assert GAME.parse(state, 0, order)
            else:
                refused(state, order)
    both = compose(state, wait=rifle.order, aimed="yes", reroll="yes")
    assert both == f"{rifle.order} aimed reroll"


def test_op_fire_is_offered_plain_where_nothing_may_follow():
    """SKR-45: by rules 3 nobody who waited aimed."""
    state = world([(20, 10)], [(20, 30)], rules=3)

    assert {one.extras for one in man(state).waits} == {()}
    assert choices(state).waiting.extras == ()


@pytest.mark.parametrize(
    ("picked", "order"),
    [
        ({"tool": "face", "east": "25", "north": "10"}, "alpha-1 face 90"),
        ({"tool": "throw m67", "east": "20.04", "north": "18"}, "alpha-1 throw m67 at 20,18"),
        (
            {"tool": "throw m67", "east": "20", "north": "30", "target": "bravo-1"},
            "alpha-1 throw m67 at bravo-1",
        ),
        (
            {
                "tool": "throw m67",
                "east": "20",
                "north": "18",
                "floor": "inn-1",
                "target": "alpha-1",
            },
            "alpha-1 throw m67 at 20,18 on inn-1",
        ),
        (
            {"tool": "shell m203", "east": "20", "north": "30"},
            "alpha-1 fire 20,30 with m203 single",
        ),
        (
            {"tool": "wait", "east": "20", "north": "30", "chance": "40"},
            "alpha-1 opfire with m16a2 single arc 330-30 range 20 at first chance 40",
        ),
        (
            {
                "tool": "wait",
                "east": "20",
                "north": "30",
                "wait": "alpha-1 opfire with m16a2 burst at first chance 10",
            },
            "alpha-1 opfire with m16a2 burst arc 330-30 range 20 at first chance 10",
        ),
    ],
)
def test_what_is_pointed_at_becomes_an_order(picked, order):
    state = world([(20, 10)], [(20, 30)])

    assert compose(state, man="alpha-1", **picked) == order


@pytest.mark.parametrize(
    ("picked", "named"),
    [
        ({"card": "3"}, "card"),
        ({"list-1": "rangers"}, "list-1"),
        ({"wait": "alpha-1 prone"}, "alpha-1 prone"),
        ({"wait": "alpha-1 opfire", "chance": "many"}, "many"),
        ({"wait": "alpha-1 opfire", "from": "1e3", "to": "9"}, "1e3"),
        ({"tool": "dance", "man": "alpha-1", "east": "1", "north": "1"}, "dance"),
        ({"tool": "face", "man": "bravo-1", "east": "1", "north": "1"}, "face"),
        ({"tool": "face", "man": "alpha-1", "east": "-1", "north": "1"}, "-1"),
        ({"tool": "face", "man": "alpha-1", "east": "1"}, "face"),
    ],
)
def test_fields_that_say_no_order_are_refused_by_name(picked, named):
    state = world([(20, 10)], [(20, 30)])

    with pytest.raises(OrderError) as refused_:
        GAME.compose(GAME.view(state, 0), picked)

    assert not isinstance(refused_.value, IllegalMove)
    assert named in str(refused_.value)


def test_the_longest_force_is_one_order():
    force = moves.Build((moves.TeamOrder("rangers", "", (("motorola",),) * 4),) * 10)

    assert len(write(force)) < MAX_ORDER
