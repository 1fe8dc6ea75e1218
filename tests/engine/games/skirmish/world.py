"""A table to test on: models where a test wants them, and dice that show what it says."""

from collections.abc import Sequence

import pytest
from msgspec.structs import replace

from engine.errors import IllegalMove
from engine.games.skirmish import GAME
from engine.games.skirmish.combat import blasts, consequences
from engine.games.skirmish.combat.blasts import Centre
from engine.games.skirmish.data.library import weapon
from engine.games.skirmish.ground.terrain import Building, Opening, TableForm
from engine.games.skirmish.meta import META, SkirmishOptions
from engine.games.skirmish.moves import Build
from engine.games.skirmish.notation import read
from engine.games.skirmish.play import Play
from engine.games.skirmish.sight import spotting
from engine.games.skirmish.stages import building
from engine.games.skirmish.state import Activation, State, Tally

#: A house of one room, with a window to the south.
HUT = Building(
    "hut", (18_000, 14_000, 23_000, 19_000), 1, "wood", (Opening("south", 2500, "window"),)
)


class Loaded:
    """Dice that show the numbers they were loaded with, by purpose, and else ``other``."""

    def __init__(self, other=5, **purposes):
        self.other = other
        self.loaded = {name.replace("_", " "): list(rolls) for name, rolls in purposes.items()}
        self.asked = []

    def roll(self, where: str, purpose: str, sides: int) -> int:
        self.asked.append((where, purpose))
        waiting = self.loaded.get(purpose)
        return waiting.pop(0) if waiting else min(self.other, sides)

    def shuffle(self, where: str, purpose: str, things: Sequence):
        return tuple(things)

    def purposes(self):
        return [purpose for _, purpose in self.asked]


def table(*features):
    return TableForm("test", "Test", 48_000, 48_000, tuple(features))


def inches(places):
    return [(round(x * 1000), round(y * 1000)) for x, y in places]


def world(
    own,
    enemies=((46, 46),),
    *,
    lists=("rangers", "taliban"),
    things=("", ""),
    features=(),
    active="alpha",
    scenario="clash",
    rules=int(META.rules_version),
    **switches,
) -> State:
    """A match in the middle of turn 1: seat 0's team is active, everybody stands face to face.

    ``own`` and ``enemies`` are places in inches of the first members; ``things`` what a side's
    members buy, as in a build order: "1: nvg; 2: sniper".
    """
    options = SkirmishOptions(scenario=scenario, **switches)
    teams, models, builds = [], [], []
    for seat, places in enumerate((own, enemies)):
        order = read(
            f"build {lists[seat]} ({things[seat]})" if things[seat] else f"build {lists[seat]}"
        )
        count = max(1, -(-len(places) // 4))
        build = Build(order.teams * count if len(order.teams) == 1 else order.teams)
        builds.append(build)
        squads, men = building.raise_force(seat, build)
        teams += squads
        for man, (x, y) in zip(men, inches(places), strict=False):
            models.append(replace(man, x=x, y=y, facing=180 * seat))
    state = State(
        options=options,
        table=table(*features),
        stage="activation",
        turn=1,
        activation_number=1,
        sides=("south", "north"),
        builds=tuple(builds),
        models=tuple(models),
        teams=tuple(teams),
        tallies=(Tally(()), Tally(())),
        active=Activation(0, active, tuple(m.name for m in models if m.seat == 0))
        if active
        else None,
        rules=rules,
    )
    return looked(state)


def looked(state: State) -> State:
    """The same with everybody's eyes open."""
    play = Play(state, Loaded(), "test", consequences.follow)
    spotting.refresh(play)
    return play.close()


def change(state: State, name: str, **values) -> State:
    """The same with one model changed, and looked at anew."""
    models = tuple(replace(m, **values) if m.name == name else m for m in state.models)
    return looked(replace(state, models=models))


def order(state: State, text: str, dice=None, seat=0):
    """The step an order makes."""
    move = GAME.parse(state, seat, text)
    return GAME.apply(state, seat, move, dice or Loaded())


def after(state: State, text: str, dice=None, seat=0) -> State:
    return order(state, text, dice, seat).state


def refused(state: State, text: str, seat=0) -> IllegalMove:
    """The refusal of an order."""
    with pytest.raises(IllegalMove) as caught:
        GAME.parse(state, seat, text)
    return caught.value


def of_kind(step, kind):
    return [event for event in step.events if isinstance(event, kind)]


def play_on(state: State, dice=None) -> Play:
    """A play on a state, for the rules' functions themselves."""
    return Play(state, dice or Loaded(), "test", consequences.follow)


def burst(state: State, weapon_name: str, at, dice=None, floor="ground") -> Play:
    """A play in which something has gone off at a place."""
    play = play_on(state, dice)
    blasts.explode(play, Centre(at[0], at[1], floor), weapon(weapon_name), "")
    return play
