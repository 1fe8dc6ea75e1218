"""Nim: take any number of stones from one heap. Who takes the last stone wins."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import StrEnum

import msgspec

from engine.dice import Dice
from engine.errors import IllegalMove, Sentence, Unreadable
from engine.game import (
    Event,
    Game,
    Meta,
    Move,
    Options,
    Outcome,
    Phase,
    Score,
    ScorePart,
    Seat,
    Step,
)


class NimOptions(Options, frozen=True, forbid_unknown_fields=True):
    #: Who takes the last stone loses.
    misere: bool = False


class Ending(StrEnum):
    LAST_STONE = "last stone"


class NimState(msgspec.Struct, frozen=True):
    options: NimOptions
    seats: int
    to_move: Seat
    heaps: tuple[int, ...]


class Take(Move, frozen=True, forbid_unknown_fields=True):
    heap: int
    stones: int


class Took(Event, frozen=True, kw_only=True, tag_field="kind", tag="took"):
    seat: Seat
    heap: int
    stones: int


class NimView(msgspec.Struct, frozen=True):
    to_move: Seat
    heaps: tuple[int, ...]


class Nim(Game[NimState, Take, Took, NimView, NimOptions]):
    meta = Meta(
        name="nim",
        title="Nim",
        seats=(2, 3),
        rules_version="1",
        summary="Heaps of stones. Take any number from one heap; who takes the last stone wins.",
    )
    options_type = NimOptions
    state_type = NimState
    move_type = Take
    event_type = Took
    view_type = NimView

    def setup(self, seats: int, options: NimOptions, dice: Dice) -> Step[NimState, Took]:
        heaps = tuple(dice.roll("start", f"heap {number}", 6) for number in (1, 2, 3))
        return Step(NimState(options, seats, 0, heaps), (), reveals=True)

    def phase(self, state: NimState) -> Phase:
        if not any(state.heaps):
            return Phase("over", frozenset())
        return Phase("take", frozenset({state.to_move}))

    def legal_moves(self, state: NimState, seat: Seat) -> Iterable[Take]:
        if seat in self.phase(state).pending:
            for heap, size in enumerate(state.heaps, 1):
                for stones in range(1, size + 1):
                    yield Take(heap, stones)

    def check(self, state: NimState, seat: Seat, move: Take) -> None:
        self.refuse_unless_pending(state, seat)
        if not 1 <= move.heap <= len(state.heaps):
            raise IllegalMove("There is no heap {heap}.", rule="NIM-1", heap=move.heap)
        if not 1 <= move.stones <= state.heaps[move.heap - 1]:
            raise IllegalMove(
                "Heap {heap} has {size} stones: take one or more of them.",
                rule="NIM-2",
                heap=move.heap,
                size=state.heaps[move.heap - 1],
            )

    def default_move(self, state: NimState, seat: Seat) -> Take:
        return next(iter(self.legal_moves(state, seat)))

    def parse(self, state: NimState, seat: Seat, text: str) -> Take:
        words = text.lower().split()
        if len(words) != 4 or (words[0], words[2]) != ("take", "from"):
            raise Unreadable("Write how many stones and which heap, as in: take 2 from 1.")
        if not all(word.isascii() and word.isdigit() and len(word) < 3 for word in words[1::2]):
            raise Unreadable("{order} has no numbers of stones and heap.", order=text[:40])
        move = Take(heap=int(words[3]), stones=int(words[1]))
        self.check(state, seat, move)
        return move

    def format(self, move: Take) -> str:
        return f"take {move.stones} from {move.heap}"

    def apply(self, state: NimState, seat: Seat, move: Take, dice: Dice) -> Step[NimState, Took]:
        heaps = tuple(
            size - move.stones if number == move.heap else size
            for number, size in enumerate(state.heaps, 1)
        )
        after = NimState(state.options, state.seats, (seat + 1) % state.seats, heaps)
        return Step(after, (Took(seat=seat, heap=move.heap, stones=move.stones),))

    def outcome(self, state: NimState) -> Outcome[Ending] | None:
        if any(state.heaps):
            return None
        last = (state.to_move - 1) % state.seats
        winners = tuple(
            seat for seat in range(state.seats) if (seat == last) != state.options.misere
        )
        scores = tuple(
            Score(seat, int(seat in winners), (ScorePart(Sentence("Won"), int(seat in winners)),))
            for seat in range(state.seats)
        )
        return Outcome(Ending.LAST_STONE, winners, scores)

    def view(self, state: NimState, seat: Seat | None) -> NimView:
        return NimView(state.to_move, state.heaps)

    def other_world(self, state: NimState, seat: Seat | None, dice: Dice) -> NimState:
        return state  # nothing is hidden, so no seat can imagine another state

    def choose(self, view: NimView, legal: Sequence[Take], dice: Dice, bot: str = "easy") -> Take:
        return legal[dice.roll("bot", "move", len(legal)) - 1]


GAME = Nim()
