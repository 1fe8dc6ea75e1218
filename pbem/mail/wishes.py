"""What mail of their turns people want, in all their matches: each, one digest a day, or none.

A mail about a turn is owed by the act that opens the turn or cares for it, which knows nothing of
this. Whether it goes out, and when, is asked when it is rendered.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from sqlmodel import Session

from pbem.acts.mail_relevance import Subject
from pbem.clocks.deadlines import after_hours
from pbem.people import persons
from pbem.people.settings import hours
from pbem.store.models import Person, Turn
from pbem.store.names import MailKind

#: A turn that ends before the next digest, or so soon after it, is mailed at once.
SOON = timedelta(hours=4)
#: A digest that is later than this has failed: turns are mailed again.
OVERDUE = timedelta(hours=2)


def asked_of(session: Session, about: Subject) -> Person | None:
    """Who may have said what mail they want of this turn; None for all other mails.

    A mail that was asked for, by its reader or by the host, is sent in any case.
    """
    kind, data = about.mail.kind, about.data
    if kind == MailKind.YOUR_TURN and not data.get("asked"):
        return persons.of_address(session, about.address)
    if kind == MailKind.REMINDER and data.get("number", 0) > 0:
        return persons.of_address(session, about.address)
    return None


def unwanted(person: Person, about: Subject, now: datetime) -> str | None:
    """Why this person does not get this mail; None if they do."""
    assert about.turn is not None  # a mail about a turn is unwanted without it
    if about.mail.kind == MailKind.REMINDER:
        return None if person.reminders else "The player wants no reminders."
    if person.mails == "none":
        return "The player wants no mail of single turns."
    if person.mails == "digest" and _can_wait(person, about.turn, now):
        return "The turn is told in the digest."
    return None


def _can_wait(person: Person, turn: Turn, now: datetime) -> bool:
    digest_at = person.digest_at
    if digest_at is None or digest_at < now - OVERDUE:
        return False
    return turn.due_at is None or turn.held_at is not None or turn.due_at > digest_at + SOON


def not_before(person: Person, about: Subject, now: datetime, zone: str) -> datetime | None:
    """The end of the person's night, if a reminder falls into it and the turn has time till then.

    None if the mail can go out now.
    """
    night = hours(person.night)
    if about.mail.kind != MailKind.REMINDER or night is None or about.turn is None:
        return None
    morning = after_hours(now, ZoneInfo(zone), *night)
    ends = about.turn.final_at or about.turn.due_at
    if morning <= now or (ends is not None and ends <= morning + SOON):
        return None
    return morning
