"""Mails to players."""

from __future__ import annotations

from engine.games.registry import find
from pbem import beacon, present
from pbem.acts.mail_relevance import Subject
from pbem.looks import match_look
from pbem.looks.course import course
from pbem.mail.compose import Attachment
from pbem.mail.kinds import pieces
from pbem.mail.values import MailValues
from pbem.people import rematches
from pbem.people.series.rows import of_match
from pbem.present import permissions as permissions_said
from pbem.service import Service
from pbem.store import links, match_log
from pbem.store.canonical import canonical
from pbem.store.models import Ply
from pbem.store.names import MadeBy, MailKind, Purpose
from pbem.words.i18n import Translator

#: Longest record that is attached to the last mail, in bytes; a longer one is only linked.
MOST_RECORD = 2_000_000
#: Characters of a name in an invitation.
MOST_OF_A_NAME = 30


def invitation(service: Service, about: Subject, words: Translator) -> MailValues:
    match, game = about.match, find(about.match.game)
    # whoever reads this has agreed to nothing: no words of strangers at length
    seat = pieces.seat_of(about)
    named = present.others(about.seats, seat.number, words, host=match.host_name)
    others = [_short(name) for name in named]
    return MailValues(
        {
            "own": match.is_seat_of_host(seat),
            "host": _short(match.host_name),
            "others": present.joined(others, words),
            "join_url": pieces.url_to(service, about, Purpose.JOIN),
            "never_url": f"{pieces.url_to(service, about, Purpose.JOIN)}/never",
            "summary": words.sentence(game.summary(match_log.options_of(match))),
            "clock": present.clock_sentence(match, words),
            "running": match.started_at is not None,
            "beacon": present.dice_sentence(match, words, used=service.settings.uses_beacon),
        }
    )


def _short(name: str) -> str:
    return name if len(name) <= MOST_OF_A_NAME else f"{name[: MOST_OF_A_NAME - 1]}…"


def all_joined(service: Service, about: Subject, words: Translator) -> MailValues:
    """The round that goes into the dice, named before it comes out."""
    match, seat = about.match, pieces.seat_of(about)
    drawn = beacon.read(match.beacon_json)
    assert drawn is not None  # this mail is owed together with it
    assert drawn.chain is not None
    return MailValues(
        {
            "number": drawn.round,
            "chain": present.chain_name(drawn.chain, words),
            "when": present.Moment(drawn.chain.time_of(drawn.round), seat.zone, words),
            "phrase": seat.phrase,
            "promise": match_log.promise(match, about.seats, drawn),
        }
    )


def _without_its_round(service: Service, about: Subject, words: Translator) -> str:
    """For the first turn of a match that began without the round that its players were promised."""
    drawn = beacon.read(about.match.beacon_json)
    promised = drawn is not None and drawn.round > 0 and drawn.missing is not None
    if not promised or pieces.seat_of(about).told_ply > 0:
        return ""
    return present.dice_sentence(about.match, words, used=service.settings.uses_beacon)


def turn(service: Service, about: Subject, words: Translator) -> MailValues:
    """``your_turn`` and ``reminder``: all that is needed to understand the turn, and its link."""
    row = about.turn
    assert row is not None  # a mail about a turn is unwanted without it
    link = pieces.link_to(service, about, Purpose.TURN, row.id or 0)
    look = match_look.turn(service, link)
    said = pieces.talk_since(service, about)
    turn = present.turn(look, words, base_url=service.settings.base_url, talk=said)
    listed = look.listed
    reply_to = pieces.reply_to(service, about)
    mover, moved = pieces.last_move(look.table, words)
    until = words.text("until {when}", when=turn.due.short) if turn.due else ""
    choosing, table = pieces.choosing(about, turn.table, words)
    return MailValues(
        {
            "preheader": " · ".join(filter(None, (moved, until))),
            "by_mail": listed.examples[0] if reply_to and listed.examples else "",
            "turn_url": links.url(service.keys, service.settings.base_url, link),
            "own_page": pieces.url_to(service, about, Purpose.SEAT),
            "turn": turn,
            "dice": _without_its_round(service, about, words),
            "table": table,
            **pieces.listed(listed.orders or ()),
            "choosing": choosing,
            "examples": listed.examples,
            "number": about.data.get("number", 0),
            "is_late": row.due_at is not None and row.due_at <= service.now(),
            **pieces.newest(turn.table.lines),
        },
        reply_to=reply_to,
        pictures=pieces.board(about, look.table, words),
        # a reminder is the service's
        sender=mover if about.mail.kind == MailKind.YOUR_TURN else "",
    )


def played_for_you(service: Service, about: Subject, words: Translator) -> MailValues:
    match, seat, number = about.match, pieces.seat_of(about), int(about.data["ply"])
    with service.database.read() as session:
        ply = session.get(Ply, (match.id, number))
    assert ply is not None  # it was written with the mail
    names = present.seat_names(about.seats)
    events = match_log.read_events(match, ply, seat.number)
    table, shown = pieces.table_of(service, about, words)
    return MailValues(
        {
            "order": ply.order_text,
            "paragraphs": present.paragraphs(find(match.game), events, names, words),
            "by_host": ply.made_by == MadeBy.HOST,
            "by_operator": ply.made_by == MadeBy.OPERATOR,
            "missed": seat.missed,
            "seat_url": pieces.url_to(service, about, Purpose.SEAT),
            "table": table,
            "your_due": next((other.due for other in table.seats if other.is_you), None),
        },
        pictures=shown,
    )


def with_seat_link(service: Service, about: Subject, words: Translator) -> MailValues:
    """``seat_link`` and ``bot_took_over``: the link to the seat's own page."""
    url = pieces.url_to(service, about, Purpose.SEAT)
    # a link that was asked for is the old one; else it is new and the older ones are dead
    is_new = not about.data.get("asked", False)
    return MailValues(
        {
            "seat_url": url,
            "is_new": is_new,
            "is_taken": how(about) == "taken",
            "phrase": pieces.seat_of(about).phrase,
            "how": how(about),
        }
    )


def how(about: Subject) -> str:
    """How a bot came to a seat, as ``absence`` says it."""
    return str(about.data.get("how", "put"))


def muted(service: Service, about: Subject, words: Translator) -> MailValues:
    """``muted``: the foot has no link to stop the mails; the link in the text undoes it."""
    again = pieces.url_to(service, about, Purpose.MUTE)
    return MailValues({"again_url": again, "mute_url": ""})


def consent_asked(service: Service, about: Subject, words: Translator) -> MailValues:
    proposal = about.proposal
    assert proposal is not None  # a mail about a proposal is unwanted once it is not open
    table, shown = pieces.table_of(service, about, words)
    return MailValues(
        {
            "asking": about.seats[proposal.seat].name,
            "consent_url": pieces.url_to(service, about, Purpose.CONSENT, proposal.id or 0),
            "table": table,
        },
        pictures=shown,
    )


def permission_asked(service: Service, about: Subject, words: Translator) -> MailValues:
    """What somebody wants to do with the reader's seat, and the link to answer."""
    row = about.permission
    assert row is not None  # a mail about a permission is unwanted once it is not open
    url = pieces.url_to(service, about, Purpose.PERMIT, row.id or 0)
    shown = permissions_said.asked(row, pieces.seat_of(about).zone, words)
    return MailValues({"asked": shown, "answer_url": url})


def seat_changed(service: Service, about: Subject, words: Translator) -> MailValues:
    """To the address before: without any link of the seat."""
    operator = service.settings.operator.address
    return MailValues({"how": about.data["how"], "by": about.data["by"], "operator": operator})


def take_back_ended(service: Service, about: Subject, words: Translator) -> MailValues:
    url = pieces.url_to(service, about, Purpose.SEAT)
    return MailValues({"seat_url": url, "how": about.data["how"]})


def rolled_back(service: Service, about: Subject, words: Translator) -> MailValues:
    url = pieces.url_to(service, about, Purpose.SEAT)
    return MailValues({"seat_url": url, "back_to": about.data["back_to"]})


def _chart(service: Service, table: present.TableShown, words: Translator) -> present.Chart | None:
    """How the match went; None if it was ended early, or if nothing can be said of it."""
    if table.outcome is None or not table.outcome.scores:
        return None
    found = course(service, table.match.id)
    return present.chart(found, table.names, words, table.outcome.winners)


def rematch_asked(service: Service, about: Subject, words: Translator) -> MailValues:
    """Who would like one, and the link to answer."""
    asking = about.absent.name if about.absent else ""
    days = rematches.LAPSES.days
    url = pieces.rematch_url(service, about)
    return MailValues({"asking": asking, "rematch_url": url, "days": days}, sender=asking)


def ending(service: Service, about: Subject, words: Translator) -> MailValues:
    """``match_over`` and ``match_aborted``: the outcome, the seed, and the whole record.

    Of a match that never began there are no dice to check, and its record comes as a digest only.
    """
    match, begun = about.match, about.match.started_at is not None
    record = match_look.record(service, match.id)
    content = canonical(record)
    fits = len(content) <= MOST_RECORD
    table, shown = pieces.table_of(service, about, words)
    name = match_look.record_name(match.id)
    chart = _chart(service, table, words)
    seat = about.seat
    again = seat is not None and rematches.may_ask(service.read(match.id), seat)
    drawn = pieces.chart_picture(chart, match.game, words)
    return MailValues(
        {
            "table": table,
            "outcome": table.outcome,
            "chart": chart,
            "chart_picture": drawn[0] if drawn else None,
            "seed": match.seed.hex(),
            "beacon": present.dice_sentence(match, words, used=service.settings.uses_beacon),
            "begun": begun,
            # a host without a seat has no turn that it could be told since
            "turns": begun and seat is not None,
            "rematch_url": pieces.rematch_url(service, about) if again else "",
            "series": of_match(service, match.id),
            "digest": record["digest"],
            "record_name": name if fits else "",
            "record_url": f"{service.settings.base_url}/api/matches/{match.id}/record",
            **pieces.newest(table.lines),
        },
        pictures=(*shown, *drawn),
        attachments=(Attachment(name, content),) if begun and fits else (),
    )


def words(service: Service, about: Subject, words: Translator) -> MailValues | None:
    """What was said at the table; None if another mail has told it by then."""
    seat, said = pieces.seat_of(about), pieces.talk_since(service, about)
    if all(one.seat == seat.number for one in said):
        return None
    names = present.seat_names(about.seats)
    lines = present.talk_among((), said, names, seat.zone, words, you=seat.number)
    url = pieces.url_to(service, about, Purpose.SEAT)
    return MailValues({"seat_url": url, **pieces.newest(lines)})
