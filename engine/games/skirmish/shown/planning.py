"""The expected effect of an order, from a view alone: whether it is legal, its AP, its chance.

The rules check orders against a state. A ``Desk`` makes a state from a seat's view: its own models
as they are, enemies in sight as far as they can be seen, and nobody else. So a page can show in
advance what an order costs or why it is refused, and knows no more than its reader.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import cast

import msgspec
from msgspec.structs import replace

from engine.dice import NoDice
from engine.errors import IllegalMove, Sentence
from engine.games.skirmish import moves as m
from engine.games.skirmish.combat import (
    arms,
    blasts,
    chances,
    close,
    fire,
    grenades,
    structures,
    watching,
)
from engine.games.skirmish.combat.chances import Chance
from engine.games.skirmish.data.library import Abilities, Mode, library, weapon
from engine.games.skirmish.ground import geometry
from engine.games.skirmish.ground.geometry import INCH, Point
from engine.games.skirmish.ground.scene import Scene, takes_room, touching
from engine.games.skirmish.ground.terrain import BASE, GROUND, Floor
from engine.games.skirmish.movement import movement, reach
from engine.games.skirmish.movement.movement import NEAR_LINK, RUN_AP
from engine.games.skirmish.orders import acts
from engine.games.skirmish.play import Play, scenario
from engine.games.skirmish.shown import contours
from engine.games.skirmish.shown.contours import Ring
from engine.games.skirmish.shown.picture import sector
from engine.games.skirmish.sight import sight
from engine.games.skirmish.state import Contact, Model, State, Tally, Team
from engine.games.skirmish.view import Seen, View

#: Placeholder for an enemy's abilities: nothing on a page depends on them.
UNKNOWN = Abilities(wp=5, wk=5, cq=5, st=5, ft=5, hp=5, ml=5, cc=5)
#: Distances at which climbs over low obstacles are tried, in each of eight directions.
STEPS = (1500, 2000, 2500)
#: The AP of the rings around a man who walks or crawls.
RINGS = (3, 6, 10)


class Area(msgspec.Struct, frozen=True):
    """The centre of an explosion, its radius, and its maximum deviation."""

    at: Point
    floor: str
    radius: int
    #: The maximum deviation of a miss from the mark; 0 if it cannot miss.
    scatter: int
    #: Models known to be within the radius, nearest first.
    within: tuple[str, ...]


class Foretold(msgspec.Struct, frozen=True):
    """The effect of an order before any die is rolled."""

    ap: int
    #: The AP the model has left afterwards.
    left: int
    #: The chance of the first die, for shots and throws.
    chance: Chance | None = None
    dice: int = 0
    #: The area of an explosion or of smoke.
    area: Area | None = None
    #: For Op-Fire: the corners of the watched sector, and the AP for firing.
    sector: tuple[Point, ...] = ()
    shoot_ap: int = watching.SHOOT_AP


class Mark(msgspec.Struct, frozen=True):
    """A throw or a shell that is legal now, and its effect."""

    move: m.Fire | m.Throw
    told: Foretold


class Climb(msgspec.Struct, frozen=True):
    """A place that a model can climb to from its place."""

    at: Point
    floor: str
    ap: int
    move: m.Travel


class Way(msgspec.Struct, frozen=True):
    """A path on one floor, and its AP at each gait; None if he lacks the AP or may not."""

    path: tuple[Point, ...]
    walk: int | None
    run: int | None
    crawl: int | None
    #: Whom it leads to, into base contact; "" if to nobody.
    to: str = ""


class Shooting(msgspec.Struct, frozen=True):
    """A shot that can be ordered, its cost, and the chance of the first die."""

    move: m.Fire
    #: How much of the target the shooter sees, in thousandths.
    share: int
    mode: Mode
    chance: Chance
    #: Why the rules do not allow it now; None if they do.
    refusal: Sentence | None
    ap: int


def foretell(view: View, move: m.SkirmishMove) -> Foretold | None:
    """The effect of an order to a model of the seat; None for other moves and illegal orders."""
    model = getattr(move, "model", None)
    if view.active is None or view.active.seat != view.seat or model is None:
        return None
    return Desk(view).foretell(cast(m.ModelMove, move))


class Desk:
    """The table as one seat knows it, for queries to the rules."""

    def __init__(self, view: View) -> None:
        assert view.seat is not None
        self.view = view
        self.seat = view.seat
        self.play = Play(known_state(view), NoDice(), "")
        self.play.eyes = view.seat
        self._reached: dict[str, Reached | None] = {}

    @cached_property
    def scene(self) -> Scene:
        """The scene as far as the seat knows it."""
        return self.play.scene

    def takes_orders(self, name: str) -> bool:
        """Whether a model can be given any order now."""
        try:
            acts.actor(self.play, self.seat, name)
        except IllegalMove:
            return False
        return True

    def cost(self, move: m.ModelMove) -> int:
        """The cost in AP; raises IllegalMove with the reason."""
        return acts.check_order(self.play, self.seat, move)

    def refusal(self, move: m.ModelMove) -> Sentence | None:
        """Why an order is illegal; None if it is legal."""
        try:
            self.cost(move)
        except IllegalMove as error:
            return error.sentence
        return None

    def foretell(self, move: m.ModelMove) -> Foretold | None:
        """The effect of an order; None if it is illegal."""
        try:
            ap = self.cost(move)
        except IllegalMove:
            return None
        left = self.play.models[move.model].ap - ap
        match move:
            case m.Fire():
                mode = arms.mode_of(weapon(move.weapon), move.mode)
                shot = fire.chance_of(self.play, move)
                area = self._area(move.weapon, *self._shot_at(move), shot)
                return Foretold(ap, left, shot, mode.dice, area)
            case m.Throw():
                thrown = grenades.throw_chance(self.play, move)
                area = self._area(move.grenade, *grenades.mark_of(self.play, move), thrown)
                return Foretold(ap, left, thrown, 1, area)
            case m.OpFire() if move.weapon:
                watch = replace(move, reach=move.reach or weapon(move.weapon).reach())
                watcher = self.play.models[move.model]
                return Foretold(ap, left, sector=sector(watcher.at, watcher.facing, watch))
        return Foretold(ap, left)

    def _shot_at(self, move: m.Fire) -> tuple[Point, str]:
        floor = self.play.models[move.target].floor if move.target else move.floor
        return fire.end_of(self.play, move), floor

    def _area(self, name: str, at: Point, floor: str, chance: Chance) -> Area | None:
        """SKR-102, 113: the area a weapon covers around a mark, and its deviation."""
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
        """Throws and shells at known targets that are legal and in range."""
        out = []
        for move in self._marks_of(self.play.models[name]):
            told = self.foretell(move)
            if told is not None and told.chance is not None and told.chance.reaches:
                out.append(Mark(move, told))
        return out

    def _marks_of(self, model: Model) -> Iterator[m.Fire | m.Throw]:
        contacts = self.play.state.contacts[self.seat]
        seen = [c.model for c in contacts if c.seen and c.condition != "dead"]
        spots = [((c.x, c.y), c.floor) for c in contacts if not c.seen]
        spots += [
            ((place.x, place.y), GROUND) for place in scenario(self.play.state.options).objectives
        ]
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

    def climbs(self, name: str) -> list[Climb]:
        """Where a model can climb now: the cheapest climb to each floor or over each obstacle."""
        model = self.play.models[name]
        best: dict[tuple[str, int], Climb] = {}
        for goal, floor in self._climb_goals(model):
            at = geometry.tidy(goal)
            move = m.Travel(name, "climb", (at,), floor)
            try:
                climb = Climb(at, floor, self.cost(move), move)
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
                yield movement.inside_wall(floor, model.at), name
            elif rise < 0:
                for spot in _outer(here, model.at):
                    yield spot, name
        around = geometry.grown((*model.at, *model.at), max(STEPS) + geometry.TIDY)
        if ground.index.touched(geometry.corners(around)):
            for direction in range(0, 360, 45):
                for far in STEPS:
                    yield geometry.towards(model.at, direction, far), model.floor

    def blows(self, name: str) -> list[m.Attack | m.Tackle | m.Tie]:
        """A model's attacks on the enemies in base contact."""
        model = self.play.models[name]
        out: list[m.Attack | m.Tackle | m.Tie] = []
        for foe in self.play.side(1 - self.seat):
            if foe.condition == "dead" or not touching(model, foe):
                continue
            out += close.blows(model, foe.name)
            out += [m.Tackle(name, foe.name), m.Tie(name, foe.name)]
        return [move for move in out if self.refusal(move) is None]

    def shots(self, name: str) -> list[Shooting]:
        """A shot for each enemy in sight, weapon and mode; single shots plain and aimed."""
        shooter = self.view.own_model(name)
        if shooter is None or not shooter.fit:
            return []
        out = []
        for mark in self.view.others:
            if not mark.seen or mark.seat == self.seat or mark.condition in ("dead", "captured"):
                continue
            share = sight.look(self.scene, shooter, mark).body
            if share:
                out += [self._shooting(move, share) for move in _shots_at(shooter, mark)]
        return out

    def _shooting(self, move: m.Fire, share: int) -> Shooting:
        return Shooting(
            move,
            share,
            arms.mode_of(weapon(move.weapon), move.mode),
            fire.chance_of(self.play, move),
            self.refusal(move),
            fire.cost(move, self.view.options.spotter_pays),
        )

    def ways(self, name: str) -> list[Way]:
        """Every second place a model can reach, nearest first: more would crowd the map.

        And where he meets whom he may want to fight or help: no place of the lattice touches a man
        but by chance.
        """
        mover, found = self.view.own_model(name), self._reach(name)
        if mover is None or found is None:
            return []
        runs = movement.may_run(mover)
        out = [
            _way(mover, runs, spot)
            for spot in found.spots
            if spot.at != mover.at and sum(c // INCH for c in spot.at) % 2 == 0
        ]
        out += [_way(mover, runs, spot, to) for to, spot in found.beside.items()]
        far = 99
        return sorted(
            (way for way in out if (way.walk, way.run, way.crawl) != (None, None, None)),
            key=lambda way: (way.crawl or way.walk or far, way.run or far),
        )

    def rings(self, name: str, gait: m.Gaits) -> tuple[Ring, ...]:
        """How far 3, 6 and 10 AP, or all that a model has, take him; running, each stretch."""
        mover, found = self.view.own_model(name), self._reach(name)
        if mover is None or found is None:
            return ()
        steps = RINGS if gait != "run" else range(RUN_AP, mover.ap + 1, RUN_AP)
        bands = [ap for ap in steps if ap < mover.ap or gait == "run"]
        if gait != "run":
            bands.append(mover.ap)
        inch = _inch(mover, gait)
        on_lattice = (spot for spot in found.spots if _on_lattice(spot.at))
        costs = {spot.at: _thousandths(gait, spot, inch) for spot in on_lattice}
        return contours.rings(costs, bands, inch)

    def _reach(self, name: str) -> Reached | None:
        """Every place a model can reach with its path; None if he can go nowhere."""
        if name not in self._reached:
            self._reached[name] = self._search(name)
        return self._reached[name]

    def _search(self, name: str) -> Reached | None:
        mover = self.view.own_model(name)
        if mover is None or not self.takes_orders(name) or mover.wounds.immobilized:
            return None
        ways = movement.known_ways(self.play, self.seat)
        found = reach.Reach(ways, mover, _longest(mover, movement.may_run(mover)))
        others = [one for one in self._wanted(mover) if not touching(mover, one)]
        beside = zip(others, found.beside([one.at for one in others]), strict=True)
        return Reached(
            found.spots(found.nodes), {one.name: spot for one, spot in beside if spot is not None}
        )

    def _wanted(self, mover: Model) -> Iterator[Model]:
        """Those on his floor whom he may want to touch: enemies in sight, friends to be helped."""
        seen = {foe.name for foe in self.view.others if foe.seen and foe.seat != self.seat}
        for one in self.play.models.values():
            hurt = one.condition == "unconscious" or one.wounds.bleeding or one.wounds.untreated
            wanted = one.name in seen if one.seat != self.seat else hurt
            if wanted and takes_room(one) and one.floor == mover.floor:
                yield one


class Reached(msgspec.Struct, frozen=True):
    """Where a model can go: places of the lattice, and beside others, by name."""

    spots: list[reach.Spot]
    beside: dict[str, reach.Spot]


def _on_lattice(at: Point) -> bool:
    return at[0] % INCH == at[1] % INCH == BASE // 2


def _thousandths(gait: m.Gaits, spot: reach.Spot, inch: int) -> int:
    """What a path costs in thousandths of AP, before it is rounded up."""
    if gait == "run":
        stretches = max(1, -(-spot.length // movement.RUN))
        return spot.length * spot.run_ap * INCH // (stretches * movement.RUN)
    rough = spot.rough if gait == "walk" else 0
    return (spot.length + rough) * inch // INCH


def _inch(mover: Model, gait: m.Gaits) -> int:
    """What an inch of open ground costs, in thousandths of AP."""
    if gait == "run":
        return RUN_AP * INCH * INCH // movement.RUN
    return INCH * movement.factor(mover) * (2 if gait == "crawl" else 1)


def _longest(mover: Model, runs: bool) -> int:
    """The longest path that the AP of a model can be enough for."""
    if mover.prone:
        return mover.ap // movement.crawl_ap(mover, INCH) * INCH
    return movement.longest_way(mover, mover.ap, runs=runs)


def _way(mover: Model, runs: bool, spot: reach.Spot, to: str = "") -> Way:
    crawl = movement.crawl_ap(mover, spot.length)
    return Way(
        spot.path,
        spot.walk_ap if spot.walk_ap <= mover.ap and not mover.prone else None,
        spot.run_ap if spot.run_ap <= mover.ap and runs else None,
        crawl if crawl <= mover.ap and mover.prone else None,
        to,
    )


def _shots_at(shooter: Model, mark: Seen) -> Iterator[m.Fire]:
    for arm in shooter.arms:
        for mode in weapon(arm.weapon).modes:
            yield m.Fire(shooter.name, arm.weapon, mode.name, mark.name)
            if mode.name == "single":
                yield m.Fire(shooter.name, arm.weapon, mode.name, mark.name, aimed=True)


def _outer(floor: Floor, at: Point) -> Iterator[Point]:
    """Places at the foot of the walls around a man on an upper floor."""
    west, south, east, north = geometry.grown(floor.rect, movement.BESIDE)
    yield from ((west, at[1]), (east, at[1]), (at[0], south), (at[0], north))


def known_state(view: View) -> State:
    """A state made from the view of a seat."""
    seat = view.seat
    assert seat is not None
    others = tuple(_model(seen) for seen in view.others if seen.seen)
    contacts = tuple(_contact(seen) for seen in view.others)
    teams = {
        name: Team(name, force.seat, "")
        for force in view.forces
        for name in force.teams
        if force.seat != seat
    }
    teams |= {model.team: Team(model.team, model.seat, model.faction) for model in view.own}
    return State(
        options=view.options,
        table=view.table,
        stage="activation",
        turn=view.turn,
        chooser=seat,
        sides=view.sides,
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
        condition=seen.condition,
        gait=seen.gait,
        flashed=seen.flashed,
        broken="broken" if seen.broken else "",
        overpowered=seen.overpowered,
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
        condition=seen.condition,
        broken=seen.broken,
        gait=seen.gait,
        flashed=seen.flashed,
        bleeding=seen.bleeding,
        overpowered=seen.overpowered,
        carried_by=seen.carried_by,
    )
