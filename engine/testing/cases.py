"""The states of random matches, and a case: a state at which a law asks a game."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal, NamedTuple, TypeVar, get_args, get_origin, get_type_hints

import msgspec

from engine import codec
from engine.chooser import Chooser
from engine.dice import SeededDice
from engine.errors import OptionsError, OrderError
from engine.game import Options, Seat, Step
from engine.games.registry import AnyGame
from engine.simulation import (
    MAX_PLIES,
    BrokenLaw,
    key_of,
    next_seat,
    place_of,
    random_move,
)

T = TypeVar("T")


class Moment(NamedTuple):
    """A state during a match, and what is needed to reach it again."""

    state: Any
    ply: int
    seed: str
    seats: int
    options: Any


def random_ply(
    game: AnyGame, state: Any, pending: frozenset[Seat], chooser: Chooser
) -> tuple[Seat, Any]:
    seat = next_seat(pending, chooser)
    return seat, random_move(game, state, seat, chooser)


def moments(
    game: AnyGame, seats: int, options: Options | None = None, seed: str = "0", every: int = 1
) -> Iterator[Moment]:
    """The states of a random match at every ``every`` plies, from the first to the last."""
    options = game.options_type() if options is None else options
    chooser, key = Chooser(seed), key_of(seed)
    state = game.setup(seats, options, SeededDice(key)).state
    for ply in range(MAX_PLIES):
        pending = game.phase(state).pending
        if ply % every == 0 or not pending:
            yield Moment(state, ply, seed, seats, options)
        if not pending:
            return
        seat, move = random_ply(game, state, pending, chooser)
        state = game.apply(state, seat, move, SeededDice(key)).state
    raise BrokenLaw(f"{place_of(game, seats, options, seed)}: no end after {MAX_PLIES} plies")


def option_sets(game: AnyGame, seats: int) -> list[Options]:
    """The default options, and each switch at each other value that this number of seats allows.

    Switches are fields that are true or false, or one of several texts or numbers (``Literal``).
    """
    sets = [game.options_type()]
    for name, kind in get_type_hints(game.options_type).items():
        if kind is bool:
            values: tuple[Any, ...] = (False, True)
        elif get_origin(kind) is Literal:
            values = get_args(kind)
        else:
            continue
        for value in values:
            options = msgspec.structs.replace(sets[0], **{name: value})
            try:
                game.check_options(seats, options)
            except OptionsError:
                continue
            if options not in sets:
                sets.append(options)
    return sets


class Case:
    """A moment to check a law at: it asserts, and says where it is if something does not hold.

    Laws ask the same of the same states, so what a game answered is kept. Only a law that it
    answers the same once more asks it once more. ``before`` is the state in JSON, as it was before
    any law. ``strangers`` are moves from other moments and seats, to be tried where they do not
    belong.
    """

    def __init__(self, game: AnyGame, moment: Moment, strangers: Sequence[Any] = ()) -> None:
        self.game, self.moment, self.state = game, moment, moment.state
        self.strangers = strangers
        self.seats = range(moment.seats)
        self.before = codec.encode(moment.state)
        self.pending = game.phase(moment.state).pending
        # By the state's identity; the state is kept with the answer, so no other gets its identity.
        self._answers: dict[tuple[object, ...], tuple[Any, Any]] = {}

    def _once(self, state: Any, *question: object, ask: Callable[[], T]) -> T:
        key = (id(state), *question)
        if key not in self._answers:
            self._answers[key] = state, ask()
        answer: T = self._answers[key][1]
        return answer

    def must(self, holds: bool, sentence: str, *about: object) -> None:
        """Raises BrokenLaw with the sentence. ``about`` goes into its braces, if it has any.

        Whole states are long to write: so they are written only where the law is broken.
        """
        if not holds:
            raise BrokenLaw(f"{self.place}: {sentence.format(*about) if about else sentence}")

    @property
    def place(self) -> str:
        moment = self.moment
        return place_of(self.game, moment.seats, moment.options, moment.seed, moment.ply)

    def dice(self, text: str = "") -> SeededDice:
        return SeededDice.from_text(f"{self.moment.seed} {self.moment.ply} {text}")

    def legal(self, seat: Seat, state: Any = None) -> list[Any]:
        asked = self.state if state is None else state
        found = self._once(
            asked, "legal", seat, ask=lambda: list(self.game.legal_moves(asked, seat))
        )
        return found.copy()

    def some_legal(self, seat: Seat) -> list[Any]:
        """Six legal moves or a few more, from all over the list."""
        legal = self.legal(seat)
        return legal[:: max(1, len(legal) // 6)]

    def apply(self, seat: Seat, move: Any, state: Any = None) -> Step[Any, Any]:
        asked = self.state if state is None else state
        return self._once(
            asked,
            "apply",
            seat,
            codec.encode(move),
            ask=lambda: self.game.apply(asked, seat, move, self.dice()),
        )

    def view(self, state: Any, seat: Seat | None) -> Any:
        return self._once(state, "view", seat, ask=lambda: self.game.view(state, seat))

    def views(self, state: Any, seat: Seat | None) -> bytes:
        return self._once(state, "views", seat, ask=lambda: codec.encode(self.view(state, seat)))

    def world(self, seat: Seat | None) -> Any:
        """A world that the seat could not tell from this one; this one, if it is equal."""
        dice = self.dice(f"world of {seat}")

        def another() -> Any:
            found = self.game.other_world(self.state, seat, dice)
            return self.state if found == self.state else found

        return self._once(self.state, "world", seat, ask=another)

    def accepts(self, seat: Seat, move: Any) -> bool:
        """Whether ``check`` accepts a move. Any exception but an OrderError is a broken law."""
        try:
            self.game.check(self.state, seat, move)
        except OrderError as error:
            self.must(bool(str(error)), "an error without a sentence")
            return False
        except Exception as error:
            raise BrokenLaw(f"{self.place}: check of {move} fails with {error!r}") from error
        return True

    def parse(self, seat: Seat, text: str) -> Any:
        """The move, or None if the order is refused."""
        try:
            return self.game.parse(self.state, seat, text)
        except OrderError as error:
            self.must(bool(str(error)), "an error without a sentence")
            return None
        except Exception as error:
            raise BrokenLaw(f"{self.place}: parse of {text!r} fails with {error!r}") from error
