"""The contract, implemented with the other modules."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import msgspec
from msgspec.structs import replace

from engine.dice import Dice
from engine.errors import OptionsError, OrderError, Sentence, Unreadable
from engine.game import Game, Outcome, Phase, Progress, Seat, Step, Supposed
from engine.games.skirmish import bot as robot
from engine.games.skirmish import choices as choosing
from engine.games.skirmish import (
    composing,
    examples,
    hints,
    notation,
    rulebook,
    rules,
    supposing,
    worlds,
)
from engine.games.skirmish import moves as m
from engine.games.skirmish import view as views
from engine.games.skirmish.data.library import Library, library
from engine.games.skirmish.events import (
    ActivationEnded,
    Ending,
    Fired,
    HandedIn,
    Interrupted,
    LostSight,
    MatchOver,
    Moved,
    Sighted,
    SkirmishEvent,
    TurnStarted,
)
from engine.games.skirmish.ground import generator
from engine.games.skirmish.meta import META, TITLES, VALUES, SkirmishOptions
from engine.games.skirmish.moves import SkirmishMove
from engine.games.skirmish.orders import defaults, sampling, soundness
from engine.games.skirmish.shown import picture as pictures
from engine.games.skirmish.shown import planning
from engine.games.skirmish.stages import building, scoring
from engine.games.skirmish.state import State
from engine.games.skirmish.view import View
from engine.games.skirmish.words import unreadable
from engine.rulebook import Chapter


class Reference(msgspec.Struct, frozen=True):
    """The data for the tables and examples on the rules page."""

    #: All lists, weapons and equipment, as in the data files.
    files: Library
    grammar: tuple[examples.Example, ...]


class Skirmish(Game[State, SkirmishMove, SkirmishEvent, View, SkirmishOptions]):
    """Dogs of War: Modern Skirmish Combat."""

    meta = META
    options_type = SkirmishOptions
    state_type = State
    move_type = SkirmishMove
    event_type = SkirmishEvent
    view_type = View

    # --- before a match ---

    def check_options(self, seats: int, options: SkirmishOptions) -> None:
        super().check_options(seats, options)
        if not 50 <= options.points <= 1000:
            raise OptionsError(
                "A side has from 50 to 1000 points, not {points}.", points=options.points
            )
        if not 0 <= options.turn_limit <= 30:
            raise OptionsError(
                "A match has from 1 to 30 turns (0: as the scenario says), not {turns}.",
                turns=options.turn_limit,
            )

    def variants(self, seats: int, options: SkirmishOptions) -> tuple[Sentence, ...]:
        plain = SkirmishOptions()
        return tuple(
            Sentence(
                "{option}: {value}",
                {"option": Sentence(TITLES[name]), "value": _value(getattr(options, name))},
            )
            for name in SkirmishOptions.__struct_fields__
            if getattr(options, name) != getattr(plain, name)
        )

    def setup(self, seats: int, options: SkirmishOptions, dice: Dice) -> Step[State, SkirmishEvent]:
        return self.setup_by(META.rules_version, seats, options, dice)

    def setup_by(
        self, version: str, seats: int, options: SkirmishOptions, dice: Dice
    ) -> Step[State, SkirmishEvent]:
        if options.table == "generated":
            table = generator.generate(dice)
        else:
            table = library().tables[options.table]
        return Step(State(options, table, "building", rules=int(version)), ())

    def rules_of(self, state: State) -> str:
        return f"{state.rules}"

    def rulebook(self, seats: int, options: SkirmishOptions, version: str) -> tuple[Chapter, ...]:
        return rulebook.rulebook(options)

    # --- moves ---

    def phase(self, state: State) -> Phase:
        return rules.phase(state)

    def legal_moves(self, state: State, seat: Seat) -> Iterable[SkirmishMove]:
        return rules.legal_moves(state, seat)

    def examples(self, state: State, seat: Seat, most: int) -> Sequence[SkirmishMove]:
        return rules.examples(state, seat, most)

    def default_move(self, state: State, seat: Seat) -> SkirmishMove:
        return rules.default_move(state, seat)

    def check(self, state: State, seat: Seat, move: SkirmishMove) -> None:
        self.refuse_unless_pending(state, seat)
        rules.check(state, seat, move)

    def apply(
        self, state: State, seat: Seat, move: SkirmishMove, dice: Dice
    ) -> Step[State, SkirmishEvent]:
        return rules.apply(state, seat, move, dice)

    def certain(self, state: State, seat: Seat, move: SkirmishMove) -> tuple[SkirmishEvent, ...]:
        """That a force is handed in; after the second one dice are thrown."""
        match move:
            case m.Build():
                return (HandedIn(seat=seat, what="force"),)
            case m.Deploy():
                return (HandedIn(seat=seat, what="deployment"),)
        return ()

    def certain_view(self, view: View, move: SkirmishMove) -> View | None:
        match move:
            case m.Build():
                return replace(view, own_build=move)
            case m.Deploy():
                return replace(view, own_places=move)
        return None

    def outcome(self, state: State) -> Outcome[Ending] | None:
        return state.result

    def by_the_rules(self, event: SkirmishEvent) -> bool:
        """A new turn, and the end of the match."""
        return isinstance(event, TurnStarted | MatchOver)

    def heading(self, event: SkirmishEvent) -> Sentence | None:
        if not isinstance(event, TurnStarted):
            return None
        return Sentence("Turn {number}", {"number": event.turn})

    def progress(self, state: State) -> Progress | None:
        """Points so far; None before the forces stand on the table."""
        if not state.models:
            return None
        return Progress(
            Sentence("points"), tuple(scoring.score(state, seat).total for seat in (0, 1))
        )

    # --- the notation ---

    def parse(self, state: State, seat: Seat, text: str) -> SkirmishMove:
        self.refuse_unless_pending(state, seat)
        try:
            read = notation.read(text)
        except Unreadable as error:
            order = str(error.sentence.parameters["order"])
            like = notation.LIKE.get(self.phase(state).name)
            if like is None:
                raise _unreadable(state, seat, order) from None
            raise Unreadable(like, order=order) from None
        move = defaults.filled(read, state.model)
        self.check(state, seat, move)
        return move

    def format(self, move: SkirmishMove) -> str:
        return notation.write(move)

    # --- what is seen ---

    def view(self, state: State, seat: Seat | None) -> View:
        return views.view(state, seat, tuple(sorted(self.phase(state).pending)))

    def revealed(self, state: State) -> View:
        return views.open_view(state, tuple(sorted(self.phase(state).pending)))

    def choices(self, view: View) -> choosing.Choices | None:
        return choosing.choices(view)

    def choices_about(self, view: View, unit: str) -> choosing.Choices | None:
        return choosing.choices(view, about=unit)

    def compose(self, view: View, picked: Mapping[str, str]) -> str:
        return composing.compose(view, picked)

    def hints(self, view: View) -> tuple[Sentence, ...]:
        return hints.hints(view)

    def drawing(self, view: View) -> pictures.Picture:
        return pictures.picture(view)

    def foretell(self, view: View, move: SkirmishMove) -> planning.Foretold | None:
        return planning.foretell(view, move)

    def suppose(self, view: View, order: str) -> Supposed[View, SkirmishMove, SkirmishEvent] | None:
        return supposing.suppose(view, order)

    def is_news(self, event: SkirmishEvent, seat: Seat) -> bool:
        return supposing.is_news(event, seat)

    def has_done(self, event: SkirmishEvent, order: str) -> bool:
        """An activation that is over need not be ended: all wait to fire (SKR-45)."""
        try:
            move = notation.read(order)
        except OrderError:
            return False
        return isinstance(event, ActivationEnded) and move == m.End(event.who)

    def shown_at_the_end(self, event: SkirmishEvent) -> bool:
        """All events except what each side saw: whole paths and who fired, but no sightings."""
        if isinstance(event, Moved):
            return event.readers is not None and building.seat_of(event.who) in event.readers
        return not isinstance(event, Sighted | LostSight) and not _by_the_unseen(event)

    def replaced_at_the_end(self, event: SkirmishEvent) -> bool:
        """The part of a way that the enemy saw, and fire by somebody unseen: then he reads all."""
        secret = isinstance(event, Moved) and event.readers is not None
        return (secret and not self.shown_at_the_end(event)) or _by_the_unseen(event)

    def reference(self) -> Reference:
        return Reference(library(), examples.examples("alpha-2", "bravo-1", "alpha-3"))

    def other_world(self, state: State, seat: Seat | None, dice: Dice) -> State:
        return worlds.other_world(state, seat, dice)

    # --- for simulations and tests ---

    def openings(self, seats: int, options: SkirmishOptions) -> dict[str, str]:
        """One fire team of each list within the points limit."""
        return {
            team.faction: notation.write(m.Build((team,)))
            for team in map(sampling.plain_team, library().factions.values())
            if building.team_price(team) <= options.points
        }

    def flaws(
        self, before: State, seat: Seat, move: SkirmishMove, step: Step[State, SkirmishEvent]
    ) -> Iterable[str]:
        return soundness.flaws(before, move, step)

    # --- the bot ---

    def choose(
        self, view: View, legal: Sequence[SkirmishMove], dice: Dice, bot: str = "easy"
    ) -> SkirmishMove:
        return robot.choose(view, legal, dice)


def _by_the_unseen(event: SkirmishEvent) -> bool:
    """Whether it tells of fire by somebody whom its readers do not see."""
    return isinstance(event, Fired | Interrupted) and not event.who


def _unreadable(state: State, seat: Seat, order: str) -> Unreadable:
    """The refusal of an order of an activation, with one of its kind if that can be told."""
    mine = [man for man in state.models if man.seat == seat]
    who = next((man for man in mine if order.lower().startswith(f"{man.name} ")), None)
    like = ""
    if who is not None and (verb := notation.verb_of(order)):
        guns = [arm.weapon for arm in who.arms]
        foe = next(man.name for man in state.models if man.seat != seat)
        friends = [man.name for man in mine if man.team == who.team and man is not who]
        like = examples.like(verb, who.name, foe, (friends or [who.name])[0], *guns[:1])
    return unreadable(order, min(mine, key=lambda man: not man.fit).name, like)


def _value(value: object) -> Sentence | str:
    text = str(value)
    return Sentence(VALUES[text]) if text in VALUES else text


GAME = Skirmish()
