"""A remedy's effect in words: for the preview of hosts and operator, and for ``--dry-run``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from pbem.acts.foresight import Clock, Foresight, Known, Mailed
from pbem.acts.remedy_requests import Asked
from pbem.present.deliveries import mail_kind
from pbem.present.tables import seat_names
from pbem.present.times import moment
from pbem.store import links
from pbem.store.models import MatchStatus, Purpose
from pbem.words.i18n import Translator


@dataclass(frozen=True)
class EffectShown:
    """What a remedy would do: in a sentence, then point by point."""

    sentence: str
    points: tuple[tuple[str, tuple[str, ...]], ...]


def foreseen(
    known: Known, asked: Asked, effect: Foresight, zone: str, words: Translator
) -> EffectShown:
    """The effect for a reader in this zone. Names only, never an address that is on file."""
    _ = words.text
    names = seat_names(known.table.seats)
    points = (
        (_("The move"), _moves(effect, names, words)),
        (
            _("Deadlines"),
            tuple(_clock(clock, known, names, zone, words) for clock in effect.clocks),
        ),
        (_("Mail"), tuple(_mail(mail, words) for mail in effect.mails) or (_("None."),)),
        (_("Links that stop working"), _dead(effect, words)),
        (_("Afterwards"), _afterwards(effect, names, words)),
    )
    return EffectShown(
        _sentence(known, asked, effect, names, zone, words),
        tuple((title, lines) for title, lines in points if lines),
    )


def plain_lines(effect: EffectShown) -> list[str]:
    """The same as lines of plain text."""
    lines = [effect.sentence]
    for title, points in effect.points:
        lines += ["", f"{title}:", *(f"  - {point}" for point in points)]
    return lines


def _sentence(
    known: Known,
    asked: Asked,
    effect: Foresight,
    names: Sequence[str],
    zone: str,
    words: Translator,
) -> str:
    _ = words.text
    name = names[asked.seat] if asked.seat is not None else ""
    match asked.remedy:
        case "remind":
            return _("{name} gets a mail about this match now.", name=name)
        case "extend":
            (clock,) = effect.clocks
            return _(
                "{name} has until {until} instead of {before}. The table is told.",
                name=name,
                until=_instant(clock.due_at, zone, words),
                before=_instant(clock.before, zone, words),
            )
        case "default":
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
                new=asked.name,
                email=asked.email,
            )
        case "correct-address":
            return _(
                "Mail for {name} goes to {email} from now on. The old links stop working, new ones "
                "are mailed there, and time lost with the wrong address is given back.",
                name=name,
                email=asked.email,
            )
        case "reissue":
            return _(
                "All links {name} ever got for this match stop working; new ones are mailed.",
                name=name,
            )
        case "reissue-host":
            return _("The present host link stops working; a new one is mailed to the host.")
        case "correct-host-address":
            return _host_address(known, asked, names, words)
        case "resign":
            return _(
                "{name} loses the seat for good. A bot holds it until somebody else is invited.",
                name=name,
            )
        case "pause":
            return _(
                "All clocks of the match stand until {until}; then it goes on by itself. Moves are "
                "still taken.",
                until=_instant(effect.paused_until, zone, words),
            )
        case "resume":
            return _("All clocks go on now, with what was left on each. The table is told.")
        case "rematch":
            if known.rematch is not None:
                return _("The rematch was opened already: it is match {id}.", id=known.rematch)
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
    if known.table.match.status == MatchStatus.LOBBY:
        return _("The match is called off before it begins. Everybody is told.")
    return _("The match ends now and nobody wins. Everybody is told, and its log is shown whole.")


def _host_address(known: Known, asked: Asked, names: Sequence[str], words: Translator) -> str:
    _ = words.text
    said = _(
        "Mail for the host goes to {email} from now on. The old host link stops working, and a new "
        "one is mailed there.",
        email=asked.email,
    )
    before = known.table.match.host_email.casefold()
    played = [seat for seat in known.table.seats if (seat.email or "").casefold() == before]
    for seat in played:
        # the two are kept apart: a host may well want mail of the seat somewhere else
        said += " " + _(
            "The seat of {name} has the old address and keeps it: correct it there as well.",
            name=names[seat.number],
        )
    return said


def _moves(effect: Foresight, names: Sequence[str], words: Translator) -> tuple[str, ...]:
    _ = words.text
    if effect.moves is None:
        return ()
    name = names[effect.moves]
    who = (
        _("A move is made for {name}, at once.", name=name)
        if effect.moved_by == "default"
        else _("The bot decides for {name}, at once.", name=name)
    )
    # which move it is may follow from a hand: nobody learns it before it is made
    when = (
        _("It stays hidden until everybody who decides now has decided.")
        if effect.hidden
        else _("Which one it is, the table sees when it is made.")
    )
    return (f"{who} {when}",)


def _clock(clock: Clock, known: Known, names: Sequence[str], zone: str, words: Translator) -> str:
    _ = words.text
    name = names[clock.seat]
    if clock.due_at is None:
        return _("{name}: no limit", name=name)
    said = _("{name}: {when}", name=name, when=_instant(clock.due_at, zone, words))
    own = known.table.seats[clock.seat].zone
    if own != zone:
        local = moment(clock.due_at, own, words)
        said += " · " + _("for {name} {when} ({zone})", name=name, when=local.local, zone=own)
    if clock.then:
        said += " · " + _("if the pause lasts to its end")
    return said


def _mail(mail: Mailed, words: Translator) -> str:
    _ = words.text
    who = _("{name} (host)", name=mail.name) if mail.seat == links.HOST else mail.name
    said = _("to {name}: {kind}", name=who, kind=mail_kind(mail.kind, words))
    if mail.held_back:
        said += " · " + _("not sent: {why}", why=words.text(mail.held_back))
    return said


def _dead(effect: Foresight, words: Translator) -> tuple[str, ...]:
    _ = words.text
    known = {
        Purpose.JOIN: _("the invitation"),
        Purpose.TURN: _("the link of the open turn"),
        Purpose.REPLY: _("the address that takes moves by mail"),
        Purpose.SEAT: _("the link of the seat"),
        Purpose.HOST: _("the host's link"),
        Purpose.MUTE: _("the link that stops mail"),
        Purpose.CONSENT: _("the link that answers a question"),
    }
    return tuple(known[Purpose(link.purpose)] for link in effect.dead)


def _afterwards(effect: Foresight, names: Sequence[str], words: Translator) -> tuple[str, ...]:
    _ = words.text

    def listed(seats: Sequence[int]) -> str:
        return ", ".join(names[seat] for seat in seats)

    said = []
    if effect.ends:
        said.append(_("Nobody is waited for any more."))
    elif effect.back_to is not None:
        said.append(_("The decision is with: {names}.", names=listed(effect.decide)))
    elif effect.waits:
        said.append(_("Still waited for: {names}.", names=listed(effect.waits)))
    if effect.closes and not effect.ends:
        said.append(_("Turns that are closed: {names}.", names=listed(effect.closes)))
    if effect.goes_on:
        said.append(_("The match is carried on at once; who must decide next gets a mail."))
    return tuple(said)


def _instant(at: datetime | None, zone: str, words: Translator) -> str:
    return words.text("no limit") if at is None else str(moment(at, zone, words))


# --- mail in words ---
