"""What an order would come to, asked of a view alone: whether it stands, its AP, its chance.

The rules check orders against a state. A ``Desk`` makes one of what a seat's view holds: its own
models as they are, enemies in sight as far as they can be seen, and nobody else. So a page can say
beforehand what an order costs and why it is refused, and knows no more than its reader.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import msgspec

from engine.dice import NoDice
from engine.errors import IllegalMove, Sentence
from engine.games.skirmish import moves as m
from engine.games.skirmish import notation
from engine.games.skirmish.combat import blasts, chances, close, fire, grenades, structures
from engine.games.skirmish.combat.chances import Chance
from engine.games.skirmish.data.library import Abilities, library, weapon
from engine.games.skirmish.ground import geometry
from engine.games.skirmish.ground.geometry import Point
from engine.games.skirmish.ground.terrain import GROUND, Floor
from engine.games.skirmish.movement.movement import NEAR_LINK
from engine.games.skirmish.orders import acts
from engine.games.skirmish.play import Play, scenario
from engine.games.skirmish.state import Contact, Model, State, Tally, Team

if TYPE_CHECKING:
    from engine.games.skirmish.view import Seen, View

#: An enemy's abilities are not asked about: nothing a page says depends on them.
UNKNOWN = Abilities(wp=5, wk=5, cq=5, st=5, ft=5, hp=5, ml=5, cc=5)
#: Where climbs over something low are tried: so far in each of eight directions.
STEPS = (1500, 2000, 2500)
#: From how far inside or outside a wall one climbs it.
BESIDE = 700


class Area(msgspec.Struct, frozen=True):
    """Where something would burst, how far it reaches, and how far astray it may come down."""

    at: Point
    floor: str
    radius: int
    #: The farthest that a miss comes down from the mark; 0 for what cannot miss.
    scatter: int
    #: Whom the seat knows to be within the radius, nearest first.
    within: tuple[str, ...]


class Foretold(msgspec.Struct, frozen=True):
    """What an order comes to before any die."""

    ap: int
    #: What the model has left afterwards.
    left: int
    #: Of the first die, for shots and throws.
    chance: Chance | None = None
    dice: int = 0
    #: Of what bursts or smokes.
    area: Area | None = None


class Mark(msgspec.Struct, frozen=True):
    """A throw or a shell that stands now, and what it comes to."""

    order: str
    told: Foretold


class Climb(msgspec.Struct, frozen=True):
    """A place that can be climbed to from where a model stands."""

    at: Point
    floor: str
    ap: int


class Desk:
    """The table as one seat knows it, for asking the rules."""

    def __init__(self, view: View) -> None:
        assert view.seat is not None
        self.seat = view.seat
        self.play = Play(_state(view, view.seat), NoDice(), "")
        self.play.eyes = view.seat

    def cost(self, move: m.ModelMove) -> int:
        """AP, or IllegalMove with the reason."""
        return acts.check_act(self.play, self.seat, move)

    def refusal(self, move: m.ModelMove) -> Sentence | None:
        """Why an order does not stand, if it does not."""
        try:
            self.cost(move)
        except IllegalMove as error:
            return error.sentence
        return None

    def foretell(self, move: m.ModelMove) -> Foretold | None:
        """None where the order does not stand."""
        try:
            ap = self.cost(move)
        except IllegalMove:
            return None
        left = self.play.models[move.model].ap - ap
        match move:
            case m.Fire():
                mode = weapon(move.weapon).mode(move.mode)
                shot = self._shot(move)
                area = self._area(move.weapon, *self._shot_at(move), shot)
                return Foretold(ap, left, shot, mode.dice if mode else 0, area)
            case m.Throw():
                thrown = grenades.throw_chance(self.play, move)
                area = self._area(move.grenade, *grenades.mark_of(self.play, move), thrown)
                return Foretold(ap, left, thrown, 1, area)
        return Foretold(ap, left)

    def _shot_at(self, move: m.Fire) -> tuple[Point, str]:
        floor = self.play.models[move.target].floor if move.target else move.floor
        return fire.end_of(self.play, move), floor

    def _area(self, name: str, at: Point, floor: str, chance: Chance) -> Area | None:
        """SKR-102, 113: what a weapon covers from a mark, and how far off it may fall."""
        kind = weapon(name)
        if kind.blast is not None:
            radius = len(kind.blast.rings) * geometry.INCH
        elif kind.smoke is not None:
            radius = kind.smoke.radius
        else:
            return None
        centre = blasts.Centre(*at, blasts.floor_under(self.play, at, floor))
        within = tuple(model.name for model, _ in blasts.victims(self.play, centre, radius))
        scatter = chances.deviation(blasts.DEVIATION, chance.distance)
        return Area(at, centre.floor, radius, scatter, within)

    def marks(self, name: str) -> list[Mark]:
        """Throws and shells at whom and what the seat knows of, those that stand and reach."""
        out = []
        for move in self._marks_of(self.play.models[name]):
            told = self.foretell(move)
            if told is not None and told.chance is not None and told.chance.reaches:
                out.append(Mark(notation.write(move), told))
        return out

    def _marks_of(self, model: Model) -> Iterator[m.Fire | m.Throw]:
        contacts = self.play.state.contacts[self.seat]
        seen = [c.model for c in contacts if c.seen and c.condition != "dead"]
        spots = [((c.x, c.y), c.floor) for c in contacts if not c.seen]
        spots += [((place.x, place.y), GROUND) for place in scenario(self.play.state).objectives]
        for item, _ in model.stock:
            if item in library().weapons and weapon(item).kind == "grenade":
                yield from (m.Throw(model.name, item, target) for target in seen)
                yield from (m.Throw(model.name, item, spot=at, floor=on) for at, on in spots)
        for arm in model.arms:
            if not arm.loaded or weapon(arm.weapon).blast is None:
                continue
            for mode in weapon(arm.weapon).modes:
                for at, on in spots:
                    yield m.Fire(model.name, arm.weapon, mode.name, spot=at, floor=on)
                for house in self.play.terrain.buildings:
                    for level in structures.levels_standing(self.play, house):
                        yield m.Fire(model.name, arm.weapon, mode.name, building=house, level=level)

    def _shot(self, move: m.Fire) -> Chance:
        play, kind = self.play, weapon(move.weapon)
        shooter = play.models[move.model]
        if not move.target:
            return fire.spot_chance(play, shooter, move, kind, fire.end_of(play, move))
        target = play.models[move.target]
        return chances.to_hit(
            play.scene,
            play.state.options,
            shooter,
            target,
            kind,
            move.mode,
            aimed=move.aimed,
            scope=move.scope,
            spotter=bool(move.spotter),
        )

    def climbs(self, name: str) -> list[Climb]:
        """Where a model can climb to now, the cheapest way to each floor or over each thing."""
        model = self.play.models[name]
        best: dict[tuple[str, int], Climb] = {}
        for goal, floor in self._climb_goals(model):
            at = _tidy(goal)
            move = m.Travel(name, "climb", (at,), floor)
            try:
                climb = Climb(at, floor, self.cost(move))
            except IllegalMove:
                continue
            # over something on the same floor, each direction is another place
            key = (floor, 0 if floor != model.floor else geometry.bearing(model.at, at))
            if key not in best or climb.ap < best[key].ap:
                best[key] = climb
        return list(best.values())

    def _climb_goals(self, model: Model) -> Iterator[tuple[Point, str]]:
        ground = self.play.terrain
        for link in ground.links:
            for this, other in ((link.low, link.high), (link.high, link.low)):
                if this == model.floor and geometry.distance(link.at, model.at) <= NEAR_LINK:
                    yield link.at, other
        here = ground.floors[model.floor]
        for name, floor in ground.floors.items():
            rise = floor.height - here.height
            if rise > 0 and floor.building:
                yield fire.wall_spot(model.at, _inner(floor)), name
            elif rise < 0:
                for spot in _outer(here, model.at):
                    yield spot, name
        for direction in range(0, 360, 45):
            for far in STEPS:
                yield geometry.towards(model.at, direction, far), model.floor

    def blows(self, name: str) -> list[m.Attack | m.Tackle | m.Tie]:
        """What a model can do to the enemies whose bases touch his."""
        model = self.play.models[name]
        out: list[m.Attack | m.Tackle | m.Tie] = []
        for foe in self.play.side(1 - self.seat):
            if foe.condition == "dead" or not self.play.touching(model, foe):
                continue
            out += [m.Attack(name, foe.name, thing) for thing in close.hand_weapons(model)]
            out += [m.Tackle(name, foe.name), m.Tie(name, foe.name)]
        return [move for move in out if self.refusal(move) is None]


def _tidy(at: Point) -> Point:
    """To a tenth of an inch, as people write it."""
    return (round(at[0], -2), round(at[1], -2))


def _inner(floor: Floor) -> tuple[int, int, int, int]:
    west, south, east, north = floor.rect
    return (west + BESIDE, south + BESIDE, east - BESIDE, north - BESIDE)


def _outer(floor: Floor, at: Point) -> Iterator[Point]:
    """Places at the foot of the walls around somebody upstairs."""
    west, south, east, north = floor.rect
    yield from ((west - BESIDE, at[1]), (east + BESIDE, at[1]))
    yield from ((at[0], south - BESIDE), (at[0], north + BESIDE))


def _state(view: View, seat: int) -> State:
    """A state of what the view holds."""
    others = tuple(_model(seen) for seen in view.others if seen.seen)
    contacts = tuple(_contact(seen) for seen in view.others)
    teams = {model.team: Team(model.team, model.seat, model.faction) for model in view.own}
    return State(
        options=view.options,
        table=view.table,
        stage="activation",
        turn=view.turn,
        chooser=seat,
        models=(*view.own, *others),
        teams=tuple(teams.values()),
        active=view.active,
        done=view.done,
        devices=view.devices,
        lying=view.lying,
        smoke=view.smoke,
        collapsed=view.collapsed,
        breaches=view.breaches,
        levels=view.levels,
        contacts=(contacts, ()) if seat == 0 else ((), contacts),
        tallies=(Tally(()), Tally(())),
        demands=(view.demands, view.demands),
        rules=view.rules,
    )


def _model(seen: Seen) -> Model:
    """An enemy as far as he can be seen."""
    return Model(
        name=seen.name,
        team=seen.team,
        number=int(seen.name.rpartition("-")[2]),
        seat=seen.seat,
        faction="",
        role="second",
        abilities=UNKNOWN,
        hp=UNKNOWN.hp,
        x=seen.x,
        y=seen.y,
        floor=seen.floor,
        facing=seen.facing,
        prone=seen.prone,
        condition=seen.condition,  # type: ignore[arg-type]
        gait=seen.gait,  # type: ignore[arg-type]
        flashed=seen.flashed,
        broken="broken" if seen.broken else "",
        carried_by=seen.carried_by,
    )


def _contact(seen: Seen) -> Contact:
    return Contact(
        model=seen.name,
        turn=seen.turn,
        seen=seen.seen,
        share=seen.share,
        x=seen.x,
        y=seen.y,
        floor=seen.floor,
        facing=seen.facing,
        prone=seen.prone,
        condition=seen.condition,  # type: ignore[arg-type]
        broken=seen.broken,
        gait=seen.gait,  # type: ignore[arg-type]
        flashed=seen.flashed,
        bleeding=seen.bleeding,
    )
