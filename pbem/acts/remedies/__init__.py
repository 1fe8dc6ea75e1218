"""What hosts and the operator can do for a match: a file each, and no list of them elsewhere."""

from __future__ import annotations

import dataclasses
from contextlib import suppress

from engine.errors import Sentence
from pbem.acts import due_work, permissions, who_may
from pbem.acts.previewed import AsPreviewed
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
from pbem.acts.remedy import OfMatch, OfSeat, Remedy, RemedyRequest
from pbem.acts.who_may import May
from pbem.acts.writing import act, read, rehearsing, writing
from pbem.errors import BadInput, Busy, NotPossible, Refused, Stale, TooMany
from pbem.service import Service
from pbem.store.models import Link, Permission, Seat
from pbem.store.names import Actor, PermissionEnded, StallReason
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


def may(table: Table, seat: Seat, remedy: Remedy, actor: Actor) -> May:
    """Whether this actor may do a remedy of a seat now."""
    assert isinstance(remedy, OfSeat)
    return remedy.row.may(who_may.role_of(table, seat, actor), who_may.owner_of(table, seat))


def fitting(table: Table, seat: Seat | None, actor: Actor) -> tuple[Remedy, ...]:
    """The remedies that fit a seat now, or the whole match (``seat`` None), for this actor.

    Those that need the owner's yes are among them.
    """
    if seat is not None and table.match.ended_at is not None:
        return ()
    return tuple(
        one
        for one in REMEDIES.values()
        if actor in one.who
        and _fits(one, table, seat)
        and (seat is None or may(table, seat, one, actor) not in _NOT)
    )


_NOT = (May.LATER, May.NEVER)


def _fits(remedy: Remedy, table: Table, seat: Seat | None) -> bool:
    if isinstance(remedy, OfSeat):
        return seat is not None and remedy.fits(table, seat)
    return isinstance(remedy, OfMatch) and seat is None and remedy.fits(table)


def refused(table: Table, seat: Seat, actor: Actor) -> tuple[tuple[Remedy, Sentence], ...]:
    """The remedies of a seat that this actor may not do now, each with why not."""
    if table.match.ended_at is not None:
        return ()
    owner = who_may.owner_of(table, seat)
    return tuple(
        (one, who_may.why_not(found, owner, seat.name))
        for one in REMEDIES.values()
        if isinstance(one, OfSeat) and (found := may(table, seat, one, actor)) in _NOT
    )


def that_help(reason: StallReason) -> tuple[Remedy, ...]:
    """The remedies that help against a stall, the most likely one first."""
    found = [one for one in REMEDIES.values() if reason in one.helps]
    return tuple(sorted(found, key=lambda one: one.helps[reason]))


def allowed(table: Table, asked: RemedyRequest, actor: Actor) -> May:
    """Whether it may be done at once, or asks for the owner's yes; NotPossible if it may not."""
    remedy = find(asked.remedy)
    if actor not in remedy.who:
        raise NotPossible("Only the operator can do this.")
    if not isinstance(remedy, OfSeat):
        return May.NOW
    seat = table.seat(asked.place)
    if table.match.ended_at is not None:
        # some things can still be done, and the act knows which: but nobody is asked any more
        if actor != Actor.OPERATOR:
            raise NotPossible("This match is over.")
        return May.NOW
    found = may(table, seat, remedy, actor)
    if found in _NOT:
        why = who_may.why_not(found, who_may.owner_of(table, seat), seat.name)
        raise NotPossible(why.text, **why.parameters)
    return found


def carry_out(
    service: Service, match_id: str, asked: RemedyRequest, actor: Actor, seen: str = ""
) -> object:
    """Does a remedy, or asks the owner of the seat first, as its row says.

    ``seen``: the moment of its preview (``previewed.moment``); MovedOn if that has passed.
    Returns what its act returns; None if the owner is asked. If it raises, nothing was changed.
    """
    as_seen = dataclasses.replace(service, access=AsPreviewed(asked, seen)) if seen else service
    found = allowed(as_seen.read(match_id), asked, actor)
    if found == May.NOW:
        return find(asked.remedy).act(as_seen, match_id, asked, actor)
    # what could not be done anyway is not asked about
    _try(service, match_id, asked, actor)
    permissions.ask(as_seen, match_id, asked, actor, found)
    return None


@act
def _try(service: Service, match_id: str, asked: RemedyRequest, actor: Actor) -> None:
    with rehearsing(service, lambda session: None) as (on_trial, _):
        find(asked.remedy).act(on_trial, match_id, asked, actor)


# --- what waits for the owner's yes ---


def answer(service: Service, link: Link, agreed: bool) -> None:
    """The owner's answer to what was asked about their seat; a yes is done at once."""
    permissions.answer(service, link, agreed)
    if agreed:
        settle(service, link.match_id, link.turn_id)


def care_due(service: Service, most: int = 50) -> int:
    """Settles permissions that are due, at most ``most``; returns how many there were."""
    found = due_work.find(service, permissions.DUE, most)
    due_work.one_by_one(service, found, settle)
    return len(found)


def settle(service: Service, match_id: str, number: int) -> None:
    """Does what was permitted, or needs no yes any more; or ends it.

    It is called right after a yes, and by workers: when time is up, when the state of the seat's
    owner has changed, or if the process that took the yes has died.
    """
    # nothing was done, and it is still due: the next sweep tries again
    with suppress(Busy):
        _settle(service, match_id, number)


@act
def _settle(service: Service, match_id: str, number: int) -> None:
    table, now = read(service, match_id)
    with service.database.read() as session:
        row = session.get(Permission, number)
        heard = row is not None and permissions.was_there(session, row)
    if row is None or row.closed_at is not None:
        return
    seat = table.seat(row.seat)
    if table.match.ended_at is not None or seat.epoch != row.epoch:
        _end(service, row, PermissionEnded.MOVED_ON)
    elif row.agreed:
        _do(service, row)
    elif row.silence and heard:
        _end(service, row, PermissionEnded.WAS_THERE)
    elif may(table, seat, find(row.remedy), Actor(row.actor)) == May.NOW:
        _do(service, row)
    elif now < row.ends_at:
        with writing(service, table, "permission", Actor.SERVICE, now) as write:
            permissions.wait(write, row, row.ends_at)
    elif row.silence:
        _do(service, row)
    else:
        _end(service, row, PermissionEnded.SILENT)


def _do(service: Service, row: Permission) -> None:
    """Does it and closes the permission in one transaction; ends it if it cannot be done.

    Puts it off if the limits of the service do not allow it now. Raises Busy.
    """
    once = dataclasses.replace(service, access=permissions.Closing(row))
    try:
        find(row.remedy).act(once, row.match_id, permissions.asked_of(row), Actor(row.actor))
    except Busy:
        raise
    except TooMany:
        _put_off(service, row)
    except Refused:
        _end(service, row, PermissionEnded.MOVED_ON)


@act
def _put_off(service: Service, row: Permission) -> None:
    table, now = read(service, row.match_id)
    with writing(service, table, "permission", Actor.SERVICE, now) as write:
        permissions.wait(write, row, now + permissions.PUT_OFF)


@act
def _end(service: Service, row: Permission, how: PermissionEnded) -> None:
    table, now = read(service, row.match_id)
    # somebody else may have closed it
    with suppress(Stale), writing(service, table, "permission", Actor.SERVICE, now) as write:
        permissions.end(write, row, how)
