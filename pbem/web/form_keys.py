"""A form that opens something has a key of its own: sent twice, as by pressing its button twice, it
opens one thing.
"""

from __future__ import annotations

import secrets
from collections.abc import Collection, Mapping

from pbem.acts import matches
from pbem.web.context import service

#: The field of a form that holds it.
FIELD = "form_key"


def new() -> str:
    """The key of a form that is shown."""
    return secrets.token_urlsafe(12)


def id_of(given: Mapping[str, str], *, without: Collection[str] = ()) -> str | None:
    """The id of what this form opens, however often it is sent; None if it has no key.

    What was changed in it meanwhile opens another; ``without``: fields that make no difference.
    """
    if not given.get(FIELD):
        return None
    said = {field: text for field, text in given.items() if field not in without}
    return matches.id_of_form(service(), repr(sorted(said.items())))
