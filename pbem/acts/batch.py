"""Acts on several matches: read at once, and written in one transaction.

In it another act may follow on the same match.
"""

from __future__ import annotations

from collections.abc import Collection

from pbem.service import Access, Service, Work
from pbem.store.table import Table, load_all


class NotInBatch(Exception):
    """An act cannot be done together with others, because it writes and then reads again."""


class Batch(Access):
    """Acts are done together, each on another match.

    ``read`` gives what was read of all matches at once. ``write`` keeps what an act noted, until
    ``commit`` writes it for all: in one transaction, without the matches that others claimed first.
    """

    def __init__(self, service: Service, match_ids: Collection[str]) -> None:
        """Reads these matches. One that is not there is left out."""
        with service.database.read() as session:
            #: The matches that were read and not taken yet.
            self.tables = load_all(session, match_ids)
        self.works: list[Work] = []

    def read(self, service: Service, match_id: str) -> Table:
        """The match, once: an act that reads again wants to see what was written, and nothing was.

        Raises NotInBatch the second time.
        """
        try:
            return self.tables.pop(match_id)
        except KeyError:
            raise NotInBatch(match_id) from None

    def write(self, service: Service, work: Work) -> None:
        earlier = self._work(work.match_id)
        if earlier is not None:
            work.follow(earlier)
        self.works.append(work)

    def after(self, match_id: str) -> Table | None:
        """As ``Work.after``, of the act that was noted last for this match."""
        work = self._work(match_id)
        return work.after() if work is not None else None

    def _work(self, match_id: str) -> Work | None:
        """What was noted last, if it is for this match: acts that follow each other are."""
        last = self.works[-1] if self.works else None
        return last if last is not None and last.match_id == match_id else None

    def forget(self, match_id: str) -> None:
        """Drops what was noted for a match."""
        self.works[:] = [work for work in self.works if work.match_id != match_id]

    def commit(self) -> set[str]:
        """Writes what the acts noted; returns the matches of which nothing is written, as ``Work``.

        Raises SomeoneWasFirstError where nothing at all is written.
        """
        return self.works[0].commit(self.works[1:]) if self.works else set()
