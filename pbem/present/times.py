"""Instants and spans as people read them: absolute, in their own zone and in UTC."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from babel.dates import format_date, format_datetime

from pbem.words.i18n import Translator


@dataclass(frozen=True)
class Moment:
    """An instant in words. ``str()`` has it in the reader's zone and in UTC."""

    #: In the reader's zone: ``Thursday, 3 September 2026, 18:00``.
    local: str
    #: The same, short: ``Thu 3 Sep, 18:00``.
    short: str
    #: The reader's zone as IANA names it.
    zone: str
    #: In UTC, with the date if that differs: ``16:00 UTC``.
    utc: str
    #: For machines and for ``<time datetime=...>``.
    iso: str
    #: The two parts of ``local``: ``Thursday, 3 September 2026`` and ``18:00``.
    day: str = ""
    time: str = ""

    def __str__(self) -> str:
        if self.zone == "UTC":
            return f"{self.local} UTC"
        return f"{self.local} ({self.zone}; {self.utc})"


def moment(at: datetime, zone: str, words: Translator) -> Moment:
    """The instant for a reader in this zone."""
    utc = at.astimezone(UTC)
    local = at.astimezone(ZoneInfo(zone))
    # a date pattern of Unicode's locale data, so that a translation can choose the order
    pattern = words.text("EEEE, d MMMM y, HH:mm")
    of_utc = "HH:mm" if local.date() == utc.date() else words.text("d MMMM, HH:mm")
    return Moment(
        local=format_datetime(local, pattern, locale=words.locale, tzinfo=local.tzinfo),
        short=format_datetime(
            local, words.text("EEE d MMM, HH:mm"), locale=words.locale, tzinfo=local.tzinfo
        ),
        zone=zone,
        utc=f"{format_datetime(utc, of_utc, locale=words.locale, tzinfo=UTC)} UTC",
        iso=utc.isoformat(),
        day=format_date(local, words.text("EEEE, d MMMM y"), locale=words.locale),
        time=format_datetime(local, "HH:mm", locale=words.locale, tzinfo=local.tzinfo),
    )


def span(seconds: int, words: Translator, *, short: bool = False) -> str:
    """A length of time in words: ``3 days``, ``1 day 12 hours``, ``0 minutes``.

    ``short``: ``3 d``, ``1 d 12 h``, ``0 min``.
    """
    if short:
        return _short(max(0, seconds), words)
    days, rest = divmod(max(0, seconds), 86400)
    hours, rest = divmod(rest, 3600)
    minutes, rest = divmod(rest, 60)
    parts = []
    if days:
        parts.append(words.plural("{number} day", "{number} days", days))
    if hours:
        parts.append(words.plural("{number} hour", "{number} hours", hours))
    if minutes and not days:
        parts.append(words.plural("{number} minute", "{number} minutes", minutes))
    if rest and not days and not hours:
        parts.append(words.plural("{number} second", "{number} seconds", rest))
    return " ".join(parts) or words.plural("{number} minute", "{number} minutes", 0)


def _short(seconds: int, words: Translator) -> str:
    days, rest = divmod(seconds, 86400)
    hours, rest = divmod(rest, 3600)
    parts = []
    if days:
        parts.append(words.text("{days} d", days=days))
    if hours:
        parts.append(words.text("{hours} h", hours=hours))
    if (rest >= 60 and not days) or not parts:
        parts.append(words.text("{minutes} min", minutes=rest // 60))
    return " ".join(parts)
