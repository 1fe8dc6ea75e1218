"""What the lines of a letter do, and the answer that is owed to them.

Each line is an order in the game's notation; several if the turn goes on. ``?`` or ``help`` asks
for the legal moves. ``wait ORDER`` leaves an order for the next decision, or in an open turn
for the turn after it; several such lines are alternatives. ``away 2026-12-20 to 2027-01-03``
announces a vacation, ``here`` takes it back. ``say TEXT`` says something to the table and ``say to
NAME: TEXT`` to one seat; such a line is never a move. All these words can be Spanish. What people
write besides (``pbem.mail.intents``) does nothing: it is answered with a sentence and the link that
does it. A wrong line ends the letter: the lines below it were written on the assumption that it
works. So does an order that brought news (``acts.order_lists``), and one that must be confirmed
(``Game.confirmed_by``): it is answered with what it would do, and with the line that plays it.

Kill points: those of ``turns.submit``, ``standing_orders.leave`` and ``vacations``, and
``lines.answer``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from zoneinfo import ZoneInfo

import msgspec
from msgspec.structs import replace
from sqlmodel import Session

from engine.errors import Ambiguous, OrderError, Sentence, Unreadable
from pbem.acts import going_back, outbox, standing_orders, turns, vacations
from pbem.errors import Busy, Refused, Resigned, TurnClosed, Unconfirmed, UnreadableMatch
from pbem.mail.intents import (
    Meaning,
    addressed,
    meaning,
    plain_order,
    readings,
    said,
    unmarked,
    until_weekday,
)
from pbem.mail.letter import Letter
from pbem.mail.letter_parser.own_lines import WRAPPED_FROM
from pbem.mail.line_results import LineResult
from pbem.people import talk
from pbem.present import seat_names
from pbem.service import Service
from pbem.store.match_log import read_events
from pbem.store.models import Link, Ply, Seat, StandingOrder
from pbem.store.names import MadeBy, MailKind
from pbem.store.table import Table, load

#: At most this many lines of a letter are acted on; the answer says so of the next.
MOST_LINES = 30
#: At most this many lines can be an order that a mail program has broken.
MOST_PIECES = 15
#: At most this many characters of a line are quoted in the answer.
SHOWN = 200

_HELP = re.compile(r"(?i)[?¿]+|help|ayuda")
_WAIT = re.compile(r"(?i)(?:wait|espera)(?:\s*:\s*|\s+)(.+)")
_AWAY = re.compile(
    r"(?i)(?:(?:i'm|i am|i will be|i'll be|we are|estoy|estar[eé]|voy a estar|me voy)\s+)?"
    r"(?:away|out of (?:the )?office|travell?ing|on (?:vacation|holidays?|leave|a trip)"
    r"|ausente|fuera|de (?:vacaciones|viaje))\b[\s:]*(.*)"
)
_DAYS = re.compile(
    r"(?i)(?:from\s+|desde\s+|del?\s+)?(?:el\s+)?(\d{4}-\d{2}-\d{2})"
    r"(?:\s*(?:to|until|till|through|al?|hasta|-|–)\s*(?:el\s+)?(\d{4}-\d{2}-\d{2}))?[\s.!]*"
)
_HERE = re.compile(
    r"(?i)(?:(?:i'm|i am|(?:ya )?estoy|ya)\s+)?"
    r"(?:here|back|not away|de vuelta|he vuelto|aqu[ií])(?: (?:again|now|otra vez|ya))?[\s.!]*"
)
#: After such a line nothing more is done: the lines below assume that it works.
ENDING = frozenset(
    {"wrong", "asks", "left_out", "stop", "resign", "undo", "ask_undo", "when", "bot"}
)
_TOO_MANY = Sentence(
    "A mail has at most {most} lines. Send this one and those below it in another mail.",
    {"most": MOST_LINES},
)
_BELOW = Sentence(
    "Not read, because it stands below an empty line. Send it again, with no empty line above it."
)
_OVER = Sentence(
    "Your turn was over by then. To leave an order for your next decision, "
    "put the word “wait” before it."
)
_DONE = Sentence("The line above has done that already.")
_NO_ORDER = Sentence(
    "The mail contained no order. Write one on its own line, above the mail that you answer."
)


def act(service: Service, link: Link, letter: Letter, dedupe: str, *, last: bool) -> None:
    """Plays the letter's lines, then owes the answer, which says so if it is the last for today.

    Idempotent: moves by their submissions; standing orders, which have none, are written in one
    transaction with the answer.
    """
    unread = orders_in(service, link, letter.below)
    told, waits = _act_on_lines(service, link, letter)
    told += [LineResult(_shown(line), "left_out", sentence=_BELOW) for line in unread]

    def owe(session: Session, told: Sequence[LineResult]) -> None:
        outbox.owe(
            session,
            MailKind.REPLY_ANSWER,
            dedupe,
            service.now(),
            match_id=link.match_id,
            seat=link.seat,
            # what somebody wrote is not for whoever has got the seat since
            epoch=link.epoch,
            turn_id=link.turn_id,
            told=msgspec.to_builtins(told),
            last=last,
        )

    def owe_left(session: Session, row: StandingOrder) -> None:
        after = standing_orders.waits_for_a_turn(session, row)
        behind = standing_orders.before(session, row)
        owe(session, [_waits(one, after, behind) for one in told])

    if waits:
        try:
            standing_orders.leave(service, link, waits, along=owe_left)
            return
        except Busy:
            raise
        except Refused as error:
            told = [_not_left(one, error) for one in told]
    with service.database.write("lines.answer") as session:
        owe(session, told)


def _shown(line: str) -> str:
    return line if len(line) <= SHOWN else f"{line[:SHOWN]}…"


def orders_in(service: Service, link: Link, lines: Sequence[str]) -> list[str]:
    """The lines of these that were meant to do something, where they are not read as orders.

    Below the first empty line there is a name, a signature or the quote of a mail without marks as
    well: only what is said to others, left for later, or in the game's notation was.
    """
    if not lines:
        return []
    with service.database.read() as session:
        table = load(session, link.match_id)
    turn = table.open_turns.get(link.seat)
    asked = turn is not None and turn.id == link.turn_id
    return [
        line
        for line in lines[:MOST_LINES]
        if said(unmarked(line)) is not None
        or _WAIT.fullmatch(unmarked(line))
        or (
            asked
            and meaning(unmarked(line)) is None
            # Jack may play a jack, and sign
            and not _is_signature(line, table.seat(link.seat))
            and any(_is_in_notation(table, link.seat, order) for order in readings(line))
        )
    ]


def _is_in_notation(table: Table, seat: int, order: str) -> bool:
    try:
        table.game.parse(table.state, seat, order)
    except (Unreadable, UnreadableMatch):
        return False
    except OrderError:
        return True
    return True


def _act_on_lines(
    service: Service, link: Link, letter: Letter
) -> tuple[list[LineResult], list[str]]:
    """What came of each line, and the standing orders among them, which are not left yet."""
    lines = letter.lines
    told: list[LineResult] = []
    waits: list[str] = []
    thanked, player = "", service.read(link.match_id).seat(link.seat)
    broken_until = 0
    # one more than is acted on, which is told so; the answer would be as long as the letter
    for number, line in enumerate(lines[: MOST_LINES + 1]):
        if number < broken_until:
            continue
        key = f"mail:{letter.key}:{number}"
        plain = unmarked(line)
        meant = meaning(plain)
        if number < MOST_LINES and (text := said(plain)) is not None:
            below = "".join(lines[number + 1 : number + 2])
            told.append(_say(service, link, line, text, below, key, told))
        elif meant == "closing" or ((told or thanked) and _is_signature(line, player)):
            break
        elif any(one.how in ENDING or one.news for one in told):
            told.append(LineResult(line, "left_out", news=any(one.news for one in told)))
        elif number >= MOST_LINES:
            told.append(LineResult(line, "wrong", sentence=_TOO_MANY))
        elif meant == "thanks":
            thanked = thanked or line
        elif meant is not None:
            told.append(_explain(service, link, line, meant))
        elif later := _WAIT.fullmatch(plain):
            waits.append(plain_order(later[1]))
            told.append(LineResult(line, "waits"))
        elif whole := _play_broken(service, link, lines[number:MOST_LINES], key):
            result, many = whole
            told.append(result)
            broken_until = number + many
        else:
            told.append(_do_at_once(service, link, line, key, told))
    if not told and thanked:
        told.append(LineResult(thanked, "thanks"))
    elif not told:
        told.append(LineResult("", "wrong", sentence=_NO_ORDER))
    return [replace(one, line=_shown(one.line)) for one in told], waits


def _do_at_once(
    service: Service, link: Link, line: str, key: str, before: Sequence[LineResult]
) -> LineResult:
    """Does at once what a line says: help, days away, or else a move."""
    straight = unmarked(line).replace("’", "'")
    if _HELP.fullmatch(straight):
        return LineResult(line, "help")
    try:
        if gone := _AWAY.fullmatch(straight):
            return _announce_away(service, link, line, gone[1])
        if _HERE.fullmatch(straight):
            return _announce_back(service, link, line)
    except Busy:
        raise
    except Refused as error:
        return LineResult(line, "wrong", sentence=error.sentence)
    return _play(service, link, line, key, before)


def _play(
    service: Service, link: Link, line: str, submission: str, before: Sequence[LineResult]
) -> LineResult:
    try:
        order = _order(service, link, line)
        receipt = turns.submit(service, link, order, submission, made_by=MadeBy.MAIL, unseen=True)
    except Busy:
        raise
    except (OrderError, TurnClosed) as error:
        if _is_done(service, link, line, before):
            return LineResult(line, "done", sentence=_DONE)
        return _not_played(line, error, before)
    except Unconfirmed as error:
        return LineResult(line, "asks", sentence=error.sentence, events=error.events)
    except Refused as error:
        return LineResult(line, "wrong", sentence=error.sentence)
    return LineResult(line, "played", ply=receipt.ply, news=receipt.news)


def _order(service: Service, link: Link, line: str) -> str:
    """The order that a line is; Ambiguous if it is another one by the mark that it begins with."""
    plain, *marked = readings(line)
    if not marked:
        return plain
    table = service.read(link.match_id)
    moves = {order: _legal(table, link.seat, order) for order in (plain, *marked)}
    legal = [order for order, move in moves.items() if move is not None]
    if len({moves[order] for order in legal}) > 1:
        raise Ambiguous(
            "This can be read with the “*” as part of the order, or as the mark of a list. "
            "Write it without a space behind the “*”, or without the “*”."
        )
    return legal[0] if legal else plain


def _legal(table: Table, seat: int, order: str) -> str | None:
    """The legal move that an order is, as the game writes it; None if it is none."""
    try:
        return table.game.format(table.game.parse(table.state, seat, order))
    except (OrderError, UnreadableMatch):
        return None


def _not_played(
    line: str, error: OrderError | TurnClosed, before: Sequence[LineResult]
) -> LineResult:
    if isinstance(error, OrderError):
        return LineResult(line, "wrong", sentence=error.sentence, rule=error.rule or "")
    over = any(one.how == "played" for one in before)
    return LineResult(line, "wrong", sentence=_OVER if over else error.sentence)


def _is_done(service: Service, link: Link, line: str, before: Sequence[LineResult]) -> bool:
    """Whether the last order of the letter has done this one, too (``Game.has_done``)."""
    last = next((one.ply for one in reversed(before) if one.how == "played"), 0)
    with service.database.read() as session:
        table, ply = load(session, link.match_id), session.get(Ply, (link.match_id, last))
    events = read_events(table.match, ply, link.seat) if last and ply is not None else []
    return any(table.game.has_done(event, order) for event in events for order in readings(line))


def _play_broken(
    service: Service, link: Link, lines: Sequence[str], submission: str
) -> tuple[LineResult, int] | None:
    """Plays the order that a mail program has broken into the first of these lines, if any.

    Returns what came of it, and of how many lines it was. The most lines that are legal as one
    order are one: what begins a long order may be legal without its end.
    """
    if len(lines[0]) < WRAPPED_FROM:
        return None
    for many in range(min(len(lines), MOST_PIECES), 1, -1):
        order = " ".join(lines[:many])
        # a name of its own: if the letter comes again, it is these lines that were played
        result = _play(service, link, order, f"{submission}-{many}", ())
        if result.how in ("played", "asks"):
            return result, many
    return None


def _say(
    service: Service,
    link: Link,
    line: str,
    text: str,
    below: str,
    key: str,
    before: Sequence[LineResult],
) -> LineResult:
    """Says what a line says, unless a line above it was wrong.

    A long line may go on in the one ``below`` it, and then neither is sure: what was meant to be
    said must not be played, and no order must be told to others.
    """
    if any(one.how in ENDING and not one.news for one in before):
        return LineResult(line, "unsaid", sentence=Sentence("Not said, because of the line above."))
    if below and len(line) >= WRAPPED_FROM and said(below) is None:
        unsure = Sentence(
            "This line may go on in the one below it, so nothing from here on was said or played. "
            "Write it last, after an order, or begin each of its lines with “say”."
        )
        return LineResult(line, "wrong", sentence=unsure)
    names = seat_names(service.read(link.match_id).seats)
    to, words = addressed(text, names)
    if to is None:
        unclear = Sentence(
            "It is not clear whom this is for, so it was not said. There are: {names}.",
            {"names": ", ".join(names)},
        )
        return LineResult(line, "unsaid", sentence=unclear)
    try:
        talk.say(service, link, to, words, key)
    except Refused as error:
        return LineResult(line, "unsaid", sentence=error.sentence)
    return LineResult(line, "said", to="" if to == "table" else names[to])


def _is_signature(line: str, player: Seat) -> bool:
    """Whether it is the player's name, or the first word of it."""
    name = player.name.casefold()
    return line.casefold().strip(" -.,") in (name, *name.split()[:1])


def _explain(service: Service, link: Link, line: str, meant: Meaning) -> LineResult:
    """Answers a line that is no order: nothing is done, and the answer says how to do it."""
    if meant == "question":
        return LineResult(line, "help")
    if meant == "undo":
        return _undo(service, link, line)
    table = service.read(link.match_id)
    seat = table.seat(link.seat)
    if meant == "resign":
        if not table.running:
            return LineResult(line, "wrong", sentence=Sentence("This match is not running."))
        if seat.resigned_at is not None:
            return LineResult(line, "wrong", sentence=Resigned().sentence)
        return LineResult(line, "resign")
    if seat.muted_at is not None:
        off = Sentence("Mail about this match is off already.")
        return LineResult(line, "wrong", sentence=off)
    return LineResult(line, "stop")


def _undo(service: Service, link: Link, line: str) -> LineResult:
    """Tells whether the last move can be taken back, by its player alone or if the others agree."""
    with service.database.read() as session:
        table = load(session, link.match_id)
        if going_back.can_take_back(session, table, link.seat, service.now()):
            return LineResult(line, "undo")
        refused = going_back.why_not_ask(session, table, link.seat, service.now())
    if refused is None:
        return LineResult(line, "ask_undo")
    return LineResult(line, "wrong", sentence=refused.sentence)


def _announce_away(service: Service, link: Link, line: str, days: str) -> LineResult:
    """Announces a vacation. Idempotent: a letter delivered twice announces the same days."""
    found = _DAYS.fullmatch(days)
    if found is None:
        table = service.read(link.match_id)
        seat = table.seat(link.seat)
        if (refused := vacations.why_not(table, seat)) is not None:
            raise refused
        today = service.now().astimezone(ZoneInfo(seat.zone)).date()
        meant = until_weekday(days, today)
        example = (
            vacations.example(service)
            if meant is None
            else {"first": meant[0].isoformat(), "last": meant[1].isoformat()}
        )
        how = Sentence("Write the days like this: away {first} to {last}.", {**example})
        return LineResult(line, "when", sentence=how, days=meant)
    first = vacations.read_day(found[1], "from")
    last = vacations.read_day(found[2], "until") if found[2] else first
    return LineResult(line, "away", announced=vacations.announce(service, link, first, last))


def _announce_back(service: Service, link: Link, line: str) -> LineResult:
    """Takes the vacation back, unless a bot plays for whoever is back."""
    seat = service.read(link.match_id).seat(link.seat)
    if seat.resigned_at is not None:
        raise Resigned()
    if seat.bot is not None:
        return LineResult(line, "bot")
    return LineResult(line, "here", announced=vacations.take_back(service, link))


def _waits(one: LineResult, after: bool, behind: int) -> LineResult:
    """A standing order with what it waits for: ``after`` the open turn, ``behind`` others."""
    if one.how != "waits":
        return one
    return replace(one, how="waits_on" if after else "waits", behind=behind)


def _not_left(one: LineResult, error: Refused) -> LineResult:
    return LineResult(one.line, "wrong", sentence=error.sentence) if one.how == "waits" else one
