"""The mail with all links of an address, and the outcomes of its finished matches."""

from __future__ import annotations

from dataclasses import dataclass

from pbem import present
from pbem.acts import resend
from pbem.looks.match_look import outcome_of
from pbem.mail.values import Reader, Said, joined, url_of
from pbem.present import Moment
from pbem.service import Service
from pbem.store.models import Mail
from pbem.store.names import Purpose
from pbem.words.i18n import Translator, translator

#: At most this many finished matches, the newest, in the mail.
MOST_FINISHED = 20


@dataclass(frozen=True)
class MyLink:
    """A running match, and the link to it that is useful now."""

    title: str
    #: The other people and bots at the table.
    others: str
    what: str
    url: str
    #: If the link is a turn's: the seat's own page.
    own_page: str = ""
    #: If the link is a turn's: when the turn ends.
    due: Moment | None = None


@dataclass(frozen=True)
class MyFinished:
    """A match that is over."""

    title: str
    others: str
    ended: Moment
    #: Who won, in a sentence.
    outcome: str
    #: The table's public page.
    url: str


def tell(service: Service, mail: Mail) -> tuple[Said, Reader] | None:
    """What the mail says, and to whom. None for a stranger, who gets no mail."""
    address = mail.address or ""
    with service.database.read() as session:
        running = resend.running_of(session, address)
        finished, number = resend.finished_of(session, address, MOST_FINISHED)
    if not running and not finished:
        return None
    first = (running or finished)[0]
    # to the address as stored, not as it was typed
    reader = (
        Reader(
            first.match.host_name, first.match.host_email, first.match.language, first.match.zone
        )
        if first.seat is None
        else Reader(first.seat.name, first.seat.email or "", first.seat.language, first.seat.zone)
    )
    values = {
        "links": [_link(service, reader, own) for own in running],
        "finished": [_finished(service, reader, own) for own in finished],
        "more_finished": number - len(finished),
    }
    return Said(values), reader


def _link(service: Service, reader: Reader, own: resend.Own) -> MyLink:
    match, seat, turn = own.match, own.seat, own.turn
    words = translator(reader.language, match.game)
    title, others = present.match_title(match, words), _others(own, words)
    if seat is None:
        return MyLink(title, others, "host", url_of(service, Purpose.HOST, match, None))
    if seat.joined_at is None:
        return MyLink(title, others, "join", url_of(service, Purpose.JOIN, match, seat))
    if turn is not None:
        url = url_of(service, Purpose.TURN, match, seat, turn.id or 0)
        due = present.moment(turn.due_at, reader.zone, words) if turn.due_at else None
        own_page = url_of(service, Purpose.SEAT, match, seat)
        return MyLink(title, others, "turn", url, own_page, due)
    return MyLink(title, others, "seat", url_of(service, Purpose.SEAT, match, seat))


def _finished(service: Service, reader: Reader, own: resend.Own) -> MyFinished:
    match = own.match
    assert match.ended_at is not None  # the query asks for it
    words = translator(reader.language, match.game)
    shown = present.outcome(outcome_of(match), match, present.seat_names(own.seats), words)
    return MyFinished(
        present.match_title(match, words),
        _others(own, words),
        present.moment(match.ended_at, reader.zone, words),
        shown.sentence if shown else "",
        f"{service.settings.base_url}/m/{match.id}",
    )


def _others(own: resend.Own, words: Translator) -> str:
    yours = own.seat.number if own.seat is not None else None
    return joined(present.others(own.seats, yours, words), words)
