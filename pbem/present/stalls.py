"""Why a match is stalled, in words, for pages and for ``pbem stalled``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime

from engine.games.registry import games
from pbem.acts import lobby
from pbem.looks import stalled
from pbem.looks.own_matches import Sitter
from pbem.present import deliveries
from pbem.present.matches import Stage
from pbem.present.tables import TableShown, others, pause_ends
from pbem.store.names import MatchStatus, StallReason
from pbem.store.plain import AnyMatch, AnySeat
from pbem.words.i18n import Translator


def sentence(stall: stalled.Stall, words: Translator) -> str:
    """The reason of a stall."""
    _ = words.text
    name = stall.name
    if stall.reason == StallReason.MAIL and not stall.begun:
        return _("Mail to {name} does not arrive.", name=name)
    if stall.announced:
        return _("The announced deadline of {name} has passed.", name=name)
    return {
        "overdue": _("{name} has not moved in time.", name=name),
        "silent": _("{name} has not moved for two weeks, and there is no time limit.", name=name),
        "mail": _("Mail to {name} does not arrive. The clock of the seat is stopped.", name=name),
        "muted": _("{name} wants no more mail about this match.", name=name),
        "declined": _("{name} was invited and does not want to play.", name=name),
        "absent": _("{name} was invited to take over the seat and has not joined yet.", name=name),
        "set_aside": _("The match could not be carried on. This is a fault of the service."),
        "paused": _("The match is paused: all clocks are stopped."),
        "lobby": _("Not all players have joined."),
        "beacon": _("The public beacon cannot be reached, and the host wants it in the dice."),
    }[stall.reason]


def stands_still(match: AnyMatch, words: Translator, zone: str = "") -> str:
    """Why a whole match stands still, whoever is to move; "" if it does not.

    With a ``zone`` the end of a pause is told, too.
    """
    _ = words.text
    if match.ended_at is not None:
        return ""
    if match.set_aside_at is not None:
        return _("The match could not be carried on. This is a fault of the service.")
    if match.paused_until is None:
        return ""
    told = _("The match is paused: all clocks are stopped.")
    return f"{told} {pause_ends(match.paused_until, zone, words)}" if zone else told


def waits(
    match: AnyMatch,
    sitters: Sequence[Sitter],
    words: Translator,
    named: Callable[[list[str]], str] = ", ".join,
    own: AnySeat | None = None,
) -> tuple[str, datetime | None]:
    """What a match waits for, in one sentence, and since when; "" if it is over.

    ``named`` puts names together; ``own`` is the reader's seat.
    """
    _ = words.text
    if match.ended_at is not None:
        return "", None
    if match.game not in games():
        return _("The game {game} is not installed here.", game=match.game), match.set_aside_at
    if told := stands_still(match, words):
        return told, match.set_aside_at
    if match.beacon_due_at is not None:
        return _("All have joined: it waits for the public beacon."), None
    if match.unproved_host:
        return _("The host has not sent the invitations yet."), match.created_at
    if own is not None and own.bot is not None:
        return _("A bot plays for you."), own.bot_since
    if match.status == MatchStatus.LOBBY:
        missing = others([sitter for sitter in sitters if not sitter.joined], None, words)
        return _("Not joined yet: {names}.", names=named(missing)), match.created_at
    asked = [(sitter.name, sitter.since) for sitter in sitters if sitter.since is not None]
    if not asked:
        return _("The service carries it on."), None
    names = named([name for name, _since in asked])
    return _("To move: {names}.", names=names), min(since for _name, since in asked)


def for_host(table: TableShown, words: Translator) -> tuple[str, ...]:
    """Whom or what a match waits for that does not stall, for the page of its host."""
    _ = words.text
    match table.match.stage:
        case Stage.UNSENT:
            unsent = words.plural(
                "The invitations have not been sent yet. If you do not send them within {number} "
                "day, the match is called off.",
                "The invitations have not been sent yet. If you do not send them within {number} "
                "days, the match is called off.",
                lobby.PROVED_WITHIN.days,
            )
            return (unsent,)
        case Stage.LOBBY:
            missing = ", ".join(seat.name for seat in table.seats if seat.kind == "invited")
            free = sum(seat.kind == "open" for seat in table.seats)
            told = [_("Waiting for {names} to join.", names=missing)] if missing else []
            if free:
                told += [words.plural("{number} seat is open.", "{number} seats are open.", free)]
            return tuple(told)
        case Stage.BEGINNING:
            return (_("All have joined: it waits for the public beacon."),)
        case Stage.RUNNING:
            asked = ", ".join(seat.name for seat in table.seats if seat.waiting)
            if not asked:
                return (_("The next step is being worked out."),)
            return (_("Waiting for {names}.", names=asked),)
    return ()


def detail(stall: stalled.Stall, zone: str, words: Translator) -> str:
    """Details of the reason, for a reader in this zone; "" if there are none."""
    if stall.reason == StallReason.PAUSED:
        return pause_ends(datetime.fromisoformat(stall.detail), zone, words)
    if stall.reason == StallReason.MAIL:
        return deliveries.reason(stall.detail, words)
    if stall.reason != StallReason.OVERDUE:
        return stall.detail
    if stall.detail != "host":
        return ""
    return words.text("This is the second missed turn in a row: the match waits for you to decide.")
