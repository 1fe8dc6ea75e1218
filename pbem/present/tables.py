"""A match, a turn and its orders, ready for a page or a mail."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property
from typing import Any, Protocol

from markupsafe import Markup

from engine.codec import decode
from engine.game import Outcome
from engine.games.registry import games
from pbem.acts import vacations
from pbem.clocks.deadlines import ClockPolicy, Hold
from pbem.errors import UnreadableMatch
from pbem.looks.match_look import Line, TableLook, TurnLook
from pbem.present import matches, pictures, story
from pbem.present import talk as spoken
from pbem.present.matches import MatchShown
from pbem.present.times import Moment, days_away, left, span
from pbem.store.match_log import has_secret_moves, installed, options_of
from pbem.store.models import Match, Message, Seat, Turn
from pbem.store.names import MatchStatus
from pbem.store.plain import AnyMatch
from pbem.words.i18n import Translator, translator

#: At most this many names in one phrase.
MOST_NAMES = 3


@dataclass(frozen=True)
class SeatShown:
    """A seat as everybody may see it. Never an address."""

    number: int
    name: str
    is_you: bool
    #: "human", "bot", "open", or "invited" if nobody has joined yet.
    kind: str
    #: Remarks like "a bot plays" or "has not joined yet".
    notes: tuple[str, ...]
    #: Whether the match waits for this seat, and until when. None: no deadline, or it does not
    #: wait. Others get the public deadline.
    waiting: bool
    due: Moment | None
    overdue: bool
    #: Whether the deadline may have moved: it is another seat's and over, and the game has secret
    #: moves, which give more time without telling others.
    may_be_later: bool


@dataclass(frozen=True)
class ScoreShown:
    """A seat's score and what it is made of."""

    name: str
    total: int
    parts: tuple[tuple[str, int], ...]
    won: bool
    seat: int
    #: The place: 1 for all who won; equal points share one.
    rank: int


@dataclass(frozen=True)
class Category:
    """A row of a score sheet: for each of ``OutcomeShown.ranked`` the points and how they came."""

    name: str
    #: None where the seat has nothing of the kind.
    cells: tuple[tuple[int | None, str], ...]


@dataclass(frozen=True)
class OutcomeShown:
    """How a match ended, in words."""

    sentence: str
    scores: tuple[ScoreShown, ...]
    #: The sentence as a title: ``Ann and Carol have won``.
    title: str
    winners: tuple[int, ...]

    @property
    def ranked(self) -> tuple[ScoreShown, ...]:
        """The scores by rank."""
        return tuple(sorted(self.scores, key=lambda score: (score.rank, -score.total, score.seat)))

    @property
    def sheet(self) -> tuple[Category, ...]:
        """What the scores are made of, a row for each category."""
        made = [
            {_split(label)[0]: (points, _split(label)[1]) for label, points in score.parts}
            for score in self.ranked
        ]
        names: list[str] = []
        for each in made:
            at = 0
            for name in each:
                if name not in names:
                    # beside what stands before it with this seat
                    names.insert(at, name)
                at = names.index(name) + 1
        return tuple(
            Category(name, tuple(each.get(name, (None, "")) for each in made)) for name in names
        )


def _split(label: str) -> tuple[str, str]:
    """A label's category, and the rest (``engine.game.ScorePart``)."""
    name, _, how = label.partition(": ")
    return name, how


@dataclass(frozen=True)
class TableShown:
    """A match as one reader may see it."""

    match: MatchShown
    title: str
    game_title: str
    status: str
    phase: str
    seats: tuple[SeatShown, ...]
    names: tuple[str, ...]
    #: The seat that looks; None for an onlooker.
    you: int | None
    view: Any
    outcome: OutcomeShown | None
    #: The public page of the match.
    url: str
    zone: str
    clock: str
    tell: Callable[[], tuple[story.LineShown, ...]] = field(repr=False, compare=False)
    draw: Callable[[], Markup | None] = field(repr=False, compare=False)
    describe: Callable[[], str] = field(repr=False, compare=False)

    @cached_property
    def lines(self) -> tuple[story.LineShown, ...]:
        """What happened, put into sentences when it is asked for: most pages show none."""
        return self.tell()

    @cached_property
    def board(self) -> Markup | None:
        """The drawing of a page, made when it is asked for: mails and most pages show none."""
        return self.draw()

    @cached_property
    def board_text(self) -> str:
        """The same in words, made when it is asked for: a mail may say it otherwise."""
        return self.describe()


@dataclass(frozen=True)
class TurnShown:
    """What the holder of a turn link sees."""

    table: TableShown
    is_open: bool
    #: The announced deadline, and the end of reserve and grace; None without a deadline.
    due: Moment | None
    final: Moment | None
    #: The announced deadline is over.
    overdue: bool
    #: Why the clock is held, as a sentence; "" while it runs.
    held: str
    #: The reserve that runs after the deadline, in words; "" if none does, as with a bank.
    reserve: str
    #: The same, short.
    short_reserve: str
    #: How much of the announced time is left, in words, and of 100.
    left: str
    share: int
    #: The orders that were played in this turn, if the reader may know them.
    moves: tuple[str, ...]
    #: What everybody may know of them, when the turn is closed.
    told: tuple[story.LineShown, ...]
    #: The history from the seat's own last move on.
    came_of: tuple[story.LineShown, ...]


def _held(turn: Turn, match: Match, zone: str, words: Translator) -> str:
    _ = words.text
    match turn.held_why:
        case None:
            return ""
        case Hold.PAUSE:
            why = _("The clock is stopped because the match is paused.")
            until = match.paused_until
            return f"{why} {pause_ends(until, zone, words)}" if until else why
    return _("The clock is stopped because mail to you does not arrive.")


def pause_ends(until: datetime, zone: str, words: Translator) -> str:
    """When a pause ends that nobody ends before, for a reader in this zone."""
    return words.text("It goes on by itself: {until}.", until=str(Moment(until, zone, words)))


def _share(turn: Turn, now: datetime) -> int:
    if turn.due_at is None or turn.due_at <= now:
        return 0
    return min(100, round(100 * (turn.due_at - now) / (turn.due_at - turn.clock_from)))


def _reserve(match: Match, player: Seat, words: Translator, *, short: bool = False) -> str:
    policy = decode(ClockPolicy, match.clock_json)
    runs = player.reserve and policy.kind != "bank"
    return span(player.reserve, words, short=short) if runs else ""


class HasName(Protocol):
    """A seat, as far as its name is concerned."""

    @property
    def number(self) -> int: ...
    @property
    def name(self) -> str: ...
    @property
    def is_open(self) -> bool: ...


def seat_names(seats: Sequence[HasName]) -> tuple[str, ...]:
    """The names of the seats; a number for a seat without a name."""
    return tuple(seat.name or f"#{seat.number + 1}" for seat in seats)


def others(
    seats: Sequence[HasName], own: int | None, words: Translator, *, host: str = ""
) -> list[str]:
    """Who sits at a table besides one seat: names, and last how many seats are open.

    ``host``: whoever invites to it. They are named already where they play too.
    """
    named = zip(seats, seat_names(seats), strict=True)
    found = [
        name for seat, name in named if seat.number != own and not seat.is_open and name != host
    ]
    free = sum(seat.is_open for seat in seats)
    return (
        [*found, words.plural("{number} open seat", "{number} open seats", free)] if free else found
    )


def joined(names: Sequence[str], words: Translator) -> str:
    """The names in one phrase: ``Bob, Carol and Dave``, ``Bob, Carol and 3 more``."""
    if len(names) > MOST_NAMES + 1:
        rest = len(names) - MOST_NAMES
        return words.text(
            "{names} and {number} more", names=", ".join(names[:MOST_NAMES]), number=rest
        )
    if len(names) > 1:
        return words.text("{names} and {last}", names=", ".join(names[:-1]), last=names[-1])
    return names[0] if names else ""


def for_players(seats: Sequence[int], words: Translator) -> str:
    """How many can play, the fewest first: ``For 3 to 6 players.``, ``For 2, 4 players.``"""
    if len(seats) > 1 and list(seats) == list(range(seats[0], seats[-1] + 1)):
        return words.text("For {fewest} to {most} players.", fewest=seats[0], most=seats[-1])
    return words.text("For {numbers} players.", numbers=", ".join(map(str, seats)))


def usual_number(seats: Sequence[int]) -> int:
    """How many play where nobody has said so, of the numbers that can: four, else the fewest."""
    return 4 if 4 in seats else seats[0]


def match_title(match: AnyMatch, words: Translator) -> str:
    """Its name, and the game with every option that is not as usual, in the reader's language."""
    try:
        game, options = installed(match), options_of(match)
    except UnreadableMatch:
        # the title from when it was opened
        return match.title
    # lists of several matches are in the words of no game
    words = translator(words.language, match.game)
    variants = game.variants(match.seat_count, options)
    said = [words.text(game.meta.title), *(words.sentence(variant) for variant in variants)]
    return " · ".join([*filter(None, [match.name]), *said])


def game_title(name: str, words: Translator) -> str:
    """The title of a game, by its own catalogue; its plain name if it is not installed."""
    game = games().get(name)
    return name if game is None else translator(words.language, name).text(game.meta.title)


def table(
    look: TableLook,
    words: Translator,
    *,
    zone: str,
    base_url: str,
    talk: Sequence[Message] = (),
    side: int | None = None,
) -> TableShown:
    """The match for a reader in this zone; ``talk`` is what was said, as far as they may read.

    ``side``: the seat from whose side the table is drawn, for a reader who is shown no seat's view.
    """
    match, names = look.match, seat_names(look.seats)
    return TableShown(
        match=matches.match(match),
        title=match_title(match, words),
        game_title=game_title(match.game, words),
        status=status(match, words),
        phase=phase_name(look, words),
        seats=tuple(_seat(look, seat, zone, words) for seat in look.seats),
        names=names,
        you=look.seat,
        view=look.view,
        outcome=outcome(look.outcome, match, names, words),
        url=f"{base_url}/m/{match.id}",
        zone=zone,
        clock=clock_sentence(match, words),
        tell=lambda: spoken.among(
            story.lines(look, names, zone, words),
            talk,
            names,
            zone,
            words,
            you=look.seat,
        ),
        draw=lambda: pictures.board(
            match.game,
            look.view,
            names,
            words,
            you=look.seat if look.seat is not None else side,
            events=story.last_events(look.lines),
            since=story.events_since(look.lines, look.seat),
        ),
        describe=lambda: pictures.board_text(
            match.game,
            look.view,
            names,
            words,
            you=look.seat,
            over=match.ended_at is not None,
        ),
    )


def turn(
    look: TurnLook,
    words: Translator,
    *,
    base_url: str,
    talk: Sequence[Message] = (),
) -> TurnShown:
    """A turn for its player, in the zone of their seat."""
    row = look.turn
    player = look.table.seats[row.seat]
    zone = player.zone
    return TurnShown(
        table=table(look.table, words, zone=zone, base_url=base_url, talk=talk, side=row.seat),
        is_open=look.is_open,
        due=Moment(row.due_at, zone, words) if row.due_at else None,
        final=Moment(row.final_at, zone, words) if row.final_at else None,
        overdue=row.due_at is not None and row.due_at < look.table.at,
        held=_held(row, look.table.match, zone, words),
        reserve=_reserve(look.table.match, player, words),
        short_reserve=_reserve(look.table.match, player, words, short=True),
        left=left(row.due_at, look.table.at, words),
        share=_share(row, look.table.at),
        moves=tuple(ply.order_text for ply in look.moves),
        told=_told(look, look.told, zone, words),
        came_of=_told(look, look.came_of, zone, words),
    )


def _told(
    look: TurnLook, lines: tuple[Line, ...], zone: str, words: Translator
) -> tuple[story.LineShown, ...]:
    if not lines:
        return ()
    later = [one.act for one in look.table.lines if one.act is not None and one.at > lines[-1].at]
    names = story.names_before(later, seat_names(look.table.seats), words)
    return story.lines(replace(look.table, lines=lines), names, zone, words)


def phase_name(look: TableLook, words: Translator) -> str:
    """The name of the phase, translated by the game's catalogue."""
    if look.phase is None or look.match.ended_at is not None:
        return ""
    return words.text(look.phase.name.replace("_", " ").replace("-", " "))


def clock_sentence(match: AnyMatch, words: Translator) -> str:
    """The clock of a match, in a few sentences."""
    return policy_sentence(decode(ClockPolicy, match.clock_json), words)


def policy_sentence(policy: ClockPolicy, words: Translator) -> str:
    """A clock, in a few sentences."""
    if policy.kind == "none":
        return words.text("There is no time limit.")
    sentences = [_time_sentence(policy, words)]
    if policy.weekends:
        sentences.append(words.text("The clock stops on Saturdays and Sundays."))
    if policy.quiet is not None:
        begin, end = (_hour(minutes) for minutes in policy.quiet)
        sentences.append(
            words.text("No turn ends between {begin} and {end}.", begin=begin, end=end)
        )
    if policy.vacation_days:
        sentences.append(
            words.plural(
                "Each seat has {number} day of vacation.",
                "Each seat has {number} days of vacation.",
                policy.vacation_days,
            )
        )
    return " ".join(sentences)


def _time_sentence(policy: ClockPolicy, words: Translator) -> str:
    turn, reserve = span(policy.turn, words), span(policy.reserve, words)
    if policy.kind == "daily":
        return words.text("Turns end at {hour}, every day.", hour=_hour(policy.daily_at))
    if policy.kind == "bank":
        return words.text(
            "Each seat has a bank of {reserve}; every turn adds {turn}, up to {cap}.",
            reserve=reserve,
            turn=turn,
            cap=span(policy.cap, words),
        )
    if policy.reserve:
        return words.text(
            "{turn} a turn, and a reserve of {reserve} for the whole match.",
            turn=turn,
            reserve=reserve,
        )
    return words.text("{turn} a turn.", turn=turn)


def _hour(minutes: int) -> str:
    return f"{minutes // 60:02}:{minutes % 60:02}"


def status(match: Match, words: Translator) -> str:
    """How far a match is, in a few words."""
    if match.beacon_due_at is not None:
        return words.text("about to begin")
    return status_name(MatchStatus(match.status), words)


def status_name(named: MatchStatus, words: Translator) -> str:
    _ = words.text
    return {
        MatchStatus.LOBBY: _("waiting for players"),
        MatchStatus.RUNNING: _("running"),
        MatchStatus.FINISHED: _("finished"),
        MatchStatus.ABORTED: _("ended early"),
    }[named]


def _notes(look: TableLook, seat: Seat, kind: str, words: Translator) -> Iterator[str]:
    """What is said beside the name of a seat; when the match is over, only whether a bot has it."""
    _ = words.text
    if kind == "bot":
        yield _("a bot plays for now") if seat.email else _("bot")
    if look.match.ended_at is not None:
        return
    if kind == "invited":
        yield _("has not joined yet")
    turn = look.open_turns.get(seat.number)
    held_why = None if turn is None else turn.held_why
    if seat.mail_problem_at is not None:
        yield (
            _("mail does not arrive, so the clock is stopped")
            if held_why == Hold.MAIL
            else _("mail does not arrive")
        )
    elif seat.muted_at is not None:
        yield _("gets no mail")
    if held_why == Hold.PAUSE:
        yield _("the match is paused, so the clock is stopped")
    if (gone := vacations.current(seat, look.at)) is not None:
        first, last = days_away(gone, seat.zone, words)
        yield (
            _("away until {until}", until=last)
            if gone.begins <= look.at
            else _("away from {begins} until {until}", begins=first, until=last)
        )


def _seat(look: TableLook, seat: Seat, zone: str, words: Translator) -> SeatShown:
    _ = words.text
    turn = look.open_turns.get(seat.number)
    kind = (
        "bot" if seat.bot else "human" if seat.joined_at else "open" if seat.is_open else "invited"
    )
    is_own = seat.number == look.seat
    due_at = None if turn is None else turn.due_at if is_own else turn.public_due_at
    # a held clock has no deadline yet
    due = Moment(due_at, zone, words) if turn and due_at and turn.held_at is None else None
    overdue = due is not None and due.at <= look.at
    return SeatShown(
        number=seat.number,
        name=_("Open seat") if kind == "open" else seat_names(look.seats)[seat.number],
        is_you=is_own,
        kind=kind,
        notes=tuple(_notes(look, seat, kind, words)),
        waiting=turn is not None,
        due=due,
        overdue=overdue,
        may_be_later=overdue and not is_own and has_secret_moves(look.match),
    )


def outcome(
    ended: Outcome[Any] | None, match: AnyMatch, names: Sequence[str], words: Translator
) -> OutcomeShown | None:
    """How the match ended, in a sentence, with the scores; None while it goes on."""
    _ = words.text
    if ended is None:
        if match.status == MatchStatus.ABORTED:
            said = _("The match was ended early. Nobody won.")
            return OutcomeShown(said, (), _("Ended early"), ())
        return None
    winners = [names[seat] for seat in ended.winners]
    if not winners:
        sentence, title = _("The match is over. It is a draw."), _("A draw")
    elif len(winners) == 1:
        sentence = _("The match is over. {name} won.", name=winners[0])
        title = _("{name} has won", name=winners[0])
    else:
        several = {"names": ", ".join(winners[:-1]), "last": winners[-1]}
        sentence = _("The match is over. {names} and {last} won.", **several)
        title = _("{names} and {last} have won", **several)
    teams = _teams(match)
    ranks = {
        seat: rank for team, rank in zip(teams, ended.ranks(teams), strict=True) for seat in team
    }
    scores = tuple(
        ScoreShown(
            names[score.seat],
            score.total,
            tuple((words.sentence(part.label), part.points) for part in score.parts),
            score.seat in ended.winners,
            score.seat,
            ranks[score.seat],
        )
        for score in ended.scores
    )
    return OutcomeShown(sentence, scores, title, ended.winners)


def _teams(match: AnyMatch) -> Sequence[Sequence[int]]:
    """Who wins together; everybody alone where the installed rules cannot read the match."""
    try:
        return installed(match).teams(match.seat_count, options_of(match))
    except UnreadableMatch:
        return [(seat,) for seat in range(match.seat_count)]


def to_move(table: TableShown, words: Translator) -> str:
    """Whom the match waits for, as a title; "" if for nobody."""
    _ = words.text
    names = [seat.name for seat in table.seats if seat.waiting]
    if not names:
        return ""
    if len(names) == 1:
        return _("{name} to move", name=names[0])
    return _("{names} and {last} to move", names=", ".join(names[:-1]), last=names[-1])
