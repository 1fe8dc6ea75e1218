"""What a check of ``pbem doctor`` finds."""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec
from sqlalchemy.exc import SQLAlchemyError

from pbem.logs import redact
from pbem.store import db

#: ``note`` is worth knowing, ``wrong`` must be fixed.
State: TypeAlias = Literal["well", "note", "wrong"]


class Finding(msgspec.Struct, frozen=True):
    """The result of one check."""

    part: str
    state: State
    found: str
    #: What to do about it; empty if nothing needs to be done.
    advice: str = ""


def first_line(error: Exception) -> str:
    """What an error says, without addresses and passwords."""
    if isinstance(error, SQLAlchemyError):
        return redact(db.reason(error))
    return redact(str(error).splitlines()[0]) if str(error) else type(error).__name__
