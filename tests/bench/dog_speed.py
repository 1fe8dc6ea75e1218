"""How fast Dog is, in processor time: ``python -m tests.bench.dog_speed [SECONDS]`` (default 3).

First whole matches of random legal moves; then the table that takes longest to list the moves of,
looked for by climbing from random crowded tables: four pawns out, a seven and a joker in the hand.
"""

from __future__ import annotations

import argparse
import time
from typing import Any

from engine.chooser import Chooser
from engine.games.dog import GAME
from engine.games.dog.board import E1, FRESH, HOME, complete, ring_length, start_of
from engine.games.dog.meta import DogOptions
from engine.games.dog.moves import write
from engine.games.dog.rules import Pawns, Table, plays
from engine.simulation import play_match


def random_play(seats: int, seconds: float) -> str:
    plies = matches = 0
    began = time.process_time()
    while time.process_time() - began < seconds:
        plies += play_match(GAME, seats, seed=str(matches)).plies
        matches += 1
    rate = plies / (time.process_time() - began)
    return f"{seats} players: {rate:,.0f} random plies/s, {plies // matches} plies a match"


def random_pawns(seats: int, chooser: Chooser) -> Pawns:
    return tuple(
        tuple(random_place(seats, owner, chooser) for _ in range(4)) for owner in range(seats)
    )


def random_place(seats: int, owner: int, chooser: Chooser) -> int:
    """Anywhere, rather near the Start of seat 0, where moves meet and End Zones are entered."""
    kind = chooser.below(8)
    if kind == 0:
        return E1 + chooser.below(4)
    if kind == 1:
        return FRESH
    if kind == 2:
        return chooser.below(ring_length(seats))
    return (start_of(owner) * (kind % 2) - chooser.below(20)) % ring_length(seats)


def sound(pawns: Pawns) -> Pawns | None:
    """The pawns in order, or None where two stand on a field or seat 0 is complete."""
    fields = [
        start_of(owner) if place == FRESH else place
        for owner, row in enumerate(pawns)
        for place in row
        if place <= FRESH
    ]
    inside = [[place for place in row if place >= E1] for row in pawns]
    if len(set(fields)) < len(fields) or any(len(set(row)) < len(row) for row in inside):
        return None
    rows = tuple(tuple(sorted(row)) for row in pawns)
    return None if complete(rows[0]) or HOME in rows[0] else rows


def cost(pawns: Pawns, options: DogOptions) -> tuple[int, float]:
    """Moves with a seven and a joker in the hand, and the milliseconds to list them."""
    table = Table(pawns, options, 0, 0)
    began = time.process_time()
    moves = sum(1 for _ in plays(table, ("7", "*")))
    return moves, 1e3 * (time.process_time() - began)


def climb(seats: int, options: DogOptions, seconds: float, chooser: Chooser) -> tuple[Pawns, int]:
    """The table with the most moves that was found."""
    best: Pawns | None = None
    most = top = 0
    champion: Pawns | None = None
    stale = 0
    began = time.process_time()
    while time.process_time() - began < seconds:
        if best is None or stale > 150:
            best, most, stale = sound(random_pawns(seats, chooser)), 0, 0
            continue
        owner, pawn = chooser.below(seats), chooser.below(4)
        row = list(best[owner])
        row[pawn] = random_place(seats, owner, chooser)
        tried = sound((*best[:owner], tuple(row), *best[owner + 1 :]))
        stale += 1
        if tried is None:
            continue
        moves, _ = cost(tried, options)
        if moves > most:
            best, most, stale = tried, moves, 0
        if moves > top:
            champion, top = tried, moves
    assert champion is not None
    return champion, top


def report_worst(title: str, seats: int, options: DogOptions, seconds: float) -> None:
    pawns, moves = climb(seats, options, seconds, Chooser(f"worst {seats}"))
    spent = min(cost(pawns, options)[1] for _ in range(5))
    table = Table(pawns, options, 0, 0)
    longest = max((write(move) for move in plays(table, ("7", "*"))), key=len)
    shown: Any = pawns[0] if not options.canadian_seven else (pawns[0], pawns[seats // 2])
    print(f"{title}: {moves} moves in {spent:.1f} ms, own pawns {shown}; longest order {longest}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("seconds", nargs="?", type=float, default=3.0)
    seconds = parser.parse_args().seconds
    for seats in (4, 6, 5, 3):
        print(random_play(seats, seconds), flush=True)
    for seats in (4, 6, 5):
        report_worst(f"worst hand 7 *, {seats} players", seats, DogOptions(), 5 * seconds)
    canadian = DogOptions(canadian_seven=True)
    report_worst("the same, 6 players, canadian_seven", 6, canadian, 5 * seconds)


if __name__ == "__main__":
    main()
