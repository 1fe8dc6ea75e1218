"""Random play and the laws that hold for every game.

For a game's author: register the game, and ``tests/engine/test_laws.py`` runs all of this on it,
for each number of seats and with each option set to each of its values in turn. To use a law by
hand::

    for moment in moments(game, seats=4, options=game.options_type(), seed="1", every=10):
        check_moment(game, moment, strangers=())

A *law* is a function that returns when it holds and raises ``BrokenLaw`` with a sentence when it
does not. Laws are not the rules of a game; each rule has a test of its own.

Everything is seeded by a text: the same text plays the same match. The chance used here to choose
moves is not a match's chance; that always comes from dice.
"""

from __future__ import annotations

import hashlib
from typing import Any, NamedTuple

from engine.dice import SeededDice
from engine.game import Options, Outcome, Seat
from engine.games.registry import AnyGame

#: A match that takes more plies than this is taken to have no end.
MAX_PLIES = 200_000
_MASK = (1 << 64) - 1


class BrokenLaw(AssertionError):
    """A game does not keep a law; the sentence says which and where."""


class Chooser:
    """Quick, fair enough numbers for choosing among moves (splitmix64)."""

    def __init__(self, text: str) -> None:
        self._state = int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")

    def below(self, number: int) -> int:
        """A number from 0 to ``number - 1``."""
        self._state = state = (self._state + 0x9E3779B97F4A7C15) & _MASK
        state = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
        state = ((state ^ (state >> 27)) * 0x94D049BB133111EB) & _MASK
        return ((state ^ (state >> 31)) * number) >> 64


class Ply(NamedTuple):
    """One move of a match that was played."""

    seat: Seat
    move: Any


class RandomMatch(NamedTuple):
    """A whole match of random legal moves."""

    plies: int
    outcome: Outcome
    final: Any
    #: The moves, where they were asked for.
    log: tuple[Ply, ...]


class Moment(NamedTuple):
    """A state on the way through a match, and what it takes to get there again."""

    state: Any
    ply: int
    seed: str
    seats: int
    options: Any


def play_random_match(
    game: AnyGame,
    seats: int,
    options: Options | None = None,
    seed: str = "0",
    *,
    keep_log: bool = False,
    max_plies: int = MAX_PLIES,
) -> RandomMatch:
    """Plays a match of random legal moves to its end.

    Raises OptionsError for options the game refuses, and BrokenLaw where the match does not end
    within ``max_plies``.
    """
    options = game.options_type() if options is None else options
    game.check_options(seats, options)
    log: list[Ply] = []
    plies = 0
    chooser, key = Chooser(seed), _key(seed)
    state = game.setup(seats, options, SeededDice(key)).state
    while True:
        pending = game.phase(state).pending
        if not pending:
            break
        if plies >= max_plies:
            raise BrokenLaw(f"{_where(game, seats, options, seed)}: no end after {plies} plies")
        seat, move = _random_ply(game, state, pending, chooser)
        if keep_log:
            log.append(Ply(seat, move))
        state = game.apply(state, seat, move, SeededDice(key)).state
        plies += 1
    outcome = game.outcome(state)
    if outcome is None:
        raise BrokenLaw(f"{_where(game, seats, options, seed)}: nobody is pending, but no outcome")
    return RandomMatch(plies, outcome, state, tuple(log))


def _key(seed: str) -> bytes:
    return hashlib.sha256(seed.encode()).digest()


def _where(game: AnyGame, seats: int, options: Any, seed: str, ply: int | None = None) -> str:
    at = "" if ply is None else f", ply {ply}"
    return f"{game.meta.name}, {seats} seats, {options}, seed {seed!r}{at}"


def _random_ply(
    game: AnyGame, state: Any, pending: frozenset[Seat], chooser: Chooser
) -> tuple[Seat, Any]:
    if len(pending) == 1:
        (seat,) = pending
    else:
        seat = sorted(pending)[chooser.below(len(pending))]
    moves = list(game.legal_moves(state, seat))
    if not moves:
        raise BrokenLaw(f"{game.meta.name}: seat {seat} is pending without a legal move")
    return seat, moves[chooser.below(len(moves))]
