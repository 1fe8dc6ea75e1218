"""The seven: seven single steps, split among one's pawns in any order (DOG-50 to DOG-59).

Splits with the same effect (the places of the pawns afterwards, and the pawns sent Home) are listed
once. So a breadth-first search runs over *tables* (the places of the movable pawns, and a bit mask
of the fields from which a pawn was sent Home), by number of parts, and keeps the first way to reach
each. Pawns that cannot meet within seven steps are searched separately (``_clusters``) and their
results combined as a product; most searches are of one pawn. A whole seven takes about 0.1 ms in
random play. The longest known, 6,631 sevens over eight pawns under ``canadian_seven``, take about
0.4 s.

The pawns of two owners can be movable (DOG-58, ``canadian_seven``). A *code* is a place, plus
``SIDE`` for the second owner. Under the Odd rules (``once``) every pawn takes at most one part,
because only a pawn's last field counts there: more parts have the same effect.

The values of the search are msgspec structs and not named tuples: a seven makes hundreds of them,
and a named tuple, which is made by Python code, takes ten times as long.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import TypeAlias

import msgspec

from engine.games.dog.board import E1, E4, FRESH, HOME, PARTNER_E1, PAWNS, SEVEN, complete, start_of

#: Added to the places of the second owner's pawns.
SIDE = 200
#: Codes of the second owner are at least this (Home is -1).
_SECOND = SIDE + HOME
#: The codes of pawns at Home.
AT_HOME = (HOME, SIDE + HOME)

Codes: TypeAlias = tuple[int, ...]
Parts: TypeAlias = tuple[tuple[int, int], ...]


class Ground(msgspec.Struct, frozen=True, gc=False):
    """What is constant during the search for a seven."""

    ring: int
    #: Starts of the first and the second owner whose pawns move.
    starts: tuple[int, int]
    #: Starts held by fresh pawns that do not move in this seven.
    blocks: tuple[int, ...]
    #: Bit mask of the ring fields with a pawn that does not move and may be sent Home.
    others: int
    #: Whether overtaken pawns go Home (DOG-53), or only pawns on a final field (ODD5-12).
    overtake: bool
    #: Whether overtaking also sends pawns of the mover's owner Home (option).
    burns_own: bool


class Stop(msgspec.Struct, frozen=True, gc=False):
    """One possible part of a seven: its pawn, steps and target, and the table after it."""

    steps: int
    target: int  # a place of the pawn's owner
    codes: Codes
    burnt: int  # bit mask of the fields of unmoved pawns that were sent Home
    struck: bool  # whether it sent a pawn of the same owner Home by landing on it


def stops(ground: Ground, codes: Codes, index: int, steps: int) -> Iterator[Stop]:
    """Every part that pawn ``index`` can make now with at most ``steps`` steps."""
    code = codes[index]
    base = SIDE if code >= _SECOND else 0
    place = code - base
    if place == HOME:
        return
    before, after = codes[:index], codes[index + 1 :]
    if place >= E1:
        for used in range(1, min(steps, E4 - place) + 1):
            if code + used in codes:
                return  # DOG-41: no passing in the End Zone
            yield Stop(used, place + used, (*before, code + used, *after), 0, False)
        return
    ring, start = ground.ring, ground.starts[base > 0]
    field = start if place == FRESH else place
    limit, met = _reach(ground, codes, index, field, steps)
    nearest = min(met)[0] if met else SEVEN + 1
    others, passed = ground.others, 0
    for used in range(1, limit + 1):
        target = (field + used) % ring
        passed = passed | 1 << target if ground.overtake else 1 << target
        struck = False
        if used >= nearest:
            new, struck = _send_home(ground, codes, met, used, used, base)
            before, after = new[:index], new[index + 1 :]
        yield Stop(used, target, (*before, base + target, *after), passed & others, struck)
    to_start = (start - field) % ring
    if place == FRESH or to_start > limit:
        return
    burnt = _path(ring, field, to_start) & ground.others if ground.overtake else 0
    for depth in range(min(PAWNS, steps - to_start)):
        if base + E1 + depth in codes:
            return
        new, _ = _send_home(ground, codes, met, to_start, 0, base)
        new = (*new[:index], base + E1 + depth, *new[index + 1 :])
        yield Stop(to_start + depth + 1, E1 + depth, new, burnt, False)


def _reach(
    ground: Ground, codes: Codes, index: int, field: int, steps: int
) -> tuple[int, list[tuple[int, int]]]:
    """A pawn's reach on the ring (DOG-33), and the movable pawns ahead as (distance, index)."""
    ring, limit = ground.ring, steps
    for block in ground.blocks:
        distance = (block - field) % ring
        if distance <= limit:
            limit = distance - 1
    met: list[tuple[int, int]] = []
    for other, code in enumerate(codes):
        base = SIDE if code >= _SECOND else 0
        place = code - base
        if other == index or place == HOME or place >= E1:
            continue
        distance = ((ground.starts[base > 0] if place == FRESH else place) - field) % ring
        if distance > limit:
            continue
        if place == FRESH:
            limit = distance - 1
        else:
            met.append((distance, other))
    return limit, met


def _send_home(
    ground: Ground, codes: Codes, met: list[tuple[int, int]], passed: int, landing: int, base: int
) -> tuple[Codes, bool]:
    """The movable pawns after one moves over ``passed`` fields and lands after ``landing``.

    ``landing`` 0 means that the pawn leaves the ring for its End Zone.
    """
    if not met:
        return codes, False
    new, struck = list(codes), False
    for distance, other in met:
        if distance > passed:
            continue
        same = (codes[other] >= _SECOND) == (base > 0)
        if distance == landing:
            struck = struck or same
        elif not ground.overtake or (same and not ground.burns_own):
            continue
        new[other] = HOME + (SIDE if codes[other] >= _SECOND else 0)
    return tuple(new), struck


def _path(ring: int, field: int, steps: int) -> int:
    """Bit mask of the ``steps`` fields after ``field``."""
    bits = ((1 << steps) - 1) << (field + 1)
    return (bits | bits >> ring) & ((1 << ring) - 1)


class Spread(msgspec.Struct, frozen=True, gc=False):
    """One way to spend steps on some pawns: the codes after it, the burnt bit mask, its parts."""

    codes: Codes
    burnt: int
    parts: Parts


def named(ground: Ground, code: int) -> int:
    """The place of a code, as a move writes it."""
    base = SIDE if code >= _SECOND else 0
    place = code - base
    if place == FRESH:
        return ground.starts[base > 0]
    return place + PARTNER_E1 - E1 if base and place >= E1 else place


def _search(ground: Ground, codes: Codes, budget: int) -> list[list[Spread]]:
    """For each number of steps up to ``budget``, every distinct result, fewest parts first."""
    found: list[list[Spread]] = [[] for _ in range(budget + 1)]
    found[0].append(Spread(codes, 0, ()))
    if len(codes) == 1:
        # a single pawn reaches with one part whatever it reaches with two
        source = named(ground, codes[0])
        for stop in stops(ground, codes, 0, budget):
            only = ((source, named(ground, stop.codes[0])),)
            found[stop.steps].append(Spread(stop.codes, stop.burnt, only))
        return found
    once = not ground.overtake
    known: set[tuple[Codes, int, int]] = {(tuple(sorted(codes)), 0, 0)}
    # A node is (codes, burnt, used, bar): bar is the pawn that has just landed on one of its own
    # and must not move on at once, because that would be one longer part that strikes nobody; under
    # ``once``, a bit mask of the pawns that have moved.
    level: dict[tuple[Codes, int, int, int], Parts] = {(codes, 0, 0, 0 if once else -1): ()}
    seen = set(level)
    indexes = range(len(codes))
    while level:
        further: dict[tuple[Codes, int, int, int], Parts] = {}
        for (now, burnt, used, bar), parts in level.items():
            for index in indexes:
                if bar >> index & 1 if once else bar == index:
                    continue
                source = named(ground, now[index])
                for stop in stops(ground, now, index, budget - used):
                    total, gone = used + stop.steps, burnt | stop.burnt
                    after = bar | 1 << index if once else (index if stop.struck else -1)
                    node = (stop.codes, gone, total, after)
                    if node in seen:
                        continue
                    way = (*parts, (source, named(ground, stop.codes[index])))
                    if total < budget:
                        seen.add(node)
                        further[node] = way
                    result = (tuple(sorted(stop.codes)), gone, total)
                    if result not in known:
                        known.add(result)
                        found[total].append(Spread(stop.codes, gone, way))
        level = further
    return found


def _clusters(ground: Ground, codes: Codes) -> list[Codes]:
    """Groups of pawns; pawns of different groups cannot meet in seven steps or at an End Zone."""
    groups: list[list[int]] = []
    for code in codes:
        if code in AT_HOME:
            continue
        near = [group for group in groups if any(_meet(ground, code, other) for other in group)]
        merged = [code]
        for group in near:
            groups.remove(group)
            merged = group + merged
        groups.append(merged)
    if ground.overtake and len(groups) > 1 and any(_may_strike(ground, group) for group in groups):
        # A pawn that struck one of its own may move on after a part of any other pawn, even far
        # away.
        return [tuple(code for group in groups for code in group)]
    return [tuple(group) for group in groups]


def _may_strike(ground: Ground, codes: list[int]) -> bool:
    """Whether one of these pawns can land on another of its owner with two steps left over."""
    fields: list[tuple[int, int]] = []
    for code in codes:
        base = SIDE if code >= _SECOND else 0
        if code - base < E1:
            place = code - base
            fields.append((base, ground.starts[base > 0] if place == FRESH else place))
    return any(
        base == other and 1 <= (ahead - field) % ground.ring <= SEVEN - 2
        for base, field in fields
        for other, ahead in fields
    )


def _meet(ground: Ground, one: int, other: int) -> bool:
    ends = []
    fields = []
    for code in (one, other):
        base = SIDE if code >= _SECOND else 0
        place = code - base
        start = ground.starts[base > 0]
        if place >= E1:
            ends.append(base)
            continue
        field = start if place == FRESH else place
        fields.append(field)
        if place != FRESH and (start - field) % ground.ring < SEVEN:
            ends.append(base)
    if len(ends) == 2 and ends[0] == ends[1]:
        return True
    if len(fields) < 2:
        return False
    gap = (fields[0] - fields[1]) % ground.ring
    return gap <= SEVEN or ground.ring - gap <= SEVEN


@lru_cache(maxsize=8)
def spreads(
    ground: Ground, codes: Codes, budget: int, whole: bool = False
) -> tuple[tuple[Spread, ...], ...]:
    """Like ``_search``, over all pawns, cluster by cluster. ``codes`` exclude pawns at Home.

    ``whole``: with several clusters only those that use the whole budget.

    The last ones are kept: to read and to refuse an order asks for the sevens of one table several
    times, and so do the pages of a turn.
    """
    groups = _clusters(ground, codes)
    if not groups:
        return ((Spread((), 0, ()),), *(() for _ in range(budget)))
    total = _search(ground, groups[0], budget)
    for number, group in enumerate(groups[1:], 2):
        more = _search(ground, group, budget)
        least = budget if whole and number == len(groups) else 0
        total = [
            _joined(total, more, steps) if steps >= least else [] for steps in range(budget + 1)
        ]
    return tuple(tuple(ways) for ways in total)


def _joined(some: list[list[Spread]], others: list[list[Spread]], steps: int) -> list[Spread]:
    """Every way to spend so many steps on the pawns of two clusters."""
    return [
        Spread(one.codes + other.codes, one.burnt | other.burnt, one.parts + other.parts)
        for used in range(steps + 1)
        for one in some[used]
        for other in others[steps - used]
    ]


class Problem(msgspec.Struct, frozen=True, gc=False):
    """The input of the search: the pawns, the table and the options."""

    pawns: tuple[tuple[int, ...], ...]
    owner: int
    #: The owner whose pawns the left-over steps may move, or -1.
    mate: int
    odd: bool
    burns_own: bool
    canadian: bool
    residual: str
    #: Whether the owner's last pawn may come in by this card.
    may_complete: bool


def ground_of(problem: Problem, movers: tuple[int, ...], burnt: int = 0) -> Ground:
    """The table for a seven that moves these owners' pawns, without pawns already burnt."""
    ring = start_of(len(problem.pawns))
    blocks: list[int] = []
    others = 0
    for owner, row in enumerate(problem.pawns):
        if owner in movers:
            continue
        for place in row:
            if place == FRESH:
                blocks.append(start_of(owner))
            elif 0 <= place < FRESH:
                others |= 1 << place
    starts = (start_of(problem.owner), start_of(problem.mate if problem.mate >= 0 else 0))
    return Ground(ring, starts, tuple(blocks), others & ~burnt, not problem.odd, problem.burns_own)


def list_sevens(problem: Problem) -> Iterator[Parts]:
    """The parts of every seven with a distinct effect (DOG-50 to DOG-59).

    Sevens that use all seven steps come first.
    """
    own = problem.pawns[problem.owner]
    joint = problem.canadian and problem.mate >= 0
    if own[-1] == HOME and not joint:
        return
    movers = (problem.owner, problem.mate) if joint else (problem.owner,)
    ground = ground_of(problem, movers)
    codes = own + tuple(SIDE + place for place in problem.pawns[problem.mate]) if joint else own
    # DOG-58: whether steps can be left over after the last pawn came in
    leaves = (
        problem.may_complete and problem.residual != "illegal" and _can_all_come_in(ground, own)
    )
    found = spreads(ground, codes, SEVEN, not leaves)
    # Different ways to spend the steps can have the same effect if a pawn moves and is then sent
    # Home by another moving pawn.
    seen: set[tuple[Codes, int]] = set()
    for spread in found[SEVEN]:
        effect = _effect(spread, -1)
        if effect not in seen:
            seen.add(effect)
            if problem.may_complete or not _completes(problem, spread.codes):
                yield spread.parts
    if not leaves:
        return
    still = ground_of(problem, (problem.owner, problem.mate)).others
    for used in range(SEVEN):
        for spread in found[used]:
            if not all_in(spread.codes):
                continue
            for whole in _spend_rest(problem, spread, SEVEN - used, joint):
                effect = _effect(whole, still)
                if effect not in seen:
                    seen.add(effect)
                    yield whole.parts


def _can_all_come_in(ground: Ground, row: Codes) -> bool:
    """Whether seven steps can be enough to bring all pawns of the first owner in."""
    if row[0] == HOME or FRESH in row:
        return False
    ring, start = ground.ring, ground.starts[0]
    return sum((start - place) % ring + 1 for place in row if place < E1) <= SEVEN


def _effect(spread: Spread, others: int) -> tuple[Codes, int]:
    """The identity of a result: the pawns' places, and which of ``others`` went Home."""
    away = [code for code in spread.codes if code not in AT_HOME]
    away.sort()
    return tuple(away), spread.burnt & others


def all_in(codes: Codes) -> bool:
    """Whether the first owner's four pawns are in the End Zone."""
    return sum(E1 <= code <= E4 for code in codes) == PAWNS


def mate_in(codes: Codes) -> bool:
    """Whether the second owner's four pawns are in the End Zone."""
    return sum(code >= SIDE + E1 for code in codes) == PAWNS


def _completes(problem: Problem, codes: Codes) -> bool:
    """Whether somebody's last pawn came in."""
    if all_in(codes):
        return True
    return mate_in(codes) and not complete(problem.pawns[problem.mate])


def _spend_rest(problem: Problem, spread: Spread, left: int, joint: bool) -> Iterator[Spread]:
    """The ways to spend the steps left over after ``spread`` (DOG-58, ODD5-13)."""
    if problem.mate < 0 or joint:
        if problem.residual == "optional" or mate_in(spread.codes):
            yield spread
        return
    # The owner's pawns are all in the End Zone: none of them can be met any more.
    ground = ground_of(problem, (problem.owner, problem.mate), spread.burnt)
    codes = tuple(
        SIDE + place
        for place in problem.pawns[problem.mate]
        if not (0 <= place < FRESH and spread.burnt >> place & 1)
    )
    for used, ways in enumerate(spreads(ground, codes, left)):
        for way in ways:
            if used == left or problem.residual == "optional" or mate_in(way.codes):
                yield Spread(
                    spread.codes + way.codes, spread.burnt | way.burnt, spread.parts + way.parts
                )


class Made(msgspec.Struct, frozen=True, gc=False):
    """One part of a seven that was carried out: its pawn, and the table before and after."""

    owner: int
    source: int  # a ring field, or a place in the owner's End Zone
    before: Codes
    stop: Stop


def merged(parts: Parts) -> Parts:
    """Consecutive parts of the same pawn as one part (DOG-55)."""
    out: list[tuple[int, int]] = []
    for source, target in parts:
        if out and out[-1][1] == source:
            out[-1] = (out[-1][0], target)
        else:
            out.append((source, target))
    return tuple(out)


def walk(problem: Problem, parts: Parts) -> tuple[list[Made], Codes, int, int]:
    """Carries out the parts in order: (parts made, codes, burnt bit mask, steps left over).

    Raises BadPart with the index of the part that cannot be made. Does not check whether steps may
    be left over. Under the Odd rules a pawn that stops and moves on later sends nobody Home at the
    stop (ODD5-12); it cannot stop like this on a field with another pawn of its owner.
    """
    movers = (problem.owner,) if problem.mate < 0 else (problem.owner, problem.mate)
    ground = ground_of(problem, movers)
    codes = problem.pawns[problem.owner]
    if problem.mate >= 0:
        codes += tuple(SIDE + place for place in problem.pawns[problem.mate])
    made: list[Made] = []
    burnt, left = 0, SEVEN
    for number, (source, target) in enumerate(parts):
        index = _index_of(ground, codes, source)
        second = index >= 0 and codes[index] >= _SECOND
        if index < 0 or (second and not _may_move_mate(problem, codes)):
            raise BadPart(number, left)
        end = target - PARTNER_E1 + E1 if second and target >= PARTNER_E1 else target
        passing = problem.odd and any(later == target for later, _ in parts[number + 1 :])
        for stop in stops(ground, codes, index, left):
            if stop.target == end and not (second and E1 <= target <= E4):
                break
        else:
            raise BadPart(number, left)
        if passing:
            code = end + (SIDE if second else 0)
            if code in codes:
                raise BadPart(number, left)  # it is ambiguous which of the two moves on
            passed = (*codes[:index], code, *codes[index + 1 :])
            stop = msgspec.structs.replace(stop, codes=passed, burnt=0)
        place = _field_of(ground, codes[index])
        made.append(Made(problem.mate if second else problem.owner, place, codes, stop))
        codes, burnt, left = stop.codes, burnt | stop.burnt, left - stop.steps
        ground = msgspec.structs.replace(ground, others=ground.others & ~burnt)
    return made, codes, burnt, left


def _may_move_mate(problem: Problem, codes: Codes) -> bool:
    """DOG-57, DOG-58: whether a part may move the second owner's pawns in this position."""
    return problem.canadian or (problem.residual != "illegal" and all_in(codes))


class BadPart(Exception):
    """A part of a seven cannot be made when its turn comes: its index, and the steps left."""

    def __init__(self, number: int, left: int) -> None:
        super().__init__(number, left)
        self.number = number
        self.left = left


def may_leave(problem: Problem, codes: Codes, left: int) -> bool:
    """Whether a seven may end here with ``left`` steps left over (DOG-58, ODD5-13)."""
    if left == 0:
        return True
    if problem.residual == "illegal" or not all_in(codes):
        return False
    return problem.residual == "optional" or mate_in(codes)


def may_end(problem: Problem, codes: Codes) -> bool:
    """Whether a seven may end here: by an option, a joker may not bring a last pawn in."""
    return problem.may_complete or not _completes(problem, codes)


def _field_of(ground: Ground, code: int) -> int:
    base = SIDE if code >= _SECOND else 0
    return ground.starts[base > 0] if code - base == FRESH else code - base


def _index_of(ground: Ground, codes: Codes, source: int) -> int:
    """The index of the pawn that a move means by this place, or -1."""
    for index, code in enumerate(codes):
        if code not in AT_HOME and named(ground, code) == source:
            return index
    return -1
