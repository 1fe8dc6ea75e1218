"""The contract of a game: what a set of rules must implement, and the few types all games share.

A game is a stateless object. Its methods depend only on their arguments, and return new values:
states, moves, events and views are frozen :class:`msgspec.Struct` types that can be written as JSON
and read back (``engine.codec``). Randomness comes only from the given dice. A game reads no clock,
file, socket or database, except data files of its own package, once, on import.

The life of a match, as the service drives it::

    state = game.setup(seats, options, dice).state
    while game.outcome(state) is None:
        seat = ...one of game.phase(state).pending
        move = game.parse(state, seat, text)          # legal, or an error with a sentence
        step = game.apply(state, seat, move, dice)    # the new state, and what happened
        state = step.state
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from itertools import islice
from typing import (
    Any,
    Generic,
    Literal,
    TypeAlias,
    TypeVar,
    get_args,
    get_origin,
    get_type_hints,
)

import msgspec

from engine.choices import check_fields
from engine.codec import convert
from engine.dice import Dice
from engine.errors import IllegalMove, OptionsError, Sentence, shown
from engine.rulebook import Chapter

#: Number of a seat, from 0. People are shown names, or this number plus one.
Seat: TypeAlias = int


class Options(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Base of a game's options: typed switches, each with a default."""


class Move(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Base of the moves. A game with several kinds of move makes a tagged union of them."""


class Event(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """Base of the events. A game's events are a tagged union; each kind has its own sentence.

    ``readers`` are the seats that may read it; None means everybody, including onlookers.
    """

    readers: tuple[Seat, ...] | None = None

    def readable_by(self, seat: Seat | None) -> bool:
        return self.readers is None or (seat is not None and seat in self.readers)


class Phase(msgspec.Struct, frozen=True):
    """The phase of the game: the rules' name for it, and the seats that must act now.

    One seat; several at once (each submits without seeing the others' moves); or none: the match is
    over.
    """

    name: str
    pending: frozenset[Seat]


class ScorePart(msgspec.Struct, frozen=True):
    """One line of a score's breakdown: the reason, and the number of points.

    Of a label like ``Influence of Talbot: 3 × 4`` the part before the colon names the category on a
    score sheet, and the rest stands with this seat's points.
    """

    label: Sentence
    points: int


class Score(msgspec.Struct, frozen=True):
    """A seat's score at the end. ``total`` is the sum of its parts."""

    seat: Seat
    total: int
    parts: tuple[ScorePart, ...] = ()


#: The game's own list of the ways in which a match can end.
R = TypeVar("R", bound=StrEnum)


class Outcome(msgspec.Struct, Generic[R], frozen=True):
    """How a match ended: the reason, the winners (none, one or several), and every score."""

    reason: R
    winners: tuple[Seat, ...]
    scores: tuple[Score, ...] = ()

    def ranks(self, teams: Sequence[Sequence[Seat]]) -> tuple[int, ...]:
        """The rank of each team.

        Winners rank 1; the other teams follow by the sum of their scores, equal sums sharing a
        rank.
        """
        totals = {score.seat: score.total for score in self.scores}
        places = [
            (True, 0)
            if any(seat in self.winners for seat in team)
            else (False, sum(totals.get(seat, 0) for seat in team))
            for team in teams
        ]
        return tuple(1 + sum(other > place for other in places) for place in places)


S = TypeVar("S", bound=msgspec.Struct)  # the game's State
M = TypeVar("M", bound=Move)
E = TypeVar("E", bound=Event)
V = TypeVar("V", bound=msgspec.Struct)  # the game's View
O = TypeVar("O", bound=Options)  # noqa: E741 - the letter matches the four others


T = TypeVar("T")


def spread(values: Sequence[T], most: int) -> Sequence[T]:
    """At most ``most`` values at equal distances, the first included."""
    return values[:: max(1, len(values) // most)][:most]


class Step(msgspec.Struct, Generic[S, E], frozen=True):
    """What a move did: the state after it, and the events in the order they happened.

    ``reveals`` is true if somebody learned something that cannot be unlearned: a die, a drawn card,
    another seat's hidden choice. Such a move cannot be taken back.
    """

    state: S
    events: tuple[E, ...]
    reveals: bool = False


class Supposed(msgspec.Struct, Generic[V, M, E], frozen=True):
    """An order of a list, carried out on what a seat knows: see ``Game.suppose``."""

    move: M
    #: The move as an order.
    order: str
    #: The seat's view after it, and what the seat would read.
    view: V
    events: tuple[E, ...]
    #: What is assumed where a die would decide; None if none is thrown.
    assumed: Sentence | None = None


class OptionGroup(msgspec.Struct, frozen=True):
    """Options that belong together where a match is opened.

    ``kind``: official variants of the game; rulings, where documents leave a question open; or
    house rules, which no document has.
    """

    kind: Literal["variants", "rulings", "house_rules"]
    options: tuple[str, ...]


class FirstMatch(msgspec.Struct, frozen=True):
    """The match by which somebody learns the game: a short one that has every phase of it."""

    #: How many sit at it.
    seats: int
    #: Its options as plain values, by name; the others have their defaults.
    options: dict[str, Any] = {}


class Progress(msgspec.Struct, frozen=True):
    """How far everybody is: what is counted, and the number of each seat."""

    what: Sentence
    values: tuple[int, ...]


class Ruling(msgspec.Struct, frozen=True):
    """A rule by its id, and what it says."""

    rule: str
    sentence: Sentence


class Meta(msgspec.Struct, frozen=True):
    """The facts about a game that are known before a match."""

    #: The name in links, files and commands: lower case, words joined by hyphens.
    name: str
    #: The name for people.
    title: str
    #: Possible numbers of players, ascending.
    seats: tuple[int, ...]
    #: Increases when a rule's meaning changes; every ply of a match records it.
    rules_version: str
    #: One paragraph for the page on which a host chooses a game.
    summary: str
    #: Names of its bots, weakest first.
    bots: tuple[str, ...] = ("easy",)
    #: False for a game with a continuum of moves: ``legal_moves`` is then a representative sample.
    exhaustive: bool = True
    #: Whether a seat can make a move that nobody else reads about, and then still have to act: if
    #: so, others do not see the changes of its clock.
    secret_moves: bool = False
    #: Older versions whose matches can still be played, oldest first: see ``setup_by``.
    older_rules: tuple[str, ...] = ()
    #: Its options in groups, for whoever opens a match; those of no group come first.
    option_groups: tuple[OptionGroup, ...] = ()
    #: The rule that forbids to talk at the table; None where players may. A host can allow it.
    no_talk: Ruling | None = None
    #: None: one of its fewest players, with all defaults.
    first_match: FirstMatch | None = None

    @property
    def learnt_by(self) -> FirstMatch:
        return self.first_match or FirstMatch(self.seats[0])

    def playable_version(self, begun: str) -> str:
        """The version of the rules that a match begun with version ``begun`` is played by.

        Its own version, or the oldest one that is still supported.
        """
        known = (*self.older_rules, self.rules_version)
        return begun if begun in known else known[0]


def _wrong_value(
    options_type: type[Options], option: str, error: msgspec.ValidationError
) -> OptionsError:
    kind = get_type_hints(options_type)[option]
    values = ("true", "false") if kind is bool else get_args(kind)
    if kind is bool or get_origin(kind) is Literal:
        text = "{option} cannot have this value. It can be: {values}."
        return OptionsError(text, option=option, values=", ".join(map(str, values)))
    why, _, place = str(error).partition(" - at `$.")
    if kind is int and ", got " in why:
        return OptionsError("{option} must be a whole number.", option=option)
    # within the option, if it is made of several
    place = place.rstrip("`").removeprefix(option).lstrip(".")
    why = f"{why}, at {place}" if place else why
    return OptionsError("{option} cannot have this value: {why}.", option=option, why=why)


class Game(ABC, Generic[S, M, E, V, O]):
    """A set of rules. The class attributes name the game's types, so the codec can read them."""

    meta: Meta
    options_type: type[O]
    state_type: type[S]
    #: For a tagged union these two are the union: ``A | B``.
    move_type: Any
    event_type: Any
    view_type: type[V]

    # --- before a match ---

    def read_options(self, given: Mapping[str, Any], *, strict: bool = True) -> O:
        """The options from plain values; if not ``strict``, all values may be given as text.

        Raises OptionsError for one that there is not, or whose value it cannot have.
        """
        known = self.options_type.__struct_fields__
        for name, value in given.items():
            if name not in known:
                raise OptionsError(
                    "{game} has no option called {name}. It has: {known}.",
                    game=self.meta.title,
                    name=shown(name),
                    known=", ".join(known) or "none",
                )
            try:
                convert({name: value}, self.options_type, strict=strict)
            except msgspec.ValidationError as error:
                raise _wrong_value(self.options_type, name, error) from None
        return convert(dict(given), self.options_type, strict=strict)

    def check_options(self, seats: int, options: O) -> None:
        """Raises OptionsError if an option has no meaning with this number of seats."""
        if seats not in self.meta.seats:
            numbers = ", ".join(str(number) for number in self.meta.seats)
            raise OptionsError(
                "{game} is for {numbers} players, not {seats}.",
                game=self.meta.title,
                numbers=numbers,
                seats=seats,
            )

    def teams(self, seats: int, options: O) -> tuple[tuple[Seat, ...], ...]:
        """Who wins together: each seat stands in one team. By default everybody plays alone."""
        return tuple((seat,) for seat in range(seats))

    def variants(self, seats: int, options: O) -> tuple[Sentence, ...]:
        """The options that differ from their defaults, in words, for the match's title line."""
        return ()

    def summary(self, options: O) -> Sentence:
        """``meta.summary`` as an invitation to a match with these options has it."""
        return Sentence(self.meta.summary)

    def reference(self) -> Any:
        """The data for the tables on the game's rules page; None if it has none."""
        return None

    def reference_for(self, options: O) -> Any:
        """As ``reference``, for a match with these options."""
        return self.reference()

    def rulebook(self, seats: int, options: O, version: str) -> tuple[Chapter, ...]:
        """The rules that hold in such a match, in sentences; none if only the game's page has them.

        ``version`` is the newest one or one of ``older_rules``. Every rule that a refusal can name
        is in it, so that the refusal can be a link.
        """
        return ()

    def hints(self, view: V) -> tuple[Sentence, ...]:
        """What a beginner may want to read now: two sentences at most."""
        return ()

    def revealed(self, state: S) -> V | None:
        """The table with nothing hidden, for the replay of a match that is over.

        None if it is enough to list what each seat holds.
        """
        return None

    def shown_at_the_end(self, event: E) -> bool:
        """Whether everybody may read an event after the match that only some could read during it.

        False by default: it would be wrong for a game that says "you" in its sentences, or that
        reports the same thing to each side with a separate event.
        """
        return False

    def replaced_at_the_end(self, event: E) -> bool:
        """Whether nobody reads an event after the match: one that is shown then tells the same."""
        return False

    def by_the_rules(self, event: E) -> bool:
        """Whether this event begins the automatic part of a step: what follows by the rules alone.

        A history shows it as an entry of its own, separate from the move before it and without a
        player's name: the outcome of a battle, a new year, a new deal.
        """
        return False

    def passing(self, event: E) -> bool:
        """Whether this event is told only as long as there is nothing else to tell.

        That somebody has made a secret choice says nothing beside the choice itself, which that
        seat reads, nor once something has followed by the rules from what all have chosen.
        """
        return False

    def heading(self, event: E) -> Sentence | None:
        """The heading of a history that begins with this event; None for most.

        Used for a new deal, year or turn. Its parameter ``number``, if any, says which.
        """
        return None

    def progress(self, state: S) -> Progress | None:
        """How far everybody is, for a chart of a match that is over; None if nothing can be said.

        It may tell what was hidden then.
        """
        return None

    @abstractmethod
    def setup(self, seats: int, options: O, dice: Dice) -> Step[S, E]:
        """The initial state and its events. The options have been checked."""

    # --- versions of the rules ---
    #
    # A match is played to its end by the rules it began with. So a changed rule makes a new
    # version: ``meta.rules_version`` increases, the old version moves to ``meta.older_rules``, the
    # state holds the version it began with (a field whose default is the version of states stored
    # before the field existed), and the changed rule checks the state. Rules that change in the
    # same release share a version. The skirmish's ``versions.py`` shows how;
    # docs/decisions/rules-versions.md says why.

    def setup_by(self, version: str, seats: int, options: O, dice: Dice) -> Step[S, E]:
        """The initial state and its events by a given version of the rules.

        For older matches and records; ``version`` is the newest one or one of ``older_rules``.
        """
        return self.setup(seats, options, dice)

    def rules_of(self, state: S) -> str:
        """The version of the rules that this match is played by, from its setup to its end."""
        return self.meta.rules_version

    # --- whose turn it is, and the legal moves ---

    @abstractmethod
    def phase(self, state: S) -> Phase:
        """The current phase and the seats that must act."""

    @abstractmethod
    def legal_moves(self, state: S, seat: Seat) -> Iterable[M]:
        """Every legal move once, lazily, in a deterministic order; none for a seat not pending.

        If ``meta.exhaustive`` is false: a sample with at least one move of every kind that is
        possible now.
        """

    def examples(self, state: S, seat: Seat, most: int) -> Sequence[M]:
        """Some legal moves that show how orders are written, as different as may be."""
        return spread(list(self.legal_moves(state, seat)), most)

    def only_move(self, state: S, seat: Seat) -> M | None:
        """The legal move of a seat that has exactly one; None if it has several, or none."""
        few = list(islice(self.legal_moves(state, seat), 2)) if self.meta.exhaustive else []
        return few[0] if len(few) == 1 else None

    @abstractmethod
    def check(self, state: S, seat: Seat, move: M) -> None:
        """Returns if the move is legal, else raises IllegalMove with the rule that forbids it."""

    @abstractmethod
    def default_move(self, state: S, seat: Seat) -> M:
        """The move of an absent player: the least harmful legal move, deterministic."""

    # --- the notation ---

    @abstractmethod
    def parse(self, state: S, seat: Seat, text: str) -> M:
        """The legal move that an order means; raises Unreadable, IllegalMove or Ambiguous.

        ``text`` is one line, at most ``MAX_ORDER`` characters. Case and extra spaces do not matter.
        """

    @abstractmethod
    def format(self, move: M) -> str:
        """The move as an order; ``parse(state, seat, format(move)) == move`` for each legal one."""

    def confirmed_by(self, state: S, seat: Seat, move: M) -> str | None:
        """The order that confirms a legal move explicitly; None if the move needs no confirmation.

        Used by a door that shows no preview: a letter. Only for moves that are probably a mistake
        and cannot be undone. ``parse`` reads the returned order as the same move.
        """
        return None

    # --- what happens ---

    @abstractmethod
    def apply(self, state: S, seat: Seat, move: M, dice: Dice) -> Step[S, E]:
        """Carries out a legal move, without checking it again."""

    def certain(self, state: S, seat: Seat, move: M) -> tuple[E, ...]:
        """The certain part of a legal move that needs randomness or reveals something.

        Shown as the preview if the whole move cannot be shown: the events before the random draw,
        and none that depend on it.
        """
        return ()

    def certain_view(self, view: V, move: M) -> V | None:
        """The mover's view after the part of a move that ``certain`` tells, from that before it.

        None if it is not worth a picture: the preview then shows the table before the move.
        """
        return None

    @abstractmethod
    def outcome(self, state: S) -> Outcome[Any] | None:
        """How the match ended, or None while it goes on."""

    # --- what is seen ---

    @abstractmethod
    def view(self, state: S, seat: Seat | None) -> V:
        """What a seat (or None: an onlooker) may see: built from scratch, never a reduced state."""

    def choices(self, view: V) -> Any:
        """What the seat of a view can choose: a frozen struct of the game's own, for its templates.

        ``turn.html``, ``choices.txt`` and ``help.txt`` draw it. What can be picked is in it as
        ``engine.choices.Option``. It is made from the view alone, so that nothing hidden can leak.
        None if the listed orders are enough.
        """
        return None

    def choices_about(self, view: V, unit: str) -> Any:
        """What the turn's page offers at once: ``choices``, or only a part where they are many.

        A seat that commands several units sees the orders of one of them, and asks for another by
        its name. "" and a name that is unknown mean the unit that the game shows first.
        """
        return self.choices(view)

    def drawing(self, view: V) -> Any:
        """What ``board.svg``, ``board.txt`` and ``frame.html`` draw in addition to the view.

        Positions and sizes, computed from the view alone. None if the view contains everything that
        is drawn.
        """
        return None

    def foretell(self, view: V, move: M) -> Any:
        """The expected effect of a legal move, from the view alone, for ``preview.html``.

        None if the events say everything.
        """
        return None

    def suppose(self, view: V, order: str) -> Supposed[V, M, E] | None:
        """An order of a list carried out on what the seat of a view knows, for the order after it.

        Made from the view alone; of what is hidden nothing happens, and where a die would decide
        it says what is assumed. Raises what ``parse`` raises. None if the game's orders are seen
        one at a time.
        """
        return None

    def is_news(self, event: E, seat: Seat) -> bool:
        """Whether an event that the mover reads may change what they want to order next.

        After it the rest of a list of orders is not played: a die or another seat did something
        that was not to be counted on. False by default: every order of a list is tried.
        """
        return False

    def has_done(self, event: E, order: str) -> bool:
        """Whether this event of their last move has done what an order asks for.

        It came too late, as one to end what is over, and nothing was refused that its writer
        wants. False by default.
        """
        return False

    def compose(self, view: V, picked: Mapping[str, str]) -> str:
        """The order made from the fields of ``turn.html`` named ``pick-NAME``.

        ``picked`` maps NAME to the value of each field that is not empty; several values of one
        field are joined by spaces. ``parse`` decides if the order is readable and legal. Raises
        Unreadable for an unknown field.
        """
        check_fields(picked, ())
        return ""

    @abstractmethod
    def other_world(self, state: S, seat: Seat | None, dice: Dice) -> S:
        """Another state that this seat cannot distinguish from the given one.

        Everything hidden from the seat is drawn again at random from what is possible. The laws
        compare views in such states, and bots may search in them.
        """

    # --- the bot ---

    @abstractmethod
    def choose(self, view: V, legal: Sequence[M], dice: Dice, bot: str = "easy") -> M:
        """The bot's choice among the legal moves. It sees only the view."""

    # --- for simulations and tests ---

    def openings(self, seats: int, options: O) -> Mapping[str, str]:
        """First orders to compare in simulations, by name: forces, characters, stances.

        ``pbem simulate --pairings`` plays each against each, including itself. Each is legal as the
        first move of any seat.
        """
        return {}

    def flaws(self, before: S, seat: Seat, move: M, step: Step[S, E]) -> Iterable[str]:
        """The invariants that a step of ``apply`` violates: a sentence each; none if it is sound.

        Used by simulations and the laws, never in a match that people play.
        """
        return ()

    # --- shared ---

    def refuse_unless_pending(self, state: S, seat: Seat) -> None:
        """Raises IllegalMove if the seat has nothing to decide now."""
        if seat not in self.phase(state).pending:
            raise IllegalMove("It is not your turn.")


#: Maximum length of an order, in characters.
MAX_ORDER = 2000
