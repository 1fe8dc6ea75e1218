"""What is said at a table, for pages and programs: the field to say it with, and what was said."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import msgspec
from flask import request
from sqlmodel import Session

from pbem import present
from pbem.errors import BadInput, Refused
from pbem.looks.match_look import TableLook, TurnLook
from pbem.people import talk
from pbem.people.beside import Beside
from pbem.store import links
from pbem.store.models import Link, Match, Message, Seat
from pbem.store.names import Actor, Onlookers
from pbem.web.body import read_json
from pbem.web.context import service, whole_number
from pbem.words.i18n import Translator

#: The fields of the form to say something with.
FIELDS = ("say", "say_to", "say_key")
#: Messages that are listed for the host, at most.
MOST_LISTED = 60


@dataclass(frozen=True)
class Panel:
    """The field to say something with; or why nothing can be said."""

    #: Whom it can be said to alone: numbers of seats and names.
    others: tuple[tuple[str, str], ...]
    #: When the page was made: two presses of its button say one thing once.
    key: str
    #: When onlookers may read what is said to all; "" if never.
    onlookers: str
    #: Why nothing can be said; "" if something can.
    why: str
    #: The host's reason, or the game's rule.
    reason: str
    rule: str
    #: What was typed, and whom it is for.
    typed: str
    to: str


def panel(
    allowed: talk.TalkRules,
    match: Match,
    seats: Sequence[Seat],
    seat: int,
    words: Translator,
    *,
    keep: bool,
) -> Panel:
    """What a seat (``links.HOST``: the host) finds on its pages to say something with.

    ``allowed``: what holds in the match. ``keep``: with what was typed there, because it was not
    said yet.
    """
    refused = talk.why_not(allowed, match, seats, seat, service().now())
    names = present.seat_names(seats)
    ruling = allowed.by_the_game if not allowed.allowed and not allowed.reason else None
    given: Mapping[str, str] = request.form if keep else {}
    return Panel(
        others=tuple((_whom(seats[one]), names[one]) for one in talk.readers(seats) if one != seat),
        key=service().now().isoformat(),
        onlookers=_to_onlookers(allowed.onlookers, words),
        why=words.sentence(refused.sentence) if refused is not None else "",
        reason=words.sentence(ruling.sentence) if ruling is not None else allowed.reason,
        rule=ruling.rule if ruling is not None else "",
        typed=given.get("say", "")[: talk.MOST_TEXT],
        to=given.get("say_to", "table"),
    )


def _to_onlookers(when: Onlookers, words: Translator) -> str:
    _ = words.text
    return {
        Onlookers.NOW: _("Onlookers may read what is said to all."),
        Onlookers.END: _("When the match is over, onlookers may read what was said to all."),
        Onlookers.NEVER: "",
    }[when]


def with_a_move(seats: Sequence[Seat]) -> dict[str, str]:
    """What is to be said with a move that is previewed, with the name of whom it is for; or {}."""
    text, to = request.form.get("say", "").strip(), request.form.get("say_to", "table")
    if not text:
        return {}
    names = dict(zip(map(_whom, seats), present.seat_names(seats), strict=True))
    return {"text": talk.check_text(text), "to": to, "name": names.get(to, "")}


def _whom(seat: Seat) -> str:
    """Names the player of a seat in a form: somebody else may have it when the form comes."""
    return f"{seat.number}-{seat.epoch}"


def messages_for(match: Match, reader: int | None) -> tuple[Message, ...]:
    """What a seat, the host (``links.HOST``) or an onlooker (None) may read."""
    with service().database.read() as session:
        return talk.messages_for(session, match, reader)


@dataclass(frozen=True)
class OfTurn:
    """What the page of a turn has of the talk."""

    #: What the seat has not been told before the turn; nothing once the turn is closed.
    said: tuple[Message, ...]
    allowed: talk.TalkRules
    #: The player's private note; "" once the turn is closed.
    note: str


def of_turn(session: Session, look: TurnLook, beside: Beside) -> OfTurn:
    """What the page of a turn has of the talk."""
    turn, match = look.turn, look.table.match
    allowed = talk.rules_by(session, match, beside.rule)
    if not look.is_open:
        return OfTurn((), allowed, "")
    said = talk.messages_for(session, match, turn.seat) if beside.talked else ()
    if said:
        since = talk.mailed_until(session, match.id, turn.seat, turn.opened_at)
        said = tuple(one for one in said if since is None or one.at >= since)
    return OfTurn(said, allowed, beside.note or "")


def as_json(messages: Sequence[Message]) -> list[dict[str, Any]]:
    """Messages for programs. ``seat`` is null for a host who does not play."""
    return [
        {
            "seat": one.seat if one.seat != links.HOST else None,
            "to": "table" if one.to_seat is None else one.to_seat,
            "ply": one.ply,
            "text": one.text,
            "at": one.at.isoformat(),
        }
        for one in messages
    ]


def say(link: Link, given: Mapping[str, str], key: str = "") -> Message:
    """Says what the fields of a form hold, from a seat or as the host whose link this is.

    ``key`` stands in place of the form's own.
    """
    to = given.get("say_to", "table")
    number, _, epoch = to.partition("-")
    whom: Any = "table" if to == "table" else whole_number(number, "to", 0, 99)
    seen = whole_number(epoch, "to", 0, links.LAST_ROW) if epoch else None
    text = given.get("say", "")
    if not key:
        page = given.get("say_key", "") or service().now().isoformat()
        key = hashlib.sha256(f"{page} {to} {text}".encode()).hexdigest()[:32]
    return _say(link, whom, text, f"page:{key}", seen)


def _say(
    link: Link, to: int | Literal["table"], text: str, key: str, seen: int | None = None
) -> Message:
    return talk.say(service(), link, to, text, key, to_epoch=seen)


def try_to_say(link: Link, given: Mapping[str, str], key: str = "") -> tuple[str, Refused | None]:
    """Says what a form holds, if it holds anything: the text, and why it was not said."""
    if not given.get("say", "").strip():
        return "", None
    try:
        return say(link, given, key).text, None
    except Refused as error:
        return "", error


class Saying(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A message as a program writes it. With the same ``key`` it is said once."""

    text: str
    to: int | Literal["table"] = "table"
    key: str | None = None


def of_seat(look: TableLook, seat: int, words: Translator, *, keep: bool) -> dict[str, Any]:
    """What a seat's own page has of the talk: all it may read, whom it mutes, its note."""
    match, names = look.match, present.seat_names(look.seats)
    with service().database.read() as session:
        said = talk.messages_for(session, match, seat)
        muted = talk.muted_by(session, match.id, seat)
        note = talk.note_of(session, match.id, seat)
        allowed = talk.rules(session, match)
    field = panel(allowed, match, look.seats, seat, words, keep=keep)
    people = [(one, names[one]) for one in talk.readers(look.seats) if one != seat]
    if talk.playing_host(match, look.seats) is None:
        people.append((links.HOST, words.text("{name}, the host", name=match.host_name)))
    zone = look.seats[seat].zone
    return {
        "panel": field,
        "talk": present.talk_among((), said, names, zone, words, you=seat),
        "people": [(str(number), name, number in muted) for number, name in people],
        "note": note,
    }


def muted_seat(text: str) -> int:
    """The number of a seat that is to be muted; ``links.HOST`` for a host who does not play."""
    return links.HOST if text == str(links.HOST) else whole_number(text, "seat", 0, 99)


def by_program(link: Link) -> Message:
    """Says what a program sends, by the link of a turn."""
    given = read_json(Saying)
    # a digest, because a key may hold what no database takes
    key = hashlib.sha256(given.key.encode()).hexdigest() if given.key else secrets.token_urlsafe(12)
    return _say(link, given.to, given.text, f"api:{key}")


# --- for the host and the operator ---


#: The fields of their forms.
RULES = ("do", "message", "reason", "onlookers")


@dataclass(frozen=True)
class Order:
    """What the host and the operator find on their pages to keep order at the table."""

    allowed: bool
    #: Why not, in the host's words.
    why_not: str
    onlookers: str
    #: What was said to all, the newest first: the sign of each, who said it, and the text.
    messages: tuple[tuple[str, str, str], ...]
    reason: str
    rule: str


def order_of(match: Match, words: Translator) -> Order:
    with service().database.read() as session:
        allowed = talk.rules(session, match)
        messages = talk.messages_for(session, match, links.HOST)
    ruling = allowed.by_the_game
    return Order(
        allowed.allowed,
        allowed.reason,
        allowed.onlookers,
        tuple((talk.sign(one), one.name, one.text) for one in messages[: -1 - MOST_LISTED : -1]),
        words.sentence(ruling.sentence) if ruling is not None else "",
        ruling.rule if ruling is not None else "",
    )


def keep_order(match_id: str, given: Mapping[str, str], actor: Actor) -> None:
    """Hides a message, or sets what the match allows, as a form says."""
    reason = given.get("reason", "")
    match given.get("do"):
        case "hide":
            talk.hide(service(), match_id, given.get("message", ""), reason, actor=actor)
        case "on" | "off" as talked:
            onlookers = given.get("onlookers", "")
            if onlookers not in set(Onlookers):
                raise BadInput("Choose who may read it.", field="onlookers")
            talk.allow(
                service(),
                match_id,
                talked == "on",
                actor=actor,
                onlookers=Onlookers(onlookers),
                reason=reason,
            )
        case _:
            raise BadInput("Choose what is to be done.", field="do")
