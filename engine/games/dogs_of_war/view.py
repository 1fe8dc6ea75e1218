"""What one seat may see, and worlds it cannot tell from the one it is in."""

from __future__ import annotations

import msgspec

from engine.errors import Sentence
from engine.game import Outcome, Seat
from engine.games.dogs_of_war import choosing, last_choices, outcome, scoring
from engine.games.dogs_of_war.components import (
    SOLDIERS,
    Components,
    Dog,
    House,
    Soldier,
    Tactic,
    catalogue,
)
from engine.games.dogs_of_war.eligible import closed
from engine.games.dogs_of_war.events import Ending
from engine.games.dogs_of_war.foresight import Preview, preview, strength_of
from engine.games.dogs_of_war.moves import Place, Shift
from engine.games.dogs_of_war.position import Position
from engine.games.dogs_of_war.reasons import side_problem, space_problem
from engine.games.dogs_of_war.state import (
    Options,
    Screen,
    State,
    Table,
)
from engine.games.dogs_of_war.work import moved


class Shut(msgspec.Struct, frozen=True):
    """Why the seat cannot go somewhere this year without a tactic card.

    ``space`` None means the whole house. ``soldiers`` are the kinds it is shut to.
    """

    house: House
    space: int | None
    soldiers: tuple[Soldier, ...]
    rule: str
    reason: Sentence


class Reach(msgspec.Struct, frozen=True):
    """Where the tracker goes when each kind of soldier is played for a house without a card."""

    house: House
    footman: int
    arquebuser: int
    knight: int
    war_machine: int


class SideView(msgspec.Struct, frozen=True):
    """One side of a battle in figures: the whole of it stands in ``View.table``."""

    house: House
    #: Spaces the tracker stands on this side's half; 0 when it does not.
    lead: int
    #: Captains by seat.
    captains: tuple[int, ...]


class BattleView(msgspec.Struct, frozen=True):
    """How a battle stands now."""

    number: int
    sides: tuple[SideView, SideView]
    #: Who would be victorious, whether gloriously, the points each seat would have, and the takers
    #: of the bonus, were it decided as it stands.
    leader: House | None
    glorious: bool
    points: tuple[int, ...]
    takers: tuple[Seat, ...]
    closed: bool


class Holding(msgspec.Struct, frozen=True):
    """What a screen's influence of one house is worth as the house stands now."""

    house: House
    tokens: int
    support_card: bool
    worth: int


class SetLabel(msgspec.Struct, frozen=True):
    """Which component set the match is played with."""

    name: str
    version: int
    title: str
    source: str
    digest: str


class View(msgspec.Struct, frozen=True):
    """All a seat may see; an onlooker sees what lies on the table."""

    seat: Seat | None
    pending: tuple[Seat, ...]
    table: Table
    options: Options
    components: SetLabel
    #: Every kind of tactic card of the set, with its copies.
    cards: tuple[Tactic, ...]
    battles: tuple[BattleView, ...]
    reach: tuple[Reach, ...]
    #: The seat's own screen; nobody has one while dogs of war are chosen.
    screen: Screen | None
    holdings: tuple[Holding, ...]
    shut: tuple[Shut, ...]
    #: The Conqueror's moves of each battle's tracker, when the seat has to choose (DOW-91).
    shifts: tuple[tuple[Shift, ...], ...]
    #: The losing houses Stormcrow may leave, when the seat has to choose (DOW-94).
    losing: tuple[House, ...]
    #: Every screen, once the match is over.
    screens: tuple[Screen, ...]
    outcome: Outcome[Ending] | None

    # what pages ask, answered by the rules from what stands above

    @property
    def say(self) -> choosing.Words:
        """The rules' words for things."""
        return choosing.Words()

    def dogs_left(self) -> tuple[Dog, ...]:
        """The dogs of war that nobody plays."""
        return self.table.dogs_left()

    def spots(self) -> tuple[choosing.Spot, ...]:
        """Every space of every tile, as this seat finds it in its action turn."""
        return choosing.spots(known(self))

    def hand(self) -> tuple[choosing.Hand, ...]:
        """The soldiers this seat can play this turn."""
        return choosing.hand(known(self))

    def ends(self) -> tuple[choosing.End, ...]:
        """Where each soldier takes each tracker."""
        return choosing.ends(known(self))

    def examples(self) -> choosing.Examples:
        """Orders this seat could give in its action turn."""
        return choosing.examples(known(self))

    def pushed(self) -> tuple[tuple[choosing.Pushed, ...], ...]:
        """What each of the Conqueror's moves would come to, battle by battle."""
        return tuple(
            choosing.pushed(self.options, battle, shifts)
            for battle, shifts in zip(self.table.battles, self.shifts, strict=True)
        )

    def foresee(self, move: Place) -> Preview:
        """What an action would do for certain."""
        return preview(known(self), move)

    def card(self, name: str) -> Tactic:
        return next(card for card in self.cards if card.name == name)


def view(state: State, seat: Seat | None) -> View:
    table, options = state.table, state.options
    over = scoring.outcome(state)
    box = catalogue(options.components)
    mine = state.screens[seat] if seat is not None and state.screens else None
    choosing = table.turn == seat and seat is not None
    return View(
        seat=seat,
        pending=() if table.turn is None else (table.turn,),
        table=table,
        options=options,
        components=_label(box.components, state.components_digest),
        cards=box.components.tactics,
        battles=tuple(_battle(table, options, number) for number in range(len(table.battles))),
        reach=_reach(table),
        screen=mine,
        holdings=() if mine is None else _holdings(table, mine),
        shut=() if mine is None or seat is None else _shut(Position(table, options, seat, mine)),
        shifts=(
            tuple(
                last_choices.shift_choices(table, options, seat, number)
                for number in range(len(table.battles))
            )
            if choosing and seat is not None and table.phase == "conqueror"
            else ()
        ),
        losing=(
            last_choices.losing_houses(table, options, seat)
            if choosing and seat is not None and table.phase == "withdrawal"
            else ()
        ),
        screens=() if over is None else state.screens,
        outcome=over,
    )


def known(view: View) -> Position:
    """What the rules of the action turn ask for (``position``); only where the view has a seat."""
    if view.seat is None or view.screen is None:
        raise ValueError("an onlooker has no position of their own")
    return Position(view.table, view.options, view.seat, view.screen)


def _label(components: Components, digest: str) -> SetLabel:
    return SetLabel(
        components.name, components.version, components.title, components.source, digest
    )


def _battle(table: Table, options: Options, number: int) -> BattleView:
    battle = table.battles[number]
    which = outcome.victorious_side(battle, options)
    seats = range(len(table.players))

    def side(place: int) -> SideView:
        shown = battle.sides[place]
        return SideView(
            house=shown.house,
            lead=max(0, battle.lead(place)),
            captains=tuple(shown.captains_of(seat) for seat in seats),
        )

    return BattleView(
        number=number + 1,
        sides=(side(0), side(1)),
        leader=None if which is None else battle.sides[which].house,
        glorious=which is not None and outcome.is_glorious(battle, which, options),
        points=(
            (0,) * len(table.players)
            if which is None
            else outcome.defeated_points(table, options, number, which)
        ),
        takers=() if which is None else outcome.bonus_takers(table, options, number, which),
        closed=closed(options, battle),
    )


def _reach(table: Table) -> tuple[Reach, ...]:
    found: list[Reach] = []
    for battle in table.battles:
        for which, side in enumerate(battle.sides):
            sign = 1 if which else -1
            ends = (sign * moved(battle.lead(which), strength_of(kind, None)) for kind in SOLDIERS)
            found.append(Reach(side.house, *ends))
    return tuple(found)


def _holdings(table: Table, screen: Screen) -> tuple[Holding, ...]:
    found: list[Holding] = []
    for row in table.houses:
        tokens, support = screen.influence.count(row.house), screen.support is row.house
        worth = (tokens + (scoring.SUPPORT_TOKENS if support else 0)) * row.position
        found.append(Holding(row.house, tokens, support, worth))
    return tuple(found)


def _shut(known: Position) -> tuple[Shut, ...]:
    found: list[Shut] = []
    for number, battle in enumerate(known.table.battles):
        for which, side in enumerate(battle.sides):
            whole = side_problem(known, number, which)
            if whole is not None:
                found.append(Shut(side.house, None, SOLDIERS, whole.rule, whole.sentence))
                continue
            for space in range(1, len(side.spaces) + 1):
                problems = {kind: space_problem(side, space, kind) for kind in SOLDIERS}
                kinds = tuple(kind for kind, problem in problems.items() if problem is not None)
                first = problems[kinds[0]] if kinds else None
                if first is not None:
                    found.append(Shut(side.house, space, kinds, first.rule, first.sentence))
    return tuple(found)
