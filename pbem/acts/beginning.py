"""Fetches the rounds of the beacon that matches wait for, and starts them.

Only the sweep does this: a server that does not answer keeps no page and no move waiting.
"""

from __future__ import annotations

from datetime import timedelta
from functools import partial
from typing import Any

from pbem import beacon
from pbem.acts import due_work, starting
from pbem.acts.beacon_servers import Servers
from pbem.acts.writing import act, read, writing
from pbem.beacon import Missing
from pbem.service import Service
from pbem.store import links
from pbem.store.models import Match
from pbem.store.names import Actor, MailKind

#: How soon a round is asked for again: at first, and while a match with a host who insists waits.
SOON = timedelta(seconds=10)
LATER = timedelta(minutes=1)


#: Matches whose round should be out.
MATCHES_DUE: Any = due_work.matches_due(Match.beacon_due_at)


def begin_due(service: Service, most: int = 50) -> int:
    """Starts matches whose round is out, at most ``most``; returns how many were due."""
    servers = Servers(service.settings.beacon)
    due = due_work.find(service, MATCHES_DUE, most)
    due_work.one_by_one(service, due, partial(_begin, servers=servers))
    return len(due)


def _begin(service: Service, match_id: str, servers: Servers) -> None:
    table, now = read(service, match_id)
    drawn = beacon.read(table.match.beacon_json)
    if drawn is None or drawn.chain is None or not starting.is_beginning(table.match):
        return
    if signature := servers.fetch(drawn):
        starting.start_with(service, match_id, drawn.with_round(signature))
        return
    late = now >= drawn.chain.time_of(drawn.round) + service.settings.beacon.patience
    if late and not drawn.required:
        starting.start_with(service, match_id, drawn.without(Missing.UNREACHABLE))
        return
    _ask_again(service, match_id, LATER if late else SOON, tell=late)


@act
def _ask_again(service: Service, match_id: str, after: timedelta, *, tell: bool) -> None:
    """Asks for the round again later. ``tell``: the host hears that the match waits for it."""
    table, now = read(service, match_id)
    if not starting.is_beginning(table.match):
        return
    with writing(service, table, "beacon.wait", Actor.SERVICE, now, beacon_due_at=now + after) as w:
        if tell:
            # the same key each time: it is owed once
            w.owe(MailKind.STALLED, f"{match_id}:beacon", links.HOST, reason="beacon")
