"""What an order gives away before it is carried out: nothing that its giver does not see."""

import pytest
from msgspec.structs import replace

from engine import codec
from engine.games.skirmish import GAME
from engine.games.skirmish.events import Changed, Exploded, Fired, Interrupted
from engine.games.skirmish.ground.terrain import Wall
from engine.games.skirmish.state import Device, Lying
from tests.engine.games.skirmish.world import (
    Loaded,
    after,
    change,
    looked,
    of_kind,
    order,
    play_on,
    refused,
    world,
)

#: Between the two sides of these tests, and too high to look over.
WALL = Wall("w", (10_000, 15_000, 30_000, 15_300), 3000, "stone")
MINE = Device("mine-1", "mine", 1, "bravo-1", 22_000, 10_000, "ground")


def apart(**switches):
    """Two sides that do not see each other."""
    return world([(20, 10), (24, 10)], [(20, 20), (24, 20)], features=[WALL], **switches)


def unseeing(state):
    """The same with everybody of seat 0 looking the other way, who has seen nobody yet."""
    blind = (replace(m, facing=180, sees=(), known=()) if m.seat == 0 else m for m in state.models)
    return replace(state, models=tuple(blind), contacts=((), state.contacts[1]))


NAMING = [
    "fire {name}",
    "fire {name} aimed",
    "throw m67 at {name}",
    "attack {name}",
    "tackle {name}",
    "tie {name}",
    "bandage {name}",
    "rouse {name}",
    "carry {name}",
    "demand {name}",
]


@pytest.mark.parametrize("text", NAMING)
@pytest.mark.parametrize("condition", ["fit", "dead", "unconscious", "captured"])
def test_an_enemy_out_of_sight_is_refused_like_one_who_does_not_exist(text, condition):
    """SKR-58: whoever is named, the sentence is the same, and so is the rule."""
    state = change(apart(), "bravo-1", condition=condition)

    unseen = refused(state, "alpha-1 " + text.format(name="bravo-1"))
    nobody = refused(state, "alpha-1 " + text.format(name="bravo-9"))

    assert unseen.rule == nobody.rule
    assert str(unseen).replace("bravo-1", "X") == str(nobody).replace("bravo-9", "X")


@pytest.mark.parametrize(
    "text", ["reload", "place mine at 20,10.5 facing 0", "drop m67", "fix bayonet", "prone"]
)
def test_a_preview_does_not_tell_that_somebody_waits_to_fire(text):
    """SKR-46: whether an order reveals, and so may be looked at before, is the same in both."""
    state = world([(20, 10), (22, 10)], [(20, 30)], things=("1: mine", ""))
    state = change(state, "alpha-1", arms=(replace(state.model("alpha-1").arms[0], loaded=1),))
    watch = GAME.parse(
        replace(state, chooser=1, active=replace(state.active, seat=1, members=("bravo-1",))),
        1,
        "bravo-1 opfire chance 10",
    )
    watched = change(state, "bravo-1", watch=watch)

    calm, shot = order(state, f"alpha-1 {text}"), order(watched, f"alpha-1 {text}")

    assert codec.encode(GAME.view(state, 0)) == codec.encode(GAME.view(watched, 0))
    assert len(shot.events) > len(calm.events)
    assert calm.reveals
    assert shot.reveals


@pytest.mark.parametrize(("rules", "last"), [(3, "alpha-1 opfire"), (4, "alpha end")])
def test_a_preview_of_the_last_order_does_not_tell_whether_an_unseen_enemy_can_go_on(rules, last):
    """SKR-23: who is next when it ends the activation may hang on a man nobody saw fall."""
    state = unseeing(world([(20, 10)], [(40, 40), (44, 44)], rules=rules))
    few = tuple(m for m in state.models if m.name in ("alpha-1", "bravo-1", "bravo-2"))
    able = replace(state, models=few, done=("bravo-1",))
    out = tuple(replace(m, condition="unconscious") if m.name == "bravo-2" else m for m in few)
    fallen = replace(able, models=out)

    here, there = (order(one, last) for one in (able, fallen))

    assert codec.encode(GAME.view(able, 0)) == codec.encode(GAME.view(fallen, 0))
    assert (here.state.turn, there.state.turn) == (1, 2)
    assert here.reveals
    assert there.reveals


def test_a_way_that_an_unseen_enemy_blocks_is_told_only_by_going():
    """SKR-48: its check, its price and the ground one can reach are the same; he stops before."""
    free = world([(20, 10)], [(40, 40)])
    blocked = world([(20, 10)], [(40, 40), (20, 13)])
    free, blocked = unseeing(free), unseeing(blocked)
    text = "alpha-1 walk to 20,15"

    here, there = GAME.view(free, 0), GAME.view(blocked, 0)

    assert codec.encode(here) == codec.encode(there)
    assert GAME.choices(here) == GAME.choices(there)
    assert GAME.parse(free, 0, text) == GAME.parse(blocked, 0, text)
    assert list(GAME.legal_moves(free, 0)) == list(GAME.legal_moves(blocked, 0))
    assert after(free, text).model("alpha-1").at == (20_000, 15_000)
    assert after(blocked, text).model("alpha-1").y < 12_100


def test_an_enemys_mine_is_nowhere_until_somebody_steps_on_it():
    """SKR-165: not in the view, not in what can be reached, not in a refusal."""
    clear = world([(20, 10)], [(40, 40)])
    mined = replace(clear, devices=(MINE,))

    assert codec.encode(GAME.view(mined, 0)) == codec.encode(GAME.view(clear, 0))
    assert codec.encode(GAME.view(mined, None)) == codec.encode(GAME.view(clear, None))
    assert GAME.choices(GAME.view(mined, 0)) == GAME.choices(GAME.view(clear, 0))
    assert str(refused(mined, "alpha-1 trigger mine-1")) == str(
        refused(clear, "alpha-1 trigger mine-1")
    )
    assert of_kind(order(mined, "alpha-1 walk to 23,10"), Exploded)


def test_a_chance_is_reckoned_with_those_in_sight_only():
    """SKR-66, 89: who stands behind a wall changes no chance and no share."""
    state = world([(20, 10)], [(40, 10), (20, 20)], features=[WALL])
    more = world([(20, 10)], [(40, 10), (20, 25)], features=[WALL])

    lines = GAME.view(state, 0).sightlines

    assert [line.target for line in lines] == ["bravo-1"]
    assert lines == GAME.view(more, 0).sightlines
    assert GAME.choices(GAME.view(state, 0)) == GAME.choices(GAME.view(more, 0))


def test_a_line_of_fire_does_not_tell_that_it_hit_somebody_unseen():
    """SKR-102: a grenade over the wall hurts whom it hurts; the map's line says nothing of it."""
    blind = unseeing(world([(20, 10)], [(20, 25)], lists=("airborne", "taliban")))
    aware = looked(replace(blind, models=tuple(replace(m, facing=0) for m in blind.models)))

    for state, told in ((blind, False), (aware, True)):
        done = after(state, "alpha-1 fire 20.5,25 with m203", Loaded(other=1))
        assert done.model("bravo-1").hp < 5
        assert done.shots[-1].hit is told


def from_behind(x, **values):
    """Who stands at x" is about to fire at a man who looks the other way."""
    state = change(world([(x, 10)], [(20, 20)], **values), "bravo-1", facing=0)
    blind = (replace(m, sees=(), known=()) if m.seat else m for m in state.models)
    return replace(state, models=tuple(blind), contacts=(state.contacts[0], ()))


def read(step, seat):
    """What a seat reads of a step, and sees after it."""
    told = [codec.encode(event) for event in step.events if event.readable_by(seat)]
    return told, codec.encode(GAME.view(step.state, seat))


@pytest.mark.parametrize(("rules", "alike"), [(3, False), (4, True)])
@pytest.mark.parametrize("weapon", ["m16a2", "m203"])
def test_fire_by_somebody_unseen_does_not_tell_where_he_is(rules, alike, weapon):
    """SKR-60: by rules 3 his name, his range and the line of his fire were told."""
    here, there = from_behind(16, rules=rules), from_behind(21, rules=rules)
    dice = {"to_hit": [1], "location": [2], "wound": [9]}
    text = f"alpha-1 fire bravo-1 with {weapon}"

    steps = [order(state, text, Loaded(**dice)) for state in (here, there)]

    assert read(steps[0], 0) != read(steps[1], 0)
    assert (read(steps[0], 1) == read(steps[1], 1)) == alike
    assert [event.who for event in of_kind(steps[0], Fired) if event.readable_by(1)] == [
        "" if alike else "alpha-1"
    ]
    assert [e.who for e in of_kind(steps[0], Fired) if GAME.shown_at_the_end(e)] == ["alpha-1"]


def test_who_waits_unseen_to_fire_is_not_named_when_he_does():
    """SKR-46, 60: the order of the man he fires at is interrupted by somebody."""
    state = world([(20, 10)], [(20, 20)])
    watch = GAME.parse(state, 0, "alpha-1 opfire")
    state = change(from_behind(20), "alpha-1", watch=watch)
    blind = (replace(m, sees=(), known=()) if m.seat else m for m in state.models)
    active = replace(state.active, seat=1, who="bravo", members=("bravo-1",))
    state = replace(
        state, models=tuple(blind), contacts=(state.contacts[0], ()), active=active, chooser=1
    )

    step = order(state, "bravo-1 drop 30 7.62", seat=1)

    told = [event for event in step.events if event.readable_by(1)]
    assert {type(e): e.who for e in told if isinstance(e, Interrupted | Fired)} == {
        Interrupted: "",
        Fired: "",
    }
    assert not [shot for shot in GAME.view(step.state, 1).shots if shot.shooter == "alpha-1"]


def test_who_threw_is_not_told_to_those_who_do_not_see_him():
    state = apart()
    hidden = play_on(state)
    seen = play_on(world([(20, 10)], [(20, 20)]))

    assert hidden.doer("alpha-1", "bravo-1") == ""
    assert seen.doer("alpha-1", "bravo-1") == "alpha-1"
    assert hidden.doer("alpha-1", "alpha-1") == "alpha-1"


def test_who_bandages_is_told_only_to_those_who_see_both():
    state = world([(20, 14), (21, 14)], [(20, 30)])
    state = change(state, "alpha-1", hp=2)
    hidden = replace(state, contacts=(state.contacts[0], state.contacts[1][:1]))

    told = [
        of_kind(order(one, "alpha-2 bandage alpha-1"), Changed)[0].readers
        for one in (state, hidden)
    ]

    assert told == [(0, 1), (0,)]


def test_a_thing_within_reach_is_before_ones_eyes():
    """SKR-36: what an order may pick up, the view shows."""
    behind = Lying("m67", 1, 0, 20_000, 9_300, "ground")
    state = replace(world([(20, 10)]), lying=(behind,))

    assert GAME.view(state, 0).lying == (behind,)
    assert after(state, "alpha-1 pick up m67", Loaded()).lying == ()
