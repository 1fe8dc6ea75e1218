"""What the mails of a match have in common: links, the table, the story, the reader."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from pbem import present
from pbem.acts.mail_relevance import OF_A_TURN, Subject
from pbem.looks import match_look
from pbem.mail import gateway, pictures
from pbem.mail.compose import Picture
from pbem.mail.values import Reader, link_of
from pbem.people import talk
from pbem.service import Service
from pbem.store import links
from pbem.store.models import Link, Message, Seat
from pbem.store.names import Purpose
from pbem.words.i18n import Translator

#: At most this many orders and lines of history in a mail; the page has all.
MOST_ORDERS = 60
MOST_LINES = 40
#: The Content-IDs of pictures inside a mail: of the board, and of how the match went.
BOARD, CHART = "board@pbem", "chart@pbem"


def reader_of(about: Subject) -> Reader:
    """The seat's player, the one before, or the host."""
    seat, match = about.seat, about.match
    if about.mail.address is not None:
        was = about.data
        # without a number: what a seat may see is for whoever has it now
        return Reader(was["name"], about.mail.address, was["language"], was["zone"])
    if seat is None:
        return Reader(match.host_name, match.host_email, match.language, match.zone)
    return Reader(seat.name, seat.email or "", seat.language, seat.zone, seat.number)


def shared(
    service: Service, reader: Reader, about: Subject | None, words: Translator
) -> dict[str, Any]:
    """The values that every template gets."""
    base_url = service.settings.base_url
    values: dict[str, Any] = {
        "service": service.settings.mail.from_name,
        "base_url": base_url,
        "reader": reader.name,
        "language": words.language,
        "mute_url": "",
        # ends mails like this one, where that is not about a match
        "unsubscribe_url": "",
        "own_page": "",
        "match_url": "",
        "title": "",
        # what mail programs show beside the subject, also on a locked screen: nothing secret
        "preheader": "",
        "chain_head": "",
    }
    if about is None:
        return values
    match, names = about.match, present.seat_names(about.seats)
    others = present.others(about.seats, reader.seat, words)
    values |= {
        "match_url": f"{base_url}/m/{match.id}",
        "title": present.match_title(match, words),
        "chain_head": match.shown_head,
        "game": present.game_title(match.game, words),
        # what the match is called in subjects
        "called": match.name or present.game_title(match.game, words),
        "others": present.joined(others, words),
        "names": names,
        "host": match.host_name,
        "commitment": match.commitment,
        "absent": about.absent.name if about.absent else "",
    }
    if about.seat is not None and about.mail.address is None:
        values["mute_url"] = url_to(service, about, Purpose.MUTE)
    return values


def link_to(service: Service, about: Subject, purpose: Purpose, number: int) -> Link:
    """A link of whom the mail is for; ``number`` is the id of what it is about, 0 for nothing else.

    Most were read with the mail's other rows.
    """
    there = about.links.get((purpose, number))
    return there or link_of(service, purpose, about.match, about.seat, number)


def url_to(service: Service, about: Subject, purpose: Purpose, number: int = 0) -> str:
    link = link_to(service, about, purpose, number)
    return links.url(service.keys, service.settings.base_url, link)


def rematch_url(service: Service, about: Subject) -> str:
    return f"{url_to(service, about, Purpose.SEAT)}/rematch"


def seat_of(about: Subject) -> Seat:
    assert about.seat is not None  # these kinds are owed to seats only
    return about.seat


def table_of(
    service: Service, about: Subject, words: Translator
) -> tuple[present.TableShown, tuple[Picture, ...]]:
    """The match as the reader may see it, with what happened since they last moved."""
    reader, seat = reader_of(about), about.seat
    since = seat.told_ply if seat is not None else -1
    look = match_look.table_or_trouble(service, about.match.id, reader.seat, since)
    said = talk_since(service, about)
    table = present.table(
        look, words, zone=reader.zone, base_url=service.settings.base_url, talk=said
    )
    return table, board(about, look, words)


def talk_since(service: Service, about: Subject) -> tuple[Message, ...]:
    """What was said since the last mail that told of it, as far as the reader may read it."""
    mail, turn = about.mail, about.turn
    reader = links.HOST if mail.seat is None else mail.seat
    # a reminder tells again what the mail of its turn has told
    before = turn.opened_at if turn is not None and mail.kind in OF_A_TURN else mail.created_at
    with service.database.read() as session:
        since = talk.mailed_until(session, about.match.id, reader, before)
        return talk.messages_for(session, about.match, reader, since)


def board(about: Subject, look: match_look.TableLook, words: Translator) -> tuple[Picture, ...]:
    """The board of this look as a picture; empty if the game has no drawing."""
    drawn = present.board(
        about.match.game,
        look.view,
        present.seat_names(about.seats),
        words,
        you=look.seat,
        events=present.last_events(look.lines),
        since=present.events_since(look.lines, look.seat),
        standalone=True,
    )
    return () if drawn is None else (Picture(BOARD, *pictures.draw(str(drawn))),)


def chart_picture(chart: present.Chart | None, game: str, words: Translator) -> tuple[Picture, ...]:
    """The chart of a match as a picture."""
    if chart is None:
        return ()
    drawing = present.chart_drawing(chart, words, game)
    return (Picture(CHART, *pictures.draw(str(drawing))),)


def newest(lines: Sequence[present.LineShown]) -> dict[str, Any]:
    """The newest lines of a history, as many as a mail shows, and how many are left out."""
    return {"lines": lines[-MOST_LINES:], "earlier": max(0, len(lines) - MOST_LINES)}


def listed(orders: Sequence[str]) -> dict[str, Any]:
    """The orders that a mail lists, and how many are left out.

    The beginning of a very long list says little: examples from all over it say more.
    """
    few = len(orders) <= 2 * MOST_ORDERS
    return {
        "orders": orders[:MOST_ORDERS] if few else (),
        "more_orders": max(0, len(orders) - MOST_ORDERS),
    }


def last_move(look: match_look.TableLook, words: Translator) -> tuple[str, str]:
    """Who made the last move, and what everybody may read of it; both "" if nobody has moved.

    Both under the names of its time.
    """
    lines = look.lines
    moves = [at for at, line in enumerate(lines) if line.act is None and line.seat is not None]
    if not moves:
        return "", ""
    last = lines[moves[-1]]
    later = [line.act for line in lines[moves[-1] :] if line.act is not None]
    names = present.names_before(later, present.seat_names(look.seats), words)
    public = tuple(event for event in last.events if event.readers is None)
    told = present.told_apart(look.game, public, names, words)
    return names[last.seat or 0], " ".join(told[0])


def reply_to(service: Service, about: Subject) -> str:
    """The address that takes answers to the turn; "" if no letter can come in."""
    if not service.settings.takes_letters or about.turn is None:
        return ""
    link = link_to(service, about, Purpose.REPLY, about.turn.id or 0)
    return gateway.reply_address(service, link)


def choosing(
    about: Subject, table: present.TableShown, words: Translator
) -> tuple[list[str], present.TableShown]:
    """The game's own lines about what can be decided now; none if the list of orders does it.

    And the table of a mail that has those lines as well: in words it says nothing twice.
    """
    game, view = about.match.game, table.view
    choices = present.choices(game, view)
    lines = present.choices_text(game, view, choices, table.names, words).splitlines()
    if not lines:
        return lines, table
    return lines, replace(
        table,
        describe=lambda: present.board_text(
            game, view, table.names, words, you=table.you, choices=choices
        ),
    )
