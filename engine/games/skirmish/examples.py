"""Orders by example, as ``notation`` writes them: for pages, answers by mail and the rules."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from engine.errors import Sentence
from engine.games.skirmish import moves as m
from engine.games.skirmish.data.library import Weapon, weapon
from engine.games.skirmish.notation import write


class Example(msgspec.Struct, frozen=True):
    """Example orders of one kind, and their meaning."""

    orders: tuple[str, ...]
    meaning: Sentence


#: A force, and a deployment in which the first two models have more details.
BUILD = write(
    m.Build(
        (
            m.TeamOrder("rangers", "", (("motorola",), (), ("m60e3", "nvg"), ())),
            m.TeamOrder("rangers"),
        )
    )
)
DEPLOY = write(
    m.Deploy(
        (
            m.Placement("alpha-1", 24_000, 2_000),
            m.Placement("alpha-2", 25_500, 2_000, facing=20, prone=True),
        )
    )
)


def examples(who: str, foe: str, friend: str, gun: str = "m16a2") -> tuple[Example, ...]:
    """Example orders of an activation for a model with a gun, an enemy and a friend."""
    return tuple(
        Example(tuple(map(write, moves)), meaning)
        for moves, meaning in _examples(who, foe, friend, weapon(gun))
    )


def like(verb: str, who: str, foe: str, friend: str, gun: str = "m16a2") -> str:
    """The first example with a verb of the notation, or ""."""
    orders = (order for one in examples(who, foe, friend, gun) for order in one.orders)
    return next((order for order in orders if verb == order.split()[1]), "")


def _examples(
    who: str, foe: str, friend: str, gun: Weapon
) -> Iterator[tuple[tuple[m.SkirmishMove, ...], Sentence]]:
    yield from _going(who)
    yield from _shooting(who, foe, gun)
    yield from _handling(who, foe, friend, gun)
    yield (
        (m.Place(who, "claymore", (12_000, 14_000), 30), m.Trigger(who, "claymore-1")),
        Sentence("set a charge within an inch of his base, and set it off"),
    )
    yield (
        (m.Demand(who, foe),),
        Sentence("call on a broken enemy within 5 inches to surrender"),
    )
    yield (m.End(who),), Sentence("close an activation: the name of what was activated")


def _going(who: str) -> Iterator[tuple[tuple[m.SkirmishMove, ...], Sentence]]:
    yield (
        (m.Travel(who, "walk", ((20_000, 12_000), (23_500, 14_000))),),
        Sentence("walk, by corners; also run, crawl (lying)"),
    )
    yield (
        (m.Travel(who, "climb", ((12_000, 14_000),), "inn-1"),),
        Sentence("climb or take the stairs to a floor; also over a low wall"),
    )
    yield (m.Travel(who, "jump", ((20_000, 14_000),)),), Sentence("jump over a gap, or down")
    yield (
        (m.Face(who, 90), m.Stance(who, True), m.Stance(who, False)),
        Sentence("turn, lie down, stand up"),
    )


def _shooting(
    who: str, foe: str, gun: Weapon
) -> Iterator[tuple[tuple[m.SkirmishMove, ...], Sentence]]:
    yield (
        (m.Fire(who, gun.name, gun.modes[0].name, foe, aimed=gun.modes[0].name == "single"),),
        Sentence("shoot: single, burst or auto; aimed, scope, low and spotter NAME may follow"),
    )
    yield (
        (
            m.Fire(who, "m203", "single", spot=(20_000, 30_000)),
            m.Fire(who, "rpg-7", "single", building="inn", level=1),
        ),
        Sentence("shoot at a spot, or at a level of a building"),
    )
    yield (
        (m.Throw(who, "m67", spot=(20_000, 14_000)),),
        Sentence(
            "throw a grenade at a spot or a model; through sends it by a door or window beside him"
        ),
    )
    yield (
        (m.OpFire(who, gun.name, gun.modes[-1].name, (30, 60), 24_000, chance=40),),
        Sentence(
            "wait: fire in the enemy's activation at the first one in the arc, when the chance is "
            "good enough; aimed and scope may follow"
        ),
    )


def _handling(
    who: str, foe: str, friend: str, gun: Weapon
) -> Iterator[tuple[tuple[m.SkirmishMove, ...], Sentence]]:
    yield (
        (
            m.Reload(who, gun.name),
            m.Learn(who, "ak-47"),
            m.PickUp(who, "7.62", 30),
            m.Drop(who, "m67"),
        ),
        Sentence("handle weapons and things"),
    )
    yield (
        (
            m.FixBayonet(who),
            m.Attack(who, foe, "knife"),
            m.Tackle(who, foe),
            m.Tie(who, foe),
        ),
        Sentence("hand to hand, in base contact"),
    )
    yield (
        (m.Bandage(who, who), m.Rouse(who, friend), m.Carry(who, friend), m.PutDown(who)),
        Sentence("help a friend"),
    )
