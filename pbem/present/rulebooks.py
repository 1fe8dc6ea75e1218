"""The rules of a match in words, each with an anchor for every rule that it tells."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from engine.rulebook import Chapter
from pbem.words.i18n import Translator


@dataclass(frozen=True)
class RuleShown:
    """A sentence, and the ids of the rules that it tells."""

    text: str
    #: Each id with whether a link to this rule leads here: to the first sentence about it.
    ids: tuple[tuple[str, bool], ...]


@dataclass(frozen=True)
class ChapterShown:
    """Rules about one thing."""

    title: str
    rules: tuple[RuleShown, ...]


def rulebook(book: Iterable[Chapter], words: Translator) -> tuple[ChapterShown, ...]:
    """The chapters in the reader's language."""
    met: set[str] = set()

    def anchored(ids: Iterable[str]) -> tuple[tuple[str, bool], ...]:
        found = tuple((one, one not in met) for one in ids)
        met.update(ids)
        return found

    return tuple(
        ChapterShown(
            words.sentence(chapter.title),
            tuple(
                RuleShown(words.sentence(rule.sentence), anchored(rule.ids))
                for rule in chapter.rules
            ),
        )
        for chapter in book
    )
