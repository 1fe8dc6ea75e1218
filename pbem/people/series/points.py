"""What a match of a series is worth, and who stands where: pure.

The rules are those of docs/series.md.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

#: Points are kept in tenths. A win is 12, the last place 0; between them as many as were beaten.
WIN = 120
#: For a round off, and for a match that was ended without a winner.
MIDDLE = WIN // 2


@dataclass(frozen=True)
class Came:
    """How a seat came out."""

    team: int
    rank: int
    left_early: bool = False


@dataclass(frozen=True)
class Worth:
    points: int
    won: bool


def of_match(seats: Sequence[Came]) -> list[Worth]:
    """The points of each seat. Teams share a rank, and so its points; who left early gets none.

    A team of which nobody stayed is the last, whatever was made of its seats.
    """
    staying = {seat.team for seat in seats if not seat.left_early}
    last = len(seats) + 1
    ranks = {seat.team: seat.rank if seat.team in staying else last for seat in seats}
    best, worth = min(ranks.values(), default=1), []
    for seat in seats:
        others = [rank for team, rank in ranks.items() if team != seat.team]
        mine = ranks[seat.team]
        halves = sum(2 * (rank > mine) + (rank == mine) for rank in others)
        points = MIDDLE * halves // len(others) if others else MIDDLE
        worth.append(Worth(0 if seat.left_early else points, mine == best and not seat.left_early))
    return worth


@dataclass(frozen=True)
class Round:
    """What a player got in a round, and whom they met there; None while it is played."""

    player: int
    points: int | None
    won: bool
    opponents: tuple[int, ...]


@dataclass(frozen=True)
class Stand:
    """Where a player stands; points in tenths."""

    rank: int
    player: int
    points: int
    #: The points of all whom they met, each as often as they met.
    opponents: int
    wins: int
    played: int


def table(players: Iterable[int], rounds: Iterable[Round]) -> list[Stand]:
    """Everybody by points, then by the points of their opponents, then by wins; the best first.

    Who is equal in all three shares a rank, and stands in the order of entering.
    """
    points: dict[int, int] = dict.fromkeys(players, 0)
    wins: dict[int, int] = defaultdict(int)
    played: dict[int, int] = defaultdict(int)
    met: dict[int, list[int]] = defaultdict(list)
    for one in rounds:
        if one.points is None:
            continue
        points[one.player] += one.points
        wins[one.player] += one.won
        played[one.player] += 1
        met[one.player] += one.opponents
    of_opponents = {player: sum(points[other] for other in met[player]) for player in points}
    keys = {player: (points[player], of_opponents[player], wins[player]) for player in points}
    order = sorted(points, key=lambda player: ([-part for part in keys[player]], player))
    return [
        Stand(
            1 + sum(key > keys[player] for key in keys.values()),
            player,
            points[player],
            of_opponents[player],
            wins[player],
            played[player],
        )
        for player in order
    ]
