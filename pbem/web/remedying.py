"""Remedies as forms in two steps, for the host of a match and for the operator.

The first form names a remedy and a seat; the answer says in a sentence what will happen; the second
form does it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta

from pbem import absence, going_back, links, matches, present, remedies, stalled, texts
from pbem.errors import BadInput, NotPossible
from pbem.i18n import Translator
from pbem.looks import TableLook
from pbem.models import MatchStatus, Seat, Turn
from pbem.service import Service
from pbem.spans import parse_span, span_text
from pbem.web.context import whole_number

#: The fields that a remedy's form may have.
FIELDS = ("remedy", "seat", "by", "bot", "name", "email", "ply")

#: Remedies of a seat, then those of the whole match.
OF_SEAT = (
    *("remind", "extend", "default", "bot", "replace", "correct-address", "reissue", "resign"),
)
OF_MATCH = ("retry", "pause", "resume", "reissue-host", "rematch", "roll-back", "abort")
#: Only the operator sets a match back past what the table may agree to.
OPERATORS_ONLY = frozenset({"roll-back"})


@dataclass(frozen=True)
class Remedy:
    """A remedy that fits now."""

    name: str
    label: str
    #: What else its form asks for, of ``by``, ``bot``, ``name``, ``email`` and ``ply``.
    asks: tuple[str, ...] = ()


@dataclass(frozen=True)
class StallShown:
    """Why a match does not go on, in words."""

    seat: int | None
    sentence: str
    since: present.Moment
    detail: str
    remedies: tuple[Remedy, ...]
    match_id: str
    title: str


@dataclass(frozen=True)
class Asked:
    """A remedy as a form hands it in."""

    remedy: str
    seat: int | None
    by: str = ""
    bot: str = ""
    name: str = ""
    email: str = ""
    ply: int = 0


def read(given: Mapping[str, str], look: TableLook, actor: str) -> Asked:
    """The form, checked as far as it can be without doing anything."""
    remedy = given.get("remedy", "")
    allowed = actor == "operator" or remedy not in OPERATORS_ONLY
    if remedy not in OF_SEAT + OF_MATCH or not allowed:
        raise BadInput("Choose what is to be done.", field="remedy")
    seat = None
    if remedy in OF_SEAT:
        last = len(look.seats) - 1
        seat = whole_number(given.get("seat", ""), "seat", 0, last)
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
        "resign": Remedy("resign", _("Take the seat from the player for good")),
        "pause": Remedy("pause", _("Pause the match"), ("by",)),
        "resume": Remedy("resume", _("End the pause")),
        "rematch": Remedy("rematch", _("Open a rematch")),
        "roll-back": Remedy("roll-back", _("Set the match back"), ("ply",)),
        "abort": Remedy("abort", _("End the match")),
    }


def fitting(look: TableLook, seat: Seat, words: Translator) -> tuple[Remedy, ...]:
    """The remedies that can be asked for a seat as things stand."""
    names = []
    over = look.match.ended_at is not None
    if over:
        return ()
    turn = look.open_turns.get(seat.number)
    if seat.email is not None and (turn is not None or seat.joined_at is None):
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
    if seat.email is not None and look.phase is not None and seat.resigned_at is None:
        names.append("resign")
    known = labels(words)
    return tuple(known[name] for name in names)


def of_match(look: TableLook, words: Translator, actor: str) -> tuple[Remedy, ...]:
    known = labels(words)
    match = look.match
    names = []
    if match.set_aside_at is not None:
        names.append("retry")
    if match.status == MatchStatus.RUNNING:
        names.append("pause" if match.paused_until is None else "resume")
        if actor == "operator" and match.ply > 0:
            names.append("roll-back")
    if match.ended_at is not None:
        names.append("rematch")
    names.append("reissue-host")
    if match.ended_at is None:
        names.append("abort")
    return tuple(known[name] for name in names)


def shown(stall: stalled.Stall, zone: str, words: Translator) -> StallShown:
    """A stall in words, with the remedies that fit it."""
    _ = words.text
    name = stall.name
    sentences = {
        "overdue": _("{name} has not moved in time.", name=name),
        "mail": _("Mail to {name} does not arrive. The clock of the seat stands still.", name=name),
        "muted": _("{name} wants no more mail of this match.", name=name),
        "declined": _("{name} was invited and does not want to play.", name=name),
        "absent": _("{name} was invited to take over the seat and has not joined yet.", name=name),
        "set_aside": _("The match could not be carried on. This is a fault of the service."),
        "lobby": _("Not all players have joined."),
    }
    detail = stall.detail
    if stall.reason == "overdue":
        detail = (
            _("This is the second missed turn in a row: the match waits for you to decide.")
            if stall.detail == "host"
            else ""
        )
    known = labels(words)
    return StallShown(
        seat=stall.seat,
        sentence=sentences[stall.reason],
        since=present.moment(stall.since, zone, words),
        detail=detail,
        remedies=tuple(known[remedy] for remedy in stall.remedies),
        match_id=stall.match_id,
        title=stall.title,
    )


def effect(service: Service, look: TableLook, asked: Asked, words: Translator, zone: str) -> str:
    """What a remedy will do, in a sentence. Raises where it could not be done."""
    _ = words.text
    name = present.seat_names(look.seats)[asked.seat] if asked.seat is not None else ""
    match asked.remedy:
        case "remind":
            return _("{name} gets a mail about this match now.", name=name)
        case "extend":
            return _extension(service, look, asked, words, zone)
        case "default":
            _open_turn(look, asked)
            return _(
                "The gentlest legal move is played for {name} at once. The turn is closed and "
                "{name} is told.",
                name=name,
            )
        case "bot":
            return _(
                "A bot plays for {name} until {name} takes the seat back. {name} and the table are "
                "told.",
                name=name,
            )
        case "replace":
            return _(
                "{new} ({email}) is invited to take the seat of {name}. All links of {name} for "
                "this seat stop working at once.",
                name=name,
                new=texts.name(asked.name),
                email=texts.address(asked.email),
            )
        case "correct-address":
            return _(
                "Mail for {name} goes to {email} from now on. The old links stop working, new ones "
                "are mailed there, and time lost with the wrong address is given back.",
                name=name,
                email=texts.address(asked.email),
            )
        case "reissue":
            return _(
                "All links {name} ever got for this match stop working; new ones are mailed.",
                name=name,
            )
        case "reissue-host":
            return _("Your present host link stops working; a new one is mailed to the host.")
        case "resign":
            return _(
                "{name} loses the seat for good. A bot holds it until somebody else is invited.",
                name=name,
            )
        case "pause":
            return _pause(service, asked, words, zone)
        case "resume":
            return _("All clocks go on now, with what was left on each. The table is told.")
        case "rematch":
            return _("The same match is opened once more, and the same people are invited.")
        case "roll-back":
            return _(
                "The match goes back to how it stood after move {ply}. Everybody is told by mail.",
                ply=asked.ply,
            )
        case "retry":
            return _(
                "The match is carried on from where it stopped. If that fails again, it is "
                "set aside again."
            )
    if look.match.status == MatchStatus.LOBBY:
        return _("The match is called off before it begins. Everybody is told.")
    return _("The match ends now and nobody wins. Everybody is told, and its log is shown whole.")


def _extension(
    service: Service, look: TableLook, asked: Asked, words: Translator, zone: str
) -> str:
    _ = words.text
    seconds = parse_span(asked.by, "extension")
    if not 1 <= seconds <= remedies.LONGEST_EXTENSION.total_seconds():
        raise BadInput(
            "An extension is between 1s and {most}.",
            field="extension",
            most=span_text(int(remedies.LONGEST_EXTENSION.total_seconds())),
        )
    turn = _open_turn(look, asked)
    due_at = turn.due_at
    if due_at is None:
        raise NotPossible("This match has no deadlines.")
    later = max(due_at, service.now()) + timedelta(seconds=seconds)
    return _(
        "{name} has until {until} instead of {before}. The table is told.",
        name=present.seat_names(look.seats)[asked.seat or 0],
        until=str(present.moment(later, zone, words)),
        before=str(present.moment(due_at, zone, words)),
    )


def _pause(service: Service, asked: Asked, words: Translator, zone: str) -> str:
    seconds = parse_span(asked.by, "pause")
    if not 1 <= seconds <= remedies.LONGEST_PAUSE.total_seconds():
        raise BadInput(
            "A pause is between 1s and {most}.",
            field="pause",
            most=span_text(int(remedies.LONGEST_PAUSE.total_seconds())),
        )
    until = service.now() + timedelta(seconds=seconds)
    return words.text(
        "All clocks of the match stand until {until}; then it goes on by itself. Moves are still "
        "taken.",
        until=str(present.moment(until, zone, words)),
    )


def _open_turn(look: TableLook, asked: Asked) -> Turn:
    turn = look.open_turns.get(asked.seat or 0)
    if turn is None:
        name = present.seat_names(look.seats)[asked.seat or 0]
        raise NotPossible("{name} has no open turn.", name=name)
    return turn


def carry_out(service: Service, match_id: str, asked: Asked, actor: str) -> None:
    """Does it: each remedy is an act of ``pbem.remedies``."""
    seat = asked.seat if asked.seat is not None else links.HOST
    match asked.remedy:
        case "remind":
            remedies.remind(service, match_id, seat, actor=actor)
        case "extend":
            remedies.extend(service, match_id, seat, asked.by, actor=actor)
        case "default":
            remedies.play_default(service, match_id, seat, actor=actor)
        case "bot":
            remedies.put_bot(service, match_id, seat, actor=actor, bot=asked.bot or None)
        case "replace":
            remedies.replace(service, match_id, seat, asked.name, asked.email, actor=actor)
        case "correct-address":
            remedies.correct_address(service, match_id, seat, asked.email, actor=actor)
        case "reissue" | "reissue-host":
            remedies.reissue(service, match_id, seat, actor=actor)
        case "resign":
            remedies.resign(service, match_id, seat, actor=actor)
        case "pause":
            remedies.pause(service, match_id, asked.by, actor=actor)
        case "resume":
            absence.resume(service, match_id, actor=actor)
        case "rematch":
            matches.rematch(service, match_id, actor=actor)
        case "roll-back":
            going_back.roll_back(service, match_id, asked.ply, actor=actor)
        case "retry":
            remedies.retry(service, match_id, actor=actor)
        case "abort":
            remedies.abort(service, match_id, actor=actor)
