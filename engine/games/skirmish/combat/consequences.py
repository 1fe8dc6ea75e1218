"""What follows from what: the one place where one thing sets off another.

Wounds, nerves, blasts and buildings do not know each other. Each hands on what it brings about, a
``Cause``, and here stands what comes of it. A cause is carried out to its end at once, before
whoever handed it on goes on: a vest that goes off in the middle of a burst has done its work before
the next bullet flies.
"""

from __future__ import annotations

from engine.games.skirmish.combat import blasts, structures
from engine.games.skirmish.men import morale, wounds
from engine.games.skirmish.play import Cause, Play


def follow(play: Play, cause: Cause) -> None:
    """Carries out what follows from a cause."""
    match cause:
        case blasts.Fragment(who, by, weapon, seen, faces, rating):
            wounds.strike(play, who, by, weapon, seen, faces=faces, rating=rating)
        case blasts.Torn(who, by):
            wounds.kill(play, who, by)
        case blasts.BurstBy(at, floor, weapon, rolls, reach):
            structures.burst_inside(play, at, floor, weapon, rolls, reach)
        case blasts.Breaching(hole, weapon):
            structures.breach(play, hole, weapon)
        case structures.Buried(who, rating):
            wounds.crush(play, who, rating)
        case wounds.Shaken(who, by_a_near_miss):
            morale.shell_shock(play, who, duck=by_a_near_miss)
        case wounds.Fallen():
            _fallen(play, cause)
        case _:
            raise AssertionError(f"nothing is said of what follows from {cause}")


def _fallen(play: Play, fallen: wounds.Fallen) -> None:
    """SKR-144, 145, 188: his team counts him, who saw it is shaken, and his vest goes off."""
    if fallen.lost_now:
        morale.count_losses(play, fallen.who)
    morale.witness(play, fallen.who, fallen.seers)
    if play.models[fallen.who].vest_charge:
        blasts.vest(play, fallen.who)
