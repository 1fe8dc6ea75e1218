"""What a seat may see, built up from nothing; and the pure functions a page may ask of it."""

from __future__ import annotations

from typing import cast

import msgspec

from engine.errors import Sentence
from engine.game import Outcome, Seat
from engine.games.skirmish import notation
from engine.games.skirmish.combat import chances, fire, watching
from engine.games.skirmish.combat.chances import Chance
from engine.games.skirmish.data.library import Library, Mode, Objective, library, weapon
from engine.games.skirmish.events import Ending
from engine.games.skirmish.ground import geometry
from engine.games.skirmish.ground.geometry import INCH, Rect
from engine.games.skirmish.ground.scene import Cloud, Figure, Scene
from engine.games.skirmish.ground.terrain import BASE, DOOR, WINDOW, Breach, TableForm, terrain
from engine.games.skirmish.meta import SkirmishOptions
from engine.games.skirmish.movement import movement, reach
from engine.games.skirmish.movement.movement import Ways
from engine.games.skirmish.moves import LEAST_CHANCE, Build, Deploy, Fire, ModelMove, SkirmishMove
from engine.games.skirmish.orders import acts
from engine.games.skirmish.play import is_night, scenario, terrain_of, turn_limit
from engine.games.skirmish.shown import helping, planning
from engine.games.skirmish.shown.picture import Picture
from engine.games.skirmish.shown.picture import picture as drawn
from engine.games.skirmish.sight import sight
from engine.games.skirmish.stages import activation, building, deploying
from engine.games.skirmish.state import (
    Activation,
    Contact,
    Device,
    LevelPoints,
    Lying,
    Model,
    Shot,
    State,
)


class Seen(msgspec.Struct, frozen=True):
    """A model that is not one's own: in sight, or a marker where it was last seen."""

    name: str
    team: str
    seat: Seat
    x: int
    y: int
    floor: str
    facing: int
    prone: bool
    condition: str
    gait: str
    broken: bool
    bleeding: bool
    flashed: bool
    #: Whether he is in sight now; else the turn he was last seen in counts.
    seen: bool
    turn: int
    #: The best share of his body that any of one's models sees, in thousandths.
    share: int
    carried_by: str = ""


class Force(msgspec.Struct, frozen=True):
    """A force list, open from deployment on."""

    seat: Seat
    order: str
    points: int
    teams: tuple[str, ...]


class Sightline(msgspec.Struct, frozen=True):
    """How well one's model sees an enemy, and the chance of a plain shot."""

    model: str
    target: str
    share: int
    weapon: str
    mode: str
    percent: int
    need: int
    modifiers: tuple[tuple[str, int], ...]


class Shooting(msgspec.Struct, frozen=True):
    """A shot one may order, what it takes and how likely the first die hits."""

    target: str
    #: How much of the target the shooter sees, in thousandths.
    share: int
    weapon: str
    mode: Mode
    loaded: int
    aimed: bool
    chance: Chance
    #: Why the rules do not allow it now; None where they do.
    refusal: Sentence | None
    ap: int
    move: Fire


class Way(msgspec.Struct, frozen=True):
    """A way as an order writes it, and its AP at each gait; None is more than he has, or barred."""

    path: str
    walk: int | None
    run: int | None
    crawl: int | None


class Waiting(msgspec.Struct, frozen=True):
    """What every order to wait and fire takes and may say: SKR-39, 45."""

    ap: int = watching.WATCH_AP
    shoot_ap: int = watching.SHOOT_AP
    least_chances: tuple[int, ...] = tuple(watching.LEAST_CHANCES)
    #: What the notation means where nothing is written.
    least_chance: int = LEAST_CHANCE


class View(msgspec.Struct, frozen=True):
    """The table as one seat sees it, or an onlooker (``seat`` None)."""

    seat: Seat | None
    stage: str
    options: SkirmishOptions
    pending: tuple[Seat, ...]
    turn: int
    turns: int
    night: bool
    scenario: str
    story: str
    table: TableForm
    objectives: tuple[Objective, ...]
    sides: tuple[str, str]
    zone: Rect | None
    forces: tuple[Force, ...]
    own_build: Build | None
    own_places: Deploy | None
    own: tuple[Model, ...]
    others: tuple[Seen, ...]
    sightlines: tuple[Sightline, ...]
    active: Activation | None
    #: Models that have been activated this turn, one's own or in sight.
    done: tuple[str, ...]
    devices: tuple[Device, ...]
    lying: tuple[Lying, ...]
    smoke: tuple[Cloud, ...]
    collapsed: tuple[str, ...]
    breaches: tuple[Breach, ...]
    levels: tuple[LevelPoints, ...]
    shots: tuple[Shot, ...]
    #: Points from objectives, by seat.
    held: tuple[int, ...]
    demands: bool
    outcome: Outcome[Ending] | None
    #: The version of the rules that the match is played by.
    rules: int

    @property
    def library(self) -> Library:
        """Weapons, lists and what they cost."""
        return library()

    @property
    def base(self) -> int:
        """How wide a model's base is."""
        return BASE

    @property
    def openings(self) -> dict[str, int]:
        """How wide doors and windows are."""
        return {"door": DOOR, "window": WINDOW}

    @property
    def waiting(self) -> Waiting:
        """The numbers of Op-Fire."""
        return Waiting()

    @property
    def candidates(self) -> list[str]:
        """Teams and members that the seat may activate."""
        return activation.free_of(self.own, self.done)

    @property
    def picture(self) -> Picture:
        """Where things stand in a drawing of this view."""
        return drawn(self)

    def offers(self, list_name: str, upgrade: str = "") -> dict[str, int]:
        """Extras of a list with their prices."""
        return building.offers(library().factions[list_name], upgrade)

    def ground(self, model: str) -> list[Way]:
        """Where one's model can get to: every second place, or more would crowd a map."""
        return ground(self, model)

    def climbs(self, model: str) -> list[planning.Climb]:
        """Where one's model can climb to from where he stands: stairs, walls, windows."""
        mover = own_model(self, model)
        if mover is None or mover.prone or not mover.fit:
            return []
        return planning.Desk(self).climbs(model)

    def marks(self, model: str) -> list[planning.Mark]:
        """What one's model can throw, or fire as a shell, at whom and what the seat knows of."""
        mover = own_model(self, model)
        if mover is None or not mover.fit:
            return []
        return planning.Desk(self).marks(model)

    def directions(self, model: str) -> list[tuple[str, int]]:
        """Where one's model may want to turn: to those on the map by name, and the winds ("")."""
        mover = own_model(self, model)
        if mover is None:
            return []
        named = [(m.name, geometry.bearing(mover.at, (m.x, m.y))) for m in self.others]
        return [*named, *(("", wind) for wind in range(0, 360, 45))]

    def helped(self, model: str) -> helping.Helped | None:
        """What one's model could do now, cut to what a mail has room for."""
        mover = own_model(self, model)
        return None if mover is None else helping.helped(self, mover)

    def blows(self, model: str) -> list[str]:
        """What one's model can do hand to hand, as orders."""
        return [notation.write(blow) for blow in planning.Desk(self).blows(model)]

    def foretell(self, move: SkirmishMove) -> planning.Foretold | None:
        """What an order of one's model would come to; None for other moves."""
        model = getattr(move, "model", None)
        if self.active is None or self.active.seat != self.seat or model is None:
            return None
        return planning.Desk(self).foretell(cast(ModelMove, move))

    def stands(self, order: str) -> bool:
        """Whether the rules would take this order of one's model now, as far as the seat knows."""
        move = cast(ModelMove, notation.read(order))
        return planning.Desk(self).refusal(move) is None

    def shooting(self, model: str) -> list[Shooting]:
        """Every shot of one's model at an enemy in sight, by enemy, weapon and mode."""
        return shooting(self, model)

    def text(self, move: SkirmishMove) -> str:
        return notation.write(move)


def open_view(state: State, pending: tuple[Seat, ...]) -> View:
    """Everything there is, for when the match is over: both forces, charges and all shots."""
    return msgspec.structs.replace(
        view(state, None, pending),
        others=tuple(_plain(state, model) for model in state.models) if placed(state) else (),
        forces=forces(state),
        devices=state.devices,
        lying=state.lying,
        shots=state.shots,
    )


def placed(state: State) -> bool:
    return state.stage in ("initiative", "activation", "over")


def view(state: State, seat: Seat | None, pending: tuple[Seat, ...]) -> View:
    """Everything the seat may know, and nothing else."""
    story = scenario(state)
    own = tuple(m for m in state.models if m.seat == seat)
    others = seen_models(state, seat) if placed(state) else ()
    partial = View(
        seat=seat,
        stage=state.stage,
        options=state.options,
        pending=pending,
        turn=state.turn,
        turns=turn_limit(state),
        night=is_night(state),
        scenario=story.title,
        story=story.story,
        table=state.table,
        objectives=story.objectives,
        sides=state.sides,
        zone=_zone(state, seat),
        forces=forces(state),
        own_build=None if seat is None else state.builds[seat],
        own_places=None if seat is None else state.places[seat],
        own=own,
        others=others,
        sightlines=(),
        active=_active(state, seat),
        done=_done(state, own, others),
        devices=tuple(d for d in state.devices if d.seat == seat or state.stage == "over"),
        lying=lying_in_sight(state, own),
        smoke=state.smoke,
        collapsed=state.collapsed,
        breaches=state.breaches,
        levels=state.levels,
        shots=tuple(shot for shot in state.shots if shot.readers is None or seat in shot.readers),
        held=tuple(sum(tally.objectives) for tally in state.tallies),
        demands=False if seat is None else state.demands[seat],
        outcome=state.result,
        rules=state.rules,
    )
    if state.active is None or state.active.seat != seat:
        return partial
    return msgspec.structs.replace(partial, sightlines=tuple(sightlines(partial)))


def _active(state: State, seat: Seat | None) -> Activation | None:
    """Whose activation it is; how far it has come only the seat itself sees."""
    active = state.active
    if active is None or active.seat == seat:
        return active
    return Activation(active.seat, active.who, ())


def _zone(state: State, seat: Seat | None) -> Rect | None:
    if seat is None or state.stage != "deployment":
        return None
    return deploying.zone(state, seat)


def forces(state: State) -> tuple[Force, ...]:
    """Both lists once both are built (hidden until deployment)."""
    if state.stage == "building":
        return ()
    out = []
    for seat, build in enumerate(state.builds):
        if build is not None:
            names = building.TEAM_NAMES[seat][: len(build.teams)]
            out.append(Force(seat, notation.write(build), building.price(build), names))
    return tuple(out)


def seen_models(state: State, seat: Seat | None) -> tuple[Seen, ...]:
    """Enemies by the seat's contacts; for an onlooker nobody, unless everybody sees everybody.

    Whom their enemy sees, the players do not know themselves: an onlooker could tell them.
    """
    if state.stage == "over" or not state.options.hidden_enemies:
        return tuple(_plain(state, model) for model in state.models if model.seat != seat)
    if seat is None:
        return ()
    return tuple(_from_contact(state, 1 - seat, c) for c in state.contacts[seat])


def _from_contact(state: State, seat: Seat, contact: Contact) -> Seen:
    return Seen(
        name=contact.model,
        team=contact.model.rpartition("-")[0],
        seat=seat,
        x=contact.x,
        y=contact.y,
        floor=contact.floor,
        facing=contact.facing,
        prone=contact.prone,
        condition=contact.condition,
        gait=contact.gait,
        broken=contact.broken,
        bleeding=contact.bleeding,
        flashed=contact.flashed,
        seen=contact.seen,
        turn=contact.turn,
        share=contact.share,
    )


def _plain(state: State, model: Model) -> Seen:
    return Seen(
        name=model.name,
        team=model.team,
        seat=model.seat,
        x=model.x,
        y=model.y,
        floor=model.floor,
        facing=model.facing,
        prone=model.prone,
        condition=model.condition,
        gait=model.gait,
        broken=bool(model.broken),
        bleeding=model.wounds.bleeding,
        flashed=model.flashed,
        seen=True,
        turn=state.turn,
        share=1000,
    )


def _done(state: State, own: tuple[Model, ...], others: tuple[Seen, ...]) -> tuple[str, ...]:
    known = {m.name for m in own} | {m.name for m in others if m.seen}
    return tuple(name for name in state.done if name in known)


def lying_in_sight(state: State, own: tuple[Model, ...]) -> tuple[Lying, ...]:
    """Things on the ground that one's models have before their eyes, or at hand."""
    if not state.lying or not own:
        return ()
    ground = terrain_of(state)
    scene = Scene(ground, ())
    return tuple(
        item
        for item in state.lying
        if any(
            m.fit
            and m.floor in ground.floors
            and (
                acts.at_hand(m, item)
                or sight.sees_spot(scene, m, (item.x, item.y), ground.height(item.floor) + 100)
            )
            for m in own
        )
    )


# --- what a page may ask ---


def scene_of(view: View) -> Scene:
    """What stands on the table as far as this view knows."""
    ground = terrain(view.table, frozenset(view.collapsed), view.breaches)
    figures: list[Figure] = [*view.own, *(m for m in view.others if m.seen)]
    return Scene(ground, figures, view.smoke, view.night)


def ways_of(view: View) -> Ways:
    scene = scene_of(view)
    return Ways(scene.terrain, scene.figures, view.options)


def own_model(view: View, name: str) -> Model | None:
    return next((m for m in view.own if m.name == name), None)


def other(view: View, name: str) -> Seen | None:
    return next((m for m in view.others if m.name == name), None)


def chance(
    view: View,
    model: str,
    target: str,
    weapon_name: str,
    mode: str,
    *,
    aimed: bool = False,
    scope: bool = False,
    spotter: bool = False,
) -> Chance | None:
    """The chance of a shot with every modifier listed; None where either is not on the map."""
    shooter, mark = own_model(view, model), other(view, target)
    if shooter is None or mark is None or not mark.seen:
        return None
    return chances.to_hit(
        scene_of(view),
        view.options,
        shooter,
        mark,
        weapon(weapon_name),
        mode,
        aimed=aimed,
        scope=scope,
        spotter=spotter,
    )


def shooting(view: View, model: str) -> list[Shooting]:
    """The shots of one's model: each enemy in sight, each weapon that reaches him, each mode."""
    shooter = own_model(view, model)
    if shooter is None or not shooter.fit:
        return []
    scene, out, desk = scene_of(view), [], planning.Desk(view)
    for mark in view.others:
        if not mark.seen or mark.seat == shooter.seat or mark.condition in ("dead", "captured"):
            continue
        share = sight.look(scene, shooter, mark).body
        for arm in shooter.arms if share else ():
            kind = weapon(arm.weapon)
            for mode in kind.modes:
                for aimed in (False, True):
                    if aimed and mode.name != "single":
                        continue
                    odds = chances.to_hit(
                        scene, view.options, shooter, mark, kind, mode.name, aimed=aimed
                    )
                    order = Fire(model, arm.weapon, mode.name, mark.name, aimed=aimed)
                    ap = fire.cost(order, mode, view.options.spotter_pays)
                    no = desk.refusal(order)
                    out.append(
                        Shooting(
                            mark.name,
                            share,
                            arm.weapon,
                            mode,
                            arm.loaded,
                            aimed,
                            odds,
                            no,
                            ap,
                            order,
                        )
                    )
    return out


def ground(view: View, model: str) -> list[Way]:
    """Every second place one's model can get to, near first, with its AP at each of his gaits."""
    mover = own_model(view, model)
    if mover is None:
        return []
    out = []
    for spot in reachable(view, model):
        if sum(c // INCH for c in spot.at) % 2:
            continue
        crawl = 2 * movement.ceiling(spot.length) * movement.factor(mover)
        out.append(
            Way(
                " then ".join(map(notation.spot_text, spot.path)),
                spot.walk_ap if spot.walk_ap <= mover.ap and not mover.prone else None,
                spot.run_ap if spot.run_ap <= mover.ap and may_run(mover) else None,
                crawl if crawl <= mover.ap and mover.prone else None,
            )
        )
    far = 99
    out.sort(key=lambda way: (way.crawl or way.walk or far, way.run or far))
    return out


def may_run(model: Model) -> bool:
    laden = bool(model.carrying) and not model.may_run_laden
    return not (model.prone or model.wounds.slow or model.wounds.untreated or laden)


def reachable(view: View, model: str) -> tuple[reach.Spot, ...]:
    """The ground one's model can reach with the AP he has, and what walking and running cost."""
    mover = own_model(view, model)
    if mover is None or not mover.fit or mover.wounds.immobilized:
        return ()
    if mover.prone:
        crawled = mover.ap // (2 * movement.factor(mover)) * INCH
        return tuple(s for s in reach.spots(ways_of(view), mover, crawled) if s.length <= crawled)
    runs = may_run(mover)
    longest = mover.ap // 3 * 5 * INCH if runs else mover.ap * INCH // movement.factor(mover)
    return tuple(
        spot
        for spot in reach.spots(ways_of(view), mover, longest)
        if spot.walk_ap <= mover.ap or (runs and spot.run_ap <= mover.ap)
    )


def sightlines(view: View) -> list[Sightline]:
    """Whom each active model sees, how well, and the chance of a plain shot with his first gun."""
    if view.active is None:
        return []
    scene = scene_of(view)
    out = []
    for name in view.active.members:
        shooter = own_model(view, name)
        if shooter is None or not shooter.fit:
            continue
        gun = next((a.weapon for a in shooter.arms if a.weapon in library().weapons), "")
        for mark in view.others:
            if not mark.seen or mark.condition in ("dead", "captured"):
                continue
            share = sight.look(scene, shooter, mark).body
            if not share or not gun:
                continue
            mode = weapon(gun).modes[0].name
            odds = chances.to_hit(scene, view.options, shooter, mark, weapon(gun), mode)
            out.append(
                Sightline(
                    name, mark.name, share, gun, mode, odds.percent, odds.need, odds.modifiers
                )
            )
    return out
