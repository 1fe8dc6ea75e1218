"""Draws the tables of a round: pure. The same players, past and seed give the same tables.

Who meets whom is made as even as can be found by exchanging players between tables until no
exchange makes it better. Then each table is seated so that nobody gets the same seats, or the same
partners, more often than others. The rules are those of docs/series.md.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, permutations

#: Of how many beginnings the best draw is taken, for so many players together.
TRIES_FOR = 800
MOST_TRIES = 60
#: A meeting again weighs more than all that could be won by it in places.
_MEETING = 10**9
#: A seat again weighs a little more than a partner again.
_SEAT, _PARTNER = 3, 2

#: Two players, the smaller number first.
Pair = tuple[int, int]


def pair(one: int, other: int) -> Pair:
    return (one, other) if one < other else (other, one)


@dataclass(frozen=True)
class Past:
    """What was drawn in the rounds before."""

    #: How often two players sat at one table, and in one team.
    met: Mapping[Pair, int] = field(default_factory=dict)
    partnered: Mapping[Pair, int] = field(default_factory=dict)
    #: How often a player had a seat: (player, seat).
    sat: Mapping[tuple[int, int], int] = field(default_factory=dict)
    #: How often a player had a round off.
    byes: Mapping[int, int] = field(default_factory=dict)


@dataclass(frozen=True)
class RoundDraw:
    """A round: the players of each table in the order of their seats, and who has it off."""

    tables: tuple[tuple[int, ...], ...]
    byes: tuple[int, ...] = ()


def sizes(players: int, wanted: int, allowed: Sequence[int]) -> tuple[int, ...]:
    """How many sit at each table: the fewest byes, then sizes as near to ``wanted`` as can be.

    Sizes are descending. Empty if there are too few players for any table.
    """
    nobody: tuple[int, ...] = ()
    best: dict[int, tuple[int, tuple[int, ...]]] = {0: (0, nobody)}
    for number in range(1, players + 1):
        ways = [
            (best[number - size][0] + (size - wanted) ** 2, (*best[number - size][1], size))
            for size in sorted(allowed, key=lambda size: (abs(size - wanted), -size))
            if number - size in best
        ]
        if ways:
            best[number] = min(ways, key=lambda way: way[0])
    seated = max(best)
    return tuple(sorted(best[seated][1], reverse=True))


def draw(
    players: Sequence[int],
    wanted: int,
    allowed: Sequence[int],
    past: Past,
    seed: str,
    *,
    by_place: bool = False,
    teams: Mapping[int, Sequence[Sequence[int]]] | None = None,
) -> RoundDraw:
    """The tables of a round.

    ``players`` are in the order of their standing, the best first. ``by_place`` (Swiss): equals
    meet equals, else everybody meets everybody. ``teams`` of each size: the seats that win
    together.
    """
    # nothing to guess here: what is drawn is shown to everybody
    chance = random.Random(seed)  # noqa: S311
    lot = {player: chance.random() for player in players}
    counts = sizes(len(players), wanted, allowed)
    off = _byes(players, len(players) - sum(counts), past, lot, by_place)
    left = [player for player in players if player not in off]
    place = {player: number for number, player in enumerate(left)} if by_place else {}
    tries = max(1, min(MOST_TRIES, TRIES_FOR // max(1, len(left)) // (4 if by_place else 1)))
    found: tuple[int, list[list[int]]] | None = None
    for number in range(tries):
        order = list(left)
        if not by_place:
            chance.shuffle(order)
        elif number:
            order.sort(key=lambda player: place[player] + chance.uniform(0, wanted * number / 2))
        tables = _cut(order, counts)
        cost = _improve(tables, past.met, place)
        if found is None or cost < found[0]:
            found = cost, tables
    seated = [_seated(table, past, teams or {}, chance) for table in (found[1] if found else [])]
    return RoundDraw(tuple(seated), tuple(off))


def _byes(
    players: Sequence[int],
    count: int,
    past: Past,
    lot: Mapping[int, float],
    by_place: bool,
) -> list[int]:
    """Who has the round off: who had that least often; in Swiss the last of them; then by lot."""
    places = {player: -number if by_place else 0 for number, player in enumerate(players)}
    first = sorted(
        players, key=lambda player: (past.byes.get(player, 0), places[player], lot[player])
    )
    return sorted(first[:count])


def _cut(order: Sequence[int], counts: Sequence[int]) -> list[list[int]]:
    tables, begun = [], 0
    for count in counts:
        tables.append(list(order[begun : begun + count]))
        begun += count
    return tables


def _costs(met: Mapping[Pair, int], place: Mapping[int, int]) -> dict[Pair, int]:
    """What it costs that two sit together: sums of these are least where meetings are even."""
    known: dict[Pair, int] = {}
    for one, other in met:
        known[one, other] = met[one, other] ** 2 * _MEETING
    for one, other in combinations(sorted(place), 2):
        known[one, other] = known.get((one, other), 0) + (place[one] - place[other]) ** 2
    return known


def _improve(tables: list[list[int]], met: Mapping[Pair, int], place: Mapping[int, int]) -> int:
    """Exchanges players between tables as long as that makes it better; returns what it costs."""
    costs = _costs(met, place)

    def cost(player: int, table: Sequence[int], without: int) -> int:
        return sum(
            costs.get((player, other) if player < other else (other, player), 0)
            for other in table
            if other not in (without, player)
        )

    better = True
    while better:
        better = False
        for one, other in combinations(tables, 2):
            for here in range(len(one)):
                for there in range(len(other)):
                    a, b = one[here], other[there]
                    now = cost(a, one, a) + cost(b, other, b)
                    if now and cost(b, one, a) + cost(a, other, b) < now:
                        one[here], other[there] = b, a
                        better = True
    return sum(costs.get(pair(*two), 0) for table in tables for two in combinations(table, 2))


def _seated(
    table: Sequence[int],
    past: Past,
    teams: Mapping[int, Sequence[Sequence[int]]],
    chance: random.Random,
) -> tuple[int, ...]:
    """The players of a table by seats: where each sat least often, beside new partners."""
    order = list(table)
    chance.shuffle(order)
    together = [two for team in teams.get(len(order), ()) for two in combinations(sorted(team), 2)]
    sat = {
        (player, seat): past.sat.get((player, seat), 0)
        for player in order
        for seat in range(len(order))
    }

    def cost(seats: tuple[int, ...]) -> int:
        again = sum(
            sat[player, seat] ** 2 * 2 + sat[player, seat] for seat, player in enumerate(seats)
        )
        partners = sum(
            past.partnered.get(pair(seats[one], seats[other]), 0) for one, other in together
        )
        return _SEAT * again + _PARTNER * partners

    ways: list[tuple[int, ...]] = list(permutations(order))
    return min(ways, key=cost)


def after(past: Past, drawn: RoundDraw, teams: Mapping[int, Sequence[Sequence[int]]]) -> Past:
    """The past with one more round in it."""
    met, partnered = Counter(past.met), Counter(past.partnered)
    sat, byes = Counter(past.sat), Counter(past.byes)
    for table in drawn.tables:
        met.update(pair(*two) for two in combinations(table, 2))
        sat.update((player, seat) for seat, player in enumerate(table))
        for team in teams.get(len(table), ()):
            partnered.update(pair(table[one], table[other]) for one, other in combinations(team, 2))
    byes.update(drawn.byes)
    return Past(met, partnered, sat, byes)
