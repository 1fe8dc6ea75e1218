"""Ratings as people read them."""

from __future__ import annotations

from dataclasses import dataclass

from babel.numbers import format_decimal

from pbem.people.rating import UNIT, Rating
from pbem.words.i18n import Translator


@dataclass(frozen=True)
class RatingShown:
    """A rating in words: ``12.3``, and ``fairly well known``."""

    points: str
    certainty: str
    matches: int
    is_provisional: bool


def rating(found: Rating, words: Translator) -> RatingShown:
    return RatingShown(
        format_decimal(found.ordinal / UNIT, "0.0", locale=words.locale),
        _certainty(found, words),
        found.matches,
        found.is_provisional,
    )


def _certainty(found: Rating, words: Translator) -> str:
    """How well somebody is known, by the uncertainty of their rating."""
    _ = words.text
    if found.sigma > 6 * UNIT:
        return _("hardly known")
    if found.sigma > 4 * UNIT:
        return _("roughly known")
    if found.sigma > 2.5 * UNIT:
        return _("fairly well known")
    return _("well known")
