"""Which addresses of this service accept letters: reply addresses of turns (``r+TOKEN``), and
return paths of its own mails (``b+TOKEN``). Nothing else is accepted, and nothing is relayed."""

from __future__ import annotations

from pbem.config.sections import Mail as MailSettings
from pbem.store import links

#: Has the form of a token but is none.
_NOBODYS = "1-" + "a" * 32


def made_up(mail: MailSettings) -> tuple[str, str]:
    """A reply address and a return path that belong to nobody, to probe mail servers with."""
    return f"r+{_NOBODYS}@{mail.reply_domain}", f"b+{_NOBODYS}@{mail.return_path_domain}"


def may_be_ours(mail: MailSettings, address: str) -> bool:
    """Whether an address has the form of one of ours. Cheap, and reveals nothing: whether its
    token is valid is checked later, with the letter."""
    kinds = ("r+", mail.reply_domain), ("b+", mail.return_path_domain)
    return any(token_in(address, kind, domain) is not None for kind, domain in kinds)


def token_in(address: str, kind: str, domain: str) -> str | None:
    """The token in an address of ours, which may be made up; None if it has not the form of one.

    Upper and lower case are the same: mail services change them.
    """
    local, _, there = address.strip().lower().rpartition("@")
    token = local.removeprefix(kind)
    ours = there == domain.lower() and token != local
    return token if ours and links.TOKEN.fullmatch(token) else None
