"""Return paths: an address for each mail, signed, so that nobody else can make one.

    b+<mail>-<code>@<mail.return_path_domain>

``mail`` is the number of the mail in base 36. ``code`` is as in ``pbem.store.links``, made with the
key of the return path over the mail's number and the address it goes to, so:

- what arrives there is about this one mail, sent to this one address;
- the same mail to another address has another return path, and neither is a token for anything
  else;
- it contains no name, address or match, and the database alone is not enough to make one;
- upper and lower case are the same: mail services change them.

It is valid for ``DAYS`` days: mail services give up after a week at most.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from sqlmodel import Session

from pbem.mail.addresses import token_in
from pbem.service import Service
from pbem.store import links
from pbem.store.models import Mail

#: The purpose of the key that signs: see ``pbem.store.keys``.
PURPOSE = "return-path"
DAYS = 30


def address(service: Service, mail: Mail, recipient: str) -> str:
    """The return path of a mail to this address; our own address if no letter can come in."""
    settings = service.settings
    if not settings.takes_letters:
        return settings.mail.from_address
    number = mail.id or 0
    token = links.signed(service.keys.of(PURPOSE), number, *_signed(number, recipient))
    return f"b+{token}@{settings.mail.return_path_domain}"


def is_one(service: Service, text: str) -> bool:
    """Whether an address has the form of a return path of ours; its code may be anything."""
    return _token(service, text) is not None


def find(session: Session, service: Service, addresses: Sequence[str]) -> Mail | None:
    """The mail that one of these return paths belongs to; None if all are made up or too old."""
    for text in addresses:
        token = _token(service, text)
        if token is None:
            continue
        number = links.row_of(token)
        mail = session.get(Mail, number) if number is not None else None
        # if there is no such mail the code is computed all the same: the answer takes the same time
        sent_to = (mail.sent_to if mail else None) or ""
        fits = links.is_signed(service.keys.of(PURPOSE), token, *_signed(number or 0, sent_to))
        if mail is None or not sent_to or not fits:
            continue
        if service.now() - (mail.sent_at or mail.created_at) > timedelta(days=DAYS):
            continue
        return mail
    return None


def _token(service: Service, text: str) -> str | None:
    """The number and the code in a return path of ours; None if the address is none."""
    return token_in(text, "b+", service.settings.mail.return_path_domain)


def _signed(number: int, recipient: str) -> tuple[str | int, ...]:
    """What the code of a return path is made of."""
    return PURPOSE, number, recipient.lower()
