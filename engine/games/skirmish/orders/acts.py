"""The orders of an activation: a check and an execution for each kind.

``check_act`` returns the cost of an order in AP, or raises IllegalMove with the rule; ``perform``
pays for it and carries it out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from engine.errors import IllegalMove, Sentence
from engine.games.skirmish import moves as m
from engine.games.skirmish import versions
from engine.games.skirmish.combat import arms, close, devices, fire, grenades, watching
from engine.games.skirmish.data.library import library, weapon
from engine.games.skirmish.events import Stood, Turned, Watching
from engine.games.skirmish.ground.scene import touching
from engine.games.skirmish.men import able, carrying, morale, things, wounds
from engine.games.skirmish.movement import movement, walking
from engine.games.skirmish.notation import write
from engine.games.skirmish.play import Play
from engine.games.skirmish.stages import activation
from engine.games.skirmish.state import Arm, Lying, Model

BANDAGE_AP, CARRY_AP, ROUSE_AP, LEARN_AP, BAYONET_AP = 5, 5, 3, 3, 2


def actor(play: Play, seat: int, name: str) -> Model:
    """The model of an order; raises IllegalMove if he cannot be given orders."""
    model = play.models.get(name)
    if model is None or model.seat != seat:
        raise IllegalMove("You have nobody called {name}.", rule="SKR-24", name=name)
    if not model.fit:
        raise IllegalMove("{name} is out of action.", rule="SKR-138", name=name)
    active = play.state.active
    if active is None or name not in active.members:
        raise _not_active(play, model)
    if model.broken or model.recalled:
        raise IllegalMove("{name} is beyond your orders now.", rule="SKR-146", name=name)
    if model.overpowered:
        raise IllegalMove("{name} is held down.", rule="SKR-132", name=name)
    return model


def _not_active(play: Play, model: Model) -> IllegalMove:
    """The reason why this man cannot be given orders."""
    active = play.state.active
    if active is not None:
        return IllegalMove("{who} is active; first “{who} end”.", rule="SKR-23", who=active.who)
    if model.name in play.state.done:
        return activation.why_not(play, model.seat, model.name)
    return IllegalMove(
        "{name} is not active. First: “activate {team}”.",
        rule="SKR-23",
        name=model.name,
        team=model.team,
    )


def check_act(play: Play, seat: int, move: m.ModelMove) -> int:
    """The AP the order costs; raises IllegalMove if it is impossible."""
    model = actor(play, seat, move.model)
    _check_aid_first(play, model, move)
    need = _cost(play, model, move)
    able.check_ap(model, need, model.ap)
    return need


def check_order(play: Play, seat: int, move: m.ModelMove) -> int:
    """As ``check_act``; also raises IllegalMove if there are no more orders that cost nothing."""
    need = check_act(play, seat, move)
    if need == 0:
        activation.check_free(play.state)
    return need


def _check_aid_first(play: Play, model: Model, move: m.ModelMove) -> None:
    """SKR-97, 137: a man who needs aid may only seek cover or aid; immobilized: by an option."""
    free = (m.Travel, m.Face, m.Stance, m.Drop, m.PutDown)
    own_aid = isinstance(move, m.Bandage) and move.patient == model.name
    if model.wounds.untreated and not isinstance(move, free) and not own_aid:
        raise IllegalMove(
            "{model} needs immediate aid: bandage him, or bring him to cover.",
            rule="SKR-97",
            model=model.name,
        )
    if (
        model.wounds.immobilized
        and not play.state.options.immobilized_may_act
        and not isinstance(move, m.Face)
        and not own_aid
    ):
        raise IllegalMove("{model} is immobilized.", rule="SKR-137", model=model.name)


def _cost(play: Play, model: Model, move: m.ModelMove) -> int:
    match move:
        case m.Travel():
            return movement.check_travel(movement.known_ways(play, model.seat), model, move)
        case m.Face(_, facing):
            if not 0 <= facing < 360:
                raise IllegalMove("A direction is from 0 to 359 degrees.", rule="SKR-53")
            return 0
        case m.Stance():
            return _check_stance(model, move)
        case m.Fire():
            fire.check_fire(play, model, move, model.ap)
            return fire.cost(move, play.state.options.spotter_pays)
        case m.Throw():
            grenades.check_throw(play, model, move)
            return weapon(move.grenade).modes[0].ap
        case m.OpFire():
            watching.check_opfire(play, model, move)
            return watching.WATCH_AP
        case m.Attack():
            close.check_attack(play, model, move)
            kind = weapon(move.weapon).close
            assert kind is not None
            return kind.ap
        case m.Tackle():
            close.check_tackle(play, model, move)
            return 0
        case m.Tie():
            close.check_tie(play, model, move)
            return close.TIE_AP
        case m.Demand():
            return _check_demand(play, model, move)
        case m.Place() | m.Trigger():
            return devices.check(play, model, move)
        case m.Reload():
            return _check_reload(model, move)
        case m.Learn():
            return _check_learn(model, move)
        case m.PickUp() | m.Drop():
            return _check_things(play, model, move)
        case m.FixBayonet():
            return _check_bayonet(play, model)
        case m.Bandage() | m.Rouse() | m.Carry() | m.PutDown():
            return _check_aid(play, model, move)


def _check_stance(model: Model, move: m.Stance) -> int:
    if model.prone == move.prone:
        state = Sentence("prone") if move.prone else Sentence("standing")
        raise IllegalMove(
            "{model} is {state} already.", rule="SKR-29", model=model.name, state=state
        )
    if not move.prone and model.wounds.immobilized:
        raise IllegalMove("{model} is immobilized.", rule="SKR-137", model=model.name)
    if move.prone and model.carrying:
        raise IllegalMove("Put down {load} first.", rule="SKR-140", load=model.carrying)
    return 0 if move.prone else movement.STAND_AP


def _check_demand(play: Play, model: Model, move: m.Demand) -> int:
    target = play.models.get(move.target)
    if (
        target is None
        or target.seat == model.seat
        or move.target not in play.in_sight_of(model.seat)
        or not morale.may_demand(play, model, target)
    ):
        raise IllegalMove("Only a broken enemy within 5 inches surrenders.", rule="SKR-148")
    return 0


def _check_reload(model: Model, move: m.Reload) -> int:
    kind = library().weapons.get(move.weapon)
    held = model.arm(move.weapon)
    if kind is None or held is None:
        raise IllegalMove(
            "{model} has no {weapon}.", rule="SKR-43", model=model.name, weapon=move.weapon
        )
    if held.loaded >= kind.magazine:
        raise IllegalMove("The {weapon} is full.", rule="SKR-43", weapon=kind.title)
    if not model.count(kind.calibre):
        raise IllegalMove(
            "{model} has no more {calibre} for the {weapon}.",
            rule="SKR-63",
            model=model.name,
            calibre=kind.calibre,
            weapon=kind.title,
        )
    able.check_arms(model, kind.hands)
    return kind.reload_ap


def _check_learn(model: Model, move: m.Learn) -> int:
    """SKR-9 to 12."""
    held = next((arm for arm in arms.strange(model) if arm.weapon == move.weapon), None)
    if held is None:
        raise IllegalMove(
            "{model} has no strange {weapon} to make out.",
            rule="SKR-9",
            model=model.name,
            weapon=move.weapon,
        )
    if held.barred:
        raise IllegalMove("{model} will never make it out.", rule="SKR-12", model=model.name)
    return LEARN_AP


def _one_by_one(play: Play, thing: str) -> bool:
    """Whether each costs 1 AP to pick up; rounds together, or a magazine would cost thirty."""
    weapons = library().weapons
    return thing in weapons and versions.things_are_picked_up_one_by_one(play.state)


def affordable(play: Play, model: Model, pile: Sequence[Lying]) -> int:
    """SKR-36: how many of these things he can pick up at once with his AP, at least one."""
    count = sum(item.count for item in pile)
    return min(count, max(1, model.ap)) if _one_by_one(play, pile[0].thing) else count


def _check_things(play: Play, model: Model, move: m.PickUp | m.Drop) -> int:
    """SKR-36, 37: weapons and counted things."""
    if move.count < 1:
        raise IllegalMove("At least one.", rule="SKR-36")
    if isinstance(move, m.PickUp):
        there = sum(item.count for item in things.piles(play, model).get(move.thing, ()))
        if not there:
            raise IllegalMove("That does not lie within reach.", rule="SKR-36")
        if there < move.count:
            raise IllegalMove("Only {number} of that within reach.", rule="SKR-36", number=there)
        if model.arm(move.thing) is not None:
            raise IllegalMove("{model} has one already.", rule="SKR-36", model=model.name)
        able.check_arms(model, 1)
        return move.count if _one_by_one(play, move.thing) else 1
    held = model.arm(move.thing) is not None
    if held and move.count == 1:
        return 0
    if not held and move.thing in model.gear:
        raise IllegalMove(
            "{model} keeps on him what he wears or has in his belt.",
            rule="SKR-37",
            model=model.name,
        )
    if model.count(move.thing) < move.count:
        raise IllegalMove(
            "{model} has {left} of that.",
            rule="SKR-37",
            model=model.name,
            left=model.count(move.thing) + held,
        )
    return 0


def _check_bayonet(play: Play, model: Model) -> int:
    if "bayonet" not in model.gear or model.bayonet_fixed:
        raise IllegalMove("{model} has no bayonet to fix.", rule="SKR-123", model=model.name)
    if not things.takes_a_bayonet(play, model):
        raise IllegalMove("{model} has no rifle to fix it to.", rule="SKR-123", model=model.name)
    if play.foes_in_contact(model):
        raise IllegalMove("It is too late for that.", rule="SKR-123")
    able.check_arms(model, 2)
    return BAYONET_AP


def _check_aid(play: Play, model: Model, move: m.Bandage | m.Rouse | m.Carry | m.PutDown) -> int:
    if isinstance(move, m.PutDown):
        if not model.carrying:
            raise IllegalMove("{model} carries nobody.", rule="SKR-140", model=model.name)
        return 0
    rule = {m.Bandage: "SKR-133", m.Rouse: "SKR-138", m.Carry: "SKR-140"}[type(move)]
    name = move.load if isinstance(move, m.Carry) else move.patient
    patient = play.models.get(name)
    unseen = (
        patient is not None
        and patient.seat != model.seat
        and name not in play.in_sight_of(model.seat)
    )
    if patient is None or unseen:
        raise IllegalMove("There is nobody called {name} to help.", rule=rule, name=name)
    if patient.condition == "dead":
        raise IllegalMove("{name} is dead.", rule=rule, name=name)
    if patient.name != model.name and not (
        touching(model, patient) or patient.carried_by == model.name
    ):
        raise IllegalMove(
            "{model} is not in base contact with {name}.",
            rule=rule,
            model=model.name,
            name=name,
        )
    if isinstance(move, m.Bandage):
        return _check_bandage(play, model, patient)
    if isinstance(move, m.Rouse):
        if patient.condition != "unconscious" or patient.hp <= 0 or patient.wake_help:
            raise IllegalMove("{name} cannot be helped that way.", rule="SKR-138", name=name)
        if patient.seat != model.seat:
            raise IllegalMove("{name} is an enemy.", rule="SKR-138", name=name)
        return ROUSE_AP
    return _check_carry(play, model, patient)


def _check_bandage(play: Play, model: Model, patient: Model) -> int:
    hurt = patient.wounds
    if patient.seat == model.seat:
        hurts = hurt.untreated or hurt.bleeding or patient.hp < patient.abilities.hp
        needed = hurts and not patient.bandaged
    elif versions.anybody_bandages(play.state):
        needed = hurt.bleeding or not patient.fit  # the rest of an enemy's health is secret
    else:
        raise IllegalMove("{name} is an enemy.", rule="SKR-133", name=patient.name)
    if not needed:
        raise IllegalMove("{name} needs no bandage.", rule="SKR-133", name=patient.name)
    if patient.name == model.name and able.good_arms(model) < 1:
        raise IllegalMove("{name} has no good arm.", rule="SKR-133", name=patient.name)
    if patient.name != model.name:
        able.check_arms(model, 1)
    return BANDAGE_AP


def _check_carry(play: Play, model: Model, patient: Model) -> int:
    """SKR-140: a wounded friend, or a tied or unconscious enemy."""
    friend = patient.seat == model.seat and (
        patient.condition == "unconscious" or patient.hp < patient.abilities.hp
    )
    enemy = patient.seat != model.seat and patient.condition in ("captured", "unconscious")
    if (
        not (friend or enemy)
        or model.carrying
        or (model.carried_by and versions.the_carried_are_loads(play.state))
        or patient.carried_by
        or patient.carrying
        or patient.name == model.name
        or model.prone
    ):
        raise IllegalMove(
            "{model} cannot carry {name}.", rule="SKR-140", model=model.name, name=patient.name
        )
    able.check_arms(model, 2)
    return CARRY_AP


# --- carrying out orders ---


def perform(play: Play, move: m.ModelMove, cost: int) -> None:
    """Pays for a checked order and carries it out."""
    model = play.models[move.model]
    # SKR-129: an action that costs points comes after the shot that distracted him
    distracted = model.distracted and (cost == 0 or isinstance(move, m.Attack))
    ran_on = model.ran_on if cost == 0 or isinstance(move, m.Travel) else 0
    play.put(move.model, ap=model.ap - cost, distracted=distracted, ran_on=ran_on)
    if not isinstance(move, m.Travel | m.Face | m.OpFire | m.Demand):
        before = dict(play.models)
        watching.interrupts(play, move.model)
        if _may_hinder(play, move, before) and not _still_possible(play, move, cost):
            # SKR-46: what hit him, or somebody the act needs, has made it impossible
            play.note_prevented(move.model)
            return
    match move:
        case m.Travel():
            walking.travel(play, move)
        case m.Face(_, facing):
            play.put(move.model, facing=facing)
            play.tell(Turned(who=move.model, facing=facing, readers=play.readers(move.model)))
        case m.Stance(_, prone):
            play.put(move.model, prone=prone)
            play.tell(Stood(who=move.model, prone=prone, readers=play.readers(move.model)))
        case m.Fire():
            fire.pay_spotter(play, move)
            fire.fire(play, move)
        case m.Throw():
            grenades.throw(play, move)
        case m.OpFire():
            play.put(move.model, watch=move)
            play.tell(Watching(who=move.model, order=write(move), readers=(model.seat,)))
        case m.Attack():
            close.attack(play, move)
        case m.Tackle():
            close.tackle(play, move)
        case m.Tie():
            close.tie(play, move)
        case m.Demand(_, target):
            morale.surrender(play, target, move.model)
        case m.Place() | m.Trigger():
            devices.perform(play, move)
        case _:
            _small_act(play, move)


def _may_hinder(play: Play, move: m.ModelMove, before: Mapping[str, Model]) -> bool:
    """Whether Op-Fire has changed him, or anybody else except the enemies who wait with orders.

    Or whether the floor that he aims at has collapsed.
    """
    who = move.model
    if isinstance(move, m.Fire | m.Throw) and move.floor not in play.terrain.floors:
        return True
    if not versions.hits_on_others_may_hinder(play.state):
        return play.models[who] != before[who]
    own = before[who].seat
    return any(
        play.models[name] != man
        for name, man in before.items()
        if man.seat == own or man.watch is None
    )


def _still_possible(play: Play, move: m.ModelMove, cost: int) -> bool:
    """Checks an order again after its AP are paid."""
    now = play.models[move.model]
    play.put(move.model, ap=now.ap + cost)
    play.eyes = now.seat
    try:
        check_act(play, now.seat, move)
    except IllegalMove:
        return False
    finally:
        play.eyes = None
        play.put(move.model, ap=now.ap)
    return True


def _small_act(play: Play, move: m.ModelMove) -> None:
    match move:
        case m.Reload():
            reload(play, move.model, move.weapon)
        case m.Learn():
            learn(play, move.model, move.weapon)
        case m.PickUp():
            pick_up(play, move)
        case m.Drop(who, thing, count):
            things.lay(play, who, thing, count)
            play.note(who, "drop", thing, count)
        case m.FixBayonet():
            able.use_arms(play, move.model, 2)
            play.put(move.model, bayonet_fixed=True)
            play.note(move.model, "fix bayonet")
        case m.Bandage(_, patient):
            _use_for_bandage(play, move)
            wounds.bandage(play, move.model, patient)
        case m.Rouse(_, patient):
            play.put(patient, wake_help=True)
            play.note(move.model, "rouse", patient)
        case m.Carry(_, load):
            able.use_arms(play, move.model, 2)
            man = play.models[move.model]
            play.put(move.model, carrying=load, may_run_laden=False)
            play.put(load, carried_by=move.model, x=man.x, y=man.y, floor=man.floor)
            play.note(move.model, "carry", load)
        case m.PutDown():
            load = play.models[move.model].carrying
            carrying.put_down(play, move.model)
            play.note(move.model, "put down", load)


def _use_for_bandage(play: Play, move: m.Bandage) -> None:
    """SKR-133: himself he bandages with a good arm, which leaves a hurt one its act."""
    if move.patient != move.model or not versions.good_arms_spare_hurt_ones(play.state):
        able.use_arms(play, move.model, 1)


def reload(play: Play, who: str, name: str) -> None:
    """SKR-43: a magazine from the rounds he carries, or one shell."""
    model, kind = play.models[who], weapon(name)
    held = model.arm(name)
    assert held is not None
    room = 1 if kind.shell_by_shell else kind.magazine - held.loaded
    rounds = min(room, model.count(kind.calibre))
    things.use_up(play, who, kind.calibre, rounds)
    _put_arm(play, who, replace(held, loaded=held.loaded + rounds))
    able.use_arms(play, who, kind.hands)
    play.note(who, "reload", name, rounds)


def _put_arm(play: Play, who: str, arm: Arm) -> None:
    def changed(known: tuple[Arm, ...]) -> tuple[Arm, ...]:
        return tuple(arm if one.weapon == arm.weapon else one for one in known)

    model = play.models[who]
    play.put(who, arms=changed(model.arms), dropped=changed(model.dropped))


def learn_number(knowledge: int, difficulty: int) -> int:
    """SKR-10."""
    return 5 + knowledge - difficulty


def learn(play: Play, who: str, name: str) -> None:
    model = play.models[who]
    held = next(arm for arm in arms.strange(model) if arm.weapon == name)
    need = learn_number(model.abilities.wk, weapon(name).difficulty)
    learnt = play.roll("weapon knowledge", need, who=who) <= need
    _put_arm(play, who, replace(held, tried=True, learnt=learnt))
    play.note(who, "learnt" if learnt else "failed to learn", name)


def pick_up(play: Play, move: m.PickUp) -> None:
    pile, left = things.piles(play, play.models[move.model])[move.thing], move.count
    for item in pile:
        some = min(left, item.count)
        if some:
            things.take(play, item, some)
        left -= some
    model = play.models[move.model]
    kind = library().weapons.get(move.thing)
    if kind is not None and kind.kind == "gun":
        arm = replace(things.knowledge(play, model, move.thing), loaded=pile[0].loaded)
        dropped = tuple(a for a in model.dropped if a.weapon != move.thing)
        play.put(move.model, arms=(*model.arms, arm), dropped=dropped)
    else:
        things.note_strange(play, move.model, move.thing)
        stock = dict(model.stock)
        stock[move.thing] = stock.get(move.thing, 0) + move.count
        play.put(move.model, stock=tuple(sorted(stock.items())))
    able.use_arms(play, move.model, 1)
    play.note(move.model, "pick up", move.thing, move.count)
