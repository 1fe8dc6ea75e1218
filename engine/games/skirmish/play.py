"""One step under construction: the models as they are now, the dice, and the events so far.

A ``Play`` is used for one ``apply``. It is opened on a state and closed into the next; in between,
the rules' modules change it through ``put`` and ``change``, roll through ``roll``, report through
``tell``, and trigger effects in other modules through ``follow``. Draws are named by where the
match is ("turn 3 activation 2 order 4"), never by what was ordered.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import msgspec

from engine.dice import Dice
from engine.games.skirmish import versions
from engine.games.skirmish.data.library import Scenario, library
from engine.games.skirmish.events import Did, Rolled, RolledAt, SkirmishEvent
from engine.games.skirmish.ground.scene import Scene, gap, touching
from engine.games.skirmish.ground.terrain import Terrain, terrain
from engine.games.skirmish.meta import SkirmishOptions
from engine.games.skirmish.state import Model, State, Team


def scenario(options: SkirmishOptions) -> Scenario:
    return library().scenarios[options.scenario]


def is_night(options: SkirmishOptions) -> bool:
    return scenario(options).night if options.night is None else options.night


def turn_limit(options: SkirmishOptions) -> int:
    return options.turn_limit or scenario(options).turns


def terrain_of(state: State) -> Terrain:
    return terrain(state.table, state.collapsed, state.breaches)


class Cause(msgspec.Struct, frozen=True):
    """Something with effects in other modules.

    The module that causes it defines it; its effects are in ``combat.consequences``, which provides
    ``Play.follow``.
    """


def nothing_follows(play: Play, cause: Cause) -> None:
    """For a play that is only read: does nothing."""
    raise AssertionError(f"{cause} happened in a play that is only looked at")


class Play:
    """A step under construction (see the module docstring)."""

    def __init__(
        self,
        state: State,
        dice: Dice,
        where: str,
        consequences: Callable[[Play, Cause], None] = nothing_follows,
    ) -> None:
        self.state = state
        self.dice = dice
        self.where = where
        self._consequences = consequences
        self.models: dict[str, Model] = {model.name: model for model in state.models}
        self.events: list[SkirmishEvent] = []
        self.revealed = False
        self.terrain = terrain_of(state)
        self.night = is_night(state.options)
        #: Set while an order is checked: the seat whose knowledge is used, so that no refusal
        #: reveals an enemy out of sight.
        self.eyes: int | None = None

    # --- the table ---

    @property
    def scene(self) -> Scene:
        figures = tuple(self.models.values())
        if self.eyes is not None and self.state.options.hidden_enemies:
            seat = self.eyes
            seen = self.in_sight_of(seat)
            figures = tuple(m for m in figures if m.seat == seat or m.name in seen)
        return Scene(self.terrain, figures, self.state.smoke, self.night)

    def change(self, **changes: Any) -> None:
        """New values for the state's own fields."""
        self.state = msgspec.structs.replace(self.state, **changes)
        if "collapsed" in changes or "breaches" in changes:
            self.terrain = terrain_of(self.state)

    def put(self, name: str, **changes: Any) -> Model:
        """New values for a model's fields."""
        self.models[name] = msgspec.structs.replace(self.models[name], **changes)
        return self.models[name]

    def side(self, seat: int) -> Iterator[Model]:
        return (model for model in list(self.models.values()) if model.seat == seat)

    def mates(self, model: Model) -> list[Model]:
        """The others of his team."""
        return [
            mate
            for mate in self.models.values()
            if mate.team == model.team and mate.name != model.name
        ]

    def team(self, name: str) -> Team:
        return next(team for team in self.state.teams if team.name == name)

    def put_team(self, name: str, **changes: Any) -> None:
        teams = tuple(
            msgspec.structs.replace(team, **changes) if team.name == name else team
            for team in self.state.teams
        )
        self.change(teams=teams)

    def gap(self, a: Model, b: Model) -> int:
        return gap(Scene(self.terrain, ()), a, b)

    def foes_in_contact(self, model: Model) -> list[Model]:
        """Enemies he is hand to hand with: conscious, free, and not overpowered."""
        return [
            foe
            for foe in self.side(1 - model.seat)
            if foe.fit and not foe.overpowered and touching(model, foe)
        ]

    def follow(self, cause: Cause) -> None:
        """Carries out all effects of a cause, immediately."""
        self._consequences(self, cause)

    # --- events ---

    def tell(self, event: SkirmishEvent) -> None:
        self.events.append(event)

    def note(self, who: str, act: str, thing: str = "", count: int = 1) -> None:
        """Reports a small act, to his own side only: nobody else's map shows it."""
        own = (self.models[who].seat,)
        self.tell(Did(who=who, act=act, thing=thing, count=count, readers=own))

    def note_prevented(self, who: str) -> None:
        """Tells his own side that he cannot do what he was told; of the fallen it is plain."""
        if versions.who_is_kept_from_an_act_is_told(self.state) and self.models[who].fit:
            self.note(who, "prevented")

    def readers(self, *names: str) -> tuple[int, ...] | None:
        """The seats that may read what these models do: their own sides, and those who see them.

        None (everybody) if both sides take part. If the enemy only looks on, he reads everything,
        but onlookers nothing: a player could learn from them that he is seen.
        """
        if not self.state.options.hidden_enemies:
            return None
        models = [self.models[name] for name in names]
        if {model.seat for model in models} == {0, 1}:
            return None
        seats = {model.seat for model in models}
        if all(self.is_seen(model) for model in models):
            seats = {0, 1}
        return tuple(sorted(seats))

    def doer(self, by: str, who: str) -> str:
        """The acting model's name, or "" if somebody who sees only the affected one reads it."""
        other = self.models.get(by)
        known = other is not None and (other.name == who or self.is_seen(other))
        return by if known else ""

    def is_seen(self, model: Model) -> bool:
        """Whether the other side has him in sight, as its contacts stand."""
        hidden = self.state.options.hidden_enemies
        return not hidden or model.name in self.in_sight_of(1 - model.seat)

    def in_sight_of(self, seat: int) -> set[str]:
        """The names of the enemies a seat has in sight, as its contacts stand."""
        return {contact.model for contact in self.state.contacts[seat] if contact.seen}

    # --- dice ---

    def roll(
        self,
        purpose: str,
        need: int | None = None,
        *,
        who: str = "",
        sides: int = 10,
        readers: tuple[int, ...] | str | None = "as who",
        at: str = "",
    ) -> int:
        """Rolls a die and reports it. ``need`` is the maximum for success, if it decides alone.

        ``at`` is whom it is for, where that must be said; who is not seen by all readers is not.
        """
        die = self.dice.roll(self.where, purpose, sides)
        self.revealed = True
        if isinstance(readers, str):
            readers = self.readers(who) if who else None
        told: dict[str, Any] = {
            "purpose": purpose,
            "die": die,
            "sides": sides,
            "who": who,
            "need": need,
            "passed": None if need is None else die <= need,
            "readers": readers,
        }
        if at and (readers == (self.models[at].seat,) or self.is_seen(self.models[at])):
            self.tell(RolledAt(target=at, **told))
        else:
            self.tell(Rolled(**told))
        return die

    def check(self, purpose: str, need: int, who: str) -> bool:
        """SKR-6: D10 at most the ability."""
        return self.roll(purpose, need, who=who) <= need

    def close(self) -> State:
        """The state after the step."""
        return msgspec.structs.replace(self.state, models=tuple(self.models.values()))
