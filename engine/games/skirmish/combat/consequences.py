"""Cause and effect: the only module where one event triggers another.

Wounds, morale, blasts and buildings do not import each other. Each reports a ``Cause``, and this
module defines its effects. They are carried out completely before the reporting code continues: a
vest that explodes in the middle of a burst has taken effect before the next bullet.
"""

from __future__ import annotations

from engine.games.skirmish.combat import blasts, structures
from engine.games.skirmish.men import morale, wounds
from engine.games.skirmish.play import Cause, Play


def follow(play: Play, cause: Cause) -> None:
    """Carries out the effects of a cause."""
    match cause:
        case blasts.Fragment(who, by, weapon, seen, faces, rating):
            wounds.strike(play, who, by, weapon, seen, faces=faces, rating=rating)
        case blasts.KilledOutright(who, by):
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
            _man_down(play, cause)
        case _:
            raise AssertionError(f"nothing is said of what follows from {cause}")


def _man_down(play: Play, fallen: wounds.Fallen) -> None:
    """SKR-144, 145, 188: his team counts the loss, witnesses are shaken, his vest explodes."""
    if fallen.lost_now:
        morale.count_losses(play, fallen.who)
    morale.witness(play, fallen.who, fallen.seers)
    if play.models[fallen.who].vest_charge:
        blasts.vest(play, fallen.who)
