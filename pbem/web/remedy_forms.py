"""Remedies as forms in two steps, for the host of a match and for the operator.

The first form names a remedy and a seat; the answer says in a sentence what will happen; the second
form does it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from pbem import present
from pbem.acts import permissions, remedies
from pbem.acts.foresight import foresee
from pbem.acts.previewed import moment
from pbem.acts.remedy import OfSeat, Remedy, RemedyRequest
from pbem.acts.who_may import May
from pbem.errors import BadInput
from pbem.looks import stalled
from pbem.looks.match_look import TableLook
from pbem.present import deliveries
from pbem.present import permissions as permissions_said
from pbem.present import stalls as stalls_said
from pbem.present.deliveries import SentShown
from pbem.present.remedy_effects import EffectShown, foreseen
from pbem.store.models import Mail, Seat
from pbem.store.names import Actor, StallReason
from pbem.store.table import Table, load, load_all
from pbem.web.context import must_be_sure, sentence, service, whole_number
from pbem.words.i18n import Translator

#: The fields that a remedy's form may have.
FIELDS = ("remedy", "seat", "by", "bot", "name", "email", "ply")
#: Those of the form that does it.
DOING = (*FIELDS, "sure", "seen")
#: So many plies of a match are read for the newest lines of its history.
HISTORY = 200
#: So many of its lines the page of a match shows.
LINES = 15
#: One page lists at most this many stalls.
MOST = 100


@dataclass(frozen=True)
class FieldShown:
    """A field of a remedy's form."""

    name: str
    label: str
    suggested: str


@dataclass(frozen=True)
class RemedyOffer:
    """A remedy that fits now."""

    name: str
    label: str
    asks: tuple[FieldShown, ...]
    #: Whether the owner of the seat is asked first.
    asks_owner: bool = False


@dataclass(frozen=True)
class NotOffered:
    """Remedies that cannot be done to a seat now, for one reason."""

    labels: tuple[str, ...]
    why: str


@dataclass(frozen=True)
class HostedSeat:
    """What the host of a match, or the operator, sees of a seat besides what everybody sees."""

    #: The address of its player, or words in its place; "" for a bot.
    who: str
    remedies: tuple[RemedyOffer, ...]
    not_now: tuple[NotOffered, ...]


@dataclass(frozen=True)
class Concerned:
    """Somebody a stall is about: what was sent to them, and what can be done."""

    seat: int
    name: str
    #: Whether the match waits for them now: to move, or to join.
    waited_for: bool
    due: present.Moment | None
    sent: tuple[SentShown, ...]
    remedies: tuple[RemedyOffer, ...]


@dataclass(frozen=True)
class StallShown:
    """Why a match does not go on, in words."""

    sentence: str
    since: present.Moment
    detail: str
    people: tuple[Concerned, ...]
    #: What can be done for the whole match.
    remedies: tuple[RemedyOffer, ...]
    match_id: str
    title: str


def read(given: Mapping[str, str], seats: int, actor: Actor) -> RemedyRequest:
    """The form, checked as far as it can be without doing anything."""
    remedy = remedies.find(given.get("remedy", ""))
    if actor not in remedy.who:
        raise BadInput("Choose what is to be done.", field="remedy")
    asks = {question.field for question in remedy.asks}
    told = {name: given.get(name, "").strip() if name in asks else "" for name in FIELDS}
    return RemedyRequest(
        remedy.name,
        whole_number(given.get("seat", ""), "seat", 0, seats - 1)
        if isinstance(remedy, OfSeat)
        else None,
        told["by"],
        told["bot"],
        told["name"],
        told["email"],
        whole_number(told["ply"], "ply", 0, 10**9) if "ply" in asks else 0,
    )


def again(asked: RemedyRequest) -> tuple[tuple[str, str], ...]:
    """The fields by which a form asks the same once more."""
    asks = (question.field for question in remedies.find(asked.remedy).asks)
    told = tuple((field, str(getattr(asked, field))) for field in asks)
    seat = () if asked.seat is None else (("seat", str(asked.seat)),)
    return (("remedy", asked.remedy), *seat, *told)


def label(name: str, words: Translator) -> str:
    return words.sentence(remedies.find(name).label)


def for_several(words: Translator) -> tuple[RemedyOffer, ...]:
    """What can be done to several matches at once."""
    return _offered((one for one in remedies.REMEDIES.values() if one.for_several), words)


def of_match(
    look: TableLook,
    shown: present.TableShown,
    zone: str,
    words: Translator,
    actor: Actor,
) -> dict[str, Any]:
    """What the page of a match shows its host, or the operator: stalls, and what can be done.

    ``shown``: the same look, as the page shows it.
    """
    match_id = look.match.id
    with service().database.read() as session:
        table, asked = load(session, match_id), permissions.open_of(session, match_id)
    return {
        "hosted": [
            HostedSeat(
                _who(seat, shown.seats[seat.number].kind, words, actor),
                _fitting(table, seat, words, actor),
                _not_now(table, seat, words, actor),
            )
            for seat in table.seats
        ],
        "of_match": _fitting(table, None, words, actor),
        # what the owners of seats are being asked, by seat
        "permissions": {row.seat: permissions_said.asked(row, zone, words) for row in asked},
        "stalls": stalls(zone, words, actor, match_id),
        "waits": stalls_said.for_host(shown, words),
        "lines": present.newest_first(shown.lines[-LINES:]),
        "back_to": max(look.match.ply - 1, 0),
        # none can be chosen if the match cannot be read
        "bots": look.game.meta.bots if look.trouble is None else (),
        "trouble": sentence(look.trouble, words) if look.trouble is not None else "",
    }


def _who(seat: Seat, kind: str, words: Translator, actor: Actor) -> str:
    """Who sits on a seat: the host is not told the address of whoever took an open one."""
    if kind == "open":
        return words.text("nobody yet")
    if seat.left_open and actor == Actor.HOST:
        return words.text("took an open seat")
    return seat.email or ""


def _fitting(
    table: Table, seat: Seat | None, words: Translator, actor: Actor
) -> tuple[RemedyOffer, ...]:
    """The remedies that can be asked for a seat, or for the whole match, as things stand."""
    found = remedies.fitting(table, seat, actor)
    return _offered(found, words, _asking(table, seat, actor, found))


def _asking(
    table: Table, seat: Seat | None, actor: Actor, found: Iterable[Remedy]
) -> frozenset[str]:
    """The names of those that need the owner's yes first."""
    if seat is None:
        return frozenset()
    waits = (May.ASKS, May.WARNS)
    return frozenset(one.name for one in found if remedies.may(table, seat, one, actor) in waits)


def _not_now(table: Table, seat: Seat, words: Translator, actor: Actor) -> tuple[NotOffered, ...]:
    """The remedies that cannot be done to a seat now, by the reason."""
    found: dict[str, list[str]] = {}
    for one, why in remedies.refused(table, seat, actor):
        found.setdefault(words.sentence(why), []).append(words.sentence(one.label))
    return tuple(NotOffered(tuple(labels), why) for why, labels in found.items())


def _offered(
    found: Iterable[Remedy], words: Translator, asking: frozenset[str] = frozenset()
) -> tuple[RemedyOffer, ...]:
    return tuple(
        RemedyOffer(
            one.name,
            words.sentence(one.label),
            tuple(
                FieldShown(ask.field, words.sentence(ask.label), ask.suggested) for ask in one.asks
            ),
            one.name in asking,
        )
        for one in found
    )


def stalls(
    zone: str, words: Translator, actor: Actor, match_id: str | None = None
) -> list[StallShown]:
    """What stalls, the oldest first, with who is waited for and what can be done about it."""
    public = actor != Actor.OPERATOR
    if match_id is None:
        found = stalled.find(service(), public=public)[:MOST]
    else:
        found = stalled.of_match(service(), match_id, public=public)[:MOST]
    if not found:
        return []
    with service().database.read() as session:
        known = load_all(session, {one.match_id for one in found})
        return [
            _stall(
                stall,
                known[stall.match_id],
                {
                    seat.number: stalled.sent_to(
                        session, known[stall.match_id].match, seat.number, public=public
                    )
                    for seat in _people(stall, known[stall.match_id])
                },
                zone,
                words,
                actor,
            )
            for stall in found
        ]


def _people(stall: stalled.Stall, table: Table) -> list[Seat]:
    """Whom a stall is about: mostly, who the match waits for."""
    if stall.seat is not None:
        return [table.seats[stall.seat]]
    if stall.reason == StallReason.LOBBY:
        return [seat for seat in table.seats if seat.joined_at is None]
    if stall.reason == StallReason.PAUSED:
        return [table.seats[number] for number in sorted(table.open_turns)]
    return []


def _stall(
    stall: stalled.Stall,
    table: Table,
    sent: Mapping[int, list[Mail]],
    zone: str,
    words: Translator,
    actor: Actor,
) -> StallShown:
    names = present.seat_names(table.seats)
    helps = remedies.that_help(stall.reason)

    def helping(seat: Seat | None) -> tuple[RemedyOffer, ...]:
        fit = remedies.fitting(table, seat, actor)
        found = [one for one in helps if one in fit]
        return _offered(found, words, _asking(table, seat, actor, found))

    people = []
    for seat in _people(stall, table):
        turn = table.open_turns.get(seat.number)
        # while the clock stands still, there is no deadline to show
        due_at = turn.public_due_at if turn is not None and turn.held_at is None else None
        due = present.Moment(due_at, zone, words) if due_at else None
        mails = tuple(deliveries.sent(mail, zone, words) for mail in sent[seat.number])
        waited_for = turn is not None or seat.joined_at is None
        people.append(
            Concerned(seat.number, names[seat.number], waited_for, due, mails, helping(seat))
        )
    return StallShown(
        sentence=stalls_said.sentence(stall, words),
        since=present.Moment(stall.since, zone, words),
        detail=stalls_said.detail(stall, zone, words),
        people=tuple(people),
        remedies=helping(None),
        match_id=stall.match_id,
        title=present.match_title(table.match, words),
    )


def effect(
    match_id: str, asked: RemedyRequest, actor: Actor, zone: str, words: Translator
) -> EffectShown:
    """What a remedy would do, in words. Raises if it could not be done."""
    return foreseen(foresee(service(), match_id, asked, actor), zone, words)


def preview(
    match_id: str, asked: RemedyRequest, actor: Actor, zone: str, words: Translator
) -> dict[str, Any]:
    """What the page of a preview shows. Raises as ``effect`` does."""
    # first: what happens after it makes the form that does it one of the past
    table = service().read(match_id)
    seen = moment(service(), table, asked)
    return {
        "title": present.match_title(table.match, words),
        "match_id": match_id,
        "fields": (*again(asked), ("seen", seen)),
        "label": label(asked.remedy, words),
        "effect": effect(match_id, asked, actor, zone, words),
    }


def carry_out(
    match_id: str,
    asked: RemedyRequest,
    actor: Actor,
    zone: str,
    words: Translator,
    given: Mapping[str, str],
) -> str:
    """Does what was previewed, and says so; ``given`` is the form of the preview.

    NotSure without its tick, MovedOn if the match is not as it was then.
    """
    must_be_sure(given)
    # before it is done: afterwards it cannot be foreseen
    told = effect(match_id, asked, actor, zone, words)
    remedies.carry_out(service(), match_id, asked, actor, given.get("seen", ""))
    return told.sentence
