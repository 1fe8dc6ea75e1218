"""Building a force: SKR-14, 15 and section 9. Its legality, its price, and its models."""

from __future__ import annotations

from typing import Literal

from msgspec.structs import replace

from engine.dice import Dice
from engine.errors import IllegalMove
from engine.games.skirmish.data.library import (
    Abilities,
    Faction,
    Slot,
    Weapon,
    faction,
    library,
    weapon,
)
from engine.games.skirmish.moves import Build, TeamOrder
from engine.games.skirmish.state import Arm, Model, Team

#: Names of fire teams by seat, so that no two models of a match have the same name.
TEAM_NAMES = (
    ("alpha", "charlie", "echo", "golf", "india", "kilo", "mike", "oscar", "quebec", "sierra"),
    ("bravo", "delta", "foxtrot", "hotel", "juliett", "lima", "november", "papa", "romeo", "tango"),
)
MOST_TEAMS = 10


def seat_of(model: str) -> int:
    """The seat of a model, from its name."""
    return int(model.rpartition("-")[0] in TEAM_NAMES[1])


MOST_THINGS = 12
ROLES: tuple[Literal["leader", "second", "gunner", "assistant"], ...] = (
    "leader",
    "second",
    "gunner",
    "assistant",
)
#: Magazines included with a bought gun that is not the man's only one (ours).
BOUGHT_MAGAZINES = 3


def allowed_weapons(list_: Faction, upgrade: str) -> str:
    """The weapons a team may buy: "all", "western" or "none"."""
    return list_.choice.upgrades.get(upgrade, list_.choice.buys)


def may_buy(list_: Faction, upgrade: str, bought: Weapon) -> bool:
    buys = allowed_weapons(list_, upgrade)
    if bought.kind == "device" or bought.name == "unarmed":
        return False
    return buys == "all" or (buys == "western" and bought.bloc != "soviet")


def offers(list_: Faction, upgrade: str) -> dict[str, int]:
    """The extras of a list's members, with prices; the check decides for which member."""
    chart = [w for w in library().weapons.values() if may_buy(list_, upgrade, w)]
    bought = {w.name: w.points for w in chart}
    rounds = {w.calibre: w.round_points for w in chart if w.round_points}
    return {**bought, **rounds, **list_.equipment, **list_.modifiers}


def title(thing: str) -> str:
    """The title of something bought; its name if no data file has it."""
    data = library()
    known = data.modifiers.get(thing) or data.items.get(thing) or data.weapons.get(thing)
    return thing if known is None else known.title


def thing_price(list_: Faction, upgrade: str, slot: Slot, thing: str, number: int) -> int:
    """The price of one thing for a member; raises IllegalMove if his list does not have it."""
    if thing in slot.choice:
        return 0
    points = offers(list_, upgrade).get(thing)
    if points is not None:
        return points
    raise IllegalMove(
        "The list of {list} has no “{thing}” for member {number}.",
        rule="SKR-14",
        list=list_.title,
        thing=thing,
        number=number,
    )


def team_price(order: TeamOrder) -> int:
    """The points of a fire team; raises IllegalMove with what is wrong."""
    list_ = library().factions.get(order.faction)
    if list_ is None:
        raise IllegalMove(
            "There is no list called “{name}”. There are: {names}.",
            rule="SKR-14",
            name=order.faction,
            names=", ".join(library().factions),
        )
    if order.upgrade and order.upgrade not in list_.choice.upgrades:
        raise IllegalMove(
            "{list} has no upgrade “{name}”.", rule="SKR-14", list=list_.title, name=order.upgrade
        )
    if len(order.members) != 4:
        raise IllegalMove("A fire team has four members.", rule="SKR-2")
    total = list_.points
    for number, (slot, things) in enumerate(zip(list_.slots, order.members, strict=True), start=1):
        total += sum(thing_price(list_, order.upgrade, slot, thing, number) for thing in things)
        _check_member(list_, slot, things, number)
    everything = {thing for things in order.members for thing in things}
    if "rpg-round" in everything and "rpg-7" not in everything:
        raise IllegalMove("RPG rounds need an RPG-7 in the team.", rule="SKR-14")
    return total


def _check_member(list_: Faction, slot: Slot, things: tuple[str, ...], number: int) -> None:
    """SKR-15, and the requirements of equipment."""
    if len(things) > MOST_THINGS:
        raise IllegalMove(
            "Nobody carries more than {most} extras.", rule="SKR-14", most=MOST_THINGS
        )
    for thing in things:
        kind, item = library().weapons.get(thing), library().items.get(thing)
        is_counted = (kind is not None and kind.kind == "grenade") or (item and item.pieces)
        if things.count(thing) > 1 and not is_counted:
            raise IllegalMove(
                "Member {number} can have “{thing}” only once.",
                rule="SKR-15",
                number=number,
                thing=thing,
            )
        if item is None or thing not in list_.equipment:
            continue
        if item.needs == "leader" and number != 1:
            raise IllegalMove("Only a leader has a {item}.", rule="SKR-160", item=item.title)
        if item.needs == "engineer" and "engineer" not in things:
            raise IllegalMove(
                "Only a Combat Engineer has a {item}.", rule=item.rule, item=item.title
            )
        if item.needs == "nvg" and "nvg" not in things:
            raise IllegalMove(
                "A {item} works only with night vision goggles.", rule=item.rule, item=item.title
            )
    if len([thing for thing in things if thing in slot.choice]) > 1:
        raise IllegalMove("Member {number} takes one of his weapons.", rule="SKR-14", number=number)


def price(build: Build) -> int:
    return sum(team_price(team) for team in build.teams)


def is_whole(build: Build, limit: int) -> bool:
    """Whether it leaves no points for one more team like its last."""
    return price(build) + team_price(build.teams[-1]) > limit


def check_build(build: Build, limit: int) -> None:
    """SKR-14: legal lists within the agreed limit."""
    if not build.teams:
        raise IllegalMove("The smallest force is one fire team.", rule="SKR-2")
    if len(build.teams) > MOST_TEAMS:
        raise IllegalMove("No more than {most} fire teams.", rule="SKR-14", most=MOST_TEAMS)
    total = price(build)
    if total > limit:
        raise IllegalMove(
            "This force costs {total} points; the limit is {limit}.",
            rule="SKR-14",
            total=total,
            limit=limit,
        )


def check_no_doubles(build: Build) -> None:
    """SKR-14: raises IllegalMove for a gun or gear that somebody has without buying it."""
    for team in build.teams:
        list_ = faction(team.faction)
        for number, (slot, things) in enumerate(zip(list_.slots, team.members, strict=True), 1):
            has = {*list_.kit.gear, *slot.weapons} - {*slot.choice}
            for thing in things:
                if thing in has:
                    raise IllegalMove(
                        "Member {number} has “{thing}” already, and would pay for nothing.",
                        rule="SKR-14",
                        number=number,
                        thing=thing,
                    )


def default_build(limit: int) -> Build:
    """The default force: the most expensive plain fire team that fits, repeated while it fits."""
    lists = sorted(
        (f for f in library().factions.values() if f.slots[0].weapons), key=lambda f: -f.points
    )
    teams: list[TeamOrder] = []
    for list_ in lists:
        while list_.points <= limit and len(teams) < MOST_TEAMS:
            teams.append(TeamOrder(list_.name))
            limit -= list_.points
    return Build(tuple(teams))


def random_build(limit: int, dice: Dice, where: str) -> Build:
    """A random legal force, for bots and other worlds."""
    lists = [f for f in library().factions.values() if f.slots[0].weapons]
    teams: list[TeamOrder] = []
    while len(teams) < MOST_TEAMS:
        open_ = [f for f in lists if f.points <= limit]
        if not open_:
            break
        chosen = open_[dice.roll(where, "team", len(open_)) - 1]
        limit -= chosen.points
        members: list[tuple[str, ...]] = []
        for number in range(1, 5):
            extras = [
                thing
                for thing, cost in {**chosen.modifiers, **chosen.equipment}.items()
                if cost <= limit and _fits(number, thing)
            ]
            if extras and dice.roll(where, "extra", 4) == 1:
                thing = extras[dice.roll(where, "thing", len(extras)) - 1]
                limit -= {**chosen.modifiers, **chosen.equipment}[thing]
                members.append((thing,))
            else:
                members.append(())
        teams.append(TeamOrder(chosen.name, "", tuple(members)))
    return Build(tuple(teams))


def _fits(number: int, thing: str) -> bool:
    item = library().items.get(thing)
    if item is None:
        return True
    return item.needs in ("", "c4") or (item.needs == "leader" and number == 1)


# --- the models ---


def raise_force(
    seat: int, build: Build, *, vests_by_team: bool = True, launchers_loaded: bool = True
) -> tuple[list[Team], list[Model]]:
    """The teams and models of a checked force."""
    teams, models = [], []
    for name, order in zip(TEAM_NAMES[seat], build.teams, strict=False):
        teams.append(Team(name, seat, order.faction, order.upgrade))
        models += [_member(seat, name, order, index, launchers_loaded) for index in range(4)]
    groups = [models]
    if vests_by_team:
        groups = [[m for m in models if m.team == team.name] for team in teams]
    wearers = {name for group in groups for name in _vest_wearers(group)}
    return teams, [replace(m, vest_charge=True) if m.name in wearers else m for m in models]


def _member(seat: int, team: str, order: TeamOrder, index: int, launchers_loaded: bool) -> Model:
    list_ = faction(order.faction)
    things = order.members[index]
    skills = tuple(thing for thing in things if thing in list_.modifiers)
    guns = _guns(list_, order, index)
    stock = _stock(list_, order, index, guns, launchers_loaded)
    gear = [*list_.kit.gear]
    # SKR-173: an engineer brings these
    charges = ["shaped-charge", "c4"] if "engineer" in skills else []
    for thing in [*things, *charges]:
        kind, item = library().weapons.get(thing), library().items.get(thing)
        if kind is not None and kind.kind == "device":
            stock[thing] = stock.get(thing, 0) + library().items[thing].pieces
        elif (kind is not None and kind.kind == "melee") or (
            kind is None and thing in list_.equipment and item and not item.pieces
        ):
            gear.append(thing)
    arms = []
    for gun in guns:
        kind = weapon(gun)
        loaded = min(kind.magazine, stock.get(kind.calibre, 0))
        stock[kind.calibre] = stock.get(kind.calibre, 0) - loaded
        arms.append(Arm(gun, loaded))
    abilities = _abilities(list_.abilities, skills)
    return Model(
        name=f"{team}-{index + 1}",
        team=team,
        number=index + 1,
        seat=seat,
        faction=list_.name,
        role=ROLES[index],
        abilities=abilities,
        hp=abilities.hp,
        skills=skills,
        gear=tuple(gear),
        arms=tuple(arms),
        stock=tuple(sorted((thing, count) for thing, count in stock.items() if count > 0)),
    )


def _guns(list_: Faction, order: TeamOrder, index: int) -> list[str]:
    slot, things = list_.slots[index], order.members[index]
    chosen = [thing for thing in things if thing in slot.choice]
    guns = chosen or list(slot.weapons)
    return guns + [
        thing
        for thing in things
        if thing not in slot.choice
        and thing in library().weapons
        and weapon(thing).kind == "gun"
        and thing not in guns
    ]


def _stock(
    list_: Faction, order: TeamOrder, index: int, guns: list[str], launchers_loaded: bool
) -> dict[str, int]:
    """Rounds by calibre and counted things, before the weapons are loaded."""
    stock: dict[str, int] = {}
    counts = dict(list_.kit.all)
    if index == 0:
        counts |= list_.kit.leader
    rounds = counts.pop("rounds", 0)
    stock |= counts
    rifles = [gun for gun in guns if weapon(gun).blast is None]
    if rifles:
        stock[weapon(rifles[0]).calibre] = rounds
    if index == 3:
        gunner = [gun for gun in _guns(list_, order, 2) if weapon(gun).blast is None]
        if gunner:
            calibre = weapon(gunner[0]).calibre
            stock[calibre] = stock.get(calibre, 0) + list_.kit.assistant.get("rounds", 0)
    for gun in order.members[index]:
        kind = library().weapons.get(gun)
        if kind is None or kind.kind == "device":
            continue
        if gun == "rpg-7":
            stock["rpg-round"] = stock.get("rpg-round", 0) + 1
        elif kind.kind == "grenade":
            stock[gun] = stock.get(gun, 0) + 1
        elif kind.kind == "gun" and kind.blast is None and rifles[0] != gun:
            stock[kind.calibre] = stock.get(kind.calibre, 0) + BOUGHT_MAGAZINES * kind.magazine
        elif kind.kind == "gun" and kind.blast is not None and launchers_loaded:
            stock.setdefault(kind.calibre, BOUGHT_MAGAZINES * kind.magazine)
    stock["rpg-round"] = stock.get("rpg-round", 0) + order.members[index].count("rpg-round")
    return stock


def _abilities(base: Abilities, skills: tuple[str, ...]) -> Abilities:
    """The list's abilities with the bought modifiers added, at most 10 each (SKR-5)."""
    values = {
        "wp": base.wp,
        "wk": base.wk,
        "cq": base.cq,
        "st": base.st,
        "ft": base.ft,
        "hp": base.hp,
        "ml": base.ml,
        "cc": base.cc,
    }
    for skill in skills:
        for ability, change in library().modifiers[skill].changes.items():
            values[ability] = min(10, values[ability] + change)
    return Abilities(**values)


def _vest_wearers(models: list[Model]) -> list[str]:
    """SKR-188: every second of Al Qaeda's Jihad models wears a quarter pound of C4."""
    return [m.name for m in models if m.faction == "al-qaeda" and "jihad" in m.skills][1::2]
