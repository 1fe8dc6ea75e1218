"""Whole matches without people: the player of each seat, its opening, and statistics.

A match is identified by its seed, a text: the same text plays the same match. Random moves are
chosen with a generator of their own; the randomness of the match itself always comes from dice.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations_with_replacement
from typing import Any, NamedTuple

from engine.chooser import Chooser
from engine.dice import SeededDice
from engine.game import Options, Outcome, Seat, Step
from engine.games.registry import AnyGame

#: A match with more plies than this counts as endless.
MAX_PLIES = 200_000
#: The player of a seat: this one, or the name of a bot.
RANDOM = "random"


class BrokenLaw(AssertionError):
    """A game breaks a law; the sentence says which one and where."""


class Ply(NamedTuple):
    """One move of a simulated match."""

    seat: Seat
    move: Any


class Played(NamedTuple):
    """A whole match."""

    plies: int
    outcome: Outcome[Any]
    final: Any
    #: The moves, if they were asked for.
    log: tuple[Ply, ...]
    #: How often each kind of move was made and each kind of event happened, by name.
    moves: Counter[str]
    events: Counter[str]


def play_match(
    game: AnyGame,
    seats: int,
    options: Options | None = None,
    seed: str = "0",
    *,
    players: Sequence[str] = (),
    openings: Mapping[Seat, str] | None = None,
    keep_log: bool = False,
    max_plies: int = MAX_PLIES,
    sound: bool = False,
) -> Played:
    """Plays a match to its end.

    ``players`` gives the player of each seat: ``RANDOM`` (the default for all) or the name of a
    bot. ``openings`` are the first orders of some seats. With ``sound`` every step is checked for
    flaws. Raises OptionsError or OrderError if the game refuses options or an opening, ValueError
    for unknown players, and BrokenLaw for a flaw or a match that does not end within ``max_plies``.
    """
    options = game.options_type() if options is None else options
    game.check_options(seats, options)
    players = players or (RANDOM,) * seats
    _check_players(game, seats, players)
    waiting = dict(openings or {})
    chooser, key = Chooser(seed), key_of(seed)
    log: list[Ply] = []
    moves: list[type] = []
    events: list[type] = []
    step = game.setup(seats, options, SeededDice(key))
    plies = 0
    while True:
        state = step.state
        events.extend(map(type, step.events))
        pending = game.phase(state).pending
        if not pending:
            break
        if plies >= max_plies:
            where = place_of(game, seats, options, seed, plies)
            raise BrokenLaw(f"{where}: no end after {plies} plies")
        seat = next_seat(pending, chooser)
        if seat in waiting:
            move = game.parse(state, seat, waiting.pop(seat))
        elif players[seat] == RANDOM:
            move = random_move(game, state, seat, chooser)
        else:
            move = _bots_move(game, state, seat, players[seat], f"{seed} {plies}")
        step = game.apply(state, seat, move, SeededDice(key))
        if sound:
            where = place_of(game, seats, options, seed, plies)
            _refuse_flaws(game, state, seat, move, step, where)
        moves.append(type(move))
        if keep_log:
            log.append(Ply(seat, move))
        plies += 1
    outcome = game.outcome(step.state)
    if outcome is None:
        where = place_of(game, seats, options, seed, plies)
        raise BrokenLaw(f"{where}: nobody is pending, but no outcome")
    return Played(plies, outcome, step.state, tuple(log), _named(moves), _named(events))


def _named(kinds: Iterable[type]) -> Counter[str]:
    return Counter(kind.__name__ for kind in kinds)


def _check_players(game: AnyGame, seats: int, players: Sequence[str]) -> None:
    known = (RANDOM, *game.meta.bots)
    strange = [name for name in players if name not in known]
    if len(players) != seats or strange:
        raise ValueError(f"{seats} players are needed, each one of: {', '.join(known)}")


def next_seat(pending: frozenset[Seat], chooser: Chooser) -> Seat:
    """One of the pending seats, at random."""
    if len(pending) == 1:
        (seat,) = pending
        return seat
    return sorted(pending)[chooser.below(len(pending))]


def _bots_move(game: AnyGame, state: Any, seat: Seat, bot: str, dice: str) -> Any:
    moves = list(game.legal_moves(state, seat))
    return game.choose(game.view(state, seat), moves, SeededDice.from_text(dice), bot)


def random_move(game: AnyGame, state: Any, seat: Seat, chooser: Chooser) -> Any:
    """One of the legal moves, at random."""
    moves = list(game.legal_moves(state, seat))
    if not moves:
        raise BrokenLaw(f"{game.meta.name}: seat {seat} is pending without a legal move")
    return moves[chooser.below(len(moves))]


def _refuse_flaws(
    game: AnyGame, state: Any, seat: Seat, move: Any, step: Step[Any, Any], where: str
) -> None:
    found = list(game.flaws(state, seat, move, step))
    if found:
        raise BrokenLaw(f"{where}, after “{game.format(move)}”: {'; '.join(found)}")


def pairings(game: AnyGame, seats: int, options: Options) -> list[tuple[str, ...]]:
    """Each of the game's openings against each, including itself, by their names."""
    return list(combinations_with_replacement(game.openings(seats, options), seats))


def key_of(seed: str) -> bytes:
    """The key of a match's dice."""
    return hashlib.sha256(seed.encode()).digest()


def place_of(game: AnyGame, seats: int, options: Any, seed: str, ply: int | None = None) -> str:
    """A description of a point in a match, from which it can be reproduced."""
    at = "" if ply is None else f", ply {ply}"
    return f"{game.meta.name}, {seats} seats, {options}, seed {seed!r}{at}"
