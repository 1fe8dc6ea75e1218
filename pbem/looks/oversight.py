"""What an operator watches: mails, matches that are set aside, what was done last. Only reads."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import text
from sqlmodel import Session, col, func, select

from pbem.store.models import ACTS_OF_THE_OPERATOR, TROUBLED_MAILS, UNPAID_MAILS, Audit, Mail, Match


def owed_mails(session: Session) -> dict[str, int]:
    """How many mails are owed, by their states."""
    counted = select(Mail.status, func.count()).where(text(UNPAID_MAILS)).group_by(Mail.status)
    return {str(status): number for status, number in session.exec(counted)}


def troubled_mails(session: Session, most: int) -> Sequence[Mail]:
    """The last mails that have trouble, the newest first."""
    troubled = select(Mail).where(text(TROUBLED_MAILS)).order_by(col(Mail.id).desc())
    return session.exec(troubled.limit(most)).all()


def last_acts(session: Session, most: int) -> Sequence[Audit]:
    """What the operator did last, the newest first."""
    own = select(Audit).where(text(ACTS_OF_THE_OPERATOR)).order_by(col(Audit.id).desc())
    return session.exec(own.limit(most)).all()


def set_aside(session: Session, most: int) -> tuple[int, Sequence[Match]]:
    """How many matches are set aside, and the last of them, the newest first."""
    aside = select(Match).where(col(Match.set_aside_at).is_not(None))
    number = session.exec(select(func.count()).select_from(aside.subquery())).one()
    newest = aside.order_by(col(Match.set_aside_at).desc()).limit(most)
    return number, session.exec(newest).all()
