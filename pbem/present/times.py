"""Instants and spans as people read them: absolute, in their own zone and in UTC."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime
from functools import lru_cache
from zoneinfo import ZoneInfo

from babel import Locale
from babel.dates import parse_pattern

from pbem.clocks import away
from pbem.clocks.away import Away
from pbem.words.i18n import Translator


@dataclass(frozen=True)
class Moment:
    """An instant in words, for a reader. ``str()`` has it in the reader's zone and in UTC."""

    at: datetime
    #: The reader's zone as IANA names it.
    zone: str
    words: Translator

    def __str__(self) -> str:
        if self.zone == "UTC":
            return f"{self.local} {self.where}"
        return f"{self.local} ({self.where})"

    @property
    def where(self) -> str:
        """What belongs to ``local``, its zone and UTC: ``Europe/Madrid; 16:00 UTC``."""
        return self.zone if self.zone == "UTC" else f"{self.zone}; {self.utc}"

    @property
    def local(self) -> str:
        """In the reader's zone: ``Thursday, 3 September 2026, 18:00``."""
        # a date pattern of Unicode's locale data, so that a translation can choose the order
        return self._told(self.words.text("EEEE, d MMMM y, HH:mm"))

    @property
    def short(self) -> str:
        """The same, short: ``Thu 3 Sep, 18:00``."""
        return self._told(self.words.text("EEE d MMM, HH:mm"))

    @property
    def day(self) -> str:
        """The first part of ``local``: ``Thursday, 3 September 2026``."""
        return self._told(self.words.text("EEEE, d MMMM y"))

    @property
    def time(self) -> str:
        """The second part of ``local``: ``18:00``."""
        return self._told("HH:mm")

    @property
    def utc(self) -> str:
        """In UTC, with the date if that differs: ``16:00 UTC``."""
        here, utc = self.at.astimezone(ZoneInfo(self.zone)), self.at.astimezone(UTC)
        pattern = "HH:mm" if here.date() == utc.date() else self.words.text("d MMMM, HH:mm")
        return f"{_told(self.at, 'UTC', pattern, self.words.locale)} UTC"

    @property
    def iso(self) -> str:
        """For machines and for ``<time datetime=...>``."""
        return self.at.astimezone(UTC).isoformat()

    def _told(self, pattern: str) -> str:
        return _told(self.at, self.zone, pattern, self.words.locale)


@lru_cache(maxsize=4096)
def _told(at: datetime, zone: str, pattern: str, locale: Locale) -> str:
    """An instant in a zone. The same times stand on page after page, and each takes a while."""
    # without ``format_datetime``, which works out zone and locale each time
    return parse_pattern(pattern).apply(at.astimezone(ZoneInfo(zone)), locale)


def days_away(gone: Away, zone: str, words: Translator) -> tuple[str, str]:
    """The first and the last day of a vacation, in the zone whose days they are."""
    first, last = away.first_and_last(gone, zone)
    return whole_day(first, words), whole_day(last, words)


def whole_day(day: date, words: Translator) -> str:
    """``Thursday, 3 September 2026``."""
    return parse_pattern(words.text("EEEE, d MMMM y")).apply(day, words.locale)


def left(due_at: datetime | None, now: datetime, words: Translator) -> str:
    """How much time is left until a deadline, short; "" without one."""
    if due_at is None:
        return ""
    seconds = max(0, int((due_at - now).total_seconds()))
    # of days and hours nobody wants to know the minutes
    return span(seconds - seconds % (3600 if seconds > 86400 else 60), words, short=True)


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
