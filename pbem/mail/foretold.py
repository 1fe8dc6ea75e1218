"""The mails that opening a match would send: it is opened on the real rows, and rolled back."""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass

from sqlmodel import col, select

from pbem.acts import matches
from pbem.acts.writing import act, rehearsing
from pbem.mail.compose import MAX_SUBJECT, Draft, safe
from pbem.mail.render import Unwanted, gather, write
from pbem.service import Service
from pbem.store.models import Mail
from pbem.store.names import MailKind

#: A link to a page of one person; the match it leads to will never be there.
_LINK = re.compile(r"(https?://\S+?/[a-z]/)[\w-]+")
_KINDS = (MailKind.INVITATION, MailKind.MATCH_OPENED, MailKind.HOST_LINK)


@dataclass(frozen=True)
class ForetoldMail:
    """A mail that would go out; links to personal pages end in "…"."""

    to: str
    subject: str
    text: str


@act
def mails(service: Service, wanted: matches.NewMatch) -> tuple[ForetoldMail, ...]:
    """What would be mailed to whom. Raises what ``matches.create`` raises; changes nothing."""
    with rehearsing(service, lambda session: None) as (on_trial, _):
        match = matches.create(on_trial, wanted)
        with on_trial.database.read() as session:
            owed = session.exec(
                select(Mail).where(Mail.match_id == match.id).order_by(col(Mail.id))
            ).all()
        found = []
        for mail in owed:
            if mail.kind in _KINDS:
                with suppress(Unwanted):
                    found.append(gather(on_trial, mail))
    # on SQLite others may write again from here on
    return tuple(_shown(write(service, mail)) for mail in found)


def _shown(said: Draft) -> ForetoldMail:
    # a page has another width than a mail: lines are not broken
    text = _LINK.sub(r"\1…", said.text).strip()
    return ForetoldMail(said.recipient, safe(said.subject, MAX_SUBJECT), text)
