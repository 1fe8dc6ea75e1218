"""The rules that hold in one match, in short sentences: what a page of rules shows.

A game writes its rules as chapters of ``rule(...)``; a rule that does not hold with these players
and options is None, and ``chapters`` leaves it out. The sentences explain the rules: what a rule
does, the code of the game says.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from engine.errors import Parameter, Sentence


class Rule(msgspec.Struct, frozen=True):
    """One or several rules that a sentence tells, by the ids that refusals name."""

    ids: tuple[str, ...]
    sentence: Sentence
    #: Whether it stands in the summary of a page.
    main: bool = False


class Chapter(msgspec.Struct, frozen=True):
    """Rules about one thing."""

    title: Sentence
    rules: tuple[Rule, ...]


def rule(
    ids: str, text: str, when: bool = True, *, main: bool = False, **parameters: Parameter
) -> Rule | None:
    """A rule with its ids, separated by spaces; None if it does not hold."""
    return Rule(tuple(ids.split()), Sentence(text, parameters), main) if when else None


def chapter(title: Sentence, *rules: Rule | None) -> Chapter:
    """A chapter of the rules that hold."""
    return Chapter(title, tuple(each for each in rules if each is not None))


def chapters(*found: Chapter) -> tuple[Chapter, ...]:
    """The chapters that have a rule."""
    return tuple(each for each in found if each.rules)


def summary(book: Iterable[Chapter]) -> tuple[Chapter, ...]:
    """The main rules alone."""
    return chapters(
        *(chapter(each.title, *(rule for rule in each.rules if rule.main)) for each in book)
    )
