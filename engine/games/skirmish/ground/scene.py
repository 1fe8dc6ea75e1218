"""The table at one moment, for sight and fire: terrain, models, smoke, and darkness."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import msgspec

from engine.games.skirmish.ground import geometry
from engine.games.skirmish.ground.geometry import Point
from engine.games.skirmish.ground.terrain import BASE, LYING, STANDING, Terrain

#: The distance of two centres in base contact, with a small tolerance.
CONTACT = BASE + 60


class Cloud(msgspec.Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """Smoke, and its remaining turns: SKR-62."""

    x: int
    y: int
    radius: int
    turns: int


class Figure(Protocol):
    """The facts about a model on the table; both states and views have it."""

    @property
    def name(self) -> str: ...
    @property
    def x(self) -> int: ...
    @property
    def y(self) -> int: ...
    @property
    def floor(self) -> str: ...
    @property
    def facing(self) -> int: ...
    @property
    def prone(self) -> bool: ...
    @property
    def condition(self) -> str: ...
    @property
    def carried_by(self) -> str: ...


class Scene(msgspec.Struct, frozen=True, gc=False):
    """What is on the table for sight and fire."""

    terrain: Terrain
    figures: Sequence[Figure]
    smoke: tuple[Cloud, ...] = ()
    night: bool = False

    def height(self, figure: Figure) -> int:
        return self.terrain.height(figure.floor)

    def eye(self, figure: Figure) -> int:
        """SKR-58: the height of his eye above the table, at nine tenths of his own."""
        return self.height(figure) + tall(figure) * 9 // 10


def tall(figure: Figure) -> int:
    return LYING if figure.prone else STANDING


def spot_of(figure: Figure) -> Point:
    return (figure.x, figure.y)


def takes_room(figure: Figure) -> bool:
    """SKR-50, 140: whether his base is on the table: not a dead man's, nor his who is carried."""
    return figure.condition != "dead" and not figure.carried_by


def touching(a: Figure, b: Figure) -> bool:
    """Whether they are in base contact."""
    return a.floor == b.floor and geometry.distance(spot_of(a), spot_of(b)) <= CONTACT


def gap(scene: Scene, a: Figure, b: Figure) -> int:
    """SKR-1: the distance from base to base, at least 0."""
    rise = 0 if a.floor == b.floor else scene.height(a) - scene.height(b)
    return max(0, geometry.distance(spot_of(a), spot_of(b), rise) - BASE)
