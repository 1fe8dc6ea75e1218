"""Hits, armour, wounds and aid: SKR-92 to 101 and 133 to 141."""

from __future__ import annotations

from typing import NamedTuple

from msgspec.structs import replace

from engine.games.skirmish import versions
from engine.games.skirmish.data.library import Weapon, faction
from engine.games.skirmish.events import Changed, Hit, Wounded
from engine.games.skirmish.men import carrying, things
from engine.games.skirmish.play import Cause, Play
from engine.games.skirmish.sight import sight, spotting
from engine.games.skirmish.sight.sight import Look
from engine.games.skirmish.state import Model, Wounds

#: SKR-92.
LOCATIONS = (
    "head",
    "chest",
    "chest",
    "stomach",
    "stomach",
    "abdomen",
    "right leg",
    "left leg",
    "right arm",
    "left arm",
)
#: SKR-136: dead at this many health points.
DEATH = -10


class Line(NamedTuple):
    """One cell of the wound table: health lost and what else."""

    loss: int
    effects: tuple[str, ...] = ()


KILLED = Line(0, ("killed",))
NEAR_MISS = Line(0, ("near miss",))
SCRATCH = Line(1)
_HARD = ("untreated", "bleeding", "immobilized", "shell shock")
_SLOW = ("untreated", "slow")
#: SKR-98, columns "0 or less", "1-2", "3-5".
TABLE: dict[str, tuple[Line, Line, Line]] = {
    "head": (KILLED, Line(4, ("untreated", "immobilized", "unconscious")), SCRATCH),
    "chest": (Line(4, _HARD), Line(3, _SLOW), SCRATCH),
    "stomach": (Line(3, _HARD), Line(3, _SLOW), SCRATCH),
    "abdomen": (Line(3, _HARD), Line(2, _SLOW), SCRATCH),
    "right leg": (Line(3, _HARD), Line(2, _SLOW), SCRATCH),
    "left leg": (Line(3, _HARD), Line(2, _SLOW), SCRATCH),
    "right arm": (Line(3, _HARD), Line(2, ("untreated", "one action right")), SCRATCH),
    "left arm": (
        Line(3, ("untreated", "bleeding", "left arm useless", "shell shock")),
        Line(2, ("untreated", "one action left")),
        SCRATCH,
    ),
}


class Shaken(Cause, frozen=True):
    """A wound or a near miss that requires a morale check: SKR-98, 100."""

    who: str
    by_a_near_miss: bool = False


class Fallen(Cause, frozen=True):
    """A man is killed or unconscious."""

    who: str
    #: Members of his team who saw him die.
    seers: tuple[str, ...] = ()
    #: Whether he was in the fight until now.
    lost_now: bool = True


def location(die: int) -> str:
    """SKR-92."""
    return LOCATIONS[die - 1]


def wound_line(where: str, result: int, right_arm_immobilizes: bool = True) -> Line:
    """SKR-98: the cell for a result D10 - DPR."""
    if result >= 6:
        return NEAR_MISS
    line = TABLE[where][0 if result <= 0 else 1 if result <= 2 else 2]
    if where == "right arm" and not right_arm_immobilizes:
        return Line(line.loss, tuple(e for e in line.effects if e != "immobilized"))
    return line


def armour(model: Model, where: str, covers_abdomen: bool = False) -> int:
    """SKR-94, 95: the armour rating at a location; 0 is none."""
    worn = dict(faction(model.faction).armour)
    if "kevlar-vest" in model.gear:
        worn |= {"chest": 4, "stomach": 4}
    if covers_abdomen and where == "abdomen":
        return worn.get("stomach", 0)
    return worn.get(where, 0)


def saves(die: int, rating: int, arm: int) -> bool:
    """SKR-94: D10 at most AR + ARM; a 1 saves wherever there is armour."""
    return rating >= 1 and (die == 1 or die <= rating + arm)


def strike(
    play: Play,
    who: str,
    by: str,
    weapon: Weapon,
    seen: Look | None,
    *,
    low: bool = False,
    rating: int | None = None,
    faces: bool = True,
) -> None:
    """Resolves a hit by a projectile or fragment: location, cover, armour, wound.

    ``rating`` is the damage prevention rating, the weapon's own if none is given; ``seen`` is the
    look at the target from the origin, for cover (SKR-93), or None if cover does not count.
    """
    model = play.models[who]
    die = play.roll("location", who=who)
    where = location(max(1, die - 1) if low else die)
    stopped = ""
    material = "" if seen is None else sight.cover_at(play.scene, seen, model, where, faces)
    if material:
        need = sight.cover_value(material, weapon.soft, weapon.hard)
        if play.roll("cover", need, who=who) > need:
            stopped = "cover"
    worn = armour(model, where, play.state.options.armour_covers_abdomen)
    if not stopped and worn:
        save = play.roll("armour", max(1, worn + weapon.arm), who=who)
        if saves(save, worn, weapon.arm):
            stopped = "armour"
    doer, readers = play.doer(by, who), play.readers(who)
    play.tell(Hit(who=who, by=doer, location=where, stopped=stopped, readers=readers))
    if not stopped:
        wound(play, who, by, where, weapon.dpr or 0 if rating is None else rating)


def wound(play: Play, who: str, by: str, where: str, rating: int) -> None:
    """SKR-96: D10 - DPR in the table."""
    result = play.roll("wound", who=who) - rating
    line = wound_line(where, result, play.state.options.right_arm_immobilizes)
    inflict(play, who, by, where, line)


def crush(play: Play, who: str, rating: int) -> None:
    """SKR-118: rubble that falls on a man: random location, no armour."""
    if play.models[who].condition != "dead":
        where = location(play.roll("location", who=who))
        wound(play, who, "", where, rating)


def inflict(play: Play, who: str, by: str, where: str, line: Line) -> None:
    """Applies a line of the wound table to a model; wounds accumulate (SKR-101)."""
    model = play.models[who]
    if model.condition == "dead":
        return
    play.tell(
        Wounded(
            who=who,
            location=where,
            loss=line.loss,
            effects=line.effects,
            readers=play.readers(who),
        )
    )
    if "killed" in line.effects:
        kill(play, who, by)
        return
    effects = set(line.effects)
    again = line.loss > 0 and versions.wounds_undo_bandages(play.state)
    if again or "untreated" in effects or "bleeding" in effects:
        play.put(who, bandaged=False)
    old = model.wounds
    play.put(
        who,
        hp=model.hp - line.loss,
        wounds=Wounds(
            untreated=old.untreated or "untreated" in effects,
            bleeding=old.bleeding or "bleeding" in effects,
            slow=old.slow or "slow" in effects,
            immobilized=old.immobilized or "immobilized" in effects,
            one_action_right=old.one_action_right or "one action right" in effects,
            one_action_left=old.one_action_left or "one action left" in effects,
            left_arm_useless=old.left_arm_useless or "left arm useless" in effects,
        ),
    )
    if "immobilized" in effects and not model.prone:
        play.put(who, prone=True)  # SKR-137
    if play.models[who].hp <= DEATH:
        kill(play, who, by)
        return
    if "unconscious" in effects or play.models[who].hp <= 0:
        knock_out(play, who, by)
    if "shell shock" in effects:
        play.follow(Shaken(who))
    if "near miss" in effects and play.state.options.near_miss_ducks:
        play.follow(Shaken(who, by_a_near_miss=True))


def knock_out(play: Play, who: str, by: str) -> None:
    """SKR-135, 138: unconscious, prone, no AP; with option SKR-139, HP 0 is out of action."""
    model = play.models[who]
    if model.hp <= 0 and not play.state.options.survivability:
        kill(play, who, by)
        return
    if model.condition != "fit":
        return
    carrying.let_go(play, who)
    active = play.state.active
    if active and who in active.members and versions.waking_has_points(play.state):
        play.put(who, pool=0)  # the rest of this activation is lost
    play.put(
        who, condition="unconscious", prone=True, ap=0, watch=None, wake_tried=False, broken=""
    )
    doer, readers = play.doer(by, who), play.readers(who)
    play.tell(Changed(who=who, what="unconscious", by=doer, readers=readers))
    play.follow(Fallen(who))


def kill(play: Play, who: str, by: str) -> None:
    """Kills a model, once only. Members of his team who see it may take shock (SKR-144)."""
    model = play.models[who]
    if model.condition == "dead":
        return
    was_fit = model.condition == "fit"
    seers = tuple(spotting.seers(play, who))
    carrying.let_go(play, who)
    play.put(who, condition="dead", prone=True, ap=0, watch=None, hp=min(0, model.hp), broken="")
    things.lay_all(play, who)
    doer, readers = play.doer(by, who), play.readers(who)
    play.tell(Changed(who=who, what="killed", by=doer, readers=readers))
    play.follow(Fallen(who, seers, lost_now=was_fit))


# --- bleeding, waking and aid ---


def needs_test(model: Model) -> bool:
    """SKR-136."""
    return (
        model.condition != "dead"
        and not model.bandaged
        and (model.wounds.bleeding or model.hp <= 0)
    )


def survivability_number(hp: int) -> int:
    """SKR-136: 10 + current health points."""
    return 10 + hp


def survive(play: Play, who: str) -> None:
    """SKR-99, 136: one test a turn; he loses one health point if it succeeds, else he dies.

    With the option of SKR-139 there is no test; a bleeding man still loses his point.
    """
    model = play.models[who]
    if model.tested or not needs_test(model):
        return
    play.put(who, tested=True)
    if play.state.options.survivability:
        need = survivability_number(model.hp)
        if play.roll("survivability", need, who=who) > need:
            kill(play, who, "")
            return
    elif versions.bleeding_is_told(play.state):
        play.tell(Changed(who=who, what="bled", readers=play.readers(who)))
    play.put(who, hp=model.hp - 1)
    if model.hp - 1 <= DEATH:
        kill(play, who, "")
    elif model.hp - 1 <= 0:
        knock_out(play, who, "")


def try_to_wake(play: Play, who: str) -> None:
    """SKR-138: one try at the start of his activation, D10 at most HP; with help, roll - 2."""
    model = play.models[who]
    if model.condition != "unconscious" or model.wake_tried or model.hp <= 0:
        return
    help_ = 2 if model.wake_help else 0
    play.put(who, wake_tried=True, wake_help=False)
    if play.roll("wake", model.hp + help_, who=who) - help_ <= model.hp:
        wake(play, who)
        play.tell(Changed(who=who, what="woke", readers=play.readers(who)))


def wake(play: Play, who: str) -> None:
    """Conscious again, with the action points of this turn's activation if it is not over."""
    points = versions.waking_has_points(play.state) and who not in play.state.done
    play.put(who, condition="fit", ap=play.models[who].pool if points else 0)


def bandage(play: Play, helper: str, patient: str) -> None:
    """SKR-133; by a medic also SKR-134: one health point, and patients above 0 wake."""
    model = play.models[patient]
    play.put(patient, bandaged=True, wounds=replace(model.wounds, untreated=False, bleeding=False))
    readers = play.readers(patient, helper)
    play.tell(Changed(who=patient, what="bandaged", by=helper, readers=readers))
    if "medic" in play.models[helper].skills:
        hp = min(model.abilities.hp, model.hp + 1)
        play.put(patient, hp=hp)
        if model.condition == "unconscious" and hp > 0:
            wake(play, patient)
            play.tell(Changed(who=patient, what="woke", by=helper, readers=readers))
