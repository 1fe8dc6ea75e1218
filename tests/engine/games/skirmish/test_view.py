"""What a seat sees, and what a page may ask."""

from msgspec.structs import replace

from engine import codec
from engine.dice import SeededDice
from engine.games.skirmish import GAME
from engine.games.skirmish.events import Fired, Moved, Sighted, Stood
from engine.games.skirmish.ground.terrain import Wall
from engine.games.skirmish.notation import read
from engine.games.skirmish.shown.planning import Desk
from tests.engine.games.skirmish.world import Loaded, after, change, of_kind, order, world

WALL = Wall("w", (10_000, 15_000, 30_000, 15_300), 3000, "stone")


def test_an_enemy_out_of_sight_is_not_in_the_view_in_any_way():
    state = world([(20, 10)], [(20, 20)], features=[WALL])

    shown = codec.encode(GAME.view(state, 0))

    assert b'"bravo-1"' not in shown
    assert GAME.view(state, 0).others == ()


def test_without_the_option_everybody_is_on_the_map():
    state = world([(20, 10)], [(20, 20)], features=[WALL], hidden_enemies=False)

    assert [m.name for m in GAME.view(state, 0).others] == ["bravo-1"]


def test_of_a_seen_enemy_one_sees_the_outside():
    state = world([(20, 10)], [(20, 30)])
    seen = GAME.view(state, 0).others[0]

    assert (seen.name, seen.seen, seen.x, seen.y, seen.prone) == (
        "bravo-1",
        True,
        20_000,
        30_000,
        False,
    )
    assert not {"hp", "ap", "stock", "watch", "arms"} & set(seen.__struct_fields__)


def test_an_onlooker_does_not_tell_a_player_which_of_his_men_are_seen():
    """Face to face or behind a wall: who looks on sees the same, until it is over."""
    hidden = world([(20, 10)], [(20, 20)], features=[WALL])
    seen = world([(20, 10)], [(20, 30)])

    assert GAME.view(hidden, None).others == GAME.view(seen, None).others == ()
    over = GAME.view(replace(hidden, stage="over"), None)
    assert {m.name for m in over.others} == {"alpha-1", "bravo-1"}


def test_an_onlooker_sees_everybody_where_nobody_is_hidden():
    state = world([(20, 10)], [(20, 20)], features=[WALL], hidden_enemies=False)

    assert {m.name for m in GAME.view(state, None).others} == {"alpha-1", "bravo-1"}


def test_what_the_enemy_saw_of_a_move_is_not_told_to_onlookers():
    seen = order(world([(20, 10)], [(20, 30)]), "alpha-1 prone")
    hidden = order(world([(20, 10)], [(20, 20)], features=[WALL]), "alpha-1 prone")

    assert [e.readers for e in of_kind(seen, Stood)] == [(0, 1)]
    assert [e.readers for e in of_kind(hidden, Stood)] == [(0,)]


def test_another_world_changes_whom_the_enemy_sees():
    state = world([(20, 10), (22, 10)], [(20, 30), (24, 30)])
    worlds = [GAME.other_world(state, 0, SeededDice.from_text(f"w {n}")) for n in range(9)]

    seen = {tuple(c.model for c in w.contacts[1] if c.seen) for w in worlds}

    assert len(seen) > 2
    assert {codec.encode(GAME.view(w, 0)) for w in worlds} == {codec.encode(GAME.view(state, 0))}


def test_when_it_is_over_every_event_is_told_once():
    """Of a way that both sides saw, the mover's own; sightings were one side's business."""
    step = order(world([(20, 10)], [(20, 30)]), "alpha-1 walk to 20,12")
    told = [event for event in step.events if GAME.shown_at_the_end(event)]

    assert len(of_kind(step, Moved)) == 2
    assert [event.readers for event in told if isinstance(event, Moved)] == [(0,)]
    left_out = [event for event in step.events if GAME.replaced_at_the_end(event)]
    assert [event.readers for event in left_out] == [(1,)]
    assert not GAME.shown_at_the_end(Sighted(who="bravo-1", at=(0, 0), floor="ground"))


def test_sightlines_tell_how_well_and_how_likely():
    """SKR-66: chance to hit with its modifiers listed."""
    state = world([(20, 10)], [(20, 20)])

    line = GAME.view(state, 0).sightlines[0]

    assert (line.model, line.target, line.share) == ("alpha-1", "bravo-1", 1000)
    assert (line.need, line.percent, line.modifiers) == (7, 70, (("range", 1),))


def test_a_page_may_ask_for_a_chance_before_it_confirms():
    """SKR-73, 75."""
    state = after(world([(20, 10)], [(20, 30)]), "alpha-1 walk to 20,11")
    seen = GAME.view(state, 0)

    odds = GAME.foretell(seen, read("alpha-1 fire bravo-1 with m16a2 burst")).chance

    assert odds.need == 6 - 1 - 2
    assert odds.modifiers == (("burst", -1), ("moved", -2))
    assert GAME.foretell(seen, read("alpha-1 fire bravo-9 with m16a2 burst")) is None


def test_the_page_and_the_rules_say_the_same_chance():
    state = change(world([(20, 10)], [(22, 33)]), "bravo-1", gait="ran")
    shot = read("alpha-1 fire bravo-1 with m16a2 single")
    odds = GAME.foretell(GAME.view(state, 0), shot).chance

    fired = of_kind(order(state, "alpha-1 fire bravo-1"), Fired)[0]

    assert (fired.need, fired.modifiers) == (odds.need, odds.modifiers)


def test_reachable_ground_has_its_cost_and_every_way_there_is_legal():
    state = world([(20, 10), (22, 10)], features=[WALL])

    ways = Desk(GAME.view(state, 0)).ways("alpha-1")

    assert len(ways) > 100
    for way in ways[:: len(ways) // 25]:
        corners = " then ".join(f"{x / 1000:g},{y / 1000:g}" for x, y in way.path)
        for gait, ap in (("walk", way.walk), ("run", way.run)):
            if ap is not None:
                done = after(state, f"alpha-1 {gait} to {corners}")
                assert done.model("alpha-1").ap == 10 - ap
                assert done.model("alpha-1").at == way.path[-1]


def test_the_last_shots_are_there_to_be_drawn():
    state = after(world([(20, 10)], [(20, 30)]), "alpha-1 fire bravo-1", Loaded(other=10))

    shot = GAME.view(state, 0).shots[0]

    assert (shot.shooter, shot.start, shot.end, shot.hit) == (
        "alpha-1",
        (20_000, 10_000),
        (20_000, 30_000),
        False,
    )


def test_how_far_an_activation_has_come_is_its_seats_own_knowledge():
    state = after(world([(20, 10)], [(20, 30)]), "alpha-1 face 10")

    assert GAME.view(state, 0).active.free_orders == 1
    assert GAME.view(state, 1).active == replace(state.active, members=(), free_orders=0)


def test_another_world_moves_the_hidden_and_keeps_the_view():
    state = world([(20, 10)], [(20, 20), (24, 20)], features=[WALL])

    world_ = GAME.other_world(state, 0, SeededDice.from_text("w"))

    assert codec.encode(GAME.view(world_, 0)) == codec.encode(GAME.view(state, 0))
    assert [m.at for m in world_.models if m.seat == 1] != [
        m.at for m in state.models if m.seat == 1
    ]
    assert [m for m in world_.models if m.seat == 0] == [m for m in state.models if m.seat == 0]


def test_when_it_is_over_everything_is_shown():
    state = replace(world([(20, 10)], [(20, 20)], features=[WALL]), stage="over")

    assert [m.name for m in GAME.view(state, 0).others] == ["bravo-1"]
