"""What a seat may see, built from scratch."""

from __future__ import annotations

from functools import cache

import msgspec

from engine.game import Outcome, Seat
from engine.games.skirmish import notation
from engine.games.skirmish.combat import chances
from engine.games.skirmish.data.library import Objective, library, weapon
from engine.games.skirmish.events import Ending
from engine.games.skirmish.ground.geometry import Rect
from engine.games.skirmish.ground.scene import Cloud, Figure, Scene
from engine.games.skirmish.ground.terrain import Breach, TableForm, terrain
from engine.games.skirmish.men import things
from engine.games.skirmish.meta import SkirmishOptions
from engine.games.skirmish.moves import Build, Deploy
from engine.games.skirmish.play import is_night, scenario, terrain_of, turn_limit
from engine.games.skirmish.sight import sight, spotting
from engine.games.skirmish.stages import building, deploying
from engine.games.skirmish.state import (
    Activation,
    Condition,
    Contact,
    Device,
    Gait,
    LevelPoints,
    Lying,
    Model,
    Shot,
    State,
)


class Seen(msgspec.Struct, frozen=True):
    """A model of the other side: in sight, or a marker where it was last seen."""

    name: str
    team: str
    seat: Seat
    x: int
    y: int
    floor: str
    facing: int
    prone: bool
    condition: Condition
    gait: Gait
    broken: bool
    bleeding: bool
    flashed: bool
    #: Whether he is in sight now; if not, see the turn he was last seen in.
    seen: bool
    turn: int
    #: The largest share of his body that any of the seat's models sees, in thousandths.
    share: int
    #: By whom (SKR-132).
    overpowered: str = ""
    carried_by: str = ""


class Force(msgspec.Struct, frozen=True):
    """A force list, public from deployment on."""

    seat: Seat
    order: str
    points: int
    teams: tuple[str, ...]


class Sightline(msgspec.Struct, frozen=True):
    """How well a model sees an enemy, and the chance of a plain shot."""

    model: str
    target: str
    share: int
    weapon: str
    mode: str
    percent: int
    need: int
    modifiers: tuple[tuple[str, int], ...]


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
    #: Models that have been activated this turn: the seat's own, or in sight.
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

    def own_model(self, name: str) -> Model | None:
        """One of the seat's own models."""
        return next((model for model in self.own if model.name == name), None)

    @property
    def heaps(self) -> tuple[tuple[Lying, ...], ...]:
        """What lies at one place, together."""
        heaps: dict[tuple[int, int, str], tuple[Lying, ...]] = {}
        for item in self.lying:
            place = (item.x, item.y, item.floor)
            heaps[place] = (*heaps.get(place, ()), item)
        return tuple(heaps.values())


def open_view(state: State, pending: tuple[Seat, ...]) -> View:
    """Everything, for when the match is over: both forces, charges and all shots."""
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
    story = scenario(state.options)
    own = tuple(m for m in state.models if m.seat == seat)
    others = seen_models(state, seat) if placed(state) else deployed(state, seat)
    partial = View(
        seat=seat,
        stage=state.stage,
        options=state.options,
        pending=pending,
        turn=state.turn,
        turns=turn_limit(state.options),
        night=is_night(state.options),
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
    """The current activation; only its own seat sees its progress."""
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
    """Enemies from the seat's contacts; none for an onlooker, unless everybody sees everybody.

    Players do not know which of their models the enemy sees: an onlooker could tell them.
    """
    if state.stage == "over" or not state.options.hidden_enemies:
        return tuple(_plain(state, model) for model in state.models if model.seat != seat)
    if seat is None:
        return ()
    return tuple(_from_contact(1 - seat, c) for c in state.contacts[seat])


def deployed(state: State, seat: Seat | None) -> tuple[Seen, ...]:
    """SKR-18: where the enemy stands who has deployed first; nobody where both do so in secret."""
    if seat is None or state.stage != "deployment" or state.options.deployment != "turns":
        return ()
    order = state.places[1 - seat]
    places = () if order is None else order.places
    men = {model.name: model for model in state.models}
    return tuple(_plain(state, deploying.stand(men[place.model], place)) for place in places)


def _from_contact(seat: Seat, contact: Contact) -> Seen:
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
        overpowered=contact.overpowered,
        carried_by=contact.carried_by,
    )


def _plain(state: State, model: Model) -> Seen:
    """As whoever sees all of him."""
    return _from_contact(model.seat, spotting.contact_of(model, state.turn, 1000))


def _done(state: State, own: tuple[Model, ...], others: tuple[Seen, ...]) -> tuple[str, ...]:
    known = {m.name for m in own} | {m.name for m in others if m.seen}
    return tuple(name for name in state.done if name in known)


def lying_in_sight(state: State, own: tuple[Model, ...]) -> tuple[Lying, ...]:
    """Things on the ground that the seat's models see or can reach.

    What an enemy fell with they see only at hand: it was in his pockets.
    """
    if not state.lying or not own:
        return ()
    ground = terrain_of(state)
    scene = Scene(ground, ())
    fit = [m for m in own if m.fit and m.floor in ground.floors]
    plain = {"", *(m.name for m in own)}

    # what somebody fell with lies at one place
    @cache
    def in_sight(x: int, y: int, floor: str) -> bool:
        height = ground.height(floor) + 100
        return any(sight.sees_spot(scene, m, (x, y), height) for m in fit)

    return tuple(
        item
        for item in state.lying
        if (item.of in plain and in_sight(item.x, item.y, item.floor))
        or any(things.at_hand(m, item) for m in fit)
    )


# --- line of sight ---


def scene_of(view: View) -> Scene:
    """The scene as far as this view knows it."""
    ground = terrain(view.table, view.collapsed, view.breaches)
    figures: list[Figure] = [*view.own, *(m for m in view.others if m.seen)]
    return Scene(ground, figures, view.smoke, view.night)


def sightlines(view: View) -> list[Sightline]:
    """The enemies each active model sees, how well, and the chance of a plain shot with his gun."""
    if view.active is None:
        return []
    scene = scene_of(view)
    out = []
    for name in view.active.members:
        shooter = view.own_model(name)
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
