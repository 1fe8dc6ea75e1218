"""Which addresses of this service accept letters: reply addresses of turns, and return paths of its
own mails. Nothing else is accepted, and nothing is relayed."""

from __future__ import annotations

import re

from pbem.config.sections import Mail as MailSettings

#: Has the form of a token but is none.
_NOBODYS = "1-" + "a" * 32

#: ``r`` for replies, ``b`` for bounces; then a link's token or a mail's number and code.
_LOCAL = re.compile(r"([rb])\+[0-9a-z]{1,13}-[a-z2-7]{24,64}", re.I | re.A)


def made_up(mail: MailSettings) -> tuple[str, str]:
    """A reply address and a return path that belong to nobody, to probe mail servers with."""
    return f"r+{_NOBODYS}@{mail.reply_domain}", f"b+{_NOBODYS}@{mail.return_path_domain}"


def may_be_ours(mail: MailSettings, address: str) -> bool:
    """Whether an address has the form of one of ours. Cheap, and reveals nothing: whether its
    token is valid is checked later, with the letter."""
    local, _, domain = address.rpartition("@")
    found = _LOCAL.fullmatch(local)
    if found is None:
        return False
    wanted = mail.reply_domain if found[1].lower() == "r" else mail.return_path_domain
    return domain.lower() == wanted.lower()
