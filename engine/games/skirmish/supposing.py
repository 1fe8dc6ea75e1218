"""An order of a list, carried out on what its seat knows, so that the next one can be judged.

The state is made from the view alone (``planning.known_state``), so nothing hidden can show. Where
a die would decide, the order's cost is paid and the least is assumed: a walk ends where it was to
end, and nothing comes of anything else.
"""

from __future__ import annotations

from msgspec.structs import replace

from engine.dice import ChanceNeededError, NoDice
from engine.errors import Sentence
from engine.game import Supposed
from engine.games.skirmish import moves as m
from engine.games.skirmish import notation, rules
from engine.games.skirmish import view as views
from engine.games.skirmish.combat import arms, consequences, fire
from engine.games.skirmish.data.library import weapon
from engine.games.skirmish.events import (
    Activated,
    ActivationEnded,
    Changed,
    Did,
    Fired,
    LostSight,
    Moved,
    OutOfRange,
    Rolled,
    SkirmishEvent,
    Stood,
    Turned,
    Watching,
)
from engine.games.skirmish.ground import geometry
from engine.games.skirmish.men import things
from engine.games.skirmish.movement import walking
from engine.games.skirmish.orders import defaults
from engine.games.skirmish.play import Play
from engine.games.skirmish.shown import planning
from engine.games.skirmish.sight import spotting
from engine.games.skirmish.stages import activation
from engine.games.skirmish.state import Activation, Shot, State
from engine.games.skirmish.view import View

#: What an order itself does; dice are told apart below.
OWN_DOING = (Activated, ActivationEnded, Moved, Turned, Stood, Watching, Fired, OutOfRange)
#: What helpers do without a die.
HELPED = ("bandaged", "disciplined")


def suppose(view: View, order: str) -> Supposed[View, m.SkirmishMove, SkirmishEvent] | None:
    """What is known after an order; None outside of activations.

    Raises what ``parse`` raises.
    """
    seat = view.seat
    if seat is None or seat not in view.pending or view.stage != "activation":
        return None
    state = planning.known_state(view)
    move = defaults.filled(notation.read(order), state.model)
    rules.check(state, seat, move)
    play, assumed = _carried_out(state, seat, move)
    told = tuple(event for event in play.events if event.readable_by(seat))
    return Supposed(move, notation.write(move), _seen(view, play), told, assumed)


def is_news(event: SkirmishEvent, seat: int) -> bool:
    """Whether an event may change what its seat wants to order next.

    News are what a die or an enemy does: a hit, a wound, an enemy who comes in sight or
    interrupts. A shot that misses and a test that is passed leave all as it was supposed.
    """
    match event:
        case Rolled(purpose=purpose, die=die):
            return event.at_most is not None and (die <= event.at_most) == (purpose == "to hit")
        case Changed(what=what):
            return what not in HELPED
        case Did(act=act):
            return act == "prevented"
        case LostSight():
            return False
    return not isinstance(event, OWN_DOING)


def _carried_out(state: State, seat: int, move: m.SkirmishMove) -> tuple[Play, Sentence | None]:
    """The step, and what is assumed in it."""
    match move:
        case m.Activate(who):
            return _begun(state, seat, who)
        case m.End(who):
            play = _play(state)
            play.tell(ActivationEnded(seat=seat, who=who))
            play.change(active=None, chooser=1 - seat)
            return play, None
        case m.Demands(on):
            play = _play(state)
            play.change(demands=(on, on))
            return play, None
    assert not isinstance(move, m.Build | m.TakeSide | m.TakeOrder | m.Deploy | m.Initiative)
    try:
        play = _play(state)
        rules.carry_out(play, seat, move)
    except ChanceNeededError:
        play = _play(state)
        _pay(play, seat, move)
        spotting.refresh(play, {move.model})
        return play, _assumed(move)
    return play, None


def _play(state: State) -> Play:
    return Play(state, NoDice(), "", consequences.follow)


def _begun(state: State, seat: int, who: str) -> tuple[Play, Sentence | None]:
    play = _play(state)
    try:
        activation.begin(play, seat, who)
    except ChanceNeededError:
        play = _play(state)
        members = activation.members_of(play, who)
        play.change(active=Activation(seat, who, members))
        play.tell(Activated(seat=seat, who=who))
        return play, Sentence("nobody of them wakes or rallies")
    return play, None


def _assumed(move: m.ModelMove) -> Sentence:
    match move:
        case m.Travel():
            return Sentence("he gets there")
        case m.Fire() | m.Throw():
            return Sentence("nobody is hit")
    return Sentence("nothing comes of it")


def _pay(play: Play, seat: int, move: m.ModelMove) -> None:
    """What an order costs, and where it leaves a man, whatever the dice say."""
    cost = rules.checked_cost(play, seat, move)
    model = play.put(move.model, ap=play.models[move.model].ap - cost)
    match move:
        case m.Travel(_, gait, path, floor):
            way = [model.at, *path]
            (x, y), facing = way[-1], geometry.bearing(way[-2], way[-1])
            done = walking.gait_after(model, move)
            play.put(move.model, x=x, y=y, floor=floor, facing=facing, gait=done)
            play.tell(Moved(who=move.model, gait=gait, path=tuple(way), floor=floor, ap=cost))
        case m.Fire():
            mode = arms.mode_of(weapon(move.weapon), move.mode)
            fire.pay_spotter(play, move)
            end = fire.end_of(play, move)
            arms.spend_rounds(play, move.model, move.weapon, mode.dice)
            play.put(move.model, facing=geometry.bearing(model.at, end))
            shot = Shot(move.model, model.at, end, False, (seat,))
            play.change(shots=(*play.state.shots, shot))
        case m.Throw():
            things.use_up(play, move.model, move.grenade, 1)


def _seen(view: View, play: Play) -> View:
    """The view with what has changed in it."""
    state = play.close()
    pending = tuple(sorted(rules.phase(state).pending))
    after = views.view(state, view.seat, pending)
    return replace(
        view,
        pending=pending,
        own=after.own,
        others=after.others,
        sightlines=after.sightlines,
        active=after.active,
        done=after.done,
        devices=after.devices,
        lying=after.lying,
        smoke=after.smoke,
        collapsed=after.collapsed,
        breaches=after.breaches,
        levels=after.levels,
        shots=(*view.shots, *after.shots),
        demands=after.demands,
    )
