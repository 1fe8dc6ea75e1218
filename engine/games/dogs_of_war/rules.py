"""The rules phase by phase: the legal moves, the default move, and the effect of each move."""

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

#: The kind of move in each phase.
_KINDS: Mapping[str, tuple[type[DogsMove], ...]] = {
    "dogs of war": (ChooseDog,),
    "first player": (ChooseFirst,),
    "mustering": (Buy,),
    "action": (Place, Pass),
    "conqueror": (Push,),
    "withdrawal": (Withdraw,),
}


def legal_moves(state: State, seat: Seat) -> Iterator[DogsMove]:
    """Complete and without duplicates: of equal choices of a copy only the first is listed."""
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
    """Raises IllegalMove with the first rule that forbids a move of the seat whose turn it is."""
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
    """The move of an absent player.

    It takes the first available dog of war, keeps the token, and moves no tracker. It buys the
    cheapest soldier for each captain, because a captain without a soldier is lost, and an unplayed
    footman is worth more at the end than its price. In the action phase it plays the weakest
    soldier, for a house the player already supports if possible: passing would discard all
    remaining captains and decide next year's first player, while placing one captain keeps the rest
    of the year open. Only a player who cannot act passes. Stormcrow withdraws, as he does
    automatically if it is not a choice.
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
    """Carries out a legal move, and everything that follows by the rules."""
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
