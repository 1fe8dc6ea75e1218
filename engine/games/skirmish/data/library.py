"""Weapons, fire teams, equipment, scenarios and tables, read once from this package's data files.

Values named in a record's ``fixed`` are the source's own; every other value of the weapons file is
ours, because the source's weapons chart is lost (rules, section 8). Lengths are thousandths of an
inch. A file that does not match its schema raises a DataError with the file and the place.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import resources
from types import MappingProxyType
from typing import Literal, TypeVar

import msgspec

from engine.codec import decode
from engine.errors import DataError
from engine.games.skirmish.ground.scene import Cloud
from engine.games.skirmish.ground.terrain import TableForm


class Record(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Base of the records of the data files."""


class Mode(Record, frozen=True, forbid_unknown_fields=True):
    """A way to use a weapon: SKR-68. ``dice`` is also the ammunition used."""

    name: Literal["single", "burst", "auto", "throw"]
    ap: int
    dice: int


class Band(Record, frozen=True, forbid_unknown_fields=True):
    limit: int
    modifier: int


class Close(Record, frozen=True, forbid_unknown_fields=True):
    """A thing as a hand-to-hand weapon: SKR-120, 121, 130."""

    bonus: int
    ap: int
    dpr: int
    blunt: bool = False


class Blast(Record, frozen=True, forbid_unknown_fields=True):
    """SKR-102: damage prevention rating and wound rolls in each ring of 1"."""

    rings: tuple[int, ...]
    rolls: tuple[int, ...]
    #: Further rolls with the weapon's own rating for a model hit directly.
    direct: int = 0


class Smoke(Record, frozen=True, forbid_unknown_fields=True):
    radius: int
    turns: int


class Template(Record, frozen=True, forbid_unknown_fields=True):
    """SKR-171: the shotgun's pattern, ``width`` across from ``beyond`` on."""

    width: int
    beyond: int


class Cone(Record, frozen=True, forbid_unknown_fields=True):
    """SKR-170: a Claymore's zones and the length of its wire."""

    angle: int
    kill: int
    reach: int
    wire: int


class Charge(Record, frozen=True, forbid_unknown_fields=True):
    """SKR-168: one line of the C4 chart."""

    kill: int
    multiple: int
    radius: int


class Weapon(Record, frozen=True, forbid_unknown_fields=True):
    name: str
    title: str
    kind: Literal["gun", "grenade", "device", "melee"]
    difficulty: int
    points: int
    fixed: tuple[str, ...]
    modes: tuple[Mode, ...] = ()
    ranges: tuple[Band, ...] = ()
    minimum: int = 0
    dpr: int | None = None
    arm: int = 0
    soft: int = 0
    hard: int = 0
    magazine: int = 0
    reload_ap: int = 0
    shell_by_shell: bool = False
    calibre: str = ""
    #: The price of a further round, where rounds are bought one by one.
    round_points: int = 0
    suppressor: bool = False
    hands: int = 2
    bloc: str = ""
    close: Close | None = None
    #: SKR-123: whether a bayonet can be fixed to it.
    bayonet: bool = False
    blast: Blast | None = None
    structural: int = 0
    per_turn: int = 0
    scope: bool = False
    template: Template | None = None
    smoke: Smoke | None = None
    place_ap: int = 0
    trigger_ap: int = 0
    cone: Cone | None = None
    charges: tuple[Charge, ...] = ()

    def mode(self, name: str) -> Mode | None:
        return next((mode for mode in self.modes if mode.name == name), None)

    def reach(self) -> int:
        """Its maximum range."""
        return self.ranges[-1].limit if self.ranges else 0


class Abilities(Record, frozen=True, gc=False, forbid_unknown_fields=True):
    """SKR-5, each 1 to 10."""

    wp: int
    wk: int
    cq: int
    st: int
    ft: int
    hp: int
    ml: int
    cc: int


class Slot(Record, frozen=True, forbid_unknown_fields=True):
    """What one member carries, and the weapons he may have instead of the first."""

    weapons: tuple[str, ...]
    choice: tuple[str, ...] = ()


class Kit(Record, frozen=True, forbid_unknown_fields=True):
    """Standard kit: counted things by name ("rounds" fit the member's own weapon), and gear."""

    all: Mapping[str, int]
    gear: tuple[str, ...]
    leader: Mapping[str, int]
    assistant: Mapping[str, int]


class Choice(Record, frozen=True, forbid_unknown_fields=True):
    """The weapons that may be bought: "all", "western" (all but Soviet-bloc) or "none"."""

    buys: Literal["all", "western", "none"]
    upgrades: Mapping[str, Literal["all", "western"]] = {}


class Goggles(Record, frozen=True, forbid_unknown_fields=True):
    """SKR-83, 84, 163, 164: the remaining penalty with night vision, and the laser's reduction."""

    penalty: int = 1
    laser: int = 1


class Faction(Record, frozen=True, forbid_unknown_fields=True):
    name: str
    title: str
    points: int
    slots: tuple[Slot, ...]
    abilities: Abilities
    command: Literal["sight", "radio"]
    kit: Kit
    choice: Choice
    equipment: Mapping[str, int]
    modifiers: Mapping[str, int]
    innate: tuple[str, ...]
    armour: Mapping[str, int]
    nvg: Goggles
    fixed: tuple[str, ...]
    note: str = ""


class Modifier(Record, frozen=True, forbid_unknown_fields=True):
    name: str
    title: str
    changes: Mapping[str, int]


class Item(Record, frozen=True, forbid_unknown_fields=True):
    """Special equipment. ``needs``: "leader", another item, or "engineer".

    ``pieces``: how many are bought at once; 0: a man has it or has it not.
    """

    name: str
    title: str
    needs: str
    pieces: int
    rule: str


class CoverKind(Record, frozen=True, forbid_unknown_fields=True):
    kind: Literal["hard", "soft"]
    modifier: int


class Objective(Record, frozen=True, forbid_unknown_fields=True):
    name: str
    x: int
    y: int
    radius: int
    #: Points at the end of each turn for the side that is there alone.
    points: int


class Scenario(Record, frozen=True, forbid_unknown_fields=True):
    """SKR-3, 16: the objectives of a match and when it ends."""

    name: str
    title: str
    story: str
    turns: int
    night: bool
    #: The depth of the deployment zones.
    depth: int
    objectives: tuple[Objective, ...]
    smoke: tuple[Cloud, ...]


class WeaponsFile(Record, frozen=True, forbid_unknown_fields=True):
    note: str
    weapons: tuple[Weapon, ...]


class TeamsFile(Record, frozen=True, forbid_unknown_fields=True):
    note: str
    teams: tuple[Faction, ...]


class EquipmentFile(Record, frozen=True, forbid_unknown_fields=True):
    modifiers: tuple[Modifier, ...]
    equipment: tuple[Item, ...]
    structures: Mapping[str, int]
    cover: Mapping[str, CoverKind]


class ScenariosFile(Record, frozen=True, forbid_unknown_fields=True):
    scenarios: tuple[Scenario, ...]


R = TypeVar("R")
N = TypeVar("N", Weapon, Faction, Modifier, Item, Scenario)


def read(kind: type[R], text: bytes, name: str) -> R:
    """A data file as its type; raises DataError."""
    try:
        return decode(kind, text)
    except (msgspec.ValidationError, msgspec.DecodeError) as error:
        raise DataError(
            "The data file {name} does not fit: {why}.", name=name, why=str(error)
        ) from None


def by_name(records: tuple[N, ...], name: str) -> Mapping[str, N]:
    """The records by name; raises DataError for a duplicate name."""
    out: dict[str, N] = {}
    for record in records:
        if record.name in out:
            raise DataError(
                "{name} has two records called {record}.", name=name, record=record.name
            )
        out[record.name] = record
    return MappingProxyType(out)


def check_weapon(weapon: Weapon) -> None:
    """Checks of a weapon that the schema cannot express."""
    limits = [band.limit for band in weapon.ranges]
    if limits != sorted(set(limits)):
        raise DataError("The range bands of {name} do not rise.", name=weapon.name)
    if weapon.kind in ("gun", "grenade") and not (weapon.modes and weapon.ranges):
        raise DataError("{name} has no mode or no range.", name=weapon.name)
    if weapon.blast and len(weapon.blast.rings) != len(weapon.blast.rolls):
        raise DataError("The rings and rolls of {name} differ in number.", name=weapon.name)
    if weapon.kind == "melee" and weapon.close is None:
        raise DataError("{name} says nothing about close combat.", name=weapon.name)
    if weapon.kind == "gun" and not (weapon.magazine and weapon.calibre):
        raise DataError("{name} has no magazine or calibre.", name=weapon.name)
    if weapon.kind == "gun" and weapon.dpr is None and weapon.blast is None:
        raise DataError("{name} does no damage.", name=weapon.name)


def check_faction(
    faction: Faction,
    weapons: Mapping[str, Weapon],
    items: Mapping[str, Item],
    modifiers: Mapping[str, Modifier],
) -> None:
    """Checks that everything a list names exists, and that abilities are from 1 to 10 (SKR-5)."""
    if len(faction.slots) != 4:
        raise DataError("{name} does not have four members.", name=faction.name)
    for slot in faction.slots:
        for weapon in (*slot.weapons, *slot.choice):
            if weapon not in weapons:
                raise DataError(
                    "{name} carries {weapon}, which no file describes.",
                    name=faction.name,
                    weapon=weapon,
                )
    listed = ((faction.equipment, items), (faction.modifiers, modifiers))
    unknown = [thing for things, known in listed for thing in things if thing not in known]
    if unknown:
        raise DataError(
            "{name} lists {thing}, which no file describes.", name=faction.name, thing=unknown[0]
        )
    if not all(1 <= value <= 10 for value in msgspec.structs.astuple(faction.abilities)):
        raise DataError("An ability of {name} is not from 1 to 10.", name=faction.name)


class Library(msgspec.Struct, frozen=True):
    """All data files, checked."""

    weapons: Mapping[str, Weapon]
    factions: Mapping[str, Faction]
    modifiers: Mapping[str, Modifier]
    items: Mapping[str, Item]
    structures: Mapping[str, int]
    cover: Mapping[str, CoverKind]
    scenarios: Mapping[str, Scenario]
    tables: Mapping[str, TableForm]


def read_file(kind: type[R], name: str) -> R:
    return read(kind, file_bytes(name), name)


def file_bytes(name: str) -> bytes:
    return resources.files("engine.games.skirmish").joinpath("data", *name.split("/")).read_bytes()


TABLES = ("village", "compound", "wood", "bridge")


@cache
def library() -> Library:
    """Reads and checks every data file, once."""
    weapons = by_name(read_file(WeaponsFile, "weapons.json").weapons, "weapons.json")
    equipment = read_file(EquipmentFile, "equipment.json")
    modifiers = by_name(equipment.modifiers, "equipment.json")
    items = by_name(equipment.equipment, "equipment.json")
    factions = by_name(read_file(TeamsFile, "teams.json").teams, "teams.json")
    for weapon in weapons.values():
        check_weapon(weapon)
    for faction in factions.values():
        check_faction(faction, weapons, items, modifiers)
    scenarios = by_name(read_file(ScenariosFile, "scenarios.json").scenarios, "scenarios.json")
    tables = {name: read_file(TableForm, f"tables/{name}.json") for name in TABLES}
    return Library(
        weapons,
        factions,
        modifiers,
        items,
        MappingProxyType(equipment.structures),
        MappingProxyType(equipment.cover),
        scenarios,
        MappingProxyType(tables),
    )


def weapon(name: str) -> Weapon:
    return library().weapons[name]


def faction(name: str) -> Faction:
    return library().factions[name]
