"""The mails that opening a match would send: it is opened on the real rows, and rolled back."""

from __future__ import annotations

import re
from dataclasses import dataclass
from email import message_from_bytes
from email.policy import default

from sqlmodel import col, select

from pbem.acts import matches
from pbem.acts.writing import act, rehearsing
from pbem.mail.render import WIDTH, Unwanted, render
from pbem.service import Service
from pbem.store.models import Mail
from pbem.store.names import MailKind

#: A link to a page of one person; the match it leads to will never be there.
_LINK = re.compile(r"(https?://\S+?/[a-z]/)[\w-]+")
_SHOWN = (MailKind.INVITATION, MailKind.MATCH_OPENED, MailKind.HOST_LINK)


@dataclass(frozen=True)
class Letter:
    """A mail that would go out; links to personal pages end in "…"."""

    to: str
    subject: str
    text: str


@act
def letters(service: Service, wanted: matches.NewMatch) -> tuple[Letter, ...]:
    """What would be mailed to whom. Raises what ``matches.create`` raises; changes nothing."""
    with rehearsing(service, lambda session: None) as (on_trial, _):
        match = matches.create(on_trial, wanted)
        with on_trial.database.read() as session:
            owed = session.exec(
                select(Mail).where(Mail.match_id == match.id).order_by(col(Mail.id))
            ).all()
        found = []
        for mail in owed:
            if mail.kind not in _SHOWN:
                continue
            try:
                rendered = render(on_trial, mail)
            except Unwanted:
                continue
            found.append(_letter(rendered.recipient, rendered.content))
    return tuple(found)


def _letter(to: str, content: bytes) -> Letter:
    said = message_from_bytes(content, policy=default)
    body = said.get_body(("plain",))
    text = "" if body is None else body.get_content()
    return Letter(to, str(said["Subject"]), _LINK.sub(r"\1…", flowing(text)).strip())


def flowing(text: str) -> str:
    """The text without the breaks that mails have in long lines: a page may be narrower."""
    lines: list[str] = []
    room = WIDTH
    for line in text.splitlines():
        first = line.split()[0] if line.strip() else ""
        goes_on = lines and first and first != "-" and "://" not in lines[-1]
        if goes_on and room <= len(first):
            lines[-1] += f" {line.strip()}"
        else:
            lines.append(line)
        room = WIDTH - len(line)
    return "\n".join(lines)
