"""A step under construction: the state so far, the events so far, and the dice."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from engine.dice import Dice
from engine.game import Seat, Step
from engine.games.dogs_of_war.box.components import House
from engine.games.dogs_of_war.events import DogsEvent
from engine.games.dogs_of_war.state import TRACK_END, Battle, State, Table


class Draft:
    """Carries out one move by replacing parts of the state; used for that move only."""

    def __init__(self, state: State, dice: Dice) -> None:
        self.state = state
        self.dice = dice
        self.events: list[DogsEvent] = []
        self.reveals = False

    @property
    def table(self) -> Table:
        return self.state.table

    def step(self) -> Step[State, DogsEvent]:
        return Step(self.state, tuple(self.events), self.reveals)

    def tell(self, event: DogsEvent) -> None:
        self.events.append(event)

    def put(self, **changes: Any) -> None:
        self.state = replace(self.state, **changes)

    def put_table(self, **changes: Any) -> None:
        self.put(table=replace(self.table, **changes))

    def put_player(self, seat: Seat, **changes: Any) -> None:
        players = list(self.table.players)
        players[seat] = replace(players[seat], **changes)
        self.put_table(players=tuple(players))

    def put_screen(self, seat: Seat, **changes: Any) -> None:
        screens = list(self.state.screens)
        screens[seat] = replace(screens[seat], **changes)
        self.put(screens=tuple(screens))

    def put_battle(self, battle: int, **changes: Any) -> None:
        battles = list(self.table.battles)
        battles[battle] = replace(battles[battle], **changes)
        self.put_table(battles=tuple(battles))

    def put_side(self, battle: int, side: int, **changes: Any) -> None:
        sides = list(self.table.battles[battle].sides)
        sides[side] = replace(sides[side], **changes)
        self.put_battle(battle, sides=tuple(sides))

    def put_house(self, house: House, **changes: Any) -> None:
        self.put_table(
            houses=tuple(
                replace(row, **changes) if row.house is house else row for row in self.table.houses
            )
        )

    def push(self, battle: int, side: int, spaces: int) -> None:
        """Pushes a tracker toward a side, at most to 15; no strength is beyond it (DOW-60, 91)."""
        after = pushed(self.table.battles[battle], side, spaces)
        self.put_battle(battle, tracker=after.tracker, sides=after.sides)


def moved(lead: int, spaces: int) -> int:
    """A side's lead after the tracker moved toward it, capped at 15 (DOW-47)."""
    return min(lead + spaces, TRACK_END)


def pushed(battle: Battle, side: int, spaces: int) -> Battle:
    """The battle after its tracker is pushed toward a side."""
    lead = moved(battle.lead(side), spaces)
    sides = list(battle.sides)
    strength = sides[side].strength + lead - battle.lead(side)
    sides[side] = replace(sides[side], strength=strength)
    return replace(battle, tracker=lead if side else -lead, sides=(sides[0], sides[1]))
