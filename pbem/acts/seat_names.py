"""Names at a table: each stands for one seat, in moves, in mails and in the log.

Names are compared as people read them (``texts.folded``). An act asks about the table that it read
and writes with the claim of its match, so two who choose one name at once meet there.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from itertools import count

from pbem.errors import BadInput
from pbem.store.models import Seat
from pbem.words import texts


def taken(seats: Iterable[Seat], name: str, but: int | None = None) -> BadInput | None:
    """Why nobody else can have this name, if a seat has it; ``but``: this seat may."""
    for seat in seats:
        if seat.number != but and texts.folded(seat.name) == texts.folded(name):
            return BadInput(
                "Somebody at this table is called {other} already. Choose another name.",
                field="name",
                other=seat.name,
            )
    return None


def refuse_taken(seats: Iterable[Seat], name: str, but: int | None = None) -> None:
    """BadInput if a seat has this name."""
    refused = taken(seats, name, but)
    if refused is not None:
        raise refused


def refuse_equal(seats: Iterable[Seat]) -> None:
    """BadInput if two seats of a match that is to be opened have the same name."""
    seen: set[str] = set()
    for seat in seats:
        name = texts.folded(seat.name)
        if name and name in seen:
            raise BadInput(
                "Two seats have the same name, {name}. Give one of them another.",
                field="seats",
                name=seat.name,
            )
        seen.add(name)


def free(name: str, others: Collection[str]) -> str:
    """This name if none of the others has it, else with a number: "Ben 2"."""
    used = {texts.folded(other) for other in others}
    if texts.folded(name) not in used:
        return name
    return next(one for one in texts.numbered(name) if texts.folded(one) not in used)


def distinct(names: Sequence[str]) -> list[str]:
    """These names, the second of two equal ones with a number; "" stays as it is."""
    found: list[str] = []
    for place, name in enumerate(names):
        is_first = all(texts.folded(name) != texts.folded(other) for other in found)
        found.append(name if is_first or not name else free(name, [*found, *names[place:]]))
    return found


def of_bot(number: int, others: Collection[str]) -> str:
    """A name for the bot of a seat: it is called by its place, or by the next that is free."""
    used = {texts.folded(other) for other in others}
    names = (f"Bot {place}" for place in count(number + 1))
    return next(name for name in names if texts.folded(name) not in used)
