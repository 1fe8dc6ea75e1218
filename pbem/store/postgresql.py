"""The service's connections to PostgreSQL: they do not wait for ever, nor tell what was written."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from psycopg import Connection, Error, OperationalError
from psycopg.abc import RV, PQGen

#: How often in a second psycopg looks up from its waiting.
LOOKS = 10


class ServiceConnection(Connection[Any]):
    """Ends when the server keeps still for ``patience`` seconds; None: it waits for ever.

    A server that is frozen, or whose disk hangs, keeps its connections, and its kernel still
    acknowledges: keepalives and ``tcp_user_timeout`` notice nothing, and it ends no statement.
    """

    patience: float | None = None

    def wait(self, gen: PQGen[RV], *arguments: Any, **named: Any) -> RV:
        try:
            return super().wait(self._watched(gen), *arguments, **named)
        except Error as error:
            if error.diag.message_primary:
                # the details have the whole row, and errors go into the log
                error.args = (error.diag.message_primary,)
            raise

    def _watched(self, gen: PQGen[RV]) -> Generator[Any, Any, RV]:
        """The same, with an end when nothing can be read or written for too long."""
        still = 0
        try:
            waits = next(gen)
            while True:
                ready = yield waits
                still = 0 if ready else still + 1
                if self.patience is not None and still > self.patience * LOOKS:
                    # what is answered yet would be taken for the answer to another question
                    self.close()
                    raise OperationalError(f"no answer for {self.patience} seconds")
                waits = gen.send(ready)
        except StopIteration as end:
            found: RV = end.value
            return found
