"""Shots at somebody who is hand to hand: SKR-93, 105, 132b."""

import pytest

from engine.games.skirmish.combat import chances
from engine.games.skirmish.events import Hit, Rolled
from tests.engine.games.skirmish.world import Loaded, change, of_kind, order, world


@pytest.mark.parametrize(("die", "victim"), [(5, "bravo-1"), (6, "alpha-2")])
def test_firing_into_a_fight_may_hit_a_friend(die, victim):
    """SKR-132b: one against one: 5 or less hits the enemy."""
    state = world([(20, 10), (21, 25)], [(20, 25), (44, 44)])
    dice = Loaded(to_hit=[1], into_melee=[die], location=[6], wound=[8])

    step = order(state, "alpha-1 fire bravo-1", dice)

    assert of_kind(step, Hit)[0].who == victim
    assert chances.melee_number(1, 1) == 5


@pytest.mark.parametrize(("rules", "need"), [(3, 5), (4, 4)])
def test_a_melee_counts_from_its_first_man_to_its_last(rules, need):
    """SKR-132b: the source's three friends and two enemies, in a row; by rules 3 not all."""
    row = [(20, 10), (19, 25), (21, 25), (23, 25)]
    state = world(row, [(20, 25), (22, 25)], rules=rules)
    dice = Loaded(to_hit=[1], into_melee=[4], location=[6], wound=[10])

    step = order(state, "alpha-1 fire bravo-1", dice)

    assert [e.need for e in of_kind(step, Rolled) if e.purpose == "into melee"] == [need]


@pytest.mark.parametrize("die", [1, 2, 3])
def test_a_shot_that_goes_astray_may_hit_any_friend_of_the_melee(die):
    """SKR-132b."""
    row = [(20, 10), (19, 25), (21, 25), (23, 25)]
    state = world(row, [(20, 25), (22, 25)])
    dice = Loaded(to_hit=[1], into_melee=[5], which_friend=[die], location=[6], wound=[10])

    step = order(state, "alpha-1 fire bravo-1", dice)

    assert of_kind(step, Hit)[0].who == f"alpha-{die + 1}"


@pytest.mark.parametrize(("rules", "stopped"), [(3, "cover"), (4, "")])
def test_a_friend_who_is_hit_in_a_fight_is_no_cover_for_himself(rules, stopped):
    """SKR-93, 132b: he hides his opponent's arm; by rules 3 that was his own cover as well."""
    state = world([(10, 10), (10.6, 19.2)], [(10, 20)], rules=rules)
    dice = Loaded(to_hit=[1], into_melee=[10], location=[9], cover=[10], wound=[10])

    [hit] = of_kind(order(state, "alpha-1 fire bravo-1", dice), Hit)

    assert (hit.who, hit.location, hit.stopped) == ("alpha-2", "right arm", stopped)


@pytest.mark.parametrize(("rules", "victim"), [(3, "bravo-1"), (4, "alpha-2")])
def test_a_rocket_into_a_fight_may_strike_a_friend(rules, victim):
    """SKR-105, 132b: as a bullet does. By rules 3 it always struck the enemy."""
    things, lists = ("1: rpg-7", ""), ("taliban", "rangers")
    state = world([(20, 10), (21, 25)], [(20, 25)], lists=lists, things=things, rules=rules)
    dice = Loaded(to_hit=[1], into_melee=[6], location=[6], wound=[10])

    step = order(state, "alpha-1 fire bravo-1 with rpg-7", dice)

    assert of_kind(step, Hit)[0].who == victim


@pytest.mark.parametrize(("rules", "rolled"), [(3, True), (4, False)])
def test_a_shot_at_an_unconscious_man_is_none_into_a_melee(rules, rolled):
    """SKR-132b: a friend stands over him. By rules 3 he could be hit."""
    state = world([(20, 10), (20, 20)], [(20, 21), (40, 44)], rules=rules)
    state = change(state, "alpha-2", x=21_000, y=21_000)
    state = change(state, "bravo-1", condition="unconscious", prone=True)
    dice = Loaded(to_hit=[1], other=9)

    order(state, "alpha-1 fire bravo-1", dice)

    assert ("into melee" in dice.purposes()) == rolled
