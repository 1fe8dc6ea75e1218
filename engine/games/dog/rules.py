"""The legal plays and their effects on the pawns. The table only: no hands, no turns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import TypeAlias

import msgspec

from engine.game import Seat
from engine.games.dog import sevens
from engine.games.dog.board import (
    BACKWARD,
    E1,
    E4,
    FORWARD,
    FRESH,
    HOME,
    JOKER,
    OUT,
    RANKS,
    Card,
    Rank,
    complete,
    ring_length,
    start_of,
)
from engine.games.dog.events import (
    CameOut,
    DogEvent,
    EndZoneEntered,
    Finished,
    Lapsed,
    Moved,
    Played,
    SentHome,
    Swapped,
)
from engine.games.dog.meta import DogOptions, is_odd
from engine.games.dog.moves import Go, Out, Play, Seven, Swap, played_rank
from engine.games.dog.sevens import Problem
from engine.games.dog.state import partner

Pawns: TypeAlias = tuple[tuple[int, ...], ...]


class Pawn(msgspec.Struct, frozen=True, gc=False):
    """A pawn on the ring, and how far it can move."""

    field: int
    fresh: bool
    forward: int  # the most steps forward on the ring (DOG-33)
    backward: int
    #: Steps from here to the owner's Start, or -1 if it cannot enter the End Zone from there.
    entrance: int


class Table(msgspec.Struct, frozen=True, gc=False):
    """What a seat's plays depend on except its cards: the pawns, and the owner it moves."""

    pawns: Pawns
    options: DogOptions
    seat: Seat
    owner: Seat

    @property
    def seats(self) -> int:
        return len(self.pawns)

    @property
    def row(self) -> tuple[int, ...]:
        return self.pawns[self.owner]

    @property
    def mate(self) -> Seat:
        """The owner's partner, or NOBODY."""
        return partner(self.seats, self.owner)


def survey(table: Table) -> tuple[list[Pawn], int]:
    """The owner's pawns on the ring, and the number of free fields of its End Zone from E1 on."""
    ring, start = ring_length(table.seats), start_of(table.owner)
    blocks = [start_of(owner) for owner, row in enumerate(table.pawns) if FRESH in row]
    found: list[Pawn] = []
    gate = 4
    for place in table.row:
        if place == HOME:
            continue
        if place >= E1:
            gate = place - E1
            break
        fresh = place == FRESH
        field = start if fresh else place
        forward = backward = ring
        for block in blocks:
            distance = (block - field) % ring
            if distance:
                forward = min(forward, distance - 1)
                backward = min(backward, ring - distance - 1)
        entrance = (start - field) % ring
        if fresh or entrance > forward:
            entrance = -1
        found.append(Pawn(field, fresh, forward, backward, entrance))
    return found, gate


def inner_target(row: tuple[int, ...], place: int, steps: int) -> int | None:
    """The target of a move inside the End Zone (DOG-41), or None."""
    target = place + steps
    if target > E4 or any(place < other <= target for other in row):
        return None
    return target


def plays(
    table: Table, cards: Iterable[Card], as_ranks: tuple[Rank, ...] = RANKS
) -> Iterator[Play]:
    """Every play with these distinct cards, each effect once (DOG-17, -18).

    A joker is listed as the first rank with an effect: out as a king, not again as an ace;
    ``as_ranks`` are those it is listed as.
    """
    return chain.from_iterable(_plays_by_rank(table, cards, as_ranks))


def _plays_by_rank(
    table: Table, cards: Iterable[Card], as_ranks: tuple[Rank, ...]
) -> Iterator[Iterable[Play]]:
    """``plays`` in portions, so that its moves need not pass through Python code one by one."""
    pawns, gate = survey(table)
    inner = [place for place in table.row if place >= E1]
    can_go_out = table.row[0] == HOME and FRESH not in table.row
    listed: list[sevens.Parts] | None = None
    for card in cards:
        joker = card == JOKER
        ranks = as_ranks if card == JOKER else (card,)
        for rank in ranks:
            if rank == "7":
                if joker and not table.options.joker_last_pawn:
                    yield _joker_sevens(table, list(sevens.list_sevens(problem(table, True))))
                    continue
                if listed is None:
                    listed = list(sevens.list_sevens(problem(table, False)))
                if joker:
                    yield _joker_sevens(table, listed)
                else:
                    yield map(Seven, listed)
            elif rank == "J":
                yield _swaps(table, pawns, joker)
            else:
                if can_go_out and rank in OUT and not (joker and rank != OUT[0]):
                    yield (Out(rank, joker),)
                goes = _goes(table, pawns, gate, inner, rank, joker)
                if joker and not table.options.joker_last_pawn:
                    goes = [move for move in goes if not brings_last_in(table, move)]
                yield goes


def _goes(
    table: Table, pawns: list[Pawn], gate: int, inner: list[int], rank: Rank, joker: bool
) -> list[Go]:
    """DOG-23 to DOG-25, DOG-33, 34 and DOG-37 to DOG-41: one pawn, the full value."""
    ring = ring_length(len(table.pawns))
    found: list[Go] = []
    for steps in FORWARD[rank]:
        for pawn in pawns:
            if steps <= pawn.forward:
                found.append(Go(rank, pawn.field, (pawn.field + steps) % ring, joker))
            if pawn.entrance >= 0 and 1 <= steps - pawn.entrance <= gate:
                found.append(Go(rank, pawn.field, E1 - 1 + steps - pawn.entrance, joker))
        for place in inner:
            inside = inner_target(table.row, place, steps)
            if inside is not None:
                found.append(Go(rank, place, inside, joker))
    if rank in BACKWARD:
        steps = BACKWARD[rank]
        for pawn in pawns:
            if steps <= pawn.backward:
                found.append(Go(rank, pawn.field, (pawn.field - steps) % ring, joker))
    return found


def _swaps(table: Table, pawns: list[Pawn], joker: bool) -> Iterator[Swap]:
    """DOG-42 to DOG-46: two pawns on the ring, not fresh, of different owners."""
    mine = [pawn.field for pawn in pawns if not pawn.fresh or table.options.jack_own_fresh]
    if not mine:
        return
    theirs = [
        place
        for owner, row in enumerate(table.pawns)
        if owner != table.owner
        for place in row
        if HOME < place < FRESH
    ]
    for source in mine:
        for target in theirs:
            yield Swap(source, target, joker)


def _joker_sevens(table: Table, listed: list[sevens.Parts]) -> Iterator[Seven]:
    """A joker's sevens, except those whose effect the joker also has as another rank.

    The exceptions bring the last pawn in with fewer than seven steps and overtake nobody.
    """
    task = problem(table, True)
    for parts in listed:
        if len(parts) == 1:
            made, codes, burnt, left = sevens.walk(task, parts)
            changed = sum(one != other for one, other in zip(made[0].before, codes, strict=True))
            if left and not burnt and changed == 1:
                continue
        yield Seven(parts, True)


def brings_last_in(table: Table, move: Go) -> bool:
    """For DOG-48's option: whether this play brings the owner's last pawn into the End Zone."""
    return move.source < E1 <= move.target <= E4 and sum(place >= E1 for place in table.row) == 3


def problem(table: Table, joker: bool) -> Problem:
    """The table as the search for sevens needs it."""
    seats, options = table.seats, table.options
    # for a finished player the mate is the player, with all pawns in: DOG-59 checks them
    mate = table.mate
    return Problem(
        table.pawns,
        table.owner,
        mate,
        is_odd(seats),
        options.seven_burns_own,
        options.canadian_seven,
        options.seven_residual,
        options.joker_last_pawn or not joker,
    )


# --- the effect of a play ---


class Result(msgspec.Struct, frozen=True, gc=False):
    """The pawns after a play, and the events."""

    pawns: Pawns
    events: list[DogEvent]


def carry_out(table: Table, move: Play) -> Result:
    """The pawns after a legal play (DOG-26, DOG-27, DOG-30, DOG-45, DOG-53)."""
    rows, mover = list(table.pawns), table.owner
    events: list[DogEvent] = [Played(seat=table.seat, rank=played_rank(move), joker=move.joker)]
    match move:
        case Out():
            start = start_of(mover)
            events.append(CameOut(seat=table.seat, owner=mover, field=start))
            _land(rows, start, table.seat, events)
            rows[mover] = _moved(rows[mover], HOME, FRESH)
        case Go(rank, source, target):
            steps = steps_between(table, rank, source, target)
            events.append(
                Moved(seat=table.seat, owner=mover, source=source, target=target, steps=steps)
            )
            if target < E1:
                _land(rows, target, table.seat, events)
            elif source < E1:
                events.append(EndZoneEntered(seat=table.seat, owner=mover, field=target))
            rows[mover] = _moved(rows[mover], _stored(table, source), target)
        case Swap(source, target):
            other = next(owner for owner, row in enumerate(rows) if target in row)
            rows[mover] = _moved(rows[mover], _stored(table, source), target)
            rows[other] = _moved(rows[other], target, source)
            events.append(
                Swapped(seat=table.seat, owner=mover, source=source, other=other, target=target)
            )
        case Seven(parts):
            rows = _carry_out_seven(table, parts, events)
    for owner, row in enumerate(rows):
        if complete(row) and not complete(table.pawns[owner]):
            events.append(Finished(owner=owner))
    return Result(tuple(rows), events)


def _moved(row: tuple[int, ...], source: int, target: int) -> tuple[int, ...]:
    """A player's pawns when one has moved."""
    new = list(row)
    new[new.index(source)] = target
    new.sort()
    return tuple(new)


def _stored(table: Table, source: int) -> int:
    """The stored place for a field that a move names: FRESH for a fresh pawn."""
    if source == start_of(table.owner) and FRESH in table.row:
        return FRESH
    return source


def _land(rows: list[tuple[int, ...]], field: int, seat: Seat, events: list[DogEvent]) -> None:
    """DOG-26: a pawn on the field where another pawn lands goes Home."""
    for owner, row in enumerate(rows):
        if field in row:
            rows[owner] = _moved(row, field, HOME)
            events.append(SentHome(seat=seat, owner=owner, field=field, overtaken=False))


def steps_between(table: Table, rank: str, source: int, target: int) -> int:
    """The number of steps of a pawn, negative for backward."""
    ring = ring_length(table.seats)
    if target < E1:
        steps = (target - source) % ring
        return steps - ring if rank in BACKWARD and steps == ring - BACKWARD[rank] else steps
    if source >= E1:
        return target - source
    return (start_of(table.owner) - source) % ring + target - E1 + 1


def _carry_out_seven(
    table: Table, parts: sevens.Parts, events: list[DogEvent]
) -> list[tuple[int, ...]]:
    task = problem(table, False)
    made, codes, burnt, left = sevens.walk(task, sevens.merged(parts))
    movers = [table.owner] * 4 + [task.mate] * 4
    for part in made:
        stop = part.stop
        events.append(
            Moved(
                seat=table.seat,
                owner=part.owner,
                source=part.source,
                target=stop.target,
                steps=stop.steps,
            )
        )
        gone = [
            (movers[index], before % sevens.SIDE)
            for index, (before, after) in enumerate(zip(part.before, stop.codes, strict=True))
            if before != after and after in sevens.AT_HOME
        ]
        gone += [
            (owner, place)
            for owner, row in enumerate(table.pawns)
            for place in row
            if HOME < place < FRESH and stop.burnt >> place & 1
        ]
        events += [
            SentHome(seat=table.seat, owner=owner, field=field, overtaken=field != stop.target)
            for owner, field in gone
        ]
        if part.source < E1 <= stop.target:
            events.append(EndZoneEntered(seat=table.seat, owner=part.owner, field=stop.target))
    if left:
        events.append(Lapsed(seat=table.seat, steps=left))
    return _rows_after(table, task, codes, burnt)


def after_parts(table: Table, parts: sevens.Parts) -> Table:
    """The table after the first parts of a seven; raises BadPart."""
    task = problem(table, False)
    _, codes, burnt, _ = sevens.walk(task, parts)
    return msgspec.structs.replace(table, pawns=tuple(_rows_after(table, task, codes, burnt)))


def _rows_after(
    table: Table, task: Problem, codes: sevens.Codes, burnt: int
) -> list[tuple[int, ...]]:
    rows = [
        [HOME if HOME < place < FRESH and burnt >> place & 1 else place for place in row]
        for row in table.pawns
    ]
    rows[table.owner] = list(codes[:4])
    if task.mate >= 0:
        rows[task.mate] = [code - sevens.SIDE for code in codes[4:]]
    return [tuple(sorted(row)) for row in rows]
