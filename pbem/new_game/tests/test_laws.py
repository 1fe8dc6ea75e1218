"""What must hold for every game, tried on this one by random play."""

from pbem_nim import GAME

from engine.testing import check_moment, moments, option_sets, replay_gives_the_same


def test_the_laws_hold() -> None:
    for seats in GAME.meta.seats:
        for options in option_sets(GAME, seats):
            replay_gives_the_same(GAME, seats, options, seed="1")
            for moment in moments(GAME, seats, options, seed="1", every=3):
                check_moment(GAME, moment)
