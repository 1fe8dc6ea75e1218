"""The matches of a person in a line each, for their home page and their mails."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial

from markupsafe import Markup
from sqlmodel import Session

from pbem.looks import match_look
from pbem.looks.match_look import outcome_of
from pbem.looks.own_matches import LastMove, OwnMatch
from pbem.present import pictures, story
from pbem.present.stalls import waits
from pbem.present.tables import game_title, joined, match_title, others, outcome, seat_names
from pbem.present.times import Moment, left
from pbem.store.plain import AnySeat
from pbem.store.table import Table
from pbem.words.i18n import Translator, translator


@dataclass(frozen=True)
class OwnShown:
    """A match that goes on, and the link to it that is useful now."""

    match_id: str
    #: The match's name, else the game's.
    called: str
    #: The other people and bots at the table.
    others: str
    #: The same without its host, who is named where they invite.
    besides_host: str
    #: What the link is for: "turn", "join", "seat" or "host".
    what: str
    #: "" if the link was not made yet.
    url: str
    #: If the link is a turn's: the seat's own page.
    own_page: str
    #: If the link is a turn's: when the turn ends, with its reserve if it is overdue; how long that
    #: is, and whether its clock stands.
    due: Moment | None
    overdue: bool
    left: str
    held: bool
    #: Who moved last, and when; "" if it was the reader, or is not asked for.
    moved: str
    moved_at: Moment | None
    #: Else: whom the match waits for, in a sentence, and since when.
    waits: str
    since: Moment | None
    #: Who invites.
    host: str
    name_it: Callable[[], str] = field(repr=False, compare=False)

    @property
    def title(self) -> str:
        """The match's name, and its game with all options that are not as usual."""
        return self.name_it()


@dataclass(frozen=True)
class FinishedShown:
    """A match that is over."""

    match_id: str
    called: str
    others: str
    ended: Moment
    #: Who won, in a sentence; whether the reader did, None if they did not play or nobody won.
    outcome: str
    won: bool | None


def own(
    one: OwnMatch,
    language: str,
    zone: str,
    now: datetime,
    url: str,
    own_page: str = "",
    last: LastMove | None = None,
) -> OwnShown:
    """A match that goes on, for a reader of this language in this zone, with its links."""
    match, turn = one.match, one.turn
    words = translator(language, match.game)
    own_seat = one.seat.number if one.seat is not None else None
    besides_host = others(one.sitters, own_seat, words, host=match.host_name)
    due_at = turn.due_at if turn is not None and turn.held_at is None else None
    overdue = due_at is not None and due_at < now
    if turn is not None and overdue:
        due_at = turn.final_at
    waits_for, since = ("", None) if turn is not None else waiting(one, words)
    return OwnShown(
        match_id=match.id,
        called=match.name or game_title(match.game, words),
        others=joined(others(one.sitters, own_seat, words), words),
        besides_host=joined(besides_host, words),
        what=one.purpose,
        url=url,
        own_page=own_page,
        due=Moment(due_at, zone, words) if due_at else None,
        overdue=overdue,
        left=left(due_at, now, words),
        held=turn is not None and turn.held_at is not None,
        moved=one.sitters[last.seat].name if last is not None and last.seat != own_seat else "",
        moved_at=Moment(last.at, zone, words) if last is not None else None,
        waits=waits_for,
        since=Moment(since, zone, words) if since else None,
        host=match.host_name,
        name_it=lambda: match_title(match, words),
    )


def waiting(one: OwnMatch, words: Translator) -> tuple[str, datetime | None]:
    """What a match waits for, for its own people: see ``stalls.waits``."""
    return waits(one.match, one.sitters, words, partial(joined, words=words), one.seat)


def own_board(
    session: Session,
    table: Table,
    seat: AnySeat,
    now: datetime,
    language: str,
    dark: bool = False,
) -> Markup | None:
    """The board as a seat sees it, as a file of its own; None if the game has no drawing.

    UnreadableMatch if the rules that are installed cannot read the match.
    """
    look = match_look.look(session, table, seat.number, now, seat.told_ply)
    return pictures.board(
        table.match.game,
        look.view,
        seat_names(table.seats),
        translator(language, table.match.game),
        you=seat.number,
        events=story.last_events(look.lines),
        since=story.events_since(look.lines, seat.number),
        standalone=True,
        dark=dark,
    )


def finished(one: OwnMatch, language: str, zone: str) -> FinishedShown:
    """A match that is over, for a reader of this language in this zone."""
    match, seat = one.match, one.seat
    assert match.ended_at is not None  # the query asks for it
    words = translator(language, match.game)
    ended = outcome_of(match)
    names = [sitter.name for sitter in one.sitters]
    shown = outcome(ended, match, names, words)
    played = ended is not None and ended.winners and seat is not None
    return FinishedShown(
        match_id=match.id,
        called=match.name or game_title(match.game, words),
        others=joined(others(one.sitters, one.seat.number if one.seat else None, words), words),
        ended=Moment(match.ended_at, zone, words),
        outcome=shown.sentence if shown else "",
        won=seat.number in ended.winners if played and seat and ended else None,
    )
