"""The course of a turn: SKR-20 to 25. Initiative, activations, morale, the end of the turn."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from engine.errors import IllegalMove, Sentence
from engine.game import Seat
from engine.games.skirmish import versions
from engine.games.skirmish.data.library import faction
from engine.games.skirmish.events import (
    Activated,
    ActivationEnded,
    Changed,
    Ending,
    FirstTaken,
    Paid,
    TurnStarted,
)
from engine.games.skirmish.ground import geometry
from engine.games.skirmish.men import morale, wounds
from engine.games.skirmish.movement import flight
from engine.games.skirmish.play import Play, scenario, turn_limit
from engine.games.skirmish.sight import spotting
from engine.games.skirmish.stages import scoring
from engine.games.skirmish.state import Activation, Arm, Model, State

POOL = 10
#: Maximum orders without AP per member of an activation (ours: else they would be unlimited).
FREE_ORDERS = 4


# --- the turn ---


def start_turn(play: Play) -> None:
    """Begins a turn: fills AP pools, tests the wounded, rolls initiative."""
    turn = play.state.turn + 1
    play.where = f"turn {turn} start"
    play.change(turn=turn, activation_number=0, order_number=0, active=None, done=(), shots=())
    for team in play.state.teams:
        play.put_team(team.name, lost_this_turn=0)
        _khat(play, team.name)
    for name in sorted(play.models):
        _fresh(play, name)
    for name in sorted(play.models):
        model = play.models[name]
        captive = model.condition == "captured" and versions.captives_bleed(play.state)
        if model.condition == "unconscious" or captive:
            wounds.survive(play, name)
        elif model.fit and model.carrying:
            passed = play.check("carrying", model.abilities.st, name)  # SKR-140
            play.put(name, may_run_laden=passed)
    spotting.refresh(play)
    if scoring.settle(play):
        return
    winner = roll_initiative(play)
    play.tell(TurnStarted(turn=turn, winner=winner))
    play.change(stage="initiative", chooser=winner)


def _fresh(play: Play, name: str) -> None:
    model = play.models[name]
    pool = POOL // 2 if model.half_pool else POOL
    keep = play.state.options.keep_learnt_weapon
    play.put(
        name,
        ap=pool if model.fit else 0,
        pool=pool if versions.waking_has_points(play.state) else POOL,
        half_pool=False,
        lost_this_turn=False,
        ran_last_turn=model.ran_this_turn,
        ran_this_turn=False,
        known=(),
        sees=(),
        arm_acts=0,
        tested=False,
        wake_tried=False,
        arms=_unused(model.arms, keep),
        dropped=_unused(model.dropped, keep),
    )


def _unused(arms: tuple[Arm, ...], keep: bool) -> tuple[Arm, ...]:
    return tuple(replace(arm, shots=0, tried=False, learnt=arm.learnt and keep) for arm in arms)


def _khat(play: Play, name: str) -> None:
    """SKR-184: rolled for the team at the start of each turn until it is high."""
    team = play.team(name)
    if "khat" not in faction(team.faction).innate or team.high:
        return
    fit = [m for m in play.models.values() if m.team == name and m.fit]
    if fit and play.roll("khat", 5, who=fit[0].name) <= 5:
        play.put_team(name, high=True)
        play.tell(Changed(who=fit[0].name, what="high", readers=play.readers(fit[0].name)))


def command_rating(play: Play, seat: Seat) -> int:
    """SKR-21: the best fit leader's CC; without one, the best of any fit model; else 0."""
    fit = [m for m in play.side(seat) if m.fit]
    leaders = [m.abilities.cc for m in fit if m.role == "leader"]
    return max(leaders or [m.abilities.cc for m in fit] or [0])


def roll_initiative(play: Play) -> Seat:
    """SKR-21: D10 - CC, lowest wins; ties are rolled again."""
    while True:
        scores = [
            play.roll(f"initiative of seat {seat + 1}") - command_rating(play, seat)
            for seat in (0, 1)
        ]
        if scores[0] != scores[1]:
            return 0 if scores[0] < scores[1] else 1


def take_initiative(play: Play, seat: Seat, first: bool) -> None:
    """SKR-22."""
    starter = seat if first else 1 - seat
    play.tell(FirstTaken(seat=starter))
    play.change(stage="activation", chooser=starter)
    _to_next(play, starter)


# --- activations ---


def candidates(play: Play, seat: Seat) -> list[str]:
    """SKR-23: the candidates for activation of a seat: teams, then single members.

    Once a turn; the dead, captured and unconscious have no activation of their own.
    """
    return free_of(play.side(seat), play.state.done)


def free_of(models: Iterable[Model], done: tuple[str, ...]) -> list[str]:
    """The teams and members among these models that have not been activated this turn."""
    free = [m for m in models if m.fit and m.name not in done]
    teams = list(dict.fromkeys(model.team for model in free))
    return teams + [model.name for model in free]


def check_candidate(play: Play, seat: Seat, who: str) -> None:
    """SKR-23, 138: raises IllegalMove, with the reason, if this team or man is no candidate.

    Of the enemy it says no more than both lists of teams do.
    """
    if who not in candidates(play, seat):
        raise why_not(play, seat, who)


def why_not(play: Play, seat: Seat, who: str) -> IllegalMove:
    """Why a team or a man is no candidate for activation."""
    team = who.partition("-")[0]
    if any(one.name == team and one.seat != seat for one in play.state.teams):
        return IllegalMove("{who} belongs to the other side.", rule="SKR-23", who=who)
    men = [model for model in play.side(seat) if who in (model.name, model.team)]
    if not men:
        return IllegalMove("You have nobody called {name}.", rule="SKR-24", name=who)
    able = any(model.fit for model in men)
    if who == team:
        return (
            IllegalMove(
                "All of {team} who can act have had their activation this turn.",
                rule="SKR-23",
                team=team,
            )
            if able
            else IllegalMove("Nobody of {team} can act.", rule="SKR-138", team=team)
        )
    if not able:
        state = Sentence(men[0].condition)
        return IllegalMove("{name} is {state}.", rule="SKR-138", name=who, state=state)
    return IllegalMove(
        "{who} has had his activation this turn, alone or with his team.", rule="SKR-23", who=who
    )


def free_orders_left(active: Activation) -> int:
    return FREE_ORDERS * len(active.members) - active.free_orders


def check_free(state: State) -> None:
    """SKR-7: raises IllegalMove if the activation has no more orders that cost no AP."""
    active = state.active
    if active is None:
        raise IllegalMove("First activate a team.", rule="SKR-23")
    if free_orders_left(active) <= 0:
        raise IllegalMove(
            "That was the last free order of this activation; others, or “{who} end”.",
            rule="SKR-7",
            who=active.who,
        )


def members_of(play: Play, who: str) -> tuple[str, ...]:
    """Every model that an activation of this team or member includes."""
    if who in play.models:
        return (who,)
    return tuple(
        m.name for m in play.models.values() if m.team == who and m.name not in play.state.done
    )


def begin(play: Play, seat: Seat, who: str) -> None:
    """SKR-24, 138, 146, 149: models wake, rally or flee; then the player gives orders."""
    number = play.state.activation_number + 1
    play.where = f"turn {play.state.turn} activation {number} start"
    members = members_of(play, who)
    play.change(activation_number=number, order_number=0, active=Activation(seat, who, members))
    play.tell(Activated(seat=seat, who=who))
    for name in members:
        _wake_up(play, name)
    spotting.refresh(play, set(members))
    for name in members:
        compel(play, name)


def _wake_up(play: Play, name: str) -> None:
    wounds.try_to_wake(play, name)
    if not play.models[name].fit:
        return
    changes = {"gait": "still", "walked_too": False, "charged": 0, "ran_on": 0}
    play.put(name, **changes, watch=None, overpowered="")
    spotting.forget_flash(play, name)


def compel(play: Play, name: str) -> None:
    """Compulsory actions of a member before the player's orders: flee, duck, go back."""
    model = play.models[name]
    if not model.fit:
        return
    if model.broken and not morale.rally(play, name):
        if play.models[name].ap > 0:
            flight.flee(play, name)
        elif play.models[name].broken == "broken":
            morale.standing_demands(play, name)
    elif model.recalled and model.ap > 0:
        flight.go_back(play, name)


def flee_if_broken(play: Play) -> None:
    """Makes the models that broke during the order flee."""
    active = play.state.active
    if active is None:
        return
    for name in active.members:
        model = play.models[name]
        if model.fit and model.broken and model.ap > 0:
            flight.flee(play, name)


def end(play: Play, seat: Seat, who: str) -> None:
    """SKR-23: ends an activation; the other side activates next."""
    if play.state.active is None:
        begin(play, seat, who)
    active = play.state.active
    assert active is not None
    play.where = f"turn {play.state.turn} activation {play.state.activation_number} end"
    for name in active.members:
        if play.models[name].fit:
            wounds.survive(play, name)  # SKR-136
        flight.check_command(play, name)
        if play.models[name].broken == "ducking":
            play.put(name, broken="")
    play.tell(ActivationEnded(seat=seat, who=active.who))
    play.change(active=None, done=tuple(sorted({*play.state.done, *active.members})))
    spotting.refresh(play)
    if not scoring.annihilated(play):
        _to_next(play, 1 - seat)


def _to_next(play: Play, seat: Seat) -> None:
    """SKR-23: this seat is next if it has a model left; else the other; else the turn ends."""
    for chooser in (seat, 1 - seat):
        if candidates(play, chooser):
            play.change(chooser=chooser)
            return
    end_turn(play)


# --- the end of a turn ---


def end_turn(play: Play) -> None:
    """SKR-20, 25: team morale, fatigue, wakings, objectives, smoke; then the next turn or none."""
    play.where = f"turn {play.state.turn} end"
    morale.team_checks(play)
    for name in sorted(play.models):
        # SKR-138: a later activation does not belong to this turn if he has had his
        if name not in play.state.done:
            wounds.try_to_wake(play, name)
        _fatigue(play, name)
        _forget_weapons(play, name)
    _pay_objectives(play)
    clouds = tuple(
        replace(cloud, turns=cloud.turns - 1) for cloud in play.state.smoke if cloud.turns > 1
    )
    play.change(smoke=clouds)
    if play.state.turn >= turn_limit(play.state.options):
        scoring.finish(play, Ending.TURN_LIMIT)
    elif not scoring.settle(play):
        start_turn(play)


def _fatigue(play: Play, name: str) -> None:
    """SKR-47, 182, 184: a man who ran in two consecutive turns tests his fortitude."""
    model = play.models[name]
    if not (model.fit and model.ran_this_turn and model.ran_last_turn):
        return
    if "go-faster" in faction(model.faction).innate or play.team(model.team).high:
        return
    if not play.check("battle fatigue", model.abilities.ft, name):
        play.put(name, half_pool=True)
        play.tell(Changed(who=name, what="fatigued", readers=play.readers(name)))


def _forget_weapons(play: Play, name: str) -> None:
    """SKR-12: a weapon that was tried and not learned can never be used."""
    model = play.models[name]
    play.put(name, arms=_barred(model.arms), dropped=_barred(model.dropped))


def _barred(arms: tuple[Arm, ...]) -> tuple[Arm, ...]:
    return tuple(replace(arm, barred=True) if arm.tried and not arm.learnt else arm for arm in arms)


def _pay_objectives(play: Play) -> None:
    """Gives points to the side that is alone at an objective."""
    for objective in scenario(play.state.options).objectives:
        there = {
            m.seat
            for m in play.models.values()
            if m.fights and _at(m, objective.x, objective.y, objective.radius)
        }
        if len(there) != 1:
            continue
        seat = there.pop()
        tallies = list(play.state.tallies)
        tallies[seat] = replace(
            tallies[seat], objectives=(*tallies[seat].objectives, objective.points)
        )
        play.change(tallies=tuple(tallies))
        play.tell(Paid(seat=seat, objective=objective.name, points=objective.points))


def _at(model: Model, x: int, y: int, radius: int) -> bool:
    return geometry.distance(model.at, (x, y)) <= radius
