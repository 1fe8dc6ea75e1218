"""Whose turn it is, which moves are legal, and the step a move makes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from msgspec.structs import replace

from engine.dice import Dice, NoDice
from engine.errors import IllegalMove, Sentence
from engine.game import Phase, Seat, Step, spread
from engine.games.skirmish import moves as m
from engine.games.skirmish import versions
from engine.games.skirmish.combat import consequences
from engine.games.skirmish.events import SkirmishEvent
from engine.games.skirmish.moves import SkirmishMove
from engine.games.skirmish.orders import acts, sampling
from engine.games.skirmish.play import Play
from engine.games.skirmish.sight import spotting
from engine.games.skirmish.stages import activation, building, deploying, scoring, setting_up
from engine.games.skirmish.state import State

#: Orders after which sight is updated.
LOOKING = (
    m.Travel,
    m.Face,
    m.Stance,
    m.Fire,
    m.Throw,
    m.Attack,
    m.Tackle,
    m.Tie,
    m.Bandage,
    m.Carry,
    m.PutDown,
    m.Trigger,
    m.Demand,
)

#: The stages in the words of a refusal.
STAGES = {
    "building": Sentence("the forces are being built"),
    "sides": Sentence("the sides are being chosen"),
    "order": Sentence("who deploys first is being chosen"),
    "deployment": Sentence("the forces are being deployed"),
    "initiative": Sentence("who activates first is being chosen"),
    "activation": Sentence("the turn is under way"),
}

#: Orders of an activation that serve as examples; its end always can.
SHOWN = (m.Travel, m.Fire, m.Throw, m.OpFire, m.Stance, m.End)


# --- whose turn it is, and the legal moves ---


def phase(state: State) -> Phase:
    if state.stage == "over":
        return Phase("over", frozenset())
    if state.stage == "building":
        waiting = frozenset(seat for seat in (0, 1) if state.builds[seat] is None)
        return Phase("building", waiting)
    if state.stage == "deployment":
        waiting = frozenset(seat for seat in (0, 1) if state.places[seat] is None)
        if state.options.deployment == "turns" and len(waiting) == 2:
            waiting = frozenset((state.deploy_first,))
        return Phase("deployment", waiting)
    return Phase(state.stage, frozenset((state.chooser,)))


def legal_moves(state: State, seat: Seat) -> Iterable[SkirmishMove]:
    """All legal moves; for forces, places and orders a sample (``orders.sampling``)."""
    if seat not in phase(state).pending:
        return
    match state.stage:
        case "building":
            yield from sampling.builds(state.options.points)
        case "sides":
            yield from (m.TakeSide("south"), m.TakeSide("north"))
        case "order":
            yield from (m.TakeOrder(False), m.TakeOrder(True))
        case "deployment":
            yield from sampling.deployments(state, seat)
        case "initiative":
            yield from (m.Initiative(False), m.Initiative(True))
        case _ if state.active is None:
            yield from sampling.activations(_look(state, seat), seat)
        case _:
            play = _look(state, seat)
            yield from _legal(play, seat, sampling.orders(play, seat))


def examples(state: State, seat: Seat, most: int) -> Sequence[SkirmishMove]:
    """Of each of the first ``SHOWN`` kinds the first legal order; the others are not checked.

    Of forces whole ones: who answers a mail with its example must not play with half of the points.
    """
    if state.active is None or seat not in phase(state).pending:
        limit = state.options.points
        whole = [
            move
            for move in legal_moves(state, seat)
            if not isinstance(move, m.Build) or building.is_whole(move, limit)
        ]
        return spread(whole, most)
    play = _look(state, seat)
    # one way is mostly enough, and each is searched for
    ways = sampling.orders(play, seat, sampling.ways)
    deeds = list(sampling.orders(play, seat, sampling.deeds))
    kinds = (
        (move for move in (ways if kind is m.Travel else deeds) if isinstance(move, kind))
        for kind in SHOWN
    )
    first = (move for one in kinds for move in islice(_legal(play, seat, one), 1))
    return list(islice(first, most))


def _legal(play: Play, seat: Seat, asked: Iterable[SkirmishMove]) -> Iterator[SkirmishMove]:
    for move in asked:
        try:
            _check_active(play, seat, move)
        except IllegalMove:
            continue
        yield move


def default_move(state: State, seat: Seat) -> SkirmishMove:
    """An absent player builds and deploys the default, lets the other side go first, and passes.

    A skipped activation is over, so default moves bring every match to its turn limit.
    """
    match state.stage:
        case "building":
            return building.default_build(state.options.points)
        case "sides":
            return m.TakeSide("south")
        case "order":
            return m.TakeOrder(False)
        case "deployment":
            return deploying.default_deploy(state, seat)
        case "initiative":
            return m.Initiative(False)
        case _ if state.active is not None:
            return m.End(state.active.who)
        case _:
            return m.End(activation.candidates(_look(state, seat), seat)[0])


def _look(state: State, seat: Seat) -> Play:
    """A read-only play with one seat's knowledge; it cannot roll."""
    play = Play(state, NoDice(), "")
    play.eyes = seat
    return play


# --- checks ---


def check(state: State, seat: Seat, move: SkirmishMove) -> None:
    """Raises IllegalMove, with the rule, if a pending seat may not make this move."""
    match move:
        case m.Build():
            _expect(state, "building")
            building.check_build(move, state.options.points)
            if versions.nobody_buys_what_he_has(state):
                building.check_no_doubles(move)
        case m.TakeSide():
            _expect(state, "sides")
        case m.TakeOrder():
            _expect(state, "order")
        case m.Deploy():
            _expect(state, "deployment")
            deploying.check_deploy(state, seat, move)
        case m.Initiative():
            _expect(state, "initiative")
        case _:
            _expect(state, "activation")
            _check_active(_look(state, seat), seat, move)


def _expect(state: State, stage: str) -> None:
    if state.stage != stage:
        raise IllegalMove(
            "That order is not possible now: {stage}.", rule="SKR-20", stage=STAGES[state.stage]
        )


def _check_active(play: Play, seat: Seat, move: SkirmishMove) -> None:
    active = play.state.active
    match move:
        case m.Activate(who):
            if active is not None:
                raise IllegalMove(
                    "{who} is active; first “{who} end”.", rule="SKR-23", who=active.who
                )
            activation.check_candidate(play, seat, who)
        case m.End(who):
            if active is not None and who != active.who:
                raise IllegalMove("It is {who} who is active.", rule="SKR-23", who=active.who)
            if active is None:
                activation.check_candidate(play, seat, who)
        case m.Demands(on):
            if play.state.demands[seat] == on:
                raise IllegalMove("That is so already.", rule="SKR-147")
            activation.check_free(play.state)
        case m.Build() | m.TakeSide() | m.TakeOrder() | m.Deploy() | m.Initiative():
            raise IllegalMove("That order has no place now.", rule="SKR-20")
        case _:
            acts.check_order(play, seat, move)


# --- steps ---


def apply(state: State, seat: Seat, move: SkirmishMove, dice: Dice) -> Step[State, SkirmishEvent]:
    where = f"turn {state.turn} activation {state.activation_number} order {state.order_number + 1}"
    play = Play(state, dice, where, consequences.follow)
    match move:
        case m.Build():
            setting_up.take_force(play, seat, move)
        case m.TakeSide(side):
            setting_up.take_side(play, seat, side)
        case m.TakeOrder(first):
            setting_up.take_order(play, seat, first)
        case m.Deploy():
            setting_up.take_deployment(play, seat, move)
        case m.Initiative(first):
            activation.take_initiative(play, seat, first)
        case m.Activate(who):
            activation.begin(play, seat, who)
            _close_if_idle(play, seat)
        case m.End(who):
            activation.end(play, seat, who)
        case m.Demands(on):
            demands = (on, state.demands[1]) if seat == 0 else (state.demands[0], on)
            play.change(demands=demands)
            _count(play, 0)
        case _:
            _order(play, seat, move)
    shows = (
        play.revealed
        or play.state.stage != state.stage
        # who is next, and whether the turn is over, depends on enemies nobody may have seen fall
        or (state.active is not None and play.state.active is None)
        or _may_show(move)
    )
    return Step(play.close(), tuple(play.events), shows)


def _may_show(move: SkirmishMove) -> bool:
    """Whether somebody looks around, or an enemy's Op-Fire may interrupt.

    That nobody is seen, and nobody fires, is information, too. Whether a move reveals must not
    depend on what its mover does not know.
    """
    in_play = isinstance(move, m.Activate | m.End | m.ModelMove)
    return in_play and not isinstance(move, m.OpFire)


def _order(play: Play, seat: Seat, move: m.ModelMove) -> None:
    carry_out(play, seat, move)
    activation.flee_if_broken(play)
    if not scoring.annihilated(play):
        _close_if_idle(play, seat)


def carry_out(play: Play, seat: Seat, move: m.ModelMove) -> None:
    """Pays for an order and carries it out, with all that follows at once."""
    acts.perform(play, move, checked_cost(play, seat, move))
    if isinstance(move, LOOKING) or play.revealed:
        spotting.refresh(play, {move.model})


def checked_cost(play: Play, seat: Seat, move: m.ModelMove) -> int:
    """The AP of an order, checked by what the seat knows and counted; raises IllegalMove."""
    play.eyes = seat
    cost = acts.check_act(play, seat, move)
    play.eyes = None
    _count(play, cost)
    return cost


def _count(play: Play, cost: int) -> None:
    active = play.state.active
    assert active is not None
    if cost == 0:
        active = replace(active, free_orders=active.free_orders + 1)
    play.change(active=active, order_number=play.state.order_number + 1)


def _close_if_idle(play: Play, seat: Seat) -> None:
    """Ends an activation in which nobody can do anything more, not even for nothing (SKR-29).

    Who waits to fire (SKR-45) has done all that he does.
    """
    active = play.state.active
    if active is None:
        return
    free = versions.free_acts_come_before_the_end(play.state)
    free = free and activation.free_orders_left(active) > 0
    for name in active.members:
        model = play.models[name]
        if not model.fit or model.broken or model.recalled or model.overpowered:
            continue
        if model.ap > 0 or (free and model.watch is None):
            return
    activation.end(play, seat, active.who)
