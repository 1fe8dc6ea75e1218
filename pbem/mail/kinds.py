"""What each kind of mail says: the values its templates get. One function for each kind.

A mail to the host shows what everybody may see, even if the host plays: their seat gets mails of
its own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from sqlmodel import col, func, select

from engine.codec import convert
from engine.games.registry import find
from pbem import beacon, present
from pbem.acts import outbox, remedies, vacations
from pbem.acts.mail_relevance import Subject
from pbem.looks import match_look
from pbem.mail import gateway, my_links, pictures
from pbem.mail.compose import Attachment, Picture
from pbem.mail.line_results import Told
from pbem.mail.values import Reader, Said, joined, link_of
from pbem.present import deliveries
from pbem.present import permissions as permissions_said
from pbem.service import Service
from pbem.store import links, match_log
from pbem.store.canonical import canonical
from pbem.store.models import Link, Mail, Match, Ply, Seat
from pbem.store.names import MailKind, Purpose
from pbem.store.table import load
from pbem.words import texts
from pbem.words.i18n import Translator

#: At most this many orders and lines of history in a mail; the page has all.
MOST_ORDERS = 60
MOST_LINES = 40
#: At most this many matches in one mail to the operator.
MOST_ASIDE = 20
#: The Content-ID of the board's picture inside a mail.
BOARD = "board@pbem"
#: Longest record that is attached to the last mail, in bytes; a longer one is only linked.
MOST_RECORD = 2_000_000


Teller: TypeAlias = Callable[[Service, Subject, Translator], Said]


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
        "own_page": "",
        "match_url": "",
        "title": "",
        "chain_head": "",
    }
    if about is None:
        return values
    match, names = about.match, present.seat_names(about.seats)
    others = [name for number, name in enumerate(names) if number != reader.seat]
    values |= {
        "match_url": f"{base_url}/m/{match.id}",
        "title": present.match_title(match, words),
        "chain_head": match.shown_head,
        "game": present.game_title(match, words),
        "others": joined(others, words),
        "names": names,
        "host": match.host_name,
        "commitment": match.commitment,
        "absent": about.absent.name if about.absent else "",
    }
    if about.seat is not None and about.mail.address is None:
        values["mute_url"] = _url(service, about, Purpose.MUTE)
    return values


def _link(service: Service, about: Subject, purpose: Purpose, number: int = 0) -> Link:
    """A link of whom the mail is for; ``number`` is the id of what it is about, 0 for nothing else.

    Most were read with the mail's other rows.
    """
    there = about.links.get((purpose, number))
    return there or link_of(service, purpose, about.match, about.seat, number)


def _url(service: Service, about: Subject, purpose: Purpose, number: int = 0) -> str:
    link = _link(service, about, purpose, number)
    return links.url(service.keys, service.settings.base_url, link)


# --- to players ---

#: Characters of a name in an invitation.
MOST_OF_A_NAME = 30


def _invitation(service: Service, about: Subject, words: Translator) -> Said:
    match, game = about.match, find(about.match.game)
    # whoever reads this has agreed to nothing: no words of strangers at length
    own = _seat(about).number
    names = present.seat_names(about.seats)
    others = [_short(name) for number, name in enumerate(names) if number != own]
    return Said(
        {
            "host": _short(match.host_name),
            "others": joined(others, words),
            "join_url": _url(service, about, Purpose.JOIN),
            "never_url": f"{_url(service, about, Purpose.JOIN)}/never",
            "summary": words.sentence(game.summary(match_log.options_of(match))),
            "clock": present.clock_sentence(match, words),
            "running": match.started_at is not None,
            "beacon": present.dice_sentence(match, words, used=service.settings.uses_beacon),
        }
    )


def _short(name: str) -> str:
    return name if len(name) <= MOST_OF_A_NAME else f"{name[: MOST_OF_A_NAME - 1]}…"


def _all_joined(service: Service, about: Subject, words: Translator) -> Said:
    """The round that goes into the dice, named before it comes out."""
    match, seat = about.match, _seat(about)
    drawn = beacon.read(match.beacon_json)
    assert drawn is not None  # this mail is owed together with it
    assert drawn.chain is not None
    return Said(
        {
            "number": drawn.round,
            "chain": present.chain_name(drawn.chain, words),
            "when": present.moment(drawn.chain.time_of(drawn.round), seat.zone, words),
            "phrase": seat.phrase,
            "promise": match_log.promise(match, about.seats, drawn),
        }
    )


def _without_its_round(service: Service, about: Subject, words: Translator) -> str:
    """For the first turn of a match that began without the round that its players were promised."""
    drawn = beacon.read(about.match.beacon_json)
    promised = drawn is not None and drawn.round > 0 and drawn.missing is not None
    if not promised or _seat(about).told_ply > 0:
        return ""
    return present.dice_sentence(about.match, words, used=service.settings.uses_beacon)


def _turn(service: Service, about: Subject, words: Translator) -> Said:
    """``your_turn`` and ``reminder``: all that is needed to understand the turn, and its link."""
    row = about.turn
    assert row is not None  # a mail about a turn is unwanted without it
    link = _link(service, about, Purpose.TURN, row.id or 0)
    look = match_look.turn(service, link)
    turn = present.turn(look, words, base_url=service.settings.base_url)
    orders = turn.orders or ()
    reply_to = _reply_to(service, about)
    return Said(
        {
            "by_mail": turn.example_orders[0] if reply_to and turn.example_orders else "",
            "turn_url": links.url(service.keys, service.settings.base_url, link),
            "own_page": _url(service, about, Purpose.SEAT),
            "turn": turn,
            "dice": _without_its_round(service, about, words),
            "table": turn.table,
            # the beginning of a very long list says little: examples from all over it say more
            "orders": orders[:MOST_ORDERS] if len(orders) <= 2 * MOST_ORDERS else (),
            "more_orders": max(0, len(orders) - MOST_ORDERS),
            "choosing": _choosing(about, look.table.view, words),
            "examples": turn.example_orders,
            "number": about.data.get("number", 0),
            "is_late": row.due_at is not None and row.due_at <= service.now(),
            **_story(turn.table),
        },
        reply_to=reply_to,
        pictures=_board(about, look.table, words),
    )


def _choosing(about: Subject, view: Any, words: Translator) -> list[str]:
    """The game's own lines about what can be decided now; none if the list of orders does it."""
    names = present.seat_names(about.seats)
    return present.choices_text(about.match.game, view, names, words).splitlines()


def _reply_to(service: Service, about: Subject) -> str:
    """The address that takes answers to the turn; "" if no letter can come in."""
    if not service.settings.takes_letters or about.turn is None:
        return ""
    link = _link(service, about, Purpose.REPLY, about.turn.id or 0)
    return gateway.reply_address(service, link)


@dataclass(frozen=True)
class LineTold:
    """A line of a letter and what came of it, in words."""

    line: str
    #: What came of it; for a move that was played, a paragraph for each event.
    said: tuple[str, ...]
    rule: str
    #: The page that does what the line wants, and the label of its button.
    url: str = ""
    button: str = ""


def _reply_answer(service: Service, about: Subject, words: Translator) -> Said:
    """What came of an answer by mail, line by line; and what can be played, if that helps.

    It helps where the turn goes on after the move: no other mail asks for the next decision.
    """
    row = about.turn
    assert row is not None  # letters answer turns
    told = convert(about.data["told"], list[Told])
    link = _link(service, about, Purpose.TURN, row.id or 0)
    look = match_look.turn(service, link)
    turn = present.turn(look, words, base_url=service.settings.base_url)
    asked = any(one.how in ("help", "wrong", "played") for one in told)
    orders = turn.orders or () if asked else ()
    helped = any(one.how == "help" for one in told)
    # the only order there is will be played by itself (``advance``), perhaps in this moment
    decides = turn.is_open and len(turn.orders or ()) != 1
    view = look.table.view if asked and look.is_open else None
    lines = present.help_text(about.match.game, view, words).splitlines() if helped else []
    lines = [line for line in lines if line.strip()] or _choosing(about, view, words)
    return Said(
        {
            "told": [
                LineTold(
                    one.line,
                    _line_said(service, about, one, words),
                    one.rule,
                    *_where_it_is_done(service, about, one, words),
                )
                for one in told
                if one.how != "help"
            ],
            "is_open": decides,
            "turn": turn,
            "turn_url": links.url(service.keys, service.settings.base_url, link),
            "orders": orders[:MOST_ORDERS] if len(orders) <= 2 * MOST_ORDERS else (),
            "more_orders": max(0, len(orders) - MOST_ORDERS),
            "choosing": lines,
            "examples": turn.example_orders if asked else (),
            "more_lines": _more_lines(service, about, turn.example_orders, words) if helped else (),
        },
        reply_to=_reply_to(service, about),
    )


def _more_lines(
    service: Service, about: Subject, orders: Sequence[str], words: Translator
) -> list[tuple[str, str]]:
    """What a letter can contain besides orders: the line, and what it does."""
    _, seat = words.text, _seat(about)
    lines = []
    if about.match.ended_at is None and orders:
        lines.append(
            (_("wait {order}", order=orders[0]), _("leaves the order for the turn after this one"))
        )
    with service.database.read() as session:
        table = load(session, about.match.id)
    if vacations.why_not(table, seat) is None:
        days = vacations.example(service)
        lines += [
            (_("away {first} to {last}", **days), _("says that you are away on these days")),
            (_("here"), _("says that you are there after all")),
        ]
    return lines


def _vacation_said(about: Subject, one: Told, words: Translator) -> str:
    """What a line about days away has done."""
    now, zone = one.announced, _seat(about).zone
    assert now is not None  # it was written with the line
    said = []
    if one.how == "here":
        said.append(
            words.plural(
                "Welcome back. {number} day of vacation is yours again.",
                "Welcome back. {number} days of vacation are yours again.",
                now.back,
            )
            if now.back
            else words.text("Welcome back.")
        )
    elif now.away is not None:
        begins, ends = (present.moment(at, zone, words) for at in (now.away.begins, now.away.ends))
        said.append(
            words.text("You are away from {begins} until {until}.", begins=begins, until=ends)
        )
    if now.due_at is not None:
        due = present.moment(now.due_at, zone, words)
        said.append(words.text("Your open turn ends at {due}.", due=due))
    left = words.plural(
        "You have {number} day of vacation left.",
        "You have {number} days of vacation left.",
        now.left,
    )
    return " ".join([*said, left])


def _where_it_is_done(
    service: Service, about: Subject, one: Told, words: Translator
) -> tuple[str, str]:
    """The one link that does what a line wants, and its label; twice "" if none is needed."""
    if one.how == "stop":
        url = _url(service, about, Purpose.MUTE)
        return url, words.text("No more mail of this match")
    if one.how in ("resign", "undo", "ask_undo", "when", "bot"):
        url = _url(service, about, Purpose.SEAT)
        if one.days is not None:
            first, last = (day.isoformat() for day in one.days)
            return f"{url}?from={first}&until={last}#away", words.text("To these days")
        return url, words.text("To your seat's page")
    return "", ""


def _understood_said(one: Told, words: Translator) -> str:
    """What is said about a line that is no order; "" for other lines."""
    _ = words.text
    return {
        "stop": _("You still get mail of this match. To get no more of it, press the button here:"),
        "resign": _('You still have your seat. To give it up, use "Leave the match" here:'),
        "undo": _("Nothing was taken back yet. You may take your last move back here:"),
        "ask_undo": _(
            "Nothing was taken back. Others have acted since; you can ask them to allow it here:"
        ),
        "when": " ".join(
            [
                _("Nothing was announced, so as not to guess the days."),
                words.sentence(one.sentence) if one.sentence else "",
                _("Or choose them here:")
                if one.days is None
                else _("Or see here whether these are meant, and say so by the button:"),
            ]
        ),
        "bot": _("A bot plays for you now. Take your seat back here:"),
        "thanks": _("There is no order in this, and nothing was played."),
    }.get(one.how, "")


def _line_said(service: Service, about: Subject, one: Told, words: Translator) -> tuple[str, ...]:
    if one.how == "waits":
        return (words.text("It waits for your next decision."),)
    if one.how == "waits_on":
        return (
            words.text(
                "It is your turn now, so this order waits for the turn after this one. To play it "
                'now, send it without the word "wait".'
            ),
        )
    if (understood := _understood_said(one, words)) != "":
        return (understood,)
    if one.how == "left_out":
        return (words.text("Not played, because of the line above."),)
    if one.how == "asks":
        return (_asked(about, one, words),)
    if one.sentence is not None:
        return (words.sentence(one.sentence),)
    if one.announced is not None:
        return (_vacation_said(about, one, words),)
    match, names = about.match, present.seat_names(about.seats)
    with service.database.read() as session:
        ply = session.get(Ply, (match.id, one.ply))
    events = match_log.read_events(match, ply, _seat(about).number) if ply is not None else []
    happened = present.paragraphs(find(match.game), events, lambda seat: names[seat], words)
    move, *then = happened or ("",)
    return (f"{words.text('Played.')} {move}".strip(), *then)


def _asked(about: Subject, one: Told, words: Translator) -> str:
    """What an order would do that must be confirmed before it is played."""
    match, names = about.match, present.seat_names(about.seats)
    kind = find(match.game).event_type
    events = [convert(event, kind) for event in one.events]
    brings = present.event_sentences(match.game, events, lambda seat: names[seat], words)
    assert one.sentence is not None  # it was written with the line
    parts = [words.text("Not played yet."), words.text("It would bring this:") if brings else ""]
    return " ".join(filter(None, [*parts, *brings, words.sentence(one.sentence)]))


def _played_for_you(service: Service, about: Subject, words: Translator) -> Said:
    match, seat, number = about.match, _seat(about), int(about.data["ply"])
    with service.database.read() as session:
        ply = session.get(Ply, (match.id, number))
    assert ply is not None  # it was written with the mail
    names = present.seat_names(about.seats)
    events = match_log.read_events(match, ply, seat.number)
    table, shown = _table(service, about, words)
    return Said(
        {
            "order": ply.order_text,
            "paragraphs": present.paragraphs(
                find(match.game), events, lambda other: names[other], words
            ),
            "by_host": ply.made_by == "host",
            "by_operator": ply.made_by == "operator",
            "missed": seat.missed,
            "seat_url": _url(service, about, Purpose.SEAT),
            "table": table,
            "your_due": next((other.due for other in table.seats if other.is_you), None),
        },
        pictures=shown,
    )


def _with_seat_link(service: Service, about: Subject, words: Translator) -> Said:
    """``seat_link`` and ``bot_took_over``: the link to the seat's own page."""
    url = _url(service, about, Purpose.SEAT)
    # a link that was asked for is the old one; else it is new and the older ones are dead
    return Said({"seat_url": url, "is_new": not about.data.get("asked", False), "how": _how(about)})


def _how(about: Subject) -> str:
    """How a bot came to a seat, as ``absence`` says it."""
    return str(about.data.get("how", "put"))


def _muted(service: Service, about: Subject, words: Translator) -> Said:
    """``muted``: the foot has no link to stop the mails; the link in the text undoes it."""
    again = _url(service, about, Purpose.MUTE)
    return Said({"again_url": again, "mute_url": ""})


def _consent_asked(service: Service, about: Subject, words: Translator) -> Said:
    proposal = about.proposal
    assert proposal is not None  # a mail about a proposal is unwanted once it is not open
    table, shown = _table(service, about, words)
    return Said(
        {
            "asking": about.seats[proposal.seat].name,
            "consent_url": _url(service, about, Purpose.CONSENT, proposal.id or 0),
            "table": table,
        },
        pictures=shown,
    )


def _permission_asked(service: Service, about: Subject, words: Translator) -> Said:
    """What somebody wants to do with the reader's seat, and the link to answer."""
    row = about.permission
    assert row is not None  # a mail about a permission is unwanted once it is not open
    url = _url(service, about, Purpose.PERMIT, row.id or 0)
    shown = permissions_said.asked(row, _seat(about).zone, words)
    return Said({"asked": shown, "answer_url": url})


def _permission_ended(service: Service, about: Subject, words: Translator) -> Said:
    said = _to_host(service, about, words)
    label = words.sentence(remedies.find(about.data["remedy"]).label)
    return Said({**said.values, "label": label, "how": about.data["how"]})


def _seat_changed(service: Service, about: Subject, words: Translator) -> Said:
    """To the address before: without any link of the seat."""
    operator = service.settings.operator.address
    return Said({"how": about.data["how"], "by": about.data["by"], "operator": operator})


def _take_back_ended(service: Service, about: Subject, words: Translator) -> Said:
    url = _url(service, about, Purpose.SEAT)
    return Said({"seat_url": url, "how": about.data["how"]})


def _rolled_back(service: Service, about: Subject, words: Translator) -> Said:
    url = _url(service, about, Purpose.SEAT)
    return Said({"seat_url": url, "back_to": about.data["back_to"]})


def _ending(service: Service, about: Subject, words: Translator) -> Said:
    """``match_over`` and ``match_aborted``: the outcome, the seed, and the whole record."""
    match = about.match
    record = match_look.record(service, match.id)
    content = canonical(record)
    fits = len(content) <= MOST_RECORD
    table, shown = _table(service, about, words)
    name = f"{match.game}-{match.id}.json"
    return Said(
        {
            "table": table,
            "outcome": table.outcome,
            "seed": match.seed.hex(),
            "beacon": present.dice_sentence(match, words, used=service.settings.uses_beacon),
            "plies": match.ply,
            "digest": record["digest"],
            "record_name": name if fits else "",
            "record_url": f"{service.settings.base_url}/api/matches/{match.id}/record",
            **_story(table),
        },
        pictures=shown,
        attachments=(Attachment(name, "application", "json", content),) if fits else (),
    )


# --- to the host ---


def _to_host(service: Service, about: Subject, words: Translator) -> Said:
    """``match_opened``, ``host_link``, ``bot_seated``: the link to the host's page."""
    return Said(
        {
            "host_url": _url(service, about, Purpose.HOST),
            "to_invite": about.match.unproved_host,
            "invited": [seat.name for seat in about.seats if seat.email and seat.joined_at is None],
            "clock": present.clock_sentence(about.match, words),
            "how": _how(about),
            "beacon": present.dice_sentence(about.match, words, used=service.settings.uses_beacon),
            "in_lobby": about.match.started_at is None,
        }
    )


def _host_asked(service: Service, about: Subject, words: Translator) -> Said:
    turn = about.turn
    assert turn is not None  # a mail about a turn is unwanted without it
    assert turn.final_at is not None  # only turns with a deadline run out
    said = _to_host(service, about, words)
    until = present.moment(turn.final_at, about.match.zone, words)
    return Said({**said.values, "until": until})


def _stalled(service: Service, about: Subject, words: Translator) -> Said:
    said = _to_host(service, about, words)
    absent = about.absent
    refused = absent.mail_problem if absent and about.data["reason"] == "mail" else ""
    detail = deliveries.reason(refused or "", words)
    again = about.data.get("again", False)
    return Said({**said.values, "reason": about.data["reason"], "detail": detail, "again": again})


# --- to an address ---


def _operator_told(service: Service, mail: Mail) -> tuple[Said, Reader] | None:
    settings = service.settings
    if not settings.operator.address:
        return None
    reader = Reader(
        settings.operator.name, settings.operator.address, settings.language, settings.zone
    )
    return Said(outbox.data(mail)), reader


def _matches_set_aside(service: Service, mail: Mail) -> tuple[Said, Reader] | None:
    """All that are set aside when the mail is made: one mail for many that failed at once."""
    told = _operator_told(service, mail)
    with service.database.read() as session:
        aside = select(Match).where(col(Match.set_aside_at).is_not(None))
        number = session.exec(select(func.count()).select_from(aside.subquery())).one()
        newest = aside.order_by(col(Match.set_aside_at).desc()).limit(MOST_ASIDE)
        found = session.exec(newest).all()
    if told is None or not found:
        return None
    said, reader = told
    matches = [
        {"id": match.id, "title": match.title, "why": texts.without_addresses(error, "")[:200]}
        for match in found
        for error in [match.set_aside_error or ""]
    ]
    return Said({**said.values, "matches": matches, "more": number - len(matches)}), reader


# --- shared pieces ---


def _seat(about: Subject) -> Seat:
    assert about.seat is not None  # these kinds are owed to seats only
    return about.seat


def _table(
    service: Service, about: Subject, words: Translator
) -> tuple[present.TableShown, tuple[Picture, ...]]:
    """The match as the reader may see it, with what happened since they last moved."""
    reader, seat = reader_of(about), about.seat
    since = seat.told_ply if seat is not None else -1
    look = match_look.table_or_trouble(service, about.match.id, reader.seat, since)
    table = present.table(look, words, zone=reader.zone, base_url=service.settings.base_url)
    return table, _board(about, look, words)


def _board(about: Subject, look: match_look.TableLook, words: Translator) -> tuple[Picture, ...]:
    """The board of this look as a picture; empty if the game has no drawing."""
    drawn = present.board(
        about.match.game,
        look.view,
        present.seat_names(about.seats),
        words,
        you=look.seat,
        events=present.last_events(look.lines),
        standalone=True,
    )
    return () if drawn is None else (Picture(BOARD, *pictures.draw(str(drawn))),)


def _story(table: present.TableShown) -> dict[str, Any]:
    return {
        "lines": table.lines[-MOST_LINES:],
        "earlier": max(0, len(table.lines) - MOST_LINES),
    }


OF_A_MATCH: Mapping[MailKind, Teller] = {
    MailKind.INVITATION: _invitation,
    MailKind.ALL_JOINED: _all_joined,
    MailKind.YOUR_TURN: _turn,
    MailKind.REMINDER: _turn,
    MailKind.REPLY_ANSWER: _reply_answer,
    MailKind.PLAYED_FOR_YOU: _played_for_you,
    MailKind.SEAT_LINK: _with_seat_link,
    MailKind.BOT_TOOK_OVER: _with_seat_link,
    MailKind.MUTED: _muted,
    MailKind.CONSENT_ASKED: _consent_asked,
    MailKind.TAKE_BACK_ENDED: _take_back_ended,
    MailKind.ROLLED_BACK: _rolled_back,
    MailKind.PERMISSION_ASKED: _permission_asked,
    MailKind.SEAT_CHANGED: _seat_changed,
    MailKind.MATCH_OVER: _ending,
    MailKind.MATCH_ABORTED: _ending,
    MailKind.MATCH_OPENED: _to_host,
    MailKind.HOST_LINK: _to_host,
    MailKind.BOT_SEATED: _to_host,
    MailKind.HOST_ASKED: _host_asked,
    MailKind.STALLED: _stalled,
    MailKind.PERMISSION_ENDED: _permission_ended,
}

WITHOUT_MATCH: Mapping[MailKind, Callable[[Service, Mail], tuple[Said, Reader] | None]] = {
    MailKind.MY_LINKS: my_links.tell,
    MailKind.MATCHES_SET_ASIDE: _matches_set_aside,
    MailKind.OPERATOR_TOLD: _operator_told,
}
