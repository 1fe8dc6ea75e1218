"""One thing sets off another in one place, at once and to the end."""

import pytest

from engine.dice import NoDice
from engine.games.skirmish.combat import consequences
from engine.games.skirmish.combat.blasts import KilledOutright
from engine.games.skirmish.events import Hit
from engine.games.skirmish.men.wounds import Fallen
from engine.games.skirmish.play import Cause, Play
from tests.engine.games.skirmish.world import Loaded, change, of_kind, order, play_on, world


def causes(kind=Cause):
    """Every kind of cause that some module brings about."""
    for below in kind.__subclasses__():
        yield below
        yield from causes(below)


def test_a_worn_charge_has_done_its_work_before_the_next_fragment_flies():
    """SKR-188: of three within a grenade's reach, who is hit first wears a charge."""
    state = world([(20, 10)], [(20, 20), (21.5, 20), (21.5, 18)], lists=("rangers", "al-qaeda"))
    state = change(state, "bravo-1", vest_charge=True, hp=1)

    # the grenade's first fragment kills him; the charge then kills the two beside him
    step = order(state, "alpha-1 throw m67 at 20,20", Loaded(to_hit=[1], location=[1], wound=[1]))

    told = [getattr(e, "weapon", getattr(e, "what", "")) for e in step.events]
    assert [what for what in told if what in ("m67", "killed", "vest", "c4")] == [
        *("m67", "killed", "vest"),
        *("c4", "killed", "killed"),
    ]
    assert {hit.who for hit in of_kind(step, Hit)} == {"bravo-1"}


def test_what_follows_is_said_for_every_cause():
    handled = {name for name in consequences.follow.__code__.co_names if name[0].isupper()}

    assert {kind.__name__ for kind in causes()} == handled - {"Cause", "AssertionError"}


def test_nothing_happens_in_a_play_that_is_only_looked_at():
    state = world([(20, 10)])

    with pytest.raises(AssertionError, match="only looked at"):
        Play(state, NoDice(), "").follow(KilledOutright("alpha-1", ""))
    with pytest.raises(AssertionError, match="what follows"):
        consequences.follow(play_on(state), Cause())


def test_whoever_was_out_of_the_fight_is_not_lost_again():
    """SKR-145: his team counts him once."""
    play = play_on(world([(20, 10), (21.5, 10)]))

    play.follow(Fallen("alpha-1"))
    play.follow(Fallen("alpha-1", lost_now=False))

    assert play.team("alpha").lost_this_turn == 1
