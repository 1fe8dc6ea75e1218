"""The bot ``easy``: it builds a sound force, goes for the objectives, and shoots what it sees.

Each legal move gets a score; the best is played. It uses only the view.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from engine.dice import Dice
from engine.errors import IllegalMove
from engine.games.skirmish import moves as m
from engine.games.skirmish import view
from engine.games.skirmish.combat import chances
from engine.games.skirmish.combat.fire import CORRIDOR
from engine.games.skirmish.data.library import Weapon, faction, weapon
from engine.games.skirmish.ground import geometry
from engine.games.skirmish.ground.geometry import INCH, Point
from engine.games.skirmish.ground.scene import touching
from engine.games.skirmish.movement import movement, reach
from engine.games.skirmish.moves import SkirmishMove
from engine.games.skirmish.sight import sight
from engine.games.skirmish.state import Model
from engine.games.skirmish.view import Seen, View

#: The value of a point spent on each list, in per cent.
FAVOURITES = {
    "rangers": 130,
    "airborne": 125,
    "marines": 120,
    "taliban": 100,
    "al-qaeda": 95,
    "militia": 90,
    "civilians": 60,
    "green-berets": 70,
    "delta-force": 70,
}

#: The maximum value of getting up, which is never more than that of the walk that follows.
UP = 1.5
#: How far ahead a walk is planned, in inches.
STRIDE = 4


def choose(seen: View, legal: Sequence[SkirmishMove], dice: Dice) -> SkirmishMove:
    """The move with the highest value; the first of equals."""
    mind = Mind(seen)
    return max(legal, key=mind.worth)


class Mind:
    """Facts about the view, computed once for all the moves it evaluates."""

    def __init__(self, seen: View) -> None:
        self.view = seen
        self.scene = view.scene_of(seen)
        self.enemies = [m for m in seen.others if m.condition == "fit"]
        self.visible = [m for m in self.enemies if m.seen]
        self.own = {model.name: model for model in seen.own}

    def worth(self, move: SkirmishMove) -> float:
        match move:
            case m.Build(teams):
                return self._force(teams)
            case m.TakeSide(side):
                return 1.0 if side == "south" else 0.0
            case m.Initiative(first):
                return 1.0 if first == bool(self.visible) else 0.0
            case m.Deploy(places):
                return 1.0 if not any(place.prone for place in places) else 0.0
            case m.Activate(who):
                return self._urgency(who)
            case m.End():
                return 0.05 if self.view.active is not None else -5.0
            case m.TakeOrder() | m.Demands() | m.Face() | m.Drop() | m.PickUp() | m.Learn():
                return -1.0
            case m.Fire():
                return self._fire(move)
            case m.Throw():
                return self._throw(move)
            case m.Travel():
                return self._travel(self.own[move.model], move)
            case _:
                return self._rest(move)

    def _force(self, teams: tuple[m.TeamOrder, ...]) -> float:
        """The value of a force: points spent on good lists, better-armoured ones first."""
        return sum(FAVOURITES[team.faction] * faction(team.faction).points for team in teams)

    def _urgency(self, who: str) -> float:
        """The value of activating: whole teams first, and those who see the enemy before others."""
        if who in self.own:
            return 0.1
        members = [model for model in self.own.values() if model.team == who and model.fit]
        return 1.0 + sum(1 for model in members if model.sees)

    def _rest(self, move: SkirmishMove) -> float:
        match move:
            case m.Demand():
                return 50.0
            case m.Tie():
                return 40.0
            case m.Bandage():
                return 12.0
            case m.Attack(_, target, thing, knockout):
                return 0.0 if knockout else self._attack(target, thing)
            case m.Tackle():
                return 0.5
            case m.Reload(name, thing):
                return self._reload(name, thing)
            case m.OpFire(name):
                return self._watch(self.own[name], move)
            case m.Stance(name, prone):
                return self._stance(self.own[name], prone)
            case m.Trigger(_, device):
                return -1.0 if device == "vest" else 0.2
            case _:
                return -1.0

    # --- shooting ---

    def _target(self, name: str) -> Seen | None:
        return next((foe for foe in self.view.others if foe.name == name), None)

    def _fire(self, order: m.Fire) -> float:
        """Expected hits per AP, times the value of a hit."""
        shooter, target = self.own[order.model], self._target(order.target)
        kind = weapon(order.weapon)
        mode = kind.mode(order.mode)
        if target is None or mode is None or target.condition != "fit":
            return -1.0
        if self._may_hit_a_friend(shooter, target, kind, order.mode):
            return -1.0
        odds = chances.to_hit(
            self.scene, self.view.options, shooter, target, kind, order.mode, aimed=order.aimed
        )
        dice = mode.dice * odds.percent / 100
        cost = mode.ap + 2 * order.aimed
        if kind.blast is not None:
            friends = self._friends_near((target.x, target.y), len(kind.blast.rings) + 1)
            return -1.0 if friends else 30 * dice * 1.5 / cost
        # the first column of the table of wounds; two hits in ten stop in armour of 2
        hurts = 8 * min(10, kind.dpr or 0) / 100
        bonus = 1.3 if target.broken is False else 1.0
        return 30 * dice * hurts * bonus / cost

    def _may_hit_a_friend(self, shooter: Model, target: Seen, kind: Weapon, mode: str) -> bool:
        """Whether one fights the target, or is in the way of automatic fire (SKR-89, 132b)."""
        at = (target.x, target.y)
        far = geometry.along(shooter.at, at, kind.reach())
        room = geometry.distance(shooter.at, far)
        for mate in self.own.values():
            if mate.name == shooter.name or mate.condition == "dead":
                continue
            if touching(mate, target):
                return True
            if (
                mode == "auto"
                and geometry.off_line(shooter.at, far, mate.at) <= CORRIDOR
                and geometry.distance(mate.at, far) < room
                and sight.look(self.scene, shooter, mate).any
            ):
                return True
        return False

    def _friends_near(self, at: Point, inches: int) -> bool:
        return any(
            model.condition != "dead" and geometry.distance(model.at, at) < inches * INCH
            for model in self.own.values()
        )

    def _throw(self, order: m.Throw) -> float:
        target = self._target(order.target)
        if target is None or order.grenade == "smoke" or target.condition != "fit":
            return -1.0
        at = (target.x, target.y)
        if self._friends_near(at, 5) or geometry.distance(self.own[order.model].at, at) > 15 * INCH:
            return -1.0
        return 4.0

    def _attack(self, target: str, thing: str) -> float:
        kind = weapon(thing).close
        foe = self._target(target)
        if kind is None or foe is None or foe.condition != "fit":
            return -1.0
        return 6.0 + kind.bonus + kind.dpr - kind.ap / 2

    def _reload(self, name: str, thing: str) -> float:
        arm = self.own[name].arm(thing)
        kind = weapon(thing)
        need = max(mode.dice for mode in kind.modes)
        return 3.0 if arm is not None and arm.loaded < need else -1.0

    # --- moving ---

    def _goals(self, model: Model) -> list[Point]:
        """Objectives not held yet by enough friends, else the nearest enemy."""
        out = []
        for objective in self.view.objectives:
            at = (objective.x, objective.y)
            friends = sum(
                1
                for mate in self.own.values()
                if mate.fit
                and mate.name != model.name
                and geometry.distance(mate.at, at) <= objective.radius - 500
            )
            if friends < 3:
                out.append(at)
        if not out:
            known = sorted(
                self.enemies,
                key=lambda foe: (geometry.distance(model.at, (foe.x, foe.y)), foe.name),
            )
            out = [(foe.x, foe.y) for foe in known[:1]]
        if not out:
            middle = (self.view.table.width // 2, self.view.table.depth // 2)
            out = [middle]
        return out

    def _way(self, model: Model, at: Point, goal: Point) -> int:
        """The walking distance from a place to a goal."""
        end = reach.node_at(self.scene.terrain, model.floor, goal)
        start = reach.node_at(self.scene.terrain, model.floor, at)
        if end is None or start is None:
            return geometry.distance(at, goal)
        length = int(reach.field(self.scene.terrain, model.floor, end)[start])
        return length if length < reach.NOWHERE else geometry.distance(at, goal) + 20 * INCH

    def _travel(self, model: Model, move: m.Travel) -> float:
        """Inches gained towards a goal, minus a penalty for standing in the open there."""
        if move.gait in ("climb", "jump", "crawl") or move.floor != model.floor:
            return -1.0
        end = move.path[-1]
        if self._inside_objective(model.at) and not self._inside_objective(end):
            return -1.0
        gain = max(
            self._way(model, model.at, goal) - self._way(model, end, goal)
            for goal in self._goals(model)
        )
        if gain < INCH:
            return -1.0
        path = [model.at, *move.path]
        ways = movement.Ways(self.scene.terrain, (), self.view.options, self.view.rules)
        cost = (
            movement.run_cost(ways, model, path)
            if move.gait == "run"
            else movement.walk_cost(self.scene.terrain, model, path)
        )
        watched = 1.6 if model.sees and move.gait == "run" else 0.0
        return 1.0 + gain / INCH / max(1, cost) - watched + (0.2 if cost <= model.ap - 4 else 0.0)

    def _inside_objective(self, at: Point) -> bool:
        return any(
            geometry.distance(at, (o.x, o.y)) <= o.radius - 300 for o in self.view.objectives
        )

    def _watch(self, model: Model, order: m.OpFire) -> float:
        if order.device or weapon(order.weapon).blast is not None:
            return -1.0
        if self._inside_objective(model.at):
            return 2.0
        return 0.3 if self.enemies else 0.1

    def _stance(self, model: Model, prone: bool) -> float:
        """Up to move on, down if nothing else is left to do in the enemy's sight.

        A prone man shoots better and is harder to hit; but a man who would have to get up again to
        see anybody stays on his feet, and keeps his 3 AP for shooting.
        """
        if prone:
            return 0.6 if model.ap <= 1 and self._sees_lying(model) else -1.0
        if model.ap < 6 or self._inside_objective(model.at):
            return -1.0
        return min(UP, self._going(model))

    def _sees_lying(self, model: Model) -> bool:
        down = replace(model, prone=True)
        return any(
            foe.name in model.sees and sight.look(self.scene, down, foe).plain
            for foe in self.visible
        )

    def _going(self, model: Model) -> float:
        """The value of his best walk towards a goal if he were on his feet."""
        up = replace(model, prone=False, ap=model.ap - movement.STAND_AP)
        far = min(STRIDE, up.ap // movement.factor(up)) * INCH
        ways = movement.Ways(
            self.scene.terrain, self.scene.figures, self.view.options, self.view.rules
        )
        best = -1.0
        for goal in self._goals(up):
            spot = reach.toward(self.scene.terrain, up, goal, far)
            if spot is None or spot == up.at:
                continue
            move = m.Travel(up.name, "walk", (spot,), up.floor)
            try:
                movement.check_travel(ways, up, move)
            except IllegalMove:
                continue
            best = max(best, self._travel(up, move))
        return best
