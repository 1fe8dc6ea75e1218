"""What men carry and have dropped: SKR-36, 37."""

import pytest

from engine.games.skirmish import GAME
from engine.games.skirmish.ground.terrain import Wall
from engine.games.skirmish.men import morale, wounds
from tests.engine.games.skirmish.world import after, change, play_on, refused, world


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
