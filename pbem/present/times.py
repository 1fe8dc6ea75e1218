"""Instants and spans as people read them: absolute, in their own zone and in UTC."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from zoneinfo import ZoneInfo

from babel.dates import parse_pattern

from pbem.clocks import away
from pbem.clocks.away import Away
from pbem.words.i18n import Translator


@dataclass(frozen=True)
class Moment:
    """An instant in words, for a reader. ``str()`` has it in the reader's zone and in UTC.

    Each form is made when it is asked for: a page needs few of them, and each takes a while.
    """

    at: datetime
    #: The reader's zone as IANA names it.
    zone: str
    words: Translator

    def __str__(self) -> str:
        if self.zone == "UTC":
            return f"{self.local} UTC"
        return f"{self.local} ({self.zone}; {self.utc})"

    @cached_property
    def local(self) -> str:
        """In the reader's zone: ``Thursday, 3 September 2026, 18:00``."""
        # a date pattern of Unicode's locale data, so that a translation can choose the order
        return self._told(self._here, self.words.text("EEEE, d MMMM y, HH:mm"))

    @cached_property
    def short(self) -> str:
        """The same, short: ``Thu 3 Sep, 18:00``."""
        return self._told(self._here, self.words.text("EEE d MMM, HH:mm"))

    @cached_property
    def day(self) -> str:
        """The first part of ``local``: ``Thursday, 3 September 2026``."""
        return self._told(self._here, self.words.text("EEEE, d MMMM y"))

    @cached_property
    def time(self) -> str:
        """The second part of ``local``: ``18:00``."""
        return self._told(self._here, "HH:mm")

    @cached_property
    def utc(self) -> str:
        """In UTC, with the date if that differs: ``16:00 UTC``."""
        utc = self.at.astimezone(UTC)
        is_same = self._here.date() == utc.date()
        return f"{self._told(utc, 'HH:mm' if is_same else self.words.text('d MMMM, HH:mm'))} UTC"

    @property
    def iso(self) -> str:
        """For machines and for ``<time datetime=...>``."""
        return self.at.astimezone(UTC).isoformat()

    @cached_property
    def _here(self) -> datetime:
        return self.at.astimezone(ZoneInfo(self.zone))

    def _told(self, at: datetime, pattern: str) -> str:
        # without ``format_datetime``, which works out zone and locale each time
        return parse_pattern(pattern).apply(at, self.words.locale)


def days_away(gone: Away, zone: str, words: Translator) -> tuple[str, str]:
    """The first and the last day of a vacation, in the zone whose days they are."""
    pattern = parse_pattern(words.text("EEEE, d MMMM y"))
    first, last = away.first_and_last(gone, zone)
    return pattern.apply(first, words.locale), pattern.apply(last, words.locale)


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
