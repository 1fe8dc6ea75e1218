"""A remedy's effect in words: for the preview of hosts and operator, and for ``--dry-run``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from engine.errors import Sentence
from pbem.acts import remedies
from pbem.acts.effects import Clock, Foresight, MailEffect
from pbem.acts.remedy import RehearsedRemedy
from pbem.acts.who_may import May
from pbem.present.deliveries import mail_kind
from pbem.present.tables import seat_names
from pbem.present.times import Moment
from pbem.store import links
from pbem.store.names import Purpose
from pbem.store.table import Table
from pbem.words.i18n import Translator


@dataclass(frozen=True)
class EffectShown:
    """What a remedy would do: in a sentence, then point by point."""

    sentence: str
    points: tuple[tuple[str, tuple[str, ...]], ...]


def foreseen(seen: RehearsedRemedy, zone: str, words: Translator) -> EffectShown:
    """The effect for a reader in this zone. It never shows an address on file."""
    _ = words.text
    effect, names = seen.effect, seat_names(seen.table.seats)
    points = (
        (_("The move"), _moves(effect, names, words)),
        (
            _("Deadlines"),
            tuple(_clock(clock, seen.table, names, zone, words) for clock in effect.clocks),
        ),
        (_("Mail"), tuple(_mail(mail, words) for mail in effect.mails) or (_("None."),)),
        (_("Links that stop working"), _dead(effect, words)),
        (_("Afterwards"), _afterwards(effect, names, words)),
    )
    return EffectShown(
        " ".join([*_asks(seen, names, words), _sentence(seen, names, zone, words)]),
        tuple((title, lines) for title, lines in points if lines),
    )


def _asks(seen: RehearsedRemedy, names: Sequence[str], words: Translator) -> tuple[str, ...]:
    """That the owner of the seat is asked first, if that is so."""
    asks, seat = seen.effect.asks, seen.asked.seat
    if not asks or seat is None:
        return ()
    said = (
        words.text(
            "{name} is told by mail first, and so is the table. In two days it is done, unless "
            "{name} says no or plays.",
            name=names[seat],
        )
        if asks == May.WARNS
        else words.text(
            "{name} is asked by mail first, and the table is told. It is done when {name} says "
            "yes, or mail to {name} comes back; without an answer it lapses after seven days.",
            name=names[seat],
        )
    )
    return said, words.text("What is done then:")


def plain_lines(effect: EffectShown) -> list[str]:
    """The same as lines of plain text."""
    lines = [effect.sentence]
    for title, points in effect.points:
        lines += ["", f"{title}:", *(f"  - {point}" for point in points)]
    return lines


def _sentence(seen: RehearsedRemedy, names: Sequence[str], zone: str, words: Translator) -> str:
    """The remedy's own sentences, with the values they may hold."""
    asked, effect = seen.asked, seen.effect
    said = remedies.find(asked.remedy).sentence
    clock = effect.clocks[0] if effect.clocks else None
    until = effect.paused_until or (clock.due_at if clock else None)
    values = {
        "name": names[asked.seat] if asked.seat is not None else "",
        "new": asked.name,
        "email": asked.email,
        "ply": asked.ply,
        "before": _instant(clock.before if clock else None, zone, words),
        "until": _instant(until, zone, words),
    }
    sentences = (said,) if isinstance(said, Sentence) else said(seen)
    return " ".join(words.text(one.text, **{**values, **one.parameters}) for one in sentences)


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
    # which move it is can depend on a hand: nobody learns it before it is made
    when = (
        _("It stays hidden until everybody who decides now has decided.")
        if effect.hidden
        else _("The table sees which one when it is made.")
    )
    return (f"{who} {when}",)


def _clock(clock: Clock, table: Table, names: Sequence[str], zone: str, words: Translator) -> str:
    _ = words.text
    name = names[clock.seat]
    if clock.due_at is None:
        return _("{name}: no limit", name=name)
    said = _("{name}: {when}", name=name, when=_instant(clock.due_at, zone, words))
    own = table.seats[clock.seat].zone
    if own != zone:
        local = Moment(clock.due_at, own, words)
        said += " · " + _("for {name} {when} ({zone})", name=name, when=local.local, zone=own)
    if clock.then:
        said += " · " + _("if the pause lasts to its end")
    return said


def _mail(mail: MailEffect, words: Translator) -> str:
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
        Purpose.PERMIT: _("the link that answers a question"),
    }
    return tuple(known[Purpose(link.purpose)] for link in effect.dead)


def _afterwards(effect: Foresight, names: Sequence[str], words: Translator) -> tuple[str, ...]:
    _ = words.text

    def listed(seats: Sequence[int]) -> str:
        return ", ".join(names[seat] for seat in seats)

    said = []
    if effect.ends:
        said.append(_("Nobody has to move any more."))
    elif effect.back_to is not None:
        said.append(_("The decision is with: {names}.", names=listed(effect.decide)))
    elif effect.waits:
        said.append(_("Still waiting for {names}.", names=listed(effect.waits)))
    if effect.closes and not effect.ends:
        said.append(_("Turns that are closed: {names}.", names=listed(effect.closes)))
    if effect.goes_on:
        said.append(_("The match is carried on at once; who must decide next gets a mail."))
    return tuple(said)


def _instant(at: datetime | None, zone: str, words: Translator) -> str:
    return words.text("no limit") if at is None else str(Moment(at, zone, words))
