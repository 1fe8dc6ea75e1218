"""Dogs of War as a game: delegates each method of the contract to the right module."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from engine.dice import Dice
from engine.errors import Sentence
from engine.game import Game, Outcome, Phase, Progress, Seat, Step
from engine.games.dogs_of_war import bot as bots
from engine.games.dogs_of_war import choices, hints, meta, notation, rulebook, rules, worlds
from engine.games.dogs_of_war import view as views
from engine.games.dogs_of_war.action.placements import can_act
from engine.games.dogs_of_war.action.position import position
from engine.games.dogs_of_war.box.components import DEFAULT_SET, catalogue
from engine.games.dogs_of_war.course import scoring, setup, year
from engine.games.dogs_of_war.events import (
    BattleEnded,
    DogsEvent,
    Ending,
    HousesRemoved,
    MatchEnded,
    MusteringBegan,
    ScreenDealt,
    TokenDrawn,
    YearBegan,
)
from engine.games.dogs_of_war.meta import META, THE_GAME, Options
from engine.games.dogs_of_war.moves import DogsMove, Pass
from engine.games.dogs_of_war.orders.text import format_move
from engine.games.dogs_of_war.state import State
from engine.games.dogs_of_war.view import Reference, View
from engine.rulebook import Chapter


class DogsOfWar(Game[State, DogsMove, DogsEvent, View, Options]):
    """For 3 to 5 players, with the official variants."""

    meta = META
    options_type = Options
    state_type = State
    move_type = DogsMove
    event_type = DogsEvent
    view_type = View

    # --- before a match ---

    def check_options(self, seats: int, options: Options) -> None:
        super().check_options(seats, options)
        meta.check_options(seats, options)

    def variants(self, seats: int, options: Options) -> tuple[Sentence, ...]:
        return tuple(meta.variants(options))

    def summary(self, options: Options) -> Sentence:
        if options.components == DEFAULT_SET:
            return Sentence(
                f"{THE_GAME} The rewards, tactic cards and bonus tokens are this project's own set,"
                " because no document tells the published ones."
            )
        box = catalogue(options.components)
        return Sentence(
            THE_GAME + " The rewards, tactic cards and bonus tokens of this match are those of the"
            " component set “{title}”, which its host has brought." + " Its SHA-256 is {digest}.",
            {"title": box.components.title, "digest": box.digest},
        )

    def reference(self) -> Reference:
        return self.reference_for(Options())

    def reference_for(self, options: Options) -> Reference:
        box = catalogue(options.components)
        return Reference(options, box.components, box.digest)

    def rulebook(self, seats: int, options: Options, version: str) -> tuple[Chapter, ...]:
        return rulebook.rulebook(seats, options, int(version))

    def setup(self, seats: int, options: Options, dice: Dice) -> Step[State, DogsEvent]:
        return self.setup_by(META.rules_version, seats, options, dice)

    def setup_by(
        self, version: str, seats: int, options: Options, dice: Dice
    ) -> Step[State, DogsEvent]:
        return setup.new_match(int(version), seats, options, dice).step()

    def rules_of(self, state: State) -> str:
        return f"{state.rules}"

    # --- whose turn it is, and the legal moves ---

    def phase(self, state: State) -> Phase:
        turn = state.table.turn
        return Phase(state.table.phase, frozenset() if turn is None else frozenset({turn}))

    def legal_moves(self, state: State, seat: Seat) -> Iterator[DogsMove]:
        return rules.legal_moves(state, seat)

    def check(self, state: State, seat: Seat, move: DogsMove) -> None:
        self.refuse_unless_pending(state, seat)
        rules.check(state, seat, move)

    def default_move(self, state: State, seat: Seat) -> DogsMove:
        return rules.default_move(state, seat)

    # --- the notation ---

    def parse(self, state: State, seat: Seat, text: str) -> DogsMove:
        self.refuse_unless_pending(state, seat)
        move = notation.parse_move(state, seat, text)
        self.check(state, seat, move)
        return move

    def format(self, move: DogsMove) -> str:
        return format_move(move)

    def confirmed_by(self, state: State, seat: Seat, move: DogsMove) -> str | None:
        """A free pass gives up all captains in hand for the year (DOW-64, DOW-66)."""
        free = isinstance(move, Pass) and can_act(position(state, seat))
        return f"{format_move(move)} for the year" if free else None

    # --- what happens ---

    def apply(self, state: State, seat: Seat, move: DogsMove, dice: Dice) -> Step[State, DogsEvent]:
        return rules.apply(state, seat, move, dice)

    def certain(self, state: State, seat: Seat, move: DogsMove) -> tuple[DogsEvent, ...]:
        """For a pass that ends the year: the pass itself. A placement has its own preview."""
        return (year.passed(state, seat),) if isinstance(move, Pass) else ()

    def outcome(self, state: State) -> Outcome[Ending] | None:
        return scoring.outcome(state)

    def by_the_rules(self, event: DogsEvent) -> bool:
        """Deals, each battle's outcome, the next year, its mustering, and the end of the match."""
        return isinstance(
            event,
            HousesRemoved
            | ScreenDealt
            | TokenDrawn
            | BattleEnded
            | YearBegan
            | MusteringBegan
            | MatchEnded,
        )

    def heading(self, event: DogsEvent) -> Sentence | None:
        return (
            Sentence("Year {number}", {"number": event.year})
            if isinstance(event, YearBegan)
            else None
        )

    def progress(self, state: State) -> Progress | None:
        """The points that everybody would have if the match ended now."""
        if not state.screens:
            return None
        points = (
            scoring.score(state.table, seat, screen).total
            for seat, screen in enumerate(state.screens)
        )
        return Progress(Sentence("points, if it had ended then"), tuple(points))

    # --- what is seen ---

    def view(self, state: State, seat: Seat | None) -> View:
        return views.view(state, seat)

    def other_world(self, state: State, seat: Seat | None, dice: Dice) -> State:
        return worlds.other_world(state, seat, dice)

    def choices(self, view: View) -> choices.Choices | None:
        return choices.choices(view)

    def compose(self, view: View, picked: Mapping[str, str]) -> str:
        return choices.compose(picked)

    def hints(self, view: View) -> tuple[Sentence, ...]:
        return hints.hints(view)

    # --- the bot ---

    def choose(
        self, view: View, legal: Sequence[DogsMove], dice: Dice, bot: str = "easy"
    ) -> DogsMove:
        return bots.choose(view, legal, dice)
