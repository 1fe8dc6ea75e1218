"""Another state that a seat cannot distinguish from the given one: hidden things are random."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from engine.dice import Dice
from engine.game import Seat
from engine.games.skirmish import view as views
from engine.games.skirmish.ground import geometry
from engine.games.skirmish.ground.geometry import Point
from engine.games.skirmish.ground.scene import Scene, touching
from engine.games.skirmish.ground.terrain import BASE, GROUND
from engine.games.skirmish.play import is_night, terrain_of
from engine.games.skirmish.sight import spotting
from engine.games.skirmish.stages import building, deploying
from engine.games.skirmish.state import Contact, Device, Model, State

WHERE = "other world"


def other_world(state: State, seat: Seat | None, dice: Dice) -> State:
    """Randomises secret submissions, enemies out of sight, and what enemies carry, see and plan."""
    if state.stage == "over":
        return state
    others = [s for s in (0, 1) if s != seat]
    if state.stage == "building":
        builds = tuple(
            building.random_build(state.options.points, dice, WHERE)
            if s in others and build is not None
            else build
            for s, build in enumerate(state.builds)
        )
        return replace(state, builds=builds)
    if state.stage == "deployment" and seat is not None and state.options.deployment == "turns":
        return state
    if state.stage == "deployment":
        places = tuple(
            deploying.random_deploy(state, s, dice, WHERE)
            if s in others and place is not None
            else place
            for s, place in enumerate(state.places)
        )
        return replace(state, places=places)
    if state.stage not in ("initiative", "activation"):
        return state
    own = tuple(model for model in state.models if model.seat == seat)
    state = replace(state, lying=views.lying_in_sight(state, own))
    for other in others:
        state = _random_side(state, seat, other, dice)
    return state


def _random_side(state: State, seat: Seat | None, other: Seat, dice: Dice) -> State:
    watching = 1 - other
    seen = {c.model for c in state.contacts[watching] if c.seen}
    if not state.options.hidden_enemies:
        seen = {model.name for model in state.models}
    models = list(state.models)
    spots = _places(state, dice)
    for number, model in enumerate(models):
        if model.seat != other:
            continue
        changed = _inside(model, dice)
        if model.name not in seen and not model.carried_by and not model.carrying:
            changed = _moved(state, models, changed, watching, spots)
            if state.chooser == watching and sum(m.fit for m in models if m.seat == other) > 1:
                changed = _maybe_unconscious(changed, dice)
        models[number] = changed
    contacts = list(state.contacts)
    if state.options.hidden_enemies:
        contacts[other] = _random_contacts(models, state.contacts[other], watching, dice)
        models = [_eyes(m, contacts[other]) if m.seat == other else m for m in models]
    devices = tuple(
        _moved_device(device, spots, number) if device.seat == other else device
        for number, device in enumerate(state.devices)
    )
    shots = tuple(s for s in state.shots if s.readers is None or seat in s.readers)
    return replace(
        state, models=tuple(models), devices=devices, shots=shots, contacts=tuple(contacts)
    )


def _maybe_unconscious(model: Model, dice: Dice) -> Model:
    """Randomly makes a fit man unconscious: the seat cannot know if he is."""
    if not model.fit or dice.roll(WHERE, "fainted", 4) > 1:
        return model
    return replace(model, condition="unconscious", prone=True, broken="", ap=0)


def _random_contacts(
    models: list[Model], contacts: tuple[Contact, ...], watching: Seat, dice: Dice
) -> tuple[Contact, ...]:
    """Randomises which of the watching seat's models the enemy sees: the seat does not know."""
    known = {contact.model: contact for contact in contacts}
    for model in models:
        if model.seat != watching or any(touching(model, m) for m in models if m.seat != watching):
            continue
        match dice.roll(WHERE, "noticed", 3):
            case 1:
                known.pop(model.name, None)
            case 2:
                known[model.name] = spotting.contact_of(model, model.number, 1000)
            case _:
                old = known.get(model.name, spotting.contact_of(model, 1, 1000))
                known[model.name] = replace(old, seen=False)
    return tuple(known[name] for name in sorted(known))


def _eyes(model: Model, contacts: tuple[Contact, ...]) -> Model:
    """What he sees and has spotted, limited to his side's map."""
    seen = tuple(contact.model for contact in contacts if contact.seen)
    return replace(
        model,
        sees=seen if model.fit else (),
        known=tuple(name for name in model.known if name in seen),
    )


def _inside(model: Model, dice: Dice) -> Model:
    """Randomises what cannot be seen of a man: health, rounds, plans."""
    hp = dice.roll(WHERE, "health", model.abilities.hp) if model.fit else model.hp
    arms = tuple(
        replace(arm, loaded=dice.roll(WHERE, "rounds", arm.loaded + 1) - 1) for arm in model.arms
    )
    stock = tuple((thing, dice.roll(WHERE, thing, count)) for thing, count in model.stock)
    return replace(
        model,
        hp=hp,
        arms=arms,
        dropped=(),
        stock=stock,
        watch=None,
        ap=dice.roll(WHERE, "points", model.ap + 1) - 1,
        morale_checks=dice.roll(WHERE, "morale checks", 3) - 1,
        saw_leader_die=dice.roll(WHERE, "saw his leader die", 2) == 1,
        ran_last_turn=dice.roll(WHERE, "ran", 2) == 1,
        rerolled=dice.roll(WHERE, "rerolled", 2) == 1,
    )


def _places(state: State, dice: Dice) -> Sequence[Point]:
    ground = terrain_of(state).grounds[GROUND]
    nodes = [
        (x, y)
        for x in range(1500, state.table.width - 1000, 3000)
        for y in range(1500, state.table.depth - 1000, 3000)
    ]
    return dice.shuffle(WHERE, "places", ground.held(nodes))


def _moved(
    state: State, models: list[Model], model: Model, watching: Seat, spots: Sequence[Point]
) -> Model:
    """The same man at another place where none of the watching side sees him."""
    scene = Scene(terrain_of(state), tuple(models), state.smoke, is_night(state.options))
    watchers = [m for m in models if m.seat == watching]
    for spot in spots:
        if any(
            m.name != model.name and m.floor == GROUND and geometry.distance(m.at, spot) < BASE
            for m in models
        ):
            continue
        facing = (spot[0] + spot[1]) // 1000 % 360
        there = replace(model, x=spot[0], y=spot[1], floor=GROUND, facing=facing)
        generous = state.options.generous_night_sight
        if not any(
            spotting.notices(spotting.spots(scene, w, there, generous), w, there) for w in watchers
        ):
            return there
    return model


def _moved_device(device: Device, spots: Sequence[Point], number: int) -> Device:
    spot = spots[number % len(spots)]
    return replace(device, x=spot[0], y=spot[1], floor=GROUND)
