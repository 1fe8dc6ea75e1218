"""What is asked about somebody's seat, in words: for its owner and for the host."""

from __future__ import annotations

from dataclasses import dataclass

from pbem.acts import permissions, remedies
from pbem.acts.remedy import OfSeat
from pbem.present.times import Moment
from pbem.store.models import Permission
from pbem.store.names import Actor
from pbem.words.i18n import Translator


@dataclass(frozen=True)
class PermissionShown:
    """A permission that is open, or was."""

    label: str
    #: What would be done.
    sentence: str
    #: Whether silence is a yes.
    silence: bool
    until: Moment
    #: Whether the owner asks it of themselves, to be sure that it is they.
    own: bool
    seat: int


def asked(row: Permission, zone: str, words: Translator) -> PermissionShown:
    """An open permission, as its owner is asked for it, with times in this zone."""
    remedy, told = remedies.find(row.remedy), permissions.asked_of(row)
    assert isinstance(remedy, OfSeat)  # only remedies of a seat ask its owner
    assert remedy.question is not None
    return PermissionShown(
        words.sentence(remedy.label),
        words.text(remedy.question.text, new=told.name, email=told.email),
        row.silence,
        Moment(row.ends_at, zone, words),
        row.actor == Actor.PLAYER,
        row.seat,
    )
