"""Remedies as forms in two steps, for the host of a match and for the operator.

The first form names a remedy and a seat; the answer says in a sentence what will happen; the second
form does it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from engine.games.registry import games
from pbem import present
from pbem.acts import foresight
from pbem.acts.remedy_requests import OF_MATCH, OF_SEAT, OPERATORS_ONLY, Asked
from pbem.errors import BadInput
from pbem.looks import stalled
from pbem.looks.match_look import TableLook
from pbem.present import deliveries
from pbem.present import stalls as stalls_said
from pbem.present.deliveries import SentShown
from pbem.present.remedy_effects import EffectShown, foreseen
from pbem.service import Service
from pbem.store.models import Actor, Mail, Match, MatchStatus, Seat
from pbem.store.table import Table, load
from pbem.web.context import sentence, whole_number
from pbem.words.i18n import Translator

#: The fields that a remedy's form may have.
FIELDS = ("remedy", "seat", "by", "bot", "name", "email", "ply")
#: Stalls that one page lists.
MOST = 100
#: Remedies that make sense for several matches at once: they need no name and no address.
FOR_SEVERAL = (
    *("remind", "extend", "default", "bot", "reissue"),
    *("retry", "resume", "pause", "abort"),
)


@dataclass(frozen=True)
class Remedy:
    """A remedy that fits now."""

    name: str
    label: str
    #: What else its form asks for, of ``by``, ``bot``, ``name``, ``email`` and ``ply``.
    asks: tuple[str, ...] = ()


@dataclass(frozen=True)
class WaitedFor:
    """Somebody a match waits for: what was sent to them, and what can be done."""

    seat: int
    name: str
    due: present.Moment | None
    sent: tuple[SentShown, ...]
    remedies: tuple[Remedy, ...]


@dataclass(frozen=True)
class StallShown:
    """Why a match does not go on, in words."""

    reason: str
    #: The seat it is about; None for the whole match.
    seat: int | None
    sentence: str
    since: present.Moment
    detail: str
    people: tuple[WaitedFor, ...]
    #: What can be done for the whole match.
    remedies: tuple[Remedy, ...]
    match_id: str
    title: str


def read(given: Mapping[str, str], seats: int, actor: Actor) -> Asked:
    """The form, checked as far as it can be without doing anything."""
    remedy = given.get("remedy", "")
    allowed = actor == Actor.OPERATOR or remedy not in OPERATORS_ONLY
    if remedy not in OF_SEAT + OF_MATCH or not allowed:
        raise BadInput("Choose what is to be done.", field="remedy")
    seat = None
    if remedy in OF_SEAT:
        seat = whole_number(given.get("seat", ""), "seat", 0, seats - 1)
    return Asked(
        remedy,
        seat,
        given.get("by", "").strip(),
        given.get("bot", "").strip(),
        given.get("name", "").strip(),
        given.get("email", "").strip(),
        whole_number(given.get("ply", ""), "ply", 0, 10**9) if remedy == "roll-back" else 0,
    )


def labels(words: Translator) -> dict[str, Remedy]:
    _ = words.text
    return {
        "remind": Remedy("remind", _("Remind")),
        "extend": Remedy("extend", _("Give more time"), ("by",)),
        "default": Remedy("default", _("Play the default move")),
        "bot": Remedy("bot", _("Let a bot play"), ("bot",)),
        "replace": Remedy("replace", _("Give the seat to somebody else"), ("name", "email")),
        "correct-address": Remedy("correct-address", _("Correct the address"), ("email",)),
        "reissue": Remedy("reissue", _("Make new links")),
        "retry": Remedy("retry", _("Try to carry the match on")),
        "reissue-host": Remedy("reissue-host", _("Make a new host link")),
        "correct-host-address": Remedy(
            "correct-host-address", _("Correct the host's address"), ("email",)
        ),
        "resign": Remedy("resign", _("Take the seat from the player for good")),
        "pause": Remedy("pause", _("Pause the match"), ("by",)),
        "resume": Remedy("resume", _("End the pause")),
        "rematch": Remedy("rematch", _("Open a rematch")),
        "roll-back": Remedy("roll-back", _("Set the match back"), ("ply",)),
        "abort": Remedy("abort", _("End the match")),
    }


def bots(look: TableLook) -> tuple[str, ...]:
    """The bots that can be chosen: those of the game, where it can be asked."""
    return look.game.meta.bots if look.trouble is None else ()


def trouble(look: TableLook, words: Translator) -> str:
    """Why a match cannot be read, in words; "" where it can."""
    return sentence(look.trouble, words) if look.trouble is not None else ""


def fitting(table: Table, seat: Seat, words: Translator) -> tuple[Remedy, ...]:
    """The remedies that can be asked for a seat as things stand."""
    names = []
    if table.match.ended_at is not None:
        return ()
    turn = table.open_turns.get(seat.number)
    declined = seat.joined_at is None and seat.resigned_at is not None
    reachable = seat.mail_problem_at is None and seat.muted_at is None and not declined
    if seat.email is not None and reachable and (turn is not None or seat.joined_at is None):
        names.append("remind")
    if turn is not None and turn.due_at is not None:
        names.append("extend")
    if turn is not None:
        names.append("default")
    if seat.bot is None:
        names.append("bot")
    names.append("replace")
    if seat.email is not None:
        names += ["correct-address", "reissue"]
    if seat.email is not None and table.running and seat.resigned_at is None:
        names.append("resign")
    known = labels(words)
    return tuple(known[name] for name in names)


def of_match(match: Match, words: Translator, actor: Actor) -> tuple[Remedy, ...]:
    known = labels(words)
    names = []
    if match.set_aside_at is not None:
        names.append("retry")
    if match.status == MatchStatus.RUNNING:
        names.append("pause" if match.paused_until is None else "resume")
        if actor == Actor.OPERATOR and match.ply > 0 and match.game in games():
            names.append("roll-back")
    if match.ended_at is not None and match.game in games():
        names.append("rematch")
    names.append("reissue-host")
    if actor == Actor.OPERATOR and match.ended_at is None:
        names.append("correct-host-address")
    if match.ended_at is None:
        names.append("abort")
    return tuple(known[name] for name in names)


def stalls(
    service: Service, zone: str, words: Translator, actor: Actor, match_id: str | None = None
) -> list[StallShown]:
    """What stalls, the oldest first, with who is waited for and what can be done about it."""
    found = stalled.find(service, match_id)[:MOST]
    with service.database.read() as session:
        known = {number: load(session, number) for number in {one.match_id for one in found}}
        return [
            _stall(
                stall,
                known[stall.match_id],
                {
                    seat.number: stalled.sent_to(session, stall.match_id, seat.number)
                    for seat in _people(stall, known[stall.match_id])
                },
                zone,
                words,
                actor,
            )
            for stall in found
        ]


def _people(stall: stalled.Stall, table: Table) -> list[Seat]:
    """Who a stalled match waits for."""
    if stall.seat is not None:
        return [table.seats[stall.seat]]
    if stall.reason == "lobby":
        return [seat for seat in table.seats if seat.joined_at is None]
    if stall.reason == "paused":
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
    helps = [name for name in stall.remedies if name in OF_SEAT]
    known = labels(words)
    people = []
    for seat in _people(stall, table):
        turn = table.open_turns.get(seat.number)
        fit = {remedy.name: remedy for remedy in fitting(table, seat, words)}
        # a clock that stands has no deadline to speak of
        due_at = turn.due_at if turn is not None and turn.held_at is None else None
        due = present.moment(due_at, zone, words) if due_at else None
        mails = tuple(deliveries.sent(mail, zone, words) for mail in sent[seat.number])
        can = tuple(fit[name] for name in helps if name in fit)
        people.append(WaitedFor(seat.number, names[seat.number], due, mails, can))
    fitting_match = {remedy.name for remedy in of_match(table.match, words, actor)}
    return StallShown(
        reason=stall.reason,
        seat=stall.seat,
        sentence=stalls_said.sentence(stall, words),
        since=present.moment(stall.since, zone, words),
        detail=stalls_said.detail(stall, zone, words),
        people=tuple(people),
        remedies=tuple(known[name] for name in stall.remedies if name in fitting_match),
        match_id=stall.match_id,
        title=present.match_title(table.match, words),
    )


def effect(
    service: Service, match_id: str, asked: Asked, words: Translator, zone: str
) -> EffectShown:
    """What a remedy would do, in words. Raises where it could not be done."""
    now = service.now()
    with service.database.read() as session:
        known = foresight.gather(session, match_id, now)
    return foreseen(known, asked, foresight.foresee(known, asked, now), zone, words)
