"""Small tables to try a rule on. Seats count from 0, as everywhere; dogs are named by the test.

The usual scene is the action phase of year 1 with the first seat to act::

    battle 1    1a talbot   tile 1:  I1  C2  F   T1  a+VP2  k+captain
                1b mallory  tile 2:  I1  C1  A   T1  a+I2   -               bonus 3 coins
    battle 2    2a bastiani tile 3:  I1  VP1 C2  a+K k+VP3  -
                2b hackett  tile 4:  I1  F   T1  coins per captain  a+C3  k+I2    bonus a knight
    battle 3    3a tornborn tile 5:  I1  VP1 push  C2  a+T2  k+war machine
                3b harlow   tile 6:  I1  copy  C1  F  a+captain  -          bonus a captain
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

from engine.dice import SeededDice
from engine.game import Seat, Step
from engine.games.dogs_of_war import GAME
from engine.games.dogs_of_war.box.components import (
    Dog,
    House,
    Reward,
    RewardKind,
    SoldierCounts,
    catalogue,
)
from engine.games.dogs_of_war.events import DogsEvent
from engine.games.dogs_of_war.meta import Options
from engine.games.dogs_of_war.state import Battle, Influence, Side, State

PAIRS = ((House.TALBOT, House.MALLORY), (House.BASTIANI, House.HACKETT))
PAIRS += ((House.TORNBORN, House.HARLOW),)
BONUSES = (
    Reward(RewardKind.COINS, 3),
    Reward(RewardKind.KNIGHT),
    Reward(RewardKind.CAPTAIN),
)
#: Dogs without an ability that shows before the outcome, for scenes where none is wanted.
PLAIN = (Dog.BLACKMANE, Dog.OMALLEY, Dog.ORDALIA, Dog.STORMCROW, Dog.CONQUEROR)


def dice(text: str = "a test") -> SeededDice:
    return SeededDice.from_text(text)


def started(seats: int = 3, seed: str = "a test", **options: Any) -> State:
    """A match with everything dealt, before its first year's first decision."""
    return begun(seats, dice(seed), **options).state


def begun(seats: int, chance: SeededDice, **options: Any) -> Step[State, DogsEvent]:
    """How a match begins whose dogs of war are not chosen: by lot, or as the test says."""
    if "dogs" not in options:
        options.setdefault("dogs_by", "lot")
    return GAME.setup(seats, Options(**options), chance)


def scene(dogs: Sequence[Dog] = PLAIN[:3], **options: Any) -> State:
    """The scene of the module's docstring: three captains and two of each soldier for everyone."""
    state = started(len(dogs), dogs=tuple(dogs), **options)
    components = catalogue(state.options.components).components
    count = len(state.table.houses) // 2
    battles = tuple(
        Battle(
            tracker=0,
            bonus=BONUSES[number],
            sides=tuple(
                Side(
                    house=house,
                    tile=2 * number + which + 1,
                    spaces=components.tiles[2 * number + which],
                    captains=(None,) * 6,
                )
                for which, house in enumerate(PAIRS[number])
            ),
        )
        for number in range(count)
    )
    hand = SoldierCounts(2, 2, 2, 2)
    supply = components.soldiers
    for _ in dogs:
        supply = supply - hand
    table = replace(
        state.table,
        phase="action",
        turn=0,
        token=0,
        first=0,
        battles=battles,
        soldiers=supply,
        players=tuple(replace(player, captains=3) for player in state.table.players),
    )
    screens = tuple(
        replace(screen, support=House.HARLOW, soldiers=hand, tactics=()) for screen in state.screens
    )
    return replace(state, table=table, screens=screens)


def with_table(state: State, **changes: Any) -> State:
    return replace(state, table=replace(state.table, **changes))


def with_player(state: State, seat: Seat, **changes: Any) -> State:
    players = list(state.table.players)
    players[seat] = replace(players[seat], **changes)
    return with_table(state, players=tuple(players))


def with_screen(state: State, seat: Seat, **changes: Any) -> State:
    screens = list(state.screens)
    screens[seat] = replace(screens[seat], **changes)
    return replace(state, screens=tuple(screens))


def with_side(state: State, house: House, **changes: Any) -> State:
    number, which = state.table.find(house)
    sides = list(state.table.battles[number].sides)
    sides[which] = replace(sides[which], **changes)
    return with_battle(state, number, sides=tuple(sides))


def with_battle(state: State, number: int, **changes: Any) -> State:
    battles = list(state.table.battles)
    battles[number] = replace(battles[number], **changes)
    return with_table(state, battles=tuple(battles))


def with_captains(state: State, house: House, *seats: Seat | None) -> State:
    """Captains of these seats on the first spaces of a house's tile."""
    return with_side(state, house, captains=(*seats, *(None,) * (6 - len(seats))))


def with_lead(state: State, house: House, spaces: int) -> State:
    """The tracker so many spaces on a house's half."""
    number, which = state.table.find(house)
    return with_battle(state, number, tracker=spaces if which else -spaces)


def with_position(state: State, house: House, position: int) -> State:
    rows = tuple(
        replace(row, position=position) if row.house is house else row for row in state.table.houses
    )
    return with_table(state, houses=rows)


def with_influence_left(state: State, house: House, tokens: int) -> State:
    rows = tuple(
        replace(row, influence=tokens) if row.house is house else row for row in state.table.houses
    )
    return with_table(state, houses=rows)


def holding(**tokens: int) -> Influence:
    return Influence(**tokens)


def play(state: State, seat: Seat, order: str, seed: str = "a play") -> State:
    return step(state, seat, order, seed).state


def step(state: State, seat: Seat, order: str, seed: str = "a play") -> Step[State, DogsEvent]:
    move = GAME.parse(state, seat, order)
    return GAME.apply(state, seat, move, dice(seed))


def everybody_passes(state: State) -> State:
    """All who have not passed do, in turn; the state after the last of them."""
    while state.table.phase == "action":
        state = play(state, state.table.turn, "pass")
    return state


def lead(state: State, house: House) -> int:
    number, which = state.table.find(house)
    return state.table.battles[number].lead(which)


def position(state: State, house: House) -> int:
    return state.table.row(house).position


def told(step: Step[State, DogsEvent], kind: type[DogsEvent]) -> list[Any]:
    return [event for event in step.events if isinstance(event, kind)]


def legal(state: State, seat: Seat) -> set[str]:
    return {GAME.format(move) for move in GAME.legal_moves(state, seat)}


def last_pass(state):
    """The step of the pass that ends the action phase; seat 0 passes last."""
    for seat in range(1, len(state.table.players)):
        state = with_player(state, seat, passed=True, captains=0)
    return step(with_table(state, turn=0), 0, "pass")


def won_by_talbot(dogs=(Dog.OMALLEY, Dog.BLACKMANE, Dog.ORDALIA), spaces=5, **options):
    """Battle 1 of vector T4: Talbot has two captains of seat 0 and one of seat 1; Mallory two of
    seat 2 and one of seat 0, who played Betrayal."""
    state = with_lead(scene(dogs, **options), House.TALBOT, spaces)
    state = with_captains(state, House.TALBOT, 0, 0, 1)
    return with_captains(state, House.MALLORY, 2, 2, 0)


def points(state):
    return [screen.points for screen in state.screens]


def result(state, number=0):
    return state.table.results[number]
