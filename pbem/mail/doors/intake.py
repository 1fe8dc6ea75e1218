"""What every door does with a letter: give it to the gateway, and never raise."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import msgspec
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from pbem import journal, metrics
from pbem.errors import BadInput, Busy
from pbem.journal import Line
from pbem.mail import gateway
from pbem.service import Service
from pbem.store import db


class Intake(msgspec.Struct, frozen=True):
    """What became of a letter.

    ``done``: its act is committed, or nothing has to be done; it can be deleted.
    ``refused``: it will never be taken. ``later``: not now; it must be delivered again, which is
    idempotent.
    """

    how: Literal["done", "refused", "later"]
    #: In a word, for logs and metrics.
    result: str


def take(
    service: Service, raw: bytes, recipients: Sequence[str] = (), sender: str | None = None
) -> Intake:
    """Acts on a letter. Recipients and sender are those of the envelope, if the door knows it."""
    try:
        result = gateway.arrived(service, raw, recipients, sender)
    except BadInput:
        return _not_taken("refused", "too_long")
    except Busy:
        return _not_taken("later", "busy")
    except (DBAPIError, PoolTimeout) as error:
        journal.write(Line.DATABASE_SILENT, error=db.reason(error))
        return _not_taken("later", "busy")
    except Exception as error:
        journal.write(Line.LETTER_FAILED, exc_info=error)
        return _not_taken("later", "failed")
    return Intake("refused" if result == "unreadable" else "done", result)


def _not_taken(how: Literal["refused", "later"], result: str) -> Intake:
    metrics.LETTERS.labels(result).inc()
    return Intake(how, result)
