"""A link that is mailed once more, only ever to the address that it belongs to."""

from __future__ import annotations

from pbem.acts import outbox
from pbem.service import Service
from pbem.store.models import Link
from pbem.store.names import MailKind

#: In each span of so many seconds a seat's link is mailed at most once, however often it is asked.
RESEND_SECONDS = 600


def current_link(service: Service, link: Link, *, own_page: bool = False) -> None:
    """Mails the seat of this link its open turn, or if it has none, the link to its own page.

    ``own_page``: always the link to its own page. The mail goes to the address on file, so whoever
    holds an old link learns nothing.
    """
    now = service.now()
    table = service.read(link.match_id)
    seat = table.seat(link.seat)
    if seat.email is None:
        return
    turn = None if own_page else table.open_turns.get(link.seat)
    slot = int(now.timestamp()) // RESEND_SECONDS
    kind = MailKind.YOUR_TURN if turn is not None else MailKind.SEAT_LINK
    turn_id = turn.id if turn is not None else None
    outbox.owe_now(
        service,
        "resend",
        kind,
        f"resend:{link.match_id}:{seat.number}:{seat.epoch}:{turn_id or 0}:{slot}",
        match_id=link.match_id,
        seat=seat.number,
        turn_id=turn_id,
        asked=True,
    )
