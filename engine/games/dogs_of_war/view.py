"""What one seat may see, and the rules' words and answers for whoever draws it."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from engine.errors import Sentence
from engine.game import Outcome, Seat
from engine.games.dogs_of_war.action.foresight import Preview, preview, strength_of
from engine.games.dogs_of_war.action.placements import closed
from engine.games.dogs_of_war.action.position import Position
from engine.games.dogs_of_war.action.reasons import side_problem, space_problem
from engine.games.dogs_of_war.box import names
from engine.games.dogs_of_war.box.components import (
    COST,
    SOLDIERS,
    STRENGTH,
    Components,
    Dog,
    House,
    Reward,
    Soldier,
    Tactic,
    catalogue,
)
from engine.games.dogs_of_war.box.names import SOLDIER_NAMES, SOLDIER_PLURALS
from engine.games.dogs_of_war.course import conqueror, outcome, scoring, stormcrow
from engine.games.dogs_of_war.effects.draft import moved
from engine.games.dogs_of_war.events import DogsEvent, Ending, Placed
from engine.games.dogs_of_war.meta import Options
from engine.games.dogs_of_war.moves import Buy, Place, Push, Shift
from engine.games.dogs_of_war.state import (
    CAPTAINS,
    YEARS,
    Battle,
    Screen,
    State,
    Table,
)


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
    def say(self) -> Words:
        """The rules' words for things."""
        return Words(self.options)

    @property
    def glorious_lead(self) -> int:
        """The space of a track from which a victory is glorious."""
        return outcome.glorious_lead(self.options)

    def dogs_left(self) -> tuple[Dog, ...]:
        """The dogs of war that nobody plays."""
        return self.table.dogs_left()

    def card(self, name: str) -> Tactic:
        return next(card for card in self.cards if card.name == name)

    def foresee(self, move: Place) -> Preview:
        """What an action would do for certain."""
        return preview(known(self), move)

    def left_after(self, move: Buy) -> int:
        """The coins in the purse once this is bought."""
        return known(self).screen.coins - move.soldiers.cost

    def ends(self, move: Push) -> tuple[conqueror.End, ...]:
        """Where each battle's tracker would stand, and how it would end, after such a push."""
        shifts = {self.table.where(shift.house)[0]: shift for shift in move.shifts}
        return tuple(
            conqueror.end(self.options, battle, shifts.get(number))
            for number, battle in enumerate(self.table.battles)
        )

    def marks(self, events: Sequence[DogsEvent]) -> Marks:
        """What a drawing marks of the last move: nothing of a year that is over."""
        placed = [event for event in events if isinstance(event, Placed) and self.table.battles]
        trackers: dict[int, int] = {}
        for event in placed:
            trackers.setdefault(event.battle, event.tracker_before)
        return Marks(frozenset((event.house, event.space) for event in placed), trackers)


class Marks(msgspec.Struct, frozen=True):
    """Spaces that were just taken, and where the trackers of their battles stood before."""

    spaces: frozenset[tuple[House, int]]
    trackers: dict[int, int]


class SoldierKind(msgspec.Struct, frozen=True):
    """A line of the soldiers' table."""

    kind: Soldier
    name: Sentence
    plural: Sentence
    cost: int
    strength: int


SOLDIER_KINDS = tuple(
    SoldierKind(
        kind,
        Sentence(SOLDIER_NAMES[kind]),
        Sentence(SOLDIER_PLURALS[kind]),
        COST[kind],
        STRENGTH[kind],
    )
    for kind in SOLDIERS
)


class Words:
    """The rules' words for things, for pages: each answers a Sentence."""

    soldiers = SOLDIER_KINDS
    dogs = tuple(Dog)
    years = YEARS
    captains = CAPTAINS

    def __init__(self, options: Options) -> None:
        self._options = options

    def ability(self, dog: Dog) -> Sentence:
        return names.ability(dog, by_two=self._options.conqueror_moves == "two")

    def reward(self, reward: Reward) -> Sentence:
        return names.reward_words(reward)

    def needs(self, needs: Soldier) -> Sentence:
        return names.needs_words(needs)

    def card(self, card: Tactic) -> tuple[Sentence, ...]:
        return names.tactic_words(card)

    def stands(self, battle: Battle, tracker: int | None = None) -> Sentence:
        """Where a battle's tracker stands, or would stand."""
        shown = battle.tracker if tracker is None else tracker
        return names.place_words(shown, battle.sides[0].house, battle.sides[1].house)

    def result(self, victor: House | None, glorious: bool) -> Sentence:
        return names.result_words(victor, glorious)


class Reference:
    """What the page of the rules draws its tables from: the set a match has unless told others."""

    say = Words(Options())

    def __init__(self, components: Components, digest: str) -> None:
        self.components = components
        self.digest = digest


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
                conqueror.shift_choices(table, options, seat, number)
                for number in range(len(table.battles))
            )
            if choosing and seat is not None and table.phase == "conqueror"
            else ()
        ),
        losing=(
            stormcrow.losing_houses(table, options, seat)
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
