"""Walking a path, and what happens on it: SKR-27, 32, 44, 46, 126, 165.

A path is walked leg by leg, from one corner to the next. On a leg something happens only at single
places: where somebody comes to see the walker or he somebody, or one of them loses the other, where
an enemy's Op-Fire goes off, where his base touches a mine or somebody nobody had seen. These places
are found by geometry, to the thousandth and in their order (``sight.passing``,
``combat.crossing``); between them nothing is asked. Matches of older rules look at the ends of
strides.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from itertools import groupby, pairwise

from engine.errors import IllegalMove
from engine.games.skirmish import versions
from engine.games.skirmish.combat import blasts, close, crossing, watching
from engine.games.skirmish.events import Moved, Stood
from engine.games.skirmish.ground import geometry
from engine.games.skirmish.ground.geometry import INCH, Leg, Point
from engine.games.skirmish.ground.terrain import BASE
from engine.games.skirmish.movement import movement
from engine.games.skirmish.moves import Travel
from engine.games.skirmish.play import Play
from engine.games.skirmish.sight import passing, sight, spotting
from engine.games.skirmish.state import Device, Gait, Model

#: The length of a stride, after which older rules looked around: the width of a base.
STRIDE = BASE


def travel(play: Play, move: Travel) -> None:
    """Carries out a checked and paid move, until something stops it."""
    model = play.models[move.model]
    close.attack_who_leaves(play, move)
    if not _still_going(play, model):
        play.note_prevented(move.model)
        return
    length = geometry.length([model.at, *move.path])
    gait = gait_after(model, move)
    add_up = versions.runs_add_up(play.state)
    held = close.stays_with(play, move) if add_up else ()
    each = versions.charges_meet_each_in_his_cover(play.state)
    start_seen = _covers(play, model, length if each else 12 * INCH)
    play.put(
        move.model,
        gait=gait,
        walked_too=model.walked_too or gait == "walked" or model.gait == "walked",
        ran_this_turn=model.ran_this_turn or gait == "ran",
        last_act=model.last_act if held else "",
        charged=0,
        ran_on=0,
    )
    if not _runs_up(play, move):
        return
    if move.gait == "jump" and play.state.options.jump_test and _falls_short(play, move):
        return
    walk, terrain, way = _Walk(play, move), play.terrain, [model.at, *move.path]
    whole = walk.carry_out()
    if versions.rubble_trips_who_ran_in_it(play.state):
        way = walk.walked
    rough = move.gait == "run" and movement.rough_length(terrain, model.floor, way) > 0
    ran = length if whole else 0
    if add_up:
        ran = ran or geometry.length(walk.walked)
        ran = model.ran_on + ran if move.gait == "run" else 0
        play.put(move.model, ran_on=ran)
    _arrive(play, move, ran, start_seen, held, rough)


def gait_after(model: Model, move: Travel) -> Gait:
    """SKR-86: how he counts as having moved after this; of a walk and a run, as having run."""
    if model.gait == "ran" or move.gait == "run" or _is_long_jump(model, move):
        return "ran"
    return model.gait if move.gait == "crawl" else "walked"


def _is_long_jump(model: Model, move: Travel) -> bool:
    """SKR-35: whether it is a jump with a run-up."""
    return move.gait == "jump" and geometry.distance(model.at, move.path[0]) > movement.RUN_UP


def _runs_up(play: Play, move: Travel) -> bool:
    """SKR-35: before a long jump he runs 3" on the ground, as in any run; whether he can jump."""
    model = play.models[move.model]
    if not (_is_long_jump(model, move) and versions.run_ups_are_runs(play.state)):
        return True
    edge = geometry.along(model.at, move.path[0], movement.RUN_UP)
    if _Walk(play, Travel(move.model, "run", (edge,), model.floor)).carry_out():
        return True
    play.note_prevented(move.model)
    return False


def _falls_short(play: Play, move: Travel) -> bool:
    """SKR-44, an option: ST check; if it fails, he stays where he is, prone."""
    model = play.models[move.model]
    if play.check("jump", model.abilities.st, move.model):
        return False
    play.put(move.model, prone=True)
    play.tell(Stood(who=move.model, prone=True, readers=play.readers(move.model)))
    return True


def _covers(play: Play, model: Model, reach: int) -> tuple[str, ...]:
    """Enemies in cover as seen from the start of his path, for SKR-126."""
    return tuple(
        foe.name
        for foe in play.side(1 - model.seat)
        if foe.fit
        and play.gap(model, foe) <= reach
        and sight.look(play.scene, model, foe).body < 750
    )


def _still_going(play: Play, before: Model) -> bool:
    """Whether he can still move after a parting blow."""
    now = play.models[before.name]
    return now.fit and now.broken == before.broken and now.prone == before.prone


class _Walk:
    """One walk under way: the places he passed, and whether the enemy saw him there."""

    def __init__(self, play: Play, move: Travel) -> None:
        self.play, self.move, self.who = play, move, move.model
        self.before = play.models[move.model]
        self.fleeing = self.before.broken
        self.walked: list[Point] = [self.before.at]
        self.trail: list[tuple[Point, bool]] = [(self.before.at, play.is_seen(self.before))]

    @property
    def now(self) -> Model:
        return self.play.models[self.who]

    @property
    def fell(self) -> bool:
        """SKR-118: whether the floor he walks on has collapsed, and he with it."""
        return self.move.floor not in self.play.terrain.floors

    def carry_out(self) -> bool:
        """Walks, and tells of it; whether he arrived."""
        in_the_air = self.move.gait in ("climb", "jump")
        exact = versions.ways_are_walked_exactly(self.play.state) and not in_the_air
        whole = self._by_legs() if exact else self._by_strides()
        walked, seen = self.walked, [spot for spot, seen in self.trail if seen]
        turns = {self.before.at, *self.move.path}
        if versions.ways_are_told_by_their_corners(self.play.state):
            walked = [spot for spot in walked[:-1] if spot in turns] + walked[-1:]
        if exact:
            walked = [spot for spot, _ in groupby(walked)]
            seen = _ends_and_corners(self.trail, turns)
        _tell_way(self.play, self.move, walked, seen)
        return whole

    # --- leg by leg ---

    def _by_legs(self) -> bool:
        legs = [Leg(a, b) for a, b in pairwise([self.before.at, *self.move.path]) if a != b]
        return all(self._go(leg) for leg in legs)

    def _go(self, leg: Leg) -> bool:
        """Walks a leg; whether he got to its end and may go on."""
        place = 0
        while True:
            self._stand(leg.at(place), geometry.bearing(leg.start, leg.end))
            if not self._look_round():
                return False
            last = self._free_until(leg, place)
            if place == last:
                return last == leg.length
            place = self._advance(leg, place, last)

    def _look_round(self) -> bool:
        """Sight, then Op-Fire, until nobody fires any more; whether he may go on."""
        while True:
            spotting.refresh(self.play, {self.who})
            self._passes()
            fired = self._is_fired_at()
            if not self._may_go_on():
                return False
            if not fired:
                return True

    def _is_fired_at(self) -> bool:
        told = len(self.play.events)
        watching.interrupts(self.play, self.who)
        return len(self.play.events) > told

    def _advance(self, leg: Leg, place: int, last: int) -> int:
        """Goes on to the next place where he must look round: at most to ``last``."""
        sightings = passing.Sightings(self.play, leg, self.who, place, last)
        place, mine = self._next_stop(leg, place, last, sightings.turns)
        for watcher, target in sightings.glimpses(place):
            spotting.note_glimpse(self.play, watcher, target)
        self._stand(leg.at(place), self.now.facing)
        if mine is not None:
            blasts.go_off(self.play, mine, self.who)
        return place

    def _next_stop(
        self, leg: Leg, place: int, last: int, turns: Mapping[int, spotting.Pairs]
    ) -> tuple[int, Device | None]:
        """The next place where more happens than a change of sight, and the mine met there."""
        for spot in (*sorted(turns), last):
            before = spot - 1 if spot in turns else spot
            shot = crossing.first_place(self.play, self.who, leg, place, before)
            stop = spot if shot is None else shot
            met = blasts.first_mine(self.play, self.now.at, leg.at(stop), self.move.floor)
            if met is not None:
                return max(place, min(stop, geometry.distance(leg.start, met[1]))), met[0]
            if shot is not None or spot not in turns:
                return stop, None
            self._stand(leg.at(spot), self.now.facing)
            spotting.refresh(self.play, {self.who}, turns[spot])
            self._passes()
            if self._is_fired_at():
                return spot, None
            place = spot
        return last, None

    def _free_until(self, leg: Leg, place: int) -> int:
        """SKR-48: how far he gets before his base meets somebody's whom nobody had seen."""
        near = BASE - movement.HAIR
        last = leg.length
        figures = tuple(self.play.models.values())
        for other in movement.obstacles(figures, self.now, self.now.floor):
            if geometry.off_line(leg.at(place), leg.end, other.at) >= near:
                continue
            meets = leg.at_distance(other.at, near)
            spot = max(place, math.floor(meets[0]) - 2) if meets else place
            while spot < last and math.dist(leg.at(spot + 1), other.at) >= near:
                spot += 1
            last = min(last, spot)
        return last

    # --- by strides: older rules, and through the air ---

    def _by_strides(self) -> bool:
        """Sight and Op-Fire after each stride, mines on the way."""
        play, move, who = self.play, self.move, self.who
        level = move.gait not in ("climb", "jump")
        for spot, mine in self._strides():
            here = self.now
            if level or move.floor == here.floor:
                figures = tuple(play.models.values())
                if movement.first_in_way(figures, here, [here.at, spot], here.floor):
                    return False  # an enemy nobody had seen
            facing = geometry.bearing(here.at, spot) if spot != here.at else here.facing
            self._stand(spot, facing)
            if mine is not None:
                blasts.go_off(play, mine, who)
            elif not versions.mines_go_off_on_the_way(play.state):
                blasts.step_on_mines(play, who)
            spotting.refresh(play, {who})
            self._passes()
            watching.interrupts(play, who)
            if not self._may_go_on():
                return False
        return True

    def _strides(self) -> Iterator[tuple[Point, Device | None]]:
        """The ends of his strides, and on the way each mine that his base crosses.

        A lazy generator, because a mine, or the man, may be gone by the time he would reach it.
        """
        play, move = self.play, self.move
        over = move.gait == "climb" and move.floor == self.before.floor
        if over and versions.climbers_cross_mines(play.state):
            yield from self._over()
            return
        strides = versions.strides_are_all_alike(play.state)
        watched = any(foe.watch is not None for foe in play.side(1 - self.before.seat))
        way = geometry.steps(
            [self.before.at, *move.path], STRIDE if strides or watched else 2 * STRIDE
        )
        if move.gait in ("climb", "jump"):
            way = [move.path[-1]]  # he cannot stop in mid-air or on top of a wall
        for spot in way:
            while versions.mines_go_off_on_the_way(play.state):
                # in the air he crosses nothing
                on = spot if move.gait in ("climb", "jump") else self.now.at
                met = blasts.first_mine(play, on, spot, move.floor)
                if met is None:
                    break
                yield met[1], met[0]
            yield spot, None

    def _over(self) -> Iterator[tuple[Point, Device | None]]:
        """SKR-33, 165: the same for a climb over something; on both sides of it he is on foot."""
        start, end = self.before.at, self.move.path[-1]
        ground = self.play.terrain.grounds[self.move.floor]
        before = geometry.along(start, end, _free(ground, start, end))
        behind = geometry.along(end, start, _free(ground, end, start))
        for place, last in ((start, before), (behind, end)):
            while (met := blasts.first_mine(self.play, place, last, self.move.floor)) is not None:
                yield met[1], met[0]
                place = met[1]
        yield end, None

    # --- both ---

    def _stand(self, spot: Point, facing: int) -> None:
        if self.fell:
            return  # he lies where the collapse has put him
        self.play.put(self.who, x=spot[0], y=spot[1], floor=self.move.floor, facing=facing)
        load = self.now.carrying
        if load:
            self.play.put(load, x=spot[0], y=spot[1], floor=self.move.floor)
        self.walked.append(spot)

    def _passes(self) -> None:
        if self.fell:
            return
        self.trail.append((self.now.at, self.play.is_seen(self.now)))

    def _may_go_on(self) -> bool:
        """SKR-97, 99, 118: whether he may go on at this gait after what happened on the way."""
        now = self.now
        if not now.fit or (now.broken and not self.fleeing) or now.prone != self.before.prone:
            return False
        if self.fell:
            return False
        if not versions.aid_comes_first(self.play.state):
            return True
        try:
            movement.check_body(self.play.state, now, self.move)
        except IllegalMove:
            return False
        return True


def _free(ground: geometry.Ground, start: Point, end: Point) -> int:
    """How far one gets on foot from a place towards another."""
    low, high = 0, geometry.distance(start, end)
    while low < high:
        middle = (low + high + 1) // 2
        if ground.allows([start, geometry.along(start, end, middle)]):
            low = middle
        else:
            high = middle - 1
    return low


def _ends_and_corners(trail: list[tuple[Point, bool]], corners: set[Point]) -> list[Point]:
    """Where each stretch in sight begins and ends, and its corners: no more than was seen."""
    out: list[Point] = []
    for seen, stretch in groupby(trail, lambda passed: passed[1]):
        spots = [spot for spot, _ in stretch]
        if seen:
            inner = [spot for spot in spots[1:-1] if spot in corners]
            out += [spots[0], *inner, spots[-1]]
    return [spot for spot, _ in groupby(out)]


def _tell_way(play: Play, move: Travel, walked: list[Point], seen: list[Point]) -> None:
    """His own side reads the whole path, the other side the part it saw."""
    model = play.models[move.model]
    way = tuple(walked)
    if not play.state.options.hidden_enemies:
        play.tell(Moved(who=move.model, gait=move.gait, path=way, floor=model.floor, ap=0))
        return
    own = (model.seat,)
    play.tell(Moved(who=move.model, gait=move.gait, path=way, floor=model.floor, ap=0, readers=own))
    if seen:
        play.tell(
            Moved(
                who=move.model,
                gait=move.gait,
                path=tuple(seen),
                floor=model.floor,
                ap=0,
                readers=(1 - model.seat,),
            )
        )


def _arrive(
    play: Play,
    move: Travel,
    length: int,
    covers: tuple[str, ...],
    held: tuple[str, ...],
    rough: bool,
) -> None:
    """The effects of a finished path: a fall in rubble (SKR-32), a charge (SKR-122).

    ``held``: enemies with whom he was in contact all the way, so that he ran into none with them.
    """
    model = play.models[move.model]
    if not model.fit:
        return
    if rough and not play.check("rubble", model.abilities.st, move.model):
        play.put(move.model, prone=True)
        play.tell(Stood(who=move.model, prone=True, readers=play.readers(move.model)))
    touched = play.foes_in_contact(play.models[move.model])
    foes = [foe for foe in touched if foe.name not in held]
    if versions.a_new_enemy_is_a_new_fight(play.state):
        _begin_fights(play, move.model, foes)
    if move.gait == "run" and foes and length:
        each = versions.charges_meet_each_in_his_cover(play.state)
        play.put(
            move.model,
            charged=length,
            charge_from_cover=not each and foes[0].name in covers,
            charged_in_cover=covers if each else (),
        )


def _begin_fights(play: Play, who: str, foes: list[Model]) -> None:
    """SKR-132a, 132c: what those won whom he comes to was another fight, if he is alone."""
    for foe in foes:
        if [other.name for other in play.foes_in_contact(foe)] == [who]:
            play.put(foe.name, last_act="")
