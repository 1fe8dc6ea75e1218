"""What one player knows when they act, and why something is forbidden, as values.

A :class:`Position` holds nothing hidden from its seat: a state and the seat's view give an equal
one, so a match, a page and a bot apply the same rules.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from engine.errors import IllegalMove, Parameter, Sentence
from engine.game import Seat
from engine.games.dogs_of_war.box.components import (
    Tactic,
    catalogue,
)
from engine.games.dogs_of_war.meta import Options
from engine.games.dogs_of_war.moves import Place
from engine.games.dogs_of_war.state import (
    Screen,
    State,
    Table,
)


class Position(msgspec.Struct, frozen=True):
    """What one player knows when they act: the table, the options, and their own screen."""

    table: Table
    options: Options
    seat: Seat
    screen: Screen

    @property
    def cards(self) -> Mapping[str, Tactic]:
        return catalogue(self.options.components).cards


def position(state: State, seat: Seat) -> Position:
    return Position(state.table, state.options, seat, state.screens[seat])


class Problem(msgspec.Struct, frozen=True):
    """Why something may not be played: the rule's id and a sentence for the player."""

    rule: str
    sentence: Sentence

    def error(self) -> IllegalMove:
        return IllegalMove(self.sentence.text, rule=self.rule, **self.sentence.parameters)


def problem(rule: str, text: str, **parameters: Parameter) -> Problem:
    return Problem(rule, Sentence(text, parameters))


def card_of(position: Position, move: Place) -> Tactic | None:
    return None if move.tactic is None else position.cards[move.tactic]
