"""Why a play is not legal: the rule, and a sentence for the player.

These functions are called only for plays that ``rules`` does not list. They find the first obstacle
and never decide whether a play is legal.
"""

from __future__ import annotations

from collections.abc import Container
from typing import Final, NamedTuple

from engine.errors import Parameter, Sentence
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
    PARTNER_E1,
    RANKS,
    SEVEN,
    Card,
    Rank,
    place_name,
    ring_length,
    start_of,
)
from engine.games.dog.meta import DogOptions, is_odd
from engine.games.dog.moves import Go, Out, Play, Seven, Swap
from engine.games.dog.rules import (
    Pawn,
    Table,
    after_parts,
    brings_last_in,
    plays,
    problem,
    steps_between,
    survey,
)
from engine.games.dog.sevens import BadPart, merged


class Reason(NamedTuple):
    """The rule that forbids a play, and the sentence for it."""

    rule: str
    sentence: Sentence


def _reason(rule: str, text: str, **parameters: Parameter) -> Reason:
    return Reason(rule, Sentence(text, parameters))


_NOT_TO_A_JACK: Final = _reason(
    "DOG-43", "A jack swaps pawns on the ring only, none at Home or in the End Zone."
)
#: The steps that a part of a seven can have.
_STEPS: Final = range(1, SEVEN + 1)
#: What each card does, in a line, for a page, which knows no rules.
_EFFECTS: Final[dict[str, Sentence]] = {
    **{
        rank: Sentence("{steps} fields forward.", {"steps": FORWARD[rank][0]})
        for rank in RANKS
        if len(FORWARD.get(rank, ())) == 1
    },
    "A": Sentence("1 or 11 fields forward, or a pawn out of Home onto its Start."),
    "4": Sentence("4 fields forward or 4 backward."),
    "7": Sentence("7 steps forward, split among your pawns as you like."),
    "J": Sentence("Swaps one of your pawns with a pawn of another player."),
    "K": Sentence("13 fields forward, or a pawn out of Home onto its Start."),
    "*": Sentence("Any other card: write a star before it, as in *K out."),
}
_SEVEN_OF_BOTH: Final = Sentence(
    "7 steps forward, split among your pawns and your partner's as you like."
)


def effect_of(card: Card, options: DogOptions) -> Sentence:
    """What a card does in a match with these options."""
    return _SEVEN_OF_BOTH if card == "7" and options.canadian_seven else _EFFECTS[card]


def why_illegal(table: Table, move: Play) -> Reason:
    """Why a play is not legal on this table."""
    barred = move.joker and not table.options.joker_last_pawn
    if barred and _is_last_by_joker(table, move):
        return _reason("DOG-48", "In this match a joker may not bring the last pawn in.")
    match move:
        case Out(rank):
            return _why_not_out(table, rank)
        case Go():
            return _why_not_go(table, move)
        case Swap(source, target):
            return _why_not_swap(table, source, target)
        case Seven(parts):
            return _why_not_seven(table, parts)


def _is_last_by_joker(table: Table, move: Play) -> bool:
    if isinstance(move, Go):
        return brings_last_in(table, move)
    if isinstance(move, Seven):
        try:
            _, codes, _, _ = sevens.walk(problem(table, False), merged(move.parts))
        except BadPart:
            return False
        return not sevens.may_end(problem(table, True), codes)
    return False


def _why_not_out(table: Table, rank: str) -> Reason:
    if rank not in OUT:
        return _reason(
            "DOG-29",
            "Only an ace, a king or a joker brings a pawn out: {card} does not.",
            card=rank,
        )
    if HOME not in table.row:
        return _reason("DOG-29", "There is no pawn at Home that could come out.")
    return _reason(
        "DOG-34",
        "A fresh pawn stands on the Start field {field}: no second pawn can come out onto it.",
        field=start_of(table.owner),
    )


def why_no_pawn(table: Table, source: int) -> Reason:
    """Why the mover cannot move a pawn from this place."""
    if E1 <= source <= E4:
        return _reason("DOG-18", "There is no pawn to move on {place}.", place=place_name(source))
    if source >= PARTNER_E1:
        return _reason(
            _rule_of_others(table), "The pawns in another player's End Zone are not yours to move."
        )
    if _holder(table, source) is None:
        return _reason("DOG-18", "There is no pawn on {place}.", place=place_name(source))
    return _reason(
        _rule_of_others(table),
        "The pawn on {place} is not yours to move.",
        place=place_name(source),
    )


def _rule_of_others(table: Table) -> str:
    """The rule by which a seat moves none but the owner's pawns."""
    if table.seats == 3:
        return "ODD3-6"
    if table.seats == 5:
        return "ODD5-13" if table.owner == table.seat else "ODD5-9"
    return "DOG-57" if table.owner == table.seat else "DOG-61"


def stands_there(table: Table, source: int) -> bool:
    """Whether a pawn that the seat may move is on a place."""
    return source in table.row if source >= E1 else _holder(table, source) == table.owner


def _holder(table: Table, field: int) -> Seat | None:
    """The owner of the pawn on a ring field, fresh or not; None for what is no field."""
    if not 0 <= field < ring_length(table.seats):
        return None  # a state has fresh pawns and those at Home on numbers that are no fields
    for owner, row in enumerate(table.pawns):
        if field in row or (FRESH in row and start_of(owner) == field):
            return owner
    return None


def _why_not_go(table: Table, move: Go) -> Reason:
    rank, source, target = move.rank, move.source, move.target
    values = FORWARD.get(rank, ())
    if not values:
        return _reason("DOG-46", "{card} does not move a pawn like that.", card=rank)
    if E1 <= source <= E4 and source in table.row:
        return _why_not_inside(values, rank, source, target)
    pawns, gate = survey(table)
    pawn = next((pawn for pawn in pawns if pawn.field == source), None)
    if pawn is None:
        return why_no_pawn(table, source)
    ring = ring_length(table.seats)
    if target >= E1:
        return _why_not_in(table, values, rank, pawn, gate, target)
    ahead, behind = (target - source) % ring, (source - target) % ring
    if ahead in values and ahead > pawn.forward:
        return _fresh_block(pawn, ahead, pawn.forward, 1, ring)
    if behind == BACKWARD.get(rank) and behind > pawn.backward:
        return _fresh_block(pawn, behind, pawn.backward, -1, ring)
    ends = [
        place_name(other.target)
        for other in plays(table, (JOKER if move.joker else rank,))
        if isinstance(other, Go) and (other.rank, other.source) == (rank, source)
    ]
    if not ends:
        # on the ring only a fresh pawn can block a card's full value
        return _fresh_block(pawn, values[0], pawn.forward, 1, ring)
    return _reason(
        "DOG-24",
        "With {card} the pawn on {source} goes to {targets}, not to {target}: a card is moved in"
        " full.",
        card=rank,
        source=source,
        targets=" / ".join(ends),
        target=place_name(target),
    )


def _fresh_block(pawn: Pawn, steps: int, free: int, sense: int, ring: int) -> Reason:
    field = (pawn.field + sense * (free + 1)) % ring
    if steps == free + 1:
        return _reason(
            "DOG-34", "The pawn on {field} is fresh: no move may end on its field.", field=field
        )
    return _reason("DOG-33", "The pawn on {field} is fresh: nobody may move past it.", field=field)


def _why_not_in(
    table: Table, values: Container[int], rank: Rank, pawn: Pawn, gate: int, target: int
) -> Reason:
    """Why a pawn on the ring cannot reach ``target`` in the End Zone with one of these values."""
    name = place_name(target)
    if target > E4:
        return _reason("DOG-41", "No pawn enters another player's End Zone.")
    if pawn.fresh:
        return _reason(
            "DOG-39",
            "The pawn on {field} is fresh: it must first move on the ring before it can enter the "
            "End Zone.",
            field=pawn.field,
        )
    to_start = (start_of(table.owner) - pawn.field) % ring_length(table.seats)
    needed = to_start + target - E1 + 1
    if needed not in values:
        if rank in BACKWARD:
            return _reason(
                "DOG-38",
                "The End Zone is entered forward only, and {target} is {needed} steps ahead, not "
                "{steps}.",
                target=name,
                needed=needed,
                steps=FORWARD[rank][0],
            )
        return _reason(
            "DOG-24",
            "From {source} it is {needed} steps to {target}: {card} does not fit.",
            source=pawn.field,
            needed=needed,
            target=name,
            card=rank,
        )
    if pawn.entrance < 0:
        return _reason(
            "DOG-33",
            "The pawn on {field} is fresh: nobody may move past it.",
            field=(pawn.field + pawn.forward + 1) % ring_length(table.seats),
        )
    return _reason(
        "DOG-41",
        "A pawn on {place} bars the End Zone: none can be passed or landed on there.",
        place=place_name(E1 + gate),
    )


def _why_not_inside(values: Container[int], rank: Rank, source: int, target: int) -> Reason:
    if target > E4:
        return _reason("DOG-41", "No pawn enters another player's End Zone.")
    if target <= source:
        return _reason(
            "DOG-41", "In the End Zone pawns move forward only, and never out of it again."
        )
    if target - source not in values:
        return _reason(
            "DOG-24",
            "From {source} it is {needed} steps to {target}: {card} does not fit.",
            source=place_name(source),
            target=place_name(target),
            needed=target - source,
            card=rank,
        )
    return _reason("DOG-41", "In the End Zone no pawn can be passed or landed on.")


def why_not_from(table: Table, rank: Rank, source: int) -> Reason:
    """Why the owner's pawn on ``source`` has no play with a rank that others have one with."""
    if rank == "J":
        return _NOT_TO_A_JACK if source >= E1 else _fresh_to_a_jack(source)
    if source >= E1:
        return _reason(
            "DOG-24",
            "The pawn on {source} cannot make the full way of {card}.",
            source=place_name(source),
            card=rank,
        )
    steps = SEVEN if rank == "7" else FORWARD[rank][0]
    target = (source + steps) % ring_length(table.seats)
    move = Seven(((source, target),)) if rank == "7" else Go(rank, source, target)
    return why_illegal(table, move)


def _why_not_swap(table: Table, source: int, target: int) -> Reason:
    for field in (source, target):
        if field >= E1:
            return _NOT_TO_A_JACK
        if _holder(table, field) is None:
            return _reason("DOG-43", "There is no pawn on {place}.", place=place_name(field))
    mine, theirs = _holder(table, source), _holder(table, target)
    if mine == theirs:
        return _reason("DOG-44", "A jack does not swap two pawns of the same owner.")
    if theirs == table.owner:
        source, target = target, source
    elif mine != table.owner:
        return why_no_pawn(table, source)
    own = table.owner
    shut = FRESH in table.row and start_of(own) == source and not table.options.jack_own_fresh
    return _fresh_to_a_jack(source if shut else target)


def _fresh_to_a_jack(field: int) -> Reason:
    return _reason("DOG-35", "The pawn on {field} is fresh and cannot be swapped.", field=field)


def _why_not_seven(table: Table, parts: sevens.Parts) -> Reason:
    task = problem(table, False)
    wanted = merged(parts)
    if not wanted:
        return _reason("DOG-50", "A 7 is written with its parts, as in 7 12-15 30-34.")
    try:
        _, codes, _, left = sevens.walk(task, wanted)
    except BadPart as bad:
        return _why_not_part(table, wanted, bad)
    if left and sevens.all_in(codes):
        return _reason(
            "ODD5-13" if is_odd(table.seats) else "DOG-58",
            "In this match a 7 must not leave {left} steps unused here.",
            left=left,
        )
    return _reason(
        "DOG-50", "A 7 must be used in full: {left} of its steps are left over.", left=left
    )


def _why_not_part(table: Table, parts: sevens.Parts, bad: BadPart) -> Reason:
    """Why one part of a seven cannot be made: the obstacle on the table that it meets."""
    source, target = parts[bad.number]
    name = {"source": place_name(source), "target": place_name(target)}
    reached = {end for _, end in parts[: bad.number]}
    there = stands_there(table, source) or source in reached
    if not there and not _may_be_mates(table, source, bad.number):
        return why_no_pawn(table, source)
    met = after_parts(table, parts[: bad.number])
    pawns, gate = survey(met)
    pawn = next((pawn for pawn in pawns if pawn.field == source), None)
    inside = E1 <= source <= E4 and source in met.row
    needed = 0
    if max(source, target) < E1 or (target >= E1 and target <= E4 and (pawn or inside)):
        needed = steps_between(met, "7", source, target)
    if needed > bad.left == 0:
        return _reason(
            "DOG-50",
            "The parts before it take all of the 7, so the pawn on {source} cannot go to {target}.",
            **name,
        )
    if needed > bad.left:
        return _reason(
            "DOG-50",
            "From {source} to {target} it is {needed} steps forward, but only {left} of the 7 are"
            " left.",
            needed=needed,
            left=bad.left,
            **name,
        )
    if inside:
        return _why_not_inside(_STEPS, "7", source, target)
    if pawn is not None and target >= E1:
        return _why_not_in(met, _STEPS, "7", pawn, gate, target)
    if pawn is not None and needed > pawn.forward:
        return _fresh_block(pawn, needed, pawn.forward, 1, ring_length(met.seats))
    return _reason(
        "DOG-51",
        "The part {source} to {target} cannot be made at its moment.",
        **name,
    )


def _may_be_mates(table: Table, source: int, made: int) -> bool:
    """Whether a partner's pawn there may be moved after ``made`` parts (DOG-57, 58)."""
    task = problem(table, False)
    outside = sum(place < E1 for place in table.row)
    if not task.canadian and (task.residual == "illegal" or outside > made):
        return False
    return source >= PARTNER_E1 or _holder(table, source) == task.mate


def why_unplayable(table: Table, card: Card) -> Reason:
    """Why a card in hand has no legal play on this table."""
    pawns, _ = survey(table)
    inside = [place for place in table.row if place >= E1]
    if not pawns and not inside:
        return _reason(
            "DOG-29", "All pawns are at Home: only an ace, a king or a joker brings one out."
        )
    if card == "J":
        if not pawns:
            return _reason("DOG-43", "A jack needs a pawn on the ring that you can move.")
        if all(pawn.fresh for pawn in pawns) and not table.options.jack_own_fresh:
            return _reason("DOG-35", "No pawn that you move can be swapped: it is fresh.")
        return _reason("DOG-46", "There is no pawn of another player that could be swapped.")
    if card == "7":
        return _reason("DOG-51", "The 7 steps cannot all be used.")
    for pawn in pawns:
        for steps in FORWARD[RANKS[0] if card == JOKER else card]:
            if steps > pawn.forward:
                ring = ring_length(table.seats)
                return _fresh_block(pawn, steps, pawn.forward, 1, ring)
    # on the ring only a fresh pawn can block a card's full value, so none is there
    return _reason("DOG-41", "No pawn in the End Zone can move that far, and none is on the ring.")
