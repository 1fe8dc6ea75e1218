"""Weapons in hand, and their ammunition: SKR-9, 12, 63, 67, 180."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from engine.errors import IllegalMove
from engine.games.skirmish import versions
from engine.games.skirmish.combat import chances
from engine.games.skirmish.data.library import Mode, Weapon, faction, library, weapon
from engine.games.skirmish.events import Fired, Interrupted
from engine.games.skirmish.play import Play
from engine.games.skirmish.state import Arm, Model


def arm_in_hand(model: Model, name: str) -> Arm:
    """The weapon he carries, if he may use it: SKR-9, 12."""
    held = model.arm(name)
    if held is None:
        raise IllegalMove("{model} has no {weapon}.", rule="SKR-63", model=model.name, weapon=name)
    check_known(model, name)
    return held


def gun(model: Model, name: str) -> Weapon:
    """SKR-63: the gun that an order names; if it names none, he has none."""
    kind = library().weapons.get(name)
    if not name:
        raise IllegalMove("{model} has no gun.", rule="SKR-63", model=model.name)
    if kind is None or kind.kind != "gun":
        raise IllegalMove("“{thing}” is no gun.", rule="SKR-63", thing=name)
    return kind


def mode_of(kind: Weapon, name: str) -> Mode:
    """SKR-68: the way in which an order fires it."""
    mode = kind.mode(name)
    if mode is None:
        raise IllegalMove(
            "The {weapon} does not fire {mode}.", rule="SKR-68", weapon=kind.title, mode=name
        )
    return mode


def strange(model: Model) -> Iterator[Arm]:
    """SKR-9: what he knows of the weapons he has and cannot use, grenades and mines as well."""
    counted = (arm for arm in model.dropped if model.count(arm.weapon))
    return (arm for arm in (*model.arms, *counted) if not (arm.own or arm.learnt))


def check_known(model: Model, name: str) -> None:
    """SKR-9: raises IllegalMove if he must make out the weapon first."""
    if any(arm.weapon == name for arm in strange(model)):
        raise IllegalMove(
            "{model} must first learn to use the {weapon}.",
            rule="SKR-9",
            model=model.name,
            weapon=weapon(name).title,
        )


def check_rounds(kind: Weapon, held: Arm, mode: Mode) -> None:
    """SKR-63: checks that what is loaded is enough."""
    if not held.loaded:
        raise IllegalMove("The {weapon} is empty.", rule="SKR-63", weapon=kind.title)
    if held.loaded < mode.dice:
        raise IllegalMove(
            "There are {loaded} rounds in the {weapon}; that takes {need}.",
            rule="SKR-63",
            loaded=held.loaded,
            weapon=kind.title,
            need=mode.dice,
        )


def spend_rounds(play: Play, who: str, name: str, rounds: int) -> None:
    model = play.models[who]
    arms = tuple(
        replace(arm, loaded=arm.loaded - rounds, shots=arm.shots + 1) if arm.weapon == name else arm
        for arm in model.arms
    )
    play.put(who, arms=arms)


def may_reroll(model: Model) -> bool:
    return "expert-rifleman" in faction(model.faction).innate and not model.rerolled


def check_reroll(model: Model, allowed: bool = True) -> None:
    if not (allowed and may_reroll(model)):
        raise IllegalMove("{model} has no re-roll left.", rule="SKR-180", model=model.name)


def roll_to_hit(play: Play, order_model: str, need: int, reroll: bool, at: str = "") -> bool:
    """One die; SKR-180: a written re-roll is used on the first miss, once a game."""
    if chances.hits(play.roll("to hit", need, who=order_model, at=at), need):
        return True
    if reroll and may_reroll(play.models[order_model]):
        play.put(order_model, rerolled=True)
        return chances.hits(play.roll("to hit", need, who=order_model, at=at), need)
    return False


def tell_attack(play: Play, event: Fired | Interrupted) -> tuple[int, ...] | None:
    """Tells of an attack on an enemy; returns who may read by whom it is made.

    Those who are attacked and do not see him read that they are, and nothing that would give his
    place away.
    """
    man = play.models[event.who]
    if play.is_seen(man) or not versions.the_unseen_are_not_named(play.state):
        readers = play.readers(event.who, event.target)
        play.tell(replace(event, readers=readers))
        return readers
    play.tell(replace(event, readers=(man.seat,)))
    plain = replace(event, who="", readers=(1 - man.seat,))
    play.tell(replace(plain, need=None, modifiers=()) if isinstance(plain, Fired) else plain)
    return (man.seat,)


def note_ranged(play: Play, who: str) -> None:
    """SKR-129, 132c: a shot or throw in close combat distracts; others end the exchange."""
    if not versions.only_shots_out_of_close_combat_distract(play.state):
        play.put(who, last_act="ranged")
    elif play.foes_in_contact(play.models[who]):
        play.put(who, distracted=True)
    else:
        play.put(who, last_act="", distracted=False)
