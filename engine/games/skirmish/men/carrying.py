"""Carrying, and the place of a man who is put down or falls: SKR-140, 141."""

from __future__ import annotations

from engine.games.skirmish.ground import geometry
from engine.games.skirmish.ground.geometry import Point
from engine.games.skirmish.ground.scene import takes_room
from engine.games.skirmish.ground.terrain import BASE
from engine.games.skirmish.play import Play


def carrier_or_load(play: Play, who: str) -> str:
    """SKR-141: a projectile or a blow at a carrier and his load hits the carried man on D10 1-5.

    Blasts roll for each of them and do not use this.
    """
    model = play.models[who]
    pair = (model.carrying, who) if model.carrying else (who, model.carried_by)
    if not pair[0] or not pair[1]:
        return who
    return pair[0] if play.roll("carrier or carried", 5, who=who) <= 5 else pair[1]


def let_go(play: Play, who: str) -> None:
    """Puts down the man he carries, and makes his own carrier put him down."""
    model = play.models[who]
    if model.carrying:
        put_down(play, who)
    if model.carried_by:
        put_down(play, model.carried_by)


def put_down(play: Play, carrier: str) -> None:
    """Places the load beside its carrier."""
    load = play.models[carrier].carrying
    if load:
        man = play.models[carrier]
        play.put(carrier, carrying="")
        play.put(load, carried_by="", x=man.x, y=man.y, floor=man.floor)
        place_beside(play, carrier, load)


def place_beside(play: Play, who: str, load: str) -> None:
    """Places somebody on the nearest free place in base contact with another."""
    man = play.models[who]
    for direction in range(0, 360, 30):
        spot = geometry.towards(man.at, direction, BASE + 5)
        if free_place(play, load, spot, man.floor):
            play.put(load, x=spot[0], y=spot[1])
            return
    settle(play, load)


def settle(play: Play, name: str) -> None:
    """Moves a model that fell among others to the nearest free place."""
    model = play.models[name]
    if not takes_room(model):
        return
    for far in range(0, 12_000, 500):
        for direction in range(0, 360, 30):
            spot = geometry.towards(model.at, direction, far)
            if free_place(play, name, spot, model.floor):
                play.put(name, x=spot[0], y=spot[1])
                return


def free_place(play: Play, name: str, at: Point, floor: str) -> bool:
    """Whether a base fits there, given the ground and live models."""
    if not play.terrain.grounds[floor].holds(at):
        return False
    return not any(
        other.name != name
        and other.floor == floor
        and takes_room(other)
        and geometry.distance(at, other.at) < BASE
        for other in play.models.values()
    )
