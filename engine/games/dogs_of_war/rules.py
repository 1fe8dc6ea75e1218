"""The rules phase by phase: which moves are legal, what silence means, and what each move does."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from engine.dice import Dice
from engine.errors import IllegalMove
from engine.game import Seat, Step
from engine.games.dogs_of_war.action import effect, placements, reasons
from engine.games.dogs_of_war.action.position import position
from engine.games.dogs_of_war.course import conqueror, setup, stormcrow, year
from engine.games.dogs_of_war.effects.draft import Draft
from engine.games.dogs_of_war.events import DogsEvent
from engine.games.dogs_of_war.moves import (
    Buy,
    ChooseDog,
    ChooseFirst,
    DogsMove,
    Pass,
    Place,
    Push,
    Withdraw,
)
from engine.games.dogs_of_war.orders.words import HINTS
from engine.games.dogs_of_war.state import State

#: The kind of move each phase asks for.
_KINDS: Mapping[str, tuple[type[DogsMove], ...]] = {
    "dogs of war": (ChooseDog,),
    "first player": (ChooseFirst,),
    "mustering": (Buy,),
    "action": (Place, Pass),
    "conqueror": (Push,),
    "withdrawal": (Withdraw,),
}


def legal_moves(state: State, seat: Seat) -> Iterator[DogsMove]:
    """Complete and without duplicates: of equal choices of a copy only the first stands."""
    if state.table.turn != seat:
        return
    match state.table.phase:
        case "dogs of war":
            yield from setup.dog_choices(state)
        case "first player":
            yield from year.first_choices(state, seat)
        case "mustering":
            yield from year.purchases(state, seat)
        case "action":
            yield from placements.placements(position(state, seat))
            yield Pass()
        case "conqueror":
            yield from conqueror.pushes(state, seat)
        case _:
            yield from stormcrow.withdrawals(state, seat)


def check(state: State, seat: Seat, move: DogsMove) -> None:
    """IllegalMove with the first rule that forbids a move of the seat whose turn it is."""
    if not isinstance(move, _KINDS[state.table.phase]):
        raise IllegalMove("This is another phase. " + HINTS[state.table.phase], rule="DOW-14")
    match move:
        case ChooseDog():
            setup.check_dog(state, move)
        case ChooseFirst():
            year.check_first(state, seat, move)
        case Buy():
            year.check_purchase(state, seat, move)
        case Place():
            found = reasons.why_not(position(state, seat), move)
            if found is not None:
                raise found.error()
        case Push():
            conqueror.check_push(state, seat, move)
        case Withdraw():
            stormcrow.check_withdrawal(state, seat, move)
        case Pass():
            pass


def default_move(state: State, seat: Seat) -> DogsMove:
    """What silence means.

    The first dog of war that is left is played, the token is kept, and no tracker is moved. A
    silent player musters the cheapest soldiers for their captains, because a captain without a
    soldier is lost, and a footman never played is worth more at the end than his coin. In the
    action phase they play their weakest soldier, with a house they support already where they can:
    passing would throw away every captain they have left and decide next year's first player,
    while one captain leaves the rest of the year theirs. Only a player who cannot act passes.
    Stormcrow withdraws, as he does by himself where it is no choice.
    """
    match state.table.phase:
        case "dogs of war":
            return next(setup.dog_choices(state))
        case "first player":
            return ChooseFirst()
        case "mustering":
            return year.gentle_purchase(state, seat)
        case "action":
            return placements.gentle_placement(position(state, seat)) or Pass()
        case "conqueror":
            return Push()
        case _:
            return next(stormcrow.withdrawals(state, seat))


def apply(state: State, seat: Seat, move: DogsMove, dice: Dice) -> Step[State, DogsEvent]:
    """Carries out a legal move, and whatever the rules bring after it."""
    draft = Draft(state, dice)
    match move:
        case ChooseDog():
            setup.choose_dog(draft, seat, move)
        case ChooseFirst():
            year.choose_first(draft, seat, move)
        case Buy():
            year.muster(draft, seat, move)
        case Place():
            effect.place(draft, seat, move)
            year.go_on(draft, seat)
        case Pass():
            year.pass_turn(draft, seat)
        case Push():
            conqueror.push(draft, seat, move)
            year.finish_year(draft)
        case Withdraw():
            stormcrow.withdraw(draft, seat, move)
            year.finish_year(draft)
    return draft.step()
