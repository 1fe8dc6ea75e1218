"""Deployment zones, and legal places in them: SKR-16 to 19."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec.structs import replace

from engine.dice import Dice
from engine.errors import IllegalMove
from engine.games.skirmish.ground import geometry
from engine.games.skirmish.ground.geometry import INCH, Point, Rect
from engine.games.skirmish.ground.terrain import BASE, GROUND
from engine.games.skirmish.moves import Deploy, Placement
from engine.games.skirmish.play import scenario, terrain_of
from engine.games.skirmish.state import Model, State

#: The facing of each side as it deploys.
FACING = {"south": 0, "north": 180}


def zone(state: State, seat: int) -> Rect:
    """SKR-19: the strip along the seat's edge."""
    depth, table = scenario(state.options).depth, state.table
    if state.sides[seat] == "south":
        return (0, 0, table.width, depth)
    return (0, table.depth - depth, table.width, table.depth)


def own_models(state: State, seat: int) -> list[Model]:
    return [model for model in state.models if model.seat == seat]


def stand(model: Model, place: Placement) -> Model:
    """The model where it was placed."""
    return replace(
        model, x=place.x, y=place.y, floor=place.floor, facing=place.facing, prone=place.prone
    )


def check_deploy(state: State, seat: int, deploy: Deploy) -> None:
    """Checks: every own model once, on valid ground, in the zone, no bases overlapping."""
    names = [model.name for model in own_models(state, seat)]
    placed = [place.model for place in deploy.places]
    if sorted(placed) != sorted(names):
        missing = [name for name in names if name not in placed]
        if missing:
            raise IllegalMove(
                "{missing} must be placed too.", rule="SKR-19", missing=", ".join(missing)
            )
        raise IllegalMove("Place each of your models once.", rule="SKR-19")
    strip, ground = zone(state, seat), terrain_of(state)
    for number, place in enumerate(deploy.places):
        at = (place.x, place.y)
        if not geometry.inside(strip, at):
            raise IllegalMove(
                "{model} must stand within {depth} inches of your edge.",
                rule="SKR-19",
                model=place.model,
                depth=scenario(state.options).depth // INCH,
            )
        if place.floor not in ground.grounds or not ground.grounds[place.floor].holds(at):
            raise IllegalMove("{model} cannot stand there.", rule="SKR-51", model=place.model)
        if not 0 <= place.facing < 360:
            raise IllegalMove("A direction is from 0 to 359 degrees.", rule="SKR-53")
        for other in deploy.places[:number]:
            if other.floor == place.floor and geometry.distance(at, (other.x, other.y)) < BASE:
                raise IllegalMove(
                    "{one} and {other} stand on each other.",
                    rule="SKR-48",
                    one=place.model,
                    other=other.model,
                )


def _spots(strip: Rect, near_edge_first: bool) -> Iterator[Point]:
    """Places of a strip 1.5" apart, row by row from the edge, from the middle outwards."""
    west, south, east, north = strip
    rows = list(range(south + 1500, north, 1500))
    if not near_edge_first:
        rows = [south + north - y for y in rows]
    for y in rows:
        for k in range((east - west) // 1500):
            offset = (k + 1) // 2 * 1500 * (1 if k % 2 else -1)
            spot = ((west + east) // 2 + offset, y)
            if geometry.inside(strip, spot):
                yield spot


def _lined_up(state: State, seat: int, spots: Iterable[Point]) -> Deploy:
    """The seat's men on the first of these places, facing the enemy."""
    facing = FACING[state.sides[seat]]
    return Deploy(
        tuple(
            Placement(model.name, spot[0], spot[1], GROUND, facing)
            for model, spot in zip(own_models(state, seat), spots, strict=False)
        )
    )


def default_deploy(state: State, seat: int) -> Deploy:
    """The default deployment: lines from the middle outwards, facing the enemy."""
    ground = terrain_of(state).grounds[GROUND]
    spots = _spots(zone(state, seat), state.sides[seat] == "south")
    return _lined_up(state, seat, filter(ground.holds, spots))


def random_deploy(state: State, seat: int, dice: Dice, where: str) -> Deploy:
    """A random legal deployment."""
    ground = terrain_of(state).grounds[GROUND]
    free = ground.held(list(_spots(zone(state, seat), True)))
    return _lined_up(state, seat, dice.shuffle(where, "places", free))
