"""What one seat may see, with names and computed facts for templates."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from engine.errors import Sentence
from engine.game import Outcome, Seat
from engine.games.dogs_of_war.action.foresight import Preview, preview, strength_of
from engine.games.dogs_of_war.action.placements import closed, takes_token, too_weak
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
    BattleResult,
    Placement,
    Screen,
    State,
    Table,
)


class Closed(msgspec.Struct, frozen=True):
    """Why the seat cannot take a space or side this year without a tactic card.

    ``space`` None means the whole house. ``soldiers`` are the kinds it is closed to.
    """

    house: House
    space: int | None
    soldiers: tuple[Soldier, ...]
    rule: str
    reason: Sentence


class Reach(msgspec.Struct, frozen=True):
    """The tracker's place after each kind of soldier is played for a house without a card."""

    house: House
    footman: int
    arquebuser: int
    knight: int
    war_machine: int


class SideView(msgspec.Struct, frozen=True):
    """One side of a battle in numbers; ``View.table`` has the details."""

    house: House
    #: How far the tracker is on this side's half; 0 if it is not.
    lead: int
    #: Captains by seat.
    captains: tuple[int, ...]


class BattleView(msgspec.Struct, frozen=True):
    """How a battle stands now."""

    number: int
    sides: tuple[SideView, SideView]
    #: The result if the battle ended now: the victor, whether the victory is glorious, the points
    #: of each seat, and the takers of the bonus.
    leader: House | None
    glorious: bool
    points: tuple[int, ...]
    takers: tuple[Seat, ...]
    closed: bool


class Holding(msgspec.Struct, frozen=True):
    """The worth of a screen's influence of one house at the house's present place."""

    house: House
    tokens: int
    support_card: bool
    worth: int


class SetLabel(msgspec.Struct, frozen=True):
    """The component set of the match."""

    name: str
    version: int
    title: str
    source: str
    digest: str


class View(msgspec.Struct, frozen=True):
    """Everything a seat may see; an onlooker sees what is on the table."""

    seat: Seat | None
    pending: tuple[Seat, ...]
    table: Table
    options: Options
    components: SetLabel
    #: Every kind of tactic card of the set, with its number of copies.
    cards: tuple[Tactic, ...]
    battles: tuple[BattleView, ...]
    reach: tuple[Reach, ...]
    #: The seat's own screen; None while dogs of war are being chosen.
    screen: Screen | None
    holdings: tuple[Holding, ...]
    shut: tuple[Closed, ...]
    #: The Conqueror's moves of each battle's tracker, if the seat must choose (DOW-91).
    shifts: tuple[tuple[Shift, ...], ...]
    #: The losing houses Stormcrow may leave, if the seat must choose (DOW-94).
    losing: tuple[House, ...]
    #: Every screen, once the match is over.
    screens: tuple[Screen, ...]
    outcome: Outcome[Ending] | None

    # facts for pages, computed by the rules from the fields above

    @property
    def say(self) -> Words:
        """The names of things in the rules."""
        return Words(self.options)

    @property
    def glorious_lead(self) -> int:
        """The first space of a track where a victory is glorious."""
        return outcome.glorious_lead(self.options)

    def card(self, name: str) -> Tactic:
        return next(card for card in self.cards if card.name == name)

    def foresee(self, move: Place) -> Preview:
        """The certain effects of an action."""
        return preview(known(self), move)

    def takes_token(self) -> bool:
        """Whether a pass takes the first-player token for next year."""
        return takes_token(known(self))

    def fell(self, result: BattleResult) -> bool:
        """Whether the house that did not win a battle went down the house track."""
        return outcome.fell(self.table, self.options, result)

    def left_after(self, move: Buy) -> int:
        """The coins left after this purchase."""
        return known(self).screen.coins - move.soldiers.cost

    def ends(self, move: Push) -> tuple[conqueror.End, ...]:
        """The tracker and the outcome of each battle after such a push."""
        shifts = {self.table.where(shift.house)[0]: shift for shift in move.shifts}
        return tuple(
            conqueror.end(self.options, battle, shifts.get(number))
            for number, battle in enumerate(self.table.battles)
        )

    def marks(self, events: Sequence[DogsEvent]) -> Marks:
        """What a drawing marks: the last move, and what others did since the seat last acted.

        Nothing of a past year; for an onlooker the last move alone.
        """
        spaces: set[tuple[House, int]] = set()
        trackers: dict[int, int] = {}
        for number, done in self._since():
            spaces.add((done.house, done.space))
            earlier = [one for one in self.table.placements[:number] if one.battle == done.battle]
            trackers.setdefault(done.battle, earlier[-1].tracker if earlier else 0)
        for event in events:
            if isinstance(event, Placed) and self.table.battles:
                spaces.add((event.house, event.space))
                trackers.setdefault(event.battle, event.tracker_before)
        return Marks(frozenset(spaces), trackers)

    def _since(self) -> Sequence[tuple[int, Placement]]:
        """The actions of this year since the seat's own last one, with their numbers."""
        if self.seat is None or not self.table.battles:
            return ()
        done = list(enumerate(self.table.placements))
        own = [number for number, one in done if one.seat == self.seat]
        return done[own[-1] + 1 :] if own else done


class Marks(msgspec.Struct, frozen=True):
    """Spaces that were taken, and the places of their trackers before that."""

    spaces: frozenset[tuple[House, int]]
    trackers: dict[int, int]


class SoldierKind(msgspec.Struct, frozen=True):
    """A row of the table of soldiers."""

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


def card_words(options: Options, card: Tactic) -> tuple[Sentence, ...]:
    """What a tactic card does in a match with these options."""
    return names.tactic_words(card, options.betrayal_opens == "year", options.betrayal_at_once)


class Words:
    """The names of things in the rules, for pages: each method returns a Sentence."""

    soldiers = SOLDIER_KINDS
    dogs = tuple(Dog)
    years = YEARS
    captains = CAPTAINS
    first_to_pass = names.FIRST_TO_PASS
    reward = staticmethod(names.reward_words)
    needs = staticmethod(names.needs_words)

    def __init__(self, options: Options) -> None:
        self._options = options

    def ability(self, dog: Dog) -> Sentence:
        return names.ability(
            dog,
            by_two=self._options.conqueror_moves == "two",
            by_choice=self._options.stormcrow_withdraws == "by_choice",
        )

    def strength(self, kind: Soldier) -> int:
        return STRENGTH[kind]

    def card(self, card: Tactic) -> tuple[Sentence, ...]:
        return card_words(self._options, card)

    def stands(self, battle: Battle, tracker: int | None = None) -> Sentence:
        """The place of a battle's tracker, now or after a move."""
        shown = battle.tracker if tracker is None else tracker
        return names.place_words(shown, battle.sides[0].house, battle.sides[1].house)

    def result(self, victor: House | None, glorious: bool) -> Sentence:
        return names.result_words(victor, glorious)


class Reference:
    """The data for the tables on a page of rules: the component set of a match."""

    def __init__(self, options: Options, components: Components, digest: str) -> None:
        self.say = Words(options)
        self.brought = not isinstance(options.components, str)
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
    """The ``Position`` for the rules of the action turn; the view must have a seat."""
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
            sign, lead = 1 if which else -1, battle.lead(which)
            ends = (sign * moved(lead, strength_of(kind, None)) for kind in SOLDIERS)
            found.append(Reach(side.house, *ends))
    return tuple(found)


def _holdings(table: Table, screen: Screen) -> tuple[Holding, ...]:
    found: list[Holding] = []
    for row in table.houses:
        tokens, support = screen.influence.count(row.house), screen.support is row.house
        worth = (tokens + (scoring.SUPPORT_TOKENS if support else 0)) * row.position
        found.append(Holding(row.house, tokens, support, worth))
    return tuple(found)


def _shut(known: Position) -> tuple[Closed, ...]:
    found: list[Closed] = []
    for number, battle in enumerate(known.table.battles):
        for which, side in enumerate(battle.sides):
            whole = side_problem(known, number, which)
            if whole is not None:
                found.append(Closed(side.house, None, SOLDIERS, whole.rule, whole.sentence))
                continue
            for space, (place, captain) in enumerate(
                zip(side.spaces, side.captains, strict=True), start=1
            ):
                kinds = too_weak(place.needs) if captain is None else SOLDIERS
                first = space_problem(side, space, kinds[0]) if kinds else None
                if first is not None:
                    found.append(Closed(side.house, space, kinds, first.rule, first.sentence))
    return tuple(found)
