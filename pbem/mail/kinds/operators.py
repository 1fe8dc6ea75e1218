"""Mails to the operator."""

from __future__ import annotations

from pbem.acts import outbox
from pbem.looks import oversight
from pbem.mail.values import MailValues, Reader
from pbem.service import Service
from pbem.store.models import Mail
from pbem.words import texts

#: At most this many matches in one mail to the operator.
MOST_ASIDE = 20


def operator_told(service: Service, mail: Mail) -> tuple[MailValues, Reader] | None:
    settings = service.settings
    if not settings.operator.address:
        return None
    reader = Reader(
        settings.operator.name, settings.operator.address, settings.language, settings.zone
    )
    return MailValues(outbox.data(mail)), reader


def matches_set_aside(service: Service, mail: Mail) -> tuple[MailValues, Reader] | None:
    """All that are set aside when the mail is made: one mail for many that failed at once."""
    told = operator_told(service, mail)
    with service.database.read() as session:
        number, found = oversight.set_aside(session, MOST_ASIDE)
    if told is None or not found:
        return None
    said, reader = told
    matches = [
        {"id": match.id, "title": match.title, "why": texts.without_addresses(error, "")[:200]}
        for match in found
        for error in [match.set_aside_error or ""]
    ]
    return MailValues({**said.values, "matches": matches, "more": number - len(matches)}), reader
