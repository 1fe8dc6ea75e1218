"""Whoever is signed in, for templates."""

from __future__ import annotations

from dataclasses import dataclass

from pbem.store.models import Person


@dataclass(frozen=True)
class PersonShown:
    """A person as they themselves see it."""

    #: "" if they have none.
    name: str
    address: str


def person(row: Person | None) -> PersonShown | None:
    """None if nobody is signed in."""
    return PersonShown(row.name, row.address or "") if row is not None else None
