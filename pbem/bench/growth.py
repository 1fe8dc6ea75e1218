"""What a move, a look and a sweep cost while logs, open turns and sent mails grow in number.

Without a web, and one at a time. Sizes take turns, each kind of open turns and of mails in a
database of its own. A sweep that finds nothing, and the mailer's look for mails that are due, are
what a service does all the time while nothing happens.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from statistics import median

from sqlalchemy import text

from pbem.acts import outbox, turns
from pbem.acts.sweep import sweep
from pbem.bench._copies import Copies
from pbem.bench._places import Place, place
from pbem.bench._rounds import BenchOptions, Figures, Round, each, in_turns, spread, timed
from pbem.looks import match_look
from pbem.service import Service

#: Entries in a log, open turns of others, and sent mails.
LOGS = (10, 100, 1_000)
TURNS = (1_000, 10_000, 100_000)
MAILS = (1_000, 100_000)
#: How often each is done in one go.
TIMES = 10


def measure(asked: BenchOptions) -> Figures:
    """For each database and size: ``move_ms``, ``look_ms`` (an open turn), ``sweep_ms`` and
    ``mails_due_ms``; each the median of the rounds' medians, and the least and the most of them.
    """
    found: Figures = {}
    for database in asked.databases:
        with place(database, asked.scratch) as here:
            for series in (_logs, _turns, _mails):
                with ExitStack() as stack:
                    asked.say(f"{here.kind}: filling databases")
                    sizes = series(here, stack)
                    goes = {
                        f"{size}: {what}": go
                        for size, one in sizes.items()
                        for what, go in one.goes().items()
                    }
                    taken = in_turns(asked, here.kind, goes)
                for name, rounds in taken.items():
                    size, _, what = name.partition(": ")
                    waits = [1000 * median(one.waits) for one in rounds]
                    figures = found.setdefault(f"{here.kind}, {size}", {})
                    figures |= spread(f"{what}_ms", waits, 3)
    return found


@dataclass(frozen=True)
class _Size:
    """A service with a database of some size."""

    service: Service
    copies: Copies
    log: int = 0

    def goes(self) -> dict[str, Callable[[], Round]]:
        (copy,) = self.copies.waiting(1, self.log)
        return {
            "move": self._moves,
            "look": self._each(lambda: match_look.turn(self.service, copy.link)),
            "sweep": self._each(lambda: sweep(self.service)),
            "mails_due": self._each(lambda: outbox.lease_due(self.service, 1)),
        }

    def _each(self, do: Callable[[], object]) -> Callable[[], Round]:
        return lambda: timed(lambda: each(do, TIMES))

    def _moves(self) -> Round:
        copies = iter(self.copies.waiting(TIMES, self.log))

        def move() -> None:
            copy = next(copies)
            turns.submit(self.service, copy.link, copy.move["order"], copy.move["submission"])

        found = timed(lambda: each(move, TIMES))
        self.settle()
        return found

    def settle(self) -> None:
        """Nothing is due any more."""
        with self.service.database.write("bench") as session:
            session.execute(text("UPDATE outbox SET status = 'sent' WHERE status = 'pending'"))
            due = "UPDATE match SET advance_due_at = NULL WHERE advance_due_at IS NOT NULL"
            session.execute(text(due))


def _logs(here: Place, stack: ExitStack) -> dict[str, _Size]:
    service = stack.enter_context(here.service())
    first = _Size(service, Copies(service, max(LOGS)))
    first.settle()
    return {f"log of {log:,}": _Size(service, first.copies, log) for log in LOGS}


def _turns(here: Place, stack: ExitStack) -> dict[str, _Size]:
    return {
        f"{count:,} open turns": _filled(here, stack, Copies.bare_turns, count) for count in TURNS
    }


def _mails(here: Place, stack: ExitStack) -> dict[str, _Size]:
    return {f"{count:,} sent mails": _filled(here, stack, Copies.mails, count) for count in MAILS}


def _filled(
    here: Place, stack: ExitStack, fill: Callable[[Copies, int], None], count: int
) -> _Size:
    service = stack.enter_context(here.service())
    size = _Size(service, Copies(service))
    size.settle()
    fill(size.copies, count)
    return size
