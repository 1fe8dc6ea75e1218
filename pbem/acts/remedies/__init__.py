"""What hosts and the operator can do for a match: a file each, and no list of them elsewhere."""

from __future__ import annotations

from pbem.acts.remedies import (
    abort,
    begin,
    bot,
    correct_address,
    correct_host_address,
    default,
    extend,
    pause,
    reissue,
    reissue_host,
    rematch,
    remind,
    replace,
    resign,
    resume,
    retry,
    roll_back,
)
from pbem.acts.remedy import Asked, OfMatch, OfSeat, Remedy
from pbem.errors import BadInput, NotPossible
from pbem.service import Service
from pbem.store.models import Seat
from pbem.store.names import Actor, StallReason
from pbem.store.table import Table

#: All remedies by name, in the order in which forms offer them.
REMEDIES: dict[str, Remedy] = {
    file.REMEDY.name: file.REMEDY
    for file in (
        # of a seat
        *(remind, extend, default, bot, replace, correct_address, reissue, resign),
        # of the whole match
        *(begin, retry, resume, pause, roll_back, rematch),
        *(reissue_host, correct_host_address, abort),
    )
}


def find(name: str) -> Remedy:
    """The remedy of this name; BadInput if there is none."""
    if name not in REMEDIES:
        raise BadInput("Choose what is to be done.", field="remedy")
    return REMEDIES[name]


def is_of_seat(name: str) -> bool:
    return isinstance(find(name), OfSeat)


def fitting(table: Table, seat: Seat | None, actor: Actor) -> tuple[Remedy, ...]:
    """The remedies that fit a seat now, or the whole match (``seat`` None), for this actor."""
    if seat is not None and table.match.ended_at is not None:
        return ()
    return tuple(one for one in REMEDIES.values() if actor in one.who and _fits(one, table, seat))


def _fits(remedy: Remedy, table: Table, seat: Seat | None) -> bool:
    if isinstance(remedy, OfSeat):
        return seat is not None and remedy.fits(table, seat)
    return isinstance(remedy, OfMatch) and seat is None and remedy.fits(table)


def that_help(reason: StallReason) -> tuple[Remedy, ...]:
    """The remedies that help against a stall, the most likely one first."""
    found = [one for one in REMEDIES.values() if reason in one.helps]
    return tuple(sorted(found, key=lambda one: one.helps[reason]))


def carry_out(service: Service, match_id: str, asked: Asked, actor: Actor) -> object:
    """Does a remedy; returns what its act returns. If it raises, nothing was changed."""
    remedy = find(asked.remedy)
    if actor not in remedy.who:
        raise NotPossible("Only the operator can do this.")
    return remedy.act(service, match_id, asked, actor)
