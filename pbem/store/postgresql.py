"""The service's connections to PostgreSQL: they do not wait for ever, nor tell what was written."""

from __future__ import annotations

from typing import Any

from psycopg import Connection, Error, OperationalError
from psycopg.abc import RV, PQGen
from psycopg.errors import _WaitTimeout


class ServiceConnection(Connection[Any]):
    """Ends when an answer takes longer than ``patience`` seconds; None: it waits for ever.

    A server that is frozen, or whose disk hangs, keeps its connections, and its kernel still
    acknowledges: keepalives and ``tcp_user_timeout`` notice nothing, and it ends no statement.
    """

    patience: float | None = None

    def wait(self, gen: PQGen[RV], interval: float = 0.1, timeout: float | None = None) -> RV:
        try:
            return super().wait(gen, interval, self.patience if timeout is None else timeout)
        except _WaitTimeout:
            # what is answered yet would be taken for the answer to another question
            self.close()
            raise OperationalError(f"no answer within {self.patience} seconds") from None
        except Error as error:
            if error.diag.message_primary:
                # the details have the whole row, and errors go into the log
                error.args = (error.diag.message_primary,)
            raise
