"""What men carry, on the ground and on the fallen: SKR-36, 37."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from engine.games.skirmish import versions
from engine.games.skirmish.data.library import faction, library, weapon
from engine.games.skirmish.ground import geometry
from engine.games.skirmish.ground.geometry import INCH
from engine.games.skirmish.ground.scene import CONTACT, touching
from engine.games.skirmish.play import Play
from engine.games.skirmish.state import Arm, Lying, Model

AT_HAND = INCH


def use_up(play: Play, who: str, thing: str, count: int) -> None:
    """Removes counted things from a model."""
    stock = dict(play.models[who].stock)
    stock[thing] = stock.get(thing, 0) - count
    assert stock[thing] >= 0, f"{who} has used up more {thing} than he had"
    play.put(who, stock=tuple(sorted((name, left) for name, left in stock.items() if left)))
    if not stock[thing]:
        _remember(play, who, thing)


def knowledge(play: Play, model: Model, name: str) -> Arm:
    """What he knows of a weapon: as he remembers it, else whether his list has it (SKR-9, 13)."""
    list_ = faction(model.faction)
    own = any(name in slot.weapons for slot in list_.slots)
    if versions.lists_know_their_choices(play.state):
        own = own or any(name in slot.choice for slot in list_.slots)
        own = own or name in list_.kit.all or name in list_.equipment
    return next((arm for arm in model.dropped if arm.weapon == name), Arm(name, own=own))


def note_strange(play: Play, who: str, thing: str) -> None:
    """SKR-9: before he picks up a grenade or mine: if he has none, it may be strange to him."""
    model = play.models[who]
    known = knowledge(play, model, thing)
    if _counts(play, thing) and not model.count(thing) and not known.own:
        others = tuple(arm for arm in model.dropped if arm.weapon != thing)
        play.put(who, dropped=(*others, known))


def _remember(play: Play, who: str, thing: str) -> None:
    """SKR-9: of a grenade or mine that he bought he still knows when he has none left."""
    model = play.models[who]
    known = any(arm.weapon == thing for arm in model.dropped)
    if _counts(play, thing) and not known and not knowledge(play, model, thing).own:
        play.put(who, dropped=(*model.dropped, Arm(thing)))


def _counts(play: Play, thing: str) -> bool:
    """Whether it is a grenade or mine that may be strange to somebody."""
    return thing in library().weapons and versions.grenades_are_made_out(play.state)


def at_hand(model: Model, item: Lying) -> bool:
    """Whether he may pick it up at his place; from the fallen in base contact with them."""
    reach = CONTACT if item.of else AT_HAND
    near = geometry.distance((item.x, item.y), model.at) <= reach
    return near and item.floor == model.floor


def within_reach(play: Play, model: Model) -> Iterator[Lying]:
    """SKR-36: what lies at hand, and what unconscious friends in base contact have."""
    yield from (item for item in play.state.lying if at_hand(model, item))
    if not versions.the_fallen_can_be_searched(play.state):
        return
    for friend in play.side(model.seat):
        if friend.condition == "unconscious" and touching(model, friend):
            yield from _things_of(friend)


def piles(play: Play, model: Model) -> dict[str, list[Lying]]:
    """SKR-36: what he can pick up by one order, by thing: all piles of it, of guns the fullest one.

    By older rules the first pile of each thing.
    """
    out: dict[str, list[Lying]] = {}
    for item in within_reach(play, model):
        out.setdefault(item.thing, []).append(item)
    together = versions.piles_are_picked_up_together(play.state)
    for thing, found in out.items():
        if not together:
            out[thing] = found[:1]
        elif thing in library().weapons and weapon(thing).kind == "gun":
            out[thing] = [max(found, key=lambda item: item.loaded)]
    return out


def _things_of(man: Model) -> Iterator[Lying]:
    for arm in man.arms:
        yield Lying(arm.weapon, 1, arm.loaded, man.x, man.y, man.floor, man.name)
    for thing, count in man.stock:
        yield Lying(thing, count, 0, man.x, man.y, man.floor, man.name)


def lay(play: Play, who: str, thing: str, count: int, of: str = "") -> Lying:
    """Puts something of his on the ground where he is; ``of``: see ``Lying``."""
    man = play.models[who]
    held, loaded = man.arm(thing), 0
    if held is not None:
        loaded = held.loaded
        play.put(who, arms=tuple(arm for arm in man.arms if arm.weapon != thing))
        if versions.dropped_weapons_stay_known(play.state):
            play.put(who, dropped=(*man.dropped, replace(held, loaded=0)))
        if not takes_a_bayonet(play, play.models[who]):
            play.put(who, bayonet_fixed=False)
    else:
        use_up(play, who, thing, count)
    item = Lying(thing, count, loaded, man.x, man.y, man.floor, of)
    play.change(lying=(*play.state.lying, item))
    return item


def takes_a_bayonet(play: Play, model: Model) -> bool:
    """SKR-123: whether he has a rifle; by older rules, any gun."""
    any_gun = not versions.bayonets_fit_rifles(play.state)
    return any(any_gun or weapon(arm.weapon).bayonet for arm in model.arms)


def lay_all(play: Play, who: str) -> None:
    """SKR-36: what the dead and the captured had lies where they are."""
    if versions.the_fallen_can_be_searched(play.state):
        for item in _things_of(play.models[who]):
            lay(play, who, item.thing, item.count, of=who)


def take(play: Play, item: Lying, count: int) -> None:
    """Removes some of what was within reach from the ground, or from him who has it."""
    if item not in play.state.lying:
        item = lay(play, item.of, item.thing, count)
    rest = [other for other in play.state.lying if other is not item]
    if item.count > count:
        rest.append(replace(item, count=item.count - count))
    play.change(lying=tuple(rest))
