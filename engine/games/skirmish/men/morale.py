"""Courage, shock, breaking and surrender: SKR-25, 55, 142 to 150, 180 to 184."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from engine.games.skirmish import versions
from engine.games.skirmish.data.library import faction
from engine.games.skirmish.events import Changed, TeamChecked
from engine.games.skirmish.men import able, carrying, things
from engine.games.skirmish.play import Play
from engine.games.skirmish.state import Model, Team

SURRENDER_REACH = 5000


def immune(play: Play, model: Model) -> bool:
    """SKR-150, 184: Jihad models never test, nor a militia team that is high."""
    return "jihad" in model.skills or play.team(model.team).high


def never_tests(play: Play, model: Model) -> bool:
    """SKR-55, 150, 184: whether he is not even tested for his courage, which is no morale check."""
    if versions.courage_is_no_morale_check(play.state):
        return "jihad" in model.skills
    return immune(play, model)


def _ignores(play: Play, who: str) -> bool:
    """SKR-181: counts a check, and says whether he ignores it as his first one."""
    model = play.models[who]
    play.put(who, morale_checks=model.morale_checks + 1)
    first = model.morale_checks == 0 and "disciplined" in faction(model.faction).innate
    if first:
        play.tell(Changed(who=who, what="disciplined", readers=play.readers(who)))
    return first


def passes(play: Play, who: str, purpose: str, modifier: int = 0) -> bool:
    """SKR-142: one check of one model, with his list's abilities."""
    if immune(play, play.models[who]) or _ignores(play, who):
        return True
    return _roll(play, who, purpose, modifier)


def _roll(play: Play, who: str, purpose: str, modifier: int) -> bool:
    model = play.models[who]
    need = model.abilities.ml + modifier
    if play.roll(purpose, need, who=who) <= need:
        return True
    failures = model.failed_checks + 1
    play.put(who, failed_checks=failures)
    if "hard-corps" in model.skills and failures == 2:
        return play.roll(purpose, need, who=who) <= need
    return False


def modifiers(play: Play, model: Model) -> int:
    """SKR-145: a leader's death witnessed -1; his entire team lost in one turn -2."""
    seen = -1 if _saw_his_leader_die(play, model) else 0
    return seen - 2 if _has_lost_his_team(play, model) else seen


def _saw_his_leader_die(play: Play, model: Model) -> bool:
    if versions.each_sees_his_leader_die(play.state):
        return model.saw_leader_die
    return play.team(model.team).leader_death_seen


def _has_lost_his_team(play: Play, model: Model) -> bool:
    """Whether all his mates were lost this turn; by older rules one who fell twice counts twice."""
    mates = play.mates(model)
    if not versions.losses_are_counted_by_man(play.state):
        return 0 < len(mates) <= play.team(model.team).lost_this_turn
    return bool(mates) and all(not mate.fit and mate.lost_this_turn for mate in mates)


def shell_shock(play: Play, who: str, duck: bool = False) -> None:
    """SKR-144; after a near miss a failure is only to duck (SKR-100)."""
    model = play.models[who]
    if model.condition != "fit" or model.broken == "broken" or (duck and model.broken):
        return
    if not passes(play, who, "shell shock", modifiers(play, model)):
        break_(play, who, duck)


def break_(play: Play, who: str, duck: bool = False) -> None:
    """SKR-146: marks him as broken (he will run for cover with all his AP), or as ducking."""
    what: Literal["ducking", "broken"] = "ducking" if duck else "broken"
    play.put(who, broken=what, watch=None)
    play.tell(Changed(who=who, what=what, readers=play.readers(who)))


def witness(play: Play, dead: str, seen_by: tuple[str, ...]) -> None:
    """SKR-144, 145: the effect of a death on those who saw it."""
    victim = play.models[dead]
    if victim.role == "leader" and seen_by:
        play.put_team(victim.team, leader_death_seen=True)
        if versions.each_sees_his_leader_die(play.state):
            for name in seen_by:
                play.put(name, saw_leader_die=True)
    for name in seen_by:
        shell_shock(play, name)


def count_losses(play: Play, who: str) -> None:
    """Counts a man of the team as lost this turn."""
    if versions.losses_are_counted_by_man(play.state):
        play.put(who, lost_this_turn=True)
    team = play.team(play.models[who].team)
    play.put_team(team.name, lost_this_turn=team.lost_this_turn + 1)


def team_checks(play: Play) -> None:
    """SKR-25, 143: at the end of the turn, teams of which half, or fewer, are fit."""
    for team in play.state.teams:
        if team.checked and play.state.options.team_check_once:
            continue
        members = [m for m in play.models.values() if m.team == team.name]
        fit = [m for m in members if m.fit]
        if not fit or 2 * len(fit) > len(members):
            continue
        play.put_team(team.name, checked=True)
        testers = [m for m in fit if not immune(play, m)]
        if testers:
            _test_team(play, team, testers)


def _best(models: list[Model]) -> Model:
    return max(models, key=lambda m: (m.abilities.ml, -m.number))


def _test_team(play: Play, team: Team, testers: list[Model]) -> None:
    """SKR-143, 181: one die for those who do not ignore it; by older rules one may for all."""
    check: Callable[[Play, str, str, int], bool] = passes
    best = _best(testers)
    if versions.each_ignores_his_first_check(play.state):
        testers, check = [m for m in testers if not _ignores(play, m.name)], _roll
        best = _best(testers) if testers else best
    seen = -1 if team.leader_death_seen else 0
    passed = not testers or check(play, best.name, "team morale", seen)
    play.tell(TeamChecked(team=team.name, passed=passed, readers=play.readers(best.name)))
    if not passed:
        for member in testers:
            break_(play, member.name)


def rally(play: Play, who: str) -> bool:
    """SKR-149: a broken model tests as its activation begins; returns whether it has rallied."""
    model = play.models[who]
    if model.broken == "ducking":
        return False
    if passes(play, who, "rally", modifiers(play, model)):
        play.put(who, broken="")
        play.tell(Changed(who=who, what="rallied", readers=play.readers(who)))
        return True
    return False


def may_demand(play: Play, by: Model, target: Model) -> bool:
    """SKR-147, 148: whether the target is a broken enemy within 5"."""
    held = by.overpowered != "" and versions.the_overpowered_demand_nothing(play.state)
    return (
        by.fit
        and not by.broken
        and not held
        and not able.kept_from_acting(play, by)
        and target.fit
        and target.broken == "broken"
        and target.seat != by.seat
        and play.gap(by, target) <= SURRENDER_REACH
    )


def surrender(play: Play, who: str, by: str) -> None:
    """Makes him captured, and out of the fight."""
    was_fit = play.models[who].fit
    carrying.let_go(play, who)
    play.put(who, condition="captured", captor=by, ap=0, watch=None, broken="")
    things.lay_all(play, who)
    play.tell(Changed(who=who, what="captured", by=by, readers=play.readers(who, by)))
    if was_fit or not versions.losses_are_counted_by_man(play.state):
        count_losses(play, who)


def standing_demands(play: Play, who: str) -> None:
    """SKR-147 as a standing order: a man who ends his flight within 5" of an enemy is called on."""
    model = play.models[who]
    if model.broken != "broken" or not play.state.demands[1 - model.seat]:
        return
    callers = [foe for foe in play.side(1 - model.seat) if may_demand(play, foe, model)]
    if callers:
        nearest = min(callers, key=lambda foe: (play.gap(foe, model), foe.name))
        surrender(play, who, nearest.name)
