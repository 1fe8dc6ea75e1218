"""What came of an answer by mail: line by line, and what can be played next."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from engine.codec import convert
from engine.games.registry import find
from pbem import present
from pbem.acts import vacations
from pbem.acts.mail_relevance import Subject
from pbem.errors import UnreadableMatch
from pbem.looks import match_look
from pbem.mail.kinds import pieces
from pbem.mail.line_results import LineResult
from pbem.mail.values import MailValues
from pbem.people import rematches, talk
from pbem.people.series.rows import of_match
from pbem.service import Service
from pbem.store import links, match_log
from pbem.store.models import Ply
from pbem.store.names import Purpose
from pbem.store.table import load
from pbem.words.i18n import Translator


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


def reply_answer(service: Service, about: Subject, words: Translator) -> MailValues:
    """What came of an answer by mail, line by line; and what can be played, if that helps.

    It helps where the turn goes on after the move: no other mail asks for the next decision. Of an
    answer to an old mail nothing was played: it helps with the turn that is open now. Where the
    match cannot be read, nothing can be played.
    """
    told = convert(about.data["told"], list[LineResult])
    about, again = _about_now(service, about, told)
    row = about.turn
    assert row is not None  # letters answer turns
    link = pieces.link_to(service, about, Purpose.TURN, row.id or 0)
    values = {
        "news": _news(told, words),
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
        "left_url": pieces.url_to(service, about, Purpose.SEAT) if _leaves(told) else "",
        "last": about.data.get("last", False),
        "turn_url": links.url(service.keys, service.settings.base_url, link),
        "stands_still": False,
        "more_lines": (),
    }
    reply_to = pieces.reply_to(service, about)
    try:
        look = match_look.turn(service, link)
    except UnreadableMatch:
        return MailValues({**values, "stands_still": True}, reply_to=reply_to)
    turn = present.turn(look, words, base_url=service.settings.base_url)
    asked = any(one.how in ("help", "wrong", "played") for one in told)
    listed = look.listed
    helped = any(one.how == "help" for one in told)
    over = about.match.ended_at is not None
    # the only order there is will be played by itself (``advance``), perhaps in this moment
    decides = turn.is_open and len(listed.orders or ()) != 1
    view = look.table.view if asked and look.is_open else None
    lines = present.help_text(about.match.game, view, words).splitlines() if helped else []
    if view is not None and not any(lines):
        lines, _ = pieces.choosing(about, turn.table, words)
    return MailValues(
        {
            **values,
            "is_open": decides,
            "over": over,
            "rematch_url": _rematch_url(service, about) if over else "",
            "series": of_match(service, about.match.id) if over else None,
            "again": again,
            "turn": turn,
            **pieces.listed(listed.orders or () if asked else ()),
            "choosing": lines,
            "examples": listed.examples if asked else (),
            "more_lines": _more_lines(service, about, listed.examples, words) if helped else (),
        },
        reply_to=reply_to,
    )


def _about_now(
    service: Service, about: Subject, told: Sequence[LineResult]
) -> tuple[Subject, bool]:
    """The same about the open turn of the seat if an older one was answered; and whether it was."""
    if about.turn is None or about.turn.closed_at is None or any(one.ply for one in told):
        return about, False
    with service.database.read() as session:
        table = load(session, about.match.id)
    now = table.open_turns.get(pieces.seat_of(about).number)
    return (about, False) if now is None else (replace(about, turn=now), True)


def _rematch_url(service: Service, about: Subject) -> str:
    """Where one can be asked for; "" where none can."""
    may = rematches.may_ask(service.read(about.match.id), pieces.seat_of(about))
    return pieces.rematch_url(service, about) if may else ""


def _leaves(told: Sequence[LineResult]) -> bool:
    return any(one.how in ("waits", "waits_on") for one in told)


def _news(told: Sequence[LineResult], words: Translator) -> str:
    """Whether it was played, for the subject and the heading."""
    _ = words.text
    what = {one.how for one in told}
    missed = what & {"wrong", "left_out", "asks"}
    if "played" in what:
        return _("Not all of your answer was played") if missed else _("Your move was played")
    return _("Your answer was not played") if missed else _("Your reply")


def _more_lines(
    service: Service, about: Subject, orders: Sequence[str], words: Translator
) -> list[tuple[str, str]]:
    """What a letter can contain besides orders: the line, and what it does."""
    _, seat = words.text, pieces.seat_of(about)
    lines = []
    if about.match.ended_at is None and orders:
        lines.append((_("wait ORDER"), _("leaves an order for the turn after this one")))
    with service.database.read() as session:
        table = load(session, about.match.id)
        rule = talk.rules(session, table.match)
        silent = talk.why_not(rule, table.match, table.seats, seat.number, service.now())
    if silent is None:
        names = present.seat_names(table.seats)
        others = [names[one] for one in talk.readers(table.seats) if one != seat.number]
        lines.append((_("say Good luck!"), _("says it to all at the table")))
        for name in others[:1]:
            lines.append(
                (_("say to {name}: Good luck!", name=name), _("says it to {name} alone", name=name))
            )
    if vacations.why_not(table, seat) is None:
        days = vacations.example(service)
        lines += [
            (_("away {first} to {last}", **days), _("says that you are away on these days")),
            (_("here"), _("says that you are there after all")),
        ]
    return lines


def _vacation_said(about: Subject, one: LineResult, words: Translator) -> str:
    """What a line about days away has done."""
    now, zone = one.announced, pieces.seat_of(about).zone
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
        first, last = present.days_away(now.away, zone, words)
        said.append(
            words.text("You are away from {begins} until {until}.", begins=first, until=last)
        )
    if now.due_at is not None:
        due = present.Moment(now.due_at, zone, words)
        said.append(words.text("Your open turn ends at {due}.", due=due))
    left = words.plural(
        "You have {number} day of vacation left.",
        "You have {number} days of vacation left.",
        now.left,
    )
    return " ".join([*said, left])


def _where_it_is_done(
    service: Service, about: Subject, one: LineResult, words: Translator
) -> tuple[str, str]:
    """The one link that does what a line wants, and its label; twice "" if none is needed."""
    if one.how == "stop":
        url = pieces.url_to(service, about, Purpose.MUTE)
        return url, words.text("No more mail about this match")
    if one.how in ("resign", "undo", "ask_undo", "when", "bot"):
        url = pieces.url_to(service, about, Purpose.SEAT)
        if one.days is not None:
            first, last = (day.isoformat() for day in one.days)
            return f"{url}?from={first}&until={last}#away", words.text("To these days")
        return url, words.text("To your seat's page")
    return "", ""


def _understood_said(one: LineResult, words: Translator) -> str:
    """What is said about a line that is no order; "" for other lines."""
    _ = words.text
    return {
        "stop": _(
            "You still get mail about this match. To get no more of it, press the button here:"
        ),
        "resign": _("You still have your seat. To resign, use “Leave the match” here:"),
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


def _line_said(
    service: Service, about: Subject, one: LineResult, words: Translator
) -> tuple[str, ...]:
    if _leaves((one,)):
        return (_waits_said(one, words),)
    if (understood := _understood_said(one, words)) != "":
        return (understood,)
    if one.how == "said":
        to_one = words.text("Said to {name} alone.", name=one.to)
        return (to_one if one.to else words.text("Said to all at the table."),)
    if one.how == "left_out" and one.news:
        return (words.text("Not played: look first at what has happened above."),)
    if one.how == "left_out" and one.sentence is None:
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
    events = (
        match_log.read_events(match, ply, pieces.seat_of(about).number) if ply is not None else []
    )
    happened = present.paragraphs(find(match.game), events, names, words)
    move, *then = happened or ("",)
    return (f"{words.text('Played.')} {move}".strip(), *then)


def _waits_said(one: LineResult, words: Translator) -> str:
    """Which decision a standing order is for."""
    _, is_asked = words.text, one.how == "waits_on"
    if not one.behind and not is_asked:
        return _("It waits for your next decision.")
    which = (
        words.plural(
            "You left {number} standing order before it, for one decision: it waits for the "
            "decision after that.",
            "You left {number} standing orders before it, for one decision each: it waits for the "
            "decision after those.",
            one.behind,
        )
        if one.behind
        else _("It is your turn now, so this order waits for the turn after this one.")
    )
    now = _("To play it now, send it without the word “wait”.") if is_asked else ""
    return f"{which} {now}".strip()


def _asked(about: Subject, one: LineResult, words: Translator) -> str:
    """What an order would do that must be confirmed before it is played."""
    match, names = about.match, present.seat_names(about.seats)
    kind = find(match.game).event_type
    events = [convert(event, kind) for event in one.events]
    brings = present.event_sentences(match.game, events, names, words)
    assert one.sentence is not None  # it was written with the line
    parts = [words.text("Not played yet."), words.text("It would do this:") if brings else ""]
    return " ".join(filter(None, [*parts, *brings, words.sentence(one.sentence)]))
