"""Work for people that a sweep does for several: a failure keeps no other from its work."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from pbem import journal
from pbem.journal import Line
from pbem.store.db import CONNECTION_ERRORS


@contextmanager
def apart(part: str, **about: Any) -> Iterator[None]:
    """What fails in the block ends the block alone, and stands in the journal as of this part.

    Errors of the database connection pass.
    """
    try:
        yield
    except CONNECTION_ERRORS:
        raise
    except Exception as error:
        journal.write(Line.TASK_FAILED, task="company", part=part, **about, exc_info=error)
