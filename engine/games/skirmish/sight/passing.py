"""Sight in passing: where on a straight leg a line of sight opens or closes, to the thousandth.

A line of sight changes for three reasons, each with its own places: the one who moves crosses the
edge of a facing arc, or a distance (darkness, touch), or something comes between them or no longer
does. The first two are found from lines and circles, the third from shadows (``ground.sweeps``).
What the places are is settled by the predicates of ``sight`` and ``spotting`` themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import TypeAlias

from msgspec.structs import replace

from engine.games.skirmish.ground import geometry
from engine.games.skirmish.ground.geometry import Leg, Point
from engine.games.skirmish.ground.scene import Figure, Scene, gap, spot_of, takes_room, tall
from engine.games.skirmish.ground.sweeps import Passage, Prism, Sweep, settled
from engine.games.skirmish.ground.terrain import BASE
from engine.games.skirmish.play import Play
from engine.games.skirmish.sight import sight, spotting
from engine.games.skirmish.sight.sight import Look
from engine.games.skirmish.state import Model

#: Whether a look at a target counts, by whether his flash was seen; more in sight counts rather.
Counts: TypeAlias = Callable[[Look, bool], bool]

#: How far from the place that shadows give the predicate of sight may change, because of rounding.
HAIR = 3


class Line:
    """A line of sight from a watcher to a target, one of whom goes along a leg.

    ``counts`` says which looks count, and ``flashed`` whether the watcher saw the target fire.
    ``whole(line, place)`` is the look where no shadow is asked for (touch: all of him; behind his
    back: nothing), or None.
    """

    def __init__(
        self,
        scene: Scene,
        leg: Leg,
        watcher: Figure,
        target: Figure,
        mover: str,
        counts: Counts,
        flashed: bool = False,
    ) -> None:
        self.scene, self.leg, self.counts, self.flashed = scene, leg, counts, flashed
        self._watcher, self._target, self._moves = watcher, target, mover == watcher.name

    @property
    def fixed(self) -> Figure:
        return self._target if self._moves else self._watcher

    @property
    def pair(self) -> tuple[str, str]:
        """Who looks, and at whom."""
        return self._watcher.name, self._target.name

    def watcher(self, place: int) -> Figure:
        return moved(self._watcher, self.leg.at(place)) if self._moves else self._watcher

    def target(self, place: int) -> Figure:
        return self._target if self._moves else moved(self._target, self.leg.at(place))

    def rise(self) -> int:
        return self.scene.height(self._watcher) - self.scene.height(self._target)

    def within(self, limit: int) -> list[float]:
        """The places where their gap becomes at most ``limit``, or more."""
        return circle(self.leg, spot_of(self.fixed), limit + BASE + 1, self.rise())

    def whole(self, place: int) -> Look | None:
        return None

    def edges(self) -> list[float]:
        """The places where ``whole`` may change."""
        return []

    def look(self, place: int) -> Look:
        whole = self.whole(place)
        if whole is not None:
            return whole
        return sight.look(self.scene, self.watcher(place), self.target(place))

    def sees(self, place: int) -> bool:
        return self.counts(self.look(place), self.flashed)

    # --- shadows ---

    def outline(self, first: int, last: int) -> list[Point]:
        """Points around all lines between two places: to the eye, and the width of the target."""
        ends = [
            spot_of(figure(place))
            for figure in (self.watcher, self.target)
            for place in (first, last)
        ]
        return [
            *ends[:2],
            *(
                corner
                for spot in ends[2:]
                for corner in geometry.corners(geometry.grown((*spot, *spot), BASE // 2))
            ),
        ]

    def passage(self, solids: Iterable[int], first: int, last: int) -> Passage | None:
        """Past these solids of the terrain and the bodies near the line; None for none."""
        scene, watcher, target = self.scene, self._watcher, self._target
        eye, foot = scene.eye(watcher), scene.height(target)
        low, high = min(eye, foot), max(eye, foot + tall(target))
        found: list[Prism] = [
            (solid.outline, solid.bottom, solid.top)
            for solid in (scene.terrain.solids[number] for number in solids)
            if solid.bottom < high and solid.top > low
        ]
        for body in self._bodies(first, last):
            base = scene.height(body)
            if base < high and base + tall(body) > low:
                outline = geometry.octagon(spot_of(body), BASE // 2)
                found.append((outline, base, base + tall(body)))
        if not found:
            return None
        return Passage(
            solids=tuple(found),
            leg=self.leg,
            fixed=spot_of(self.fixed),
            eye_moves=self._moves,
            eye=eye,
            foot=foot,
            tall=tall(target),
            strip=sight.BASE_STRIP,
            half=BASE // 2,
        )

    def _bodies(self, first: int, last: int) -> list[Figure]:
        apart = (self._watcher.name, self._target.name)
        fixed, one, two = spot_of(self.fixed), self.leg.at(first), self.leg.at(last)
        west, east = min(fixed[0], one[0], two[0]) - BASE, max(fixed[0], one[0], two[0]) + BASE
        south, north = min(fixed[1], one[1], two[1]) - BASE, max(fixed[1], one[1], two[1]) + BASE
        return [
            body
            for body in self.scene.figures
            if west < body.x < east
            and south < body.y < north
            and takes_room(body)
            and body.name not in apart
            and geometry.off_triangle(fixed, one, two, spot_of(body)) < BASE
        ]


class Spotting(Line):
    """The line by which a model spots another: arc, darkness and touch count, too.

    The same as ``spotting.spots`` with ``spotting.notices``.
    """

    def __init__(
        self, scene: Scene, leg: Leg, watcher: Model, target: Model, mover: str, generous: bool
    ) -> None:
        flashed = spotting.saw_flash(watcher, target)
        super().__init__(scene, leg, watcher, target, mover, spotting.noticeable, flashed)
        #: Whether he turns to his target, as far as that goes.
        self.turns = False
        self.able = spotting.can_look(watcher)
        self.facing = watcher.facing
        self.goggles = "nvg" in watcher.gear or generous or flashed
        self.dark = scene.night and not self.goggles

    def whole(self, place: int) -> Look | None:
        if not self.able:
            return sight.UNSEEN
        watcher, target = self.watcher(place), self.target(place)
        if gap(self.scene, watcher, target) <= spotting.TOUCH:
            return sight.CLEAR
        if not self.turns and not sight.in_arc(watcher, spot_of(target)):
            return sight.UNSEEN
        if not sight.light_reaches(self.scene, watcher, target, self.goggles):
            return sight.UNSEEN
        return None

    def edges(self) -> list[float]:
        spot, facing = spot_of(self.fixed), self.facing
        # a bearing is in whole degrees
        arc = [*self.leg.across(spot, facing - 90.5), *self.leg.across(spot, facing + 90.5)]
        night = self.within(sight.NIGHT_SIGHT) if self.dark else []
        return [*arc, *night, *self.within(spotting.TOUCH)]


def moved(figure: Figure, spot: Point) -> Figure:
    return replace(figure, x=spot[0], y=spot[1])  # type: ignore[type-var]


def circle(leg: Leg, centre: Point, radius: int, rise: int = 0) -> list[float]:
    """The places where a leg enters and leaves a ball around a centre, and the nearest to it."""
    flat = radius * radius - rise * rise
    return [leg.abreast(centre), *(leg.at_distance(centre, flat**0.5) if flat > 0 else ())]


def samples(first: int, last: int, cuts: Iterable[float]) -> list[int]:
    """Places from first to last: at least one in each stretch between two cuts, and its ends."""
    inner = sorted({first, last, *(round(cut) for cut in cuts if first < cut < last)})
    middles = {(a + b) // 2 for a, b in pairwise(inner)}
    return sorted({*inner, *middles})


#: A stretch of a leg with the same arc, light and touch: its ends, and its look if that is known.
Stretch: TypeAlias = tuple[int, int, Look | None]


def changes(line: Line, first: int, last: int) -> list[int]:
    """The places of a line after the first where it opens or closes.

    At each of them it is otherwise than one thousandth before.
    """
    out: list[int] = []
    state: bool | None = None
    for a, b, passage in _passages(line, first, last, last):
        begins, turns = (
            (line.sees(a), ())
            if passage is None
            else _swept(passage, a, b, line.counts, line.flashed)
        )
        if state is not None and begins != state:
            out.append(a)
        out += [_exactly(line, place, a, b) for place in turns]
        state = begins if len(turns) % 2 == 0 else not begins
    return out


def changes_before(line: Line, first: int, last: int, end: int) -> bool:
    """Whether a line opens or closes up to a place before the last; where is not searched for."""
    state: bool | None = None
    for a, b, passage in _passages(line, first, last, end):
        begins, turned = (
            (line.sees(a), False)
            if passage is None
            else _turned(passage, a, b, line.counts, line.flashed)
        )
        if turned or (state is not None and begins != state):
            return True
        state = begins
    return False


def _passages(
    line: Line, first: int, last: int, end: int
) -> Iterator[tuple[int, int, Passage | None]]:
    """The stretches of a line up to a place, and what it passes on each; None for nothing."""
    stretches = [part for part in _stretches(line, first, last) if part[0] <= end]
    for (a, b, _), near in zip(stretches, _in_between(line, stretches), strict=True):
        stop = min(b, end)
        yield a, stop, None if near is None or a == stop else line.passage(near, a, stop)


def _stretches(line: Line, first: int, last: int) -> list[Stretch]:
    places = samples(first, last, line.edges())
    looks = {place: line.whole(place) for place in places}
    out: list[Stretch] = []
    start = first
    for a, b in pairwise(places):
        if looks[a] != looks[b]:
            turn = settled(a, b, line.whole)
            out.append((start, turn - 1, looks[a]))
            start = turn
    return [*out, (start, last, looks[places[-1]])]


def _in_between(line: Line, stretches: Sequence[Stretch]) -> list[list[int] | None]:
    """For each stretch the solids that may come between; None where no shadow is asked for."""
    asked = [whole is None and b > a for a, b, whole in stretches]
    outlines = [line.outline(a, b) for (a, b, _), ask in zip(stretches, asked, strict=True) if ask]
    found = iter(line.scene.terrain.index.touched_by_hulls(outlines))
    return [next(found) if ask else None for ask in asked]


@lru_cache(maxsize=1024)
def _swept(
    passage: Passage, a: int, b: int, counts: Counts, flashed: bool
) -> tuple[bool, tuple[int, ...]]:
    """Cached: the same way is asked about in a preview, in the step, and in its checks."""
    return Sweep(passage, lambda body, base: counts(Look(body, base), flashed)).changes(a, b)


@lru_cache(maxsize=1024)
def _turned(passage: Passage, a: int, b: int, counts: Counts, flashed: bool) -> tuple[bool, bool]:
    """``_swept``, if it need only be known whether anything changes."""
    return Sweep(passage, lambda body, base: counts(Look(body, base), flashed)).turns(a, b)


def _exactly(line: Line, place: int, first: int, last: int) -> int:
    """The place nearest to this one where the line's own look differs from the one before."""
    for off in sorted(range(-HAIR, HAIR + 1), key=abs):
        there = place + off
        if first < there <= last and line.sees(there - 1) != line.sees(there):
            return there
    return place


def lines_of(play: Play, leg: Leg, who: str) -> list[Spotting]:
    """The lines between a mover and each live enemy, both ways; nobody looks who cannot."""
    mover, scene, generous = play.models[who], play.scene, play.state.options.generous_night_sight
    out = []
    for foe in play.side(1 - mover.seat):
        if foe.condition == "dead":
            continue
        for watcher, target in ((foe, mover), (mover, foe)):
            if spotting.can_look(watcher):
                out.append(Spotting(scene, leg, watcher, target, who, generous))
    return out


class Sightings:
    """What the two sides see of each other while one model goes along a leg.

    ``turns`` are the places where somebody comes on a map, or goes off it, with the lines of sight
    that open or close there; the place just before is one as well, so what was last seen of
    somebody is told from where he was last seen. While one watcher keeps somebody in sight, the
    lines of others to him change no map: of these only ``glimpses`` are asked, after the fact.
    """

    def __init__(self, play: Play, leg: Leg, who: str, first: int, last: int) -> None:
        self._play, self._who, self._first, self._last = play, who, first, last
        self._others: list[Line] = []
        self.turns: dict[int, spotting.Pairs] = {}
        lines = lines_of(play, leg, who)
        self._own([line for line in lines if line.pair[0] == who])
        self._theirs([line for line in lines if line.pair[1] == who])

    def _own(self, lines: Iterable[Line]) -> None:
        """The mover's lines: those to enemies whom a mate of his sees change no map."""
        side = self._play.side(self._play.models[self._who].seat)
        kept = {name for mate in side if mate.name != self._who for name in mate.sees}
        for line in lines:
            if line.pair[1] in kept or not self._play.state.options.hidden_enemies:
                self._others.append(line)
            else:
                self._note(line)

    def _theirs(self, lines: Iterable[Line]) -> None:
        """The enemies' lines to the mover, until one is found that stays open."""
        watchers = [(line, self._play.models[line.pair[0]]) for line in lines]
        kept = not self._play.state.options.hidden_enemies
        for line, watcher in sorted(watchers, key=lambda one: self._who not in one[1].sees):
            # SKR-170: a Claymore goes off only where its owner sees
            if kept and (watcher.watch is None or not watcher.watch.device):
                self._others.append(line)
            elif not self._note(line) and self._who in watcher.sees:
                kept = True

    def _note(self, line: Line) -> bool:
        """Keeps the places where a line changes; whether there are any."""
        turns = changes(line, self._first, self._last)
        for turn in turns:
            for place in {max(turn - 1, self._first + 1), turn}:
                self.turns.setdefault(place, set()).add(line.pair)
        return bool(turns)

    def glimpses(self, end: int) -> list[tuple[str, str]]:
        """Who came to know whom up to a place, by a line that changes no map."""
        out = []
        for line in self._others:
            watcher, target = line.pair
            man = self._play.models[watcher]
            if target in man.known or spotting.may_not_spot(self._play, man):
                continue
            if changes_before(line, self._first, self._last, end):
                out.append(line.pair)
        return out
