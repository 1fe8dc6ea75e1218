"""What happened, in sentences. A game's file ``sentences.txt`` has a macro for each kind of event.

A macro gets the event and can call ``name(seat)``. It writes one sentence of plain text, or
nothing. Pages, mails and the HTTP interface all use these sentences.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import groupby, takewhile
from typing import Any

from engine.codec import plain
from engine.game import Event
from engine.games.registry import AnyGame
from pbem.acts import remedies
from pbem.looks.match_look import Line, TableLook
from pbem.present.times import Moment, whole_day
from pbem.store import audit
from pbem.store.names import Actor, AuditAct, MadeBy
from pbem.store.plain import AnyAct
from pbem.words import templating
from pbem.words.i18n import Translator

Teller = Callable[[Iterable[Event]], tuple[str, ...]]


@dataclass(frozen=True)
class LineShown:
    """One line of a match's history."""

    #: The ply's number as its readers may know it.
    ply: int
    at: Moment
    #: Who moved, or "".
    who: str
    #: How it was made if not by its player, like ``by a bot``; else "".
    how: str
    sentences: tuple[str, ...]
    #: Whether a bot moved: a story says so at the first move of a seat.
    by_bot: bool = False
    is_act: bool = False
    #: Whether it took moves back.
    goes_back: bool = False
    #: Whether it followed by the rules from the move above, without a decision.
    follows: bool = False
    #: The seat that moved; None if nobody did.
    seat: int | None = None
    #: The heading under which it stands: a deal, a year or a turn; "" before the first one.
    heading: str = ""
    #: The number of the message, if somebody said this; ``who`` says who, and to whom.
    message: int | None = None

    @property
    def is_play(self) -> bool:
        """Whether it brought the table to how it stands: a move, or moves taken back."""
        return not self.is_act or self.goes_back


def event_sentences(
    game: str, events: Iterable[Event], names: Sequence[str], words: Translator
) -> tuple[str, ...]:
    """The events in sentences of plain text, in their order; with the names of the seats."""
    return _teller(game, names, words)(events)


def _teller(game: str, names: Sequence[str], words: Translator) -> Teller:
    """Tells events of a game in sentences. Its macros are made once, which costs as much as several
    sentences.
    """
    file = templating.of_game(game, "sentences.txt")
    macros = None if file is None else templating.macros(file, words, name=names.__getitem__)

    def tell(events: Iterable[Event]) -> tuple[str, ...]:
        told = []
        for event in events:
            macro = getattr(macros, templating.kind_of(event), None)
            text = _bare(event, names) if macro is None else " ".join(str(macro(event)).split())
            if text:
                told.append(text)
        return tuple(told)

    return tell


def _bare(event: Event, names: Sequence[str]) -> str:
    """An event for which the game has no sentence: its kind and its values."""
    values: dict[str, Any] = plain(event)
    values.pop("readers", None)
    values.pop(str(type(event).__struct_config__.tag_field), None)
    seat = values.pop("seat", None)
    said = [
        templating.kind_of(event).replace("_", " "),
        *(f"{key} {value}" for key, value in values.items()),
    ]
    return f"{names[seat]}: {', '.join(said)}" if isinstance(seat, int) else ", ".join(said)


def lines(
    look: TableLook, names: tuple[str, ...], zone: str, words: Translator
) -> tuple[LineShown, ...]:
    """A match's history, for the reader of this look; lines without a sentence are left out.

    ``names`` are those of the seats now: a line has those of its time.
    """
    tellers: dict[tuple[str, ...], Teller] = {}
    shown = []
    heading = ""
    told = zip(_without_what_passed(look), _names_then(look.lines, names, words), strict=True)
    for line, then in told:
        if then not in tellers:
            tellers[then] = _teller(look.match.game, then, words)
        for part in _told(look, line, then, zone, words, tellers[then]):
            heading = part.heading or heading
            if part.sentences:
                shown.append(replace(part, heading=heading))
    return tuple(shown)


def _names_then(
    lines: Sequence[Line], names: tuple[str, ...], words: Translator
) -> list[tuple[str, ...]]:
    """The names of the seats when each line was written."""
    found = []
    for line in reversed(lines):
        found.append(names)
        if line.act is not None:
            names = names_before([line.act], names, words)
    return found[::-1]


def names_before(
    acts: Sequence[AnyAct], names: tuple[str, ...], words: Translator
) -> tuple[str, ...]:
    """The names of the seats before these acts, oldest first: a seat that was given to somebody
    had another player.
    """
    before = list(names)
    for act in reversed(acts):
        if act.act == AuditAct.REPLACED and act.seat is not None:
            before[act.seat] = _said(act, "before", words)
    return tuple(before)


def _said(act: AnyAct, who: str, words: Translator) -> str:
    """A name beside a row of the audit log, unless it was taken out."""
    return str(audit.detail(act).get(who) or words.text("somebody who was forgotten"))


def _without_what_passed(look: TableLook) -> list[Line]:
    """The history without what was told in passing until something followed by the rules.

    An onlooker reads a history of all plies.
    """
    if look.seat is None:
        return list(look.lines)
    kept: list[Line] = []
    followed = False
    for line in reversed(look.lines):
        followed = followed or any(look.game.by_the_rules(event) for event in line.events)
        told = _but_in_passing(look.game, line.events) if followed else line.events
        kept.append(replace(line, events=told))
    return kept[::-1]


def newest_first(lines: Sequence[LineShown]) -> tuple[LineShown, ...]:
    """A history from its end. What one move brought about stays in its order, under its heading."""
    groups = groupby(lines, key=lambda line: line if line.is_act else (line.ply, line.heading))
    return tuple(line for group in reversed([list(each) for _, each in groups]) for line in group)


def _told(
    look: TableLook, line: Line, names: Sequence[str], zone: str, words: Translator, tell: Teller
) -> Iterator[LineShown]:
    """The lines of a ply: its move, then each thing that followed by the rules; or of an act."""
    at = Moment(line.at, zone, words)
    if line.act is not None:
        begun_at = look.match.started_at
        begun = begun_at is not None and line.at >= begun_at
        name = names[line.act.seat] if line.act.seat is not None else ""
        told = act_sentence(line.act, name, zone, words, begun=begun)
        said = (told,) if told else ()
        yield LineShown(line.number, at, "", "", said, is_act=True, goes_back=line.goes_back)
        return
    move, *following = passages(look.game, line.events)
    signed = line.seat is not None
    yield LineShown(
        line.number,
        at,
        names[line.seat] if line.seat is not None else "",
        _how(line.made_by, words) if signed else "",
        tell(move),
        by_bot=line.made_by == MadeBy.BOT,
        seat=line.seat,
        heading=_heading(look.game, move, words),
    )
    for events in following:
        heading = _heading(look.game, events, words)
        yield LineShown(line.number, at, "", "", tell(events), follows=signed, heading=heading)


def _heading(game: AnyGame, events: Iterable[Event], words: Translator) -> str:
    """The heading that begins with the first of these events that has one; "" if none has."""
    found = (game.heading(event) for event in events)
    return next((words.sentence(heading) for heading in found if heading is not None), "")


def told_apart(
    game: AnyGame, events: Iterable[Event], names: Sequence[str], words: Translator
) -> tuple[tuple[str, ...], ...]:
    """The sentences of a move, then those of each thing that followed by the rules."""
    tell = _teller(game.meta.name, names, words)
    told = (tell(each) for each in passages(game, events))
    move, *following = told
    return (move, *(sentences for sentences in following if sentences))


def paragraphs(
    game: AnyGame, events: Iterable[Event], names: Sequence[str], words: Translator
) -> tuple[str, ...]:
    """A paragraph for a move, then one for each thing that followed by the rules."""
    told = told_apart(game, events, names, words)
    return tuple(" ".join(sentences) for sentences in told if sentences)


def passages(game: AnyGame, events: Iterable[Event]) -> list[tuple[Event, ...]]:
    """The events of a move, then those of each thing that followed by the rules.

    What is told in passing is left out beside anything else.
    """
    found: list[list[Event]] = [[]]
    for event in events:
        if game.by_the_rules(event):
            found.append([])
        found[-1].append(event)
    return [_but_in_passing(game, passage) or tuple(passage) for passage in found]


def _but_in_passing(game: AnyGame, events: Iterable[Event]) -> tuple[Event, ...]:
    return tuple(event for event in events if not game.passing(event))


def _how(made_by: str, words: Translator) -> str:
    _ = words.text
    return {
        MadeBy.MAIL: _("by mail"),
        MadeBy.FORCED: _("the only legal move"),
        MadeBy.BOT: _("by a bot"),
        MadeBy.DEADLINE: _("played when the time ran out"),
        MadeBy.HOST: _("played by the host"),
        MadeBy.OPERATOR: _("played by the operator"),
        MadeBy.STANDING: _("by a standing order"),
    }.get(MadeBy(made_by), "")


def act_sentence(
    row: AnyAct, name: str, zone: str, words: Translator, *, begun: bool = True
) -> str:
    """The sentence for a row of the audit log; "" for an act that is not told to players.

    ``name``: what its seat is called, if it has one. ``begun``: whether the match had started by
    then; before that, no clock runs.
    """
    _ = words.text
    known: Mapping[str, Any] = audit.detail(row)
    values: dict[str, str] = {
        "who": _actor(row.actor, words),
        "name": name,
        "new": _said(row, "name", words),
        "before": _said(row, "before", words),
        "reason": str(known.get("reason", "")),
        "remedy": _label(str(known.get("remedy", "")), words),
        "back_to": str(known.get("back_to", "")),
    }
    for part in ("from", "until"):
        if part in known:
            values[part] = _when(str(known[part]), zone, words)
    text = _acts(_).get(row.act)
    if row.act == AuditAct.FORGOTTEN and row.seat is None:
        text = _("The host asked to be forgotten: nobody hosts this match now.")
    if row.act == AuditAct.EXTENDED and "until" not in known:
        text = _("{who} gave {name} more time.")
    if row.act == AuditAct.MAIL_REFUSED and not begun:
        text = _("Mail to {name} does not arrive.")
    return "" if text is None else text.format(**values).rstrip(" :")


def _when(text: str, zone: str, words: Translator) -> str:
    """An instant in the reader's zone; or a day of a vacation, which is one of the seat's zone."""
    at = datetime.fromisoformat(text)
    return str(Moment(at, zone, words)) if at.tzinfo else whole_day(at, words)


def _label(remedy: str, words: Translator) -> str:
    """The label of a remedy that a row tells of; its name if this version has none like it."""
    known = remedies.REMEDIES.get(remedy)
    return remedy if known is None else words.sentence(known.label)


def _actor(actor: str, words: Translator) -> str:
    _ = words.text
    actors: dict[str, str] = {
        Actor.HOST: _("The host"),
        Actor.OPERATOR: _("The operator"),
        Actor.PLAYER: _("The player"),
        Actor.SERVICE: _("The service"),
    }
    return actors.get(actor, actor)


def _acts(_: Callable[[str], str]) -> dict[str, str]:
    """The sentences for acts in a table's history. ``{who}`` did it, to ``{name}``."""
    told: dict[str, str] = {
        act: _(sentence.text)
        for remedy in remedies.REMEDIES.values()
        for act, sentence in remedy.history.items()
    }
    return told | {
        AuditAct.OPENED: _("The match was opened."),
        AuditAct.JOINED: _("{name} joined."),
        AuditAct.TOOK_SEAT: _("An open seat was taken."),
        AuditAct.LEFT: _("A player left before the start: a seat is open again."),
        AuditAct.STARTED: _("All seats are taken: the match began."),
        AuditAct.BOT_SEATED: _("A bot plays for {name} from now on."),
        AuditAct.CAME_BACK: _("{name} is back and took the seat from the bot."),
        AuditAct.HOST_ASKED: _("{name} missed a second turn; the host was asked what to do."),
        AuditAct.SET_ASIDE: _(
            "The match could not be carried on and was set aside for the operator."
        ),
        AuditAct.MAIL_REFUSED: _(
            "Mail to {name} does not arrive, so the clock of the seat is stopped."
        ),
        AuditAct.LETTER_REFUSED: _(
            "A mail from the address of {name} was not played: the check of its sender (DMARC) "
            "failed. If you wrote it, make your move on this page."
        ),
        AuditAct.LETTER_AUTOMATIC: _(
            "A mail from the address of {name} was not played: by its header a program wrote it. "
            "If you wrote it, make your move on this page."
        ),
        AuditAct.ORDER_UNFIT: _("The order that you left could not be played."),
        AuditAct.WAS_THERE: _("{name} was here, so mail to {name} is tried again."),
        AuditAct.MUTED: _("{name} wants no more mail about this match."),
        AuditAct.UNMUTED: _("{name} wants mail about this match again."),
        AuditAct.VACATION_DAY: _("{name} did not move in time: a day of vacation was spent."),
        AuditAct.GOING_AWAY: _("{name} is away from {from} until {until}."),
        AuditAct.HERE_AFTER_ALL: _(
            "{name} is not away any longer; days of vacation were given back."
        ),
        AuditAct.RESUMED: _("The pause is over: all clocks go on."),
        AuditAct.RESIGNED: _("{name} resigned; a bot holds the seat."),
        AuditAct.FORGOTTEN: _("{name} asked to be forgotten: name and address are deleted."),
        AuditAct.DECLINED: _("{name} does not want to play."),
        AuditAct.LOBBY_CLOSED: _("Not all players joined in time, so the match was called off."),
        AuditAct.TOOK_BACK: _("{name} took the last move back."),
        AuditAct.ASKED_TO_TAKE_BACK: _("{name} asks to take the last move back."),
        AuditAct.AGREED: _("{name} agrees."),
        AuditAct.DISAGREED: _("{name} does not agree."),
        AuditAct.ASKED_PERMISSION: _("{who} asked {name} to agree to this: {remedy}."),
        AuditAct.GAVE_NOTICE: _(
            "{who} gave {name} notice of this: {remedy}. It is done at {until}, unless {name} says "
            "no or plays."
        ),
        AuditAct.PERMITTED: _("{name} said yes."),
        AuditAct.FORBADE: _("{name} said no."),
        AuditAct.MESSAGE_HIDDEN: _("{who} hid a message: {reason}"),
        AuditAct.TALK_ALLOWED: _("{who} allowed talk at the table."),
        AuditAct.TALK_FORBIDDEN: _("{who} ended the talk at the table. {reason}"),
        AuditAct.LOGIN: _("{who} signed in."),
        AuditAct.LOGOUT: _("{who} signed out."),
        AuditAct.LOOKED: _("{who} looked at the whole table, hidden things included: {reason}"),
    }


def last_events(lines: Sequence[Line]) -> tuple[Event, ...]:
    """The events of the latest ply, to be marked on the board."""
    moves = [line for line in lines if line.act is None and line.seat is not None]
    return moves[-1].events if moves else ()


def events_since(lines: Sequence[Line], seat: int | None) -> tuple[Event, ...]:
    """The events of all plies after the seat's own last one, or of the latest for an onlooker."""
    moves = [line for line in lines if line.act is None and line.seat is not None]
    if seat is None or (moves and moves[-1].seat == seat):
        return last_events(lines)
    unseen = reversed(list(takewhile(lambda line: line.seat != seat, reversed(moves))))
    return tuple(event for line in unseen for event in line.events)
