"""The laws of ``engine.testing`` on every registered game, form and option. Seeds are saved here.

A failure names game, seats, options, seed and ply: enough to play it again.
"""

from functools import cache
from itertools import islice

import pytest

from engine.games.registry import BUILT_IN, games
from engine.games.skirmish import events as skirmish
from engine.simulation import play_match
from engine.testing import (
    Case,
    answers_tell_no_more_than_views,
    check_moment,
    moments,
    option_sets,
    other_worlds_differ,
    replay_gives_the_same,
)

pytestmark = pytest.mark.slow

#: Seeds of matches that once broke a law are kept here for good.
SEEDS = ("1", "2")
#: By these the rules themselves tell of what was hidden: dice, shots and what they do.
NEWS = {
    "skirmish": (
        skirmish.Rolled,
        skirmish.Fired,
        skirmish.Hit,
        skirmish.Wounded,
        skirmish.Changed,
        skirmish.TeamChecked,
        skirmish.Interrupted,
        skirmish.Exploded,
        skirmish.Struck,
        skirmish.Fought,
    )
}
FORMS = [(name, seats) for name, game in games().items() for seats in game.meta.seats]


@cache
def strangers_of(name, seats):
    """Moves from all over a match, to be tried where they do not belong."""
    log = play_match(games()[name], seats, seed="strangers", keep_log=True).log
    return [ply.move for ply in log[:: max(1, len(log) // 40)]]


def all_over(game, seats, seed, count):
    """So many moments of a match, or some more: from its beginning to its end."""
    every = [*moments(game, seats, seed=seed)]
    return [*every[: -1 : max(1, (len(every) - 1) // count)], every[-1]]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(("name", "seats"), FORMS)
def test_every_law_holds_throughout_a_match(name, seats, seed):
    game = games()[name]

    for moment in all_over(game, seats, seed, 25):
        check_moment(game, moment, strangers_of(name, seats))


@pytest.mark.parametrize(("name", "seats"), FORMS)
def test_every_law_holds_with_every_option(name, seats):
    game = games()[name]

    for options in option_sets(game, seats)[1:]:
        for moment in islice(moments(game, seats, options, seed="options", every=23), 8):
            check_moment(game, moment)


@pytest.mark.parametrize(("name", "seats"), FORMS)
def test_what_is_told_of_a_move_tells_no_secret_that_the_table_keeps(name, seats):
    game, compared, worlds = games()[name], 0, 0

    for moment in all_over(game, seats, "answers", 20):
        case = Case(game, moment)
        compared += answers_tell_no_more_than_views(case, NEWS.get(name, ()))
        worlds += any(case.world(seat) != case.state for seat in (None, *case.seats))

    # a game from outside may have no secrets, and then it has one world
    assert compared or (not worlds and name not in BUILT_IN)


@pytest.mark.parametrize(("name", "seats"), FORMS)
def test_every_match_ends_and_its_log_replays(name, seats):
    game = games()[name]

    for options in option_sets(game, seats):
        replay_gives_the_same(game, seats, options, seed="replay")


@pytest.mark.parametrize(("name", "seats"), FORMS)
def test_another_world_changes_what_only_others_know(name, seats):
    other_worlds_differ(games()[name], seats, seed="worlds")
