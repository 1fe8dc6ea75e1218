"""The contract of a game: what a set of rules must answer, and the few types all games share.

A game is an object without state of its own. Everything it is asked about is in the arguments, and
everything it answers is a new value: states, moves, events and views are frozen
:class:`msgspec.Struct` types that go to JSON and back (``engine.codec``). Chance comes only from
the given dice. A game reads no clock, file, socket or database, except data files of its own
package, once, on import.

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
from typing import Any, Generic, TypeAlias, TypeVar

import msgspec

from engine.choices import check_fields
from engine.dice import Dice
from engine.errors import IllegalMove, OptionsError, Sentence

#: A place the rules know, from 0. People are shown names, or this number plus one.
Seat: TypeAlias = int


class Options(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Base of a game's options: typed switches, each with a default."""


class Move(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Base of what a seat hands in. A game with several kinds makes a tagged union of them."""


class Event(msgspec.Struct, frozen=True, kw_only=True):
    """Base of what happened. A game's events are a tagged union; each kind has its sentence.

    ``readers`` are the seats who may read it; None means everybody, onlookers too.
    """

    readers: tuple[Seat, ...] | None = None

    def readable_by(self, seat: Seat | None) -> bool:
        return self.readers is None or (seat is not None and seat in self.readers)


class Phase(msgspec.Struct, frozen=True):
    """What is going on: the rules' name for it, and the seats that must act now.

    One seat, several at once (each hands in without seeing the others), or none: the match is over.
    """

    name: str
    pending: frozenset[Seat]


class ScorePart(msgspec.Struct, frozen=True):
    """One line of a score's breakdown: what for, and how many points."""

    label: Sentence
    points: int


class Score(msgspec.Struct, frozen=True):
    """A seat's score at the end. ``total`` is the sum of its parts."""

    seat: Seat
    total: int
    parts: tuple[ScorePart, ...] = ()


#: The game's own list of why a match of it may be over.
R = TypeVar("R", bound=StrEnum)


class Outcome(msgspec.Struct, Generic[R], frozen=True):
    """How a match ended: why, who won (nobody, one, several), and every score."""

    reason: R
    winners: tuple[Seat, ...]
    scores: tuple[Score, ...] = ()


S = TypeVar("S", bound=msgspec.Struct)  # the game's State
M = TypeVar("M", bound=Move)
E = TypeVar("E", bound=Event)
V = TypeVar("V", bound=msgspec.Struct)  # the game's View
O = TypeVar("O", bound=Options)  # noqa: E741 - the letter goes with the four others


class Step(msgspec.Struct, Generic[S, E], frozen=True):
    """What a move did: the state after it, and the events in the order they happened.

    ``reveals`` is true when somebody learned something that cannot be unlearned: a die, a card
    that was drawn, another seat's hidden choice. Such a move is not taken back.
    """

    state: S
    events: tuple[E, ...]
    reveals: bool = False


class Meta(msgspec.Struct, frozen=True):
    """What there is to know about a game before a match of it."""

    #: As in links, files and commands: lower case, words joined by hyphens.
    name: str
    #: As people say it.
    title: str
    #: Numbers of players it can be played by, rising.
    seats: tuple[int, ...]
    #: Goes up when a rule's meaning changes; every ply of a match records it.
    rules_version: str
    #: One paragraph for the page on which a host chooses a game.
    summary: str
    #: Names of the bots it has, gentlest first.
    bots: tuple[str, ...] = ("easy",)
    #: False for a game with a continuum of moves: ``legal_moves`` is then an honest sample.
    exhaustive: bool = True
    #: Whether a seat can make a move of which nobody else reads, and be asked on: then others are
    #: not told how its clock goes on.
    secret_moves: bool = False
    #: Older versions whose matches are still played as they began, oldest first: ``setup_by``.
    older_rules: tuple[str, ...] = ()

    def playable_version(self, begun: str) -> str:
        """The version by which a match is played that began with this one.

        Its own, or the oldest that is still known.
        """
        known = (*self.older_rules, self.rules_version)
        return begun if begun in known else known[0]


class Game(ABC, Generic[S, M, E, V, O]):
    """A set of rules. The class attributes name the game's types, so the codec can read them."""

    meta: Meta
    options_type: type[O]
    state_type: type[S]
    #: For a tagged union these two hold the union: ``A | B``.
    move_type: Any
    event_type: Any
    view_type: type[V]

    # --- before a match ---

    def check_options(self, seats: int, options: O) -> None:
        """Raises OptionsError where an option has no meaning with this number of seats."""
        if seats not in self.meta.seats:
            numbers = ", ".join(str(number) for number in self.meta.seats)
            raise OptionsError(
                "{game} is for {numbers} players, not {seats}.",
                game=self.meta.title,
                numbers=numbers,
                seats=seats,
            )

    def variants(self, seats: int, options: O) -> tuple[Sentence, ...]:
        """The options that differ from their defaults, in words, for the match's title line."""
        return ()

    def summary(self, options: O) -> Sentence:
        """``meta.summary`` for somebody who is invited to a match with these options."""
        return Sentence(self.meta.summary)

    def reference(self) -> Any:
        """What the game's own page of the rules draws its tables from; None where it has none."""
        return None

    def revealed(self, state: S) -> V | None:
        """The table with nothing hidden, for the replay of a match that is over.

        None where what the seats hold, told one by one, is all there is to add.
        """
        return None

    def shown_at_the_end(self, event: E) -> bool:
        """Whether everybody reads an event once the match is over that only some read before.

        Not by itself: a game that says "you" in its sentences, or tells the same to each side by
        an event of its own, would be told wrongly.
        """
        return False

    def by_the_rules(self, event: E) -> bool:
        """Whether from this event on a step tells what the rules bring and nobody decided.

        A history tells it apart from the move it came after, each time anew, and signs it with
        nobody's name: the outcome of a battle, a new year, a new deal.
        """
        return False

    @abstractmethod
    def setup(self, seats: int, options: O, dice: Dice) -> Step[S, E]:
        """The table before the first move. Options were checked."""

    # --- versions of the rules ---
    #
    # A match is played to its end by the rules it began with. So a rule that changes makes a new
    # version: ``meta.rules_version`` goes up, the old one goes to ``meta.older_rules``, the state
    # holds the version it began with (a field with a default: that of states stored before there
    # was one), and the changed rule asks the state. Rules that change in the same release share a
    # version. The skirmish's ``versions.py`` shows how; docs/decisions/rules-versions.md says why.

    def setup_by(self, version: str, seats: int, options: O, dice: Dice) -> Step[S, E]:
        """The table before the first move as a version of the rules set it.

        Asked for matches and records of before; ``version`` is the newest or in ``older_rules``.
        """
        return self.setup(seats, options, dice)

    def rules_of(self, state: S) -> str:
        """The version of the rules by which this match is played, from its setup to its end."""
        return self.meta.rules_version

    # --- whose move it is, and which there are ---

    @abstractmethod
    def phase(self, state: S) -> Phase:
        """What is going on and who must act."""

    @abstractmethod
    def legal_moves(self, state: S, seat: Seat) -> Iterable[M]:
        """Every legal move once, lazily, always in the same order; none for a seat not pending.

        Where ``meta.exhaustive`` is false: a sample in which every kind of move that is possible
        now stands at least once.
        """

    @abstractmethod
    def check(self, state: S, seat: Seat, move: M) -> None:
        """Returns when the move is legal, else raises IllegalMove with the rule that forbids it."""

    @abstractmethod
    def default_move(self, state: S, seat: Seat) -> M:
        """What silence means: the gentlest legal move, the same for the same state."""

    # --- the notation ---

    @abstractmethod
    def parse(self, state: S, seat: Seat, text: str) -> M:
        """A legal move from an order, or Unreadable, IllegalMove or Ambiguous.

        ``text`` is one line, at most ``MAX_ORDER`` characters. Upper and lower case and spare
        spaces do not matter.
        """

    @abstractmethod
    def format(self, move: M) -> str:
        """The move as an order; ``parse(state, seat, format(move)) == move`` for each legal one."""

    def confirmed_by(self, state: S, seat: Seat, move: M) -> str | None:
        """The order that makes a legal move and says that it is meant; None where any order does.

        Asked by a door that shows nothing before it plays: a letter. Only for what hardly anybody
        would want by mistake and cannot be mended. ``parse`` reads the answer as the same move.
        """
        return None

    # --- what happens ---

    @abstractmethod
    def apply(self, state: S, seat: Seat, move: M, dice: Dice) -> Step[S, E]:
        """Carries out a legal move. It is not checked again."""

    def certain(self, state: S, seat: Seat, move: M) -> tuple[E, ...]:
        """What is certain of a legal move that needs chance or reveals something.

        Shown before it is made, where all of it cannot be: what leads to the chance, and nothing
        that follows from it.
        """
        return ()

    @abstractmethod
    def outcome(self, state: S) -> Outcome[Any] | None:
        """How the match ended, or None while it goes on."""

    # --- what is seen ---

    @abstractmethod
    def view(self, state: S, seat: Seat | None) -> V:
        """What a seat may see, or an onlooker (None). Built up from nothing, never cut down."""

    def choices(self, view: V) -> Any:
        """What the seat of a view can choose: a frozen struct of the game's own, for its templates.

        ``turn.html``, ``choices.txt`` and ``help.txt`` draw it. What can be picked stands in it as
        ``engine.choices.Option``. It is made from the view alone, so that nothing hidden can leak.
        None where the listed orders are enough.
        """
        return None

    def drawing(self, view: V) -> Any:
        """What ``board.svg``, ``board.txt`` and ``frame.html`` draw besides the view itself.

        Where things stand and how wide they are, worked out from the view alone. None where the
        view says all that is drawn.
        """
        return None

    def foretell(self, view: V, move: M) -> Any:
        """What a legal move would come to, for the game's ``preview.html``: from the view alone.

        None where the events say all there is to say.
        """
        return None

    def compose(self, view: V, picked: Mapping[str, str]) -> str:
        """The order that the fields of ``turn.html`` named ``pick-NAME`` come to.

        ``picked`` holds by NAME the fields with something in them; several values of one stand
        there in a row. Whether the order can be read and is legal is for ``parse``. Raises
        Unreadable for a field that there is not.
        """
        check_fields(picked, ())
        return ""

    @abstractmethod
    def other_world(self, state: S, seat: Seat | None, dice: Dice) -> S:
        """Another state that this seat cannot tell from the given one.

        All that is hidden from the seat is dealt anew among what it could be. The laws hold views
        against it, and bots may use it to imagine.
        """

    # --- the bot ---

    @abstractmethod
    def choose(self, view: V, legal: Sequence[M], dice: Dice, bot: str = "easy") -> M:
        """The bot's choice among the legal moves. It sees the view and nothing else."""

    # --- for simulations and tests ---

    def openings(self, seats: int, options: O) -> Mapping[str, str]:
        """First orders worth playing against each other, by name: forces, characters, stances.

        ``pbem simulate --pairings`` plays each against each, itself too. Each is legal as the
        first move of any seat.
        """
        return {}

    def flaws(self, before: S, seat: Seat, move: M, step: Step[S, E]) -> Iterable[str]:
        """What cannot be about a step that ``apply`` made: a sentence each, none if it is sound.

        Asked by simulations and the laws, never in a match that people play.
        """
        return ()

    # --- shared ---

    def refuse_unless_pending(self, state: S, seat: Seat) -> None:
        """Raises IllegalMove where the seat has nothing to decide now."""
        if seat not in self.phase(state).pending:
            raise IllegalMove("It is not your turn.")


#: Longest order that is read, in characters.
MAX_ORDER = 2000
