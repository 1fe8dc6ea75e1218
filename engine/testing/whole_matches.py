"""The laws of a whole match."""

from __future__ import annotations

from engine import codec
from engine.chooser import Chooser
from engine.dice import SeededDice
from engine.game import Options, Seat
from engine.games.registry import AnyGame
from engine.simulation import (
    BrokenLaw,
    key_of,
    place_of,
    play_match,
)
from engine.testing.cases import random_ply


def replay_gives_the_same(
    game: AnyGame, seats: int, options: Options | None = None, seed: str = "0"
) -> None:
    """The moves of a log, written as orders and parsed again, lead to the same final state."""
    match = play_match(game, seats, options, seed, keep_log=True)
    options = game.options_type() if options is None else options
    key = key_of(seed)
    state = game.setup(seats, options, SeededDice(key)).state
    for seat, move in match.log:
        read = codec.decode(game.move_type, codec.encode(move))
        state = game.apply(state, seat, read, SeededDice(key)).state
    if codec.encode(state) != codec.encode(match.final):
        raise BrokenLaw(f"{place_of(game, seats, options, seed)}: a replay ends differently")


def other_worlds_differ(
    game: AnyGame, seats: int, options: Options | None = None, seed: str = "0", plies: int = 200
) -> None:
    """``other_world`` changes what others know and the seat does not.

    If one seat reads an event in a match that another may not read, then at some moment the first
    seat has a different view in another world of the second.
    """
    options = game.options_type() if options is None else options
    chooser, key = Chooser(seed), key_of(seed)
    step = game.setup(seats, options, SeededDice(key))
    secrets: set[tuple[Seat, Seat | None]] = set()
    changed: set[tuple[Seat, Seat | None]] = set()
    for ply in range(plies):
        for event in step.events:
            if event.readers is not None:
                outside = [None, *(seat for seat in range(seats) if seat not in event.readers)]
                secrets |= {(reader, seat) for reader in event.readers for seat in outside}
        state = step.state
        open_pairs = secrets - changed
        for unaware in {seat for _, seat in open_pairs}:
            world = game.other_world(state, unaware, SeededDice.from_text(f"{seed} {ply}"))
            changed |= {
                pair
                for pair in open_pairs
                if pair[1] == unaware
                and codec.encode(game.view(world, pair[0]))
                != codec.encode(game.view(state, pair[0]))
            }
        pending = game.phase(state).pending
        if not pending:
            break
        seat, move = random_ply(game, state, pending, chooser)
        step = game.apply(state, seat, move, SeededDice(key))
    for reader, unaware in sorted(secrets - changed, key=str):
        raise BrokenLaw(
            f"{place_of(game, seats, options, seed)}: what seat {reader} knows is the same in all "
            f"other worlds of {unaware}"
        )
