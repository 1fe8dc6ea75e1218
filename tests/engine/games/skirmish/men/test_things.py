"""What men carry and have dropped: SKR-36, 37."""

import pytest
from msgspec.structs import replace

from engine.games.skirmish import GAME
from engine.games.skirmish.ground.terrain import Wall
from engine.games.skirmish.men import morale, wounds
from engine.games.skirmish.state import Lying
from tests.engine.games.skirmish.world import (
    Loaded,
    after,
    change,
    order,
    play_on,
    refused,
    world,
)


def fallen(state, name, by="alpha-1"):
    """The same with somebody killed."""
    play = play_on(state)
    wounds.kill(play, name, by)
    return play.close()


def heap(state, seat):
    """What a seat sees on the ground."""
    return {(item.thing, item.count, item.loaded) for item in GAME.view(state, seat).lying}


def test_what_the_dead_had_is_picked_up_where_they_lie():
    """SKR-36: 1 AP an item; a strange weapon must still be made out."""
    state = fallen(world([(20, 10)], [(20, 10.9), (40, 44)]), "bravo-1")

    state = after(after(state, "alpha-1 pick up ak-47"), "alpha-1 pick up 30 7.62")

    man = state.model("alpha-1")
    assert (man.ap, man.arm("ak-47").loaded, man.count("7.62")) == (8, 30, 30)
    assert (state.model("bravo-1").arms, state.model("bravo-1").stock) == ((), ())
    assert refused(state, "alpha-1 fire bravo-2 with ak-47").rule == "SKR-9"


def test_what_a_captive_had_is_picked_up_beside_him():
    """SKR-36."""
    play = play_on(world([(20, 10)], [(20, 10.9)]))
    morale.surrender(play, "bravo-1", "alpha-1")

    state = after(play.close(), "alpha-1 pick up ak-47")

    assert state.model("alpha-1").arm("ak-47").loaded == 30


def test_an_unconscious_friend_gives_what_is_taken_and_keeps_the_rest():
    """SKR-36: he has his things when he wakes; his gun is taken with the rounds in it."""
    state = world([(20, 10), (30, 10), (21, 10), (24, 10)])
    state = change(state, "alpha-3", condition="unconscious", prone=True, hp=-1)
    assert refused(state, "alpha-4 pick up m249").rule == "SKR-36"

    state = after(after(state, "alpha-1 pick up m249"), "alpha-1 pick up 2 m67")

    man, friend = state.model("alpha-1"), state.model("alpha-3")
    assert (man.ap, man.arm("m249").loaded, man.count("m67")) == (7, 200, 4)
    assert (friend.arms, friend.count("m67"), friend.count("5.56")) == ((), 0, 10)
    assert state.lying == ()


def test_an_unconscious_enemy_keeps_what_he_has_until_he_is_tied():
    """SKR-36: his side would read on its own page that somebody is there."""
    state = world([(20, 10)], [(20, 11.05), (40, 44)])
    state = change(state, "bravo-1", condition="unconscious", prone=True, hp=-1)
    assert refused(state, "alpha-1 pick up ak-47").rule == "SKR-36"

    state = after(state, "alpha-1 tie bravo-1")

    assert ("ak-47", 1, 30) in heap(state, 0)
    assert after(state, "alpha-1 pick up ak-47").model("alpha-1").ap == 7


def test_what_an_enemy_fell_with_shows_at_hand_only():
    """SKR-36: his own side sees it from afar, as it sees what was dropped."""
    wall = Wall("wall", (18_000, 15_000, 22_000, 15_200), 2500, "stone")
    far = fallen(world([(20, 10)], [(20, 14), (20, 16)]), "bravo-1")
    near = fallen(world([(20, 13)], [(20, 14), (20, 16)]), "bravo-1")
    hidden = fallen(world([(20, 10)], [(20, 14), (20, 16)], features=[wall]), "bravo-1")

    seen = [heap(state, seat) for state in (far, near, hidden) for seat in (0, 1)]

    kit = {("ak-47", 1, 30), ("7.62", 30, 0)}
    assert seen == [set(), kit, kit, kit, set(), set()]


@pytest.mark.parametrize("rules", [3, 4])
def test_by_rules_3_the_fallen_keep_what_they_had(rules):
    """SKR-36."""
    state = fallen(world([(20, 10)], [(20, 10.9)], rules=rules), "bravo-1")

    assert bool(heap(state, 0)) == (rules == 4)
    assert bool(state.model("bravo-1").arms) == (rules == 3)


def lying(state, *things):
    """The same with things at the feet of alpha-1."""
    spot = state.model("alpha-1")
    return replace(state, lying=tuple(Lying(t, 1, 0, spot.x, spot.y, "ground") for t in things))


def test_strange_grenades_and_mines_are_made_out_first():
    """SKR-9, 10, 36: the chart gives each a difficulty, 2 and 6."""
    state = lying(world([(20, 10)], [(20, 20)], lists=("taliban", "rangers")), "m67", "claymore")
    state = after(after(state, "alpha-1 pick up m67"), "alpha-1 pick up claymore")
    assert refused(state, "alpha-1 throw m67 at bravo-1").rule == "SKR-9"
    assert refused(state, "alpha-1 place claymore at 20,10.5 facing 0").rule == "SKR-9"

    state = after(state, "alpha-1 learn m67", Loaded(weapon_knowledge=[8]))

    assert after(state, "alpha-1 throw m67 at bravo-1").model("alpha-1").ap == 2
    assert refused(state, "alpha-1 learn m67").rule == "SKR-9"
    assert order(state, "alpha-1 learn claymore", Loaded(weapon_knowledge=[5])).events[0].need == 4


def test_who_has_not_made_a_grenade_out_by_the_end_of_the_turn_never_will():
    """SKR-12: also not if he drops it and picks it up again."""
    state = lying(world([(20, 10)], lists=("taliban", "rangers")), "m67")
    state = after(state, "alpha-1 pick up m67")
    state = after(state, "alpha-1 learn m67", Loaded(weapon_knowledge=[9]))
    late = Loaded(**{"initiative of seat 2": [10]})
    state = after(after(state, "alpha end"), "bravo end", late, seat=1)
    state = after(after(state, "go first"), "activate alpha")

    again = after(after(state, "alpha-1 drop m67"), "alpha-1 pick up m67")

    assert refused(state, "alpha-1 learn m67").rule == "SKR-12"
    assert refused(again, "alpha-1 learn m67").rule == "SKR-12"


@pytest.mark.parametrize(
    ("list_", "buys", "thing"),
    [
        ("rangers", "", "m67"),
        ("rangers", "", "claymore"),
        ("taliban", "", "soviet-frag"),
        ("rangers", "1: smoke", "smoke"),
    ],
)
def test_what_is_of_his_list_or_was_bought_is_strange_to_nobody(list_, buys, thing):
    """SKR-9: also when he has none left and picks one up."""
    state = world([(20, 10)], [(20, 20)], lists=(list_, "rangers"), things=(buys, ""))
    for _ in range(state.model("alpha-1").count(thing)):
        state = after(state, f"alpha-1 drop {thing}")

    state = after(lying(state, thing), f"alpha-1 pick up {thing}")

    assert refused(state, f"alpha-1 learn {thing}").rule == "SKR-9"
    assert str(refused(state, f"alpha-1 learn {thing}")).startswith("alpha-1 has no strange")


def test_an_rpg_is_strange_to_nobody_whose_list_has_it():
    """SKR-9."""
    state = lying(world([(20, 10)], [(20, 30)], lists=("taliban", "rangers")), "rpg-7")

    state = after(state, "alpha-1 pick up rpg-7")

    assert state.model("alpha-1").arm("rpg-7").own


def test_by_rules_3_any_grenade_is_known():
    """SKR-9."""
    state = world([(20, 10)], [(20, 20)], lists=("taliban", "rangers"), rules=3)

    state = after(lying(state, "m67"), "alpha-1 pick up m67")

    order(state, "alpha-1 throw m67 at bravo-1")


def dropped_twice(things, rules=4):
    """alpha-1 has put down the same things two times."""
    state = world([(20, 10)], rules=rules)
    return after(after(state, f"alpha-1 drop {things}"), f"alpha-1 drop {things}")


@pytest.mark.parametrize(
    ("things", "all_", "ap"), [("1 m67", "2 m67", 8), ("30 5.56", "60 5.56", 9)]
)
def test_what_lies_in_two_piles_is_picked_up_by_one_order(things, all_, ap):
    """SKR-36: by rules 3 only the first pile was within reach."""
    state = after(dropped_twice(things), f"alpha-1 pick up {all_}")

    assert (state.lying, state.model("alpha-1").ap) == ((), ap)
    assert refused(dropped_twice(things, rules=3), f"alpha-1 pick up {all_}").rule == "SKR-36"


def test_some_of_the_second_pile_may_stay_there():
    """SKR-36: what is picked up comes from no third place."""
    state = after(dropped_twice("30 5.56"), "alpha-1 pick up 40 5.56")

    assert [item.count for item in state.lying] == [20]
    assert refused(state, "alpha-1 pick up 21 5.56").rule == "SKR-36"


@pytest.mark.parametrize(("rules", "loaded"), [(4, 12), (3, 0)])
def test_of_two_guns_the_one_with_rounds_is_picked_up(rules, loaded):
    """SKR-36: one by each order. By rules 3 it was the first that lay there."""
    state = world([(20, 10)], rules=rules)
    guns = tuple(Lying("ak-47", 1, rounds, 20_000, 10_000, "ground") for rounds in (0, 12))
    state = replace(state, lying=guns)

    taken = after(state, "alpha-1 pick up ak-47")

    assert taken.model("alpha-1").arm("ak-47").loaded == loaded
    assert len(taken.lying) == 1
    assert refused(state, "alpha-1 pick up 2 ak-47").rule == "SKR-36"


@pytest.mark.parametrize("worn", ["knife", "bayonet"])
def test_what_he_wears_is_not_dropped_and_he_reads_why(worn):
    """SKR-37: that he has none of it would be untrue."""
    caught = refused(world([(20, 10)]), f"alpha-1 drop {worn}")

    assert str(caught.sentence) == "alpha-1 keeps on him what he wears or has in his belt."
