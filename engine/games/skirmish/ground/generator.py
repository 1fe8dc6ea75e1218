"""Random tables, from the match's own dice: houses, walls, trees, hedges and rubble."""

from __future__ import annotations

from typing import Literal

from engine.dice import Dice
from engine.games.skirmish.ground.geometry import Rect, grown
from engine.games.skirmish.ground.terrain import (
    Building,
    Feature,
    Opening,
    Rubble,
    TableForm,
    Tree,
    Wall,
)

SIZE = 48_000
WHERE = "table"


class Lots:
    """The ground that is still free, and random numbers to build on it."""

    def __init__(self, dice: Dice) -> None:
        self.dice = dice
        self.taken: list[Rect] = []

    def number(self, purpose: str, low: int, high: int) -> int:
        return low + self.dice.roll(WHERE, purpose, high - low + 1) - 1

    def lot(self, width: int, depth: int) -> Rect | None:
        """A free rectangle in whole inches, 2" from everything else; None after ten tries."""
        for _ in range(10):
            x = self.number("place", 3, 45 - width) * 1000
            y = self.number("place", 8, 40 - depth) * 1000
            rect = (x, y, x + width * 1000, y + depth * 1000)
            west, south, east, north = grown(rect, 2000)
            if all(
                east <= other[0] or other[2] <= west or north <= other[1] or other[3] <= south
                for other in self.taken
            ):
                self.taken.append(rect)
                return rect
        return None


def generate(dice: Dice) -> TableForm:
    """A random table; everything is between the deployment zones."""
    lots = Lots(dice)
    features: list[Feature] = []
    for number in range(lots.number("houses", 3, 6)):
        house = _house(lots, f"house{number + 1}")
        if house is not None:
            features.append(house)
    for number in range(lots.number("walls", 4, 8)):
        wall = _wall(lots, f"wall {number + 1}")
        if wall is not None:
            features.append(wall)
    for number in range(lots.number("rubble", 1, 3)):
        rect = lots.lot(lots.number("size", 3, 6), lots.number("size", 3, 6))
        if rect is not None:
            features.append(Rubble(f"rubble {number + 1}", rect))
    for number in range(lots.number("trees", 4, 12)):
        rect = lots.lot(1, 1)
        if rect is not None:
            features.append(Tree(f"tree {number + 1}", (rect[0] + 500, rect[1] + 500), 350))
    return TableForm("generated", "A new place", SIZE, SIZE, tuple(features))


def _house(lots: Lots, name: str) -> Building | None:
    width, depth = lots.number("size", 4, 8), lots.number("size", 4, 8)
    rect = lots.lot(width, depth)
    if rect is None:
        return None
    levels = lots.number("levels", 1, 2)
    materials: tuple[Literal["wood", "stone", "concrete"], ...] = ("wood", "stone", "concrete")
    material = materials[lots.number("material", 0, 2)]
    sides: tuple[Literal["north", "east", "south", "west"], ...] = (
        "north",
        "east",
        "south",
        "west",
    )
    door = lots.number("door", 0, 3)
    openings = []
    for level in range(levels):
        for number, side in enumerate(sides):
            middle = (width if side in ("north", "south") else depth) * 500
            kind: Literal["door", "window"] = "door" if number == door and level == 0 else "window"
            openings.append(Opening(side, middle, kind, level))
    stairs = (rect[2] - 800, rect[3] - 800) if levels == 2 else None
    return Building(name, rect, levels, material, tuple(openings), stairs)


def _wall(lots: Lots, name: str) -> Wall | None:
    long, across = lots.number("size", 3, 8), lots.number("turn", 0, 1)
    rect = lots.lot(1, long) if across else lots.lot(long, 1)
    if rect is None:
        return None
    kind = lots.number("kind", 0, 2)
    if kind == 0:
        return Wall(name, _thin(rect, 600), 700, "leaves", True)
    return Wall(name, _thin(rect, 300), 500 if kind == 1 else 1200, "stone")


def _thin(rect: Rect, thick: int) -> Rect:
    if rect[2] - rect[0] > rect[3] - rect[1]:
        return (rect[0], rect[1], rect[2], rect[1] + thick)
    return (rect[0], rect[1], rect[0] + thick, rect[3])
