"""Hand-to-hand combat: SKR-119 to 132d."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from engine.errors import IllegalMove
from engine.games.skirmish import versions
from engine.games.skirmish.combat import chances
from engine.games.skirmish.data.library import Weapon, library, weapon
from engine.games.skirmish.events import Changed, Fought
from engine.games.skirmish.ground import geometry
from engine.games.skirmish.ground.geometry import INCH, Point
from engine.games.skirmish.ground.scene import CONTACT, touching
from engine.games.skirmish.ground.terrain import BASE
from engine.games.skirmish.men import able, carrying, morale, wounds
from engine.games.skirmish.moves import Attack, Tackle, Tie, Travel
from engine.games.skirmish.play import Play
from engine.games.skirmish.state import Model

CHARGE = 3 * INCH
TIE_AP = 2
PARTING_AP = 3


def attack_number(own: int, other: int, reversed_: bool = False) -> int:
    """SKR-119: 5 + own - opponent's; the source's heading has it reversed."""
    return 5 + other - own if reversed_ else 5 + own - other


def hand_weapons(model: Model) -> list[str]:
    """The weapons he can fight with hand to hand."""
    out = ["unarmed"]
    for thing in (*model.gear, *(arm.weapon for arm in model.arms)):
        kind = library().weapons.get(thing)
        if kind is None or kind.close is None:
            continue
        held = model.arm(thing)
        if held is not None and not (held.own or held.learnt):
            continue
        if thing != "bayonet" or model.bayonet_fixed:
            out.append(thing)
    if any(weapon(arm.weapon).kind == "gun" for arm in model.arms):
        out.append("club")
    return out


def is_blunt(name: str) -> bool:
    """SKR-131: whether it can knock somebody out."""
    kind = weapon(name).close
    return kind is not None and kind.blunt


def blows(model: Model, foe: str) -> Iterator[Attack]:
    """An attack on an enemy with each thing he can fight with; with a blunt one two."""
    for name in hand_weapons(model):
        yield Attack(model.name, foe, name)
        if is_blunt(name):
            yield Attack(model.name, foe, name, knockout=True)


def best_weapon(model: Model, knockout: bool = False) -> str:
    """The usable weapon with the best bonus, then the worst wounds; to knock out, a blunt one."""

    def worth(name: str) -> tuple[bool, int, int, str]:
        kind, fits = weapon(name).close, is_blunt(name) or not knockout
        return (fits, kind.bonus, kind.dpr, name) if kind is not None else (False, -9, 0, name)

    return max(hand_weapons(model), key=worth)


def attack_modifiers(play: Play, model: Model, foe: Model, kind: Weapon) -> list[tuple[str, int]]:
    """SKR-122 to 130: the modifiers of one side."""
    assert kind.close is not None
    out = [("weapon", kind.close.bonus)]
    if model.charged >= CHARGE:
        out.append(("charge", 1))
        used = kind.name == "bayonet" or not versions.bayonets_charge_alone(play.state)
        if model.bayonet_fixed and used:
            out.append(("charge with bayonet", 1))
    in_cover = foe.charge_from_cover or model.name in foe.charged_in_cover
    if foe.charged >= CHARGE and in_cover:
        out.append(("in cover when charged", 1))
    if play.terrain.height(model.floor) - play.terrain.height(foe.floor) >= INCH:
        out.append(("high ground", 1))
    if model.prone and not foe.prone:
        out.append(("prone", -1))
    if "deadly-hands" in model.skills:
        out.append(("deadly hands", 2))
    elif "trained" in model.skills:
        out.append(("trained", 1))
    if was_shooting(play, foe):
        out.append(("opponent was shooting", 1))
    return [part for part in out if part[1]]


def was_shooting(play: Play, model: Model) -> bool:
    """SKR-129, 132c: whether his last action was a shot that distracted him from this fight."""
    if versions.only_shots_out_of_close_combat_distract(play.state):
        return model.distracted
    return model.last_act == "ranged"


def check_attack(play: Play, model: Model, order: Attack) -> None:
    foe = play.models.get(order.target)
    kind = library().weapons.get(order.weapon)
    if foe is None or foe.seat == model.seat or foe.name not in play.in_sight_of(model.seat):
        raise IllegalMove("There is no such enemy to fight.", rule="SKR-119")
    if foe.condition in ("dead", "captured"):
        raise IllegalMove("{name} is out of action.", rule="SKR-119", name=foe.name)
    if not touching(model, foe):
        raise IllegalMove(
            "{model} is not in base contact with {foe}.",
            rule="SKR-119",
            model=model.name,
            foe=order.target,
        )
    if kind is None or kind.close is None or order.weapon not in hand_weapons(model):
        raise IllegalMove(
            "{model} cannot fight with “{thing}”. He has: {things}.",
            rule="SKR-120",
            model=model.name,
            thing=order.weapon,
            things=", ".join(hand_weapons(model)),
        )
    able.check_ap(model, kind.close.ap, model.ap, "SKR-120")
    able.check_arms(model, kind.hands)
    if order.knockout and not is_blunt(order.weapon):
        raise IllegalMove("A knock-out takes a blunt thing.", rule="SKR-131")


def attack(play: Play, order: Attack) -> None:
    """SKR-119, 121, 131: carries out one attack whose AP are paid."""
    model, foe = play.models[order.model], play.models[order.target]
    kind = weapon(order.weapon)
    assert kind.close is not None
    play.put(order.model, facing=geometry.bearing(model.at, foe.at))
    able.use_arms(play, order.model, kind.hands)
    own = attack_modifiers(play, model, foe, kind)
    his = attack_modifiers(play, foe, model, weapon("unarmed"))
    need = attack_number(
        model.abilities.cq + sum(value for _, value in own),
        foe.abilities.cq + sum(value for _, value in his),
        play.state.options.close_combat_reversed,
    )
    told = Fought(
        who=order.model,
        target=order.target,
        weapon=order.weapon,
        need=need,
        modifiers=(*own, *((f"his {label}", -value) for label, value in his)),
        readers=play.readers(order.model, order.target),
    )
    names_first = versions.fights_name_both_before_the_die(play.state)
    if names_first:
        play.tell(told)
    die = play.roll("close combat", need, who=order.model)
    success = chances.hits(die, need)
    if not names_first:
        play.tell(replace(told, success=success))
    _note_exchange(play, order.model, order.target, success)
    if not success:
        return
    hurt = order.target
    if order.knockout:
        subdued = foe.overpowered != "" or foe.condition == "unconscious"
        if subdued or (play.roll("location", who=hurt) == 1 and die == 1):
            wounds.knock_out(play, hurt, order.model)
        return
    if versions.blows_hit_carrier_or_load(play.state):
        hurt = carrying.carrier_or_load(play, hurt)
    spot = play.roll("location", who=hurt)
    wounds.wound(play, hurt, order.model, wounds.location(spot), kind.close.dpr)


def _note_exchange(play: Play, who: str, foe: str, won: bool) -> None:
    """SKR-132a, 132c: records the winner, and that it was both men's last action."""
    play.put(who, charged=0, last_act="won" if won else "lost", distracted=False)
    play.put(foe, last_act="lost" if won else "won", distracted=False)


def check_tackle(play: Play, model: Model, order: Tackle) -> None:
    foe = play.models.get(order.target)
    if foe is None or foe.seat == model.seat or not foe.fit or not touching(model, foe):
        raise IllegalMove("There is nobody in base contact to tackle.", rule="SKR-132")
    just_now = model.ran_on > 0 or not versions.runs_add_up(play.state)
    if not model.charged or not just_now:
        raise IllegalMove(
            "{model} must have run into contact just now.", rule="SKR-132", model=model.name
        )


def tackle_number(own: int, other: int) -> int:
    """SKR-132."""
    return 5 + own - other


def tackle(play: Play, order: Tackle) -> None:
    model, foe = play.models[order.model], play.models[order.target]
    need = tackle_number(model.abilities.st, foe.abilities.st)
    at = order.target if versions.fights_name_both_before_the_die(play.state) else ""
    success = chances.hits(play.roll("tackle", need, who=order.model, at=at), need)
    _note_exchange(play, order.model, order.target, success)
    if success:
        play.put(order.target, prone=True, overpowered=order.model, watch=None)
        if not versions.waking_has_points(play.state):
            play.put(order.target, ap=0)
        readers = play.readers(order.model, order.target)
        play.tell(Changed(who=order.target, what="overpowered", by=order.model, readers=readers))


def check_tie(play: Play, model: Model, order: Tie) -> None:
    """SKR-132; an unconscious man can be tied, too."""
    foe = play.models.get(order.target)
    if (
        foe is None
        or foe.seat == model.seat
        or not touching(model, foe)
        or not (foe.overpowered or foe.condition == "unconscious")
        or foe.condition in ("dead", "captured")
    ):
        raise IllegalMove("Only somebody overpowered can be tied.", rule="SKR-132")
    if model.ap < TIE_AP:
        raise IllegalMove("Tying takes {need} AP.", rule="SKR-132", need=TIE_AP)


def tie(play: Play, order: Tie) -> None:
    morale.surrender(play, order.target, order.model)


def attack_who_leaves(play: Play, move: Travel) -> None:
    """SKR-132a: a man who leaves without having won is struck once by each opponent."""
    model = play.models[move.model]
    if model.last_act == "won":
        return
    for foe in play.foes_in_contact(model):
        if _stays_in_contact(play, move, foe):
            continue
        best = "" if able.kept_from_acting(play, foe) else parting_weapon(foe)
        if best and play.models[move.model].fit:
            attack(play, Attack(foe.name, move.model, best))


def stays_with(play: Play, move: Travel) -> tuple[str, ...]:
    """The enemies with whom he is in contact all the way."""
    foes = play.foes_in_contact(play.models[move.model])
    return tuple(foe.name for foe in foes if _stays_in_contact(play, move, foe))


def _stays_in_contact(play: Play, move: Travel, foe: Model) -> bool:
    if not versions.any_corner_leaves_contact(play.state):
        return geometry.distance(move.path[0], foe.at) <= CONTACT
    near = all(geometry.distance(corner, foe.at) <= CONTACT for corner in move.path)
    return near and move.floor == foe.floor


def parting_weapon(model: Model) -> str:
    """His best weapon for an attack of 3 AP."""
    fit = []
    for name in hand_weapons(model):
        kind = weapon(name)
        if kind.close is not None and kind.close.ap <= PARTING_AP:
            try:
                able.check_arms(model, kind.hands)
            except IllegalMove:
                continue
            fit.append((kind.close.dpr + 2 * kind.close.bonus, name))
    return max(fit)[1] if fit else ""


def beside(at: Point, foe: Point) -> Point:
    """The place in base contact to fight somebody, in tenths of an inch if there is one."""
    exact = geometry.along(foe, at, BASE + 5)
    x, y = geometry.tidy(exact)
    steps = (-geometry.TIDY, 0, geometry.TIDY)
    tidy = [(x + east, y + north) for east in steps for north in steps]
    near = [spot for spot in tidy if BASE <= geometry.distance(foe, spot) <= CONTACT]
    return min(near, key=lambda spot: geometry.distance(spot, exact), default=exact)
